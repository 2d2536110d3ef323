"""`kinewright speed`: what this machine reaches, and what each layer of a step costs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import speed, speed_peers
from .cli_arguments import some_of
from .cli_output import DONE, Progress, print_json
from .errors import OptionError

EPILOG = """\
examples:
  kinewright speed
  kinewright speed --quick --json
  kinewright speed --against pyastar2d,semita

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
    verb.add_argument(
        "--against", type=some_of(speed_peers.PEERS), metavar="A,B",
        help="only the planner, in turn with others that are installed: "
        + ", ".join(speed_peers.PEERS),
    )  # fmt: skip
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.against is None:
        count, figures = speed.FIGURE_COUNT, speed.figures(quick=args.quick)
    else:
        peers = _installed(args.against)
        count, figures = speed_peers.figure_count(peers), speed.against(peers, quick=args.quick)
    progress = Progress(count)
    measured = []
    for figure in figures:
        measured.append(figure)
        progress.show(len(measured))
    progress.clear()
    if args.json:
        print_json(speed.as_dict(measured))
    else:
        sys.stdout.write(speed.table(measured) + "\n")
    return DONE


def _installed(named: tuple[str, ...]) -> list[str]:
    """Return those peers that are installed, and say which are left out."""
    peers = [peer for peer in named if speed_peers.installed(peer)]
    if not peers:
        raise OptionError(f"--against: not installed: {', '.join(named)}; allowed: one that is")
    for peer in named:
        if peer not in peers:
            sys.stderr.write(f"left out, as it is not installed: {peer}\n")
    return peers
