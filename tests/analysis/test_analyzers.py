"""Analyzers by name."""

from __future__ import annotations

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir.analysis import Analyzer, get_analyzer
from legalir.analysis.analyzer import BulkAnalyzer
from legalir.analysis.ngrams import NGrams
from legalir.analysis.words import Words
from legalir.errors import AnalyzerError

SYLLABLES = """
class Letters:
    name = "letters"
    fingerprint = "f1"
    def __init__(self, collection):
        self.collection = collection
    def terms(self, text):
        return list(text)

def number(collection):
    return 42
"""


@pytest.mark.parametrize(
    ("name", "analyzer"),
    [
        ("jamo3", NGrams("jamo", 3)),
        ("jamo5", NGrams("jamo", 5)),
        ("jamo", NGrams("jamo", 3)),
        ("jamo03", NGrams("jamo", 3)),
        ("char2", NGrams("char", 2)),
        ("char12", NGrams("char", 12)),
        ("word", Words()),
    ],
)
def test_names(name: str, analyzer: Analyzer) -> None:
    assert get_analyzer(name) == analyzer


def test_an_analyzer_is_itself() -> None:
    analyzer = NGrams("jamo", 4)
    assert get_analyzer(analyzer) is analyzer
    assert isinstance(analyzer, BulkAnalyzer)
    assert isinstance(Words(), Analyzer)
    assert not isinstance(Words(), BulkAnalyzer)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jamo0", "n must be an integer from 1 to 12"),
        ("jamo13", "n must be an integer from 1 to 12"),
        ("word2", "'word' takes no number"),
        ("jammo3", "Did you mean 'jamo3'\\?.*Known: .*char.*jamo.*word"),
        ("", "There is no analyzer ''"),
        ("jamo3 ", "There is no analyzer 'jamo3 '"),
        ("3", "There is no analyzer '3'"),
        ("jamo٣", "There is no analyzer"),
        ("jamo9999", "There is no analyzer"),
    ],
)
def test_names_that_mean_nothing(name: str, message: str) -> None:
    with pytest.raises(AnalyzerError, match=message):
        get_analyzer(name)


@pytest.mark.parametrize("thing", [None, 3, object(), str])
def test_things_that_are_no_analyzer(thing: object) -> None:
    with pytest.raises(AnalyzerError, match="is no analyzer"):
        get_analyzer(thing)  # type: ignore[arg-type]


def test_analyzers_of_plugins(install: Install) -> None:
    entries = {"analyzer.letters": "acme_module:Letters", "analyzer.fortytwo": "acme_module:number"}
    install("acme", entries, SYLLABLES)
    found = get_analyzer("letters", "the collection")
    assert found.terms("법령") == ["법", "령"]
    assert found.collection == "the collection"  # type: ignore[attr-defined]
    with pytest.raises(AnalyzerError, match="'fortytwo' did not return an analyzer but int"):
        get_analyzer("fortytwo")
