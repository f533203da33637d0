"""What changed between two days. All texts are written for the tests."""

import json

import pytest
from dated_laws import three_acts
from typer.testing import CliRunner

from legalir.cli.datasets import app
from legalir.datasets import load
from legalir.errors import ComponentError, DataError
from legalir.statutes.sources.history import History
from legalir.statutes.versions.difference import differences, word_parts
from legalir.statutes.writing import write_collection


@pytest.fixture
def laws(tmp_path):
    write_collection(History(three_acts(tmp_path / "files"), workers=1), tmp_path / "laws", about={"lang": "ko"})
    return tmp_path / "laws"


def kinds(changes):
    return {(change.kind, change.provision.article) for change in changes if "supp" not in change.provision.doc_id}


def test_changed_added_and_repealed_between_two_days(laws):
    dataset = load(str(laws))
    changes = differences(dataset, "2020-01-01", "2023-01-01")
    assert kinds(changes) == {("changed", "1"), ("changed", "2"), ("repealed", "3"), ("added", "4")}
    # A version is in force on its first day.
    changes = differences(dataset, "2022-01-05", "2022-01-06")
    assert kinds(changes) == {("changed", "1"), ("changed", "2"), ("repealed", "3")}
    assert kinds(differences(dataset, "2020-01-01", "2021-06-01")) == {("changed", "2"), ("added", "4")}
    assert differences(dataset, "2020-01-01", "2020-12-31") == []


def test_a_renumbered_provision_is_moved(tmp_path):
    rows = [
        {"docno": "L-1@2020-01-01", "text": "둘 수 있다.", "effective_to": "2022-01-01"},
        {"docno": "L-1@2022-01-01", "text": "통신망을 둔다."},
        {"docno": "L-2@2022-01-01", "text": "둘 수 있다.", "effective_to": "2023-01-01"},
        {"docno": "L-2@2023-01-01", "text": ""},
        {"docno": "L-3@2023-01-01", "text": "두어야 한다."},
    ]
    lines = [{**row, "effective_from": row["docno"][-10:]} for row in rows]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    origins = [
        {"docno": "L-1@2020-01-01", "replaced_by": "L-2"},
        {"docno": "L-2@2022-01-01", "replaced_by": "L-3"},
    ]
    (tmp_path / "origin.jsonl").write_text("".join(json.dumps(row) + "\n" for row in origins), encoding="utf-8")
    changes = differences(load(str(tmp_path)), "2021-01-01", "2024-01-01")
    assert [(each.kind, each.before and each.before.doc_id, each.after and each.after.doc_id) for each in changes] == [
        ("added", None, "L-1@2022-01-01"),
        ("moved", "L-1@2020-01-01", "L-3@2023-01-01"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "within 7 days",
            "within 10 days",
            [("same", "within "), ("removed", "7"), ("added", "10"), ("same", " days")],
        ),
        ("30일 이내", "60일 이내", [("removed", "30"), ("added", "60"), ("same", "일 이내")]),
        ("防火管理人", "防災管理人", [("same", "防"), ("removed", "火"), ("added", "災"), ("same", "管理人")]),
        ("a b c", "x y c", [("removed", "a b"), ("added", "x y"), ("same", " c")]),
    ],
)
def test_parts_are_words_digits_or_characters(before, after, expected):
    assert [tuple(part) for part in word_parts(before, after)] == expected


def test_both_texts_can_be_read_off_the_parts():
    before, after = "① 시장은 고장을 7일 안에 고친다.\n② 끝", "① 구청장은 고장을 10일 안에 고쳐야 한다.\n② 끝"
    parts = word_parts(before, after)
    assert "".join(part.text for part in parts if part.kind != "added") == before
    assert "".join(part.text for part in parts if part.kind != "removed") == after


def test_command_text_json_and_page(laws, tmp_path):
    page = tmp_path / "changes.html"
    days = [str(laws), "2020-01-01", "2023-01-01"]
    result = CliRunner().invoke(app, ["diff", *days, "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "가로등은 [-10-]{+20+}룩스보다 밝게 한다." in result.output
    assert "<del>10</del><ins>20</ins>룩스" in page.read_text(encoding="utf-8")
    assert "http://" not in page.read_text(encoding="utf-8").replace("http-equiv", "")
    found = json.loads(CliRunner().invoke(app, ["diff", *days, "--law", "가로등법", "--json"]).output)
    lamp = next(each for each in found if each.get("before") == "가로등법1-1@2019-01-01")
    assert (lamp["kind"], lamp["after"], lamp["since"]) == ("changed", "가로등법1-1@2022-01-06", "2022-01-06")
    assert ["removed", "10"] in lamp["parts"]


def test_markup_in_a_text_is_shown_as_text(tmp_path):
    row = {"docno": "L-1@2022-01-01", "text": "<script>alert(1)</script>", "effective_from": "2022-01-01"}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["diff", str(tmp_path), "2021-01-01", "2023-01-01", "--html", str(page)])
    assert "&lt;script&gt;" in page.read_text(encoding="utf-8")
    assert "<script" not in page.read_text(encoding="utf-8")


def test_faults_in_one_sentence(laws, tmp_path):
    dataset = load(str(laws))
    with pytest.raises(DataError, match="is before the first"):
        differences(dataset, "2023-01-01", "2020-01-01")
    with pytest.raises(ComponentError, match="'2021-02-31'"):
        differences(dataset, "2021-02-31", "2022-01-01")
    with pytest.raises(DataError, match="'가로수법'"):
        differences(dataset, "2020-01-01", "2022-01-01", "가로수법")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "corpus.jsonl").write_text('{"docno": "a", "text": "b"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="has no versions of provisions"):
        differences(load(str(tmp_path / "plain")), "2020-01-01", "2022-01-01")
