"""Progress toward the goal: the reward term that no wall makes a local optimum of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .shortest import ShortestWay
from .world import World

if TYPE_CHECKING:
    from .drive import Drive

MEASURES: tuple[str, ...] = ("shortest", "straight")


def straight_to_go_m(report: Any) -> float:
    """Return the plain distance from the body's centre to the current goal."""
    dx_m = report.centre_x_m - report.goal.x_m
    dy_m = report.centre_y_m - report.goal.y_m
    return math.sqrt(dx_m * dx_m + dy_m * dy_m)


class Progress:
    """How many metres nearer to the goal each step leads.

    Parameters
    ----------
    drive : Drive
        Scene, shell and goals.
    measure : str
        `shortest`: along the scene's shortest way; `straight`: the plain distance.
    """

    def __init__(self, drive: Drive, measure: str) -> None:
        self._drive = drive
        self._measure = measure
        self._way: ShortestWay | None = None
        self._to_go_m = math.inf

    def anchor(self, report: Any) -> None:
        """Take the goal as it now is, and the distance to it."""
        if not self._drive.goals:
            return
        if self._measure == "shortest":
            self._way = self._drive.way_to((report.goal.x_m, report.goal.y_m))
        self._to_go_m = self._distance_m(report)

    def nearer_m(self, world: World) -> float:
        """Return metres nearer to the goal in the last step.

        Zero without a goal, where there is no way, and where the body's centre is so near a
        solid that the disc can't be there. On the step that reaches a goal, the rest of
        the way to it; on one that moves it, zero.
        """
        if not self._drive.goals:
            return 0.0
        report, before_m = world.report, self._to_go_m
        names = [name for _, name, _ in world.events()] if report.n_events else []
        if "goal_reached" in names or "goal_change" in names:
            self.anchor(report)
            return before_m if "goal_reached" in names and before_m < math.inf else 0.0
        to_go_m = self._distance_m(report)
        if to_go_m == math.inf:
            return 0.0
        self._to_go_m = to_go_m
        return before_m - to_go_m if before_m < math.inf else 0.0

    def _distance_m(self, report: Any) -> float:
        if self._way is None:
            return straight_to_go_m(report)
        return self._way.length_m(report.centre_x_m, report.centre_y_m)
