"""Wheels that turn slowly are turned at rest, before the shell starts."""

import numpy as np
import pytest

from kinewright_agents.avoidance import Avoider
from kinewright_agents.avoidance.wheels import THERE_URAD, Wheels
from kinewright_env.env import DriveEnv
from kinewright_env.grids import CANDIDATE_REST, Aim
from kinewright_env.shells import SHELLS

AHEAD, BEHIND_LEFT, BEHIND_RIGHT = (3_000_000, 0), (-1_000_000, 500_000), (-1_000_000, -500_000)


class Place:
    """A shell at rest, its senses filled, wherever a scene has it."""

    def __init__(self, scene: str = "senses_room", **options: str) -> None:
        self.env = DriveEnv(scene=scene, **options)
        obs, info = self.env.reset(seed=1)
        told = info["declarations"]
        self.shell = told["shell"]
        self.avoider = Avoider("test", told)
        self.wheels = Wheels(self.avoider, told["shell"], told["steering"])
        self.avoider.observe(obs)
        for _ in range(8):
            self.step((0, 0))

    def step(self, ask: tuple[int, int]) -> None:
        ask = self.avoider.take_own(ask)
        obs = self.env.step(np.array([ask[0] / 1e4, ask[1] / 1e6], np.float32))[0]
        self.avoider.observe(obs)

    def aim_at(self, offset_um: tuple[int, int]) -> list[Aim]:
        pose = self.avoider.motion.row
        return [
            Aim(goal_um=(round(pose[0] * 1e6) + offset_um[0], round(pose[1] * 1e6) + offset_um[1]))
        ]


def test_fast_wheels_wait_for_nothing():
    place = Place(steering="servo")
    assert not place.wheels.are_slow
    decision = place.wheels.decide(place.aim_at(BEHIND_LEFT), 1)
    assert decision.reason != "wheels"
    assert decision.ask[0] > 0


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("offset", "turn"), [(BEHIND_LEFT, 1), (BEHIND_RIGHT, -1)])
def test_slow_wheels_are_at_lock_before_the_shell_turns_round(shell, offset, turn):
    place = Place(shell=shell, steering="rack")
    waited = 0
    while (decision := place.wheels.decide(place.aim_at(offset), turn)).reason == "wheels":
        assert decision.ask == (0, turn * place.shell.lock_urad)
        place.step(decision.ask)
        assert place.avoider.motion.speed_mps == 0.0
        waited += 1
    assert 10 <= waited <= 20  # 1.467 s from straight to lock
    assert abs(place.avoider.motion.steer_urad - turn * place.shell.lock_urad) <= THERE_URAD
    assert decision.ask[0] > 0


def test_a_shell_under_way_stops_to_turn_round_where_its_wheels_are_far_from_lock():
    place = Place(steering="rack")
    for _ in range(5):
        place.step((3000, 0))
    decision = place.wheels.decide(place.aim_at(BEHIND_LEFT), 1)
    assert (decision.reason, decision.ask) == ("wheels", (0, 0))  # rest as it was tested
    while place.avoider.motion.speed_mps > 0.0:
        place.step(decision.ask)
    decision = place.wheels.decide(place.aim_at(BEHIND_LEFT), 1)
    assert (decision.reason, decision.ask) == ("wheels", (0, place.shell.lock_urad))
    while place.avoider.motion.steer_urad < place.shell.lock_urad - 100_000:
        place.step((1500, place.shell.lock_urad))
    decision = place.wheels.decide(place.aim_at(BEHIND_LEFT), 1)
    assert decision.reason != "wheels"


def test_a_shell_under_way_does_not_stop_for_a_bend():
    place = Place(steering="rack")
    for _ in range(5):
        place.step((3000, 0))
    decision = place.wheels.decide(place.aim_at((600_000, 500_000)), 0)
    assert decision.reason != "wheels"
    assert decision.ask[0] > 0


@pytest.mark.parametrize(
    "scene", ["senses_room", "post", "low_box", "narrow_gap", "random_posts:3"]
)
def test_it_turns_its_wheels_once_and_then_starts_or_says_that_it_cannot(scene):
    """Two angles that each seem the better one from the other would hold it for ever."""
    rng = np.random.default_rng(6)
    for _ in range(8):
        place = Place(scene, steering="rack")
        aims = place.aim_at(tuple(rng.integers(-2_000_000, 2_000_000, 2).tolist()))
        reasons = []
        while not reasons or reasons[-1] == "wheels":
            decision = place.wheels.decide(aims, int(rng.integers(-1, 2)) if not reasons else 0)
            reasons.append(decision.reason)
            place.step(decision.ask)
            assert len(reasons) < 40
        chosen = decision.candidate
        assert (decision.ask[0] > 0) == (chosen is not None and chosen.number != CANDIDATE_REST)
