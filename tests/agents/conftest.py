"""Observations made by hand, for what an agent knows without a world; drives with their record."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_agents import make
from kinewright_env import Result, run
from kinewright_env.env import DriveEnv
from kinewright_env.journal import read
from kinewright_env.rig import Rig, Sensor

FRAME_SHAPES = {"scan": ((360,), (360,)), "grid": ((8, 8), (8, 8)), "beam": ((), ())}
FRAME_SHAPES |= {"bumpers": ((2,), ())}


@pytest.fixture(scope="session")
def observation() -> Callable[..., dict[str, Any]]:
    """Return a function that makes one observation; see `observe_by_hand`."""
    return observe_by_hand


def observe_by_hand(
    rig: Rig,
    ticks_per_step: int,
    tick: int,
    *,
    poses_um: Any = (0, 0, 0),
    speed_mmps: int = 0,
    steer_urad: int = 0,
    frames: dict[str, tuple[Any, Any, int]] | None = None,
) -> dict[str, Any]:
    """One observation; `frames[key]` is values, statuses and the tick of one frame."""
    obs: dict[str, Any] = {
        "tick": np.array([tick], np.int32),
        "pose": np.broadcast_to(np.asarray(poses_um, np.int32), (ticks_per_step, 3)).copy(),
        "speed": np.array([speed_mmps], np.int32),
        "steer": np.array([steer_urad], np.int32),
    }
    for sensor in rig:
        if sensor.key in FRAME_SHAPES:
            obs |= _frames_of(sensor, ticks_per_step, (frames or {}).get(sensor.key))
    return obs


def _frames_of(
    sensor: Sensor, ticks_per_step: int, frame: tuple[Any, Any, int] | None
) -> dict[str, Any]:
    n = -(-ticks_per_step // sensor.period_tick)
    values, statuses = FRAME_SHAPES[sensor.key]
    entries = {
        sensor.key: np.zeros((n, *values), np.int32),
        f"{sensor.key}_status": np.zeros((n, *statuses), np.int32),
        f"{sensor.key}_tick": np.full(n, -1, np.int32),
    }
    if frame is not None:
        for name, given in zip(entries, frame, strict=True):
            entries[name][0] = given
    return entries


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A drive: its result, and what its journal holds of plans and switches."""

    result: Result
    plans: list[dict[str, Any]]
    switches: list[dict[str, Any]]
    path: Path


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recorded]:
    """Return a function that drives once, and hands out the same drive when asked again."""
    folder = tmp_path_factory.mktemp("drives")

    @functools.cache
    def once(scene: str, agent: str, price: str, how: tuple[str, str, int]) -> Recorded:
        shell, steering, seed = how
        path = folder / f"{scene}-{agent}-{price}-{shell}-{steering}-{seed}.kwj"
        env = DriveEnv(scene=scene, shell=shell, steering=steering, journal=path)
        result = run(env, make(agent, price=price), seed=seed)
        env.close()
        journal = read(path)
        plans, switches = (
            [json.loads(one.payload) for one in journal.of(kind)] for kind in ("plan", "switch")
        )
        return Recorded(result=result, plans=plans, switches=switches, path=path)

    def drive(
        scene: str,
        agent: str = "route",
        *,
        shell: str,
        price: str = "normal",
        steering: str = "servo",
        seed: int = 0,
    ) -> Recorded:
        return once(scene, agent, price, (shell, steering, seed))

    return drive
