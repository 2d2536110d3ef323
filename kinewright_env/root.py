"""The root of a drive: one digest of all that happened."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .grids import quantise_ask
from .shells import Shell

ROOT_FORMAT = "kinewright drive root 1"


class Root:
    """The SHA-256 of a drive.

    Over what fixes the drive and its seed as canonical JSON (sorted keys, ASCII, no
    spaces), then for each step
    the agent's ask (0.1 mm/s and urad, as the core quantises it) and the whole observation
    in the order of its keys, all as little-endian int32 (float64 where a wrapper has made
    floats of it).
    """

    def __init__(self, header: Mapping[str, Any], seed: int, shell: Shell) -> None:
        fixed = {"format": ROOT_FORMAT, "seed": seed, **header}
        text = json.dumps(fixed, sort_keys=True, separators=(",", ":"), allow_nan=False)
        self._hash = hashlib.sha256(text.encode("ascii"))
        self._shell = shell

    def add(self, ask: tuple[float, float], observation: Any) -> None:
        """Add a step."""
        quantised = quantise_ask(self._shell, *ask)[:2]
        self._hash.update(np.array(quantised, "<i4").tobytes())
        entries = observation.values() if isinstance(observation, Mapping) else (observation,)
        for entry in entries:
            values = np.asarray(entry)
            kind = "<i4" if values.dtype.kind in "biu" else "<f8"
            self._hash.update(values.astype(kind).tobytes())

    def hex(self) -> str:
        """Return the digest so far."""
        return self._hash.hexdigest()
