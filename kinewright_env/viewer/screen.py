"""The display of this process: opening it, showing a picture, taking its events."""

from __future__ import annotations

import os
import sys
from typing import ClassVar

from ..errors import NoDisplayError
from .pygame_loader import pygame

DISPLAY_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
REMEDY = (
    'have it drawn instead (--picture, --film; in Python render_mode="rgb_array"), or set '
    "SDL_VIDEODRIVER=dummy"
)
NOBODY_THERE = ("dummy", "offscreen")


class Screen:
    """A window; pygame has one for a process, so a newer one takes it over.

    Raises
    ------
    NoDisplayError
        If there is no display to open it on.
    """

    _newest: ClassVar[Screen | None] = None

    def __init__(self, size_px: tuple[int, int], title: str) -> None:
        if sys.platform.startswith("linux") and not any(map(os.environ.get, DISPLAY_VARIABLES)):
            raise NoDisplayError(f"there is no display to open a window on: {REMEDY}")
        try:
            pygame.display.init()
            pygame.display.set_caption(title)
            pygame.display.set_mode(size_px, pygame.RESIZABLE)
        except pygame.error as error:
            raise NoDisplayError(f"no window can be opened ({error}): {REMEDY}") from error
        if not self._shown_or_asked_for():
            pygame.display.quit()
            raise NoDisplayError(f"the display cannot be opened: {REMEDY}")
        Screen._newest = self

    @staticmethod
    def _shown_or_asked_for() -> bool:
        """Tell a display from what SDL falls back to, which shows nothing to anybody."""
        driver = pygame.display.get_driver()
        asked = os.environ.get("SDL_VIDEODRIVER", "").split(",")
        return driver not in NOBODY_THERE or driver in asked

    @property
    def open(self) -> bool:
        """Whether the window is there and still ours."""
        if Screen._newest is not self or not pygame.display.get_init():
            return False
        return pygame.display.get_surface() is not None

    @property
    def attended(self) -> bool:
        """Whether a person could see the window and answer."""
        return self.open and pygame.display.get_driver() not in NOBODY_THERE

    @property
    def visible(self) -> bool:
        """Whether drawing is worth the while: the window is not minimised."""
        return self.open and (not self.attended or pygame.display.get_active())

    def events(self) -> list[pygame.event.Event]:
        """Take everything that has happened off the queue."""
        return pygame.event.get() if self.open else []

    def show(self, picture: pygame.Surface) -> None:
        """Put a picture on the display."""
        if self.open:
            pygame.display.get_surface().blit(picture, (0, 0))
            pygame.display.flip()

    def close(self) -> None:
        """Close the window; twice is fine, and so is one that was taken over."""
        if Screen._newest is self:
            Screen._newest = None
            pygame.display.quit()
