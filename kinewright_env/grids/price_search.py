"""Least-cost routes over any grid of prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError
from .cells import as_cell, as_cells, read_by, written_by
from .library import ffi, lib
from .routes import NODE_LIMIT, Route, as_limit, check_status, route_of


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
        check_status(
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
            as_limit(node_limit),
            self._found,
        )
        check_status(
            status, f"start {start} and one or more goals must lie in a grid of {self.shape}"
        )
        return route_of(self._found, lib.kw_search_cells, self._search)

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
            as_limit(node_limit),
            self._found,
            written_by("int32_t", costs),
        )
        check_status(status, f"start {start} must lie in a grid of {self.shape}")
        return costs
