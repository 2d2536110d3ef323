"""Three replanners as state machines. Read this file first: it is the lesson.

A robot knows its pose and has a map of square cells. It wants to be at a goal. So it plans
a path, a list of cells, and goes from one cell of it to the next. But the map may turn out
to be wrong, the goal may move, someone may pick the robot up: then it must plan again. The
question of this file is *when*.

A state machine answers it. Its state is the path. Each input (a pose, perhaps with a newer
map, perhaps with another goal) gives the next path and, as output, the subgoal: the place
to drive to now. All of the work is done by one function, `new_path_and_subgoal`; what tells
the machines apart is the policy they hand to it, one of four functions `time_to_replan_...`
that look at plan, place, map and goal and answer yes or no.

How a path is found stands in `search.py` and `dynamics.py`, what a map is in `grid_map.py`
and `scanned_map.py`, how a car drives to a subgoal in `driving.py`, and `agents.py` puts
them together. The form is that of MIT's course 6.01 (Introduction to EECS I, 2011), whose
robots turn on the spot, hear with sonars, and are simulated in one program with their map.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from .dynamics import GridCostDynamics, GridDynamics, Indices, Occupancy
from .search import MAX_NODES, Answer, Dynamics, best_first_search

Point = tuple[float, float]  # x, y in `map`, metres
Pose = tuple[float, float, float]  # x, y, and a heading, radians
Path = list[Indices] | None  # None before the first plan and after a failed one


class GridMap(Occupancy, Protocol):
    """What a machine asks of its map: where cells are, which are free, and to draw on it."""

    def point_to_indices(self, point: Point) -> Indices:
        """Return the cell that a place lies in."""

    def indices_to_point(self, indices: Indices) -> Point:
        """Return the centre of a cell."""

    def draw_path(self, path: list[Indices]) -> None:
        """Draw a plan into the map."""

    def undraw_path(self, path: list[Indices]) -> None:
        """Take a plan out of the drawing."""


# ---- When is it time to replan? ----

TimeToReplan = Callable[[Path, Indices, GridMap, Indices], bool]


def adjacent(a: Indices, b: Indices) -> bool:
    """Whether two cells are the same or touch, if only at a corner."""
    return abs(a[0] - b[0]) < 2 and abs(a[1] - b[1]) < 2


def plan_invalid_in_map(
    world_map: GridMap, plan: list[Indices], look_ahead: int | None = 2
) -> bool:
    """Whether one of the next cells of a plan cannot be occupied.

    Far cells are seen badly, so only the next two are asked about; with little noise it pays
    to ask about them all, `look_ahead=None`, and to learn earlier.
    """
    return not all(world_map.robot_can_occupy(indices) for indices in plan[:look_ahead])


def time_to_replan_static_map(
    plan: Path, current_indices: Indices, world_map: GridMap, goal_indices: Indices
) -> bool:
    """Replan without a plan, and where the robot is off it: someone has carried it away.

    The map is right and stays so: there is nothing else to go wrong. An empty plan has no
    first cell to be next to; it is off it anywhere but at the goal.
    """
    if plan is None:
        return True
    if not plan:
        return current_indices != goal_indices
    return not adjacent(current_indices, plan[0])


def time_to_replan_dynamic_map(
    plan: Path,
    current_indices: Indices,
    world_map: GridMap,
    goal_indices: Indices,
    *,
    look_ahead: int | None = 2,
) -> bool:
    """Replan without a plan, where the map says that it is blocked, or at its end elsewhere.

    It never asks where the robot is: one that was carried away goes on to its old path.
    """
    if plan is None:
        return True
    if not plan:
        return current_indices != goal_indices
    return plan_invalid_in_map(world_map, plan, look_ahead)


def time_to_replan_dynamic_map_and_goal(
    plan: Path,
    current_indices: Indices,
    world_map: GridMap,
    goal_indices: Indices,
    *,
    look_ahead: int | None = 2,
) -> bool:
    """Replan as in a dynamic map, and where the plan ends elsewhere than the goal: it moved."""
    if plan and plan[-1] != goal_indices:
        return True
    return time_to_replan_dynamic_map(
        plan, current_indices, world_map, goal_indices, look_ahead=look_ahead
    )


def time_to_replan_dynamic_map_with_kidnap(
    plan: Path,
    current_indices: Indices,
    world_map: GridMap,
    goal_indices: Indices,
    *,
    look_ahead: int | None = 2,
) -> bool:
    """Replan as in a dynamic map, and where the robot is not next to the plan's first cell."""
    if plan and not adjacent(current_indices, plan[0]):
        return True
    return time_to_replan_dynamic_map(
        plan, current_indices, world_map, goal_indices, look_ahead=look_ahead
    )


# ---- The work of all three machines ----

Search = Callable[..., Answer[Indices]]


def new_path_and_subgoal(  # noqa: PLR0917 - the form of the course
    world_map: GridMap,
    pose: Pose,
    goal_point: Point,
    dynamics: Dynamics[Indices],
    path: Path,
    time_to_replan: TimeToReplan,
    scale: float = 1,
    search: Search = best_first_search,
) -> tuple[Path, Point]:
    """Return the path to go on with, and the place to drive to now.

    Parameters
    ----------
    world_map : GridMap
        The plan is drawn into it, cells reached and plans dropped are taken out again.
    pose : (x_m, y_m, heading_rad)
        Where the robot is, in `map`.
    goal_point : (x_m, y_m)
    dynamics : Dynamics
        Which cells can be entered from one, and at what price.
    path : list of cells, or None
        The path so far.
    time_to_replan : callable
        The policy.
    scale : float
        Of the heuristic, the straight distance from a cell's centre to the goal. More than 1
        finds a path sooner that need not be the cheapest.
    search : callable
        Does the search, as `best_first_search` does; one may count and keep the answers.

    Returns
    -------
    path : list of cells, or None
        None where planning failed.
    subgoal : (x_m, y_m)
        The centre of the path's first cell; the robot's own place where there is none.
    """
    current = world_map.point_to_indices(pose[:2])
    goal = world_map.point_to_indices(goal_point)

    if time_to_replan(path, current, world_map, goal):
        if path:
            world_map.undraw_path(path)
        # The goal may lie off its cell's centre. That shifts all guesses by the same at
        # most, which changes no order, so the path is still the cheapest.
        path = search(
            dynamics,
            current,
            lambda indices: indices == goal,
            lambda indices: scale * distance(world_map.indices_to_point(indices), goal_point),
            MAX_NODES,
        ).path
        if path is not None:
            world_map.draw_path(path)

    if not path:
        return path, pose[:2]
    if current == path[0] and len(path) > 1:
        world_map.undraw_path(path[:1])
        path = path[1:]
    return path, world_map.indices_to_point(path[0])


def distance(a: Point, b: Point) -> float:
    """Return the straight distance of two places."""
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)


# ---- State machines ----

State = TypeVar("State")
Input = TypeVar("Input")
Output = TypeVar("Output")


class StateMachine(Generic[State, Input, Output]):
    """A rule for the next state and the output, and a state that is stepped by it.

    The rule itself, `get_next_values`, changes nothing of the machine: the same state and
    input always give the same.
    """

    start_state: State
    state: State

    def get_next_values(self, state: State, inp: Input) -> tuple[State, Output]:
        """Return the next state and the output."""
        raise NotImplementedError

    def start(self) -> None:
        """Go to the start state."""
        self.state = self.start_state

    def step(self, inp: Input) -> Output:
        """Take one input: go to the next state and return the output."""
        self.state, output = self.get_next_values(self.state, inp)
        return output

    def transduce(self, inputs: Iterable[Input]) -> list[Output]:
        """Start, take all inputs, and return the outputs."""
        self.start()
        return [self.step(inp) for inp in inputs]


class Replanner(StateMachine[Path, Pose, Point]):
    """The map is known and right, the goal stays.

    Input is the sensed pose, output the subgoal.

    Parameters
    ----------
    goal_point : (x_m, y_m)
    world_map : GridMap
        Built once, of a scene at some cell size.
    time_to_replan, search : callable
        The policy, and who searches.
    """

    def __init__(
        self,
        goal_point: Point,
        world_map: GridMap,
        *,
        time_to_replan: TimeToReplan = time_to_replan_static_map,
        search: Search = best_first_search,
    ) -> None:
        self.start_state: Path = None
        self.goal_point = goal_point
        self.world_map = world_map
        self.dynamics = GridDynamics(world_map)
        self.time_to_replan = time_to_replan
        self.search = search
        self.start()

    def get_next_values(self, state: Path, inp: Pose) -> tuple[Path, Point]:
        """Return the next path and the subgoal."""
        return new_path_and_subgoal(
            self.world_map,
            inp,
            self.goal_point,
            self.dynamics,
            state,
            self.time_to_replan,
            search=self.search,
        )


class ReplannerWithDynamicMap(StateMachine[Path, tuple[GridMap, Pose], Point]):
    """The map comes in with each input, as it is known by then; the goal stays.

    Input is (map, sensed pose), output the subgoal.

    Parameters
    ----------
    goal_point : (x_m, y_m)
    use_cost_dynamics : bool
        Price a move by how likely its cell is occupied; else by its length alone.
    time_to_replan, search : callable
        The policy, and who searches.
    """

    def __init__(
        self,
        goal_point: Point,
        use_cost_dynamics: bool = False,
        *,
        time_to_replan: TimeToReplan = time_to_replan_dynamic_map,
        search: Search = best_first_search,
    ) -> None:
        self.start_state: Path = None
        self.goal_point = goal_point
        self.dynamics = GridCostDynamics if use_cost_dynamics else GridDynamics
        self.time_to_replan = time_to_replan
        self.search = search
        self.start()

    def get_next_values(self, state: Path, inp: tuple[GridMap, Pose]) -> tuple[Path, Point]:
        """Return the next path and the subgoal."""
        world_map, pose = inp
        return new_path_and_subgoal(
            world_map,
            pose,
            self.goal_point,
            self.dynamics(world_map),
            state,
            self.time_to_replan,
            search=self.search,
        )


GoalInput = tuple[Point, tuple[GridMap, Pose]]


class ReplannerWithDynamicMapAndGoal(StateMachine[Path, GoalInput, tuple[Point, bool]]):
    """Map and goal both come in with each input.

    Input is (goal, (map, sensed pose)), output (subgoal, whether planning failed).

    Parameters
    ----------
    use_cost_dynamics : bool
        Price a move by how likely its cell is occupied; else by its length alone.
    time_to_replan, search : callable
        The policy, and who searches.
    """

    def __init__(
        self,
        use_cost_dynamics: bool = False,
        *,
        time_to_replan: TimeToReplan = time_to_replan_dynamic_map_and_goal,
        search: Search = best_first_search,
    ) -> None:
        self.start_state: Path = None
        self.dynamics = GridCostDynamics if use_cost_dynamics else GridDynamics
        self.time_to_replan = time_to_replan
        self.search = search
        self.start()

    def get_next_values(self, state: Path, inp: GoalInput) -> tuple[Path, tuple[Point, bool]]:
        """Return the next path, and the subgoal with whether planning failed."""
        goal_point, (world_map, pose) = inp
        path, subgoal = new_path_and_subgoal(
            world_map,
            pose,
            goal_point,
            self.dynamics(world_map),
            state,
            self.time_to_replan,
            search=self.search,
        )
        return path, (subgoal, path is None)


__all__ = [
    "GridMap",
    "Replanner",
    "ReplannerWithDynamicMap",
    "ReplannerWithDynamicMapAndGoal",
    "StateMachine",
    "adjacent",
    "new_path_and_subgoal",
    "plan_invalid_in_map",
    "time_to_replan_dynamic_map",
    "time_to_replan_dynamic_map_and_goal",
    "time_to_replan_dynamic_map_with_kidnap",
    "time_to_replan_static_map",
]
