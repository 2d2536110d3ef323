"""The avoidance figures of `kinewright speed`: which there are, not how fast a machine is."""

from kinewright_env import speed_avoidance


def test_a_decision_is_measured_whole_and_in_parts_in_each_scene():
    rows = list(speed_avoidance.rows(quick=True))
    assert len(rows) == speed_avoidance.FIGURE_COUNT
    assert all(value > 0 and unit == "us" for _, value, unit, _ in rows)
    assert [at_most for *_, at_most in rows] == [150.0, None, None, None] * 2
    for whole, dearest, *_ in (rows[:4], rows[4:]):
        assert whole[1] <= dearest[1]
