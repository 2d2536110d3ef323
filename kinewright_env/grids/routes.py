"""What a search comes to: a route of least cost, a proof that there is none, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .cells import as_indices, as_int32, read_by, written_by
from .library import lib

STEP_STRAIGHT: int = lib.KW_STEP_STRAIGHT
STEP_DIAGONAL: int = lib.KW_STEP_DIAGONAL

NODE_LIMIT: int = lib.KW_GRID_CELLS_MOST
"""Cells that a search expands at most, unless told: all of the greatest world."""


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


def as_limit(node_limit: int) -> int:
    """Return a limit of nodes, 1 or more."""
    if as_int32(node_limit, "node_limit") < 1:
        raise OptionError(f"node_limit must be 1 or more, not {node_limit}")
    return node_limit


def check_status(status: int, problem: str) -> None:
    """Raise what a code of the core stands for."""
    if status == lib.KW_NO_MEMORY:
        raise MemoryError("no memory for a grid to search")
    if status != lib.KW_OK:
        raise OptionError(problem)


def route_of(found: Any, cells_of: Any, owner: Any) -> Route:
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


def route_is_near(
    route: NDArray[np.int32], rows: NDArray[np.int32], cols: NDArray[np.int32], reach_squared: int
) -> bool:
    """Return whether one of some cells lies near a route.

    Parameters
    ----------
    route : ndarray of int32, shape (n, 2)
        Row and column of each, each beside the one before.
    rows, cols : ndarray of int32, shape (m,)
        Of the other cells.
    reach_squared : int
        Squared distance of the centres, in cells, that is still near: 0 to 1,000,000.

    Raises
    ------
    OptionError
        Where a shape or the reach is another.
    """
    if route.ndim != 2 or route.shape[1] != 2 or rows.ndim != 1 or rows.shape != cols.shape:
        raise OptionError(
            f"a route must have shape (n, 2), other cells rows and cols (m,), not {route.shape}, "
            f"{rows.shape} and {cols.shape}"
        )
    if not 0 <= reach_squared <= lib.KW_REACH_SQUARED_MOST:
        raise OptionError(
            f"reach_squared must be 0 to {lib.KW_REACH_SQUARED_MOST}, not {reach_squared}"
        )
    arrays = [read_by("int32_t", as_indices(array, "cells")) for array in (route, rows, cols)]
    return bool(lib.kw_route_is_near(len(route), arrays[0], len(rows), *arrays[1:], reach_squared))
