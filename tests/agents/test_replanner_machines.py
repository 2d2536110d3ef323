"""When a replanner plans anew, case by case, and the subgoals it then gives."""

import itertools
import math

import pytest

from kinewright_agents.replanner.machines import (
    Replanner,
    ReplannerWithDynamicMap,
    ReplannerWithDynamicMapAndGoal,
    StateMachine,
    adjacent,
    new_path_and_subgoal,
    plan_invalid_in_map,
    time_to_replan_dynamic_map,
    time_to_replan_dynamic_map_and_goal,
    time_to_replan_dynamic_map_with_kidnap,
    time_to_replan_static_map,
)
from kinewright_agents.replanner.search import Answer, best_first_search

from .drawn_maps import drawn_map

STATIC = time_to_replan_static_map
DYNAMIC = time_to_replan_dynamic_map
GOAL = time_to_replan_dynamic_map_and_goal
KIDNAP = time_to_replan_dynamic_map_with_kidnap
POLICIES = {"static": STATIC, "dynamic": DYNAMIC, "goal": GOAL, "kidnap": KIDNAP}

# Blocked are (3, 0) and (0, 3).
MAP, _ = drawn_map(
    """
    #....
    .....
    .....
    ...#.
    """
)
AT, AWAY, HOME = (0, 0), (4, 3), (2, 2)


@pytest.mark.parametrize(
    ("plan", "current", "goal", "static", "dynamic", "and_goal", "kidnap"),
    [
        # no plan: everybody plans, at the goal or not
        (None, AT, HOME, True, True, True, True),
        (None, HOME, HOME, True, True, True, True),
        # empty plan: only away from the goal
        ([], HOME, HOME, False, False, False, False),
        ([], AT, HOME, True, True, True, True),
        # on the plan, all free, to the goal
        ([(1, 1), HOME], AT, HOME, False, False, False, False),
        ([(1, 1), HOME], (1, 1), HOME, False, False, False, False),
        ([HOME], (1, 1), HOME, False, False, False, False),
        ([HOME], HOME, HOME, False, False, False, False),
        # carried away: the static policy and the one for it plan, the others do not look
        ([(1, 1), HOME], AWAY, HOME, True, False, False, True),
        ([(1, 1), HOME], (3, 1), HOME, True, False, False, True),
        ([(1, 1), HOME], (1, 3), HOME, True, False, False, True),
        ([HOME], AT, HOME, True, False, False, True),
        # blocked in the first or second cell: the static policy does not look
        ([(3, 0), (4, 1)], (2, 0), (4, 1), False, True, True, True),
        ([(2, 0), (3, 0)], (1, 0), (3, 0), False, True, True, True),
        ([(3, 0)], (2, 0), (3, 0), False, True, True, True),
        # blocked farther on: nobody looks so far
        ([(1, 0), (2, 0), (3, 0)], AT, (3, 0), False, False, False, False),
        # the goal has moved: one policy looks
        ([(1, 1), HOME], AT, AWAY, False, False, True, False),
        ([HOME], HOME, AWAY, False, False, True, False),
        ([(1, 1), HOME], AT, (1, 1), False, False, True, False),
        # at the goal with cells left, as where the plan leads past it
        ([(1, 1), HOME], HOME, HOME, False, False, False, False),
        # two reasons at once
        ([(3, 0), (4, 1)], AWAY, HOME, True, True, True, True),
        ([(1, 1), HOME], AWAY, AT, True, False, True, True),
        # off the map is not free
        ([(-1, 0)], AT, (-1, 0), False, True, True, True),
    ],
)
def test_when_each_policy_replans(plan, current, goal, static, dynamic, and_goal, kidnap):
    said = {name: policy(plan, current, MAP, goal) for name, policy in POLICIES.items()}
    assert said == {"static": static, "dynamic": dynamic, "goal": and_goal, "kidnap": kidnap}
    assert all(isinstance(answer, bool) for answer in said.values())


def test_cells_are_adjacent_where_both_differences_are_below_two():
    for di, dj in itertools.product(range(-3, 4), repeat=2):
        assert adjacent((5, 5), (5 + di, 5 + dj)) == (abs(di) < 2 and abs(dj) < 2)


@pytest.mark.parametrize(
    ("plan", "look_ahead", "invalid"),
    [
        ([], 2, False),
        ([(1, 1), (2, 2)], 2, False),
        ([(3, 0)], 2, True),
        ([(2, 0), (3, 0)], 2, True),
        ([(1, 0), (2, 0), (3, 0)], 2, False),
        ([(1, 0), (2, 0), (3, 0)], 3, True),
        ([(1, 0), (2, 0), (3, 0)], None, True),
        ([(1, 0), (2, 0), (2, 1)], None, False),
        ([], None, False),
    ],
)
def test_a_plan_is_invalid_where_one_of_its_next_cells_is_occupied(plan, look_ahead, invalid):
    assert plan_invalid_in_map(MAP, plan, look_ahead) is invalid


def test_two_cells_are_looked_at_unless_told():
    assert plan_invalid_in_map(MAP, [(2, 0), (3, 0)])
    assert not plan_invalid_in_map(MAP, [(1, 0), (2, 0), (3, 0)])


# ---- Subgoals on drawn maps ----


def centre(indices):
    return (indices[0] + 0.5, indices[1] + 0.5)


def pose(indices):
    return (*centre(indices), 0.0)


def walk(machine, world_map, start, steps, make_input=lambda pose: pose):
    """Step a machine with a robot that is at its subgoal by the next step; return the cells."""
    here, cells = start, []
    for _ in range(steps):
        subgoal = machine.step(make_input(pose(here)))
        here = world_map.point_to_indices(subgoal)
        cells.append(here)
    return cells


def test_the_subgoals_of_the_static_machine_lead_around_a_wall():
    world_map, at = drawn_map(
        """
        .....
        .###.
        S.#.G
        """
    )
    machine = Replanner(centre(at["G"]), world_map)
    cells = walk(machine, world_map, at["S"], 8)
    assert cells == [(0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (4, 1), (4, 0)]
    assert machine.state == [at["G"]]
    assert walk(machine, world_map, at["G"], 3) == [at["G"]] * 3


def test_the_first_cell_of_a_fresh_plan_is_dropped_at_once():
    world_map, at = drawn_map("S..G")
    machine = Replanner(centre(at["G"]), world_map)
    assert machine.start_state is None
    assert machine.step(pose(at["S"])) == centre((1, 0))
    assert machine.state == [(1, 0), (2, 0), (3, 0)]


def test_a_robot_in_its_goal_keeps_the_goal_as_its_subgoal():
    world_map, at = drawn_map("G..")
    machine = Replanner(centre(at["G"]), world_map)
    assert machine.transduce([pose(at["G"])] * 3) == [centre(at["G"])] * 3
    assert machine.state == [at["G"]]


def test_where_planning_fails_the_subgoal_is_the_robots_own_place():
    world_map, at = drawn_map("S#G")
    here = (0.3, 0.7, 1.0)
    machine = Replanner(centre(at["G"]), world_map)
    assert machine.step(here) == here[:2]
    assert machine.state is None
    both = ReplannerWithDynamicMapAndGoal()
    assert both.step((centre(at["G"]), (world_map, here))) == (here[:2], True)


def test_the_subgoal_is_in_metres_of_map_at_any_cell_size():
    world_map, _ = drawn_map("S.G", cell_m=0.05)
    machine = Replanner((0.125, 0.025), world_map)
    x_m, y_m = machine.step((0.02, 0.03, 0.0))
    assert (x_m, y_m) == pytest.approx((0.075, 0.025), abs=1e-12)


def test_a_dynamic_machine_plans_around_what_the_map_shows_only_now():
    open_map, at = drawn_map(
        """
        .....
        S...G
        .....
        """
    )
    walled, _ = drawn_map(
        """
        ..#..
        ..#..
        .....
        """
    )
    machine = ReplannerWithDynamicMap(centre(at["G"]))
    assert machine.step((open_map, pose(at["S"]))) == centre((1, 1))
    cells = walk(machine, walled, (1, 1), 5, lambda here: (walled, here))
    assert cells == [(1, 0), (2, 0), (3, 0), (4, 1), (4, 1)]


def test_a_static_machine_drives_on_into_what_the_map_did_not_show():
    """It has one map for good: that is what it misses."""
    world_map, at = drawn_map("S...G")
    machine = Replanner(centre(at["G"]), world_map)
    assert walk(machine, world_map, at["S"], 4) == [(1, 0), (2, 0), (3, 0), (4, 0)]


def test_cost_dynamics_go_round_what_is_only_likely_occupied():
    world_map, at = drawn_map(
        """
        ...
        S.G
        """
    )

    class Doubtful:
        """The same map, its middle cell in doubt."""

        def __getattr__(self, name):
            return getattr(world_map, name)

        def occupancy_probability(self, indices):
            return 0.9 if indices == (1, 0) else world_map.occupancy_probability(indices)

    doubtful = Doubtful()
    plain = ReplannerWithDynamicMap(centre(at["G"]))
    priced = ReplannerWithDynamicMap(centre(at["G"]), use_cost_dynamics=True)
    assert plain.step((doubtful, pose(at["S"]))) == centre((1, 0))
    assert priced.step((doubtful, pose(at["S"]))) == centre((1, 1))


def test_a_plan_follows_a_moving_goal_on_the_next_step():
    world_map, at = drawn_map(
        """
        A...B
        .....
        S...C
        """
    )
    machine = ReplannerWithDynamicMapAndGoal()
    here = at["S"]
    for letter in "ABCA":
        subgoal, failed = machine.step((centre(at[letter]), (world_map, pose(here))))
        assert machine.state[-1] == at[letter]
        assert not failed
        here = world_map.point_to_indices(subgoal)
    fixed = ReplannerWithDynamicMap(centre(at["B"]))
    fixed.step((world_map, pose(at["S"])))
    assert fixed.state[-1] == at["B"]


# ---- Kidnapping ----

ROOM, ROOM_AT = drawn_map(
    """
    G.......
    ........
    S......K
    """
)


def kidnapped(machine, make_input):
    """Return the state before and after the step on which the robot finds itself at K."""
    machine.step(make_input(pose(ROOM_AT["S"])))
    before = list(machine.state)
    machine.step(make_input(pose(ROOM_AT["K"])))
    return before, machine.state


def test_after_a_kidnap_the_static_machine_plans_from_the_new_place():
    _, after = kidnapped(Replanner(centre(ROOM_AT["G"]), ROOM), lambda here: here)
    assert adjacent(after[0], ROOM_AT["K"])


def test_after_a_kidnap_the_plain_dynamic_machine_keeps_its_old_path():
    machine = ReplannerWithDynamicMap(centre(ROOM_AT["G"]))
    before, after = kidnapped(machine, lambda here: (ROOM, here))
    assert after == before


def test_after_a_kidnap_the_kidnap_policy_plans_from_the_new_place():
    machine = ReplannerWithDynamicMap(centre(ROOM_AT["G"]), time_to_replan=KIDNAP)
    _, after = kidnapped(machine, lambda here: (ROOM, here))
    assert adjacent(after[0], ROOM_AT["K"])


# ---- The drawing ----


def test_the_drawing_is_the_path_that_is_left():
    world_map, at = drawn_map(
        """
        ......
        S....G
        """
    )
    machine = Replanner(centre(at["G"]), world_map)
    here = at["S"]
    for _ in range(6):
        here = world_map.point_to_indices(machine.step(pose(here)))
        assert list(world_map.drawn) == machine.state


def test_a_dropped_plan_is_undrawn():
    machine = Replanner(centre(ROOM_AT["G"]), ROOM)
    kidnapped(machine, lambda here: here)
    assert list(ROOM.drawn) == machine.state
    walled, at = drawn_map("S..G")
    dynamic = ReplannerWithDynamicMap(centre(at["G"]))
    dynamic.step((walled, pose(at["S"])))
    assert walled.drawn
    walled, _ = drawn_map("..#.")
    walled.draw_path(dynamic.state)
    dynamic.step((walled, pose(at["S"])))
    assert dynamic.state is None
    assert walled.drawn == ()


# ---- The form ----


def test_the_rule_changes_nothing_of_the_machine():
    machine = Replanner(centre(ROOM_AT["G"]), ROOM)
    inp = pose(ROOM_AT["S"])
    first = machine.get_next_values(None, inp)
    assert machine.get_next_values(None, inp) == first
    assert machine.state is None


def test_transduce_starts_anew_and_gives_an_output_for_each_input():
    class Sum(StateMachine):
        start_state = 0

        def get_next_values(self, state, inp):
            return state + inp, 10 * (state + inp)

    machine = Sum()
    assert machine.transduce([1, 2, 3]) == [10, 30, 60]
    assert machine.transduce([1]) == [10]
    machine.start()
    assert machine.state == 0
    assert machine.step(5) == 50


def test_the_search_is_limited_and_guesses_the_scaled_straight_distance():
    world_map, at = drawn_map(
        """
        ...
        S.G
        """
    )
    asked = {}

    def search(dynamics, start, is_goal, heuristic, max_nodes):
        asked.update(start=start, guess=heuristic(start), limit=max_nodes)
        return Answer(None, math.inf, 0, "no_way")

    goal = (2.25, 0.75)
    path, subgoal = new_path_and_subgoal(
        world_map, pose(at["S"]), goal, None, None, STATIC, scale=3, search=search
    )
    assert (path, subgoal) == (None, centre(at["S"]))
    assert asked == {
        "start": at["S"],
        "guess": pytest.approx(3 * math.dist(centre(at["S"]), goal)),
        "limit": 20_000,
    }


def test_no_search_is_made_while_the_policy_is_content():
    searches = []

    def search(*arguments):
        searches.append(arguments)
        return best_first_search(*arguments)

    machine = Replanner(centre(ROOM_AT["G"]), ROOM, search=search)
    walk(machine, ROOM, ROOM_AT["S"], 10)
    assert len(searches) == 1
