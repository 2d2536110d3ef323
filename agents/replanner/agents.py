"""The agents: a machine, a map, and a car that drives to the machine's subgoals.

Every 0.1 s the machine is stepped with where the car is. It says where to, and the car goes
there. Where it says that there is no way, the agent asks two more questions before it gives
up: whether a point could get through, and, where the map is the scanner's, whether it looks
the same from nearer by and after some more scans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError, allowed
from kinewright_env.grids import TICKS_PER_SECOND
from kinewright_env.layers import Layer, PointsLayer, PolylineLayer, TextLayer

from .beams import Scanner
from .driving import SubgoalDriver
from .grid_map import CELL_M, CellMap, PointView, StaticGridMap, body_radii
from .machines import (
    Path,
    Point,
    Pose,
    Replanner,
    ReplannerWithDynamicMap,
    ReplannerWithDynamicMapAndGoal,
    distance,
    time_to_replan_dynamic_map,
    time_to_replan_dynamic_map_and_goal,
    time_to_replan_dynamic_map_with_kidnap,
)
from .scanned_map import BayesGridMap, CountingGridMap, ScannedGridMap
from .searches import Searches

LOOK_AHEAD_M = 0.50  # along the path, as far as the way there is straight and free
ON_PATH_M = 0.25  # a car within this of its path is on it: it cannot pass through every cell
ON_PATH_CELLS = 12  # of the path that are looked at for that
STANDING_CELLS = 3  # to the nearest cell that the robot can occupy, where the map is that rough
WAYPOINT_M = 0.10
SURE_SCANS = 9  # on which there must be no way, one after the other: 1.5 s
NEAR_M = 0.45  # of what bars the body's way: near enough to judge it
APPROACH_DECISIONS = 100  # 10 s for coming so near

MAPS: Mapping[str, type[ScannedGridMap]] = {"bayes": BayesGridMap, "counting": CountingGridMap}
POLICIES: Mapping[str, Callable[..., bool]] = {
    "plain": time_to_replan_dynamic_map,
    "kidnap": time_to_replan_dynamic_map_with_kidnap,
}

Map = TypeVar("Map", bound=CellMap)


class ReplannerAgent(Generic[Map]):
    """What the three agents share; each has its own map, machine and goal."""

    name = ""
    switches = 0

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin without a plan.

        Raises
        ------
        AgentError
            Where the scene has no goal, or rig or step are not what the agent needs.
        """
        if not obs["has_goal"][0]:
            raise AgentError(f"{self.name}: the scene has no goal; {self.name} drives to one")
        self._declarations: dict[str, Any] = info["declarations"]
        self._driver = SubgoalDriver(self.name, self._declarations)
        self._searches = Searches()
        self._point_searches = Searches()
        self._claim: Claim | None = None
        self._length_m = 0.0
        self._before: Point | None = None
        self._goals_left = -1
        self._map = self._new_map(obs)
        self._observe(obs)

    # ---- What an agent has of its own ----

    def _new_map(self, obs: Observation) -> Map:
        """Return the map to begin with."""
        raise NotImplementedError

    def _new_machine(self) -> None:
        """Begin a machine for the goal."""
        raise NotImplementedError

    def _step(self, pose: Pose) -> Point:
        """Step the machine and return its subgoal."""
        raise NotImplementedError

    @property
    def _path(self) -> Path:
        """State of the machine."""
        raise NotImplementedError

    def _look(self, obs: Observation) -> bool:
        """Take what the senses tell of the map; whether the machine may find a plan now."""
        raise NotImplementedError

    # ---- From observation to ask ----

    @property
    def plans(self) -> int:
        """How many plans were made."""
        return self._searches.count

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask that leads to the subgoal."""
        self._observe(obs)
        if self._driver.is_due:
            self._decide()
        speed, steer = self._driver.take()
        return np.array([speed / 10000.0, steer / 1e6], dtype=np.float32)

    def _observe(self, obs: Observation) -> None:
        """Take pose, goal and map from an observation."""
        if int(obs["tick"][0]) == self._driver.avoider.tick:
            return
        self._driver.observe(obs)
        here = self._driver.centre[:2]
        self._length_m += distance(self._before, here) if self._before else 0.0
        self._before = here
        self._tick = int(obs["tick"][0])
        self._at_rest = int(obs["speed"][0]) == 0
        x, y = obs["goal"].tolist()
        self._true_goal: Point = (x / 1e6, y / 1e6)
        self._radius_m = int(obs["goal_radius"][0]) / 1e6
        if int(obs["goals_left"][0]) != self._goals_left:
            self._goals_left = int(obs["goals_left"][0])
            self._begin_goal()
        self._has_news = self._look(obs) or self._has_news

    def _begin_goal(self) -> None:
        """Begin to drive to the goal that is now the first."""
        self._goal = self._true_goal
        self._reached = self._driver.centre[:2]
        self._has_news = True
        self._failures = 0
        self._approached = 0
        self._new_machine()
        self._point: ReplannerWithDynamicMap | None = None
        self._aim: Point | None = None

    def _decide(self) -> None:
        """Step the machine, and drive to what it says."""
        if self._path is not None or self._has_news:
            self._step_machine()
        if self._path is None:
            self._without_plan()
        else:
            self._failures = self._approached = 0
            self._point = None
            self._drive_along(self._path, self._map)
        self._has_news = False

    def _step_machine(self) -> None:
        """Step the machine with where the car is, or with where on its path it is taken to be.

        The robots of the course pass through every cell of their path. A car cuts corners
        and swings out; as long as it is near its path, the cells that it has come past count
        as reached.
        """
        here, path = self._driver.centre, self._path or []
        places = [self._reached] if path else []
        places += [self._map.indices_to_point(cell) for cell in path[:ON_PATH_CELLS]]
        away = [distance(place, here[:2]) for place in places]
        nearest = min(away, default=ON_PATH_M)
        if nearest < ON_PATH_M:
            n = away.index(nearest)
            came_past = places[1 : n + 1] or places[:1]
        else:
            came_past = [self._standing(here)[:2]]
        for place in came_past:
            self._step((*place, here[2]))
        self._reached = came_past[-1]

    def _standing(self, pose: Pose) -> Pose:
        """Return the pose, moved to the nearest cell that the map says the robot can occupy.

        Rounded to cells a wall is thicker than it is, and the car may stand beside it.
        """
        i, j = self._map.point_to_indices(pose[:2])
        reach = range(-STANDING_CELLS, STANDING_CELLS + 1)
        around = sorted((di * di + dj * dj, di, dj) for di in reach for dj in reach)
        for _, di, dj in around:
            if self._map.robot_can_occupy((i + di, j + dj)):
                if (di, dj) == (0, 0):
                    return pose
                return (*self._map.indices_to_point((i + di, j + dj)), pose[2])
        return pose

    def _drive_along(self, path: list[tuple[int, int]], world_map: CellMap) -> None:
        """Drive to the farthest cell of the path's beginning that the way to is straight."""
        places = [world_map.indices_to_point(cell) for cell in path]
        here = self._driver.centre[:2]
        chosen = 0
        for n, place in enumerate(places[1:], start=1):
            if distance(here, place) > LOOK_AHEAD_M or not self._is_straight(here, place):
                break
            chosen = n
        left_m = distance(here, places[chosen]) + (len(path) - chosen) * world_map.cell_m
        at_end = chosen == len(path) - 1
        self._aim = self._goal if at_end else places[chosen]
        self._driver.drive(self._aim, self._radius_m if at_end else WAYPOINT_M, left_m)

    def _is_straight(self, start: Point, end: Point) -> bool:
        """Whether the robot can go straight from one place to another, by the map."""
        steps = int(distance(start, end) / self._map.cell_m) * 2 + 1
        return all(
            self._map.robot_can_occupy(
                self._map.point_to_indices(
                    (
                        start[0] + (end[0] - start[0]) * n / steps,
                        start[1] + (end[1] - start[1]) * n / steps,
                    )
                )
            )
            for n in range(2, steps + 1)
        )

    # ---- Without a plan ----

    def _without_plan(self) -> None:
        """Rest; or go where the body's way is barred, as a point would go, to see it better."""
        answer = self._searches.answer
        if self._has_news:
            self._failures += 1
            if answer is not None and answer.outcome == "no_way":
                self._ask_point()
        way = self._point.state if self._point is not None else None
        if way and self._may_approach and self._approached < APPROACH_DECISIONS:
            free = self._free_part(way)
            place = self._map.indices_to_point(free[-1]) if free else self._driver.centre[:2]
            if distance(place, self._driver.centre[:2]) > NEAR_M:
                self._failures = 0
                self._approached += 1
                self._drive_along(free, self._map)
                return
        self._aim = None
        self._driver.rest()
        if self._failures >= self._sure_scans:
            self._claim = self._no_way(way)

    _may_approach = True
    _sure_scans = SURE_SCANS

    def _ask_point(self) -> None:
        """Look for a way for a point: the same machine, the map as a point sees it."""
        self._point = ReplannerWithDynamicMap(self._goal, search=self._point_searches)
        self._point.step((PointView(self._map), self._driver.centre))

    def _free_part(self, way: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the beginning of a point's way, up to where the body cannot follow."""
        standing = self._map.point_to_indices(self._driver.centre[:2])
        free = []
        for n, cell in enumerate(way):
            near = max(abs(cell[0] - standing[0]), abs(cell[1] - standing[1])) <= STANDING_CELLS
            if not self._map.robot_can_occupy(cell) and not (near and n <= STANDING_CELLS):
                break
            free.append(cell)
        return free

    def _no_way(self, way: Path) -> Claim:
        """Return what to claim: whose search failed, and how."""
        body, point = self._searches.answer, self._point_searches.answer
        nodes = body.nodes if body else 0
        x_m, y_m = self._driver.centre[:2]
        if body is None or body.outcome == "node_limit" or point is None:
            return Claim(
                verdict="stopped_trying",
                sentence=f"Stopped trying at ({x_m:.2f}, {y_m:.2f}): no plan within {nodes} cells "
                "searched, and more were left. That is no proof that there is no way.",
            )
        if way:
            barred = way[min(len(self._free_part(way)), len(way) - 1)]
            x_m, y_m = self._map.indices_to_point(barred)
            return Claim(
                verdict="no_way_for_body",
                sentence=f"No way for the body: all {nodes} cells that it can reach were searched. "
                f"A point would get through at ({x_m:.2f}, {y_m:.2f}).",
            )
        if point.outcome == "node_limit":
            return Claim(
                verdict="stopped_trying",
                sentence=f"Stopped trying at ({x_m:.2f}, {y_m:.2f}): no way for the body, and "
                f"{point.nodes} cells searched for a point's, with more left.",
            )
        return Claim(
            verdict="no_way",
            sentence=f"No way to the goal: all {nodes} cells that the body can reach and all "
            f"{point.nodes} that a point can were searched.",
        )

    # ---- What is told ----

    def claim(self) -> Claim | None:
        """End at rest at the goal, or where there is no way."""
        if not self._at_rest:
            return None
        near = distance(self._driver.centre[:2], self._true_goal) <= self._radius_m
        if near and self._goals_left == 0 and self._aim == self._true_goal:
            time_s = self._tick / TICKS_PER_SECOND
            return Claim(
                verdict="at_goal",
                sentence=f"At the goal after {time_s:.1f} s and {self._length_m:.2f} m, with "
                f"{self.plans} plan{'s' if self.plans != 1 else ''}.",
            )
        return self._claim

    def decision(self) -> dict[str, Any]:
        """Return what the car does and why, and what is left of the plan."""
        record: dict[str, Any] = {"reason": "no_plan" if self._path is None else "plan"}
        decision = self._driver.avoider.decision
        if self._driver.is_backing:
            record["reason"] = "back_up"
        elif decision is not None and self._aim is not None:
            record = decision.to_record()
        record["cells"] = len(self._path or ())
        record["plans"] = self.plans
        if self._aim is not None:
            record["aim_x_mm"], record["aim_y_mm"] = (round(part * 1e3) for part in self._aim)
        return record

    def notes(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return the plans made since the last call, for the record."""
        return [("plan", note) for note in self._searches.take_notes()]

    def layers(self) -> tuple[Layer, ...]:
        """Return the map with the plan drawn in, the place driven to, and how it stands."""
        layers: list[Layer] = [self._map.layer()]
        way = self._point.state if self._point is not None else None
        if way:
            points = tuple(self._map.indices_to_point(cell) for cell in way)
            layers.append(PolylineLayer(name="a point's way", points_m=points, width_px=1))
        if self._aim is not None:
            layers.append(PointsLayer(name="driven to", points_m=(self._aim,)))
        left = f"{len(self._path)} cells" if self._path is not None else "none"
        text = f"plan {self.plans}: {left}"
        if self._driver.is_backing:
            text += ", backing up"
        layers.append(TextLayer(name="plan", text=text))
        return tuple(layers)


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
    _may_approach = False
    _sure_scans = 1

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
        return StaticGridMap(
            self._given.cells != 0,
            (self._given.column0, self._given.row0),
            cell_m=self._given.cell_m,
            robot_m=robot_m,
            wary_m=wary_m,
        )

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
    a search of all that can be reached, from near by and on nine scans; `stopped_trying` at
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
            self._has_news = True

    def _step(self, pose: Pose) -> Point:
        subgoal, _ = self._machine.step((self._goal, (self._map, pose)))
        return subgoal

    @property
    def _path(self) -> Path:
        return self._machine.state
