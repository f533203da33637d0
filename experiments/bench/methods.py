"""Citation graph, SAR, fusion, dense search and LSA beside plain or other implementations, in one process.

    python experiments/bench/methods.py

Needs kr-statutes, kr-precedent-core and stard-dev in $LEGALIR_DATA; ``methods.py lsa`` measures LSA alone.
Each pair takes turns; the median ratio of the rounds counts. Indexes are built, once, where LEGALIR_HOME says.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import networkx
import numpy as np
import pandas as pd
import pyterrier as pt
from pyterrier_alpha.fusion import RRFusion
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from legalir import Collection
from legalir.dense.lsa import LSA, postings_matrix
from legalir.fuse.rrf import RRF
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.sar import SAR
from legalir.lexical.weights import lucene_idf, tfidf_weights

ROUNDS = 5
QUERIES, CANDIDATES = 1000, 100


def in_turns(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float, float]:
    """Return the median seconds of both and the median of theirs divided by ours."""
    pairs = []
    for turn in range(rounds):
        seconds = {}
        for name, work in (("ours", ours), ("theirs", theirs))[:: 1 if turn % 2 == 0 else -1]:
            gc.collect()
            start = clock()
            work()
            seconds[name] = clock() - start
        pairs.append((seconds["ours"], seconds["theirs"]))
    return median(p[0] for p in pairs), median(p[1] for p in pairs), median(b / a for a, b in pairs)


def plain_scores(
    group: pd.DataFrame, graph: networkx.DiGraph, k: int = 15, beta: float = 0.3
) -> list[tuple[str, float]]:
    """SAR of one query as its formula reads; a neighbour that the list lacks has S(n) = 0. Best first."""
    group = group.sort_values("rank")
    scores = dict(zip(group["docno"], group["score"], strict=True))
    bonus: dict[str, float] = {}
    for seed in group["docno"].head(k):
        for target in graph.successors(seed):
            bonus[target] = bonus.get(target, 0.0) + scores[seed] / math.log(graph.out_degree(seed) + 1)
    for target in bonus:
        scores.setdefault(target, 0.0)
    for docno, share in bonus.items():
        scores[docno] += beta * share / math.log(graph.in_degree(docno) + 1) * (1 - scores[docno])
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def by_query(graph: networkx.DiGraph) -> pt.Transformer:
    """Return the transformer that a user of PyTerrier writes: a function from the frame of one query to a frame."""

    def rerank(group: pd.DataFrame) -> pd.DataFrame:
        out = pd.DataFrame(plain_scores(group, graph), columns=["docno", "score"])
        return out.assign(qid=group["qid"].iloc[0], query=group["query"].iloc[0])

    return pt.apply.by_query(rerank)


def lean_loop(results: pd.DataFrame, graph: networkx.DiGraph) -> pd.DataFrame:
    """The same without a frame a query: what a loop costs at the least."""
    rows = []
    for qid, group in results.groupby("qid", sort=False):
        ranked = enumerate(plain_scores(group, graph))
        rows += [(qid, docno, score, rank) for rank, (docno, score) in ranked]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


class Fixed(pt.Transformer):
    """A retriever that has its results already."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return self.frame.copy()


def sar(collection: Collection, topics: pd.DataFrame) -> list[tuple[str, str, bool | None]]:
    """SAR on real lists of 100 over the whole collection."""
    results = (collection.pipeline('tfidf("jamo3")') % CANDIDATES).transform(topics)
    graph = collection.graph
    plain = graph.to_networkx()
    reranker, written = SAR(graph), by_query(plain)
    ours, theirs = reranker.transform(results), lean_loop(results, plain)
    both = ours.merge(theirs, on=["qid", "docno"])
    assert len(both) == len(ours) == len(theirs)
    assert np.allclose(both["score_x"], both["score_y"], atol=1e-9)
    fast, slow, ratio = in_turns(lambda: reranker.transform(results), lambda: written.transform(results))
    _, lean, least = in_turns(lambda: reranker.transform(results), lambda: lean_loop(results, plain))
    ours_ms, slow_ms, lean_ms = (1000 * seconds / len(topics) for seconds in (fast, slow, lean))
    return [
        (
            "SAR, times faster than a per-query loop (`pt.apply.by_query` over networkx): at least 20",
            f"{ratio:.0f} ({ours_ms:.3f} and {slow_ms:.2f} ms a query)",
            ratio >= 20,
        ),
        (
            "the same beside a loop that makes no frame a query (not a claim)",
            f"{least:.0f} ({lean_ms:.2f} ms a query)",
            None,
        ),
        (f"SAR, ms a query added ({CANDIDATES} candidates): at most 1", f"{ours_ms:.3f}", ours_ms <= 1),
    ]


def fusion(collection: Collection, topics: pd.DataFrame) -> list[tuple[str, str, bool | None]]:
    """Reciprocal ranks over three lists of 1 000, beside pyterrier_alpha."""
    few = topics.head(100)
    expressions = ('tfidf("jamo3")', 'bm25("jamo3")', 'bm25("char2")')
    lists = [Fixed(collection.pipeline(expression).transform(few)) for expression in expressions]
    ours, theirs = RRF(*lists), RRFusion(*lists, num_results=10**9)
    fast, slow, ratio = in_turns(lambda: ours.transform(few), lambda: theirs.transform(few))
    text = f"{ratio:.1f} ({1000 * fast / len(few):.2f} and {1000 * slow / len(few):.2f} ms a query)"
    return [("RRF of three lists of 1 000, times faster than pyterrier_alpha: at least 1", text, ratio >= 1)]


def dense(collection: Collection, topics: pd.DataFrame) -> list[tuple[str, str, bool | None]]:
    """Exact top 100 over all vectors, beside one product of matrices and a partition."""
    index = collection.dense("lsa(analyzer='jamo3')")
    encoded = index.query_encoder().transform(topics.head(200))
    retriever = index.retriever(num_results=100)
    queries = np.stack(encoded["query_vec"].to_list()).astype(np.float32)
    vectors = np.asarray(index.vectors, dtype=np.float32)

    def raw() -> Any:
        scores = queries @ vectors.T
        return np.argpartition(scores, -100, axis=1)[:, -100:]

    fast, slow, ratio = in_turns(lambda: retriever.transform(encoded), raw)
    text = f"{1 / ratio:.2f} ({1000 * fast / len(encoded):.2f} and {1000 * slow / len(encoded):.2f} ms a query)"
    return [("dense top 100, time over that of a raw product and partition: at most 2", text, 1 / ratio <= 2)]


def lsa(collection: Collection) -> list[tuple[str, str, bool | None]]:
    """Fitting LSA on postings, beside scikit-learn's TruncatedSVD on the same weighted matrix; in processor time."""
    claims: list[tuple[str, str, bool | None]] = []
    for analyzer in ("char2", "jamo3"):
        postings = collection.sparse(analyzer)
        idf = lucene_idf(len(postings), np.diff(postings.indptr))
        weights = tfidf_weights(postings.indptr, postings.documents, postings.frequencies, postings.lengths, idf)
        matrix = postings_matrix(postings.indptr, postings.documents, weights, len(postings))
        encoder, theirs = LSA(analyzer, 256), TruncatedSVD(256, random_state=0)
        with threadpool_limits(1):  # Threads of matrix products that wait for each other cost processor time, too.
            arms = partial(encoder.fit, postings), partial(theirs.fit_transform, matrix)
            fast, slow, ratio = in_turns(*arms, rounds=3, clock=time.process_time)
        name = f"LSA of {len(postings):,} provisions with {matrix.shape[1]:,} terms ({analyzer})"
        text = f"{ratio:.1f} ({fast:.1f} and {slow:.1f} s)"
        claims.append((f"{name}, seconds of one processor: at most 60", f"{fast:.1f}", fast <= 60))
        claims.append(("the same, times faster than scikit-learn's `TruncatedSVD`: at least 2", text, ratio >= 2))
    return claims


def graph_load(collection: Collection) -> list[tuple[str, str, bool | None]]:
    """Opening the verified, memory-mapped graph."""
    path = str(collection.graph.path)
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        CitationGraph.load(path).cites("009694-2")
        seconds.append(time.perf_counter() - start)
    start = time.perf_counter()
    CitationGraph.load(path)
    opened = 1000 * (time.perf_counter() - start)
    text = f"{opened:.0f} (with a first look-up {1000 * median(seconds):.0f})"
    return [("graph of 359 k links, ms to open: at most 50", text, opened <= 50)]


def main() -> None:
    """Measure all of it and print a table of claims."""
    claims = lsa(Collection("legalir/stard-dev"))
    if sys.argv[1:] != ["lsa"]:
        statutes = Collection("legalir/kr-statutes")
        topics = Collection("legalir/kr-precedent-core/dev").topics()[["qid", "query"]].head(QUERIES)
        claims += [*graph_load(statutes), *sar(statutes, topics), *fusion(statutes, topics), *dense(statutes, topics)]
        print(f"{len(statutes.sparse('jamo3'))} provisions, {len(topics)} questions\n")
    print("| claim | measured | |\n|---|---|---|")
    for text, measured, passed in claims:
        verdict = {True: "pass", False: "**fail**", None: ""}[passed]
        print(f"| {text} | {measured} | {verdict} |")


if __name__ == "__main__":
    main()
