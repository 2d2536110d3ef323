"""What the verbs share: exit statuses, files that are whole or absent, text, progress."""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError

DONE = 0
FINDING = 1
USAGE = 2
INTERRUPTED = 130  # as shells have it for SIGINT
PIPE_CLOSED = 141  # and for SIGPIPE

PROGRESS_AFTER_S = 1.0
PROGRESS_EVERY_S = 0.1
PROGRESS_WIDTH = 30


def ready_streams() -> None:
    """Let stdout and stderr take any text: what they cannot show is escaped, what is closed eats.

    Python leaves None in place of a stream that was closed before it began.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            null = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the very end
            setattr(sys, name, null)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """Return text on one line, without anything that would command a terminal."""
    return "".join(
        part if part.isprintable() else " " if part.isspace() else f"\\x{ord(part):02x}"
        for part in text
    )


def print_json(value: Any) -> None:
    """Print a value as JSON in ASCII, whatever the terminal's encoding; no NaN or infinity ever."""
    print(json.dumps(value, indent=2, allow_nan=False))


def print_rows(rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text in aligned columns."""
    listed = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file through a temporary one beside it, so that no half of it is ever there.

    Raises
    ------
    OSError
        If it cannot be written, `path` in its words; a file of that name stays as it was.
    """
    try:
        _write_beside(path, data)
    except OSError as error:
        # the file that was asked for, not the temporary one; the errno picks the class
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_beside(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def refuse_existing(path: Path) -> None:
    """Refuse to write where something is: before anything runs.

    Raises
    ------
    OptionError
        If the file is there, or its folder is not.
    """
    if path.exists() or path.is_symlink():
        raise OptionError(f"{str(path)!r} is there already; allowed: a new file")
    if not path.absolute().parent.is_dir():
        raise OptionError(f"{str(path)!r}: there is no such folder")


def png(picture: NDArray[np.uint8]) -> bytes:
    """Return an (h, w, 3) uint8 picture as a PNG file."""
    height, width, _ = picture.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green, blue
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with filter 0: none
    rows[:, 1:] = picture.reshape(height, 3 * width)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


class Progress:
    """A bar on stderr, where that is a terminal, for what takes longer than a second.

    Parameters
    ----------
    total : int
        What `show` counts up to.
    """

    def __init__(self, total: int) -> None:
        self._total = max(total, 1)
        self._on = sys.stderr.isatty()
        self._due_s = time.monotonic() + PROGRESS_AFTER_S
        self._shown = False

    def show(self, done: int) -> None:
        """Draw the bar anew if it is time to."""
        if not self._on or time.monotonic() < self._due_s:
            return
        self._due_s = time.monotonic() + PROGRESS_EVERY_S
        share = min(done / self._total, 1.0)
        bar = "#" * round(share * PROGRESS_WIDTH)
        sys.stderr.write(f"\r[{bar:<{PROGRESS_WIDTH}}] {100 * share:3.0f} %")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            sys.stderr.write("\r" + " " * (PROGRESS_WIDTH + 9) + "\r")
            self._shown = False
