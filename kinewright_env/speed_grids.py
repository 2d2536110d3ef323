"""The priced grids on which planners are compared, each a pure function of its seed.

A price is 8 beside a wall or the border, one less each cell farther, and 1 from 8 cells on,
by the greater of rows and columns between; 0 is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEAREST: Final = 8
BLOCKED: Final = 0.2
CORRIDOR: Final = 4  # cells
ROOM: Final = 64  # with its wall of one cell
DOORWAY: Final = 8

Closed = NDArray[np.bool_]


def random_blocks(side: int, rng: np.random.Generator) -> Closed:
    """Return a grid of which every fifth cell is closed, each by itself."""
    closed: Closed = rng.random((side, side)) < BLOCKED
    return closed


def maze(side: int, rng: np.random.Generator) -> Closed:
    """Return a maze without rings: from the newest cell on, and back where it ends."""
    pitch = CORRIDOR + 1
    n = (side - 1) // pitch
    closed = np.ones((side, side), bool)
    seen = np.zeros((n + 2, n + 2), bool)
    seen[0], seen[-1], seen[:, 0], seen[:, -1] = True, True, True, True
    way = [(1, 1)]
    seen[1, 1] = True
    while way:
        row, col = way[-1]
        beside = [(row, col + 1), (row + 1, col), (row, col - 1), (row - 1, col)]
        fresh = [place for place in beside if not seen[place]]
        if not fresh:
            way.pop()
            continue
        to = fresh[int(rng.integers(len(fresh)))]
        rows, cols = zip((row, col), to, strict=True)
        closed[
            (min(rows) - 1) * pitch + 1 : max(rows) * pitch,
            (min(cols) - 1) * pitch + 1 : max(cols) * pitch,
        ] = False
        seen[to] = True
        way.append(to)
    return closed


def rooms(side: int, rng: np.random.Generator) -> Closed:
    """Return square rooms with one doorway in each wall between two."""
    closed = np.zeros((side, side), bool)
    closed[::ROOM] = closed[:, ::ROOM] = True
    for wall in range(ROOM, side, ROOM):
        for room in range(0, side, ROOM):
            first, second = rng.integers(room + 1, room + ROOM - DOORWAY + 1, 2).tolist()
            closed[wall, first : first + DOORWAY] = False
            closed[second : second + DOORWAY, wall] = False
    return closed


GRIDS: Final[dict[str, Callable[[int, np.random.Generator], Closed]]] = {
    f"random {100 * BLOCKED:.0f} %": random_blocks,
    f"maze, corridors of {CORRIDOR}": maze,
    "rooms": rooms,
}


def priced(closed: Closed) -> NDArray[np.uint8]:
    """Return the prices of a grid's cells, 0 where closed."""
    prices = np.where(closed, 0, 1).astype(np.uint8)
    near = np.pad(closed, 1, constant_values=True)
    left = ~closed
    for price in range(DEAREST, 1, -1):
        near = _grown(_grown(near).T).T
        reached = near[1:-1, 1:-1] & left
        prices[reached] = price
        left &= ~reached
    return prices


def _grown(mask: Closed) -> Closed:
    """Return a mask with the rows above and below each of its cells."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    return grown
