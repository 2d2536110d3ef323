"""The picture and the window of a recording of increments: layers on a plain floor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..layers import Layer, TextLayer
from .camera import Camera
from .canvas import SIZE_PX, checked_size
from .overlays import draw_layer
from .pygame_loader import pygame
from .screen import Screen
from .style import FLOOR, INK, PANEL, QUIET
from .text import Text

FRAME_S = 1.0 / 30.0
LINE_PX = 22
PAD_PX = 12
WHEEL_FACTOR = 1.15
HELP = "space plays and pauses, left and right step, numbers show and hide, f fits, q closes"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncrementFrame:
    """What is drawn of one frame: its number, pose x m, y m, yaw rad in `map`, and layers."""

    number: int
    pose: tuple[float, float, float] | None
    layers: Sequence[Layer]


class IncrementPicture:
    """Draws frames of a recording; no display is needed or touched.

    Parameters
    ----------
    size : (width, height)
        Of the picture, px.
    radius_m : float
        What is shown about the pose.
    """

    def __init__(self, radius_m: float, size: tuple[int, int] = SIZE_PX) -> None:
        self.surface = pygame.Surface(checked_size(size), 0, 32)
        self.names: list[str] = []  # in the order of their number keys
        self._hidden: set[str] = set()
        self._radius_m = radius_m
        self._text = Text()
        self._words_px = 0
        self.camera = Camera((-radius_m, -radius_m, radius_m, radius_m), (0, 0, *size))

    def draw(self, frame: IncrementFrame) -> None:
        """Draw a frame on `surface`."""
        words = [layer.text for layer in frame.layers if isinstance(layer, TextLayer)]
        for layer in frame.layers:
            if layer.name not in self.names and not isinstance(layer, TextLayer):
                self.names.append(layer.name)
        self._look(frame, len(words) + 2)
        self.surface.fill(FLOOR)
        self._draw_pose(frame)
        for layer in frame.layers:
            if layer.name not in self._hidden and not isinstance(layer, TextLayer):
                draw_layer(self.surface, self.camera, layer, self._text)
        listed = "   ".join(
            f"{number} {name}{' (hidden)' if name in self._hidden else ''}"
            for number, name in enumerate(self.names, start=1)
        )
        self._write([f"frame {frame.number}", *words, listed])

    def toggle(self, number: int) -> None:
        """Show or hide what has a number."""
        if 1 <= number <= len(self.names):
            self._hidden ^= {self.names[number - 1]}

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture as a fresh array (height, width, 3)."""
        width, height = self.surface.get_size()
        data = bytearray(pygame.image.tobytes(self.surface, "RGB"))
        return np.frombuffer(data, np.uint8).reshape(height, width, 3)

    def _look(self, frame: IncrementFrame, n_lines: int) -> None:
        """Keep the pose in the middle, unless a person has moved the map."""
        self._words_px = n_lines * LINE_PX + 2 * PAD_PX
        if frame.pose is not None and self.camera.mode == "fit":
            width, height = self.surface.get_size()
            x_m, y_m, _ = frame.pose
            r = self._radius_m
            self.camera.viewport_px = (0, 0, width, max(height - self._words_px, 8))
            self.camera.bounds_m = (x_m - r, y_m - r, x_m + r, y_m + r)
            self.camera.fit()

    def _draw_pose(self, frame: IncrementFrame) -> None:
        if frame.pose is None:
            return
        x_m, y_m, yaw_rad = frame.pose
        ahead = np.array([np.cos(yaw_rad), np.sin(yaw_rad)])
        aside = np.array([-ahead[1], ahead[0]])
        size_m = 14.0 / self.camera.scale_pxpm
        tip = np.array([x_m, y_m])
        corners = [tip + size_m * ahead, tip - size_m * (ahead - 0.6 * aside)]
        corners += [tip - size_m * (ahead + 0.6 * aside)]
        pygame.draw.polygon(self.surface, INK, self.camera.pixels(np.array(corners)).tolist())

    def _write(self, lines: Sequence[str]) -> None:
        width, height = self.surface.get_size()
        top = height - self._words_px
        self.surface.fill(PANEL, (0, top, width, self._words_px))
        for index, line in enumerate(lines):
            place = (PAD_PX, top + PAD_PX + index * LINE_PX)
            color = INK if index < len(lines) - 1 else QUIET
            self._text.draw(self.surface, line, place, size_px=18, color=color)


class IncrementWindow:
    """A window on a recording of increments, frame by frame.

    Parameters
    ----------
    frame_at : callable
        Returns the frame of a number, 0 to `n_frames` - 1.
    n_frames : int
    radius_m : float
        What is shown about the pose.
    title : str

    Raises
    ------
    NoDisplayError
        If there is no display.
    """

    def __init__(
        self,
        frame_at: Callable[[int], IncrementFrame],
        n_frames: int,
        radius_m: float,
        title: str,
        size: tuple[int, int] = SIZE_PX,
    ) -> None:
        self.picture = IncrementPicture(radius_m, size)
        self.number = 0
        self.paused = False
        self._frame_at = frame_at
        self._n_frames = n_frames
        self._screen = Screen(size, f"{title} - increments - Kinewright   ({HELP})")
        self._dragging = False

    @property
    def closed(self) -> bool:
        """Whether the window is gone."""
        return not self._screen.open

    def run(self) -> None:
        """Show the recording until a person closes the window, or its end where nobody can."""
        while not self.closed:
            begin_s = time.perf_counter()
            self.pump()
            self.draw()
            if not self.paused:
                self._end() if self.number + 1 >= self._n_frames else self.step(1)
            time.sleep(max(begin_s + FRAME_S - time.perf_counter(), 0.0))

    def _end(self) -> None:
        self.paused = True
        if not self._screen.attended:
            self.close()

    def step(self, by: int) -> None:
        """Go on or back by frames, as far as there are any."""
        self.number = min(max(self.number + by, 0), self._n_frames - 1)

    def draw(self) -> None:
        """Draw the frame that is to be seen."""
        if self._screen.visible and self._n_frames:
            self.picture.draw(self._frame_at(self.number))
            self._screen.show(self.picture.surface)

    def pump(self) -> None:
        """Act on everything that has happened."""
        camera = self.picture.camera
        for event in self._screen.events():
            if event.type == pygame.QUIT:
                self.close()
            elif event.type == pygame.KEYDOWN:
                self._key(event.key)
            elif event.type == pygame.MOUSEWHEEL:
                camera.zoom(WHEEL_FACTOR**event.y, *pygame.mouse.get_pos())
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                self._dragging = True
            elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
                self._dragging = False
            elif event.type == pygame.MOUSEMOTION and self._dragging:
                camera.pan(*event.rel)

    def _key(self, key: int) -> None:
        if key in (pygame.K_q, pygame.K_ESCAPE):
            self.close()
        elif key == pygame.K_SPACE:
            self.paused = not self.paused
        elif key in (pygame.K_LEFT, pygame.K_RIGHT):
            self.paused = True
            self.step(1 if key == pygame.K_RIGHT else -1)
        elif key == pygame.K_f:
            self.picture.camera.fit()
        elif pygame.K_1 <= key <= pygame.K_9:
            self.picture.toggle(key - pygame.K_1 + 1)

    def close(self) -> None:
        """Close the window; twice is fine."""
        self._screen.close()
