"""What a person does with keys and mouse, and what follows from it for the picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from . import keys
from .gamepad import Gamepad
from .painter import Painter
from .pygame_loader import pygame
from .screenshot import save_picture
from .state import ViewState

ZOOM_STEP = 1.2
LEFT, MIDDLE, RIGHT = 1, 2, 3
PATH_SPACING_PX = 2.0
NOTICE_S = 3.0
SMALLEST_PX = 64


class Controls:
    """Turns events into changes of the view; the drive itself is out of its reach.

    `gamepad` takes the events of pads, where a person may drive.

    Attributes
    ----------
    close_asked : bool
        A person wants the window closed.
    steps_asked : int
        Single steps asked for and not yet made.
    pressed : set of str
        Names of the keys pressed since somebody cleared it.
    """

    def __init__(self, painter: Painter, state: ViewState, gamepad: Gamepad | None = None) -> None:
        self._painter = painter
        self._state = state
        self._gamepad = gamepad
        self.close_asked = False
        self.steps_asked = 0
        self.pressed: set[str] = set()
        self._down: set[str] = set()
        self._tapped: set[str] = set()
        self._pointer = (0, 0)
        self._panning = False
        self._pen_down = False
        self._shift_down = False
        self._notice_ends_s = 0.0
        self._on_event: dict[int, Callable[[pygame.event.Event], None]] = {
            pygame.QUIT: lambda _: self._ask_close(),
            pygame.KEYDOWN: self._key_down,
            pygame.KEYUP: lambda event: self._down.discard(pygame.key.name(event.key)),
            # Nobody tells of keys let go after the window was left: let go of them now.
            pygame.WINDOWFOCUSLOST: lambda _: self._let_go(),
            pygame.WINDOWHIDDEN: lambda _: self._let_go(),
            pygame.WINDOWMINIMIZED: lambda _: self._let_go(),
            pygame.MOUSEWHEEL: self._wheel,
            pygame.MOUSEBUTTONDOWN: self._button_down,
            pygame.MOUSEBUTTONUP: self._button_up,
            pygame.MOUSEMOTION: self._motion,
            pygame.VIDEORESIZE: self._resize,
            **(gamepad.on_event if gamepad is not None else {}),
        }
        self._on_key = self._key_table()

    @property
    def held(self) -> frozenset[str]:
        """Driving keys that are down, or were pressed since the step began."""
        return frozenset(self._down | self._tapped)

    def begin_step(self) -> None:
        """Forget the keys that were only tapped during the step before."""
        self._tapped.clear()
        if self._gamepad is not None:
            self._gamepad.begin_step()

    def take_path(self) -> tuple[tuple[float, float], ...] | None:
        """Return a path that was drawn, metres in `map`, once."""
        state = self._state
        if not state.path_ready:
            return None
        path = tuple(state.path_m)
        state.path_m, state.path_ready = [], False
        return path

    def handle(self, event: pygame.event.Event) -> None:
        """Act on one event."""
        act = self._on_event.get(event.type)
        if act is not None:
            act(event)

    def expire(self) -> None:
        """Take the notice away when it has been read."""
        if self._state.notice and time.monotonic() > self._notice_ends_s:
            self._state.notice = ""

    def _say(self, words: str) -> None:
        self._state.notice = words
        self._notice_ends_s = time.monotonic() + NOTICE_S

    def _key_table(self) -> dict[str, Callable[[], None]]:
        state = self._state
        rows: list[tuple[tuple[str, ...], Callable[[], None]]] = [
            (keys.PAUSE, self._flip_pause),
            (keys.STEP, self._ask_step),
            (keys.FASTER, lambda: state.change_speed(+1)),
            (keys.SLOWER, lambda: state.change_speed(-1)),
            (keys.REAL_TIME, lambda: state.change_speed(-state.speed_power)),
            (keys.FOLLOW, self._flip_follow),
            (keys.DRAW, self._flip_drawing),
            (keys.PICTURE, self._save_picture),
            (keys.NAMES, self._flip_names),
            (keys.NUMBERS, self._flip_numbers),
            (keys.HELP, self._flip_help),
            (keys.CLOSE, self._ask_close),
        ]
        for number, names in enumerate(keys.LAYERS, start=1):
            rows.append((names, lambda number=number: self._flip_layer(number)))  # type: ignore[misc]
        return {name: act for names, act in rows for name in names}

    def _key_down(self, event: pygame.event.Event) -> None:
        name = pygame.key.name(event.key)
        self._shift_down = bool(getattr(event, "mod", 0) & pygame.KMOD_SHIFT)
        self.pressed.add(name)
        if name in keys.HELD:
            self._down.add(name)
            self._tapped.add(name)
        act = self._on_key.get(name)
        if act is not None:
            act()

    def _let_go(self) -> None:
        self._down.clear()
        self._panning = False
        if self._gamepad is not None:
            self._gamepad.let_go()

    def _ask_close(self) -> None:
        self.close_asked = True

    def _flip_pause(self) -> None:
        self._state.paused = not self._state.paused
        self.steps_asked = 0

    def _ask_step(self) -> None:
        if self._state.paused:
            self.steps_asked += 1

    def _flip_help(self) -> None:
        self._state.help_shown = not self._state.help_shown

    def _flip_names(self) -> None:
        self._state.names_shown = not self._state.names_shown

    def _flip_numbers(self) -> None:
        self._state.numbers_shown = not self._state.numbers_shown

    def _flip_follow(self) -> None:
        camera = self._painter.camera
        camera.toggle(*self._painter.place_m)
        self._say("following the shell" if camera.mode == "follow" else "showing everything")

    def _flip_layer(self, number: int) -> None:
        """Show or hide a layer; the second nine with shift."""
        layers = self._painter.layers
        if self._shift_down:
            number += len(keys.LAYERS)
        name = layers.toggle(number)
        if name is None:
            self._say(f"no layer has number {number}")
        else:
            self._say(f"{name} {'shown' if layers.shows(name) else 'hidden'}")

    def _flip_drawing(self) -> None:
        state = self._state
        state.drawing = not state.drawing
        state.notice = ""  # what to do next is said in its place
        state.path_m, state.path_ready, self._pen_down = [], False, False

    def _save_picture(self) -> None:
        painter = self._painter
        try:
            path = save_picture(painter.surface, painter.scene_name, painter.tick, Path.cwd())
        except (OSError, pygame.error) as error:
            self._say(f"no picture could be saved: {error}")
        else:
            self._say(f"saved {path.name}")

    def _wheel(self, event: pygame.event.Event) -> None:
        if not self._pen_down:
            factor = ZOOM_STEP ** min(max(event.y, -8), 8)
            self._painter.camera.zoom(factor, *self._pointer)

    def _button_down(self, event: pygame.event.Event) -> None:
        self._pointer = event.pos
        if event.button == LEFT and self._state.drawing:
            self._pen_down = True
            self._state.path_m = [self._painter.camera.point_m(*event.pos)]
            self._state.path_ready = False
        elif event.button in (LEFT, MIDDLE, RIGHT):
            self._panning = True

    def _button_up(self, event: pygame.event.Event) -> None:
        if event.button in (LEFT, MIDDLE, RIGHT):
            self._panning = False
        if event.button == LEFT and self._pen_down:
            self._pen_down = False
            self._extend_path(event.pos, 0.0)
            state = self._state
            state.path_ready = len(state.path_m) > 1
            state.drawing = not state.path_ready
            if not state.path_ready:
                state.path_m = []

    def _motion(self, event: pygame.event.Event) -> None:
        dx, dy = event.pos[0] - self._pointer[0], event.pos[1] - self._pointer[1]
        self._pointer = event.pos
        if self._pen_down:
            self._extend_path(event.pos, PATH_SPACING_PX)
        elif self._panning:
            self._painter.camera.pan(dx, dy)

    def _extend_path(self, place_px: tuple[int, int], spacing_px: float) -> None:
        """Add a point to the path, unless it is too close to the last one."""
        camera, path_m = self._painter.camera, self._state.path_m
        x, y = camera.pixel(*path_m[-1])
        if max(abs(place_px[0] - x), abs(place_px[1] - y)) > max(spacing_px - 0.5, 0.5):
            path_m.append(camera.point_m(*place_px))

    def _resize(self, event: pygame.event.Event) -> None:
        width, height = event.size
        self._painter.resize((max(width, SMALLEST_PX), max(height, SMALLEST_PX)))
