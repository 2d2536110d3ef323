"""What tests of the grid kernels compare with: plain Python that shares no code with them."""

import heapq
import itertools
import math

import numpy as np

STRAIGHT, DIAGONAL = 70, 99
Cell = tuple[int, int]


def neighbours(open_cells: np.ndarray, cell: Cell):
    """Yield the cells a step leads to, and the step's length; no corner is cut."""
    row, col = cell
    n_rows, n_cols = open_cells.shape
    for up, right in itertools.product((-1, 0, 1), repeat=2):
        to = (row + up, col + right)
        if (up, right) == (0, 0) or not (0 <= to[0] < n_rows and 0 <= to[1] < n_cols):
            continue
        if up and right:
            if open_cells[to] and open_cells[to[0], col] and open_cells[row, to[1]]:
                yield to, DIAGONAL
        elif open_cells[to]:
            yield to, STRAIGHT


def least_costs(prices: np.ndarray, starts: dict[Cell, int]) -> np.ndarray:
    """Return Dijkstra's costs from cells that cost something already, -1 where none leads."""
    costs = np.full(prices.shape, -1, np.int64)
    best = dict(starts)
    ahead = [(cost, cell) for cell, cost in starts.items()]
    heapq.heapify(ahead)
    while ahead:
        cost, cell = heapq.heappop(ahead)
        if cost > best[cell]:
            continue
        costs[cell] = cost
        for to, length in neighbours(prices > 0, cell):
            further = cost + length * int(prices[to])
            if further < best.get(to, math.inf):
                best[to] = further
                heapq.heappush(ahead, (further, to))
    return costs


def route_cost(prices: np.ndarray, cells: np.ndarray) -> int:
    """Return what a route costs; every step must be one that leads somewhere."""
    cost = 0
    for before, after in itertools.pairwise(map(tuple, cells.tolist())):
        lengths = dict(neighbours(prices > 0, before))
        assert after in lengths, f"no step leads from {before} to {after}"
        cost += lengths[after] * int(prices[after])
    return cost


def squared_distances(occupied: np.ndarray, cap: int) -> np.ndarray:
    """Return squared distances from centres to the nearest occupied square, half cells."""
    out = np.full(occupied.shape, cap, np.int64)
    rows, cols = np.indices(occupied.shape)
    for row, col in np.argwhere(occupied):
        up = np.maximum(0, 2 * abs(rows - row) - 1)
        right = np.maximum(0, 2 * abs(cols - col) - 1)
        out = np.minimum(out, up * up + right * right)
    return out


def flooded(open_cells: np.ndarray, start: Cell) -> set[Cell]:
    """Return the cells that straight steps lead to, the start's own included."""
    seen, ahead = {start}, [start]
    while ahead:
        row, col = ahead.pop()
        for to in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            inside = 0 <= to[0] < open_cells.shape[0] and 0 <= to[1] < open_cells.shape[1]
            if inside and to not in seen and open_cells[to]:
                seen.add(to)
                ahead.append(to)
    return seen


def cells_of(drawing: str) -> tuple[np.ndarray, dict[str, Cell]]:
    """Return states and named cells of a drawing: # occupied, . free, ? unknown, letters free."""
    lines = drawing.split()
    marks = {"#": 2, ".": 1, "?": 0}
    states = np.array([[marks.get(mark, 1) for mark in line] for line in lines], np.uint8)
    named = {
        mark: (row, col)
        for row, line in enumerate(lines)
        for col, mark in enumerate(line)
        if mark not in marks
    }
    return states, named
