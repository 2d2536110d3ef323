"""What the window shows of a decision: the map by age, the candidates, the zones, the reason.

Drawn from a survey of all candidates, which the decision itself does without: it is made only
when somebody looks.
"""

import numpy as np
from numpy.typing import NDArray

from kinewright_env.grids import (
    AVOIDANCE,
    CANDIDATE_REST,
    CELL_UM,
    CURVATURE_OF_GOAL,
    MEMORY_TICK,
    SAMPLE_TICK,
    TICKS_PER_SECOND,
    Aim,
    Candidate,
    cos,
    sin,
)
from kinewright_env.layers import GridLayer, Layer, PolylineLayer, TextLayer
from kinewright_env.shells import Shell

from .avoider import Avoider, Decision

CELL_M = CELL_UM / 1e6
ADMISSIBLE, INADMISSIBLE, CHOSEN = (90, 160, 110), (225, 170, 160), (40, 110, 220)
STOP_ZONE, SLOW_ZONE, LIMIT = (210, 90, 60), (220, 170, 60), (200, 30, 30)
AGES = 6  # shades of the local map
SHADES = np.array(
    [(0, 0, 0, 0)] + [(120, 60, 140, 230 - 160 * age // (AGES - 1)) for age in range(AGES)],
    dtype=np.uint8,
)
WORDS = {
    "clear": "clear: the way toward the goal is free at cruise speed",
    "slow": "slow: something stands within the slow zone",
    "around": "around: passes what is in the way",
    "stop": "stop: no motion is admissible",
    "goal_reached": "goal reached",
    "rest": "rests: looks about, or has said how the drive ends",
    "wheels": "turns its wheels, which are slow, before it starts",
    "map_unknown": "waits: a sense has not told of the surroundings yet",
}

Line = tuple[tuple[float, float], ...]
Poses = NDArray[np.float64]


def layers_of(avoider: Avoider, shell: Shell, aim: Aim) -> tuple[Layer, ...]:
    """Return the layers of the decision in force.

    Parameters
    ----------
    avoider : Avoider
    shell : Shell
    aim : Aim
        Of the decision.
    """
    decision = avoider.decision
    if decision is None:
        return ()
    layers: list[Layer] = [TextLayer(name="reason", text=_words(decision))]
    layers += _cells(avoider)
    if decision.candidate is not None:
        candidates, poses = avoider.candidates.survey(avoider.local_map, avoider.motion, aim)
        lines = [_centres(shell, poses[one.number]) for one in candidates[:CANDIDATE_REST]]
        layers += _candidates(candidates, lines)
        number = decision.candidate.number
        shown = number if number != CANDIDATE_REST else CURVATURE_OF_GOAL
        layers += _zones(avoider, shell, shown, poses[shown])
        if number != CANDIDATE_REST:
            line = lines[number][: candidates[number].n_poses]
            layers.append(PolylineLayer(name="chosen", points_m=line, color=CHOSEN, width_px=3))
        layers += _limit(decision.candidate)
    return tuple(layers)


def _words(decision: Decision) -> str:
    chosen = decision.candidate
    if chosen is None or chosen.number == CANDIDATE_REST:
        return WORDS[decision.reason]
    speed_mps = chosen.speed_dmmps / 1e4
    margin_m = chosen.margin_mm / 1e3
    return f"{WORDS[decision.reason]} ({speed_mps:.2f} m/s, margin {margin_m:.2f} m)"


def _cells(avoider: Avoider) -> list[Layer]:
    """Return the local map, the paler the older."""
    cells = avoider.local_map.cells()
    if not len(cells):
        return []
    row0, col0 = cells[:, 0].min(), cells[:, 1].min()
    shape = (cells[:, 0].max() - row0 + 1, cells[:, 1].max() - col0 + 1)
    values = np.zeros(shape, dtype=np.uint8)
    ages = (avoider.tick - cells[:, 2]) * AGES // (MEMORY_TICK + 1)
    values[cells[:, 0] - row0, cells[:, 1] - col0] = 1 + np.clip(ages, 0, AGES - 1)
    return [
        GridLayer(
            name="local map",
            x0_m=float(col0) * CELL_M,
            y0_m=float(row0) * CELL_M,
            cell_m=CELL_M,
            values=values,
            palette=SHADES,
        )
    ]


def _centres(shell: Shell, poses: Poses) -> Line:
    """Return the way of the body's centre."""
    return tuple(_beside(poses, shell.body_ahead_m, 0.0))


def _beside(poses: Poses, ahead_m: float, left_m: float) -> list[tuple[float, float]]:
    """Return a point of the body at each pose, for drawing alone."""
    c, s = cos(poses[:, 2]), sin(poses[:, 2])
    x = poses[:, 0] + ahead_m * c - left_m * s
    y = poses[:, 1] + ahead_m * s + left_m * c
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _candidates(candidates: tuple[Candidate, ...], lines: list[Line]) -> list[Layer]:
    """Return each way: up to its end where it is admissible, else to the horizon."""
    return [
        PolylineLayer(
            name="candidates",
            points_m=line[: one.n_poses] if one.is_admissible else line,
            color=ADMISSIBLE if one.is_admissible else INADMISSIBLE,
            width_px=1,
        )
        for one, line in zip(candidates, lines, strict=False)
    ]


def _zones(avoider: Avoider, shell: Shell, number: int, poses: Poses) -> list[Layer]:
    """Return the corridor as far as the shell needs to stop, and a second of travel on."""
    speeds = AVOIDANCE["speeds_mps"]
    speed_mps = speeds[number // (CANDIDATE_REST // len(speeds))]
    braking_s = speed_mps / shell.braking_mps2 / 2.0
    stop_tick = avoider.reaction_tick + int(braking_s * TICKS_PER_SECOND)
    side_m = shell.width_m / 2 + AVOIDANCE["clearance_m"]
    front_m = shell.body_ahead_m + shell.length_m / 2 + AVOIDANCE["clearance_m"]
    layers: list[Layer] = []
    zones = [("slow zone", stop_tick + TICKS_PER_SECOND, SLOW_ZONE)]
    zones.append(("stop zone", stop_tick, STOP_ZONE))
    for name, tick, color in zones:
        part = poses[: max(1, tick // SAMPLE_TICK)]
        left = _beside(part, shell.body_ahead_m, side_m) + _beside(part[-1:], front_m, side_m)
        right = _beside(part, shell.body_ahead_m, -side_m) + _beside(part[-1:], front_m, -side_m)
        outline = (*left, *reversed(right))
        layers.append(PolylineLayer(name=name, points_m=outline, color=color, closed=True))
    return layers


def _limit(candidate: Candidate) -> list[Layer]:
    """Return the outline of the cell that limited the decision."""
    if candidate.cell is None:
        return []
    row, col = candidate.cell
    corners = ((col, row), (col + 1, row), (col + 1, row + 1), (col, row + 1))
    points = tuple((x * CELL_M, y * CELL_M) for x, y in corners)
    return [
        PolylineLayer(name="limiting cell", points_m=points, color=LIMIT, closed=True, width_px=3)
    ]
