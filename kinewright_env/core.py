"""The world's library in Python terms: the only module that imports `_world`.

Allocates once, calls, checks, wraps. Codes become exceptions here and nowhere else.
"""

from __future__ import annotations

import struct
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._world import ffi, lib

if TYPE_CHECKING:
    from .rig import Sensor
    from .scene import Scene
    from .shells import Shell

__all__ = ["SceneCore", "check", "ffi", "lib", "scene_core", "sensors_to_c"]

Float = NDArray[np.float64]

SOLID_NONE: int = lib.KW_SOLID_NONE
SOLID_GROUND: int = lib.KW_SOLID_GROUND
TICKS_PER_SECOND: int = lib.KW_TICKS_PER_SECOND
GOALS_MAX: int = lib.KW_GOALS_MAX
GOAL_CHANGES_MAX: int = lib.KW_GOAL_CHANGES_MAX

_REASONS = {
    lib.KW_BAD_ARGUMENT: "a value is outside what the core allows",
    lib.KW_NO_MEMORY: "out of memory",
    lib.KW_BAD_STATE: "the drive has ended or was not reset, or the bytes are not its state",
    lib.KW_NO_ROOM: "an array is too small",
    lib.KW_BAD_MACHINE: "this machine or build does not round as IEEE doubles do",
}


class CoreError(RuntimeError):
    """The core refused a call that the checks above it should have caught."""


def check(status: int) -> None:
    """Raise for any status but KW_OK.

    Raises
    ------
    MemoryError
        If the core could not allocate.
    CoreError
        For any other code.
    """
    if status == lib.KW_OK:
        return
    if status == lib.KW_NO_MEMORY:
        raise MemoryError("the core is out of memory")
    raise CoreError(_REASONS.get(status, f"code {status}"))


def self_check() -> None:
    """Refuse a machine, build or process that does not compute IEEE doubles.

    Raises
    ------
    ImportError
        If a product is fused, subnormals are flushed, or rounding is not to nearest.
    """
    if lib.kw_self_check() != lib.KW_OK:
        raise ImportError(
            f"kinewright cannot promise exact drives here: {_REASONS[lib.KW_BAD_MACHINE]}"
        )


self_check()


def compiler() -> str:
    """Return which compiler built the core."""
    name: bytes = ffi.string(lib.kw_compiler())
    return name.decode("ascii", "replace").strip()  # clang names itself with a space behind


def enumerators(name: str, prefix: str) -> dict[str, int]:
    """Return the names of a C enum, without their prefix and in lower case, by number."""
    elements = ffi.typeof(name).elements
    return {elements[i].removeprefix(prefix).lower(): i for i in sorted(elements)}


def philox(counters: Sequence[Sequence[int]], key: Sequence[int]) -> list[int]:
    """Return the words of Philox4x32-10, four for each counter of four words, under one key."""
    n = len(counters)
    out = ffi.new("uint32_t[]", 4 * n)
    words = [word for counter in counters for word in counter]
    lib.kw_philox_many(n, ffi.new("uint32_t[]", words), ffi.new("uint32_t[2]", key), out)
    return list(out)


def double_pointer(array: Float) -> Any:
    """Return C's view of a contiguous float64 array, which must stay alive meanwhile."""
    return ffi.from_buffer("double[]", array)


class SceneCore:
    """The solids of one scene as the core holds them; constant, shared by any number of worlds.

    Parameters
    ----------
    scene : Scene
        The declaration.

    Raises
    ------
    CoreError
        If a figure is not finite or a size not above zero.
    """

    def __init__(self, scene: Scene) -> None:
        kinds, figures = scene.arrays()
        self.solid_count = len(kinds)
        kinds = np.ascontiguousarray(kinds, np.int32)
        figures = np.ascontiguousarray(figures, np.float64)
        changes = ffi.new("kw_change[]", len(scene.changes))
        for row, change in zip(changes, scene.core_changes(), strict=False):
            row.action, row.solid, row.armed_by, row.number, row.value_m = change[:5]
            row.pose.x_m, row.pose.y_m, row.pose.heading_rad = change[5]
        out = ffi.new("kw_scene **")
        check(
            lib.kw_scene_create(
                self.solid_count,
                ffi.from_buffer("int32_t[]", kinds),
                double_pointer(figures),
                len(scene.changes),
                changes,
                out,
            )
        )
        self.pointer = ffi.gc(out[0], lib.kw_scene_destroy)
        self.changes = changes

    def outlines(self) -> Float:
        """Return (n, 7): x, y, cosine, sine, half length, half width, height of each solid."""
        out = np.empty((self.solid_count, 7))
        lib.kw_scene_outlines(self.pointer, double_pointer(out))
        return out

    def cast(
        self,
        origins_m: Float,
        headings_rad: Float,
        pitches_rad: Float,
        range_m: float,
        *,
        use_index: bool = True,
    ) -> tuple[Float, NDArray[np.int32]]:
        """Nearest crossing of each ray with what is present at a drive's start.

        Parameters
        ----------
        origins_m : (n, 3) float64
            Where rays start, in `map`, metres.
        headings_rad, pitches_rad : (n,) float64
            Counter-clockwise from x, and up from level, radians.
        range_m : float
            What lies farther is not met.
        use_index : bool
            False tests every solid on every ray; the answers are the same bits.

        Returns
        -------
        ranges_m : (n,) float64
            `inf` where nothing is met.
        solids : (n,) int32
            Index of the solid met, `SOLID_GROUND` or `SOLID_NONE`.
        """
        origins = np.ascontiguousarray(origins_m, np.float64).reshape(-1, 3)
        n = len(origins)
        headings = np.ascontiguousarray(np.broadcast_to(headings_rad, n), np.float64)
        pitches = np.ascontiguousarray(np.broadcast_to(pitches_rad, n), np.float64)
        ranges, solids = np.empty(n), np.empty(n, np.int32)
        check(
            lib.kw_scene_cast(
                self.pointer,
                n,
                double_pointer(origins),
                double_pointer(headings),
                double_pointer(pitches),
                range_m,
                use_index,
                double_pointer(ranges),
                ffi.from_buffer("int32_t[]", solids),
            )
        )
        return ranges, solids

    def clearance(
        self, length_m: float, width_m: float, centres: Float, *, use_index: bool = True
    ) -> tuple[Float, Float, NDArray[np.int32]]:
        """Clearance of a rectangle from what is present at a drive's start.

        Parameters
        ----------
        length_m, width_m : float
            Of the rectangle.
        centres : (n, 3) float64
            x m, y m, heading rad of its centre in `map`.
        use_index : bool
            False tests every solid at every pose; the answers are the same bits.

        Returns
        -------
        clearances_m, depths_m : (n,) float64
            One of the two is zero at every pose.
        solids : (n,) int32
            The deepest one in contact, else the nearest, else `SOLID_NONE`.
        """
        poses = np.ascontiguousarray(centres, np.float64).reshape(-1, 3)
        n = len(poses)
        clearances, depths, solids = np.empty(n), np.empty(n), np.empty(n, np.int32)
        check(
            lib.kw_scene_clearance(
                self.pointer,
                length_m,
                width_m,
                n,
                ffi.cast("kw_pose *", double_pointer(poses)),
                use_index,
                double_pointer(clearances),
                double_pointer(depths),
                ffi.from_buffer("int32_t[]", solids),
            )
        )
        return clearances, depths, solids

    def shortest(
        self,
        disc_radius_m: float,
        origin_m: tuple[float, float],
        cell_m: float,
        shape: tuple[int, int],
        goal_m: tuple[float, float],
    ) -> Float:
        """Length of the shortest way of a disc's centre to the goal from each cell's centre.

        Parameters
        ----------
        disc_radius_m : float
            The disc must clear every solid by no less than nothing.
        origin_m : (x, y)
            Lower left corner of cell (0, 0) in `map`.
        cell_m : float
            Edge of a cell.
        shape : (rows, columns)
            Rows grow with y.
        goal_m : (x, y)
            In `map`.

        Returns
        -------
        (rows, columns) float64
            Metres, `inf` where there is no way.
        """
        out = np.empty(shape)
        check(
            lib.kw_scene_shortest(
                self.pointer, disc_radius_m, *origin_m, cell_m, *shape, *goal_m, double_pointer(out)
            )
        )
        return out


_CORES: weakref.WeakValueDictionary[str, SceneCore] = weakref.WeakValueDictionary()


def scene_core(scene: Scene) -> SceneCore:
    """Return the scene's core, built once while anyone holds it."""
    core = _CORES.get(scene.root)
    if core is None:
        core = SceneCore(scene)
        _CORES[scene.root] = core
    return core


def sensors_to_c(sensors: Sequence[Sensor]) -> Any:
    """Return the declarations as an array of the C struct."""
    array = ffi.new("kw_sensor[]", len(sensors))
    for row, sensor in zip(array, sensors, strict=False):
        for name in SENSOR_FIGURES:
            setattr(row, name, getattr(sensor, name))
        row.model = SENSOR_KEYS.index(sensor.key)
    return array


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSensor:
    """A model's card and figures as the core declares them."""

    card: dict[str, Any]
    figures: dict[str, Any]


def _plain(value: Any) -> Any:
    """Return a C field as str, tuple or number."""
    if isinstance(value, ffi.CData):
        if ffi.typeof(value).kind == "array":
            return tuple(value)
        return ffi.string(value).decode("ascii")
    return value


def _struct_fields(name: str) -> tuple[str, ...]:
    return tuple(field for field, _ in ffi.typeof(name).fields)


def declared_sensors() -> tuple[DeclaredSensor, ...]:
    """Return every model that the core has, in the core's order."""
    sensor, card = ffi.new("kw_sensor *"), ffi.new("kw_sensor_card *")
    declared = []
    for model in range(lib.KW_SENSOR_COUNT):
        check(lib.kw_sensor_declared(model, sensor, card))
        declared.append(
            DeclaredSensor(
                card={name: _plain(getattr(card, name)) for name in CARD_FIELDS},
                figures={name: _plain(getattr(sensor, name)) for name in SENSOR_FIGURES},
            )
        )
    return tuple(declared)


def sensor_is_sound(sensor: Sensor) -> bool:
    """Return whether the core can keep every figure of a declaration exactly."""
    return bool(lib.kw_sensor_check(sensors_to_c((sensor,))) == lib.KW_OK)


def sensor_bounds(sensor: Sensor, shell: Shell) -> tuple[list[int], list[int]]:
    """Return the least and greatest reading of a sensor on a shell, noise included.

    One number for each channel, or for all readings where there is one channel; of points
    one for each column.
    """
    low, high = ffi.new("int32_t[3]"), ffi.new("int32_t[3]")
    lib.kw_sensor_bounds(sensors_to_c((sensor,)), shell.to_c(ffi), low, high)
    n = sensor.card.value_columns if sensor.card.is_counted else sensor.card.channel_count
    return list(low[0:n]), list(high[0:n])


CARD_FIELDS: tuple[str, ...] = _struct_fields("kw_sensor_card")
SENSOR_FIGURES: tuple[str, ...] = tuple(
    name for name in _struct_fields("kw_sensor") if name != "model"
)
SENSOR_KEYS: tuple[str, ...] = tuple(sensor.card["key"] for sensor in declared_sensors())


def setup_bytes(parts: Sequence[tuple[str, Any]]) -> bytes:
    """Return C values as little-endian bytes, for a journal's `setup` record.

    Parameters
    ----------
    parts : sequence of (type, value)
        Type as C names it; a number, or a pointer or array that owns what it holds. Names
        are left out, and an array is led by its length.
    """
    return b"".join(_part(ffi.typeof(name), value) for name, value in parts)


def _part(kind: Any, value: Any) -> bytes:
    """Pack a number, an array, or what a pointer owns."""
    return _packed(kind.item, value[0]) if kind.kind == "pointer" else _packed(kind, value)


def _packed(kind: Any, value: Any) -> bytes:
    if kind.kind == "array":
        items = b"".join(_packed(kind.item, item) for item in value)
        return items if kind.length is not None else struct.pack("<i", len(value)) + items
    if kind.kind == "struct":
        fields = (_packed(field.type, getattr(value, name)) for name, field in kind.fields)
        return b"".join(fields)
    if kind.kind == "pointer":
        return b""
    return struct.pack(_FORMATS[kind.cname], value)


_FORMATS = {"int32_t": "<i", "uint64_t": "<Q", "double": "<d", "int": "<i"}
