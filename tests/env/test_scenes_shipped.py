"""The shipped scenes hold what their titles and truths say, by shapely alone."""

import math
import tomllib
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest
import shapely
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from kinewright_env.scene import load_scene, scene_names

# The figures of motion.md and route.md, typed anew: these tests share none with the product.
LENGTH_M, WIDTH_M = 0.36, 0.212
AHEAD_M = {"four_wheel_steer": 0.0, "front_steer": 0.12}
CLEARANCE_M = 0.05
DISC_M = WIDTH_M / 2 + CLEARANCE_M
NECK_M = 0.90
ROOM_M2 = 1.0

FIXTURES = (
    *("senses_room", "post", "low_box", "wide_gap", "angled_wall", "wall", "gap_030"),
    *("behind_inner_wall", "behind_second_wall", "sealed_room", "narrow_gap", "three_rooms"),
    *("box_appears", "box_vanishes", "door"),
    *("goal_moves", "kidnapped"),
)
SENSES = [name for name in scene_names() if name.startswith("senses_") and name != "senses_room"]


@cache
def table(name: str) -> dict[str, Any]:
    file = resources.files("kinewright_env.scenes").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def rectangle(x: float, y: float, length: float, width: float, heading_deg: float) -> BaseGeometry:
    flat = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    return translate(rotate(flat, heading_deg, origin=(0, 0)), x, y)


@cache
def solids(name: str) -> dict[str, BaseGeometry]:
    scene = table(name)
    shapes = {
        wall["name"]: LineString((wall["from"], wall["to"])).buffer(
            wall["thickness"] / 2, cap_style="flat"
        )
        for wall in scene.get("wall", ())
    }
    for box in scene.get("box", ()):
        heading_deg = box.get("heading_deg", 0.0)
        shapes[box["name"]] = rectangle(*box["center"], *box["size"], heading_deg)
    for post in scene.get("post", ()):
        shapes[post["name"]] = Point(post["center"]).buffer(post["radius"], quad_segs=64)
    return shapes


def changing(name: str) -> set[str]:
    return {change["solid"] for change in table(name).get("change", ()) if "solid" in change}


def free(name: str, without: set[str], shrunk_m: float = 0.0) -> BaseGeometry:
    """Where a disc's centre may be inside the outermost solids, some of them left out."""
    everything = unary_union([s for key, s in solids(name).items() if key not in without])
    return shapely.box(*everything.bounds).difference(everything.buffer(shrunk_m, quad_segs=32))


def joined(space: BaseGeometry, places: list[tuple[float, float]]) -> bool:
    parts = getattr(space, "geoms", [space])
    return any(all(part.covers(Point(place)) for place in places) for part in parts)


def places(name: str) -> list[tuple[float, float]]:
    scene = table(name)
    goals = scene.get("goals", [scene["goal"]] if "goal" in scene else [])
    return [(place["x"], place["y"]) for place in (scene["start"], *goals)]


def moved_to(name: str) -> list[tuple[float, float]]:
    """Where changes put the goal, and the shell."""
    scene = table(name)
    poses = [change["pose"] for change in scene.get("change", ()) if "pose" in change]
    return [(place["x"], place["y"]) for place in (*scene.get("goal_change", ()), *poses)]


def body(x: float, y: float, heading_deg: float, shell: str, grown_m: float = 0.0) -> BaseGeometry:
    ahead = AHEAD_M[shell]
    cosine, sine = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
    x, y = x + ahead * cosine, y + ahead * sine
    return rectangle(x, y, LENGTH_M + 2 * grown_m, WIDTH_M + 2 * grown_m, heading_deg)


def test_every_scene_of_the_table_ships() -> None:
    assert set(FIXTURES) <= set(scene_names())
    assert set(scene_names()) == {*FIXTURES, *SENSES}
    assert len(SENSES) >= 25


@pytest.mark.parametrize("name", scene_names())
def test_a_shipped_scene_loads_without_a_warning_under_its_own_name(name: str) -> None:
    scene = load_scene(name)
    assert scene.name == name
    assert [solid.name for solid in scene.solids] == list(solids(name))


def test_no_two_shipped_scenes_have_one_root() -> None:
    assert len({load_scene(name).root for name in scene_names()}) == len(scene_names())


@pytest.mark.parametrize("name", scene_names())
def test_the_start_is_clear_for_the_shells_it_is_meant_for(name: str) -> None:
    start, scene = table(name)["start"], table(name)
    for shell in [scene["shell"]] if "shell" in scene else list(AHEAD_M):
        outline = body(start["x"], start["y"], start["heading_deg"], shell)
        assert all(outline.distance(solid) > 0 for solid in solids(name).values())


@pytest.mark.parametrize("name", FIXTURES)
def test_the_four_outer_walls_leave_no_way_out(name: str) -> None:
    outer = [solids(name)[f"{side} wall"] for side in ("south", "east", "north", "west")]
    assert len(unary_union(outer).interiors) == 1


OPENINGS = [
    ("wide_gap", "inner wall, right part", "inner wall, left part", 0.60),
    ("gap_030", "inner wall, right part", "inner wall, left part", 0.30),
    ("narrow_gap", "inner wall, right part", "inner wall, left part", 0.25),
    ("behind_inner_wall", "first inner wall, right part", "first inner wall, left part", 0.80),
    ("behind_inner_wall", "second inner wall, right part", "second inner wall, left part", 0.80),
    ("behind_second_wall", "first inner wall, right part", "first inner wall, left part", 0.80),
    ("behind_second_wall", "second inner wall, right part", "second inner wall, left part", 0.80),
    (
        "three_rooms",
        "wall of the first doorway, right part",
        "wall of the first doorway, left part",
        0.80,
    ),
    (
        "three_rooms",
        "wall of the second doorway, right part",
        "wall of the second doorway, left part",
        0.80,
    ),
    ("door", "inner wall, right part", "inner wall, middle", 0.80),
    ("door", "inner wall, middle", "inner wall, left part", 0.80),
]


@pytest.mark.parametrize(("name", "one", "other", "width_m"), OPENINGS)
def test_openings_have_their_declared_widths(
    name: str, one: str, other: str, width_m: float
) -> None:
    assert solids(name)[one].distance(solids(name)[other]) == pytest.approx(width_m, abs=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in FIXTURES if table(name).get("truth") == "at_goal"]
)
def test_the_body_can_reach_every_goal_in_every_state_of_the_world(name: str) -> None:
    for without in (set(), changing(name)):
        assert joined(free(name, without, DISC_M), places(name) + moved_to(name))


@pytest.mark.parametrize(
    "name", [name for name in FIXTURES if table(name).get("truth") == "no_way"]
)
def test_not_even_a_point_can_reach_a_goal_that_has_no_way(name: str) -> None:
    assert not joined(free(name, set()), places(name))


@pytest.mark.parametrize(
    "name", [name for name in FIXTURES if table(name).get("truth") == "no_way_for_body"]
)
def test_a_gap_too_narrow_for_the_body_lets_a_disc_through_up_to_its_declared_width(
    name: str,
) -> None:
    gap_m = table(name)["truth_gap_m"]
    assert not joined(free(name, set(), DISC_M), places(name))
    assert joined(free(name, set(), gap_m / 2 - 1e-6), places(name))
    assert not joined(free(name, set(), gap_m / 2 + 1e-6), places(name))


def test_every_truth_is_one_of_those_above() -> None:
    assert {table(name).get("truth") for name in FIXTURES} == {
        *(None, "at_goal", "no_way", "no_way_for_body", "map_complete")
    }


def test_three_rooms_are_three_when_cut_at_their_necks() -> None:
    opened = free("three_rooms", set(), NECK_M / 2)
    rooms = [room.buffer(NECK_M / 2) for room in opened.geoms]
    assert sum(room.area >= ROOM_M2 for room in rooms) == len(rooms) == 3
    assert table("three_rooms")["truth_rooms"] == 3
    assert isinstance(free("three_rooms", set(), DISC_M), Polygon)  # all one for the body


@pytest.mark.parametrize("name", ["box_appears", "box_vanishes", "door"])
def test_what_changes_at_the_first_goal_cannot_be_seen_from_it(name: str) -> None:
    """From anywhere on the body at rest in the goal, to anywhere on the solid."""
    (goal, _), (changed,) = table(name)["goals"], changing(name)
    screens = unary_union([s for key, s in solids(name).items() if key != changed])
    outline = solids(name)[changed].exterior
    targets = [outline.interpolate(i / 40, normalized=True) for i in range(40)]
    reach_m = goal["radius"] + math.hypot(LENGTH_M, WIDTH_M) / 2
    around = Point(goal["x"], goal["y"]).buffer(reach_m, quad_segs=8).exterior.coords
    for eye in around:
        for target in targets:
            assert LineString((eye, target)).intersection(screens).length > 0


def test_the_box_of_the_out_and_home_scenes_stands_on_the_straight_way() -> None:
    for name in ("box_appears", "box_vanishes"):
        start, goal, _ = places(name)
        corner = (goal[0] - 0.8, start[1])  # over the inner wall's top
        assert LineString((start, corner)).intersects(solids(name)["box"])


def test_the_obstacle_of_a_one_thing_scene_lies_square_across_the_straight_way() -> None:
    for name in ("post", "low_box", "angled_wall", "wall"):
        way = LineString(places(name))
        inner = [s for key, s in solids(name).items() if key.split()[0] not in _SIDES]
        assert way.intersects(unary_union(inner))
        assert len({y for _, y in places(name)}) == 1


def test_the_wide_gap_lies_on_the_straight_way_with_room_for_the_body() -> None:
    way = LineString(places("wide_gap")).buffer(0.46 / 2)
    inner = [s for key, s in solids("wide_gap").items() if key.startswith("inner")]
    assert not way.intersects(unary_union(inner))


_SIDES = ("south", "east", "north", "west")


def arc(
    pose: tuple[float, float, float], radius_m: float, turn_deg: float
) -> list[tuple[float, float, float]]:
    """Poses of a pivot along an arc, a positive turn to the left, from after the first pose."""
    x, y, heading = pose
    side = math.copysign(1.0, turn_deg)
    cx = x - side * radius_m * math.sin(math.radians(heading))
    cy = y + side * radius_m * math.cos(math.radians(heading))
    poses = []
    for i in range(1, 46):
        h = heading + turn_deg * i / 45
        poses.append(
            (
                cx + side * radius_m * math.sin(math.radians(h)),
                cy - side * radius_m * math.cos(math.radians(h)),
                h,
            )
        )
    return poses


def straight(pose: tuple[float, float, float], length_m: float) -> list[tuple[float, float, float]]:
    x, y, heading = pose
    dx, dy = math.cos(math.radians(heading)), math.sin(math.radians(heading))
    n = math.ceil(length_m / 0.02)
    return [
        (x + dx * length_m * i / n, y + dy * length_m * i / n, heading) for i in range(1, n + 1)
    ]


@pytest.mark.parametrize("shell", AHEAD_M)
def test_a_radius_of_054_m_fits_on_the_way_behind_the_second_wall(shell: str) -> None:
    """Left, up, right through the first opening; right, down, left through the second."""
    start = table("behind_second_wall")["start"]
    poses = [(start["x"], start["y"], start["heading_deg"])]
    for turn_deg, length_m in ((90, 0.42), (-90, 0.72), (-90, 0.62), (90, 2.0)):
        poses += arc(poses[-1], 0.54, turn_deg)
        poses += straight(poses[-1], length_m)
    assert math.dist(poses[-1][:2], places("behind_second_wall")[1]) < 0.6
    assert max(math.dist(a[:2], b[:2]) for a, b in pairwise(poses)) < 0.03
    everything = unary_union(list(solids("behind_second_wall").values()))
    for pose in poses:
        assert not body(*pose, shell, CLEARANCE_M).intersects(everything)


@pytest.mark.parametrize(
    ("shell", "radius_m"), [("four_wheel_steer", 0.2695), ("front_steer", 0.539)]
)
@pytest.mark.parametrize("turn_deg", [360, -360])
def test_full_circles_at_the_lock_are_clear_at_the_start_of_senses_room(
    shell: str, radius_m: float, turn_deg: float
) -> None:
    start = table("senses_room")["start"]
    everything = unary_union(list(solids("senses_room").values()))
    for pose in arc((start["x"], start["y"], start["heading_deg"]), radius_m, turn_deg):
        assert body(*pose, shell).distance(everything) > 0.2


def test_senses_room_shows_the_beam_the_low_box_and_the_cone_the_far_wall() -> None:
    scene, shapes = table("senses_room"), solids("senses_room")
    eye = Point(scene["start"]["x"] + 0.18, scene["start"]["y"])
    assert eye.distance(shapes["low box"]) == pytest.approx(2.0, abs=1e-9)
    assert 3.6 < eye.distance(shapes["east wall"]) < 3.9  # within the cone's 4 m
    (low,) = [box for box in scene["box"] if box["name"] == "low box"]
    assert low["size"] == [0.20, 0.20]
    assert 0.06 < low["height"] < 0.10
    for half_deg, seen in ((7.5, {"low box", "east wall"}), (12.5, {"low box", "east wall"})):
        spread = 6 * math.tan(math.radians(half_deg))
        view = Polygon([eye.coords[0], (eye.x + 6, eye.y - spread), (eye.x + 6, eye.y + spread)])
        assert {name for name, shape in shapes.items() if view.intersects(shape)} == seen


def test_senses_room_offers_the_radar_three_targets_near_its_axis() -> None:
    """The four nearest solids lie within 25 degrees, so each closes at 0.9 of the speed or more."""
    start, shapes = table("senses_room")["start"], solids("senses_room")
    eye = Point(start["x"] + 0.18, start["y"])
    fan = [Point(eye.x + 9 * math.cos(a), eye.y + 9 * math.sin(a)) for a in
           (math.radians(degrees) for degrees in range(-60, 61))]  # fmt: skip
    field = Polygon([eye, *fan])
    nearest = sorted(
        (eye.distance(shape.intersection(field)), name)
        for name, shape in shapes.items()
        if shape.intersects(field)
    )
    names = [name for _, name in nearest[:4]]
    assert set(names) == {"low box", "thin post", "tall post", "tall box"}
    for name in names:
        center = shapes[name].centroid
        assert abs(math.degrees(math.atan2(center.y - eye.y, center.x - eye.x))) < 25


NEAREST_M = {
    "senses_wall_1m": 1.0,
    "senses_wall_at_end_of_range": 3.99,
    "senses_wall_beyond_range": 4.01,
    "senses_wall_too_near_for_all": 0.01,
    "senses_wall_too_near_for_cone": 0.03,
    "senses_wall_turned_5_deg": math.cos(math.radians(5.0)),
    "senses_wall_turned_7_4_deg": math.cos(math.radians(7.4)),
    "senses_wall_turned_7_6_deg": math.cos(math.radians(7.6)),
    "senses_wall_turned_30_deg": math.cos(math.radians(30.0)),
    "senses_post_ahead": 1.0,
    "senses_thin_post": 1.0,
    "senses_post_7_deg_left": 1.0,
    "senses_post_8_deg_left": 1.0,
    "senses_post_20_deg_right": 1.0,
    "senses_post_55_deg_left": 1.0,
    "senses_post_65_deg_left": 1.0,
    "senses_post_too_near_for_radar": 0.15,
    "senses_box_004_high": 1.0,
    "senses_box_007_high": 1.0,
    "senses_box_009_high": 1.0,
    "senses_box_012_high": 1.0,
    "senses_box_020_high": 1.0,
    "senses_box_corner_on": 1.0,
    "senses_box_on_right_half": 1.0,
    "senses_bump_both": 0.10,
    "senses_pose_turned": 1.0,
}
FROM_SCANNER_M = {
    "senses_wall_at_end_of_scan": 7.99,
    "senses_wall_beyond_scan": 8.01,
    "senses_wall_too_near_for_scan": 0.12,
    "senses_wall_beside": 1.0,
    "senses_thin_post_between_beams": math.hypot(4.0, 0.0349) - 0.02,
    "senses_box_beside": 0.5,
    "senses_box_behind": 1.0,
    "senses_bump_left": math.hypot(0.28, 0.026),
    "senses_bump_right": math.hypot(0.28, 0.026),
}


@pytest.mark.parametrize("name", SENSES)
def test_a_sensor_fixture_has_one_solid_at_its_declared_distance(name: str) -> None:
    """From the front sensors, or from the scanner, of `four_wheel_steer`."""
    (solid,), start = solids(name).values(), table(name)["start"]
    ahead_m = 0.18 if name in NEAREST_M else 0.0
    heading = math.radians(start["heading_deg"])
    eye = Point(start["x"] + ahead_m * math.cos(heading), start["y"] + ahead_m * math.sin(heading))
    expected = {**NEAREST_M, **FROM_SCANNER_M}[name]
    if table(name).get("post"):
        (post,) = table(name)["post"]
        assert eye.distance(Point(post["center"])) - post["radius"] == pytest.approx(
            expected, abs=1e-8
        )
    else:
        assert eye.distance(solid) == pytest.approx(expected, abs=1e-8)


def test_bump_fixtures_stand_before_the_corners_their_titles_name() -> None:
    front = {"left": (0.18, WIDTH_M / 2), "right": (0.18, -WIDTH_M / 2)}
    for name, struck in (("left", {"left"}), ("right", {"right"}), ("both", {"left", "right"})):
        (solid,) = solids(f"senses_bump_{name}").values()
        hit = {
            side
            for side, (x, y) in front.items()
            if LineString([(x, y), (x + 0.11, y)]).intersects(solid)
        }
        assert hit == struck
