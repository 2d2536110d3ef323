"""What a run of a rolling map came to: sums, peaks and refusals by cause."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from kinewright_env.grids.rolling import COUNTS, DECISIONS, KINDS, STATUSES, FrameResult

# Of these the greatest value counts, and a sum says nothing.
PEAKS: Final = {"active_cells": "peak_cells", "greatest_age_ns": "greatest_age_ns"}


class Totals:
    """Sums over the frames and ticks of a run.

    `frames` counts frames that were offered, refused ones included; `peak_components` is the
    most evidence with cells, current and retained, of one frame; `active_cells` that are there
    at the end.
    """

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._peaks: Counter[str] = Counter()
        self._active_cells = 0

    def add(self, result: FrameResult) -> None:
        """Count a frame or tick."""
        self._statuses[result.status] += 1
        self._sums.update(result.counts)
        for kind, n in result.evidence.items():
            self._sums[f"evidence_{kind}"] += n
        self._sums.update(result.decisions)
        for name, peak in PEAKS.items():
            self._peaks[peak] = max(self._peaks[peak], result.counts[name])
        components = result.evidence["current"] + result.evidence["retained"]
        self._peaks["peak_components"] = max(self._peaks["peak_components"], components)
        self._active_cells = result.counts["active_cells"]

    def to_dict(self) -> dict[str, Any]:
        """Return all counts by name."""
        ticks = self._statuses["ticked"]
        summed = [name for name in COUNTS if name not in PEAKS]
        return {
            "frames": self._statuses.total() - ticks,
            "ticks": ticks,
            **{name: self._statuses[name] for name in STATUSES if name != "ticked"},
            **{name: self._sums[name] for name in summed},
            "active_cells": self._active_cells,
            **{name: self._peaks[name] for name in (*PEAKS.values(), "peak_components")},
            **{f"evidence_{kind}": self._sums[f"evidence_{kind}"] for kind in KINDS},
            **{name: self._sums[name] for name in DECISIONS},
        }
