"""Answers that must be the same bits: by index or not, in a fan or one by one, by any clone."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

from kinewright_env.core import SceneCore

ROOT = Path(__file__).resolve().parents[2]
WALL, BOX, POST = 0, 1, 2
AVX2 = "avx2" in Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else False

INTERNAL = """
typedef struct kw_scene kw_scene;
kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene);
void kw_scene_destroy(kw_scene *scene);
void kw_cast_fan(const kw_scene *scene, const uint8_t *present, double x_m, double y_m, double z_m,
                 int32_t n, const double *ux, const double *uy, double range_m,
                 double *out_range_m, int32_t *out_solid);
double kw_cast_ray(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                   double z_m, double ux, double uy, double slope, double range_m,
                   int32_t *out_solid);
void test_index_grid(const kw_scene *scene, double out[3]);
"""
# what no header shows: where the index's cells lie
GRID = """
#include "world/index.h"
void test_index_grid(const kw_scene *scene, double out[3]);
void test_index_grid(const kw_scene *scene, double out[3]) {
    out[0] = scene->index ? scene->index->x0_m : 0.0;
    out[1] = scene->index ? scene->index->y0_m : 0.0;
    out[2] = scene->index ? scene->index->cell_m : 0.0;
}
"""
VARIANTS = {
    "shipped": ["-O3"],
    "plain": ["-O3", "-DKW_CLONES="],
    "slow": ["-O0", "-DKW_CLONES="],
    "avx2": ["-O3", "-DKW_CLONES=", "-mavx2"],
    "native": ["-O2", "-DKW_CLONES=", "-march=native"],
}


class Library:
    """csrc/world's geometry with every function visible."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self.ffi, self.lib = ffi, lib

    def scene(self, rows: list[tuple], changes: tuple = ()) -> Any:
        table = np.array(rows, np.float64).reshape(-1, 7)
        kinds, figures = table[:, 0].astype(np.int32), table[:, 1:].copy()
        out = self.ffi.new("kw_scene **")
        given = self.ffi.new("kw_change[]", list(changes) or 1)
        status = self.lib.kw_scene_create(
            len(rows),
            self.ffi.from_buffer("int32_t[]", kinds),
            self.ffi.from_buffer("double[]", figures),
            len(changes),
            given,
            out,
        )
        assert status == 0
        return self.ffi.gc(out[0], self.lib.kw_scene_destroy)

    def fan(self, scene, at, u, *, range_m=1e9, present=b"", named=True):
        ux, uy = (np.ascontiguousarray(part) for part in np.transpose(u))
        ranges, solids = np.full(len(u), -1.0), np.full(len(u), -7, np.int32)
        double = lambda array: self.ffi.from_buffer("double[]", array)  # noqa: E731
        names = self.ffi.from_buffer("int32_t[]", solids) if named else self.ffi.NULL
        self.lib.kw_cast_fan(
            scene, present, *at, len(u), double(ux), double(uy), range_m, double(ranges), names
        )
        return ranges, solids

    def ray(self, scene, at, u, *, slope=0.0, range_m=1e9, present=b""):
        solid = self.ffi.new("int32_t *")
        range_ = self.lib.kw_cast_ray(scene, present, *at, *u, slope, range_m, solid)
        return range_, solid[0]


@pytest.fixture(scope="module")
def library(build: Any, compile_c: Callable[..., Any], tmp_path_factory: Any) -> Any:
    """Return a function that builds one variant, once."""
    folder = tmp_path_factory.mktemp("geometry")
    built: dict[str, Library] = {}

    def get(variant: str) -> Library:
        if variant not in built:
            (folder / "grid.c").write_text(GRID)
            names = ("scene", "index", "rays", "fan", "footprint")
            sources = [ROOT / "csrc" / "world" / f"{name}.c" for name in names]
            library = folder / f"{variant}.so"
            flags = [*VARIANTS[variant], "-fPIC", "-shared", *build.EXACT_FLOATS]
            result = compile_c(
                "cc",
                *flags,
                *sources,
                ROOT / "csrc/common/math.c",
                folder / "grid.c",
                "-o",
                library,
            )
            if result.returncode != 0 and variant in ("avx2", "native"):
                pytest.skip(f"this compiler has no {variant}")
            assert result.returncode == 0, result.stderr
            ffi = cffi.FFI()
            header = build.declarations("kw_types.h") + build.declarations("kw_world.h")
            change = header[header.index("typedef struct {\n    int32_t action;") :]
            ffi.cdef(build.declarations("kw_types.h") + change[: change.index("kw_change;") + 10])
            ffi.cdef(INTERNAL)
            built[variant] = Library(ffi, ffi.dlopen(str(library)))
        return built[variant]

    return get


def random_rows(rng: np.random.Generator, n: int, side: float) -> list[tuple]:
    rows: list[tuple] = []
    for kind in rng.integers(0, 3, n):
        x, y, height = *rng.uniform(0, side, 2), rng.uniform(0.05, 0.6)
        if kind == WALL:
            dx, dy = rng.uniform(-3, 3, 2) * rng.permutation([1, rng.random() < 0.3])
            rows.append((WALL, x, y, x + dx, y + dy, rng.uniform(0.01, 0.1), height))
        elif kind == BOX:
            heading = rng.choice([0, 90, 30, rng.uniform(-180, 180)])
            rows.append((BOX, x, y, *rng.uniform(0.05, 1, 2), heading, height))
        else:
            rows.append((POST, x, y, rng.uniform(0.02, 0.3), height, 0, 0))
    return rows


def directions(rng: np.random.Generator, n: int) -> np.ndarray:
    angles = rng.uniform(-math.pi, math.pi, n)
    u = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    axes = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [0.6, 0.8], [-0.8, 0.6]])
    return np.where(rng.random((n, 1)) < 0.3, axes[rng.integers(0, 6, n)], u)


def bits(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float64).view(np.uint64)


@pytest.mark.parametrize("n_solids", [0, 1, 11, 60, 199, 200, 400])
def test_a_fan_gives_the_bits_of_its_rays_cast_one_by_one(library: Any, n_solids: int) -> None:
    rng, built = np.random.default_rng(n_solids), library("shipped")
    for n_rays in (1, 2, 17, 18, 32, 33, 100, 360):
        side = max(2.0, math.sqrt(n_solids))
        scene = built.scene(random_rows(rng, n_solids, side))
        at, range_m = (*rng.uniform(-0.5, side + 0.5, 2), 0.15), rng.choice([0.5, 3.0, 1e9])
        first = rng.uniform(0, 2 * math.pi)
        angles = first + np.arange(n_rays) * rng.choice([0.001, math.pi / 180, 0.2])
        turn = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        for u in (turn, directions(rng, n_rays)):
            ranges, solids = built.fan(scene, at, u, range_m=range_m)
            alone = [built.ray(scene, at, direction, range_m=range_m) for direction in u]
            assert np.array_equal(bits(ranges), bits(np.array([a[0] for a in alone])))
            assert solids.tolist() == [a[1] for a in alone]
            unnamed, untouched = built.fan(scene, at, u, range_m=range_m, named=False)
            assert np.array_equal(bits(ranges), bits(unnamed))
            assert (untouched == -7).all()


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "shipped"])
def test_every_build_and_clone_gives_the_same_bits(library: Any, variant: str) -> None:
    if variant == "avx2" and not AVX2:
        pytest.skip("this processor has no AVX2")
    rng, shipped, other = np.random.default_rng(3), library("shipped"), library(variant)
    n_hits = 0
    for _ in range(60):
        rows = random_rows(rng, 20, 5.0)
        scenes = shipped.scene(rows), other.scene(rows)
        at = (*rng.uniform(-1, 6, 2), 0.1)
        u = directions(rng, 200)
        ranges, solids = shipped.fan(scenes[0], at, u)
        got, got_solids = other.fan(scenes[1], at, u)
        assert np.array_equal(bits(ranges), bits(got))
        assert np.array_equal(solids, got_solids)
        n_hits += int(np.isfinite(ranges).sum())
        for direction in u[:20]:
            slope = rng.uniform(-0.3, 0.3)
            a = shipped.ray(scenes[0], at, direction, slope=slope)
            assert a == other.ray(scenes[1], at, direction, slope=slope)
    assert n_hits > 5000


def turned(row: tuple, quarter: int, mirror: bool) -> tuple:
    c, s = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][quarter]
    sign = -1.0 if mirror else 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        return c * x - s * sign * y, s * x + c * sign * y

    if row[0] == WALL:
        return (WALL, *place(*row[1:3]), *place(*row[3:5]), *row[5:])
    heading = (sign * row[5] + 90 * quarter,) if row[0] == BOX else (row[5],)
    return (row[0], *place(*row[1:3]), *row[3:5], *heading, row[6])


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("mirror", [False, True])
def test_a_scene_mirrored_or_turned_gives_the_same_bits(
    library: Any, quarter: int, mirror: bool
) -> None:
    rng, built = np.random.default_rng(8), library("shipped")
    for _ in range(20):
        rows = [
            (*row[:5], round(row[5]), row[6]) if row[0] == BOX else row
            for row in random_rows(rng, 20, 5.0)
        ]
        x, y = rng.uniform(0, 5, 2)
        u = directions(rng, 200)
        ranges, solids = built.fan(built.scene(rows), (x, y, 0.1), u)
        other = built.scene([turned(row, quarter, mirror) for row in rows])
        at = turned((POST, x, y, 1, 1, 0, 0), quarter, mirror)[1:3]
        ways = [turned((POST, *d, 1, 1, 0, 0), quarter, mirror)[1:3] for d in u]
        got, got_solids = built.fan(other, (*at, 0.1), np.array(ways))
        assert np.array_equal(bits(ranges), bits(got))
        assert np.array_equal(solids, got_solids)


class Solids:
    """What SceneCore asks of a scene."""

    changes = ()

    def __init__(self, rows: list[tuple]) -> None:
        table = np.array(rows, np.float64).reshape(-1, 7)
        self.kinds, self.figures = table[:, 0].astype(np.int32), table[:, 1:].copy()

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return self.kinds, self.figures

    def core_changes(self) -> tuple[()]:
        return ()


def places(rng: np.random.Generator, grid: tuple, side: float, n: int) -> np.ndarray:
    """Return where rays start: among the solids, outside, far off, on borders of cells."""
    x0, y0, cell = grid
    among = rng.uniform(0, side, (n, 2))
    outside = rng.uniform(-2 * side, 3 * side, (n, 2))
    far = rng.uniform(-1, 1, (n, 2)) * 10.0 ** rng.uniform(1, 5.9, (n, 1))
    border = np.array([x0, y0]) + rng.integers(-3, side / cell + 3, (n, 2)) * cell
    one_border = np.where(rng.random((n, 1)) < 0.5, border, among[:, ::-1])
    return np.concatenate([among, outside, far, border, one_border])


SCENES = {
    "rooms": lambda rng, n: random_rows(rng, n, math.sqrt(n)),
    "a line": lambda rng, n: [(BOX, 0.09 * i, 0.0, 0.05, 0.3, 0, 0.4) for i in range(n)],
    "one far off": lambda rng, n: [
        (POST, 1900, -1900, 1, 0.4, 0, 0),
        *random_rows(rng, n - 1, math.sqrt(n)),
    ],
    "all over each other": lambda rng, n: [
        (BOX, *rng.uniform(-1, 1, 2), *rng.uniform(20, 40, 2), rng.uniform(0, 90), 0.4)
        for _ in range(min(n, 1000))
    ],
    "long walls": lambda rng, n: [
        (WALL, *rng.uniform(-100, 100, 4), 0.05, 0.4) for _ in range(min(n, 1000))
    ],
}


@pytest.mark.parametrize("n", [30, 1000, 20000])
@pytest.mark.parametrize("name", SCENES)
def test_the_index_gives_the_bits_of_testing_every_solid(library: Any, name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    rows = SCENES[name](rng, n)
    built = library("shipped")
    grid = built.ffi.new("double[3]")
    built.lib.test_index_grid(built.scene(rows), grid)
    assert grid[2] > 0, "a scene of this size has an index"
    core = SceneCore(Solids(rows))
    starts = places(rng, tuple(grid), math.sqrt(n), 1000 if n < 20000 else 60)
    starts = np.column_stack([starts, rng.uniform(0, 0.5, len(starts))])
    aims = np.array([row[1:3] for row in rows])[rng.integers(0, len(rows), len(starts))]
    headings = np.arctan2(aims[:, 1] - starts[:, 1], aims[:, 0] - starts[:, 0])
    quarters = rng.integers(-2, 3, len(starts)) * (math.pi / 2)
    headings = np.where(rng.random(len(starts)) < 0.3, quarters, headings)
    pitches = np.where(rng.random(len(starts)) < 0.7, 0.0, rng.uniform(-0.4, 0.4, len(starts)))
    for range_m in (4.0, 1e9):
        by_index = core.cast(starts, headings, pitches, range_m)
        by_all = core.cast(starts, headings, pitches, range_m, use_index=False)
        assert np.array_equal(bits(by_index[0]), bits(by_all[0]))
        assert np.array_equal(by_index[1], by_all[1])
    assert (by_all[1] >= 0).sum() > len(starts) / 10


def test_a_ray_just_off_a_face_on_a_border_of_cells_meets_it_by_index_too(library: Any) -> None:
    rows = [(POST, x, y, 0.1, 0.4, 0, 0) for x in (0, 20) for y in (0, 20)]
    rows += [(BOX, 2 + i % 5, 10.0, 0.5, 0.5, 0, 0.4) for i in range(40)]
    built = library("shipped")
    grid = built.ffi.new("double[3]")
    built.lib.test_index_grid(built.scene(rows), grid)
    border = grid[1] + math.floor(10 / grid[2]) * grid[2]
    for side in (-1, 1):  # a box on either side of the border, the rest out of the way
        rows[4] = (BOX, 12.0, border - side * 0.25, 0.5, 0.5, 0, 0.4)
        again = built.ffi.new("double[3]")
        built.lib.test_index_grid(built.scene(rows), again)
        assert list(grid) == list(again)
        start = [[8.0, border + side * 5e-12, 0.1]]
        for use_index in (False, True):
            core = SceneCore(Solids(rows))
            ranges, solids = core.cast(start, [0.0], [0.0], 9.0, use_index=use_index)
            assert (ranges[0], solids[0]) == (pytest.approx(3.75), 4)


@pytest.mark.parametrize("n_more", [0, 40, 200])
def test_equal_ranges_give_the_lowest_index_in_whatever_order_solids_are_tested(
    library: Any, n_more: int
) -> None:
    built = library("shipped")
    more = [(POST, -5 - i, 3, 0.1, 0.4, 0, 0) for i in range(n_more)]
    round_first = built.scene([(POST, 2, 0, 0.5, 0.4, 0, 0), (BOX, 2, 0, 1, 1, 0, 0.4), *more])
    vanishing = ((1, 0, 0, 0, 0.0, (0, 0, 0)),)
    twice = built.scene([(BOX, 2, 0, 1, 1, 0, 0.4), (BOX, 2, 0, 1, 1, 0, 0.4), *more], vanishing)
    for scene, present in ((round_first, b""), (twice, b"\1")):
        at, u = (0, 0, 0.1), (1.0, 0.0)
        assert built.ray(scene, at, u, present=present) == (1.5, 0)
        ranges, solids = built.fan(scene, at, [u], present=present)
        assert (ranges[0], solids[0]) == (1.5, 0)


def test_a_changeable_solid_is_met_only_while_it_is_present(library: Any) -> None:
    built = library("shipped")
    for n_more in (0, 40):  # by chunks, and by index
        rows = [
            (BOX, 2, 0, 1, 1, 0, 0.4),
            (BOX, 4, 0, 1, 1, 0, 0.4),
            (POST, 6, 0, 0.5, 0.4, 0, 0),
            *[(POST, -5 - i, 3, 0.1, 0.4, 0, 0) for i in range(n_more * 4)],
        ]
        changes = [(0, 0, 0, 0, 0.0, (0, 0, 0)), (1, 1, 0, 0, 0.0, (0, 0, 0))]
        scene = built.scene(rows, tuple(changes))
        for present in itertools.product([0, 1], repeat=2):
            first = 1.5 if present[0] else 3.5 if present[1] else 5.5
            solid = 0 if present[0] else 1 if present[1] else 2
            for got in (
                built.ray(scene, (0, 0, 0.1), (1.0, 0.0), present=bytes(present)),
                tuple(
                    part[0]
                    for part in built.fan(scene, (0, 0, 0.1), [(1.0, 0.0)], present=bytes(present))
                ),
            ):
                assert got == (first, solid)
