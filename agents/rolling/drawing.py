"""What a viewer may draw of a rolling map: increment, cells by age, and what was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids.corridor import Corridor
from kinewright_env.grids.rolling import FrameResult
from kinewright_env.layers import GridLayer, Layer, PointsLayer, PolylineLayer, TextLayer

if TYPE_CHECKING:
    from .obstacle_map import RollingObstacleMap

INCREMENT: Final = "current increment"
OCCUPANCY: Final = "rolling map"
CORRIDOR: Final = "corridor"
CORRIDOR_COLORS: Final = {"threat": (190, 30, 30), "not_threat": (40, 130, 60)}
UNKNOWN_COLOR: Final = (120, 120, 120)
INCREMENT_COLOR: Final = (200, 60, 20)
AGE_SHADES: Final = 6
# Transparent, a current cell, then retained cells from young to old.
PALETTE: Final = np.array(
    [
        (0, 0, 0, 0),
        (40, 70, 160, 200),
        *((70 + 12 * i, 105 + 10 * i, 190 + 4 * i, 200 - 12 * i) for i in range(AGE_SHADES)),
    ],
    np.uint8,
)


def layers_of(
    obstacles: RollingObstacleMap,
    increment_m: NDArray[np.float64],
    result: FrameResult | None,
    corridor: Corridor | None,
) -> tuple[Layer, ...]:
    """Return the layers of a frame: the exact points that arrived, and the cells that stand.

    The boxes of the cells and the pieces of the corridor are those that are tested. The
    increment is no complete scan: what stands and was published before is absent from it.
    """
    if result is None:
        return ()
    color = CORRIDOR_COLORS["threat"] if result.is_threat else UNKNOWN_COLOR
    color = CORRIDOR_COLORS.get(result.answer, color)
    outlines = () if corridor is None else corridor.outlines_m()
    n_points = len(increment_m)
    active, current = result.counts["active_cells"], result.counts["current_cells"]
    text = (
        f"{INCREMENT}: {n_points} points; {OCCUPANCY}: {active} cells, {current} of them current; "
        f"{result.answer}"
    )
    points = tuple((x_m, y_m) for x_m, y_m in increment_m[:, :2].tolist())
    return (
        *(
            PolylineLayer(name=CORRIDOR, points_m=piece, color=color, closed=True, width_px=1)
            for piece in outlines
        ),
        *_cells_from_above(obstacles),
        PointsLayer(name=INCREMENT, points_m=points, color=INCREMENT_COLOR, radius_px=1),
        TextLayer(name="rolling", text=text),
    )


def _cells_from_above(obstacles: RollingObstacleMap) -> tuple[Layer, ...]:
    """Return the columns of cells, each as its youngest one."""
    cells, ages_ns = obstacles.cells()
    if not len(cells):
        return ()
    low = cells[:, :2].min(axis=0)
    n_cols, n_rows = (cells[:, :2].max(axis=0) - low + 1).tolist()
    retention_ns = max(obstacles.bounds.to_dict()["retention_ns"], 1)
    shades = 2 + np.minimum(ages_ns * AGE_SHADES // retention_ns, AGE_SHADES - 1)
    shades = np.where(cells[:, 3] == 0, 1, shades)
    values = np.zeros((n_rows, n_cols), np.uint8)
    youngest_last = np.argsort(-ages_ns, kind="stable")  # of one column it stays
    cols, rows = (cells[youngest_last, :2] - low).T
    values[rows, cols] = shades[youngest_last]
    voxel_m = obstacles.bounds.voxel_m
    return (
        GridLayer(
            name=OCCUPANCY,
            x0_m=float(low[0] * voxel_m),
            y0_m=float(low[1] * voxel_m),
            cell_m=voxel_m,
            values=values,
            palette=PALETTE,
        ),
    )
