"""Keeps a shell on a reference: one ask a step, by the shell's own motion law.

Speed comes from a profile along the reference; where the end is near, it is the greatest
that the law brings to rest at the end. The steer angle is the reference's own where the
steering will have moved to, corrected by feedback on the lateral and heading error that
the law predicts for the end of the step (the linear law in path length of C. Samson, Path
following and time-varying feedback stabilization of a wheeled mobile robot in a chained
form, 1992).
"""

import math

from kinewright_env.grids import TICKS_PER_SECOND, atan2, cos, predict, quantise_ask, sin, tan
from kinewright_env.shells import Shell, Steering

from .path import STEP_M
from .reference import Reference
from .speed_profile import SLOWEST_MPS, speeds, steer_angles

Motion = tuple[float, float, float, float, float, float]

STEP_REACH_M = 0.08  # the farthest that one step may run on one ask
LONGEST_HOLD_TICKS = math.floor(STEP_REACH_M / SLOWEST_MPS * TICKS_PER_SECOND + 0.5)
END_TOLERANCE_M = 0.0005  # nearer than this there is nothing more to run
STEER_READY_RAD = 0.01  # it sets off once the wheels stand this near to the first angle
SETTLE_RAD = 0.05  # a correction of this size is what the feedback must have time for
LEAST_REACH_M = 0.12  # length over which errors die, at least
REACH_GAIN = 1.5  # that length over what is run while a correction takes hold
PREVIEW_LAGS = 0.2  # how far ahead of the step's end the steer angle is read, in lags
HORIZON_LAGS = 0.5  # how far beyond the step's end errors are predicted, in lags


class Tracker:
    """Follows one reference; holds how far it has come.

    Parameters
    ----------
    line : Reference
    shell, steering
        Their laws.
    hold_ticks : int
        Ticks that each ask is held.
    cruise_mps : float
        Never faster than this.
    """

    def __init__(
        self, line: Reference, shell: Shell, steering: Steering, hold_ticks: int, cruise_mps: float
    ) -> None:
        self.line = line
        self._shell = shell
        self._steering = steering
        self._hold = hold_ticks
        self._hold_s = hold_ticks / TICKS_PER_SECOND
        cruise_mps = min(cruise_mps, shell.forward_speed_limit_mps, STEP_REACH_M / self._hold_s)
        self._speeds = speeds(line, shell, steering, cruise_mps)
        self._steers = steer_angles(line, shell)
        # a small correction and back to rest, the steering's acceleration both ways
        self._lag_s = 2.0 * math.sqrt(SETTLE_RAD / steering.acceleration_radps2)
        self._index = 0
        self.s_m = 0.0
        self.lateral_m = 0.0
        self.turned_rad = 0.0
        self.lookahead_m = (line.x_m[0], line.y_m[0])

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing more to run."""
        return self.line.length_m - self.s_m <= END_TOLERANCE_M

    def ask(self, motion: Motion) -> tuple[int, int]:
        """Return the next ask: speed in 0.1 mm/s and steer angle in urad."""
        self._index, self.s_m, self.lateral_m, self.turned_rad = self.line.locate(
            motion[:3], self._index
        )
        speed = self._speed(motion)
        steer = self._steer(motion, speed)
        speed = self._braked(motion, speed, steer)
        return speed, steer

    def _speed(self, motion: Motion) -> int:
        """Return the profile's least speed over what the step can reach."""
        starting = motion[3] == 0.0 and self.s_m < END_TOLERANCE_M
        if starting and abs(motion[4] - self._steers[0]) > STEER_READY_RAD:
            return 0  # the wheels turn before they roll
        slowest = self.line.value(self._speeds, self.s_m)
        reach = self.s_m + max(motion[3], slowest) * self._hold_s
        index = self._index
        while index < len(self._speeds) and self.line.s_m[index] <= reach:
            slowest = min(slowest, self._speeds[index])
            index += 1
        return quantise_ask(self._shell, slowest, 0.0)[0]

    def _steer(self, motion: Motion, speed: int) -> int:
        """Return the steer angle: the line's own ahead, corrected by feedback."""
        v = speed / 10000.0
        ahead = self.line.value(
            self._steers, self.s_m + v * (self._hold_s + PREVIEW_LAGS * self._lag_s)
        )
        ticks = self._hold + math.floor(HORIZON_LAGS * self._lag_s * TICKS_PER_SECOND)
        ask = (speed, quantise_ask(self._shell, 0.0, ahead)[1])
        x, y, direction, *_ = predict(self._shell, self._steering, motion, ask, ticks)[-1].tolist()
        _, s, lateral, turned = self.line.locate((x, y, direction), self._index)
        self.lookahead_m = (
            self.line.value(self.line.x_m, s),
            self.line.value(self.line.y_m, s),
        )
        reach = LEAST_REACH_M + REACH_GAIN * v * (self._hold_s + self._lag_s)
        tangent = tan(ahead) - self._shell.curvature_length_m * (
            lateral / (reach * reach) + 2.0 * turned / reach
        )
        return quantise_ask(self._shell, 0.0, atan2(tangent, 1.0))[1]

    def _braked(self, motion: Motion, speed: int, steer: int) -> int:
        """Return the greatest speed up to `speed` that can still rest at the end."""
        v = max(speed / 10000.0, motion[3])
        near = v * self._hold_s + v * v / self._shell.braking_mps2 + STEP_M
        if self.line.length_m - self.s_m > near or self._overrun(motion, speed, steer) <= 0.0:
            return speed
        low, high = 0, speed
        while high - low > 1:
            middle = (low + high) // 2
            if self._overrun(motion, middle, steer) <= 0.0:
                low = middle
            else:
                high = middle
        return low

    def _overrun(self, motion: Motion, speed: int, steer: int) -> float:
        """Return how far beyond the end the shell would rest, metres."""
        held = predict(self._shell, self._steering, motion, (speed, steer), self._hold)[-1]
        brake = math.ceil(abs(held[3]) / self._shell.braking_mps2 * TICKS_PER_SECOND) + 1
        rest = predict(self._shell, self._steering, held, (0, steer), brake)[-1].tolist()
        x, y, direction = self.line.pose(len(self.line.s_m) - 1)
        return float((rest[0] - x) * cos(direction) + (rest[1] - y) * sin(direction))
