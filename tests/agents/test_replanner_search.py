"""The generic search: cheapest paths, honest failures, any dynamics model."""

import heapq
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_agents.replanner.dynamics import GridCostDynamics, GridDynamics
from kinewright_agents.replanner.grid_map import StaticGridMap
from kinewright_agents.replanner.search import best_first_search

from .drawn_maps import drawn_map

MAPS = Path(__file__).resolve().parents[3] / "shared/data/movingai"
NODE_LIMIT = 60_000  # raised for the cases of other planners
NAMES = (
    *("arena", "den011d", "hrt201n", "brc202d"),
    *("64room_000", "maze512-2-5", "random512-20-0", "Milan_1_1024"),
)


class Table:
    """A dynamics model that has nothing to do with grids."""

    def __init__(self, moves):
        self.moves = moves

    def successors(self, state):
        return self.moves.get(state, ())


def test_any_dynamics_model_will_do():
    """Pouring between jugs of 3 and 5 litres until 4 are left, each litre moved at a price."""

    class Jugs:
        def successors(self, state):
            a, b = state
            to_b, to_a = min(a, 5 - b), min(b, 3 - a)
            for following in (
                *((3, b), (a, 5), (0, b), (a, 0)),
                *((a - to_b, b + to_b), (a + to_a, b - to_a)),
            ):
                moved = abs(following[0] - a) + abs(following[1] - b)
                yield following, float(moved)

    answer = best_first_search(Jugs(), (0, 0), lambda state: state[1] == 4)
    assert answer.outcome == "found"
    assert answer.path[0] == (0, 0)
    assert answer.path[-1][1] == 4
    assert len(answer.path) == 7


def test_a_start_that_is_a_goal_is_a_path_of_one():
    answer = best_first_search(Table({}), "here", lambda state: state == "here")
    assert answer == (["here"], 0.0, 0, "found")


def test_no_way_is_said_with_the_nodes_expanded():
    answer = best_first_search(Table({1: [(2, 1.0)], 2: [(1, 1.0)]}), 1, lambda state: state == 9)
    assert answer == (None, math.inf, 2, "no_way")


def test_a_limit_reached_is_not_no_way():
    class Line:
        def successors(self, state):
            yield state + 1, 1.0

    answer = best_first_search(Line(), 0, lambda state: state == 50, max_nodes=49)
    assert answer == (None, math.inf, 49, "node_limit")
    assert best_first_search(Line(), 0, lambda state: state == 50, max_nodes=50).cost == 50.0


def test_a_limit_that_is_just_enough_for_the_proof_gives_the_proof():
    moves = {n: [(n + 1, 1.0)] for n in range(9)}
    answer = best_first_search(Table(moves), 0, lambda state: False, max_nodes=10)
    assert answer == (None, math.inf, 10, "no_way")


def test_a_guess_that_is_too_high_still_finds_a_path():
    moves = {"a": [("b", 1.0), ("c", 1.0)], "b": [("d", 5.0)], "c": [("d", 1.0)]}
    guess = {"a": 2.0, "b": 1.0, "c": 99.0, "d": 0.0}
    answer = best_first_search(Table(moves), "a", lambda state: state == "d", guess.get)
    assert answer.path == ["a", "b", "d"]
    assert best_first_search(Table(moves), "a", lambda state: state == "d").cost == 2.0


# ---- Against Dijkstra's search, written anew ----


def cheapest(prices, start, goal):
    """Dijkstra over an array of prices a unit of length, infinite where nobody may be."""
    n_j, n_i = prices.shape
    done, heap = {}, [(0.0, start)]

    def price(i, j):
        return prices[j, i] if 0 <= i < n_i and 0 <= j < n_j else math.inf

    while heap:
        cost, (i, j) = heapq.heappop(heap)
        if (i, j) in done:
            continue
        done[i, j] = cost
        for di, dj in itertools.product((-1, 0, 1), repeat=2):
            beside = (price(i + di, j), price(i, j + dj), price(i + di, j + dj))
            if (di or dj) and (max(beside) if di and dj else beside[2]) < math.inf:
                step = math.hypot(di, dj) * price(i + di, j + dj)
                heapq.heappush(heap, (cost + step, (i + di, j + dj)))
    return done.get(goal, math.inf)


def guess_to(goal):
    return lambda indices: math.dist(indices, goal)


@st.composite
def maps(draw):
    n_i, n_j = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = st.lists(st.integers(0, 9), min_size=n_i * n_j, max_size=n_i * n_j)
    return np.array(draw(cells)).reshape(n_j, n_i)


@given(maps(), st.data())
@settings(max_examples=200, deadline=None)
def test_the_path_costs_what_dijkstras_does(levels, data):
    occupied = levels < 3
    world_map = StaticGridMap(occupied, cell_m=1.0)
    places = [(i, j) for j, i in np.ndindex(occupied.shape)]
    start, goal = data.draw(st.sampled_from(places)), data.draw(st.sampled_from(places))
    answer = best_first_search(
        GridDynamics(world_map), start, lambda state: state == goal, guess_to(goal)
    )
    prices = np.where(occupied, math.inf, 1.0)
    assert answer.cost == pytest.approx(cheapest(prices, start, goal), abs=1e-9)
    if answer.path is None:
        assert answer.outcome == "no_way"
    else:
        assert (answer.path[0], answer.path[-1]) == (start, goal)
        steps = list(itertools.pairwise(answer.path))
        assert sum(math.dist(a, b) for a, b in steps) == pytest.approx(answer.cost)
        for (i, j), (k, m) in steps:
            assert not (occupied[m, k] or occupied[m, i] or occupied[j, k]) or i == k or j == m
            assert not occupied[m, k]


@given(maps(), st.data())
@settings(max_examples=200, deadline=None)
def test_the_priced_path_costs_what_dijkstras_does(levels, data):
    chances = {0: 1.0, 1: 1.0, 2: 0.9, 3: 0.5}

    class Risky:
        cell_m = 1.0

        def occupancy_probability(self, indices):
            i, j = indices
            if 0 <= i < levels.shape[1] and 0 <= j < levels.shape[0]:
                return chances.get(int(levels[j, i]), 0.0)
            return 1.0

    prices = np.array([[_price(chances.get(int(n), 0.0)) for n in row] for row in levels])
    places = [(i, j) for j, i in np.ndindex(levels.shape)]
    start, goal = data.draw(st.sampled_from(places)), data.draw(st.sampled_from(places))
    answer = best_first_search(
        GridCostDynamics(Risky()), start, lambda state: state == goal, guess_to(goal)
    )
    assert answer.cost == pytest.approx(cheapest(prices, start, goal), rel=1e-12)


def _price(probability):
    return 1.0 / (1.0 - probability) if probability < 1.0 else math.inf


def test_corners_are_not_cut():
    world_map, at = drawn_map(
        """
        .G
        S#
        """
    )
    answer = best_first_search(GridDynamics(world_map), at["S"], lambda state: state == at["G"])
    assert answer.path == [(0, 0), (0, 1), (1, 1)]
    world_map, at = drawn_map(
        """
        #G
        S#
        """
    )
    answer = best_first_search(GridDynamics(world_map), at["S"], lambda state: state == at["G"])
    assert answer.outcome == "no_way"


# ---- Moving AI ----


def read_map(name):
    """Return the map, upside down as the file draws it: its y is j."""
    lines = (MAPS / f"{name}.map").read_text().splitlines()[4:]
    return StaticGridMap(
        np.array([[cell not in ".GS" for cell in line] for line in lines]), cell_m=1.0
    )


def cases(name):
    for line in (MAPS / f"{name}.map.scen").read_text().splitlines()[1:]:
        fields = line.split()
        if len(fields) == 9:
            start, goal = (int(fields[4]), int(fields[5])), (int(fields[6]), int(fields[7]))
            yield start, goal, fields[8]


def half_a_last_digit(written):
    """Half a unit of the last digit that the file gives; six digits drop trailing zeros."""
    whole, _, decimals = written.partition(".")
    least = 8 if len(decimals) > 6 else 6 - len(whole)
    return 0.5 * 10.0 ** -max(least, len(decimals)) + 1e-9


def root_of_two(written):
    """The files' own: with eight decimals of a length nine, else single precision's seven."""
    return 1.414213562 if len(written.partition(".")[2]) > 6 else 1.4142135


def solve(world_map, start, goal):
    return best_first_search(
        GridDynamics(world_map), start, lambda state: state == goal, guess_to(goal), NODE_LIMIT
    )


def check(name, chosen):
    world_map, solved = read_map(name), 0
    for start, goal, written in chosen:
        answer = solve(world_map, start, goal)
        if answer.outcome == "node_limit":
            continue
        pairs = itertools.pairwise(answer.path or [])
        diagonal = sum(a[0] != b[0] and a[1] != b[1] for a, b in pairs)
        bound = half_a_last_digit(written) + diagonal * (math.sqrt(2.0) - root_of_two(written))
        assert answer.cost == pytest.approx(float(written), abs=bound), f"{start} to {goal}"
        solved += 1
    return solved


needs_maps = pytest.mark.skipif(not MAPS.is_dir(), reason=f"no data in {MAPS}")


@needs_maps
@pytest.mark.parametrize(
    ("name", "step"), [("arena", 20), ("den011d", 100), ("random512-20-0", 50)]
)
def test_paths_of_moving_ai_are_as_long_as_the_files_say(name, step):
    chosen = list(cases(name))[::step]
    assert check(name, chosen) == len(chosen)


@needs_maps
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_path_of_moving_ai_within_the_limit_is_as_long_as_the_files_say(name):
    chosen = list(cases(name))
    solved = check(name, chosen)
    print(f"{name}: {solved} of {len(chosen)} cases within {NODE_LIMIT} nodes")
    assert solved > 0
