"""Gamepads: one plugged in at any time drives; the one that was moved last counts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ..agent import AXIS_FULL
from .pygame_loader import pygame

# Of the raw axes and buttons as SDL numbers them on common pads: the left stick, and the
# lower of the four buttons on the right (A, or the cross).
STEER_AXIS, DRIVE_AXIS = 0, 1
BRAKE_BUTTON = 0
DEAD_ZONE = 0.12  # of a stick's way: how far worn ones rest from their middle


class Gamepad:
    """What the sticks and buttons of the pads in use say, as whole numbers.

    A machine without pads, or without leave to open them, has none: nothing fails.
    """

    def __init__(self) -> None:
        self._pads: dict[int, pygame.joystick.JoystickType] = {}
        self._axes: dict[int, list[int]] = {}
        self._newest = -1
        self._down: set[str] = set()
        self._tapped: set[str] = set()
        self.on_event: dict[int, Callable[[pygame.event.Event], None]] = {
            pygame.JOYDEVICEADDED: self._plugged_in,
            pygame.JOYDEVICEREMOVED: self._pulled_out,
            pygame.JOYAXISMOTION: self._moved,
            pygame.JOYBUTTONDOWN: self._pressed,
            pygame.JOYBUTTONUP: self._released,
        }
        with contextlib.suppress(pygame.error):
            pygame.joystick.init()
            for index in range(pygame.joystick.get_count()):
                self._open(index)

    @property
    def axes(self) -> tuple[int, int]:
        """How far the stick is pushed forward and to the left, thousandths of its way."""
        drive, steer = self._axes.get(self._newest, (0, 0))
        return drive, steer

    @property
    def buttons(self) -> frozenset[str]:
        """Names of the buttons that are down, or were pressed since the step began."""
        return frozenset(self._down | self._tapped)

    def begin_step(self) -> None:
        """Forget the buttons that were only tapped during the step before."""
        self._tapped.clear()

    def let_go(self) -> None:
        """Take every stick as centred and every button as up, until the next event."""
        self._axes.clear()
        self._down.clear()

    def close(self) -> None:
        """Give the pads back."""
        self._pads.clear()
        self.let_go()
        with contextlib.suppress(pygame.error):
            pygame.joystick.quit()

    def _open(self, index: int) -> None:
        with contextlib.suppress(pygame.error):  # it may be gone already
            pad = pygame.joystick.Joystick(index)
            self._pads[pad.get_instance_id()] = pad

    def _plugged_in(self, event: pygame.event.Event) -> None:
        self._open(event.device_index)

    def _pulled_out(self, event: pygame.event.Event) -> None:
        self._pads.pop(event.instance_id, None)
        self._axes.pop(event.instance_id, None)
        self._down.clear()

    def _moved(self, event: pygame.event.Event) -> None:
        if event.axis not in (STEER_AXIS, DRIVE_AXIS):
            return
        axes = self._axes.setdefault(event.instance_id, [0, 0])
        # SDL counts down and to the right as positive
        axes[0 if event.axis == DRIVE_AXIS else 1] = -_thousandths(event.value)
        self._newest = event.instance_id

    def _pressed(self, event: pygame.event.Event) -> None:
        if event.button == BRAKE_BUTTON:
            self._down.add("brake")
            self._tapped.add("brake")

    def _released(self, event: pygame.event.Event) -> None:
        if event.button == BRAKE_BUTTON:
            self._down.discard("brake")


def _thousandths(value: float) -> int:
    """Return how far a stick is beyond its dead zone, -1000 to 1000."""
    beyond = (min(abs(value), 1.0) - DEAD_ZONE) / (1.0 - DEAD_ZONE)
    whole = round(AXIS_FULL * max(beyond, 0.0))
    return whole if value > 0.0 else -whole
