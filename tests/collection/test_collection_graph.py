"""The citation graph of a collection: built once, kept, and never mistaken for another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir.collection.collection import Collection
from legalir.errors import ArtifactError, FormatError


@pytest.fixture(name="folder")
def written_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "법령"
    folder.mkdir()
    rows = "".join(f'{{"docno": "{docno}", "text": "조문"}}\n' for docno in "abc")
    (folder / "corpus.jsonl").write_text(rows, encoding="utf-8")
    (folder / "links.tsv").write_text("a\tb\tself\n", encoding="utf-8")
    return folder


def test_other_links_make_another_graph(folder: Path) -> None:
    first = Collection(folder).graph
    (folder / "links.tsv").write_text("b\ta\n", encoding="utf-8")
    assert list(Collection(folder).graph.links()) == [("b", "a", "")]
    (folder / "links.tsv").unlink()
    assert Collection(folder).graph.links_count() == 0
    assert list(first.links()) == [("a", "b", "self")]


def test_faults_are_named(folder: Path) -> None:
    graph = Collection(folder).graph
    (file,) = Path(str(graph.path)).glob("data-*/targets.nodes.npy")
    file.write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"targets\.nodes\.npy.*0"):
        Collection(folder).graph.links_count()
    (folder / "links.tsv").write_text("a\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"links\.tsv"):
        _ = Collection(folder).graph
