"""The rolling occupancy in C: frames and ticks in, counts and components out."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import IncrementError, OptionError
from .corridor import CORNERS, Corridor
from .increment import RegisteredIncrement, RollingBounds, input_digest, why_refused
from .library import ffi, lib

__all__ = ["COUNTS", "Component", "FrameResult", "RollingGrid"]

DECISIONS: Final = ("not_threat", "unknown", "threat")
KINDS: Final = ("current", "retained", "stale", "bearing_only")
STATUSES: Final = (
    "accepted",
    "ticked",
    "refused_repeated",
    "refused_backward",
    "refused_pose",
    "refused_capacity",
)
ANSWERS: Final = ("not_threat", "unknown", "threat", "stale", "refused")
FLAGS: Final = {
    "sparse": lib.KW_ROLLING_SPARSE,
    "split": lib.KW_ROLLING_SPLIT,
    "overflow": lib.KW_ROLLING_OVERFLOW,
    "inside": lib.KW_ROLLING_INSIDE,
    "motion": lib.KW_ROLLING_MOTION,
}
THREAT: Final = lib.KW_ROLLING_THREAT


def _figure_names(struct: str) -> tuple[str, ...]:
    """Return the names of a struct of int64 figures, arrays as `name_0`, `name_1`."""
    names: list[str] = []
    for name, field in ffi.typeof(struct).fields:
        n = field.type.length if field.type.kind == "array" else 0
        names += [f"{name}_{i}" for i in range(n)] if n else [name]
    return tuple(names)


_RESULT: Final = _figure_names("kw_rolling_result")
_KINDS_AT: Final = _RESULT.index("evidence_0")
_DECISIONS_AT: Final = _RESULT.index("decisions_0")
_COUNTS_AT: Final = _RESULT.index("points")
COUNTS: Final = _RESULT[_COUNTS_AT:_KINDS_AT]
"""Names of the counts of a frame, in the core's order."""
_COMPONENT: Final = _figure_names("kw_rolling_component")
_EMPTY_DIGEST: Final = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameResult:
    """What came of one frame or tick.

    Attributes
    ----------
    status : str
        `accepted`, `ticked`, or `refused_` with its cause: `repeated` or `backward` stamp,
        no `pose`, `capacity`.
    answer : str
        `threat`, `unknown` or `not_threat`: the gravest decision, which speaks of the evidence
        and never says that a way is clear; `stale` of a tick; `refused`.
    fault : bool
        Whether the capacity fault is latched; then all is unknown.
    time_ns : int
        The map's time.
    counts : mapping of str to int
        By the names of `COUNTS`, of this frame alone. `current_cells` are those of the
        increment, no complete scan.
    evidence : mapping of str to int
        Pieces by kind: `current`, `retained`, `stale`, `bearing_only`.
    decisions : mapping of str to int
        By `threat`, `not_threat`, `unknown`; their sum is the evidence's.
    input_digest, published_digest : str
        SHA-256 of the frame, and of the components and runs that were published.
    """

    status: str
    answer: str
    fault: bool
    time_ns: int
    counts: MappingProxyType[str, int]
    evidence: MappingProxyType[str, int]
    decisions: MappingProxyType[str, int]
    input_digest: str
    published_digest: str

    @property
    def is_threat(self) -> bool:
        """Whether any piece of evidence is a threat; of a tick, too."""
        return self.decisions["threat"] > 0

    @property
    def is_refused(self) -> bool:
        """Whether the frame or tick was refused, for whatever cause."""
        return self.status.startswith("refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One piece of evidence with cells, or with a held identity alone.

    `identity` is 0 for none; of a retained component it is of this frame alone. `low` and
    `high` are its least and greatest voxel index along each axis, `least` its first cell.
    Ages are of its last hit, and of the cell that was hit longest ago.
    """

    kind: str
    decision: str
    flags: frozenset[str]
    identity: int
    n_cells: int
    n_points: int
    age_ns: int
    oldest_ns: int
    known_ns: int
    least: tuple[int, int, int]
    low: tuple[int, int, int]
    high: tuple[int, int, int]

    @property
    def speaks_of_motion(self) -> bool:
        """Whether its identity is known for long enough to speak of motion."""
        return "motion" in self.flags


class RollingGrid:
    """Voxels hit lately near the pose, and what of them lies in a corridor.

    Parameters
    ----------
    bounds : RollingBounds
        Of the map; those declared unless told.

    Raises
    ------
    OptionError
        If a bound is out of range.
    """

    def __init__(self, bounds: RollingBounds | None = None) -> None:
        self.bounds = RollingBounds() if bounds is None else bounds
        out = ffi.new("kw_rolling **")
        status = lib.kw_rolling_create(self.bounds.to_c(), out)
        if status == lib.KW_NO_MEMORY:
            raise MemoryError(f"no memory for a rolling map of {self.bounds}")
        if status != lib.KW_OK:
            raise OptionError(
                f"{self.bounds}: a bound is out of range; help(RollingBounds) says what is allowed"
            )
        self._map = ffi.gc(out[0], lib.kw_rolling_destroy)
        self._result = ffi.new("kw_rolling_result *")
        self._values = np.frombuffer(ffi.buffer(self._result), np.int64)
        self._count = ffi.new("int64_t *")
        self._n_frames = 0

    def frame(
        self,
        increment: RegisteredIncrement,
        corridor: Corridor | None = None,
        *,
        bearing_only: int = 0,
    ) -> FrameResult:
        """Take an increment and assess all evidence once.

        Parameters
        ----------
        increment : RegisteredIncrement
        corridor : Corridor, optional
            Without one all evidence is unknown.
        bearing_only : int
            Pieces of evidence that came with a direction and no place.

        Raises
        ------
        IncrementError
            If a number is not finite or a shape is wrong, the frame named; the map is as it was.
        """
        name = f"frame {self._n_frames}"
        points_m, pose, stamp_ns = increment.checked(name)
        status = self._call(
            lib.kw_rolling_frame,
            (len(points_m), ffi.from_buffer("double[]", points_m)),
            (ffi.NULL if pose is None else ffi.cast("kw_rolling_pose *", ffi.from_buffer(pose)),),
            (stamp_ns, corridor, bearing_only),
        )
        if status != lib.KW_OK:
            reason = why_refused(points_m, pose) or _why_not(stamp_ns, corridor, bearing_only)
            raise IncrementError(f"{name}, stamp {stamp_ns} ns: {reason}")
        self._n_frames += 1
        return self._frame_result(input_digest(points_m, pose, stamp_ns))

    def tick(
        self, stamp_ns: int, corridor: Corridor | None = None, *, bearing_only: int = 0
    ) -> FrameResult:
        """Let time pass without a frame: cells expire, the answer is `stale`, never clear."""
        arguments = (stamp_ns, corridor, bearing_only)
        if self._call(lib.kw_rolling_tick, (), (), arguments) != lib.KW_OK:
            raise IncrementError(f"tick at {stamp_ns!r} ns: {_why_not(*arguments)}")
        return self._frame_result(_EMPTY_DIGEST)

    def clear(self) -> int:
        """Forget all cells and identities; return how many cells."""
        return int(lib.kw_rolling_clear(self._map))

    def _call(
        self, function: Any, points: tuple[Any, ...], pose: tuple[Any, ...], rest: tuple[Any, ...]
    ) -> int:
        stamp_ns, corridor, bearing_only = rest
        struct = ffi.NULL if corridor is None else corridor.to_c()
        try:
            status: int = function(
                self._map, *points, *pose, stamp_ns, struct, bearing_only, self._result
            )
        except (OverflowError, TypeError):
            return int(lib.KW_BAD_ARGUMENT)
        if status == lib.KW_NO_MEMORY:
            raise MemoryError("no memory for this frame of the rolling map")
        return status

    def _frame_result(self, digest: str) -> FrameResult:
        values = self._values.tolist()
        refused = values[0] not in (lib.KW_ROLLING_ACCEPTED, lib.KW_ROLLING_TICKED)
        published = _EMPTY_DIGEST if refused else self._published_digest()
        return frame_result(values, digest, published)

    # ---- what the last frame or tick published ----

    def _published(self, function: Any, item: str) -> Any:
        pointer = function(self._map, self._count)
        return ffi.buffer(pointer, self._count[0] * ffi.sizeof(item))

    def _published_digest(self) -> str:
        components = self._published(lib.kw_rolling_components, "kw_rolling_component")
        runs = self._published(lib.kw_rolling_runs, "kw_rolling_run")
        if sys.byteorder == "big":
            components = np.frombuffer(components, ">i8").astype("<i8")
            runs = np.frombuffer(runs, ">i4").astype("<i4")
        digest = hashlib.sha256(components)
        digest.update(runs)
        return digest.hexdigest()

    def components(self) -> tuple[Component, ...]:
        """Return the components: current ones in the order of cells, retained ones, stale ones."""
        rows = np.frombuffer(
            self._published(lib.kw_rolling_components, "kw_rolling_component"), np.int64
        )
        return tuple(_component(row) for row in rows.reshape(-1, len(_COMPONENT)).tolist())

    def cells(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all active cells.

        Returns
        -------
        cells : (n, 4) int32
            Voxel indices x, y, z, and 0 for current or 1 for retained.
        ages_ns : (n,) int64
            Since their last hit.
        """
        room = self.bounds.cell_limit
        out = ffi.new("kw_rolling_cell[]", room)
        if lib.kw_rolling_cells(self._map, room, out, self._count) != lib.KW_OK:
            raise AssertionError("more cells than their limit")
        raw = np.frombuffer(ffi.buffer(out), np.int32).reshape(-1, 6)[: self._count[0]]
        ages = np.frombuffer(ffi.buffer(out), np.int64).reshape(-1, 3)[: self._count[0], 2]
        return raw[:, :4].copy(), ages.copy()

    def meets(
        self, pieces_um: NDArray[np.int64], *, low_um: int, high_um: int
    ) -> NDArray[np.bool_] | None:
        """Return which of several corridors meet an active cell.

        Parameters
        ----------
        pieces_um : (k, n, 2, 4) int64
            The pieces of each corridor, as in `Corridor`.
        low_um, high_um : int
            Heights of all of them, in `map`.

        Returns
        -------
        (k,) bool, or None
            None while the capacity fault is latched: nothing is known then.

        Raises
        ------
        IncrementError
            If a shape or a piece is not as declared.
        """
        pieces = np.ascontiguousarray(pieces_um, dtype=np.int64)
        if pieces.ndim != 4 or pieces.shape[2:] != (2, CORNERS):
            raise IncrementError(f"pieces_um has shape {pieces.shape}; allowed: (k, n, 2, 4)")
        decisions = np.empty(len(pieces), np.int32)
        status = lib.kw_rolling_test(
            self._map,
            low_um,
            high_um,
            pieces.shape[0],
            pieces.shape[1],
            ffi.cast("kw_rolling_piece *", ffi.from_buffer(pieces)),
            ffi.from_buffer("int32_t[]", decisions, require_writable=True),
        )
        if status != lib.KW_OK:
            raise IncrementError(_BAD_CORRIDOR)
        return None if self.fault else decisions == THREAT

    @property
    def fault(self) -> bool:
        """Whether the capacity fault is latched."""
        return bool(lib.kw_rolling_fault(self._map))


def frame_result(values: list[int], input_digest: str, published_digest: str) -> FrameResult:
    """Return a `kw_rolling_result`, its figures in order, by names."""
    status, answer, fault, time_ns = values[:_COUNTS_AT]
    counts = dict(zip(COUNTS, values[_COUNTS_AT:_KINDS_AT], strict=True))
    evidence = dict(zip(KINDS, values[_KINDS_AT:_DECISIONS_AT], strict=True))
    decisions = dict(zip(DECISIONS, values[_DECISIONS_AT:], strict=True))
    return FrameResult(
        status=STATUSES[status],
        answer=ANSWERS[answer],
        fault=bool(fault),
        time_ns=time_ns,
        counts=MappingProxyType(counts),
        evidence=MappingProxyType(evidence),
        decisions=MappingProxyType(decisions),
        input_digest=input_digest,
        published_digest=published_digest,
    )


_BAD_CORRIDOR: Final = (
    "corridor: allowed are 4,096 convex pieces, counter-clockwise, each within 500 m of its first "
    "corner and within 10,000 km, between two heights, the lower first"
)


def _why_not(stamp_ns: Any, corridor: Corridor | None, bearing_only: Any) -> str:
    """Say which argument, beside the points and the pose, the core refuses."""
    for what, value, most in (("stamp_ns", stamp_ns, 62), ("bearing_only", bearing_only, 26)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or abs(int(value)) > 2**most or (most == 26 and value < 0):
            return f"{what} is {value!r}; allowed: a whole number up to 2^{most}"
    return _BAD_CORRIDOR if corridor is not None else "more than 2^26 points"


def _component(row: list[int]) -> Component:
    kind, decision, flags, identity, n_cells, n_points, age_ns, oldest_ns, known_ns, *places = row
    least, low, high = ((places[i], places[i + 1], places[i + 2]) for i in range(0, len(places), 3))
    return Component(
        kind=KINDS[kind],
        decision=DECISIONS[decision],
        flags=frozenset(name for name, bit in FLAGS.items() if flags & bit),
        identity=identity,
        n_cells=n_cells,
        n_points=n_points,
        age_ns=age_ns,
        oldest_ns=oldest_ns,
        known_ns=known_ns,
        least=least,
        low=low,
        high=high,
    )
