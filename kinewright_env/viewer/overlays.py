"""The layers that an agent asks for: lines, areas, dots, words and grids on the map."""

from __future__ import annotations

import math

import numpy as np

from ..errors import AgentError
from ..layers import (
    AreaLayer,
    CirclesLayer,
    GridLayer,
    LabelsLayer,
    Layer,
    PointsLayer,
    PolylineLayer,
)
from .camera import Camera
from .pygame_loader import pygame
from .shapes import dots, finite_points, ring, stroke, veil
from .text import Text, plain

LARGEST_DOT_PX = 40
LARGEST_RING_PX = 20_000.0
LONGEST_LABEL = 40
MOST_LABELS = 200
FARTHEST_PX = 30_000.0  # of an area's corners: what SDL counts in 16 bits


def draw_layer(surface: pygame.Surface, camera: Camera, layer: Layer, text: Text) -> None:
    """Draw one layer on the map; a line of text has no place there.

    Raises
    ------
    AgentError
        If the layer holds what cannot be drawn; points that are not finite are left out.
    """
    try:
        if isinstance(layer, PolylineLayer):
            points = camera.pixels(finite_points(layer.points_m))
            colors = list(layer.colors) or layer.color
            stroke(surface, points, colors, int(layer.width_px), layer.closed)
        elif isinstance(layer, AreaLayer):
            corners = camera.pixels(finite_points(layer.points_m))
            corners = np.clip(corners, -FARTHEST_PX, FARTHEST_PX)
            veil(surface, corners, layer.color, min(max(int(layer.alpha), 0), 255))
        elif isinstance(layer, CirclesLayer):
            _draw_circles(surface, camera, layer)
        elif isinstance(layer, LabelsLayer):
            _draw_labels(surface, camera, layer, text)
        elif isinstance(layer, PointsLayer):
            radius = min(max(int(layer.radius_px), 1), LARGEST_DOT_PX)
            dots(surface, camera.pixels(finite_points(layer.points_m)), radius, layer.color)
        elif isinstance(layer, GridLayer):
            _draw_grid(surface, camera, layer)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise AgentError(f"layer {layer.name!r} cannot be drawn: {error}") from error


def _draw_circles(surface: pygame.Surface, camera: Camera, layer: CirclesLayer) -> None:
    """Draw the circles whose centre and radius are finite."""
    for center_m, radius_m in zip(layer.centers_m, layer.radii_m, strict=True):
        places = camera.pixels(finite_points([center_m])).tolist()
        radius_px = float(radius_m) * camera.scale_pxpm
        if places and 0.0 < radius_px < LARGEST_RING_PX:
            ring(surface, (places[0][0], places[0][1]), radius_px, layer.color, int(layer.width_px))


def _draw_labels(surface: pygame.Surface, camera: Camera, layer: LabelsLayer, text: Text) -> None:
    """Write words beside the points that lie on the map."""
    area = pygame.Rect(camera.viewport_px)
    labelled = list(zip(layer.points_m, layer.labels, strict=True))
    for point_m, label in labelled[:MOST_LABELS]:
        places = camera.pixels(finite_points([point_m])).tolist()
        if places and area.collidepoint(places[0]):
            x, y = round(places[0][0]), round(places[0][1])
            text.outlined(surface, plain(label, LONGEST_LABEL), (x, y + 5), layer.color)


def _draw_grid(surface: pygame.Surface, camera: Camera, layer: GridLayer) -> None:
    """Draw the cells of a grid that lie on the screen."""
    values, palette = layer.values, layer.palette
    if values.ndim != 2 or palette.ndim != 2 or palette.shape[1] != 4 or not len(palette):
        raise ValueError("values must be (rows, cols) and the palette (n, 4) RGBA")
    if not layer.cell_m > 0.0:
        raise ValueError(f"cell_m {layer.cell_m!r} must be above zero")
    left, top, width, height = camera.viewport_px
    x0_m, y0_m = camera.point_m(left, top + height)
    x1_m, y1_m = camera.point_m(left + width, top)
    n_rows, n_cols = values.shape
    first_col, last_col = _cells(x0_m, x1_m, layer.x0_m, layer.cell_m, n_cols)
    first_row, last_row = _cells(y0_m, y1_m, layer.y0_m, layer.cell_m, n_rows)
    if first_col >= last_col or first_row >= last_row:
        return
    part = values[first_row:last_row, first_col:last_col][::-1]
    # in the order of a surface's own bytes: a blit of any other is twenty times slower
    colors = np.ascontiguousarray(palette[:, [2, 1, 0, 3]].astype(np.uint8)).view(np.uint32)[:, 0]
    cells = colors[np.minimum(part, min(len(palette), 256) - 1)]
    picture = pygame.image.frombuffer(
        cells.tobytes(), (last_col - first_col, last_row - first_row), "BGRA"
    )
    x, y = camera.pixel(layer.x0_m + first_col * layer.cell_m, layer.y0_m + last_row * layer.cell_m)
    right, bottom = camera.pixel(
        layer.x0_m + last_col * layer.cell_m, layer.y0_m + first_row * layer.cell_m
    )
    size = (max(round(right) - round(x), 1), max(round(bottom) - round(y), 1))
    surface.blit(pygame.transform.scale(picture, size), (round(x), round(y)))


def _cells(low_m: float, high_m: float, origin_m: float, cell_m: float, n: int) -> tuple[int, int]:
    """Return the first and one past the last cell between two places."""
    first = math.floor((low_m - origin_m) / cell_m)
    last = math.floor((high_m - origin_m) / cell_m) + 1
    return max(first, 0), min(last, n)
