"""Draws the pictures of docs/rolling.md: one shell at rest before a post, in three moments.

Nothing moves and nothing is changed. The increments of `lio` fade out by themselves, for the
mapper's map holds all that it sees; the rolling map keeps what they hit for 3 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kinewright_agents.rolling import RegisteredIncrement, RollingBounds, RollingObstacleMap
from kinewright_agents.rolling.agent import HIGH_M, LOW_M, VOXEL_M
from kinewright_agents.rolling.lookahead import Lookahead
from kinewright_agents.rolling.source import IncrementSource
from kinewright_env import DriveEnv
from kinewright_env.cli_output import png
from kinewright_env.viewer.increments import IncrementFrame, IncrementPicture

FOLDER = Path(__file__).resolve().parent / "pictures"
SIZE_PX = (640, 480)
SHOWN_M = 1.9
START = (1.7, 2.0, 0.0)
REACTION_TICK = 53
ASK = (5000, 0)  # 0.5 m/s straight ahead, as if it were about to start
PICTURES = {"rolling_arrives": 0, "rolling_retained": 20, "rolling_expired": 40}
"""By the number of the increment: 0, 2.0 and 4.0 s after the first."""


def frames() -> Iterator[tuple[int, RegisteredIncrement, RollingObstacleMap]]:
    """Yield each increment and the map that has taken it."""
    env = DriveEnv(scene="post", rig=("lio",), noise=False)
    obs, info = env.reset(seed=1, options={"start": START})
    source = IncrementSource(info["declarations"])
    ahead = Lookahead(info["declarations"], REACTION_TICK)
    corridor = ahead.of_ask((*START, 0.0, 0.0, 0.0, 0.0), ASK)
    obstacles = RollingObstacleMap(RollingBounds(voxel_m=VOXEL_M, low_m=LOW_M, high_m=HIGH_M))
    number = 0
    while number <= max(PICTURES.values()):
        source.observe(obs)
        for increment in source.increments(obs):
            obstacles.frame(increment, corridor)
            yield number, increment, obstacles
            number += 1
        obs = env.step(np.zeros(2, np.float32))[0]
    env.close()


def pictures() -> dict[str, bytes]:
    """Return each picture as a PNG file, by its name."""
    drawn = {}
    for number, increment, obstacles in frames():
        for name, at in PICTURES.items():
            if at == number and increment.pose is not None:
                x_m, y_m, _, yaw_rad = increment.pose
                picture = IncrementPicture(SHOWN_M, SIZE_PX)
                picture.draw(
                    IncrementFrame(
                        number=number, pose=(x_m, y_m, yaw_rad), layers=obstacles.layers()
                    )
                )
                drawn[name] = png(picture.pixels())
    return drawn


if __name__ == "__main__":
    for name, picture in pictures().items():
        (FOLDER / f"{name}.png").write_bytes(picture)
