"""A recorded drive as snapshots for a viewer: from its records alone, nothing is run again."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from . import grids
from .core import TICKS_PER_SECOND, scene_core
from .errors import JournalError
from .frames import State, Step, steps
from .grids import wheel_angles
from .journal import Journal
from .rebuild import make_env
from .scene import Scene
from .shells import Shell
from .snapshot import SensorFrame, Snapshot
from .world import EVENT_NAMES

# Of the events, those that a person may look for in a drive.
MARKED = ("contact_begin", "change", "goal_change", "goal_reached")

Present = NDArray[np.bool_]


class Playback:
    """What a viewer needs of a recorded drive.

    Attributes
    ----------
    scene, shell, rig
        What the drive was made of.
    snapshots : list of Snapshot
        One a step, the reset first. Clearance and contact are computed of the recorded
        poses, which are whole micrometres.
    marks : list of (tick, name)
        Events that a person may look for.
    index : int
        Which snapshot is the present one.

    Raises
    ------
    JournalError
        If no step is whole, or the records don't fit the header.
    """

    def __init__(self, journal: Journal) -> None:
        env = make_env(journal)
        self.scene, self.shell, self.rig = env.scene, env.shell, env.rig
        recorded = steps(journal)
        if not recorded:
            raise JournalError(f"{journal.path}: no step is whole: {journal.fault}")
        self.marks = [
            (tick, name) for step in recorded for tick, name, _ in _events(step) if name in MARKED
        ]
        self.index = 0
        self.snapshots: list[Snapshot] = []
        present, frames = _present_at_start(self.scene), dict[str, SensorFrame]()
        decision = dict[str, object]()
        touching: set[int] = set()
        for step in recorded:
            present = _changed(self.scene, present, step)
            frames = {**frames, **_newest(step)}
            touched = _touch(touching, step)
            if step.state is not None:
                snapshot = self._snapshot(step, step.state, present, frames)
                self.snapshots.append(replace(snapshot, contact_solid=touched, decision=decision))
            decision = _decision(step) or decision  # it is in force on the step that follows
        self._find_contacts()
        sentence = _sentence(journal)
        self.snapshots[-1] = replace(self.snapshots[-1], sentence=sentence, decision=decision)

    @property
    def end_tick(self) -> int:
        """Last tick of the record."""
        return self.snapshots[-1].tick

    def snapshot(self, *, layers: bool = True) -> Snapshot:
        """Return the present moment; no layers are recorded."""
        return self.snapshots[self.index]

    def _snapshot(
        self, step: Step, state: State, present: Present, frames: dict[str, SensorFrame]
    ) -> Snapshot:
        scalars = state.scalars
        steer_rad = scalars["steer"] * 1e-6
        _, speed_dmmps, steer_urad, _ = step.ask or (0, 0, 0, 0)
        goal = (scalars["goal_x"] * 1e-6, scalars["goal_y"] * 1e-6, scalars["goal_radius"] * 1e-6)
        return Snapshot(
            tick=state.tick,
            poses=state.poses.astype(np.float64) * 1e-6,
            speed_mps=scalars["speed"] * 1e-3,
            steer_rad=steer_rad,
            ask_speed_mps=speed_dmmps * 1e-4,
            ask_steer_rad=steer_urad * 1e-6,
            wheel_angles_rad=wheel_angles(self.shell, steer_rad),
            present=present,
            goal_m=goal if scalars["has_goal"] else None,
            contact_solid=-1,
            clearance_m=0.0,
            frames=frames,
            scene=self.scene.name,
        )

    def _find_contacts(self) -> None:
        """Fill in clearance and contact, for all steps with the same solids at once."""
        groups: dict[bytes, list[int]] = {}
        for at, snapshot in enumerate(self.snapshots):
            groups.setdefault(snapshot.present.tobytes(), []).append(at)
        for places in groups.values():
            present = self.snapshots[places[0]].present
            there = np.flatnonzero(present)
            core = scene_core(_with_only(self.scene, present))
            poses = np.concatenate([self.snapshots[at].poses for at in places])
            rows = core.clearance(
                self.shell.length_m, self.shell.width_m, _centres(self.shell, poses)
            )
            lengths = [len(self.snapshots[at].poses) for at in places]
            parts = [np.split(row, np.cumsum(lengths)[:-1]) for row in rows]
            for at, clearances_m, depths_m, solids in zip(places, *parts, strict=True):
                deepest = int(depths_m.argmax())
                touched = self.snapshots[at].contact_solid
                if depths_m[deepest] > 0.0:
                    touched = int(there[solids[deepest]])
                self.snapshots[at] = replace(
                    self.snapshots[at],
                    clearance_m=float(clearances_m.min()) if touched < 0 else 0.0,
                    contact_solid=touched,
                )


def _centres(shell: Shell, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the body's centres (n, 3) for poses (n, 3) of `base_link`."""
    centres = poses.copy()
    centres[:, 0] += shell.body_ahead_m * grids.cos(poses[:, 2])
    centres[:, 1] += shell.body_ahead_m * grids.sin(poses[:, 2])
    return centres


def _events(step: Step) -> list[tuple[int, str, int]]:
    """Return tick, name and detail of the events of a step, unknown ones left out."""
    return [
        (tick, EVENT_NAMES[name], detail)
        for tick, name, detail in step.events
        if name < len(EVENT_NAMES)
    ]


def _decision(step: Step) -> dict[str, object]:
    """Return what an agent decided on a step, nothing where it told nothing."""
    for kind, content in reversed(step.told):
        if kind == "decision":
            decision = json.loads(content)
            return decision if isinstance(decision, dict) else {}
    return {}


def _present_at_start(scene: Scene) -> Present:
    absent = scene.absent_at_start()
    return np.array([solid.name not in absent for solid in scene.solids], np.bool_)


def _changed(scene: Scene, before: Present, step: Step) -> Present:
    """Return which solids are there after a step."""
    after = before
    for tick, name, detail in _events(step):
        if name != "change":
            continue
        if not 0 <= detail < len(scene.changes):
            raise JournalError(f"event on tick {tick}: the scene has no change {detail}")
        change = scene.changes[detail]
        named = np.array([solid.name == change.solid for solid in scene.solids], np.bool_)
        after = np.where(named, change.action == "appear", after)
    return after


def _touch(touching: set[int], step: Step) -> int:
    """Follow contacts through a step, and return one that was there during it, else -1."""
    during = set(touching)
    for _, name, solid in _events(step):
        if name == "contact_begin":
            touching.add(solid)
            during.add(solid)
        elif name == "contact_end":
            touching.discard(solid)
    return max(during, default=-1)


def _with_only(scene: Scene, present: Present) -> Scene:
    """Return the scene with only those solids, and none that changes."""
    kept = {solid.name for solid, there in zip(scene.solids, present, strict=True) if there}
    return replace(
        scene,
        walls=tuple(solid for solid in scene.walls if solid.name in kept),
        boxes=tuple(solid for solid in scene.boxes if solid.name in kept),
        posts=tuple(solid for solid in scene.posts if solid.name in kept),
        changes=(),
    )


def _newest(step: Step) -> dict[str, SensorFrame]:
    return {
        frames.key: SensorFrame(
            values=frames.frame(-1), status=frames.statuses[-1], tick=int(frames.sampled[-1])
        )
        for frames in step.frames
        if len(frames.sampled)
    }


def _sentence(journal: Journal) -> str:
    """Return what was said at the end, or why there is none."""
    for item in journal.of("verdict"):
        said = json.loads(item.payload)
        sentence = said.get("sentence") or said.get("error") if isinstance(said, dict) else ""
        return str(sentence or "The drive ended.")
    state = next(iter(reversed(list(journal.of("state")))))
    time_s = int.from_bytes(state.payload[:4], "little") / TICKS_PER_SECOND
    return f"The record was cut after {time_s:.1f} s."
