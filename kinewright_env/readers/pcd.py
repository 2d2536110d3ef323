"""PCD files (Point Cloud Library, format 0.7), ascii and binary, one frame each.

The pose is the header's VIEWPOINT, or that of `--poses`; points are in `map` unless told. A
point with NaN is a missing return there, dropped and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordingError
from ..grids.increment import RegisteredIncrement
from .poses import Matrix, from_quaternion, one_each, placed, pose_of, read_poses, stamps_of
from .recording import FRAME_LIMIT_POINTS, Options, read_file, without_missing

HEADER_LIMIT_BYTES: Final = 65_536
_TYPES: Final = {
    **{("F", size): f"<f{size}" for size in (4, 8)},
    **{("I", size): f"<i{size}" for size in (1, 2, 4, 8)},
    **{("U", size): f"<u{size}" for size in (1, 2, 4, 8)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """Names and types of a point's fields, how many points, their form, and the pose."""

    dtype: np.dtype[Any]
    columns: dict[str, int]  # of x, y, z among the words of an ascii line
    n_words: int
    n_points: int
    form: str
    viewpoint: Matrix


def open_frames(paths: Sequence[Path], options: Options) -> PcdFrames:
    """Return the recording of PCD files, in the order given."""
    return PcdFrames(paths, options)


class PcdFrames:
    """The frames of several `.pcd` files."""

    def __init__(self, paths: Sequence[Path], options: Options) -> None:
        self.name = f"{paths[0].name} and {len(paths) - 1} more" if paths[1:] else paths[0].name
        self.n_frames = len(paths)
        self.dropped_points = 0
        self._paths = list(paths)
        self._in_sensor = options.in_sensor("map")
        self._stamps_ns = stamps_of(options, len(paths))
        self._poses: list[Matrix | None] = [None] * len(paths)
        if options.poses is not None:
            poses = read_poses(options.poses, options.calibration)
            self._poses = one_each(list(poses), len(paths), options.poses, "poses")

    def frames(self) -> Iterator[RegisteredIncrement]:
        """Yield the frames in their order."""
        for path, given, stamp_ns in zip(self._paths, self._poses, self._stamps_ns, strict=True):
            points_m, viewpoint = read_pcd(read_file(path), repr(str(path)))
            pose = viewpoint if given is None else given
            points_m, n_missing = without_missing(points_m)
            self.dropped_points += n_missing
            points_m = placed(points_m, pose) if self._in_sensor else points_m
            yield RegisteredIncrement(points_m, pose_of(pose), stamp_ns)


def read_pcd(data: bytes, where: str) -> tuple[NDArray[np.float64], Matrix]:
    """Return the points of a PCD file, (n, 3) metres, and its viewpoint.

    Raises
    ------
    RecordingError
        If it is not as the format says.
    """
    words, start = _header_words(data, where)
    header = _header(words, where)
    if header.form == "binary":
        n_bytes = header.n_points * header.dtype.itemsize
        if len(data) - start < n_bytes:
            raise RecordingError(f"{where}: cut short: {len(data) - start} bytes of {n_bytes}")
        rows = np.frombuffer(data, header.dtype, header.n_points, start)
        columns = [rows[name].astype(np.float64) for name in "xyz"]
        return np.stack(columns, axis=1), header.viewpoint
    return _ascii_points(data[start:], header, where), header.viewpoint


def _header_words(data: bytes, where: str) -> tuple[dict[str, list[str]], int]:
    """Return the header's lines as words by their first, and where the points begin."""
    words: dict[str, list[str]] = {}
    start = 0
    while "DATA" not in words:
        end = data.find(b"\n", start, start + HEADER_LIMIT_BYTES)
        if end < 0 or end > HEADER_LIMIT_BYTES:
            raise RecordingError(f"{where}: no PCD: its header has no line DATA")
        line = data[start:end].decode("ascii", "replace").split()
        start = end + 1
        if line and not line[0].startswith("#"):
            words[line[0].upper()] = line[1:]
    return words, start


def _header(words: dict[str, list[str]], where: str) -> _Header:
    names = words.get("FIELDS", [])
    n = len(names)
    try:
        sizes = [int(word) for word in words["SIZE"]]
        counts = [int(word) for word in words.get("COUNT", ["1"] * n)]
        (n_points,) = (int(word) for word in words["POINTS"])
        view = [float(word) for word in words.get("VIEWPOINT", ["0", "0", "0", "1", "0", "0", "0"])]
        (form,) = words["DATA"]
        kinds = words["TYPE"]
    except (KeyError, ValueError) as error:
        raise RecordingError(f"{where}: a line of the header is missing or odd: {error}") from None
    if form not in ("ascii", "binary"):
        raise RecordingError(f"{where}: DATA {form[:40]!r}; allowed: ascii, binary")
    if not (len(sizes) == len(counts) == len(kinds) == n) or len(view) != 7:
        raise RecordingError(f"{where}: FIELDS, SIZE, TYPE, COUNT or VIEWPOINT of other lengths")
    if not 0 <= n_points <= FRAME_LIMIT_POINTS or not all(0 < c <= 4096 for c in counts):
        raise RecordingError(f"{where}: POINTS or COUNT out of range; at most {FRAME_LIMIT_POINTS}")
    types = [_TYPES.get((kind, size)) for kind, size in zip(kinds, sizes, strict=True)]
    fields, columns, at = [], {}, 0
    for index, (name, kind, count) in enumerate(zip(names, types, counts, strict=True)):
        if kind is None:
            raise RecordingError(f"{where}: field {name[:40]!r} is of an unknown type")
        wanted = name in ("x", "y", "z") and count == 1 and name not in columns
        fields.append((name if wanted else f"field {index}", kind, (count,) if count > 1 else ()))
        if wanted:
            columns[name] = at
        at += count
    if set(columns) != {"x", "y", "z"}:
        raise RecordingError(f"{where}: has no fields x, y and z")
    return _Header(
        dtype=np.dtype(fields),
        columns=columns,
        n_words=at,
        n_points=n_points,
        form=form,
        viewpoint=from_quaternion(view[:3], view[3:], where),
    )


def _ascii_points(data: bytes, header: _Header, where: str) -> NDArray[np.float64]:
    lines = data.split(b"\n", header.n_points)[: header.n_points]
    rows = [line.split() for line in lines]
    if len(rows) < header.n_points or any(len(row) != header.n_words for row in rows):
        raise RecordingError(f"{where}: not {header.n_points} lines of {header.n_words} numbers")
    picks = [header.columns[name] for name in "xyz"]
    try:
        points = [[float(row[pick]) for pick in picks] for row in rows]
    except ValueError as error:
        raise RecordingError(f"{where}: {error}") from None
    return np.array(points, dtype=np.float64).reshape(-1, 3)
