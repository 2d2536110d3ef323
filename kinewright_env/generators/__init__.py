"""Scenes of any number: each a pure function of its seed, the same on every platform.

A scene is named by generator, seed and the options that are not the default:
``random_rooms:7``, ``random_posts:7:density=0.4,low_boxes=2``. Left without a seed, the
name stands for all of them, and an environment draws the one of each reset's seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ..errors import OptionError, SceneError, allowed
from ..options import SEED_MOST, number, whole
from .maze import random_maze
from .posts import random_posts
from .rooms import LEVELS, random_rooms
from .sealed import borderline, sealed_or_not

if TYPE_CHECKING:
    from ..scene import Scene

__all__ = ["GENERATORS", "GeneratorCard", "SceneGenerator", "generate", "read_name"]

_SCENES_KEPT: Final = 64
_NAME: Final = re.compile(r"([a-z_]+)(?::(\d{1,19}))?(?::([^:]+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorOption:
    """One option: its default, what is allowed, and what it is; whole where the default is."""

    default: int | float
    low: int | float
    high: int | float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorCard:
    """What a generator is, and the function that makes its scenes."""

    title: str
    make: Callable[..., Scene]
    options: Mapping[str, GeneratorOption]


GENERATORS: Final[Mapping[str, GeneratorCard]] = MappingProxyType(
    {
        "random_rooms": GeneratorCard(
            title="Rooms joined by doorways, most ways open",
            make=random_rooms,
            options={
                "difficulty": GeneratorOption(
                    default=1, low=0, high=len(LEVELS) - 1,
                    title="more rooms, narrower doorways, more things about",
                )
            },
        ),
        "random_posts": GeneratorCard(
            title="One room of posts, boxes and short walls, all passable",
            make=random_posts,
            options={
                "density": GeneratorOption(
                    default=0.4, low=0.0, high=1.0, title="solids a square metre, where they fit"
                ),
                "low_boxes": GeneratorOption(
                    default=0, low=0, high=20, title="boxes below the scanner's plane"
                ),
            },
        ),
        "random_maze": GeneratorCard(
            title="A maze of square cells, most ways open",
            make=random_maze,
            options={"cells": GeneratorOption(default=5, low=2, high=16, title="cells a side")},
        ),
        "sealed_or_not": GeneratorCard(
            title="A goal inside walls: half closed, half with an opening",
            make=sealed_or_not,
            options={},
        ),
        "borderline": GeneratorCard(
            title="A goal inside walls with an opening from 0.30 to 0.49 m",
            make=borderline,
            options={},
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneGenerator:
    """A generator and its options: a scene for each seed. Build it with `read_name`.

    `options` holds every option by name, in the card's order.
    """

    name: str
    options: tuple[tuple[str, int | float], ...]

    @property
    def shell(self) -> None:
        """None: a generated scene leaves the shell open."""
        return

    def scene(self, seed: int) -> Scene:
        """Return the scene of a seed; the last few are kept.

        Raises
        ------
        OptionError
            For a seed that is not from 0 to 2**63 - 1.
        """
        return _made(self, whole("seed", seed, 0, SEED_MOST))

    def scene_name(self, seed: int) -> str:
        """Return the name of a seed's scene, without the options that are the default."""
        card = GENERATORS[self.name]
        given = ",".join(
            f"{key}={value:g}" for key, value in self.options if value != card.options[key].default
        )
        return f"{self.name}:{seed}" + (f":{given}" if given else "")


def generate(name: str, seed: int, **options: int | float) -> Scene:
    """Return a generated scene, its truth with it.

    Parameters
    ----------
    name : str
        One of `GENERATORS`.
    seed : int
        From 0 to 2**63 - 1.
    **options
        Of the generator, as its card says.

    Returns
    -------
    Scene
        `truth` and `truth_gap_m` by the exact method of `scene_truth`; `source` says
        generator, seed and options.

    Raises
    ------
    OptionError
        For an unknown name, option or value.
    """
    return _generator(name, options).scene(seed)


def read_name(text: str) -> tuple[SceneGenerator, int | None] | None:
    """Return the generator that a scene's name means, and its seed where it states one.

    Returns
    -------
    tuple or None
        None where the name begins with no generator's.

    Raises
    ------
    SceneError
        If it does, and what follows is not a seed, options, or both.
    """
    if text.partition(":")[0] not in GENERATORS:
        return None
    match = _NAME.fullmatch(text)
    if match is None:
        raise SceneError(f"scene {text[:60]!r}: must be NAME:SEED or NAME:SEED:OPTION=VALUE,...")
    given: dict[str, int | float] = {}
    for part in match[3].split(",") if match[3] else ():
        key, _, value = part.partition("=")
        try:
            given[key] = float(value) if "." in value else int(value)
        except ValueError:
            reason = (
                "must be OPTION=NUMBER"
                if match[2]
                else (f"is no seed and no OPTION=NUMBER; a seed is 0 to {SEED_MOST}")
            )
            raise SceneError(f"scene {text[:60]!r}: {part!r}: {reason}") from None
    try:
        generator = _generator(match[1], given)
        seed = None if match[2] is None else whole("seed", int(match[2]), 0, SEED_MOST)
    except OptionError as error:
        raise SceneError(f"scene {text[:60]!r}: {error}") from None
    return generator, seed


def _generator(name: str, options: Mapping[str, Any]) -> SceneGenerator:
    """Return a generator, its options checked."""
    card = GENERATORS.get(name)
    if card is None:
        raise OptionError(f"generator: {name!r}: {allowed(name, GENERATORS)}")
    for key in options:
        if key not in card.options:
            raise OptionError(f"{name}: unknown option {key!r}; {allowed(key, card.options)}")
    values: list[tuple[str, int | float]] = []
    for key, option in card.options.items():
        value = options.get(key, option.default)
        if isinstance(option.default, int):
            values.append((key, whole(key, value, int(option.low), int(option.high))))
        else:
            values.append((key, round(number(key, value, option.low, option.high), 3)))
    return SceneGenerator(name=name, options=tuple(values))


@lru_cache(maxsize=_SCENES_KEPT)
def _made(generator: SceneGenerator, seed: int) -> Scene:
    make = GENERATORS[generator.name].make
    return make(seed, generator.scene_name(seed), **dict(generator.options))
