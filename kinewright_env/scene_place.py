"""Where a scene puts things: the start's body against the solids, the goals against the room."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .scene_geometry import Rectangle, body_rectangle, overlaps, solid_bounds
from .scene_parts import Solid
from .shells import SHELLS, Shell

if TYPE_CHECKING:
    from .scene import Scene


def start_faults(scene: Scene) -> Iterator[tuple[str, Shell, Solid]]:
    """Find where a body would stand in a solid.

    A body that touches is in contact, so it counts. Only solids that are there at a drive's
    start count for the start, and only those that no change names for a kidnap.

    Yields
    ------
    key : str
        ``start`` or ``change[i].pose``.
    shell : Shell
        The scene's own, or each of the declared ones where it names none.
    solid : Solid
        The first one met, in the order of `Scene.solids`.
    """
    shells = [SHELLS[scene.shell]] if scene.shell else list(SHELLS.values())
    absent = scene.absent_at_start()
    changed = frozenset(change.solid for change in scene.changes)
    places = [("start", scene.start, absent)]
    places += [
        (f"change[{i}].pose", change.pose, changed)
        for i, change in enumerate(scene.changes, 1)
        if change.pose is not None
    ]
    bounds = solid_bounds(scene)
    for key, pose, ignored in places:
        for shell in shells:
            solid = _met(scene.solids, bounds, body_rectangle(shell, pose), ignored)
            if solid is not None:
                yield key, shell, solid


def goal_faults(scene: Scene) -> Iterator[tuple[str, str]]:
    """Find goals that lie in a solid, or outside the room.

    The room is the least upright rectangle about all solids; a scene without solids has none.

    Yields
    ------
    key : str
        ``goal[i]``, counted from 1.
    reason : str
        What is odd about it.
    """
    if not scene.solids:
        return
    bounds = solid_bounds(scene)
    low, high = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
    absent = scene.absent_at_start()
    for i, goal in enumerate(scene.goals, 1):
        point = Rectangle(goal.x_m, goal.y_m, 1.0, 0.0, 0.0, 0.0)
        solid = _met(scene.solids, bounds, point, absent)
        if solid is not None:
            yield f"goal[{i}]", f"lies in the solid {solid.name!r}"
        elif not (low[0] < goal.x_m < high[0] and low[1] < goal.y_m < high[1]):
            yield f"goal[{i}]", "lies outside the room"


def _met(
    solids: Sequence[Solid], bounds: NDArray[np.float64], body: Rectangle, ignored: Collection[str]
) -> Solid | None:
    """Return the first solid that a rectangle overlaps or touches."""
    reach = sqrt(body.half_length_m**2 + body.half_width_m**2) + 1e-9
    x, y = body.x_m, body.y_m
    near = (bounds[:, 0] <= x + reach) & (bounds[:, 2] >= x - reach)
    near &= (bounds[:, 1] <= y + reach) & (bounds[:, 3] >= y - reach)
    for i in np.flatnonzero(near).tolist():
        solid: Solid = solids[i]
        if solid.name not in ignored and overlaps(solid, body):
            return solid
    return None
