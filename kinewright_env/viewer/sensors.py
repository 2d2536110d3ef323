"""What the sensors read: rays and wedges on the map from the poses they were sampled at."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..rig import NOTHING_YET, OUT_OF_RANGE, RETURN, TOO_NEAR
from ..snapshot import SensorFrame
from .camera import Camera
from .pygame_loader import pygame
from .shapes import arc_units, dots, stroke, veil
from .style import SCAN, STATUS_COLORS, WEDGE_ALPHAS
from .track import Pose, Track

if TYPE_CHECKING:
    from ..rig import Sensor
    from ..shells import Shell

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sight:
    """A frame of a sensor, where the sensor stands, and where the shell has been.

    `ahead_m` is how far the sensor stands ahead of the pivot.
    """

    sensor: Sensor
    ahead_m: float
    frame: SensorFrame
    track: Track


MM_PER_M = 1000.0
FAN_ALPHA, RAY_ALPHA = 22, 26


def mount(pose: Pose, ahead_of_pivot_m: float) -> tuple[float, float]:
    """Return where a sensor on the shell's axis stands in `map`."""
    x_m, y_m, heading_rad = pose
    return (
        x_m + ahead_of_pivot_m * math.cos(heading_rad),
        y_m + ahead_of_pivot_m * math.sin(heading_rad),
    )


def shown_range_m(sensor: Sensor, value_mm: int, status: int) -> float:
    """Return how far a reading is drawn: its value, or the limit that its status speaks of."""
    if status == RETURN:
        return value_mm / MM_PER_M
    return sensor.range_min_m if status == TOO_NEAR else sensor.range_max_m


def scan_rays(sight: Sight) -> tuple[Floats, Floats, NDArray[np.int32]]:
    """Return origins (n, 2), ends (n, 2) in `map` and statuses (n,) of a revolution's beams.

    Each beam starts from the pose of the tick it was cast on: with `n` beams in a period of
    `p` ticks the first `n / p` on the revolution's first tick, and so on to its last one,
    `frame.tick`. Beams of a tick whose pose nobody has seen are left out.
    """
    sensor, frame = sight.sensor, sight.frame
    values, statuses = frame.values.ravel(), frame.status.ravel()
    per_tick = len(values) // sensor.period_tick
    origins, ends, kept = [], [], []
    for part in range(sensor.period_tick):
        pose = sight.track.pose_at(frame.tick - sensor.period_tick + 1 + part)
        if pose is None:
            continue
        beams = np.arange(part * per_tick, (part + 1) * per_tick)
        status = statuses[beams]
        range_m = np.where(status == RETURN, values[beams] / MM_PER_M, sensor.range_max_m)
        range_m = np.where(status == TOO_NEAR, sensor.range_min_m, range_m)
        angles = np.asarray(pose[2] + beams * (2.0 * math.pi / len(values)), np.float64)
        origin = np.array(mount(pose, sight.ahead_m))
        origins.append(np.repeat(origin[None], per_tick, axis=0))
        ends.append(origin + range_m[:, None] * arc_units(angles) * (1.0, -1.0))
        kept.append(status)
    if not kept:
        return np.empty((0, 2)), np.empty((0, 2)), np.empty(0, np.int32)
    return np.concatenate(origins), np.concatenate(ends), np.concatenate(kept)


def draw_scan(surface: pygame.Surface, camera: Camera, sight: Sight) -> None:
    """Draw a revolution as a see-through fan, its rays, and a dot for each return."""
    origins_m, ends_m, status = scan_rays(sight)
    lit = np.isin(status, (RETURN, OUT_OF_RANGE, TOO_NEAR))
    if not lit.any():
        return
    origins, ends = camera.pixels(origins_m), camera.pixels(ends_m)
    rim = np.where(lit[:, None], ends, origins)
    veil(surface, np.concatenate([origins[:1], rim, origins[-1:]]), SCAN, FAN_ALPHA)
    color = (*SCAN, RAY_ALPHA)
    for (x0, y0), (x1, y1) in zip(
        origins[lit][::2].astype(int).tolist(), ends[lit][::2].astype(int).tolist(), strict=True
    ):
        pygame.gfxdraw.line(surface, x0, y0, x1, y1, color)
    radius = 2 if camera.scale_pxpm > 60 else 1
    for code in (RETURN, TOO_NEAR):
        dot = SCAN if code == RETURN else STATUS_COLORS[TOO_NEAR]
        dots(surface, ends[status == code], radius, dot)


def draw_beam(surface: pygame.Surface, camera: Camera, sight: Sight) -> None:
    """Draw the newest reading as a wedge of the beam's angle that ends in an arc."""
    sensor, frame = sight.sensor, sight.frame
    status = int(frame.status.ravel()[-1])
    pose = sight.track.pose_at(frame.tick)
    if status == NOTHING_YET or pose is None:
        return
    color, alpha = STATUS_COLORS[status], WEDGE_ALPHAS[status]
    range_m = shown_range_m(sensor, int(frame.values.ravel()[-1]), status)
    origin = np.array(mount(pose, sight.ahead_m))
    angles = pose[2] + np.linspace(-sensor.half_angle_rad, sensor.half_angle_rad, 25)
    arc = camera.pixels(origin + range_m * arc_units(angles) * (1.0, -1.0))
    veil(surface, np.concatenate([camera.pixels(origin)[None], arc]), color, alpha)
    stroke(surface, arc, color, 3 if status == RETURN else 1)


Drawing = Callable[[pygame.Surface, Camera, Sight], None]

# The sensors that show on the map, by key; the others are numbers in the panel.
ON_MAP: dict[str, Drawing] = {"scan": draw_scan, "beam": draw_beam}


class Sensors:
    """Draws what the rig of one shell reads."""

    def __init__(self, sensors: tuple[Sensor, ...], shell: Shell) -> None:
        self.sensors = sensors
        self._body_ahead_m = shell.body_ahead_m

    @property
    def on_map(self) -> tuple[str, ...]:
        """The keys of the sensors that can be drawn on the map."""
        return tuple(sensor.key for sensor in self.sensors if sensor.key in ON_MAP)

    def draw(
        self,
        surface: pygame.Surface,
        camera: Camera,
        key: str,
        frame: SensorFrame,
        track: Track,
    ) -> None:
        """Draw the frame of one sensor."""
        if frame.tick < 0:
            return
        sensor = next(sensor for sensor in self.sensors if sensor.key == key)
        ahead_m = self._body_ahead_m + sensor.ahead_m
        ON_MAP[key](surface, camera, Sight(sensor, ahead_m, frame, track))
