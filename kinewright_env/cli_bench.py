"""`kinewright bench`: agents x scenes x shells x steerings x seeds as a table."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import bench_plots
from .bench import BenchRow, BenchRun, bench, summaries
from .bench_runs import names_of, pairs_of, product, seeds_of, with_journals, words_of
from .bench_table import alike, error_lines, run_table, summary_table
from .cli_agents import look_here
from .cli_arguments import pair
from .cli_output import DONE, FINDING, INTERRUPTED, Progress, print_json, print_rows, printable
from .shells import SHELLS, STEERINGS

EPILOG = """\
examples:
  kinewright bench                                   every scene with the agents that it names
  kinewright bench --agents stop_before,go_around --steerings all --shells all
  kinewright bench --scenes "senses_*" --agents observe --rig beam,scan
  kinewright bench --scenes random_rooms:0-999 --agents route --findings
  kinewright bench --agents my_module:MyAgent --scenes post,wall --seeds 10 --json

A run that fails is a row with its error. Ctrl-C prints what is done so far.
exit status: 0 no finding; 1 a contact, a false verdict, an end that the scene does not expect
of the agent, or an error; 2 bad usage"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "bench",
        help="agents x scenes x shells x steerings x seeds, a table",
        description="Drives each agent through each scene, with each shell, steering and seed, "
        "and prints\na table of the runs and one of the agents. The rows are the same whatever "
        "the number of\nprocesses; only pace, the times faster than real time, is of the machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "--agents", nargs="+", metavar="A", help="names or module:Class; else those of the scenes"
    )
    verb.add_argument(
        "--scenes", nargs="+", metavar="S",
        help="names, patterns, files, GENERATOR:SEED, GENERATOR:A-B; else those of the agents",
    )  # fmt: skip
    verb.add_argument(
        "--shells", metavar="S", help=f"{', '.join(SHELLS)}, all; else each scene's own"
    )
    verb.add_argument(
        "--steerings", default="servo", metavar="S", help=f"{', '.join(STEERINGS)}, all (servo)"
    )
    verb.add_argument(
        "--seeds", default="1", metavar="N|A-B", help="0 to N - 1, or A to B, of the noise (1)"
    )
    verb.add_argument("--rig", metavar="A,B", help="sensors; every one unless told")
    verb.add_argument("--no-noise", action="store_true", help="readings without noise")
    verb.add_argument(
        "--ticks-per-step", type=int, default=12, metavar="N", help="how long one ask holds (12)"
    )
    verb.add_argument(
        "--time-limit", type=float, metavar="S", help="in seconds, instead of the scenes'"
    )
    verb.add_argument(
        "--agent-option", type=pair, action="append", default=[], metavar="K=V",
        help="an option of those agents that have it, as often as needed",
    )  # fmt: skip
    verb.add_argument("--jobs", type=int, metavar="N", help="processes; one a core unless told")
    verb.add_argument(
        "--engine", choices=("local",), default="local", help="where the processes are (local)"
    )
    verb.add_argument("--record", type=Path, metavar="DIR", help="write the journal of each run")
    verb.add_argument("--plots", type=Path, metavar="DIR", help="write plots (extra `plot`)")
    verb.add_argument(
        "--findings", action="store_true", help="of the table of runs only those with a finding"
    )
    verb.add_argument("--json", action="store_true", help="print rows and summaries as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.plots is not None:
        bench_plots.require()
    runs = _runs(args)
    progress = Progress(len(runs))
    done: list[BenchRow] = []

    def take(row: BenchRow) -> None:
        done.append(row)
        progress.show(len(done))

    status, rows = DONE, tuple[BenchRow, ...]()
    try:
        rows = bench(runs, jobs=_cores() if args.jobs is None else args.jobs, on_row=take)
    except KeyboardInterrupt:
        status, rows = INTERRUPTED, tuple(sorted(done, key=lambda row: row.run.key()))
    finally:
        progress.clear()
    _tell(args, rows, len(runs))
    if args.plots is not None:
        for file in bench_plots.write_plots(rows, args.plots):
            sys.stderr.write(printable(f"wrote {file}") + "\n")
    if status == DONE and any(row.finding for row in rows):
        status = FINDING
    return status


def _runs(args: argparse.Namespace) -> list[BenchRun]:
    agents, scenes = (
        None if given is None else words_of(given) for given in (args.agents, args.scenes)
    )
    for agent in agents or ():
        look_here(agent)
    runs = product(
        pairs_of(agents, scenes),
        shells=[None] if args.shells is None else names_of("shells", args.shells, list(SHELLS)),
        steerings=names_of("steerings", args.steerings, list(STEERINGS)),
        seeds=seeds_of(args.seeds),
        agent_options=args.agent_option,
        common=BenchRun(
            agent="",
            scene="",
            rig=None if args.rig is None else tuple(name for name in args.rig.split(",") if name),
            ticks_per_step=args.ticks_per_step,
            noise=not args.no_noise,
            time_limit_s=args.time_limit,
        ),
    )
    return runs if args.record is None else with_journals(runs, args.record)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tell(args: argparse.Namespace, rows: Sequence[BenchRow], n_runs: int) -> None:
    parts = summaries(rows)
    if args.json:
        print_json(
            {
                "runs": n_runs,
                "rows": [row.to_dict() for row in rows],
                "agents": [part.to_dict() for part in parts],
            }
        )
        return
    listed = [row for row in rows if row.finding or not args.findings]
    if listed:
        shared = ", ".join(f"{name} {value}" for name, value in alike(listed).items())
        if shared:
            print(printable(f"every run: {shared}"))
        print_rows(run_table(listed))
        print()
    for line in error_lines(rows):
        print(printable(f"error: {line}"))
    print_rows(summary_table(parts))
    if len(rows) < n_runs:
        print(f"{len(rows)} of {n_runs} runs were done.")
