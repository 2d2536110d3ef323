"""The rolling map against a plain one: a dictionary, a flood fill, shapely for the corridor.

The plain map shares no code with the core. It keeps every hit of every cell, and says which
frames are refused, what is there, how it falls into components, and what each is to the
corridor.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from kinewright_agents.rolling import (
    Corridor,
    FrameResult,
    RegisteredIncrement,
    RollingBounds,
    RollingObstacleMap,
)
from kinewright_env.grids import cos, sin, sweep

shapely = pytest.importorskip("shapely")

SECOND = 1_000_000_000
Voxel = tuple[int, int, int]
NEIGHBOURS = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]


def micrometres(value: float) -> int:
    """Round half away from zero, exactly."""
    scaled = Fraction(float(value) * 1e6)
    return floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)


@dataclass
class Plain:
    """What the rolling map must hold, by the rules as they are written."""

    bounds: RollingBounds
    hits: dict[Voxel, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    pose: tuple[int, ...] | None = None
    frame_ns: int | None = None
    time_ns: int | None = None
    fault: bool = False
    current: set[Voxel] = field(default_factory=set)
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.whole = self.bounds.to_dict()

    def within(self, voxel: Voxel, pose: tuple[int, ...]) -> bool:
        half = self.whole["voxel_um"]
        square = sum((half * (2 * i + 1) - 2 * at) ** 2 for i, at in zip(voxel, pose, strict=False))
        return square <= (2 * self.whole["radius_um"]) ** 2

    def alive(self, now_ns: int, pose: tuple[int, ...] | None) -> dict[Voxel, Any]:
        return {
            voxel: hits
            for voxel, hits in self.hits.items()
            if now_ns - hits[-1][0] <= self.whole["retention_ns"]
            and (pose is None or self.within(voxel, pose))
        }

    def jumped(self, pose: tuple[int, ...]) -> bool:
        if self.pose is None:
            return False
        square = sum((a - b) ** 2 for a, b in zip(pose[:3], self.pose[:3], strict=True))
        turn = abs(pose[3] - self.pose[3])
        turn = min(turn, 6283185 - turn)
        return square > self.whole["jump_um"] ** 2 or turn > self.whole["jump_urad"]

    def frame(self, points: np.ndarray, pose: tuple[float, ...] | None, stamp: int) -> str:
        if stamp == self.frame_ns:
            return "refused_repeated"
        if self.time_ns is not None and stamp < self.time_ns:
            return "refused_backward"
        if pose is None:
            return "refused_pose"
        at = tuple(micrometres(value) for value in pose)
        if self.jumped(at):
            self.hits.clear()
            self.seen["jumps"] += 1
        self.pose, self.frame_ns, self.time_ns = at, stamp, stamp
        arrived: Counter[Voxel] = Counter()
        for point in points:
            x, y, z = (micrometres(value) for value in point)
            if self.whole["low_um"] <= z - at[2] <= self.whole["high_um"]:
                size = self.whole["voxel_um"]
                arrived[x // size, y // size, z // size] += 1
        near = {voxel: n for voxel, n in arrived.items() if self.within(voxel, at)}
        kept = self.alive(stamp, at)
        if len(kept.keys() | near.keys()) > self.bounds.cell_limit:
            self.fault = True
            return "refused_capacity"
        self.fault = False
        self.hits = defaultdict(list, kept)
        for voxel, n in near.items():
            self.hits[voxel].append((stamp, n))
        self.current = set(near)
        return "accepted"

    def tick(self, stamp: int) -> str:
        if self.time_ns is not None and stamp < self.time_ns:
            return "refused_backward"
        self.time_ns, self.current = stamp, set()
        self.hits = defaultdict(list, self.alive(stamp, None))
        return "ticked"

    def components(self, cells: set[Voxel]) -> list[list[Voxel]]:
        rest, found = set(cells), []
        for first in sorted(cells):
            if first not in rest:
                continue
            rest.discard(first)
            whole, ahead = [], [first]
            while ahead:
                x, y, z = ahead.pop()
                whole.append((x, y, z))
                around = {(x + i, y + j, z + k) for i, j, k in NEIGHBOURS} & rest
                rest -= around
                ahead += around
            found.append(sorted(whole))
        return found

    def parts(self, cells: set[Voxel]) -> list[tuple[list[Voxel], bool]]:
        """Return the parts that are published, and whether each is the overflow."""
        bound = self.bounds.component_cell_limit
        cut = [
            part[i : i + bound]
            for part in self.components(cells)
            for i in range(0, len(part), bound)
        ]
        limit = self.bounds.component_limit
        if len(cut) <= limit:
            return [(part, False) for part in cut]
        last = [cell for part in cut[limit - 1 :] for cell in part]
        return [*((part, False) for part in cut[: limit - 1]), (sorted(last), True)]

    def points(self, part: list[Voxel]) -> int:
        now = self.time_ns or 0
        hold = self.whole["hold_ns"]
        return sum(n for cell in part for at, n in self.hits[cell] if now - at <= hold)

    def inside(self, cell: Voxel, corridor: Corridor) -> bool:
        size = self.whole["voxel_um"]
        if not (cell[2] * size <= corridor.high_um and (cell[2] + 1) * size >= corridor.low_um):
            return False
        square = shapely.box(
            cell[0] * size, cell[1] * size, (cell[0] + 1) * size, (cell[1] + 1) * size
        )
        return any(
            square.intersects(shapely.Polygon(piece.T.tolist())) for piece in corridor.pieces_um
        )

    def assessed(self, corridor: Corridor) -> list[tuple[Any, ...]]:
        """Return kind, first cell, cells, points, age and decision of each component."""
        rows = []
        now = self.time_ns or 0
        for kind, cells in (
            ("current", self.current),
            ("retained", set(self.hits) - self.current),
        ):
            for part, overflow in self.parts(cells):
                met = any(self.inside(cell, corridor) for cell in part)
                n_points = self.points(part)
                geometry = n_points >= self.bounds.point_minimum and not overflow
                outside = "not_threat" if kind == "current" and geometry else "unknown"
                decision = "unknown" if self.fault else "threat" if met else outside
                ages = [now - self.hits[cell][-1][0] for cell in part]
                row = (kind, part[0], len(part), n_points, min(ages), max(ages), decision)
                rows.append(row)
        return rows


def random_bounds(rng: np.random.Generator) -> RollingBounds:
    return RollingBounds(
        voxel_m=float(rng.choice([0.45, 0.30, 0.1])),
        radius_m=float(rng.choice([1.0, 2.5])),
        hold_s=float(rng.choice([0.75, 0.2])),
        retention_s=float(rng.choice([3.0, 1.0])),
        cell_limit=int(rng.choice([12, 60, 1000])),
        component_cell_limit=int(rng.choice([3, 10, 4096])),
        component_limit=int(rng.choice([3, 1024])),
        point_minimum=int(rng.choice([1, 4])),
        **({"low_m": -0.3, "high_m": 0.4} if rng.random() < 0.3 else {}),
    )


def random_corridor(rng: np.random.Generator, pose: tuple[float, ...]) -> Corridor:
    turned = (*pose[:3], float(rng.uniform(-3.2, 3.2)))
    length_m, width_m = (float(value) for value in rng.uniform(0.05, 1.5, 2))
    return Corridor.ahead(turned, length_m=length_m, width_m=width_m, low_m=-0.2, high_m=0.2)


def hold_to_the_plain_map(seed: int, n_frames: int) -> Counter[str]:
    """Run made frames through both; return what happened."""
    rng = np.random.default_rng(seed)
    bounds = random_bounds(rng)
    plain, obstacles = Plain(bounds), RollingObstacleMap(bounds)
    pose, stamp = (*rng.uniform(-3, 3, 3).tolist(), 0.0), 0
    for _ in range(n_frames):
        wander = rng.normal(0, 0.1, 3)
        jump = 5.0 if rng.random() < 0.02 else 0.0
        pose = (
            *(float(a + b + jump) for a, b in zip(pose, wander, strict=False)),
            float(rng.uniform(0.0, 0.49)),
        )
        stamp += int(rng.choice([0, -1, SECOND // 10, SECOND // 4, 3 * SECOND // 4, SECOND]))
        corridor = random_corridor(rng, pose)
        bearings = int(rng.integers(0, 3))
        if rng.random() < 0.15:
            result = obstacles.tick(stamp, corridor, bearing_only=bearings)
            assert result.status == plain.tick(stamp)
        else:
            middle = np.array(pose[:3]) + rng.normal(0, 0.6, (int(rng.integers(0, 5)), 3))
            spread = [rng.normal(at, 0.15, (int(rng.integers(1, 12)), 3)) for at in middle]
            points = np.concatenate([np.empty((0, 3)), *spread])
            given = None if rng.random() < 0.03 else pose
            increment = RegisteredIncrement(points, given, stamp)
            result = obstacles.frame(increment, corridor, bearing_only=bearings)
            assert result.status == plain.frame(points, given, stamp)
        plain.seen[result.status] += 1
        compare(plain, obstacles, result, corridor, bearings)
    return plain.seen


def compare(
    plain: Plain,
    obstacles: RollingObstacleMap,
    result: FrameResult,
    corridor: Corridor,
    bearings: int,
) -> None:
    assert sum(result.evidence.values()) == sum(result.decisions.values())
    assert result.fault == plain.fault
    assert result.counts["active_cells"] == len(plain.hits)
    cells, _ = obstacles.cells()
    if result.is_refused:
        published = bearings if result.status == "refused_capacity" else 0
        assert sum(result.evidence.values()) == published
        return
    assert {tuple(row) for row in cells[:, :3].tolist()} == set(plain.hits)
    parts = [part for part in obstacles.components() if part.kind != "stale"]
    rows = plain.assessed(corridor)
    assert rows == [
        (p.kind, p.least, p.n_cells, p.n_points, p.age_ns, p.oldest_ns, p.decision) for p in parts
    ]
    plain.seen["threat"] += sum(row[-1] == "threat" for row in rows)
    assert result.evidence["bearing_only"] == bearings
    if any(row[-1] == "threat" for row in rows):
        assert result.is_threat, "a false safe"
    for part in parts:
        assert part.age_ns <= plain.whole["retention_ns"]
        assert not (part.kind == "retained" and part.speaks_of_motion)


@pytest.mark.parametrize("seed", range(20))
def test_every_cell_in_the_corridor_is_a_threat(seed: int) -> None:
    hold_to_the_plain_map(seed, 40)


@pytest.mark.slow
def test_ten_thousand_frames_have_no_false_safe() -> None:
    seen: Counter[str] = Counter()
    for seed in range(100):
        seen += hold_to_the_plain_map(1000 + seed, 100)
    statuses = [name for name in seen if name.startswith(("accepted", "ticked", "refused"))]
    assert sum(seen[name] for name in statuses) == 10_000
    assert all(seen[name] > 30 for name in ("accepted", "ticked", "jumps", "refused_capacity"))
    assert seen["threat"] > 1000


def test_a_sweep_holds_every_place_of_the_body_between_its_poses() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        bend, step_m = float(rng.uniform(-3, 3)), float(rng.uniform(0.02, 0.2))
        ways_m = np.arange(6) * step_m

        def on_arc(way_m: float, bend: float = bend) -> tuple[float, float, float]:
            turn = bend * way_m
            return float(sin(turn)) / bend, (1.0 - float(cos(turn))) / bend, turn

        body = {"ahead_m": 0.3, "behind_m": 0.1, "beside_m": 0.15}
        pieces = sweep([on_arc(way) for way in ways_m], **body)
        union = shapely.union_all([shapely.Polygon(piece.T.tolist()) for piece in pieces])
        for way_m in np.linspace(0.0, ways_m[-1], 41):
            x, y, turn = on_arc(float(way_m))
            c, s = float(cos(turn)), float(sin(turn))
            corners = [(0.3, 0.15), (-0.1, 0.15), (-0.1, -0.15), (0.3, -0.15)]
            outline = [(1e6 * (x + c * a - s * b), 1e6 * (y + s * a + c * b)) for a, b in corners]
            assert union.covers(shapely.Polygon(outline).buffer(-1.0))


def test_which_corridors_meet_a_cell_agrees_with_the_frame() -> None:
    rng = np.random.default_rng(8)
    obstacles = RollingObstacleMap(RollingBounds(voxel_m=0.1, radius_m=3.0))
    points = rng.uniform(-1.5, 1.5, (15, 3)) * (1, 1, 0.1)
    pose = (0.0, 0.0, 0.0, 0.0)
    corridors = [random_corridor(rng, pose) for _ in range(200)]
    first = obstacles.frame(RegisteredIncrement(points, pose, 0))
    assert not first.is_threat
    pieces = np.stack([corridor.pieces_um for corridor in corridors])
    met = obstacles.meets(pieces, low_um=-200_000, high_um=200_000)
    assert met is not None
    assert 20 < met.sum() < 180
    for number, (corridor, one) in enumerate(zip(corridors, met.tolist(), strict=True)):
        assert obstacles.tick(number, corridor).is_threat == one
