"""What `route` and `explore` share: a map of the whole drive, a route on it, legs along the route.

On each decision the map takes what the senses brought. An event, and nothing else, makes a
plan; a plan replaces the route only where it is an eighth cheaper. The shell drives by the
candidates of avoidance toward a place that runs ahead along the route.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError, allowed
from kinewright_env.grids import (
    CANDIDATE_REST,
    COPY_CELL_UM,
    CURVATURE_COUNT,
    DECISION_TICK,
    TICKS_PER_SECOND,
    UNKNOWN_PRICES,
    Aim,
    Belief,
    Changes,
    Outcome,
    Route,
    atan2,
    cos,
    sin,
)
from kinewright_env.layers import Layer
from kinewright_env.shells import Shell

from ..avoidance import Avoider, Decision
from ..avoidance.skill import Progress
from ..avoidance.wheels import Wheels
from ..odometer import Odometer
from .course import Course
from .drawing import belief_layer, course_layers, price_layer, words
from .ground import Cells, Ground
from .recovery import FORGET_UM, BackingUp, Recoveries

LOOKAHEAD_UM = 750_000  # a leg leads to the place so far along the route
PLAN_EVERY_TICK = 10 * TICKS_PER_SECOND  # the longest time without a plan
SWITCH_EVERY_TICK = 24  # 0.2 s from one switch to the next, at least
EIGHTH = 8  # a new route is taken where it is a part in so many cheaper
TURNED_AWAY_DECISIONS = 3  # without room to turn round to the route
# Bits of the candidates slower than the fastest, than the middle, than the slowest speed.
SLOWER_SPEEDS = tuple((1 << n * CURVATURE_COUNT) - 1 for n in (2, 1, 0))
LOOK_SCANS = 9  # looked at from rest before it is said that there is no way: misses free a cell


def _side(left_um: float) -> int:
    """Return 1 where something lies to the left, -1 to the right."""
    return 1 if left_um >= 0.0 else -1


class Navigator:
    """The part that both agents share; a subclass says where to, and what follows from no way.

    Parameters
    ----------
    price : {"low", "normal", "high"}
        What ground costs that was never seen.
    """

    name = ""
    first_scans = 1  # taken before the first plan

    def __init__(self, price: str = "normal") -> None:
        if price not in UNKNOWN_PRICES:
            raise AgentError(f"{self.name}: price {price!r}; {allowed(price, UNKNOWN_PRICES)}")
        self._price = price

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin with an empty map.

        Raises
        ------
        AgentError
            Where the rig has no scan, or `ticks_per_step` does not divide 12.
        """
        declarations: Mapping[str, Any] = info["declarations"]
        if "scan" not in declarations["rig"]:
            raise AgentError(
                f"{self.name}: needs the scan in the rig, which alone sees free ground"
            )
        self._shell: Shell = declarations["shell"]
        self._avoider = Avoider(self.name, declarations)
        self._wheels = Wheels(self._avoider, self._shell, declarations["steering"])
        self._ground = Ground(declarations)
        self._progress = Progress()
        self._recoveries = Recoveries()
        self._course: Course | None = None
        self._followed: Course | None = None  # on the last decision
        self._followed_to_go_um = 0
        self._before: Course | None = None  # the route that it took the place of
        self._backing: BackingUp | None = None
        self._planned_for = ""
        self._look_until: int | None = None  # the scan that a look from rest waits for
        self._claim: Claim | None = None
        self._notes: list[tuple[str, dict[str, Any]]] = []
        self._event = "start"
        self._scans = 0
        self._turned_away = 0
        self._turn = 0  # round to a route that leads backward: 1 to the left, -1 to the right
        self._planned_tick = self._switched_tick = -PLAN_EVERY_TICK
        self._decided_tick = -DECISION_TICK
        self._leg_left_um = 0
        self.plans = self.switches = 0
        self._odometer = Odometer(self._shell, obs)
        self._pose: tuple[int, int, int] = tuple(obs["pose"][-1].tolist())
        self._move(obs)
        self._face()

    # ---- what a subclass says ----

    def _look_at_goal(self, obs: Observation) -> None:
        """Take the goal as it stands."""

    def _goal_cells(self) -> Cells:
        """Return the planner's cells that a plan may lead to, (n, 2) row and column, or none."""
        raise NotImplementedError

    def _end_of(self, route: Route) -> tuple[int, int]:
        """Return the place that a new route ends at, um."""
        raise NotImplementedError

    def _no_route(self, route: Route) -> None:
        """Decide what follows from a plan that found no way."""
        raise NotImplementedError

    # ---- each step ----

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the ask of the decision in force."""
        self._avoider.observe(obs)
        self._scans += self._ground.observe(obs)
        self._move(obs)
        if self._tick - self._decided_tick >= DECISION_TICK:
            self._decided_tick = self._tick
            self._decide(obs)
        if self._backing is None:
            ask = self._avoider.take()
        else:
            ask = self._avoider.take_own(self._backing.ask)
        return np.array([ask[0] / 10000.0, ask[1] / 1e6], dtype=np.float32)

    def _move(self, obs: Observation) -> None:
        """Note where the shell is, and how far it came."""
        x, y, heading = obs["pose"][-1].tolist()
        way = self._odometer.add(obs)
        if self._backing is not None:
            self._backing.run(way)
        self._pose = (x, y, heading)
        self._tick = self._odometer.tick
        self._is_at_rest = int(obs["speed"][0]) == 0

    def _face(self) -> None:
        """Note where the body's centre is and which way it faces, for this decision."""
        x, y, heading = self._pose
        self._facing = cos(heading / 1e6), sin(heading / 1e6)
        dx, dy = (math.floor(1e6 * self._shell.body_ahead_m * part + 0.5) for part in self._facing)
        self._centre_um = (x + dx, y + dy)

    # ---- each decision ----

    def _decide(self, obs: Observation) -> None:
        """Take in what changed, plan where there is reason to, and choose the next motion."""
        self._face()
        self._look_at_goal(obs)
        if self._claim is not None:
            self._course = self._backing = None
        changes = self._ground.update()
        if self._backing is not None:
            if self._backing.go_on(self._avoider):
                return
            self._end_backing(self._backing)
        if self._course is not None:
            self._course.follow(*self._centre_um)
        event = "" if self._claim else self._event or self._find_event(changes)
        if event and self._scans >= self.first_scans:
            self._event = ""
            self._plan(event)
        self._turn = 0
        if self._course is None:
            self._avoider.rest()
        else:
            self._drive(self._choose(self._course))

    def _choose(self, course: Course) -> Decision:
        """Choose the next motion along a route, or round to it where it leads backward."""
        aims = [self._aim(course)]
        if self._avoider.local_map.is_known:
            ahead, left = self._ahead(course)
            self._turn = 0 if ahead >= 0.0 else _side(left)
        if self._turn:  # round at lock, as fast as may be
            aims = [replace(aims[0], toward_only=True, vetoed=slower) for slower in SLOWER_SPEEDS]
        return self._wheels.decide(aims, self._turn)

    def _drive(self, decision: Decision) -> None:
        """Count whether the leg leads on; recover where it does not."""
        if self._course is None or decision.candidate is None:
            return
        to_go_um = self._course.to_go_um
        if self._course is self._followed:
            self._recoveries.drive(self._followed_to_go_um - to_go_um)
        self._followed, self._followed_to_go_um = self._course, to_go_um
        self._progress.count(decision, self._course.left_um)
        self._turned_away = self._turned_away + 1 if self._is_turned_away(decision) else 0
        if self._progress.end:
            self._recover(self._course, self._progress.end)
        elif self._turned_away >= TURNED_AWAY_DECISIONS:
            self._recover(self._course, "blocked")

    def _find_event(self, changes: Changes) -> str:
        """Return what gives reason to plan, empty where nothing does."""
        course = self._course
        if course is None:
            looked = self._look_until is not None and self._scans >= self._look_until
            return "leg_end" if looked and self._is_at_rest else ""
        if course.is_touched(changes):
            return "changed"
        if self._leg_left_um - course.left_um >= LOOKAHEAD_UM:
            return "leg_end"
        return "ten_seconds" if self._tick - self._planned_tick >= PLAN_EVERY_TICK else ""

    # ---- plans ----

    def _plan(self, event: str) -> None:
        """Plan anew, and take the new route where it is an eighth cheaper."""
        route = self._ground.plan(self._centre_um, self._goal_cells(), self._price)
        course = self._course
        old = None if course is None else course.cost(self._ground.planner, self._price)
        self._planned_tick, self._planned_for = self._tick, event
        self.plans += 1
        self._note_plan(event, route)
        if course is not None:
            self._leg_left_um = course.left_um
        if route.outcome == Outcome.EXHAUSTED:
            self._course = None
            if self._ground.widen():
                self._event = event
            else:
                self._no_route(route)
        elif route.outcome == Outcome.LIMIT and old is None:
            self._claim = self._stopped_trying("the search's limit was reached")
        elif route.outcome == Outcome.FOUND:
            self._look_until = None
            if old is None or route.cost * EIGHTH <= old * (EIGHTH - 1):
                self._take(route, old)

    def _note_plan(self, event: str, route: Route) -> None:
        """Put a plan into the record."""
        plan = {
            "number": self.plans,
            "tick": self._tick,
            "event": event,
            "outcome": route.outcome.name.lower(),
            "cost": route.cost,
            "known_mm": route.known_um(COPY_CELL_UM) // 1000,
            "unknown_mm": route.unknown_um(COPY_CELL_UM) // 1000,
            "expanded": route.expanded,
        }
        self._notes.append(("plan", plan))

    def _take(self, route: Route, old: int | None) -> None:
        """Take a new route in place of one that costs so much, None where it is closed."""
        if self._course is not None:
            if self._tick - self._switched_tick < SWITCH_EVERY_TICK:
                self._event = "changed"  # what changed is still to be answered
                return
            self.switches += 1
            self._switched_tick = self._tick
            switch = {"number": self.switches, "tick": self._tick, "plan": self.plans}
            self._notes.append(("switch", {**switch, "old_cost": old, "new_cost": route.cost}))
        self._before = self._course
        self._course = Course(route.cells, self._end_of(route))
        self._leg_left_um = self._course.left_um
        self._progress.begin()

    def _end_backing(self, backing: BackingUp) -> None:
        """Join the route again from where the shell was backed up to: a leg has ended.

        The shell stands beside its route, which may have walls between.
        """
        self._backing, self._event = None, "leg_end"
        if self._course is not None:
            self._course = self._ground.rejoin(
                self._course, self._centre_um, LOOKAHEAD_UM, self._price
            )
        if self._course is None:
            self._recoveries.drive(-backing.run_um)
        else:
            self._leg_left_um = self._course.left_um
            self._recoveries.drive(backing.driven_um(self._course.left_um))

    def _begin_anew(self, event: str) -> None:
        """Plan to another goal; what was counted on the way to the last is forgotten."""
        self._event = event
        self._course = self._backing = self._look_until = None
        self._recoveries.begin()

    def _look(self) -> None:
        """Rest, and plan again once some more scans have come from there."""
        self._course = None
        self._look_until = self._scans + LOOK_SCANS + 1

    # ---- legs ----

    def _aim(self, course: Course) -> Aim:
        """Return where the next motion is to lead: along the route in force."""
        return Aim(goal_um=course.ahead_um(LOOKAHEAD_UM))

    def _is_turned_away(self, decision: Decision) -> bool:
        """Whether the route leads backward and there is no room to turn round."""
        chosen = decision.candidate
        return self._turn != 0 and chosen is not None and chosen.number == CANDIDATE_REST

    def _ahead(self, course: Course) -> tuple[float, float]:
        """Return the place looked ahead to as seen from the shell: forward and left, um."""
        x, y = self._centre_um
        ahead_x, ahead_y = course.ahead_um(LOOKAHEAD_UM)
        c, s = self._facing
        dx, dy = ahead_x - x, ahead_y - y
        return c * dx + s * dy, c * dy - s * dx

    def _recover(self, course: Course, end: str) -> None:
        """Recover from a leg that ended `blocked` or `stalled`; give up after the last."""
        turned_away = self._turned_away >= TURNED_AWAY_DECISIONS  # the map is not to blame for it
        self._progress.begin()
        self._turned_away = 0
        self._event = "leg_end"
        ahead, left = self._ahead(course)
        to_turn_um = abs(atan2(left, ahead)) * self._shell.radius_at_lock_m * 1e6
        if not self._recoveries.count(math.floor(to_turn_um)):
            self._claim = self._stopped_trying(end)
            return
        backing = BackingUp(self._shell, self._wheels, _side(left), course.to_go_um)
        if self._recoveries.without_progress == 1 and not turned_away:
            self._ground.forget_near(*self._centre_um, FORGET_UM)
        if backing.go_on(self._avoider):
            self._backing = backing

    def _stopped_trying(self, end: str) -> Claim:
        x, y = self._centre_um
        tries = self._recoveries.without_progress - 1
        after = f" after {tries} recoveries without progress" if tries > 0 else ""
        return Claim(
            verdict="stopped_trying",
            sentence=f"Stopped trying: {end} at ({x / 1e6:.2f}, {y / 1e6:.2f}){after}.",
        )

    # ---- what others are told ----

    @property
    def belief(self) -> Belief:
        """The map of the drive so far."""
        return self._ground.belief

    def claim(self) -> Claim | None:
        """Return the verdict, once there is one and the shell is at rest."""
        return self._claim if self._is_at_rest else None

    def decision(self) -> dict[str, Any]:
        """Return the decision in force: number, reason, candidate, margin, limiting cell."""
        decision = self._avoider.decision
        if self._backing is not None:
            speed, steer = self._backing.ask
            return {"reason": "back_up", "speed_dmmps": speed, "steer_urad": steer}
        return {} if decision is None else decision.to_record()

    def layers(self) -> tuple[Layer, ...]:
        """Return belief, cost, rooms, frontiers, routes and what led to the last plan."""
        sentence = self._claim.sentence if self._claim else ""
        return (
            *belief_layer(self._ground.belief),
            *price_layer(self._ground, self._price),
            *course_layers(self._course, self._before, LOOKAHEAD_UM),
            *words("plan", f"{self.plans} plans, the last for: {self._planned_for}"),
            *words("verdict", sentence),
        )

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the plans and switches since the last call, for the record."""
        notes, self._notes = self._notes, []
        return notes
