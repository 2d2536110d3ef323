"""A point's way: joined or closed in, by what; and the narrowest place of the widest way."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from kinewright_env.errors import OptionError
from kinewright_env.grids import Side, WayFinder

Oracle = Any  # oracles.py


def random_states(seed: int) -> tuple[np.ndarray, tuple[int, int], np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 22, 2))
    share = rng.choice([0.05, 0.3, 0.45])
    states = rng.choice([0, 1, 2], shape, p=[(1 - share) / 2, (1 - share) / 2, share])
    start = (int(rng.integers(shape[0])), int(rng.integers(shape[1])))
    goals = np.stack([rng.integers(n, size=int(rng.integers(1, 4))) for n in shape[:1]], axis=-1)
    goals = np.concatenate([goals, rng.integers(shape[1], size=(len(goals), 1))], axis=1)
    return states.astype(np.uint8), start, goals


def test_500_random_arrays_are_joined_as_a_flood_says(oracle: Oracle) -> None:
    finder = WayFinder()
    for seed in range(500):
        states, start, goals = random_states(seed)
        way = finder.point(states, start, goals)
        passable = states != 2
        passable[start] = True
        of_start = oracle.flooded(passable, start)
        open_goals = [tuple(goal) for goal in goals.tolist() if passable[tuple(goal)]]
        assert way.joined == any(goal in of_start for goal in open_goals)
        if way.joined:
            assert way.closed_side == Side.NONE
            continue
        of_goals = set().union(*(oracle.flooded(passable, goal) for goal in open_goals))
        closed = of_start if way.closed_side == Side.START else of_goals
        assert len(closed) == min(len(of_start), len(of_goals))
        assert (way.n_start if way.closed_side == Side.START else way.n_goal) == len(closed)
        check_walls(states, closed, way, goals)


def check_walls(states: np.ndarray, closed: set[Any], way: Any, goals: np.ndarray) -> None:
    if not closed:
        assert way.walls.tolist() == goals.tolist()
        return
    rows, cols = zip(*closed, strict=True)
    row, col = min(rows), min(cols)
    assert way.box == (row, col, max(rows) - row + 1, max(cols) - col + 1)
    beside = {
        (i + up, j + right) for i, j in closed for up, right in ((1, 0), (-1, 0), (0, 1), (0, -1))
    } - closed
    inside = {c for c in beside if 0 <= c[0] < states.shape[0] and 0 <= c[1] < states.shape[1]}
    assert way.at_border == (inside != beside)
    assert [tuple(wall) for wall in way.walls.tolist()] == sorted(inside)


def test_a_sealed_pocket_is_proved_in_as_many_steps_as_it_has_cells(oracle: Oracle) -> None:
    states = np.ones((600, 600), np.uint8)
    states[100:110, [100, 109]] = states[[100, 109], 100:110] = 2
    way = WayFinder().point(states, (500, 500), [(105, 105)])
    assert (way.closed_side, way.n_goal, way.at_border) == (Side.GOAL, 64, False)
    assert way.n_start < 200
    assert way.box == (101, 101, 8, 8)
    assert len(way.walls) == 32


def test_a_goal_under_a_solid_is_closed_by_the_solid() -> None:
    states = np.ones((50, 50), np.uint8)
    states[20:30, 20:30] = 2
    way = WayFinder().point(states, (5, 5), [(24, 24), (25, 25)])
    assert (way.joined, way.closed_side, way.n_goal) == (False, Side.GOAL, 0)
    assert way.walls.tolist() == [[24, 24], [25, 25]]


def test_nothing_slips_between_two_cells_that_touch_at_a_corner(oracle: Oracle) -> None:
    states, named = oracle.cells_of("""
        S.#..
        ..#..
        ##...
        ....G
    """)
    finder = WayFinder()
    assert finder.point(states, named["S"], [named["G"]]).closed_side == Side.START
    assert not finder.widest(states, named["S"], [named["G"]]).found


# ---- The widest way ----


def clearances(states: np.ndarray, start: tuple[int, int], cap: int) -> np.ndarray:
    """Squared distance from each half-cell point to the nearest occupied square."""
    rows, cols = np.indices((2 * states.shape[0] + 1, 2 * states.shape[1] + 1))
    out = np.full(rows.shape, cap, np.int64)
    for row, col in np.argwhere(states == 2):
        if (row, col) == start:
            continue
        up = np.maximum(0, abs(rows - (2 * row + 1)) - 1)
        right = np.maximum(0, abs(cols - (2 * col + 1)) - 1)
        out = np.minimum(out, up * up + right * right)
    return out


def bottleneck(clearance: np.ndarray, start: Any, goals: list[Any], cap: int) -> int:
    """Least clearance of the widest way, by joining points from the widest down; 0 for none."""
    parent: dict[Any, Any] = {}

    def root(point: Any) -> Any:
        while parent[point] != point:
            parent[point] = parent[parent[point]]
            point = parent[point]
        return point

    own = clearance.copy()
    own[start] = cap
    inner = itertools.product(range(1, own.shape[0] - 1), range(1, own.shape[1] - 1))
    for point in sorted(inner, key=lambda p: -own[p]):
        if own[point] == 0:
            return 0
        parent[point] = point
        row, col = point
        for near in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if near in parent:
                parent[root(near)] = root(point)
        if start in parent and any(g in parent and root(g) == root(start) for g in goals):
            return int(own[point])
    return 0


def test_300_random_arrays_give_the_bottleneck_by_union_and_find() -> None:
    finder = WayFinder()
    for seed in range(300):
        states, start, goals = random_states(seed + 1000)
        most = int(np.random.default_rng(seed).integers(1, 13))
        clearance = clearances(states, start, most**2)
        way = finder.widest(states, start, goals, most=most)
        at = (2 * start[0] + 1, 2 * start[1] + 1)
        to = [(2 * row + 1, 2 * col + 1) for row, col in goals.tolist()]
        expected = bottleneck(clearance, at, to, most**2)
        assert way.found == (expected > 0)
        assert way.clearance == expected
        assert finder.point(states, start, goals).joined == way.found
        if way.found:
            check_way(way, clearance, at, to)


def check_way(way: Any, clearance: np.ndarray, start: Any, goals: list[Any]) -> None:
    points = [tuple(point) for point in way.points[:, :2].tolist()]
    assert points[0] == start
    assert points[-1] in goals
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in itertools.pairwise(points))
    assert way.points[:, 2].tolist() == [clearance[point] for point in points]
    counted = [clearance[point] for point in points[1:]]
    if counted and not way.is_capped:
        assert min(counted) == way.clearance
        assert counted[way.narrowest - 1] == way.clearance
    cells = way.cells()
    assert (np.abs(np.diff(cells, axis=0)).max(axis=1, initial=0) <= 1).all()


@pytest.mark.parametrize("width", [1, 2, 7, 12, 14])
@pytest.mark.parametrize("turned", [False, True])
def test_a_gap_between_two_faces_is_read_exactly(width: int, turned: bool) -> None:
    states = np.ones((60, 70), np.uint8)
    states[:, 30:34] = 2
    states[20 : 20 + width, 30:34] = 1
    states = np.ascontiguousarray(states.T) if turned else states
    start, goal = (10, 5), (40, 65)
    if turned:
        start, goal = start[::-1], goal[::-1]
    way = WayFinder().widest(states, start, [goal])
    assert way.width_um(20_000) == width * 20_000
    assert way.gap_um(20_000) == width * 20_000
    assert way.between is not None
    sides = {cell[1] if turned else cell[0] for cell in way.between}
    assert sides == {19, 20 + width}


def test_a_gap_between_two_corners_is_never_read_too_wide() -> None:
    finder = WayFinder()
    for up, right in itertools.product(range(8), range(1, 8)):
        states = np.ones((60, 60), np.uint8)
        states[: 30 - up, 30] = 2
        states[30:, 30 + right] = 2
        way = finder.widest(states, (30, 5), [(30, 55)])
        true_um = math.isqrt((up**2 + (right - 1) ** 2) * 20_000**2)
        assert way.found == (true_um > 0)
        if way.found:
            assert way.gap_um(20_000) == true_um
            assert true_um - 20_000 < way.width_um(20_000) <= true_um


def test_the_start_itself_does_not_count_nor_what_is_exempt() -> None:
    states = np.ones((40, 80), np.uint8)
    states[0] = states[:12, 40] = states[28:, 40] = 2  # a gap of 16; the start beside a wall
    finder = WayFinder()
    near = finder.widest(states, (2, 5), [(20, 70)])
    assert near.width_um(20_000) < 16 * 20_000
    away = finder.widest(states, (2, 5), [(20, 70)], exempt=32)
    assert away.width_um(20_000) == 16 * 20_000
    assert away.cells()[0].tolist() == [2, 5]


def test_a_way_that_is_nowhere_narrow_is_capped() -> None:
    way = WayFinder().widest(np.zeros((30, 30), np.uint8), (3, 3), [(20, 20)], most=10)
    assert way.is_capped
    assert (way.clearance, way.between) == (100, None)
    assert len(way.points) == 2 * (17 + 17) + 1


def test_turned_and_mirrored_arrays_give_the_same_width() -> None:
    finder = WayFinder()
    for seed in range(60):
        states, start, goals = random_states(seed)
        n_rows = len(states)
        first = finder.widest(states, start, goals)
        second = finder.widest(
            np.ascontiguousarray(states[::-1].T),
            (start[1], n_rows - 1 - start[0]),
            np.stack([goals[:, 1], n_rows - 1 - goals[:, 0]], axis=1),
        )
        assert (first.found, first.clearance) == (second.found, second.clearance)


GOOD = np.ones((3, 4), np.uint8)


@pytest.mark.parametrize(
    "call",
    [
        lambda finder: finder.point(GOOD, (3, 0), [(0, 0)]),
        lambda finder: finder.point(GOOD, (0, 0), [(0, 4)]),
        lambda finder: finder.point(GOOD, (0, 0), np.empty((0, 2), int)),
        lambda finder: finder.point(GOOD[0], (0, 0), [(0, 0)]),
        lambda finder: finder.point(GOOD * 3, (0, 0), [(0, 0)]),
        lambda finder: finder.point(GOOD.astype(int), (0, 0), [(0, 0)]),
        lambda finder: finder.point(np.ones((0, 0), np.uint8), (0, 0), [(0, 0)]),
        lambda finder: finder.widest(GOOD, (0, -1), [(0, 0)]),
        lambda finder: finder.widest(GOOD, (0, 0), [(9, 0)]),
        lambda finder: finder.widest(GOOD, (0, 0), [(0, 0)], most=0),
        lambda finder: finder.widest(GOOD, (0, 0), [(0, 0)], most=127),
        lambda finder: finder.widest(GOOD, (0, 0), [(0, 0)], exempt=-1),
        lambda finder: finder.widest(GOOD, (0, 0), [(0, 0)], exempt=10**9),
    ],
)
def test_bad_arguments_are_refused_by_name(call: Any) -> None:
    with pytest.raises(OptionError):
        call(WayFinder())
