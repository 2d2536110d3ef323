"""A person at the keys or a gamepad."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import AXIS_FULL, Inputs, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import TICKS_PER_SECOND
from kinewright_env.layers import Layer

from .avoidance.guard import Guard

KEYS = ("a", "d", "down", "left", "right", "s", "space", "up", "w")


class Manual:
    """Drive by the arrow keys, or W, A, S, D, or a gamepad's left stick; space or A brakes.

    Forward and back build up the speed asked for while they are held, left and right the
    steer angle; let go, the speed asked for falls to rest and the wheels go straight. A stick
    asks for as much of both as it is pushed; keys that are held go before it.
    Needs a window: without one it rests. Ends never: the window's being closed does.

    Parameters
    ----------
    speed_mps : float, optional
        Greatest speed asked for either way; the shell's cruise speed unless told.
    guard : bool
        Brake where the motion asked for would not end before what the senses have lately met,
        by the test that `go_around` drives by; never steer. Needs one of scan, grid and beam
        in the rig, and `ticks_per_step` that divides 12.
    """

    RISE_S = 1.0  # from rest to the greatest speed
    FALL_S = 0.7  # back to rest when let go
    LOCK_S = 0.5  # from straight to the lock, and back

    def __init__(self, speed_mps: float | None = None, guard: bool = False) -> None:
        if speed_mps is not None and not 0.0 < speed_mps <= 100.0:
            raise AgentError(f"manual: speed_mps is {speed_mps!r}; allowed: above 0")
        if not isinstance(guard, bool):
            raise AgentError(f"manual: guard is {guard!r}; allowed: true or false")
        self._speed_limit_mps = speed_mps
        self._is_guarded = guard

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
        self._inputs = Inputs()
        self._guard = Guard("manual", declarations) if self._is_guarded else None

    def handle(self, inputs: Inputs) -> None:
        """Take the keys that are held, and the stick."""
        self._inputs = inputs

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask that keys or stick have built up, as far as the guard lets it pass."""
        drive, turn = self._pulls()
        self._build_up_speed(drive)
        step = self._lock_rad * self._step_s / self.LOCK_S
        self._steer_rad = _toward(self._steer_rad, turn * self._lock_rad, step)
        if self._guard is not None:
            self._guard.observe(obs)
            # what was braked away has to build up again
            self._speed_mps, self._steer_rad = self._guard.limit(self._speed_mps, self._steer_rad)
        return np.array([self._speed_mps, self._steer_rad], dtype=np.float32)

    def decision(self) -> dict[str, Any]:
        """Return which keys are held, as bits in the order of their names, or the stick.

        Where the guard brakes, its reason, the cell in the way and a sentence go before them.
        """
        told = self._asked()
        guard = self._guard
        if guard is not None and guard.reason:
            told |= {"reason": guard.reason, "sentence": guard.sentence()}
            if guard.cell is not None:
                told["row"], told["col"] = guard.cell
        return told

    def layers(self) -> tuple[Layer, ...]:
        """Return what the guard brakes for."""
        return () if self._guard is None else self._guard.layers()

    def _asked(self) -> dict[str, Any]:
        inputs = self._inputs
        bits = [1 << index for index, name in enumerate(KEYS) if name in inputs.held]
        if not bits and (inputs.axes != (0, 0) or inputs.buttons):
            return {"reason": "gamepad", "drive": inputs.axes[0], "steer": inputs.axes[1]}
        return {"reason": "keys" if bits else "rest", "keys": sum(bits)}

    def _pulls(self) -> tuple[float, float]:
        """Return how much of speed and steer angle is asked for, -1 to 1."""
        held = self._inputs.held
        if not held:
            drive, turn = self._inputs.axes
            return drive / AXIS_FULL, turn / AXIS_FULL
        drive = bool(held & {"up", "w"}) - bool(held & {"down", "s"})
        turn = bool(held & {"left", "a"}) - bool(held & {"right", "d"})
        return float(drive), float(turn)

    def _build_up_speed(self, drive: float) -> None:
        """Move the speed asked for toward what is pulled for."""
        if "space" in self._inputs.held or "brake" in self._inputs.buttons:
            self._speed_mps = 0.0
            return
        most = self._forward_mps if drive >= 0.0 else self._reverse_mps
        goal = drive * most
        # against the motion first brake to rest
        if self._speed_mps * goal < 0.0:
            self._speed_mps = 0.0
        if abs(goal) >= abs(self._speed_mps):
            step = most * self._step_s / self.RISE_S
        else:
            step = self._forward_mps * self._step_s / self.FALL_S
        self._speed_mps = _toward(self._speed_mps, goal, step)


def _toward(value: float, goal: float, step: float) -> float:
    """Return the value moved toward the goal by at most a step."""
    return min(value + step, goal) if value < goal else max(value - step, goal)
