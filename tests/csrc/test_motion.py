"""The motion law against closed forms and exact arithmetic."""

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kinewright_env import grids
from kinewright_env.shells import SHELLS, STEERINGS, Shell, Steering

DT = 1 / 120
X, Y, HEADING, SPEED, STEER, RATE, REST = range(7)
FOUR, FRONT = SHELLS["four_wheel_steer"], SHELLS["front_steer"]
each_shell = pytest.mark.parametrize("shell", SHELLS.values(), ids=SHELLS)
each_steering = pytest.mark.parametrize("steering", STEERINGS.values(), ids=STEERINGS)


def state(
    *,
    speed: float = 0.0,
    steer: float = 0.0,
    rate: float = 0.0,
    pose: tuple[float, ...] = (0, 0, 0),
) -> NDArray[np.float64]:
    return np.array([*pose, speed, steer, rate, 0.0], dtype=np.float64)


# ---- Steering ----


def least_time(error: float, rate: float, cap: float, acceleration: float) -> float:
    """Seconds of the quickest move over `error` >= 0 under a cap at or above the rate."""
    stopping = rate**2 / (2 * acceleration)
    if rate < 0:
        return -rate / acceleration + least_time(error + stopping, 0.0, cap, acceleration)
    if stopping > error:
        return rate / acceleration + least_time(stopping - error, 0.0, cap, acceleration)
    peak = math.sqrt(acceleration * error + rate**2 / 2)
    if peak <= cap:
        return (2 * peak - rate) / acceleration
    ramps = (2 * cap**2 - rate**2) / (2 * acceleration)
    return (2 * cap - rate) / acceleration + (error - ramps) / cap


@pytest.mark.parametrize(("name", "seconds"), [("servo", 0.10), ("rack", 1.46)])
@each_shell
def test_lock_to_straight_takes_what_the_table_says(
    shell: Shell, name: str, seconds: float
) -> None:
    steering = STEERINGS[name]
    motion = grids.predict(shell, steering, state(steer=shell.lock_rad), (0, 0), 240)
    landed = int(np.flatnonzero((motion[:, STEER] == 0.0) & (motion[:, RATE] == 0.0))[0]) + 1
    assert abs(landed * DT - seconds) <= DT


@given(
    steering=st.sampled_from(sorted(STEERINGS)),
    speed=st.integers(-5000, 20_000),
    start=st.floats(-0.4188, 0.4188),
    share=st.floats(-1, 1),
    target=st.integers(-418_879, 418_879),
)
@settings(derandomize=True, deadline=None, max_examples=400)
def test_a_move_is_the_quickest_under_both_bounds(
    steering: str, speed: int, start: float, share: float, target: int
) -> None:
    chosen = STEERINGS[steering]
    v = speed / 1e4
    cap = chosen.rate_cap_radps / (1 + abs(v))
    # a rate that could have come about: the lock lies beyond its stopping distance
    room = math.sqrt(2 * chosen.acceleration_radps2 * (FOUR.lock_rad - abs(start)))
    rate = share * min(cap, room)
    side = 1.0 if target / 1e6 >= start else -1.0
    seconds = least_time(
        side * (target / 1e6 - start), side * rate, cap, chosen.acceleration_radps2
    )
    first = max(math.floor(seconds / DT - 1e-6), 0)
    last = math.ceil(seconds / DT + 1e-6)
    motion = grids.predict(
        FOUR, chosen, state(speed=v, steer=start, rate=rate), (speed, target), max(last, 1)
    )
    at_rest = (motion[:, STEER] == target / 1e6) & (motion[:, RATE] == 0.0)
    assert at_rest[-1]
    assert not at_rest[: max(first - 1, 0)].any()


def random_asks(
    shell: Shell, steering: Steering, n_asks: int, longest: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """States before and after every tick under random asks, each tick's target, and its ask."""
    rng = np.random.default_rng(n_asks)
    lock = shell.lock_urad
    targets = rng.integers(-lock, lock + 1, n_asks)
    near = rng.random(n_asks) < 0.3
    speeds = rng.integers(-5000, 20_001, n_asks)
    lengths = rng.integers(1, longest + 1, n_asks)
    motion = state()
    rows = [motion[None]]
    for i in range(n_asks):
        if near[i]:
            # a target about the place where the move could just stop
            stop = motion[RATE] * abs(motion[RATE]) / (2 * steering.acceleration_radps2)
            about = (motion[STEER] + stop) * 1e6 + rng.integers(-3, 4)
            targets[i] = min(max(round(about), -lock), lock)
        ask = (int(speeds[i]), int(targets[i]))
        rows.append(grids.predict(shell, steering, motion, ask, int(lengths[i])))
        motion = rows[-1][-1]
    states = np.concatenate(rows)
    number = np.repeat(np.arange(n_asks), lengths)
    return states[:-1], states[1:], np.stack([number, targets[number]])


@each_steering
@pytest.mark.parametrize("longest", [3, 30])
def test_random_asks_keep_every_bound_of_steering(steering: Steering, longest: int) -> None:
    before, after, (number, target) = random_asks(FRONT, steering, 100_000, longest)
    most = steering.acceleration_radps2 * DT * (1 + 1e-9)
    cap = steering.rate_cap_radps / (1 + np.abs(before[:, SPEED]))
    rate, new_rate = before[:, RATE], after[:, RATE]
    assert np.all(np.abs(new_rate - rate) <= most)
    # above a fallen cap only as far as braking since has not yet brought it down
    assert np.all(np.abs(new_rate) <= np.maximum(cap, np.abs(rate) - most) * (1 + 1e-9))
    moved = after[:, STEER] - before[:, STEER]
    fastest = np.maximum(cap, np.abs(rate))
    assert np.all(np.abs(moved) <= fastest * DT * (1 + 1e-9))
    # a rate that is the angle's own: a tick's move is within what the bound allows about it
    mean = 0.5 * (rate + new_rate) * DT
    assert np.all(np.abs(moved - mean) <= most * DT / 4 * (1 + 1e-6))
    check_passing(before, after, number, target / 1e6, steering.acceleration_radps2)


def check_passing(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    number: NDArray[np.int64],
    target: NDArray[np.float64],
    acceleration: float,
) -> None:
    error = target - before[:, STEER]
    side = np.where(error < 0, -1.0, 1.0)
    towards = side * before[:, RATE]
    stopping = np.where(towards > 0, towards**2 / (2 * acceleration), 0.0)
    past = -side * (target - after[:, STEER])
    could_stop = stopping <= np.abs(error)
    assert np.all(past[could_stop] <= 0.0)
    # one that could not passes by what is left of its stopping distance, and no farther
    assert np.all(past[~could_stop] <= (stopping - np.abs(error))[~could_stop] * (1 + 1e-9) + 1e-15)
    assert np.count_nonzero(~could_stop) > 100
    # and passes once under one ask
    crossed = (past > 0).astype(np.int64)
    assert np.max(np.bincount(number, weights=crossed)) <= 1


@each_steering
def test_every_ask_that_lasts_lands_exactly(steering: Steering) -> None:
    rng = np.random.default_rng(8)
    motion = state()
    for _ in range(300):
        lock = FOUR.lock_urad
        ask = (int(rng.integers(-5000, 20_001)), int(rng.integers(-lock, lock + 1)))
        motion = grids.predict(FOUR, steering, motion, ask, int(rng.integers(1, 90)))[-1]
        settled = grids.predict(FOUR, steering, motion, ask, 1200)[-1]
        assert settled[STEER] == ask[1] / 1e6
        assert settled[RATE] == 0.0
        assert settled[SPEED] == ask[0] / 1e4


def test_the_rate_cap_falls_with_speed() -> None:
    rack = STEERINGS["rack"]
    for v in (0.0, 0.5, 1.0, 2.0):
        ask = (round(v * 1e4), -FOUR.lock_urad)
        motion = grids.predict(FOUR, rack, state(speed=v, steer=FOUR.lock_rad), ask, 150)
        assert np.max(np.abs(motion[:, RATE])) == pytest.approx(0.35 / (1 + v), rel=1e-12)


# ---- Speed ----


def speed_oracle(shell: Shell, speed: Fraction, asked: Fraction) -> Fraction:
    """One tick in exact arithmetic, as the specification words it."""
    if speed * asked < 0:
        return speed_oracle(shell, speed, Fraction(0))
    faster = abs(asked) > abs(speed)
    limit = shell.acceleration_mps2 if faster else shell.braking_mps2
    most = Fraction(str(limit)) / 120
    return min(max(asked, speed - most), speed + most)


@each_shell
def test_speed_follows_the_ramps_and_lands_exactly(shell: Shell) -> None:
    rng = np.random.default_rng(12)
    motion, exact = state(), Fraction(0)
    for _ in range(400):
        asked = int(rng.choice([0, 5000, -5000, 20_000, *rng.integers(-5000, 20_001, 4)]))
        n_ticks = int(rng.integers(1, 60))
        after = grids.predict(shell, STEERINGS["servo"], motion, (asked, 0), n_ticks)
        for row in after:
            exact = speed_oracle(shell, exact, Fraction(asked, 10_000))
            assert abs(row[SPEED] - exact) < 1e-12
            if exact == Fraction(asked, 10_000) or exact == 0:
                assert row[SPEED] == float(exact)
        motion = after[-1]


@pytest.mark.parametrize(("speed", "asked"), [(1.0, -0.5), (-0.5, 2.0), (0.013, -0.2)])
def test_a_change_of_sign_rests_for_a_tick_first(speed: float, asked: float) -> None:
    motion = grids.predict(
        FOUR, STEERINGS["servo"], state(speed=speed), (round(asked * 1e4), 0), 200
    )
    signs = np.sign([speed, *motion[:, SPEED]])
    turn = int(np.flatnonzero(signs == 0)[0])
    assert np.all(signs[:turn] == np.sign(speed))
    assert np.all(signs[turn + 1 :] == np.sign(asked))
    assert motion[-1, SPEED] == asked


# ---- Pose ----


def circle(
    shell: Shell, start: NDArray[np.float64], speed: float, steer: float, n_ticks: int
) -> list[tuple[Any, Any, Any]]:
    """The pivot's pose after each tick, from the circle alone, at 40 digits."""
    poses = []
    with mp.workdps(40):
        curvature = mp.tan(steer) / mp.mpf(shell.curvature_length_m)
        x0, y0, h0 = map(mp.mpf, start[:3])
        for n in range(1, n_ticks + 1):
            run = mp.mpf(speed) * n / 120
            h = h0 + curvature * run
            if curvature == 0:
                poses.append((x0 + run * mp.cos(h0), y0 + run * mp.sin(h0), h0))
                continue
            x = x0 + (mp.sin(h) - mp.sin(h0)) / curvature
            y = y0 - (mp.cos(h) - mp.cos(h0)) / curvature
            poses.append((x, y, h))
    return poses


@each_shell
@pytest.mark.parametrize("steer_deg", [24, -24, 13, -5, 2, 1])
@pytest.mark.parametrize("speed_dmmps", [5000, 20_000, -5000])
def test_a_whole_circle_stays_on_the_closed_form(
    shell: Shell, steer_deg: float, speed_dmmps: int
) -> None:
    steer_urad = math.trunc(math.radians(steer_deg) * 1e6)
    steer, speed = steer_urad / 1e6, speed_dmmps / 1e4
    around = 2 * math.pi * shell.curvature_length_m / math.tan(abs(steer))
    n_ticks = min(math.ceil(around / abs(speed) * 120), 11000)
    start = state(speed=speed, steer=steer, pose=(0.3, -0.2, 2.5))
    motion = grids.predict(shell, STEERINGS["rack"], start, (speed_dmmps, steer_urad), n_ticks)
    for row, (x, y, h) in zip(motion, circle(shell, start, speed, steer, n_ticks), strict=True):
        assert abs(row[X] - x) < 1e-12
        assert abs(row[Y] - y) < 1e-12
        off = row[HEADING] - h
        assert abs(off - 2 * mp.pi * mp.nint(off / (2 * mp.pi))) < 1e-12


@each_shell
@each_steering
def test_each_tick_runs_the_arc_of_its_mean_steer_and_mean_speed(
    shell: Shell, steering: Steering
) -> None:
    rng = np.random.default_rng(3)
    rows = [state(pose=(1.0, -2.0, 0.5))[None]]
    for _ in range(60):
        ask = (int(rng.integers(-5000, 20_001)), int(rng.integers(-418_879, 418_880)))
        rows.append(grids.predict(shell, steering, rows[-1][-1], ask, int(rng.integers(1, 40))))
    motion = np.concatenate(rows)
    steer = (motion[:-1, STEER] + motion[1:, STEER]) / 2
    run = (motion[:-1, SPEED] + motion[1:, SPEED]) / 2 * DT
    turn = run * np.tan(steer) / shell.curvature_length_m
    chord = run * np.sinc(turn / 2 / np.pi)
    along = motion[:-1, HEADING] + turn / 2
    off = np.diff(motion[:, HEADING]) - turn
    assert np.max(np.abs(off - 2 * np.pi * np.rint(off / (2 * np.pi)))) < 1e-13
    assert np.max(np.abs(np.diff(motion[:, X]) - chord * np.cos(along))) < 1e-13
    assert np.max(np.abs(np.diff(motion[:, Y]) - chord * np.sin(along))) < 1e-13
    assert np.count_nonzero(np.diff(motion[:, STEER])) > 300


@each_shell
@pytest.mark.parametrize("steer_urad", [418_879, -300_000, 50_000, 0])
def test_out_and_back_on_one_steer_retraces_the_arc(shell: Shell, steer_urad: int) -> None:
    steer = steer_urad / 1e6
    start = state(speed=0.5, steer=steer, pose=(1.0, 2.0, -1.0))
    out = grids.predict(shell, STEERINGS["servo"], start, (5000, steer_urad), 400)
    turned = out[-1].copy()
    turned[SPEED] = -0.5
    back = grids.predict(shell, STEERINGS["servo"], turned, (-5000, steer_urad), 400)
    retraced = np.concatenate([out[-2::-1], start[None]])
    assert np.max(np.abs(back[:, [X, Y]] - retraced[:, [X, Y]])) < 1e-12
    off = back[:, HEADING] - retraced[:, HEADING]
    assert np.max(np.abs(off - 2 * np.pi * np.rint(off / (2 * np.pi)))) < 1e-12


@each_shell
def test_a_stop_and_a_return_stay_on_the_same_circle(shell: Shell) -> None:
    steer_urad = 350_000
    radius = shell.curvature_length_m / math.tan(steer_urad / 1e6)
    motion = state(steer=steer_urad / 1e6)
    for speed_dmmps in (15_000, -5000, 3000, 0):
        rows = grids.predict(shell, STEERINGS["rack"], motion, (speed_dmmps, steer_urad), 150)
        from_centre = np.hypot(rows[:, X], rows[:, Y] - radius)
        assert np.max(np.abs(from_centre - radius)) < 1e-12
        motion = rows[-1]


def test_straight_ahead_is_straight() -> None:
    motion = grids.predict(FOUR, STEERINGS["servo"], state(speed=1.2), (12_000, 0), 1200)
    assert np.all(motion[:, [Y, HEADING]] == 0.0)
    assert motion[-1, X] == pytest.approx(12.0, abs=1e-12)


@each_shell
def test_positive_steer_turns_left_ahead_and_right_in_reverse(shell: Shell) -> None:
    ahead = grids.predict(shell, STEERINGS["servo"], state(), (5000, 200_000), 60)[-1]
    assert ahead[X] > 0 < ahead[Y]
    assert ahead[HEADING] > 0
    behind = grids.predict(shell, STEERINGS["servo"], state(), (-5000, 200_000), 60)[-1]
    assert behind[X] < 0 < behind[Y]
    assert behind[HEADING] < 0


ASKS = st.tuples(st.integers(-5000, 20_000), st.integers(-418_879, 418_879))


@given(
    ask=ASKS,
    n_ticks=st.integers(1, 200),
    split=st.integers(0, 200),
    shell=st.sampled_from(sorted(SHELLS)),
    steering=st.sampled_from(sorted(STEERINGS)),
)
@settings(derandomize=True, deadline=None)
def test_a_prediction_may_be_cut_anywhere(
    ask: tuple[int, int], n_ticks: int, split: int, shell: str, steering: str
) -> None:
    law = (SHELLS[shell], STEERINGS[steering])
    split = min(split, n_ticks)
    whole = grids.predict(*law, state(), ask, n_ticks)
    first = grids.predict(*law, state(), ask, split)
    second = grids.predict(*law, first[-1] if split else state(), ask, n_ticks - split)
    assert whole.tobytes() == first.tobytes() + second.tobytes()
    assert np.all(np.abs(whole[:, HEADING]) <= math.pi)


@given(ask=ASKS)
@settings(derandomize=True, deadline=None)
def test_left_and_right_mirror_each_other(ask: tuple[int, int]) -> None:
    left = grids.predict(FRONT, STEERINGS["rack"], state(), ask, 120)
    right = grids.predict(FRONT, STEERINGS["rack"], state(), (ask[0], -ask[1]), 120)
    assert np.array_equal(left, right * [1, -1, -1, 1, -1, -1, -1])
