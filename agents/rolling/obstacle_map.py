"""The rolling obstacle map: the core's grid, its ledger and its totals, as one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids.corridor import Corridor
from kinewright_env.grids.increment import RegisteredIncrement, RollingBounds
from kinewright_env.grids.rolling import Component, FrameResult, RollingGrid
from kinewright_env.layers import Layer

from .drawing import layers_of
from .ledger import Ledger
from .totals import Totals

_NOTHING: Final = np.empty((0, 3))


class RollingObstacleMap:
    """Says, frame by frame, what stands near the pose and what of it lies in a corridor.

    A cell that was hit is kept until it is older than the retention, farther than the radius,
    or the pose jumps; that it is not hit again clears nothing, and what has left is unknown.
    A frame that does not fit is refused whole, and then every answer is unknown until one fits.

    Parameters
    ----------
    bounds : RollingBounds, optional
        What is kept; the declared bounds unless told.
    ledger_sink : callable, optional
        Takes each line of the ledger, its end included.

    Raises
    ------
    OptionError
        If a bound is out of range.

    Examples
    --------
    >>> obstacles = RollingObstacleMap()
    >>> corridor = Corridor.box((0.0, -0.3, 0.0), (2.0, 0.3, 0.5))
    >>> wall = [[1.5, y / 100, 0.2] for y in range(10)]
    >>> obstacles.frame(RegisteredIncrement(wall, (0.0, 0.0, 0.0, 0.0), 0), corridor).answer
    'threat'
    >>> again = RegisteredIncrement([[5.0, 5.0, 0.2]], (0.0, 0.0, 0.0, 0.0), 2_000_000_000)
    >>> obstacles.frame(again, corridor).answer  # the wall was not published again
    'threat'
    """

    def __init__(
        self,
        bounds: RollingBounds | None = None,
        *,
        ledger_sink: Callable[[str], None] | None = None,
    ) -> None:
        self._grid = RollingGrid(bounds)
        self.bounds = self._grid.bounds
        self.ledger = Ledger(self.bounds, ledger_sink)
        self.totals = Totals()
        self._shown: tuple[Any, FrameResult | None, Corridor | None] = (_NOTHING, None, None)

    def frame(
        self,
        increment: RegisteredIncrement,
        corridor: Corridor | None = None,
        *,
        bearing_only: int = 0,
    ) -> FrameResult:
        """Take an increment, assess all evidence once, and enter it in the ledger.

        Parameters
        ----------
        increment : RegisteredIncrement
        corridor : Corridor, optional
            What evidence is assessed against; without one all of it is unknown.
        bearing_only : int
            Pieces of evidence that came with a direction and no place.

        Raises
        ------
        IncrementError
            If a number is not finite or a shape is wrong, the frame named; the map and the
            ledger are as they were.
        """
        result = self._grid.frame(increment, corridor, bearing_only=bearing_only)
        self._shown = (increment.points_m, result, corridor)
        return self._entered(result, corridor)

    def tick(
        self, stamp_ns: int, corridor: Corridor | None = None, *, bearing_only: int = 0
    ) -> FrameResult:
        """Let map time pass without a frame: cells expire, and the answer is `stale`.

        Raises
        ------
        IncrementError
            If the stamp is no whole number, or the corridor is not as declared.
        """
        result = self._grid.tick(stamp_ns, corridor, bearing_only=bearing_only)
        self._shown = (_NOTHING, result, corridor)
        return self._entered(result, corridor)

    def clear(self) -> int:
        """Forget all cells and identities; return how many cells. All is unknown then."""
        return self._grid.clear()

    def _entered(self, result: FrameResult, corridor: Corridor | None) -> FrameResult:
        self.ledger.add(result, "-" if corridor is None else corridor.digest())
        self.totals.add(result)
        return result

    @property
    def fault(self) -> bool:
        """Whether the capacity fault is latched."""
        return self._grid.fault

    def components(self) -> tuple[Component, ...]:
        """Return what the last frame or tick published; see `RollingGrid.components`."""
        return self._grid.components()

    def cells(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all active cells and their ages; see `RollingGrid.cells`."""
        return self._grid.cells()

    def meets(
        self, pieces_um: NDArray[np.int64], *, low_um: int, high_um: int
    ) -> NDArray[np.bool_] | None:
        """Return which of several corridors meet a cell, None under the capacity fault."""
        return self._grid.meets(pieces_um, low_um=low_um, high_um=high_um)

    def layers(self) -> tuple[Layer, ...]:
        """Return what may be drawn of the last frame: its increment and the map, apart."""
        points_m, result, corridor = self._shown
        return layers_of(self, np.asarray(points_m, dtype=np.float64), result, corridor)
