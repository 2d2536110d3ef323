"""`lio`: every return and the map behind it, against oracles that share no code with the core."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest

import kinewright_env
from kinewright_env import DriveEnv, core
from kinewright_env.agent import needs
from kinewright_env.cli import main
from kinewright_env.core import CoreError, ffi, lib
from kinewright_env.errors import AgentError, RigError
from kinewright_env.rig import SENSORS, make_rig

STILL = np.zeros(2, np.float32)
RINGS, COLUMNS = 16, 360
PERIOD, LATENCY = 12, 12
HEIGHT_M, RANGE_M = 0.20, (0.3, 20.0)
SIGMA_MM = 20
VOXEL_MM, VOXEL_POINTS = 100, 4

# Sides square and turned, a post, what is lower than the mount and what is higher than a ray.
ROOM = {
    "format": 1,
    "name": "lio_room",
    "title": "Made by a test",
    "time_limit_s": 600.0,
    "shell": "four_wheel_steer",
    "start": {"x": 0.0, "y": 0.0, "heading_deg": 0.0},
    "wall": [
        {"name": "east", "from": [4, -3], "to": [4, 3], "thickness": 0.1, "height": 0.8},
        {"name": "north", "from": [-3, 3], "to": [4, 3.3], "thickness": 0.1, "height": 2.0},
        {"name": "south", "from": [-25, -3], "to": [4, -3], "thickness": 0.1, "height": 0.4},
    ],
    "box": [
        {"name": "low", "center": [1.5, 0.5], "size": [0.7, 0.8], "height": 0.09},
        {"name": "turned", "center": [2.5, -1.2], "size": [0.4, 0.6], "heading_deg": 33,
         "height": 0.5},
        {"name": "near", "center": [-0.2, -0.45], "size": [0.4, 0.4], "height": 1.0},
    ],
    "post": [{"name": "post", "center": [1.1, -0.7], "radius": 0.07, "height": 0.3}],
}  # fmt: skip


# ---- Oracles ----


def directions(heading_rad):
    """Return unit vectors (5760, 3), column by column, in each from the lowest ring up."""
    turn = heading_rad + np.radians(np.arange(COLUMNS))[:, None]
    rise = np.radians(np.arange(-15, 16, 2))[None, :]
    parts = (np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise) + 0.0 * turn)
    return np.stack(parts, axis=-1).reshape(-1, 3)


def slab(start, way, low, high):
    """Return where lines (n, 3) enter a box along the axes; infinite where they miss it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(low - start) / way, (high - start) / way])
    enter, leave = np.nanmin(ends, axis=0).max(axis=1), np.nanmax(ends, axis=0).min(axis=1)
    return np.where((enter <= leave) & (leave >= 0.0), np.maximum(enter, 0.0), np.inf)


def box_range(origin, ways, place, half, height):
    """Return ranges to a box that stands on the ground, its place (x m, y m, heading rad)."""
    *centre, turn = place
    c, s = math.cos(turn), math.sin(turn)
    frame = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    start = frame @ (origin - np.array([*centre, 0.0]))
    low, high = np.array([-half[0], -half[1], 0.0]), np.array([half[0], half[1], height])
    return slab(start, ways @ frame.T, low, high)


def post_range(origin, ways, centre, radius, height):
    """Return ranges to a post's side and top."""
    dx, dy = origin[0] - centre[0], origin[1] - centre[1]
    a = ways[:, 0] ** 2 + ways[:, 1] ** 2
    b = dx * ways[:, 0] + dy * ways[:, 1]
    square = b * b - a * (dx * dx + dy * dy - radius * radius)
    side = (-b - np.sqrt(np.maximum(square, 0.0))) / a
    z = origin[2] + side * ways[:, 2]
    side = np.where((square >= 0.0) & (side >= 0.0) & (z >= 0.0) & (z <= height), side, np.inf)
    top = (height - origin[2]) / ways[:, 2]
    place = origin[:2] + top[:, None] * ways[:, :2] - centre
    on_top = (top >= 0.0) & ((place**2).sum(axis=1) <= radius * radius)
    return np.minimum(side, np.where(on_top, top, np.inf))


def true_ranges(origin, ways):
    """Return the range to the nearest surface of ROOM or the ground, infinite where none is."""
    down = ways[:, 2] < 0.0
    found = [np.where(down, origin[2] / np.where(down, -ways[:, 2], 1.0), np.inf)]
    for wall in ROOM["wall"]:
        a, b = np.array(wall["from"], float), np.array(wall["to"], float)
        half = (math.dist(a, b) / 2, wall["thickness"] / 2)
        turn = math.atan2(*(b - a)[::-1])
        found.append(box_range(origin, ways, (*(a + b) / 2, turn), half, wall["height"]))
    for box in ROOM["box"]:
        half, turn = np.array(box["size"]) / 2, math.radians(box.get("heading_deg", 0.0))
        found.append(box_range(origin, ways, (*box["center"], turn), half, box["height"]))
    for post in ROOM["post"]:
        found.append(post_range(origin, ways, post["center"], post["radius"], post["height"]))
    return np.min(found, axis=0)


def rounded(values):
    """Half away from zero, with the declared guard: a half may come out of either side."""
    return (np.sign(values) * np.floor(np.abs(values) + 0.5 + 1e-6)).astype(np.int64)


def noise_mm(seed, sample_number, n=RINGS * COLUMNS):
    """Return the noise of each ray, from the generator whose known answers have tests."""
    counters = np.zeros((n // 2, 4), np.uint32)
    counters[:, 0], counters[:, 1], counters[:, 2] = sample_number, np.arange(n // 2), 8
    key, words = ffi.new("uint32_t[2]", [seed, 0]), np.empty((n // 2, 4), np.uint32)
    pointer = ffi.from_buffer
    lib.kw_philox_many(n // 2, pointer("uint32_t[]", counters), key, pointer("uint32_t[]", words))
    pairs = words.astype(np.uint64)
    bits = np.stack([pairs[:, 0] | pairs[:, 1] << 32, pairs[:, 2] | pairs[:, 3] << 32], axis=-1)
    normal = np.empty(n, np.int32)
    lib.kw_normal_many(
        n, pointer("uint64_t[]", np.ascontiguousarray(bits)), pointer("int32_t[]", normal)
    )
    return rounded(normal * SIGMA_MM / 65536)


class Map:
    """At most four points a voxel of 0.10 m, each once, in plain Python."""

    def __init__(self):
        self.voxels = {}

    def new(self, points):
        """Return the points that it did not hold, which it then does."""
        fresh = []
        for point in map(tuple, points.tolist()):
            held = self.voxels.setdefault(tuple(mm // VOXEL_MM for mm in point), [])
            if point not in held and len(held) < VOXEL_POINTS:
                held.append(point)
                fresh.append(list(point))
        return fresh


def increments(env, n, ask=STILL):
    """Return (tick sampled, points (count, 3)) of the next n frames."""
    found = []
    while len(found) < n:
        observation = env.step(ask)[0]
        for i in np.flatnonzero(observation["lio_tick"] >= 0):
            count = observation["lio_count"][i]
            assert (observation["lio"][i, count:] == 0).all()
            found.append((int(observation["lio_tick"][i]), observation["lio"][i, :count].copy()))
        assert (observation["lio"][observation["lio_tick"] < 0] == 0).all()
        assert (observation["lio_count"][observation["lio_tick"] < 0] == 0).all()
    return found


def make(scene=ROOM, rig=("lio",), **options):
    return DriveEnv(scene=scene, rig=rig, **{"time_limit_s": 600.0, **options})


# ---- What is published ----


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("start", [(0.0, 0.0, 0.0), (0.513, 1.027, 0.7), (-1.31, 1.9, -2.9)])
def test_the_published_points_are_those_that_a_plain_map_over_all_returns_has_not_held(
    start, noise
):
    """Rays against every surface by brute force, noise ray by ray, frame after frame at rest."""
    env = make(noise=noise)
    env.reset(seed=5, options={"start": start})
    origin, ways = np.array([start[0], start[1], HEIGHT_M]), directions(start[2])
    range_m = true_ranges(origin, ways)
    met = (range_m >= RANGE_M[0]) & (range_m <= RANGE_M[1])
    assert 3000 < met.sum() < RINGS * COLUMNS
    held, sizes = Map(), []
    for number, (tick, points) in enumerate(increments(env, 5)):
        assert tick == PERIOD * (number + 1)
        range_mm = rounded(range_m[met] * 1000.0)
        if noise:
            range_mm += noise_mm(5, number)[met]
        returns = rounded(origin * 1000.0 + range_mm[:, None] * ways[met])
        assert points.tolist() == held.new(returns)
        sizes.append(len(points))
    # what stands there is published ever less: without noise never again
    if noise:
        assert all(earlier > later for earlier, later in itertools.pairwise(sizes))
    else:
        assert not any(sizes[1:])


def test_a_moving_shell_publishes_places_on_surfaces_and_no_place_twice():
    """Each point lies along its ray's way on a surface, to the rounding of range and place."""
    env = make(noise=False, ticks_per_step=1)
    env.reset(seed=1, options={"start": (-1.0, 1.0, -0.4)})
    poses, seen, voxels = {}, set(), {}
    for _ in range(400):
        observation = env.step([0.4, 0.25])[0]
        poses[int(observation["tick"][0])] = observation["pose"][0] * 1e-6
        if observation["lio_tick"][0] < 0:
            continue
        x_m, y_m, heading_rad = poses[int(observation["lio_tick"][0])]
        origin = np.array([x_m, y_m, HEIGHT_M])
        points = observation["lio"][0, : observation["lio_count"][0]]
        ways = points / 1000.0 - origin
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        away = np.abs(
            true_ranges(origin, ways) * 1000.0 - np.linalg.norm(points - 1000 * origin, axis=1)
        )
        # beside an edge the rounded place's own way may pass it, and low ways slide far
        assert np.mean(away < 8.0) > 0.97
        # and it is one of the ways that were looked along
        nearest = np.argmax(ways @ directions(heading_rad).T, axis=1)
        aside_mm = np.linalg.norm(
            np.cross(points - 1000 * origin, directions(heading_rad)[nearest]), axis=1
        )
        assert aside_mm.max() < 0.9
        for point in map(tuple, points.tolist()):
            assert point not in seen
            seen.add(point)
            key = tuple(mm // VOXEL_MM for mm in point)
            voxels[key] = voxels.get(key, 0) + 1
    assert len(seen) > 5000
    assert max(voxels.values()) == VOXEL_POINTS


def test_ground_tops_and_sides_are_hit():
    env = make(noise=False)
    env.reset(seed=1)
    ((_, points),) = increments(env, 1)
    assert np.count_nonzero(points[:, 2] == 0) > 1000
    low = (np.abs(points[:, 0] - 1500) < 349) & (np.abs(points[:, 1] - 500) < 399)
    assert set(points[low][:, 2].tolist()) == {90}  # the low box's top
    assert points[:, 2].max() > 500
    assert points[:, 2].min() >= 0


def test_the_noise_of_a_range_has_the_declared_spread():
    """Far walls all round, so that every ray of a first frame is published: a million of them."""
    square = [(-14, -14), (14, -14), (14, 14), (-14, 14)]
    walls = [
        {"name": f"w{i}", "from": a, "to": b, "thickness": 0.02, "height": 4.0}
        for i, (a, b) in enumerate(zip(square, square[1:] + square[:1], strict=True))
    ]
    scene = {**ROOM, "wall": walls, "box": [], "post": []}
    rig = make_rig("lio").changed("lio", height_m=1.0, half_angle_rad=0.05, latency_tick=0)
    origin = np.array([0.0, 0.0, 1000.0])

    def ranges(seed):
        env.reset(seed=seed)
        ((_, points),) = increments(env, 1)
        assert len(points) == RINGS * COLUMNS
        return np.linalg.norm(points - origin, axis=1)

    env = make(scene, rig, noise=False)
    true_mm = ranges(0)
    env = make(scene, rig)
    errors = np.concatenate([ranges(seed) - true_mm for seed in range(174)])
    assert len(errors) > 10**6
    assert abs(errors.var() / (SIGMA_MM**2 + 1 / 12) - 1.0) < 0.02
    assert abs(errors.mean()) < 5 * SIGMA_MM / math.sqrt(len(errors))


# ---- When, and what it does not change ----


def test_it_is_in_a_rig_only_where_it_is_asked_for():
    assert "lio" not in make_rig(None)
    assert make_rig("scan,lio").keys == ("scan", "lio")
    assert make_rig(None).with_sources(["lio", "scan"]).keys == (*make_rig(None).keys, "lio")
    assert make_rig("lio").with_sources(()).keys == ("lio",)
    with pytest.raises(RigError, match="unknown sensor 'lidar'"):
        make_rig(None).with_sources(["lidar"])
    assert SENSORS["lio"].card.on_request


def test_the_other_readings_are_the_same_with_it_and_without():
    with_it, without = make(rig=("cone", "scan", "imu", "lio")), make(rig=("cone", "scan", "imu"))
    for env in (with_it, without):
        env.reset(seed=3)
    for _ in range(20):
        one, other = with_it.step([0.3, 0.1])[0], without.step([0.3, 0.1])[0]
        assert all(np.array_equal(one[key], other[key]) for key in other)


@pytest.mark.parametrize("ticks_per_step", [1, 7, 48])
def test_the_frames_are_the_same_however_ticks_are_grouped(ticks_per_step):
    found = []
    for ticks in (12, ticks_per_step):
        env = make("senses_room", ticks_per_step=ticks)
        env.reset(seed=2)
        found.append(increments(env, 12, [0.4, 0.2])[:12])
    for (tick, one), (other_tick, other) in zip(*found, strict=True):
        assert tick == other_tick
        assert np.array_equal(one, other)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_with_a_map_of_its_own(duplicate):
    env = make("senses_room")
    env.reset(seed=2)
    increments(env, 5, [0.4, 0.2])
    twin = duplicate(env)
    ahead = increments(twin, 6, [0.4, 0.2])
    again = increments(env, 6, [0.4, 0.2])
    assert all(
        np.array_equal(one, other) for (_, one), (_, other) in zip(ahead, again, strict=True)
    )


def test_a_reset_forgets_the_map():
    env = make("senses_room")
    drives = []
    for _ in range(2):
        env.reset(seed=2)
        drives.append(increments(env, 6, [0.4, 0.2]))
    for (_, one), (_, other) in zip(*drives, strict=True):
        assert np.array_equal(one, other)


def test_observations_lie_in_their_space_whatever_is_declared():
    for figures in ({}, {"sigma_base": (1000.0, 0.0, 0.0), "sigma_per_unit": (1.0, 0.0, 0.0)}):
        rig = make_rig("lio").changed("lio", half_angle_rad=0.7, range_max_m=100.0, **figures)
        env = make(rig=rig)
        env.reset(seed=1)
        for _ in range(6):
            assert env.observation_space.contains(env.step([1.0, 0.3])[0])
    assert env.units["lio_count"] == "points"


def test_a_change_is_never_applied_on_a_tick_that_looks_at_its_solid():
    """The box stands in the open: it goes between two frames, and no frame is half old."""
    scene = {**ROOM, "change": [{"solid": "turned", "action": "vanish", "armed": {"after_s": 0.1}}]}
    env = make(scene, ticks_per_step=1, noise=False)
    env.reset(seed=1)
    applied = [
        tick
        for _ in range(30)
        for tick, name, _ in env.step(STILL)[4]["events"]
        if name == "change"
    ]
    assert applied == [13]  # armed on tick 12, on which a frame was sampled


# ---- The state ----


def full_state(env, n):
    """Return the state of a drive of `env` with n voxels in its map, far from everything."""
    world = env._world
    state = world.save()
    at, size = 4, 4
    assert world.state_field(at)[0] == "n_voxels"
    n_before = int.from_bytes(state[at : at + size], "little")
    voxels = np.zeros((n, 6), "<u4")
    voxels[:, 0], voxels[:, 1], voxels[:, 2:] = np.arange(n), 1 << 29, 1
    end = len(state) - 24 * n_before
    return state[:at] + n.to_bytes(4, "little") + state[at + size : end] + voxels.tobytes()


def test_a_full_map_publishes_nothing_of_new_voxels_and_says_so_once():
    env = make()
    env.reset(seed=1)
    env._world.load(full_state(env, lib.KW_LIO_VOXELS_MAX - 10))
    events, sizes = [], []
    for _ in range(8):
        observation, _, _, _, info = env.step(STILL)
        events += info["events"]
        sizes += observation["lio_count"][observation["lio_tick"] >= 0].tolist()
    assert [(tick, name) for tick, name, _ in events] == [(12, "map_full")]
    assert events[0][2] > 2000
    assert 10 <= sizes[0] <= 40  # the last ten voxels
    assert sum(sizes) <= 40


@pytest.mark.parametrize("n", [-1, lib.KW_LIO_VOXELS_MAX + 1, 2**31 - 1])
def test_a_state_with_impossible_counts_is_refused_and_changes_nothing(n):
    env = make()
    env.reset(seed=1)
    increments(env, 3)
    state = env._world.save()
    names = [env._world.state_field(at)[0] for at in range(0, 24, 4)]
    assert names[:3] == ["n_goal_changes", "n_voxels", "points_counts[0]"]
    for at in (4, 8, 12):
        broken = state[:at] + (n & 0xFFFFFFFF).to_bytes(4, "little") + state[at + 4 :]
        with pytest.raises(CoreError):
            env._world.load(broken)
    for cut in (0, 3, 8, 100, len(state) - 1):
        with pytest.raises(CoreError):
            env._world.load(state[:cut])
    assert env._world.save() == state


def test_the_state_names_its_voxels_and_points():
    env = make()
    env.reset(seed=1)
    increments(env, 2)
    world = env._world
    state = world.save()
    places = np.linspace(0, len(state) - 1, 300).astype(int).tolist()
    names = {world.state_field(at)[0].partition("[")[0] for at in [4, *places]}
    assert {"n_voxels", "points", "voxels.key", "voxels.points"} <= names
    world.load(state)
    assert world.save() == state


# ---- Agents that need it ----


class Needing:
    """An agent of the fourth line of senses: it needs points."""

    needs = ("lio",)

    def reset(self, obs, info):
        assert "lio" in info["declarations"]["rig"]
        self.points = 0

    def act(self, obs):
        self.points += int(obs["lio_count"].sum())
        return 0.2, 0.0

    def claim(self):
        return kinewright_env.agent.Claim(verdict="") if self.points > 1000 else None


@pytest.mark.parametrize("rig", [[], ["--rig", "scan"], ["--rig", "lio,beam"]])
def test_the_command_line_turns_on_what_an_agent_needs(rig, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "needing.py").write_text(
        "from kinewright_env.agent import Claim\n"
        "class Agent:\n"
        "    needs = ('lio',)\n"
        "    def reset(self, obs, info): self.n = 0\n"
        "    def act(self, obs):\n"
        "        self.n += int(obs['lio_count'].sum())\n"
        "        return 0.2, 0.0\n"
        "    def claim(self):\n"
        "        return Claim(verdict='', sentence='Saw.') if self.n > 1000 else None\n"
    )
    assert main(["drive", "--agent", "needing:Agent", "--headless", *rig]) == 0
    assert "Saw." in capsys.readouterr().out


@pytest.mark.parametrize("wrong", ["lio", ["lio"], ("lio", 3), 7])
def test_needs_that_are_no_names_are_an_error(wrong):
    agent = Needing()
    agent.needs = wrong
    with pytest.raises(AgentError, match="needs"):
        needs(agent)
    assert needs(Needing()) == ("lio",)
    assert needs(object()) == ()


def test_the_core_declares_it_last():
    assert core.SENSOR_KEYS[-1] == "lio"
    sensor = SENSORS["lio"]
    assert (sensor.period_tick, sensor.latency_tick) == (PERIOD, LATENCY)
    assert (sensor.range_min_m, sensor.range_max_m, sensor.height_m) == (*RANGE_M, HEIGHT_M)
    assert sensor.half_angle_rad == pytest.approx(math.radians(15.0), abs=1e-16)
    assert sensor.card.value_shape == (RINGS * COLUMNS, 3)
    assert sensor.card.layout == "up to 5760 x 3 x mm"
