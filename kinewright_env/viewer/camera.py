"""Where the map lies on the screen: scale and offset, fit, zoom about a point, pan, follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bounds = tuple[float, float, float, float]
Viewport = tuple[int, int, int, int]

MARGIN_PX = 28
MAX_SCALE_PXPM = 2000.0
FOLLOW_SCALE_PXPM = 120.0
# gfxdraw takes 16-bit coordinates; what lies further out is not on the screen anyway.
FAR_PX = 32000.0


@dataclass(slots=True)
class Camera:
    """A scale and the pixel of the map's origin; y grows upwards in `map`, downwards here.

    The offset is whole pixels, so that a cached background moves without being redrawn.

    Parameters
    ----------
    bounds_m : (x0, y0, x1, y1)
        What `fit` shows, metres in `map`.
    viewport_px : (left, top, width, height)
        The part of the screen that shows the map.
    """

    bounds_m: Bounds
    viewport_px: Viewport
    mode: str = "fit"
    scale_pxpm: float = 1.0
    left_px: int = 0
    top_px: int = 0

    def __post_init__(self) -> None:
        """Begin by showing everything."""
        self.fit()

    @property
    def fit_scale_pxpm(self) -> float:
        """The scale at which the bounds fill the viewport, pixels a metre."""
        x0, y0, x1, y1 = self.bounds_m
        _, _, width, height = self.viewport_px
        margin = min(MARGIN_PX, width // 12, height // 12)
        across = max(width - 2 * margin, 8) / max(x1 - x0, 0.5)
        down = max(height - 2 * margin, 8) / max(y1 - y0, 0.5)
        return min(across, down, MAX_SCALE_PXPM)

    def pixels(self, points_m: Floats) -> Floats:
        """Return the pixels of points (..., 2) in `map`, clipped far outside the screen."""
        flipped = np.asarray(points_m, dtype=np.float64) * (self.scale_pxpm, -self.scale_pxpm)
        placed: Floats = np.clip(flipped + np.array([self.left_px, self.top_px]), -FAR_PX, FAR_PX)
        return placed

    def pixel(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return the pixel of one point in `map`."""
        x, y = self.pixels(np.array([x_m, y_m])).tolist()
        return x, y

    def point_m(self, x_px: float, y_px: float) -> tuple[float, float]:
        """Return the point in `map` under a pixel."""
        return (x_px - self.left_px) / self.scale_pxpm, (self.top_px - y_px) / self.scale_pxpm

    def fit(self) -> None:
        """Show all of the bounds, in the middle of the viewport."""
        self.mode = "fit"
        self.scale_pxpm = self.fit_scale_pxpm
        x0, y0, x1, y1 = self.bounds_m
        self._centre((x0 + x1) / 2, (y0 + y1) / 2)

    def toggle(self, x_m: float, y_m: float) -> None:
        """Change from showing everything to following a point, and back."""
        if self.mode == "follow":
            self.fit()
            return
        if self.mode == "fit":
            self.scale_pxpm = max(self.scale_pxpm, FOLLOW_SCALE_PXPM)
        self.mode = "follow"
        self._centre(x_m, y_m)

    def follow(self, x_m: float, y_m: float) -> None:
        """Keep a point in the middle where that is asked for."""
        if self.mode == "follow":
            self._centre(x_m, y_m)

    def zoom(self, factor: float, x_px: float, y_px: float) -> None:
        """Scale by a factor; what is under the pixel stays under it."""
        x_m, y_m = self.point_m(x_px, y_px)
        fit = self.fit_scale_pxpm
        self.scale_pxpm = min(max(self.scale_pxpm * factor, fit / 2), max(fit, MAX_SCALE_PXPM))
        self.left_px = round(x_px - x_m * self.scale_pxpm)
        self.top_px = round(y_px + y_m * self.scale_pxpm)
        if self.mode == "fit":
            self.mode = "free"

    def pan(self, dx_px: int, dy_px: int) -> None:
        """Move the map by whole pixels."""
        self.mode = "free"
        self.left_px += dx_px
        self.top_px += dy_px

    def resize(self, viewport_px: Viewport) -> None:
        """Take another viewport; what was in the middle stays there, unless all is shown."""
        left, top, width, height = self.viewport_px
        x_m, y_m = self.point_m(left + width / 2, top + height / 2)
        self.viewport_px = viewport_px
        if self.mode == "fit":
            self.fit()
        else:
            self._centre(x_m, y_m)

    def _centre(self, x_m: float, y_m: float) -> None:
        left, top, width, height = self.viewport_px
        self.left_px = round(left + width / 2 - x_m * self.scale_pxpm)
        self.top_px = round(top + height / 2 + y_m * self.scale_pxpm)
