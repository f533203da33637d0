"""The law of a day: each component returns what it would return from a collection that holds nothing else."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from dated_folder import CORPUS, DAYS, LINKS, in_force, write_dated

import legalir
from legalir.errors import ComponentError
from legalir.frames import as_of as as_of_module
from legalir.frames.columns import empty_like
from legalir.frames.ranking import rank_results
from legalir.graph.laws import LawTable
from legalir.pipeline.builder import made_in_force
from legalir.storage.validity import provision_key

QUERIES = [
    "How many metres must the lead of a dog be at most?",
    "fee of a permit for fires",
    "Article 1 of the Parks Act",
    "kites on Sundays",
]
RETRIEVERS = ["bm25", "tfidf", "bm25f", "lsa(dimensions=2)", "lookup(most=2)", "full_context"]
OTHERS = [
    "bm25 >> links",
    "bm25 % 2 >> nitilink(depth=2)",
    'bm25 % 3 >> sar(normalize="minmax", direction="both")',
    "rrf(bm25, lsa(dimensions=2)) % 4 >> links",
    'bm25 >> family(group="law")',
    "lsa(dimensions=2) >> rocchio(k=2)",
    "bm25 >> rocchio(k=2)",
    "linear(bm25, lookup, weights=[0.8, 0.2])",
    "default",
]
TODAY = "2016-06-01"


@pytest.fixture(autouse=True)
def _today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_of_module, "today", lambda: date.fromisoformat(TODAY).toordinal())
    monkeypatch.setattr("legalir.collection.collection.today", lambda: date.fromisoformat(TODAY).toordinal())


@pytest.fixture(name="folder", scope="module")
def written_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dated(tmp_path_factory.mktemp("dated") / "laws")


@pytest.fixture(name="collection", scope="module")
def dated_collection(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> legalir.Collection:
    return legalir.Collection(folder, cache=tmp_path_factory.mktemp("cache"))


def asked(*days: str) -> pd.DataFrame:
    """Return each query on each day."""
    rows = [
        {"qid": f"{number} {day}", "query": query, "as_of": day} for day in days for number, query in enumerate(QUERIES)
    ]
    return pd.DataFrame(rows)


def lists(results: pd.DataFrame) -> dict[str, list[str]]:
    return {qid: rows.sort_values("rank")["docno"].tolist() for qid, rows in results.groupby("qid")}


def law_of(day: str) -> set[str]:
    return {row["docno"] for row in in_force(CORPUS, day)}


@pytest.mark.parametrize("expression", RETRIEVERS + OTHERS)
def test_only_the_law_of_the_day(collection: legalir.Collection, expression: str) -> None:
    results = collection.pipeline(expression).transform(asked(*DAYS))
    assert len(results)
    for qid, docnos in lists(results).items():
        assert set(docnos) <= law_of(qid.split()[1]), qid
        assert len({provision_key(docno) for docno in docnos}) == len(docnos)


@pytest.mark.parametrize("expression", RETRIEVERS[2:5] + OTHERS[2:5] + OTHERS[-1:])
def test_a_batch_of_several_days_is_as_one_by_one(collection: legalir.Collection, expression: str) -> None:
    queries = asked(*DAYS[1:5]).sample(frac=1, random_state=0).reset_index(drop=True)
    pipeline = collection.pipeline(expression)
    together = pipeline.transform(queries)
    single = [pipeline.transform(queries.iloc[[row]]) for row in range(len(queries))]
    assert lists(together) == lists(pd.concat(single))
    assert together["qid"].drop_duplicates().tolist() == [qid for qid in queries["qid"] if qid in set(together["qid"])]


@pytest.fixture(name="plain", params=DAYS[2::2], scope="module")
def plain_collection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, legalir.Collection]:
    """Return a day, and a collection that holds the law of that day alone, without versions."""
    day = str(request.param)
    law = [{**row, "docno": provision_key(row["docno"])} for row in in_force(CORPUS, day)]
    keys = {row["docno"] for row in law}
    folder = tmp_path_factory.mktemp("plain") / "laws"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in law), encoding="utf-8")
    links = [(provision_key(a), provision_key(b), kind) for a, b, kind in LINKS]
    rows = ["\t".join(link) for link in links if {*link[:2]} <= keys]
    (folder / "links.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return day, legalir.Collection(folder, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(
    "expression",
    [
        "lookup(most=2)",
        "full_context",
        "full_context % 2 >> links",
        "full_context % 3 >> nitilink(depth=3)",
        'full_context % 3 >> sar(direction="both")',
        "full_context % 2 >> sar(beta=0.9)",
        'full_context >> family(group="law")',
        "bm25",
        "tfidf",
    ],
)
def test_as_a_collection_of_the_law_of_the_day(
    collection: legalir.Collection, plain: tuple[str, legalir.Collection], expression: str
) -> None:
    day, alone = plain
    queries = asked(day)
    dated = collection.pipeline(expression).transform(queries)
    expected = alone.pipeline(expression).transform(queries)
    found = {qid: [provision_key(docno) for docno in docnos] for qid, docnos in lists(dated).items()}
    if expression in ("bm25", "tfidf"):  # Their scores count documents of the whole index: the sets are equal.
        assert {qid: set(docnos) for qid, docnos in found.items()} == {
            qid: set(docnos) for qid, docnos in lists(expected).items()
        }
    else:
        assert found == lists(expected)
        assert sorted(dated["score"]) == pytest.approx(sorted(expected["score"]))


def test_without_a_day_today_is_meant(collection: legalir.Collection) -> None:
    results = collection.search(QUERIES[0], "bm25")
    assert set(results["docno"]) <= law_of(TODAY)
    queries = pd.DataFrame({"qid": ["a", "b", "c"], "query": [QUERIES[0]] * 3, "as_of": [None, "", float("nan")]})
    for docnos in lists(collection.pipeline("bm25").transform(queries)).values():
        assert docnos == results["docno"].tolist()


def test_a_collection_of_a_day(folder: Path, collection: legalir.Collection) -> None:
    past = legalir.Collection(folder, cache=collection.home, as_of=date(2015, 6, 30))
    assert repr(past).endswith("as_of='2015-06-30')")
    assert past.search(QUERIES[0], "bm25")["docno"].iloc[0] == "parks-1@2010-01-01"
    assert past.search(QUERIES[0], "bm25", as_of="2020-03-01")["docno"].iloc[0] == "parks-1@2020-03-01"
    queries = pd.DataFrame({"qid": ["a", "b"], "query": [QUERIES[0]] * 2, "as_of": ["2020-03-01", None]})
    first = lists(past.pipeline("bm25 % 1").transform(queries))
    assert first == {"a": ["parks-1@2020-03-01"], "b": ["parks-1@2010-01-01"]}


def test_days_as_text_and_as_dates(collection: legalir.Collection) -> None:
    days = ["2015-06-30", date(2015, 6, 30), pd.Timestamp("2015-06-30")]
    queries = pd.DataFrame({"qid": list("abc"), "query": [QUERIES[0]] * 3, "as_of": pd.Series(days, dtype=object)})
    found = list(lists(collection.pipeline('bm25 >> sar(normalize="minmax")').transform(queries)).values())
    assert found[0] == found[1] == found[2]


def test_before_the_first_version_there_is_nothing(
    collection: legalir.Collection, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "legalir"):
        results = collection.search(QUERIES[0], as_of="2009-12-31")
    assert results.empty
    assert list(results.columns[-3:]) == ["effective_from", "effective_to", "upcoming"]
    assert "is in force on 2009-12-31: the first version applies from 2010-01-01." in caplog.text


@pytest.mark.parametrize("as_of", ["2021-02-31", "yesterday", 7])
def test_a_bad_date_is_one_sentence(collection: legalir.Collection, folder: Path, as_of: str) -> None:
    queries = pd.DataFrame({"qid": ["1"], "query": ["dog"], "as_of": pd.Series([as_of], dtype=object)})
    with pytest.raises(ComponentError, match="is not a date"):
        collection.pipeline("bm25").transform(queries)
    with pytest.raises(ComponentError, match="is not a date"):
        collection.search("dog", "bm25", as_of=as_of)
    with pytest.raises(ComponentError, match="is not a date"):
        legalir.Collection(folder, as_of=as_of)


def test_a_collection_without_versions_has_no_day() -> None:
    collection = legalir.Collection("legalir/firecode")
    assert not collection.dated
    with pytest.raises(ComponentError, match="as_of='2021-03-01'"):
        legalir.Collection("legalir/firecode", as_of="2021-03-01")


def test_the_explanation_says_since_when(collection: legalir.Collection) -> None:
    results = collection.search(QUERIES[0], "bm25", k=1, as_of="2016-01-01")
    (one,) = results.explain()
    assert one.note.endswith("in force since 2015-07-01")
    assert results["effective_to"].tolist() == ["2020-03-01"]
    for explanation in collection.search(QUERIES[0], 'bm25 >> sar(normalize="minmax")', as_of="2016-01-01").explain():
        assert explanation.is_whole()
        assert not [part for part in explanation.parts if part.label == "not explained"]


FACTS = [
    ("parks-1", "dog", "is on", "lead"),
    ("fees-1", "permit", "costs", "crowns"),
    ("parks-2", "fire", "needs", "permit"),
    ("parks-3@2010-01-01", "kites", "fly on", "Sundays"),
]


def test_facts_of_the_law_of_the_day(collection: legalir.Collection, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    rows = [dict(zip(("docno", "subject", "predicate", "object"), fact, strict=True)) for fact in FACTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pipeline = collection.pipeline(f"triples(graph={str(path)!r}, by='question', encoder=None)")
    queries = [
        {"qid": f"{question} {day}", "query": question, "as_of": day}
        for question in ("kites", "fire permit", "lead of a dog")
        for day in ("2009-12-31", "2013-01-01", "2015-01-01", "2021-01-01")
    ]
    found = lists(pipeline.transform(pd.DataFrame(queries)))
    assert {qid: set(docnos) for qid, docnos in found.items()} == {
        "kites 2013-01-01": {"parks-3@2010-01-01"},
        "kites 2015-01-01": {"parks-3@2010-01-01"},
        "fire permit 2013-01-01": {"parks-2@2010-01-01", "fees-1@2012-01-01"},
        "fire permit 2015-01-01": {"parks-2@2010-01-01"},
        "fire permit 2021-01-01": {"parks-2@2010-01-01", "fees-1@2016-01-01"},
        "lead of a dog 2013-01-01": {"parks-1@2010-01-01"},
        "lead of a dog 2015-01-01": {"parks-1@2010-01-01"},
        "lead of a dog 2021-01-01": {"parks-1@2020-03-01"},
    }


class Everything(pt.Transformer):
    """A retriever that knows no days: all versions, in an order that hides the ones in force."""

    def __init__(self, collection: legalir.Collection, num_results: int) -> None:
        self.docnos = sorted((row.doc_id for row in collection.docs()), key=lambda docno: docno.rpartition("@")[2])
        self.num_results = num_results

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        n = min(self.num_results, len(self.docnos))
        rows = [inp.assign(docno=docno, score=float(-rank)) for rank, docno in enumerate(self.docnos[:n])]
        return rank_results(pd.concat(rows)) if len(inp) else empty_like(inp)


@pytest.mark.parametrize("day", DAYS)
def test_a_component_that_knows_no_days_is_asked_for_more(collection: legalir.Collection, day: str) -> None:
    counted = []

    def make(params: Mapping[str, object]) -> Everything:
        counted.append(params.get("num_results", 2))
        return Everything(collection, int(str(counted[-1])))

    made = made_in_force(make, {"num_results": 2}, {}, LawTable.of(collection))
    assert isinstance(made, pt.Transformer)
    out = made.transform(asked(day))
    assert out.groupby("qid").size().tolist() == [2] * 4 * (len(law_of(day)) > 0)
    assert set(out["docno"]) <= law_of(day)
    assert counted == [2, 4, 8, 11][: len(counted)]


def test_a_component_that_knows_no_filters_is_asked_for_more() -> None:
    collection = legalir.Collection("legalir/firecode")
    made = made_in_force(
        lambda params: Everything(collection, int(str(params["num_results"]))),
        {"num_results": 3},
        {},
        LawTable.of(collection),
    )
    assert isinstance(made, pt.Transformer)
    assert not hasattr(made, "scorer")
    out = made.transform(pd.DataFrame({"qid": ["1", "2"], "query": "x", "where": ["level=standard", ""]}))
    levels = {row.doc_id: row.level for row in collection.docs()}
    assert [levels[docno] for docno in out["docno"][out["qid"] == "1"]] == ["standard"] * 3
    assert out["docno"][out["qid"] == "2"].tolist() == Everything(collection, 3).docnos[:3]


def test_a_component_without_a_number_of_results_is_filtered(collection: legalir.Collection) -> None:
    made = made_in_force(lambda params: Everything(collection, 5), {}, {}, LawTable.of(collection))
    assert isinstance(made, pt.Transformer)
    out = made.transform(asked("2013-05-05").head(1))
    assert out["docno"].tolist() == [
        docno for docno in Everything(collection, 5).docnos[:5] if docno in law_of("2013-05-05")
    ]
    assert out["rank"].tolist() == list(range(len(out)))


@pytest.mark.parametrize("approximate", [None, "int8", "hnsw", "ivf(lists=4, probes=1)"])
def test_the_nearest_vectors_of_a_day(tmp_path: Path, approximate: str | None) -> None:
    if approximate is not None:
        pytest.importorskip("faiss")
    random = np.random.default_rng(0)
    docnos = [f"p{number}@20{year}-01-01" for number in range(200) for year in (10, 15, 20)]
    vectors = np.repeat(random.standard_normal((300, 8)), 2, axis=0)  # Neighbours are equal: ties by docno.
    index = legalir.DenseIndex.from_vectors(tmp_path / "index", vectors, docnos, approximate=approximate)
    days = ["2009-01-01", "2012-01-01", "2017-01-01", "2022-01-01"]
    asked = random.standard_normal((4, 8))
    queries = pd.DataFrame({"qid": days, "query_vec": list(asked), "as_of": days})
    found = lists(index.retriever(num_results=20).transform(queries))
    assert "2009-01-01" not in found
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for day, vector in zip(days[1:], asked[1:], strict=True):
        year = {"2012-01-01": "10", "2017-01-01": "15", "2022-01-01": "20"}[day]
        law = [number for number, docno in enumerate(docnos) if f"@20{year}-" in docno]
        best = sorted(law, key=lambda number: (-round(float(unit[number] @ vector), 9), docnos[number]))[:20]
        assert len(found[day]) == 20
        expected = {docnos[number] for number in best}
        if approximate is None:
            assert found[day] == [docnos[number] for number in best]
        else:  # One of four lists is searched: candidates are some of the law of the day.
            assert set(found[day]) <= {docnos[number] for number in law}
            assert approximate != "hnsw" or len(expected & set(found[day])) >= 19


def test_given_vectors_with_documents_know_repeals_and_last_days(tmp_path: Path) -> None:
    documents = [
        {"docno": "fee@2010-01-01", "text": "The fee is 10."},
        {"docno": "fee@2015-01-01", "text": ""},  # the repeal
        {"docno": "tax@2010-01-01", "text": "The tax is 20.", "effective_to": "2012-01-01"},
        {"doc_id": "old@2009-01-01", "text": "Lamps are lit."},
    ]
    rows = {"of documents": documents, "of docnos": ["fee@2010-01-01", "fee@2015-01-01", *documents[2:]]}
    days = {"2011-01-01": {"fee@2010-01-01", "tax@2010-01-01", "old@2009-01-01"}, "2016-01-01": {"old@2009-01-01"}}
    for name, docs in rows.items():
        index = legalir.DenseIndex.from_vectors(tmp_path / name, np.eye(4), docs)
        for day, expected in days.items():
            queries = pd.DataFrame({"qid": ["q"], "query_vec": [np.ones(4)], "as_of": [day]})
            found = set(index.retriever().transform(queries)["docno"])
            # A docno alone does not say that its version is a repeal.
            assert found == expected | ({"fee@2015-01-01"} if name == "of docnos" and day > "2015" else set())


def links_of(collection: legalir.Collection, day: str) -> Iterator[tuple[str, str]]:
    graph = collection.graph.at(date.fromisoformat(day).toordinal())
    return ((a, b) for a, b, _ in graph.links())


def test_links_are_in_force_when_both_ends_are(collection: legalir.Collection) -> None:
    assert set(links_of(collection, "2013-01-01")) == {
        ("parks-2@2010-01-01", "fees-1@2012-01-01"),
        ("fees-2@2012-01-01", "parks-1@2010-01-01"),
    }
    assert set(links_of(collection, "2015-01-01")) == {("fees-2@2012-01-01", "parks-1@2010-01-01")}
    assert set(links_of(collection, "2019-06-01")) == {
        ("parks-2@2010-01-01", "fees-1@2016-01-01"),
        ("fees-7@2019-01-01", "parks-1@2015-07-01"),
    }
    assert collection.source.problems().links == 0


def test_links_by_key_join_versions_of_a_common_day(collection: legalir.Collection) -> None:
    report = collection.graph.report()
    assert (report.dangling, report.self_loops, report.duplicates) == (0, 0, 0)
    # parks-2 with 2 of fees-1, fees-2 with 2 of parks-1 (to 2019), fees-7 with 2 of parks-1 (from 2019).
    assert report.links == 6


def test_an_index_of_its_own_knows_the_days(tmp_path: Path) -> None:
    index = legalir.SparseIndex(tmp_path / "index").index(CORPUS)
    queries = pd.DataFrame({"qid": ["1"], "query": [QUERIES[0]], "as_of": ["2015-06-30"]})
    assert index.bm25(num_results=1).transform(queries)["docno"].tolist() == ["parks-1@2010-01-01"]


def test_dates_alone_make_no_versions(tmp_path: Path) -> None:
    plain = [{**row, "docno": row["docno"].replace("@", "-")} for row in CORPUS]
    index = legalir.SparseIndex(tmp_path / "index").index(plain)
    assert index.validity is None
    assert len(index.bm25().search("dog")) == len([row for row in CORPUS if "dog" in row["text"]])


def test_a_collection_is_dated_if_any_docno_is_that_of_a_version(tmp_path: Path) -> None:
    constitution = {**CORPUS[0], "docno": "constitution-1"}
    undated = {name: value for name, value in constitution.items() if not name.startswith("effective_")}
    collection = legalir.Collection(write_dated(tmp_path / "laws", [undated, *CORPUS]), cache=tmp_path / "cache")
    assert collection.dated
    assert collection.day("2016-06-01") == "2016-06-01"
    assert "constitution-1" in lists(collection.pipeline("bm25").transform(asked("2009-12-31")))["0 2009-12-31"]
    source = legalir.Collection(tmp_path / "laws").source
    list(source.docs())
    assert source.dated  # The same from the docnos in memory.


def test_a_number_that_moved_is_followed(tmp_path: Path) -> None:
    folder = write_dated(tmp_path / "laws")
    question = "What does Article 2 of the Park Fees Rules say?"

    def found(day: str) -> list[str]:
        collection = legalir.Collection(folder, cache=tmp_path / "cache")
        return collection.search(question, "lookup", as_of=day)["docno"].tolist()

    assert (found("2018-12-31"), found("2019-01-01")) == (["fees-2@2012-01-01"], [])
    (folder / "origin.jsonl").write_text('{"docno": "fees-2@2012-01-01", "replaced_by": "fees-7"}\n', encoding="utf-8")
    assert [found(day) for day in ("2011-12-31", "2018-12-31", "2019-01-01", "2024-01-01")] == [
        [],
        ["fees-2@2012-01-01"],
        ["fees-7@2019-01-01"],
        ["fees-7@2019-01-01"],
    ]
