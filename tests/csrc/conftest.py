"""The pure C functions, built alone, so that tests reach what no public header shows."""

import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import pytest

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
