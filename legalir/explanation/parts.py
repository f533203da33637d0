"""What an explanation is: contributions that add up to the score of one document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Explanation", "Part", "origin"]

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
