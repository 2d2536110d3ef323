"""Words on a surface: pygame's own bundled font, rendered once and kept."""

from __future__ import annotations

from collections import OrderedDict

from .pygame_loader import pygame
from .style import WHITE, Color

KEPT = 384
LONGEST = 160
RIM = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, 1), (-1, -1), (1, -1), (-1, 1))


def plain(text: str, longest: int = LONGEST) -> str:
    """Return a line that any font can draw: printable, in one line, not endless."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 4 * longest])
    shown = " ".join(shown.encode("utf-8", "replace").decode("utf-8").split())
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


# One of each size for the whole process, see `font`.
_FONTS: dict[int, pygame.font.Font] = {}


def font(size_px: int) -> pygame.font.Font:
    """Return pygame's own font in a size.

    Another user of pygame in this process may shut it down, and a font from before then
    would crash the interpreter: so all are forgotten when that happens.
    """
    if not pygame.font.get_init():
        _FONTS.clear()
        pygame.font.init()
    if not _FONTS:
        pygame.register_quit(_FONTS.clear)
    if size_px not in _FONTS:
        _FONTS[size_px] = pygame.font.Font(None, size_px)
    return _FONTS[size_px]


class Text:
    """Draws lines of text and knows how wide they are."""

    def __init__(self) -> None:
        self._lines: OrderedDict[tuple[str, int, Color], pygame.Surface] = OrderedDict()

    def line(self, text: str, size_px: int, color: Color) -> pygame.Surface:
        """Return a line of text with a transparent ground."""
        key = (text, size_px, color)
        if key in self._lines:
            self._lines.move_to_end(key)
            return self._lines[key]
        surface = font(size_px).render(text, True, color)
        self._lines[key] = surface
        if len(self._lines) > KEPT:
            self._lines.popitem(last=False)
        return surface

    def draw(
        self,
        surface: pygame.Surface,
        text: str,
        place: tuple[int, int],
        *,
        size_px: int = 16,
        color: Color = (0, 0, 0),
        align: float = 0.0,
        width_px: int | None = None,
    ) -> int:
        """Draw a line with its top at `place`; returns its width.

        `align` 0 starts at the place, 0.5 is centred on it, 1 ends there; `width_px` cuts.
        """
        shown = plain(text)
        if width_px is not None:
            shown = self.cut(shown, size_px, width_px)
        line = self.line(shown, size_px, color)
        surface.blit(line, (round(place[0] - align * line.get_width()), place[1]))
        return line.get_width()

    def outlined(
        self, surface: pygame.Surface, text: str, place: tuple[int, int], color: Color
    ) -> None:
        """Draw a small line on a white rim, centred on `place`: it can be read on anything."""
        x, y = place
        for dx, dy in RIM:
            self.draw(surface, text, (x + dx, y + dy), size_px=15, color=WHITE, align=0.5)
        self.draw(surface, text, place, size_px=15, color=color, align=0.5)

    def width(self, text: str, size_px: int) -> int:
        """Return the width of a line, px."""
        return font(size_px).size(text)[0]

    def cut(self, text: str, size_px: int, width_px: int) -> str:
        """Return as much of a line as fits, with an ellipsis where it was cut."""
        if self.width(text, size_px) <= width_px:
            return text
        for end in range(len(text) - 1, 0, -1):
            if self.width(text[:end] + "...", size_px) <= width_px:
                return text[:end].rstrip() + "..."
        return ""

    def wrap(self, text: str, size_px: int, width_px: int, most: int) -> list[str]:
        """Return the lines of a paragraph, at most so many, the last one cut."""
        lines: list[str] = []
        current = ""
        for word in plain(text, 4 * LONGEST).split(" "):
            longer = f"{current} {word}" if current else word
            if current and self.width(longer, size_px) > width_px:
                lines.append(current)
                current = word
            else:
                current = longer
        lines.append(current)
        if len(lines) > most:
            lines[most - 1] += "..."
        return [self.cut(line, size_px, width_px) for line in lines[:most]]
