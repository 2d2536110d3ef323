"""A drawn path becomes a reference that the shell can drive, or is refused with its reason."""

import math
import random
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Point

from kinewright_agents.path import resampled, smoothed
from kinewright_agents.reference import Reference, reference
from kinewright_env.errors import AgentError
from kinewright_env.shells import SHELLS

HERE = (0.0, 0.0, 0.0)
LOCKS_M = {"four_wheel_steer": 0.2695, "front_steer": 0.5390}  # motion.md
EACH_SHELL = pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)


def line_of(line: Reference) -> LineString:
    return LineString(list(zip(line.x_m, line.y_m, strict=True)))


def tightest_m(line: Reference) -> float:
    return 1.0 / max(1e-9, *map(abs, line.curvature_radpm))


def circle(radius_m: float, share: float = 1.0) -> list[tuple[float, float]]:
    angles = [2 * math.pi * share * i / 100 for i in range(101)]
    return [(radius_m * math.sin(a), radius_m * (1 - math.cos(a))) for a in angles]


@EACH_SHELL
def test_a_straight_path_is_its_own_reference(shell):
    line = reference([(0, 0), (2, 0)], HERE, shell)
    assert line.length_m == pytest.approx(2.0, abs=1e-12)
    assert max(map(abs, line.y_m)) < 1e-12
    assert max(map(abs, line.curvature_radpm)) < 1e-9


@pytest.mark.parametrize(
    ("name", "radius_m"),
    [("four_wheel_steer", 0.28), ("four_wheel_steer", 0.6), ("front_steer", 0.55),
     ("front_steer", 1.0)],
)  # fmt: skip
def test_a_drawn_circle_keeps_its_radius_to_two_millimetres(name, radius_m):
    line = reference(circle(radius_m), HERE, SHELLS[name])
    offs = [
        abs(math.hypot(x, y - radius_m) - radius_m) for x, y in zip(line.x_m, line.y_m, strict=True)
    ]
    assert max(offs) < 0.002
    assert line.length_m == pytest.approx(2 * math.pi * radius_m, rel=0.005)


@pytest.mark.parametrize(
    ("name", "radius_m"),
    [("four_wheel_steer", 0.20), ("four_wheel_steer", 0.26), ("front_steer", 0.28),
     ("front_steer", 0.52)],
)  # fmt: skip
def test_a_circle_tighter_than_the_lock_is_refused_with_place_and_radius(name, radius_m):
    with pytest.raises(AgentError) as refused:
        reference(circle(radius_m), HERE, SHELLS[name])
    numbers = re.search(r"at \((.*), (.*)\) has a radius of (.*) m; allowed: (\S+) m", str(refused))
    x, y, said_m, lock_m = map(float, numbers.groups())
    assert said_m == pytest.approx(radius_m, rel=0.03)
    assert lock_m == pytest.approx(LOCKS_M[name], abs=1e-4)
    assert math.hypot(x, y - radius_m) == pytest.approx(radius_m, abs=0.02)
    assert name in str(refused.value)


@EACH_SHELL
@pytest.mark.parametrize("angle_deg", [15, 45, 90, -90])
@pytest.mark.parametrize("spacing_m", [2.0, 0.02], ids=["corner", "drawn"])
def test_a_sharp_corner_is_rounded_near_it_as_the_lock_asks(shell, angle_deg, spacing_m):
    """Whether it was given as three points or drawn densely."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    legs = [(0.0, 0.0), (2.0, 0.0), (2.0 + 2.0 * c, 2.0 * s)]
    line = reference(resampled(legs, spacing_m), HERE, shell)
    assert tightest_m(line) >= LOCKS_M[shell.name]
    assert line_of(line).distance(Point(2.0, 0.0)) < 0.35
    assert line_of(line).hausdorff_distance(LineString(legs)) < 0.36
    # away from the corner the legs are kept
    for x, y in zip(line.x_m, line.y_m, strict=True):
        if math.hypot(x - 2.0, y) > 1.0:
            assert LineString(legs).distance(Point(x, y)) < 0.002
    assert math.degrees(line.heading_rad[-1]) == pytest.approx(angle_deg, abs=0.1)


@EACH_SHELL
def test_curvature_never_jumps(shell):
    """Neither at a corner nor where arcs meet: a tenth of a metre goes from none to full."""
    path = [(0, 0), (2, 0), (2, 2), (4, 2), (5, 3.2)]
    line = reference(path, HERE, shell)
    jumps = [abs(b - a) for a, b in pairwise(line.curvature_radpm)]
    assert max(jumps) < 0.3 / LOCKS_M[shell.name]


@EACH_SHELL
@pytest.mark.parametrize(
    "path",
    [
        [(0, 0), (2, 0), (0, 0)],
        [(0, 0), (2, 0), (2, 0.2), (4, 0.2)],
        [(0, 0), (1, 0), (1, 0.3), (0, 0.3)],
        [(-1, 0)],
        [(0, 0.04)],
        [(0, 0, 1.0)],
        [(2, 0, math.pi)],
    ],
    ids=["reversal", "short leg", "hairpin", "behind", "beside", "on the spot", "end turned round"],
)
def test_what_cannot_be_rounded_is_refused_with_a_place(shell, path):
    with pytest.raises(AgentError, match=r"at \(-?\d+\.\d\d, -?\d+\.\d\d\) has a radius of"):
        reference(path, HERE, shell)


def test_two_close_turns_of_the_hand_are_kept_not_cut_across():
    """A path that was thinned must not leave out a leg of 0.2 m that was meant."""
    with pytest.raises(AgentError):
        reference([(0, 0), (2, 0), (2, 0.2), (4, 0.2)], HERE, SHELLS["four_wheel_steer"])


@EACH_SHELL
@pytest.mark.parametrize("pixel_m", [0.01, 0.03])
@pytest.mark.parametrize("spacing_m", [0.02, 0.05, 0.1])
def test_an_unsteady_hand_is_smoothed_within_three_centimetres(shell, pixel_m, spacing_m):
    """A wave of amplitude 0.5 m with trembling and pixels; distance to the true wave."""
    tremble = random.Random(1)
    drawn = []
    for i in range(int(6 / spacing_m)):
        x, y = i * spacing_m, 0.5 * math.sin(1.2 * i * spacing_m)
        x, y = x + tremble.gauss(0, 0.003), y + tremble.gauss(0, 0.003)
        drawn.append((round(x / pixel_m) * pixel_m, round(y / pixel_m) * pixel_m))
    line = reference(drawn, (0.0, 0.0, math.atan(0.6)), shell)
    wave = LineString([(i * 0.01, 0.5 * math.sin(0.012 * i)) for i in range(-10, 620)])
    assert max(wave.distance(Point(p)) for p in zip(line.x_m, line.y_m, strict=True)) < 0.03
    assert tightest_m(line) >= LOCKS_M[shell.name]


@EACH_SHELL
def test_it_begins_at_the_shells_pose_and_ends_at_the_last_pose(shell):
    start, end = (1.0, -2.0, 2.5), (-2.0, 1.0, 1.9)
    line = reference([(0.2, -1.3), end], start, shell)
    assert line.pose(0) == start
    assert line.pose(len(line.s_m) - 1) == pytest.approx(end, abs=1e-12)
    chord = math.atan2(line.y_m[1] - line.y_m[0], line.x_m[1] - line.x_m[0])
    assert chord == pytest.approx(2.5, abs=0.05)
    chord = math.atan2(line.y_m[-1] - line.y_m[-2], line.x_m[-1] - line.x_m[-2])
    assert chord == pytest.approx(1.9, abs=0.05)


def test_a_first_point_away_from_the_shell_is_joined_to_it():
    line = reference([(1.0, 1.0), (3.0, 1.0)], HERE, SHELLS["front_steer"])
    assert line.pose(0) == HERE
    assert line_of(line).distance(Point(3.0, 1.0)) < 1e-9
    assert line_of(line).distance(Point(1.0, 1.0)) < 0.35
    assert tightest_m(line) >= LOCKS_M["front_steer"]


@EACH_SHELL
def test_a_mirrored_path_has_the_mirrored_reference(shell):
    path = [(0.0, 0.0), (1.5, 0.2), (2.5, 1.4), (4.0, 1.0)]
    line = reference(path, HERE, shell)
    other = reference([(x, -y) for x, y in path], HERE, shell)
    assert other.x_m == pytest.approx(line.x_m, abs=1e-9)
    assert other.y_m == pytest.approx([-y for y in line.y_m], abs=1e-9)


def test_the_path_where_the_shell_stands_is_one_place():
    line = reference([(0.0, 0.0)], HERE, SHELLS["front_steer"])
    assert line.s_m == [0.0]
    assert line.pose(0) == HERE


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ([], "no point"),
        ([(0, math.nan)], "finite"),
        ([(0, math.inf)], "finite"),
        ([(0,)], "finite"),
        ([(0, 1, 2, 3)], "finite"),
        ([("a", 1)], "no list"),
        ([3], "no list"),
        (3, "no list"),
        (None, "no list"),
        ([(0, 0), (1e9, 0)], "long"),
        ([(0, 0), (1e300, 0), (-1e300, 0)], "long"),
    ],
)
def test_a_bad_path_is_refused_with_what_is_allowed(path, reason):
    with pytest.raises(AgentError, match=f"path.*{reason}"):
        reference(path, HERE, SHELLS["front_steer"])


COORDINATES = st.floats(-3.0, 3.0)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    path=st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=8),
    heading=st.floats(-3.0, 3.0),
    name=st.sampled_from(sorted(SHELLS)),
)
def test_any_path_is_refused_or_can_be_driven(path, heading, name):
    """The lock holds everywhere on it, and neighbours are nowhere far apart."""
    start = (0.0, 0.0, heading)
    try:
        line = reference(path, start, SHELLS[name])
    except AgentError:
        return
    assert line.pose(0) == start
    assert tightest_m(line) >= 0.985 * LOCKS_M[name]
    gaps = [b - a for a, b in pairwise(line.s_m)]
    assert all(0.0 < gap < 0.04 for gap in gaps)
    assert math.hypot(line.x_m[-1] - path[-1][0], line.y_m[-1] - path[-1][1]) < 0.001


@pytest.mark.parametrize("window", [5, 11, 17])
def test_smoothing_keeps_lines_and_almost_keeps_circles(window):
    line = [(0.02 * i, 0.01 * i) for i in range(200)]
    for (x, y), (u, v) in zip(line, smoothed(line, window), strict=True):
        assert (u, v) == pytest.approx((x, y), abs=1e-12)
    arc = [(math.sin(0.04 * i) / 2, (1 - math.cos(0.04 * i)) / 2) for i in range(80)]
    for x, y in smoothed(arc, window)[40:-40]:
        assert math.hypot(x, y - 0.5) == pytest.approx(0.5, abs=0.001)
