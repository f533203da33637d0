"""Why a cross-encoder's scores are what they are: the window that was read, and the score that was replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from cross_encoder_material import QUERIES, SHORT, Calls, Statutes, listed, long_text
from tiny_models import write_cross_encoder

from legalir.explanation import Explanation, explain
from legalir.rerank.reranker import CrossEncoderReranker

pytestmark = pytest.mark.neural

STATUTES = Statutes({"a-0": ("제1조", SHORT[0]), "a-2": ("제3조", SHORT[2]), "long": ("제99조", long_text(20))})
FIRST = listed("q2", QUERIES[0], ["a-0", "long", "a-2"])


@pytest.fixture(name="folder", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("explained") / "tiny-reranker")


@pytest.fixture(name="calls")
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def reranker(folder: Path, **parameters: Any) -> CrossEncoderReranker:
    return CrossEncoderReranker(folder, **{"texts": STATUTES, "device": "cpu", **parameters})


class Given(pt.Transformer):
    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return FIRST.assign(qid=inp["qid"].iloc[0])


@pytest.mark.parametrize("activation", ["sigmoid", "none"])
def test_explanations(folder: Path, activation: str, calls: Calls, tmp_path: Path) -> None:
    one = reranker(folder, activation=activation, passage=40, cache=tmp_path)
    pipeline = Given() >> one
    results = pipeline.search(QUERIES[0])
    asked = calls.taken()
    found = {explanation.docno: explanation for explanation in explain(pipeline, QUERIES[0])}
    assert asked > 3
    assert calls.taken() == 0, "all is known"
    assert list(found) == results["docno"].tolist()
    for docno, score in zip(results["docno"], results["score"], strict=True):
        assert found[docno].score == pytest.approx(score, abs=1e-12)
        assert found[docno].remainder == 0
        assert found[docno].label == "rerank(tiny-reranker)"
    check_parts(found["a-0"], found["long"], activation)


def check_parts(short: Explanation, long: Explanation, activation: str) -> None:
    logit = short.parts[0].detail["logit"]
    made = f" (logit {logit:.4g})" if activation == "sigmoid" else ""
    assert [part.label for part in short.parts] == [
        f"question and provision read together{made}",
        "rank 1 before (9), replaced",
    ]
    assert short.parts[1].detail == {"rank": 1, "score": 9.0}
    assert short.parts[1].source is not None
    assert short.parts[1].source.score == 9.0
    detail = long.parts[0].detail
    read = f"제99조\n{long_text(20)}"[detail["from"] : detail["to"]]  # type: ignore[misc]
    shown = " ".join(read.split())[:39]
    assert long.parts[0].label.startswith(f"best window, {detail['window']} of {detail['windows']}")
    assert long.parts[0].label.endswith(f": “{shown}…”")
    assert len(read) > 40


def test_the_best_window_is_where_the_explanation_says(folder: Path) -> None:
    """What the explanation shows has, as a provision of its own, the score of the long one.

    Each word is one token, so that no window begins inside a word.
    """
    words = np.random.default_rng(4).choice(
        ["소방", "설치", "한다", "무창층", "징역", "exit", "door", "storage", "owner", "shall"], 200
    )
    text = " ".join(words)
    one = reranker(folder, texts={"long": text}, passage=40, activation="none")
    [found] = one.explain(listed("q", QUERIES[0], ["long"]), ["long", "absent"], lambda docnos: {}).values()
    detail = found.parts[0].detail
    # Half of 40 on: 0, 20, …, 160.
    assert (detail["windows"], one.loaded.tokens([text])[0].shape) == (9, (200,))
    read = text[detail["from"] : detail["to"]].split()  # type: ignore[misc]
    first = 20 * (detail["window"] - 1)  # type: ignore[operator]
    assert read == words[first : first + 40].tolist()
    alone = reranker(folder, texts={"w": " ".join(read)}, activation="none")(listed("q", QUERIES[0], ["w"]))
    assert alone["score"].iloc[0] == pytest.approx(found.score, abs=1e-5)
