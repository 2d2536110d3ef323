"""`sealed_or_not` and `borderline`: a goal inside a closed place, or one with an opening.

The closed place stands in the room by itself, in a corner of it, or is one end of it. There
is a way around it on every side that does not touch the room's walls.
"""

from __future__ import annotations

from typing import Final

from ..scene import Scene
from .draws import Draws
from .plan import (
    GOAL_ROOM_MM,
    START_ROOM_MM,
    WALL_THICKNESS_MM,
    WIDE_LEAST_MM,
    Disc,
    Opening,
    Place,
    Plan,
    Rect,
    open_heading_deg,
    opening_width,
)

STREAM: Final = 4
BORDERLINE_STREAM: Final = 5
ROOM_MM: Final = (5000, 8000)
CELL_MM: Final = (1500, 2000)
AROUND_MM: Final = 1300
"""Least way between the closed place and the room's walls."""
START_PART_MM: Final = 1700
CORNER_MM: Final = 250
WIDE_MM: Final = (WIDE_LEAST_MM, 900)
BORDERLINE_MM: Final = (300, 490)
"""What lies between what the body needs and what a declared margin lets pass."""
GAP_MM: Final = 700


def sealed_or_not(seed: int, name: str) -> Scene:
    """Return the scene of a seed: half are closed, a quarter each wide and narrow."""
    draws = Draws(seed, STREAM)
    width = 0
    if not draws.chance(50):
        width = opening_width(draws, draws.chance(50), WIDE_MM)
    return _closed_place(draws, "sealed_or_not", seed, name, width)


def borderline(seed: int, name: str) -> Scene:
    """Return the scene of a seed: an opening from 0.30 to 0.49 m."""
    draws = Draws(seed, BORDERLINE_STREAM)
    width = opening_width(draws, False, BORDERLINE_MM)
    return _closed_place(draws, "borderline", seed, name, width)


def _closed_place(draws: Draws, generator: str, seed: int, name: str, width: int) -> Scene:
    plan = Plan()
    room = Rect(0, 0, *(draws.between(*ROOM_MM, 100) for _ in range(2)))
    cell = _cell(draws, room)
    plan.enclose(room)
    sides = _sides(cell, room)
    opened = draws.below(len(sides))
    for i, (side, start, end) in enumerate(sides):
        openings = [_opening(draws, start, end, width)] if width and i == opened else []
        plan.wall_with_openings(f"cell, {side} wall", start, end, openings)
    part = draws.pick(_parts_beside(cell, room))
    at = plan.place(draws, part, START_ROOM_MM)
    heading_deg = open_heading_deg(draws, at, part)
    plan.keep(at, START_ROOM_MM)
    goal = plan.place(draws, cell, GOAL_ROOM_MM)
    plan.keep(goal, GOAL_ROOM_MM)
    for _ in range(draws.below(4)):
        disc = Disc(
            draws.between(0, room.x1, 10), draws.between(0, room.y1, 10), draws.between(30, 150, 5)
        )
        if plan.is_free(disc, GAP_MM):
            plan.post(disc)
    opening = f"an opening of {width / 1000:g} m" if width else "no opening"
    return plan.scene(
        generator=generator,
        seed=seed,
        options={},
        name=name,
        title=f"A goal inside walls with {opening}",
        start=(*at, heading_deg),
        goal=goal,
        time_limit_s=60 + int(5 * room.area_m2),
    )


def _cell(draws: Draws, room: Rect) -> Rect:
    """Return the closed place: by itself, in a corner of the room, or one end of it."""
    kind = draws.below(3)
    wide, high = (draws.between(*CELL_MM, 100) for _ in range(2))
    if kind == 0:
        # to the right, there is more: room to start
        x0 = draws.between(AROUND_MM, room.x1 - START_PART_MM - wide, 100)
        y0 = draws.between(AROUND_MM, room.y1 - AROUND_MM - high, 100)
        return Rect(x0, y0, x0 + wide, y0 + high)
    x0 = room.x1 - wide if draws.chance(50) else 0
    if kind == 1:
        y0 = room.y1 - high if draws.chance(50) else 0
        return Rect(x0, y0, x0 + wide, y0 + high)
    return Rect(x0, 0, x0 + wide, room.y1)


def _sides(cell: Rect, room: Rect) -> list[tuple[str, Place, Place]]:
    """Return name and ends of the closed place's walls that are not the room's own."""
    x0, y0, x1, y1 = cell
    sides = [
        ("south", (x0, y0), (x1, y0)),
        ("east", (x1, y0), (x1, y1)),
        ("north", (x0, y1), (x1, y1)),
        ("west", (x0, y0), (x0, y1)),
    ]
    own = [y0 > room.y0, x1 < room.x1, y1 < room.y1, x0 > room.x0]
    return [side for side, is_own in zip(sides, own, strict=True) if is_own]


def _opening(draws: Draws, start: Place, end: Place, width: int) -> Opening:
    ahead = 0 if start[1] == end[1] else 1
    reach = CORNER_MM + width // 2
    return Opening(draws.between(start[ahead] + reach, end[ahead] - reach), width)


def _parts_beside(cell: Rect, room: Rect) -> list[Rect]:
    """Return the parts of the room to each side of the closed place that have room to start."""
    parts = [
        room._replace(x0=cell.x1),
        room._replace(x1=cell.x0),
        room._replace(y0=cell.y1),
        room._replace(y1=cell.y0),
    ]
    least = 2 * START_ROOM_MM + WALL_THICKNESS_MM
    return [part for part in parts if min(part.x1 - part.x0, part.y1 - part.y0) >= least]
