"""Checks of an analyzer: text in, terms out."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np

from legalir.analysis.analyzer import Analyzer, BulkAnalyzer, TermCounts, count_terms, get_analyzer
from legalir.testing.checks import (
    Failed,
    NotApplicable,
    check_fingerprint_of_parameters,
    check_name,
    checks_of,
    construction,
    fingerprint,
    first_use,
    given,
)
from legalir.testing.data import ODD_TEXTS, TEXTS, long_text
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Sandbox


def _made(sandbox: Sandbox) -> Any:
    return sandbox.make(sandbox.collection())


def name(sandbox: Sandbox) -> None:
    """The name is a short text; an installed analyzer can be made from it, as indexes do."""
    collection = sandbox.collection()
    analyzer = sandbox.make(collection)
    check_name(analyzer.name)
    if not sandbox.under_test.installed:
        return
    if get_analyzer(analyzer.name, collection).fingerprint != analyzer.fingerprint:
        raise Failed(
            f"the name {analyzer.name!r} makes an analyzer with another fingerprint: write the parameters into it, "
            f"with legalir.extend.write_spec."
        )


def fingerprint_of_parameters(sandbox: Sandbox) -> None:
    """A parameter that changes the terms changes the fingerprint."""
    check_fingerprint_of_parameters(sandbox, "terms", lambda one, two, _: _terms(one) != _terms(two))


def _terms(analyzer: Any) -> list[list[str]]:
    return [analyzer.terms(text) for text in TEXTS]


def terms(sandbox: Sandbox) -> None:
    """Terms are a list of strings, none of them empty, and the kit's texts have some."""
    analyzer = _made(sandbox)
    for text in TEXTS:
        own = analyzer.terms(text)
        if not isinstance(own, list):
            raise Failed(f"terms returned a {type(own).__name__}: return a list.")
        if bad := [term for term in own if not isinstance(term, str) or not term]:
            raise Failed(f"{bad[0]!r} is a term of {text[:30]!r}: terms are strings that are not empty.")
    if not any(map(analyzer.terms, TEXTS)):
        raise Failed("no text has any term: look at the tokens that your analyzer keeps.")


def no_terms(sandbox: Sandbox) -> None:
    """Empty texts, white space and punctuation have no terms."""
    analyzer = _made(sandbox)
    for text in ODD_TEXTS[:3]:
        if own := analyzer.terms(text):
            raise Failed(f"{text[:20]!r} has the term {own[0]!r}: keep tokens with a letter or a digit.")


def odd_texts(sandbox: Sandbox) -> None:
    """Operators, control characters, lone jamo and marks are accepted."""
    analyzer = _made(sandbox)
    for text in ODD_TEXTS[3:]:
        with given(text):
            analyzer.terms(text)


def long_text_is_read(sandbox: Sandbox) -> None:
    """A text of 100 000 characters is read to its end."""
    analyzer = _made(sandbox)
    # The terms of this end are in no text of the kit.
    end = next((text for text in ("풍향계 12345", "windvane 12345") if analyzer.terms(text)), "")
    before, after = (set(analyzer.terms(text)) for text in (long_text(), f"{long_text()} {end}"))
    if end and before == after:
        raise Failed("the end of a text of 100 000 characters has no terms: cut long texts into parts, and read all.")


def composed_text(sandbox: Sandbox) -> None:
    """A text in NFD has the terms of the text in NFC."""
    analyzer = _made(sandbox)
    for text in TEXTS:
        if analyzer.terms(unicodedata.normalize("NFD", text)) != analyzer.terms(text):
            raise Failed(f"{text[:30]!r} has other terms in NFD: first call unicodedata.normalize('NFC', text).")


def determinism(sandbox: Sandbox) -> None:
    """The same text has the same terms again."""
    analyzer = _made(sandbox)
    for text in TEXTS:
        if analyzer.terms(text) != analyzer.terms(text):
            raise Failed(f"{text[:30]!r} had other terms the second time: keep no state between texts.")


def company(sandbox: Sandbox) -> None:
    """The terms of a text do not depend on earlier texts."""
    collection = sandbox.collection()
    forward, backward = sandbox.make(collection), sandbox.make(collection)
    first = _terms(forward)
    second = [backward.terms(text) for text in reversed(TEXTS)][::-1]
    for text, one, two in zip(TEXTS, first, second, strict=True):
        if one != two:
            raise Failed(f"{text[:30]!r} has other terms after other texts: keep no state between texts.")


def counts(sandbox: Sandbox) -> None:
    """A method `count` gives the counts of the terms, ascending by term and by text."""
    analyzer = _made(sandbox)
    if not isinstance(analyzer, BulkAnalyzer):
        raise NotApplicable("it has no method 'count'")
    texts = [*TEXTS, *ODD_TEXTS, "", TEXTS[0]]
    for some in (texts, [], [""]):
        _check_counts(analyzer.count(some), count_terms(_WithoutCount(analyzer), some))


def _check_counts(actual: Any, expected: TermCounts) -> None:
    if list(actual.terms) != expected.terms:
        raise Failed("count gives other terms than terms does, or not in ascending order: sort by code points.")
    for field in ("indptr", "documents", "frequencies", "lengths"):
        one, two = (np.asarray(getattr(counts, field)) for counts in (actual, expected))
        if one.dtype != two.dtype or not np.array_equal(one, two):
            raise Failed(f"{field} of count is not that of TermCounts for the same terms: compare with count_terms.")


class _WithoutCount:
    """An analyzer without its ``count``."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.name, self.fingerprint, self.terms = analyzer.name, analyzer.fingerprint, analyzer.terms


ANALYZER = checks_of(
    construction,
    first_use,
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
"""All checks of an analyzer, in the order in which they run."""
