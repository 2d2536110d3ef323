"""The bumpers' lights at the front corners of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..snapshot import SensorFrame
from .body import turned
from .camera import Camera
from .pygame_loader import pygame
from .shapes import disc, ring
from .style import ACCENT, ALARM, LIGHT_OFF
from .track import Pose

if TYPE_CHECKING:
    from ..shells import Shell

RADIUS_M = 0.012
LEAST_PX, LARGEST_PX = 2.0, 7.0
GLOW = 2.0  # a lit one is larger, so that it is seen on a wide map


def draw_lights(
    surface: pygame.Surface, camera: Camera, shell: Shell, pose: Pose, frame: SensorFrame
) -> None:
    """Draw a light at each front corner: red where its switch is closed."""
    front_m = shell.body_ahead_m + 0.5 * shell.length_m
    corners = np.array([[front_m, 0.5 * shell.width_m], [front_m, -0.5 * shell.width_m]])
    places = camera.pixels(turned(corners, pose[2]) + np.array(pose[:2]))
    radius = min(max(RADIUS_M * camera.scale_pxpm, LEAST_PX), LARGEST_PX)
    for place, closed in zip(places.tolist(), frame.values.ravel().tolist(), strict=True):
        at = (place[0], place[1])
        if closed:
            disc(surface, at, GLOW * radius, ALARM)
            ring(surface, at, GLOW * radius + 3.0, ALARM, 2)
        else:
            disc(surface, at, radius + 1.0, ACCENT)
            disc(surface, at, radius, LIGHT_OFF)
