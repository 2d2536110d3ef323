"""Worker processes for the benchmark: one that dies or falls silent costs its own run alone."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from .errors import OptionError

T = TypeVar("T")
R = TypeVar("R")

Alive = Callable[[], None]

SILENT_S = 120.0  # a worker that says nothing for so long is given up; a step takes far less
ALIVE_EVERY_S = 1.0
LOOK_EVERY_S = 1.0
REAP_S = 30.0  # a process whose pipe is shut ends; on a loaded machine not at once


def work_through(
    tasks: Sequence[T],
    work: Callable[[T, Alive], R],
    lost: Callable[[T, str], R],
    *,
    jobs: int,
    on_result: Callable[[int, R], None],
    silent_s: float = SILENT_S,
) -> None:
    """Work through tasks in processes of their own, in the tasks' order as far as they start.

    Parameters
    ----------
    tasks : sequence
        Anything that pickles.
    work : callable
        A module's function of a task and of what to call now and then to be known alive.
    lost : callable
        Makes a result of a task and of what became of its worker.
    jobs : int
        How many processes, at least 1.
    on_result : callable
        Takes the index of a task and its result, as they come.
    silent_s : float
        How long a worker may be silent.

    Raises
    ------
    OptionError
        If a worker can't start: a script's own lines need `if __name__ == "__main__"`.
    """
    context = multiprocessing.get_context("spawn")
    waiting = list(range(len(tasks)))[::-1]
    workers: list[_Worker[T, R]] = []
    try:
        while waiting or any(worker.busy for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_Worker(context, work))
            for worker in workers:
                if waiting and not worker.busy:
                    index = waiting.pop()
                    worker.give(index, tasks[index])
            wait([worker.pipe for worker in workers], timeout=LOOK_EVERY_S)
            for worker in list(workers):
                ended = worker.ended  # looked at first: all that it sent before is then heard
                for index, result in worker.heard():
                    on_result(index, result)
                fault = worker.fault(silent_s, ended=ended)
                if fault:
                    workers.remove(worker)
                    worker.stop()
                    if not worker.started:
                        raise OptionError(
                            f"no worker can be started ({fault}); a script that calls bench() "
                            'does so under `if __name__ == "__main__":`'
                        )
                    if worker.index >= 0:
                        on_result(worker.index, lost(tasks[worker.index], fault))
    finally:
        for worker in workers:
            worker.stop()


@dataclass(frozen=True, slots=True)
class _Done:
    """What a worker sends when a task is done; anything else it sends says that it lives."""

    result: Any


class _Worker(Generic[T, R]):
    """One process and the task that it has in hand, `index` -1 for none."""

    def __init__(self, context: Any, work: Callable[[T, Alive], R]) -> None:
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self._process.start()
        theirs.close()
        self.index = -1
        self.started = False
        self._lost = False
        self._heard_s = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether it has a task in hand."""
        return self.index >= 0

    @property
    def ended(self) -> bool:
        """Whether the process is no more."""
        return not self._process.is_alive()

    def give(self, index: int, task: T) -> None:
        """Hand over a task."""
        self.index, self._heard_s = index, time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `fault` says so
            self.pipe.send(task)

    def heard(self) -> list[tuple[int, R]]:
        """Return the results that have come."""
        results = []
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                self.started, self._heard_s = True, time.monotonic()
                if isinstance(message, _Done):
                    results.append((self.index, message.result))
                    self.index = -1
        except (EOFError, OSError):
            self._lost = True
        return results

    def fault(self, silent_s: float, *, ended: bool) -> str:
        """Return what has become of the process, nothing while it is well."""
        if ended or self._lost:
            self._process.join(REAP_S)
            code = self._process.exitcode
            if code is not None and code < 0:
                return f"its process was ended by signal {-code}"
            return f"its process ended with status {code}"
        silent = self.busy and self.started
        if silent and time.monotonic() - self._heard_s > silent_s:
            return f"no step was done within {silent_s:g} s"
        return ""

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, work: Callable[[Any, Alive], Any]) -> None:
    """Do what is asked for until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks hears it, too, and ends us
    sys.stdout = sys.stderr  # what an agent prints stays out of the table
    said_s = 0.0

    def alive() -> None:
        nonlocal said_s
        now_s = time.monotonic()
        if now_s - said_s >= ALIVE_EVERY_S:
            said_s = now_s
            pipe.send(None)

    alive()
    with contextlib.suppress(EOFError, OSError):  # who asked is gone
        while True:
            task = pipe.recv()
            pipe.send(_Done(work(task, alive)))
