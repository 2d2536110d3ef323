"""Contact and clearance against shapely, and depth against the Minkowski difference."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest
import shapely

from kinewright_env.core import SOLID_NONE, CoreError, SceneCore

ROOT = Path(__file__).resolve().parents[2]
WALL, BOX, POST = 0, 1, 2
LENGTH, WIDTH = 0.36, 0.212


class Solids:
    """What SceneCore asks of a scene."""

    changes = ()

    def __init__(self, rows: list[tuple]) -> None:
        table = np.array(rows, np.float64).reshape(-1, 7)
        self.kinds, self.figures = table[:, 0].astype(np.int32), table[:, 1:].copy()

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return self.kinds, self.figures

    def core_changes(self) -> tuple[()]:
        return ()


def rectangle(x: float, y: float, heading: float, length: float, width: float) -> np.ndarray:
    c, s = math.cos(heading), math.sin(heading)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * [length / 2, width / 2]
    return signs @ np.array([[c, s], [-s, c]]) + [x, y]


def corners_of(row: tuple) -> np.ndarray:
    if row[0] == BOX:
        return rectangle(*row[1:3], math.radians(row[5]), *row[3:5])
    dx, dy = row[3] - row[1], row[4] - row[2]
    middle = (row[1] + row[3]) / 2, (row[2] + row[4]) / 2
    return rectangle(*middle, math.atan2(dy, dx), math.hypot(dx, dy), row[5])


def signed_gap(body: np.ndarray, row: tuple) -> float:
    """Distance of the body from a solid; minus the least way apart where they overlap."""
    if row[0] == POST:
        shape, centre = shapely.Polygon(body), shapely.Point(row[1:3])
        if shape.contains(centre):
            return -row[3] - shape.exterior.distance(centre)
        return shape.distance(centre) - row[3]
    solid = corners_of(row)
    apart = shapely.distance(shapely.Polygon(body), shapely.Polygon(solid))
    if apart > 0:
        return apart
    differences = (solid[:, None] - body[None]).reshape(-1, 2)
    hull = shapely.MultiPoint(differences).convex_hull
    return -hull.exterior.distance(shapely.Point(0, 0))


def random_rows(rng: np.random.Generator, n: int, side: float) -> list[tuple]:
    rows: list[tuple] = []
    for kind in rng.integers(0, 3, n):
        x, y = rng.uniform(0, side, 2)
        if kind == WALL:
            dx, dy = rng.uniform(-1, 1, 2) * rng.permutation([1, rng.random() < 0.5])
            rows.append((WALL, x, y, x + dx, y + dy, rng.uniform(0.01, 0.1), 0.4))
        elif kind == BOX:
            heading = rng.choice([0, 90, 45, rng.uniform(-180, 180)])
            rows.append((BOX, x, y, *rng.uniform(0.02, 1, 2), heading, 0.4))
        else:
            rows.append((POST, x, y, rng.uniform(0.01, 0.4), 0.4, 0, 0))
    return rows


def test_10_000_random_scenes_and_poses_agree_with_shapely() -> None:
    rng = np.random.default_rng(21)
    n_contacts = 0
    for _ in range(10_000):
        rows = random_rows(rng, rng.integers(1, 4), 1.5)
        pose = (*rng.uniform(-0.5, 2, 2), rng.choice([0, math.pi / 2, rng.uniform(-4, 4)]))
        body = rectangle(*pose, LENGTH, WIDTH)
        gaps = np.array([signed_gap(body, row) for row in rows])
        clearances, depths, solids = SceneCore(Solids(rows)).clearance(LENGTH, WIDTH, [pose])
        assert clearances[0] == pytest.approx(max(gaps.min(), 0.0), abs=1e-9)
        assert depths[0] == pytest.approx(max(-gaps.min(), 0.0), abs=1e-9)
        assert gaps[solids[0]] == pytest.approx(gaps.min(), abs=1e-9)
        assert (clearances[0] == 0) == (gaps.min() <= 0)
        n_contacts += gaps.min() <= 0
    assert 1000 < n_contacts < 9000


@pytest.mark.parametrize("heading", [0.0, 0.3, math.pi / 4, -2.0])
@pytest.mark.parametrize(
    "row", [(BOX, 0, 0, 1, 0.6, 30, 0.4), (WALL, -1, -0.25, 1, 0.25, 0.1, 0.4)]
)
def test_a_micrometre_tells_a_touch_from_a_pass(row: tuple, heading: float) -> None:
    solid = shapely.Polygon(corners_of(row))
    for way in np.linspace(0, 2 * math.pi, 25):
        u = np.array([math.cos(way), math.sin(way)])
        low, high = 0.0, 5.0  # how far out along u the two come apart
        for _ in range(60):
            middle = (low + high) / 2
            body = shapely.Polygon(rectangle(*(u * middle), heading, LENGTH, WIDTH))
            low, high = (middle, high) if body.intersects(solid) else (low, middle)
        # along u the gap opens more slowly than the distance by the face's slant
        poses = [(*(u * (high + step)), heading) for step in (-1e-6, 1e-6)]
        clearances, depths, _ = SceneCore(Solids([row])).clearance(LENGTH, WIDTH, poses)
        assert clearances[0] == 0 < depths[0] < 1.1e-6
        assert depths[1] == 0 < clearances[1] < 1.1e-6


def test_a_post_is_touched_at_its_radius() -> None:
    core = SceneCore(Solids([(POST, 0.0, 0.0, 0.25, 0.4, 0, 0)]))
    beside, ahead = 0.25 + WIDTH / 2, 0.25 + LENGTH / 2
    corner = 0.25 / math.sqrt(2)
    diagonal = (corner + LENGTH / 2, corner + WIDTH / 2)
    poses = [
        (x * out, y * out, 0.0)
        for x, y in ((0, beside), (ahead, 0), diagonal)
        for out in (1 - 1e-6, 1 + 1e-6)
    ]
    clearances, depths, _ = core.clearance(LENGTH, WIDTH, poses)
    assert (clearances[::2] == 0).all()
    assert (depths[::2] > 0).all()
    assert (clearances[1::2] > 1e-7).all()
    assert (depths[1::2] == 0).all()
    assert (np.maximum(clearances, depths) < 1e-6).all()


def test_sides_that_meet_exactly_are_in_contact_at_no_depth() -> None:
    core = SceneCore(Solids([(BOX, 1.0, 0.0, 1.0, 1.0, 0, 0.4)]))
    clearances, depths, solids = core.clearance(0.5, 0.25, [(0.25, 0.0, 0.0)])
    assert (clearances[0], depths[0], solids[0]) == (0.0, 0.0, 0)


def test_the_deepest_then_the_nearest_is_named_the_lowest_index_on_a_tie() -> None:
    rows = [(BOX, 1, 0, 0.4, 0.4, 0, 0.4), (BOX, -1, 0, 0.4, 0.4, 0, 0.4)]
    core = SceneCore(Solids(rows))
    named = core.clearance(1.0, 0.5, [(0, 0, 0), (0.1, 0, 0), (-0.1, 0, 0), (-0.4, 0, 0)])[2]
    assert named.tolist() == [0, 0, 1, 1]
    both = SceneCore(Solids(rows)).clearance(2.0, 0.5, [(0, 0, 0), (0.01, 0, 0), (-0.01, 0, 0)])
    assert both[2].tolist() == [0, 0, 1]
    assert both[1].tolist() == pytest.approx([0.2, 0.21, 0.21])


SCENES: dict[str, Callable[[np.random.Generator, int], list[tuple]]] = {
    "rooms": lambda rng, n: random_rows(rng, n, 1.3 * math.sqrt(n)),
    "sparse": lambda rng, n: random_rows(rng, n, 13 * math.sqrt(n)),
    "one far off": lambda rng, n: [
        (POST, 1900, -1900, 1, 0.4, 0, 0),
        *random_rows(rng, n - 1, math.sqrt(n)),
    ],
    "clusters": lambda rng, n: [
        (POST, *rng.choice([0.0, 40.0, 70.0], 2) + rng.uniform(0, 3, 2), 0.05, 0.4, 0, 0)
        for _ in range(n)
    ],
}


@pytest.mark.parametrize("n", [30, 1000, 20000])
@pytest.mark.parametrize("name", SCENES)
def test_the_index_gives_the_bits_of_comparing_every_solid(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    rows = SCENES[name](rng, n)
    core = SceneCore(Solids(rows))
    n_poses = 600 if n < 20000 else 60
    aims = np.array([row[1:3] for row in rows])[rng.integers(0, n, n_poses)]
    away = 10.0 ** rng.uniform(-2, 3.5, (n_poses, 1)) * rng.normal(size=(n_poses, 2))
    poses = np.column_stack([aims + away, rng.uniform(-3, 3, n_poses)])
    poses = np.concatenate([poses, [(9e5, -9e5, 1.0), (0.0, 0.0, 0.0)]])
    for length, width in ((LENGTH, WIDTH), (30.0, 0.1)):
        by_index = core.clearance(length, width, poses)
        by_all = core.clearance(length, width, poses, use_index=False)
        for a, b in zip(by_index, by_all, strict=True):
            assert np.array_equal(a, b)
    assert np.isfinite(by_all[0]).all()


def test_without_solids_the_clearance_is_infinite() -> None:
    clearances, depths, solids = SceneCore(Solids([])).clearance(LENGTH, WIDTH, [(0, 0, 0)])
    assert (clearances[0], depths[0], solids[0]) == (math.inf, 0.0, SOLID_NONE)


@pytest.mark.parametrize(
    ("length", "width", "pose"),
    [
        (0, 1, (0, 0, 0)),
        (1, -1, (0, 0, 0)),
        (math.nan, 1, (0, 0, 0)),
        (1, math.inf, (0, 0, 0)),
        (1, 1, (math.nan, 0, 0)),
        (1, 1, (0, 2e6, 0)),
        (1, 1, (0, 0, math.inf)),
        (1, 1, (0, 0, 6e5)),
    ],
)
def test_a_rectangle_that_is_none_is_refused(length: float, width: float, pose: tuple) -> None:
    with pytest.raises(CoreError):
        SceneCore(Solids([])).clearance(length, width, [pose])


INTERNAL = """
typedef struct kw_scene kw_scene;
kw_status kw_scene_create(int32_t n_solids, const int32_t *kinds, const double *figures,
                          int32_t n_changes, const kw_change *changes, kw_scene **out_scene);
void kw_scene_destroy(kw_scene *scene);
typedef struct {
    int32_t n;
    int32_t solids[16];
    int32_t deepest;
    double depth_m;
    double clearance_m;
    int32_t nearest;
} kw_touch;
void kw_scene_touch(const kw_scene *scene, const uint8_t *present, double x_m, double y_m,
                    double cos_h, double sin_h, double half_length_m, double half_width_m,
                    int32_t hint_nearest, kw_touch *out);
"""


@pytest.fixture(scope="module")
def touching(build: Any, compile_c: Callable[..., Any], tmp_path_factory: Any) -> Any:
    """Return touch(rows, changes) -> touch_at(present, pose, hint, sizes) of kw_scene_touch."""
    library = tmp_path_factory.mktemp("contact") / "contact.so"
    names = ("scene", "index", "contact", "footprint")
    sources = [ROOT / "csrc" / "world" / f"{name}.c" for name in names]
    flags = ["-O2", "-fPIC", "-shared", *build.EXACT_FLOATS]
    result = compile_c("cc", *flags, *sources, ROOT / "csrc/common/math.c", "-o", library)
    assert result.returncode == 0, result.stderr
    ffi = cffi.FFI()
    header = build.declarations("kw_world.h")
    change = header[header.index("typedef struct {\n    int32_t action;") :]
    ffi.cdef(build.declarations("kw_types.h") + change[: change.index("kw_change;") + 10])
    ffi.cdef(INTERNAL)
    lib = ffi.dlopen(str(library))

    def scene_of(rows: list[tuple], changes: tuple = ()) -> Callable[..., Any]:
        kinds, figures = Solids(rows).arrays()
        out = ffi.new("kw_scene **")
        given = ffi.new("kw_change[]", list(changes) or 1)
        kinds_c, figures_c = (
            ffi.from_buffer("int32_t[]", kinds),
            ffi.from_buffer("double[]", figures),
        )
        assert lib.kw_scene_create(len(rows), kinds_c, figures_c, len(changes), given, out) == 0
        scene = ffi.gc(out[0], lib.kw_scene_destroy)

        def touch_at(pose, hint=-1, present=b"", length=LENGTH, width=WIDTH) -> Any:
            touch = ffi.new("kw_touch *")
            cosine, sine = math.cos(pose[2]), math.sin(pose[2])
            lib.kw_scene_touch(
                scene, present, *pose[:2], cosine, sine, length / 2, width / 2, hint, touch
            )
            listed = list(touch.solids)[: touch.n]
            return listed, touch.deepest, touch.depth_m, touch.clearance_m, touch.nearest

        return touch_at

    return scene_of


@pytest.mark.parametrize("n_more", [0, 100])
def test_solids_in_contact_are_listed_ascending_the_first_sixteen(
    touching: Any, n_more: int
) -> None:
    rows = [(POST, 50 + i, 50, 0.1, 0.4, 0, 0) for i in range(n_more)]
    rows += [(BOX, 0.1 * i, 0, 0.05, 1 + 0.01 * i, 10 * i, 0.4) for i in reversed(range(20))]
    touch_at = touching(rows)
    listed, deepest, depth_m, clearance_m, nearest = touch_at((1.0, 0, 0), length=3.0, width=0.2)
    assert listed == list(range(n_more, n_more + 16))
    gaps = [signed_gap(rectangle(1.0, 0, 0, 3.0, 0.2), row) for row in rows]
    assert deepest == nearest == int(np.argmin(gaps))
    assert (depth_m, clearance_m) == (pytest.approx(-min(gaps)), 0.0)


def test_a_hint_changes_nothing(touching: Any) -> None:
    rng = np.random.default_rng(4)
    for n in (8, 60):
        rows = random_rows(rng, n, math.sqrt(n))
        touch_at = touching(rows)
        for _ in range(100):
            pose = (*rng.uniform(0, math.sqrt(n), 2), rng.uniform(-3, 3))
            plain = touch_at(pose)
            gaps = [signed_gap(rectangle(*pose, LENGTH, WIDTH), row) for row in rows]
            assert plain[0] == [i for i, gap in enumerate(gaps) if gap <= 0][:16]
            assert plain[1] == (plain[4] if plain[0] else -1)
            for hint in (-1, 0, n - 1, n, -5, *rng.integers(0, n, 5)):
                assert touch_at(pose, int(hint)) == plain


@pytest.mark.parametrize("n_more", [0, 100])
def test_sides_that_meet_exactly_name_their_solid_as_any_contact_does(
    touching: Any, n_more: int
) -> None:
    rows = [(POST, 50 + i, 50, 0.1, 0.4, 0, 0) for i in range(n_more)]
    touch_at = touching([*rows, (BOX, 1.0, 0.0, 1.0, 1.0, 0, 0.4)])
    exactly, apart = (touch_at((x, 0.0, 0.0), length=0.5, width=0.25) for x in (0.25, 0.25 - 1e-15))
    assert exactly == ([n_more], n_more, 0.0, 0.0, n_more)
    assert apart[:3] == ([], -1, 0.0)
    assert 0.0 < apart[3] < 2e-15


@pytest.mark.parametrize("n_more", [0, 100])
def test_a_changeable_solid_is_touched_only_while_it_is_present(touching: Any, n_more: int) -> None:
    rows = [(BOX, 0, 0, 1, 1, 0, 0.4), (BOX, 3, 0, 1, 1, 0, 0.4)]
    rows += [(POST, 50 + i, 50, 0.1, 0.4, 0, 0) for i in range(n_more)]
    touch_at = touching(rows, ((0, 0, 0, 0, 0.0, (0, 0, 0)),))
    for hint in (-1, 0, 1):
        assert touch_at((0, 0, 0), hint, b"\1")[:2] == ([0], 0)
        absent = touch_at((0, 0, 0), hint, b"\0")
        assert absent[0] == []
        assert absent[3:] == (pytest.approx(2.5 - LENGTH / 2), 1)
