"""The map of the whole drive, and the planner's copy of it, kept up to date from what changed."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Observation
from kinewright_env.grids import (
    AVOIDANCE,
    BELIEF_CELL_UM,
    COPY_CELL_UM,
    Belief,
    Box,
    Changes,
    Outcome,
    Planner,
    Prices,
    Route,
    Side,
)
from kinewright_env.shells import Shell

from .course import Course

MARGIN_UM = 1_000_000  # that the world reaches beyond what was observed, before a way is denied
WALLS_MATTER_UM = 350_000  # farther from an occupied cell than this, walls cost nothing

Cells = NDArray[np.int32]

NO_ROUTE = Route(
    outcome=Outcome.EXHAUSTED,
    closed_side=Side.GOAL,
    goal=-1,
    cells=np.empty((0, 2), np.int32),
    n_leaving=0,
    cost=0,
    known_length=0,
    unknown_length=0,
    expanded=0,
)
"""What a plan to nowhere comes to."""


def prices_of(shell: Shell) -> Prices:
    """Return the planner's prices for a shell: its radii with the clearance of avoidance."""
    clearance_m = AVOIDANCE["clearance_m"]
    lethal_um = round(1e6 * (shell.inscribed_radius_m + clearance_m))
    near_um = round(1e6 * (shell.circumscribed_radius_m + clearance_m))
    return Prices(
        cell_um=COPY_CELL_UM,
        lethal_um=lethal_um,
        near_um=near_um,
        far_um=max(near_um, WALLS_MATTER_UM),
    )


def cell_of(x_um: int, y_um: int) -> tuple[int, int]:
    """Return row and column of the planner's cell that holds a place."""
    return y_um // COPY_CELL_UM, x_um // COPY_CELL_UM


def centre_um_of(cell: tuple[int, int]) -> tuple[int, int]:
    """Return x and y of the centre of a planner's cell."""
    row, col = cell
    return col * COPY_CELL_UM + COPY_CELL_UM // 2, row * COPY_CELL_UM + COPY_CELL_UM // 2


class Ground:
    """What the drive has seen, as a belief and as the planner's grid.

    Parameters
    ----------
    declarations : mapping
        As `reset` hands them over: shell, rig, ticks_per_step.
    """

    def __init__(self, declarations: Mapping[str, Any]) -> None:
        shell = declarations["shell"]
        self.belief = Belief(shell, declarations["rig"], declarations["ticks_per_step"])
        self.prices = prices_of(shell)
        self.planner = Planner(self.prices)
        self._covered: Box | None = None  # by the planner
        self._widened: Box | None = None

    def observe(self, obs: Observation) -> int:
        """Take an observation; return how many scans came with it."""
        return self.belief.observe(obs)

    def cover(self, x_um: int, y_um: int, radius_um: int) -> None:
        """Let the world reach as far as a disc."""
        self.belief.cover(x_um - radius_um, y_um - radius_um)
        self.belief.cover(x_um + radius_um, y_um + radius_um)

    def update(self) -> Changes:
        """Bring the planner up to date; return the cells that changed."""
        box = self.belief.observed
        if box.n_rows and box != self._covered:
            row, col = box.row0 >> 1, box.col0 >> 1
            n_rows = ((box.row0 + box.n_rows - 1) >> 1) - row + 1
            n_cols = ((box.col0 + box.n_cols - 1) >> 1) - col + 1
            self.planner.cover(row, col, n_rows, n_cols)
            self._covered = box
        changes = self.belief.take_changes()
        if len(changes.rows):
            self.planner.set_cells(changes.rows, changes.cols, changes.states)
        return changes

    def widen(self) -> bool:
        """Let the world reach beyond all that was observed; return whether it had not before.

        A way may lead round outside of what was observed: without that margin the edge of the
        world would close it.
        """
        box = self.belief.observed
        if box == self._widened or not box.n_rows:
            return False
        for row, col, beyond in (
            (box.row0, box.col0, -MARGIN_UM),
            (box.row0 + box.n_rows, box.col0 + box.n_cols, MARGIN_UM),
        ):
            self.belief.cover(col * BELIEF_CELL_UM + beyond, row * BELIEF_CELL_UM + beyond)
        self._widened = self.belief.observed
        self.update()
        return True

    def forget_near(self, x_um: int, y_um: int, radius_um: int) -> None:
        """Forget what is near a place, but for permanent cells."""
        self.belief.clear_disc(x_um, y_um, radius_um)

    def _start(self, centre_um: tuple[int, int]) -> tuple[int, int]:
        """Return the cell that holds a place; let the world reach it where it does not yet.

        A shell that was carried elsewhere decides before its first scan from there.
        """
        row, col = cell_of(*centre_um)
        row0, col0, n_rows, n_cols = self.planner.box
        if not (row0 <= row < row0 + n_rows and col0 <= col < col0 + n_cols):
            self.belief.cover(*centre_um)
            self.update()
        return row, col

    def plan(self, centre_um: tuple[int, int], goals: Cells, unknown: str) -> Route:
        """Return the least-cost route from the cell that holds a place to one of some cells."""
        if not len(goals):
            return NO_ROUTE
        return self.planner.plan(self._start(centre_um), goals, unknown=unknown)

    def course_to_first(
        self, cells: Cells, centre_um: tuple[int, int], unknown: str
    ) -> Course | None:
        """Return the way to the first of some cells that the body can reach, None for none."""
        start = self._start(centre_um)
        row0, col0, n_rows, n_cols = self.planner.box
        costs = self.planner.reach(start, unknown=unknown)
        rows, cols = cells[:, 0] - row0, cells[:, 1] - col0
        inside = (rows >= 0) & (rows < n_rows) & (cols >= 0) & (cols < n_cols)
        can = np.flatnonzero(inside)[costs[rows[inside], cols[inside]] >= 0]
        if not len(can):
            return None
        row, col = cells[can[0]].tolist()
        return Course(self.planner.reached((row, col)).cells, centre_um_of((row, col)))

    def rejoin(
        self, course: Course, centre_um: tuple[int, int], distance_um: int, unknown: str
    ) -> Course | None:
        """Return a course from beside its route to a place ahead on it and on, None for no way."""
        index = course.index_ahead(distance_um)
        joining = self.plan(centre_um, course.cells[index : index + 1], unknown)
        if joining.outcome != Outcome.FOUND:
            return None
        cells = np.concatenate([joining.cells, course.cells[index + 1 :]])
        return Course(cells, course.end_um)
