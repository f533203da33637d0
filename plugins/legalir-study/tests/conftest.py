"""Every test has a cache of its own, and no data of whoever runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.append(str(Path(__file__).parents[3] / "tests"))  # What tests of legalir and of this package share.

# The autouse fixture below does not change between examples, so it may be shared by them.
settings.register_profile(
    "legalir-study",
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("legalir-study")


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "own-home"
    for name in ("LEGALIR_HOME", "PYTERRIER_HOME", "IR_DATASETS_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    for name in ("LEGALIR_DATA", "LEGALIR_DISABLE_PLUGINS", "LEGALIR_LLM"):
        monkeypatch.delenv(name, raising=False)
