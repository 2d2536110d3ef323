"""Whether this machine computes what every other one does: the core's known answers.

What is tried is the build that is installed, on the processor that it runs on, so that a
user of any platform can tell.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from . import core, grids
from .journal import read
from .replay import replay
from .speed import machine

# A short drive of `follow_path` with the whole rig, recorded when this version was made.
JOURNAL = Path(__file__).with_name("selftest.kwj")

# (counter, key, words): kat_vectors of DEShawResearch/random123, philox4x32 with 10 rounds
PHILOX_KNOWN = (
    ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)
# [rand.predef]: the 10,000th output of a default std::philox4x32, of seed 20111115
PHILOX_SEED = 20111115
PHILOX_10000TH = 1955073260

# SHA-256 over 5,000 outputs each of sin, cos, tan and atan2, little-endian
FUNCTIONS_SHA256 = "cf169a2196b4c12e43eafa44c9839d5cfdcccfe2eb7e8269cd1b443bd5465932"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: what was tried, whether it held, and the answer or what was wrong."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selftest:
    """What this machine is and what came of the checks.

    `root` is that of the recorded drive: the same on every machine where `ok` is True.
    """

    ok: bool
    root: str
    machine: dict[str, str]
    checks: tuple[Check, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order."""
        return asdict(self)


class _NotOkError(Exception):
    """A check did not hold; the text says what came instead."""


def functions_sha256() -> str:
    """Return the digest of 20,000 outputs of the core's elementary functions.

    Arguments are thirds of powers of 1.01 from 1e-6 to 1e5, both signs: no generator,
    whose streams may change, is needed for them.
    """
    sizes = [float(Fraction(101, 100) ** n / 3) for n in range(-1250, 1250)]
    values = np.array([*sizes, *(-x for x in sizes)])
    outputs = [grids.sin(values), grids.cos(values), grids.tan(values)]
    outputs.append(grids.atan2(values, values[::-1]))
    return hashlib.sha256(struct.pack("<20000d", *np.concatenate(outputs))).hexdigest()


def _check_doubles() -> str:
    core.self_check()
    return "products are rounded by themselves, subnormals kept, ties go to even"


def _check_philox() -> str:
    for counter, key, expected in PHILOX_KNOWN:
        words = tuple(core.philox([counter], key))
        if words != expected:
            raise _NotOkError(f"counter {counter} under key {key} gives {words}, not {expected}")
    # its counter goes up by one for every four outputs, the lowest word first
    last = core.philox([(2499, 0, 0, 0)], (PHILOX_SEED, 0))[3]
    if last != PHILOX_10000TH:
        raise _NotOkError(f"the 10,000th value is {last}, not {PHILOX_10000TH}")
    return f"three published vectors; the 10,000th value is {last}"


def _check_functions() -> str:
    digest = functions_sha256()
    if digest != FUNCTIONS_SHA256:
        raise _NotOkError(f"20,000 values have SHA-256 {digest}, not {FUNCTIONS_SHA256}")
    return "20,000 values are the same to the last bit"


def _check_replay(through: str) -> str:
    result = replay(JOURNAL, through)
    if result.fault or not result.same:
        raise _NotOkError(result.fault or result.difference)
    return f"{result.steps} steps give the same records, byte for byte"


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("IEEE doubles", _check_doubles),
    ("Philox4x32-10", _check_philox),
    ("sine, cosine, tangent, arctangent", _check_functions),
    ("replay through asks", lambda: _check_replay("asks")),
    ("replay through agent", lambda: _check_replay("agent")),
)


def checks() -> Iterator[Check]:
    """Yield each check as it is done; one that fails in any way is not ok."""
    for name, run in CHECKS:
        try:
            yield Check(name=name, ok=True, detail=run())
        except Exception as error:
            yield Check(name=name, ok=False, detail=str(error) or type(error).__name__)


def selftest() -> Selftest:
    """Run all checks.

    Returns
    -------
    Selftest
        `ok` only where every check holds.
    """
    done = tuple(checks())
    return Selftest(
        ok=all(check.ok for check in done),
        root=read(JOURNAL).root(),
        machine=machine(),
        checks=done,
    )
