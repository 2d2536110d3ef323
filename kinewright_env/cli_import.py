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

Without --start, the shell stands in a free place of great clearance."""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "import",
        help="a ROS map_server map as a scene",
        description="Make a scene of a map: occupied cells become boxes.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("map", type=Path, metavar="FILE", help="the map's YAML file")
    verb.add_argument(
        "-o", "--output", type=Path, required=True, metavar="SCENE", help="scene to write, .toml"
    )
    verb.add_argument(
        "--start", type=numbers("X", "Y", "DEG"), metavar="X,Y,DEG", help="m, m, degrees"
    )
    verb.add_argument("--goal", type=numbers("X", "Y"), metavar="X,Y", help="m, m")
    verb.add_argument("--cell", type=float, metavar="M", help="size of a cell, where unstated")
    verb.add_argument(
        "--unknown", choices=("solid", "free"), default="solid", help="what unknown cells are"
    )
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.output.suffix.lower() != ".toml":
        raise OptionError(f"-o: {str(args.output)!r} is no scene file; allowed: a name in .toml")
    scene = import_map(
        args.map, start=args.start, goal=args.goal, cell_m=args.cell, unknown=args.unknown
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
