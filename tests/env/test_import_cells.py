"""Cells merged into rectangles, and a start chosen among them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from kinewright_env.importers.merge import merge_cells
from kinewright_env.importers.open_place import most_open_place, regions, squared_clearance

GRIDS = hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9)))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(GRIDS)
def test_merged_cells_cover_every_true_cell_once_and_no_other(cells: NDArray[np.bool_]) -> None:
    count = np.zeros(cells.shape, int)
    for row, row_end, column, column_end in merge_cells(cells).tolist():
        assert row < row_end
        assert column < column_end
        count[row:row_end, column:column_end] += 1
    assert (count == cells).all()


def test_equal_runs_stack_and_unequal_ones_do_not() -> None:
    cells = np.array([[1, 1, 0, 1], [1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 1]], bool)
    assert merge_cells(cells).tolist() == [
        [0, 2, 0, 2],
        [0, 3, 3, 4],
        [2, 3, 0, 1],
        [4, 5, 0, 1],
        [4, 5, 3, 4],
    ]


@settings(max_examples=100, derandomize=True, deadline=None)
@given(GRIDS)
def test_squared_clearance_agrees_with_brute_force(free: NDArray[np.bool_]) -> None:
    edged = np.pad(free, 1)
    solid = np.argwhere(~edged) - 1
    for row, column in np.ndindex(free.shape):
        expected = min((row - r) ** 2 + (column - c) ** 2 for r, c in solid.tolist())
        assert squared_clearance(free)[row, column] == expected


@settings(max_examples=100, derandomize=True, deadline=None)
@given(GRIDS)
def test_regions_agree_with_a_flood(cells: NDArray[np.bool_]) -> None:
    labels = regions(cells)
    assert ((labels > 0) == cells).all()
    for seed in np.argwhere(cells).tolist():
        reached, stack = {tuple(seed)}, [tuple(seed)]
        while stack:
            row, column = stack.pop()
            for place in (
                (row + 1, column),
                (row - 1, column),
                (row, column + 1),
                (row, column - 1),
            ):
                inside = 0 <= place[0] < cells.shape[0] and 0 <= place[1] < cells.shape[1]
                if inside and cells[place] and place not in reached:
                    reached.add(place)
                    stack.append(place)
        assert reached == {tuple(p) for p in np.argwhere(labels == labels[tuple(seed)]).tolist()}


def test_the_start_is_indoors_in_the_widest_room_looking_along_it() -> None:
    """White ground lies all around; the house has a leak in its wall, and a smaller room."""
    free = np.ones((40, 60), bool)
    free[8:21, [10, 35, 50]] = False  # walls along y
    free[[8, 20], 10:51] = False  # walls along x
    free[14, 50] = True  # the leak
    assert most_open_place(free, 3) == (14, 16, 0)


def test_without_a_house_the_middle_of_the_open_ground_is_taken() -> None:
    place = most_open_place(np.ones((21, 31), bool), 3)
    assert place is not None
    assert place.row == 10
    assert most_open_place(np.zeros((5, 5), bool), 1) is None
