"""Rays against closed forms that share nothing with the core: each face a segment on its own."""

import math

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from kinewright_env.core import SOLID_GROUND, SOLID_NONE, CoreError, SceneCore

Float = NDArray[np.float64]
WALL, BOX, POST = 0, 1, 2
QUARTER = math.pi / 2


class Solids:
    """What SceneCore asks of a scene: rows of kind and six figures, nothing that changes."""

    changes = ()

    def __init__(self, *rows: tuple[float, ...]) -> None:
        table = np.array(rows, np.float64).reshape(-1, 7)
        self.kinds, self.figures = table[:, 0].astype(np.int32), table[:, 1:].copy()

    def arrays(self) -> tuple[NDArray[np.int32], Float]:
        return self.kinds, self.figures

    def core_changes(self) -> tuple[()]:
        return ()


def box(x: float, y: float, length: float, width: float, heading_deg: float = 0.0) -> tuple:
    return (BOX, x, y, length, width, heading_deg, 0.4)


def post(x: float, y: float, radius: float, height: float = 0.4) -> tuple:
    return (POST, x, y, radius, height, 0, 0)


def cast_one(core: SceneCore, x: float, y: float, heading: float, pitch: float = 0.0, **more):
    origin = [[x, y, more.get("z", 0.1)]]
    ranges, solids = core.cast(origin, [heading], [pitch], more.get("range_m", 50.0))
    return ranges[0], solids[0]


def cross(a: Float, b: Float) -> Float:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def corners(kind: int, f: Float) -> Float:
    """Counter-clockwise corners of a wall or box."""
    if kind == WALL:
        centre, along = (f[0:2] + f[2:4]) / 2, (f[2:4] - f[0:2]) / 2
        length, half_width = math.hypot(*along), f[4] / 2
        along = along / length
    else:
        centre, length, half_width = f[0:2], f[2] / 2, f[3] / 2
        along = np.array([math.cos(math.radians(f[4])), math.sin(math.radians(f[4]))])
    x, y = along * length, np.array([-along[1], along[0]]) * half_width
    return np.array([centre + x + y, centre - x + y, centre - x - y, centre + x - y])


def oracle(solids: Solids, origins: Float, headings: Float, pitches: Float) -> Float:
    """Range of each ray: faces as segments, posts by their quadratic, tops and ground as planes."""
    u = np.stack([np.cos(headings), np.sin(headings)], axis=1)
    slope, start = np.tan(pitches), origins[:, :2]
    best = np.full(len(u), np.inf)

    def offer(s: Float, valid: NDArray[np.bool_]) -> None:
        best[:] = np.where(valid & (s >= 0), np.minimum(best, s), best)

    def within_height(s: Float, height: float) -> NDArray[np.bool_]:
        z = origins[:, 2] + s * slope
        return (z >= 0) & (z <= height)

    with np.errstate(all="ignore"):
        offer(-origins[:, 2] / slope, slope < 0)
        for kind, f in zip(solids.kinds, solids.figures, strict=True):
            height = f[3] if kind == POST else f[5]
            to_top = (height - origins[:, 2]) / slope
            at_top = start + to_top[:, None] * u
            if kind == POST:
                centre, radius = f[0:2], f[2]
                off = start - centre
                b, c = (off * u).sum(1), (off * off).sum(1) - radius**2
                entry = -b - np.sqrt(b * b - c)
                offer(entry, (b * b >= c) & within_height(entry, height))
                holds = [((p - centre) ** 2).sum(1) <= radius**2 for p in (start, at_top)]
            else:
                ring = corners(kind, f)
                edges = np.roll(ring, -1, axis=0) - ring
                for a, edge in zip(ring, edges, strict=True):
                    beside = cross(u, edge)
                    s, t = cross(a - start, edge) / beside, cross(a - start, u) / beside
                    offer(s, (t >= 0) & (t <= 1) & within_height(s, height))
                holds = [
                    np.all([cross(e, p - a) >= 0 for a, e in zip(ring, edges, strict=True)], axis=0)
                    for p in (start, at_top)
                ]
            offer(np.zeros(len(u)), holds[0] & (origins[:, 2] <= height))
            offer(to_top, holds[1] & (slope != 0))
    return best * np.sqrt(1 + slope**2)


def random_solids(rng: np.random.Generator, n: int, side: float) -> Solids:
    rows = []
    for _ in range(n):
        x, y, height = *rng.uniform(0, side, 2), rng.uniform(0.05, 0.6)
        kind = rng.integers(3)
        if kind == WALL:
            rows.append((WALL, x, y, *rng.uniform(0, side, 2), rng.uniform(0.01, 0.1), height))
        elif kind == BOX:
            heading = rng.choice([0, 90, 45, rng.uniform(-180, 180)])
            rows.append((BOX, x, y, *rng.uniform(0.05, 1, 2), heading, height))
        else:
            rows.append((POST, x, y, rng.uniform(0.02, 0.5), height, 0, 0))
    return Solids(*rows)


def test_100_000_random_rays_agree_with_faces_taken_one_by_one() -> None:
    rng = np.random.default_rng(11)
    n_inside = 0
    for _ in range(100):
        solids = random_solids(rng, rng.integers(1, 15), 6.0)
        n = 1000
        origins = np.column_stack([rng.uniform(-1, 7, (n, 2)), rng.uniform(0.01, 0.7, n)])
        headings = np.where(
            rng.random(n) < 0.2, rng.integers(-2, 3, n) * QUARTER, rng.uniform(-4, 4, n)
        )
        pitches = np.where(rng.random(n) < 0.5, 0.0, rng.uniform(-1.2, 1.2, n))
        ranges, met = SceneCore(solids).cast(origins, headings, pitches, 1e9)
        truth = oracle(solids, origins, headings, pitches)
        np.testing.assert_allclose(ranges, truth, rtol=1e-12, atol=1e-9)
        assert np.array_equal(met == SOLID_NONE, np.isinf(ranges))
        n_inside += int((ranges == 0).sum())
    assert n_inside > 1000


def test_ranges_are_within_19_femtometres_of_closed_forms() -> None:
    core = SceneCore(Solids(box(2.5, 0, 1, 8), (WALL, -2, -3, -2, 3, 0.1, 0.4), post(0, 3, 0.25)))
    turned = SceneCore(Solids(box(2, 0, 0.5, 6, 30)))
    exact = mp.mp.clone()
    exact.prec = 120
    cosine, sine = exact.sqrt(3) / 2, exact.mpf(1) / 2
    for degrees in np.linspace(-50, 50, 101):
        heading = math.radians(degrees)
        ahead, away = exact.mpf(heading), exact.mpf(math.pi - heading)
        assert abs(cast_one(core, 0, 0, heading)[0] - 2 / exact.cos(ahead)) < 1.9e-14
        reach = exact.mpf(-2) + exact.mpf(0.1) / 2
        got = cast_one(core, 0, 0, math.pi - heading)[0]
        assert abs(got - reach / exact.cos(away)) < 1.9e-14
        along = exact.cos(ahead) * cosine + exact.sin(ahead) * sine
        got = cast_one(turned, 0, 0, heading)[0]
        if abs(degrees - 30) < 50:
            assert abs(got - (2 * cosine - exact.mpf(1) / 4) / along) < 1.9e-14
        aim = exact.mpf(QUARTER + heading / 12)
        b, c = 3 * exact.sin(aim), exact.mpf(9) - exact.mpf(1) / 16
        got = cast_one(core, 0, 0, QUARTER + heading / 12)[0]
        assert abs(got - (b - exact.sqrt(b * b - c))) < 1.9e-14


def test_tops_and_ground_are_met_where_their_planes_are() -> None:
    core = SceneCore(Solids(box(2, 0, 2, 1)))
    pitch = -math.atan2(0.6, 1.5)  # comes down on the top, 0.4 high, 1.5 m away
    assert cast_one(core, 0, 0, 0.0, pitch, z=1.0) == (pytest.approx(math.hypot(1.5, 0.6)), 0)
    assert cast_one(core, 0, 0, math.pi, -math.pi / 4, z=0.5) == (
        pytest.approx(0.5 * math.sqrt(2), abs=1e-15),
        SOLID_GROUND,
    )
    assert cast_one(core, 0, 0, 0.0, -1e-3, z=0.4, range_m=2.0) == (pytest.approx(1.0), 0)
    assert cast_one(core, 2, 0, 0.0, -1.57, z=1.0) == (pytest.approx(0.6, rel=1e-5), 0)


def test_a_level_ray_meets_a_solid_as_high_as_itself_and_passes_over_a_lower_one() -> None:
    core = SceneCore(Solids(box(2, 0, 1, 1), post(5, 0, 0.5, 0.6)))
    assert cast_one(core, 0, 0, 0.0, z=0.4) == (1.5, 0)
    assert cast_one(core, 0, 0, 0.0, z=np.nextafter(0.4, 1)) == (4.5, 1)


def test_a_start_inside_or_on_a_solid_has_range_zero() -> None:
    core = SceneCore(Solids(box(0, 0, 2, 2), post(5, 0, 0.5)))
    for heading in np.arange(16) * math.pi / 8:
        assert cast_one(core, 0.3, -0.2, heading) == (0.0, 0)
        assert cast_one(core, 1.0, 0.5, heading) == (0.0, 0)
        assert cast_one(core, 1.0, 1.0, heading) == (0.0, 0)
        assert cast_one(core, 5.1, 0.1, heading, 0.3) == (0.0, 1)
        assert cast_one(core, 5.5, 0.0, heading) == (0.0, 1)
    assert cast_one(core, 1.0 + 1e-9, 0.5, 0.0, range_m=2.0) == (math.inf, SOLID_NONE)


@pytest.mark.parametrize("turn_deg", [0, 30, 45, 71.3, 90, 200])
def test_no_ray_slips_between_two_boxes_that_share_a_corner(turn_deg: float) -> None:
    turn = math.radians(turn_deg)
    c, s = math.cos(turn), math.sin(turn)
    half = 0.5
    centre = (c * half - s * half, s * half + c * half)
    corner = (1.7, -0.9)
    core = SceneCore(
        Solids(
            box(corner[0] + centre[0], corner[1] + centre[1], 1, 1, turn_deg),
            box(corner[0] - centre[0], corner[1] - centre[1], 1, 1, turn_deg),
        )
    )
    for side in (0.75 * math.pi, -0.25 * math.pi):
        for off in np.linspace(-0.78, 0.78, 79):
            away = turn + side + off
            x, y = corner[0] + 3 * math.cos(away), corner[1] + 3 * math.sin(away)
            got, _ = cast_one(core, x, y, math.atan2(corner[1] - y, corner[0] - x))
            assert got == pytest.approx(3, abs=1e-9)


@pytest.mark.parametrize("turn_deg", [0, 30, 45, 90])
def test_no_ray_slips_along_the_seam_of_two_boxes_side_by_side(turn_deg: float) -> None:
    turn = math.radians(turn_deg)
    c, s = math.cos(turn), math.sin(turn)
    core = SceneCore(
        Solids(
            box(3 * c - s * 0.5, 3 * s + c * 0.5, 1, 1, turn_deg),
            box(3 * c + s * 0.5, 3 * s - c * 0.5, 1, 1, turn_deg),
        )
    )
    assert cast_one(core, 0, 0, turn)[0] == pytest.approx(2.5, abs=1e-12)
    assert cast_one(core, 6 * c, 6 * s, turn + math.pi)[0] == pytest.approx(2.5, abs=1e-12)


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("mirror", [1, -1])
def test_a_ray_along_a_face_meets_its_near_corner(quarter: int, mirror: int) -> None:
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][quarter]
    x, y = 2.5, -0.5 * mirror
    core = SceneCore(Solids(box(c * x - s * y, s * x + c * y, 1, 1, 90 * quarter)))
    assert cast_one(core, 0, 0, quarter * QUARTER) == (pytest.approx(2.0, abs=1e-12), 0)
    out_x, out_y = -1e-9 * s * mirror, 1e-9 * c * mirror
    assert cast_one(core, out_x, out_y, quarter * QUARTER) == (math.inf, SOLID_NONE)
    assert cast_one(core, -out_x, -out_y, quarter * QUARTER)[0] == pytest.approx(2.0, abs=1e-12)


def test_a_tangent_to_a_post_meets_it_and_a_ray_past_it_does_not() -> None:
    core = SceneCore(Solids(post(3, 0.5, 0.5)))
    assert cast_one(core, 0, 0, 0.0) == (3.0, 0)
    assert cast_one(core, 0, -1e-9, 0.0) == (math.inf, SOLID_NONE)
    for heading in np.linspace(-3, 3, 61):
        c, s = math.cos(heading), math.sin(heading)
        turned = SceneCore(Solids(post(3 * c - 0.5 * s, 3 * s + 0.5 * c, 0.5)))
        assert cast_one(turned, 0, 0, heading)[0] == pytest.approx(3.0, abs=2e-5)


def test_equal_ranges_give_the_lowest_index_and_a_solid_before_the_ground() -> None:
    both = SceneCore(Solids(box(2, 0, 1, 1), box(2, 0, 1, 1), post(1.5, 0, 1e-9)))
    assert cast_one(both, 0, 0, 0.0)[1] in (0, 2)
    assert cast_one(SceneCore(Solids(box(2, 0, 1, 1), box(2, 0, 1, 1))), 0, 0, 0.0) == (1.5, 0)
    assert cast_one(SceneCore(Solids(box(2, 0, 1, 1))), 0, 0, 0.0, z=0.0) == (1.5, 0)


def test_a_solid_at_exactly_the_range_is_met_and_one_beyond_is_not() -> None:
    core = SceneCore(Solids(box(2, 0, 1, 1)))
    assert cast_one(core, 0, 0, 0.0, range_m=1.5) == (1.5, 0)
    assert cast_one(core, 0, 0, 0.0, range_m=np.nextafter(1.5, 0)) == (math.inf, SOLID_NONE)
    down = -0.25
    reach = cast_one(core, 0, 0, math.pi, down)[0]
    assert cast_one(core, 0, 0, math.pi, down, range_m=reach)[1] == SOLID_GROUND
    assert cast_one(core, 0, 0, math.pi, down, range_m=np.nextafter(reach, 0))[1] == SOLID_NONE


def turned_row(row: tuple, quarter: int, mirror: bool) -> tuple:
    """Return a solid mirrored about the x axis, then turned by quarter turns."""
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][quarter]
    sign = -1 if mirror else 1

    def place(x: float, y: float) -> tuple[float, float]:
        return c * x - s * sign * y, s * x + c * sign * y

    if row[0] == WALL:
        return (WALL, *place(*row[1:3]), *place(*row[3:5]), *row[5:])
    heading = (sign * row[5] + 90 * quarter,) if row[0] == BOX else (row[5],)
    return (row[0], *place(*row[1:3]), *row[3:5], *heading, row[6])


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("mirror", [False, True])
def test_a_scene_mirrored_or_turned_gives_the_same_millimetres(quarter: int, mirror: bool) -> None:
    rng = np.random.default_rng(5)
    places = rng.integers(-4000, 4000, (24, 2)) / 1000
    rows = [
        (BOX, x, y, 0.4, 0.25, d, 0.4)
        for (x, y), d in zip(places[:8], range(0, 240, 30), strict=True)
    ]
    rows += [(WALL, x, y, x + 0.6, y + 0.25, 0.05, 0.4) for x, y in places[8:16]]
    rows += [(POST, x, y, 0.05, 0.4, 0, 0) for x, y in places[16:]]
    n = 3600
    headings = np.radians(np.arange(n) / 10)
    core = SceneCore(Solids(*rows))
    ranges, solids = core.cast(np.tile([0.1, 0.2, 0.15], (n, 1)), headings, np.zeros(n), 8.0)
    other = SceneCore(Solids(*[turned_row(row, quarter, mirror) for row in rows]))
    at = turned_row((POST, 0.1, 0.2, 1, 1, 0, 0), quarter, mirror)[1:3]
    sign = -1 if mirror else 1
    got, got_solids = other.cast(
        np.tile([*at, 0.15], (n, 1)), sign * headings + quarter * QUARTER, np.zeros(n), 8.0
    )
    hit = np.isfinite(ranges)
    assert 500 < hit.sum() < n
    assert np.array_equal(hit, np.isfinite(got))
    assert np.array_equal(np.rint(ranges[hit] * 1000), np.rint(got[hit] * 1000))
    assert np.array_equal(solids, got_solids)


@pytest.mark.parametrize(
    ("origin", "heading", "pitch", "range_m"),
    [
        ((math.nan, 0, 0), 0, 0, 1),
        ((0, math.inf, 0), 0, 0, 1),
        ((0, 0, -0.1), 0, 0, 1),
        ((2e6, 0, 0), 0, 0, 1),
        ((0, 0, 0), 1e6, 0, 1),
        ((0, 0, 0), math.nan, 0, 1),
        ((0, 0, 0), 0, 1.6, 1),
        ((0, 0, 0), 0, math.nan, 1),
        ((0, 0, 0), 0, 0, 0),
        ((0, 0, 0), 0, 0, -1),
        ((0, 0, 0), 0, 0, math.nan),
    ],
)
def test_a_ray_that_is_none_is_refused(origin, heading, pitch, range_m) -> None:
    with pytest.raises(CoreError):
        SceneCore(Solids(box(2, 0, 1, 1))).cast([origin], [heading], [pitch], range_m)
