"""Reads a file whole, its size believed only after a look."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG

from ..errors import SceneError


def read_bytes(path: Path, limit: int) -> bytes:
    """Return a regular file's bytes.

    Raises
    ------
    SceneError
        If there is no such file, it cannot be read, or it is larger than the limit.
    """
    try:
        status = path.stat()
        if S_ISREG(status.st_mode) and status.st_size <= limit:
            return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise SceneError(f"{str(path)!r}: cannot be read: {reason}") from None
    if not S_ISREG(status.st_mode):
        raise SceneError(f"{str(path)!r}: not a file")
    raise SceneError(f"{str(path)!r}: {status.st_size} bytes: at most {limit}")
