"""The Gymnasium contract, over every registered id, shell, steering and render mode."""

import copy
import itertools
import pickle
import subprocess
import sys
import warnings
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.env import DriveEnv
from kinewright_env.errors import ActionError, OptionError, RigError, SceneError
from kinewright_env.rig import SENSORS, Rig, make_rig
from kinewright_env.shells import SHELLS, STEERINGS

IDS = sorted(name for name in gym.registry if name.startswith("Kinewright/"))
ASKS = np.array([[0.4, 0.1], [0.6, -0.3], [-0.2, 0.4], [2.0, 0.0]], np.float32)

# Asks stay in SI, as in ROS's AckermannDrive; Gymnasium would have them in [-1, 1].
NORMALISE = "recommend using a symmetric and normalized space"


def make(env_id="Kinewright/Drive-v0", **options):
    return gym.make(env_id, **options)


def equal(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize(
    ("env_id", "shell", "steering", "mode"),
    list(itertools.product(IDS, SHELLS, STEERINGS, (None, "rgb_array", "human"))),
)
def test_gymnasiums_checker_has_nothing_to_say(env_id, shell, steering, mode, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    if mode is not None:
        pytest.importorskip("pygame", reason="pygame is not installed")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = make(env_id, shell=shell, steering=steering, render_mode=mode)
        check_env(env.unwrapped, skip_render_check=False)
        env.close()
    said = [str(entry.message) for entry in caught if NORMALISE not in str(entry.message)]
    assert said == []


@pytest.mark.parametrize("env_id", IDS)
def test_a_spec_makes_the_same_drive(env_id):
    env = make(env_id, scene="post", shell="front_steer", ticks_per_step=7)
    again = gym.make(env.spec)
    first, _ = env.reset(seed=3)
    second, _ = again.reset(seed=3)
    assert equal(first, second)
    assert equal(env.step(ASKS[0])[0], again.step(ASKS[0])[0])


def test_spawned_workers_know_the_id(tmp_path):
    script = tmp_path / "vector.py"
    script.write_text(
        "import gymnasium as gym\n"
        "def make():\n"
        "    return gym.make('kinewright_env:Kinewright/Drive-v0', scene='post')\n"
        "if __name__ == '__main__':\n"
        "    envs = gym.vector.AsyncVectorEnv([make] * 2, context='spawn')\n"
        "    obs, info = envs.reset(seed=1)\n"
        "    obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())\n"
        "    print(obs['scan'].shape, obs['scan'].dtype, sorted(info)[0])\n"
        "    envs.close()\n"
    )
    run = [sys.executable, str(script)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "(2, 1, 360) int32 _clearance\n", done.stderr


def test_a_seed_fixes_a_drive_whatever_came_before():
    def roll(env, seed, n=50):
        env.reset(seed=seed)
        return [env.step(ASKS[i % 4])[0] for i in range(n)]

    env = make(scene="senses_room")
    first = roll(env, 7)
    np.random.seed(1)
    second = roll(env, 7)
    fresh = roll(make(scene="senses_room"), 7)
    assert all(equal(a, b) and equal(a, c) for a, b, c in zip(first, second, fresh, strict=True))
    other = roll(env, 8)
    assert not all(equal(a, b) for a, b in zip(first, other, strict=True))


def test_unseeded_resets_after_a_seeded_one_repeat_and_vary():
    def episodes(env):
        observations = []
        for seed in (5, None, None):
            env.reset(seed=seed)
            for _ in range(3):
                observations.append(env.step(ASKS[0])[0])
        return observations

    one, two = episodes(make()), episodes(make())
    assert all(equal(a, b) for a, b in zip(one, two, strict=True))
    assert not equal(one[2], one[5])
    assert not equal(one[5], one[8])


def test_what_a_step_returned_never_changes():
    env = make(scene="senses_room")
    kept = [env.reset(seed=1)]
    kept += [env.step(ASKS[i % 4]) for i in range(200)]
    copies = copy.deepcopy([entry[0] for entry in kept])
    env.step(ASKS[0])
    assert all(equal(entry[0], saved) for entry, saved in zip(kept, copies, strict=True))
    for first, second in itertools.pairwise(kept):
        for one in first[0].values():
            assert not any(np.shares_memory(one, other) for other in second[0].values())
        assert first[-1] is not second[-1]
        assert first[-1]["reward_terms"] is not second[-1]["reward_terms"]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("scene", ["senses_room", "door", "post"])
def test_a_copy_taken_mid_drive_goes_on_identically(duplicate, scene):
    env = make(scene=scene, shell="front_steer", steering="rack")
    env.reset(seed=11)
    for i in range(37):
        env.step(ASKS[i // 9 % 4])
    other = duplicate(env)
    for i in range(60):
        one, two = env.step(ASKS[i // 7 % 4]), other.step(ASKS[i // 7 % 4])
        assert equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        assert one[4] == two[4]
    assert env.unwrapped._world.save() == other.unwrapped._world.save()


@pytest.mark.parametrize("scene", ["senses_room", "behind_second_wall", "box_appears"])
def test_a_drive_is_the_same_however_its_ticks_are_split_into_steps(scene):
    saved = []
    for ticks in (1, 3, 12, 60):
        env = make(scene=scene, ticks_per_step=ticks)
        env.reset(seed=2)
        for tick in range(0, 1200, ticks):
            env.step(ASKS[tick // 60 % 4])
        saved.append(env.unwrapped._world.save())
    assert saved.count(saved[0]) == len(saved)


def test_a_split_step_brings_the_same_frames():
    def frames(ticks):
        env = make(scene="senses_room", ticks_per_step=ticks)
        env.reset(seed=2)
        seen = {key: [] for key in env.unwrapped.rig.keys}
        for tick in range(0, 1200, ticks):
            observation = env.step(ASKS[tick // 60 % 4])[0]
            for key, rows in seen.items():
                for i in np.flatnonzero(observation[f"{key}_tick"] >= 0):
                    row = (observation[f"{key}_tick"][i], observation[key][i].tobytes())
                    rows.append((*row, observation[f"{key}_status"][i].tobytes()))
        return seen

    assert frames(1) == frames(12) == frames(60)


@pytest.mark.parametrize(("mode", "n_steps"), [("rgb_array", 80), ("human", 8)])
@pytest.mark.parametrize(("shell", "steering"), list(itertools.product(SHELLS, STEERINGS)))
def test_rendering_never_changes_a_drive(mode, n_steps, shell, steering, monkeypatch):
    pytest.importorskip("pygame", reason="pygame is not installed")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    chosen = {"scene": "door", "shell": shell, "steering": steering}
    plain, drawn = make(**chosen), make(**chosen, render_mode=mode)
    one, two = plain.reset(seed=4), drawn.reset(seed=4)
    for i in range(n_steps):
        assert equal(one[0], two[0])
        assert one[1:-1] == two[1:-1]
        assert one[-1] == two[-1]
        one, two = plain.step(ASKS[i // 8 % 4]), drawn.step(ASKS[i // 8 % 4])
        if i % 8 == 0:
            assert (drawn.render() is None) == (mode == "human")
    assert plain.unwrapped._world.save() == drawn.unwrapped._world.save()
    drawn.close()


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_a_drawn_drive_goes_on_as_one_never_drawn_split_otherwise(
    mode, duplicate, monkeypatch
):
    pytest.importorskip("pygame", reason="pygame is not installed")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    plain, drawn = make(ticks_per_step=6), make(render_mode=mode)
    plain.reset(seed=4)
    drawn.reset(seed=4)
    for i in range(6):
        drawn.step(ASKS[i % 4])
        if i == 3:
            drawn.render()
            original, drawn = drawn, duplicate(drawn)
            original.step(ASKS[3])
    for i in range(12):
        plain.step(ASKS[i // 2 % 4])
    assert drawn.unwrapped.totals() == plain.unwrapped.totals()
    assert drawn.unwrapped._world.save() == plain.unwrapped._world.save()
    drawn.render()
    for env in (original, drawn):
        env.close()


def test_closing_twice_is_fine_and_what_follows_says_so():
    env = make()
    env.reset(seed=1)
    env.close()
    env.close()
    for call in (env.unwrapped.reset, lambda: env.unwrapped.step(ASKS[0]), env.unwrapped.render):
        with pytest.raises(gym.error.Error, match="closed"):
            call()


def test_a_drive_ended_by_closing_its_window_is_over_and_the_next_one_is_not(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame  # noqa: PLC0415 - an extra

    env = DriveEnv(render_mode="human")
    env.reset(seed=7)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    *_, terminated, truncated, _ = env.step([0.3, 0.0])
    assert (terminated, truncated, env.window_closed) == (False, True, True)
    with pytest.raises(gym.error.ResetNeeded, match="window was closed on tick 12"):
        env.step([0.3, 0.0])
    env.reset(seed=7)
    *_, terminated, truncated, _ = env.step([0.3, 0.0])
    assert (terminated, truncated, env.window_closed) == (False, False, False)
    env.close()


def test_a_window_that_a_copy_takes_over_does_not_end_the_drive(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = DriveEnv(render_mode="human")
    env.reset(seed=7)
    twin = copy.deepcopy(env)
    for drive in (twin, env, twin):
        *_, terminated, truncated, _ = drive.step([0.3, 0.0])
        assert (terminated, truncated) == (False, False)
    twin.close()
    assert env.step([0.3, 0.0])[3] is False
    env.close()


def test_a_step_before_a_reset_or_after_the_end_says_so():
    env = make(time_limit_s=0.05).unwrapped
    with pytest.raises(gym.error.ResetNeeded, match="not reset"):
        env.step(ASKS[0])
    env.reset(seed=1)
    *_, truncated, info = env.step(ASKS[0])
    assert truncated
    assert info["verdict"] == "out_of_time"
    assert info["tick"] == 6
    with pytest.raises(gym.error.ResetNeeded, match="tick 6"):
        env.step(ASKS[0])
    env.reset(seed=1)
    assert not env.step(np.zeros(2, np.float32))[2]


NAN, INF = float("nan"), float("inf")
BAD_ASKS = [
    [NAN, 0.0],
    [0.0, INF],
    np.array([-INF, 0.0]),
    np.zeros(3),
    np.zeros((1, 2)),
    np.zeros((), np.float32),
    "ab",
    None,
    {"drive": [0, 0]},
    ["a", "b"],
    [True, False],
    np.array([1 + 2j, 0]),
    np.array(["1", "2"]),
    [10**400, 0],
]


@pytest.mark.parametrize("ask", BAD_ASKS, ids=repr)
def test_a_bad_ask_is_refused_and_changes_nothing(ask):
    env = make().unwrapped
    env.reset(seed=1)
    env.step(ASKS[0])
    before = env._world.save()
    with pytest.raises(ActionError, match="ask"):
        env.step(ask)
    assert env._world.save() == before
    twin = make().unwrapped
    twin.reset(seed=1)
    twin.step(ASKS[0])
    assert equal(env.step(ASKS[1])[0], twin.step(ASKS[1])[0])


def test_an_ask_out_of_range_is_clipped_and_counted():
    env = make().unwrapped
    env.reset(seed=1)
    assert env.step([1e308, -1e308])[4]["clipped"] == 2
    assert env.step([3.0, 0.1])[4]["clipped"] == 1
    assert env.step(env.action_space.high)[4]["clipped"] == 0
    assert env.step(env.action_space.low)[4]["clipped"] == 0


BAD_OPTIONS = [
    ({"shell": "four_wheel_ster"}, OptionError, "did you mean 'four_wheel_steer'"),
    ({"steering": 3}, OptionError, "rack"),
    ({"ticks_per_step": 0}, OptionError, "ticks_per_step"),
    ({"ticks_per_step": 2.0}, OptionError, "whole number"),
    ({"ticks_per_step": True}, OptionError, "whole number"),
    ({"on_contact": "stop"}, OptionError, "terminate"),
    ({"on_contact": np.array([1, 2])}, OptionError, "terminate"),
    ({"progress": np.zeros(0)}, OptionError, "straight"),
    ({"claims": 1}, OptionError, "True or False"),
    ({"time_limit_s": -1}, OptionError, "above 0"),
    ({"time_limit_s": NAN}, OptionError, "above 0"),
    ({"noise": None}, OptionError, "True or False"),
    ({"progress": "shortst"}, OptionError, "did you mean 'shortest'"),
    ({"rig": ("scam",)}, RigError, "did you mean 'scan'"),
    ({"rig": ("scan", "scan")}, RigError, "2 times"),
    ({"rig": (["scan"],)}, RigError, "unknown sensor"),
    ({"scene": "senses_rom"}, SceneError, "senses_room"),
]


@pytest.mark.parametrize(("options", "error", "said"), BAD_OPTIONS, ids=repr)
def test_a_bad_option_says_what_is_allowed(options, error, said):
    with pytest.raises(error, match=said):
        make(**options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"secne": "post"}, "did you mean 'scene'"),
        ({"start": (0, 0)}, "heading rad"),
        ({"start": (NAN, 0, 0)}, "finite"),
        ({"start": (0.0, 3.0, 0.0)}, "puts the body into"),
        ({"goal": "there"}, "y m"),
        ({"goal": np.array(3.0)}, "y m"),
        ({"start": [[1], [2, 3], 4]}, "heading rad"),
        ({"goal": (1e9, 0)}, "within"),
        ({"shell": "tank"}, "front_steer"),
        ("post", "dict"),
    ],
    ids=repr,
)
def test_a_bad_reset_option_is_refused_and_the_drive_stays(options, said):
    env = make(scene="senses_room").unwrapped
    env.reset(seed=1)
    before = env._world.save()
    with pytest.raises(OptionError, match=said):
        env.reset(options=options)
    assert env._world.save() == before


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64, 1.5, True, "7"])
def test_a_seed_that_is_none_is_refused(seed):
    env = make().unwrapped
    env.reset(seed=2**63 - 1)
    with pytest.raises(OptionError, match="seed"):
        env.reset(seed=seed)
    assert equal(env.reset(seed=np.int64(7))[0], env.reset(seed=7)[0])


def test_whole_numbers_of_numpy_are_whole_numbers():
    env = make(ticks_per_step=np.int64(6)).unwrapped
    assert type(env.ticks_per_step) is int
    assert env.metadata["render_fps"] == 20
    assert env.reset(seed=1)[0]["pose"].shape == (6, 3)


BAD_DECLARATIONS = [
    (lambda: Rig(None), RigError, "a tuple of Sensor"),
    (lambda: Rig(("scan",)), RigError, "a Sensor"),
    (lambda: Rig((replace(SENSORS["scan"], key=[]),)), RigError, "unknown sensor"),
    (lambda: Rig((replace(SENSORS["scan"], ahead_m=10**400),)), RigError, "too large"),
    (lambda: make_rig(None).changed("scan", rate_hz="6"), RigError, "whole number of ticks"),
    (lambda: replace(SHELLS["front_steer"], rear_steered=1.5), OptionError, "True or False"),
    (lambda: replace(SHELLS["front_steer"], name=[]), OptionError, "a string"),
    (lambda: replace(STEERINGS["rack"], rate_cap_radps="1"), OptionError, "finite number"),
]


@pytest.mark.parametrize(("build", "error", "said"), BAD_DECLARATIONS)
def test_a_bad_declaration_says_what_is_allowed(build, error, said):
    with pytest.raises(error, match=said):
        build()


def test_reset_options_hold_for_one_drive():
    env = make(scene="senses_room").unwrapped
    observation, info = env.reset(
        seed=1,
        options={"scene": "post", "start": (0.7, 1.9, 0.1), "goal": (1.5, 2.0)},
    )
    assert info["scene"] == "post"
    assert observation["pose"][0].tolist() == [700000, 1900000, 100000]
    assert observation["goal"].tolist() == [1500000, 2000000]
    observation, info = env.reset(seed=1, options={"shell": "front_steer"})
    assert info["scene"] == "senses_room"
    assert info["declarations"]["shell"].name == "front_steer"
    assert env.reset(seed=1)[1]["declarations"]["shell"].name == "four_wheel_steer"


def test_info_has_the_same_keys_on_reset_and_on_every_step():
    env = make(scene="post").unwrapped
    keys = set(env.reset(seed=1)[1]) - {"declarations"}
    *flags, info = env.step(ASKS[0])
    assert set(info) == keys
    assert type(flags[1]) is float
    assert type(flags[2]) is bool
    assert type(flags[3]) is bool
    assert pickle.loads(pickle.dumps(info)) == info


def test_readings_stay_within_the_space():
    env = make(scene="senses_room", ticks_per_step=24).unwrapped
    for seed in range(5):
        assert env.observation_space.contains(env.reset(seed=seed)[0])
        for i in range(40):
            assert env.observation_space.contains(env.step(ASKS[i // 5 % 4])[0])


def test_wrappers_and_vectors_of_gymnasium_take_it():
    env = gym.wrappers.FlattenObservation(make(scene="post"))
    assert env.reset(seed=1)[0].dtype == np.int32
    envs = gym.vector.SyncVectorEnv([lambda: make(scene="post", time_limit_s=0.5)] * 3)
    envs.reset(seed=1)
    for _ in range(12):
        _, _, terminated, truncated, info = envs.step(np.tile(ASKS[0], (3, 1)))
        assert info["contact"].shape == (3,)
        assert not terminated.any()
    envs.close()
    assert truncated.dtype == np.bool_
