"""The two skills: from decision to decision toward a goal, and how they end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import CELL_UM, DECISION_TICK, TICKS_PER_SECOND, Aim
from kinewright_env.layers import Layer
from kinewright_env.shells import Shell

from .avoider import Avoider, Decision
from .drawing import layers_of

BLOCKED_DECISIONS = 10  # without admissible motion
STALLED_DECISIONS = 30  # over which the way to the goal must have fallen
PROGRESS_UM = 50_000  # by this


class Progress:
    """Counts decisions that led nowhere: without admissible motion, or no nearer to the goal."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start counting anew, as toward another goal."""
        self.blocked = 0
        self.stalled = 0
        self._least_um: int | None = None

    def count(self, decision: Decision, to_go_um: int) -> None:
        """Count one decision.

        Parameters
        ----------
        decision : Decision
        to_go_um : int
            What is left of the way, by whatever measure; it counts as fallen when it is
            `PROGRESS_UM` below its least so far.
        """
        if decision.reason in {"map_unknown", "wheels"}:
            return
        self.blocked = self.blocked + 1 if decision.reason == "stop" else 0
        self.stalled += 1
        if self._least_um is None or to_go_um <= self._least_um - PROGRESS_UM:
            self._least_um, self.stalled = to_go_um, 0

    @property
    def end(self) -> str:
        """`blocked` or `stalled` where it is so, else empty."""
        if self.blocked >= BLOCKED_DECISIONS:
            return "blocked"
        return "stalled" if self.stalled >= STALLED_DECISIONS else ""


class Skill:
    """What the two skills share: observe, decide when it is due, count, end."""

    name = ""
    toward_only = False
    needs_goal = False
    may_stall = False

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin with an empty map.

        Raises
        ------
        AgentError
            Where `ticks_per_step` does not divide 12, the rig has no ranging sense, or there is
            no goal and the skill needs one.
        """
        if self.needs_goal and not obs["has_goal"][0]:
            raise AgentError(f"{self.name}: the scene has no goal; {self.name} drives to one")
        self._shell: Shell = info["declarations"]["shell"]
        self._avoider = Avoider(self.name, info["declarations"])
        self._progress = Progress()
        self._aim = Aim(toward_only=self.toward_only)
        self._is_last = True
        self._at_rest = True

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask of the decision in force."""
        self._avoider.observe(obs)
        self._at_rest = int(obs["speed"][0]) == 0
        if self._avoider.is_due:
            self._look_at_goal(obs)
            decision = self._avoider.decide(self._aim)
            if decision.candidate is not None:
                self._progress.count(decision, decision.candidate.away_um)
        speed, steer = self._avoider.take()
        return np.array([speed / 10000.0, steer / 1e6], dtype=np.float32)

    def _look_at_goal(self, obs: Observation) -> None:
        """Take the goal as it stands; another one begins another way."""
        goal, radius_um = None, 0
        if obs["has_goal"][0]:
            x, y = obs["goal"].tolist()
            goal, radius_um = (x, y), int(obs["goal_radius"][0])
        self._is_last = int(obs["goals_left"][0]) == 0
        if goal != self._aim.goal_um or radius_um != self._aim.radius_um:
            self._aim = Aim(goal_um=goal, radius_um=radius_um, toward_only=self.toward_only)
            self._progress.begin()

    def claim(self) -> Claim | None:
        """End at rest in the last goal, or where no decision leads on."""
        decision = self._avoider.decision
        if decision is None or not self._at_rest:
            return None
        if decision.reason == "goal_reached" and self._is_last:
            time_s = decision.tick / TICKS_PER_SECOND
            return Claim(verdict="at_goal", sentence=f"At the goal after {time_s:.1f} s.")
        end = self._progress.end
        if end == "blocked":
            return Claim(verdict="blocked", sentence=f"Blocked: {self._in_the_way(decision)}.")
        if end == "stalled" and self.may_stall:
            return Claim(verdict="stalled", sentence=self._stalled(decision))
        return None

    def _in_the_way(self, decision: Decision) -> str:
        cell = decision.candidate.cell if decision.candidate else None
        if cell is None:
            return f"no admissible motion for {BLOCKED_DECISIONS} decisions"
        x_m, y_m = ((2 * at + 1) * CELL_UM / 2e6 for at in reversed(cell))
        return (
            f"no admissible motion for {BLOCKED_DECISIONS} decisions; something at "
            f"({x_m:.2f}, {y_m:.2f}) is in the way"
        )

    def _stalled(self, decision: Decision) -> str:
        away_um = decision.candidate.away_um if decision.candidate else 0
        return (
            f"Stalled: {away_um / 1e6:.2f} m from the goal, and no nearer for "
            f"{STALLED_DECISIONS * DECISION_TICK / TICKS_PER_SECOND:.0f} s."
        )

    def decision(self) -> dict[str, Any]:
        """Return the decision in force: number, reason, candidate, margin, limiting cell."""
        decision = self._avoider.decision
        return {} if decision is None else decision.to_record()

    def layers(self) -> tuple[Layer, ...]:
        """Return the local map by age, the candidates, the zones and the reason in words."""
        return layers_of(self._avoider, self._shell, self._aim)


class StopBefore(Skill):
    """Drive toward the goal, or straight ahead, and rest before what the senses see.

    Never steers around anything. Ends `at_goal`, or `blocked` after ten decisions without
    admissible motion. Needs one of scan, grid and beam in the rig, and `ticks_per_step` that
    divides 12.
    """

    name = "stop_before"
    toward_only = True


class GoAround(Skill):
    """Drive to the goal round what the shell can pass, and rest before what it cannot.

    Knows the room by its senses of the last two seconds alone, so it never goes far away from
    its goal to reach it. Ends `at_goal`, `blocked` after ten decisions without admissible
    motion, or `stalled` where the distance to the goal has not fallen by 0.05 m over 30
    decisions. Needs a goal, one of scan, grid and beam in the rig, and `ticks_per_step` that
    divides 12.
    """

    name = "go_around"
    needs_goal = True
    may_stall = True
