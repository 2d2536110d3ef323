"""Least-cost routes on a priced grid: the planner, and a search over any grid of prices.

The kernels are in `csrc/grid`; docs/planner.md says what they promise. Everything is
integer, so that the same cells give the same route on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError, allowed
from .cells import as_cell, as_cells, as_indices, as_int32, as_states, read_by, written_by
from .library import ffi, lib

CELL_UNKNOWN: int = lib.KW_CELL_UNKNOWN
CELL_FREE: int = lib.KW_CELL_FREE
CELL_OCCUPIED: int = lib.KW_CELL_OCCUPIED
STEP_STRAIGHT: int = lib.KW_STEP_STRAIGHT
STEP_DIAGONAL: int = lib.KW_STEP_DIAGONAL

NODE_LIMIT = 4_000_000
"""Cells that a search expands at most: a map of 80 m by 80 m at 0.04 m."""

UNKNOWN_PRICES = ("low", "normal", "high")


class Outcome(IntEnum):
    """What a search came to."""

    FOUND = lib.KW_FOUND
    EXHAUSTED = lib.KW_EXHAUSTED
    LIMIT = lib.KW_LIMIT


class Side(IntEnum):
    """From which end all that can be reached was searched."""

    NONE = lib.KW_SIDE_NONE
    START = lib.KW_SIDE_START
    GOAL = lib.KW_SIDE_GOAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a step through a cell costs, by what is known of it and how near a wall is.

    Distances are from the cell's centre to the nearest edge of an occupied cell. Within
    `lethal_um` no route leads. From there the surcharge falls in a straight line to
    `wall_near` at `near_um`, and in another to nothing at `far_um`.

    Parameters
    ----------
    cell_um : int
        Side of a cell, micrometres; even.
    lethal_um, near_um, far_um : int
        Micrometres, rising. For a shell: the body's inscribed radius with clearance, its
        circumscribed radius with clearance, and where walls cease to matter.
    free : int
        Price of a free cell.
    unknown_low, unknown_normal, unknown_high : int
        Of an unknown cell, at the three declared prices.
    wall, wall_near : int
        Surcharge at `lethal_um` and at `near_um`.
    leaving : int
        Price of a lethal cell to a shell that stands in one.

    Raises
    ------
    OptionError
        Where a figure is not an integer, distances do not rise, `far_um` is beyond 63
        cells, or a price with its surcharge is not within [1, 255].
    """

    cell_um: int = 40_000
    lethal_um: int = 156_000
    near_um: int = 260_000
    far_um: int = 350_000
    free: int = 8
    unknown_low: int = 9
    unknown_normal: int = 12
    unknown_high: int = 16
    wall: int = 8
    wall_near: int = 3
    leaving: int = 64

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if type(getattr(self, name)) is not int:
                raise OptionError(f"{name} must be an integer, not {getattr(self, name)!r}")
        if not 2 <= self.cell_um <= 2_000_000 or self.cell_um % 2:
            raise OptionError(f"cell_um must be even and within [2, 2000000], not {self.cell_um}")
        if not 0 <= self.lethal_um <= self.near_um <= self.far_um <= 63 * self.cell_um:
            raise OptionError(
                "lethal_um, near_um and far_um must rise from 0 up to 63 cells, not "
                f"{self.lethal_um}, {self.near_um}, {self.far_um}"
            )
        dearest = max(self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        least = min(self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        if least < 1 or dearest + self.wall > 255 or not 0 <= self.wall_near <= self.wall:
            raise OptionError(
                "prices must be 1 or more, wall_near within [0, wall], and no price with wall "
                f"above 255: {self}"
            )
        if not 1 <= self.leaving <= 255:
            raise OptionError(f"leaving must be within [1, 255], not {self.leaving}")

    def surcharge(self, distance: int) -> int | None:
        """Return what is added at a squared distance in half cells, None where lethal."""
        square_um = distance * (self.cell_um // 2) ** 2
        if square_um < self.lethal_um**2 or distance == 0:
            return None
        if square_um >= self.far_um**2:
            return 0
        at_um = math.isqrt(square_um)
        if at_um < self.near_um:
            high, low, left_um = self.wall, self.wall_near, self.near_um - at_um
            return low + -(-(high - low) * left_um // (self.near_um - self.lethal_um))
        return -(-self.wall_near * (self.far_um - at_um) // (self.far_um - self.near_um))

    def table(self) -> NDArray[np.uint8]:
        """Return prices by row and squared distance, 0 where lethal.

        Returns
        -------
        ndarray of uint8, shape (4, n)
            Rows: free, and unknown at the low, the normal and the high price. The last
            column holds for that distance and all beyond.
        """
        half_um = self.cell_um // 2
        cap = max(1, -(-(self.far_um**2) // half_um**2))
        rows = (self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        surcharges = [self.surcharge(distance) for distance in range(cap + 1)]
        return np.array(
            [[0 if more is None else price + more for more in surcharges] for price in rows],
            dtype=np.uint8,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a search came to, and the route if there is one.

    Parameters
    ----------
    outcome : Outcome
        `FOUND`; `EXHAUSTED`, which proves that no route leads to any goal; or `LIMIT`,
        which proves nothing.
    closed_side : Side
        Which end all was searched from, when exhausted.
    goal : int
        Index of the goal reached, -1 for none.
    cells : ndarray of int32, shape (n, 2)
        Row and column of each cell from start to goal, both included; empty for none.
    n_leaving : int
        How many of these, the first ones, are lethal.
    cost : int
        Length of each step in 1/70 of a cell, times the price of the cell entered, added up.
    known_length, unknown_length : int
        Of the steps into free and into unknown cells, in 1/70 of a cell.
    expanded : int
        Cells whose neighbours were looked at.
    """

    outcome: Outcome
    closed_side: Side
    goal: int
    cells: NDArray[np.int32]
    n_leaving: int
    cost: int
    known_length: int
    unknown_length: int
    expanded: int

    def known_um(self, cell_um: int) -> int:
        """Return the length through free cells of this side, micrometres, rounded down."""
        return self.known_length * cell_um // STEP_STRAIGHT

    def unknown_um(self, cell_um: int) -> int:
        """Return the length through unknown cells of this side, micrometres, rounded down."""
        return self.unknown_length * cell_um // STEP_STRAIGHT


def _limit(node_limit: int) -> int:
    if as_int32(node_limit, "node_limit") < 1:
        raise OptionError(f"node_limit must be 1 or more, not {node_limit}")
    return node_limit


def _checked(status: int, problem: str) -> None:
    if status == lib.KW_NO_MEMORY:
        raise MemoryError("no memory for the planner's grid")
    if status != lib.KW_OK:
        raise OptionError(problem)


def _route(found: Any, cells_of: Any, owner: Any) -> Route:
    """Return a C route, with its cells where there is one."""
    n_cells = found.n_cells if found.outcome == lib.KW_FOUND else 0
    cells = np.empty((n_cells, 2), np.int32)
    if n_cells:
        cells_of(owner, written_by("int32_t", cells))
    return Route(
        outcome=Outcome(found.outcome),
        closed_side=Side(found.closed_side),
        goal=found.goal,
        cells=cells,
        n_leaving=found.n_leaving,
        cost=found.cost,
        known_length=found.known_length,
        unknown_length=found.unknown_length,
        expanded=found.expanded,
    )


class PriceSearch:
    """Least-cost routes over one grid of prices.

    Parameters
    ----------
    prices : array_like of uint8, shape (n_rows, n_cols)
        Price of each cell, 0 where it is closed. The border is closed.

    Raises
    ------
    OptionError
        Where the array is not such, or has more than 32,000 rows or columns or 2^26 cells.
    """

    def __init__(self, prices: ArrayLike) -> None:
        array = self._prices(prices)
        self.shape: tuple[int, int] = (array.shape[0], array.shape[1])
        out = ffi.new("kw_search **")
        _checked(
            lib.kw_search_create(*self.shape, read_by("uint8_t", array), out),
            f"a grid must have 1 to {lib.KW_GRID_SIDE_MOST} rows and columns and at most "
            f"{lib.KW_GRID_CELLS_MOST} cells, not {self.shape}",
        )
        self._search = ffi.gc(out[0], lib.kw_search_destroy)
        self._found = ffi.new("kw_route *")

    @staticmethod
    def _prices(prices: ArrayLike) -> NDArray[np.uint8]:
        array = np.asarray(prices)
        if array.dtype != np.uint8 or array.ndim != 2:
            raise OptionError(
                f"prices must be uint8 of two dimensions, not {array.dtype} of {array.ndim}"
            )
        return np.ascontiguousarray(array)

    def set_prices(self, prices: ArrayLike) -> None:
        """Search other prices from now on, of the same shape."""
        array = self._prices(prices)
        if array.shape != self.shape:
            raise OptionError(f"prices must have shape {self.shape}, not {array.shape}")
        lib.kw_search_set_prices(self._search, read_by("uint8_t", array))

    def plan(
        self, start: Sequence[int], goals: ArrayLike, *, node_limit: int = NODE_LIMIT
    ) -> Route:
        """Return the route of least cost to whichever of the goals is the cheapest to reach.

        Parameters
        ----------
        start : (row, col)
        goals : array_like of int, shape (n, 2)
            Rows and columns; one or more.
        node_limit : int
            Cells to expand at most.

        Returns
        -------
        Route
            Its lengths by what is known of cells are 0: here nothing is.

        Raises
        ------
        OptionError
            Where start or a goal lies outside the grid.
        """
        cells = as_cells(goals, "goals")
        rows, cols = np.ascontiguousarray(cells.T)
        status = lib.kw_search_plan(
            self._search,
            *as_cell(start, "start"),
            len(cells),
            read_by("int32_t", rows),
            read_by("int32_t", cols),
            _limit(node_limit),
            self._found,
        )
        _checked(status, f"start {start} and one or more goals must lie in a grid of {self.shape}")
        return _route(self._found, lib.kw_search_cells, self._search)

    def reach(self, start: Sequence[int], *, node_limit: int = NODE_LIMIT) -> NDArray[np.int32]:
        """Return the least cost from a cell to every cell.

        Returns
        -------
        ndarray of int32, shape (n_rows, n_cols)
            -1 where no route leads, or the limit came first.
        """
        costs = np.empty(self.shape, np.int32)
        status = lib.kw_search_reach(
            self._search,
            *as_cell(start, "start"),
            _limit(node_limit),
            self._found,
            written_by("int32_t", costs),
        )
        _checked(status, f"start {start} must lie in a grid of {self.shape}")
        return costs


class Planner:
    """The planner's grid: what is known of each cell, and routes of least cost through it.

    Cells are those of the lattice anchored at the origin of `map`: row and column are
    ``floor(y / cell)`` and ``floor(x / cell)``. The world is the box that was covered;
    beyond its edge all is closed.

    Parameters
    ----------
    prices : Prices
    """

    def __init__(self, prices: Prices | None = None) -> None:
        self.prices = prices if prices is not None else Prices()
        table = self.prices.table()
        free, unknown = np.ascontiguousarray(table[0]), np.ascontiguousarray(table[1:])
        held = [read_by("uint8_t", free), read_by("uint8_t", unknown)]
        declared = ffi.new("kw_prices *", (table.shape[1], held[0], held[1], self.prices.leaving))
        out = ffi.new("kw_planner **")
        _checked(lib.kw_planner_create(declared, out), f"prices that no planner takes: {prices}")
        self._planner = ffi.gc(out[0], lib.kw_planner_destroy)
        self._found = ffi.new("kw_route *")
        self._box = ffi.new("int32_t[4]")

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The world: first row, first column, number of rows, number of columns."""
        lib.kw_planner_box(self._planner, self._box)
        return (self._box[0], self._box[1], self._box[2], self._box[3])

    @property
    def bytes_held(self) -> int:
        """Bytes of memory, all included."""
        return int(lib.kw_planner_bytes(self._planner))

    def _window(self, box: Sequence[int]) -> tuple[int, int, int, int]:
        if len(box) != 4:
            raise OptionError(f"a window is row, column, rows and columns, not {box!r}")
        row, col, n_rows, n_cols = (as_int32(value, "a window's figure") for value in box)
        return row, col, n_rows, n_cols

    def cover(self, row: int, col: int, n_rows: int, n_cols: int) -> None:
        """Let the world be the least box that holds both it and this window.

        Raises
        ------
        OptionError
            Where the world would have more than 32,000 rows or columns or 2^26 cells.
        """
        window = self._window((row, col, n_rows, n_cols))
        _checked(
            lib.kw_planner_cover(self._planner, *window),
            f"the world {self.box} cannot grow to hold {window}: it may have "
            f"{lib.KW_GRID_SIDE_MOST} rows and columns and {lib.KW_GRID_CELLS_MOST} cells, "
            f"within {lib.KW_LATTICE_MOST} of the origin",
        )

    def set_cells(self, rows: ArrayLike, cols: ArrayLike, states: ArrayLike) -> None:
        """Set the states of single cells; of a cell named twice the last counts.

        Parameters
        ----------
        rows, cols : array_like of int, shape (n,)
        states : array_like of uint8, shape (n,)
            `CELL_UNKNOWN`, `CELL_FREE` or `CELL_OCCUPIED`.

        Raises
        ------
        OptionError
            Where a cell lies outside the world or a state is another; then none is set.
        """
        first, second = as_indices(rows, "rows"), as_indices(cols, "cols")
        if first.ndim != 1 or first.shape != second.shape:
            raise OptionError(
                f"rows and cols must have one shape (n,), not {first.shape} and {second.shape}"
            )
        held = as_states(states, first.shape)
        status = lib.kw_planner_set_cells(
            self._planner,
            len(first),
            read_by("int32_t", first),
            read_by("int32_t", second),
            read_by("uint8_t", held),
        )
        _checked(status, f"cells must lie in the world {self.box}, and states be 0, 1 or 2")

    def set_window(self, row: int, col: int, states: ArrayLike) -> None:
        """Set the states of a window, uint8 of shape (n_rows, n_cols); errors as `set_cells`."""
        held = as_states(states)
        if held.ndim != 2:
            raise OptionError(f"states must have two dimensions, not {held.ndim}")
        window = self._window((row, col, *held.shape))
        _checked(
            lib.kw_planner_set_window(self._planner, *window, read_by("uint8_t", held)),
            f"window {window} must lie in the world {self.box}, and states be 0, 1 or 2",
        )

    def _read(
        self, window: Sequence[int] | None, unknown: str, kind: str, dtype: Any
    ) -> NDArray[Any]:
        box = self._window(self.box if window is None else window)
        if min(box[2:]) < 1:
            raise OptionError(f"a window must have a row and a column, not {box}")
        outs = dict.fromkeys(("states", "distances", "prices"), ffi.NULL)
        array = np.empty(box[2:], dtype)
        outs[kind] = written_by(f"{array.dtype.name}_t", array)
        status = lib.kw_planner_read(self._planner, *box, _unknown(unknown), *outs.values())
        _checked(status, f"window {box} must lie in the world {self.box}")
        return array

    def states(self, window: Sequence[int] | None = None) -> NDArray[np.uint8]:
        """Return the states of a window (row, col, n_rows, n_cols), of the world if None."""
        return self._read(window, "normal", "states", np.uint8)

    def distances(self, window: Sequence[int] | None = None) -> NDArray[np.uint16]:
        """Return squared distances to the nearest edge of an occupied cell, half cells squared.

        Exact, or the last column of `Prices.table` where nothing is nearer.
        """
        return self._read(window, "normal", "distances", np.uint16)

    def cell_prices(
        self, window: Sequence[int] | None = None, *, unknown: str = "normal"
    ) -> NDArray[np.uint8]:
        """Return the price of each cell of a window, 0 where no route leads."""
        return self._read(window, unknown, "prices", np.uint8)

    def plan(
        self,
        start: Sequence[int],
        goals: ArrayLike,
        *,
        unknown: str = "normal",
        node_limit: int = NODE_LIMIT,
    ) -> Route:
        """Return the route of least cost to whichever of the goals is the cheapest to reach.

        A shell that stands in a lethal cell leaves by the shortest way through lethal cells
        that are not occupied; its own cell may be.

        Parameters
        ----------
        start : (row, col)
        goals : array_like of int, shape (n, 2)
            Rows and columns, one or more; `cells_in_disc` gives those of a goal's disc.
        unknown : {"low", "normal", "high"}
            Price of unknown cells.
        node_limit : int
            Cells to expand at most.

        Raises
        ------
        OptionError
            Where start or a goal lies outside the world.
        """
        cells = as_cells(goals, "goals")
        rows, cols = np.ascontiguousarray(cells.T)
        status = lib.kw_planner_plan(
            self._planner,
            *as_cell(start, "start"),
            len(cells),
            read_by("int32_t", rows),
            read_by("int32_t", cols),
            _unknown(unknown),
            _limit(node_limit),
            self._found,
        )
        _checked(status, f"start {start} and one or more goals must lie in the world {self.box}")
        return _route(self._found, lib.kw_planner_cells, self._planner)

    def reach(
        self, start: Sequence[int], *, unknown: str = "normal", node_limit: int = NODE_LIMIT
    ) -> NDArray[np.int32]:
        """Return the least cost from a cell to every cell of the world.

        Returns
        -------
        ndarray of int32, shape (n_rows, n_cols)
            As the world's `box`; -1 where no route leads, or the limit came first.
        """
        _, _, n_rows, n_cols = self.box
        costs = np.empty((n_rows, n_cols), np.int32)
        status = lib.kw_planner_reach(
            self._planner,
            *as_cell(start, "start"),
            _unknown(unknown),
            _limit(node_limit),
            self._found,
            written_by("int32_t", costs),
        )
        _checked(status, f"start {start} must lie in the world {self.box}")
        return costs

    def reached(self, cell: Sequence[int]) -> Route:
        """Return the route to a cell from where `reach` started, while nothing has changed.

        Raises
        ------
        OptionError
            Where the cell lies outside the world, or states, the world or the price of
            unknown cells changed since, or another search ran.
        """
        status = lib.kw_planner_reached(self._planner, *as_cell(cell, "cell"), self._found)
        _checked(
            status,
            f"cell {cell} must lie in the world {self.box}, and reach() be the last that was "
            "asked of the planner, without a limit reached",
        )
        return _route(self._found, lib.kw_planner_cells, self._planner)

    def price(self, cells: ArrayLike, *, unknown: str = "normal") -> Route:
        """Return what a route that is there costs now.

        Parameters
        ----------
        cells : array_like of int, shape (n, 2)
            Each beside the one before.

        Returns
        -------
        Route
            `EXHAUSTED` where it is closed; `goal` is then the index of the first cell that
            cannot be entered. Its `cells` are empty.

        Raises
        ------
        OptionError
            Where a cell lies outside the world, or not beside the one before.
        """
        held = as_cells(cells, "cells")
        status = lib.kw_planner_price(
            self._planner, len(held), read_by("int32_t", held), _unknown(unknown), self._found
        )
        _checked(
            status,
            f"a route must have a cell, and each lie in the world {self.box} beside the last",
        )
        self._found.n_cells = 0
        return _route(self._found, lib.kw_planner_cells, self._planner)


def _unknown(unknown: str) -> int:
    if unknown not in UNKNOWN_PRICES:
        raise OptionError(f"unknown {unknown!r}: {allowed(unknown, UNKNOWN_PRICES)}")
    return UNKNOWN_PRICES.index(unknown)


def cells_in_disc(x_um: int, y_um: int, radius_um: int, cell_um: int) -> NDArray[np.int32]:
    """Return the cells whose centre lies within a disc, and the one that holds its centre.

    Parameters
    ----------
    x_um, y_um : int
        Of the disc's centre in `map`, micrometres.
    radius_um : int
    cell_um : int
        Side of a cell; even.

    Returns
    -------
    ndarray of int32, shape (n, 2)
        Row and column, in rising order. With a radius of 0, the one cell.
    """
    here = (y_um // cell_um, x_um // cell_um)
    if radius_um <= 0:
        return np.array([here], np.int32)
    rows = range((y_um - radius_um) // cell_um, (y_um + radius_um) // cell_um + 1)
    cols = range((x_um - radius_um) // cell_um, (x_um + radius_um) // cell_um + 1)
    half_um = cell_um // 2
    cells = [
        (row, col)
        for row in rows
        for col in cols
        if (row * cell_um + half_um - y_um) ** 2 + (col * cell_um + half_um - x_um) ** 2
        <= radius_um**2
    ]
    return np.array(cells or [here], np.int32)
