"""Worlds from elsewhere as scenes. Nothing in a file is executed or followed out of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import OptionError, SceneError, allowed
from ..scene import Scene
from .barn import import_barn
from .map_server import import_map_server
from .moving_ai import import_moving_ai
from .request import Request

__all__ = ["import_map"]

_READERS: Final = {
    ".yaml": import_map_server,
    ".yml": import_map_server,
    ".map": import_moving_ai,
    ".txt": import_barn,
}


def import_map(
    path: str | Path,
    *,
    start: tuple[float, float, float] | None = None,
    goal: tuple[float, float] | None = None,
    cell_m: float | None = None,
    unknown: str | None = None,
    scenario: int | None = None,
) -> Scene:
    """Return a map file as a scene.

    Parameters
    ----------
    path : str or Path
        A ROS `map_server` YAML file, its image beside or below it; a `.map` of the Moving AI
        Lab; or a world of the BARN dataset as rows of text, `.txt`.
    start : (x m, y m, heading deg), optional
        Of `base_link` in `map`; left out, a free place of great clearance is chosen, or the
        task's own (of a scenario, of BARN).
    goal : (x m, y m), optional
        In `map`; left out, the scene has none, or the task's own.
    cell_m : float, optional
        Of Moving AI maps, which do not state the size of a cell: 0.1 m unless told.
    unknown : {"solid", "free"}, optional
        What cells are that a `map_server` map does not know; a solid unless told.
    scenario : int, optional
        Of a Moving AI map: the start and goal of this line of the `.scen` file beside it,
        counted from 1.

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
    if unknown not in (None, "solid", "free"):
        raise OptionError(f"unknown: {unknown!r}: {allowed(unknown, ('solid', 'free'))}")
    for name, values, count in (("start", start, 3), ("goal", goal, 2)):
        if values is not None and len(values) != count:
            raise OptionError(f"{name}: {values!r}: must be {count} numbers")
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise SceneError(f"{str(path)!r}: no map format: {allowed(file.suffix, _READERS)}")
    request = Request(start=start, goal=goal, cell_m=cell_m, unknown=unknown, scenario=scenario)
    return reader(file, request)
