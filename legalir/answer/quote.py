"""Quoting: an answer in the words of the statute, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p
from typing import Annotated

from annotated_types import Ge

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.analysis.text import split_sentences
from legalir.answer.contexts import texts_of
from legalir.answer.generator import Answer, Generator, citing
from legalir.collections import Collection
from legalir.contract import factory_of

_GAP = " … "


class Quote(Generator):
    """Generator that quotes, from each of the best provisions, the sentences that share most with the question.

    The answer has a line per provision, best first: ``title: sentence [docno]``. The score of a sentence is the sum of
    the idf of the terms that it shares with the question, each counted once; idf is Lucene's, over the sentences of
    the quoted provisions. Between sentences with equal scores, the first is taken. So each provision is quoted and
    cited, even if it shares no term with the question.
    """

    name = "quote"

    collection: Annotated[Collection, "source of the provisions"]
    k: Annotated[int, Ge(1), "number of provisions that are quoted"] = 3
    sentences: Annotated[
        int,
        Ge(1),
        "number of sentences from each provision; they stay in the order of the text",
    ] = 1
    analyzer: Annotated[str | Analyzer, "turns sentences and the question into terms"] = "auto"

    def __post_init__(self) -> None:
        self.analyzer = self._analyzer = get_analyzer(self.analyzer, self.collection)

    def answer(self, query: str, docnos: Sequence[str]) -> Answer:
        """Return the best sentences of the first `k` provisions, each a verified quotation.

        Raises:
            ComponentError: a provision is not in the collection.
        """
        first = docnos[: self.k]
        provisions = texts_of(first, self.collection, "quote")
        texts = best_sentences(query, [provisions[docno].text for docno in first], self.sentences, self._analyzer)
        lines = (_line(docno, provisions[docno].title, text) for docno, text in zip(first, texts, strict=True))
        quotes = ((docno, part) for docno, text in zip(first, texts, strict=True) for part in text.split(_GAP) if part)
        verified = tuple((docno, part, "verified") for docno, part in quotes)
        return Answer("\n".join(lines), tuple(first), verified, context_docnos=tuple(first))


def best_sentences(query: str, texts: Sequence[str], count: int, analyzer: Analyzer) -> list[str]:
    """Return, for each text, the `count` sentences that share most with the question, in the order of the text.

    The sign ``…`` marks a gap between two sentences. A text without sentences gives an empty string.
    """
    split = [split_sentences(text) for text in texts]
    asked = set(analyzer.terms(query))
    shared = [[asked.intersection(analyzer.terms(sentence)) for sentence in of_text] for of_text in split]
    df = Counter(term for of_text in shared for terms in of_text for term in terms)
    n = sum(map(len, split))
    idf = {term: log1p((n - held + 0.5) / (held + 0.5)) for term, held in df.items()}
    chosen = []
    for of_text, held_by in zip(split, shared, strict=True):
        # Sorted before the sum: a set has no order, and rounding must not decide between sentences.
        worth = [sum(sorted(idf[term] for term in terms)) for terms in held_by]
        best = sorted(range(len(of_text)), key=lambda place: (-worth[place], place))[:count]
        chosen.append(_joined(of_text, sorted(best)))
    return chosen


def _joined(of_text: Sequence[str], places: Sequence[int]) -> str:
    text = ""
    for before, place in zip((None, *places), places, strict=False):
        gap = "" if before is None else " " if place == before + 1 else _GAP
        text += gap + of_text[place]
    return text


def _line(docno: str, title: str, text: str) -> str:
    quotation = ": ".join(part for part in (" ".join(title.split()), text) if part)
    return f"{quotation} {citing(docno)}".lstrip()


quote = factory_of(Quote, "Answer in the words of the best provisions, and cite them: ``default % 5 >> quote(k=3)``.")
