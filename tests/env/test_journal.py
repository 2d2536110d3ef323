"""The journal is whole up to any cut, every changed byte is found, and nothing is overwritten."""

import copy
import errno
import hashlib
import json
import os
import pickle
import platform
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env import DriveEnv, run
from kinewright_env import journal as journals
from kinewright_env.agent import Claim, make
from kinewright_env.errors import AgentError, JournalError
from kinewright_env.frames import steps
from kinewright_env.journal import KINDS, MAGIC, Recorder, parse, read, record
from kinewright_env.rebuild import make_world
from kinewright_env.replay import observe, replay
from kinewright_env.rig import SENSORS


def recorded(path: Path, agent="observe", *, seed=3, options=None, **declared) -> Path:
    """Record a short drive and return its file."""
    env = DriveEnv(journal=path, **{"time_limit_s": 0.3, **declared})
    run(env, make(agent) if isinstance(agent, str) else agent, seed=seed, options=options)
    env.close()
    return path


@pytest.fixture(scope="module")
def short(tmp_path_factory) -> Path:
    """Return the shortest whole drive: little scene, two sensors, three steps."""
    folder = tmp_path_factory.mktemp("journal")
    return recorded(folder / "short.kwj", scene=BARE, rig=("bumpers", "beam"))


BARE = {"format": 1, "name": "bare", "title": "One box", "time_limit_s": 9.0,
        "start": {"x": 1.0, "y": 1.0},
        "box": [{"name": "b", "center": [3.0, 1.0], "size": [1.0, 1.0], "height": 1}]}  # fmt: skip


def layout(data: bytes) -> list[tuple[int, bytes, int, int]]:
    """Read a journal independently, in ten lines: kind, payload, begin, end of each record."""
    assert data[:8] == b"\x89KWJ\r\n\x1a\n"
    at, found = 8, []
    while at < len(data):
        length, kind = struct.unpack_from("<IB", data, at)
        end = at + 9 + length
        assert zlib.crc32(data[at : end - 4]) == struct.unpack_from("<I", data, end - 4)[0]
        found.append((kind, data[at + 5 : end - 4], at, end))
        at = end
    return found


# ---- the file ----


def test_records_carry_zlibs_crc_and_the_root_is_the_sha256_before_the_end(short):
    data = short.read_bytes()
    rows = layout(data)
    kind, payload, at, end = rows[-1]
    assert (kind, end) == (KINDS["end"], len(data))
    assert payload == struct.pack("<ii", 3, 36) + hashlib.sha256(data[:at]).digest()
    assert read(short).root() == payload[8:].hex()
    assert [(item.kind, item.payload, item.offset) for item in read(short).records] == [
        row[:3] for row in rows
    ]


def test_the_header_fixes_the_drive_and_names_no_machine(short):
    header = read(short).header
    assert set(header) == {
        *("format", "semantics", "seed", "scene", "scene_root", "shell", "steering", "rig"),
        *("ticks_per_step", "noise", "claims", "on_contact", "time_limit_s", "options", "agent"),
    }
    text = json.dumps(header)
    assert str(short.parent) not in text
    assert platform.node() not in text


def test_the_same_drive_gives_the_same_bytes_and_root_with_a_file_and_without(short, tmp_path):
    again = recorded(tmp_path / "again.kwj", scene=BARE, rig=("bumpers", "beam"))
    assert again.read_bytes() == short.read_bytes()
    env = DriveEnv(scene=BARE, rig=("bumpers", "beam"), time_limit_s=0.3)
    assert run(env, make("observe"), seed=3).root == read(short).root()


@pytest.mark.parametrize("ticks_per_step", [1, 7, 12, 120])
def test_frames_and_states_decode_to_what_the_observations_held(tmp_path, ticks_per_step):
    seen = []

    def watch(obs):
        seen.append({key: value.copy() for key, value in obs.items()})
        return [0.4, 0.2]

    env = DriveEnv(
        scene="senses_room", ticks_per_step=ticks_per_step, time_limit_s=2.5,
        journal=tmp_path / "a.kwj",
    )  # fmt: skip
    run(env, watch, seed=9)
    env.close()
    decoded = steps(read(tmp_path / "a.kwj"))
    assert len(decoded) == len(seen) + 1
    for step, obs in zip(decoded, seen, strict=False):
        again = observe(env._layout, step, ticks_per_step)
        assert again.keys() == obs.keys()
        for key in obs:
            np.testing.assert_array_equal(again[key], obs[key], err_msg=key)
        for frames in step.frames:
            latency = SENSORS[frames.key].latency_tick
            np.testing.assert_array_equal(frames.emitted, frames.sampled + latency)


def test_a_key_loads_into_a_fresh_world_that_goes_on_identically(tmp_path):
    path = recorded(tmp_path / "a.kwj", "random", scene="box_appears", time_limit_s=20.1)
    journal = read(path)
    keys = [item.payload for item in journal.of("key")]
    assert [struct.unpack_from("<i", key)[0] for key in keys] == [0, 1200, 2400]
    world = make_world(journal)
    world.load(keys[1][4:])
    asks = [step.ask for step in steps(journal) if step.ask and step.ask[0] >= 1200]
    for _, speed_dmmps, steer_urad, _ in asks[:100]:
        world.quantise(speed_dmmps * 1e-4, steer_urad * 1e-6)
        world.step(12)
    assert world.save() == keys[2][4:]


# ---- cut and changed ----


def test_a_journal_cut_at_any_byte_yields_all_whole_records_before_and_names_the_place(short):
    data = short.read_bytes()
    rows = layout(data)
    ends = {row[3] for row in rows}
    for length in range(len(data)):
        whole = [row for row in rows if row[3] <= length]
        if not whole:
            with pytest.raises(JournalError, match=r"cut\.kwj"):
                parse(data[:length], Path("cut.kwj"))
            continue
        journal = parse(data[:length], Path("cut.kwj"))
        assert [item.payload for item in journal.records] == [row[1] for row in whole]
        place = length if length in ends else whole[-1][3]
        assert f"byte {place}" in journal.fault


def fault_of(data: bytes) -> str:
    """Return what the reader says of a file."""
    try:
        return parse(data, Path("changed.kwj")).fault
    except JournalError as error:
        return str(error)


def test_every_changed_byte_is_found(short):
    data = bytearray(short.read_bytes())
    rng = np.random.default_rng(3)
    for at in range(len(data)):
        flip = int(rng.integers(1, 256))
        data[at] ^= flip
        assert fault_of(bytes(data)), f"byte {at} changed by {flip:#x}"
        data[at] ^= flip


def test_every_changed_bit_of_the_first_records_and_of_the_end_is_found(short):
    data = bytearray(short.read_bytes())
    for at in (*range(40), *range(len(data) - 60, len(data))):
        for bit in range(8):
            data[at] ^= 1 << bit
            assert fault_of(bytes(data)), f"bit {bit} of byte {at}"
            data[at] ^= 1 << bit


@pytest.mark.parametrize("length", [10**6, 2**31 - 1, 2**31, 2**32 - 1])
def test_no_length_is_believed(short, tmp_path, length):
    data = bytearray(short.read_bytes())
    at = layout(bytes(data))[3][2]
    data[at : at + 4] = struct.pack("<I", length)
    path = tmp_path / "long.kwj"
    path.write_bytes(data)
    assert read(path).fault == f"cut within a record that begins at byte {at}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: b"", "is empty"),
        (lambda _: b"\x89PNG\r\n\x1a\n" + bytes(90), "does not begin as a journal does"),
        (lambda data: data.replace(b"\r\n", b"\n"), "does not begin as a journal does"),
        (lambda data: data.replace(b"\n", b"\r\n"), "does not begin as a journal does"),
        (lambda data: bytes(byte & 0x7F for byte in data), "does not begin as a journal does"),
        (lambda data: data[:8], "no header"),
        (lambda data: data[:8] + data[layout(data)[1][2] :], "no header"),
        (lambda _: MAGIC + record("header", b"[" * 100_000), "header"),
        (lambda _: MAGIC + record("header", b"\xff\xfe"), "header"),
        (lambda _: MAGIC + record("header", b"[1]"), "no table"),
    ],
)
def test_what_is_no_journal_is_refused_by_name(short, tmp_path, change, said):
    path = tmp_path / "odd.kwj"
    path.write_bytes(change(short.read_bytes()))
    with pytest.raises(JournalError, match=said) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("key", ["format", "semantics"])
def test_a_newer_version_is_refused_by_name(short, tmp_path, key):
    known = read(short).header[key]
    header = {**read(short).header, key: known + 1}
    path = tmp_path / "newer.kwj"
    path.write_bytes(MAGIC + record("header", journals.canonical(header)))
    with pytest.raises(JournalError, match=f"its {key} is {known + 1}; this version reads {known}"):
        read(path)


def test_an_unknown_record_is_skipped_unless_it_may_not_be(short, tmp_path):
    data = short.read_bytes()
    end = layout(data)[-1][2]
    path = tmp_path / "unknown.kwj"
    for kind in (0x70, 0xF0):
        body = struct.pack("<IB", 3, kind) + b"new"
        path.write_bytes(data[:end] + body + struct.pack("<I", zlib.crc32(body)))
        journal = read(path)
        if kind < 0x80:
            assert journal.records[-1].name == "kind 112"
            assert "no end record" in journal.fault
        else:
            assert f"unknown kind 240 at byte {end}" in journal.fault


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(sorted(set(KINDS) - {"header", "end"})), st.binary())))
def test_any_records_come_back_as_they_went_in(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("any") / "any.kwj"
    recorder = Recorder(path)
    recorder.begin({"seed": 1}, b"{}", b"")
    for kind, payload in rows:
        recorder.add(record(kind, payload))
    root = recorder.finish(record("verdict", b"{}"), 0)
    journal = read(path)
    assert [(item.name, item.payload) for item in journal.records[3:-2]] == rows
    assert (journal.fault, journal.root()) == ("", root)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    kind=st.sampled_from(["ask", "frame", "state", "event", "input", "key", "hash"]),
    payload=st.binary(max_size=80),
    through=st.sampled_from(["asks", "frames", "agent"]),
)
def test_whole_records_of_nonsense_are_an_error_or_a_difference(
    tmp_path_factory, short, kind, payload, through
):
    """Their CRC is right: nothing but what they say is wrong."""
    data = short.read_bytes()
    ask = next(row for row in layout(data) if row[0] == KINDS["ask"])
    path = tmp_path_factory.mktemp("nonsense") / "n.kwj"
    path.write_bytes(data[: ask[2]] + record(kind, payload) + data[ask[2] :])
    try:
        result = replay(path, through)
    except (JournalError, AgentError):
        return
    assert result.fault  # the root, at the least


# ---- writing ----


def test_a_file_that_is_there_is_never_touched(tmp_path):
    path = tmp_path / "kept.kwj"
    path.write_bytes(b"mine")
    with pytest.raises(JournalError, match=r"kept\.kwj.*allowed: a new file"):
        DriveEnv(journal=path).reset(seed=1)
    assert path.read_bytes() == b"mine"


def test_a_folder_that_is_not_there_or_is_a_file_is_an_error(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path / "no" / "a.kwj", tmp_path / "file" / "a.kwj", tmp_path):
        with pytest.raises(JournalError):
            DriveEnv(journal=path).reset(seed=1)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_an_unwritable_folder_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(JournalError):
        DriveEnv(journal=tmp_path / "a.kwj").reset(seed=1)


def test_further_drives_go_to_files_of_their_own(tmp_path):
    env = DriveEnv(scene=BARE, journal=tmp_path / "a.kwj", time_limit_s=0.2)
    for seed in (1, 2, 3):
        env.reset(seed=seed)
        env.step([0.1, 0.0])
    env.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a-2.kwj", "a-3.kwj", "a.kwj"]
    for seed, name in ((1, "a.kwj"), (2, "a-2.kwj"), (3, "a-3.kwj")):
        journal = read(tmp_path / name)
        assert (journal.fault, journal.header["seed"]) == ("", seed)


class Raises:
    """Goes well for three steps."""

    def reset(self, obs, info):
        self.left = 3

    def act(self, obs):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("out of ideas")
        return [0.1, 0.0]


class Tells:
    """Says what no JSON holds."""

    def __init__(self, decision=None, gap_m=None):
        self.decision = lambda: decision
        self.gap_m = gap_m

    def reset(self, obs, info):
        pass

    def act(self, obs):
        return [0.0, 0.0]

    def claim(self):
        return Claim(verdict="no_way", gap_m=self.gap_m)


@pytest.mark.parametrize(
    "agent",
    [Raises(), Tells({"x": object()}), Tells({"x": float("nan")}), Tells(None, float("inf"))],
    ids=["raises", "object", "nan", "claim"],
)
def test_an_agents_fault_ends_the_record_properly(tmp_path, agent):
    with pytest.raises(AgentError):
        recorded(tmp_path / "a.kwj", agent, scene=BARE, time_limit_s=1.0)
    journal = read(tmp_path / "a.kwj")
    assert journal.fault == ""
    said = json.loads(next(journal.of("verdict")).payload)
    assert said["verdict"] == ""
    assert type(agent).__name__ in said["error"]
    assert replay(tmp_path / "a.kwj", "asks").same


def test_options_that_no_file_holds_leave_the_agent_nameless(tmp_path):
    agent = make("observe")
    agent.made_from = ("observe", {"model": object()})
    recorded(tmp_path / "a.kwj", agent, scene=BARE)
    assert read(tmp_path / "a.kwj").header["agent"] == {}
    with pytest.raises(AgentError, match="names no agent"):
        replay(tmp_path / "a.kwj")


@pytest.mark.parametrize("room", [0, 100, 3000, 6000, 40000])
def test_a_full_disk_leaves_whole_records_and_says_so(tmp_path, monkeypatch, room):
    """Short writes first, as systems do, then no space at all."""
    left, write = [room], os.write

    def full(file, data):
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = write(file, bytes(data[: max(1, min(len(data) // 2, left[0]))]))
        left[0] -= taken
        return taken

    monkeypatch.setattr(journals.os, "write", full)
    path = tmp_path / "full.kwj"
    with pytest.raises(JournalError, match=r"No space left on device.*are whole"):
        recorded(path, scene="senses_room", time_limit_s=20.0)
    monkeypatch.undo()
    data = path.read_bytes()
    assert len(data) <= room
    assert data == b"" or layout(data) is not None
    if room == 40000:
        journal = read(path)
        assert journal.fault == f"no end record: the drive was cut after byte {len(data)}"
        assert replay(path).same


@pytest.mark.parametrize("through", ["agent", "frames", "asks"])
def test_a_journal_cut_between_any_two_records_replays_up_to_its_last_whole_step(tmp_path, through):
    whole = recorded(tmp_path / "whole.kwj", time_limit_s=0.3)
    data, records = whole.read_bytes(), read(whole).records
    first_state = next(i for i, item in enumerate(records) if item.name == "state")
    cut = tmp_path / "cut.kwj"
    for item in records[first_state + 1 :]:
        cut.write_bytes(data[: item.offset])
        result = replay(cut, through)
        assert (result.same, result.difference) == (True, ""), (item.name, item.offset)
        assert result.fault


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_process_leaves_a_file_whose_whole_records_replay(tmp_path):
    path = tmp_path / "killed.kwj"
    code = (
        "from kinewright_env import DriveEnv, run\n"
        "from kinewright_env.agent import Claim, make\n"
        f"run(DriveEnv(time_limit_s=1e5, journal={str(path)!r}), make('random'), seed=5)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 60.0
        while time.monotonic() < until and process.poll() is None:
            if path.exists() and path.stat().st_size > 60_000:
                break
            time.sleep(0.005)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    journal = read(path)
    assert journal.fault
    assert sum(1 for _ in journal.of("state")) > 10
    for through in ("agent", "frames", "asks"):
        result = replay(path, through)
        assert (result.same, result.difference) == (True, "")
        assert result.fault == journal.fault


# ---- copies ----


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_unrecorded_and_the_originals_file_stays_right(tmp_path, copied):
    path = tmp_path / "a.kwj"
    env = DriveEnv(scene=BARE, journal=path)
    env.reset(seed=4)
    env.step([0.3, 0.1])
    other = copied(env)
    theirs, mine = other.step([0.3, 0.0]), env.step([0.3, 0.0])
    for key in mine[0]:
        np.testing.assert_array_equal(theirs[0][key], mine[0][key])
    other.step([0.5, 0.0])
    other.reset(seed=5)
    other.close()
    env.close()
    assert [file.name for file in tmp_path.iterdir()] == ["a.kwj"]
    assert read(path).fault == ""
    result = replay(path, "asks")
    assert (result.same, result.steps) == (True, 2)
