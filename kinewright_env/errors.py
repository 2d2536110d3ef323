"""The named errors: each says what, where, and what is allowed."""

import difflib
from collections.abc import Iterable


class SceneError(ValueError):
    """A scene, or a map to import, that is not as its format asks."""


class RigError(ValueError):
    """A sensor declaration that the core cannot keep exactly."""


class JournalError(ValueError):
    """A recorded drive that is cut, changed, foreign or newer than this reader."""


class ActionError(ValueError):
    """An ask that is not finite, or not of the declared shape and type."""


class AgentError(ValueError):
    """An agent that is unknown, cannot be built, raises, or returns nonsense."""


class OptionError(ValueError):
    """A keyword or option of the environment with a value that is not allowed."""


class IncrementError(ValueError):
    """A registered increment, or a corridor, that is not finite or not of its shape."""


class RecordingError(ValueError):
    """A recording that cannot be read, or is not as its format says."""


class NoDisplayError(RuntimeError):
    """A window was asked for where there is no display."""


def nearest(value: object, names: Iterable[str]) -> str | None:
    """Return the name that a misspelt one was meant for, None where none is near."""
    near = difflib.get_close_matches(str(value), sorted(names), n=1)
    return near[0] if near else None


def allowed(value: object, names: Iterable[str]) -> str:
    """Say which names are allowed, the nearest first where one is near.

    Parameters
    ----------
    value : object
        What was given.
    names : iterable of str
        What may be given.

    Returns
    -------
    str
        For example ``did you mean 'rack'? Allowed: 'rack', 'servo'``.
    """
    listed = sorted(names)
    text = "allowed: " + (", ".join(repr(name) for name in listed) if listed else "nothing")
    near = nearest(value, listed)
    return f"did you mean {near!r}? {text[0].upper()}{text[1:]}" if near else text
