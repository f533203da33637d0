"""What holds for the examples of the pages: `e5` with one of its layers, since they show how it is called."""

from __future__ import annotations

from functools import cache

import pytest
from tiny_models import one_layer_e5

from legalir.dense import e5

small = cache(one_layer_e5)


@pytest.fixture(autouse=True)
def quick_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the pages from encoding with all layers."""
    monkeypatch.setattr(e5, "shared", lambda key, make: small())
