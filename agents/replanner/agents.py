"""The three agents: whose the map is, which machine, and whether its goal may move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Observation
from kinewright_env.errors import AgentError, allowed

from .base import ReplannerAgent
from .beams import Scanner
from .grid_map import CELL_M, MICROMETRES, StaticGridMap, body_radii
from .machines import (
    Path,
    Point,
    Pose,
    Replanner,
    ReplannerWithDynamicMap,
    ReplannerWithDynamicMapAndGoal,
    time_to_replan_dynamic_map,
    time_to_replan_dynamic_map_and_goal,
    time_to_replan_dynamic_map_with_kidnap,
)
from .scanned_map import BayesGridMap, CountingGridMap, ScannedGridMap

MAPS: Mapping[str, type[ScannedGridMap]] = {"bayes": BayesGridMap, "counting": CountingGridMap}
POLICIES: Mapping[str, Callable[..., bool]] = {
    "plain": time_to_replan_dynamic_map,
    "kidnap": time_to_replan_dynamic_map_with_kidnap,
}

CELLS_MOST = 2**24  # of the map that is given, with the ground around it


class ReplannerStatic(ReplannerAgent[StaticGridMap]):
    """Drive by a map of the whole scene, known from the start: the static replanner.

    It is GIVEN THE SCENE'S MAP by its caller; no other agent is. It plans once, and again only
    where it finds itself off its path. What the map does not show it does not plan around,
    though it still never drives into what its senses show. Ends `at_goal`, `no_way_for_body`
    or `no_way` by a search of the whole map, `stopped_trying` at the limit of 20,000 cells.
    Needs a goal, a ranging sense in the rig, and `ticks_per_step` that divides 12.

    Parameters
    ----------
    map : Occupancy, optional
        As ``kinewright_env.occupancy(scene, cell_m)`` returns it. Where it is left out, `run`
        and the command line give that of the scene as it is at the drive's start.
    cell_m : float
        Edge of the cells then asked for.
    """

    name = "replanner_static"
    has_certain_map = True

    def __init__(self, map: Any = None, cell_m: float = CELL_M) -> None:
        if map is not None and not all(
            hasattr(map, part) for part in ("cell_m", "row0", "column0", "cells")
        ):
            raise AgentError(
                f"{self.name}: map is a {type(map).__name__}; allowed: what "
                "kinewright_env.occupancy(scene, cell_m) returns"
            )
        self._given = map
        self.wants_map_cell_m = None if map is not None else cell_m

    def take_map(self, given: Any) -> None:
        """Take the scene's map before a reset."""
        self._given = given

    def _new_map(self, obs: Observation) -> StaticGridMap:
        if self._given is None:
            raise AgentError(
                f"{self.name}: it is given no map; build it with "
                "map=kinewright_env.occupancy(scene, cell_m), or drive it by kinewright_env.run"
            )
        robot_m, wary_m = body_radii(self._declarations["shell"])
        corner, occupied = self._given_and_around(obs, wary_m)
        return StaticGridMap(
            occupied,
            corner,
            cell_m=self._given.cell_m,
            robot_m=robot_m,
            wary_m=wary_m,
        )

    def _given_and_around(
        self, obs: Observation, wary_m: float
    ) -> tuple[tuple[int, int], NDArray[np.bool_]]:
        """Return the given cells with the free ground around them, and their corner.

        The given array ends where solids and places do, and beyond it all is free: a ring in
        which the body clears every solid, so that no way round the outside is missed; and as far
        as a start and a goal lie that a reset has chosen instead of the scene's.
        """
        given = self._given
        places = np.array([obs["pose"][-1][:2], obs["goal"]]) / (MICROMETRES * given.cell_m)
        low, high = np.floor(places.min(axis=0)), np.floor(places.max(axis=0))
        corner = np.array([given.column0, given.row0])
        end = corner + given.cells.shape[::-1]
        before = np.maximum(corner - low, 0).astype(np.int64)
        after = np.maximum(high + 1 - end, 0).astype(np.int64)
        ring = int(wary_m / given.cell_m) + 3
        columns, rows = (end - corner + before + after + 2 * ring).tolist()
        if rows * columns > CELLS_MOST:
            raise AgentError(
                f"{self.name}: the map with start and goal in it has {rows} x {columns} cells; "
                f"allowed: {CELLS_MOST} in all"
            )
        (left, below), (right, above) = (before + ring).tolist(), (after + ring).tolist()
        occupied = np.pad(given.cells != 0, ((below, above), (left, right)))
        return (given.column0 - left, given.row0 - below), occupied

    def _new_machine(self) -> None:
        self._map.undraw_path(self._map.drawn)
        self._machine = Replanner(self._goal, self._map, search=self._searches)

    def _step(self, pose: Pose) -> Point:
        return self._machine.step(pose)

    @property
    def _path(self) -> Path:
        return self._machine.state

    def _look(self, obs: Observation) -> bool:
        return False


class _ByScanner(ReplannerAgent[ScannedGridMap]):
    """What the agents share whose map is the scanner's."""

    def __init__(
        self, look_ahead: int | None, use_cost_dynamics: bool, map: str, cell_m: float
    ) -> None:
        if look_ahead is not None and (type(look_ahead) is not int or look_ahead < 1):
            raise AgentError(
                f"{self.name}: look_ahead is {look_ahead!r}; allowed: None, or 1 and more"
            )
        if map not in MAPS:
            raise AgentError(f"{self.name}: map is {map!r}; {allowed(map, MAPS)}")
        if not isinstance(use_cost_dynamics, bool):
            raise AgentError(
                f"{self.name}: use_cost_dynamics is {use_cost_dynamics!r}; allowed: True or False"
            )
        self._use_cost_dynamics = use_cost_dynamics
        self._look_ahead = look_ahead
        self._kind = MAPS[map]
        self._cell_m = cell_m

    def _new_map(self, obs: Observation) -> ScannedGridMap:
        self._scanner = Scanner(self._declarations)
        world_map = self._kind(self._cell_m, *body_radii(self._declarations["shell"]))
        x, y, _ = obs["pose"][-1].tolist()
        world_map.see_place((x / 1e6, y / 1e6))
        return world_map

    def _look(self, obs: Observation) -> bool:
        scans = self._scanner.observe(obs)
        for beams in scans:
            self._map.take_scan(beams)
        return bool(scans)


class ReplannerDynamic(_ByScanner):
    """Drive by a map that its scanner makes on the way, and replan where that bars the plan.

    What is not yet seen counts as free, so a plan may run through the unseen. The goal stays
    where it was when the drive to it began. Ends `at_goal`; `no_way_for_body` or `no_way` by
    a search of all that can be reached, from near by and over some scans; `stopped_trying` at
    the limit of 20,000 cells. Needs a goal, `scan` in the rig, and `ticks_per_step` that
    divides 12.

    Parameters
    ----------
    policy : str
        `plain`, or `kidnap`: replan also where it is not next to its plan.
    look_ahead : int, optional
        How many cells of the plan are asked about whether they are free; all unless told.
    use_cost_dynamics : bool
        Price a step by how likely its cell is occupied; else by its length.
    map : str
        `bayes`, or `counting`: hits against misses, unweighed.
    cell_m : float
        Edge of a cell.
    """

    name = "replanner_dynamic"

    def __init__(
        self,
        policy: str = "plain",
        look_ahead: int | None = None,
        use_cost_dynamics: bool = True,
        map: str = "bayes",
        cell_m: float = CELL_M,
    ) -> None:
        super().__init__(look_ahead, use_cost_dynamics, map, cell_m)
        if policy not in POLICIES:
            raise AgentError(f"{self.name}: policy is {policy!r}; {allowed(policy, POLICIES)}")
        self._policy = POLICIES[policy]

    def _new_machine(self) -> None:
        self._map.undraw_path(self._map.drawn)
        self._map.see_place(self._goal)
        self._machine = ReplannerWithDynamicMap(
            self._goal,
            self._use_cost_dynamics,
            time_to_replan=partial(self._policy, look_ahead=self._look_ahead),
            search=self._searches,
        )

    def _step(self, pose: Pose) -> Point:
        return self._machine.step((self._map, pose))

    @property
    def _path(self) -> Path:
        return self._machine.state


class ReplannerGoal(_ByScanner):
    """Drive as `replanner_dynamic` does, to a goal that may move at any time.

    Ends and needs are the same.

    Parameters
    ----------
    look_ahead : int, optional
        How many cells of the plan are asked about whether they are free; all unless told.
    use_cost_dynamics : bool
        Price a step by how likely its cell is occupied; else by its length.
    map : str
        `bayes`, or `counting`: hits against misses, unweighed.
    cell_m : float
        Edge of a cell.
    """

    name = "replanner_goal"

    def __init__(
        self,
        look_ahead: int | None = None,
        use_cost_dynamics: bool = True,
        map: str = "bayes",
        cell_m: float = CELL_M,
    ) -> None:
        super().__init__(look_ahead, use_cost_dynamics, map, cell_m)

    def _new_machine(self) -> None:
        self._map.undraw_path(self._map.drawn)
        self._map.see_place(self._goal)
        self._machine = ReplannerWithDynamicMapAndGoal(
            self._use_cost_dynamics,
            time_to_replan=partial(
                time_to_replan_dynamic_map_and_goal, look_ahead=self._look_ahead
            ),
            search=self._searches,
        )

    def _observe(self, obs: Observation) -> None:
        super()._observe(obs)
        if self._goal != self._true_goal:
            self._goal = self._true_goal
            self._map.see_place(self._goal)
            self._has_news, self._retry_tick = True, 0

    def _step(self, pose: Pose) -> Point:
        subgoal, _ = self._machine.step((self._goal, (self._map, pose)))
        return subgoal

    @property
    def _path(self) -> Path:
        return self._machine.state
