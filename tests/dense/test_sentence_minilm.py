"""A real model: all-MiniLM-L6-v2, which knows English."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from tiny_models import minilm_folder

from legalir.dense.sentence import SentenceEncoder

pytestmark = pytest.mark.neural

TEXTS = (
    "The owner of a building keeps its fire exits clear.",
    "A tenant pays the rent on the first day of each month.",
    "소방시설을 폐쇄하거나 차단하여서는 아니 된다.",
    "An appeal is filed within 14 days after the judgment is served. " * 40,
    "fire",
)


@pytest.fixture(name="encoder", scope="module")
def real_encoder() -> SentenceEncoder:
    return SentenceEncoder(minilm_folder(), device="cpu")


def test_vectors_are_those_of_sentence_transformers(encoder: SentenceEncoder, caplog: pytest.LogCaptureFixture) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(minilm_folder()), device="cpu")
    wanted = model.encode(list(TEXTS), normalize_embeddings=True, show_progress_bar=False)
    with caplog.at_level(logging.INFO, logger="legalir"):
        found = encoder.encode(TEXTS)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_queries(TEXTS[::-1]), wanted[::-1], rtol=0, atol=1e-5)
    cut = f"{minilm_folder()} cut 1 of 5"
    assert caplog.messages == [f"{cut} texts at 256 tokens.", f"{cut} questions at 256 tokens."]


def test_meaning(encoder: SentenceEncoder) -> None:
    questions = ["Who has to keep emergency doors free?", "When is the lease payment due?", "time limit for appealing"]
    cosines = encoder.encode_queries(questions) @ encoder.encode(TEXTS).T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 3]
    assert encoder.dimensions == 384
