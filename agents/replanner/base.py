"""What the agents share: a machine, a map, and a car that drives to the machine's subgoals.

Every 0.1 s the machine is stepped with where the car is. It says where to, and the car goes
there. Where it says that there is no way, the agent asks two more questions before it gives
up: whether a point could get through, and, where the map is the scanner's, whether it looks
the same from nearer by and after some more scans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import TICKS_PER_SECOND
from kinewright_env.layers import Layer, PointsLayer, PolylineLayer, TextLayer

from ..odometer import Odometer
from .driving import SubgoalDriver
from .dynamics import Indices
from .grid_map import CellMap
from .machines import Path, Point, Pose, distance
from .no_way import NoWay
from .searches import Searches

LOOK_AHEAD_M = 0.50  # along the path, as far as the way there is straight and free
ON_PATH_M = 0.25  # a car within this of its path is on it: it cannot pass through every cell
ON_PATH_CELLS = 12  # of the path that are looked at for that
STANDING_CELLS = 3  # to the nearest cell that the robot can occupy, where the map is that rough
WAYPOINT_M = 0.10  # how near a place on the way counts as reached
RETRY_TICK = 60  # 0.5 s, three scans, from a plan that failed to the next

Map = TypeVar("Map", bound=CellMap)


class ReplannerAgent(Generic[Map]):
    """What the three agents share; each has its own map, machine and goal."""

    name = ""
    has_certain_map = False
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
        self._odometer = Odometer(self._declarations["shell"], obs)
        self._goals_left = -1
        self._has_news = True
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

    @property
    def place_m(self) -> Point:
        """Where the body's centre is, in `map`."""
        return self._driver.centre[:2]

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
        self._odometer.add(obs)
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
        self._retry_tick = 0
        self._no_way = NoWay(self._map, self.has_certain_map)
        self._new_machine()
        self._aim: Point | None = None

    def _decide(self) -> None:
        """Step the machine, and drive to what it says."""
        may_find_one = self._has_news and self._odometer.tick >= self._retry_tick
        if self._path is not None or may_find_one:
            self._step_machine()
            self._has_news = False
        if self._path is not None:
            self._no_way = NoWay(self._map, self.has_certain_map)
            self._come_no_nearer(self._drive_along(self._path, self._goal))
            return
        if may_find_one or self._no_way.is_new:
            self._retry_tick = self._odometer.tick + RETRY_TICK
            self._ask()
        self._without_plan()

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

    def _come_no_nearer(self, aimed: int) -> None:
        """Take the cells up to the aim as reached where the car is stuck before what bars it.

        A policy that asks about the next cells counts on a robot that comes up to what bars
        them. A car stops before that, by its length and what it keeps clear, and would try
        for ever to reach the last free cell.
        """
        path = self._path or []
        beyond = path[aimed + 1 : aimed + 2]
        if not self._driver.is_stuck or all(map(self._map.robot_can_occupy, beyond)):
            return
        here = self._standing(self._driver.centre)
        places = [self._map.indices_to_point(cell) for cell in path[: aimed + 1]]
        plans = self.plans
        for place in (*places[:-1], here[:2], places[-1], here[:2]):
            self._step((*place, here[2]))
            if self.plans > plans:
                break
        self._reached = here[:2]

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

    def _drive_along(self, path: list[Indices], end: Point) -> int:
        """Drive to the farthest cell of the path's beginning that the way to is straight.

        Returns which cell that is.
        """
        places = [self._map.indices_to_point(cell) for cell in path]
        here = self._driver.centre[:2]
        chosen = 0
        for n, place in enumerate(places[1:], start=1):
            is_there = distance(here, places[chosen]) < 2 * WAYPOINT_M  # then it must go on
            if distance(here, place) > LOOK_AHEAD_M and not is_there:
                break
            if not (is_there or self._is_straight(here, place)):
                break
            chosen = n
        left_m = distance(here, places[chosen]) + (len(path) - chosen) * self._map.cell_m
        at_end = chosen == len(path) - 1
        self._aim = end if at_end else places[chosen]
        self._driver.drive(self._aim, self._radius_m if at_end else WAYPOINT_M, left_m)
        return chosen

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
        """Rest; or go to where what bars the body can be seen better."""
        view = self._no_way.way_to_view
        self._claim = self._no_way.claim(self._driver.centre)
        if view is not None and self._claim is None:
            self._no_way.look()
            self._drive_along(view, self._map.indices_to_point(view[-1]))
            return
        self._aim = None
        self._driver.rest()

    def _ask(self) -> None:
        """Ask what the failed plan means."""
        if self._searches.answer is not None:
            self._no_way.ask(self._searches.answer, self._goal, self._driver.centre)

    # ---- What is told ----

    def claim(self) -> Claim | None:
        """End at rest at the goal, or where there is no way."""
        if not self._at_rest:
            return None
        near = distance(self._driver.centre[:2], self._true_goal) <= self._radius_m
        if near and self._goals_left == 0 and self._aim == self._true_goal:
            return Claim(verdict="at_goal", sentence=self._said("at_goal"))
        return self._claim

    def closing(self, verdict: str, obs: Observation) -> str:
        """Return what is said where the world itself ends the drive."""
        self._odometer.add(obs)
        return self._said(verdict)

    def _said(self, verdict: str) -> str:
        plans = f"{self.plans} plan{'' if self.plans == 1 else 's'}"
        if verdict == "at_goal":
            time_s = self._odometer.tick / TICKS_PER_SECOND
            length_m = self._odometer.length_um / 1e6
            return f"At the goal after {time_s:.1f} s and {length_m:.1f} m, with {plans}."
        if verdict == "out_of_time":
            left_m = distance(self.place_m, self._true_goal)
            return f"Out of time, {left_m:.1f} m from the goal as the crow flies, after {plans}."
        return ""

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
        way = self._no_way.point_way
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
