"""ROS map_server maps become solids that equal their cells, or are refused by key."""

import math
import struct
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from kinewright_env.errors import OptionError, SceneError
from kinewright_env.importers import import_map
from kinewright_env.scene import Scene, SceneWarning

# An L: neither a mirror nor a half turn maps it on itself. `#` occupied, `?` unknown.
DRAWING = """
#......
#......
#......
####..?
"""
ROWS = DRAWING.split()
GREY = {"#": 0, ".": 254, "?": 205}
SHADES = np.array([[GREY[sign] for sign in row] for row in ROWS], np.int64)
START = (4.5, 2.5, 0.0)

HEADER = """
image: map.img
resolution: 1.0
origin: [0.0, 0.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""


def pgm_text(shades: NDArray[np.int64], maximum: int) -> bytes:
    body = "\n".join(" ".join(map(str, row)) for row in shades.tolist())
    return f"P2\n# a comment\n{shades.shape[1]} {shades.shape[0]}\n{maximum}\n{body}\n".encode()


def pgm_binary(shades: NDArray[np.int64], maximum: int) -> bytes:
    kind = np.uint8 if maximum < 256 else ">u2"
    header = f"P5 # a comment\n{shades.shape[1]} {shades.shape[0]} {maximum}\n".encode()
    return header + shades.astype(kind).tobytes()


def png(tmp_path: Path, image: Any, **options: Any) -> bytes:
    image.save(tmp_path / "made.png", **options)
    return (tmp_path / "made.png").read_bytes()


def palette_png(tmp_path: Path) -> bytes:
    """Indices count 0, 1, 2 for free, occupied, unknown: dark as indices, all of them."""
    indices = np.select([SHADES == 254, SHADES == 0], [0, 1], 2).astype(np.uint8)
    image = Image.fromarray(indices, "P")
    image.putpalette([254] * 3 + [0] * 3 + [205] * 3)
    return png(tmp_path, image)


GREY8 = SHADES.astype(np.uint8)
OPAQUE = np.full_like(GREY8, 255)
IMAGES: dict[str, Callable[[Path], bytes]] = {
    "P2 of 8 bits": lambda _: pgm_text(SHADES, 255),
    "P2 of 16 bits": lambda _: pgm_text(SHADES * 257, 65535),
    "P2 of 2 levels a bit": lambda _: pgm_text(SHADES * 100 // 255, 100),
    "P5 of 8 bits": lambda _: pgm_binary(SHADES, 255),
    "P5 of 16 bits": lambda _: pgm_binary(SHADES * 257, 65535),
    "grey PNG": lambda p: png(p, Image.fromarray(GREY8)),
    "grey PNG of 16 bits": lambda p: png(p, Image.fromarray((SHADES * 257).astype(np.uint16))),
    "palette PNG": palette_png,
    "RGB PNG": lambda p: png(p, Image.fromarray(np.stack([GREY8] * 3, axis=2))),
}
WITH_ALPHA: dict[str, Callable[[Path], bytes]] = {
    "grey and alpha": lambda p: png(p, Image.fromarray(np.stack([GREY8, OPAQUE], axis=2))),
    "RGBA": lambda p: png(p, Image.fromarray(np.stack([GREY8] * 3 + [OPAQUE], axis=2))),
}


def write(tmp_path: Path, image: bytes, header: str = HEADER) -> Path:
    (tmp_path / "map.img").write_bytes(image)
    (tmp_path / "map.yaml").write_text(header, encoding="utf-8")
    return tmp_path / "map.yaml"


def load(tmp_path: Path, header: str = HEADER, image: bytes | None = None, **options: Any) -> Scene:
    path = write(tmp_path, pgm_binary(SHADES, 255) if image is None else image, header)
    return import_map(path, **{"start": START, **options})


def cells_of(scene: Scene) -> Counter[tuple[int, int]]:
    """How often each cell of 1 m of an upright map at the origin is covered, by its lower left."""
    covered: Counter[tuple[int, int]] = Counter()
    for box in scene.boxes:
        (x, y), (width, height) = box.center_m, box.size_m
        assert box.heading_deg == 0.0
        for column in range(round(x - width / 2), round(x + width / 2)):
            for row in range(round(y - height / 2), round(y + height / 2)):
                covered[column, row] += 1
        assert (x - width / 2) % 1 == (y - height / 2) % 1 == width % 1 == height % 1 == 0
    return covered


def drawn(signs: str) -> Counter[tuple[int, int]]:
    """Cells of the drawing with one of the signs; its last line is row 0."""
    return Counter(
        (column, row)
        for row, line in enumerate(reversed(ROWS))
        for column, sign in enumerate(line)
        if sign in signs
    )


@pytest.mark.parametrize("image", IMAGES.values(), ids=IMAGES)
def test_every_kind_of_image_gives_the_same_solids_not_mirrored(
    image: Callable[[Path], bytes], tmp_path: Path
) -> None:
    scene = load(tmp_path, image=image(tmp_path))
    assert cells_of(scene) == drawn("#?")
    assert not scene.walls
    assert not scene.posts
    free = load(tmp_path, image=image(tmp_path), unknown="free")
    assert cells_of(free) == drawn("#")


@pytest.mark.parametrize("image", WITH_ALPHA.values(), ids=WITH_ALPHA)
def test_alpha_is_averaged_in_trinary_mode_and_marks_the_unknown_in_scale_mode(
    image: Callable[[Path], bytes], tmp_path: Path
) -> None:
    """As the map server does: so an opaque grey of 205 counts as 217.5, which is free."""
    data = image(tmp_path)
    assert cells_of(load(tmp_path, image=data)) == drawn("#")
    scale = HEADER + "mode: scale\n"
    assert cells_of(load(tmp_path, scale, data)) == drawn("#?")


def test_a_transparent_pixel_is_unknown_in_scale_mode(tmp_path: Path) -> None:
    alpha = OPAQUE.copy()
    alpha[0, 6] = 254
    alpha[0, 0] = 0
    data = png(tmp_path, Image.fromarray(np.stack([GREY8, alpha], axis=2)))
    scene = load(tmp_path, HEADER + "mode: scale\n", data)
    assert cells_of(scene) == drawn("#?") + Counter([(6, 3)])
    assert scene.source is not None
    assert scene.source["unknown"] == 3


def test_counts_and_source_are_kept_in_the_scene(tmp_path: Path) -> None:
    scene = load(tmp_path)
    assert scene.source == {
        "format": "map_server",
        "name": "map.yaml",
        "image": "map.img",
        "resolution": 1.0,
        "columns": 7,
        "rows": 4,
        "occupied": 7,
        "unknown": 1,
        "unknown_as": "solid",
        "solids": 3,
    }
    assert Scene.from_toml(scene.to_toml()).root == scene.root
    assert {box.height_m for box in scene.boxes} == {0.40}
    assert scene.time_limit_s == 600.0


@pytest.mark.parametrize("word", ["1", "true", "True"])
def test_negate_swaps_dark_and_light(word: str, tmp_path: Path) -> None:
    header = HEADER.replace("negate: 0", f"negate: {word}")
    inverse = pgm_binary(255 - SHADES, 255)
    assert cells_of(load(tmp_path, header, inverse)) == drawn("#?")


def test_raw_values_are_percents_and_above_100_unknown(tmp_path: Path) -> None:
    percents = np.select([SHADES == 0, SHADES == 254], [66, 19], 255)
    header = HEADER + "mode: raw\n"
    assert cells_of(load(tmp_path, header, pgm_binary(percents, 255))) == drawn("#?")
    assert cells_of(load(tmp_path, header, pgm_binary(percents, 255), unknown="free")) == drawn("#")
    between = np.where(SHADES == 0, 65, percents)  # 0.65 is not above occupied_thresh
    scene = load(tmp_path, header, pgm_binary(between, 255), unknown="free")
    assert cells_of(scene) == Counter()


@pytest.mark.parametrize("mode", ["trinary", "scale"])
def test_thresholds_are_the_files_own(mode: str, tmp_path: Path) -> None:
    shades = np.where(SHADES == 0, 127, SHADES)  # p = 0.502
    for occupied_thresh, signs in (("0.50", "#"), ("0.51", "")):
        header = HEADER.replace("0.65", occupied_thresh) + f"mode: {mode}\n"
        scene = load(tmp_path, header, pgm_binary(shades, 255), unknown="free")
        assert cells_of(scene) == drawn(signs)
    for free_thresh, signs in (("0.196", "#?"), ("0.197", "#")):
        header = HEADER.replace("0.196", free_thresh) + f"mode: {mode}\n"
        assert cells_of(load(tmp_path, header)) == drawn(signs)


@pytest.mark.parametrize("yaw", [0.0, 0.5, math.pi / 2, 3.14, -2.0, 6.28])
def test_origin_and_yaw_are_the_pose_of_the_lower_left_corner(yaw: float, tmp_path: Path) -> None:
    header = HEADER.replace("[0.0, 0.0, 0.0]", f"[-3.5, 20.25, {yaw!r}]")
    header = header.replace("resolution: 1.0", "resolution: 2.0")
    middle = (4.5 + 0.5j) * 2 * complex(math.cos(yaw), math.sin(yaw)) + (-3.5 + 20.25j)
    scene = load(tmp_path, header, start=(middle.real, middle.imag, 0.0))
    turn = complex(math.cos(yaw), math.sin(yaw))
    covered: Counter[tuple[int, int]] = Counter()
    for box in scene.boxes:
        assert math.cos(math.radians(box.heading_deg) - yaw) == pytest.approx(1.0, abs=1e-15)
        local = (complex(*box.center_m) - (-3.5 + 20.25j)) / turn / 2
        for i in range(round(box.size_m[0] / 2)):
            for j in range(round(box.size_m[1] / 2)):
                x = local.real - box.size_m[0] / 4 + i
                y = local.imag - box.size_m[1] / 4 + j
                assert math.dist((x, y), (round(x), round(y))) < 1e-8
                covered[round(x), round(y)] += 1
    assert covered == drawn("#?")


def cut(text: str, old: str, new: str = "") -> str:
    assert old in text
    return text.replace(old, new)


BAD_HEADERS = {
    "image: missing": cut(HEADER, "image: map.img\n"),
    "resolution: missing": cut(HEADER, "resolution: 1.0\n"),
    "origin: missing": cut(HEADER, "origin: [0.0, 0.0, 0.0]\n"),
    "occupied_thresh: missing": cut(HEADER, "occupied_thresh: 0.65\n"),
    "free_thresh: missing": cut(HEADER, "free_thresh: 0.196\n"),
    "resolution: '0'": cut(HEADER, "1.0\n", "0\n"),
    "resolution: '-1.0'": cut(HEADER, "1.0\n", "-1.0\n"),
    "resolution: 'nan'": cut(HEADER, "1.0\n", "nan\n"),
    "resolution: '1e999'": cut(HEADER, "1.0\n", "1e999\n"),
    "resolution: '1.0.0'": cut(HEADER, "1.0\n", "1.0.0\n"),
    "resolution: a list of 1": cut(HEADER, "1.0\n", "[1.0]\n"),
    "origin: must be a list": cut(HEADER, "[0.0, 0.0, 0.0]", "0.0"),
    "origin: must be a list of": cut(HEADER, "[0.0, 0.0, 0.0]", "[0.0, 0.0]"),
    "origin: 'x'": cut(HEADER, "[0.0, 0.0, 0.0]", "[0.0, x, 0.0]"),
    "origin[3]: '7.0'": cut(HEADER, "[0.0, 0.0, 0.0]", "[0.0, 0.0, 7.0]"),
    "negate: '2'": cut(HEADER, "negate: 0", "negate: 2"),
    "negate: 1: map servers differ": cut(HEADER, "negate: 0", "negate: 1") + "mode: raw\n",
    "occupied_thresh: '1.5'": cut(HEADER, "0.65", "1.5"),
    "free_thresh: 0.7: above": cut(HEADER, "0.196", "0.7"),
    "mode: 'binary'": HEADER + "mode: binary\n",
    "mode: 'scail': did you mean 'scale'?": HEADER + "mode: scail\n",
    "free_tresh: unknown key: did you mean 'free_thresh'?": HEADER + "free_tresh: 0.2\n",
}


@pytest.mark.parametrize("reason", BAD_HEADERS)
def test_a_bad_header_is_refused_by_key(reason: str, tmp_path: Path) -> None:
    with pytest.raises(SceneError) as caught:
        load(tmp_path, BAD_HEADERS[reason])
    assert str(caught.value).startswith(f"{tmp_path / 'map.yaml'}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "image",
    [
        *("/etc/passwd", "../map.img", "a/../../map.img", "..\\map.img", "C:\\map.img"),
        *("\\\\host\\map.img", '"a\\tb"', '""', "."),
    ],
)
def test_an_image_outside_the_yamls_folder_is_refused(image: str, tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "map.img").write_bytes(pgm_binary(SHADES, 255))
    path = write(folder, b"", cut(HEADER, "map.img", image))
    with pytest.raises(SceneError, match=r"map\.yaml: image: |not a file"):
        import_map(path)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret.pgm").write_bytes(pgm_binary(SHADES, 255))
    (folder / "link.pgm").symlink_to(tmp_path / "secret.pgm")
    with pytest.raises(SceneError, match="leads out of the YAML's folder"):
        import_map(write(folder, b"", cut(HEADER, "map.img", "link.pgm")))


def test_an_image_in_a_folder_below_is_found(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "map.pgm").write_bytes(pgm_binary(SHADES, 255))
    path = write(tmp_path, b"", cut(HEADER, "map.img", "below/map.pgm"))
    assert cells_of(import_map(path, start=START)) == drawn("#?")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of_size(columns: int, rows: int) -> bytes:
    start = chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + start + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


BAD_IMAGES = {
    "empty": b"",
    "text": b"hello",
    "a colour PPM": b"P6\n1 1\n255\n000",
    "no header": b"P5",
    "a header alone": b"P5\n7 4\n",
    "no size": b"P5\n0 4\n255\n",
    "a huge size": b"P5\n99999 99999\n255\n",
    "digits without end": b"P5\n" + b"9" * 100_000,
    "a negative size": b"P5\n-7 4\n255\n" + bytes(28),
    "maximum 0": b"P5\n7 4\n0\n" + bytes(28),
    "maximum 65536": b"P5\n7 4\n65536\n" + bytes(56),
    "cut short": pgm_binary(SHADES, 255)[:-1],
    "too long": pgm_binary(SHADES, 255) + b"x",
    "cut 16 bits": pgm_binary(SHADES * 257, 65535)[:-1],
    "above its maximum": b"P5\n7 4\n200\n" + bytes([201] * 28),
    "text cut short": pgm_text(SHADES, 255)[:-5],
    "text too long": pgm_text(SHADES, 255) + b"0",
    "text not a number": pgm_text(SHADES, 255).replace(b"205", b"2x5"),
    "text negative": pgm_text(SHADES, 255).replace(b"205", b"-05"),
    "text above its maximum": pgm_text(SHADES, 255).replace(b"205", b"256"),
    "a PNG's first bytes": b"\x89PNG\r\n\x1a\n",
    "a PNG without pixels": png_of_size(7, 4),
    "a PNG of a huge size": png_of_size(2**31 - 1, 2**31 - 1),
    "a PNG of no size": png_of_size(0, 4),
}


@pytest.mark.parametrize("data", BAD_IMAGES.values(), ids=BAD_IMAGES)
def test_a_bad_image_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"map\.img"):
        load(tmp_path, image=data)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(st.sampled_from(["P2", "P5", "PNG", "palette"]), st.data())
def test_a_changed_file_loads_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: Any
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    image = bytearray(
        {
            "P2": lambda: pgm_text(SHADES, 255),
            "P5": lambda: pgm_binary(SHADES, 255),
            "PNG": lambda: png(folder, Image.fromarray(GREY8)),
            "palette": lambda: palette_png(folder),
        }[kind]()
    )
    header = bytearray(HEADER.encode())
    for changed in (image, header):
        for _ in range(data.draw(st.integers(0, 3))):
            at = data.draw(st.integers(0, len(changed)))
            changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    (folder / "map.img").write_bytes(image)
    (folder / "map.yaml").write_bytes(header)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SceneWarning)
        try:
            scene = import_map(folder / "map.yaml", start=START)
        except SceneError:
            return
    assert scene.name == "map"


def test_a_missing_file_a_folder_and_another_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"absent\.yaml.*cannot be read: No such file"):
        import_map(tmp_path / "absent.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(SceneError, match="not a file"):
        import_map(tmp_path / "folder.yaml")
    with pytest.raises(SceneError, match=r"no map format: .*'\.yaml'"):
        import_map(tmp_path / "map.bmp")
    (tmp_path / "large.yaml").write_bytes(b"#" * (2**16 + 1))
    with pytest.raises(SceneError, match="65537 bytes: at most 65536"):
        import_map(tmp_path / "large.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(SceneError, match="byte 0: not text"):
        import_map(tmp_path / "binary.yaml")


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="unknown: 'wall'"):
        load(tmp_path, unknown="wall")
    with pytest.raises(OptionError, match=r"cell_m: 0\.1: map\.yaml states its own"):
        load(tmp_path, cell_m=0.1)
    with pytest.raises(OptionError, match=r"start: .*3 numbers"):
        load(tmp_path, start=(1.0, 2.0))
    with pytest.raises(SceneError, match=r"start: the body of four_wheel_steer .* 'r0c0'"):
        load(tmp_path, start=(0.5, 0.5, 0.0))
    with pytest.raises(SceneError, match=r"start\.x: nan"):
        load(tmp_path, start=(math.nan, 0.5, 0.0))


def test_a_goal_is_kept_and_one_in_a_wall_warned_of(tmp_path: Path) -> None:
    (goal,) = load(tmp_path, goal=(5.5, 3.5)).goals
    assert (goal.x_m, goal.y_m, goal.radius_m) == (5.5, 3.5, 0.15)
    with pytest.warns(SceneWarning, match="lies in the solid"):
        load(tmp_path, goal=(0.5, 0.5))


def test_a_png_without_pillow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = png(tmp_path, Image.fromarray(GREY8))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "kinewright\[maps\]"'):
        load(tmp_path, image=data)
    assert cells_of(load(tmp_path)) == drawn("#?")


def test_a_map_without_room_for_the_body_asks_for_a_start(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="no free place has room for the body; give a start"):
        load(tmp_path, cut(HEADER, "resolution: 1.0", "resolution: 0.05"), start=None)
