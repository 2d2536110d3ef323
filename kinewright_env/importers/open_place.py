"""Where to put a shell in a map that says nothing of it: the free place of most clearance."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .merge import row_runs

CLEARANCE_LIMIT_CELLS: Final = 256
"""More clearance than this is not told apart."""
_DIRECTIONS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Steps in (row, column) of the eight headings, counter-clockwise from x; rows grow with y."""


class Place(NamedTuple):
    """A cell, and the heading of the longest free way from it, in eighths of a turn."""

    row: int
    column: int
    eighths: int


def most_open_place(free: NDArray[np.bool_], room_cells: int) -> Place | None:
    """Choose a start on a grid.

    Cells with more than `room_cells` to the nearest that is not free have room. Those are
    taken that have one without room to the left, right, above and below: they lie indoors,
    even where walls leak. Where there are none, all with room are. In their largest region,
    the cell of greatest clearance is chosen, the first by row and column; and the heading in
    which the free way is longest, the first counter-clockwise from x.

    Parameters
    ----------
    free : (rows, columns) bool
        Rows grow with y. What lies outside the grid is free as far as the room reaches.
    room_cells : int
        Clearance that a place must have, in cells between centres.

    Returns
    -------
    Place or None
        None where no cell has the room.
    """
    margin = room_cells + 1
    inside = (slice(margin, -margin), slice(margin, -margin))
    clearance2 = squared_clearance(np.pad(free, margin, constant_values=True))[inside]
    roomy = clearance2 > room_cells * room_cells
    if not roomy.any():
        return None
    indoors = roomy & _is_between(~roomy)
    region = _largest_region(indoors if indoors.any() else roomy)
    best = int(np.argmax(np.where(region, clearance2, -1)))
    row, column = divmod(best, free.shape[1])
    return Place(row, column, longest_ways(free, row, column)[0])


def longest_ways(free: NDArray[np.bool_], row: int, column: int) -> list[int]:
    """Return the headings, in eighths of a turn, by the free way from a cell, longest first."""
    ways = [_way2(free, row, column, step) for step in _DIRECTIONS]
    return sorted(range(len(ways)), key=lambda eighths: -ways[eighths])


def _is_between(bounds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where a cell of the bounds lies to the left, to the right, above and below."""
    between = np.ones(bounds.shape, bool)
    for axis in (0, 1):
        between &= np.logical_or.accumulate(bounds, axis=axis)
        between &= np.flip(np.logical_or.accumulate(np.flip(bounds, axis), axis=axis), axis)
    return between


def _largest_region(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells of the largest region, the first on a tie."""
    labels = regions(cells)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    largest: NDArray[np.bool_] = labels == int(np.argmax(sizes))
    return largest


def _way2(free: NDArray[np.bool_], row: int, column: int, step: tuple[int, int]) -> int:
    """Return the squared length in cells of the free way in a direction."""
    steps = 0
    row, column = row + step[0], column + step[1]
    while 0 <= row < free.shape[0] and 0 <= column < free.shape[1] and free[row, column]:
        steps += 1
        row, column = row + step[0], column + step[1]
    return steps * steps * (step[0] ** 2 + step[1] ** 2)


def squared_clearance(free: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the squared distance in cells from each cell to the nearest that is not free.

    Between centres, exact up to `CLEARANCE_LIMIT_CELLS`, which stands for all that is more;
    the cells around the grid count as not free. In two passes: along columns by two sweeps,
    then along rows by trying each offset that could still be nearer (Saito and Toriwaki, New
    algorithms for Euclidean distance transformation, 1994).
    """
    rows, columns = free.shape
    along = np.zeros((rows + 2, columns), np.int32)
    for row in range(1, rows + 1):
        along[row] = np.where(free[row - 1], along[row - 1] + 1, 0)
    for row in range(rows, 0, -1):
        np.minimum(along[row], along[row + 1] + 1, out=along[row])
    np.minimum(along, CLEARANCE_LIMIT_CELLS, out=along)
    column2: NDArray[np.int32] = along[1:-1] ** 2
    to_side = np.minimum(np.arange(1, columns + 1), np.arange(columns, 0, -1))
    to_side2 = np.minimum(to_side, CLEARANCE_LIMIT_CELLS).astype(np.int32) ** 2
    nearest2: NDArray[np.int32] = np.minimum(column2, to_side2)
    offset = 1
    while offset < columns and offset * offset < nearest2.max():
        left, right = nearest2[:, offset:], nearest2[:, :-offset]
        np.minimum(left, column2[:, :-offset] + offset * offset, out=left)
        np.minimum(right, column2[:, offset:] + offset * offset, out=right)
        offset += 1
    return nearest2


def regions(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of the region of each true cell, from 1, and 0 elsewhere.

    Cells that share an edge are of one region (runs of rows joined by union and find).
    """
    runs = row_runs(cells).tolist()
    parent = list(range(len(runs)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    below = 0
    for i, (row, first, end) in enumerate(runs):
        while runs[below][0] < row - 1 or (runs[below][0] == row - 1 and runs[below][2] <= first):
            below += 1
        other = below
        while runs[other][0] == row - 1 and runs[other][1] < end:
            a, b = root(i), root(other)
            parent[max(a, b)] = min(a, b)
            other += 1
    labels = np.zeros(cells.shape, np.int64)
    for i, (row, first, end) in enumerate(runs):
        labels[row, first:end] = root(i) + 1
    return labels
