"""Which cells a scan carves: against an oracle in exact integers, and turned and mirrored."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.grids import Belief
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS

SHELL = SHELLS["four_wheel_steer"]
RIG = make_rig("scan").changed("scan", period_tick=1, sigma_per_unit=(0.0, 0.0, 0.0))
CELL_UM = 20_000
REACH = 130  # cells around the start that are looked at


def crossed(start: tuple[int, int], end: tuple[int, int], row0: int, col0: int, n: int):
    """Whether each of n x n cells is met by a segment, um: surely, and at most.

    By separating axes, in exact integers: its inner part is crossed, or its border is touched.
    """
    (x0, y0), (x1, y1) = start, end
    left = (col0 + np.arange(n, dtype=np.int64))[None, :] * CELL_UM
    low = (row0 + np.arange(n, dtype=np.int64))[:, None] * CELL_UM
    right, high = left + CELL_UM, low + CELL_UM
    near_x = (min(x0, x1) <= right) & (max(x0, x1) >= left)
    near_y = (min(y0, y1) <= high) & (max(y0, y1) >= low)
    within_x = (min(x0, x1) < right) & (max(x0, x1) > left)
    within_y = (min(y0, y1) < high) & (max(y0, y1) > low)
    sides = [
        (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for x in (left, right) for y in (low, high)
    ]
    least, most = np.minimum.reduce(sides), np.maximum.reduce(sides)
    inner = within_x & within_y & (least < 0) & (most > 0)
    touched = near_x & near_y & (least <= 0) & (most >= 0)
    return inner, touched


def end_of(pose: tuple[int, int, int], beam: int, range_um: int) -> tuple[int, int]:
    angle = pose[2] * 1e-6 + math.radians(beam)

    def rounded(value: float) -> int:
        return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)

    return (
        rounded(pose[0] + math.cos(angle) * range_um),
        rounded(pose[1] + math.sin(angle) * range_um),
    )


def around(pose: tuple[int, int, int]) -> tuple[int, int]:
    return pose[1] // CELL_UM - REACH, pose[0] // CELL_UM - REACH


places = st.integers(-3_000_000, 3_000_000)
poses = st.tuples(places, places, st.integers(-3_141_592, 3_141_592))


@settings(max_examples=300, deadline=None)
@given(pose=poses, beam=st.integers(0, 359), range_mm=st.integers(1, 2500))
def test_a_ray_carves_every_cell_it_passes_and_no_other(pose, beam, range_mm) -> None:
    belief = Belief(SHELL, RIG)
    ranges, statuses = np.zeros(360, np.int32), np.zeros(360, np.int32)
    ranges[beam], statuses[beam] = range_mm, 1
    belief.scan(np.array([pose], np.int32), ranges, statuses, 20)
    row0, col0 = around(pose)
    seen = belief.details(row0, col0, 2 * REACH + 1, 2 * REACH + 1) > 0
    end = end_of(pose, beam, 1000 * range_mm)
    inner, touched = crossed(pose[:2], end, row0, col0, 2 * REACH + 1)
    assert seen[inner].all()
    assert not seen[~touched].any()
    row, col = end[1] // CELL_UM, end[0] // CELL_UM
    assert belief.confidence(row, col) == 3
    assert (belief.details(row0, col0, 2 * REACH + 1, 2 * REACH + 1) > 0).sum() == sum(
        belief.confidence(row0 + r, col0 + c) in (-1, 3) for r, c in np.argwhere(seen).tolist()
    )


@settings(max_examples=60, deadline=None)
@given(
    x=st.integers(-100, 100),
    y=st.integers(-100, 100),
    beam=st.sampled_from(range(0, 360, 45)),
    cells=st.integers(1, 100),
)
def test_rays_along_the_lattice_are_half_open(x, y, beam, cells) -> None:
    """A ray along a border lies in the upper cells; one through corners in no cell beside them."""
    pose = (x * CELL_UM, y * CELL_UM, 0)
    belief = Belief(SHELL, RIG)
    ranges, statuses = np.zeros(360, np.int32), np.zeros(360, np.int32)
    ranges[beam], statuses[beam] = 20 * cells, 1
    belief.scan(np.array([pose], np.int32), ranges, statuses, 20)
    if beam % 90 == 0:
        box = belief.observed
        assert sorted((box.n_rows, box.n_cols)) == [1, cells + 1]
        assert (belief.details(box.row0, box.col0, box.n_rows, box.n_cols) > 0).all()
        assert (box.row0 == y) or (box.col0 == x)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_whole_scans_treat_each_cell_once(seed) -> None:
    """Against a map in NumPy that knows rays only by the exact test of cell and segment."""
    rng = np.random.default_rng(seed)
    belief = Belief(SHELL, RIG)
    n = 2 * REACH + 1
    row0 = col0 = -REACH
    confidence = np.zeros((n, n), np.int64)
    looked_at, doubtful = np.zeros((n, n), bool), np.zeros((n, n), bool)
    for scan in range(4):
        pose = (*(int(v) for v in rng.integers(-400_000, 400_000, 2)), int(rng.integers(-3e6, 3e6)))
        beams = rng.choice(360, 12, replace=False)
        ranges, statuses = np.zeros(360, np.int32), np.zeros(360, np.int32)
        ranges[beams], statuses[beams] = rng.integers(50, 2000, 12), 1
        belief.scan(np.array([pose], np.int32), ranges, statuses, 20 * (scan + 1))
        passed = np.zeros((n, n), bool)
        hit = np.zeros((n, n), bool)
        for beam in beams.tolist():
            end = end_of(pose, beam, 1000 * int(ranges[beam]))
            inner, touched = crossed(pose[:2], end, row0, col0, n)
            doubtful |= touched & ~inner
            passed |= inner
            hit[end[1] // CELL_UM - row0, end[0] // CELL_UM - col0] = True
        looked_at |= passed | hit
        confidence[passed & ~hit] = np.maximum(confidence[passed & ~hit] - 1, -9)
        confidence[hit] = np.minimum(np.maximum(confidence[hit], 0) + 3, 17)
    for row, col in np.argwhere(~doubtful & looked_at).tolist():
        assert belief.confidence(row0 + row, col0 + col) == confidence[row, col]
    seen = belief.details(row0, col0, n, n) > 0
    assert (seen == looked_at)[~doubtful].all()


def random_scan(x: int, y: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ranges and statuses of a scan, none of whose rays carves to or ends on a border."""
    statuses = rng.choice([0, 1, 1, 1, 2, 3], 360).astype(np.int32)
    ranges = np.where(statuses == 1, rng.integers(150, 7999, 360), 0).astype(np.int32)
    for k in range(360):
        range_um = 1000 * int(ranges[k]) if statuses[k] == 1 else 8_000_000
        ends = [end_of((x, y, 0), k, length) for length in (range_um, range_um - range_um // 100)]
        if any(value % CELL_UM == 0 for end in ends for value in end):
            statuses[k] = ranges[k] = 0
    return ranges, statuses


def random_scans(rng: np.random.Generator, n: int) -> list[tuple[int, int, np.ndarray, np.ndarray]]:
    """Scans from places from which no diagonal passes a corner of a cell."""
    places = [
        (int(x) * 1000 + 337, int(y) * 1000 + 611) for x, y in rng.integers(-900, 900, (n, 2))
    ]
    return [(x, y, *random_scan(x, y, rng)) for x, y in places]


def grown(scans, turn) -> Belief:
    belief = Belief(SHELL, make_rig("scan").changed("scan", period_tick=1))
    for i, (x, y, ranges, statuses) in enumerate(scans):
        place, beams = turn(x, y)
        belief.scan(np.array([[*place, 0]], np.int32), ranges[beams], statuses[beams], 20 * i + 20)
    return belief


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_turned_or_mirrored_world_gives_the_turned_or_mirrored_map(seed) -> None:
    rng = np.random.default_rng(seed)
    scans = random_scans(rng, 12)
    k = np.arange(360)
    whole = (-500, -500, 1000, 1000)
    plain = grown(scans, lambda x, y: ((x, y), k)).details(*whole)
    mirrored = grown(scans, lambda x, y: ((x, -y), -k % 360)).details(*whole)
    turned = grown(scans, lambda x, y: ((-y, x), (k - 90) % 360)).details(*whole)
    assert (mirrored == plain[::-1]).all()
    assert (turned == np.rot90(plain[::-1])[::-1]).all()
    assert (plain > 0).sum() > 10_000


def test_a_map_is_the_same_wherever_tiles_begin() -> None:
    """Shifted by whole cells, the map is the shifted map."""
    rng = np.random.default_rng(5)
    scans = random_scans(rng, 5)
    k = np.arange(360)
    plain = grown(scans, lambda x, y: ((x, y), k)).details(-450, -450, 900, 900)
    for shift in (-64, -37, 1, 63, 1000):
        moved = grown(scans, lambda x, y, s=shift: ((x + s * CELL_UM, y - s * CELL_UM), k))
        assert (moved.details(-450 - shift, -450 + shift, 900, 900) == plain).all()
