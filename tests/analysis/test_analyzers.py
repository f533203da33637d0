"""Analyzers by name."""

from __future__ import annotations

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir.analysis.analyzer import Analyzer, BulkAnalyzer, get_analyzer
from legalir.analysis.ngrams import NGrams
from legalir.analysis.words import Auto, Whitespace, Words
from legalir.collection.collection import Collection
from legalir.errors import AnalyzerError, ComponentError, ExpressionError, PluginError
from legalir.lexical.sparse import SparseIndex

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
        ("word(lang='en', stem=True)", Words("en")),
        ("word(lang='en-GB', stop=True)", Words("en", stop=True)),
        ("auto", Auto("und")),
        ("auto(lang='de')", Auto("de")),
        ("whitespace", Whitespace()),
        ("jamo()", NGrams("jamo", 3)),
        (" jamo( n = 5 ) ", NGrams("jamo", 5)),
    ],
)
def test_names(name: str, analyzer: Analyzer) -> None:
    assert get_analyzer(name) == analyzer


def test_an_analyzer_is_itself() -> None:
    analyzer = NGrams("jamo", 4)
    assert get_analyzer(analyzer) is analyzer
    assert isinstance(analyzer, BulkAnalyzer)
    assert isinstance(Words(), BulkAnalyzer)
    assert isinstance(Whitespace(), Analyzer)
    assert not isinstance(Whitespace(), BulkAnalyzer)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jamo0", "n must be an integer from 1 to 12"),
        ("jamo13", "n must be an integer from 1 to 12"),
        ("word2", "'word' takes no number"),
        ("jammo3", "There is no analyzer 'jammo3'\\. Did you mean 'jamo'\\?.* such as jamo3 or char2"),
        ("xyzw", "There is no analyzer 'xyzw'. Known: .*auto, .*char, .*jamo, .*whitespace, .*word"),
        ("jamo٣", "There is no analyzer"),
        ("jamo9999", "There is no analyzer"),
        ("jamno(n=3)", "There is no analyzer 'jamno'. Did you mean 'jamo'"),
        ("jamo3(n=3)", "There is no analyzer 'jamo3'"),
        ("jamo(n=0)", "n must be an integer from 1 to 12"),
    ],
)
def test_names_that_mean_nothing(name: str, message: str) -> None:
    with pytest.raises(AnalyzerError, match=message):
        get_analyzer(name)


@pytest.mark.parametrize("thing", [None, 3, object(), str])
def test_things_that_are_no_analyzer(thing: object) -> None:
    with pytest.raises(AnalyzerError, match="is not an analyzer"):
        get_analyzer(thing)  # type: ignore[arg-type]


def test_analyzers_of_plugins(install: Install) -> None:
    entries = {"analyzer.letters": "acme_module:Letters", "analyzer.fortytwo": "acme_module:number"}
    install("acme", entries, SYLLABLES)
    found = get_analyzer("letters", "the collection")
    assert found.terms("법령") == ["법", "령"]
    assert found.collection == "the collection"  # type: ignore[attr-defined]
    wrong = r"'fortytwo' of package acme 1\.0 returned an object of type int: .* analyzer.* report .*_PLUGINS=acme\.$"
    with pytest.raises(PluginError, match=wrong):
        get_analyzer("fortytwo")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("jamo(m=3)", r"jamo has no parameter 'm'\. It accepts n=3"),
        ("jamo(3)", r"jamo takes parameters by name"),
        ("", r"'' is not a component"),
        ("3", r"only a component's name"),
        ("jamo(n=three)", r"n=three is not a literal"),
    ],
)
def test_calls_that_do_not_fit(spec: str, message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        get_analyzer(spec)
    with pytest.raises(ExpressionError, match=r"column 1: bm25: .*" + message):
        Collection("legalir/firecode").pipeline(f"bm25(analyzer={spec!r})")


def test_an_analyzer_that_cannot_be_made(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {f"analyzer.{name}": f"acme_module:{name}" for name in ("broken", "missing", "numbered")}
    source = "def broken(collection): return 1 / 0\ndef numbered(collection, n): return len(n)\n"
    install("acme", entries, source)
    with pytest.raises(PluginError, match=r"'broken'.*1\.0.*ZeroDivisionError"):
        get_analyzer("broken")
    with pytest.raises(PluginError, match=r"'missing'.*1\.0.*AttributeError"):
        get_analyzer("missing")
    with pytest.raises(PluginError, match=r"'numbered'.*1\.0.*TypeError"):
        get_analyzer("numbered3")
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    for spec in ("numbered", "numbered3", "numbered(n=3)"):
        with pytest.raises(PluginError, match=r"'numbered'.*LEGALIR_DISABLE_PLUGINS"):
            get_analyzer(spec)


PARTS = """
from legalir.spec import write_spec

class Parts:
    def __init__(self, size, cut):
        self.name = write_spec("parts", {"size": size, "cut": cut})
        self.fingerprint = f"parts-{size}-{cut.encode().hex()}"
        self.size, self.cut = size, cut

    def terms(self, text):
        return [part[: self.size] for part in text.split(self.cut) if part]

def parts(collection, size=2, cut=" "):
    return Parts(size, cut)
"""


def test_an_analyzer_with_parameters_in_an_expression(install: Install) -> None:
    install("acme", {"analyzer.parts": "acme_module:parts"}, PARTS)
    collection = Collection("legalir/firecode")
    asked = collection.pipeline("""bm25(analyzer='parts(size=3, cut=" ")')""")
    assert asked != collection.pipeline("bm25(analyzer='parts')")
    assert len(asked.search("창문 없는 층")) > 0
    odd = collection.sparse("parts(cut='../')")
    assert odd.directory.is_relative_to(collection.cache)
    assert odd.directory.parent == collection.cache
    again = SparseIndex(odd.directory)
    assert again.analyzer.terms("abc../de") == ["ab", "de"]
