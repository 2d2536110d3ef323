"""The sensors' part of the panel: a row for each, the grid's picture, dials, the yaw rate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..rig import OUT_OF_RANGE, RETURN, TOO_NEAR
from ..snapshot import SensorFrame
from .column import ROW_PX, Column
from .layer_list import LayerList
from .readings import degrees_per_second, is_alarming, reading
from .shapes import card, disc, ring, stroke
from .sight import MM_PER_M, in_metres
from .style import ACCENT, ALARM, FAINT, INK, QUIET, SENSOR_COLORS, TRACK, WHITE, Color, mix
from .track import Moment

if TYPE_CHECKING:
    from ..rig import Sensor
    from ..shells import Shell

CELL_PX = 12
INSET_PX = 8 * CELL_PX + 8
DIAL_PX, DIAL_STEP_PX, DIAL_GAP_PX = 8, 21, 6
BAR_PX, BAR_ROW_PX = 5, 11
COUNTS_A_TURN = 1000  # of a dial: 0.2 m, hardly less than a wheel's own turn
PALEST = 0.82


class Instruments:
    """Draws what the sensors of one shell read, as rows and small gauges."""

    def __init__(self, sensors: tuple[Sensor, ...], shell: Shell) -> None:
        self._sensors = sensors
        curvature_radpm = math.tan(shell.lock_rad) / shell.curvature_length_m
        self._yaw_limit_dps = math.degrees(shell.cruise_speed_mps * curvature_radpm)

    def draw(
        self,
        column: Column,
        moment: Moment,
        layers: LayerList,
        numbers: bool,
        rows_below: int,
    ) -> None:
        """Draw a row a sensor while there is room, and the gauges where there is more.

        `numbers` shows figures in place of gauges; so many rows are wanted below.
        """
        rows_px = ROW_PX * (len(self._sensors) + rows_below)
        has_room = column.fits(rows_px + INSET_PX + BAR_ROW_PX)
        for sensor in self._sensors:
            if not column.fits(ROW_PX):
                return
            frame = moment.frames.get(sensor.key)
            known = frame if frame is not None and frame.tick >= 0 else None
            self._name(column, sensor, layers)
            if sensor.key == "encoders" and known is not None and not numbers:
                _dials(column, known)
            else:
                words = reading(sensor, frame)
                color = ALARM if is_alarming(sensor, frame) else QUIET
                room = column.width - 24 - column.text.width(sensor.key, 17) - 8
                size = next((s for s in (16, 14) if column.text.width(words, s) <= room), 13)
                column.right_word(words, size, color, room=room)
            column.y += ROW_PX
            if sensor.key == "grid" and has_room:
                _picture(column, sensor, known, numbers)
            if sensor.key == "imu" and has_room and known is not None:
                _centred_bar(column, -degrees_per_second(sensor, known) / self._yaw_limit_dps)

    @staticmethod
    def _name(column: Column, sensor: Sensor, layers: LayerList) -> None:
        number = layers.number_of(sensor.key)
        if number is None:
            disc(column.surface, (column.x + 8, column.y + 5), 3, FAINT)
        else:
            color = SENSOR_COLORS[sensor.key] if layers.shows(sensor.key) else None
            column.chip(number, color)
        shown = number is None or layers.shows(sensor.key)
        column.left_word(sensor.key, 17, INK if shown else FAINT, indent=24)


def zone_color(value_mm: int, status: int, range_max_mm: float) -> Color:
    """Return the colour of a zone of the grid: the nearer the darker, red where too near."""
    own = SENSOR_COLORS["grid"]
    if status == RETURN:
        return mix(own, WHITE, PALEST * min(value_mm / range_max_mm, 1.0))
    return {TOO_NEAR: ALARM, OUT_OF_RANGE: mix(TRACK, WHITE, 0.5)}.get(status, TRACK)


def _picture(column: Column, sensor: Sensor, frame: SensorFrame | None, numbers: bool) -> None:
    """Draw the zones as the shell looks: the top row on top, the left column on the left."""
    rows, cols = sensor.card.value_shape
    wide = column.width // cols
    left = column.x + (column.width - wide * cols) // 2
    for row, col in np.ndindex(rows, cols):
        place = (left + col * wide, column.y + row * CELL_PX, wide - 1, CELL_PX - 1)
        value, status = (0, 0)
        if frame is not None:
            value, status = int(frame.values[row, col]), int(frame.status[row, col])
        color = zone_color(value, status, MM_PER_M * sensor.range_max_m)
        column.surface.fill(color, place)
        if numbers and status == RETURN:
            ink = WHITE if color[1] < 150 else INK  # the ramp's green tells dark from pale
            at = (place[0] + wide // 2, place[1] + 2)
            draw = column.text.draw
            draw(column.surface, in_metres(value), at, size_px=13, color=ink, align=0.5)
    column.y += INSET_PX


def _dials(column: Column, frame: SensorFrame) -> None:
    """Draw a dial for each wheel, front left, front right, rear left, rear right.

    The hands turn with the wheels, clockwise when they roll forward.
    """
    counts = frame.values.ravel().tolist()
    right = column.right - DIAL_PX - 1
    for i, count in enumerate(counts):
        from_right = len(counts) - 1 - i
        x = right - from_right * DIAL_STEP_PX - (DIAL_GAP_PX if i < len(counts) // 2 else 0)
        y = column.y + 5
        ring(column.surface, (x, y), DIAL_PX, FAINT, 1)
        turn = 2.0 * math.pi * (count % COUNTS_A_TURN) / COUNTS_A_TURN
        hand = (x + (DIAL_PX - 2) * math.sin(turn), y - (DIAL_PX - 2) * math.cos(turn))
        stroke(column.surface, np.array([(x, y), hand], np.float64), ACCENT, 3)


def _centred_bar(column: Column, share: float) -> None:
    """Draw a bar from the middle, to the right where the share is above zero."""
    surface, y = column.surface, column.y - 2
    card(surface, (column.x, y, column.width, BAR_PX), TRACK, radius_px=2)
    middle = column.x + column.width // 2
    end = middle + round(min(max(share, -1.0), 1.0) * (column.width // 2))
    left, right = min(middle, end), max(middle, end)
    if right > left:
        surface.fill(ACCENT, (left, y, right - left, BAR_PX))
    surface.fill(FAINT, (middle, y - 2, 1, BAR_PX + 4))
    column.y += BAR_ROW_PX
