"""BGE-M3 in expressions: which index is asked for, and what is made over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from legalir.m3.head_retrievers import M3HeadRetriever, M3Retriever, M3Scorer
from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.m3_index import M3Index, m3, m3_dense, m3_multi, m3_rerank, m3_sparse


class Shelf:
    """A collection that has an index of any kind, and keeps what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[tuple[M3Encoder, str | None]] = []

    def of(self, encoder: M3Encoder, multi: str | None = None) -> M3Index:
        self.asked.append((encoder, multi))
        return M3Index(self.folder / "index")


@pytest.fixture(name="shelf")
def own_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr(M3Index, "of", Shelf.of)
    return Shelf(tmp_path)


@pytest.mark.parametrize(
    ("weights", "multi", "wanted"),
    [
        (None, {}, "float16"),
        (None, {"multi": "int8"}, "int8"),
        ({"dense": 1, "sparse": 1}, {}, None),
        ({"dense": 1, "multi": 0}, {"multi": "int8"}, None),
        ({"sparse": 0.1, "multi": 2}, {"multi": "float32"}, "float32"),
    ],
)
def test_multi_vectors_are_asked_for_where_they_count(
    shelf: Shelf, weights: Any, multi: dict[str, Any], wanted: str | None
) -> None:
    for factory in (m3, m3_rerank):
        component = factory(shelf, model="org/name", weights=weights, **multi)
        assert shelf.asked.pop()[1] == wanted
        assert component.weights == {
            h: w for h, w in (weights or {"dense": 0.4, "sparse": 0.2, "multi": 0.4}).items() if w
        }


def test_what_is_made(shelf: Shelf) -> None:
    index = M3Index(shelf.folder / "index")
    three = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}
    assert m3(shelf, model="m", k=7, num_results=9) == M3Retriever(index, three, k=7, num_results=9)
    assert m3(shelf, model="m", exhaustive=True) == M3Retriever(index, three, exhaustive=True)
    assert m3_rerank(shelf, model="m") == M3Scorer(index, three)
    assert m3_dense(shelf, model="m", num_results=3) == M3HeadRetriever(index, "dense", num_results=3)
    assert m3_sparse(shelf, model="m") == M3HeadRetriever(index, "sparse")
    assert m3_multi(shelf, model="m", multi="int8") == M3HeadRetriever(index, "multi")
    assert [multi for _, multi in shelf.asked] == ["float16", "float16", "float16", None, None, "int8"]


@pytest.mark.parametrize("factory", [m3, m3_dense, m3_sparse, m3_multi, m3_rerank])
def test_the_encoder_is_made_as_asked(shelf: Shelf, factory: Any) -> None:
    factory(shelf, model="org/name", max_length=20, query_max_length=30, device="cpu", dtype="float32")
    encoder = shelf.asked[0][0]
    assert encoder.model == "org/name"
    assert repr(encoder) == "M3Encoder('org/name', max_length=20, query_max_length=30)"
