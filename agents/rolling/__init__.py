"""A rolling local obstacle map over registered increments, and the agent that drives by it.

Three products are kept apart: the current increment is what arrived; a current component
says whether something is known for long enough to speak of motion; the rolling occupancy
says, conservatively, whether something is there. Absence is never evidence of free space.
"""

from kinewright_env.grids.corridor import Corridor
from kinewright_env.grids.increment import RegisteredIncrement, RollingBounds
from kinewright_env.grids.rolling import Component, FrameResult

from .ledger import Ledger
from .obstacle_map import RollingObstacleMap
from .totals import Totals

__all__ = [
    "Component",
    "Corridor",
    "FrameResult",
    "Ledger",
    "RegisteredIncrement",
    "RollingBounds",
    "RollingObstacleMap",
    "Totals",
]
