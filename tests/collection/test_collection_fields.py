"""The field index and the laws of a collection: built once, kept, and never mistaken for those of other links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from legalir.collection.collection import Collection
from legalir.errors import AnalyzerError, ArtifactError
from legalir.graph.family import family
from legalir.lexical.bm25f import FieldIndex, bm25f

CORPUS = [
    {"docno": "a-1", "title": "소방법 제1조", "text": "무창층", "law": "소방법", "heading": "목적", "path": "총칙"},
    {"docno": "a-2", "title": "소방법 제2조", "text": "정한다", "law": "소방법", "heading": "스프링클러"},
    {"docno": "d-1", "text": "개구부", "law": "소방법 시행령"},
]


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "법령"
    folder.mkdir()
    rows = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in CORPUS)
    (folder / "corpus.jsonl").write_text(rows, encoding="utf-8")
    (folder / "links.tsv").write_text("a-2\ta-1\tself\n", encoding="utf-8")
    return folder


def test_a_provision_is_found_by_the_heading_of_what_cites_it(folder: Path) -> None:
    collection = Collection(folder)
    assert bm25f(collection).search("스프링클러")["docno"].tolist() == ["a-1"]
    results = (bm25f(collection) >> family(collection, weight=1)).search("무창층 개구부")
    # Both are of one family, and as good as each other: 1 after min-max, 1 + (1 + 1 + 0)/3.
    assert results["docno"].tolist() == ["a-1", "d-1"]
    assert results["score"].tolist() == pytest.approx([5 / 3, 5 / 3])


@pytest.mark.parametrize(
    ("headings", "links", "found"),
    [(False, 2, True), (True, 2, False), (False, 1, False)],
    ids=["no headings, many links", "one heading", "few links"],
)
def test_without_headings_the_paths_of_what_cites_it(tmp_path: Path, headings: bool, links: int, found: bool) -> None:
    rows = [
        {"docno": f"L{number}", "text": f"texte {number}", "path": f"Partie > Congé {number}"} for number in range(4)
    ]
    rows[3] |= {"heading": "Salaire"} if headings else {}
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    lines = ("L1\tL0\tself\n", "L2\tL0\tself\n")[:links]
    (tmp_path / "links.tsv").write_text("".join(lines), encoding="utf-8")
    index = FieldIndex.of(Collection(tmp_path), "whitespace")
    assert bool(index.lengths[0, 3]) is found
    assert index.lengths[1:, 3].tolist() == [0, 0, 0]


def test_other_links_make_another_index(folder: Path) -> None:
    first = FieldIndex.of(Collection(folder))
    (folder / "links.tsv").unlink()
    second = FieldIndex.of(Collection(folder))
    assert second.directory != first.directory
    assert second.lengths[:, 3].tolist() == [0, 0, 0]
    assert len(bm25f(Collection(folder)).search("스프링클러")) == 0


def test_faults_are_named(folder: Path) -> None:
    with pytest.raises(AnalyzerError):
        FieldIndex.of(Collection(folder), "char0")
    (file,) = FieldIndex.of(Collection(folder)).directory.glob("data-*/df.npy")
    file.write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"df\.npy.*0"):
        bm25f(Collection(folder)).search("무창층")
