"""What a belief hands out: boxes of cells, changes, frontiers, rooms."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int32]
Cells = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Cells from (row0, col0) on, n_rows times n_cols of them."""

    row0: int
    col0: int
    n_rows: int
    n_cols: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Cells of the planner's copy, 0.04 m each, that have changed: each cell once.

    `states` are 0 unknown, 1 free, 2 occupied.
    """

    rows: Array
    cols: Array
    states: Cells


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Frontier cells of the copy that hang together; (row, col) is the one nearest their middle."""

    rows: Array
    cols: Array
    row: int
    col: int
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """Rooms of the copy: `labels` over `box` are 0 outside of rooms, else the number from 1."""

    box: Box
    labels: Array
    areas_m2: tuple[float, ...]

    @property
    def count(self) -> int:
        """How many rooms there are."""
        return len(self.areas_m2)
