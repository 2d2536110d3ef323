"""Plan views of solids against shapely."""

import math

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, Point
from shapely.geometry.base import BaseGeometry

from kinewright_env.scene import Box, Post, Scene, Solid, Start, Wall
from kinewright_env.scene_geometry import Rectangle, overlaps, solid_bounds, unit_of_deg

NEAR = st.floats(-2, 2)
SIZES = st.floats(0.01, 2)
HEADINGS = st.floats(-360, 360) | st.sampled_from([0.0, 45.0, 90.0, 180.0, -90.0])
POINTS = st.tuples(NEAR, NEAR)
WALLS = st.builds(
    lambda a, turn, length, thickness: Wall(
        name="w",
        from_m=a,
        to_m=(a[0] + length * math.cos(turn), a[1] + length * math.sin(turn)),
        thickness_m=thickness,
        height_m=1.0,
    ),
    POINTS, st.floats(0, 6), SIZES, SIZES,
)  # fmt: skip
BOXES = st.builds(
    Box, name=st.just("b"), center_m=POINTS, size_m=st.tuples(SIZES, SIZES), heading_deg=HEADINGS,
    height_m=st.just(1.0),
)  # fmt: skip
POSTS = st.builds(Post, name=st.just("p"), center_m=POINTS, radius_m=SIZES, height_m=st.just(1.0))


def rectangle(x: float, y: float, length: float, width: float, heading_deg: float) -> BaseGeometry:
    flat = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    return translate(rotate(flat, heading_deg, origin=(0, 0)), x, y)


def separation(solid: Solid, body: BaseGeometry) -> float:
    """Distance between the two, below zero where they overlap."""
    if isinstance(solid, Post):
        return body.distance(Point(solid.center_m)) - solid.radius_m
    if isinstance(solid, Box):
        other = rectangle(*solid.center_m, *solid.size_m, solid.heading_deg)
    else:
        line = LineString((solid.from_m, solid.to_m))
        other = line.buffer(solid.thickness_m / 2, cap_style="flat")
    depth = math.sqrt(body.intersection(other).area)
    return -depth if depth > 0 else body.distance(other)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(WALLS | BOXES | POSTS, POINTS, SIZES, SIZES, HEADINGS)
def test_overlap_agrees_with_shapely(
    solid: Solid, place: tuple[float, float], length: float, width: float, heading_deg: float
) -> None:
    body = Rectangle(*place, *unit_of_deg(heading_deg), length / 2, width / 2)
    gap = separation(solid, rectangle(*place, length, width, heading_deg))
    if abs(gap) > 1e-6:
        assert overlaps(solid, body) == (gap < 0)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(WALLS | BOXES, min_size=1, max_size=4))
def test_bounds_agree_with_shapely(solids: list[Wall | Box]) -> None:
    scene = Scene(
        format=1,
        name="x",
        title="x",
        time_limit_s=1.0,
        start=Start(x_m=0.0, y_m=0.0),
        walls=tuple(solid for solid in solids if isinstance(solid, Wall)),
        boxes=tuple(solid for solid in solids if isinstance(solid, Box)),
    )
    for solid, bounds in zip(scene.solids, solid_bounds(scene).tolist(), strict=True):
        shape = (
            rectangle(*solid.center_m, *solid.size_m, solid.heading_deg)
            if isinstance(solid, Box)
            else LineString((solid.from_m, solid.to_m)).buffer(
                solid.thickness_m / 2, cap_style="flat"
            )
        )
        assert bounds == pytest.approx(shape.bounds, abs=1e-9)


def test_quarter_turns_are_exact() -> None:
    turns = [unit_of_deg(degrees) for degrees in (0, 90, 180, 270, -90, 360, -360)]
    assert turns == [(1, 0), (0, 1), (-1, 0), (0, -1), (0, -1), (1, 0), (1, 0)]
