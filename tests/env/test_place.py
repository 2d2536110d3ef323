"""A shell put elsewhere between two ticks: where it goes on, and that a record replays it."""

import copy
import math

import gymnasium as gym
import numpy as np
import pytest

from kinewright_env import run
from kinewright_env.agent import make
from kinewright_env.env import DriveEnv
from kinewright_env.errors import OptionError
from kinewright_env.journal import KINDS, UNKNOWN_STOPS, read
from kinewright_env.replay import THROUGH, replay

STRAIGHT = np.array([0.5, 0.0], np.float32)


def driving(**options):
    env = DriveEnv(scene="senses_room", **options)
    env.reset(seed=3)
    for _ in range(10):
        env.step(STRAIGHT)
    return env


def test_the_next_tick_begins_at_the_new_place_and_speed_goes_on():
    env = driving(ticks_per_step=1)
    speed = env.step(STRAIGHT)[0]["speed"][0]
    env.place((1.5, 2.5, math.pi / 2))
    observation, *_ = env.step(STRAIGHT)
    x_um, y_um, heading_urad = observation["pose"][0].tolist()
    assert (x_um, heading_urad) == (1500000, 1570796)
    assert 2500000 < y_um < 2506000
    assert observation["speed"][0] >= speed


def test_sensors_see_from_the_new_place():
    env = driving(noise=False)
    env.place((1.5, 2.5, 0.0))
    moved = [env.step(np.zeros(2))[0]["beam"] for _ in range(8)]
    assert moved[-1].tolist() != driving(noise=False).step(np.zeros(2))[0]["beam"].tolist()


def test_headings_beyond_half_a_turn_are_wrapped():
    env = driving(ticks_per_step=1)
    env.place((1.5, 2.5, 2 * math.pi + 0.5))
    assert env.step(np.zeros(2))[0]["pose"][0][2] == pytest.approx(500000, abs=1)


@pytest.mark.parametrize(
    "pose", [(1.0, 2.0), "here", (math.nan, 0.0, 0.0), (0.0, 2000.0, 0.0), None, (0, 0, 0, 0)]
)
def test_what_is_no_pose_is_refused_and_the_drive_stays(pose):
    env = driving()
    with pytest.raises(OptionError, match=r"pose: .* allowed: \(x m, y m, heading rad\)"):
        env.place(pose)
    assert env.step(STRAIGHT)[0]["pose"].tolist() == driving().step(STRAIGHT)[0]["pose"].tolist()


def test_there_must_be_a_drive_under_way():
    env = DriveEnv(scene="senses_room", time_limit_s=0.1)
    with pytest.raises(gym.error.ResetNeeded):
        env.place((1.0, 1.0, 0.0))
    env.reset(seed=1)
    env.step(STRAIGHT)
    with pytest.raises(gym.error.ResetNeeded):
        env.place((1.0, 1.0, 0.0))


def test_a_copy_made_after_it_goes_on_alike():
    env = driving()
    env.place((1.5, 2.5, 0.3))
    other = copy.deepcopy(env)
    assert env.step(STRAIGHT)[0]["scan"].tolist() == other.step(STRAIGHT)[0]["scan"].tolist()


def test_what_others_see_there_is_contact():
    env = driving()
    assert not env.step(STRAIGHT)[4]["contact"]
    wall = env.scene.walls[0]
    env.place((*wall.from_m, 0.0))
    assert env.step(STRAIGHT)[4]["contact"]


# ---- The record ----


def recorded(path):
    """Drive by hand in a loop, putting the shell elsewhere twice before one step."""
    env = DriveEnv(scene="senses_room", journal=path, time_limit_s=6.0)
    env.reset(seed=3)
    for n in range(60):
        if n == 20:
            env.place((1.0, 1.0, 0.0))
            env.place((1.5, 2.5, 1.0))
        env.step(STRAIGHT)
    env.close()


def test_the_journal_says_where_to(tmp_path):
    recorded(tmp_path / "drive.kwj")
    places = list(read(tmp_path / "drive.kwj").of("place"))
    assert len(places) == 2
    assert np.frombuffer(places[1].payload, "<f8").tolist() == [1.5, 2.5, 1.0]


def test_it_replays_through_asks(tmp_path):
    recorded(tmp_path / "drive.kwj")
    again = replay(tmp_path / "drive.kwj", "asks")
    assert (again.difference, again.fault) == ("", "")


@pytest.mark.parametrize("through", THROUGH)
def test_a_drive_of_an_agent_replays_every_way(tmp_path, through):
    env = DriveEnv(scene="senses_room", journal=tmp_path / "drive.kwj")

    def kidnap(drive):
        if drive.totals()["tick"] == 120:
            drive.place((1.0, 2.8, 0.2))

    run(env, make("observe"), seed=5, on_step=kidnap)
    env.close()
    assert replay(tmp_path / "drive.kwj", through).difference == ""


def test_a_reader_that_does_not_know_the_record_stops_before_it():
    assert KINDS["place"] & UNKNOWN_STOPS
