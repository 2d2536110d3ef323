"""Exact elementary functions over arrays: the same bits on every machine."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .library import ffi, lib


def _each(function: Any, *arguments: ArrayLike) -> Any:
    """Run a C function of arrays over broadcast arguments; scalars give a float."""
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arguments))
    flat = [np.ascontiguousarray(array).ravel() for array in arrays]
    out = np.empty(arrays[0].shape, dtype=np.float64)
    function(
        out.size,
        *(ffi.from_buffer("double[]", array) for array in flat),
        ffi.from_buffer("double[]", out, require_writable=True),
    )
    if np.isnan(out).any():
        raise ValueError("an argument is NaN, or outside what the function takes")
    return out if out.shape else out.item()


def sin(x_rad: ArrayLike) -> Any:
    """Return the sine, within 0.8 ulp and with the same bits on every machine.

    Parameters
    ----------
    x_rad : array_like
        Angles up to 5e5 rad to either side.

    Returns
    -------
    float or ndarray
        Of the shape of the argument.

    Raises
    ------
    ValueError
        Where an angle is NaN or beyond that.
    """
    return _each(lib.kw_sin_many, x_rad)


def cos(x_rad: ArrayLike) -> Any:
    """Return the cosine, within 0.8 ulp; otherwise as `sin`."""
    return _each(lib.kw_cos_many, x_rad)


def tan(x_rad: ArrayLike) -> Any:
    """Return the tangent, within 2.8 ulp; otherwise as `sin`."""
    return _each(lib.kw_tan_many, x_rad)


def atan2(y: ArrayLike, x: ArrayLike) -> Any:
    """Return the angle of the points (x, y), within 1.8 ulp; the same bits everywhere.

    Parameters
    ----------
    y, x : array_like
        Of shapes that broadcast.

    Returns
    -------
    float or ndarray
        In [-pi, pi] rad. Zeros count as positive; the origin gives 0.

    Raises
    ------
    ValueError
        Where a value is NaN, or both are infinite.
    """
    return _each(lib.kw_atan2_many, y, x)
