"""Noise: published known answers, and the table's distribution against the normal one."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from kinewright_env._world import ffi as world_ffi
from kinewright_env._world import lib as world_lib
from kinewright_env.core import sensor_bounds
from kinewright_env.rig import SENSORS
from kinewright_env.selftest import PHILOX_10000TH, PHILOX_KNOWN, PHILOX_SEED
from kinewright_env.shells import SHELLS

TABLE = Path(__file__).resolve().parents[2] / "csrc" / "common" / "normal_table.h"
OCTAVES = 32
CELLS = 128


@pytest.fixture(scope="module")
def common() -> tuple[Any, Any]:
    """Return (ffi, lib) of the world's library as it is installed."""
    return world_ffi, world_lib


def philox(common: Any, counters: NDArray[Any], key: tuple[int, int]) -> NDArray[np.uint32]:
    ffi, lib = common
    counters = np.ascontiguousarray(counters, dtype=np.uint32)
    out = np.empty_like(counters)
    lib.kw_philox_many(
        len(counters),
        ffi.from_buffer("uint32_t[]", counters),
        ffi.new("uint32_t[2]", key),
        ffi.from_buffer("uint32_t[]", out, require_writable=True),
    )
    return out


def normal(common: Any, bits: NDArray[np.uint64]) -> NDArray[np.int32]:
    ffi, lib = common
    bits = np.ascontiguousarray(bits, dtype=np.uint64)
    out = np.empty(bits.size, dtype=np.int32)
    lib.kw_normal_many(
        bits.size,
        ffi.from_buffer("uint64_t[]", bits),
        ffi.from_buffer("int32_t[]", out, require_writable=True),
    )
    return out


@pytest.mark.parametrize(("counter", "key", "expected"), PHILOX_KNOWN)
def test_philox_gives_the_published_words(
    common: Any, counter: tuple[int, ...], key: tuple[int, int], expected: tuple[int, ...]
) -> None:
    assert tuple(philox(common, np.array([counter]), key)[0].tolist()) == expected


def test_philox_gives_the_value_that_the_cpp_standard_names(common: Any) -> None:
    # its counter goes up by one for every four outputs, the lowest word first
    counters = np.zeros((2500, 4))
    counters[:, 0] = np.arange(2500)
    assert philox(common, counters, (PHILOX_SEED, 0))[-1, 3] == PHILOX_10000TH


def test_a_block_does_not_depend_on_what_else_is_asked(common: Any) -> None:
    counters = np.random.default_rng(3).integers(0, 2**32, (50, 4))
    together = philox(common, counters, (7, 9))
    alone = [philox(common, counters[i : i + 1], (7, 9))[0] for i in range(50)]
    assert np.array_equal(together, alone)


def nodes() -> list[int]:
    """The committed table in Q8.24, by ascending tail probability from 2**-33 to 1/2."""
    text = TABLE.read_text(encoding="utf-8")
    return [int(n) for n in re.findall(r"\b\d+\b", text[text.index("{") :])]


def probability(index: int) -> Any:
    return mp.mpf(CELLS + index % CELLS) / CELLS * mp.mpf(2) ** (index // CELLS - OCTAVES - 1)


def test_the_table_holds_the_rounded_quantiles() -> None:
    # a half step to either side of a node the tail's probability lies on either side
    table = nodes()
    assert len(table) == OCTAVES * CELLS + 1
    with mp.workdps(40):
        for index in [0, *range(5, len(table) - 1, 23), len(table) - 1]:
            inner, outer = ((table[index] + s / mp.mpf(2)) / 2**24 for s in (-1, 1))
            assert mp.ncdf(-outer) <= probability(index) <= mp.ncdf(-inner)


def cell_bits(index: int, place: int) -> int:
    """The lowest draw in a cell's place, of 2**32 places; high place bits may not exist."""
    octave, cell = divmod(index, CELLS)
    # 1.cell,place in binary, moved to where the octave has its leading one
    mantissa = (1 << 39) | (cell << 32) | place
    shift = octave + 31 - 39
    return mantissa << shift if shift >= 0 else mantissa >> -shift


def test_a_node_is_returned_at_its_own_probability(common: Any) -> None:
    table = nodes()
    indices = range(OCTAVES * CELLS)
    bits = np.array([cell_bits(i, 0) for i in indices], dtype=np.uint64)
    assert normal(common, bits).tolist() == [(node + 128) >> 8 for node in table[:-1]]


def test_the_last_draw_of_a_cell_meets_the_next_node(common: Any) -> None:
    table = nodes()
    bits = np.array([cell_bits(i, 0) - 1 for i in range(1, OCTAVES * CELLS)], dtype=np.uint64)
    assert np.max(np.abs(normal(common, bits) - np.array(table[1:-1]) / 256)) <= 0.51
    assert normal(common, np.array([2**63 - 1], dtype=np.uint64)) == 0


def test_the_sign_bit_mirrors_and_nothing_else(common: Any) -> None:
    bits = np.random.default_rng(4).integers(0, 2**63, 100_000, dtype=np.uint64)
    bits >>= np.arange(bits.size, dtype=np.uint64) % np.uint64(63)
    sign = np.uint64(1) << np.uint64(63)
    plain = normal(common, bits)
    assert np.all(plain >= 0)
    assert np.array_equal(normal(common, bits | sign), -plain)


def test_the_farthest_draws_are_clamped_at_the_first_node(common: Any) -> None:
    far = np.array([0, 1, 2**31 - 1, 2**31], dtype=np.uint64)
    assert normal(common, far).tolist() == [(nodes()[0] + 128) >> 8] * 4


def tails() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every value above zero that can come out, with the probability to come that far out.

    Between nodes the variate falls in proportion to the probability, and rounds to a value
    or beyond where it is half a step below it: so all is known exactly, nothing sampled.
    """
    table = np.array(nodes(), dtype=np.int64)
    values = np.arange((table[0] + 128) >> 8, 0, -1)
    at_nodes = np.array([float(probability(i)) for i in range(len(table))])
    return values, np.interp(values * 256 - 128, table[::-1], at_nodes[::-1])


def test_the_known_steps_are_the_ones_that_come_out(common: Any) -> None:
    values, heights = tails()
    # nearer the centre a value's own draws are far more than the 2**30 beside its step
    wide = np.flatnonzero(heights > 2.0**-12)[::97]
    draws = np.rint(heights[wide] * 2.0**64).astype(np.int64)
    for offset, below in ((-(2**30), 0), (2**30, 1)):
        moved = (draws + offset).astype(np.uint64)
        assert np.array_equal(normal(common, moved), values[wide] - below)


def test_the_distribution_is_within_its_bound_of_the_normal_one() -> None:
    values, heights = tails()
    exact = np.array([0.5 * math.erfc(v / 65536 / math.sqrt(2)) for v in values])
    # the step at v: just below it the tail is P(value >= v), at it P(value >= v + 1)
    beyond = np.concatenate([[0.0], heights[:-1]])
    worst = max(np.max(np.abs(heights - exact)), np.max(np.abs(beyond - exact)))
    assert 3.0e-6 < worst <= 3.5e-6


def test_moments_are_those_of_the_normal_distribution() -> None:
    values, heights = tails()
    mass = np.diff(heights, prepend=0.0)
    z = values / 65536
    # both signs; the rest of the mass is at zero
    assert abs(2 * np.sum(mass * z**2) - 1) < 2e-6
    assert abs(2 * np.sum(mass * z**4) - 3) < 3e-5


def test_streams_of_neighbouring_counters_are_normal_and_uncorrelated(common: Any) -> None:
    n, channels = 60_000, 4
    counters = np.zeros((n * channels, 4), dtype=np.uint32)
    counters[:, 0] = np.repeat(np.arange(n), channels)
    counters[:, 1] = np.tile(np.arange(channels), n)
    words = philox(common, counters, (1, 0)).astype(np.uint64)
    z = normal(common, words[:, 0] << np.uint64(32) | words[:, 1]).reshape(n, channels) / 65536
    limit = 4.5 / math.sqrt(n)
    assert np.all(np.abs(z.mean(axis=0)) < limit)
    assert np.all(np.abs(z.var(axis=0) - 1) < limit * math.sqrt(2))
    assert np.all(np.abs(np.corrcoef(z.T) - np.eye(channels)) < limit)
    assert np.all(np.abs(np.mean(z[1:] * z[:-1], axis=0)) < limit)


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_noise_that_is_a_share_of_a_full_counter_still_spans_all_that_a_counter_holds(
    share: float,
) -> None:
    encoders = dataclasses.replace(SENSORS["encoders"], sigma_per_unit=(share, 0.0, 0.0))
    low, high = sensor_bounds(encoders, SHELLS["front_steer"])
    assert (low, high) == ([-(2**31)], [2**31 - 1])
