"""A floor plan in whole millimetres, and the scene that it makes, its truth worked out.

Whole numbers, so that a scene's decimals are exact and every choice is the same everywhere.
What stands freely is kept apart by the disc around it; so gaps are at least what was asked
for, whichever way a box is turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isqrt
from typing import Final, NamedTuple

from ..scene import Scene, load_scene
from ..scene_check import FORMAT, GOAL_RADIUS_M
from ..scene_parts import Box, Goal, Post, Start, Wall
from ..scene_truth import truth_of
from .draws import Draws

WALL_THICKNESS_MM: Final = 50
WALL_HEIGHT_MM: Final = 400
POST_HEIGHT_MM: Final = 600
NARROW_MM: Final = (200, 290)
"""Openings that are no way: a scanner with 1 % of noise must tell them from closed ones, and
the body needs 312 mm (scenes.md: doorways at most 0.29 m or at least 0.50 m)."""
WIDE_LEAST_MM: Final = 500
START_ROOM_MM: Final = 750
"""Free about `base_link` at the start, so that a shell can turn as it likes."""
GOAL_ROOM_MM: Final = 550
"""Free about a goal. More than 312 mm, so that all of the goal is one place for the disc."""
DOOR_ROOM_MM: Final = 900
"""Free before and behind a doorway's middle, but for the wall that it is in."""
OPENING_STEP_MM: Final = 10

Place = tuple[int, int]

_EIGHTHS: Final = (
    (1000, 0), (707, 707), (0, 1000), (-707, 707), (-1000, 0), (-707, -707), (0, -1000),
    (707, -707),
)  # fmt: skip


class Rect(NamedTuple):
    """An upright rectangle, millimetres in `map`."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area_m2(self) -> float:
        """Area in square metres."""
        return (self.x1 - self.x0) * (self.y1 - self.y0) / 1e6

    def inset(self, by: int) -> Rect:
        """Return the rectangle with each side moved inwards."""
        return Rect(self.x0 + by, self.y0 + by, self.x1 - by, self.y1 - by)

    def apart2(self, x: int, y: int) -> int:
        """Return the squared distance of a place, 0 inside."""
        dx, dy = max(self.x0 - x, x - self.x1, 0), max(self.y0 - y, y - self.y1, 0)
        return dx * dx + dy * dy


class Disc(NamedTuple):
    """A disc, millimetres in `map`."""

    x: int
    y: int
    radius: int


class Opening(NamedTuple):
    """An opening of a wall: its middle along the wall's line, and its width."""

    middle: int
    width: int


class Plan:
    """Solids as they are put down; each kind in the order of its numbers."""

    def __init__(self) -> None:
        self.walls: list[Wall] = []
        self.boxes: list[Box] = []
        self.posts: list[Post] = []
        self._rects: list[Rect] = []
        self._discs: list[Disc] = []
        self._kept: list[Disc] = []

    # ---- Walls ----

    def wall(self, name: str, start: Place, end: Place) -> None:
        """Put down a wall along one of the axes."""
        self.walls.append(_wall(name, start, end))
        (x0, y0), (x1, y1) = start, end
        across = WALL_THICKNESS_MM // 2
        dx, dy = (0, across) if y0 == y1 else (across, 0)
        self._rects.append(
            Rect(min(x0, x1) - dx, min(y0, y1) - dy, max(x0, x1) + dx, max(y0, y1) + dy)
        )

    def wall_with_openings(
        self, name: str, start: Place, end: Place, openings: Iterable[Opening]
    ) -> None:
        """Put down the parts of a wall from left to right, or from below, between openings."""
        level = start[1] == end[1]
        ahead, line = (0, start[1]) if level else (1, start[0])
        ends = [start[ahead]]
        for opening in sorted(openings):
            low = opening.middle - opening.width // 2
            ends += [low, low + opening.width]
            at = (opening.middle, line) if level else (line, opening.middle)
            self.keep(at, DOOR_ROOM_MM)
        ends.append(end[ahead])
        parts = list(zip(ends[::2], ends[1::2], strict=True))
        for i, (low, high) in enumerate(parts, 1):
            part = name if len(parts) == 1 else f"{name}, part {i}"
            if level:
                self.wall(part, (low, line), (high, line))
            else:
                self.wall(part, (line, low), (line, high))

    def enclose(self, rect: Rect, prefix: str = "") -> None:
        """Put down the four walls along a rectangle's sides."""
        x0, y0, x1, y1 = rect
        self.wall(f"{prefix}south wall", (x0, y0), (x1, y0))
        self.wall(f"{prefix}east wall", (x1, y0), (x1, y1))
        self.wall(f"{prefix}north wall", (x1, y1), (x0, y1))
        self.wall(f"{prefix}west wall", (x0, y1), (x0, y0))

    # ---- What stands freely ----

    def keep(self, place: Place, radius: int) -> None:
        """Keep a disc free of what is put down later."""
        self._kept.append(Disc(*place, radius))

    def clears(self, disc: Disc, gap: int) -> bool:
        """Whether a disc keeps a gap to every solid."""
        x, y, radius = disc
        reach2 = (radius + gap) ** 2
        return all(rect.apart2(x, y) >= reach2 for rect in self._rects) and all(
            _apart2(disc, other) >= (radius + other.radius + gap) ** 2 for other in self._discs
        )

    def is_free(self, disc: Disc, gap: int) -> bool:
        """Whether a disc keeps a gap to every solid, and out of what is kept free."""
        reach = disc.radius
        return self.clears(disc, gap) and all(
            _apart2(disc, other) >= (reach + other.radius) ** 2 for other in self._kept
        )

    def post(self, disc: Disc) -> None:
        """Put down a post."""
        self.posts.append(
            Post(
                name=f"post {len(self.posts) + 1}",
                center_m=(disc.x / 1000, disc.y / 1000),
                radius_m=disc.radius / 1000,
                height_m=POST_HEIGHT_MM / 1000,
            )
        )
        self._discs.append(disc)

    def box(
        self, center: Place, size: tuple[int, int], heading_deg: int, height: int, name: str = "box"
    ) -> None:
        """Put down a box that stands freely."""
        self._box(center, size, heading_deg, height, name)
        self._discs.append(Disc(*center, box_radius(size)))

    def screen(self, start: Place, end: Place) -> None:
        """Put down a wall that stands freely, turned as it may be."""
        self.walls.append(_wall(f"screen {len(self.walls) + 1}", start, end))
        (x0, y0), (x1, y1) = start, end
        size = (isqrt((x1 - x0) ** 2 + (y1 - y0) ** 2) + 1, WALL_THICKNESS_MM)
        self._discs.append(Disc((x0 + x1) // 2, (y0 + y1) // 2, box_radius(size) + 1))

    def cupboard(self, rect: Rect, height: int, gap: int) -> bool:
        """Put down an upright box that touches other solids, or keeps a gap; whether it fits."""
        for other in self._rects:
            dx = max(rect.x0 - other.x1, other.x0 - rect.x1, 0)
            dy = max(rect.y0 - other.y1, other.y0 - rect.y1, 0)
            if 0 < dx * dx + dy * dy < gap * gap:
                return False
        for disc in self._discs:
            if rect.apart2(disc.x, disc.y) < (disc.radius + gap) ** 2:
                return False
        if any(rect.apart2(disc.x, disc.y) < disc.radius**2 for disc in self._kept):
            return False
        size = (rect.x1 - rect.x0, rect.y1 - rect.y0)
        center = ((rect.x0 + rect.x1) // 2, (rect.y0 + rect.y1) // 2)
        self._box(center, size, 0, height, "cupboard")
        self._rects.append(rect)
        return True

    def _box(
        self, center: Place, size: tuple[int, int], heading_deg: int, height: int, name: str
    ) -> None:
        self.boxes.append(
            Box(
                name=f"{name} {len(self.boxes) + 1}",
                center_m=(center[0] / 1000, center[1] / 1000),
                size_m=(size[0] / 1000, size[1] / 1000),
                heading_deg=float(heading_deg),
                height_m=height / 1000,
            )
        )

    # ---- The scene ----

    def place(self, draws: Draws, room: Rect, radius: int) -> Place:
        """Return where in a room a disc is free, its middle where none of 64 draws is."""
        inner = room.inset(radius + WALL_THICKNESS_MM // 2)
        middle = ((room.x0 + room.x1) // 2, (room.y0 + room.y1) // 2)
        if inner.x0 > inner.x1 or inner.y0 > inner.y1:
            return middle
        for _ in range(64):
            at = (draws.between(inner.x0, inner.x1, 10), draws.between(inner.y0, inner.y1, 10))
            if self.clears(Disc(*at, radius), 0):
                return at
        return middle

    def scene(
        self,
        *,
        generator: str,
        seed: int,
        options: Mapping[str, int | float],
        name: str,
        title: str,
        start: tuple[int, int, int],
        goal: Place,
        time_limit_s: int,
        skills: tuple[str, ...] = ("route",),
    ) -> Scene:
        """Return the scene, checked, with its truth; the start is x mm, y mm, heading deg."""
        x, y, heading_deg = start
        scene = Scene(
            format=FORMAT,
            name=name,
            title=title,
            time_limit_s=float(time_limit_s),
            start=Start(x_m=x / 1000, y_m=y / 1000, heading_deg=float(heading_deg)),
            goals=(Goal(x_m=goal[0] / 1000, y_m=goal[1] / 1000, radius_m=GOAL_RADIUS_M),),
            walls=tuple(self.walls),
            boxes=tuple(self.boxes),
            posts=tuple(self.posts),
            skills=skills,
            source={"generator": generator, "seed": str(seed), **options},
        )
        truth, gap_m = truth_of(scene)
        return load_scene(replace(scene, truth=truth, truth_gap_m=gap_m))


def box_radius(size: tuple[int, int]) -> int:
    """Return the radius of a disc about a box, rounded up."""
    return (isqrt(size[0] ** 2 + size[1] ** 2) + 2) // 2


def open_heading_deg(draws: Draws, at: Place, room: Rect, least: int = 1200) -> int:
    """Return one of the eight headings with that much of the room ahead, else the longest."""
    ways = [_way_ahead(at, room, step) for step in _EIGHTHS]
    fair = [i for i, way in enumerate(ways) if way >= least] or [ways.index(max(ways))]
    eighth = draws.pick(fair)
    return 45 * eighth if eighth <= 4 else 45 * eighth - 360


def opening_width(draws: Draws, narrow: bool, wide: tuple[int, int]) -> int:
    """Return the width of an opening, one that is no way or one from `wide`."""
    low, high = NARROW_MM if narrow else wide
    return draws.between(low, high, OPENING_STEP_MM)


def _way_ahead(at: Place, room: Rect, step: Place) -> int:
    """Return how far a place is from the room's sides in a direction of a thousand."""
    ways = []
    for here, low, high, ahead in (
        (at[0], room.x0, room.x1, step[0]),
        (at[1], room.y0, room.y1, step[1]),
    ):
        if ahead:
            ways.append((high - here if ahead > 0 else here - low) * 1000 // abs(ahead))
    return min(ways)


def _apart2(a: Disc, b: Disc) -> int:
    return (a.x - b.x) ** 2 + (a.y - b.y) ** 2


def _wall(name: str, start: Place, end: Place) -> Wall:
    return Wall(
        name=name,
        from_m=(start[0] / 1000, start[1] / 1000),
        to_m=(end[0] / 1000, end[1] / 1000),
        thickness_m=WALL_THICKNESS_MM / 1000,
        height_m=WALL_HEIGHT_MM / 1000,
    )
