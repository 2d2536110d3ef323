"""The picture as an array of pixels, with no display anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..snapshot import Snapshot
from .state import ViewState

if TYPE_CHECKING:
    from ..rig import Rig
    from ..scene import Scene
    from ..shells import Shell

SIZE_PX = (1000, 700)
SIZES_PX = (64, 8192)


def checked_size(size_px: object) -> tuple[int, int]:
    """Return a picture's size.

    Raises
    ------
    OptionError
        If it is not two whole numbers of pixels that make sense.
    """
    low, high = SIZES_PX
    if (
        isinstance(size_px, tuple | list)
        and len(size_px) == 2
        and all(type(side) is int and low <= side <= high for side in size_px)
    ):
        return size_px[0], size_px[1]
    raise OptionError(f"size {size_px!r} is not allowed: (width, height), each {low} to {high} px")


class Canvas:
    """Draws a drive as the window does, into arrays.

    Parameters
    ----------
    scene, shell, rig
        What the drive is made of.
    size : (width, height)
        Of the pictures, px.
    bounds_m : (x0, y0, x1, y1), optional
        The part of `map` to show, by default all of the scene.
    numbers : bool
        Write readings beside their marks.

    Raises
    ------
    DependencyNotInstalled
        If pygame is missing, or there twice.
    """

    def __init__(
        self,
        scene: Scene,
        shell: Shell,
        rig: Rig,
        size: tuple[int, int] = SIZE_PX,
        *,
        bounds_m: tuple[float, float, float, float] | None = None,
        numbers: bool = False,
    ) -> None:
        from .painter import Painter  # noqa: PLC0415 - pygame is imported when one opens

        self._state = ViewState(numbers_shown=numbers)
        self._painter = Painter(scene, shell, rig, checked_size(size))
        if bounds_m is not None:
            self._painter.camera.bounds_m = bounds_m
            self._painter.camera.fit()

    def forget(self) -> None:
        """Begin a new drive of the same scene: the trail ends."""
        self._painter.forget()

    def take(self, snapshot: Snapshot) -> range:
        """Take the next snapshot without drawing; returns the ticks that can be drawn."""
        self._painter.track.take(snapshot)
        return self._painter.track.ticks()

    def draw(self, snapshot: Snapshot, tick: int | None = None) -> NDArray[np.uint8]:
        """Return the picture of a snapshot.

        Parameters
        ----------
        snapshot : Snapshot
            Later than the last one given, or the same.
        tick : int, optional
            Which tick of its step to show, by default the last.

        Returns
        -------
        (height, width, 3) uint8
            Red, green, blue; a fresh array.
        """
        self.take(snapshot)
        self._painter.draw(self._painter.track.moment(tick), self._state)
        return self._painter.pixels()
