"""Follow a score back through a pipeline: from what returned it to what it was made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import pandas as pd
import pyterrier as pt
from pyterrier._ops import ScalarProduct, Sum

from legalir.columns import whole_characters
from legalir.errors import ComponentError
from legalir.explanation.parts import Explanation, Part

__all__ = ["Explainable", "Upstream", "explain", "explain_step", "label_of", "no_upstream", "result_scores"]


class Upstream(Protocol):
    """Explains the scores in the input of a component; what it does not know is left out."""

    def __call__(self, docnos: Sequence[str], /) -> dict[str, Explanation]:
        """Return the explanations of those of `docnos` that have a score in the input."""


@runtime_checkable
class Explainable(Protocol):
    """A transformer that explains the scores it gives."""

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their scores.

        Args:
            inp: what this transformer was given, of one query.
            docnos: the documents asked for.
            upstream: explains the scores in `inp`.

        Returns:
            The explanations of those that this transformer returns, by docno.
        """


def no_upstream(docnos: Sequence[str], /) -> dict[str, Explanation]:
    """Explain nothing: the upstream of a transformer whose input has no scores."""
    return {}


def explain(
    pipeline: pt.Transformer, query: str | pd.DataFrame, docnos: Sequence[str] | None = None
) -> list[Explanation]:
    """Return why a pipeline gives documents their scores.

    Args:
        pipeline: any transformer whose results have scores.
        query: a question, or a frame of one query with whatever columns the pipeline needs.
        docnos: the documents; None for all that the pipeline returns, in their order.

    Raises:
        ComponentError: a document is not among the results, the results have no scores, or there are several queries.
    """
    inp = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]}) if isinstance(query, str) else query
    if inp["qid"].nunique() != 1:
        raise ComponentError(f"explain: give one query, not {inp['qid'].nunique()}.")
    out = pipeline.transform(inp)
    if "docno" not in out.columns or "score" not in out.columns:
        raise ComponentError(f"explain: {label_of(pipeline)} returns no scores that could be explained.")
    known = out["docno"].tolist()
    wanted = known if docnos is None else list(docnos)
    if missing := [docno for docno in wanted if docno not in set(known)]:
        raise ComponentError(f"explain: the pipeline does not return {missing[0]!r} for this question.")
    found = explain_step(pipeline, inp, wanted)
    return [found[docno] for docno in wanted]


def explain_step(
    transformer: pt.Transformer, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream = no_upstream
) -> dict[str, Explanation]:
    """Return why `transformer`, given `inp` of one query, gives `docnos` their scores.

    This is what a component calls for the pipelines inside it. Documents that `transformer` does not return are left
    out. Where the parts of a component do not add up, a part says how much is missing.
    """
    if isinstance(transformer, pt.Compose):
        return _explain_compose(tuple(transformer), inp, docnos, upstream)
    if isinstance(transformer, pt.RankCutoff):
        kept = set(inp.loc[inp["rank"] < transformer.k, "docno"])
        return upstream([docno for docno in docnos if docno in kept])
    if isinstance(transformer, Sum):
        return _explain_sum(transformer, inp, docnos, upstream)
    if isinstance(transformer, ScalarProduct):
        return _explain_product(transformer, docnos, upstream)
    if isinstance(transformer, Explainable):
        return {docno: _whole(found) for docno, found in transformer.explain(inp, docnos, upstream).items()}
    label = label_of(transformer)
    scores = result_scores(transformer.transform(inp), docnos)
    return {
        docno: Explanation(docno, score, label, (Part(f"score of {label}", score),)) for docno, score in scores.items()
    }


def result_scores(results: pd.DataFrame, docnos: Sequence[str]) -> dict[str, float]:
    """Return the scores that those of `docnos` have which are among the results of one query, as plain numbers."""
    if "docno" not in results.columns or "score" not in results.columns:
        return {}
    scores = dict(zip(results["docno"].tolist(), results["score"].tolist(), strict=True))
    return {docno: float(scores[docno]) for docno in docnos if docno in scores}


def label_of(transformer: pt.Transformer) -> str:
    """Return a short name of a transformer: its ``label`` if it has one, else that of its class."""
    if isinstance(transformer, pt.Compose):
        return " >> ".join(map(label_of, transformer)).replace(" >> % ", " % ").replace(" >> * ", " * ")
    if isinstance(transformer, pt.RankCutoff):
        return f"% {transformer.k}"
    if isinstance(transformer, Sum):
        return " + ".join(map(label_of, _terms(transformer)))
    if isinstance(transformer, ScalarProduct):
        return f"* {transformer.scalar:g}"
    label = getattr(transformer, "label", None)
    return label if isinstance(label, str) else type(transformer).__name__


def _explain_compose(
    steps: Sequence[pt.Transformer], inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream
) -> dict[str, Explanation]:
    inputs = [inp]
    for step in steps[:-1]:
        inputs.append(step.transform(inputs[-1]))

    def at(position: int) -> Upstream:
        if position < 0:
            return upstream
        return lambda docnos: explain_step(steps[position], inputs[position], docnos, at(position - 1))

    return at(len(steps) - 1)(docnos)


def _terms(total: Sum) -> list[pt.Transformer]:
    """Return what ``a + b + c`` adds up."""
    found: list[pt.Transformer] = []
    for side in (total.left, total.right):
        found += _terms(side) if isinstance(side, Sum) else [side]
    return found


def _explain_sum(total: Sum, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    parts: dict[str, list[Part]] = {}
    for term in _terms(total):
        for docno, found in explain_step(term, inp, docnos, upstream).items():
            parts.setdefault(docno, []).append(Part(f"score of {label_of(term)}", found.score, found))
    label = label_of(total)
    return {
        docno: Explanation(docno, math.fsum(part.value for part in found), label, tuple(found))
        for docno, found in parts.items()
    }


def _explain_product(product: ScalarProduct, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    def times(found: Explanation) -> Explanation:
        value = product.scalar * found.score
        part = Part(f"{product.scalar:g} × {found.score:.4g}", value, found, {"factor": product.scalar})
        return Explanation(found.docno, value, f"{found.label} {label_of(product)}", (part,))

    return {docno: times(found) for docno, found in upstream(docnos).items()}


def _whole(found: Explanation) -> Explanation:
    """Return an explanation whose parts add up to its score, whatever a component forgot."""
    if found.is_whole():
        return found
    parts = (*found.parts, Part("not explained", found.remainder))
    return Explanation(found.docno, found.score, found.label, parts, found.note)
