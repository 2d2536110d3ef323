"""Keys become asks within the shell's limits, in the drive's own time."""

import pytest

from kinewright_agents.manual import Manual
from kinewright_env.agent import Inputs
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.shells import SHELLS


def asks(keys: list[str], *, ticks_per_step: int = 12, agent: Manual | None = None):
    """Return the ask of each step while these keys are held, a list entry a step."""
    agent = agent or Manual()
    obs, info = DriveEnv(scene="senses_room", ticks_per_step=ticks_per_step).reset(seed=1)
    agent.reset(obs, info)
    result = []
    for held in keys:
        agent.handle(Inputs(held=frozenset(held.split())))
        result.append(tuple(agent.act(obs).tolist()))
    return result


def test_without_keys_it_rests():
    assert asks([""] * 5) == [(0.0, 0.0)] * 5


@pytest.mark.parametrize(("key", "sign"), [("up", 1), ("w", 1), ("down", -1), ("s", -1)])
def test_speed_builds_up_to_its_limit_while_a_key_is_held(key, sign):
    speeds = [sign * speed for speed, _ in asks([key] * 20)]
    assert speeds == sorted(speeds)
    assert 0.0 < speeds[0] < 0.1
    assert speeds[-1] == pytest.approx(0.5)


@pytest.mark.parametrize(("key", "sign"), [("left", 1), ("a", 1), ("right", -1), ("d", -1)])
def test_left_is_positive_and_ends_at_the_lock(key, sign):
    steers = [sign * steer for _, steer in asks([key] * 10)]
    assert steers == sorted(steers)
    assert steers[-1] == pytest.approx(SHELLS["four_wheel_steer"].lock_rad)


def test_opposite_keys_cancel():
    assert asks(["up down left right"] * 3) == [(0.0, 0.0)] * 3


def test_let_go_it_falls_to_rest_and_straight():
    speeds, steers = zip(*asks(["up left"] * 10 + [""] * 10), strict=True)
    assert speeds[9] > 0.4 > speeds[13] > 0.0 == speeds[-1]
    assert steers[9] > 0.4 > steers[12] > 0.0 == steers[-1]


@pytest.mark.parametrize("key", ["space", "up space"])
def test_the_space_bar_asks_for_rest_at_once(key):
    assert asks([*["up"] * 10, key])[-1][0] == 0.0


def test_against_the_motion_it_first_asks_for_rest():
    speeds = [speed for speed, _ in asks(["up"] * 10 + ["down"] * 3)]
    assert speeds[9] > 0.4
    assert -0.1 < speeds[10] <= 0.0


def test_a_press_is_worth_the_same_whatever_the_step():
    """A key held for half a second, in steps of 0.1 s or tick by tick."""
    coarse = asks(["up left"] * 5)[-1]
    fine = asks(["up left"] * 60, ticks_per_step=1)[-1]
    assert fine == pytest.approx(coarse, abs=1e-6)


def test_its_own_speed_limit_holds_within_the_shells():
    assert asks(["up"] * 30, agent=Manual(speed_mps=0.2))[-1][0] == pytest.approx(0.2)
    assert asks(["up"] * 30, agent=Manual(speed_mps=9.0))[-1][0] == pytest.approx(2.0)
    assert asks(["down"] * 30, agent=Manual(speed_mps=9.0))[-1][0] == pytest.approx(-0.5)


def asks_by_pad(pushed: list[tuple[int, int]], **inputs):
    """Return the ask of each step while a stick is pushed so."""
    agent = Manual()
    obs, info = DriveEnv(scene="senses_room").reset(seed=1)
    agent.reset(obs, info)
    result = []
    for axes in pushed:
        agent.handle(Inputs(axes=axes, **inputs))
        result.append(tuple(agent.act(obs).tolist()))
    return result


def test_a_stick_at_its_ends_is_a_key_held():
    assert asks_by_pad([(1000, 1000)] * 8 + [(0, 0)] * 8) == asks(["up left"] * 8 + [""] * 8)
    assert asks_by_pad([(-1000, -1000)] * 8) == asks(["down right"] * 8)


def test_a_stick_pushed_halfway_asks_for_half():
    speed, steer = asks_by_pad([(500, -500)] * 20)[-1]
    assert speed == pytest.approx(0.25)
    assert steer == pytest.approx(-SHELLS["four_wheel_steer"].lock_rad / 2)


def test_keys_go_before_the_stick_and_its_button_brakes():
    assert asks_by_pad([(1000, 1000)] * 5, held=frozenset({"down"})) == asks(["down"] * 5)
    assert asks_by_pad([(1000, 0)] * 5, buttons=frozenset({"brake"}))[-1] == (0.0, 0.0)


def test_its_decision_tells_the_stick():
    agent = Manual()
    asks([""], agent=agent)
    agent.handle(Inputs(axes=(250, -9)))
    assert agent.decision() == {"reason": "gamepad", "drive": 250, "steer": -9}


def test_its_decision_names_the_keys_by_bits():
    agent = Manual()
    asks(["up left"], agent=agent)
    assert agent.decision() == {"reason": "keys", "keys": 8 + 128}
    asks([""], agent=agent)
    assert agent.decision() == {"reason": "rest", "keys": 0}


@pytest.mark.parametrize("speed_mps", [0.0, -1.0, float("nan")])
def test_an_odd_speed_is_refused(speed_mps):
    with pytest.raises(AgentError, match="speed_mps"):
        Manual(speed_mps=speed_mps)
