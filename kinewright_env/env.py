"""The environment: spaces, reset, step and reward terms; no drawing, no deciding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import options
from .actions import action_space, split_claim, two_numbers
from .core import TICKS_PER_SECOND
from .drive import FARTHEST_M, DriveSetup, make_world, plan_drive
from .drive_access import DriveAccess
from .errors import ActionError
from .observation import Layout, Observation
from .options import SEED_MOST, whole
from .progress import MEASURES, Progress
from .recording import Recording
from .rewards import TERMS, claim_terms, reward_terms
from .rig import Rig, make_rig
from .scene import Scene, scene_source
from .shells import Shell, Steering, get_shell, get_steering
from .verdicts import VERDICTS
from .view import DriveView
from .world import ENDED_AT_GOAL, ENDED_OUT_OF_TIME, RUNNING, World


class DriveEnv(DriveAccess):
    """A rover drives through a room that it knows only through models of real sensors.

    ## Description
    A shell on four wheels is asked for a speed and a steer angle, and obeys within the limits
    of its motors and its steering, which is itself a motion. What it knows of the room
    comes from its rig: each sensor has a rate, a latency, blind cases and seeded noise. One
    tick is 1/120 s; a step runs `ticks_per_step` of them, fewer only on the step that
    ends the drive, which stops on that very tick.

    ## Action space
    `Box([-0.5, -lock], [2.0, lock], (2,), float32)`: speed asked for, m/s, and steer angle
    asked for, rad, left positive. Values out of range are clipped and counted in
    `info["clipped"]`; NaN, infinity and wrong shapes raise `ActionError`. With `claims=True`
    it is `Dict(drive=Box, claim=Discrete(9))`: claim 0 drives on, 1 to 8 end the drive at
    once with that verdict of `kinewright_env.verdicts.VERDICTS`.

    ## Observation space
    A flat `Dict` of int32 `Box`es with true bounds. With n = ceil(ticks_per_step / period):

    | key | shape | unit |
    |---|---|---|
    | `cone`, `beam` | (n,) | mm |
    | `grid` | (n, 8, 8) | mm; rows from the top, columns from the left |
    | `scan` | (n, 360) | mm; beam k points k degrees to the left |
    | `radar` | (n, 3, 3) | targets, nearest first: mm, 0.1 degree, mm/s closing |
    | `bumpers` | (n, 2) | 0 or 1: left, right |
    | `encoders` | (n, 4) | counts of 0.2 mm |
    | `imu` | (n, 3) | 1/16 degree/s, 1/2048 g, 1/2048 g |
    | `lio` | (n, 5760, 3) | mm in `map`, rows from `lio_count` on zero; only where asked for |
    | `lio_count` | (n,) | points, in place of a status |
    | `X_status` | as `X`; (n, 3) for radar; | 0 nothing yet, 1 return, 2 out of range, |
    | | (n,) for bumpers, encoders, imu | 3 too near, 4 no echo |
    | `X_tick` | (n,) | tick sampled; oldest first, then -1 |
    | `pose` | (ticks_per_step, 3) | um, um, urad at each tick of the step |
    | `speed`, `steer`, `tick` | (1,) | mm/s, urad, ticks |
    | `goal`, `goal_radius` | (2,), (1,) | um in `map`, um |
    | `has_goal`, `goals_left` | (1,) | 0 or 1, goals after this one |

    Every frame that arrived during the step is there; arrays are fresh on every step.

    ## Rewards
    The sum of the terms in `info["reward_terms"]`, weighted as `kinewright_env.rewards`
    declares: progress (metres nearer to the goal by the scene's shortest way, 0 where there
    is none), time, contact, arrival, claim.

    ## Starting state
    At the scene's start, at rest, wheels straight, tick 0.

    ## Episode end
    Terminates when the body's centre is within the last goal's radius and the shell at rest
    (without claims), on a claim (with claims), or on contact where `on_contact` says so.
    Truncates at the scene's time limit, with the verdict `out_of_time`, and when a person
    closes the window.

    ## Arguments
    All keyword-only. `scene`: name, path, dict or `Scene`, or a generator's name, such as
    `"random_rooms"`: each drive is then in the scene of its seed; `shell`, `steering`: name or
    declaration; `rig`: names or a `Rig`, None for all but `lio`; `ticks_per_step=12`;
    `on_contact="report" | "terminate"`; `claims=False`; `time_limit_s`: instead of the
    scene's; `noise=True`; `progress="shortest" | "straight"`; `journal`: a file to
    record drives in; `render_mode=None | "human" |
    "rgb_array"`. Options of `reset`: `scene`, `start` (x m, y m, heading rad of
    `base_link`), `goal` (x m, y m), `shell`, each for that drive alone.

    ## Version history
    v0: first version.

    Raises
    ------
    OptionError, SceneError, RigError
        For a bad argument, with what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - an instance variable in Gymnasium's own type
        "render_modes": ["human", "rgb_array"],
        "render_fps": 10,
    }

    def __init__(
        self,
        *,
        scene: str | Path | Mapping[str, Any] | Scene = "senses_room",
        shell: str | Shell | None = None,
        steering: str | Steering = "servo",
        rig: Rig | Sequence[str] | None = None,
        ticks_per_step: int = 12,
        on_contact: str = "report",
        claims: bool = False,
        time_limit_s: float | None = None,
        noise: bool = True,
        progress: str = "shortest",
        journal: str | Path | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = options.one_of(
            "render_mode", render_mode, (None, *self.metadata["render_modes"])
        )
        self._setup = DriveSetup(
            scene=scene_source(scene),
            shell=None if shell is None else get_shell(shell),
            steering=get_steering(steering),
            rig=make_rig(rig),
            ticks_per_step=options.whole("ticks_per_step", ticks_per_step, 1, 12000),
            on_contact=options.one_of("on_contact", on_contact, ("report", "terminate")),
            claims=options.flag("claims", claims),
            time_limit_s=_time_limit(time_limit_s),
            noise=options.flag("noise", noise),
        )
        options.one_of("progress", progress, MEASURES)
        self._measure = progress
        self.metadata = dict(type(self).metadata, render_fps=TICKS_PER_SECOND / self.ticks_per_step)
        self._layout = Layout(self.rig, self._setup.default_shell, self.ticks_per_step)
        self.observation_space = cast(spaces.Space[Observation], self._layout.space())
        self.action_space = action_space(self._setup.default_shell, claims=self._setup.claims)
        self._drive = plan_drive(self._setup, {}, 0)
        self._world: World | None = None
        self._world_key: tuple[Any, ...] = ()
        self._ended = "it was not reset"
        self._closed = False
        self._verdict = ""
        self._judged_honest = False
        self._progress = Progress(self._drive, self._measure)
        self._view = DriveView()
        self._recording = None if journal is None else Recording(journal)

    # ---- Gymnasium ----

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a drive.

        Parameters
        ----------
        seed : int, optional
            Fixes the drive; without one it is drawn from `np_random`.
        options : mapping, optional
            `scene`, `start`, `goal`, `shell`, for this drive alone.

        Raises
        ------
        OptionError, SceneError
            For a bad option; the drive before then stays as it was.
        """
        self._refuse_closed()
        drawn = seed is None
        seed = self._draw_seed() if seed is None else whole("seed", seed, 0, SEED_MOST)
        drive = plan_drive(self._setup, options, seed)
        self._finish_record()
        super().reset(seed=None if drawn else seed)
        self._drive, self._ended = drive, "its reset failed"
        world = self._world_for_drive()
        block = world.reset(drive.start(seed))
        if self._recording is not None:
            self._recording.begin(world, drive, self._setup, seed)
        self._ended, self._verdict, self._judged_honest = "", "", False
        self._view.begin(drive.scene, drive.shell, self.rig)
        self._progress = Progress(drive, self._measure)
        self._progress.anchor(world.report)
        observation = self._layout.cut(block)
        self._view.keep_poses(observation)
        info = self._info(dict.fromkeys(TERMS, 0.0), 0)
        info["declarations"] = self.declarations()
        if self.render_mode == "human":
            self._view.show(self.snapshot(), 0)
        return observation, info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Ask for a speed and a steer angle, and run the step's ticks.

        Raises
        ------
        ActionError
            If the ask is not two finite numbers, or the claim not one of 0 to 8; the drive
            stays as it was.
        gymnasium.error.ResetNeeded
            Before a reset and after the end.
        """
        world = self._running_world()
        claim = 0
        if self._setup.claims:
            action, claim = split_claim(action)
        clipped = world.quantise(*two_numbers(action))
        if clipped < 0:
            raise ActionError(f"ask {action!r} is not finite; allowed: speed m/s, steer rad")
        if claim:
            return self._end_by_claim(world, VERDICTS[claim - 1], clipped)
        recorder = None if self._recording is None else self._recording.recorder
        if recorder is None:
            block = world.step(self.ticks_per_step)
        else:
            block = recorder.step(world, self.ticks_per_step)
        observation = self._layout.cut(block)
        self._view.keep_poses(observation)
        terms = reward_terms(world.report, self._progress.nearer_m(world))
        terminated, truncated = self._note_end(world)
        if self.render_mode is not None:
            self._view.keep_frames(observation, self.rig)
            if self.render_mode == "human":
                self._view.show(self.snapshot(), world.report.step_ticks)
                if self.window_closed and not self._ended:
                    self._ended = f"its window was closed on tick {world.report.tick}"
                    truncated = True
            else:
                self._view.pass_by(lambda: self.snapshot(layers=False))
        info = self._info(terms, clipped)
        return observation, sum(terms.values()), terminated, truncated, info

    def place(self, pose: Sequence[float]) -> None:
        """Put the shell elsewhere between two ticks: a kidnap.

        Speed, steering and sensors go on as they are; the next step begins there. Where a
        solid stands that is a contact, as it is where one drives into it. The journal has it.

        Parameters
        ----------
        pose : (x m, y m, heading rad)
            Of `base_link`, in `map`.

        Raises
        ------
        OptionError
            If it is not three finite numbers within 1000.
        gymnasium.error.ResetNeeded
            Before a reset and after the end.
        """
        world = self._running_world()
        names = ("x m", "y m", "heading rad")
        x_m, y_m, heading_rad = options.numbers("pose", pose, names, FARTHEST_M)
        world.place((x_m, y_m, heading_rad))
        if self._recording is not None:
            self._recording.place((x_m, y_m, heading_rad))

    def render(self) -> NDArray[np.uint8] | None:
        """Return the picture for `rgb_array`, (h, w, 3) uint8; `human` draws by itself.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset.
        gymnasium.error.DependencyNotInstalled
            Where pygame is missing.
        """
        self._refuse_closed()
        if self._world is None:
            raise gym.error.ResetNeeded("nothing to draw yet: call reset() first")
        if self.render_mode != "rgb_array":
            return None
        return self._view.picture(self.snapshot())

    def close(self) -> None:
        """Close the window; twice is fine."""
        self._closed = True
        self._view.close()
        self._finish_record()
        self._world = None

    @property
    def has_ended(self) -> bool:
        """Whether there is no drive to step: it has ended, or none was begun."""
        return bool(self._ended)

    def core_step(self, ask: Any) -> None:
        """Run one step in the core alone, for benchmarks: nothing of it is returned."""
        world = self._running_world()
        world.quantise(*two_numbers(ask))
        world.step(self.ticks_per_step)

    # ---- Inside ----

    def _refuse_closed(self) -> None:
        if self._closed:
            raise gym.error.Error("this environment is closed; make a new one")

    def _draw_seed(self) -> int:
        return int(self.np_random.integers(SEED_MOST, endpoint=True))

    def _running_world(self) -> World:
        self._refuse_closed()
        if self._ended or self._world is None:
            raise gym.error.ResetNeeded(f"no drive to step: {self._ended}; call reset()")
        return self._world

    def _note_end(self, world: World) -> tuple[bool, bool]:
        """Return (terminated, truncated), and keep the verdict of an end."""
        ending = world.report.ending
        if ending == RUNNING:
            return False, False
        self._ended = f"the last one ended on tick {world.report.tick}"
        if ending == ENDED_OUT_OF_TIME:
            self._verdict = "out_of_time"
            return False, True
        self._verdict = "at_goal" if ending == ENDED_AT_GOAL else ""
        return True, False

    def _world_for_drive(self) -> World:
        """Return a world for this drive, the last one where it fits."""
        key = (self.scene.root, self.shell, self._drive.time_limit_tick, self._recording is None)
        if self._world is None or key != self._world_key:
            self._world = make_world(self._setup, self._drive, record=self._recording is not None)
            self._world_key = key
        return self._world

    def _end_by_claim(
        self, world: World, verdict: str, clipped: int
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """End the drive where it stands, without running a tick."""
        honest = self.judge(verdict)
        self._verdict, self._judged_honest = verdict, honest is True
        self._ended = f"the last one ended by the claim {verdict!r}"
        observation = self._layout.cut(world.observe())
        if self._recording is not None and self._recording.recorder is not None:
            self._recording.recorder.add_claim(world, VERDICTS.index(verdict) + 1)
        self._view.keep_poses(observation)
        terms = claim_terms(honest)
        info = self._info(terms, clipped)
        return observation, sum(terms.values()), True, False, info

    def _info(self, terms: dict[str, float], clipped: int) -> dict[str, Any]:
        world = self._require_world()
        report = world.report
        return {
            "contact": report.contact == 1,
            "contact_solid": report.contact_solid,
            "contact_depth": report.contact_depth_m,
            "clearance": report.clearance_m,
            "clipped": clipped,
            "is_success": report.ending == ENDED_AT_GOAL or self._judged_honest,
            "verdict": self._verdict,
            "tick": report.tick,
            "scene": self.scene.name,
            "events": world.events(),
            "reward_terms": terms,
        }


def _time_limit(time_limit_s: float | None) -> float | None:
    return None if time_limit_s is None else options.positive("time_limit_s", time_limit_s, 1e6)
