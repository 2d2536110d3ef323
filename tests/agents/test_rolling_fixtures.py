"""The eleven fixtures of the rolling map: made frames whose every answer is known."""

import numpy as np
import pytest

from kinewright_agents.rolling import (
    Component,
    Corridor,
    FrameResult,
    RegisteredIncrement,
    RollingBounds,
    RollingObstacleMap,
)

SECOND = 1_000_000_000
HERE = (0.0, 0.0, 0.0, 0.0)
CORRIDOR = Corridor.box((0.0, -0.3, 0.0), (3.0, 0.3, 1.0))
VOXEL_M = RollingBounds().voxel_m
NOTHING = np.empty((0, 3))


def compact(x: int, y: int, z: int) -> np.ndarray:
    """Return a hemisphere of six points in one voxel."""
    centre = (np.array([x, y, z]) + 0.5) * VOXEL_M
    offsets = [[0, 0, 0.1], [0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, -0.1, 0], [0.07, 0.07, 0]]
    return centre + np.array(offsets)


def filled(*voxels: tuple[int, int, int]) -> np.ndarray:
    return np.concatenate([compact(*voxel) for voxel in voxels])


def frame(
    obstacles: RollingObstacleMap,
    points: np.ndarray,
    time_s: float,
    pose: tuple[float, float, float, float] | None = HERE,
    **options: int,
) -> FrameResult:
    stamp = round(time_s * SECOND)
    result = obstacles.frame(RegisteredIncrement(points, pose, stamp), CORRIDOR, **options)
    assert sum(result.decisions.values()) == sum(result.evidence.values())
    return result


def of(obstacles: RollingObstacleMap, kind: str) -> list[Component]:
    return [part for part in obstacles.components() if part.kind == kind]


def test_what_is_not_published_again_stays_a_threat_until_it_is_three_seconds_old() -> None:
    """Fixture 1: republication stops. Expiry ends the threat and says nothing of free space."""
    obstacles = RollingObstacleMap()
    assert frame(obstacles, compact(2, 0, 0), 0.0).answer == "threat"
    for time_s in np.arange(0.1, 3.01, 0.1):
        result = frame(obstacles, NOTHING, time_s)
        assert result.answer == "threat"
        assert result.counts["current_cells"] == 0
        assert result.counts["retained_cells"] == 1
    assert result.counts["greatest_age_ns"] == 3 * SECOND
    after = frame(obstacles, NOTHING, 3.0 + 1e-9)
    assert after.answer == "unknown"
    assert after.counts["evicted_time_cells"] == 1
    assert after.counts["active_cells"] == 0


def test_six_points_in_one_voxel_are_an_obstacle_and_three_are_cells() -> None:
    """Fixture 2: a compact single-voxel object."""
    obstacles = RollingObstacleMap()
    assert frame(obstacles, compact(2, 0, 0), 0.0).answer == "threat"
    (part,) = of(obstacles, "current")
    assert (part.n_cells, part.n_points, part.identity, part.flags) == (1, 6, 1, {"inside"})

    sparse = RollingObstacleMap()
    assert frame(sparse, compact(2, 0, 0)[:3], 0.0).answer == "threat"
    (part,) = of(sparse, "current")
    assert part.identity == 0
    assert part.flags == {"inside", "sparse"}
    aside = RollingObstacleMap()
    assert frame(aside, compact(2, 5, 0)[:3], 0.0).decisions["not_threat"] == 0
    assert frame(aside, compact(2, 5, 0)[:1], 0.1).decisions["not_threat"] == 1, "four by now"


def test_a_moving_object_leaves_a_ghost_for_three_seconds_at_most() -> None:
    """Fixture 3: it crosses the corridor; each place is held no longer than the retention."""
    obstacles = RollingObstacleMap()
    way = [compact(2, y, 0) for y in range(-8, 9)]
    for step, points in enumerate(way):
        result = frame(obstacles, points, 0.5 * step)
        crossing = range(7, 9)  # columns -1 and 0 have boxes that the corridor meets
        seen = [at for at in crossing if 0 <= step - at <= 6]
        assert result.decisions["threat"] >= bool(seen)
        assert result.is_threat == bool(seen), step
        assert result.counts["active_cells"] == min(step + 1, 7)
        assert all(part.age_ns <= 3 * SECOND for part in obstacles.components())
    assert all("motion" not in part.flags for part in of(obstacles, "retained"))


def test_two_hemispheres_whose_republication_stopped_are_both_retained() -> None:
    """Fixture 4: the near one is a threat; the far one, within a current ring, is unknown."""
    obstacles = RollingObstacleMap()
    near, far = (2, 0, 0), (4, 10, 0)
    frame(obstacles, filled(near, far), 0.0)
    ring = [(4 + i, 10 + j, 0) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    result = frame(obstacles, filled(*ring), 1.0)
    assert result.evidence == {"current": 1, "retained": 2, "stale": 0, "bearing_only": 0}
    by_cell = {part.least: part.decision for part in of(obstacles, "retained")}
    assert by_cell == {near: "threat", far: "unknown"}
    (around,) = of(obstacles, "current")
    assert around.n_cells == 8
    assert around.decision == "not_threat"
    cells, _ = obstacles.cells()
    assert len(np.unique(cells[:, :3], axis=0)) == len(cells) == 10


def test_a_cell_leaves_by_radius_and_one_beyond_it_is_refused_apart() -> None:
    """Fixture 5: the distance is in space, from the cell's centre to the pose, closed."""
    obstacles = RollingObstacleMap(RollingBounds(radius_m=4.275, jump_m=10.0))
    on_the_edge = compact(9, 0, 0)  # its centre is 4.275 m ahead
    pose = (0.0, VOXEL_M / 2, VOXEL_M / 2, 0.0)
    result = frame(obstacles, filled((9, 0, 0), (10, 0, 0)), 0.0, pose)
    assert result.counts["active_cells"] == 1
    assert result.counts["refused_radius_cells"] == 1
    moved = frame(obstacles, NOTHING, 0.1, (-0.000001, VOXEL_M / 2, VOXEL_M / 2, 0.0))
    assert moved.counts["evicted_radius_cells"] == 1
    assert moved.counts["evicted_time_cells"] == 0
    assert moved.counts["refused_radius_cells"] == 0
    above = frame(obstacles, on_the_edge, 0.2, (0.0, VOXEL_M / 2, VOXEL_M / 2 + 1.0, 0.0))
    assert above.counts["refused_radius_cells"] == 1


def test_a_frame_that_does_not_fit_is_refused_whole_until_one_fits() -> None:
    """Fixture 6: capacity fails closed, and recovers once cells leave."""
    obstacles = RollingObstacleMap(RollingBounds(cell_limit=3))
    assert frame(obstacles, filled((2, 0, 0), (5, 5, 0)), 0.0).answer == "threat"
    before = obstacles.cells()[0].tolist()
    refused = frame(obstacles, filled((7, 7, 0), (9, 9, 0)), 1.0, bearing_only=2)
    assert refused.status == "refused_capacity"
    assert (refused.answer, refused.fault, obstacles.fault) == ("unknown", True, True)
    assert refused.counts["refused_capacity_cells"] == 2
    assert refused.decisions == {"threat": 0, "not_threat": 0, "unknown": 2}
    assert obstacles.cells()[0].tolist() == before
    assert obstacles.meets(CORRIDOR.pieces_um[None], low_um=0, high_um=10**6) is None
    ticked = obstacles.tick(2 * SECOND, CORRIDOR)
    assert ticked.answer == "unknown"
    assert ticked.decisions["threat"] == ticked.decisions["not_threat"] == 0
    fits = frame(obstacles, filled((7, 7, 0), (9, 9, 0)), 3.1)
    assert (fits.status, fits.fault) == ("accepted", False)
    assert fits.counts["evicted_time_cells"] == 2
    assert fits.counts["refused_capacity_cells"] == 0


def test_a_component_over_its_bound_is_split_and_never_dropped() -> None:
    """Fixture 7: split in the order of cells; too many are kept together as one."""
    obstacles = RollingObstacleMap(RollingBounds(component_cell_limit=4))
    wall = [(2, y, 0) for y in range(-5, 5)]
    result = frame(obstacles, filled(*wall), 0.0)
    parts = of(obstacles, "current")
    assert [part.n_cells for part in parts] == [4, 4, 2]
    assert [part.least[1] for part in parts] == [-5, -1, 3]
    assert all("split" in part.flags for part in parts)
    assert [part.decision for part in parts] == ["not_threat", "threat", "not_threat"]
    assert result.counts["split_components"] == 1

    many = RollingObstacleMap(RollingBounds(component_limit=3))
    apart = [(x, y, 0) for x in (2, 4, 6) for y in (-6, 0, 6)]
    result = frame(many, filled(*apart), 0.0)
    parts = of(many, "current")
    assert [part.n_cells for part in parts] == [1, 1, 7]
    assert parts[-1].flags == {"overflow", "inside"}
    assert result.answer == "threat"
    assert result.counts["overflow_cells"] == 7
    beside = frame(many, filled(*[(x, 9, 0) for x in (0, 2, 4, 6)]), 4.0)
    assert beside.decisions == {"threat": 0, "not_threat": 2, "unknown": 1}


def test_an_identity_is_held_for_three_quarters_of_a_second() -> None:
    """Fixture 8: a stale hold is a threat where it was last inside, else unknown."""
    obstacles = RollingObstacleMap()
    frame(obstacles, filled((2, 0, 0), (2, 9, 0)), 0.0)
    result = frame(obstacles, NOTHING, 0.75)
    assert result.evidence == {"current": 0, "retained": 2, "stale": 2, "bearing_only": 0}
    assert {part.least: part.decision for part in of(obstacles, "stale")} == {
        (2, 0, 0): "threat",
        (2, 9, 0): "unknown",
    }
    assert frame(obstacles, NOTHING, 0.75 + 1e-9).evidence["stale"] == 0
    again = frame(obstacles, compact(2, 0, 0), 1.0)
    assert again.counts["new_identities"] == 1, "what was let go comes back as another"


def test_a_bearing_without_a_place_is_always_unknown() -> None:
    """Fixture 9: it is assessed once and never makes an answer better or worse than unknown."""
    obstacles = RollingObstacleMap()
    result = frame(obstacles, NOTHING, 0.0, bearing_only=3)
    assert result.evidence["bearing_only"] == result.decisions["unknown"] == 3
    assert result.answer == "unknown"
    assert frame(obstacles, compact(2, 9, 0), 4.0).answer == "not_threat"
    assert frame(obstacles, compact(2, 9, 0), 4.1, bearing_only=1).answer == "unknown"


def test_what_is_retained_becomes_a_threat_as_the_corridor_comes_over_it() -> None:
    """Fixture 10: the cell is not seen again, the shell turns toward it."""
    obstacles = RollingObstacleMap()
    frame(obstacles, compact(5, 5, 0), 0.0)
    beside = frame(obstacles, NOTHING, 1.0)
    assert beside.answer == "unknown"
    toward = Corridor.ahead(
        (0.0, 0.0, 0.0, 0.7853981633974483), length_m=4.0, width_m=0.6, low_m=0.0, high_m=0.5
    )
    turned = obstacles.frame(RegisteredIncrement(NOTHING, HERE, 2 * SECOND), toward)
    assert turned.answer == "threat"
    (part,) = of(obstacles, "retained")
    assert part.decision == "threat"
    assert part.age_ns == 2 * SECOND


@pytest.mark.parametrize(
    ("time_s", "pose", "status"),
    [
        (1.0, HERE, "refused_repeated"),
        (0.5, HERE, "refused_backward"),
        (2.0, None, "refused_pose"),
    ],
)
def test_time_that_runs_backward_is_refused_and_changes_nothing(
    time_s: float, pose: tuple[float, float, float, float] | None, status: str
) -> None:
    """Fixture 11, and the frame without a pose."""
    obstacles = RollingObstacleMap()
    frame(obstacles, compact(2, 0, 0), 1.0)
    before = [array.tolist() for array in obstacles.cells()]
    result = frame(obstacles, compact(3, 3, 0), time_s, pose, bearing_only=4)
    assert (result.status, result.answer) == (status, "refused")
    assert sum(result.evidence.values()) == 0
    assert [array.tolist() for array in obstacles.cells()] == before
    assert frame(obstacles, NOTHING, 1.5).answer == "threat"
    assert obstacles.totals.to_dict()[status] == 1


def test_a_jump_of_the_pose_clears_to_unknown_with_its_own_count() -> None:
    obstacles = RollingObstacleMap()
    frame(obstacles, filled((2, 0, 0), (2, 9, 0)), 0.0)
    near = frame(obstacles, NOTHING, 0.1, (1.0, 0.0, 0.0, 0.5))
    assert near.counts["jumps"] == 0
    jumped = frame(obstacles, compact(4, 9, 0), 0.2, (2.000001, 0.0, 0.0, 0.5))
    assert (jumped.counts["jumps"], jumped.counts["cleared_cells"]) == (1, 2)
    assert jumped.answer == "unknown", "the one current component outside would say no threat"
    assert frame(obstacles, compact(4, 9, 0), 0.3, (2.0, 0.0, 0.0, 0.5)).answer == "not_threat"
    turned = frame(obstacles, compact(4, 9, 0), 0.4, (2.0, 0.0, 0.0, 1.000001))
    assert turned.counts["jumps"] == 1
    across = frame(obstacles, compact(4, 9, 0), 0.5, (2.0, 0.0, 0.0, 3.1))
    assert across.counts["jumps"] == 1
    wrapped = frame(obstacles, compact(4, 9, 0), 0.6, (2.0, 0.0, 0.0, -3.1))
    assert wrapped.counts["jumps"] == 0


def test_time_without_a_frame_is_stale_and_never_clear() -> None:
    obstacles = RollingObstacleMap()
    frame(obstacles, filled((2, 0, 0), (2, 9, 0)), 0.0)
    held = obstacles.tick(SECOND // 2, CORRIDOR)
    assert (held.status, held.answer, held.is_threat) == ("ticked", "stale", True)
    assert held.evidence == {"current": 0, "retained": 2, "stale": 2, "bearing_only": 0}
    gone = obstacles.tick(3 * SECOND + 1, CORRIDOR)
    assert gone.answer == "stale"
    assert gone.counts["evicted_time_cells"] == 2
    assert obstacles.tick(SECOND, CORRIDOR).status == "refused_backward"
    assert frame(obstacles, NOTHING, 2.0).status == "refused_backward"


def test_a_component_keeps_its_identity_while_cells_overlap() -> None:
    """The larger share takes the identity; what is split off or merged gets none of it twice."""
    obstacles = RollingObstacleMap()
    frame(obstacles, filled(*[(4, y, 0) for y in range(6)]), 0.0)
    frame(obstacles, filled((4, 0, 0), (4, 2, 0), (4, 3, 0), (4, 4, 0)), 0.1)
    first, second = of(obstacles, "current")
    assert (first.n_cells, second.n_cells) == (1, 3)
    assert (second.identity, first.identity) == (1, 2)
    frame(obstacles, filled(*[(4, y, 0) for y in range(6)]), 0.2)
    (whole,) = of(obstacles, "current")
    assert whole.identity == 1
    (stale,) = of(obstacles, "stale")
    assert stale.identity == 2
    frame(obstacles, filled(*[(4, y, 0) for y in range(6)]), 0.9)
    (whole,) = of(obstacles, "current")
    assert whole.speaks_of_motion
    assert whole.known_ns == 9 * SECOND // 10


def test_equal_shares_go_to_the_least_key() -> None:
    obstacles = RollingObstacleMap()
    frame(obstacles, filled((4, 0, 0), (4, 1, 0), (4, 2, 0)), 0.0)
    frame(obstacles, filled((4, 0, 0), (4, 2, 0)), 0.1)
    assert [(p.least, p.identity) for p in of(obstacles, "current")] == [
        ((4, 0, 0), 1),
        ((4, 2, 0), 2),
    ]


def test_only_qualified_points_enter() -> None:
    obstacles = RollingObstacleMap(RollingBounds(voxel_m=0.1, low_m=0.03, high_m=0.30))
    heights = [0.029999, 0.03, 0.30, 0.300001]
    points = np.array([[1.0, 0.0, 5.0 + height] for height in heights])
    result = frame(obstacles, points, 0.0, (0.0, 0.0, 5.0, 0.0))
    assert result.counts["unqualified_points"] == 2
    assert result.counts["points"] == 4
