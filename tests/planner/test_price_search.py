"""Routes over grids of prices are of least cost, whole, and end where asked."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import OptionError
from kinewright_env.grids import Outcome, PriceSearch, Side

Oracle = Any  # oracles.py


def random_prices(seed: int) -> tuple[np.ndarray, tuple[int, int], np.ndarray]:
    """Return a grid, a start and up to four goals."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 26, 2))
    prices = rng.integers(1, rng.choice([2, 4, 17, 256]), shape, dtype=np.uint8, endpoint=False)
    prices[rng.random(shape) < rng.choice([0.0, 0.2, 0.35, 0.5])] = 0
    start = (int(rng.integers(shape[0])), int(rng.integers(shape[1])))
    n_goals = int(rng.integers(1, 5))
    goals = np.stack([rng.integers(n, size=n_goals) for n in shape], axis=-1)
    return prices, start, goals


def check_plan(oracle: Oracle, seed: int) -> None:
    prices, start, goals = random_prices(seed)
    search = PriceSearch(prices)
    route = search.plan(start, goals)
    costs = oracle.least_costs(prices, {start: 0} if prices[start] else {})
    to_goals = [0 if tuple(goal) == start else int(costs[tuple(goal)]) for goal in goals.tolist()]
    reached = [cost for cost in to_goals if cost >= 0]
    if not reached:
        assert route.outcome == Outcome.EXHAUSTED
        assert route.closed_side != Side.NONE
        assert (route.goal, route.cost, len(route.cells)) == (-1, 0, 0)
        return
    assert route.outcome == Outcome.FOUND
    assert route.closed_side == Side.NONE
    assert route.cost == min(reached)
    assert tuple(route.cells[0]) == start
    assert tuple(route.cells[-1]) == tuple(goals[route.goal])
    assert oracle.route_cost(prices, route.cells) == route.cost
    assert to_goals[route.goal] == route.cost


def test_1000_random_grids_give_dijkstras_costs(oracle: Oracle) -> None:
    for seed in range(1000):
        check_plan(oracle, seed)


@pytest.mark.slow
def test_20000_random_grids_give_dijkstras_costs(oracle: Oracle) -> None:
    for seed in range(1000, 21000):
        check_plan(oracle, seed)


def test_one_search_answers_like_new_ones(oracle: Oracle) -> None:
    """What a search leaves behind is invisible to the next, however it ended."""
    rng = np.random.default_rng(7)
    used = PriceSearch(np.ones((30, 40), np.uint8))
    for _ in range(200):
        prices = rng.integers(0, 5, (30, 40), dtype=np.uint8)
        used.set_prices(prices)
        cells = [(int(rng.integers(30)), int(rng.integers(40))) for _ in range(3)]
        limit = int(rng.choice([5, 60, 10**6]))
        first = used.plan(cells[0], cells[1:], node_limit=limit)
        second = PriceSearch(prices).plan(cells[0], cells[1:], node_limit=limit)
        assert np.array_equal(first.cells, second.cells)
        assert (first.outcome, first.cost, first.expanded) == (
            second.outcome,
            second.cost,
            second.expanded,
        )


def test_reach_gives_dijkstras_cost_to_every_cell(oracle: Oracle) -> None:
    for seed in range(150):
        prices, start, _ = random_prices(seed)
        costs = oracle.least_costs(prices, {start: 0} if prices[start] else {})
        assert np.array_equal(PriceSearch(prices).reach(start), costs)


@given(seed=st.integers(0, 2**32), turns=st.integers(0, 3), mirrored=st.booleans())
@settings(max_examples=60, deadline=None)
def test_turned_and_mirrored_grids_cost_the_same(seed: int, turns: int, mirrored: bool) -> None:
    prices, start, goals = random_prices(seed)

    def moved(array: np.ndarray) -> np.ndarray:
        turned = np.rot90(array, turns)
        return np.ascontiguousarray(turned[:, ::-1] if mirrored else turned)

    def moved_cell(cell: Any) -> tuple[int, int]:
        at = np.zeros(prices.shape, bool)
        at[tuple(cell)] = True
        row, col = np.argwhere(moved(at))[0]
        return int(row), int(col)

    route = PriceSearch(prices).plan(start, goals)
    other = PriceSearch(moved(prices)).plan(moved_cell(start), [moved_cell(g) for g in goals])
    assert (route.outcome, route.cost) == (other.outcome, other.cost)


def test_no_route_cuts_a_corner(oracle: Oracle) -> None:
    states, named = oracle.cells_of("""
        S.#
        .#.
        ..G
    """)
    prices = np.where(states == 2, 0, 1).astype(np.uint8)
    route = PriceSearch(prices).plan(named["S"], [named["G"]])
    assert route.cells.tolist() == [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2]]
    assert route.cost == 4 * 70


def test_a_step_costs_its_length_times_the_price_of_the_cell_it_enters() -> None:
    route = PriceSearch(np.array([[200, 3, 9], [200, 200, 5]], np.uint8)).plan((0, 0), [(1, 2)])
    assert route.cells.tolist() == [[0, 0], [0, 1], [1, 2]]
    assert route.cost == 70 * 3 + 99 * 5


def test_a_limit_reached_proves_nothing() -> None:
    search = PriceSearch(np.ones((50, 50), np.uint8))
    route = search.plan((0, 0), [(49, 49)], node_limit=10)
    assert (route.outcome, route.closed_side, route.goal) == (Outcome.LIMIT, Side.NONE, -1)
    assert route.expanded == 10
    assert len(route.cells) == 0
    walled = np.ones((50, 50), np.uint8)
    walled[25] = 0
    search.set_prices(walled)
    assert search.plan((0, 0), [(49, 49)], node_limit=10).outcome == Outcome.LIMIT
    assert search.plan((0, 0), [(49, 49)]).outcome == Outcome.EXHAUSTED


def test_every_limit_up_to_what_is_needed_is_a_limit() -> None:
    prices = np.random.default_rng(3).integers(1, 9, (12, 12), dtype=np.uint8)
    search = PriceSearch(prices)
    whole = search.plan((0, 0), [(11, 11)])
    for limit in range(1, whole.expanded):
        assert search.plan((0, 0), [(11, 11)], node_limit=limit).outcome == Outcome.LIMIT
    again = search.plan((0, 0), [(11, 11)], node_limit=whole.expanded)
    assert np.array_equal(again.cells, whole.cells)


def test_a_route_that_costs_more_than_32_bits_is_a_limit() -> None:
    """A serpentine of the dearest cells."""
    prices = np.full((1999, 401), 255, np.uint8)
    prices[1::4, :-1] = 0
    prices[3::4, 1:] = 0
    search = PriceSearch(prices)
    assert search.plan((0, 0), [(1998, 0)]).outcome == Outcome.LIMIT
    near = search.plan((0, 0), [(400, 0)])
    assert near.outcome == Outcome.FOUND
    assert near.cost > 2**29


def test_costs_of_many_searches_never_run_out(oracle: Oracle) -> None:
    """Each search counts on from the last, and the count is turned back in time."""
    prices = np.full((301, 301), 255, np.uint8)
    prices[1::4, :-1] = 0
    prices[3::4, 1:] = 0
    search = PriceSearch(prices)
    costs = {search.plan((0, 0), [(300, 300)]).cost for _ in range(12)}
    assert costs == {int(oracle.least_costs(prices, {(0, 0): 0})[300, 300])}
    assert 12 * costs.pop() > 2**32


@pytest.mark.parametrize(("goal", "side"), [((25, 25), Side.GOAL), ((2, 2), Side.START)])
def test_a_sealed_end_is_proved_from_the_smaller_side(goal: tuple[int, int], side: Side) -> None:
    prices = np.ones((400, 400), np.uint8)
    prices[20:31, [20, 30]] = 0
    prices[[20, 30], 20:31] = 0
    far = (390, 390)
    start, goals = (far, [goal]) if side == Side.GOAL else ((25, 25), [far])
    route = PriceSearch(prices).plan(start, goals)
    assert (route.outcome, route.closed_side) == (Outcome.EXHAUSTED, side)
    assert route.expanded < 1000


def test_a_closed_goal_is_told_at_once() -> None:
    prices = np.ones((400, 400), np.uint8)
    prices[5, 5] = 0
    route = PriceSearch(prices).plan((300, 300), [(5, 5)])
    assert (route.outcome, route.closed_side) == (Outcome.EXHAUSTED, Side.GOAL)
    assert route.expanded == 0


def test_a_closed_start_leads_nowhere_but_to_itself() -> None:
    search = PriceSearch(np.array([[0, 1]], np.uint8))
    assert search.plan((0, 0), [(0, 1)]).closed_side == Side.START
    assert search.plan((0, 0), [(0, 1), (0, 0)]).cells.tolist() == [[0, 0]]
    assert search.reach((0, 0)).tolist() == [[-1, -1]]


def test_the_cheapest_goal_wins_in_whatever_order_they_are_named() -> None:
    search = PriceSearch(np.ones((9, 9), np.uint8))
    assert search.plan((4, 4), [(0, 0), (4, 6), (8, 8)]).goal == 1
    around = list(itertools.product((3, 5), (3, 5)))
    ends = {
        tuple(search.plan((4, 4), order).cells[-1].tolist())
        for order in itertools.permutations(around)
    }
    assert len(ends) == 1


def test_a_goal_named_twice_is_reached_as_the_first() -> None:
    search = PriceSearch(np.ones((9, 9), np.uint8))
    assert search.plan((4, 4), [(0, 0), (4, 6), (4, 6)]).goal == 1


def test_in_the_open_a_search_looks_at_little_more_than_its_route() -> None:
    route = PriceSearch(np.ones((500, 500), np.uint8)).plan((3, 3), [(490, 250)])
    assert route.expanded < 3 * len(route.cells)


def test_of_equally_cheap_routes_the_straightest_back_from_the_goal_is_taken() -> None:
    route = PriceSearch(np.ones((4, 7), np.uint8)).plan((0, 0), [(3, 6)])
    steps = np.diff(route.cells, axis=0).tolist()
    assert len({tuple(step) for step in steps}) == 2
    assert sum(a != b for a, b in itertools.pairwise(steps)) == 1


GOOD = np.ones((3, 4), np.uint8)


@pytest.mark.parametrize(
    "call",
    [
        lambda: PriceSearch(np.ones((3, 4), np.int32)),
        lambda: PriceSearch(np.ones(3, np.uint8)),
        lambda: PriceSearch(np.ones((0, 4), np.uint8)),
        lambda: PriceSearch(np.ones((1, 32001), np.uint8)),
        lambda: PriceSearch(GOOD).set_prices(GOOD[:2]),
        lambda: PriceSearch(GOOD).plan((3, 0), [(0, 0)]),
        lambda: PriceSearch(GOOD).plan((0, -1), [(0, 0)]),
        lambda: PriceSearch(GOOD).plan((0, 0), [(0, 4)]),
        lambda: PriceSearch(GOOD).plan((0, 0), [(0, 1), (-1, 0)]),
        lambda: PriceSearch(GOOD).plan((0, 0), np.empty((0, 2), int)),
        lambda: PriceSearch(GOOD).plan((0, 0), [(0.0, 1.0)]),
        lambda: PriceSearch(GOOD).plan((0, 0), (0, 1)),
        lambda: PriceSearch(GOOD).plan((0, 0, 0), [(0, 1)]),
        lambda: PriceSearch(GOOD).plan((0.5, 0), [(0, 1)]),
        lambda: PriceSearch(GOOD).plan((2**40, 0), [(0, 1)]),
        lambda: PriceSearch(GOOD).plan((0, 0), [(0, 2**40)]),
        lambda: PriceSearch(GOOD).plan((0, 0), [(0, 1)], node_limit=0),
        lambda: PriceSearch(GOOD).reach((0, 4)),
        lambda: PriceSearch(GOOD).reach((0, 0), node_limit=-1),
    ],
)
def test_bad_arguments_are_refused_by_name(call: Any) -> None:
    with pytest.raises(OptionError):
        call()
