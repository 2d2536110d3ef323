"""What a belief makes of drives: walls that hold, changes that are seen, real recordings."""

import itertools
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from kinewright_env.grids import Belief, PoseRing
from kinewright_env.rig import make_rig
from kinewright_env.scene import Scene
from kinewright_env.shells import SHELLS

CELL_M = 0.02
INTEL = Path(__file__).resolve().parents[3] / "shared/data/lidar/intel2d.npz"


def room(width_m: float = 6.0, height_m: float = 4.0, **solids: Any) -> Scene:
    """A room with walls 0.05 m thick around (0, 0) to its width and height."""
    corners = [(0.0, 0.0), (width_m, 0.0), (width_m, height_m), (0.0, height_m), (0.0, 0.0)]
    walls = [
        {"name": f"wall {i}", "from": list(a), "to": list(b), "thickness": 0.05, "height": 0.4}
        for i, (a, b) in enumerate(itertools.pairwise(corners))
    ]
    return Scene.from_dict(
        {
            "format": 1,
            "name": "room",
            "title": "A room",
            "time_limit_s": 600.0,
            "start": {"x": 1.5, "y": 1.0},
            "wall": walls,
            **solids,
        }
    )


def make(scene: Scene | str, seed: int = 1, **options: Any) -> tuple[Any, Any, Belief]:
    options = {"rig": "scan", "time_limit_s": 1e4, **options}
    env = gym.make("Kinewright/Drive-v0", scene=scene, **options)
    obs, info = env.reset(seed=seed)
    told = info["declarations"]
    return env, obs, Belief(told["shell"], told["rig"], told["ticks_per_step"])


def lap(env: Any, belief: Belief, obs: Any, n_steps: int, speed: float = 0.4):
    """Drive round the room's middle, handing over each observation; yield after each scan."""
    turns = [(4.5, 1.0), (4.5, 3.0), (1.5, 3.0), (1.5, 1.0)]
    at = 0
    for _ in range(n_steps):
        x, y, heading = obs["pose"][-1] / 1e6
        if abs(complex(turns[at][0] - x, turns[at][1] - y)) < 0.3:
            at = (at + 1) % 4
        off = np.angle(complex(turns[at][0] - x, turns[at][1] - y) * np.exp(-1j * heading))
        obs, *_ = env.step(np.array([speed, np.clip(2 * off, -0.41, 0.41)], np.float32))
        if belief.observe(obs):
            yield obs


def cells_within(belief: Belief, x_m: float, y_m: float, radius_m: float) -> np.ndarray:
    n = round(2 * radius_m / CELL_M) + 1
    return belief.window(round((y_m - radius_m) / CELL_M), round((x_m - radius_m) / CELL_M), n, n)


def is_closed_in(belief: Belief, x_m: float, y_m: float) -> bool:
    """Whether no way over sides of cells that are not occupied leads out of the box around."""
    ndimage = pytest.importorskip("scipy.ndimage")
    box = belief.observed
    cells = belief.window(box.row0 - 1, box.col0 - 1, box.n_rows + 2, box.n_cols + 2)
    labels, _ = ndimage.label(cells != 2)
    return bool(
        labels[int(y_m / CELL_M) - box.row0 + 1, int(x_m / CELL_M) - box.col0 + 1] != labels[0, 0]
    )


def test_a_thousand_noisy_scans_of_a_moving_shell_open_no_gap_and_keep_a_thin_post() -> None:
    post = {"name": "post", "center": [3.0, 2.0], "radius": 0.02, "height": 0.4}
    env, obs, belief = make(room(post=[post]))
    closed = []
    for k, now in enumerate(lap(env, belief, obs, 2010)):
        assert not belief.rebuild
        if k >= 300 and k % 20 == 0:  # three laps
            x, y, _ = now["pose"][-1] / 1e6
            closed.append(is_closed_in(belief, x, y))
            assert (cells_within(belief, 3.0, 2.0, 0.03) == 2).any()
    assert belief.scans >= 1000
    assert all(closed)
    box = belief.observed
    detail = belief.details(box.row0, box.col0, box.n_rows, box.n_cols)
    middle = belief.window(50, 50, 100, 200)  # 1 m off the walls
    assert ((middle == 2).sum(), (middle == 0).sum()) <= (12, 10)
    # the wall is where it is: its face within 3 cells
    occupied = np.argwhere((detail & 3) == 3)
    rows, cols = occupied[:, 0] + box.row0, occupied[:, 1] + box.col0
    off = np.minimum.reduce([abs(rows), abs(rows - 200), abs(cols), abs(cols - 300)])
    assert np.median(off) <= 2


def scans_of(scene: Scene, n: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    env, obs, _ = make(scene, seed)
    found = []
    while len(found) < n:
        obs, *_ = env.step(np.zeros(2, np.float32))
        if obs["scan_tick"][0] >= 0:
            found.append((obs["scan"][0], obs["scan_status"][0]))
    return found


class Watched:
    """A belief at rest before a place, and what each scan does to the confidences there."""

    def __init__(self) -> None:
        self.belief = Belief(SHELLS["four_wheel_steer"], make_rig("scan"))
        self.poses = np.tile(np.array([1_500_000, 1_000_000, 0], np.int32), (20, 1))
        self.tick = 0

    def confidences(self) -> np.ndarray:
        return np.array(
            [[self.belief.confidence(r, c) for c in range(138, 163)] for r in range(38, 63)]
        )

    def see(self, scan: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        self.tick += 20
        self.belief.scan(self.poses, *scan, self.tick)
        return self.confidences()


@pytest.mark.parametrize("seed", range(10))
def test_a_solid_appears_within_three_scans_and_vanishes_within_nine(seed: int) -> None:
    """Counted in scans with a ray that ends in the cell, or that passes it."""
    box = {"name": "box", "center": [3.0, 1.0], "size": [0.3, 0.3], "height": 0.4}
    without, with_box = scans_of(room(), 40, seed), scans_of(room(box=[box]), 40, seed + 50)
    at = Watched()
    for scan in without:
        before = at.see(scan)
    assert before.max() <= 0
    hits = np.zeros_like(before)
    scans = iter(with_box)
    n_scans = 0
    while not (before >= 9).any():
        n_scans += 1
        now = at.see(next(scans))
        hits += now > before
        before = now
    assert hits[before >= 9].min() <= 3
    assert n_scans <= 6  # and noise does not spread them over many more
    for scan in with_box:
        before = at.see(scan)
    occupied = before >= 9
    for scan in without[:9]:
        now = at.see(scan)
        assert (now[occupied] < before[occupied]).all()
        before = now
    assert not (before >= 9).any()
    for scan in without:
        at.see(scan)
    assert (at.belief.details(38, 138, 25, 25)[occupied] & 8).all()


def test_a_kidnap_raises_rebuild_and_nothing_else_does() -> None:
    env, obs, belief = make(room())
    for _ in lap(env, belief, obs, 900):
        assert not belief.rebuild
    assert belief.permanent_in_view > 50
    ranges, statuses = scans_of(room(), 3, 5)[-1]
    poses = np.tile(np.array([3_200_000, 2_700_000, 700_000], np.int32), (20, 1))
    belief.scan(poses, ranges, statuses, int(1e6))
    assert belief.rebuild


def test_poses_are_those_of_the_beams_own_ticks() -> None:
    """A quick turn smears nothing: a turning shell sees the walls where a standing one does."""
    found = []
    for speed, steer in ((0.0, 0.0), (0.4, 0.41)):
        env, obs, belief = make(room(), noise=False)
        for _ in range(300):
            obs, *_ = env.step(np.array([speed, steer], np.float32))
            belief.observe(obs)
        box = belief.observed
        cells = np.argwhere(belief.window(box.row0, box.col0, box.n_rows, box.n_cols) == 2)
        rows, cols = cells[:, 0] + box.row0, cells[:, 1] + box.col0
        # exact rays: the walls' inner faces at 0.025 m lie within cell 1, outer ones in 198, 298
        off = np.minimum.reduce([abs(rows - 1), abs(rows - 198), abs(cols - 1), abs(cols - 298)])
        found.append(off.max())
    assert found == [0, 0]


@pytest.mark.parametrize("ticks_per_step", [1, 7, 12, 40])
def test_frames_are_placed_alike_however_ticks_are_grouped(ticks_per_step: int) -> None:
    def cells(n_ticks: int) -> np.ndarray:
        env, obs, belief = make(room(), ticks_per_step=n_ticks)
        while obs["tick"][0] < 840:
            obs, *_ = env.step(np.array([0.4, 0.3], np.float32))
            belief.observe(obs)
        return belief.details(-10, -10, 230, 330) & 3

    assert (cells(ticks_per_step) == cells(20)).mean() > 0.999


def test_a_ring_gives_poses_by_tick() -> None:
    ring = PoseRing(16)

    def seen(tick: int, n_rows: int) -> dict[str, np.ndarray]:
        rows = np.arange(tick - n_rows + 1, tick + 1, dtype=np.int32)
        return {"tick": np.array([tick]), "pose": np.stack([rows, -rows, 0 * rows], axis=1)}

    ring.add({"tick": np.array([0]), "pose": np.zeros((5, 3), np.int32)})
    for tick in range(5, 200, 5):
        ring.add(seen(tick, 5))
        for first in range(max(tick - 15, 1), tick + 1):
            poses = ring.between(first, tick)
            assert poses is not None
            assert poses[:, 0].tolist() == list(range(first, tick + 1))
        assert ring.between(tick, tick + 1) is None
        assert ring.between(tick - 16, tick) is None


def test_a_ring_that_begins_on_the_way_knows_nothing_of_before() -> None:
    ring = PoseRing(16)
    ring.add({"tick": np.array([500]), "pose": np.ones((4, 3), np.int32)})
    assert ring.between(496, 500) is None
    poses = ring.between(497, 500)
    assert poses is not None
    assert poses.shape == (4, 3)


def test_bumpers_mark_with_certainty_and_near_senses_as_hits() -> None:
    box = {"name": "box", "center": [2.2, 1.0], "size": [0.3, 0.6], "height": 0.08}
    env, obs, belief = make(room(box=[box]), rig="grid,beam,bumpers")
    for _ in range(12):
        obs, *_ = env.step(np.array([0.3, 0.0], np.float32))
        belief.observe(obs)
    # 0.08 m is under the grid's plane: the beam alone hears it, from 0.30 m on
    assert (cells_within(belief, 2.05, 1.0, 0.04) == 2).any()
    while not obs["bumpers"][-1].all():
        obs, *_ = env.step(np.array([0.3, 0.0], np.float32))
        belief.observe(obs)
    x, y, _ = obs["pose"][-1] / 1e6
    assert belief.confidence(int((y + 0.106) / CELL_M), int((x + 0.18) / CELL_M)) == 17


def intel(poses: np.ndarray, data: Any) -> Belief:
    """A belief of the recording: 180 beams ahead, 0 where nothing came back."""
    rig = make_rig("scan").changed("scan", period_tick=1, range_max_m=20.0)
    belief = Belief(SHELLS["four_wheel_steer"], rig)
    beams = (np.arange(180) - 90) % 360
    for i, row in enumerate(data["range_cm"]):
        ranges, statuses = np.zeros(360, np.int32), np.zeros(360, np.int32)
        back = row < 2000
        ranges[beams[back]], statuses[beams[back]] = row[back].astype(np.int32) * 10, 1
        x, y, heading = poses[i]
        heading = (heading + np.pi) % (2 * np.pi) - np.pi
        pose = np.rint(np.array([[x, y, heading]]) * 1e6).astype(np.int32)
        belief.scan(pose, ranges, statuses, 400 * (i + 1))
    return belief


def test_corrected_poses_of_a_recording_give_a_crisper_plan_than_odometry() -> None:
    if not INTEL.exists():
        pytest.skip("no recordings beside the tree: ../shared/data/lidar is absent")
    with np.load(INTEL) as data:
        found = []
        for key in ("pose", "odom"):
            belief = intel(data[key], data)
            box = belief.observed
            cells = belief.window(box.row0, box.col0, box.n_rows, box.n_cols)
            found.append(((cells == 2).sum() / (cells == 1).sum(), belief.rooms().count))
    (corrected, n_rooms), (odometry, _) = found
    # where poses agree, hits fall on one another and make walls
    assert corrected > 20 * odometry, found
    assert corrected > 0.01
    assert n_rooms >= 3
