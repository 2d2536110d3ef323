"""Writes docs/figures.md from the declarations; a test holds the committed page to it."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kinewright_env import grids, rig, verdicts
from kinewright_env.rewards import WEIGHTS
from kinewright_env.rig import SENSORS, Sensor
from kinewright_env.shells import SHELLS, STEERINGS

PAGE = Path(__file__).with_name("figures.md")

# The suffix of a name is its unit; longer ones first.
UNITS = {
    "_radps2": "rad/s²",
    "_radps": "rad/s",
    "_mps2": "m/s²",
    "_mps": "m/s",
    "_per_m": "per m",
    "_per_s": "per s",
    "_rad": "rad",
    "_m": "m",
}
DERIVED = {
    "radius_at_lock_m": "of the pivot's tightest circle",
    "inscribed_radius_m": "about the body's centre",
    "circumscribed_radius_m": "about the body's centre",
}
INTRODUCTION = f"""\
# The declared figures

Written by `make docs` from the declarations in the code; do not edit.
Sensors and steerings are estimated from classes of parts, and none is any single part.
Nothing here was measured on hardware.
One tick is 1/{grids.TICKS_PER_SECOND} s.
"""


def number(value: float) -> str:
    """Return a figure in at most six digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}"


def split_unit(name: str) -> tuple[str, str]:
    """Return a name in words and its unit."""
    for suffix, unit in UNITS.items():
        if name.endswith(suffix):
            return name.removesuffix(suffix).replace("_", " "), unit
    return name.replace("_", " "), ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def compared(declared: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each figure of things of one kind, a column for each thing."""
    fields = [field.name for field in dataclasses.fields(next(iter(declared.values())))]
    rows = []
    for name in fields:
        if name != "name":
            values = [number(getattr(thing, name)) for thing in declared.values()]
            rows.append([*split_unit(name), *values])
    return rows


def shells() -> str:
    """Return the page's part on the shells."""
    rows = compared(SHELLS)
    for name, remark in DERIVED.items():
        words, unit = split_unit(name)
        values = [number(round(getattr(shell, name), 4)) for shell in SHELLS.values()]
        rows.append([f"{words}, derived, {remark}", unit, *values])
    degrees = [number(math.degrees(shell.lock_rad)) for shell in SHELLS.values()]
    rows.append(["lock, derived", "°", *degrees])
    return "## Shells\n\n" + table(["figure", "unit", *(f"`{name}`" for name in SHELLS)], rows)


def steerings() -> str:
    """Return the page's part on the steerings."""
    head = ["figure", "unit", *(f"`{name}`" for name in STEERINGS)]
    return (
        "## Steerings\n\n"
        + table(head, compared(STEERINGS))
        + "\nThe rate's cap is that of a shell at rest; at speed *v* it is divided by 1 + |*v*| / "
        "(1 m/s).\n"
    )


def noise(sensor: Sensor) -> str:
    """Return one standard deviation of each channel of a sensor."""
    channels = []
    sigmas = zip(sensor.sigma_base, sensor.sigma_per_unit, strict=True)
    for base, per_unit in itertools.islice(sigmas, sensor.card.channel_count):
        terms = [number(base)] if base else []
        terms += [f"{number(100.0 * per_unit)} %"] if per_unit else []
        channels.append(" + ".join(terms) or "none")
    return "; ".join(channels)


def sensors() -> str:
    """Return the page's part on the sensors."""
    rows = []
    for sensor in SENSORS.values():
        ranged = sensor.range_max_m > 0.0
        angle = f"±{number(math.degrees(sensor.half_angle_rad))}°" if sensor.half_angle_rad else ""
        rows.append(
            [
                f"`{sensor.key}`",
                sensor.card.title,
                f"{number(sensor.rate_hz)} Hz, {sensor.period_tick}",
                str(sensor.latency_tick),
                f"{number(sensor.range_min_m)} to {number(sensor.range_max_m)} m" if ranged else "",
                angle,
                f"{number(sensor.ahead_m)} m, {number(sensor.height_m)} m" if ranged else "",
                sensor.card.layout.replace(" x ", " × "),
                noise(sensor),
                sensor.card.source,
            ]
        )
    head = [
        "key", "model", "rate, period in ticks", "latency, ticks", "range", "half angle",
        "mount: ahead, height", "one frame", "noise, one σ", "estimated from",
    ]  # fmt: skip
    statuses = ", ".join(f"{code} {name}" for code, name in enumerate(rig.STATUSES))
    return (
        "## Sensors\n\n"
        + table(head, rows)
        + "\nNoise is in the reading's own unit, a percentage one of the reading; a semicolon "
        f"parts channels.\nA mount is ahead of the body's centre.\nStatuses: {statuses}.\n"
    )


def avoidance() -> str:
    """Return the page's part on the local map and the candidates."""
    declared = grids.AVOIDANCE
    speeds = ", ".join(number(speed) for speed in declared["speeds_mps"])
    tick_s = 1 / grids.TICKS_PER_SECOND
    rows = [
        ["a cell's side", "m", number(grids.CELL_UM / 1e6)],
        ["cells are remembered for", "s", number(grids.MEMORY_TICK * tick_s)],
        ["and within, of the pivot", "m", number(grids.RADIUS_UM / 1e6)],
        ["speeds of candidates", "m/s", speeds],
        ["curvatures of each, and rest", "", str(grids.CURVATURE_COUNT)],
        ["horizon", "s", number(declared["horizon_tick"] * tick_s)],
        ["a slower steering's: lock to straight, and", "s",
         number(declared["after_lock_tick"] * tick_s)],
        ["from pose to pose", "s", number(grids.SAMPLE_TICK * tick_s)],
        ["clearance, beside each cell's tolerance", "m", number(declared["clearance_m"])],
        ["greatest margin that counts", "m", number(declared["margin_most_m"])],
        ["weight of the margin", "", number(declared["margin_weight_permille"] / 1000)],
        ["a cell in the corridor may come nearer by", "m", number(declared["nearer_m"])],
        ["of the goal's radius, where a candidate ends", "", number(declared["goal_share"])],
        ["from decision to decision", "s", number(grids.DECISION_TICK * tick_s)],
        ["a decision holds", "s", number(grids.HOLD_TICK * tick_s)],
    ]  # fmt: skip
    return (
        "## Avoidance\n\n"
        + table(["figure", "unit", "value"], rows)
        + "\nSource: the specification; of its weights, 0.5 to 1.0, the one that came out more "
        "robust.\n"
    )


def rewards() -> str:
    """Return the page's part on the reward."""
    rows = []
    for field in dataclasses.fields(WEIGHTS):
        words, unit = split_unit(field.name)
        rows.append([words, unit, number(getattr(WEIGHTS, field.name))])
    return "## Reward terms\n\n" + table(["term", "unit", "worth"], rows)


def honesty() -> str:
    """Return the page's part on verdicts."""
    rows = [
        [f"`{name}`", "the world" if of_world else "the agent"]
        for name, of_world in verdicts.SPEAKS_OF_WORLD.items()
    ]
    return (
        "## Verdicts\n\n"
        + table(["verdict", "speaks of"], rows)
        + "\nOne that speaks of the world is compared with the scene's truth.\nA gap is honest "
        f"from {verdicts.GAP_SHORT_MM} mm below to {verdicts.GAP_OVER_MM} mm above the true one.\n"
    )


def page() -> str:
    """Return the whole page."""
    return "\n".join(
        [INTRODUCTION, shells(), steerings(), sensors(), avoidance(), rewards(), honesty()]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
