"""Search in chunks: the laws are cut, a pipeline searches the chunks, and what it gives names provisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.answer.generator import PARTLY
from legalir.collections import Collection
from legalir.datasets.chunks import ChunkMap, Rule
from legalir.explanation import Explanation, Part, Upstream, explain_step, result_scores
from legalir.frames.columns import drop_results, query_columns
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.frames.retriever import cannot_score
from legalir.frames.where import WHERE, wheres


class Chunked(Component):
    """Runs a pipeline over the chunks of a collection, and returns provisions.

    A provision has the score of the best chunk that contains it, like a document with the score of its best passage
    [max-p]. Chunks without a complete provision give no results; with `held` ``any``, a part of a provision is enough.
    So systems on chunks and on provisions fit in one table: the measures count provisions.

    An answer cites the provisions that contain the words that it quotes, as over any chunk collection
    (:func:`legalir.answer.generator.citing_provisions`), and was made from all provisions of its chunks, also from
    parts; parts that are not results are also listed in the column ``context_partly``.

    Columns in: ``qid, query``; results are refused. Columns out: of ranked lists the query columns and ``docno, score,
    rank``; for answers, the columns of the pipeline and ``context_partly``.

    Attributes:
        note: the rule in words, for the report of an experiment.

    Raises:
        ComponentError: `held` has another value.
    """

    name = label = "chunked"

    collection: Annotated[Collection, "the chunk collection"]
    pipeline: Annotated[pt.Transformer, "a pipeline over it, which gives ranked lists or answers"]
    held: Annotated[
        Rule,
        "which provisions of a chunk are results: ``complete`` provisions only, or ``any``",
    ] = "complete"

    def __post_init__(self) -> None:
        part = " completely" if self.held == "complete" else ", completely or in part"
        self.note = f"a chunk counts as the provisions that it holds{part}, each with the score of its best chunk"

    @property
    def _chunks(self) -> ChunkMap:
        chunks = self.collection.chunks
        assert chunks is not None  # It is a chunk collection.
        return chunks

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return an empty frame with the columns of the pipeline's output."""
        if "docno" in inp.columns:
            raise cannot_score(self.label)
        return self._of_provisions(self.pipeline.transform(drop_results(inp)))

    apply = empty

    def _of_provisions(self, out: pd.DataFrame) -> pd.DataFrame:
        """Return the results of the pipeline with provisions in place of chunks."""
        provisions = self._chunks.provisions(self.held)
        if "context_docnos" in out.columns:
            given = [self._chunks.held(docnos) for docnos in out["context_docnos"]]
            whole = [{one for chunk in docnos for one in provisions.get(chunk, ())} for docnos in out["context_docnos"]]
            partly = [tuple(one for one in of if one not in held) for of, held in zip(given, whole, strict=True)]
            columns = {"context_docnos": given, PARTLY: partly}
            return out.assign(**{name: pd.Series(of, out.index, dtype=object) for name, of in columns.items()})
        if not {"docno", "score"} <= set(out.columns):
            return out
        held = [provisions.get(chunk, (chunk,)) for chunk in out["docno"]]
        rows = np.repeat(np.arange(len(out)), [len(docnos) for docnos in held])
        queries = query_columns(out)
        found = queries.assign(score=out["score"].astype(np.float64)).iloc[rows]
        found["docno"] = pd.Series([docno for docnos in held for docno in docnos], index=found.index, dtype=str)
        if WHERE in found.columns:  # A chunk passes a filter if one of its provisions does.
            found = found[self._passing(found)]
        best = rank_results(found).drop_duplicates(["qid", "docno"])
        return rank_results(best)[[*queries.columns, "docno", "score", "rank"]]

    def _passing(self, found: pd.DataFrame) -> npt.NDArray[np.bool_]:
        """Return which provisions pass the filter of their query."""
        fields, where = self.collection.fields(), np.array(wheres(found), dtype=object)
        passes = np.ones(len(found), dtype=bool)
        for one in {*where.tolist()} - {""}:
            passes[where == one] = fields.lets_pass(one, found["docno"][where == one].tolist())
        return passes

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanation of the best chunk of each provision."""
        asked = drop_results(inp)
        results = rank_results(self.pipeline.transform(asked))
        provisions = self._chunks.provisions(self.held)
        best: dict[str, str] = {}
        for chunk in results["docno"]:
            for docno in provisions.get(chunk, (chunk,)):
                best.setdefault(docno, chunk)
        chunks = [best[docno] for docno in docnos if docno in best]
        scores, sources = result_scores(results, chunks), explain_step(self.pipeline, asked, chunks)
        return {
            docno: Explanation(
                docno,
                scores[best[docno]],
                self.label,
                (Part(f"score of {best[docno]}", scores[best[docno]], sources.get(best[docno])),),
                "its best chunk",
            )
            for docno in docnos
            if docno in best
        }


def chunked(
    collection: Collection,
    pipeline: pt.Transformer,
    *,
    by: str = "line",
    size: int | None = None,
    overlap: int | None = None,
    unit: str | None = None,
    pattern: str | None = None,
    encoder: str | None = None,
    buffer: int | None = None,
    percentile: float | None = None,
    tokenizer: str | None = None,
    held: Rule = "complete",
) -> Chunked:
    """Search the chunks into which the laws are cut, and return provisions: ``chunked(bm25, by="line", size=553)``.

    The chunk collection is made in the cache when it is first needed.

    Args:
        pipeline: searches the chunks, and may answer from them: ``chunked(bm25 % 5 >> quote)``.
        by: the method: article, character, line, recursive, sentence, semantic, pattern or judgment.
        size: maximum number of characters in a chunk (sentence: estimated tokens); by default the method's.
        overlap: most characters (of sentence: estimated tokens) that a chunk repeats.
        unit: unit of the sizes of sentence: characters, or estimated_tokens, a third of the UTF-8 bytes.
        pattern: regular expression at which chunks begin.
        encoder: encoder of semantic, by default lsa.
        buffer: sentences on each side, for semantic.
        percentile: percentile of the distances to split at, for semantic.
        tokenizer: folder of a model whose tokens the sizes of sentence count.
        held: which provisions of a chunk are results: complete or any.
    """
    sizes: dict[str, object] = {
        "size": size,
        "overlap": overlap,
        "unit": unit,
        "tokenizer": tokenizer,
        "pattern": pattern,
    }
    chunks = collection.chunked(by, **sizes, encoder=encoder, buffer=buffer, percentile=percentile)
    return Chunked(chunks, pipeline, held)


def _chunks(collection: Collection, *, by: str = "line", held: str = "", **options: object) -> Collection:
    """Return the chunk collection over which the pipeline inside is built."""
    return collection.chunked(by, **options)


chunked.over = _chunks  # type: ignore[attr-defined]
chunked.expected_failures = {  # type: ignore[attr-defined]
    "as-of": "Chunks are of the law of one day: a collection of versions is refused, with the cure."
}
