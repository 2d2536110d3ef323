"""Drives a car to a subgoal: turning and going, and never into what its senses show.

What may be driven is decided by the skill of `avoidance`: every 12 ticks it takes, of the
motions that the shell can make and stop again without meeting what the senses have met, the
one that ends nearest the subgoal. A car cannot turn on the spot. Where the subgoal lies to
the side or behind, or going forward leads nowhere, motions backward are held against it by
the same test, and the one is taken after which least is left to go and to turn: so a turn in
several pulls comes about where there is no room for one.
"""

from __future__ import annotations

import math
from typing import Any

from kinewright_env.agent import Observation
from kinewright_env.grids import DECISION_TICK, TICKS_PER_SECOND, Aim, atan2, cos, predict, sin
from kinewright_env.shells import Shell, Steering

from ..avoidance import Avoider, Decision
from .machines import Point, Pose, distance

ASIDE_RAD = 1.05  # 60 degrees: a subgoal farther to the side may be had sooner backward
BACK_MPS = (0.30, 0.15)  # the second where the first is barred
TRIED_TICK = TICKS_PER_SECOND  # over which a motion either way is predicted
BACK_STEERS = (
    -1.0,
    -0.5,
    -0.125,
    0.0,
    0.125,
    0.5,
    1.0,
)  # of the lock; the gentle ones leave a wall
GEAR_M = 0.10  # so much better the other direction must be to be changed to
STOPPED_DECISIONS = 3
STALLED_DECISIONS = 25  # 2.5 s in which no less was left
PULL_DECISIONS = 10  # 1 s backward at least, where it was stuck
NEARER_M = 0.05
WHEELS_RAD = 0.09  # 5 degrees


class SubgoalDriver:
    """Turns subgoals into asks.

    Parameters
    ----------
    name : str
        Of the agent, for errors.
    declarations : dict
        As `reset` hands them over: shell, steering, rig, ticks_per_step.

    Raises
    ------
    AgentError
        As `Avoider`: where a step is no part of 12 ticks.
    """

    def __init__(self, name: str, declarations: dict[str, Any]) -> None:
        self.avoider = Avoider(name, declarations)
        self.centre: Pose = (0.0, 0.0, 0.0)
        self.is_backing = False
        self._shell: Shell = declarations["shell"]
        self._steering: Steering = declarations["steering"]
        self._lock = self._shell.lock_urad
        self._radius_m = self._shell.radius_at_lock_m
        self._own: tuple[int, int] | None = None
        self._turns_wheels = False
        self._decided_tick = -DECISION_TICK
        self._stopped = self._stalled = self._pull = 0
        self._least_m = math.inf

    def observe(self, obs: Observation) -> None:
        """Take an observation."""
        self.avoider.observe(obs)
        x, y, heading = obs["pose"][-1].tolist()
        self.centre = self._centre(x / 1e6, y / 1e6, heading / 1e6)

    @property
    def is_due(self) -> bool:
        """Whether the next subgoal is wanted."""
        return self.avoider.tick - self._decided_tick >= DECISION_TICK

    @property
    def is_stuck(self) -> bool:
        """Whether it came no nearer for a while, and pulls back to try anew."""
        return self._pull > 0

    def rest(self) -> None:
        """Rest until the next subgoal."""
        self._decided_tick = self.avoider.tick
        decision = self.avoider.decision
        self._own = (0, decision.ask[1] if decision is not None else 0)
        self.is_backing = False
        self._begin()

    def drive(self, subgoal: Point, radius_m: float, left_m: float) -> None:
        """Drive on to a subgoal.

        Parameters
        ----------
        subgoal : (x_m, y_m)
            In `map`, for the body's centre.
        radius_m : float
            How near counts as there.
        left_m : float
            What is left of the way, by the plan: it is stuck where that stops falling.
        """
        self._decided_tick = self.avoider.tick
        goal_um = (round(subgoal[0] * 1e6), round(subgoal[1] * 1e6))
        decision = self.avoider.decide(Aim(goal_um=goal_um, radius_um=round(radius_m * 1e6)))
        self._own = None
        if decision.candidate is None or decision.candidate.is_at_goal:
            self._begin()
            self.is_backing = False
            return
        turn_rad = self._turn(self.centre, subgoal)
        self._count(decision, left_m + self._radius_m * turn_rad)
        was_backing = self.is_backing
        if turn_rad > ASIDE_RAD or self.is_backing or self._stopped or self._pull:
            back = self._best_back(subgoal)
            forward = self._forward_left_m(decision, subgoal)
            forward += GEAR_M if self.is_backing else -GEAR_M
            self.is_backing = back is not None and (back[0] < forward or self._pull > 0)
            self._own = back[1] if back is not None and self.is_backing else None
        self._pull = max(self._pull - 1, 0)
        if self.is_backing != was_backing:
            self._turns_wheels = True
        self._turn_wheels_first(self._own or decision.ask)

    def _turn_wheels_first(self, ask: tuple[int, int]) -> None:
        """At a change of direction, rest until the wheels stand as the ask wants them.

        A rack needs 3 s from lock to lock, half a metre in which a pull would turn the wrong way.
        """
        steer_rad = self.avoider.motion.row[4]
        self._turns_wheels &= abs(steer_rad - ask[1] / 1e6) > WHEELS_RAD
        if self._turns_wheels and ask[0]:
            self._own = (0, ask[1])
            self._stalled -= 1

    def take(self) -> tuple[int, int]:
        """Return the ask of the next step."""
        if self._own is not None:
            return self.avoider.take_own(self._own)
        return self.avoider.take()

    # ---- Forward or back ----

    def _forward_left_m(self, decision: Decision, subgoal: Point) -> float:
        """Return what is left after the best motion forward; infinite where there is none."""
        chosen = decision.candidate
        if chosen is None or chosen.speed_dmmps == 0:
            return math.inf
        ask = (chosen.speed_dmmps, chosen.steer_urad)
        return self._left_m(ask, subgoal)

    def _best_back(self, subgoal: Point) -> tuple[float, tuple[int, int]] | None:
        """Return what is left after the best motion backward, and its ask, where there is one."""
        for speed_mps in BACK_MPS:
            speed = -round(min(speed_mps, self._shell.reverse_speed_limit_mps) * 10000)
            asks = [(speed, round(share * self._lock)) for share in BACK_STEERS]
            free = [ask for ask in asks if self.avoider.test(ask).is_admissible]
            if free:
                return min((self._left_m(ask, subgoal), ask) for ask in free)
        return None

    def _left_m(self, ask: tuple[int, int], subgoal: Point) -> float:
        """Return what is left to go and to turn after an ask, in metres of driving."""
        motion = self.avoider.motion.row
        if motion[3] * ask[0] <= 0.0:  # the wheels turn first
            motion = (*motion[:3], 0.0, ask[1] / 1e6, 0.0, motion[6])
        ahead = predict(self._shell, self._steering, motion, ask, TRIED_TICK)
        centre = self._centre(*ahead[-1, :3].tolist())
        turn_m: float = self._radius_m * self._turn(centre, subgoal)
        return distance(centre[:2], subgoal) + turn_m

    def _centre(self, x_m: float, y_m: float, heading_rad: float) -> Pose:
        """Return the body's centre for a pose of `base_link`."""
        ahead_m = self._shell.body_ahead_m
        return (
            x_m + ahead_m * float(cos(heading_rad)),
            y_m + ahead_m * float(sin(heading_rad)),
            heading_rad,
        )

    def _turn(self, pose: Pose, place: Point) -> float:
        """Return how far from the nose's direction a place lies, radians, to either side."""
        cosine, sine = float(cos(pose[2])), float(sin(pose[2]))
        dx, dy = place[0] - pose[0], place[1] - pose[1]
        turn_rad: float = atan2(dy * cosine - dx * sine, dx * cosine + dy * sine)
        return abs(turn_rad)

    # ---- Whether it is stuck ----

    def _begin(self) -> None:
        self._stopped = 0
        self._stalled = 0
        self._pull = 0
        self._least_m = math.inf

    def _count(self, decision: Decision, left_m: float) -> None:
        """Count a decision; a pull backward is due where they lead nowhere."""
        self._stopped = self._stopped + 1 if decision.reason == "stop" else 0
        self._stalled += 1
        if left_m < self._least_m - NEARER_M:
            self._least_m, self._stalled = left_m, 0
        if self._stalled >= STALLED_DECISIONS or self._stopped >= STOPPED_DECISIONS:
            self._begin()
            self._pull = PULL_DECISIONS
