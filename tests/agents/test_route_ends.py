"""How `route` and `explore` begin, go on and end in rooms made for one question each."""

import itertools
import re

import pytest

from kinewright_agents import make
from kinewright_env import Result, run
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.scene import SceneWarning, load_scene
from kinewright_env.shells import SHELLS

EACH_SHELL = pytest.mark.parametrize("shell", SHELLS)
PRICES = ("low", "normal", "high")


def wall(name: str, start: tuple[float, float], end: tuple[float, float]) -> dict:
    return {"name": name, "from": list(start), "to": list(end), "thickness": 0.05, "height": 0.4}


def room(width_m: float, height_m: float, **more) -> dict:
    """A room with its corner in the origin; the shell stands on its left."""
    corners = [(0.0, 0.0), (width_m, 0.0), (width_m, height_m), (0.0, height_m), (0.0, 0.0)]
    walls = [wall(f"wall {i}", a, b) for i, (a, b) in enumerate(itertools.pairwise(corners))]
    return {
        "format": 1, "name": "room", "title": "A room", "time_limit_s": 120.0,
        "start": {"x": 0.7, "y": height_m / 2}, **more, "wall": [*walls, *more.get("wall", ())],
    }  # fmt: skip


def box(x_m: float, y_m: float, width_m: float, height_m: float) -> dict:
    return {"name": "box", "center": [x_m, y_m], "size": [width_m, height_m], "height": 0.4}


def goal(x_m: float, y_m: float, radius_m: float = 0.15) -> dict:
    return {"x": x_m, "y": y_m, "radius": radius_m}


def drive(scene, agent: str = "route", *, seed: int = 0, on_step=None, **options) -> Result:
    options = {"shell": "four_wheel_steer", **options}
    driver = make(agent) if isinstance(agent, str) else agent
    return run(DriveEnv(scene=load_scene(scene), **options), driver, seed=seed, on_step=on_step)


# ---- beginnings ----


def test_without_a_goal_route_says_so():
    with pytest.raises(AgentError, match="route: the scene has no goal; the agent explore"):
        drive("three_rooms")


@pytest.mark.parametrize(("agent", "scene"), [("route", "door"), ("explore", "three_rooms")])
def test_without_the_scan_it_refuses(agent, scene):
    with pytest.raises(AgentError, match=f"{agent}: needs the scan in the rig"):
        drive(scene, agent, rig=("grid", "beam", "bumpers"))


def test_it_needs_no_other_sense():
    result = drive("narrow_gap", rig=("scan",))
    assert (result.verdict, result.honest, result.contact_ticks) == ("no_way_for_body", True, 0)


@pytest.mark.parametrize("agent", ["route", "explore"])
def test_a_price_that_is_none_is_refused_by_name(agent):
    with pytest.raises(AgentError, match=f"{agent}: price 'hihg'.*high"):
        make(agent, price="hihg")


@pytest.mark.parametrize("ticks_per_step", [5, 8, 24])
def test_a_step_that_does_not_divide_twelve_ticks_is_refused(ticks_per_step):
    with pytest.raises(AgentError, match=f"ticks_per_step is {ticks_per_step}.*divides 12"):
        drive("narrow_gap", ticks_per_step=ticks_per_step)


@pytest.mark.parametrize(("agent", "scene"), [("route", "narrow_gap"), ("explore", "three_rooms")])
def test_the_drive_is_the_same_whatever_the_step(agent, scene):
    """Decisions fall on the same ticks; the end alone is claimed up to a step later."""
    results = [drive(scene, agent, ticks_per_step=step) for step in (1, 4, 6, 12)]
    assert {one.verdict for one in results} == {results[0].verdict}
    assert len({(one.plans, one.switches, one.length_m, one.sentence) for one in results}) == 1
    ticks = [one.ticks for one in results]
    assert max(ticks) - min(ticks) <= 12


# ---- goals ----


@EACH_SHELL
def test_it_visits_three_goals_in_their_order(shell):
    goals = [goal(4.2, 2.0), goal(4.2, 0.8), goal(0.8, 3.2)]
    driver, aims = make("route"), []
    scene = room(5.0, 4.0, goals=goals, box=[box(2.5, 2.0, 0.5, 0.5)])
    result = drive(
        scene, driver, shell=shell, on_step=lambda _: aims.append(vars(driver).get("_goal"))
    )
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)
    places = [(round(1e6 * one["x"]), round(1e6 * one["y"]), 150_000) for one in goals]
    assert [aim for aim, _ in itertools.groupby(filter(None, aims))] == places
    assert re.fullmatch(
        r"At the goal after [\d.]+ s and [\d.]+ m, with \d+ plans\.", result.sentence
    )


@EACH_SHELL
def test_it_turns_to_a_goal_that_has_moved(shell):
    moved = {"at_s": 3.0, "x": 1.0, "y": 3.2}
    result = drive(room(5.0, 4.0, goal=goal(4.2, 2.0), goal_change=[moved]), shell=shell)
    assert (result.verdict, result.honest, result.contact_ticks) == ("at_goal", True, 0)


@EACH_SHELL
def test_a_goal_in_a_thin_post_gets_its_verdict_from_where_it_is_first_seen(shell):
    post = {"name": "post", "center": [2.5, 1.5], "radius": 0.05, "height": 0.4}
    with pytest.warns(SceneWarning):
        scene = load_scene(room(4.0, 3.0, goal=goal(2.5, 1.5, 0.05), post=[post]))
    result = drive(scene, shell=shell)
    assert (result.verdict, result.contact_ticks) == ("no_way", 0)
    assert result.time_s <= 4.0
    assert "the goal is closed in" in result.sentence


@EACH_SHELL
def test_a_goal_under_a_solid_that_is_known_gets_its_verdict_at_once(shell):
    """Four goals lead about the box, the fifth lies in it: one look from rest, and the verdict."""
    goals = [goal(2.2, 3.3), goal(4.2, 2.0), goal(2.2, 0.7), goal(0.9, 2.0), goal(2.2, 2.0, 0.1)]
    with pytest.warns(SceneWarning):
        scene = load_scene(room(5.0, 4.0, goals=goals, box=[box(2.2, 2.0, 0.4, 0.4)]))
    driver, plans = make("route"), []
    run_notes = driver.notes

    def notes():
        told = run_notes()
        plans.extend(content for kind, content in told if kind == "plan")
        return told

    driver.notes = notes
    result = drive(scene, driver, shell=shell)
    assert (result.verdict, result.contact_ticks) == ("no_way", 0)
    turned = [plan["tick"] for plan in plans if plan["event"] == "goal"][-1]
    assert result.ticks - turned <= 3.0 * 120


@EACH_SHELL
def test_a_goal_outside_of_the_room_cannot_be_reached(shell):
    with pytest.warns(SceneWarning):
        scene = load_scene(room(4.0, 3.0, goal=goal(6.5, 1.5)))
    result = drive(scene, shell=shell)
    assert (result.verdict, result.contact_ticks) == ("no_way", 0)
    assert "the shell is closed in by what stands from" in result.sentence


# ---- other ends ----


@pytest.mark.parametrize("width_m", [0.5, 0.6, 0.7])
@EACH_SHELL
def test_in_a_dead_end_too_narrow_to_turn_recoveries_come_to_an_end(shell, width_m):
    """The verdict speaks of the agent, and says where."""
    low, high = 1.5 - width_m / 2, 1.5 + width_m / 2
    walls = [wall("north", (2.0, high), (5.5, high)), wall("south", (2.0, low), (5.5, low))]
    walls.append(wall("end", (5.5, low), (5.5, high)))
    start = {"x": 5.0, "y": 1.5, "heading_deg": 0.0}
    result = drive(room(6.0, 3.0, goal=goal(0.8, 1.5), start=start, wall=walls), shell=shell)
    assert result.contact_ticks == 0
    assert result.verdict in {"stopped_trying", "at_goal"}
    if result.verdict == "stopped_trying":
        assert result.honest is None
        told = re.search(
            r"(blocked|stalled) at \(([-\d.]+), ([-\d.]+)\) after 3 recoveries", result.sentence
        )
        assert 2.0 < float(told[2]) < 5.5
        assert low < float(told[3]) < high


@EACH_SHELL
def test_out_of_time_carries_the_distance_left(shell):
    result = drive("behind_second_wall", shell=shell, time_limit_s=5.0)
    assert (result.verdict, result.honest) == ("out_of_time", None)
    left_m = float(re.fullmatch(r"Out of time with ([\d.]+) m left\.", result.sentence)[1])
    assert 3.5 <= left_m <= 6.0


def test_no_limit_that_is_reached_is_a_verdict_on_the_world():
    """However early the end comes."""
    for time_limit_s in (0.1, 0.4, 1.0, 2.0):
        result = drive("sealed_room", time_limit_s=time_limit_s)
        assert (result.verdict, result.honest) == ("out_of_time", None)


def test_a_sealed_explorer_says_that_its_map_is_complete():
    result = drive(room(2.5, 2.0), "explore")
    assert (result.verdict, result.rooms, result.contact_ticks) == ("map_complete", 1, 0)


# ---- two nearly equal ways ----


@pytest.mark.parametrize(
    "seeds",
    [
        range(10),
        *(pytest.param(range(n, n + 10), marks=pytest.mark.slow) for n in range(10, 200, 10)),
    ],
    ids=lambda seeds: f"from {seeds.start}",
)
def test_between_two_nearly_equal_ways_it_turns_back_once_at_most(seeds):
    """A box of 0.6 m by 1.6 m midway; a side counts once the route leads past it."""
    scene = load_scene(room(5.0, 4.0, goal=goal(4.2, 2.0), box=[box(2.5, 2.0, 0.6, 1.6)]))
    for seed in seeds:
        driver, sides = make("route"), []

        def look(_, driver=driver, sides=sides):
            course = driver._course
            rows = [] if course is None else course.cells[course.cells[:, 1] == 62][:1, 0].tolist()
            sides.extend(row >= 70 for row in rows if not 30 <= row < 70)

        result = drive(scene, driver, seed=seed, on_step=look)
        assert (result.verdict, result.contact_ticks) == ("at_goal", 0)
        assert sum(a != b for a, b in itertools.pairwise(sides)) <= 2, seed


# ---- what it shows ----


@pytest.mark.parametrize(
    ("agent", "scene", "names"),
    [
        ("route", "narrow_gap", {"belief", "cost", "route", "lookahead", "plan", "gap", "verdict"}),
        ("explore", "three_rooms", {"belief", "cost", "route", "lookahead", "plan"}),
    ],
)
def test_layers_show_the_map_the_route_and_the_reason(agent, scene, names):
    driver, shown, steps = make(agent), set(), itertools.count()

    def look(_):
        if next(steps) % 10 == 1:
            shown.update(layer.name for layer in driver.layers())

    drive(scene, driver, on_step=look)
    shown.update(layer.name for layer in driver.layers())
    assert names <= shown


def test_a_decision_is_whole_numbers_and_short_words():
    driver, records = make("route"), []
    drive("box_appears", driver, on_step=lambda _: records.append(driver.decision()))
    values = [value for record in records for value in record.values()]
    assert all(isinstance(value, int | str) for value in values)
    assert {"clear", "goal_reached"} <= {record.get("reason") for record in records}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_shell_that_circles_a_goal_too_small_to_stop_in_gives_up_before_the_time_is_out(seed):
    """Between walls it never turns so that the goal lies on its way: it passed it for ever."""
    start = {"x": 11.162, "y": 0.786, "heading_deg": 136.0}
    hall = room(12.0, 2.0, start=start, goal=goal(11.144, 0.786, 0.05))
    hall["wall"][2]["thickness"] = 0.2
    hall["wall"][1]["thickness"] = 0.02
    result = drive(hall, seed=seed, shell="front_steer", ticks_per_step=1)
    assert (result.verdict, result.contact_ticks) == ("stopped_trying", 0)
