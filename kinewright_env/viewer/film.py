"""A drive as a film: its pictures streamed into an mp4 file, in the drive's own time."""

from __future__ import annotations

import struct
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from ..errors import OptionError
from ..grids import TICKS_PER_SECOND
from ..snapshot import Snapshot
from .canvas import SIZE_PX, Canvas

if TYPE_CHECKING:
    from ..rig import Rig
    from ..scene import Scene
    from ..shells import Shell

FRAMES_PER_SECOND = 30


class Film:
    """Writes a drive, snapshot by snapshot; the file appears whole, when it is closed.

    Parameters
    ----------
    path : str or Path
        Where the film goes; an existing file is replaced.
    scene, shell, rig
        What the drive is made of.
    size : (width, height)
        Of the film, px; an odd side gains a pixel, as the format asks.
    fps : int
        Frames a second of the drive, a divisor of the ticks in a second.

    Raises
    ------
    OptionError
        If there is no whole number of ticks between two frames, or no such folder.
    DependencyNotInstalled
        If imageio-ffmpeg or pygame is missing.
    """

    def __init__(
        self,
        path: str | Path,
        scene: Scene,
        shell: Shell,
        rig: Rig,
        *,
        size: tuple[int, int] = SIZE_PX,
        fps: int = FRAMES_PER_SECOND,
    ) -> None:
        try:
            import imageio_ffmpeg  # noqa: PLC0415 - an extra, needed for films alone
        except ImportError as error:
            raise DependencyNotInstalled(
                'a film needs imageio-ffmpeg; run `pip install "kinewright[video]"`'
            ) from error
        if type(fps) is not int or not 1 <= fps <= TICKS_PER_SECOND or TICKS_PER_SECOND % fps:
            raise OptionError(f"fps {fps!r} is not allowed: a divisor of {TICKS_PER_SECOND}")
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise OptionError(f"film {str(path)!r}: there is no folder {str(self.path.parent)!r}")
        self.frames = 0
        self._every_ticks = TICKS_PER_SECOND // fps
        self._canvas = Canvas(scene, shell, rig, size)
        width, height = size
        self._spare = (height % 2, width % 2)
        self._unfinished = self.path.with_name(f".{self.path.name}.part.mp4")
        self._stream: Generator[None, NDArray[np.uint8] | None, None] | None
        self._stream = imageio_ffmpeg.write_frames(
            str(self._unfinished),
            (width + self._spare[1], height + self._spare[0]),
            fps=fps,
            macro_block_size=1,
            ffmpeg_log_level="error",
        )
        self._stream.send(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, snapshot: Snapshot) -> None:
        """Add the frames that fall on ticks of a snapshot's step."""
        for tick in self._canvas.take(snapshot):
            if tick % self._every_ticks == 0:
                self._write(self._canvas.draw(snapshot, tick))

    def hold(self, snapshot: Snapshot, seconds: float) -> None:
        """Show a snapshot for some time more, for what is to be read at the end."""
        picture = self._canvas.draw(snapshot)
        for _ in range(round(seconds * TICKS_PER_SECOND / self._every_ticks)):
            self._write(picture)

    def close(self) -> None:
        """Finish the film; twice is fine. One without a frame leaves no file.

        Raises
        ------
        OSError
            If the film could not be written whole; then it leaves no file either.
        """
        if self._stream is None:
            return
        self._stream.close()
        self._stream = None
        if self.frames and _is_whole(self._unfinished):
            self._unfinished.replace(self.path)
            return
        self._unfinished.unlink(missing_ok=True)
        if self.frames:
            raise self._fault()

    def _write(self, picture: NDArray[np.uint8]) -> None:
        if self._stream is None:
            raise ValueError(f"the film {self.path} is closed")
        down, right = self._spare
        if down or right:
            picture = np.pad(picture, ((0, down), (0, right), (0, 0)), mode="edge")
        try:
            self._stream.send(picture)
        except OSError as error:
            self._stream = None
            self._unfinished.unlink(missing_ok=True)
            raise self._fault() from error
        self.frames += 1

    def _fault(self) -> OSError:
        return OSError(f"film {str(self.path)!r}: cannot be written, for example for want of room")


def _is_whole(file: Path) -> bool:
    """Whether an mp4 file's boxes fill it to the end, with the index among them.

    The encoder's own word for it, its exit status, does not reach us.
    """
    if not file.is_file():
        return False
    kinds, at, size = set(), 0, file.stat().st_size
    with file.open("rb") as film:
        while at + 8 <= size:
            film.seek(at)
            length, kind, longer = struct.unpack(">I4sQ", film.read(16).ljust(16))
            kinds.add(kind)
            at += max(longer if length == 1 else length, 8)
    return at == size and b"moov" in kinds
