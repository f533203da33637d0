"""The real files, where $LEGALIR_DATA has them: each sign is read, and the counts are those of their READMEs."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from of_format import bare, check_examples, real_folder, real_laws

from legalir.datasets import check
from legalir.statutes.importing.parsing import Format
from legalir.statutes.sources import akoma_ntoso, eu_formex, fr_legi, jp_egov, markdown, th_json, tw_json, uk_clml
from legalir.statutes.sources.history import History
from legalir.statutes.writing import write_collection

FOLDERS = {
    # Source, provisions, and links that the files themselves mark and the import resolves.
    "akn/normattiva": ("akoma_ntoso", 122, 1),
    "akn/oasis": ("akoma_ntoso", 102, 36),
    "akn/laws-africa-indigo": ("akoma_ntoso", 7, 0),
    "ca-xml": ("ca_justice", 1053, 581),
    "de-gii-xml/current": ("de_gii", 827, 0),
    "eu-formex": ("eu_formex", 304, 0),
    "fr-legi-json": ("fr_legi", 476, 607),
    "jp-egov-html": ("jp_egov", 1066, 0),
    "kr-markdown": ("markdown", 5936, 0),
    "kr-openapi-json": ("law_go_kr", 2876, 0),
    "th-json": ("th_json", 5127, 4136),
    "tw-json/zh": ("tw_json", 645, 0),
    "tw-json/en": ("tw_json", 209, 0),
    "uslm": ("us_uslm", 312, 0),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_becomes_a_collection(name: str, tmp_path: Path) -> None:
    folder = real_folder(name)
    source, provisions, marked = FOLDERS[name]
    report = write_collection(f"{source}(path={str(folder)!r})", tmp_path / "out", about={"licence": "x", "lang": "de"})
    assert check(tmp_path / "out").ok
    assert (report.details["unread"], report.faults) == (0, [])
    links = report.details["links"].get("marked", {}).get("resolved", 0)
    assert (report.provisions, links) == (provisions, marked)


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("cn-markdown", next(each for each in markdown.FORMATS if each.name == "markdown-cn")),
        ("de-markdown", next(each for each in markdown.FORMATS if each.name == "markdown-de")),
        ("jp-egov-xml", jp_egov.FORMATS[0]),
        ("uk-clml", uk_clml.FORMATS[0]),
    ],
)
def test_each_sign_of_several_versions_is_read(name: str, format: Format) -> None:
    documents = [len(parts.documents) for _, _, parts in real_laws(format, real_folder(name))]
    assert documents and min(documents) >= 2


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("akn", akoma_ntoso.FORMATS),
        ("eu-formex", eu_formex.FORMATS),
        ("fr-legi-json", fr_legi.FORMATS),
        ("tw-json", tw_json.FORMATS),
    ],
)
def test_the_checked_examples(name: str, formats: list[Format]) -> None:
    check_examples(formats[0], real_folder(name))


def test_the_korean_articles_are_those_of_searchfiresafety() -> None:
    """The shared collection has 42 of these laws: the same articles, word for word, without the repealed ones."""
    folder = real_folder("kr-markdown")
    shared: dict[str, dict[str, str]] = defaultdict(dict)
    with gzip.open(folder.parents[1] / "searchfiresafety" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            shared[bare(row["law"])][row["article"].replace(".", "의")] = words(row["text"])
    figures = [0, 0, 0]
    for _, law, parts in real_laws(next(each for each in markdown.FORMATS if each.name == "markdown-kr"), folder):
        if theirs := shared.get(bare(law.title)):
            own = [one for one in parts.documents if one.docno.startswith(f"{law.law_id}-{one.unit.number}")]
            own = [one for one in own if one.unit.kind == "article"]
            ours = {one.unit.number: words(one.text) for one in own if not one.unit.repealed}
            assert ours == theirs
            figures = [figures[0] + 1, figures[1] + len(ours), figures[2] + len(own) - len(ours)]
    assert figures == [42, 2056, 140]


def words(text: str) -> str:
    """Return a text without white space, signs and marks of amendments."""
    return bare(re.sub(r"\[[^\]]*\]|<[^<>]*>", "", text))


def test_the_thai_links_are_those_of_nitibench_tax() -> None:
    folder = real_folder("th-json")
    shared = folder.parents[1] / "nitibench-tax"
    with gzip.open(shared / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        docnos = {(row["law"], row["section"]): row["docno"] for row in map(json.loads, lines)}
    known = {tuple(line.split("\t")[:2]) for line in (shared / "links.tsv").read_text(encoding="utf-8").splitlines()}
    ends = {
        (docnos[read.title, unit.key], docnos.get((link.law, link.key)))
        for _, read, _ in real_laws(th_json.FORMATS[0], folder)
        for unit in read.root.walk()
        for link in unit.links
    }
    assert {(one, other) for one, other in ends if other and one != other} == known


def test_days_of_the_korean_history() -> None:
    """An article may begin before or after its act, and no day has two versions of one provision."""
    rows = list(History(real_folder("kr-history"), workers=2).provisions())
    days = {
        "009505-6": "2011-12-01",  # Act of 2011-07-14: "제6조의 개정규정은 2011년 12월 1일부터".
        "009505-4의2": "2022-01-06",
        "009505-27의2": "2021-01-05",  # Act of 2021-01-05: "제27조의2의 개정규정은 공포한 날부터".
        "009505-17": "2011-12-08",
    }
    assert {f"{key}@{day}" for key, day in days.items()} <= {row["docno"] for row in rows}
    ends: dict[str, str] = {}
    for row in rows:
        key = row["docno"].rpartition("@")[0]
        assert ends.get(key, "") <= row["effective_from"], row["docno"]
        ends[key] = row.get("effective_to") or "9999-12-31"
