"""What it means that the body finds no way: closed in, or a gap too narrow for it.

Both are read on the belief itself, at 0.02 m, for a point and over all that is not occupied.
The world is the box of what was observed, shell and goal, and a margin (`Ground.widen`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import (
    BELIEF_CELL_UM,
    CELL_CHANGEABLE,
    CELL_FREE,
    CELL_OCCUPIED,
    CELL_UNKNOWN,
    Box,
    Side,
    WayFinder,
    WidestWay,
    cells_in_disc,
)

from .ground import Cells, Ground

# Between two beams of the scanner nothing is hit: 0.14 m apart at 8 m. Ground never seen free
# that lies within half of it of what is occupied counts as occupied, too.
HOLE_CELLS = 3.5
READ_FROM_HALF_CELLS = 40  # 0.40 m from a gap it is read: the scanner sees from 0.15 m on
ABOUT_CELLS = 12  # about a gap, within which its width is read with the holes left open
SEEN_HALF_CELLS = 8  # of the way on both sides of a gap, 0.08 m each, that are to be seen free
READ_CELLS = 8  # about a gap that was read: what was not seen free from there is none


Cell = tuple[int, int]
States = NDArray[np.uint8]


def _disc(radius_cells: float) -> list[tuple[int, int]]:
    """Return the offsets (row, col) of the cells whose centres lie within a radius."""
    reach = range(-int(radius_cells), int(radius_cells) + 1)
    return [(row, col) for row in reach for col in reach if row**2 + col**2 <= radius_cells**2]


def _grown(cells: NDArray[np.bool_], radius_cells: float) -> NDArray[np.bool_]:
    """Return the cells within a radius of those given."""
    reach = int(radius_cells)
    padded = np.pad(cells, reach)
    out = np.zeros_like(cells)
    n_rows, n_cols = cells.shape
    for row, col in _disc(radius_cells):
        out |= padded[reach + row : reach + row + n_rows, reach + col : reach + col + n_cols]
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The narrowest place of the widest way, um in `map`, and how wide it is.

    `approach` are the planner's cells on the way to it, the best to read it from first;
    `is_seen` where the ground in it and on both sides was seen free.
    """

    x_um: int
    y_um: int
    width_um: int
    approach: Cells
    is_seen: bool

    def is_near(self, x_um: int, y_um: int, distance_um: int) -> bool:
        """Return whether a place lies within a distance."""
        return (self.x_um - x_um) ** 2 + (self.y_um - y_um) ** 2 <= distance_um**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """What closes a side in: the shell's or the goal's, and the box of the occupied cells, um.

    `is_whole` where it has no hole, not even one that only lacks a hit.
    """

    is_goal: bool
    n_walls: int
    low_um: tuple[int, int]
    high_um: tuple[int, int]
    is_changeable: bool
    is_whole: bool

    @property
    def sentence(self) -> str:
        """Which is closed in, and by what."""
        side = "the goal" if self.is_goal else "the shell"
        (x0, y0), (x1, y1) = self.low_um, self.high_um
        if not self.n_walls:
            return f"No way: {side} is closed in by the edge of all that was observed."
        seal = (
            f"No way: {side} is closed in by what stands from ({x0 / 1e6:.2f}, {y0 / 1e6:.2f}) "
            f"to ({x1 / 1e6:.2f}, {y1 / 1e6:.2f})"
        )
        return seal + (", some of which has changed before." if self.is_changeable else ".")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """What a search is about, in cells from the corner of the box; `closed` without the holes."""

    box: Box
    start: Cell
    goals: Cells
    states: States
    closed: States


def _approach(points: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the points of a way back from its gap in the order they suit for reading it.

    Those at `READ_FROM_HALF_CELLS` and farther come first, then the nearer ones.
    """
    away = ((points - points[0]).astype(np.int64) ** 2).sum(axis=1)
    first = int(np.argmax(away >= READ_FROM_HALF_CELLS**2))  # 0 where none is
    return np.concatenate([points[first:], points[:first][::-1]]) if first else points[::-1]


def _is_seen(states: States, widest: WidestWay) -> bool:
    """Return whether all of a way near its narrowest place was seen free."""
    first = max(widest.narrowest - SEEN_HALF_CELLS, 0)
    rows, cols = (widest.points[first : widest.narrowest + SEEN_HALF_CELLS + 1, :2] // 2).T
    return bool((states[rows, cols] == CELL_FREE).all())


class Prover:
    """Searches for a point's way, on the belief as it stands."""

    def __init__(self, ground: Ground, inscribed_radius_m: float) -> None:
        self._ground = ground
        self._body_cells = inscribed_radius_m * 1e6 / BELIEF_CELL_UM
        self._read: list[tuple[int, int]] = []
        self._ways = WayFinder()
        # the body itself stands there: its circumscribed radius with clearance
        self._exempt = -(-ground.prices.near_um // (BELIEF_CELL_UM // 2))

    def seek(self, centre_um: tuple[int, int], goal: tuple[int, int, int]) -> Seal | Gap:
        """Return what keeps the body from a goal: x, y and radius, um."""
        sought = self._sought(centre_um, goal)
        return self._seal(sought) or self._gap(sought)

    def seal(self, centre_um: tuple[int, int], goal: tuple[int, int, int]) -> Seal | None:
        """Return what closes a side in, None where a point gets through; cheaper than `seek`."""
        return self._seal(self._sought(centre_um, goal))

    def _sought(self, centre_um: tuple[int, int], goal: tuple[int, int, int]) -> "_Sought":
        """Return the belief as it stands."""
        box = self._ground.belief.observed
        start = (
            centre_um[1] // BELIEF_CELL_UM - box.row0,
            centre_um[0] // BELIEF_CELL_UM - box.col0,
        )
        goals = cells_in_disc(*goal, BELIEF_CELL_UM) - np.array([box.row0, box.col0])
        states = self._ground.belief.window(box.row0, box.col0, box.n_rows, box.n_cols)
        closed = self._closed(states, box, start)
        return _Sought(box=box, start=start, goals=goals, states=states, closed=closed)

    def _gap(self, sought: "_Sought") -> Gap:
        """Return the narrowest place of the widest way of a point."""
        box, states, closed = sought.box, sought.states, sought.closed
        start, goals, corner = sought.start, sought.goals, np.array([box.row0, box.col0])
        widest = self._widest(closed, start, goals)
        row, col, _ = widest.points[widest.narrowest].tolist()
        before = _approach(widest.points[widest.narrowest :: -1, :2]) // 2 + corner
        half_um = BELIEF_CELL_UM // 2
        return Gap(
            x_um=box.col0 * BELIEF_CELL_UM + col * half_um,
            y_um=box.row0 * BELIEF_CELL_UM + row * half_um,
            width_um=self._width_um(states, closed, widest, start, goals),
            approach=(before >> 1).astype(np.int32),
            is_seen=_is_seen(states, widest),
        )

    def _width_um(
        self, states: States, closed: States, widest: WidestWay, start: Cell, goals: Cells
    ) -> int:
        """Return how wide a gap is between what is occupied, its holes left open.

        The surfaces lie somewhere in the cells that were hit: half a cell on each side.
        """
        row, col = (widest.points[widest.narrowest, :2] // 2).tolist()
        rows, cols = np.ogrid[: states.shape[0], : states.shape[1]]
        about = (rows - row) ** 2 + (cols - col) ** 2 <= ABOUT_CELLS**2
        open_there = np.where(about, states, closed)
        again = self._widest(open_there, start, goals)
        # the two cells named may stand at an angle: then twice the clearance is the wider, and true
        between_um = again.gap_um(BELIEF_CELL_UM) or 0
        return max(between_um, again.width_um(BELIEF_CELL_UM)) + BELIEF_CELL_UM

    def _widest(self, cells: States, start: Cell, goals: Cells) -> WidestWay:
        """Return the widest way, but for what is narrow about the shell, where it stands already.

        Where all else is wide enough for the body it is what stands about the shell that bars it.
        """
        widest = self._ways.widest(cells, start, goals, exempt=self._exempt)
        if widest.width_um(BELIEF_CELL_UM) < 2 * self._ground.prices.lethal_um:
            return widest
        return self._ways.widest(cells, start, goals, exempt=math.ceil(2 * self._body_cells))

    def read(self, gap: Gap) -> None:
        """Note that a gap was looked at from near: what was not seen free there is closed."""
        self._read.append((gap.y_um // BELIEF_CELL_UM, gap.x_um // BELIEF_CELL_UM))

    def _closed(self, states: States, box: Box, start: Cell) -> States:
        """Return the states with the holes closed that only lack a hit."""
        closed = _grown(states == CELL_OCCUPIED, HOLE_CELLS)
        rows, cols = np.ogrid[: states.shape[0], : states.shape[1]]
        for row, col in self._read:
            closed |= (rows + box.row0 - row) ** 2 + (cols + box.col0 - col) ** 2 <= READ_CELLS**2
        closed &= (rows - start[0]) ** 2 + (cols - start[1]) ** 2 > self._body_cells**2
        closed &= states == CELL_UNKNOWN
        return np.where(closed, np.uint8(CELL_OCCUPIED), states)

    def _seal(self, sought: "_Sought") -> Seal | None:
        """Return what closes a side in, None where a point gets through."""
        start, goals = sought.start, sought.goals
        found = self._ways.point(sought.closed, start, goals)
        if found.joined:
            return None
        is_whole = not self._ways.point(sought.states, start, goals).joined
        low, high = (0, 0), (0, 0)
        corner = np.array([sought.box.row0, sought.box.col0])
        is_changeable = False
        if len(found.walls):
            cells = found.walls + corner
            first, last = cells.min(axis=0), cells.max(axis=0) + 1
            low, high = (
                (int(at[1]) * BELIEF_CELL_UM, int(at[0]) * BELIEF_CELL_UM) for at in (first, last)
            )
            rows, cols = (last - first).tolist()
            detail = self._ground.belief.details(int(first[0]), int(first[1]), rows, cols)
            changed = (detail[tuple((cells - first).T)] & CELL_CHANGEABLE) != 0
            is_changeable = 2 * int(changed.sum()) > len(cells)
        return Seal(
            is_goal=found.closed_side == Side.GOAL,
            n_walls=len(found.walls),
            low_um=low,
            high_um=high,
            is_changeable=is_changeable,
            is_whole=is_whole,
        )
