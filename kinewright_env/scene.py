"""A scene: the declared world of a drive, read from a TOML file, checked whole, frozen."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError, nearest
from .scene_check import read_scene
from .scene_parts import (
    Armed,
    Box,
    Change,
    ChangeAction,
    Goal,
    GoalChange,
    Post,
    Solid,
    Start,
    Wall,
)
from .scene_place import goal_faults, start_faults
from .scene_text import TEXT_LIMIT_BYTES, canonical, read_toml, scene_table, write_toml

if TYPE_CHECKING:
    from .generators import SceneGenerator

__all__ = [
    "Armed",
    "Box",
    "Change",
    "Goal",
    "GoalChange",
    "Post",
    "Scene",
    "SceneWarning",
    "Solid",
    "Start",
    "Wall",
    "load_scene",
    "scene_names",
    "scene_source",
]

_SHIPPED = "kinewright_env.scenes"
_SOLID_FIGURES = 6

CoreChange = tuple[int, int, int, int, float, tuple[float, float, float]]


class SceneWarning(UserWarning):
    """A scene that loads although it is odd: a goal in a solid or outside the room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One scene, whole and checked: build it with `load_scene` or `Scene.from_dict`.

    Lengths are metres in `map`, angles degrees, times seconds, as in the file (see
    scenes.md). `solids` are the walls, the boxes and the posts in this order; a solid's
    place there is its index everywhere.
    """

    format: int
    name: str
    title: str
    time_limit_s: float
    start: Start
    goals: tuple[Goal, ...] = ()
    walls: tuple[Wall, ...] = ()
    boxes: tuple[Box, ...] = ()
    posts: tuple[Post, ...] = ()
    changes: tuple[Change, ...] = ()
    goal_changes: tuple[GoalChange, ...] = ()
    truth: str | None = None
    truth_gap_m: float | None = None
    truth_rooms: int | None = None
    expect: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    skills: tuple[str, ...] = ()
    shell: str | None = None
    source: Mapping[str, str | float] | None = field(default=None, hash=False)
    _checked: bool = field(default=False, init=False, repr=False, compare=False)
    _canonical: bytes = field(default=b"", init=False, repr=False, compare=False)
    _root: str = field(default="", init=False, repr=False, compare=False)

    @classmethod
    def from_toml(cls, text: str, file: str = "<text>") -> Self:
        """Read and check a scene's text.

        Parameters
        ----------
        text : str
            TOML.
        file : str
            Named in errors.

        Raises
        ------
        SceneError
            At the first thing that is not as the format asks.
        """
        return cls.from_dict(read_toml(text, file), file)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], file: str = "<dict>") -> Self:
        """Check a scene given as the table its file would hold.

        Warns
        -----
        SceneWarning
            If a goal lies in a solid or outside the room.

        Raises
        ------
        SceneError
            At the first thing that is not as the format asks.
        """
        scene = cls(**read_scene(values, file))
        for key, shell, solid in start_faults(scene):
            raise SceneError(
                f"{file}: {key}: the body of {shell.name} would stand in the solid {solid.name!r};"
                " it must stand free"
            )
        for key, reason in goal_faults(scene):
            warnings.warn(f"{file}: {key}: {reason}", SceneWarning, stacklevel=2)
        object.__setattr__(scene, "_checked", True)
        return scene

    @property
    def solids(self) -> tuple[Solid, ...]:
        """All solids, in the order of their indices."""
        return (*self.walls, *self.boxes, *self.posts)

    @property
    def root(self) -> str:
        """SHA-256 of the canonical form, in hex."""
        if not self._root:
            object.__setattr__(self, "_root", hashlib.sha256(self.canonical()).hexdigest())
        return self._root

    def to_dict(self) -> dict[str, Any]:
        """Return the table the scene's file holds, every default filled in."""
        return scene_table(self)

    def to_toml(self) -> str:
        """Return the scene as a file; reading it gives an equal scene with the same root."""
        return write_toml(self.to_dict())

    def canonical(self) -> bytes:
        """Return the scene as JSON: sorted keys, exact decimals, defaults filled in, UTF-8."""
        if not self._canonical:
            object.__setattr__(self, "_canonical", canonical(self.to_dict()).encode())
        return self._canonical

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the solids as the core takes them.

        Returns
        -------
        kinds : (n,) int32
            0 wall, 1 box, 2 post (`kw_solid_kind`).
        figures : (n, 6) float64
            Wall: x, y of both ends, thickness, height. Box: x, y, both sizes, heading in
            degrees, height. Post: x, y, radius, height, 0, 0. Metres.
        """
        counts = (len(self.walls), len(self.boxes), len(self.posts))
        kinds = np.repeat(np.arange(3, dtype=np.int32), counts)
        rows = [(*w.from_m, *w.to_m, w.thickness_m, w.height_m) for w in self.walls]
        rows += [(*b.center_m, *b.size_m, b.heading_deg, b.height_m) for b in self.boxes]
        rows += [(*p.center_m, p.radius_m, p.height_m, 0.0, 0.0) for p in self.posts]
        return kinds, np.array(rows, np.float64).reshape(-1, _SOLID_FIGURES)

    def absent_at_start(self) -> frozenset[str]:
        """Return the names of the solids whose first change is that they appear."""
        first: dict[str, str] = {}
        for change in self.changes:
            first.setdefault(change.solid, change.action)
        return frozenset(name for name, action in first.items() if action == "appear")

    def core_changes(self) -> tuple[CoreChange, ...]:
        """Return the changes as the core takes them, one `kw_change` a row.

        Returns
        -------
        tuple of (action, solid, armed_by, number, value_m, (x m, y m, heading rad))
            The solid by its index, -1 for a kidnap; the pose all 0 for any other.
        """
        changed = {change.solid for change in self.changes}
        index = {solid.name: i for i, solid in enumerate(self.solids) if solid.name in changed}
        rows: list[CoreChange] = []
        for change in self.changes:
            armed, pose = change.armed, change.pose
            rows.append(
                (
                    ChangeAction[change.action.upper()],
                    index.get(change.solid, -1),
                    armed.armed_by,
                    armed.number,
                    armed.value if armed.by == "pivot_beyond" else 0.0,
                    (pose.x_m, pose.y_m, pose.heading_rad) if pose else (0.0, 0.0, 0.0),
                )
            )
        return tuple(rows)

    def core_goal_changes(self) -> tuple[tuple[int, float, float], ...]:
        """Return (tick, x m, y m) of each goal change, by tick; those of one tick in file order."""
        rows = [(change.tick, change.x_m, change.y_m) for change in self.goal_changes]
        return tuple(sorted(rows, key=lambda row: row[0]))


def scene_names() -> tuple[str, ...]:
    """Return the names of the shipped scenes, sorted."""
    files = (file.name for file in resources.files(_SHIPPED).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def load_scene(spec: str | Path | Scene | Mapping[str, Any], *, seed: int | None = None) -> Scene:
    """Return a scene by name, by a file's path, or by what its file would hold.

    Parameters
    ----------
    spec : str, Path, Scene or mapping
        A string is a shipped scene's name, a generated scene's (``random_rooms:7``), else a
        path. A `Scene` that a program has put together is checked as a file is.
    seed : int, optional
        Of the scene where the name of a generator states none.

    Warns
    -----
    SceneWarning
        If a goal lies in a solid or outside the room.

    Raises
    ------
    SceneError
        With file, key, value and what is allowed.
    """
    source = scene_source(spec)
    if isinstance(source, Scene):
        return source
    if seed is None:
        raise SceneError(
            f"scene {spec!r}: a generator, and needs a seed, as in {source.scene_name(7)!r}"
        )
    return source.scene(seed)


def scene_source(spec: str | Path | Scene | Mapping[str, Any]) -> Scene | SceneGenerator:
    """Return a scene, or the generator that a name without a seed means; else as `load_scene`."""
    if isinstance(spec, Scene):
        return _checked(spec)
    if isinstance(spec, Mapping):
        return Scene.from_dict(spec)
    if not isinstance(spec, str | Path):
        raise SceneError(f"scene: {type(spec).__name__}: must be a name, a path, a Scene or a dict")
    if isinstance(spec, str):
        if spec in scene_names():
            text = resources.files(_SHIPPED).joinpath(f"{spec}.toml").read_text(encoding="utf-8")
            return Scene.from_toml(text, f"{spec}.toml")
        from .generators import read_name  # noqa: PLC0415 (they make scenes)

        generated = read_name(spec)
        if generated is not None:
            generator, seed = generated
            return generator if seed is None else generator.scene(seed)
    return Scene.from_toml(_read_file(Path(spec)), str(spec))


def _checked(scene: Scene) -> Scene:
    """Return the scene, checked as a file is where a program has put it together."""
    if scene._checked:
        return scene
    file = "<Scene>"
    try:
        table = scene.to_dict()
    except (AttributeError, TypeError, ValueError) as error:
        raise SceneError(f"{file}: a part is not of its declared type: {error}") from None
    return Scene.from_dict(table, file)


def _read_file(path: Path) -> str:
    try:
        status = path.stat()
    except FileNotFoundError:
        from .generators import GENERATORS  # noqa: PLC0415 (they make scenes)

        near = nearest(str(path), (*scene_names(), *GENERATORS))
        raise SceneError(
            f"scene {str(path)!r}: no such file, and no such shipped scene; "
            f"{f'did you mean {near!r}? ' if near else ''}`kinewright scenes` lists them"
        ) from None
    except (OSError, ValueError) as error:
        raise SceneError(f"scene {str(path)!r}: cannot be read: {error}") from None
    if not S_ISREG(status.st_mode):
        raise SceneError(f"{path}: not a file")
    if status.st_size > TEXT_LIMIT_BYTES:
        raise SceneError(f"{path}: {status.st_size} bytes: at most {TEXT_LIMIT_BYTES}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: byte {error.start}: not text in UTF-8") from None
    except OSError as error:
        raise SceneError(f"{path}: cannot be read: {error}") from None
