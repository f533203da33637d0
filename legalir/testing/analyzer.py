"""Checks of an analyzer: text in, terms out."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from legalir.analysis.analyzer import Analyzer, BulkAnalyzer, TermCounts, count_terms, get_analyzer
from legalir.testing.checks import Failed, NotApplicable, checks_of, given
from legalir.testing.construction import construction
from legalir.testing.data import ODD_TEXTS, TEXTS, long_text
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.protocols import check_name, fingerprint, variants
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]


def name(trial: Trial) -> None:
    """The name is a short text, and an installed analyzer is made again from it: indexes are stored with it."""
    collection = trial.collection()
    made = trial.component(collection)
    check_name(made.name)
    if not trial.subject.installed:
        return
    again = get_analyzer(made.name, collection)
    if again.fingerprint != made.fingerprint:
        raise Failed(
            f"the name {made.name!r} makes an analyzer with another fingerprint: write the parameters into it, "
            f"with legalir.extend.write_spec."
        )


def fingerprint_of_parameters(trial: Trial) -> None:
    """A parameter that changes the terms changes the fingerprint."""
    collection = trial.collection()
    own = trial.component(collection)
    looked = False
    for text, other in variants(trial, collection):
        looked = True
        if own.fingerprint == other.fingerprint and _all(own) != _all(other):
            raise Failed(f"with {text} terms change and the fingerprint does not: let every parameter be part of it.")
    if not looked:
        raise NotApplicable("no parameter of the factory has a default that the kit could change")


def terms(trial: Trial) -> None:
    """Terms are a list of strings, none of them empty, and the kit's texts have some."""
    analyzer = _made(trial)
    for text in TEXTS:
        found = analyzer.terms(text)
        if not isinstance(found, list):
            raise Failed(f"terms gave a {type(found).__name__}: return a list.")
        if bad := [term for term in found if not isinstance(term, str) or not term]:
            raise Failed(f"{bad[0]!r} is a term of {text[:30]!r}: terms are strings that are not empty.")
    if not any(map(analyzer.terms, TEXTS)):
        raise Failed("no text has any term: look at what your analyzer keeps.")


def no_terms(trial: Trial) -> None:
    """Nothing, white space and punctuation have no terms."""
    analyzer = _made(trial)
    for text in ODD_TEXTS[:3]:
        if found := analyzer.terms(text):
            raise Failed(f"{text[:20]!r} has the term {found[0]!r}: keep what has a letter or a digit.")


def odd_texts(trial: Trial) -> None:
    """Operators, control characters, lone jamo and marks are texts, too."""
    analyzer = _made(trial)
    for text in ODD_TEXTS[3:]:
        with given(text):
            analyzer.terms(text)


def long_text_is_read(trial: Trial) -> None:
    """A text of 100 000 characters is read to its end."""
    analyzer = _made(trial)
    # No text of the kit ends so: the terms of its end are in no other place.
    end = next((text for text in ("풍향계 12345", "windvane 12345") if analyzer.terms(text)), "")
    before, after = (set(analyzer.terms(text)) for text in (long_text(), f"{long_text()} {end}"))
    if end and before == after:
        raise Failed("the end of a text of 100 000 characters has no terms: cut long texts into parts, and read all.")


def composed_text(trial: Trial) -> None:
    """A text in NFD has the terms that it has in NFC."""
    analyzer = _made(trial)
    for text in TEXTS:
        if analyzer.terms(unicodedata.normalize("NFD", text)) != analyzer.terms(text):
            raise Failed(f"{text[:30]!r} has other terms in NFD: begin with unicodedata.normalize('NFC', text).")


def determinism(trial: Trial) -> None:
    """A text has the same terms when it comes again."""
    analyzer = _made(trial)
    for text in TEXTS:
        if analyzer.terms(text) != analyzer.terms(text):
            raise Failed(f"{text[:30]!r} had other terms the second time: keep no state between texts.")


def company(trial: Trial) -> None:
    """What was read before does not change the terms of a text."""
    collection = trial.collection()
    forth, back = trial.component(collection), trial.component(collection)
    first = [forth.terms(text) for text in TEXTS]
    second = [back.terms(text) for text in reversed(TEXTS)][::-1]
    for text, one, two in zip(TEXTS, first, second, strict=True):
        if one != two:
            raise Failed(f"{text[:30]!r} has other terms after other texts: keep no state between texts.")


def counts(trial: Trial) -> None:
    """An analyzer with a method `count` counts what its terms are, ascending by term and by text."""
    analyzer = _made(trial)
    if not isinstance(analyzer, BulkAnalyzer):
        raise NotApplicable("it has no method 'count'")
    texts = [*TEXTS, *ODD_TEXTS, "", TEXTS[0]]
    for some in (texts, [], [""]):
        _check_counts(analyzer.count(some), count_terms(_Plain(analyzer), some))


def _check_counts(found: Any, wanted: TermCounts) -> None:
    if list(found.terms) != wanted.terms:
        raise Failed("count gives other terms than terms does, or not in ascending order: sort by code points.")
    for field in ("indptr", "documents", "frequencies", "lengths"):
        one, two = (np.asarray(getattr(counts, field)) for counts in (found, wanted))
        if one.dtype != two.dtype or not np.array_equal(one, two):
            raise Failed(f"{field} of count is not what TermCounts says of the same terms: compare with count_terms.")


class _Plain:
    """An analyzer without its ``count``."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.name, self.fingerprint, self.terms = analyzer.name, analyzer.fingerprint, analyzer.terms


def _made(trial: Trial) -> Any:
    return trial.component(trial.collection())


def _all(analyzer: Any, texts: Sequence[str] = TEXTS) -> list[list[str]]:
    return [analyzer.terms(text) for text in texts]


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    name,
    fingerprint,
    fingerprint_of_parameters,
    terms,
    no_terms,
    odd_texts,
    long_text_is_read,
    composed_text,
    determinism,
    company,
    counts,
)
"""All of them, in the order in which they run."""
