"""Frontiers and rooms of drawn maps, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinewright_env.grids import Belief
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS

ndimage = pytest.importorskip("scipy.ndimage")

# One ray of 1 mm on each of 360 ticks: a scan carves any 360 cells.
PEN = make_rig("scan").changed(
    "scan", period_tick=360, range_min_m=0.0, range_max_m=0.001, sigma_per_unit=(0.0, 0.0, 0.0)
)
CELL_UM = 40_000
EIGHT = np.ones((3, 3), int)


class Drawing:
    """A belief whose copy is as drawn, the first line uppermost.

    `#` occupied, `.` free, `?` leaning to free, `u` undecided, `~` free that has flipped, a
    blank never seen.
    """

    def __init__(self, rows: list[str]) -> None:
        self.belief = Belief(SHELLS["four_wheel_steer"], PEN)
        self.rows = rows
        self.tick = 0
        self._carve(self._places("?"), 4)
        self._carve(self._places(".~"), 9)
        for letters, times in (("#", 6), ("u", 1), ("~", 3)):
            for place in self._places(letters):
                for _ in range(times):
                    self.belief.mark(np.array([*place, 0], np.int32), np.zeros((1, 2), np.int32))
        self._carve(self._places("~"), 18)

    def _places(self, letters: str) -> list[tuple[int, int]]:
        return [
            (c * CELL_UM + x, r * CELL_UM + y)
            for r, line in enumerate(reversed(self.rows))
            for c, letter in enumerate(line)
            if letter in letters
            for x in (10_000, 30_000)
            for y in (10_000, 30_000)
        ]

    def _carve(self, places: list[tuple[int, int]], times: int) -> None:
        for first in range(0, len(places), 360):
            some = places[first : first + 360]
            poses = np.zeros((360, 3), np.int32)
            poses[: len(some), :2] = some
            statuses = np.zeros(360, np.int32)
            statuses[: len(some)] = 2
            for _ in range(times):
                self.tick += 1
                self.belief.scan(poses, np.zeros(360, np.int32), statuses, self.tick)


def frontiers(rows: list[str], narrowest_um: int = 312_000) -> list[list[tuple[int, int]]]:
    """Cells of each cluster, sorted."""
    clusters = Drawing(rows).belief.frontiers(narrowest_um)
    return [sorted(zip(each.rows.tolist(), each.cols.tolist(), strict=True)) for each in clusters]


OPEN_ROOM = [
    "##############",
    "#............#",
    "#............#",
    "#.............",
    "#............ ",
    "#.............",
    "#............#",
    "##############",
]


def test_a_free_cell_beside_one_never_seen_is_a_frontier() -> None:
    assert frontiers([".. ", "..."], 0) == [[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]]
    assert frontiers(["#####", "#...#", "#...#", "#####"], 0) == []
    assert frontiers(["#####", "#...#", "#.. #", "#####"], 0) == [[(1, 2), (2, 3)]]


def test_a_corner_of_what_was_never_seen_is_beside_nothing() -> None:
    assert frontiers(["######", "#....#", "#....#", "#####"], 0) == []


def test_undecided_cells_are_no_frontier_and_hide_none() -> None:
    assert frontiers(["#####", "#..uu", "#####"], 0) == []
    # seen but not yet free: what lies behind is still ahead
    assert frontiers(["######", "#..?? ", "######"], 0) == [[(1, 2)]]
    assert frontiers(["######", "#..??#", "######"], 0) == []


def test_narrow_clusters_are_left_out() -> None:
    for n, kept in ((7, False), (8, True)):
        wall = ["#" * 6, *["#...  "] * n, "#" * 6]
        assert bool(frontiers(wall)) == kept


def test_what_was_forgotten_is_a_frontier_but_not_at_a_wall() -> None:
    middle = ["#" * 11, *["#....~....#"] * 10, "#" * 11]
    edge = ["#" * 11, *["#........~#"] * 10, "#" * 11]
    for rows, clusters in ((middle, 2), (edge, 0)):
        drawing = Drawing(rows)
        assert drawing.belief.frontiers() == ()
        drawing.belief.relax(drawing.tick + 120 * 8)
        assert len(drawing.belief.frontiers()) == clusters


def brute_frontiers(rows: list[str]) -> list[list[tuple[int, int]]]:
    """Flood fills and dilations of whole arrays; the drawing's surroundings were never seen."""
    cells = np.array([list(line) for line in reversed(rows)])
    padded = np.pad(cells, 1, constant_values=" ")
    unseen = padded == " "
    # a fringe counts as unseen where it hangs together with it over sides
    labels, _ = ndimage.label(unseen | (padded == "?"))
    opened = np.isin(labels, np.unique(labels[unseen])) & (labels > 0)
    beside = ndimage.binary_dilation(opened)
    found, n = ndimage.label((padded == ".") & beside, EIGHT)
    clusters = [np.argwhere(found == k + 1) for k in range(n)]
    kept = []
    for cluster in clusters:
        height, width = (cluster.max(axis=0) - cluster.min(axis=0) + 1) * CELL_UM
        if height**2 + width**2 >= 200_000**2:
            kept.append(sorted((int(r) - 1, int(c) - 1) for r, c in cluster))
    return sorted(kept)


drawings = (
    st.integers(2, 14)
    .flatmap(
        lambda width: st.lists(
            st.text("..??# u", min_size=width, max_size=width), min_size=2, max_size=14
        )
    )
    .filter(lambda rows: rows[0].strip() and rows[-1].strip())
    .filter(lambda rows: any(r[0] != " " for r in rows) and any(r[-1] != " " for r in rows))
)


@settings(max_examples=150, deadline=None)
@given(rows=drawings)
def test_frontiers_equal_those_of_whole_arrays(rows: list[str]) -> None:
    belief = Drawing(rows).belief
    clusters = belief.frontiers(200_000)
    found = [sorted(zip(c.rows.tolist(), c.cols.tolist(), strict=True)) for c in clusters]
    assert found == brute_frontiers(rows)
    for cluster, cells in zip(clusters, found, strict=True):
        assert (cluster.row, cluster.col) in cells
        assert (cluster.box.row0, cluster.box.n_rows) == (
            cells[0][0],
            cells[-1][0] - cells[0][0] + 1,
        )


def plan(width_m: float, height_m: float) -> np.ndarray:
    cells = np.full((round(height_m / 0.04) + 2, round(width_m / 0.04) + 2), ".")
    cells[[0, -1]] = cells[:, [0, -1]] = "#"
    return cells


def rooms(cells: np.ndarray):
    return Drawing(["".join(line) for line in cells[::-1]]).belief.rooms()


def test_one_room_is_one_room_and_its_area_is_that_of_its_cells() -> None:
    found = rooms(plan(3.0, 2.0))
    assert found.areas_m2 == pytest.approx([75 * 50 * 0.0016])
    assert (found.labels == 1).sum() == 75 * 50


def test_three_rooms_with_doorways_of_80_cm_are_three() -> None:
    cells = plan(6.0, 3.0)
    cells[:, 50:52] = cells[:, 100:102] = "#"
    cells[20:40, 50:52] = cells[40:60, 100:102] = "."
    found = rooms(cells)
    assert found.count == 3
    assert sum(found.areas_m2) == pytest.approx((cells == ".").sum() * 0.0016, rel=0.02)


@pytest.mark.parametrize(("cells_wide", "count"), [(20, 2), (22, 2), (23, 1), (30, 1)])
def test_a_neck_narrower_than_90_cm_parts(cells_wide: int, count: int) -> None:
    cells = plan(6.0, 3.0)
    cells[:, 75:77] = "#"
    cells[20 : 20 + cells_wide, 75:77] = "."
    assert rooms(cells).count == count


def test_an_l_is_one_room() -> None:
    cells = plan(4.0, 4.0)
    cells[40:, 40:] = "#"
    assert rooms(cells).count == 1


def test_a_wide_corridor_is_a_room_and_a_narrow_one_none() -> None:
    for width_m, count in ((1.2, 1), (0.8, 0)):
        assert rooms(plan(5.0, width_m)).count == count


def test_rooms_along_a_corridor_are_each_one() -> None:
    cells = plan(6.0, 4.4)
    cells[38:40] = cells[70:72] = "#"  # a corridor of 1.2 m
    cells[38:40, 30:50] = cells[70:72, 30:50] = "."
    cells[:39, 75:77] = "#"
    cells[38:40, 100:120] = "."
    assert rooms(cells).count == 4


def test_a_closet_below_one_square_metre_is_no_room() -> None:
    cells = plan(4.0, 3.0)
    cells[:24, 76:78] = "#"
    cells[24:26, 76:] = "#"
    cells[10:20, 76:78] = "."  # 0.92 m by 0.96 m behind a doorway of 0.4 m
    assert rooms(cells).count == 1


def test_furniture_and_unseen_specks_cut_nothing() -> None:
    cells = plan(2.0, 4.0)
    cells[40:60, 16:36] = "#"  # a table of 0.8 m leaves 0.6 m to either side
    assert rooms(cells).count == 1
    cells = plan(1.6, 5.0)
    for row in (20, 40, 60, 80, 100):
        cells[row : row + 2, 20:22] = "#"
    cells[50:53, 10:12] = " "
    assert rooms(cells).count == 1


def test_a_mirrored_plan_has_the_mirrored_rooms() -> None:
    cells = plan(5.0, 3.0)
    cells[:, 50:52] = "#"
    cells[30:48, 50:52] = "."
    plain, mirrored = rooms(cells), rooms(cells[:, ::-1])
    assert sorted(plain.areas_m2) == pytest.approx(sorted(mirrored.areas_m2), rel=0.01)


def test_an_empty_belief_has_neither() -> None:
    belief = Drawing([" "]).belief
    assert belief.frontiers() == ()
    assert belief.rooms().count == 0
    assert belief.observed.n_rows == 0
