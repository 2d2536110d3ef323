"""Avoidance: stops before what the senses see, goes around what the shell can pass.

`avoider.py` decides once; `skill.py` drives on from decision to decision to an end;
`drawing.py` shows what was decided. The agents are `stop_before` and `go_around`;
`guard.py` brakes for `manual` by the same test.
"""

from .avoider import Avoider, Decision
from .guard import Guard
from .skill import GoAround, Skill, StopBefore

__all__ = ["Avoider", "Decision", "GoAround", "Guard", "Skill", "StopBefore"]
