"""The way that a shell has driven, by what it observes of its pose."""

import itertools
import math

from kinewright_env.agent import Observation
from kinewright_env.grids import TICKS_PER_SECOND
from kinewright_env.shells import Shell


class Odometer:
    """Adds up the way of `base_link` from observation to observation, but not by which it was put.

    Parameters
    ----------
    shell : Shell
    obs : Observation
        The first one.

    Attributes
    ----------
    length_um : int
        Driven so far.
    tick : int
        Of the last observation.
    """

    def __init__(self, shell: Shell, obs: Observation) -> None:
        speed_mps = max(shell.forward_speed_limit_mps, shell.reverse_speed_limit_mps)
        self._farthest_um = math.ceil(1e6 * speed_mps / TICKS_PER_SECOND) + 2  # in a tick
        self._x_um, self._y_um = obs["pose"][-1, :2].tolist()
        self.tick = int(obs["tick"][0])
        self.length_um = 0

    def add(self, obs: Observation) -> int:
        """Take an observation; return the way since the last one, um."""
        x_um, y_um = obs["pose"][-1, :2].tolist()
        tick = int(obs["tick"][0])
        way_um = math.isqrt((x_um - self._x_um) ** 2 + (y_um - self._y_um) ** 2)
        if way_um > self._farthest_um * (tick - self.tick):
            way_um = self._by_ticks(obs["pose"][: tick - self.tick, :2].tolist())
        self._x_um, self._y_um, self.tick = x_um, y_um, tick
        self.length_um += way_um
        return way_um

    def _by_ticks(self, places_um: list[list[int]]) -> int:
        """Return the way from tick to tick, without those on which the shell was put elsewhere."""
        places = [[self._x_um, self._y_um], *places_um]
        ways = (
            math.isqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
            for (x0, y0), (x1, y1) in itertools.pairwise(places)
        )
        return sum(way for way in ways if way <= self._farthest_um)
