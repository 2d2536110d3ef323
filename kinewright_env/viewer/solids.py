"""The outlines of a scene's solids as the viewer draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..scene import Scene

Floats = NDArray[np.float64]


class Outlines:
    """Every solid of a scene, by its index: corners of the flat-sided, centres of the round.

    Attributes
    ----------
    corners_m : (n, 4, 2) float64
        Corners, counter-clockwise; of a post those of the square around it.
    radius_m : (n,) float64
        Radius of a post, 0 for the others.
    height_m : (n,) float64
    names : tuple of str
    """

    def __init__(self, scene: Scene) -> None:
        walls = np.array(
            [(*wall.from_m, *wall.to_m, wall.thickness_m) for wall in scene.walls]
        ).reshape(-1, 5)
        boxes = np.array(
            [(*box.center_m, *box.size_m, box.heading_deg) for box in scene.boxes]
        ).reshape(-1, 5)
        posts = np.array([(*post.center_m, post.radius_m) for post in scene.posts]).reshape(-1, 3)

        way = walls[:, 2:4] - walls[:, 0:2]
        square = np.zeros(len(posts))
        center = np.concatenate([(walls[:, 0:2] + walls[:, 2:4]) / 2, boxes[:, 0:2], posts[:, 0:2]])
        heading = np.concatenate(
            [np.arctan2(way[:, 1], way[:, 0]), np.radians(boxes[:, 4]), square]
        )
        half_length = np.concatenate([np.hypot(*way.T), boxes[:, 2], 2 * posts[:, 2]]) / 2
        half_width = np.concatenate([walls[:, 4], boxes[:, 3], 2 * posts[:, 2]]) / 2

        along = np.stack([np.cos(heading), np.sin(heading)], axis=1) * half_length[:, None]
        across = np.stack([-np.sin(heading), np.cos(heading)], axis=1) * half_width[:, None]
        self.corners_m: Floats = center[:, None, :] + np.stack(
            [-along - across, along - across, along + across, across - along], axis=1
        )
        self.center_m: Floats = center
        self.radius_m: Floats = np.concatenate([np.zeros(len(walls) + len(boxes)), posts[:, 2]])
        self.height_m: Floats = np.array([solid.height_m for solid in scene.solids], dtype=float)
        self.names: tuple[str, ...] = tuple(solid.name for solid in scene.solids)
        self._places = self._named_places(scene)

    def bounds_m(self) -> tuple[float, float, float, float]:
        """Return x0, y0, x1, y1 around all solids, the start and the goals."""
        points = np.concatenate([self.corners_m.reshape(-1, 2), self._places])
        (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return x0, y0, x1, y1

    @staticmethod
    def _named_places(scene: Scene) -> Floats:
        start = np.array([scene.start.x_m, scene.start.y_m])
        around = [start + 0.4, start - 0.4]
        for goal in scene.goals:
            place = np.array([goal.x_m, goal.y_m])
            around += [place + goal.radius_m, place - goal.radius_m]
        return np.array(around)
