"""The window: shows each step in the time that it took, and listens all the while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..grids import TICKS_PER_SECOND
from ..snapshot import Snapshot
from .canvas import SIZE_PX, checked_size
from .keys import ON_PICTURE
from .state import ViewState

if TYPE_CHECKING:
    from ..rig import Rig
    from ..scene import Scene
    from ..shells import Shell

FRAME_S = 1 / 60
IDLE_FRAME_S = 1 / 30
CATCH_UP_S = 0.1


class Window:
    """A window on one drive. It only reads snapshots, so it can change nothing.

    Parameters
    ----------
    scene, shell, rig
        What the drive is made of.
    size : (width, height)
        Of the window at first, px.

    Raises
    ------
    NoDisplayError
        If there is no display.
    DependencyNotInstalled
        If pygame is missing, or there twice.
    """

    def __init__(
        self, scene: Scene, shell: Shell, rig: Rig, size: tuple[int, int] = SIZE_PX
    ) -> None:
        from .controls import Controls  # noqa: PLC0415 - pygame is imported when one opens
        from .gamepad import Gamepad  # noqa: PLC0415
        from .painter import Painter  # noqa: PLC0415
        from .screen import Screen  # noqa: PLC0415
        from .text import plain  # noqa: PLC0415

        size = checked_size(size)
        self._state = ViewState()
        self._painter = Painter(scene, shell, rig, size)
        self._screen = Screen(size, f"{plain(scene.title or scene.name)} - Kinewright")
        self._gamepad = Gamepad()
        self._controls = Controls(self._painter, self._state, self._gamepad)
        self._looked_s = time.perf_counter()
        self._frame_due_s = 0.0

    @property
    def closed(self) -> bool:
        """Whether the window is gone."""
        return not self._screen.open

    @property
    def dismissed(self) -> bool:
        """Whether a person has closed the window; one that a newer took over was not."""
        return self._controls.close_asked

    @property
    def held(self) -> frozenset[str]:
        """Names of the driving keys that are down, or were pressed during the last step."""
        return self._controls.held

    @property
    def axes(self) -> tuple[int, int]:
        """How far a gamepad's stick is pushed forward and to the left, thousandths."""
        return self._gamepad.axes

    @property
    def buttons(self) -> frozenset[str]:
        """Names of the gamepad's buttons that are down, or were pressed during the last step."""
        return self._gamepad.buttons

    def take_path(self) -> tuple[tuple[float, float], ...] | None:
        """Return a path that a person has drawn, metres in `map`, once."""
        return self._controls.take_path()

    def forget(self) -> None:
        """Begin a new drive of the same scene: the trail ends; what was chosen stays."""
        self._painter.forget()

    def show(self, snapshot: Snapshot, step_s: float) -> None:
        """Show the ticks of a step at real time times the speed that was chosen.

        Returns when the step's time is over; while paused, when a person goes on, asks for
        a single step or closes the window. Frames that come too late are left out.

        Parameters
        ----------
        snapshot : Snapshot
            The drive after the step.
        step_s : float
            How long the step took in the drive, s.
        """
        if self.closed:
            return
        self._painter.track.take(snapshot)
        self._controls.begin_step()
        self._pump()
        shown_s = step_s if self._state.paused else self._passed_s()
        while not self.closed:
            if self._state.paused:
                if self._controls.steps_asked > 0:
                    self._controls.steps_asked -= 1
                    if shown_s >= step_s:
                        break
                    shown_s = step_s
            elif shown_s >= step_s:
                break
            self._draw_if_due(shown_s, step_s)
            shown_s = self._wait(shown_s, step_s)
        # What was waited too long is the next step's.
        self._looked_s -= max(shown_s - step_s, 0.0) / self._state.speed_factor
        self._draw_if_due(step_s, step_s)

    def hold(self, snapshot: Snapshot) -> None:
        """Keep the last picture until a person presses a key or closes the window.

        Returns at once where nobody can: under a driver that shows nothing.
        """
        if self.closed:
            return
        self._painter.track.take(snapshot)
        self._state.ended = True
        self._controls.pressed.clear()
        while not self.closed:
            self._draw(None)
            self._pump()
            if not self._screen.attended or self._controls.pressed - ON_PICTURE:
                break
            self._controls.pressed.clear()
            time.sleep(IDLE_FRAME_S)
        self._state.ended = self._state.paused = False

    def close(self) -> None:
        """Close the window; twice is fine."""
        if self._screen.open:
            self._gamepad.close()
        self._screen.close()

    def _passed_s(self) -> float:
        """Return how much of the drive's time has passed since the last call.

        Of a long absence little is made good: no race after a long thought.
        """
        now_s = time.perf_counter()
        passed_s = min(now_s - self._looked_s, CATCH_UP_S)
        self._looked_s = now_s
        return passed_s * self._state.speed_factor

    def _wait(self, shown_s: float, step_s: float) -> float:
        """Sleep to the next frame or the step's end, listen, and return what is now shown."""
        if self._state.paused:
            time.sleep(IDLE_FRAME_S)
            self._pump()
            self._passed_s()
            return shown_s
        left_s = (step_s - shown_s) / self._state.speed_factor
        until_s = min(self._looked_s + left_s, self._frame_due_s)
        time.sleep(max(until_s - time.perf_counter(), 0.0))
        self._pump()
        return shown_s + self._passed_s()

    def _pump(self) -> None:
        """Act on everything that has happened."""
        for event in self._screen.events():
            self._controls.handle(event)
        self._controls.expire()
        if self._controls.close_asked:
            self.close()

    def _draw_if_due(self, shown_s: float, step_s: float) -> None:
        """Draw what is to be seen, unless the last frame is hardly older than this one."""
        if time.perf_counter() < self._frame_due_s - FRAME_S / 4:
            return
        ticks = self._painter.track.ticks()
        done = shown_s >= step_s
        self._draw(None if done else ticks[0] + int(shown_s * TICKS_PER_SECOND))

    def _draw(self, tick: int | None) -> None:
        begin_s = time.perf_counter()
        if self._screen.visible:
            self._painter.draw(self._painter.track.moment(tick), self._state)
            self._screen.show(self._painter.surface)
        end_s = time.perf_counter()
        # A slow screen gets fewer frames: at most half of the time is spent on drawing.
        self._frame_due_s = max(begin_s + FRAME_S, end_s + (end_s - begin_s))
