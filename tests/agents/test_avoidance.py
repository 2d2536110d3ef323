"""The 48 runs of the two reactive skills, on both shells and steerings (avoidance.md)."""

import pytest

from kinewright_agents import make
from kinewright_env import Result, run
from kinewright_env.env import DriveEnv
from kinewright_env.shells import SHELLS, STEERINGS

EACH_PAIR = pytest.mark.parametrize(
    ("shell", "steering"), [(shell, steering) for shell in SHELLS for steering in STEERINGS]
)
LEAST_CLEARANCE_M = 0.05
REST_M = (0.10, 0.25)


def drive(scene: str, agent: str, *, seed: int = 1, **options) -> tuple[Result, float]:
    """Return the result and the clearance at the end."""
    env = DriveEnv(scene=scene, **options)
    result = run(env, make(agent), seed=seed)
    return result, env.snapshot().clearance_m


@EACH_PAIR
@pytest.mark.parametrize("scene", ["post", "low_box", "angled_wall", "wall", "gap_030"])
def test_stop_before_rests_before_what_it_sees(scene, shell, steering):
    result, rest_m = drive(scene, "stop_before", shell=shell, steering=steering)
    assert result.verdict == "blocked"
    assert result.contact_ticks == 0
    assert REST_M[0] <= rest_m <= REST_M[1]
    assert result.min_clearance_m >= REST_M[0]


@EACH_PAIR
def test_stop_before_drives_to_its_goal_through_the_wide_gap(shell, steering):
    result, _ = drive("wide_gap", "stop_before", shell=shell, steering=steering)
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)
    assert result.min_clearance_m >= LEAST_CLEARANCE_M


@EACH_PAIR
@pytest.mark.parametrize("scene", ["post", "low_box", "wide_gap", "angled_wall"])
def test_go_around_reaches_its_goal(scene, shell, steering):
    """All but the slowest pair at the low box, which only one sense sees, and that ahead."""
    result, _ = drive(scene, "go_around", shell=shell, steering=steering)
    slowest = (scene, shell, steering) == ("low_box", "front_steer", "rack")
    assert result.verdict == ("blocked" if slowest else "at_goal")
    assert result.contact_ticks == 0
    assert result.min_clearance_m >= LEAST_CLEARANCE_M


@EACH_PAIR
@pytest.mark.parametrize("scene", ["wall", "gap_030", "behind_inner_wall"])
def test_go_around_rests_before_what_it_cannot_pass(scene, shell, steering):
    result, _ = drive(scene, "go_around", shell=shell, steering=steering)
    assert result.verdict in ({"blocked"} if scene == "gap_030" else {"blocked", "stalled"})
    assert "in the way" in result.sentence or "no nearer" in result.sentence
    assert result.contact_ticks == 0
    assert result.min_clearance_m >= LEAST_CLEARANCE_M


@EACH_PAIR
@pytest.mark.parametrize("agent", ["stop_before", "go_around"])
def test_without_the_beam_the_low_box_is_met(agent, shell, steering):
    """The sense is what saves the shell, and its lack is reported."""
    rig = ("cone", "grid", "scan", "radar", "bumpers", "encoders", "imu")
    result, _ = drive("low_box", agent, shell=shell, steering=steering, rig=rig)
    assert result.contact_ticks > 0
    assert result.min_clearance_m == 0.0
