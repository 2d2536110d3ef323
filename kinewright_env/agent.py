"""What an agent is: the protocol, its claim at the end, and how names become agents."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, cast, runtime_checkable

from .errors import AgentError, allowed

ENTRY_POINT_GROUP = "kinewright.agents"

AXIS_FULL = 1000  # of `Inputs.axes`: a stick at its end

Observation = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What an agent says when it ends the drive.

    `verdict` is one of the verdicts of `kinewright_env.verdicts`, or empty where the agent
    ends without one (a drawn path followed to its end); `sentence` is for people.
    """

    verdict: str
    sentence: str = ""
    gap_m: float | None = None
    rooms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a person did at the window since the last step.

    `held` names the keys held down (`up`, `down`, `left`, `right`, `w`, `a`, `s`, `d`,
    `space`); `axes` is how far a gamepad's stick is pushed forward and to the left, -1000 to
    1000, and `buttons` names those of its buttons that are down (`brake`); `drawn_path_m` is
    a path drawn with the mouse, metres in `map`, once; `closed` ends the drive.
    """

    held: frozenset[str] = frozenset()
    axes: tuple[int, int] = (0, 0)
    buttons: frozenset[str] = frozenset()
    drawn_path_m: tuple[tuple[float, float], ...] | None = None
    closed: bool = False


@runtime_checkable
class Agent(Protocol):
    """Two methods make an agent.

    Optional ones, looked for by name: `claim() -> Claim | None` (ends the drive),
    `decision() -> dict` and `notes() -> Sequence[tuple[str, Mapping]]` (what goes into the
    record after each act: the decision, and each `"plan"` and `"switch"` that led to it),
    `layers() -> tuple[Layer, ...]` (what a viewer may draw, asked for only when one looks),
    `closing(verdict, obs) -> str` (its sentence where the world ends the drive, on the last
    observation),
    `handle(inputs: Inputs)` (a person at the window), and `needs`, a tuple of the sources that
    it can't do without: the command line turns them on. Integer attributes `plans` and
    `switches` are what a result says of them. An agent that is meant to know the scene's map
    says so by `wants_map_cell_m`, the size of its cells, and is given it by
    `take_map(occupancy)` before each reset.
    """

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin a drive; `info["declarations"]` holds shell, steering, rig, ticks_per_step."""

    def act(self, obs: Observation) -> Any:
        """Return the ask for the next step: speed m/s and steer angle rad."""


class CallableAgent:
    """A plain function of the observation as an agent."""

    def __init__(self, function: Callable[[Observation], Any]) -> None:
        self._function = function

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Do nothing: a function keeps no state."""

    def act(self, obs: Observation) -> Any:
        """Return what the function returns."""
        return self._function(obs)


class PredictAgent:
    """A model with Stable-Baselines3's `predict(obs, state, episode_start)` as an agent."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._state: Any = None
        self._start = True

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Forget the recurrent state."""
        self._state, self._start = None, True

    def act(self, obs: Observation) -> Any:
        """Return the deterministic action."""
        action, self._state = self._model.predict(
            obs, state=self._state, episode_start=[self._start], deterministic=True
        )
        self._start = False
        return action


def adapt(thing: Any) -> Agent:
    """Return an agent for an agent, a model with `predict`, or a callable.

    Raises
    ------
    AgentError
        If it is none of these.
    """
    if hasattr(thing, "reset") and hasattr(thing, "act"):
        return cast(Agent, thing)
    if hasattr(thing, "predict"):
        return PredictAgent(thing)
    if callable(thing):
        return CallableAgent(thing)
    raise AgentError(
        f"agent {thing!r}: an agent has reset(obs, info) and act(obs), or predict(obs), "
        "or is a callable of the observation"
    )


def registered() -> dict[str, EntryPoint]:
    """Return the agents that installed packages register, by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def find(name: str) -> Callable[..., Any]:
    """Return the class of an agent by its registered name or as `module:Class`.

    Raises
    ------
    AgentError
        If there is no such agent, its module cannot be imported, or it is nothing to call.
    """
    known = registered()
    if not isinstance(name, str) or not (name in known or ":" in name):
        raise AgentError(f"agent {name!r} is unknown; {allowed(name, known)}, or 'module:Class'")
    try:
        if name in known:
            factory = known[name].load()
        else:
            module, _, attribute = name.partition(":")
            factory = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # a module may do anything as it is imported
        reason = f"{type(error).__name__}: {error}"
        raise AgentError(f"agent {name!r} cannot be loaded: {reason}") from error
    if not callable(factory):
        raise AgentError(f"agent {name!r} is a {type(factory).__name__}; allowed: a class")
    return cast(Callable[..., Any], factory)


def make(name: str, **options: Any) -> Agent:
    """Build an agent by name.

    Parameters
    ----------
    name : str
        A registered name, or `module:Class`.
    **options
        Passed to the agent; each agent's docstring names its own.

    Raises
    ------
    AgentError
        If there is no such agent, it refuses an option, or it fails to build.
    """
    factory = find(name)
    _check_options(name, factory, options)
    try:
        agent = adapt(factory(**options))
        agent.made_from = (name, dict(options))  # type: ignore[attr-defined]
        return agent
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(f"agent {name!r} with {dict(options)!r}: {error}") from error


def _check_options(name: str, factory: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse an option that the agent does not have, by the names that it has."""
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # it does not say what it takes
        return
    if any(part.kind is inspect.Parameter.VAR_KEYWORD for part in parameters.values()):
        return
    for option in options:
        if option not in parameters:
            raise AgentError(f"agent {name!r}: no option {option!r}; {allowed(option, parameters)}")


def made_from(agent: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and options that `make` built an agent from; empty for any other."""
    name, options = getattr(agent, "made_from", ("", {}))
    return name, options


def needs(agent: Any) -> tuple[str, ...]:
    """Return the sources that an agent can't do without, its `needs`; none for most.

    Raises
    ------
    AgentError
        If they are no names.
    """
    keys = getattr(agent, "needs", ())
    if not (isinstance(keys, tuple) and all(isinstance(key, str) for key in keys)):
        raise AgentError(
            f"agent {type(agent).__name__!r}: needs {keys!r}; allowed: a tuple of sensors' keys"
        )
    return keys


def accepts(name: str, option: str) -> bool:
    """Return whether an agent's constructor has this option."""
    parameters: Mapping[str, inspect.Parameter] = inspect.signature(find(name)).parameters
    return option in parameters
