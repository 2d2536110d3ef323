"""The planner's grid: states, exact distances and prices, and routes of least cost.

The kernels are in `csrc/grid`; docs/planner.md says what they promise. Everything is
integer, so that the same cells give the same route on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError
from .cells import as_cell, as_cells, as_indices, as_int32, as_states, read_by, written_by
from .library import ffi, lib
from .prices import Prices, as_unknown
from .routes import NODE_LIMIT, Route, as_limit, check_status, route_of


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
        check_status(
            lib.kw_planner_create(declared, out), f"prices that no planner takes: {prices}"
        )
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
        check_status(
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
        check_status(status, f"cells must lie in the world {self.box}, and states be 0, 1 or 2")

    def set_window(self, row: int, col: int, states: ArrayLike) -> None:
        """Set the states of a window, uint8 of shape (n_rows, n_cols); errors as `set_cells`."""
        held = as_states(states)
        if held.ndim != 2:
            raise OptionError(f"states must have two dimensions, not {held.ndim}")
        window = self._window((row, col, *held.shape))
        check_status(
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
        status = lib.kw_planner_read(self._planner, *box, as_unknown(unknown), *outs.values())
        check_status(status, f"window {box} must lie in the world {self.box}")
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
            as_unknown(unknown),
            as_limit(node_limit),
            self._found,
        )
        check_status(
            status, f"start {start} and one or more goals must lie in the world {self.box}"
        )
        return route_of(self._found, lib.kw_planner_cells, self._planner)

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
            as_unknown(unknown),
            as_limit(node_limit),
            self._found,
            written_by("int32_t", costs),
        )
        check_status(status, f"start {start} must lie in the world {self.box}")
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
        check_status(
            status,
            f"cell {cell} must lie in the world {self.box}, and reach() be the last that was "
            "asked of the planner, without a limit reached",
        )
        return route_of(self._found, lib.kw_planner_cells, self._planner)

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
            self._planner, len(held), read_by("int32_t", held), as_unknown(unknown), self._found
        )
        check_status(
            status,
            f"a route must have a cell, and each lie in the world {self.box} beside the last",
        )
        self._found.n_cells = 0
        return route_of(self._found, lib.kw_planner_cells, self._planner)
