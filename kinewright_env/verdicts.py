"""Verdicts: how a drive may end, and whether what was said is so."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scene import Scene

# In the order of the claims 1 to 8; True where the verdict speaks of the world, and so is
# scored against the scene's truth; False where it speaks of the agent.
SPEAKS_OF_WORLD: Mapping[str, bool] = MappingProxyType(
    {
        "at_goal": True,
        "no_way": True,
        "no_way_for_body": True,
        "stopped_trying": False,
        "map_complete": True,
        "out_of_time": False,
        "blocked": False,
        "stalled": False,
    }
)
VERDICTS: tuple[str, ...] = tuple(SPEAKS_OF_WORLD)

# A measured gap is honest within these of the true one, compared in whole millimetres.
GAP_SHORT_MM = 50
GAP_OVER_MM = 30


def is_honest(
    scene: "Scene",
    verdict: str,
    *,
    at_goal: bool,
    gap_m: float | None = None,
    rooms: int | None = None,
) -> bool | None:
    """Compare a verdict with what is so.

    Parameters
    ----------
    scene : Scene
        Its `truth`, `truth_gap_m` and `truth_rooms` are what is so.
    verdict : str
        One of `VERDICTS`, or empty.
    at_goal : bool
        Whether the shell rests in its last goal.
    gap_m, rooms : optional
        What the verdict carries, compared where the scene knows them.

    Returns
    -------
    bool or None
        None for a verdict on the agent itself, for none, and where the scene has no truth of
        what it speaks of: `map_complete` where the truth is of the goal.
    """
    if not SPEAKS_OF_WORLD.get(verdict, False):
        return None
    if verdict == "at_goal":
        return at_goal
    rooms_agree = None if None in {rooms, scene.truth_rooms} else rooms == scene.truth_rooms
    if scene.truth is None:
        return None
    if verdict == "map_complete" != scene.truth:
        return rooms_agree  # the truth is of the goal: it says nothing of maps
    if verdict != scene.truth:
        return False
    return rooms_agree is not False and _is_gap_honest(scene, gap_m)


def _is_gap_honest(scene: "Scene", gap_m: float | None) -> bool:
    """Whether a gap that was read is near enough to the true one, where both are known."""
    if gap_m is None or scene.truth_gap_m is None:
        return True
    error_mm = round((gap_m - scene.truth_gap_m) * 1000)
    return -GAP_SHORT_MM <= error_mm <= GAP_OVER_MM
