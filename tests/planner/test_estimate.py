"""Routes to goals that lie in what was never seen, where the search's estimate is bolder."""

from typing import Any

import numpy as np
import pytest

from kinewright_env.grids import UNKNOWN_PRICES, Outcome, Planner

Oracle = Any  # oracles.py
SIDE = 70


def drawn(rng: np.random.Generator) -> np.ndarray:
    """Free ground with walls, and a blob of unseen ground with a few free cells in it."""
    states = np.ones((SIDE, SIDE), np.uint8)
    rows, cols = np.ogrid[:SIDE, :SIDE]
    row, col = rng.integers(SIDE, size=2)
    states[(rows - row) ** 2 + (cols - col) ** 2 <= rng.integers(5, 60) ** 2] = 0
    states[rng.random(states.shape) < rng.choice([0.0, 0.002, 0.02])] = 1
    states[rng.random(states.shape) < rng.choice([0.0, 0.003, 0.01])] = 2
    return states


@pytest.mark.parametrize("unknown", UNKNOWN_PRICES)
def test_routes_into_the_unseen_cost_what_dijkstra_says(oracle: Oracle, unknown: str) -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(40):
        states = drawn(rng)
        planner = Planner()
        planner.cover(0, 0, SIDE, SIDE)
        planner.set_window(0, 0, states)
        prices = planner.cell_prices(unknown=unknown)
        start = tuple(rng.integers(SIDE, size=2).tolist())
        goals = rng.integers(SIDE, size=(int(rng.integers(1, 4)), 2))
        if prices[start] == 0:
            continue
        costs = oracle.least_costs(prices, {start: 0})
        least = min(
            (int(costs[tuple(goal)]) for goal in goals if costs[tuple(goal)] >= 0), default=-1
        )
        route = planner.plan(start, goals, unknown=unknown)
        assert (route.outcome == Outcome.FOUND) == (least >= 0)
        assert route.cost == max(least, 0)
        found += least > 0
    assert found > 15


def test_a_goal_deep_in_the_unseen_takes_fewer_cells_than_the_least_price_alone_would() -> None:
    states = np.ones((SIDE, SIDE), np.uint8)
    states[:, SIDE // 2 :] = 0
    start, goal = (SIDE // 2, 2), [(SIDE // 2, SIDE - 3)]
    planner = Planner()
    planner.cover(0, 0, SIDE, SIDE)
    planner.set_window(0, 0, states)
    unseen = planner.plan(start, goal, unknown="high").expanded
    planner.set_cells([goal[0][0] + 1], [goal[0][1]], np.array([1], np.uint8))  # seen beside it
    assert unseen < planner.plan(start, goal, unknown="high").expanded / 4
