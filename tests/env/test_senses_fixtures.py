"""Every sensor on every `senses_*` fixture against closed forms that share no code with the core.

The oracle reads a fixture's TOML itself and works with polygons and circles about the sensor:
a ray is cut with each edge, and the near part of a solid within a sector is what is left of
its polygon after clipping. The core uses slabs, feet and corners instead. The figures are
those of the specification's table, written out once more.
"""

import itertools
import math
import tomllib
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import kinewright_env  # noqa: F401 - registers the ids

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = sorted(path.stem for path in (ROOT / "scenes").glob("senses_*.toml"))
TABLES = {name: tomllib.loads((ROOT / f"scenes/{name}.toml").read_text()) for name in FIXTURES}

NONE, RETURN, FAR, NEAR, SILENT = 0, 1, 2, 3, 4
FRONT_M, LEFT_M = 0.18, 0.106
# metres: ahead of the body's centre, height, least and greatest range; degrees: half angle
CONE, GRID = (0.18, 0.10, 0.04, 4.0, 12.5), (0.18, 0.10, 0.02, 4.0, 22.5)
BEAM, SCAN = (0.18, 0.06, 0.02, 4.0, 7.5), (0.0, 0.15, 0.15, 8.0, 180.0)
RADAR = (0.18, 0.08, 0.2, 6.0, 60.0)
BODY_AHEAD_M = {"four_wheel_steer": 0.0, "front_steer": 0.12}
CASES = [
    (name, shell)
    for name in FIXTURES
    for shell in BODY_AHEAD_M
    if TABLES[name].get("shell", shell) == shell
]

# ---- Solids as a sensor sees them: polygons and circles in its own frame, with a height ----


def seen_from(table, ahead_m):
    """Return the solids about a point `ahead_m` ahead of the pivot, x along the heading."""
    start = table["start"]
    turn = math.radians(start.get("heading_deg", 0.0))
    x0 = start["x"] + ahead_m * math.cos(turn)
    y0 = start["y"] + ahead_m * math.sin(turn)

    def place(point):
        dx, dy = point[0] - x0, point[1] - y0
        return (
            math.cos(turn) * dx + math.sin(turn) * dy,
            math.cos(turn) * dy - math.sin(turn) * dx,
        )

    solids = []
    for wall in table.get("wall", []):
        (ax, ay), (bx, by) = wall["from"], wall["to"]
        length = math.hypot(bx - ax, by - ay)
        nx, ny = (ay - by) / length * wall["thickness"] / 2, (bx - ax) / length * 0.5
        ny *= wall["thickness"]
        corners = [(ax - nx, ay - ny), (bx - nx, by - ny), (bx + nx, by + ny), (ax + nx, ay + ny)]
        solids.append(("flat", [place(corner) for corner in corners], wall["height"]))
    for box in table.get("box", []):
        c, s = (f(math.radians(box.get("heading_deg", 0.0))) for f in (math.cos, math.sin))
        half_x, half_y = box["size"][0] / 2, box["size"][1] / 2
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        corners = [
            (
                box["center"][0] + c * i * half_x - s * j * half_y,
                box["center"][1] + s * i * half_x + c * j * half_y,
            )
            for i, j in signs
        ]
        solids.append(("flat", [place(corner) for corner in corners], box["height"]))
    for post in table.get("post", []):
        solids.append(("round", (*place(post["center"]), post["radius"]), post["height"]))
    return solids


def edges(corners):
    return zip(corners, [*corners[1:], *corners[:1]], strict=True)


def met_by(direction, solid):
    """Return how far a level ray from the origin runs to a solid's outline."""
    ux, uy = direction
    kind, shape, _ = solid
    if kind == "round":
        x, y, radius = shape
        along, square = x * ux + y * uy, x * x + y * y - radius * radius
        rest = along * along - square
        return square / (along + math.sqrt(rest)) if rest >= 0.0 and along > 0.0 else math.inf
    nearest = math.inf
    for (ax, ay), (bx, by) in edges(shape):
        cross = ux * (by - ay) - uy * (bx - ax)
        if abs(cross) < 1e-14:
            continue
        t = (ax * (by - ay) - ay * (bx - ax)) / cross
        share = (ax * uy - ay * ux) / cross
        if t > 0.0 and -1e-12 <= share <= 1.0 + 1e-12:
            nearest = min(nearest, t)
    return nearest


def ray(azimuth, slope, height_m, solids):
    """Return the range along a ray that rises by `slope` a metre, or infinity."""
    nearest = math.inf
    for solid in solids:
        level = met_by((math.cos(azimuth), math.sin(azimuth)), solid)
        if height_m + slope * level <= solid[2]:
            nearest = min(nearest, level * math.sqrt(1.0 + slope * slope))
    return nearest


# ---- Readings ----


def in_mm(range_m, sensor):
    """Return (value, status); the value unrounded."""
    if range_m > sensor[3]:
        return 0.0, FAR
    return (0.0, NEAR) if range_m < sensor[2] else (1000.0 * range_m, RETURN)


def cone(solids):
    half = math.radians(CONE[4])
    ranges = []
    for off, count in ((0.0, 1), (half / 2, 6), (half, 12)):
        for k in range(count):
            around = 2 * math.pi * (k + (0.5 if count == 6 else 0.0)) / count
            left, up = math.sin(off) * math.cos(around), math.sin(off) * math.sin(around)
            axis, pitched = np.array([math.cos(off), up]), half
            ahead = axis @ [math.cos(pitched), -math.sin(pitched)]
            rise = axis @ [math.sin(pitched), math.cos(pitched)]
            slope = max(rise, 0.0) / math.hypot(ahead, left)
            ranges.append(
                ray(math.atan2(left, ahead), slope if slope > 1e-9 else 0.0, CONE[1], solids)
            )
    return [in_mm(min(ranges), CONE)]


def grid(solids):
    step = 2.0 * GRID[4] / 16
    azimuths = [math.radians(GRID[4] - step * (i + 0.5)) for i in range(16)]
    rises = [math.radians(2.0 * GRID[4] - step * (i + 0.5)) for i in range(16)]
    ranges = np.array(
        [[ray(a, math.tan(e), GRID[1], solids) for a in azimuths] for e in rises]
    ).reshape(8, 2, 8, 2)
    return [in_mm(range_m, GRID) for range_m in ranges.min(axis=(1, 3)).ravel()]


def scan(solids):
    return [in_mm(ray(math.radians(k), 0.0, SCAN[1], solids), SCAN) for k in range(360)]


def clipped(corners, half):
    """Return what is left of a polygon between two borders at +-half from the x axis."""
    for sign in (1.0, -1.0):
        nx, ny = math.sin(half), -sign * math.cos(half)  # >= 0 on the inner side
        kept = []
        for (ax, ay), (bx, by) in edges(corners):
            a, b = nx * ax + ny * ay, nx * bx + ny * by
            if a >= -1e-12:
                kept.append((ax, ay))
            if (a >= 0.0) != (b >= 0.0) and a != b:
                kept.append((ax + (bx - ax) * a / (a - b), ay + (by - ay) * a / (a - b)))
        corners = kept
        if not corners:
            return []
    return corners


def foot_on(a, b):
    """Return the point of a segment that is nearest to the origin, and whether it is a foot.

    A foot on the very end counts, as on the fixture whose box begins on the beam's axis.
    """
    way = np.subtract(b, a)
    length = way @ way
    share = -(np.array(a) @ way) / length if length > 0.0 else 0.0
    return np.array(a) + min(max(share, 0.0), 1.0) * way, -1e-12 <= share <= 1.0 + 1e-12


def nearest_within(solid, half):
    """Return the nearest point of a solid's surface within a sector about the x axis."""
    kind, shape, _ = solid
    if kind == "round":
        x, y, radius = shape
        away = math.hypot(x, y)
        if abs(math.atan2(y, x)) <= half + 1e-12:
            return np.array([x, y]) * (away - radius) / away
        borders = [(math.cos(half), sign * math.sin(half)) for sign in (1, -1)]
        met, border = min((met_by(border, solid), border) for border in borders)
        return np.array(border) * met if met < math.inf else None
    corners = clipped(shape, half)
    points = [foot_on(a, b)[0] for a, b in edges(corners)]
    return min(points, key=lambda point: point @ point) if points else None


def is_hidden(point, solids):
    away = float(np.hypot(*point))
    return any(met_by(point / away, solid) < away - 1e-9 for solid in solids)


def beam(solids):
    half = math.radians(BEAM[4])
    tall = [solid for solid in solids if solid[2] >= BEAM[1]]
    surfaces = [nearest_within(solid, half) for solid in tall]
    least = min((np.hypot(*point) for point in surfaces if point is not None), default=math.inf)
    echoes = []
    for kind, shape, _ in tall:
        if kind == "round":
            x, y, radius = shape
            echoes.append(np.array([x, y]) * (1.0 - radius / math.hypot(x, y)))
        else:
            feet = (foot_on(a, b) for a, b in edges(shape))
            echoes += [point for point, is_foot in feet if is_foot]
    heard = [
        float(np.hypot(*point))
        for point in echoes
        if abs(math.atan2(point[1], point[0])) <= half and not is_hidden(point, tall)
    ]
    echo = min(heard, default=math.inf)
    if least < BEAM[2]:
        return [(0.0, NEAR)]
    if echo <= BEAM[3]:
        return [(1000.0 * echo, RETURN)]
    return [(0.0, SILENT if least <= BEAM[3] else FAR)]


def radar(solids):
    """Return three targets of three figures each; at rest nothing closes."""
    tall = [solid for solid in solids if solid[2] >= RADAR[1]]
    points = [nearest_within(solid, math.radians(RADAR[4])) for solid in tall]
    seen = [
        point
        for point in points
        if point is not None and np.hypot(*point) <= RADAR[3] and not is_hidden(point, tall)
    ]
    targets = []
    for point in sorted(seen, key=lambda point: np.hypot(*point))[:3]:
        value, status = in_mm(float(np.hypot(*point)), RADAR)
        bearing = 10.0 * math.degrees(math.atan2(point[1], point[0]))
        targets.append(((value, bearing if status == RETURN else 0.0, 0.0), status))
    return [*targets, *[((0.0, 0.0, 0.0), FAR)] * (3 - len(targets))]


ORACLES = {
    "cone": (cone, CONE),
    "grid": (grid, GRID),
    "beam": (beam, BEAM),
    "scan": (scan, SCAN),
    "radar": (radar, RADAR),
}


def frame(env, key):
    """Return the first whole frame at rest, flat: readings, statuses."""
    observation = env.reset(seed=1)[0]
    for _ in range(4):
        observation = env.step(np.zeros(2, np.float32))[0]
        if observation[f"{key}_tick"][0] >= 0:
            return observation[key][0].ravel(), observation[f"{key}_status"][0].ravel()
    raise AssertionError(f"no frame of {key}")


def make(name, shell, **options):
    given = {"noise": False, "ticks_per_step": 12, **options}
    return gym.make("Kinewright/Drive-v0", scene=name, shell=shell, **given).unwrapped


def agree(got, wanted):
    """Equal once rounded; either neighbour where that is a matter of 1e-6."""
    near_border = abs(abs(wanted) % 1.0 - 0.5) < 1e-6
    rounded = math.copysign(math.floor(abs(wanted) + 0.5), wanted)
    return abs(got - wanted) <= 0.5 + 1e-6 if near_border else got == rounded


@pytest.mark.parametrize("key", ORACLES)
@pytest.mark.parametrize(("name", "shell"), CASES)
def test_a_fixture_reads_as_its_closed_form(name, shell, key):
    closed_form, sensor = ORACLES[key]
    solids = seen_from(TABLES[name], BODY_AHEAD_M[shell] + sensor[0])
    wanted = closed_form(solids)
    values, statuses = frame(make(name, shell, rig=(key,)), key)
    assert statuses.tolist() == [status for _, status in wanted]
    figures = [value for value, _ in wanted]
    flat = list(itertools.chain(*figures)) if key == "radar" else figures
    wrong = [
        (i, int(got), value)
        for i, (got, value) in enumerate(zip(values, flat, strict=True))
        if not agree(int(got), value)
    ]
    assert wrong == []


def test_there_are_at_least_25_fixtures():
    assert len(FIXTURES) >= 25


@pytest.mark.parametrize(("name", "shell"), CASES)
def test_no_bumper_is_closed_at_the_start_of_a_fixture(name, shell):
    values, statuses = frame(make(name, shell, rig=("bumpers",)), "bumpers")
    assert (values.tolist(), statuses.tolist()) == ([0, 0], [RETURN])


@pytest.mark.parametrize(
    ("name", "pressed", "depth_m"),
    [
        ("senses_bump_left", [1, 0], 0.20),
        ("senses_bump_right", [0, 1], 0.20),
        ("senses_bump_both", [1, 1], 0.05),
    ],
)
def test_driving_on_closes_the_switches_that_the_title_names(name, pressed, depth_m):
    """The face is 0.10 m before the front; nothing stops the shell, so the switches open again."""
    env = make(name, None, rig=("bumpers",), ticks_per_step=1)
    env.reset(seed=1)
    for _ in range(150):
        observation = env.step([0.3, 0.0])[0]
        run_m = observation["pose"][0, 0] * 1e-6
        assert min(abs(run_m - 0.10), abs(run_m - 0.10 - depth_m)) > 1e-6
        inside = 0.10 < run_m < 0.10 + depth_m
        assert observation["bumpers"][0].tolist() == (pressed if inside else [0, 0])
    assert run_m > 0.3


def test_what_the_titles_say_in_round_numbers():
    """By eye, beside the oracle: cone, beam, nearest radar target; scan straight ahead."""
    far = (0, FAR)
    said = {
        "senses_wall_1m": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_post_ahead": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_thin_post": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_pose_turned": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_wall_at_end_of_range": ((3990, 1), (3990, 1), (3990, 0), 4170),
        "senses_wall_beyond_range": (far, far, (4010, 0), 4190),
        "senses_wall_at_end_of_scan": (far, far, None, 7990),
        "senses_wall_beyond_scan": (far, far, None, 0),
        "senses_wall_turned_30_deg": (None, (0, SILENT), (866, 300), 1180),
        "senses_wall_turned_5_deg": (None, (996, 1), (996, 50), 1180),
        "senses_wall_turned_7_4_deg": (None, (992, 1), (992, 74), 1180),
        "senses_wall_turned_7_6_deg": (None, (0, SILENT), (991, 76), 1180),
        "senses_wall_too_near_for_cone": ((0, NEAR), (30, 1), (0, 0), 210),
        "senses_wall_too_near_for_all": ((0, NEAR), (0, NEAR), (0, 0), 190),
        "senses_box_corner_on": ((1000, 1), (0, SILENT), (1000, 0), 1180),
        "senses_box_004_high": (far, far, None, 0),
        "senses_box_007_high": (far, (1000, 1), None, 0),
        "senses_box_009_high": (far, (1000, 1), (1000, 0), 0),
        "senses_box_012_high": ((1000, 1), (1000, 1), (1000, 0), 0),
        "senses_box_020_high": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_box_behind": (far, far, None, 0),
        "senses_box_on_right_half": ((1000, 1), (1000, 1), (1000, 0), 1180),
        "senses_box_beside": (far, far, None, 0),
        "senses_post_7_deg_left": (None, (1000, 1), (1000, 70), None),
        "senses_post_8_deg_left": (None, (0, SILENT), (1000, 80), None),
        "senses_post_55_deg_left": (far, far, (1000, 550), 0),
        "senses_post_65_deg_left": (far, far, None, 0),
        "senses_post_20_deg_right": (far, far, (1000, -200), 0),
        "senses_post_too_near_for_radar": ((150, 1), (150, 1), (0, 0), 330),
        "senses_room": (None, (2000, 1), None, 3975),
    }
    for name, (of_cone, of_beam, of_radar, of_scan) in said.items():
        env = make(name, "four_wheel_steer")
        for key, wanted in (("cone", of_cone), ("beam", of_beam)):
            if wanted is not None:
                values, statuses = frame(env, key)
                assert (int(values[0]), int(statuses[0])) == wanted, (name, key)
        values, statuses = frame(env, "radar")
        if of_radar is not None:
            assert tuple(values[:2].tolist()) == of_radar, name
        elif name != "senses_room":
            assert (statuses == FAR).all(), name
        if of_scan is not None:
            assert frame(env, "scan")[0][0] == of_scan, name
