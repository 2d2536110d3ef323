"""Grid maps that the scanner makes: each scan's beams are counted in the cells they crossed.

A beam that returned is a hit in the cell where it did, and a miss in each cell before it; one
that went out of range is misses all the way. What is not yet seen counts as free: so a plan
may lead through the unseen, and is made anew where that shows to be blocked.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .beams import Beams
from .dynamics import Indices
from .grid_map import MICROMETRES, CellMap, Point

MARGIN_M = 1.0  # free ground around all that was seen, for ways around
Counts = NDArray[np.int16]


class ScannedGridMap(CellMap):
    """A map that grows and changes by scans; how hits and misses count is the subclass's."""

    OCCUPIED_FROM: int

    def see_place(self, point: Point) -> None:
        """Take a place, say the goal, into the map without knowing anything of it."""
        i, j = self.point_to_indices(point)
        margin = round(MARGIN_M / self.cell_m)
        self._cover((i - margin, j - margin, i + margin, j + margin))

    def take_scan(self, beams: Beams) -> None:
        """Count the beams of one scan."""
        if not len(beams.range_m):
            return
        cross_x, cross_y = beams.points(self.cell_m)
        hit_x, hit_y = beams.ends()
        reach_x, reach_y = np.concatenate((cross_x, hit_x)), np.concatenate((cross_y, hit_y))
        margin = round(MARGIN_M / self.cell_m)
        lows = self._cells(np.array([reach_x.min(), reach_y.min()])) - margin
        highs = self._cells(np.array([reach_x.max(), reach_y.max()])) + margin
        self._cover((int(lows[0]), int(lows[1]), int(highs[0]), int(highs[1])))
        hits = self._counted(hit_x, hit_y)
        misses = self._counted(cross_x, cross_y)
        misses[hits > 0] = 0  # a surface met at a slant is both in one scan
        touched = np.flatnonzero((hits > 0) | (misses > 0))
        counts, occupied = self._counts.reshape(-1), self._occupied.reshape(-1)
        counts[touched] = after = self._count(counts[touched], hits[touched], misses[touched])
        now = after >= self.OCCUPIED_FROM
        for change, flipped in ((1, now & ~occupied[touched]), (-1, ~now & occupied[touched])):
            rows, columns = np.divmod(touched[flipped], self._columns)
            self._occupy(rows, columns, change)

    def is_seen(self, indices: Indices) -> bool:
        """Whether a beam has met or crossed the cell."""
        place = self._place(indices)
        return place >= 0 and self._counts.item(place) != 0

    def _count(self, counts: Counts, hits: Counts, misses: Counts) -> Counts:
        """Return the counts of cells after so many hits and misses."""
        raise NotImplementedError

    def _cells(self, metres: NDArray[np.float64]) -> NDArray[np.int64]:
        cells: NDArray[np.int64] = np.floor(metres * (MICROMETRES / self._cell_um)).astype(np.int64)
        return cells

    def _counted(self, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> Counts:
        """Return how many of the places lie in each cell, flat."""
        places = (self._cells(y_m) - self._corner[1]) * self._columns
        places += self._cells(x_m) - self._corner[0]
        return np.bincount(places, minlength=self._counts.size).astype(np.int16)

    def _seen(self) -> NDArray[np.bool_]:
        seen: NDArray[np.bool_] = self._counts != 0
        return seen

    def _arrays(self) -> dict[str, type[np.generic]]:
        return {**super()._arrays(), "_counts": np.int16}

    _counts: Counts


class BayesGridMap(ScannedGridMap):
    """Each cell's count is the logarithm of its odds to be occupied, by Bayes' rule.

    A beam is taken to end in an occupied cell 3.4 times as often as in a free one, and to
    pass through a free one 1.5 times as often: so a hit counts +3 and a miss -1, in units of
    the logarithm of 1.5. A cell is occupied from +9 on (probability 0.97) and the count stays
    within -9 and +17, so that a cell seen for long can still change its mind.
    """

    HIT: Final = 3
    LEAST, MOST = -9, 17  # as the belief map of route.md, so that the two can be compared
    OCCUPIED_FROM = 9
    ODDS_OF_ONE: Final = 1.5

    def _count(self, counts: Counts, hits: Counts, misses: Counts) -> Counts:
        after: Counts = np.clip(counts + self.HIT * hits - misses, self.LEAST, self.MOST)
        return after

    def _probability(self, place: int) -> float:
        return _PROBABILITIES[int(self._counts.item(place)) - self.LEAST]


class CountingGridMap(ScannedGridMap):
    """Each cell counts one up for a hit and one down for a miss, and nothing is weighed.

    A cell is occupied while its hits are ahead by two. A thin post, past which more beams go
    than end in it, is lost; and it knows no odds, only occupied or not.
    """

    LEAST, MOST = -10, 10
    OCCUPIED_FROM = 2

    def _count(self, counts: Counts, hits: Counts, misses: Counts) -> Counts:
        after: Counts = np.clip(counts + hits - misses, self.LEAST, self.MOST)
        return after


def _probabilities() -> tuple[float, ...]:
    """Return the probability of each count, from odds by products alone."""
    odds = 1.0
    for _ in range(-BayesGridMap.LEAST):
        odds /= BayesGridMap.ODDS_OF_ONE
    found = []
    for _ in range(BayesGridMap.LEAST, BayesGridMap.MOST + 1):
        found.append(odds / (1.0 + odds))
        odds *= BayesGridMap.ODDS_OF_ONE
    return tuple(found)


_PROBABILITIES: Final = _probabilities()
