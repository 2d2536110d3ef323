"""What the built libraries lean on, and that every build of the core gives the same bits."""

import importlib
import importlib.util
import platform
import re
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("common_hash.c")
# of 20,000 ticks on each shell and steering and 20,000 noise variates; it may change only
# together with what the core means
GOLDEN = "1f22a04529e33fb4"

# every function that <math.h> declares, without its f and l variants
MATH = set(
    re.findall(
        r"\w+",
        """
        acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10
        exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma
        llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
        nexttoward pow remainder remquo rint round scalbln scalbn significand sin sincos sinh sqrt
        tan tanh tgamma trunc y0 y1 yn
        """,
    )
)
EXACT = {"sqrt", "floor", "ceil", "fabs"}


def undefined(library: str) -> set[str]:
    """Names that a library expects from elsewhere, without versions and leading underscores."""
    if shutil.which("nm") is None:
        pytest.skip("no nm here")
    dynamic = [] if sys.platform == "darwin" else ["-D"]
    result = subprocess.run(
        ["nm", *dynamic, "-u", library], capture_output=True, text=True, check=True
    )
    names = re.findall(r"(?:^|\s)U?\s*(\w+)(?:@\S+)?$", result.stdout, re.MULTILINE)
    return {name.lstrip("_") for name in names}


@pytest.mark.skipif(sys.platform == "win32", reason="the linker of Windows keeps no such list")
@pytest.mark.parametrize("module", ["_world", "_grid"])
def test_a_library_takes_nothing_inexact_from_libm(module: str) -> None:
    names = undefined(importlib.import_module(f"kinewright_env.{module}").__file__ or "")
    assert any(name.startswith("Py") for name in names)
    forbidden = {name + kind for name in MATH - EXACT for kind in ("", "f", "l")}
    # glibc's own spellings, such as __sin_finite
    plain = {re.sub(r"_finite$", "", name) for name in names}
    assert not plain & forbidden
    assert not names & {"qsort", "bsearch", "rand", "random", "time", "clock", "clock_gettime"}


def build_driver(compile_c: Compile, folder: Path, compiler: str, *flags: str) -> Path:
    binary = folder / "driver"
    sources = [DRIVER, *sorted((ROOT / "csrc/common").glob("*.c")), ROOT / "csrc/grid/predict.c"]
    result = compile_c(compiler, *flags, *sources, "-o", binary, "-lm")
    assert result.returncode == 0, result.stderr
    return binary


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_build_gives_the_same_bits(
    build: Any, compile_c: Compile, tmp_path: Path, compiler: str, level: str
) -> None:
    binary = build_driver(compile_c, tmp_path, compiler, level, *build.EXACT_FLOATS)
    assert output(binary) == GOLDEN


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_build_for_this_very_processor_gives_the_same_bits(
    build: Any, compile_c: Compile, tmp_path: Path, compiler: str
) -> None:
    # even over a user's own -ffast-math, which stands first
    flags = ["-ffast-math", "-O3", "-march=native", *build.EXACT_FLOATS]
    assert output(build_driver(compile_c, tmp_path, compiler, *flags)) == GOLDEN


def test_a_process_that_flushes_and_truncates_gives_the_same_bits(
    build: Any, compile_c: Compile, tmp_path: Path
) -> None:
    if platform.machine() not in {"x86_64", "AMD64"}:
        pytest.skip("the driver sets the control word of x86-64 only")
    binary = build_driver(compile_c, tmp_path, "cc", "-O2", *build.EXACT_FLOATS)
    assert output(binary, "hostile") == GOLDEN


def test_the_self_check_refuses_a_fused_build(compile_c: Compile, tmp_path: Path) -> None:
    binary = build_driver(compile_c, tmp_path, "gcc", "-O2", "-march=native", "-ffp-contract=fast")
    if output(binary) == GOLDEN:
        pytest.skip("this processor has no fused product")
    assert output(binary) == "the self-check refuses this build"


@pytest.mark.parametrize(("library", "binding"), [("_grid", "grids/library"), ("_world", "core")])
def test_a_binding_does_not_load_where_the_self_check_fails(
    monkeypatch: pytest.MonkeyPatch, library: str, binding: str
) -> None:
    real = importlib.import_module(f"kinewright_env.{library}")

    class BadMachine:
        kw_self_check = staticmethod(lambda: real.lib.KW_BAD_MACHINE)

        def __getattr__(self, name: str) -> Any:
            return getattr(real.lib, name)

    fake = types.SimpleNamespace(ffi=real.ffi, lib=BadMachine())
    monkeypatch.setitem(sys.modules, f"kinewright_env.{library}", fake)
    path = ROOT / "kinewright_env" / f"{binding}.py"
    name = f"kinewright_env.{binding.replace('/', '.')}_again"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(ImportError, match="IEEE doubles"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-mfpmath=387"])
def test_a_build_with_inexact_floats_is_refused(
    compile_c: Compile, tmp_path: Path, compiler: str, flag: str
) -> None:
    if flag == "-mfpmath=387" and (compiler != "gcc" or platform.machine() != "x86_64"):
        pytest.skip("only gcc on x86-64 has this flag")
    source = ROOT / "csrc/common/math.c"
    result = compile_c(compiler, flag, "-c", source, "-o", tmp_path / "math.o")
    assert result.returncode != 0
    assert "Kinewright needs" in result.stderr


def test_the_core_compiles_without_a_warning(
    build: Any, compile_c: Compile, tmp_path: Path
) -> None:
    for source in [*(ROOT / "csrc/common").glob("*.c"), ROOT / "csrc/grid/predict.c", DRIVER]:
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            flags = ["-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
            result = compile_c(
                compiler, *flags, *build.EXACT_FLOATS, "-c", source, "-o", tmp_path / "a.o"
            )
            assert result.returncode == 0, result.stderr
