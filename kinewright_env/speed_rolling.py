"""What the rolling map reaches on this machine, and beside it peers that are installed.

The peers do part of its work: they label the same cells, or keep the same voxels. None of
them bounds its cells, keeps identities apart, assesses evidence or writes a ledger.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .agent import find
from .grids import Corridor, RegisteredIncrement, RollingBounds

HERE: Final = (0.0, 0.0, 0.0, 0.0)
N_POINTS: Final = 10_000
STEP_NS: Final = 100_000_000
FULL_CELLS: Final = RollingBounds().cell_limit
FEW_FRAMES, FRAMES = 12, 60

Row = tuple[str, float, str, float | None, float | None]
"""Name, value, unit, at least, at most."""


def rows(*, quick: bool) -> Iterator[Row]:
    """Measure, and yield each figure as it is known: CPU time, medians over frames."""
    n_frames = FEW_FRAMES if quick else FRAMES
    ball, hall = _ball(FULL_CELLS), _hall()
    full = [_in_cells(ball, seed) for seed in range(n_frames)]
    surfaces = [_on_surfaces(hall, seed) for seed in range(n_frames)]
    filled: list[Any] = [(part + 0.5) * RollingBounds().voxel_m for part in np.array_split(ball, 8)]
    name = f"{N_POINTS:,} points a frame, {FULL_CELLS:,} active cells, ledger and hashes"
    yield name, 1e3 * _frame_s(filled, full), "ms/frame", None, 10.0
    hall_s = _frame_s([], surfaces)
    yield (
        f"{N_POINTS:,} points a frame on the surfaces of a hall",
        1 / hall_s,
        "frames/s",
        300,
        None,
    )
    yield (
        "all cells labelled, assessed and hashed, no points",
        1e3 * _tick_s(filled),
        "ms",
        None,
        None,
    )
    if find_spec("scipy"):
        label = import_module("scipy.ndimage").label
        whole = np.ones((3, 3, 3), int)
        labelled = 1e3 * _label_s(ball, lambda box: label(box, whole))
        yield "  SciPy's label of the same cells, alone", labelled, "ms", None, None
        numpy_s = _numpy_s(surfaces, lambda box: label(box, whole))
        yield "  NumPy voxels and SciPy's label in the hall", 1 / numpy_s, "frames/s", None, None
    if find_spec("cc3d"):
        components = import_module("cc3d").connected_components
        labelled = 1e3 * _label_s(ball, lambda box: components(box, connectivity=26))
        yield "  cc3d's label of the same cells, alone", labelled, "ms", None, None


# ---- Frames ----


def _ball(n: int) -> NDArray[np.int64]:
    """Return n voxels of the ball that the radius allows, drawn without order."""
    bounds = RollingBounds()
    reach = int(bounds.radius_m / bounds.voxel_m) + 1
    axes = np.meshgrid(*[np.arange(-reach, reach)] * 3, indexing="ij")
    cells = np.stack(axes, axis=-1).reshape(-1, 3)
    near = (((cells + 0.5) * bounds.voxel_m) ** 2).sum(axis=1) <= bounds.radius_m**2
    chosen: NDArray[np.int64] = np.random.default_rng(1).permutation(cells[near])[:n]
    return chosen


def _in_cells(cells: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    chosen = cells[rng.integers(0, len(cells), N_POINTS)]
    inside = rng.uniform(0.01, 0.99, chosen.shape)
    points: NDArray[np.float64] = (chosen + inside) * RollingBounds().voxel_m
    return points


def _hall() -> NDArray[np.float64]:
    """Return corners and two sides of the six faces of a hall of 16 x 12 x 5 m."""
    x, y, z = np.diag([16.0, 12.0, 5.0])
    corner = np.array([-7.0, -6.0, -1.0])
    faces = [(corner, x, y), (corner + z, x, y), (corner, x, z), (corner + y, x, z)]
    faces += [(corner, y, z), (corner + x, y, z)]
    return np.array(faces)


def _on_surfaces(faces: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    corner, one, other = faces[rng.integers(0, len(faces), N_POINTS)].transpose(1, 0, 2)
    along, across = rng.random((2, N_POINTS, 1))
    points: NDArray[np.float64] = corner + along * one + across * other
    return points


# ---- Ours ----


def _map() -> tuple[Any, Corridor]:
    corridor = Corridor.ahead(HERE, length_m=2.0, width_m=0.6, low_m=-0.5, high_m=0.5)
    return find("rolling").obstacle_map(), corridor  # type: ignore[attr-defined]


def _frame_s(before: list[NDArray[np.float64]], frames: list[NDArray[np.float64]]) -> float:
    """Return the CPU time of a frame, everything included."""
    obstacles, corridor = _map()
    costs = []
    for number, points_m in enumerate(before + frames):
        increment = RegisteredIncrement(points_m, HERE, number * STEP_NS)
        began_s = time.process_time()
        obstacles.frame(increment, corridor)
        costs.append(time.process_time() - began_s)
    return median(costs[len(before) + len(frames) // 4 :])


def _tick_s(before: list[NDArray[np.float64]]) -> float:
    obstacles, corridor = _map()
    for number, points_m in enumerate(before):
        obstacles.frame(RegisteredIncrement(points_m, HERE, number), corridor)
    costs = []
    for number in range(FEW_FRAMES):
        began_s = time.process_time()
        obstacles.tick(STEP_NS + number, corridor)
        costs.append(time.process_time() - began_s)
    return median(costs)


# ---- Peers ----


def _boxed(cells: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the cells as a dense box, which the peers label."""
    low = cells.min(axis=0)
    box = np.zeros(tuple(cells.max(axis=0) - low + 1), np.uint8)
    box[tuple((cells - low).T)] = 1
    return box


def _label_s(cells: NDArray[np.int64], label: Callable[[Any], Any]) -> float:
    costs = []
    for _ in range(FEW_FRAMES):
        began_s = time.process_time()
        label(_boxed(cells))
        costs.append(time.process_time() - began_s)
    return median(costs)


def _numpy_s(frames: list[NDArray[np.float64]], label: Callable[[Any], Any]) -> float:
    """Return the CPU time of a frame of a plain voxel map: insert, evict, label both parts."""
    bounds = RollingBounds().to_dict()
    size_m, reach = bounds["voxel_um"] / 1e6, 2**20
    keys, hit_ns = np.empty(0, np.int64), np.empty(0, np.int64)
    costs = []
    for number, points_m in enumerate(frames):
        began_s, now_ns = time.process_time(), number * STEP_NS
        x, y, z = np.floor(points_m / size_m).astype(np.int64).T + reach
        fresh = np.unique((x << 42) | (y << 21) | z)
        gone = np.isin(keys, fresh) | (now_ns - hit_ns > bounds["retention_ns"])
        keys, hit_ns = keys[~gone], hit_ns[~gone]
        for part in (fresh, keys):
            cells = np.stack([part >> 42, part >> 21 & 0x1FFFFF, part & 0x1FFFFF], axis=1) - reach
            near = (((cells + 0.5) * size_m) ** 2).sum(axis=1) <= (bounds["radius_um"] / 1e6) ** 2
            if near.any():
                label(_boxed(cells[near]))
        keys = np.concatenate([keys, fresh])
        hit_ns = np.concatenate([hit_ns, np.full(len(fresh), now_ns)])
        costs.append(time.process_time() - began_s)
    return median(costs[len(frames) // 4 :])
