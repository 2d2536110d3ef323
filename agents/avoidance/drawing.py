"""What the window shows of a decision: the map by age, the candidates, the zones, the reason."""

from kinewright_env.layers import Layer, TextLayer

from .avoider import Avoider


def layers_of(
    avoider: Avoider, goal: tuple[int, int] | None, radius_um: int, toward_only: bool
) -> tuple[Layer, ...]:
    """Return the layers of the decision in force."""
    decision = avoider.decision
    return () if decision is None else (TextLayer(name="reason", text=decision.reason),)
