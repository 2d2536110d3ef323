"""Draws the pictures of drives in the README and the pages: each up to a time or to its end.

A description has the scene, the agent, the seed, and the time in seconds to stop at.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kinewright_env.cli import main

FOLDER = Path(__file__).resolve().parent / "pictures"
PICTURES: tuple[tuple[str, str, str, int, float | None], ...] = (
    ("avoidance_around", "post", "go_around", 1, 4.3),
    ("avoidance_low_box", "low_box", "go_around", 1, 4.5),
    ("avoidance_stop", "angled_wall", "stop_before", 1, None),
    ("avoidance_stuck", "behind_inner_wall", "go_around", 1, None),
    ("behind_second_wall", "behind_second_wall", "route", 0, None),
    ("route_first", "behind_second_wall", "route", 0, 2.0),
    ("route_sealed", "sealed_room", "route", 0, None),
    ("route_gap", "narrow_gap", "route", 0, None),
    ("route_rooms", "three_rooms", "explore", 0, None),
)


def draw(scene: str, agent: str, seed: int, time_s: float | None) -> bytes:
    """Return one picture as a PNG file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drive.png"
        until = [] if time_s is None else ["--time-limit", str(time_s)]
        drive = ["drive", scene, "--agent", agent, "--seed", str(seed), "--headless"]
        if main([*drive, *until, "--picture", str(file)]) != 0:
            raise SystemExit(f"no picture of {agent} in {scene}")
        return file.read_bytes()


if __name__ == "__main__":
    for name, *how in PICTURES:
        (FOLDER / f"{name}.png").write_bytes(draw(*how))
