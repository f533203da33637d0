"""BGE-M3 in expressions holds to what every retriever and reranker holds to, with a tiny model."""

from __future__ import annotations

from typing import Any

import pytest
from tiny_models import write_m3

from legalir import testing
from legalir.m3.m3_index import m3, m3_dense, m3_multi, m3_rerank, m3_sparse
from legalir.testing import run
from legalir.testing.checks import NotApplicable
from legalir.testing.sandbox import ComponentUnderTest

pytestmark = pytest.mark.neural

FRESH = {"light-import", "light-construction", "light-empty-frame", "another-process"}
"""Checks in a new interpreter, which loads torch each time; the heads share what they load."""


@pytest.fixture(name="model", scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_m3(tmp_path_factory.mktemp("m3") / "model"))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk."""
    for module in ("legalir.storage.files", "legalir.storage.artifact", "legalir.storage.shards"):
        for name in ("sync_file", "sync_directory"):
            monkeypatch.setattr(f"{module}.{name}", lambda *_: None, raising=False)


def test_heads_together(model: str) -> None:
    outcomes = testing.check("retriever", m3, params={"model": model, "k": 4, "multi": "int8"})
    assert [one for one in outcomes if not one.ok] == []
    assert {one.check for one in outcomes if one.status == "passed"} >= FRESH


@pytest.mark.parametrize("factory", [m3_dense, m3_sparse, m3_multi, m3_rerank])
def test_the_others(model: str, factory: Any) -> None:
    role = "reranker" if factory is m3_rerank else "retriever"
    checks = [one for one in testing.checks(role) if one.name not in FRESH]
    assert len(checks) == len(testing.checks(role)) - len(FRESH)
    weights = {"weights": {"dense": 1, "sparse": 0.5}} if factory is m3_rerank else {}
    under_test, applied = ComponentUnderTest(role, factory, {"model": model, **weights}), 0
    for one in checks:
        try:
            run(one, under_test)
        except NotApplicable:
            continue
        applied += 1
    assert applied > 20
