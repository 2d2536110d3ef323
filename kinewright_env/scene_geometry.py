"""Plan views of solids and bodies: upright bounds, rectangles, and whether two overlap.

These decide what a scene may hold and how it is drawn. A drive's own geometry is the core's.
"""

from __future__ import annotations

from math import pi, radians, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .grids import cos, sin
from .scene_parts import Box, Post, Solid, Start, Wall
from .shells import Shell

if TYPE_CHECKING:
    from .scene import Scene

Float = NDArray[np.float64]


class Rectangle(NamedTuple):
    """A turned rectangle: centre, heading as cosine and sine, half sizes; metres in `map`."""

    x_m: float
    y_m: float
    cosine: float
    sine: float
    half_length_m: float
    half_width_m: float

    def at(self, along: float, across: float) -> tuple[float, float]:
        """Return the place that lies so many half lengths ahead and half widths to the left."""
        a, b = along * self.half_length_m, across * self.half_width_m
        return (
            self.x_m + a * self.cosine - b * self.sine,
            self.y_m + a * self.sine + b * self.cosine,
        )

    def seen(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return how far ahead of the centre and to the left of it a place lies."""
        dx, dy = x_m - self.x_m, y_m - self.y_m
        return dx * self.cosine + dy * self.sine, dy * self.cosine - dx * self.sine


def unit_of_deg(heading_deg: float) -> tuple[float, float]:
    """Return cosine and sine of a heading, exact at whole quarter turns."""
    quarters, rest = divmod(heading_deg, 90.0)
    cosine, sine = cos(radians(rest)), sin(radians(rest))
    turned = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))
    return turned[int(quarters) % 4]


def body_rectangle(shell: Shell, pose: Start) -> Rectangle:
    """Return the outline of a shell's body with `base_link` at a pose."""
    cosine, sine = unit_of_deg(pose.heading_deg)
    return Rectangle(
        pose.x_m + shell.body_ahead_m * cosine,
        pose.y_m + shell.body_ahead_m * sine,
        cosine,
        sine,
        shell.length_m / 2,
        shell.width_m / 2,
    )


def solid_rectangle(solid: Wall | Box) -> Rectangle:
    """Return the outline of a wall or box."""
    if isinstance(solid, Box):
        half_length_m, half_width_m = solid.size_m[0] / 2, solid.size_m[1] / 2
        return Rectangle(
            *solid.center_m, *unit_of_deg(solid.heading_deg), half_length_m, half_width_m
        )
    (x0, y0), (x1, y1) = solid.from_m, solid.to_m
    length_m = sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    cosine, sine = (x1 - x0) / length_m, (y1 - y0) / length_m
    x_m, y_m = (x0 + x1) / 2, (y0 + y1) / 2
    return Rectangle(x_m, y_m, cosine, sine, length_m / 2, solid.thickness_m / 2)


def overlaps(solid: Solid, body: Rectangle) -> bool:
    """Whether a rectangle overlaps a solid or touches it."""
    if isinstance(solid, Post):
        along, across = body.seen(*solid.center_m)
        ahead = max(0.0, abs(along) - body.half_length_m)
        beside = max(0.0, abs(across) - body.half_width_m)
        return ahead * ahead + beside * beside <= solid.radius_m**2
    other = solid_rectangle(solid)
    return not (_parted(body, other) or _parted(other, body))


def _parted(a: Rectangle, b: Rectangle) -> bool:
    """Whether one of `a`'s axes has a gap between the two (separating axis theorem)."""
    along, across = a.seen(b.x_m, b.y_m)
    cosine = abs(a.cosine * b.cosine + a.sine * b.sine)
    sine = abs(a.cosine * b.sine - a.sine * b.cosine)
    reach_along = b.half_length_m * cosine + b.half_width_m * sine
    reach_across = b.half_length_m * sine + b.half_width_m * cosine
    return abs(along) > a.half_length_m + reach_along or abs(across) > a.half_width_m + reach_across


def solid_bounds(scene: Scene) -> Float:
    """Return (n, 4): least x and y, greatest x and y of each solid, metres."""
    kinds, f = scene.arrays()
    bounds = np.empty((len(kinds), 4))
    for kind in np.unique(kinds):
        rows = kinds == kind
        center, half = _UPRIGHT[kind](f[rows].T)
        bounds[rows] = np.concatenate((center - half, center + half)).T
    return bounds


def _upright_wall(f: Float) -> tuple[Float, Float]:
    along = f[2:4] - f[0:2]
    across = np.abs(along[::-1]) / np.sqrt(along[0] ** 2 + along[1] ** 2) * f[4] / 2
    return (f[0:2] + f[2:4]) / 2, np.abs(along) / 2 + across


def _upright_box(f: Float) -> tuple[Float, Float]:
    cosine, sine = np.abs(cos(f[4] * (pi / 180.0))), np.abs(sin(f[4] * (pi / 180.0)))
    half_x, half_y = f[2] / 2, f[3] / 2
    return f[0:2], np.stack((half_x * cosine + half_y * sine, half_x * sine + half_y * cosine))


def _upright_post(f: Float) -> tuple[Float, Float]:
    return f[0:2], np.stack((f[2], f[2]))


_UPRIGHT = (_upright_wall, _upright_box, _upright_post)
