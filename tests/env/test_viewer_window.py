"""The window, under SDL's driver without a screen: keys and mouse by posted events."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pygame = pytest.importorskip("pygame", reason="the window needs the extra `render`")

from kinewright_env.errors import NoDisplayError  # noqa: E402
from kinewright_env.rig import make_rig  # noqa: E402
from kinewright_env.scene import Scene  # noqa: E402
from kinewright_env.shells import SHELLS  # noqa: E402
from kinewright_env.snapshot import Snapshot  # noqa: E402
from kinewright_env.viewer import Canvas, Window  # noqa: E402
from kinewright_env.viewer.keys import HELD, TABLE  # noqa: E402

ROOT = Path(__file__).parents[2]
SIZE = (640, 480)
SHELL = SHELLS["four_wheel_steer"]
RIG = make_rig(None)
SCENE = Scene.from_dict(
    {
        "format": 1,
        "name": "shown_room",
        "title": "A room to be shown",
        "time_limit_s": 10.0,
        "start": {"x": 2.0, "y": 2.0},
        "box": [{"name": "low box", "center": [1, 1], "size": [0.4, 0.4], "height": 0.08}],
    }
)


def snapshot(tick=0, x_m=2.0, ticks=1, **changes):
    made = Snapshot(
        tick=tick,
        poses=np.array([(x_m, 2.0, 0.0)] * ticks),
        speed_mps=0.3,
        steer_rad=0.1,
        ask_speed_mps=0.5,
        ask_steer_rad=0.1,
        wheel_angles_rad=(0.1, 0.1, -0.1, -0.1),
        present=np.ones(1, np.bool_),
        goal_m=None,
        contact_solid=-1,
        clearance_m=0.5,
        scene="shown_room",
    )
    return replace(made, **changes)


@pytest.fixture
def window(monkeypatch):
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    opened = Window(SCENE, SHELL, RIG, SIZE)
    yield opened
    opened.close()


def post(kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))


def press(*codes):
    for code in codes:
        post(pygame.KEYDOWN, key=code)
        post(pygame.KEYUP, key=code)


def drag(button, *places):
    post(pygame.MOUSEBUTTONDOWN, button=button, pos=places[0])
    for place in places[1:]:
        post(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(1, 0, 0))
    post(pygame.MOUSEBUTTONUP, button=button, pos=places[-1])


def screen_pixels():
    surface = pygame.display.get_surface()
    data = pygame.image.tobytes(surface, "RGB")
    width, height = surface.get_size()
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)


def test_the_window_shows_the_very_pixels_of_the_canvas(window):
    canvas = Canvas(SCENE, SHELL, RIG, SIZE)
    made = snapshot(tick=40, sentence="I stand.", contact_solid=0)
    window.show(made, 0.0)
    assert (screen_pixels() == canvas.draw(made)).all()


def test_its_title_names_the_scene(window):
    assert pygame.display.get_caption()[0] == "A room to be shown - Kinewright"


def test_the_queue_is_empty_after_each_step(window):
    for tick in range(1, 4):
        for k in range(40):
            post(pygame.MOUSEMOTION, pos=(k, k), rel=(1, 1), buttons=(0, 0, 0))
        post(pygame.USEREVENT)
        window.show(snapshot(tick), 0.0)
        assert not pygame.event.get()


def test_a_step_is_shown_tick_by_tick_up_to_its_end(window):
    shown = []
    draw = window._painter.draw
    window._painter.draw = lambda moment, state: (shown.append(moment.tick), draw(moment, state))
    window.show(snapshot(0), 0.0)
    window.show(snapshot(60, ticks=60), 0.5)
    assert shown == sorted(shown)
    assert len(set(shown)) > 3
    assert shown[-1] >= 50


def test_pause_holds_the_drive_until_a_single_step(window):
    press(pygame.K_SPACE)
    asked = threading.Event()

    def ask():
        asked.set()
        press(pygame.K_PERIOD)

    timer = threading.Timer(0.15, ask)
    timer.start()
    window.show(snapshot(1), 0.01)
    assert asked.is_set()
    assert window._state.paused
    timer.join()
    press(pygame.K_SPACE)
    window.show(snapshot(2), 0.01)
    assert not window._state.paused


def test_two_steps_asked_for_are_two_steps(window):
    press(pygame.K_SPACE, pygame.K_PERIOD, pygame.K_PERIOD)
    window.show(snapshot(1), 0.0)
    window.show(snapshot(2), 0.0)
    assert window._controls.steps_asked == 0
    press(pygame.K_SPACE)
    window.show(snapshot(3), 0.0)


def test_a_single_step_while_the_drive_runs_is_none(window):
    press(pygame.K_PERIOD)
    window.show(snapshot(1), 0.0)
    assert window._controls.steps_asked == 0


def test_speed_goes_from_a_quarter_to_sixteen_and_back_to_real_time(window):
    press(*[pygame.K_PLUS] * 2, pygame.K_EQUALS, pygame.K_KP_PLUS, pygame.K_PLUS)
    window.show(snapshot(1), 0.0)
    assert window._state.speed_factor == 16.0
    press(*[pygame.K_MINUS] * 9)
    window.show(snapshot(2), 0.0)
    assert window._state.speed_factor == 0.25
    press(pygame.K_0)
    window.show(snapshot(3), 0.0)
    assert window._state.speed_factor == 1.0


def test_number_keys_show_and_hide_layers(window):
    layers = window._painter.layers
    assert layers.names == ("trail", "cone", "grid", "beam", "scan", "radar")
    window.show(snapshot(1), 0.0)
    before = screen_pixels().copy()
    press(pygame.K_4, pygame.K_KP1, pygame.K_9)
    window.show(snapshot(1), 0.0)
    window.hold(snapshot(1))
    assert [layers.shows(name) for name in layers.names] == [False, True, True, False, True, True]
    assert (screen_pixels() != before).any()


def test_shift_reaches_the_second_nine_layers(window):
    window._painter.layers.meet(f"layer {k}" for k in range(7, 30))
    post(pygame.KEYDOWN, key=pygame.K_2, mod=pygame.KMOD_LSHIFT)
    press(pygame.K_3)
    window.hold(snapshot(1))
    hidden = [
        name for name in window._painter.layers.names if not window._painter.layers.shows(name)
    ]
    assert hidden == ["grid", "layer 11"]


@pytest.mark.parametrize("key", ["n", "v"])
def test_names_and_numbers_show_on_their_keys_and_go_again(window, key):
    state = window._state
    for wanted in (True, False):
        press(pygame.key.key_code(key))
        window.hold(snapshot(1))
        assert {"n": state.names_shown, "v": state.numbers_shown}[key] is wanted


def test_help_shows_every_key_and_goes_again(window):
    window.hold(snapshot(1))
    before = screen_pixels().copy()
    press(pygame.K_h)
    window.hold(snapshot(1))
    window.hold(snapshot(1))
    assert (screen_pixels() != before).mean() > 0.1
    words = " ".join(keys for keys, _ in TABLE)
    assert all(
        key in words for key in (".", "+", "-", "0", "1 to 9", "n", "v", "f", "g", "p", "h", "q")
    )


def test_the_wheel_zooms_about_the_pointer(window):
    window.show(snapshot(1), 0.0)
    camera = window._painter.camera
    scale, under = camera.scale_pxpm, camera.point_m(123, 222)
    post(pygame.MOUSEMOTION, pos=(123, 222), rel=(0, 0), buttons=(0, 0, 0))
    post(pygame.MOUSEWHEEL, x=0, y=3)
    window.show(snapshot(2), 0.0)
    assert camera.scale_pxpm > 1.5 * scale
    assert camera.pixel(*under) == pytest.approx((123, 222), abs=1.0)


@pytest.mark.parametrize("button", [1, 2, 3])
def test_dragging_moves_the_map(window, button):
    camera = window._painter.camera
    x, y = camera.pixel(2.0, 2.0)
    drag(button, (100, 100), (110, 104), (150, 90))
    window.show(snapshot(1), 0.0)
    assert camera.pixel(2.0, 2.0) == (x + 50, y - 10)


def test_follow_keeps_the_shell_in_the_middle(window):
    press(pygame.K_f)
    window.show(snapshot(1), 0.0)
    window.hold(snapshot(60, x_m=2.6))
    left, top, width, height = window._painter.camera.viewport_px
    middle = left + width / 2, top + height / 2
    assert window._painter.camera.pixel(2.6, 2.0) == pytest.approx(middle, abs=1.0)


def test_a_drawn_path_comes_out_once_in_map_coordinates(window):
    window.show(snapshot(1), 0.0)
    camera = window._painter.camera
    places = [(100, 100), (120, 130), (150, 140), (151, 140), (200, 90)]
    press(pygame.K_g)
    drag(1, *places)
    window.show(snapshot(2), 0.0)
    path = window.take_path()
    pixels = np.array([camera.pixel(*point) for point in path])
    assert len(pixels) == 4
    wanted = np.array([places[0], places[1], places[2], places[4]])
    assert np.abs(pixels - wanted).max() < 1.0
    assert window.take_path() is None


def test_a_path_is_shown_while_it_is_drawn_and_not_given_before_its_end(window):
    window.show(snapshot(1), 0.0)
    press(pygame.K_g)
    post(pygame.MOUSEBUTTONDOWN, button=1, pos=(60, 60))
    post(pygame.MOUSEMOTION, pos=(60, 160), rel=(0, 100), buttons=(1, 0, 0))
    window.hold(snapshot(2))
    window.hold(snapshot(2))
    assert window.take_path() is None
    line = screen_pixels()[100:120, 58:63].astype(int)
    assert (np.abs(line - (168, 60, 200)).max(axis=2) < 20).any()


def test_how_to_draw_is_said_at_once_whatever_was_said_before(window):
    press(pygame.K_g)
    window.show(snapshot(1), 0.0)
    told = screen_pixels()[:40].copy()
    press(pygame.K_g, pygame.K_4, pygame.K_4, pygame.K_g)
    window.show(snapshot(1), 0.0)
    assert window._state.notice == ""
    assert np.array_equal(told[:, :400], screen_pixels()[:40, :400])


def test_without_drawing_mode_no_path_is_drawn_and_a_click_is_no_path(window):
    drag(1, (60, 60), (90, 90))
    press(pygame.K_g)
    drag(1, (60, 60))
    window.show(snapshot(1), 0.0)
    assert window.take_path() is None


def test_held_keys_last_until_they_are_let_go(window):
    post(pygame.KEYDOWN, key=pygame.K_w)
    post(pygame.KEYDOWN, key=pygame.K_LEFT)
    window.show(snapshot(1), 0.0)
    assert window.held == {"w", "left"}
    window.show(snapshot(2), 0.0)
    assert window.held == {"w", "left"}
    post(pygame.KEYUP, key=pygame.K_w)
    window.show(snapshot(3), 0.0)
    assert window.held == {"left"}
    assert window.held <= set(HELD)


def test_a_short_tap_counts_for_one_step(window):
    press(pygame.K_UP)
    window.show(snapshot(1), 0.0)
    assert window.held == {"up"}
    window.show(snapshot(2), 0.0)
    assert window.held == frozenset()


@pytest.mark.parametrize("kind", ["WINDOWFOCUSLOST", "WINDOWHIDDEN", "WINDOWMINIMIZED"])
def test_leaving_the_window_lets_go_of_every_key(window, kind):
    post(pygame.KEYDOWN, key=pygame.K_w)
    window.show(snapshot(1), 0.0)
    post(getattr(pygame, kind))
    window.show(snapshot(2), 0.0)
    assert window.held == frozenset()


def test_screenshots_never_overwrite_each_other(window, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    window.show(snapshot(7), 0.0)
    shown = screen_pixels().copy()
    press(pygame.K_p, pygame.K_p)
    window.show(snapshot(8), 0.0)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["kinewright-shown_room-000007-2.png", "kinewright-shown_room-000007.png"]
    saved = pygame.image.load(tmp_path / files[1])
    assert pygame.image.tobytes(saved, "RGB") == shown.tobytes()
    assert window._state.notice == f"saved {files[0]}"


def test_a_screenshot_that_cannot_be_saved_is_said_on_the_screen(window, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    press(pygame.K_p)
    window.show(snapshot(1), 0.0)
    monkeypatch.chdir(tmp_path)
    assert "no picture could be saved" in window._state.notice


@pytest.mark.parametrize("how", ["q", "escape", "button"])
def test_closing_in_the_middle_of_a_step_ends_it_at_once(window, how):
    if how == "button":
        post(pygame.QUIT)
    else:
        press(pygame.K_q if how == "q" else pygame.K_ESCAPE)
    window.show(snapshot(1), 3600.0)
    assert window.closed
    window.show(snapshot(2), 3600.0)
    window.hold(snapshot(3))
    window.close()
    window.close()
    assert not pygame.display.get_init()


def test_closing_while_paused_ends_the_pause(window):
    press(pygame.K_SPACE)
    threading.Timer(0.1, post, (pygame.QUIT,)).start()
    window.show(snapshot(1), 0.0)
    assert window.closed


def test_a_resized_window_is_drawn_in_its_new_size(window):
    window.show(snapshot(1), 0.0)
    post(pygame.VIDEORESIZE, size=(900, 500), w=900, h=500)
    post(pygame.VIDEORESIZE, size=(3, 2), w=3, h=2)
    window.show(snapshot(2), 0.0)
    assert window._painter.surface.get_size() == (64, 64)
    post(pygame.VIDEORESIZE, size=(900, 500), w=900, h=500)
    window.show(snapshot(3), 0.0)
    assert window._painter.surface.get_size() == (900, 500)


def test_holding_ends_by_itself_where_nobody_can_answer(window):
    window.hold(snapshot(1, sentence="I stand at the goal."))
    assert not window.closed


def test_a_newer_window_takes_the_display_and_the_older_one_counts_as_closed(window):
    newer = Window(SCENE, SHELL, RIG, SIZE)
    assert window.closed
    window.close()
    newer.show(snapshot(1), 0.0)
    assert not newer.closed
    newer.close()


def test_a_display_shut_down_by_another_user_of_pygame_counts_as_closed(window):
    pygame.quit()
    window.show(snapshot(1), 3600.0)
    assert window.closed


def test_a_new_drive_begins_without_the_trail_of_the_last(window):
    window.hold(snapshot(1))
    fresh = screen_pixels().copy()
    for tick in range(2, 40):
        window.hold(snapshot(tick, x_m=2.0 + 0.015 * tick))
    window.forget()
    window.hold(snapshot(1))
    assert (screen_pixels() == fresh).all()


def test_a_snapshot_is_never_changed(window):
    made = snapshot(12, ticks=12)
    poses, present = made.poses.copy(), made.present.copy()
    window.show(made, 0.02)
    assert (made.poses == poses).all()
    assert (made.present == present).all()


@pytest.mark.skipif(sys.platform != "linux", reason="the display's variables are Linux's")
@pytest.mark.parametrize("display", [None, ":4321"])
def test_without_a_display_the_remedy_is_said_in_one_sentence(monkeypatch, display):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if display is not None:
        monkeypatch.setenv("DISPLAY", display)
    pygame.display.quit()
    with pytest.raises(NoDisplayError, match=r"rgb_array.*SDL_VIDEODRIVER=dummy"):
        Window(SCENE, SHELL, RIG, SIZE)


def test_importing_the_viewer_imports_no_pygame():
    program = "import sys, kinewright_env.viewer; sys.exit('pygame' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], env=environment)
    assert run.returncode == 0
