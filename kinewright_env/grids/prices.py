"""The declared prices of the planner's cells, in integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, allowed

UNKNOWN_PRICES = ("low", "normal", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a step through a cell costs, by what is known of it and how near a wall is.

    Distances are from the cell's centre to the nearest edge of an occupied cell. Within
    `lethal_um` no route leads. From there the surcharge falls in a straight line to
    `wall_near` at `near_um`, and in another to nothing at `far_um`.

    Parameters
    ----------
    cell_um : int
        Side of a cell, micrometres; even.
    lethal_um, near_um, far_um : int
        Micrometres, rising. For a shell: the body's inscribed radius with clearance, its
        circumscribed radius with clearance, and where walls cease to matter.
    free : int
        Price of a free cell.
    unknown_low, unknown_normal, unknown_high : int
        Of an unknown cell, at the three declared prices.
    wall, wall_near : int
        Surcharge at `lethal_um` and at `near_um`.
    leaving : int
        Price of each step that starts in a lethal cell, where a shell happens to stand.

    Raises
    ------
    OptionError
        Where a figure is not an integer, distances do not rise, `far_um` is beyond 63
        cells, or a price with its surcharge is not within [1, 255].
    """

    cell_um: int = 40_000
    lethal_um: int = 156_000
    near_um: int = 260_000
    far_um: int = 350_000
    free: int = 8
    unknown_low: int = 9
    unknown_normal: int = 12
    unknown_high: int = 16
    wall: int = 8
    wall_near: int = 3
    leaving: int = 64

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if type(getattr(self, name)) is not int:
                raise OptionError(f"{name} must be an integer, not {getattr(self, name)!r}")
        if not 2 <= self.cell_um <= 2_000_000 or self.cell_um % 2:
            raise OptionError(f"cell_um must be even and within [2, 2000000], not {self.cell_um}")
        if not 0 <= self.lethal_um <= self.near_um <= self.far_um <= 63 * self.cell_um:
            raise OptionError(
                "lethal_um, near_um and far_um must rise from 0 up to 63 cells, not "
                f"{self.lethal_um}, {self.near_um}, {self.far_um}"
            )
        dearest = max(self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        least = min(self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        if least < 1 or dearest + self.wall > 255 or not 0 <= self.wall_near <= self.wall:
            raise OptionError(
                "prices must be 1 or more, wall_near within [0, wall], and no price with wall "
                f"above 255: {self}"
            )
        if not 1 <= self.leaving <= 255:
            raise OptionError(f"leaving must be within [1, 255], not {self.leaving}")

    def surcharge(self, distance: int) -> int | None:
        """Return what is added at a squared distance in half cells, None where lethal."""
        square_um = distance * (self.cell_um // 2) ** 2
        if square_um < self.lethal_um**2 or distance == 0:
            return None
        if square_um >= self.far_um**2:
            return 0
        at_um = math.isqrt(square_um)
        if at_um < self.near_um:
            high, low, left_um = self.wall, self.wall_near, self.near_um - at_um
            return low + -(-(high - low) * left_um // (self.near_um - self.lethal_um))
        return -(-self.wall_near * (self.far_um - at_um) // (self.far_um - self.near_um))

    def table(self) -> NDArray[np.uint8]:
        """Return prices by row and squared distance, 0 where lethal.

        Returns
        -------
        ndarray of uint8, shape (4, n)
            Rows: free, and unknown at the low, the normal and the high price. The last
            column holds for that distance and all beyond.
        """
        half_um = self.cell_um // 2
        cap = max(1, -(-(self.far_um**2) // half_um**2))
        rows = (self.free, self.unknown_low, self.unknown_normal, self.unknown_high)
        surcharges = [self.surcharge(distance) for distance in range(cap + 1)]
        return np.array(
            [[0 if more is None else price + more for more in surcharges] for price in rows],
            dtype=np.uint8,
        )


def as_unknown(unknown: str) -> int:
    """Return the number of a price of unknown cells."""
    if unknown not in UNKNOWN_PRICES:
        raise OptionError(f"unknown {unknown!r}: {allowed(unknown, UNKNOWN_PRICES)}")
    return UNKNOWN_PRICES.index(unknown)
