"""Draws the pictures of docs/replanner.md: drives of the replanners at moments that matter.

Each picture is a table of small ones: the map as the agent has it, with its plan, on the
step after each new plan, or so many steps after a kidnap. The drives are those of
`kinewright drive SCENE --agent AGENT --agent-option ...`; of the senses only the two that the
maps are made of are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env import DriveEnv, run
from kinewright_env.agent import make
from kinewright_env.cli_output import png
from kinewright_env.rig import make_rig
from kinewright_env.viewer import Canvas

FOLDER = Path(__file__).resolve().parent / "pictures"
TILE_PX = (480, 300)
DRAWN = ("beam", "scan")
JUMP_M = 0.5  # farther than a shell drives in a step
COLUMNS = 2

Picture = NDArray[np.uint8]
When = Callable[[Any, int], bool]


@dataclass(frozen=True, kw_only=True)
class Moments:
    """A drive, when it is drawn, and how often that is: as often as the page says."""

    scene: str
    agent: str
    when: Callable[[], When]
    count: int
    options: Mapping[str, Any] = field(default_factory=dict)


def draw_moments(of: Moments) -> list[Picture]:
    """Return a picture of each step of a drive that `of.when` picks out.

    Raises
    ------
    SystemExit
        Where there are more or fewer of them than the page says.
    """
    env = DriveEnv(scene=of.scene, render_mode="rgb_array")
    driver, pictures, when = make(of.agent, **of.options), [], of.when()
    canvas: list[Canvas] = []

    def look(drive: DriveEnv) -> None:
        if not canvas:
            canvas.append(Canvas(drive.scene, drive.shell, make_rig(DRAWN), TILE_PX))
        canvas[0].take(drive.snapshot())
        tick = drive.totals()["tick"]
        if tick and when(driver, tick):
            pictures.append(canvas[0].draw(drive.snapshot()))

    run(env, driver, seed=0, on_step=look)
    env.close()
    if len(pictures) != of.count:
        raise SystemExit(
            f"{of.agent} {dict(of.options)} in {of.scene}: {len(pictures)} moments to draw, "
            f"and the page has {of.count}"
        )
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


TWO_CELLS = {"look_ahead": 2}
PICTURES: Mapping[str, tuple[Moments, ...]] = {
    "replanner_plans": (
        Moments(scene="behind_second_wall", agent="replanner_dynamic", when=at_each_plan, count=9),
    ),
    "replanner_goal_moves": (
        Moments(scene="goal_moves", agent="replanner_goal", when=at_each_plan, count=5),
    ),
    "replanner_kidnapped": (
        Moments(
            scene="kidnapped",
            agent="replanner_static",
            when=lambda: after_the_kidnap(1),
            count=1,
        ),
        Moments(
            scene="kidnapped",
            agent="replanner_dynamic",
            options={**TWO_CELLS, "policy": "kidnap"},
            when=lambda: after_the_kidnap(1),
            count=1,
        ),
        Moments(
            scene="kidnapped",
            agent="replanner_dynamic",
            options=TWO_CELLS,
            when=lambda: after_the_kidnap(1, 100),
            count=2,
        ),
    ),
}


def draw(name: str) -> bytes:
    """Return one picture as a PNG file."""
    return table([picture for of in PICTURES[name] for picture in draw_moments(of)])


if __name__ == "__main__":
    for name in PICTURES:
        (FOLDER / f"{name}.png").write_bytes(draw(name))
