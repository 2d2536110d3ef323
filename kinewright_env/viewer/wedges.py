"""Cone, grid and beam on the map: wedges of their own angles that end at what they read."""

from __future__ import annotations

import math

import numpy as np

from ..rig import NO_ECHO, NOTHING_YET, OUT_OF_RANGE, RETURN, TOO_NEAR
from .camera import Camera
from .pygame_loader import pygame
from .shapes import stroke, veil
from .sight import (
    MM_PER_M,
    Floats,
    Label,
    Sight,
    arc_m,
    in_metres,
    mount,
    shown_range_m,
    status_color,
)

BEAM_ALPHAS = {RETURN: 70, OUT_OF_RANGE: 20, TOO_NEAR: 150, NO_ECHO: 38}
CONE_ALPHAS = {RETURN: 34, OUT_OF_RANGE: 12, TOO_NEAR: 150}
COLUMN_ALPHA = 16


def _wedge(camera: Camera, origin_m: Floats, arc: Floats) -> Floats:
    return np.concatenate([camera.pixels(origin_m)[None], camera.pixels(arc)])


def _single(sight: Sight) -> tuple[int, float, Floats, Floats] | None:
    """Return status, range, origin and arc of a sensor of one reading."""
    sensor, frame, pose = sight.sensor, sight.frame, sight.pose
    status = int(frame.status.ravel()[-1])
    if status == NOTHING_YET or pose is None:
        return None
    range_m = shown_range_m(sensor, int(frame.values.ravel()[-1]), status)
    origin, half = mount(pose, sight.ahead_m), sensor.half_angle_rad
    return status, range_m, origin, arc_m(origin, range_m, pose[2] - half, pose[2] + half)


def _labels(sight: Sight, status: int, end_px: Floats) -> list[Label]:
    if status != RETURN:
        return []
    words = in_metres(int(sight.frame.values.ravel()[-1]))
    return [Label((float(end_px[0]), float(end_px[1])), words, sight.color)]


def draw_beam(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw the newest reading as a full wedge that ends in an arc: somewhere on it the echo is."""
    found = _single(sight)
    if found is None:
        return []
    status, _, origin, arc = found
    color = status_color(sight.color, status)
    wedge = _wedge(camera, origin, arc)
    veil(surface, wedge, color, BEAM_ALPHAS[status])
    stroke(surface, wedge[1:], color, 3 if status in (RETURN, TOO_NEAR) else 1)
    return _labels(sight, status, wedge[1])


def draw_cone(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw the newest reading as a pale cone with its two edges and a rim at the range."""
    found = _single(sight)
    if found is None:
        return []
    status, _, origin, arc = found
    color = status_color(sight.color, status)
    wedge = _wedge(camera, origin, arc)
    veil(surface, wedge, color, CONE_ALPHAS[status])
    for edge in (wedge[1], wedge[-1]):
        stroke(surface, np.stack([wedge[0], edge]), color, 1)
    if status != OUT_OF_RANGE:
        stroke(surface, wedge[1:], color, 2)
    return _labels(sight, status, wedge[-1])


def column_ranges_m(sight: Sight) -> Floats:
    """Return how far each column of the grid sees over the ground, infinite where it is open.

    A zone's range runs up its own elevation: the map shows its foot. Too near is the least
    range.
    """
    sensor, frame = sight.sensor, sight.frame
    rows = frame.values.shape[0]
    step_rad = 2.0 * sensor.half_angle_rad / rows
    elevations = 2.0 * sensor.half_angle_rad - step_rad * (np.arange(rows) + 0.5)
    level = frame.values / MM_PER_M * np.cos(elevations)[:, None]
    near = np.where(frame.status == TOO_NEAR, sensor.range_min_m, np.inf)
    nearest: Floats = np.where(frame.status == RETURN, level, near).min(axis=0)
    return nearest


def draw_grid(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw each column as a wedge that ends at the nearest of its zones; open ones as none."""
    pose, half = sight.pose, sight.sensor.half_angle_rad
    if pose is None or (sight.frame.status == NOTHING_YET).all():
        return []
    origin = mount(pose, sight.ahead_m)
    ranges_m = column_ranges_m(sight)
    step_rad = 2.0 * half / len(ranges_m)
    labels = []
    for column, range_m in enumerate(ranges_m.tolist()):
        left_rad = pose[2] + half - column * step_rad
        if not math.isfinite(range_m):
            continue
        wedge = _wedge(camera, origin, arc_m(origin, range_m, left_rad, left_rad - step_rad))
        color = status_color(
            sight.color, TOO_NEAR if range_m <= sight.sensor.range_min_m else RETURN
        )
        veil(surface, wedge, color, COLUMN_ALPHA)
        stroke(surface, wedge[1:], color, 3)
        middle = wedge[1 + len(wedge) // 2]
        labels.append(Label((float(middle[0]), float(middle[1])), f"{range_m:.2f}", sight.color))
    return sorted(labels, key=lambda label: label.words)[:1]
