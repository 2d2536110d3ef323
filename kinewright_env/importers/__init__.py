"""Worlds from elsewhere as scenes. Nothing in a file is executed or followed out of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import OptionError, SceneError, allowed
from ..scene import Scene
from .map_server import import_map_server

__all__ = ["import_map"]

_READERS: Final = {".yaml": import_map_server, ".yml": import_map_server}


def import_map(
    path: str | Path,
    *,
    start: tuple[float, float, float] | None = None,
    goal: tuple[float, float] | None = None,
    cell_m: float | None = None,
    unknown: str = "solid",
) -> Scene:
    """Return a map file as a scene.

    Parameters
    ----------
    path : str or Path
        A ROS `map_server` YAML file, its image beside or below it.
    start : (x m, y m, heading deg), optional
        Of `base_link` in `map`; left out, a free place of great clearance is chosen.
    goal : (x m, y m), optional
        In `map`; left out, the scene has none.
    cell_m : float, optional
        For formats that do not state the size of a cell, which `map_server` maps do.
    unknown : {"solid", "free"}
        What cells are that the map does not know.

    Returns
    -------
    Scene
        Its `source` keeps the file's name and resolution, and how many cells became how
        many solids.

    Raises
    ------
    SceneError
        If the file is not as its format asks, or the start stands in a solid.
    OptionError
        For an argument that is not allowed.
    DependencyNotInstalled
        For a PNG where pillow is not installed.
    """
    if unknown not in ("solid", "free"):
        raise OptionError(f"unknown: {unknown!r}: {allowed(unknown, ('solid', 'free'))}")
    for name, values, count in (("start", start, 3), ("goal", goal, 2)):
        if values is not None and len(values) != count:
            raise OptionError(f"{name}: {values!r}: must be {count} numbers")
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise SceneError(f"{str(path)!r}: no map format: {allowed(file.suffix, _READERS)}")
    return reader(file, start=start, goal=goal, cell_m=cell_m, unknown=unknown)
