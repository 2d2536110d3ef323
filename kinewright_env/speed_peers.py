"""Our planner beside others that are installed, on the same grids and queries, in one process.

Each is given the grid in the form in which it is fastest, made before the clock starts; what
a call then does to the grid (checks, copies) counts. A route is for the same start and goal,
but each minimises a cost of its own model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .grids import Outcome, PriceSearch
from .speed_grids import GRIDS, priced

SIDE: Final = 1024
QUERIES: Final = 4
SEED: Final = 1
OURS: Final = "this planner"

Row = tuple[str, str, float, str, float | None]
"""Group, name, value, unit, and what it must be at least."""

Cell = tuple[int, int]
Query = tuple[Cell, Cell]
Plan = Callable[[Cell, Cell], Any]
"""From start and goal to a route, None where there is none."""


def _ours(search: PriceSearch) -> list[Plan]:
    return [lambda start, goal: search.plan(start, [goal])]


def _pyastar2d(module: Any, prices: NDArray[np.uint8]) -> list[Plan]:
    """Float32, infinite where closed.

    Its estimate takes the least weight to be 1, so weights may be scaled to that: now this is
    faster, now that.
    """
    weights = np.where(prices > 0, prices, np.inf).astype(np.float32)
    scaled = weights / weights.min()
    return [partial(module.astar_path, of, allow_diagonal=True) for of in (weights, scaled)]


def _semita(module: Any, prices: NDArray[np.uint8]) -> list[Plan]:
    """Contiguous float64, nought where closed, is read as it is."""
    return [partial(module.cheapest_path, prices.astype(np.float64))]


PEERS: Final[dict[str, Callable[[Any, NDArray[np.uint8]], list[Plan]]]] = {
    "pyastar2d": _pyastar2d,
    "semita": _semita,
}
"""By the name of package and module: what makes a grid ready, in each form worth trying."""


def installed(peer: str) -> bool:
    """Whether a peer could be imported, without doing so."""
    return find_spec(peer) is not None


def figure_count(peers: Sequence[str]) -> int:
    """Return how many rows there are beside so many peers."""
    return len(GRIDS) * (2 + 2 * len(peers))


def rows(peers: Sequence[str], *, quick: bool) -> Iterator[Row]:
    """Measure, and yield each figure as it is known.

    CPU time, turn and turn about: of each query the least of several runs, and the mean of
    the queries.

    Parameters
    ----------
    peers : sequence of str
        Of `PEERS`, installed.
    quick : bool
        Fewer runs.

    Raises
    ------
    ValueError
        Where a peer finds no route and ours does: it has not done the same work.
    """
    modules = {peer: import_module(peer) for peer in peers}
    for title, make in GRIDS.items():
        rng = np.random.default_rng(SEED)
        prices = priced(make(SIDE, rng))
        search = PriceSearch(prices)
        queries = _queries(search, prices, rng)
        plans = {OURS: _ours(search)}
        for peer, module in modules.items():
            plans[peer] = PEERS[peer](module, prices)
        costs = _costs_ms(plans, queries, 3 if quick else 7)
        group = f"{title}, {SIDE} x {SIDE}"
        yield group, OURS, costs[OURS], "ms", None
        for peer in peers:
            yield group, f"{peer} {metadata.version(peer)}", costs[peer], "ms", None
            yield group, f"{peer} over {OURS}", costs[peer] / costs[OURS], "x", 1.0
        ready_ms = min(_cost_ms(partial(search.set_prices, prices)) for _ in range(5))
        yield group, f"{OURS} made ready for other prices, not in it", ready_ms, "ms", None


def _queries(
    search: PriceSearch, prices: NDArray[np.uint8], rng: np.random.Generator
) -> list[Query]:
    """Return starts and goals, half the grid or more apart, with a route between."""
    open_cells = np.argwhere(prices > 0)
    queries: list[Query] = []
    while len(queries) < QUERIES:
        (row, col), (to_row, to_col) = open_cells[rng.integers(len(open_cells), size=2)].tolist()
        far = max(abs(row - to_row), abs(col - to_col)) >= SIDE // 2
        if far and search.plan((row, col), [(to_row, to_col)]).outcome is Outcome.FOUND:
            queries.append(((row, col), (to_row, to_col)))
    return queries


def _costs_ms(plans: dict[str, list[Plan]], queries: list[Query], turns: int) -> dict[str, float]:
    """Return what each planner takes for a query, in the mean, in its fastest form."""
    least = {name: np.full((len(forms), len(queries)), np.inf) for name, forms in plans.items()}
    for _ in range(turns):
        for number, query in enumerate(queries):
            for name, forms in plans.items():
                for form, plan in enumerate(forms):
                    taken_ms = _taken_ms(name, plan, query)
                    least[name][form, number] = min(least[name][form, number], taken_ms)
    return {name: float(costs.mean(axis=1).min()) for name, costs in least.items()}


def _taken_ms(name: str, plan: Plan, query: Query) -> float:
    began_s = time.process_time()
    route = plan(*query)
    taken_ms = 1e3 * (time.process_time() - began_s)
    if route is None:
        raise ValueError(f"{name} finds no route from {query[0]} to {query[1]}; there is one")
    return taken_ms


def _cost_ms(call: Callable[[], Any]) -> float:
    began_s = time.process_time()
    call()
    return 1e3 * (time.process_time() - began_s)
