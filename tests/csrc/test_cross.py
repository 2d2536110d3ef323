"""The golden drives on other processors: the replayer built for them, run under emulation."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Replayer = Any  # of conftest.py
Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]

# flags, emulator; x86-64's own kernel runs i686
TARGETS: dict[str, tuple[list[str], list[str]]] = {
    "aarch64": ([], ["qemu-aarch64-static"]),
    "s390x": ([], ["qemu-s390x-static"]),
    "i686": (["-msse2", "-mfpmath=sse"], []),
}
# a product and a sum in one instruction, as each disassembler spells it
FUSED = {
    "aarch64": r"\tf(?:n?m(?:add|sub)|mla|mls)\t",
    "s390x": r"\t(?:m[as][ed]br|vfn?m[as](?:[sd]b)?|wfn?m[as][sd]b)\t",
}


def compiler_of(target: str) -> str:
    return f"{target}-linux-gnu-gcc"


@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.slow), "-O3"])
@pytest.mark.parametrize("target", TARGETS)
def test_the_golden_drives_are_the_same(replayer: Replayer, target: str, level: str) -> None:
    flags, emulator = TARGETS[target]
    if emulator and shutil.which(emulator[0]) is None:
        pytest.skip(f"no {emulator[0]} here")
    binary = replayer.build(compiler_of(target), level, *flags, "-static")
    replayer.replay_all(*emulator, binary)


def disassembled(target: str, file: Path) -> str:
    command = [f"{target}-linux-gnu-objdump", "-d", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target", FUSED)
def test_no_product_is_fused_with_a_sum(
    compile_c: Compile, replayer: Replayer, tmp_path: Path, target: str
) -> None:
    """Of our own functions, not the C library's; a fused build of one file shows what is sought."""
    for name, flags in (("exact", replayer.flags), ("fused", ["-ffp-contract=fast"])):
        sources = replayer.sources if name == "exact" else [ROOT / "csrc/common/motion.c"]
        linked = ["-r", "-nostdlib", "-o", tmp_path / f"{name}.o"]
        result = compile_c(compiler_of(target), "-O3", *flags, *sources, *linked)
        assert result.returncode == 0, result.stderr
    assert re.search(FUSED[target], disassembled(target, tmp_path / "fused.o"))
    text = disassembled(target, tmp_path / "exact.o")
    assert "<kw_motion_step>:" in text
    assert not re.findall(FUSED[target], text)
