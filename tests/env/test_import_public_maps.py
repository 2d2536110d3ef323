"""The seven public maps: every cell compared with the solids, by a reading of its own."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from kinewright_env.importers import import_map
from kinewright_env.scene import Scene

MAPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "maps"
SEVEN = ["building_31", "depot", "office", "small_house", "stata_basement", "tb3_sandbox",
         "willow-2010-02-18-0.10"]  # fmt: skip

pytestmark = pytest.mark.skipif(
    not MAPS.is_dir(), reason="the public maps are not beside the repository"
)


def decoded(name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
    """Occupied and free cells of a public map, the lowest row first, by the README's rule."""
    text = (MAPS / f"{name}.yaml").read_text("utf-8")
    numbers = {
        key: float(value) for key, value in re.findall(r"^(\w+):\s*([\d.]+)\s*$", text, re.M)
    }
    origin = [float(word) for word in re.search(r"\[(.*)\]", text)[1].split(",")]  # type: ignore[index]
    image = re.search(r"^image:\s*(\S+)", text, re.M)[1]  # type: ignore[index]
    pixels = np.asarray(Image.open(MAPS / image)).astype(np.float64)
    shade = pixels.reshape(*pixels.shape[:2], -1).mean(axis=2)[::-1]
    dark = (255 - shade) / 255
    numbers["origin"] = origin  # type: ignore[assignment]
    return dark > numbers["occupied_thresh"], dark < numbers["free_thresh"], numbers


@pytest.mark.parametrize("unknown", ["solid", "free"])
@pytest.mark.parametrize("name", SEVEN)
def test_a_public_maps_solids_equal_its_cells_every_one_covered_once(
    name: str, unknown: str
) -> None:
    occupied, free, card = decoded(name)
    scene = import_map(MAPS / f"{name}.yaml", unknown=unknown)
    x0, y0, yaw = card["origin"]
    cell_m, turn = card["resolution"], complex(math.cos(yaw), math.sin(yaw))
    covered = np.zeros(free.shape, int)
    for box in scene.boxes:
        local = (complex(*box.center_m) - complex(x0, y0)) / turn / cell_m
        half_x, half_y = box.size_m[0] / cell_m / 2, box.size_m[1] / cell_m / 2
        assert abs(math.remainder(math.radians(box.heading_deg) - yaw, math.tau)) < 1e-10
        edges = (local.imag - half_y, local.imag + half_y, local.real - half_x, local.real + half_x)
        row, row_end, column, column_end = (round(edge) for edge in edges)
        assert max(abs(edge - round(edge)) for edge in edges) < 1e-6
        covered[row:row_end, column:column_end] += 1
    assert (covered == (~free if unknown == "solid" else occupied)).all()
    assert scene.source is not None
    assert scene.source["occupied"] == occupied.sum()
    assert scene.source["solids"] == len(scene.boxes) < (~free).sum() / 2
    assert Scene.from_toml(scene.to_toml()).root == scene.root


@pytest.mark.parametrize("name", SEVEN)
def test_the_start_chosen_on_a_public_map_is_free_for_half_a_metre_around(name: str) -> None:
    _, free, card = decoded(name)
    start = import_map(MAPS / f"{name}.yaml").start
    x0, y0, yaw = card["origin"]
    turn = complex(math.cos(yaw), math.sin(yaw))
    place = (complex(start.x_m, start.y_m) - complex(x0, y0)) / turn / card["resolution"]
    row, column, reach = int(place.imag), int(place.real), int(0.5 / card["resolution"])
    around = free[row - reach : row + reach + 1, column - reach : column + reach + 1]
    rows, columns = np.ogrid[-reach : reach + 1, -reach : reach + 1]
    assert around[rows**2 + columns**2 <= reach**2].all()
