"""Arrays of an `.npz` file, no length of it believed before it is checked, no object loaded."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import RecordingError

LIMIT_BYTES: Final = 2**32  # of one array, unpacked


def read_arrays(path: Path, names: Collection[str]) -> dict[str, NDArray[Any]]:
    """Return those arrays of the file that are named and there.

    Raises
    ------
    RecordingError
        If it is no `.npz`, or an array is cut, too large or of objects.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            there = {info.filename: info for info in archive.infolist()}
            return {
                name: _read(archive, there[f"{name}.npy"], f"{str(path)!r}, {name}")
                for name in names
                if f"{name}.npy" in there
            }
    except RecordingError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise RecordingError(f"{str(path)!r}: no .npz that can be read: {error}") from None
    except (NotImplementedError, RuntimeError) as error:  # another compression; a password
        raise RecordingError(f"{str(path)!r}: {error}") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> NDArray[Any]:
    if info.file_size > LIMIT_BYTES:
        raise RecordingError(f"{where}: {info.file_size} bytes; at most {LIMIT_BYTES}")
    with archive.open(info) as file:
        version = npy.read_magic(file)
        readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        if version not in readers:
            raise RecordingError(f"{where}: format {version} of an array is unknown")
        shape, by_column, dtype = readers[version](file)
        if dtype.hasobject or any(length < 0 for length in shape):
            raise RecordingError(f"{where}: an array of objects; allowed: numbers")
        n_bytes = dtype.itemsize
        for length in shape:
            n_bytes *= length
        if n_bytes > info.file_size:
            raise RecordingError(f"{where}: shape {shape} is larger than what is there")
        data = file.read(n_bytes)
    if len(data) != n_bytes:
        raise RecordingError(f"{where}: cut short")
    array: NDArray[Any] = np.frombuffer(data, dtype=dtype)
    return array.reshape(shape, order="F" if by_column else "C")
