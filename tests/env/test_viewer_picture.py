"""The picture: drawn without a display, the same each time, its parts where they belong."""

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pygame = pytest.importorskip("pygame", reason="pictures need the extra `render`")

from kinewright_env import grids  # noqa: E402
from kinewright_env.errors import AgentError, OptionError  # noqa: E402
from kinewright_env.layers import (  # noqa: E402
    AreaLayer,
    CirclesLayer,
    GridLayer,
    LabelsLayer,
    PointsLayer,
    PolylineLayer,
    TextLayer,
)
from kinewright_env.rig import make_rig  # noqa: E402
from kinewright_env.scene import Scene  # noqa: E402
from kinewright_env.shells import SHELLS  # noqa: E402
from kinewright_env.snapshot import SensorFrame, Snapshot  # noqa: E402
from kinewright_env.viewer import Canvas  # noqa: E402
from kinewright_env.viewer.style import (  # noqa: E402
    ALARM,
    FLOOR,
    NOSE,
    SENSOR_COLORS,
    WHEEL,
    height_color,
    mix,
)

ROOT = Path(__file__).parents[2]
RIG = make_rig(None)
FOUR, FRONT = SHELLS["four_wheel_steer"], SHELLS["front_steer"]
SIZE = (640, 480)


def room(**changes):
    table = {
        "format": 1,
        "name": "drawn_room",
        "title": "A room to be drawn",
        "time_limit_s": 10.0,
        "start": {"x": 2.0, "y": 2.0},
        "goal": {"x": 3.5, "y": 3.5, "radius": 0.15},
        "wall": [
            {"name": "south", "from": [0, 0], "to": [4, 0], "thickness": 0.05, "height": 0.4},
            {"name": "north", "from": [0, 4], "to": [4, 4], "thickness": 0.05, "height": 0.4},
        ],
        "box": [
            {"name": "low box", "center": [1.0, 1.0], "size": [0.4, 0.4], "height": 0.08},
            {"name": "tall box", "center": [1.0, 3.0], "size": [0.4, 0.4], "height": 0.7},
        ],
        "post": [{"name": "post", "center": [3.0, 1.0], "radius": 0.2, "height": 0.3}],
    }
    return Scene.from_dict(table | changes)


def snapshot(tick=0, pose=(2.0, 2.0, 0.0), steer_rad=0.0, shell=FOUR, solids=5, **changes):
    made = Snapshot(
        tick=tick,
        poses=np.array([pose]),
        speed_mps=0.3,
        steer_rad=steer_rad,
        ask_speed_mps=0.5,
        ask_steer_rad=steer_rad,
        wheel_angles_rad=tuple(float(a) for a in grids.wheel_angles(shell, steer_rad)),
        present=np.ones(solids, np.bool_),
        goal_m=(3.5, 3.5, 0.15),
        contact_solid=-1,
        clearance_m=0.5,
        scene="drawn_room",
    )
    return replace(made, **changes)


def canvas(scene=None, shell=FOUR, rig=RIG, size=SIZE):
    return Canvas(scene or room(), shell, rig, size)


def near(picture, color, tolerance=12):
    """Where the picture has about a colour."""
    return (np.abs(picture.astype(int) - color).max(axis=-1) <= tolerance).nonzero()


def pixel(drawn, x_m, y_m):
    x, y = drawn._painter.camera.pixel(x_m, y_m)
    return round(y), round(x)


def alike(found, color, tolerance=4):
    return np.abs(np.asarray(found, int) - color).max() <= tolerance


def close_up(drawn, scale_pxpm):
    """Look at the shell's pivot at (2, 2) from near by, in the middle of the map's part."""
    camera = drawn._painter.camera
    _, _, width, height = camera.viewport_px
    camera.zoom(scale_pxpm / camera.scale_pxpm, 0, 0)
    x, y = camera.pixel(2.0, 2.0)
    camera.pan(round(width / 2 - x), round(height / 2 - y))
    return camera


def test_a_picture_has_the_asked_size_and_is_the_same_each_time():
    drawn, again = canvas(), canvas()
    first = drawn.draw(snapshot())
    assert first.shape == (480, 640, 3)
    assert first.dtype == np.uint8
    assert (drawn.draw(snapshot()) == first).all()
    assert (again.draw(snapshot()) == first).all()


def test_a_picture_is_the_callers_own():
    drawn = canvas()
    first = drawn.draw(snapshot())
    copy = first.copy()
    first_again = drawn.draw(snapshot(tick=1, pose=(2.5, 2.0, 1.0)))
    assert (first == copy).all()
    first[:] = 0
    assert first_again.any()


def test_no_display_is_needed_or_touched():
    program = (
        "import sys, pygame\n"
        "sys.path[:0] = [sys.argv[1]]\n"
        "import test_viewer_picture as t\n"
        "t.canvas().draw(t.snapshot())\n"
        "assert not pygame.display.get_init()\n"
    )
    kept = {k: v for k, v in os.environ.items() if "DISPLAY" not in k and "SDL" not in k}
    kept["PYTHONPATH"] = str(ROOT)
    folder = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-W", "error", "-c", program, folder], env=kept, check=True)


def test_solids_are_shaded_by_height():
    drawn = canvas(rig=make_rig([]))
    picture = drawn.draw(snapshot())
    for place, height_m in (((1.0, 1.0), 0.08), ((1.0, 3.0), 0.7), ((3.0, 1.0), 0.3)):
        assert alike(picture[pixel(drawn, *place)], height_color(height_m))
    low, tall = (np.array(height_color(height_m)) for height_m in (0.08, 0.4))
    assert np.abs(low - tall).max() > 90


def test_a_solid_that_is_absent_is_not_filled():
    drawn = canvas()
    present = np.array([True, True, False, True, True])
    picture = drawn.draw(snapshot(present=present))
    assert alike(picture[pixel(drawn, 1.1, 1.1)], FLOOR)
    picture = drawn.draw(snapshot(tick=1))
    assert not alike(picture[pixel(drawn, 1.1, 1.1)], FLOOR)


@pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
@pytest.mark.parametrize("steer_rad", [-0.4, 0.0, 0.25])
@pytest.mark.parametrize("heading_rad", [0.0, 2.3])
def test_wheels_are_drawn_at_their_true_angles(shell, steer_rad, heading_rad):
    """The long axis of the dark pixels about each hub, by their second moments."""
    drawn = canvas(shell=shell, rig=make_rig([]), size=(600, 370))
    camera = close_up(drawn, 600)
    made = snapshot(pose=(2.0, 2.0, heading_rad), steer_rad=steer_rad, shell=shell)
    picture = drawn.draw(made)
    half = 0.024 * camera.scale_pxpm
    angles = []
    for (ahead_m, left_m), angle_rad in zip(
        shell.wheel_positions_m, made.wheel_angles_rad, strict=True
    ):
        cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
        hub_x, hub_y = camera.pixel(
            2.0 + ahead_m * cosine - left_m * sine, 2.0 + ahead_m * sine + left_m * cosine
        )
        rows, columns = near(picture, WHEEL, 60)
        across, up = columns - hub_x, hub_y - rows
        close = np.hypot(across, up) < 1.4 * half
        moments = np.cov(across[close], up[close])
        axis = np.linalg.eigh(moments)[1][:, 1]
        found = math.atan2(axis[1], axis[0]) - heading_rad
        angles.append(math.remainder(found - angle_rad, math.pi))
    assert np.abs(angles).max() < math.radians(2.0)


def test_left_and_right_steer_mirror_each_other():
    drawn = canvas(size=(600, 370), rig=make_rig([]))
    row = round(close_up(drawn, 600).pixel(2.0, 2.0)[1])
    area = slice(row - 90, row + 91), slice(150, 450)
    left = drawn.draw(snapshot(steer_rad=0.35))[area].astype(int)
    right = drawn.draw(snapshot(steer_rad=-0.35))[area].astype(int)
    # The pivot lies between two rows or on one: the mirror may be off by a row.
    mirrored = min(np.abs(np.roll(left[::-1], k, axis=0) - right).mean() for k in (-1, 0, 1))
    assert mirrored < 0.25 * np.abs(left - right).mean()


def test_the_nose_points_where_the_shell_looks():
    drawn = canvas(size=(600, 370), rig=make_rig([]))
    place = close_up(drawn, 300).pixel(2.0, 2.0)
    for heading_rad in (0.0, math.pi / 2, -2.5):
        picture = drawn.draw(snapshot(pose=(2.0, 2.0, heading_rad), goal_m=None))
        rows, columns = near(picture, NOSE)
        close = np.hypot(columns - place[0], rows - place[1]) < 60
        along = math.atan2(place[1] - rows[close].mean(), columns[close].mean() - place[0])
        assert abs(math.remainder(along - heading_rad, 2 * math.pi)) < 0.2


def scan_frame(tick, range_mm):
    return SensorFrame(
        values=np.full(360, range_mm, np.int32), status=np.ones(360, np.int32), tick=tick
    )


def test_each_scan_beam_starts_from_the_pose_of_its_own_tick():
    """A shell that turns on the spot by 1 degree a tick, all ranges 1 m but one beam's."""
    beam = 100  # of tick 6 of the revolution: 18 beams a tick
    frame = scan_frame(20, 1000)
    frame.values[:] = 0
    frame.status[:] = 0
    frame.values[beam], frame.status[beam] = 1000, 1
    drawn = canvas()
    for tick in range(21):
        pose = (2.0, 2.0, math.radians(tick))
        drawn.draw(snapshot(tick=tick, pose=pose))
    late = {"scan": frame}
    picture = drawn.draw(snapshot(tick=29, pose=(2.0, 2.0, 0.0), frames=late))
    color = mix(SENSOR_COLORS["scan"], FLOOR, 0.35)  # 23 ticks old
    angle = math.radians(6 + beam)
    place = 2.0 + math.cos(angle), 2.0 + math.sin(angle)
    assert alike(picture[pixel(drawn, *place)], color, 30)
    wrong = math.radians(20 + beam)
    place = 2.0 + math.cos(wrong), 2.0 + math.sin(wrong)
    assert not alike(picture[pixel(drawn, *place)], color, 60)


def test_beams_whose_pose_nobody_saw_are_left_out():
    drawn = canvas()
    frames = {"scan": scan_frame(20, 1000)}
    with_scan = drawn.draw(snapshot(tick=40, frames=frames))
    x, y = (round(v) for v in drawn._painter.camera.pixel(2.0, 2.0))
    around = slice(y - 60, y + 60), slice(x - 60, x + 60)
    assert not len(near(with_scan[around], SENSOR_COLORS["scan"])[0])


@pytest.mark.parametrize("status", [1, 2, 3, 4])
def test_a_beam_is_drawn_by_its_status_from_the_sensor(status):
    sensor = RIG["beam"]
    frame = SensorFrame(
        values=np.array(1000 if status == 1 else 0, np.int32),
        status=np.array(status, np.int32),
        tick=8,
    )
    drawn = canvas(rig=make_rig(["beam"]), size=(1400, 900))
    drawn.draw(snapshot(tick=8))
    plain = drawn.draw(snapshot(tick=20))
    picture = drawn.draw(snapshot(tick=21, frames={"beam": frame}))
    end_m = {1: 1.0, 2: sensor.range_max_m, 3: sensor.range_min_m, 4: sensor.range_max_m}[status]
    inside = 2.0 + sensor.ahead_m + min(0.5 * end_m, 1.2)
    if status != 3:  # a wedge of two centimetres hides under its own arc
        assert (picture[pixel(drawn, inside, 2.0)] != plain[pixel(drawn, inside, 2.0)]).any()
    if status == 1:
        row, column = pixel(drawn, 2.0 + sensor.ahead_m + 1.0, 2.0)
        assert len(
            near(picture[row - 1 : row + 2, column - 3 : column + 4], SENSOR_COLORS["beam"], 48)[0]
        )
        beyond = pixel(drawn, 2.0 + sensor.ahead_m + 1.1, 2.0)
        assert (picture[beyond] == plain[beyond]).all()


def test_a_contact_reddens_the_shell_and_names_the_solid():
    drawn = canvas(size=(900, 600))
    calm = drawn.draw(snapshot())
    touched = drawn.draw(snapshot(tick=1, contact_solid=2, clearance_m=0.0))
    assert not len(near(calm, ALARM)[0])
    assert len(near(touched, ALARM)[0]) > 300
    edge = pixel(drawn, 1.2, 1.0)
    ring = touched[edge[0] - 1 : edge[0] + 2, edge[1] - 2 : edge[1] + 3]
    assert len(near(ring, ALARM, 60)[0])


def test_layers_are_drawn_where_they_lie_in_the_map():
    palette = np.array([[0, 0, 0, 0], [250, 0, 250, 255]], np.uint8)
    values = np.zeros((4, 4), np.uint8)
    values[3, 0] = 1  # upper left
    layers = (
        PolylineLayer(name="plan", points_m=((2.5, 2.5), (3.0, 2.5)), color=(0, 250, 0)),
        PointsLayer(name="dots", points_m=((2.5, 3.0),), color=(0, 0, 250)),
        GridLayer(name="map", x0_m=1.4, y0_m=1.4, cell_m=0.1, values=values, palette=palette),
        TextLayer(name="words", text="go left"),
    )
    drawn = canvas()
    picture = drawn.draw(snapshot(layers=layers))
    row, column = pixel(drawn, 2.75, 2.5)
    assert len(near(picture[row - 1 : row + 2, column : column + 1], (0, 250, 0), 90)[0])
    assert alike(picture[pixel(drawn, 2.5, 3.0)], (0, 0, 250))
    assert (picture[pixel(drawn, 1.45, 1.75)] == (250, 0, 250)).all()
    assert alike(picture[pixel(drawn, 1.45, 1.45)], FLOOR)
    assert drawn._painter.layers.names[-4:] == ("plan", "dots", "map", "words")


def test_areas_circles_and_words_are_drawn_where_they_lie():
    square = ((2.5, 2.5), (3.0, 2.5), (3.0, 3.0), (2.5, 3.0))
    green, blue, red = (0, 250, 0), (0, 0, 250), (250, 0, 0)
    layers = (
        AreaLayer(name="area", points_m=square, color=green, alpha=255),
        CirclesLayer(name="rings", centers_m=((1.0, 3.0),), radii_m=(0.3,), color=blue, width_px=3),
        LabelsLayer(name="words", points_m=((1.0, 3.0),), labels=("here",), color=red),
    )
    drawn = canvas()
    picture = drawn.draw(snapshot(layers=layers))
    assert alike(picture[pixel(drawn, 2.75, 2.75)], green)
    row, column = pixel(drawn, 1.3, 3.0)
    assert len(near(picture[row : row + 1, column - 2 : column + 3], blue, 90)[0])
    row, column = pixel(drawn, 1.0, 3.0)
    assert len(near(picture[row : row + 20, column - 20 : column + 20], red, 90)[0]) > 10


def test_a_line_may_have_a_colour_for_each_part():
    line = PolylineLayer(
        name="way",
        points_m=((2.4, 2.5), (2.8, 2.5), (3.2, 2.5)),
        colors=((250, 0, 0), (0, 0, 250)),
        width_px=3,
    )
    drawn = canvas()
    picture = drawn.draw(snapshot(layers=(line,)))
    assert alike(picture[pixel(drawn, 2.6, 2.5)], (250, 0, 0))
    assert alike(picture[pixel(drawn, 3.0, 2.5)], (0, 0, 250))


def test_layers_of_one_name_share_a_number():
    lines = [PolylineLayer(name="arcs", points_m=((1, 1), (2, 1 + k / 9))) for k in range(31)]
    drawn = canvas()
    before = drawn._painter.layers.names
    shown = drawn.draw(snapshot(layers=tuple(lines)))
    assert drawn._painter.layers.names == (*before, "arcs")
    drawn._painter.layers.toggle(len(before) + 1)
    assert (drawn.draw(snapshot(layers=tuple(lines))) != shown).any()
    assert (drawn.draw(snapshot(layers=tuple(lines))) == drawn.draw(snapshot(tick=1))).mean() > 0.99


def test_the_reason_of_a_decision_is_said_in_words():
    drawn = canvas(size=(900, 700))
    calm = drawn.draw(snapshot())
    said = drawn.draw(snapshot(decision={"reason": "map_unknown"}))
    more = drawn.draw(snapshot(decision={"reason": "map_unknown", "sentence": "Waits. " * 9}))
    assert (calm != said).any()
    assert (said != more).any()
    for odd in ({"reason": 7}, {"sentence": "alone"}, {"reason": ""}):
        assert (drawn.draw(snapshot(decision=odd)) == calm).all()
    assert drawn.draw(snapshot(decision={"reason": "x\x00" * 999, "sentence": "y" * 9999})).any()


@pytest.mark.parametrize(
    "layer",
    [
        AreaLayer(name="bad", points_m=((0, 0), (1, 1), (1, 0)), color="red"),
        CirclesLayer(name="bad", centers_m=((0, 0), (1, 1)), radii_m=(1.0,)),
        CirclesLayer(name="bad", centers_m=((0, 0),), radii_m=("wide",)),
        LabelsLayer(name="bad", points_m=((0, 0),), labels=()),
        LabelsLayer(name="bad", points_m=((2, 2),), labels=(7,)),
        PolylineLayer(name="bad", points_m=((0, 0), (1, 1)), colors=((1, 2),)),
        PolylineLayer(name="bad", points_m=(("a", "b"), (1, 2))),
        PolylineLayer(name="bad", points_m=((0, 0), (1, 1)), width_px=math.nan),
        PolylineLayer(name="bad", points_m=((0, 0), (1, 1)), color=(1, 2)),
        PointsLayer(name="bad", points_m=((1, 2, 3),)),
        GridLayer(
            name="bad",
            x0_m=0.0,
            y0_m=0.0,
            cell_m=math.nan,
            values=np.zeros((2, 2), np.uint8),
            palette=np.zeros((1, 4), np.uint8),
        ),
        GridLayer(
            name="bad",
            x0_m=math.inf,
            y0_m=0.0,
            cell_m=0.1,
            values=np.zeros((2, 2), np.uint8),
            palette=np.zeros((1, 4), np.uint8),
        ),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_a_layer_that_cannot_be_drawn_is_named(layer):
    with pytest.raises(AgentError, match="'bad'"):
        canvas().draw(snapshot(layers=(layer,)))


def test_odd_but_drawable_layers_do_no_harm():
    points = ((math.nan, 0.0), (1e30, -1e30), (math.inf, 1.0), (2.0, 2.0))
    layers = (
        PolylineLayer(name="wild", points_m=points, width_px=-3),
        PolylineLayer(name="empty", points_m=(), closed=True),
        PolylineLayer(name="still", points_m=((1, 1), (1, 1), (1, 1)), width_px=900),
        PointsLayer(name="huge", points_m=points, radius_px=10**9),
        AreaLayer(name="wide", points_m=(*points, (1.0, 1.0), (-1e9, 2.0)), alpha=999),
        CirclesLayer(name="odd", centers_m=points, radii_m=(1.0, 1e30, math.nan, -2.0)),
        LabelsLayer(name="words", points_m=points, labels=("a", "b", "c", "\x1b[31m" * 99)),
        TextLayer(name="odd\x00\n\ud800" * 50, text="\x1b[31m\u202e" * 500),
        GridLayer(
            name="far",
            x0_m=1e6,
            y0_m=0.0,
            cell_m=0.1,
            values=np.full((2, 2), 255, np.uint8),
            palette=np.zeros((1, 4), np.uint8),
        ),
    )
    assert canvas(size=(800, 600)).draw(snapshot(layers=layers)).any()


def test_hostile_names_and_sentences_are_shown_in_plain_words():
    box = {"name": "\x07" + "W" * 300, "center": [1, 1], "size": [0.4, 0.4], "height": 0.1}
    table = room().to_dict()
    try:
        scene = Scene.from_dict(table | {"box": [box]})
    except ValueError:
        scene = room()
    drawn = canvas(scene)
    drawn._state.names_shown = True
    made = snapshot(solids=len(scene.solids), contact_solid=2, sentence="\x00\n<b>" + "x" * 9999)
    assert drawn.draw(made).any()


@pytest.mark.parametrize("size", [(64, 64), (64, 900), (300, 200), (619, 400), (1400, 1000)])
def test_every_size_can_be_drawn(size):
    frames = {"scan": scan_frame(20, 1000)}
    made = snapshot(tick=40, frames=frames, sentence="I stand at the goal, and it took a while.")
    drawn = canvas(size=size)
    drawn._state.help_shown = True
    assert drawn.draw(made).shape == (size[1], size[0], 3)


@pytest.mark.parametrize("size", [(0, 100), (100, 10**6), (100.0, 100), "big", (1, 2, 3), None])
def test_an_odd_size_is_refused_with_what_is_allowed(size):
    with pytest.raises(OptionError, match="64 to 8192"):
        canvas(size=size)


def test_a_scene_without_solids_or_goal_is_drawn():
    scene = room(wall=[], box=[], post=[])
    made = snapshot(solids=0, goal_m=None, clearance_m=math.inf)
    assert canvas(scene).draw(made).any()


def test_thousands_of_touching_solids_look_like_one_without_a_seam():
    """The quick way to draw a big map, at scales where edges fall half between pixels."""
    boxes = []
    for column in range(50):  # strips of 1 to 3 cells of 0.1 m, 100 cells in all
        row = 0
        while row < 100:
            cells = min(1 + (column + len(boxes) ** 2) % 3, 100 - row)
            center = [(column + 0.5) * 0.1, 5 + (row + cells / 2) * 0.1]
            size = [0.1, cells * 0.1]
            name = f"b{len(boxes)}"
            boxes.append({"name": name, "center": center, "size": size, "height": 0.4})
            row += cells
    scene = room(box=boxes)
    drawn = canvas(scene, rig=make_rig([]), size=(600, 600))
    camera = drawn._painter.camera
    for scale_pxpm in (15.0, 25.0, 35.0, 45.0):
        camera.scale_pxpm = scale_pxpm
        x, y = camera.pixel(2.5, 10.0)
        camera.pan(round(300 - x), round(290 - y))
        picture = drawn.draw(snapshot(solids=len(scene.solids)))
        bottom, left = pixel(drawn, 0.05, 5.05)
        top, right = pixel(drawn, 4.95, 14.95)
        assert alike(picture[top:bottom, left:right], height_color(0.4))


def test_another_user_of_pygame_may_shut_it_down():
    drawn = canvas()
    first = drawn.draw(snapshot(sentence="before"))
    pygame.quit()
    again = drawn.draw(snapshot(sentence="before"))
    assert (first == again).all()
    pygame.quit()
    pygame.font.init()
    assert drawn.draw(snapshot(tick=1, sentence="quite new words 12345")).any()


def test_a_new_drive_begins_with_an_empty_trail():
    drawn = canvas()
    fresh = drawn.draw(snapshot(tick=0))
    for tick in range(1, 60):
        drawn.draw(snapshot(tick=tick, pose=(2.0 + 0.015 * tick, 2.0, 0.0)))
    assert (drawn.draw(snapshot(tick=0)) == fresh).all()
    drawn.forget()
    assert (drawn.draw(snapshot(tick=0)) == fresh).all()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's /proc")
def test_canvases_opened_and_dropped_leave_no_memory_behind():
    def resident_bytes():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    scene, made = room(), snapshot()
    for _ in range(60):
        Canvas(scene, FOUR, RIG, (320, 240)).draw(made)
    before = resident_bytes()
    for _ in range(440):
        Canvas(scene, FOUR, RIG, (320, 240)).draw(made)
    # One picture is 0.3 MB: 440 of them would be 130 MB.
    assert resident_bytes() - before < 15e6
