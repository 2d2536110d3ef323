"""`kinewright senses`: the rig, each model's declaration."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any

from .cli_output import DONE, print_json, print_rows
from .rig import CARDS, SENSORS, Sensor

EPILOG = """\
examples:
  kinewright senses
  kinewright senses --json"""


def add(verbs: Any) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "senses",
        help="the rig: each model's declaration",
        description="Each sensor model: its class, rate, latency, range, mount and noise, as the "
        "core declares them.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("--json", action="store_true", help="print as JSON")
    verb.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.json:
        print_json(
            [
                {**dataclasses.asdict(sensor), "card": dataclasses.asdict(CARDS[key])}
                for key, sensor in SENSORS.items()
            ]
        )
        return DONE
    print_rows([TIMES, *(_times(sensor) for sensor in SENSORS.values())])
    print()
    print_rows([READINGS, *(_readings(sensor) for sensor in SENSORS.values())])
    return DONE


TIMES = ("key", "rate", "period", "latency", "range", "half angle", "ahead, height")
READINGS = ("key", "one frame", "noise, one sigma", "what it is")


def _times(sensor: Sensor) -> tuple[str, ...]:
    ranged = sensor.range_max_m > 0
    degrees = math.degrees(sensor.half_angle_rad)
    return (
        sensor.key,
        f"{sensor.rate_hz:g} Hz",
        _ticks(sensor.period_tick),
        _ticks(sensor.latency_tick),
        f"{sensor.range_min_m:g} to {sensor.range_max_m:g} m" if ranged else "-",
        f"{degrees:g} deg" if degrees else "-",
        f"{sensor.ahead_m:g} m, {sensor.height_m:g} m" if ranged else "-",
    )


def _readings(sensor: Sensor) -> tuple[str, ...]:
    sigmas = zip(sensor.sigma_base, sensor.sigma_per_unit, sensor.card.units, strict=False)
    noise = [_noise(base, per_unit, unit) for base, per_unit, unit in sigmas]
    return sensor.key, sensor.card.layout, ", ".join(noise), sensor.card.title


def _ticks(count: int) -> str:
    return f"{count} tick" if count == 1 else f"{count} ticks"


def _noise(base: float, per_unit: float, unit: tuple[float, str]) -> str:
    """Return a standard deviation in the named unit, whatever step of it is read."""
    step, name = unit
    name = "" if " " in name else f" {name}"  # what takes several words stands in the frame
    parts = [f"{base * step:.3g}{name}"] if base else []
    parts += [f"{per_unit * 100:g} %"] if per_unit else []
    return " + ".join(parts) or "none"
