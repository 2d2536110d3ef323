"""The guard: brakes where what a person asks for would not end before what the senses met."""

from collections.abc import Mapping
from typing import Any

from kinewright_env.agent import Observation
from kinewright_env.grids import CELL_UM, quantise_ask
from kinewright_env.layers import CirclesLayer, Layer

from .avoider import Avoider

SHARES = 8  # of the speed asked for, the greatest admissible of so many parts is driven


class Guard:
    """Holds each ask against the local map, by the test that the skills drive by.

    An ask that is admissible passes as it is. Of one that is not, the greatest part of its
    speed passes that is, down to rest. It never steers: where even rest at the steer angle
    asked for is not admissible, rest keeps the angle that it was tested with. Until the senses
    have told of what surrounds the shell it rests.

    Parameters
    ----------
    name : str
        Of the agent, for errors.
    declarations : mapping
        As `reset` hands them over.

    Attributes
    ----------
    reason : str
        Empty while asks pass, else `guard` or `map_unknown`.
    cell : (int, int) or None
        Row and column of the cell that the last ask would have met.

    Raises
    ------
    AgentError
        As `Avoider` does.
    """

    def __init__(self, name: str, declarations: Mapping[str, Any]) -> None:
        self._avoider = Avoider(name, declarations)
        self._shell = declarations["shell"]
        self._steer_urad = 0
        self.reason = ""
        self.cell: tuple[int, int] | None = None

    def observe(self, obs: Observation) -> None:
        """Take an observation."""
        self._avoider.observe(obs)

    def limit(self, speed_mps: float, steer_rad: float) -> tuple[float, float]:
        """Return the ask that passes, m/s and rad."""
        speed_dmmps, steer_urad, _ = quantise_ask(self._shell, speed_mps, steer_rad)
        ask = self._passing(speed_dmmps, steer_urad)
        self._steer_urad = ask[1]
        self._avoider.take_own(ask)
        return ask[0] / 10_000.0, ask[1] / 1e6

    def _passing(self, speed_dmmps: int, steer_urad: int) -> tuple[int, int]:
        """Return the greatest part of an ask that is admissible, and note what bars the rest."""
        self.reason, self.cell = "", None
        if not self._avoider.local_map.is_known:
            self.reason = "map_unknown"
            return 0, self._steer_urad
        for part in range(SHARES, -1, -1):
            # toward zero, whichever way it drives
            share = abs(speed_dmmps) * part // SHARES * (1 if speed_dmmps >= 0 else -1)
            test = self._avoider.test((share, steer_urad))
            if test.is_admissible:
                return share, steer_urad
            if not self.reason:
                self.reason, self.cell = "guard", test.cell
        return 0, self._steer_urad

    def sentence(self) -> str:
        """Return why it brakes, empty where it does not."""
        if self.reason == "map_unknown":
            return "Rests until the senses have told of what is near."
        if self.cell is None:
            return "Brakes." if self.reason else ""
        x_m, y_m = self._place_m(self.cell)
        return f"Brakes: something at ({x_m:.2f}, {y_m:.2f}) is in the way."

    def layers(self) -> tuple[Layer, ...]:
        """Return a circle about what it brakes for."""
        if self.cell is None:
            return ()
        place = self._place_m(self.cell)
        return (
            CirclesLayer(name="guard", centers_m=(place,), radii_m=(0.06,), color=(217, 45, 32)),
        )

    @staticmethod
    def _place_m(cell: tuple[int, int]) -> tuple[float, float]:
        row, col = cell
        return (2 * col + 1) * CELL_UM / 2e6, (2 * row + 1) * CELL_UM / 2e6
