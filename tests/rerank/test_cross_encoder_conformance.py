"""The conformance kit on the cross-encoder, with and without scores on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_models import write_cross_encoder

from legalir import testing
from legalir.rerank.reranker import rerank
from legalir.storage import files
from legalir.testing.checks import NotApplicable
from legalir.testing.sandbox import ComponentUnderTest, Sandbox

pytestmark = pytest.mark.neural


@pytest.fixture(name="params")
def parameters_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    for name in ("sync_file", "sync_directory"):  # A test need not wait for the disk.
        monkeypatch.setattr(files, name, lambda *_: None)
    return {"model": str(write_cross_encoder(tmp_path / "model")), "passage": 24, "device": "cpu"}


def test_conformance(params: dict[str, object]) -> None:
    outcomes = testing.check("reranker", rerank, params=params)
    assert [one for one in outcomes if not one.ok] == []
    assert {one.check for one in outcomes if one.status != "passed"} == {"without-left", "num-results"}


def test_conformance_without_a_cache(params: dict[str, object], tmp_path: Path) -> None:
    """All that another interpreter is not needed for: with a cache, much of this would be read from it."""
    under_test, passed = ComponentUnderTest("reranker", rerank, {**params, "cache": False}), []
    for number, check in enumerate(testing.checks("reranker")):
        if check.name not in ("another-process", "light-import", "light-construction", "light-empty-frame"):
            try:
                check.run(Sandbox(under_test, tmp_path / str(number)))
                passed.append(check.name)
            except NotApplicable:
                pass
    assert {"batch-invariance", "order-invariance", "determinism", "long-query", "same-documents"} <= set(passed)
