"""The page of declared figures is what the declarations say today."""

import runpy
from pathlib import Path

from kinewright_env.rig import SENSORS
from kinewright_env.shells import SHELLS, STEERINGS
from kinewright_env.verdicts import VERDICTS

ROOT = Path(__file__).resolve().parent.parent


def test_the_committed_page_of_figures_is_the_one_that_would_be_written_now() -> None:
    written = runpy.run_path(str(ROOT / "docs/make_figures.py"))["page"]()
    committed = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    assert committed == written, "run `make docs`"


def test_the_page_names_every_declared_thing() -> None:
    text = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    for name in [*SHELLS, *STEERINGS, *SENSORS, *VERDICTS]:
        assert f"`{name}`" in text
