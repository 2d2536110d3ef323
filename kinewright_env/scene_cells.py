"""A scene as cells of a lattice: which of them its solids cover, exactly.

The lattice is anchored at the origin of `map`, as every grid of an agent is: cell (row,
column) covers x from column to column + 1 and y from row to row + 1, in cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError
from .options import positive
from .scene_geometry import solid_bounds, solid_rectangle
from .scene_parts import Post, Solid

if TYPE_CHECKING:
    from .scene import Scene

__all__ = ["Occupancy", "occupancy"]

CELLS_LIMIT: Final = 2**26
CELL_MOST_M: Final = 1000.0
CELL_LEAST_M: Final = 1e-3
TOUCH_M: Final = 1e-9
"""A solid that reaches no deeper than this into a cell only touches it: so a face that lies
on a cell's edge stays on its own side, whatever the rounding of its coordinates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """Cells that solids reach into; plain data, to be handed to whoever may know them.

    `cells` (rows, columns) uint8 is 1 where a solid reaches in, else 0; `cells[0, 0]` is the
    lattice's cell (`row0`, `column0`), rows grow with y.
    """

    cell_m: float
    row0: int
    column0: int
    cells: NDArray[np.uint8]

    @property
    def x0_m(self) -> float:
        """Left edge of the array, in `map`."""
        return self.column0 * self.cell_m

    @property
    def y0_m(self) -> float:
        """Lower edge of the array, in `map`."""
        return self.row0 * self.cell_m


def occupancy(
    scene: Scene, cell_m: float, *, present: Sequence[bool] | NDArray[np.bool_] | None = None
) -> Occupancy:
    """Return which cells of the lattice the solids of a scene reach into.

    Exact for the declared outlines: a cell counts where a solid covers more of it than a
    border of `TOUCH_M`. The array holds all solids, the start, the goals and wherever a
    change moves one of them.

    Parameters
    ----------
    scene : Scene
        Its solids, of whatever height.
    cell_m : float
        Edge of a cell, metres.
    present : sequence of bool, optional
        Which solids count, one for each; left out, those that are there at a drive's start.

    Raises
    ------
    OptionError
        If the cell's size is not from 1 mm to 1 km, there would be more than `CELLS_LIMIT`
        cells, or `present` is not one for each solid.
    """
    cell_m = positive("cell_m", cell_m, CELL_MOST_M)
    if cell_m < CELL_LEAST_M:
        raise OptionError(f"cell_m: {cell_m!r} is not allowed; allowed: {CELL_LEAST_M:g} or more")
    solids = scene.solids
    if present is None:
        absent = scene.absent_at_start()
        present = [solid.name not in absent for solid in solids]
    elif len(present) != len(solids):
        raise OptionError(f"present: {len(present)} of them; allowed: one for each {len(solids)}")
    bounds = solid_bounds(scene)
    reach = np.concatenate((bounds, _places(scene)))
    column0, row0, columns, rows = _window(reach, cell_m)
    if rows * columns > CELLS_LIMIT:
        raise OptionError(f"cell_m: {cell_m!r} makes {rows} x {columns} cells; allowed: "
                          f"{CELLS_LIMIT} in all")  # fmt: skip
    cells = np.zeros((rows, columns), np.uint8)
    for i in np.flatnonzero(np.asarray(present, bool)).tolist():
        column, row, width, height = _window(bounds[i : i + 1], cell_m)
        part = cells[row - row0 : row - row0 + height, column - column0 : column - column0 + width]
        part |= _covered(solids[i], (row, column), (height, width), cell_m)
    return Occupancy(cell_m=cell_m, row0=row0, column0=column0, cells=cells)


def _places(scene: Scene) -> NDArray[np.float64]:
    """Return the start, the goals and where changes put them, as bounds of a nanometre."""
    moved = [change.pose for change in scene.changes if change.pose is not None]
    places = [(pose.x_m, pose.y_m) for pose in (scene.start, *moved)]
    places += [(goal.x_m, goal.y_m) for goal in scene.goals]
    places += [(change.x_m, change.y_m) for change in scene.goal_changes]
    points = np.array(places, np.float64)
    return np.concatenate((points, points + 3 * TOUCH_M), axis=1)


def _window(bounds: NDArray[np.float64], cell_m: float) -> tuple[int, int, int, int]:
    """Return the first column and row that upright bounds reach into, and how many of each."""
    low, high = bounds[:, :2].min(axis=0) + TOUCH_M, bounds[:, 2:].max(axis=0) - TOUCH_M
    column, row = (floor(value / cell_m) for value in low.tolist())
    column_end, row_end = (ceil(value / cell_m) for value in high.tolist())
    return column, row, max(column_end - column, 1), max(row_end - row, 1)


def _covered(
    solid: Solid, first: tuple[int, int], shape: tuple[int, int], cell_m: float
) -> NDArray[np.bool_]:
    """Return which cells of the window about a solid it reaches into.

    Its bounds reach into all of them; what is left to test is a post's circle, and a turned
    rectangle's own two axes (separating axis theorem).
    """
    half_m = cell_m / 2
    y_m = (first[0] + np.arange(shape[0]))[:, np.newaxis] * cell_m + half_m
    x_m = (first[1] + np.arange(shape[1]))[np.newaxis, :] * cell_m + half_m
    if isinstance(solid, Post):
        dx_m = np.maximum(np.abs(x_m - solid.center_m[0]) - half_m, 0.0)
        dy_m = np.maximum(np.abs(y_m - solid.center_m[1]) - half_m, 0.0)
        within: NDArray[np.bool_] = dx_m * dx_m + dy_m * dy_m < (solid.radius_m - TOUCH_M) ** 2
        return within
    outline = solid_rectangle(solid)
    cosine, sine = outline.cosine, outline.sine
    if cosine == 0.0 or sine == 0.0:
        return np.ones(shape, np.bool_)
    spread_m = half_m * (abs(cosine) + abs(sine)) - TOUCH_M
    dx_m, dy_m = x_m - outline.x_m, y_m - outline.y_m
    along = np.abs(dx_m * cosine + dy_m * sine) < outline.half_length_m + spread_m
    across = np.abs(dy_m * cosine - dx_m * sine) < outline.half_width_m + spread_m
    covered: NDArray[np.bool_] = along & across
    return covered
