"""The panel beside the map: clock, gauges, readings, layers, legend; a strip where it is small."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..grids import TICKS_PER_SECOND
from ..layers import TextLayer
from .camera import Viewport
from .column import Column
from .gauges import HEIGHTS_PX, Gauges
from .layer_list import LayerList
from .pygame_loader import pygame
from .readings import reading
from .shapes import card, disc
from .state import ViewState
from .style import (
    ACCENT,
    ALARM,
    FAINT,
    INK,
    PANEL,
    PANEL_EDGE,
    PANEL_FROM_HEIGHT_PX,
    PANEL_FROM_WIDTH_PX,
    PANEL_WIDTH_PX,
    QUIET,
    STRIP_HEIGHT_PX,
    TRACK,
    WHITE,
)
from .text import Text
from .track import Moment

if TYPE_CHECKING:
    from ..rig import Sensor
    from ..scene import Scene
    from ..shells import Shell

PAD_PX = 16
ROW_PX = 19
HEADING_PX = 17
TEXT_LAYERS = 6


def areas(size_px: tuple[int, int]) -> tuple[Viewport, Viewport]:
    """Return the map's and the panel's part of a window: beside it, or below where small."""
    width, height = size_px
    if width >= PANEL_FROM_WIDTH_PX and height >= PANEL_FROM_HEIGHT_PX:
        inner = width - PANEL_WIDTH_PX
        return (0, 0, inner, height), (inner, 0, PANEL_WIDTH_PX, height)
    inner = max(height - STRIP_HEIGHT_PX, 1)
    return (0, 0, width, inner), (0, inner, width, STRIP_HEIGHT_PX)


class Panel:
    """Draws the panel of one drive; `names` are those of the solids, by index."""

    def __init__(
        self, scene: Scene, shell: Shell, sensors: tuple[Sensor, ...], names: tuple[str, ...]
    ) -> None:
        self._title = scene.title or scene.name
        self._subtitle = f"{scene.name}, {shell.name}"
        self._sensors = sensors
        self._names = names
        self._text = Text()
        self._gauges = Gauges(shell)
        scans = {sensor.key: sensor.height_m for sensor in sensors if sensor.key == "scan"}
        self._marks = scans or {"shell": shell.height_m}

    def draw(
        self,
        surface: pygame.Surface,
        area: Viewport,
        moment: Moment,
        state: ViewState,
        layers: LayerList,
    ) -> None:
        """Draw what fits, the most wanted first."""
        left, top, width, height = area
        surface.fill(PANEL, area)
        if height == STRIP_HEIGHT_PX:
            surface.fill(PANEL_EDGE, (left, top, width, 1))
            strip = Column(surface, self._text, left + 6, top + 6, width - 12, top + height)
            self._strip(strip, moment, state)
            return
        surface.fill(PANEL_EDGE, (left, top, 1, height))
        legend_px = HEADING_PX + HEIGHTS_PX
        column = Column(
            surface,
            self._text,
            left + PAD_PX,
            top + PAD_PX,
            width - 2 * PAD_PX,
            top + height - legend_px - 8,
        )
        self._clock(column, moment, state)
        now = moment.snapshot
        self._gauges.speed(column, moment.speed_mps, now.ask_speed_mps)
        self._gauges.steer(column, moment.steer_rad, now.ask_steer_rad)
        self._clearance(column, moment)
        self._readings(column, moment)
        self._layers(column, layers)
        self._texts(column, moment, layers)
        column.y, column.bottom = top + height - legend_px, top + height
        self._heading(column, "height")
        self._gauges.heights(column, self._marks)

    def _strip(self, column: Column, moment: Moment, state: ViewState) -> None:
        words, contact = self._clearance_words(moment)
        parts = (
            f"{moment.tick / TICKS_PER_SECOND:.2f} s",
            f"{moment.speed_mps:+.2f} m/s",
            f"{math.degrees(moment.steer_rad):+.1f} deg",
            words,
        )
        status = "paused" if state.paused else state.speed_words
        column.right_word(status, 15)
        column.width -= 50
        column.left_word(" | ".join(parts), 15, ALARM if contact else INK)

    def _clock(self, column: Column, moment: Moment, state: ViewState) -> None:
        for line in self._text.wrap(self._title, 19, column.width, 3):
            column.left_word(line, 19)
            column.y += 17
        column.left_word(self._subtitle, 15, QUIET, down=2)
        column.y += 24
        column.left_word(f"{moment.tick / TICKS_PER_SECOND:.2f} s", 36)
        status = "paused" if state.paused else state.speed_words
        column.right_word(status, 19, ALARM if state.paused else ACCENT)
        column.right_word(f"tick {moment.tick}", 15, down=16)
        column.y += 38

    def _clearance_words(self, moment: Moment) -> tuple[str, bool]:
        """Return what to say of the nearest solid, and whether it is a contact."""
        solid, clearance_m = moment.snapshot.contact_solid, moment.snapshot.clearance_m
        if solid >= 0:
            name = self._names[solid] if solid < len(self._names) else "solid"
            return f"contact: {name}", True
        return (f"{clearance_m:.3f} m" if math.isfinite(clearance_m) else "no solids"), False

    def _clearance(self, column: Column, moment: Moment) -> None:
        words, contact = self._clearance_words(moment)
        if contact:
            area = (column.x - 6, column.y - 5, column.width + 12, 24)
            card(column.surface, area, ALARM, radius_px=6)
            column.left_word(words, 18, WHITE)
        else:
            column.left_word("clearance", 17, QUIET)
            column.right_word(words, 17, INK)
        column.y += 30

    @staticmethod
    def _heading(column: Column, words: str) -> None:
        column.left_word(words, 15, FAINT)
        column.y += HEADING_PX

    def _readings(self, column: Column, moment: Moment) -> None:
        if not self._sensors or not column.fits(HEADING_PX + ROW_PX):
            return
        self._heading(column, "sensors")
        for sensor in self._sensors:
            if not column.fits(ROW_PX):
                return
            words, color = reading(sensor.key, moment.frames.get(sensor.key))
            disc(column.surface, (column.x + 4, column.y + 5), 4, color)
            used = column.left_word(sensor.key, 17, indent=16)
            room = column.width - used - 24
            size = next((s for s in (16, 14) if self._text.width(words, s) <= room), 13)
            column.right_word(words, size, room=room)
            column.y += ROW_PX
        column.y += 8

    def _layers(self, column: Column, layers: LayerList) -> None:
        if not column.fits(HEADING_PX + ROW_PX):
            return
        self._heading(column, "layers, by number key")
        for number, name in enumerate(layers.names, start=1):
            if not column.fits(ROW_PX):
                return
            shown = layers.shows(name)
            chip = (column.x, column.y - 2, 16, 16)
            card(column.surface, chip, ACCENT if shown else TRACK, radius_px=4)
            place = (column.x + 8, column.y + 1)
            color = WHITE if shown else QUIET
            draw = self._text.draw
            draw(column.surface, str(number), place, size_px=15, color=color, align=0.5)
            column.left_word(name, 17, INK if shown else FAINT, indent=24)
            column.y += ROW_PX
        column.y += 8

    def _texts(self, column: Column, moment: Moment, layers: LayerList) -> None:
        lines = [layer for layer in moment.snapshot.layers if isinstance(layer, TextLayer)]
        for layer in [line for line in lines if layers.shows(line.name)][:TEXT_LAYERS]:
            for line in self._text.wrap(f"{layer.name}: {layer.text}", 16, column.width, 3):
                if not column.fits(16):
                    return
                column.left_word(line, 16)
                column.y += 15
            column.y += 4
