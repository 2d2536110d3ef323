"""The reward: a sum of named terms, their weights declared here."""

from dataclasses import dataclass


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
