"""Frames of points in a journal, its replays and exports."""

import io
import struct
from dataclasses import replace

import numpy as np
import pytest

from kinewright_env import DriveEnv, run
from kinewright_env.agent import make
from kinewright_env.core import SENSOR_KEYS
from kinewright_env.errors import JournalError
from kinewright_env.export import to_npz
from kinewright_env.frames import read_frames, steps
from kinewright_env.journal import KINDS, Record, read
from kinewright_env.playback import Playback
from kinewright_env.replay import observe, replay
from kinewright_env.rig import SENSORS, Rig, make_rig

RIG = make_rig("beam,lio")
QUICK = Rig((replace(SENSORS["lio"], period_tick=3, latency_tick=4),))


@pytest.fixture(params=[(RIG, 12), (RIG, 1), (RIG, 40), (QUICK, 7)], ids=str)
def recorded(request, tmp_path):
    """Return a journal of 2.5 s, and what was observed."""
    rig, ticks_per_step = request.param
    seen = []

    def watch(obs):
        seen.append({key: value.copy() for key, value in obs.items()})
        return [0.4, 0.2]

    path = tmp_path / "a.kwj"
    env = DriveEnv(
        scene="senses_room", rig=rig, ticks_per_step=ticks_per_step, time_limit_s=2.5, journal=path
    )
    run(env, watch, seed=9)
    env.close()
    return path, seen, env


def test_frames_decode_to_what_the_observations_held(recorded):
    path, seen, env = recorded
    decoded = steps(read(path))
    assert len(decoded) == len(seen) + 1
    assert sum(int(obs["lio_count"].sum()) for obs in seen) > 5000
    for step, obs in zip(decoded, seen, strict=False):
        again = observe(env._layout, step, env.ticks_per_step)
        for key in obs:
            np.testing.assert_array_equal(again[key], obs[key], err_msg=key)


def test_the_export_has_a_row_a_point(recorded):
    path, seen, _ = recorded
    arrays = np.load(io.BytesIO(to_npz(read(path))), allow_pickle=False)
    counts = np.concatenate([obs["lio_count"][obs["lio_tick"] >= 0] for obs in seen])
    rows = [
        obs["lio"][i, : obs["lio_count"][i]]
        for obs in seen
        for i in np.flatnonzero(obs["lio_tick"] >= 0)
    ]
    assert arrays["lio_count"][: len(counts)].tolist() == counts.tolist()
    points = np.concatenate(rows)
    assert arrays["lio"].shape == (arrays["lio_count"].sum(), 3)
    np.testing.assert_array_equal(arrays["lio"][: len(points)], points)


def test_a_playback_shows_the_newest_increment(recorded):
    path, _, _ = recorded
    arrays = np.load(io.BytesIO(to_npz(read(path))), allow_pickle=False)
    frame = Playback(read(path)).snapshots[-1].frames["lio"]
    assert len(frame.values) == int(frame.status) == arrays["lio_count"][-1]
    np.testing.assert_array_equal(frame.values, arrays["lio"][len(arrays["lio"]) - frame.status :])


def test_a_drive_with_points_replays_every_way(tmp_path):
    """Longer than ten seconds, so that a key within the drive is compared, too."""
    path = tmp_path / "a.kwj"
    env = DriveEnv(scene="senses_room", rig=RIG, time_limit_s=10.4, journal=path)
    result = run(env, make("random"), seed=4)
    env.close()
    assert len(list(read(path).of("key"))) == 2
    for through in ("agent", "frames", "asks"):
        again = replay(path, through)
        assert (again.same, again.fault, again.root) == (True, "", result.root), through


def test_a_record_holds_the_counted_rows_alone(tmp_path):
    path = tmp_path / "a.kwj"
    env = DriveEnv(scene="senses_room", rig=("lio",), journal=path, noise=False)
    env.reset(seed=1)
    counts = [int(env.step((0.0, 0.0))[0]["lio_count"][0]) for _ in range(5)]
    env.close()
    sizes = [len(item.payload) for item in read(path).of("frame")]
    assert counts[0] == counts[2] == 0 < counts[1]
    assert sizes == [12 + 4 + 12 * count for count in counts[1:]]


def payload(counts, rows, width=4, count=None):
    head = struct.pack(
        "<BBHiHH", SENSOR_KEYS.index("lio"), width, len(counts) if count is None else count,
        12, 12, 12,
    )  # fmt: skip
    body = b"".join(
        struct.pack("<i", n) + bytes(width * 3 * k) for n, k in zip(counts, rows, strict=True)
    )
    return Record(KINDS["frame"], head + body, 0)


@pytest.mark.parametrize(
    "record",
    [
        payload([5761], [5761]),
        payload([-1], [0]),
        payload([2**31 - 1], [1]),
        payload([3], [2]),
        payload([3], [4]),
        payload([3, 1], [3, 1], count=1),
        payload([3], [3], count=65535),
        payload([], [], count=1),
        payload([1], [1], width=3),
    ],
)
def test_counts_that_the_bytes_do_not_hold_are_refused(record):
    with pytest.raises((JournalError, struct.error)):
        read_frames(record)


def test_frames_of_a_record_are_found_by_their_counts():
    (frames,) = read_frames(payload([2, 0, 3], [2, 0, 3]))
    assert [len(frames.frame(i)) for i in (0, 1, 2, -1)] == [2, 0, 3, 3]
    assert frames.sampled.tolist() == [12, 24, 36]
    (narrow,) = read_frames(payload([1], [1], width=2))
    assert narrow.values.tolist() == [[0, 0, 0]]
