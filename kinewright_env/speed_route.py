"""What `kinewright speed` measures of whole drives: the agent `route`, headless, on one core."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterator
from typing import Final

from .agent import make
from .env import DriveEnv
from .runner import run
from .shells import SHELLS

AGENT: Final = "route"
SCENE: Final = "behind_second_wall"
AT_LEAST: Final = 300.0
FEW_DRIVES, DRIVES = 3, 9
FIGURE_COUNT: Final = 2 * len(SHELLS)

Row = tuple[str, float, str, float | None]
"""Name, value, unit, and what it must be at least."""


def rows(*, quick: bool) -> Iterator[Row]:
    """Measure, and yield each figure as it is known: medians of the CPU time of whole drives.

    From reset to verdict: environment, agent, and the root of the record; no file.
    """
    gc.collect()
    gc.freeze()  # what measurements before this one left behind is no part of a drive
    for shell in SHELLS:
        env = DriveEnv(scene=SCENE, shell=shell)
        paces, steps_us = [], []
        run(env, make(AGENT), seed=0)
        for _ in range(FEW_DRIVES if quick else DRIVES):
            began_s = time.process_time()
            result = run(env, make(AGENT), seed=1)
            cost_s = time.process_time() - began_s
            paces.append(result.time_s / cost_s)
            steps_us.append(1e6 * cost_s / result.decisions)
        env.close()
        name = f"{AGENT} in {SCENE}, {shell}, agent included"
        yield name, statistics.median(paces), "x real time", AT_LEAST
        yield "  a step of it, everything included", statistics.median(steps_us), "us", None
    gc.unfreeze()
