"""Recordings of registered increments, read frame by frame and executing nothing in them.

| file | is |
|---|---|
| `.npz` | packed increments, or plain arrays; see `packed` |
| `.pcd` | one frame each, ascii or binary; see `pcd` |
| `.bin` | one frame each, KITTI velodyne; see `kitti` |
| `.bag`, `.mcap`, `.db3` | ROS 1 and 2 bags, by the extra `bags`; see `bags` |
| a folder | its `.pcd`, `.bin`, `.mcap` or `.db3` files, by name |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ..errors import RecordingError, allowed
from . import bags, kitti, packed, pcd
from .recording import Options, Recording

__all__ = ["Options", "Recording", "open_recording"]

# In this order a folder is looked through.
_FORMATS: Final[dict[str, Callable[[Sequence[Path], Options], Recording]]] = {
    ".pcd": pcd.open_frames,
    ".bin": kitti.open_frames,
    ".mcap": bags.open_bags,
    ".db3": bags.open_bags,
    ".bag": bags.open_bags,
    ".npz": packed.open_packed,
}


def open_recording(paths: Sequence[Path], options: Options | None = None) -> Recording:
    """Return a recording of one or more files of one kind, in the order given.

    Parameters
    ----------
    paths : sequence of Path
        Files, or one folder.
    options : Options, optional
        What the files do not say.

    Raises
    ------
    RecordingError
        If a file is absent, of an unknown kind, or not as its format says; further faults are
        raised as its frame is read.
    """
    files = _in_folder(paths[0]) if len(paths) == 1 and paths[0].is_dir() else list(paths)
    if not files:
        raise RecordingError("no file is given; allowed: files of one kind, or a folder")
    kinds = {file.suffix.lower() for file in files}
    if len(kinds) > 1:
        raise RecordingError(f"files of several kinds: {', '.join(sorted(kinds))}; allowed: one")
    (kind,) = kinds
    if kind not in _FORMATS:
        raise RecordingError(f"{str(files[0])!r}: unknown kind {kind!r}; {allowed(kind, _FORMATS)}")
    return _FORMATS[kind](files, options or Options())


def _in_folder(folder: Path) -> list[Path]:
    for kind in _FORMATS:
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() == kind)
        if files:
            return files
    raise RecordingError(f"{str(folder)!r}: holds no {', '.join(_FORMATS)}")
