"""The radar's targets on the map: where each is, and how fast it closes."""

from __future__ import annotations

import math

import numpy as np

from ..rig import RETURN, TOO_NEAR
from .camera import Camera
from .pygame_loader import pygame
from .shapes import polygon, stroke, veil
from .sight import MM_PER_M, Floats, Label, Sight, arc_m, in_metres, mount
from .style import STATUS_COLORS, WHITE, Color

MARKER_PX = 7.0
ARROW_S = 1.0  # an arrow is as long as the way of this time
ARROW_FROM_PX, ARROW_LEAST_PX, HEAD_PX = 10.0, 6.0, 6.0
FIELD_M, FIELD_PX = 0.55, 70.0  # how far the field's opening is drawn, the less of both
FIELD_ALPHA = 30
LABEL_UP_PX = 30.0  # over the marker: the other sensors' numbers stand below their places


def draw_radar(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw the field's opening, and each target as a diamond with an arrow of its speed.

    The field is red while something is too near. An arrow points to the sensor where the
    target closes, away where it opens.
    """
    pose, sensor = sight.pose, sight.sensor
    if pose is None:
        return []
    origin, half = mount(pose, sight.ahead_m), sensor.half_angle_rad
    field_m = min(FIELD_M, FIELD_PX / camera.scale_pxpm)
    arc = arc_m(origin, field_m, pose[2] - half, pose[2] + half)
    field = camera.pixels(np.concatenate([origin[None], arc]))
    too_near = bool((sight.frame.status == TOO_NEAR).any())
    veil(surface, field, STATUS_COLORS[TOO_NEAR] if too_near else sight.color, FIELD_ALPHA)
    labels = []
    degrees_per_step = sensor.card.units[1][0]
    seen = sight.frame.values[sight.frame.status == RETURN].tolist()
    for range_mm, bearing, closing_mmps in seen:
        angle = pose[2] + math.radians(bearing * degrees_per_step)
        way = np.array([math.cos(angle), math.sin(angle)])
        place = camera.pixels(origin + way * (range_mm / MM_PER_M))
        closing_mps = closing_mmps / MM_PER_M
        length_px = closing_mps * ARROW_S * camera.scale_pxpm
        _arrow(surface, place, way * (1.0, -1.0), length_px, sight.color)
        _diamond(surface, place, sight.color)
        words = f"{in_metres(range_mm)} m, {closing_mps:+.2f} m/s"
        labels.append(Label((float(place[0]), float(place[1]) - LABEL_UP_PX), words, sight.color))
    return labels


def _diamond(surface: pygame.Surface, place: Floats, color: Color) -> None:
    for size, shade in ((MARKER_PX + 2.0, WHITE), (MARKER_PX, color)):
        corners = [(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)]
        polygon(surface, [(place[0] + dx, place[1] + dy) for dx, dy in corners], shade)


def _arrow(
    surface: pygame.Surface, place: Floats, away: Floats, length_px: float, color: Color
) -> None:
    """Draw an arrow from a target: `away` is the unit vector from the sensor on the screen."""
    if abs(length_px) < ARROW_LEAST_PX:
        return
    way = -away if length_px > 0.0 else away
    tip = place + way * (ARROW_FROM_PX + abs(length_px))
    neck, side = tip - way * HEAD_PX, np.array([-way[1], way[0]])
    stroke(surface, np.stack([place, neck]), color, 2)
    head = [tip, neck + side * HEAD_PX * 0.6, neck - side * HEAD_PX * 0.6]
    polygon(surface, [point.tolist() for point in head], color)
