"""What the window shows of the map and the plan: nothing is computed unless somebody looks."""

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import (
    BELIEF_CELL_UM,
    CELL_CHANGEABLE,
    CELL_PERMANENT,
    CELL_RELAXED,
    COPY_CELL_UM,
    Belief,
)
from kinewright_env.layers import (
    CirclesLayer,
    Color,
    GridLayer,
    LabelsLayer,
    Layer,
    PointsLayer,
    PolylineLayer,
    TextLayer,
)

from .course import Course
from .ground import Ground

NEVER_SEEN = (70, 74, 84, 110)
UNDECIDED = (150, 150, 150, 110)
FREE = (255, 255, 255, 0)
OCCUPIED = (35, 35, 45, 235)
PERMANENT = (10, 10, 90, 245)
CHANGEABLE_FREE = (250, 220, 120, 110)
CHANGEABLE_OCCUPIED = (200, 90, 20, 235)
RELAXED = (200, 160, 220, 140)

NEW: Color = (20, 110, 220)
OLD: Color = (170, 170, 180)
FRONTIER: Color = (200, 40, 160)
GAP: Color = (210, 30, 30)


def _belief_palette() -> NDArray[np.uint8]:
    """Return a colour for each value of `Belief.details`."""
    palette = np.zeros((32, 4), np.uint8)
    for value in range(32):
        kind, changeable = value & 3, value & CELL_CHANGEABLE
        permanent, relaxed = value & CELL_PERMANENT, value & CELL_RELAXED
        color = (NEVER_SEEN, UNDECIDED, FREE, OCCUPIED)[kind]
        if kind == 3:
            color = PERMANENT if permanent else CHANGEABLE_OCCUPIED if changeable else OCCUPIED
        elif changeable:
            color = RELAXED if relaxed else CHANGEABLE_FREE
        palette[value] = color
    return palette


def _price_palette() -> NDArray[np.uint8]:
    """Return a colour for each price: dear is red, lethal black, the cheapest is not seen."""
    prices = np.arange(256)
    palette = np.zeros((256, 4), np.uint8)
    palette[:, 0], palette[:, 1], palette[:, 2] = 220, 60, 40
    palette[:, 3] = np.clip((prices - 8) * 9, 0, 150)
    palette[0] = (0, 0, 0, 150)
    return palette


ROOM_COLORS = np.array(
    [
        (0, 0, 0, 0), (90, 170, 90, 90), (90, 130, 210, 90), (220, 160, 70, 90),
        (190, 100, 190, 90), (80, 180, 180, 90), (200, 110, 100, 90),
    ],
    np.uint8,
)  # fmt: skip
BELIEF_COLORS = _belief_palette()
PRICE_COLORS = _price_palette()


def belief_layer(belief: Belief) -> tuple[Layer, ...]:
    """Return the belief as it stands, cell by cell."""
    box = belief.observed
    if not box.n_rows:
        return ()
    values = belief.details(box.row0, box.col0, box.n_rows, box.n_cols)
    corner = (box.col0 * BELIEF_CELL_UM / 1e6, box.row0 * BELIEF_CELL_UM / 1e6)
    return (_grid("belief", corner, BELIEF_CELL_UM, values, BELIEF_COLORS),)


def price_layer(ground: Ground, unknown: str) -> tuple[Layer, ...]:
    """Return what the planner would pay for each cell."""
    row, col, n_rows, _ = ground.planner.box
    if not n_rows:
        return ()
    corner = (col * COPY_CELL_UM / 1e6, row * COPY_CELL_UM / 1e6)
    prices = ground.planner.cell_prices(unknown=unknown)
    return (_grid("cost", corner, COPY_CELL_UM, prices, PRICE_COLORS),)


def room_layer(belief: Belief) -> tuple[Layer, ...]:
    """Return the rooms, a colour each, with their areas."""
    rooms = belief.rooms()
    if not rooms.count:
        return ()
    values = np.where(rooms.labels > 0, 1 + (rooms.labels - 1) % (len(ROOM_COLORS) - 1), 0)
    corner = (rooms.box.col0 * COPY_CELL_UM / 1e6, rooms.box.row0 * COPY_CELL_UM / 1e6)
    grid = _grid("rooms", corner, COPY_CELL_UM, values.astype(np.uint8), ROOM_COLORS)
    middles, words = [], []
    for number, area_m2 in enumerate(rooms.areas_m2, start=1):
        rows, cols = np.nonzero(rooms.labels == number)
        row, col = int(rows.sum()) // len(rows), int(cols.sum()) // len(cols)
        middles.append((corner[0] + col * COPY_CELL_UM / 1e6, corner[1] + row * COPY_CELL_UM / 1e6))
        words.append(f"room {number}: {area_m2:.1f} m2")
    return grid, LabelsLayer(name="rooms", points_m=tuple(middles), labels=tuple(words))


def frontier_layer(belief: Belief) -> tuple[Layer, ...]:
    """Return the frontier cells."""
    points = tuple(
        _middle(row, col)
        for cluster in belief.frontiers()
        for row, col in zip(cluster.rows.tolist(), cluster.cols.tolist(), strict=True)
    )
    return (PointsLayer(name="frontiers", points_m=points, color=FRONTIER, radius_px=2),)


def course_layers(
    course: Course | None, before: Course | None, lookahead_um: int
) -> tuple[Layer, ...]:
    """Return the route in force, the one before it, and the place looked ahead to."""
    layers: list[Layer] = []
    if before is not None:
        layers.append(_line("old route", before, OLD))
    if course is not None:
        layers.append(_line("route", course, NEW))
        x, y = course.ahead_um(lookahead_um)
        layers.append(
            PointsLayer(name="lookahead", points_m=((x / 1e6, y / 1e6),), color=NEW, radius_px=5)
        )
    return tuple(layers)


def gap_layers(place_um: tuple[int, int], width_um: int) -> tuple[Layer, ...]:
    """Return the gap that is measured."""
    at = (place_um[0] / 1e6, place_um[1] / 1e6)
    return (
        CirclesLayer(
            name="gap", centers_m=(at,), radii_m=(max(width_um, 20_000) / 2e6,), color=GAP
        ),
        LabelsLayer(name="gap", points_m=(at,), labels=(f"{width_um / 1e6:.2f} m",), color=GAP),
    )


def words(name: str, text: str) -> tuple[Layer, ...]:
    """Return a line of text, none where it is empty."""
    return (TextLayer(name=name, text=text),) if text else ()


def _line(name: str, course: Course, color: Color) -> Layer:
    points = tuple(_middle(row, col) for row, col in course.cells.tolist())
    return PolylineLayer(name=name, points_m=points, color=color)


def _middle(row: int, col: int) -> tuple[float, float]:
    return (2 * col + 1) * COPY_CELL_UM / 2e6, (2 * row + 1) * COPY_CELL_UM / 2e6


def _grid(
    name: str,
    corner_m: tuple[float, float],
    cell_um: int,
    values: NDArray[np.uint8],
    palette: NDArray[np.uint8],
) -> GridLayer:
    return GridLayer(
        name=name,
        x0_m=corner_m[0],
        y0_m=corner_m[1],
        cell_m=cell_um / 1e6,
        values=values,
        palette=palette,
    )
