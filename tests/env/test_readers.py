"""Readers of recordings against files made here, whole and broken."""

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_env.errors import RecordingError
from kinewright_env.grids import RegisteredIncrement
from kinewright_env.readers import Options, open_recording

TURN = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # a quarter to the left
POINTS = np.array([[1.0, 2.0, 0.5], [3.0, -4.0, 0.25], [-0.5, 0.0, 8.0]])


def matrix(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = TURN, (x, y, z)
    return whole


def frames(path: Path | list[Path], **options: Any) -> list[RegisteredIncrement]:
    paths = path if isinstance(path, list) else [path]
    return list(open_recording(paths, Options(**options)).frames())


def packed(path: Path, **changes: Any) -> Path:
    arrays: dict[str, Any] = {
        "xyz_mm": (POINTS * 500).round().astype(np.int16),
        "scale": np.float64(0.002),
        "offset": np.array([0, 2, 2, 3]),
        "pose": np.stack([matrix(1.0), matrix(2.0), matrix(3.0)]),
        "stamp": np.array([0.0, 0.5, 1.0]),
    }
    arrays = {name: value for name, value in {**arrays, **changes}.items() if value is not None}
    np.savez(path, **arrays)
    return path


def test_packed_increments_are_read_as_they_were(tmp_path: Path) -> None:
    read = frames(packed(tmp_path / "a.npz"))
    assert [len(frame.points_m) for frame in read] == [2, 0, 1]
    assert np.asarray(read[0].points_m).tolist() == POINTS[:2].tolist()
    assert [frame.stamp_ns for frame in read] == [0, 500_000_000, 1_000_000_000]
    assert read[1].pose is not None
    assert read[1].pose[:3] == (2.0, 0.0, 0.0)
    assert read[1].pose[3] == pytest.approx(np.pi / 2, abs=1e-15)


def test_plain_arrays_are_read_with_poses_of_four_and_a_frame_without(tmp_path: Path) -> None:
    poses = np.array([[1.0, 2.0, 3.0, 0.5], [np.nan] * 4, [0.0, 0.0, 0.0, 0.0]])
    path = packed(
        tmp_path / "a.npz",
        xyz_mm=None,
        points_m=POINTS.astype(np.float32),
        pose=poses,
        stamp=None,
        stamp_ns=np.array([5, 6, 7]),
    )
    read = frames(path)
    assert read[0].pose == (1.0, 2.0, 3.0, 0.5)
    assert read[1].pose is None
    assert read[2].stamp_ns == 7
    assert np.asarray(read[2].points_m).tolist() == POINTS[2:].tolist()


def test_points_of_a_sensor_are_placed_by_the_pose(tmp_path: Path) -> None:
    read = frames(packed(tmp_path / "a.npz"), points_in="sensor")
    assert np.asarray(read[0].points_m).tolist() == [[1.0 - 2.0, 1.0, 0.5], [1.0 + 4.0, 3.0, 0.25]]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"offset": None}, "no array 'offset'"),
        ({"offset": np.array([0, 2, 1, 3])}, "does not part"),
        ({"offset": np.array([0, 2, 2, 9])}, "does not part"),
        ({"offset": np.array([0.0, 2.0, 2.0, 3.0])}, "offset is of type float64"),
        ({"xyz_mm": np.zeros((3, 2), np.int16)}, "shape (3, 2)"),
        ({"scale": np.float64(np.nan)}, "scale"),
        ({"stamp": np.array([0.0, np.inf, 1.0])}, "stamp is not finite"),
        ({"pose": np.zeros((3, 4, 4))}, "no rigid motion"),
        ({"pose": np.full((3, 4, 4), 1e300)}, "no rigid motion"),  # and no warning of overflow
        ({"pose": np.full((3, 4, 4), np.inf)}, "not finite"),
        ({"pose": np.zeros((2, 4, 4))}, "for 3 frames"),
        ({"pose": np.array(["a", "b", "c"])}, "pose is of type"),
        ({"xyz_mm": np.array([{}, {}, {}], dtype=object)}, "objects"),
    ],
)
def test_a_packed_file_that_is_wrong_is_refused_by_name(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(RecordingError, match=r"a\.npz") as caught:
        frames(packed(tmp_path / "a.npz", **changes))
    assert said in str(caught.value)


def npy_header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text + b"\n"


def test_a_length_that_lies_is_not_believed(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.npz")
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            body = npy_header("(1000000000000, 3)") if name == "xyz_mm.npy" else old.read(name)
            new.writestr(name, body)
    path.write_bytes(out.getvalue())
    with pytest.raises(RecordingError, match="larger than what is there"):
        frames(path)


def test_cut_and_flipped_files_end_in_a_named_error_or_in_frames(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.npz").read_bytes()
    rng = np.random.default_rng(3)
    broken = tmp_path / "b.npz"
    for _ in range(150):
        data = bytearray(whole[: int(rng.integers(0, len(whole)))])
        for _ in range(int(rng.integers(0, 4))):
            if data:
                data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
        broken.write_bytes(bytes(data))
        with pytest.raises(RecordingError):
            frames(broken)
    for at in range(0, len(whole), 7):
        data = bytearray(whole)
        data[at] ^= 0xFF
        broken.write_bytes(bytes(data))
        try:
            frames(broken)
        except RecordingError as error:
            assert "b.npz" in str(error)  # noqa: PT017 - some flips are harmless


# ---- PCD ----


def pcd_header(form: str, n: int, view: str = "1 2 3 0.7071067811865476 0 0 0.7071067811865476"):
    return (
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x intensity y z\nSIZE 4 1 4 4\nTYPE F U F F\n"
        f"COUNT 1 2 1 1\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT {view}\nPOINTS {n}\nDATA {form}\n"
    ).encode()


def binary_pcd(points: np.ndarray) -> bytes:
    rows = [struct.pack("<fBBff", x, 7, 8, y, z) for x, y, z in points.tolist()]
    return pcd_header("binary", len(points)) + b"".join(rows)


def ascii_pcd(points: np.ndarray) -> bytes:
    rows = [f"{x} 7 8 {y} {z}\n" for x, y, z in points.tolist()]
    return pcd_header("ascii", len(points)) + "".join(rows).encode()


@pytest.mark.parametrize("make", [binary_pcd, ascii_pcd])
def test_pcd_frames_are_read_with_their_viewpoint(tmp_path: Path, make: Any) -> None:
    missing = np.array([[np.nan, np.nan, np.nan]])
    files = [tmp_path / f"{i}.pcd" for i in range(3)]
    for file in files:
        file.write_bytes(make(np.concatenate([POINTS, missing])))
    recording = open_recording([tmp_path], Options(rate_hz=2.0))
    read = list(recording.frames())
    assert recording.dropped_points == 3
    assert [frame.stamp_ns for frame in read] == [0, 500_000_000, 1_000_000_000]
    for frame in read:
        assert np.asarray(frame.points_m).tolist() == POINTS.tolist()
        assert frame.pose == pytest.approx((1.0, 2.0, 3.0, np.pi / 2))


def test_poses_beside_the_files_stand_for_the_viewpoint(tmp_path: Path) -> None:
    file, poses, stamps = tmp_path / "0.pcd", tmp_path / "poses.txt", tmp_path / "times.txt"
    file.write_bytes(binary_pcd(POINTS))
    poses.write_text(" ".join(str(v) for v in matrix(9.0)[:3].ravel()) + "\n")
    stamps.write_text("1.234567891e+01\n")
    (frame,) = frames(file, poses=poses, stamps=stamps, points_in="sensor")
    assert frame.stamp_ns == 12_345_678_910
    assert frame.pose is not None
    assert frame.pose[:3] == (9.0, 0.0, 0.0)
    assert np.asarray(frame.points_m)[0].tolist() == [9.0 - 2.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"DATA binary", b"DATA binary_compressed"), "allowed: ascii, binary"),
        ((b"POINTS 3", b"POINTS 4"), "cut short"),
        ((b"POINTS 3", b"POINTS 99999999999"), "POINTS or COUNT out of range"),
        ((b"POINTS 3", b"POINTS three"), "missing or odd"),
        ((b"FIELDS x", b"FIELDS w"), "no fields x, y and z"),
        ((b"TYPE F U F F", b"TYPE F U F Q"), "unknown type"),
        ((b"SIZE 4 1 4 4", b"SIZE 4 1 4"), "other lengths"),
        ((b"VIEWPOINT 1 2 3 0.7", b"VIEWPOINT 1 2 3 9.7"), "unit length"),
        ((b"DATA", b"DATE"), "no PCD"),
    ],
)
def test_a_pcd_that_is_wrong_is_refused_by_name(
    tmp_path: Path, change: tuple[bytes, bytes], said: str
) -> None:
    file = tmp_path / "a.pcd"
    file.write_bytes(binary_pcd(POINTS).replace(*change))
    with pytest.raises(RecordingError, match=r"a\.pcd") as caught:
        frames(file)
    assert said in str(caught.value)


# ---- KITTI ----


def test_velodyne_frames_are_placed_by_camera_poses_and_their_calibration(tmp_path: Path) -> None:
    """A camera looks along z with y down; the velodyne along x with z up."""
    to_camera = np.array([[0, -1, 0, 0.1], [0, 0, -1, 0.2], [1, 0, 0, 0.3], [0, 0, 0, 1.0]])
    moved = np.eye(4)
    moved[2, 3] = 5.0  # the camera goes 5 m ahead
    files = [tmp_path / "000000.bin", tmp_path / "000001.bin"]
    for file in files:
        rows = np.concatenate([POINTS, np.full((3, 1), 0.5)], axis=1)
        file.write_bytes(rows.astype("<f4").tobytes())
    poses, calibration = tmp_path / "poses.txt", tmp_path / "calib.txt"
    poses.write_text(
        "\n".join(" ".join(map(str, pose[:3].ravel())) for pose in (np.eye(4), moved)) + "\n"
    )
    calibration.write_text("P0: 1 2 3\nTr: " + " ".join(map(str, to_camera[:3].ravel())) + "\n")
    first, second = frames(files, poses=poses, calibration=calibration)
    assert np.asarray(first.points_m) == pytest.approx(POINTS)
    assert np.asarray(second.points_m) == pytest.approx(POINTS + np.array([5.0, 0.0, 0.0]))
    assert second.pose == pytest.approx((5.0, 0.0, 0.0, 0.0))


def test_velodyne_frames_that_are_wrong_are_refused(tmp_path: Path) -> None:
    file, poses = tmp_path / "0.bin", tmp_path / "poses.txt"
    file.write_bytes(b"\0" * 17)
    poses.write_text("1 0 0 0 0 1 0 0 0 0 1 0\n")
    with pytest.raises(RecordingError, match="give --poses"):
        frames(file)
    with pytest.raises(RecordingError, match="17 bytes"):
        frames(file, poses=poses)
    file.write_bytes(np.array([[np.nan, 0, 0, 0]], "<f4").tobytes())
    with pytest.raises(RecordingError, match="not finite"):
        frames(file, poses=poses)
    poses.write_text("1 0 0 0 0 1 0 0 0 0 1\n")
    with pytest.raises(RecordingError, match="line 1: not 12 finite numbers"):
        frames(file, poses=poses)
    poses.write_text("1 0 0 0 0 1 0 0 0 0 1 0\n" * 2)
    with pytest.raises(RecordingError, match="2 poses for 1 frames"):
        frames(file, poses=poses)


def test_files_that_no_reader_knows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="unknown kind"):
        open_recording([tmp_path / "a.txt"])
    with pytest.raises(RecordingError, match="several kinds"):
        open_recording([tmp_path / "a.pcd", tmp_path / "a.bin"])
    with pytest.raises(RecordingError, match="holds no"):
        open_recording([tmp_path])
    with pytest.raises(RecordingError, match="cannot be read"):
        frames(tmp_path / "absent.pcd")
