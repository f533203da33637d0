"""Retrievers after a step that gives results: they score its documents, and columns of documents stay with them."""

from __future__ import annotations

import pyterrier as pt
import pytest
from composition_material import QUERIES, scores_of

from legalir.collection.collection import Collection
from legalir.datasets import Provision
from legalir.errors import ComponentError
from legalir.explanation import explain

RETRIEVERS = ("bm25(k1=2)", "tfidf", "bm25f", "lsa", "lookup")


@pytest.mark.parametrize("expression", RETRIEVERS)
def test_given_documents_have_the_scores_of_the_retriever(collection: Collection, expression: str) -> None:
    queries = QUERIES.assign(query=QUERIES["query"] + " 건축물 화재안전관리법 제2조")
    retriever = collection.pipeline(expression)
    own = scores_of(retriever(queries))
    chain = collection.pipeline(f"bm25 % 30 >> {expression}")
    given = collection.pipeline("bm25 % 30")(queries)
    found = chain(queries)
    scores = scores_of(found)
    assert scores.keys() == scores_of(given).keys()
    assert own.keys() & scores.keys()
    assert scores == pytest.approx({pair: own.get(pair, 0.0) for pair in scores}, rel=1e-5, abs=1e-6)
    assert found.groupby("qid")["rank"].apply(list).map(lambda ranks: ranks == list(range(len(ranks)))).all()
    for one in explain(chain, queries.iloc[[0]]):
        assert one.score == pytest.approx(scores["q1", one.docno])
        assert one.is_whole()


def test_features_are_scores(collection: Collection) -> None:
    features = collection.pipeline("bm25 % 20 >> (tfidf ** lsa ** lookup)")(QUERIES)
    columns = [scores_of(collection.pipeline(f"bm25 % 20 >> {one}")(QUERIES)) for one in ("tfidf", "lsa", "lookup")]
    for row in features.itertuples():
        assert row.features.tolist() == [column[row.qid, row.docno] for column in columns]
    with pytest.raises(ComponentError, match=r"bm25 % 100 >> \(tfidf \*\* bm25f\)"):
        collection.search(QUERIES["query"].iloc[0], "bm25 ** tfidf")


@pytest.mark.parametrize("expression", ["golden", "full_context", "chunked(bm25)", "rrf(bm25, golden)"])
def test_what_cannot_score_given_documents_refuses_them(collection: Collection, expression: str) -> None:
    pipeline = collection.pipeline(f"bm25 % 5 >> {expression}")
    for queries in (QUERIES, QUERIES.iloc[:0]):
        with pytest.raises(ComponentError, match="cannot score given documents"):
            pipeline(queries)


STEPS = (
    *("tfidf % 5", "rrf(bm25, tfidf) % 5", "default % 5", "sar(normalize='minmax')", "links(k=3)", "nitilink(depth=2)"),
    *("family", "rocchio(index=lsa)", "rocchio(index=bm25, mode='candidate')", "rrf(tfidf, sar(normalize='minmax'))"),
)


OPERATORS = {
    "alone": lambda first, other: first,
    "sum": lambda first, other: first + other,
    "then": lambda first, other: first ^ other,
    "cut": lambda first, other: (2 * first) % 4,
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_no_document_gets_the_fields_of_another(collection: Collection, step: str, operator: str) -> None:
    loader = pt.get_dataset("irds:legalir/firecode").text_loader()
    first = collection.pipeline("bm25 % 5") >> loader
    both = OPERATORS[operator](first, collection.pipeline("bm25f % 4"))
    marked = pt.apply.generic(lambda rows: rows.assign(mine=[f"of {docno}" for docno in rows["docno"]]))
    out = (both >> marked >> collection.pipeline(step))(QUERIES)
    records = collection.provisions(out["docno"].tolist())
    of = {"mine": lambda docno: f"of {docno}"}
    of |= {name: lambda docno, name=name: getattr(records[docno], name) for name in Provision._fields[1:]}
    for name in of.keys() & out.columns:
        assert all(
            value == of[name](docno) for docno, value in zip(out["docno"], out[name], strict=True) if value == value
        )
    asked = out["qid"].map(QUERIES.set_index("qid")["asked"])
    assert (out["asked"].fillna(asked) == asked).all()
