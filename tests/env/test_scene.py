"""What a scene is: its format, canonical form and root, and what the core is handed."""

import copy
import hashlib
import json
import pickle
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.core import lib
from kinewright_env.errors import SceneError
from kinewright_env.scene import Scene, SceneWarning, load_scene, scene_names
from kinewright_env.scene_parts import ArmedBy, ChangeAction, tick_of, wrapped_rad

EXAMPLE = """
format = 1
name = "example"
title = "Every form in one file"
time_limit_s = 60
start = { x = 0.60, y = 2.00 }
goals = [{ x = 3.40, y = 2.00 }, { x = 3, y = 3, radius = 0.2 }]
truth = "at_goal"
expect = { stop_before = ["at_goal", "blocked"] }
skills = ["stop_before", "route"]

[[post]]
name = "thin post"
center = [1.5, 1.1]
radius = 0.02
height = 0.60

[[wall]]
name = "south"
from = [0.0, 0.0]
to = [4.0, 0.0]
thickness = 0.05
height = 0.40

[[box]]
name = "low box"
center = [2.0, 2.6]
size = [0.20, 0.30]
heading_deg = 30
height = 0.08

[[box]]
name = "door"
center = [2.0, 3.6]
size = [0.20, 0.30]
height = 0.4

[[change]]
solid = "door"
action = "appear"
armed = { after_s = 4.0 }

[[change]]
solid = "door"
action = "vanish"
armed = { after_change = 1 }

[[change]]
solid = "low box"
action = "vanish"
armed = { pivot_beyond = "x > 2.1" }

[[change]]
solid = "low box"
action = "appear"
armed = { pivot_beyond = "y<-2" }

[[change]]
action = "kidnap"
pose = { x = 1.0, y = 3.0, heading_deg = -90.0 }
armed = { at_goal = 2 }

[[goal_change]]
at_s = 10.0
x = 1.0
y = 1.0

[[goal_change]]
at_s = 5.0
x = 2.0
y = 1.0
"""


def small(**changes: object) -> dict[str, object]:
    table: dict[str, object] = {
        "format": 1,
        "name": "small",
        "title": "A scene",
        "time_limit_s": 10.0,
        "start": {"x": 0.0, "y": 0.0},
    }
    return {**table, **changes}


def test_solids_are_walls_then_boxes_then_posts_whatever_the_order_in_the_file() -> None:
    scene = Scene.from_toml(EXAMPLE)
    assert [solid.name for solid in scene.solids] == ["south", "low box", "door", "thin post"]


def test_arrays_hold_kind_and_figures_of_each_solid() -> None:
    kinds, figures = Scene.from_toml(EXAMPLE).arrays()
    assert kinds.dtype == np.int32
    assert kinds.tolist() == [lib.KW_WALL, lib.KW_BOX, lib.KW_BOX, lib.KW_POST]
    assert figures.tolist() == [
        [0.0, 0.0, 4.0, 0.0, 0.05, 0.40],
        [2.0, 2.6, 0.20, 0.30, 30.0, 0.08],
        [2.0, 3.6, 0.20, 0.30, 0.0, 0.4],
        [1.5, 1.1, 0.02, 0.60, 0.0, 0.0],
    ]


def test_a_scene_without_solids_gives_empty_arrays() -> None:
    kinds, figures = Scene.from_dict(small()).arrays()
    assert kinds.shape == (0,)
    assert figures.shape == (0, 6)


def test_changes_come_as_the_core_takes_them() -> None:
    assert Scene.from_toml(EXAMPLE).core_changes() == (
        (lib.KW_CHANGE_APPEAR, 2, lib.KW_ARMED_AT_TICK, 480, 0.0, (0.0, 0.0, 0.0)),
        (lib.KW_CHANGE_VANISH, 2, lib.KW_ARMED_AFTER_CHANGE, 0, 0.0, (0.0, 0.0, 0.0)),
        (lib.KW_CHANGE_VANISH, 1, lib.KW_ARMED_X_ABOVE, 0, 2.1, (0.0, 0.0, 0.0)),
        (lib.KW_CHANGE_APPEAR, 1, lib.KW_ARMED_Y_BELOW, 0, -2.0, (0.0, 0.0, 0.0)),
        (lib.KW_CHANGE_KIDNAP, -1, lib.KW_ARMED_AT_GOAL, 1, 0.0, (1.0, 3.0, -np.pi / 2)),
    )


def test_our_numbers_of_actions_and_armed_forms_are_the_cores() -> None:
    for action in ChangeAction:
        assert action == getattr(lib, f"KW_CHANGE_{action.name}")
    for form in ArmedBy:
        assert form == getattr(lib, f"KW_ARMED_{form.name}")


def test_goal_changes_come_by_tick() -> None:
    assert Scene.from_toml(EXAMPLE).core_goal_changes() == ((600, 2.0, 1.0), (1200, 1.0, 1.0))


def test_a_solid_that_first_appears_is_absent_at_the_start() -> None:
    assert Scene.from_toml(EXAMPLE).absent_at_start() == {"door"}


@pytest.mark.parametrize(
    ("time_s", "tick"),
    [(0, 0), (0.1, 12), (4.35, 522), (1e-9, 1), (0.008, 1), (0.0084, 2), (86400, 10368000)],
)
def test_a_time_becomes_the_first_tick_not_before_it(time_s: float, tick: int) -> None:
    assert tick_of(time_s) == tick


@pytest.mark.parametrize(
    ("degrees", "radians"),
    [
        (180, np.pi),
        (-180, np.pi),
        (360, 0),
        (270, -np.pi / 2),
        (-270, np.pi / 2),
        (-90, -np.pi / 2),
    ],
)
def test_headings_wrap_into_half_open_circle(degrees: float, radians: float) -> None:
    assert wrapped_rad(degrees) == radians


def test_defaults_are_filled_in_so_that_equal_scenes_have_equal_roots() -> None:
    spelled = small(
        start={"heading_deg": 0, "y": 0, "x": 0}, goals=[{"radius": 0.15, "x": 1, "y": 1.0}]
    )
    assert Scene.from_dict(small(goal={"x": 1.0, "y": 1})).root == Scene.from_dict(spelled).root


def test_the_canonical_form_is_json_with_sorted_keys_and_exact_decimals() -> None:
    scene = Scene.from_dict(small(title='A "ü" \\', goal={"x": 1e-7, "y": -0.0, "radius": 0.1}))
    assert scene.canonical().decode() == (
        '{"format":1,"goals":[{"radius":0.1,"x":0.0000001,"y":0}],"name":"small",'
        '"start":{"heading_deg":0,"x":0,"y":0},"time_limit_s":10,"title":"A \\"ü\\" \\\\"}'
    )


def test_the_root_is_the_sha_256_of_the_canonical_form_and_known() -> None:
    scene = Scene.from_toml(EXAMPLE)
    assert scene.root == hashlib.sha256(scene.canonical()).hexdigest()
    assert json.loads(scene.canonical()) == scene.to_dict()
    assert Scene.from_dict(small()).root == (
        "550f2c4a7f44ea15024f515445060f5049ed99445b5b873e1d72640c7f42707b"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"title": "Other"},
        {"time_limit_s": 11},
        {"start": {"x": 0, "y": 1e-9}},
        {"goal": {"x": 0, "y": 0}},
        {"truth": "no_way"},
        {"skills": ["route"]},
        {"shell": "front_steer"},
        {"source": {"name": "x"}},
    ],
)
def test_whatever_differs_changes_the_root(change: dict[str, object]) -> None:
    assert Scene.from_dict(small(**change)).root != Scene.from_dict(small()).root


def test_a_scene_is_written_and_read_back_equal() -> None:
    scene = Scene.from_toml(EXAMPLE)
    again = Scene.from_toml(scene.to_toml())
    assert again == scene
    assert again.root == scene.root
    assert hash(again) == hash(scene)


def test_copies_and_pickles_are_equal() -> None:
    scene = Scene.from_toml(EXAMPLE)
    for other in (copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert other == scene
        assert other.root == scene.root


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(
    lambda text: text.isprintable() and not text.isspace()
)
COORDINATES = st.floats(-900, 900) | st.integers(-900, 900)
SIZES = st.floats(1e-6, 0.5)
POINTS = st.lists(COORDINATES, min_size=2, max_size=2)


@st.composite
def scene_tables(draw: st.DrawFn) -> dict[str, object]:
    names = draw(st.lists(NAMES, max_size=9, unique=True))
    solids: dict[str, list[dict[str, object]]] = {"wall": [], "box": [], "post": []}
    for name in names:
        x, y = draw(POINTS)
        kind = draw(st.sampled_from(sorted(solids)))
        solid: dict[str, object] = {"name": name, "height": draw(SIZES)}
        if kind == "wall":
            solid |= {"from": [x, y], "to": [x + draw(SIZES), y + 0.1], "thickness": draw(SIZES)}
        elif kind == "box":
            size = [draw(SIZES), draw(SIZES)]
            solid |= {"center": [x, y], "size": size, "heading_deg": draw(st.floats(-360, 360))}
        else:
            solid |= {"center": [x, y], "radius": draw(SIZES)}
        solids[kind].append(solid)
    changes = [
        {"solid": name, "action": "appear", "armed": {"after_s": draw(st.floats(0, 100))}}
        for name in names
    ]
    goals = draw(st.lists(st.builds(lambda p: {"x": p[0], "y": p[1]}, POINTS), max_size=3))
    return small(
        name=draw(NAMES),
        title=draw(NAMES),
        start={"x": 990, "y": 990},
        goals=goals,
        change=changes,
        **solids,
    )


@pytest.mark.filterwarnings("ignore::kinewright_env.scene.SceneWarning")
@settings(max_examples=60, derandomize=True, deadline=None)
@given(scene_tables())
def test_any_scene_survives_writing_and_reading(table: dict[str, object]) -> None:
    scene = Scene.from_dict(table)
    text = scene.to_toml()
    assert Scene.from_toml(text).root == scene.root
    assert Scene.from_dict(dict(reversed(list(tomllib.loads(text).items())))).root == scene.root


def test_load_scene_takes_a_name_a_path_a_table_and_a_scene(tmp_path) -> None:  # type: ignore[no-untyped-def]
    scene = load_scene("wide_gap")
    path = tmp_path / "mine.toml"
    path.write_text(scene.to_toml(), encoding="utf-8")
    assert load_scene(path) == load_scene(str(path)) == load_scene(scene.to_dict()) == scene
    assert load_scene(scene) is scene


def test_a_scene_put_together_by_a_program_is_checked_when_loaded() -> None:
    scene = load_scene("post")
    built = Scene(format=1, name="x", title="x", time_limit_s=1.0, start=scene.start)
    assert load_scene(built) == built
    bad = Scene(format=1, name="x", title="x", time_limit_s=float("nan"), start=scene.start)
    with pytest.raises(SceneError, match="time_limit_s: nan"):
        load_scene(bad)
    worse = Scene(format=1, name="x", title="x", time_limit_s=1.0, start=None)  # type: ignore[arg-type]
    with pytest.raises(SceneError, match="declared type"):
        load_scene(worse)


def test_shipped_names_are_sorted_and_load() -> None:
    assert list(scene_names()) == sorted(scene_names())
    assert "wide_gap" in scene_names()


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ({"x": 2, "y": 0}, r"goal\[1\]: lies in the solid 'box'"),
        ({"x": 9, "y": 0}, r"goal\[1\]: lies outside the room"),
    ],
)
def test_a_goal_in_a_solid_or_outside_the_room_loads_with_a_warning(
    goal: dict[str, float], reason: str
) -> None:
    box = {"name": "box", "center": [2, 0], "size": [1, 1], "height": 1}
    with pytest.warns(SceneWarning, match=reason):
        scene = Scene.from_dict(small(box=[box], goal=goal))
    assert len(scene.goals) == 1


def test_a_goal_without_any_solid_is_not_outside() -> None:
    assert Scene.from_dict(small(goal={"x": 50, "y": 0})).goals[0].radius_m == 0.15
