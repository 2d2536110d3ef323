"""Observations made by hand, for what an agent knows without a world."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinewright_env.rig import Rig, Sensor

FRAME_SHAPES = {"scan": ((360,), (360,)), "grid": ((8, 8), (8, 8)), "beam": ((), ())}
FRAME_SHAPES |= {"bumpers": ((2,), ())}


@pytest.fixture(scope="session")
def observation() -> Callable[..., dict[str, Any]]:
    """Return a function that makes one observation; see `observe_by_hand`."""
    return observe_by_hand


def observe_by_hand(
    rig: Rig,
    ticks_per_step: int,
    tick: int,
    *,
    poses_um: Any = (0, 0, 0),
    speed_mmps: int = 0,
    steer_urad: int = 0,
    frames: dict[str, tuple[Any, Any, int]] | None = None,
) -> dict[str, Any]:
    """One observation; `frames[key]` is values, statuses and the tick of one frame."""
    obs: dict[str, Any] = {
        "tick": np.array([tick], np.int32),
        "pose": np.broadcast_to(np.asarray(poses_um, np.int32), (ticks_per_step, 3)).copy(),
        "speed": np.array([speed_mmps], np.int32),
        "steer": np.array([steer_urad], np.int32),
    }
    for sensor in rig:
        if sensor.key in FRAME_SHAPES:
            obs |= _frames_of(sensor, ticks_per_step, (frames or {}).get(sensor.key))
    return obs


def _frames_of(
    sensor: Sensor, ticks_per_step: int, frame: tuple[Any, Any, int] | None
) -> dict[str, Any]:
    n = -(-ticks_per_step // sensor.period_tick)
    values, statuses = FRAME_SHAPES[sensor.key]
    entries = {
        sensor.key: np.zeros((n, *values), np.int32),
        f"{sensor.key}_status": np.zeros((n, *statuses), np.int32),
        f"{sensor.key}_tick": np.full(n, -1, np.int32),
    }
    if frame is not None:
        for name, given in zip(entries, frame, strict=True):
            entries[name][0] = given
    return entries
