"""The recording of an environment's drives: when a journal begins, what it says, when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .core import setup_bytes
from .drive import Drive, DriveSetup
from .errors import OptionError
from .journal import Recorder, canonical, record
from .world import World


class Recording:
    """Journals of the drives of one environment.

    Parameters
    ----------
    path : str or Path, optional
        File of the first drive; later ones are `NAME-2.kwj`, `NAME-3.kwj`, ... Without one
        a drive has its root all the same, and no file.

    Attributes
    ----------
    recorder : Recorder or None
        Takes the records of the present drive.
    """

    def __init__(self, path: str | Path | None) -> None:
        if path is not None and not isinstance(path, str | Path):
            raise OptionError(f"journal: {path!r} is not allowed; allowed: a path or None")
        self._path = None if path is None else Path(path)
        self._drives = 0
        self.recorder: Recorder | None = None
        self._agent: Mapping[str, Any] = {}

    def of_agent(self, name: str, options: Mapping[str, Any]) -> None:
        """Name the agent of the drives to come in their headers.

        One whose options no file can hold stays nameless: it could not be built again.
        """
        made = {"name": name, "options": dict(options)}
        try:
            canonical(made)
        except (TypeError, ValueError, RecursionError):
            made = {}
        self._agent = made

    def begin(self, world: World, drive: Drive, setup: DriveSetup, seed: int) -> None:
        """Begin the journal of a drive that was just reset.

        Raises
        ------
        JournalError
            If its file is there already or can't be written.
        """
        self._drives += 1
        recorder = Recorder(self._file(), world.record_size)
        header = {**drive.header(setup), "seed": seed, "agent": self._agent}
        recorder.begin(header, drive.scene.canonical(), setup_bytes(world.setup(drive.start(seed))))
        recorder.add_start(world)
        self.recorder = recorder

    def place(self, pose: tuple[float, float, float]) -> None:
        """Take where the shell was put between two steps."""
        if self.recorder is not None:
            self.recorder.place(pose)

    def note(self, kind: str, content: Mapping[str, Any]) -> None:
        """Take a decision, plan, switch or verdict."""
        if self.recorder is not None:
            self.recorder.note(kind, content)

    def finish(self, verdict: Mapping[str, Any], tick: int) -> str:
        """End the journal with a verdict and return its root; empty where none was begun."""
        recorder = self.recorder
        if recorder is None:
            return ""
        said = record("verdict", canonical(verdict))
        self.recorder = None
        return recorder.finish(said, tick)

    def _file(self) -> Path | None:
        if self._path is None or self._drives == 1:
            return self._path
        return self._path.with_name(f"{self._path.stem}-{self._drives}{self._path.suffix}")

    def __getstate__(self) -> dict[str, Any]:
        # a file has one writer: a copy of a drive goes on unrecorded
        return {**self.__dict__, "recorder": None, "_path": None}
