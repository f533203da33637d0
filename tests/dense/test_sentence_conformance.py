"""Sentence encoders keep the contract of encoders."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_models import write_sentence

from legalir import testing
from legalir.dense.sentence import sentence_encoder

pytestmark = pytest.mark.neural


def test_conformance(tmp_path: Path) -> None:
    params = {"model": str(write_sentence(tmp_path / "model", layers=1)), "device": "cpu", "max_length": 32}
    outcomes = testing.check("encoder", sentence_encoder, params=params)
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert {one.check for one in outcomes if one.status != "passed"} == {"fitted-vectors", "restored-encoder"}
