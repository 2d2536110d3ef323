"""The oracles, by path: tests are no package."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    """Return oracles.py."""
    spec = importlib.util.spec_from_file_location(
        "planner_oracles", Path(__file__).with_name("oracles.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
