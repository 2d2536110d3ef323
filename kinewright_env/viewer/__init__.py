"""The viewer: a window on a drive, its picture as an array, its film.

pygame is imported when a window or a `Canvas` is made, never before.
"""

from .canvas import Canvas
from .film import Film
from .replay_window import ReplayWindow
from .window import Window

__all__ = ["Canvas", "Film", "ReplayWindow", "Window"]
