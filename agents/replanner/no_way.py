"""What an agent asks before it says that there is no way.

A search that has run out of cells shows that the robot cannot get to the goal by this map.
The map may still be wrong. So the same machine is asked for a way for a point. If there is
one, the body is barred somewhere along it, and the robot goes as far along it as it can, to
look: the gap may be wider than it seemed, or closed altogether, or not yet seen at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinewright_env.agent import Claim

from .dynamics import GridDynamics, Indices
from .grid_map import CellMap, PointView
from .machines import Path, Point, Pose, ReplannerWithDynamicMap, distance
from .search import Answer, best_first_search
from .searches import Searches

SURE_TIMES = 4  # over 1.5 s: no answer then hangs on one scan's noise
NEAR_M = 0.30  # of where the body is barred: from there it looks right into the gap
LOOKS_AT_ONE = 300  # decisions, 30 s, for coming so near to one place
LOOKS = 900  # 90 s for all
STANDING_CELLS = 3  # of a way's beginning that the robot may stand in though it is too near


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Where the body cannot follow a point: the cells before, and those that bar it."""

    before: list[Indices]
    barred: list[Indices]


class NoWay:
    """The questions to one goal, from the first failed plan to a verdict or a plan.

    Parameters
    ----------
    world_map : CellMap
    is_certain : bool
        Whether the map is right: then nothing needs to be looked at.
    """

    def __init__(self, world_map: CellMap, is_certain: bool) -> None:
        self._map = world_map
        self._is_certain = is_certain
        self._searches = Searches()
        self._body: Answer[Indices] | None = None
        self._times = 0  # that it was asked with nothing more to look at
        self._looked = 0
        self._looked_at = 0
        self._doubt: Indices | None = None
        self.point_way: Path = None
        self.way_to_view: Path = None

    @property
    def is_new(self) -> bool:
        """Whether nothing was asked yet."""
        return self._body is None

    def ask(self, body: Answer[Indices], goal: Point, pose: Pose) -> None:
        """Take a failed search on what is now known, and ask what it means."""
        self._body = body
        if self._doubt is not None and self._approach(self._doubt, pose):
            return  # one doubt is settled before the next is thought of
        self._times += 1
        self.point_way = self.way_to_view = None
        if body.outcome != "no_way":
            return
        point = ReplannerWithDynamicMap(goal, use_cost_dynamics=True, search=self._searches)
        point.step((PointView(self._map), pose))
        self.point_way = point.state
        if self.point_way and not self._is_certain:
            before = self._stretch(self.point_way).before
            doubt = before[-1] if before else None
            if doubt is not None and doubt != self._doubt:
                self._doubt, self._looked_at = doubt, 0
                self._approach(doubt, pose)

    def _approach(self, doubt: Indices, pose: Pose) -> bool:
        """Find a way to a cell; whether there is one and the robot is not near its end."""
        here = self._map.point_to_indices(pose[:2])
        place = self._map.indices_to_point(doubt)
        if distance(pose[:2], place) <= NEAR_M or self._looked_at >= LOOKS_AT_ONE:
            self.way_to_view = None
            return False
        self.way_to_view = best_first_search(
            GridDynamics(self._map),
            here,
            lambda indices: indices == doubt,
            lambda indices: distance(self._map.indices_to_point(indices), place),
        ).path
        if self.way_to_view is not None:
            self._times = 0
        return self.way_to_view is not None

    def look(self) -> None:
        """Note that the robot is on its way to a view."""
        self._looked += 1
        self._looked_at += 1

    def claim(self, pose: Pose) -> Claim | None:
        """Return the verdict, once it is sure."""
        body, point = self._body, self._searches.answer
        given_up = self._looked_at >= LOOKS_AT_ONE and self.point_way
        if given_up or (self._looked >= LOOKS and self.way_to_view):
            return _stopped(pose[:2], "no way for the body, but gaps that were not seen well")
        if body is None or self._times < (1 if self._is_certain else SURE_TIMES):
            return None
        if body.outcome == "node_limit" or point is None:
            return _stopped(pose[:2], f"no plan within {body.nodes} cells searched")
        if self.point_way:
            stretch = self._stretch(self.point_way)
            x_m, y_m = self._map.indices_to_point((stretch.barred or self.point_way)[0])
            return Claim(
                verdict="no_way_for_body",
                sentence=f"No way for the body: all {body.nodes} cells that it can reach were "
                f"searched. A point gets through at ({x_m:.2f}, {y_m:.2f}).",
            )
        if point.outcome == "node_limit":
            return _stopped(
                pose[:2],
                f"no way for the body, and none for a point within {point.nodes} cells searched",
            )
        return Claim(
            verdict="no_way",
            sentence=f"No way to the goal: all {body.nodes} cells that the body can reach and all "
            f"{point.nodes} that a point can were searched.",
        )

    def _stretch(self, way: list[Indices]) -> Stretch:
        """Return where the body is first barred on a point's way."""
        n = 0
        while n < len(way) and (n < STANDING_CELLS or self._map.robot_can_occupy(way[n])):
            n += 1
        end = n
        while end < len(way) and not self._map.robot_can_occupy(way[end]):
            end += 1
        return Stretch(before=way[:n], barred=way[n:end])


def _stopped(place: Point, why: str) -> Claim:
    return Claim(
        verdict="stopped_trying",
        sentence=f"Stopped trying at ({place[0]:.2f}, {place[1]:.2f}): {why}, and more were left. "
        "That is no proof that there is no way.",
    )
