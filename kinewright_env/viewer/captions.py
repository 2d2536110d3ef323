"""Words over the map: the sentence, names, scale, notices, help."""

from __future__ import annotations

from collections.abc import Sequence

from .camera import Camera
from .pygame_loader import pygame
from .shapes import Point, card
from .sight import Label
from .solids import Outlines
from .state import ViewState
from .style import ACCENT, ALARM, DRAWN, INK, PANEL, PANEL_EDGE, QUIET, WHITE, Color
from .text import Text
from .track import Moment

MOST_NAMES = 80
WORD_PX = 13
SCALE_LENGTHS_M = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)


class Captions:
    """Draws what is written over the map."""

    def __init__(self, outlines: Outlines) -> None:
        self._text = Text()
        self._outlines = outlines

    def draw(
        self,
        surface: pygame.Surface,
        camera: Camera,
        moment: Moment,
        state: ViewState,
        labels: Sequence[Label],
    ) -> None:
        """Draw scale, names, numbers, the banner and what the window has to say."""
        self._scale(surface, camera)
        taken = self._names(surface, camera, moment) if state.names_shown else []
        if state.numbers_shown:
            self._numbers(surface, camera, labels, taken)
        self._banner(surface, camera, moment)
        notice = state.notice or self._standing_notice(state)
        if notice:
            drawing = state.drawing and not state.ended
            self._pill(surface, camera, notice, DRAWN if drawing else INK)

    @staticmethod
    def _standing_notice(state: ViewState) -> str:
        if state.ended:
            return "the drive has ended: Enter goes on, q closes"
        return "draw a path: drag with the left button; g ends drawing" if state.drawing else ""

    def _scale(self, surface: pygame.Surface, camera: Camera) -> None:
        left, top, width, height = camera.viewport_px
        if width < 320 or height < 240:
            return
        fitting = [m for m in SCALE_LENGTHS_M if m * camera.scale_pxpm < min(140, width / 4)]
        if not fitting:
            return
        length_px = round(fitting[-1] * camera.scale_pxpm)
        x, y = left + 12, top + height - 14
        surface.fill(QUIET, (x, y, length_px, 2))
        surface.fill(QUIET, (x, y - 3, 1, 8))
        surface.fill(QUIET, (x + length_px, y - 3, 1, 8))
        self._text.draw(
            surface, f"{fitting[-1]:g} m", (x + length_px + 6, y - 5), size_px=15, color=QUIET
        )

    def _names(self, surface: pygame.Surface, camera: Camera, moment: Moment) -> list[pygame.Rect]:
        """Write the names of solids on them; returns the places that are taken so."""
        places = camera.pixels(self._outlines.center_m)
        area = pygame.Rect(camera.viewport_px)
        taken: list[pygame.Rect] = []
        for index in range(len(places)):
            if len(taken) == MOST_NAMES:
                break
            x, y = places[index].tolist()
            if moment.snapshot.present[index] and area.collidepoint(x, y):
                taken.append(self._word(surface, self._outlines.names[index], (x, y - 6), INK))
        return taken

    def _numbers(
        self,
        surface: pygame.Surface,
        camera: Camera,
        labels: Sequence[Label],
        taken: list[pygame.Rect],
    ) -> None:
        """Write each number below its place; further down where a word stands already.

        Beside the map's edge it moves inward, so that the panel does not cut it.
        """
        left, _, width, _ = camera.viewport_px
        for label in labels:
            half = self._text.width(label.words, 15) / 2 + 2
            x = max(min(label.place[0], left + width - half), left + half)
            y = label.place[1] + 8
            while self._area(label.words, (x, y)).collidelist(taken) >= 0:
                y += WORD_PX
            taken.append(self._word(surface, label.words, (x, y), label.color))

    def _area(self, words: str, place: Point) -> pygame.Rect:
        wide = self._text.width(words, 15)
        return pygame.Rect(round(place[0]) - wide // 2, round(place[1]), wide, WORD_PX)

    def _word(self, surface: pygame.Surface, words: str, place: Point, color: Color) -> pygame.Rect:
        x, y = round(place[0]), round(place[1])
        self._text.outlined(surface, words, (x, y), color)
        return self._area(words, (x, y))

    def _banner(self, surface: pygame.Surface, camera: Camera, moment: Moment) -> None:
        sentence = moment.snapshot.sentence
        if not sentence:
            return
        left, top, width, height = camera.viewport_px
        size = 20 if width > 400 else 16
        lines = self._text.wrap(sentence, size, max(min(width - 80, 640), 80), 3)
        inner = max(self._text.width(line, size) for line in lines)
        tall = len(lines) * size + 18
        wide = min(inner + 42, width - 8)
        x, y = left + (width - wide) // 2, top + max(height - tall - 28, 4)
        color = ALARM if moment.snapshot.contact_solid >= 0 else ACCENT
        card(surface, (x, y, wide, tall), PANEL, PANEL_EDGE, radius_px=9)
        card(surface, (x + 8, y + 8, 4, tall - 16), color, radius_px=2)
        for row, line in enumerate(lines):
            place = (x + 22, y + 11 + row * size)
            self._text.draw(surface, line, place, size_px=size, color=INK)

    def _pill(
        self, surface: pygame.Surface, camera: Camera, words: str, color: tuple[int, int, int]
    ) -> None:
        left, top, width, _ = camera.viewport_px
        shown = self._text.cut(words, 17, max(width - 48, 20))
        wide = self._text.width(shown, 17) + 28
        x = left + (width - wide) // 2
        card(surface, (x, top + 10, wide, 26), color, radius_px=13)
        self._text.draw(surface, shown, (x + 14, top + 17), size_px=17, color=WHITE)

    def help(self, surface: pygame.Surface, table: tuple[tuple[str, str], ...]) -> None:
        """Draw the card with the keys over everything."""
        width, height = surface.get_size()
        size = 18 if height > 440 else 13
        row_px = size + 3
        keys_px = max(self._text.width(keys, size) for keys, _ in table)
        words_px = max(self._text.width(words, size) for _, words in table)
        wide = min(keys_px + words_px + 64, width - 8)
        tall = min(len(table) * row_px + 32 + row_px, height - 8)
        x, y = (width - wide) // 2, (height - tall) // 2
        card(surface, (x, y, wide, tall), PANEL, PANEL_EDGE, radius_px=12)
        self._text.draw(surface, "Keys", (x + 20, y + 14), size_px=size + 3, color=ACCENT)
        y += 18 + row_px
        for keys, words in table:
            self._text.draw(surface, keys, (x + 20, y), size_px=size, color=INK)
            room = wide - keys_px - 60
            place = (x + keys_px + 40, y)
            self._text.draw(surface, words, place, size_px=size, color=QUIET, width_px=room)
            y += row_px
