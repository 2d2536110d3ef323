"""The README's programs run, its links lead somewhere, its commands exist."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def kinewright(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as the installed one does: the folder it is typed in is not searched."""
    program = "import sys; from kinewright_env.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_the_readme_has_the_loop_and_an_agent() -> None:
    assert len(BLOCKS) == 2
    loop = [line for line in BLOCKS[0].splitlines() if line and not line.startswith("import")]
    assert len(loop) <= 10


@pytest.mark.parametrize("block", BLOCKS, ids=["loop", "agent"])
def test_each_program_of_the_readme_runs_and_prints(block: str, tmp_path: Path) -> None:
    """In a process and a folder of its own, as a reader would; any warning is an error."""
    file = tmp_path / "program.py"
    file.write_text(block, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(file)], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert run.stdout.strip()


def test_the_agent_of_the_readme_drives_by_the_name_it_says(tmp_path: Path) -> None:
    (tmp_path / "turn_away.py").write_text(BLOCKS[1], encoding="utf-8")
    (command,) = re.findall(r"`kinewright (drive [^`]*turn_away:TurnAway)`", TEXT)
    run = kinewright(*command.split(), "--headless", cwd=tmp_path)
    assert run.returncode in {0, 1}, run.stderr
    assert "Traceback" not in run.stderr
    sentences = [line for line in run.stdout.splitlines() if line.startswith("Out of time")]
    assert len(sentences) == 1, "importing the agent drove, too"


def test_the_readme_lists_the_verbs_that_there_are() -> None:
    listed = set(re.findall(r"^\| `kinewright (\w+)", TEXT, re.M))
    helped = kinewright("--help")
    assert helped.returncode == 0
    assert listed == set(re.findall(r"^ {4}(\w+) ", helped.stdout, re.M))
    for verb in sorted(listed):
        assert kinewright(verb, "--help").returncode == 0, verb


def test_each_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    for page in PAGES:
        named = set(re.findall(r"(?:^|`)make ([a-z]+)\b", page.read_text(encoding="utf-8"), re.M))
        assert named <= targets, page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_link_of_a_page_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link
