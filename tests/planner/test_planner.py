"""The planner's world: exact distances after any change, declared prices, honest routes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import OptionError
from kinewright_env.grids import Outcome, Planner, Prices, Side, cells_in_disc

Oracle = Any  # oracles.py
TABLE = Prices().table()
CAP = TABLE.shape[1] - 1


def planner_of(states: np.ndarray, prices: Prices | None = None) -> Planner:
    planner = Planner(prices)
    planner.cover(0, 0, *states.shape)
    planner.set_window(0, 0, states)
    return planner


def priced(states: np.ndarray, distances: np.ndarray, unknown: str) -> np.ndarray:
    row = 1 + ("low", "normal", "high").index(unknown)
    by_state = np.where(states == 1, TABLE[0][distances], TABLE[row][distances])
    return np.where(states == 2, 0, by_state)


class Model:
    """A planner beside a dictionary of what it was told."""

    def __init__(self, oracle: Oracle, seed: int) -> None:
        self.oracle = oracle
        self.rng = np.random.default_rng(seed)
        self.planner = Planner()
        self.told: dict[tuple[int, int], int] = {}

    def grow(self) -> None:
        row, col = (int(value) for value in self.rng.integers(-45, 45, 2))
        n_rows, n_cols = (int(value) for value in self.rng.integers(1, 30, 2))
        self.planner.cover(row, col, n_rows, n_cols)

    def change_cells(self) -> None:
        row, col, n_rows, n_cols = self.planner.box
        n = int(self.rng.integers(0, 40))
        rows = self.rng.integers(row, row + n_rows, n)
        cols = self.rng.integers(col, col + n_cols, n)
        states = self.rng.choice([0, 1, 2], n, p=[0.2, 0.4, 0.4]).astype(np.uint8)
        self.planner.set_cells(rows, cols, states)
        for cell in zip(rows.tolist(), cols.tolist(), states.tolist(), strict=True):
            self.told[cell[:2]] = cell[2]

    def change_window(self) -> None:
        row, col, n_rows, n_cols = self.planner.box
        low = (int(self.rng.integers(n_rows)), int(self.rng.integers(n_cols)))
        shape = (min(n_rows - low[0], 12), min(n_cols - low[1], 17))
        states = self.rng.choice([0, 1, 2], shape, p=[0.3, 0.6, 0.1]).astype(np.uint8)
        self.planner.set_window(row + low[0], col + low[1], states)
        for (i, j), state in np.ndenumerate(states):
            self.told[row + low[0] + i, col + low[1] + j] = int(state)

    def states(self) -> np.ndarray:
        row, col, n_rows, n_cols = self.planner.box
        states = np.zeros((n_rows, n_cols), np.uint8)
        for (i, j), state in self.told.items():
            states[i - row, j - col] = state
        return states

    def check(self) -> None:
        states = self.states()
        distances = self.oracle.squared_distances(states == 2, CAP)
        assert np.array_equal(self.planner.states(), states)
        assert np.array_equal(self.planner.distances(), distances)
        for unknown in ("low", "normal", "high"):
            expected = priced(states, distances, unknown)
            assert np.array_equal(self.planner.cell_prices(unknown=unknown), expected)

    def check_route(self) -> None:
        unknown = ("low", "normal", "high")[int(self.rng.integers(3))]
        row, col, n_rows, n_cols = self.planner.box
        prices = self.planner.cell_prices(unknown=unknown)
        start = (int(self.rng.integers(n_rows)), int(self.rng.integers(n_cols)))
        goal = (int(self.rng.integers(n_rows)), int(self.rng.integers(n_cols)))
        route = self.planner.plan(
            (row + start[0], col + start[1]), [(row + goal[0], col + goal[1])], unknown=unknown
        )
        if prices[start] == 0:
            return  # see the tests of leaving
        cost = int(self.oracle.least_costs(prices, {start: 0})[goal])
        assert (route.outcome == Outcome.FOUND) == (cost >= 0)
        assert route.cost == max(cost, 0)
        if cost >= 0:
            again = self.planner.price(route.cells, unknown=unknown)
            assert (again.cost, again.known_length, again.unknown_length) == (
                route.cost,
                route.known_length,
                route.unknown_length,
            )


@pytest.mark.parametrize("seed", range(12))
def test_a_world_that_grows_and_changes_equals_one_made_anew(oracle: Oracle, seed: int) -> None:
    model = Model(oracle, seed)
    model.grow()
    for _ in range(12):
        change = (model.grow, model.change_cells, model.change_window)[model.rng.integers(3)]
        change()
        model.check()
        model.check_route()


def test_distances_after_10000_changes_equal_those_computed_anew(oracle: Oracle) -> None:
    rng = np.random.default_rng(11)
    states = np.zeros((90, 110), np.uint8)
    kept = planner_of(states)
    for change in range(10_000):
        row, col = int(rng.integers(90)), int(rng.integers(110))
        states[row, col] = rng.choice([0, 1, 2], p=[0.3, 0.4, 0.3])
        kept.set_cells([row], [col], states[row : row + 1, col])
        if change % 10 == 0:
            kept.distances((row, col, 1, 1))  # brings all up to date
        if change % 1000 == 999:
            fresh = planner_of(states)
            assert np.array_equal(kept.distances(), fresh.distances())
            assert np.array_equal(kept.cell_prices(), fresh.cell_prices())
    assert np.array_equal(kept.distances(), oracle.squared_distances(states == 2, CAP))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_changes_far_apart_on_a_world_that_grows_equal_those_of_a_new_planner(data: Any) -> None:
    """More places than the planner keeps apart, strips on all sides, and places side by side."""
    side, edge = 400, 150
    states = np.zeros((side, side), np.uint8)
    row, col, n_rows, n_cols = (edge, edge, side - 2 * edge, side - 2 * edge)
    kept = Planner()
    kept.cover(row, col, n_rows, n_cols)
    for _ in range(4):
        for _ in range(data.draw(st.integers(1, 12))):
            low_row = data.draw(st.integers(row, row + n_rows - 6))
            low_col = data.draw(st.integers(col, col + n_cols - 6))
            window = states[low_row : low_row + 6, low_col : low_col + 6]
            window[data.draw(st.integers(0, 5)) :, :] = data.draw(st.integers(0, 2))
            kept.set_window(low_row, low_col, np.ascontiguousarray(window))
        up, down, left, right = (data.draw(st.integers(0, edge // 4)) for _ in range(4))
        row, col = row - up, col - left
        n_rows, n_cols = n_rows + up + down, n_cols + left + right
        kept.cover(row, col, n_rows, n_cols)
        fresh = planner_of(states[row : row + n_rows, col : col + n_cols])
        assert np.array_equal(kept.distances(), fresh.distances())
        assert np.array_equal(kept.cell_prices(), fresh.cell_prices())
    first, last = (row, col), (row + n_rows - 1, col + n_cols - 1)
    route = kept.plan(first, [last])
    again = fresh.plan((0, 0), [(n_rows - 1, n_cols - 1)])
    assert (route.outcome, route.cost) == (again.outcome, again.cost)
    assert np.array_equal(route.cells - np.array(first), again.cells)


def test_routes_after_changes_equal_those_of_a_new_planner() -> None:
    rng = np.random.default_rng(5)
    states = rng.choice([0, 1], (60, 80)).astype(np.uint8)
    kept = planner_of(states)
    for _ in range(60):
        row, col = int(rng.integers(50)), int(rng.integers(70))
        states[row : row + 3, col : col + 2] = rng.choice([0, 1, 2])
        kept.set_window(row, col, np.ascontiguousarray(states[row : row + 3, col : col + 2]))
        first = kept.plan((5, 5), [(55, 75)])
        second = planner_of(states).plan((5, 5), [(55, 75)])
        assert np.array_equal(first.cells, second.cells)
        assert (first.outcome, first.cost) == (second.outcome, second.cost)


def test_where_the_world_lies_on_the_lattice_changes_no_route() -> None:
    rng = np.random.default_rng(6)
    states = rng.choice([0, 1, 2], (60, 80), p=[0.3, 0.69, 0.01]).astype(np.uint8)
    near, far = planner_of(states), Planner()
    far.cover(10**6, -(10**6), 1, 1)
    far.cover(10**6, -(10**6), 60, 80)
    far.set_window(10**6, -(10**6), states)
    first = near.plan((5, 5), [(55, 75)])
    second = far.plan((10**6 + 5, 5 - 10**6), [(10**6 + 55, 75 - 10**6)])
    assert np.array_equal(first.cells + np.array([10**6, -(10**6)]), second.cells)


# ---- Prices ----


def test_prices_are_lethal_within_the_shell_then_steep_then_mild_then_nothing() -> None:
    prices = Prices()
    half_mm = prices.cell_um // 2000
    by_mm = {mm: prices.surcharge(mm * mm // half_mm**2) for mm in (140, 160, 180, 260, 300, 360)}
    assert by_mm == {140: None, 160: 8, 180: 7, 260: 3, 300: 2, 360: 0}
    falling = [p for p in TABLE[0].tolist() if p]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] == prices.free


def test_the_first_distance_that_is_not_lethal_is_the_shells() -> None:
    first = int(np.argmax(TABLE[0] > 0))
    assert first * 20**2 >= 156**2 > (first - 1) * 20**2


@pytest.mark.parametrize(
    "figures",
    [
        {"cell_um": 0},
        {"cell_um": 40_001},
        {"free": 0},
        {"free": 250},
        {"lethal_um": 300_000},
        {"far_um": 10_000_000},
        {"wall_near": 9},
        {"leaving": 0},
        {"leaving": 256},
        {"free": 8.0},
        {"free": True},
    ],
)
def test_prices_that_cannot_be_are_refused(figures: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Prices(**figures)


# ---- What routes promise ----


def test_a_route_runs_straight_through_what_was_never_seen() -> None:
    planner = Planner()
    planner.cover(0, 0, 50, 100)
    planner.set_window(0, 0, np.ones((50, 40), np.uint8))
    route = planner.plan((25, 5), [(25, 95)])
    assert (route.cells[:, 0] == 25).all()
    assert route.known_length == 34 * 70
    assert route.unknown_length == 56 * 70
    assert route.known_um(40_000) == 34 * 40_000
    assert route.unknown_um(40_000) == 56 * 40_000


def test_the_price_of_unknown_decides_between_a_short_way_and_a_known_one() -> None:
    """Unknown straight ahead, or round it through the known."""
    states = np.ones((60, 60), np.uint8)
    states[40:, 20:40] = 0
    planner = planner_of(states)
    through = planner.plan((50, 5), [(50, 55)], unknown="low")
    around = planner.plan((50, 5), [(50, 55)], unknown="high")
    assert through.unknown_length > 0
    assert around.unknown_length < through.unknown_length
    assert planner.plan((50, 5), [(50, 55)], unknown="low").cost == through.cost


def test_no_route_comes_within_the_lethal_distance() -> None:
    rng = np.random.default_rng(9)
    states = rng.choice([1, 2], (80, 80), p=[0.99, 0.01]).astype(np.uint8)
    states[:8, :8] = states[-8:, -8:] = 1
    planner = planner_of(states)
    route = planner.plan((2, 2), [(77, 77)])
    assert route.outcome == Outcome.FOUND
    first = int(np.argmax(TABLE[0] > 0))
    assert planner.distances()[tuple(route.cells[route.n_leaving :].T)].min() >= first


def test_a_goal_under_a_known_solid_gets_its_verdict_at_once() -> None:
    states = np.ones((300, 300), np.uint8)
    states[100:110, 100:110] = 2
    route = planner_of(states).plan(
        (290, 290), cells_in_disc(4_200_000, 4_200_000, 150_000, 40_000)
    )
    assert (route.outcome, route.closed_side, route.expanded) == (
        Outcome.EXHAUSTED,
        Side.GOAL,
        0,
    )


def test_a_sealed_room_is_proved_from_inside_whichever_end_it_holds() -> None:
    states = np.zeros((500, 500), np.uint8)
    states[200:250, 200] = states[200:250, 249] = 2
    states[200, 200:250] = states[249, 200:250] = 2
    planner = planner_of(states)
    inward = planner.plan((450, 450), [(225, 225)])
    outward = planner.plan((225, 225), [(450, 450)])
    assert (inward.outcome, inward.closed_side) == (Outcome.EXHAUSTED, Side.GOAL)
    assert (outward.outcome, outward.closed_side) == (Outcome.EXHAUSTED, Side.START)
    assert max(inward.expanded, outward.expanded) < 16_000


def test_a_route_never_ends_elsewhere_than_asked() -> None:
    rng = np.random.default_rng(12)
    for _ in range(80):
        states = rng.choice([0, 1, 2], (40, 40), p=[0.2, 0.76, 0.04]).astype(np.uint8)
        planner = planner_of(states)
        goals = cells_in_disc(
            *(int(v) for v in rng.integers(300_000, 1_300_000, 2)), 150_000, 40_000
        )
        route = planner.plan((int(rng.integers(40)), int(rng.integers(40))), goals)
        if route.outcome == Outcome.FOUND:
            assert route.cells[-1].tolist() == goals[route.goal].tolist()
        else:
            assert len(route.cells) == 0


def test_a_disc_holds_the_cells_whose_centres_are_within_it() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y, radius = (
            int(v) for v in (*rng.integers(-(10**6), 10**6, 2), rng.integers(0, 300_000))
        )
        cells = cells_in_disc(x, y, radius, 40_000)
        near = {
            (row, col)
            for row in range(y // 40_000 - 9, y // 40_000 + 10)
            for col in range(x // 40_000 - 9, x // 40_000 + 10)
            if (row * 40_000 + 20_000 - y) ** 2 + (col * 40_000 + 20_000 - x) ** 2 <= radius**2
        }
        assert {tuple(cell) for cell in cells.tolist()} == (near or {(y // 40_000, x // 40_000)})
    assert cells_in_disc(-1, 79_999, 0, 40_000).tolist() == [[1, -1]]


# ---- Leaving lethal cells ----


def leaving_oracle(oracle: Oracle, states: np.ndarray, planner: Planner, start: Any) -> np.ndarray:
    """Costs by the shortest way out, then the next, each over what the last did not reach."""
    prices = planner.cell_prices()
    passable = (states != 2) & (prices == 0)
    passable[start] = True
    lengths = np.full(states.shape, -1, np.int64)
    lengths[start] = 0
    ahead = {start: 0}
    exits: dict[Any, int] = {}  # length of the way to each
    may_enter = states != 2
    while ahead:
        cell = min(ahead, key=ahead.__getitem__)
        length = ahead.pop(cell)
        for to, step in oracle.neighbours(may_enter, cell):
            further = length + step
            if prices[to]:
                exits[to] = min(exits.get(to, further), further)
            elif lengths[to] < 0 or further < lengths[to]:
                lengths[to] = ahead[to] = further
    costs = np.full(states.shape, -1, np.int64)
    while left := {cell: length for cell, length in exits.items() if costs[cell] < 0}:
        nearest = min(left.values())
        cost = nearest * planner.prices.leaving
        starts = {cell: cost for cell, length in left.items() if length == nearest}
        found = oracle.least_costs(prices, starts)
        costs = np.where(costs < 0, found, costs)
    return costs


@pytest.mark.parametrize("seed", range(40))
def test_a_shell_in_lethal_cells_leaves_by_the_shortest_way(oracle: Oracle, seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = rng.choice([0, 1, 2], (36, 36), p=[0.2, 0.765, 0.035]).astype(np.uint8)
    planner = planner_of(states)
    lethal = np.argwhere(planner.cell_prices() == 0)
    start = tuple(int(value) for value in lethal[rng.integers(len(lethal))])
    expected = leaving_oracle(oracle, states, planner, start)
    assert np.array_equal(planner.reach(start), expected)
    for goal in rng.integers(0, 36, (6, 2)).tolist():
        route = planner.plan(start, [goal])
        if tuple(goal) == start:
            assert route.n_leaving == 0
            continue
        assert (route.outcome == Outcome.FOUND) == (expected[tuple(goal)] >= 0)
        if route.outcome == Outcome.FOUND:
            assert route.cost == expected[tuple(goal)]
            assert tuple(route.cells[0]) == start
            prices = planner.cell_prices()[tuple(route.cells.T)]
            assert (prices[: route.n_leaving] == 0).all()
            assert (prices[route.n_leaving :] > 0).all()
            assert (states[tuple(route.cells[1:].T)] != 2).all()
            again = planner.price(route.cells)
            assert (again.cost, again.n_leaving) == (route.cost, route.n_leaving)


def test_a_shell_in_a_tight_corridor_takes_the_far_end_if_the_near_one_leads_nowhere(
    oracle: Oracle,
) -> None:
    states = np.ones((60, 120), np.uint8)
    states[:26, 30:90] = states[33:, 30:90] = 2  # a corridor of 0.28 m
    states[:, [0, -1]] = states[[0, -1]] = 2
    planner = planner_of(states)
    near = planner.plan((29, 40), [(29, 15)])
    far = planner.plan((29, 40), [(29, 105)])
    assert near.outcome == far.outcome == Outcome.FOUND
    assert near.n_leaving < far.n_leaving
    assert planner.plan((29, 15), [(29, 105)]).outcome == Outcome.EXHAUSTED


def test_a_shell_shut_in_by_occupied_cells_does_not_leave(oracle: Oracle) -> None:
    states = np.ones((40, 40), np.uint8)
    states[19:22, 19:22] = 2
    planner = planner_of(states)
    route = planner.plan((20, 20), [(2, 2)])
    assert (route.outcome, route.closed_side) == (Outcome.EXHAUSTED, Side.START)
    states[20, 21] = 1
    planner.set_cells([20], [21], np.array([1], np.uint8))
    assert planner.plan((20, 20), [(2, 2)]).outcome == Outcome.FOUND


# ---- Prices of routes, and routes of a field ----


def test_a_wall_across_a_route_closes_it_where_it_stands() -> None:
    planner = planner_of(np.ones((40, 80), np.uint8))
    route = planner.plan((20, 5), [(20, 75)])
    planner.set_cells(range(40), [40] * 40, np.full(40, 2, np.uint8))
    closed = planner.price(route.cells)
    assert closed.outcome == Outcome.EXHAUSTED
    assert route.cells[closed.goal].tolist() == [20, 36]  # 0.156 m before the face: four cells
    planner.set_cells(range(40), [40] * 40, np.full(40, 1, np.uint8))
    assert planner.price(route.cells).cost == route.cost


def test_the_routes_of_a_field_cost_what_it_says(oracle: Oracle) -> None:
    rng = np.random.default_rng(21)
    states = rng.choice([0, 1, 2], (50, 50), p=[0.2, 0.77, 0.03]).astype(np.uint8)
    planner = planner_of(states)
    prices = planner.cell_prices()
    start = tuple(int(value) for value in np.argwhere(prices)[0])
    field = planner.reach(start)
    assert np.array_equal(field, oracle.least_costs(prices, {start: 0}))
    for cell in rng.integers(0, 50, (100, 2)).tolist():
        route = planner.reached(cell)
        assert route.cost == max(0, field[tuple(cell)])
        assert (route.outcome == Outcome.FOUND) == (field[tuple(cell)] >= 0)
        if route.outcome == Outcome.FOUND:
            assert oracle.route_cost(prices, route.cells) == route.cost


def test_a_field_is_stale_after_any_change_or_another_search() -> None:
    planner = planner_of(np.ones((20, 20), np.uint8))
    spoilers = [
        lambda: planner.set_cells([1], [1], np.array([0], np.uint8)),
        lambda: planner.set_window(1, 1, np.ones((1, 1), np.uint8)),
        lambda: planner.cover(-1, 0, 1, 1),
        lambda: planner.plan((0, 0), [(5, 5)]),
        lambda: planner.cell_prices(unknown="high"),
    ]
    for spoil in spoilers:
        planner.reach((3, 3))
        planner.reached((9, 9))
        spoil()
        with pytest.raises(OptionError):
            planner.reached((9, 9))


# ---- Bounds ----


def test_memory_is_at_most_24_bytes_a_cell_of_a_20_m_map() -> None:
    rng = np.random.default_rng(2)
    planner = planner_of(rng.choice([0, 1, 2], (512, 512), p=[0.3, 0.697, 0.003]).astype(np.uint8))
    planner.plan((5, 5), [(500, 500)])
    planner.reach((5, 5))
    assert planner.bytes_held <= 24 * 512 * 512


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_same_searches_again_take_no_more_memory(seed: int) -> None:
    rng = np.random.default_rng(seed)
    planner = planner_of(rng.choice([0, 1, 2], (40, 40), p=[0.2, 0.79, 0.01]).astype(np.uint8))
    queries = rng.integers(0, 40, (12, 2, 2)).tolist()  # from lethal cells, too

    def search() -> int:
        for start, goal in queries:
            planner.plan(tuple(start), [tuple(goal)])
            planner.reach(tuple(start))
        return planner.bytes_held

    held = search()
    assert [search() for _ in range(3)] == [held] * 3


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_a_world_grown_piece_by_piece_holds_at_most_24_bytes_a_cell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    planner = Planner()
    for _ in range(20):
        row, col = (int(value) for value in rng.integers(-400, 400, 2))
        planner.cover(row, col, 120, 120)
    _, _, n_rows, n_cols = planner.box
    planner.distances()
    assert planner.bytes_held <= 24 * max(n_rows * n_cols, 400 * 400)


def blank() -> Planner:
    return planner_of(np.ones((4, 5), np.uint8))


ONE = np.ones(1, np.uint8)


@pytest.mark.parametrize(
    "call",
    [
        lambda: blank().cover(0, 0, 0, 1),
        lambda: blank().cover(0, 0, 32_001, 1),
        lambda: blank().cover(30_000, 30_000, 9000, 9000),
        lambda: blank().cover(2**24, 0, 1, 1),
        lambda: blank().cover(-(2**31), 0, 1, 1),
        lambda: blank().cover(2**31, 0, 1, 1),
        lambda: blank().cover(31_999, 0, 3, 1),
        lambda: blank().set_cells([4], [0], ONE),
        lambda: blank().set_cells([0], [-1], ONE),
        lambda: blank().set_cells([0], [0], ONE * 3),
        lambda: blank().set_cells([0, 1], [0], ONE),
        lambda: blank().set_cells([0], [0], np.ones(2, np.uint8)),
        lambda: blank().set_cells([0], [0], np.ones(1, np.int64)),
        lambda: blank().set_cells([0.0], [0], ONE),
        lambda: blank().set_window(0, 0, np.ones((5, 5), np.uint8)),
        lambda: blank().set_window(0, 0, np.ones(5, np.uint8)),
        lambda: blank().set_window(0, 0, np.full((2, 2), 9, np.uint8)),
        lambda: blank().set_window(1, 1, np.ones((0, 2), np.uint8)),
        lambda: blank().states((0, 0, 5, 5)),
        lambda: blank().distances((0, 0, 0, 0)),
        lambda: blank().cell_prices((0, 0)),
        lambda: blank().cell_prices(unknown="hi"),
        lambda: blank().plan((0, 5), [(0, 0)]),
        lambda: blank().plan((0, 0), [(4, 0)]),
        lambda: blank().plan((0, 0), np.empty((0, 2), int)),
        lambda: blank().plan((0, 0), [(0, 1)], unknown="dear"),
        lambda: blank().plan((0, 0), [(0, 1)], node_limit=0),
        lambda: blank().reach((9, 9)),
        lambda: blank().reached((0, 0)),
        lambda: blank().price([(0, 0), (2, 0)]),
        lambda: blank().price([(0, 0), (0, 0)]),
        lambda: blank().price([(0, 0), (-1, 0)]),
        lambda: blank().price(np.empty((0, 2), int)),
        lambda: Planner().plan((0, 0), [(0, 0)]),
        lambda: Planner().states(),
        lambda: Planner().reach((0, 0)),
        lambda: cells_in_disc(0, 0, 10**9, 40_000),
    ],
)
def test_bad_arguments_are_refused_by_name(call: Any) -> None:
    with pytest.raises(OptionError):
        call()


def test_after_a_refusal_nothing_has_changed() -> None:
    planner = blank()
    for call in (
        lambda: planner.set_cells([0, 9], [0, 0], np.array([2, 2], np.uint8)),
        lambda: planner.cover(30_000, 30_000, 9000, 9000),
    ):
        with pytest.raises(OptionError):
            call()
    assert planner.box == (0, 0, 4, 5)
    assert (planner.states() == 1).all()
