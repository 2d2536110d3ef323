"""A recorded drive replays byte for byte through asks, frames and agent, wherever it is run."""

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinewright_env import DriveEnv, Rig, run
from kinewright_env.agent import Claim, Inputs, make
from kinewright_env.errors import AgentError, JournalError, OptionError
from kinewright_env.frames import steps
from kinewright_env.journal import KINDS, MAGIC, canonical, read, record
from kinewright_env.replay import THROUGH, replay
from kinewright_env.rig import SENSORS
from kinewright_env.scene import load_scene
from kinewright_env.shells import SHELLS, STEERINGS

ROOT = Path(__file__).resolve().parents[2]
PATH = [(1.4, 1.9), (2.4, 1.9)]
AGENTS = {"observe": {}, "random": {"seed": 5}, "follow_path": {"path": PATH}, "manual": {}}


class Claimer:
    """Drives a little, then claims; built by name, so that a replay can build it again."""

    def __init__(self, verdict: str = "stopped_trying", after: int = 4) -> None:
        self.said, self.after = verdict, after
        self.made_from = ("test_replay:Claimer", {"verdict": verdict, "after": after})

    def reset(self, obs, info):
        self.left = self.after

    def act(self, obs):
        self.left -= 1
        return [0.4, 0.1]

    def claim(self):
        if self.left < 0:
            return Claim(verdict=self.said, sentence="Enough.", gap_m=0.25, rooms=2)
        return None

    def decision(self):
        return {"left": self.left}


class Planner:
    """Tells of a plan on every third step and of a switch on one; `late` shifts the plans."""

    def __init__(self, late: int = 0) -> None:
        self.late = late
        self.made_from = ("test_replay:Planner", {"late": late})

    def reset(self, obs, info):
        self.steps = self.plans = self.switches = 0

    def act(self, obs):
        self.steps += 1
        return [0.2, 0.0]

    def notes(self):
        told = []
        if self.steps % 3 == self.late:
            self.plans += 1
            told.append(("plan", {"length_mm": 10 * self.steps, "reason": "new"}))
        if self.steps == 6:
            self.switches += 1
            told.append(("switch", {"to": 2}))
        return told

    def decision(self):
        return {"number": self.steps}


sys.modules.setdefault("test_replay", sys.modules[__name__])


def drive(path: Path, agent, *, seed=7, options=None, person=None, **declared) -> str:
    env = DriveEnv(journal=path, **{"time_limit_s": 2.0, **declared})
    root = run(env, agent, seed=seed, options=options, person=person).root
    env.close()
    return root


def assert_same(path: Path, root: str, *, agent: str | None = None, ways=THROUGH) -> None:
    for through in ways:
        result = replay(path, through, agent=agent)
        assert (result.difference, result.fault) == ("", ""), through
        assert result.same
        assert result.root == root


# ---- every agent, shell, steering, scene ----


@pytest.mark.parametrize("steering", STEERINGS)
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_replays_on_every_shell_and_steering(tmp_path, agent, shell, steering):
    path = tmp_path / "a.kwj"
    made = make(agent, **AGENTS[agent])
    scene = "three_rooms" if agent == "follow_path" else "senses_room"
    assert_same(path, drive(path, made, scene=scene, shell=shell, steering=steering))


@pytest.mark.parametrize("claims", [False, True])
@pytest.mark.parametrize("verdict", ["stopped_trying", "at_goal", ""])
def test_a_claim_replays_with_the_verdict(tmp_path, claims, verdict):
    path = tmp_path / "a.kwj"
    root = drive(path, Claimer(verdict), scene="post", claims=claims)
    said = json.loads(next(read(path).of("verdict")).payload)
    assert said == {
        **{"verdict": verdict, "sentence": "Enough.", "gap_m": 0.25, "rooms": 2, "by": "agent"}
    }
    assert_same(path, root, agent="test_replay:Claimer")


@pytest.mark.parametrize("ticks_per_step", [1, 7, 12, 120])
def test_any_step_replays(tmp_path, ticks_per_step):
    path = tmp_path / "a.kwj"
    made = make("random", seed=1)
    assert_same(path, drive(path, made, ticks_per_step=ticks_per_step, scene="box_appears"))


def _kidnapped() -> dict:
    scene = dict(BARE)
    pose = {"x": 2.0, "y": 1.0, "heading_deg": 90.0}
    scene["change"] = [
        {"action": "kidnap", "pose": pose, "armed": {"after_s": 0.5}},
        {"action": "vanish", "solid": "b", "armed": {"after_s": 0.7}},
    ]
    scene["goals"] = [{"x": 4.5, "y": 1.0, "radius": 0.2}, {"x": 1.0, "y": 1.0, "radius": 0.2}]
    scene["goal_change"] = [{"at_s": 0.9, "x": 3.0, "y": 0.5}]
    return scene


BARE = {
    "format": 1,
    "name": "bare",
    "title": "One box",
    "time_limit_s": 9.0,
    "start": {"x": 1.0, "y": 1.0},
    "box": [
        {"name": name, "center": [x, y], "size": [0.4, 0.4], "height": 1.0}
        for name, x, y in (("b", 3.0, 1.0), ("far", 9.0, 9.0), ("near", 0.0, 0.0))
    ],
}

ODD_RIG = Rig(
    (
        replace(SENSORS["beam"], period_tick=1, latency_tick=17),
        replace(SENSORS["imu"], period_tick=40, latency_tick=0),
        replace(SENSORS["cone"], sigma_base=(0.0, 0.0, 0.0)),
    )
)

DRIVES = {
    "door": {"scene": "door"},
    "changes": {"scene": _kidnapped},
    "contact": {"scene": "wall", "on_contact": "terminate", "time_limit_s": 8.0},
    "contact reported": {"scene": "wall", "time_limit_s": 6.0},
    "exact": {"noise": False},
    "no rig": {"rig": ()},
    "two sensors": {"rig": ("bumpers", "scan")},
    "odd rig": {"rig": ODD_RIG},
    "start": {"options": {"start": (1.1, 1.0, 0.3), "goal": (2.0, 1.5)}, "scene": BARE},
    "shell": {"options": {"shell": "four_wheel_steer", "scene": "post"}},
    "goal": {"options": {"goal": (1.0, 1.0)}, "scene": BARE},
}


@pytest.mark.parametrize("name", DRIVES)
def test_any_scene_rig_and_option_replays(tmp_path, name):
    declared = dict(DRIVES[name])
    if callable(declared.get("scene")):
        declared["scene"] = declared["scene"]()
    path = tmp_path / "a.kwj"
    root = drive(path, make("random", seed=2), **declared)
    assert_same(path, root)
    kinds = {item.name for item in read(path).records}
    assert {"header", "scene", "setup", "ask", "state", "key", "verdict", "end"} <= kinds
    if name in {"changes", "contact"}:
        assert "event" in kinds


def test_what_a_person_does_replays_as_the_keys_were(tmp_path):
    path = tmp_path / "a.kwj"
    held = [Inputs(held=frozenset({"up", "left"}))] * 6 + [Inputs()] * 3
    person = iter([*held, Inputs(held=frozenset({"space"})), Inputs(closed=True)])
    root = drive(path, make("manual"), person=lambda: next(person))
    said = [json.loads(item.payload) for item in read(path).of("input")]
    assert said == [*[{"held": ["left", "up"]}] * 6, {"held": ["space"]}, {"closed": True}]
    assert max(step.state.scalars["speed"] for step in steps(read(path))) > 0
    assert_same(path, root)


def test_what_a_person_does_at_a_gamepad_replays(tmp_path):
    path = tmp_path / "pad.kwj"
    pushed = iter([(1000, 0)] * 6 + [(400, -730)] * 6)

    def person():
        axes = next(pushed, (0, 0))
        return Inputs(axes=axes, buttons=frozenset({"brake"} if axes == (0, 0) else ()))

    root = drive(path, make("manual"), person=person)
    told = [step.inputs for step in steps(read(path))]
    assert [given.axes for given in told[:8:7]] == [(1000, 0), (400, -730)]
    assert told[15].buttons == {"brake"}
    assert_same(path, root)


@pytest.mark.parametrize("axes", [[1001, 0], [0, 10**400], [1], "ab", [None, 0]])
def test_odd_axes_in_a_journal_are_an_error(tmp_path, axes):
    path = tmp_path / "pad.kwj"
    drive(path, make("manual"), person=lambda: Inputs(axes=(5, 5)))
    changed = rewritten(path, in_nth("input", 2, lambda _: canonical({"axes": axes})))
    with pytest.raises(JournalError, match="input at byte"):
        replay(changed)


def test_a_path_drawn_in_the_window_replays(tmp_path):
    path = tmp_path / "a.kwj"
    person = iter([Inputs(), Inputs(drawn_path_m=((1.4, 1.9), (2.4, 1.9)))])
    root = drive(
        path, make("follow_path"), scene="three_rooms", person=lambda: next(person, Inputs())
    )
    assert_same(path, root)


# ---- differences are named ----


def rewritten(path: Path, change) -> Path:
    """Write a journal again with records changed, each CRC and the root right."""
    body = MAGIC
    for item in read(path).records[:-1]:
        payload = change(item)
        if payload is not None:
            framed = struct.pack("<IB", len(payload), item.kind) + payload
            body += framed + struct.pack("<I", zlib.crc32(framed))
    end = read(path).records[-1].payload[:8] + hashlib.sha256(body).digest()
    other = path.with_name("other.kwj")
    other.write_bytes(body + record("end", end))
    assert read(other).fault == ""
    return other


@pytest.fixture
def ten_seconds(tmp_path):
    path = tmp_path / "ten.kwj"
    drive(path, make("random"), scene="senses_room", time_limit_s=10.5)
    return path


def in_nth(kind: str, n: int, edit):
    """Return a change of the nth record of a kind."""
    seen = [0]

    def change(item):
        if item.name != kind:
            return item.payload
        seen[0] += 1
        return edit(item.payload) if seen[0] == n else item.payload

    return change


def test_a_changed_state_is_named_by_its_field_with_both_values(ten_seconds):
    def nudge(payload):
        # n_goal_changes i32, seed u64, then the pose's x: one unit in the last place
        (x_m,) = struct.unpack_from("<d", payload, 4 + 4 + 8)
        moved = struct.pack("<d", np.nextafter(x_m, 9.0))
        return payload[:16] + moved + payload[24:]

    result = replay(rewritten(ten_seconds, in_nth("key", 2, nudge)), "asks")
    assert not result.same
    assert result.difference.startswith("key at byte ")
    assert "state on tick 1200: pose.x_m: recorded " in result.difference
    recorded, now = (float(word.rstrip(",")) for word in result.difference.split()[-3::2])
    assert np.nextafter(now, 9.0) == recorded


def test_a_changed_digest_says_its_tick_and_the_next_keys_field(ten_seconds):
    def damage(item):
        if item.name == "hash" and struct.unpack_from("<i", item.payload)[0] >= 960:
            return item.payload[:4] + bytes(8)
        if item.name == "key" and item.payload[:4] == struct.pack("<i", 1200):
            return item.payload[:-4] + b"\xff\xff\xff\x7f"
        return item.payload

    said = replay(rewritten(ten_seconds, damage), "asks").difference
    assert "state on tick 960: recorded 0000000000000000, now " in said
    assert "next key" in said
    assert "frames[" in said
    assert "recorded 2147483647" in said


def test_a_digest_without_a_key_after_it_says_so(ten_seconds):
    change = in_nth("hash", 10, lambda payload: payload[:4] + bytes(8))
    said = replay(rewritten(ten_seconds, change), "asks").difference
    assert "state on tick 1200: recorded 0000000000000000, now " in said
    assert said.endswith("; no key with another state follows")


@pytest.mark.parametrize(
    ("kind", "edit", "said", "through"),
    [
        ("frame", lambda p: p[:-1] + bytes([p[-1] ^ 1]), "values", "asks"),
        ("state", lambda p: p[:8] + b"\1\2\3\4" + p[12:], "pose 0: recorded [67305985,", "asks"),
        ("state", lambda p: p[:-4] + b"\7\0\0\0", "goals_left: recorded 7, now 0", "asks"),
        ("ask", lambda p: p[:4] + b"\5\0\0\0" + p[8:], "now (", "agent"),
        ("ask", lambda p: p[:4] + b"\5\0\0\0" + p[8:], "ask on tick", "frames"),
        ("decision", lambda _: b'{"reason":"none"}', "decision on tick", "frames"),
        ("decision", lambda _: b'{"reason":"none"}', "beam_mm: recorded None, now 0", "agent"),
        ("decision", lambda _: None, "recorded a ", "agent"),
        ("verdict", lambda p: p.replace(b"out_of_time", b"at_goal"), "'at_goal'", "agent"),
        ("header", lambda p: p.replace(b'"seed":7', b'"seed":8'), "setup at byte", "asks"),
    ],
)
def test_the_first_record_that_differs_is_named(tmp_path, kind, edit, said, through):
    path = tmp_path / "a.kwj"
    drive(path, make("observe"), scene="senses_room", time_limit_s=1.0)
    result = replay(rewritten(path, in_nth(kind, 1, edit)), through)
    assert not result.same
    assert said in result.difference, result.difference


def test_a_drive_that_goes_on_further_or_ends_earlier_differs(tmp_path):
    path = tmp_path / "a.kwj"
    drive(path, make("observe"), time_limit_s=1.0)
    for limit in (b"0.5", b"1.5"):
        changed = b'"time_limit_s":' + limit
        change = in_nth("header", 1, lambda p, s=changed: p.replace(b'"time_limit_s":1.0', s))
        other = rewritten(path, change)
        assert not replay(other, "agent").same
        assert not replay(other, "asks").same


def test_plans_and_switches_are_recorded_before_their_decision_and_replay(tmp_path):
    path = tmp_path / "plans.kwj"
    env = DriveEnv(journal=path, time_limit_s=2.0)
    result = run(env, Planner(), seed=3)
    env.close()
    assert (result.decisions, result.plans, result.switches) == (20, 6, 1)
    sixth = steps(read(path))[5].told
    assert [kind for kind, _ in sixth] == ["plan", "switch", "decision"]
    assert json.loads(sixth[0][1]) == {"length_mm": 60, "reason": "new"}
    for through in THROUGH:
        again = replay(path, through, agent="test_replay:Planner")
        assert again.same, again.difference
        assert (again.decisions, again.plans, again.switches) == (20, 6, 1)


@pytest.mark.parametrize(
    ("through", "said"),
    [
        ("agent", "decision at byte .*: recorded a decision, now a plan"),
        ("frames", "decision on tick 0: recorded decision .*, now plan .*length_mm"),
    ],
)
def test_a_plan_that_comes_on_another_step_differs(tmp_path, through, said):
    path = tmp_path / "plans.kwj"
    drive(path, Planner())

    def another(record):
        header = json.loads(record)
        header["agent"]["options"]["late"] = 1
        return canonical(header)

    changed = rewritten(path, in_nth("header", 1, another))
    again = replay(changed, through, agent="test_replay:Planner")
    assert re.search(said, again.difference), again.difference


def test_another_verdict_through_frames_differs(tmp_path):
    path = tmp_path / "a.kwj"
    drive(path, Claimer(), scene="post")
    change = in_nth("verdict", 1, lambda p: p.replace(b'"rooms":2', b'"rooms":3'))
    result = replay(rewritten(path, change), "frames", agent="test_replay:Claimer")
    assert result.difference == "verdict: rooms: recorded 3, now 2"


# ---- what a file may and may not make happen ----


def test_no_module_is_imported_because_a_file_says_so(tmp_path):
    path = tmp_path / "a.kwj"
    drive(path, make("observe"), time_limit_s=0.3)
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')", encoding="utf-8")

    def name(payload):
        header = json.loads(payload)
        header["agent"] = {"name": "evil:Agent", "options": {}}
        return canonical(header)

    other = rewritten(path, in_nth("header", 1, name))
    for through in ("agent", "frames"):
        with pytest.raises(AgentError, match="--agent evil:Agent"):
            replay(other, through)
    assert "evil" not in sys.modules


def test_a_drive_without_a_named_agent_replays_through_asks_alone(tmp_path):
    path = tmp_path / "a.kwj"
    root = drive(path, lambda obs: [0.3, 0.1])
    assert_same(path, root, ways=["asks"])
    with pytest.raises(AgentError, match="names no agent"):
        replay(path)


def test_a_plain_loop_replays_through_asks(tmp_path):
    env = DriveEnv(journal=tmp_path / "a.kwj", scene="post")
    env.reset(seed=1)
    for speed in (0.1, 5.0, -3.0):
        env.step([speed, 9.0])
    env.close()
    result = replay(tmp_path / "a.kwj", "asks")
    assert (result.same, result.fault, result.steps) == (True, "", 3)


def test_an_unknown_way_is_refused(tmp_path):
    with pytest.raises(OptionError, match="'agent'"):
        replay(tmp_path / "a.kwj", "agents")


# ---- elsewhere ----


REPLAY = (
    "import sys; from kinewright_env.replay import replay\n"
    "for through in ('agent', 'frames', 'asks'):\n"
    "    result = replay(sys.argv[1], through)\n"
    "    assert result.same and not result.fault, result\n"
    "print(result.root)"
)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return a journal with every sensor, a change, and a key, and its root."""
    path = tmp_path_factory.mktemp("elsewhere") / "a.kwj"
    return path, drive(path, make("observe"), scene="box_appears", time_limit_s=10.2)


def replayed(path: Path, folder: Path, **variables: str) -> str:
    kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
    result = subprocess.run(
        [sys.executable, "-c", REPLAY, str(path)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**kept, **variables},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "de_DE.UTF-8"},
        {"PYTHONHASHSEED": "77", "TZ": "UTC", "LC_ALL": "C", "MALLOC_PERTURB_": "165"},
    ],
    ids=["Kathmandu", "C"],
)
def test_it_replays_in_another_process(elsewhere, tmp_path, variables):
    path, root = elsewhere
    assert replayed(path, tmp_path, **variables) == root


def test_it_replays_without_numpys_vector_extensions(elsewhere, tmp_path):
    path, root = elsewhere
    found = np._core._multiarray_umath.__cpu_features__
    dispatched = np._core._multiarray_umath.__cpu_dispatch__
    off = " ".join(name for name in dispatched if found.get(name))
    if not off:
        pytest.skip("this NumPy has nothing to switch off here")
    assert replayed(path, tmp_path, NPY_DISABLE_CPU_FEATURES=off) == root


@pytest.mark.parametrize(
    ("compiler", "flags"),
    [("gcc", "-O0"), ("clang", "-O3 -march=native -ffast-math")],
)
def test_it_replays_through_another_build_of_the_core(elsewhere, tmp_path, compiler, flags):
    if shutil.which(compiler) is None or not (ROOT / "setup.py").exists():
        pytest.skip(f"no {compiler} here")
    path, root = elsewhere
    built = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build", "--force",
         "--build-base", str(tmp_path / "build"), "--build-lib", str(tmp_path / "lib")],
        cwd=ROOT, env={**os.environ, "CC": compiler, "CFLAGS": flags},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    package = tmp_path / "lib" / "kinewright_env"
    assert any(package.glob("_world*"))
    code = "import kinewright_env.core as c; print(c.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "lib")},
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.startswith(str(package))
    assert replayed(path, tmp_path, PYTHONPATH=str(tmp_path / "lib")) == root


def test_the_shipped_scene_in_the_file_stands_alone(elsewhere):
    path, _ = elsewhere
    assert read(path).scene_bytes() == load_scene("box_appears").canonical()
    assert KINDS["scene"] == read(path).records[1].kind
