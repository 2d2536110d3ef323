"""The rig: which sensors a shell carries, each a declaration that a user may change."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from types import MappingProxyType
from typing import Any

from . import core
from .errors import RigError, allowed

STATUSES: tuple[str, ...] = ("nothing yet", "return", "out of range", "too near", "no echo")
NOTHING_YET, RETURN, OUT_OF_RANGE, TOO_NEAR, NO_ECHO = range(len(STATUSES))


def _unit(text: str) -> tuple[float, str]:
    parts = re.fullmatch(r"([\d./]+) ([a-z/]+)", text)
    return (float(Fraction(parts[1])), parts[2]) if parts else (1.0, text)


def _shape(count: int, columns: int) -> tuple[int, ...]:
    if columns:
        return count // columns, columns
    return () if count == 1 else (count,)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorCard:
    """What a model is, whatever its figures: read from the core.

    `value_count` readings and `status_count` statuses make a frame; reading `i` has the
    standard deviation of channel `i % channel_count`. Of one that `is_counted` a frame has as
    many rows as its one status says, and zeros after them; its noise is that of the ranges
    behind them. One `on_request` is in a rig only where it is asked for.
    """

    key: str
    title: str
    source: str
    unit: str
    value_count: int
    status_count: int
    value_columns: int
    status_columns: int
    channel_count: int
    is_counted: int
    on_request: int

    @property
    def status_key(self) -> str:
        """Entry of an observation that holds the statuses, or the counts."""
        return f"{self.key}_count" if self.is_counted else f"{self.key}_status"

    @property
    def units(self) -> tuple[tuple[float, str], ...]:
        """Unit of each channel as a number and a name: of `0.1 degree` 0.1 and `degree`."""
        parts = self.unit.split(", ")
        parts += parts[-1:] * (self.channel_count - len(parts))
        return tuple(_unit(part) for part in parts)

    @property
    def layout(self) -> str:
        """What one frame holds: `mm`, `8 x 8 x mm`, `3 x (mm, 0.1 degree, mm/s)`."""
        times = self.value_shape
        if self.channel_count > 1:  # a reading of each channel, once or several times
            times = (self.value_count // self.channel_count,)
        counts = [str(count) for count in times if count > 1]
        unit = f"({self.unit})" if counts and " " in self.unit else self.unit
        return ("up to " if self.is_counted else "") + " x ".join([*counts, unit])

    @property
    def value_shape(self) -> tuple[int, ...]:
        """Shape of one frame's readings; empty for a single one."""
        return _shape(self.value_count, self.value_columns)

    @property
    def status_shape(self) -> tuple[int, ...]:
        """Shape of one frame's statuses; empty for a single one."""
        return _shape(self.status_count, self.status_columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """One sensor on a shell.

    Periods and latencies are whole ticks of 1/120 s; a scan's latency counts from its last
    beam. Noise on a return has the standard deviation `sigma_base[c] + sigma_per_unit[c]
    * |true reading|`, in the reading's unit.
    """

    key: str
    period_tick: int
    latency_tick: int
    range_min_m: float
    range_max_m: float
    ahead_m: float
    height_m: float
    half_angle_rad: float
    sigma_base: tuple[float, ...]
    sigma_per_unit: tuple[float, ...]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.type == "float":
                object.__setattr__(self, field.name, _as_float(value))
            elif isinstance(value, tuple):
                object.__setattr__(self, field.name, tuple(map(_as_float, value)))

    @property
    def card(self) -> SensorCard:
        """What the model is."""
        return CARDS[self.key]

    @property
    def rate_hz(self) -> float:
        """Frames a second."""
        return core.TICKS_PER_SECOND / self.period_tick


def _as_float(value: Any) -> Any:
    """Return a number as a float, whatever kind it is of; all else is for `_check` to refuse."""
    try:
        return float(value) if isinstance(value, Real) else value
    except OverflowError:
        return value


def _declared() -> tuple[dict[str, SensorCard], dict[str, Sensor]]:
    cards, sensors = {}, {}
    for declared in core.declared_sensors():
        card = SensorCard(**declared.card)
        cards[card.key] = card
        sensors[card.key] = Sensor(key=card.key, **declared.figures)
    return cards, sensors


_CARDS, _SENSORS = _declared()
CARDS: Mapping[str, SensorCard] = MappingProxyType(_CARDS)
SENSORS: Mapping[str, Sensor] = MappingProxyType(_SENSORS)


@dataclass(frozen=True, slots=True)
class Rig:
    """The sensors of a shell, in the core's order.

    Raises
    ------
    RigError
        If a key is unknown or there twice, or the core can't keep a figure exactly.
    """

    sensors: tuple[Sensor, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.sensors, list | tuple):
            raise RigError(f"rig: {self.sensors!r} is not allowed; a tuple of Sensor")
        for sensor in self.sensors:
            _check(sensor)
        keys = [sensor.key for sensor in self.sensors]
        for key in keys:
            if keys.count(key) > 1:
                raise RigError(f"rig: {key!r} is there {keys.count(key)} times; allowed: once")
        ordered = sorted(self.sensors, key=lambda sensor: core.SENSOR_KEYS.index(sensor.key))
        object.__setattr__(self, "sensors", tuple(ordered))

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the sensors, in order."""
        return tuple(sensor.key for sensor in self.sensors)

    def __iter__(self) -> Iterator[Sensor]:
        return iter(self.sensors)

    def __contains__(self, key: object) -> bool:
        return key in self.keys

    def __getitem__(self, key: str) -> Sensor:
        for sensor in self.sensors:
            if sensor.key == key:
                return sensor
        raise KeyError(f"no {key!r} in this rig; it has {', '.join(self.keys) or 'nothing'}")

    def with_sources(self, keys: Iterable[str]) -> Rig:
        """Return a rig that has these sensors, too: those that it lacks as they are declared.

        Raises
        ------
        RigError
            If a key is unknown.
        """
        lacking = [_known(key) for key in dict.fromkeys(keys) if key not in self]
        return Rig((*self.sensors, *lacking)) if lacking else self

    def changed(self, key: str, *, rate_hz: float | None = None, **figures: Any) -> Rig:
        """Return a rig with other figures for one sensor.

        Parameters
        ----------
        key : str
            A sensor of this rig.
        rate_hz : float, optional
            Instead of `period_tick`; the period must come out as a whole number of ticks.
        **figures
            Fields of `Sensor`.

        Raises
        ------
        RigError
            If there is no such sensor or figure, or a value is not allowed.
        """
        if key not in self:
            raise RigError(f"rig: no {key!r} here; {allowed(key, self.keys)}")
        names = [field.name for field in dataclasses.fields(Sensor) if field.name != "key"]
        for name in figures:
            if name not in names:
                raise RigError(f"rig.{key}: unknown figure {name!r}; {allowed(name, names)}")
        if rate_hz is not None:
            figures["period_tick"] = _whole_period(key, rate_hz)
        changed = dataclasses.replace(self[key], **figures)
        return Rig(tuple(changed if sensor.key == key else sensor for sensor in self.sensors))


def _whole_period(key: str, rate_hz: float) -> int:
    ticks = core.TICKS_PER_SECOND
    allowed_at_all = isinstance(rate_hz, Real) and 0 < rate_hz <= ticks
    period = round(ticks / rate_hz) if allowed_at_all else 0
    if period < 1 or period * rate_hz != ticks:
        raise RigError(
            f"rig.{key}.rate_hz: {rate_hz!r} has a period of no whole number of ticks; "
            f"allowed: {ticks} / n for n = 1, 2, 3, ..."
        )
    return period


def _check(sensor: Sensor) -> None:
    """Refuse a declaration that the core can't keep, naming the figure."""
    if not isinstance(sensor, Sensor):
        raise RigError(f"rig: {sensor!r} is not allowed; a Sensor")
    if not isinstance(sensor.key, str) or sensor.key not in SENSORS:
        raise RigError(f"rig: unknown sensor {sensor.key!r}; {allowed(sensor.key, SENSORS)}")
    where = f"rig.{sensor.key}"
    for name in ("period_tick", "latency_tick"):
        value = getattr(sensor, name)
        least = 1 if name == "period_tick" else 0
        if type(value) is not int or not least <= value <= 12000:
            raise RigError(
                f"{where}.{name}: {value!r} is not allowed; a whole number of ticks "
                f"(1/{core.TICKS_PER_SECOND} s) from {least} to 12000"
            )
    for name in ("sigma_base", "sigma_per_unit"):
        value = getattr(sensor, name)
        if not isinstance(value, tuple) or len(value) != len(getattr(SENSORS[sensor.key], name)):
            raise RigError(f"{where}.{name}: {value!r} is not allowed; a tuple of 3 numbers")
    try:
        sound = core.sensor_is_sound(sensor)
    except (TypeError, OverflowError) as error:
        raise RigError(f"{where}: {error}") from error
    if not sound:
        figures = {field.name: getattr(sensor, field.name) for field in dataclasses.fields(sensor)}
        raise RigError(
            f"{where}: {figures} is not allowed; 0 <= range_min_m <= range_max_m <= 100, "
            "-1 <= ahead_m <= 1, 0 <= height_m <= 1, 0 <= half_angle_rad <= 1.5 (of cone, "
            "grid and lio 0.7), sigmas not negative, and a scan's period must divide 360"
        )


def make_rig(spec: Rig | str | Sequence[str] | None) -> Rig:
    """Return a rig from a `Rig`, names, or None for all that need not be asked for.

    Raises
    ------
    RigError
        If a name is unknown or there twice.
    """
    if isinstance(spec, Rig):
        return spec
    if isinstance(spec, str):
        spec = [name for name in spec.split(",") if name]
    if spec is None:
        return Rig(tuple(SENSORS[key] for key, card in CARDS.items() if not card.on_request))
    if not isinstance(spec, Sequence):
        raise RigError(f"rig: {spec!r} is not allowed; names of sensors, or a Rig")
    return Rig(tuple(_known(name) for name in spec))


def _known(name: object) -> Sensor:
    if not isinstance(name, str) or name not in SENSORS:
        raise RigError(f"rig: unknown sensor {name!r}; {allowed(name, SENSORS)}")
    return SENSORS[name]
