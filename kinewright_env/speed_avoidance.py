"""What `kinewright speed` measures of avoidance: decisions of `go_around`, and their parts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any, Final

from .agent import make
from .env import DriveEnv
from .grids import DECISION_TICK, HOLD_TICK, Aim, Candidates, LocalMap, Motion

AGENT: Final = "go_around"
SCENES: Final = ("post", "random_posts:0")
AT_MOST_US: Final = 150.0
N_DECISIONS: Final = 80  # all but the last few of the way past the post
FEW_TURNS, TURNS = 3, 9
FIGURE_COUNT: Final = 4 * len(SCENES)

Row = tuple[str, float, str, float | None]
"""Name, value, unit, and what it may be at most."""


def rows(*, quick: bool) -> Iterator[Row]:
    """Measure, and yield each figure as it is known: CPU time a decision, medians over turns."""
    n_turns = FEW_TURNS if quick else TURNS
    for scene in SCENES:
        seen, told = _drive(scene)
        turns = [_whole(seen, told) for _ in range(n_turns)]
        whole_us = [statistics.median(costs) for costs in zip(*turns, strict=True)]
        name = f"a decision in {scene}, everything included"
        yield name, statistics.mean(whole_us), "us", AT_MOST_US
        yield "  the dearest of the drive", max(whole_us), "us", None
        parts = [_parts(seen, told) for _ in range(n_turns)]
        for name, costs in zip(
            ("  marking what the senses met", "  predicting and choosing"),
            zip(*parts, strict=True),
            strict=True,
        ):
            yield name, statistics.median(costs), "us", None


def _drive(scene: str) -> tuple[list[Any], dict[str, Any]]:
    """Return what an agent sees on its way, and what it was told on reset."""
    env, agent = DriveEnv(scene=scene, ticks_per_step=DECISION_TICK), make(AGENT)
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    seen = []
    for _ in range(N_DECISIONS):
        seen.append(obs)
        obs, *_ = env.step(agent.act(obs))
    env.close()
    return seen, info


def _whole(seen: list[Any], told: dict[str, Any]) -> list[float]:
    """Return the microseconds of each decision: the agent's whole `act`."""
    agent = make(AGENT)
    agent.reset(seen[0], told)
    costs = []
    for obs in seen:
        began_s = time.process_time()
        agent.act(obs)
        costs.append(1e6 * (time.process_time() - began_s))
    return costs


def _parts(seen: list[Any], told: dict[str, Any]) -> tuple[float, float]:
    """Return the mean microseconds of marking the map, and of the choice by it."""
    declared = told["declarations"]
    shell, steering = declared["shell"], declared["steering"]
    local_map = LocalMap(shell, declared["rig"], declared["ticks_per_step"])
    motion = Motion(shell, steering)
    candidates = Candidates(shell, steering, local_map.age_tick + HOLD_TICK)
    ask, marking_s, choosing_s, n_chosen = (0, 0), 0.0, 0.0, 0
    for obs in seen:
        began_s = time.process_time()
        local_map.observe(obs)
        marking_s += time.process_time() - began_s
        motion.observe(obs, ask)
        if not local_map.is_known:
            continue
        x, y = obs["goal"].tolist()
        aim = Aim(goal_um=(x, y), radius_um=int(obs["goal_radius"][0]), toward_only=False)
        began_s = time.process_time()
        chosen = candidates.choose(local_map, motion, aim, ask[1])
        choosing_s += time.process_time() - began_s
        n_chosen += 1
        ask = chosen.speed_dmmps, chosen.steer_urad
    return 1e6 * marking_s / len(seen), 1e6 * choosing_s / n_chosen
