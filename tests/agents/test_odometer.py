"""The way driven, by brute force, and without that by which the shell was put elsewhere."""

import math

import numpy as np
import pytest

from kinewright_agents import make
from kinewright_agents.odometer import Odometer
from kinewright_env import run
from kinewright_env.env import DriveEnv
from kinewright_env.shells import get_shell

SHELL = get_shell("four_wheel_steer")


def seen(tick: int, x_um: int, y_um: int) -> dict:
    return {"tick": np.array([tick]), "pose": np.array([[x_um, y_um, 0]] * 12)}


def test_it_adds_up_what_can_be_driven_and_leaves_out_what_cannot():
    odometer = Odometer(SHELL, seen(0, 0, 0))
    assert odometer.add(seen(12, 30_000, 40_000)) == 50_000
    assert odometer.add(seen(12, 30_000, 40_000)) == 0
    most_um = 12 * math.ceil(1e6 * SHELL.forward_speed_limit_mps / 120)
    assert odometer.add(seen(24, 30_000 + most_um, 40_000)) == most_um
    assert odometer.add(seen(36, 5_000_000, 40_000)) == 0  # carried
    assert odometer.add(seen(48, 5_000_000, 10_000)) == 30_000
    assert odometer.length_um == 50_000 + most_um + 30_000
    assert odometer.tick == 48


@pytest.mark.parametrize("agent", ["route", "replanner_goal"])
@pytest.mark.parametrize("scene", ["kidnapped", "behind_second_wall"])
def test_the_sentence_of_an_end_agrees_with_the_result(agent, scene):
    result = run(DriveEnv(scene=scene), make(agent), seed=0)
    assert result.verdict == "at_goal"
    time_s, length_m = f"{result.time_s:.1f} s", f"{result.length_m:.1f} m"
    assert result.sentence.startswith(f"At the goal after {time_s} and {length_m}, with ")
