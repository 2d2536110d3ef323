"""`kinewright selftest`: whether this machine computes what every other one does."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .cli_output import DONE, FINDING, print_json, print_rows
from .selftest import Selftest, selftest

EPILOG = """\
examples:
  kinewright selftest
  kinewright selftest --json

exit status: 0 every check holds; 1 one does not, and drives here may differ from others"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "selftest",
        help="whether this machine gives the same drives as every other",
        description="Tries the arithmetic of the installed core, its generator and its "
        "elementary functions against known answers, and replays a recorded drive.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    result = selftest()
    if args.json:
        print_json(result.to_dict())
    else:
        _print(result)
    return DONE if result.ok else FINDING


def _print(result: Selftest) -> None:
    print_rows(list(result.machine.items()))
    sys.stdout.write("\n")
    print_rows([("ok" if c.ok else "NOT ok", c.name, c.detail) for c in result.checks])
    sys.stdout.write(f"\nroot {result.root}\n")
