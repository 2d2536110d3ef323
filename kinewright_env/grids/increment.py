"""What goes into a rolling map: registered increments, and the bounds that it keeps."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import IncrementError, OptionError
from .library import ffi, lib

__all__ = ["RegisteredIncrement", "RollingBounds"]

Pose = tuple[float, float, float, float]

_FAR_M: Final = lib.KW_ROLLING_FAR_UM / 1e6
_POSE_SHAPE: Final = (4,)


@dataclass(frozen=True, slots=True)
class RegisteredIncrement:
    """The points that a mapper has newly added to its map in one frame.

    It is no complete scan: what stands there and was in the map before is absent.

    Attributes
    ----------
    points_m : (n, 3) array_like
        x, y, z in `map`, metres.
    pose : (x, y, z, yaw) or None
        Of the mapper in `map`, metres and radians; None where none came with the frame.
    stamp_ns : int
        When the frame was taken, nanoseconds of any clock that runs forward.
    """

    points_m: ArrayLike
    pose: Pose | None
    stamp_ns: int

    def checked(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, int]:
        """Return points (n, 3), pose (4,) or None, and stamp, of the types that the core takes.

        Parameters
        ----------
        name : str
            What an error calls the frame.

        Raises
        ------
        IncrementError
            If a shape or type is wrong.
        """
        points_m = _floats(self.points_m, f"{name}: points_m")
        if points_m.ndim != 2 or points_m.shape[1] != 3:
            raise IncrementError(f"{name}: points_m has shape {points_m.shape}; allowed: (n, 3)")
        pose = None if self.pose is None else _floats(self.pose, f"{name}: pose")
        if pose is not None and pose.shape != _POSE_SHAPE:
            raise IncrementError(f"{name}: pose has shape {pose.shape}; allowed: (x, y, z, yaw)")
        stamp: Any = self.stamp_ns
        if isinstance(stamp, bool) or not isinstance(stamp, int | np.integer):
            raise IncrementError(f"{name}: stamp_ns is {stamp!r}; allowed: a whole number")
        return points_m, pose, int(stamp)


def _floats(values: Any, what: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiu":
            raise TypeError
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise IncrementError(f"{what} is not an array of numbers") from None


def input_digest(
    points_m: NDArray[np.float64], pose: NDArray[np.float64] | None, stamp_ns: int
) -> str:
    """Return the SHA-256 of a frame: its points, pose and stamp as little-endian doubles and int.

    The same on every machine; the digest of a frame without a pose leaves the pose out.
    """
    digest = hashlib.sha256(points_m.astype("<f8", copy=False).data)
    if pose is not None:
        digest.update(pose.astype("<f8", copy=False).data)
    digest.update(stamp_ns.to_bytes(16, "little", signed=True))
    return digest.hexdigest()


def why_refused(points_m: NDArray[np.float64], pose: NDArray[np.float64] | None) -> str:
    """Say which number of a frame the core refuses; empty where it is none of these."""
    bad = ~(np.abs(points_m) <= _FAR_M)
    if bad.any():
        row, col = (int(index) for index in np.argwhere(bad)[0])
        value = float(points_m[row, col])
        return f"point {row} has {'xyz'[col]} = {value} m; allowed: finite, within {_FAR_M:.0f} m"
    if pose is not None and not (np.abs(pose[:3]) <= _FAR_M).all():
        return f"pose is {pose.tolist()}; allowed: finite, within {_FAR_M:.0f} m"
    if pose is not None and not abs(pose[3]) <= 5e5:
        return f"yaw is {float(pose[3])} rad; allowed: finite, within 5e5"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingBounds:
    """What a rolling map keeps; the defaults are the declared figures.

    Attributes
    ----------
    voxel_m : float
        Side of a voxel, 0.01 to 10 m.
    radius_m : float
        A cell whose centre lies farther from the pose leaves; up to 100 m and 256 voxels.
    hold_s : float
        How long a current component keeps its identity after it was last seen.
    retention_s : float
        How long a cell is kept after its last hit; at least `hold_s`.
    jump_m, jump_rad : float
        A pose farther from the last one, or turned further, clears the map.
    low_m, high_m : float
        Points between these heights over the pose are qualified; all unless told.
    cell_limit : int
        Most active cells; a frame that does not fit is refused.
    component_cell_limit : int
        Most cells of a component; a larger one is split.
    component_limit : int
        Most components of a kind; those beyond are kept together as one.
    point_minimum : int
        Fewest points within the hold that are geometry.
    """

    voxel_m: float = lib.kw_rolling_declared.voxel_um / 1e6
    radius_m: float = lib.kw_rolling_declared.radius_um / 1e6
    hold_s: float = lib.kw_rolling_declared.hold_ns / 1e9
    retention_s: float = lib.kw_rolling_declared.retention_ns / 1e9
    jump_m: float = lib.kw_rolling_declared.jump_um / 1e6
    jump_rad: float = lib.kw_rolling_declared.jump_urad / 1e6
    low_m: float = lib.kw_rolling_declared.low_um / 1e6
    high_m: float = lib.kw_rolling_declared.high_um / 1e6
    cell_limit: int = lib.kw_rolling_declared.cell_limit
    component_cell_limit: int = lib.kw_rolling_declared.component_cell_limit
    component_limit: int = lib.kw_rolling_declared.component_limit
    point_minimum: int = lib.kw_rolling_declared.point_minimum

    def to_dict(self) -> dict[str, int]:
        """Return the bounds as whole numbers, as in `kw_rolling_bounds`: what a ledger records.

        Raises
        ------
        OptionError
            If a value is no finite number.
        """
        return {_whole_name(field.name): _whole(field.name, self) for field in fields(self)}

    def to_c(self) -> Any:
        """Return the C struct."""
        whole = self.to_dict()
        try:
            return ffi.new("kw_rolling_bounds *", whole)
        except OverflowError:
            raise OptionError(f"{self} has a bound beyond 64 bits") from None


_UNITS: Final = {"_m": ("_um", 1e6), "_s": ("_ns", 1e9), "_rad": ("_urad", 1e6)}


def _whole_name(name: str) -> str:
    for suffix, (unit, _) in _UNITS.items():
        if name.endswith(suffix):
            return name[: -len(suffix)] + unit
    return name


def _whole(name: str, bounds: RollingBounds) -> int:
    value = getattr(bounds, name)
    factor = next((by for suffix, (_, by) in _UNITS.items() if name.endswith(suffix)), 1)
    try:
        whole: int = round(value * factor)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{name} is {value!r}; allowed: a finite number") from None
    if factor == 1 and whole != value:
        raise OptionError(f"{name} is {value!r}; allowed: a whole number")
    return whole
