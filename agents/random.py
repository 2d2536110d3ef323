"""Random asks within the shell's limits: what any agent should beat."""

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Observation


class Random:
    """Ask for a uniformly random speed and steer angle on every step.

    Needs no sensor. Ends never: the scene's time limit does, or its goal by chance.

    Parameters
    ----------
    seed : int
        Of the asks; the same seed gives the same asks on every drive.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Begin the asks anew."""
        self._shell = info["declarations"]["shell"]
        self._random = random.Random(self._seed)  # noqa: S311 - asks, not secrets

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the next ask."""
        shell = self._shell
        speed = self._random.uniform(-shell.reverse_speed_limit_mps, shell.forward_speed_limit_mps)
        steer = self._random.uniform(-shell.lock_rad, shell.lock_rad)
        return np.array([speed, steer], dtype=np.float32)
