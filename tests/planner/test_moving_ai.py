"""Least routes on the maps of the Moving AI Lab, against the lengths published with them."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kinewright_env.grids import Outcome, PriceSearch

DATA = Path(__file__).resolve().parents[3] / "shared/data/movingai"
MAPS = [
    "64room_000",
    "Milan_1_1024",
    "arena",
    "brc202d",
    "den011d",
    "hrt201n",
    "maze512-2-5",
    "random512-20-0",
]
ROOT_OF_TWO = 5.2e-5  # 99 / 70 is so much more than the root of two
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the Moving AI maps are not beside the tree"
)


def grid_of(lines: list[str]) -> np.ndarray:
    """Return 1 for the cells that may be entered from the ground."""
    return np.array([[mark in ".GS" for mark in line] for line in lines], np.uint8)


def read_map(name: str) -> np.ndarray:
    lines = (DATA / f"{name}.map").read_text().split("\n")
    n_rows = int(lines[1].split()[1])
    return grid_of([line.rstrip("\r") for line in lines[4 : 4 + n_rows]])


def scenarios(name: str) -> Iterator[tuple[tuple[int, int], tuple[int, int], float, float]]:
    """Yield start, goal, published length and half a unit of its last digit."""
    for line in (DATA / f"{name}.map.scen").read_text().splitlines()[1:]:
        fields = line.split()
        if len(fields) == 9:
            x, y, goal_x, goal_y = map(int, fields[4:8])
            whole, _, decimals = fields[8].partition(".")
            digits = 8 if len(decimals) == 8 else 6 - len(whole)
            yield (y, x), (goal_y, goal_x), float(fields[8]), 0.5 * 10.0**-digits


def length_of(cells: np.ndarray) -> float:
    steps = np.abs(np.diff(cells, axis=0)).sum(axis=1)
    return float((steps == 1).sum() + (steps == 2).sum() * math.sqrt(2))


def check(name: str, share: int) -> None:
    search = PriceSearch(read_map(name))
    checked = 0
    for start, goal, length, rounding in itertools.islice(scenarios(name), 0, None, share):
        route = search.plan(start, [goal])
        assert route.outcome == Outcome.FOUND
        found = length_of(route.cells)
        assert length - rounding - 1e-9 <= found <= (length + rounding) * (1 + ROOT_OF_TWO)
        assert route.cost <= 70 * (length + rounding) * (1 + ROOT_OF_TWO)
        checked += 1
    assert checked >= 5


@pytest.mark.parametrize("name", MAPS)
def test_a_sample_of_each_map_has_the_published_lengths(name: str) -> None:
    n = sum(1 for _ in scenarios(name))
    check(name, max(1, n // 8))


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_every_scenario_has_the_published_length(name: str) -> None:
    check(name, 1)


@pytest.mark.slow
def test_a_map_that_changes_between_queries_has_the_published_lengths() -> None:
    """2,000 queries on dao_arena2, laid over with 439 patches."""
    patches: dict[int, np.ndarray] = {}
    lines = iter((DATA / "dao_arena2.patch").read_text().splitlines())
    for line in lines:
        if line.startswith("patch "):
            number, n_rows = int(line.split()[1]), int(next(lines).split()[1])
            next(lines), next(lines)  # width, map
            patches[number] = grid_of([next(lines) for _ in range(n_rows)])
    commands = (DATA / "dao_arena2.scen").read_text().splitlines()
    sizes = {key: int(value) for key, value in (c.split()[:2] for c in commands[1:3])}
    prices = np.ones((sizes["height"], sizes["width"]), np.uint8)
    search, asked = PriceSearch(prices), 0
    for command in commands:
        kind, *fields = command.split()
        if kind == "P":
            _, number, x, y = map(int, fields)
            patch = patches[number]
            prices[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
            search.set_prices(prices)
        elif kind == "Q":
            _, x, y, goal_x, goal_y = map(int, fields[:5])
            route = search.plan((y, x), [(goal_y, goal_x)])
            assert length_of(route.cells) == pytest.approx(
                float(fields[5]), rel=ROOT_OF_TWO, abs=0.006
            )
            asked += 1
    assert asked == 2000
