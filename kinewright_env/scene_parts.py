"""The parts of a scene: frozen declarations, metres, degrees and seconds as in the file.

Nothing is checked here; `Scene.from_dict` checks a whole scene.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from math import ceil, fmod, pi
from typing import Literal

from .grids import TICKS_PER_SECOND

Point = tuple[float, float]


class ChangeAction(IntEnum):
    """What a change does, numbered as `kw_change_action` of the core."""

    APPEAR = 0
    VANISH = 1
    KIDNAP = 2


class ArmedBy(IntEnum):
    """What arms a change, numbered as `kw_armed_by` of the core."""

    AT_TICK = 0
    X_ABOVE = 1
    X_BELOW = 2
    Y_ABOVE = 3
    Y_BELOW = 4
    AFTER_CHANGE = 5
    AT_GOAL = 6


def wrapped_rad(heading_deg: float) -> float:
    """Return a heading of a scene file in radians, in (-pi, pi].

    The remainder is exact, so only the last product rounds.
    """
    degrees = fmod(heading_deg, 360.0)
    if degrees > 180.0:
        degrees -= 360.0
    elif degrees <= -180.0:
        degrees += 360.0
    return degrees * (pi / 180.0)


def tick_of(time_s: float) -> int:
    """Return the first tick that is not before a time, seconds.

    The time is taken as the decimal it is written as, so that 0.1 s is tick 12 exactly.
    """
    return ceil(Fraction(repr(float(time_s))) * TICKS_PER_SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    """A vertical slab centred on the segment `from_m` to `to_m`, its ends flat there."""

    name: str
    from_m: Point
    to_m: Point
    thickness_m: float
    height_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A vertical box; `size_m` is its length along its own heading and its width."""

    name: str
    center_m: Point
    size_m: Point
    heading_deg: float = 0.0
    height_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A vertical cylinder."""

    name: str
    center_m: Point
    radius_m: float
    height_m: float


Solid = Wall | Box | Post


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A pose of `base_link` in `map`: a drive's start, or where a kidnap puts the shell."""

    x_m: float
    y_m: float
    heading_deg: float = 0.0

    @property
    def heading_rad(self) -> float:
        """The heading in radians, in (-pi, pi]."""
        return wrapped_rad(self.heading_deg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A disc to bring the body's centre to rest in."""

    x_m: float
    y_m: float
    radius_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    """What arms a change.

    `by` names the form. `value` is seconds of `after_s`, metres of `pivot_beyond`, and the
    number, counted from 1, of `after_change` and `at_goal`. `axis` and `side` are those of
    `pivot_beyond`, else empty.
    """

    by: Literal["after_s", "pivot_beyond", "after_change", "at_goal"]
    value: float
    axis: Literal["", "x", "y"] = ""
    side: Literal["", "<", ">"] = ""

    @property
    def armed_by(self) -> ArmedBy:
        """The form as the core numbers it."""
        return _ARMED_BY[self.by, self.axis, self.side]

    @property
    def number(self) -> int:
        """The tick, or the number of change or goal counted from 0, as the core takes it."""
        if self.by == "after_s":
            return tick_of(self.value)
        return 0 if self.by == "pivot_beyond" else int(self.value) - 1


_ARMED_BY = {
    ("after_s", "", ""): ArmedBy.AT_TICK,
    ("pivot_beyond", "x", ">"): ArmedBy.X_ABOVE,
    ("pivot_beyond", "x", "<"): ArmedBy.X_BELOW,
    ("pivot_beyond", "y", ">"): ArmedBy.Y_ABOVE,
    ("pivot_beyond", "y", "<"): ArmedBy.Y_BELOW,
    ("after_change", "", ""): ArmedBy.AFTER_CHANGE,
    ("at_goal", "", ""): ArmedBy.AT_GOAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A solid that appears or vanishes, or a shell moved elsewhere, once `armed`.

    `solid` is the solid's name and empty for a kidnap; `pose` is a kidnap's.
    """

    action: Literal["appear", "vanish", "kidnap"]
    armed: Armed
    solid: str = ""
    pose: Start | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalChange:
    """The current goal's new place from a time on."""

    at_s: float
    x_m: float
    y_m: float

    @property
    def tick(self) -> int:
        """The first tick on which it holds."""
        return tick_of(self.at_s)
