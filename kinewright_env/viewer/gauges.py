"""The panel's instruments: bars for speed and steer, and the ramp of heights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .column import Column
from .pygame_loader import pygame
from .shapes import card, polygon
from .style import ACCENT, FAINT, HEIGHT_RAMP, INK, QUIET, TRACK, height_color

if TYPE_CHECKING:
    from ..shells import Shell

BAR_PX = 8
GAUGE_PX = 44
HEIGHTS_PX = 46


class Gauges:
    """Draws the instruments of one shell at the top of a column."""

    def __init__(self, shell: Shell) -> None:
        self._speeds = -shell.reverse_speed_limit_mps, shell.forward_speed_limit_mps
        self._lock_rad = shell.lock_rad
        self._kept_ramp: pygame.Surface | None = None

    def speed(self, column: Column, actual_mps: float, asked_mps: float) -> None:
        """Draw speed from full reverse to full forward; the marker is what was asked."""
        self._words(column, "speed", f"{actual_mps:+.2f}", f"{asked_mps:+.2f} m/s")
        self._bar(column, (actual_mps, asked_mps), self._speeds)

    def steer(self, column: Column, actual_rad: float, asked_rad: float) -> None:
        """Draw the steer angle, left on the left, in degrees."""
        actual, asked = f"{math.degrees(actual_rad):+.1f}", f"{math.degrees(asked_rad):+.1f} deg"
        self._words(column, "steer", actual, asked)
        self._bar(column, (-actual_rad, -asked_rad), (-self._lock_rad, self._lock_rad))

    def heights(self, column: Column, marks: dict[str, float]) -> None:
        """Draw the ramp of heights with marks at some heights, m."""
        draw, surface, x, width = column.text.draw, column.surface, column.x, column.width
        y, top_m = column.y + 14, HEIGHT_RAMP[-1][0]
        surface.blit(self._ramp(width), (x, y))
        for name, height_m in marks.items():
            at = x + round(min(height_m / top_m, 1.0) * (width - 1))
            polygon(surface, [(at, y + 1), (at - 4, y - 6), (at + 4, y - 6)], INK)
            draw(surface, name, (at + 8, y - 12), size_px=15, color=QUIET)
        for height_m in (0.0, top_m / 2, top_m):
            share = height_m / top_m
            word = f"{height_m:.1f} m" if share == 1.0 else f"{height_m:.1f}"
            place = (x + round(share * width), y + BAR_PX + 5)
            draw(surface, word, place, size_px=15, color=QUIET, align=share)
        column.y += HEIGHTS_PX

    def _ramp(self, width_px: int) -> pygame.Surface:
        if self._kept_ramp is None or self._kept_ramp.get_width() != width_px:
            self._kept_ramp = pygame.Surface((width_px, BAR_PX), 0, 32)
            for step in range(width_px):
                color = height_color(HEIGHT_RAMP[-1][0] * step / (width_px - 1))
                self._kept_ramp.fill(color, (step, 0, 1, BAR_PX))
        return self._kept_ramp

    @staticmethod
    def _words(column: Column, name: str, actual: str, asked: str) -> None:
        column.left_word(name, 17, QUIET, down=2)
        place = (column.x + 96, column.y)
        column.text.draw(column.surface, actual, place, size_px=21, color=INK, align=1.0)
        column.right_word(f"asked {asked}", 15, down=3)

    @staticmethod
    def _bar(column: Column, values: tuple[float, float], limits: tuple[float, float]) -> None:
        """Draw a bar from zero to the first value and a marker at the second."""
        low, high = limits
        surface, y = column.surface, column.y + 20

        def at(value: float) -> int:
            share = (min(max(value, low), high) - low) / (high - low)
            return column.x + round(share * column.width)

        card(surface, (column.x, y, column.width, BAR_PX), TRACK, radius_px=4)
        zero, actual, asked = at(0.0), at(values[0]), at(values[1])
        left, right = min(zero, actual), max(zero, actual)
        if right - left >= 2:
            card(surface, (left, y, right - left, BAR_PX), ACCENT, radius_px=2)
        surface.fill(FAINT, (zero, y - 2, 1, BAR_PX + 4))
        below = y + BAR_PX + 1
        polygon(surface, [(asked, below), (asked - 4, below + 6), (asked + 4, below + 6)], INK)
        column.y += GAUGE_PX
