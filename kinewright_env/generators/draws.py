"""Whole numbers drawn from a seed: the same on every platform, now and later.

The words are the core's Philox4x32-10 under the seed as key; each number is an exact
integer function of 64 of their bits. No generator of a library whose stream may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from .. import core

T = TypeVar("T")

_BLOCKS: Final = 64
"""Counters made at a time."""
_WORD: Final = 2**32


class Draws:
    """A stream of draws.

    Parameters
    ----------
    seed : int
        From 0 to 2**63 - 1.
    stream : int
        Streams of one seed have nothing in common.
    """

    def __init__(self, seed: int, stream: int) -> None:
        self._key = (seed % _WORD, seed // _WORD)
        self._stream = stream
        self._block = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1; uneven by less than n / 2**64."""
        if not self._words:
            blocks = range(self._block, self._block + _BLOCKS)
            self._words = core.philox([(i, self._stream, 0, 0) for i in blocks], self._key)[::-1]
            self._block += _BLOCKS
        bits = self._words.pop() * _WORD + self._words.pop()
        return bits * n // (_WORD * _WORD)

    def between(self, low: int, high: int, step: int = 1) -> int:
        """Return one of low, low + step, ... that is not above high."""
        return low + step * self.below((high - low) // step + 1)

    def chance(self, percent: int) -> bool:
        """Return True in so many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in any order (Fisher and Yates)."""
        mixed = list(items)
        for i in range(len(mixed) - 1, 0, -1):
            j = self.below(i + 1)
            mixed[i], mixed[j] = mixed[j], mixed[i]
        return mixed
