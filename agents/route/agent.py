"""The agent `route`: to the goal, wherever a map of the whole drive shows a way."""

from typing import Any

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError
from kinewright_env.grids import COPY_CELL_UM, TICKS_PER_SECOND, Aim, Changes, Route, cells_in_disc
from kinewright_env.layers import Layer

from .course import Course
from .drawing import gap_layers
from .ground import Cells
from .navigator import LOOKAHEAD_UM, Navigator
from .proof import Gap, Prover, Seal
from .recovery import TRIES

ARRIVED_UM = 100_000  # this near to the place that a gap is read from the shell rests
READ_MOST_UM = 1_000_000  # a gap that the shell cannot get nearer to is read from so far
SAME_GAP_UM = 250_000  # a gap read from there and found again so near is the same
HOLES = 20  # closed one after the other in one proof, at most
GAPS_READ = 16  # after so many the last one read is believed


class RouteAgent(Navigator):
    """Drive to each goal by a map of the whole drive, and end with an honest verdict.

    Plans through what was never seen, at a price, and anew on events alone. Where the body
    finds no way, it looks whether a point would: `no_way` says what is closed in;
    `no_way_for_body` names the narrowest gap, which it has gone to and read. Needs a goal, the
    scan in the rig, and `ticks_per_step` that divides 12.

    Parameters
    ----------
    price : {"low", "normal", "high"}
        What ground costs that was never seen.
    """

    name = "route"

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin with an empty map.

        Raises
        ------
        AgentError
            Where there is no goal, the rig has no scan, or `ticks_per_step` does not divide 12.
        """
        if not obs["has_goal"][0]:
            raise AgentError("route: the scene has no goal; the agent explore needs none")
        super().reset(obs, info)
        self._prover = Prover(self._ground, self._shell.inscribed_radius_m)
        self._set_goal(obs)

    def _set_goal(self, obs: Observation) -> None:
        x, y = obs["goal"].tolist()
        self._goal = (x, y, int(obs["goal_radius"][0]))
        self._goals: Cells = cells_in_disc(*self._goal, COPY_CELL_UM)
        self._ground.cover(*self._goal)
        self._sought_scans = 0
        self._gap: Gap | None = None  # that the shell goes to read
        self._gap_claimed: Gap | None = None
        self._gaps_read: list[Gap] = []
        self._gaps_tried: list[Gap] = []

    def _look_at_goal(self, obs: Observation) -> None:
        self._is_last = int(obs["goals_left"][0]) == 0
        x, y = obs["goal"].tolist()
        if (x, y, int(obs["goal_radius"][0])) != self._goal:
            self._set_goal(obs)
            self._begin_anew("goal")

    def _goal_cells(self) -> Cells:
        return self._goals

    def _end_of(self, route: Route) -> tuple[int, int]:
        return self._goal[:2]

    def _aim(self, course: Course) -> Aim:
        if course.left_um > LOOKAHEAD_UM:
            return super()._aim(course)
        if self._gap is not None:
            return Aim(goal_um=course.end_um, radius_um=ARRIVED_UM)
        return Aim(goal_um=self._goal[:2], radius_um=self._goal[2])

    # ---- no way ----

    def _no_route(self, route: Route) -> None:
        """Say why, once it was looked at again from rest; a gap is first gone to and read."""
        if self._gap is not None:
            self._go_to(self._gap)
            return
        found = self._prover.seek(self._centre_um, self._goal)
        for _ in range(HOLES):
            if isinstance(found, Seal) or found.is_seen or not self._is_read(found):
                break
            self._prover.read(found)  # looked at from near, and still not seen free: a hole
            found = self._prover.seek(self._centre_um, self._goal)
        if isinstance(found, Seal):
            self._believe(found)
        elif self._look_until is None:
            self._look()
        elif not self._is_read(found):
            self._go_and_read(found)
        else:
            self._claim = self._no_way_for_body(found)

    def _believe(self, seal: Seal) -> None:
        """Say that there is no way; where a hole was closed for it, once looked at from rest."""
        self._gap = self._course = None
        looked = self._look_until is not None and self._scans >= self._look_until
        if seal.is_whole or looked:
            self._claim = Claim(verdict="no_way", sentence=seal.sentence)
        elif self._look_until is None:
            self._look()

    def _is_read(self, gap: Gap) -> bool:
        """Whether a gap is one of those that were read, or enough were."""
        near = (read.is_near(gap.x_um, gap.y_um, SAME_GAP_UM) for read in self._gaps_read)
        return any(near) or len(self._gaps_read) >= GAPS_READ

    def _go_and_read(self, gap: Gap) -> None:
        """Drive to the place nearest to a gap that the body can reach, not again and again."""
        near = sum(one.is_near(gap.x_um, gap.y_um, SAME_GAP_UM) for one in self._gaps_tried)
        if near >= TRIES or len(self._gaps_tried) >= GAPS_READ:
            self._claim = self._stopped_trying("no way to read a gap")
            return
        self._gaps_tried.append(gap)
        self._gap, self._look_until = gap, None
        self._recoveries.begin()
        self._go_to(gap)

    def _go_to(self, gap: Gap) -> None:
        self._course = self._ground.course_to_first(gap.approach, self._centre_um, self._price)
        if self._course is None:
            self._read()

    def _find_event(self, changes: Changes) -> str:
        if self._look_until is not None or self._gap is not None:
            self._look_for_seal()
        if self._gap is None or self._course is None:
            return super()._find_event(changes)
        decision = self._avoider.decision
        if decision is not None and decision.reason == "goal_reached":
            self._read()
            return ""
        course = self._course
        if not course.is_touched(changes) or course.cost(self._ground.planner, self._price):
            return ""
        self._gap = self._course = None  # the way to it has closed: there may be another gap
        return "changed"

    def _look_for_seal(self) -> None:
        """Say that there is no way as soon as what is seen shows it."""
        if self._scans == self._sought_scans:
            return
        self._sought_scans = self._scans
        seal = self._prover.seal(self._centre_um, self._goal)
        if seal is not None and (seal.is_whole or self._gap is not None):
            self._believe(seal)

    def _read(self) -> None:
        """Read the gap from here: look from rest, then plan."""
        if self._gap is not None:
            self._gaps_read.append(self._gap)
            self._prover.read(self._gap)
        self._gap = None
        self._look()

    def _recover(self, course: Course, end: str) -> None:
        super()._recover(course, end)
        if self._gap is not None:
            self._course = None  # the plan to come decides whether the gap still matters
            if self._claim is not None and self._gap.is_near(*self._centre_um, READ_MOST_UM):
                self._claim = None
                self._read()

    def _take(self, route: Route, old: int | None) -> None:
        self._gap = None
        super()._take(route, old)

    def _no_way_for_body(self, gap: Gap) -> Claim:
        self._gap_claimed = gap
        return Claim(
            verdict="no_way_for_body",
            sentence=f"No way for this body: the widest way narrows to {gap.width_um / 1e6:.2f} m "
            f"at ({gap.x_um / 1e6:.2f}, {gap.y_um / 1e6:.2f}).",
            gap_m=gap.width_um / 1e6,
        )

    # ---- the end ----

    def claim(self) -> Claim | None:
        """Return the verdict once the shell is at rest."""
        decision = self._avoider.decision
        at_goal = (
            decision is not None
            and decision.reason == "goal_reached"
            and self._course is not None
            and self._gap is None
            and self._is_last
        )
        if at_goal and self._is_at_rest:
            return Claim(verdict="at_goal", sentence=self._said("at_goal"))
        return super().claim()

    def closing(self, verdict: str, obs: Observation) -> str:
        """Return what is said where the world itself ends the drive."""
        self._move(obs)
        return self._said(verdict)

    def _said(self, verdict: str) -> str:
        time_s, length_m = self._tick / TICKS_PER_SECOND, self._odometer.length_um / 1e6
        if verdict == "at_goal":
            return (
                f"At the goal after {time_s:.1f} s and {length_m:.1f} m, with {self.plans} plans."
            )
        if verdict == "out_of_time" and self._course is not None:
            return f"Out of time with {self._course.left_um / 1e6:.1f} m left."
        return ""

    def layers(self) -> tuple[Layer, ...]:
        """Return the map and the plan, and the gap that is gone to."""
        read = self._gaps_read[-1] if self._gaps_read else None
        gap = self._gap or self._gap_claimed or read
        shown = () if gap is None else gap_layers((gap.x_um, gap.y_um), gap.width_um)
        return (*super().layers(), *shown)
