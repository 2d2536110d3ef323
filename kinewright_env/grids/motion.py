"""The declared shells and steerings, asks, wheels, and the law of motion."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ActionError, OptionError
from .library import ffi, lib, to_c

if TYPE_CHECKING:
    from ..shells import Shell, Steering

MOTION_FIGURES: int = ffi.sizeof("kw_motion") // ffi.sizeof("double")


def _row(struct: Any) -> Mapping[str, Any]:
    """Return a C struct's fields by name, text decoded."""
    fields = {name: getattr(struct, name) for name, _ in ffi.typeof(struct).fields}
    fields["name"] = ffi.string(fields["name"]).decode("ascii")
    return MappingProxyType(fields)


def declared_shells() -> tuple[Mapping[str, Any], ...]:
    """Return the figures of each declared shell by name, as in `kw_shell`."""
    return tuple(_row(lib.kw_shells[i]) for i in range(lib.KW_SHELL_COUNT))


def declared_steerings() -> tuple[Mapping[str, Any], ...]:
    """Return the figures of each declared steering by name, as in `kw_steering`."""
    return tuple(_row(lib.kw_steerings[i]) for i in range(lib.KW_STEERING_COUNT))


def check_shell(shell: "Shell") -> bool:
    """Return whether the core takes this shell."""
    return bool(lib.kw_shell_check(to_c(shell)) == lib.KW_OK)


def check_steering(steering: "Steering") -> bool:
    """Return whether the core takes this steering."""
    return bool(lib.kw_steering_check(to_c(steering)) == lib.KW_OK)


def quantise_ask(shell: "Shell", speed_mps: float, steer_rad: float) -> tuple[int, int, int]:
    """Return an ask as the core takes it.

    Rounded half away from zero, then clipped to the shell's limits.

    Parameters
    ----------
    shell : Shell
    speed_mps, steer_rad : float
        Of any size; a positive steer angle turns to the left.

    Returns
    -------
    speed_dmmps : int
        Tenths of a millimetre a second.
    steer_urad : int
        Microradians.
    clipped : int
        How many of the two were clipped.

    Raises
    ------
    ActionError
        Where a value is NaN or infinite.
    """
    ask = ffi.new("kw_ask *")
    clipped = lib.kw_quantise_ask(to_c(shell), speed_mps, steer_rad, ask)
    if clipped < 0:
        raise ActionError(f"an ask must be finite, not ({speed_mps} m/s, {steer_rad} rad)")
    return ask.speed_dmmps, ask.steer_urad, clipped


def wheel_angles(shell: "Shell", steer_rad: float) -> tuple[float, float, float, float]:
    """Return the true angle of each wheel, rad, at a steer angle within the shell's lock.

    Returns
    -------
    tuple of float
        Front left, front right, rear left, rear right; positive to the left. Each wheel
        stands square to the line from it to the turning centre.
    """
    out = ffi.new("double[]", lib.KW_WHEEL_COUNT)
    lib.kw_wheel_angles(to_c(shell), steer_rad, out)
    if math.isnan(out[0]):
        raise ValueError(f"steer_rad is NaN or beyond 5e5: {steer_rad}")
    return (out[0], out[1], out[2], out[3])


def wheel_positions(shell: "Shell") -> tuple[tuple[float, float], ...]:
    """Return where the wheels touch the ground, (x, y) m in `base_link`.

    Returns
    -------
    tuple of four pairs of float
        In the order of `wheel_angles`.
    """
    x_m = ffi.new("double[]", lib.KW_WHEEL_COUNT)
    y_m = ffi.new("double[]", lib.KW_WHEEL_COUNT)
    lib.kw_wheel_positions(to_c(shell), x_m, y_m)
    return tuple(zip(x_m, y_m, strict=True))


def predict(
    shell: "Shell",
    steering: "Steering",
    start: ArrayLike,
    ask: tuple[int, int],
    n_ticks: int,
) -> NDArray[np.float64]:
    """Run the motion law under one ask, as the world does.

    Parameters
    ----------
    shell : Shell
    steering : Steering
    start : array_like, shape (7,) or (6,)
        x m, y m, heading rad of `base_link`, speed m/s, steer angle rad, steer rate rad/s,
        and what rounding left of the heading so far, rad, 0 where left out.
    ask : (int, int)
        Speed in tenths of a millimetre a second and steer angle in microradians, as
        `quantise_ask` returns them.
    n_ticks : int
        0 or more, 1/120 s each.

    Returns
    -------
    ndarray, shape (n_ticks, 7)
        The motion after each tick, in the order of `start`.

    Raises
    ------
    OptionError
        Where the ask lies outside the shell, the start is not finite or its steer angle
        cannot come to rest short of a right angle, or `n_ticks` is negative.
    """
    row = np.ascontiguousarray(start, dtype=np.float64)
    if row.shape == (MOTION_FIGURES - 1,):
        row = np.append(row, 0.0)
    if row.shape != (MOTION_FIGURES,):
        raise OptionError(f"start must have shape ({MOTION_FIGURES},), not {row.shape}")
    out = np.empty((max(n_ticks, 0), MOTION_FIGURES), dtype=np.float64)
    try:
        # a kw_motion is seven doubles in this very order
        status = lib.kw_predict(
            to_c(shell),
            to_c(steering),
            ffi.cast("kw_motion *", ffi.from_buffer(row)),
            ask,
            n_ticks,
            ffi.cast("kw_motion *", ffi.from_buffer(out, require_writable=True)),
        )
    except OverflowError:
        status = lib.KW_BAD_ARGUMENT
    if status != lib.KW_OK:
        raise OptionError(
            f"cannot predict {n_ticks} ticks of ask {ask} from "
            f"{row.tolist()}: the ask must lie within the shell's limits, the start be finite "
            "with a heading within 4 rad and a steer angle that can stop short of a right angle"
        )
    return out
