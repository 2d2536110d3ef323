"""ROS 1 and ROS 2 bags and MCAP with `PointCloud2`, by the package `rosbags` (extra `bags`).

Types are those of `rosbags` itself: a definition that a bag brings along is not compiled.
Of a folder its `.mcap` or `.db3` files are read, never its metadata. Stamps are those of the
messages' headers. A cloud takes the pose nearest in time; where none is within the tolerance it
is a frame without a pose, and the map refuses it.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from ..errors import RecordingError
from ..grids.increment import RegisteredIncrement
from .poses import Matrix, from_quaternion, placed, pose_of
from .recording import FRAME_LIMIT_POINTS, Options, without_missing

NEEDS_ROSBAGS: Final = 'bags need rosbags, which is not installed: pip install "kinewright[bags]"'
CLOUD: Final = "sensor_msgs/msg/PointCloud2"
ODOMETRY: Final = "nav_msgs/msg/Odometry"
POSE: Final = "geometry_msgs/msg/PoseStamped"
POSE_COVARIANCE: Final = "geometry_msgs/msg/PoseWithCovarianceStamped"
POSES: Final = (ODOMETRY, POSE, POSE_COVARIANCE)
_TYPES: Final = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
"""Of `sensor_msgs/PointField`: INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64."""


def open_bags(paths: Sequence[Path], options: Options) -> Bags:
    """Return the recording of one or more bags, each after the other.

    Raises
    ------
    DependencyNotInstalled
        Without `rosbags`.
    RecordingError
        If a bag cannot be read, or its topics of clouds and poses are not told and not one each.
    """
    return Bags(paths, options)


class Bags:
    """The clouds of bags, with their poses."""

    def __init__(self, paths: Sequence[Path], options: Options) -> None:
        try:
            self._reader1 = import_module("rosbags.rosbag1").Reader
            self._reader2 = import_module("rosbags.rosbag2").Reader
            typesys = import_module("rosbags.typesys")
        except ImportError as error:
            raise DependencyNotInstalled(NEEDS_ROSBAGS) from error
        self.name = f"{paths[0].name} and {len(paths) - 1} more" if paths[1:] else paths[0].name
        self.dropped_points = 0
        self._paths = list(paths)
        self._options = options
        self._ros1 = paths[0].suffix.lower() == ".bag"
        stores = typesys.Stores
        self._types = typesys.get_typestore(
            stores.ROS1_NOETIC if self._ros1 else stores.ROS2_HUMBLE
        )
        self._in_sensor = options.in_sensor("map")
        self._tolerance_ns = round(options.pose_tolerance_s * 1e9)
        counts = self._topics()
        self._cloud_topic = self._topic(options.cloud_topic, counts, (CLOUD,), "--cloud-topic")
        self._pose_topic = self._topic(options.pose_topic, counts, POSES, "--pose-topic")
        self.n_frames = counts[self._cloud_topic][1]
        self._poses = self._all_poses()

    def _messages(self, topic: str) -> Iterator[tuple[str, Any, str]]:
        """Yield type, message and place of each message of a topic."""
        for path in self._paths:
            with ExitStack() as stack:
                bag = self._open(path, stack)
                chosen = [link for link in bag.connections if link.topic == topic]
                if not chosen:
                    continue
                try:
                    for number, (link, _, raw) in enumerate(bag.messages(chosen)):
                        where = f"{str(path)!r}, {topic}, message {number}"
                        yield link.msgtype, self._message(raw, link.msgtype, where), where
                except RecordingError:
                    raise
                except Exception as error:  # whatever the package meets in a broken bag
                    raise RecordingError(f"{str(path)!r}: {_said(error)}") from None

    def _open(self, path: Path, stack: ExitStack) -> Any:
        try:
            return stack.enter_context((self._reader1 if self._ros1 else self._reader2)(path))
        except Exception as error:
            raise RecordingError(
                f"{str(path)!r}: no bag that can be read: {_said(error)}"
            ) from None

    def _message(self, raw: Any, kind: str, where: str) -> Any:
        try:
            if self._ros1:
                return self._types.deserialize_ros1(raw, kind)
            return self._types.deserialize_cdr(raw, kind)
        except Exception as error:
            raise RecordingError(f"{where}: no {kind}: {_said(error)}") from None

    def _topics(self) -> dict[str, tuple[str, int]]:
        """Return type and number of messages by topic."""
        topics: dict[str, tuple[str, int]] = {}
        for path in self._paths:
            with ExitStack() as stack:
                for link in self._open(path, stack).connections:
                    _, count = topics.get(link.topic, ("", 0))
                    topics[link.topic] = (link.msgtype, count + link.msgcount)
        return topics

    def _topic(
        self,
        given: str | None,
        topics: dict[str, tuple[str, int]],
        kinds: tuple[str, ...],
        option: str,
    ) -> str:
        fitting = [topic for topic, (kind, _) in topics.items() if kind in kinds]
        if given is None and len(fitting) == 1:
            return fitting[0]
        if given in fitting:
            return given
        listed = "; ".join(f"{topic} ({kind}, {n})" for topic, (kind, n) in sorted(topics.items()))
        what = "no such topic" if given else f"{len(fitting)} topics of {' or '.join(kinds)}"
        raise RecordingError(f"{self._paths[0].name}: {what}; give {option}; there are: {listed}")

    def _all_poses(self) -> list[tuple[int, Matrix]]:
        """Return all poses by their stamps, the first of equal ones."""
        poses: dict[int, Matrix] = {}
        for kind, message, where in self._messages(self._pose_topic):
            pose = message.pose if kind == POSE else message.pose.pose
            place, turn = pose.position, pose.orientation
            matrix = from_quaternion(
                (place.x, place.y, place.z), (turn.w, turn.x, turn.y, turn.z), where
            )
            poses.setdefault(_stamp_ns(message.header), matrix)
        return sorted(poses.items(), key=lambda item: item[0])

    def _pose_at(self, stamp_ns: int) -> Matrix | None:
        """Return the pose nearest in time, the earlier of two, within the tolerance."""
        index = bisect.bisect_left(self._poses, stamp_ns, key=lambda item: item[0])
        near = self._poses[max(index - 1, 0) : index + 1]
        off_ns, matrix = min(
            ((abs(at - stamp_ns), pose) for at, pose in near),
            key=lambda item: item[0],
            default=(self._tolerance_ns + 1, None),
        )
        return matrix if off_ns <= self._tolerance_ns else None

    def frames(self) -> Iterator[RegisteredIncrement]:
        """Yield the frames in the bags' order."""
        frame_id = None
        for _, message, where in self._messages(self._cloud_topic):
            if frame_id not in (None, message.header.frame_id):
                raise RecordingError(
                    f"{where}: the frame of reference changes from {frame_id!r} to "
                    f"{message.header.frame_id!r}"
                )
            frame_id = message.header.frame_id
            points_m, n_missing = without_missing(cloud_points(message, where))
            self.dropped_points += n_missing
            stamp_ns = _stamp_ns(message.header)
            pose = self._pose_at(stamp_ns)
            if pose is None:
                yield RegisteredIncrement(points_m, None, stamp_ns)
                continue
            points_m = placed(points_m, pose) if self._in_sensor else points_m
            yield RegisteredIncrement(points_m, pose_of(pose), stamp_ns)


def _stamp_ns(header: Any) -> int:
    return int(header.stamp.sec) * 1_000_000_000 + int(header.stamp.nanosec)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def cloud_points(message: Any, where: str) -> NDArray[np.float64]:
    """Return x, y, z of a `PointCloud2`, (n, 3) metres; NaN where they are NaN there.

    Raises
    ------
    RecordingError
        If a field is missing, reaches past a point, or there are fewer bytes than points.
    """
    order = ">" if message.is_bigendian else "<"
    fields = {field.name: field for field in message.fields}
    formats = []
    for name in "xyz":
        field = fields.get(name)
        if field is None or field.datatype not in _TYPES or field.count not in (0, 1):
            raise RecordingError(f"{where}: the cloud has no number {name!r} a point")
        formats.append(order + _TYPES[field.datatype])
    step = int(message.point_step)
    offsets = [int(fields[name].offset) for name in "xyz"]
    ends = [at + np.dtype(kind).itemsize for at, kind in zip(offsets, formats, strict=True)]
    if max(ends) > step:
        raise RecordingError(f"{where}: a field reaches past the point's {step} bytes")
    height, width, row_step = int(message.height), int(message.width), int(message.row_step)
    data = np.asarray(message.data, np.uint8)
    enough = row_step >= width * step and len(data) >= height * row_step
    if height * width > FRAME_LIMIT_POINTS or (height * width and not enough):
        raise RecordingError(f"{where}: {len(data)} bytes for {height} rows of {width} points")
    if not height * width:
        return np.empty((0, 3))
    dtype = np.dtype(
        {"names": list("xyz"), "formats": formats, "offsets": offsets, "itemsize": step}
    )
    rows = data[: height * row_step].reshape(height, row_step)[:, : width * step]
    points = np.ascontiguousarray(rows).reshape(-1).view(dtype)
    return np.stack([points[name].astype(np.float64) for name in "xyz"], axis=1)
