"""Exact elementary functions over arrays: the same bits on every machine."""

import math
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .library import ffi, lib

_REFUSED = "an argument is NaN, or outside what the function takes"


def _one(function: Any, *arguments: float) -> float:
    """Run a C function of arrays over one number each."""
    out: Any = ffi.new("double *")
    function(1, *(ffi.new("double *", argument) for argument in arguments), out)
    value: float = out[0]
    if math.isnan(value):
        raise ValueError(_REFUSED)
    return value


def _each(function: Any, *arguments: ArrayLike) -> Any:
    """Run a C function of arrays over broadcast arguments; scalars give a float."""
    if all(type(argument) is float for argument in arguments):  # far cheaper without arrays
        return _one(function, *cast(tuple[float, ...], arguments))
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arguments))
    flat = [np.ascontiguousarray(array).ravel() for array in arrays]
    out = np.empty(arrays[0].shape, dtype=np.float64)
    function(
        out.size,
        *(ffi.from_buffer("double[]", array) for array in flat),
        ffi.from_buffer("double[]", out, require_writable=True),
    )
    if np.isnan(out).any():
        raise ValueError(_REFUSED)
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
