"""Values on the command line: numbers, sizes, paths to follow, options of agents."""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .errors import OptionError, allowed

PATH_LIMIT_BYTES = 20_000_000
PATH_FORM = "X,Y or X,Y,DEG for each point"


def numbers(*names: str) -> Callable[[str], tuple[float, ...]]:
    """Return an argparse type for comma-separated finite numbers, one for each name."""

    def parse(text: str) -> tuple[float, ...]:
        values = _finite(text.split(","))
        if values is None or len(values) != len(names):
            raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give {','.join(names)}")
        return values

    return parse


def seed(text: str) -> int:
    """Return a drive's seed: a whole number of 63 bits."""
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give 0 to {2**63 - 1}")
    return int(text)


def size(text: str) -> tuple[int, int]:
    """Return a picture's size from `WxH`; the viewer bounds it."""
    width, cross, height = text.partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give WxH, as in 1000x700")
    return int(width), int(height)


def pair(text: str) -> tuple[str, Any]:
    """Return a key and a value from `K=V`; the value is JSON where it reads as such."""
    key, equals, value = text.partition("=")
    if not (equals and key.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; give NAME=VALUE")
    try:
        return key, json.loads(value)
    except (json.JSONDecodeError, RecursionError):
        return key, value


def some_of(names: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Return an argparse type for one or more of the names, with commas between."""
    listed = tuple(names)

    def parse(text: str) -> tuple[str, ...]:
        chosen = tuple(dict.fromkeys(text.split(",")))
        for name in chosen:
            if name not in listed:
                raise argparse.ArgumentTypeError(f"{name!r}: {allowed(name, listed)}")
        return chosen

    return parse


def path_to_follow(text: str) -> list[tuple[float, ...]]:
    """Return points (x m, y m) or poses (x m, y m, heading rad) from text or a CSV file.

    Parameters
    ----------
    text : str
        `X,Y X,Y[,DEG] ...`, or the name of a CSV file with a point a row; a first row of
        names and rows that begin with `#` are passed over.

    Raises
    ------
    OptionError
        With file, line and what is allowed.
    """
    if text.lower().endswith(".csv"):
        return _csv_path(Path(text))
    return [_point(place.split(","), f"--path: {place!r}") for place in text.split()]


def _csv_path(file: Path) -> list[tuple[float, ...]]:
    try:
        if file.stat().st_size > PATH_LIMIT_BYTES:
            raise OptionError(f"{file}: larger than {PATH_LIMIT_BYTES} bytes")
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise OptionError(f"{file}: cannot be read: {error}") from error
    points: list[tuple[float, ...]] = []
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if not points and number == 1 and all(_number(cell) is None for cell in cells):
            continue
        points.append(_point(cells, f"{file}, line {number}: {','.join(cells)!r}"))
    return points


def _point(cells: Sequence[str], where: str) -> tuple[float, ...]:
    values = _finite(cells)
    if values is None or len(values) not in (2, 3):
        raise OptionError(f"{where} is not allowed; {PATH_FORM}")
    return values if len(values) == 2 else (values[0], values[1], math.radians(values[2]))


def _finite(cells: Sequence[str]) -> tuple[float, ...] | None:
    values = [_number(cell) for cell in cells]
    return None if None in values else tuple(value for value in values if value is not None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
