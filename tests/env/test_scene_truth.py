"""The widest way is exact: against shapely among random solids, and in drawn cases."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinewright_env.scene import Scene, load_scene, scene_names
from kinewright_env.scene_truth import WIDEST_M, body_width_m, truth_of, widest_way_m


def scene(**parts: Any) -> Scene:
    table = {"format": 1, "name": "s", "title": "s", "time_limit_s": 9, "start": {"x": -9, "y": -9}}
    for kind in ("wall", "box", "post"):
        for i, solid in enumerate(parts.get(kind, ()), 1):
            solid.update(name=f"{kind} {i}", height=0.4)
    return Scene.from_dict({**table, **parts})


def walls(*ends: tuple[float, float, float, float]) -> list[dict[str, Any]]:
    return [{"from": e[:2], "to": e[2:], "thickness": 0.05} for e in ends]


ROOM = ((-2, -2, 2, -2), (2, -2, 2, 2), (2, 2, -2, 2), (-2, 2, -2, -2))


def drawn(rng: random.Random) -> Scene:
    """A few solids, their figures often round, so that they touch, align and coincide."""

    def some(low: float, high: float) -> float:
        return round(rng.uniform(low, high), rng.choice([0, 1, 3]))

    boxes, posts, ends = [], [], list(ROOM) if rng.random() < 0.7 else []
    for _ in range(rng.randint(2, 14)):
        kind = rng.random()
        center = [some(-2, 2), some(-2, 2)]
        if kind < 0.4:
            size = [max(0.1, some(0.1, 1.5)), max(0.1, some(0.1, 1.5))]
            heading_deg = rng.choice([0, 0, 45, rng.uniform(-180, 180)])
            boxes.append({"center": center, "size": size, "heading_deg": heading_deg})
        elif kind < 0.7:
            posts.append({"center": center, "radius": max(0.05, some(0.05, 0.5))})
        else:
            end = [some(-2, 2), some(-2, 2)]
            ends.append((*center, *(end if end != center else [3, 3])))
    return scene(box=boxes, post=posts, wall=walls(*ends))


def check_widths(is_joined: Callable[..., bool], seeds: range) -> tuple[int, int, int]:
    """Compare the widest way with what is joined a thousandth below and above it."""
    closed = narrow = wide = 0
    for seed in seeds:
        rng = random.Random(seed)
        solids = drawn(rng)
        for _ in range(3):
            start, goal = (
                (round(rng.uniform(-r, r), 1), round(rng.uniform(-r, r), 1)) for r in (1.9, 2.6)
            )
            width = widest_way_m(solids, start, goal)
            off = 1e-3 * max(width / 2, 0.1)
            if width > 3e-3:
                assert is_joined(solids, start, goal, width / 2 - off), (seed, start, goal)
            if width < WIDEST_M:
                radius = width / 2 + off if width else 1e-5
                assert not is_joined(solids, start, goal, radius), (seed, start, goal)
            closed, narrow = closed + (width == 0), narrow + (0 < width < WIDEST_M)
            wide += width == WIDEST_M
    return closed, narrow, wide


def test_the_widest_way_among_random_solids_is_as_wide_as_shapely_says(
    is_joined: Callable[..., bool],
) -> None:
    assert min(check_widths(is_joined, range(60))) > 10


@pytest.mark.slow
def test_the_widest_way_among_many_random_solids_is_as_wide_as_shapely_says(
    is_joined: Callable[..., bool],
) -> None:
    assert min(check_widths(is_joined, range(1000, 3000))) > 300


@pytest.mark.parametrize("gap", [0.001, 0.2, 0.29, 0.5, 0.8])
@pytest.mark.parametrize("turned", [False, True])
def test_the_bottleneck_is_the_opening(gap: float, turned: bool) -> None:
    inner = [(0.0, -2.0, 0.0, 0.3), (0.0, 0.3 + gap, 0.0, 2.0)]
    ends = [(y, -x, v, -u) if turned else (x, y, u, v) for x, y, u, v in (*ROOM, *inner)]
    places = ((-1.0, 0.3), (1.0, 0.3))
    start, goal = ((y, -x) if turned else (x, y) for x, y in places)
    assert widest_way_m(scene(wall=walls(*ends)), start, goal) == pytest.approx(gap, abs=1e-12)


def test_of_two_openings_the_wider_counts_and_of_two_in_turn_the_narrower() -> None:
    beside = walls(*ROOM, (0, -2, 0, -1), (0, -0.8, 0, 0.5), (0, 0.9, 0, 2))
    assert widest_way_m(scene(wall=beside), (-1, 0), (1, 0)) == pytest.approx(0.4)
    in_turn = walls(*ROOM, (0, -2, 0, -1), (0, -0.8, 0, 2), (1, -2, 1, 0.5), (1, 0.9, 1, 2))
    assert widest_way_m(scene(wall=in_turn), (-1, 0), (1.5, 0)) == pytest.approx(0.2)


def test_the_gap_between_posts_is_between_their_rims() -> None:
    posts = [{"center": [0.0, y / 2], "radius": 0.1} for y in range(-4, 5)]
    width = widest_way_m(scene(wall=walls(*ROOM), post=posts), (-1, 0.25), (1, 0.25))
    assert width == pytest.approx(0.3)


def test_boxes_corner_to_corner_are_closed_and_a_hairs_breadth_apart_are_not() -> None:
    for apart, width in ((0.0, 0.0), (1e-6, 1e-6 * 2**0.5)):
        boxes = [
            {"center": [(k + 0.5) * (1 + apart), (k + 0.5) * (1 + apart)], "size": [1.0, 1.0]}
            for k in range(-4, 4)
        ]
        solids = scene(box=boxes, wall=walls((-4, -4, 4, -4), (4, -4, 4, 4), (4, 4, -4, 4),
                                             (-4, 4, -4, -4)))  # fmt: skip
        assert widest_way_m(solids, (-1, 1), (1, -1)) == pytest.approx(min(width, 0.5), abs=1e-9)


def test_places_in_line_with_faces_and_centres_are_told_apart_all_the_same() -> None:
    """The ray that counts turns runs along faces, through centres and through touching ends."""
    ring = scene(wall=walls((-1, -1, 1, -1), (1, -1, 1, 1), (1, 1, -1, 1), (-1, 1, -1, -1),
                            *((x, 0.0, x + 1, 0.0) for x in (2, 3, 4))))  # fmt: skip
    assert widest_way_m(ring, (0, 0), (-2, 0)) == 0
    assert widest_way_m(ring, (-2, 0), (1.5, 0)) > 0
    assert widest_way_m(ring, (0, -1.5), (0, 1.5)) == pytest.approx(0.95)


def test_a_place_in_a_solid_or_near_one_is_as_wide_as_what_is_free_about_it() -> None:
    solids = scene(box=[{"center": [0, 0], "size": [1, 1]}])
    assert widest_way_m(solids, (0, 0), (5, 5)) == 0
    assert widest_way_m(solids, (0.6, 0), (5, 5)) == pytest.approx(0.2)
    assert widest_way_m(scene(), (0, 0), (5, 5)) == WIDEST_M


def test_what_is_absent_at_the_start_closes_nothing() -> None:
    solids = {"wall": walls(*ROOM, (0, -2, 0, 2))}
    change = [{"solid": "wall 5", "action": "appear", "armed": {"after_s": 1.0}}]
    assert widest_way_m(scene(**solids), (-1, 0), (1, 0)) == 0
    assert widest_way_m(scene(**solids, change=change), (-1, 0), (1, 0)) == WIDEST_M


def test_the_truth_of_the_shipped_scenes_is_what_they_declare() -> None:
    checked = 0
    for name in scene_names():
        shipped = load_scene(name)
        if not shipped.goals or shipped.truth is None or shipped.changes:
            continue
        truth, gap_m = truth_of(shipped)
        assert truth == shipped.truth, name
        if shipped.truth_gap_m is not None:
            assert gap_m == pytest.approx(shipped.truth_gap_m, abs=1e-9), name
        checked += 1
    assert checked > 5


def test_a_body_needs_its_disc_and_the_clearance_to_each_side() -> None:
    assert body_width_m() == pytest.approx(0.312)


def test_a_public_maps_way_is_found_in_reasonable_time() -> None:
    from kinewright_env.importers import import_map  # noqa: PLC0415

    file = Path(__file__).resolve().parents[3] / "shared" / "data" / "maps" / "depot.yaml"
    if not file.is_file():
        pytest.skip("the public maps are not beside the repository")
    depot = import_map(file, goal=(9.0, 6.1))
    start = (depot.start.x_m, depot.start.y_m)
    assert widest_way_m(depot, start, (9.0, 6.1)) > body_width_m()
