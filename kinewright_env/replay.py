"""Replay: run a recorded drive again and compare byte for byte."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import agent as agents
from .actions import two_numbers
from .agent import Inputs
from .difference import first_difference
from .driver import Choice, Driver
from .env import DriveEnv
from .errors import AgentError, JournalError, OptionError, allowed
from .frames import Frames, State, Step, steps
from .grids import quantise_ask
from .journal import KINDS, Journal, canonical, read
from .observation import Layout, Observation
from .rebuild import make_env
from .rig import CARDS
from .runner import run

THROUGH: tuple[str, ...] = ("agent", "frames", "asks")

# What the world alone brings forth from asks.
WORLD_KINDS = ("scene", "setup", "place", "ask", "frame", "state", "event", "hash", "key")

OnStep = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of a replay.

    `difference` names the first record that differs, with both values; empty where none
    does. `fault` is what is wrong with the journal itself, whose whole records before it
    were replayed. `decisions`, `plans` and `switches` count what was recorded of them.
    """

    through: str
    same: bool
    difference: str
    fault: str
    steps: int
    decisions: int
    plans: int
    switches: int
    root: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order."""
        return asdict(self)


def replay(
    path: str | Path,
    through: str = "agent",
    *,
    agent: str | None = None,
    on_step: OnStep | None = None,
) -> Replay:
    """Replay a journal.

    Parameters
    ----------
    path : str or Path
        The file.
    through : str
        `agent`: world and agent together, from the header alone, must give the identical
        file; `frames`: the agent fed with what was recorded must decide the same; `asks`:
        the world run from the recorded asks must give the same frames, events and digests.
    agent : str, optional
        An agent as `module:Class` that the file may name: no module is imported because a
        file says so. Registered agents need no leave.
    on_step : callable, optional
        Called with the number of steps replayed.

    Raises
    ------
    JournalError
        If the file is no journal, of another format, or its records don't fit together.
    AgentError
        If the agent is needed and can't be had.
    """
    if through not in THROUGH:
        raise OptionError(f"through: {through!r}; {allowed(through, THROUGH)}")
    journal = read(path)
    recorded = _Recorded(journal, agent)
    ways = {"agent": _through_agent, "frames": _through_frames, "asks": _through_asks}
    try:
        difference = ways[through](recorded, on_step or (lambda _: None))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, AgentError | JournalError):
            raise
        raise JournalError(f"{path}: its records don't fit together: {error}") from error
    counts = Counter(item.name for item in journal.records)
    return Replay(
        through=through,
        same=not difference,
        difference=difference,
        fault=journal.fault,
        steps=len(recorded.steps) - 1,
        decisions=counts["decision"],
        plans=counts["plan"],
        switches=counts["switch"],
        root=journal.root(),
    )


class _Recorded:
    """A journal with its steps, and the agent that its user lets it name."""

    def __init__(self, journal: Journal, agent: str | None) -> None:
        self.journal = journal
        self.steps = steps(journal)
        if not self.steps:
            raise JournalError(f"{journal.path}: no step is whole: {journal.fault}")
        self._allowed = agent
        verdicts = [json.loads(item.payload) for item in journal.of("verdict")]
        self.verdict: dict[str, Any] = verdicts[0] if verdicts else {}

    @property
    def is_concluded(self) -> bool:
        """Whether `run` came to an end of its own, a result or an agent's error."""
        return not self.journal.fault and not {"by", "error"}.isdisjoint(self.verdict)

    def driver(self) -> Driver:
        """Return the agent, built anew."""
        made, path = self.journal.header["agent"], self.journal.path
        name = made.get("name", "")
        if not name:
            raise AgentError(f"{path}: it names no agent; replay it through asks")
        if name not in agents.registered() and name != self._allowed:
            raise AgentError(
                f"{path}: its agent {name!r} is not a registered one; say that it may be run: "
                f"--agent {name}"
            )
        return Driver(agents.make(name, **made["options"]))


def _again(recorded: _Recorded, drive: Callable[[DriveEnv], None], kinds: Iterable[str]) -> str:
    """Drive again with a record, and compare the two in some kinds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "again.kwj"
        env = make_env(recorded.journal, file)
        try:
            drive(env)
        finally:
            env.close()
        return first_difference(
            recorded.journal, read(file), tuple(kinds), whole=recorded.is_concluded
        )


def _through_asks(recorded: _Recorded, on_step: OnStep) -> str:
    header = recorded.journal.header

    def drive(env: DriveEnv) -> None:
        env.reset(seed=header["seed"], options=header["options"])
        for n, (before, step) in enumerate(itertools.pairwise(recorded.steps), start=1):
            if env.has_ended:
                break
            _put(env, before)
            _, speed_dmmps, steer_urad, claim = step.ask or (0, 0, 0, 0)
            ask = (speed_dmmps * 1e-4, steer_urad * 1e-6)
            env.step({"drive": ask, "claim": claim} if env.claims else ask)
            on_step(n)

    return _again(recorded, drive, WORLD_KINDS)


def _through_agent(recorded: _Recorded, on_step: OnStep) -> str:
    header, agent = recorded.journal.header, recorded.driver().agent
    done = itertools.count()
    # beyond the last recorded step there is nothing left to compare
    inputs = iter([step.inputs for step in recorded.steps])

    def follow(env: DriveEnv) -> None:
        n = next(done)
        if n < len(recorded.steps):
            _put(env, recorded.steps[n])
        on_step(n)

    def person() -> Inputs:
        return next(inputs, Inputs(closed=True))

    def drive(env: DriveEnv) -> None:
        try:
            run(
                env,
                agent,
                seed=header["seed"],
                options=header["options"],
                on_step=follow,
                person=person,
            )
        except AgentError:
            if "error" not in recorded.verdict:
                raise

    return _again(recorded, drive, KINDS)


def _put(env: DriveEnv, step: Step) -> None:
    """Put the shell where it was put on what a step brought."""
    for pose in step.places:
        env.place(pose)


def _through_frames(recorded: _Recorded, on_step: OnStep) -> str:
    driver = recorded.driver()
    env = make_env(recorded.journal)
    layout = Layout(env.rig, env.shell, env.ticks_per_step)
    first = observe(layout, recorded.steps[0], env.ticks_per_step)
    driver.begin(first, {"declarations": env.declarations()}, env.scene)
    choice = None
    for n, (before, step) in enumerate(itertools.pairwise(recorded.steps)):
        driver.tick = 0 if before.state is None else before.state.tick
        observation = observe(layout, before, env.ticks_per_step)
        choice = driver.decide(before.inputs, observation, claims=env.claims)
        difference = _compare_choice(env, choice, before, step)
        if difference:
            return difference
        on_step(n + 1)
    if recorded.verdict.get("by") != "agent" or not recorded.is_concluded:
        return ""
    last = recorded.steps[-1]
    if last.ask is None or not last.ask[3]:  # it ended the drive without a step
        observation = observe(layout, last, env.ticks_per_step)
        choice = driver.decide(last.inputs, observation, claims=env.claims)
        difference = _compare_told(choice, last)
        if difference:
            return difference
    return _compare_verdict(recorded.verdict, choice)


def _compare_choice(env: DriveEnv, choice: Choice, before: Step, step: Step) -> str:
    tick, speed_dmmps, steer_urad, claim = step.ask or (0, 0, 0, 0)
    now = (0, 0) if claim else quantise_ask(env.shell, *two_numbers(choice.ask))[:2]
    if not claim and now != (speed_dmmps, steer_urad):
        return f"ask on tick {tick}: recorded {(speed_dmmps, steer_urad)}, now {now}"
    ends = choice.claim is not None and not (env.claims and choice.claim.verdict)
    if choice.number != claim or ends:
        said = choice.claim.verdict if choice.claim else ""
        return f"claim on tick {tick}: recorded {claim}, now {choice.number} {said!r}"
    return _compare_told(choice, before)


def _compare_told(choice: Choice, before: Step) -> str:
    tick = 0 if before.state is None else before.state.tick
    now = [(kind, canonical(content)) for kind, content in choice.told]
    for one, two in itertools.zip_longest(before.told, now, fillvalue=("nothing", b"")):
        if one != two:
            name = one[0] if one[1] else two[0]
            return f"{name} on tick {tick}: recorded {_said(*one)}, now {_said(*two)}"
    return ""


def _said(kind: str, content: bytes) -> str:
    return f"{kind} {content.decode('ascii', 'backslashreplace')}".strip()


def _compare_verdict(said: Mapping[str, Any], choice: Choice | None) -> str:
    claim = None if choice is None else choice.claim
    now = {} if claim is None else asdict(claim)
    for key in ("verdict", "gap_m", "rooms", *(("sentence",) if now.get("sentence") else ())):
        if said.get(key) != now.get(key):
            return f"verdict: {key}: recorded {said.get(key)!r}, now {now.get(key)!r}"
    return ""


def observe(layout: Layout, step: Step, ticks_per_step: int) -> Observation:
    """Return the observation that a recorded step gave.

    Raises
    ------
    JournalError
        If the step has frames that the rig can't bring in one step.
    """
    observation = layout.cut(np.zeros(layout.length, np.int32))
    for key in observation:
        if key.endswith("_tick"):
            observation[key][:] = -1
    for frames in step.frames:
        _fill_frames(observation, frames)
    if step.state is not None:
        _fill_state(observation, step.state, ticks_per_step)
    return observation


def _fill_frames(observation: Observation, frames: Frames) -> None:
    n = len(frames.sampled)
    if frames.key not in observation or n > len(observation[frames.key]):
        raise JournalError(f"{n} frames of {frames.key!r} in one step")
    card = CARDS[frames.key]
    if card.is_counted:
        for i in range(n):
            rows = frames.frame(i)
            observation[frames.key][i, : len(rows)] = rows
    else:
        observation[frames.key][:n] = frames.values
    observation[card.status_key][:n] = frames.statuses
    observation[f"{frames.key}_tick"][:n] = frames.sampled


def _fill_state(observation: Observation, state: State, ticks_per_step: int) -> None:
    rows = len(state.poses)
    if rows > ticks_per_step:
        raise JournalError(f"{rows} poses in a step of {ticks_per_step} ticks")
    observation["pose"][:rows] = state.poses
    observation["pose"][rows:] = state.poses[-1]
    scalars = dict(state.scalars)
    observation["goal"][:] = scalars.pop("goal_x"), scalars.pop("goal_y")
    for key, value in scalars.items():
        observation[key][0] = value
