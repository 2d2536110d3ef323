"""Outlines of solids by shapely: no code of the product beside its declarations."""

from collections.abc import Callable

import pytest
import shapely
from shapely.geometry.base import BaseGeometry

from kinewright_env.scene import Box, Post, Scene, Solid

DISC_SEGMENTS = 64  # a quarter turn: a disc is at most 8e-5 of its radius too small


def outline_of(solid: Solid) -> BaseGeometry:
    if isinstance(solid, Post):
        return shapely.Point(solid.center_m).buffer(solid.radius_m, quad_segs=DISC_SEGMENTS)
    if isinstance(solid, Box):
        (length, width), heading_deg = solid.size_m, solid.heading_deg
        flat = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
        turned = shapely.affinity.rotate(flat, heading_deg, origin=(0, 0))
        return shapely.affinity.translate(turned, *solid.center_m)
    line = shapely.LineString((solid.from_m, solid.to_m))
    return line.buffer(solid.thickness_m / 2, cap_style="flat")


def disc_is_joined(
    scene: Scene, start: tuple[float, float], goal: tuple[float, float], radius_m: float
) -> bool:
    absent = scene.absent_at_start()
    solids = [outline_of(solid) for solid in scene.solids if solid.name not in absent]
    grown = shapely.unary_union([s.buffer(radius_m, quad_segs=DISC_SEGMENTS) for s in solids])
    free = shapely.box(-50, -50, 50, 50).difference(grown)
    ends = [shapely.Point(start), shapely.Point(goal)]
    return any(all(part.contains(end) for end in ends) for part in getattr(free, "geoms", [free]))


@pytest.fixture(scope="session")
def outline() -> Callable[[Solid], BaseGeometry]:
    """The outline of a solid as shapely's geometry."""
    return outline_of


@pytest.fixture(scope="session")
def is_joined() -> Callable[..., bool]:
    """Whether a disc's centre can go from start to goal, by what solids so grown leave free."""
    return disc_is_joined
