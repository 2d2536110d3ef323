"""`drive --record`, `replay` and `export`: what they print, write and return."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinewright_env import DriveEnv, run
from kinewright_env.agent import make
from kinewright_env.cli import main
from kinewright_env.journal import FORMAT, MAGIC, canonical, read, record

DRIVE = (
    *("drive", "senses_room", "--agent", "observe", "--headless", "--time-limit", "1"),
    *("--seed", "3"),
)


@pytest.fixture(autouse=True)
def _no_display(monkeypatch, tmp_path):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def status(*arguments: str) -> int:
    try:
        return main(arguments)
    except SystemExit as left:
        return left.code or 0


@pytest.fixture
def recorded(tmp_path, capsys) -> Path:
    assert status(*DRIVE, "--record", "a.kwj") == 0
    assert "a.kwj" in capsys.readouterr().out
    return tmp_path / "a.kwj"


@pytest.mark.parametrize("verb", ["replay", "export"])
def test_each_verb_has_help_with_examples_and_json(capsys, verb):
    assert status(verb, "--help") == 0
    text = capsys.readouterr().out
    assert f"kinewright {verb}" in text.partition("examples:")[2]
    assert "--json" in text


def test_a_recorded_drive_has_the_root_of_the_same_drive_without_a_file(recorded, capsys):
    assert status(*DRIVE, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["root"] == read(recorded).root()
    env = DriveEnv(scene="senses_room", time_limit_s=1.0, steering="servo")
    assert run(env, make("observe"), seed=3).root == said["root"]


@pytest.mark.parametrize("through", [(), ("--through", "frames"), ("--through", "asks")])
def test_replay_says_same_and_returns_nothing_found(recorded, capsys, through):
    before = recorded.read_bytes()
    assert status("replay", "a.kwj", *through) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"The same through {through[1] if through else 'agent'}.\n")
    assert read(recorded).root() in out
    assert recorded.read_bytes() == before
    assert [file.name for file in recorded.parent.iterdir()] == ["a.kwj"]


def test_replay_as_json_has_every_field(recorded, capsys):
    assert status("replay", "a.kwj", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        **{"through": "agent", "same": True, "difference": "", "fault": "", "steps": 10},
        **{"decisions": 10, "plans": 0, "switches": 0, "root": read(recorded).root()},
    }


def test_a_cut_journal_is_replayed_up_to_the_cut_and_the_place_named(recorded, capsys):
    recorded.write_bytes(recorded.read_bytes()[:-100])
    assert status("replay", "a.kwj") == 1
    out = capsys.readouterr().out
    assert out.startswith("The same through agent, up to where the journal is whole.\n")
    assert "cut within a record that begins at byte" in out


def test_a_changed_byte_is_named(recorded, capsys):
    data = bytearray(recorded.read_bytes())
    data[20000] ^= 4
    recorded.write_bytes(data)
    assert status("replay", "a.kwj", "--through", "asks") == 1
    assert "bytes changed in the record that begins at byte" in capsys.readouterr().out


def test_another_seed_in_the_header_differs(recorded, capsys):
    header = {**read(recorded).header, "seed": 4}
    rest = recorded.read_bytes()[read(recorded).records[1].offset :]
    recorded.write_bytes(MAGIC + record("header", canonical(header)) + rest)
    assert status("replay", "a.kwj") == 1
    out = capsys.readouterr().out
    assert out.startswith("It differs through agent.")
    assert "  differs    setup at byte" in out
    assert "the root in the end record" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("replay", "none.kwj"), "No such file"),
        (("replay", "."), "irectory"),
        (("replay", "foreign.kwj"), "does not begin as a journal does"),
        (("replay", "newer.kwj"), f"its format is {FORMAT + 1}; this version reads {FORMAT}"),
        (("replay", "empty.kwj"), "is empty"),
        (("replay", "a.kwj", "--through", "world"), "invalid choice"),
        (("replay", "a.kwj", "--window", "--json"), "--json has no part in it"),
        (("replay", "a.kwj", "--window"), "display"),
        (("export", "foreign.kwj", "--to", "npz"), "does not begin as a journal does"),
        (("export", "a.kwj"), "--to"),
        (("export", "a.kwj", "--to", "csv"), "invalid choice"),
        (("export", "a.kwj", "--to", "npz", "-o", "foreign.kwj"), "is there already"),
        (("export", "a.kwj", "--to", "npz", "-o", "no/a.npz"), "no such folder"),
        ((*DRIVE, "--record", "a.kwj"), "is there already"),
        (("drive", "no_such_scene", "--record", "a.kwj"), "is there already"),
        ((*DRIVE, "--record", "no/a.kwj"), "no such folder"),
        (("manual", "--record", "a.kwj"), "is there already"),
    ],
)
def test_bad_usage_is_one_line_and_nothing_is_written(recorded, capsys, arguments, said):
    (recorded.parent / "foreign.kwj").write_bytes(b"hello")
    (recorded.parent / "empty.kwj").write_bytes(b"")
    newer = {**read(recorded).header, "format": FORMAT + 1}
    newer_file = recorded.parent / "newer.kwj"
    newer_file.write_bytes(MAGIC + record("header", canonical(newer)))
    before = {file.name: file.read_bytes() for file in recorded.parent.iterdir()}
    assert status(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert {file.name: file.read_bytes() for file in recorded.parent.iterdir()} == before


def test_an_agent_of_ones_own_must_be_allowed(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def reset(self, obs, info):\n        pass\n"
        "    def act(self, obs):\n        return [0.2, 0.0]\n",
        encoding="utf-8",
    )
    assert status(*DRIVE, "--agent", "mine:Mine", "--record", "m.kwj") == 0
    capsys.readouterr()
    assert status("replay", "m.kwj") == 1
    assert "--agent mine:Mine" in capsys.readouterr().err
    assert status("replay", "m.kwj", "--agent", "mine:Mine") == 0
    sys.modules.pop("mine", None)


def test_an_interrupted_drive_leaves_a_record_that_replays(tmp_path, monkeypatch, capsys):
    steps = [0]

    def interrupt(self, obs):
        steps[0] += 1
        if steps[0] == 6:
            raise KeyboardInterrupt
        return [0.2, 0.0]

    kind = type(make("observe"))
    act = kind.act
    monkeypatch.setattr(kind, "act", lambda self, obs: (interrupt(self, obs), act(self, obs))[1])
    assert status(*DRIVE, "--record", "i.kwj") == 130
    monkeypatch.undo()
    capsys.readouterr()
    assert read(tmp_path / "i.kwj").fault == ""
    assert status("replay", str(tmp_path / "i.kwj")) == 0


# ---- export ----


def test_an_export_holds_what_the_drive_observed(tmp_path, capsys):
    seen = []

    def watch(obs):
        seen.append({key: value.copy() for key, value in obs.items()})
        return [0.3, 0.2]

    env = DriveEnv(scene="senses_room", time_limit_s=1.5, journal=tmp_path / "a.kwj")
    run(env, watch, seed=3)
    last = env.snapshot()
    env.close()
    assert status("export", "a.kwj", "--to", "npz") == 0
    assert capsys.readouterr().out == "wrote a.npz\n"
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "iU" for name in arrays.files)
        for key in env.rig.keys:
            fresh = [obs[f"{key}_tick"] >= 0 for obs in seen]
            for name, part in ((key, key), (f"{key}_status", f"{key}_status")):
                rows = np.concatenate([o[part][f] for o, f in zip(seen, fresh, strict=True)])
                np.testing.assert_array_equal(arrays[name][: len(rows)], rows)
                assert len(arrays[name]) == len(arrays[f"{key}_sampled"])
            assert (np.diff(arrays[f"{key}_sampled"]) > 0).all()
        poses = np.concatenate([seen[0]["pose"][:1], *(obs["pose"] for obs in seen[1:])])
        np.testing.assert_array_equal(arrays["pose"][: len(poses)], poses)
        np.testing.assert_allclose(arrays["pose"][-1] * 1e-6, last.poses[-1])
        assert len(arrays["pose"]) == 181
        np.testing.assert_array_equal(arrays["tick"], range(0, 181, 12))
        np.testing.assert_array_equal(arrays["ask"][:, 0], range(0, 180, 12))
        assert (arrays["ask"][:, 1:3] == [3000, 200000]).all()
        assert json.loads(str(arrays["header"]))["seed"] == 3
        assert json.loads(str(arrays["scene"]))["name"] == "senses_room"
        assert json.loads(str(arrays["verdict"][0]))["verdict"] == "out_of_time"


def test_the_same_journal_gives_the_same_export(recorded, capsys):
    for name in ("one.npz", "two.npz"):
        assert status("export", "a.kwj", "--to", "npz", "-o", name) == 0
    one, two = (Path(name).read_bytes() for name in ("one.npz", "two.npz"))
    assert hashlib.sha256(one).digest() == hashlib.sha256(two).digest()


def test_what_is_whole_of_a_cut_journal_is_exported(recorded, capsys):
    recorded.write_bytes(recorded.read_bytes()[:-5000])
    assert status("export", "a.kwj", "--to", "npz", "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert said["wrote"] == "a.npz"
    assert "cut within" in said["fault"]
    with np.load("a.npz") as arrays:
        assert 0 < len(arrays["tick"]) < 11


def test_the_command_runs_as_a_process(recorded):
    result = subprocess.run(
        [sys.executable, "-m", "kinewright_env", "replay", "a.kwj"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
