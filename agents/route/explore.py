"""The agent `explore`: to the nearest reachable frontier, until there is none."""

from typing import Any

import numpy as np

from kinewright_env.agent import Claim, Observation
from kinewright_env.grids import CELL_UNKNOWN, Aim, Changes, Route
from kinewright_env.layers import Layer

from .course import Course
from .drawing import frontier_layer, room_layer
from .ground import Cells, centre_um_of
from .navigator import LOOKAHEAD_UM, Navigator

ARRIVED_UM = 100_000  # this near to a frontier the shell rests and looks
SEEN_CELLS = 8  # what stays so near to a frontier that was looked at from there is left alone
AROUND_CELLS = 2  # a frontier is gone where nothing unknown is left so near to it


class Explore(Navigator):
    """Map all that can be reached, count its rooms, and say that the map is complete.

    Drives to the nearest frontier, by cost: free ground beside what was never seen. One that
    stays, looked at from where the shell got to, is left alone. Needs no goal.

    Parameters
    ----------
    price : {"low", "normal", "high"}
        What ground costs that was never seen.
    """

    name = "explore"
    first_scans = 10  # nine misses make a cell free, and without free ground there is no frontier

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin with an empty map."""
        self._seen: list[tuple[int, int]] = []
        super().reset(obs, info)

    def _goal_cells(self) -> Cells:
        clusters = self._ground.belief.frontiers()
        if not clusters:
            return np.empty((0, 2), np.int32)
        rows = np.concatenate([cluster.rows for cluster in clusters])
        cols = np.concatenate([cluster.cols for cluster in clusters])
        left = np.ones(len(rows), bool)
        for row, col in self._seen:
            left &= (rows - row) ** 2 + (cols - col) ** 2 > SEEN_CELLS**2
        return np.stack([rows[left], cols[left]], axis=-1)

    def _find_event(self, changes: Changes) -> str:
        course = self._course
        if course is None or self._backing is not None:
            return super()._find_event(changes)
        row, col = course.cells[-1].tolist()
        decision = self._avoider.decision
        if decision is not None and decision.reason == "goal_reached" and self._is_at_rest:
            self._seen.append((row, col))
            self._look()
            return ""
        side = 2 * AROUND_CELLS + 1
        around = self._ground.belief.copy_window(row - AROUND_CELLS, col - AROUND_CELLS, side, side)
        if (around == CELL_UNKNOWN).any():
            return super()._find_event(changes)
        self._course = None  # what it led to has been seen
        return "leg_end"

    def _end_of(self, route: Route) -> tuple[int, int]:
        row, col = route.cells[-1].tolist()
        return centre_um_of((row, col))

    def _aim(self, course: Course) -> Aim:
        end = course.ahead_um(LOOKAHEAD_UM)
        return Aim(goal_um=end, radius_um=ARRIVED_UM if end == course.end_um else 0)

    def layers(self) -> tuple[Layer, ...]:
        """Return the map and the plan, the frontiers, and once it is complete its rooms."""
        belief = self._ground.belief
        rooms = room_layer(belief) if self._claim else ()
        return (*super().layers(), *frontier_layer(belief), *rooms)

    def _no_route(self, route: Route) -> None:
        if self._look_until is None:
            self._look()
            return
        rooms = self._ground.belief.rooms()
        area_m2 = sum(rooms.areas_m2)
        self._claim = Claim(
            verdict="map_complete",
            sentence=f"The map is complete: {rooms.count} rooms of {area_m2:.1f} m2 in all.",
            rooms=rooms.count,
        )
