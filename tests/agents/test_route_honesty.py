"""What `route` says of generated scenes, held to the generator's own truth.

The default run has 50 seeds of each generator, the shells by turns; the slow one 1,000 of each
with both shells: six times ``kinewright bench --agents route --scenes random_rooms:0-999``.
"""

import itertools
from collections import Counter

import pytest

from kinewright_env.bench import BenchRow, BenchRun, bench
from kinewright_env.scene import load_scene
from kinewright_env.shells import SHELLS

GENERATORS = ("random_rooms", "random_maze", "sealed_or_not")
EACH_GENERATOR = pytest.mark.parametrize("generator", GENERATORS)
SAMPLE = 50
MANY = 1000
JOBS = 2
OF_THE_WORLD = {"at_goal", "no_way", "no_way_for_body"}
OF_THE_AGENT = {"stopped_trying", "out_of_time"}
# A gap that was not seen may be wider than the one that was read.
MISREAD_AT_MOST = 0.002
# Of the goals that can be reached (route.md), over all generators.
REACHED_AT_LEAST = {"four_wheel_steer": 0.99, "front_steer": 0.95}


def rows_of(generator: str, seeds, shells) -> tuple[BenchRow, ...]:
    return bench(
        [
            BenchRun(agent="route", scene=f"{generator}:{seed}", shell=shell)
            for seed, shell in zip(seeds, shells, strict=False)
        ],
        jobs=JOBS,
    )


def assert_nothing_false(rows: tuple[BenchRow, ...]) -> None:
    """No contact, no verdict on the world that is not so, and no other verdict."""
    touched = [
        (row.run.scene, row.shell) for row in rows if row.result and row.result.contact_ticks
    ]
    failed = [(row.run.scene, row.shell, row.error) for row in rows if row.result is None]
    false, strange = [], []
    for row in rows:
        said = row.result.verdict if row.result else ""
        one = (row.run.scene, row.shell, said)
        if said in OF_THE_WORLD and said != load_scene(row.run.scene).truth:
            false.append(one)
        elif said not in OF_THE_WORLD | OF_THE_AGENT:
            strange.append(one)
    assert (touched, failed, false, strange) == ([], [], [], [])


def misread(rows: tuple[BenchRow, ...]) -> list[tuple[str, str, float]]:
    """Return gaps of true verdicts whose width is not within the tolerance of `honest`."""
    return [
        (row.run.scene, row.shell, row.result.gap_m)
        for row in rows
        if row.result and row.result.verdict == "no_way_for_body" and row.result.honest is False
    ]


@EACH_GENERATOR
def test_of_a_sample_nothing_false_is_said_and_nothing_is_touched(generator):
    rows = rows_of(generator, range(SAMPLE), itertools.cycle(SHELLS))
    assert len(rows) == SAMPLE
    assert_nothing_false(rows)
    assert misread(rows) == []
    truths = {row.run.scene: load_scene(row.run.scene).truth for row in rows}
    assert set(truths.values()) == OF_THE_WORLD
    can = [row for row in rows if truths[row.run.scene] == "at_goal"]
    assert sum(row.reached for row in can) >= 0.85 * len(can)  # few: the slow run has the share


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_of_thousands_nothing_false_is_said_and_nearly_all_that_can_be_is_reached(shell):
    counts = Counter()
    for generator in GENERATORS:
        rows = rows_of(generator, range(MANY), itertools.repeat(shell))
        assert_nothing_false(rows)
        assert len(misread(rows)) <= MISREAD_AT_MOST * len(rows)
        for row in rows:
            if load_scene(row.run.scene).truth == "at_goal":
                counts["can"] += 1
                counts["reached"] += row.reached
    assert counts["reached"] >= REACHED_AT_LEAST[shell] * counts["can"]
