"""Quoting: an answer in the words of the statute, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p
from typing import Annotated

from annotated_types import Ge

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.analysis.language import UNKNOWN
from legalir.analysis.sentences import Outline
from legalir.answer.contexts import texts_of
from legalir.answer.generator import GAP, Answer, Generator, citing
from legalir.collections import Collection
from legalir.contract import factory_of

_ITEMS = 600
"""Letters of the items of a list that are quoted with its head; further items are left out, and the sign … shows it."""


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
        """Return the best sentences of the first `k` provisions, each quoted in its own words.

        Raises:
            ComponentError: a provision is not in the collection.
        """
        first = docnos[: self.k]
        provisions = texts_of(first, self.collection, "quote")
        texts = best_sentences(
            query,
            [provisions[docno].text for docno in first],
            self.sentences,
            self._analyzer,
            self.collection.language,
        )
        lines = (_line(docno, provisions[docno].title, text) for docno, text in zip(first, texts, strict=True))
        verified = tuple((docno, text, "verified") for docno, text in zip(first, texts, strict=True) if text)
        return Answer("\n".join(lines), tuple(first), verified, context_docnos=tuple(first))


def best_sentences(
    query: str, texts: Sequence[str], count: int, analyzer: Analyzer, language: str = UNKNOWN
) -> list[str]:
    """Return, for each text, the `count` sentences that share most with the question, in the order of the text.

    Each comes with what it needs: a rule with its provisos, an item with the heads of its list, a head with its items.
    The sign ``…`` marks what is left out between two sentences, and items left out at the end. A text without
    sentences gives an empty string.
    """
    outlines = [Outline(text, language) for text in texts]
    asked = set(analyzer.terms(query))
    shared = [[asked.intersection(analyzer.terms(sentence)) for sentence in one.sentences] for one in outlines]
    df = Counter(term for of_text in shared for terms in of_text for term in terms)
    n = sum(map(len, shared))
    idf = {term: log1p((n - held + 0.5) / (held + 0.5)) for term, held in df.items()}
    chosen = []
    for outline, held_by in zip(outlines, shared, strict=True):
        # Sorted before the sum: a set has no order, and rounding must not decide between sentences.
        worth = [sum(sorted(idf[term] for term in terms)) for terms in held_by]
        best = sorted(range(len(worth)), key=lambda place: (-worth[place], place))[:count]
        chosen.append(_joined(outline, best))
    return chosen


def _joined(outline: Outline, best: Sequence[int], letters: int = _ITEMS) -> str:
    rules = [outline.rule(place, letters) for place in best]
    places = sorted({place for rule, _ in rules for place in rule})
    cut = {rule[-1] for rule, left_out in rules if left_out}
    text = ""
    for at, place in enumerate(places):
        gap = "" if at == 0 else outline.gaps[place] if place == places[at - 1] + 1 else GAP
        text += gap + outline.sentences[place]
    return text + GAP.rstrip() if places and places[-1] in cut and places[-1] + 1 < len(outline.sentences) else text


def _line(docno: str, title: str, text: str) -> str:
    title = " ".join(title.split())
    quotation = text if text.startswith(title) else ": ".join(filter(None, (title, text)))
    return f"{quotation} {citing(docno)}".lstrip()


quote = factory_of(Quote, "Answer in the words of the best provisions, and cite them: ``default % 5 >> quote(k=3)``.")
