"""The scanner's beams in `map`: each from the pose of its own tick.

The scanner turns while the shell drives: beam k of a scan is cast on one of the ticks of its
revolution, and the scan arrives some ticks after its last beam. So the poses of the last ticks
are kept, by tick.
"""

from __future__ import annotations

from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinewright_env.errors import AgentError
from kinewright_env.grids import cos, sin
from kinewright_env.rig import OUT_OF_RANGE, RETURN
from kinewright_env.shells import Shell

Float = NDArray[np.float64]
NOISE_SIGMAS = 2.0  # so much of a beam's end is not taken as clear


class Beams(NamedTuple):
    """Beams that tell something: from a place in a direction, clear up to a length.

    Metres in `map`; where `hit`, something stands at the range. `clear_m` is shorter, so that
    no beam clears the wall that it meets: by what noise may have added, and where a beam beside
    it ends sooner, as where it runs along the wall before it meets it.
    """

    x_m: Float
    y_m: Float
    cosine: Float
    sine: Float
    range_m: Float
    clear_m: Float
    hit: NDArray[np.bool_]

    def ends(self) -> tuple[Float, Float]:
        """Return x and y of where beams met something."""
        hit = self.hit
        range_m = self.range_m[hit]
        return (
            self.x_m[hit] + range_m * self.cosine[hit],
            self.y_m[hit] + range_m * self.sine[hit],
        )

    def points(self, step_m: float) -> tuple[Float, Float]:
        """Return x and y of points along all beams, a step apart, as far as they are clear."""
        steps = np.floor(self.clear_m / step_m).astype(np.int64)
        beam = np.repeat(np.arange(len(steps)), steps)
        first = np.repeat(np.cumsum(steps) - steps, steps)
        along_m = (np.arange(len(beam)) - first) * step_m
        return (
            self.x_m[beam] + along_m * self.cosine[beam],
            self.y_m[beam] + along_m * self.sine[beam],
        )


class Scanner:
    """Turns the scans of observations into beams.

    Parameters
    ----------
    declarations : dict
        `info["declarations"]` of a reset.

    Raises
    ------
    AgentError
        If the rig has no scanner.
    """

    def __init__(self, declarations: dict[str, Any]) -> None:
        sensors = {sensor.key: sensor for sensor in declarations["rig"]}
        if "scan" not in sensors:
            raise AgentError("replanner: needs 'scan' in the rig, the sense its map is made of")
        scan, shell = sensors["scan"], declarations["shell"]
        self._shell: Shell = shell
        self._ahead_m: float = shell.body_ahead_m + scan.ahead_m
        self._period: int = scan.period_tick
        self._range_max_m: float = scan.range_max_m
        self._sigma_m = (scan.sigma_base[0] / 1000.0, scan.sigma_per_unit[0])
        self._poses: NDArray[np.int32] = np.zeros((0, 3), np.int32)
        self._kept = 2 * scan.period_tick + scan.latency_tick + declarations["ticks_per_step"]
        self._tick = 0

    def observe(self, obs: dict[str, Any]) -> list[Beams]:
        """Keep the poses of a step, and return its scans."""
        tick = int(obs["tick"][0])
        rows = obs["pose"][: max(tick - self._tick, 1)]
        self._poses = np.concatenate((self._poses, rows))[-self._kept :]
        self._tick = tick
        scans = zip(obs["scan_tick"].tolist(), obs["scan"], obs["scan_status"], strict=True)
        return [self._beams(*scan) for scan in scans if scan[0] >= 0]

    def _beams(self, last_tick: int, scan: NDArray[np.int32], status: NDArray[np.int32]) -> Beams:
        hit = status == RETURN
        told = hit | (status == OUT_OF_RANGE)
        range_m = np.where(hit, scan * 1e-3, np.where(told, self._range_max_m, np.inf))
        beside_m = np.minimum(np.roll(range_m, 1), np.roll(range_m, -1))
        noise_m = NOISE_SIGMAS * (self._sigma_m[0] + self._sigma_m[1] * range_m[told])
        clear_m = np.minimum(range_m, beside_m)[told] - noise_m
        beam = np.flatnonzero(told)
        cast_tick = last_tick - self._period + 1 + beam * self._period // len(scan)
        row = len(self._poses) - 1 - (self._tick - cast_tick)
        poses = self._poses[np.maximum(row, 0)]
        heading = poses[:, 2] * 1e-6
        cosine, sine = cos(heading), sin(heading)
        direction = heading + beam * (2.0 * pi / len(scan))
        return Beams(
            poses[:, 0] * 1e-6 + self._ahead_m * cosine,
            poses[:, 1] * 1e-6 + self._ahead_m * sine,
            cos(direction),
            sin(direction),
            range_m[told],
            np.maximum(clear_m, 0.0),
            hit[told],
        )
