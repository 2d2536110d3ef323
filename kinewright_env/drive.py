"""What one drive is, before it starts: the environment's setup joined with a reset's options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import core, grids, options
from .errors import OptionError
from .generators import SceneGenerator
from .rig import Rig
from .scene import Scene, scene_source
from .shells import SHELLS, Shell, Steering, get_shell
from .shortest import ShortestWay
from .world import DriveStart, World, WorldOptions

DEFAULT_SHELL = "four_wheel_steer"
DEFAULT_GOAL_RADIUS_M = 0.15
FARTHEST_M = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveSetup:
    """What holds for every drive of an environment; a generator's scene changes with the seed."""

    scene: Scene | SceneGenerator
    shell: Shell | None
    steering: Steering
    rig: Rig
    ticks_per_step: int
    on_contact: str
    claims: bool
    time_limit_s: float | None
    noise: bool

    @property
    def default_shell(self) -> Shell:
        """Shell asked for, else the scene's own, else the default."""
        return self.shell or SHELLS[self.scene.shell or DEFAULT_SHELL]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """What one drive is: scene, shell, start pose (x m, y m, heading rad), goals, time limit.

    `options` are the start and goal that a reset has chosen instead of the scene's.
    """

    scene: Scene
    shell: Shell
    pose: tuple[float, float, float]
    goals: tuple[tuple[float, float, float], ...]
    time_limit_tick: int
    options: Mapping[str, Any]
    _ways: dict[tuple[float, float], ShortestWay] = field(default_factory=dict, compare=False)

    def start(self, seed: int) -> DriveStart:
        """Return what the core's reset takes."""
        return DriveStart(
            seed=seed,
            pose=self.pose,
            goals=self.goals,
            goal_changes=self.scene.core_goal_changes() if self.goals else (),
        )

    @property
    def start_centre_m(self) -> tuple[float, float]:
        """Body's centre at the start."""
        return centre_of(self.shell, self.pose)

    def way_to(self, goal_m: tuple[float, float]) -> ShortestWay:
        """Return the shortest way to a goal, computed once a scene, shell and goal."""
        if goal_m not in self._ways:
            self._ways[goal_m] = shortest_way(self.scene, self.shell, goal_m, self.start_centre_m)
        return self._ways[goal_m]

    def header(self, setup: DriveSetup) -> dict[str, Any]:
        """Return all that fixes the drive beside seed and asks, as plain values."""
        return {
            "scene": self.scene.name,
            "scene_root": self.scene.root,
            "shell": dataclasses.asdict(self.shell),
            "steering": dataclasses.asdict(setup.steering),
            "rig": [dataclasses.asdict(sensor) for sensor in setup.rig],
            "ticks_per_step": setup.ticks_per_step,
            "noise": setup.noise,
            "claims": setup.claims,
            "on_contact": setup.on_contact,
            "time_limit_s": setup.time_limit_s or self.scene.time_limit_s,
            "options": {key: list(value) for key, value in self.options.items()},
        }


def plan_drive(setup: DriveSetup, given: Mapping[str, Any] | None, seed: int) -> Drive:
    """Join the setup with the options of one reset, whose seed a generated scene is drawn from.

    Raises
    ------
    OptionError
        For an unknown key, a value that is not allowed, a start in a solid, or a shell with
        other limits than the environment's spaces.
    SceneError
        For a bad scene.
    """
    chosen = options.known("options", given, ("scene", "start", "goal", "shell"))
    source = scene_source(chosen["scene"]) if "scene" in chosen else setup.scene
    scene = source if isinstance(source, Scene) else source.scene(seed)
    shell = setup.default_shell
    if "shell" in chosen:
        shell = _same_limits(get_shell(chosen["shell"]), shell)
    places: dict[str, tuple[float, ...]] = {}
    pose = (scene.start.x_m, scene.start.y_m, math.radians(scene.start.heading_deg))
    if "start" in chosen:
        names = ("x m", "y m", "heading rad")
        x_m, y_m, heading_rad = options.numbers("options.start", chosen["start"], names, FARTHEST_M)
        places["start"] = pose = (x_m, y_m, heading_rad)
        _refuse_contact(scene, shell, pose)
    goals = tuple((goal.x_m, goal.y_m, goal.radius_m) for goal in scene.goals)
    if "goal" in chosen:
        x_m, y_m = options.numbers("options.goal", chosen["goal"], ("x m", "y m"), FARTHEST_M)
        places["goal"] = (x_m, y_m)
        radius_m = goals[0][2] if goals else DEFAULT_GOAL_RADIUS_M
        goals = ((x_m, y_m, radius_m),)
    limit_s = setup.time_limit_s or scene.time_limit_s
    return Drive(
        scene=scene,
        shell=shell,
        pose=pose,
        goals=goals,
        time_limit_tick=max(1, math.ceil(limit_s * core.TICKS_PER_SECOND)),
        options=places,
    )


def make_world(setup: DriveSetup, drive: Drive, *, record: bool) -> World:
    """Return the core's world for a drive; with `record` it keeps what a journal needs."""
    return World(
        drive.scene,
        drive.shell,
        setup.steering,
        setup.rig.sensors,
        WorldOptions(
            ticks_per_step=setup.ticks_per_step,
            noise=setup.noise,
            end_at_goal=not setup.claims,
            end_on_contact=setup.on_contact == "terminate",
            time_limit_tick=drive.time_limit_tick,
            record=record,
        ),
    )


def centre_of(shell: Shell, pose: tuple[float, float, float]) -> tuple[float, float]:
    """Return the body's centre for a pose of `base_link`."""
    sine, cosine = float(grids.sin(pose[2])), float(grids.cos(pose[2]))
    return pose[0] + shell.body_ahead_m * cosine, pose[1] + shell.body_ahead_m * sine


def _same_limits(shell: Shell, expected: Shell) -> Shell:
    """Refuse a shell that would need other spaces than the environment's."""
    for name in ("forward_speed_limit_mps", "reverse_speed_limit_mps", "lock_rad"):
        if getattr(shell, name) != getattr(expected, name):
            raise OptionError(
                f"options.shell: {shell.name!r} has {name} {getattr(shell, name)!r}, but the "
                f"spaces were made for {getattr(expected, name)!r}; make another environment"
            )
    return shell


def _refuse_contact(scene: Scene, shell: Shell, pose: tuple[float, float, float]) -> None:
    centre = np.array([[*centre_of(shell, pose), pose[2]]])
    solids = core.scene_core(scene).clearance(shell.length_m, shell.width_m, centre)
    if solids[1][0] > 0.0:
        name = scene.solids[solids[2][0]].name
        raise OptionError(f"options.start: {pose!r} puts the body into {name!r}; allowed: free")


_WAYS_KEPT = 16
_WAYS: dict[tuple[str, Shell, tuple[float, float], tuple[float, float]], ShortestWay] = {}


def shortest_way(
    scene: Scene, shell: Shell, goal_m: tuple[float, float], start_m: tuple[float, float]
) -> ShortestWay:
    """Return the shortest way to a goal; the last few are kept, for they are costly."""
    key = (scene.root, shell, goal_m, start_m)
    way = _WAYS.get(key)
    if way is None:
        core_scene = core.scene_core(scene)
        way = ShortestWay(core_scene, shell.inscribed_radius_m, goal_m, [start_m])
        while len(_WAYS) >= _WAYS_KEPT:
            del _WAYS[next(iter(_WAYS))]
        _WAYS[key] = way
    return way
