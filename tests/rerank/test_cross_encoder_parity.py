"""Scores are those of FlagEmbedding and sentence-transformers; best passages those of a plain loop."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cross_encoder_material import QUERIES, SHORT, Statutes, long_text
from tiny_models import write_cross_encoder

from legalir.rerank.reranker import CrossEncoderReranker

pytestmark = pytest.mark.neural

TITLES = ("제12조(배연설비)", "Section 4 (Exits)", "")
PROVISIONS = {
    f"p-{number}": (TITLES[number % 3], text) for number, text in enumerate([*SHORT, long_text(3), long_text(7)])
}
ALL = pd.concat(
    [
        pd.DataFrame({"qid": str(number), "query": query, "docno": list(PROVISIONS)})
        for number, query in enumerate([*QUERIES, ""])
    ],
    ignore_index=True,
)


@pytest.fixture(name="folder", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("parity") / "model", seed=3)


def pairs_of(frame: pd.DataFrame) -> list[tuple[str, str]]:
    indexed = {docno: f"{title}\n{text}" if title else text for docno, (title, text) in PROVISIONS.items()}
    return [(query, indexed[docno]) for query, docno in zip(frame["query"], frame["docno"], strict=True)]


def scored(folder: Path, **parameters: Any) -> pd.DataFrame:
    return CrossEncoderReranker(folder, texts=Statutes(PROVISIONS), device="cpu", **parameters)(ALL)


def test_scores_are_those_of_flag_embedding(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of packages that it imports.
        from FlagEmbedding import FlagReranker

        reference = FlagReranker(str(folder), use_fp16=False, devices="cpu", max_length=512)
    # It turns tokens back into text, and then takes a question beside an empty text for a single text.
    found = scored(folder).query("docno != 'p-5'")
    wanted = reference.compute_score(pairs_of(found), normalize=True)
    np.testing.assert_allclose(found["score"], wanted, atol=1e-4)
    logits = scored(folder, activation="none").query("docno != 'p-5'")
    np.testing.assert_allclose(logits["score"], reference.compute_score(pairs_of(logits)), atol=1e-4)


def test_scores_are_those_of_sentence_transformers(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of packages that it imports.
        from sentence_transformers import CrossEncoder

        reference = CrossEncoder(str(folder), device="cpu")
    found = scored(folder)
    np.testing.assert_allclose(found["score"], reference.predict(pairs_of(found)), atol=1e-4)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_length": 64},
        {"max_length": 96, "stride": 10},
        {"passage": 24},
        {"passage": 40, "stride": 40},
        {"max_length": 64, "passage": 16, "stride": 5},
    ],
)
def test_best_passages_are_those_of_a_plain_loop(folder: Path, parameters: dict[str, int]) -> None:
    """The loop puts every window together by hand and asks the model for one at a time."""
    found = scored(folder, activation="none", batch_tokens=700, **parameters).set_index(["qid", "docno"])["score"]
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()

    def ids(text: str) -> list[int]:
        return tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]

    limit, several = parameters.get("max_length", 512), 0
    for row in ALL.itertuples():
        title, text = PROVISIONS[row.docno]
        query, head, body = ids(row.query)[: limit * 3 // 4], ids(title), ids(text)
        room = min(limit - 4 - len(query), parameters.get("passage", limit))
        passages = [head + body]
        if len(head) + len(body) > room:
            kept, rest = (head, body) if len(head) * 4 <= room else ([], head + body)
            held = room - len(kept)
            step = min(parameters.get("stride", held // 2), held)
            starts = [start for start in range(len(rest)) if start % step == 0 and start + held < len(rest)]
            passages = [kept + rest[start : start + held] for start in [*starts, len(rest) - held]]
        several += len(passages) > 1
        with torch.no_grad():
            inputs = [torch.tensor([[0, *query, 2, 2, *passage, 2]]) for passage in passages]
            best = max(model(one).logits.item() for one in inputs)
        assert found[row.qid, row.docno] == pytest.approx(best, abs=1e-4)
    assert several > 5


def test_the_batch_of_a_pair_does_not_matter(folder: Path) -> None:
    together = scored(folder, activation="none", batch_tokens=100_000).set_index(["qid", "docno"])["score"]
    alone = scored(folder, activation="none", batch_tokens=1).set_index(["qid", "docno"])["score"]
    np.testing.assert_allclose(together[alone.index], alone, atol=1e-5)


def test_half_precision_is_near(folder: Path) -> None:
    found = scored(folder, dtype="bfloat16").set_index(["qid", "docno"])["score"]
    whole = scored(folder).set_index(["qid", "docno"])["score"]
    assert not np.array_equal(found[whole.index], whole)
    np.testing.assert_allclose(found[whole.index], whole, atol=0.2)
