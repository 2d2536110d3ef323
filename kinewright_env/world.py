"""One drive in the core, as `DriveEnv` steps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .core import check, enumerators, ffi, lib, scene_core, sensors_to_c

if TYPE_CHECKING:
    from .rig import Sensor
    from .scene import Scene
    from .shells import Shell, Steering


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldOptions:
    """What of a drive is declared beside scene, shell and rig; as in `kw_options`."""

    ticks_per_step: int
    noise: bool
    end_at_goal: bool
    end_on_contact: bool
    time_limit_tick: int
    record: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveStart:
    """What a reset fixes: seed, start pose (x m, y m, heading rad), goals, goal changes.

    `goals` are (x m, y m, radius m); `goal_changes` are (tick, x m, y m).
    """

    seed: int
    pose: tuple[float, float, float]
    goals: tuple[tuple[float, float, float], ...]
    goal_changes: tuple[tuple[int, float, float], ...]


RUNNING: int = lib.KW_RUNNING
ENDED_AT_GOAL: int = lib.KW_ENDED_AT_GOAL
ENDED_ON_CONTACT: int = lib.KW_ENDED_ON_CONTACT
ENDED_OUT_OF_TIME: int = lib.KW_ENDED_OUT_OF_TIME

EVENT_NAMES: tuple[str, ...] = tuple(enumerators("kw_event_name", "KW_EVENT_"))


class World:
    """One drive in the core: what `DriveEnv` steps.

    Parameters
    ----------
    scene : Scene
        Shared with any number of worlds.
    shell, steering : Shell, Steering
        Of the rover.
    sensors : sequence of Sensor
        The rig, in the core's order.
    options : WorldOptions
        The rest.

    Raises
    ------
    CoreError
        If a figure is outside what the core keeps exactly.
    """

    def __init__(
        self,
        scene: Scene,
        shell: Shell,
        steering: Steering,
        sensors: Sequence[Sensor],
        options: WorldOptions,
    ) -> None:
        self._declared = (scene, shell, steering, tuple(sensors), options)
        self._scene_core = scene_core(scene)
        self._shell = shell.to_c(ffi)
        out = ffi.new("kw_world **")
        check(
            lib.kw_world_create(
                self._scene_core.pointer,
                self._shell,
                steering.to_c(ffi),
                len(sensors),
                sensors_to_c(sensors),
                _options_to_c(options)[0],
                out,
            )
        )
        self._world = ffi.gc(out[0], lib.kw_world_destroy)
        self._block = np.zeros(lib.kw_world_observation_length(self._world), np.int32)
        self._block_pointer = ffi.from_buffer("int32_t[]", self._block, require_writable=True)
        self.report = ffi.new("kw_report *")
        self._ask = ffi.new("kw_ask *")
        self.record_size: int = lib.kw_world_record_size(self._world) if options.record else 0
        if self.record_size < 0:
            raise MemoryError("the records of one step would not fit in memory")

    @property
    def observation_length(self) -> int:
        """How many int32 one observation holds."""
        return len(self._block)

    def reset(self, start: DriveStart) -> NDArray[np.int32]:
        """Begin a drive at tick 0 and return its first observation, a fresh block.

        Raises
        ------
        CoreError
            If a place is not finite or too far, or there are too many goals.
        """
        pose = ffi.new("kw_pose *", start.pose)
        check(
            lib.kw_world_reset(
                self._world,
                start.seed,
                pose[0],
                len(start.goals),
                ffi.new("kw_goal[]", list(start.goals)),
                len(start.goal_changes),
                ffi.new("kw_goal_change[]", list(start.goal_changes)),
                self._block_pointer,
                self.report,
            )
        )
        return self._block.copy()

    def quantise(self, speed_mps: float, steer_rad: float) -> int:
        """Take an ask for the next step, in the core's integers.

        Returns
        -------
        int
            How many of the two values were clipped, or -1 where one is not finite; the
            ask before then stays.
        """
        clipped: int = lib.kw_quantise_ask(self._shell, speed_mps, steer_rad, self._ask)
        return clipped

    def step(self, n_ticks: int, records: Any = ffi.NULL) -> NDArray[np.int32]:
        """Run the ask taken last and return the observation, a fresh block.

        Parameters
        ----------
        n_ticks : int
            Run at most; 1 to `ticks_per_step`.
        records : kw_records pointer, optional
            Takes the journal's records of the step: room for `record_size` more bytes.

        Raises
        ------
        CoreError
            If the drive has ended or was never reset.
        """
        status = lib.kw_world_step(
            self._world, n_ticks, self._ask[0], self._block_pointer, self.report, records
        )
        if status:
            check(status)
        return self._block.copy()

    def place(self, pose: tuple[float, float, float]) -> None:
        """Put `base_link` at a pose (x m, y m, heading rad) between two ticks.

        Raises
        ------
        CoreError
            If the drive has ended or was never reset, or the pose is too far.
        """
        check(lib.kw_world_place(self._world, ffi.new("kw_pose *", pose)[0]))

    def setup(self, start: DriveStart) -> list[tuple[str, Any]]:
        """Return all that a drive of this world is made of, as C types and values."""
        scene, _, steering, sensors, options = self._declared
        kinds, figures = scene.arrays()
        return [
            ("kw_shell *", self._shell),
            ("kw_steering *", steering.to_c(ffi)),
            ("kw_options *", _options_to_c(options)),
            ("kw_sensor[]", sensors_to_c(sensors)),
            ("int32_t[]", kinds.tolist()),
            ("double[]", figures.ravel().tolist()),
            ("kw_change[]", self._scene_core.changes),
            ("uint64_t", start.seed),
            ("kw_pose *", ffi.new("kw_pose *", start.pose)),
            ("kw_goal[]", ffi.new("kw_goal[]", list(start.goals))),
            ("kw_goal_change[]", ffi.new("kw_goal_change[]", list(start.goal_changes))),
        ]

    def record(self, records: Any, claim: int = 0) -> None:
        """Add the journal's records of the last reset, or of an end by a claim.

        Parameters
        ----------
        records : kw_records pointer
            Has room for `record_size` more bytes.
        claim : int
            0 for none.
        """
        lib.kw_world_record(
            self._world, claim, self.report.step_ticks, self._block_pointer, records
        )

    def observe(self) -> NDArray[np.int32]:
        """Return the drive as it stands, an observation without frames, a fresh block."""
        check(lib.kw_world_observe(self._world, self._block_pointer, self.report))
        return self._block.copy()

    def wheel_angles(self, steer_rad: float) -> tuple[float, float, float, float]:
        """Return the true angles of the wheels: front left and right, rear left and right."""
        out = ffi.new("double[]", lib.KW_WHEEL_COUNT)
        lib.kw_wheel_angles(self._shell, steer_rad, out)
        return out[0], out[1], out[2], out[3]

    def events(self) -> tuple[tuple[int, str, int], ...]:
        """Return (tick, name, detail) of each event of the last step, in order."""
        n = self.report.n_events
        if not n:
            return ()
        events = ffi.new("kw_event[]", n)
        lib.kw_world_events(self._world, events)
        return tuple((event.tick, EVENT_NAMES[event.name], event.detail) for event in events)

    def present(self) -> NDArray[np.bool_]:
        """Return (n_solids,) bool: which solids are there now."""
        out = np.zeros(self._scene_core.solid_count, np.uint8)
        lib.kw_world_present(self._world, ffi.from_buffer("uint8_t[]", out, require_writable=True))
        return out.astype(np.bool_)

    def save(self) -> bytes:
        """Return the whole state of the drive as little-endian bytes."""
        out = bytearray(lib.kw_world_state_size(self._world))
        lib.kw_world_save(self._world, ffi.from_buffer("uint8_t[]", out, require_writable=True))
        return bytes(out)

    def load(self, state: bytes) -> None:
        """Go on from a saved state of a world of the same declarations.

        Raises
        ------
        CoreError
            If the bytes are no such state.
        """
        check(lib.kw_world_load(self._world, len(state), ffi.from_buffer("uint8_t[]", state)))

    def state_field(self, at_byte: int) -> tuple[str, int, int, bool]:
        """Return name, first byte, bytes and whether a double, of what a byte of `save` is of.

        Raises
        ------
        CoreError
            Beyond the last.
        """
        field = ffi.new("kw_state_field *")
        check(lib.kw_world_state_field(self._world, at_byte, field))
        name: str = ffi.string(field.name).decode("ascii")
        if field.index >= 0:
            name = f"{name}[{field.index}]"
        return name, field.offset, field.size, field.is_real == 1

    def __reduce__(self) -> tuple[Any, ...]:
        report = bytes(ffi.buffer(self.report))
        ask = (self._ask.speed_dmmps, self._ask.steer_urad)
        return _restore, (self._declared, self.save(), report, ask)

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        restore, arguments = self.__reduce__()
        world: World = restore(*arguments)
        return world


def _options_to_c(options: WorldOptions) -> Any:
    """Return the options as the C struct."""
    fields = {name: int(getattr(options, name)) for name in options.__slots__}
    return ffi.new("kw_options *", fields)


def _restore(declared: tuple[Any, ...], state: bytes, report: bytes, ask: tuple[int, int]) -> World:
    world = World(*declared)
    world.load(state)
    ffi.buffer(world.report)[:] = report
    world._ask.speed_dmmps, world._ask.steer_urad = ask
    return world
