"""The one place where pygame is imported, so that what is wrong with it is said in one way."""

from __future__ import annotations

import importlib
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from gymnasium.error import DependencyNotInstalled

DISTRIBUTIONS = ("pygame", "pygame-ce")


def installed() -> tuple[str, ...]:
    """Return which of the two distributions that provide `pygame` are installed."""
    found = []
    for name in DISTRIBUTIONS:
        try:
            version(name)
        except PackageNotFoundError:
            continue
        found.append(name)
    return tuple(found)


def load_pygame() -> Any:
    """Import pygame with its drawing and font modules.

    Its greeting is silenced by Gymnasium, whose import always comes first.

    Returns
    -------
    module
        `pygame`, from either distribution. No display is touched.

    Raises
    ------
    DependencyNotInstalled
        If neither distribution is installed, or both are: their files overwrite each other.
    """
    if len(installed()) == len(DISTRIBUTIONS):
        raise DependencyNotInstalled(
            "pygame and pygame-ce are both installed and overwrite each other's files; "
            "run `pip uninstall -y pygame pygame-ce`, then `pip install pygame-ce`"
        )
    try:
        with warnings.catch_warnings():
            # pygame 2.6 finds its default font through setuptools' pkg_resources where
            # that still exists, which warns of its own end: nothing a user could act on.
            warnings.filterwarnings("ignore", message=".*pkg_resources", category=UserWarning)
            warnings.filterwarnings(
                "ignore", message=".*pkg_resources", category=DeprecationWarning
            )
            pygame = importlib.import_module("pygame")
            importlib.import_module("pygame.gfxdraw")
            pygame.font.init()
            pygame.font.Font(None, 12)
    except ImportError as error:
        raise DependencyNotInstalled(
            'the viewer needs pygame; run `pip install "kinewright[render]"`'
        ) from error
    return pygame


__all__ = ["installed", "load_pygame", "pygame"]

if TYPE_CHECKING:
    import pygame
    import pygame.gfxdraw
else:
    pygame = load_pygame()
