"""The index of three heads, built from an encoder that says what the test can say again."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fake_m3
import numpy as np
import pytest
from fake_m3 import LIMIT, VOCABULARY, FakeM3, Said, contents, leftovers, provisions

from legalir.m3.m3_index import M3Index
from legalir.m3.maxsim import Multi, dequantize, quantize
from legalir.storage import documents
from legalir.storage.documents import indexed_text

DOCUMENTS = provisions(40)


def built(path: Path, documents: Any = DOCUMENTS, encoder: FakeM3 | None = None, **options: Any) -> M3Index:
    return fake_m3.built(path, documents, encoder, **options)


@pytest.mark.parametrize("multi", [None, "float16", "float32", "int8"])
@pytest.mark.parametrize(("precision", "shard"), [("float16", 7), ("float32", 4096)])
def test_the_index_holds_what_the_encoder_said_of_each_text(
    tmp_path: Path, multi: Multi | None, precision: Any, shard: int
) -> None:
    store = built(tmp_path / "m3", multi=multi, precision=precision, shard=shard)
    assert store.docnos.tolist() == [document["docno"] for document in DOCUMENTS]
    assert (len(store), store.dimensions, store.vocabulary) == (40, 8, VOCABULARY)
    assert store.dense.dtype == precision
    by_token: dict[int, list[tuple[int, np.float32]]] = {token: [] for token in range(VOCABULARY)}
    for number, document in enumerate(DOCUMENTS):
        dense, tokens, weights, vectors = FakeM3().one(indexed_text(document))
        assert np.array_equal(store.dense[number], dense.astype(precision))
        found = store.sparse.row(number)
        assert found[0].tolist() == tokens.tolist()
        assert found[1].tolist() == weights.tolist()
        for token, weight in zip(tokens.tolist(), weights, strict=True):
            by_token[token].append((number, weight))
        if multi is None:
            continue
        assert store.multi is not None
        if multi == "int8":
            assert np.array_equal(store.multi.row(number), dequantize(*quantize(vectors)))
        else:
            assert np.array_equal(store.multi.row(number), vectors.astype(multi).astype(np.float32))
    for token, expected in by_token.items():
        documents, weights = store.postings.row(token)
        assert list(zip(documents.tolist(), weights, strict=True)) == expected
    assert leftovers(store) == []


def test_the_types_are_those_of_the_layout(tmp_path: Path) -> None:
    store = built(tmp_path / "m3", multi="int8")
    found = {name: (array.dtype.name, array.shape[1:]) for name, array in store.arrays.items()}
    assert found == {
        "dense": ("float16", (8,)),
        "sparse.bounds": ("int64", ()),
        "sparse.tokens": ("int32", ()),
        "sparse.weights": ("float32", ()),
        "token.bounds": ("int64", ()),
        "token.documents": ("int32", ()),
        "token.weights": ("float32", ()),
        "multi.bounds": ("int64", ()),
        "multi.vectors": ("int8", (4,)),
        "multi.scales": ("float32", ()),
        "truncated": ("bool", ()),
        "digests": ("uint8", (16,)),
        "docnos.bytes": ("uint8", ()),
        "docnos.offsets": ("int64", ()),
        "order": ("int32", ()),
    }


def test_the_manifest_says_what_was_built(tmp_path: Path) -> None:
    store = built(tmp_path / "m3", multi="float16", corpus="c0ffee")
    facts = dict(store.manifest.facts)
    rows = facts.pop("rows")
    long = sum(len(indexed_text(document)) > LIMIT for document in DOCUMENTS)
    assert 0 < long < 40
    assert facts == {
        "documents": 40,
        "heads": ["dense", "sparse", "multi"],
        "dimensions": 8,
        "vocabulary": VOCABULARY,
        "postings": len(store.sparse.items),
        "vectors": len(store.arrays["multi.vectors"]),
        "truncated": long,
        "encoder": {"name": "m3", "model": "fake", "max_length": LIMIT, "fingerprint": "f1"},
        "precision": "float16",
        "multi": "float16",
        "indexed": "title, newline, text; the text alone where there is no title",
        "corpus": "c0ffee",
    }
    assert len(rows["key"]) == 64
    assert (store.heads, store.truncated, store.multi_kind) == (("dense", "sparse", "multi"), long, "float16")
    assert built(tmp_path / "two").heads == ("dense", "sparse")
    assert built(tmp_path / "two").multi is None


def test_what_was_not_read_to_its_end_is_said_of_each_document(tmp_path: Path) -> None:
    class Selective(FakeM3):
        def represent(self, texts: Sequence[str], *, multi: bool) -> Said:
            said = super().represent(texts, multi=multi)
            return said._replace(truncated=np.array([len(text) % 3 == 0 for text in texts], dtype=bool))

    store = built(tmp_path / "m3", encoder=Selective(), shard=7)
    wanted = [len(indexed_text(document)) % 3 == 0 for document in DOCUMENTS]
    assert 0 < sum(wanted) < 40
    assert store.arrays["truncated"].tolist() == wanted
    assert store.truncated == sum(wanted)


@pytest.mark.parametrize("batch", [200, 10**6])
def test_a_text_is_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(documents, "_BATCH_CHARACTERS", batch)
    encoder = FakeM3()
    twice = [*DOCUMENTS, *({**document, "docno": f"{document['docno']}-b"} for document in DOCUMENTS)]
    store = built(tmp_path / "m3", twice, encoder, multi="float16", shard=9)
    assert sorted(encoder.seen) == sorted(indexed_text(document) for document in DOCUMENTS)
    assert np.array_equal(store.dense[:40], store.dense[40:])
    assert np.array_equal(store.digests[:40], store.digests[40:])


@pytest.mark.parametrize("multi", [None, "int8"])
def test_only_a_changed_provision_is_encoded_again(tmp_path: Path, multi: Multi | None) -> None:
    built(tmp_path / "m3", multi=multi)
    changed = [dict(document) for document in DOCUMENTS]
    changed[17]["text"] = "개정된 조문이다."
    encoder = FakeM3()
    store = built(tmp_path / "m3", changed, encoder, multi=multi)
    assert encoder.seen == [indexed_text(changed[17])]
    assert contents(store) == contents(built(tmp_path / "fresh", changed, multi=multi))
    assert store.fingerprint() == M3Index(tmp_path / "fresh").fingerprint()


@pytest.mark.parametrize("multi", [None, "float16", "int8"])
def test_provisions_that_went_or_moved_cost_nothing(tmp_path: Path, multi: Multi | None) -> None:
    built(tmp_path / "m3", multi=multi)
    kept = random.Random(3).sample(DOCUMENTS, 31)
    encoder = FakeM3()
    store = built(tmp_path / "m3", kept, encoder, multi=multi, shard=5)
    assert encoder.seen == []
    assert contents(store) == contents(built(tmp_path / "fresh", kept, multi=multi))
    renamed = [{**document, "docno": f"new-{document['docno']}"} for document in kept]
    assert built(tmp_path / "m3", renamed, encoder, multi=multi).docnos[0] == renamed[0]["docno"]
    assert encoder.seen == []


@pytest.mark.parametrize(
    ("encoder", "options"),
    [
        (FakeM3("f2"), {"multi": "float16"}),
        (FakeM3(), {"multi": "int8"}),
        (FakeM3(), {"multi": None}),
        (FakeM3(), {"multi": "float16", "precision": "float32"}),
    ],
)
def test_what_was_made_by_other_means_is_not_taken_over(
    tmp_path: Path, encoder: FakeM3, options: dict[str, Any]
) -> None:
    built(tmp_path / "m3", multi="float16")
    store = built(tmp_path / "m3", DOCUMENTS, encoder, **options)
    assert len(encoder.seen) == 40
    encoder.seen.clear()
    assert contents(store) == contents(built(tmp_path / "fresh", DOCUMENTS, encoder, **options))


def test_a_damaged_index_is_not_taken_over(tmp_path: Path) -> None:
    store = built(tmp_path / "m3")
    good = contents(store)
    file = store.directory / store.manifest.data / "dense.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    encoder = FakeM3()
    assert contents(built(tmp_path / "m3", DOCUMENTS, encoder)) == good
    assert len(encoder.seen) == 40


def test_other_indexes_can_lend_what_they_hold(tmp_path: Path) -> None:
    built(tmp_path / "one", DOCUMENTS[:20])
    built(tmp_path / "two", DOCUMENTS[10:35])
    built(tmp_path / "other", DOCUMENTS, FakeM3("f2"))
    encoder = FakeM3()
    lenders = [tmp_path / name for name in ("one", "two", "other", "missing")]
    store = built(tmp_path / "m3", DOCUMENTS, encoder, reuse=lenders)
    assert sorted(encoder.seen) == sorted(indexed_text(document) for document in DOCUMENTS[35:])
    assert contents(store) == contents(built(tmp_path / "fresh"))
    shutil.rmtree(tmp_path / "one")
    assert contents(M3Index(tmp_path / "m3")) == contents(store)


@pytest.mark.parametrize("multi", [None, "float16", "int8"])
def test_an_index_of_nothing(tmp_path: Path, multi: Multi | None) -> None:
    store = built(tmp_path / "m3", [], multi=multi)
    assert (len(store), store.dimensions, store.vocabulary, store.truncated) == (0, 8, VOCABULARY, 0)
    assert store.postings.row(0)[0].tolist() == []
    assert len(built(tmp_path / "m3", DOCUMENTS, multi=multi)) == 40
    encoder = FakeM3()
    assert len(built(tmp_path / "m3", [], encoder, multi=multi)) == 0
    assert encoder.seen == []
