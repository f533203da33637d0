"""Terms that are words between white space, much as the released code of [searchfiresafety] has them for BM25."""

from __future__ import annotations

from dataclasses import dataclass

from legalir.analysis.analyzer import Analyzer, fingerprint
from legalir.analysis.text import normalize
from legalir.collections import Collection


@dataclass(frozen=True, slots=True)
class Whitespace:
    """Words between white space, in NFC and lower case; punctuation that touches a word stays with it.

    A token without a letter or digit (``-``, ``「」``, an emoji) is not a term. ``str.split``, which the released code
    uses, keeps these tokens, upper case and each kind of middle dot.
    """

    @property
    def name(self) -> str:
        """The name in expressions: ``whitespace``."""
        return "whitespace"

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return fingerprint("whitespace/1", {})

    def terms(self, text: str) -> list[str]:
        """Return the words of `text` in order."""
        return [word for word in normalize(text).split() if any(map(str.isalnum, word))]


def whitespace_analyzer(collection: Collection | None) -> Analyzer:
    """Words between white space, in lower case: ``bm25(analyzer="whitespace")``."""
    return Whitespace()
