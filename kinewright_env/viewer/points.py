"""The points of the newest increment on the map: not a scan, only what was new."""

from __future__ import annotations

from .camera import Camera
from .pygame_loader import pygame
from .shapes import dots
from .sight import MM_PER_M, Label, Sight
from .style import FLOOR, mix

LOW_MM = 30  # below this a point is the ground's, or cannot be told from it
GROUND_SHARE = 0.65


def draw_points(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw a dot for each point, those of the ground pale and below the others.

    A frame without points draws nothing: that is no sign of a free way.
    """
    points_mm = sight.frame.values
    radius = 2 if camera.scale_pxpm > 60 else 1
    low = points_mm[:, 2] < LOW_MM
    places = camera.pixels(points_mm[:, :2] / MM_PER_M)
    dots(surface, places[low], radius, mix(sight.color, FLOOR, GROUND_SHARE))
    dots(surface, places[~low], radius, sight.color)
    return []
