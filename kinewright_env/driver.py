"""The seat of an agent: whatever it does amiss is an error that names it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any

from .actions import split_claim, two_numbers
from .agent import Agent, Claim, Inputs, adapt, registered
from .errors import ActionError, AgentError, OptionError, allowed
from .layers import Layer
from .scene import Scene
from .scene_cells import occupancy
from .verdicts import VERDICTS

NOTE_KINDS = ("plan", "switch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What an agent decided on one observation.

    `number` is the claim that goes into the action, 0 for none; `told` is what goes into the
    record, kind and content: the plans and switches that led to the decision, then it.
    """

    ask: Any
    number: int
    claim: Claim | None
    told: tuple[tuple[str, Mapping[str, Any]], ...]

    @property
    def decision(self) -> Mapping[str, Any] | None:
        """The decision that was told, None where none was."""
        return next((content for kind, content in self.told if kind == "decision"), None)


class Driver:
    """An agent whose faults are named: what it raises or returns amiss is an `AgentError`."""

    def __init__(self, agent: Any) -> None:
        self.agent: Agent = adapt(agent)
        self.name = agent_name(agent)
        self.tick = -1

    def fault(self, reason: object) -> AgentError:
        """Return the error that names agent, tick and reason."""
        when = "in reset" if self.tick < 0 else f"on tick {self.tick}"
        return AgentError(f"agent {self.name!r} {when}: {reason}")

    def call(self, method: str, *arguments: Any, default: Any = None) -> Any:
        """Return what a method returns, the default where the agent has none such.

        Raises
        ------
        AgentError
            If it raises, or would leave the program.
        """
        try:
            function = getattr(self.agent, method, None)
            return default if function is None else function(*arguments)
        except AgentError as error:
            raise self.fault(error) from error
        except (Exception, SystemExit) as error:
            raise self.fault(f"{method} raised {type(error).__name__}: {error}") from error

    def begin(self, observation: Any, info: Mapping[str, Any], scene: Scene) -> None:
        """Reset the agent; one that declares so is given the scene's map before.

        An agent declares it by `wants_map_cell_m`, the size of the cells, and takes the map by
        `take_map`. Its card must say so: no other agent knows more than its senses tell.
        """
        cell_m = getattr(self.agent, "wants_map_cell_m", None)
        if cell_m is not None:
            try:
                given = occupancy(scene, cell_m)
            except OptionError as error:
                raise self.fault(error) from error
            self.call("take_map", given)
        self.call("reset", observation, info)

    def act(self, observation: Any, *, claims: bool) -> tuple[Any, int]:
        """Return an ask of two finite numbers, and the claim that came in the action or 0."""
        action, number = self.call("act", observation), 0
        try:
            if claims and isinstance(action, Mapping):
                action, number = split_claim(action)
            speed_mps, steer_rad = two_numbers(action)
        except ActionError as error:
            raise self.fault(error) from error
        if not (math.isfinite(speed_mps) and math.isfinite(steer_rad)):
            raise self.fault(f"ask {action!r} is not finite")
        return action, number

    def decide(self, inputs: Inputs, observation: Any, *, claims: bool) -> Choice:
        """Return what the agent decides, having been told what a person did.

        Raises
        ------
        AgentError
            For anything amiss.
        """
        self.call("handle", inputs)
        ask, number = self.act(observation, claims=claims)
        claim = self.claim()
        if claims and claim is not None and claim.verdict:
            number = VERDICTS.index(claim.verdict) + 1
        told = self.notes()
        decision = self.call("decision")
        if decision is not None:
            if not isinstance(decision, Mapping):
                raise self.fault(f"decision() returned {decision!r}; allowed: None or a mapping")
            told = (*told, ("decision", decision))
        return Choice(ask=ask, number=number, claim=claim, told=told)

    def notes(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the agent's plans and switches of this step, checked as far as their kind."""
        notes = self.call("notes")
        if not notes:
            return ()
        try:
            listed = tuple((kind, content) for kind, content in notes)
        except (TypeError, ValueError):
            raise self.fault(
                f"notes() returned {notes!r}; allowed: (kind, mapping) pairs"
            ) from None
        for kind, content in listed:
            if not isinstance(kind, str) or kind not in NOTE_KINDS:
                raise self.fault(f"notes() has {kind!r}; {allowed(kind, NOTE_KINDS)}")
            if not isinstance(content, Mapping):
                raise self.fault(f"notes() has {content!r}; allowed: a mapping")
        return listed

    def claim(self) -> Claim | None:
        """Return the agent's claim, checked."""
        claim = self.call("claim")
        if claim is None:
            return None
        if not isinstance(claim, Claim):
            raise self.fault(f"claim() returned {claim!r}; allowed: None or a Claim")
        if not (isinstance(claim.verdict, str) and isinstance(claim.sentence, str)):
            raise self.fault(f"{claim!r} is not allowed; verdict and sentence are strings")
        if claim.verdict and claim.verdict not in VERDICTS:
            raise self.fault(f"claims {claim.verdict!r}; {allowed(claim.verdict, VERDICTS)}")
        gap_m, rooms = claim.gap_m, claim.rooms
        if not (gap_m is None or (isinstance(gap_m, Real) and math.isfinite(gap_m))):
            raise self.fault(f"claims gap_m {gap_m!r}; allowed: None or a finite number")
        if not (rooms is None or isinstance(rooms, Integral)):
            raise self.fault(f"claims rooms {rooms!r}; allowed: None or a whole number")
        return replace(  # plain numbers, whatever kind the agent counts in
            claim,
            gap_m=None if gap_m is None else float(gap_m),
            rooms=None if rooms is None else int(rooms),
        )

    def closing(self, verdict: str, observation: Any) -> str:
        """Return what the agent says of an end that is not its own, empty where nothing."""
        said = self.call("closing", verdict, observation, default="")
        if not isinstance(said, str):
            raise self.fault(f"closing() returned {said!r}; allowed: a string")
        return said

    def layers(self) -> tuple[Layer, ...]:
        """Return what the agent would like to see drawn, checked as far as its kind and name."""
        layers = self.call("layers", default=())
        try:
            listed = tuple(layers)
        except TypeError:
            raise self.fault(f"layers() returned {layers!r}; allowed: layers in a list") from None
        for layer in listed:
            texts = [getattr(layer, name, "") for name in ("name", "text")]
            if not isinstance(layer, Layer) or not all(isinstance(text, str) for text in texts):
                raise self.fault(f"{layer!r} is no layer; see kinewright_env.layers")
        return listed

    def count(self, name: str) -> int:
        """Return a count that the agent keeps as an attribute, 0 where it keeps none."""
        try:
            value = getattr(self.agent, name, 0)
        except Exception as error:
            raise self.fault(f"{name} raised {type(error).__name__}: {error}") from error
        return int(value) if isinstance(value, Integral) else 0


def agent_name(agent: Any) -> str:
    """Return the name that an agent's class is registered by, else that of class or function."""
    kind = type(agent)
    name = _registered_name(f"{kind.__module__}:{kind.__qualname__}")
    return name or str(getattr(agent, "__name__", kind.__name__))


@cache
def _registered_name(home: str) -> str:
    """Return the name by which `module:Class` is registered, empty for none.

    To look through all that is installed takes as long as a short drive.
    """
    return next((name for name, point in registered().items() if point.value == home), "")
