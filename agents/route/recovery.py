"""Recovery: forget what is near, plan anew, back up toward the route, and count how often."""

from kinewright_env.shells import Shell

from ..avoidance import Avoider
from ..avoidance.wheels import Wheels

FORGET_UM = 850_000  # what is believed this near is forgotten, but for permanent cells
BACK_UM = 300_000  # backed up while turning toward the route
BACK_MOST_UM = 900_000  # backed up in all, where there is no room to turn at first
BACK_SPEED_DMMPS = -3000  # 0.30 m/s
TURNS = 8  # recoveries that turned the shell toward its route, and no more than that
TRIES = 3  # recoveries without progress
PROGRESS_UM = 150_000  # of the route driven since the last one


class Recoveries:
    """Counts recoveries that brought the shell no farther along its routes.

    A route that turns out longer than it was thought is no step back, and one that turns out
    shorter no progress: what counts is how much of whichever route was in force has been driven,
    backward or forward, or how far the shell has turned toward its route, at its tightest
    circle.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start counting anew, as toward another goal."""
        self.without_progress = 0
        self._driven_um = 0
        self._to_turn_um = 0
        self._turns = 0

    def drive(self, way_um: int) -> None:
        """Note that so much of the route was driven, backward where negative."""
        self._driven_um += way_um

    def _progress(self) -> None:
        self.without_progress = self._driven_um = 0

    def count(self, to_turn_um: int) -> bool:
        """Count one more; return whether it may be tried.

        Parameters
        ----------
        to_turn_um : int
            What turning toward the route takes, along the tightest circle.
        """
        if self._driven_um >= PROGRESS_UM:
            self._progress()
            self._turns = 0
        elif self._to_turn_um - to_turn_um >= PROGRESS_UM and self._turns < TURNS:
            self._progress()
            self._turns += 1
        if self.without_progress == 0 or to_turn_um > self._to_turn_um:
            self._to_turn_um = to_turn_um  # from here on small turns add up to progress
        self.without_progress += 1
        self._driven_um = min(self._driven_um, 0)  # what was lost is first to be made up for
        return self.without_progress <= TRIES


class BackingUp:
    """One stretch backward, steering so that the shell turns toward its route.

    Parameters
    ----------
    shell : Shell
    wheels : Wheels
    turn : int
        1 where the route leads off to the left of the shell's heading, -1 to the right.
    left_um : int
        What is left of the route as it begins.
    """

    def __init__(self, shell: Shell, wheels: Wheels, turn: int, left_um: int) -> None:
        self._wheels = wheels
        # backward, wheels turned to the right turn the shell to the left; from what stands beside
        # it, it may first have to turn away
        lock = -turn * shell.lock_urad
        steers = (lock, lock // 2, 0, -lock // 2, -lock)
        self._asks = tuple((BACK_SPEED_DMMPS, steer) for steer in steers)
        self.ask = (0, 0)
        self._left_um = left_um
        self.run_um = self._turned_um = 0

    def run(self, way_um: int) -> None:
        """Note that the shell moved so far."""
        self.run_um += way_um
        if self.ask in self._asks[:2]:
            self._turned_um += way_um

    def driven_um(self, left_um: int) -> int:
        """Return how much of the route was driven, by what is left of it after: it may lead back.

        No more than was backed up, to either side: what the route itself has changed by is no
        driving.
        """
        return min(max(self._left_um - left_um, -self.run_um), self.run_um)

    def go_on(self, avoider: Avoider) -> bool:
        """Choose the ask that goes on backward; return False where it is done or barred.

        Wheels that turn slowly are turned before the shell moves.
        """
        if self._turned_um >= BACK_UM or self.run_um >= BACK_MOST_UM:
            return False
        wheels_first = self._wheels.are_slow and self.ask[0] == 0
        for ask in self._asks:
            if avoider.test(ask, ask[1] if wheels_first else None).is_admissible:
                turn_first = wheels_first and not self._wheels.are_at(ask[1])
                self.ask = avoider.turning(ask[1]) if turn_first else ask
                return True
        return False
