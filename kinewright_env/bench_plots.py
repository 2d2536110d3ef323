"""The benchmark's rows as plots: verdicts by agent and scene, and what the drives measured."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymnasium.error import DependencyNotInstalled

from .bench import BenchRow
from .cli_output import write_whole
from .runner import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDS_MATPLOTLIB = 'plots need matplotlib: pip install "kinewright[plot]"'
DPI = 120
ROWS_MOST = 60  # of a plot; beyond them nobody reads the names

# By the worst finding of a cell's runs; beyond findings by what the verdicts speak of.
COLORS: Mapping[str, str] = {
    "contact": "#d9534f",
    "false verdict": "#e88b2e",
    "unexpected end": "#f0c75e",
    "error": "#b5b5b5",
    "true": "#7fbf7b",
    "on the agent": "#c9dcef",
}
AGENT_COLORS = ("#2e6ebf", "#d9662e", "#3d9a5f", "#8a5cc2", "#b8434e", "#6b6b6b", "#c2a01e")
MEASURES: Mapping[str, Callable[[Result], float | None]] = {
    "time, s": lambda result: result.time_s,
    "least clearance, m": lambda result: result.min_clearance_m,
    "SPL": lambda result: result.spl,
}


def require() -> None:
    """Say what is missing before anything runs.

    Raises
    ------
    DependencyNotInstalled
        If matplotlib is not there, with the pip line to type.
    """
    try:
        import matplotlib.figure  # noqa: F401, PLC0415 - only where plots are asked for
    except ImportError as error:
        raise DependencyNotInstalled(NEEDS_MATPLOTLIB) from error


def write_plots(rows: Sequence[BenchRow], folder: Path) -> list[Path]:
    """Write `verdicts.png` and `measures.png`, and return which were written.

    The scenes of one generator share a line. Files that are there are replaced.

    Raises
    ------
    DependencyNotInstalled
        If matplotlib is not there.
    """
    require()
    folder.mkdir(exist_ok=True)
    written = []
    for name, draw in (("verdicts", verdict_figure), ("measures", measure_figure)):
        if rows:
            picture = io.BytesIO()
            draw(rows).savefig(picture, format="png", dpi=DPI)
            file = folder / f"{name}.png"
            write_whole(file, picture.getvalue())
            written.append(file)
    return written


def verdict_figure(rows: Sequence[BenchRow]) -> Figure:
    """Return a matrix of scenes and agents: the commonest verdict, coloured by what is wrong."""
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.patches import Patch  # noqa: PLC0415

    places = _places(rows)
    cells = _cells(rows, places)
    columns = sorted({column for _, column in cells})
    width_in = 2.6 + 1.35 * len(columns)
    figure = Figure(figsize=(max(width_in, 6.0), 1.6 + 0.3 * len(places)), layout="constrained")
    axes = figure.add_subplot()
    for (place, column), cell in cells.items():
        x, y = columns.index(column), places.index(place)
        kind, words = _cell(cell)
        axes.barh(y, 0.94, left=x - 0.47, height=0.88, color=COLORS[kind])
        axes.text(x, y, words, ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(columns)), columns, fontsize=8)
    axes.set_yticks(range(len(places)), places, fontsize=8)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.xaxis.tick_top()
    _bare(axes)
    handles = [Patch(color=color, label=kind) for kind, color in COLORS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return figure


def measure_figure(rows: Sequence[BenchRow]) -> Figure:
    """Return time, least clearance and SPL of each run, by scene, a colour an agent."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    agents, places = sorted({row.run.agent for row in rows}), _places(rows)
    figure = Figure(figsize=(11.0, 1.6 + 0.3 * len(places)), layout="constrained")
    panels = figure.subplots(1, len(MEASURES), sharey=True)
    for axes, (title, measure) in zip(panels, MEASURES.items(), strict=True):
        for number, agent in enumerate(agents):
            shift = 0.6 * ((number + 0.5) / len(agents) - 0.5)
            points = [
                (value, places.index(_place(row, places)) + shift)
                for row in rows
                if row.run.agent == agent and row.result is not None
                if (value := measure(row.result)) is not None
            ]
            color = AGENT_COLORS[number % len(AGENT_COLORS)]
            xs, ys = [x for x, _ in points], [y for _, y in points]
            axes.scatter(
                xs, ys, s=14, color=color, alpha=0.75, label=agent, linewidths=0, clip_on=False
            )
        axes.set_title(title, fontsize=9)
        axes.set_xlim(left=0.0, right=1.0 if title == "SPL" else None)
        axes.tick_params(labelsize=8)
        axes.grid(visible=True, axis="both", color="#e4e4e4", linewidth=0.6)
        _bare(axes)
    panels[0].set_yticks(range(len(places)), places, fontsize=8)
    panels[0].set_ylim(len(places) - 0.5, -0.5)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    return figure


def _bare(axes: Any) -> None:
    """Take frame and ticks away."""
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _places(rows: Sequence[BenchRow]) -> list[str]:
    """Return the lines of a plot: scenes, those of a generator together; the rest as one."""
    places = list(dict.fromkeys(_family(row) for row in rows))
    return places if len(places) <= ROWS_MOST else [*places[: ROWS_MOST - 1], "others"]


def _place(row: BenchRow, places: Sequence[str]) -> str:
    family = _family(row)
    return family if family in places else places[-1]


def _family(row: BenchRow) -> str:
    """Return a scene's name, of a generated one all but its seed."""
    generated = re.fullmatch(r"(\w+):\d+(:.*)?", row.run.scene)
    return generated[1] + (generated[2] or "") if generated else Path(row.run.scene).stem


def _cells(
    rows: Sequence[BenchRow], places: Sequence[str]
) -> dict[tuple[str, str], list[BenchRow]]:
    """Return the rows of each line and column.

    A column is an agent, with its shell and steering where the benchmark has several.
    """
    shells, steerings = {row.run.shell for row in rows}, {row.run.steering for row in rows}
    cells: dict[tuple[str, str], list[BenchRow]] = {}
    for row in rows:
        parts = [row.run.agent]
        parts += [row.run.shell or "its own shell"] * (len(shells) > 1)
        parts += [row.run.steering] * (len(steerings) > 1)
        cells.setdefault((_place(row, places), "\n".join(parts)), []).append(row)
    return cells


def _cell(rows: Sequence[BenchRow]) -> tuple[str, str]:
    """Return a cell's kind and its words: those of the commonest verdict."""
    findings = {row.finding for row in rows}
    ends = Counter(row.result.verdict or "none" if row.result else "error" for row in rows)
    verdict, count = max(ends.items(), key=lambda item: (item[1], item[0]))
    true = any(row.result and row.result.verdict == verdict and row.result.honest for row in rows)
    usual = "true" if true else "on the agent"
    kind = next((name for name in COLORS if name in findings), usual)
    return kind, verdict if len(rows) == 1 else f"{verdict} {count}/{len(rows)}"
