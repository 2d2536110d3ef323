"""Checks of what a user hands to the environment: each bad value says what is allowed."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from .errors import OptionError, allowed

SEED_MOST = 2**63 - 1
"""The greatest seed of a drive or of a generated scene."""


def one_of(key: str, value: Any, names: Collection[str | None]) -> Any:
    """Return the value where it is one of the names.

    Raises
    ------
    OptionError
        Otherwise.
    """
    if (value is None or isinstance(value, str)) and value in names:
        return value
    hint = allowed(value, [name for name in names if name is not None])
    none = " or None" if None in names else ""
    raise OptionError(f"{key}: {value!r} is not allowed; {hint}{none}")


def flag(key: str, value: Any) -> bool:
    """Return the value where it is True or False.

    Raises
    ------
    OptionError
        Otherwise.
    """
    if isinstance(value, bool):
        return value
    raise OptionError(f"{key}: {value!r} is not allowed; allowed: True or False")


def whole(key: str, value: Any, least: int, most: int) -> int:
    """Return the value where it is a whole number within bounds.

    Raises
    ------
    OptionError
        Otherwise.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    number = int(value) if is_whole else None  # of numpy, too
    if number is None or not least <= number <= most:
        raise OptionError(
            f"{key}: {value!r} is not allowed; allowed: a whole number from {least} to {most}"
        )
    return number


def positive(key: str, value: Any, most: float) -> float:
    """Return the value where it is a finite number above zero, at most `most`.

    Raises
    ------
    OptionError
        Otherwise.
    """
    number = _number(value)
    if number is None or not 0.0 < number <= most:
        raise OptionError(f"{key}: {value!r} is not allowed; allowed: above 0, at most {most:g}")
    return number


def number(key: str, value: Any, low: float, high: float) -> float:
    """Return the value where it is a finite number within bounds.

    Raises
    ------
    OptionError
        Otherwise.
    """
    given = _number(value)
    if given is None or not low <= given <= high:
        raise OptionError(
            f"{key}: {value!r} is not allowed; allowed: a number from {low:g} to {high:g}"
        )
    return given


def numbers(key: str, value: Any, names: Sequence[str], most: float) -> tuple[float, ...]:
    """Return a tuple of finite numbers, one for each name, none beyond `most`.

    Raises
    ------
    OptionError
        Otherwise.
    """
    parts: list[float | None] = [None]
    listed = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(listed, list | tuple):
        parts = [_number(part) for part in listed]
    if len(parts) != len(names) or any(part is None or abs(part) > most for part in parts):
        raise OptionError(
            f"{key}: {value!r} is not allowed; allowed: ({', '.join(names)}), each a finite "
            f"number within {most:g}"
        )
    return tuple(part for part in parts if part is not None)


def known(key: str, given: Mapping[str, Any] | None, names: Collection[str]) -> dict[str, Any]:
    """Return the mapping as a dict where all its keys are known.

    Raises
    ------
    OptionError
        If it is no mapping or has another key.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f"{key}: {given!r} is not allowed; a dict with {', '.join(names)}")
    for name in given:
        if name not in names:
            raise OptionError(f"{key}: unknown key {name!r}; {allowed(name, names)}")
    return dict(given)


def _number(value: Any) -> float | None:
    """Return a finite real number as a float, None for anything else."""
    if isinstance(value, bool | str | bytes) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
