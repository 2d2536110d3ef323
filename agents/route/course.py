"""The route in force: where on it the shell is, where it looks ahead to, what touches it."""

import math
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import (
    COPY_CELL_UM,
    STEP_DIAGONAL,
    STEP_STRAIGHT,
    Changes,
    Outcome,
    Planner,
    route_is_near,
)

NEAR_UM = 260_000  # a change this near to the route is an event: circumscribed with clearance
NEAR_CELLS_SQUARED = NEAR_UM**2 // COPY_CELL_UM**2
SEARCH_CELLS = 24  # how far along the route, both ways, the shell is looked for on a decision


class Course:
    """A route from where it was planned to its end.

    Parameters
    ----------
    cells : ndarray of int32, shape (n, 2)
        Row and column of each, one or more, each beside the one before.
    end_um : (int, int)
        Place at its end, in `map`; the last cell holds it or is the nearest to it that was
        asked for.
    """

    def __init__(self, cells: NDArray[np.int32], end_um: tuple[int, int]) -> None:
        self.cells = cells
        self.end_um = end_um
        self.at = 0
        steps = np.abs(np.diff(cells, axis=0)).sum(axis=1)
        lengths = np.where(steps == 2, STEP_DIAGONAL, STEP_STRAIGHT)
        self._run: list[int] = [0, *np.cumsum(lengths).tolist()]  # in 1/70 of a cell
        self._centres_um = cells.astype(np.int64) * COPY_CELL_UM + COPY_CELL_UM // 2  # y, x
        self._away_um = 0  # from the place on it

    @property
    def left_um(self) -> int:
        """What is left of the route's length."""
        return (self._run[-1] - self._run[self.at]) * COPY_CELL_UM // STEP_STRAIGHT

    @property
    def to_go_um(self) -> int:
        """What is left to drive: of the route's length or, past its end, the way back to it."""
        return self._away_um if self.at == len(self.cells) - 1 else self.left_um

    @property
    def left(self) -> NDArray[np.int32]:
        """What is left of the route's cells."""
        return self.cells[self.at :]

    def follow(self, x_um: int, y_um: int) -> None:
        """Note where the body's centre is: the nearest place on the route near the last one."""
        first = max(self.at - SEARCH_CELLS, 0)
        away = self._centres_um[first : self.at + SEARCH_CELLS] - (y_um, x_um)
        away *= away
        squared = away[:, 0] + away[:, 1]
        nearest = int(squared.argmin())
        self.at = first + nearest
        self._away_um = math.isqrt(int(squared[nearest]))

    def index_ahead(self, distance_um: int) -> int:
        """Return the place in the route that lies a distance further along it, the last at most."""
        run = self._run[self.at] + distance_um * STEP_STRAIGHT // COPY_CELL_UM
        return min(bisect_left(self._run, run), len(self.cells) - 1)

    def ahead_um(self, distance_um: int) -> tuple[int, int]:
        """Return the place that lies a distance further along the route, its end at most."""
        index = self.index_ahead(distance_um)
        if index == len(self.cells) - 1:
            return self.end_um
        y_um, x_um = self._centres_um[index].tolist()
        return x_um, y_um

    def is_touched(self, changes: Changes) -> bool:
        """Return whether a changed cell lies on what is left of the route or near it."""
        return route_is_near(self.left, changes.rows, changes.cols, NEAR_CELLS_SQUARED)

    def cost(self, planner: Planner, unknown: str) -> int | None:
        """Return what is left to pay, None where the route is closed."""
        priced = planner.price(self.left, unknown=unknown)
        return priced.cost if priced.outcome == Outcome.FOUND else None
