"""BARN worlds become posts, one a cylinder, with the challenge's task and its truth."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_env.errors import OptionError, SceneError
from kinewright_env.importers import import_map
from kinewright_env.scene import Scene
from kinewright_env.scene_truth import widest_way_m

WORLDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "maps" / "barn"
HEADER = """\
barn 5
columns 4 rows 3 pitch 0.15 radius 0.075 first -4.425 0.075
path 2,2 2,1
map
"""
DRAWING = "#..#\n##..\n#:..\n"

pytestmark = pytest.mark.filterwarnings("ignore::kinewright_env.scene.SceneWarning")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world_005.txt"
    path.write_text(HEADER + DRAWING)
    return path


def test_each_filled_cell_is_a_post_at_its_centre(world: Path) -> None:
    scene = import_map(world)
    centres = {post.name: post.center_m for post in scene.posts}
    assert centres == {
        "r0c0": (-4.425, 0.075), "r1c0": (-4.425, 0.225), "r1c1": (-4.275, 0.225),
        "r2c0": (-4.425, 0.375), "r2c3": (-3.975, 0.375),
    }  # fmt: skip
    assert {(post.radius_m, post.height_m) for post in scene.posts} == {(0.075, 1.0)}
    assert scene.source == {
        "format": "barn", "name": "world_005.txt", "resolution": 0.15, "columns": 4, "rows": 3,
        "occupied": 5, "enclosed": 1, "solids": 5,
    }  # fmt: skip
    assert Scene.from_toml(scene.to_toml()).root == scene.root


def test_the_task_is_the_challenges_unless_told(world: Path) -> None:
    scene = import_map(world)
    assert (scene.start.x_m, scene.start.y_m, scene.start.heading_deg) == (-2.25, 3.0, 90.0)
    (goal,) = scene.goals
    assert (goal.x_m, goal.y_m, goal.radius_m) == (-2.25, 13.0, 1.0)
    assert (scene.time_limit_s, scene.truth) == (100.0, "at_goal")
    other = import_map(world, start=(0.0, 0.0, 0.0), goal=(0.0, 4.0))
    assert (other.start.x_m, other.goals[0].y_m) == (0.0, 4.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a world of BARN"),
        (HEADER.replace("pitch", "step") + DRAWING, "not a world of BARN"),
        (HEADER + "#..#\n", "1 rows: the header says 3"),
        (HEADER + "#..#\n##.\n#:..\n", "line 6: 3 cells: the header says 4"),
        (HEADER + "#..#\n##..\n#?..\n", r"line 7: cell '\?'"),
        (HEADER.replace("0.15 ", "0.15e9 ") + DRAWING, "not a world of BARN"),
        (HEADER.replace("radius 0.075", "radius 0") + DRAWING, "radius"),
        (HEADER + "#..ö\n##..\n#:..\n", "not ASCII text"),
    ],
)
def test_a_world_that_is_none_is_refused_by_line(world: Path, text: str, said: str) -> None:
    world.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=said):
        import_map(world)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cell_m": 0.1}, "cell_m: 0.1: world_005.txt states its own pitch"),
        ({"unknown": "free"}, "unknown"),
        ({"scenario": 1}, "scenario: 1"),
    ],
)
def test_arguments_without_a_use_are_refused(
    world: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        import_map(world, **options)


@pytest.mark.skipif(not WORLDS.is_dir(), reason="the BARN worlds are not beside the repository")
def test_every_public_world_has_its_posts_and_a_way_through() -> None:
    files = sorted(WORLDS.glob("*.txt"))
    assert len(files) == 30
    for file in files:
        scene = import_map(file)
        rows = file.read_text().splitlines()[4:][::-1]
        drawn = {(c, r) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"}
        places = np.array([post.center_m for post in scene.posts])
        cells = np.rint((places - [-4.425, 0.075]) / 0.15).astype(int)
        assert {tuple(cell) for cell in cells.tolist()} == drawn
        assert np.abs(places - cells * 0.15 - [-4.425, 0.075]).max() < 1e-9
        assert scene.truth == "at_goal"
        start, goal = scene.start, scene.goals[0]
        # the dataset's path keeps 0.45 m from the nearest cylinder's centre
        assert widest_way_m(scene, (start.x_m, start.y_m), (goal.x_m, goal.y_m)) >= 0.75
