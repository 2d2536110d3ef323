"""Says in one line what this machine lacks for building, before anything else is tried.

Run by `make` with the Python that is to hold the environment; any Python 3 can read it.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

OLDEST = (3, 11)


def missing_packages() -> list:
    """Return what is missing, each as (thing, Debian's package for it)."""
    python = "python{}.{}".format(*sys.version_info)
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    missing = []
    if not shutil.which(compiler[0]):
        missing.append((f"the C compiler '{compiler[0]}'", "gcc libc6-dev"))
    elif not compiles(compiler):
        missing.append((f"a C library's headers for '{compiler[0]}'", "libc6-dev"))
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        missing.append(("Python's headers", f"{python}-dev"))
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        missing.append(("Python's venv module", f"{python}-venv"))
    return missing


def compiles(compiler: list) -> bool:
    """Return whether the compiler makes a program."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "try.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n")
        command = [*compiler, source, "-o", os.path.join(folder, "try")]
        run = subprocess.run(
            command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    return run.returncode == 0


def main() -> int:
    """Print the one line, if any; return the exit status."""
    if sys.version_info < OLDEST:
        have, want = ("{}.{}".format(*version) for version in (sys.version_info, OLDEST))
        print(
            f"kinewright: Python {want} or newer is needed, this is {have}; "
            "name another one: make PYTHON=python3.x",
            file=sys.stderr,
        )
        return 1
    missing = missing_packages()
    if missing:
        things = ", ".join(thing for thing, _ in missing)
        packages = " ".join(package for _, package in missing)
        print(
            f"kinewright: missing {things}; on Debian or Ubuntu: apt install {packages}",
            file=sys.stderr,
        )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
