"""Vectors that come from pyterrier-dr's FlexIndex, and ours that go into one: the same rankings either way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from composition_material import QUERIES, ranking_of, scores_of

from legalir.collection.collection import Collection
from legalir.dense.index import DenseIndex
from legalir.dense.rocchio import Rocchio
from legalir.errors import ComponentError
from legalir.graph.sar import SAR

pytestmark = pytest.mark.neural

TOLERANCE = 1e-6
"""Sums of 256 float32 products, in another order; seen: 3e-7."""


@pytest.fixture(name="dr", scope="session")
def pyterrier_dr_itself() -> ModuleType:
    import pyterrier_dr  # needs torch, and seconds

    return pyterrier_dr


@pytest.fixture(name="flex", scope="session")
def flex_of_our_vectors(dr: ModuleType, collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> Any:
    flex = dr.FlexIndex(str(tmp_path_factory.mktemp("flex") / "lsa.flex"), verbose=False)
    return flex.index(collection.dense().get_corpus_iter())


@pytest.fixture(name="imported")
def our_index_of_its_vectors(flex: Any, tmp_path: Path) -> DenseIndex:
    return DenseIndex.from_flex(tmp_path / "imported", flex)


def assert_same_ranking(found: pd.DataFrame, expected: pd.DataFrame, tolerance: float = TOLERANCE) -> None:
    """Check documents, scores up to `tolerance`, and the order of all whose scores differ by more than that."""
    scores, other = scores_of(found), scores_of(expected)
    assert scores.keys() == other.keys()
    assert all(abs(scores[pair] - other[pair]) <= tolerance for pair in scores)
    for qid, docnos in ranking_of(found).items():
        in_order = [other[qid, docno] for docno in docnos]
        assert all(after - before <= 2 * tolerance for before, after in pairwise(in_order))


def test_our_vectors_in_a_flex_index(collection: Collection, flex: Any) -> None:
    index = collection.dense()
    assert len(flex) == len(index)
    encoder = index.query_encoder()
    for num_results in (10, 1000):
        found = (encoder >> flex.np_retriever(num_results=num_results))(QUERIES)
        assert_same_ranking(found, index.retriever(num_results)(QUERIES))
    given = collection.pipeline("bm25 % 30")(QUERIES)
    assert_same_ranking((encoder >> flex.np_scorer())(given), index.scorer()(given))


def test_its_vectors_in_an_index_of_ours(collection: Collection, imported: DenseIndex, flex: Any) -> None:
    encoded = collection.dense().query_encoder()(QUERIES)
    assert_same_ranking(imported.retriever()(encoded), flex.np_retriever()(encoded))
    assert np.abs(imported.vectors - flex.np_vecs()).max() < 1e-6
    assert imported.docnos.tolist() == list(flex.docnos())
    pd.testing.assert_frame_equal(
        imported.retriever(20)(encoded)[["docno", "rank"]], collection.dense().retriever(20)(encoded)[["docno", "rank"]]
    )


def test_an_index_of_ours_with_the_encoder_of_its_vectors(collection: Collection, flex: Any, tmp_path: Path) -> None:
    """An encoder that is no part of the index encodes the queries of an imported one."""

    class Same:
        name, fingerprint = "same", "5a3e"
        encode = encode_queries = staticmethod(lambda texts: collection.dense().encoder.encode_queries(texts))

    imported = DenseIndex.from_flex(tmp_path / "own", flex, Same())  # type: ignore[arg-type]
    assert_same_ranking(imported.retriever(30)(QUERIES), collection.dense().retriever(30)(QUERIES))


@pytest.mark.parametrize("sim_fn", ["dot", "cos"])
def test_vectors_of_other_lengths(dr: ModuleType, sim_fn: str, tmp_path: Path) -> None:
    """A FlexIndex by cosine ranks as ours; one by inner product cannot, and is not taken for one that does."""
    random = np.random.default_rng(7)
    vectors = random.normal(size=(60, 12)).astype(np.float32) * random.uniform(1, 9, size=(60, 1)).astype(np.float32)
    flex = dr.FlexIndex(str(tmp_path / "long.flex"), sim_fn=sim_fn, verbose=False)
    flex.index([{"docno": f"d{row:03d}", "doc_vec": vector} for row, vector in enumerate(vectors)])
    if sim_fn == "dot":
        with pytest.raises(ComponentError, match="inner products"):
            DenseIndex.from_flex(tmp_path / "ours", flex)
        return
    queries = pd.DataFrame({"qid": ["1", "2"], "query_vec": list(random.normal(size=(2, 12)).astype(np.float32))})
    index = DenseIndex.from_flex(tmp_path / "ours", flex)
    assert_same_ranking(index.retriever()(queries), flex.np_retriever()(queries))
    with pytest.raises(ComponentError, match="give sim_fn='cos'"):
        DenseIndex.from_flex(tmp_path / "ours", flex.path)  # a directory does not tell


def test_rocchio_over_its_vectors_is_its_own_feedback(
    dr: ModuleType, collection: Collection, imported: DenseIndex, flex: Any
) -> None:
    """pyterrier-dr leaves q' as long as it is, and we scale it to length 1, which changes no order."""
    encoder = collection.dense().query_encoder()
    first = encoder >> flex.np_retriever()
    theirs = first >> flex.vec_loader() >> dr.VectorPrf(alpha=0.3, beta=0.7, k=15) >> flex.np_retriever()
    ours = first >> Rocchio(imported, alpha=0.3, beta=0.7, k=15)
    found, expected = theirs(QUERIES), ours(QUERIES)
    moved = dict(zip(found["qid"], found["query_vec"], strict=True))
    lengths = {qid: float(np.linalg.norm(vector)) for qid, vector in moved.items()}
    assert_same_ranking(found.assign(score=found["score"] / found["qid"].map(lengths)), expected)


def test_sar_scores_what_lists_lack_by_its_vectors(collection: Collection, imported: DenseIndex, flex: Any) -> None:
    index, graph = collection.dense(), collection.graph
    expected = (index.retriever(20) >> SAR(graph, normalize="clip", scorer=index.retriever()))(QUERIES)
    first = index.query_encoder() >> flex.np_retriever(num_results=20)
    for scorer in (flex, flex.np_scorer(), imported, imported.retriever(), imported.scorer()):
        assert_same_ranking((first >> SAR(graph, normalize="clip", scorer=scorer))(QUERIES), expected)
