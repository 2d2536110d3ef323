"""A drive's world from the header of its journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .env import DriveEnv
from .errors import JournalError
from .journal import Journal
from .rig import Rig, Sensor
from .scene import Scene
from .shells import Shell, Steering
from .world import World


def make_env(journal: Journal, record_to: Path | None = None) -> DriveEnv:
    """Return the environment that a journal was recorded in, its own record going to a file.

    Raises
    ------
    JournalError
        If the header doesn't say what an environment is made of.
    """
    header = journal.header
    try:
        return DriveEnv(
            scene=Scene.from_dict(json.loads(journal.scene_bytes()), file=str(journal.path)),
            shell=Shell(**header["shell"]),
            steering=Steering(**header["steering"]),
            rig=Rig(tuple(_sensor(sensor) for sensor in header["rig"])),
            ticks_per_step=header["ticks_per_step"],
            on_contact=header["on_contact"],
            claims=header["claims"],
            time_limit_s=header["time_limit_s"],
            noise=header["noise"],
            progress="straight",  # reward is no part of a record, and this costs least
            journal=record_to,
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, JournalError):
            raise
        raise JournalError(f"{journal.path}: header or scene: {error}") from error


def make_world(journal: Journal) -> World:
    """Return a world that the journal's keys can be loaded into, to look at their fields."""
    return make_env(journal).blank_world()


def _sensor(figures: Mapping[str, Any]) -> Sensor:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in figures.items()
    }
    return Sensor(**values)
