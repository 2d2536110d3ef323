"""Smooth shapes that pygame does not draw by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .pygame_loader import pygame
from .style import Color

Floats = NDArray[np.float64]
Point = tuple[float, float]

WIDEST_PX = 12
LARGEST_PATCH_PX = 1600


def finite_points(points: Sequence[Point]) -> Floats:
    """Return those of the points that are finite, as an array (n, 2)."""
    array = np.array(points, dtype=np.float64).reshape(-1, 2)
    kept: Floats = array[np.isfinite(array).all(axis=1)]
    return kept


def stroke(
    surface: pygame.Surface,
    points: Floats,
    color: Color | Sequence[Color],
    width_px: int = 2,
    closed: bool = False,
) -> None:
    """Draw an antialiased line of some width through points (n, 2) in pixels.

    A pixel's width is one antialiased line; wider ones are several, side by side. Several
    colours are taken one after the other along the line, each for an equal part of it.
    """
    if closed and len(points) > 2:
        points = np.concatenate([points, points[:1]])
    if len(points) < 2:
        return
    along = np.empty_like(points)
    along[1:-1] = points[2:] - points[:-2]
    along[0], along[-1] = points[1] - points[0], points[-1] - points[-2]
    length = np.hypot(along[:, 0], along[:, 1])
    length[length == 0.0] = 1.0
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
    colors = [color] if isinstance(color, tuple) else list(color)
    colors = colors[: len(points) - 1]
    cuts = [k * (len(points) - 1) // len(colors) for k in range(len(colors) + 1)]
    width = min(max(width_px, 1), WIDEST_PX)
    for offset in range(width):
        places = (points + (offset - (width - 1) / 2) * normals).tolist()
        for part, start, end in zip(colors, cuts, cuts[1:], strict=False):
            pygame.draw.aalines(surface, part, False, places[start : end + 1])


def dashed(surface: pygame.Surface, points: Floats, color: Color, dash_px: float = 5.0) -> None:
    """Draw a closed outline through points (n, 2) in pixels as dashes."""
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        length = float(np.hypot(*(end - start)))
        count = min(int(length / (2 * dash_px)) + 1, 400)
        for k in range(count):
            ends = start + (end - start) * np.array([[k / count], [(k + 0.5) / count]])
            pygame.draw.aaline(surface, color, *ends.tolist())


def disc(surface: pygame.Surface, place: Point, radius_px: float, color: Color) -> None:
    """Draw a filled circle with a smooth edge."""
    x, y, radius = round(place[0]), round(place[1]), min(max(round(radius_px), 1), 20000)
    pygame.gfxdraw.filled_circle(surface, x, y, radius, color)
    pygame.gfxdraw.aacircle(surface, x, y, radius, color)


def dots(surface: pygame.Surface, places: Floats, radius_px: int, color: Color) -> None:
    """Draw the same small disc at places (n, 2) in pixels."""
    side = 2 * radius_px + 3
    dot = pygame.Surface((side, side), pygame.SRCALPHA, 32)

    def paint(patch: pygame.Surface, scale: int) -> None:
        middle = side * scale / 2
        pygame.draw.circle(patch, color, (middle, middle), (radius_px + 0.5) * scale)

    smooth(dot, (0, 0, side, side), paint)
    corners = (np.rint(places) - side // 2).astype(int).tolist()
    premultiplied = pygame.BLEND_PREMULTIPLIED
    whole = dot.get_rect()
    surface.blits([(dot, corner, whole, premultiplied) for corner in corners], doreturn=False)


def ring(
    surface: pygame.Surface, place: Point, radius_px: float, color: Color, width_px: int = 2
) -> None:
    """Draw a circle with a smooth edge."""
    count = min(max(int(radius_px), 24), 240)
    angles = np.linspace(0.0, 2.0 * math.pi, count + 1)
    stroke(surface, np.array(place) + radius_px * arc_units(angles), color, width_px)


def arc_units(angles_rad: Floats) -> Floats:
    """Return unit vectors (n, 2) for angles, counter-clockwise on a screen that grows down."""
    return np.stack([np.cos(angles_rad), -np.sin(angles_rad)], axis=1)


def veil(surface: pygame.Surface, points: Floats, color: Color, alpha: int) -> None:
    """Fill a polygon through points (n, 2) in pixels with a see-through colour."""
    if len(points) >= 3 and alpha > 0:
        pygame.gfxdraw.filled_polygon(surface, points.astype(int).tolist(), (*color, alpha))


def card(
    surface: pygame.Surface,
    area: tuple[int, int, int, int],
    color: Color,
    edge: Color | None = None,
    radius_px: int = 8,
) -> None:
    """Draw a rectangle with round, smooth corners."""
    _, _, width, height = area
    if width < 1 or height < 1:
        return

    def paint(patch: pygame.Surface, scale: int) -> None:
        whole = (0, 0, width * scale, height * scale)
        radius = radius_px * scale
        pygame.draw.rect(patch, edge or color, whole, border_radius=radius)
        inner = (scale, scale, (width - 2) * scale, (height - 2) * scale)
        if edge is not None and width > 2 and height > 2:
            pygame.draw.rect(patch, color, inner, border_radius=radius - scale)

    smooth(surface, area, paint)


def smooth(
    surface: pygame.Surface,
    area: tuple[int, int, int, int],
    paint: Callable[[pygame.Surface, int], None],
) -> None:
    """Draw opaque shapes several times larger and lay them down shrunk, so with smooth edges.

    `paint` gets an empty surface and how many of its pixels make one. As colour and alpha are
    averaged alike, the result is premultiplied, and leaves no dark fringe.
    """
    left, top, width, height = area
    largest = max(width, height)
    scale = 3 if 3 * largest <= LARGEST_PATCH_PX else 2 if 2 * largest <= LARGEST_PATCH_PX else 1
    patch = pygame.Surface((width * scale, height * scale), pygame.SRCALPHA, 32)
    paint(patch, scale)
    if scale > 1:
        patch = pygame.transform.smoothscale(patch, (width, height))
    surface.blit(patch, (left, top), special_flags=pygame.BLEND_PREMULTIPLIED)


def polygon(surface: pygame.Surface, points: Sequence[Sequence[float]], color: Color) -> None:
    """Fill a polygon with a smooth edge; points in pixels."""
    whole = [(round(x), round(y)) for x, y in points]
    pygame.gfxdraw.filled_polygon(surface, whole, color)
    pygame.gfxdraw.aapolygon(surface, whole, color)
