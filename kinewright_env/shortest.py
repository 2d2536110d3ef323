"""The shortest way to a goal past a scene's solids: what progress is measured along."""

from __future__ import annotations

import math

from .core import SceneCore

CELL_M = 0.025  # finest grid; doubled until a scene has no more cells than this
CELLS_MOST = 2**20
MARGIN_M = 1.0  # free ground around everything declared


class ShortestWay:
    """Length of the shortest way to one goal, from anywhere in a scene.

    Fast marching on a grid (first order), for a disc of the body's inscribed radius among
    the solids that are there at the start; between cell centres it is interpolated.

    Parameters
    ----------
    core : SceneCore
        The solids.
    disc_radius_m : float
        Of the disc whose centre goes the way.
    goal_m : (x, y)
        In `map`.
    places_m : list of (x, y)
        What the grid must cover beside the solids and the goal: where drives start.
    """

    def __init__(
        self,
        core: SceneCore,
        disc_radius_m: float,
        goal_m: tuple[float, float],
        places_m: list[tuple[float, float]],
    ) -> None:
        places = [*places_m, goal_m]
        for x_m, y_m, cosine, sine, half_length_m, half_width_m, _ in core.outlines().tolist():
            reach_x_m = abs(cosine) * half_length_m + abs(sine) * half_width_m
            reach_y_m = abs(sine) * half_length_m + abs(cosine) * half_width_m
            places += [(x_m - reach_x_m, y_m - reach_y_m), (x_m + reach_x_m, y_m + reach_y_m)]
        self._x0_m = min(place[0] for place in places) - MARGIN_M
        self._y0_m = min(place[1] for place in places) - MARGIN_M
        width_m = max(place[0] for place in places) + MARGIN_M - self._x0_m
        height_m = max(place[1] for place in places) + MARGIN_M - self._y0_m
        cell_m = CELL_M
        while math.ceil(width_m / cell_m) * math.ceil(height_m / cell_m) > CELLS_MOST:
            cell_m *= 2
        self.cell_m = cell_m
        self._n_rows = math.ceil(height_m / cell_m)
        self._n_columns = math.ceil(width_m / cell_m)
        field = core.shortest(
            disc_radius_m,
            (self._x0_m, self._y0_m),
            cell_m,
            (self._n_rows, self._n_columns),
            goal_m,
        )
        self._length_m = field.ravel()

    def length_m(self, x_m: float, y_m: float) -> float:
        """Return the length from a place, metres; `inf` where there is no way."""
        across = (x_m - self._x0_m) / self.cell_m - 0.5
        up = (y_m - self._y0_m) / self.cell_m - 0.5
        column, row = math.floor(across), math.floor(up)
        if not (0 <= column < self._n_columns - 1 and 0 <= row < self._n_rows - 1):
            return math.inf
        low, item = row * self._n_columns + column, self._length_m.item
        high = low + self._n_columns
        corners = (item(low), item(low + 1), item(high), item(high + 1))
        across -= column
        up -= row
        below_m = corners[0] + (corners[1] - corners[0]) * across
        above_m = corners[2] + (corners[3] - corners[2]) * across
        length_m = below_m + (above_m - below_m) * up
        if length_m < math.inf:  # neither infinite nor, from two infinite corners, NaN
            return length_m
        return self._beside_closed(corners, across, up)

    def _beside_closed(self, corners: tuple[float, ...], across: float, up: float) -> float:
        """Return the least way by a corner's cell that is open, `inf` where none is."""
        best_m = math.inf
        for corner, length_m in enumerate(corners):
            dx, dy = across - (corner & 1), up - (corner >> 1)
            best_m = min(best_m, length_m + math.sqrt(dx * dx + dy * dy) * self.cell_m)
        return best_m
