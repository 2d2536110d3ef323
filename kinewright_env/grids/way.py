"""What proves that no way leads somewhere, and names the narrowest place of one that does.

Both searches are for a point, over all cells that are not occupied, in an array whose
border is closed. docs/planner.md says how a width is read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError
from .cells import as_cell, as_cells, as_states, read_by, written_by
from .library import ffi, lib
from .routes import Side, check_status

CLEARANCE_MOST: int = lib.KW_WAY_CLEARANCE_MOST

Box = tuple[int, int, int, int]
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointWay:
    """Whether a point gets from the start to a goal.

    Parameters
    ----------
    joined : bool
    closed_side : Side
        The side that ended first, and so is the smaller; `NONE` where joined.
    n_start, n_goal : int
        Cells flooded from each side; of the closed one, all that there are.
    at_border : bool
        Whether the array's border helps to close that side.
    box : (row, col, n_rows, n_cols)
        Of the closed side.
    walls : ndarray of int32, shape (n, 2)
        Occupied cells beside the closed side, row by row; the goals, where all of them are
        occupied.
    """

    joined: bool
    closed_side: Side
    n_start: int
    n_goal: int
    at_border: bool
    box: Box
    walls: NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class WidestWay:
    """The way whose least clearance is the greatest.

    Parameters
    ----------
    found : bool
    clearance : int
        Least squared distance to the nearest edge of an occupied cell on the way, half
        cells squared.
    is_capped : bool
        Whether the way is nowhere narrower than was told apart.
    points : ndarray of int32, shape (n, 3)
        Row and column of each point in half cells from the array's corner, so that a cell's
        centre is odd, and its own squared clearance.
    narrowest : int
        Index of the point with `clearance` at which `between` are the least apart, the first
        of such; -1 where nothing was found.
    between : tuple of two cells or None
        The occupied cells on both sides there; None where there are no two within reach.
    """

    found: bool
    clearance: int
    is_capped: bool
    points: NDArray[np.int32]
    narrowest: int
    between: tuple[Cell, Cell] | None

    def width_um(self, cell_um: int) -> int:
        """Return the width of the narrowest place, edge to edge, micrometres, rounded down.

        Twice the clearance: exact where the two faces stand square to an axis, and never
        more than the true gap.
        """
        return math.isqrt(self.clearance * cell_um**2)

    def gap_um(self, cell_um: int) -> int | None:
        """Return the distance between the edges of the two cells `between`, rounded down."""
        if self.between is None:
            return None
        (row, col), (other_row, other_col) = self.between
        rows, cols = (max(0, abs(a - b) - 1) for a, b in ((row, other_row), (col, other_col)))
        return math.isqrt((rows**2 + cols**2) * cell_um**2)

    def cells(self) -> NDArray[np.int32]:
        """Return the cells that the way runs through, in its order, none twice in a row."""
        cells = self.points[:, :2] // 2
        new = np.ones(len(cells), bool)
        new[1:] = (cells[1:] != cells[:-1]).any(axis=1)
        return cells[new]


class WayFinder:
    """The two searches, with buffers that are used again."""

    def __init__(self) -> None:
        out = ffi.new("kw_way **")
        check_status(lib.kw_way_create(out), "no WayFinder")
        self._way = ffi.gc(out[0], lib.kw_way_destroy)
        self._query = ffi.new("kw_way_query *")
        self._point = ffi.new("kw_point_way *")
        self._widest = ffi.new("kw_widest_way *")

    def _ask(self, states: ArrayLike, start: Sequence[int], goals: ArrayLike) -> list[Any]:
        """Fill the query, and return what must live as long as it is used."""
        array = as_states(states)
        if array.ndim != 2:
            raise OptionError(f"states must have two dimensions, not {array.ndim}")
        cells = as_cells(goals, "goals")
        rows, cols = np.ascontiguousarray(cells.T)
        held = [read_by("uint8_t", array), read_by("int32_t", rows), read_by("int32_t", cols)]
        query = self._query
        query.n_rows, query.n_cols = array.shape
        query.states, query.goal_rows, query.goal_cols = held
        query.n_goals = len(cells)
        query.start_row, query.start_col = as_cell(start, "start")
        return held

    @staticmethod
    def _check(status: int, states: ArrayLike, start: Sequence[int]) -> None:
        check_status(
            status,
            f"start {start} and one or more goals must lie in the array of shape "
            f"{np.shape(states)}, which must have a cell and no other states than 0, 1, 2",
        )

    def point(self, states: ArrayLike, start: Sequence[int], goals: ArrayLike) -> PointWay:
        """Return whether a point gets from a cell to one of the goals.

        The two sides are flooded in turn, so the smaller one ends first: what it costs to
        prove a pocket closed does not depend on the rest of the array.

        Parameters
        ----------
        states : array_like of uint8, shape (n_rows, n_cols)
            0 unknown, 1 free, 2 occupied.
        start : (row, col)
            Counts as open even if occupied.
        goals : array_like of int, shape (n, 2)
            Those that are occupied cannot be reached.

        Raises
        ------
        OptionError
            Where something lies outside the array, or a state is another.
        """
        held = self._ask(states, start, goals)
        found = self._point
        self._check(lib.kw_way_point(self._way, self._query, found), states, start)
        del held
        walls = np.empty((found.n_walls, 2), np.int32)
        lib.kw_way_walls(self._way, written_by("int32_t", walls))
        return PointWay(
            joined=bool(found.joined),
            closed_side=Side(found.closed_side),
            n_start=found.n_start,
            n_goal=found.n_goal,
            at_border=bool(found.at_border),
            box=(found.box[0], found.box[1], found.box[2], found.box[3]),
            walls=walls,
        )

    def widest(
        self,
        states: ArrayLike,
        start: Sequence[int],
        goals: ArrayLike,
        *,
        most: int = 50,
        exempt: int = 0,
    ) -> WidestWay:
        """Return the way to one of the goals whose least clearance is the greatest.

        Parameters
        ----------
        states, start, goals
            As `point` takes them.
        most : int
            Clearance from which on all is alike, in half cells, 1 to 126.
        exempt : int
            Clearances within so many half cells of the start do not count: a shell already
            stands there.

        Raises
        ------
        OptionError
            As `point`; where `most` or `exempt` is out of range; beyond 2^24 cells.
        """
        if not 1 <= most <= CLEARANCE_MOST:
            raise OptionError(f"most must be within [1, {CLEARANCE_MOST}], not {most}")
        if not 0 <= exempt <= lib.KW_GRID_SIDE_MOST:
            raise OptionError(f"exempt must be within [0, {lib.KW_GRID_SIDE_MOST}], not {exempt}")
        held = self._ask(states, start, goals)
        found = self._widest
        status = lib.kw_way_widest(self._way, self._query, most, exempt, found)
        self._check(status, states, start)
        del held
        points = np.empty((found.n_points, 3), np.int32)
        lib.kw_way_points(self._way, written_by("int32_t", points))
        sides = [(found.between[i][0], found.between[i][1]) for i in range(2)]
        return WidestWay(
            found=bool(found.found),
            clearance=found.clearance,
            is_capped=found.clearance == most * most,
            points=points,
            narrowest=found.narrowest if found.found else -1,
            between=(sides[0], sides[1]) if sides[1][0] >= 0 else None,
        )
