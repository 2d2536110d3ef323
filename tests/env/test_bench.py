"""The benchmark: runs in, rows out, the same whatever the number of processes; faults are rows."""

import hashlib
import importlib
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from kinewright_env import bench_workers
from kinewright_env.bench import BenchRow, BenchRun, bench, run_one, summaries
from kinewright_env.bench_runs import names_of, pairs_of, product, scenes_of, seeds_of, words_of
from kinewright_env.bench_table import alike, error_lines, run_table, summary_table
from kinewright_env.cli import main
from kinewright_env.errors import OptionError
from kinewright_env.journal import read
from kinewright_env.scene import scene_names

SHORT = {"time_limit_s": 2.0}

AGENTS = """
import os, signal, time

class Plain:
    def __init__(self, speed_mps=0.3, does=""):
        self.speed_mps, self.does = speed_mps, does
    def reset(self, obs, info):
        self.steps = 0
    def act(self, obs):
        self.steps += 1
        if self.steps == 3:
            if self.does == "raise":
                raise RuntimeError("boom")
            if self.does == "exit":
                os._exit(7)
            if self.does == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.does == "sleep":
                time.sleep(600)
            if self.does == "print":
                print("hello")
        return [self.speed_mps, 0.0]

def sleep_if_asked(task, alive):
    if task == "sleep":
        time.sleep(600)
    return f"{task}: done"

class Picky:
    def __init__(self, needed):
        pass
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Run in a folder with agents of a user's own."""
    (tmp_path / "own_agents.py").write_text(AGENTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield "own_agents"
    sys.modules.pop("own_agents", None)


def told(row: BenchRow) -> dict:
    """Return all of a row but what the machine's load decides."""
    return {**row.to_dict(), "wall_s": None}


def runs(*scenes: str, agent: str = "observe", **fields) -> list[BenchRun]:
    return [BenchRun(agent=agent, scene=scene, **{**SHORT, **fields}) for scene in scenes]


def status(*arguments: str) -> int:
    """Run the command; leaving by SystemExit counts as returning its status."""
    try:
        return main(arguments)
    except SystemExit as left:
        return left.code or 0


# ---- runs become rows ----


def test_rows_are_sorted_by_key_and_the_same_for_any_number_of_processes():
    some = [*runs("wall", "post"), *runs("wall", "senses_room", agent="random")]
    one, three = bench(some, jobs=1), bench(some[::-1], jobs=3)
    assert [told(row) for row in one] == [told(row) for row in three]
    assert [row.run.key() for row in one] == sorted(run.key() for run in some)
    assert [told(run_one(row.run)) for row in one] == [told(row) for row in one]


def test_numbers_in_names_sort_by_their_value():
    names = ["rooms:10", "rooms:9", "rooms", "box_2b", "box_10a"]
    listed = sorted(runs(*names), key=BenchRun.key)
    assert [run.scene for run in listed] == ["box_2b", "box_10a", "rooms", "rooms:9", "rooms:10"]


def test_a_run_that_is_there_twice_is_done_once():
    assert len(bench(runs("post", "post"))) == 1


def test_a_row_is_the_result_of_the_plain_loop_and_what_the_scene_expects():
    (row,) = bench(runs("senses_room", time_limit_s=None, seed=4))
    assert (row.result.verdict, row.result.seed, row.error) == ("blocked", 4, "")
    assert row.expected is None
    assert row.shell == "four_wheel_steer"
    assert row.finding == ""


def test_an_end_that_the_scene_does_not_expect_is_a_finding(tmp_path):
    text = (Path(__file__).parents[2] / "scenes/post.toml").read_text()
    (tmp_path / "own.toml").write_text(
        text.replace("expect = {", 'expect = { observe = ["at_goal"], random = ["out_of_time"],')
    )
    observed, asked = bench(
        [*runs(str(tmp_path / "own.toml"), time_limit_s=None),
         *runs(str(tmp_path / "own.toml"), agent="random", time_limit_s=0.5)]
    )  # fmt: skip
    assert (observed.result.verdict, observed.expected) == ("blocked", False)
    assert observed.finding == "unexpected end"
    assert (asked.expected, asked.finding) == (True, "")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("raise", "agent 'Plain' on tick 24: act raised RuntimeError: boom"),
        ("exit", "its process ended with status 7"),
        ("kill", "its process was ended by signal 9"),
    ],
)
def test_a_run_that_fails_is_a_row_and_the_others_go_on(own, does, said):
    plain = BenchRun(agent=f"{own}:Plain", scene="wall", **SHORT)
    some = [replace(plain, seed=seed) for seed in range(4)]
    some[1] = replace(some[1], agent_options={"does": does})
    rows = bench(some, jobs=2)
    assert [row.error for row in rows] == ["", said, "", ""]
    assert rows[1].finding == "error"
    assert rows[1].to_dict().keys() == rows[0].to_dict().keys()
    (part,) = summaries(rows)
    assert (part.runs, part.errors) == (4, 1)


def test_a_worker_that_falls_silent_is_given_up(own):
    work, results = importlib.import_module(own).sleep_if_asked, {}
    bench_workers.work_through(
        ["sleep", "answer"],
        work,
        lambda task, fault: f"{task}: {fault}",
        jobs=1,
        on_result=results.__setitem__,
        silent_s=3.0,
    )
    assert results == {0: "sleep: no step was done within 3 s", 1: "answer: done"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"agent": "nobody"}, "agent 'nobody' is unknown"),
        ({"agent": "own_agents:Picky"}, "needed"),
        ({"scene": "nowhere"}, "no such file"),
        ({"rig": ()}, "needs 'beam'"),
        ({"shell": "cart"}, "cart"),
        ({"agent_options": {"speed_mps": -1}}, "speed_mps"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else value,
)
def test_what_cannot_be_run_is_a_row_with_the_reason(own, fields, said):
    (row,) = bench([replace(runs("post")[0], **fields)])
    assert row.result is None
    assert said in row.error


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from kinewright_env.bench import BenchRun, bench\n"
        "bench([BenchRun(agent='observe', scene='post')])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "OptionError: no worker can be started" in done.stderr.splitlines()[-1]
    assert "__main__" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("jobs", [0, -1, 1.5, 10_000])
def test_an_odd_number_of_processes_is_refused(jobs):
    with pytest.raises(OptionError, match="jobs"):
        bench(runs("post"), jobs=jobs)


def test_nothing_to_do_is_no_rows():
    assert bench([]) == ()
    assert summaries(()) == ()


# ---- which runs ----


def test_by_default_each_shipped_scene_is_driven_by_the_agents_that_it_names():
    pairs = pairs_of(None, None)
    assert ("observe", "senses_room") in pairs
    assert {("stop_before", "wall"), ("go_around", "wall"), ("route", "wall")} <= set(pairs)


def test_agents_alone_drive_where_they_are_named_and_scenes_alone_name_theirs():
    assert pairs_of(["observe"], None) == (("observe", "senses_room"),)
    assert pairs_of(None, ["senses_room"]) == (("observe", "senses_room"),)
    assert pairs_of(["random", "observe"], ["post", "wall"]) == (
        ("random", "post"), ("random", "wall"), ("observe", "post"), ("observe", "wall"),
    )  # fmt: skip


def test_a_range_of_a_generator_is_each_of_its_scenes():
    assert scenes_of("random_rooms:8-11").names == [f"random_rooms:{n}" for n in range(8, 12)]
    assert scenes_of("random_rooms:8").names == ["random_rooms:8"]
    assert scenes_of("rooms:3-4:cells=5,wide=2").names == [
        "rooms:3:cells=5,wide=2",
        "rooms:4:cells=5,wide=2",
    ]


def test_a_list_is_written_with_commas_or_blanks():
    assert words_of(["a,b", "c", "d,"]) == ["a", "b", "c", "d"]
    assert words_of(["rooms:3-4:cells=5,wide=2,post"]) == ["rooms:3-4:cells=5,wide=2", "post"]


def test_generated_scenes_are_driven_by_the_agents_that_they_name():
    pytest.importorskip("kinewright_env.generators", exc_type=ImportError)
    pairs = pairs_of(None, ["random_posts:3-4"])
    assert {scene for _, scene in pairs} == {"random_posts:3", "random_posts:4"}
    row = run_one(BenchRun(agent="observe", scene="random_posts:3", **SHORT))
    assert (row.error, row.result.scene) == ("", "random_posts:3")


def test_a_pattern_is_the_shipped_scenes_that_fit():
    assert scenes_of("senses_*").names == [n for n in scene_names() if n.startswith("senses_")]


def test_seeds_are_a_number_of_them_or_a_range():
    assert list(seeds_of("3")) == [0, 1, 2]
    assert list(seeds_of("7-9")) == [7, 8, 9]


def test_an_option_goes_to_the_agents_that_have_it():
    made = product(
        [("observe", "post"), ("random", "post")],
        shells=[None],
        steerings=["servo"],
        seeds=range(2),
        agent_options=[("speed_mps", 0.2)],
        common=BenchRun(agent="", scene=""),
    )
    assert [run.agent_options for run in made] == [{"speed_mps": 0.2}] * 2 + [{}] * 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: pairs_of(["observ"], None), "did you mean 'observe'"),
        (lambda: pairs_of(["random"], None), "say --scenes"),
        (lambda: pairs_of(None, ["senses_wall_1m"]), "say --agents"),
        (lambda: scenes_of("rooms:9-3"), "A up to B"),
        (lambda: scenes_of("rooms:0-99999999"), "at most"),
        (lambda: scenes_of("nothing_*"), "no shipped scene fits"),
        (lambda: seeds_of("0"), "N from 1 on"),
        (lambda: seeds_of("5-3"), "A-B"),
        (lambda: seeds_of("-3"), "A-B"),
        (lambda: seeds_of("many"), "A-B"),
        (lambda: names_of("steerings", "reck", ["servo", "rack"]), "did you mean 'rack'"),
        (lambda: names_of("steerings", ",", ["servo", "rack"]), "all"),
    ],
)
def test_what_makes_no_runs_is_refused_with_what_is_allowed(call, said):
    with pytest.raises(OptionError, match=said):
        call()


# ---- tables ----


def test_what_all_runs_share_has_no_column():
    rows = [run_one(run) for run in runs("post", "wall")]
    assert alike(rows) == {"shell": "four_wheel_steer", "steering": "servo", "seed": "0"}
    head = run_table(rows)[0]
    assert head[:3] == ["agent", "scene", "verdict"]
    mixed = [*rows, run_one(replace(rows[0].run, steering="rack"))]
    assert run_table(mixed)[0][:4] == ["agent", "scene", "steering", "verdict"]
    assert len({len(line) for line in run_table(mixed)}) == 1


def test_an_error_is_said_once_for_all_that_had_it():
    rows = [run_one(run) for run in runs("post", "wall", "low_box", agent="nobody")]
    (line,) = error_lines(rows)
    assert line.startswith("nobody in post and 2 more: agent 'nobody' is unknown")


def test_the_root_of_a_summary_is_over_the_roots_in_order():
    rows = [run_one(run) for run in (*runs("post"), *runs("post", agent="nobody"))]
    *_, of_all = summaries(rows)
    assert of_all.agent == "all"
    lines = f"{rows[0].result.root}\n-\n"
    assert of_all.root == hashlib.sha256(lines.encode()).hexdigest()
    assert summary_table(summaries(rows))[-1][-1] == of_all.root[:16]


# ---- the command ----


def test_the_command_prints_both_tables_and_returns_whether_there_is_a_finding(capsys):
    assert status("bench", "--agents", "observe", "--scenes", "post", "wall", "--jobs", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "every run: shell four_wheel_steer, steering servo, seed 0"
    assert [line.split()[:3] for line in lines[2:4]] == [
        ["observe", "post", "blocked"],
        ["observe", "wall", "blocked"],
    ]
    assert lines[-1].split()[:2] == ["observe", "2"]
    contact = ["bench", "--agents", "observe", "--scenes", "senses_bump_left", "--findings"]
    assert status(*contact) == 1
    assert "contact" in capsys.readouterr().out


def test_findings_leave_the_other_rows_out(capsys):
    assert status("bench", "--agents", "observe", "--scenes", "post", "--findings") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "agent",
        "observe",
    ]


def test_json_has_the_keys_of_a_result_in_every_row(capsys, own):
    agents = f"{own}:Plain,observe,{own}:Picky"
    arguments = ["bench", "--agents", agents, "--scenes", "post", "--agent-option", "does=print"]
    assert status(*arguments, "--time-limit", "2", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["runs"] == 3
    assert [row["agent"] for row in told["rows"]] == ["observe", f"{own}:Picky", f"{own}:Plain"]
    assert len({tuple(sorted(row)) for row in told["rows"]}) == 1
    assert {"verdict", "honest", "spl", "root", "expected", "finding"} <= set(told["rows"][0])
    assert [part["agent"] for part in told["agents"]][-1] == "all"


def test_each_run_can_leave_its_journal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["bench", "--agents", "observe", "--scenes", "post", "--seeds", "2"]
    assert status(*arguments, "--record", "drives", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    files = sorted(Path("drives").iterdir())
    assert [file.name for file in files] == [f"observe-post-servo-{n}.kwj" for n in range(2)]
    assert [read(file).root() for file in files] == [row["root"] for row in rows]
    assert status(*arguments, "--record", "drives") == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "observ"], "did you mean 'observe'"),
        (["--scenes", "nowhere"], "no such"),
        (["--shells", "cart"], "four_wheel_steer"),
        (["--seeds", "x"], "A-B"),
        (["--jobs", "0", "--agents", "observe"], "jobs"),
        (["--engine", "moon"], "invalid choice"),
        (["--agents", "observe", "--agent-option", "price=3"], "price"),
        (["--agents", "observe", "--record", "no/such"], "No such file"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_status_2(capsys, arguments, said):
    assert status("bench", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_interrupted_it_prints_what_is_done(tmp_path, own):
    """The agent of the second run never answers; the first row is there when Ctrl-C comes."""
    program = textwrap.dedent(
        """
        import os, signal, sys
        from kinewright_env import cli, cli_bench

        def progress(total):
            class Progress:
                def show(self, done): os.kill(os.getpid(), signal.SIGINT)
                def clear(self): pass
            return Progress()

        if __name__ == "__main__":
            # where the tests run in the background, it is ignored
            signal.signal(signal.SIGINT, signal.default_int_handler)
            cli_bench.Progress = progress
            sys.exit(cli.main(sys.argv[1:]))
        """
    )
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "program.py", "bench", "--agents", "observe", f"{own}:Plain"]
    command += ["--scenes", "post", "--agent-option", "does=sleep", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 130, done.stderr
    assert "observe  post" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 2 runs were done."


# ---- plots ----


def test_plots_are_two_pictures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    arguments = ["bench", "--agents", "observe", "random", "--scenes", "post", "senses_bump_left"]
    folder = tmp_path / "plots"
    assert status(*arguments, "--time-limit", "2", "--seeds", "2", "--plots", str(folder)) == 1
    written = sorted(folder.iterdir())
    assert [file.name for file in written] == ["measures.png", "verdicts.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in written)
    assert "verdicts.png" in capsys.readouterr().err


def test_without_matplotlib_the_pip_line_is_said_before_anything_runs(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert status("bench", "--agents", "observe", "--plots", "plots") == 2
    assert 'pip install "kinewright[plot]"' in capsys.readouterr().err


def test_the_scenes_of_a_generator_share_a_line_of_a_plot():
    plots = pytest.importorskip("kinewright_env.bench_plots")
    pytest.importorskip("matplotlib")
    done = run_one(runs("post")[0])
    rows = [replace(done, run=replace(done.run, scene=f"rooms:{n}:x=1")) for n in range(5)]
    rows.append(BenchRow(run=runs("wall")[0], result=None, expected=None, error="boom"))
    (axes,) = plots.verdict_figure(rows).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["rooms:x=1", "wall"]
    assert [text.get_text() for text in axes.texts] == ["out_of_time 5/5", "error"]
