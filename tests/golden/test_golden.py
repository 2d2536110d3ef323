"""Drives whose roots are checked in: any change of a bit of state, reading or record shows here.

A few of them are checked in whole, as journals: those are what `kw_replay` runs on other
architectures. `python tests/golden/test_golden.py` prints what differs from the files; with
`--write` it writes them anew, and the reason belongs in the CHANGELOG.
"""

import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinewright_env
from kinewright_env.env import DriveEnv
from kinewright_env.frames import steps
from kinewright_env.journal import read
from kinewright_env.rig import make_rig
from kinewright_env.selftest import JOURNAL
from kinewright_env.shells import SHELLS, STEERINGS
from kinewright_env.verdicts import VERDICTS

FOLDER = Path(__file__).parent
ROOTS_FILE = FOLDER / "roots.json"
SEED = 20261130
STEP_S = 0.1
Ask = tuple[float, float]


def wander(n: int) -> list[Ask]:
    """Return asks over the whole range, in whole thousandths, from a generator of our own."""
    state, asks = 2026, []
    for _ in range(n):
        draws = []
        for low, high in ((-500, 2000), (-418, 418)):
            state = (1664525 * state + 1013904223) % 2**32
            draws.append((low + (state >> 8) % (high - low + 1)) / 1000.0)
        asks.append((draws[0], draws[1]))
    return asks


ASKS = wander(40)
SENSES = make_rig(None).keys

# ahead into a post while the goal moves and two boxes change out of sight; then moved elsewhere
EVENTFUL = {
    "format": 1,
    "name": "eventful",
    "title": "A contact, changes out of sight, a goal that moves, a kidnap, a claim",
    "time_limit_s": 60.0,
    "start": {"x": 0.0, "y": 0.0, "heading_deg": 0.0},
    "goals": [{"x": 0.2, "y": 0.0, "radius": 0.3}, {"x": 2.0, "y": 0.0, "radius": 0.2}],
    "wall": [
        {"name": "wall", "from": [6, 3], "to": [9, 7], "thickness": 0.05, "height": 0.4},
    ],
    "box": [
        {"name": "comes", "center": [40, 0], "size": [0.4, 0.6], "height": 0.4},
        {"name": "goes", "center": [0, 40], "size": [0.4, 0.4], "heading_deg": 30, "height": 0.4},
    ],
    "post": [{"name": "post", "center": [1.1, 0.05], "radius": 0.05, "height": 0.4}],
    "change": [
        {"solid": "comes", "action": "appear", "armed": {"after_s": 0.5}},
        {"solid": "goes", "action": "vanish", "armed": {"at_goal": 1}},
        {
            "action": "kidnap",
            "armed": {"after_s": 2.0},
            "pose": {"x": 5.0, "y": 4.0, "heading_deg": 40.0},
        },
    ],
    "goal_change": [{"at_s": 1.0, "x": 3.0, "y": 0.5}],
}
KINDS_OF_EVENT = {"contact_begin", "contact_end", "change", "goal_change", "goal_reached"}


def wandering(drive: DriveEnv, n_steps: int) -> None:
    drive.reset(seed=SEED)
    for step in range(n_steps):
        drive.step(ASKS[step // 8 % len(ASKS)])


def eventful(drive: DriveEnv, n_steps: int) -> None:
    """Rest in the first goal, ahead through the post, then wander; end with a claim."""
    drive.reset(seed=SEED)
    for step in range(n_steps):
        ask = (0.0, 0.0) if step < 3 else (1.5, 0.0) if step < 20 else ASKS[step // 3]
        drive.step({"drive": np.array(ask), "claim": 0})
    claim = VERDICTS.index("blocked") + 1
    drive.step({"drive": np.zeros(2), "claim": claim})


def following(drive: DriveEnv, n_steps: int) -> None:
    """An agent decides, so that a replay through the agent has one to make."""
    agent = kinewright_env.agent.make("follow_path", path=[[1.4, 3.0], [1.8, 3.4]])
    kinewright_env.run(drive, agent, seed=SEED)


@dataclass(frozen=True, kw_only=True)
class Golden:
    """A drive, and the journal that keeps it where it is checked in whole."""

    name: str
    options: Mapping[str, Any]
    seconds: float
    run: Callable[[DriveEnv, int], None] = wandering
    kept: Path | None = None

    def record(self, path: Path) -> None:
        drive = DriveEnv(**self.options, time_limit_s=60.0, journal=path)
        self.run(drive, round(self.seconds / STEP_S))
        drive.close()


def goldens() -> list[Golden]:
    result = []
    shells = list(itertools.product(SHELLS, STEERINGS))
    for scene, (shell, steering) in itertools.product(
        ("senses_room", "behind_second_wall", "box_appears"), shells
    ):
        options = {"scene": scene, "shell": shell, "steering": steering}
        result.append(Golden(name=f"{scene}/{shell}/{steering}", options=options, seconds=30))
    for shell, steering in shells:
        name = f"{shell}_{steering}"
        options = {"scene": "senses_room", "shell": shell, "steering": steering}
        kept = FOLDER / f"{name}.kwj"
        result.append(Golden(name=name, options=options, seconds=3, kept=kept))
    # with the increments, too: short, for a first frame alone takes some 40 kB
    options = {"scene": "senses_room", "rig": (*SENSES, "lio")}
    kept = FOLDER / "increments.kwj"
    result.append(Golden(name="increments", options=options, seconds=0.6, kept=kept))
    options = {"scene": EVENTFUL, "claims": True}
    kept = FOLDER / "eventful.kwj"
    result.append(Golden(name="eventful", options=options, seconds=3, run=eventful, kept=kept))
    options = {"scene": "senses_room"}
    result.append(Golden(name="selftest", options=options, seconds=0, run=following, kept=JOURNAL))
    return result


DRIVES = {golden.name: golden for golden in goldens()}
KEPT = [golden for golden in DRIVES.values() if golden.kept is not None]


def record(golden: Golden) -> tuple[str, bytes]:
    """Return the root of a drive and its journal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drive.kwj"
        golden.record(path)
        return read(path).root(), path.read_bytes()


@pytest.mark.parametrize("name", DRIVES)
def test_the_root_of_a_drive_is_the_one_checked_in(name: str) -> None:
    root, data = record(DRIVES[name])
    assert root == json.loads(ROOTS_FILE.read_text(encoding="utf-8"))[name]
    kept = DRIVES[name].kept
    assert kept is None or data == kept.read_bytes()


def test_each_shell_and_steering_is_kept_whole_with_the_whole_rig() -> None:
    found = set()
    for golden in KEPT:
        journal = read(golden.kept)
        assert not journal.fault
        assert len(journal.header["rig"]) >= 8
        found.add((journal.header["shell"]["name"], journal.header["steering"]["name"]))
    assert found == set(itertools.product(SHELLS, STEERINGS))


def test_the_eventful_drive_has_every_kind_of_event_and_a_claim() -> None:
    journal = read(DRIVES["eventful"].kept)
    names = kinewright_env.world.EVENT_NAMES
    events = [names[event.payload[4]] for event in journal.of("event")]
    assert set(events) >= KINDS_OF_EVENT
    assert events.count("change") == 3
    assert [step.ask[3] for step in steps(journal) if step.ask][-1] != 0


def test_the_drive_with_increments_publishes_points() -> None:
    recorded = steps(read(DRIVES["increments"].kept))
    frames = [frame for step in recorded for frame in step.frames if frame.key == "lio"]
    assert sum(int(frame.statuses.sum()) for frame in frames) > 5000


def test_no_journal_is_kept_that_no_drive_writes() -> None:
    assert set(FOLDER.glob("*.kwj")) | {JOURNAL} == {golden.kept for golden in KEPT}


def main() -> int:
    write = "--write" in sys.argv[1:]
    old = json.loads(ROOTS_FILE.read_text(encoding="utf-8")) if ROOTS_FILE.exists() else {}
    new = {}
    for golden in DRIVES.values():
        new[golden.name], data = record(golden)
        if write and golden.kept is not None:
            golden.kept.write_bytes(data)
    changed = [name for name in sorted(set(old) | set(new)) if old.get(name) != new.get(name)]
    for name in changed:
        print(f"{name}: {old.get(name)} -> {new.get(name)}")
    if write:
        ROOTS_FILE.write_text(json.dumps(new, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
