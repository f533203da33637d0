"""Terms that are Korean morphemes, found by Kiwi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from legalir.errors import AnalyzerError, suggestion
from legalir.extend import Analyzer, Collection, TermCounts, count_terms, fingerprint, parameters_of, write_spec
from legalir_kiwi.model import morphemes, morphemes_of, versions
from legalir_kiwi.tags import SETTINGS, term

__all__ = ["KiwiAnalyzer", "kiwi"]

_MAX_THREADS = 256


@dataclass(frozen=True, slots=True)
class KiwiAnalyzer:
    """The morphemes of a text that carry content, in NFC and lower case, without their tags.

    ``방화문을 31미터마다 설치하였다`` becomes ``방화, 문, 31, 미터, 설치`` (``tags="nouns"``). The model, half a
    gigabyte of memory, is loaded with the first text.

    Args:
        tags: ``content``: nouns, roots, numbers, foreign words, and stems of verbs and adjectives; ``nouns``: the same
            without stems; ``all``: each morpheme with a letter or a digit, so particles and endings, too.
        threads: number of threads that analyse many texts, from 1 to 256; None: one for each processor. The terms do
            not depend on it.

    Raises:
        AnalyzerError: a parameter is not one of these.
        MissingExtra: kiwipiepy or its model is not installed.
    """

    tags: str = "content"
    threads: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tags, str) or self.tags not in SETTINGS:
            hint = suggestion(str(self.tags), set(SETTINGS))
            raise AnalyzerError(f"kiwi: tags={self.tags!r} is not one of {', '.join(SETTINGS)}.{hint}")
        threads = self.threads
        if threads is not None and (type(threads) is not int or not 1 <= threads <= _MAX_THREADS):
            raise AnalyzerError(f"kiwi: threads={threads!r} is neither None nor an integer from 1 to {_MAX_THREADS}.")
        versions()

    @property
    def name(self) -> str:
        """The name in expressions: ``kiwi``, or ``kiwi(tags='nouns')``."""
        return write_spec("kiwi", {} if self.tags == "content" else {"tags": self.tags})

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms: with the versions of kiwipiepy and its model, too."""
        return fingerprint("kiwi/1", {"tags": self.tags, **versions()})

    def terms(self, text: str) -> list[str]:
        """Return the morphemes of `text` in order."""
        return self._terms_of(morphemes_of(text, self.threads))

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the morphemes of `texts`, which several threads analyse."""
        return count_terms(_ReadyTerms(map(self._terms_of, morphemes(texts, self.threads))), texts)

    def _terms_of(self, morphemes: list[tuple[str, str]]) -> list[str]:
        return [one for form, tag in morphemes if (one := term(form, tag, self.tags))]


class _ReadyTerms:
    """An analyzer of texts whose terms are ready: it hands them out in order."""

    name = fingerprint = "ready"

    def __init__(self, terms: Iterator[list[str]]) -> None:
        self._terms = terms

    def terms(self, text: str) -> list[str]:
        """Return the terms of the next text, which is `text`."""
        return next(self._terms)


@parameters_of(KiwiAnalyzer)
def kiwi(collection: Collection | None, **params: Any) -> Analyzer:
    """Korean morphemes by kiwipiepy: ``bm25(analyzer="kiwi")``, ``bm25(analyzer='kiwi(tags="nouns")')``."""
    return KiwiAnalyzer(**params)
