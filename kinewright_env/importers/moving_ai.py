"""Grid maps of the Moving AI Lab: `.map` files, with `.map.scen` for starts and goals.

Format: N. R. Sturtevant, Benchmarks for grid-based pathfinding, IEEE Transactions on
Computational Intelligence and AI in Games 4(2), 2012. Cell (0, 0) is the upper left one
there, so y is turned round here. The map's edge is closed by a ring of solid cells: there,
no way leads out of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, SceneError, allowed
from ..options import number
from ..scene import Scene
from ..scene_check import read_scene
from ..scene_place import start_faults
from .files import read_bytes
from .images import CELLS_LIMIT, FILE_LIMIT_BYTES
from .lattice import TIME_LIMIT_S, Lattice, pose_table, printable
from .request import Request

CELL_M: Final = 0.1
"""A cell's size unless told (api.md)."""
CELL_LEAST_M: Final = 1e-3
CELL_MOST_M: Final = 10.0
FREE: Final = ".GS"
"""Ground, and swamp, which is free from ground."""
SOLID: Final = "@OTW"
"""Out of bounds, trees, water."""

_HEADER: Final = re.compile(r"type octile\nheight (\d{1,9})\nwidth (\d{1,9})\nmap")
_CELL: Final = re.compile(r"\d{1,9}")
_LENGTH: Final = re.compile(r"\d{1,9}(\.\d{1,12})?")


class Scenario(NamedTuple):
    """One line of a `.scen` file: cells, and the length of the best way in cells."""

    start_x: int
    start_y: int
    goal_x: int
    goal_y: int
    length: float


def import_moving_ai(path: Path, request: Request) -> Scene:
    """Return a `.map` file as a scene; see `import_map`.

    Raises
    ------
    SceneError
        If a file is not as its format asks, or the start stands in a solid.
    OptionError
        For an argument that is not allowed.
    """
    request.refuse(path, {"unknown": "has no unknown cells"})
    cell_m = CELL_M
    if request.cell_m is not None:
        cell_m = number("cell_m", request.cell_m, CELL_LEAST_M, CELL_MOST_M)
    solid = read_map(path)
    rows, columns = solid.shape
    lattice = Lattice(cell_m=cell_m, x_m=-cell_m, y_m=-cell_m)  # of the ring's corner
    ringed = np.pad(solid, 1, constant_values=True)
    boxes = lattice.boxes(ringed, str(path))
    source: dict[str, str | float] = {
        "format": "moving_ai",
        "name": printable(path.name),
        "resolution": cell_m,
        "columns": columns,
        "rows": rows,
        "occupied": int(solid.sum()),
        "closed_around": int(ringed.sum() - solid.sum()),
        "solids": len(boxes),
    }
    table: dict[str, Any] = {
        "format": 1,
        "name": printable(path.stem),
        "title": f"Map of {columns} x {rows} cells of {cell_m:g} m",
        "time_limit_s": TIME_LIMIT_S,
        "source": source,
        "box": boxes,
    }
    if request.scenario is not None:
        scenario = read_scenario(path, request.scenario, solid)
        source["scenario"], source["length"] = request.scenario, scenario.length
        start_row, goal_row = rows - scenario.start_y, rows - scenario.goal_y  # counted in the ring
        starts = list(lattice.starts_in(~ringed, start_row, scenario.start_x + 1))
        table["start"] = _standing(table, starts, str(path))
        table["goal"] = dict(
            zip("xy", lattice.place(scenario.goal_x + 1.5, goal_row + 0.5), strict=True)
        )
    if request.start is not None:
        table["start"] = pose_table(request.start)
    if request.goal is not None:
        table["goal"] = dict(zip("xy", request.goal, strict=True))
    if "start" not in table:
        table["start"] = lattice.open_start(~ringed, path)
    return Scene.from_dict(table, str(path))


def _standing(table: dict[str, Any], starts: list[dict[str, float]], file: str) -> dict[str, float]:
    """Return the first start at which the body stands free, the first of all where none is."""
    for start in starts:
        scene = Scene(**read_scene({**table, "start": start}, file))
        if not any(start_faults(scene)):
            return start
    return starts[0]


def read_map(path: Path) -> NDArray[np.bool_]:
    """Return which cells of a `.map` file are solid, the lowest row first.

    Raises
    ------
    SceneError
        With file, line and what is allowed.
    """
    lines = _lines(path)
    header = _HEADER.fullmatch("\n".join(line.strip() for line in lines[:4]))
    if header is None:
        raise SceneError(
            f"{path}: not a map: must begin with the lines 'type octile', 'height H', 'width W', "
            "'map'"
        )
    rows, columns = int(header[1]), int(header[2])
    if not (rows > 0 and columns > 0 and rows * columns <= CELLS_LIMIT):
        raise SceneError(f"{path}: {columns} x {rows} cells: must be 1 to {CELLS_LIMIT} in all")
    body = lines[4:]
    while body and not body[-1]:
        body.pop()
    if len(body) != rows:
        raise SceneError(f"{path}: {len(body)} rows: the header says {rows}")
    for i, line in enumerate(body, 5):
        if len(line) != columns:
            raise SceneError(f"{path}: line {i}: {len(line)} cells: the header says {columns}")
    cells = np.frombuffer("".join(body).encode("ascii", "replace"), np.uint8)
    odd = np.flatnonzero(~np.isin(cells, list((FREE + SOLID).encode("ascii"))))
    if len(odd):
        row, column = divmod(int(odd[0]), columns)
        sign = body[row][column]
        raise SceneError(f"{path}: line {row + 5}: cell {sign!r}: {allowed(sign, FREE + SOLID)}")
    solid: NDArray[np.bool_] = ~np.isin(cells, list(FREE.encode("ascii")))
    return solid.reshape(rows, columns)[::-1]


def read_scenario(path: Path, which: int, solid: NDArray[np.bool_]) -> Scenario:
    """Return a scenario of the file beside a map, counted from 1.

    Parameters
    ----------
    path : Path
        The map's; the scenarios' has `.scen` behind it.
    which : int
        Which one.
    solid : (rows, columns) bool
        The map's cells, the lowest row first.

    Raises
    ------
    SceneError
        If the file is not as its format asks, or is of a map of another size.
    OptionError
        If there is no such scenario.
    """
    file = path.with_name(f"{path.name}.scen")
    lines = _lines(file)
    if not lines or lines[0].split() not in (["version", "1"], ["version", "1.0"]):
        raise SceneError(f"{file}: no scenarios: must begin with the line 'version 1'")
    numbered = [(i, line) for i, line in enumerate(lines[1:], 2) if line.strip()]
    if not 1 <= which <= len(numbered):
        raise OptionError(f"scenario: {which}: {file.name} has 1 to {len(numbered)}")
    i, line = numbered[which - 1]
    where, fields = f"{file}: line {i}", line.split()
    if len(fields) != 9:
        raise SceneError(f"{where}: {len(fields)} fields: must be nine")
    rows, columns = solid.shape
    if fields[2:4] != [str(columns), str(rows)]:
        size = " x ".join(field[:20] for field in fields[2:4])
        raise SceneError(f"{where}: of a map of {size} cells: this has {columns} x {rows}")
    start_x, start_y, goal_x, goal_y = (
        int(field) if _CELL.fullmatch(field) else -1 for field in fields[4:8]
    )
    for name, x, y in (("start", start_x, start_y), ("goal", goal_x, goal_y)):
        if not (0 <= x < columns and 0 <= y < rows) or solid[rows - 1 - y, x]:
            raise SceneError(f"{where}: {name} ({x}, {y}): must be a free cell of the map")
    if not _LENGTH.fullmatch(fields[8]):
        raise SceneError(f"{where}: length {fields[8][:60]!r}: must be a number")
    return Scenario(start_x, start_y, goal_x, goal_y, float(fields[8]))


def _lines(path: Path) -> list[str]:
    data = read_bytes(path, FILE_LIMIT_BYTES)
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: byte {error.start}: not text in UTF-8") from None
