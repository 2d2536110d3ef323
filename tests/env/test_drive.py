"""How a drive goes and ends: arrival, contact, claims, time, events, reward, progress."""

import itertools
import math

import gymnasium as gym
import numpy as np
import pytest
import shapely

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.rewards import WEIGHTS
from kinewright_env.verdicts import SPEAKS_OF_WORLD, VERDICTS, is_honest

STILL = [0.0, 0.0]


def make(scene="post", **options):
    return gym.make("Kinewright/Drive-v0", scene=scene, **options).unwrapped


def wall_ahead(distance_m, shell="four_wheel_steer", goals=(), limit_s=60.0):
    """Return a closed hall, its east face the given distance ahead of the body's front."""
    ahead = 0.0 if shell == "four_wheel_steer" else 0.12
    face = 0.18 + ahead + distance_m
    corners = [(face, 3.0), (-3.0, 3.0), (-3.0, -3.0), (face, -3.0)]
    sides = [((face + 0.5, -4.0), (face + 0.5, 4.0), 1.0)]
    sides += [(a, b, 0.1) for a, b in itertools.pairwise(corners)]
    return {
        "format": 1,
        "name": "hall",
        "title": "Made by a test",
        "time_limit_s": limit_s,
        "shell": shell,
        "start": {"x": 0.0, "y": 0.0},
        "goals": [{"x": x, "y": y, "radius": 0.15} for x, y in goals],
        "wall": [
            {"name": f"w{i}", "from": list(a), "to": list(b), "thickness": t, "height": 0.4}
            for i, (a, b, t) in enumerate(sides)
        ],
    }


def finish(env, ask, most=4000, seed=1, options=None):
    """Step until the end; return the last step and all infos."""
    env.reset(seed=seed, options=options)
    infos = []
    for _ in range(most):
        step = env.step(ask(env) if callable(ask) else ask)
        infos.append(step[4])
        if step[2] or step[3]:
            return step, infos
    raise AssertionError("the drive did not end")


# ---- Ends ----


@pytest.mark.parametrize("shell", ["four_wheel_steer", "front_steer"])
def test_at_rest_with_the_bodys_centre_in_the_goal_the_drive_ends(shell):
    ahead = 0.0 if shell == "four_wheel_steer" else 0.12
    scene = wall_ahead(3.0, shell, goals=[(1.0 + ahead, 0.0)])

    def ask(env):
        x_m = env.snapshot().poses[-1][0]
        return [0.4, 0.0] if x_m < 0.92 else STILL

    step, infos = finish(make(scene, ticks_per_step=12), ask)
    assert step[2] is True
    assert step[3] is False
    assert (step[4]["verdict"], step[4]["is_success"]) == ("at_goal", True)
    assert step[4]["reward_terms"]["arrival"] == WEIGHTS.arrival
    assert not any(info["is_success"] for info in infos[:-1])
    assert step[4]["events"][-1][1:] == ("goal_reached", 0)


def test_passing_through_a_goal_without_resting_is_no_arrival():
    env = make(wall_ahead(3.0, goals=[(1.0, 0.0)]))
    env.reset(seed=1)
    for _ in range(30):
        assert not env.step([0.5, 0.0])[2]


def test_the_drive_stops_on_the_very_tick_it_ends():
    """Split or not, the last tick and the state are the same, and later pose rows repeat."""
    ends = []
    for ticks in (1, 12, 50):
        env = make(wall_ahead(0.1), ticks_per_step=ticks, on_contact="terminate")
        step, _ = finish(env, [0.5, 0.0])
        ends.append((step[4]["tick"], env._world.save()))
        poses = step[0]["pose"]
        run = env.totals()["tick"] % ticks or ticks
        assert (poses[run - 1 :] == poses[run - 1]).all()
        assert step[0]["tick"][0] == step[4]["tick"]
    assert ends.count(ends[0]) == 3


def test_contact_ends_a_drive_only_where_asked_and_is_no_success():
    step, infos = finish(make(wall_ahead(0.1), on_contact="terminate"), [0.5, 0.0])
    assert (step[2], step[4]["verdict"], step[4]["is_success"]) == (True, "", False)
    assert step[4]["contact"]
    assert not any(info["contact"] for info in infos[:-1])
    env = make(wall_ahead(0.1))
    env.reset(seed=1)
    for _ in range(40):
        step = env.step([0.5, 0.0])
    assert step[2] is False
    assert env.totals()["contact_ticks"] > 300


def test_contact_is_told_with_solid_depth_and_events_and_begins_when_clearance_is_zero():
    env = make(wall_ahead(0.1), ticks_per_step=1)
    env.reset(seed=1)
    began = None
    for _ in range(60):
        info = env.step([0.5, 0.0])[4]
        assert info["contact"] == (info["clearance"] == 0.0) == (info["contact_depth"] > 0.0)
        assert (info["contact_solid"] == -1) == (not info["contact"])
        if info["contact"]:
            began = began or (info["tick"], info["events"])
            gap_m = 0.1 - env.snapshot().poses[-1][0]
            assert info["contact_depth"] == pytest.approx(-gap_m, abs=1e-6)
    assert began[1] == ((began[0], "contact_begin", 0),)
    while env.step([-0.5, 0.0])[4]["contact"]:
        pass
    assert env.totals()["min_clearance_m"] == 0.0


@pytest.mark.parametrize("shell", ["four_wheel_steer", "front_steer"])
@pytest.mark.parametrize("scene", ["senses_room", "three_rooms", "post"])
def test_each_tick_of_a_drive_agrees_with_shapely_about_contact_and_clearance(scene, shell):
    env = make(scene, shell=shell, ticks_per_step=1, rig=(), time_limit_s=100.0)
    solids = [
        *(shapely.LineString([w.from_m, w.to_m]).buffer(w.thickness_m / 2, cap_style="flat")
          for w in env.scene.walls),
        *(shapely.Polygon(rectangle(*b.center_m, math.radians(b.heading_deg), *b.size_m))
          for b in env.scene.boxes),
    ]  # fmt: skip
    posts = [(shapely.Point(post.center_m), post.radius_m) for post in env.scene.posts]
    rng = np.random.default_rng(8)
    touched = 0
    for seed in range(4):
        env.reset(seed=seed)
        for _ in range(12):
            ask = rng.uniform((0.5, -0.1), (2.0, 0.1))
            for _ in range(60):
                info = env.step(ask)[4]
                pose = env._world.report.motion.pose
                x, y, heading, ahead = pose.x_m, pose.y_m, pose.heading_rad, env.shell.body_ahead_m
                x, y = x + ahead * math.cos(heading), y + ahead * math.sin(heading)
                size = env.shell.length_m, env.shell.width_m
                body = shapely.Polygon(rectangle(x, y, heading, *size))
                gaps = [*map(body.distance, solids), *(body.distance(p) - r for p, r in posts)]
                assert info["clearance"] == pytest.approx(max(min(gaps), 0.0), abs=1e-9)
                assert info["contact"] == (info["clearance"] == 0.0) == (info["contact_solid"] >= 0)
                touched += info["contact"]
    assert 100 < touched < 2700


def rectangle(x, y, heading, length, width):
    c, s = math.cos(heading) / 2, math.sin(heading) / 2
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [
        (x + a * length * c - b * width * s, y + a * length * s + b * width * c) for a, b in signs
    ]


def test_sensors_left_out_change_nothing_about_contact():
    with_rig, without = make(wall_ahead(0.1)), make(wall_ahead(0.1), rig=())
    infos = []
    for env in (with_rig, without):
        env.reset(seed=1)
        infos.append([env.step([0.5, 0.1])[4] for _ in range(40)])
    assert infos[0] == infos[1]


def test_the_time_limit_truncates_on_its_tick():
    step, _ = finish(make(wall_ahead(2.0, limit_s=1.99), ticks_per_step=12), STILL)
    assert step[2:4] == (False, True)
    assert step[4]["verdict"] == "out_of_time"
    assert step[4]["tick"] == math.ceil(1.99 * 120)


def test_several_goals_are_visited_in_order():
    scene = wall_ahead(3.0, goals=[(0.6, 0.0), (1.5, 0.0), (0.6, 0.0)])
    env = make(scene)

    def ask(env):
        report = env._world.report
        x_m, goal_m = report.centre_x_m, report.goal.x_m
        if abs(goal_m - x_m) < 0.08:
            return STILL
        return [0.3 if goal_m > x_m else -0.3, 0.0]

    step, infos = finish(env, ask)
    reached = [e[2] for info in infos for e in info["events"] if e[1] == "goal_reached"]
    assert reached == [0, 1, 2]
    assert step[4]["verdict"] == "at_goal"
    env.reset(seed=1)
    assert env.step(STILL)[0]["goals_left"].tolist() == [2]


# ---- Claims ----


def claims_env(scene, **options):
    env = make(scene, claims=True, **options)
    env.reset(seed=1)
    return env


def claim(name, ask=STILL):
    number = VERDICTS.index(name) + 1 if name else 0
    return {"drive": np.array(ask, np.float32), "claim": number}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_claim_ends_the_drive_and_is_scored_where_it_speaks_of_the_world(verdict):
    env = claims_env("sealed_room")  # its truth is no_way
    for _ in range(3):
        assert not env.step(claim("", [0.2, 0.0]))[2]
    ticks = env.totals()["tick"]
    observation, reward, terminated, truncated, info = env.step(claim(verdict))
    assert (terminated, truncated, info["verdict"]) == (True, False, verdict)
    assert env.totals()["tick"] == ticks
    assert observation["tick"][0] == ticks
    true = verdict == "no_way"
    assert info["is_success"] is true
    expected = 0.0
    if SPEAKS_OF_WORLD[verdict] and verdict != "map_complete":  # of which no_way tells nothing
        expected = WEIGHTS.true_claim if true else WEIGHTS.false_claim
    assert reward == info["reward_terms"]["claim"] == expected
    with pytest.raises(gym.error.ResetNeeded, match=verdict):
        env.step(claim(""))


def test_with_claims_the_goal_must_be_claimed():
    env = claims_env(wall_ahead(3.0, goals=[(0.05, 0.0)]))
    for _ in range(5):
        assert not env.step(claim(""))[2]
    info = env.step(claim("at_goal"))[4]
    assert info["is_success"] is True
    env.reset(seed=1, options={"goal": (2.0, 0.0)})
    env.step(claim(""))
    info = env.step(claim("at_goal"))[4]
    assert info["is_success"] is False
    assert info["reward_terms"]["claim"] == WEIGHTS.false_claim


@pytest.mark.parametrize("bad", [9, -1, True, "1", None, 1.0])
def test_a_claim_that_is_none_is_refused(bad):
    env = claims_env("post")
    with pytest.raises(ValueError, match="claim"):
        env.step({"drive": STILL, "claim": bad})
    with pytest.raises(ValueError, match="claim"):
        env.step(STILL)


def test_honesty_compares_the_gap_and_the_rooms_where_the_scene_knows_them():
    narrow, rooms = make("narrow_gap").scene, make("three_rooms").scene

    def honest(scene, verdict, **carried):
        return is_honest(scene, verdict, at_goal=False, **carried)

    assert honest(narrow, "no_way_for_body") is True
    assert honest(narrow, "no_way_for_body", gap_m=0.20) is True
    assert honest(narrow, "no_way_for_body", gap_m=0.28) is True
    assert honest(narrow, "no_way_for_body", gap_m=0.19) is False
    assert honest(narrow, "no_way_for_body", gap_m=0.29) is False
    assert honest(narrow, "no_way") is False
    assert honest(narrow, "stopped_trying") is None
    assert honest(rooms, "map_complete", rooms=3) is True
    assert honest(rooms, "map_complete", rooms=2) is False
    assert honest(make("senses_room").scene, "no_way") is None
    assert honest(narrow, "map_complete", rooms=2) is None
    assert honest(rooms, "no_way") is False


# ---- Announcements ----


def test_leaving_the_models_bounds_is_announced_with_its_tick():
    """At lock the four-wheel shell's radius is 0.2695 m: v = sqrt(a r) crosses each bound."""
    env = make(wall_ahead(2.5), ticks_per_step=1)
    env.reset(seed=1)
    lock = env.shell.lock_rad
    seen = {}
    for tick in range(400):
        speed = 2.0 if tick < 200 else 0.0
        info = env.step([speed, lock])[4]
        for _, name, detail in info["events"]:
            if not name.startswith("contact"):
                seen[name, detail] = (info["tick"], env._world.report.motion.speed_mps)
    radius = 0.12 / math.tan(math.radians(24))
    bounds = {
        "honesty_bound": 0.5 * 0.8 * 9.80665,
        "tip_threshold": 9.80665 * 0.09 / 0.08,
    }
    for name, bound in bounds.items():
        crossing = math.sqrt(bound * radius)
        assert seen[name, 1][1] == pytest.approx(crossing, abs=2 * 1.6 / 120)
        assert seen[name, 0][1] == pytest.approx(crossing, abs=2 * 3.0 / 120)
    assert len(seen) == 4


# ---- Reward ----


def test_the_reward_is_the_sum_of_its_terms():
    env = make("behind_second_wall")
    env.reset(seed=1)
    for i in range(100):
        _, reward, _, _, info = env.step([0.5, 0.3 if i > 50 else 0.0])
        assert reward == sum(info["reward_terms"].values())
        assert info["reward_terms"]["time"] == pytest.approx(WEIGHTS.time_per_s * 0.1)


@pytest.mark.parametrize("progress", ["shortest", "straight"])
def test_progress_on_a_free_line_is_the_metres_run(progress):
    env = make(wall_ahead(6.0, goals=[(4.0, 0.0)]), progress=progress)
    env.reset(seed=1)
    total = sum(env.step([0.5, 0.0])[4]["reward_terms"]["progress"] for _ in range(60))
    assert total == pytest.approx(env.totals()["length_m"], rel=0.02)


def test_progress_goes_round_a_wall_and_not_through_it():
    """North, away from the goal as the crow flies, is nearer by the way round."""
    scene = wall_ahead(4.0, goals=[(2.0, 0.0)])
    scene["box"] = [{"name": "b", "center": [1.0, -1.2], "size": [0.1, 3.6], "height": 0.4}]
    facing_north = {"start": (0.3, 0.0, math.pi / 2)}
    shortest, straight = make(scene), make(scene, progress="straight")
    sums = []
    for env in (shortest, straight):
        env.reset(seed=1, options=facing_north)
        sums.append(sum(env.step([0.4, 0.0])[4]["reward_terms"]["progress"] for _ in range(12)))
    assert sums[0] > 0.15
    assert sums[1] < 0.0


def test_without_a_way_there_is_no_progress():
    env = make("sealed_room")
    env.reset(seed=1)
    assert all(env.step([0.4, 0.2])[4]["reward_terms"]["progress"] == 0.0 for _ in range(20))
    assert env.shortest_m() == math.inf


def test_the_shortest_way_of_a_scene_is_that_of_a_taut_string():
    """Round one corner: two straight legs and the arc of the disc between them."""
    scene = wall_ahead(4.0, goals=[(2.0, 0.0)])
    scene["box"] = [{"name": "b", "center": [1.0, -1.2], "size": [0.1, 3.6], "height": 0.4}]
    env = make(scene)
    env.reset(seed=1)
    radius = env.shell.inscribed_radius_m
    corners = [(0.95, 0.6), (1.05, 0.6)]

    def leg(point, corner):
        return math.sqrt(math.dist(point, corner) ** 2 - radius**2)

    start, goal = (0.0, 0.0), (2.0, 0.0)
    # tangent legs, the flat top between, and two arcs
    angle_a = math.atan2(0.6, 0.95) + math.asin(radius / math.dist(start, corners[0]))
    angle_b = math.atan2(0.6, 0.95) + math.asin(radius / math.dist(goal, corners[1]))
    length = leg(start, corners[0]) + leg(goal, corners[1]) + 0.1 + radius * (angle_a + angle_b)
    assert env.shortest_m() + 0.15 == pytest.approx(length, rel=0.02)
