"""Explanations of scores: the contributions that add up to the score of one document, traced through a pipeline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import pandas as pd
import pyterrier as pt
from pyterrier._ops import ScalarProduct, Sum

from legalir.errors import ComponentError
from legalir.frames.columns import require_question, whole_characters

_TOLERANCE = 1e-6
"""Largest difference of the sum of the parts from the score, relative to the sizes of both."""

_ROUNDING = 1e-12
"""Differences below this are rounding errors."""


@dataclass(frozen=True, slots=True)
class Part:
    """One contribution to a score.

    Attributes:
        label: its name, for people.
        value: its share of the score.
        source: the explanation of the score from which it was computed, if there is one.
        detail: the inputs of its computation by name, for programs; JSON values.
    """

    label: str
    value: float
    source: Explanation | None = None
    detail: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of the score of one document; their values add up to `score`.

    Attributes:
        docno: the document.
        score: its score.
        label: the component that computed it.
        parts: the contributions.
        note: further information for a reader, such as the formula.
    """

    docno: str
    score: float
    label: str
    parts: tuple[Part, ...]
    note: str = ""

    @property
    def remainder(self) -> float:
        """The score minus the sum of the parts: 0 except for rounding, if the explanation is right."""
        return self.score - math.fsum(part.value for part in self.parts)

    def is_whole(self) -> bool:
        """Return True if the parts add up to the score, to a millionth of the sizes of both."""
        size = abs(self.score) + math.fsum(abs(part.value) for part in self.parts)
        return abs(self.remainder) <= max(_TOLERANCE * size, _ROUNDING)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation and its sources as JSON values."""
        parts = [
            {
                "label": part.label,
                "value": part.value,
                "detail": dict(part.detail),
                "source": part.source.to_dict() if part.source is not None else None,
            }
            for part in self.parts
        ]
        return {"docno": self.docno, "score": self.score, "label": self.label, "note": self.note, "parts": parts}

    def shortened(self, most: int = 10) -> Explanation:
        """Return the explanation with at most `most` parts, here and in its sources.

        The smallest contributions are joined: ``… n more terms``, or ``parts`` if some are not terms.
        """
        parts = tuple(_with_source(part, most) for part in self.parts)
        if len(parts) > most:
            largest = sorted(parts, key=lambda part: -abs(part.value))[: max(0, most - 1)]
            rest = [part for part in parts if not any(part is other for other in largest)]
            noun = "terms" if all("term" in part.detail for part in rest) else "parts"
            others = Part(f"… {len(rest)} more {noun}", math.fsum(part.value for part in rest))
            parts = (*(part for part in parts if any(part is other for other in largest)), others)
        return replace(self, parts=parts)

    def __str__(self) -> str:
        return "\n".join([_headline(self), *_lines(self.shortened())])


def origin(part: Part, of: Explanation) -> str:
    """Return a description of a part's source, without facts that the labels already give."""
    source = part.source
    if source is None:
        return ""
    about = [source.docno] if source.docno != of.docno else []
    about += [source.label] if source.label not in part.label else []
    about += [f"score {source.score:.4f}"] if f"{source.score:.4f}" != f"{part.value:.4f}" else []
    about += [source.note] if source.note else []
    return ", ".join(about)


def _with_source(part: Part, most: int) -> Part:
    return part if part.source is None else replace(part, source=part.source.shortened(most))


def _headline(explanation: Explanation) -> str:
    note = f"  ({explanation.note})" if explanation.note else ""
    return f"{explanation.score:.4f}  {explanation.docno}  {explanation.label}{note}"


def _lines(explanation: Explanation, indent: str = "  ") -> list[str]:
    lines = []
    for part in explanation.parts:
        about = origin(part, explanation)
        lines.append(f"{indent}{part.value:+.4f}  {part.label}{f'  ← {about}' if about else ''}")
        if part.source is not None:
            lines += _lines(part.source, f"{indent}    ")
    return lines


class Upstream(Protocol):
    """A function that explains the scores in the input of a component."""

    def __call__(self, docnos: Sequence[str], /) -> dict[str, Explanation]:
        """Return the explanation of each docno that has a score in the input."""


@runtime_checkable
class Explainable(Protocol):
    """A transformer that explains its scores."""

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the explanations of the scores of `docnos`.

        Args:
            inp: the input of this transformer, for one query.
            docnos: documents.
            upstream: explains the scores in `inp`.

        Returns:
            By docno, the explanation of each document that this transformer returns.
        """


def no_upstream(docnos: Sequence[str], /) -> dict[str, Explanation]:
    """Return no explanations: the upstream of a transformer whose input has no scores."""
    return {}


def explain(
    pipeline: pt.Transformer, query: str | pd.DataFrame, docnos: Sequence[str] | None = None
) -> list[Explanation]:
    """Return the explanations of the scores that a pipeline gives to documents.

    Args:
        pipeline: any transformer whose results have scores.
        query: a question, or a frame of one query with the columns that the pipeline needs.
        docnos: the documents; None for all results, in their order.

    Raises:
        ComponentError: `query` is neither, there is not exactly one query, a document is not in the results, or the
            results have no scores.
    """
    if not isinstance(query, pd.DataFrame):
        require_question(query, "explain")
    inp = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]}) if isinstance(query, str) else query
    if inp["qid"].nunique() != 1:
        raise ComponentError(f"explain: inp must have one query, got {inp['qid'].nunique()}.")
    if docnos is not None and (docnos := list(docnos)):
        explanations = explain_step(pipeline, inp, docnos)
        if all(docno in explanations for docno in docnos):  # Without running the whole pipeline once more.
            return [explanations[docno] for docno in docnos]
    out = pipeline.transform(inp)
    if "docno" not in out.columns or "score" not in out.columns:
        raise ComponentError(
            f"explain: {label_of(pipeline)} returns no docno and score: give a pipeline that ranks documents."
        )
    results = out["docno"].tolist()
    wanted = results if docnos is None else list(docnos)
    if missing := [docno for docno in wanted if docno not in set(results)]:
        raise ComponentError(f"explain: the pipeline does not return {missing[0]!r} for this question.")
    explanations = explain_step(pipeline, inp, wanted)
    return [explanations[docno] for docno in wanted]


def explain_step(
    transformer: pt.Transformer, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream = no_upstream
) -> dict[str, Explanation]:
    """Return the explanations of the scores that `transformer` gives to `docnos` for `inp`, of one query.

    A component calls it for the pipelines inside it. Documents that `transformer` does not return are left out: all of
    them if an earlier step left the question out. If the parts of a component do not add up, another part has the
    difference.
    """
    if inp.empty:
        return {}
    if isinstance(transformer, pt.Compose):
        return _explain_compose(tuple(transformer), inp, docnos, upstream)
    if isinstance(transformer, pt.RankCutoff):
        first = set(inp.loc[inp["rank"] < transformer.k, "docno"])
        return upstream([docno for docno in docnos if docno in first])
    if isinstance(transformer, Sum):
        return _explain_sum(transformer, inp, docnos, upstream)
    if isinstance(transformer, ScalarProduct):
        return _explain_product(transformer, docnos, upstream)
    if isinstance(transformer, Explainable):
        return {docno: _whole(one) for docno, one in transformer.explain(inp, docnos, upstream).items()}
    label = label_of(transformer)
    scores = result_scores(transformer.transform(inp), docnos)
    return {
        docno: Explanation(docno, score, label, (Part(f"score of {label}", score),)) for docno, score in scores.items()
    }


def result_scores(results: pd.DataFrame, docnos: Sequence[str]) -> dict[str, float]:
    """Return the score of each docno that is in the results of one query, as a plain number."""
    if "docno" not in results.columns or "score" not in results.columns:
        return {}
    scores = dict(zip(results["docno"].tolist(), results["score"].tolist(), strict=True))
    return {docno: float(scores[docno]) for docno in docnos if docno in scores}


def label_of(transformer: pt.Transformer) -> str:
    """Return a short name of a transformer: its ``label`` if it has one, else its class name."""
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
    """Return the terms of ``a + b + c``."""
    sides = (total.left, total.right)
    return [term for side in sides for term in (_terms(side) if isinstance(side, Sum) else [side])]


def _explain_sum(total: Sum, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    parts: dict[str, list[Part]] = {}
    for term in _terms(total):
        for docno, one in explain_step(term, inp, docnos, upstream).items():
            parts.setdefault(docno, []).append(Part(f"score of {label_of(term)}", one.score, one))
    label = label_of(total)
    return {
        docno: Explanation(docno, math.fsum(part.value for part in own), label, tuple(own))
        for docno, own in parts.items()
    }


def _explain_product(product: ScalarProduct, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    def times(one: Explanation) -> Explanation:
        value = product.scalar * one.score
        part = Part(f"{product.scalar:g} × {one.score:.4g}", value, one, {"factor": product.scalar})
        return Explanation(one.docno, value, f"{one.label} {label_of(product)}", (part,))

    return {docno: times(one) for docno, one in upstream(docnos).items()}


def _whole(explanation: Explanation) -> Explanation:
    """Return an explanation whose parts add up to its score: a difference becomes the part ``not explained``."""
    if explanation.is_whole():
        return explanation
    return replace(explanation, parts=(*explanation.parts, Part("not explained", explanation.remainder)))
