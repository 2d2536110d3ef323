"""The shells and steerings: what the C core declares, and what follows from it.

Their figures are written once, with unit and source, in `csrc/common/shells.c`. A user's
own `Shell` or `Steering` may stand wherever a name may.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from . import grids
from .errors import OptionError, allowed

__all__ = ["SHELLS", "STEERINGS", "Shell", "Steering", "get_shell", "get_steering"]


def _is_finite(value: object) -> bool:
    try:
        return math.isfinite(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _check_figures(declaration: "Shell | Steering") -> None:
    """Refuse a figure that is no finite number, and keep each as a plain float."""
    for field in fields(declaration):
        value = getattr(declaration, field.name)
        if field.type is float:
            if not _is_finite(value):
                raise OptionError(
                    f"{declaration.name}: {field.name} must be a finite number, not {value!r}"
                )
            object.__setattr__(declaration, field.name, float(value))
        elif type(value) is not field.type:
            kind = "True or False" if field.type is bool else "a string"
            raise OptionError(f"{declaration.name}: {field.name} must be {kind}, not {value!r}")


def _fill(struct: Any, declaration: "Shell | Steering") -> Any:
    """Copy the figures into a C struct; the core never reads the name."""
    for field in fields(declaration):
        if field.name != "name":
            setattr(struct, field.name, getattr(declaration, field.name))
    return struct


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """One body on four wheels.

    Lengths in m, angles in rad, speeds in m/s, accelerations in m/s^2. The pivot, the point
    that never slips sideways, is the origin of `base_link`.

    Parameters
    ----------
    name : str
    rear_steered : bool
        Both axles steer, by opposite angles; else the front one alone.
    length_m, width_m, height_m : float
        The body.
    wheelbase_m, track_m, wheel_radius_m : float
    mass_height_m : float
        Centre of mass above ground.
    lock_rad : float
        Greatest steer angle to either side.
    body_ahead_m : float
        The body's centre ahead of the pivot.
    curvature_length_m : float
        Curvature is ``tan(steer) / curvature_length_m``: the wheelbase, or its half where
        the rear steers too.
    forward_speed_limit_mps, reverse_speed_limit_mps, cruise_speed_mps : float
        All positive.
    acceleration_mps2, braking_mps2 : float

    Raises
    ------
    OptionError
        Where a figure is not finite, or the core cannot move such a shell.
    """

    name: str
    rear_steered: bool
    length_m: float
    width_m: float
    height_m: float
    wheelbase_m: float
    track_m: float
    wheel_radius_m: float
    mass_height_m: float
    lock_rad: float
    body_ahead_m: float
    curvature_length_m: float
    forward_speed_limit_mps: float
    reverse_speed_limit_mps: float
    cruise_speed_mps: float
    acceleration_mps2: float
    braking_mps2: float

    def __post_init__(self) -> None:
        _check_figures(self)
        if not grids.check_shell(self):
            raise OptionError(
                f"shell {self.name!r}: sizes, limits and accelerations must lie within "
                "[0.001, 1000] and body_ahead_m within 1000; lock_rad must keep the turning "
                "centre outside the track; curvature_length_m must be wheelbase_m, or half of it "
                "with rear_steered"
            )

    @property
    def radius_at_lock_m(self) -> float:
        """Radius of the pivot's tightest circle."""
        return self.curvature_length_m / float(grids.tan(self.lock_rad))

    @property
    def inscribed_radius_m(self) -> float:
        """Radius of the greatest disc about the body's centre inside the outline."""
        return min(self.length_m, self.width_m) / 2

    @property
    def circumscribed_radius_m(self) -> float:
        """Radius of the least disc about the body's centre around the outline."""
        return math.sqrt(self.length_m**2 + self.width_m**2) / 2

    @property
    def lock_urad(self) -> int:
        """Greatest steer angle of an ask, in microradians."""
        return grids.quantise_ask(self, 0.0, math.pi)[1]

    @property
    def wheel_positions_m(self) -> tuple[tuple[float, float], ...]:
        """Where the wheels touch the ground: front left, front right, rear left, rear right.

        Each is (x, y) in `base_link`.
        """
        return grids.wheel_positions(self)

    def to_c(self, ffi: Any) -> Any:
        """Return a new `kw_shell *` of the library that `ffi` belongs to."""
        return _fill(ffi.new("kw_shell *"), self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """How fast a steer angle may move.

    Parameters
    ----------
    name : str
    rate_cap_radps : float
        Greatest rate at rest; at speed v it is divided by 1 + abs(v) / (1 m/s).
    acceleration_radps2 : float

    Raises
    ------
    OptionError
        Where a figure is not finite, or too small or great for the core.
    """

    name: str
    rate_cap_radps: float
    acceleration_radps2: float

    def __post_init__(self) -> None:
        _check_figures(self)
        if not grids.check_steering(self):
            raise OptionError(
                f"steering {self.name!r}: rate_cap_radps must lie within [0.001, 1000], "
                "acceleration_radps2 within [0.001, 1e6]"
            )

    def to_c(self, ffi: Any) -> Any:
        """Return a new `kw_steering *` of the library that `ffi` belongs to."""
        return _fill(ffi.new("kw_steering *"), self)


def _shell(row: Mapping[str, Any]) -> Shell:
    return Shell(**{**row, "rear_steered": bool(row["rear_steered"])})


SHELLS: Mapping[str, Shell] = MappingProxyType(
    {row["name"]: _shell(row) for row in grids.declared_shells()}
)
STEERINGS: Mapping[str, Steering] = MappingProxyType(
    {row["name"]: Steering(**row) for row in grids.declared_steerings()}
)


def get_shell(shell: str | Shell) -> Shell:
    """Return the shell of a name; a shell comes back as it is.

    Raises
    ------
    OptionError
        Where there is no such name.
    """
    if isinstance(shell, Shell):
        return shell
    if not isinstance(shell, str) or shell not in SHELLS:
        raise OptionError(f"no shell is named {shell!r}; {allowed(shell, SHELLS)}")
    return SHELLS[shell]


def get_steering(steering: str | Steering) -> Steering:
    """Return the steering of a name; a steering comes back as it is.

    Raises
    ------
    OptionError
        Where there is no such name.
    """
    if isinstance(steering, Steering):
        return steering
    if not isinstance(steering, str) or steering not in STEERINGS:
        raise OptionError(f"no steering is named {steering!r}; {allowed(steering, STEERINGS)}")
    return STEERINGS[steering]
