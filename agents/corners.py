"""Corners of a line made as wide as a shell's lock asks, or refused.

A corner is a turn that is concentrated on a short piece. It is replaced by the curve that
joins the poses on both sides of it, taken farther and farther apart until the curve is
wide enough; neighbours share the leg between them by their angles. A turn on a longer
piece is a drawn curve: it stays as it is, and one tighter than the lock is refused.
"""

import math

from kinewright_env.errors import AgentError
from kinewright_env.shells import Shell

from .path import (
    STEP_M,
    Point,
    Turn,
    bridge,
    bridge_radius,
    distance,
    pose_on,
    smoothed,
    tightest,
    turns,
)

LOCK_MARGIN = 1.04  # radius of what is built over the lock's: room for the feedback
LOCK_TOLERANCE = 0.99  # radius of what is drawn over the lock's: what sampling may hide
SOFT_RADIUS_M = 1.0  # corners sharper than this are widened where it is nearly free
SOFT_CUT_M = 0.03  # how far from its corner a free widening may pass
CORNER_CUT_M = 0.35  # how far from its corner a necessary one may pass
CORNER_LENGTH_M = 0.20  # a turn on a longer piece is a curve, not a corner
KEPT_WINDOW = 5  # samples; smoothing over more gives up some of a curve's radius
GAIN = 1.25  # a widening is worth it from this gain in radius on


def refusal(what: str, place: Point, radius_m: float, shell: Shell) -> AgentError:
    """Return the error that names place and radius of a turn too tight for a shell."""
    return AgentError(
        f"path: {what} at ({place[0]:.2f}, {place[1]:.2f}) has a radius of {radius_m:.3f} m; "
        f"allowed: {shell.radius_at_lock_m:.4f} m and more, the lock of {shell.name}"
    )


def rounded(line: list[Point], shell: Shell, window: int) -> list[Point]:
    """Return an evenly sampled line smoothed over `window` samples, its corners widened.

    Raises
    ------
    AgentError
        If a curve is tighter than the lock, or a corner has no room for one that is not.
    """
    once = smoothed(line, window, twiced=False)
    # twiced, a corner would ring beside itself; an unsteady line is better shrunk than kept
    kept = smoothed(line, window) if window <= KEPT_WINDOW else once
    found = turns(once, SOFT_RADIUS_M)
    longest = math.floor(CORNER_LENGTH_M / STEP_M) + 2 * window
    result, done = list[Point](), 0
    for number, turn in enumerate(found):
        # at the ends smoothing leans on what it guesses beyond them: a joint comes there
        if not 2 * window <= turn.middle < len(kept) - 2 * window:
            continue
        if turn.last - turn.first > longest:
            _check_curve(kept, turn, window, shell)
            continue
        before = _share(turn, found[number - 1] if number else None, turn.middle)
        rest = len(kept) - 1 - turn.middle
        after = _share(turn, found[number + 1] if number + 1 < len(found) else None, rest)
        half, piece = _widened(kept, turn, min(before, after), 2 * window, shell)
        if half:
            result += kept[done : turn.middle - half] + piece
            done = turn.middle + half + 1
    return result + kept[done:]


def _share(turn: Turn, neighbour: Turn | None, free: int) -> int:
    """Return how many samples on one side a turn may use."""
    if neighbour is None:
        return free
    angle, other = abs(turn.angle_rad), abs(neighbour.angle_rad)
    return math.floor(abs(turn.middle - neighbour.middle) * angle / (angle + other))


def _check_curve(line: list[Point], turn: Turn, window: int, shell: Shell) -> None:
    first = max(turn.first - 1, 2 * window)
    last = min(turn.last + 2, len(line) - 2 * window)
    radius, place = tightest(line[first:last])
    if radius < shell.radius_at_lock_m * LOCK_TOLERANCE:
        raise refusal("the turn", place, radius, shell)


def _widened(
    line: list[Point], turn: Turn, room: int, least: int, shell: Shell
) -> tuple[int, list[Point]]:
    """Return how many samples to both sides of a corner to replace, and by what.

    Nothing is replaced where it would not help; `least` samples are where smoothing the
    corner has reached.
    """
    needed = shell.radius_at_lock_m * LOCK_MARGIN
    corner = line[turn.middle]
    now, _ = tightest(line[max(turn.first - 1, 0) : turn.last + 2])
    best, best_half, best_piece = now, 0, list[Point]()
    for half in range(min(least, room), room + 1):
        a, b = pose_on(line, turn.middle - half), pose_on(line, turn.middle + half)
        piece = bridge(a, b)
        cut = distance(corner, piece[len(piece) // 2])
        if cut > (SOFT_CUT_M if best >= needed else CORNER_CUT_M):
            break
        radius, _ = bridge_radius(a, b, piece)
        if radius > best:
            best, best_half, best_piece = radius, half, piece
        if best >= SOFT_RADIUS_M:
            break
    if best < needed and now < shell.radius_at_lock_m * LOCK_TOLERANCE:
        raise refusal("the corner", corner, best, shell)
    return (best_half, best_piece) if best > now * GAIN or now < needed else (0, [])
