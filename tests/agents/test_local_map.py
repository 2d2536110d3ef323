"""What the local map holds: no surface that a sense returned is nearer than the map says."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import OptionError
from kinewright_env.grids import CELL_UM, MEMORY_TICK, RADIUS_UM, LocalMap
from kinewright_env.rig import RETURN, TOO_NEAR, make_rig
from kinewright_env.shells import SHELLS

CELL_M = CELL_UM / 1e6
SHELL = SHELLS["four_wheel_steer"]
EACH_SHELL = pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
SEEDS = st.integers(0, 2**32 - 1)


def centres_m(cells):
    return (cells[:, 1::-1] + 0.5) * CELL_M


def curve(rng, n_ticks):
    """Poses of a shell on an arc at up to 0.5 m/s, um and urad."""
    turn, speed = rng.uniform(-0.015, 0.015), rng.uniform(-0.5, 0.5) / 120
    heading = rng.uniform(-3.1, 3.1) + turn * np.arange(n_ticks)
    x = rng.uniform(-5, 5) + np.cumsum(speed * np.cos(heading))
    y = rng.uniform(-5, 5) + np.cumsum(speed * np.sin(heading))
    heading = (heading + math.pi) % (2 * math.pi) - math.pi
    return np.rint(np.stack([x, y, heading], axis=1) * 1e6).astype(np.int64)


def noisy_mm(rng, sensor, range_m):
    """A reading within three sigma of the truth, rounded as the world rounds."""
    sigma_mm = sensor.sigma_base[0] + sensor.sigma_per_unit[0] * range_m * 1000
    return np.floor(range_m * 1000 + rng.uniform(-3, 3, np.shape(range_m)) * sigma_mm + 0.5)


def mount(shell, sensor, pose_um):
    x, y, heading = np.asarray(pose_um) / 1e6
    ahead = shell.body_ahead_m + sensor.ahead_m
    return x + ahead * math.cos(heading), y + ahead * math.sin(heading), heading


def assert_errs_toward(cells, sensor_m, points_m):
    """Some cell, taken with its tolerance, is no farther from the sensor than each point, and is
    there, not elsewhere: within its tolerance of the point, but for noise that grew with it."""
    centres, tolerance_m = centres_m(cells), cells[:, 3] / 1e6
    for point, sensor in zip(points_m, sensor_m, strict=True):
        near = np.hypot(*(centres - point).T) <= 1.05 * tolerance_m
        nearest = np.hypot(*(centres[near] - sensor).T) - tolerance_m[near]
        assert near.any()
        assert nearest.min() <= math.dist(point, sensor) + 1e-9


@EACH_SHELL
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_a_scan_errs_toward_the_shell(observation, shell, seed):
    """Each beam from the pose of its own tick, up to 29 ticks before the scan arrives."""
    rng = np.random.default_rng(seed)
    rig = make_rig("scan")
    scan, poses = rig["scan"], curve(rng, 36)
    ranges_m = rng.uniform(0.15, 2.4, 360)
    readings = noisy_mm(rng, scan, ranges_m)
    local_map = LocalMap(shell, rig, 12)
    local_map.observe(observation(rig, 12, 0, poses_um=poses[0]))
    for tick in (12, 24, 36):
        step = poses[tick - 12 : tick]
        frames = {"scan": (readings, RETURN, 20)} if tick == 36 else None
        local_map.observe(observation(rig, 12, tick, poses_um=step, frames=frames))
    sensors, points = [], []
    for beam, range_m in enumerate(ranges_m):
        x, y, heading = mount(shell, scan, poses[beam // 18])
        at = heading + math.radians(beam)
        sensors.append((x, y))
        points.append((x + range_m * math.cos(at), y + range_m * math.sin(at)))
    assert_errs_toward(local_map.cells(), sensors, points)


@EACH_SHELL
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_a_grid_errs_toward_the_shell(observation, shell, seed):
    """Whichever of a zone's four rays met the surface."""
    rng = np.random.default_rng(seed)
    rig = make_rig("grid")
    grid, pose = rig["grid"], curve(rng, 1)[0]
    x, y, heading = mount(shell, grid, pose)
    step = 2 * grid.half_angle_rad / 16
    readings, points = np.zeros((8, 8)), []
    for row in range(8):
        for col in range(8):
            up, left = 2 * row + rng.integers(2), 2 * col + rng.integers(2)
            elevation = grid.half_angle_rad + step * (7.5 - up)
            at = heading + step * (7.5 - left)
            range_m = rng.uniform(0.02, 2.5)
            readings[row, col] = noisy_mm(rng, grid, range_m)
            level_m = range_m * math.cos(elevation)
            points.append((x + level_m * math.cos(at), y + level_m * math.sin(at)))
    local_map = LocalMap(shell, rig, 12)
    local_map.observe(observation(rig, 12, 4, poses_um=pose))
    frames = {"grid": (readings, RETURN, 4)}
    local_map.observe(observation(rig, 12, 12, poses_um=pose, frames=frames))
    cells, sensor = local_map.cells(), (x, y)
    centres, tolerance_m = centres_m(cells), cells[:, 3] / 1e6
    for point in points:  # the upper ray's place may lie a few centimetres before the point
        near = np.hypot(*(centres - point).T) <= 1.05 * tolerance_m + 0.06 * math.dist(
            point, sensor
        )
        nearest = np.hypot(*(centres[near] - sensor).T) - tolerance_m[near]
        assert nearest.min() <= math.dist(point, sensor) + 1e-9


@EACH_SHELL
@given(seed=SEEDS, off=st.floats(-1.0, 1.0))
@settings(max_examples=50, deadline=None)
def test_an_echo_errs_toward_the_shell_wherever_it_came_from(observation, shell, seed, off):
    rng = np.random.default_rng(seed)
    rig = make_rig("beam")
    beam, pose = rig["beam"], curve(rng, 1)[0]
    x, y, heading = mount(shell, beam, pose)
    range_m = rng.uniform(0.02, 2.5)
    local_map = LocalMap(shell, rig, 12)
    local_map.observe(observation(rig, 12, 4, poses_um=pose))
    frames = {"beam": (noisy_mm(rng, beam, range_m), RETURN, 8)}
    local_map.observe(observation(rig, 12, 12, poses_um=pose, frames=frames))
    at = heading + off * beam.half_angle_rad
    point = (x + range_m * math.cos(at), y + range_m * math.sin(at))
    assert_errs_toward(local_map.cells(), [(x, y)], [point])


@pytest.mark.parametrize(("side", "left_m"), [(0, 0.106), (1, -0.106)])
def test_a_closed_bumper_marks_its_corner(observation, side, left_m):
    rig = make_rig("bumpers")
    local_map = LocalMap(SHELL, rig, 12)
    local_map.observe(observation(rig, 12, 0))
    pressed = [int(side == 0), int(side == 1)]
    local_map.observe(observation(rig, 12, 12, frames={"bumpers": (pressed, RETURN, 12)}))
    cells = local_map.cells()
    assert len(cells) == 1
    assert math.dist(centres_m(cells)[0], (0.18, left_m)) <= cells[0, 3] / 1e6


@pytest.mark.parametrize("beam", [0, 45, 90, 200, 270])
def test_what_is_too_near_for_the_scan_is_marked_where_it_could_be_nearest(observation, beam):
    """On the body's outline, where that is nearer than the least range."""
    rig = make_rig("scan")
    statuses = np.full(360, 2)
    statuses[beam] = TOO_NEAR
    local_map = LocalMap(SHELL, rig, 12)
    local_map.observe(observation(rig, 12, 0))
    local_map.observe(observation(rig, 12, 12))
    local_map.observe(observation(rig, 12, 24, frames={"scan": (0, statuses, 20)}))
    cells = local_map.cells()
    across = abs(math.sin(math.radians(beam)))
    nearest_m = min(0.15, 0.106 / across if across else 1.0)
    assert len(cells) == 1
    assert np.hypot(*centres_m(cells)[0]) == pytest.approx(nearest_m, abs=0.0142)


def marked(observation, ticks_per_step=12):
    """A map at the origin on tick 12, and its rig."""
    rig = make_rig("bumpers")
    local_map = LocalMap(SHELL, rig, ticks_per_step)
    local_map.observe(observation(rig, ticks_per_step, 12))
    return local_map, rig


def test_a_cell_is_remembered_for_two_seconds_after_its_last_return(observation):
    local_map, rig = marked(observation)
    local_map.mark(3, 4, 12, 1000)
    for tick in range(24, 12 + MEMORY_TICK + 1, 12):
        local_map.observe(observation(rig, 12, tick))
        assert len(local_map.cells()) == 1
    local_map.observe(observation(rig, 12, 12 + MEMORY_TICK + 12))
    assert len(local_map.cells()) == 0


def test_a_cell_is_remembered_within_three_metres_of_the_pivot(observation):
    local_map, rig = marked(observation)
    local_map.mark(0, 149, 12, 1000)
    local_map.mark(0, 150, 12, 1000)
    assert local_map.cells()[:, 1].tolist() == [149]
    local_map.observe(observation(rig, 12, 24, poses_um=(-11_000, 0, 0)))
    assert len(local_map.cells()) == 0
    assert RADIUS_UM == 3_000_000


def test_a_cell_keeps_the_tolerance_of_its_later_return(observation):
    local_map, _ = marked(observation)
    for tick, tolerance in [(10, 1000), (12, 3000), (11, 2000)]:
        local_map.mark(3, 4, tick, tolerance)
    assert local_map.cells().tolist() == [[3, 4, 12, 3000]]


def test_cells_far_apart_share_no_place(observation):
    """The window is 512 cells wide; a jump brings cells that would share a slot."""
    local_map, rig = marked(observation)
    local_map.mark(3, 4, 12, 1000)
    there = (512 * CELL_UM, 0, 0)
    local_map.observe(observation(rig, 12, 24, poses_um=there))
    assert len(local_map.cells()) == 0
    local_map.mark(3, 516, 24, 2000)
    assert local_map.cells().tolist() == [[3, 516, 24, 2000]]


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_it_holds_what_a_dictionary_would(observation, seed):
    rng = np.random.default_rng(seed)
    local_map, rig = marked(observation)
    held, tick, x = {}, 12, 0

    def is_held(row, col, at):
        off_um = math.hypot((col + 0.5) * CELL_UM - x, (row + 0.5) * CELL_UM)
        return off_um <= RADIUS_UM and tick - at <= MEMORY_TICK

    for _ in range(30):
        for _ in range(60):
            row, col = rng.integers(-160, 160, 2).tolist()
            col += x // CELL_UM
            at, tolerance = tick - int(rng.integers(300)), int(rng.integers(50_000))
            local_map.mark(row, col, at, tolerance)
            if is_held(row, col, at) and at >= held.get((row, col), (at, 0))[0]:
                held[row, col] = (at, tolerance)
        tick, x = tick + 12, x + int(rng.integers(-3, 4)) * 100_000
        local_map.observe(observation(rig, 12, tick, poses_um=(x, 0, 0)))
        held = {cell: what for cell, what in held.items() if is_held(*cell, what[0])}
        cells = {(row, col): (at, tol) for row, col, at, tol in local_map.cells().tolist()}
        assert cells == held


def test_it_is_known_once_each_ranging_sense_has_told(observation):
    rig = make_rig("scan,beam,bumpers")
    local_map = LocalMap(SHELL, rig, 12)
    beam, scan = {"beam": (0, 2, 8)}, {"scan": (0, 2, 20)}
    known = []
    for tick, frames in [(0, None), (12, beam), (24, None), (36, scan)]:
        local_map.observe(observation(rig, 12, tick, frames=frames))
        known.append(local_map.is_known)
    assert known == [False, False, False, True]


def test_a_jump_makes_it_unknown_again(observation):
    rig = make_rig("beam")
    local_map = LocalMap(SHELL, rig, 12)
    known = []
    steps = [(0, 0, None), (12, 0, 8), (24, 900_000, 16), (36, 900_000, 32)]
    for tick, x, sampled in steps:
        frames = None if sampled is None else {"beam": (0, 2, sampled)}
        local_map.observe(
            observation(
                rig,
                12,
                tick,
                poses_um=[[0, 0, 0]] + [[x, 0, 0]] * 11 if tick == 24 else (x, 0, 0),
                frames=frames,
            )
        )
        known.append(local_map.is_known)
    assert known == [False, True, True, True]  # sampled on tick 16, after the jump on tick 14
    local_map.observe(observation(rig, 12, 48, poses_um=(0, 0, 0), frames={"beam": (0, 2, 36)}))
    assert not local_map.is_known


@pytest.mark.parametrize("tick", [12, 11, -1])
def test_an_observation_is_taken_once_and_in_order(observation, tick):
    local_map, rig = marked(observation)
    with pytest.raises(OptionError, match="cannot be taken"):
        local_map.observe(observation(rig, 12, tick))


def test_a_frame_from_the_future_is_refused(observation):
    local_map, rig = marked(observation)
    with pytest.raises(OptionError, match="cannot be taken"):
        local_map.observe(observation(rig, 12, 24, frames={"bumpers": ([1, 1], RETURN, 25)}))
    assert len(local_map.cells()) == 0


def test_an_entry_of_another_size_is_refused(observation):
    local_map, rig = marked(observation)
    obs = observation(rig, 12, 24)
    with pytest.raises(OptionError, match="'pose' has 33 numbers; allowed: 36"):
        local_map.observe(obs | {"pose": obs["pose"][:11].copy()})


@pytest.mark.parametrize("value", [-(2**31), -1, 0, 2**31 - 1])
@pytest.mark.parametrize("status", [-1, RETURN, TOO_NEAR, 9])
def test_hostile_readings_do_no_harm(observation, value, status):
    rig = make_rig("scan,grid,beam,bumpers")
    local_map = LocalMap(SHELL, rig, 12)
    for tick, place in enumerate([0, 2**31 - 1, -(2**31), 0]):
        at = 12 * tick
        frames = dict.fromkeys(("scan", "grid", "beam", "bumpers"), (value, status, at))
        pose = (place, place, place)
        local_map.observe(observation(rig, 12, at, poses_um=pose, frames=frames))
    assert (local_map.cells()[:, 3] >= 0).all()
