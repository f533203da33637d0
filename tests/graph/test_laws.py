"""The law and the law family of each provision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from legalir.errors import ArtifactError, ComponentError
from legalir.graph.laws import LawTable

DOCUMENTS = [
    {"docno": "r-1", "law": "소방법 시행규칙"},
    {"docno": "a-1", "law": "소방법"},
    {"docno": "n-1"},
    {"docno": "d-1", "law": "소방법시행령"},
    {"doc_id": "b-1", "law": "건축법"},
]


def test_groups(tmp_path: Path) -> None:
    table = LawTable(tmp_path / "laws").index(iter(DOCUMENTS), corpus="c0ffee")
    numbers = table.numbers(["a-1", "r-1", "d-1", "b-1", "n-1", "x"])
    assert numbers.tolist() == [1, 0, 3, 4, 2, -1]
    families = table.groups(numbers, "family")
    assert [table.group_name(group, "family") for group in families] == ["소방법"] * 3 + ["건축법", "", ""]
    laws = [table.group_name(group, "law") for group in table.groups(numbers, "law")]
    assert laws == ["소방법", "소방법 시행규칙", "소방법시행령", "건축법", "", ""]
    assert table.manifest.facts == {"documents": 5, "laws": 4, "corpus": "c0ffee"}
    assert LawTable(tmp_path / "laws") == table
    assert LawTable(tmp_path / "laws").fingerprint() == table.fingerprint()
    assert hash(LawTable("a")) == hash(LawTable("a"))
    assert repr(LawTable("a")) == "LawTable('a')"


@pytest.mark.parametrize("documents", [[], [{"docno": "a"}]])
def test_a_collection_without_laws(tmp_path: Path, documents: list[dict[str, str]]) -> None:
    table = LawTable(tmp_path / "laws").index(documents)
    assert len(table) == len(documents)
    for by in ("law", "family"):
        assert table.groups(np.array([-1, *range(len(documents))]), by).tolist() == [-1] * (len(documents) + 1)


def test_faults(tmp_path: Path) -> None:
    table = LawTable(tmp_path / "laws")
    with pytest.raises(ArtifactError, match="There is no index at"):
        _ = table.manifest
    with pytest.raises(ComponentError, match=r"law .*got 3"):
        table.index([{"docno": "a", "law": 3}])
    with pytest.raises(ComponentError, match="A document has no docno"):
        table.index([{"law": "법"}])
    with pytest.raises(ComponentError, match="The docno 'a' occurs twice"):
        table.index([{"docno": "a"}, {"docno": "a"}])
    table.index(DOCUMENTS)
    (file,) = table.directory.glob("data-*/law.npy")
    file.write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"law\.npy.*0"):
        _ = LawTable(tmp_path / "laws").manifest
