"""What a journal's records say: asks, frames and states, as the numbers they are."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .agent import AXIS_FULL, Inputs
from .core import SENSOR_KEYS
from .errors import JournalError
from .journal import KINDS, Journal, Record
from .rig import CARDS, SensorCard

SCALARS = (
    *("speed", "steer", "tick", "goal_x", "goal_y"),
    *("goal_radius", "has_goal", "goals_left"),
)


TOLD = ("decision", "plan", "switch")
EACH = 255  # in place of a status: they are not all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """One sensor's frames of one step.

    `sampled` and `emitted` (n,) are ticks; `statuses` (n, ...) and `values` (n, ...) are
    shaped as in the observation. Of a counted sensor the statuses are the counts, and the
    values (rows, ...) those of all frames, one after the other, without what is zero.
    """

    key: str
    sampled: NDArray[np.int32]
    emitted: NDArray[np.int32]
    statuses: NDArray[np.int32]
    values: NDArray[np.int32]

    def frame(self, index: int) -> NDArray[np.int32]:
        """Return the values of one frame; of a counted sensor as many rows as it has."""
        at: int | slice = index
        if CARDS[self.key].is_counted:
            first = int(self.statuses[:index].sum())
            at = slice(first, first + int(self.statuses[index]))
        values: NDArray[np.int32] = self.values[at]
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What was observed at the end of a step beside frames.

    `poses` (n, 3) are um, um, urad at the ticks that ran (the present where none did).
    """

    tick: int
    ticks: int
    poses: NDArray[np.int32]
    scalars: dict[str, int]


@dataclass(slots=True, kw_only=True)
class Step:
    """One step of a journal: the ask that led to it (None for the reset), and what came.

    `events` are tick, number of the name, detail; `places` is where the shell was put and
    `inputs` what a person did on what this step brought, `told` what the agent told of it:
    `plan`, `switch` or `decision`, and its JSON.
    """

    ask: tuple[int, int, int, int] | None
    frames: list[Frames] = field(default_factory=list)
    events: list[tuple[int, int, int]] = field(default_factory=list)
    state: State | None = None
    places: list[tuple[float, float, float]] = field(default_factory=list)
    inputs: Inputs = field(default_factory=Inputs)
    told: list[tuple[str, bytes]] = field(default_factory=list)


def read_ask(record: Record) -> tuple[int, int, int, int]:
    """Return tick before, speed in 0.1 mm/s, steer in urad, and the claim."""
    tick, speed_dmmps, steer_urad, claim = struct.unpack("<iiiB", record.payload)
    return tick, speed_dmmps, steer_urad, claim


def read_frames(record: Record) -> list[Frames]:
    """Return the frames of a `frame` record, sensor by sensor.

    Raises
    ------
    JournalError
        If its bytes are not as its heads say.
    """
    found, at = [], 0
    while at < len(record.payload):
        frames, at = _read_sensor(record, at)
        found.append(frames)
    return found


_HEAD = struct.Struct("<BBHiHH")
_Read = tuple[NDArray[np.int32], NDArray[Any], int]  # statuses, values, and the end of both


def _read_sensor(record: Record, at: int) -> tuple[Frames, int]:
    """Return the frames of one sensor, and where the next one's begin."""
    model, width, count, sampled, latency, period = _HEAD.unpack_from(record.payload, at)
    if model >= len(SENSOR_KEYS) or width not in {1, 2, 4}:
        raise JournalError(f"frame at byte {record.offset}: model {model}, width {width}")
    card = CARDS[SENSOR_KEYS[model]]
    read = _read_counted if card.is_counted else _read_whole
    part = read(record.payload, at + _HEAD.size, card, (width, count))
    if part is None:
        raise JournalError(f"frame at byte {record.offset}: {len(record.payload)} bytes")
    statuses, values, end = part
    ticks = sampled + period * np.arange(count, dtype=np.int64)
    frames = Frames(
        key=card.key,
        sampled=ticks.astype(np.int32),
        emitted=(ticks + latency).astype(np.int32),
        statuses=statuses,
        values=values.astype(np.int32),
    )
    return frames, end


def _read_whole(body: bytes, at: int, card: SensorCard, form: tuple[int, int]) -> _Read | None:
    """Return what stands there, in a form of (bytes of a value, frames); None past the end."""
    width, count = form
    n_statuses, n_values = count * card.status_count, count * card.value_count
    (status,) = struct.unpack_from("<B", body, at)
    packed = (n_statuses + 1) // 2 if status == EACH else 0
    end = at + 1 + packed + width * n_values
    if end > len(body):
        return None
    statuses = np.full(n_statuses, status, np.int32)
    if packed:
        pairs = np.frombuffer(body, np.uint8, packed, at + 1)
        statuses[:] = np.stack([pairs & 15, pairs >> 4], axis=-1).ravel()[:n_statuses]
    values = np.frombuffer(body, f"<i{width}", n_values, at + 1 + packed)
    shapes = (count, *card.status_shape), (count, *card.value_shape)
    return statuses.reshape(shapes[0]), values.reshape(shapes[1]), end


def _read_counted(body: bytes, at: int, card: SensorCard, form: tuple[int, int]) -> _Read | None:
    """Return counts, and the rows of all frames, as `_read_whole` does."""
    width, count = form
    most, columns = card.value_shape
    counts = np.zeros(count, np.int32)
    rows: list[NDArray[Any]] = [np.empty(0, f"<i{width}")]
    for i in range(count):
        (n,) = struct.unpack_from("<i", body, at)
        end = at + 4 + width * columns * n
        if not 0 <= n <= most or end > len(body):
            return None
        counts[i] = n
        rows.append(np.frombuffer(body, f"<i{width}", columns * n, at + 4))
        at = end
    return counts, np.concatenate(rows).reshape(-1, columns), at


def read_state(record: Record) -> State:
    """Return what a `state` record holds.

    Raises
    ------
    JournalError
        If its bytes are not as its head says.
    """
    numbers = np.frombuffer(record.payload, "<i4").astype(np.int32)
    tick, ticks = numbers[:2].tolist()
    rows = max(1, ticks)
    if len(numbers) != 2 + 3 * rows + len(SCALARS):
        raise JournalError(f"state at byte {record.offset}: {len(record.payload)} bytes")
    scalars = dict(zip(SCALARS, numbers[2 + 3 * rows :].tolist(), strict=True))
    poses = numbers[2 : 2 + 3 * rows].reshape(rows, 3)
    return State(tick=tick, ticks=ticks, poses=poses, scalars=scalars)


def read_inputs(record: Record) -> Inputs:
    """Return what a person did at the window before an ask."""
    content = json.loads(record.payload)
    path = content.get("drawn_path_m")
    drive, steer = map(int, content.get("axes", (0, 0)))
    if max(abs(drive), abs(steer)) > AXIS_FULL:
        raise ValueError(f"axes {drive}, {steer}; allowed: -{AXIS_FULL} to {AXIS_FULL}")
    return Inputs(
        held=frozenset(content.get("held", ())),
        axes=(drive, steer),
        buttons=frozenset(content.get("buttons", ())),
        drawn_path_m=None if path is None else tuple((float(x), float(y)) for x, y in path),
        closed=content.get("closed") is True,
    )


def steps(journal: Journal) -> list[Step]:
    """Return the reset and each whole step, in order.

    Raises
    ------
    JournalError
        If a record's bytes are not as its head says.
    """
    done: list[Step] = []
    step = Step(ask=None)
    for record in journal.records:
        try:
            step = _take(step, done, record)
        except (struct.error, AttributeError, TypeError, ValueError, RecursionError) as error:
            raise JournalError(
                f"{journal.path}: {record.name} at byte {record.offset}: {error}"
            ) from error
    return done


def _take(step: Step, done: list[Step], record: Record) -> Step:
    """Add a record to the step in making, and return the one that is then in making."""
    if record.kind == KINDS["ask"]:
        return Step(ask=read_ask(record))
    if record.kind == KINDS["frame"]:
        step.frames += read_frames(record)
    elif record.kind == KINDS["event"]:
        step.events.append(struct.unpack("<iBi", record.payload))
    elif record.kind == KINDS["state"]:
        step.state = read_state(record)
        done.append(step)
    elif record.kind == KINDS["place"]:
        step.places.append(struct.unpack("<ddd", record.payload))
    elif record.kind == KINDS["input"]:
        step.inputs = read_inputs(record)
    elif record.name in TOLD:
        step.told.append((record.name, record.payload))
    return step
