"""What a viewer remembers between snapshots: poses by tick, the trail, the frames that arrived."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..snapshot import SensorFrame, Snapshot

if TYPE_CHECKING:
    from ..rig import Sensor

Pose = tuple[float, float, float]

TRAIL_STEP_M = 0.01
TRAIL_POINTS = 4000
# No shell runs this far in a tick: further apart, the shell was set down elsewhere.
JUMP_M = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What is shown at one tick: the present of a snapshot, or a tick on the way to it."""

    snapshot: Snapshot
    tick: int
    pose: Pose
    speed_mps: float
    steer_rad: float
    wheel_angles_rad: tuple[float, ...]
    frames: Mapping[str, SensorFrame]


@dataclass(frozen=True, slots=True)
class TrailPoint:
    """Where the pivot was at a tick; `joined` is false where the way to here is unknown."""

    tick: int
    x_m: float
    y_m: float
    joined: bool


@dataclass(slots=True)
class Trail:
    """Where the pivot has been, at most `TRAIL_POINTS` points.

    When full, the older half is thinned to every other point, so a long drive keeps its
    whole trail in bounded memory.
    """

    points: list[TrailPoint] = field(default_factory=list)

    def add(self, point: TrailPoint) -> None:
        """Add a point, unless it lies hardly further than the last one."""
        if self.points and point.joined:
            last = self.points[-1]
            if math.hypot(point.x_m - last.x_m, point.y_m - last.y_m) < TRAIL_STEP_M:
                return
        self.points.append(point)
        if len(self.points) > TRAIL_POINTS:
            half = TRAIL_POINTS // 2
            self.points = [self.points[0], *self._thinned(half), *self.points[half + 1 :]]

    def _thinned(self, half: int) -> Iterable[TrailPoint]:
        """Yield every other point up to `half`, joined where the one left out was, too."""
        for left_out, kept in zip(
            self.points[1:half:2], self.points[2 : half + 1 : 2], strict=True
        ):
            yield replace(kept, joined=kept.joined and left_out.joined)


class Track:
    """Takes snapshots in order and tells what to show at each of their ticks.

    Parameters
    ----------
    sensors : sequence of Sensor
        How late their frames arrive, and how far back their oldest samples lie.
    """

    def __init__(self, sensors: Sequence[Sensor]) -> None:
        self._latency_ticks = {sensor.key: sensor.latency_tick for sensor in sensors}
        self._keep_ticks = max((2 * s.period_tick + s.latency_tick for s in sensors), default=1)
        self.clear()

    def clear(self) -> None:
        """Forget everything: a new drive begins."""
        self.trail = Trail()
        self._poses: dict[int, Pose] = {}
        self._before: Snapshot | None = None
        self._now: Snapshot | None = None

    def pose_at(self, tick: int) -> Pose | None:
        """Return where `base_link` was at a recent tick; none where nobody looked."""
        return self._poses.get(tick)

    def take(self, snapshot: Snapshot) -> None:
        """Take the next snapshot; one that is not later than the last begins a new drive."""
        if snapshot is self._now:
            return
        poses: list[list[float]] = snapshot.poses.tolist()
        last: Pose = (poses[-1][0], poses[-1][1], poses[-1][2])
        now = self._now
        if now is not None and snapshot.tick == now.tick and self.pose_at(now.tick) == last:
            self._now = snapshot
            return
        if now is not None and snapshot.tick <= now.tick:
            self.clear()
        self._before, self._now = self._now, snapshot
        first_tick = snapshot.tick - len(poses) + 1
        known = next(reversed(self._poses), -1)
        for row, (x_m, y_m, heading_rad) in enumerate(poses):
            tick = first_tick + row
            if tick > known and tick >= 0:
                self._remember(tick, (x_m, y_m, heading_rad))

    def trail_of(self, snapshots: Iterable[Snapshot]) -> Trail:
        """Return the trail of a whole drive, and forget the drive."""
        self.clear()
        for snapshot in snapshots:
            self.take(snapshot)
        trail = self.trail
        self.clear()
        return trail

    def jump(self, snapshots: Sequence[Snapshot], index: int, trail: Trail) -> None:
        """Take one snapshot of a whole drive, with as many before it as frames reach back.

        `trail` is that of the whole drive; a moment's tick tells how much of it to draw.
        """
        self.clear()
        first = index
        while first > 0 and snapshots[index].tick - snapshots[first].tick <= self._keep_ticks:
            first -= 1
        for snapshot in snapshots[first : index + 1]:
            self.take(snapshot)
        self.trail = trail

    def _remember(self, tick: int, pose: Pose) -> None:
        before = self._poses.get(tick - 1)
        joined = before is not None and math.dist(before[:2], pose[:2]) < JUMP_M
        self.trail.add(TrailPoint(tick, pose[0], pose[1], joined))
        self._poses[tick] = pose
        keep = self._keep_ticks + (len(self._now.poses) if self._now is not None else 0)
        while len(self._poses) > keep:
            del self._poses[next(iter(self._poses))]

    def ticks(self) -> range:
        """Return the ticks of the present step, those that can be shown."""
        now = self._present()
        known = -1 if self._before is None else self._before.tick
        return range(max(now.tick - len(now.poses), known) + 1, now.tick + 1)

    def moment(self, tick: int | None = None) -> Moment:
        """Return what to show at a tick of the present step, by default at its end.

        Between two snapshots that follow each other, speed and steer are interpolated; a
        frame shows from the tick on which it arrives.
        """
        now, before = self._present(), self._before
        ticks = self.ticks()
        at = now.tick if tick is None else min(max(tick, ticks[0]), ticks[-1])
        share = 1.0
        if before is None or before.tick != ticks[0] - 1:
            before = now
        else:
            share = (at - before.tick) / (now.tick - before.tick)
        return Moment(
            snapshot=now,
            tick=at,
            pose=self._poses[at],
            speed_mps=_between(before.speed_mps, now.speed_mps, share),
            steer_rad=_between(before.steer_rad, now.steer_rad, share),
            wheel_angles_rad=tuple(
                _between(a, b, share)
                for a, b in zip(before.wheel_angles_rad, now.wheel_angles_rad, strict=True)
            ),
            frames=dict(self._arrived(now.frames, before.frames, at)),
        )

    def _present(self) -> Snapshot:
        if self._now is None:
            raise RuntimeError("a viewer shows nothing before its first snapshot")
        return self._now

    def _arrived(
        self,
        frames: Mapping[str, SensorFrame],
        earlier: Mapping[str, SensorFrame],
        tick: int,
    ) -> Iterable[tuple[str, SensorFrame]]:
        for key, frame in frames.items():
            if frame.tick + self._latency_ticks.get(key, 0) <= tick:
                yield key, frame
            elif key in earlier:
                yield key, earlier[key]


def _between(a: float, b: float, share: float) -> float:
    return b if share >= 1.0 else a + (b - a) * share
