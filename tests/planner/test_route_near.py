"""Whether cells lie near a route, against every pair of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinewright_env.errors import OptionError
from kinewright_env.grids import route_is_near

STEPS = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if (row, col) != (0, 0)]
PLACES = st.integers(-25, 25)


@given(
    st.tuples(PLACES, PLACES),
    st.lists(st.sampled_from(STEPS), max_size=40),
    st.lists(st.tuples(PLACES, PLACES), max_size=6),
    st.integers(0, 60),
)
def test_it_is_whether_one_pair_is_near(first, steps, others, reach_squared):
    route = np.cumsum([first, *steps], axis=0).astype(np.int32)
    cells = np.array(others, np.int32).reshape(-1, 2)
    apart = ((route[:, None] - cells[None]) ** 2).sum(axis=-1)
    near = route_is_near(route, cells[:, 0], cells[:, 1], reach_squared)
    assert near == bool((apart <= reach_squared).any())


def test_a_far_corner_of_the_lattice_is_not_near():
    route, far = np.array([[2**24, -(2**24)]], np.int32), np.array([-(2**24)], np.int32)
    assert not route_is_near(route, far, -far, 1_000_000)
    assert not route_is_near(route[:0], far, far, 1)


@pytest.mark.parametrize(
    ("route", "n_rows", "n_cols", "reach_squared"),
    [
        ((2, 3), 1, 1, 1),
        ((4,), 1, 1, 1),
        ((2, 2), 1, 2, 1),
        ((2, 2), 1, 1, -1),
        ((2, 2), 1, 1, 10**7),
    ],
)
def test_other_shapes_and_reaches_are_refused(route, n_rows, n_cols, reach_squared):
    with pytest.raises(OptionError, match="must"):
        route_is_near(
            np.zeros(route, np.int32),
            np.zeros(n_rows, np.int32),
            np.zeros(n_cols, np.int32),
            reach_squared,
        )
