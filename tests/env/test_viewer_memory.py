"""What the viewer keeps between pictures: camera, track, numbered layers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.rig import make_rig
from kinewright_env.snapshot import SensorFrame, Snapshot
from kinewright_env.viewer.camera import Camera
from kinewright_env.viewer.layer_list import LayerList
from kinewright_env.viewer.state import ViewState
from kinewright_env.viewer.track import TRAIL_POINTS, Track

SETTINGS = settings(derandomize=True, deadline=None, max_examples=60)
SENSORS = make_rig(None).sensors


def snapshot(tick, poses, frames=None, speed_mps=0.0):
    return Snapshot(
        tick=tick,
        poses=np.array(poses, np.float64),
        speed_mps=speed_mps,
        steer_rad=0.0,
        ask_speed_mps=0.0,
        ask_steer_rad=0.0,
        wheel_angles_rad=(0.0, 0.0, 0.0, 0.0),
        present=np.zeros(0, np.bool_),
        goal_m=None,
        contact_solid=-1,
        clearance_m=math.inf,
        frames=frames or {},
    )


def frame(tick):
    return SensorFrame(values=np.zeros(1, np.int32), status=np.ones(1, np.int32), tick=tick)


def camera():
    return Camera((-1.0, 2.0, 7.0, 6.0), (0, 0, 800, 600))


def test_fit_shows_all_of_the_bounds_in_the_middle():
    view = camera()
    corners = view.pixels(np.array([[-1.0, 2.0], [7.0, 6.0]]))
    assert (corners > 0).all()
    assert (corners < (800, 600)).all()
    assert view.point_m(400, 300) == pytest.approx((3.0, 4.0), abs=0.01)


def test_y_grows_upwards_on_the_screen():
    view = camera()
    assert view.pixel(0.0, 3.0)[1] > view.pixel(0.0, 4.0)[1]


@SETTINGS
@given(st.floats(-1, 7), st.floats(2, 6), st.integers(0, 799), st.integers(0, 599))
def test_pixels_and_points_are_each_others_inverse(x_m, y_m, x_px, y_px):
    view = camera()
    assert view.point_m(*view.pixel(x_m, y_m)) == pytest.approx((x_m, y_m), abs=1e-9)
    assert view.pixel(*view.point_m(x_px, y_px)) == pytest.approx((x_px, y_px), abs=1e-6)


@SETTINGS
@given(st.floats(0.2, 6.0), st.integers(0, 799), st.integers(0, 599))
def test_zooming_keeps_what_is_under_the_pointer(factor, x_px, y_px):
    view = camera()
    before = view.point_m(x_px, y_px)
    view.zoom(factor, x_px, y_px)
    assert view.pixel(*before) == pytest.approx((x_px, y_px), abs=1.0)


def test_panning_moves_by_the_pixels_asked_for():
    view = camera()
    x, y = view.pixel(3.0, 4.0)
    view.pan(17, -5)
    assert view.pixel(3.0, 4.0) == (x + 17, y - 5)


def test_following_keeps_a_point_in_the_middle_and_toggling_ends_it():
    view = camera()
    view.toggle(6.0, 5.0)
    view.follow(6.5, 5.0)
    assert view.pixel(6.5, 5.0) == pytest.approx((400, 300), abs=1.0)
    view.toggle(0.0, 0.0)
    assert view.mode == "fit"
    assert view.scale_pxpm == camera().scale_pxpm


def test_resizing_keeps_what_was_in_the_middle():
    view = camera()
    view.zoom(3.0, 100, 100)
    middle = view.point_m(400, 300)
    view.resize((0, 0, 500, 400))
    assert view.pixel(*middle) == pytest.approx((250, 200), abs=1.0)


def test_an_empty_scene_has_a_finite_scale():
    assert 0.0 < Camera((0.0, 0.0, 0.0, 0.0), (0, 0, 64, 40)).scale_pxpm < math.inf


def test_points_far_outside_stay_within_what_can_be_drawn():
    far = camera().pixels(np.array([[1e300, -1e300]]))
    assert np.abs(far).max() <= 32767


def test_each_tick_of_a_step_has_its_own_pose():
    track = Track(SENSORS)
    track.take(snapshot(0, [(0, 0, 0)]))
    track.take(snapshot(3, [(0.01, 0, 0), (0.02, 0, 0.1), (0.03, 0, 0.2)]))
    assert list(track.ticks()) == [1, 2, 3]
    assert track.moment(2).pose == (0.02, 0, 0.1)
    assert track.moment().pose == (0.03, 0, 0.2)
    assert track.pose_at(0) == (0, 0, 0)
    assert track.pose_at(4) is None


def test_a_reset_repeats_the_start_and_counts_as_one_tick():
    track = Track(SENSORS)
    track.take(snapshot(0, [(1, 2, 0)] * 12))
    assert list(track.ticks()) == [0]


def test_poses_from_before_the_step_are_remembered_and_not_shown_again():
    track = Track(SENSORS)
    track.take(snapshot(2, [(0, 0, 0), (0.01, 0, 0)]))
    track.take(snapshot(5, [(0.01, 0, 0), (0.02, 0, 0), (0.03, 0, 0), (0.04, 0, 0)]))
    assert list(track.ticks()) == [3, 4, 5]
    track.take(snapshot(9, [(0.04 + 0.01 * k, 0, 0) for k in range(-2, 3)]))
    assert list(track.ticks()) == [6, 7, 8, 9]


def test_speed_between_two_snapshots_lies_between_theirs():
    track = Track(SENSORS)
    track.take(snapshot(0, [(0, 0, 0)]))
    track.take(snapshot(4, [(0, 0, 0)] * 4, speed_mps=1.0))
    assert [track.moment(tick).speed_mps for tick in (1, 2, 3, 4)] == [0.25, 0.5, 0.75, 1.0]


def test_a_frame_shows_from_the_tick_on_which_it_arrives():
    latency = next(sensor.latency_tick for sensor in SENSORS if sensor.key == "beam")
    track = Track(SENSORS)
    track.take(snapshot(12, [(0, 0, 0)] * 12, {"beam": frame(0)}))
    track.take(snapshot(24, [(0, 0, 0)] * 12, {"beam": frame(16)}))
    arrives = 16 + latency
    assert track.moment(arrives - 1).frames["beam"].tick == 0
    assert track.moment(arrives).frames["beam"].tick == 16


def test_an_earlier_tick_begins_a_new_drive():
    track = Track(SENSORS)
    track.take(snapshot(0, [(0, 0, 0)]))
    track.take(snapshot(50, [(0.5, 0, 0)]))
    track.take(snapshot(0, [(3, 0, 0)]))
    assert [(point.tick, point.x_m) for point in track.trail.points] == [(0, 3)]
    assert track.pose_at(50) is None


def test_the_trail_has_a_gap_where_the_shell_was_set_down_elsewhere():
    track = Track(SENSORS)
    track.take(snapshot(3, [(0, 0, 0), (2, 2, 0), (2.015, 2, 0)]))
    found = [(point.tick, point.x_m, point.joined) for point in track.trail.points]
    assert found == [(1, 0, False), (2, 2, False), (3, 2.015, True)]


def test_memory_stays_bounded_and_the_trail_whole():
    track = Track(SENSORS)
    for tick in range(1, 3 * TRAIL_POINTS):
        track.take(snapshot(tick, [(0.016 * tick, 0, 0)]))
    points = track.trail.points
    assert len(points) <= TRAIL_POINTS
    assert (points[0].tick, points[-1].tick) == (1, 3 * TRAIL_POINTS - 1)
    assert all(point.joined for point in points[1:])
    assert len(track._poses) < 200


def test_gaps_do_not_let_the_trail_grow():
    track = Track(SENSORS)
    for tick in range(1, 2 * TRAIL_POINTS):
        track.take(snapshot(tick, [(float(tick), 0, 0)]))
    assert len(track.trail.points) <= TRAIL_POINTS
    assert not any(point.joined for point in track.trail.points)


def test_nothing_can_be_shown_before_the_first_snapshot():
    with pytest.raises(RuntimeError, match="first snapshot"):
        Track(SENSORS).moment()


def test_layers_keep_their_numbers_and_there_are_eighteen():
    layers = LayerList(["beam", "scan"])
    assert layers.names == ("trail", "beam", "scan")
    layers.meet(["plan", "map"])
    layers.meet(["map", "late", "plan"])
    assert layers.names[3:] == ("plan", "map", "late")
    assert [layers.number_of(name) for name in ("trail", "scan", "late")] == [1, 3, 6]
    layers.meet(f"more {k}" for k in range(100))
    assert len(layers.names) == 18
    assert layers.shows("more 99")
    assert layers.number_of("more 99") is None


def test_a_number_without_a_layer_does_nothing():
    layers = LayerList([])
    assert layers.toggle(2) is None
    assert layers.toggle(0) is None
    assert layers.toggle(1) == "trail"
    assert not layers.shows("trail")


def test_speeds_are_powers_of_two_from_a_quarter_to_sixteen():
    state = ViewState()
    for _ in range(9):
        state.change_speed(-1)
    slow = state.speed_factor, state.speed_words
    for _ in range(9):
        state.change_speed(1)
    assert slow == (0.25, "x1/4")
    assert (state.speed_factor, state.speed_words) == (16.0, "x16")
