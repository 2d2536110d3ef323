"""`kinewright rolling`: what it prints and writes, and the window on a recording."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_env.cli import main

TIMES = {"wall_s", "wall_map_s", "frames_per_s"}


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A wall that is published once, then nothing more of it."""
    wall = np.array([[1.5, 0.05 * i - 1.0, 0.2] for i in range(40)])
    path = tmp_path / "wall.npz"
    np.savez(
        path,
        points_m=np.concatenate([wall, [[5.0, 5.0, 0.2]] * 5]),
        offset=np.array([0, 40, 40, 45]),
        pose=np.zeros((3, 4)),
        stamp=np.array([0.0, 1.0, 2.0]),
    )
    return path


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(capsys.readouterr().out)
    return out


def test_it_prints_the_counts_and_writes_the_ledger(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    assert main(["rolling", str(recording), "--json"]) == 0
    result = printed(capsys)
    assert (result["frames"], result["accepted"], result["threat"]) == (3, 3, 3)
    ledger = Path("output/wall.ledger")
    assert result["files"] == [str(ledger)]
    assert result["root"] == hashlib.sha256(ledger.read_bytes()).hexdigest()
    assert len(ledger.read_text().splitlines()) == 3 + 3
    floats = {name for name, value in result.items() if isinstance(value, float)}
    assert floats == TIMES

    assert main(["rolling", str(recording), "--ledger", "again"]) == 0
    text = capsys.readouterr().out
    assert result["root"] in text
    assert Path("again").read_bytes() == ledger.read_bytes()


def test_bounds_and_corridor_are_options(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    options = "--retention 1 --cells 7 --voxel 0.2 --corridor 1,0.6,-0.5,0.5 --heights 0.1,0.3"
    assert main(["rolling", str(recording), "--json", *options.split()]) == 0
    result = printed(capsys)
    assert result["refused_capacity"] == 1
    assert result["threat"] == 0
    header = Path("output/wall.ledger").read_text().splitlines()[1]
    for figure in ("voxel_um=200000", "retention_ns=1000000000", "cell_limit=7", "low_um=100000"):
        assert figure in header


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.npz"], "absent.npz"),
        (["wall.npz", "--voxel", "0"], "out of range"),
        (["wall.npz", "--at", "9", "--picture", "a.png"], "has 3 frames"),
        (["wall.npz", "--points-in", "sensor"], "poses of 4 x 4"),
        (["wall.txt"], "unknown kind"),
    ],
)
def test_every_fault_is_one_line(
    capsys: pytest.CaptureFixture[str], recording: Path, arguments: list[str], said: str
) -> None:
    assert main(["rolling", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_frame_that_is_no_frame_is_named(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    arrays = dict(np.load(recording))
    arrays["points_m"][41] = np.inf
    np.savez(recording, **arrays)
    assert main(["rolling", str(recording)]) == 2
    assert "frame 2, stamp 2000000000 ns: point 1 has x = inf" in capsys.readouterr().err
    assert not Path("output").exists()


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["rolling", "--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert "kinewright rolling" in text.partition("examples:")[2]
    assert "--json" in text


# ---- seen ----


def test_the_picture_of_an_empty_increment_still_shows_what_stands(recording: Path) -> None:
    pygame = pytest.importorskip("pygame", reason="the picture needs the extra `render`")
    blue, orange = [], []
    for number in (0, 1):
        name = f"{number}.png"
        assert main(["rolling", str(recording), "--at", str(number), "--picture", name]) == 0
        pixels = pygame.surfarray.array3d(pygame.image.load(name)).astype(int)
        red, _, far = pixels[..., 0], pixels[..., 1], pixels[..., 2]
        blue.append((far > red + 40).sum())
        orange.append((red > far + 150).sum())
    assert blue[1] > 0.8 * blue[0] > 0
    assert orange[0] > orange[1] + 50, "the corridor's outline is red in both"


def test_each_layer_of_the_window_can_be_hidden(
    monkeypatch: pytest.MonkeyPatch, recording: Path
) -> None:
    pygame = pytest.importorskip("pygame", reason="the window needs the extra `render`")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    from kinewright_env.layers import GridLayer, PointsLayer  # noqa: PLC0415 - with pygame
    from kinewright_env.viewer.increments import IncrementFrame, IncrementWindow  # noqa: PLC0415

    grid = GridLayer(
        name="rolling map", x0_m=-1.0, y0_m=-1.0, cell_m=1.0,
        values=np.ones((2, 2), np.uint8), palette=np.array([[0] * 4, [0, 0, 255, 255]], np.uint8),
    )  # fmt: skip
    dots = PointsLayer(
        name="current increment", points_m=((0.5, 0.5),), color=(255, 0, 0), radius_px=5
    )
    window = IncrementWindow(
        lambda number: IncrementFrame(number=number, pose=(0.0, 0.0, 0.0), layers=(grid, dots)),
        5, 3.0, "made",
    )  # fmt: skip

    def seen() -> tuple[bool, bool]:
        window.draw()
        red, _, blue = window.picture.pixels().reshape(-1, 3).astype(int).T
        return bool((blue > red + 200).any()), bool((red > 150 + blue).any())

    def press(key: int) -> None:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        window.pump()

    assert seen() == (True, True)
    press(pygame.K_1)
    assert seen() == (False, True)
    press(pygame.K_2)
    assert seen() == (False, False)
    press(pygame.K_1)
    assert seen() == (True, False)
    press(pygame.K_RIGHT)
    assert (window.number, window.paused) == (1, True)
    press(pygame.K_LEFT)
    press(pygame.K_LEFT)
    assert window.number == 0
    press(pygame.K_q)
    assert window.closed


def test_the_window_plays_to_the_end_where_nobody_can_close_it(
    monkeypatch: pytest.MonkeyPatch, recording: Path
) -> None:
    pytest.importorskip("pygame", reason="the window needs the extra `render`")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    assert main(["rolling", str(recording), "--window"]) == 0
    monkeypatch.delenv("SDL_VIDEODRIVER")
    assert main(["rolling", str(recording), "--window"]) == 2
