"""Random asks are within the limits, all over them, and the same for the same seed."""

import numpy as np

from kinewright_agents.random import Random
from kinewright_env.env import DriveEnv


def asks(agent: Random, count: int) -> np.ndarray:
    env = DriveEnv(scene="senses_room")
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    return np.array([agent.act(obs) for _ in range(count)])


def test_asks_fill_the_action_space_and_never_leave_it():
    space = DriveEnv(scene="senses_room").action_space
    drawn = asks(Random(), 2000)
    assert all(space.contains(ask) for ask in drawn)
    for column in (0, 1):
        width = space.high[column] - space.low[column]
        counts, _ = np.histogram(drawn[:, column], 4, (space.low[column], space.high[column]))
        assert counts.min() > 400, width


def test_the_same_seed_gives_the_same_asks_on_every_drive():
    agent = Random(3)
    first = asks(agent, 20)
    np.testing.assert_array_equal(asks(agent, 20), first)
    np.testing.assert_array_equal(asks(Random(3), 20), first)
    assert (asks(Random(4), 20) != first).any()
