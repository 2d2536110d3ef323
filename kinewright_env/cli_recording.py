"""What a drive leaves behind for people: a picture, a film."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from .cli_arguments import size
from .cli_output import png, write_whole
from .errors import OptionError
from .rig import Rig
from .scene import Scene
from .shells import Shell
from .snapshot import Snapshot
from .viewer import Canvas, Film

SIZE_PX = (1000, 700)
HOLD_S = 2.0  # the film's end stays for the sentence to be read


def add_pictures(verb: argparse.ArgumentParser) -> None:
    """Add the options of what a drive leaves behind."""
    verb.add_argument("--picture", type=Path, metavar="FILE.png", help="write the drive's picture")
    verb.add_argument("--film", type=Path, metavar="FILE.mp4", help="write the drive as a film")
    verb.add_argument("--size", type=size, metavar="WxH", help="of picture and film, pixels")


class Shown(Protocol):
    """A drive that can be drawn: one that runs, or one that was recorded."""

    @property
    def scene(self) -> Scene:
        """Scene of the drive."""

    @property
    def shell(self) -> Shell:
        """Shell of the drive."""

    @property
    def rig(self) -> Rig:
        """Sensors on the shell."""

    def snapshot(self, *, layers: bool = True) -> Snapshot:
        """Return the present moment, with the agent's layers or without."""


class Recording:
    """Draws a drive step by step where a picture or a film is asked for.

    Parameters
    ----------
    picture, film : Path, optional
        Where they go.
    size : (width, height), optional
        Of both, px.
    """

    def __init__(
        self, picture: Path | None, film: Path | None, size: tuple[int, int] | None
    ) -> None:
        for file, suffix in ((picture, ".png"), (film, ".mp4")):
            if file is not None and file.suffix.lower() != suffix:
                raise OptionError(f"{str(file)!r} is not allowed; allowed: a name in {suffix}")
            if file is not None and not file.absolute().parent.is_dir():
                raise OptionError(f"{str(file)!r}: there is no such folder")
        self.written: list[Path] = []
        self._picture_file, self._film_file = picture, film
        self._size = size or SIZE_PX
        self._canvas: Canvas | None = None
        self._film: Film | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._film is not None:
            self._film.close()

    def add(self, drive: Shown) -> None:
        """Take the drive after a step."""
        if self._picture_file is None and self._film_file is None:
            return
        parts = (drive.scene, drive.shell, drive.rig)
        snapshot = drive.snapshot(layers=self._film_file is not None)  # a picture shows the end
        if self._picture_file is not None:
            self._canvas = self._canvas or Canvas(*parts, self._size)
            self._canvas.take(snapshot)
        if self._film_file is not None:
            self._film = self._film or Film(self._film_file, *parts, size=self._size)
            self._film.add(snapshot)

    def finish(self, drive: Shown) -> None:
        """Write what was asked for, the drive's sentence in it."""
        if self._canvas is not None and self._picture_file is not None:
            write_whole(self._picture_file, png(self._canvas.draw(drive.snapshot())))
            self.written.append(self._picture_file)
        if self._film is not None:
            self._film.hold(drive.snapshot(), HOLD_S)
            self._film.close()
            self.written.append(self._film.path)
