"""The index of three heads, built by a real encoder with a tiny model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fake_m3 import provisions
from tiny_models import write_m3

from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.m3_index import M3Index
from legalir.storage.documents import indexed_text

pytestmark = pytest.mark.neural


def test_the_index_holds_what_the_model_says_of_each_text_alone(tmp_path: Path) -> None:
    write_m3(tmp_path / "model")
    encoder = M3Encoder(tmp_path / "model", max_length=40, device="cpu")
    documents = [*provisions(20), {"docno": "empty", "text": ""}]
    store = M3Index(tmp_path / "m3", encoder).index(documents, multi="float32", precision="float32", shard=8)
    assert store.vocabulary == encoder.vocabulary
    assert store.multi is not None
    truncated = 0
    for number, document in enumerate(documents):
        said = encoder.represent([indexed_text(document)], multi=True)
        truncated += int(said.truncated[0])
        tokens, weights = store.sparse.row(number)
        assert tokens.tolist() == said.tokens.tolist()
        # Padding of a batch moves the last bits.
        assert np.abs(weights - said.weights).max(initial=0) < 1e-4
        assert np.abs(store.dense[number] - said.dense[0]).max() < 1e-4
        assert said.vectors is not None
        assert np.abs(store.multi.row(number) - said.vectors).max() < 1e-4
    assert 0 < truncated == store.truncated
    assert len(store.index([])) == 0
