"""The page of declared figures and the pictures are what the code would write today."""

import doctest
import runpy
from pathlib import Path

import numpy as np
import pytest

from kinewright_env.rig import SENSORS
from kinewright_env.scene import load_scene
from kinewright_env.scene_picture import draw_svg
from kinewright_env.shells import SHELLS, STEERINGS
from kinewright_env.verdicts import VERDICTS

ROOT = Path(__file__).resolve().parent.parent


def test_the_committed_page_of_figures_is_the_one_that_would_be_written_now() -> None:
    written = runpy.run_path(str(ROOT / "docs/make_figures.py"))["page"]()
    committed = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    assert committed == written, "run `make docs`"


def test_the_page_names_every_declared_thing() -> None:
    text = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    for name in [*SHELLS, *STEERINGS, *SENSORS, *VERDICTS]:
        assert f"`{name}`" in text


def of_file(path: Path) -> np.ndarray:
    pygame = pytest.importorskip("pygame")
    return pygame.surfarray.array3d(pygame.image.load(str(path))).astype(np.int16)


def assert_shows_the_same(committed: Path, drawn: Path) -> None:
    """Letters may differ at their rims from one pygame to another; nothing else may."""
    before, now = of_file(committed), of_file(drawn)
    assert before.shape == now.shape, f"{committed.name}: run `make docs`"
    changed = np.mean(np.abs(before - now).max(axis=2) > 48)
    assert changed < 0.01, f"{committed.name}: run `make docs`"


def test_the_committed_pictures_of_drives_are_the_ones_that_would_be_drawn_now(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pygame")
    page = runpy.run_path(str(ROOT / "docs/make_drive_pictures.py"))
    for name, *how in page["PICTURES"]:
        drawn = tmp_path / f"{name}.png"
        drawn.write_bytes(page["draw"](*how))
        assert_shows_the_same(page["FOLDER"] / drawn.name, drawn)


def test_each_picture_of_a_page_is_one_that_a_script_draws() -> None:
    """A picture that nothing draws could show anything."""
    scripts = "".join(
        file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("make_*.py")
    )
    for file in (ROOT / "docs/pictures").iterdir():
        assert file.stem in scripts or file.suffix == ".svg", file.name


def test_the_committed_pictures_of_the_senses_are_the_ones_that_would_be_drawn_now(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pygame")
    page = runpy.run_path(str(ROOT / "docs/make_senses_pictures.py"))
    for scene, *how in page["PICTURES"]:
        drawn = tmp_path / f"{scene}.png"
        drawn.write_bytes(page["draw"](scene, *how))
        assert_shows_the_same(page["FOLDER"] / drawn.name, drawn)


def test_the_committed_pictures_of_scenes_are_the_ones_that_would_be_drawn_now() -> None:
    page = runpy.run_path(str(ROOT / "docs/make_scene_pictures.py"))
    for name in page["SCENES"]:
        committed = page["picture"](name).read_text(encoding="utf-8")
        assert committed == draw_svg(load_scene(name)), "run `make docs`"


def test_the_committed_pictures_of_the_rolling_map_are_the_ones_that_would_be_drawn_now(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pygame")
    page = runpy.run_path(str(ROOT / "docs/make_rolling_pictures.py"))
    for name, picture in page["pictures"]().items():
        drawn = tmp_path / f"{name}.png"
        drawn.write_bytes(picture)
        assert_shows_the_same(page["FOLDER"] / drawn.name, drawn)


def test_the_growth_of_cost_is_measured_drawn_and_on_its_page() -> None:
    pytest.importorskip("matplotlib")
    page = runpy.run_path(str(ROOT / "docs/make_growth_plots.py"))
    costs = page["measure"](5.0, 5.0)
    rows = [*page["TIMES"], *page["BYTES"]]
    assert {row.key for row in rows} | {"seen"} == set(costs)
    assert min(costs.values()) > 0.0
    assert 15.0 < costs["seen"] < 25.0  # square metres of a room of 5 m
    table = page["table"]({"5 m": costs})
    text = page["PAGE"].read_text(encoding="utf-8")
    begin, end = page["MARKERS"]
    before, was, after = (part for half in text.split(begin) for part in half.split(end))
    assert page["write_page"](text, table) == before + begin + table + end + after
    columns = len(page["SIDES_M"]) + 1
    assert len(page["figure"](dict(enumerate([costs] * columns))).axes) == 2
    for row in rows:
        assert f"| {row.name} |" in was, "run docs/make_growth_plots.py"


def test_the_lines_of_the_page_of_replanners_say_what_they_say() -> None:
    page = str(ROOT / "docs/replanner.md")
    assert doctest.testfile(page, module_relative=False).failed == 0


@pytest.mark.parametrize("name", ["replanner_plans", "replanner_goal_moves", "replanner_kidnapped"])
def test_the_committed_pictures_of_the_replanners_are_the_ones_that_would_be_drawn_now(
    name: str, tmp_path: Path
) -> None:
    pytest.importorskip("pygame")
    page = runpy.run_path(str(ROOT / "docs/make_replanner_pictures.py"))
    drawn = tmp_path / f"{name}.png"
    drawn.write_bytes(page["draw"](name))
    assert_shows_the_same(page["FOLDER"] / drawn.name, drawn)


def test_a_moment_that_does_not_occur_is_no_picture_of_fewer_panels() -> None:
    pytest.importorskip("pygame")
    page = runpy.run_path(str(ROOT / "docs/make_replanner_pictures.py"))
    never = page["Moments"](
        scene="wide_gap",
        agent="replanner_dynamic",
        when=lambda: page["after_the_kidnap"](1),
        count=1,
    )
    with pytest.raises(SystemExit, match="in wide_gap: 0 moments to draw, and the page has 1"):
        page["draw_moments"](never)
