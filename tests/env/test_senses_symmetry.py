"""What the sensors owe to geometry: moved, turned and mirrored rooms; ranges to the last digits."""

import math
import tomllib
from pathlib import Path

import gymnasium as gym
import mpmath
import numpy as np
import pytest

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.core import SceneCore
from kinewright_env.scene import load_scene

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = sorted(path.stem for path in (ROOT / "scenes").glob("senses_*.toml"))
KEYS = ("cone", "grid", "beam", "scan", "radar", "bumpers")
BOUND_M = 1.9e-14  # of the specification


def table_of(name):
    return tomllib.loads((ROOT / f"scenes/{name}.toml").read_text())


def moved(table, *, deg=0.0, by=(0.0, 0.0), mirror=False):
    """Return a scene mirrored at the x axis, then turned about the origin, then shifted.

    Quarter turns move coordinates without rounding.
    """
    exact = {0: (1.0, 0.0), 90: (0.0, 1.0), 180: (-1.0, 0.0), 270: (0.0, -1.0)}
    c, s = exact.get(deg, (math.cos(math.radians(deg)), math.sin(math.radians(deg))))
    sign = -1.0 if mirror else 1.0

    def place(point):
        x, y = point[0], sign * point[1]
        return [c * x - s * y + by[0], s * x + c * y + by[1]]

    def heading(solid):
        turned = sign * solid.get("heading_deg", 0.0) + deg
        return turned - 360.0 if turned > 180.0 else turned

    start = table["start"]
    x, y = place([start["x"], start["y"]])
    return dict(
        table,
        start={"x": x, "y": y, "heading_deg": heading(start)},
        wall=[
            {**wall, "from": place(wall["from"]), "to": place(wall["to"])}
            for wall in table.get("wall", [])
        ],
        box=[
            {**box, "center": place(box["center"]), "heading_deg": heading(box)}
            for box in table.get("box", [])
        ],
        post=[{**post, "center": place(post["center"])} for post in table.get("post", [])],
    )


def drive(scene, asks, shell=None):
    """Return the frames of every tick, by key."""
    env = gym.make(
        "Kinewright/Drive-v0", scene=scene, shell=shell, noise=False, ticks_per_step=1, rig=KEYS
    ).unwrapped
    env.reset(seed=1)
    return [env.step(ask)[0] for ask in asks]


STILL = np.zeros((40, 2), np.float32)
TURNS = np.repeat(np.array([[0.0, 0.0], [0.4, 0.0], [0.4, 0.3], [-0.3, -0.2]], np.float32), 60, 0)


@pytest.mark.parametrize("name", FIXTURES)
def test_a_fixture_reads_the_same_wherever_it_is_laid_and_however_it_is_turned(name):
    """Also what stands exactly on an axis, a border, a ray's level or the end of a face."""
    table = table_of(name)
    here = drive(table, STILL)
    for deg in (17.0, 45.0, 123.4, -77.7):
        there = drive(moved(table, deg=deg, by=(1.7, -0.3)), STILL)
        for one, two in zip(here, there, strict=True):
            for key in KEYS:
                assert np.array_equal(one[f"{key}_status"], two[f"{key}_status"]), (key, deg)
                assert np.array_equal(one[key], two[key]), (key, deg)


def tidy_rooms():
    """Yield rooms on half millimetres and odd fifteen degrees, some faces exactly ahead."""
    rng = np.random.default_rng(12)
    for k in range(8):
        boxes, posts = [], []
        for i in range(9):
            x, y = (rng.integers(-600, 600, 2) / 200 + 0.0005).tolist()
            if math.hypot(x, y) < 0.85:
                continue
            height = float(rng.choice([0.08, 0.1, 0.15, 0.4, 2.0]))
            size = (rng.integers(1, 12, 2) / 20).tolist()
            turned = float(rng.integers(-6, 6) * 15)
            boxes.append(
                {"name": f"b{i}", "center": [x, y], "size": size, "heading_deg": turned}
                | {"height": height}
            )
        for i, y in enumerate((0.75, -0.75, 0.3, -0.3)):
            posts.append({"name": f"p{i}", "center": [1.5, y], "radius": 0.1, "height": 0.3})
        yield {
            "format": 1,
            "name": f"tidy{k}",
            "title": "Made by a test",
            "time_limit_s": 60.0,
            "shell": "four_wheel_steer",
            "start": {"x": 0.0, "y": 0.0, "heading_deg": float(30 * (k % 2))},
            "box": boxes,
            "post": posts,
        }


ROOMS = [table_of("senses_room"), *tidy_rooms()]


@pytest.mark.parametrize("table", ROOMS, ids=lambda table: table["name"])
@pytest.mark.parametrize("deg", [90, 180, 270])
def test_a_room_turned_by_quarter_turns_gives_the_same_integers(table, deg):
    here, there = drive(table, TURNS), drive(moved(table, deg=deg), TURNS)
    n_returns = 0
    for one, two in zip(here, there, strict=True):
        for key in KEYS:
            assert np.array_equal(one[key], two[key]), key
            assert np.array_equal(one[f"{key}_status"], two[f"{key}_status"]), key
            n_returns += np.count_nonzero(one[f"{key}_status"] == 1)
    assert n_returns > 500


@pytest.mark.parametrize("shell", ["four_wheel_steer", "front_steer"])
@pytest.mark.parametrize("table", ROOMS, ids=lambda table: table["name"])
def test_a_mirrored_room_gives_the_mirrored_integers(table, shell):
    table = {key: value for key, value in table.items() if key != "shell"}
    here = drive(table, TURNS, shell)
    there = drive(moved(table, mirror=True), TURNS * np.array([1, -1], np.float32), shell)
    for one, two in zip(here, there, strict=True):
        for key in ("cone", "beam"):
            assert np.array_equal(one[key], two[key]), key
            assert np.array_equal(one[f"{key}_status"], two[f"{key}_status"])
        assert np.array_equal(one["grid"][..., ::-1], two["grid"])
        assert np.array_equal(one["grid_status"][..., ::-1], two["grid_status"])
        assert np.array_equal(one["radar"] * [1, -1, 1], two["radar"])
        assert np.array_equal(one["radar_status"], two["radar_status"])
        assert np.array_equal(one["bumpers"][:, ::-1], two["bumpers"])


# ---- Ranges ----


def exact_range(table, solid, origin, angles, near_m):
    """Return the range to one solid in 30 digits, of the crossing next to a range found.

    A wall's or box's is where the ray crosses the line of a face, a post's by the quadratic.
    """
    mp = mpmath.mp
    px, py = (mp.mpf(float(v)) for v in origin[:2])
    ux, uy = mp.cos(mp.mpf(float(angles[0]))), mp.sin(mp.mpf(float(angles[0])))
    along = mp.sqrt(1 + mp.tan(mp.mpf(float(angles[1]))) ** 2)
    walls, boxes = table.get("wall", []), table.get("box", [])
    if solid < len(walls):
        (ax, ay), (bx, by) = ([mp.mpf(v) for v in walls[solid][k]] for k in ("from", "to"))
        length = mp.hypot(bx - ax, by - ay)
        c, s, half_x = (bx - ax) / length, (by - ay) / length, length / 2
        x, y, half_y = (ax + bx) / 2, (ay + by) / 2, mp.mpf(walls[solid]["thickness"]) / 2
    elif solid < len(walls) + len(boxes):
        box = boxes[solid - len(walls)]
        turn = mp.radians(mp.mpf(box.get("heading_deg", 0.0)))
        c, s = mp.cos(turn), mp.sin(turn)
        (x, y), (half_x, half_y) = map(mp.mpf, box["center"]), (mp.mpf(v) / 2 for v in box["size"])
    else:
        post = table["post"][solid - len(walls) - len(boxes)]
        (x, y), radius = map(mp.mpf, post["center"]), mp.mpf(post["radius"])
        ahead = (x - px) * ux + (y - py) * uy
        rest = ahead**2 - (x - px) ** 2 - (y - py) ** 2 + radius**2
        return (ahead - mp.sqrt(max(rest, 0))) * along
    lx, ly = c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)
    vx, vy = c * ux + s * uy, c * uy - s * ux
    faces = [(side * half_x - lx) / vx for side in (1, -1) if vx]
    faces += [(side * half_y - ly) / vy for side in (1, -1) if vy]
    return min((face * along for face in faces), key=lambda met: abs(met - mp.mpf(float(near_m))))


def lattice(table):
    """Return origins, headings, pitches of scan and grid rays of four_wheel_steer at rest."""
    start = table["start"]
    x, y, turn = start["x"], start["y"], math.radians(start.get("heading_deg", 0.0))
    scan, step = np.radians(np.arange(360.0)), math.radians(45 / 16)
    off = step * (7.5 - np.arange(16))
    front = (x + 0.18 * math.cos(turn), y + 0.18 * math.sin(turn), 0.10)
    origins = np.array([(x, y, 0.15)] * 360 + [front] * 256)
    headings = turn + np.concatenate([scan, np.tile(off, 16)])
    pitches = np.concatenate([np.zeros(360), math.radians(22.5) + np.repeat(off, 16)])
    return origins, headings, pitches


@pytest.mark.parametrize("name", FIXTURES)
def test_traced_ranges_lie_within_the_stated_bound_of_their_closed_forms(name):
    table, core = table_of(name), SceneCore(load_scene(name))
    origins, headings, pitches = lattice(table)
    ranges, solids = core.cast(origins, headings, pitches, 8.0)
    with mpmath.workdps(30):
        for i in np.flatnonzero(np.isfinite(ranges)):
            wanted = exact_range(table, solids[i], origins[i], (headings[i], pitches[i]), ranges[i])
            assert abs(float(mpmath.mpf(float(ranges[i])) - wanted)) <= BOUND_M, i
