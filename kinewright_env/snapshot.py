"""One moment of a drive as a viewer needs it: plain values, nothing that can change a drive."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .layers import Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorFrame:
    """The newest frame of one sensor.

    `values` and `status` are as in the observation, but of a counted sensor the values are
    the rows that there are, and the status their count; `tick` is the tick it was sampled on
    (of the scan: that of its last beam), and `-1` before the first frame.
    """

    values: NDArray[np.int32]
    status: NDArray[np.int32]
    tick: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where a drive stands after a step.

    `poses` (n, 3) float64 is x m, y m, heading rad of `base_link` at each tick of the step,
    the last row the present; `present` (n_solids,) bool says which solids are there.
    `decision` is the agent's last, as it goes into the record.
    """

    tick: int
    poses: NDArray[np.float64]
    speed_mps: float
    steer_rad: float
    ask_speed_mps: float
    ask_steer_rad: float
    wheel_angles_rad: tuple[float, float, float, float]
    present: NDArray[np.bool_]
    goal_m: tuple[float, float, float] | None
    contact_solid: int
    clearance_m: float
    frames: Mapping[str, SensorFrame] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()
    decision: Mapping[str, object] = field(default_factory=dict)
    sentence: str = ""
    scene: str = ""
