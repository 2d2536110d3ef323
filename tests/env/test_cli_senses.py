"""`kinewright senses`: every declaration, in the units of its readings."""

import json

import pytest

from kinewright_env.cli import main
from kinewright_env.rig import CARDS, SENSORS


def test_each_sensor_has_its_times_and_its_readings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["senses"]) == 0
    times, readings = capsys.readouterr().out.split("\n\n")
    for table in (times, readings):
        assert [line.split()[0] for line in table.splitlines()[1:]] == list(SENSORS)
    assert max(map(len, times.splitlines())) <= 100


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("cone", ("mm", "2 mm + 0.4 %")),
        ("grid", ("8 x 8 x mm", "3 mm + 0.5 %")),
        ("scan", ("360 x mm", "1 %")),
        ("radar", ("3 x (mm, 0.1 degree, mm/s)", "30 mm, 1.5 degree, 30 mm/s")),
        ("bumpers", ("2 x (0 or 1)", "none")),
        ("imu", ("1/16 degree/s, 1/2048 g", "0.1 degree/s, 0.00102 g, 0.00102 g")),
    ],
)
def test_a_frame_and_its_noise_are_said_in_the_units_of_the_card(
    capsys: pytest.CaptureFixture[str], key: str, said: tuple[str, str]
) -> None:
    main(["senses"])
    _, readings = capsys.readouterr().out.split("\n\n")
    row = next(line for line in readings.splitlines() if line.startswith(key))
    assert tuple(part.strip() for part in row.split("  ") if part.strip())[1:3] == said


def test_json_has_each_figure_of_each_declaration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["senses", "--json"]) == 0
    for entry in json.loads(capsys.readouterr().out):
        sensor = SENSORS[entry["key"]]
        assert entry["range_max_m"] == sensor.range_max_m
        assert entry["sigma_base"] == list(sensor.sigma_base)
        assert entry["card"]["unit"] == CARDS[sensor.key].unit


def test_a_unit_has_a_step_and_a_name_for_each_channel() -> None:
    assert CARDS["radar"].units == ((1.0, "mm"), (0.1, "degree"), (1.0, "mm/s"))
    assert CARDS["imu"].units == ((1 / 16, "degree/s"), (1 / 2048, "g"), (1 / 2048, "g"))
    assert CARDS["encoders"].units == ((1.0, "counts of 0.2 mm"),)
    assert CARDS["bumpers"].units == ((1.0, "0 or 1"),)
