"""Our components between ``pt.apply`` steps and PyTerrier's operators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from composition_material import PIPELINES, QUERIES, ranking_of, scores_of

from legalir.collection.collection import Collection
from legalir.errors import ComponentError
from legalir.graph.sar import SAR

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
every_pipeline = pytest.mark.parametrize("expression", PIPELINES)


@every_pipeline
def test_between_steps_of_pt_apply(collection: Collection, expression: str) -> None:
    ours = collection.pipeline(expression)
    plain = (
        pt.apply.query(lambda row: row["query"].upper())
        >> pt.apply.query(lambda row: row["query_0"])
        >> pt.apply.rename({"asked": "day"})
        >> pt.apply.generic(lambda frame: frame.iloc[::-1])
        >> ours
        >> pt.apply.doc_score(lambda row: -row["score"])
        >> pt.apply.doc_score(lambda row: -row["score"])
        >> pt.apply.by_query(lambda rows: rows.head(7), add_ranks=False)
    )
    found, expected = plain(QUERIES), (ours % 7)(QUERIES)
    assert ranking_of(found) == ranking_of(expected)
    assert scores_of(found) == scores_of(expected)
    assert dict(zip(found["qid"], found["day"], strict=True)) == dict(
        zip(QUERIES["qid"], QUERIES["asked"], strict=True)
    )


@pytest.mark.parametrize("step", ['sar(normalize="max")', "links", "rocchio(index=bm25)"])
def test_after_columns_were_dropped_or_computed(collection: Collection, step: str) -> None:
    """Ranks are not needed, and columns that nobody knows do no harm; what is done by hand is done in the same way."""
    first, last = collection.pipeline("bm25 % 25"), collection.pipeline(step)
    expected = (first >> last)(QUERIES)
    altered = (
        first
        >> pt.apply.rank(drop=True)
        >> pt.apply.score(lambda row: row["score"] * 1)
        >> pt.apply.length(lambda row: len(row["docno"]))
        >> pt.apply.generic(lambda frame: frame.sample(frac=1, random_state=1))
    )
    found = (altered >> last)(QUERIES)
    assert ranking_of(found) == ranking_of(expected)
    assert list((pt.apply.asked(drop=True) >> first >> last)(QUERIES).columns) == [
        column for column in expected.columns if column != "asked"
    ]


def test_sum_and_product_by_hand(collection: Collection) -> None:
    bm25, lsa = collection.pipeline("bm25 % 10"), collection.pipeline("lsa % 10")
    found = scores_of((2 * bm25 + 0.5 * lsa)(QUERIES))
    left, right = scores_of(bm25(QUERIES)), scores_of(lsa(QUERIES))
    expected = {pair: 2 * left.get(pair, 0) + 0.5 * right.get(pair, 0) for pair in left.keys() | right.keys()}
    assert found == pytest.approx(expected)
    linear = collection.pipeline('linear(bm25 % 10, lsa % 10, weights=[2, 0.5], normalize="none")')
    assert scores_of(linear(QUERIES)) == pytest.approx(expected)


READERS = (*("bm25", "rocchio(index=lsa)", "links", "family"), 'sar(normalize="minmax", scorer=lsa)')


@pytest.mark.parametrize("step", READERS)
def test_after_a_sum_every_query_is_whole(collection: Collection, step: str) -> None:
    """What only the right side of ``+`` found has no query in PyTerrier: the others of the same qid have it."""
    every = collection.pipeline("bm25 % 10 + lsa % 10")(QUERIES)
    right_only = every["query"].isna()
    assert right_only.any()
    assert not right_only.all()
    first = every.iloc[np.argsort(~right_only.to_numpy(), kind="stable")].reset_index(drop=True)
    assert first["query"].isna().iloc[0]
    mended = first.assign(
        query=first["qid"].map(QUERIES.set_index("qid")["query"]),
        asked=first["qid"].map(QUERIES.set_index("qid")["asked"]),
    )
    last = collection.pipeline(step)
    found, expected = last(first), last(mended)
    keeps_rows = step in ("bm25", "lsa", "family")
    columns = ["qid", "docno", "score", "rank"] if keeps_rows else [c for c in found if c != "query_vec"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])


@pytest.mark.parametrize("operator", ["|", "&"])
def test_sets_are_scored_anew(collection: Collection, operator: str) -> None:
    both = collection.pipeline(f"bm25 % 20 {operator} lsa % 20")
    scorer = collection.sparse().bm25().scorer()
    found = (both >> scorer >> collection.pipeline('sar(normalize="max") % 5'))(QUERIES)
    assert found.groupby("qid").size().tolist() == [5, 5, 5]
    held = {name: set(scores_of(collection.pipeline(f"{name} % 20")(QUERIES))) for name in ("bm25", "lsa")}
    expected = held["bm25"] | held["lsa"] if operator == "|" else held["bm25"] & held["lsa"]
    assert set(scores_of((both >> scorer)(QUERIES))) == expected


def test_concatenation_keeps_the_first_list_on_top(collection: Collection) -> None:
    system = collection.pipeline("(bm25 % 5) ^ (lsa % 10)")
    found, top = ranking_of(system(QUERIES)), ranking_of(collection.pipeline("bm25 % 5")(QUERIES))
    assert {qid: docnos[:5] for qid, docnos in found.items()} == top
    again = (system >> collection.pipeline("links(k=5)"))(QUERIES)
    assert {qid: docnos[:5] for qid, docnos in ranking_of(again).items()} == top


def test_features_are_the_scores_of_our_scorers(collection: Collection) -> None:
    first = collection.pipeline("bm25 % 15")
    parts = (collection.sparse().tfidf().scorer(), collection.dense().scorer(), collection.pipeline("family"))
    found = (first >> (parts[0] ** parts[1] ** parts[2]))(QUERIES)
    expected = [scores_of(part(first(QUERIES))) for part in parts]
    assert len(found) == 45
    for row in found.itertuples():
        assert row.features.tolist() == [scores[row.qid, row.docno] for scores in expected]
    assert scores_of(found) == scores_of(first(QUERIES)), "the scores of the first stage stay"


def test_vectors_are_query_enough_for_a_scorer(collection: Collection) -> None:
    """Where pyterrier-dr's encoders made `query_vec`, no text of the query need be left."""
    index, graph = collection.dense(), collection.graph
    reranked = SAR(graph, normalize="clip", scorer=index.retriever())
    encoded = index.query_encoder()(QUERIES)
    bare = (index.retriever(20) >> reranked)(encoded.drop(columns="query"))
    assert ranking_of(bare) == ranking_of((index.retriever(20) >> reranked)(encoded))
    assert pt.inspect.transformer_inputs(reranked) == [
        ["qid", "query", "docno", "score"],
        ["qid", "query_vec", "docno", "score"],
    ]


def test_what_plain_code_breaks_is_said(collection: Collection) -> None:
    broken = collection.pipeline("bm25") >> pt.apply.score(lambda row: float("nan"))
    for step in ("links", "rocchio(index=bm25)", "family"):
        with pytest.raises(ComponentError, match=r"NaN|nan"):
            (broken >> collection.pipeline(step))(QUERIES)
    numbers = pt.apply.query(lambda row: 7) >> collection.pipeline("bm25")
    with pytest.raises(ComponentError, match="query 7 of 'q1'"):
        numbers(QUERIES)
