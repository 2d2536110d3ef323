"""Where two records of a drive part, and in which field of the state."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from itertools import zip_longest

import numpy as np

from .core import CoreError
from .frames import Frames, read_ask, read_frames, read_state
from .journal import KINDS, Journal, Record
from .rebuild import make_world


def first_difference(
    recorded: Journal, again: Journal, names: tuple[str, ...], *, whole: bool
) -> str:
    """Return the first difference of two journals in records of some kinds, or nothing.

    Parameters
    ----------
    recorded, again : Journal
        The second may go on where the first was cut.
    names : tuple of str
        Kinds of record to compare.
    whole : bool
        Whether the first came to its own end, so that the second may not go on.
    """
    one, two = list(recorded.of(*names)), list(again.of(*names))
    if not whole:
        # a step that was cut is not run again: compare up to the last whole one
        while one and one[-1].name not in {"state", "key"}:
            one.pop()
        two = two[: len(one)]
    for at, (first, second) in enumerate(zip_longest(one, two)):
        if first is None:
            return f"after the last record, now one more: {second.name}"
        if second is None:
            return f"{first.name} at byte {first.offset}: recorded, now nothing"
        if (first.kind, first.payload) != (second.kind, second.payload):
            where = f"{first.name} at byte {first.offset}"
            said = _both(recorded, first, second)
            later = _next_key(recorded, one[at:], two[at:]) if first.name == "hash" else ""
            return f"{where}: {said}{later}"
    return ""


def _next_key(recorded: Journal, one: list[Record], two: list[Record]) -> str:
    """Say in which field the next whole state differs: a digest tells only that one does."""
    for first, second in zip(one, two, strict=False):
        if first.kind != second.kind:
            break
        if first.kind == KINDS["key"] and first.payload != second.payload:
            return f"; next key, at byte {first.offset}: {_both(recorded, first, second)}"
    return "; no key with another state follows"


def _both(recorded: Journal, first: Record, second: Record) -> str:
    """Say where two records part, with both values there."""
    if first.kind != second.kind:
        return f"recorded a {first.name}, now a {second.name}"
    try:
        return _SAYERS.get(first.name, _bytes)(recorded, first, second)
    except (AttributeError, CoreError, LookupError, TypeError, ValueError, struct.error):
        return _bytes(recorded, first, second)  # not even the form is the same


def _place(one: bytes, two: bytes) -> int:
    pairs = zip(one, two, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))


def _bytes(_: Journal, first: Record, second: Record) -> str:
    at = _place(first.payload, second.payload)
    one, two = first.payload[at : at + 8].hex(" "), second.payload[at : at + 8].hex(" ")
    return f"from byte {at} of the payload on, recorded {one}, now {two}"


def _text(_: Journal, first: Record, second: Record) -> str:
    one, two = json.loads(first.payload), json.loads(second.payload)
    key = next(key for key in sorted({*one, *two}) if one.get(key) != two.get(key))
    return f"{key}: recorded {one.get(key)!r}, now {two.get(key)!r}"


def _ask(_: Journal, first: Record, second: Record) -> str:
    return f"recorded {read_ask(first)}, now {read_ask(second)}"


def _frames(_: Journal, first: Record, second: Record) -> str:
    for one, two in zip(read_frames(first), read_frames(second), strict=False):
        said = "" if one.key == two.key else f"recorded frames of {one.key}, now of {two.key}"
        said = said or _frames_of(one, two)
        if said:
            return said
    raise LookupError


def _frames_of(one: Frames, two: Frames) -> str:
    """Say where one sensor's frames part; nothing where they don't."""
    for name in ("sampled", "emitted", "statuses", "values"):
        a, b = getattr(one, name), getattr(two, name)
        if not np.array_equal(a, b):
            where = tuple(int(i) for i in np.argwhere(a != b)[0])
            return f"{one.key} {name} {where}: recorded {a[where]}, now {b[where]}"
    return ""


def _state(_: Journal, first: Record, second: Record) -> str:
    one, two = read_state(first), read_state(second)
    if not np.array_equal(one.poses, two.poses):
        row = int(np.argwhere(one.poses != two.poses)[0][0])
        return f"pose {row}: recorded {one.poses[row].tolist()}, now {two.poses[row].tolist()}"
    key = next(key for key in one.scalars if one.scalars[key] != two.scalars[key])
    return f"{key}: recorded {one.scalars[key]}, now {two.scalars[key]}"


def _hash(_: Journal, first: Record, second: Record) -> str:
    (tick, one), (_, two) = (struct.unpack("<iQ", item.payload) for item in (first, second))
    return f"state on tick {tick}: recorded {one:016x}, now {two:016x}"


def _key(recorded: Journal, first: Record, second: Record) -> str:
    """Name the field of the state, which follows the four bytes of the tick."""
    states = [item.payload[4:] for item in (first, second)]
    world = make_world(recorded)
    world.load(states[0])
    name, offset, size, is_real = world.state_field(_place(*states))
    form = "<d" if is_real else {1: "<B", 4: "<i", 8: "<Q"}[size]
    one, two = (struct.unpack_from(form, state, offset)[0] for state in states)
    tick = struct.unpack_from("<i", first.payload)[0]
    return f"state on tick {tick}: {name}: recorded {one!r}, now {two!r}"


_SAYERS: dict[str, Callable[[Journal, Record, Record], str]] = {
    **dict.fromkeys(("header", "input", "decision", "plan", "switch", "verdict"), _text),
    **{"ask": _ask, "frame": _frames, "state": _state, "hash": _hash, "key": _key},
}
