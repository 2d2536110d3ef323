"""The scanner's revolution on the map: each beam from the pose it was cast at, paling with age."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..rig import OUT_OF_RANGE, RETURN, TOO_NEAR
from .camera import Camera
from .pygame_loader import pygame
from .shapes import arc_units, dots, veil
from .sight import MM_PER_M, Floats, Label, Sight, in_metres, mount
from .style import FLOOR, STATUS_COLORS, mix

FAN_ALPHA, RAY_ALPHA = 18, 18
AGE_GROUPS = 5
PALEST = 0.7
Ints = NDArray[np.int32]


def scan_rays(sight: Sight) -> tuple[Floats, Floats, Ints, Ints]:
    """Return origins (n, 2), ends (n, 2) in `map`, statuses (n,) and ticks (n,) of the beams.

    Each beam starts from the pose of the tick it was cast on: with `n` beams in a period of
    `p` ticks the first `n / p` on the revolution's first tick, and so on to its last one,
    `frame.tick`. Beams of a tick whose pose nobody has seen are left out.
    """
    sensor, frame = sight.sensor, sight.frame
    values, statuses = frame.values.ravel(), frame.status.ravel()
    per_tick = len(values) // sensor.period_tick
    origins, ends, kept, ticks = [], [], [], []
    for part in range(sensor.period_tick):
        tick = frame.tick - sensor.period_tick + 1 + part
        pose = sight.track.pose_at(tick)
        if pose is None:
            continue
        beams = np.arange(part * per_tick, (part + 1) * per_tick)
        status = statuses[beams]
        range_m = np.where(status == RETURN, values[beams] / MM_PER_M, sensor.range_max_m)
        range_m = np.where(status == TOO_NEAR, sensor.range_min_m, range_m)
        angles = np.asarray(pose[2] + beams * (2.0 * math.pi / len(values)), np.float64)
        origin = mount(pose, sight.ahead_m)
        origins.append(np.repeat(origin[None], per_tick, axis=0))
        ends.append(origin + range_m[:, None] * arc_units(angles) * (1.0, -1.0))
        kept.append(status)
        ticks.append(np.full(per_tick, tick, np.int32))
    if not kept:
        nothing = np.empty(0, np.int32)
        return np.empty((0, 2)), np.empty((0, 2)), nothing, nothing
    return (
        np.concatenate(origins),
        np.concatenate(ends),
        np.concatenate(kept),
        np.concatenate(ticks),
    )


def draw_scan(surface: pygame.Surface, camera: Camera, sight: Sight) -> list[Label]:
    """Draw a revolution as a see-through fan, its rays, and a dot for each return."""
    origins_m, ends_m, status, ticks = scan_rays(sight)
    lit = np.isin(status, (RETURN, OUT_OF_RANGE, TOO_NEAR))
    if not lit.any():
        return []
    origins, ends = camera.pixels(origins_m), camera.pixels(ends_m)
    rim = np.where(lit[:, None], ends, origins)
    veil(surface, np.concatenate([origins[:1], rim, origins[-1:]]), sight.color, FAN_ALPHA)
    color = (*sight.color, RAY_ALPHA)
    for (x0, y0), (x1, y1) in zip(
        origins[lit][::4].astype(int).tolist(), ends[lit][::4].astype(int).tolist(), strict=True
    ):
        pygame.gfxdraw.line(surface, x0, y0, x1, y1, color)
    radius = 2 if camera.scale_pxpm > 60 else 1
    dots(surface, ends[status == TOO_NEAR], radius, STATUS_COLORS[TOO_NEAR])
    # the oldest that is ever shown: a beam of the revolution's start, just before the next scan
    oldest = 2 * sight.sensor.period_tick + sight.sensor.latency_tick
    group = np.clip((sight.tick - ticks) * AGE_GROUPS // oldest, 0, AGE_GROUPS - 1)
    for age in range(AGE_GROUPS - 1, -1, -1):
        pale = mix(sight.color, FLOOR, PALEST * age / (AGE_GROUPS - 1))
        dots(surface, ends[(status == RETURN) & (group == age)], radius, pale)
    return _nearest(sight, ends, status)


def _nearest(sight: Sight, ends: Floats, status: Ints) -> list[Label]:
    """Return the number of the nearest return, where all beams are known."""
    values = sight.frame.values.ravel()
    if len(status) != len(values) or not (status == RETURN).any():
        return []
    beam = int(np.argmin(np.where(status == RETURN, values, np.iinfo(np.int32).max)))
    x, y = ends[beam].tolist()
    return [Label((x, y), in_metres(int(values[beam])), sight.color)]
