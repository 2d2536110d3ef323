"""The command: what it prints, writes and returns, and that every fault is one line."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kinewright_env import DriveEnv, run
from kinewright_env.agent import make, registered
from kinewright_env.cli import main
from kinewright_env.cli_arguments import path_to_follow
from kinewright_env.cli_drive import _pace
from kinewright_env.cli_output import png, printable, write_whole
from kinewright_env.errors import OptionError
from kinewright_env.generators import GENERATORS
from kinewright_env.scene import load_scene, scene_names

VERBS = ["drive", "manual", "bench", "scenes", "agents", "import"]
PATH = "1.4,1.9 2.4,1.9 3.4,1.1 4.6,1.1 5.2,1.6"


@pytest.fixture(autouse=True)
def _no_display(monkeypatch, tmp_path):
    """No test opens a window or writes outside its own folder."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def status(*arguments: str) -> int:
    """Run the command; leaving by SystemExit counts as returning its status."""
    try:
        return main(arguments)
    except SystemExit as left:
        return left.code or 0


def one_line(capsys) -> str:
    """Return the only line on stderr; nothing may stand on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err


# ---- help and usage ----


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_with_examples_and_json(capsys, verb):
    assert status(verb, "--help") == 0
    text = capsys.readouterr().out
    assert f"kinewright {verb}" in text.partition("examples:")[2]
    assert "--json" in text


def test_help_lists_the_verbs_and_the_version_is_said(capsys):
    assert status("--help") == 0
    text = capsys.readouterr().out
    assert all(f"    {verb} " in text for verb in VERBS)
    assert status("--version") == 0
    assert capsys.readouterr().out.startswith("kinewright 0.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "VERB"),
        (["dirve"], "invalid choice"),
        (["drive", "--headless", "--nothing"], "unrecognized"),
        (["drive", "sences_room", "--headless"], "did you mean 'senses_room'"),
        (["drive", "--headless", "--agent", "observ"], "did you mean 'observe'"),
        (["drive", "--headless", "--agent", "nowhere:Agent"], "cannot be loaded"),
        (["drive", "--headless", "--agent", "math:pi"], "is a float; allowed: a class"),
        (["drive", "--headless", "--agent", "math:pi", "--path", "1,2"], "allowed: a class"),
        (["agents", "os:path"], "is a module; allowed: a class"),
        (["agents", "..:Agent"], "cannot be loaded: TypeError"),
        (["drive", "--headless", "--agent-option", "speed=1"], "speed"),
        (["drive", "--headless", "--agent-option", "speed_mps"], "NAME=VALUE"),
        (["drive", "--headless", "--agent-option", "speed_mps=" + "[" * 5000], "speed_mps"),
        (["drive", "--headless", "--agent-option", "speed_mps=-1"], "speed_mps"),
        (["drive", "--headless", "--shell", "front"], "front_steer"),
        (["drive", "--headless", "--steering", "reck"], "did you mean 'rack'"),
        (["drive", "--headless", "--rig", "beam,skan"], "did you mean 'scan'"),
        (["drive", "--headless", "--ticks-per-step", "0"], "ticks_per_step"),
        (["drive", "--headless", "--ticks-per-step", "two"], "invalid int"),
        (["drive", "--headless", "--time-limit", "-3"], "time_limit_s"),
        (["drive", "--headless", "--seed", "-1"], "seed"),
        (["drive", "--headless", "--seed", "9223372036854775808"], "9223372036854775807"),
        (["drive", "--headless", "--start", "1,2"], "X,Y,DEG"),
        (["drive", "--headless", "--start", "1,nan,0"], "X,Y,DEG"),
        (["drive", "senses_room", "--headless", "--start", "3.28,3.0,0"], "low box"),
        (["drive", "--headless", "--goal", "1"], "X,Y"),
        (["drive", "--headless", "--path", "1,2 3"], "X,Y"),
        (["drive", "--headless", "--path", "none.csv"], "none.csv"),
        (["drive", "--headless", "--agent", "observe", "--path", "1,2"], "takes no path"),
        (["drive", "--headless", "--agent", "follow_path"], "--path"),
        (["drive", "--headless", "--agent", "manual"], "window"),
        (["drive", "--headless", "--picture", "x.bmp"], ".png"),
        (["drive", "--headless", "--film", "x.avi"], ".mp4"),
        (["drive", "--headless", "--picture", "no/x.png"], "folder"),
        (["drive", "--headless", "--picture", "x.png", "--size", "9"], "WxH"),
        (["drive", "--headless", "--picture", "x.png", "--size", "9x9"], "size"),
        (["scenes", "nowhere"], "no such"),
        (["scenes", "post", "-o", "x.bmp"], ".svg"),
        (["scenes", "-o", "x.svg"], "name"),
        (["agents", "nobody"], "unknown"),
        (["import", "none.yaml", "-o", "x.toml"], "none.yaml"),
        (["import", "none.gif", "-o", "x.toml"], "none.gif"),
        (["import", "none.yaml", "-o", "x.png"], ".toml"),
        (["import", "none.yaml"], "-o"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, said):
    assert status(*arguments) == 2
    line = one_line(capsys)
    assert line.startswith("kinewright: error: ")
    assert said in line
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def x(:", "SyntaxError"),
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_module_that_fails_as_it_is_imported_is_bad_usage(capsys, monkeypatch, text, said):
    Path("failing_agent.py").write_text(text)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    for verb in (["agents"], ["drive", "--headless", "--agent"]):
        assert status(*verb, "failing_agent:Agent") == 2
        assert said in one_line(capsys)


# ---- drive ----


def test_json_holds_the_result_of_the_same_drive(capsys):
    assert status("drive", "--json", "--seed", "7") == 0
    told = json.loads(capsys.readouterr().out)
    result = run(DriveEnv(scene="behind_second_wall"), make("route"), seed=7).to_dict()
    del told["wall_s"], result["wall_s"]
    assert told == result
    assert list(told) == list(result)


def test_the_sentence_comes_first_and_a_summary_follows(capsys):
    assert status("drive", "three_rooms", "--path", PATH, "--headless") == 0
    sentence, *rows = capsys.readouterr().out.splitlines()
    assert sentence.startswith("Followed the path to its end: 0.0")
    keys = [row.split()[0] for row in rows]
    assert keys == ["verdict", "time", "length", "contact", "clearance", "pace"]
    assert len({row[12] != " " for row in rows}) == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["senses_room"], 0),
        (["senses_room", "--path", "3.5,3.0"], 1),
        (["three_rooms", "--path", "1.0,1.5 1.2,1.5 1.0,1.5"], 1),
        (["three_rooms", "--agent", "cli_agents_of_test:NoWay"], 1),
        (["sealed_room", "--agent", "cli_agents_of_test:NoWay"], 0),
        (["senses_room", "--agent", "cli_agents_of_test:Raises"], 1),
    ],
    ids=["done", "contact", "path refused", "false verdict", "honest no_way", "agent raises"],
)
def test_the_exit_status_says_whether_there_was_a_finding(
    capsys, monkeypatch, tmp_path, arguments, code
):
    """Agents of the present folder are found, as in `module:Class`."""
    (tmp_path / "cli_agents_of_test.py").write_text(
        "from kinewright_env.agent import Claim\n"
        "class NoWay:\n"
        "    def reset(self, obs, info): pass\n"
        "    def act(self, obs): return [0.0, 0.0]\n"
        "    def claim(self): return Claim(verdict='no_way', sentence='No way.')\n"
        "class Raises(NoWay):\n"
        "    def act(self, obs): raise RuntimeError('on purpose')\n"
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert status("drive", *arguments, "--headless") == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if "Raises" in arguments[-1]:
        assert out == ""
        assert err == (
            "kinewright: error: agent 'Raises' on tick 0: act raised RuntimeError: on purpose\n"
        )


def test_options_reach_the_drive(capsys):
    arguments = [
        "three_rooms", "--json", "--shell", "front_steer", "--steering", "rack", "--rig", "beam",
        "--ticks-per-step", "6", "--time-limit", "2", "--start", "1.0,2.0,-45", "--no-noise",
        "--agent-option", "speed_mps=0.1", "--agent", "observe", "--on-contact", "terminate",
        "--goal", "5.0,1.5",
    ]  # fmt: skip
    assert status("drive", *arguments) == 0
    told = json.loads(capsys.readouterr().out)
    env = DriveEnv(
        scene="three_rooms", shell="front_steer", steering="rack", rig=("beam",), ticks_per_step=6,
        time_limit_s=2.0, noise=False, on_contact="terminate",
    )  # fmt: skip
    options = {"start": (1.0, 2.0, math.radians(-45)), "goal": (5.0, 1.5)}
    expected = run(env, make("observe", speed_mps=0.1), seed=0, options=options)
    assert told["root"] == expected.root
    assert told["spl"] == 0.0


def test_values_may_begin_with_a_minus(capsys):
    assert status("drive", "--json", "--start", "-3,-2.5,0", "--time-limit", "0.5") == 0
    assert json.loads(capsys.readouterr().out)["ticks"] == 60


def test_picture_and_film_are_written_and_said(capsys):
    pytest.importorskip("pygame")
    pytest.importorskip("imageio_ffmpeg")
    files = ["--picture", "a.png", "--film", "a.mp4", "--size", "320x240"]
    assert status("drive", "--time-limit", "1", *files) == 0
    out, err = capsys.readouterr()
    assert "a.png" in out
    assert "a.mp4" in out
    assert err.startswith("kinewright: no window: ")
    assert Path("a.png").read_bytes()[16:24] == (320).to_bytes(4, "big") + (240).to_bytes(4, "big")
    assert Path("a.mp4").stat().st_size > 1000
    assert sorted(file.name for file in Path.cwd().iterdir()) == ["a.mp4", "a.png"]


def test_a_film_that_runs_out_of_room_leaves_nothing_and_says_so():
    pytest.importorskip("pygame")
    pytest.importorskip("imageio_ffmpeg")
    Path("old.mp4").write_bytes(b"the old film")
    for blocks in ("4", "40"):  # the encoder stops at its first bytes, or in mid-film
        command = f'ulimit -f {blocks}; exec "$0" -m kinewright_env "$@"'
        drive = ["drive", "--headless", "--time-limit", "8", "--film", "old.mp4"]
        done = subprocess.run(
            ["sh", "-c", command, sys.executable, *drive], capture_output=True, text=True
        )
        assert done.returncode == 2
        assert "kinewright: error: film 'old.mp4': cannot be written" in done.stderr
        assert "Traceback" not in done.stderr
        assert [file.read_bytes() for file in Path.cwd().iterdir()] == [b"the old film"]


def test_without_a_display_the_drive_is_written_and_that_is_said(capsys):
    pytest.importorskip("pygame")
    pytest.importorskip("imageio_ffmpeg")
    assert status("drive", "--time-limit", "0.5") == 0
    out, err = capsys.readouterr()
    assert err == "kinewright: no window: there is no display to open a window on\n"
    assert f"wrote      {Path('output/behind_second_wall.png')}" in out
    assert Path("output/behind_second_wall.mp4").is_file()


def test_without_a_display_a_film_that_cannot_be_made_is_said(capsys, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setattr("kinewright_env.cli_drive.find_spec", lambda name: None)
    assert status("drive", "--time-limit", "0.5") == 0
    out, err = capsys.readouterr()
    assert "kinewright: no film: a film needs imageio-ffmpeg; run `pip install" in err
    assert [file.name for file in Path("output").iterdir()] == ["behind_second_wall.png"]
    assert "behind_second_wall.png" in out


@pytest.mark.parametrize(
    ("agent", "hint"),
    [
        ("observe", "did you mean 'speed_mps'? Allowed: 'near_mm', 'speed_mps'"),
        ("os:getpid", "allowed: nothing"),
    ],
)
def test_an_option_that_the_agent_has_not_is_refused_by_those_it_has(agent, hint, capsys):
    assert status("drive", "--headless", "--agent", agent, "--agent-option", "speed=1") == 2
    err = capsys.readouterr().err
    assert err == f"kinewright: error: agent {agent!r}: no option 'speed'; {hint}\n"


@pytest.mark.parametrize(
    ("wall_s", "pace"), [(40.0, "0.25"), (10.0, "1"), (0.1, "100"), (0.00625, "1600")]
)
def test_the_pace_is_a_plain_number(wall_s, pace):
    assert _pace(SimpleNamespace(time_s=10.0, wall_s=wall_s)) == pace


def test_a_drive_in_a_window_is_the_drive_without_one(capsys, monkeypatch):
    pytest.importorskip("pygame")
    arguments = ["drive", "--time-limit", "0.5"]
    assert status(*arguments, "--json") == 0
    root = json.loads(capsys.readouterr().out)["root"]
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    seen = []
    monkeypatch.setattr(
        "kinewright_env.cli_drive._tell", lambda result, *_, **__: seen.append(result)
    )
    assert status(*arguments) == 0
    assert seen[0].root == root
    assert capsys.readouterr().err == ""


def test_manual_without_a_window_says_what_it_needs(capsys):
    assert status("manual") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err.splitlines()[-1] == "kinewright: error: manual: needs a window, to take the keys from"
    )


# ---- scenes, agents, import ----


def test_a_generated_scene_is_drawn_and_driven_by_its_name(capsys):
    assert status("scenes", "random_maze:3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["name"] == "random_maze:3"
    drive = ["drive", "random_posts", "--seed", "3", "--agent", "random", "--time-limit", "0.5"]
    assert status(*drive, "--headless", "--json") == 0
    root = json.loads(capsys.readouterr().out)["root"]
    drive[1] = "random_posts:3"
    assert status(*drive, "--headless", "--json") == 0
    assert json.loads(capsys.readouterr().out)["root"] == root
    assert status("scenes", "random_maze") == 2
    assert "needs a seed, as in 'random_maze:7'" in capsys.readouterr().err


def test_scenes_lists_every_shipped_scene(capsys):
    assert status("scenes", "--json") == 0
    cards = json.loads(capsys.readouterr().out)
    names = list(scene_names())
    assert [card["name"] for card in cards[: len(names)]] == names
    assert [card["generator"] for card in cards[len(names) :]] == list(GENERATORS)
    assert cards[0]["root"] == load_scene(cards[0]["name"]).root
    assert status("scenes") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines][: len(names)] == names
    assert "random_rooms:SEED" in [line.split()[0] for line in lines]


def test_a_scene_is_drawn_in_the_terminal_and_in_files(capsys):
    assert status("scenes", "three_rooms") == 0
    assert capsys.readouterr().out.startswith("three_rooms: Three rooms")
    assert status("scenes", "three_rooms", "-o", "three.svg") == 0
    assert capsys.readouterr().out == "Wrote three.svg.\n"
    assert Path("three.svg").read_text(encoding="utf-8").startswith("<svg")
    pytest.importorskip("pygame")
    assert status("scenes", "three_rooms", "-o", "three.png") == 0
    assert Path("three.png").read_bytes().startswith(b"\x89PNG")


def test_agents_lists_what_is_registered_and_prints_a_card(capsys):
    assert status("agents", "--json") == 0
    cards = json.loads(capsys.readouterr().out)
    assert [card["name"] for card in cards] == sorted(registered())
    assert all(card["summary"].endswith(".") for card in cards)
    assert status("agents", "observe") == 0
    text = capsys.readouterr().out
    assert text.startswith("observe\n\nHold a speed straight ahead")
    assert "speed_mps = 0.3" in text
    assert "Needs `beam`" in text
    assert "Ends at rest with `blocked`" in text


MAP = """image: tiny.pgm
resolution: 0.5
origin: [0.0, 0.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.25
"""


def test_a_map_is_imported_and_driven(capsys, tmp_path):
    rows = ["########", "#......#", "#......#", "#......#", "########"]
    pixels = bytes(0 if cell == "#" else 254 for row in rows for cell in row)
    (tmp_path / "tiny.pgm").write_bytes(b"P5\n8 5\n255\n" + pixels)
    (tmp_path / "tiny.yaml").write_text(MAP)
    arguments = ["import", "tiny.yaml", "-o", "tiny.toml", "--start", "1.0,1.25,0"]
    assert status(*arguments, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    scene = load_scene(tmp_path / "tiny.toml")
    assert told["root"] == scene.root
    assert told["solids"] == len(scene.solids)
    assert status(*arguments) == 0
    assert capsys.readouterr().out.startswith(f"Wrote tiny.toml: {len(scene.solids)} solids")
    assert status("drive", "tiny.toml", "--path", "2.5,1.25", "--headless") == 0


# ---- what the verbs share ----


def test_an_interrupt_is_one_line_and_status_130(capsys, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kinewright_env.cli_drive.run", interrupted)
    assert status("drive", "--headless") == 130
    assert one_line(capsys) == "kinewright: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_leaves_is_no_error():
    command = subprocess.Popen(
        [sys.executable, "-m", "kinewright_env", "scenes", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    command.stdout.close()
    assert command.wait(30) == 141
    assert command.stderr.read() == b""
    command.stderr.close()


@pytest.mark.parametrize("verb", [["scenes"], ["scenes", "post"], ["drive", "--headless"]])
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "</dev/null >&- 2>&-"])
def test_closed_streams_are_no_error(verb, closed):
    """As under `nohup` of some shells, and in services."""
    command = f'exec "$0" -m kinewright_env "$@" {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable, *verb], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_a_terminal_that_cannot_show_a_sign_gets_it_escaped(flag):
    Path("beyond_ascii.py").write_text(
        """from kinewright_env.agent import Claim


class Agent:
    def reset(self, obs, info): ...
    def act(self, obs): return [0.0, 0.0]
    def claim(self): return Claim(verdict="stalled", sentence="Über → \\ud800")
""",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "kinewright_env", "drive", "--headless"]
    done = subprocess.run(
        [*command, "--agent", "beyond_ascii:Agent", *flag],
        capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if flag:
        assert json.loads(done.stdout)["sentence"] == "Über → \ud800"
    else:
        assert done.stdout.startswith("\\xdcber \\u2192 \\xd800")


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "kinewright_env", "drive", "--json", "--time-limit", "0.2"],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["ticks"] == 24


def test_a_warning_is_one_line(capsys, tmp_path):
    text = (
        load_scene("wide_gap")
        .to_toml()
        .replace("x = 3.40", "x = 1e3")
        .replace("x = 3.4,", "x = 1e3,")
    )
    (tmp_path / "far.toml").write_text(text)
    assert status("drive", "far.toml", "--headless", "--time-limit", "0.1") == 0
    err = capsys.readouterr().err
    assert err.startswith("kinewright: warning: ")
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    target = tmp_path / "taken"
    target.mkdir()
    for unwritable in (target, tmp_path / "nowhere" / "a.txt"):
        with pytest.raises(OSError, match=re.escape(repr(str(unwritable)))) as caught:
            write_whole(unwritable, b"data")
        assert ".part" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [target]
    write_whole(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_text_that_commands_a_terminal_is_shown_not_obeyed():
    assert printable("a\x1b[2Jb\nc\u202ed") == "a\\x1b[2Jb c\\x202ed"


def test_a_picture_is_a_png_that_others_read(tmp_path):
    image = pytest.importorskip("PIL.Image")
    numpy = pytest.importorskip("numpy")
    picture = numpy.arange(5 * 7 * 3, dtype=numpy.uint8).reshape(5, 7, 3)
    (tmp_path / "a.png").write_bytes(png(picture))
    with image.open(tmp_path / "a.png") as opened:
        numpy.testing.assert_array_equal(numpy.asarray(opened), picture)


def test_a_path_is_read_from_text_and_from_a_table(tmp_path):
    expected = [(1.0, -2.0), (3.0, 4.5, math.radians(90))]
    assert path_to_follow("1,-2 3,4.5,90") == expected
    file = tmp_path / "way.csv"
    for text in (
        "x,y,deg\n1,-2\n# on\n\n3, 4.5, 90\n",
        "1,-2\r\n3,4.5,90",
        "\ufeff1,-2\n3,4.5,90\n",
    ):
        file.write_text(text, encoding="utf-8")
        assert path_to_follow(str(file)) == expected


@pytest.mark.parametrize("text", ["1,2\n3\n", "1,2\nx,y\n", "1,2\n3,inf\n", "1,2,3,4\n"])
def test_a_bad_table_is_refused_with_its_line(tmp_path, text):
    file = tmp_path / "way.csv"
    file.write_text(text)
    with pytest.raises(OptionError, match=r"way\.csv, line [12]: .* is not allowed"):
        path_to_follow(str(file))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "way.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionError, match=r"way\.csv: cannot be read"):
        path_to_follow(str(tmp_path / "way.csv"))
