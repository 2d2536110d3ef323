"""The agent `rolling`: goes around by its own senses, held back by the rolling map's threats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.grids import CANDIDATE_REST, HOLD_TICK
from kinewright_env.grids.increment import RollingBounds
from kinewright_env.grids.rolling import FrameResult
from kinewright_env.layers import Layer

from ..avoidance import GoAround
from .lookahead import Lookahead
from .obstacle_map import RollingObstacleMap
from .source import IncrementSource, coarse_returns

VOXEL_M: Final = 0.10
LOW_M, HIGH_M = 0.03, 0.30
"""Points between these heights above the ground are qualified: what the body could meet."""
ALL_VETOED: Final = (1 << CANDIDATE_REST) - 1
PATIENCE_DECISIONS: Final = 60
"""At rest under a veto: twice as long as an obstacle is kept that is not published again."""


class Rolling(GoAround):
    """Drive to the goal as `go_around` does, and never along what the rolling map calls a threat.

    The map holds what the increments of `lio` hit within 3 s. Its threats are a veto: a
    candidate whose corridor meets a cell is removed, and with none left the shell rests. It
    never calls a way clear; the other senses must find it so. Ends as `go_around` does, and
    `blocked` where the map bars every way for 60 decisions. Needs a goal, `lio`, one of
    scan, grid and beam in the rig, and `ticks_per_step` that divides 12.

    Parameters
    ----------
    voxel_m : float
        Side of a voxel, metres.
    """

    name = "rolling"
    needs = ("lio",)
    obstacle_map = RollingObstacleMap
    """What `kinewright rolling` runs over recordings."""

    def __init__(self, voxel_m: float = VOXEL_M) -> None:
        self._bounds = RollingBounds(voxel_m=voxel_m, low_m=LOW_M, high_m=HIGH_M)
        RollingObstacleMap(self._bounds)  # says now what is wrong with an option

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin with empty maps.

        Raises
        ------
        AgentError
            Where `lio` is not in the rig, or as `go_around` has it.
        """
        self._source = IncrementSource(info["declarations"])
        super().reset(obs, info)
        self._map = RollingObstacleMap(self._bounds)
        reaction_tick = self._avoider.local_map.age_tick + HOLD_TICK
        self._lookahead = Lookahead(info["declarations"], reaction_tick)
        self._result: FrameResult | None = None
        self._vetoed = 0
        self._waits = 0
        self._ask = (0, 0)

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask of the decision in force."""
        self._avoider.observe(obs)
        self._source.observe(obs)
        self._at_rest = int(obs["speed"][0]) == 0
        self._take_increments(obs)
        if self._avoider.is_due:
            self._look_at_goal(obs)
            self._decide()
        self._ask = speed, steer = self._avoider.take()
        return np.array([speed / 10000.0, steer / 1e6], dtype=np.float32)

    def _take_increments(self, obs: Observation) -> None:
        """Assess what arrived against the corridor of the ask in force; else let time pass."""
        bearings = coarse_returns(obs)
        corridor = self._lookahead.of_ask(self._avoider.motion.row, self._ask)
        arrived = list(self._source.increments(obs))
        for number, increment in enumerate(arrived):
            last = number == len(arrived) - 1
            self._result = self._map.frame(
                increment, corridor, bearing_only=bearings if last else 0
            )
        if not arrived and self._result is not None:
            self._result = self._map.tick(self._source.time_ns(), corridor, bearing_only=bearings)

    def _decide(self) -> None:
        """Decide among the candidates whose corridors meet no cell; count what led nowhere."""
        self._vetoed = self._veto()
        decision = self._avoider.decide(replace(self._aim, vetoed=self._vetoed))
        chosen = decision.candidate
        if chosen is None:
            return
        if decision.reason == "stop" and self._vetoed and self._own_way():
            self._waits += 1
            return
        self._waits = 0
        self._progress.count(decision, chosen.away_um)

    def _veto(self) -> int:
        """Return the candidates whose corridors meet a cell, a bit each; all under the fault."""
        avoider = self._avoider
        if not avoider.local_map.is_known:
            return 0
        _, ways = avoider.candidates.survey(avoider.local_map, avoider.motion, self._aim)
        met = self._map.meets(
            self._lookahead.of_ways(avoider.motion.row, ways),
            low_um=self._lookahead.low_um,
            high_um=self._lookahead.high_um,
        )
        if met is None:
            return ALL_VETOED
        return sum(1 << number for number in np.flatnonzero(met).tolist())

    def _own_way(self) -> bool:
        """Return whether the senses alone would find a motion: the veto is what bars it."""
        avoider = self._avoider
        free = avoider.candidates.choose(avoider.local_map, avoider.motion, self._aim, self._ask[1])
        return free.number != CANDIDATE_REST

    def claim(self) -> Claim | None:
        """End as `go_around` does, or where the map bars every way for too long."""
        if self._waits >= PATIENCE_DECISIONS and self._at_rest:
            return Claim(
                verdict="blocked",
                sentence="Blocked: the rolling map bars every way, and nothing there was cleared.",
            )
        return super().claim()

    def decision(self) -> dict[str, Any]:
        """Return the decision in force, how many candidates the map removed, and its answer."""
        record = super().decision()
        if record and self._result is not None:
            record["vetoed"] = self._vetoed.bit_count()
            record["rolling"] = self._result.answer
            record["threats"] = self._result.decisions["threat"]
        return record

    def layers(self) -> tuple[Layer, ...]:
        """Return the current increment and the rolling map, apart, and what `go_around` shows."""
        return (*self._map.layers(), *super().layers())
