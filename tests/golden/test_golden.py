"""Drives whose roots are checked in: any change of a bit of state or reading shows here.

`python tests/golden/test_golden.py` prints what differs from the file; with `--write` it
writes the new roots, and the reason belongs in the CHANGELOG.
"""

import hashlib
import itertools
import json
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import kinewright_env  # noqa: F401 - registers the ids
from kinewright_env.shells import SHELLS, STEERINGS

ROOTS_FILE = Path(__file__).with_name("roots.json")
SCENES = ("senses_room", "behind_second_wall", "box_appears")
DRIVES = list(itertools.product(SCENES, SHELLS, STEERINGS))
SECONDS = 30


def wander(n: int) -> list[tuple[float, float]]:
    """Return asks over the whole range, in whole thousandths, from a generator of our own."""
    state, asks = 2026, []
    for _ in range(n):
        draws = []
        for low, high in ((-500, 2000), (-418, 418)):
            state = (1664525 * state + 1013904223) % 2**32
            draws.append((low + (state >> 8) % (high - low + 1)) / 1000.0)
        asks.append((draws[0], draws[1]))
    return asks


ASKS = wander(40)


def root(scene: str, shell: str, steering: str) -> str:
    """Return the SHA-256 over every reading of a drive, and all state once a second."""
    env = gym.make(
        "Kinewright/Drive-v0", scene=scene, shell=shell, steering=steering, time_limit_s=60.0
    ).unwrapped
    digest = hashlib.sha256()
    env.reset(seed=20261130)
    for step in range(SECONDS * 10):
        observation = env.step(ASKS[step // 8 % len(ASKS)])[0]
        for key in sorted(observation):
            digest.update(observation[key].astype("<i4").tobytes())
        if step % 10 == 9:
            digest.update(env._world.save())
    return digest.hexdigest()


def computed() -> dict[str, str]:
    return {"/".join(drive): root(*drive) for drive in DRIVES}


@pytest.mark.parametrize("drive", DRIVES, ids="/".join)
def test_the_root_of_a_drive_is_the_one_checked_in(drive):
    roots = json.loads(ROOTS_FILE.read_text(encoding="utf-8"))
    assert root(*drive) == roots["/".join(drive)]


def main() -> int:
    old = json.loads(ROOTS_FILE.read_text(encoding="utf-8")) if ROOTS_FILE.exists() else {}
    new = computed()
    changed = [name for name in sorted(set(old) | set(new)) if old.get(name) != new.get(name)]
    for name in changed:
        print(f"{name}: {old.get(name)} -> {new.get(name)}")
    if "--write" in sys.argv[1:]:
        ROOTS_FILE.write_text(json.dumps(new, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
