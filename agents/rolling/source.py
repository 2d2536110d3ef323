"""From observations of `lio` to registered increments, each with the pose of its own tick."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from kinewright_env.agent import Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import TICKS_PER_SECOND
from kinewright_env.grids.increment import RegisteredIncrement
from kinewright_env.rig import RETURN

KEY: Final = "lio"
COARSE: Final = ("radar", "cone")
"""Senses whose returns have a direction too coarse for a place."""


def stamp_ns(tick: int) -> int:
    """Return a tick as nanoseconds, rounded down."""
    return tick * 1_000_000_000 // TICKS_PER_SECOND


class IncrementSource:
    """Keeps the poses of late ticks and gives each increment the one it was taken at.

    Parameters
    ----------
    declarations : mapping
        As `reset` hands them over.

    Raises
    ------
    AgentError
        If the rig has no `lio`.
    """

    def __init__(self, declarations: Mapping[str, Any]) -> None:
        rig = declarations["rig"]
        if KEY not in rig:
            raise AgentError(f"rolling: needs {KEY!r} in the rig, the increments it maps")
        self.latency_tick: int = rig[KEY].latency_tick
        step: int = declarations["ticks_per_step"]
        self._poses: deque[tuple[int, int, int]] = deque(maxlen=self.latency_tick + 2 * step)
        self._tick = 0  # of the last pose

    def observe(self, obs: Observation) -> None:
        """Take the poses of the ticks that were run since the last observation."""
        tick = int(obs["tick"][0])
        rows = obs["pose"].tolist()
        n_run = tick - self._tick if self._poses else len(rows)
        self._poses.extend((x, y, heading) for x, y, heading in rows[:n_run])
        self._tick = tick

    def increments(self, obs: Observation) -> Iterator[RegisteredIncrement]:
        """Yield the increments that arrived, the oldest first; `pose` is on the ground."""
        for points, count, tick in zip(
            obs[KEY], obs[f"{KEY}_count"].tolist(), obs[f"{KEY}_tick"].tolist(), strict=True
        ):
            if tick < 0:
                continue
            x_um, y_um, heading_urad = self._poses[max(tick - self._tick - 1, -len(self._poses))]
            pose = (x_um / 1e6, y_um / 1e6, 0.0, heading_urad / 1e6)
            yield RegisteredIncrement(points[:count] / 1e3, pose, stamp_ns(tick))

    def time_ns(self) -> int:
        """Return when an increment was taken that would arrive now: the map's time."""
        return stamp_ns(max(self._tick - self.latency_tick, 0))


def coarse_returns(obs: Observation) -> int:
    """Return how many returns came that have a bearing and no place."""
    return sum(
        int(np.count_nonzero(obs[f"{key}_status"] == RETURN)) for key in COARSE if key in obs
    )
