"""Grid maps: square cells, which of them the robot can occupy, and a drawing on top.

A cell is a pair (i, j): cell (0, 0) has its lower left corner at the origin of `map`, i grows
with x and j with y. A robot at a cell's centre must clear every occupied cell, wherever in it
the solid is, by its radius; so a map keeps for each cell how many occupied ones are too near.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kinewright_env.errors import AgentError
from kinewright_env.layers import GridLayer
from kinewright_env.shells import Shell

from .dynamics import Indices

Point = tuple[float, float]
Box = tuple[int, int, int, int]  # least i and j, greatest i and j, all included

CLEARANCE_M = 0.05  # kept around the body, by avoidance.md
# A doorway of 0.50 m keeps five free cells or more, wherever its jambs lie among the cells, and
# the 20,000 cells that one search may expand are a room of 9.9 m by 9.9 m.
CELL_M = 0.07
MICROMETRES = 1_000_000
_GROW_CELLS = 64  # beyond what must be covered, so that a map seldom grows

UNSEEN, FREE, TOO_NEAR, OCCUPIED, PLAN = range(5)
PALETTE = np.array(
    [(0, 0, 0, 0), (120, 190, 120, 40), (235, 150, 60, 70), (150, 40, 30, 170), (30, 90, 220, 220)],
    np.uint8,
)


class CellMap:
    """Occupied cells, and what follows for a robot; a fixed map or one that changes extends it.

    Parameters
    ----------
    cell_m : float
        Edge of a cell.
    robot_m : float
        Radius about the robot's centre that must be free of occupied cells.
    wary_m : float
        Within this of an occupied cell a robot may touch it, as its heading is.
    """

    def __init__(self, cell_m: float, robot_m: float, wary_m: float) -> None:
        self._cell_um = round(cell_m * MICROMETRES)
        if not 0.01 <= cell_m <= 10.0 or self._cell_um / MICROMETRES != cell_m:
            raise AgentError(f"cell_m is {cell_m!r}; allowed: whole micrometres, 0.01 to 10 m")
        self.cell_m = cell_m
        self._discs = (_disc(cell_m, robot_m), _disc(cell_m, max(wary_m, robot_m)))
        self._margin = len(self._discs[1]) // 2
        self.box: Box = (0, 0, -1, -1)
        self._corner: Indices = (0, 0)
        self._plan: dict[Indices, None] = {}
        self._allocate((0, 0, 0, 0))

    # ---- Where cells are ----

    def point_to_indices(self, point: Point) -> Indices:
        """Return the cell that a place in `map`, metres, lies in; by whole micrometres."""
        x_m, y_m = point
        return round(x_m * MICROMETRES) // self._cell_um, round(y_m * MICROMETRES) // self._cell_um

    def indices_to_point(self, indices: Indices) -> Point:
        """Return the centre of a cell in `map`, metres."""
        half_um = self._cell_um / (2 * MICROMETRES)
        return (2 * indices[0] + 1) * half_um, (2 * indices[1] + 1) * half_um

    # ---- What the robot can do there ----

    def robot_can_occupy(self, indices: Indices) -> bool:
        """Whether the robot's centre can be there: nothing too near, and within the map."""
        place = self._place(indices)
        return place >= 0 and not self._too_near_flat[place]

    def occupancy_probability(self, indices: Indices) -> float:
        """How likely the robot cannot be there.

        1 where it certainly cannot; 1/2 where that hangs on its heading; else how likely the
        cell itself is occupied.
        """
        place = self._place(indices)
        if place < 0 or self._too_near_flat[place]:
            return 1.0
        return 0.5 if self._wary_flat[place] else self._probability(place)

    def is_occupied(self, indices: Indices) -> bool:
        """Whether the cell itself is occupied; what lies outside the map is."""
        place = self._place(indices)
        return place < 0 or bool(self._occupied_flat[place])

    def is_seen(self, indices: Indices) -> bool:
        """Whether anything is known of the cell."""
        return self._place(indices) >= 0

    def _probability(self, place: int) -> float:
        """How likely a cell is occupied, of one with nothing near it."""
        return 0.0

    def _place(self, indices: Indices) -> int:
        """Return where a cell stands in the flat arrays, -1 outside the map."""
        i, j = indices
        i_low, j_low, i_high, j_high = self.box
        if i_low <= i <= i_high and j_low <= j <= j_high:
            return (j - self._corner[1]) * self._columns + i - self._corner[0]
        return -1

    # ---- Drawing ----

    def draw_path(self, path: Iterable[Indices]) -> None:
        """Draw the cells of a plan."""
        self._plan.update(dict.fromkeys(path))

    def undraw_path(self, path: Iterable[Indices]) -> None:
        """Take cells out of the drawing, those that are in it."""
        for indices in path:
            self._plan.pop(indices, None)

    @property
    def drawn(self) -> tuple[Indices, ...]:
        """Cells of the plan that is drawn, in its order."""
        return tuple(self._plan)

    def layer(self, name: str = "map") -> GridLayer:
        """Return the map with its drawing for a viewer."""
        i_low, j_low, i_high, j_high = self.box
        rows = slice(j_low - self._corner[1], j_high + 1 - self._corner[1])
        columns = slice(i_low - self._corner[0], i_high + 1 - self._corner[0])
        values = np.where(self._seen()[rows, columns], FREE, UNSEEN).astype(np.uint8)
        values[self._too_near[rows, columns] > 0] = TOO_NEAR
        values[self._occupied[rows, columns]] = OCCUPIED
        for i, j in self._plan:
            if i_low <= i <= i_high and j_low <= j <= j_high:
                values[j - j_low, i - i_low] = PLAN
        return GridLayer(
            name=name,
            x0_m=i_low * self.cell_m,
            y0_m=j_low * self.cell_m,
            cell_m=self.cell_m,
            values=values,
            palette=PALETTE,
        )

    def _seen(self) -> NDArray[np.bool_]:
        """Which cells are known, by rows and columns."""
        return np.ones_like(self._occupied)

    # ---- Occupied cells ----

    def _occupy(self, rows: NDArray[np.int64], columns: NDArray[np.int64], change: int) -> None:
        """Make cells occupied (change 1) or no longer so (-1), and count that around each."""
        self._occupied[rows, columns] = change > 0
        for counts, disc in zip((self._too_near, self._wary), self._discs, strict=True):
            reach = len(disc) // 2
            step = disc if change > 0 else -disc
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                counts[row - reach : row + reach + 1, column - reach : column + reach + 1] += step

    def _cover(self, box: Box) -> None:
        """Extend the map to a box of cells."""
        if self.box[2] >= self.box[0]:
            lows = (min(a, b) for a, b in zip(self.box[:2], box[:2], strict=True))
            highs = (max(a, b) for a, b in zip(self.box[2:], box[2:], strict=True))
            box = (*lows, *highs)  # type: ignore[assignment]
        self.box = box
        room = self._margin
        i, j = box[0] - room - self._corner[0], box[1] - room - self._corner[1]
        i_end, j_end = box[2] + room - self._corner[0], box[3] + room - self._corner[1]
        rows, columns = self._occupied.shape
        if i < 0 or j < 0 or i_end >= columns or j_end >= rows:
            self._allocate(box)

    def _allocate(self, box: Box) -> None:
        """Make arrays that hold a box with room around it, and move into them what there is."""
        room = self._margin + _GROW_CELLS
        corner = (box[0] - room, box[1] - room)
        shape = (box[3] - box[1] + 1 + 2 * room, box[2] - box[0] + 1 + 2 * room)
        for name, kind in self._arrays().items():
            array = np.zeros(shape, kind)
            before = getattr(self, name, None)
            if before is not None:
                row, column = self._corner[1] - corner[1], self._corner[0] - corner[0]
                _paste(array, before, row, column)
            setattr(self, name, array)
        self._corner, self._columns = corner, shape[1]
        # one element of a memoryview is had in a third of the time of an array's
        self._occupied_flat = self._occupied.data.cast("B")
        self._too_near_flat = self._too_near.data.cast("B").cast("H")
        self._wary_flat = self._wary.data.cast("B").cast("H")

    def _arrays(self) -> dict[str, type[np.generic]]:
        """Return the arrays over the cells, by attribute: what is kept of each."""
        return {"_occupied": np.bool_, "_too_near": np.uint16, "_wary": np.uint16}

    _occupied: NDArray[np.bool_]
    _too_near: NDArray[np.uint16]
    _wary: NDArray[np.uint16]


class StaticGridMap(CellMap):
    """A map that is known from the start and never changes.

    Parameters
    ----------
    occupied : (rows, columns) bool
        Which cells a solid touches; rows grow with y.
    corner : (i, j)
        The cell of row 0 and column 0.
    cell_m, robot_m, wary_m : float
        As in `CellMap`.
    """

    def __init__(
        self,
        occupied: NDArray[np.bool_],
        corner: Indices = (0, 0),
        *,
        cell_m: float = CELL_M,
        robot_m: float = 0.0,
        wary_m: float = 0.0,
    ) -> None:
        super().__init__(cell_m, robot_m, wary_m)
        rows, columns = np.nonzero(occupied)
        i, j = corner
        self._cover((i, j, i + occupied.shape[1] - 1, j + occupied.shape[0] - 1))
        self._occupy(rows + j - self._corner[1], columns + i - self._corner[0], 1)


class PointView:
    """A map as a point sees it, which can be in every cell that is not occupied.

    By `occupancy_probability` it prefers where the robot can be as well, and of the rest what
    was seen to be free: the cheapest way leaves the robot's own at the last moment.
    """

    BARRED = 0.95  # twenty times the price
    UNSEEN = 0.99

    def __init__(self, world_map: CellMap) -> None:
        self._map = world_map
        self.cell_m = world_map.cell_m
        self.point_to_indices = world_map.point_to_indices
        self.indices_to_point = world_map.indices_to_point

    def robot_can_occupy(self, indices: Indices) -> bool:
        """Whether the cell is not occupied."""
        return not self._map.is_occupied(indices)

    def occupancy_probability(self, indices: Indices) -> float:
        """Return how unlike a way for the robot the cell is: 1 where it is occupied."""
        if self._map.robot_can_occupy(indices):
            return 0.0
        if self._map.is_occupied(indices):
            return 1.0
        return self.BARRED if self._map.is_seen(indices) else self.UNSEEN

    def draw_path(self, path: Iterable[Indices]) -> None:
        """Draw nothing: a point's way is not the robot's plan."""

    def undraw_path(self, path: Iterable[Indices]) -> None:
        """Draw nothing."""


def body_radii(shell: Shell) -> tuple[float, float]:
    """Return how near a body's centre may be to a solid: at the best heading, and at any."""
    return shell.inscribed_radius_m + CLEARANCE_M, shell.circumscribed_radius_m + CLEARANCE_M


def _disc(cell_m: float, radius_m: float) -> NDArray[np.uint16]:
    """Return which cells around one have their centre within a radius of it, edges included."""
    reach = int(radius_m / cell_m + 0.5) + 1
    offset = np.maximum(np.abs(np.arange(-reach, reach + 1)) - 0.5, 0.0) * cell_m
    near = offset[:, None] ** 2 + offset[None, :] ** 2 < radius_m**2
    near[reach, reach] = True  # a point cannot be in an occupied cell either
    return near.astype(np.uint16)


def _paste(into: NDArray[np.generic], values: NDArray[np.generic], row: int, column: int) -> None:
    """Copy an array into another at a place; what falls outside is dropped."""
    rows, columns = values.shape
    top, left = max(row, 0), max(column, 0)
    bottom, right = min(row + rows, into.shape[0]), min(column + columns, into.shape[1])
    if top < bottom and left < right:
        into[top:bottom, left:right] = values[
            top - row : bottom - row, left - column : right - column
        ]
