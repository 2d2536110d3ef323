"""Moving AI maps become solids that equal their cells, y turned round, or are refused by line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_env import occupancy
from kinewright_env.errors import OptionError, SceneError
from kinewright_env.importers import import_map
from kinewright_env.scene import Scene

MAPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "movingai"
# An L: neither a mirror nor a half turn maps it on itself.
DRAWING = """\
@....
@....
@.GS.
@TWO.
"""
HEADER = "type octile\nheight 4\nwidth 5\nmap\n"
SCENARIOS = """\
version 1
0\tmaps/l.map\t5\t4\t1\t0\t4\t3\t4.24264069
2\tmaps/l.map\t5\t4\t2\t2\t1\t1\t1.41421
"""


@pytest.fixture
def l_map(tmp_path: Path) -> Path:
    path = tmp_path / "l.map"
    path.write_text(HEADER + DRAWING)
    path.with_name("l.map.scen").write_text(SCENARIOS)
    return path


def cells(scene: Scene, cell_m: float) -> list[str]:
    """The scene's cells as the map draws them, with the ring around it."""
    found = occupancy(scene, cell_m)
    return ["".join(".#"[cell] for cell in row) for row in found.cells[::-1]]


def test_cells_become_solids_y_is_turned_round_and_the_edge_is_closed(l_map: Path) -> None:
    scene = import_map(l_map, cell_m=1.0)
    assert cells(scene, 1.0) == ["#######", "##....#", "##....#", "##....#", "#####.#", "#######"]
    assert occupancy(scene, 1.0).column0 == occupancy(scene, 1.0).row0 == -1
    assert scene.source == {
        "format": "moving_ai", "name": "l.map", "resolution": 1.0, "columns": 5, "rows": 4,
        "occupied": 7, "closed_around": 22, "solids": len(scene.boxes),
    }  # fmt: skip
    assert len(scene.boxes) < 10
    assert Scene.from_toml(scene.to_toml()).root == scene.root


def test_a_scenario_gives_start_and_goal_at_its_cells_centres(l_map: Path) -> None:
    scene = import_map(l_map, cell_m=1.0, scenario=1)
    assert (scene.start.x_m, scene.start.y_m) == (1.5, 3.5)
    assert (scene.goals[0].x_m, scene.goals[0].y_m) == (4.5, 0.5)
    assert scene.source is not None
    assert (scene.source["scenario"], scene.source["length"]) == (1, 4.24264069)
    second = import_map(l_map, cell_m=1.0, scenario=2)
    assert (second.start.x_m, second.start.y_m) == (2.5, 1.5)
    assert (second.goals[0].x_m, second.goals[0].y_m) == (1.5, 2.5)


def test_what_is_asked_for_goes_before_the_scenario(l_map: Path) -> None:
    scene = import_map(l_map, cell_m=1.0, scenario=1, goal=(1.5, 1.5), start=(4.5, 0.5, 90.0))
    assert (scene.start.x_m, scene.start.heading_deg) == (4.5, 90.0)
    assert (scene.goals[0].x_m, scene.goals[0].y_m) == (1.5, 1.5)


def test_a_start_in_a_narrow_place_is_headed_as_the_body_fits(tmp_path: Path) -> None:
    rows = [*["@@@@@@@@@@..."] * 3, ".............", *["@@@@@@@@@@..."] * 3]
    path = tmp_path / "slot.map"
    path.write_text("\n".join(["type octile", "height 7", "width 13", "map", *rows]))
    path.with_name("slot.map.scen").write_text("version 1\n0 slot.map 13 7 11 3 0 3 11\n")
    scene = import_map(path, scenario=1)
    assert scene.start.heading_deg == 90.0  # the longest way, to the left, is too low for the body
    assert scene.source is not None
    assert scene.source["resolution"] == 0.1  # api.md: unless told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must begin with the lines"),
        ("type tile\nheight 1\nwidth 1\nmap\n.\n", "must begin with the lines"),
        ("type octile\nheight x\nwidth 1\nmap\n.\n", "must begin with the lines"),
        ("type octile\nheight 0\nwidth 1\nmap\n", "1 x 0 cells"),
        ("type octile\nheight 99999\nwidth 99999\nmap\n.\n", "must be 1 to 16777216"),
        ("type octile\nheight 2\nwidth 1\nmap\n.\n", "1 rows: the header says 2"),
        ("type octile\nheight 1\nwidth 2\nmap\n.\n", "line 5: 1 cells: the header says 2"),
        ("type octile\nheight 1\nwidth 3\nmap\n.x.\n", "line 5: cell 'x'"),
        ("type octile\nheight 1\nwidth 3\nmap\n.ä.\n", "line 5: cell 'ä'"),
        ("type octile\nheight 1\nwidth 1\nmap\n.\n", "no free place has room for the body"),
    ],
)
def test_a_map_that_is_none_is_refused_by_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.map"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=said):
        import_map(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.map"
    path.write_bytes(b"type octile\n\xff\xfe")
    with pytest.raises(SceneError, match="byte 12: not text"):
        import_map(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version 2\n", "must begin with the line 'version 1'"),
        ("", "must begin with the line 'version 1'"),
        ("version 1\n0 l.map 5 4 1 0 4 3\n", "line 2: 8 fields: must be nine"),
        ("version 1\n0 l.map 5 5 1 0 4 3 4.2\n", "of a map of 5 x 5 cells: this has 5 x 4"),
        ("version 1\n0 l.map 5 4 0 0 4 3 4.2\n", r"start \(0, 0\): must be a free cell"),
        ("version 1\n0 l.map 5 4 1 0 5 3 4.2\n", r"goal \(5, 3\): must be a free cell"),
        ("version 1\n0 l.map 5 4 1 0 -4 3 4.2\n", r"goal \(-1, 3\): must be a free cell"),
        ("version 1\n0 l.map 5 4 1 0 4 3 far\n", "length 'far': must be a number"),
    ],
)
def test_scenarios_that_are_none_are_refused_by_line(l_map: Path, text: str, said: str) -> None:
    l_map.with_name("l.map.scen").write_text(text)
    with pytest.raises(SceneError, match=said):
        import_map(l_map, cell_m=1.0, scenario=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scenario": 0}, "scenario: 0: l.map.scen has 1 to 2"),
        ({"scenario": 3}, "scenario: 3: l.map.scen has 1 to 2"),
        ({"unknown": "free"}, "unknown: 'free': l.map has no unknown cells"),
        ({"cell_m": 0.0}, "cell_m: 0.0"),
        ({"cell_m": float("nan")}, "cell_m: nan"),
    ],
)
def test_arguments_that_are_not_allowed_are_refused(
    l_map: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        import_map(l_map, **options)


def test_a_missing_scenario_file_is_named(l_map: Path) -> None:
    l_map.with_name("l.map.scen").unlink()
    with pytest.raises(SceneError, match=r"l\.map\.scen.*cannot be read"):
        import_map(l_map, scenario=1)


@pytest.mark.skipif(not MAPS.is_dir(), reason="the Moving AI maps are not beside the repository")
@pytest.mark.parametrize("name", ["arena", "den011d", "hrt201n", "brc202d", "64room_000"])
def test_a_public_maps_solids_equal_its_cells_and_its_scenarios_stand_free(name: str) -> None:
    lines = (MAPS / f"{name}.map").read_text().splitlines()[4:]
    solid = np.array([[sign != "." for sign in line] for line in lines])
    scene = import_map(MAPS / f"{name}.map", cell_m=0.5, scenario=100)
    found = occupancy(scene, 0.5)
    assert np.array_equal(found.cells[1:-1, 1:-1][::-1].astype(bool), solid)
    ring = np.ones(found.cells.shape, bool)
    ring[1:-1, 1:-1] = False
    assert found.cells[ring].all()
    fields = (MAPS / f"{name}.map.scen").read_text().splitlines()[100].split()
    x, y = int(fields[4]), int(fields[5])
    assert (scene.start.x_m, scene.start.y_m) == ((x + 0.5) / 2, (len(lines) - y - 0.5) / 2)
    assert scene.source is not None
    assert scene.source["solids"] == len(scene.boxes) < solid.sum()
