"""The local map: where the senses have lately met something near the shell."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .library import ffi, lib, to_c
from .sense import Sense

if TYPE_CHECKING:
    from ..shells import Shell

CELL_UM: int = lib.KW_LOCAL_CELL_UM
RADIUS_UM: int = lib.KW_LOCAL_RADIUS_UM
MEMORY_TICK: int = lib.KW_LOCAL_MEMORY_TICK
# The senses that mark, by their keys in rig and observation, in the core's order.
MARKING_SENSES = ("scan", "grid", "beam", "bumpers")
RANGING_SENSES = MARKING_SENSES[:3]

# Readings and statuses of one frame.
_FRAME_SIZES = {"scan": (360, 360), "grid": (64, 64), "beam": (1, 1), "bumpers": (2, 1)}
_INTS = ffi.typeof("int32_t[]")


class LocalMap:
    """Cells near the shell in which a sense has lately met something.

    A cell is remembered for 2 s after its last return and within 3 m of the pivot. Its
    tolerance is three sigma at the return's range, half its rounding step and half a cell's
    diagonal: the surface lies no nearer than the cell's centre less that.

    Parameters
    ----------
    shell : Shell
    rig : iterable of Sensor
        Declarations; the senses of `MARKING_SENSES` among them mark, others are ignored.
    ticks_per_step : int
        Ticks between observations.

    Raises
    ------
    OptionError
        Where a figure is out of what a rig allows.
    """

    def __init__(self, shell: "Shell", rig: Iterable[Sense], ticks_per_step: int) -> None:
        self._shell = shell
        self._senses = {sense.key: sense for sense in rig if sense.key in MARKING_SENSES}
        self._ticks_per_step = ticks_per_step
        out = ffi.new("kw_local_map **")
        declared = ffi.new("kw_sense[]", [_declared(self._senses.get(k)) for k in MARKING_SENSES])
        status = lib.kw_local_map_create(to_c(shell), declared, ticks_per_step, out)
        if status != lib.KW_OK:
            raise OptionError(
                f"local map: cannot be made of {sorted(self._senses)} at {ticks_per_step} ticks "
                "per step; allowed: sensors as a rig allows them, 1 to 12000 ticks"
            )
        self._map = ffi.gc(out[0], lib.kw_local_map_destroy)
        self._frames = ffi.new("kw_frames[]", lib.KW_SENSE_COUNT)
        self._sizes = {"pose": 3 * ticks_per_step}
        self._entries = []  # of each sense: its frame, and the keys of what is looked into
        for number, key in enumerate(MARKING_SENSES):
            if key in self._senses:
                n = -(-ticks_per_step // self._senses[key].period_tick)
                keys = (key, f"{key}_status", f"{key}_tick")
                sizes = (n * _FRAME_SIZES[key][0], n * _FRAME_SIZES[key][1], n)
                self._sizes |= dict(zip(keys, sizes, strict=True))
                self._entries.append((self._frames[number], keys))

    @property
    def pointer(self) -> Any:
        """The C map, for other kernels."""
        return self._map

    @property
    def senses(self) -> tuple[str, ...]:
        """Keys of the senses that mark here."""
        return tuple(key for key in MARKING_SENSES if key in self._senses)

    @property
    def age_tick(self) -> int:
        """How old a return may be when it arrives, before a step's own length: of the slowest."""
        ages = (sense.period_tick + sense.latency_tick for sense in self._senses.values())
        return max(ages, default=0)

    @property
    def is_known(self) -> bool:
        """Whether each ranging sense has told of what surrounds the shell.

        Since the start, or since the pose jumped farther than the shell moves in a tick.
        """
        return bool(lib.kw_local_map_is_known(self._map))

    def observe(self, observation: Mapping[str, Any]) -> None:
        """Mark what the frames of an observation met, and forget what is old or far.

        Parameters
        ----------
        observation : mapping
            Of `Drive-v0`; each once, in their order.

        Raises
        ------
        OptionError
            Where an entry is missing or of another size, or its tick not later than the last.
        """
        held = []  # what C looks into must live until it returns
        for frame, (values_key, statuses_key, ticks_key) in self._entries:
            frame.values = values = self._ints(observation, values_key)
            frame.statuses = statuses = self._ints(observation, statuses_key)
            frame.ticks = ticks = self._ints(observation, ticks_key)
            held += [values, statuses, ticks]
        poses = self._ints(observation, "pose")
        tick = int(observation["tick"][0])
        if lib.kw_local_map_observe(self._map, tick, poses, self._frames) != lib.KW_OK:
            raise OptionError(
                f"local map: the observation of tick {tick} cannot be taken; allowed: each once, "
                "in their order, no frame sampled after it"
            )

    def _ints(self, observation: Mapping[str, Any], key: str) -> Any:
        """Return an entry as C sees it, its size checked."""
        entry = ffi.from_buffer(_INTS, observation[key])
        if len(entry) != self._sizes[key]:
            raise OptionError(
                f"local map: {key!r} has {len(entry)} numbers; allowed: {self._sizes[key]} int32"
            )
        return entry

    def clear(self) -> None:
        """Forget all, as if newly made."""
        lib.kw_local_map_clear(self._map)

    def mark(self, row: int, col: int, tick: int, tolerance_um: int) -> None:
        """Mark one cell by hand, as a return on a tick.

        Raises
        ------
        OptionError
            Before the first observation, for a tick to come, or a tolerance beyond the radius.
        """
        if lib.kw_local_map_mark(self._map, row, col, tick, tolerance_um) != lib.KW_OK:
            raise OptionError(
                f"local map: cannot mark ({row}, {col}) on tick {tick} with {tolerance_um} um; "
                f"allowed: after an observation, no later than it, 0 to {RADIUS_UM} um"
            )

    def cells(self) -> NDArray[np.int32]:
        """Return the cells remembered, in no order that means anything.

        Returns
        -------
        (n, 4) int32
            Row, column, tick of the last return, tolerance in um. Cell (row, col) covers x
            from col * `CELL_UM` and y from row * `CELL_UM` on, in `map`.
        """
        out = np.empty((lib.kw_local_map_count(self._map), 4), dtype=np.int32)
        lib.kw_local_map_cells(
            self._map, ffi.cast("kw_local_cell *", ffi.from_buffer(out, require_writable=True))
        )
        return out


def _declared(sense: Sense | None) -> dict[str, Any]:
    """Return a declaration as the core takes it; nothing for a sense that is not there."""
    if sense is None:
        return {"is_present": 0}
    return {
        "is_present": 1,
        "period_tick": sense.period_tick,
        "latency_tick": sense.latency_tick,
        "range_min_m": sense.range_min_m,
        "range_max_m": sense.range_max_m,
        "ahead_m": sense.ahead_m,
        "half_angle_rad": sense.half_angle_rad,
        "sigma_base_mm": sense.sigma_base[0],
        "sigma_per_mm": sense.sigma_per_unit[0],
    }
