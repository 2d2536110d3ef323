"""Films, and what is said where pygame or imageio-ffmpeg is missing or there twice."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinewright_env.errors import OptionError
from kinewright_env.rig import make_rig
from kinewright_env.scene import Scene
from kinewright_env.shells import SHELLS
from kinewright_env.snapshot import Snapshot
from kinewright_env.viewer import Film

ROOT = Path(__file__).parents[2]
SHELL = SHELLS["front_steer"]
RIG = make_rig(None)
SCENE = Scene.from_dict(
    {
        "format": 1,
        "name": "filmed_room",
        "title": "A room to be filmed",
        "time_limit_s": 10.0,
        "start": {"x": 2.0, "y": 2.0},
    }
)


def snapshot(tick, ticks=12):
    return Snapshot(
        tick=tick,
        poses=np.array([(2.0 + 0.001 * (tick - ticks + k), 2.0, 0.0) for k in range(1, ticks + 1)]),
        speed_mps=0.12,
        steer_rad=0.0,
        ask_speed_mps=0.12,
        ask_steer_rad=0.0,
        wheel_angles_rad=(0.0, 0.0, 0.0, 0.0),
        present=np.zeros(0, np.bool_),
        goal_m=None,
        contact_solid=-1,
        clearance_m=float("inf"),
    )


def in_a_process(prelude, program):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "dummy"}
    text = (
        f"import sys\n{prelude}\n"
        "from kinewright_env.viewer import Canvas, Film, Window\n"
        "from kinewright_env.scene import Scene\n"
        "from kinewright_env.shells import SHELLS\n"
        "from kinewright_env.rig import make_rig\n"
        f"scene = Scene.from_dict({SCENE.to_dict()!r})\n"
        "world = scene, SHELLS['front_steer'], make_rig(None)\n"
        f"try:\n    {program}\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.parametrize("opened", ["Canvas(*world)", "Window(*world)"])
def test_missing_pygame_is_said_with_the_line_to_type(opened):
    said = in_a_process("sys.modules['pygame'] = None", opened)
    assert said.startswith("DependencyNotInstalled")
    assert 'pip install "kinewright[render]"' in said


def test_both_pygames_are_said_with_the_remedy():
    prelude = (
        "import importlib.metadata as metadata\n"
        "real = metadata.version\n"
        "both = {'pygame': '2.6.1', 'pygame-ce': '2.5.5'}\n"
        "metadata.version = lambda name: both.get(name) or real(name)"
    )
    said = in_a_process(prelude, "Canvas(*world)")
    assert said.startswith("DependencyNotInstalled")
    assert "pip uninstall -y pygame pygame-ce" in said


def test_opening_a_canvas_prints_nothing():
    """A greeting would land in the middle of what `--json` prints."""
    pytest.importorskip("pygame", reason="needs the extra `render`")
    assert in_a_process("", "Canvas(*world)") == ""


def test_missing_ffmpeg_is_said_with_the_line_to_type():
    said = in_a_process("sys.modules['imageio_ffmpeg'] = None", "Film('a.mp4', *world)")
    assert said.startswith("DependencyNotInstalled")
    assert 'pip install "kinewright[video]"' in said
    assert not Path("a.mp4").exists()


def films():
    pytest.importorskip("pygame", reason="films need the extra `render`")
    return pytest.importorskip("imageio_ffmpeg", reason="films need the extra `video`")


@pytest.mark.parametrize("size", [(320, 240), (321, 241)])
def test_a_film_lasts_as_long_as_the_drive(tmp_path, size):
    ffmpeg = films()
    path = tmp_path / "drive.mp4"
    with Film(path, SCENE, SHELL, RIG, size=size, fps=30) as film:
        film.add(snapshot(0, ticks=1))
        for step in range(1, 11):
            film.add(snapshot(12 * step))
        assert not path.exists()
    assert film.frames == 31
    count, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert count == 31
    assert seconds == pytest.approx(31 / 30, abs=0.05)
    assert [file.name for file in tmp_path.iterdir()] == ["drive.mp4"]


def test_a_film_has_the_same_frames_however_the_drive_was_stepped(tmp_path):
    films()
    frames = []
    for ticks in (1, 12, 60):
        film = Film(tmp_path / f"{ticks}.mp4", SCENE, SHELL, RIG, size=(320, 240), fps=10)
        written = []
        film._write = written.append
        for tick in range(ticks, 61, ticks):
            film.add(snapshot(tick, ticks))
        frames.append(written)
        film.close()
    assert [len(written) for written in frames] == [5, 5, 5]
    for one, other in zip(frames[0], frames[1], strict=True):
        assert (one[:, :300] == other[:, :300]).mean() > 0.999


def test_the_end_can_be_held_for_reading(tmp_path):
    films()
    with Film(tmp_path / "end.mp4", SCENE, SHELL, RIG, size=(320, 240), fps=30) as film:
        film.add(snapshot(0, ticks=1))
        film.hold(snapshot(0, ticks=1), 1.5)
    assert film.frames == 46


def test_a_film_is_replaced_only_when_the_new_one_is_whole(tmp_path):
    films()
    path = tmp_path / "drive.mp4"
    path.write_bytes(b"the old film")
    film = Film(path, SCENE, SHELL, RIG, size=(320, 240))
    film.add(snapshot(0, ticks=1))
    assert path.read_bytes() == b"the old film"
    film.close()
    film.close()
    assert path.read_bytes()[4:8] == b"ftyp"
    with pytest.raises(ValueError, match="closed"):
        film.add(snapshot(12))


def test_a_film_without_frames_leaves_no_file(tmp_path):
    films()
    Film(tmp_path / "none.mp4", SCENE, SHELL, RIG, size=(320, 240)).close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fps", [0, -1, 7, 240, 29.97, "30"])
def test_an_odd_frame_rate_is_refused_with_what_is_allowed(tmp_path, fps):
    films()
    with pytest.raises(OptionError, match="divisor of 120"):
        Film(tmp_path / "a.mp4", SCENE, SHELL, RIG, fps=fps)


def test_a_film_in_no_folder_is_refused_by_name(tmp_path):
    films()
    with pytest.raises(OptionError, match="no folder"):
        Film(tmp_path / "gone" / "a.mp4", SCENE, SHELL, RIG)
