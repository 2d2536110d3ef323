"""`run` is the plain loop: same drive, whole result, and an agent's fault is named."""

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

import kinewright_env
from kinewright_env import run
from kinewright_env.agent import Claim, make
from kinewright_env.env import DriveEnv
from kinewright_env.errors import AgentError
from kinewright_env.journal import read
from kinewright_env.layers import TextLayer
from kinewright_env.rig import make_rig
from kinewright_env.shells import SHELLS, STEERINGS

# api.md: the keys of every --json, in this order
KEYS = [
    "verdict", "sentence", "honest", "time_s", "length_m", "spl", "contact_ticks",
    "min_clearance_m", "decisions", "plans", "switches", "gap_m", "rooms", "ticks", "wall_s",
    "root",
]  # fmt: skip


class Claims:
    """Drives ahead and claims after some steps."""

    def __init__(self, verdict: str = "", steps: int = 3, **carried: object) -> None:
        self.claimed = Claim(verdict=verdict, sentence="Said so.", **carried)
        self.steps = steps

    def reset(self, obs, info):
        self.left = self.steps

    def act(self, obs):
        self.left -= 1
        return [0.3, 0.0]

    def claim(self):
        return self.claimed if self.left < 0 else None


def ahead(obs):
    return [0.3, 0.0]


def test_the_result_has_the_keys_of_the_specification_in_order():
    result = run(DriveEnv(time_limit_s=0.5), ahead, seed=7).to_dict()
    assert list(result)[: len(KEYS)] == KEYS
    json.dumps(result, allow_nan=False)


def test_it_drives_as_the_plain_loop_does():
    env = DriveEnv(scene="senses_room", time_limit_s=3.0)
    obs, _ = env.reset(seed=7)
    ended = False
    while not ended:
        obs, _, terminated, truncated, info = env.step(ahead(obs))
        ended = terminated or truncated
    totals, poses = env.totals(), env.snapshot().poses
    result = run(env, ahead, seed=7)
    assert result.verdict == info["verdict"] == "out_of_time"
    assert result.sentence == "Out of time after 3.0 s."
    assert (result.ticks, result.length_m) == (totals["tick"], totals["length_m"])
    assert result.min_clearance_m == totals["min_clearance_m"]
    assert result.time_s == 3.0
    assert result.decisions == 30
    np.testing.assert_array_equal(env.snapshot().poses, poses)


def test_the_root_fixes_the_drive():
    """Same seed and asks, same root; another seed, scene, shell, or one ask a little off: not."""
    short = {"time_limit_s": 1.0}
    root = run(DriveEnv(**short), ahead, seed=7).root
    assert len(root) == 64
    assert run(DriveEnv(**short), ahead, seed=7).root == root
    others = [
        run(DriveEnv(**short), ahead, seed=8).root,
        run(DriveEnv(**short, scene="post"), ahead, seed=7).root,
        run(DriveEnv(**short, shell="front_steer"), ahead, seed=7).root,
        run(DriveEnv(**short, noise=False), ahead, seed=7).root,
        run(DriveEnv(**short, ticks_per_step=6), ahead, seed=7).root,
        run(DriveEnv(**short), lambda obs: [0.3001, 0.0], seed=7).root,
        run(DriveEnv(**short), ahead, seed=7, options={"start": (1.0, 3.01, 0.0)}).root,
    ]
    assert len({root, *others}) == 1 + len(others)


def test_asks_that_round_alike_have_one_root():
    roots = {
        run(DriveEnv(time_limit_s=0.5), lambda obs, v=v: [v, 0.0], seed=7).root
        for v in (0.3, 0.30001, 0.29999)
    }
    assert len(roots) == 1


def test_the_root_is_the_same_in_other_processes():
    program = (
        "import kinewright_env, kinewright_agents as agents; from kinewright_env import DriveEnv;"
        "agent = agents.make('follow_path', path=[(1.9, 3.2), (2.4, 4.2), (1.8, 5.0)]);"
        "print(kinewright_env.run(DriveEnv(steering='rack'), agent, seed=3).root)"
    )
    roots = set()
    for seed in "1", "2":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        roots.add(done.stdout)
    assert len(roots) == 1


def test_without_a_seed_one_is_drawn_from_the_environment_and_told():
    env = DriveEnv(time_limit_s=0.2)
    env.reset(seed=5)
    first = run(env, ahead)
    second = run(env, ahead)
    assert first.seed != second.seed
    env.reset(seed=5)
    assert run(env, ahead).root == first.root
    assert run(env, ahead, seed=second.seed).root == second.root


@pytest.mark.parametrize("claims", [False, True])
@pytest.mark.parametrize("verdict", ["", "blocked", "no_way"])
def test_a_claim_ends_the_drive_in_either_kind_of_environment(claims, verdict):
    env = DriveEnv(scene="three_rooms", claims=claims)
    result = run(env, Claims(verdict), seed=1)
    assert (result.verdict, result.sentence) == (verdict, "Said so.")
    assert result.ticks == 36
    assert result.decisions == 4


@pytest.mark.parametrize(
    ("scene", "claim", "honest"),
    [
        ("sealed_room", {"verdict": "no_way"}, True),
        ("sealed_room", {"verdict": "no_way_for_body"}, False),
        ("wide_gap", {"verdict": "no_way"}, False),
        ("wide_gap", {"verdict": "at_goal"}, False),
        ("wide_gap", {"verdict": "blocked"}, None),
        ("senses_room", {"verdict": "no_way"}, None),
        ("narrow_gap", {"verdict": "no_way_for_body", "gap_m": 0.24}, True),
        ("narrow_gap", {"verdict": "no_way_for_body", "gap_m": 0.31}, False),
        ("three_rooms", {"verdict": "map_complete", "rooms": 3}, True),
        ("three_rooms", {"verdict": "map_complete", "rooms": 2}, False),
    ],
)
@pytest.mark.filterwarnings("ignore::kinewright_env.scene.SceneWarning")
def test_a_verdict_is_held_against_the_truth(scene, claim, honest):
    result = run(DriveEnv(scene=scene), Claims(**claim), seed=1)
    assert result.honest is honest
    assert (result.gap_m, result.rooms) == (claim.get("gap_m"), claim.get("rooms"))


def test_a_drive_to_the_goal_is_weighted_by_its_length():
    env = DriveEnv(scene="wide_gap")
    result = run(env, make("follow_path", path=[(2.0, 2.0), (3.4, 2.0)]), seed=1)
    assert result.verdict == "at_goal"
    assert result.honest is True
    # the way is straight: the goal's radius of 0.15 m need not be run
    assert result.spl == pytest.approx(2.65 / result.length_m, abs=0.01)
    assert run(DriveEnv(scene="wide_gap"), Claims("blocked"), seed=1).spl == 0.0
    assert run(DriveEnv(scene="senses_room"), Claims("blocked"), seed=1).spl is None


def test_contact_is_counted_and_may_end_the_drive():
    options = {"scene": "senses_room", "time_limit_s": 10.0}
    through = run(DriveEnv(**options), lambda obs: [0.5, 0.0], seed=1)
    assert through.contact_ticks > 60
    assert through.min_clearance_m == 0.0
    ended = run(DriveEnv(**options, on_contact="terminate"), lambda obs: [0.5, 0.0], seed=1)
    assert ended.contact_ticks == 1
    assert ended.sentence.startswith("Ended by contact with 'low box' after ")
    assert ended.verdict == ""


class Model:
    """As Stable-Baselines3 has it."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        assert deterministic
        assert episode_start[0] == (state is None)
        return np.array([0.3, 0.0], np.float32), (state or 0) + 1


def test_a_callable_a_model_and_a_named_class_drive_alike():
    roots = {
        run(DriveEnv(time_limit_s=0.5), agent, seed=1).root
        for agent in (ahead, Model(), Claims(steps=100), lambda obs: np.array([0.3, 0.0]))
    }
    assert len(roots) == 1


def test_an_agent_says_its_own_name():
    short = {"time_limit_s": 0.2}
    assert run(DriveEnv(**short), ahead, seed=1).agent == "ahead"
    assert run(DriveEnv(**short), Claims(), seed=1).agent == "Claims"
    assert run(DriveEnv(**short), make("observe"), seed=1).agent == "observe"


def test_wrapped_environments_drive_alike():
    bare = run(DriveEnv(time_limit_s=0.5), ahead, seed=1)
    env = gym.make("Kinewright/Drive-v0", time_limit_s=0.5)
    env = gym.wrappers.RecordEpisodeStatistics(env)
    assert run(env, ahead, seed=1).root == bare.root
    flat = gym.wrappers.FlattenObservation(gym.make("Kinewright/Drive-v0", time_limit_s=0.5))
    assert run(flat, ahead, seed=1).ticks == bare.ticks


def test_an_environment_of_another_kind_is_refused():
    with pytest.raises(AgentError, match="no Kinewright environment"):
        run(gym.make("CartPole-v1"), ahead)


class Faulty(Claims):
    def __init__(self, **faults: object) -> None:
        super().__init__(steps=1)
        self.faults = faults

    def _maybe(self, method: str, good: object) -> object:
        fault = self.faults.get(method, good)
        if isinstance(fault, BaseException):
            raise fault
        return fault

    def reset(self, obs, info):
        super().reset(obs, info)
        self._maybe("reset", None)

    def act(self, obs):
        good = super().act(obs)
        return self._maybe("act", good) if self.left < 0 else good

    def claim(self):
        return self._maybe("claim", None)

    def layers(self):
        return self._maybe("layers", ())

    def notes(self):
        return self._maybe("notes", ())

    def handle(self, inputs):
        self._maybe("handle", None)

    @property
    def plans(self):
        return self._maybe("plans", 0)


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ({"reset": ZeroDivisionError("by nothing")}, "in reset: reset raised Zero.*by nothing"),
        ({"reset": AgentError("no such path")}, "in reset: no such path"),
        ({"act": KeyError("grid")}, "on tick 12: act raised KeyError: 'grid'"),
        ({"act": None}, "on tick 12: ask None is not allowed"),
        ({"act": "fast"}, "on tick 12: ask 'fast' is not allowed"),
        ({"act": [0.3]}, "on tick 12: .*shape"),
        ({"act": np.zeros((2, 2))}, "on tick 12: .*shape"),
        ({"act": [float("nan"), 0.0]}, "on tick 12: .*not finite"),
        ({"act": [0.0, -float("inf")]}, "on tick 12: .*not finite"),
        ({"act": {"drive": [0.3, 0.0], "claim": 1}}, "on tick 12: ask"),
        ({"claim": RuntimeError("lost")}, "on tick 0: claim raised RuntimeError: lost"),
        ({"claim": "blocked"}, "on tick 0: .*None or a Claim"),
        ({"claim": Claim(verdict="blokced")}, "on tick 0: .*did you mean 'blocked'"),
        ({"act": SystemExit(3)}, "on tick 12: act raised SystemExit: 3"),
        ({"claim": Claim(verdict="", sentence=5)}, "on tick 0: .*are strings"),
        ({"claim": Claim(verdict=["at_goal"])}, "on tick 0: .*are strings"),
        ({"claim": Claim(verdict="no_way_for_body", gap_m="wide")}, "on tick 0: .*finite number"),
        ({"claim": Claim(verdict="no_way_for_body", gap_m=float("nan"))}, "on tick 0: .*finite"),
        ({"claim": Claim(verdict="map_complete", rooms=2.5)}, "on tick 0: .*whole number"),
        ({"plans": OSError("none")}, "on tick 120: plans raised OSError"),
        ({"notes": 5}, "on tick 0: .*allowed: .kind, mapping. pairs"),
        ({"notes": ["plan"]}, "on tick 0: .*allowed: .kind, mapping. pairs"),
        ({"notes": [("decision", {})]}, "on tick 0: .*'decision'; allowed: 'plan', 'switch'"),
        ({"notes": [("plan", 7)]}, "on tick 0: .*has 7; allowed: a mapping"),
        ({"notes": [("plan", {"way": {1, 2}})]}, "on tick 0: its plan can't be recorded"),
        ({"notes": TypeError("no")}, "on tick 0: notes raised TypeError"),
        ({"handle": TypeError("no")}, "on tick 0: handle raised TypeError"),
    ],
    ids=str,
)
def test_a_faulty_agent_is_named_with_tick_and_reason(faults, said):
    """The cause stays chained, and the environment can drive on."""
    env = DriveEnv(time_limit_s=1.0)
    with pytest.raises(AgentError, match=f"(?s)^agent 'Faulty' {said}") as fault:
        run(env, Faulty(**faults), seed=1)
    cause = next(iter(faults.values()))
    if isinstance(cause, BaseException):
        assert fault.value.__cause__ is cause
    assert run(env, ahead, seed=1).verdict == "out_of_time"


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (5, "allowed: layers in a list"),
        (["a line"], "'a line' is no layer"),
        ([TextLayer(name="said", text=7)], "is no layer"),
        (TypeError("no"), "layers raised TypeError"),
    ],
)
def test_faulty_layers_are_named_when_somebody_looks(layers, said):
    env, agent = DriveEnv(time_limit_s=1.0), Faulty(layers=layers)
    with pytest.raises(AgentError, match=f"^agent 'Faulty' on tick 12: .*{said}"):
        run(env, agent, seed=1, on_step=lambda drive: drive.snapshot())
    assert run(env, agent, seed=1).verdict == "out_of_time"


def test_layers_are_asked_for_only_when_somebody_looks_and_once_a_step():
    class Drawn:
        asked = 0

        def reset(self, obs, info): ...

        def act(self, obs):
            return [0.3, 0.0]

        def layers(self):
            self.asked += 1
            return (TextLayer(name="asked", text=str(self.asked)),)

    env, agent = DriveEnv(time_limit_s=0.5), Drawn()
    root = run(env, agent, seed=1).root
    assert agent.asked == 0
    assert env.snapshot(layers=False).layers == ()
    assert env.snapshot().layers == env.snapshot().layers == (TextLayer(name="asked", text="1"),)
    assert copy.deepcopy(env).snapshot().layers == env.snapshot().layers
    seen = []
    assert run(env, agent, seed=1, on_step=lambda drive: seen.append(drive.snapshot())).root == root
    assert [len(snapshot.layers) for snapshot in seen] == [0, 1, 1, 1, 1, 1]
    assert agent.asked == 6


def test_figures_of_numpy_in_a_claim_and_in_counts_come_out_plain():
    agent = Claims("no_way_for_body", gap_m=np.float32(0.25), rooms=np.int64(2))
    agent.plans, agent.switches = np.int64(3), True
    result = run(DriveEnv(scene="narrow_gap"), agent, seed=1)
    assert (result.honest, result.gap_m, result.rooms, result.plans) == (True, 0.25, 2, 3)
    json.dumps(result.to_dict())


def test_declarations_and_seeds_of_numpy_are_those_of_plain_numbers():
    def drive(kind, whole):
        shell = replace(SHELLS["front_steer"], length_m=kind(0.375))
        steering = replace(STEERINGS["servo"], rate_cap_radps=kind(5.5))
        rig = make_rig("beam,scan").changed("beam", ahead_m=kind(0.25), sigma_base=(kind(2),) * 3)
        env = DriveEnv(shell=shell, steering=steering, rig=rig, time_limit_s=0.5)
        return run(env, ahead, seed=whole(7))

    plain, numpy = drive(float, int), drive(np.float32, np.int64)
    assert numpy.root == plain.root
    json.dumps(numpy.to_dict())


def test_with_claims_an_agent_may_claim_in_its_action():
    env = DriveEnv(scene="sealed_room", claims=True)
    result = run(env, lambda obs: {"drive": [0.3, 0.0], "claim": 2}, seed=1)
    assert (result.verdict, result.honest) == ("no_way", True)
    with pytest.raises(AgentError, match="claim 9 is not allowed"):
        run(env, lambda obs: {"drive": [0.3, 0.0], "claim": 9}, seed=1)


def test_on_step_sees_the_reset_and_every_step_and_the_layers():
    ticks = []
    run(DriveEnv(time_limit_s=0.5), ahead, seed=1,
        on_step=lambda drive: ticks.append(drive.totals()["tick"]))  # fmt: skip
    assert ticks == [0, 12, 24, 36, 48, 60]


def test_a_closed_window_ends_the_drive_in_order(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame  # noqa: PLC0415 - an extra

    def close_after_three(drive: DriveEnv) -> None:
        if drive.totals()["tick"] == 36:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    env = DriveEnv(scene="senses_room", render_mode="human")
    result = run(env, ahead, seed=1, on_step=close_after_three)
    env.close()
    assert result.verdict == ""
    assert result.sentence == f"The window was closed after {result.time_s:.1f} s."
    assert result.ticks <= 60


def test_run_stays_a_function_whatever_was_imported_first():
    """A module of that name would take its place in the package (a fault once)."""
    program = (
        "import kinewright_env.runner, kinewright_env.cli, kinewright_env as package;"
        "assert callable(package.run)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert callable(kinewright_env.run)


def test_an_agent_that_fails_after_the_last_step_leaves_its_error_in_the_record(tmp_path):
    class FailsLate:
        plans = property(lambda self: 1 / 0)

        def reset(self, obs, info): ...

        def act(self, obs):
            return [0.1, 0.0]

    path = tmp_path / "late.kwj"
    env = DriveEnv(time_limit_s=0.2, journal=path)
    with pytest.raises(AgentError, match="plans"):
        run(env, FailsLate(), seed=1)
    env.close()
    journal = read(path)
    assert journal.fault == ""
    (verdict,) = journal.of("verdict")
    assert b"plans" in verdict.payload


def test_the_truth_of_a_scene_says_nothing_of_a_goal_that_the_reset_chose() -> None:
    env = kinewright_env.DriveEnv(scene="behind_second_wall", time_limit_s=1.0)
    env.reset(seed=0)
    assert env.judge("no_way") is False
    env.reset(seed=0, options={"goal": (-50.0, 3.0)})
    assert env.judge("no_way") is None
    assert env.judge("at_goal") is False
    env.close()
