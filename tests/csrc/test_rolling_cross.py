"""The ledger of the rolling map on other processors: the core built for them, under emulation."""

import hashlib
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_agents.rolling import (
    Corridor,
    Ledger,
    RegisteredIncrement,
    RollingBounds,
    RollingObstacleMap,
)
from kinewright_env.grids.increment import input_digest
from kinewright_env.grids.rolling import frame_result
from kinewright_env.readers import open_recording

Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared/data/lidar/hku_increments.npz"
PARTS = (
    *("components", "identities", "increment", "rolling", "rolling_publish", "shadow", "sweep"),
    *("rolling_query", "voxels"),
)
NOTHING = hashlib.sha256(b"").hexdigest()
TARGETS = {
    "x86_64-O0": ("cc", ["-O0"], ()),
    "x86_64-clang": ("clang", ["-O2"], ()),
    "aarch64": ("aarch64-linux-gnu-gcc", ["-O3", "-static"], ("qemu-aarch64-static",)),
    "s390x": ("s390x-linux-gnu-gcc", ["-O3", "-static"], ("qemu-s390x-static",)),
}


def ahead(increment: RegisteredIncrement) -> Corridor:
    pose = increment.pose or (0.0, 0.0, 0.0, 0.0)
    return Corridor.ahead(pose, length_m=2.0, width_m=0.6, low_m=-0.5, high_m=0.5)


def made() -> tuple[RollingBounds, list[RegisteredIncrement]]:
    rng = np.random.default_rng(12)
    increments = []
    for number in range(80):
        pose = (0.2 * number, -0.1 * number, 0.0, 0.05 * number)
        points = rng.normal(pose[:3], (4.0, 4.0, 0.7), (int(rng.integers(0, 400)), 3))
        stamp = 90_000_000 * (number - (number % 17 == 5))
        increments.append(RegisteredIncrement(points, pose if number % 13 else None, stamp))
    return RollingBounds(voxel_m=0.3, radius_m=6.0, cell_limit=2500), increments


def real() -> tuple[RollingBounds, list[RegisteredIncrement]]:
    if not REAL.is_file():
        pytest.skip("hku_increments.npz is not here: it is not the product's to carry")
    return RollingBounds(), list(open_recording([REAL]).frames())


def as_file(bounds: RollingBounds, increments: list[RegisteredIncrement]) -> bytes:
    parts = [struct.pack("<12q", *bounds.to_dict().values())]
    for increment in increments:
        corridor, points = ahead(increment), np.asarray(increment.points_m, "<f8")
        pose = increment.pose or (0.0, 0.0, 0.0, 0.0)
        parts.append(struct.pack("<2q4d2q", len(points), increment.pose is not None, *pose,
                                 increment.stamp_ns, 1))  # fmt: skip
        corners = corridor.pieces_um.ravel().tolist()
        parts.append(struct.pack("<10q", corridor.low_um, corridor.high_um, *corners))
        parts.append(points.tobytes())
    return b"".join(parts)


def ledger_root(
    bounds: RollingBounds, increments: list[RegisteredIncrement], printed: list[str]
) -> str:
    """Return the root of the ledger that another build's figures make."""
    ledger = Ledger(bounds)
    for increment, line in zip(increments, printed, strict=True):
        *figures, published = line.split()
        values = [int(figure) for figure in figures]
        digest = input_digest(*increment.checked("frame"))
        refused = values[0] > 1
        result = frame_result(values, digest, NOTHING if refused else published)
        ledger.add(result, ahead(increment).digest())
    return ledger.root()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[] if name == "aarch64" else [pytest.mark.slow])
        for name in TARGETS
    ],
)
def program(
    request: pytest.FixtureRequest,
    build: Any,
    compile_c: Compile,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str | Path, ...]:
    """Return the command that runs the core, built for a target."""
    compiler, flags, emulator = TARGETS[request.param]
    if emulator and shutil.which(emulator[0]) is None:
        pytest.skip(f"no {emulator[0]} here")
    binary = tmp_path_factory.mktemp(request.param) / "rolling_frames"
    core = [ROOT / "csrc/grid" / f"{name}.c" for name in PARTS]
    core += [ROOT / source for source in build.sources("common")]
    files = [ROOT / "tests/csrc/rolling_frames.c", ROOT / "csrc/replay/sha256.c", *core]
    result = compile_c(compiler, *flags, *build.EXACT_FLOATS, *files, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    return (*emulator, binary)


@pytest.mark.parametrize("frames", [made, real])
def test_the_ledger_has_one_root_everywhere(
    program: tuple[str | Path, ...], frames: Any, tmp_path: Path
) -> None:
    bounds, increments = frames()
    data = tmp_path / "frames"
    data.write_bytes(as_file(bounds, increments))
    run = subprocess.run([*program, data], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    obstacles = RollingObstacleMap(bounds)
    for increment in increments:
        obstacles.frame(increment, ahead(increment), bearing_only=1)
    root = ledger_root(bounds, increments, run.stdout.splitlines())
    assert root == obstacles.ledger.root()
