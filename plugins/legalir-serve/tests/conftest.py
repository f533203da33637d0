"""Every test has a cache of its own, and no data of whoever runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The autouse fixture below does not change between examples, so it may be shared by them.
settings.register_profile(
    "legalir-serve",
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("legalir-serve")


@pytest.fixture(autouse=True)
def own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "own-home"))
    monkeypatch.setenv("COLUMNS", "100")
    # Else the encoder finds something for words that no provision has, in environments that have it.
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    for name in ("LEGALIR_DATA", "LEGALIR_DISABLE_PLUGINS", "LEGALIR_LLM"):
        monkeypatch.delenv(name, raising=False)
