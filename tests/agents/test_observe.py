"""The observing stub rests before what its beam hears, and before it has heard anything."""

import re

import numpy as np
import pytest

from kinewright_agents.observe import Observe
from kinewright_env import run
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.rig import NO_ECHO, NOTHING_YET, OUT_OF_RANGE, RETURN, TOO_NEAR
from kinewright_env.shells import SHELLS, STEERINGS

BOX_FACE_X_M = 3.18  # of the low box in senses_room
BEAM_AHEAD_M = 0.18  # of the body's centre


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
@pytest.mark.parametrize("steering", STEERINGS)
@pytest.mark.parametrize(("ticks_per_step", "least_m"), [(1, 0.45), (12, 0.42)])
@pytest.mark.parametrize("seed", range(4))
def test_it_rests_short_of_the_low_box(shell, steering, ticks_per_step, least_m, seed):
    """0.45 to 0.49 m tick by tick, 0.42 to 0.49 m at 12 ticks a step (senses.md)."""
    env = DriveEnv(
        scene="senses_room", shell=shell, steering=steering, ticks_per_step=ticks_per_step
    )
    result = run(env, Observe(), seed=seed)
    x_m = env.snapshot().poses[-1][0] + shell.body_ahead_m + BEAM_AHEAD_M
    assert least_m <= BOX_FACE_X_M - x_m <= 0.49
    assert env.snapshot().speed_mps == 0.0
    assert result.verdict == "blocked"
    assert result.honest is None
    said_m = float(re.search(r"heard (\d\.\d{3}) m ahead", result.sentence)[1])
    assert said_m <= 0.50


def test_an_unseen_way_is_not_a_clear_way():
    """At rest until the first reading has arrived: sampled on tick 8, emitted on 12."""
    env = DriveEnv(scene="senses_room", ticks_per_step=1)
    agent = Observe()
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    asks = []
    for _ in range(14):
        asks.append(float(agent.act(obs)[0]))
        obs = env.step([asks[-1], 0.0])[0]
    assert asks[:12] == [0.0] * 12
    assert asks[12:] == pytest.approx([0.30, 0.30])


def frames(*readings: tuple[int, int]) -> dict[str, np.ndarray]:
    """An observation of two frame slots and these (reading, status) in it."""
    values = [*readings, *[(0, NOTHING_YET)] * (2 - len(readings))]
    ticks = [8 * (i + 1) if i < len(readings) else -1 for i in range(2)]
    return {
        "beam": np.array([value for value, _ in values], np.int32),
        "beam_status": np.array([status for _, status in values], np.int32),
        "beam_tick": np.array(ticks, np.int32),
        "speed": np.array([0], np.int32),
    }


@pytest.mark.parametrize(
    ("readings", "drives"),
    [
        ([(501, RETURN)], True),
        ([(500, RETURN)], False),
        ([(0, OUT_OF_RANGE)], True),
        ([(0, NO_ECHO)], True),
        ([(0, TOO_NEAR)], False),
        ([(400, RETURN), (900, RETURN)], False),
    ],
    ids=["clear", "at the bound", "far", "no echo", "too near", "near, then clear"],
)
def test_what_it_drives_on(readings, drives):
    agent = Observe()
    agent.reset(frames(), {})
    assert (float(agent.act(frames(*readings))[0]) > 0.0) == drives
    assert (agent.claim() is None) == drives


def test_it_never_sets_off_again():
    agent = Observe()
    agent.reset(frames(), {})
    agent.act(frames((400, RETURN)))
    assert agent.act(frames((3000, RETURN)))[0] == 0.0
    assert agent.decision() == {"reason": "stop", "beam_mm": 400, "beam_status": RETURN}


def test_it_keeps_the_last_reading_through_steps_without_one():
    agent = Observe(near_mm=1000)
    agent.reset(frames(), {})
    assert agent.act(frames())[0] == 0.0
    assert agent.act(frames((1500, RETURN)))[0] > 0.0
    assert agent.act(frames())[0] > 0.0


def test_without_a_beam_it_refuses():
    with pytest.raises(AgentError, match=r"observe.*'beam'"):
        run(DriveEnv(scene="senses_room", rig=("scan",)), Observe(), seed=1)


@pytest.mark.parametrize("speed_mps", [0.0, -0.3, 2.5, float("nan")])
def test_an_odd_speed_is_refused(speed_mps):
    with pytest.raises(AgentError, match="speed_mps"):
        Observe(speed_mps=speed_mps)
