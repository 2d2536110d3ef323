"""`random_rooms`: a floor cut into rooms that doorways join, with things standing about.

The floor is cut in two, and the greatest room again, until there are enough. A tree of
doorways joins all rooms, some more doorways make circles. Then one doorway on the way from
start to goal may be too narrow or missing, and everything that passes it by as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from ..scene import Scene
from .draws import Draws
from .plan import (
    GOAL_ROOM_MM,
    START_ROOM_MM,
    Disc,
    Opening,
    Place,
    Plan,
    Rect,
    box_radius,
    open_heading_deg,
    opening_width,
)

STREAM: Final = 1
FLOOR_MM: Final = (4000, 10_000)
ROOM_LEAST_MM: Final = 1900
ROOM_SHARE_M2: Final = 6
"""A floor has at least this much for each of its rooms."""
LATTICE_MM: Final = 100
CORNER_MM: Final = 350
"""Wall between a doorway and the next corner."""
SHUT_PERCENT: Final = 15
NARROW_PERCENT: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What a difficulty is: rooms, width of wide doorways, things on 10 m2, gaps about them."""

    rooms: tuple[int, int]
    doors_mm: tuple[int, int]
    things: int
    gap_mm: int


LEVELS: Final = (
    Level(rooms=(2, 3), doors_mm=(800, 1200), things=1, gap_mm=900),
    Level(rooms=(3, 4), doors_mm=(600, 1000), things=2, gap_mm=700),
    Level(rooms=(4, 6), doors_mm=(500, 800), things=3, gap_mm=600),
)


class Border(NamedTuple):
    """Where two rooms share a wall: at x or y `line`, from low to high."""

    first: int
    second: int
    upright: bool
    line: int
    low: int
    high: int


def random_rooms(seed: int, name: str, difficulty: int) -> Scene:
    """Return the scene of a seed; difficulty 0, 1 or 2."""
    draws, level, plan = Draws(seed, STREAM), LEVELS[difficulty], Plan()
    floor, rooms = _rooms(draws, draws.between(*level.rooms))
    borders = [border for border in _borders(rooms) if _door_room(border) >= level.doors_mm[0]]
    first, last = draws.shuffled(range(len(rooms)))[:2]
    doors = _doors(draws, borders, (first, last), level.doors_mm)
    plan.enclose(floor)
    _inner_walls(plan, rooms, doors)
    start = plan.place(draws, rooms[first], START_ROOM_MM)
    heading_deg = open_heading_deg(draws, start, rooms[first])
    plan.keep(start, START_ROOM_MM)
    goal = plan.place(draws, rooms[last], GOAL_ROOM_MM)
    plan.keep(goal, GOAL_ROOM_MM)
    for room in rooms:
        for _ in range(int(room.area_m2 * level.things) // 10 + draws.below(2)):
            _put_thing(draws, plan, room, level.gap_mm)
    return plan.scene(
        generator="random_rooms",
        seed=seed,
        options={"difficulty": difficulty},
        name=name,
        title=f"{len(rooms)} rooms on {floor.x1 / 1000:g} x {floor.y1 / 1000:g} m",
        start=(*start, heading_deg),
        goal=goal,
        time_limit_s=60 + int(5 * floor.area_m2),
    )


def _rooms(draws: Draws, n: int) -> tuple[Rect, list[Rect]]:
    """Return a floor, and as many rooms as asked for, their sides on wall lines."""
    floor = Rect(0, 0, 0, 0)
    while floor.area_m2 < ROOM_SHARE_M2 * n:
        floor = Rect(0, 0, *(draws.between(*FLOOR_MM, LATTICE_MM) for _ in range(2)))
    rooms = [floor]
    while len(rooms) < n:
        room = max(rooms, key=lambda rect: rect.area_m2)  # the first on a tie
        wide = room.x1 - room.x0 >= room.y1 - room.y0
        low, high = (room.x0, room.x1) if wide else (room.y0, room.y1)
        if high - low < 2 * ROOM_LEAST_MM:
            break
        cut = draws.between(low + ROOM_LEAST_MM, high - ROOM_LEAST_MM, LATTICE_MM)
        rooms.remove(room)
        if wide:
            rooms += [room._replace(x1=cut), room._replace(x0=cut)]
        else:
            rooms += [room._replace(y1=cut), room._replace(y0=cut)]
    return floor, rooms


def _borders(rooms: list[Rect]) -> list[Border]:
    """Return where two rooms share a wall."""
    borders = []
    for (i, a), (j, b) in combinations(enumerate(rooms), 2):
        if a.x1 == b.x0 or b.x1 == a.x0:
            low, high = max(a.y0, b.y0), min(a.y1, b.y1)
            borders.append(Border(i, j, True, a.x1 if a.x1 == b.x0 else a.x0, low, high))
        if a.y1 == b.y0 or b.y1 == a.y0:
            low, high = max(a.x0, b.x0), min(a.x1, b.x1)
            borders.append(Border(i, j, False, a.y1 if a.y1 == b.y0 else a.y0, low, high))
    return [border for border in borders if border.low < border.high]


def _door_room(border: Border) -> int:
    """Return the widest doorway that a border has room for."""
    return border.high - border.low - 2 * CORNER_MM


def _doors(
    draws: Draws, borders: list[Border], ends: tuple[int, int], wide_mm: tuple[int, int]
) -> list[tuple[Border, Opening]]:
    """Return the doorways: a tree that joins all rooms, circles, and what bars the way."""
    kind = draws.below(100)
    shut, narrow = kind < SHUT_PERCENT, kind < SHUT_PERCENT + NARROW_PERCENT
    tree, others = spanning_tree(draws.shuffled([border[:2] for border in borders]))
    by_rooms = {border[:2]: border for border in borders}
    beyond: set[int] = set()
    if narrow:  # shut, too
        way = way_through(tree, *ends)
        cut = draws.below(len(way) - 1)
        beyond = reached(tree, way[cut + 1], without=(way[cut], way[cut + 1]))
    doors = []
    for pair in (*tree, *others):
        bars = (pair[0] in beyond) != (pair[1] in beyond)
        spare = pair in others and not draws.chance(40)
        if spare or (bars and shut):
            continue
        border = by_rooms[pair]
        is_narrow = bars or (pair in others and draws.chance(30))
        high = min(wide_mm[1], _door_room(border)) // 10 * 10
        width = opening_width(draws, is_narrow, (wide_mm[0], high))
        reach = CORNER_MM + (width + 1) // 2
        middle = draws.between(border.low + reach, border.high - reach)
        doors.append((border, Opening(middle, width)))
    return doors


def spanning_tree(
    edges: list[tuple[int, int]],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the edges that join what was apart, taken in order, and the others."""
    joined: dict[int, int] = {}

    def root(i: int) -> int:
        while joined.get(i, i) != i:
            i = joined[i]
        return i

    tree: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for i, j in edges:
        a, b = root(i), root(j)
        joined[max(a, b)] = min(a, b)
        (others if a == b else tree).append((i, j))
    return tree, others


def reached(
    edges: list[tuple[int, int]], first: int, without: tuple[int, int] | None = None
) -> set[int]:
    """Return all that edges join with the first, one edge left out."""
    found, ahead = {first}, [first]
    while ahead:
        at = ahead.pop()
        for i, j in edges:
            if at in (i, j) and without not in ((i, j), (j, i)):
                other = j if at == i else i
                if other not in found:
                    found.add(other)
                    ahead.append(other)
    return found


def way_through(tree: list[tuple[int, int]], first: int, last: int) -> list[int]:
    """Return the only way through a tree."""
    way = [first]
    while way[-1] != last:
        for i, j in tree:
            if way[-1] in (i, j):
                other = j if way[-1] == i else i
                if other not in way and last in reached(tree, other, without=(i, j)):
                    way.append(other)
                    break
    return way


def _inner_walls(plan: Plan, rooms: list[Rect], doors: list[tuple[Border, Opening]]) -> None:
    """Put down the walls between rooms, one along each stretch of a line."""
    stretches: dict[tuple[bool, int], list[tuple[int, int]]] = {}
    for border in _borders(rooms):
        stretches.setdefault(border[2:4], []).append(border[4:6])
    n = 0
    for (upright, line), parts in sorted(stretches.items()):
        for low, high in _joined(parts):
            n += 1
            openings = [
                opening
                for border, opening in doors
                if border[2:4] == (upright, line) and low <= opening.middle <= high
            ]
            ends = ((line, low), (line, high)) if upright else ((low, line), (high, line))
            plan.wall_with_openings(f"wall {n}", *ends, openings)


def _joined(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stretches of a line with those that touch made one."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined


def _put_thing(draws: Draws, plan: Plan, room: Rect, gap: int) -> None:
    """Put a post, a turned box or a cupboard into a room, where one of a few draws fits."""
    kind = draws.below(3)
    for _ in range(6):
        height = draws.between(300, 700, 50)
        if kind == 2:
            if plan.cupboard(_against_a_wall(draws, room), height, gap):
                return
            continue
        at = (draws.between(room.x0, room.x1, 10), draws.between(room.y0, room.y1, 10))
        size = (draws.between(150, 700, 10), draws.between(150, 500, 10))
        radius = draws.between(30, 150, 5) if kind == 0 else box_radius(size)
        if plan.is_free(Disc(*at, radius), gap):
            if kind == 0:
                plan.post(Disc(*at, radius))
            else:
                plan.box(at, size, draws.between(-90, 90, 5), height)
            return


def _against_a_wall(draws: Draws, room: Rect) -> Rect:
    """Return the outline of a cupboard that stands in a wall's middle line, or in a corner."""
    wide, deep = draws.between(400, 1200, 20), draws.between(250, 500, 10)
    corner, far, upright = draws.chance(50), draws.chance(50), draws.chance(50)
    low, high = (room.y0, room.y1) if upright else (room.x0, room.x1)
    wide = min(wide, high - low)
    along = low if corner else draws.between(low, high - wide, 20)
    near, back = (room.x0, room.x1) if upright else (room.y0, room.y1)
    across: Place = (back - deep, back) if far else (near, near + deep)
    if upright:
        return Rect(across[0], along, across[1], along + wide)
    return Rect(along, across[0], along + wide, across[1])
