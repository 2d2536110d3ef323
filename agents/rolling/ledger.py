"""The ledger of a rolling map: one canonical line a frame, and one SHA-256 a run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from kinewright_env.grids.increment import RollingBounds
from kinewright_env.grids.rolling import COUNTS, DECISIONS, KINDS, FrameResult

VERSION: Final = 1
COLUMNS: Final = (
    *("line", "status", "answer", "fault", "time_ns"),
    *COUNTS,
    *(f"evidence_{kind}" for kind in KINDS),
    *DECISIONS,
    *("input", "corridor", "published"),
)


class Ledger:
    """Lines of whole numbers, words and digests, hashed as they come.

    A line stands for a frame or a tick, refused ones included, in the order in which they
    came. `input` is the SHA-256 of the frame's points, pose and stamp, `corridor` that of the
    corridor, `published` that of the components and their cells. Nothing of the machine is
    in it: two runs over the same frames have the same root wherever they run.

    Parameters
    ----------
    bounds : RollingBounds
        Of the map; they are in the header.
    sink : callable, optional
        Takes each line, its end included; without one only the hash is kept.
    """

    def __init__(self, bounds: RollingBounds, sink: Callable[[str], None] | None = None) -> None:
        self._hash = hashlib.sha256()
        self._sink = sink
        self._n_lines = 0
        figures = " ".join(f"{name}={value}" for name, value in bounds.to_dict().items())
        self._write(f"# kinewright rolling ledger {VERSION}\n")
        self._write(f"# {figures}\n")
        self._write(f"# {' '.join(COLUMNS)}\n")

    def add(self, result: FrameResult, corridor_digest: str) -> None:
        """Add the line of a frame or tick."""
        numbers = (
            *(int(result.fault), result.time_ns),
            *result.counts.values(),
            *result.evidence.values(),
            *result.decisions.values(),
        )
        self._write(
            f"{self._n_lines} {result.status} {result.answer} {' '.join(map(str, numbers))} "
            f"{result.input_digest} {corridor_digest} {result.published_digest}\n"
        )
        self._n_lines += 1

    def root(self) -> str:
        """Return the SHA-256 of the ledger so far."""
        return self._hash.hexdigest()

    def _write(self, line: str) -> None:
        self._hash.update(line.encode("ascii"))
        if self._sink is not None:
            self._sink(line)
