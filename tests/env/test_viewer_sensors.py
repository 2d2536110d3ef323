"""Each sensor on the picture as what it sees: where its marks lie, and what they show."""

import math
from dataclasses import replace

import numpy as np
import pytest

pygame = pytest.importorskip("pygame", reason="pictures need the extra `render`")

from kinewright_env.rig import make_rig  # noqa: E402
from kinewright_env.scene import Scene  # noqa: E402
from kinewright_env.shells import SHELLS  # noqa: E402
from kinewright_env.snapshot import SensorFrame, Snapshot  # noqa: E402
from kinewright_env.viewer import Canvas  # noqa: E402
from kinewright_env.viewer.instruments import zone_color  # noqa: E402
from kinewright_env.viewer.readings import reading  # noqa: E402
from kinewright_env.viewer.style import (  # noqa: E402
    ACCENT,
    ALARM,
    FLOOR,
    SENSOR_COLORS,
    STATUS_COLORS,
    height_color,
    mix,
)

RIG, SHELL = make_rig(None), SHELLS["four_wheel_steer"]
SCENE = Scene.from_dict(
    {
        "format": 1,
        "name": "empty",
        "title": "An empty room",
        "time_limit_s": 10.0,
        "start": {"x": 0.0, "y": 0.0},
        "post": [
            {"name": f"p{i}", "center": place, "radius": 0.05, "height": 0.3}
            for i, place in enumerate(([-3.0, -2.5], [3.0, 2.5]))
        ],
    }
)
SIZE = (960, 720)


def snapshot(tick, frames=None, heading_rad=0.0, **changes):
    made = Snapshot(
        tick=tick,
        poses=np.array([(0.0, 0.0, heading_rad)]),
        speed_mps=0.3,
        steer_rad=0.0,
        ask_speed_mps=0.3,
        ask_steer_rad=0.0,
        wheel_angles_rad=(0.0, 0.0, 0.0, 0.0),
        present=np.ones(2, np.bool_),
        goal_m=None,
        contact_solid=-1,
        clearance_m=1.0,
        frames=frames or {},
    )
    return replace(made, **changes)


def frame(values, status, tick=33):
    """Return a frame that has arrived by tick 41, and whose pose is still known then."""
    return SensorFrame(
        values=np.asarray(values, np.int32), status=np.asarray(status, np.int32), tick=tick
    )


def pictures(key, made, heading_rad=0.0, tick=40, **choices):
    """Return the canvas, the picture without the frame and that with it."""
    drawn = Canvas(SCENE, SHELL, RIG, SIZE)
    for name, value in choices.items():
        setattr(drawn._state, name, value)
    for past in range(tick):
        drawn.take(snapshot(past, heading_rad=heading_rad))
    before = drawn.draw(snapshot(tick, heading_rad=heading_rad))
    after = drawn.draw(snapshot(tick + 1, {key: made}, heading_rad=heading_rad))
    return drawn, before, after


def around(drawn, picture, range_m, bearing_deg, heading_rad=0.0, *, ahead_m=0.18, reach=2):
    """Return the pixels about a place in the sensor's polar coordinates."""
    angle = heading_rad + math.radians(bearing_deg)
    x_m = ahead_m * math.cos(heading_rad) + range_m * math.cos(angle)
    y_m = ahead_m * math.sin(heading_rad) + range_m * math.sin(angle)
    column, row = (round(v) for v in drawn._painter.camera.pixel(x_m, y_m))
    return picture[row - reach : row + reach + 1, column - reach : column + reach + 1].astype(int)


def has(pixels, color, tolerance=40):
    return bool((np.abs(pixels - color).max(axis=-1) <= tolerance).any())


@pytest.mark.parametrize("heading_rad", [0.0, 2.0])
def test_a_cone_is_as_wide_as_its_angle_and_as_long_as_its_range(heading_rad):
    drawn, before, after = pictures("cone", frame([2000], [1]), heading_rad)
    teal = SENSOR_COLORS["cone"]
    for bearing_deg in (-12.5, -6.0, 0.0, 6.0, 12.5):
        assert has(around(drawn, after, 2.0, bearing_deg, heading_rad), teal)
    for bearing_deg in (-12.5, 12.5):
        assert has(around(drawn, after, 1.2, bearing_deg, heading_rad), teal)
    for range_m, bearing_deg in ((1.2, 15.0), (1.2, -15.0), (2.1, 0.0)):
        outside = (around(drawn, p, range_m, bearing_deg, heading_rad) for p in (before, after))
        assert np.array_equal(*outside)


def test_too_near_and_no_echo_have_colours_of_their_own():
    for key, status in (("cone", 3), ("beam", 3), ("beam", 4)):
        drawn, _, after = pictures(key, frame([0], [status]))
        end_m = {3: RIG[key].range_min_m, 4: 2.0}[status]
        found = around(drawn, after, end_m, 0.0, reach=4)
        wanted = STATUS_COLORS[status] if status == 3 else mix(FLOOR, STATUS_COLORS[4], 38 / 255)
        assert has(found, wanted, 60 if status == 3 else 6)


def test_each_column_of_the_grid_ends_at_its_nearest_zone_the_left_one_on_the_left():
    status, values = np.full((8, 8), 2), np.zeros((8, 8))
    status[7, 0], values[7, 0] = 1, 2000
    status[4, 0], values[4, 0] = 1, 3000
    status[7, 6], values[7, 6] = 1, 1000
    drawn, before, after = pictures("grid", frame(values, status))
    violet = SENSOR_COLORS["grid"]
    level = math.cos(math.radians(45 / 16))  # the lowest row's middle
    for column, range_m in ((0, 2.0), (6, 1.0)):
        bearing_deg = 22.5 - 45 / 8 * (column + 0.5)
        assert has(around(drawn, after, range_m * level, bearing_deg), violet)
    for column in (1, 2, 3, 4, 5, 7):
        bearing_deg = 22.5 - 45 / 8 * (column + 0.5)
        for range_m in (1.0, 2.0):
            same = (around(drawn, picture, range_m, bearing_deg) for picture in (before, after))
            assert np.array_equal(*same)


def test_the_grids_picture_in_the_panel_has_row_0_on_top_and_column_0_on_the_left():
    status, values = np.full((8, 8), 2), np.zeros((8, 8))
    places = {(0, 0): (1, 500), (0, 7): (3, 0), (7, 0): (1, 3500)}
    for (row, col), (code, value) in places.items():
        status[row, col], values[row, col] = code, value
    _, before, after = pictures("grid", frame(values, status))
    rows, cols = (before != after).any(axis=-1).nonzero()
    inside = cols > 740
    top, left = rows[inside].min(), 744
    near, far = zone_color(500, 1, 4000.0), zone_color(3500, 1, 4000.0)
    panel = after[:, left:].astype(int)
    found = {}
    for name, color in (("near", near), ("too near", ALARM), ("far", far)):
        r, c = (np.abs(panel - color).max(axis=-1) <= 1).nonzero()
        found[name] = r.mean(), c.mean()
    assert found["near"][0] == pytest.approx(found["too near"][0], abs=14)
    assert found["far"][0] > found["near"][0] + 70
    assert found["far"][1] == pytest.approx(found["near"][1], abs=1)
    assert found["too near"][1] > found["near"][1] + 100
    assert found["near"][0] > top
    assert zone_color(500, 1, 4000.0)[1] < zone_color(3500, 1, 4000.0)[1]


@pytest.mark.parametrize("heading_rad", [0.0, -2.5])
def test_targets_stand_at_their_bearings_and_arrows_point_to_the_sensor_when_closing(heading_rad):
    values = [[2000, 300, 400], [1500, -400, -400], [0, 0, 0]]
    drawn, before, after = pictures("radar", frame(values, [1, 1, 2]), heading_rad)
    pink = SENSOR_COLORS["radar"]
    for range_m, bearing_deg in ((2.0, 30.0), (1.5, -40.0)):
        assert has(around(drawn, after, range_m, bearing_deg, heading_rad), pink, 4)
    nearer, farther = 2.0 - 0.3, 1.5 + 0.3
    assert has(around(drawn, after, nearer, 30.0, heading_rad), pink)
    assert has(around(drawn, after, farther, -40.0, heading_rad), pink)
    for range_m, bearing_deg in ((2.3, 30.0), (1.2, -40.0), (2.0, -30.0)):
        same = (around(drawn, p, range_m, bearing_deg, heading_rad) for p in (before, after))
        assert np.array_equal(*same)


def test_a_bumpers_light_is_lit_on_its_side_alone():
    for values, lit in (([0, 0], ()), ([1, 0], (0,)), ([0, 1], (1,)), ([1, 1], (0, 1))):
        drawn, _, after = pictures("bumpers", frame(values, [1], tick=41))
        corners = ((0.0, 0.106), (0.0, -0.106))
        for side, (_, y_m) in enumerate(corners):
            column, row = (round(v) for v in drawn._painter.camera.pixel(0.18, y_m))
            pixels = after[row - 1 : row + 2, column - 1 : column + 2].astype(int)
            assert has(pixels, ALARM, 4) is (side in lit)


def test_the_points_of_a_scan_pale_with_age():
    made = frame(np.full(360, 1500), np.ones(360), tick=20)
    drawn, _, after = pictures("scan", made, tick=40)
    distances = []
    for beam in (5, 175, 355):  # of the revolution's first tick, a middle one, the last
        pixels = around(drawn, after, 1.5, beam, ahead_m=0.0, reach=1)
        distances.append(np.abs(pixels - SENSOR_COLORS["scan"]).max(axis=-1).min())
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > distances[2] + 20


def test_numbers_show_only_when_asked_for_and_stand_by_their_marks():
    made = frame([[2000, 300, 400], [0, 0, 0], [0, 0, 0]], [1, 2, 2])
    _, _, quiet = pictures("radar", made)
    drawn, _, spoken = pictures("radar", made, numbers_shown=True)
    rows, cols = (quiet != spoken).any(axis=-1).nonzero()
    place = drawn._painter.camera.pixel(
        0.18 + 2.0 * math.cos(math.radians(30)), 2.0 * math.sin(math.radians(30))
    )
    assert len(rows) > 100
    assert np.hypot(cols - place[0], rows - place[1]).max() < 90


def test_numbers_that_would_cover_each_other_stand_apart():
    """Cone and beam read the same place: their two numbers are both to be read."""
    drawn = Canvas(SCENE, SHELL, RIG, SIZE)
    drawn._state.numbers_shown = True
    frames = {"cone": frame([2000], [1]), "beam": frame([2000], [1])}
    for tick in range(40):
        drawn.take(snapshot(tick))
    alone = [drawn.draw(snapshot(41 + i, {key: frames[key]})) for i, key in enumerate(frames)]
    both = drawn.draw(snapshot(44, frames))
    for key, picture in zip(frames, alone, strict=True):
        color = SENSOR_COLORS[key]
        strong = (np.abs(both[:, :728].astype(int) - color).max(axis=-1) < 8).sum()
        assert strong > 0.6 * (np.abs(picture[:, :728].astype(int) - color).max(axis=-1) < 8).sum()


def test_a_number_beside_the_panel_is_whole():
    def columns_of_number(range_mm):
        made = frame([[range_mm, 0, 400], [0, 0, 0], [0, 0, 0]], [1, 2, 2])
        drawn, _, quiet = pictures("radar", made)
        _, _, spoken = pictures("radar", made, numbers_shown=True)
        _, cols = (quiet[:, :728] != spoken[:, :728]).any(axis=-1).nonzero()
        return drawn._painter.camera.pixel(0.18 + range_mm / 1000, 0.0)[0], np.ptp(cols)

    (near_px, _), (far_px, wide) = columns_of_number(1000), columns_of_number(2000)
    pixels_per_m = far_px - near_px
    edge_mm = round(2000 + 1000 * (720 - far_px) / pixels_per_m)
    place_px, wide_at_edge = columns_of_number(edge_mm)
    assert 710 < place_px < 728
    assert abs(wide_at_edge - wide) <= 4


def test_the_dials_turn_with_the_wheels_and_the_bar_shows_the_yaw_rate():
    def blue(key, values):
        _, before, after = pictures(key, frame(values, [1], tick=40))
        changed = (before != after).any(axis=-1)
        changed[:, :728] = False
        return changed & (np.abs(after.astype(int) - ACCENT).max(axis=-1) < 40)

    up, right = blue("encoders", [0] * 4), blue("encoders", [250] * 4)
    assert up.any()
    assert right.nonzero()[1].mean() > up.nonzero()[1].mean() + 1.5
    assert right.nonzero()[0].mean() > up.nonzero()[0].mean() + 1.5
    left_turn, right_turn = blue("imu", [900, 0, 0]), blue("imu", [-900, 0, 0])
    middle = 728 + 232 / 2
    assert left_turn.nonzero()[1].max() <= middle + 1 < right_turn.nonzero()[1].max()
    assert left_turn.sum() == pytest.approx(right_turn.sum(), rel=0.1)


def test_a_hidden_sensor_leaves_no_mark_on_the_map():
    made = frame([[2000, 300, 400], [0, 0, 0], [0, 0, 0]], [1, 2, 2])
    drawn, before, after = pictures("radar", made)
    assert (before[:, :728] != after[:, :728]).any()
    drawn._painter.layers.toggle(drawn._painter.layers.number_of("radar"))
    hidden = drawn.draw(snapshot(42, {"radar": made}))
    assert np.array_equal(before[:, :728], hidden[:, :728])


@pytest.mark.parametrize(
    ("key", "values", "status", "words"),
    [
        ("cone", [1234], [1], "1234 mm"),
        ("beam", [0], [4], "no echo"),
        ("grid", np.full((8, 8), 9), [[1] * 8] * 5 + [[2] * 8] * 2 + [[3] * 8], "40 of 64 return"),
        ("scan", np.zeros(360), [1] * 100 + [2] * 260, "100 of 360 return"),
        ("radar", [[900, 1, 2], [1200, 3, 4], [0, 0, 0]], [1, 1, 2], "2 targets, 900 mm"),
        ("radar", [[0, 0, 0], [1200, 3, 4], [0, 0, 0]], [3, 1, 2], "1 target, 1200 mm"),
        ("radar", np.zeros((3, 3)), [2, 2, 2], "out of range"),
        ("bumpers", [0, 0], [1], "open"),
        ("bumpers", [1, 1], [1], "left and right closed"),
        ("imu", [-160, 0, 0], [1], "-10.0 deg/s"),
    ],
)
def test_a_reading_in_words(key, values, status, words):
    assert reading(RIG[key], frame(values, status)).startswith(words)


def test_a_sensor_that_has_said_nothing_yet_says_so():
    assert reading(RIG["cone"], None) == "nothing yet"


@pytest.mark.parametrize("heading_deg", [0.0, 45.0, 30.0, 90.0])
def test_a_box_is_drawn_however_it_is_turned(heading_deg):
    """One turned by 45 degrees has two corners above each other."""
    box = {"name": "b", "center": [1.5, 0.0], "size": [0.5, 0.5], "heading_deg": heading_deg}
    scene = Scene.from_dict(SCENE.to_dict() | {"box": [box | {"height": 0.4}], "post": []})
    drawn = Canvas(scene, SHELL, make_rig([]), SIZE)
    picture = drawn.draw(snapshot(0, present=np.ones(1, np.bool_)))
    column, row = (round(v) for v in drawn._painter.camera.pixel(1.5, 0.0))
    assert np.abs(picture[row, column].astype(int) - height_color(0.4)).max() <= 2


def test_a_canvas_can_show_a_part_of_the_map():
    part = Canvas(SCENE, SHELL, RIG, SIZE, bounds_m=(-0.5, -0.5, 0.5, 0.5))
    whole = Canvas(SCENE, SHELL, RIG, SIZE)
    for drawn in (part, whole):
        drawn.draw(snapshot(0))
    assert part._painter.camera.scale_pxpm > 4 * whole._painter.camera.scale_pxpm
    assert part._painter.camera.point_m(364, 360) == pytest.approx((0.0, 0.0), abs=0.01)


def test_an_increment_is_a_dot_for_each_new_point_and_an_empty_one_draws_nothing():
    """Ground pale, what stands on it in the sensor's colour; the list says how many are new."""
    rig = make_rig("lio")
    drawn, plain = (Canvas(SCENE, SHELL, rig, SIZE) for _ in range(2))
    ground, above = [(-1000, 500, 4), (700, -900, -8)], [(1500, 1000, 200), (900, 30, 31)]
    for tick in range(46):
        frames = {"lio": frame(ground + above, 4)} if tick == 45 else {}
        drawn.take(snapshot(tick, frames))
        plain.take(snapshot(tick))
    one, other = drawn.draw(snapshot(45, frames)), plain.draw(snapshot(45))
    for points, color in ((ground, mix(SENSOR_COLORS["lio"], FLOOR, 0.65)),
                          (above, SENSOR_COLORS["lio"])):  # fmt: skip
        for x_mm, y_mm, _ in points:
            x, y = np.rint(drawn._painter.camera.pixels(np.array([[x_mm, y_mm]]) / 1000.0))[0]
            assert tuple(one[int(y), int(x)]) == color
            assert tuple(other[int(y), int(x)]) != color
    assert reading(rig["lio"], frames["lio"]) == "4 new points"
    assert reading(rig["lio"], frame(np.zeros((0, 3)), 0)) == "0 new points"
    empty = {"lio": frame(np.zeros((0, 3)), 0)}
    for canvas, found in ((drawn, empty), (plain, {})):
        canvas.forget()
        canvas.take(snapshot(45, found))
    map_of = lambda picture: picture[:, :700]  # noqa: E731
    assert np.array_equal(map_of(drawn.draw(snapshot(45, empty))), map_of(plain.draw(snapshot(45))))
