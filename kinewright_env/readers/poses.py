"""Poses and stamps of a recording: matrices, quaternions, text files; exact functions only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from ..grids import atan2
from .recording import Options, read_file

TEXT_LIMIT_BYTES: Final = 100_000_000
RIGID_TOLERANCE: Final = 1e-3
"""How far the rows of a rotation may be from unit length and from square."""

Matrix = NDArray[np.float64]  # (4, 4), from the sensor to the map


def pose_of(matrix: Matrix) -> tuple[float, float, float, float]:
    """Return x, y, z in metres and the yaw of a matrix."""
    yaw_rad = float(atan2(matrix[1, 0], matrix[0, 0]))
    return float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3]), yaw_rad


def placed(points_m: NDArray[np.float64], matrix: Matrix) -> NDArray[np.float64]:
    """Return points of the sensor in the map, summed in a fixed order."""
    x, y, z = points_m[:, 0], points_m[:, 1], points_m[:, 2]
    columns = [
        matrix[row, 0] * x + matrix[row, 1] * y + matrix[row, 2] * z + matrix[row, 3]
        for row in range(3)
    ]
    return np.stack(columns, axis=1)


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix that applies `b`, then `a`, summed in a fixed order."""
    result = np.zeros((4, 4))
    for k in range(4):
        result += a[:, k, None] * b[None, k, :]
    return result


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a rigid motion."""
    result = np.eye(4)
    turned = matrix[:3, :3].T
    result[:3, :3] = turned
    result[:3, 3] = -(
        turned[:, 0] * matrix[0, 3] + turned[:, 1] * matrix[1, 3] + turned[:, 2] * matrix[2, 3]
    )
    return result


def checked(matrix: Any, where: str) -> Matrix:
    """Return a matrix that is a rigid motion.

    Raises
    ------
    RecordingError
        If it is not finite, or turns no right-handed frame into one.
    """
    array: Matrix = np.asarray(matrix, dtype=np.float64)
    if not np.isfinite(array).all():
        raise RecordingError(f"{where}: a pose is not finite")
    turn = array[:3, :3]
    if np.abs(turn).max() > 1.0 + RIGID_TOLERANCE:  # and nothing below overflows
        raise RecordingError(f"{where}: a pose is no rigid motion")
    squares = np.array([[np.sum(a * b) for b in turn] for a in turn])
    right = np.array(
        [
            turn[0, 1] * turn[1, 2] - turn[0, 2] * turn[1, 1],
            turn[0, 2] * turn[1, 0] - turn[0, 0] * turn[1, 2],
            turn[0, 0] * turn[1, 1] - turn[0, 1] * turn[1, 0],
        ]
    )
    off = max(np.abs(squares - np.eye(3)).max(), np.abs(right - turn[2]).max())
    if off > RIGID_TOLERANCE or (array[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise RecordingError(f"{where}: a pose is no rigid motion")
    return array


def from_quaternion(place_m: Sequence[float], turn: Sequence[float], where: str) -> Matrix:
    """Return the matrix of a place x, y, z and a unit quaternion w, x, y, z.

    Raises
    ------
    RecordingError
        If a number is not finite, or the quaternion is far from unit length.
    """
    values = [float(value) for value in (*place_m, *turn)]
    square = sum(value * value for value in values[3:])
    if not all(map(math.isfinite, values)) or abs(square - 1.0) > RIGID_TOLERANCE:
        raise RecordingError(f"{where}: a pose is not finite or its quaternion not of unit length")
    length = math.sqrt(square)
    w, x, y, z = (value / length for value in values[3:])
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, 3] = values[:3]
    return matrix


def read_poses(path: Path, calibration: Path | None) -> list[Matrix]:
    """Return the poses of a KITTI text file; in the velodyne's frame where it is calibrated.

    Without a calibration the file's own axes are taken as the map's: x, y level and z up.
    """
    poses = [_matrix(values, where) for values, where in _rows(path, 12)]
    if calibration is None:
        return poses
    to_camera = _calibration(calibration)
    back = inverse(to_camera)
    return [product(back, product(pose, to_camera)) for pose in poses]


def _matrix(values: Sequence[float], where: str) -> Matrix:
    return checked([values[0:4], values[4:8], values[8:12], [0.0, 0.0, 0.0, 1.0]], where)


def _calibration(path: Path) -> Matrix:
    for number, line in enumerate(_lines(path), start=1):
        name, _, rest = line.partition(":")
        if name.strip() in ("Tr", "Tr_velo_to_cam"):
            where = f"{str(path)!r}, line {number}"
            return _matrix(_numbers(rest, 12, where), where)
    raise RecordingError(f"{str(path)!r}: has no line 'Tr:', from the velodyne to the camera")


def stamps_of(options: Options, n_frames: int) -> list[int]:
    """Return the stamps of frames that carry none, nanoseconds: of the file, or by the rate."""
    if options.stamps is None:
        if not (math.isfinite(options.rate_hz) and options.rate_hz > 0.0):
            raise RecordingError(f"rate_hz is {options.rate_hz!r}; allowed: above 0")
        return [round(index * 1_000_000_000 / options.rate_hz) for index in range(n_frames)]
    stamps = []
    for number, line in enumerate(_lines(options.stamps), start=1):
        if line.strip():
            stamps.append(_nanoseconds(line.strip(), f"{str(options.stamps)!r}, line {number}"))
    return one_each(stamps, n_frames, options.stamps, "stamps")


def _nanoseconds(text: str, where: str) -> int:
    try:
        value = Decimal(text)
        if not value.is_finite() or abs(value) > 10**10:
            raise InvalidOperation
        return round(value * 1_000_000_000)
    except InvalidOperation:
        raise RecordingError(f"{where}: {text[:40]!r} is no time in seconds") from None


def one_each(items: list[Any], n_frames: int, path: Path, what: str) -> list[Any]:
    """Return the items where there is one for each frame.

    Raises
    ------
    RecordingError
        If there are more or fewer.
    """
    if len(items) != n_frames:
        raise RecordingError(f"{str(path)!r}: {len(items)} {what} for {n_frames} frames")
    return items


def _rows(path: Path, n: int) -> list[tuple[list[float], str]]:
    rows = []
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            where = f"{str(path)!r}, line {number}"
            rows.append((_numbers(line, n, where), where))
    return rows


def _lines(path: Path) -> list[str]:
    try:
        return read_file(path, TEXT_LIMIT_BYTES).decode("ascii").splitlines()
    except UnicodeDecodeError:
        raise RecordingError(f"{str(path)!r}: not a text of numbers") from None


def _numbers(text: str, n: int, where: str) -> list[float]:
    try:
        values = [float(part) for part in text.split()]
    except ValueError:
        values = []
    if len(values) != n or not all(map(math.isfinite, values)):
        raise RecordingError(f"{where}: not {n} finite numbers")
    return values
