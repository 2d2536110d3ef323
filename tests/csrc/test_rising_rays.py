"""The column fan of cone and grid against the single ray in three dimensions, bit for bit."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
WALL, BOX, POST = 0, 1, 2
COLUMNS, SLOPES = 32, 16  # the most that there is room for

INTERNAL = """
typedef struct kw_scene kw_scene;
kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene);
void kw_scene_destroy(kw_scene *scene);
double kw_cast_ray(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, double ux, double uy, double slope, double range_m,
                   int32_t *out_solid);
typedef struct {
    int32_t n_columns;
    int32_t n_slopes;
    double ux[32];
    double uy[32];
    double slopes[512];
} kw_rising_rays;
void kw_cast_rising(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double z_m, double cos_h, double sin_h, const kw_rising_rays *rays,
                    double range_m, double *out_range_m);
"""


@pytest.fixture(scope="module")
def geometry(build: Any, compile_c: Callable[..., Any], tmp_path_factory: Any) -> tuple[Any, Any]:
    """Return (ffi, lib) of the rays, with every function visible."""
    library = tmp_path_factory.mktemp("rising") / "rising.so"
    names = ("scene", "index", "rays", "fan", "footprint", "rising")
    sources = [*(ROOT / f"csrc/world/{name}.c" for name in names), ROOT / "csrc/common/math.c"]
    flags = ["-O3", "-fPIC", "-shared", *build.EXACT_FLOATS]
    result = compile_c("cc", *flags, *sources, "-o", library)
    assert result.returncode == 0, result.stderr
    ffi = cffi.FFI()
    header = build.declarations("kw_world.h")
    change = header[header.index("typedef struct {\n    int32_t action;") :]
    ffi.cdef(build.declarations("kw_types.h") + change[: change.index("kw_change;") + 10])
    ffi.cdef(INTERNAL)
    return ffi, ffi.dlopen(str(library))


def make_scene(geometry: tuple[Any, Any], rows: list[tuple], changes: tuple = ()) -> Any:
    ffi, lib = geometry
    table = np.array(rows, np.float64).reshape(-1, 7)
    kinds, figures = table[:, 0].astype(np.int32), table[:, 1:].copy()
    out, given = ffi.new("kw_scene **"), ffi.new("kw_change[]", list(changes) or 1)
    assert not lib.kw_scene_create(
        len(rows),
        ffi.from_buffer("int32_t[]", kinds),
        ffi.from_buffer("double[]", figures),
        len(changes),
        given,
        out,
    )
    return ffi.gc(out[0], lib.kw_scene_destroy)


def random_rows(rng: np.random.Generator, n: int, side: float) -> list[tuple]:
    rows: list[tuple] = []
    for kind in rng.integers(0, 3, n):
        x, y, height = *rng.uniform(0, side, 2), rng.choice([0.1, rng.uniform(0.02, 3.0)])
        if kind == WALL:
            rows.append((WALL, x, y, *rng.uniform(0, side, 2), rng.uniform(0.01, 0.1), height))
        elif kind == BOX:
            heading = rng.choice([0, 90, 30, rng.uniform(-180, 180)])
            rows.append((BOX, x, y, *rng.uniform(0.05, 1, 2), heading, height))
        else:
            rows.append((POST, x, y, rng.uniform(0.02, 0.3), height, 0, 0))
    return rows


def random_rays(rng: np.random.Generator, ffi: Any) -> Any:
    rays = ffi.new("kw_rising_rays *")
    rays.n_columns = int(rng.integers(1, COLUMNS + 1))
    rays.n_slopes = int(rng.integers(1, SLOPES + 1))
    for c, angle in enumerate(rng.uniform(-1.5, 1.5, rays.n_columns)):
        rays.ux[c], rays.uy[c] = (1.0, 0.0) if c == 3 else (math.cos(angle), math.sin(angle))
    slopes = rng.uniform(0.0, 1.5, rays.n_columns * rays.n_slopes)
    slopes[rng.random(len(slopes)) < 0.2] = 0.0
    for i, slope in enumerate(slopes):
        rays.slopes[i] = slope
    return rays


def both_ways(geometry: tuple[Any, Any], scene: Any, at: tuple, turn: tuple, rays: Any, **kw: Any):
    """Return the fan's ranges and those of its rays cast one by one, as bits."""
    ffi, lib = geometry
    range_m, present = kw.get("range_m", 4.0), kw.get("present", b"")
    n = rays.n_columns * rays.n_slopes
    fan = np.full(n, -1.0)
    lib.kw_cast_rising(scene, present, *at, *turn, rays, range_m, ffi.from_buffer("double[]", fan))
    alone = np.empty(n)
    for i in range(n):
        c = i // rays.n_slopes
        ux = turn[0] * rays.ux[c] - turn[1] * rays.uy[c]
        uy = turn[1] * rays.ux[c] + turn[0] * rays.uy[c]
        alone[i] = lib.kw_cast_ray(scene, present, *at, ux, uy, rays.slopes[i], range_m, ffi.NULL)
    return fan.view(np.uint64), alone.view(np.uint64)


@pytest.mark.parametrize("n_solids", [0, 1, 9, 63, 64, 200, 1000])
def test_a_rising_fan_gives_the_bits_of_its_rays_cast_one_by_one(
    geometry: tuple[Any, Any], n_solids: int
) -> None:
    """From among the solids, inside them, beside them; above, at and below their tops."""
    rng, n_met = np.random.default_rng(n_solids), 0
    for _ in range(40):
        side = max(2.0, math.sqrt(n_solids))
        scene = make_scene(geometry, random_rows(rng, n_solids, side))
        at = (*rng.uniform(-0.5, side + 0.5, 2), rng.choice([0.0, 0.1, 0.5]))
        heading = rng.choice([0.0, math.pi / 2, rng.uniform(-3.0, 3.0)])
        turn = (math.cos(heading), math.sin(heading)) if heading else (1.0, 0.0)
        rays = random_rays(rng, geometry[0])
        fan, alone = both_ways(
            geometry, scene, at, turn, rays, range_m=float(rng.choice([0.5, 4.0, 100.0]))
        )
        assert np.array_equal(fan, alone)
        n_met += int(np.isfinite(fan.view(np.float64)).sum())
    assert n_solids < 9 or n_met > 500


@pytest.mark.parametrize("n_more", [0, 100])
def test_a_changeable_solid_is_met_only_while_it_is_present(
    geometry: tuple[Any, Any], n_more: int
) -> None:
    """By all solids, and by index."""
    rows = [(BOX, 2, 0, 1, 1, 0, 5.0), (BOX, 4, 0, 1, 1, 0, 5.0)]
    rows += [(POST, -5 - i, 3, 0.1, 0.4, 0, 0) for i in range(n_more)]
    scene = make_scene(geometry, rows, ((1, 0, 0, 0, 0.0, (0, 0, 0)),))
    rays = geometry[0].new("kw_rising_rays *", {"n_columns": 1, "n_slopes": 2})
    rays.ux[0], rays.slopes[1] = 1.0, 0.75
    for present, first_m in ((b"\1", 1.5), (b"\0", 3.5)):
        fan, alone = both_ways(geometry, scene, (0, 0, 0.1), (1.0, 0.0), rays, present=present)
        assert fan.view(np.float64).tolist()[:1] == [first_m]
        assert np.array_equal(fan, alone)


def test_a_ray_rises_over_what_is_lower_where_it_gets_there(geometry: tuple[Any, Any]) -> None:
    """A box from 1.5 m on, 0.4 m high: from 0.1 m, a slope of 0.2 just reaches its top edge."""
    scene = make_scene(geometry, [(BOX, 2, 0, 1, 1, 0, 0.4), (BOX, 4.5, 0, 1, 1, 0, 0.8)])
    rays = geometry[0].new("kw_rising_rays *", {"n_columns": 1, "n_slopes": 4})
    rays.ux[0] = 1.0
    for i, slope in enumerate((0.0, 0.1999, 0.2001, 0.7)):
        rays.slopes[i] = slope
    fan, alone = both_ways(geometry, scene, (0, 0, 0.1), (1.0, 0.0), rays, range_m=50.0)
    assert np.array_equal(fan, alone)
    ranges = fan.view(np.float64)
    wanted = [1.5, 1.5 * math.hypot(1, 0.1999), math.inf, math.inf]
    assert ranges == pytest.approx(wanted, abs=1e-14)
