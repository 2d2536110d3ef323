"""How fast a shell may run along a reference, so that its steering can follow.

Each sample's speed is bounded by the cruise speed, the lateral acceleration, and by what
the steering must do there: turn at the rate dsteer/ds * v under its cap, which falls with
speed, and gather that rate under its acceleration. A backward and a forward pass then keep
the changes of speed gentle, so that it slows ahead of a bend (the usual two-pass profile,
as in J. Bobrow, S. Dubowsky, J. Gibson, Time-optimal control along specified paths, 1985).
"""

import math
from itertools import pairwise

import numpy as np

from kinewright_env.grids import atan2
from kinewright_env.shells import Shell, Steering

from .reference import Reference

STEERING_SHARE = 0.75  # of the steering's rate and acceleration; the rest is the feedback's
LATERAL_MPS2 = 1.5  # well below the honesty bound of 3.9 m/s^2
BRAKING_MPS2 = 0.8
ACCELERATION_MPS2 = 0.8
SLOWEST_MPS = 0.03


def steer_angles(line: Reference, shell: Shell) -> list[float]:
    """Return the steer angle that holds the curvature at each sample, rad, within the lock."""
    tangents = np.array(line.curvature_radpm) * shell.curvature_length_m
    angles: list[float] = atan2(tangents, np.ones(len(tangents))).tolist()
    return [min(max(angle, -shell.lock_rad), shell.lock_rad) for angle in angles]


def speeds(line: Reference, shell: Shell, steering: Steering, cruise_mps: float) -> list[float]:
    """Return the greatest speed at each sample, m/s, slowest at the end.

    Parameters
    ----------
    line : Reference
    shell, steering
        Their laws.
    cruise_mps : float
        Never faster than this.
    """
    gaps = [after - before for before, after in pairwise(line.s_m)]
    steers = steer_angles(line, shell)
    slopes = [(b - a) / gap for (a, b), gap in zip(pairwise(steers), gaps, strict=True)]
    result = []
    for index, curvature in enumerate(line.curvature_radpm):
        near = slopes[max(index - 1, 0) : index + 1] or [0.0]
        rate = max(abs(slope) for slope in near)
        bend = abs(near[-1] - near[0]) / gaps[min(index, len(gaps) - 1)] if gaps else 0.0
        limit = min(cruise_mps, _limit(abs(curvature), rate, bend, steering))
        result.append(max(limit, SLOWEST_MPS))
    result[-1] = SLOWEST_MPS
    for index in range(len(gaps) - 1, -1, -1):
        reach = result[index + 1] * result[index + 1] + 2.0 * BRAKING_MPS2 * gaps[index]
        result[index] = min(result[index], math.sqrt(reach))
    for index, gap in enumerate(gaps):
        reach = result[index] * result[index] + 2.0 * ACCELERATION_MPS2 * gap
        result[index + 1] = min(result[index + 1], math.sqrt(reach))
    return result


def _limit(curvature: float, rate: float, bend: float, steering: Steering) -> float:
    """Return the greatest speed at a sample.

    Parameters
    ----------
    curvature : float
        Of the line, rad/m.
    rate, bend : float
        Of the steer angle along the line: rad/m, rad/m^2.
    steering : Steering
    """
    limit = math.inf
    if curvature > 0.0:
        limit = math.sqrt(LATERAL_MPS2 / curvature)
    if rate > 0.0:
        # v * (1 + v / 1 m/s) = what the cap allows
        allowed = STEERING_SHARE * steering.rate_cap_radps / rate
        limit = min(limit, 2.0 * allowed / (1.0 + math.sqrt(1.0 + 4.0 * allowed)))
    if bend > 0.0:
        limit = min(limit, math.sqrt(STEERING_SHARE * steering.acceleration_radps2 / bend))
    return limit
