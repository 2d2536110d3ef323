"""Moves over a grid map: to the eight cells around, at the step's length or at a risk's price."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

Indices = tuple[int, int]

# Straight moves; each diagonal one goes between a move along i and one along j.
STRAIGHT: tuple[Indices, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONAL: tuple[Indices, ...] = ((1, 1), (-1, 1), (-1, -1), (1, -1))


class Occupancy(Protocol):
    """What a dynamics model asks of a grid map."""

    @property
    def cell_m(self) -> float:
        """Edge of a cell."""

    def robot_can_occupy(self, indices: Indices) -> bool:
        """Whether the robot can be there."""

    def occupancy_probability(self, indices: Indices) -> float:
        """How likely the robot cannot be there."""


class GridDynamics:
    """Steps to the eight cells around, each at its length in metres.

    Only cells that the robot can occupy are entered. A diagonal step needs both cells beside
    it free: no cutting of corners.
    """

    def __init__(self, world_map: Occupancy) -> None:
        self._can_occupy = world_map.robot_can_occupy
        self._straight_m = world_map.cell_m
        self._diagonal_m = math.sqrt(2.0) * world_map.cell_m

    def successors(self, indices: Indices) -> Iterator[tuple[Indices, float]]:
        """Yield each cell that can be entered from this one, and the step's length."""
        i, j = indices
        free = [self._can_occupy((i + di, j + dj)) for di, dj in STRAIGHT]
        for (di, dj), is_free in zip(STRAIGHT, free, strict=True):
            if is_free:
                yield (i + di, j + dj), self._straight_m
        for (di, dj), before, after in zip(DIAGONAL, free, free[1:] + free[:1], strict=True):
            if before and after and self._can_occupy((i + di, j + dj)):
                yield (i + di, j + dj), self._diagonal_m


class GridCostDynamics:
    """The same steps, each priced by how likely its cell is occupied.

    A step of length d into a cell that is occupied with probability p costs d / (1 - p): what
    it takes on average to get through, if each try succeeds with 1 - p. Where p is 1 there is
    no step.
    """

    def __init__(self, world_map: Occupancy) -> None:
        self._probability = world_map.occupancy_probability
        self._straight_m = world_map.cell_m
        self._diagonal_m = math.sqrt(2.0) * world_map.cell_m

    def successors(self, indices: Indices) -> Iterator[tuple[Indices, float]]:
        """Yield each cell that can be entered from this one, and the step's price."""
        i, j = indices
        free = [1.0 - self._probability((i + di, j + dj)) for di, dj in STRAIGHT]
        for (di, dj), chance in zip(STRAIGHT, free, strict=True):
            if chance > 0.0:
                yield (i + di, j + dj), self._straight_m / chance
        for (di, dj), before, after in zip(DIAGONAL, free, free[1:] + free[:1], strict=True):
            if before > 0.0 and after > 0.0:
                chance = 1.0 - self._probability((i + di, j + dj))
                if chance > 0.0:
                    yield (i + di, j + dj), self._diagonal_m / chance
