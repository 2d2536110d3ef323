"""Increments packed in one `.npz`: arrays of all frames, one after the other.

| array | shape | is |
|---|---|---|
| `xyz_mm` and `scale` | (N, 3) integers, a number | x, y, z; times `scale` they are metres |
| or `points_m` | (N, 3) | x, y, z in metres |
| `offset` | (n + 1,) | frame i is rows `offset[i]` to `offset[i + 1]` |
| `pose` | (n, 4, 4) or (n, 4) | from the sensor to `map`, or x, y, z, yaw |
| `stamp` | (n,) | seconds |
| or `stamp_ns` | (n,) integers | nanoseconds |

A row of `pose` of NaN alone is a frame without a pose. Points are in `map`, unless told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from ..grids.increment import RegisteredIncrement
from .npz_arrays import read_arrays
from .poses import checked, placed, pose_of
from .recording import Options

_NAMES: Final = ("xyz_mm", "scale", "points_m", "offset", "pose", "stamp", "stamp_ns")


def open_packed(paths: Sequence[Path], options: Options) -> Packed:
    """Return the recording of one packed file.

    Raises
    ------
    RecordingError
        If there are several files, or arrays are missing or do not fit together.
    """
    if len(paths) > 1:
        raise RecordingError(f"{len(paths)} files; allowed: one .npz, which holds all frames")
    return Packed(paths[0], options)


class Packed:
    """The frames of one `.npz`."""

    def __init__(self, path: Path, options: Options) -> None:
        self.name = path.name
        self.dropped_points = 0
        self._where = repr(str(path))
        self._in_sensor = options.in_sensor("map")
        arrays = read_arrays(path, _NAMES)
        self._points = self._taken(arrays, "xyz_mm" if "xyz_mm" in arrays else "points_m", "fiu")
        self._scale_m = self._scale(arrays)
        self._offset = self._taken(arrays, "offset", "iu")
        self._pose = self._taken(arrays, "pose", "f")
        self._stamps_ns = self._stamps(arrays)
        self.n_frames = len(self._offset) - 1
        self._check()

    def _taken(self, arrays: dict[str, NDArray[Any]], name: str, kinds: str) -> NDArray[Any]:
        if name not in arrays:
            raise RecordingError(f"{self._where}: has no array {name!r}")
        if arrays[name].dtype.kind not in kinds:
            raise RecordingError(f"{self._where}: {name} is of type {arrays[name].dtype}")
        return arrays[name]

    def _scale(self, arrays: dict[str, NDArray[Any]]) -> float:
        if "xyz_mm" not in arrays:
            return 1.0
        scale = self._taken(arrays, "scale", "f")
        if scale.size != 1 or not 0.0 < float(scale.reshape(())) < 1e3:
            raise RecordingError(f"{self._where}: scale is no number from 0 to 1,000")
        return float(scale.reshape(()))

    def _stamps(self, arrays: dict[str, NDArray[Any]]) -> list[int]:
        if "stamp_ns" in arrays:
            return [int(stamp) for stamp in self._taken(arrays, "stamp_ns", "iu").ravel()]
        stamps = self._taken(arrays, "stamp", "f").ravel()
        if not (np.abs(stamps) < 1e10).all():
            raise RecordingError(f"{self._where}: a stamp is not finite, or beyond 1e10 s")
        return [round(float(stamp) * 1e9) for stamp in stamps]

    def _check(self) -> None:
        n = self.n_frames
        if self._points.ndim != 2 or self._points.shape[1] != 3:
            raise RecordingError(f"{self._where}: points have shape {self._points.shape}")
        offset = self._offset
        if offset.ndim != 1 or n < 0:
            raise RecordingError(f"{self._where}: offset has shape {offset.shape}")
        inside = offset[0] == 0 and offset[-1] == len(self._points)
        if not inside or (offset[1:] < offset[:-1]).any():
            raise RecordingError(f"{self._where}: offset does not part {len(self._points)} points")
        if self._pose.shape not in ((n, 4, 4), (n, 4)) or len(self._stamps_ns) != n:
            raise RecordingError(
                f"{self._where}: pose has shape {self._pose.shape}, and there are "
                f"{len(self._stamps_ns)} stamps, for {n} frames"
            )
        if self._in_sensor and self._pose.ndim == 2:
            raise RecordingError(f"{self._where}: points of a sensor need poses of 4 x 4")

    def frames(self) -> Iterator[RegisteredIncrement]:
        """Yield the frames in their order."""
        bounds = self._offset.tolist()
        for index, stamp_ns in enumerate(self._stamps_ns):
            points_m = self._points[bounds[index] : bounds[index + 1]] * self._scale_m
            points_m = points_m.astype(np.float64, copy=False)
            pose = self._pose[index]
            if np.isnan(pose).all():
                yield RegisteredIncrement(points_m, None, stamp_ns)
            elif pose.ndim == 1:
                x_m, y_m, z_m, yaw_rad = pose.tolist()
                yield RegisteredIncrement(points_m, (x_m, y_m, z_m, yaw_rad), stamp_ns)
            else:
                matrix = checked(pose, f"{self._where}, frame {index}")
                points_m = placed(points_m, matrix) if self._in_sensor else points_m
                yield RegisteredIncrement(points_m, pose_of(matrix), stamp_ns)
