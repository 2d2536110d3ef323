"""The belief map: what the senses have said of every cell they have looked at.

Cells of 0.02 m on the lattice anchored at the origin of `map`: cell (row, col) covers y from
row times the cell and x from col times the cell on. See docs/belief.md for the rules.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import AgentError
from .belief_parts import Array, Box, Cells, Changes, Cluster, Rooms
from .belief_senses import COPY_CELL_UM, Marker, RigFigures, beam_marker, grid_marker, scanner_of
from .library import ffi, lib
from .pose_ring import PoseRing

if TYPE_CHECKING:
    from ..shells import Shell

# Bits of `Belief.details` above the two lowest.
CELL_PERMANENT: int = lib.KW_BELIEF_CELL_PERMANENT
CELL_CHANGEABLE: int = lib.KW_BELIEF_CELL_CHANGEABLE
CELL_RELAXED: int = lib.KW_BELIEF_CELL_RELAXED

BELIEF_CELL_UM: int = lib.KW_BELIEF_CELL_UM

# A frontier that the body with its clearance cannot enter: twice 0.156 m (route.md).
NARROWEST_FRONTIER_UM = 312_000
# A neck narrower than this is a doorway; a room has at least this area (route.md).
NECK_UM = 900_000
LEAST_ROOM_UM2 = 10**12
WINDOW_CELLS_MOST = 2**26

RETURN = 1  # of a reading's statuses


def _check(status: int, doing: str) -> None:
    if status == lib.KW_OK:
        return
    reasons = {
        lib.KW_NO_ROOM: f"it would span more than {lib.KW_BELIEF_SPAN_CELLS} cells of 0.02 m, "
        "327.68 m, the greatest extent of a belief",
        lib.KW_NO_MEMORY: "there is no memory left",
    }
    raise AgentError(f"belief: {doing}: {reasons.get(status, 'a value is not allowed')}")


def _ints(array: Any, shape: tuple[int, ...], name: str) -> Array:
    out = np.ascontiguousarray(array, dtype=np.int32)
    if out.shape != shape:
        raise AgentError(f"belief: {name} has shape {out.shape}; allowed: {shape}")
    return out


def _check_int32(doing: str, *values: int) -> None:
    if not all(-(2**31) <= value < 2**31 for value in values):
        raise AgentError(f"belief: {doing}: {values} do not all fit into 32 bits")


def _cells(box: tuple[int, int, int, int]) -> tuple[Cells, str]:
    """Return an array for a box of cells, and its name in an error."""
    row0, col0, n_rows, n_cols = box
    doing = f"a window of {n_rows} x {n_cols} cells from ({row0}, {col0})"
    if n_rows < 0 or n_cols < 0 or n_rows * n_cols > WINDOW_CELLS_MOST:
        raise AgentError(f"belief: {doing}; allowed: 0 to {WINDOW_CELLS_MOST} cells")
    _check_int32(doing, row0, col0)
    return np.empty((n_rows, n_cols), np.uint8), doing


def _pointer(array: Array) -> Any:
    return ffi.from_buffer("int32_t[]", array)


def _box(struct: Any) -> Box:
    return Box(row0=struct.row0, col0=struct.col0, n_rows=struct.n_rows, n_cols=struct.n_cols)


def _copied(pointer: Any, n: int, dtype: type) -> Any:
    """Return n values of the belief's own memory as an array of its own."""
    if n == 0:
        return np.empty(0, dtype)
    size = n * np.dtype(dtype).itemsize
    return np.frombuffer(ffi.buffer(pointer, size), dtype).copy()


class Belief:
    """What the senses have said of every cell they have looked at.

    The scanner's rays carve free space and mark hits, `grid` and `beam` mark what is near,
    `bumpers` mark with certainty; other sensors say nothing here. It is the map of the
    scanner's plane: what is lower is carved free.

    Parameters
    ----------
    shell : Shell
    rig : Rig
        Declarations of the sensors; any of those above may be missing.
    ticks_per_step : int
        The most ticks of one observation.

    Attributes
    ----------
    rebuild : bool
        Whether the latest scan contradicted more than a fifth of the permanent cells in view.
    permanent_in_view, contradicted : int
        The latest scan's two counts of cells.
    scans : int
        Scans taken.
    """

    def __init__(self, shell: "Shell", rig: RigFigures, ticks_per_step: int = 12) -> None:
        out = ffi.new("kw_belief **")
        _check(lib.kw_belief_create(out), "creating it")
        self._belief = ffi.gc(out[0], lib.kw_belief_destroy)
        self._report = ffi.new("kw_belief_report *")
        self._changes = ffi.new("kw_belief_changes *")
        self._observed = ffi.new("kw_belief_box *")
        self._scanner = scanner_of(shell, rig["scan"]) if "scan" in rig else None
        self._markers = tuple(
            make(shell, rig[key])
            for key, make in (("grid", grid_marker), ("beam", beam_marker))
            if key in rig
        )
        front_um = 1e6 * (shell.body_ahead_m + 0.5 * shell.length_m)
        side_um = 0.5e6 * shell.width_m
        corners = np.array([[front_um, side_um], [front_um, -side_um]])
        self._corners = np.rint(corners).astype(np.int32) if "bumpers" in rig else None
        back = max((s.period_tick + s.latency_tick for s in rig), default=1)
        self._ring = PoseRing(back + ticks_per_step + 1)
        self.scans = 0
        self.rebuild = False
        self.permanent_in_view = 0
        self.contradicted = 0

    def observe(self, obs: Mapping[str, Array]) -> int:
        """Take all that an observation brings; return how many scans it held.

        A frame whose poses are not known, from before the first observation, is left out.

        Raises
        ------
        AgentError
            Where the belief would grow beyond its greatest extent.
        """
        self._ring.add(obs)
        taken = 0
        if self._scanner is not None:
            for i, tick in enumerate(obs["scan_tick"].tolist()):
                poses = self._ring.between(tick - self._scanner.period_tick + 1, tick)
                if tick >= 0 and poses is not None:
                    self.scan(poses, obs["scan"][i], obs["scan_status"][i], tick)
                    taken += 1
        for marker in self._markers:
            self._mark_readings(marker, obs)
        if self._corners is not None and np.count_nonzero(obs["bumpers"]):
            self._mark_bumpers(self._corners, obs)
        self.relax(int(obs["tick"][0]))
        return taken

    def scan(self, poses: Array, ranges_mm: Array, statuses: Array, tick: int) -> None:
        """Take one revolution of the scanner.

        Parameters
        ----------
        poses : (period_tick, 3) int32
            Of `base_link` on the ticks of the revolution: x um, y um, heading urad in `map`.
        ranges_mm, statuses : (360,) int32
            Beam k points k degrees counter-clockwise from the shell's x axis.
        tick : int
            Of the last beam, later than that of the scan before.

        Raises
        ------
        AgentError
            Where a shape or value is not allowed, the rig has no `scan`, or the belief would
            grow beyond its greatest extent; nothing is then taken.
        """
        if self._scanner is None:
            raise AgentError("belief: a scan was given, but the rig has no 'scan'")
        poses = _ints(poses, (self._scanner.period_tick, 3), "poses")
        ranges_mm = _ints(ranges_mm, (lib.KW_BELIEF_BEAMS,), "ranges_mm")
        statuses = _ints(statuses, (lib.KW_BELIEF_BEAMS,), "statuses")
        report = self._report
        _check_int32("a scan's tick", tick)
        status = lib.kw_belief_scan(
            self._belief,
            self._scanner,
            tick,
            _pointer(poses),
            _pointer(ranges_mm),
            _pointer(statuses),
            report,
        )
        _check(status, f"the scan of tick {tick}")
        self.scans += 1
        self.rebuild = bool(report.rebuild)
        self.permanent_in_view = report.permanent
        self.contradicted = report.contradicted

    def mark(self, pose: Array, offsets_um: Array, *, certain: bool = False) -> None:
        """Mark places, each cell once.

        Parameters
        ----------
        pose : (3,) int32
            Of `base_link`: x um, y um, heading urad in `map`.
        offsets_um : (n, 2) int32
            x, y in `base_link`, n up to 64.
        certain : bool
            To the greatest confidence at once; else as a hit.

        Raises
        ------
        AgentError
            Where a shape or value is not allowed, or the belief would grow beyond its
            greatest extent.
        """
        offsets_um = _ints(offsets_um, (len(offsets_um), 2), "offsets_um")
        pose = _ints(pose, (3,), "pose")
        _check(
            lib.kw_belief_mark(
                self._belief, _pointer(pose), len(offsets_um), _pointer(offsets_um), certain
            ),
            "a mark",
        )

    def _mark_readings(self, marker: Marker, obs: Mapping[str, Array]) -> None:
        """Mark the near returns of a sensor, from the pose of their tick."""
        readings, statuses = obs[marker.key], obs[marker.key + "_status"]
        near = (statuses == RETURN) & (readings <= marker.most_mm)
        if not np.count_nonzero(near):
            return
        for i, tick in enumerate(obs[marker.key + "_tick"].tolist()):
            pose = self._ring.between(tick, tick)
            those = near[i].reshape(-1)
            if tick < 0 or pose is None or not np.count_nonzero(those):
                continue
            range_um = 1000.0 * readings[i].reshape(-1)[those]
            offsets = range_um[:, None] * marker.directions[those]
            offsets[:, 0] += marker.ahead_um
            self.mark(pose[0], np.rint(offsets).astype(np.int32))

    def _mark_bumpers(self, corners: Array, obs: Mapping[str, Array]) -> None:
        for pressed, tick in zip(obs["bumpers"], obs["bumpers_tick"].tolist(), strict=True):
            pose = self._ring.between(tick, tick)
            if tick >= 0 and pose is not None and pressed.any():
                self.mark(pose[0], corners[pressed != 0], certain=True)

    def relax(self, tick: int) -> None:
        """Let time pass up to a tick: changeable cells out of view relax on each whole second."""
        _check_int32("letting time pass", tick)
        lib.kw_belief_relax(self._belief, tick)

    def cover(self, x_um: int, y_um: int) -> None:
        """Extend the box of what is observed to a place, for example the goal.

        Raises
        ------
        AgentError
            Where the belief would grow beyond its greatest extent.
        """
        doing = f"the place ({x_um}, {y_um}) um"
        _check_int32(doing, x_um, y_um)
        _check(lib.kw_belief_cover(self._belief, x_um, y_um), doing)

    def clear_disc(self, x_um: int, y_um: int, radius_um: int) -> None:
        """Forget all but the permanent cells whose centre lies within a radius of a place."""
        doing = f"clearing {radius_um} um around ({x_um}, {y_um}) um"
        _check_int32(doing, x_um, y_um, radius_um)
        _check(lib.kw_belief_clear(self._belief, x_um, y_um, radius_um), doing)

    def take_changes(self) -> Changes:
        """Return the cells of the copy that have changed since the last call, each once."""
        out = self._changes
        _check(lib.kw_belief_take_changes(self._belief, out), "taking changes")
        return Changes(
            rows=_copied(out.rows, out.n, np.int32),
            cols=_copied(out.cols, out.n, np.int32),
            states=_copied(out.states, out.n, np.uint8),
        )

    @property
    def observed(self) -> Box:
        """The box around all that was observed or covered, in cells of 0.02 m; empty at first."""
        lib.kw_belief_observed(self._belief, self._observed)
        return _box(self._observed)

    def window(self, row0: int, col0: int, n_rows: int, n_cols: int) -> Cells:
        """Return cells of 0.02 m, (n_rows, n_cols): 0 unknown, 1 free, 2 occupied."""
        return self._window((row0, col0, n_rows, n_cols), detail=False)

    def details(self, row0: int, col0: int, n_rows: int, n_cols: int) -> Cells:
        """Return cells of 0.02 m as a viewer wants them, (n_rows, n_cols).

        The two lowest bits are 0 never seen, 1 undecided, 2 free, 3 occupied; `CELL_PERMANENT`,
        `CELL_CHANGEABLE` and `CELL_RELAXED` (to undecided) are bits of their own.
        """
        return self._window((row0, col0, n_rows, n_cols), detail=True)

    def _window(self, box: tuple[int, int, int, int], *, detail: bool) -> Cells:
        out, doing = _cells(box)
        status = lib.kw_belief_window(
            self._belief, box, detail, ffi.from_buffer("uint8_t[]", out, require_writable=True)
        )
        _check(status, doing)
        return out

    def copy_window(self, row0: int, col0: int, n_rows: int, n_cols: int) -> Cells:
        """Return cells of the planner's copy, (n_rows, n_cols): 0 unknown, 1 free, 2 occupied."""
        box = (row0, col0, n_rows, n_cols)
        out, doing = _cells(box)
        status = lib.kw_belief_copy_window(
            self._belief, box, ffi.from_buffer("uint8_t[]", out, require_writable=True)
        )
        _check(status, doing)
        out &= 3
        return out

    def confidence(self, row: int, col: int) -> int:
        """Return the confidence of a cell of 0.02 m, from -9 to 17; 0 where never seen."""
        return int(lib.kw_belief_confidence(self._belief, row, col))

    def frontiers(self, narrowest_um: int = NARROWEST_FRONTIER_UM) -> tuple[Cluster, ...]:
        """Return the clusters of frontier cells of the copy, by their lowest cell.

        Clusters whose box has a diagonal below `narrowest_um` are left out.
        """
        out = ffi.new("kw_belief_frontiers *")
        _check(
            lib.kw_belief_find_frontiers(self._belief, narrowest_um, out), "looking for frontiers"
        )
        rows = _copied(out.rows, out.n_cells, np.int32)
        cols = _copied(out.cols, out.n_cells, np.int32)
        clusters = []
        for i in range(out.n_clusters):
            cluster = out.clusters[i]
            cells = slice(cluster.first, cluster.first + cluster.n)
            clusters.append(
                Cluster(
                    rows=rows[cells],
                    cols=cols[cells],
                    row=cluster.row,
                    col=cluster.col,
                    box=_box(cluster.box),
                )
            )
        return tuple(clusters)

    def rooms(self, neck_um: int = NECK_UM, least_um2: int = LEAST_ROOM_UM2) -> Rooms:
        """Return the rooms: free space of the copy cut at necks narrower than `neck_um`."""
        out = ffi.new("kw_belief_rooms *")
        least_cells = max(-(-least_um2 // COPY_CELL_UM**2), 1)
        _check(lib.kw_belief_find_rooms(self._belief, neck_um, least_cells, out), "counting rooms")
        box = _box(out.box)
        labels = _copied(out.labels, box.n_rows * box.n_cols, np.int32)
        cell_m2 = COPY_CELL_UM**2 / 1e12
        return Rooms(
            box=box,
            labels=labels.reshape(box.n_rows, box.n_cols),
            areas_m2=tuple(out.cells[i] * cell_m2 for i in range(out.n_rooms)),
        )

    def digest(self) -> bytes:
        """Return 8 bytes that follow from all that is held of the cells, on every machine."""
        return int(lib.kw_belief_digest(self._belief)).to_bytes(8, "little")

    @property
    def bytes_held(self) -> int:
        """Bytes of memory, all included."""
        return int(lib.kw_belief_bytes(self._belief))

    def bytes_per_cell(self) -> float:
        """Return what a cell takes, the planner's copy included; 0 before there is one."""
        n_bytes, n_cells = ffi.new("int64_t *"), ffi.new("int64_t *")
        lib.kw_belief_size(self._belief, n_bytes, n_cells)
        return n_bytes[0] / n_cells[0] if n_cells[0] else 0.0
