"""Best-first search over any dynamics model.

A* (Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost
Paths, 1968): of the places seen but not yet expanded, the one is expanded next whose price so
far plus the heuristic's guess of the rest is least. A guess that is never too high makes the
path the cheapest; a guess of nothing makes it Dijkstra's search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

State = TypeVar("State", bound=Hashable)

MAX_NODES = 20_000  # expanded in one search, by replanner.md


class Dynamics(Protocol[State]):
    """Where one can go from a state, and at what price."""

    def successors(self, state: State) -> Iterable[tuple[State, float]]:
        """Return (next state, price) of each move; prices are 0 or more."""


class Answer(NamedTuple, Generic[State]):
    """What came of a search.

    `path` runs from start to goal, both included; it is None, and `cost` infinite, where
    none was found. `outcome` says which: `no_way`, every state that can be reached was
    expanded; `node_limit`, the limit was reached before. `nodes` were expanded.
    """

    path: list[State] | None
    cost: float
    nodes: int
    outcome: Literal["found", "no_way", "node_limit"]


def no_guess(_: object) -> float:
    """Guess nothing: the search is then Dijkstra's."""
    return 0.0


def best_first_search(
    dynamics: Dynamics[State],
    start: State,
    is_goal: Callable[[State], bool],
    heuristic: Callable[[State], float] = no_guess,
    max_nodes: int = MAX_NODES,
) -> Answer[State]:
    """Search for the cheapest path from a state to a goal.

    Parameters
    ----------
    dynamics : Dynamics
        Any model with `successors(state)`; states are hashable.
    start : state
    is_goal : callable
        Whether a state is one to arrive at.
    heuristic : callable
        Guess of the price from a state to the goal. The path is the cheapest where the guess
        is never too high, or too high by the same everywhere.
    max_nodes : int
        How many states may be expanded.

    Returns
    -------
    Answer
        A path and its cost, or None with the nodes expanded and why.
    """
    spent = {start: 0.0}
    came_from: dict[State, State] = {}
    number = count()  # ties go by guess, then by who came first: a total order
    guess = heuristic(start)
    ahead = [(guess, guess, next(number), 0.0, start)]
    nodes = 0
    while ahead:
        _, _, _, cost, state = heappop(ahead)
        if cost > spent[state]:
            continue  # a cheaper way here was found since
        if is_goal(state):
            return Answer(_path_to(state, came_from), cost, nodes, "found")
        if nodes == max_nodes:
            return Answer(None, math.inf, nodes, "node_limit")
        nodes += 1
        for following, price in dynamics.successors(state):
            total = cost + price
            if total < spent.get(following, math.inf):
                spent[following] = total
                came_from[following] = state
                guess = heuristic(following)
                heappush(ahead, (total + guess, guess, next(number), total, following))
    return Answer(None, math.inf, nodes, "no_way")


def _path_to(state: State, came_from: dict[State, State]) -> list[State]:
    """Return the states from the start to this one."""
    path = [state]
    while state in came_from:
        state = came_from[state]
        path.append(state)
    path.reverse()
    return path
