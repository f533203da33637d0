"""What holds for the examples of the pages: `e5` with one of its layers, since they show how it is called."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tiny_models import one_layer_e5

from legalir.dense import e5

small = cache(one_layer_e5)


@pytest.fixture(name="built", scope="session")
def home_of_the_pages(built: Path) -> Path:
    """A home of their own: the fingerprint does not tell these vectors from those of all layers."""
    return built.with_name("built-with-one-layer")


@pytest.fixture(autouse=True)
def quick_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the pages from encoding with all layers."""
    monkeypatch.setattr(e5, "shared", lambda key, make: small())
