"""The LiDAR's rings of rays against the single ray in three dimensions, bit for bit."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
WALL, BOX, POST = 0, 1, 2
COLUMNS, RINGS = 24, 16  # the most that one cast takes
VARIANTS = {"shipped": ["-O3"], "plain": ["-O3", "-DKW_CLONES="], "slow": ["-O0", "-DKW_CLONES="]}

INTERNAL = """
typedef struct kw_scene kw_scene;
kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene);
void kw_scene_destroy(kw_scene *scene);
double kw_cast_ray(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, double ux, double uy, double slope, double range_m,
                   int32_t *out_solid);
void kw_cast_rings(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, int32_t n_columns, const double *ux, const double *uy,
                   int32_t n_rings, const double *slopes, double range_m, double *out_range_m);
"""


@pytest.fixture(scope="module", params=VARIANTS)
def geometry(
    request: Any, build: Any, compile_c: Callable[..., Any], tmp_path_factory: Any
) -> tuple[Any, Any]:
    """Return (ffi, lib) of the rays, with every function visible."""
    library = tmp_path_factory.mktemp("rings") / "rings.so"
    names = ("scene", "index", "rays", "fan", "footprint", "rings")
    sources = [*(ROOT / f"csrc/world/{name}.c" for name in names), ROOT / "csrc/common/math.c"]
    flags = [*VARIANTS[request.param], "-fPIC", "-shared", *build.EXACT_FLOATS]
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
        x, y, height = *rng.uniform(0, side, 2), rng.choice([0.2, rng.uniform(0.02, 3.0)])
        if kind == WALL:
            rows.append((WALL, x, y, *rng.uniform(0, side, 2), rng.uniform(0.01, 0.1), height))
        elif kind == BOX:
            heading = rng.choice([0, 90, 30, rng.uniform(-180, 180)])
            rows.append((BOX, x, y, *rng.uniform(0.05, 1, 2), heading, height))
        else:
            rows.append((POST, x, y, rng.uniform(0.02, 0.3), height, 0, 0))
    return rows


def both_ways(geometry: tuple[Any, Any], scene: Any, at: tuple, u: Any, slopes: Any, **kw: Any):
    """Return the ranges of the rings and those of their rays cast one by one, (columns, rings)."""
    ffi, lib = geometry
    range_m, present = kw.get("range_m", 20.0), kw.get("present", b"")
    ux, uy = (np.ascontiguousarray(part) for part in np.transpose(u))
    slopes = np.array(slopes, np.float64)
    rings = np.full((len(u), len(slopes)), -1.0)
    double = lambda array: ffi.from_buffer("double[]", array)  # noqa: E731
    lib.kw_cast_rings(
        scene, present, *at, len(u), double(ux), double(uy),
        len(slopes), double(slopes), range_m, double(rings),
    )  # fmt: skip
    alone = np.array(
        [
            [
                lib.kw_cast_ray(scene, present, *at, *way, slope, range_m, ffi.NULL)
                for slope in slopes
            ]
            for way in zip(ux, uy, strict=True)
        ]
    )
    return rings, alone


@pytest.mark.parametrize("n_solids", [0, 1, 9, 60, 399, 400])
def test_rings_give_the_bits_of_their_rays_cast_one_by_one(
    geometry: tuple[Any, Any], n_solids: int
) -> None:
    """From among the solids, inside them, over them, on the ground; up, down and level."""
    rng, n_met = np.random.default_rng(n_solids), 0
    for _ in range(15 if n_solids < 100 else 3):
        side = max(2.0, math.sqrt(n_solids))
        scene = make_scene(geometry, random_rows(rng, n_solids, side))
        at = (*rng.uniform(-0.5, side + 0.5, 2), rng.choice([0.0, 0.2, 1.0]))
        start, spread = rng.uniform(-3, 3), rng.choice([0.1, 0.4, 6.0])
        angles = start + spread * np.arange(rng.integers(1, COLUMNS + 1)) / COLUMNS
        u = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        u[rng.random(len(u)) < 0.1] = (0.0, -1.0)
        slopes = rng.uniform(-1.0, 1.0, rng.integers(1, RINGS + 1))
        slopes[rng.random(len(slopes)) < 0.1] = 0.0
        range_m = float(rng.choice([0.5, 4.0, 100.0]))
        rings, alone = both_ways(geometry, scene, at, u, slopes, range_m=range_m)
        assert np.array_equal(rings.view(np.uint64), alone.view(np.uint64))
        n_met += int(np.isfinite(rings).sum())
    assert n_met > 100


def test_rings_meet_sides_tops_and_the_ground(geometry: tuple[Any, Any]) -> None:
    """From 0.2 m: ground at 1 m, the top of a low box, the side of a tall one, nothing above."""
    scene = make_scene(geometry, [(BOX, 2.5, 0, 2, 1, 0, 0.1), (BOX, 5.5, 0, 1, 1, 0, 0.6)])
    slopes = [-0.2, -0.05, 0.0, 0.05, 0.1]
    rings, _ = both_ways(geometry, scene, (0.0, 0.0, 0.2), [(1.0, 0.0)], slopes)
    along = [math.hypot(1, slope) for slope in slopes]
    wanted = [1.0 * along[0], 2.0 * along[1], 5.0, 5.0 * along[3], math.inf]
    assert rings[0] == pytest.approx(wanted, abs=1e-14)


def test_a_changeable_solid_is_met_only_while_it_is_present(geometry: tuple[Any, Any]) -> None:
    rows = [(BOX, 2, 0, 1, 1, 0, 5.0), (BOX, 4, 0, 1, 1, 0, 5.0)]
    scene = make_scene(geometry, rows, ((1, 0, 0, 0, 0.0, (0, 0, 0)),))
    for present, first_m in ((b"\1", 1.5), (b"\0", 3.5)):
        rings, _ = both_ways(
            geometry, scene, (0, 0, 0.2), [(1.0, 0.0)], [0.0, 0.1], present=present
        )
        assert rings[0, 0] == first_m
