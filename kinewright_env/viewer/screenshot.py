"""A picture of the window as a file that never overwrites another."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path

from .pygame_loader import pygame


def save_picture(surface: pygame.Surface, scene: str, tick: int, folder: Path) -> Path:
    """Write a surface as PNG under a name that is still free; returns where.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    picture = io.BytesIO()
    pygame.image.save(surface, picture, "picture.png")
    # The name comes from a file that may be anybody's: no folders, nothing hidden.
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", scene)[:60] or "drive"
    for number in itertools.count(1):
        suffix = "" if number == 1 else f"-{number}"
        path = folder / f"kinewright-{name}-{tick:06d}{suffix}.png"
        try:
            with path.open("xb") as file:
                file.write(picture.getvalue())
        except FileExistsError:
            continue
        return path
    raise AssertionError("itertools.count ends")
