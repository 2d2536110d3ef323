"""What the sensors of a shell read, on the map: each as what it sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .camera import Camera
from .lights import draw_lights
from .points import draw_points
from .pygame_loader import pygame
from .revolution import draw_scan
from .sight import Drawing, Label, Sight
from .targets import draw_radar
from .track import Moment, Track
from .wedges import draw_beam, draw_cone, draw_grid

if TYPE_CHECKING:
    from ..rig import Sensor
    from ..shells import Shell

# By key, in the order they are laid over each other; others show in the panel.
ON_MAP: dict[str, Drawing] = {
    "lio": draw_points,
    "scan": draw_scan,
    "cone": draw_cone,
    "beam": draw_beam,
    "grid": draw_grid,
    "radar": draw_radar,
}


class Sensors:
    """Draws what the rig of one shell reads."""

    def __init__(self, sensors: tuple[Sensor, ...], shell: Shell) -> None:
        self._sensors = {sensor.key: sensor for sensor in sensors}
        self._shell = shell

    @property
    def on_map(self) -> tuple[str, ...]:
        """The keys of the sensors that can be shown and hidden, in the rig's order."""
        return tuple(key for key in self._sensors if key in ON_MAP)

    def draw(
        self,
        surface: pygame.Surface,
        camera: Camera,
        moment: Moment,
        track: Track,
        shows: Callable[[str], bool],
    ) -> list[Label]:
        """Draw the newest frame of each sensor that is shown; returns their numbers."""
        labels: list[Label] = []
        for key, drawing in ON_MAP.items():
            frame = moment.frames.get(key)
            if frame is None or frame.tick < 0 or key not in self._sensors or not shows(key):
                continue
            sensor = self._sensors[key]
            ahead_m = self._shell.body_ahead_m + sensor.ahead_m
            sight = Sight(sensor, ahead_m, frame, track, moment.tick)
            labels += drawing(surface, camera, sight)
        return labels

    def draw_lights(self, surface: pygame.Surface, camera: Camera, moment: Moment) -> None:
        """Draw what lies on the shell itself: the bumpers' lights."""
        frame = moment.frames.get("bumpers")
        if frame is not None and frame.tick >= 0 and "bumpers" in self._sensors:
            draw_lights(surface, camera, self._shell, moment.pose, frame)
