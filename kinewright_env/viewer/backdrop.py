"""The floor and the solids, drawn once for a view and kept until the view changes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .camera import Camera
from .pygame_loader import pygame
from .shapes import dashed
from .solids import Outlines
from .style import ABSENT, FLOOR, METRE_LINE, SHADOW, Color, height_color, mix

# Drawn larger and shrunk for smooth edges, as long as that stays cheap.
LARGEST_PIXELS = 6_000_000
SMOOTH_SOLIDS = 1200
SHADOW_PX = 3.0
OUTLINE = 0.35


class Backdrop:
    """Floor, metre lines and solids of one scene; `surface_for` hands out the kept picture."""

    def __init__(self, outlines: Outlines) -> None:
        self._outlines = outlines
        self._colors = [height_color(height_m) for height_m in outlines.height_m.tolist()]
        self._edges = [mix(color, (20, 26, 40), OUTLINE) for color in self._colors]
        self._surface: pygame.Surface | None = None
        self._view: tuple[float, bytes, int, int] | None = None
        self._origin = (0, 0)

    def blit(self, target: pygame.Surface, camera: Camera, present: NDArray[np.bool_]) -> None:
        """Lay the picture down where the camera looks.

        Where the camera moves, a wider picture is kept, so that it seldom has to be redrawn.
        """
        left, top, width, height = camera.viewport_px
        spare_x, spare_y = (0, 0) if camera.mode == "fit" else (width // 4, height // 4)
        view = (camera.scale_pxpm, present.tobytes(), width + 2 * spare_x, height + 2 * spare_y)
        # Where the kept picture's own corner lies on the screen now.
        x = camera.left_px - self._origin[0]
        y = camera.top_px - self._origin[1]
        covers = x <= left and y <= top
        covers = covers and x + view[2] >= left + width and y + view[3] >= top + height
        if self._surface is None or view != self._view or not covers:
            x, y = left - spare_x, top - spare_y
            self._origin = (camera.left_px - x, camera.top_px - y)
            self._view = view
            self._surface = self._draw(camera, present, view[2], view[3])
        target.blit(self._surface, (x, y))

    def _draw(
        self, camera: Camera, present: NDArray[np.bool_], width: int, height: int
    ) -> pygame.Surface:
        origin = np.array(self._origin, dtype=np.float64)
        scale = np.array([camera.scale_pxpm, -camera.scale_pxpm])
        corners = self._outlines.corners_m * scale + origin
        low, high = corners.min(axis=1), corners.max(axis=1)
        seen = ((high >= 0) & (low <= (width, height))).all(axis=1)
        shown = np.flatnonzero(seen & present)

        larger = self._magnification(width * height, len(shown))
        surface = pygame.Surface((width * larger, height * larger), 0, 32)
        surface.fill(FLOOR)
        self._metre_lines(surface, camera.scale_pxpm * larger, larger)
        if larger > 1 or len(shown) <= SMOOTH_SOLIDS:
            self._shadows(surface, corners, shown, camera, larger)
        self._solids(surface, corners, shown, camera, larger)
        if larger > 1:
            surface = pygame.transform.smoothscale(surface, (width, height))
        for index in np.flatnonzero(seen & ~present).tolist():
            dashed(surface, corners[index], ABSENT)
        return surface

    @staticmethod
    def _magnification(pixels: int, solids: int) -> int:
        if solids > SMOOTH_SOLIDS:
            return 1
        return next(
            scale for scale in (3, 2, 1) if scale == 1 or pixels * scale**2 < LARGEST_PIXELS
        )

    def _metre_lines(self, surface: pygame.Surface, scale: float, larger: int) -> None:
        step = scale
        while step < 24 * larger:
            step *= 10
        width, height = surface.get_size()
        x0, y0 = self._origin[0] * larger, self._origin[1] * larger
        for k in range(int(-x0 // step), int((width - x0) // step) + 1):
            surface.fill(METRE_LINE, (round(x0 + k * step), 0, larger, height))
        for k in range(int(-y0 // step), int((height - y0) // step) + 1):
            surface.fill(METRE_LINE, (0, round(y0 + k * step), width, larger))

    def _shadows(
        self,
        surface: pygame.Surface,
        corners: NDArray[np.float64],
        shown: NDArray[np.intp],
        camera: Camera,
        larger: int,
    ) -> None:
        for index in shown.tolist():
            reach = min(SHADOW_PX + 6.0 * float(self._outlines.height_m[index]), 8.0)
            moved = (corners[index] + reach * 0.7) * larger
            radius = float(self._outlines.radius_m[index]) * camera.scale_pxpm * larger
            self._fill(surface, moved, radius, SHADOW)

    def _solids(
        self,
        surface: pygame.Surface,
        corners: NDArray[np.float64],
        shown: NDArray[np.intp],
        camera: Camera,
        larger: int,
    ) -> None:
        """Edges first, all of them, then the faces: so that solids that touch look as one."""
        order = shown[np.argsort(self._outlines.height_m[shown], kind="stable")].tolist()
        thin = larger == 1
        if not thin:
            grown = _grown(corners, larger)
            for index in order:
                radius = float(self._outlines.radius_m[index]) * camera.scale_pxpm * larger
                outer = radius + larger if radius else 0.0
                self._fill(surface, grown[index], outer, self._edges[index])
        for index in order:
            radius = float(self._outlines.radius_m[index]) * camera.scale_pxpm * larger
            self._fill(surface, corners[index] * larger, radius, self._colors[index])

    @staticmethod
    def _fill(
        surface: pygame.Surface, corners: NDArray[np.float64], radius: float, color: Color
    ) -> None:
        """Fill a solid; one that lies square to the screen is a rectangle, which is quick."""
        if radius > 0.0:
            middle = corners.mean(axis=0)
            pygame.draw.circle(surface, color, middle.tolist(), max(radius, 1.0))
            return
        (x0, y0), (x1, y1), (x2, y2), _ = corners.tolist()
        if (y0 == y1 and x1 == x2) or (x0 == x1 and y1 == y2):
            left, right = sorted((_whole(x0), _whole(x2)))
            top, bottom = sorted((_whole(y0), _whole(y2)))
            surface.fill(color, (left, top, max(right - left, 1), max(bottom - top, 1)))
            return
        pygame.draw.polygon(surface, color, corners.tolist())


def _whole(edge_px: float) -> int:
    """Round an edge so that two solids that share it leave no seam.

    Each has the edge from its own centre and size, a hair apart, and a half may lie between.
    """
    return math.floor(edge_px + 0.5 + 1e-6)


def _grown(corners: NDArray[np.float64], larger: int) -> NDArray[np.float64]:
    """Return the corners (n, 4, 2), magnified and a screen pixel further out."""
    sides = np.roll(corners, -1, axis=1) - corners
    length = np.hypot(sides[..., 0], sides[..., 1])[..., None]
    units = sides / np.where(length == 0.0, 1.0, length)
    outward: NDArray[np.float64] = corners - units + np.roll(units, 1, axis=1)
    return outward * larger
