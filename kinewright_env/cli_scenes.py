"""`kinewright scenes`: the shipped scenes and the generators, and a drawing of one."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
from pathlib import Path
from typing import Any

from .cli_output import DONE, png, print_json, print_rows, printable, write_whole
from .env import DriveEnv
from .errors import OptionError
from .generators import GENERATORS, GeneratorCard
from .scene import Scene, load_scene, scene_names
from .scene_picture import draw_svg, draw_text

EPILOG = """\
examples:
  kinewright scenes
  kinewright scenes three_rooms
  kinewright scenes random_rooms:7
  kinewright scenes random_posts:7:density=0.8,low_boxes=3
  kinewright scenes my_room.toml -o my_room.svg"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "scenes",
        help="the scenes there are; a drawing of one",
        description="Without a name, the shipped scenes and the generators, whose scenes have a "
        "seed in their name; with one, a drawing of it from above.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "scene", nargs="?", metavar="NAME", help="a shipped name, GENERATOR:SEED, or a file"
    )
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help="drawing, .svg or .png")
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.scene is None:
        if args.output is not None:
            raise OptionError("scenes: -o needs the name of a scene")
        return _list(args.json)
    scene = load_scene(args.scene)
    if args.output is not None:
        write_whole(args.output, _drawing(scene, args.output.suffix.lower()))
    if args.json:
        print_json(_card(scene))
    elif args.output is not None:
        print(f"Wrote {printable(str(args.output))}.")
    else:
        columns = min(max(shutil.get_terminal_size().columns - 1, 20), 120)
        print(draw_text(scene, columns, plain=not _takes_blocks()), end="")
    return DONE


def _list(as_json: bool) -> int:
    scenes = [load_scene(name) for name in scene_names()]
    if as_json:
        cards = [_generator_card(name, card) for name, card in GENERATORS.items()]
        print_json([*map(_card, scenes), *cards])
        return DONE
    rows = [(scene.name, scene.title) for scene in scenes]
    for name, card in GENERATORS.items():
        rows.append((f"{name}:SEED", card.title))
        rows += [
            (f"  {key}=", f"{option.title}: {option.low:g} to {option.high:g} ({option.default:g})")
            for key, option in card.options.items()
        ]
    print_rows(rows)
    return DONE


def _generator_card(name: str, card: GeneratorCard) -> dict[str, Any]:
    options = {key: dataclasses.asdict(option) for key, option in card.options.items()}
    return {"generator": name, "title": card.title, "options": options}


def _card(scene: Scene) -> dict[str, Any]:
    return {
        "name": scene.name,
        "title": scene.title,
        "time_limit_s": scene.time_limit_s,
        "solids": len(scene.solids),
        "changes": len(scene.changes),
        "goals": len(scene.goals),
        "truth": scene.truth,
        "skills": list(scene.skills),
        "root": scene.root,
    }


def _drawing(scene: Scene, suffix: str) -> bytes:
    if suffix == ".svg":
        return draw_svg(scene).encode("utf-8")
    if suffix == ".png":
        return _picture(scene)
    raise OptionError(f"-o: {suffix!r} is no kind of drawing; allowed: '.svg', '.png'")


def _picture(scene: Scene) -> bytes:
    env = DriveEnv(scene=scene, rig=(), render_mode="rgb_array")
    try:
        env.reset(seed=0)
        picture = env.render()
    finally:
        env.close()
    if picture is None:
        raise OptionError(f"scene {scene.name!r} cannot be drawn")
    return png(picture)


def _takes_blocks() -> bool:
    """Whether the terminal's encoding has the signs of the drawing."""
    try:
        "█→".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
