"""`kinewright speed`: what this machine reaches, and what each layer of a step costs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import speed
from .cli_output import DONE, Progress, print_json

EPILOG = """\
examples:
  kinewright speed
  kinewright speed --quick --json

Run it while nothing else does. Absolute figures hold for one machine; compare ratios."""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "speed",
        help="this machine's figures",
        description="Measures steps, ticks and rays a second, the cost of each layer of a step,\n"
        "and the time to start; in CPU time, medians of several runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    progress = Progress(speed.FIGURE_COUNT)
    measured = []
    for figure in speed.figures(quick=args.quick):
        measured.append(figure)
        progress.show(len(measured))
    progress.clear()
    if args.json:
        print_json(speed.as_dict(measured))
    else:
        sys.stdout.write(speed.table(measured) + "\n")
    return DONE
