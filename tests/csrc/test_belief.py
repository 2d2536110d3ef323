"""What a belief holds of single cells: confidence, trust, the planner's copy."""

import numpy as np
import pytest

from kinewright_env.errors import AgentError
from kinewright_env.grids import Belief
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS

SHELL = SHELLS["four_wheel_steer"]
# one pose a revolution, and rays that reach exactly what they read
RIG = make_rig("scan").changed("scan", period_tick=1, sigma_per_unit=(0.0, 0.0, 0.0))
START = (10_000, 10_000, 0)  # the middle of cell (0, 0)
NOTHING, RETURN, OUT_OF_RANGE, TOO_NEAR, NO_ECHO = range(5)


class Beams:
    """Gives a belief scans of a few beams, one every 20 ticks."""

    def __init__(self, belief: Belief | None = None) -> None:
        self.belief = belief or Belief(SHELL, RIG)
        self.tick = 0

    def scan(self, *beams: tuple[int, int, int], times: int = 1, pose=START) -> None:
        """Take scans of beams (number, range mm, status); every other beam says nothing."""
        ranges = np.zeros(360, np.int32)
        statuses = np.zeros(360, np.int32)
        for number, range_mm, status in beams:
            ranges[number], statuses[number] = range_mm, status
        for _ in range(times):
            self.tick += 20
            self.belief.scan(np.array([pose], np.int32), ranges, statuses, self.tick)

    def wait(self, seconds: float) -> None:
        """Let time pass with scans that look elsewhere."""
        for _ in range(round(seconds * 6)):
            self.scan((180, 200, RETURN))

    def detail(self, row: int, col: int) -> int:
        return int(self.belief.details(row, col, 1, 1)[0, 0])


HIT = (0, 1000, RETURN)  # ends in cell (0, 50)
PAST = (0, 2000, RETURN)  # passes it


@pytest.fixture
def beams() -> Beams:
    return Beams()


def test_a_cell_nothing_looked_at_is_never_seen(beams: Beams) -> None:
    beams.scan(HIT)
    assert beams.detail(0, 49) == 1
    assert beams.detail(0, 51) == 0
    assert beams.detail(5, 20) == 0


def test_three_hits_make_any_cell_occupied(beams: Beams) -> None:
    for misses in (0, 1, 8, 9, 20):
        fresh = Beams()
        fresh.scan(PAST, times=misses)
        fresh.scan(HIT, times=2)
        assert fresh.belief.confidence(0, 50) == 6
        fresh.scan(HIT)
        assert fresh.belief.confidence(0, 50) == 9
        assert fresh.belief.window(0, 50, 1, 1)[0, 0] == 2


def test_nine_misses_make_a_cell_at_nought_free_and_always_end_occupied(beams: Beams) -> None:
    beams.scan(PAST, times=8)
    assert beams.belief.window(0, 50, 1, 1)[0, 0] == 0
    beams.scan(PAST)
    assert beams.belief.window(0, 50, 1, 1)[0, 0] == 1
    beams.scan(HIT, times=30)
    assert beams.belief.confidence(0, 50) == 17
    beams.scan(PAST, times=8)
    assert beams.belief.window(0, 50, 1, 1)[0, 0] == 2
    beams.scan(PAST)
    assert beams.belief.window(0, 50, 1, 1)[0, 0] == 0


def test_confidence_is_clamped(beams: Beams) -> None:
    beams.scan(PAST, times=50)
    assert beams.belief.confidence(0, 50) == -9
    beams.scan(HIT, times=50)
    assert beams.belief.confidence(0, 50) == 17


def test_many_rays_of_one_scan_are_one_miss_or_one_hit(beams: Beams) -> None:
    near = [(k, 1000, RETURN) for k in range(360)]
    beams.scan(*near)
    assert beams.belief.confidence(0, 1) == -1
    crowd = [(k, 60, RETURN) for k in range(-5, 6)]
    beams.scan(*crowd, times=2)
    assert beams.belief.confidence(0, 3) == 6


def test_a_hit_cell_is_not_carved_by_other_rays_of_the_scan(beams: Beams) -> None:
    beams.scan((0, 100, RETURN), (1, 2000, RETURN), (359, 2000, RETURN), times=3)
    assert beams.belief.window(0, 5, 1, 1)[0, 0] == 2


@pytest.mark.parametrize("status", [NOTHING, TOO_NEAR, NO_ECHO])
def test_other_statuses_carve_nothing(beams: Beams, status: int) -> None:
    beams.scan((0, 0, status))
    assert beams.belief.observed.n_rows == 0


def test_out_of_range_carves_to_the_range_less_its_tolerance() -> None:
    rig = make_rig("scan").changed("scan", period_tick=1)
    beams = Beams(Belief(SHELL, rig))
    beams.scan((0, 0, OUT_OF_RANGE))
    # 8 m less 1 % from the middle of cell 0
    assert beams.detail(0, 396) == 1
    assert beams.detail(0, 397) == 0
    assert (beams.belief.window(0, 0, 1, 500) != 2).all()


def test_a_reading_at_the_end_of_the_range_draws_no_wall() -> None:
    rig = make_rig("scan").changed("scan", period_tick=1)
    for range_mm, wall in ((7900, True), (7925, False), (8000, False), (8400, False)):
        beams = Beams(Belief(SHELL, rig))
        beams.scan((0, range_mm, RETURN), times=3)
        cells = beams.belief.window(0, 0, 1, 500)[0]
        assert (cells == 2).any() == wall, range_mm
        assert beams.detail(0, 390) & 3 == 1


def test_a_ray_carves_short_of_what_it_reads_by_the_tolerance() -> None:
    rig = make_rig("scan").changed("scan", period_tick=1)
    beams = Beams(Belief(SHELL, rig))
    beams.scan((0, 4000, RETURN))  # 0.04 m: cells 198 and 199 are left
    assert [beams.belief.confidence(0, col) for col in (197, 198, 199, 200)] == [-1, -1, 0, 3]


def test_the_scanner_is_where_it_is_mounted() -> None:
    beams = Beams(Belief(SHELLS["front_steer"], RIG))
    beams.scan((0, 1000, RETURN), times=3)
    assert beams.belief.window(0, 56, 1, 1)[0, 0] == 2  # 0.12 m ahead of the pivot
    assert beams.detail(0, 0) == 0


def visit(beams: Beams) -> None:
    beams.scan(HIT, times=3)
    beams.wait(2.2)


def test_occupied_on_three_visits_is_permanent(beams: Beams) -> None:
    visit(beams)
    visit(beams)
    assert beams.detail(0, 50) == 3
    beams.scan(HIT)
    assert beams.detail(0, 50) == 3 | 4


def test_a_long_look_is_one_visit(beams: Beams) -> None:
    beams.scan(HIT, times=100)
    assert beams.detail(0, 50) == 3
    for _ in range(10):  # out of view for less than 2 s
        beams.wait(1.5)
        beams.scan(HIT)
    assert beams.detail(0, 50) == 3


def test_a_flip_makes_changeable_and_never_permanent(beams: Beams) -> None:
    beams.scan(HIT, times=3)
    beams.scan(PAST, times=18)
    assert beams.detail(0, 50) == 2 | 8
    for _ in range(4):
        visit(beams)
    assert beams.detail(0, 50) == 3 | 8


def test_a_permanent_cell_is_still_carved_where_it_is_seen_gone(beams: Beams) -> None:
    for _ in range(3):
        visit(beams)
    beams.scan(HIT, times=5)
    beams.scan(PAST, times=9)
    assert beams.detail(0, 50) == 1 | 4
    beams.scan(PAST, times=17)
    assert beams.detail(0, 50) == 2 | 8


def test_a_permanent_cell_never_decays(beams: Beams) -> None:
    for _ in range(3):
        visit(beams)
    before = beams.belief.confidence(0, 50)
    beams.wait(100)
    assert beams.belief.confidence(0, 50) == before


def test_a_changeable_cell_relaxes_one_step_a_second_after_five(beams: Beams) -> None:
    beams.scan(HIT, times=3)
    beams.scan(PAST, times=21)
    start = beams.tick
    assert start % 120 == 0  # steps are taken on whole seconds
    for second in range(1, 30):
        beams.belief.relax(start + 120 * second)
        expected = -9 + max(0, min(9, second - 4))
        assert beams.belief.confidence(0, 50) == expected, second
    assert beams.detail(0, 50) == 1 | 8 | 16
    beams.tick = start + 120 * 30
    beams.scan(PAST)
    assert beams.detail(0, 50) == 1 | 8  # in view again
    assert beams.belief.confidence(0, 50) == -1


def test_an_occupied_changeable_cell_relaxes_to_unknown(beams: Beams) -> None:
    beams.scan(PAST, times=9)
    beams.scan(HIT, times=4)
    assert beams.detail(0, 50) == 3 | 8
    beams.belief.relax(beams.tick + 120 * 9)
    assert beams.detail(0, 50) == 1 | 8 | 16


@pytest.mark.parametrize("how", ["passed", "marked"])
def test_a_cell_that_has_relaxed_and_is_seen_again_relaxes_again(beams: Beams, how: str) -> None:
    beams.scan(HIT, times=3)
    beams.scan(PAST, times=21)
    beams.belief.relax(beams.tick + 120 * 20)
    assert beams.belief.confidence(0, 50) == 0
    beams.tick += 120 * 20
    if how == "passed":
        beams.scan(PAST)
        assert beams.belief.confidence(0, 50) == -1
    else:
        beams.belief.mark(np.array(START, np.int32), np.array([[1_000_000, 0]], np.int32))
        assert beams.belief.confidence(0, 50) == 3
    beams.belief.relax(beams.tick + 120 * 20)
    assert beams.belief.confidence(0, 50) == 0


def test_time_in_one_leap_or_in_steps_is_the_same(beams: Beams) -> None:
    other = Beams()
    for each in (beams, other):
        each.scan(HIT, times=4)
        each.scan(PAST, times=18)
    for k in range(1, 2000):
        beams.belief.relax(beams.tick + k)
    other.belief.relax(other.tick + 1999)
    assert beams.belief.digest() == other.belief.digest()


def test_ages_hold_when_scan_numbers_come_round() -> None:
    """65,536 scans after its last visit a cell is still long out of view."""
    beams = Beams()
    beams.scan(HIT, times=3)
    silent = np.zeros(360, np.int32)
    pose = np.array([START], np.int32)
    for _ in range(65_536):
        beams.tick += 1
        beams.belief.scan(pose, silent, silent, beams.tick)
    visit(beams)
    beams.scan(HIT)
    assert beams.detail(0, 50) == 3 | 4


def test_one_contradicted_permanent_cell_in_five_is_no_reason_to_rebuild() -> None:
    def seen(passed: int) -> bool:
        beams = Beams()
        walls = [(10 * k, 1000, RETURN) for k in range(20)]
        for _ in range(3):
            beams.scan(*walls, times=3)
            beams.belief.relax(beams.tick + 400)
            beams.tick += 400
        now = [(n, 2000 if i < passed else 1000, s) for i, (n, _, s) in enumerate(walls)]
        beams.scan(*now)
        assert beams.belief.permanent_in_view == 20
        assert beams.belief.contradicted == passed
        return beams.belief.rebuild

    assert not seen(4)
    assert seen(5)


def test_a_ray_that_ends_shortly_behind_contradicts_nothing(beams: Beams) -> None:
    for _ in range(3):
        visit(beams)
    beams.scan((0, 1200, RETURN))
    assert (beams.belief.permanent_in_view, beams.belief.contradicted) == (1, 0)
    beams.scan((0, 1300, RETURN))
    assert (beams.belief.permanent_in_view, beams.belief.contradicted) == (1, 1)


def test_clearing_keeps_permanent_cells_and_what_is_beyond(beams: Beams) -> None:
    for _ in range(3):
        visit(beams)
    beams.scan((90, 1000, RETURN), times=3)
    beams.scan((0, 3000, RETURN), times=3)
    beams.belief.clear_disc(10_000, 10_000, 1_100_000)
    assert beams.detail(0, 50) & 4
    assert beams.detail(50, 0) == 0
    assert beams.detail(0, 20) == 0
    assert beams.detail(0, 55) == 0  # its centre lies on the circle
    assert beams.detail(0, 56) != 0


def test_marks_only_mark_and_bumpers_are_certain(beams: Beams) -> None:
    belief = beams.belief
    pose = np.array([0, 0, 1_570_796], np.int32)
    belief.mark(pose, np.array([[500_000, -30_000]] * 5, np.int32))
    assert belief.confidence(25, 1) == 3  # five places of one frame in one cell are one hit
    belief.mark(pose, np.array([[500_000, -30_000]], np.int32), certain=True)
    assert belief.confidence(25, 1) == 17
    assert (belief.details(-50, -50, 100, 100) > 0).sum() == 1


def test_a_copy_cell_is_occupied_where_any_is_and_free_where_all_are(beams: Beams) -> None:
    everywhere = [(k, 3000, RETURN) for k in range(360)]
    beams.scan(*everywhere, times=9)
    fine = beams.belief.window(-200, -200, 400, 400).reshape(200, 2, 200, 2)
    copy = beams.belief.copy_window(-100, -100, 200, 200)
    occupied = (fine == 2).any(axis=(1, 3))
    free = (fine == 1).all(axis=(1, 3))
    assert (copy == np.where(occupied, 2, free.astype(int))).all()
    assert occupied.sum() > 300
    assert free.sum() > 1000


def test_changes_add_up_to_the_copy_and_name_each_cell_once() -> None:
    rng = np.random.default_rng(1)
    beams = Beams()
    known: dict[tuple[int, int], int] = {}
    for i in range(60):
        numbers = rng.choice(360, 60, replace=False)
        beams.scan(*[(int(k), int(rng.integers(200, 3000)), RETURN) for k in numbers], times=3)
        if i % 3 == 0:
            changes = beams.belief.take_changes()
            cells = list(zip(changes.rows.tolist(), changes.cols.tolist(), strict=True))
            assert len(set(cells)) == len(cells)
            for cell, state in zip(cells, changes.states.tolist(), strict=True):
                assert known.get(cell, 0) != state
                known[cell] = state
        beams.belief.frontiers()  # reading in between takes nothing away
    changes = beams.belief.take_changes()
    known |= zip(
        zip(changes.rows.tolist(), changes.cols.tolist(), strict=True),
        changes.states.tolist(),
        strict=True,
    )
    copy = beams.belief.copy_window(-80, -80, 160, 160)
    for (row, col), state in known.items():
        assert copy[row + 80, col + 80] == state
    assert sum(state != 0 for state in known.values()) == (copy != 0).sum()
    assert len(beams.belief.take_changes().rows) == 0


def test_a_cell_takes_at_most_six_bytes(beams: Beams) -> None:
    beams.scan(*[(k, 3000, RETURN) for k in range(360)])
    assert 4 < beams.belief.bytes_per_cell() <= 6


def test_a_goal_far_away_changes_no_frontier_and_takes_next_to_no_memory(beams: Beams) -> None:
    near = Beams()
    for each in (beams, near):
        each.scan(*[(k, 3000, RETURN) for k in range(360)], times=9)
    beams.belief.cover(200_000_000, -90_000_000)
    found, expected = (each.belief.frontiers() for each in (beams, near))
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one.rows, other.rows)
        assert np.array_equal(one.cols, other.cols)
        assert (one.row, one.col, one.box) == (other.row, other.col, other.box)
    directory = 8 * (200 + 90 + 20) ** 2  # a pointer for each tile of 1.28 m, generously
    assert beams.belief.bytes_held < near.belief.bytes_held + directory


def test_the_digest_names_the_cells_alone(beams: Beams) -> None:
    other = Beams()
    other.belief.cover(3_000_000, -2_000_000)
    other.belief.take_changes()
    assert beams.belief.digest() == other.belief.digest()
    beams.scan(HIT)
    assert beams.belief.digest() != other.belief.digest()
    other.scan(HIT)
    other.belief.frontiers()
    assert beams.belief.digest() == other.belief.digest()


def test_the_box_holds_all_observed_and_covered(beams: Beams) -> None:
    beams.scan(HIT)
    beams.belief.cover(-1_000_000, 3_000_000)
    box = beams.belief.observed
    assert (box.row0, box.col0, box.n_rows, box.n_cols) == (0, -50, 151, 101)


def test_beyond_the_greatest_extent_is_refused_and_nothing_taken(beams: Beams) -> None:
    beams.scan(HIT)
    before = beams.belief.digest()
    with pytest.raises(AgentError, match=r"16384 cells of 0\.02 m"):
        beams.belief.cover(400_000_000, 0)
    with pytest.raises(AgentError, match="the scan of tick 40"):
        beams.scan(HIT, pose=(-400_000_000, 0, 0))
    assert beams.belief.digest() == before
    assert beams.belief.observed.n_cols == 51


def test_a_shell_put_elsewhere_within_a_revolution_sees_from_both_places() -> None:
    rig = make_rig("scan").changed("scan", sigma_per_unit=(0.0, 0.0, 0.0))
    belief = Belief(SHELL, rig)
    poses = np.zeros((20, 3), np.int32)
    poses[:] = START
    poses[10:, 0] += 200_000_000
    ranges, ones = np.full(360, 1000, np.int32), np.ones(360, np.int32)
    for tick in (20, 40, 60):
        belief.scan(poses, ranges, ones, tick)
    assert belief.window(50, 0, 1, 1)[0, 0] == 2
    assert belief.window(-50, 10_000, 1, 1)[0, 0] == 2
    assert belief.window(-50, 0, 1, 1)[0, 0] == 0


@pytest.mark.parametrize(
    ("poses", "ranges", "statuses", "tick"),
    [
        (np.zeros((2, 3)), np.zeros(360), np.zeros(360), 20),
        (np.zeros((1, 3)), np.zeros(359), np.zeros(360), 20),
        (np.zeros((1, 3)), np.zeros(360), np.full(360, 5), 20),
        (np.zeros((1, 3)), np.full(360, -1), np.ones(360), 20),
        (np.full((1, 3), 5_000_000), np.zeros(360), np.zeros(360), 20),
        (np.zeros((1, 3)), np.zeros(360), np.zeros(360), 0),
    ],
)
def test_bad_scans_are_refused(poses, ranges, statuses, tick) -> None:
    belief = Belief(SHELL, RIG)
    belief.scan(np.zeros((1, 3)), np.zeros(360), np.zeros(360), 0)
    with pytest.raises(AgentError, match="belief"):
        belief.scan(poses, ranges, statuses, tick)


def test_bad_boxes_and_radii_are_refused(beams: Beams) -> None:
    for box in ((0, 0, -1, 1), (0, 0, 1 << 20, 1 << 20), (1 << 30, 0, 1, 1)):
        with pytest.raises(AgentError, match="window"):
            beams.belief.window(*box)
        with pytest.raises(AgentError, match="window"):
            beams.belief.copy_window(*box)
    with pytest.raises(AgentError, match="clearing"):
        beams.belief.clear_disc(0, 0, -1)
    with pytest.raises(AgentError, match="frontiers"):
        beams.belief.frontiers(-1)
    with pytest.raises(AgentError, match="rooms"):
        beams.belief.rooms(neck_um=5_000_000)


def test_a_rig_without_a_scanner_takes_no_scan() -> None:
    belief = Belief(SHELL, make_rig("beam"))
    with pytest.raises(AgentError, match="no 'scan'"):
        belief.scan(np.zeros((1, 3)), np.zeros(360), np.zeros(360), 20)
