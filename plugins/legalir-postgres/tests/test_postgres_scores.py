"""Scores beside those of legalir's own retrievers, lists as of a day, and rows that are on the server."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from conftest import Make
from postgres_servers import PostgresServer

from legalir.errors import ExpressionError

WORDS = ["fire", "stair", "door", "alarm", "lift", "hall", "roof", "smoke", "exit", "hose", "wall", "lamp"]


def some_texts(count: int, seed: int = 4) -> dict[str, str]:
    draw = random.Random(seed)
    return {f"p-{number:04}": " ".join(draw.choices(WORDS, k=draw.randint(3, 30))) for number in range(count)}


def questions(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": [str(number) for number in range(len(texts))], "query": list(texts)})


@pytest.mark.parametrize("weights", ["", ", k1=1.5, b=0.75"])
def test_bm25_is_ours_to_the_last_bit(make: Make, weights: str) -> None:
    collection = make(some_texts(300))
    asked = questions("fire door alarm", "smoke exit hose lamp roof wall", "stair")
    ours = collection.pipeline(f'bm25(analyzer="word"{weights})').transform(asked)
    theirs = collection.pipeline(f'postgres_text(analyzer="word"{weights})').transform(asked)
    pd.testing.assert_frame_equal(theirs, ours, check_exact=True)


def test_repeated_terms_count_as_often(make: Make) -> None:
    collection = make(some_texts(100))
    asked = questions("fire " * 5 + "door", "lamp lamp alarm")
    ours = collection.pipeline('bm25(analyzer="word")').transform(asked).set_index(["qid", "docno"])["score"]
    theirs = collection.pipeline('postgres_text(analyzer="word")').transform(asked).set_index(["qid", "docno"])["score"]
    pd.testing.assert_series_equal(theirs.sort_index(), ours.sort_index(), rtol=1e-6)


def test_ties_at_the_cutoff_are_in_the_order_of_docnos(make: Make) -> None:
    collection = make(dict.fromkeys(("b", "B", "a-1", "가", "Z", "a-10", "é"), "fire door"))
    for expression in ('postgres_text(analyzer="word") % 3', "postgres_dense % 3"):
        assert collection.pipeline(expression).search("fire")["docno"].tolist() == ["B", "Z", "a-1"]


def test_cosines_are_ours_in_half_precision(make: Make) -> None:
    collection = make(some_texts(200))
    asked = questions("fire door alarm", "smoke exit")
    ours = collection.pipeline("dense % 20").transform(asked).set_index(["qid", "docno"])["score"]
    theirs = (
        collection.pipeline("postgres_dense(exact=True) % 20").transform(asked).set_index(["qid", "docno"])["score"]
    )
    both = ours.index.intersection(theirs.index)
    assert len(both) >= 36
    assert (ours[both] - theirs[both]).abs().max() < 0.002


@pytest.mark.parametrize("most", [10_000, 5])
@pytest.mark.parametrize("shards", [1, 2])
def test_filters(make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch, most: int, shards: int) -> None:
    monkeypatch.setattr("legalir.engine._MOST_AMONG", most)
    monkeypatch.setenv("LEGALIR_POSTGRES", ";".join([primary.dsn()] * shards))
    laws, ends = ("Lamp Act", "Raft Act", "Raft Rules"), ("", "2020-01-01")
    rows = {
        f"{docno}@2010-01-01": {"text": text, "law": laws[n % 3], "article": str(n), "effective_to": ends[n % 2]}
        for n, (docno, text) in enumerate(some_texts(150).items())
    }
    collection = make(rows)
    filters = [
        'law="raft act"',
        'law!="Raft Act", article>=12',
        "law~raft, article=6|7|8",
        "text~lamp",
        "article=1",
        "",
    ]
    asked = questions(*["fire door alarm", "smoke exit hose"] * 3).assign(where=filters)
    for day in ("2015-01-01", "2021-01-01"):
        on = asked.assign(as_of=day)
        ours = collection.pipeline('bm25(analyzer="word") % 9').transform(on)
        theirs = collection.pipeline('postgres_text(analyzer="word") % 9').transform(on)
        pd.testing.assert_frame_equal(theirs, ours, check_exact=True)
        ours, theirs = (collection.pipeline(name).transform(on) for name in ("dense % 5", "postgres_dense(ef=200) % 5"))
        assert (theirs.groupby("qid").size() == ours.groupby("qid").size()).all()
        assert len(theirs.merge(ours, on=["qid", "docno"])) >= 0.9 * len(ours)


def versions(count: int) -> dict[str, dict[str, str]]:
    """Return provisions of which few are in force after 2020: 19 of 20 end then."""
    rows = {}
    for number, (docno, text) in enumerate(some_texts(count).items()):
        end = "" if number % 20 == 0 else "2020-01-01"
        rows[f"{docno}@2010-01-01"] = {"text": text, "effective_from": "2010-01-01", "effective_to": end}
    return rows


def test_lists_of_a_day_are_as_long_as_asked_for(
    make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without a scan of all rows, the graph answers, whose first candidates are nearly all out of force.
    monkeypatch.setenv("LEGALIR_POSTGRES", f"{primary.dsn()} options='-c enable_seqscan=off -c enable_sort=off'")
    collection = make(versions(1200))
    found = collection.pipeline("postgres_dense(ef=10) % 40").transform(
        questions("fire door alarm").assign(as_of="2021-01-01")
    )
    exact = collection.pipeline("postgres_dense(exact=True) % 40").transform(
        questions("fire door alarm").assign(as_of="2021-01-01")
    )
    assert len(found) == 40
    assert len(set(found["docno"]) & set(exact["docno"])) >= 36
    everything = collection.pipeline("postgres_dense(ef=10)").transform(questions("fire").assign(as_of="2021-01-01"))
    assert len(everything) == 60


def test_a_day_is_ours_whatever_the_clock_of_the_server(
    make: Make, primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {
        "a@2010-01-01": {"text": "fire door", "effective_from": "2010-01-01"},
        "a@2020-01-01": {"text": "fire gate", "effective_from": "2020-01-01"},
        "b@2020-01-01": {"text": "", "effective_from": "2020-01-01"},
        "b": {"text": "fire"},
    }
    collection = make(rows)
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        monkeypatch.setenv("LEGALIR_POSTGRES", f"{primary.dsn()} options='-c timezone={zone}'")
        for expression in ('postgres_text(analyzer="word")', "postgres_dense"):
            pipeline = collection.pipeline(expression)
            for day, expected in (("2019-12-31", ["a@2010-01-01", "b"]), ("2020-01-01", ["a@2020-01-01"])):
                assert sorted(pipeline.transform(questions("fire").assign(as_of=day))["docno"]) == expected


def test_another_cache_finds_the_table_that_is_there(make: Make, primary: PostgresServer) -> None:
    rows = some_texts(50)
    first = make(rows).pipeline("postgres_text").search("fire")
    tables = primary.sql("SELECT relname, oid FROM pg_class WHERE relname LIKE 'text%'")
    second = make(rows, cache="another").pipeline("postgres_text").search("fire")
    pd.testing.assert_frame_equal(first, second)
    assert primary.sql("SELECT relname, oid FROM pg_class WHERE relname LIKE 'text%'") == tables


def test_a_changed_corpus_gets_a_table_of_its_own(make: Make) -> None:
    old = make({"a": "fire door", "b": "roof"})
    before = old.pipeline("postgres_text")
    assert before.search("roof")["docno"].tolist() == ["b"]
    new = make({"a": "fire door", "c": "roof"})
    assert new.pipeline("postgres_text").search("roof")["docno"].tolist() == ["c"]
    assert before.search("roof")["docno"].tolist() == ["b"]


def test_an_explanation_adds_up(make: Make) -> None:
    collection = make(some_texts(30))
    result = collection.search("fire door alarm", 'postgres_text(analyzer="word")', k=3)
    for docno, explanation in zip(result["docno"], result.explain(), strict=True):
        assert explanation.docno == docno
        assert explanation.is_whole()


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("postgres_dense(ef=0)", "ef=0"),
        ("postgres_dense(timeout=0)", "timeout=0"),
        ("postgres_text(k1=-1)", "k1=-1"),
        ("postgres_text(b=2)", "b=2"),
        ('postgres_text(schema="Laws; DROP")', "schema="),
    ],
)
def test_wrong_parameters(make: Make, expression: str, told: str) -> None:
    with pytest.raises(ExpressionError, match=f"postgres_.*{told}"):
        make({"a": "fire"}).pipeline(expression)
