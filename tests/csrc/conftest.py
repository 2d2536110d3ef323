"""The pure C functions, built alone, so that tests reach what no public header shows."""

import importlib.util
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi
import pytest

from kinewright_env.selftest import JOURNAL

ROOT = Path(__file__).resolve().parents[2]

INTERNAL = """
double kw_sin(double x_rad);
double kw_cos(double x_rad);
double kw_tan(double x_rad);
void kw_sincos(double x_rad, double *out_sin, double *out_cos);
double kw_atan(double x);
double kw_wrap_rad(double x_rad);
void kw_sincos_deg(double x_deg, double *out_sin, double *out_cos);
int32_t kw_ask_inside(const kw_shell *shell, kw_ask ask);
void kw_motion_step(const kw_shell *shell, const kw_steering *steering, kw_ask ask,
                    kw_motion *motion, kw_arc *out_arc);
void kw_body_centre(const kw_shell *shell, kw_pose pose, double *out_x_m, double *out_y_m);
void kw_wheel_distances(const kw_shell *shell, const kw_arc *arc, double *out_m);
int64_t test_round_i64(double x);
typedef struct { uint32_t tables[4096]; bool folds; } kw_crc;
void kw_crc_prepare(kw_crc *out_crc);
uint32_t kw_crc32(const kw_crc *crc, const uint8_t *bytes, size_t n);
"""
# an inline function needs a body of its own to be called from outside
ROUND = """
#include "common/math.h"
int64_t test_round_i64(double x);
int64_t test_round_i64(double x) { return kw_round_i64(x); }
"""


@pytest.fixture(scope="session")
def build() -> Any:
    """The module setup.py: flags and declarations have one source."""
    spec = importlib.util.spec_from_file_location("kinewright_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def compile_c(build: Any) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a compiler in the tree: compile_c(compiler, *arguments)."""

    def run(compiler: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        if shutil.which(compiler) is None:
            pytest.skip(f"no {compiler} here")
        command = [compiler, "-std=c17", f"-I{ROOT / 'csrc'}", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def common(
    build: Any,
    compile_c: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """Return (ffi, lib) of csrc/common built as it ships, with every function visible."""
    folder = tmp_path_factory.mktemp("common")
    library = folder / "common.so"
    (folder / "round.c").write_text(ROUND)
    sources = [*sorted((ROOT / "csrc" / "common").glob("*.c")), folder / "round.c"]
    result = compile_c(
        "cc", "-O3", "-fPIC", "-shared", *build.EXACT_FLOATS, *sources, "-o", library
    )
    assert result.returncode == 0, result.stderr
    ffi = cffi.FFI()
    ffi.cdef(build.declarations("kw_types.h") + INTERNAL)
    return ffi, ffi.dlopen(str(library))


@dataclass(frozen=True)
class Replayer:
    """Builds the stand-alone replayer, and holds builds to the golden drives."""

    compile_c: Callable[..., subprocess.CompletedProcess[str]]
    folder: Path
    flags: list[str]
    sources: list[Path]

    def build(self, compiler: str, *flags: str) -> Path:
        """Return the binary; the flags that keep floats exact come last, as in setup.py."""
        binary = Path(tempfile.mkdtemp(dir=self.folder)) / "kw_replay"
        options = [*flags, *self.flags, *self.sources]
        result = self.compile_c(compiler, *options, "-o", binary, "-lm")
        assert result.returncode == 0, result.stderr
        return binary

    def replay_all(self, *command: str | Path) -> None:
        """Replay every golden journal; each must come out with the root checked in for it."""
        roots = json.loads((ROOT / "tests/golden/roots.json").read_text(encoding="utf-8"))
        for file in [*sorted((ROOT / "tests/golden").glob("*.kwj")), JOURNAL]:
            run = subprocess.run([*command, file], capture_output=True, text=True, timeout=60)
            assert run.returncode == 0, f"{file.name}: {run.stdout}{run.stderr}"
            assert run.stdout.split()[:2] == ["same", roots[file.stem]], file.name


@pytest.fixture(scope="session")
def replayer(
    build: Any,
    compile_c: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Replayer:
    sources = [ROOT / source for source in build.sources("common", "world", "replay")]
    return Replayer(compile_c, tmp_path_factory.mktemp("replayer"), build.EXACT_FLOATS, sources)
