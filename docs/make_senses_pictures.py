"""Draws the pictures of docs/senses.md: each a shipped scene, seen by the sensors it is about.

A description has the scene, the sensors, the part of the map in metres, and the asks as
(speed m/s, steer rad, steps of 0.05 s). A picture is named for its scene.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kinewright_env import DriveEnv
from kinewright_env.cli_output import png
from kinewright_env.viewer import Canvas

FOLDER = Path(__file__).resolve().parent / "pictures"
SMALL_PX, LARGE_PX = (480, 270), (960, 720)
AHEAD = (-0.45, -0.55, 1.75, 0.55)

Asks = tuple[tuple[float, float, int], ...]
STILL: Asks = ((0.0, 0.0, 14),)
PICTURES: tuple[tuple[str, tuple[str, ...], tuple[float, ...] | None, Asks], ...] = (
    ("senses_room", (), None, ((0.43, 0.0, 18), (0.43, -0.3, 8))),
    ("senses_box_009_high", ("cone", "grid", "beam", "radar"), AHEAD, STILL),
    ("senses_wall_turned_30_deg", ("beam", "scan", "grid"), AHEAD, STILL),
    ("senses_box_corner_on", ("beam", "cone"), AHEAD, STILL),
    ("senses_thin_post_between_beams", ("scan",), (-0.6, -1.2, 4.6, 1.2), STILL),
    ("senses_wall_too_near_for_cone", ("cone", "radar"), (-0.3, -0.25, 0.5, 0.25), STILL),
    ("senses_post_8_deg_left", ("beam", "grid"), AHEAD, STILL),
    ("senses_post_65_deg_left", ("radar", "scan"), (-0.8, -0.25, 1.9, 1.2), STILL),
    ("senses_bump_left", ("bumpers",), (-0.3, -0.3, 0.7, 0.3), ((0.3, 0.0, 11),)),
)
# The increments of one drive: its first, and one on the way.
INCREMENTS: tuple[tuple[str, Asks], ...] = (
    ("lio_first", ((0.43, 0.1, 4),)),
    ("lio_on_the_way", ((0.43, 0.1, 60),)),
)


def draw(
    scene: str, keys: tuple[str, ...], bounds_m: tuple[float, ...] | None, asks: Asks
) -> bytes:
    """Return one picture as a PNG file."""
    env = DriveEnv(
        scene=scene,
        rig=keys or None,
        noise=not keys,
        ticks_per_step=6,
        render_mode="rgb_array",
    )
    env.reset(seed=3)
    canvas = Canvas(
        env.scene,
        env.shell,
        env.rig,
        SMALL_PX if keys else LARGE_PX,
        bounds_m=None if bounds_m is None else (bounds_m[0], bounds_m[1], bounds_m[2], bounds_m[3]),
        numbers=bool(keys),
    )
    canvas.take(env.snapshot())
    for speed_mps, steer_rad, steps in asks:
        for _ in range(steps):
            env.step(np.array([speed_mps, steer_rad], np.float32))
            canvas.take(env.snapshot())
    picture = canvas.draw(env.snapshot())
    env.close()
    return png(picture)


if __name__ == "__main__":
    for scene, keys, bounds_m, asks in PICTURES:
        (FOLDER / f"{scene}.png").write_bytes(draw(scene, keys, bounds_m, asks))
    for name, asks in INCREMENTS:
        picture = draw("senses_room", ("lio",), None, asks)
        (FOLDER / f"{name}.png").write_bytes(picture)
