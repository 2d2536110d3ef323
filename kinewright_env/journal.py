"""The journal: a drive's record as a file that grows record by record and can be cut anywhere.

Magic, then records: u32 length of the payload, u8 kind, payload, u32 CRC-32 of all three,
little-endian. The core writes the records of each step, this module the others. The root
of a drive is the SHA-256 of its bytes from the magic up to the `end` record.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import core
from .errors import JournalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .world import World

MAGIC = b"\x89KWJ\r\n\x1a\n"  # as PNG's: a text-mode transfer shows in it
FORMAT: int = core.lib.KW_JOURNAL_FORMAT
SEMANTICS: int = core.lib.KW_JOURNAL_SEMANTICS
UNKNOWN_STOPS: int = core.lib.KW_JOURNAL_UNKNOWN_STOPS
TOGETHER_S = 0.001  # steps within it go to the system in one call, for that costs as much as one
TOGETHER_BYTES = 65536  # and as many as this hold
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would write \r\n for \n

KINDS: Mapping[str, int] = core.enumerators("kw_record_kind", "KW_RECORD_")
NAMES: Mapping[int, str] = {number: name for name, number in KINDS.items()}


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: Any) -> bytes:
    """Return a value as JSON with sorted keys, ASCII, no spaces."""
    return _ENCODER.encode(value).encode("ascii")


def record(kind: str, payload: bytes) -> bytes:
    """Return one whole record."""
    body = struct.pack("<IB", len(payload), KINDS[kind]) + payload
    return body + struct.pack("<I", zlib.crc32(body))


class Recorder:
    """Takes a drive's records, and keeps their digest; writes them where it has a file.

    Parameters
    ----------
    path : Path, optional
        A file that is not there yet: what was recorded before stays whole.
    step_bytes : int
        The most that the records of one step take.

    Raises
    ------
    JournalError
        If the file is there already or can't be made.
    """

    def __init__(self, path: Path | None = None, step_bytes: int = 0) -> None:
        self._hash = hashlib.sha256()
        self._steps = 0
        self._length = 0
        self._due_s = 0.0
        self._room = memoryview(bytearray(TOGETHER_BYTES + step_bytes))
        self._room_pointer = core.ffi.from_buffer("uint8_t[]", self._room)
        self._waiting = core.ffi.new("kw_records *", (self._room_pointer, 0))
        self._path = path
        self._file: int | None = None
        if path is not None:
            try:
                self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o644)
            except OSError as error:
                raise JournalError(f"{path}: {error.strerror}; allowed: a new file") from error
        self.add(MAGIC)

    def begin(self, header: Mapping[str, Any], scene: bytes, setup: bytes) -> None:
        """Write what fixes the drive."""
        fixed = {"format": FORMAT, "semantics": SEMANTICS, **header}
        self.add(record("header", canonical(fixed)))
        self.add(record("scene", scene))
        self.add(record("setup", setup))

    def add(self, records: bytes) -> None:
        """Take whole records, and hand all that wait to the system.

        Raises
        ------
        JournalError
            If they can't be written; the file then ends before them and stays whole.
        """
        self._wait(records)
        self._hand_on()

    def add_start(self, world: World) -> None:
        """Take the records of a reset, and hand all that wait to the system.

        Raises
        ------
        JournalError
            As `add` does.
        """
        world.record(self._waiting)
        self._hand_on()

    def add_claim(self, world: World, claim: int) -> None:
        """Take the records of an end by a claim, and hand all that wait to the system.

        Raises
        ------
        JournalError
            As `add` does.
        """
        self._steps += 1
        world.record(self._waiting, claim)
        self._hand_on()

    def step(self, world: World, n_ticks: int) -> NDArray[np.int32]:
        """Step a world, take the records of it, and return the observation.

        Those of steps that follow at once are handed to the system together.

        Raises
        ------
        JournalError
            As `add` does.
        CoreError
            As `World.step` does.
        """
        block = world.step(n_ticks, self._waiting)
        self._steps += 1
        if self._waiting.n_bytes > TOGETHER_BYTES or time.perf_counter() >= self._due_s:
            self._hand_on()
        return block

    def place(self, pose: tuple[float, float, float]) -> None:
        """Take where the shell was put, metres and radians, before the next ask."""
        self._wait(record("place", struct.pack("<ddd", *pose)))

    def note(self, kind: str, content: Mapping[str, Any]) -> None:
        """Take what an agent decided, as canonical JSON; it goes out with the step's records."""
        self._wait(record(kind, canonical(content)))

    def _wait(self, records: bytes) -> None:
        """Put records behind those that wait; after it there is room for a step's."""
        waiting = self._waiting
        if waiting.n_bytes + len(records) > TOGETHER_BYTES:
            self._hand_on()
        if len(records) > TOGETHER_BYTES:
            self._hand(memoryview(records))
            return
        end = waiting.n_bytes + len(records)
        self._room[waiting.n_bytes : end] = records
        waiting.n_bytes = end

    def _hand_on(self) -> None:
        n, self._waiting.n_bytes = self._waiting.n_bytes, 0
        self._due_s = time.perf_counter() + TOGETHER_S
        self._hand(self._room[:n])

    def _hand(self, records: memoryview) -> None:
        """Digest and write; see `add`."""
        self._hash.update(records)
        if self._file is None:
            return
        try:
            written = os.write(self._file, records)
            while written < len(records):
                written += os.write(self._file, records[written:])
        except OSError as error:
            file, self._file = self._file, None
            with contextlib.suppress(OSError):  # else the reader cuts what is not whole
                os.ftruncate(file, self._length)
            os.close(file)
            raise JournalError(
                f"{self._path}: {error.strerror}; the {self._length} bytes before are whole"
            ) from error
        self._length += written

    def finish(self, verdict: bytes, tick: int) -> str:
        """Write the verdict's record and the end, see both on the disk, and return the root."""
        self.add(verdict)
        root = self._hash.digest()
        if self._file is not None:
            self.add(record("end", struct.pack("<ii", self._steps, tick) + root))
            file, self._file = self._file, None
            try:
                os.fsync(file)
            except OSError as error:
                raise JournalError(f"{self._path}: {error.strerror}") from error
            finally:
                os.close(file)
        return root.hex()


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a journal, and where it begins in the file."""

    kind: int
    payload: bytes
    offset: int

    @property
    def name(self) -> str:
        """Name of the kind."""
        return NAMES.get(self.kind, f"kind {self.kind}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What a file holds, up to its end or its first fault.

    `fault` is empty for a journal that ends with its `end` record and whose root is right.
    """

    path: Path
    header: Mapping[str, Any]
    records: tuple[Record, ...]
    fault: str

    def of(self, *names: str) -> Iterator[Record]:
        """Yield the records of some kinds, in order."""
        kinds = {KINDS[name] for name in names}
        return (item for item in self.records if item.kind in kinds)

    def scene_bytes(self) -> bytes:
        """Return the scene's canonical bytes.

        Raises
        ------
        JournalError
            If the file was cut before them.
        """
        for item in self.of("scene"):
            return item.payload
        raise JournalError(f"{self.path}: it holds no scene: {self.fault}")

    def root(self) -> str:
        """Return the root over the records that are there."""
        digest = hashlib.sha256(MAGIC)
        for item in self.records:
            if item.kind != KINDS["end"]:
                body = struct.pack("<IB", len(item.payload), item.kind) + item.payload
                digest.update(body + struct.pack("<I", zlib.crc32(body)))
        return digest.hexdigest()


def read(path: str | Path) -> Journal:
    """Read a journal: all whole records up to its end or its first fault.

    Raises
    ------
    JournalError
        If the file can't be read, is no journal, is of a newer format, or has no header.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from error
    return parse(data, path)


def parse(data: bytes, path: Path) -> Journal:
    """Return the journal in the bytes of a file; see `read`."""
    if not data.startswith(MAGIC):
        reason = "is empty" if not data else "does not begin as a journal does"
        raise JournalError(f"{path}: {reason}; allowed: a file recorded by kinewright")
    records, fault = _split(data)
    header = _header(path, records, fault)
    if not fault:
        fault = _check_end(records, data)
    return Journal(path=path, header=header, records=tuple(records), fault=fault)


def _split(data: bytes) -> tuple[list[Record], str]:
    """Return the whole records from the front, and what is wrong behind them."""
    records: list[Record] = []
    at = len(MAGIC)
    while at < len(data):
        if len(data) - at < 9:
            return records, f"cut within a record that begins at byte {at}"
        length, kind = struct.unpack_from("<IB", data, at)
        end = at + 5 + length
        if end + 4 > len(data):
            return records, f"cut within a record that begins at byte {at}"
        if zlib.crc32(data[at:end]) != struct.unpack_from("<I", data, end)[0]:
            return records, f"bytes changed in the record that begins at byte {at}"
        if kind not in NAMES and kind & UNKNOWN_STOPS:
            return records, f"record of unknown kind {kind} at byte {at} that may not be skipped"
        records.append(Record(kind, data[at + 5 : end], at))
        at = end + 4
    return records, ""


def _header(path: Path, records: list[Record], fault: str) -> Mapping[str, Any]:
    if not records or records[0].kind != KINDS["header"]:
        raise JournalError(f"{path}: no header: {fault or 'the first record is another'}")
    try:
        header = json.loads(records[0].payload)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"{path}: header: {error}") from error
    if not isinstance(header, dict):
        raise JournalError(f"{path}: header: it is no table")
    for key, known in (("format", FORMAT), ("semantics", SEMANTICS)):
        if header.get(key) != known:
            raise JournalError(
                f"{path}: its {key} is {header.get(key)!r}; this version reads {known}"
            )
    return header


def _check_end(records: list[Record], data: bytes) -> str:
    """Return what is wrong with the end of a journal whose records are all whole."""
    last = records[-1]
    if last.kind != KINDS["end"]:
        return f"no end record: the drive was cut after byte {len(data)}"
    if any(item.kind == KINDS["end"] for item in records[:-1]):
        return "an end record before the last"
    if last.payload[8:] != hashlib.sha256(data[: last.offset]).digest():
        return f"the root in the end record at byte {last.offset} is another than the bytes' own"
    return ""
