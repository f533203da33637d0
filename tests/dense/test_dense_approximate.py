"""A dense index that searches approximately: what it finds, how it says so, and what it refuses."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import approximate_material as material
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from approximate_material import made
from dense_material import LetterEncoder

from legalir import testing
from legalir.dense.index import DenseIndex, DenseRetriever, dense
from legalir.dense.lsa import LSA
from legalir.errors import ArtifactError, ComponentError, MissingExtra

pytestmark = pytest.mark.neural

SEARCHES = ("hnsw(m=8, ef_construction=40, ef=10)", "ivf(lists=40, probes=2)")


def asked(vectors: material.Vectors) -> pd.DataFrame:
    return pd.DataFrame({"qid": [f"q{i}" for i in range(len(vectors))], "query_vec": list(vectors)})


QUERIES = asked(material.spread(30, seed=8))


@pytest.fixture(name="index", scope="module", params=SEARCHES)
def built_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    return made(tmp_path_factory.mktemp("approximate") / "index", material.spread(), request.param)


def docnos(frame: pd.DataFrame) -> list[list[str]]:
    return [rows["docno"].tolist() for _, rows in frame.groupby("qid", sort=False)]


def test_scores_are_those_of_the_exact_search(index: DenseIndex) -> None:
    found = index.retriever(50)(QUERIES)
    exact = index.retriever(len(index), exact=True)(QUERIES)
    whole = exact.set_index(["qid", "docno"])["score"]
    assert found["score"].tolist() == whole.loc[list(zip(found["qid"], found["docno"], strict=True))].tolist()
    assert list(found.columns) == list(exact.columns)
    assert found.dtypes.to_dict() == exact.dtypes.to_dict()
    for _, rows in found.groupby("qid"):
        assert rows["rank"].tolist() == list(range(len(rows)))
        assert rows["docno"].tolist() == [d for _, d in sorted(zip(-rows["score"], rows["docno"], strict=True))]
    assert docnos(found) != docnos(exact[exact["rank"] < 50]), "something is missed, or all of this says nothing"


@pytest.mark.parametrize("search", ["int8", "hnsw(ef=2500)", "ivf(lists=10, probes=10)"])
def test_whoever_looks_at_all_finds_the_same(tmp_path: Path, search: str) -> None:
    """With vectors of few numbers, so that many are equal and more have equal cosines."""
    random = np.random.default_rng(2)
    vectors = random.integers(-2, 3, size=(2500, 4)).astype(np.float32) + np.array([5, 0, 0, 0], dtype=np.float32)
    vectors[100:400] = vectors[7]
    index = made(tmp_path / "index", vectors, search)
    assert index.manifest.facts["approximate"]["distinct"] < 700
    queries = asked(np.concatenate([vectors[5:12], random.normal(size=(9, 4)).astype(np.float32)]))
    for k in (1, 2, 7, 60, 250):
        pd.testing.assert_frame_equal(index.retriever(k)(queries), index.retriever(k, exact=True)(queries))
    assert index.recall == {10: 1.0, 100: 1.0, 1000: 1.0}


@pytest.mark.parametrize("k", [1, 5, 10, 11, 40, 300])
def test_a_cutoff_changes_nothing_but_the_length(index: DenseIndex, k: int) -> None:
    system = index.retriever(300) % k
    compiled = system.compile()
    assert compiled == (index.retriever(300) if k == 300 else DenseRetriever(index, num_results=k, depth=300))
    pd.testing.assert_frame_equal(compiled(QUERIES), system(QUERIES))
    assert (compiled % 1).compile() == DenseRetriever(index, num_results=1, depth=300)
    rebuilt = pt.inspect.transformer_apply_attributes(index.retriever(300), num_results=min(k, 300), depth=300)
    pd.testing.assert_frame_equal(rebuilt(QUERIES), compiled(QUERIES))


def test_the_depth_is_what_counts(tmp_path: Path) -> None:
    """Of 900 vectors that 8 bits a number do not tell apart, the best is sure to be found if all are candidates."""
    vectors = np.concatenate([material.spread(500), material.clusters([900], d=24, noise=5e-5)])
    index = made(tmp_path / "index", vectors, "ivf(lists=4, probes=4)")
    queries = asked(material.clusters([20], d=24, noise=0.1, seed=4))
    best, hasty = index.retriever(1, exact=True)(queries), index.retriever(1)(queries)
    pd.testing.assert_frame_equal((index.retriever(1200) % 1).compile()(queries), best)
    assert docnos(hasty) != docnos(best)
    assert (hasty["score"] - best["score"]).between(-0.005, 0).all()


def test_more_results_than_there_are(index: DenseIndex) -> None:
    """All documents are compared; one less, and what the search comes by is there."""
    pd.testing.assert_frame_equal(index.retriever(9999)(QUERIES), index.retriever(9999, exact=True)(QUERIES))
    sizes = {len(rows) for rows in docnos(index.retriever(len(index) - 1)(QUERIES))}
    assert max(sizes) < len(index)
    assert min(sizes) > 10


def test_a_query_of_zeros_finds_nothing(index: DenseIndex) -> None:
    frame = asked(np.concatenate([np.zeros((1, 24), dtype=np.float32), material.spread(1)]))
    assert index.retriever(5)(frame)["qid"].unique().tolist() == ["q1"]


@pytest.mark.parametrize("search", SEARCHES)
def test_documents_that_say_nothing(tmp_path: Path, search: str) -> None:
    texts = ["abc", "zzz", "aab", "", "hhh", "gab"] * 5
    documents = [{"docno": f"d{i:02d}", "text": text} for i, text in enumerate(texts)]
    index = DenseIndex(tmp_path / "index", LetterEncoder()).index(documents, approximate=search)
    assert index.manifest.facts["approximate"]["distinct"] == 4
    found = index.retriever(7).search("baa")
    assert found["docno"].tolist() == ["d02", "d08", "d14", "d20", "d26", "d00", "d05"]
    pd.testing.assert_frame_equal(found, index.retriever(7, exact=True).search("baa"))
    nothing = DenseIndex(tmp_path / "nothing", LetterEncoder()).index(documents[1:2] * 0, approximate=search)
    assert (len(nothing.retriever().search("baa")), nothing.recall) == (0, {10: 1.0, 100: 1.0, 1000: 1.0})
    empty = [{"docno": f"d{i}", "text": "zzz"} for i in range(9)]
    zeros = DenseIndex(tmp_path / "zeros", LetterEncoder()).index(empty, approximate=search)
    assert len(zeros.retriever(5).search("baa")) == 0


def test_recall_of_clusters(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Three clusters of 50, one list each, one of which is looked at: of the best 100, it holds the other 49.

    The best 10 are all in it, and for 1 000 all documents are compared.
    """
    index = made(tmp_path / "index", material.clusters([50, 50, 50]), "ivf(lists=3, probes=1)")
    assert index.recall == pytest.approx({10: 1.0, 100: 0.49, 1000: 1.0})
    assert index.manifest.facts["approximate"]["queries"] == 150
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        f"{tmp_path / 'index'}: ivf(lists=3, probes=1) finds 1.000 at 10, 0.490 at 100, 1.000 at 1000 of what the "
        f"exact search finds, for 150 documents; with a larger probes it finds more."
    )
    with caplog.at_level(logging.INFO, logger="legalir"):
        assert index.approximated("ivf(lists=3, probes=3)").recall == {10: 1.0, 100: 1.0, 1000: 1.0}
    assert caplog.records[-1].levelno == logging.INFO
    assert caplog.records[-1].getMessage().endswith("for 150 documents.")


def test_recall_of_given_queries_is_that_of_the_retrievers(index: DenseIndex, tmp_path: Path) -> None:
    vectors = material.spread(30, seed=8)
    again = index.approximated(index.approximate or "", tmp_path / "again", queries=vectors * 3)
    expected = {}
    for k in (10, 100, 1000):
        true = docnos(index.retriever(k, exact=True)(QUERIES))
        found = docnos(index.retriever(k)(QUERIES))
        expected[k] = np.mean([len(set(a) & set(b)) / k for a, b in zip(true, found, strict=True)])
    assert again.recall is not None
    assert again.recall[10] < 1
    # One more candidate is sought than results are asked for, which may find a little more.
    assert again.recall == pytest.approx(expected, abs=2e-3)
    facts = again.manifest.facts["approximate"]
    assert (facts["queries"], facts["queries_are"]) == (30, "queries")


def test_recall_of_texts(tmp_path: Path) -> None:
    documents = [
        {"docno": str(i), "text": text} for i, text in enumerate(["제1조 목적", "제2조 정의", "벌칙", "부칙"] * 9)
    ]
    index = DenseIndex(tmp_path / "index", LSA("char2", 3)).index(
        documents, approximate="hnsw", queries=["목적", "정의"]
    )
    assert index.manifest.facts["approximate"]["queries"] == 2
    assert index.approximated("ivf", queries=["벌칙"]).recall == {10: 1.0, 100: 1.0, 1000: 1.0}
    foreign = made(tmp_path / "foreign", material.spread(50), None)
    with pytest.raises(ComponentError, match="no encoder for texts"):
        foreign.approximated(queries=["목적"])


WRONG_QUERIES: list[tuple[Any, str]] = [
    ("목적", "list of texts, or vectors"),
    ([], "list of texts, or vectors"),
    (["목적", 3], "list of texts, or vectors"),
    (np.ones(24), r"has the shape \[24\]"),
    (np.ones((0, 24)), r"has the shape \[0, 24\]"),
    (np.full((2, 24), np.nan), "give finite vectors"),
    (np.ones((2, 8)), "in queries have 8 numbers, .* 24"),
]


@pytest.mark.parametrize(("queries", "message"), WRONG_QUERIES)
def test_queries_that_measure_nothing(tmp_path: Path, queries: Any, message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        made(tmp_path / "index", material.spread(50), "hnsw", queries=queries)
    assert not DenseIndex(tmp_path / "index").built()


def test_queries_need_a_search(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="approximate=…"):
        made(tmp_path / "index", material.spread(50), None, queries=["목적"])


def test_a_wrong_search_is_told_before_anything_is_encoded(tmp_path: Path) -> None:
    def documents() -> Any:
        raise AssertionError("asked for documents")
        yield

    for search, message in (("hnws", "Did you mean 'hnsw'"), ("ivf(probes=0)", "probes=0 is not an integer")):
        with pytest.raises(ComponentError, match=message):
            DenseIndex(tmp_path / "index", LetterEncoder()).index(documents(), approximate=search)


def test_an_index_that_stands_gets_a_search_and_loses_it(tmp_path: Path) -> None:
    vectors = material.spread(500)
    index = made(tmp_path / "index", vectors, None, corpus="abc", precision="float16")
    plain, exact = index.fingerprint(), index.retriever(9)(QUERIES)
    assert (index.approximate, index.recall) == (None, None)
    with pytest.raises(ArtifactError, match="has no approximate search"):
        _ = index.neighbours
    assert index.approximated("ivf(lists=4)") is index
    assert index.approximate == "ivf(lists=4, probes=4)"
    assert index.manifest.facts["corpus"] == "abc"
    assert index.fingerprint() != plain
    pd.testing.assert_frame_equal(index.retriever(9)(QUERIES), exact)
    assert index.approximated("ivf(lists=2)").approximate == "ivf(lists=2, probes=2)"
    assert len(list((tmp_path / "index").glob("data-*"))) == 1
    index = made(tmp_path / "index", vectors, None)
    assert index.approximate is None
    assert not [name for name in index.manifest.files if name.startswith("approximate")]


@pytest.mark.parametrize("links", [True, False])
def test_another_index_shares_the_vectors(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **names: object) -> None:
        raise OSError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", refused)
    index = made(tmp_path / "index", material.spread(500), None)
    other = index.approximated("hnsw", tmp_path / "other")
    assert (other.path, index.approximate) == (tmp_path / "other", None) != (other.path, other.approximate)
    files = [Path(one.directory / one.manifest.data / "vectors.npy") for one in (index, other)]
    assert files[0].samefile(files[1]) == links
    made(tmp_path / "index", material.spread(20), None)
    pd.testing.assert_frame_equal(
        DenseIndex(tmp_path / "other").retriever(5)(QUERIES),
        made(tmp_path / "same", material.spread(500), "hnsw").retriever(5)(QUERIES),
    )


def test_an_altered_file_is_refused_before_faiss_sees_it(
    index: DenseIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import faiss

    copy = index.approximated(index.approximate or "", tmp_path / "copy")
    seen: list[object] = []
    monkeypatch.setattr(faiss, "read_index", lambda *given: seen.append(given))
    data = copy.directory / copy.manifest.data
    assert {"approximate.faiss.npy", "approximate.rows.npy", "approximate.bounds.npy"} <= set(copy.manifest.files)
    for name in [name for name in copy.manifest.files if name.startswith("approximate.")]:
        good = (data / name).read_bytes()
        for bad in (good[:-1], good[:-1] + bytes([good[-1] ^ 1]), good[:500] + bytes([good[500] ^ 64]) + good[501:]):
            (data / name).write_bytes(bad)
            with pytest.raises(ArtifactError, match=rf"{name} (was altered|has \d+ bytes)"):
                DenseIndex(copy.path).retriever(5)(QUERIES)
        (data / name).write_bytes(good)
    assert seen == []


def test_without_faiss(index: DenseIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = index.retriever(5, exact=True)(QUERIES)
    monkeypatch.setitem(sys.modules, "faiss", None)
    again = DenseIndex(index.path)
    pd.testing.assert_frame_equal(again.retriever(5, exact=True)(QUERIES), expected)
    assert len(again.scorer()(expected)) == len(expected)
    with pytest.raises(MissingExtra, match=r"'legalir\[dense\]'.*index.retriever\(exact=True"):
        again.retriever(5)(QUERIES)
    with pytest.raises(MissingExtra, match=r"pip install 'legalir\[dense\]'$"):
        DenseIndex(tmp_path / "other", LetterEncoder()).index([], approximate="hnsw")
    assert not (tmp_path / "other").exists()


def test_exact_search_does_not_import_faiss(index: DenseIndex) -> None:
    code = (
        "import sys, legalir, pandas as pd, numpy as np\n"
        "index = legalir.DenseIndex(sys.argv[1])\n"
        "frame = pd.DataFrame({'qid': ['1'], 'query_vec': [np.ones(24)]})\n"
        "assert len(index.retriever(3, exact=True)(frame)) == 3 and index.approximate\n"
        "assert 'faiss' not in sys.modules\n"
        "assert len(index.retriever(3)(frame)) == 3 and 'faiss' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(index.path)], check=True)


def test_the_factory_asks_the_collection(index: DenseIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[object] = []

    def of(collection: object, encoder: object, **options: object) -> DenseIndex:
        asked_for.append((encoder, options))
        return index

    monkeypatch.setattr(DenseIndex, "of", of)
    assert dense(None, encoder="other", num_results=7, approximate="hnsw") == index.retriever(7)
    assert dense(None) == index.retriever()
    assert asked_for == [("other", {"approximate": "hnsw"}), ("lsa", {"approximate": None})]


def test_conformance() -> None:
    assert [one for one in testing.check("retriever", material.approximate) if not one.ok] == []
