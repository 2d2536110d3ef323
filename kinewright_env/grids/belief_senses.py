"""What a belief takes from a rig: the scanner's figures, and where near readings mark."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .functions import cos, sin
from .library import ffi, lib
from .sense import Sense

if TYPE_CHECKING:
    from ..shells import Shell

COPY_CELL_UM: int = lib.KW_BELIEF_COPY_CELL_UM

# Rays carve short of what they read by this many standard deviations of the reading, so that a
# scan's own noise does not wear walls off (docs/belief.md compares 0 to 3).
TOLERANCE_SIGMAS = 1
# Grid and beam mark only so near that half their angle spans at most a planner's cell.
MARK_SPREAD_UM = COPY_CELL_UM


class RigFigures(Protocol):
    """Sensors by key; `kinewright_env.rig.Rig` is one."""

    def __contains__(self, key: object) -> bool: ...
    def __getitem__(self, key: str) -> Sense: ...
    def __iter__(self) -> Iterator[Sense]: ...


def scanner_of(shell: "Shell", sensor: Sense) -> Any:
    """Return what C must know of the scanner."""
    sigma_um = 1000 * sensor.sigma_base[0]
    figures = {
        "period_tick": sensor.period_tick,
        "ahead_um": round(1e6 * (shell.body_ahead_m + sensor.ahead_m)),
        "range_max_um": round(1e6 * sensor.range_max_m),
        "tolerance_um": round(TOLERANCE_SIGMAS * sigma_um),
        "tolerance_ppm": min(round(1e6 * TOLERANCE_SIGMAS * sensor.sigma_per_unit[0]), 10**6),
    }
    return ffi.new("kw_belief_scanner *", figures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """Where readings lie: directions (n, 2) in `base_link`, and the farthest that marks."""

    key: str
    ahead_um: float
    directions: NDArray[np.float64]
    most_mm: int


def nearest_mm(half_angle_rad: float) -> int:
    """Return how near a reading must be for half an angle to span at most `MARK_SPREAD_UM`."""
    tangent = sin(half_angle_rad) / cos(half_angle_rad)
    return int(MARK_SPREAD_UM / tangent / 1000) if tangent > 0 else 2**31 - 1


def grid_marker(shell: "Shell", sensor: Sense) -> Marker:
    """Each zone marks along its middle: rows from top to bottom, columns from left to right."""
    half = sensor.half_angle_rad / 8
    off = half * (7 - 2 * np.arange(8))
    level = cos(sensor.half_angle_rad + off)[:, None]  # a higher row reaches less far ahead
    directions = np.stack([level * cos(off)[None, :], level * sin(off)[None, :]], axis=-1)
    return Marker(
        key="grid",
        ahead_um=1e6 * (shell.body_ahead_m + sensor.ahead_m),
        directions=directions.reshape(64, 2),
        most_mm=nearest_mm(half),
    )


def beam_marker(shell: "Shell", sensor: Sense) -> Marker:
    """Mark along the axis."""
    return Marker(
        key="beam",
        ahead_um=1e6 * (shell.body_ahead_m + sensor.ahead_m),
        directions=np.array([[1.0, 0.0]]),
        most_mm=nearest_mm(sensor.half_angle_rad),
    )
