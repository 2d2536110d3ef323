"""The replanner agents on whole drives: they arrive, follow, notice, and end honestly."""

import json

import numpy as np
import pytest

import kinewright_env
from kinewright_agents.replanner import machines
from kinewright_agents.replanner.agents import ReplannerDynamic, ReplannerGoal, ReplannerStatic
from kinewright_env import occupancy, run
from kinewright_env.agent import make
from kinewright_env.cli_agents import _card
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.generators import generate
from kinewright_env.journal import read
from kinewright_env.replay import THROUGH, replay
from kinewright_env.scene import SceneWarning, load_scene
from kinewright_env.shells import SHELLS, STEERINGS

AGENTS = ("replanner_static", "replanner_dynamic", "replanner_goal")


def drive(scene, agent, *, seed=0, on_step=None, **options):
    env = DriveEnv(scene=scene, **options)
    try:
        return run(env, agent, seed=seed, on_step=on_step)
    finally:
        env.close()


# ---- Arriving ----


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("scene", ["behind_second_wall", "wide_gap", "door"])
def test_the_dynamic_replanner_reaches_its_goal_without_contact(scene, shell):
    result = drive(scene, make("replanner_dynamic"), shell=shell)
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)
    assert result.plans >= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("steering", STEERINGS)
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("agent", ["replanner_dynamic", "replanner_goal"])
@pytest.mark.parametrize(
    "scene",
    [
        *("post", "wide_gap", "angled_wall", "behind_inner_wall", "behind_second_wall"),
        *("door", "box_appears", "box_vanishes"),
    ],
)
def test_they_reach_every_goal_of_the_shipped_scenes(scene, agent, shell, steering, seed):
    result = drive(scene, make(agent), shell=shell, steering=steering, seed=seed)
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)


@pytest.mark.slow
def test_the_dynamic_replanner_reaches_95_of_100_goals_in_random_rooms():
    """Of the first 300 seeds whose goal a body can reach (replanner.md)."""
    outcomes, seed = [], 0
    while len(outcomes) < 300:
        scene = generate("random_rooms", seed)
        if scene.truth == "at_goal":
            result = drive(scene, make("replanner_dynamic"), seed=seed)
            outcomes.append((seed, result.verdict, result.contact_ticks))
        seed += 1
    missed = [outcome for outcome in outcomes if outcome[1] != "at_goal"]
    print(f"{300 - len(missed)} of 300 reached; missed: {missed}")
    assert all(contact == 0 for _, _, contact in outcomes)
    assert {verdict for _, verdict, _ in missed} <= {"out_of_time", "stopped_trying"}
    assert len(missed) <= 15


def test_both_goals_of_the_door_are_visited_with_a_machine_each():
    goals = set()
    agent = make("replanner_dynamic")
    drive("door", agent, on_step=lambda env: goals.add(getattr(agent, "_goal", None)))
    assert len(goals - {None}) == 2


# ---- The map of the static replanner ----


def test_the_static_replanner_plans_once_in_a_world_that_is_as_its_map_says():
    result = drive("behind_second_wall", make("replanner_static"))
    assert (result.verdict, result.plans, result.contact_ticks) == ("at_goal", 1, 0)


def test_the_static_replanner_drives_a_plain_loop_with_the_map_that_it_was_handed():
    env = DriveEnv(scene="wide_gap")
    agent = ReplannerStatic(map=occupancy(load_scene("wide_gap"), 0.05))
    observation, info = env.reset(seed=1)
    agent.reset(observation, info)
    ended = False
    while not ended:
        observation, _, terminated, truncated, info = env.step(agent.act(observation))
        ended = terminated or truncated
    assert info["verdict"] == "at_goal"


@pytest.mark.parametrize("goal", [(3.0, 0.0), (1.5, 1.2)])
def test_a_way_round_the_outside_of_all_solids_is_no_false_no_way(goal):
    """The map's array ends where its solids do; the free ground around them does not."""
    scene = {
        "format": 1, "name": "open", "title": "open", "time_limit_s": 40.0,
        "start": {"x": 0.0, "y": 0.0, "heading_deg": 0.0},
        "goal": {"x": goal[0], "y": goal[1], "radius": 0.15},
        "wall": [{"name": "w", "from": [1.5, -0.4], "to": [1.5, 0.4], "thickness": 0.05,
                  "height": 0.4}],
    }  # fmt: skip
    with pytest.warns(SceneWarning, match="outside the room"):
        result = drive(scene, make("replanner_static"))
    assert (result.verdict, result.contact_ticks) == ("at_goal", 0)


def test_a_goal_that_the_reset_chose_lies_in_the_static_map():
    env = DriveEnv(scene="senses_post_ahead", time_limit_s=60.0)
    result = run(env, make("replanner_static"), seed=0, options={"goal": (-1.5, 0.5)})
    assert result.verdict == "at_goal"
    with pytest.raises(AgentError, match="allowed: 16777216"):
        run(env, make("replanner_static"), seed=0, options={"goal": (1000.0, 1000.0)})


def test_without_a_map_it_says_where_to_get_one():
    env = DriveEnv(scene="wide_gap")
    agent = ReplannerStatic()
    with pytest.raises(AgentError, match=r"map=kinewright_env\.occupancy"):
        agent.reset(*env.reset(seed=1))
    with pytest.raises(AgentError, match="map is a str"):
        ReplannerStatic(map="wide_gap")


def test_its_card_says_that_it_is_given_the_map_and_no_other_card_does():
    cards = {name: _card(name)["about"] for name in AGENTS}
    assert "GIVEN THE SCENE'S MAP" in cards["replanner_static"]
    assert not any("GIVEN" in cards[name] for name in AGENTS[1:])


def test_no_other_agent_declares_that_it_wants_the_map():
    for name, point in kinewright_env.agent.registered().items():
        wants = hasattr(point.load(), "take_map")
        assert wants == (name == "replanner_static"), name


def test_what_its_map_does_not_show_stops_it_without_contact():
    """The door closes after its map was drawn: it never learns, and never touches."""
    result = drive("door", make("replanner_static"), time_limit_s=40.0)
    assert (result.verdict, result.contact_ticks) == ("out_of_time", 0)


# ---- No way ----


@pytest.mark.parametrize("agent", ["replanner_static", "replanner_dynamic"])
@pytest.mark.parametrize(
    ("scene", "verdict"),
    [("sealed_room", "no_way"), ("narrow_gap", "no_way_for_body"), ("wall", "no_way")],
)
def test_no_way_is_told_from_no_way_for_the_body(scene, verdict, agent):
    result = drive(scene, make(agent))
    assert (result.verdict, result.contact_ticks) == (verdict, 0)
    assert result.honest is (True if load_scene(scene).truth else None)
    assert "cells" in result.sentence


@pytest.mark.parametrize("agent", ["replanner_static", "replanner_dynamic"])
def test_a_limit_reached_is_no_proof(agent, monkeypatch):
    monkeypatch.setattr(machines, "MAX_NODES", 300)
    result = drive("behind_second_wall", make(agent))
    assert (result.verdict, result.honest) == ("stopped_trying", None)
    assert "300 cells" in result.sentence
    assert "no proof" in result.sentence


def test_a_scene_without_a_goal_is_refused():
    with pytest.raises(AgentError, match="replanner_dynamic: the scene has no goal"):
        drive("three_rooms", make("replanner_dynamic"))


def test_a_rig_without_scanner_is_refused():
    with pytest.raises(AgentError, match="needs 'scan' in the rig"):
        drive("wide_gap", make("replanner_dynamic"), rig=("beam", "grid"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"policy": "kidnapp"}, "kidnap"),
        ({"map": "hand"}, "bayes"),
        ({"look_ahead": 0}, "1 and more"),
        ({"use_cost_dynamics": "yes"}, "True or False"),
    ],
)
def test_bad_options_are_refused_with_what_is_allowed(options, says):
    with pytest.raises(AgentError, match=says):
        ReplannerDynamic(**options)


# ---- A goal that moves ----


def test_the_plan_follows_the_goal_on_the_next_step():
    """At each of the three moves the plan ends in the new goal's cell at once."""
    env = DriveEnv(scene="goal_moves")
    agent = ReplannerGoal()
    observation, info = env.reset(seed=1)
    agent.reset(observation, info)
    moves, goal = 0, observation["goal"].tolist()
    terminated = False
    while not terminated:
        ask = agent.act(observation)
        if observation["goal"].tolist() != goal:
            goal, moves = observation["goal"].tolist(), moves + 1
            assert agent._path[-1] == agent._map.point_to_indices((goal[0] / 1e6, goal[1] / 1e6))
        observation, _, terminated, truncated, info = env.step(ask)
        assert not truncated
    assert (moves, info["verdict"]) == (3, "at_goal")


def test_the_goal_of_the_dynamic_replanner_stays_where_it_was():
    result = drive("goal_moves", make("replanner_dynamic"), time_limit_s=25.0)
    assert (result.verdict, result.contact_ticks) == ("out_of_time", 0)


# ---- A kidnap ----


def plans_about_a_kidnap(agent):
    """Return how many plans the steps before and after a kidnap made.

    Seen and settled ground: the shell is carried when nothing new has been seen for a while.
    """
    env = DriveEnv(scene="kidnapped", noise=False)
    observation, info = env.reset(seed=1)
    if isinstance(agent, ReplannerStatic):
        agent.take_map(occupancy(env.scene, agent.wants_map_cell_m))
    agent.reset(observation, info)
    for _ in range(40):
        observation, *_ = env.step(agent.act(observation))
    before = agent.plans
    env.unwrapped.place((3.0, 3.0, 3.0))
    observation, *_ = env.step(agent.act(observation))
    after_place = agent.plans
    agent.act(observation)
    env.close()
    assert after_place == before
    return agent.plans - before


def test_after_a_kidnap_each_agent_does_what_its_policy_says():
    """On the first step that shows the new pose."""
    assert plans_about_a_kidnap(ReplannerStatic()) == 1
    assert plans_about_a_kidnap(ReplannerDynamic(policy="kidnap")) == 1
    assert plans_about_a_kidnap(ReplannerDynamic()) == 0
    assert plans_about_a_kidnap(ReplannerGoal()) == 0


def through_a_kidnap(agent, **options):
    """Return how a drive through the scene ended, and its plans at each step from the kidnap on.

    The first count is of the step that carried the shell, the second of the first that shows it.
    """
    places, plans = [], []

    def look(env):
        places.append(env.snapshot().poses[-1, :2])
        carried_m = np.abs(places[-1] - places[-2]).max() if len(places) > 1 else 0.0
        if plans or carried_m > 0.5:  # farther than it drives in a step
            plans.append(agent.plans)

    result = drive("kidnapped", agent, on_step=look, **options)
    assert len(plans) > 50, "the shell was not carried, or only at the end"
    return result, plans


def test_in_the_scene_of_a_kidnap_those_replan_on_the_next_step_and_arrive_that_notice():
    """The plain policy, looking two cells ahead, drives on toward its old path behind the wall."""
    notices = make("replanner_dynamic", policy="kidnap", look_ahead=2)
    for agent in (make("replanner_static"), notices):
        result, plans = through_a_kidnap(agent)
        assert (result.verdict, plans[1] - plans[0]) == ("at_goal", 1)
    misses = make("replanner_dynamic", look_ahead=2)
    result, plans = through_a_kidnap(misses, time_limit_s=25.0)
    assert (result.verdict, result.contact_ticks) == ("out_of_time", 0)
    assert set(plans) == {plans[0]}


# ---- A plan that is barred where a car cannot come up to it ----


def room_with_a_wall(start, end_x, y):
    """A room of 6 m by 4 m, and a wall in it from the west between start and goal."""
    walls = [((0, 0), (6, 0)), ((6, 0), (6, 4)), ((6, 4), (0, 4)), ((0, 4), (0, 0)),
             ((0, y), (end_x, y))]  # fmt: skip
    x, start_y, heading_deg = start
    return {
        "format": 1, "name": "room", "title": "A wall across the straight way",
        "time_limit_s": 60.0,
        "start": {"x": x, "y": start_y, "heading_deg": heading_deg},
        "goal": {"x": 0.8, "y": 3.0, "radius": 0.15},
        "wall": [{"name": f"w{n}", "from": list(a), "to": list(b), "thickness": 0.05,
                  "height": 0.4} for n, (a, b) in enumerate(walls)],
    }  # fmt: skip


@pytest.mark.parametrize("look_ahead", [1, 2, 3])
@pytest.mark.parametrize(
    ("start", "end_x", "y"),
    [
        ((0.8, 1.0, 0.0), 3.0, 2.0),  # comes to it at a slant
        ((0.8, 1.0, 90.0), 3.0, 2.0),  # head on
        ((0.8, 0.6, 180.0), 3.0, 2.0),
        ((1.4, 0.6, -90.0), 2.0, 2.3),
        ((1.8, 0.7, 0.0), 3.0, 2.5),
        ((1.8, 0.7, 90.0), 4.0, 1.8),
    ],
)
def test_a_wall_that_a_car_cannot_come_up_to_is_planned_around(start, end_x, y, look_ahead):
    """The next cells of its plan are free, and it is too long to reach them."""
    agent = make("replanner_dynamic", look_ahead=look_ahead)
    result = drive(room_with_a_wall(start, end_x, y), agent)
    assert (result.verdict, result.contact_ticks) == ("at_goal", 0)
    assert 2 <= result.plans <= 12


# ---- The record ----


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("agent", AGENTS)
def test_a_drive_replays(tmp_path, agent, through):
    env = DriveEnv(scene="wide_gap", journal=tmp_path / "drive.kwj")
    run(env, make(agent), seed=2)
    env.close()
    assert replay(tmp_path / "drive.kwj", through).difference == ""


def test_decisions_and_plans_are_recorded_as_integers_and_short_strings(tmp_path):
    env = DriveEnv(scene="behind_inner_wall", journal=tmp_path / "drive.kwj")
    result = run(env, make("replanner_dynamic"), seed=0)
    env.close()
    told = read(tmp_path / "drive.kwj")
    plans = [json.loads(item.payload) for item in told.of("plan")]
    decisions = [json.loads(item.payload) for item in told.of("decision")]
    assert [plan["number"] for plan in plans] == list(range(result.plans))
    assert len(decisions) == result.decisions
    for record in [*plans, *decisions]:
        assert all(type(value) in {int, str} for value in record.values()), record


def test_layers_are_the_map_with_its_plan():
    agent = make("replanner_dynamic")
    names = set()

    def look(env):
        if env.totals()["tick"] > 60:
            layers = agent.layers()
            names.update(layer.name for layer in layers)
            assert layers[0].values.shape[0] > 10
            assert layers[0].values.max() < len(layers[0].palette)

    drive("wide_gap", agent, on_step=look)
    assert names == {"map", "driven to", "plan"}


def test_a_start_beside_a_wall_is_left():
    """Rounded to cells the wall is too near for the body to be where it is."""
    env = DriveEnv(scene="wide_gap", shell="front_steer")
    result = run(env, make("replanner_static"), seed=1, options={"start": (1.0, 0.21, 0.0)})
    assert (result.verdict, result.contact_ticks) == ("at_goal", 0)
