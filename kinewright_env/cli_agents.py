"""`kinewright agents`: the agents that are installed, and the card of one."""

from __future__ import annotations

import argparse
import inspect
import sys
from pathlib import Path
from typing import Any

from .agent import find, registered
from .cli_output import DONE, print_json, print_rows, printable
from .errors import AgentError, OptionError

EPILOG = """\
examples:
  kinewright agents
  kinewright agents follow_path
  kinewright agents my_module:MyAgent"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "agents",
        help="the agents there are; the card of one",
        description="Without a name, the agents that are installed; with one,\n"
        "what it does, needs and takes, and how it ends.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("agent", nargs="?", metavar="NAME", help="a name, or module:Class")
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def look_here(name: str) -> None:
    """Let `module:Class` find modules in the present folder, after all that is installed."""
    if ":" in name and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))


def _run(args: argparse.Namespace) -> int:
    if args.agent is None:
        cards = [_card(name) for name in sorted(registered())]
        if args.json:
            print_json(cards)
        else:
            print_rows((card["name"], card["summary"]) for card in cards)
        return DONE
    look_here(args.agent)
    try:
        card = _card(args.agent)
    except AgentError as error:
        raise OptionError(str(error)) from error
    if args.json:
        print_json(card)
    else:
        _print_card(card)
    return DONE


def _card(name: str) -> dict[str, Any]:
    kind = find(name)
    text = inspect.cleandoc(kind.__doc__ or "It says nothing of itself.")
    about, _, rest = text.partition("\nParameters\n")
    options = [
        {
            "name": option.name,
            "default": None if option.default is option.empty else repr(option.default),
        }
        for option in inspect.signature(kind).parameters.values()
        if option.kind not in (option.VAR_KEYWORD, option.VAR_POSITIONAL)
    ]
    return {
        "name": name,
        "summary": about.partition("\n")[0],
        "about": about.strip(),
        "options": options,
        "parameters": "\n".join(rest.splitlines()[1:]).strip(),
    }


def _print_card(card: dict[str, Any]) -> None:
    print(f"{printable(card['name'])}\n")
    for line in card["about"].splitlines():
        print(printable(line))
    if card["options"]:
        print("\nOptions (--agent-option NAME=VALUE)")
        for option in card["options"]:
            default = option["default"]
            print(f"  {option['name']}" + ("" if default is None else f" = {printable(default)}"))
    if card["parameters"]:
        print()
        for line in card["parameters"].splitlines():
            print(printable(line))
