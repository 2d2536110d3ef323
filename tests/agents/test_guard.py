"""The guard of `manual`: brakes before what the senses see, never steers, says why."""

import random
import re

import numpy as np
import pytest

from kinewright_agents.manual import Manual
from kinewright_env import DriveEnv, run
from kinewright_env.agent import Inputs, make
from kinewright_env.errors import AgentError
from kinewright_env.journal import read
from kinewright_env.layers import CirclesLayer
from kinewright_env.replay import THROUGH, replay
from kinewright_env.shells import SHELLS, STEERINGS

FORWARD = Inputs(held=frozenset({"up"}))


def guarded(scene: str, person, *, guard: bool = True, seed: int = 1, **declared):
    """Drive while somebody does as told; return agent and result."""
    agent = make("manual", guard=guard)
    env = DriveEnv(scene=scene, **{"time_limit_s": 10.0, **declared})
    result = run(env, agent, seed=seed, person=person)
    env.close()
    return agent, result


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("steering", STEERINGS)
@pytest.mark.parametrize("scene", ["wall", "post", "low_box", "gap_030", "angled_wall"])
def test_full_speed_ahead_ends_at_rest_with_the_declared_clearance(scene, shell, steering):
    declared = {"shell": shell, "steering": steering}
    agent, result = guarded(scene, lambda: FORWARD, **declared)
    assert result.contact_ticks == 0
    assert 0.05 <= result.min_clearance_m <= 0.15
    assert agent.decision()["reason"] == "guard"
    _, unguarded = guarded(scene, lambda: FORWARD, guard=False, **declared)
    assert unguarded.contact_ticks > 0


def test_it_says_what_is_in_the_way_and_where():
    agent, _ = guarded("wall", lambda: FORWARD)
    decision = agent.decision()
    said = re.fullmatch(
        r"Brakes: something at \((\S+), (\S+)\) is in the way\.", decision["sentence"]
    )
    x_m, y_m = float(said[1]), float(said[2])
    assert (x_m, y_m) == pytest.approx((1.97, 2.0), abs=0.1)  # the face of the wall
    assert (decision["row"], decision["col"]) == (int(y_m / 0.02), int(x_m / 0.02))
    assert decision["keys"] == 128
    (ring,) = agent.layers()
    assert isinstance(ring, CirclesLayer)
    assert ring.centers_m == (pytest.approx((x_m, y_m)),)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("steering", STEERINGS)
def test_whatever_a_person_does_it_meets_nothing(seed, shell, steering):
    """Stick and brake at random, forward and back, in rooms without anything low."""
    chance, pushed = random.Random(seed), [(0, 0), 0]

    def person():
        if pushed[1] == 0:
            drive = chance.choice([1000, 1000, 600, -1000, -400])
            pushed[:] = [(drive, chance.randint(-1000, 1000)), chance.randint(1, 25)]
        pushed[1] -= 1
        return Inputs(axes=pushed[0], buttons=frozenset(["brake"] * (chance.random() < 0.02)))

    scene = ("three_rooms", "post", "angled_wall")[seed % 3]
    declared = {"shell": shell, "steering": steering, "time_limit_s": 20.0}
    _, result = guarded(scene, person, seed=seed, **declared)
    assert result.contact_ticks == 0
    assert result.min_clearance_m >= 0.05
    assert result.length_m > 0.5


def test_it_never_steers_and_never_asks_for_more():
    """Each ask that passes has the person's steer angle, or the one that passed before."""
    chance = random.Random(3)
    env = DriveEnv(scene="angled_wall", time_limit_s=12.0)
    obs, info = env.reset(seed=1)
    guarded_agent, plain = Manual(guard=True), Manual()
    guarded_agent.reset(obs, info)
    plain.reset(obs, info)
    before = 0.0
    for _ in range(110):
        inputs = Inputs(axes=(1000, chance.randint(-1000, 1000)))
        plain._speed_mps, plain._steer_rad = guarded_agent._speed_mps, guarded_agent._steer_rad
        for agent in (guarded_agent, plain):
            agent.handle(inputs)
        wanted, passed = plain.act(obs), guarded_agent.act(obs)
        assert 0.0 <= passed[0] <= wanted[0] + 1e-6
        assert min(abs(passed[1] - wanted[1]), abs(passed[1] - before)) < 1e-6
        before = float(passed[1])
        obs, *_ = env.step(passed)


def test_until_the_senses_have_told_it_rests():
    env = DriveEnv(scene="wall")
    obs, info = env.reset(seed=1)
    agent = Manual(guard=True)
    agent.reset(obs, info)
    agent.handle(FORWARD)
    np.testing.assert_array_equal(agent.act(obs), [0.0, 0.0])
    decision = agent.decision()
    assert (decision["reason"], decision["keys"]) == ("map_unknown", 128)
    assert decision["sentence"] == "Rests until the senses have told of what is near."
    assert agent.layers() == ()


def test_where_nothing_is_near_it_changes_nothing():
    """But for the start, until the senses have told."""
    coming = [Inputs()] * 5 + [Inputs(axes=(700, 300))] * 15
    roots = []
    for guard in (False, True):
        given = iter(coming)
        asks = []
        run(
            DriveEnv(scene="senses_room", time_limit_s=2.0),
            make("manual", guard=guard),
            seed=1,
            person=lambda given=given: next(given, Inputs()),
            on_step=lambda drive, asks=asks: asks.append(drive.snapshot().ask_speed_mps),
        )
        roots.append(asks)
    assert roots[0] == pytest.approx(roots[1], abs=1e-4)


def test_a_guarded_drive_replays(tmp_path):
    path = tmp_path / "guard.kwj"
    _, result = guarded("wall", lambda: Inputs(axes=(900, 100)), journal=path)
    assert read(path).root() == result.root
    for through in THROUGH:
        again = replay(path, through)
        assert again.same, again.difference


@pytest.mark.parametrize(
    ("declared", "said"),
    [({"ticks_per_step": 5}, "ticks_per_step"), ({"rig": ("bumpers", "imu")}, "in the rig")],
)
def test_what_it_needs_is_said(declared, said):
    with pytest.raises(AgentError, match=f"manual.*{said}"):
        guarded("wall", Inputs, **declared)


@pytest.mark.parametrize("guard", [1, "yes", None])
def test_an_odd_guard_is_refused(guard):
    with pytest.raises(AgentError, match="guard is"):
        Manual(guard=guard)
