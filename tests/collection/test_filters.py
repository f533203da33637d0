"""Filters: what passes, for every retriever; phrases and excluded words; bad input."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from legalir.analysis.analyzer import get_analyzer
from legalir.analysis.ngrams import NGrams
from legalir.analysis.words import Auto
from legalir.collection.collection import Collection
from legalir.collection.fields import _near, folded, marked, phrase_pattern, sure_terms
from legalir.errors import ComponentError, warn_once
from legalir.frames.as_of import asked_once
from legalir.frames.where import Where, canonical, with_where

LAWS = (
    ("Harbour Act", "act", "Chapter 1 Ships"),
    ("Harbour Act", "act", "Chapter 12 Fees"),
    ("Harbour Rules", "rule", "Chapter 1 Berths"),
    ("항만법", "act", "제1장 총칙"),
    ("항만법 시행령", "decree", "제2장 요금"),
)
WORDS = [
    *("ship", "berth", "fee", "harbour", "master's", "boat", "sails", "in", "a", "just", "cause"),
    *("정당한", "사유", "없이", "배를", "대면", "요금", "선박의", "항만", "設置", "기준"),
]
PHRASES = ("for just\ncause", "정당한 사유 없이 정당한  사유를", "in a harbour")


def _rows(count: int = 40) -> list[dict[str, object]]:
    chance, rows = random.Random(0), []
    for number in range(count):
        law, level, path = LAWS[number % len(LAWS)]
        rows.append(
            {
                "docno": f"h{number:02}",
                "title": f"{law} {number}",
                "text": " ".join([*chance.choices(WORDS, k=12), PHRASES[number % 3]]) + ("\n" if number % 2 else "."),
                "law": law,
                "level": level,
                "article": str(number) if number % 3 else f"{number}.2",
                "path": path,
                "effective": f"20{10 + number % 12}-03-01",
                "kind": ["fee", "berth"] if number % 2 else "fee",
                "pages": number % 4,
            }
        )
    return rows


@pytest.fixture(name="folder", scope="module")
def written_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harbour")
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in _rows()]
    (folder / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    links = [f"h{number:02}\th{(number * 7 + 3) % 40:02}\tcites\n" for number in range(40)]
    (folder / "links.tsv").write_text("".join(links), encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"qid": "1", "query": "ship berth fee"}\n', encoding="utf-8")
    (folder / "qrels.txt").write_text("".join(f"1 0 h{number:02} 1\n" for number in range(9)), encoding="utf-8")
    return folder


@pytest.fixture(name="collection", scope="module")
def opened_collection(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return Collection(folder, cache=tmp_path_factory.mktemp("cache"))


def _passing(collection: Collection, where: object) -> set[str]:
    text = canonical(where)  # type: ignore[arg-type]
    docnos = collection.fields().docnos  # type: ignore[attr-defined]
    return set(docnos[collection.fields().lets_pass(text, docnos.tolist())].tolist())


FILTERS = {
    "level=act": lambda row: row["level"] == "act",
    "level=act|decree, law!=항만법": lambda row: row["level"] != "rule" and row["law"] != "항만법",
    'law="harbour  ACT"': lambda row: row["law"] == "Harbour Act",
    'path~"chapter 1"': lambda row: "Chapter 1 " in row["path"],
    "path!~요금": lambda row: "요금" not in row["path"],
    "effective_from>=2015, effective_from<2018-03": lambda row: "2015" <= row["effective"] < "2018-03",
    "effective_from<=2015": lambda row: row["effective"] < "2016",
    "article>9.9": lambda row: tuple(map(int, row["article"].split("."))) > (9, 9),
    "kind=berth": lambda row: "berth" in row["kind"],
    "pages=2|3": lambda row: row["pages"] in (2, 3),
    "docno=h03|h05": lambda row: row["docno"] in ("h03", "h05"),
    'text~"just cause"': lambda row: "just cause" in " ".join(row["text"].split()),
    'text~"정당한 사유"': lambda row: "정당한 사유" in " ".join(row["text"].split()),
    "text!~ship": lambda row: "ship" not in row["text"].replace("\n", "").rstrip(".").split(),
}


@pytest.mark.parametrize("where", FILTERS)
def test_what_passes(collection: Collection, where: str) -> None:
    expected = {row["docno"] for row in _rows() if FILTERS[where](row)}
    assert 0 < len(expected) < 40
    assert _passing(collection, where) == expected
    assert canonical(canonical(where)) == canonical(where)


def test_a_mapping_is_the_same_filter() -> None:
    text = 'level=act|decree, law!="X, \\"Y\\"", effective_from>=2020-01-01'
    mapping = {"level": ["act", "decree"], "law!=": 'X, "Y"', "effective >= ": "2020-01-01"}
    assert canonical(mapping) == canonical(text) == canonical(text, "level=act|decree")
    assert canonical("section=1, doc_id = “a b” ") == "article=1, docno=a b"


@pytest.mark.parametrize(
    "expression",
    [
        *("bm25", "tfidf", "ql", "bm25f", "lsa", "dense('lsa', approximate='int8')", "lookup(without_law=True)"),
        *("golden", "full_context", 'linear(bm25, lsa, weights=[1, 1], normalize="none")'),
    ],
)
def test_filtered_is_unfiltered_and_then_filtered(collection: Collection, expression: str) -> None:
    if "int8" in expression:
        pytest.importorskip("faiss")
    pipeline = collection.pipeline(expression)
    asked = asked_once("ship berth fee, Harbour Act article 7 정당한 사유", None)
    if expression == "golden":
        asked = collection.topics()
    whole = pipeline.transform(asked)
    for where in ("level=act", "level!=act, pages=0|1", 'text~"in a"|요금를|요금'):
        few = pipeline.transform(with_where(asked, where))
        passing = _passing(collection, where)
        expected = whole[whole["docno"].isin(passing)]
        assert few["docno"].tolist() == expected["docno"].tolist()
        if expression not in ("golden", "full_context"):  # Their scores are places.
            assert few["score"].tolist() == expected["score"].tolist()
        cut = (collection.pipeline(expression) % 2).compile().transform(with_where(asked, where))
        assert cut["docno"].tolist() == expected["docno"].tolist()[:2]


@pytest.mark.parametrize(
    "expression", ["bm25", "bm25 >> rocchio", "bm25 >> sar(normalize='minmax', k=40)", "bm25 % 3 >> nitilink(depth=2)"]
)
def test_each_query_has_its_own_filter(collection: Collection, expression: str) -> None:
    asked = pd.DataFrame(
        {"qid": ["1", "2", "3"], "query": ["ship fee"] * 3, "where": ["level=act", None, "level=rule"]}
    )
    found = collection.pipeline(expression).transform(asked)
    levels = {row["docno"]: row["level"] for row in _rows()}
    of = {qid: {levels[docno] for docno in rows["docno"]} for qid, rows in found.groupby("qid")}
    assert of["1"] == {"act"}
    assert of["2"] > {"act"}
    assert of["3"] == {"rule"}
    assert "where" in found


def test_links_bring_in_only_what_passes(collection: Collection) -> None:
    first = collection.pipeline("bm25 % 1").transform(asked_once("ship fee", None))["docno"].tolist()
    (cited,) = collection.graph.cites(first[0])
    for expression in ("bm25 % 1 >> links", "bm25 % 1 >> sar(normalize='minmax')"):
        free = collection.search("ship fee", expression)["docno"].tolist()
        assert set(free) == {*first, cited}
        assert collection.search("ship fee", expression, where=f"docno!={cited}")["docno"].tolist() == first


def test_chunks_pass_with_one_of_their_provisions(collection: Collection) -> None:
    where = 'level=act, text~"just cause"'
    found = collection.search("ship fee", "chunked(bm25, by='line', size=400, held='any')", k=40, where=where)
    assert len(found) > 0
    assert set(found["docno"]) <= _passing(collection, where)
    chunks = collection.chunked("line", size=400)
    held = chunks.chunks
    assert held is not None
    passing = _passing(collection, where)
    for chunk in chunks.search("ship fee 정당한", "bm25", k=40, where=where)["docno"]:
        assert passing & {part.provision for part in held[chunk]}


def test_a_collection_with_a_filter(folder: Path, collection: Collection, caplog: pytest.LogCaptureFixture) -> None:
    acts = Collection(folder, cache=collection.home, where={"level": "act"})
    assert acts != collection
    assert repr(acts).endswith("where='level=act')")
    assert set(acts.search("ship", k=40, where="pages=0")["docno"]) <= _passing(collection, "level=act, pages=0")
    answer = acts.answer("How is a ship in a berth?", "bm25 % 3 >> quote")
    assert answer.where == "level=act"
    assert set(answer.sources["docno"]) <= _passing(collection, "level=act")
    assert Where("level = act").transform(pd.DataFrame(columns=["qid"])).columns.tolist() == ["qid", "where"]


@pytest.mark.parametrize(
    ("where", "named"),
    [
        ("colour=red", ("colour", "level", "path")),
        ("level=acts", ("level", "acts", "act")),
        ("law=Harbour", ("law", "Harbour Act")),
        ("path~Annex", ("path", "Annex")),
        ('text~"a"', ("'a'", "letters")),
        ('text~"no such words"', ("no such words",)),
        ("text=ship", ("~",)),
        ("level>=act", ("act", "number")),
        ("effective_from>=soon", ("effective_from", "2020-01-01")),
        ("law>=2|3", ("one",)),
        ("level", ("level=act|decree",)),
        ("level=act law=x", ("law",)),
        ("level=", ("value",)),
        ({"level": []}, ("level",)),
        ({"level=>": "act"}, ("level=>",)),
        (7, ("7",)),
    ],
)
def test_bad_filters_are_named(collection: Collection, where: object, named: tuple[str, ...]) -> None:
    with pytest.raises(ComponentError) as caught:
        collection.search("ship", "bm25", where=where)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in ("where", *named))


def test_nothing_is_silent(collection: Collection) -> None:
    class Careless(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return inp.assign(docno="h02", score=1.0, rank=0)

    from legalir.collection.results import search_with

    assert {row["docno"]: row["level"] for row in _rows()}["h02"] == "rule"
    with pytest.raises(ComponentError, match="'h02', which does not pass"):
        search_with(Careless(), "x", "careless", 3, collection.provisions, where="level=act", fields=collection.fields)
    alone = type(collection.sparse())(collection.sparse().path)
    with pytest.raises(ComponentError, match="does not know the fields"):
        alone.bm25().transform(asked_once("ship", None, "level=act"))


@pytest.mark.parametrize(
    ("question", "words", "filters"),
    [
        ('a "just cause" for it', 'a "just cause" for it', ["text~just cause"]),
        ("“정당한 사유”란?", "“정당한 사유”란?", ["text~정당한 사유"]),
        ("「正当な理由」とは", "「正当な理由」とは", ["text~正当な理由"]),
        ("« juste cause » ?", "« juste cause » ?", ["text~juste cause"]),
        ("Was ist „wichtiger Grund“?", "Was ist „wichtiger Grund“?", ["text~wichtiger Grund"]),
        ("ship -berth fee", "ship fee", ["text!~berth"]),
        ('ship -"in a berth", fee', "ship , fee", ["text!~in a berth"]),
        ("배 -요금 기준", "배 기준", ["text!~요금"]),
        ("「항만법」 제3조 요금", "「항만법」 제3조 요금", []),
        ('a 5" pipe and a 6" pipe', 'a 5" pipe and a 6" pipe', []),
        ("non-profit ship - fee -5 degrees", "non-profit ship - fee -5 degrees", []),
        ("the master's 'own' boat", "the master's 'own' boat", []),
        ('an "" empty one and “one mark', 'an "" empty one and “one mark', []),
        ("《劳动法》第三条", "《劳动法》第三条", []),
    ],
)
def test_marks_of_a_question(question: str, words: str, filters: list[str]) -> None:
    read, found = marked(question)
    assert (read, [canonical(one) for one in found]) == (words, filters)


def test_what_no_provision_has_is_searched_for_without_its_marks(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = collection.search('ship "in a" "no such words" "a"', "bm25", where="level=act")
    assert set(found["docno"]) <= _passing(collection, 'level=act, text~"in a"')
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert all(message.endswith("Searched without it.") and message.count(".") <= 2 for message in messages)


TEXTS = (
    "The harbour-master's fee (Article 6(1)(a)) is not due.",
    "l’employeur paie 1,000 euros selon l'article L. 121-3 du code",
    "정당한 사유가 없이 설치·유지하지 아니한 자, 제12조의2제1항",
    "正当な理由がなくサーバーを停止した者は、第十二条の罪とする。",
    "ผู้ใดไม่มีเหตุอันสมควรต้องระวางโทษ มาตรา ๑๒",
    "AI시스템 and the AI system of 12.5 metres; Straße, STRASSE",
)


@pytest.mark.parametrize("analyzer", [NGrams("jamo", 3), *map(Auto, ("en", "fr", "ja", "th"))])
def test_candidates_have_all_that_have_a_phrase(analyzer: Auto | NGrams) -> None:
    chance, lang = random.Random(1), getattr(analyzer, "lang", "und")
    for text in TEXTS:
        terms, whole = set(analyzer.terms(text)), folded(text)
        for _ in range(4):
            start = chance.randrange(len(text) - 3)
            phrase = text[start : start + chance.choice((3, 5, 9, 17))]
            if sum(map(str.isalnum, phrase)) >= 2 and phrase_pattern(phrase, lang).search(whole):
                assert sure_terms(analyzer, phrase) <= terms
    assert sure_terms(get_analyzer("whitespace"), "just cause") == set()


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("fire", "A fireman", False),
        ("Fire", "of FIRE.", True),
        ("AI", "AI시스템", True),
        ("chapter 1", "Chapter 12", False),
        ("정당한 사유", "정당한  사유가", True),
        ("설치·유지", "설치ㆍ유지", True),
        ("master’s", "the master's", True),
        ("第十二", "第十二条", True),
    ],
)
def test_phrases_are_whole_words_in_alphabets(phrase: str, text: str, found: bool) -> None:
    assert bool(phrase_pattern(phrase).search(folded(text))) is found


def test_the_nearest_of_many_laws_are_named_however_they_are_written() -> None:
    laws = [f"{name} Act {year}" for name in ("Harbour", "Road", "Canal", "Bridge", "Mine") for year in (1999, 2004)]
    for wrong in ("bridge  act", "BRIDGES ACT", "the Brigde Act"):
        assert {"Bridge Act 1999", "Bridge Act 2004"} <= set(_near(wrong, laws))


def test_a_day_that_changes_nothing_is_said(collection: Collection, caplog: pytest.LogCaptureFixture) -> None:
    warn_once.cache_clear()
    asked = pd.DataFrame({"qid": ["1", "2"], "query": ["ship"] * 2, "as_of": [None, ""]})
    collection.pipeline("bm25").transform(asked)
    assert not caplog.messages
    collection.pipeline("bm25").transform(asked.assign(as_of=[None, "2020-01-01"]))
    assert [text for text in caplog.messages if "no versions" in text and "all of them are searched" in text]
