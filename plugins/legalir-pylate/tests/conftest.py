"""A tiny model, directories of its own for each test, and no network."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from tiny_colbert import write_colbert

os.environ.setdefault("OMP_NUM_THREADS", "1")  # Tiny models: threads only wait for each other.


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEGALIR", "PYTERRIER", "IR_DATASETS"):
        monkeypatch.setenv(f"{name}_HOME", str(tmp_path / "own-home" / name))
    monkeypatch.delenv("LEGALIR_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)


@pytest.fixture(name="folder", scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_colbert(tmp_path_factory.mktemp("model") / "colbert")
