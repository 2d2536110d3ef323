"""The stand-alone replayer: every build gives the golden drives, and no file hurts it."""

import hashlib
import re
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinewright_env import journal
from kinewright_env.env import DriveEnv
from kinewright_env.journal import KINDS, MAGIC, Journal, read
from kinewright_env.selftest import JOURNAL

Replayer = Any  # of conftest.py
Compile = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[2]
EVENTFUL = ROOT / "tests/golden/eventful.kwj"
FUZZ = Path(__file__).with_name("replay_fuzz.c")
SAME, DIFFERENT, BAD_FILE = 0, 1, 2


def run(*command: str | Path) -> tuple[int, str]:
    """Return exit status and what was printed, on either stream."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def kw_replay(replayer: Replayer) -> Path:
    """The replayer, built quickly."""
    return replayer.build("cc", "-O0")


# ---- Every build ----


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3", "-O3 -march=native"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_build_replays_the_golden_drives(
    replayer: Replayer, compiler: str, level: str
) -> None:
    replayer.replay_all(replayer.build(compiler, *level.split()))


def test_each_file_includes_what_it_needs_without_the_headers_of_one_processor(
    compile_c: Compile,
) -> None:
    flags = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-U__SSE2__"]
    for source in sorted((ROOT / "csrc").rglob("*.c")):
        result = compile_c("cc", *flags, "-fsyntax-only", source)
        assert result.returncode == 0, result.stderr


# ---- What differs is named ----


Edit = Callable[[list[tuple[int, bytes]]], object]


def rewritten(source: Journal, edit: Edit) -> bytes:
    """Return a journal whose records were edited, with the right CRCs, counts and root."""
    records = [(item.kind, item.payload) for item in source.records if item.kind != KINDS["end"]]
    edit(records)
    data = MAGIC + b"".join(raw_record(*record) for record in records)
    end = source.records[-1].payload
    return data + journal.record("end", end[:8] + hashlib.sha256(data).digest())


# after the last tick of the eventful drive, which a claim has ended for the environment alone
LATER_ASK = struct.pack("<iiiB", 360, 0, 0, 0)


def raw_record(kind: int, payload: bytes) -> bytes:
    body = len(payload).to_bytes(4, "little") + bytes([kind]) + payload
    return body + zlib.crc32(body).to_bytes(4, "little")


def index_of(source: Journal, name: str, number: int = -1) -> int:
    """Return where the numbered record of a kind lies among all records."""
    found = [i for i, item in enumerate(source.records) if item.name == name]
    return found[number]


@pytest.mark.parametrize("name", ["frame", "state", "event", "hash", "key"])
def test_the_first_record_that_differs_is_named_with_its_place_and_both_values(
    kw_replay: Path, tmp_path: Path, name: str
) -> None:
    source = read(EVENTFUL)
    index = index_of(source, name)
    record = source.records[index]
    place = len(record.payload) - 3
    changed = bytearray(record.payload)
    changed[place] ^= 0x10
    file = tmp_path / "changed.kwj"
    file.write_bytes(
        rewritten(source, lambda all_: all_.__setitem__(index, (record.kind, changed)))
    )
    status, text = run(kw_replay, file)
    assert status == DIFFERENT
    recorded, now = bytes(changed[place:]).hex(" "), record.payload[place:].hex(" ")
    assert text.startswith(
        f"different at byte {record.offset}: a record differs from byte {place} of its payload on: "
        f"recorded {name} {recorded}, now {name} {now}; "
    )


def test_another_ask_gives_another_state(kw_replay: Path, tmp_path: Path) -> None:
    source = read(EVENTFUL)
    index = index_of(source, "ask", -2)  # still in force at the last digest
    ask = bytearray(source.records[index].payload)
    ask[4] ^= 0x80
    file = tmp_path / "changed.kwj"
    file.write_bytes(rewritten(source, lambda all_: all_.__setitem__(index, (KINDS["ask"], ask))))
    status, text = run(kw_replay, file)
    assert status == DIFFERENT
    offset = int(re.match(r"different at byte (\d+): ", text)[1])
    assert offset > source.records[index].offset
    assert "recorded ask" not in text


@pytest.mark.parametrize(("edit", "says"), [
    (lambda all_: all_.pop(-2), "now state"),
    (lambda all_: all_.append((KINDS["event"], bytes(9))), "recorded event"),
    (lambda all_: all_.append((KINDS["ask"], LATER_ASK)), "recorded nothing"),
])  # fmt: skip
def test_a_record_too_few_or_too_many_is_a_difference(
    kw_replay: Path, tmp_path: Path, edit: Edit, says: str
) -> None:
    file = tmp_path / "changed.kwj"
    file.write_bytes(rewritten(read(EVENTFUL), edit))
    status, text = run(kw_replay, file)
    assert status == DIFFERENT, text
    assert says in text


# ---- A shell put elsewhere ----


def test_a_drive_in_which_the_shell_was_put_elsewhere_replays(
    kw_replay: Path, tmp_path: Path
) -> None:
    file = tmp_path / "placed.kwj"
    env = DriveEnv(scene="senses_room", journal=file)
    env.reset(seed=1)
    for n in range(40):
        if n in {0, 20}:
            env.place((1.5, 2.5, 0.1 * n))
        env.step([0.5, 0.1])
    env.close()
    status, text = run(kw_replay, file)
    assert status == SAME, text
    source = read(file)
    place = index_of(source, "place")
    elsewhere = struct.pack("<ddd", 1.5, 2.5, 0.1)
    far = struct.pack("<ddd", 1e9, 0.0, 0.0)
    for payload, expected in ((elsewhere, DIFFERENT), (elsewhere[:-1], BAD_FILE), (far, BAD_FILE)):
        record = (KINDS["place"], payload)
        file.write_bytes(rewritten(source, lambda all_: all_.__setitem__(place, record)))  # noqa: B023
        status, text = run(kw_replay, file)
        assert status == expected, text


# ---- Bad files ----


def test_a_cut_file_is_bad_and_the_record_it_is_cut_in_is_named(
    kw_replay: Path, tmp_path: Path
) -> None:
    data = EVENTFUL.read_bytes()
    starts = [record.offset for record in read(EVENTFUL).records]
    file = tmp_path / "cut.kwj"
    for size in [*range(1, len(data), 401), *range(len(data) - 60, len(data))]:
        file.write_bytes(data[:size])
        status, text = run(kw_replay, file)
        assert status == BAD_FILE
        place = max((start for start in starts if start <= size), default=0)
        assert text.startswith(f"bad file at byte {place}: "), (size, text)


def test_a_flipped_byte_is_found_in_the_record_that_it_lies_in(
    kw_replay: Path, tmp_path: Path
) -> None:
    data = EVENTFUL.read_bytes()
    starts = [0, *(record.offset for record in read(EVENTFUL).records)]
    file = tmp_path / "flipped.kwj"
    for place in range(0, len(data), 397):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        file.write_bytes(flipped)
        status, text = run(kw_replay, file)
        assert status == BAD_FILE
        where = max(start for start in starts if start <= place)
        assert text.startswith(f"bad file at byte {where}: "), (place, text)


def test_what_is_no_journal_of_this_build_is_refused_with_the_reason(
    kw_replay: Path, tmp_path: Path
) -> None:
    source = read(EVENTFUL)
    header = source.records[0].payload

    def with_header(old: bytes, new: bytes) -> bytes:
        assert old in header
        payload = header.replace(old, new)
        return rewritten(source, lambda all_: all_.__setitem__(0, (KINDS["header"], payload)))

    setup = index_of(source, "setup")
    short = source.records[setup].payload[:-1]
    cases = {
        "does not begin as one": b"",
        "it does not begin": b"# a text\n",
        "no header": rewritten(source, lambda all_: all_.pop(0)),
        "another format": with_header(b'"format":2,', b'"format":3,'),
        "other semantics": with_header(b'"semantics":1,', b'"semantics":10,'),
        "before the setup": rewritten(source, lambda all_: all_.pop(setup)),
        "a setup that the core refuses": rewritten(
            source, lambda all_: all_.__setitem__(setup, (KINDS["setup"], short))
        ),
        "comes once": rewritten(source, lambda all_: all_.insert(4, all_[setup])),
        "may not be skipped": rewritten(source, lambda all_: all_.insert(4, (0x80, b"x"))),
        "bytes behind it": EVENTFUL.read_bytes() + raw_record(15, b""),
    }
    file = tmp_path / "bad.kwj"
    for reason, data in cases.items():
        file.write_bytes(data)
        status, text = run(kw_replay, file)
        assert (status, reason in text) == (BAD_FILE, True), (reason, text)


def test_a_record_of_a_kind_to_come_is_skipped(kw_replay: Path, tmp_path: Path) -> None:
    file = tmp_path / "later.kwj"
    file.write_bytes(rewritten(read(EVENTFUL), lambda all_: all_.insert(7, (0x7F, b"later"))))
    status, text = run(kw_replay, file)
    assert (status, text.split()[1]) == (SAME, read(file).root())


def test_usage_and_a_missing_file_are_said(kw_replay: Path, tmp_path: Path) -> None:
    assert run(kw_replay) == (BAD_FILE, "usage: kw_replay JOURNAL\n")
    status, text = run(kw_replay, tmp_path / "none.kwj")
    assert status == BAD_FILE
    assert "can't be read" in text


def test_no_mutated_journal_reads_or_computes_what_it_must_not(
    compile_c: Compile, replayer: Replayer, tmp_path: Path
) -> None:
    """Under address and undefined behaviour sanitizers, which end the program."""
    binary = tmp_path / "fuzz"
    sources = [source for source in replayer.sources if source.name != "kw_replay.c"]
    flags = ["-O1", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
    result = compile_c("gcc", *flags, *replayer.flags, *sources, FUZZ, "-o", binary, "-lm")
    if "cannot find" in result.stderr:
        pytest.skip("no sanitizers here")
    assert result.returncode == 0, result.stderr
    for file in (EVENTFUL, JOURNAL):
        status, text = run(binary, file, "20261130", "1500")
        assert status == 0, text
        same, different, bad = map(int, text.split())
        assert same + different + bad == 1500
        assert min(different, bad) > 100
