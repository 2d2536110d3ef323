"""`kinewright export`: a recorded drive as a file for other tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .cli_output import DONE, FINDING, print_json, printable, refuse_existing, write_whole
from .export import FORMATS
from .journal import read

EPILOG = """\
examples:
  kinewright export drive.kwj --to npz
  kinewright export drive.kwj --to npz -o arrays.npz

npz: NumPy arrays, read by numpy.load; docs/journal.md says which. exit status: 0 done; 1 the
journal was cut or changed, and what is whole was written; 2 bad usage"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "export",
        help="a recorded drive for other tools",
        description="Writes a recorded drive as arrays.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("file", type=Path, metavar="FILE", help="a journal (.kwj)")
    verb.add_argument("--to", choices=tuple(FORMATS), required=True, help="form of the file")
    verb.add_argument("-o", "--output", type=Path, metavar="OUT", help="beside FILE unless told")
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    output = args.output or args.file.with_suffix(f".{args.to}")
    refuse_existing(output)
    journal = read(args.file)
    write_whole(output, FORMATS[args.to](journal))
    if args.json:
        print_json({"wrote": str(output), "fault": journal.fault})
    else:
        print(printable(f"wrote {output}"))
        if journal.fault:
            sys.stderr.write(f"kinewright: warning: {printable(f'{args.file}: {journal.fault}')}\n")
    return FINDING if journal.fault else DONE
