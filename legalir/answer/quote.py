"""Quoting: an answer in the words of the statute, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
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
from legalir.references.grammar import grammars
from legalir.references.lookup import Lookup, NumberTable
from legalir.references.read import read

_ITEMS = 600
"""Letters of the items of a list that are quoted with its head, and of a provision that is quoted whole; the sign …
shows that more was left out."""


class Quote(Generator):
    """Generator that quotes, from each of the best provisions, the sentences that share most with the question.

    The answer has a line per provision, best first: ``title: sentence [docno]``. The score of a sentence is the sum of
    the idf of the terms that it shares with the question, each counted once; idf is Lucene's, over the sentences of
    the quoted provisions. Between sentences with equal scores, the first is taken. So each provision is quoted and
    cited, even if it shares no term with the question. If a question asks only what the provisions say that it names by
    number, these are quoted whole, or the paragraph that it names, up to 600 letters.
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
        named = self._named(query)
        texts = [
            beginning(provisions[docno].text, named[docno], self.collection.language) if docno in named else text
            for docno, text in zip(first, texts, strict=True)
        ]
        lines = (_line(docno, provisions[docno].title, text) for docno, text in zip(first, texts, strict=True))
        verified = tuple((docno, text, "verified") for docno, text in zip(first, texts, strict=True) if text)
        return Answer("\n".join(lines), tuple(first), verified, context_docnos=tuple(first))

    def _named(self, query: str) -> dict[str, int]:
        """Return the provisions that a question names if it asks only what they say, each with its paragraph, or 0."""
        lang = self.collection.language
        references = read(query, lang) if lang.partition("-")[0] in grammars() else []
        if not (references and (numbers := NumberTable.of(self.collection)).asks_for_text(query)):
            return {}
        paragraph = references[0].paragraph if len(references) == 1 else ""
        named = Lookup(numbers, most=len(numbers)).named(query)
        return {str(numbers.docnos[place]): int(paragraph) if paragraph.isdecimal() else 0 for place in named}


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


def beginning(text: str, paragraph: int, language: str = UNKNOWN) -> str:
    """Return a paragraph, or the whole text if it has no paragraph of this number, up to 600 letters."""
    outline = Outline(text, language)
    first = outline.paragraphs.get(paragraph, 0)
    later = [place for place in outline.paragraphs.values() if place > first] if paragraph in outline.paragraphs else []
    places = range(first, min(later, default=len(outline.sentences)))
    fits = max(1, sum(size <= _ITEMS for size in accumulate(len(outline.sentences[place]) for place in places)))
    quoted = _joined(outline, places[:fits])
    return quoted if fits >= len(places) or quoted.endswith(GAP.rstrip()) else quoted + GAP.rstrip()


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
