"""References in the texts of an import become links: resolved over all laws, beside those that the publisher gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from korean_laws import ACT, DECREE, laws

from legalir.statutes.importing.files import StatuteFiles
from legalir.statutes.law import GivenLink, Law
from legalir.statutes.sources.markdown import FORMATS, read_kr
from legalir.statutes.writing import write_collection


def referring(folder: Path) -> Path:
    """Write the act and the decree with references in them."""
    root = laws(folder)
    act = ACT.replace("통로의 너비는 2미터로 한다.", "통로는 제2조에 따르되, 너비는 대통령령으로 정한다.")
    decree = DECREE.replace(
        "통로의 너비는 2미터로 한다.",
        "「창고안전법」 제3조에 따른 너비는 2미터로 한다. 제9조 및 「항만법」 제1조는 뺀다.",
    )
    (root / "창고" / "법률.md").write_text(act, encoding="utf-8")
    (root / "창고" / "시행령.md").write_text(decree, encoding="utf-8")
    return root


def test_references_become_links_with_kinds_and_states(tmp_path: Path) -> None:
    report = write_collection(StatuteFiles(FORMATS[0], referring(tmp_path / "laws")), tmp_path / "new")
    assert (tmp_path / "new" / "links.tsv").read_text(encoding="utf-8").splitlines() == [
        "900001-3\t900001-2\tcites",
        "900002-3\t900001-3\tcites",
        "900001-3\t900002-3\tdelegates",
    ]
    references = report.details["references"]
    assert references == {
        "cites": {"resolved": 2, "not in collection": 2},
        "delegates": {"whole law": 1},
        "examples": {
            "delegates, whole law": ["900001-3: 대통령령으로 정한"],
            "cites, not in collection": ["900002-3: 제9조", "900002-3: 「항만법」 제1조"],
        },
    }


def test_a_provision_of_the_decree_that_only_names_a_definition_cites_back(tmp_path: Path) -> None:
    root = referring(tmp_path / "laws")
    decree = (root / "창고" / "시행령.md").read_text(encoding="utf-8")
    defining = decree.replace("제3조에 따른 너비는 2미터로 한다.", "제3조에 따른 통로를 말한다.")
    (root / "창고" / "시행령.md").write_text(defining, encoding="utf-8")
    write_collection(StatuteFiles(FORMATS[0], root), tmp_path / "new")
    links = (tmp_path / "new" / "links.tsv").read_text(encoding="utf-8").splitlines()
    assert {*links} >= {"900002-3\t900001-3\tdefines", "900001-3\t900002-3\tdelegates"}


def test_without_references(tmp_path: Path) -> None:
    source = StatuteFiles(FORMATS[0], referring(tmp_path / "laws"), references=False)
    report = write_collection(source, tmp_path / "new")
    assert not (tmp_path / "new" / "links.tsv").exists()
    assert report.details["references"] == {}


def test_a_link_of_the_publisher_replaces_a_reference_with_its_words(tmp_path: Path) -> None:
    def read(path: Path, data: bytes) -> Iterator[Law]:
        for law in read_kr(path, data):
            start = law.text.find("「창고안전법」 제3조")
            for unit in law.root.walk():
                if start >= 0 and unit.label == "제3조":
                    unit.links.append(GivenLink(start, start + 12, "900001", "창고-1"))
                if unit.label == "제1조" and law.law_id == "900001":
                    unit.key = "창고-1"
            yield law

    root = referring(tmp_path / "laws")
    write_collection(StatuteFiles(FORMATS[0]._replace(read=read), root), tmp_path / "new")
    links = (tmp_path / "new" / "links.tsv").read_text(encoding="utf-8").splitlines()
    assert links == ["900002-3\t900001-1\tcites", "900001-3\t900001-2\tcites"]
