"""Readers of one table of a scene: each says file, key, value and what is allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NoReturn, cast

from .errors import SceneError, allowed

_SHOWN_CHARACTERS = 60


def shown(value: object) -> str:
    """Return a value as an error may show it: one short line, whatever the value is."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


class Table:
    """One table of a scene, and where it stands.

    Parameters
    ----------
    value : object
        What was found there.
    file : str
        Named first in every error.
    path : str
        The table's key, such as ``box[2]``; empty for the scene itself. Tables of a list
        are counted from 1, as `after_change` counts.

    Raises
    ------
    SceneError
        If it is not a table.
    """

    __slots__ = ("file", "path", "values")

    def __init__(self, value: object, file: str, path: str) -> None:
        self.file, self.path = file, path
        if not isinstance(value, Mapping):
            raise SceneError(f"{file}: {path}: {shown(value)}: must be a table")
        self.values: Mapping[Any, Any] = value

    def key(self, name: str) -> str:
        """Return the whole key of one entry."""
        return f"{self.path}.{name}" if self.path else name

    def refuse(self, name: str, reason: str) -> NoReturn:
        """Refuse an entry with a reason that says what is allowed.

        Raises
        ------
        SceneError
            Always.
        """
        value = f"{shown(self.values[name])}: " if name in self.values else ""
        raise SceneError(f"{self.file}: {self.key(name)}: {value}{reason}")

    def only(self, names: Collection[str]) -> None:
        """Refuse keys that are not among the names."""
        for name in self.values:
            if name not in names:
                where = f"{self.file}: {self.key(str(shown(name)).strip(chr(39)))}"
                raise SceneError(f"{where}: unknown key: {allowed(name, names)}")

    def need(self, name: str) -> Any:
        """Return an entry that must be there."""
        if name not in self.values:
            self.refuse(name, "missing")
        return self.values[name]

    def number(self, name: str, low: float, high: float, *, default: float | None = None) -> float:
        """Return a number from `low` to `high`, both allowed."""
        if default is not None and name not in self.values:
            return default
        return self._number(name, self.need(name), low, high)

    def integer(self, name: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both allowed."""
        value = self.need(name)
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or not low <= value <= high:
            between = f"{low}" if low == high else f"a whole number from {low} to {high}"
            self.refuse(name, f"must be {between}")
        return int(value)

    def pair(self, name: str, low: float, high: float) -> tuple[float, float]:
        """Return two numbers, each from `low` to `high`."""
        value = self.need(name)
        if not isinstance(value, list | tuple) or len(value) != 2:
            self.refuse(name, "must be a list of two numbers")
        first = self._number(f"{name}[1]", value[0], low, high)
        return first, self._number(f"{name}[2]", value[1], low, high)

    def text(self, name: str, longest: int) -> str:
        """Return a string of printable characters, not empty."""
        value = self.need(name)
        if not isinstance(value, str):
            self.refuse(name, "must be a string")
        if not 0 < len(value) <= longest or not value.isprintable() or value.isspace():
            self.refuse(name, f"must be 1 to {longest} printable characters")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of the names."""
        value = self.need(name)
        if not isinstance(value, str) or value not in choices:
            self.refuse(name, allowed(value, choices))
        return value

    def texts(self, name: str, longest: int) -> tuple[str, ...]:
        """Return a list of strings, each once; empty where the key is left out."""
        items = self.items(name)
        listed = Table({f"{name}[{i}]": item for i, item in enumerate(items, 1)}, self.file, "")
        listed.path = self.path
        found = tuple(listed.text(key, longest) for key in listed.values)
        if len(set(found)) < len(found):
            self.refuse(name, "holds a name twice")
        return found

    def items(self, name: str) -> Sequence[Any]:
        """Return a list's items; none where the key is left out."""
        value = self.values.get(name, ())
        if not isinstance(value, list | tuple):
            self.refuse(name, "must be a list")
        return value

    def table(self, name: str) -> Table:
        """Return an entry that is a table."""
        return Table(self.need(name), self.file, self.key(name))

    def tables(self, name: str) -> list[Table]:
        """Return the tables of a list; none where the key is left out."""
        key = self.key(name)
        return [Table(item, self.file, f"{key}[{i}]") for i, item in enumerate(self.items(name), 1)]

    def _number(self, name: str, value: Any, low: float, high: float) -> float:
        if type(value) is float and low <= value <= high:
            return value + 0.0  # no negative zero
        if isinstance(value, bool) or not isinstance(value, Real):
            reason = "must be a number"
        elif low <= cast(float, value) <= high:  # false for NaN
            return float(value) + 0.0
        else:
            reason = f"must be a number from {low:g} to {high:g}"
        raise SceneError(f"{self.file}: {self.key(name)}: {shown(value)}: {reason}")
