"""A recorded drive in the window, under SDL's driver without a screen: what is shown, and when."""

import json
from dataclasses import replace

import numpy as np
import pytest

pygame = pytest.importorskip("pygame", reason="the window needs the extra `render`")

from kinewright_env import DriveEnv, run  # noqa: E402
from kinewright_env.agent import make  # noqa: E402
from kinewright_env.cli import main  # noqa: E402
from kinewright_env.errors import JournalError  # noqa: E402
from kinewright_env.journal import read, record  # noqa: E402
from kinewright_env.playback import Playback  # noqa: E402
from kinewright_env.viewer import Canvas, ReplayWindow  # noqa: E402
from kinewright_env.viewer.keys import REPLAY_TABLE  # noqa: E402

SIZE = (640, 480)
BAR_Y = 470


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """Return a journal with a contact and a vanished solid, and the snapshots that were live."""
    path = tmp_path_factory.mktemp("drive") / "a.kwj"
    scene = {
        "format": 1, "name": "two", "title": "Two boxes", "time_limit_s": 3.0,
        "start": {"x": 1.0, "y": 1.0},
        "box": [
            {"name": "ahead", "center": [1.9, 1.0], "size": [0.2, 1.0], "height": 0.5},
            {"name": "behind", "center": [-1.0, 4.0], "size": [0.2, 0.2], "height": 0.5},
        ],
        "change": [{"action": "vanish", "solid": "behind", "armed": {"after_s": 0.5}}],
    }  # fmt: skip
    seen = []
    env = DriveEnv(scene=scene, journal=path, rig=("beam", "bumpers", "imu"))
    agent = make("follow_path", path=[(1.6, 1.0), (1.9, 1.0), (2.2, 1.0)])
    run(env, agent, seed=1, on_step=lambda live: seen.append(live.snapshot()))
    env.close()
    return path, seen


@pytest.fixture
def playback(drive):
    return Playback(read(drive[0]))


@pytest.fixture
def window(monkeypatch, playback):
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    opened = ReplayWindow(playback, SIZE)
    opened.draw()
    yield opened
    opened.close()


def press(window, *names):
    for name in names:
        key = pygame.key.key_code(name)
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key))
    window.pump()


def mouse(window, kind, place, button=1):
    extra = {"button": button} if kind != pygame.MOUSEMOTION else {"rel": (0, 0), "buttons": ()}
    pygame.event.post(pygame.event.Event(kind, pos=place, **extra))
    window.pump()


def picture():
    return pygame.surfarray.array3d(pygame.display.get_surface()).copy()


def test_the_snapshots_are_those_that_were_live(drive, playback):
    """To the resolution of the record: micrometres, millimetres a second."""
    live = drive[1]
    assert [s.tick for s in playback.snapshots] == [s.tick for s in live]
    assert any(s.contact_solid >= 0 for s in live)
    assert {tuple(s.present) for s in live} == {(True, True), (True, False)}
    for shown, was in zip(playback.snapshots, live, strict=True):
        np.testing.assert_allclose(shown.poses, was.poses, atol=1e-12)
        np.testing.assert_array_equal(shown.present, was.present)
        assert shown.speed_mps == pytest.approx(was.speed_mps, abs=6e-4)
        assert shown.steer_rad == pytest.approx(was.steer_rad, abs=6e-7)
        assert shown.wheel_angles_rad == pytest.approx(was.wheel_angles_rad, abs=2e-6)
        assert (shown.ask_speed_mps, shown.ask_steer_rad) == pytest.approx(
            (was.ask_speed_mps, was.ask_steer_rad)
        )
        assert shown.goal_m == was.goal_m
        assert shown.contact_solid == was.contact_solid
        assert shown.clearance_m == pytest.approx(was.clearance_m, abs=3e-6)
        assert shown.decision == was.decision
    assert playback.snapshots[-1].sentence != ""
    assert {name for _, name in playback.marks} == {"contact_begin", "change"}


def test_the_newest_frames_are_shown_as_live(drive, playback):
    path, _ = drive
    env = DriveEnv(scene=playback.scene, rig=playback.rig, render_mode="rgb_array")
    env.reset(seed=1)
    for item, shown in zip(read(path).of("ask"), playback.snapshots[1:], strict=True):
        _, speed_dmmps, steer_urad = np.frombuffer(item.payload[:12], "<i4").tolist()
        env.step([speed_dmmps * 1e-4, steer_urad * 1e-6])
        live = env.snapshot().frames
        assert shown.frames.keys() == live.keys()
        for key, frame in live.items():
            assert shown.frames[key].tick == frame.tick
            np.testing.assert_array_equal(shown.frames[key].values, frame.values)
    env.close()


def test_it_plays_at_the_chosen_speed_pauses_and_stops_at_the_end(window, playback):
    window.advance(0.5)
    assert window.tick == 60.0
    press(window, "+")
    window.advance(0.5)
    assert window.tick == 180.0
    press(window, "space")
    window.advance(0.5)
    assert (window.tick, window.paused) == (180.0, True)
    press(window, "space", "0")
    window.advance(99.0)
    assert window.tick == playback.end_tick


def test_left_and_right_step_and_home_and_end_jump(window, playback):
    press(window, "right")
    assert (window.tick, window.paused) == (12.0, True)
    press(window, "right", "right", "left")
    assert window.tick == 24.0
    press(window, "home", "left")
    assert window.tick == 0.0
    press(window, "end", "right")
    assert window.tick == playback.end_tick
    press(window, "left")
    assert window.tick == playback.snapshots[-2].tick


def test_a_single_step_key_steps_as_in_the_other_window(window):
    press(window, "space", ".")
    assert window.tick == 12.0


def test_a_click_on_the_bar_jumps_and_a_drag_follows(window, playback):
    mouse(window, pygame.MOUSEBUTTONDOWN, (18, BAR_Y))
    assert window.tick == 0.0
    mouse(window, pygame.MOUSEMOTION, (300, 20))
    middle = window.tick
    assert 0 < middle < playback.end_tick
    window.advance(1.0)
    assert window.tick == middle  # held
    mouse(window, pygame.MOUSEMOTION, (5000, BAR_Y))
    assert window.tick == playback.end_tick
    mouse(window, pygame.MOUSEMOTION, (-5, BAR_Y))
    mouse(window, pygame.MOUSEBUTTONUP, (-5, BAR_Y))
    mouse(window, pygame.MOUSEMOTION, (300, BAR_Y))
    assert window.tick == 0.0


def test_going_there_and_back_shows_the_same_picture(window):
    window.seek(90)
    window.draw()
    first = picture()
    for tick in (0, 200, 91, 90):
        window.seek(tick)
        window.draw()
    np.testing.assert_array_equal(picture(), first)


def test_the_map_is_drawn_as_the_live_drive_is(window, playback):
    """The same painter, given every snapshot in order, paints the same body and beam."""
    canvas = Canvas(playback.scene, playback.shell, playback.rig, (640, 440))
    for snapshot in playback.snapshots[:9]:
        canvas.take(snapshot)
    live = canvas.draw(playback.snapshots[8]).transpose(1, 0, 2)
    window.seek(playback.snapshots[8].tick)
    window.draw()
    shown = picture()[:400, :440]
    # the panel's words (paused or not) and the trail's thinning aside
    assert (shown != live[:400]).any(axis=2).mean() < 0.002


def test_the_bar_shows_where_it_stands(window, playback):
    pictures = []
    for tick in (0, playback.end_tick // 2, playback.end_tick):
        window.seek(tick)
        window.draw()
        pictures.append(picture()[:490, 445:])
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])


@pytest.mark.parametrize("size", [(64, 104), (200, 150), (1500, 900)])
def test_any_size_of_window_works(window, size):
    event = pygame.event.Event(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
    pygame.event.post(event)
    window.pump()
    window.draw()
    mouse(window, pygame.MOUSEBUTTONDOWN, (size[0] // 2, size[1] - 5))
    mouse(window, pygame.MOUSEBUTTONUP, (size[0] // 2, size[1] - 5))
    window.draw()


def test_help_names_the_keys_and_q_closes(window):
    words = " ".join(keys for keys, _ in REPLAY_TABLE)
    assert "left, right" in words
    press(window, "h", "g", "f", "1")
    window.draw()
    press(window, "q")
    assert window.closed
    window.draw()
    window.run()


def test_the_command_shows_a_drive_and_never_changes_the_file(drive, monkeypatch, capsys):
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("kinewright_env.viewer.replay_window.TICKS_PER_SECOND", 12000)
    before = drive[0].read_bytes()
    assert main(["replay", str(drive[0]), "--window"]) == 0
    assert capsys.readouterr().out == ""
    assert drive[0].read_bytes() == before


def test_picture_and_film_are_drawn_from_the_record(drive, tmp_path, capsys):
    pytest.importorskip("imageio_ffmpeg", reason="a film needs the extra `video`")
    picture, film = tmp_path / "a.png", tmp_path / "a.mp4"
    files = ["--picture", str(picture), "--film", str(film), "--size", "320x240"]
    assert main(["replay", str(drive[0]), *files]) == 0
    assert capsys.readouterr().out == f"wrote {picture}\nwrote {film}\n"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert film.stat().st_size > 1000
    with pytest.raises(SystemExit):
        main(["replay", str(drive[0]), "--size", "big"])


def test_a_cut_record_is_shown_up_to_the_cut(drive):
    journal = read(drive[0])
    half = [item for item in journal.records if item.offset < 9000]
    playback = Playback(replace(journal, records=tuple(half), fault="cut within ..."))
    assert 1 < len(playback.snapshots) < len(drive[1])
    assert playback.snapshots[-1].sentence.startswith("The record was cut after ")


def test_a_change_that_the_scene_has_not_is_an_error(drive, tmp_path):
    journal = read(drive[0])
    at = next(item.offset for item in journal.of("event"))
    data = drive[0].read_bytes()
    path = tmp_path / "odd.kwj"
    path.write_bytes(data[:at] + record("event", b"\1\0\0\0\4\7\0\0\0") + data[at:])
    with pytest.raises(JournalError, match="no change 7"):
        Playback(read(path))


@pytest.mark.parametrize("said", [b"[]", b'{"sentence":5}', b"{}"])
def test_an_odd_verdict_is_shown_as_well_as_may_be(drive, said):
    journal = read(drive[0])
    records = tuple(
        replace(item, payload=said) if item.name == "verdict" else item for item in journal.records
    )
    shown = Playback(replace(journal, records=records)).snapshots[-1].sentence
    assert shown == str(json.loads(said)["sentence"] if b"5" in said else "The drive ended.")


def test_a_drive_in_a_window_is_one_record_from_its_own_reset(tmp_path, monkeypatch, capsys):
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    path = tmp_path / "w.kwj"
    drive = ["drive", "senses_room", "--time-limit", "0.3", "--record", str(path)]
    assert main(drive) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["w.kwj"]
    capsys.readouterr()
    assert main(["replay", str(path)]) == 0
    assert "steps      3" in capsys.readouterr().out
