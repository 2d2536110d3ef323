"""A journal as files for other tools."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import JournalError
from .frames import SCALARS, Step, steps
from .journal import Journal, canonical
from .rig import CARDS
from .world import EVENT_NAMES

EPOCH = (1980, 1, 1, 0, 0, 0)  # the least that zip knows: the same journal, the same bytes


def to_npz(journal: Journal) -> bytes:
    """Return a journal's drive as an npz file of plain arrays, none of objects.

    Per sensor `X`: `X` the values, `X_status`, `X_sampled`, `X_emitted` the ticks, one row a
    frame; `lio` has a row a point, and `lio_count` says how many are of each frame. `pose`
    (ticks, 3) um, um, urad from tick 0 on. One row a step, the reset first: `tick` and the
    other scalars of an observation, units as there. `ask` one row a step: tick before, speed
    0.1 mm/s, steer urad, claim. `event` one row each: tick, number of the name, detail, with
    `event_names` the names. `header`, `scene`, `verdict`: JSON as text.

    Raises
    ------
    JournalError
        If no step of it is whole.
    """
    recorded = steps(journal)
    if not recorded:
        raise JournalError(f"{journal.path}: no step is whole: {journal.fault}")
    return _zipped(_arrays(journal, recorded))


FORMATS: Mapping[str, Callable[[Journal], bytes]] = {"npz": to_npz}


def _arrays(journal: Journal, recorded: list[Step]) -> dict[str, NDArray[Any]]:
    states = [step.state for step in recorded if step.state is not None]
    arrays: dict[str, NDArray[Any]] = {
        "header": np.array(canonical(journal.header).decode("ascii")),
        "scene": np.array(journal.scene_bytes().decode("utf-8")),
        "verdict": np.array([item.payload.decode("ascii") for item in journal.of("verdict")]),
        # a step that ran no tick repeats the present, which is there already
        "pose": np.concatenate([states[0].poses, *(s.poses for s in states[1:] if s.ticks)]),
        "ask": _table([step.ask for step in recorded if step.ask is not None], 4),
        "event": _table([event for step in recorded for event in step.events], 3),
        "event_names": np.array(EVENT_NAMES),
    }
    for name in SCALARS:
        arrays[name] = np.array([state.scalars[name] for state in states], np.int32)
    for sensor in journal.header["rig"]:
        arrays |= _sensor(sensor["key"], recorded)
    return arrays


def _sensor(key: str, recorded: list[Step]) -> dict[str, NDArray[Any]]:
    card = CARDS[key]
    frames = [frame for step in recorded for frame in step.frames if frame.key == key]
    empty = np.empty(0, np.int32)
    row_shape = card.value_shape[1:] if card.is_counted else card.value_shape

    def joined(parts: list[NDArray[np.int32]], shape: tuple[int, ...]) -> NDArray[np.int32]:
        return np.concatenate([empty.reshape(0, *shape), *parts])

    return {
        key: joined([frame.values for frame in frames], row_shape),
        card.status_key: joined([frame.statuses for frame in frames], card.status_shape),
        f"{key}_sampled": joined([frame.sampled for frame in frames], ()),
        f"{key}_emitted": joined([frame.emitted for frame in frames], ()),
    }


def _table(rows: list[tuple[int, ...]], width: int) -> NDArray[np.int32]:
    return np.array(rows, np.int32).reshape(-1, width)


def _zipped(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())
    return out.getvalue()
