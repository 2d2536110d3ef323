"""`random_maze`: square cells joined by a tree of passages, with a circle here and there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..scene import Scene
from .draws import Draws
from .plan import WALL_THICKNESS_MM, Opening, Place, Plan, Rect, opening_width
from .rooms import NARROW_PERCENT, SHUT_PERCENT, reached, way_through

STREAM: Final = 3
PASSAGE_MM: Final = (900, 1200)
"""Free width of a passage."""
CIRCLE_PERCENT: Final = 8
CORNER_MM: Final = 250

Edge = tuple[int, int]
"""Two cells side by side, the lower number first; cells are numbered along rows, from below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maze:
    """So many cells a side, how far apart (mm), and which edges are open whole or by a slit."""

    cells: int
    pitch: int
    passages: frozenset[Edge]
    slits: frozenset[Edge]


def random_maze(seed: int, name: str, cells: int) -> Scene:
    """Return the scene of a seed; so many cells a side."""
    draws, plan = Draws(seed, STREAM), Plan()
    pitch = draws.between(*PASSAGE_MM, 50) + WALL_THICKNESS_MM
    tree = _tree(draws, cells)
    first = draws.below(cells * cells)
    last = _far_from(draws, tree, first, cells)
    passages, slits = _passages(draws, tree, (first, last), cells)
    maze = Maze(cells=cells, pitch=pitch, passages=frozenset(passages), slits=frozenset(slits))
    plan.enclose(Rect(0, 0, cells * pitch, cells * pitch))
    _inner_walls(draws, plan, maze)
    start, goal = (_middle(cell, cells, pitch) for cell in (first, last))
    return plan.scene(
        generator="random_maze",
        seed=seed,
        options={"cells": cells},
        name=name,
        title=f"A maze of {cells} x {cells} cells, passages {(pitch - 50) / 1000:g} m",
        start=(*start, _heading_deg(draws, maze, first)),
        goal=goal,
        time_limit_s=60 + 8 * cells * cells * pitch * pitch // 10**6,
    )


def _tree(draws: Draws, cells: int) -> list[Edge]:
    """Return a tree of all cells: a walk that turns as it likes, and goes back where stuck."""
    walk = [draws.below(cells * cells)]
    seen, tree = set(walk), []
    while walk:
        ahead = [cell for cell in _beside(walk[-1], cells) if cell not in seen]
        if not ahead:
            walk.pop()
            continue
        cell = draws.pick(ahead)
        tree.append(_edge(walk[-1], cell))
        seen.add(cell)
        walk.append(cell)
    return tree


def _beside(cell: int, cells: int) -> list[int]:
    """Return the cells to the right, above, to the left and below, those that there are."""
    row, column = divmod(cell, cells)
    steps = ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column))
    return [r * cells + c for r, c in steps if 0 <= r < cells and 0 <= c < cells]


def _edge(a: int, b: int) -> Edge:
    return min(a, b), max(a, b)


def _far_from(draws: Draws, tree: list[Edge], first: int, cells: int) -> int:
    """Return a cell among the farther half of all by the tree."""
    steps, ahead = {first: 0}, [first]
    for at in ahead:
        for cell in _beside(at, cells):
            if cell not in steps and _edge(at, cell) in tree:
                steps[cell] = steps[at] + 1
                ahead.append(cell)
    return draws.pick(ahead[len(ahead) // 2 :])


def _passages(
    draws: Draws, tree: list[Edge], ends: tuple[int, int], cells: int
) -> tuple[list[Edge], list[Edge]]:
    """Return the edges that are open whole, and those with an opening too narrow.

    One edge on the way may be shut or narrow; then no other leads past it.
    """
    kind = draws.below(100)
    shut, narrow = kind < SHUT_PERCENT, kind < SHUT_PERCENT + NARROW_PERCENT
    beyond: set[int] = set()
    passages, slits = list(tree), []
    if narrow:  # shut, too
        way = way_through(tree, *ends)
        cut = draws.below(len(way) - 1)
        edge = _edge(way[cut], way[cut + 1])
        beyond = reached(tree, way[cut + 1], without=edge)
        passages.remove(edge)
        if not shut:
            slits.append(edge)
    for cell in range(cells * cells):
        for other in _beside(cell, cells)[:2]:
            edge = (cell, other)
            if other < cell or edge in tree or (cell in beyond) != (other in beyond):
                continue
            if draws.chance(CIRCLE_PERCENT):
                passages.append(edge)
    return passages, slits


def _inner_walls(draws: Draws, plan: Plan, maze: Maze) -> None:
    """Put down the walls, one along each run of edges that are not open."""
    n = 0
    for upright in (True, False):
        for line in range(1, maze.cells):
            edges = _edges_along(line, maze.cells, upright=upright)
            for low, high in _runs([edge not in maze.passages for edge in edges]):
                n += 1
                slits = [k for k in range(low, high) if edges[k] in maze.slits]
                openings = [_slit(draws, k, maze.pitch) for k in slits]
                ends = ((line, low), (line, high)) if upright else ((low, line), (high, line))
                start, end = ((x * maze.pitch, y * maze.pitch) for x, y in ends)
                plan.wall_with_openings(f"wall {n}", start, end, openings)


def _edges_along(line: int, cells: int, *, upright: bool) -> list[Edge]:
    """Return the edges that cross a line between two columns, or between two rows."""
    if upright:
        return [(k * cells + line - 1, k * cells + line) for k in range(cells)]
    return [((line - 1) * cells + k, line * cells + k) for k in range(cells)]


def _runs(walled: list[bool]) -> list[tuple[int, int]]:
    """Return start and end of each run of walled edges."""
    edged = [False, *walled, False]
    starts = [k for k in range(len(walled)) if edged[k + 1] and not edged[k]]
    ends = [k + 1 for k in range(len(walled)) if edged[k + 1] and not edged[k + 2]]
    return list(zip(starts, ends, strict=True))


def _slit(draws: Draws, k: int, pitch: int) -> Opening:
    """Return an opening of the k-th edge of a line, too narrow for the body."""
    width = opening_width(draws, True, (0, 0))
    reach = CORNER_MM + width // 2
    return Opening(draws.between(k * pitch + reach, (k + 1) * pitch - reach), width)


def _middle(cell: int, cells: int, pitch: int) -> Place:
    row, column = divmod(cell, cells)
    return (2 * column + 1) * pitch // 2, (2 * row + 1) * pitch // 2


def _heading_deg(draws: Draws, maze: Maze, cell: int) -> int:
    """Return a heading along an open passage, or any where there is none."""
    beside = _beside(cell, maze.cells)
    ahead = [other for other in beside if _edge(cell, other) in maze.passages]
    other = draws.pick(ahead or beside)
    return {1: 0, maze.cells: 90, -1: 180, -maze.cells: -90}[other - cell]
