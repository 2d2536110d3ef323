"""What agents may compute in C: the motion law, exact functions, and the grid kernels.

One module an idea; nothing here holds or reaches a scene, a sensor model or any truth.
"""

from .belief import BELIEF_CELL_UM, CELL_CHANGEABLE, CELL_PERMANENT, CELL_RELAXED, Belief
from .belief_parts import Box, Changes, Cluster, Rooms
from .belief_senses import COPY_CELL_UM
from .candidates import (
    AVOIDANCE,
    CANDIDATE_COUNT,
    CANDIDATE_REST,
    CURVATURE_COUNT,
    CURVATURE_OF_GOAL,
    DECISION_TICK,
    HOLD_TICK,
    SAMPLE_TICK,
    Aim,
    Candidate,
    Candidates,
    Motion,
)
from .cells import CELL_FREE, CELL_OCCUPIED, CELL_UNKNOWN, cells_in_disc
from .corridor import Corridor, sweep
from .functions import atan2, cos, sin, tan
from .increment import RegisteredIncrement, RollingBounds
from .library import TICKS_PER_SECOND
from .local_map import CELL_UM, MARKING_SENSES, MEMORY_TICK, RADIUS_UM, RANGING_SENSES, LocalMap
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
from .prices import UNKNOWN_PRICES, Prices
from .rolling import RollingGrid
from .routes import (
    NODE_LIMIT,
    STEP_DIAGONAL,
    STEP_STRAIGHT,
    Outcome,
    Route,
    Side,
    route_is_near,
)
from .way import PointWay, WayFinder, WidestWay

__all__ = [
    "AVOIDANCE",
    "BELIEF_CELL_UM",
    "CANDIDATE_COUNT",
    "CANDIDATE_REST",
    "CELL_CHANGEABLE",
    "CELL_FREE",
    "CELL_OCCUPIED",
    "CELL_PERMANENT",
    "CELL_RELAXED",
    "CELL_UM",
    "CELL_UNKNOWN",
    "COPY_CELL_UM",
    "CURVATURE_COUNT",
    "CURVATURE_OF_GOAL",
    "DECISION_TICK",
    "HOLD_TICK",
    "MARKING_SENSES",
    "MEMORY_TICK",
    "NODE_LIMIT",
    "RADIUS_UM",
    "RANGING_SENSES",
    "SAMPLE_TICK",
    "STEP_DIAGONAL",
    "STEP_STRAIGHT",
    "TICKS_PER_SECOND",
    "UNKNOWN_PRICES",
    "Aim",
    "Belief",
    "Box",
    "Candidate",
    "Candidates",
    "Changes",
    "Cluster",
    "Corridor",
    "LocalMap",
    "Motion",
    "Outcome",
    "Planner",
    "PointWay",
    "PoseRing",
    "PriceSearch",
    "Prices",
    "RegisteredIncrement",
    "RollingBounds",
    "RollingGrid",
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
    "route_is_near",
    "sin",
    "sweep",
    "tan",
    "wheel_angles",
    "wheel_positions",
]
