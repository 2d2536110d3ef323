"""Every key of the window, once: what the help shows and what acts.

Keys go by the names that `pygame.key.name` gives them; `[+]` is one of the number pad.
"""

from __future__ import annotations

PAUSE = ("space",)
STEP = (".",)
FASTER = ("+", "=", "[+]")
SLOWER = ("-", "[-]")
REAL_TIME = ("0", "[0]")
FOLLOW = ("f",)
DRAW = ("g",)
PICTURE = ("p",)
NAMES = ("n",)
NUMBERS = ("v",)
HELP = ("h",)
CLOSE = ("q", "escape")
LAYERS = tuple((str(number), f"[{number}]") for number in range(1, 10))

# In a recorded drive.
REPLAY_BACK = ("left",)
REPLAY_ON = ("right",)
REPLAY_BEGIN = ("home",)
REPLAY_END = ("end",)
REPLAY_IGNORED = DRAW

# What a person may drive with.
HELD = ("up", "down", "left", "right", "w", "a", "s", "d", "space")
# What still acts on the picture when a drive is over; any other key then closes it.
ON_PICTURE = frozenset(
    (*FOLLOW, *PICTURE, *NAMES, *NUMBERS, *HELP, *(key for layer in LAYERS for key in layer))
)

TABLE: tuple[tuple[str, str], ...] = (
    ("space", "pause and go on"),
    (".", "a single step while paused"),
    ("+  -", "faster and slower, x1/4 to x16"),
    ("0", "real time"),
    ("1 to 9", "show or hide a layer; with shift 10 to 18"),
    ("n", "names of the solids"),
    ("v", "values of the readings, in metres"),
    ("wheel, drag", "zoom about the pointer, move the map"),
    ("f", "follow the shell, or show everything"),
    ("g", "draw a path by dragging with the left button"),
    ("p", "save a picture in the current folder"),
    ("arrows, w a s d", "drive, where a person drives"),
    ("gamepad", "the left stick drives, A (or the cross) brakes"),
    ("h", "this help"),
    ("q, Esc", "close the window"),
)

_ALIKE = tuple(row for row in TABLE if row[0] not in {".", "g", "arrows, w a s d", "gamepad"})
REPLAY_TABLE: tuple[tuple[str, str], ...] = (
    ("left, right", "a step back, a step on"),
    ("home, end", "to the beginning, to the end"),
    ("the bar below", "click or drag to jump"),
    *_ALIKE,
)
