"""The benchmark: agents x scenes x shells x steerings x seeds; runs go in, rows come out."""

from __future__ import annotations

import hashlib
import re
import statistics
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import options
from .agent import make, needs
from .bench_workers import Alive, work_through
from .env import DriveEnv
from .rig import make_rig
from .runner import Result, run
from .scene import Scene, SceneWarning, load_scene

JOBS_MOST = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRun:
    """One drive to be done, all of it plain values.

    `agent` is a registered name or `module:Class`; `scene` a name, a path or
    `GENERATOR:SEED`; `shell` None for the scene's own; `record` a file for the journal.
    """

    agent: str
    scene: str
    shell: str | None = None
    steering: str = "servo"
    seed: int = 0
    agent_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    rig: tuple[str, ...] | None = None
    ticks_per_step: int = 12
    noise: bool = True
    time_limit_s: float | None = None
    record: Path | None = None

    def key(self) -> tuple[Any, ...]:
        """Return what rows are sorted by; numbers within names count by their value."""
        return (self.agent, _natural(self.scene), self.shell or "", self.steering, self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """What came of one run: a result, or an error.

    `expected` says whether the verdict is one that the scene expects of this agent, None
    where it expects nothing.
    """

    run: BenchRun
    result: Result | None
    expected: bool | None
    error: str

    @property
    def finding(self) -> str:
        """What is wrong with the run, nothing where nothing is."""
        if self.result is None:
            return "error"
        if self.result.contact_ticks:
            return "contact"
        if self.result.honest is False:
            return "false verdict"
        return "unexpected end" if self.expected is False else ""

    @property
    def shell(self) -> str:
        """The shell that drove, where one did."""
        return self.result.shell if self.result else self.run.shell or ""

    @property
    def reached(self) -> bool:
        """Whether the drive ended at its goal, truly."""
        return bool(self.result and self.result.verdict == "at_goal" and self.result.honest)

    def to_dict(self) -> dict[str, Any]:
        """Return the run and its result by name; the result's keys are there in any case."""
        empty = dict.fromkeys(Result.__slots__)
        named = {"agent": self.run.agent, "shell": self.shell, "steering": self.run.steering}
        return {
            **(self.result.to_dict() if self.result else {**empty, "seed": self.run.seed}),
            **named,
            "scene": self.run.scene,
            "expected": self.expected,
            "finding": self.finding,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What came of all runs of one agent, or of all.

    `right` and `wrong` count verdicts on the world; `root` is the SHA-256 over the roots in
    the rows' order, a line each, `-` where there is none: what two machines compare.
    """

    agent: str
    runs: int
    errors: int
    right: int
    wrong: int
    unexpected: int
    contacts: int
    reached: int
    median_time_s: float | None
    mean_spl: float | None
    root: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order."""
        return asdict(self)


def bench(
    runs: Iterable[BenchRun],
    *,
    jobs: int = 1,
    on_row: Callable[[BenchRow], None] | None = None,
) -> tuple[BenchRow, ...]:
    """Do all runs, each in one of `jobs` processes, and return their rows sorted by key.

    Rows don't depend on the number of processes or on what else the machine does, but for
    the wall time in them. A run that fails, or whose process dies, is a row with its error.

    Parameters
    ----------
    runs : iterable of BenchRun
        The same run twice is done once.
    jobs : int
        How many processes.
    on_row : callable, optional
        Takes each row as it is done, in whatever order.

    Raises
    ------
    OptionError
        If `jobs` is not allowed, or no process can be started.
    """
    jobs = options.whole("jobs", jobs, 1, JOBS_MOST)
    listed = sorted({run.key(): run for run in runs}.values(), key=BenchRun.key)
    rows: dict[int, BenchRow] = {}

    def take(index: int, row: BenchRow) -> None:
        rows[index] = row
        if on_row is not None:
            on_row(row)

    work_through(listed, run_one, _failed, jobs=min(jobs, len(listed) or 1), on_result=take)
    return tuple(rows[index] for index in sorted(rows))


def run_one(task: BenchRun, alive: Alive = lambda: None) -> BenchRow:
    """Do one run in this process.

    Parameters
    ----------
    task : BenchRun
        What to do.
    alive : callable
        Called after each step.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SceneWarning)  # a goal in a solid may be the point
            scene = _scene(task.scene)
        agent = make(task.agent, **task.agent_options)
        env = DriveEnv(
            scene=scene,
            shell=task.shell,
            steering=task.steering,
            rig=make_rig(task.rig).with_sources(needs(agent)),
            ticks_per_step=task.ticks_per_step,
            time_limit_s=task.time_limit_s,
            noise=task.noise,
            progress="straight",  # reward has no part in a result, and this costs least
        )
        try:
            if task.record is not None:
                env.record("", {}, journal=task.record)
            result = run(env, agent, seed=task.seed, on_step=lambda _: alive())
        finally:
            env.close()
    except (Exception, SystemExit) as error:  # whatever it is, the others go on
        words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        return _failed(task, words)
    ends = scene.expect.get(task.agent)
    expected = None if ends is None else result.verdict in ends
    return BenchRow(run=task, result=result, expected=expected, error="")


def summaries(rows: Sequence[BenchRow]) -> tuple[Summary, ...]:
    """Return a summary for each agent, by name, and one of all where there are several."""
    agents = sorted({row.run.agent for row in rows})
    parts = [(agent, [row for row in rows if row.run.agent == agent]) for agent in agents]
    if len(parts) > 1:
        parts.append(("all", list(rows)))
    return tuple(_summary(agent, part) for agent, part in parts)


def _summary(agent: str, rows: Sequence[BenchRow]) -> Summary:
    results = [row.result for row in rows if row.result is not None]
    reached = [row.result for row in rows if row.result is not None and row.reached]
    spls = [result.spl for result in results if result.spl is not None]
    lines = "".join(f"{row.result.root if row.result else '-'}\n" for row in rows)
    return Summary(
        agent=agent,
        runs=len(rows),
        errors=len(rows) - len(results),
        right=sum(result.honest is True for result in results),
        wrong=sum(result.honest is False for result in results),
        unexpected=sum(row.expected is False for row in rows),
        contacts=sum(result.contact_ticks > 0 for result in results),
        reached=len(reached),
        median_time_s=statistics.median(r.time_s for r in reached) if reached else None,
        mean_spl=statistics.fmean(spls) if spls else None,
        root=hashlib.sha256(lines.encode("ascii")).hexdigest(),
    )


def _failed(task: BenchRun, words: str) -> BenchRow:
    return BenchRow(run=task, result=None, expected=None, error=words or "no words")


@lru_cache(maxsize=16)
def _scene(spec: str) -> Scene:
    return load_scene(spec)


def _natural(text: str) -> tuple[tuple[str, int], ...]:
    """Return a text's parts so that `a:9` sorts before `a:10`."""
    parts = re.split(r"(\d+)", text)
    numbers = [*map(int, parts[1::2]), -1]
    return tuple(zip(parts[::2], numbers, strict=True))
