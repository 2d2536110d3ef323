"""The route in force: where on it the shell is, where it looks ahead to, what touches it."""

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import (
    COPY_CELL_UM,
    STEP_DIAGONAL,
    STEP_STRAIGHT,
    Changes,
    Outcome,
    Planner,
)

NEAR_UM = 260_000  # a change this near to the route is an event: circumscribed with clearance
SEARCH_CELLS = 24  # how far along the route, both ways, the shell is looked for on a decision


def _disc(radius_um: int) -> NDArray[np.int64]:
    """Return the offsets (row, col) of the cells whose centres lie within a radius."""
    reach = radius_um // COPY_CELL_UM
    axis = np.arange(-reach, reach + 1)
    rows, cols = np.meshgrid(axis, axis, indexing="ij")
    inside = rows * rows + cols * cols <= radius_um**2 // COPY_CELL_UM**2
    return np.stack([rows[inside], cols[inside]], axis=-1)


DISC = _disc(NEAR_UM)


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
        steps = np.abs(np.diff(self.cells, axis=0)).sum(axis=1)
        lengths = np.where(steps == 2, STEP_DIAGONAL, STEP_STRAIGHT)
        self._run = np.concatenate([[0], np.cumsum(lengths)])  # in 1/70 of a cell
        self._first = self.cells.min(axis=0) - DISC.max()
        size = self.cells.max(axis=0) + DISC.max() - self._first + 1
        # each cell near the route holds 1 and the last place of the route that it is near to
        self._near = np.zeros(tuple(size), np.int32)
        places = (self.cells - self._first)[:, None, :] + DISC[None, :, :]
        order = np.broadcast_to(np.arange(1, len(self.cells) + 1)[:, None], places.shape[:2])
        self._near[places[..., 0], places[..., 1]] = order  # of repeated cells the last stays

    @property
    def left_um(self) -> int:
        """What is left of the route's length."""
        return int(self._run[-1] - self._run[self.at]) * COPY_CELL_UM // STEP_STRAIGHT

    @property
    def left(self) -> NDArray[np.int32]:
        """What is left of the route's cells."""
        return self.cells[self.at :]

    def follow(self, x_um: int, y_um: int) -> None:
        """Note where the body's centre is: the nearest place on the route near the last one."""
        first = max(self.at - SEARCH_CELLS, 0)
        near = self.cells[first : self.at + SEARCH_CELLS].astype(np.int64)
        dy = near[:, 0] * COPY_CELL_UM + (COPY_CELL_UM // 2 - y_um)
        dx = near[:, 1] * COPY_CELL_UM + (COPY_CELL_UM // 2 - x_um)
        self.at = first + int(np.argmin(dx * dx + dy * dy))

    def index_ahead(self, distance_um: int) -> int:
        """Return the place in the route that lies a distance further along it, the last at most."""
        run = int(self._run[self.at]) + distance_um * STEP_STRAIGHT // COPY_CELL_UM
        return min(int(np.searchsorted(self._run, run)), len(self.cells) - 1)

    def ahead_um(self, distance_um: int) -> tuple[int, int]:
        """Return the place that lies a distance further along the route, its end at most."""
        index = self.index_ahead(distance_um)
        if index == len(self.cells) - 1:
            return self.end_um
        row, col = self.cells[index].tolist()
        return col * COPY_CELL_UM + COPY_CELL_UM // 2, row * COPY_CELL_UM + COPY_CELL_UM // 2

    def is_touched(self, changes: Changes) -> bool:
        """Return whether a changed cell lies on what is left of the route or near it."""
        rows, cols = changes.rows - self._first[0], changes.cols - self._first[1]
        n_rows, n_cols = self._near.shape
        inside = (rows >= 0) & (rows < n_rows) & (cols >= 0) & (cols < n_cols)
        return bool((self._near[rows[inside], cols[inside]] > self.at).any())

    def cost(self, planner: Planner, unknown: str) -> int | None:
        """Return what is left to pay, None where the route is closed."""
        priced = planner.price(self.left, unknown=unknown)
        return priced.cost if priced.outcome == Outcome.FOUND else None
