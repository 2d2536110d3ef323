"""What a reader gives: frames in their order, and what was left out of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from ..grids.increment import RegisteredIncrement

FRAME_LIMIT_POINTS: Final = 2**24
FILE_LIMIT_BYTES: Final = 2**29  # of one frame: 16 million points of 32 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the files of a recording do not say.

    Attributes
    ----------
    points_in : "map", "sensor" or None
        The frame of reference of the points; None is the format's own.
    poses : Path, optional
        A text file with a pose a frame: twelve numbers (the upper rows of a 4 x 4 matrix, as
        KITTI has it).
    calibration : Path, optional
        A KITTI `calib.txt` whose `Tr` leads from the velodyne to the camera of the poses.
    stamps : Path, optional
        A text file with seconds, one a frame.
    rate_hz : float
        Of frames without stamps.
    cloud_topic, pose_topic : str, optional
        Of a bag. Poses are of Odometry, PoseStamped or PoseWithCovarianceStamped.
    pose_tolerance_s : float
        A cloud of a bag takes the pose nearest in time, up to this.
    """

    points_in: str | None = None
    poses: Path | None = None
    calibration: Path | None = None
    stamps: Path | None = None
    rate_hz: float = 10.0
    cloud_topic: str | None = None
    pose_topic: str | None = None
    pose_tolerance_s: float = 0.05

    def in_sensor(self, own: str) -> bool:
        """Return whether points are in the sensor's frame, where the format's own is `own`."""
        return (self.points_in or own) == "sensor"


class Recording(Protocol):
    """Frames of a recording.

    `n_frames` is how many there are; `dropped_points` how many points without a finite
    coordinate were left out so far, where the format marks missing returns so.
    """

    name: str
    n_frames: int
    dropped_points: int

    def frames(self) -> Iterator[RegisteredIncrement]:
        """Yield the frames in their order."""


def read_file(path: Path, limit: int = FILE_LIMIT_BYTES) -> bytes:
    """Return a regular file's bytes, its size believed only after a look.

    Raises
    ------
    RecordingError
        If it cannot be read or is larger than the limit.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1) if path.is_file() else None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise RecordingError(f"{str(path)!r}: cannot be read: {reason}") from None
    if data is None:
        raise RecordingError(f"{str(path)!r}: not a file")
    if len(data) > limit:
        raise RecordingError(f"{str(path)!r}: larger than {limit} bytes")
    return data


def without_missing(points_m: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Return the points whose coordinates are finite, and how many are not."""
    whole = np.isfinite(points_m).all(axis=1)
    n_missing = len(points_m) - int(np.count_nonzero(whole))
    return (points_m[whole], n_missing) if n_missing else (points_m, 0)
