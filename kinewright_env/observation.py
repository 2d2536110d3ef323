"""The observation of `Drive-v0`: one block of int32 from the core, seen as named arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import core
from .rig import Rig, Sensor
from .shells import Shell

Observation = dict[str, NDArray[np.int32]]

INT32_LOW, INT32_HIGH = -(2**31), 2**31 - 1

SCALAR_UNITS: Mapping[str, str] = MappingProxyType(
    {
        "pose": "um, um, urad",
        "speed": "mm/s",
        "steer": "urad",
        "tick": "ticks",
        "goal": "um",
        "goal_radius": "um",
        "has_goal": "0 or 1",
        "goals_left": "goals",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One entry of the observation: where it lies in the core's block, and its bounds."""

    key: str
    shape: tuple[int, ...]
    unit: str
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class Layout:
    """How the core's block is cut into entries, for one rig, shell and step length.

    Parameters
    ----------
    rig : Rig
        Its sensors stand first, in order: readings, statuses, ticks.
    shell : Shell
        Its limits bound speed, steer and what the inertial unit can read.
    ticks_per_step : int
        Frames of a sensor: `ceil(ticks_per_step / period)`.
    """

    def __init__(self, rig: Rig, shell: Shell, ticks_per_step: int) -> None:
        fields: list[Field] = []
        for sensor in rig:
            frames = -(-ticks_per_step // sensor.period_tick)
            fields += _sensor_fields(sensor, shell, frames)
        fields += _own_fields(shell, ticks_per_step)
        self.fields = tuple(fields)
        self.length = 0
        cuts: list[tuple[str, slice, tuple[int, ...] | None]] = []
        for field in fields:
            size = math.prod(field.shape)
            shape = None if len(field.shape) == 1 else field.shape
            cuts.append((field.key, slice(self.length, self.length + size), shape))
            self.length += size
        self._cuts = tuple(cuts)

    def cut(self, block: NDArray[np.int32]) -> Observation:
        """Return the entries as views of a block, which the caller must not use again."""
        return {
            key: block[where] if shape is None else block[where].reshape(shape)
            for key, where, shape in self._cuts
        }

    def space(self) -> spaces.Dict:
        """Return the observation space: an int32 `Box` an entry, with true bounds."""
        return spaces.Dict(
            {
                field.key: spaces.Box(
                    np.broadcast_to(field.low, field.shape),
                    np.broadcast_to(field.high, field.shape),
                    field.shape,
                    np.int32,
                )
                for field in self.fields
            }
        )

    def units(self) -> dict[str, str]:
        """Return the unit of each entry."""
        return {field.key: field.unit for field in self.fields}


def _field(key: str, shape: tuple[int, ...], unit: str, low: object, high: object) -> Field:
    return Field(
        key=key,
        shape=shape,
        unit=unit,
        low=np.asarray(low, np.int32),
        high=np.asarray(high, np.int32),
    )


def _sensor_fields(sensor: Sensor, shell: Shell, frames: int) -> tuple[Field, Field, Field]:
    card = sensor.card
    low, high = core.sensor_bounds(sensor, shell)
    statuses = (frames, *card.status_shape)
    status = ("points", 0, card.value_shape[0]) if card.is_counted else ("status", 0, 4)
    return (
        _field(sensor.key, (frames, *card.value_shape), card.unit, low, high),
        _field(card.status_key, statuses, *status),
        _field(f"{sensor.key}_tick", (frames,), "ticks", -1, INT32_HIGH),
    )


def _own_fields(shell: Shell, ticks_per_step: int) -> tuple[Field, ...]:
    half_turn = 3141593
    place = (INT32_LOW, INT32_HIGH)
    low_mmps = -round(shell.reverse_speed_limit_mps * 1000)
    high_mmps = round(shell.forward_speed_limit_mps * 1000)
    lock_urad = round(shell.lock_rad * 1e6)
    rows: tuple[tuple[str, tuple[int, ...], object, object], ...] = (
        (
            "pose",
            (ticks_per_step, 3),
            [INT32_LOW, INT32_LOW, -half_turn],
            [INT32_HIGH, INT32_HIGH, half_turn],
        ),
        ("speed", (1,), low_mmps, high_mmps),
        ("steer", (1,), -lock_urad, lock_urad),
        ("tick", (1,), 0, INT32_HIGH),
        ("goal", (2,), *place),
        ("goal_radius", (1,), 0, INT32_HIGH),
        ("has_goal", (1,), 0, 1),
        ("goals_left", (1,), 0, 63),
    )
    return tuple(_field(key, shape, SCALAR_UNITS[key], lo, hi) for key, shape, lo, hi in rows)
