"""The bar under a recorded drive: where it stands, what happened when, and a knob to drag."""

from __future__ import annotations

from collections.abc import Sequence

from ..grids import TICKS_PER_SECOND
from .pygame_loader import pygame
from .shapes import card, disc
from .style import ACCENT, ALARM, GOAL, INK, PANEL, PANEL_EDGE, TRACK, WHITE, Color
from .text import Text

BAR_HEIGHT_PX = 40
PAD_PX = 18
WORDS_PX = 130
COLORS: dict[str, Color] = {"contact_begin": ALARM, "goal_reached": GOAL}


class TimeBar:
    """Draws the bar along the lower edge of a surface, and reads places on it.

    Parameters
    ----------
    end_tick : int
        Where the bar ends.
    marks : sequence of (tick, name)
        Events to be marked on it.
    """

    def __init__(self, end_tick: int, marks: Sequence[tuple[int, str]]) -> None:
        self._end_tick = max(end_tick, 1)
        self._marks = tuple(marks)
        self._text = Text()

    def _line(self, size_px: tuple[int, int]) -> tuple[int, int, int]:
        """Return left end, right end and height of the line."""
        width, height = size_px
        right = max(width - PAD_PX - WORDS_PX, PAD_PX + 1)
        return PAD_PX, right, height - BAR_HEIGHT_PX // 2

    def tick_at(self, x_px: int, size_px: tuple[int, int]) -> int:
        """Return the tick of a place on the bar, or of the nearer end."""
        left, right, _ = self._line(size_px)
        share = min(max((x_px - left) / (right - left), 0.0), 1.0)
        return round(share * self._end_tick)

    def x_of(self, tick: int, size_px: tuple[int, int]) -> int:
        """Return where a tick lies on the bar."""
        left, right, _ = self._line(size_px)
        return left + round(min(tick / self._end_tick, 1.0) * (right - left))

    def draw(self, surface: pygame.Surface, tick: int) -> None:
        """Draw the bar with the knob at a tick."""
        size = surface.get_size()
        left, right, y = self._line(size)
        top = size[1] - BAR_HEIGHT_PX
        surface.fill(PANEL, (0, top, size[0], BAR_HEIGHT_PX))
        surface.fill(PANEL_EDGE, (0, top, size[0], 1))
        knob = self.x_of(tick, size)
        card(surface, (left, y - 3, right - left, 6), TRACK, radius_px=3)
        if knob > left:
            card(surface, (left, y - 3, knob - left, 6), ACCENT, radius_px=3)
        for at, name in self._marks:
            surface.fill(COLORS.get(name, INK), (self.x_of(at, size) - 1, y - 9, 2, 18))
        disc(surface, (knob, y), 8, ACCENT)
        disc(surface, (knob, y), 4, WHITE)
        words = f"{tick / TICKS_PER_SECOND:.2f} / {self._end_tick / TICKS_PER_SECOND:.2f} s"
        self._text.draw(surface, words, (size[0] - PAD_PX, y - 6), size_px=18, color=INK, align=1.0)
