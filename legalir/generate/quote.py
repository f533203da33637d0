"""Quote: an answer in the words of the statute, which no model has written.

Sentences of a statute: lines, paragraphs that a circled number begins, and what ends with a full stop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log1p
from typing import TYPE_CHECKING, Any, Protocol

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.errors import ComponentError
from legalir.frames.component import check_number
from legalir.generate.generator import Generator, citing

if TYPE_CHECKING:
    import pyterrier as pt

    from legalir.datasets import Provision

__all__ = ["Quote", "Texts", "best_sentences", "quote", "split_sentences"]

_BREAK = re.compile(
    r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+"
    r"|(?=[①-⑳㉑-㉟㊱-㊿])"  # paragraphs of Korean and Japanese articles
    r"|(?<=[。！？])"
    # Not behind a digit or a single letter, which number an item, and not before a digit: "Art. 5", "2024. 1. 1.".
    r"|(?:(?<=[^\W\d]{2}[.!?])|(?<=[)\]」』”\"'][.!?])|(?<=[.!?][”\"'」』)]))[ \t\u3000]++(?!\d)"
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without the white space around them; none is empty.

    Thai ends no sentence with a mark: there a sentence is a line.
    """
    return [sentence for part in _BREAK.split(text) if (sentence := part.strip())]


class Texts(Protocol):
    """Where the text of a provision comes from: a :class:`~legalir.collection.collection.Collection`, for one."""

    def provisions(self, docnos: Iterable[str]) -> Mapping[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""
        ...


class Quote(Generator):
    """Answers with the sentences of the best provisions that share most with the question.

    A line a provision, best first: ``title: sentence [docno]``. A sentence is worth the sum of the idf of the terms
    that it shares with the question, each counted once; idf is Lucene's, over the sentences of the provisions that are
    quoted from. Of equal sentences the first is taken, so that every provision is quoted, and cited.

    Args:
        collection: holds the provisions.
        k: so many provisions are quoted, at least 1.
        sentences: so many sentences of each, at least 1; in the order of the text.
        analyzer: says what a term is.

    Raises:
        ComponentError: a parameter is out of range.
    """

    name = "quote"

    def __init__(self, collection: Texts, k: int = 3, sentences: int = 1, analyzer: str | Analyzer = "char2") -> None:
        check_number("quote", "k", k, low=1, integer=True)
        check_number("quote", "sentences", sentences, low=1, integer=True)
        self.collection = collection
        self.k = k
        self.sentences = sentences
        self.analyzer = get_analyzer(analyzer, collection)

    def answer(self, query: str, docnos: Sequence[str]) -> str:
        """Return what the first `k` of `docnos` say to the question.

        Raises:
            ComponentError: the collection has no such provision.
        """
        quoted = docnos[: self.k]
        found = self.collection.provisions(quoted)
        for docno in quoted:
            if docno not in found:
                raise ComponentError(f"quote: there is no provision {docno!r} in {self.collection!r}.")
        texts = best_sentences(query, [found[docno].text for docno in quoted], self.sentences, self.analyzer)
        return "\n".join(_line(docno, found[docno].title, text) for docno, text in zip(quoted, texts, strict=True))


def best_sentences(query: str, texts: Sequence[str], count: int, analyzer: Analyzer) -> list[str]:
    """Return, of each text, the `count` sentences that share most with the question, in the order of the text.

    Between sentences that do not follow each other stands ``…``; a text without sentences gives an empty one.
    """
    split = [split_sentences(text) for text in texts]
    asked = set(analyzer.terms(query))
    shared = [[asked.intersection(analyzer.terms(sentence)) for sentence in of_text] for of_text in split]
    df = Counter(term for of_text in shared for terms in of_text for term in terms)
    n = sum(map(len, split))
    idf = {term: log1p((n - held + 0.5) / (held + 0.5)) for term, held in df.items()}
    chosen = []
    for of_text, held_by in zip(split, shared, strict=True):
        # Summed in one order: sets have none, and rounding must not decide.
        worth = [sum(sorted(idf[term] for term in terms)) for terms in held_by]
        best = sorted(range(len(of_text)), key=lambda place: (-worth[place], place))[:count]
        chosen.append(_joined(of_text, sorted(best)))
    return chosen


def _joined(of_text: Sequence[str], places: Sequence[int]) -> str:
    text = ""
    for before, place in zip((None, *places), places, strict=False):
        gap = "" if before is None else " " if place == before + 1 else " … "
        text += gap + of_text[place]
    return text


def _line(docno: str, title: str, text: str) -> str:
    said = ": ".join(part for part in (" ".join(title.split()), text) if part)
    return f"{said} {citing(docno)}".lstrip()


def quote(collection: Any, *, k: int = 3, sentences: int = 1, analyzer: str = "char2") -> pt.Transformer:
    """Answer in the words of the best provisions, citing them: ``default % 5 >> quote(k=3)``.

    Args:
        k: so many provisions are quoted.
        sentences: so many sentences of each.
        analyzer: says which terms a sentence shares with the question.
    """
    return Quote(collection, k=k, sentences=sentences, analyzer=analyzer)
