"""What is asked for beside the map's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The arguments of `import_map`; None where left out."""

    start: tuple[float, float, float] | None
    goal: tuple[float, float] | None
    cell_m: float | None
    unknown: str | None
    scenario: int | None

    def refuse(self, path: Path, reasons: Mapping[str, str]) -> None:
        """Refuse arguments that a format has no use for.

        Raises
        ------
        OptionError
            With the reason beside the argument's name.
        """
        for name, reason in reasons.items():
            value = getattr(self, name)
            if value is not None:
                raise OptionError(f"{name}: {value!r}: {path.name} {reason}")
