"""`follow_path` ends on the path's end pose, on both shells, steerings and any step length."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from shapely import LineString, Point

from kinewright_agents.follow_path import FollowPath
from kinewright_env import run
from kinewright_env.agent import Inputs
from kinewright_env.cli import main
from kinewright_env.core import scene_core
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.importers import import_map
from kinewright_env.layers import PolylineLayer, TextLayer
from kinewright_env.rig import make_rig
from kinewright_env.scene import load_scene
from kinewright_env.shells import SHELLS, STEERINGS
from kinewright_env.viewer import Canvas

MAPS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "maps"
THREE_ROOMS = [(0.7, 1.5), (1.4, 1.9), (2.4, 1.9), (3.4, 1.1), (4.6, 1.1), (5.2, 1.6, 0.6)]
EACH_PAIR = pytest.mark.parametrize(
    ("shell", "steering"), [(shell, steering) for shell in SHELLS for steering in STEERINGS]
)


def turned_deg(a_rad: float, b_rad: float) -> float:
    return math.degrees(abs((a_rad - b_rad + math.pi) % (2 * math.pi) - math.pi))


def drive(agent: FollowPath, **options):
    """Run one drive and return its result, all poses of the pivot, and the reference."""
    start = options.pop("start", None)
    env, poses, layers = DriveEnv(**options), [], []

    def on_step(drive_env: DriveEnv) -> None:
        snapshot = drive_env.snapshot()
        poses.append(snapshot.poses)
        layers.extend(x for x in snapshot.layers if isinstance(x, PolylineLayer))

    result = run(env, agent, seed=1, options=start and {"start": start}, on_step=on_step)
    env.close()
    return result, np.concatenate(poses), layers[-1].points_m


@EACH_PAIR
@pytest.mark.parametrize("ticks_per_step", [1, 12, 24])
def test_three_rooms_end_within_two_centimetres_and_two_degrees(shell, steering, ticks_per_step):
    """And the whole drive stays within 0.05 m of the reference (0.009 m is what was measured)."""
    result, poses, line = drive(
        FollowPath(THREE_ROOMS),
        scene="three_rooms",
        shell=shell,
        steering=steering,
        ticks_per_step=ticks_per_step,
    )
    x, y, heading = poses[-1]
    assert math.hypot(x - 5.2, y - 1.6) < 0.02
    assert turned_deg(heading, 0.6) < 2.0
    assert result.verdict == ""
    assert result.contact_ticks == 0
    reference = LineString(line)
    assert max(reference.distance(Point(place)) for place in poses[::6, :2]) < 0.05


@EACH_PAIR
def test_the_sentence_says_how_near_it_came(shell, steering):
    result, poses, _ = drive(
        FollowPath(THREE_ROOMS), scene="three_rooms", shell=shell, steering=steering
    )
    said = re.fullmatch(
        r"Followed the path to its end: (\d\.\d{3}) m and (\d\.\d) degrees off, in (\S+) s\.",
        result.sentence,
    )
    off_m = math.hypot(poses[-1][0] - 5.2, poses[-1][1] - 1.6)
    assert float(said[1]) == pytest.approx(off_m, abs=0.0006)
    assert float(said[3]) == pytest.approx(result.time_s, abs=0.06)


def test_it_is_slower_under_the_rack_and_never_faster_than_asked():
    times = {}
    for steering in STEERINGS:
        result, _, _ = drive(FollowPath(THREE_ROOMS), scene="three_rooms", steering=steering)
        times[steering] = result.time_s
    assert times["rack"] > 1.2 * times["servo"]
    result, poses, _ = drive(FollowPath(THREE_ROOMS, cruise_mps=0.2), scene="three_rooms")
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    assert steps.max() <= 0.2 / 120 + 1e-5
    assert result.time_s > 20.0


@EACH_PAIR
@pytest.mark.parametrize("turn", [1, -1])
def test_a_circle_near_the_lock_is_followed_round(shell, steering, turn):
    """Curved from its first point on: the wheels turn before they roll."""
    radius_m = 1.05 * SHELLS[shell].radius_at_lock_m
    angles = [1.5 * math.pi * i / 100 for i in range(101)]
    path = [(1 + radius_m * math.sin(a), 3 + turn * radius_m * (1 - math.cos(a))) for a in angles]
    _, poses, _ = drive(
        FollowPath([*path[:-1], (*path[-1], turn * 1.5 * math.pi)]),
        scene="senses_room",
        shell=shell,
        steering=steering,
    )
    centre_y = 3 + turn * radius_m
    offs = [abs(math.hypot(x - 1, y - centre_y) - radius_m) for x, y, _ in poses]
    assert max(offs) < 0.02
    assert math.hypot(poses[-1][0] - path[-1][0], poses[-1][1] - path[-1][1]) < 0.02
    assert turned_deg(poses[-1][2], turn * 1.5 * math.pi) < 2.0


def test_a_start_turned_by_half_a_turn_is_followed():
    """Half a turn in whole microradians is more than half a turn (a fault once)."""
    result, poses, _ = drive(
        FollowPath([(2.0, 3.0), (1.0, 3.0)]), scene="senses_room", start=(2.0, 3.0, math.pi)
    )
    assert result.sentence.startswith("Followed")
    assert poses[-1][0] == pytest.approx(1.0, abs=0.02)


def test_a_path_that_ends_where_it_stands_is_followed_at_once():
    result = run(DriveEnv(scene="senses_room"), FollowPath([(1.0, 3.0)]), seed=1)
    assert result.ticks == 0
    assert result.sentence.startswith("Followed the path to its end: 0.000 m")


def test_a_path_tighter_than_the_lock_is_refused_before_a_wheel_turns():
    circle = [(1 + 0.3 * math.sin(a / 9), 3.3 - 0.3 * math.cos(a / 9)) for a in range(50)]
    env = DriveEnv(scene="senses_room", shell="front_steer")
    with pytest.raises(AgentError, match=r"follow_path.*at \(.*\) has a radius of 0\.\d+ m"):
        run(env, FollowPath(circle), seed=1)
    assert env.totals()["tick"] == 0


@pytest.mark.parametrize("cruise_mps", [0.0, -1.0, math.nan, math.inf])
def test_an_odd_cruise_speed_is_refused(cruise_mps):
    with pytest.raises(AgentError, match="cruise_mps"):
        FollowPath([(1, 1)], cruise_mps=cruise_mps)


def test_a_step_too_long_for_one_ask_is_refused():
    env = DriveEnv(scene="senses_room", ticks_per_step=1200)
    with pytest.raises(AgentError, match="ticks_per_step is 1200; allowed: 320"):
        run(env, FollowPath([(2, 3)]), seed=1)


def begun(agent: FollowPath):
    env = DriveEnv(scene="senses_room")
    obs, info = env.reset(seed=1)
    agent.reset(obs, info)
    return env, obs


def test_without_a_path_it_rests_and_claims_nothing():
    agent = FollowPath()
    _, obs = begun(agent)
    assert agent.act(obs).tolist() == [0.0, 0.0]
    assert agent.claim() is None
    assert agent.decision()["reason"] == "rest"
    (hint,) = agent.layers()
    assert "draw a path" in hint.text


def test_a_path_drawn_at_the_window_is_followed():
    agent = FollowPath()
    env, obs = begun(agent)
    agent.act(obs)
    drawn = tuple((1.0 + 0.05 * i, 3.0 + 0.3 * math.sin(0.1 * i)) for i in range(20))
    agent.handle(Inputs(drawn_path_m=drawn))
    agent.handle(Inputs())
    for _ in range(200):
        obs = env.step(agent.act(obs))[0]
        if agent.claim() is not None:
            break
    x_um, y_um, _ = obs["pose"][-1].tolist()
    assert math.hypot(x_um / 1e6 - drawn[-1][0], y_um / 1e6 - drawn[-1][1]) < 0.02


def test_a_drawn_path_that_cannot_be_driven_is_said_and_it_rests():
    agent = FollowPath()
    _, obs = begun(agent)
    agent.handle(Inputs(drawn_path_m=((1.0, 3.0), (2.0, 3.0), (1.0, 3.0))))
    assert agent.act(obs)[0] == 0.0
    (said,) = agent.layers()
    assert isinstance(said, TextLayer)
    assert "has a radius of" in said.text


def test_decisions_are_integers_with_a_reason():
    agent = FollowPath([(2.5, 3.0)])
    env, obs = begun(agent)
    for _ in range(10):
        obs = env.step(agent.act(obs))[0]
    decision = agent.decision()
    assert decision.pop("reason") == "follow"
    assert decision["run_um"] > 100_000
    assert all(type(value) is int for value in decision.values())


def test_moved_off_its_path_it_stops_and_says_so():
    agent = FollowPath([(1.0, 3.0), (3.0, 3.0)])
    _, obs = begun(agent)
    moved = dict(obs, pose=obs["pose"] + np.array([500_000, 400_000, 0], np.int32))
    assert agent.act(moved)[0] == 0.0
    claim = agent.claim()
    assert claim.verdict == "stopped_trying"
    assert "0.40 m beside it at (1.50, 3.40)" in claim.sentence


def descent(scene, disc_m: float, far_m: float) -> list[tuple[float, float]]:
    """A path from the start to a place far_m away, along the cells of a distance field."""
    x_m, y_m = scene.start.x_m - 15.0, scene.start.y_m - 15.0
    field = scene_core(scene).shortest(
        disc_m, (x_m, y_m), 0.1, (300, 300), (scene.start.x_m, scene.start.y_m)
    )
    reached = np.where(np.isfinite(field) & (field < far_m), field, -1.0)
    row, column = map(int, np.unravel_index(np.argmax(reached), reached.shape))
    cells = [(row, column)]
    while field[row, column] > 0.1:
        near = [(row + a, column + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        row, column = min((cell for cell in near), key=lambda cell: (field[cell], cell))
        cells.append((row, column))
    return [(x_m + (c + 0.5) * 0.1, y_m + (r + 0.5) * 0.1) for r, c in reversed(cells)]


PUBLIC_MAPS = [
    ("depot", "front_steer", "servo"),
    ("tb3_sandbox", "four_wheel_steer", "rack"),
    ("small_house", "four_wheel_steer", "rack"),
    ("office", "front_steer", "servo"),
    ("willow-2010-02-18-0.10", "front_steer", "rack"),
    ("building_31", "four_wheel_steer", "servo"),
    ("stata_basement", "front_steer", "rack"),
]


def way_through(name: str, far_m: float):
    """The scene of a public map, a path through it, and a start that looks along the path."""
    if not (MAPS / f"{name}.yaml").is_file():
        pytest.skip("the public maps are not part of the repository")
    if name in ("building_31", "stata_basement"):
        pytest.importorskip("PIL", reason="PNG maps need pillow")
    scene = import_map(MAPS / f"{name}.yaml")
    path = descent(scene, 0.4, far_m)
    heading = math.atan2(path[6][1] - path[0][1], path[6][0] - path[0][0])
    return scene, path, (scene.start.x_m, scene.start.y_m, heading)


@pytest.mark.parametrize(("name", "shell", "steering"), PUBLIC_MAPS)
def test_each_public_map_is_driven_along_a_path_through_it(name, shell, steering):
    scene, path, start = way_through(name, 14.0)
    result, poses, _ = drive(
        FollowPath(path), scene=scene, shell=shell, steering=steering, time_limit_s=300.0,
        start=start,
    )  # fmt: skip
    assert result.sentence.startswith("Followed the path to its end")
    assert result.contact_ticks == 0
    assert math.dist(poses[-1][:2], path[-1]) < 0.02


ONE_OR_EVERY_MAP = pytest.mark.parametrize(
    "drive_of",
    [
        ("tb3_sandbox", "four_wheel_steer", "servo", 1.5),
        *(pytest.param((*one, 14.0), marks=pytest.mark.slow) for one in PUBLIC_MAPS),
    ],
    ids=lambda drive_of: f"{drive_of[0]}, {drive_of[-1]} m",
)


@ONE_OR_EVERY_MAP
def test_a_public_map_is_driven_in_the_window_as_without(drive_of, monkeypatch):
    """Drawn by hand through the window: every point of the path a place of the mouse."""
    pygame = pytest.importorskip("pygame", reason="the window needs the extra `render`")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    name, shell, steering, far_m = drive_of
    scene, path, start = way_through(name, far_m)
    world = {"scene": scene, "shell": shell, "steering": steering, "time_limit_s": 300.0}
    env, drawn = DriveEnv(**world, render_mode="human"), []

    def post(kind, **values):
        pygame.event.post(pygame.event.Event(kind, **values))

    def at_the_window(seen: DriveEnv) -> None:
        if seen.totals()["tick"] != 12:
            return
        for key in (*[pygame.K_PLUS] * 4, pygame.K_g):
            post(pygame.KEYDOWN, key=key)
            post(pygame.KEYUP, key=key)
        camera = seen._view._window._painter.camera
        places = [tuple(map(round, camera.pixel(*point))) for point in path]
        post(pygame.MOUSEBUTTONDOWN, button=1, pos=places[0])
        for place in places[1:]:
            post(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(1, 0, 0))
        post(pygame.MOUSEBUTTONUP, button=1, pos=places[-1])

    class Drawn(FollowPath):
        def handle(self, inputs: Inputs) -> None:
            drawn.extend([inputs.drawn_path_m] * (inputs.drawn_path_m is not None))
            super().handle(inputs)

    result = run(env, Drawn(), seed=1, options={"start": start}, on_step=at_the_window)
    end = env.snapshot().poses[-1]
    env.close()
    assert result.sentence.startswith("Followed the path to its end")
    assert result.contact_ticks == 0
    assert math.dist(end[:2], drawn[0][-1]) < 0.02
    assert math.dist(drawn[0][-1], path[-1]) < 0.1  # two pixels of the widest map
    without, _, _ = drive(FollowPath(drawn[0]), **world, start=start)
    assert without.length_m == pytest.approx(result.length_m, abs=1e-6)


@ONE_OR_EVERY_MAP
def test_a_public_map_is_driven_by_the_command_as_picture_and_film(
    drive_of, tmp_path, monkeypatch, capsys
):
    pygame = pytest.importorskip("pygame", reason="pictures need the extra `render`")
    pytest.importorskip("imageio_ffmpeg", reason="films need the extra `video`")
    name, shell, steering, far_m = drive_of
    _, path, (x_m, y_m, heading) = way_through(name, far_m)
    monkeypatch.chdir(tmp_path)
    Path("way.csv").write_text("".join(f"{x},{y}\n" for x, y in path))
    assert main(["import", str(MAPS / f"{name}.yaml"), "-o", "map.toml"]) == 0
    size = (1000, 700) if far_m > 10.0 else (500, 350)  # the command's own, or a quick one
    files = ["--path", "way.csv", "--picture", "drive.png", "--film", "drive.mp4", "--json"]
    files += ["--size", f"{size[0]}x{size[1]}"]
    world = ["--shell", shell, "--steering", steering, "--time-limit", "300"]
    capsys.readouterr()
    start = f"--start={x_m},{y_m},{math.degrees(heading)}"
    assert main(["drive", "map.toml", *files, *world, start]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["sentence"].startswith("Followed the path to its end")
    assert Path("drive.mp4").stat().st_size > 10_000
    scene = load_scene("map.toml")
    camera = Canvas(scene, SHELLS[shell], make_rig(None), size)._painter.camera
    picture = pygame.image.load("drive.png")
    for point in path[2:-6]:
        x, y = map(round, camera.pixel(*point))
        near = [picture.get_at((x + i, y + j))[:3] for i in range(-4, 5) for j in range(-4, 5)]
        assert any(blue > red + 60 for red, _, blue in near), point
