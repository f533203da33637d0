"""What is stored scores as FlagEmbedding, the library of BGE-M3's authors, scores the texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny_models import SENTENCES, WORDS, write_m3

from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.m3_index import M3Index

pytestmark = pytest.mark.neural

QUERY_LIMIT, LIMIT = 24, 40
NAMES = {"dense": "dense", "sparse": "sparse", "colbert": "multi"}
STORED = [("float32", "float32", 1e-5), ("float16", "float16", 1e-3), ("float16", "int8", 5e-3)]
"""Precision, multi-vectors, and how far a score may be off. 32 dimensions in int8 are off by up to √32 · m/254."""


@pytest.fixture(name="model", scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("m3") / "model")


WEIGHTS = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}


@pytest.fixture(name="theirs", scope="module")
def flag_scores(model: Path) -> list[Any]:
    """What FlagEmbedding says of each pair of :func:`pairs`."""
    from FlagEmbedding import BGEM3FlagModel

    limits = {"query_max_length": QUERY_LIMIT, "passage_max_length": LIMIT}
    flag = BGEM3FlagModel(str(model), use_fp16=False, devices="cpu", **limits)
    # One pair at a time: in a batch, padding takes part in their maxima.
    order = list(WEIGHTS.values())
    return [flag.compute_score([pair], batch_size=1, weights_for_different_modes=order) for pair in pairs()]


def texts(seed: int, n: int) -> list[str]:
    random = np.random.default_rng(seed)
    made = [" ".join(random.choice(WORDS, size=random.integers(1, 30)).tolist()) for _ in range(n)]
    return ["", "door door 소방 소방 door", *SENTENCES, *made]


def pairs() -> list[tuple[str, str]]:
    return [(query, document) for query in texts(2, 6) for document in texts(1, 20)]


@pytest.mark.parametrize(("precision", "multi", "allowed"), STORED)
def test_scores_of_stored_texts(
    tmp_path: Path, model: Path, theirs: list[Any], precision: Any, multi: Any, allowed: float
) -> None:
    documents, queries = texts(1, 20), texts(2, 6)
    encoder = M3Encoder(model, max_length=LIMIT, query_max_length=QUERY_LIMIT, device="cpu")
    rows = [{"docno": f"d{number:02}", "text": text} for number, text in enumerate(documents)]
    index = M3Index(tmp_path / "index", encoder=encoder).index(rows, multi=multi, precision=precision)
    assert index.truncated > 0
    given = pd.DataFrame(pairs(), columns=["query", "text"])
    given["qid"] = [f"q{queries.index(query)}" for query in given["query"]]
    given["docno"] = [f"d{documents.index(text):02}" for text in given["text"]]
    for name, head in [*NAMES.items(), ("colbert+sparse+dense", "all")]:
        scorer = index.scorer(WEIGHTS if head == "all" else {head: 1})
        out = given.merge(scorer.transform(given), on=["qid", "docno"], sort=False)
        np.testing.assert_allclose(out["score"], [one[name][0] for one in theirs], rtol=0, atol=allowed)
