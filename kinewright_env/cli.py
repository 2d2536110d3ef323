"""The command `kinewright`: its verbs, and how errors become one line and an exit status.

Exit status: 0 done; 1 a finding (contact, a false verdict, an agent's error, a replay that
differs); 2 bad usage.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from gymnasium.error import DependencyNotInstalled

from . import (
    cli_agents,
    cli_bench,
    cli_drive,
    cli_export,
    cli_import,
    cli_replay,
    cli_rolling,
    cli_scenes,
    cli_selftest,
    cli_senses,
    cli_speed,
)
from .cli_output import FINDING, INTERRUPTED, PIPE_CLOSED, USAGE, printable, ready_streams
from .errors import AgentError, NoDisplayError

# Each has `add(verbs)`, which adds its parsers with `run=` a function of the arguments.
VERBS = (
    *(cli_drive, cli_replay, cli_bench, cli_export, cli_scenes, cli_agents, cli_senses),
    *(cli_import, cli_rolling, cli_speed, cli_selftest),
)

DESCRIPTION = "A small rover drives through rooms that it knows only through models of sensors."
EPILOG = """\
examples:
  kinewright drive                                   the route agent, past two inner walls
  kinewright drive three_rooms --path "2,1.9 4,1.1 5.2,1.5"
  kinewright scenes three_rooms
  kinewright VERB --help                             more on a verb

exit status: 0 done; 1 a finding (contact, a false verdict, an agent's error, a replay that
differs); 2 bad usage"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Leave with status 2."""
        sys.stderr.write(f"kinewright: error: {printable(message)} (see {self.prog} --help)\n")
        sys.exit(USAGE)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    top = Parser(
        prog="kinewright",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"kinewright {version('kinewright')}")
    verbs = top.add_subparsers(metavar="VERB", required=True, parser_class=Parser)
    for module in VERBS:
        module.add(verbs)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Without the program's name; those of the process where left out.
    """
    arguments = _with_values_joined(sys.argv[1:] if argv is None else argv)
    ready_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning
        try:
            status: int = _run(arguments)
            sys.stdout.flush()
        except BrokenPipeError:
            # nobody reads on: what is left must not fail once more at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return PIPE_CLOSED
        except KeyboardInterrupt:
            sys.stderr.write("kinewright: interrupted\n")
            return INTERRUPTED
        return status


def _run(arguments: Sequence[str]) -> int:
    try:
        args = parser().parse_args(arguments)
        status: int = args.run(args)
        return status
    except AgentError as error:
        return _fail(error, FINDING)
    except (ValueError, NoDisplayError, DependencyNotInstalled) as error:
        return _fail(error, USAGE)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _fail(error, USAGE)


def _fail(error: Exception, status: int) -> int:
    sys.stderr.write(f"kinewright: error: {printable(str(error))}\n")
    return status


def _with_values_joined(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `--start -1,2,0` as `--start=-1,2,0`, which argparse takes."""
    result: list[str] = []
    for argument in arguments:
        before = result[-1] if result else ""
        if re.match(r"-[\d.]", argument) and before.startswith("--") and "=" not in before:
            result[-1] = f"{before}={argument}"
        else:
            result.append(argument)
    return result


def _show_warning(message: Warning | str, *_place: Any, **_more: Any) -> None:
    sys.stderr.write(f"kinewright: warning: {printable(str(message))}\n")
