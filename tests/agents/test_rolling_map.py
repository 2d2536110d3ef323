"""The rolling map's ledger, its refusal of what is no frame, and real recordings."""

import doctest
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinewright_agents.rolling.obstacle_map
from kinewright_agents.rolling import (
    Corridor,
    RegisteredIncrement,
    RollingBounds,
    RollingObstacleMap,
)
from kinewright_agents.rolling.ledger import COLUMNS
from kinewright_env.errors import IncrementError, OptionError
from kinewright_env.readers import Options, open_recording

LIDAR = Path(__file__).resolve().parents[3] / "shared/data/lidar"
HERE = (0.0, 0.0, 0.0, 0.0)
POINTS = np.array([[1.0, 2.0, 0.5], [3.0, -4.0, 0.25]])
CORRIDOR = Corridor.box((0.0, -0.3, -0.5), (2.0, 0.3, 0.5))


def made_frames(n: int, seed: int = 6) -> list[RegisteredIncrement]:
    rng = np.random.default_rng(seed)
    frames = []
    for number in range(n):
        pose = (0.1 * number, 0.0, 0.0, 0.0)
        points = rng.normal(pose[:3], (3.0, 3.0, 0.5), (60, 3))
        stamp = 100_000_000 * (number - (number % 17 == 5) - 4 * (number % 19 == 8))
        frames.append(RegisteredIncrement(points, pose if number % 13 else None, stamp))
    return frames


def run_through(frames: list[RegisteredIncrement], **bounds: Any) -> tuple[list[str], Any]:
    lines: list[str] = []
    obstacles = RollingObstacleMap(RollingBounds(**bounds), ledger_sink=lines.append)
    for increment in frames:
        obstacles.frame(increment, CORRIDOR, bearing_only=1)
    obstacles.tick(10**11)
    return lines, obstacles


def test_the_page_of_the_map_is_true() -> None:
    assert doctest.testmod(kinewright_agents.rolling.obstacle_map).failed == 0


def test_the_ledger_is_a_line_a_frame_and_its_root_the_hash_of_them() -> None:
    lines, obstacles = run_through(made_frames(40))
    assert obstacles.ledger.root() == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert lines[2] == f"# {' '.join(COLUMNS)}\n"
    assert "voxel_um=450000 radius_um=12000000 hold_ns=750000000" in lines[1]
    rows = [dict(zip(COLUMNS, line.split(), strict=True)) for line in lines[3:]]
    assert len(rows) == 41
    assert {row["status"] for row in rows} == {
        *("accepted", "ticked", "refused_pose", "refused_backward", "refused_repeated")
    }  # fmt: skip
    for row in rows:
        evidence = sum(int(row[name]) for name in COLUMNS if name.startswith("evidence_"))
        assert evidence == sum(int(row[name]) for name in ("threat", "not_threat", "unknown"))
    totals = obstacles.totals.to_dict()
    assert totals["frames"] == 40
    assert totals["accepted"] == sum(row["status"] == "accepted" for row in rows)
    for name in ("points", "evicted_time_cells", "threat", "evidence_retained"):
        assert totals[name] == sum(int(row[name]) for row in rows)


def test_what_enters_and_what_leaves_adds_up() -> None:
    totals = run_through(made_frames(60), radius_m=4.0)[1].totals.to_dict()
    left = totals["evicted_time_cells"] + totals["evicted_radius_cells"] + totals["cleared_cells"]
    assert totals["new_cells"] - left == totals["active_cells"] == 0
    assert totals["evicted_time_cells"] > 0
    assert totals["evicted_radius_cells"] > 0


@pytest.mark.parametrize("change", ["point", "pose", "stamp", "corridor", "bound"])
def test_the_root_knows_of_every_input(change: str) -> None:
    def root(changed: str) -> str:
        points = POINTS + (1e-7 if changed == "point" else 0.0)
        pose = (1e-9 if changed == "pose" else 0.0, 0.0, 0.0, 0.0)
        obstacles = RollingObstacleMap(
            RollingBounds(cell_limit=65535 if changed == "bound" else 65536)
        )
        obstacles.frame(
            RegisteredIncrement(points, pose, int(changed == "stamp")),
            None if changed == "corridor" else CORRIDOR,
        )
        return obstacles.ledger.root()

    assert root(change) != root("")


def test_two_processes_have_one_root() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_rolling_map as t; "
        "print(t.run_through(t.made_frames(50))[1].ledger.root())"
    )
    own = run_through(made_frames(50))[1].ledger.root()
    for extra in ({"PYTHONHASHSEED": "7"}, {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX2 FMA3"}):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program, str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            env={**os.environ, **extra},
        )
        assert run.stdout.split() == [own], run.stderr


@pytest.mark.parametrize(
    ("points", "pose", "stamp", "said"),
    [
        ([[0.0, np.nan, 0.0]], HERE, 5, "point 0 has y = nan"),
        ([[0.0, 0.0, 0.0], [np.inf, 0.0, 0.0]], HERE, 5, "point 1 has x = inf"),
        ([[0.0, 0.0, 1e8]], HERE, 5, "within 10000000 m"),
        ([[0.0, 0.0]], HERE, 5, "shape (1, 2)"),
        ([0.0, 0.0, 0.0], HERE, 5, "shape (3,)"),
        ([["a", "b", "c"]], HERE, 5, "not an array of numbers"),
        ([[1j, 0.0, 0.0]], HERE, 5, "not an array of numbers"),
        ([[0.0, 0.0, 0.0], [0.0]], HERE, 5, "not an array of numbers"),
        (POINTS, (0.0, 0.0, 0.0), 5, "pose has shape (3,)"),
        (POINTS, (0.0, np.nan, 0.0, 0.0), 5, "pose is"),
        (POINTS, (0.0, 0.0, 0.0, np.inf), 5, "yaw is inf"),
        (POINTS, HERE, 5.0, "whole number"),
        (POINTS, HERE, True, "whole number"),
        (POINTS, HERE, 2**70, "stamp_ns is"),
    ],
)
def test_what_is_no_frame_is_an_error_that_names_it_and_changes_nothing(
    points: Any, pose: Any, stamp: Any, said: str
) -> None:
    obstacles = RollingObstacleMap()
    obstacles.frame(RegisteredIncrement(POINTS, HERE, 1))
    before = obstacles.cells()[0].tolist(), obstacles.ledger.root(), obstacles.totals.to_dict()
    with pytest.raises(IncrementError, match="frame 1") as caught:
        obstacles.frame(RegisteredIncrement(points, pose, stamp), CORRIDOR)
    assert said in str(caught.value)
    after = obstacles.cells()[0].tolist(), obstacles.ledger.root(), obstacles.totals.to_dict()
    assert after == before
    assert obstacles.frame(RegisteredIncrement(POINTS, HERE, 2)).status == "accepted"


def test_a_corridor_that_is_none_is_refused() -> None:
    clockwise = np.array([[[0, 0, 10, 10], [0, 10, 10, 0]]])
    bent = np.array([[[0, 10, 2, 0], [0, 0, 2, 10]]])
    large = np.array([[[0, 10**10, 10**10, 0], [0, 0, 10, 10]]])
    obstacles = RollingObstacleMap()
    for number, pieces in enumerate((clockwise, bent, large)):
        corridor = Corridor(pieces_um=pieces, low_um=0, high_um=1)
        with pytest.raises(IncrementError, match="corridor"):
            obstacles.frame(RegisteredIncrement(POINTS, HERE, number), corridor)
        with pytest.raises(IncrementError, match="corridor"):
            obstacles.meets(pieces[None], low_um=0, high_um=1)
    with pytest.raises(IncrementError, match="shape"):
        Corridor(pieces_um=np.zeros((1, 4, 2)), low_um=0, high_um=1)
    with pytest.raises(IncrementError, match="no box"):
        Corridor.box((0.0, 0.0, 0.0), (1.0, -1.0, 1.0))
    upside_down = Corridor(pieces_um=clockwise[:, :, ::-1], low_um=1, high_um=0)
    with pytest.raises(IncrementError, match="corridor"):
        obstacles.tick(1, upside_down)
    with pytest.raises(IncrementError, match="bearing_only"):
        obstacles.tick(1, bearing_only=-1)


@pytest.mark.parametrize(
    "bounds",
    [
        {"voxel_m": 0.0},
        {"voxel_m": float("nan")},
        {"voxel_m": 0.02, "radius_m": 12.0},
        {"radius_m": -1.0},
        {"hold_s": 4.0},
        {"cell_limit": 0},
        {"cell_limit": 2.5},
        {"cell_limit": 10**30},
        {"component_limit": 0},
        {"point_minimum": 0},
        {"low_m": 1.0, "high_m": 0.0},
        {"jump_rad": 7.0},
        {"retention_s": "long"},
    ],
)
def test_a_bound_out_of_range_is_refused(bounds: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        RollingObstacleMap(RollingBounds(**bounds))


def test_clearing_forgets_and_counts() -> None:
    obstacles = RollingObstacleMap()
    obstacles.frame(RegisteredIncrement(POINTS, HERE, 1), CORRIDOR)
    assert obstacles.clear() == 2
    assert obstacles.frame(RegisteredIncrement(POINTS[:0], HERE, 2), CORRIDOR).answer == "unknown"


@pytest.mark.parametrize(
    ("name", "frames", "points_in"),
    [("hku_increments", 177, "map"), ("hku_scans", 40, "sensor")],
)
def test_real_recordings_run_whole_and_come_out_the_same(
    name: str, frames: int, points_in: str
) -> None:
    file = LIDAR / f"{name}.npz"
    if not file.is_file():
        pytest.skip(f"{name}.npz is not here: it is not the product's to carry")
    roots = []
    for _ in range(2):
        obstacles = RollingObstacleMap(RollingBounds(jump_rad=1.5))
        for increment in open_recording([file], Options(points_in=points_in)).frames():
            assert increment.pose is not None
            ahead = Corridor.ahead(
                increment.pose, length_m=2.0, width_m=0.6, low_m=-0.5, high_m=0.5
            )
            result = obstacles.frame(increment, ahead)
            assert sum(result.evidence.values()) == sum(result.decisions.values())
            assert result.counts["greatest_age_ns"] <= 3_000_000_000
        roots.append(obstacles.ledger.root())
        totals = obstacles.totals.to_dict()
        assert totals["accepted"] == frames
        assert totals["jumps"] == 0
        assert 3_000 < totals["peak_cells"] < 5_000
    assert roots[0] == roots[1]
