"""The cells of a scene: exact against shapely, on the lattice of `map`, refused by name."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

import kinewright_env
from kinewright_env.errors import OptionError
from kinewright_env.scene import Scene, Solid
from kinewright_env.scene_cells import Occupancy, occupancy

NEAR = st.floats(-2, 2)
SIZES = st.floats(0.01, 1.5)
START = {"x": -6.0, "y": -6.0, "heading_deg": 0.0}


def scene(**solids: list[dict[str, Any]]) -> Scene:
    named = {
        kind: [{"name": f"{kind} {i}", "height": 0.4, **solid} for i, solid in enumerate(listed)]
        for kind, listed in solids.items()
    }
    return Scene.from_dict(
        {"format": 1, "name": "s", "title": "s", "time_limit_s": 1, "start": START, **named}
    )


def cells_of(found: Occupancy) -> set[tuple[int, int]]:
    rows, columns = np.nonzero(found.cells)
    return {
        (row + found.row0, column + found.column0)
        for row, column in zip(rows, columns, strict=True)
    }


def met_cells(shapes: BaseGeometry, found: Occupancy, inset: float) -> NDArray[np.bool_]:
    """Cells, each smaller by an inset on every side, that a shape meets."""
    rows, columns = np.mgrid[: found.cells.shape[0], : found.cells.shape[1]]
    x, y = found.x0_m + columns * found.cell_m, found.y0_m + rows * found.cell_m
    size = found.cell_m - inset
    squares = shapely.box(x + inset, y + inset, x + size, y + size)
    met: NDArray[np.bool_] = shapely.intersects(shapes, squares)
    return met


BOXES = st.fixed_dictionaries(
    {"center": st.tuples(NEAR, NEAR), "size": st.tuples(SIZES, SIZES),
     "heading_deg": st.floats(-360, 360)}
)  # fmt: skip
POSTS = st.fixed_dictionaries({"center": st.tuples(NEAR, NEAR), "radius": SIZES})
WALLS = st.builds(
    lambda end, turn, length: {
        "from": end,
        "to": (end[0] + length * math.cos(turn), end[1] + length * math.sin(turn)),
        "thickness": 0.05,
    },
    st.tuples(NEAR, NEAR), st.floats(0, 6), SIZES,
)  # fmt: skip


@settings(max_examples=40, derandomize=True, deadline=None)
@given(BOXES, POSTS, WALLS, st.sampled_from([0.06, 0.13]))
def test_cells_agree_with_shapely(
    outline: Callable[[Solid], BaseGeometry],
    box: dict[str, Any],
    post: dict[str, Any],
    wall: dict[str, Any],
    cell_m: float,
) -> None:
    solids = scene(box=[box], post=[post], wall=[wall])
    found = occupancy(solids, cell_m)
    shapes = shapely.unary_union([outline(solid) for solid in solids.solids])
    assert (found.cells[met_cells(shapes, found, 2e-4)] == 1).all()
    assert (found.cells[~met_cells(shapes, found, -2e-4)] == 0).all()


@pytest.mark.parametrize("cell_m", [0.02, 0.04, 0.05, 0.1, 0.07])
def test_a_face_on_a_cells_edge_stays_on_its_own_side(cell_m: float) -> None:
    for first in (-31, -3, 0, 7, 123):
        at = (first + 2.5) * cell_m
        solids = scene(box=[{"center": [at, at + cell_m], "size": [3 * cell_m, cell_m]}])
        expected = {(first + 3, first + 1), (first + 3, first + 2), (first + 3, first + 3)}
        assert cells_of(occupancy(solids, cell_m)) == expected


def test_a_turned_box_leaves_out_the_cells_at_its_corners() -> None:
    diamond = scene(box=[{"center": [0, 0], "size": [2, 2], "heading_deg": 45}])
    found = cells_of(occupancy(diamond, 0.2))
    assert (0, 0) in found
    assert (0, 7) in found  # reaches to 1.414
    assert (5, 5) not in found
    upright = scene(box=[{"center": [0, 0], "size": [2, 2], "heading_deg": 90}])
    assert len(cells_of(occupancy(upright, 0.2))) == 100


def test_the_array_holds_start_goals_and_where_changes_put_them() -> None:
    moved = Scene.from_dict(
        {
            "format": 1, "name": "s", "title": "s", "time_limit_s": 9, "start": START,
            "goals": [{"x": 8.0, "y": 0.0}],
            "change": [{"action": "kidnap", "armed": {"after_s": 1}, "pose": {"x": 0, "y": 11}}],
            "goal_change": [{"at_s": 1, "x": 0.0, "y": 12.0}],
        }
    )  # fmt: skip
    found = occupancy(moved, 0.5)
    assert (found.column0, found.row0) == (-12, -12)
    assert found.cells.shape == (12 + 25, 12 + 17)
    assert not found.cells.any()


def test_what_is_absent_counts_where_it_is_said_to_be_there() -> None:
    door = kinewright_env.load_scene("box_appears")
    before = occupancy(door, 0.02)
    after = occupancy(door, 0.02, present=[True] * len(door.solids))
    (box,) = [solid for solid in door.solids if solid.name in door.absent_at_start()]
    assert after.cells.shape == before.cells.shape
    row = math.floor(box.center_m[1] / 0.02) - before.row0  # type: ignore[union-attr]
    column = math.floor(box.center_m[0] / 0.02) - before.column0  # type: ignore[union-attr]
    assert (before.cells[row, column], after.cells[row, column]) == (0, 1)


@pytest.mark.parametrize(
    ("cell_m", "options", "text"),
    [
        (0.0, {}, "cell_m: 0.0"),
        (math.nan, {}, "cell_m: nan"),
        ("wide", {}, "cell_m: 'wide'"),
        (1e-4, {}, "cell_m: 0.0001"),
        (1e-3, {}, "cells; allowed: 67108864"),
        (0.1, {"present": [True]}, "present: 1 of them"),
    ],
)
def test_what_makes_no_cells_is_refused(cell_m: Any, options: dict[str, Any], text: str) -> None:
    solids = scene(post=[{"center": [5, 5], "radius": 0.1}, {"center": [4, 5], "radius": 0.1}])
    with pytest.raises(OptionError, match=text):
        occupancy(solids, cell_m, **options)


def test_it_is_public() -> None:
    assert kinewright_env.occupancy is occupancy
