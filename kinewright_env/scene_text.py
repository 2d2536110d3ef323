"""A scene as text: TOML for people, and the canonical form that its root is taken of."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from .errors import SceneError
from .scene_parts import Armed, Box, Change, Goal, GoalChange, Post, Start, Wall

if TYPE_CHECKING:
    from .scene import Scene

TEXT_LIMIT_BYTES: Final = 2**28

# The standard library's reader takes quadratic time over a key of very many parts. A
# scene's keys have two at most. Strings and comments are stepped over whole.
_STRING = r'"(?:[^"\\\n]|\\.)*+"?+|' + r"'[^'\n]*+'?+"
_MANY_PARTS = re.compile(
    rf"(?P<many>(?:(?:[A-Za-z0-9_-]++|{_STRING})[ \t]*+\.[ \t]*+){{8}})"
    r'|"""(?:[^\\]|\\.)*?"""' + r"|'''.*?'''" + rf"|{_STRING}|\#[^\n]*+|[A-Za-z0-9_-]++",
    re.DOTALL,
)


def read_toml(text: str, file: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises
    ------
    SceneError
        If it is not TOML, or too large or deep to be a scene.
    """
    if len(text) > TEXT_LIMIT_BYTES:
        raise SceneError(f"{file}: {len(text)} characters: at most {TEXT_LIMIT_BYTES}")
    if any(match["many"] for match in _MANY_PARTS.finditer(text)):
        raise SceneError(f"{file}: a key of more than eight parts: a scene's keys have two at most")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SceneError(f"{file}: tables or lists are nested too deeply for a scene") from None
    except ValueError as error:  # a TOMLDecodeError, or a number of too many digits
        raise SceneError(f"{file}: not TOML: {error}") from None


def decimal_text(value: float) -> str:
    """Return a number as an exact decimal: the shortest that reads back as the same double.

    Whole numbers have no point, so that 1 and 1.0 are one. No exponents.
    """
    text = repr(float(value))
    if "e" in text:
        text = format(Decimal(text), "f")
    return text[:-2] if text.endswith(".0") else text


def canonical(value: object) -> str:
    """Return a value as JSON with sorted keys, no spaces and exact decimals."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return decimal_text(value)
    if isinstance(value, Mapping):
        parts = (f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(parts) + "}"
    if isinstance(value, Iterable):
        return "[" + ",".join(map(canonical, value)) + "]"
    raise TypeError(f"a scene holds no {type(value).__name__}")


def scene_table(scene: Scene) -> dict[str, Any]:
    """Return the scene as the table its file holds, every default filled in.

    What is left out of a scene (no truth, no goal) is left out here.
    """
    table = {
        "format": scene.format,
        "name": scene.name,
        "title": scene.title,
        "time_limit_s": scene.time_limit_s,
        "shell": scene.shell,
        "start": _pose(scene.start),
        "goals": [_goal(goal) for goal in scene.goals],
        "truth": scene.truth,
        "truth_gap_m": scene.truth_gap_m,
        "truth_rooms": scene.truth_rooms,
        "expect": {agent: list(ends) for agent, ends in scene.expect.items()},
        "skills": list(scene.skills),
        "source": dict(scene.source or {}),
        "wall": [_wall(wall) for wall in scene.walls],
        "box": [_box(box) for box in scene.boxes],
        "post": [_post(post) for post in scene.posts],
        "change": [_change(change) for change in scene.changes],
        "goal_change": [_goal_change(change) for change in scene.goal_changes],
    }
    return {key: value for key, value in table.items() if value not in (None, {}, [])}


def write_toml(table: Mapping[str, Any]) -> str:
    """Return a scene's table as TOML, laid out as the shipped scenes are."""
    lines: list[str] = []
    for key, value in table.items():
        if key in _LISTED:
            for item in value:
                lines += ["", f"[[{key}]]", *(f"{k} = {_toml(v)}" for k, v in item.items())]
        elif key == "source":
            continue
        elif key == "goals" and len(value) == 1:
            lines.append(f"goal = {_toml(value[0])}")
        else:
            lines.append(f"{key} = {_toml(value)}")
    if "source" in table:
        lines += ["", "[source]", *(f"{k} = {_toml(v)}" for k, v in table["source"].items())]
    return "\n".join(lines) + "\n"


_LISTED = ("wall", "box", "post", "change", "goal_change")


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        parts = (f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(parts) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _pose(pose: Start) -> dict[str, float]:
    return {"x": pose.x_m, "y": pose.y_m, "heading_deg": pose.heading_deg}


def _goal(goal: Goal) -> dict[str, float]:
    return {"x": goal.x_m, "y": goal.y_m, "radius": goal.radius_m}


def _wall(wall: Wall) -> dict[str, Any]:
    return {
        "name": wall.name,
        "from": list(wall.from_m),
        "to": list(wall.to_m),
        "thickness": wall.thickness_m,
        "height": wall.height_m,
    }


def _box(box: Box) -> dict[str, Any]:
    return {
        "name": box.name,
        "center": list(box.center_m),
        "size": list(box.size_m),
        "heading_deg": box.heading_deg,
        "height": box.height_m,
    }


def _post(post: Post) -> dict[str, Any]:
    return {
        "name": post.name,
        "center": list(post.center_m),
        "radius": post.radius_m,
        "height": post.height_m,
    }


def _armed(armed: Armed) -> dict[str, Any]:
    if armed.by == "pivot_beyond":
        return {armed.by: f"{armed.axis} {armed.side} {decimal_text(armed.value)}"}
    return {armed.by: armed.value if armed.by == "after_s" else int(armed.value)}


def _change(change: Change) -> dict[str, Any]:
    moved = {"solid": change.solid} if change.pose is None else {"pose": _pose(change.pose)}
    return {**moved, "action": change.action, "armed": _armed(change.armed)}


def _goal_change(change: GoalChange) -> dict[str, float]:
    return {"at_s": change.at_s, "x": change.x_m, "y": change.y_m}
