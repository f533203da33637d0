"""Fixtures of the tests of the kit: a first stage without an index, and no waiting for the disk."""

from __future__ import annotations

from typing import Any

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir.storage import files
from legalir.testing import data


@pytest.fixture(name="quick")
def quick_data(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a retriever that needs no index where the kit uses one of ours, and let nothing wait for the disk.

    The kit's own are used by the tests of all components that ship.
    """
    install("quickly", {"retriever.quick_overlap": "right_components:overlap"})

    def nothing(*args: Any) -> None:
        pass

    monkeypatch.setattr(files, "sync_file", nothing)
    monkeypatch.setattr(files, "sync_directory", nothing)
    branches = ("quick_overlap % 20", "quick_overlap(num_results=5)", "quick_overlap % 7")
    monkeypatch.setattr(data, "FIRST_STAGE", branches[0])
    monkeypatch.setattr(data, "BRANCHES", branches)
