"""The poses of the latest ticks: a frame belongs to those of its own, not of its arrival."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int32]


class PoseRing:
    """Poses of `base_link` on each of the latest ticks.

    Parameters
    ----------
    ticks : int
        How many ticks back a pose can be asked for: the longest latency and period of a
        sensor, and a step.
    """

    def __init__(self, ticks: int) -> None:
        self._size = ticks
        # each pose stands twice, so that any run of ticks is one slice
        self._poses = np.zeros((2 * ticks, 3), np.int32)
        self._first = 0  # no pose before this tick is known
        self._last = -1

    def add(self, obs: Mapping[str, Array]) -> None:
        """Take the poses of the ticks that an observation brings.

        That of a reset holds for every tick before it. Begins anew where ticks go back or are
        missing.
        """
        tick = int(obs["tick"][0])
        rows = obs["pose"]
        if self._last < 0 or not 0 <= tick - self._last <= len(rows):
            self._poses[:] = rows[0]
            self._last = max(tick - len(rows), 0)
            self._first = self._last + 1 if tick > 0 else -self._size
        n = min(tick - self._last, len(rows), self._size)
        at = (self._last + 1) % self._size
        if at + n > self._size:
            where = np.arange(at, at + n) % self._size
            self._poses[where] = self._poses[where + self._size] = rows[:n]
        else:
            self._poses[at : at + n] = self._poses[at + self._size : at + self._size + n] = rows[:n]
        self._last = tick

    def between(self, first: int, last: int) -> Array | None:
        """Return the poses of the ticks from `first` to `last`, (n, 3) um, um, urad.

        None where one of them is not held: later than the last observation, from before the
        first one, or too long ago. The array is a view, and holds until the next observation.
        """
        if last > self._last or first < max(self._first, self._last - self._size + 1):
            return None
        at = first % self._size
        return self._poses[at : at + last - first + 1]
