"""The shell: its true outline, four wheels at their true angles, its nose, its pivot."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .camera import Camera
from .pygame_loader import pygame
from .shapes import ring, smooth
from .style import ACCENT, ALARM, BODY, NOSE, WHEEL, WHEEL_MARK, WHITE, Color, mix
from .track import Moment

if TYPE_CHECKING:
    from ..shells import Shell

Floats = NDArray[np.float64]

# Only for the eye: the declarations give a wheel a radius and no width.
TYRE_WIDTH_PER_RADIUS = 0.6
SMALL_PX = 22.0
MARKER_PX = 13


def rectangle(length_m: float, width_m: float, ahead_m: float = 0.0) -> Floats:
    """Return the corners (4, 2) of a rectangle around a point on the x axis."""
    x0, x1, y = ahead_m - length_m / 2, ahead_m + length_m / 2, width_m / 2
    return np.array([[x0, -y], [x1, -y], [x1, y], [x0, y]])


def turned(points: Floats, angle_rad: float) -> Floats:
    """Return points (n, 2) turned counter-clockwise about the origin."""
    cosine, sine = math.cos(angle_rad), math.sin(angle_rad)
    result: Floats = points @ np.array([[cosine, sine], [-sine, cosine]])
    return result


class Body:
    """Draws one shell."""

    def __init__(self, shell: Shell) -> None:
        ahead, length = shell.body_ahead_m, shell.length_m
        self._hull = rectangle(length, shell.width_m, ahead)
        self._deck = rectangle(0.5 * length, 0.5 * shell.width_m, ahead - 0.07 * length)
        tip = ahead + 0.46 * length
        self._nose = np.array(
            [
                [tip, 0.0],
                [tip - 0.17 * length, 0.30 * shell.width_m],
                [tip - 0.12 * length, 0.0],
                [tip - 0.17 * length, -0.30 * shell.width_m],
            ]
        )
        radius = shell.wheel_radius_m
        self._wheel = rectangle(2 * radius, TYRE_WIDTH_PER_RADIUS * radius)
        self._mark = rectangle(2 * radius, 0.2 * TYRE_WIDTH_PER_RADIUS * radius)
        self._hubs = shell.wheel_positions_m
        self._length_m = length
        self._ahead_m = ahead

    def draw(self, surface: pygame.Surface, camera: Camera, moment: Moment) -> None:
        """Draw the shell at its pose; red where it is in contact."""
        x_m, y_m, heading_rad = moment.pose
        contact = moment.snapshot.contact_solid >= 0
        line = ALARM if contact else ACCENT

        def placed(points: Floats) -> Floats:
            return camera.pixels(turned(points, heading_rad) + np.array([x_m, y_m]))

        hull = placed(self._hull)
        reach = camera.scale_pxpm * self._length_m
        left, top = (int(v) - 4 for v in hull.min(axis=0))
        right, bottom = (int(v) + 5 for v in hull.max(axis=0))
        if pygame.Rect(left, top, right - left, bottom - top).colliderect(surface.get_clip()):
            parts = self._parts(moment, line, contact)

            def paint(patch: pygame.Surface, scale: int) -> None:
                for points, color in parts:
                    pygame.draw.polygon(
                        patch, color, ((placed(points) - (left, top)) * scale).tolist()
                    )
                pivot = (np.array(camera.pixel(x_m, y_m)) - (left, top)) * scale
                radius = max(reach * 0.022, 1.5) * scale
                pygame.draw.circle(patch, WHITE, pivot.tolist(), radius * 1.6)
                pygame.draw.circle(patch, line, pivot.tolist(), radius)

            smooth(surface, (left, top, right - left, bottom - top), paint)
        if reach < SMALL_PX:
            self._marker(surface, placed, line)

    def _parts(self, moment: Moment, line: Color, contact: bool) -> list[tuple[Floats, Color]]:
        """Return the polygons from the ground up, in `base_link`."""
        face = mix(BODY, ALARM, 0.25) if contact else BODY
        middle = (self._ahead_m, 0.0)
        inner = (self._hull - middle) * (0.955, 0.925) + middle
        parts = [(self._hull, line), (inner, face), (self._deck, mix(face, line, 0.18))]
        parts.append((self._nose, ALARM if contact else NOSE))
        for hub, angle_rad in zip(self._hubs, moment.wheel_angles_rad, strict=True):
            parts.append((turned(self._wheel, angle_rad) + hub, WHEEL))
            parts.append((turned(self._mark, angle_rad) + hub, WHEEL_MARK))
        return parts

    def _marker(
        self, surface: pygame.Surface, placed: Callable[[Floats], Floats], line: Color
    ) -> None:
        """Ring a shell that would be lost on a wide map, with its heading."""
        ends = placed(np.array([[self._ahead_m, 0.0], [self._ahead_m + 1.0, 0.0]]))
        way = (ends[1] - ends[0]) / max(float(np.hypot(*(ends[1] - ends[0]))), 1e-9)
        side = np.array([-way[1], way[0]])
        middle = ends[0]
        ring(surface, (middle[0], middle[1]), MARKER_PX, line, 2)
        tip = middle + way * (MARKER_PX + 9)
        foot = middle + way * (MARKER_PX + 1)
        pygame.draw.polygon(surface, line, [tip.tolist(), *(foot + s * side * 5 for s in (1, -1))])
