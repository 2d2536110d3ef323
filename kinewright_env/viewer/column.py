"""A column of the panel: where the next thing goes, and how much room is left."""

from __future__ import annotations

from dataclasses import dataclass

from .pygame_loader import pygame
from .style import INK, QUIET, Color
from .text import Text


@dataclass(slots=True)
class Column:
    """A place on a surface that moves down as it is filled; `y` is the top of what is free."""

    surface: pygame.Surface
    text: Text
    x: int
    y: int
    width: int
    bottom: int

    @property
    def right(self) -> int:
        """The right edge."""
        return self.x + self.width

    def fits(self, height_px: int) -> bool:
        """Return whether something of this height has room."""
        return self.y + height_px <= self.bottom

    def left_word(
        self, words: str, size_px: int, color: Color = INK, indent: int = 0, down: int = 0
    ) -> int:
        """Draw words at the left, cut where they are too long; returns their width."""
        return self.text.draw(
            self.surface,
            words,
            (self.x + indent, self.y + down),
            size_px=size_px,
            color=color,
            width_px=self.width - indent,
        )

    def right_word(
        self, words: str, size_px: int, color: Color = QUIET, down: int = 0, room: int = 0
    ) -> None:
        """Draw words that end at the right edge, within `room` pixels where that is given."""
        self.text.draw(
            self.surface,
            words,
            (self.right, self.y + down),
            size_px=size_px,
            color=color,
            align=1.0,
            width_px=room or self.width,
        )
