"""Which runs a benchmark is made of: lists of agents, scenes and the rest become their product."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .agent import accepts, registered
from .bench import BenchRun
from .errors import AgentError, OptionError, allowed
from .scene import load_scene, scene_names

RUNS_MOST = 1_000_000
NAME_LENGTH = 120  # of a journal's file, well below what file systems take


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenes:
    """Scenes of one word; those of a generator are alike: the first tells which agents run."""

    names: Sequence[str]
    alike: bool = False


def scenes_of(spec: str) -> Scenes:
    """Return the scenes of a name, a pattern of names, a path, or a generator's.

    Those are `NAME:SEED` and `NAME:A-B`, each with `:OPTION=VALUE,...` behind it or not.

    Raises
    ------
    OptionError
        If a pattern fits no shipped scene, or a range runs backward.
    """
    span = re.fullmatch(r"([A-Za-z]\w*):(\d{1,18})-(\d{1,18})(:.+)?", spec)
    if span:
        name, first, last, rest = span[1], int(span[2]), int(span[3]), span[4] or ""
        if not first <= last < first + RUNS_MOST:
            raise OptionError(
                f"scenes: {spec!r} is not allowed; allowed: NAME:A-B with A up to B, at most "
                f"{RUNS_MOST} of them"
            )
        seeds = range(first, last + 1)
        return Scenes(names=[f"{name}:{seed}{rest}" for seed in seeds], alike=True)
    if any(sign in spec for sign in "*?[") and not Path(spec).exists():
        fitting = [name for name in scene_names() if fnmatchcase(name, spec)]
        if not fitting:
            raise OptionError(f"scenes: no shipped scene fits {spec!r}; see `kinewright scenes`")
        return Scenes(names=fitting)
    return Scenes(names=[spec])


def pairs_of(
    agents: Sequence[str] | None, specs: Sequence[str] | None
) -> tuple[tuple[str, str], ...]:
    """Return (agent, scene) of each pair to run.

    Both given: each agent in each scene. Scenes alone: the agents that each scene's `skills`
    name. Agents alone: the shipped scenes whose skills name them. Neither: every shipped
    scene with the agents that its skills name.

    Raises
    ------
    OptionError
        If an agent is unknown, or a scene or agent is left without a partner.
    SceneError
        If a scene that must tell its skills can't be read.
    """
    for agent in agents or ():
        if agent not in registered() and ":" not in agent:
            raise OptionError(f"agents: {agent!r} is unknown; {allowed(agent, registered())}")
    if specs is None:
        shipped = [(skill, name) for name in scene_names() for skill in load_scene(name).skills]
        for agent in agents or ():
            if agent not in {skill for skill, _ in shipped}:
                raise OptionError(f"agents: no shipped scene names {agent!r}; say --scenes, too")
        return tuple(pair for pair in shipped if agents is None or pair[0] in agents)
    groups = [scenes_of(spec) for spec in specs]
    if agents is not None:
        names = [name for group in groups for name in group.names]
        return tuple(itertools.product(agents, names))
    pairs: list[tuple[str, str]] = []
    for spec, group in zip(specs, groups, strict=True):
        asked = group.names[:1] if group.alike else group.names
        skills = {name: load_scene(name).skills for name in asked}
        if not any(skills.values()):
            raise OptionError(f"scenes: {spec!r} names no skills; say --agents, too")
        for name in group.names:
            pairs += [(skill, name) for skill in skills[asked[0] if group.alike else name]]
    return tuple(pairs)


def product(
    pairs: Sequence[tuple[str, str]],
    *,
    shells: Sequence[str | None],
    steerings: Sequence[str],
    seeds: Sequence[int],
    agent_options: Sequence[tuple[str, Any]],
    common: BenchRun,
) -> list[BenchRun]:
    """Return the runs of all pairs with all shells, steerings and seeds.

    Parameters
    ----------
    pairs : sequence of (agent, scene)
        As `pairs_of` returns them.
    agent_options : sequence of (name, value)
        Each goes to the agents that have it.
    common : BenchRun
        Whose other fields all runs share.

    Raises
    ------
    OptionError
        If an option is none of any agent's, or there are too many runs.
    """
    count = len(pairs) * len(shells) * len(steerings) * len(seeds)
    if count > RUNS_MOST:
        raise OptionError(f"{count} runs are too many; allowed: at most {RUNS_MOST}")
    own = {agent: _own(agent, agent_options) for agent, _ in pairs}
    for name, _ in agent_options:
        if not any(name in taken for taken in own.values()):
            raise OptionError(f"agent-option: none of {', '.join(sorted(own))} has {name!r}")
    return [
        replace(
            common,
            agent=agent,
            scene=scene,
            shell=shell,
            steering=steering,
            seed=seed,
            agent_options=own[agent],
        )
        for (agent, scene), shell, steering, seed in itertools.product(
            pairs, shells, steerings, seeds
        )
    ]


def with_journals(runs: Sequence[BenchRun], folder: Path) -> list[BenchRun]:
    """Return the runs with a file each in a folder, made here where it is not there.

    Raises
    ------
    OptionError
        If a file is there already, or two runs would have one name.
    """
    named: dict[Path, BenchRun] = {}
    for run in runs:
        parts = (run.agent, run.scene, run.shell or "", run.steering, str(run.seed))
        words = "-".join(part for part in parts if part)
        kept = "".join(sign if sign.isalnum() or sign in "_-." else "_" for sign in words)
        file = folder / f"{kept[-NAME_LENGTH:]}.kwj"
        if file in named:
            raise OptionError(f"record: {run.scene!r} and {named[file].scene!r} would be one file")
        if file.exists():
            raise OptionError(f"{str(file)!r} is there already; allowed: a folder without it")
        named[file] = run
    folder.mkdir(exist_ok=True)
    return [replace(run, record=file) for file, run in named.items()]


def seeds_of(text: str) -> range:
    """Return the seeds of `N` (0 to N - 1) or `A-B` (both included).

    Raises
    ------
    OptionError
        If the text is neither.
    """
    span = re.fullmatch(r"(?:(\d{1,18})-)?(\d{1,18})", text)
    first = int(span[1] or 0) if span else 0
    last = (int(span[2]) if span[1] else int(span[2]) - 1) if span else -1
    if not first <= last < first + RUNS_MOST:
        raise OptionError(f"seeds: {text!r} is not allowed; allowed: N from 1 on, or A-B")
    return range(first, last + 1)


def words_of(given: Sequence[str]) -> list[str]:
    """Return the words of a list that is written with commas, blanks or both.

    A comma before `OPTION=` is one of a generated scene's name.
    """
    words = (word for part in given for word in re.split(r",(?!\w+=)", part))
    return [word for word in words if word]


def names_of(key: str, text: str, known: Sequence[str]) -> list[str]:
    """Return the names in a list with commas, all that are known for `all`.

    Raises
    ------
    OptionError
        If one is unknown.
    """
    if text == "all":
        return list(known)
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in known:
            raise OptionError(f"{key}: {name!r} is not allowed; {allowed(name, known)}, or 'all'")
    if not names:
        raise OptionError(f"{key}: {text!r} is not allowed; {allowed(text, known)}, or 'all'")
    return names


def _own(agent: str, given: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the options that an agent has; of one that can't be loaded, none."""
    try:
        return {name: value for name, value in given if accepts(agent, name)}
    except (AgentError, ValueError, TypeError):
        return {}
