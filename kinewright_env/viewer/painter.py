"""The whole picture of one moment on one surface; no display is needed or touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..layers import TextLayer
from .backdrop import Backdrop
from .body import Body
from .camera import Camera
from .captions import Captions
from .layer_list import TRAIL, LayerList
from .overlays import draw_layer
from .panel import Panel, areas
from .pygame_loader import pygame
from .sensors import Sensors
from .shapes import arc_units, disc, ring, stroke, veil
from .sight import Label
from .solids import Outlines
from .state import ViewState
from .style import ACCENT, ACCENT_PALE, ALARM, DRAWN, FLOOR, GOAL, mix
from .text import Text
from .track import Moment, Track

if TYPE_CHECKING:
    from ..rig import Rig
    from ..scene import Scene
    from ..shells import Shell

TRAIL_PARTS = 20
TRAIL_SPACING_PX = 3.0


class Painter:
    """Draws the moments of one drive.

    Parameters
    ----------
    scene, shell, rig
        What the drive is made of.
    size_px : (width, height)
        Of the picture.
    """

    def __init__(self, scene: Scene, shell: Shell, rig: Rig, size_px: tuple[int, int]) -> None:
        self.scene_name = scene.name
        self.track = Track(rig.sensors)
        self.tick = 0
        self.place_m = (scene.start.x_m, scene.start.y_m)
        self.surface = pygame.Surface(size_px, 0, 32)
        self._outlines = Outlines(scene)
        self._backdrop = Backdrop(self._outlines)
        self._body = Body(shell)
        self._sensors = Sensors(rig.sensors, shell)
        self._panel = Panel(scene, shell, rig.sensors, self._outlines.names)
        self._captions = Captions(self._outlines)
        self._text = Text()
        self.layers = LayerList(self._sensors.on_map)
        self._map_area, self._panel_area = areas(size_px)
        self.camera = Camera(self._outlines.bounds_m(), self._map_area)

    def resize(self, size_px: tuple[int, int]) -> None:
        """Draw pictures of another size from now on."""
        if size_px != self.surface.get_size():
            self.surface = pygame.Surface(size_px, 0, 32)
            self._map_area, self._panel_area = areas(size_px)
            self.camera.resize(self._map_area)

    def forget(self) -> None:
        """Begin a new drive of the same scene."""
        self.track.clear()

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture as a fresh array (height, width, 3)."""
        width, height = self.surface.get_size()
        data = bytearray(pygame.image.tobytes(self.surface, "RGB"))
        return np.frombuffer(data, np.uint8).reshape(height, width, 3)

    def draw(self, moment: Moment, state: ViewState) -> None:
        """Draw a moment of the track on `surface`."""
        surface, camera = self.surface, self.camera
        self.tick, self.place_m = moment.tick, moment.pose[:2]
        self.layers.meet(layer.name for layer in moment.snapshot.layers)
        camera.follow(*moment.pose[:2])
        surface.set_clip(self._map_area)
        surface.fill(FLOOR)
        self._backdrop.blit(surface, camera, moment.snapshot.present)
        labels = self._map(moment)
        self._captions.draw(surface, camera, moment, state, labels)
        self._draw_path(state)
        surface.set_clip(None)
        self._panel.draw(surface, self._panel_area, moment, state, self.layers)
        if state.help_shown:
            self._captions.help(surface, state.key_table)

    def _map(self, moment: Moment) -> list[Label]:
        """Draw all that lies on the map; returns the numbers that could be written there."""
        surface, camera, shows = self.surface, self.camera, self.layers.shows
        layers = [layer for layer in moment.snapshot.layers if not isinstance(layer, TextLayer)]
        for layer in layers:
            if shows(layer.name):
                draw_layer(surface, camera, layer, self._text)
        self._goal(moment)
        labels = self._sensors.draw(surface, camera, moment, self.track, shows)
        if shows(TRAIL):
            self._trail(moment)
        self._body.draw(surface, camera, moment)
        self._sensors.draw_lights(surface, camera, moment)
        self._touched(moment)
        return labels

    def _goal(self, moment: Moment) -> None:
        if moment.snapshot.goal_m is None:
            return
        x_m, y_m, radius_m = moment.snapshot.goal_m
        place, radius = self.camera.pixel(x_m, y_m), radius_m * self.camera.scale_pxpm
        circle = np.array(place) + radius * arc_units(np.linspace(0.0, 2.0 * np.pi, 72))
        veil(self.surface, circle, GOAL, 40)
        ring(self.surface, place, max(radius, 5.0), GOAL, 2)
        disc(self.surface, place, 3, GOAL)

    def _trail(self, moment: Moment) -> None:
        """Draw where the pivot has been, the older the paler."""
        runs: list[list[tuple[float, float]]] = [[]]
        for point in self.track.trail.points:
            if point.tick > moment.tick:
                break
            if not point.joined:
                runs.append([])
            runs[-1].append((point.x_m, point.y_m))
        runs[-1].append(moment.pose[:2])
        total = sum(len(run) for run in runs)
        drawn = 0
        for run in runs:
            parts = max(TRAIL_PARTS * len(run) // total, 1)
            ages = [(drawn + len(run) * (part + 1) / parts) / total for part in range(parts)]
            colors = [mix(ACCENT_PALE, ACCENT, age) for age in ages]
            points = _thinned(self.camera.pixels(np.array(run).reshape(-1, 2)))
            stroke(self.surface, points, colors, 3)
            drawn += len(run)

    def _touched(self, moment: Moment) -> None:
        """Outline the solid that the shell is in contact with."""
        solid = moment.snapshot.contact_solid
        if not 0 <= solid < len(self._outlines.names):
            return
        radius = float(self._outlines.radius_m[solid]) * self.camera.scale_pxpm
        if radius > 0.0:
            x_m, y_m = self._outlines.center_m[solid].tolist()
            ring(self.surface, self.camera.pixel(x_m, y_m), radius, ALARM, 3)
        else:
            corners = self.camera.pixels(self._outlines.corners_m[solid])
            stroke(self.surface, corners, ALARM, 3, closed=True)

    def _draw_path(self, state: ViewState) -> None:
        if state.path_m:
            stroke(self.surface, self.camera.pixels(np.array(state.path_m)), DRAWN, 3)


def _thinned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points (n, 2) without those that follow another too closely to be seen."""
    if len(points) < 3:
        return points
    steps = np.hypot(*np.diff(points, axis=0).T)
    bins = np.floor(np.concatenate([[0.0], np.cumsum(steps)]) / TRAIL_SPACING_PX)
    kept = np.concatenate([[True], bins[1:] != bins[:-1]])
    kept[-1] = True
    thinned: NDArray[np.float64] = points[kept]
    return thinned
