"""What an environment shows of its drive: snapshots for a window or a picture.

Reads a drive and never changes it. Pygame is imported when the first picture is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from .agent import Inputs
from .core import TICKS_PER_SECOND
from .layers import Layer
from .observation import Observation
from .rig import Rig
from .scene import Scene
from .shells import Shell
from .snapshot import SensorFrame, Snapshot
from .world import World

if TYPE_CHECKING:
    from .viewer import Canvas, Window

SIZE_PX = (960, 720)


class DriveView:
    """The window or canvas of one environment, and what an agent would like to see on it."""

    def __init__(self) -> None:
        self._drawn: tuple[Scene, Shell, Rig] | None = None
        self._frames: dict[str, SensorFrame] = {}
        self._layers: Callable[[], Sequence[Layer]] | tuple[Layer, ...] = ()
        self._decision: Mapping[str, object] = {}
        self._sentence = ""
        self._poses: NDArray[np.int32] = np.zeros((1, 3), np.int32)
        self._window: Window | None = None
        self._canvas: Canvas | None = None

    @property
    def window_closed(self) -> bool:
        """Whether a person has closed the window."""
        return self._window is not None and self._window.dismissed

    def begin(self, scene: Scene, shell: Shell, rig: Rig) -> None:
        """Start a drive; pictures of another scene or shell are dropped, and a window that is gone.

        So the next step opens another.
        """
        self._frames, self._layers, self._decision, self._sentence = {}, (), {}, ""
        if self._window is not None and self._window.closed:
            self._window = None
        if self._drawn == (scene, shell, rig):
            for view in (self._canvas, self._window):
                if view is not None:
                    view.forget()
        else:
            self._canvas = None
            if self._window is not None:
                self._window.close()
                self._window = None
        self._drawn = (scene, shell, rig)

    def keep_poses(self, observation: Observation) -> None:
        """Keep the poses of the last step."""
        self._poses = observation["pose"]

    def keep_frames(self, observation: Observation, rig: Rig) -> None:
        """Keep the newest frame of each sensor."""
        for sensor in rig:
            key = sensor.key
            ticks = observation[f"{key}_tick"]
            newest = int((ticks >= 0).sum()) - 1
            if newest >= 0:
                status = observation[sensor.card.status_key][newest]
                values = observation[key][newest]
                self._frames[key] = SensorFrame(
                    values=values[:status] if sensor.card.is_counted else values,
                    status=status,
                    tick=int(ticks[newest]),
                )

    def annotate(
        self,
        layers: Callable[[], Sequence[Layer]],
        decision: Mapping[str, object] | None,
        sentence: str,
    ) -> None:
        """Take what an agent decided and said, and whom to ask for layers when one looks."""
        self._layers, self._sentence = layers, sentence
        if decision is not None:
            self._decision = decision

    def inputs(self) -> Inputs:
        """Return what a person did at the window since the last call."""
        if self._window is None:
            return Inputs()
        return Inputs(
            held=self._window.held,
            axes=self._window.axes,
            buttons=self._window.buttons,
            drawn_path_m=self._window.take_path(),
            closed=self.window_closed,
        )

    def snapshot(self, world: World, *, has_goal: bool, layers: bool) -> Snapshot:
        """Return this moment of the drive."""
        if layers and callable(self._layers):
            self._layers = tuple(self._layers())
        report = world.report
        motion, goal = report.motion, report.goal
        poses = self._poses[: max(1, report.step_ticks)].astype(np.float64) * 1e-6
        return Snapshot(
            tick=report.tick,
            poses=poses,
            speed_mps=motion.speed_mps,
            steer_rad=motion.steer_rad,
            ask_speed_mps=report.ask.speed_dmmps * 1e-4,
            ask_steer_rad=report.ask.steer_urad * 1e-6,
            wheel_angles_rad=world.wheel_angles(motion.steer_rad),
            present=world.present(),
            goal_m=(goal.x_m, goal.y_m, goal.radius_m) if has_goal else None,
            contact_solid=report.contact_solid,
            clearance_m=report.clearance_m,
            frames=dict(self._frames),
            layers=() if callable(self._layers) else self._layers,
            decision=dict(self._decision),
            sentence=self._sentence,
            scene=self._subject()[0].name,
        )

    def show(self, snapshot: Snapshot, step_ticks: int) -> None:
        """Draw a step in the window, at the pace a person has chosen."""
        if self._window is None:
            from .viewer import Window  # noqa: PLC0415 - pygame only when drawing

            self._window = Window(*self._subject(), SIZE_PX)
        self._window.show(snapshot, step_ticks / TICKS_PER_SECOND)

    def pass_by(self, snapshot: Callable[[], Snapshot]) -> None:
        """Let a canvas remember a step that is not drawn: its trail and its beams' poses."""
        if self._canvas is not None:
            self._canvas.take(snapshot())

    def hold(self, snapshot: Snapshot) -> None:
        """Keep the window's last picture until a person closes it."""
        if self._window is not None and not self._window.closed:
            self._window.hold(snapshot)

    def picture(self, snapshot: Snapshot) -> NDArray[np.uint8]:
        """Return the same picture without a window, (h, w, 3) uint8."""
        if self._canvas is None:
            from .viewer import Canvas  # noqa: PLC0415 - pygame only when drawing

            self._canvas = Canvas(*self._subject(), SIZE_PX)
        return self._canvas.draw(snapshot)

    def close(self) -> None:
        """Close the window; twice is fine."""
        if self._window is not None:
            self._window.close()
        self._window = self._canvas = None

    def _subject(self) -> tuple[Scene, Shell, Rig]:
        if self._drawn is None:
            raise ResetNeeded("nothing to draw yet: call reset() first")
        return self._drawn

    def __getstate__(self) -> dict[str, object]:
        # layers that nobody has looked at are the agent's, and a copy has none
        layers = () if callable(self._layers) else self._layers
        return {**self.__dict__, "_window": None, "_canvas": None, "_layers": layers}
