"""A reference that a shell can drive, from the points or poses of a path.

The points are joined, resampled and smoothed. Where a turn is concentrated on a short
piece, as at the corner of a polyline, the piece is replaced by a curve as wide as the lock
asks and the legs allow; a curve that is itself tighter than the lock is refused with its
place and radius. The shell's own pose, and the last pose where it has a heading, are
joined on; a last smoothing makes the curvature continuous. A path that cannot be driven
so is tried again with more smoothing, for a hand is not steady.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kinewright_env.errors import AgentError
from kinewright_env.grids import cos, sin
from kinewright_env.shells import Shell

from .corners import LOCK_MARGIN, LOCK_TOLERANCE, refusal, rounded
from .path import (
    PI,
    STEP_M,
    Point,
    Pose,
    bridge,
    bridge_radius,
    curvatures,
    distance,
    end_heading,
    pose_on,
    resampled,
    smoothed,
    tightest,
    wrap,
)

WINDOWS = (5, 11, 17)  # samples of the moving average; the narrowest that serves is taken
JOINT_M = 3.0  # the longest piece that joins a path to a pose
POSE_SPACING_M = 0.15  # poses farther apart than this are joined by a curve
START_TOLERANCE_M = 0.05  # a first point nearer than this is the shell's own place
HEADING_SPAN = 10  # samples between the points that give a line's end its heading
SAME_POINT_M = 0.001
TREMOR_M = 0.05  # the farthest that a point may lie off and be left out
HERE_RAD = 0.035  # a pose at the shell's own place and within this is reached
LENGTH_LIMIT_M = 5000.0


@dataclass(frozen=True, slots=True)
class Reference:
    """A line with continuous curvature, sampled about every 0.02 m.

    `s_m` is the length from the start; `heading_rad` and `curvature_radpm` belong to the
    samples (`x_m`, `y_m`) in `map`.
    """

    s_m: list[float]
    x_m: list[float]
    y_m: list[float]
    heading_rad: list[float]
    curvature_radpm: list[float]

    @property
    def length_m(self) -> float:
        """Length of the whole line, metres."""
        return self.s_m[-1]

    def pose(self, index: int) -> Pose:
        """Return the pose at a sample."""
        return (self.x_m[index], self.y_m[index], self.heading_rad[index])

    def value(self, values: Sequence[float], s_m: float) -> float:
        """Return one value per sample read at a length, linearly, its ends carried on."""
        if len(self.s_m) == 1:
            return values[0]
        index = min(max(bisect.bisect_right(self.s_m, s_m) - 1, 0), len(self.s_m) - 2)
        part = (s_m - self.s_m[index]) / (self.s_m[index + 1] - self.s_m[index])
        part = min(max(part, 0.0), 1.0)
        return values[index] + part * (values[index + 1] - values[index])

    def locate(self, pose: Pose, index: int) -> tuple[int, float, float, float]:
        """Find a pose on the line, searching onward from a sample.

        Returns
        -------
        index, s_m, lateral_m, heading_error_rad
            The sample found; length run, beyond the end too; how far left of the line and
            how far turned to its left the pose is.
        """
        while True:
            x, y, direction = self.pose(index)
            dx, dy = pose[0] - x, pose[1] - y
            c, s = cos(direction), sin(direction)
            along, across = dx * c + dy * s, dy * c - dx * s
            if index == len(self.s_m) - 1 or along <= (self.s_m[index + 1] - self.s_m[index]) / 2:
                break
            index += 1
        bend = self.curvature_radpm[index] if 0.0 < self.s_m[index] + along < self.length_m else 0.0
        turned = wrap(pose[2] - direction - bend * along)
        return index, self.s_m[index] + along, across - bend * along * along / 2.0, turned


def reference(path: Sequence[Sequence[float]], start: Pose, shell: Shell) -> Reference:
    """Return the reference along a path for a shell that stands at a pose.

    Parameters
    ----------
    path : sequence of (x_m, y_m) or (x_m, y_m, heading_rad)
        Where `base_link` is to pass, in `map`; headings where given are kept.
    start : (x_m, y_m, heading_rad)
        Pose of `base_link`, where the reference begins.
    shell : Shell
        Its lock bounds the curvature.

    Raises
    ------
    AgentError
        If the path is no list of finite points, or is tighter than the lock: with the
        place and the radius.
    """
    line, end_heading_rad = _joined(_checked(path), start)
    if len(line) == 1:
        if end_heading_rad is not None and abs(wrap(end_heading_rad - start[2])) > HERE_RAD:
            raise refusal("the turn on the spot", line[0], 0.0, shell)
        return Reference([0.0], [start[0]], [start[1]], [start[2]], [0.0])
    first_error: AgentError | None = None
    for window in WINDOWS:
        try:
            return _built(resampled(line), start, end_heading_rad, shell, window)
        except AgentError as error:
            first_error = first_error or error
        line = _thinned(line, window * STEP_M)
    raise first_error or AssertionError


def _checked(path: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    """Return the path as tuples of finite floats."""
    result: list[tuple[float, ...]] = []
    length = 0.0
    try:
        for number, place in enumerate(path):
            values = tuple(float(value) for value in place)
            if len(values) not in (2, 3) or not all(math.isfinite(value) for value in values):
                raise AgentError(
                    f"path: point {number} is {place!r}; allowed: finite (x, y) or (x, y, heading)"
                )
            length += distance(result[-1], values) if result else 0.0
            result.append(values)
    except (TypeError, ValueError) as error:
        if isinstance(error, AgentError):
            raise
        raise AgentError(f"path: {path!r} is no list of (x, y) or (x, y, heading)") from error
    if not result:
        raise AgentError("path: it holds no point; allowed: one or more")
    if not length <= LENGTH_LIMIT_M:
        raise AgentError(f"path: {length:.0f} m long; allowed: up to {LENGTH_LIMIT_M:.0f} m")
    return result


def _joined(path: list[tuple[float, ...]], start: Pose) -> tuple[list[Point], float | None]:
    """Return the points of a path from the shell's own place on, and its last heading."""
    if len(path) > 1 and distance(start, path[0]) <= START_TOLERANCE_M:
        path = path[1:]
    line: list[Point] = [(start[0], start[1])]
    before: tuple[float, ...] = line[0]
    for place in path:
        chord = distance(before, place)
        if len(before) == len(place) == 3 and chord > POSE_SPACING_M:
            line += bridge((before[0], before[1], before[2]), (place[0], place[1], place[2]))[1:]
        elif chord > SAME_POINT_M:
            line.append((place[0], place[1]))
        before = place
    return line, wrap(before[2]) if len(before) == 3 else None


def _thinned(line: list[Point], spacing_m: float) -> list[Point]:
    """Return the line without points that crowd, as a trembling hand leaves them.

    None is left out that lies farther than the tremor off the line that stays.
    """
    kept, skipped = [line[0]], list[Point]()
    for place in line[1:]:
        off = [_beside(skip, kept[-1], place) for skip in skipped]
        if off and max(off) > TREMOR_M:
            corner = off.index(max(off))
            kept.append(skipped[corner])
            skipped = skipped[corner + 1 :]
        if distance(kept[-1], place) >= spacing_m:
            kept.append(place)
            skipped = []
        else:
            skipped.append(place)
    return [*kept, line[-1]] if kept[-1] != line[-1] else kept


def _beside(place: Point, a: Point, b: Point) -> float:
    """Return how far a place is from the segment from a to b, metres."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    part = ((place[0] - a[0]) * dx + (place[1] - a[1]) * dy) / square if square > 0.0 else 0.0
    part = min(max(part, 0.0), 1.0)
    return distance(place, (a[0] + part * dx, a[1] + part * dy))


def _built(
    line: list[Point], start: Pose, end_heading_rad: float | None, shell: Shell, window: int
) -> Reference:
    """Return the reference with one width of smoothing."""
    if end_heading_rad is None:
        end_heading_rad = end_heading(line, HEADING_SPAN)
    kept = _begun(rounded(line, shell, window), start, shell, window)
    back: Pose = (*line[-1], wrap(end_heading_rad + PI))
    kept = _begun(kept[::-1], back, shell, window)[::-1]
    headings = (start[2], end_heading_rad)
    kept = smoothed(resampled(kept), WINDOWS[0], headings=headings)
    radius, place = tightest(kept)
    if radius < shell.radius_at_lock_m * LOCK_TOLERANCE:
        raise refusal("the path", place, radius, shell)
    inner = [pose_on(kept, index)[2] for index in range(1, len(kept) - 1)]
    lengths = [0.0]
    for before, here in pairwise(kept):
        lengths.append(lengths[-1] + distance(before, here))
    xs, ys = [x for x, _ in kept], [y for _, y in kept]
    return Reference(lengths, xs, ys, [start[2], *inner, end_heading_rad], curvatures(kept))


def _begun(line: list[Point], start: Pose, shell: Shell, window: int) -> list[Point]:
    """Return the line with its beginning replaced by a curve from a pose at its first point.

    The curve reaches at least as far as smoothing feels the end.
    """
    best, place, chosen = 0.0, line[0], list[Point]()
    least = min(2 * window, len(line) - 1)
    for index in range(least, min(len(line), math.floor(JOINT_M / STEP_M))):
        pose = pose_on(line, index)
        piece = bridge(start, pose)
        radius, where = bridge_radius(start, pose, piece)
        if radius > best:
            best, place, chosen = radius, where, piece + line[index + 1 :]
        if best >= shell.radius_at_lock_m * LOCK_MARGIN:
            break
    if best < shell.radius_at_lock_m * LOCK_TOLERANCE:
        raise refusal("the joint to the pose it begins or ends with", place, best, shell)
    return chosen
