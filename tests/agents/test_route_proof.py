"""What is read on the map where the body finds no way: seals, gaps, holes."""

import math

import numpy as np
import pytest

from kinewright_agents.route import proof
from kinewright_agents.route.ground import Ground, prices_of
from kinewright_agents.route.proof import SEEN_HALF_CELLS, Gap, Prover, Seal
from kinewright_env.grids import (
    BELIEF_CELL_UM,
    CELL_FREE,
    CELL_OCCUPIED,
    CELL_UNKNOWN,
    COPY_CELL_UM,
    Box,
)
from kinewright_env.rig import make_rig
from kinewright_env.shells import get_shell

SHELL = get_shell("four_wheel_steer")
HERE, GOAL = (600_000, 1_000_000), (2_400_000, 1_000_000, 100_000)


def ground(states: np.ndarray | None = None) -> Ground:
    """A ground whose belief is as drawn, by certain marks and by nothing else, free by hand."""
    made = Ground({"shell": SHELL, "rig": make_rig(None), "ticks_per_step": 12})
    if states is not None:
        made.belief = FakeBelief(states)
    return made


class FakeBelief:
    """What a prover reads of a belief: the states of a box."""

    def __init__(self, states: np.ndarray, changeable: bool = False) -> None:
        self.states = states
        self.observed = Box(row0=0, col0=0, n_rows=states.shape[0], n_cols=states.shape[1])
        self.changeable = changeable

    def window(self, row0: int, col0: int, n_rows: int, n_cols: int) -> np.ndarray:
        return self.states[row0 : row0 + n_rows, col0 : col0 + n_cols].copy()

    def details(self, row0: int, col0: int, n_rows: int, n_cols: int) -> np.ndarray:
        return np.full((n_rows, n_cols), 8 if self.changeable else 0, np.uint8)


def test_cells_are_grown_by_a_disc():
    rng = np.random.default_rng(3)
    for radius in (1.0, 2.5, proof.HOLE_CELLS):
        cells = rng.random((30, 40)) < 0.02
        rows, cols = np.indices(cells.shape)
        expected = np.zeros_like(cells)
        for row, col in np.argwhere(cells):
            expected |= (rows - row) ** 2 + (cols - col) ** 2 <= radius**2
        assert (proof._grown(cells, radius) == expected).all()


def hall(gap_cells: int, *, inside: int = CELL_FREE) -> np.ndarray:
    """A hall of 2 m by 3 m, closed, with a wall across that has a gap midway."""
    states = np.full((100, 150), inside, np.uint8)
    states[[0, -1], :] = CELL_OCCUPIED
    states[:, [0, -1]] = CELL_OCCUPIED
    low = 50 - gap_cells // 2
    states[:low, 75] = CELL_OCCUPIED
    states[low + gap_cells :, 75] = CELL_OCCUPIED
    return states


def seek(states: np.ndarray, changeable: bool = False, start=(600_000, 1_000_000)) -> Seal | Gap:
    here = ground(states)
    here.belief.changeable = changeable
    return Prover(here, SHELL.inscribed_radius_m).seek(start, (2_400_000, 1_000_000, 100_000))


@pytest.mark.parametrize("gap_cells", [4, 8, 10, 12, 14])
def test_a_gap_between_two_faces_is_read_as_its_cells_and_one_more(gap_cells):
    """The surfaces lie somewhere in the cells that were hit."""
    found = seek(hall(gap_cells))
    assert isinstance(found, Gap)
    assert found.width_um == (gap_cells + 1) * BELIEF_CELL_UM
    assert abs(found.x_um - 1_510_000) <= BELIEF_CELL_UM
    assert abs(found.y_um - 1_000_000) <= BELIEF_CELL_UM
    first = found.approach[0] * COPY_CELL_UM + COPY_CELL_UM // 2
    away_um = math.hypot(first[1] - found.x_um, first[0] - found.y_um)
    assert 350_000 <= away_um <= 450_000
    assert first[1] < found.x_um  # on the shell's side


@pytest.mark.parametrize("changeable", [False, True])
def test_a_seal_is_named_by_side_and_place_and_by_what_may_change(changeable):
    states = hall(0)
    states[:, 76:] = CELL_UNKNOWN
    states[[0, -1], :] = CELL_OCCUPIED
    states[:, -1] = CELL_OCCUPIED
    found = seek(states, changeable)
    assert isinstance(found, Seal)
    assert found.n_walls > 0
    assert found.is_changeable is changeable
    assert found.sentence.startswith(f"No way: {'the goal' if found.is_goal else 'the shell'} is")
    assert found.sentence.endswith("has changed before." if changeable else ").")


def test_the_smaller_side_is_named():
    states = np.full((100, 150), CELL_UNKNOWN, np.uint8)
    rows, cols = np.indices(states.shape)
    for (row, col), is_goal in (((50, 120), True), ((50, 30), False)):
        ring = np.maximum(abs(rows - row), abs(cols - col)) == 10
        found = seek(np.where(ring, CELL_OCCUPIED, states).astype(np.uint8))
        assert isinstance(found, Seal)
        assert found.is_goal is is_goal
        told = []
        # the unseen cells beside the ring's own count as closed, too
        short_um = int(proof.HOLE_CELLS) * BELIEF_CELL_UM
        for found_um, cell in zip((*found.low_um, *found.high_um), (-10, -10, 11, 11), strict=True):
            side_um = (col, row)[len(told) % 2] * BELIEF_CELL_UM + cell * BELIEF_CELL_UM
            told.append(abs(found_um - side_um))
        assert max(told) <= short_um


@pytest.mark.parametrize(("hole_cells", "is_closed"), [(1, True), (5, True), (6, True), (7, False)])
def test_unseen_ground_between_two_hits_so_near_is_no_way(hole_cells, is_closed):
    """0.07 m to each side of a hit, where nothing was seen free."""
    states = hall(hole_cells)
    low = 50 - hole_cells // 2
    states[low : low + hole_cells, 75] = CELL_UNKNOWN
    assert isinstance(seek(states), Seal) is is_closed


def test_free_ground_is_never_closed_however_narrow():
    assert isinstance(seek(hall(1)), Gap)


def test_unseen_ground_in_a_gap_that_was_read_is_closed():
    states = hall(8)
    states[46:54, 75] = CELL_UNKNOWN
    here = ground(states)
    prover = Prover(here, SHELL.inscribed_radius_m)
    goal = (2_400_000, 1_000_000, 100_000)
    gap = prover.seek((600_000, 1_000_000), goal)
    assert isinstance(gap, Gap)
    prover.read(gap)
    assert isinstance(prover.seek((600_000, 1_000_000), goal), Seal)


def test_where_the_body_stands_nothing_is_closed():
    """It stands with a hit at its side; the unseen ground under it is no wall."""
    states = hall(20, inside=CELL_UNKNOWN)
    states[36:65, 30] = CELL_OCCUPIED
    found = seek(states, start=(680_000, 1_000_000))
    assert isinstance(found, Gap)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_gap_is_seen_where_the_ground_on_both_its_sides_was_seen_free(side):
    states = hall(8)
    found = seek(states)
    assert isinstance(found, Gap)
    assert found.is_seen
    for cells, is_seen in ((SEEN_HALF_CELLS // 2 - 2, False), (SEEN_HALF_CELLS // 2 + 3, True)):
        hidden = states.copy()
        hidden[40:60, 75 + side * cells] = CELL_UNKNOWN
        found = seek(hidden)
        assert isinstance(found, Gap)
        assert found.is_seen is is_seen


@pytest.mark.parametrize("hole_cells", [0, 5, 7])
def test_a_seal_alone_is_what_seeking_finds_of_it(hole_cells):
    states = hall(hole_cells)
    low = 50 - hole_cells // 2
    states[low : low + hole_cells, 75] = CELL_UNKNOWN
    found, alone = seek(states), Prover(ground(states), SHELL.inscribed_radius_m).seal(HERE, GOAL)
    assert alone == (found if isinstance(found, Seal) else None)
    assert alone is None or alone.is_whole is (hole_cells == 0)


def test_a_gap_just_before_the_shell_is_never_read_as_wide_enough_for_the_body():
    """What lies within a circle about a shell is left out of a way, for it stands there already."""
    body_um = 2 * prices_of(SHELL).lethal_um
    for away_um in range(60_000, 300_000, 20_000):
        found = seek(hall(8), start=(1_510_000 - away_um, 1_000_000))
        assert isinstance(found, Gap)
        assert 8 * BELIEF_CELL_UM <= found.width_um < body_um, away_um
