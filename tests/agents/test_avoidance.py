"""The two reactive skills: the 48 runs of avoidance.md, random posts, their reasons and ends."""

import itertools
import math

import numpy as np
import pytest

from kinewright_agents import make
from kinewright_env import Result, run
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.layers import GridLayer, PolylineLayer, TextLayer
from kinewright_env.rig import make_rig
from kinewright_env.scene import load_scene
from kinewright_env.shells import SHELLS, STEERINGS

PAIRS = [(shell, steering) for shell in SHELLS for steering in STEERINGS]
EACH_PAIR = pytest.mark.parametrize(("shell", "steering"), PAIRS)
# One seed in the default run, more in the slow one.
EACH_SEED = pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 22))]
)
LEAST_CLEARANCE_M = 0.05
REST_M = (0.10, 0.25)
REASONS = {"clear", "slow", "around", "stop", "goal_reached", "map_unknown"}


def drive(scene, agent: str, *, seed: int = 1, **options) -> tuple[Result, float]:
    """Return the result and the clearance at the end."""
    env = DriveEnv(scene=scene, **options)
    result = run(env, make(agent), seed=seed)
    return result, env.snapshot().clearance_m


def decisions(scene, agent, *, seed=1, **options) -> list[dict]:
    """Return what was decided on each step."""
    env, records = DriveEnv(scene=scene, **options), []
    driver = make(agent)
    run(env, driver, seed=seed, on_step=lambda _: records.append(driver.decision()))
    return records


# ---- The 48 runs ----


@EACH_SEED
@EACH_PAIR
@pytest.mark.parametrize("scene", ["post", "low_box", "angled_wall", "wall", "gap_030"])
def test_stop_before_rests_before_what_it_sees(scene, shell, steering, seed):
    result, rest_m = drive(scene, "stop_before", shell=shell, steering=steering, seed=seed)
    assert result.verdict == "blocked"
    assert result.contact_ticks == 0
    assert REST_M[0] <= rest_m <= REST_M[1]
    assert result.min_clearance_m >= REST_M[0]


@EACH_SEED
@EACH_PAIR
def test_stop_before_drives_to_its_goal_through_the_wide_gap(shell, steering, seed):
    result, _ = drive("wide_gap", "stop_before", shell=shell, steering=steering, seed=seed)
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)
    assert result.min_clearance_m >= LEAST_CLEARANCE_M


@EACH_SEED
@EACH_PAIR
@pytest.mark.parametrize("scene", ["post", "low_box", "wide_gap", "angled_wall"])
def test_go_around_reaches_its_goal(scene, shell, steering, seed):
    """All but the slowest pair at the low box, which one sense alone hears, ahead; what was heard
    from afar is wide, and the rack turns too slowly for it."""
    result, _ = drive(scene, "go_around", shell=shell, steering=steering, seed=seed)
    slowest = (scene, shell, steering) == ("low_box", "front_steer", "rack")
    assert result.verdict in ({"at_goal", "blocked"} if slowest else {"at_goal"})
    assert result.contact_ticks == 0
    assert result.min_clearance_m >= LEAST_CLEARANCE_M


@EACH_SEED
@EACH_PAIR
@pytest.mark.parametrize("scene", ["wall", "gap_030", "behind_inner_wall"])
def test_go_around_rests_before_what_it_cannot_pass(scene, shell, steering, seed):
    result, _ = drive(scene, "go_around", shell=shell, steering=steering, seed=seed)
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


# ---- Random posts ----


def posts(seed: int) -> dict:
    """A room of 6 m by 4 m with 4 to 15 posts of radius 0.03 to 0.15 m, none near the ends."""
    rng = np.random.default_rng(seed)
    corners = [[0.0, 0.0], [6.0, 0.0], [6.0, 4.0], [0.0, 4.0]]
    walls = [
        {"name": f"wall {i}", "from": corners[i], "to": corners[(i + 1) % 4],
         "thickness": 0.05, "height": 0.4}
        for i in range(4)
    ]  # fmt: skip
    start, goal = (0.6, rng.uniform(0.6, 3.4)), (5.4, rng.uniform(0.6, 3.4))
    taken = [(*start, 0.5), (*goal, 0.4)]
    n = int(rng.integers(4, 16))
    while len(taken) < n + 2:
        x, y, radius = rng.uniform(0.4, 5.6), rng.uniform(0.3, 3.7), rng.uniform(0.03, 0.15)
        apart = min(math.dist((x, y), other[:2]) - other[2] for other in taken)
        if apart > radius + 0.05:
            taken.append((x, y, radius))
    return {
        "format": 1, "name": f"posts {seed}", "title": "posts", "time_limit_s": 60.0,
        "start": {"x": start[0], "y": start[1], "heading_deg": rng.uniform(-30.0, 30.0)},
        "goal": {"x": goal[0], "y": goal[1], "radius": 0.15},
        "wall": walls,
        "post": [
            {"name": f"post {i}", "center": [x, y], "radius": r, "height": 0.5}
            for i, (x, y, r) in enumerate(taken[2:])
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 250))]
)
@EACH_PAIR
def test_among_random_posts_it_touches_none(shell, steering, seed):
    scene = load_scene(posts(seed))
    result, _ = drive(scene, "go_around", shell=shell, steering=steering, seed=seed)
    assert result.contact_ticks == 0
    assert result.min_clearance_m >= LEAST_CLEARANCE_M
    assert result.verdict in {"at_goal", "blocked", "stalled"}


# ---- Decisions ----


def test_a_decision_is_made_every_twelve_ticks_whatever_the_step():
    """And the drives are the same: decisions fall on the same ticks."""
    results = [drive("post", "go_around", ticks_per_step=step)[0] for step in (1, 4, 12)]
    assert len({(one.ticks, one.length_m, one.min_clearance_m) for one in results}) == 1
    records = decisions("post", "go_around", ticks_per_step=4)
    numbers = [record["number"] for record in records if record]
    assert [len(list(group)) for _, group in itertools.groupby(numbers)][:-1] == [3] * numbers[-1]


@pytest.mark.parametrize("ticks_per_step", [5, 8, 24])
def test_a_step_that_does_not_divide_twelve_ticks_is_refused(ticks_per_step):
    with pytest.raises(AgentError, match=f"ticks_per_step is {ticks_per_step}.*divides 12"):
        drive("post", "go_around", ticks_per_step=ticks_per_step)


def test_a_decision_says_its_reason_candidate_margin_and_cell():
    records = [record for record in decisions("post", "go_around") if record]
    assert {record["reason"] for record in records} <= REASONS
    assert [record["number"] for record in records] == list(range(len(records)))
    assert records[0] == {"number": 0, "reason": "map_unknown"}
    reasons = [reason for reason, _ in itertools.groupby(one["reason"] for one in records)]
    assert reasons[:2] == ["map_unknown", "clear"]
    assert reasons[-1] == "goal_reached"
    around = [record for record in records if record["reason"] == "around"]
    assert around
    assert all(isinstance(value, int | str) for record in records for value in record.values())
    assert {"candidate", "margin_mm", "away_um"} <= set(around[0])
    stopped = decisions("wall", "stop_before")[-1]
    assert stopped["reason"] == "stop"
    assert (stopped["col"] + 1) * 0.02 == pytest.approx(1.975, abs=0.05)  # the wall's face


def test_an_unseen_way_is_not_a_clear_way():
    """At rest until the first scan has come, on tick 29."""
    records = decisions("post", "go_around", ticks_per_step=12)
    waiting = [record for record in records if record and record["reason"] == "map_unknown"]
    assert len(waiting) == 3


# ---- Goals, rigs, shells ----


def test_stop_before_without_a_goal_drives_straight_ahead():
    room = posts(0) | {"post": [], "start": {"x": 1.0, "y": 2.0, "heading_deg": 90.0}}
    del room["goal"]
    result, rest_m = drive(load_scene(room), "stop_before")
    assert result.verdict == "blocked"
    assert REST_M[0] <= rest_m <= REST_M[1]


def test_go_around_without_a_goal_says_so():
    room = posts(0)
    del room["goal"]
    with pytest.raises(AgentError, match="go_around: the scene has no goal"):
        drive(load_scene(room), "go_around")


def test_it_goes_on_to_the_next_goal():
    room = posts(0) | {"post": []}
    del room["goal"]
    room["goals"] = [
        {"x": 3.0, "y": 3.0, "radius": 0.15},
        {"x": 5.0, "y": 1.0, "radius": 0.15},
    ]
    result, _ = drive(load_scene(room), "go_around")
    assert (result.verdict, result.honest) == ("at_goal", True)
    assert result.length_m > 4.0


@pytest.mark.parametrize("rig", [("scan",), ("grid",), ("beam",), ("grid", "beam", "bumpers")])
def test_it_rests_before_a_wall_with_whatever_ranging_sense_there_is(rig):
    result, rest_m = drive("wall", "stop_before", rig=rig)
    assert (result.verdict, result.contact_ticks) == ("blocked", 0)
    assert rest_m >= LEAST_CLEARANCE_M


@pytest.mark.parametrize("rig", [("cone", "radar"), ("bumpers",)])
def test_without_a_sense_of_range_it_refuses(rig):
    with pytest.raises(AgentError, match="needs one of scan, grid, beam in the rig"):
        drive("wall", "stop_before", rig=rig)


def test_declarations_are_what_it_builds_itself_from():
    """A slower scanner means a longer reaction, and a stop all the same."""
    rig = make_rig(None).changed("scan", period_tick=40, latency_tick=20)
    rig = rig.changed("grid", sigma_base=(6.0, 0.0, 0.0)).changed("beam", period_tick=24)
    result, rest_m = drive("wall", "stop_before", rig=rig)
    assert (result.verdict, result.contact_ticks) == ("blocked", 0)
    assert rest_m >= LEAST_CLEARANCE_M


# ---- What it shows ----


@pytest.mark.parametrize(("scene", "agent"), [("post", "go_around"), ("wall", "stop_before")])
def test_layers_show_the_map_the_candidates_and_the_reason(scene, agent):
    env, driver, shown = DriveEnv(scene=scene), make(agent), []
    run(env, driver, seed=1, on_step=lambda _: shown.append(driver.layers()))
    assert all(isinstance(layers[0], TextLayer) for layers in shown[1:])
    names = {layer.name for layers in shown for layer in layers}
    assert names >= {"reason", "local map", "candidates", "chosen", "stop zone", "slow zone"}
    assert "limiting cell" in names
    for layers in shown[-3:]:
        lines = [one for one in layers if one.name == "candidates"]
        assert len(lines) == 30
        assert all(isinstance(one, PolylineLayer) for one in lines)
        grids = [one for one in layers if isinstance(one, GridLayer)]
        assert grids[0].values.max() > 0
