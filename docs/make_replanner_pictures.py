"""Draws the pictures of docs/replanner.md: drives of the replanners at moments that matter.

Each picture is a table of small ones: the map as the agent has it, with its plan, on the
step after each new plan, or a step before and after a kidnap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env import DriveEnv, run
from kinewright_env.agent import make
from kinewright_env.cli_output import png
from kinewright_env.viewer import Canvas

FOLDER = Path(__file__).resolve().parent / "pictures"
TILE_PX = (480, 300)
JUMP_M = 0.5  # farther than a shell drives in a step
COLUMNS = 2

Picture = NDArray[np.uint8]
When = Callable[[Any, int], bool]


def moments(scene: str, agent: str, options: Mapping[str, Any], when: When) -> list[Picture]:
    """Return a picture of each step of a drive of which `when(agent, tick)` says so."""
    env = DriveEnv(scene=scene, rig=("beam", "scan"), render_mode="rgb_array")
    driver, pictures = make(agent, **options), []
    canvas: list[Canvas] = []

    def look(drive: DriveEnv) -> None:
        if not canvas:
            canvas.append(Canvas(drive.scene, drive.shell, drive.rig, TILE_PX))
        canvas[0].take(drive.snapshot())
        tick = drive.totals()["tick"]
        if tick and when(driver, tick):
            pictures.append(canvas[0].draw(drive.snapshot()))

    run(env, driver, seed=0, on_step=look)
    env.close()
    return pictures


def at_each_plan() -> When:
    """Return what is true on the step after each new plan."""
    seen = [0]

    def when(agent: Any, _: int) -> bool:
        is_new = agent.plans > seen[0]
        seen[0] = agent.plans
        return is_new

    return when


def after_the_kidnap(*steps: int) -> When:
    """Return what is true so many steps after the shell was suddenly elsewhere."""
    places: list[float] = []
    jumped: list[int] = []

    def when(agent: Any, _: int) -> bool:
        places.append(agent.place_m[1])
        if len(places) > 1 and abs(places[-1] - places[-2]) > JUMP_M:
            jumped.append(len(places))
        return bool(jumped) and len(places) - jumped[0] in steps

    return when


def table(pictures: list[Picture]) -> bytes:
    """Return pictures side by side, row by row, as a PNG file."""
    blank = np.full_like(pictures[0], 255)
    filled = [*pictures, *[blank] * (-len(pictures) % COLUMNS)]
    rows = [filled[at : at + COLUMNS] for at in range(0, len(filled), COLUMNS)]
    return png(np.concatenate([np.concatenate(row, axis=1) for row in rows]))


PLAIN = {"look_ahead": 2}
PICTURES: Mapping[str, tuple[tuple[str, str, Mapping[str, Any], Callable[[], When]], ...]] = {
    "replanner_plans": (("behind_second_wall", "replanner_dynamic", {}, at_each_plan),),
    "replanner_goal_moves": (("goal_moves", "replanner_goal", {}, at_each_plan),),
    "replanner_kidnapped": (
        ("kidnapped", "replanner_static", {}, lambda: after_the_kidnap(1)),
        (
            "kidnapped",
            "replanner_dynamic",
            {**PLAIN, "policy": "kidnap"},
            lambda: after_the_kidnap(1),
        ),
        ("kidnapped", "replanner_dynamic", PLAIN, lambda: after_the_kidnap(1, 100)),
    ),
}


def draw(name: str) -> bytes:
    """Return one picture as a PNG file."""
    return table(
        [
            picture
            for scene, agent, options, when in PICTURES[name]
            for picture in moments(scene, agent, options, when())
        ]
    )


if __name__ == "__main__":
    for name in PICTURES:
        (FOLDER / f"{name}.png").write_bytes(draw(name))
