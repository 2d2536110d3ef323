"""What is so in a scene: whether a disc can go from start to goal, and how wide the way is.

Exact, on the declared outlines, without a grid. Every solid is convex. Two of them close the
way of a disc between them when the gap from one to the other is no wider than the disc; a
chain of solids so closed that runs round the start but not round the goal, or the reverse,
parts the two. By duality of the plane that is also the only way to part them (Eilenberg's
criterion: two points lie in one component of the complement of a compact set exactly when
no closed curve in it winds differently about them), and since the solids are convex, closed
walks along gaps show every such curve (nerve theorem).

So gaps are closed in order of their width, and union and find keeps for each solid how
often the walk to it from its root has wound about the start more than about the goal. The
first gap whose two ends are joined already and disagree is the bottleneck: the narrowest
place of the widest way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .scene_geometry import solid_bounds, solid_rectangle
from .scene_parts import Point, Post
from .shells import SHELLS

if TYPE_CHECKING:
    from .scene import Scene

__all__ = ["body_width_m", "truth_of", "widest_way_m"]

BODY_CLEARANCE_M: Final = 0.05
"""What a body keeps to either side of it (avoidance.md, route.md: 0.156 m in all)."""
TOUCH_M: Final = 1e-9
"""Solids no farther apart than this touch: not even a point gets through."""
WIDEST_M: Final = 1.0
"""A way is not told from a wider one beyond this."""
PAIRS_AT_ONCE: Final = 2**14
"""So that a map of very many solids needs no more memory than its pairs."""
DECIMALS: Final = 6
"""Places kept of a gap, metres: a micrometre."""

Float = NDArray[np.float64]
Flags = NDArray[np.bool_]


def body_width_m() -> float:
    """Return the width that a body needs: its inscribed disc and the clearance to each side."""
    return 2.0 * (max(shell.inscribed_radius_m for shell in SHELLS.values()) + BODY_CLEARANCE_M)


def truth_of(scene: Scene) -> tuple[str, float | None]:
    """Return the truth of a scene with one goal, and the gap's width where it is too narrow.

    Of the solids that are there at the start, for a body whose centre is at the start's place.

    Returns
    -------
    truth : str
        ``at_goal`` where the body's disc gets through, ``no_way_for_body`` where a point
        does, else ``no_way``.
    gap_m : float or None
        The narrowest place of the widest way, of ``no_way_for_body`` alone.
    """
    goal = scene.goals[-1]
    width_m = widest_way_m(scene, (scene.start.x_m, scene.start.y_m), (goal.x_m, goal.y_m))
    if width_m <= TOUCH_M:
        return "no_way", None
    if width_m < body_width_m():
        return "no_way_for_body", round(width_m, DECIMALS)
    return "at_goal", None


def widest_way_m(scene: Scene, start_m: Point, goal_m: Point) -> float:
    """Return the greatest width of a disc that can go from one place to another.

    Parameters
    ----------
    scene : Scene
        The solids that are there at a drive's start count, of whatever height.
    start_m, goal_m : (x, y)
        In `map`.

    Returns
    -------
    float
        Metres: what is narrower gets through, what is as wide does not. 0 where not even a
        point does, and `WIDEST_M` at the most.
    """
    corners, radii = _outlines(scene)
    room_m = 2.0 * min(_clearance_m(corners, radii, place) for place in (start_m, goal_m))
    first, second = _near_pairs(scene)
    centres = corners.mean(axis=1)
    gap_m, turns = np.empty(len(first)), np.empty(len(first), np.int64)
    for k in range(0, len(first), PAIRS_AT_ONCE):
        part = slice(k, k + PAIRS_AT_ONCE)
        a, b = first[part], second[part]
        gap_m[part], p, q = _gaps(corners[a], radii[a], corners[b], radii[b])
        walk = np.stack((centres[a], p, q, centres[b]), axis=1)
        turns[part] = _crossings(walk, start_m) - _crossings(walk, goal_m)
    order = np.lexsort((second, first, gap_m))
    least_m = min(room_m, WIDEST_M)
    roots = _Roots(len(corners))
    for k in order.tolist():
        if gap_m[k] >= least_m:
            break
        if not roots.join(int(first[k]), int(second[k]), int(turns[k])):
            least_m = float(gap_m[k])
    return least_m if least_m > TOUCH_M else 0.0


class _Roots:
    """Union and find over solids; `turn[i]` is what the walk from i's parent to i has wound."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.turn = [0] * n

    def find(self, i: int) -> tuple[int, int]:
        """Return the root of a solid, and what the walk from there to it has wound."""
        turn = 0
        while self.parent[i] != i:
            up = self.parent[i]
            self.parent[i] = self.parent[up]  # halves the walk for the next time
            self.turn[i] += self.turn[up]  # 0 at a root
            turn += self.turn[i]
            i = self.parent[i]
        return i, turn

    def join(self, i: int, j: int, turn: int) -> bool:
        """Join two by a walk from i to j; whether it agrees with the walks that join them."""
        (root_i, turn_i), (root_j, turn_j) = self.find(i), self.find(j)
        if root_i == root_j:
            return turn_i + turn == turn_j
        self.parent[root_j], self.turn[root_j] = root_i, turn_i + turn - turn_j
        return True


def _outlines(scene: Scene) -> tuple[Float, Float]:
    """Return (n, 4, 2) corners and (n,) radii: a post is one point, grown by its radius.

    A solid that is absent at the start lies nowhere: its corners are infinite.
    """
    absent = scene.absent_at_start()
    corners, radii = np.empty((len(scene.solids), 4, 2)), np.zeros(len(scene.solids))
    for i, solid in enumerate(scene.solids):
        if solid.name in absent:
            corners[i] = np.inf
        elif isinstance(solid, Post):
            corners[i], radii[i] = solid.center_m, solid.radius_m
        else:
            outline = solid_rectangle(solid)
            corners[i] = [outline.at(*at) for at in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return corners, radii


def _near_pairs(scene: Scene) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of present solids whose bounds are less than `WIDEST_M` apart."""
    absent = scene.absent_at_start()
    there = np.flatnonzero([solid.name not in absent for solid in scene.solids])
    bounds = solid_bounds(scene)[there]
    # by their left edges: those that follow a solid and begin before its reach ends
    order = np.argsort(bounds[:, 0], kind="stable")
    low, high = bounds[order, :2], bounds[order, 2:]
    after = np.searchsorted(low[:, 0], high[:, 0] + WIDEST_M) - np.arange(len(order)) - 1
    first = np.repeat(np.arange(len(order)), after)
    second = np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after) + first + 1
    apart = np.maximum(np.maximum(low[first] - high[second], low[second] - high[first]), 0.0)
    near = (apart * apart).sum(axis=1) < WIDEST_M * WIDEST_M
    a, b = there[order[first[near]]], there[order[second[near]]]
    return np.minimum(a, b), np.maximum(a, b)


def _to_edges(points: Float, corners: Float) -> tuple[Float, Float]:
    """Return for each point and edge the edge's nearest place and the squared distance.

    points (m, k, 2), corners (m, 4, 2); places (m, k, 4, 2), distances (m, k, 4).
    """
    a = corners[:, np.newaxis]
    along = np.roll(corners, -1, axis=1)[:, np.newaxis] - a
    to_point = points[:, :, np.newaxis] - a
    length2 = (along * along).sum(axis=-1)
    share = (to_point * along).sum(axis=-1) / np.where(length2 > 0.0, length2, 1.0)
    places = a + np.clip(share, 0.0, 1.0)[..., np.newaxis] * along
    off = points[:, :, np.newaxis] - places
    return places, (off * off).sum(axis=-1)


def _inside(points: Float, corners: Float) -> Flags:
    """Return (m, k): which points lie in the rectangle, whose corners run to the left."""
    along = (np.roll(corners, -1, axis=1) - corners)[:, np.newaxis]
    to_point = points[:, :, np.newaxis] - corners[:, np.newaxis]
    left = along[..., 0] * to_point[..., 1] - along[..., 1] * to_point[..., 0]
    is_point = ~along.any(axis=(-1, -2))
    within: Flags = np.logical_and((left >= 0.0).all(axis=-1), ~is_point)
    return within


def _edge_crossings(a: Float, b: Float) -> tuple[Flags, Float]:
    """Return (m, 16): which edges of two rectangles cross, and (m, 16, 2) where."""
    m = len(a)
    along_a = (np.roll(a, -1, axis=1) - a)[:, :, np.newaxis]
    along_b = (np.roll(b, -1, axis=1) - b)[:, np.newaxis]
    apart = b[:, np.newaxis] - a[:, :, np.newaxis]

    def cross(u: Float, v: Float) -> Float:
        turned: Float = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
        return turned

    slant = cross(along_a, along_b)
    divisor = np.where(slant != 0.0, slant, 1.0)
    share_a, share_b = cross(apart, along_b) / divisor, cross(apart, along_a) / divisor
    meet = (slant != 0.0) & (share_a >= 0.0) & (share_a <= 1.0)
    meet &= (share_b >= 0.0) & (share_b <= 1.0)
    places = a[:, :, np.newaxis] + share_a[..., np.newaxis] * along_a
    return meet.reshape(m, 16), places.reshape(m, 16, 2)


def _gaps(a: Float, radius_a: Float, b: Float, radius_b: Float) -> tuple[Float, Float, Float]:
    """Return (m,) the gap of each pair, and (m, 2) its two ends, one place where they overlap."""
    m, rows = len(a), np.arange(len(a))
    on_b, to_b2 = _to_edges(a, b)
    on_a, to_a2 = _to_edges(b, a)
    p = np.concatenate((np.repeat(a, 4, axis=1), on_a.reshape(m, 16, 2)), axis=1)
    q = np.concatenate((on_b.reshape(m, 16, 2), np.repeat(b, 4, axis=1)), axis=1)
    meet, at = _edge_crossings(a, b)
    in_both = np.concatenate((_inside(a, b), _inside(b, a), meet), axis=1)
    common = np.concatenate((a, b, at), axis=1)
    best = np.argmin(np.concatenate((to_b2.reshape(m, 16), to_a2.reshape(m, 16)), axis=1), axis=1)
    p, q = p[rows, best], q[rows, best]
    shared = common[rows, np.argmax(in_both, axis=1)]
    overlap = np.any(in_both, axis=1, keepdims=True)
    p, q = np.where(overlap, shared, p), np.where(overlap, shared, q)
    away = q - p
    apart = np.sqrt((away * away).sum(axis=1))
    towards = away / np.where(apart > 0.0, apart, 1.0)[:, np.newaxis]
    grown_a = np.minimum(radius_a, apart)
    grown_b = np.minimum(radius_b, apart - grown_a)
    p = p + towards * grown_a[:, np.newaxis]
    q = q - towards * grown_b[:, np.newaxis]
    return np.maximum(apart - radius_a - radius_b, 0.0), p, q


def _clearance_m(corners: Float, radii: Float, place: Point) -> float:
    """Return the distance of a place from the nearest solid, infinite where there is none."""
    there = np.isfinite(corners[:, 0, 0])
    corners, radii = corners[there], radii[there]
    if not len(corners):
        return float("inf")
    points = np.broadcast_to(np.array(place), (len(corners), 1, 2))
    _, apart2 = _to_edges(points, corners)
    apart = np.sqrt(apart2.min(axis=(1, 2))) - radii
    return float(np.where(_inside(points, corners)[:, 0], 0.0, np.maximum(apart, 0.0)).min())


def _crossings(walk: Float, place: Point) -> NDArray[np.int64]:
    """Return how often each walk crosses the ray from a place towards x, upward less downward.

    walk (m, k, 2). A corner at the ray's own height counts as above it. Which side of the
    place an edge crosses on is a question of sign that rounding cannot touch: the edge keeps
    farther from the place than half its gap's width.
    """
    off = walk - np.array(place)
    above = off[..., 1] >= 0.0
    a, b = off[:, :-1], off[:, 1:]
    up = above[:, 1:] & ~above[:, :-1]
    down = above[:, :-1] & ~above[:, 1:]
    left = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    ahead = np.where(up, left > 0.0, left < 0.0)
    low, high = np.minimum(a[..., 0], b[..., 0]), np.maximum(a[..., 0], b[..., 0])
    ahead = (low > 0.0) | (ahead & (high > 0.0))
    crossed: NDArray[np.int64] = ((up & ahead).astype(np.int64) - (down & ahead)).sum(axis=1)
    return crossed
