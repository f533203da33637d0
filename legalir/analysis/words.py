"""Terms that are words between white space, as the published code of SearchFireSafety scores them."""

from __future__ import annotations

from dataclasses import dataclass

from legalir.analysis.analyzer import Analyzer, fingerprint
from legalir.analysis.text import normalize


@dataclass(frozen=True, slots=True)
class Words:
    """Words between white space, in NFC and lower case; punctuation that touches a word stays with it.

    A token without a letter or digit (``-``, ``「」``, an emoji) is not a term.
    """

    @property
    def name(self) -> str:
        """The name in expressions: ``word``."""
        return "word"

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return fingerprint("words/1", {})

    def terms(self, text: str) -> list[str]:
        """Return the words of `text` in order."""
        return [word for word in normalize(text).split() if any(map(str.isalnum, word))]


def word_analyzer(collection: object) -> Analyzer:
    """Words between white space, in lower case: ``bm25(analyzer="word")``."""
    return Words()
