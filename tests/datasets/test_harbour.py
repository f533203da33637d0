"""The bundled harbour code stays sound: citations, versions, questions, and what README shows of it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from legalir.cli.main import app
from legalir.datasets import Provision, StatuteDataset, check, load
from legalir.datasets.catalog import HARBOUR
from legalir.statutes.definitions import definitions
from legalir.statutes.versions.difference import differences

KEYS = {
    "Harbour Act": "act",
    "Harbour Regulations": "reg",
    "Harbour Rules": "rule",
    "Harbour Technical Notice": "notice",
}
WORDS = {"section": "act", "regulation": "reg", "rule": "rule", "article": "notice"}
CITED = re.compile(
    r"\b(section|regulation|rule|article)s? (\d+(?:(?:, | and )\d+)*)(?: of the (Harbour (?:Technical )?[A-Z]\w+))?",
    re.I,
)
NUMBER = re.compile(r"\d+(?: \d{3})*(?:\.\d+)?|\b(?:two|three|four|five|six|seven|ten)\b")
COMPUTED = {
    "hb10": {"1.2": "a tenth of 12"},
    "hb21": {"105": "35 times five less 2"},
    "hb31": {"20": "10 times 2"},
    "hb34": {"1 500": "half of 3 000"},
}
"""Numbers of an answer that are in no provision and no question, and where they come from."""


@pytest.fixture(scope="module")
def harbour() -> StatuteDataset:
    return load("legalir/harbour")


@pytest.fixture(scope="module")
def provisions(harbour: StatuteDataset) -> dict[str, Provision]:
    return {provision.doc_id: provision for provision in harbour.docs()}


def key(docno: str) -> str:
    return docno.partition("@")[0]


def test_links_are_the_citations_of_the_text(harbour: StatuteDataset, provisions: dict[str, Provision]) -> None:
    written = set(harbour.links())
    read = set()
    for provision in provisions.values():
        own, source = KEYS[provision.law], key(provision.doc_id)
        for word, numbers, law in CITED.findall(provision.text):
            target = KEYS.get(law, own)
            assert WORDS[word.lower()] == target, (source, word, law)
            kind = "self" if target == own else "family"
            read |= {(source, f"{target}-{number}", kind) for number in re.findall(r"\d+", numbers)}
    assert written == {link for link in read if link[0] != link[1]}
    assert {end for link in written for end in link[:2]} <= {key(docno) for docno in provisions}
    assert check(HARBOUR).ok


def test_the_act_leaves_to_each_lower_level_what_that_level_says(
    harbour: StatuteDataset, provisions: dict[str, Provision]
) -> None:
    """A section that names a lower instrument is cited by a provision of it, so that nothing is left open."""
    citing = defaultdict(set)
    for source, target, _ in harbour.links():
        citing[target].add(source.partition("-")[0])
    for docno, provision in provisions.items():
        for name, lower in KEYS.items():
            if provision.law == "Harbour Act" and name != "Harbour Act" and name in provision.text:
                assert lower in citing[key(docno)], (docno, name)


def test_versions_a_repeal_and_a_new_number(harbour: StatuteDataset) -> None:
    changes = differences(harbour, "2023-06-30", "2025-01-01")
    assert {(change.kind, key(change.provision.doc_id)) for change in changes} == {
        ("changed", "act-27"),
        ("changed", "reg-4"),
        ("changed", "reg-16"),
        ("changed", "notice-6"),
        ("repealed", "act-19"),
        ("added", "act-29"),
        ("moved", "rule-13"),
    }


def test_definitions_are_those_of_the_text(harbour: StatuteDataset) -> None:
    stored = [json.loads(line) for line in (HARBOUR / "definitions.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = ({**row._asdict(), "docno": row.doc_id} for row in harbour.docs())
    assert stored == [term._asdict() for row in rows for term in definitions(row, "en")]
    assert len(stored) == 8


def test_questions_have_the_provisions_of_their_day_and_numbers_of_them(
    harbour: StatuteDataset, provisions: dict[str, Provision]
) -> None:
    judged = defaultdict(list)
    for row in harbour.judgements():
        judged[row.qid].append(row.docno)
    questions = list(harbour.queries())
    assert len(questions) == len(judged) == 40
    assert sum("as_of" in question for question in questions) == 6
    for question in questions:
        gold = [provisions[docno] for docno in judged[question["qid"]]]
        assert [one.doc_id for one in gold] == question["answer_citations"]
        day = question.get("as_of", "2026-01-01")
        assert all(one.effective_from <= day < (one.effective_to or "9999") for one in gold), question["qid"]
        at_hand = set(NUMBER.findall(" ".join([question["query"], *(one.text for one in gold)]).lower()))
        stated = set(NUMBER.findall(question["answer"].lower()))
        assert stated - at_hand == set(COMPUTED.get(question["qid"], ())), question["qid"]
    sizes = [len(docnos) for docnos in judged.values()]
    assert max(sizes) == 4
    assert sum(len({docno.partition("-")[0] for docno in docnos}) > 1 for docnos in judged.values()) >= 25
    outside = (HARBOUR / "out_of_scope.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(outside) == 5


def test_readme_shows_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    question, k = re.search(r'^legalir search legalir/harbour "(.+)" -k (\d)$', readme, re.M).groups()  # type: ignore[union-attr]
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    printed = CliRunner().invoke(app, ["search", "legalir/harbour", question, "-k", k]).output
    lines = [line.rstrip() for line in printed.splitlines() if not line.startswith("As of")]
    assert "\n".join(lines) in readme
