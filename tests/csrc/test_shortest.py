"""The shortest way of a disc against taut strings: straight, round corners, and by Dijkstra."""

import heapq
import math

import numpy as np
import pytest
import shapely

from kinewright_env.core import CoreError, SceneCore

WALL, BOX, POST = 0, 1, 2
RADIUS, CELL = 0.106, 0.025
ORIGIN, SHAPE = (-0.5, -0.5), (200, 200)


class Solids:
    """What SceneCore asks of a scene; a change is (action, solid) from the first tick on."""

    def __init__(self, rows: list[tuple], changes: tuple[tuple[int, int], ...] = ()) -> None:
        table = np.array(rows, np.float64).reshape(-1, 7)
        self.kinds, self.figures = table[:, 0].astype(np.int32), table[:, 1:].copy()
        self.changes = changes

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return self.kinds, self.figures

    def core_changes(self) -> list[tuple]:
        return [(action, solid, 0, 0, 0.0, (0, 0, 0)) for action, solid in self.changes]


def wall(*figures: float) -> tuple:
    return (WALL, *figures, 0.05, 0.4)


ROOM = [wall(0, 0, 4, 0), wall(4, 0, 4, 4), wall(4, 4, 0, 4), wall(0, 4, 0, 0)]


def field(rows: list[tuple], goal: tuple[float, float], radius: float = RADIUS) -> np.ndarray:
    return SceneCore(Solids(rows)).shortest(radius, ORIGIN, CELL, SHAPE, goal)


def centres() -> tuple[np.ndarray, np.ndarray]:
    rows, cols = np.mgrid[: SHAPE[0], : SHAPE[1]]
    return ORIGIN[0] + (cols + 0.5) * CELL, ORIGIN[1] + (rows + 0.5) * CELL


def cell_at(x: float, y: float) -> tuple[int, int]:
    return math.floor((y - ORIGIN[1]) / CELL), math.floor((x - ORIGIN[0]) / CELL)


def test_in_an_empty_room_the_way_is_straight() -> None:
    length, (x, y) = field(ROOM, (1.03, 1.41)), centres()
    inside = np.isfinite(length)
    fits = (np.minimum(x, y) > 0.132) & (np.maximum(x, y) < 3.868)
    assert inside[fits].all()
    straight = np.hypot(x - 1.03, y - 1.41)
    assert np.abs(length - straight)[inside].max() < 1e-12


def test_a_wall_is_as_far_from_open_cells_as_the_disc_is_wide() -> None:
    open_cells, (x, y) = np.isfinite(field(ROOM, (1, 1))), centres()
    reach = 0.025 + RADIUS
    inset = np.minimum.reduce([x, y, 4 - x, 4 - y])
    assert np.array_equal(open_cells, inset + CELL / 2 >= reach)


def test_walls_keep_the_way_in_and_out() -> None:
    length, (x, y) = field(ROOM, (1, 1)), centres()
    outside = (x < 0) | (x > 4) | (y < 0) | (y > 4)
    assert np.isinf(length[outside]).all()
    assert np.isinf(field(ROOM, (4.4, 2.0))[~outside]).all()
    assert np.isinf(field(ROOM, (2.0, 0.05))).all(), "no way leads into a wall"
    assert np.isinf(field(ROOM, (50.0, 2.0))).all(), "no way leads out of the grid"


def tangent(x: float, y: float, corner: tuple[float, float], side: int) -> tuple[float, float]:
    """Length of the tangent from a point to the disc's circle about a corner, and its angle."""
    dx, dy = x - corner[0], y - corner[1]
    away = math.hypot(dx, dy)
    angle = math.atan2(dy, dx) + side * math.acos(RADIUS / away)
    return math.sqrt(away**2 - RADIUS**2), angle % (2 * math.pi)


@pytest.mark.parametrize("goal", [(0.5, 1.0), (1.2, 0.4), (1.6, 2.2)])
@pytest.mark.parametrize("place", [(3.5, 1.0), (2.5, 0.3), (3.8, 2.0), (2.3, 1.2)])
def test_round_one_wall_the_way_is_a_taut_string_within_two_percent(
    goal: tuple[float, float], place: tuple[float, float]
) -> None:
    length = field([*ROOM, wall(2, 0, 2, 2.5)], goal)
    row, col = cell_at(*place)
    x, y = (part[row, col] for part in centres())
    to_goal, leave = tangent(*goal, (1.975, 2.5), -1)
    to_place, meet = tangent(x, y, (2.025, 2.5), 1)
    arcs = (leave - math.pi / 2) + (math.pi / 2 - (meet if meet < math.pi else 0.0))
    taut = to_goal + RADIUS * arcs + 0.05 + to_place
    assert length[row, col] == pytest.approx(taut, rel=0.02)


@pytest.mark.parametrize("off", [0.0, 0.003, 0.0071, 0.0125])
@pytest.mark.parametrize(
    ("gap", "is_open"), [(0.20, False), (0.21, False), (0.22, True), (0.25, True)]
)
def test_a_gap_is_open_where_the_disc_fits_wherever_the_cells_lie(
    gap: float, is_open: bool, off: float
) -> None:
    low, high = 2 + off - gap / 2, 2 + off + gap / 2
    length = field([*ROOM, wall(2, 0, 2, low), wall(2, high, 2, 4)], (1, 2))
    assert np.isfinite(length[cell_at(3.0, 2.0)]) == is_open


@pytest.mark.parametrize("heading", [0, 20, 45, 70])
def test_no_way_leads_diagonally_between_solids_that_touch(heading: float) -> None:
    turn = math.radians(heading)
    c, s = math.cos(turn), math.sin(turn)
    rows = [  # a chain of boxes, corner to corner, from side to side
        (BOX, 2 + c * k, 2 + s * k, 1 / math.sqrt(2), 1 / math.sqrt(2), heading + 45, 0.4)
        for k in range(-4, 5)
    ]
    for radius in (CELL, RADIUS):
        length, (x, y) = field([*ROOM, *rows], (2 - s * 1.4, 2 + c * 1.4), radius), centres()
        beyond = c * (y - 2) - s * (x - 2) < -0.6
        assert np.isinf(length[beyond]).all()
        assert np.isfinite(length).any()


@pytest.mark.parametrize("y", [2.0, 2.01, 2.0125])
def test_not_even_a_point_slips_between_two_boxes_side_by_side(y: float) -> None:
    rows = [(BOX, 2, y - 1.5, 0.5, 3, 0, 0.4), (BOX, 2, y + 1.5, 0.5, 3, 0, 0.4)]
    length = field([*ROOM, *rows], (1, 2), 0.0)
    assert np.isinf(length[cell_at(3.0, 2.0)])
    assert np.isfinite(length[cell_at(1.0, 3.0)])


@pytest.mark.parametrize("along_x", [False, True])
def test_no_way_leads_through_a_wall_where_two_cells_cover_it_with_the_disc(along_x: bool) -> None:
    ends = (-30, 2.0, 30, 2.0) if along_x else (2.0, -30, 2.0, 30)
    core = SceneCore(Solids([wall(*ends)]))
    for shift in np.arange(8) * 0.025:
        length = core.shortest(RADIUS, (-2 + shift, -2 + shift), 0.2, (40, 40), (0, 0))
        across = length.T if along_x else length
        beyond = math.ceil((2.2 + 2 - shift) / 0.2)
        assert np.isinf(across[:, beyond:]).all()
        assert np.isfinite(across[:, : beyond - 4]).all()


def graph_lengths(rows: list[tuple], goal: tuple, places: list[tuple]) -> list[float]:
    """Dijkstra over what sees each other of solids grown by the disc, 64 corners a turn.

    Not a number where the disc does not fit.
    """
    grown = []
    for row in rows:
        if row[0] == POST:
            grown.append(shapely.Point(row[1:3]).buffer(row[3] + RADIUS, quad_segs=16))
            continue
        if row[0] == WALL:
            line = shapely.LineString([row[1:3], row[3:5]])
            solid = line.buffer(row[5] / 2, cap_style="flat")
        else:
            solid = shapely.box(-row[3] / 2, -row[4] / 2, row[3] / 2, row[4] / 2)
            solid = shapely.affinity.rotate(solid, row[5], origin=(0, 0))
            solid = shapely.affinity.translate(solid, *row[1:3])
        grown.append(solid.buffer(RADIUS, quad_segs=16))
    blocked = shapely.unary_union(grown)
    inner = blocked.buffer(-1e-4)  # strings may lie along a border
    shapely.prepare(inner)
    nodes = np.array([goal, *places, *shapely.get_coordinates(blocked)])
    apart = np.hypot(*(nodes[:, None] - nodes[None]).transpose(2, 0, 1))
    lines = np.stack([np.repeat(nodes, len(nodes), 0), np.tile(nodes, (len(nodes), 1))], axis=1)
    seen = ~shapely.intersects(inner, shapely.linestrings(lines)).reshape(apart.shape)
    best = np.full(len(nodes), np.inf)
    best[0], heap = 0.0, [(0.0, 0)]
    while heap:
        length, node = heapq.heappop(heap)
        if length > best[node]:
            continue
        reach = np.where(seen[node], length + apart[node], np.inf)
        for other in np.flatnonzero(reach < best):
            best[other] = reach[other]
            heapq.heappush(heap, (float(reach[other]), int(other)))
    fits = ~shapely.intersects(blocked, shapely.points(places))
    return np.where(fits, best[1 : 1 + len(places)], np.nan).tolist()


def test_among_random_solids_the_way_is_the_shortest_of_a_visibility_graph() -> None:
    rng, n_bent = np.random.default_rng(6), 0
    for _ in range(6):
        rows = list(ROOM)
        rows += [
            (BOX, *rng.uniform(0.8, 3.2, 2), *rng.uniform(0.2, 1.0, 2), rng.uniform(0, 90), 0.4)
            for _ in range(3)
        ]
        rows += [(POST, *rng.uniform(0.8, 3.2, 2), rng.uniform(0.05, 0.3), 0.4, 0, 0)]
        rows += [wall(*rng.uniform(0.8, 3.2, 4))]
        goal = (0.4, 0.4)
        length, (x, y) = field(rows, goal), centres()
        cells = [cell_at(*rng.uniform(0.3, 3.7, 2)) for _ in range(30)]
        places = [(x[cell], y[cell]) for cell in cells]
        for cell, place, taut in zip(cells, places, graph_lengths(rows, goal, places), strict=True):
            if math.isnan(taut):
                continue  # the disc does not fit there, if perhaps elsewhere in its cell
            assert length[cell] == pytest.approx(taut, rel=0.02, abs=CELL)
            n_bent += taut > 1.02 * math.dist(place, goal)
    assert n_bent > 20


def test_no_way_is_shorter_than_the_straight_one_by_a_cell() -> None:
    rng, n_reached = np.random.default_rng(9), 0
    for _ in range(10):
        places, goal = rng.uniform(0.3, 3.7, (25, 2)), rng.uniform(0.5, 3.5, 2)
        rows = [(POST, *place, rng.uniform(0.02, 0.1), 0.4, 0, 0) for place in places]
        length, (x, y) = field([*ROOM, *rows], tuple(goal)), centres()
        straight = np.hypot(x - goal[0], y - goal[1])
        assert (length >= straight - CELL).all()
        n_reached += np.isfinite(length).sum()
    assert n_reached > 50_000


def test_only_what_is_there_at_the_start_is_in_the_way() -> None:
    barred = [*ROOM, wall(2, 0, 2, 4)]
    for changes, is_open in (((), False), (((0, 4),), True), (((1, 4), (0, 4)), False)):
        core = SceneCore(Solids(barred, changes))
        length = core.shortest(RADIUS, ORIGIN, CELL, SHAPE, (1, 2))
        assert np.isfinite(length[cell_at(3.0, 2.0)]) == is_open


def test_a_place_without_solids_and_one_with_200_000_work() -> None:
    length = SceneCore(Solids([])).shortest(RADIUS, (0, 0), 0.5, (10, 30), (1, 1))
    assert np.isfinite(length).all()
    rng = np.random.default_rng(1)
    places = rng.uniform(0, 600, (200_000, 2))
    rows = np.column_stack(
        [np.full(len(places), POST), places, np.full((len(places), 2), 0.1), 0 * places]
    )
    core = SceneCore(Solids(rows))
    length = core.shortest(RADIUS, (250, 250), 0.1, (500, 500), (275, 275))
    assert 0.7 < np.isfinite(length).mean() < 1


@pytest.mark.parametrize(
    ("radius", "origin", "cell", "shape", "goal"),
    [
        (-0.1, (0, 0), 0.1, (5, 5), (0, 0)),
        (math.nan, (0, 0), 0.1, (5, 5), (0, 0)),
        (0.1, (math.inf, 0), 0.1, (5, 5), (0, 0)),
        (0.1, (0, 0), 0.0, (5, 5), (0, 0)),
        (0.1, (0, 0), math.nan, (5, 5), (0, 0)),
        (0.1, (0, 0), 0.1, (0, 5), (0, 0)),
        (0.1, (0, 0), 0.1, (5, 5), (0, math.nan)),
        (0.1, (0, 0), 0.1, (5, 5), (0, 2e6)),
    ],
)
def test_a_grid_that_is_none_is_refused(radius, origin, cell, shape, goal) -> None:
    with pytest.raises(CoreError):
        SceneCore(Solids([])).shortest(radius, origin, cell, shape, goal)
