"""The cross-encoder as a transformer: frames, texts, what is computed when, explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from cross_encoder_material import QUERIES, SHORT, Calls, Statutes, listed, long_text
from refusals import refused
from tiny_models import write_cross_encoder

from legalir.errors import ComponentError
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.sar import SAR
from legalir.rerank.reranker import CrossEncoderReranker, rerank

pytestmark = pytest.mark.neural

STATUTES = Statutes(
    {**{f"a-{number}": (f"제{number}조", text) for number, text in enumerate(SHORT)}, "long": ("제99조", long_text(20))}
)
FIRST = pd.concat([listed("q2", QUERIES[0], ["a-0", "long", "a-2"]), listed("q1", QUERIES[1], ["a-1", "a-3", "a-4"])])


@pytest.fixture(name="folder", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("reranker") / "tiny-reranker")


@pytest.fixture(name="calls")
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def reranker(folder: Path, **parameters: Any) -> CrossEncoderReranker:
    return CrossEncoderReranker(folder, **{"texts": STATUTES, "device": "cpu", **parameters})


def scores_of(found: pd.DataFrame) -> dict[tuple[str, str], float]:
    return dict(zip(zip(found["qid"], found["docno"], strict=True), found["score"], strict=True))


def test_of_equal_scores_the_lesser_docno_comes_first(folder: Path) -> None:
    same = dict.fromkeys(("b", "c", "a"), "같은 조문")
    found = reranker(folder, texts=same)(listed("q", "질문", ["c", "a", "b"]))
    assert found["docno"].tolist() == ["a", "b", "c"]
    assert found["score"].nunique() == 1


def test_texts_are_those_of_the_frame_or_of_the_collection(folder: Path) -> None:
    """A frame that says title and text itself says the same as the collection; one row that does not is looked up."""
    held = STATUTES.held
    own = FIRST.assign(
        title=[held[docno].title for docno in FIRST["docno"]], text=[held[docno].text for docno in FIRST["docno"]]
    )
    wanted = scores_of(reranker(folder)(FIRST))
    assert scores_of(reranker(folder, texts=None)(own)) == wanted
    assert scores_of(reranker(folder)(own.assign(text=[None, *own["text"][1:]]))) == wanted
    other = scores_of(reranker(folder)(own.assign(text="다른 조문")))
    assert all(other[key] != score for key, score in wanted.items())
    bare = own.assign(title=float("nan"))
    texts = {docno: one.text for docno, one in held.items()}
    assert scores_of(reranker(folder, texts=None)(bare)) == scores_of(reranker(folder, texts=texts)(FIRST))
    assert scores_of(reranker(folder, texts=None)(bare)) != wanted


def test_composed_and_decomposed_texts_are_the_same(folder: Path) -> None:
    import unicodedata

    texts = {docno: unicodedata.normalize("NFD", text) for docno, text in zip("abc", SHORT, strict=False)}
    composed = {docno: unicodedata.normalize("NFC", text) for docno, text in texts.items()}
    first = listed("q", QUERIES[0], list("abc"))
    decomposed = first.assign(query=unicodedata.normalize("NFD", QUERIES[0]))
    wanted = scores_of(reranker(folder, texts=composed)(first))
    assert scores_of(reranker(folder, texts=texts)(decomposed)) == wanted


def test_odd_texts_have_scores(folder: Path) -> None:
    texts = {"a": "", "b": "\x00\u200b\ufeff", "c": "\ud800 lone", "d": "등불" + "\u0301" * 50, "e": "가" * 3_000}
    for query in ("", "?!…", "가 " * 50_000):
        found = reranker(folder, texts=texts)(listed("q", query, list(texts)))
        assert len(found) == 5
        assert found["score"].between(0, 1).all()


def test_an_empty_frame_loads_no_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, free = reranker(folder), reranker(folder, texts=None)
    monkeypatch.setattr(CrossEncoderReranker, "loaded", property(lambda self: pytest.fail("loaded")))
    found = one(FIRST.iloc[:0])
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    assert (found["score"].dtype, found["rank"].dtype) == (np.float64, np.int64)
    columns = ["qid", "query", "docno"]
    assert pt.inspect.transformer_outputs(one, columns) == [*columns, "score", "rank"]
    with pytest.raises(pt.validate.InputValidationError):
        free(FIRST.iloc[:0])
    with pytest.raises(pt.validate.InputValidationError):
        one(FIRST.drop(columns="query"))


def test_equal_pairs_are_scored_once(folder: Path, calls: Calls) -> None:
    twice = pd.concat([FIRST.assign(qid=qid, query=QUERIES[0]) for qid in ("1", "2")]).drop_duplicates(["qid", "docno"])
    texts = dict.fromkeys(FIRST["docno"], "하나의 조문") | {"a-0": "다른 조문"}
    found = reranker(folder, texts=texts)(twice)
    assert calls.taken() == 2
    assert len(found) == len(twice)
    assert found["score"].nunique() == 2


def test_models_are_in_memory_once(folder: Path) -> None:
    one, other, half = reranker(folder), reranker(folder, max_length=64), reranker(folder, dtype="bfloat16")
    assert one.loaded is other.loaded
    assert one.loaded is not half.loaded


def test_the_fingerprint_is_of_what_decides_the_scores(folder: Path, tmp_path: Path) -> None:
    other = write_cross_encoder(tmp_path / "other", seed=1)
    same = write_cross_encoder(tmp_path / "same")
    base = reranker(folder).fingerprint
    assert {reranker(folder, batch_tokens=9, activation="none").fingerprint, reranker(same).fingerprint} == {base}
    changes: list[dict[str, Any]] = [{"passage": 32}, {"stride": 9}, {"max_length": 64}, {"dtype": "float32"}]
    changes += [{"preset": f"BAAI/bge-reranker-{name}"} for name in ("large", "v2-m3")]
    changed = [reranker(other).fingerprint, *(reranker(folder, **change).fingerprint for change in changes)]
    assert len({base, *changed}) == 8
    loaded = reranker(folder)
    loaded(FIRST)
    assert loaded.fingerprint == base


def test_a_stride_is_not_longer_than_its_passage(folder: Path) -> None:
    with refused("rerank", "stride", 33):
        reranker(folder, passage=32, stride=33)


def fault(one: CrossEncoderReranker, frame: pd.DataFrame) -> str:
    with pytest.raises(ComponentError) as caught:
        one(frame)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_faults_are_named(folder: Path) -> None:
    one = reranker(folder)
    assert fault(one, listed("q", "질문", ["a-0", "x"])) == "rerank: there is no provision 'x' in Statutes()."
    assert fault(reranker(folder, texts={}), FIRST) == "rerank: there is no provision 'a-0' in the given texts."
    bare = FIRST.assign(text=["조문", float("nan"), *["조문"] * 4])
    assert fault(reranker(folder, texts=None), bare) == (
        "rerank: the provision 'long' has no text: give a column 'text', or texts=… to take it from."
    )
    twice = pd.concat([FIRST, FIRST.iloc[:1]])
    assert fault(one, twice) == "rerank: 'a-0' occurs twice in the list of query 'q2'."
    assert fault(one, FIRST.assign(query=1.5)) == "rerank: the query 1.5 of 'q2' is not a string."
    assert fault(reranker(folder, max_length=513), FIRST) == (
        "rerank: max_length=513 is more than the 512 tokens that tiny-reranker can read."
    )
    with pytest.raises(ComponentError, match="rerank: cache='no'"):
        rerank(STATUTES, model=str(folder), cache="no")  # type: ignore[arg-type]


def test_scores_lie_in_the_unit_interval_and_sar_may_follow(folder: Path) -> None:
    graph = CitationGraph.from_links([("a-0", "a-5", "cites"), ("long", "a-3", "cites")], STATUTES.held)
    one = reranker(folder)
    found = (one >> SAR(graph, beta=0, scorer=one))(FIRST)
    assert set(found[found["qid"] == "q2"]["docno"]) == {"a-0", "long", "a-2", "a-5", "a-3"}
    alone = scores_of(one(listed("q2", QUERIES[0], ["a-5", "a-3"])))
    for docno in ("a-5", "a-3"):
        assert scores_of(found)["q2", docno] == pytest.approx(alone["q2", docno], abs=1e-6)
