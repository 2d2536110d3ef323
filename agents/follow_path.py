"""Follows a path of points or poses, given or drawn at the window, to its end pose.

The path becomes a reference in `reference.py`; `tracking.py` keeps the shell on it.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Inputs, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import TICKS_PER_SECOND, predict
from kinewright_env.layers import Layer, PointsLayer, PolylineLayer, TextLayer
from kinewright_env.shells import Shell, Steering

from .path import Pose, distance, wrap
from .reference import reference
from .tracking import LONGEST_HOLD_TICKS, Motion, Tracker

LOST_M = 0.30  # farther than this off the reference it gives up
SPEED_ROUNDING_MPS = 0.000501  # what an observation rounds away
STEER_ROUNDING_RAD = 0.000000501
DEGREES = 57.29577951308232


class FollowPath:
    """Drive along a path to its end pose and rest there.

    Needs no sensor: it goes by the pose. It never looks at solids. Rests until there is a
    path, which may be drawn at the window. Ends with an empty verdict and a sentence that
    says how near to the end pose it came; with `stopped_trying` where it has lost the path.

    Parameters
    ----------
    path : sequence of (x_m, y_m) or (x_m, y_m, heading_rad), optional
        Where `base_link` is to pass, in `map`. Corners are rounded as the lock asks; a
        curve tighter than the lock is refused with place and radius.
    cruise_mps : float, optional
        Greatest speed; the shell's cruise speed unless told.
    """

    def __init__(
        self, path: Sequence[Sequence[float]] | None = None, cruise_mps: float | None = None
    ) -> None:
        if cruise_mps is not None and not 0.03 <= cruise_mps <= 100.0:
            raise AgentError(f"follow_path: cruise_mps is {cruise_mps!r}; allowed: 0.03 and more")
        self._path = path
        self._cruise_mps = cruise_mps

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Plan from the shell's pose.

        Raises
        ------
        AgentError
            If the path cannot be driven, with the place and the radius.
        """
        declarations = info["declarations"]
        self._shell: Shell = declarations["shell"]
        self._steering: Steering = declarations["steering"]
        self._hold: int = declarations["ticks_per_step"]
        if self._hold > LONGEST_HOLD_TICKS:
            raise AgentError(
                f"follow_path: ticks_per_step is {self._hold}; allowed: {LONGEST_HOLD_TICKS} "
                "and fewer, or one ask would run too far"
            )
        self._tracker: Tracker | None = None
        self._ask = (0, 0)
        self._reason = "rest"
        self._note = ""
        self._motion: Motion = (*_pose(obs), 0.0, 0.0, 0.0)
        self._here = self._motion
        self._observe(obs)
        if self._path is not None:
            self._plan(self._path)

    def handle(self, inputs: Inputs) -> None:
        """Take a path drawn at the window; one that cannot be driven is said there."""
        if inputs.drawn_path_m is None:
            return
        try:
            self._plan(inputs.drawn_path_m)
        except AgentError as error:
            self._note = str(error)

    def _plan(self, path: Sequence[Sequence[float]]) -> None:
        line = reference(path, self._motion[:3], self._shell)
        cruise = self._shell.cruise_speed_mps if self._cruise_mps is None else self._cruise_mps
        self._tracker = Tracker(line, self._shell, self._steering, self._hold, cruise)
        self._start_tick = self._tick
        self._note = ""

    def _observe(self, obs: Observation) -> None:
        """Take the pose from the observation, and what it rounds from the law where they agree."""
        self._tick = int(obs["tick"][0])
        speed, steer = int(obs["speed"][0]) / 1000.0, int(obs["steer"][0]) / 1e6
        _, _, _, v, angle, rate = self._motion
        if abs(v - speed) <= SPEED_ROUNDING_MPS and abs(angle - steer) <= STEER_ROUNDING_RAD:
            self._motion = (*_pose(obs), v, angle, rate)
        else:
            self._motion = (*_pose(obs), speed, steer, 0.0)

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask that keeps to the path."""
        self._observe(obs)
        self._ask, self._reason = (0, self._ask[1]), "rest"
        if self._tracker is not None:
            ask = self._tracker.ask(self._motion)
            if abs(self._tracker.lateral_m) > LOST_M:
                self._reason = "lost"
            elif self._tracker.is_at_end:
                self._reason = "end"
            else:
                self._ask, self._reason = ask, "follow"
        ahead = predict(self._shell, self._steering, self._motion, self._ask, self._hold)
        self._here = self._motion
        self._motion = tuple(ahead[-1].tolist()[:6])  # the pose comes observed
        return np.array([self._ask[0] / 10000.0, self._ask[1] / 1e6], dtype=np.float32)

    def claim(self) -> Claim | None:
        """End at rest at the path's end, or where the path is lost."""
        if self._tracker is None or self._here[3] != 0.0:
            return None
        if self._reason == "end":
            line = self._tracker.line
            end = line.pose(len(line.s_m) - 1)
            off = distance(self._here, end)
            turned = abs(wrap(self._here[2] - end[2])) * DEGREES
            time_s = (self._tick - self._start_tick) / TICKS_PER_SECOND
            return Claim(
                verdict="",
                sentence=f"Followed the path to its end: {off:.3f} m and {turned:.1f} degrees "
                f"off, in {time_s:.1f} s.",
            )
        if self._reason == "lost":
            x, y = self._here[:2]
            return Claim(
                verdict="stopped_trying",
                sentence=f"Lost the path: {abs(self._tracker.lateral_m):.2f} m beside it "
                f"at ({x:.2f}, {y:.2f}).",
            )
        return None

    def decision(self) -> dict[str, Any]:
        """Return the ask, how far the path was run, and the errors, as integers."""
        record = {"reason": self._reason, "speed_dmmps": self._ask[0], "steer_urad": self._ask[1]}
        if self._tracker is not None:
            record["run_um"] = _whole(self._tracker.s_m * 1e6)
            record["lateral_um"] = _whole(self._tracker.lateral_m * 1e6)
            record["turned_urad"] = _whole(self._tracker.turned_rad * 1e6)
        return record

    def layers(self) -> tuple[Layer, ...]:
        """Return the reference, the point looked ahead to, and what was refused."""
        layers: list[Layer] = []
        if self._note:
            layers.append(TextLayer(name="refused", text=self._note))
        elif self._tracker is None:
            layers.append(TextLayer(name="path", text="Press g and draw a path with the mouse."))
        if self._tracker is not None:
            line = self._tracker.line
            layers.append(
                PolylineLayer(
                    name="reference", points_m=tuple(zip(line.x_m, line.y_m, strict=True))
                )
            )
            layers.append(PointsLayer(name="lookahead", points_m=(self._tracker.lookahead_m,)))
        return tuple(layers)


def _pose(obs: Observation) -> Pose:
    """Return the present pose of an observation, metres and radians."""
    x, y, heading = obs["pose"][-1].tolist()
    # half a turn rounds to more than half a turn
    return (x / 1e6, y / 1e6, wrap(heading / 1e6))


def _whole(value: float) -> int:
    """Return the nearest whole number, half up."""
    return math.floor(value + 0.5)
