"""Drives of the agents, a line each: verdict, root of the record, and a digest of what they drew.

The root holds readings, plans, decisions and the verdict; an agent's map is in no record, so
its layers are digested once a second: each cell of its map, its prices, its plan.
`.ci/arm` compares what this prints on two processors.
"""

import dataclasses
import hashlib
import platform
import sys
from collections.abc import Iterable

import numpy as np

import kinewright_env
from kinewright_env.agent import make, needs
from kinewright_env.env import DriveEnv
from kinewright_env.layers import Layer
from kinewright_env.rig import make_rig

STEPS_PER_SECOND = 10
DRIVES = (
    ("route", "behind_second_wall", "front_steer"),
    ("route", "sealed_room", "four_wheel_steer"),
    ("route", "narrow_gap", "front_steer"),
    ("route", "random_rooms:7", "four_wheel_steer"),
    ("explore", "three_rooms", "four_wheel_steer"),
    ("go_around", "post", "front_steer"),
    ("replanner_goal", "goal_moves", "four_wheel_steer"),
    ("rolling", "angled_wall", "four_wheel_steer"),
)


def add(digest: "hashlib._Hash", layers: Iterable[Layer]) -> None:
    """Add all values of the layers to the digest."""
    for layer in layers:
        for field in dataclasses.fields(layer):
            value = getattr(layer, field.name)
            is_array = isinstance(value, np.ndarray)
            digest.update(f"{field.name} {value.shape if is_array else value!r}\n".encode())
            digest.update(value.tobytes() if is_array else b"")


def drive(name: str, scene: str, shell: str) -> str:
    """Return the line of one drive."""
    agent = make(name)
    rig = make_rig(None).with_sources(needs(agent))
    steps, drawn = 0, hashlib.sha256()

    def look(_: DriveEnv) -> None:
        nonlocal steps
        steps += 1
        if steps % STEPS_PER_SECOND == 0:
            add(drawn, agent.layers())

    env = DriveEnv(scene=scene, shell=shell, rig=rig)
    result = kinewright_env.run(env, agent, seed=0, on_step=look)
    add(drawn, agent.layers())
    return f"{name} {scene} {shell}: {result.verdict} {result.root} {drawn.hexdigest()}"


def main() -> None:
    """Drive them all."""
    print(f"driving on {platform.machine()}, NumPy {np.__version__}", file=sys.stderr)
    for one in DRIVES:
        print(drive(*one), flush=True)


if __name__ == "__main__":
    main()
