"""Where `explore` says of a generated scene that its map is complete, all was seen.

The oracle is a flood over the cells that the scene's own solids leave free, for a disc that is
0.04 m wider than the body with its clearance on every side.
"""

import itertools

import numpy as np
import pytest

from kinewright_agents import make
from kinewright_env import occupancy, run
from kinewright_env.env import DriveEnv
from kinewright_env.scene import Scene
from kinewright_env.shells import SHELLS

GENERATORS = ("random_rooms", "random_maze", "sealed_or_not")
CELL_M = 0.04  # of the planner; the belief has two by two for one
DISC_CELLS = 5
SAMPLE, MANY = 8, 200
COMPLETE_AT_LEAST = 0.95
OTHER_ENDS = {"at_goal", "stopped_trying", "out_of_time"}  # it may come to rest in a goal


def grown(cells: np.ndarray, radius: int) -> np.ndarray:
    padded, out = np.pad(cells, radius, constant_values=True), np.zeros_like(cells)
    for row, col in itertools.product(range(-radius, radius + 1), repeat=2):
        if row * row + col * col <= radius * radius:
            low, left = radius + row, radius + col
            out |= padded[low : low + cells.shape[0], left : left + cells.shape[1]]
    return out


def reachable(scene: Scene) -> tuple[tuple[int, int], np.ndarray]:
    """Return the first row and column, and the cells that the disc's centre can come to."""
    solid = occupancy(scene, CELL_M)
    free = ~grown(solid.cells.astype(bool), DISC_CELLS)
    start = (int(scene.start.y_m // CELL_M), int(scene.start.x_m // CELL_M))
    found = np.zeros_like(free)
    found[start[0] - solid.row0, start[1] - solid.column0] = True
    while True:
        padded = np.pad(found, 1)
        wider = padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2]
        wider = found | (wider & free)
        if (wider == found).all():
            return (solid.row0, solid.column0), found
        found = wider


def never_seen(agent, scene: Scene) -> int:
    """Return how many cells that can be reached the agent's map has never seen."""
    (row, col), cells = reachable(scene)
    detail = agent.belief.details(2 * row, 2 * col, 2 * cells.shape[0], 2 * cells.shape[1])
    unseen = (detail & 3) == 0
    return int((unseen & np.kron(cells, np.ones((2, 2), bool))).sum())


def check(generator: str, seeds, shells) -> float:
    """Hold each drive against the oracle; return the share of maps that were completed."""
    complete = n = 0
    for seed, shell in zip(seeds, shells, strict=False):
        env, agent = DriveEnv(scene=f"{generator}:{seed}", shell=shell), make("explore")
        result = run(env, agent, seed=seed)
        one = (generator, seed, shell)
        assert result.contact_ticks == 0, one
        if result.verdict == "map_complete":
            assert never_seen(agent, env.scene) == 0, one
            complete += 1
        else:
            assert result.verdict in OTHER_ENDS, one
        n += 1
    return complete / n


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_map_that_is_said_to_be_complete_holds_all_that_can_be_reached(generator):
    assert check(generator, range(SAMPLE), itertools.cycle(SHELLS)) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("generator", GENERATORS)
def test_so_it_is_of_hundreds_and_nearly_all_are_completed(generator, shell):
    share = check(generator, range(MANY), itertools.repeat(shell))
    assert share >= COMPLETE_AT_LEAST


def test_the_oracle_sees_what_was_left_out():
    env, agent = DriveEnv(scene="three_rooms"), make("explore")
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    for _ in range(30):
        obs, *_ = env.step(agent.act(obs))
    assert never_seen(agent, env.scene) > 0
