"""Bags of ROS 1 and 2, written here by rosbags, read back as increments."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinewright_env.errors import RecordingError
from kinewright_env.readers import Options, open_recording

rosbags = pytest.importorskip("rosbags")
rosbag1 = pytest.importorskip("rosbags.rosbag1")
rosbag2 = pytest.importorskip("rosbags.rosbag2")
typesys = pytest.importorskip("rosbags.typesys")

CLOUD, ODOMETRY = "sensor_msgs/msg/PointCloud2", "nav_msgs/msg/Odometry"
POINTS = np.array([[1.0, 2.0, 0.5], [np.nan, 0.0, 0.0], [3.0, -4.0, 0.25]])
FORMS = ("bag", "folder_sqlite3", "folder_mcap", "db3", "mcap")


class Made:
    """Messages of one type store."""

    def __init__(self, ros1: bool) -> None:
        stores = typesys.Stores
        self.ros1 = ros1
        self.store = typesys.get_typestore(stores.ROS1_NOETIC if ros1 else stores.ROS2_HUMBLE)

    def of(self, kind: str, /, **values: Any) -> Any:
        return self.store.types[kind](**values)

    def header(self, index: int, frame_id: str) -> Any:
        stamp = self.of("builtin_interfaces/msg/Time", sec=100 + index, nanosec=5)
        extra = {"seq": index} if self.ros1 else {}
        return self.of("std_msgs/msg/Header", stamp=stamp, frame_id=frame_id, **extra)

    def cloud(self, index: int, frame_id: str = "map", **changes: Any) -> Any:
        layout = [("x", 8), ("y", 0), ("z", 4)]
        fields = [
            self.of("sensor_msgs/msg/PointField", name=name, offset=at, datatype=7, count=1)
            for name, at in layout
        ]
        rows = np.zeros((len(POINTS), 5), "<f4")
        rows[:, [2, 0, 1]] = POINTS
        values = {
            "header": self.header(index, frame_id),
            "height": 1,
            "width": len(POINTS),
            "fields": fields,
            "is_bigendian": False,
            "point_step": 20,
            "row_step": 20 * len(POINTS),
            "data": rows.view(np.uint8).ravel(),
            "is_dense": False,
        }
        return self.of(CLOUD, **{**values, **changes})

    def odometry(self, index: int) -> Any:
        point = self.of("geometry_msgs/msg/Point", x=float(index), y=2.0, z=0.0)
        half = float(np.sqrt(0.5))
        turn = self.of("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=half, w=half)
        pose = self.of("geometry_msgs/msg/Pose", position=point, orientation=turn)
        zero = self.of("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0)
        twist = self.of("geometry_msgs/msg/Twist", linear=zero, angular=zero)
        none = np.zeros(36)
        return self.of(
            ODOMETRY,
            header=self.header(index, "map"),
            child_frame_id="lidar",
            pose=self.of("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=none),
            twist=self.of("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=none),
        )


def write(folder: Path, form: str, fill: Callable[[Made], list[tuple[str, str, Any]]]) -> Path:
    """Write messages (topic, type, message) in one of the five forms; return what to read."""
    made = Made(form == "bag")
    if form == "bag":
        path = folder / "a.bag"
        writer, more = rosbag1.Writer(path), {}
    else:
        path = folder / "bag"
        plugins = rosbag2.StoragePlugin
        plugin = plugins.MCAP if "mcap" in form else plugins.SQLITE3
        writer, more = rosbag2.Writer(path, version=9, storage_plugin=plugin), {}
    with writer:
        links: dict[str, Any] = {}
        for number, (topic, kind, message) in enumerate(fill(made)):
            if topic not in links:
                links[topic] = writer.add_connection(topic, kind, typestore=made.store, **more)
            serialise = made.store.serialize_ros1 if made.ros1 else made.store.serialize_cdr
            writer.write(links[topic], number + 1, serialise(message, kind))
    if form in ("db3", "mcap"):
        (path,) = path.glob(f"*.{form}")
    return path


def hall(made: Made) -> list[tuple[str, str, Any]]:
    messages: list[tuple[str, str, Any]] = []
    for index in range(3):
        messages.append(("/cloud", CLOUD, made.cloud(index)))
        if index != 1:
            messages.append(("/odom", ODOMETRY, made.odometry(index)))
    return messages


@pytest.mark.parametrize("form", FORMS)
def test_all_five_forms_of_a_bag_are_read_alike(tmp_path: Path, form: str) -> None:
    recording = open_recording([write(tmp_path, form, hall)])
    read = list(recording.frames())
    assert recording.n_frames == 3
    assert recording.dropped_points == 3
    assert [frame.stamp_ns for frame in read] == [(100 + i) * 10**9 + 5 for i in range(3)]
    assert read[1].pose is None, "none within the tolerance"
    assert read[2].pose == pytest.approx((2.0, 2.0, 0.0, np.pi / 2))
    assert np.asarray(read[0].points_m).tolist() == POINTS[[0, 2]].tolist()


def test_topics_are_listed_where_they_are_not_one_each(tmp_path: Path) -> None:
    def two(made: Made) -> list[tuple[str, str, Any]]:
        return [*hall(made), ("/other", CLOUD, made.cloud(3))]

    path = write(tmp_path, "mcap", two)
    with pytest.raises(RecordingError, match=r"give --cloud-topic.*/cloud .*/other "):
        open_recording([path])
    with pytest.raises(RecordingError, match="no such topic"):
        open_recording([path], Options(cloud_topic="/odom"))
    assert open_recording([path], Options(cloud_topic="/other")).n_frames == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"point_step": 10}, "reaches past"),
        ({"width": 1000}, "bytes for 1 rows"),
        ({"fields": []}, "no number 'x'"),
        ({"data": np.zeros(3, np.uint8)}, "bytes for 1 rows"),
        ({"height": 2**31, "width": 2**31}, "bytes for"),
    ],
)
def test_a_cloud_that_is_wrong_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    def wrong(made: Made) -> list[tuple[str, str, Any]]:
        return [
            ("/odom", ODOMETRY, made.odometry(0)),
            ("/cloud", CLOUD, made.cloud(0, **changes)),
        ]

    recording = open_recording([write(tmp_path, "mcap", wrong)])
    with pytest.raises(RecordingError, match="/cloud, message 0") as caught:
        list(recording.frames())
    assert said in str(caught.value)


def test_a_changing_frame_of_reference_is_refused(tmp_path: Path) -> None:
    def changing(made: Made) -> list[tuple[str, str, Any]]:
        return [*hall(made), ("/cloud", CLOUD, made.cloud(4, "odom"))]

    with pytest.raises(RecordingError, match="changes from 'map' to 'odom'"):
        list(open_recording([write(tmp_path, "db3", changing)]).frames())


@pytest.mark.parametrize("form", ["bag", "db3", "mcap"])
def test_cut_and_flipped_bags_end_in_a_named_error_or_in_frames(tmp_path: Path, form: str) -> None:
    whole = write(tmp_path, form, hall).read_bytes()
    rng = np.random.default_rng(4)
    broken = tmp_path / f"broken.{form}"
    for number in range(60):
        data = bytearray(whole)
        if number % 2:
            data = data[: int(rng.integers(0, len(data)))]
        for _ in range(int(rng.integers(1, 30))):
            if data:
                data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
        broken.write_bytes(bytes(data))
        try:
            list(open_recording([broken]).frames())
        except RecordingError as error:
            assert "broken" in str(error)  # noqa: PT017 - some flips are harmless
