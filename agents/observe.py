"""The observing stub: drives straight while its beam reads clear, rests before what it hears."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinewright_env.agent import Claim, Observation
from kinewright_env.errors import AgentError
from kinewright_env.rig import NOTHING_YET, RETURN, TOO_NEAR


class Observe:
    """Hold a speed straight ahead while the beam reads clear, and rest before what it hears.

    An unseen way is not a clear way: it rests until the first reading. From the step on
    which a reading at or below the near bound arrives it rests for good. Needs `beam` in
    the rig. Ends at rest with `blocked` and the reading.

    Parameters
    ----------
    speed_mps : float
        Held while the way is clear, m/s.
    near_mm : int
        The greatest reading to rest at, mm.
    """

    def __init__(self, speed_mps: float = 0.30, near_mm: int = 500) -> None:
        if not 0.0 < speed_mps <= 2.0:
            raise AgentError(f"observe: speed_mps is {speed_mps!r}; allowed: above 0, to 2.0")
        self._speed_mps = speed_mps
        self._near_mm = near_mm

    def reset(self, obs: Observation, info: dict[str, Any]) -> None:
        """Forget all readings."""
        if "beam" not in obs:
            raise AgentError("observe: needs 'beam' in the rig, the one sense it drives by")
        self._status = NOTHING_YET
        self._reading_mm = 0
        self._heard = False
        self._at_rest = True

    def act(self, obs: Observation) -> NDArray[np.float32]:
        """Return the held speed, or rest."""
        self._listen(obs)
        self._at_rest = int(obs["speed"][0]) == 0
        clear = self._status != NOTHING_YET and not self._heard
        return np.array([self._speed_mps if clear else 0.0, 0.0], dtype=np.float32)

    def _listen(self, obs: Observation) -> None:
        """Take the readings that arrived, in their order, until one is near."""
        for value, status, tick in zip(
            obs["beam"].tolist(),
            obs["beam_status"].tolist(),
            obs["beam_tick"].tolist(),
            strict=True,
        ):
            if tick < 0 or self._heard:
                continue
            self._status, self._reading_mm = status, value
            near = status == RETURN and value <= self._near_mm
            self._heard = near or status == TOO_NEAR

    def claim(self) -> Claim | None:
        """End with `blocked` once at rest before something."""
        if not (self._heard and self._at_rest):
            return None
        if self._status == TOO_NEAR:
            return Claim(verdict="blocked", sentence="Rests before something too near to measure.")
        metres = f"{self._reading_mm // 1000}.{self._reading_mm % 1000:03d}"
        return Claim(
            verdict="blocked",
            sentence=f"Rests before something that the beam heard {metres} m ahead.",
        )

    def decision(self) -> dict[str, Any]:
        """Return the reading in force and why it drives or rests."""
        waiting = self._status == NOTHING_YET
        reason = "stop" if self._heard else "unseen" if waiting else "clear"
        return {"reason": reason, "beam_mm": self._reading_mm, "beam_status": self._status}
