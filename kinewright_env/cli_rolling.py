"""`kinewright rolling`: the rolling obstacle map over recordings of registered increments."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .agent import find
from .cli_arguments import numbers, size
from .cli_output import DONE, Progress, png, print_json, print_rows, printable, write_whole
from .errors import AgentError, OptionError
from .grids import Corridor, RegisteredIncrement, RollingBounds
from .readers import Options, Recording, open_recording

AGENT = "rolling"
OUTPUT = Path("output")
CORRIDOR = (2.0, 0.6, -0.5, 0.5)
"""Ahead and wide, from low to high over the pose, m: a virtual body for who has none."""
SHOWN_M = 12.5

EPILOG = """\
examples:
  kinewright rolling hku_increments.npz
  kinewright rolling frames/*.pcd --poses poses.txt --points-in sensor
  kinewright rolling sequences/04/velodyne --poses 04.txt --calib calib.txt --stamps times.txt
  kinewright rolling hall.mcap --cloud-topic /cloud_registered --pose-topic /odometry
  kinewright rolling hku_increments.npz --jump 1.0,1.5 --at 15 --picture frame.png
  kinewright rolling hku_increments.npz --window

An increment is what a mapper has newly added to its map, no complete scan. Nothing that is
absent from it is taken for free; what leaves the map is unknown."""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "rolling",
        help="the rolling obstacle map over recordings",
        description="Runs the rolling obstacle map over a recording of registered increments,\n"
        "prints what was counted and writes the ledger, a line a frame.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "files", nargs="+", type=Path, metavar="FILE",
        help=".npz, .pcd, .bin, .bag, .mcap, .db3, or a folder of one kind",
    )  # fmt: skip
    _add_reading(verb)
    _add_bounds(verb)
    verb.add_argument(
        "--corridor", type=numbers("AHEAD", "WIDE", "LOW", "HIGH"), default=CORRIDOR,
        metavar="AHEAD,WIDE,LOW,HIGH",
        help=f"of the pose, m ({','.join(map(str, CORRIDOR))})",
    )  # fmt: skip
    verb.add_argument(
        "--ledger", type=Path, metavar="FILE", help="where it goes (output/NAME.ledger)"
    )
    verb.add_argument("--picture", type=Path, metavar="FILE.png", help="draw one frame")
    verb.add_argument("--at", type=int, metavar="N", help="which frame to draw, from 0 (the last)")
    verb.add_argument("--size", type=size, default=(1000, 700), metavar="WxH", help="px (1000x700)")
    verb.add_argument("--window", action="store_true", help="then show frame by frame")
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _add_reading(verb: argparse.ArgumentParser) -> None:
    """Add what the files do not say of themselves."""
    verb.add_argument("--points-in", choices=("map", "sensor"), help="else as the format has it")
    verb.add_argument("--poses", type=Path, metavar="FILE", help="twelve numbers a frame, as KITTI")
    verb.add_argument("--calib", type=Path, metavar="FILE", help="KITTI's calib.txt, for --poses")
    verb.add_argument("--stamps", type=Path, metavar="FILE", help="seconds, one a frame")
    verb.add_argument("--rate", type=float, default=10.0, metavar="HZ", help="without stamps (10)")
    verb.add_argument("--cloud-topic", metavar="T", help="of a bag")
    verb.add_argument("--pose-topic", metavar="T", help="of a bag")
    verb.add_argument(
        "--pose-tolerance", type=float, default=0.05, metavar="S",
        help="how far in time a cloud's pose may be (0.05)",
    )  # fmt: skip


def _add_bounds(verb: argparse.ArgumentParser) -> None:
    """Add the bounds of the map, each by its declared figure."""
    own = RollingBounds()
    for flag, name, unit, what in (
        ("--voxel", "voxel_m", "M", "side of a voxel"),
        ("--radius", "radius_m", "M", "what is farther leaves"),
        ("--hold", "hold_s", "S", "identities are held"),
        ("--retention", "retention_s", "S", "cells are kept"),
    ):
        value = getattr(own, name)
        verb.add_argument(
            flag, dest=name, type=float, default=value, metavar=unit, help=f"{what} ({value:g})"
        )
    for flag, name, what in (
        ("--cells", "cell_limit", "most active cells"),
        ("--component-cells", "component_cell_limit", "most cells of a component"),
        ("--components", "component_limit", "most components of a kind"),
    ):
        value = getattr(own, name)
        verb.add_argument(
            flag, dest=name, type=int, default=value, metavar="N", help=f"{what} ({value})"
        )
    verb.add_argument(
        "--jump", type=numbers("M", "RAD"), default=(own.jump_m, own.jump_rad), metavar="M,RAD",
        help=f"a pose that jumps farther clears the map ({own.jump_m:g},{own.jump_rad:g})",
    )  # fmt: skip
    verb.add_argument(
        "--heights", type=numbers("LOW", "HIGH"), default=(own.low_m, own.high_m),
        metavar="LOW,HIGH", help="over the pose, m: points between are qualified (all)",
    )  # fmt: skip


def _bounds(args: argparse.Namespace) -> RollingBounds:
    (jump_m, jump_rad), (low_m, high_m) = args.jump, args.heights
    given = {field.name: getattr(args, field.name, None) for field in fields(RollingBounds)}
    given |= {"jump_m": jump_m, "jump_rad": jump_rad, "low_m": low_m, "high_m": high_m}
    return RollingBounds(**{name: value for name, value in given.items() if value is not None})


@dataclass(slots=True, kw_only=True)
class _Run:
    """The map and what it is fed with; begun anew for each pass over the recording."""

    make_map: Callable[..., Any]
    bounds: RollingBounds
    recording: Recording
    ahead: tuple[float, float, float, float]

    def corridor(self, increment: RegisteredIncrement) -> Corridor | None:
        """Return the corridor ahead of the frame's pose."""
        if increment.pose is None:
            return None
        length_m, width_m, low_m, high_m = self.ahead
        return Corridor.ahead(
            increment.pose, length_m=length_m, width_m=width_m, low_m=low_m, high_m=high_m
        )

    def passes(self, obstacles: Any) -> Iterator[tuple[RegisteredIncrement, float]]:
        """Feed a map frame by frame; yield the frame and the time that the map took."""
        for increment in self.recording.frames():
            began_s = time.perf_counter()
            obstacles.frame(increment, self.corridor(increment))
            yield increment, time.perf_counter() - began_s


def _run(args: argparse.Namespace) -> int:
    if args.at is not None and args.at < 0:
        raise OptionError(f"--at: {args.at}; allowed: 0 or more")
    run = _Run(
        make_map=_map_of_the_agent(),
        bounds=_bounds(args),
        recording=open_recording(args.files, _options(args)),
        ahead=args.corridor,
    )
    lines: list[str] = []
    obstacles = run.make_map(run.bounds, ledger_sink=lines.append)
    figures = _count(run, obstacles)
    ledger = args.ledger or OUTPUT / f"{_plain_name(args.files[0])}.ledger"
    if args.ledger is None:
        OUTPUT.mkdir(exist_ok=True)
    write_whole(ledger, "".join(lines).encode("ascii"))
    written = [ledger]
    if args.picture is not None:
        last = run.recording.n_frames - 1
        write_whole(args.picture, _picture(run, last if args.at is None else args.at, args.size))
        written.append(args.picture)
    result = {"recording": run.recording.name, "root": obstacles.ledger.root(), **figures}
    _tell(result, written, as_json=args.json)
    if args.window:
        _show(run, args.size)
    return DONE


def _map_of_the_agent() -> Callable[..., Any]:
    """Return the class of the map that the agent `rolling` drives by, reached as agents are."""
    try:
        make_map: Callable[..., Any] = find(AGENT).obstacle_map  # type: ignore[attr-defined]
    except AttributeError:
        raise AgentError(f"agent {AGENT!r} has no obstacle_map") from None
    return make_map


def _options(args: argparse.Namespace) -> Options:
    return Options(
        points_in=args.points_in,
        poses=args.poses,
        calibration=args.calib,
        stamps=args.stamps,
        rate_hz=args.rate,
        cloud_topic=args.cloud_topic,
        pose_topic=args.pose_topic,
        pose_tolerance_s=args.pose_tolerance,
    )


def _count(run: _Run, obstacles: Any) -> dict[str, Any]:
    """Run the whole recording; return the counts, and the times beside them."""
    progress = Progress(run.recording.n_frames)
    began_s, map_s = time.perf_counter(), 0.0
    try:
        for number, (_, took_s) in enumerate(run.passes(obstacles)):
            map_s += took_s
            progress.show(number + 1)
    finally:
        progress.clear()
    counts: dict[str, Any] = obstacles.totals.to_dict()
    return {
        **counts,
        "dropped_points": run.recording.dropped_points,
        "wall_s": time.perf_counter() - began_s,
        "wall_map_s": map_s,
        "frames_per_s": counts["frames"] / map_s if map_s > 0.0 else 0.0,
    }


def _tell(result: dict[str, Any], written: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json({**result, "files": [str(file) for file in written]})
        return
    rows = [(name, _figure(name, value)) for name, value in result.items()]
    print_rows([(name, printable(value)) for name, value in rows])
    for file in written:
        print(f"wrote {printable(str(file))}")


def _figure(name: str, value: Any) -> str:
    if name == "greatest_age_ns":
        return f"{value:,}  ({value / 1e9:.3f} s)"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}" if _is_time(name) else value


def _is_time(name: str) -> bool:
    return name.startswith("wall_") or name.endswith("_per_s")


def _plain_name(path: Path) -> str:
    kept = [part if part.isalnum() or part in "_-" else "_" for part in path.stem[:60]]
    return "".join(kept) or "recording"


# ---- Seen ----


class _Player:
    """Gives the frame of a number; one that lies back is reached from the start again."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._begin()

    def _begin(self) -> None:
        self._obstacles = self._run.make_map(self._run.bounds)
        self._frames = self._run.passes(self._obstacles)
        self._number = -1
        self._increment: RegisteredIncrement | None = None

    def frame_at(self, number: int) -> Any:
        """Return an `IncrementFrame`."""
        from .viewer.increments import IncrementFrame  # noqa: PLC0415 - pygame, when seen

        if number < self._number:
            self._begin()
        while self._number < number:
            try:
                self._increment, _ = next(self._frames)
            except StopIteration:
                raise OptionError(
                    f"--at: {number}; the recording has {self._number + 1} frames, from 0"
                ) from None
            self._number += 1
        pose = None if self._increment is None else self._increment.pose
        return IncrementFrame(
            number=number,
            pose=None if pose is None else (pose[0], pose[1], pose[3]),
            layers=self._obstacles.layers(),
        )


def _picture(run: _Run, number: int, size_px: tuple[int, int]) -> bytes:
    from .viewer.increments import IncrementPicture  # noqa: PLC0415 - pygame, when seen

    picture = IncrementPicture(min(run.bounds.radius_m, SHOWN_M), size_px)
    picture.draw(_Player(run).frame_at(number))
    return png(picture.pixels())


def _show(run: _Run, size_px: tuple[int, int]) -> None:
    from .viewer.increments import IncrementWindow  # noqa: PLC0415 - pygame, when seen

    player = _Player(run)
    radius_m = min(run.bounds.radius_m, SHOWN_M)
    name = printable(run.recording.name)
    IncrementWindow(player.frame_at, run.recording.n_frames, radius_m, name, size_px).run()
