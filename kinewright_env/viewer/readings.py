"""The sensors' newest readings as words for the panel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..rig import NOTHING_YET, RETURN, STATUSES
from ..snapshot import SensorFrame
from .style import QUIET, STATUS_COLORS, Color

Line = tuple[str, Color]


def _range(frame: SensorFrame) -> Line:
    status = int(frame.status.ravel()[-1])
    if status == RETURN:
        return f"{int(frame.values.ravel()[-1])} mm", STATUS_COLORS[status]
    return STATUSES[status], STATUS_COLORS[status]


def _fan(frame: SensorFrame) -> Line:
    status = frame.status.ravel()
    return f"{np.count_nonzero(status == RETURN)} of {len(status)} return", STATUS_COLORS[RETURN]


def _numbers(frame: SensorFrame) -> Line:
    return "  ".join(str(value) for value in frame.values.ravel()[:6].tolist()), QUIET


# By the sensor's key; any other shows its first numbers.
WORDS: dict[str, Callable[[SensorFrame], Line]] = {"beam": _range, "scan": _fan}


def reading(key: str, frame: SensorFrame | None) -> Line:
    """Return a sensor's newest reading in words and the colour of its status."""
    if frame is None or frame.tick < 0 or frame.values.size == 0:
        return STATUSES[NOTHING_YET], STATUS_COLORS[NOTHING_YET]
    return WORDS.get(key, _numbers)(frame)
