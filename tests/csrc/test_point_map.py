"""The map of published points against a dictionary of lists."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
NEW, HELD, REFUSED = 0, 1, 2
INT32 = np.iinfo(np.int32)

INTERNAL = """
typedef struct { uint64_t key; uint32_t points[4]; } kw_voxel;
typedef struct {
    int32_t capacity;
    int32_t n;
    int32_t refused;
    kw_voxel *voxels;
    int32_t *slots;
    uint32_t slot_mask;
} kw_point_map;
bool kw_point_map_create(kw_point_map *map, int32_t capacity);
void kw_point_map_destroy(kw_point_map *map);
void kw_point_map_clear(kw_point_map *map);
int kw_point_map_add(kw_point_map *map, const int32_t point_mm[3]);
void kw_point_map_index(kw_point_map *map);
"""


@pytest.fixture(scope="module")
def library(compile_c: Callable[..., Any], tmp_path_factory: Any) -> tuple[Any, Any]:
    file = tmp_path_factory.mktemp("point_map") / "point_map.so"
    source = ROOT / "csrc/world/point_map.c"
    result = compile_c("cc", "-O2", "-fPIC", "-shared", source, "-o", file)
    assert result.returncode == 0, result.stderr
    ffi = cffi.FFI()
    ffi.cdef(INTERNAL)
    return ffi, ffi.dlopen(str(file))


@pytest.fixture
def make(library: tuple[Any, Any]) -> Any:
    ffi, lib = library
    made = []

    def create(capacity: int) -> Any:
        made.append(ffi.new("kw_point_map *"))
        assert lib.kw_point_map_create(made[-1], capacity)
        return made[-1]

    yield create
    for one in made:
        lib.kw_point_map_destroy(one)


class Oracle:
    """A map in plain Python: at most `capacity` voxels of 100 mm, four points each."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.voxels = capacity, dict[tuple, list]()

    def add(self, point: tuple[int, ...]) -> int:
        key = tuple(mm // 100 for mm in point)
        if key not in self.voxels and len(self.voxels) == self.capacity:
            return REFUSED
        held = self.voxels.setdefault(key, [])
        if point in held or len(held) == 4:
            return HELD
        held.append(point)
        return NEW


@pytest.mark.parametrize("side_mm", [150, 900, 4000, 10**6])
@pytest.mark.parametrize("capacity", [1, 7, 64, 1000, 5000])
def test_it_takes_refuses_and_holds_as_a_dictionary_does(
    library: tuple[Any, Any], make: Any, capacity: int, side_mm: int
) -> None:
    _, lib = library
    rng = np.random.default_rng(capacity * side_mm)
    ours, oracle = make(capacity), Oracle(capacity)
    refused = 0
    for row in rng.integers(-side_mm, side_mm, (4000, 3)).tolist():
        row[2] %= 3000
        for _ in range(int(rng.integers(1, 3))):  # the same point again, now and then
            fate = lib.kw_point_map_add(ours, row)
            assert fate == oracle.add(tuple(row))
            refused += fate == REFUSED
    assert ours.n == len(oracle.voxels)
    assert ours.refused == refused
    lib.kw_point_map_index(ours)  # made anew, it finds the same
    for points in oracle.voxels.values():
        assert lib.kw_point_map_add(ours, list(points[0])) == HELD


def test_a_cleared_map_is_as_new(library: tuple[Any, Any], make: Any) -> None:
    _, lib = library
    ours = make(2)
    points = [[0, 0, 0], [500, 0, 0], [900, 0, 0]]
    for _ in range(3):
        assert [lib.kw_point_map_add(ours, point) for point in points] == [NEW, NEW, REFUSED]
        assert (ours.n, ours.refused) == (2, 1)
        lib.kw_point_map_clear(ours)
        assert (ours.n, ours.refused) == (0, 0)


def test_voxels_about_zero_and_at_the_ends_are_told_apart(
    library: tuple[Any, Any], make: Any
) -> None:
    _, lib = library
    ours = make(100)
    ends = (INT32.min, INT32.min + 100, -101, -100, -1, 0, 99, 100, INT32.max - 100, INT32.max)
    for x in ends:
        for y in ends:
            lib.kw_point_map_add(ours, [x, y, -5])
    assert ours.n == len({(x // 100, y // 100) for x in ends for y in ends}) == 64
