"""Drawings of scenes: whole, standalone, and safe whatever a scene's names are."""

import xml.etree.ElementTree as ET

import pytest

from kinewright_env.errors import OptionError
from kinewright_env.scene import Scene, load_scene, scene_names
from kinewright_env.scene_picture import draw_svg, draw_text

SVG = "{http://www.w3.org/2000/svg}"


def elements(scene: Scene, tag: str) -> list[ET.Element]:
    return list(ET.fromstring(draw_svg(scene)).iter(SVG + tag))


@pytest.mark.parametrize("name", scene_names())
def test_every_shipped_scene_is_drawn_with_all_its_solids_named(name: str) -> None:
    scene = load_scene(name)
    tips = [element.text or "" for element in elements(scene, "title")]
    for solid in scene.solids:
        assert any(tip.startswith(f"{solid.name}, ") for tip in tips)
    assert {solid.name for solid in scene.solids} <= {t.text for t in elements(scene, "text")}
    lines = draw_text(scene, 60).splitlines()
    assert lines[0] == f"{scene.name}: {scene.title}"
    assert max(len(line) for line in lines[1:-1]) <= 60


def test_names_are_escaped() -> None:
    name = "<script>&\"'"
    wall = {"name": name, "from": [1, 1], "to": [3, 1], "thickness": 0.1, "height": 0.4}
    table = {"format": 1, "name": name, "title": name, "time_limit_s": 1.0, "wall": [wall]}
    scene = Scene.from_dict({**table, "start": {"x": 0, "y": 0}})
    assert "<script>" not in draw_svg(scene)
    assert name in {text.text for text in elements(scene, "text")}


def test_only_solids_that_change_are_dashed() -> None:
    dashed = [g for g in elements(load_scene("door"), "g") if g.get("stroke-dasharray")]
    assert [tip.text for g in dashed for tip in g.iter(SVG + "title")] == ["door, 0.4 m high"]


def test_y_points_up_and_x_to_the_right() -> None:
    """The start is at (0.7, 2.9) and the first goal at (3.2, 0.8): right of it and below."""
    scene = load_scene("box_appears")
    goal = next(c for c in elements(scene, "circle") if c.get("fill") == "#2f855a")
    pivot = next(c for c in elements(scene, "circle") if c.get("r") == "3")
    assert float(goal.get("cx") or 0) > float(pivot.get("cx") or 0)
    assert float(goal.get("cy") or 0) > float(pivot.get("cy") or 0)


def test_a_terminal_drawing_shows_solids_start_and_goals_where_they_are() -> None:
    wall = {"name": "w", "from": [0, 0.05], "to": [10, 0.05], "thickness": 0.1, "height": 0.4}
    box = {"name": "b", "center": [9.5, 1.5], "size": [0.9, 0.9], "height": 0.08}
    post = {"name": "p", "center": [0.5, 3.5], "radius": 0.4, "height": 0.4}
    change = {"solid": "p", "action": "vanish", "armed": {"after_s": 1}}
    table = {"format": 1, "name": "n", "title": "t", "time_limit_s": 1.0, "wall": [wall]}
    start = {"x": 2.6, "y": 2.5, "heading_deg": 90}
    scene = Scene.from_dict(
        {**table, "box": [box], "post": [post], "change": [change], "start": start,
         "goal": {"x": 7.4, "y": 3.2}}
    )  # fmt: skip
    assert draw_text(scene, 20, plain=True) == (
        "n: t\n"
        "??            1\n"
        "     ^\n"
        "                  ==\n"
        "####################\n"
        "^ start, 1 goal, # solid, = solid up to 0.15 m high, ? solid that changes, "
        "a column is 0.5 m\n"
    )


@pytest.mark.parametrize("width", [19, 401])
def test_a_width_out_of_range_is_refused(width: int) -> None:
    with pytest.raises(OptionError, match="20 to 400"):
        draw_text(load_scene("post"), width)
