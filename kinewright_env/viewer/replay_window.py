"""The window on a recorded drive: plays it, steps through it, jumps about in it."""

from __future__ import annotations

import time
from bisect import bisect_left
from typing import TYPE_CHECKING

from ..grids import TICKS_PER_SECOND
from .canvas import SIZE_PX, checked_size
from .keys import REPLAY_BACK, REPLAY_BEGIN, REPLAY_END, REPLAY_IGNORED, REPLAY_ON, REPLAY_TABLE
from .state import ViewState
from .window import CATCH_UP_S, FRAME_S

if TYPE_CHECKING:
    from ..playback import Playback
    from .pygame_loader import pygame


class ReplayWindow:
    """A window on a recorded drive, with a time bar.

    Parameters
    ----------
    playback : Playback
        The drive.
    size : (width, height)
        Of the window at first, px.

    Attributes
    ----------
    tick : float
        What is shown, between ticks while it plays.

    Raises
    ------
    NoDisplayError
        If there is no display.
    DependencyNotInstalled
        If pygame is missing, or there twice.
    """

    def __init__(self, playback: Playback, size: tuple[int, int] = SIZE_PX) -> None:
        from .controls import Controls  # noqa: PLC0415 - pygame is imported when one opens
        from .painter import Painter  # noqa: PLC0415
        from .pygame_loader import pygame  # noqa: PLC0415
        from .screen import Screen  # noqa: PLC0415
        from .text import plain  # noqa: PLC0415
        from .time_bar import BAR_HEIGHT_PX, TimeBar  # noqa: PLC0415

        size = checked_size(size)
        scene = playback.scene
        self._snapshots = playback.snapshots
        self._ticks = [snapshot.tick for snapshot in playback.snapshots]
        self._bar_px = BAR_HEIGHT_PX
        self._state = ViewState(key_table=REPLAY_TABLE)
        self._painter = Painter(scene, playback.shell, playback.rig, self._map_size(size))
        self._trail = self._painter.track.trail_of(playback.snapshots)
        self._screen = Screen(size, f"{plain(scene.title or scene.name)} - recorded - Kinewright")
        self._controls = Controls(self._painter, self._state)
        self._bar = TimeBar(playback.end_tick, playback.marks)
        self._pygame = pygame
        self._surface = pygame.Surface(size, 0, 32)
        self._scrubbing = False
        self._shown = -1
        self.tick = 0.0

    @property
    def closed(self) -> bool:
        """Whether the window is gone."""
        return not self._screen.open

    @property
    def paused(self) -> bool:
        """Whether it stands still."""
        return self._state.paused

    def run(self) -> None:
        """Show the drive until a person closes the window.

        Returns at the end of the drive where nobody can: under a driver that shows nothing.
        """
        looked_s = time.perf_counter()
        while not self.closed:
            begin_s = time.perf_counter()
            self.pump()
            self.advance(min(begin_s - looked_s, CATCH_UP_S))
            looked_s = begin_s
            self.draw()
            if not self._screen.attended and self.tick >= self._ticks[-1]:
                self.close()
            end_s = time.perf_counter()
            # at most half of the time is spent on drawing
            time.sleep(max(begin_s + FRAME_S - end_s, min(end_s - begin_s, 0.1)))

    def advance(self, passed_s: float) -> None:
        """Play on for some time of the clock, unless paused or held by the bar."""
        if self._state.paused or self._scrubbing:
            return
        self.tick += passed_s * self._state.speed_factor * TICKS_PER_SECOND
        if self.tick >= self._ticks[-1]:
            self.tick = float(self._ticks[-1])
            self._state.paused = self._screen.attended

    def seek(self, tick: int) -> None:
        """Show a tick, or the nearer end."""
        self.tick = float(min(max(tick, self._ticks[0]), self._ticks[-1]))

    def pump(self) -> None:
        """Act on everything that has happened."""
        for event in self._screen.events():
            self._handle(event)
        self._controls.expire()
        while self._controls.steps_asked > 0:
            self._controls.steps_asked -= 1
            self._step(+1)
        if self._controls.close_asked:
            self.close()

    def draw(self) -> None:
        """Draw what is to be seen."""
        if not self._screen.visible:
            return
        tick = int(self.tick)
        self._show(tick)
        self._painter.draw(self._painter.track.moment(tick), self._state)
        self._surface.blit(self._painter.surface, (0, 0))
        self._bar.draw(self._surface, tick)
        self._screen.show(self._surface)

    def close(self) -> None:
        """Close the window; twice is fine."""
        self._screen.close()

    def _map_size(self, size: tuple[int, int]) -> tuple[int, int]:
        return size[0], max(size[1] - self._bar_px, 1)

    def _index(self, tick: int) -> int:
        """Return which snapshot shows a tick: the last where the drive has ended there."""
        if tick >= self._ticks[-1]:
            return len(self._ticks) - 1
        return bisect_left(self._ticks, tick)

    def _show(self, tick: int) -> None:
        """Give the painter the step of a tick and what led to it, if it has another."""
        index = self._index(tick)
        if index != self._shown:
            self._shown = index
            self._painter.track.jump(self._snapshots, index, self._trail)

    def _step(self, steps: int) -> None:
        """Go to the end of the step before, or of the next."""
        self._state.paused = True
        index = self._index(int(self.tick)) + steps
        self.seek(self._ticks[min(max(index, 0), len(self._ticks) - 1)])

    def _handle(self, event: pygame.event.Event) -> None:
        pg = self._pygame
        if event.type == pg.VIDEORESIZE:
            self._resize(event)
        elif event.type == pg.KEYDOWN and self._on_key(pg.key.name(event.key)):
            return
        elif event.type == pg.MOUSEBUTTONDOWN and event.button == 1 and self._on_bar(event.pos):
            self._scrubbing = True
            self.seek(self._bar.tick_at(event.pos[0], self._surface.get_size()))
        elif event.type == pg.MOUSEMOTION and self._scrubbing:
            self.seek(self._bar.tick_at(event.pos[0], self._surface.get_size()))
        elif event.type == pg.MOUSEBUTTONUP and self._scrubbing:
            self._scrubbing = False
        else:
            self._controls.handle(event)

    def _on_key(self, name: str) -> bool:
        """Act on a key of its own; returns whether that was all."""
        if name in REPLAY_BACK:
            self._step(-1)
        elif name in REPLAY_ON:
            self._step(+1)
        elif name in REPLAY_BEGIN:
            self.seek(self._ticks[0])
        elif name in REPLAY_END:
            self.seek(self._ticks[-1])
        elif name == "space" and self._state.paused and self.tick >= self._ticks[-1]:
            self.seek(self._ticks[0])  # and it goes on from there
            return False
        else:
            return name in REPLAY_IGNORED
        return True

    def _on_bar(self, place_px: tuple[int, int]) -> bool:
        return place_px[1] >= self._surface.get_size()[1] - self._bar_px

    def _resize(self, event: pygame.event.Event) -> None:
        width, height = max(event.size[0], 64), max(event.size[1], 64 + self._bar_px)
        self._surface = self._pygame.Surface((width, height), 0, 32)
        self._painter.resize(self._map_size((width, height)))
