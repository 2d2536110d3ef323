"""Asks: the action space, and how an action becomes two numbers and a claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from .errors import ActionError
from .shells import Shell
from .verdicts import VERDICTS


def action_space(shell: Shell, *, claims: bool) -> spaces.Space[Any]:
    """Return the space of asks within the shell's limits, joined with the claims if asked."""
    high = [shell.forward_speed_limit_mps, shell.lock_rad]
    low = [-shell.reverse_speed_limit_mps, -shell.lock_rad]
    drive = spaces.Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)
    if not claims:
        return drive
    return spaces.Dict({"drive": drive, "claim": spaces.Discrete(len(VERDICTS) + 1)})


def two_numbers(action: Any) -> tuple[float, float]:
    """Return speed and steer of an ask; whether they are finite is the core's to say.

    Raises
    ------
    ActionError
        If it is not an array of shape (2,), or a pair, of real numbers.
    """
    if isinstance(action, np.ndarray):
        if action.shape == (2,) and action.dtype.kind in "fiu":
            return tuple(action.tolist())
    elif isinstance(action, list | tuple) and len(action) == 2:
        parts = [part for part in action if isinstance(part, int | float | np.number)]
        if len(parts) == 2 and not any(isinstance(part, bool) for part in parts):
            try:
                return float(parts[0]), float(parts[1])
            except (OverflowError, TypeError) as error:
                raise ActionError(f"ask {action!r}: {error}") from error
    raise ActionError(
        f"ask {action!r} is not allowed; allowed: an array of shape (2,): speed m/s, steer rad"
    )


def split_claim(action: Any) -> tuple[Any, int]:
    """Return the ask and the claim of an action with claims.

    Raises
    ------
    ActionError
        If it has other keys, or the claim is none of the space.
    """
    if not isinstance(action, Mapping) or set(action) != {"drive", "claim"}:
        raise ActionError(
            f"ask {action!r} is not allowed; with claims it is a dict of 'drive' and 'claim'"
        )
    claim = action["claim"]
    if isinstance(claim, np.ndarray) and claim.size == 1:
        claim = claim.item()
    if isinstance(claim, bool) or not isinstance(claim, int | np.integer):
        raise ActionError(f"claim {claim!r} is not allowed; allowed: a whole number from 0 to 8")
    if not 0 <= claim <= len(VERDICTS):
        raise ActionError(f"claim {claim!r} is not allowed; allowed: 0 to {len(VERDICTS)}")
    return action["drive"], int(claim)
