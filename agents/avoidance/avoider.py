"""One decision: what the senses have met, the motions that avoid it, the best of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinewright_env.agent import Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import (
    AVOIDANCE,
    CANDIDATE_REST,
    CURVATURE_COUNT,
    CURVATURE_OF_GOAL,
    DECISION_TICK,
    HOLD_TICK,
    RANGING_SENSES,
    Aim,
    Candidate,
    Candidates,
    LocalMap,
    Motion,
)

CRUISE_SPEED = len(AVOIDANCE["speeds_mps"]) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided on one tick, and why.

    `reason` is one of `clear`, `slow`, `around`, `stop`, `goal_reached`, `map_unknown`, `rest`
    where there is nowhere to go, and `wheels` where they are turned at rest before the shell goes
    by the candidate. `candidate` is None where none was looked for: `map_unknown`, `rest`.
    """

    number: int
    tick: int
    reason: str
    ask: tuple[int, int]
    candidate: Candidate | None

    def to_record(self) -> dict[str, Any]:
        """Return it as integers and short strings."""
        record: dict[str, Any] = {"number": self.number, "reason": self.reason}
        chosen = self.candidate
        if chosen is not None:
            record["candidate"] = chosen.number
            record["margin_mm"] = chosen.margin_mm
            record["away_um"] = chosen.away_um
            if chosen.cell is not None:
                record["row"], record["col"] = chosen.cell
        return record


class Avoider:
    """The local map, the shell's motion and its candidates, from observation to observation.

    Parameters
    ----------
    name : str
        Of the agent, for errors.
    declarations : mapping
        As `reset` hands them over: shell, steering, rig, ticks_per_step.

    Raises
    ------
    AgentError
        Where a step is no part of a decision's 12 ticks, or no sense tells of a range.
    """

    def __init__(self, name: str, declarations: Mapping[str, Any]) -> None:
        step, rig = declarations["ticks_per_step"], declarations["rig"]
        if DECISION_TICK % step != 0:
            raise AgentError(
                f"{name}: ticks_per_step is {step}; allowed: what divides {DECISION_TICK}, "
                "the ticks from one decision to the next"
            )
        if not any(key in rig for key in RANGING_SENSES):
            raise AgentError(f"{name}: needs one of {', '.join(RANGING_SENSES)} in the rig")
        shell, steering = declarations["shell"], declarations["steering"]
        self.local_map = LocalMap(shell, rig, step)
        self.motion = Motion(shell, steering)
        self.reaction_tick = self.local_map.age_tick + HOLD_TICK
        self.candidates = Candidates(shell, steering, self.reaction_tick)
        self.decision: Decision | None = None
        self.tick = -1
        self._ask = (0, 0)
        self._number = 0

    def observe(self, obs: Observation) -> None:
        """Take an observation; one of the tick that is known already changes nothing."""
        tick = int(obs["tick"][0])
        if tick <= self.tick:
            return
        self.tick = tick
        self.local_map.observe(obs)
        self.motion.observe(obs, self._ask)

    @property
    def is_due(self) -> bool:
        """Whether the next decision is due."""
        return self.decision is None or self.tick - self.decision.tick >= DECISION_TICK

    def decide(self, *aims: Aim) -> Decision:
        """Decide now, by the first of the aims that leaves a motion, else by the last."""
        return self.take_up(self.choose(*aims))

    def rest(self) -> Decision:
        """Decide to rest: there is nowhere to go."""
        return self._take((0, self._ask[1]), "rest", None)

    def choose(self, *aims: Aim, wheels_urad: int | None = None) -> Candidate | None:
        """Return the best motion by the first of the aims that leaves one, else rest.

        From rest with the wheels turned so far, where `wheels_urad` is given. None where the map
        is not known.
        """
        chosen = None
        motion = self.motion if wheels_urad is None else self.motion.turned(wheels_urad)
        if self.local_map.is_known:
            for aim in aims:
                # rest keeps the steer angle, as it was tested
                chosen = self.candidates.choose(self.local_map, motion, aim, self._ask[1])
                if chosen.number != CANDIDATE_REST:
                    break
        return chosen

    def take_up(self, chosen: Candidate | None, wheels_urad: int | None = None) -> Decision:
        """Decide for a motion; first to turn the wheels so far, where `wheels_urad` is given."""
        ask, reason = (0, self._ask[1]), "map_unknown"
        if chosen is not None:
            ask = (chosen.speed_dmmps, chosen.steer_urad)
            reason = _reason(chosen)
        if wheels_urad is not None:
            ask, reason = self.turning(wheels_urad), "wheels"
        return self._take(ask, reason, chosen)

    def _take(self, ask: tuple[int, int], reason: str, chosen: Candidate | None) -> Decision:
        self.decision = Decision(
            number=self._number, tick=self.tick, reason=reason, ask=ask, candidate=chosen
        )
        self._number += 1
        return self.decision

    def take(self) -> tuple[int, int]:
        """Return the ask of the next step: the decision's, or rest once it has lapsed."""
        decision = self.decision
        if decision is not None and self.tick - decision.tick < HOLD_TICK:
            self._ask = decision.ask
        else:
            self._ask = (0, self._ask[1])
        return self._ask

    def take_own(self, ask: tuple[int, int]) -> tuple[int, int]:
        """Return an ask that comes from elsewhere, having noted that it is the next step's."""
        self._ask = ask
        return ask

    def turning(self, wheels_urad: int) -> tuple[int, int]:
        """Return the ask that turns the wheels at rest; until then rest as it was tested."""
        return (0, wheels_urad if self.motion.speed_mps == 0.0 else self._ask[1])

    def test(self, ask: tuple[int, int], wheels_urad: int | None = None) -> Candidate:
        """Return whether an ask, of either direction, is admissible now, and what bars it.

        From rest with the wheels turned so far, where `wheels_urad` is given.
        """
        motion = self.motion if wheels_urad is None else self.motion.turned(wheels_urad)
        return self.candidates.test(self.local_map, motion, ask)


def _reason(chosen: Candidate) -> str:
    if chosen.is_at_goal:
        return "goal_reached"
    if chosen.number == CANDIDATE_REST:
        return "stop"
    speed, curvature = divmod(chosen.number, CURVATURE_COUNT)
    if curvature != CURVATURE_OF_GOAL:
        return "around"
    return "slow" if chosen.is_cut or speed != CRUISE_SPEED else "clear"
