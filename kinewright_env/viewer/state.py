"""What a person at the window has chosen: plain values that the painter reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from .keys import TABLE

SLOWEST, FASTEST = -2, 4


@dataclass(slots=True)
class ViewState:
    """The window's choices; the defaults are what a picture without a window shows.

    `speed_power` is the drive's speed on the screen as a power of two of real time;
    `path_m` is the path being drawn, metres in `map`, or the one waiting to be taken;
    `names_shown` and `numbers_shown` are words on the map: of the solids, of the readings;
    `ended` says that the drive is over and the picture stays for as long as a person looks;
    `key_table` is what the help shows.
    """

    speed_power: int = 0
    paused: bool = False
    help_shown: bool = False
    names_shown: bool = False
    numbers_shown: bool = False
    drawing: bool = False
    path_m: list[tuple[float, float]] = field(default_factory=list)
    path_ready: bool = False
    notice: str = ""
    ended: bool = False
    key_table: tuple[tuple[str, str], ...] = TABLE

    @property
    def speed_factor(self) -> float:
        """How many seconds of the drive pass in one of the clock's."""
        return float(2.0**self.speed_power)

    @property
    def speed_words(self) -> str:
        """The factor as a person writes it: x1/4, x1, x16."""
        power = self.speed_power
        return f"x1/{2**-power}" if power < 0 else f"x{2**power}"

    def change_speed(self, steps: int) -> None:
        """Go faster or slower by powers of two, within what is allowed."""
        self.speed_power = min(max(self.speed_power + steps, SLOWEST), FASTEST)
