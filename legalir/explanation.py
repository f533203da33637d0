"""Follow a score back through a pipeline: from what returned it to what it was made from.

What an explanation is: contributions that add up to the score of one document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import pandas as pd
import pyterrier as pt
from pyterrier._ops import ScalarProduct, Sum

from legalir.errors import ComponentError
from legalir.frames.columns import whole_characters

__all__ = [
    "Explainable",
    "Explanation",
    "Part",
    "Upstream",
    "explain",
    "explain_step",
    "label_of",
    "no_upstream",
    "origin",
    "result_scores",
]

_TOLERANCE = 1e-6
"""How far the parts may be from the score, relative to the sizes of both."""


@dataclass(frozen=True, slots=True)
class Part:
    """One contribution to a score.

    Attributes:
        label: what it is, for people.
        value: what it adds.
        source: the explanation of the score that it was made from.
        detail: what it was computed from, by name, for programs; values that JSON has.
    """

    label: str
    value: float
    source: Explanation | None = None
    detail: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the score of one document consists of: the values of `parts` add up to `score`.

    Attributes:
        docno: the document.
        score: its score.
        label: the component that gave it.
        parts: the contributions.
        note: what else a reader should know, such as the formula.
    """

    docno: str
    score: float
    label: str
    parts: tuple[Part, ...]
    note: str = ""

    @property
    def remainder(self) -> float:
        """What the parts leave of the score: 0, but for rounding, if the explanation is right."""
        return self.score - math.fsum(part.value for part in self.parts)

    def is_whole(self) -> bool:
        """Return whether the parts add up to the score, to a millionth of the sizes of both."""
        size = abs(self.score) + math.fsum(abs(part.value) for part in self.parts)
        return abs(self.remainder) <= _TOLERANCE * size

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation, and those it comes from, as values that JSON has."""
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
        """Return the explanation with at most `most` parts, here and in those that it comes from.

        The smallest contributions become one: ``… n more terms``, or ``parts`` where not all are terms.
        """
        parts = tuple(_with_source(part, most) for part in self.parts)
        if len(parts) > most:
            kept = sorted(parts, key=lambda part: -abs(part.value))[: max(0, most - 1)]
            rest = [part for part in parts if not any(part is other for other in kept)]
            noun = "terms" if all("term" in part.detail for part in rest) else "parts"
            others = Part(f"… {len(rest)} more {noun}", math.fsum(part.value for part in rest))
            parts = (*(part for part in parts if any(part is other for other in kept)), others)
        return replace(self, parts=parts)

    def __str__(self) -> str:
        return "\n".join([_headline(self), *_lines(self.shortened())])


def origin(part: Part, of: Explanation) -> str:
    """Return what to say of the source of a part of an explanation, beyond what its label says."""
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
