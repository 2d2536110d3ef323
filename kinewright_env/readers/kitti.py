"""KITTI velodyne frames: files of float32 x, y, z, reflectance, in the sensor's frame.

Poses come in a text file of twelve numbers a frame, of a camera where `calib.txt` says so,
and stamps in `times.txt`; see `Options`. (Geiger et al., Vision meets Robotics: The KITTI
Dataset, 2013.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ..errors import RecordingError
from ..grids.increment import RegisteredIncrement
from .poses import one_each, placed, pose_of, read_poses, stamps_of
from .recording import Options, read_file

POINT_BYTES: Final = 16


def open_frames(paths: Sequence[Path], options: Options) -> KittiFrames:
    """Return the recording of velodyne files, in the order given.

    Raises
    ------
    RecordingError
        If there are no poses, or not one a file.
    """
    return KittiFrames(paths, options)


class KittiFrames:
    """The frames of several `.bin` files."""

    def __init__(self, paths: Sequence[Path], options: Options) -> None:
        if options.poses is None:
            raise RecordingError(f"{str(paths[0])!r}: a .bin has no pose; give --poses FILE")
        self.name = f"{paths[0].name} and {len(paths) - 1} more" if paths[1:] else paths[0].name
        self.n_frames = len(paths)
        self.dropped_points = 0
        self._paths = list(paths)
        self._in_sensor = options.in_sensor("sensor")
        poses = read_poses(options.poses, options.calibration)
        self._poses = one_each(poses, len(paths), options.poses, "poses")
        self._stamps_ns = stamps_of(options, len(paths))

    def frames(self) -> Iterator[RegisteredIncrement]:
        """Yield the frames in their order."""
        for path, pose, stamp_ns in zip(self._paths, self._poses, self._stamps_ns, strict=True):
            data = read_file(path)
            if len(data) % POINT_BYTES:
                raise RecordingError(
                    f"{str(path)!r}: {len(data)} bytes; allowed: {POINT_BYTES} for each point"
                )
            points_m = np.frombuffer(data, "<f4").reshape(-1, 4)[:, :3].astype(np.float64)
            if not np.isfinite(points_m).all():
                raise RecordingError(f"{str(path)!r}: a point is not finite")
            points_m = placed(points_m, pose) if self._in_sensor else points_m
            yield RegisteredIncrement(points_m, pose_of(pose), stamp_ns)
