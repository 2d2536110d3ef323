"""The cells of a scene: exact against shapely, on the lattice of `map`, refused by name."""

import math
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import kinewright_env
from kinewright_env.errors import OptionError
from kinewright_env.scene import Scene
from kinewright_env.scene_cells import Occupancy, occupancy

NEAR = st.floats(-2, 2)
SIZES = st.floats(0.01, 1.5)
START = {"x": -9.0, "y": -9.0, "heading_deg": 0.0}


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


def by_shapely(solids: Scene, found: Occupancy, inset: float) -> NDArray[np.bool_]:
    """Cells, each smaller or greater by an inset, that a solid's outline meets."""
    shapes = []
    for solid in solids.walls:
        line = shapely.LineString((solid.from_m, solid.to_m))
        shapes.append(line.buffer(solid.thickness_m / 2, cap_style="flat"))
    for box in solids.boxes:
        (length, width), turn = box.size_m, box.heading_deg
        flat = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
        turned = shapely.affinity.rotate(flat, turn, origin=(0, 0))
        shapes.append(shapely.affinity.translate(turned, *box.center_m))
    shapes += [shapely.Point(p.center_m).buffer(p.radius_m, quad_segs=200) for p in solids.posts]
    rows, columns = np.mgrid[: found.cells.shape[0], : found.cells.shape[1]]
    x, y = found.x0_m + columns * found.cell_m, found.y0_m + rows * found.cell_m
    size = found.cell_m - inset
    squares = shapely.box(x + inset, y + inset, x + size, y + size)
    met: NDArray[np.bool_] = shapely.intersects(shapely.unary_union(shapes), squares)
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


@settings(max_examples=60, derandomize=True, deadline=None)
@given(BOXES, POSTS, WALLS, st.sampled_from([0.02, 0.05, 0.13]))
def test_cells_agree_with_shapely(
    box: dict[str, Any], post: dict[str, Any], wall: dict[str, Any], cell_m: float
) -> None:
    solids = scene(box=[box], post=[post], wall=[wall])
    found = occupancy(solids, cell_m)
    assert (found.cells[by_shapely(solids, found, 2e-5)] == 1).all()
    assert (found.cells[~by_shapely(solids, found, -2e-5)] == 0).all()


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
    assert (found.column0, found.row0) == (-18, -18)
    assert found.cells.shape == (18 + 25, 18 + 17)
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
