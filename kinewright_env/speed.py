"""`kinewright speed`: what this machine reaches, and what each layer of a step costs.

CPU time, medians of several runs. Absolute figures hold for one machine; compare ratios.
"""

from __future__ import annotations

import itertools
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from . import (
    core,
    grids,
    speed_avoidance,
    speed_peers,
    speed_planner,
    speed_rolling,
    speed_route,
)
from .rig import make_rig
from .scene import Scene

ENV_ID = "Kinewright/Drive-v0"
SCENE = "senses_room"
RIG = ("beam", "scan", "encoders", "imu")
WHOLE_RIG = make_rig(None).keys
TICKS_PER_STEP = 12
ASK = np.array([0.3, 0.3], np.float32)
PARTS = (speed_avoidance, speed_planner, speed_route)
FIGURE_COUNT = 22 + len(WHOLE_RIG) + sum(part.FIGURE_COUNT for part in PARTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table; `at_least` (or `at_most` for times) is what must be reached."""

    group: str
    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the declared figure is reached, None where none is declared."""
        if self.at_least is not None:
            return self.value >= self.at_least
        return None if self.at_most is None else self.value <= self.at_most


def peers_room() -> Scene:
    """Return the 10 m room that peers are measured in: 4 walls, 4 boxes, 3 posts."""
    corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0), (0.0, 0.0)]
    boxes = [(2.5, 2.5, 1.0, 0.6), (7.5, 2.5, 0.8, 0.8), (2.5, 7.5, 0.5, 1.2), (7.0, 7.0, 1.0, 1.0)]
    posts = [(5.0, 2.0, 0.2), (8.5, 5.5, 0.3), (4.0, 8.5, 0.25)]
    return Scene.from_dict(
        {
            "format": 1,
            "name": "peers_room",
            "title": "A room of 20 straight edges and 3 circles",
            "time_limit_s": 600.0,
            "start": {"x": 5.0, "y": 5.0},
            "wall": [
                {"name": f"wall {i}", "from": list(a), "to": list(b), "thickness": 0.1, "height": 1}
                for i, (a, b) in enumerate(itertools.pairwise(corners))
            ],
            "box": [
                {"name": f"box {i}", "center": [x, y], "size": [w, h], "height": 1.0}
                for i, (x, y, w, h) in enumerate(boxes)
            ],
            "post": [
                {"name": f"post {i}", "center": [x, y], "radius": r, "height": 1.0}
                for i, (x, y, r) in enumerate(posts)
            ],
        }
    )


def _cost_s(call: Callable[[], Any], *, quick: bool) -> float:
    """Return the CPU time of one call: the median of several runs."""
    repeats, started = 1, time.process_time()
    call()
    while time.process_time() - started < 0.02:
        call()
        repeats += 1
    run_s = 0.08 if quick else 0.5
    n = max(1, int(repeats * run_s / 0.02))
    costs = []
    for _ in range(3 if quick else 7):
        started = time.process_time()
        for _ in range(n):
            call()
        costs.append((time.process_time() - started) / n)
    return statistics.median(costs)


def _stepper(env: gym.Env[Any, Any]) -> Callable[[], Any]:
    """Return a call that steps the env, in a circle that never ends."""
    env.reset(seed=1)
    step = env.step
    return lambda: step(ASK)


def _env(
    scene: Scene | str,
    *,
    rig: tuple[str, ...] = RIG,
    noise: bool = True,
    journal: Path | None = None,
) -> Any:
    return gym.make(ENV_ID, scene=scene, rig=rig, noise=noise, time_limit_s=1e6, journal=journal)


def _step_cost_s(scene: Scene | str, *, quick: bool, **options: Any) -> float:
    return _cost_s(_stepper(_env(scene, **options)), quick=quick)


def _core_cost_s(*, quick: bool, rig: tuple[str, ...], noise: bool) -> float:
    """Return the CPU time of the core's share of one step."""
    env = _env(SCENE, rig=rig, noise=noise).unwrapped
    env.reset(seed=1)
    run = env.core_step
    return _cost_s(lambda: run(ASK), quick=quick)


def _fresh_import_s() -> float:
    """Return how much longer a bare Python takes to import the package and Gymnasium."""

    def run_s(code: str) -> float:
        runs = []
        for _ in range(5):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code
            runs.append(time.perf_counter() - started)
        return min(runs)

    return run_s("import kinewright_env.env") - run_s("pass")


def figures(*, quick: bool = False) -> Iterator[Figure]:
    """Measure, and yield each figure as it is known."""
    yield from _drive_figures(quick=quick)
    yield _recording_figure(quick=quick)
    yield from _layer_figures(quick=quick)
    yield from _ray_figures(quick=quick)
    yield from _belief_figures(quick=quick)
    yield from _rolling_figures(quick=quick)
    yield from _start_figures(quick=quick)
    for name, value, unit, at_most in speed_avoidance.rows(quick=quick):
        yield Figure(group="avoidance", name=name, value=value, unit=unit, at_most=at_most)
    for name, value, unit, at_most in speed_planner.rows(quick=quick):
        yield Figure(group="planner", name=name, value=value, unit=unit, at_most=at_most)
    for name, value, unit, at_least in speed_route.rows(quick=quick):
        yield Figure(group="whole drives", name=name, value=value, unit=unit, at_least=at_least)


def against(peers: Sequence[str], *, quick: bool = False) -> Iterator[Figure]:
    """Measure the planner in turn with its peers, and yield each figure as it is known."""
    for group, name, value, unit, at_least in speed_peers.rows(peers, quick=quick):
        yield Figure(group=group, name=name, value=value, unit=unit, at_least=at_least)


def _drive_figures(*, quick: bool) -> Iterator[Figure]:
    cost_s = _step_cost_s(SCENE, quick=quick)
    name = f"{'+'.join(RIG)}, {TICKS_PER_STEP} ticks a step, through gym.make"
    yield Figure(group="drive", name=name, value=1 / cost_s, unit="steps/s", at_least=40000)
    ticks = TICKS_PER_STEP / cost_s
    yield Figure(group="drive", name="the same", value=ticks, unit="ticks/s")
    real_time = TICKS_PER_STEP / core.TICKS_PER_SECOND / cost_s
    yield Figure(group="drive", name="the same", value=real_time, unit="x real time")
    cost_s = _step_cost_s(SCENE, rig=WHOLE_RIG, quick=quick)
    name = f"whole rig, {TICKS_PER_STEP} ticks a step, through gym.make"
    yield Figure(group="drive", name=name, value=1 / cost_s, unit="steps/s", at_least=30000)
    cost_s = _step_cost_s(peers_room(), quick=quick)
    name = f"{'+'.join(RIG)}, in a room of 20 edges and 3 circles"
    yield Figure(group="drive", name=name, value=1 / cost_s, unit="steps/s")


def _recording_figure(*, quick: bool) -> Figure:
    """Return what a record with a file adds to a step of the whole rig, turn and turn about."""
    n_steps, turns = (500, 5) if quick else (2000, 15)
    added: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        plain = _stepper(_env(SCENE, rig=WHOLE_RIG))
        env = _env(SCENE, rig=WHOLE_RIG, journal=Path(folder) / "drive.kwj")
        recorded = _stepper(env)
        for _ in range(turns):
            costs = []
            for step in (plain, recorded):
                started = time.process_time()
                for _ in range(n_steps):
                    step()
                costs.append(time.process_time() - started)
            added.append(100.0 * (costs[1] / costs[0] - 1.0))
        env.close()
    name = "recording the whole rig in a file adds to a step"
    return Figure(group="drive", name=name, value=statistics.median(added), unit="%", at_most=10)


def _layer_figures(*, quick: bool) -> Iterator[Figure]:
    """Yield what each layer adds to a step: differences of rigs and of entry points."""
    whole_s = _step_cost_s(SCENE, quick=quick)
    bare_env = _env(SCENE).unwrapped
    bare_s = _cost_s(_stepper(bare_env), quick=quick)
    noisy_s = _core_cost_s(quick=quick, rig=RIG, noise=True)
    exact_s = _core_cost_s(quick=quick, rig=RIG, noise=False)
    empty_s = _core_cost_s(quick=quick, rig=(), noise=False)
    yield _layer("Gymnasium's wrappers", whole_s - bare_s)
    yield _layer("environment: observation, reward, info", bare_s - noisy_s)
    yield _layer(f"core: call, motion and contact of {TICKS_PER_STEP} ticks", empty_s)
    for key in WHOLE_RIG:
        alone_s = _core_cost_s(quick=quick, rig=(key,), noise=False)
        yield _layer(f"core: {key}", alone_s - empty_s)
    yield _layer("core: noise", noisy_s - exact_s)
    yield _layer("all", whole_s)


def _layer(name: str, cost_s: float) -> Figure:
    return Figure(group="a step", name=name, value=cost_s * 1e6, unit="us")


def _ray_figures(*, quick: bool) -> Iterator[Figure]:
    scene = peers_room()
    n = 36000
    origins = np.tile([5.0, 5.0, 0.15], (n, 1))
    headings = np.linspace(-3.14, 3.14, n)
    solids = core.scene_core(scene)
    cost_s = _cost_s(lambda: solids.cast(origins, headings, np.zeros(n), 8.0), quick=quick) / n
    name = "one by one, 20 edges and 3 circles"
    yield Figure(group="rays", name=name, value=1 / cost_s / 1e6, unit="M rays/s")
    with_s = _step_cost_s(scene, rig=("scan",), noise=False, quick=quick)
    without_s = _step_cost_s(scene, rig=(), noise=False, quick=quick)
    rays = TICKS_PER_STEP * 18
    name = "in a drive, 18 a tick, their observation included"
    fan_s = max(with_s - without_s, 1e-12) / rays
    yield Figure(group="rays", name=name, value=1 / fan_s / 1e6, unit="M rays/s")


def belief_room() -> Scene:
    """Return the room of 6 m by 4 m in which a scan into a belief is measured."""
    corners = [(0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0), (0.0, 0.0)]
    return Scene.from_dict(
        {
            "format": 1,
            "name": "belief_room",
            "title": "An empty room of 6 m by 4 m",
            "time_limit_s": 600.0,
            "start": {"x": 3.0, "y": 1.2},
            "wall": [
                {"name": f"wall {i}", "from": list(a), "to": list(b), "thickness": 0.1, "height": 1}
                for i, (a, b) in enumerate(itertools.pairwise(corners))
            ],
        }
    )


def _belief_figures(*, quick: bool) -> Iterator[Figure]:
    env = _env(belief_room(), rig=("scan",))
    obs, info = env.reset(seed=1)
    told = info["declarations"]
    belief = grids.Belief(told["shell"], told["rig"], told["ticks_per_step"])
    scans: list[tuple[Any, Any]] = []
    while len(scans) < 30:
        obs = env.step(np.zeros(2, np.float32))[0]
        if belief.observe(obs):
            scans.append((obs["scan"][0], obs["scan_status"][0]))
    poses = np.repeat(obs["pose"][-1:], told["rig"]["scan"].period_tick, axis=0)
    places, ticks = itertools.cycle(scans), itertools.count(int(obs["tick"][0]) + 20, 20)
    cost_s = _cost_s(lambda: belief.scan(poses, *next(places), next(ticks)), quick=quick)
    name = "a scan, in a room of 6 m by 4 m"
    yield Figure(group="belief", name=name, value=cost_s * 1e6, unit="us", at_most=100)
    cost_s = _cost_s(belief.frontiers, quick=quick)
    yield Figure(group="belief", name="all frontiers of it", value=cost_s * 1e6, unit="us")
    cell = belief.bytes_per_cell()
    yield Figure(group="belief", name="memory", value=cell, unit="bytes/cell", at_most=6)


def _rolling_figures(*, quick: bool) -> Iterator[Figure]:
    for name, value, unit, least, most in speed_rolling.rows(quick=quick):
        yield Figure(
            group="rolling map", name=name, value=value, unit=unit, at_least=least, at_most=most
        )


def _start_figures(*, quick: bool) -> Iterator[Figure]:
    yield Figure(
        group="start",
        name="import over bare Python",
        value=_fresh_import_s() * 1e3,
        unit="ms",
        at_most=250,
    )
    started = time.process_time()
    env = _env(SCENE)
    yield Figure(
        group="start",
        name="make",
        value=(time.process_time() - started) * 1e3,
        unit="ms",
        at_most=5,
    )
    env.reset(seed=1)
    cost_s = _cost_s(lambda: env.reset(seed=1), quick=quick)
    yield Figure(group="start", name="reset", value=cost_s * 1e3, unit="ms", at_most=0.1)


def machine() -> dict[str, str]:
    """Return processor, system, Python, NumPy and the core's compiler."""
    return {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "compiler": core.compiler(),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"


def table(measured: list[Figure]) -> str:
    """Return the figures as aligned text."""
    lines = [f"{key:<12}{value}" for key, value in machine().items()]
    group = ""
    for figure in measured:
        if figure.group != group:
            group = figure.group
            lines += ["", group]
        wanted = ""
        if figure.reached is not None:
            bound = figure.at_least if figure.at_least is not None else figure.at_most
            word = "at least" if figure.at_least is not None else "at most"
            wanted = f"  {word} {bound:,g}: {'reached' if figure.reached else 'NOT reached'}"
        lines.append(
            f"  {figure.name:<66}{figure.value:>12,.2f} {figure.unit:<12}{wanted}".rstrip()
        )
    return "\n".join(lines)


def as_dict(measured: list[Figure]) -> dict[str, Any]:
    """Return the figures for `--json`."""
    rows = [{**asdict(figure), "reached": figure.reached} for figure in measured]
    return {"machine": machine(), "figures": rows}
