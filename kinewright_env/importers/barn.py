"""Worlds of the BARN dataset, as rows of text: a post for each filled cell.

The dataset: D. Perille, A. Truong, X. Xiao, P. Stone, Benchmarking metric ground navigation,
SSRR 2020. The file: the world's number, a line of figures, a line of the dataset's own path,
``map``, and the rows from the top: `#` a cylinder, `:` a place without one that nothing
reaches, `.` free. The task is the challenge's: from (-2.25, 3) up, to a place 10 m ahead,
reached within 1 m and 100 s.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from ..errors import SceneError, allowed
from ..scene import Scene
from ..scene_check import read_scene
from ..scene_truth import truth_of
from .files import read_bytes
from .lattice import DECIMALS, pose_table
from .request import Request

POST_HEIGHT_M: Final = 1.0
START: Final = (-2.25, 3.0, 90.0)
GOAL: Final = {"x": -2.25, "y": 13.0, "radius": 1.0}
TIME_LIMIT_S: Final = 100.0
FILE_LIMIT_BYTES: Final = 2**20
SIGNS: Final = "#:."

_FIGURE: Final = r"(-?\d{1,3}(?:\.\d{1,9})?)"
_HEADER: Final = re.compile(
    r"barn (\d{1,6})\ncolumns (\d{1,4}) rows (\d{1,4}) "
    rf"pitch {_FIGURE} radius {_FIGURE} first {_FIGURE} {_FIGURE}\npath(?: \d+,\d+)*\nmap"
)


def import_barn(path: Path, request: Request) -> Scene:
    """Return a world of BARN as a scene, its truth worked out; see `import_map`.

    Raises
    ------
    SceneError
        If the file is not as its format asks, or the start stands in a post.
    OptionError
        For an argument that the format has no use for.
    """
    reasons = {
        "cell_m": "states its own pitch",
        "unknown": "has no unknown cells",
        "scenario": "has no scenarios",
    }
    request.refuse(path, reasons)
    try:
        lines = read_bytes(path, FILE_LIMIT_BYTES).decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: byte {error.start}: not ASCII text") from None
    header = _HEADER.fullmatch("\n".join(lines[:4]))
    if header is None:
        raise SceneError(
            f"{path}: not a world of BARN: must begin with the lines 'barn N', 'columns N rows N "
            "pitch M radius M first X Y', 'path C,R ...', 'map'"
        )
    world, columns, rows = (int(header[i]) for i in (1, 2, 3))
    pitch_m, radius_m, x0_m, y0_m = (float(header[i]) for i in (4, 5, 6, 7))
    drawn = _rows(path, lines[4:], columns, rows)
    posts = [
        {
            "name": f"r{row}c{column}",
            "center": [round(x0_m + column * pitch_m, DECIMALS),
                       round(y0_m + row * pitch_m, DECIMALS)],
            "radius": radius_m,
            "height": POST_HEIGHT_M,
        }
        for row, line in enumerate(drawn)
        for column, sign in enumerate(line)
        if sign == "#"
    ]  # fmt: skip
    table: dict[str, Any] = {
        "format": 1,
        "name": f"barn_{world:03d}",
        "title": f"World {world} of the BARN dataset",
        "time_limit_s": TIME_LIMIT_S,
        "start": pose_table(request.start or START),
        "goal": GOAL if request.goal is None else dict(zip("xy", request.goal, strict=True)),
        "source": {
            "format": "barn",
            "name": path.name,
            "resolution": pitch_m,
            "columns": columns,
            "rows": rows,
            "occupied": len(posts),
            "enclosed": sum(line.count(":") for line in drawn),
            "solids": len(posts),
        },
        "post": posts,
    }
    table["truth"], gap_m = truth_of(Scene(**read_scene(table, str(path))))
    if gap_m is not None:
        table["truth_gap_m"] = gap_m
    return Scene.from_dict(table, str(path))


def _rows(path: Path, body: list[str], columns: int, rows: int) -> list[str]:
    """Return the rows of the map, the lowest first, checked."""
    while body and not body[-1]:
        body = body[:-1]
    if len(body) != rows:
        raise SceneError(f"{path}: {len(body)} rows: the header says {rows}")
    for number, line in enumerate(body, 5):
        if len(line) != columns:
            raise SceneError(f"{path}: line {number}: {len(line)} cells: the header says {columns}")
        odd = line.translate(dict.fromkeys(map(ord, SIGNS)))
        if odd:
            raise SceneError(f"{path}: line {number}: cell {odd[0]!r}: {allowed(odd[0], SIGNS)}")
    return body[::-1]
