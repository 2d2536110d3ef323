"""Cells of a grid merged into few rectangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_runs(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return (n, 3): row, column and column end of each longest run of true cells in a row.

    In the order of rows, then columns.
    """
    rows, columns = cells.shape
    edged = np.zeros((rows, columns + 2), np.int8)
    edged[:, 1:-1] = cells
    steps = np.diff(edged, axis=1)
    first_row, first = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return np.stack((first_row, first, end), axis=1)


def merge_cells(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Merge true cells along rows, then equal runs of rows that follow each other.

    Parameters
    ----------
    cells : (rows, columns) bool

    Returns
    -------
    (n, 4) int64
        Rectangles: row, row end, column, column end, the ends not within. Every true cell
        lies in exactly one, and no other cell does. In the order of rows, then columns.
    """
    runs = row_runs(cells)
    row, first, end = runs[np.lexsort((runs[:, 0], runs[:, 2], runs[:, 1]))].T
    follows = np.zeros(len(row), bool)
    follows[1:] = (first[1:] == first[:-1]) & (end[1:] == end[:-1]) & (row[1:] == row[:-1] + 1)
    starts = np.flatnonzero(~follows)
    lasts = np.append(starts, len(row))[1:] - 1
    merged = np.stack((row[starts], row[lasts] + 1, first[starts], end[starts]), axis=1)
    return merged[np.lexsort((merged[:, 2], merged[:, 0]))]
