"""What users install: every package, scene and licence in it, and one version everywhere."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]


def folder_of(package: str) -> Path:
    """Return where a package lies, by the longest entry of `package-dir` that fits."""
    for parent in [package, *(package[:i] for i in reversed(range(len(package))))]:
        if parent in SETUPTOOLS["package-dir"]:
            rest = package[len(parent) :].strip(".").replace(".", "/")
            return ROOT / SETUPTOOLS["package-dir"][parent] / rest
    raise AssertionError(package)


def test_every_package_on_disk_is_listed() -> None:
    """One that is missing in the list works in an editable install and nowhere else."""
    on_disk = {
        file.parent.resolve()
        for top in ("kinewright_env", "agents", "scenes")
        for file in (ROOT / top).rglob("__init__.py")
    }
    listed = {folder_of(package).resolve() for package in SETUPTOOLS["packages"]}
    assert listed == on_disk


def test_every_python_file_lies_in_a_package() -> None:
    for top in ("kinewright_env", "agents"):
        for file in (ROOT / top).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), file


def test_every_data_file_is_named_as_package_data() -> None:
    for package in SETUPTOOLS["packages"]:
        folder = folder_of(package)
        patterns = SETUPTOOLS["package-data"].get(package, [])
        taken = {file for pattern in patterns for file in folder.glob(pattern)}
        data = {
            file
            for file in folder.iterdir()
            if file.is_file() and file.suffix not in {".py", ".so", ".pyd", ".c"}
        }
        assert data == taken, f"{package}: {sorted(file.name for file in data ^ taken)}"


def test_there_are_scenes_and_typing_marks() -> None:
    assert list((ROOT / "scenes").glob("*.toml"))
    assert (ROOT / "kinewright_env/py.typed").is_file()
    assert (ROOT / "agents/py.typed").is_file()


def test_every_declared_entry_point_loads() -> None:
    project = PROJECT["project"]
    for group, points in [
        ("console_scripts", project["scripts"]),
        *project["entry-points"].items(),
    ]:
        for name, value in points.items():
            loaded = EntryPoint(name=name, value=value, group=group).load()
            assert callable(loaded), name


def test_the_installed_entry_points_are_the_declared_ones() -> None:
    declared = PROJECT["project"]["entry-points"]["kinewright.agents"]
    installed = {
        point.name: point.value
        for point in entry_points(group="kinewright.agents")
        if point.dist is not None and point.dist.name == "kinewright"
    }
    if not installed:
        pytest.skip("kinewright is run from its folder, not installed")
    assert installed == declared


def test_each_declared_agent_is_a_module_of_the_folder() -> None:
    declared = PROJECT["project"]["entry-points"]["kinewright.agents"].values()
    modules = {value.partition(":")[0].split(".")[1] for value in declared}
    public = {
        path.stem for path in (ROOT / "agents").iterdir()
        if not path.stem.startswith(("_", ".")) and (path.suffix == ".py" or path.is_dir())
    }  # fmt: skip
    assert modules <= public


def test_the_version_is_one() -> None:
    kinewright_env = pytest.importorskip("kinewright_env")
    declared = PROJECT["project"]["version"]
    entries = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert entries[0] == declared
    assert kinewright_env.__version__ == version("kinewright") == declared


def test_required_packages_are_three() -> None:
    """All else is an extra: a headless user installs no window and no plotter."""
    names = {re.match(r"[\w-]+", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert names == {"cffi", "gymnasium", "numpy"}


def test_pygame_comes_in_one_form_for_each_python() -> None:
    """Both forms install the same folder, and the last one installed wins."""
    render = PROJECT["project"]["optional-dependencies"]["render"]
    by_name = {line.split(">=")[0]: line.partition(";")[2].strip() for line in render}
    assert by_name == {
        "pygame": "python_version < '3.14'",
        "pygame-ce": "python_version >= '3.14'",
    }


def test_a_missing_compiler_is_said_in_one_line_with_the_package_to_install() -> None:
    command = [sys.executable, str(ROOT / ".ci/check_machine.py")]
    run = subprocess.run(
        command, env={**os.environ, "CC": "no-such-compiler"}, capture_output=True, text=True
    )
    assert run.returncode == 1
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    assert "'no-such-compiler'" in line
    assert "apt install gcc" in line


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """Return the names in an sdist and in the wheel built from it, outside git."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    assert re.fullmatch(r"kinewright-[\d.]+-cp311-abi3-\w+\.whl", wheel.name)
    with tarfile.open(sdist) as archive:
        in_sdist = [member.name.partition("/")[2] for member in archive if member.isfile()]
    with zipfile.ZipFile(wheel) as archive:
        return in_sdist, archive.namelist()


@pytest.mark.slow
def test_the_archives_hold_what_is_needed_and_no_more(
    archives: tuple[list[str], list[str]],
) -> None:
    in_sdist, in_wheel = archives
    core = {file.relative_to(ROOT).as_posix() for file in (ROOT / "csrc").rglob("*.[ch]")}
    scenes = {file.name for file in (ROOT / "scenes").glob("*.toml")}
    needed = {"pyproject.toml", "setup.py", "README.md", "LICENSE", "CHANGELOG.md"}
    assert set(in_sdist) >= core | needed | {f"scenes/{name}" for name in scenes}
    tops = {name.split("/")[0] for name in in_sdist if "/" in name}
    assert tops == {"agents", "csrc", "kinewright.egg-info", "kinewright_env", "scenes"}

    modules = {name for name in in_wheel if name.endswith(".abi3.so")}
    assert modules == {"kinewright_env/_grid.abi3.so", "kinewright_env/_world.abi3.so"}
    assert set(in_wheel) >= {f"kinewright_env/scenes/{name}" for name in scenes}
    assert {"kinewright_env/py.typed", "kinewright_agents/py.typed"} <= set(in_wheel)
    assert any(name.endswith("licenses/LICENSE") for name in in_wheel)
    tops = {name.split("/")[0].partition("-")[0] for name in in_wheel}
    assert tops == {"kinewright", "kinewright_agents", "kinewright_env"}
