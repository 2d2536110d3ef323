"""Prints the tables of docs/route.md: the 18 runs, the rack beside them, and generated scenes.

python docs/make_route_tables.py [--seeds N] [--jobs N]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from kinewright_env.bench import BenchRow, BenchRun, bench
from kinewright_env.scene import load_scene
from kinewright_env.shells import SHELLS, STEERINGS

RUNS: tuple[tuple[str, str, str], ...] = (
    *(("behind_second_wall", "route", price) for price in ("low", "normal", "high")),
    ("sealed_room", "route", "normal"),
    ("narrow_gap", "route", "normal"),
    ("three_rooms", "explore", "normal"),
    ("box_appears", "route", "normal"),
    ("box_vanishes", "route", "normal"),
    ("door", "route", "normal"),
)
GENERATORS = ("random_rooms", "random_maze", "sealed_or_not")


def runs_table(jobs: int) -> Iterator[str]:
    """Yield the lines of the 18 runs and those under the rack, seed 0, and what they add up to."""
    yield (
        "| scene, price | shell | steering | verdict | time | length | plans | switches "
        "| least clearance |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    plans = switches = 0
    for scene, agent, price in RUNS:
        tasks = [
            BenchRun(
                agent=agent,
                scene=scene,
                shell=shell,
                steering=steering,
                agent_options={"price": price},
            )
            for shell in SHELLS
            for steering in STEERINGS
        ]
        for row in bench(tasks, jobs=jobs):
            yield _line(row, price)
            if row.result is not None and row.run.steering == "servo":
                plans += row.result.plans
                switches += row.result.switches
    yield f"\nUnder the servo: {plans} plans and {switches} switches.\n"


def _line(row: BenchRow, price: str) -> str:
    name = f"`{row.run.scene}`" + (f", {price}" if price != "normal" else "")
    result = row.result
    if result is None:
        return f"| {name} | {row.shell} | {row.run.steering} | error: {row.error} |"
    gap = f", {result.gap_m:.2f} m" if result.gap_m is not None else ""
    rooms = f", {result.rooms} rooms" if result.rooms is not None else ""
    contact = f", {result.contact_ticks} ticks of contact" if result.contact_ticks else ""
    return (
        f"| {name} | {row.shell} | {row.run.steering} "
        f"| `{result.verdict}`{gap}{rooms}{contact} | {result.time_s:.1f} s "
        f"| {result.length_m:.1f} m | {result.plans} | {result.switches} "
        f"| {result.min_clearance_m:.3f} m |"
    )


def honesty_table(seeds: int, jobs: int) -> Iterator[str]:
    """Yield the lines of what was said of generated scenes, against their truth."""
    yield (
        "| scenes | shell | contact | false | gap misread | reached of those that can be "
        "| gave up or out of time |"
    )
    yield "|---|---|---|---|---|---|---|"
    for generator in GENERATORS:
        for shell in SHELLS:
            tasks = [
                BenchRun(agent="route", scene=f"{generator}:{seed}", shell=shell)
                for seed in range(seeds)
            ]
            yield _counted(generator, shell, bench(tasks, jobs=jobs))


def _counted(generator: str, shell: str, rows: Sequence[BenchRow]) -> str:
    counts: Counter[str] = Counter()
    for row in rows:
        truth, result = load_scene(row.run.scene).truth, row.result
        counts["can"] += truth == "at_goal"
        if result is None:
            counts["errors"] += 1
            continue
        counts["contact"] += result.contact_ticks > 0
        counts["reached"] += row.reached and truth == "at_goal"
        is_of_world = result.honest is not None
        is_false = is_of_world and result.verdict != truth
        counts["false"] += is_false
        counts["misread"] += result.honest is False and not is_false
        counts["agent"] += not is_of_world
    errors = f", {counts['errors']} errors" if counts["errors"] else ""
    return (
        f"| `{generator}:0-{len(rows) - 1}` | {shell} | {counts['contact']}{errors} "
        f"| {counts['false']} | {counts['misread']} | {counts['reached']} of {counts['can']} "
        f"| {counts['agent']} |"
    )


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seeds", type=int, default=50, help="of each generator (50)")
    arguments.add_argument("--jobs", type=int, default=2, help="processes (2)")
    args = arguments.parse_args()
    for lines in (runs_table(args.jobs), honesty_table(args.seeds, args.jobs)):
        for line in lines:
            print(line, flush=True)  # as it is known: all of it takes a while


if __name__ == "__main__":
    main()
