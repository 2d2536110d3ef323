"""The same routes, proofs and widths from every compiler, level and processor."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("routes_hash.c")
# of 144 plans and 24 ways; it may change only together with what a route is
GOLDEN = "ebf9927c576c2fad"


def hash_of(
    build: Any, compile_c: Compile, folder: Path, compiler: str, *flags: str, run: str | None = None
) -> str:
    binary = folder / "routes"
    sources = [ROOT / source for source in build.sources("common", "grid")]
    options = [*flags, *build.EXACT_FLOATS, DRIVER, *sources]
    result = compile_c(compiler, *options, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    command = [run, binary] if run else [binary]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.slow), "-O3"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_build_finds_the_same_routes(
    build: Any, compile_c: Compile, tmp_path: Path, compiler: str, level: str
) -> None:
    assert hash_of(build, compile_c, tmp_path, compiler, level) == GOLDEN


@pytest.mark.slow  # `make cross` runs it
@pytest.mark.parametrize("processor", ["aarch64", "s390x"])
def test_other_processors_find_the_same_routes(
    build: Any, compile_c: Compile, tmp_path: Path, processor: str
) -> None:
    emulator = f"qemu-{processor}-static"
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator} here")
    compiler = f"{processor}-linux-gnu-gcc"
    found = hash_of(build, compile_c, tmp_path, compiler, "-O3", "-static", run=emulator)
    assert found == GOLDEN
