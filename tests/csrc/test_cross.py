"""The golden drives on other processors: the replayer built for them, run under emulation."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

Replayer = Any  # of conftest.py
Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A processor; `fused` matches a product and a sum in one of its instructions."""

    name: str
    flags: tuple[str, ...] = ()
    emulator: tuple[str, ...] = ()
    fused: str
    fusing: tuple[str, ...] = ()  # flags that give it such instructions

    @property
    def compiler(self) -> str:
        return f"{self.name}-linux-gnu-gcc"

    def disassembled(self, file: Path) -> str:
        command = [f"{self.name}-linux-gnu-objdump", "-d", str(file)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


TARGETS = [
    Target(
        name="aarch64",
        emulator=("qemu-aarch64-static",),
        fused=r"\tf(?:n?m(?:add|sub)|ml[as])\t",
    ),
    Target(
        name="s390x",
        emulator=("qemu-s390x-static",),
        fused=r"\t(?:m[as][ed]br?|[vw]fn?m[as](?:[sd]b)?)\t",
    ),
    # x86-64's own kernel runs it
    Target(
        name="i686",
        flags=("-msse2", "-mfpmath=sse"),
        fused=r"\tvfn?m(?:add|sub)\w+\s",
        fusing=("-mfma",),
    ),
]
BUILDS = [
    pytest.param((target, level), id=f"{target.name}{level}", marks=marks)
    for target in TARGETS
    for level, marks in (("-O0", [pytest.mark.slow]), ("-O3", []))
]


@pytest.fixture(scope="module", params=BUILDS)
def build_for(
    request: pytest.FixtureRequest,
    compile_c: Compile,
    replayer: Replayer,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Target, Path]:
    """Return a target and all of our own functions for it, without the C library's."""
    target, level = request.param
    file = tmp_path_factory.mktemp(target.name) / "replayer.o"
    flags = [level, *target.flags, *replayer.flags, "-r", "-nostdlib"]
    result = compile_c(target.compiler, *flags, *replayer.sources, "-o", file)
    assert result.returncode == 0, result.stderr
    return target, file


def test_the_golden_drives_are_the_same(
    build_for: tuple[Target, Path], compile_c: Compile, replayer: Replayer, tmp_path: Path
) -> None:
    target, file = build_for
    if target.emulator and shutil.which(target.emulator[0]) is None:
        pytest.skip(f"no {target.emulator[0]} here")
    binary = tmp_path / "kw_replay"
    result = compile_c(target.compiler, "-static", file, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    replayer.replay_all(*target.emulator, binary)


def test_no_product_is_fused_with_a_sum(
    build_for: tuple[Target, Path], compile_c: Compile, tmp_path: Path
) -> None:
    """A fused build of one file shows that what is sought would be found."""
    target, file = build_for
    flags = ["-O3", *target.flags, *target.fusing, "-ffp-contract=fast", "-c"]
    fused = tmp_path / "fused.o"
    result = compile_c(target.compiler, *flags, ROOT / "csrc/common/motion.c", "-o", fused)
    assert result.returncode == 0, result.stderr
    assert re.search(target.fused, target.disassembled(fused))
    text = target.disassembled(file)
    assert "<kw_motion_step>:" in text
    assert not re.findall(target.fused, text)
