"""The sensors' newest readings as words for the panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..rig import NOTHING_YET, RETURN, STATUSES, TOO_NEAR
from ..snapshot import SensorFrame

if TYPE_CHECKING:
    from ..rig import Sensor


def degrees_per_second(sensor: Sensor, frame: SensorFrame) -> float:
    """Return the yaw rate that an inertial unit reads."""
    return int(frame.values.ravel()[0]) * sensor.card.units[0][0]


def _range(_: Sensor, frame: SensorFrame) -> str:
    status = int(frame.status.ravel()[-1])
    return f"{int(frame.values.ravel()[-1])} mm" if status == RETURN else STATUSES[status]


def _fan(_: Sensor, frame: SensorFrame) -> str:
    near = int(np.count_nonzero(frame.status == TOO_NEAR))
    words = f"{np.count_nonzero(frame.status == RETURN)} of {frame.status.size} return"
    return f"{words}, {near} too near" if near else words


def _targets(_: Sensor, frame: SensorFrame) -> str:
    seen = frame.status == RETURN
    if not seen.any():
        return STATUSES[int(frame.status.ravel()[0])]
    count = int(np.count_nonzero(seen))
    nearest_mm = int(frame.values[seen][0, 0])
    return f"{count} target{'s' if count > 1 else ''}, {nearest_mm} mm"


def _switches(_: Sensor, frame: SensorFrame) -> str:
    sides = np.array(("left", "right"))[frame.values.ravel() != 0]
    return f"{' and '.join(sides.tolist())} closed" if len(sides) else "open"


def _numbers(_: Sensor, frame: SensorFrame) -> str:
    return "  ".join(str(value) for value in frame.values.ravel()[:6].tolist())


def _points(_: Sensor, frame: SensorFrame) -> str:
    return f"{int(frame.status)} new points"


def _yaw_rate(sensor: Sensor, frame: SensorFrame) -> str:
    return f"{degrees_per_second(sensor, frame):+.1f} deg/s"


# By the sensor's key; any other shows its first numbers.
WORDS: dict[str, Callable[[Sensor, SensorFrame], str]] = {
    "cone": _range,
    "grid": _fan,
    "beam": _range,
    "scan": _fan,
    "radar": _targets,
    "bumpers": _switches,
    "imu": _yaw_rate,
    "lio": _points,
}


def reading(sensor: Sensor, frame: SensorFrame | None) -> str:
    """Return a sensor's newest reading in words."""
    if frame is None or frame.tick < 0:
        return STATUSES[NOTHING_YET]
    return WORDS.get(sensor.key, _numbers)(sensor, frame)


def is_alarming(sensor: Sensor, frame: SensorFrame | None) -> bool:
    """Return whether a reading says that something is too near or touched."""
    if frame is None or frame.tick < 0:
        return False
    if sensor.key == "bumpers":
        return bool(frame.values.any())
    if sensor.card.is_counted:
        return False
    return bool((frame.status == TOO_NEAR).any())
