"""Draws the pictures of docs/scenes.md: generated scenes, from above."""

from __future__ import annotations

from pathlib import Path

from kinewright_env import load_scene
from kinewright_env.scene_picture import draw_svg

FOLDER = Path(__file__).resolve().parent / "pictures"
SCENES = ("random_rooms:9", "random_posts:2", "random_maze:10", "sealed_or_not:3")


def picture(name: str) -> Path:
    """Return where a scene's picture lies."""
    return FOLDER / f"{name.replace(':', '_')}.svg"


if __name__ == "__main__":
    for name in SCENES:
        picture(name).write_text(draw_svg(load_scene(name)), encoding="utf-8")
