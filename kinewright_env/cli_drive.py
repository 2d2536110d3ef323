"""`kinewright drive` and `kinewright manual`: one drive, in a window or headless."""

from __future__ import annotations

import argparse
import math
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gymnasium.error import DependencyNotInstalled

from .agent import Agent, accepts, make, needs
from .cli_agents import look_here
from .cli_arguments import numbers, pair, path_to_follow, seed
from .cli_output import DONE, FINDING, Progress, print_json, printable, refuse_existing
from .cli_recording import Recording, add_pictures
from .core import TICKS_PER_SECOND
from .env import DriveEnv
from .errors import AgentError, NoDisplayError, OptionError
from .rig import Rig, make_rig
from .runner import Result, run
from .scene import Scene, load_scene
from .shells import SHELLS, STEERINGS
from .viewer.film import NEEDS_FFMPEG

SCENE = "behind_second_wall"
AGENT = "route"  # where there is a goal
AGENT_WITHOUT_GOAL = "explore"
PATH_AGENT = "follow_path"
MANUAL_AGENT = "manual"
OUTPUT = Path("output")  # where a drive goes that has no display to be seen on

DRIVE_EPILOG = """\
examples:
  kinewright drive                                    the route agent, past two inner walls
  kinewright drive three_rooms                        explores: there is no goal
  kinewright drive random_rooms:7 --shell front_steer a generated scene
  kinewright drive low_box --agent go_around          reacts, and plans nothing
  kinewright drive three_rooms --path "2,1.9 4,1.1 5.2,1.5"
  kinewright drive three_rooms --agent follow_path    in a window: draw the path
  kinewright drive random_rooms --seed 7 --headless
  kinewright drive senses_room --agent my_module:MyAgent --agent-option speed_mps=0.2
  kinewright drive --steering rack --headless --json
  kinewright drive three_rooms --path way.csv --picture drive.png --film drive.mp4
  kinewright drive three_rooms --path way.csv --record drive.kwj

Without a display, and without --headless, the drive is written to output/ as a picture
and, with the extra `video`, as a film. In the window, h shows the keys."""

MANUAL_EPILOG = """\
examples:
  kinewright manual
  kinewright manual three_rooms --shell front_steer --steering rack
  kinewright manual three_rooms --guard

Arrow keys or W, A, S, D drive, or a gamepad's left stick; the space bar, or the pad's A,
brakes; h shows all keys."""


def add(verbs: Any) -> None:
    """Add both verbs."""
    drive = verbs.add_parser(
        "drive",
        help="one drive; prints its sentence",
        description="One drive of an agent through a scene, in a window where a display exists.",
        epilog=DRIVE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_world(drive)
    drive.add_argument(
        "--agent", metavar="A",
        help=f"a name of `kinewright agents`, or module:Class ({AGENT}; {AGENT_WITHOUT_GOAL} where "
        f"there is no goal; {PATH_AGENT} with --path)",
    )  # fmt: skip
    drive.add_argument(
        "--agent-option", type=pair, action="append", default=[], metavar="K=V",
        help="an option of the agent, as often as needed",
    )  # fmt: skip
    drive.add_argument(
        "--path", metavar="PATH", help='"X,Y X,Y[,DEG] ..." in metres and degrees, or FILE.csv'
    )
    drive.add_argument("--headless", action="store_true", help="without a window")
    drive.add_argument("--json", action="store_true", help="print the result as JSON; no window")
    drive.set_defaults(run=_drive)

    manual = verbs.add_parser(
        "manual",
        help="you drive, with the keys or a gamepad",
        description="A person drives with the keys or a gamepad, in a window.",
        epilog=MANUAL_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_world(manual)
    manual.add_argument(
        "--guard", dest="agent_option", action="store_const", const=[("guard", True)], default=[],
        help="brake before what the senses see; never steer",
    )  # fmt: skip
    manual.add_argument("--json", action="store_true", help="print the result as JSON")
    manual.set_defaults(run=_drive, agent=MANUAL_AGENT, path=None, headless=False)


def _add_world(verb: argparse.ArgumentParser) -> None:
    """Add what fixes the world of a drive, and what it leaves behind."""
    verb.add_argument(
        "scene", nargs="?", default=SCENE, help=f"a name, a file or a generator ({SCENE})"
    )
    verb.add_argument("--shell", metavar="S", help=f"{', '.join(SHELLS)}; else the scene's own")
    steerings = ", ".join(STEERINGS)
    verb.add_argument("--steering", default="servo", metavar="S", help=f"{steerings} (servo)")
    verb.add_argument("--rig", metavar="A,B", help="sensors; all but lio unless told")
    verb.add_argument(
        "--seed",
        type=seed,
        default=0,
        metavar="N",
        help="of the noise, and of a generator's scene (0)",
    )
    verb.add_argument(
        "--ticks-per-step", type=int, default=12, metavar="N", help="how long one ask holds (12)"
    )
    verb.add_argument(
        "--on-contact", choices=("report", "terminate"), default="report",
        help="go on, or end the drive (report)",
    )  # fmt: skip
    verb.add_argument("--no-noise", action="store_true", help="readings without noise")
    verb.add_argument(
        "--time-limit", type=float, metavar="S", help="in seconds, instead of the scene's"
    )
    verb.add_argument(
        "--start", type=numbers("X", "Y", "DEG"), metavar="X,Y,DEG", help="instead of the scene's"
    )
    verb.add_argument(
        "--goal", type=numbers("X", "Y"), metavar="X,Y", help="instead of the scene's"
    )
    verb.add_argument("--record", type=Path, metavar="FILE.kwj", help="write the drive's journal")
    add_pictures(verb)


def _drive(args: argparse.Namespace) -> int:
    if args.record is not None:
        refuse_existing(args.record)
    scene = load_scene(args.scene, seed=args.seed)
    agent, rig = _agent(args, scene)
    picture, film = args.picture, args.film
    env, reason = _window_env(args, scene, rig)
    windowed = env is not None
    if env is None:
        _refuse_without_window(args)
        if isinstance(reason, NoDisplayError) and picture is None and film is None:
            picture, film = _unseen(scene)
        env = _env(args, scene, rig, "rgb_array" if picture or film else None)
    # from here on, for opening the window took a reset of its own
    env.record("", {}, journal=args.record)
    try:
        with Recording(picture, film, args.size) as recording:
            result = _run(env, agent, args, recording, windowed=windowed)
        written = [*([args.record] if args.record else []), *recording.written]
        _tell(result, written, as_json=args.json)
        env.hold()
    finally:
        env.close()
    return FINDING if result.contact_ticks or result.honest is False else DONE


def _run(
    env: DriveEnv, agent: Agent, args: argparse.Namespace, recording: Recording, *, windowed: bool
) -> Result:
    progress = Progress(round((args.time_limit or env.scene.time_limit_s) * TICKS_PER_SECOND))

    def on_step(drive: DriveEnv) -> None:
        recording.add(drive)
        if not windowed:
            progress.show(drive.totals()["tick"])

    try:
        result = run(env, agent, seed=args.seed, options=_options(args), on_step=on_step)
        recording.finish(env)
    finally:
        progress.clear()
    return result


def _agent(args: argparse.Namespace, scene: Scene) -> tuple[Agent, Rig]:
    """Return the agent and a rig with what it needs; what is wrong with either is bad usage."""
    if args.agent is None:
        to_goal = AGENT if scene.goals or args.goal else AGENT_WITHOUT_GOAL
        args.agent = to_goal if args.path is None else PATH_AGENT
    look_here(args.agent)
    options: dict[str, Any] = dict(args.agent_option)
    try:
        if args.path is not None:
            if not accepts(args.agent, "path"):
                raise OptionError(f"--path: the agent {args.agent!r} takes no path")
            options["path"] = path_to_follow(args.path)
        agent = make(args.agent, **options)
        return agent, make_rig(args.rig).with_sources(needs(agent))
    except AgentError as error:
        raise OptionError(str(error)) from error


def _env(args: argparse.Namespace, scene: Scene, rig: Rig, render_mode: str | None) -> DriveEnv:
    return DriveEnv(
        scene=scene,
        shell=args.shell,
        steering=args.steering,
        rig=rig,
        ticks_per_step=args.ticks_per_step,
        on_contact=args.on_contact,
        time_limit_s=args.time_limit,
        noise=not args.no_noise,
        render_mode=render_mode,
    )


def _window_env(
    args: argparse.Namespace, scene: Scene, rig: Rig
) -> tuple[DriveEnv | None, Exception | None]:
    """Return an environment with its window open, or why there is none."""
    if args.headless or (args.json and args.agent != MANUAL_AGENT):
        return None, None
    env = _env(args, scene, rig, "human")
    try:
        env.reset(seed=args.seed, options=_options(args))
    except (NoDisplayError, DependencyNotInstalled) as error:
        env.close()
        what, _, _ = str(error).rpartition(": ")
        sys.stderr.write(f"kinewright: no window: {printable(what or str(error))}\n")
        return None, error
    return env, None


def _refuse_without_window(args: argparse.Namespace) -> None:
    if args.agent == MANUAL_AGENT:
        raise OptionError("manual: needs a window, to take the keys from")
    if args.agent == PATH_AGENT and args.path is None and "path" not in dict(args.agent_option):
        raise OptionError("follow_path: needs --path, or a window to draw the path in")


def _unseen(scene: Scene) -> tuple[Path, Path | None]:
    """Return where picture and film go of a drive that has no display to be seen on."""
    OUTPUT.mkdir(exist_ok=True)
    kept = (part if part.isalnum() or part in "_-" else "_" for part in scene.name[:60])
    file = OUTPUT / ("".join(kept) or "drive")
    if find_spec("imageio_ffmpeg"):
        return file.with_suffix(".png"), file.with_suffix(".mp4")
    sys.stderr.write(f"kinewright: no film: {NEEDS_FFMPEG}\n")
    return file.with_suffix(".png"), None


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the reset; headings in radians."""
    options: dict[str, Any] = {}
    if args.start is not None:
        x_m, y_m, heading_deg = args.start
        options["start"] = (x_m, y_m, math.radians(heading_deg))
    if args.goal is not None:
        options["goal"] = args.goal
    return options


def _tell(result: Result, written: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_dict())
        return
    print(printable(result.sentence))
    rows = [
        ("verdict", result.verdict + _honesty(result.honest) if result.verdict else "none"),
        ("time", f"{result.time_s:.1f} s, {result.ticks} ticks"),
        ("length", f"{result.length_m:.2f} m"),
        ("contact", f"{result.contact_ticks / TICKS_PER_SECOND:.2f} s"
         if result.contact_ticks else "none"),
    ]  # fmt: skip
    if result.min_clearance_m is not None:
        rows.append(("clearance", f"{result.min_clearance_m:.3f} m at least"))
    if result.spl is not None:
        rows.append(("spl", f"{result.spl:.2f}"))
    if result.plans or result.switches:
        rows.append(("plans", f"{result.plans}, with {result.switches} switches"))
    rows.append(("pace", f"{_pace(result)} times real time"))
    rows += [("wrote", str(file)) for file in written]
    for key, value in rows:
        print(f"  {key:<11}{printable(value)}")
    sys.stdout.flush()  # before the window is held: a pipe would wait for its end


def _pace(result: Result) -> str:
    """Return how many times faster than real time it went; three figures, no exponent."""
    pace = result.time_s / max(result.wall_s, 1e-9)
    return f"{pace:.0f}" if pace >= 100 else f"{pace:.3g}"


def _honesty(honest: bool | None) -> str:
    return "" if honest is None else ", true" if honest else ", false"
