"""What the sensors read, against closed forms that share no code with the core."""

import math

import gymnasium as gym
import numpy as np
import pytest

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.rig import SENSORS, Rig, make_rig

STILL = np.zeros(2, np.float32)
SENSOR_AHEAD_M = 0.18


def room(*solids, size=20.0, start=(0.0, 0.0, 0.0)):
    """Return a scene of boxes and posts without walls, the body's centre at the start."""
    return {
        "format": 1,
        "name": "made",
        "title": "Made by a test",
        "time_limit_s": 600.0,
        "shell": "four_wheel_steer",
        "start": {"x": start[0], "y": start[1], "heading_deg": start[2]},
        "box": [dict(solid, name=f"b{i}") for i, solid in enumerate(solids) if "size" in solid],
        "post": [dict(solid, name=f"p{i}") for i, solid in enumerate(solids) if "radius" in solid],
    }


def box(x, y, size=(1.0, 1.0), heading_deg=0.0, height=0.4):
    return {"center": [x, y], "size": list(size), "heading_deg": heading_deg, "height": height}


def post(x, y, radius, height=0.4):
    return {"center": [x, y], "radius": radius, "height": height}


def make(scene, **options):
    defaults = {"noise": False, "ticks_per_step": 1}
    return gym.make("Kinewright/Drive-v0", scene=scene, **{**defaults, **options}).unwrapped


def newest(env, key, ticks=40, ask=STILL):
    """Return the last frame's readings and statuses after some ticks."""
    env.reset(seed=1)
    last = None
    for _ in range(ticks // env.ticks_per_step):
        observation = env.step(ask)[0]
        for i in np.flatnonzero(observation[f"{key}_tick"] >= 0):
            last = observation[key][i], observation[f"{key}_status"][i]
    return last


def beam(*solids, **options):
    value, status = newest(make(room(*solids), rig=("beam",), **options), "beam")
    return int(value), int(status)


# ---- Ticks ----


@pytest.mark.parametrize("key", sorted(SENSORS))
@pytest.mark.parametrize("ticks", [1, 12, 33])
def test_frames_come_on_their_declared_ticks(key, ticks):
    env = make("senses_room", rig=(key,), ticks_per_step=ticks, noise=True, time_limit_s=100.0)
    observation, _ = env.reset(seed=1)
    sensor = SENSORS[key]
    assert (observation[sensor.card.status_key] == 0).all()
    assert (observation[f"{key}_tick"] == -1).all()
    seen = []
    for _ in range(0, 10_000, ticks):
        observation = env.step(STILL)[0]
        stamps = observation[f"{key}_tick"]
        frames = int((stamps >= 0).sum())
        assert (stamps[:frames] >= 0).all()
        assert (stamps[frames:] == -1).all()
        assert (observation[sensor.card.status_key][frames:] == 0).all()
        last_tick = int(observation["tick"][0])
        for stamp in stamps[:frames].tolist():
            assert last_tick - ticks < stamp + sensor.latency_tick <= last_tick
        seen += stamps[:frames].tolist()
    last = env.totals()["tick"] - sensor.latency_tick
    assert seen == list(range(sensor.period_tick, last + 1, sensor.period_tick))


@pytest.mark.parametrize("phase", range(20))
def test_a_reset_at_any_phase_of_a_turn_starts_the_turn_anew(phase):
    env = make("senses_room", noise=True)
    env.reset(seed=9)
    fresh = [env.step(STILL)[0] for _ in range(60)]
    env.reset(seed=1)
    for _ in range(100 + phase):
        env.step([0.4, 0.2])
    env.reset(seed=9)
    for one in fresh:
        other = env.step(STILL)[0]
        assert all(np.array_equal(one[key], other[key]) for key in one)


def test_a_latency_longer_than_a_period_keeps_several_frames_under_way():
    rig = make_rig(("beam", "scan")).changed("beam", period_tick=2, latency_tick=31)
    rig = rig.changed("scan", latency_tick=55)
    env = make("senses_room", rig=rig)
    env.reset(seed=1)
    beams, scans = [], []
    for _ in range(300):
        observation = env.step([0.2, 0.0])[0]
        if observation["beam_tick"][0] >= 0:
            beams.append(int(observation["beam_tick"][0]))
        if observation["scan_tick"][0] >= 0:
            scans.append((int(observation["scan_tick"][0]), int(observation["scan"][0, 0])))
    assert beams == list(range(2, 300 - 31 + 1, 2))
    assert [tick for tick, _ in scans] == list(range(20, 300 - 55 + 1, 20))
    ranges = [value for _, value in scans]
    assert ranges == sorted(ranges, reverse=True)
    assert len(set(ranges)) == len(ranges)


# ---- Scan ----


def test_each_beam_of_a_scan_points_where_it_is_declared_to():
    """The wall 2 m ahead is read as 2 m / cos k by the beams that meet it."""
    values, statuses = newest(make(room(box(2.5, 0.0, (1.0, 2.0))), rig=("scan",)), "scan")
    for k in range(360):
        angle = math.radians(k if k < 180 else k - 360)
        meets = abs(angle) < math.radians(60) and abs(2.0 * math.tan(angle)) <= 1.0
        assert statuses[k] == (1 if meets else 2), k
        assert values[k] == (round(2000.0 / math.cos(angle)) if meets else 0), k


def test_a_turning_scan_is_cast_beam_by_beam_from_the_pose_of_its_own_tick():
    """At 1.2 m/s toward a wall, the beams at 0 and 20 ticks later differ by the way run."""
    env = make(room(box(6.5, 0.0, (1.0, 8.0))), rig=("scan",))
    env.reset(seed=1)
    poses = {}
    for _ in range(240):
        observation = env.step([1.2, 0.0])[0]
        poses[int(observation["tick"][0])] = observation["pose"][0, 0] * 1e-6
        if observation["scan_tick"][0] < 0:
            continue
        last = int(observation["scan_tick"][0])
        for k in (0, 17, 18, 30, 330, 342, 359):
            x_m = poses[last - 19 + k // 18]
            expected = (6.0 - x_m) / math.cos(math.radians(k)) * 1000
            assert abs(observation["scan"][0, k] - expected) <= 0.502, (last, k)


def test_a_scan_says_too_near_and_out_of_range():
    scan = make(room(box(0.0, 0.63, (2.0, 1.0)), box(0.0, -8.6, (0.2, 1.0))), rig=("scan",))
    values, statuses = newest(scan, "scan")
    assert (statuses[90], values[90]) == (3, 0)  # 0.13 m off
    assert (statuses[270], values[270]) == (2, 0)  # 8.1 m off
    scan = make(room(box(0.0, 0.65, (2.0, 1.0)), box(0.0, -8.5, (0.2, 1.0))), rig=("scan",))
    values, statuses = newest(scan, "scan")
    assert (statuses[90], values[90]) == (1, 150)
    assert (statuses[270], values[270]) == (1, 8000)


def test_a_scan_looks_over_what_is_lower_than_its_mount():
    low = box(2.5, 0.0, height=0.1499)
    values, _ = newest(make(room(low, box(4.5, 0.0)), rig=("scan",)), "scan")
    assert values[0] == 4000
    assert newest(make(room(low), rig=("scan",)), "scan")[1][0] == 2
    assert newest(make(room(box(2.5, 0.0, height=0.15)), rig=("scan",)), "scan")[0][0] == 2000


def test_a_mount_moved_ahead_moves_the_reading_as_much():
    scene = room(box(2.5, 0.0))
    for shell, pivot_m in (("four_wheel_steer", 0.0), ("front_steer", 0.12)):
        for ahead_m in (0.0, 0.1, -0.05):
            rig = make_rig(("scan",)).changed("scan", ahead_m=ahead_m)
            values, _ = newest(make(scene, rig=rig, shell=shell), "scan")
            assert values[0] == round((2.0 - pivot_m - ahead_m) * 1000)


# ---- Beam ----


def face_at(distance_m, turned_deg):
    """Return a wide slab whose face is square to a line turned from the beam's axis."""
    turn = math.radians(turned_deg)
    x = SENSOR_AHEAD_M + (distance_m + 0.05) * math.cos(turn)
    y = (distance_m + 0.05) * math.sin(turn)
    return box(x, y, (0.1, 6.0), turned_deg)


@pytest.mark.parametrize("turned_deg", [0.0, 3.0, -3.0, 7.4, -7.4, 7.5, -7.5])
def test_a_face_within_half_the_angle_echoes_its_perpendicular(turned_deg):
    assert beam(face_at(1.5, turned_deg)) == (1500, 1)


@pytest.mark.parametrize("turned_deg", [7.6, -7.6, 20.0, 45.0, -60.0])
def test_a_face_turned_further_gives_no_echo(turned_deg):
    assert beam(face_at(1.0, turned_deg)) == (0, 4)


def test_a_post_always_has_a_normal_that_faces_the_beam():
    for angle_deg in (0.0, 7.0, -7.0):
        angle = math.radians(angle_deg)
        x, y = SENSOR_AHEAD_M + 1.02 * math.cos(angle), 1.02 * math.sin(angle)
        assert beam(post(x, y, 0.02)) == (1000, 1)


def test_what_the_beam_does_not_hear():
    ahead = SENSOR_AHEAD_M
    assert beam() == (0, 2)
    assert beam(box(ahead + 4.5, 0.0)) == (4000, 1)
    assert beam(box(ahead + 4.501, 0.0)) == (0, 2)
    assert beam(box(ahead + 1.5, 0.0, height=0.0599)) == (0, 2)
    assert beam(box(ahead + 1.5, 0.0, height=0.06)) == (1000, 1)
    corner = box(ahead + 1.0 + math.sqrt(0.5), 0.0, heading_deg=45.0)
    assert beam(corner) == (0, 4)  # an edge gives no echo


def test_a_thing_too_near_is_said_and_never_what_lies_behind_it():
    ahead, wall = SENSOR_AHEAD_M, box(2.5, 0.0)
    assert beam(post(ahead + 0.029, 0.0, 0.01), wall) == (0, 3)
    assert beam(post(ahead + 0.031, 0.0, 0.01), wall) == (21, 1)
    turned = box(ahead + 0.03, 0.0, (0.02, 0.04), 20.0)
    assert beam(turned, wall) == (0, 3)  # gives no echo, and is 0.019 m off on the axis


def test_a_sensor_inside_a_solid_reads_too_near_until_it_has_left():
    """The shell may drive through a solid: contact stops nothing."""
    env = make(room(box(1.0, 0.0, (0.4, 0.4)), box(5.5, 0.0)), rig=("beam", "scan"))
    env.reset(seed=1)
    for _ in range(600):
        observation = env.step([0.5, 0.0])[0]
        x_m = int(observation["pose"][0, 0]) * 1e-6
        if observation["beam_tick"][0] >= 0:
            sensor_m = x_m - 4 * 0.5 / 120 + SENSOR_AHEAD_M
            if 0.79 < sensor_m < 1.19:
                assert (observation["beam_status"][0], observation["beam"][0]) == (3, 0)
            elif sensor_m > 1.22:
                assert observation["beam_status"][0] == 1
        if observation["scan_tick"][0] >= 0 and 0.95 < x_m < 1.15:
            assert (observation["scan_status"][0] == 3).all()
    assert x_m > 2.0


def test_a_hidden_face_is_not_heard():
    """A post hides the foot on the wall; a post beside the line to the foot does not."""
    ahead = SENSOR_AHEAD_M
    wall = face_at(2.0, 5.0)
    foot = math.radians(5.0)
    thin = post(ahead + 1.0 * math.cos(foot), 1.0 * math.sin(foot), 0.02, height=0.05)
    assert beam(wall, thin) == (2000, 1)  # too low to hide it
    turned = box(ahead + 1.0 * math.cos(foot), 1.0 * math.sin(foot), (0.02, 0.1), 50.0)
    assert beam(wall, turned) == (0, 4)


def test_the_nearest_of_several_is_heard():
    assert beam(face_at(3.0, 2.0), face_at(2.0, -6.0), post(3.5, 0.1, 0.05)) == (2000, 1)


def test_the_beam_hears_the_low_box_from_the_start_of_senses_room():
    value, status = newest(make("senses_room"), "beam")
    assert (int(value), int(status)) == (2000, 1)
    values, _ = newest(make("senses_room"), "scan")
    assert values[0] == 3975  # the scan looks over it, to the far wall


# ---- Encoders and inertial unit ----


def drive(env, ask, ticks):
    env.reset(seed=1)
    for _ in range(ticks):
        observation = env.step(ask)[0]
    return observation


def test_at_full_lock_the_yaw_rate_and_the_wheels_follow_the_geometry():
    """0.43 m/s on a radius of 0.2695 m; outer wheels lead by the ratio of the radii."""
    env = make("senses_room")
    lock = env.shell.lock_rad
    before = drive(env, [0.43, lock], 240)
    after = before
    for _ in range(480):
        after = env.step([0.43, lock])[0]
    assert 91 * 16 <= after["imu"][0, 0] <= 92 * 16
    radius = 0.12 / math.tan(math.radians(24))
    expected_left = 0.43 * 0.43 / radius * 2048 / 9.80665
    assert abs(after["imu"][0, 2] - expected_left) <= 1
    rolled = (after["encoders"][0] - before["encoders"][0]).astype(float)
    turn = 0.43 * 4.0 / radius
    inner = math.hypot(0.12, radius - 0.09) * turn / 0.0002
    outer = math.hypot(0.12, radius + 0.09) * turn / 0.0002
    assert np.abs(rolled - [inner, outer, inner, outer]).max() <= 2


def test_counts_run_backward_in_reverse_and_accelerations_have_their_sign():
    env = make("senses_room")
    observation = drive(env, [-0.4, 0.0], 20)
    assert (observation["encoders"][0] < 0).all()
    assert observation["imu"][0, 1] == -round(1.6 / 9.80665 * 2048)
    observation = env.step([0.0, 0.0])[0]
    observation = env.step([0.0, 0.0])[0]
    assert observation["imu"][0, 1] == round(3.0 / 9.80665 * 2048)


def test_left_is_positive_everywhere():
    env = make("senses_room")
    observation = drive(env, [0.4, 0.3], 60)
    start = make("senses_room").reset(seed=1)[0]["pose"][0]
    assert observation["pose"][0, 1] > start[1]
    assert observation["pose"][0, 2] > 0
    assert observation["imu"][0, 0] > 0
    assert observation["imu"][0, 2] > 0
    left, right = observation["encoders"][0, 0], observation["encoders"][0, 1]
    assert right > left


# ---- Symmetry ----


def turned(scene, quarter_turns):
    """Return the scene turned about the origin by quarter turns."""
    cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns % 4]

    def place(x, y):
        return [cosine * x - sine * y, sine * x + cosine * y]

    def turn_solid(solid):
        changed = dict(solid, center=place(*solid["center"]))
        if "heading_deg" in solid:
            changed["heading_deg"] = solid["heading_deg"] + 90.0 * quarter_turns
        return changed

    start = scene["start"]
    x, y = place(start["x"], start["y"])
    heading = start["heading_deg"] + 90.0 * quarter_turns
    return dict(
        scene,
        box=[turn_solid(solid) for solid in scene["box"]],
        post=[turn_solid(solid) for solid in scene["post"]],
        start={"x": x, "y": y, "heading_deg": heading},
    )


def mirrored(scene):
    """Return the scene mirrored at the x axis."""

    def flip(solid):
        changed = dict(solid, center=[solid["center"][0], -solid["center"][1]])
        if "heading_deg" in solid:
            changed["heading_deg"] = -solid["heading_deg"]
        return changed

    start = scene["start"]
    return dict(
        scene,
        box=[flip(solid) for solid in scene["box"]],
        post=[flip(solid) for solid in scene["post"]],
        start={"x": start["x"], "y": -start["y"], "heading_deg": -start["heading_deg"]},
    )


def symmetric_scenes():
    """Yield scenes with faces and corners exactly on beams, and tidy half millimetres."""
    touching = [box(1.0, 1.0), box(2.0, 2.0), box(2.0, -1.0, (1.0, 0.5)), post(-1.5, 0.0, 0.25)]
    yield room(*touching)
    yield room(*touching, box(-1.0, -1.5, (0.7, 0.4), 30.0), start=(0.1005, -0.2005, 0.0))
    rng = np.random.default_rng(5)
    for _ in range(8):
        solids = [
            box(*rng.integers(-600, 600, 2) / 200 + 0.0005, rng.integers(1, 9, 2) / 20, angle)
            for angle in rng.integers(-6, 6, 6) * 15.0
        ]
        yield room(*[s for s in solids if math.hypot(*s["center"]) > 0.8], post(3.0, 0.5, 0.1005))


def readings(scene, asks):
    env = make(scene, shell="front_steer")
    env.reset(seed=1)
    rows = []
    for i in range(200):
        observation = env.step(asks[i // 50])[0]
        rows.append({key: observation[key].copy() for key in observation if "goal" not in key})
    return rows


ASKS = np.array([[0.0, 0.0], [0.3, 0.0], [0.3, 0.25], [-0.3, -0.1]], np.float32)


@pytest.mark.parametrize("scene", list(symmetric_scenes()))
@pytest.mark.parametrize("quarter_turns", [1, 2, 3])
def test_a_scene_turned_by_quarter_turns_gives_the_same_integers(scene, quarter_turns):
    plain, other = readings(scene, ASKS), readings(turned(scene, quarter_turns), ASKS)
    for one, two in zip(plain, other, strict=True):
        for key in one:
            if key != "pose":
                assert np.array_equal(one[key], two[key]), key


@pytest.mark.parametrize("scene", list(symmetric_scenes()))
def test_a_mirrored_scene_gives_the_mirrored_integers(scene):
    plain = readings(scene, ASKS)
    other = readings(mirrored(scene), ASKS * np.array([1, -1], np.float32))
    for one, two in zip(plain[19::20], other[19::20], strict=True):
        assert np.array_equal(one["beam"], two["beam"])
        assert np.array_equal(one["beam_status"], two["beam_status"])
        assert np.array_equal(one["encoders"][:, [1, 0, 3, 2]], two["encoders"])
        assert np.array_equal(one["imu"] * [-1, 1, -1], two["imu"])
    # beam k of a turn is mirrored by beam 360 - k, cast on another tick: compare at rest
    still = np.zeros((4, 2), np.float32)
    plain, other = readings(scene, still)[48], readings(mirrored(scene), still)[48]
    mirror = (-np.arange(360)) % 360
    assert (plain["scan_tick"] == 40).all() == (other["scan_tick"] == 40).all()
    assert np.array_equal(plain["scan"][:, mirror], other["scan"])
    assert np.array_equal(plain["scan_status"][:, mirror], other["scan_status"])


# ---- Noise ----


def test_noise_never_changes_a_status_and_stays_on_returns():
    exact, noisy = make("senses_room"), make("senses_room", noise=True)
    exact.reset(seed=3)
    noisy.reset(seed=3)
    for i in range(400):
        one = exact.step([0.3, 0.4 * (i % 3 - 1)])[0]
        two = noisy.step([0.3, 0.4 * (i % 3 - 1)])[0]
        for key in exact.rig.keys:
            status = one[f"{key}_status"]
            assert np.array_equal(status, two[f"{key}_status"])
        assert (two["scan"][two["scan_status"] != 1] == 0).all()


@pytest.mark.parametrize(("key", "sigma"), [("scan", 20.0), ("beam", 2.0 + 0.002 * 1820)])
def test_noise_has_the_declared_spread(key, sigma):
    scene = room(box(2.5, 0.0, (1.0, 2.0)))
    env = make(scene, rig=(key,), noise=True, ticks_per_step=600, time_limit_s=1e5)
    env.reset(seed=5)
    true = 2000 if key == "scan" else 1820
    values = []
    for _ in range(40 if key == "scan" else 400):
        observation = env.step(STILL)[0]
        frames = observation[key][observation[f"{key}_tick"] >= 0]
        values += (frames[:, 0] if key == "scan" else frames).tolist()
    errors = np.array(values, float) - true
    wanted = sigma * sigma + 1 / 12
    n = len(errors)
    assert abs(errors.mean()) <= 5 * math.sqrt(wanted / n)
    assert abs(errors.var() / wanted - 1) <= 5 * math.sqrt(2 / n)


def test_noise_of_one_sensor_does_not_depend_on_the_others():
    whole, alone = make("senses_room", noise=True), make("senses_room", noise=True, rig=("scan",))
    whole.reset(seed=6)
    alone.reset(seed=6)
    for _ in range(60):
        assert np.array_equal(whole.step(STILL)[0]["scan"], alone.step(STILL)[0]["scan"])


def test_the_rig_is_in_the_declared_order_whatever_order_was_asked_for():
    assert Rig((SENSORS["scan"], SENSORS["beam"])).keys == ("beam", "scan")


@pytest.mark.parametrize("key", ["cone", "grid", "beam", "scan", "radar"])
def test_a_sensor_of_no_least_range_stays_in_its_space_inside_a_solid(key):
    """A range of 0 has no direction: nothing may be divided by it."""
    rig = make_rig((key,)).changed(key, range_min_m=0.0)
    for noise in (False, True):
        env = make(room(box(1.0, 0.0, (0.4, 2.0))), rig=rig, noise=noise)
        env.reset(seed=1)
        for _ in range(300):
            assert env.observation_space.contains(env.step([0.6, 0.0])[0])
