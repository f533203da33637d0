"""What a reform touches: an invented collection of versions, and documents of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dated_folder import CORPUS, write_dated
from typer.testing import CliRunner

from legalir import Collection
from legalir.cli.main import app
from legalir.errors import ComponentError
from legalir.verify.impact import told

BRIEF = """Article 1 of the Parks Act says: "A dog must be on a lead of at most 2 metres."
Article 3 of the Parks Act was kind to kites. As in force on 1 May 2016, Article 1 of the Parks Act was shorter.
Article 2 of the Parks Act is old. Article 7 of the Park Fees Rules is new. Article 4 of the Customs Act 1975 is apart.
"""


@pytest.fixture
def parks(tmp_path: Path) -> Path:
    folder = write_dated(tmp_path / "parks")
    origin = {"docno": "fees-2@2012-01-01", "replaced_by": "fees-7"}
    (folder / "origin.jsonl").write_text(json.dumps(origin) + "\n", encoding="utf-8")
    return folder


def test_changes_with_those_that_cite_them(parks: Path) -> None:
    found = Collection(parks).impact("2016-06-01", "2021-01-01")
    named = [(change.kind, change.provision.doc_id, change.since) for change in found.changes]
    assert named == [
        ("changed", "parks-1@2020-03-01", "2020-03-01"),
        ("repealed", "parks-3@2010-01-01", "2018-01-01"),
        ("moved", "fees-7@2019-01-01", "2019-01-01"),
    ]
    assert [(one.docno, one.kind, one.in_force) for one in found.citing[0]] == [("fees-7@2019-01-01", "cites", True)]
    assert found.to_dict()["counts"] == {"changed": 1, "repealed": 1, "moved": 1}
    assert found.between == ()


def test_who_cites_a_repealed_provision_and_what_was_in_force_only_in_between(tmp_path: Path) -> None:
    folder = write_dated(tmp_path / "parks")
    (folder / "links.tsv").write_text("parks-2\tparks-3\tcites\n", encoding="utf-8")
    found = Collection(folder).impact("2012-06-01", "2021-01-01")
    repealed = next(place for place, change in enumerate(found.changes) if change.kind == "repealed")
    assert found.citing[repealed] == (("parks-2@2010-01-01", "Parks Act Article 2", "cites", True, "changed"),)
    row = {**CORPUS[0], "docno": "parks-9@2013-01-01", "effective_from": "2013-01-01", "effective_to": "2014-01-01"}
    found = Collection(write_dated(tmp_path / "more", [*CORPUS, row])).impact("2012-06-01", "2021-01-01")
    assert found.between == ("parks-9@2013-01-01",)
    assert Collection(folder).impact("2011-01-01", "2013-01-01").new_laws == ("Park Fees Rules",)


def test_versions_without_an_end_and_headings_alone(tmp_path: Path) -> None:
    rows = [
        {"docno": "L-1@2020-01-01", "heading": "Lamps", "text": "A lamp burns at night."},
        {"docno": "L-1@2021-01-01", "heading": "Lights", "text": "A lamp burns at night."},
        {"docno": "L-2@2020-01-01", "heading": "Oil", "text": "Oil is kept dry."},
        {"docno": "L-2@2021-01-01", "heading": "Oil", "text": "Oil is kept cool."},
        {"docno": "L-2@2022-01-01", "text": ""},
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = Collection(tmp_path).impact("2020-06-01", "2023-01-01")
    assert [(change.kind, change.since) for change in found.changes] == [
        ("heading", "2021-01-01"),
        ("repealed", "2022-01-01"),
    ]
    assert [tuple(part) for part in found.changes[0].parts] == [("removed", "Lamps"), ("added", "Lights")]


def test_passages_of_documents(parks: Path) -> None:
    found = Collection(parks).impact("2016-06-01", "2021-01-01", {"brief": BRIEF})
    rows = [(one.line, one.words, one.concern, one.state) for one in found.documents["brief"]]
    assert rows == [
        (1, "Article 1 of the Parks Act", "changed", "wording differs"),
        (2, "Article 3 of the Parks Act", "changed", "repealed"),
        (2, "Article 1 of the Parks Act", "names a day", "right"),
        (3, "Article 7 of the Park Fees Rules", "changed", "right"),
        (3, "Article 4 of the Customs Act 1975", "undecided", "outside this collection"),
    ]
    # Documents that cite nothing, or nothing that changed.
    assert told(found) == "3 of 6 citations cite what changed; 1 names a day; 1 undecided."
    nothing = Collection(parks).impact("2016-06-01", "2021-01-01", {"a": "Nice weather.", "b": ""})
    assert told(nothing) == "No citation was found in a, b."
    still = Collection(parks).impact("2016-06-01", "2016-07-01", {"brief": BRIEF})
    assert (still.changes, still.count("changed"), still.count("undecided")) == ((), 0, 1)


def test_the_paragraph_that_is_cited(tmp_path: Path) -> None:
    old = "(1) A dog is on a lead.\n(2) A keeper must\n(a) register it;\n(b) pay ten.\n(3) There is a list."
    new = old.replace("pay ten", "pay twelve").replace("on a lead", "on a short lead")
    dogs = {"law": "Dogs Act", "article": "5", "title": "Dogs Act s 5"}
    rows = [{**dogs, "docno": "dog-5@2010-01-01", "text": old}, {**dogs, "docno": "dog-5@2020-01-01", "text": new}]
    cites = {
        "2(a)": "other part",
        "2(b)": "changed",
        "3": "other part",
        "": "changed",
        "1) to (3": "changed",
        "x": "part unclear",
    }
    for place, words in enumerate(cites):
        part = f"({words})".replace("(2(", "(2)(").replace("))", ")") if words else ""
        text = "The list is public." if words == "x" else f"See section 5{part} of the Dogs Act."
        rows.append({"docno": f"fee-{place}@2010-01-01", "law": "Fee Rules", "article": f"{place}", "text": text})
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    links = "".join(f"fee-{place}\tdog-5\tcites\n" for place in range(len(cites)))
    (tmp_path / "links.tsv").write_text(links, encoding="utf-8")
    brief = "Section 5(2)(a) of the Dogs Act. Section 5(1) of the Dogs Act."
    found = Collection(tmp_path).impact("2015-01-01", "2021-01-01", {"brief": brief})
    assert {one.docno[4]: one.concern for one in found.citing[0]} == {
        str(place): concern for place, concern in enumerate(cites.values())
    }
    assert [(one.concern, one.state) for one in found.documents["brief"]] == [
        ("other part", "right"),
        ("changed", "right"),
    ]


def test_the_command(parks: Path, tmp_path: Path) -> None:
    brief, plain = tmp_path / "brief.md", tmp_path / "plain.txt"
    brief.write_text(BRIEF, encoding="utf-8")
    plain.write_text(
        "Article 2 of the Parks Act is old. Article 4 of the Customs Act 1975 is not here.", encoding="utf-8"
    )
    page = tmp_path / "page.html"
    days = ["impact", "-c", str(parks), "--from", "2016-06-01", "--to", "2021-01-01"]
    result = CliRunner().invoke(app, [*days, str(brief), "--html", str(page)])
    assert result.exit_code == 1, result.output
    assert "lead of at most [-2-]{+3+} metres" in result.output
    assert f"{brief}:1:1\tchanged\tArticle 1 of the Parks Act" in result.output
    assert "3 of 6 citations cite what changed; 1 names a day; 1 undecided." in result.output
    assert "<script" not in page.read_text(encoding="utf-8")
    assert "Cited by" in page.read_text(encoding="utf-8")
    assert CliRunner().invoke(app, [*days, str(plain)]).exit_code == 0
    assert CliRunner().invoke(app, [*days, str(plain), "--strict"]).exit_code == 1
    result = CliRunner().invoke(app, [*days, "--law", "Park Fees Rules", "--json"])
    assert [change["kind"] for change in json.loads(result.stdout)["changes"]] == ["moved"]


@pytest.mark.parametrize(
    ("days", "message"),
    [
        (("2021-01-01", "2020-01-01"), "before the first"),
        (("2021-02-31", "2021-03-01"), "the first day: '2021-02-31' is not a date"),
        (("1900-01-01", "1950-01-01"), "choose a later day"),
        (("2021-01-01", "soon"), "the second day: 'soon' is not a date"),
    ],
)
def test_contradictory_days(parks: Path, days: tuple[str, str], message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        Collection(parks).impact(*days)


def test_a_collection_without_versions() -> None:
    with pytest.raises(ComponentError, match="legalir/firecode has no versions"):
        Collection("legalir/firecode").impact("2020-01-01", "2021-01-01")
