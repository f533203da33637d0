"""HyPA-RAG's retrieval [hypa-rag]: sub-queries, two retrievers and a knowledge graph, of each as a question needs it.

Every part is a separate component; this file combines them.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import pyterrier as pt

from legalir import RRF, LinearFusion
from legalir.errors import ComponentError
from legalir.extend import Chain, Collection, Multi, rewrite
from legalir_hypa.adaptive import COMPLEXITY, Adaptive, Values
from legalir_hypa.triples import triples


def hypa(
    collection: Collection,
    *pipelines: pt.Transformer,
    by: pt.Transformer | str = COMPLEXITY,
    k: Values | None = (5, 7, 10),
    rewrites: Values | None = (3, 5, 7),
    keywords: Values | None = (3, 4, 5),
    paths: Values | None = (1, 2, 3),
    adapts: str = "max_paths",
    original: bool = False,
    rrf_k: float = 60,
    reranker: pt.Transformer | None = None,
    graph: str | PathLike[str] | None = None,
    encoder: str | None = "lsa",
    llm: str | None = None,
    language: str = "auto",
    strip_unknown_citations: bool = True,
) -> pt.Transformer:
    """HyPA-RAG's retrieval: ``hypa(dense % 10, bm25 % 10, by=complexity("MODEL"))``.

    For two pipelines A and B, the same as ``adaptive(linear(multi(A, rewrite), multi(B, rewrite), weights=[1, 1],
    normalize="none"), by=by, k=k, rewrites=rewrites, keywords=keywords, paths=paths) >> reranker >> triples``: the sum
    of both fusions is one fusion by reciprocal rank of the lists of A and B for all sub-queries. For one pipeline,
    only ``multi`` is used. The list is cut to k; the reranker orders it; provisions of the graph follow.

    With ``rewrites=None`` the question itself is searched for (``rrf`` of the pipelines), with ``paths=None`` no graph
    is searched (the paper's PA-RAG), with ``k=None`` nothing is cut: the ablations.

    Built as the paper describes it. Its released code fuses only the first half of the lists, so that without rewriting
    BM25 is never used and with it only some sub-queries are; it counts ranks from 0; it looks classes up under other
    names than the classifier's, so that every question has the default parameters; and it throws the provisions of the
    graph away, or loses their order.

    Args:
        pipelines: searched with each sub-query; the paper's are ``dense % 10`` and ``bm25 % 10``.
        by: a component that adds the column ``complexity``, or the name of a column of integers.
        k: number of results of each class before the graph adds others; None for all.
        rewrites: number of sub-queries of each class; None for the question itself.
        keywords: number of key words for the graph of each class; None for the default of ``triples``.
        paths: number of walks in the graph of each class; None for no graph.
        adapts: what `paths` is: ``max_paths``, or ``depth`` as the paper's text has it.
        original: whether the list of the original question is fused, too.
        rrf_k: constant of the fusion.
        reranker: orders the results of the fusion; None for the order of the fusion.
        graph: a file of facts; None for the graph that was built.
        encoder: makes the vectors of facts; None leaves the search by vectors out.
        llm: name or call of the model; None for the model of the run.
        language: language of the prompts; ``auto`` for the collection's language.
        strip_unknown_citations: whether references to provisions that the collection lacks are dropped from
            sub-queries.
    """
    if not pipelines:
        raise ComponentError("hypa: there is no pipeline: give the retrievers, as in hypa(dense % 10, bm25 % 10).")
    asking: dict[str, Any] = {"llm": llm, "language": language}
    searches = pipelines
    if rewrites is not None:
        split = rewrite(collection, strip_unknown_citations=strip_unknown_citations, **asking)
        searches = tuple(Multi(pipeline, split, original=original, k=rrf_k) for pipeline in pipelines)
    if len(searches) == 1:
        (search,) = searches
    elif rewrites is None:
        search = RRF(*searches, k=rrf_k)
    else:
        search = LinearFusion(*searches, weights=[1] * len(searches), normalize="none")
    whole: pt.Transformer = Adaptive(search, by=by, k=k, rewrites=rewrites, keywords=keywords, paths=paths)
    if reranker is not None:
        whole = Chain(whole, reranker)
    if paths is None:
        return whole
    return Chain(whole, triples(collection, graph=graph, encoder=encoder, adapts=adapts, **asking))
