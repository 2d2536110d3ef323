"""Draws the pictures of docs/route.md: each a drive, up to a time or to its end.

A description has the scene, the agent, and the time in seconds to stop at.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kinewright_env.cli import main

FOLDER = Path(__file__).resolve().parent / "pictures"
SEED = 0

PICTURES: tuple[tuple[str, str, str, float | None], ...] = (
    ("route_first", "behind_second_wall", "route", 2.0),
    ("route_sealed", "sealed_room", "route", None),
    ("route_gap", "narrow_gap", "route", None),
    ("route_rooms", "three_rooms", "explore", None),
)


def draw(scene: str, agent: str, time_s: float | None) -> bytes:
    """Return one picture as a PNG file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drive.png"
        until = [] if time_s is None else ["--time-limit", str(time_s)]
        drive = ["drive", scene, "--agent", agent, "--seed", str(SEED), "--headless"]
        if main([*drive, *until, "--picture", str(file)]) != 0:
            raise SystemExit(f"no picture of {agent} in {scene}")
        return file.read_bytes()


if __name__ == "__main__":
    for name, *how in PICTURES:
        (FOLDER / f"{name}.png").write_bytes(draw(*how))
