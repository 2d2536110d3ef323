"""Reads a scene's table whole and checks it, key by key.

Every error names the file, the key (lists are counted from 1, as `after_change` counts),
the value and what is allowed.
"""

from __future__ import annotations

import re
from math import isfinite, sqrt
from numbers import Integral, Real
from typing import Any, Final, cast

from .core import GOAL_CHANGES_MAX, GOALS_MAX
from .errors import SceneError
from .grids import TICKS_PER_SECOND
from .scene_parts import Armed, Box, Change, Goal, GoalChange, Post, Start, Wall
from .scene_table import Table, shown
from .shells import SHELLS
from .verdicts import SPEAKS_OF_WORLD, VERDICTS

FORMAT: Final = 1
GOAL_RADIUS_M: Final = 0.15
"""A goal's radius where the scene leaves it out (api.md)."""
COORDINATE_LIMIT_M: Final = 1000.0
SIZE_MIN_M: Final = 1e-6
SIZE_LIMIT_M: Final = 2000.0
"""The greatest length inside the limits of the coordinates, along an axis."""
TICK_S: Final = 1.0 / TICKS_PER_SECOND
TIME_LIMIT_S: Final = 86_400.0
SOLIDS_LIMIT: Final = 2**20
GOALS_LIMIT: Final = GOALS_MAX
GOAL_CHANGES_LIMIT: Final = GOAL_CHANGES_MAX
CHANGES_LIMIT: Final = 1024
NAME_LIMIT: Final = 100
TITLE_LIMIT: Final = 200

_TRUTHS = tuple(verdict for verdict, of_world in SPEAKS_OF_WORLD.items() if of_world)
_KEYS = (
    *("format", "name", "title", "time_limit_s", "start", "goal", "goals", "shell"),
    *("truth", "truth_gap_m", "truth_rooms", "expect", "skills", "source"),
    *("wall", "box", "post", "change", "goal_change"),
)
_PIVOT_BEYOND = re.compile(r"\s*([xy])\s*([<>])\s*([+-]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20}))\s*")
_SOURCE_KEY = re.compile(r"[a-z][a-z0-9_]*")


def read_scene(values: object, file: str) -> dict[str, Any]:
    """Return the fields of a `Scene` from a scene's table.

    Parameters
    ----------
    values : object
        What the file holds, as `tomllib` gives it.
    file : str
        Named in errors.

    Raises
    ------
    SceneError
        At the first thing that is not as the format asks.
    """
    scene = Table(values, file, "scene")
    scene.path = ""
    form = scene.integer("format", FORMAT, FORMAT)
    scene.only(_KEYS)
    fields: dict[str, Any] = {
        "format": form,
        "name": scene.text("name", NAME_LIMIT),
        "title": scene.text("title", TITLE_LIMIT),
        "time_limit_s": scene.number("time_limit_s", TICK_S, TIME_LIMIT_S),
        "start": _pose(scene.table("start")),
        "goals": _goals(scene),
        "skills": scene.texts("skills", NAME_LIMIT),
        "expect": _expect(scene),
        "shell": scene.choice("shell", tuple(SHELLS)) if "shell" in scene.values else None,
        "source": _source(scene),
        **_truth(scene),
        **_solids(scene),
    }
    solids = {s.name for kind in ("walls", "boxes", "posts") for s in fields[kind]}
    fields["changes"] = _changes(scene, solids, len(fields["goals"]))
    fields["goal_changes"] = _goal_changes(scene, len(fields["goals"]))
    return fields


def _coordinate(table: Table, name: str) -> float:
    return table.number(name, -COORDINATE_LIMIT_M, COORDINATE_LIMIT_M)


def _point(table: Table, name: str) -> tuple[float, float]:
    return table.pair(name, -COORDINATE_LIMIT_M, COORDINATE_LIMIT_M)


def _size(table: Table, name: str) -> float:
    return table.number(name, SIZE_MIN_M, SIZE_LIMIT_M)


def _heading(table: Table) -> float:
    return table.number("heading_deg", -360.0, 360.0, default=0.0)


def _pose(table: Table) -> Start:
    table.only(("x", "y", "heading_deg"))
    return Start(
        x_m=_coordinate(table, "x"), y_m=_coordinate(table, "y"), heading_deg=_heading(table)
    )


def _goals(scene: Table) -> tuple[Goal, ...]:
    if "goal" in scene.values and "goals" in scene.values:
        scene.refuse("goals", "give either goal or goals")
    tables = [scene.table("goal")] if "goal" in scene.values else scene.tables("goals")
    if len(tables) > GOALS_LIMIT:
        scene.refuse("goals", f"at most {GOALS_LIMIT} goals")
    return tuple(_goal(table) for table in tables)


def _goal(table: Table) -> Goal:
    table.only(("x", "y", "radius"))
    radius = table.number("radius", SIZE_MIN_M, COORDINATE_LIMIT_M, default=GOAL_RADIUS_M)
    return Goal(x_m=_coordinate(table, "x"), y_m=_coordinate(table, "y"), radius_m=radius)


def _truth(scene: Table) -> dict[str, Any]:
    given = scene.values
    truth = scene.choice("truth", _TRUTHS) if "truth" in given else None
    for name, verdict in (("truth_gap_m", "no_way_for_body"), ("truth_rooms", "map_complete")):
        if name in given and truth != verdict:
            scene.refuse(name, f"stands beside truth = {verdict!r} only")
    return {
        "truth": truth,
        "truth_gap_m": scene.number("truth_gap_m", 0.0, SIZE_LIMIT_M)
        if "truth_gap_m" in given
        else None,
        "truth_rooms": scene.integer("truth_rooms", 0, 10**6) if "truth_rooms" in given else None,
    }


def _expect(scene: Table) -> dict[str, tuple[str, ...]]:
    if "expect" not in scene.values:
        return {}
    table = scene.table("expect")
    ends: dict[str, tuple[str, ...]] = {}
    for agent in table.values:
        if not isinstance(agent, str) or not agent.isprintable() or not agent.strip():
            raise SceneError(f"{table.file}: expect: {shown(agent)}: must be an agent's name")
        ends[agent] = table.texts(agent, NAME_LIMIT)
        unknown = [verdict for verdict in ends[agent] if verdict not in VERDICTS]
        if unknown or not ends[agent]:
            Table({agent: unknown[0] if unknown else []}, table.file, "expect").choice(
                agent, VERDICTS
            )
    return ends


def _source(scene: Table) -> dict[str, str | float] | None:
    if "source" not in scene.values:
        return None
    table = scene.table("source")
    source: dict[str, str | float] = {}
    for name, value in table.values.items():
        if not isinstance(name, str) or not _SOURCE_KEY.fullmatch(name):
            raise SceneError(
                f"{table.file}: source: {shown(name)}: a key is lower-case letters, digits and _"
            )
        if isinstance(value, str):
            source[name] = table.text(name, TITLE_LIMIT)
        elif isinstance(value, Real) and not isinstance(value, bool):
            number = table.number(name, -1e15, 1e15)
            source[name] = int(number) if isinstance(value, Integral) else number
        else:
            table.refuse(name, "must be a string or a number")
    return source


def _solids(scene: Table) -> dict[str, tuple[Any, ...]]:
    readers = {"wall": ("walls", _wall), "box": ("boxes", _box), "post": ("posts", _post)}
    if sum(len(scene.items(key)) for key in readers) > SOLIDS_LIMIT:
        raise SceneError(f"{scene.file}: wall, box, post: at most {SOLIDS_LIMIT} solids")
    first: dict[str, str] = {}
    solids: dict[str, tuple[Any, ...]] = {}
    for key, (field, read) in readers.items():
        tables = scene.tables(key)
        solids[field] = tuple(read(table) for table in tables)
        for table, solid in zip(tables, solids[field], strict=True):
            if solid.name in first:
                table.refuse("name", f"already the name of {first[solid.name]}")
            first[solid.name] = table.path
    return solids


def _wall(table: Table) -> Wall:
    table.only(("name", "from", "to", "thickness", "height"))
    wall = Wall(
        name=table.text("name", NAME_LIMIT),
        from_m=_point(table, "from"),
        to_m=_point(table, "to"),
        thickness_m=_size(table, "thickness"),
        height_m=_size(table, "height"),
    )
    (x0, y0), (x1, y1) = wall.from_m, wall.to_m
    if sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2) < SIZE_MIN_M:
        table.refuse("to", f"must lie at least {SIZE_MIN_M:g} m from `from`")
    return wall


def _box(table: Table) -> Box:
    table.only(("name", "center", "size", "heading_deg", "height"))
    return Box(
        name=table.text("name", NAME_LIMIT),
        center_m=_point(table, "center"),
        size_m=table.pair("size", SIZE_MIN_M, SIZE_LIMIT_M),
        heading_deg=_heading(table),
        height_m=_size(table, "height"),
    )


def _post(table: Table) -> Post:
    table.only(("name", "center", "radius", "height"))
    return Post(
        name=table.text("name", NAME_LIMIT),
        center_m=_point(table, "center"),
        radius_m=_size(table, "radius"),
        height_m=_size(table, "height"),
    )


def _changes(scene: Table, solids: set[str], n_goals: int) -> tuple[Change, ...]:
    tables = scene.tables("change")
    if len(tables) > CHANGES_LIMIT:
        scene.refuse("change", f"at most {CHANGES_LIMIT} changes")
    changes = tuple(_change(table, solids, len(tables), n_goals) for table in tables)
    for table, change in zip(tables, changes, strict=True):
        _refuse_circle(table, change, changes)
    return changes


def _change(table: Table, solids: set[str], n_changes: int, n_goals: int) -> Change:
    action = table.choice("action", ("appear", "vanish", "kidnap"))
    what = "pose" if action == "kidnap" else "solid"
    table.only(("action", "armed", what))
    armed = _armed(table.table("armed"), n_changes, n_goals)
    if action == "kidnap":
        return Change(action="kidnap", armed=armed, pose=_pose(table.table("pose")))
    solid = table.text("solid", NAME_LIMIT)
    if solid not in solids:
        table.choice("solid", sorted(solids))
    return Change(action=cast(Any, action), armed=armed, solid=solid)


def _armed(table: Table, n_changes: int, n_goals: int) -> Armed:
    forms = ("after_s", "pivot_beyond", "after_change", "at_goal")
    table.only(forms)
    if len(table.values) != 1:
        raise SceneError(f"{table.file}: {table.path}: must hold one of {', '.join(forms)}")
    (by,) = table.values
    if by == "after_s":
        return Armed(by="after_s", value=table.number(by, 0.0, TIME_LIMIT_S))
    if by == "pivot_beyond":
        return _pivot_beyond(table)
    count, what = (n_changes, "changes") if by == "after_change" else (n_goals, "goals")
    if not count:
        table.refuse(by, f"the scene has no {what}")
    return Armed(by=by, value=float(table.integer(by, 1, count)))


def _pivot_beyond(table: Table) -> Armed:
    name = "pivot_beyond"
    value = table.need(name)
    match = _PIVOT_BEYOND.fullmatch(value) if isinstance(value, str) and value.isascii() else None
    if match is None or not isfinite(line := float(match[3])) or abs(line) > COORDINATE_LIMIT_M:
        table.refuse(
            name,
            f"must be x or y, < or >, a number within {COORDINATE_LIMIT_M:g}, such as 'x > 2.1'",
        )
    return Armed(
        by="pivot_beyond", value=line + 0.0, axis=cast(Any, match[1]), side=cast(Any, match[2])
    )


def _refuse_circle(table: Table, change: Change, changes: tuple[Change, ...]) -> None:
    waited = change
    for _ in changes:
        if waited.armed.by != "after_change":
            return
        waited = changes[waited.armed.number]
    table.table("armed").refuse("after_change", "waits for itself, so it can never come")


def _goal_changes(scene: Table, n_goals: int) -> tuple[GoalChange, ...]:
    tables = scene.tables("goal_change")
    if len(tables) > GOAL_CHANGES_LIMIT:
        scene.refuse("goal_change", f"at most {GOAL_CHANGES_LIMIT} changes of a goal")
    if tables and not n_goals:
        scene.refuse("goal_change", "the scene has no goal")
    for table in tables:
        table.only(("at_s", "x", "y"))
    return tuple(
        GoalChange(
            at_s=table.number("at_s", TICK_S, TIME_LIMIT_S),
            x_m=_coordinate(table, "x"),
            y_m=_coordinate(table, "y"),
        )
        for table in tables
    )
