"""Where the cells of a map lie in `map`, and the solids and the start that they make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, fmod, pi
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene_check import SOLIDS_LIMIT
from ..shells import SHELLS
from .merge import merge_cells
from .open_place import longest_ways, most_open_place

BOX_HEIGHT_M: Final = 0.40
TIME_LIMIT_S: Final = 600.0
DECIMALS: Final = 9
"""Places kept of metres and degrees: a nanometre, so that 3 cells of 0.05 m are 0.15 m."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """Square cells: the pose in `map` of the outer corner of cell (0, 0), rows growing with y.

    `cosine` and `sine` are of the yaw.
    """

    cell_m: float
    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0
    cosine: float = 1.0
    sine: float = 0.0

    def place(self, column: float, row: float) -> tuple[float, float]:
        """Return where in `map` a place of the grid lies, counted in cells from its corner."""
        along_m, up_m = column * self.cell_m, row * self.cell_m
        x_m = self.x_m + along_m * self.cosine - up_m * self.sine
        y_m = self.y_m + along_m * self.sine + up_m * self.cosine
        return round(x_m, DECIMALS), round(y_m, DECIMALS)

    def boxes(self, solid: NDArray[np.bool_], file: str) -> list[dict[str, Any]]:
        """Return the true cells, the lowest row first, as the boxes of a scene's table.

        Raises
        ------
        SceneError
            If there would be more than a scene may hold.
        """
        merged = merge_cells(solid)
        if len(merged) > SOLIDS_LIMIT:
            raise SceneError(f"{file}: {len(merged)} solids: at most {SOLIDS_LIMIT}")
        heading_deg = round(_degrees(self.yaw_rad), DECIMALS)
        boxes = []
        for row, row_end, column, column_end in merged.tolist():
            length_m = (column_end - column) * self.cell_m
            width_m = (row_end - row) * self.cell_m
            boxes.append(
                {
                    "name": f"r{row}c{column}",
                    "center": self.place((column + column_end) / 2, (row + row_end) / 2),
                    "size": (round(length_m, DECIMALS), round(width_m, DECIMALS)),
                    "heading_deg": heading_deg,
                    "height": BOX_HEIGHT_M,
                }
            )
        return boxes

    def open_start(self, free: NDArray[np.bool_], path: Path) -> dict[str, float]:
        """Return a pose at the most open place of the map.

        Raises
        ------
        SceneError
            If no place has room for the body.
        """
        room_m = max(shell.circumscribed_radius_m for shell in SHELLS.values())
        room_cells = ceil(room_m / self.cell_m + 0.75)  # 0.75: half a diagonal
        place = most_open_place(free, room_cells)
        if place is None:
            raise SceneError(f"{path}: no free place has room for the body; give a start")
        return self._pose(place.row, place.column, place.eighths)

    def starts_in(
        self, free: NDArray[np.bool_], row: int, column: int
    ) -> Iterator[dict[str, float]]:
        """Yield the poses at a cell's centre, those with a longer free way ahead first."""
        for eighths in longest_ways(free, row, column):
            yield self._pose(row, column, eighths)

    def _pose(self, row: int, column: int, eighths: int) -> dict[str, float]:
        x_m, y_m = self.place(column + 0.5, row + 0.5)
        heading_deg = round(fmod(_degrees(self.yaw_rad) + 45.0 * eighths, 360.0), DECIMALS)
        if not -180.0 < heading_deg <= 180.0:
            heading_deg -= 360.0 if heading_deg > 0.0 else -360.0
        return {"x": x_m, "y": y_m, "heading_deg": heading_deg}


def printable(text: str) -> str:
    """Return a file's name as a scene may hold it."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:100] or "map"


def pose_table(start: tuple[float, float, float]) -> dict[str, float]:
    """Return a start that was asked for as a scene's table."""
    return dict(zip(("x", "y", "heading_deg"), start, strict=True))


def _degrees(angle_rad: float) -> float:
    return fmod(angle_rad * (180.0 / pi), 360.0)
