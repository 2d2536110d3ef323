"""The search as an agent uses it: counted, its last answer kept, and told to the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .dynamics import Indices
from .search import Answer, Dynamics, best_first_search


class Searches:
    """Searches for the machines of one agent.

    Attributes
    ----------
    count : int
        How many were made.
    answer : Answer or None
        What came of the last.
    """

    def __init__(self) -> None:
        self.count = 0
        self.answer: Answer[Indices] | None = None
        self._notes: list[Mapping[str, Any]] = []

    def __call__(
        self,
        dynamics: Dynamics[Indices],
        start: Indices,
        is_goal: Callable[[Indices], bool],
        heuristic: Callable[[Indices], float],
        max_nodes: int,
    ) -> Answer[Indices]:
        """Search as `best_first_search` does."""
        answer = best_first_search(dynamics, start, is_goal, heuristic, max_nodes)
        self._notes.append(
            {
                "number": self.count,
                "outcome": answer.outcome,
                "nodes": answer.nodes,
                "cells": 0 if answer.path is None else len(answer.path),
                "i": start[0],
                "j": start[1],
            }
        )
        self.count += 1
        self.answer = answer
        return answer

    def take_notes(self) -> list[Mapping[str, Any]]:
        """Return what is to be recorded of the searches since the last call."""
        notes, self._notes = self._notes, []
        return notes
