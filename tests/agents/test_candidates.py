"""Candidates against the law of motion and a brute-force oracle of the corridor."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.errors import OptionError
from kinewright_env.grids import (
    AVOIDANCE,
    CANDIDATE_COUNT,
    CANDIDATE_REST,
    CELL_UM,
    CURVATURE_COUNT,
    CURVATURE_OF_GOAL,
    SAMPLE_TICK,
    Aim,
    Candidates,
    LocalMap,
    Motion,
    predict,
)
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS, STEERINGS

REACTION_TICK = 53
CLEARANCE_M = 0.05
NEARER_M = 0.002
BORDER_M = 1e-9  # decisions nearer to a border than this are not compared
EACH_PAIR = pytest.mark.parametrize(
    ("shell", "steering"),
    [(shell, steering) for shell in SHELLS.values() for steering in STEERINGS.values()],
    ids=[f"{shell}-{steering}" for shell in SHELLS for steering in STEERINGS],
)
SEEDS = st.integers(0, 2**32 - 1)


class Place:
    """A shell somewhere in motion among random cells, and all that a decision needs."""

    def __init__(self, observation, shell, steering, seed, *, n_cells=60, goal_m=None):
        rng = np.random.default_rng(seed)
        rig = make_rig("bumpers")
        self.shell, self.steering = shell, steering
        self.local_map = LocalMap(shell, rig, 12)
        self.motion = Motion(shell, steering)
        self.candidates = Candidates(shell, steering, REACTION_TICK)
        lock = shell.lock_urad
        pose = [*rng.integers(-3_000_000, 3_000_000, 2), rng.integers(-3_141_592, 3_141_592)]
        ask = (int(rng.integers(-5000, 5001)), int(rng.integers(-lock, lock + 1)))
        begun = predict(shell, steering, (0.0, 0, 0, ask[0] / 1e4, 0.0, 0.0), ask, 12)[-1]
        for tick, speed, steer in [(0, ask[0] / 1e4, 0.0), (12, begun[3], begun[4])]:
            obs = observation(
                rig, 12, tick, poses_um=pose,
                speed_mmps=round(speed * 1e3), steer_urad=round(steer * 1e6),
            )  # fmt: skip
            self.local_map.observe(obs)
            self.motion.observe(obs, ask)
        x, y = np.array(pose[:2]) / 1e6
        near = rng.uniform(0.0, 1.5, n_cells)
        bearing = rng.uniform(-math.pi, math.pi, n_cells)
        for r, b in zip(near, bearing, strict=True):
            col, row = ((x + r * math.cos(b)) * 50, (y + r * math.sin(b)) * 50)
            tolerance = int(rng.integers(14_000, 80_000))
            inside = r < 0.35 and rng.uniform() < 0.9  # seldom in the corridor already
            if not inside:
                self.local_map.mark(math.floor(row), math.floor(col), 12, tolerance)
        if goal_m is None:
            goal_m = rng.uniform(-2.5, 2.5, 2)
        goal = (round((x + goal_m[0]) * 1e6), round((y + goal_m[1]) * 1e6))
        self.aim = Aim(goal_um=goal, radius_um=150_000)
        self.survey, self.poses = self.candidates.survey(self.local_map, self.motion, self.aim)

    # ---- The oracle ----

    def slacks_m(self, pose):
        """Of every cell at one pose: from the body's outline, minus clearance and tolerance."""
        x, y, heading = pose
        shell, (c, s) = self.shell, (math.cos(heading), math.sin(heading))
        corners = [
            (x + c * (shell.body_ahead_m + a) - s * b, y + s * (shell.body_ahead_m + a) + c * b)
            for a, b in [(0.18, 0.106), (-0.18, 0.106), (-0.18, -0.106), (0.18, -0.106)]
        ]
        body = shapely.Polygon(corners)
        cells = self.local_map.cells()
        points = shapely.points((cells[:, 1::-1] + 0.5) * (CELL_UM / 1e6))
        gaps = shapely.distance(body.exterior, points)
        gaps[shapely.contains(body, points)] *= -1.0
        return gaps - CLEARANCE_M - cells[:, 3] / 1e6

    def least_m(self):
        """What slack each cell is allowed."""
        now = self.slacks_m(self.motion.row[:3])
        return np.where(now < 0.0, now - NEARER_M, 0.0)

    def room_m(self, pose):
        rooms = self.slacks_m(pose) - self.least_m()
        return rooms.min(initial=math.inf)

    def stop_rooms_m(self, ask):
        """The least room on each tick of holding an ask and then resting."""
        held = predict(self.shell, self.steering, self.motion.row, ask, REACTION_TICK)
        brake = math.ceil(abs(held[-1][3]) / self.shell.braking_mps2 * 120) + 1
        rest = predict(self.shell, self.steering, held[-1], (0, ask[1]), brake)
        assert rest[-1][3] == 0.0
        return [self.room_m(row[:3]) for row in [*held, *rest]]


def is_better(candidate, best, curvatures):
    """The total order of the specification, written once more."""

    def key(one):
        speed, curvature = divmod(one.number, CURVATURE_COUNT)
        off = abs(curvatures[curvature] - curvatures[CURVATURE_OF_GOAL])
        return (one.score, off, -speed, -curvatures[curvature], -curvature)

    return key(candidate) < key(best)


@EACH_PAIR
@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_candidates_are_predicted_by_the_law_to_the_last_bit(observation, shell, steering, seed):
    place = Place(observation, shell, steering, seed, n_cells=0)
    horizon = place.candidates.horizon_tick
    assert horizon == (210 if steering.name == "rack" else 180)
    for candidate in place.survey[:CANDIDATE_REST]:
        ask = (candidate.speed_dmmps, candidate.steer_urad)
        expected = predict(shell, steering, place.motion.row, ask, horizon)
        samples = expected[SAMPLE_TICK - 1 :: SAMPLE_TICK, :3]
        assert np.array_equal(place.poses[candidate.number], samples)


@EACH_PAIR
def test_curvatures_run_evenly_from_lock_to_lock(observation, shell, steering):
    place = Place(observation, shell, steering, 1)
    assert len(place.survey) == CANDIDATE_COUNT == 31
    for number, candidate in enumerate(place.survey[:CANDIDATE_REST]):
        speed, curvature = divmod(number, CURVATURE_COUNT)
        assert candidate.number == number
        assert candidate.speed_dmmps == (1500, 3000, 5000)[speed]
        if curvature != CURVATURE_OF_GOAL:
            tangent = math.tan(shell.lock_rad) * (curvature - 4) / 4
            assert candidate.steer_urad == pytest.approx(math.atan(tangent) * 1e6, abs=1)
    assert place.survey[CANDIDATE_REST].speed_dmmps == 0


@pytest.mark.parametrize(
    ("goal_m", "curvature"),
    [((1.0, 0.0), 0.0), ((1.0, 1.0), 1.0), ((1.0, -1.0), -1.0), ((0.1, 0.2), "left"),
     ((-1.0, 0.1), "left"), ((-1.0, -0.1), "right"), ((-1.0, 0.0), "left")],
)  # fmt: skip
def test_the_goals_own_curvature_is_the_arc_through_it(observation, goal_m, curvature):
    """Within the lock; full lock where the goal lies behind."""
    shell, rig = SHELLS["four_wheel_steer"], make_rig("bumpers")
    local_map, motion = LocalMap(shell, rig, 12), Motion(shell, STEERINGS["servo"])
    obs = observation(rig, 12, 0)
    local_map.observe(obs)
    motion.observe(obs, (0, 0))
    aim = Aim(goal_um=(int(goal_m[0] * 1e6), int(goal_m[1] * 1e6)))
    candidates = Candidates(shell, STEERINGS["servo"], REACTION_TICK)
    steer = candidates.survey(local_map, motion, aim)[0][CURVATURE_OF_GOAL].steer_urad
    ends = {"left": shell.lock_urad, "right": -shell.lock_urad}
    if curvature in ends:
        assert steer == ends[curvature]
    else:
        assert steer == pytest.approx(math.atan(curvature * 0.12) * 1e6, abs=1)


@EACH_PAIR
@given(seed=SEEDS)
@settings(max_examples=12, deadline=None)
def test_what_is_admissible_is_what_brute_force_finds(observation, shell, steering, seed):
    """Every tick, every cell, by shapely."""
    place = Place(observation, shell, steering, seed)
    for candidate in place.survey[:CANDIDATE_REST:7]:
        rooms = place.stop_rooms_m((candidate.speed_dmmps, candidate.steer_urad))
        if abs(min(rooms)) > BORDER_M:
            assert candidate.is_admissible == (min(rooms) >= 0.0)


@EACH_PAIR
@given(seed=SEEDS)
@settings(max_examples=12, deadline=None)
def test_an_ask_of_either_direction_is_tested_alike(observation, shell, steering, seed):
    place = Place(observation, shell, steering, seed, n_cells=25)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        ask = (int(rng.integers(-5000, 20001)), int(rng.integers(-400_000, 400_001)))
        rooms = place.stop_rooms_m(ask)
        if abs(min(rooms)) > BORDER_M:
            test = place.candidates.test(place.local_map, place.motion, ask)
            assert test.is_admissible == (min(rooms) >= 0.0)
            assert (test.cell is None) == test.is_admissible


@EACH_PAIR
@given(seed=SEEDS)
@settings(max_examples=12, deadline=None)
def test_end_margin_and_score_are_what_brute_force_finds(observation, shell, steering, seed):
    place = Place(observation, shell, steering, seed, n_cells=25)
    goal = np.array(place.aim.goal_um) / 1e6
    for candidate in [one for one in place.survey[:CANDIDATE_REST] if one.is_admissible][::3]:
        least = 0.30
        for n_poses, pose in enumerate(place.poses[candidate.number], 1):  # noqa: B007
            least = min(least, place.room_m(pose))
            ahead = shell.body_ahead_m
            x, y = pose[0] + ahead * math.cos(pose[2]), pose[1] + ahead * math.sin(pose[2])
            away = math.dist((x, y), goal)
            if least < 0.0 or away <= 0.09:
                break
        margin_mm = max(0.0, least) * 1000
        assert candidate.n_poses == n_poses
        assert candidate.is_cut == (least < 0.0)
        assert candidate.margin_mm == pytest.approx(margin_mm - 0.5, abs=0.5 + 1e-6)
        assert candidate.end_mm == pytest.approx(away * 1000, abs=0.5 + 1e-6)
        weight = AVOIDANCE["margin_weight_permille"]
        assert candidate.score == 1000 * candidate.end_mm - weight * candidate.margin_mm


@EACH_PAIR
@given(seed=SEEDS, n_cells=st.sampled_from([0, 5, 20, 60]))
@settings(max_examples=40, deadline=None)
def test_the_choice_is_the_best_of_all(observation, shell, steering, seed, n_cells):
    """Though most are not looked at: what is left out could not have been chosen."""
    place = Place(observation, shell, steering, seed, n_cells=n_cells)
    vetoed = np.random.default_rng(seed).integers(2**30).item() if seed % 3 == 0 else 0
    aim = Aim(goal_um=place.aim.goal_um, radius_um=place.aim.radius_um, vetoed=vetoed)
    curvatures = [
        round(math.tan(one.steer_urad / 1e6) / shell.curvature_length_m * 1e6)
        for one in place.survey[:CURVATURE_COUNT]
    ]
    best = None
    for one in place.survey[:CANDIDATE_REST]:
        may = one.is_admissible and not vetoed >> one.number & 1
        if may and (best is None or is_better(one, best, curvatures)):
            best = one
    choice = place.candidates.choose(place.local_map, place.motion, aim, 1234)
    if choice.is_at_goal:
        assert (choice.number, choice.steer_urad) == (CANDIDATE_REST, 1234)
    elif best is None:
        assert (choice.number, choice.steer_urad) == (CANDIDATE_REST, 1234)
        assert choice.cell == place.survey[CURVATURE_OF_GOAL].cell
    else:
        for name in ("number", "score", "margin_mm", "end_mm", "is_cut", "cell", "n_poses"):
            assert getattr(choice, name) == getattr(best, name), name


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_toward_only_never_leaves_the_goals_own_curvature(observation, seed):
    place = Place(observation, SHELLS["front_steer"], STEERINGS["servo"], seed, n_cells=10)
    aim = Aim(goal_um=place.aim.goal_um, radius_um=0, toward_only=True)
    number = place.candidates.choose(place.local_map, place.motion, aim).number
    assert number == CANDIDATE_REST or number % CURVATURE_COUNT == CURVATURE_OF_GOAL


@pytest.fixture
def still(observation):
    """A shell at rest at the origin, heading along x, and its candidates."""
    shell, rig = SHELLS["four_wheel_steer"], make_rig("bumpers")
    local_map, motion = LocalMap(shell, rig, 12), Motion(shell, STEERINGS["servo"])
    obs = observation(rig, 12, 0)
    local_map.observe(obs)
    motion.observe(obs, (0, 0))
    return local_map, motion, Candidates(shell, STEERINGS["servo"], REACTION_TICK)


def test_a_shell_may_leave_a_cell_that_is_in_its_corridor(still):
    """It may not come nearer to it."""
    local_map, motion, candidates = still
    local_map.mark(0, 10, 0, 14_000)  # 0.03 m ahead of the body
    assert not candidates.test(local_map, motion, (1500, 0)).is_admissible
    assert candidates.test(local_map, motion, (-1500, 0)).is_admissible
    assert candidates.test(local_map, motion, (1500, 0)).cell == (0, 10)


def test_a_stop_that_leaves_what_the_map_remembers_is_not_admissible(still):
    """At 2 m/s it stands within 1.6 m; slower braking would carry it past the 3 m."""
    local_map, motion, candidates = still
    assert candidates.test(local_map, motion, (20000, 0)).is_admissible
    slow = Candidates(SHELLS["four_wheel_steer"], STEERINGS["servo"], 400)
    test = slow.test(local_map, motion, (20000, 0))
    assert not test.is_admissible
    assert test.cell is None


@pytest.mark.parametrize(("width_m", "passes"), [(0.46, False), (0.50, True)])
def test_an_opening_wider_than_046_m_is_passable(still, width_m, passes):
    """The body, twice the clearance and twice the scan's tolerance at 2 m: 0.4613 m.

    Between the middles of the marked cells, which lie 0.04 m apart.
    """
    local_map, motion, candidates = still
    half = round(width_m * 25 - 0.5)
    for row in [*range(half, 60), *range(-60, -half)]:
        local_map.mark(row, 40, 0, 74_642)
    aim = Aim(goal_um=(1_500_000, 0), radius_um=150_000, toward_only=True)
    choice = candidates.choose(local_map, motion, aim)
    assert choice.number != CANDIDATE_REST
    assert choice.is_cut == (not passes)


def test_the_figures_are_those_of_the_specification():
    assert AVOIDANCE["speeds_mps"] == (0.15, 0.30, 0.50)
    assert AVOIDANCE["clearance_m"] == CLEARANCE_M
    assert AVOIDANCE["nearer_m"] == NEARER_M
    assert 500 <= AVOIDANCE["margin_weight_permille"] <= 1000


def test_bad_arguments_are_named(observation):
    shell, steering = SHELLS["four_wheel_steer"], STEERINGS["servo"]
    for reaction in (0, -1, 40_000):
        with pytest.raises(OptionError, match="reaction_tick"):
            Candidates(shell, steering, reaction)
    candidates = Candidates(shell, steering, 53)
    local_map, motion = LocalMap(shell, make_rig("scan"), 12), Motion(shell, steering)
    with pytest.raises(OptionError, match="observed nothing yet"):
        candidates.test(local_map, motion, (0, 0))
    local_map.observe(observation(make_rig("scan"), 12, 0))
    with pytest.raises(OptionError, match="shell's limits"):
        candidates.test(local_map, motion, (30_000, 0))
