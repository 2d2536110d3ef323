"""The benchmark's rows as text: a table of the runs and one of the agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .bench import BenchRow, Summary
from .core import TICKS_PER_SECOND
from .runner import Result

NOTHING = "-"
ROOT_SIGNS = 16  # of a root in a table; JSON has it whole

_OF_RUN: Mapping[str, Callable[[BenchRow], str]] = {
    "agent": lambda row: row.run.agent,
    "scene": lambda row: row.run.scene,
    "shell": lambda row: row.shell or NOTHING,
    "steering": lambda row: row.run.steering,
    "seed": lambda row: str(row.run.seed),
}
_OF_RESULT: Mapping[str, Callable[[Result], str]] = {
    "verdict": lambda result: result.verdict or "none",
    "true": lambda result: _yes_or_no(result.honest),
    "time": lambda result: f"{result.time_s:.1f} s",
    "length": lambda result: f"{result.length_m:.2f} m",
    "SPL": lambda result: NOTHING if result.spl is None else f"{result.spl:.2f}",
    "contact": lambda result: (
        f"{result.contact_ticks / TICKS_PER_SECOND:.2f} s" if result.contact_ticks else "none"
    ),
    "clearance": lambda result: (
        NOTHING if result.min_clearance_m is None else f"{result.min_clearance_m:.3f} m"
    ),
    "decisions": lambda result: str(result.decisions),
    "plans": lambda result: str(result.plans),
    "switches": lambda result: str(result.switches),
    "pace": lambda result: f"x{result.time_s / max(result.wall_s, 1e-9):.0f}",
}
_OF_SUMMARY: Mapping[str, Callable[[Summary], str]] = {
    "agent": lambda part: part.agent,
    "runs": lambda part: str(part.runs),
    "right": lambda part: str(part.right),
    "wrong": lambda part: str(part.wrong),
    "unexpected": lambda part: str(part.unexpected),
    "contacts": lambda part: str(part.contacts),
    "errors": lambda part: str(part.errors),
    "reached": lambda part: str(part.reached),
    "time": lambda part: NOTHING if part.median_time_s is None else f"{part.median_time_s:.1f} s",
    "SPL": lambda part: NOTHING if part.mean_spl is None else f"{part.mean_spl:.2f}",
    "root": lambda part: part.root[:ROOT_SIGNS],
}
_ALWAYS = ("agent", "scene")


def run_table(rows: Sequence[BenchRow]) -> list[list[str]]:
    """Return a table's lines of cells, its head first.

    What is the same in every run beside agent and scene has no column; see `alike`.
    """
    shared = alike(rows)
    keys = [name for name in _OF_RUN if name not in shared]
    lines = [[*keys, *_OF_RESULT, "expected", "finding"]]
    for row in rows:
        cells = [_OF_RUN[name](row) for name in keys]
        if row.result is None:
            cells += [NOTHING] * len(_OF_RESULT)
        else:
            cells += [tell(row.result) for tell in _OF_RESULT.values()]
        lines.append([*cells, _yes_or_no(row.expected), row.finding])
    return lines


def alike(rows: Sequence[BenchRow]) -> dict[str, str]:
    """Return shell, steering and seed where all runs have the same."""
    values = {
        name: {tell(row) for row in rows} for name, tell in _OF_RUN.items() if name not in _ALWAYS
    }
    return {name: next(iter(found)) for name, found in values.items() if len(found) == 1}


def error_lines(rows: Sequence[BenchRow]) -> list[str]:
    """Return each error once, with the run that had it first and how many more did."""
    having: dict[str, list[BenchRow]] = {}
    for row in rows:
        if row.error:
            having.setdefault(row.error, []).append(row)
    lines = []
    for error, group in having.items():
        more = f" and {len(group) - 1} more" if len(group) > 1 else ""
        lines.append(f"{group[0].run.agent} in {group[0].run.scene}{more}: {error}")
    return lines


def summary_table(parts: Sequence[Summary]) -> list[list[str]]:
    """Return the lines of cells of the agents' table, its head first."""
    return [[*_OF_SUMMARY], *([tell(part) for tell in _OF_SUMMARY.values()] for part in parts)]


def _yes_or_no(value: bool | None) -> str:
    return NOTHING if value is None else "yes" if value else "no"
