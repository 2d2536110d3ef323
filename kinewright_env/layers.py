"""What an agent may ask a viewer to draw: plain data in `map`, no drawing here.

Layers of one name share a number key: it shows or hides them together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Color = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolylineLayer:
    """A line through points, metres in `map`.

    `colors`, where there are any, stand for `color`: one after the other along the line, each
    for an equal part of its segments.
    """

    name: str
    points_m: tuple[tuple[float, float], ...]
    color: Color = (40, 110, 220)
    closed: bool = False
    width_px: int = 2
    colors: tuple[Color, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaLayer:
    """A filled polygon through points, metres in `map`; `alpha` 0 is not to be seen, 255 opaque."""

    name: str
    points_m: tuple[tuple[float, float], ...]
    color: Color = (40, 110, 220)
    alpha: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CirclesLayer:
    """Circles about points, a radius each, metres in `map`."""

    name: str
    centers_m: tuple[tuple[float, float], ...]
    radii_m: tuple[float, ...]
    color: Color = (40, 110, 220)
    width_px: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsLayer:
    """Dots at points, metres in `map`."""

    name: str
    points_m: tuple[tuple[float, float], ...]
    color: Color = (40, 110, 220)
    radius_px: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsLayer:
    """Words beside points, one for each, metres in `map`."""

    name: str
    points_m: tuple[tuple[float, float], ...]
    labels: tuple[str, ...]
    color: Color = (40, 110, 220)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridLayer:
    """Square cells coloured by a palette.

    `values[row, col]` (uint8) picks a row of `palette` (n, 4) RGBA uint8; cell (0, 0) has
    its lower left corner at (`x0_m`, `y0_m`) of `map`, rows grow with y.
    """

    name: str
    x0_m: float
    y0_m: float
    cell_m: float
    values: NDArray[np.uint8]
    palette: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayer:
    """A line of text in the window's panel."""

    name: str
    text: str


Layer = PolylineLayer | AreaLayer | CirclesLayer | PointsLayer | LabelsLayer | GridLayer | TextLayer
