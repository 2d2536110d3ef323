"""A column of the panel: where the next thing goes, and how much room is left."""

from __future__ import annotations

from dataclasses import dataclass

from .pygame_loader import pygame
from .shapes import card
from .style import INK, QUIET, TRACK, WHITE, Color
from .text import Text

ROW_PX = 19
CHIP_PX = 16


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

    def chip(self, number: int, color: Color | None) -> None:
        """Draw the number of a layer on its colour, pale where it is hidden."""
        card(self.surface, (self.x, self.y - 2, CHIP_PX, CHIP_PX), color or TRACK, radius_px=4)
        self.text.draw(
            self.surface,
            str(number),
            (self.x + CHIP_PX // 2, self.y + 1),
            size_px=15,
            color=WHITE if color else QUIET,
            align=0.5,
        )
