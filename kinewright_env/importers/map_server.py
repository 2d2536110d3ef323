"""ROS `map_server` maps: a YAML file beside an image, as boxes merged from its cells.

What a pixel says follows the map server of Nav2 (`nav2_map_server`, `map_io.cpp`), every
key honoured or refused by name:

- `mode: trinary`: p = 1 - shade (shade itself with `negate`), the shade being the mean of
  the colours and, where there is one, of the alpha channel, as a part of the greatest value;
  above `occupied_thresh` a cell is occupied, below `free_thresh` free, else unknown.
- `mode: scale`: the shade without alpha; a pixel that is not opaque is unknown; what lies
  between the thresholds, a probability there, is unknown here, since a solid is or is not.
- `mode: raw`: the shade times 255 is an occupancy in percent, compared with the thresholds
  as percents; above 100 unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import pi
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError, allowed
from ..grids import cos, sin
from ..scene import Scene
from .files import read_bytes
from .flat_yaml import Value, read_flat_yaml
from .images import Image, read_image
from .lattice import TIME_LIMIT_S, Lattice, pose_table, printable
from .request import Request

YAML_LIMIT_BYTES: Final = 2**16
MODES: Final = ("trinary", "scale", "raw")

_KEYS: Final = (
    *("image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode"),
)
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:[eE][+-]?\d{1,3})?")
_SWITCH: Final = {"0": False, "1": True, "false": False, "true": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class MapServerCard:
    """The keys of the YAML, checked; the lattice's cell (0, 0) is the lower left pixel."""

    image: Path
    lattice: Lattice
    negate: bool
    occupied_thresh: float
    free_thresh: float
    mode: str


def import_map_server(path: Path, request: Request) -> Scene:
    """Return a `map_server` map as a scene; see `import_map`.

    Raises
    ------
    SceneError
        If a file is not as its format asks, or no place is free for a start.
    OptionError
        If a cell's size is given, which the YAML states, or a scenario.
    """
    reasons = {"cell_m": "states its own `resolution`", "scenario": "has no scenarios"}
    request.refuse(path, reasons)
    unknown = request.unknown or "solid"
    card = read_card(path)
    occupied, free = classify(read_image(card.image), card)
    solid = ~free if unknown == "solid" else occupied
    boxes = card.lattice.boxes(solid, str(path))
    rows, columns = solid.shape
    source = {
        "format": "map_server",
        "name": path.name,
        "image": card.image.name,
        "resolution": card.lattice.cell_m,
        "columns": columns,
        "rows": rows,
        "occupied": int(occupied.sum()),
        "unknown": int((~occupied & ~free).sum()),
        "unknown_as": unknown,
        "solids": len(boxes),
    }
    table: dict[str, Any] = {
        "format": 1,
        "name": printable(path.stem),
        "title": f"Map of {columns} x {rows} cells of {card.lattice.cell_m:g} m",
        "time_limit_s": TIME_LIMIT_S,
        "start": pose_table(request.start)
        if request.start is not None
        else card.lattice.open_start(~solid, path),
        "source": {k: printable(v) if isinstance(v, str) else v for k, v in source.items()},
        "box": boxes,
    }
    if request.goal is not None:
        table["goal"] = dict(zip("xy", request.goal, strict=True))
    return Scene.from_dict(table, str(path))


def read_card(path: Path) -> MapServerCard:
    """Return the checked keys of a `map_server` YAML file.

    Raises
    ------
    SceneError
        With file, key, value and what is allowed.
    """
    file = str(path)
    try:
        text = read_bytes(path, YAML_LIMIT_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SceneError(f"{file}: byte {error.start}: not text in UTF-8") from None
    values = read_flat_yaml(text, file)
    for key in values:
        if key not in _KEYS:
            raise SceneError(f"{file}: {key}: unknown key: {allowed(key, _KEYS)}")
    mode = _text(values, "mode", file, "trinary")
    if mode not in MODES:
        raise SceneError(f"{file}: mode: {mode!r}: {allowed(mode, MODES)}")
    negate = _SWITCH.get(_text(values, "negate", file, "0").lower())
    if negate is None:
        raise SceneError(f"{file}: negate: {values['negate']!r}: must be 0 or 1")
    if negate and mode == "raw":
        raise SceneError(f"{file}: negate: 1: map servers differ on it where mode is raw")
    x_m, y_m, yaw_rad = _origin(values, file)
    card = MapServerCard(
        image=_image_path(_text(values, "image", file), path),
        lattice=Lattice(
            cell_m=_number(_text(values, "resolution", file), "resolution", 1e-3, 10.0, file),
            x_m=x_m,
            y_m=y_m,
            yaw_rad=yaw_rad,
            cosine=cos(yaw_rad),
            sine=sin(yaw_rad),
        ),
        negate=negate,
        occupied_thresh=_threshold(values, "occupied_thresh", file),
        free_thresh=_threshold(values, "free_thresh", file),
        mode=mode,
    )
    if card.free_thresh > card.occupied_thresh:
        raise SceneError(f"{file}: free_thresh: {card.free_thresh}: above occupied_thresh")
    return card


def classify(image: Image, card: MapServerCard) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which cells are occupied and which are free, the lowest row first.

    Returns
    -------
    occupied, free : (rows, columns) bool
        What is neither is unknown.
    """
    summed, channels = image.colors.sum(axis=2), image.colors.shape[2]
    if card.mode == "trinary" and image.alpha is not None:
        # grey has the weight of three colours beside alpha, as in the map server
        summed = summed * (3 // channels) + image.alpha
        channels = 4
    whole = channels * image.maximum
    known = np.ones(summed.shape, bool)
    if card.mode == "raw":
        percent = (2 * 255 * summed + whole) // (2 * whole)  # rounded half up
        occupancy, known = percent / 100.0, percent <= 100
    else:
        occupancy = (summed if card.negate else whole - summed) / whole
        if card.mode == "scale" and image.alpha is not None:
            known = image.alpha == image.maximum
    occupied = known & (occupancy > card.occupied_thresh)
    free = known & (occupancy < card.free_thresh) & ~occupied
    return occupied[::-1], free[::-1]


def _text(values: dict[str, Value], key: str, file: str, default: str | None = None) -> str:
    value = values.get(key, default)
    if value is None:
        raise SceneError(f"{file}: {key}: missing")
    if not isinstance(value, str):
        raise SceneError(f"{file}: {key}: a list of {len(value)}: must be one value")
    return value


def _number(text: str, key: str, low: float, high: float, file: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else None
    if value is None or not low <= value <= high:
        raise SceneError(f"{file}: {key}: {text[:60]!r}: must be a number from {low:g} to {high:g}")
    return value


def _threshold(values: dict[str, Value], key: str, file: str) -> float:
    return _number(_text(values, key, file), key, 0.0, 1.0, file)


def _origin(values: dict[str, Value], file: str) -> tuple[float, float, float]:
    value = values.get("origin")
    if value is None:
        raise SceneError(f"{file}: origin: missing")
    if isinstance(value, str) or len(value) != 3:
        raise SceneError(f"{file}: origin: must be a list of x m, y m and yaw rad")
    x_m, y_m = (_number(text, "origin", -1000.0, 1000.0, file) for text in value[:2])
    return x_m, y_m, _number(value[2], "origin[3]", -2 * pi, 2 * pi, file)


def _image_path(image: str, path: Path) -> Path:
    """Return the image's path, which must lie in the YAML's own folder or below."""
    posix, windows = PurePosixPath(image), PureWindowsPath(image)
    rooted = posix.is_absolute() or windows.drive or windows.root
    if rooted or ".." in windows.parts or not image.isprintable() or not posix.parts:
        raise SceneError(
            f"{path}: image: {image[:60]!r}: must name a file in the YAML's folder or below it"
        )
    found = path.parent / image
    try:
        inside = found.resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError, ValueError):
        inside = False
    if not inside:
        raise SceneError(f"{path}: image: {image[:60]!r}: leads out of the YAML's folder")
    return found
