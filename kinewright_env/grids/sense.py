"""What the kernels read of a sensor's declaration: its figures, wherever they come from."""

from typing import Protocol


class Sense(Protocol):
    """What is read of a sensor's declaration: a `kinewright_env.rig.Sensor`."""

    @property
    def key(self) -> str:
        """Name in rig and observation."""

    @property
    def period_tick(self) -> int:
        """Ticks from sample to sample."""

    @property
    def latency_tick(self) -> int:
        """Ticks from sample to frame."""

    @property
    def range_min_m(self) -> float:
        """Nearest return."""

    @property
    def range_max_m(self) -> float:
        """Farthest return."""

    @property
    def ahead_m(self) -> float:
        """Mount, ahead of the body's centre."""

    @property
    def half_angle_rad(self) -> float:
        """Half of the field's angle."""

    @property
    def sigma_base(self) -> tuple[float, ...]:
        """Noise at no range, mm."""

    @property
    def sigma_per_unit(self) -> tuple[float, ...]:
        """Noise that grows with the range, mm a mm."""
