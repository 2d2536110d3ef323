"""Draws a scene without any dependency: as an SVG, and as characters for a terminal."""

from __future__ import annotations

from html import escape
from math import ceil, floor
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError
from .scene_geometry import Rectangle, body_rectangle, overlaps, solid_bounds, solid_rectangle
from .scene_parts import Post, Solid
from .shells import SHELLS

if TYPE_CHECKING:
    from .scene import Scene

_LONG_SIDE_PX: Final = 860.0
_MARGIN_PX: Final = 28.0
_HEADER_PX: Final = 52.0
_NAMED_SOLIDS: Final = 40
"""A scene of more solids is drawn without their names, which would hide it."""
_LOW_M: Final = 0.15
"""What is no higher lies below the scanner's plane, and is drawn paler."""

# Presentation attributes, not a style sheet: every reader of SVG knows them.
_TALL: Final = 'fill="#4a5568" stroke="#1a202c"'
_LOW: Final = 'fill="#cbb58a" stroke="#7a5f20"'
_CHANGES: Final = 'fill-opacity="0.25" stroke-dasharray="5 4" stroke-width="1.5"'
_BODY: Final = 'fill="#2b6cb0" fill-opacity="0.25" stroke="#2b6cb0" stroke-width="1.5"'
_PIVOT: Final = 'fill="none" stroke="#2b6cb0" stroke-width="2"'
_GOAL: Final = 'fill="#2f855a" fill-opacity="0.2" stroke="#2f855a" stroke-width="1.5"'
_NAME: Final = 'font-family="sans-serif" font-size="11" fill="#555"'
_NAME_PX: Final = 6.0
"""About the width of a character of a name."""
_MIDDLE: Final = f'{_NAME} text-anchor="middle"'
_TITLE: Final = 'font-family="sans-serif" fill="#222"'


class _Frame:
    """Metres of `map` to pixels: x to the right, y up."""

    def __init__(self, scene: Scene) -> None:
        self.low, high = _extent(scene)
        size = high - self.low
        self.scale = _LONG_SIDE_PX / float(size.max())
        self.size = size
        title_px = max(240.0, 7.5 * len(scene.title))
        self.width_px = max(float(size[0]) * self.scale, title_px) + 2 * _MARGIN_PX
        self.height_px = float(size[1]) * self.scale + 2 * _MARGIN_PX + _HEADER_PX

    def at(self, x_m: float, y_m: float) -> tuple[float, float]:
        x = _MARGIN_PX + (x_m - float(self.low[0])) * self.scale
        y = self.height_px - _MARGIN_PX - (y_m - float(self.low[1])) * self.scale
        return x, y

    def points(self, rectangle: Rectangle) -> str:
        corners = (self.at(*rectangle.at(a, b)) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)))
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)


def draw_svg(scene: Scene) -> str:
    """Draw a scene from above.

    Solids with their names (also as tooltips), those that a change names dashed, low ones
    paler; the body at the start and its heading; the goals in their order; a scale.

    Parameters
    ----------
    scene : Scene
        A scene that names no shell is drawn with the first declared one.

    Returns
    -------
    str
        A standalone SVG, every text escaped.
    """
    frame = _Frame(scene)
    changed = {change.solid for change in scene.changes}
    named = len(scene.solids) <= _NAMED_SOLIDS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{frame.width_px:.0f}" '
        f'height="{frame.height_px:.0f}">',
        '<rect width="100%" height="100%" fill="#fbfaf7"/>',
        f'<text x="{_MARGIN_PX}" y="24" font-size="17" {_TITLE}>{escape(scene.name)}</text>',
        f'<text x="{_MARGIN_PX}" y="44" font-size="13" {_TITLE}>{escape(scene.title)}</text>',
        *(_solid_svg(frame, solid, solid.name in changed) for solid in scene.solids),
        *(_name_svg(frame, solid) for solid in scene.solids if named),
        *_start_svg(frame, scene),
        *_goals_svg(frame, scene),
        _scale_svg(frame),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def draw_text(scene: Scene, width: int = 80, *, plain: bool = False) -> str:
    """Draw a scene from above in characters.

    Parameters
    ----------
    scene : Scene
    width : int
        Columns, 20 to 400; a character stands for twice as much in y as in x.
    plain : bool
        With ASCII alone.

    Returns
    -------
    str
        The title, the drawing, and a line that says what its signs mean.

    Raises
    ------
    OptionError
        If the width is out of its range.
    """
    if not 20 <= width <= 400:
        raise OptionError(f"width: {width}: must be 20 to 400 columns")
    low, high = _extent(scene)
    cell_m = float(high[0] - low[0]) / width
    rows = max(1, ceil(float(high[1] - low[1]) / (2 * cell_m)))
    signs = _PLAIN if plain else _SIGNS
    grid = [[signs["free"]] * width for _ in range(rows)]
    changed = {change.solid for change in scene.changes}
    for solid, bounds in zip(scene.solids, solid_bounds(scene).tolist(), strict=True):
        kind = _kind(solid, solid.name in changed)
        for row, column in _cells(bounds, low, cell_m, rows, width):
            x_m, y_m = (
                float(low[0]) + (column + 0.5) * cell_m,
                float(low[1]) + (2 * row + 1) * cell_m,
            )
            if overlaps(solid, Rectangle(x_m, y_m, 1.0, 0.0, cell_m / 2, cell_m)):
                grid[row][column] = signs[kind]
    marks = [(scene.start.x_m, scene.start.y_m, _arrow(scene.start.heading_deg, signs["arrows"]))]
    marks += [(g.x_m, g.y_m, _number(i)) for i, g in enumerate(scene.goals, 1)]
    for x_m, y_m, sign in marks:
        column = min(width - 1, max(0, floor((x_m - float(low[0])) / cell_m)))
        row = min(rows - 1, max(0, floor((y_m - float(low[1])) / (2 * cell_m))))
        grid[row][column] = sign
    drawing = ["".join(row).rstrip() for row in reversed(grid)]
    return (
        "\n".join([f"{scene.name}: {scene.title}", *drawing, _legend(scene, signs, cell_m)]) + "\n"
    )


_SIGNS: Final = {
    "free": " ",
    "tall": "█",
    "low": "▒",
    "changes": "░",
    "arrows": "→↗↑↖←↙↓↘",
}
_PLAIN: Final = {"free": " ", "tall": "#", "low": "=", "changes": "?", "arrows": ">/^\\</v\\"}


def _extent(scene: Scene) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and greatest x and y of all that is drawn, at least a metre apart."""
    places = [body_rectangle(shell, scene.start) for shell in SHELLS.values()]
    corners = [place.at(a, b) for place in places for a in (-1, 1) for b in (-1, 1)]
    corners += [
        (g.x_m + a * g.radius_m, g.y_m + a * g.radius_m) for g in scene.goals for a in (-1, 1)
    ]
    bounds = solid_bounds(scene)
    everything = np.concatenate((np.array(corners), bounds[:, :2], bounds[:, 2:]))
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 0.5)
    return middle - half, middle + half


def _kind(solid: Solid, changes: bool) -> str:
    if changes:
        return "changes"
    return "low" if solid.height_m <= _LOW_M else "tall"


def _solid_svg(frame: _Frame, solid: Solid, changes: bool) -> str:
    style = _LOW if solid.height_m <= _LOW_M else _TALL
    if changes:
        style = f"{style} {_CHANGES}"
    if isinstance(solid, Post):
        x, y = frame.at(*solid.center_m)
        shape = f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{solid.radius_m * frame.scale:.2f}"'
    else:
        shape = f'<polygon points="{frame.points(solid_rectangle(solid))}"'
    tip = f"<title>{escape(solid.name)}, {solid.height_m:g} m high</title>"
    return f"<g {style}>{tip}{shape}/></g>"


def _name_svg(frame: _Frame, solid: Solid) -> str:
    """Return a solid's name: along a slab long enough for it, else over or beside the solid."""
    name = escape(solid.name)
    if isinstance(solid, Post):
        x, y = frame.at(solid.center_m[0], solid.center_m[1] + solid.radius_m)
        return f'<text {_MIDDLE} x="{x:.2f}" y="{y - 4:.2f}">{name}</text>'
    plan = _along_long_side(solid_rectangle(solid))
    corners = [plan.at(a, b) for a in (-1, 1) for b in (-1, 1)]
    if 2 * plan.half_length_m * frame.scale > len(solid.name) * _NAME_PX:
        degrees = -float(np.degrees(np.arctan2(plan.sine, plan.cosine)))
        degrees = (degrees + 90.0) % 180.0 - 90.0
        x, y = frame.at(plan.x_m, plan.y_m)
        above = plan.half_width_m * frame.scale + 4
        turned = f"translate({x:.2f} {y:.2f}) rotate({degrees:.2f})"
        return f'<text {_MIDDLE} transform="{turned}" y="{-above:.2f}">{name}</text>'
    if plan.half_length_m < 3 * plan.half_width_m:
        x, y = frame.at(plan.x_m, max(corner[1] for corner in corners))
        return f'<text {_MIDDLE} x="{x:.2f}" y="{y - 4:.2f}">{name}</text>'
    x, y = frame.at(max(corner[0] for corner in corners), plan.y_m)
    return f'<text {_NAME} x="{x + 4:.2f}" y="{y + 4:.2f}">{name}</text>'


def _along_long_side(plan: Rectangle) -> Rectangle:
    if plan.half_width_m <= plan.half_length_m:
        return plan
    turned = (-plan.sine, plan.cosine, plan.half_width_m, plan.half_length_m)
    return Rectangle(plan.x_m, plan.y_m, *turned)


def _start_svg(frame: _Frame, scene: Scene) -> list[str]:
    shell = SHELLS[scene.shell] if scene.shell else next(iter(SHELLS.values()))
    body = body_rectangle(shell, scene.start)
    (x0, y0), (x1, y1) = frame.at(scene.start.x_m, scene.start.y_m), frame.at(*body.at(1.6, 0))
    tip = f"<title>start of {escape(shell.name)}</title>"
    return [
        f'<polygon {_BODY} points="{frame.points(body)}">{tip}</polygon>',
        f'<line {_PIVOT} x1="{x0:.2f}" y1="{y0:.2f}" x2="{x1:.2f}" y2="{y1:.2f}"/>',
        f'<circle {_PIVOT} cx="{x0:.2f}" cy="{y0:.2f}" r="3"/>',
    ]


def _goals_svg(frame: _Frame, scene: Scene) -> list[str]:
    parts = []
    for i, goal in enumerate(scene.goals, 1):
        x, y = frame.at(goal.x_m, goal.y_m)
        radius = goal.radius_m * frame.scale
        name = "goal" if len(scene.goals) == 1 else f"goal {i}"
        parts.append(f'<circle {_GOAL} cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}"/>')
        parts.append(f'<text {_MIDDLE} x="{x:.2f}" y="{y - radius - 4:.2f}">{name}</text>')
    return parts


def _scale_svg(frame: _Frame) -> str:
    length_m = 1.0
    while length_m * frame.scale < 40.0:
        length_m *= 10.0
    x1, y = frame.width_px - _MARGIN_PX, 34.0
    x0 = x1 - length_m * frame.scale
    return (
        f'<path d="M{x0:.2f} {y - 5} V{y} H{x1:.2f} V{y - 5}" fill="none" stroke="#222"/>'
        f'<text {_MIDDLE} x="{(x0 + x1) / 2:.2f}" y="{y - 6}">{length_m:g} m</text>'
    )


def _cells(
    bounds: list[float], low: NDArray[np.float64], cell_m: float, rows: int, columns: int
) -> list[tuple[int, int]]:
    """Return the characters' (row, column) that upright bounds reach into."""
    left, bottom, right, top = bounds
    first, last = floor((left - low[0]) / cell_m), floor((right - low[0]) / cell_m)
    lowest, highest = floor((bottom - low[1]) / (2 * cell_m)), floor((top - low[1]) / (2 * cell_m))
    return [
        (row, column)
        for row in range(max(0, lowest), min(rows - 1, highest) + 1)
        for column in range(max(0, first), min(columns - 1, last) + 1)
    ]


def _arrow(heading_deg: float, arrows: str) -> str:
    return arrows[floor(heading_deg / 45.0 + 0.5) % 8]


def _number(i: int) -> str:
    return str(i) if i < 10 else "+"


def _legend(scene: Scene, signs: dict[str, str], cell_m: float) -> str:
    changed = {change.solid for change in scene.changes}
    kinds = {_kind(solid, solid.name in changed) for solid in scene.solids}
    words = [f"{signs[kind]} {what}" for kind, what in _WORDS.items() if kind in kinds]
    arrow = _arrow(scene.start.heading_deg, signs["arrows"])
    goals = [f"{_number(i)} goal" for i in range(1, min(len(scene.goals), 10) + 1)]
    return ", ".join([f"{arrow} start", *goals, *words, f"a column is {cell_m:.2g} m"])


_WORDS: Final = {
    "tall": "solid",
    "low": f"solid up to {_LOW_M:g} m high",
    "changes": "solid that changes",
}
