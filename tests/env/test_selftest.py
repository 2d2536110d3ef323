"""`kinewright selftest`: what holds is said, and so is what does not."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinewright_env import cli, core, selftest
from kinewright_env.env import DriveEnv
from kinewright_env.journal import read

NAMES = [name for name, _ in selftest.CHECKS]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = cli.main(["selftest", *arguments])
    return status, capsys.readouterr().out


def test_every_check_holds_here_and_the_machine_is_named() -> None:
    """As a user runs it, in a process of its own."""
    command = [sys.executable, "-P", "-m", "kinewright_env", "selftest"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count("\nok ") == len(NAMES)
    assert "NOT ok" not in run.stdout
    for known in (*NAMES, core.compiler(), np.__version__, sys.version.split()[0]):
        assert known in run.stdout
    assert run.stdout.splitlines()[-1] == f"root {read(selftest.JOURNAL).root()}"


def test_as_json_it_has_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = printed(capsys, "--json")
    result = json.loads(text)
    assert status == 0
    assert set(result) == {"ok", "root", "machine", "checks"}
    assert result["ok"] is True
    assert [check["name"] for check in result["checks"]] == NAMES
    assert set(result["machine"]) == {"processor", "system", "python", "numpy", "compiler"}


def failed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the detail of each check that does not hold; the status must say so."""
    status, text = printed(capsys, "--json")
    result = json.loads(text)
    wrong = {check["name"]: check["detail"] for check in result["checks"] if not check["ok"]}
    assert (status, result["ok"]) == ((1, False) if wrong else (0, True))
    return wrong


@pytest.mark.parametrize(
    ("constant", "value", "name"),
    [
        ("PHILOX_10000TH", 1, "Philox4x32-10"),
        ("PHILOX_KNOWN", (((0,) * 4, (0,) * 2, (0,) * 4),), "Philox4x32-10"),
        ("FUNCTIONS_SHA256", "0" * 64, "sine, cosine, tangent, arctangent"),
    ],
)
def test_another_answer_than_the_known_one_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    constant: str,
    value: object,
    name: str,
) -> None:
    monkeypatch.setattr(selftest, constant, value)
    wrong = failed(capsys)
    assert set(wrong) == {name}
    assert "not" in wrong[name]


def test_a_machine_that_rounds_otherwise_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Elsewhere:
        kw_self_check = staticmethod(lambda: core.lib.KW_BAD_MACHINE)

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    real = core.lib
    monkeypatch.setattr(core, "lib", Elsewhere())
    assert "IEEE doubles" in failed(capsys)["IEEE doubles"]


def test_a_drive_that_comes_out_otherwise_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "other.kwj"
    drive = DriveEnv(scene="senses_room", rig=("beam",), journal=path)
    drive.record("observe", {})
    drive.reset(seed=1)
    for _ in range(20):
        drive.step(np.array([0.4, 0.1], np.float32))
    drive.close()
    monkeypatch.setattr(selftest, "JOURNAL", path)
    wrong = failed(capsys)
    assert set(wrong) == {"replay through agent"}  # that agent would not have asked for this
    assert "recorded" in wrong["replay through agent"]


def test_a_cut_journal_is_a_finding_not_a_crash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cut = tmp_path / "cut.kwj"
    cut.write_bytes(selftest.JOURNAL.read_bytes()[:-10])
    monkeypatch.setattr(selftest, "JOURNAL", cut)
    assert set(failed(capsys)) == {"replay through asks", "replay through agent"}
