"""Geometry of a line of points: what a reference path is made with.

Resampling, smoothing, curvature, turns, and the one curve that joins two poses. Smoothing
is the twiced triangular kernel (Tukey's twicing of a twofold moving average, 2S - SS): it
leaves straight lines and, to fourth order, circles where they are. Arithmetic is + - * /
and sqrt with the core's own angles, in a fixed order, so that the same points give the
same bits everywhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinewright_env.grids import atan2, cos, sin

Point = tuple[float, float]
Pose = tuple[float, float, float]

STEP_M = 0.02  # between samples of a line
LEAST_PIECES = 8  # of the shortest line
PIECE_M = 0.15  # turns one way that are nearer to each other than this are one
COINCIDENT_RADPM = 1e9  # curvature where points fall together: no shell can
PI = 3.141592653589793


def wrap(angle_rad: float) -> float:
    """Return an angle that is at most a few turns off in (-pi, pi]."""
    while angle_rad > PI:
        angle_rad -= 2.0 * PI
    while angle_rad <= -PI:
        angle_rad += 2.0 * PI
    return angle_rad


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the distance between two points or poses, metres."""
    return math.sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]))


def heading(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the heading from one point to another, radians."""
    return float(atan2(b[1] - a[1], b[0] - a[0]))


def curvatures(line: Sequence[Point]) -> list[float]:
    """Return the signed curvature at each point: the turn there over the mean leg."""
    crosses, dots, legs = [], [], []
    for before, here, after in zip(line, line[1:], line[2:], strict=False):
        ax, ay = here[0] - before[0], here[1] - before[1]
        bx, by = after[0] - here[0], after[1] - here[1]
        crosses.append(ax * by - ay * bx)
        dots.append(ax * bx + ay * by)
        legs.append(distance(before, here) + distance(here, after))
    if not legs:
        return [0.0] * len(line)
    angles = atan2(np.array(crosses), np.array(dots)).tolist()
    inner = [
        2.0 * angle / leg if leg > 0.0 else COINCIDENT_RADPM
        for angle, leg in zip(angles, legs, strict=True)
    ]
    return [inner[0], *inner, inner[-1]]


def resampled(line: Sequence[Point], step_m: float = STEP_M) -> list[Point]:
    """Return points about `step_m` apart along a line, its ends kept."""
    lengths = [distance(a, b) for a, b in pairwise(line)]
    total = 0.0
    for length in lengths:
        total += length
    count = max(LEAST_PIECES, math.floor(total / step_m + 0.5))
    result, leg, before = [line[0]], 0, 0.0
    for number in range(1, count):
        at = total * number / count
        while leg < len(lengths) - 1 and before + lengths[leg] < at:
            before += lengths[leg]
            leg += 1
        part = (at - before) / lengths[leg]
        (x0, y0), (x1, y1) = line[leg], line[leg + 1]
        result.append((x0 + part * (x1 - x0), y0 + part * (y1 - y0)))
    return [*result, line[-1]]


def bridge(a: Pose, b: Pose, step_m: float = STEP_M) -> list[Point]:
    """Return a curve from one pose to another: a cubic Bezier, an arc where one fits.

    The handles are those of the best cubic for a circular arc of the same turn.
    """
    half_turn = cos(wrap(b[2] - a[2]) / 4.0)
    chord = distance(a, b)
    handle = chord / (3.0 * half_turn * half_turn)
    p1 = (a[0] + handle * cos(a[2]), a[1] + handle * sin(a[2]))
    p2 = (b[0] - handle * cos(b[2]), b[1] - handle * sin(b[2]))
    count = max(2, math.ceil(chord / step_m))
    line = []
    for number in range(count + 1):
        t = number / count
        u = 1.0 - t
        w0, w1, w2, w3 = u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t
        x = w0 * a[0] + w1 * p1[0] + w2 * p2[0] + w3 * b[0]
        y = w0 * a[1] + w1 * p1[1] + w2 * p2[1] + w3 * b[1]
        line.append((x, y))
    return line


def tightest(line: Sequence[Point]) -> tuple[float, Point]:
    """Return the smallest radius on a line, metres, and where it is."""
    if len(line) < 3:
        return math.inf, line[0] if line else (0.0, 0.0)
    bends = [abs(bend) for bend in curvatures(line)]
    index = bends.index(max(bends))
    return (1.0 / bends[index] if bends[index] > 0.0 else math.inf), line[index]


def end_heading(line: Sequence[Point], span: int = 1) -> float:
    """Return the heading at a line's end: of the circle through it and two before it."""
    span = min(span, (len(line) - 1) // 2)
    if span == 0:
        return heading(line[0], line[-1])
    first, middle, last = line[-1 - 2 * span], line[-1 - span], line[-1]
    chord = heading(middle, last)
    return wrap(chord + wrap(chord - heading(first, middle)) / 2.0)


def bridge_radius(a: Pose, b: Pose, piece: Sequence[Point]) -> tuple[float, Point]:
    """Return the smallest radius of a bridge and where, the kinks at its poses counted."""
    before, after = distance(piece[0], piece[1]), distance(piece[-2], piece[-1])
    behind = (a[0] - before * cos(a[2]), a[1] - before * sin(a[2]))
    beyond = (b[0] + after * cos(b[2]), b[1] + after * sin(b[2]))
    return tightest([behind, *piece, beyond])


def _extended(line: Sequence[Point], count: int, direction: float) -> list[Point]:
    """Return the line carried on by its mirror image, straight and round where it was."""
    c, s = cos(direction), sin(direction)
    x, y = line[-1]
    result = [*line]
    for px, py in line[-2 : -2 - count : -1]:
        dx, dy = px - x, py - y
        along, across = dx * c + dy * s, dy * c - dx * s
        result.append((x - along * c - across * s, y - along * s + across * c))
    return result


def _averaged(values: Sequence[float], window: int) -> list[float]:
    """Return the moving average, one value shorter at both ends by half a window."""
    total = 0.0
    for value in values[:window]:
        total += value
    result = [total / window]
    for gone, come in zip(values, values[window:], strict=False):
        total += come - gone
        result.append(total / window)
    return result


def _smoothed_values(wide: Sequence[float], half: int, twiced: bool) -> list[float]:
    window = 2 * half + 1
    once = _averaged(_averaged(wide, window), window)
    inner = once[2 * half : len(once) - 2 * half]
    if not twiced:
        return inner
    twice = _averaged(_averaged(once, window), window)
    return [2.0 * a - b for a, b in zip(inner, twice, strict=True)]


def smoothed(
    line: Sequence[Point],
    window: int,
    *,
    twiced: bool = True,
    headings: tuple[float, float] | None = None,
) -> list[Point]:
    """Return an evenly sampled line smoothed over `window` samples; its ends stay.

    Once only, curves shrink, but no turn rings; twiced, curves stay where they are. The
    headings at both ends are the line's own where they are not given.
    """
    half = min(window // 2, (len(line) - 1) // 8)
    if half == 0:
        return list(line)
    first, last = headings or (pose_on(line, 0)[2], pose_on(line, len(line) - 1)[2])
    wide = _extended(line, 4 * half, last)
    wide = _extended(wide[::-1], 4 * half, wrap(first + PI))[::-1]
    xs = _smoothed_values([x for x, _ in wide], half, twiced)
    ys = _smoothed_values([y for _, y in wide], half, twiced)
    return [line[0], *list(zip(xs, ys, strict=True))[1:-1], line[-1]]


def pose_on(line: Sequence[Point], index: int) -> Pose:
    """Return the pose at a sample of a line of two or more, heading along it."""
    if index == 0:
        return (*line[0], wrap(end_heading(line[2::-1]) + PI))
    if index == len(line) - 1:
        return (*line[-1], end_heading(line[-3:]))
    return (*line[index], heading(line[index - 1], line[index + 1]))


@dataclass(frozen=True, slots=True)
class Turn:
    """A run of samples that turns one way, tighter than asked."""

    first: int
    last: int
    middle: int
    angle_rad: float


def turns(line: Sequence[Point], radius_m: float) -> list[Turn]:
    """Return the runs of a line that are tighter than a radius, in order."""
    bends, runs = curvatures(line), list[list[int]]()
    for index, bend in enumerate(bends):
        if abs(bend) * radius_m <= 1.0:
            continue
        same = runs and (bends[runs[-1][-1]] > 0.0) == (bend > 0.0)
        if same and (index - runs[-1][-1]) * STEP_M <= PIECE_M:
            runs[-1].append(index)
        else:
            runs.append([index])
    found = []
    for run in runs:
        angles = [
            bends[index] * distance(line[index - 1], line[index])
            for index in range(max(1, run[0]), run[-1] + 1)
        ]
        total = moment = 0.0
        for offset, angle in enumerate(angles):
            total += angle
            moment += angle * offset
        middle = max(1, run[0]) + math.floor(moment / total + 0.5) if total else run[0]
        found.append(Turn(run[0], run[-1], min(max(middle, run[0]), run[-1]), total))
    return found
