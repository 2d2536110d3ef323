"""The agent `rolling`: what it maps on a drive, what it is held back from, how it ends."""

from typing import Any

import numpy as np
import pytest

from kinewright_agents.avoidance import GoAround
from kinewright_agents.rolling import RollingObstacleMap
from kinewright_agents.rolling.agent import PATIENCE_DECISIONS, Rolling
from kinewright_agents.rolling.source import IncrementSource, stamp_ns
from kinewright_env import run
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.layers import GridLayer, PointsLayer
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS, STEERINGS

RIG = make_rig(None).with_sources(("lio",))


def drive(scene: str, **options: Any) -> DriveEnv:
    return DriveEnv(scene=scene, rig=RIG, **options)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("steering", STEERINGS)
@pytest.mark.parametrize("scene", ["post", "wide_gap"])
def test_it_reaches_its_goal_round_what_it_can_pass(scene: str, shell: str, steering: str) -> None:
    env = drive(scene, shell=shell, steering=steering)
    agent = Rolling()
    result = run(env, agent, seed=3)
    assert result.verdict == "at_goal"
    assert result.contact_ticks == 0
    totals = agent._map.totals.to_dict()
    assert totals["accepted"] == totals["frames"] > 50
    decided = totals["threat"] + totals["not_threat"] + totals["unknown"]
    assert decided == sum(totals[f"evidence_{kind}"] for kind in
                          ("current", "retained", "stale", "bearing_only"))  # fmt: skip


@pytest.mark.parametrize("ticks_per_step", [1, 4, 12])
def test_each_increment_comes_with_the_pose_of_its_own_tick(ticks_per_step: int) -> None:
    env = drive("post", ticks_per_step=ticks_per_step, noise=False)
    obs, info = env.reset(seed=1)
    source = IncrementSource(info["declarations"])
    poses = {0: obs["pose"][-1].tolist()}
    seen = 0
    for _ in range(120 // ticks_per_step):
        source.observe(obs)
        for increment in source.increments(obs):
            tick = next(t for t in poses if stamp_ns(t) == increment.stamp_ns)
            x_um, y_um, heading_urad = poses[tick]
            assert increment.pose == (x_um / 1e6, y_um / 1e6, 0.0, heading_urad / 1e6)
            seen += 1
        before = int(obs["tick"][0])
        obs = env.step(np.array([0.4, 0.2], np.float32))[0]
        poses |= {before + 1 + i: row for i, row in enumerate(obs["pose"].tolist())}
    assert seen >= 7


def test_the_veto_is_the_maps_and_ends_the_drive_only_after_patience() -> None:
    """A map that calls all a threat keeps the shell at rest, though its own senses see a way."""
    env = drive("post")
    agent = Rolling()
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    agent._map.meets = lambda pieces, **_: np.ones(len(pieces), np.bool_)
    claim, decisions = None, 0
    while claim is None:
        obs = env.step(agent.act(obs))[0]
        claim = agent.claim()
        decisions += 1
        assert int(obs["speed"][0]) == 0
    assert claim.verdict == "blocked"
    assert "rolling map bars every way" in claim.sentence
    assert PATIENCE_DECISIONS <= decisions <= PATIENCE_DECISIONS + 10
    assert agent.decision()["vetoed"] == 30


def test_the_capacity_fault_takes_every_candidate() -> None:
    env = drive("post")
    agent = Rolling()
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    agent._map.meets = lambda pieces, **_: None
    for _ in range(8):
        obs = env.step(agent.act(obs))[0]
        assert int(obs["speed"][0]) == 0


def test_without_a_threat_it_drives_as_go_around_does() -> None:
    """The map removes candidates and adds none: with nothing in it, it decides nothing."""
    asks = []
    for make in (Rolling, GoAround):
        env, agent = drive("post"), make()
        obs, info = env.reset(seed=2)
        agent.reset(obs, info)
        if make is Rolling:
            agent._map.meets = lambda pieces, **_: np.zeros(len(pieces), np.bool_)
        drove = []
        for _ in range(60):
            ask = agent.act(obs)
            drove.append(ask.tolist())
            obs = env.step(ask)[0]
        asks.append(drove)
    assert asks[0] == asks[1]


def test_it_says_what_it_needs() -> None:
    env = DriveEnv(scene="post", rig=("scan",))
    obs, info = env.reset(seed=1)
    with pytest.raises(AgentError, match="needs 'lio' in the rig"):
        Rolling().reset(obs, info)
    assert Rolling.needs == ("lio",)
    assert Rolling.obstacle_map is RollingObstacleMap


def test_increment_and_map_are_layers_of_their_own() -> None:
    env = drive("post")
    agent = Rolling()
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    for _ in range(20):
        obs = env.step(agent.act(obs))[0]
    layers = {layer.name: layer for layer in agent.layers()}
    assert isinstance(layers["rolling map"], GridLayer)
    assert isinstance(layers["current increment"], PointsLayer)
    assert "current increment" in layers["rolling"].text
    assert "scan" not in layers["rolling"].text


def test_a_drive_comes_out_the_same_twice() -> None:
    roots = [run(drive("angled_wall"), Rolling(), seed=5).root for _ in range(2)]
    assert roots[0] == roots[1]
