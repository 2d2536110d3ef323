"""What a runner, a viewer and a benchmark may ask of an environment's drive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from .agent import Inputs
from .drive import Drive, DriveSetup, make_world
from .layers import Layer
from .observation import Layout, Observation
from .progress import straight_to_go_m
from .recording import Recording
from .rig import Rig
from .scene import Scene
from .shells import Shell, Steering
from .snapshot import Snapshot
from .verdicts import is_honest
from .view import DriveView
from .world import World


class DriveAccess(gym.Env[Observation, Any]):
    """A drive as others see it; `DriveEnv` adds how it is reset and stepped."""

    _setup: DriveSetup
    _drive: Drive
    _layout: Layout
    _world: World | None
    _view: DriveView
    _recording: Recording | None
    _verdict: str

    @property
    def scene(self) -> Scene:
        """Scene of this drive."""
        return self._drive.scene

    @property
    def shell(self) -> Shell:
        """Shell of this drive."""
        return self._drive.shell

    @property
    def steering(self) -> Steering:
        """How fast the steer angle may move."""
        return self._setup.steering

    @property
    def rig(self) -> Rig:
        """Sensors on the shell."""
        return self._setup.rig

    @property
    def ticks_per_step(self) -> int:
        """Ticks of one step."""
        return self._setup.ticks_per_step

    @property
    def units(self) -> dict[str, str]:
        """Unit of each entry of an observation."""
        return self._layout.units()

    @property
    def verdict(self) -> str:
        """Verdict of the drive, empty until its end."""
        return self._verdict

    @property
    def window_closed(self) -> bool:
        """Whether a person has closed the window."""
        return self._view.window_closed

    @property
    def claims(self) -> bool:
        """Whether actions carry claims."""
        return self._setup.claims

    def declarations(self) -> dict[str, Any]:
        """Return what an agent builds itself from."""
        return {
            "shell": self.shell,
            "steering": self.steering,
            "rig": self.rig,
            "ticks_per_step": self.ticks_per_step,
        }

    def blank_world(self) -> World:
        """Return a world of this drive's declarations that saved states can be loaded into."""
        return make_world(self._setup, self._drive, record=False)

    def totals(self) -> dict[str, Any]:
        """Return `tick`, `length_m`, `contact_ticks`, `min_clearance_m` of the drive so far."""
        report = self._require_world().report
        return {
            "tick": report.tick,
            "length_m": report.length_m,
            "contact_ticks": report.contact_ticks,
            "min_clearance_m": report.min_clearance_m,
        }

    def judge(
        self, verdict: str, gap_m: float | None = None, rooms: int | None = None
    ) -> bool | None:
        """Return whether a verdict is so; None for one on the agent, or without a truth.

        A scene's truth is of its own start and goals: where a reset has chosen others, only
        whether the shell is at its goal is known.
        """
        at_goal = self._is_at_goal()
        if self._drive.options and verdict != "at_goal":
            return None
        return is_honest(self.scene, verdict, at_goal=at_goal, gap_m=gap_m, rooms=rooms)

    def shortest_m(self) -> float | None:
        """Return the shortest way from the start past all goals, metres; None without goals."""
        place = self._drive.start_centre_m
        total_m = 0.0
        for goal in self._drive.goals:
            way = self._drive.way_to((goal[0], goal[1]))
            total_m += max(0.0, way.length_m(*place) - goal[2])
            place = (goal[0], goal[1])
        return total_m if self._drive.goals else None

    def record(
        self,
        agent: str,
        agent_options: Mapping[str, Any],
        *,
        journal: str | Path | None = None,
    ) -> None:
        """Record the drives to come, in the journal's file where there is one, and name the agent.

        Parameters
        ----------
        agent : str
            Its registered name or `module:Class`; empty where it has none.
        agent_options : mapping
            What it was built with.
        journal : str or Path, optional
            A file to record in from now on.
        """
        if self._recording is None or journal is not None:
            self._finish_record()
            self._recording = Recording(journal)
        self._recording.of_agent(agent, agent_options)

    def note(self, kind: str, content: Mapping[str, Any]) -> None:
        """Write what an agent decided into the record: `decision`, `plan` or `switch`."""
        if self._recording is not None:
            self._recording.note(kind, content)

    def conclude(self, verdict: Mapping[str, Any]) -> str:
        """End the record with the verdict as the agent gave it, and return the drive's root."""
        if self._recording is None:
            return ""
        return self._recording.finish(verdict, self._require_world().report.tick)

    def annotate(
        self,
        *,
        layers: Callable[[], Sequence[Layer]],
        decision: Mapping[str, object] | None = None,
        sentence: str = "",
    ) -> None:
        """Hand over what an agent would like to see drawn and said.

        Parameters
        ----------
        layers : callable
            Returns what to draw; called when somebody looks, at most once a step.
        decision : mapping
            As it goes into the record; without one the last stays.
        sentence : str
            For people.
        """
        self._view.annotate(layers, decision, sentence)

    def inputs(self) -> Inputs:
        """Return what a person did at the window since the last call."""
        return self._view.inputs()

    def hold(self) -> None:
        """Keep the window's last picture until a person closes it."""
        self._view.hold(self.snapshot())

    def snapshot(self, *, layers: bool = True) -> Snapshot:
        """Return this moment of the drive for a viewer, with the agent's layers or without."""
        has_goal = bool(self._drive.goals)
        return self._view.snapshot(self._require_world(), has_goal=has_goal, layers=layers)

    def _require_world(self) -> World:
        if self._world is None:
            raise gym.error.ResetNeeded("there is no drive yet: call reset() first")
        return self._world

    def _finish_record(self) -> None:
        """End the record of a drive that nobody concluded."""
        if self._recording is not None and self._world is not None:
            self._recording.finish({"verdict": self._verdict}, self._world.report.tick)

    def _is_at_goal(self) -> bool:
        """Whether the body's centre rests within the last goal, all others visited."""
        report = self._require_world().report
        if report.motion.speed_mps != 0.0 or report.goal_index < len(self._drive.goals) - 1:
            return False
        return bool(self._drive.goals) and straight_to_go_m(report) <= report.goal.radius_m
