"""What the core takes as a solid, how it holds it, and what it refuses."""

import math

import numpy as np
import pytest

from kinewright_env.core import SOLID_GROUND, SOLID_NONE, CoreError, SceneCore

WALL, BOX, POST = 0, 1, 2


class Solids:
    """What SceneCore asks of a scene; changes as kw_change has them."""

    def __init__(self, rows: list[tuple], changes: tuple = ()) -> None:
        table = np.array(rows, np.float64).reshape(-1, 7)
        self.kinds, self.figures = table[:, 0].astype(np.int32), table[:, 1:].copy()
        self.changes = changes

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return self.kinds, self.figures

    def core_changes(self) -> tuple:
        return self.changes


def test_outlines_are_as_declared() -> None:
    diagonal = math.sqrt(0.5)
    expected = {
        (WALL, 0, 1, 4, 1, 0.05, 0.4): (2, 1, 1, 0, 2, 0.025, 0.4),
        (WALL, 4, 1, 0, 1, 0.05, 0.4): (2, 1, -1, 0, 2, 0.025, 0.4),
        (WALL, 1, 3, 1, 0, 0.05, 0.4): (1, 1.5, 0, -1, 1.5, 0.025, 0.4),
        (WALL, 0, 0, 3, 4, 0.1, 0.4): (1.5, 2, 0.6, 0.8, 2.5, 0.05, 0.4),
        (WALL, 0, 0, -3, 4, 0.1, 0.4): (-1.5, 2, -0.6, 0.8, 2.5, 0.05, 0.4),
        (BOX, 1, 2, 0.4, 0.2, 0, 0.3): (1, 2, 1, 0, 0.2, 0.1, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 90, 0.3): (1, 2, 0, 1, 0.2, 0.1, 0.3),
        (BOX, 1, 2, 0.4, 0.2, -90, 0.3): (1, 2, 0, -1, 0.2, 0.1, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 540, 0.3): (1, 2, -1, 0, 0.2, 0.1, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 45, 0.3): (1, 2, diagonal, diagonal, 0.2, 0.1, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 225, 0.3): (1, 2, -diagonal, -diagonal, 0.2, 0.1, 0.3),
        (POST, 1, 2, 0.3, 0.5, 0, 0): (1, 2, 1, 0, 0.3, 0.3, 0.5),
    }
    outlines = SceneCore(Solids(list(expected))).outlines()
    np.testing.assert_allclose(outlines, list(expected.values()), rtol=2e-16, atol=0)


@pytest.mark.parametrize("heading", range(-360, 361, 15))
def test_a_box_keeps_its_heading_and_sizes(heading: float) -> None:
    x, y, cosine, sine, length, width, height = SceneCore(
        Solids([(BOX, -3, 7, 0.8, 0.2, heading, 0.3)])
    ).outlines()[0]
    assert (x, y, length, width, height) == (-3, 7, 0.4, 0.1, 0.3)
    assert cosine == pytest.approx(math.cos(math.radians(heading)), abs=1e-15)
    assert sine == pytest.approx(math.sin(math.radians(heading)), abs=1e-15)


BOX_ROW = (BOX, 1, 2, 0.4, 0.2, 30, 0.3)
WALL_ROW = (WALL, 0, 1, 4, 1, 0.05, 0.4)
POST_ROW = (POST, 1, 2, 0.3, 0.5, 0, 0)


@pytest.mark.parametrize("row", [BOX_ROW, WALL_ROW, POST_ROW])
@pytest.mark.parametrize("place", range(1, 7))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_figure_that_is_not_finite_is_refused(row: tuple, place: int, value: float) -> None:
    SceneCore(Solids([row]))
    bad = (*row[:place], value, *row[place + 1 :])
    with pytest.raises(CoreError):
        SceneCore(Solids([row, bad]))


@pytest.mark.parametrize(
    "row",
    [
        (3, 1, 2, 0.3, 0.5, 0, 0.4),
        (-1, 1, 2, 0.3, 0.5, 0, 0.4),
        (BOX, 1, 2, 0.0, 0.2, 0, 0.3),
        (BOX, 1, 2, 0.4, -0.2, 0, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 0, 0.0),
        (BOX, 1, 2, 4001, 0.2, 0, 0.3),
        (BOX, 2001, 2, 0.4, 0.2, 0, 0.3),
        (BOX, 1, 2, 0.4, 0.2, 1.1e6, 0.3),
        (WALL, 1, 1, 1, 1, 0.05, 0.4),
        (WALL, 0, 1, 4, 1, 0.0, 0.4),
        (WALL, 0, -2001, 4, 1, 0.1, 0.4),
        (WALL, 0, 1, 4, 1, 0.1, -0.4),
        (WALL, -2000, -2000, 2000, 2000, 0.1, 0.4),
        (POST, 1, 2, 0.0, 0.5, 0, 0),
        (POST, 1, 2, 0.1, 0.0, 0, 0),
        (POST, 1, -1e300, 0.1, 0.4, 0, 0),
    ],
)
def test_a_solid_of_no_size_or_out_of_bounds_is_refused(row: tuple) -> None:
    with pytest.raises(CoreError):
        SceneCore(Solids([row]))


NOWHERE = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "change",
    [
        (3, 0, 0, 0, 0.0, NOWHERE),
        (-1, 0, 0, 0, 0.0, NOWHERE),
        (0, 1, 0, 0, 0.0, NOWHERE),
        (0, -1, 0, 0, 0.0, NOWHERE),
        (0, 0, 7, 0, 0.0, NOWHERE),
        (0, 0, 0, -1, 0.0, NOWHERE),
        (0, 0, 5, 1, 0.0, NOWHERE),
        (1, 0, 1, 0, math.nan, NOWHERE),
        (2, 0, 0, 0, 0.0, NOWHERE),
        (2, -1, 0, 0, 0.0, (math.nan, 0.0, 0.0)),
        (2, -1, 0, 0, 0.0, (0.0, 3000.0, 0.0)),
        (2, -1, 0, 0, 0.0, (0.0, 0.0, math.inf)),
    ],
)
def test_a_change_of_nothing_that_is_there_is_refused(change: tuple) -> None:
    with pytest.raises(CoreError):
        SceneCore(Solids([BOX_ROW], (change,)))


@pytest.mark.parametrize("actions", [(), (0,), (1,), (0, 1), (1, 0), (2, 0), (2, 1, 0)])
def test_a_solid_whose_first_change_is_to_appear_starts_out_absent(actions: tuple) -> None:
    changes = tuple((action, -1 if action == 2 else 1, 0, 0, 0.0, NOWHERE) for action in actions)
    rows = [(BOX, 9, 0, 1, 1, 0, 0.4), (BOX, 2, 0, 1, 1, 0, 0.4)]
    named = [action for action in actions if action != 2]
    is_there = not named or named[0] == 1
    core = SceneCore(Solids(rows, changes))
    assert core.cast([(0, 0, 0.1)], [0.0], [0.0], 20.0)[1][0] == (1 if is_there else 0)
    assert core.clearance(0.2, 0.2, [(2, 0, 0)])[0][0] == (0 if is_there else 6.4)


def test_a_scene_without_solids_has_the_ground() -> None:
    core = SceneCore(Solids([]))
    assert core.outlines().shape == (0, 7)
    ranges, solids = core.cast([(0, 0, 1), (0, 0, 1)], [0.0, 0.0], [-0.5, 0.0], 20.0)
    assert solids.tolist() == [SOLID_GROUND, SOLID_NONE]
    assert ranges.tolist() == [pytest.approx(1 / math.sin(0.5)), math.inf]


def test_200_000_solids_are_cast_on_and_measured_to() -> None:
    rng = np.random.default_rng(2)
    places = rng.uniform(-300, 300, (200_000, 2))
    rows = np.column_stack(
        [
            np.full(len(places), POST),
            places,
            np.full(len(places), 0.1),
            np.full(len(places), 0.4),
            0 * places,
        ]
    )
    core = SceneCore(Solids(rows))
    aims = rng.integers(0, len(places), 500)
    starts = np.column_stack([places[aims] + [0.4, 0.0], np.full(500, 0.1)])
    ranges, solids = core.cast(starts, np.full(500, math.pi), np.zeros(500), 1.0)
    assert (ranges <= 0.3 + 1e-12).all()
    assert (solids >= 0).all()
    clearances, depths, _ = core.clearance(0.2, 0.2, np.column_stack([places[aims], 0 * ranges]))
    assert (clearances == 0).all()
    assert (depths >= 0.1999).all()


@pytest.mark.parametrize("size", [1e-300, 1e-9])
def test_a_speck_and_a_giant_are_computed_without_overflow(size: float) -> None:
    rows = [(BOX, 1, 0, size, size, 30, size), (POST, 0, 1, size, size, 0, 0)]
    rows += [(BOX, 0, -2000, 4000, 1, 0, 4000)] * 30
    core = SceneCore(Solids(rows))
    ranges, solids = core.cast(
        [(0, 0, 0), (0, 0, 0), (0, 0, 9)], [0, math.pi / 2, -1.5], np.zeros(3), 1e9
    )
    assert solids.tolist() == [0, 1, 2]
    assert ranges.tolist() == pytest.approx([1, 1, 1999.5 / math.sin(1.5)])
    clearances, _, named = core.clearance(1.0, 1.0, [(0, 0, 0)])
    assert clearances[0] == pytest.approx(0.5)
    assert named[0] in (0, 1)
