"""What agents may compute in C: the motion law, exact functions, and the grid kernels.

One module an idea; nothing here holds or reaches a scene, a sensor model or any truth.
"""

from .belief import BELIEF_CELL_UM, Belief
from .belief_parts import Box, Changes, Cluster, Rooms
from .belief_senses import COPY_CELL_UM
from .cells import CELL_FREE, CELL_OCCUPIED, CELL_UNKNOWN, cells_in_disc
from .functions import atan2, cos, sin, tan
from .library import TICKS_PER_SECOND
from .motion import (
    check_shell,
    check_steering,
    declared_shells,
    declared_steerings,
    predict,
    quantise_ask,
    wheel_angles,
    wheel_positions,
)
from .planner import Planner
from .pose_ring import PoseRing
from .price_search import PriceSearch
from .prices import Prices
from .routes import NODE_LIMIT, STEP_DIAGONAL, STEP_STRAIGHT, Outcome, Route, Side
from .way import PointWay, WayFinder, WidestWay

__all__ = [
    "BELIEF_CELL_UM",
    "CELL_FREE",
    "CELL_OCCUPIED",
    "CELL_UNKNOWN",
    "COPY_CELL_UM",
    "NODE_LIMIT",
    "STEP_DIAGONAL",
    "STEP_STRAIGHT",
    "TICKS_PER_SECOND",
    "Belief",
    "Box",
    "Changes",
    "Cluster",
    "Outcome",
    "Planner",
    "PointWay",
    "PoseRing",
    "PriceSearch",
    "Prices",
    "Rooms",
    "Route",
    "Side",
    "WayFinder",
    "WidestWay",
    "atan2",
    "cells_in_disc",
    "check_shell",
    "check_steering",
    "cos",
    "declared_shells",
    "declared_steerings",
    "predict",
    "quantise_ask",
    "sin",
    "tan",
    "wheel_angles",
    "wheel_positions",
]
