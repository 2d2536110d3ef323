"""Cells and their states, and arrays of them as the core takes them: checked and in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import OptionError
from .library import ffi, lib

CELL_UNKNOWN: int = lib.KW_CELL_UNKNOWN
CELL_FREE: int = lib.KW_CELL_FREE
CELL_OCCUPIED: int = lib.KW_CELL_OCCUPIED


def read_by(kind: str, array: NDArray[Any]) -> Any:
    """Return an array that C reads; it lives as long as what is returned."""
    return ffi.from_buffer(f"{kind}[]", array)


def written_by(kind: str, array: NDArray[Any]) -> Any:
    """Return an array that C writes."""
    return ffi.from_buffer(f"{kind}[]", array, require_writable=True)


def as_int32(value: int, what: str) -> int:
    """Return an integer of 32 bits, or say that `what` is none."""
    if type(value) is not int and not isinstance(value, np.integer):
        raise OptionError(f"{what} must be an integer, not {value!r}")
    if not -(2**31) <= value < 2**31:
        raise OptionError(f"{what} must be within 32 bits, not {value}")
    return int(value)


def as_cell(cell: Sequence[int], what: str) -> tuple[int, int]:
    """Return a row and a column."""
    if len(cell) != 2:
        raise OptionError(f"{what} must be a row and a column, not {cell!r}")
    return as_int32(cell[0], f"{what}'s row"), as_int32(cell[1], f"{what}'s column")


def as_cells(cells: ArrayLike, what: str) -> NDArray[np.int32]:
    """Return rows and columns, shape (n, 2)."""
    array = np.asarray(cells)
    if array.ndim != 2 or array.shape[1] != 2:
        raise OptionError(f"{what} must have shape (n, 2), not {array.shape}")
    return as_indices(array, what)


def as_indices(values: ArrayLike, what: str) -> NDArray[np.int32]:
    """Return integers of 32 bits, of any shape."""
    array = np.asarray(values)
    if array.dtype != np.int32:
        if array.dtype.kind not in "iu":
            raise OptionError(f"{what} must be integers, not {array.dtype}")
        if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
            raise OptionError(f"{what} must be within 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def as_states(states: ArrayLike, shape: tuple[int, ...] | None = None) -> NDArray[np.uint8]:
    """Return cells' states, of this shape where one is asked for."""
    array = np.asarray(states)
    if array.dtype != np.uint8:
        raise OptionError(f"states must be uint8, not {array.dtype}")
    if shape is not None and array.shape != shape:
        raise OptionError(f"states must have shape {shape}, not {array.shape}")
    return np.ascontiguousarray(array)


def cells_in_disc(x_um: int, y_um: int, radius_um: int, cell_um: int) -> NDArray[np.int32]:
    """Return the cells whose centre lies within a disc.

    Parameters
    ----------
    x_um, y_um : int
        Of the disc's centre in `map`, micrometres.
    radius_um : int
        From 0 to 250 cells.
    cell_um : int
        Side of a cell; even.

    Returns
    -------
    ndarray of int32, shape (n, 2)
        Row and column, in rising order. With a radius of 0, or where a disc holds no centre,
        the one cell that holds the disc's own.

    Raises
    ------
    OptionError
        Where the radius is beyond that, or the cell's side odd or not positive.
    """
    if cell_um < 2 or cell_um % 2 or not 0 <= radius_um <= 250 * cell_um:
        raise OptionError(
            f"a disc's radius must be within 0 and 250 cells, and a cell's side even, not "
            f"{radius_um} um in cells of {cell_um} um"
        )
    here = (y_um // cell_um, x_um // cell_um)
    if radius_um == 0:
        return np.array([here], np.int32)
    rows = range((y_um - radius_um) // cell_um, (y_um + radius_um) // cell_um + 1)
    cols = range((x_um - radius_um) // cell_um, (x_um + radius_um) // cell_um + 1)
    half_um = cell_um // 2
    cells = [
        (row, col)
        for row in rows
        for col in cols
        if (row * cell_um + half_um - y_um) ** 2 + (col * cell_um + half_um - x_um) ** 2
        <= radius_um**2
    ]
    return np.array(cells or [here], np.int32)
