"""Bad scenes: each is refused with file, key, value and what is allowed; nothing else happens."""

import tomllib
import warnings
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import SceneError
from kinewright_env.scene import Scene, SceneWarning, load_scene
from kinewright_env.scene_check import SOLIDS_LIMIT

WALL = {"name": "w", "from": [2, 0], "to": [3, 0], "thickness": 0.05, "height": 0.4}
BOX = {"name": "b", "center": [5, 0], "size": [1, 1], "height": 0.4}
POST = {"name": "p", "center": [5, 2], "radius": 0.1, "height": 0.4}
BASE: dict[str, Any] = {
    "format": 1,
    "name": "small",
    "title": "A scene",
    "time_limit_s": 10.0,
    "start": {"x": 0.0, "y": 0.0},
}
APPEAR = {"solid": "b", "action": "appear", "armed": {"after_s": 1}}
GOAL = {"x": 1, "y": 1}
BIG = 10**5000


def scene(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**BASE, **changes}.items() if value is not None}


def refusal(table: Any) -> str:
    with pytest.raises(SceneError) as caught:
        Scene.from_dict(table, "x.toml")
    text = str(caught.value)
    assert text.startswith("x.toml: ")
    assert len(text) < 800
    assert text.isprintable()
    return text.removeprefix("x.toml: ")


CASES = [
    (scene(format=None), "format: missing"),
    (scene(format=2), "format: 2: must be 1"),
    (scene(format=True), "format: True: must be 1"),
    (scene(format="1"), "format: '1': must be 1"),
    (scene(format=BIG), "format: a number of 16610 bits: must be 1"),
    (scene(name=None), "name: missing"),
    (scene(name=""), "name: '': must be 1 to 100 printable characters"),
    (scene(name=" "), "name: ' ': must be 1 to 100 printable characters"),
    (scene(name="a\x1b[2J"), "name: 'a\\x1b[2J': must be 1 to 100 printable characters"),
    (scene(name="\ud800"), "name: '\\ud800': must be 1 to 100 printable characters"),
    (scene(name=7), "name: 7: must be a string"),
    (scene(title=None), "title: missing"),
    (scene(title="x" * 201), "title: 'xxxx"),
    (scene(time_limit_s=None), "time_limit_s: missing"),
    (scene(time_limit_s=0), "time_limit_s: 0: must be a number from 0.00833333 to 86400"),
    (scene(time_limit_s=float("nan")), "time_limit_s: nan: must be a number"),
    (scene(time_limit_s=float("inf")), "time_limit_s: inf: must be a number"),
    (scene(time_limit_s=BIG), "time_limit_s: a number of 16610 bits: must be a number"),
    (scene(time_limit_s=True), "time_limit_s: True: must be a number"),
    (scene(time_limit_s="10"), "time_limit_s: '10': must be a number"),
    (scene(start=None), "start: missing"),
    (scene(start=[0, 0]), "start: a list of 2: must be a table"),
    (scene(start={"x": 0}), "start.y: missing"),
    (scene(start={"x": 0, "y": 1000.5}), "start.y: 1000.5: must be a number from -1000 to 1000"),
    (scene(start={"x": 0, "y": 0, "heading": 0}), "start.heading: unknown key: did you mean 'head"),
    (scene(start={"x": 0, "y": 0, "heading_deg": 361}), "start.heading_deg: 361: must be"),
    (scene(start={"x": 0, "y": None}), "start.y: None: must be a number"),
    (scene(boxes=[]), "boxes: unknown key: did you mean 'box'?"),
    ({**BASE, 3: 4}, "3: unknown key"),
    (scene(goal=GOAL, goals=[GOAL]), "goals: a list of 1: give either goal or goals"),
    (scene(goals=GOAL), "goals: a table: must be a list"),
    (scene(goals=[GOAL, 3]), "goals[2]: 3: must be a table"),
    (scene(goals=[GOAL] * 65), "goals: a list of 65: at most 64"),
    (scene(goal={**GOAL, "radius": 0}), "goal.radius: 0: must be a number from 1e-06"),
    (scene(goal={**GOAL, "z": 0}), "goal.z: unknown key: allowed: 'radius', 'x', 'y'"),
    (scene(truth="blocked"), "truth: 'blocked': allowed: 'at_goal', 'map_complete', 'no_way'"),
    (scene(truth="no_wey"), "truth: 'no_wey': did you mean 'no_way'?"),
    (scene(truth_gap_m=0.2), "truth_gap_m: 0.2: stands beside truth = 'no_way_for_body' only"),
    (scene(truth="at_goal", truth_rooms=3), "truth_rooms: 3: stands beside truth = 'map_comp"),
    (scene(truth="map_complete", truth_rooms=2.5), "truth_rooms: 2.5: must be a whole number"),
    (scene(expect={"route": ["won"]}), "expect.route: 'won': allowed: "),
    (scene(expect={"route": []}), "expect.route: a list of 0: allowed: 'at_goal'"),
    (scene(expect={"route": "at_goal"}), "expect.route: 'at_goal': must be a list"),
    (scene(expect={"a\nb": ["at_goal"]}), "expect: 'a\\nb': must be an agent's name"),
    (scene(expect=[]), "expect: a list of 0: must be a table"),
    (scene(skills="route"), "skills: 'route': must be a list"),
    (scene(skills=["route", "route"]), "skills: a list of 2: holds a name twice"),
    (scene(skills=["route", 1]), "skills[2]: 1: must be a string"),
    (scene(shell="front_stear"), "shell: 'front_stear': did you mean 'front_steer'?"),
    (scene(shell=["front_steer"]), "shell: a list of 1: did you mean"),
    (scene(source={"Name": "x"}), "source: 'Name': a key is lower-case letters"),
    (scene(source={"name": []}), "source.name: a list of 0: must be a string or a number"),
    (scene(source={"cells": BIG}), "source.cells: a number of 16610 bits: must be a number from"),
    (scene(wall=WALL), "wall: a table: must be a list"),
    (scene(wall=[{**WALL, "to": [2, 0]}]), "wall[1].to: a list of 2: must lie at least 1e-06 m"),
    (scene(wall=[{**WALL, "to": [2]}]), "wall[1].to: a list of 1: must be a list of two numbers"),
    (scene(wall=[{**WALL, "to": "ab"}]), "wall[1].to: 'ab': must be a list of two numbers"),
    (scene(wall=[{**WALL, "to": [2, "3"]}]), "wall[1].to[2]: '3': must be a number"),
    (scene(wall=[{**WALL, "thickness": 0}]), "wall[1].thickness: 0: must be a number from 1e-06"),
    (scene(wall=[{**WALL, "length": 0}]), "wall[1].length: unknown key"),
    (scene(box=[BOX, {**BOX, "name": "c", "size": [1, -1]}]), "box[2].size[2]: -1: must be"),
    (scene(box=[{**BOX, "size": [1, float("nan")]}]), "box[1].size[2]: nan: must be"),
    (scene(box=[{**BOX, "center": [1001, 0]}]), "box[1].center[1]: 1001: must be a number from"),
    (scene(box=[{**BOX, "sise": [1, 1]}]), "box[1].sise: unknown key: did you mean 'size'?"),
    (scene(post=[{**POST, "radius": 1e-7}]), "post[1].radius: 1e-07: must be"),
    (scene(post=[{**POST, "height": None}]), "post[1].height: None: must be a number"),
    (
        scene(wall=[WALL], post=[{**POST, "name": "w"}]),
        "post[1].name: 'w': already the name of wall[1]",
    ),
    (scene(box=[BOX], change=[{**APPEAR, "solid": "c"}]), "change[1].solid: 'c': allowed: 'b'"),
    (scene(change=[APPEAR]), "change[1].solid: 'b': allowed: nothing"),
    (
        scene(box=[BOX], change=[{**APPEAR, "action": "apear"}]),
        "change[1].action: 'apear': did you",
    ),
    (scene(box=[BOX], change=[{**APPEAR, "pose": GOAL}]), "change[1].pose: unknown key"),
    (scene(box=[BOX], change=[APPEAR] * 1025), "change: a list of 1025: at most 1024"),
    (scene(change=[{"action": "kidnap", "armed": {"after_s": 1}}]), "change[1].pose: missing"),
    (
        scene(change=[{"action": "kidnap", "armed": {"after_s": 1}, "pose": {**GOAL, "x": 2000}}]),
        "change[1].pose.x: 2000: must be",
    ),
    (
        scene(
            box=[BOX],
            change=[{"action": "kidnap", "armed": {"after_s": 1}, "pose": {"x": 5, "y": 0}}],
        ),
        "change[1].pose: the body of four_wheel_steer would stand in the solid 'b'",
    ),
    (
        scene(goal_change=[{"at_s": 1, "x": 0, "y": 0}]),
        "goal_change: a list of 1: the scene has no",
    ),
    (scene(goal=GOAL, goal_change=[{"at_s": 0, "x": 0, "y": 0}]), "goal_change[1].at_s: 0: must"),
    (scene(goal=GOAL, goal_change=[{"at": 1, "x": 0, "y": 0}]), "goal_change[1].at: unknown key"),
]


@pytest.mark.parametrize(("table", "reason"), CASES, ids=[case[1][:50] for case in CASES])
def test_a_bad_value_is_refused_with_key_value_and_reason(table: Any, reason: str) -> None:
    assert refusal(table).startswith(reason)


ARMED_CASES = [
    ({}, "change[1].armed: must hold one of after_s, pivot_beyond, after_change, at_goal"),
    ({"after_s": 1, "at_goal": 1}, "change[1].armed: must hold one of"),
    ({"after_s": -0.1}, "change[1].armed.after_s: -0.1: must be"),
    ({"after": 1}, "change[1].armed.after: unknown key: did you mean 'after_s'?"),
    ({"after_change": 2}, "change[1].armed.after_change: 2: must be 1"),
    ({"after_change": 0}, "change[1].armed.after_change: 0: must be 1"),
    ({"after_change": 1.5}, "change[1].armed.after_change: 1.5: must be 1"),
    ({"after_change": 1}, "change[1].armed.after_change: 1: waits for itself"),
    ({"at_goal": 1}, "change[1].armed.at_goal: 1: the scene has no goals"),
    (3, "change[1].armed: 3: must be a table"),
]
PIVOTS = ["", "x", "x > ", "z > 1", "x >= 1", "x > 1 m", "x > nan", "x > 1e9999", "x > 1001",
          "x > ٣", "x > 1 ; y > 1", "1 < x", "x > " + "1" * 5000, 7]  # fmt: skip


@pytest.mark.parametrize(("armed", "reason"), ARMED_CASES)
def test_a_bad_armed_form_is_refused(armed: Any, reason: str) -> None:
    assert refusal(scene(box=[BOX], change=[{**APPEAR, "armed": armed}])).startswith(reason)


@pytest.mark.parametrize("pivot", PIVOTS, ids=lambda pivot: repr(pivot)[:20])
def test_a_bad_pivot_beyond_is_refused_with_an_example(pivot: Any) -> None:
    text = refusal(scene(box=[BOX], change=[{**APPEAR, "armed": {"pivot_beyond": pivot}}]))
    assert text.startswith("change[1].armed.pivot_beyond: ")
    assert text.endswith("such as 'x > 2.1'")


def test_changes_that_wait_for_each_other_are_refused() -> None:
    pair = [{**APPEAR, "armed": {"after_change": 2}}, {**APPEAR, "armed": {"after_change": 1}}]
    assert "waits for itself" in refusal(scene(box=[BOX], change=pair))


@pytest.mark.parametrize(
    ("solid", "free"),
    [
        ({"post": [{**POST, "center": [0.27, 0.0]}]}, {"post": [{**POST, "center": [0.41, 0.0]}]}),
        ({"box": [{**BOX, "center": [0, 0.6]}]}, {"box": [{**BOX, "center": [0, 0.607]}]}),
        (
            {"box": [{**BOX, "center": [0.88, 0], "heading_deg": 45}]},
            {"box": [{**BOX, "center": [1.008, 0], "heading_deg": 45}]},
        ),
        (
            {"wall": [{**WALL, "from": [-1, 0.13], "to": [1, 0.13]}]},
            {"wall": [{**WALL, "from": [-1, 0.132], "to": [1, 0.132]}]},
        ),
    ],
)
def test_a_start_in_a_solid_is_refused_and_one_beside_it_loads(solid: Any, free: Any) -> None:
    (name,) = (item["name"] for items in solid.values() for item in items)
    text = refusal(scene(**solid))
    assert text.startswith("start: the body of four_wheel_steer would stand in the solid")
    assert repr(name) in text
    Scene.from_dict(scene(**free))


def test_a_scene_without_shell_must_suit_both_bodies_and_one_with_shell_its_own() -> None:
    box = [{**BOX, "center": [0.75, 0]}]  # 0.25 m ahead of base_link; front_steer reaches 0.30
    assert "front_steer would stand in the solid 'b'" in refusal(scene(box=box))
    Scene.from_dict(scene(box=box, shell="four_wheel_steer"))
    behind = [{**BOX, "center": [-0.62, 0]}]  # 0.12 m behind; only four_wheel_steer reaches 0.18
    assert "four_wheel_steer would stand in the solid 'b'" in refusal(scene(box=behind))
    Scene.from_dict(scene(box=behind, shell="front_steer"))


def test_a_solid_that_first_appears_may_stand_where_the_shell_starts() -> None:
    Scene.from_dict(scene(box=[{**BOX, "center": [0, 0]}], change=[APPEAR]))


def test_too_many_solids_are_refused_before_any_is_read() -> None:
    assert refusal(scene(box=[None] * (SOLIDS_LIMIT + 1))).startswith("wall, box, post: at most")


def test_numbers_of_numpy_serve_as_numbers() -> None:
    table = scene(time_limit_s=np.float32(2.0), start={"x": np.int64(1), "y": np.float64(0)})
    assert (
        Scene.from_dict(table).root
        == Scene.from_dict(scene(time_limit_s=2, start={"x": 1, "y": 0})).root
    )


@pytest.mark.parametrize("value", [None, 3, [], "text", float("nan"), b"bytes", object()])
def test_what_is_no_table_is_no_scene(value: Any) -> None:
    assert refusal(value).endswith("must be a table")


TEXTS = {
    "empty": "",
    "garbage": "%$#@!" * 200_000,
    "not TOML": "format = = 1",
    "a truncated file": 'format = 1\nname = "x',
    "deep lists": "a = " + "[" * 100_000,
    "deep tables": "a = " + "{ a = " * 100_000,
    "a number of a million digits": "format = " + "9" * 1_000_000,
    "a long hexadecimal": "format = 0x" + "f" * 1_000_000,
    "a key of many parts": "a." * 400_000 + "a = 1",
    "a quoted key of many parts": '"a".' * 250_000 + "a = 1",
    "a table of many parts": "[" + "a." * 400_000 + "a]",
    "open quotes": 'a = "' + '\\"' * 500_000,
    "zeros": "\0" * 1_000_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_bad_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(SceneError, match=r"^x\.toml: "):
        Scene.from_toml(text, "x.toml")


def test_a_strings_dots_are_no_parts_of_a_key() -> None:
    text = 'format = 1\nname = "a.b.c.d.e.f.g.h.i.j"\n# a.b.c.d.e.f.g.h.i.j.k = 1\n'
    text += "title = '''a.b.c.d.e.f.g.h.i\".j'''\ntime_limit_s = 1\nstart = { x = 0, y = 0 }\n"
    assert Scene.from_toml(text).name == "a.b.c.d.e.f.g.h.i.j"


def test_bad_paths_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(bytes(range(256)) * 100)
    with pytest.raises(SceneError, match=r"binary\.toml: byte 128: not text in UTF-8"):
        load_scene(binary)
    with pytest.raises(SceneError, match="not a file"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match="no such shipped scene; `kinewright scenes` lists them"):
        load_scene(tmp_path / "absent.toml")
    with pytest.raises(SceneError, match=r"did you mean 'three_rooms'\? `kinewright scenes`"):
        load_scene("three_room")
    with pytest.raises(SceneError, match="cannot be read"):
        load_scene("x" * 5000)
    with pytest.raises(SceneError, match="cannot be read"):
        load_scene("a\0b")
    with pytest.raises(SceneError, match="not a file"):
        load_scene("/dev/zero")
    with pytest.raises(SceneError, match="int: must be a name"):
        load_scene(3)  # type: ignore[arg-type]


def test_a_near_name_of_a_shipped_scene_is_suggested() -> None:
    with pytest.raises(SceneError, match="did you mean 'wide_gap'"):
        load_scene("wide_gab")


SHIPPED = {
    name: resources.files("kinewright_env.scenes").joinpath(f"{name}.toml").read_text("utf-8")
    for name in ("door", "senses_room", "narrow_gap")
}
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.floats(), max_size=3),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


def loads_or_is_refused(read: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        try:
            found = read()
        except SceneError:
            return
    assert Scene.from_toml(found.to_toml()).root == found.root


@pytest.mark.filterwarnings("ignore::kinewright_env.scene.SceneWarning")
@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.sampled_from(sorted(SHIPPED)), st.data())
def test_a_shipped_text_with_characters_changed_loads_or_is_refused(name: str, data: Any) -> None:
    text = SHIPPED[name]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = (
            text[:at]
            + data.draw(st.text("\"'[]{}=.,-+_e019xn\n #\x00é", max_size=3))
            + text[at + cut :]
        )
    loads_or_is_refused(lambda: Scene.from_toml(text))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path] * bool(path) + [p for key, item in items for p in places(item, (*path, key))]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.sampled_from(sorted(SHIPPED)), LEAVES, st.data())
def test_a_shipped_table_with_a_value_changed_loads_or_is_refused(
    name: str, leaf: Any, data: Any
) -> None:
    table = tomllib.loads(SHIPPED[name])
    *path, last = data.draw(st.sampled_from(places(table)))
    inner: Any = table
    for key in path:
        inner = inner[key]
    inner[last] = leaf
    loads_or_is_refused(lambda: Scene.from_dict(table))


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_that_happen_to_be_text_load_or_are_refused(data: bytes) -> None:
    loads_or_is_refused(lambda: Scene.from_toml(data.decode("latin-1")))
