"""Candidates: short motions by the shell's own law, held against a local map."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .library import ffi, lib, to_c
from .local_map import LocalMap

if TYPE_CHECKING:
    from ..shells import Shell, Steering

CANDIDATE_COUNT: int = lib.KW_CANDIDATE_COUNT
CANDIDATE_REST: int = lib.KW_CANDIDATE_REST
CURVATURE_COUNT: int = lib.KW_CURVATURE_COUNT
CURVATURE_OF_GOAL: int = lib.KW_CURVATURE_OF_GOAL
DECISION_TICK: int = lib.KW_DECISION_TICK
HOLD_TICK: int = lib.KW_HOLD_TICK
SAMPLE_TICK: int = lib.KW_SAMPLE_TICK
_SAMPLES_MAX: int = lib.KW_SAMPLES_MAX


def _avoidance() -> Mapping[str, Any]:
    struct = lib.kw_avoidance_declared
    rows = {name: getattr(struct, name) for name, _ in ffi.typeof(struct).fields}
    rows["speeds_mps"] = tuple(rows["speeds_mps"])
    return MappingProxyType(rows)


AVOIDANCE: Mapping[str, Any] = _avoidance()
"""The declared figures of avoidance, as in `kw_avoidance`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What a decision is for.

    Parameters
    ----------
    goal_um : (int, int), optional
        In `map`; straight ahead where there is none.
    radius_um : int
        Of the goal.
    toward_only : bool
        Only the goal's own curvature and rest: never around anything.
    vetoed : int
        Bit i is set where candidate i must not be taken.
    """

    goal_um: tuple[int, int] | None = None
    radius_um: int = 0
    toward_only: bool = False
    vetoed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One motion held against the map.

    Where it is not admissible only its ask and cell are meant.

    Parameters
    ----------
    number : int
        ``speed * CURVATURE_COUNT + curvature``, slowest speed and right lock first, the
        goal's own curvature last of each speed; `CANDIDATE_REST` for rest.
    speed_dmmps, steer_urad : int
        Its ask.
    is_admissible : bool
    is_cut : bool
        A cell enters its corridor within the horizon: it ends there.
    margin_mm : int
        The least slack beyond the corridor up to its end, 0 to 300.
    end_mm : int
        From the body's centre at its end to the goal.
    score : int
        The least is the best.
    cell : (int, int), optional
        Row and column of the cell that bars it, cuts it or sets its margin.
    n_poses : int
        Up to its end, `SAMPLE_TICK` apart.
    is_at_goal : bool
        The body's centre is within the goal's radius: rest, whatever is free.
    away_um : int
        From the body's centre now to the goal.
    """

    number: int
    speed_dmmps: int
    steer_urad: int
    is_admissible: bool
    is_cut: bool
    margin_mm: int
    end_mm: int
    score: int
    cell: tuple[int, int] | None
    n_poses: int
    is_at_goal: bool
    away_um: int


def _candidate(struct: Any) -> Candidate:
    return Candidate(
        number=struct.candidate,
        speed_dmmps=struct.ask.speed_dmmps,
        steer_urad=struct.ask.steer_urad,
        is_admissible=bool(struct.is_admissible),
        is_cut=bool(struct.is_cut),
        margin_mm=struct.margin_mm,
        end_mm=struct.end_mm,
        score=struct.score,
        cell=(struct.row, struct.col) if struct.has_cell else None,
        n_poses=struct.n_poses,
        is_at_goal=bool(struct.is_at_goal),
        away_um=struct.away_um,
    )


class Motion:
    """The shell's motion from tick to tick, as far as observations and its own asks tell.

    Holds what an observation rounds away and the steer rate, which none tells, by the law of
    motion itself; see `kw_motion_observe`.

    Parameters
    ----------
    shell : Shell
    steering : Steering
    """

    def __init__(self, shell: "Shell", steering: "Steering") -> None:
        self._shell_declared, self._steering_declared = shell, steering
        self._shell, self._steering = to_c(shell), to_c(steering)
        self._motion = ffi.new("kw_motion *")
        self._tick = -1

    @property
    def pointer(self) -> Any:
        """The C motion, for other kernels."""
        return self._motion

    @property
    def speed_mps(self) -> float:
        """Its speed."""
        return float(self._motion.speed_mps)

    @property
    def steer_urad(self) -> float:
        """Its steer angle, with what an observation rounds away."""
        return float(self._motion.steer_rad) * 1e6

    def turned(self, steer_urad: int) -> "Motion":
        """Return a copy that is at rest, its wheels turned so far."""
        copy = Motion(self._shell_declared, self._steering_declared)
        copy._motion[0] = self._motion[0]
        copy._motion.speed_mps = 0.0
        copy._motion.steer_rad = steer_urad / 1e6
        copy._motion.steer_rate_radps = 0.0
        return copy

    def forget(self) -> None:
        """Begin anew: the next observation stands for itself."""
        self._tick = -1

    def observe(self, observation: Mapping[str, Any], ask: tuple[int, int]) -> None:
        """Take an observation after running on one ask since the last.

        Parameters
        ----------
        observation : mapping
            Of `Drive-v0`.
        ask : (int, int)
            In 0.1 mm/s and urad, as `quantise_ask` returns them.

        Raises
        ------
        OptionError
            Where the ask lies outside the shell, or the steer angle cannot come to rest short
            of a right angle.
        """
        tick = int(observation["tick"][0])
        ticks = tick - self._tick if self._tick >= 0 else 0
        if self._tick < 0:
            self._motion[0] = ffi.new("kw_motion *")[0]
        status = lib.kw_motion_observe(
            self._shell,
            self._steering,
            ask,
            max(ticks, 0),
            observation["pose"][-1].tolist(),
            int(observation["speed"][0]),
            int(observation["steer"][0]),
            self._motion,
        )
        if status != lib.KW_OK:
            raise OptionError(f"motion: cannot follow ask {ask} to tick {tick}")
        self._tick = tick

    @property
    def row(self) -> tuple[float, ...]:
        """As `predict` takes it: x, y, heading, speed, steer, steer rate, heading's rest."""
        motion = self._motion
        pose = motion.pose
        return (
            pose.x_m, pose.y_m, pose.heading_rad,
            motion.speed_mps, motion.steer_rad, motion.steer_rate_radps, motion.heading_rest_rad,
        )  # fmt: skip


class Candidates:
    """The 31 candidates of one shell and steering.

    Parameters
    ----------
    shell : Shell
    steering : Steering
    reaction_tick : int
        How long a candidate must be held before rest can be asked for: the oldest that a
        return can be when it arrives, and one hold.

    Raises
    ------
    OptionError
        Where the reaction time is not 1 to 36000 ticks.
    """

    def __init__(self, shell: "Shell", steering: "Steering", reaction_tick: int) -> None:
        out = ffi.new("kw_candidates **")
        status = lib.kw_candidates_create(to_c(shell), to_c(steering), reaction_tick, out)
        if status != lib.KW_OK:
            raise OptionError(f"candidates: reaction_tick is {reaction_tick}; allowed: 1 to 36000")
        self._candidates = ffi.gc(out[0], lib.kw_candidates_destroy)
        self._choice = ffi.new("kw_candidate *")
        self._all = ffi.new("kw_candidate[]", CANDIDATE_COUNT)

    @property
    def horizon_tick(self) -> int:
        """Ticks over which candidates are predicted."""
        return int(lib.kw_candidates_horizon(self._candidates))

    def choose(
        self, local_map: LocalMap, motion: Motion, aim: Aim, rest_steer_urad: int = 0
    ) -> Candidate:
        """Return the best admissible candidate.

        Parameters
        ----------
        local_map : LocalMap
        motion : Motion
        aim : Aim
        rest_steer_urad : int
            Steer angle of rest, which is taken only where nothing else is admissible; its cell
            is the one that bars the slowest way toward the goal.

        Raises
        ------
        OptionError
            Where the map has observed nothing yet, or the goal's radius is negative.
        """
        status = lib.kw_candidates_choose(
            self._candidates,
            local_map.pointer,
            motion.pointer,
            _aim(aim),
            rest_steer_urad,
            self._choice,
        )
        _check(status)
        return _candidate(self._choice)

    def survey(
        self, local_map: LocalMap, motion: Motion, aim: Aim
    ) -> tuple[tuple[Candidate, ...], NDArray[np.float64]]:
        """Return every candidate in full, and the poses of each over the horizon.

        Costs many times what `choose` does.

        Returns
        -------
        tuple of Candidate
            By number; the vetoed are looked at like all others.
        (30, n, 3) float64
            x m, y m, heading rad of `base_link` in `map`, `SAMPLE_TICK` apart, the last on the
            horizon.
        """
        poses = np.empty((CANDIDATE_REST, _SAMPLES_MAX, 3), dtype=np.float64)
        status = lib.kw_candidates_survey(
            self._candidates,
            local_map.pointer,
            motion.pointer,
            _aim(aim),
            self._all,
            ffi.cast("kw_pose *", ffi.from_buffer(poses, require_writable=True)),
        )
        _check(status)
        samples = -(-self.horizon_tick // SAMPLE_TICK)
        return tuple(_candidate(one) for one in self._all), poses[:, :samples]

    def test(self, local_map: LocalMap, motion: Motion, ask: tuple[int, int]) -> Candidate:
        """Return whether one ask, of either direction, is admissible, and what bars it.

        Parameters
        ----------
        local_map : LocalMap
        motion : Motion
        ask : (int, int)
            In 0.1 mm/s and urad, as `quantise_ask` returns them.

        Raises
        ------
        OptionError
            Where the ask lies outside the shell, or the map has observed nothing yet.
        """
        status = lib.kw_candidates_test(
            self._candidates, local_map.pointer, motion.pointer, ask, self._choice
        )
        _check(status)
        return _candidate(self._choice)


def _aim(aim: Aim) -> tuple[int, ...]:
    x, y = aim.goal_um or (0, 0)
    return (aim.goal_um is not None, x, y, aim.radius_um, aim.toward_only, aim.vetoed)


def _check(status: int) -> None:
    if status == lib.KW_BAD_STATE:
        raise OptionError("candidates: the local map has observed nothing yet")
    if status != lib.KW_OK:
        raise OptionError(
            "candidates: the ask must lie within the shell's limits, and the motion be finite "
            "with a steer angle that can stop short of a right angle"
        )
