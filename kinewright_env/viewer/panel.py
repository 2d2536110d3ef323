"""The panel beside the map: clock, gauges, readings, layers, legend; a strip where it is small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..grids import TICKS_PER_SECOND
from ..layers import TextLayer
from .camera import Viewport
from .column import ROW_PX, Column
from .gauges import HEIGHTS_PX, Gauges
from .instruments import Instruments
from .layer_list import LayerList
from .pygame_loader import pygame
from .shapes import card
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
    WHITE,
)
from .text import Text
from .track import Moment

if TYPE_CHECKING:
    from ..rig import Sensor
    from ..scene import Scene
    from ..shells import Shell

PAD_PX = 16
HEADING_PX = 17
TEXT_LAYERS = 6
REASON_LINES = 3


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
        self._instruments = Instruments(sensors, shell)
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
        self._decision(column, moment)
        if column.fits(HEADING_PX + ROW_PX):
            self._heading(column, "sensors and layers, by number key")
        keys = {sensor.key for sensor in self._sensors}
        others = [name for name in layers.names if name not in keys]
        self._layers(column, layers, others[:1])
        self._instruments.draw(
            column, moment, layers, state.numbers_shown, rows_below=len(others) - 1
        )
        self._layers(column, layers, others[1:])
        column.y += 6
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

    def _decision(self, column: Column, moment: Moment) -> None:
        """Say the reason of the agent's decision in words, where it gives one."""
        decision = moment.snapshot.decision
        reason, sentence = (_words(decision.get(key)) for key in ("reason", "sentence"))
        if not reason or not column.fits(ROW_PX):
            return
        column.left_word("decision", 17, QUIET)
        column.right_word(reason, 17, INK, room=column.width - 70)
        column.y += 17
        for line in self._text.wrap(sentence, 15, column.width, REASON_LINES) if sentence else ():
            column.left_word(line, 15, QUIET)
            column.y += 14
        column.y += 8

    @staticmethod
    def _heading(column: Column, words: str) -> None:
        column.left_word(words, 15, FAINT)
        column.y += HEADING_PX

    @staticmethod
    def _layers(column: Column, layers: LayerList, names: Sequence[str]) -> None:
        """List layers that are no sensors: the trail, and what an agent draws."""
        for name in names:
            if not column.fits(ROW_PX):
                return
            number, shown = layers.number_of(name), layers.shows(name)
            if number is not None:
                column.chip(number, ACCENT if shown else None)
            column.left_word(name, 17, INK if shown else FAINT, indent=24)
            column.y += ROW_PX

    def _texts(self, column: Column, moment: Moment, layers: LayerList) -> None:
        lines = [layer for layer in moment.snapshot.layers if isinstance(layer, TextLayer)]
        for layer in [line for line in lines if layers.shows(line.name)][:TEXT_LAYERS]:
            for line in self._text.wrap(f"{layer.name}: {layer.text}", 16, column.width, 3):
                if not column.fits(16):
                    return
                column.left_word(line, 16)
                column.y += 15
            column.y += 4


def _words(value: object) -> str:
    """Return a short text of a decision as words; nothing of what is no text."""
    return value.replace("_", " ") if isinstance(value, str) else ""
