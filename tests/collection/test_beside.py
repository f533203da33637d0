"""What stands beside provisions in time, in laws of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dated_folder import write_dated
from typer.testing import CliRunner

from legalir import Collection
from legalir.cli.main import app


@pytest.fixture(scope="module")
def parks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_dated(tmp_path_factory.mktemp("laws") / "parks")
    origin = {"docno": "fees-2@2012-01-01", "replaced_by": "fees-7"}
    (folder / "origin.jsonl").write_text(json.dumps(origin) + "\n", encoding="utf-8")
    return folder


def laws(folder: Path, rows: list[dict[str, str]], links: str = "", lang: str = "ko") -> Collection:
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"law": "등대법", **row}) + "\n" for row in rows), encoding="utf-8"
    )
    (folder / "dataset.yaml").write_text(f"lang: {lang}\n", encoding="utf-8")
    if links:
        (folder / "links.tsv").write_text(links, encoding="utf-8")
    return Collection(folder)


def test_what_comes_next(parks: Path) -> None:
    docnos = ["parks-1@2010-01-01", "parks-2@2010-01-01", "parks-3@2010-01-01", "fees-1@2012-01-01"]
    found = Collection(parks).beside([*docnos, "fees-2@2012-01-01", "no-1"], "2013-05-05")
    assert {docno: record.get("upcoming") for docno, record in found.items()} == {
        "parks-1@2010-01-01": "amended from 2015-07-01",
        "parks-2@2010-01-01": None,
        "parks-3@2010-01-01": "repealed from 2018-01-01",
        "fees-1@2012-01-01": "not in force from 2014-01-01",
        "fees-2@2012-01-01": "moves to fees-7 from 2019-01-01",
        "no-1": None,
    }
    hits = Collection(parks).search("lead of a dog", "bm25", as_of="2013-05-05").set_index("docno")
    assert hits.loc["parks-1@2010-01-01", "upcoming"] == "amended from 2015-07-01"


def test_a_day_that_is_not_known(tmp_path: Path) -> None:
    rows = [{"docno": f"L-1@{day}", "text": f"등대 {day}"} for day in ("2020-01-01", "9999-12-31")]
    found = laws(tmp_path, rows).beside(["L-1@2020-01-01"])
    assert found["L-1@2020-01-01"] == {"upcoming": "amended from a day that is not known yet"}


def test_provisions_that_are_not_in_force_yet(parks: Path) -> None:
    collection = Collection(parks)
    found = collection.upcoming("the fee of a permit for fires", as_of="2011-01-01")
    assert [one.doc_id for one in found] == ["fees-1@2012-01-01", "fees-7@2019-01-01"]
    kept = collection.upcoming("the fee of a permit for fires", as_of="2011-01-01", where="docno!=fees-7")
    assert [one.doc_id for one in kept] == ["fees-1@2012-01-01"]
    assert collection.upcoming("kites", as_of="2011-01-01") == []
    assert collection.upcoming("fee") == collection.upcoming("fee", as_of="2009-01-01") == []


SUPPLEMENT = (
    "제1조(시행일) 이 법은 공포한 날부터 시행한다. 다만, 제1조의 개정규정은 1년이 지난 날부터 시행한다.\n"
    "제2조(경과조치) 이 법 시행 당시 등대를 가진 자는 제2조부터 제4조까지의 개정규정에도 불구하고 종전의 규정에 따른다."
)


def test_supplements_by_their_text(tmp_path: Path) -> None:
    rows = [{"docno": f"L-{number}", "article": f"{number}", "text": "등대는 빛난다."} for number in range(1, 6)]
    rows += [{"docno": "L-supp-7", "article": "supp-7", "title": "등대법 부칙", "text": SUPPLEMENT}]
    rows += [{"docno": "M-3", "article": "3", "law": "항구법", "text": "항구는 크다."}]
    found = laws(tmp_path, rows).beside([row["docno"] for row in rows])
    assert [docno for docno, record in found.items() if record] == ["L-2", "L-3", "L-4"]
    assert found["L-3"] == {"transitional": [{"docno": "L-supp-7", "title": "등대법 부칙"}]}


@pytest.mark.parametrize(
    ("article", "heading", "kind", "shown"),
    [
        ("supp-1/2", "경과조치", "cites", True),
        ("supp-1/2", "적용례", "cites", True),
        ("supp-1/1", "시행일", "cites", False),
        ("supp-1/4", "다른 법률의 개정", "cites", False),
        ("supp-1/2", "벌칙의 개정에 따른 경과조치", "cites", True),
        ("supp-1/2", "경과조치", "amends", False),
        ("30", "Transitional provision: lights", "cites", True),
        ("30", "Lights of boats", "cites", False),
    ],
)
def test_supplements_by_links(tmp_path: Path, article: str, heading: str, kind: str, shown: bool) -> None:
    rows = [
        {"docno": "L-1@2020-01-01", "article": "1", "text": "등대는 빛난다."},
        {"docno": "L-9@2020-01-01", "article": article, "heading": heading, "text": "종전의 규정에 따른다."},
    ]
    found = laws(tmp_path, rows, f"L-9\tL-1\t{kind}\n").beside(["L-1@2020-01-01"])
    assert bool(found["L-1@2020-01-01"]) == shown


def test_nothing_is_built_for_a_collection_without_versions_and_supplements(tmp_path: Path) -> None:
    collection = laws(tmp_path, [{"docno": "L-1", "article": "1", "text": "등대는 빛난다."}])
    assert collection.beside(["L-1"]) == {"L-1": {}}
    assert not [*collection.cache.glob("numbers*")]
    assert collection.asked_day("2021년 3월 당시 등대는?") == ("", "")


def test_the_command_line_takes_the_day_of_the_question(parks: Path) -> None:
    def run(*words: str) -> tuple[str, str]:
        result = CliRunner().invoke(app, [*words, "--pipeline", "bm25"])
        assert result.exit_code == 0, result.output
        return result.stdout, result.stderr

    question = "How long is the lead of a dog, as it stood in 2014?"
    out, _ = run("search", str(parks), question)
    assert "at most 1 metre" in out
    assert "amended from 2015-07-01" in out
    assert "As of 2014-12-31, from the question (2014); --as-of today for today's law." in out
    assert "Not yet in force: Park Fees Rules Article 7  fees-7@2019-01-01 (--as-of 2019-01-01)" in out
    out, err = run("search", str(parks), question, "--json")
    assert "amended from 2015-07-01" in [row.get("upcoming") for row in json.loads(out)]
    assert "from the question" in err
    out, _ = run("search", str(parks), question, "--as-of", "today")
    assert "at most 3 metres" in out
    assert "question" not in out
    assert "As of 2014-12-31" in run("explain", str(parks), question)[1]


def test_an_answer_says_the_day_of_the_question(parks: Path) -> None:
    words = ["answer", str(parks), "May kites fly in a park on Sundays, as in force on 1 May 2017?"]
    result = CliRunner().invoke(app, [*words, "--pipeline", "bm25 >> quote"])
    assert "repealed from 2018-01-01" in result.stdout
    assert "As of 2017-05-01, from the question" in result.stdout
    facts = json.loads(CliRunner().invoke(app, [*words, "--pipeline", "bm25 >> quote", "--json"]).stdout)
    assert facts["citations"][0]["upcoming"] == "repealed from 2018-01-01"
    assert facts["as_of"] == "2017-05-01"
    assert "from the question" in facts["as_of_note"]
    assert [one["docno"] for one in facts["not_yet"]] == ["fees-7@2019-01-01"]


HARBOUR = [
    {"docno": "h-1", "article": "1", "text": "A vessel may lie at the visitor berth for 14 days."},
    {"docno": "h-2", "article": "2", "text": "(Repealed)", "heading": "Fee of the visitor berth"},
    {"docno": "h-3", "article": "3", "text": "The fee for a crane is 20 crowns.", "effective_to": "2020-05-01"},
    {"docno": "h-4", "article": "4", "text": "The Berth Act 1990 is repealed."},
    {"docno": "h-5", "article": "5", "text": "(weggefallen)", "law": "Kaiordnung"},
    {"docno": "h-6", "article": "6", "text": ""},
]


@pytest.fixture(name="harbour")
def with_repealed(tmp_path: Path) -> Collection:
    rows = [{"law": "Harbour Act", "title": f"Harbour Act, section {one['article']}", **one} for one in HARBOUR]
    (tmp_path / "origin.jsonl").write_text(json.dumps({"docno": "h-6", "repealed": True}) + "\n", encoding="utf-8")
    return laws(tmp_path, rows, lang="en")


def test_what_is_repealed_is_said(harbour: Collection) -> None:
    reasons = {
        "h-2": "Its text is: (Repealed)",
        "h-3": "It ended on 2020-05-01.",
        "h-5": "Its text is: (weggefallen)",
        "h-6": "The collection marks it as repealed.",
    }
    docnos = [one["docno"] for one in HARBOUR]
    assert harbour.repealed(docnos) == reasons
    assert {docno: of["repealed"] for docno, of in harbour.beside(docnos).items() if of} == reasons
    assert harbour.verify("Section 2 of the Harbour Act applies.").citations[0].reason == reasons["h-2"]
    assert harbour.repealed(docnos, query="What did section 3 of the Harbour Act say?").keys() == {"h-2", "h-5", "h-6"}
    assert "h-3" not in harbour.repealed(docnos, query="The fee for a crane as in force on 1 March 2019")


def test_a_repealed_version_has_its_day(tmp_path: Path) -> None:
    versions = (("2020-01-01", "등대"), ("2021-01-01", "삭제"))
    rows = [{"docno": f"L-1@{day}", "effective_from": day, "text": text} for day, text in versions]
    collection = laws(tmp_path, rows)
    reason = "It is repealed since 2021-01-01. Its text is: 삭제"
    assert collection.repealed(["L-1@2020-01-01", "L-1@2021-01-01"], "2022-01-01")["L-1@2021-01-01"] == reason
    assert collection.repealed(["L-1@2020-01-01"], "2020-06-01") == {}


def test_no_answer_is_made_from_what_is_repealed(harbour: Collection) -> None:
    def cited(question: str, pipeline: str = "bm25 >> quote") -> tuple[str, ...]:
        return harbour.answer(question, pipeline).citations

    assert cited("What is the fee at the visitor berth?") == ("h-1", "h-4")
    assert set(cited("section 3 of the Harbour Act, the fee for a crane")) >= {"h-3"}
    gone = harbour.answer("fee for a crane", "bm25 % 1 >> quote")
    assert (gone.abstained, gone.reason) == (True, "all provisions that were found are repealed")
    assert list(gone.sources["docno"]) == ["h-3"]


def test_a_repealed_provision_that_is_cited_is_marked(harbour: Collection) -> None:
    asked = ["answer", harbour.id, "What is the fee for a crane in section 3 of the Harbour Act?"]
    done = CliRunner().invoke(app, [*asked, "-p", "bm25 % 2 >> quote(k=1)"])
    assert "[h-3] (repealed, not the law in force)" in done.stdout, done.output
    assert "    repealed: It ended on 2020-05-01." in done.stdout
    done = CliRunner().invoke(app, ["answer", harbour.id, "days at the visitor berth, a crane", "-p", "bm25 >> quote"])
    assert "(repealed, not the law in force)" not in done.stdout
    assert "h-3  Harbour Act, section 3  (repealed)" in done.stdout
