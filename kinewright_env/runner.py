"""The loop: one drive of an agent in an environment, and its result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

import gymnasium as gym
from gymnasium import spaces

from .agent import Claim, Inputs, made_from
from .core import TICKS_PER_SECOND
from .driver import Driver
from .env import DriveEnv
from .errors import AgentError, JournalError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one drive.

    `honest` compares the verdict with the scene's truth; it is None for a verdict on the
    agent itself, for none, and where the scene has no truth. `spl` is success weighted by
    path length (Anderson et al., On Evaluation of Embodied Navigation Agents, 2018), None
    where there is no goal. `min_clearance_m` is None in a scene without solids. `root`
    fixes all that happened; see `Root`.
    """

    verdict: str
    sentence: str
    honest: bool | None
    time_s: float
    length_m: float
    spl: float | None
    contact_ticks: int
    min_clearance_m: float | None
    decisions: int
    plans: int
    switches: int
    gap_m: float | None
    rooms: int | None
    ticks: int
    wall_s: float
    root: str
    agent: str
    scene: str
    shell: str
    steering: str
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, in order: what every `--json` prints."""
        return asdict(self)


def run(
    env: gym.Env[Any, Any],
    agent: Any,
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    on_step: Callable[[DriveEnv], None] | None = None,
    person: Callable[[], Inputs] | None = None,
) -> Result:
    """Drive once, from reset to the end.

    Parameters
    ----------
    env : gymnasium.Env
        A `DriveEnv`, in any wrappers.
    agent : Agent, model with predict, or callable
        `claim()` where it has one ends the drive: through the action where the environment
        takes claims, else by leaving the loop. Integer attributes `plans` and `switches`
        are what the result says of them.
    seed : int, optional
        Of the drive; drawn from the environment's generator where left out.
    options : mapping, optional
        Of `reset`.
    on_step : callable, optional
        Called with the unwrapped environment after the reset and after each step.
    person : callable, optional
        Says what a person did since it was asked last, after the reset and after each step;
        the window unless told.

    Raises
    ------
    AgentError
        If the agent raises, or returns what is no ask or claim: with its name, the tick and
        the reason.
    """
    drive, driver = _unwrapped(env), Driver(agent)
    begin_s = time.perf_counter()
    seed = int(drive.np_random.integers(2**31)) if seed is None else seed
    drive.record(*made_from(driver.agent))
    obs, info = env.reset(seed=seed, options=None if options is None else dict(options))
    try:
        course = _loop(env, driver, (obs, info), on_step, person or drive.inputs)
        return _result(drive, driver, course, seed=int(seed), begin_s=begin_s)
    except AgentError as error:
        drive.conclude({"verdict": "", "error": str(error)})
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """How a drive ended: the agent's claim, what was seen last, whether a person ended it."""

    claim: Claim | None
    obs: Any
    info: Mapping[str, Any]
    decisions: int
    closed: bool


def _loop(
    env: gym.Env[Any, Any],
    driver: Driver,
    start: tuple[Any, dict[str, Any]],
    on_step: Callable[[DriveEnv], None] | None,
    person: Callable[[], Inputs],
) -> _Course:
    """Run from reset to the end."""
    (obs, info), drive = start, _unwrapped(env)
    driver.begin(obs, info, drive.scene)
    driver.tick = 0
    claims = isinstance(env.action_space, spaces.Dict)
    is_told = hasattr(driver.agent, "handle")
    decisions, claim, ended = 0, None, False
    while True:
        if on_step is not None:
            on_step(drive)
        inputs = person()
        if inputs.closed or (is_told and not ended):
            _note_inputs(drive, inputs)
        if ended or inputs.closed:
            return _Course(
                claim=claim, obs=obs, info=info, decisions=decisions, closed=inputs.closed
            )
        choice = driver.decide(inputs, obs, claims=claims)
        decisions += 1
        claim = choice.claim
        sentence = claim.sentence if claim else ""
        drive.annotate(layers=driver.layers, decision=choice.decision, sentence=sentence)
        for kind, content in choice.told:
            _told(driver, f"its {kind}", partial(drive.note, kind, content))
        if claim is not None and not (claims and claim.verdict):
            return _Course(claim=claim, obs=obs, info=info, decisions=decisions, closed=False)
        action = {"drive": choice.ask, "claim": choice.number} if claims else choice.ask
        obs, _, terminated, truncated, info = env.step(action)
        driver.tick = info["tick"]
        ended = terminated or truncated


def _note_inputs(drive: DriveEnv, inputs: Inputs) -> None:
    """Write into the record what a person did, where anything."""
    content: dict[str, Any] = {}
    if inputs.closed:
        content["closed"] = True
    else:
        if inputs.held:
            content["held"] = sorted(inputs.held)
        if inputs.axes != (0, 0):
            content["axes"] = inputs.axes
        if inputs.buttons:
            content["buttons"] = sorted(inputs.buttons)
        if inputs.drawn_path_m is not None:
            content["drawn_path_m"] = inputs.drawn_path_m
    if content:
        drive.note("input", content)


def _told(driver: Driver, what: str, write: Callable[[], _T]) -> _T:
    """Return what a write into the record returns; what JSON can't hold is the agent's fault."""
    try:
        return write()
    except JournalError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise driver.fault(f"{what} can't be recorded: {error}") from error


def _unwrapped(env: gym.Env[Any, Any]) -> DriveEnv:
    drive = env.unwrapped
    if not isinstance(drive, DriveEnv):
        raise AgentError(f"run: {env!r} is no Kinewright environment; allowed: a DriveEnv")
    return drive


def _result(
    drive: DriveEnv,
    driver: Driver,
    course: _Course,
    *,
    begin_s: float,
    **known: Any,
) -> Result:
    claim, info, totals = course.claim, course.info, drive.totals()
    verdict = claim.verdict if claim else info["verdict"]
    gap_m, rooms = (claim.gap_m, claim.rooms) if claim else (None, None)
    honest = drive.judge(verdict, gap_m, rooms)
    said = "" if claim or not verdict else driver.closing(verdict, course.obs)
    sentence = claim.sentence if claim else said
    sentence = sentence or _sentence(drive, verdict, course)
    drive.annotate(layers=driver.layers, sentence=sentence)
    plans, switches = driver.count("plans"), driver.count("switches")
    by = "agent" if claim else "person" if course.closed and not verdict else "world"
    told = {"verdict": verdict, "sentence": sentence, "gap_m": gap_m, "rooms": rooms, "by": by}
    root = _told(driver, "claim()", partial(drive.conclude, told))
    clearance_m = totals["min_clearance_m"]
    return Result(
        verdict=verdict,
        sentence=sentence,
        honest=honest,
        time_s=totals["tick"] / TICKS_PER_SECOND,
        length_m=totals["length_m"],
        spl=_spl(drive, verdict == "at_goal" and honest is True, totals["length_m"]),
        contact_ticks=totals["contact_ticks"],
        min_clearance_m=clearance_m if math.isfinite(clearance_m) else None,
        decisions=course.decisions,
        plans=plans,
        switches=switches,
        gap_m=gap_m,
        rooms=rooms,
        ticks=totals["tick"],
        agent=driver.name,
        scene=drive.scene.name,
        shell=drive.shell.name,
        steering=drive.steering.name,
        root=root,
        wall_s=time.perf_counter() - begin_s,
        **known,
    )


def _spl(drive: DriveEnv, success: bool, length_m: float) -> float | None:
    shortest_m = drive.shortest_m()
    if shortest_m is None:
        return None
    if not success:
        return 0.0
    longer_m = max(length_m, shortest_m)
    return shortest_m / longer_m if longer_m > 0.0 else 1.0


def _sentence(drive: DriveEnv, verdict: str, course: _Course) -> str:
    """Return the sentence of a drive that ended without one of the agent's."""
    info = course.info
    time_s = info["tick"] / TICKS_PER_SECOND
    if verdict == "at_goal":
        return f"At the goal after {time_s:.1f} s."
    if verdict == "out_of_time":
        return f"Out of time after {time_s:.1f} s."
    if verdict:
        return f"Ended with {verdict!r} after {time_s:.1f} s."
    if course.closed:
        return f"The window was closed after {time_s:.1f} s."
    if info["contact"]:
        solid = drive.scene.solids[info["contact_solid"]].name
        return f"Ended by contact with {solid!r} after {time_s:.1f} s."
    return f"Ended after {time_s:.1f} s."
