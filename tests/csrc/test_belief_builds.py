"""Every build of the belief, on every processor at hand, gives the same map."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("belief_hash.c")
# digest, changes of the copy, frontier cells and rooms after 400 scans; it may change only
# together with what the belief means
GOLDEN = "8f89d6ce8be74906 29060 17 1"


def output(
    compile_c: Compile,
    build: Any,
    folder: Path,
    compiler: str,
    *flags: str,
    run: tuple[str, ...] = (),
) -> str:
    binary = folder / "driver"
    parts = ("belief", "carve", "copy", "draw", "frontier", "rooms", "trust")
    sources = [
        DRIVER,
        *sorted((ROOT / "csrc/common").glob("*.c")),
        *(ROOT / f"csrc/grid/{part}.c" for part in parts),
    ]
    result = compile_c(compiler, *flags, *build.EXACT_FLOATS, *sources, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    return subprocess.run([*run, binary], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_build_gives_the_same_map(
    build: Any, compile_c: Compile, tmp_path: Path, compiler: str, level: str
) -> None:
    assert output(compile_c, build, tmp_path, compiler, level) == GOLDEN


def test_a_build_for_this_very_processor_gives_the_same_map(
    build: Any, compile_c: Compile, tmp_path: Path
) -> None:
    assert output(compile_c, build, tmp_path, "gcc", "-O3", "-march=native") == GOLDEN


def test_a_build_with_sanitizers_finds_nothing_and_gives_the_same_map(
    build: Any, compile_c: Compile, tmp_path: Path
) -> None:
    flags = ("-O1", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all")
    assert output(compile_c, build, tmp_path, "gcc", *flags) == GOLDEN


@pytest.mark.slow  # `make cross` runs it
@pytest.mark.parametrize("processor", ["aarch64", "s390x"])
def test_other_processors_give_the_same_map(
    build: Any, compile_c: Compile, tmp_path: Path, processor: str
) -> None:
    emulator = f"qemu-{processor}-static"
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator} here")
    compiler = f"{processor}-linux-gnu-gcc"
    found = output(compile_c, build, tmp_path, compiler, "-O3", "-static", run=(emulator,))
    assert found == GOLDEN
