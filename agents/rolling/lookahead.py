"""Where the shell would be: the corridor of its ask, and those of its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import AVOIDANCE, SAMPLE_TICK, TICKS_PER_SECOND, Corridor, predict, sweep

SLOW_ZONE_S: Final = 1.0
"""Travel beyond the stop zone that the corridor covers."""


class Lookahead:
    """Corridors of one shell: its body with its clearance, from the ground to its height.

    Parameters
    ----------
    declarations : mapping
        As `reset` hands them over: shell and steering.
    reaction_tick : int
        How long an ask is held before rest can be asked for.
    """

    def __init__(self, declarations: Mapping[str, Any], reaction_tick: int) -> None:
        self._shell, self._steering = declarations["shell"], declarations["steering"]
        half_m = self._shell.length_m / 2.0 + AVOIDANCE["clearance_m"]
        self._body = {
            "ahead_m": half_m + self._shell.body_ahead_m,
            "behind_m": half_m - self._shell.body_ahead_m,
            "beside_m": self._shell.width_m / 2.0 + AVOIDANCE["clearance_m"],
        }
        self._held_tick = reaction_tick + round(SLOW_ZONE_S * TICKS_PER_SECOND)
        self.low_um, self.high_um = 0, round(self._shell.height_m * 1e6)

    def of_ask(self, motion: tuple[float, ...], ask: tuple[int, int]) -> Corridor:
        """Return what the body sweeps, holding an ask for the reaction and a second, then resting.

        Parameters
        ----------
        motion : tuple of float
            As `predict` takes it.
        ask : (int, int)
            Tenths of a millimetre a second, microradians.
        """
        held = predict(self._shell, self._steering, motion, ask, self._held_tick)
        speed_mps = abs(float(held[-1, 3]))
        n_tick = ceil(speed_mps / self._shell.braking_mps2 * TICKS_PER_SECOND) + 1
        rest = predict(self._shell, self._steering, held[-1], (0, ask[1]), n_tick)
        ticks = np.concatenate([[motion[:3]], held[:, :3], rest[:, :3]])
        poses = np.concatenate([ticks[:-1:SAMPLE_TICK], ticks[-1:]])
        pieces = sweep(poses, **self._body)
        return Corridor(pieces_um=pieces, low_um=self.low_um, high_um=self.high_um)

    def of_ways(self, motion: tuple[float, ...], ways: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the pieces that the body sweeps along each of several ways from here.

        Parameters
        ----------
        motion : tuple of float
            As `predict` takes it.
        ways : (k, n, 3) float64
            Poses after the present one.

        Returns
        -------
        (k, n, 2, 4) int64
        """
        here = np.broadcast_to(np.array(motion[:3]), (len(ways), 1, 3))
        return sweep(np.concatenate([here, ways], axis=1), **self._body)
