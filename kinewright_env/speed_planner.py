"""What `kinewright speed` measures of the planner, on maps of its own.

The 20 m map is 512 by 512 cells of 0.04 m: rooms of 4 m with doorways of 0.92 m and posts,
of which the farther part was never seen.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grids import CELL_FREE, CELL_OCCUPIED, CELL_UNKNOWN, Planner, PriceSearch

SIDE = 512
ROOM = 100  # cells
DOORWAY = 23
WINDOW = 200

Row = tuple[str, float, str, float | None]
"""Name, value, unit, and what it may be at most."""


def rooms(seed: int) -> NDArray[np.uint8]:
    """Return the states of a 20 m map, all of it seen."""
    rng = np.random.default_rng(seed)
    states = np.full((SIDE, SIDE), CELL_FREE, np.uint8)
    for wall in range(0, SIDE, ROOM):
        states[wall : wall + 3] = CELL_OCCUPIED
        states[:, wall : wall + 3] = CELL_OCCUPIED
    for wall in range(ROOM, SIDE, ROOM):
        for room in range(0, SIDE - ROOM, ROOM):
            first, second = (int(at) for at in rng.integers(room + 8, room + 65, 2))
            states[wall : wall + 3, first : first + DOORWAY] = CELL_FREE
            states[second : second + DOORWAY, wall : wall + 3] = CELL_FREE
    for row, col in rng.integers(8, SIDE - 8, (60, 2)).tolist():
        states[row : row + 2, col : col + 2] = CELL_OCCUPIED
    return states


def planner_of_rooms(seed: int) -> Planner:
    """Return a planner that has seen all but a corner of a 20 m map."""
    states = rooms(seed)
    rows, cols = np.indices(states.shape)
    states[rows + cols > 1.2 * SIDE] = CELL_UNKNOWN
    planner = Planner()
    planner.cover(0, 0, SIDE, SIDE)
    planner.set_window(0, 0, states)
    planner.cell_prices()
    return planner


def _cost_ms(call: Callable[[], Any], repeats: int) -> float:
    """Return the least CPU time of one call."""
    costs = []
    for _ in range(repeats):
        started = time.process_time()
        call()
        costs.append(time.process_time() - started)
    return min(costs) * 1e3


def _plan_costs_ms(repeats: int) -> list[float]:
    costs = []
    for seed in range(5):
        planner = planner_of_rooms(seed)
        open_cells = np.argwhere(planner.cell_prices() > 0)
        rng = np.random.default_rng(seed)
        for pair in rng.integers(len(open_cells), size=(8, 2)):
            start, goal = open_cells[pair].tolist()
            costs.append(_cost_ms(partial(planner.plan, start, [goal]), repeats))
    return costs


def _window_cost_ms(repeats: int) -> float:
    """Return what distances and prices cost once a window has changed."""
    planner = planner_of_rooms(0)
    low = (SIDE - WINDOW) // 2
    window = (low, low, WINDOW, WINDOW)
    states = planner.states(window)
    costs: list[float] = []
    for _ in range(3 * repeats):
        turned = states if len(costs) % 2 else states[::-1]
        planner.set_window(low, low, np.ascontiguousarray(turned))
        costs.append(_cost_ms(lambda: planner.distances((low, low, 1, 1)), 1))
    return statistics.median(costs)


def _search_cost_ms(repeats: int) -> tuple[float, int]:
    """Return time and cells of a search from corner to corner of 1024 by 1024 prices."""
    rng = np.random.default_rng(1)
    prices = rng.integers(1, 9, (1024, 1024), dtype=np.uint8)
    prices[rng.random(prices.shape) < 0.2] = 0
    prices[0, 0] = prices[-1, -1] = 1
    search = PriceSearch(prices)
    expanded = search.plan((0, 0), [(1023, 1023)]).expanded
    return _cost_ms(lambda: search.plan((0, 0), [(1023, 1023)]), repeats), expanded


FIGURE_COUNT = 5


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Measure, and yield each figure as it is known."""
    repeats = 2 if quick else 5
    costs = _plan_costs_ms(repeats)
    yield "a plan on a 20 m map, part of it unknown, median", statistics.median(costs), "ms", 10
    yield "the same, the worst of 40", max(costs), "ms", 20
    name = f"distances and prices in a changed window of {WINDOW} x {WINDOW} cells"
    yield name, _window_cost_ms(repeats), "ms", 1
    cost_ms, expanded = _search_cost_ms(repeats)
    yield "a search of 1024 x 1024 random prices", expanded / cost_ms / 1e3, "M cells/s", None
    planner = planner_of_rooms(0)
    planner.reach(np.argwhere(planner.cell_prices() > 0)[0].tolist())
    yield "memory of a planner", planner.bytes_held / SIDE**2, "bytes/cell", 24
