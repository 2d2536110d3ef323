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
    print_rows([HEAD, *(_row(sensor) for sensor in SENSORS.values())])
    return DONE


HEAD = ("key", "rate", "period", "latency", "range", "ahead, height", "unit", "noise", "what it is")


def _row(sensor: Sensor) -> tuple[str, ...]:
    card = sensor.card
    channels = range(card.channel_count)
    noise = [_noise(sensor.sigma_base[c], sensor.sigma_per_unit[c]) for c in channels]
    ranged = sensor.range_max_m > 0
    return (
        sensor.key,
        f"{sensor.rate_hz:g} Hz",
        f"{sensor.period_tick} ticks",
        f"{sensor.latency_tick} ticks",
        f"{sensor.range_min_m:g} to {sensor.range_max_m:g} m" if ranged else "-",
        f"{sensor.ahead_m:g} m, {sensor.height_m:g} m" if ranged else "-",
        f"{math.prod((1, *card.value_shape))} x {card.unit}",
        ", ".join(noise),
        card.title,
    )


def _noise(base: float, per_unit: float) -> str:
    parts = [f"{base:.3g}"] if base else []
    parts += [f"{per_unit * 100:g} %"] if per_unit else []
    return " + ".join(parts) or "none"
