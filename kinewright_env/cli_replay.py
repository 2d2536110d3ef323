"""`kinewright replay`: a recorded drive run again and compared, or seen again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .cli_agents import look_here
from .cli_output import DONE, FINDING, Progress, print_json, printable
from .cli_recording import Recording, add_pictures
from .errors import OptionError
from .journal import read
from .playback import Playback
from .replay import THROUGH, Replay, replay
from .viewer import ReplayWindow

EPILOG = """\
examples:
  kinewright replay drive.kwj                      world and agent anew, byte for byte
  kinewright replay drive.kwj --through frames     the agent alone, fed what was recorded
  kinewright replay drive.kwj --through asks       the world alone, asked what was recorded
  kinewright replay drive.kwj --window             see it, with a time bar
  kinewright replay drive.kwj --film drive.mp4     or as a film

exit status: 0 the same; 1 it differs, or the journal was cut or changed; 2 no journal, or of
another format"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "replay",
        help="a recorded drive again, compared byte for byte",
        description="Runs a recorded drive again and compares; or, with --window, --picture or "
        "--film, shows it as it was recorded. The file is only read.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("file", type=Path, metavar="FILE", help="a journal (.kwj)")
    verb.add_argument("--through", choices=THROUGH, help="what is run again (agent)")
    verb.add_argument(
        "--agent", metavar="MODULE:CLASS", help="let the journal name this agent of yours"
    )
    verb.add_argument("--window", action="store_true", help="show it, with a time bar to scrub")
    add_pictures(verb)
    verb.add_argument("--json", action="store_true", help="print the result as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.window or args.picture or args.film:
        return _show(args)
    look_here(args.agent or "")
    journal = read(args.file)
    progress = Progress(sum(1 for _ in journal.of("state")) - 1)
    try:
        result = replay(
            args.file, args.through or THROUGH[0], agent=args.agent, on_step=progress.show
        )
    finally:
        progress.clear()
    if args.json:
        print_json(result.to_dict())
    else:
        _tell(result)
    return DONE if result.same and not result.fault else FINDING


def _tell(result: Replay) -> None:
    reach = ", up to where the journal is whole" if result.same and result.fault else ""
    print(f"{'The same' if result.same else 'It differs'} through {result.through}{reach}.")
    rows = [("differs", result.difference), ("journal", result.fault)]
    told = f"{result.decisions} decisions, {result.plans} plans, {result.switches} switches"
    rows += [("steps", f"{result.steps}, {told}"), ("root", result.root)]
    for key, value in rows:
        if value:
            print(f"  {key:<11}{printable(value)}")


def _show(args: argparse.Namespace) -> int:
    """Show the drive as it was recorded: as picture and film, and in a window."""
    for name in ("through", "agent", "json"):
        if getattr(args, name):
            raise OptionError(f"to show what was recorded, --{name} has no part in it")
    journal = read(args.file)
    playback = Playback(journal)
    for file in _draw(args, playback):
        print(printable(f"wrote {file}"))
    if args.window:
        ReplayWindow(playback).run()
    if journal.fault:
        print(printable(f"{args.file}: {journal.fault}"))
    return FINDING if journal.fault else DONE


def _draw(args: argparse.Namespace, playback: Playback) -> list[Path]:
    """Write picture and film where they are asked for, and return which were."""
    if not (args.picture or args.film):
        return []
    progress = Progress(len(playback.snapshots))
    try:
        with Recording(args.picture, args.film, args.size) as recording:
            for index in range(len(playback.snapshots)):
                playback.index = index
                recording.add(playback)
                progress.show(index)
            recording.finish(playback)
            return recording.written
    finally:
        progress.clear()
