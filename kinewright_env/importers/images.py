"""Grey values of an image: PGM by an own reader, PNG through pillow."""

from __future__ import annotations

import re
import struct
import warnings
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from ..errors import SceneError
from .files import read_bytes

CELLS_LIMIT: Final = 2**24
FILE_LIMIT_BYTES: Final = 2**27

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_START: Final = struct.Struct(">8sI4sII")
_PGM_HEADER: Final = re.compile(
    rb"P([25])(?:\s++|#[^\n\r]*+[\n\r])++(\d{1,9})(?:\s++|#[^\n\r]*+[\n\r])++(\d{1,9})"
    rb"(?:\s++|#[^\n\r]*+[\n\r])++(\d{1,9})\s"
)
_PGM_COMMENT: Final = re.compile(rb"#[^\n\r]*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image's values, top row first.

    `colors` (rows, columns, channels) int32 has one channel for grey and three for colours;
    `alpha` (rows, columns) int32 is how opaque a pixel is, None where the image has no such
    channel. All run from 0 to `maximum`.
    """

    colors: NDArray[np.int32]
    alpha: NDArray[np.int32] | None
    maximum: int


def read_image(path: Path) -> Image:
    """Return an image's values.

    Parameters
    ----------
    path : Path
        A PGM (P2 or P5, 8 or 16 bits) or a PNG of any kind; told apart by their first bytes.

    Raises
    ------
    SceneError
        If it is neither, cut short, or larger than its limits.
    DependencyNotInstalled
        For a PNG where pillow is not installed.
    """
    data = read_bytes(path, FILE_LIMIT_BYTES)
    if data.startswith(_PNG):
        return _read_png(data, str(path))
    if data[:2] in (b"P2", b"P5"):
        return _read_pgm(data, str(path))
    raise SceneError(f"{path}: begins with {data[:8]!r}: must be a PGM (P2, P5) or a PNG")


def _check_size(columns: int, rows: int, file: str) -> None:
    if not (columns > 0 and rows > 0 and columns * rows <= CELLS_LIMIT):
        raise SceneError(f"{file}: {columns} x {rows} pixels: must be 1 to {CELLS_LIMIT} in all")


def _read_pgm(data: bytes, file: str) -> Image:
    header = _PGM_HEADER.match(data)
    if header is None:
        raise SceneError(f"{file}: not a PGM: the header must give width, height, greatest value")
    columns, rows, maximum = (int(header[i]) for i in (2, 3, 4))
    _check_size(columns, rows, file)
    if not 0 < maximum < 65536:
        raise SceneError(f"{file}: greatest value {maximum}: must be 1 to 65535")
    read = _binary_values if header[1] == b"5" else _text_values
    values = read(data[header.end() :], columns * rows, maximum, file)
    if len(values) and values.max() > maximum:
        raise SceneError(f"{file}: a pixel of {values.max()}: the header says {maximum} at most")
    return Image(colors=values.reshape(rows, columns, 1), alpha=None, maximum=maximum)


def _binary_values(data: bytes, count: int, maximum: int, file: str) -> NDArray[np.int32]:
    kind = np.dtype(np.uint8 if maximum < 256 else ">u2")
    expected = count * kind.itemsize
    if len(data) < expected or data[expected:].strip():
        raise SceneError(f"{file}: {len(data)} bytes of pixels: the header promises {expected}")
    return np.frombuffer(data, kind, count).astype(np.int32)


def _text_values(data: bytes, count: int, maximum: int, file: str) -> NDArray[np.int32]:
    words = _PGM_COMMENT.sub(b" ", data).split()
    if len(words) != count:
        raise SceneError(f"{file}: {len(words)} pixels: the header promises {count}")
    odd = next((word for word in words if not word.isdigit() or len(word) > 5), None)
    if odd is not None:
        raise SceneError(f"{file}: {odd[:20]!r}: a pixel must be a number up to {maximum}")
    return np.array(words, dtype="S5").astype(np.int32)


def _read_png(data: bytes, file: str) -> Image:
    if len(data) < _PNG_START.size:
        raise SceneError(f"{file}: a PNG cut short")
    _, _, _, columns, rows = _PNG_START.unpack_from(data)
    _check_size(columns, rows, file)
    try:
        from PIL import Image as pillow  # noqa: N813, PLC0415 (only for a PNG)
    except ImportError:
        raise DependencyNotInstalled(
            'reading a PNG needs pillow, run `pip install "kinewright[maps]"`'
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pillow.open(BytesIO(data), formats=("PNG",)) as image:
                return _from_pillow(image)
    except Exception as error:  # pillow's kinds are many, from SyntaxError to IndexError
        raise SceneError(f"{file}: not a whole PNG: {error}") from None


def _from_pillow(image: Any) -> Image:
    """Return the values of a PNG, a palette's as its colours."""
    image.load()
    if image.mode.startswith("I"):  # 16 bits of grey
        grey = np.asarray(image).astype(np.int32)
        return Image(colors=grey[:, :, np.newaxis], alpha=None, maximum=65535)
    if "transparency" in image.info:
        image = image.convert("RGBA")
    elif image.mode not in ("L", "LA", "RGB", "RGBA"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    values = np.asarray(image).astype(np.int32)
    values = values.reshape(*values.shape[:2], -1)
    alpha = values[:, :, -1] if image.mode in ("LA", "RGBA") else None
    return Image(colors=values if alpha is None else values[:, :, :-1], alpha=alpha, maximum=255)
