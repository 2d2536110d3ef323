"""The reward: a sum of named terms, their weights declared here."""

from dataclasses import dataclass
from typing import Any

from .core import TICKS_PER_SECOND
from .world import ENDED_AT_GOAL


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardWeights:
    """What each term is worth; chosen, not measured.

    Over a drive to a goal L metres off, progress sums to L and arrival adds 5, so that no
    detour or delay within a time limit is worth more than arriving.
    """

    progress_per_m: float = 1.0
    time_per_s: float = -0.05
    contact_per_s: float = -2.0
    arrival: float = 5.0
    true_claim: float = 5.0
    false_claim: float = -5.0


WEIGHTS = RewardWeights()
TERMS: tuple[str, ...] = ("progress", "time", "contact", "arrival", "claim")


def reward_terms(report: Any, nearer_m: float) -> dict[str, float]:
    """Return the terms of a step that ran: the core's report, and metres nearer to the goal."""
    contact_s = report.step_contact_ticks / TICKS_PER_SECOND
    return {
        "progress": WEIGHTS.progress_per_m * nearer_m,
        "time": WEIGHTS.time_per_s * report.step_ticks / TICKS_PER_SECOND,
        "contact": WEIGHTS.contact_per_s * contact_s if contact_s else 0.0,
        "arrival": WEIGHTS.arrival if report.ending == ENDED_AT_GOAL else 0.0,
        "claim": 0.0,
    }


def claim_terms(honest: bool | None) -> dict[str, float]:
    """Return the terms of a step that a claim ended: true, false, or not on the world."""
    terms = dict.fromkeys(TERMS, 0.0)
    if honest is not None:
        terms["claim"] = WEIGHTS.true_claim if honest else WEIGHTS.false_claim
    return terms
