"""Wheels that turn slowly are turned at rest, before the shell starts.

Under way they would turn too late: a shell that backs up with its wheels to one side and goes
on with them to the other has undone its turn before they are there.
"""

from kinewright_env.grids import CANDIDATE_REST, Aim, Candidate
from kinewright_env.shells import Shell, Steering

from .avoider import Avoider, Decision

SLOW_S = 0.2  # wheels that take longer than this from straight to lock are slow
FAR_URAD = 200_000  # so far they are turned before the shell starts
THERE_URAD = 10_000
STOP_URAD = 200_000  # a shell under way stops to turn round where they are so far from lock


class Wheels:
    """The wheels of one shell, and where they are turned to before it starts.

    Parameters
    ----------
    avoider : Avoider
    shell : Shell
    steering : Steering
    """

    def __init__(self, avoider: Avoider, shell: Shell, steering: Steering) -> None:
        self._avoider = avoider
        self._lock_urad = shell.lock_urad
        self.are_slow = shell.lock_urad / 1e6 / steering.rate_cap_radps > SLOW_S
        self._target_urad: int | None = None
        self._were_turned = False  # since the shell came to rest: once is enough

    def away_urad(self, steer_urad: int) -> float:
        """Return how far they are from a steer angle."""
        return abs(self._avoider.motion.steer_urad - steer_urad)

    def are_at(self, steer_urad: int) -> bool:
        """Return whether they are turned so far."""
        return self.away_urad(steer_urad) <= THERE_URAD

    def decide(self, aims: list[Aim], turn: int) -> Decision:
        """Decide by the first of the aims that leaves a motion; the wheels are turned first.

        Parameters
        ----------
        aims : list of Aim
        turn : int
            1 where the shell is to turn round to the left, -1 to the right, 0 for neither.
        """
        avoider = self._avoider
        if avoider.motion.speed_mps != 0.0:
            self._were_turned = False
        if not self.are_slow or self._is_under_way(turn):
            self._target_urad = None
            return avoider.decide(*aims)
        if self._target_urad is not None:
            chosen = avoider.choose(*aims, wheels_urad=self._target_urad)
            if _moves(chosen) and not self.are_at(self._target_urad):
                return avoider.take_up(chosen, self._target_urad)
            self._target_urad, self._were_turned = None, True
        straight_off = avoider.choose(*aims)
        for target_urad in self._worth_turning_to(straight_off, turn):
            chosen = avoider.choose(*aims, wheels_urad=target_urad)
            if _moves(chosen):
                self._target_urad = target_urad
                return avoider.take_up(chosen, target_urad)
        return avoider.take_up(straight_off)

    def _is_under_way(self, turn: int) -> bool:
        """Whether the shell moves forward, and need not stop for its wheels."""
        is_far = turn != 0 and self.away_urad(turn * self._lock_urad) > STOP_URAD
        return self._avoider.motion.speed_mps > 0.0 and not is_far

    def _worth_turning_to(self, straight_off: Candidate | None, turn: int) -> list[int]:
        """Return the steer angles that the wheels may first be turned to, the best first."""
        if straight_off is None or straight_off.is_at_goal or self._were_turned:
            return []
        if turn != 0:
            angles = [turn * self._lock_urad]
        elif _moves(straight_off):
            angles = [straight_off.steer_urad]
        else:
            half = self._lock_urad // 2
            angles = [self._lock_urad, half, 0, -half, -self._lock_urad]
            angles.sort(key=self.away_urad)
        least = THERE_URAD if turn != 0 or not _moves(straight_off) else FAR_URAD
        return [angle for angle in angles if self.away_urad(angle) > least]


def _moves(chosen: Candidate | None) -> bool:
    return chosen is not None and chosen.number != CANDIDATE_REST
