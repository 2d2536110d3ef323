"""A person at the keys."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Inputs, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import TICKS_PER_SECOND


class Manual:
    """Drive by the arrow keys, or W, A, S, D; the space bar brakes.

    Forward and back build up the speed asked for while they are held, left and right the
    steer angle; let go, the speed asked for falls to rest and the wheels go straight.
    Needs a window: without one it rests. Ends never: the window's being closed does.

    Parameters
    ----------
    speed_mps : float, optional
        Greatest speed asked for either way; the shell's cruise speed unless told.
    """

    RISE_S = 1.0  # from rest to the greatest speed
    FALL_S = 0.7  # back to rest when let go
    LOCK_S = 0.5  # from straight to the lock, and back

    def __init__(self, speed_mps: float | None = None) -> None:
        if speed_mps is not None and not 0.0 < speed_mps <= 100.0:
            raise AgentError(f"manual: speed_mps is {speed_mps!r}; allowed: above 0")
        self._speed_limit_mps = speed_mps

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin at rest, straight."""
        declarations = info["declarations"]
        shell = declarations["shell"]
        limit = self._speed_limit_mps or shell.cruise_speed_mps
        self._forward_mps = min(limit, shell.forward_speed_limit_mps)
        self._reverse_mps = min(limit, shell.reverse_speed_limit_mps)
        self._lock_rad = shell.lock_rad
        self._step_s = declarations["ticks_per_step"] / TICKS_PER_SECOND
        self._speed_mps = 0.0
        self._steer_rad = 0.0
        self._held: frozenset[str] = frozenset()

    def handle(self, inputs: Inputs) -> None:
        """Take the keys that are held."""
        self._held = inputs.held

    def _pull(self, positive: tuple[str, str], negative: tuple[str, str]) -> int:
        return bool(self._held & {*positive}) - bool(self._held & {*negative})

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask that the keys have built up."""
        drive = self._pull(("up", "w"), ("down", "s"))
        turn = self._pull(("left", "a"), ("right", "d"))
        if "space" in self._held:
            self._speed_mps = 0.0
        elif drive:
            goal = self._forward_mps if drive > 0 else -self._reverse_mps
            # against the motion first brake to rest
            if self._speed_mps * goal < 0.0:
                self._speed_mps = 0.0
            self._speed_mps = _toward(self._speed_mps, goal, abs(goal) * self._step_s / self.RISE_S)
        else:
            step = self._forward_mps * self._step_s / self.FALL_S
            self._speed_mps = _toward(self._speed_mps, 0.0, step)
        step = self._lock_rad * self._step_s / self.LOCK_S
        self._steer_rad = _toward(self._steer_rad, turn * self._lock_rad, step)
        return np.array([self._speed_mps, self._steer_rad], dtype=np.float32)

    def decision(self) -> dict[str, Any]:
        """Return which keys are held, as bits in the order of their names."""
        names = ("a", "d", "down", "left", "right", "s", "space", "up", "w")
        bits = [1 << index for index, name in enumerate(names) if name in self._held]
        return {"reason": "keys" if bits else "rest", "keys": sum(bits)}


def _toward(value: float, goal: float, step: float) -> float:
    """Return the value moved toward the goal by at most a step."""
    return min(value + step, goal) if value < goal else max(value - step, goal)
