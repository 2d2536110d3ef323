"""The parts of `route` and `explore`, each against brute force or a map drawn by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinewright_agents.route import course as courses
from kinewright_agents.route.course import NEAR_UM, Course
from kinewright_agents.route.explore import SEEN_CELLS, Explore
from kinewright_agents.route.ground import NO_ROUTE, Ground, cell_of, centre_um_of, prices_of
from kinewright_agents.route.recovery import BACK_MOST_UM, BACK_UM, BackingUp, Recoveries
from kinewright_env.grids import (
    CELL_FREE,
    CELL_OCCUPIED,
    CELL_UNKNOWN,
    COPY_CELL_UM,
    Changes,
    Outcome,
    Planner,
)
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS, get_shell

SHELL = get_shell("four_wheel_steer")
LETTERS = {"#": CELL_OCCUPIED, ".": CELL_FREE, "?": CELL_UNKNOWN}


def drawn(text: str) -> np.ndarray:
    """Return states as drawn, the first line uppermost."""
    lines = text.split()
    return np.array([[LETTERS[letter] for letter in line] for line in lines[::-1]], np.uint8)


def route_through(states: np.ndarray, start, goal, unknown: str = "normal"):
    planner = Planner(prices_of(SHELL))
    planner.cover(0, 0, *states.shape)
    planner.set_window(0, 0, states)
    return planner, planner.plan(start, [goal], unknown=unknown)


def changes(*cells: tuple[int, int]) -> Changes:
    rows, cols = np.array(cells, np.int32).reshape(-1, 2).T
    return Changes(rows=rows, cols=cols, states=np.full(len(cells), CELL_OCCUPIED, np.uint8))


# ---- course ----


@pytest.fixture(scope="module")
def bent() -> Course:
    """A course round the end of a wall, in a hall of 4 m by 3.2 m."""
    states = np.full((80, 100), CELL_FREE, np.uint8)
    states[:50, 50] = CELL_OCCUPIED
    _, route = route_through(states, (10, 10), (10, 90))
    assert route.outcome == Outcome.FOUND
    return Course(route.cells, centre_um_of((10, 90)))


def length_um(cells: np.ndarray) -> float:
    return COPY_CELL_UM * float(np.hypot(*np.diff(cells, axis=0).T).sum())


def test_a_course_knows_how_much_of_it_is_left(bent):
    for at in range(0, len(bent.cells), 7):
        bent.at = at
        assert bent.left_um == pytest.approx(length_um(bent.cells[at:]), rel=0.001, abs=1)
        assert (bent.left == bent.cells[at:]).all()
    bent.at = 0


@pytest.mark.parametrize("distance_um", [0, 40_000, 333_000, 750_000])
def test_the_place_ahead_lies_that_far_along_the_course(bent, distance_um):
    for at in range(0, len(bent.cells), 11):
        bent.at = at
        x, y = bent.ahead_um(distance_um)
        if (x, y) == bent.end_um:
            assert length_um(bent.cells[at:]) <= distance_um + 2 * COPY_CELL_UM
            continue
        end = next(i for i, cell in enumerate(bent.cells.tolist()) if centre_um_of(cell) == (x, y))
        assert 0 <= length_um(bent.cells[at : end + 1]) - distance_um + 1 <= 1.42 * COPY_CELL_UM
    bent.at = 0


def test_a_shell_beside_its_course_is_at_the_nearest_place_of_it(bent):
    bent.at = 0
    rng = np.random.default_rng(1)
    for row, col in bent.cells.tolist():
        x, y = centre_um_of((row, col)) + rng.integers(-60_000, 60_000, 2)
        bent.follow(int(x), int(y))
        xs, ys = (bent.cells[:, ::-1] * COPY_CELL_UM + COPY_CELL_UM // 2).T
        nearest = np.hypot(xs - x, ys - y)
        assert nearest[bent.at] == nearest.min()
    assert bent.left_um <= 3 * COPY_CELL_UM
    bent.at = 0


def test_past_the_end_of_a_course_the_way_back_to_it_is_left_to_drive():
    _, route = route_through(np.full((40, 40), CELL_FREE, np.uint8), (20, 5), (20, 25))
    x, y = centre_um_of((20, 25))
    course = Course(route.cells, (x, y))
    course.at = len(course.cells) - 2
    for beyond_um in (0, 30_000, 200_000, 555_555):
        course.follow(x + beyond_um, y)
        assert (course.left_um, course.to_go_um) == (0, beyond_um)
    course.follow(x - 200_000, y + 30_000)
    assert course.to_go_um == course.left_um == 200_000


def test_it_never_jumps_to_a_place_farther_along_than_it_looks(bent):
    bent.at = 0
    bent.follow(*centre_um_of(bent.cells[-1].tolist()))
    assert bent.at < courses.SEARCH_CELLS
    bent.at = 0


def test_a_change_touches_within_026_m_of_what_is_left_and_nowhere_else(bent):
    middles = bent.cells.astype(np.int64)
    reach = NEAR_UM**2 // COPY_CELL_UM**2
    rng = np.random.default_rng(2)
    for at in (0, 20, len(bent.cells) - 1):
        bent.at = at
        for row, col in rng.integers(-20, 120, (300, 2)).tolist():
            near = ((middles[at:] - (row, col)) ** 2).sum(axis=1).min() <= reach
            assert bent.is_touched(changes((row, col))) == near, (at, row, col)
    assert not bent.is_touched(changes())
    bent.at = 0


def test_a_course_costs_what_its_plan_did_until_it_is_closed():
    states = np.full((40, 60), CELL_FREE, np.uint8)
    states[:, 30:] = CELL_UNKNOWN
    planner, route = route_through(states, (20, 5), (20, 55))
    course = Course(route.cells, centre_um_of((20, 55)))
    assert course.cost(planner, "normal") == route.cost
    assert course.cost(planner, "high") > route.cost > course.cost(planner, "low")
    planner.set_cells([20], [40], np.array([CELL_OCCUPIED], np.uint8))
    assert course.cost(planner, "normal") is None
    course.at = 45
    assert course.cost(planner, "normal") is not None  # what closed it lies behind


# ---- ground ----


def ground() -> Ground:
    return Ground({"shell": SHELL, "rig": make_rig(None), "ticks_per_step": 12})


@pytest.mark.parametrize("shell", SHELLS)
def test_prices_are_those_of_route_md(shell):
    prices = prices_of(get_shell(shell))
    assert (prices.lethal_um, prices.near_um, prices.far_um) == (
        156_000,
        pytest.approx(260_000, abs=2000),
        350_000,
    )


@pytest.mark.parametrize("place", [(0, 0), (39_999, 40_000), (-1, -40_001), (-123_456, 7_654_321)])
def test_a_cell_holds_the_places_that_floor_division_says(place):
    row, col = cell_of(*place)
    x, y = centre_um_of((row, col))
    assert abs(place[0] - x) <= COPY_CELL_UM // 2
    assert abs(place[1] - y) <= COPY_CELL_UM // 2


def test_the_world_covers_a_goal_and_is_widened_once_for_what_was_observed():
    here = ground()
    here.cover(3_000_000, -1_000_000, 150_000)
    here.cover(0, 0, 100_000)
    here.update()
    row, col, n_rows, n_cols = here.planner.box
    for x, y in ((3_150_000, -1_150_000), (-100_000, 100_000)):
        at = cell_of(x, y)
        assert row <= at[0] < row + n_rows
        assert col <= at[1] < col + n_cols
    before = here.planner.box
    assert here.widen()
    after = here.planner.box
    assert after[0] <= before[0] - 25
    assert after[1] <= before[1] - 25
    assert after[2] >= before[2] + 50
    assert after[3] >= before[3] + 50
    assert not here.widen()


def test_a_plan_to_nowhere_is_exhausted():
    assert ground().plan((0, 0), np.empty((0, 2), np.int32), "normal") is NO_ROUTE
    assert NO_ROUTE.outcome == Outcome.EXHAUSTED


def test_the_first_cell_that_the_body_reaches_is_gone_to():
    states = np.full((60, 60), CELL_FREE, np.uint8)
    states[:, 30] = CELL_OCCUPIED
    here = ground()
    here.planner.cover(0, 0, *states.shape)
    here.planner.set_window(0, 0, states)
    beyond, before = (30, 50), (30, 20)
    wanted = np.array([(99, 99), beyond, before, (10, 10)], np.int32)
    course = here.course_to_first(wanted, centre_um_of((30, 5)), "normal")
    assert tuple(course.cells[-1].tolist()) == before
    assert course.end_um == centre_um_of(before)
    assert here.course_to_first(wanted[:2], centre_um_of((30, 5)), "normal") is None


# ---- recovery ----


def test_three_recoveries_without_progress_are_tried():
    tries = Recoveries()
    assert [tries.count(0) for _ in range(4)] == [True, True, True, False]
    tries.begin()
    assert tries.count(0)


@pytest.mark.parametrize(("driven_um", "counts"), [(149_999, 2), (150_000, 1), (-500_000, 2)])
def test_way_along_the_route_is_progress_from_150_mm_on(driven_um, counts):
    tries = Recoveries()
    tries.count(0)
    tries.drive(driven_um - 70_000)
    tries.drive(70_000)
    tries.count(0)
    assert tries.without_progress == counts


def test_way_is_counted_since_the_last_recovery_only():
    tries = Recoveries()
    for _ in range(3):
        tries.drive(100_000)
        tries.count(0)
    assert tries.without_progress == 3


@given(
    st.lists(st.integers(-900_000, 600_000), min_size=1, max_size=20),
    st.integers(150_000, 600_000),
)
def test_way_that_was_lost_is_first_to_be_made_up_for(ways_um, further_um):
    """Of ways to and fro that end no farther along than any before, none is progress."""
    tries, behind_um = Recoveries(), 0
    tries.count(0)
    for way_um in ways_um:
        tries.drive(min(way_um, behind_um))
        behind_um -= min(way_um, behind_um)
        tries.count(0)
    assert tries.without_progress == 1 + len(ways_um)
    tries.drive(behind_um + further_um)
    tries.count(0)
    assert tries.without_progress == 1


@pytest.mark.parametrize(
    ("before_um", "after_um", "counts"), [(500_000, 300_000, 1), (500_000, 400_000, 2)]
)
def test_turning_toward_the_route_is_progress(before_um, after_um, counts):
    tries = Recoveries()
    tries.count(before_um)
    tries.count(after_um)
    assert tries.without_progress == counts


class Admits:
    """Stands for an avoider: admits the steer angles it is given."""

    def __init__(self, *admitted: int) -> None:
        self.admitted = admitted

    def test(self, ask: tuple[int, int], wheels_urad: int | None = None) -> SimpleNamespace:
        return SimpleNamespace(is_admissible=ask[1] in self.admitted)

    def turning(self, wheels_urad: int) -> tuple[int, int]:
        return (0, wheels_urad)


FAST_WHEELS = SimpleNamespace(are_slow=False)


@pytest.mark.parametrize("turn", [1, -1])
def test_it_backs_up_so_that_it_turns_toward_its_route(turn):
    """Backward, wheels turned to the right turn the shell to the left."""
    lock = SHELL.lock_urad
    backing = BackingUp(SHELL, FAST_WHEELS, turn, 2_000_000)
    assert backing.go_on(Admits(-lock, 0, lock))
    assert backing.ask == (-3000, -turn * lock)
    assert backing.go_on(Admits(0, turn * lock))
    assert backing.ask == (-3000, 0)
    assert backing.go_on(Admits(turn * lock))  # away from its route where nothing else is left
    assert backing.ask == (-3000, turn * lock)
    assert not backing.go_on(Admits())


def test_slow_wheels_are_turned_before_it_backs_up():
    lock = SHELL.lock_urad
    there = set()
    wheels = SimpleNamespace(are_slow=True, are_at=lambda steer_urad: steer_urad in there)
    backing = BackingUp(SHELL, wheels, 1, 2_000_000)
    assert backing.go_on(Admits(-lock))
    assert backing.ask == (0, -lock)
    there.add(-lock)
    assert backing.go_on(Admits(-lock))
    assert backing.ask == (-3000, -lock)
    assert backing.go_on(Admits(0))  # under way it goes on with what there is
    assert backing.ask == (-3000, 0)


@pytest.mark.parametrize(("steer", "way_um"), [(-1, BACK_UM), (0, BACK_MOST_UM), (1, BACK_MOST_UM)])
def test_backing_up_ends_after_its_way(steer, way_um):
    """0.30 m of turning toward the route, 0.90 m of anything."""
    backing, run_um = BackingUp(SHELL, FAST_WHEELS, 1, 2_000_000), 0
    while backing.go_on(Admits(steer * SHELL.lock_urad)):
        backing.run(30_000)
        run_um += 30_000
    assert run_um == way_um


@pytest.mark.parametrize(
    ("left_um", "driven_um"),
    [(2_000_000, 0), (1_900_000, 100_000), (2_200_000, -200_000), (500_000, 300_000)],
)
def test_a_way_back_drives_no_more_of_the_route_than_was_backed_up(left_um, driven_um):
    backing = BackingUp(SHELL, FAST_WHEELS, 1, 2_000_000)
    backing.go_on(Admits(-SHELL.lock_urad))
    for _ in range(10):
        backing.run(30_000)
    assert backing.driven_um(left_um) == driven_um


# ---- explore ----


def test_frontiers_that_were_looked_at_are_left_alone_and_no_others():
    agent = Explore()
    rng = np.random.default_rng(4)
    rows, cols = rng.integers(0, 60, (2, 200)).astype(np.int32)
    clusters = [
        SimpleNamespace(rows=rows[:120], cols=cols[:120]),
        SimpleNamespace(rows=rows[120:], cols=cols[120:]),
    ]
    agent._ground = SimpleNamespace(belief=SimpleNamespace(frontiers=lambda: clusters))
    agent._seen = [(10, 10), (40, 50)]
    expected = [
        (row, col)
        for row, col in zip(rows.tolist(), cols.tolist(), strict=True)
        if all(math.dist((row, col), seen) > SEEN_CELLS for seen in agent._seen)
    ]
    assert list(map(tuple, agent._goal_cells().tolist())) == expected
    clusters.clear()
    assert agent._goal_cells().shape == (0, 2)
