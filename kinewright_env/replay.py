"""Replay: run a recorded drive again and compare byte for byte."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import agent as agents
from .actions import two_numbers
from .env import DriveEnv
from .errors import AgentError, JournalError
from .frames import Frames, State, Step, steps
from .grids import quantise_ask
from .journal import KINDS, Journal, Record, canonical, read
from .observation import Layout, Observation
from .rig import Rig, Sensor
from .runner import run
from .scene import Scene
from .shells import Shell, Steering
from .verdicts import VERDICTS

THROUGH: tuple[str, ...] = ("agent", "frames", "asks")

# What the world alone brings forth from asks.
WORLD_KINDS = ("scene", "setup", "ask", "frame", "state", "event", "hash", "key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of a replay.

    `difference` names the first record that differs, with both values; empty where none
    does. `fault` is what is wrong with the journal itself, whose whole records before it
    were replayed.
    """

    through: str
    same: bool
    difference: str
    fault: str
    steps: int
    root: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order."""
        return asdict(self)


def replay(
    path: str | Path, through: str = "agent", on_step: Callable[[int], None] | None = None
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
    on_step : callable, optional
        Called with the number of steps replayed.

    Raises
    ------
    JournalError
        If the file is no journal, or of another format.
    AgentError
        If the agent is needed and can't be had.
    """
    journal = read(path)
    ways = {"agent": _through_agent, "frames": _through_frames, "asks": _through_asks}
    try:
        difference, n_steps = ways[through](journal, on_step or (lambda _: None))
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, AgentError | JournalError):
            raise
        raise JournalError(f"{path}: its records don't fit together: {error}") from error
    return Replay(
        through=through,
        same=not difference,
        difference=difference,
        fault=journal.fault,
        steps=n_steps,
        root=journal.root(),
    )


def make_env(journal: Journal, record_to: Path | None = None) -> DriveEnv:
    """Return the environment that a journal was recorded in, its journal going to a file."""
    header = journal.header
    return DriveEnv(
        scene=Scene.from_dict(json.loads(journal.scene_bytes()), file=str(journal.path)),
        shell=Shell(**header["shell"]),
        steering=Steering(**header["steering"]),
        rig=Rig(tuple(_sensor(sensor) for sensor in header["rig"])),
        ticks_per_step=header["ticks_per_step"],
        on_contact=header["on_contact"],
        claims=header["claims"],
        time_limit_s=header["time_limit_s"],
        noise=header["noise"],
        progress="straight",  # reward is no part of a record, and this costs least
        journal=record_to,
    )


def _sensor(figures: Mapping[str, Any]) -> Sensor:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in figures.items()
    }
    return Sensor(**values)


def _make_agent(journal: Journal) -> Any:
    made = journal.header["agent"]
    if not made.get("name"):
        raise AgentError(f"{journal.path}: it names no agent; replay it through asks")
    return agents.make(made["name"], **made["options"])


def _through_asks(journal: Journal, on_step: Callable[[int], None]) -> tuple[str, int]:
    header, n_steps = journal.header, 0
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.kwj"
        env = make_env(journal, again)
        env.record(header["agent"].get("name", ""), header["agent"].get("options", {}))
        env.reset(seed=header["seed"], options=header["options"])
        for step in steps(journal):
            if step.ask is None:
                continue
            _, speed_dmmps, steer_urad, claim = step.ask
            env.step(_action((speed_dmmps, steer_urad), claim, claims=header["claims"]))
            n_steps += 1
            on_step(n_steps)
        env.close()
        return _compare(journal, read(again), WORLD_KINDS), n_steps


def _through_agent(journal: Journal, on_step: Callable[[int], None]) -> tuple[str, int]:
    header = journal.header
    agent = _make_agent(journal)
    done = [0]

    def count(_: DriveEnv) -> None:
        on_step(done[0])
        done[0] += 1

    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.kwj"
        env = make_env(journal, again)
        run(env, agent, seed=header["seed"], options=header["options"], on_step=count)
        env.close()
        return _compare(journal, read(again), tuple(KINDS)), done[0] - 1


def _through_frames(journal: Journal, on_step: Callable[[int], None]) -> tuple[str, int]:
    agent = _make_agent(journal)
    env = make_env(journal)
    layout = Layout(env.rig, env.shell, env.ticks_per_step)
    recorded = list(steps(journal))
    n_steps = 0
    for before, step in itertools.pairwise(recorded):
        observation = observe(layout, before, env.ticks_per_step)
        if before.ask is None:
            agent.reset(observation, {"declarations": env.declarations()})
        difference = _compare_decision(env, agent, observation, step)
        if difference:
            return difference, n_steps
        n_steps += 1
        on_step(n_steps)
    last = observe(layout, recorded[-1], env.ticks_per_step)
    return _compare_verdict(journal, agent, last), n_steps


def _compare_verdict(journal: Journal, agent: Any, observation: Observation) -> str:
    """Compare the claim that ended the drive without a step, where one did."""
    said = [json.loads(item.payload) for item in journal.of("verdict")]
    if not said or said[0].get("by") != "agent" or journal.header["claims"]:
        return ""
    agent.act(observation)
    claim = agent.claim()
    again = ("", "") if claim is None else (claim.verdict, claim.sentence)
    if again != (said[0]["verdict"], said[0]["sentence"]):
        return f"verdict: recorded {said[0]!r}, now {again!r}"
    return ""


def _compare_decision(env: DriveEnv, agent: Any, observation: Observation, step: Step) -> str:
    action = agent.act(observation)
    ask = action["drive"] if isinstance(action, Mapping) else action
    speed_dmmps, steer_urad, _ = quantise_ask(env.shell, *two_numbers(ask))
    if step.ask is None or (speed_dmmps, steer_urad) != step.ask[1:3]:
        return f"ask: recorded {step.ask}, decided again {(speed_dmmps, steer_urad)}"
    claim = agent.claim() if hasattr(agent, "claim") else None
    number = VERDICTS.index(claim.verdict) + 1 if claim and claim.verdict else 0
    if env.claims and number != step.ask[3]:
        return f"claim after tick {step.ask[0]}: recorded {step.ask[3]}, decided again {number}"
    decisions = [canonical(agent.decision())] if hasattr(agent, "decision") else []
    if decisions != step.decisions:
        return f"decision on tick {step.ask[0]}: recorded {step.decisions!r}, now {decisions!r}"
    return ""


def _action(ask: tuple[int, int], claim: int, *, claims: bool) -> Any:
    drive = (ask[0] * 1e-4, ask[1] * 1e-6)
    return {"drive": drive, "claim": claim} if claims else drive


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
    observation[frames.key][:n] = frames.values
    observation[f"{frames.key}_status"][:n] = frames.statuses
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


def _compare(recorded: Journal, again: Journal, names: tuple[str, ...]) -> str:
    """Return the first difference of two journals in records of some kinds, or nothing."""
    one, two = list(recorded.of(*names)), list(again.of(*names))
    if recorded.fault:  # cut: valid up to there
        two = two[: len(one)]
    for first, second in zip(one, two, strict=False):
        if (first.kind, first.payload) != (second.kind, second.payload):
            return f"{first.name} at byte {first.offset}: {_both(first, second)}"
    if len(one) != len(two):
        return f"{len(one)} records were recorded, {len(two)} came out again"
    return ""


def _both(first: Record, second: Record) -> str:
    """Say where two records part, with both values there."""
    if first.kind != second.kind:
        return f"recorded a {first.name}, now a {second.name}"
    pairs = zip(first.payload, second.payload, strict=False)
    places = (i for i, (one, two) in enumerate(pairs) if one != two)
    at = next(places, min(len(first.payload), len(second.payload)))
    one, two = first.payload[at : at + 8].hex(" "), second.payload[at : at + 8].hex(" ")
    return f"from byte {at} of the payload on, recorded {one}, now {two}"
