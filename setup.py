"""Builds the two C libraries with cffi; everything else is in pyproject.toml.

cffi runs this file again to find the builders, hence the guard at the end.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import cffi
from setuptools import setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
CSRC = Path("csrc")

# Order matters: -fno-fast-math would undo -fno-trapping-math if it came later. They
# follow a user's own CFLAGS, so even -ffast-math there changes nothing.
EXACT_FLOATS = [
    "-fno-fast-math",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
]
if sys.platform == "win32":
    COMPILE_ARGS = ["/std:c17", "/O2", "/fp:precise"]
else:
    # A user's own level stands: these flags would override it.
    OWN_LEVEL = any(flag.startswith("-O") for flag in os.environ.get("CFLAGS", "").split())
    LEVEL = [] if OWN_LEVEL else ["-O3"]
    COMPILE_ARGS = ["-std=c17", *LEVEL, "-fvisibility=hidden", *EXACT_FLOATS]

CDEF = re.compile(r"/\* cffi: begin \*/(.*?)/\* cffi: end \*/", re.DOTALL)
PUBLIC_INCLUDE = re.compile(r'^#include "(kw_\w+\.h)"', re.MULTILINE)


def declarations(header: str) -> str:
    """Return what cffi parses: the text between the markers of a header and those it includes."""
    seen: dict[str, str] = {}

    def follow(name: str) -> None:
        text = (ROOT / CSRC / name).read_text(encoding="utf-8")
        for included in PUBLIC_INCLUDE.findall(text):
            if included not in seen:
                follow(included)
        seen[name] = "\n".join(CDEF.findall(text))

    follow(header)
    return "\n".join(seen.values())


def sources(*folders: str) -> list[str]:
    """Return the C files of the folders, sorted and relative, as the sdist needs them."""
    files = [file for folder in folders for file in (ROOT / CSRC / folder).glob("*.c")]
    return sorted(str(file.relative_to(ROOT)) for file in files)


def builder(module: str, header: str, *folders: str) -> cffi.FFI:
    """Return the cffi builder of one library."""
    headers = sorted(str(file.relative_to(ROOT)) for file in (ROOT / CSRC).rglob("*.h"))
    options: dict[str, Any] = {
        "sources": sources(*folders),
        "include_dirs": [str(CSRC)],
        "depends": headers,
        "extra_compile_args": COMPILE_ARGS,
    }
    ffi = cffi.FFI()
    ffi.cdef(declarations(header))
    ffi.set_source(module, f'#include "{header}"', **options)
    return ffi


def world() -> cffi.FFI:
    """Build `kinewright_env._world`: scene, rays, sensors, one drive."""
    return builder("kinewright_env._world", "kw_world.h", "common", "world")


def grid() -> cffi.FFI:
    """Build `kinewright_env._grid`: what agents may call; it holds no world."""
    return builder("kinewright_env._grid", "kw_grid.h", "common", "grid")


class BuildCore(build_ext):
    """Says in one sentence that there is no compiler, which pip's users would not see."""

    def build_extensions(self) -> None:
        """Build both libraries."""
        compiler = getattr(self.compiler, "compiler_so", ["cl.exe"])[0]
        if sys.platform != "win32" and not shutil.which(compiler):
            sys.exit(
                f"kinewright: its core is C, and the compiler '{compiler}' was not found; "
                "on Debian or Ubuntu: apt install gcc libc6-dev python3-dev"
            )
        super().build_extensions()


if __name__ == "__main__":
    setup(
        cmdclass={"build_ext": BuildCore},
        cffi_modules=["setup.py:world", "setup.py:grid"],
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
