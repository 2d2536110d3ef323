"""`random_posts`: one room full of posts, turned boxes and short walls, all passable."""

from __future__ import annotations

from typing import Final

from ..scene import Scene
from .draws import Draws
from .plan import (
    GOAL_ROOM_MM,
    START_ROOM_MM,
    WALL_THICKNESS_MM,
    Disc,
    Plan,
    Rect,
    box_radius,
)

STREAM: Final = 2
GAP_MM: Final = 600
"""Between any two solids: an opening is passable from 0.46 m on (avoidance.md)."""
LENGTH_MM: Final = (5000, 8000)
WIDTH_MM: Final = (3000, 6000)
LOW_HEIGHT_MM: Final = 80
"""Of a low box: below the scanner's plane."""
TRIES: Final = 30


def random_posts(seed: int, name: str, density: float, low_boxes: int) -> Scene:
    """Return the scene of a seed; density is solids a square metre of floor."""
    draws, plan = Draws(seed, STREAM), Plan()
    floor = Rect(0, 0, draws.between(*LENGTH_MM, 100), draws.between(*WIDTH_MM, 100))
    plan.enclose(floor)
    left = floor._replace(x1=floor.x0 + 2 * START_ROOM_MM + 200)
    right = floor._replace(x0=floor.x1 - 2 * GOAL_ROOM_MM - 200)
    start = plan.place(draws, left, START_ROOM_MM)
    goal = plan.place(draws, right, GOAL_ROOM_MM)
    plan.keep(start, START_ROOM_MM)
    plan.keep(goal, GOAL_ROOM_MM)
    for _ in range(low_boxes):
        _put(draws, plan, floor, low=True)
    for _ in range(int(density * 1000) * int(floor.area_m2 * 1000) // 10**6):
        _put(draws, plan, floor, low=False)
    return plan.scene(
        generator="random_posts",
        seed=seed,
        options={"density": density, "low_boxes": low_boxes},
        name=name,
        title=f"{len(plan.posts)} posts and {len(plan.boxes) + len(plan.walls) - 4} other things",
        start=(*start, draws.between(-45, 45, 5)),
        goal=goal,
        time_limit_s=60 + floor.x1 // 200,
        skills=("stop_before", "go_around", "route"),
    )


def _put(draws: Draws, plan: Plan, floor: Rect, *, low: bool) -> None:
    """Put down one thing where one of a few draws keeps the gap."""
    kind = 6 if low else draws.below(10)
    for _ in range(TRIES):
        x, y = (draws.between(0, most, 10) for most in floor[2:])
        if kind < 6:
            disc = Disc(x, y, draws.between(20, 150, 5))
            if plan.is_free(disc, GAP_MM):
                plan.post(disc)
                return
        elif kind < 9:
            size = (draws.between(100, 400, 10), draws.between(100, 400, 10))
            if plan.is_free(Disc(x, y, box_radius(size)), GAP_MM):
                height = LOW_HEIGHT_MM if low else draws.between(300, 700, 50)
                plan.box((x, y), size, draws.between(-90, 90, 5), height)
                return
        else:
            dx, dy = (2 * draws.between(-350, 350, 10) for _ in range(2))
            size = (abs(dx) + abs(dy), WALL_THICKNESS_MM)  # longer than the wall, if anything
            if size[0] >= 200 and plan.is_free(Disc(x, y, box_radius(size)), GAP_MM):
                plan.screen((x - dx // 2, y - dy // 2), (x + dx // 2, y + dy // 2))
                return
