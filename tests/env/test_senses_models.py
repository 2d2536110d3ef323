"""Cone, grid, radar and bumpers: each blind case and each figure, by scenes made for it."""

import itertools
import math

import gymnasium as gym
import numpy as np
import pytest

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.core import SceneCore
from kinewright_env.rig import SENSORS, make_rig
from kinewright_env.scene import load_scene

STILL = np.zeros(2, np.float32)
AHEAD_M, HEIGHT_M = 0.18, 0.10  # of cone and grid
RETURN, FAR, NEAR = 1, 2, 3


def room(*solids, start=(0.0, 0.0, 0.0)):
    boxes = [dict(solid, name=f"b{i}") for i, solid in enumerate(solids) if "size" in solid]
    posts = [dict(solid, name=f"p{i}") for i, solid in enumerate(solids) if "radius" in solid]
    return {
        "format": 1,
        "name": "made",
        "title": "Made by a test",
        "time_limit_s": 600.0,
        "shell": "four_wheel_steer",
        "start": {"x": start[0], "y": start[1], "heading_deg": start[2]},
        "box": boxes,
        "post": posts,
    }


def box(x, y, size=(1.0, 1.0), heading_deg=0.0, height=5.0):
    return {"center": [x, y], "size": list(size), "heading_deg": heading_deg, "height": height}


def post(away_m, bearing_deg, radius=0.05, height=5.0):
    """Return a post whose nearest point is so far from the front sensors."""
    x, y = (f(math.radians(bearing_deg)) * (away_m + radius) for f in (math.cos, math.sin))
    return {"center": [AHEAD_M + x, y], "radius": radius, "height": height}


def wall(away_m, height=5.0):
    return box(AHEAD_M + away_m + 0.5, 0.0, (1.0, 20.0), height=height)


def make(scene, *rig, **options):
    given = {"noise": False, "ticks_per_step": 24, "rig": rig or None, **options}
    return gym.make("Kinewright/Drive-v0", scene=scene, **given).unwrapped


def read(key, *solids, rig=None, start=None):
    """Return a sensor's first readings and statuses at rest."""
    env = make(room(*solids), rig=rig or (key,))
    env.reset(seed=1, options={} if start is None else {"start": start})
    observation = env.step(STILL)[0]
    assert observation[f"{key}_tick"][0] >= 0
    return observation[key][0], observation[f"{key}_status"][0]


def one(key, *solids, **options):
    value, status = read(key, *solids, **options)
    return int(value), int(status)


# ---- Cone and grid: the ground, the range ----


@pytest.mark.parametrize("key", ["cone", "grid"])
def test_the_ground_is_never_read_from_any_pose_height_or_angle(key):
    rng = np.random.default_rng(1)
    for half_angle_rad in (0.0, 0.1, SENSORS[key].half_angle_rad, 0.7):
        for height_m in (0.0, 1e-9, 0.1, 1.0):
            rig = make_rig((key,)).changed(key, half_angle_rad=half_angle_rad, height_m=height_m)
            env = make(room(), rig=rig.changed(key, range_max_m=100.0))
            start = (*rng.uniform(-9, 9, 2), rng.uniform(-3, 3))
            env.reset(seed=1, options={"start": start})
            assert (env.step(STILL)[0][f"{key}_status"][0] == FAR).all()


@pytest.mark.parametrize("height", [0.05, 0.0999])
def test_a_low_box_lies_below_cone_and_grid_at_any_distance(height):
    for away_m in (0.005, 0.1, 1.0, 3.0):
        low = box(AHEAD_M + away_m + 0.1, 0.0, (0.2, 0.2), height=height)
        assert one("cone", low) == (0, FAR)
        assert one("cone", low, wall(3.5)) == (3500, RETURN)
        for one_of_two in zip(read("grid", low, wall(2.0)), read("grid", wall(2.0)), strict=True):
            assert np.array_equal(*one_of_two)


def test_what_is_nearer_than_the_least_range_is_said_and_never_what_lies_behind_it():
    assert one("cone", wall(0.04)) == (40, RETURN)
    assert one("cone", wall(0.0399)) == (0, NEAR)
    assert one("cone", post(0.03, 0.0, 0.01), wall(1.0)) == (0, NEAR)
    assert one("cone", post(0.03, 12.0, 0.01), wall(1.0)) == (0, NEAR)
    assert one("cone", post(0.03, 30.0, 0.01), wall(1.0)) == (1000, RETURN)
    values, statuses = read("grid", post(0.015, 0.0, 0.002), wall(1.0))
    assert (statuses[:, 3:5] == NEAR).all()
    assert (values[:, 3:5] == 0).all()
    assert (statuses[:, [0, 1, 2, 5, 6, 7]] == RETURN).all()


@pytest.mark.parametrize("key", ["cone", "grid", "radar"])
def test_a_sensor_inside_a_solid_reads_too_near(key):
    rig = make_rig((key,)).changed(key, ahead_m=0.5)
    values, statuses = read(key, box(0.5, 0.0, (0.1, 0.1)), wall(1.0), rig=rig)
    assert (statuses.ravel()[: 1 if key == "radar" else None] == NEAR).all()
    assert (values == 0).all()


def test_four_metres_are_within_range_and_a_millimetre_more_is_not():
    assert one("cone", wall(4.0)) == (4000, RETURN)
    assert one("cone", wall(4.001)) == (0, FAR)
    assert (read("grid", wall(4.0))[1] == FAR).all()  # no ray of a zone is level
    # the nearest rays stand 1.40625 degrees off the axis, level and across
    slant = math.cos(math.radians(45 / 32)) ** 2
    assert read("grid", wall(3.999 * slant))[1][7].tolist() == [FAR] * 3 + [RETURN] * 2 + [FAR] * 3


# ---- Cone ----


def cone_directions():
    """Return azimuth and elevation of the 19 rays, rad: three rings about the raised axis."""
    half = math.radians(12.5)
    found = []
    for off, count, first in ((0.0, 1, 0.0), (half / 2, 6, 30.0), (half, 12, 0.0)):
        for k in range(count):
            around = math.radians(first + 360 * k / count)
            left, up = math.sin(off) * math.cos(around), math.sin(off) * math.sin(around)
            ahead = math.cos(off) * math.cos(half) - up * math.sin(half)
            rise = math.cos(off) * math.sin(half) + up * math.cos(half)
            found.append((math.atan2(left, ahead), math.asin(min(max(rise, 0.0), 1.0))))
    return found


def test_the_cone_is_a_bundle_of_19_rays_that_thin_posts_find_one_by_one():
    """A thin post is read where a ray passes it, by the lowest one there; not in between."""
    lowest = {}
    for azimuth, elevation in cone_directions():
        key = round(azimuth, 9)
        lowest[key] = min(elevation, lowest.get(key, 9.0))
    assert len(cone_directions()) == 19
    azimuths = sorted(lowest)
    for azimuth in azimuths:
        value, status = one("cone", post(1.0, math.degrees(azimuth), 0.0005))
        assert status == RETURN
        assert value == round(1000.0 / math.cos(lowest[azimuth]))
    gaps = [(a + b) / 2 for a, b in itertools.pairwise(azimuths) if b - a > 0.003]
    assert len(gaps) >= 8
    for azimuth in [*gaps, azimuths[-1] + 0.002, azimuths[0] - 0.002]:
        assert one("cone", post(1.0, math.degrees(azimuth), 0.0005)) == (0, FAR)


def test_each_ray_of_the_cone_rises_as_it_should():
    """A post on a ray's azimuth, as high as the lowest ray there meets it, and a hair less."""
    for azimuth, elevation in cone_directions():
        others = [e for a, e in cone_directions() if abs(a - azimuth) < 1e-9]
        if elevation > min(others):
            continue
        height = HEIGHT_M + math.tan(elevation)
        bearing_deg = math.degrees(azimuth)
        assert one("cone", post(1.0, bearing_deg, 0.0005, height + 1e-5))[1] == RETURN
        assert one("cone", post(1.0, bearing_deg, 0.0005, height - 1e-5))[1] == FAR


# ---- Grid ----

ZONE_RAYS_DEG = 22.5 - 45 / 16 * (np.arange(16) + 0.5)  # of the columns, from the left


def test_the_left_half_of_a_room_stands_in_columns_0_to_3():
    left = box(1.5, 2.0, (0.5, 4.0))
    values, statuses = read("grid", left)
    assert (statuses[:, :4] == RETURN).all()
    assert (statuses[:, 4:] == FAR).all()
    right_values, right_statuses = read("grid", box(1.5, -2.0, (0.5, 4.0)))
    assert np.array_equal(values[:, ::-1], right_values)
    assert np.array_equal(statuses[:, ::-1], right_statuses)


@pytest.mark.parametrize("rows", range(9))
def test_what_is_low_stands_in_the_low_rows_and_row_0_is_the_top(rows):
    """A box 1 m off, just high enough for the lower ray of the row above the lowest `rows`."""
    lower_rays_deg = 45 / 16 * (2 * np.arange(9) + 0.5)  # of the rows from the bottom
    reach = math.tan(math.radians(lower_rays_deg[rows])) / math.cos(math.radians(ZONE_RAYS_DEG[0]))
    height = HEIGHT_M + (0.99 if rows < 8 else 1.2) * reach
    across = box(AHEAD_M + 1.1, 0.0, (0.2, 1.0), height=height)
    _, statuses = read("grid", across)
    on_axis = [sum(statuses[:, column] == RETURN) for column in (3, 4)]
    middle = math.cos(math.radians(ZONE_RAYS_DEG[7]))
    rise_deg = math.degrees(math.atan((height - HEIGHT_M) * middle))
    assert on_axis == [np.count_nonzero(lower_rays_deg[:8] <= rise_deg)] * 2
    for column in (3, 4):
        assert statuses[:, column].tolist() == sorted(statuses[:, column], reverse=True)
    if rows == 8:
        assert (statuses[:, 3:5] == RETURN).all()


def test_a_thin_post_on_a_ray_lights_one_column_and_between_two_rays_none():
    for i, bearing_deg in enumerate(ZONE_RAYS_DEG):
        _, statuses = read("grid", post(1.0, bearing_deg, 0.001))
        assert np.flatnonzero((statuses == RETURN).all(axis=0)).tolist() == [i // 2]
        assert (np.delete(statuses, i // 2, axis=1) == FAR).all()
        _, statuses = read("grid", post(1.0, bearing_deg - 45 / 32, 0.001))
        assert (statuses == FAR).all()


def test_a_zone_reads_the_nearest_of_its_2_by_2_rays():
    lower = math.cos(math.radians(45 / 32))  # of the lowest row
    for near, far in ((6, 7), (7, 6)):
        values, _ = read(
            "grid", post(1.0, ZONE_RAYS_DEG[near], 0.001), post(2.0, ZONE_RAYS_DEG[far], 0.001)
        )
        assert values[7, 3] == round(1000 / lower)
    # a box that only the lower of the zone's two rows of rays meets, and a wall behind it
    height = HEIGHT_M + math.tan(math.radians(45 / 16))
    values, _ = read("grid", box(AHEAD_M + 1.1, 0.0, (0.2, 1.0), height=height), wall(2.0))
    assert values[7, 3] == round(1000 / lower**2)
    assert values[6, 3] == round(2000 / lower / math.cos(math.radians(5 * 45 / 32)))


def crowd(n):
    """Return a dict of many solids of all heights, about the origin."""
    rng = np.random.default_rng(n)
    solids = []
    while len(solids) < n:
        x, y = rng.uniform(-5, 5, 2)
        if math.hypot(x, y) > 0.6:
            height, shape = rng.uniform(0.05, 2.0), rng.uniform(0.02, 0.4, 2)
            turned = box(x, y, shape, rng.choice([0.0, rng.uniform(0, 90)]), height)
            solids.append(
                turned
                if rng.random() < 0.6
                else {"center": [x, y], "radius": 0.1, "height": height}
            )
    return room(*solids)


@pytest.mark.parametrize("scene", ["senses_room", "three_rooms", crowd(40), crowd(300)])
def test_the_grid_reads_what_single_rays_over_its_lattice_meet(scene):
    """A few solids by the column fan, many by the index: the same millimetres."""
    env, core = make(scene, "grid"), SceneCore(load_scene(scene))
    step, rng = math.radians(45 / 16), np.random.default_rng(2)
    off = step * (7.5 - np.arange(16))
    x0, y0 = env.scene.start.x_m, env.scene.start.y_m
    n_returns = 0
    for _ in range(12):
        x, y, heading = x0 + rng.uniform(-0.1, 0.1), y0 + rng.uniform(-0.1, 0.1), rng.uniform(-3, 3)
        env.reset(seed=1, options={"start": (x, y, heading)})
        observation = env.step(STILL)[0]
        origin = (x + AHEAD_M * math.cos(heading), y + AHEAD_M * math.sin(heading), HEIGHT_M)
        headings = np.tile(heading + off, 16)
        pitches = np.repeat(math.radians(22.5) + off, 16)
        ranges, _ = core.cast(np.tile(origin, (256, 1)), headings, pitches, 4.0)
        nearest = ranges.reshape(8, 2, 8, 2).min(axis=(1, 3))
        met = nearest < np.inf
        assert np.array_equal(observation["grid_status"][0] == RETURN, met)
        wanted = np.floor(np.where(met, nearest, 0.0) * 1000 + 0.5)
        assert np.array_equal(observation["grid"][0], wanted)
        n_returns += np.count_nonzero(met)
    assert n_returns > 100


# ---- Radar ----


def targets(*solids, **options):
    """Return (range mm, bearing 0.1 degree) of each target that is a return, and statuses."""
    values, statuses = read("radar", *solids, **options)
    assert (values[statuses != RETURN] == 0).all()
    return [tuple(v) for v in values[statuses == RETURN][:, :2].tolist()], statuses.tolist()


def test_the_radar_reports_the_three_nearest_of_five_nearest_first():
    aways = {40.0: 2.5, 10.0: 1.2, -15.0: 3.0, -50.0: 1.0, -35.0: 1.8}
    for order in (sorted(aways), sorted(aways, reverse=True), list(aways)):
        found, statuses = targets(*[post(aways[bearing], bearing) for bearing in order])
        assert found == [(1000, -500), (1200, 100), (1800, -350)]
        assert statuses == [RETURN] * 3


def test_equally_near_targets_stand_in_the_order_of_the_scene_in_every_turned_scene():
    bearings = (20.0, -20.0, 40.0, -40.0)
    for heading in np.linspace(-3.0, 3.0, 25):
        posts = []
        for bearing in bearings:
            angle = heading + math.radians(bearing)
            x = 0.1 + AHEAD_M * math.cos(heading) + 1.05 * math.cos(angle)
            y = 0.2 + AHEAD_M * math.sin(heading) + 1.05 * math.sin(angle)
            posts.append({"center": [x, y], "radius": 0.05, "height": 0.4})
        found, _ = targets(*posts, start=(0.1, 0.2, heading))
        assert found == [(1000, 200), (1000, -200), (1000, 400)]


def test_one_solid_is_one_target_and_left_is_positive():
    assert targets(wall(1.5)) == ([(1500, 0)], [RETURN, FAR, FAR])
    assert targets(post(1.0, 30.0))[0] == [(1000, 300)]
    assert targets(post(1.0, -30.0))[0] == [(1000, -300)]
    assert targets() == ([], [FAR] * 3)


def test_hidden_solids_are_left_out():
    assert targets(wall(1.0), post(1.5, 10.0), box(3.0, 0.0))[0] == [(1000, 0)]
    low = {"center": [1.0, 0.0], "size": [0.2, 4.0], "height": 0.0799}
    assert targets(low, post(1.5, 10.0))[0] == [(1500, 100)]
    low["height"] = 0.08
    assert targets(low, post(1.5, 10.0))[0] == [(720, 0)]


def test_the_field_ends_at_60_degrees_and_at_6_metres():
    assert targets(post(1.0, 60.0))[0] == [(1000, 600)]
    assert targets(post(1.0, -60.0))[0] == [(1000, -600)]
    # past the edge by less than its radius, a post is seen where the edge meets it
    for side in (1, -1):
        ((range_mm, bearing),), _ = targets(post(1.0, side * 61.0))
        along, across = (1.05 * f(math.radians(1.0)) for f in (math.cos, math.sin))
        assert range_mm == round(1000 * (along - math.sqrt(0.05**2 - across**2)))
        assert bearing == side * 600
    assert targets(post(1.0, 63.0))[0] == []  # asin(0.05 / 1.05) is 2.73 degrees
    assert targets(wall(6.0))[0] == [(6000, 0)]
    assert targets(wall(6.001))[0] == []


def test_a_target_nearer_than_the_least_range_is_first_and_has_no_figures():
    found, statuses = targets(post(0.15, 0.0, 0.01), post(0.2, 40.0, 0.01), post(1.0, -30.0))
    assert found == [(200, 400), (1000, -300)]
    assert statuses == [NEAR, RETURN, RETURN]


def test_what_closes_does_so_by_the_speed_and_the_yaw_of_the_shell():
    """Against geometry at the pose of the sample, and the ranges' own difference quotient."""
    posts = [post(2.5, bearing, 0.02) for bearing in (0.0, 45.0, -45.0, 110.0, -110.0, 180.0)]
    for speed_mps, steer_rad in ((0.4, 0.0), (-0.3, 0.0), (0.4, 0.2), (0.35, -0.4)):
        env = make(room(*posts), "radar", ticks_per_step=1)
        env.reset(seed=1)
        poses, series, checked = {}, {}, 0
        for tick in range(1, 700):
            observation = env.step([speed_mps, steer_rad])[0]
            poses[tick] = observation["pose"][0] * 1e-6
            sampled = int(observation["radar_tick"][0])
            if sampled < 120:
                continue
            x, y, heading = poses[sampled]
            yaw = 120 * math.remainder(heading - poses[sampled - 1][2], 2 * math.pi)
            for i in np.flatnonzero(observation["radar_status"][0] == RETURN):
                range_mm, bearing, closing = observation["radar"][0, i].tolist()
                away = math.radians(bearing / 10)
                wanted = speed_mps * math.cos(away) + yaw * AHEAD_M * math.sin(away)
                assert abs(closing - 1000 * wanted) < 2.0
                sx, sy = x + AHEAD_M * math.cos(heading), y + AHEAD_M * math.sin(heading)
                spots = [math.dist((sx, sy), solid["center"]) for solid in posts]
                solid = int(np.argmin(np.abs(np.array(spots) - 0.02 - range_mm / 1000)))
                series[sampled, solid] = range_mm, closing
        for (tick, solid), (_, closing) in series.items():
            around = series.get((tick - 12, solid)), series.get((tick + 12, solid))
            if None not in around:
                assert abs((around[0][0] - around[1][0]) / 0.2 - closing) < 12.0
                checked += 1
        assert checked > 20


def test_the_radar_holds_three_targets_at_once_each_closing_at_the_shells_speed():
    env = make("senses_room", "radar", noise=True, ticks_per_step=1)
    env.reset(seed=4)
    rows = []
    for _ in range(360):
        observation = env.step([0.3, 0.0])[0]
        if observation["radar_tick"][0] >= 60:
            assert (observation["radar_status"][0] == RETURN).all()
            rows.append(observation["radar"][0])
    rows = np.array(rows, float)
    assert len(rows) >= 20
    expected = 300 * np.cos(np.radians(rows[..., 1] / 10))
    assert np.abs(rows[..., 2] - 300).max() < 4 * 30 + 30
    assert np.abs((rows[..., 2] - expected).mean(axis=0)).max() < 5 * 30 / math.sqrt(len(rows))


def test_the_beam_hears_the_low_box_while_the_cone_reads_what_stands_behind():
    env = make("senses_room")
    env.reset(seed=1)
    observation = env.step(STILL)[0]
    assert (observation["beam"][0], observation["beam_status"][0]) == (2000, RETURN)
    assert observation["cone_status"][0] == RETURN
    level = 4.975 - 1.0 - AHEAD_M  # to the east wall, along the level ray
    assert observation["cone"][0] == round(1000 * level)


# ---- Bumpers ----


def pressed(*solids, ask=(0.3, 0.0), ticks=150):
    """Return x and heading of the shell and the switches, tick by tick."""
    env = make(room(*solids), "bumpers", ticks_per_step=1)
    env.reset(seed=1)
    rows = []
    for _ in range(ticks):
        observation = env.step(ask)[0]
        rows.append((observation["pose"][0, 0] * 1e-6, *observation["bumpers"][0].tolist()))
    return np.array(rows)


def closed(rows, front_m, back_m):
    return (rows[:, 0] + 0.18 > front_m) & (rows[:, 0] + 0.18 < back_m)


def test_a_corner_in_a_solid_closes_its_switch_until_it_has_left():
    for solids, left, right in (
        ((box(0.4, 0.15, (0.1, 0.1)),), True, False),
        ((box(0.4, -0.15, (0.1, 0.1)),), False, True),
        ((box(0.4, 0.0, (0.1, 1.0)),), True, True),
        ((box(0.4, 0.0, (0.1, 0.2)),), False, False),  # only the middle of the front
    ):
        rows = pressed(*solids)
        within = closed(rows, 0.35, 0.45)
        assert within.any()
        assert not within[-1]
        assert np.array_equal(rows[:, 1] == 1, within & left)
        assert np.array_equal(rows[:, 2] == 1, within & right)


def test_a_post_closes_the_switch_whose_corner_it_holds():
    thick = {"center": [0.4, 0.106], "radius": 0.05, "height": 0.02}
    rows = pressed(thick)
    assert np.array_equal(rows[:, 1] == 1, closed(rows, 0.35, 0.45))
    assert not rows[:, 2].any()
    between = {"center": [0.4, 0.0], "radius": 0.05, "height": 0.4}
    assert not pressed(between)[:, 1:].any()


def test_a_switch_is_closed_only_in_contact():
    env = make(crowd(300), "bumpers", ticks_per_step=1)
    env.reset(seed=1)
    rng, n_closed = np.random.default_rng(3), np.zeros(2, int)
    for i in range(6000):
        if i % 100 == 0:
            ask = np.array([rng.uniform(-0.5, 1.5), rng.uniform(-0.4, 0.4)], np.float32)
        observation, *_, info = env.step(ask)
        if observation["bumpers"].any():
            assert info["contact"]
        n_closed += observation["bumpers"][0]
    assert n_closed.min() > 100
