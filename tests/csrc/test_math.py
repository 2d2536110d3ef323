"""Elementary functions against mpmath at 160 bits, in units of the exact result's last place."""

import math
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env import grids, selftest

EXACT = mp.mp.clone()
EXACT.prec = 160
RANDOM = np.random.default_rng(20240229)


def error_ulp(value: float, exact: Any) -> float:
    if exact == 0:
        return 0.0 if value == 0 else math.inf
    _, exponent = EXACT.frexp(exact)
    return float(abs(EXACT.mpf(value) - exact) / EXACT.mpf(2) ** max(exponent - 53, -1074))


def worst_ulp(
    values: Iterable[float], arguments: Iterable[tuple[float, ...]], exact: Callable[..., Any]
) -> float:
    pairs = zip(values, arguments, strict=True)
    return max(error_ulp(v, exact(*map(EXACT.mpf, a))) for v, a in pairs)


def beside_quarters() -> np.ndarray:
    """Doubles near multiples of pi/4, from the nearest to 1e-3 off, up to the range's end."""
    multiples = np.concatenate([np.arange(1, 400), RANDOM.integers(400, 630_000, 1600)])
    nearest = [float(EXACT.pi / 4 * int(k)) for k in multiples]
    offsets = 10.0 ** RANDOM.uniform(-17, -3, len(nearest)) * RANDOM.choice([-1, 1], len(nearest))
    steps = [np.nextafter(x, sign * np.inf) for x in nearest for sign in (-1, 1)]
    return np.concatenate([nearest, steps, np.add(nearest, offsets)])


def angles() -> np.ndarray:
    tiny = 10.0 ** RANDOM.uniform(-300, -1, 1000)
    ends = [0.0, 5e-324, 2.2250738585072014e-308, 5e5, -5e5, math.pi, -math.pi, math.pi / 2]
    return np.concatenate(
        [
            RANDOM.uniform(-math.pi, math.pi, 10_000),
            RANDOM.uniform(-0.8, 0.8, 4000),
            RANDOM.uniform(-5e5, 5e5, 4000),
            beside_quarters(),
            tiny,
            -tiny,
            ends,
        ]
    )


def points() -> tuple[np.ndarray, np.ndarray]:
    n = 12_000
    turns = RANDOM.uniform(-math.pi, math.pi, n)
    y, x = np.sin(turns), np.cos(turns)
    wide = 10.0 ** RANDOM.uniform(-300, 300, (2, 6000)) * RANDOM.choice([-1, 1], (2, 6000))
    # beside the places where the table's cell and the octant change
    ratio = np.repeat(np.arange(1, 17) / 16, 100) * (1 + RANDOM.uniform(-1e-9, 1e-9, 1600))
    swap = RANDOM.choice([False, True], 1600)
    one = RANDOM.choice([-1.0, 1.0], 1600)
    edge_y, edge_x = np.where(swap, one, ratio), np.where(swap, ratio, one)
    signs = [(a, b) for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0)]
    return (
        np.concatenate([y, wide[0], edge_y, [s[0] for s in signs]]),
        np.concatenate([x, wide[1], edge_x, [s[1] for s in signs]]),
    )


ANGLES = angles()
HALF_TURNS = math.pi * np.arange(100_001, 159_000, 58)
POINTS = points()


@pytest.mark.parametrize(
    ("ours", "exact", "bound"),
    [(grids.sin, EXACT.sin, 0.8), (grids.cos, EXACT.cos, 0.8), (grids.tan, EXACT.tan, 2.8)],
    ids=["sin", "cos", "tan"],
)
def test_angle_functions_are_within_their_bound(
    ours: Callable[..., Any], exact: Callable[..., Any], bound: float
) -> None:
    assert len(ANGLES) > 20_000
    worst = worst_ulp(ours(ANGLES), ((x,) for x in ANGLES), exact)
    assert worst <= bound


def test_atan2_is_within_its_bound() -> None:
    y, x = POINTS
    worst = worst_ulp(grids.atan2(y, x), zip(y, x, strict=True), EXACT.atan2)
    assert worst <= 1.8


def test_atan_is_within_its_bound(common: Any) -> None:
    _, lib = common
    values = np.concatenate(
        [np.tan(RANDOM.uniform(-1.57, 1.57, 8000)), 10.0 ** RANDOM.uniform(-300, 300, 4000)]
    )
    worst = worst_ulp((lib.kw_atan(x) for x in values), ((x,) for x in values), EXACT.atan)
    assert worst <= 1.8


def test_outputs_are_the_committed_bits() -> None:
    assert selftest.functions_sha256() == selftest.FUNCTIONS_SHA256


def test_axes_and_quadrants_of_atan2_are_exact() -> None:
    quarter = math.pi / 2
    assert grids.atan2(0.0, 0.0) == 0.0
    assert grids.atan2(0.0, 2.0) == 0.0
    assert grids.atan2(2.0, 0.0) == quarter
    assert grids.atan2(-2.0, 0.0) == -quarter
    assert grids.atan2(0.0, -2.0) == math.pi
    assert grids.atan2(-0.0, -2.0) == math.pi
    assert grids.atan2(-1e-300, -2.0) == -math.pi
    assert grids.atan2(math.inf, 1.0) == quarter
    assert grids.atan2(1.0, -math.inf) == math.pi
    for y, x in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)):
        assert grids.atan2(y, x) == math.atan2(y, x)


def test_sine_is_odd_and_cosine_even() -> None:
    assert np.array_equal(grids.sin(-ANGLES), -grids.sin(ANGLES))
    assert np.array_equal(grids.cos(-ANGLES), grids.cos(ANGLES))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 500_000.1, 1e308])
def test_an_angle_out_of_range_is_refused(bad: float) -> None:
    for function in (grids.sin, grids.cos, grids.tan):
        with pytest.raises(ValueError, match="outside"):
            function([0.0, bad])


def test_atan2_of_nan_or_of_two_infinities_is_refused() -> None:
    for y, x in ((math.nan, 1.0), (1.0, math.nan), (math.inf, -math.inf)):
        with pytest.raises(ValueError, match="NaN"):
            grids.atan2(y, x)


def test_scalars_give_floats_and_arrays_keep_their_shape() -> None:
    assert isinstance(grids.sin(1), float)
    assert grids.sin([]).shape == (0,)
    assert grids.cos(np.zeros((2, 3))).shape == (2, 3)
    assert grids.atan2(np.zeros((4, 1)), np.ones(3)).shape == (4, 3)
    assert grids.sin(np.arange(10.0)[::2])[1] == grids.sin(2.0)


def test_a_number_alone_gives_the_bits_that_it_gives_in_an_array() -> None:
    for function in (grids.sin, grids.cos, grids.tan):
        assert [function(angle) for angle in ANGLES[:500].tolist()] == function(
            ANGLES[:500]
        ).tolist()
        with pytest.raises(ValueError, match="NaN"):
            function(math.nan)
    assert grids.atan2(1.5, -2.0) == grids.atan2(np.array([1.5]), -2.0)[0]


def test_the_pair_is_the_sine_and_the_cosine(common: Any) -> None:
    ffi, lib = common
    s, c = ffi.new("double *"), ffi.new("double *")
    for x in ANGLES[::20]:
        lib.kw_sincos(x, s, c)
        assert (s[0], c[0]) == (lib.kw_sin(x), lib.kw_cos(x))


def test_wrapping_keeps_the_direction(common: Any) -> None:
    _, lib = common
    turn = 2 * EXACT.pi
    for x in np.concatenate([ANGLES, math.pi * np.arange(-401, 402), HALF_TURNS]):
        wrapped = lib.kw_wrap_rad(x)
        assert -math.pi < wrapped <= math.pi
        off = EXACT.mpf(wrapped) - EXACT.mpf(x)
        assert abs(off - turn * EXACT.nint(off / turn)) <= math.ulp(math.pi)


def test_wrapping_leaves_what_is_wrapped(common: Any) -> None:
    _, lib = common
    for x in (0.0, -0.0, 1e-320, 3.0, -3.0, math.pi, np.nextafter(-math.pi, 0)):
        assert struct.pack("d", lib.kw_wrap_rad(x)) == struct.pack("d", x)
    assert lib.kw_wrap_rad(-math.pi) == math.pi
    assert math.isnan(lib.kw_wrap_rad(math.nan))


def sincos_deg(common: Any, degrees: float) -> tuple[float, float]:
    ffi, lib = common
    s, c = ffi.new("double *"), ffi.new("double *")
    lib.kw_sincos_deg(degrees, s, c)
    return s[0], c[0]


def test_degrees_are_exact_at_right_angles(common: Any) -> None:
    for turn in (-3600, 0, 360, 72_000):
        assert sincos_deg(common, turn) == (0.0, 1.0)
        assert sincos_deg(common, turn + 90) == (1.0, 0.0)
        assert sincos_deg(common, turn + 180) == (0.0, -1.0)
        assert sincos_deg(common, turn + 270) == (-1.0, 0.0)


def test_degrees_are_within_their_bound(common: Any) -> None:
    degrees = [*RANDOM.uniform(-400, 400, 3000), *np.arange(-360, 360, 0.25)]
    pairs = [sincos_deg(common, d) for d in degrees]
    arguments = [(d,) for d in degrees]
    for column, exact in ((0, EXACT.sin), (1, EXACT.cos)):

        def of_degrees(d: Any, function: Callable[..., Any] = exact) -> Any:
            return (
                function(d * EXACT.pi / 180) if d % 90 else EXACT.nint(function(d * EXACT.pi / 180))
            )

        assert worst_ulp((p[column] for p in pairs), arguments, of_degrees) <= 1.3


@given(st.integers(-1440, 1440))
@settings(derandomize=True, deadline=None)
def test_symmetric_degrees_give_the_same_figures(common: Any, quarters: int) -> None:
    degrees = quarters / 4
    s, c = sincos_deg(common, degrees)
    assert sincos_deg(common, -degrees) == (-s, c)
    assert sincos_deg(common, 90 - degrees) == (c, s)
    assert sincos_deg(common, 90 + degrees) == (c, -s)
    assert sincos_deg(common, 180 + degrees) == (-s, -c)


@given(st.floats(-4e18, 4e18) | st.integers(-(2**40), 2**40).map(lambda n: n + 0.5))
@settings(derandomize=True, deadline=None)
def test_rounding_goes_to_the_nearest_and_halves_away_from_zero(common: Any, x: float) -> None:
    _, lib = common
    size = math.floor(Fraction(abs(x)) + Fraction(1, 2))
    assert lib.test_round_i64(x) == (size if x >= 0 else -size)


def test_rounding_holds_where_adding_a_half_would_not(common: Any) -> None:
    _, lib = common
    assert lib.test_round_i64(0.49999999999999994) == 0
    assert lib.test_round_i64(-0.49999999999999994) == 0
    assert lib.test_round_i64(2.0**52 + 1) == 2**52 + 1
    assert lib.test_round_i64(1e300) == 2**62
    assert lib.test_round_i64(-math.inf) == -(2**62)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["math", "normal"])
def test_a_committed_table_is_what_its_generator_prints(name: str) -> None:
    folder = Path(__file__).resolve().parents[2] / "csrc" / "common"
    command = [sys.executable, str(folder / f"generate_{name}.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table = "math_tables.h" if name == "math" else "normal_table.h"
    assert printed == (folder / table).read_text(encoding="utf-8")
