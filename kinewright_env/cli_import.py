"""`kinewright import`: a map from elsewhere as a scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .cli_arguments import numbers
from .cli_output import DONE, print_json, printable, write_whole
from .errors import OptionError
from .importers import import_map

EPILOG = """\
examples:
  kinewright import depot.yaml -o depot.toml
  kinewright import office.yaml -o office.toml --start 1.0,2.0,90 --goal 4.0,2.0
  kinewright drive depot.toml --path "7.2,6.1 9,6.1"
  kinewright import arena.map -o arena.toml --cell 0.2 --scenario 100
  kinewright import world_000.txt -o barn_000.toml

FILE is the YAML of a ROS map_server map, a .map of the Moving AI Lab (its .scen beside it), or
a world of the BARN dataset as rows of text (.txt). Without --start, the shell stands where the
scenario or the world's task says, else in a free place of great clearance."""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "import",
        help="a map from elsewhere as a scene",
        description="Make a scene of a map: occupied cells become boxes, BARN's cylinders posts.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("map", type=Path, metavar="FILE", help=".yaml, .map or .txt")
    verb.add_argument(
        "-o", "--output", type=Path, required=True, metavar="SCENE", help="scene to write, .toml"
    )
    verb.add_argument(
        "--start", type=numbers("X", "Y", "DEG"), metavar="X,Y,DEG", help="m, m, degrees"
    )
    verb.add_argument("--goal", type=numbers("X", "Y"), metavar="X,Y", help="m, m")
    verb.add_argument("--cell", type=float, metavar="M", help="size of a cell of a .map (0.1)")
    verb.add_argument(
        "--scenario", type=int, metavar="N", help="start and goal of the .scen, from 1"
    )
    verb.add_argument(
        "--unknown", choices=("solid", "free"), help="unknown cells of a .yaml (solid)"
    )
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.output.suffix.lower() != ".toml":
        raise OptionError(f"-o: {str(args.output)!r} is no scene file; allowed: a name in .toml")
    scene = import_map(
        args.map,
        start=args.start,
        goal=args.goal,
        cell_m=args.cell,
        unknown=args.unknown,
        scenario=args.scenario,
    )
    write_whole(args.output, scene.to_toml().encode("utf-8"))
    source = dict(scene.source or {})
    if args.json:
        print_json(
            {
                "scene": scene.name,
                "file": str(args.output),
                "solids": len(scene.solids),
                "root": scene.root,
                "source": source,
            }
        )
        return DONE
    start = scene.start
    print(
        f"Wrote {printable(str(args.output))}: {len(scene.solids)} solids, start at "
        f"({start.x_m:.2f}, {start.y_m:.2f}), {start.heading_deg:.0f} degrees."
    )
    for key, value in source.items():
        print(f"  {printable(str(key)):<14}{printable(str(value))}")
    return DONE
