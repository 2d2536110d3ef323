"""Kinewright: a testbed for robot navigation behind Gymnasium.

Importing it registers `Kinewright/Drive-v0`; everything else is imported when it is used.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

if TYPE_CHECKING:
    from .env import DriveEnv
    from .rig import Rig
    from .runner import Result, run
    from .scene import Scene, load_scene, scene_names
    from .scene_cells import Occupancy, occupancy
    from .shells import Shell, Steering

__all__ = [
    "DriveEnv",
    "Occupancy",
    "Result",
    "Rig",
    "Scene",
    "Shell",
    "Steering",
    "load_scene",
    "occupancy",
    "run",
    "scene_names",
]

_HOMES = {
    "DriveEnv": "env",
    "Occupancy": "scene_cells",
    "Result": "runner",
    "Rig": "rig",
    "Scene": "scene",
    "Shell": "shells",
    "Steering": "shells",
    "load_scene": "scene",
    "occupancy": "scene_cells",
    "run": "runner",
    "scene_names": "scene",
}

register(id="Kinewright/Drive-v0", entry_point="kinewright_env.env:DriveEnv")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name == "__version__":
        return version("kinewright")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
