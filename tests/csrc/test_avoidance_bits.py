"""The same decisions from every compiler, at every level, and on other processors."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("avoid_hash.c")


def hashes(
    build: Any, compile_c: Compile, folder: Path, compiler: str, *flags: str, emulator: str = ""
) -> list[str]:
    """Return what the driver prints when it is built so."""
    sources = [ROOT / source for source in build.sources("common", "grid")]
    binary = folder / f"{compiler}{'_'.join(flags)}"
    result = compile_c(compiler, *flags, *build.EXACT_FLOATS, DRIVER, *sources, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    command = [emulator, str(binary)] if emulator else [str(binary)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.fixture(scope="module")
def shipped(build: Any, compile_c: Compile, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Of the build that ships."""
    found = hashes(build, compile_c, tmp_path_factory.mktemp("shipped"), "cc", "-O3")
    assert len(set(found)) == 4
    return found


@pytest.mark.parametrize(
    "command",
    [
        ("gcc", "-O0"),
        ("gcc", "-O2", "-march=haswell", "-ffast-math"),
        ("clang", "-O1"),
        ("clang", "-O3", "-mavx2"),
        ("gcc", "-O1", "-fsanitize=address,undefined,float-cast-overflow", "-g"),
    ],
    ids=["gcc -O0", "gcc for Haswell", "clang -O1", "clang -O3 AVX2", "sanitized"],
)
def test_other_builds_decide_alike(
    build: Any, compile_c: Compile, tmp_path: Path, shipped: list[str], command: tuple[str, ...]
) -> None:
    assert hashes(build, compile_c, tmp_path, *command) == shipped


@pytest.mark.slow  # `make cross` runs it
@pytest.mark.parametrize("target", ["aarch64", "s390x"])
def test_other_processors_decide_alike(
    build: Any, compile_c: Compile, tmp_path: Path, shipped: list[str], target: str
) -> None:
    emulator = f"qemu-{target}-static"
    if shutil.which(emulator) is None:
        pytest.skip(f"no {emulator} here")
    compiler = f"{target}-linux-gnu-gcc"
    assert hashes(build, compile_c, tmp_path, compiler, "-O3", "-static", emulator=emulator) == (
        shipped
    )
