"""Colours and measures of the picture, in one place."""

from __future__ import annotations

Color = tuple[int, int, int]

WHITE: Color = (255, 255, 255)
FLOOR: Color = (247, 248, 250)
METRE_LINE: Color = (232, 235, 240)
PANEL: Color = WHITE
PANEL_EDGE: Color = (222, 226, 233)
TRACK: Color = (233, 236, 242)
INK: Color = (31, 41, 55)
QUIET: Color = (118, 128, 145)
FAINT: Color = (178, 186, 199)
ACCENT: Color = (37, 99, 235)
ACCENT_PALE: Color = (205, 219, 247)
ALARM: Color = (214, 40, 57)
GOAL: Color = (22, 150, 92)
BODY: Color = (225, 234, 253)
NOSE: Color = (37, 99, 235)
WHEEL: Color = (28, 36, 52)
WHEEL_MARK: Color = (250, 190, 60)
SHADOW: Color = (219, 224, 232)
ABSENT: Color = (206, 211, 220)
DRAWN: Color = (168, 60, 200)

# What is too low for the scanner is warm and pale, what is tall is cold and dark.
HEIGHT_RAMP: tuple[tuple[float, Color], ...] = (
    (0.00, (253, 224, 150)),
    (0.10, (246, 182, 96)),
    (0.20, (216, 146, 110)),
    (0.35, (132, 138, 160)),
    (0.60, (82, 94, 122)),
    (1.00, (48, 58, 84)),
)

# By sensor; the others have nothing on the map.
SENSOR_COLORS: dict[str, Color] = {
    "cone": (13, 148, 136),
    "grid": (124, 58, 237),
    "beam": (236, 128, 22),
    "scan": (14, 140, 200),
    "radar": (219, 39, 119),
    "lio": (101, 116, 20),
}
# By the statuses 3 too near and 4 no echo: in place of the sensor's own colour.
STATUS_COLORS: dict[int, Color] = {3: (214, 40, 57), 4: (118, 128, 145)}
LIGHT_OFF: Color = (255, 255, 255)

PANEL_WIDTH_PX = 232
PANEL_FROM_WIDTH_PX = 620
PANEL_FROM_HEIGHT_PX = 380
STRIP_HEIGHT_PX = 22


def mix(a: Color, b: Color, share: float) -> Color:
    """Return the colour that lies `share` of the way from one to another."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


def height_color(height_m: float) -> Color:
    """Return the colour of a solid by its height."""
    low_m, low = HEIGHT_RAMP[0]
    for high_m, high in HEIGHT_RAMP[1:]:
        if height_m <= high_m:
            return mix(low, high, max(height_m - low_m, 0.0) / (high_m - low_m))
        low_m, low = high_m, high
    return low
