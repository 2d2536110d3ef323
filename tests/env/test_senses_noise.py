"""Noise of each sensor over a million samples: spread, mean, shape, independence, statuses."""

import itertools
import math

import gymnasium as gym
import numpy as np
import pytest

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.rig import make_rig

SAMPLES = 1_000_000
TICKS_PER_STEP = 12000
# standard deviation of each channel, by the specification: in the reading's unit, and per unit
SIGMAS = {
    "cone": ([2.0], [0.004]),
    "grid": ([3.0], [0.005]),
    "beam": ([2.0], [0.002]),
    "scan": ([0.0], [0.01]),
    "radar": ([30.0, 15.0, 30.0], [0.0] * 3),
    "encoders": ([1.0], [0.0]),
    "imu": ([1.6, 0.01 / 9.80665 * 2048, 0.01 / 9.80665 * 2048], [0.0] * 3),
}
# A tall wall ahead, posts before it, and walls all about: every reading is a return.
ROOM = {
    "format": 1,
    "name": "closed",
    "title": "Made by a test",
    "time_limit_s": 100.0,
    "start": {"x": 0.0, "y": 0.0},
    "wall": [
        {"name": f"w{i}", "from": a, "to": b, "thickness": 0.1, "height": 6.0}
        for i, (a, b) in enumerate(
            [([1.4, -3], [1.4, 3]), ([-2, 3], [1.4, 3]), ([-2, -3], [-2, 3]), ([-2, -3], [1.4, -3])]
        )
    ],
    "post": [
        {"name": f"p{i}", "center": [0.9, y], "radius": 0.05, "height": 0.3}
        for i, y in enumerate((0.6, -0.55, 0.0))
    ],
}


def make(rig, noise, scene=ROOM, ticks_per_step=TICKS_PER_STEP):
    return gym.make(
        "Kinewright/Drive-v0",
        scene=scene,
        shell="four_wheel_steer",
        rig=rig,
        noise=noise,
        ticks_per_step=ticks_per_step,
        time_limit_s=1e5,
    ).unwrapped


def frames(env, key, n_frames, seed=1):
    """Return the readings (n_frames, values) at rest; every one is a return."""
    env.reset(seed=seed)
    parts, n = [], 0
    while n < n_frames:
        observation = env.step(np.zeros(2, np.float32))[0]
        here = observation[f"{key}_tick"] >= 0
        assert (observation[f"{key}_status"][here] == 1).all()
        parts.append(observation[key][here].reshape(np.count_nonzero(here), -1))
        n += len(parts[-1])
    return np.concatenate(parts)[:n_frames]


def rig_of(key):
    """Return the sensor alone, sampled on every tick: noise goes by sample, not by time."""
    rig = make_rig((key,))
    return rig if key == "scan" else rig.changed(key, period_tick=1)


def spread(key, true):
    base, per_unit = (np.resize(part, len(true)) for part in SIGMAS[key])
    return base + per_unit * np.abs(true)


@pytest.fixture(scope="module")
def errors():
    """Return a function: (errors (n, values), sigmas (values,)) of one sensor, made once."""
    kept = {}

    def get(key):
        if key not in kept:
            true = frames(make(rig_of(key), False, ticks_per_step=240), key, 2)
            assert (true[0] == true[1]).all()
            per_frame = len(true[0]) // len(SIGMAS[key][0])  # of each channel
            n_frames = -(-SAMPLES // per_frame)
            noisy = frames(make(rig_of(key), True), key, n_frames)
            kept[key] = noisy - true[0], spread(key, true[0])
        return kept[key]

    return get


def channels_of(key, table, sigma):
    """Yield (errors (n,), sigmas (n,)) of each channel, its values in a frame pooled."""
    n_channels = len(SIGMAS[key][0])
    for channel in range(n_channels):
        error = table[:, channel::n_channels]
        yield error.ravel(), np.broadcast_to(sigma[channel::n_channels], error.shape).ravel()


@pytest.mark.parametrize("key", SIGMAS)
def test_a_million_samples_have_the_declared_spread_about_the_true_value(errors, key):
    """Variance within 2 % of sigma^2 + 1/12, the mean within 5 of its standard errors."""
    for error, sigma in channels_of(key, *errors(key)):
        assert len(error) >= SAMPLES
        wanted = sigma**2 + 1 / 12
        scaled = error / np.sqrt(wanted)
        assert abs((scaled**2).mean() - 1.0) < 0.02
        assert abs(scaled.mean()) < 5 / math.sqrt(len(scaled))


@pytest.mark.parametrize("away_m", [0.3, 3.5])
@pytest.mark.parametrize("key", ["cone", "beam"])
def test_the_spread_grows_with_the_range_as_declared(key, away_m):
    scene = dict(ROOM, post=[], wall=[])
    center = [0.18 + away_m + 0.5, 0.0]
    scene["box"] = [{"name": "b", "center": center, "size": [1.0, 20.0], "height": 6.0}]
    noisy = frames(make(rig_of(key), True, scene), key, 200_000)
    sigma = spread(key, np.array([1000 * away_m]))[0]
    assert abs(noisy.var() / (sigma**2 + 1 / 12) - 1.0) < 0.02
    assert abs(noisy.mean() - 1000 * away_m) < 5 * sigma / math.sqrt(len(noisy))


def normal_distribution(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def uniform_by_rounded_normal(error, sigma, rng):
    """Return what is uniform on (0, 1) where `error` is a normal variate that was rounded.

    A rounded value k has the probabilities between k - 1/2 and k + 1/2: a place among them is
    drawn for each sample.
    """
    sigmas, which = np.unique(sigma, return_inverse=True)
    span = 2 * int(np.abs(error).max()) + 1
    kinds, place = np.unique(which * span + error + span // 2, return_inverse=True)
    values, scales = kinds % span - span // 2, sigmas[kinds // span]
    low, high = (
        np.array([normal_distribution(x) for x in (values + side) / scales]) for side in (-0.5, 0.5)
    )
    return low[place] + rng.random(len(place)) * (high - low)[place]


@pytest.mark.parametrize("key", SIGMAS)
def test_a_million_samples_follow_the_rounded_normal_distribution(errors, key):
    """Kolmogorov and Smirnov: sqrt(n) D stays below 1.95, its quantile of 0.999."""
    rng = np.random.default_rng(8)
    for error, sigma in channels_of(key, *errors(key)):
        uniform = np.sort(uniform_by_rounded_normal(error, sigma, rng))
        n = len(uniform)
        steps = np.arange(n + 1) / n
        distance = max((steps[1:] - uniform).max(), (uniform - steps[:-1]).max())
        assert math.sqrt(n) * distance < 1.95


def correlation(one, other):
    return float(np.mean((one - one.mean()) * (other - other.mean())) / (one.std() * other.std()))


@pytest.mark.parametrize("key", SIGMAS)
def test_samples_of_a_sensor_are_not_correlated_in_time(errors, key):
    table, _ = errors(key)
    for column in table.T[:9]:
        for lag in (1, 2, 3, 4, 5, 7, 8, 16, 360):
            n = len(column) - lag
            assert abs(correlation(column[:-lag], column[lag:])) < 5.5 / math.sqrt(n), lag


@pytest.mark.parametrize("key", [key for key in SIGMAS if key not in ("cone", "beam")])
def test_values_of_one_frame_are_not_correlated(errors, key):
    table, sigma = errors(key)
    scaled = table / sigma
    together = np.corrcoef(scaled.T)
    np.fill_diagonal(together, 0.0)
    assert np.abs(together).max() < 6 / math.sqrt(len(table))


def test_sensors_are_not_correlated_with_each_other_nor_seeds(errors):
    series = {key: errors(key)[0][:2700, :64] for key in SIGMAS}
    again = frames(make(rig_of("cone"), True), "cone", 2700, seed=2)
    series["cone of the next seed"] = again - np.round(again.mean())
    names = list(series)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            a, b = (s / s.std(axis=0) for s in (series[one], series[other]))
            most = np.abs((a - a.mean(axis=0)).T @ (b - b.mean(axis=0))).max() / len(a)
            assert most < 6 / math.sqrt(len(a)), (one, other)


def test_noise_changes_no_status_and_only_returns_in_a_million_samples():
    """A drive through everything, walls included, with the noise on and off."""
    exact, noisy = (make(None, on, "senses_room", 600) for on in (False, True))
    rng, n, seen = np.random.default_rng(5), 0, set()
    changed = dict.fromkeys(exact.rig.keys, 0)
    for step in itertools.count():
        if step % 12 == 0:  # back into the room
            exact.reset(seed=step)
            noisy.reset(seed=step)
        ask = rng.uniform([-0.5, -0.42], [0.9, 0.42]).astype(np.float32)
        one, two = exact.step(ask)[0], noisy.step(ask)[0]
        assert np.array_equal(one["pose"], two["pose"])
        for key in exact.rig.keys:
            status = one[f"{key}_status"]
            assert np.array_equal(status, two[f"{key}_status"])
            statuses = status.reshape(*status.shape, *[1] * (one[key].ndim - status.ndim))
            assert (two[key][np.broadcast_to(statuses != 1, two[key].shape)] == 0).all()
            n += np.count_nonzero(status)
            seen |= {(key, int(code)) for code in np.unique(status)}
            changed[key] += np.count_nonzero(one[key] != two[key])
        if n >= SAMPLES:
            break
    for key in ("cone", "grid", "beam", "scan", "radar"):
        assert {(key, 1), (key, 2), (key, 3)} <= seen
    assert ("beam", 4) in seen
    assert changed.pop("bumpers") == 0
    assert min(changed.values()) > 500
