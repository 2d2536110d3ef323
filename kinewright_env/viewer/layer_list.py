"""The numbered list of what can be shown and hidden, the viewer's own first."""

from __future__ import annotations

from collections.abc import Iterable

NUMBERS = 18  # 1 to 9, and with shift 10 to 18
TRAIL = "trail"


class LayerList:
    """Names in the order of their number keys; one that was seen keeps its number.

    Parameters
    ----------
    sensors : iterable of str
        Keys of the sensors that show on the map.
    """

    def __init__(self, sensors: Iterable[str]) -> None:
        self._names: list[str] = [TRAIL, *sensors]
        self._hidden: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """The numbered names, that of key 1 first; at most `NUMBERS`."""
        return tuple(self._names[:NUMBERS])

    def meet(self, names: Iterable[str]) -> None:
        """Give numbers to an agent's layers as long as there are any left."""
        for name in names:
            if len(self._names) >= NUMBERS:
                return
            if name not in self._names:
                self._names.append(name)

    def number_of(self, name: str) -> int | None:
        """Return the number of a name, none where it has none."""
        names = self.names
        return names.index(name) + 1 if name in names else None

    def toggle(self, number: int) -> str | None:
        """Show or hide what has a number; returns its name, none where there is nothing."""
        if not 1 <= number <= len(self.names):
            return None
        name = self._names[number - 1]
        self._hidden ^= {name}
        return name

    def shows(self, name: str) -> bool:
        """Return whether a name is shown; one without a number always is."""
        return name not in self._hidden
