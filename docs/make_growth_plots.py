"""Measures how cost grows with the room, 5 m to 100 m, and draws and writes what it found.

python docs/make_growth_plots.py

Needs matplotlib (the extra `plot`) and a minute or two. Writes pictures/growth.png and the
table in planner.md between its two markers. CPU time, medians; every room is made by one rule.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from kinewright_agents.route.ground import Ground, cell_of
from kinewright_env.bench_plots import require
from kinewright_env.core import scene_core
from kinewright_env.env import DriveEnv
from kinewright_env.grids import COPY_CELL_UM, Planner, cells_in_disc
from kinewright_env.rig import make_rig
from kinewright_env.scene import Scene
from kinewright_env.shells import SHELLS

PAGE = Path(__file__).with_name("planner.md")
PICTURE = Path(__file__).parent / "pictures/growth.png"
MARKERS = ("<!-- growth: begin -->\n", "<!-- growth: end -->\n")

SIDES_M = (5.0, 10.0, 20.0, 50.0, 100.0)
LITTLE_SEEN_M = 10.0  # of the greatest room, in the last column
PITCH_M = 2.5  # one solid a square of this side, well within it: lanes are left between squares
LOOKED_EVERY_M = 5.0  # from where two lanes cross
LOOK_SCANS = 40  # nine misses free a cell, and few rays of a scan meet a far one
CORNER_M = 0.4  # from a room's corner to where plans begin and end
STEP_M = 0.03  # from one scan to the next, at 0.18 m/s
SCANS, FAR_PLANS, NEW_PLANNERS = 60, 12, 5
PASSES = 3  # through all rooms, since other work on the machine disturbs some
ALL_CELLS = 2**26  # a limit that no search meets
TICKS_PER_STEP, SCAN_TICK, SECOND_TICK = 12, 20, 120
SHELL, RIG = SHELLS["four_wheel_steer"], make_rig("scan")
SCANNER = RIG["scan"]
AHEAD_M = SHELL.body_ahead_m + SCANNER.ahead_m
BEAMS_RAD = np.radians(np.arange(360.0))

Costs = dict[str, float]
"""By a row's key: seconds, bytes or square metres."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table and of the plot; `label` is its name in the plot."""

    key: str
    name: str
    label: str
    color: str


TIMES = (
    Row("tick", "a tick with the scan", "tick with scan", "#6b6b6b"),
    Row("near", "a plan to a place 2 m away after a scan", "plan, 2 m away", "#3d9a5f"),
    Row("relax", "a second's relaxing of what is out of view", "relaxing, a second", "#c2a01e"),
    Row("scan", "a scan into the belief", "scan into belief", "#2e6ebf"),
    Row("update", "its changes into copy, distances and prices", "copy, distances", "#8a5cc2"),
    Row("frontiers", "all frontiers", "all frontiers", "#17a2a2"),
    Row("far", "a plan to the far corner after a scan", "plan, far corner", "#d9662e"),
    Row("new", "a new planner, a plan from corner to corner", "planner and plan anew", "#b8434e"),
)
BYTES = (
    Row("belief", "memory of the belief", "belief", "#2e6ebf"),
    Row("planner", "memory of the planner", "planner", "#b8434e"),
)


# ---- rooms, and what is seen of them ----


def room(side_m: float) -> Scene:
    """Return a square room with a box or a post in each square of 2.5 m."""
    n = round(side_m / PITCH_M)
    rng = np.random.default_rng(n)
    corners = [(0.0, 0.0), (side_m, 0.0), (side_m, side_m), (0.0, side_m), (0.0, 0.0)]
    boxes, posts = [], []
    for row, col in itertools.product(range(n), repeat=2):
        off_m = rng.integers(-250, 251, 2) / 1000.0
        size_m = rng.integers(200, 701, 2) / 1000.0
        center = (PITCH_M * (np.array([col, row]) + 0.5) + off_m).tolist()
        solid = {"name": f"{row} {col}", "center": center, "height": 1.0}
        if (row + col) % 2:
            boxes.append({**solid, "size": size_m.tolist()})
        else:
            posts.append({**solid, "radius": float(size_m[0]) / 2})
    return Scene.from_dict(
        {
            "format": 1,
            "name": f"room_{side_m:.0f}",
            "title": f"A room of {side_m:.0f} m",
            "time_limit_s": 600.0,
            "start": {"x": side_m / 2, "y": side_m / 2},
            "wall": [
                {"name": f"wall {i}", "from": list(a), "to": list(b), "thickness": 0.1, "height": 1}
                for i, (a, b) in enumerate(itertools.pairwise(corners))
            ],
            "box": boxes,
            "post": posts,
        }
    )


class Survey:
    """A shell that is put from place to place in a room and looks round with a noisy scanner."""

    def __init__(self, scene: Scene) -> None:
        self.ground = Ground({"shell": SHELL, "rig": RIG, "ticks_per_step": TICKS_PER_STEP})
        self.tick = 0
        self._core = scene_core(scene)
        self._rng = np.random.default_rng(1)

    def look(self, x_m: float, y_m: float, border_m: float = math.inf) -> Callable[[], None]:
        """Return what takes a scan from a place into the belief, headed nearly along x.

        Beams that end where x + y is beyond a border, or x or y beyond 1 / 1.2 of it, are silent.
        """
        heading_rad = math.radians(self._rng.uniform(-0.5, 0.5))
        beams_rad = BEAMS_RAD + heading_rad
        ahead_m = AHEAD_M * math.cos(heading_rad), AHEAD_M * math.sin(heading_rad)
        origins = np.tile([x_m + ahead_m[0], y_m + ahead_m[1], SCANNER.height_m], (360, 1))
        exact_m = self._core.cast(origins, beams_rad, np.zeros(360), SCANNER.range_max_m)[0]
        reach_m = np.minimum(exact_m, SCANNER.range_max_m)
        end_x, end_y = x_m + reach_m * np.cos(beams_rad), y_m + reach_m * np.sin(beams_rad)
        beyond = (end_x + end_y > border_m) | (np.maximum(end_x, end_y) > border_m / 1.2 + 0.1)
        statuses = np.where(beyond, 0, np.where(np.isinf(exact_m), 2, 1)).astype(np.int32)
        noisy_m = reach_m * (1.0 + SCANNER.sigma_per_unit[0] * self._rng.standard_normal(360))
        ranges_mm = np.where(statuses == 1, np.rint(1000.0 * noisy_m), 0.0).astype(np.int32)
        place = np.array([um(x_m), um(y_m), um(heading_rad)], np.int32)
        poses = np.tile(place, (SCANNER.period_tick, 1))
        return partial(self.ground.belief.scan, poses, ranges_mm, statuses, self.tick)

    def look_round(self, seen_m: float) -> None:
        """See the part of a room's first square of a side where x + y is within 1.2 sides."""
        places = np.arange(PITCH_M, seen_m, LOOKED_EVERY_M)
        for y, x in itertools.product(places, repeat=2):
            for _ in range(LOOK_SCANS if x + y <= 1.2 * seen_m else 0):
                self.tick += SCAN_TICK
                self.look(x, y, 1.2 * seen_m)()
            self.ground.update()
        self.tick += 30 * SECOND_TICK
        self.ground.belief.relax(self.tick)


def um(length_m: float) -> int:
    """Return a length in whole micrometres."""
    return round(1e6 * length_m)


def goal_at(x_m: float, y_m: float) -> NDArray[np.int32]:
    """Return the cells of a goal."""
    return cells_in_disc(um(x_m), um(y_m), 150_000, COPY_CELL_UM)


# ---- measuring ----


def cost_s(call: Callable[[], Any]) -> float:
    """Return the CPU time of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def tick_cost_s(scene: Scene) -> float:
    """Return what a tick with the scan takes in the core, driving in a circle."""
    env: DriveEnv = gym.make(
        "Kinewright/Drive-v0", scene=scene, rig=("scan",), time_limit_s=1e6
    ).unwrapped  # type: ignore[assignment]
    env.reset(seed=1)
    ask = np.array([0.2, 0.6], np.float32)

    def steps() -> None:
        for _ in range(2000):
            env.core_step(ask)

    steps()
    return statistics.median(cost_s(steps) for _ in range(7)) / 2000 / TICKS_PER_STEP


def measure(side_m: float, seen_m: float) -> Costs:
    """Return the costs in a room of which the first square of a side was seen, in part."""
    scene = room(side_m)
    survey = Survey(scene)
    ground = survey.ground
    ground.cover(0, 0, 0)
    ground.cover(um(side_m), um(side_m), 0)
    survey.look_round(seen_m)
    ground.update()
    ground.planner.distances((0, 0, 1, 1))
    far = goal_at(side_m - CORNER_M, side_m - CORNER_M)
    costs = drive(survey, seen_m, far)
    states = ground.planner.states()
    costs["new"] = [cost_s(partial(plan_anew, states, far)) for _ in range(NEW_PLANNERS)]
    return {key: statistics.median(those) for key, those in costs.items()} | {
        "tick": tick_cost_s(scene),
        "belief": ground.belief.bytes_held,
        "planner": ground.planner.bytes_held,
        "seen": int(np.count_nonzero(states)) * (COPY_CELL_UM / 1e6) ** 2,
    }


def drive(survey: Survey, seen_m: float, far: NDArray[np.int32]) -> dict[str, list[float]]:
    """Return the costs of each scan on a drive along a lane, from what was seen to what was not."""
    ground, costs = survey.ground, defaultdict(list)
    y = PITCH_M * max(1, math.floor(0.6 * seen_m / PITCH_M))
    first_x = 1.2 * seen_m - y - 1.0
    for i in range(SCANS + FAR_PLANS):
        x = first_x + STEP_M * i
        start = cell_of(um(x), um(y))
        survey.tick += SCAN_TICK
        if survey.tick % SECOND_TICK == 0:
            costs["relax"].append(cost_s(partial(ground.belief.relax, survey.tick)))

        def update() -> None:
            ground.update()
            ground.planner.distances((0, 0, 1, 1))  # asks for what has changed

        def plan(goal: NDArray[np.int32], start: tuple[int, int] = start) -> None:
            ground.planner.plan(start, goal, node_limit=ALL_CELLS)

        scan = cost_s(survey.look(x, y))
        updated = cost_s(update)
        if i < SCANS:  # later, searches of the whole map have emptied the caches
            costs["scan"].append(scan)
            costs["update"].append(updated)
            costs["near"].append(cost_s(partial(plan, goal_at(x - 2.0, y))))
        else:
            costs["far"].append(cost_s(partial(plan, far)))
            costs["frontiers"].append(cost_s(ground.belief.frontiers))
    return costs


def plan_anew(states: NDArray[np.uint8], goal: NDArray[np.int32]) -> None:
    """Plan from a room's first corner on a planner that knows nothing yet."""
    planner = Planner()
    planner.cover(0, 0, *states.shape)
    planner.set_window(0, 0, states)
    planner.plan(cell_of(um(CORNER_M), um(CORNER_M)), goal, node_limit=ALL_CELLS)


# ---- table and plot ----


def seconds(value: float) -> str:
    """Return a time in the unit that suits it, with two digits."""
    for unit, size in (("µs", 1e-6), ("ms", 1e-3)):
        if value < 999.5 * size:
            return f"{float(f'{value / size:.2g}'):g} {unit}"
    return f"{value:.2g} s"


def table(measured: Mapping[str, Costs]) -> str:
    """Return the figures as a table in Markdown, a column a room."""
    lines = [["room", *measured], ["---"] * (1 + len(measured))]
    lines.append(["seen of it", *(f"{costs['seen']:,.0f} m²" for costs in measured.values())])
    for row in TIMES:
        lines.append([row.name, *(seconds(costs[row.key]) for costs in measured.values())])
    for row in BYTES:
        megabytes = [costs[row.key] / 1e6 for costs in measured.values()]
        lines.append([row.name, *(f"{float(f'{value:.2g}'):g} MB" for value in megabytes)])
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def figure(measured: Mapping[str, Costs]) -> Any:
    """Return both plots, times and memory over the room's side; the last column is hollow."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - after `require`

    whole = Figure(figsize=(8.0, 5.4), layout="constrained")
    panels = whole.subplots(1, 2, width_ratios=(11, 9))
    *rooms, little = measured.values()
    for axes, rows, ratio in zip(panels, (TIMES, BYTES), (1.75, 1.4), strict=True):
        for row in rows:
            values = [costs[row.key] for costs in rooms]
            axes.plot(SIDES_M, values, "o-", color=row.color, markersize=4, linewidth=1.6)
            axes.plot(SIDES_M[-1], little[row.key], "o", color=row.color, markerfacecolor="white")
        lasts = sorted((rooms[-1][row.key], row.label, row.color) for row in rows)
        heights = apart([last[0] for last in lasts], ratio)
        for (_, label, color), at in zip(lasts, heights, strict=True):
            axes.text(1.25 * SIDES_M[-1], at, label, color=color, fontsize=9, va="center")
        axes.set(xscale="log", yscale="log", xlabel="side of the room, m")
        axes.set_xticks(SIDES_M, [f"{side:.0f}" for side in SIDES_M])
        axes.minorticks_off()
        axes.grid(visible=True, color="#e4e4e4", linewidth=0.6)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    left, right = panels
    decades = range(-7, 1)
    left.set_yticks([10.0**n for n in decades], [seconds(10.0**n) for n in decades])
    left.set(ylabel="CPU time, median", xlim=(4.3, 1400.0), ylim=(3e-7, 2.0))
    sizes = (1e5, 1e6, 1e7, 1e8, 1e9)
    right.set_yticks(sizes, ["0.1 MB", "1 MB", "10 MB", "100 MB", "1 GB"])
    right.set(ylabel="memory", xlim=(4.3, 400.0), ylim=(1e5, 1e9))
    for axes, least in ((left, 3e-3), (right, 3e6)):
        grown = [least * (side / SIDES_M[0]) ** 2 for side in (SIDES_M[0], 80.0)]
        axes.plot((SIDES_M[0], 80.0), grown, "--", color="#8a8a8a", linewidth=1.2)
        axes.text(60.0, grown[1], "as the area ", color="#6b6b6b", fontsize=9, ha="right")
    hollow = right.plot([], [], "o", color="#444444", markerfacecolor="white")
    words = f"room of {SIDES_M[-1]:.0f} m, of which\nonly {LITTLE_SEEN_M:.0f} m were seen"
    right.legend(hollow, [words], loc="lower right", fontsize=9, frameon=False)
    return whole


def apart(values: Sequence[float], ratio: float) -> list[float]:
    """Return places for labels beside rising values, each at least a ratio above the last."""
    places: list[float] = []
    for value in values:
        places.append(max(value, places[-1] * ratio) if places else value)
    return places


def write_page(text: str, figures: str) -> str:
    """Return the page with the table between its markers."""
    before, _, rest = text.partition(MARKERS[0])
    _, _, after = rest.partition(MARKERS[1])
    return before + MARKERS[0] + figures + MARKERS[1] + after


def main() -> None:
    """Measure, then write the picture and the table."""
    require()
    rooms = {f"{side:.0f} m": (side, side) for side in SIDES_M}
    rooms[f"{SIDES_M[-1]:.0f} m, {LITTLE_SEEN_M:.0f} m seen"] = SIDES_M[-1], LITTLE_SEEN_M
    passes = [[measure(*which) for which in rooms.values()] for _ in range(PASSES)]
    measured = {
        name: {key: statistics.median(each[key] for each in costs) for key in costs[0]}
        for name, costs in zip(rooms, zip(*passes, strict=True), strict=True)
    }
    figure(measured).savefig(PICTURE, dpi=200)
    page = write_page(PAGE.read_text(encoding="utf-8"), table(measured))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
