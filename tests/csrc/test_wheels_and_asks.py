"""Wheels, quantised asks, declared figures, and what the core refuses to move."""

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env import grids
from kinewright_env.errors import ActionError, OptionError
from kinewright_env.shells import (
    SHELLS,
    STEERINGS,
    Shell,
    Steering,
    get_shell,
    get_steering,
)

FOUR, FRONT, SERVO = SHELLS["four_wheel_steer"], SHELLS["front_steer"], STEERINGS["servo"]
each_shell = pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
REST = [0.0] * 6


# ---- Wheels ----


@given(shell=st.sampled_from(sorted(SHELLS)), steer=st.floats(-0.41887, 0.41887))
@settings(derandomize=True, deadline=None)
def test_each_wheel_stands_square_to_the_turning_centre(shell: str, steer: float) -> None:
    chosen = SHELLS[shell]
    curvature = math.tan(steer) / chosen.curvature_length_m
    for angle, (x, y) in zip(
        grids.wheel_angles(chosen, steer), chosen.wheel_positions_m, strict=True
    ):
        # towards (0, 1 / curvature), times the curvature so that straight ahead is no limit
        to_centre = (-curvature * x, 1 - curvature * y)
        assert abs(math.cos(angle) * to_centre[0] + math.sin(angle) * to_centre[1]) < 1e-15


@each_shell
def test_the_inner_wheel_turns_more(shell: Shell) -> None:
    left, right, _, _ = grids.wheel_angles(shell, 0.3)
    assert left > 0.3 > right > 0
    left, right, _, _ = grids.wheel_angles(shell, -0.3)
    assert right < -0.3 < left < 0


def test_axles_are_opposite_with_four_wheel_steer_and_the_rear_straight_without() -> None:
    front_left, front_right, rear_left, rear_right = grids.wheel_angles(FOUR, 0.25)
    assert (rear_left, rear_right) == (-front_left, -front_right)
    assert grids.wheel_angles(FRONT, 0.25)[2:] == (0.0, 0.0)
    assert grids.wheel_angles(FOUR, 0.0) == (0.0, 0.0, 0.0, 0.0)


def test_the_pivot_lies_between_the_axles_or_on_the_rear_one() -> None:
    assert FOUR.wheel_positions_m == ((0.12, 0.09), (0.12, -0.09), (-0.12, 0.09), (-0.12, -0.09))
    assert FRONT.wheel_positions_m == ((0.24, 0.09), (0.24, -0.09), (0.0, 0.09), (0.0, -0.09))


@each_shell
@pytest.mark.parametrize("speed_dmmps", [5000, -5000])
@pytest.mark.parametrize("steer_urad", [418_879, -100_000, 0])
def test_wheels_roll_the_way_that_their_own_contacts_run(
    common: Any, shell: Shell, speed_dmmps: int, steer_urad: int
) -> None:
    ffi, lib = common
    motion, arc = ffi.new("kw_motion *"), ffi.new("kw_arc *")
    motion.speed_mps, motion.steer_rad = speed_dmmps / 1e4, steer_urad / 1e6
    motion.pose.heading_rad = 0.7
    out = ffi.new("double[4]")
    c_shell, c_steering = shell.to_c(ffi), SERVO.to_c(ffi)
    before = contacts(shell, motion)
    lib.kw_motion_step(c_shell, c_steering, (speed_dmmps, steer_urad), motion, arc)
    lib.kw_wheel_distances(c_shell, arc, out)
    chords = np.abs(contacts(shell, motion) - before)
    # a chord of a small turn is shorter than its arc by turn**2 / 24
    arcs = chords * (1 + arc.turn_rad**2 / 24)
    assert np.max(np.abs(np.abs(list(out)) - arcs)) < 1e-10
    assert np.all(np.sign(list(out)) == np.sign(speed_dmmps))


def contacts(shell: Shell, motion: Any) -> np.ndarray:
    """Where the wheels stand in `map`, as complex numbers."""
    turn = complex(math.cos(motion.pose.heading_rad), math.sin(motion.pose.heading_rad))
    wheels = np.array([complex(x, y) for x, y in shell.wheel_positions_m])
    return complex(motion.pose.x_m, motion.pose.y_m) + wheels * turn


def test_an_arc_says_what_the_tick_was(common: Any) -> None:
    ffi, lib = common
    motion, arc = ffi.new("kw_motion *"), ffi.new("kw_arc *")
    motion.speed_mps = 1.0
    motion.steer_rad = 0.2
    lib.kw_motion_step(FOUR.to_c(ffi), SERVO.to_c(ffi), (20_000, 200_000), motion, arc)
    mean = 1.0 + 0.5 * 1.6 / 120
    assert arc.acceleration_mps2 == pytest.approx(1.6, rel=1e-12)
    assert arc.distance_m == pytest.approx(mean / 120, rel=1e-12)
    assert arc.curvature_radpm == pytest.approx(math.tan(0.2) / 0.12, rel=1e-12)
    assert arc.turn_rad == pytest.approx(arc.distance_m * arc.curvature_radpm, rel=1e-12)
    assert arc.lateral_mps2 == pytest.approx(mean * arc.turn_rad * 120, rel=1e-12)


@each_shell
def test_the_body_lies_ahead_of_the_pivot(common: Any, shell: Shell) -> None:
    ffi, lib = common
    x, y = ffi.new("double *"), ffi.new("double *")
    lib.kw_body_centre(shell.to_c(ffi), (1.0, 2.0, 2.1), x, y)
    assert x[0] == pytest.approx(1.0 + shell.body_ahead_m * math.cos(2.1), abs=1e-15)
    assert y[0] == pytest.approx(2.0 + shell.body_ahead_m * math.sin(2.1), abs=1e-15)


# ---- Asks ----


def half_away(value: Fraction) -> int:
    size = math.floor(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


@given(speed=st.floats(-0.6, 2.2), steer=st.floats(-0.5, 0.5))
@settings(derandomize=True, deadline=None)
def test_asks_are_rounded_then_clipped(speed: float, steer: float) -> None:
    # the product is the double's, which is what the core rounds
    wanted = half_away(Fraction(speed * 1e4)), half_away(Fraction(steer * 1e6))
    kept = min(max(wanted[0], -5000), 20_000), min(max(wanted[1], -418_879), 418_879)
    clipped = (kept[0] != wanted[0]) + (kept[1] != wanted[1])
    assert grids.quantise_ask(FRONT, speed, steer) == (*kept, clipped)


@pytest.mark.parametrize(
    ("speed", "steer", "expected"),
    [
        (0.00005, 5e-7, (1, 1, 0)),
        (-0.00005, -5e-7, (-1, -1, 0)),
        (0.000049, 4.9e-7, (0, 0, 0)),
        (2.0, -0.0, (20_000, 0, 0)),
        (2.00004, 0.4188794, (20_000, 418_879, 0)),
        (2.00006, 0.41888, (20_000, 418_879, 2)),
        (-0.51, 0.0, (-5000, 0, 1)),
        (1e308, -1e308, (20_000, -418_879, 2)),
        (-1e308, 1e19, (-5000, 418_879, 2)),
        (5e-324, -5e-324, (0, 0, 0)),
    ],
)
def test_asks_at_the_edges(speed: float, steer: float, expected: tuple[int, int, int]) -> None:
    assert grids.quantise_ask(FOUR, speed, steer) == expected


@each_shell
def test_limits_in_single_precision_are_not_clipped(shell: Shell) -> None:
    speed, steer = float(np.float32(2.0)), float(np.float32(shell.lock_rad))
    assert steer > shell.lock_rad
    assert grids.quantise_ask(shell, speed, steer) == (20_000, shell.lock_urad, 0)
    assert shell.lock_urad == math.floor(shell.lock_rad * 1e6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_an_ask_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ActionError, match="finite"):
        grids.quantise_ask(FOUR, bad, 0.0)
    with pytest.raises(ActionError, match="finite"):
        grids.quantise_ask(FOUR, 0.0, bad)


def test_asks_inside_the_limits_are_known_from_those_outside(common: Any) -> None:
    ffi, lib = common
    shell = FOUR.to_c(ffi)
    for ask in ((20_000, 418_879), (-5000, -418_879), (0, 0)):
        assert lib.kw_ask_inside(shell, ask) == 1
    for ask in ((20_001, 0), (-5001, 0), (0, 418_880), (0, -418_880), (2**31 - 1, -(2**31))):
        assert lib.kw_ask_inside(shell, ask) == 0


# ---- Declarations ----


def test_derived_figures_are_those_of_the_table() -> None:
    assert FOUR.radius_at_lock_m == pytest.approx(0.2695, abs=5e-5)
    assert FRONT.radius_at_lock_m == pytest.approx(0.5390, abs=5e-5)
    for shell in SHELLS.values():
        assert shell.inscribed_radius_m == 0.106
        assert shell.circumscribed_radius_m == pytest.approx(0.2089, abs=5e-5)
        assert shell.lock_rad == math.radians(24)


def test_names_give_declarations_and_declarations_come_back() -> None:
    assert get_shell("front_steer") is FRONT
    assert get_steering("servo") is SERVO
    own = dataclasses.replace(FRONT, name="mine", forward_speed_limit_mps=1.0)
    assert get_shell(own) is own
    assert grids.quantise_ask(own, 2.0, 0.0) == (10_000, 0, 1)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(OptionError, match="did you mean 'front_steer'"):
        get_shell("front_ster")
    with pytest.raises(OptionError, match="Allowed: 'rack', 'servo'"):
        get_steering("rak")
    with pytest.raises(OptionError, match="no shell"):
        get_shell([1])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"lock_rad": math.nan},
        {"track_m": math.inf},
        {"length_m": 0.0},
        {"acceleration_mps2": -1.0},
        {"wheelbase_m": 0.3},
        {"lock_rad": 1.2},
        {"lock_rad": 1.6},
        {"height_m": 10**400},
        {"width_m": "wide"},
        {"body_ahead_m": 2000.0},
    ],
    ids=str,
)
def test_a_shell_that_cannot_be_moved_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"four_wheel_steer.* must"):
        dataclasses.replace(FOUR, **change)


@pytest.mark.parametrize("figure", [0.0, -1.0, math.nan, 1e7])
def test_a_steering_that_cannot_move_is_refused(figure: float) -> None:
    for field in ("rate_cap_radps", "acceleration_radps2"):
        figures = {"rate_cap_radps": 1.0, "acceleration_radps2": 1.0, field: figure}
        with pytest.raises(OptionError, match=field):
            Steering(name="mine", **figures)


@pytest.mark.parametrize(
    ("start", "ask", "n_ticks"),
    [
        ([0, 0, 0, 0, 0], (0, 0), 1),
        ([math.nan, *REST[1:]], (0, 0), 1),
        ([0, math.inf, *REST[2:]], (0, 0), 1),
        ([0, 0, 4.1, 0, 0, 0], (0, 0), 1),
        ([0, 0, 0, 0, 1.57, 0], (0, 0), 1),
        ([0, 0, 0, 0, 0, 900.0], (0, 0), 1),
        (REST, (20_001, 0), 1),
        (REST, (0, 2**40), 1),
        (REST, (0, 0), -1),
    ],
)
def test_a_prediction_from_nonsense_is_refused(
    start: list[float], ask: tuple[int, int], n_ticks: int
) -> None:
    with pytest.raises(OptionError):
        grids.predict(FOUR, SERVO, start, ask, n_ticks)


def test_the_strangest_shells_allowed_stay_finite() -> None:
    stubby = dataclasses.replace(
        FOUR,
        wheelbase_m=0.002,
        curvature_length_m=0.001,
        track_m=0.001,
        lock_rad=1.1,
        forward_speed_limit_mps=1000.0,
        acceleration_mps2=1000.0,
    )
    quick = Steering(name="quick", rate_cap_radps=1000.0, acceleration_radps2=1e6)
    slow = Steering(name="slow", rate_cap_radps=0.001, acceleration_radps2=0.001)
    for steering in (quick, slow):
        start = [1e300, -1e300, math.pi, 1000.0, -1.1, 0.0]
        motion = grids.predict(stubby, steering, start, (10_000_000, 1_100_000), 500)
        assert np.all(np.isfinite(motion))
