"""What a drawing of a sensor is given, and how a reading becomes a place on the map."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..rig import RETURN, TOO_NEAR
from ..snapshot import SensorFrame
from .camera import Camera
from .pygame_loader import pygame
from .shapes import Point, arc_units
from .style import SENSOR_COLORS, STATUS_COLORS, Color
from .track import Pose, Track

if TYPE_CHECKING:
    from ..rig import Sensor

Floats = NDArray[np.float64]
MM_PER_M = 1000.0
ARC_STEP_RAD = math.radians(1.0)


@dataclass(frozen=True, slots=True)
class Sight:
    """A frame of a sensor, where the sensor stands, where the shell has been, and the present.

    `ahead_m` is how far the sensor stands ahead of the pivot; `tick` is the one shown.
    """

    sensor: Sensor
    ahead_m: float
    frame: SensorFrame
    track: Track
    tick: int

    @property
    def color(self) -> Color:
        """The sensor's own colour."""
        return SENSOR_COLORS[self.sensor.key]

    @property
    def pose(self) -> Pose | None:
        """Pose of `base_link` when the frame was sampled; none where nobody looked."""
        return self.track.pose_at(self.frame.tick)


@dataclass(frozen=True, slots=True)
class Label:
    """A number at a place of the picture, px."""

    place: Point
    words: str
    color: Color


# Draws a sight and returns the numbers that could be written to it.
Drawing = Callable[[pygame.Surface, Camera, Sight], list[Label]]


def mount(pose: Pose, ahead_of_pivot_m: float) -> Floats:
    """Return where a sensor on the shell's axis stands in `map`, (2,) metres."""
    x_m, y_m, heading_rad = pose
    return np.array(
        [
            x_m + ahead_of_pivot_m * math.cos(heading_rad),
            y_m + ahead_of_pivot_m * math.sin(heading_rad),
        ]
    )


def shown_range_m(sensor: Sensor, value_mm: int, status: int) -> float:
    """Return how far a reading is drawn: its value, or the limit that its status speaks of."""
    if status == RETURN:
        return value_mm / MM_PER_M
    return sensor.range_min_m if status == TOO_NEAR else sensor.range_max_m


def status_color(own: Color, status: int) -> Color:
    """Return a sensor's own colour, or that of a status that says something is amiss."""
    return STATUS_COLORS.get(status, own)


def arc_m(origin_m: Floats, range_m: float, first_rad: float, last_rad: float) -> Floats:
    """Return points (n, 2) of an arc in `map` about a point, at most a degree apart."""
    count = 2 + int(abs(last_rad - first_rad) / ARC_STEP_RAD)
    angles = np.linspace(first_rad, last_rad, count)
    return origin_m + range_m * arc_units(angles) * (1.0, -1.0)


def in_metres(value_mm: int) -> str:
    """Return a range as it is written on the picture."""
    return f"{value_mm / MM_PER_M:.2f}"
