"""Components named by text, and made from it."""

from __future__ import annotations

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.errors import ComponentError, PluginError
from legalir.spec import read_spec, write_spec

SOURCE = """
import pyterrier as pt
class Made(pt.Transformer):
    name = fingerprint = "made"
    def __init__(self, *given): self.given = given
    def terms(self, text): return []
    def transform(self, inp): return inp
def factory(collection, tags="nouns", *, size=1): return Made(collection, tags, size)
def needy(collection, path): return Made(path)
def broken(collection, size=1): return len(size)
def fuse(collection, *pipelines, k=1): return Made(collection, pipelines, k)
"""
ENTRIES = {f"analyzer.{name}": f"acme_module:{name}" for name in ("factory", "needy", "broken")}


def given(*arguments: object, **params: object) -> object:
    """Return the arguments of the object that `make` makes."""
    return plugins.make(*arguments, **params).given  # type: ignore[arg-type, attr-defined]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("kiwi", ("kiwi", {})),
        ("  kiwi ( ) ", ("kiwi", {})),
        ('kiwi(tags="all")', ("kiwi", {"tags": "all"})),
        (
            "kiwi(a=-1.5, b=[1, (2,)], c={'k': None}, d=True, e='형태소')",
            ("kiwi", {"a": -1.5, "b": [1, (2,)], "c": {"k": None}, "d": True, "e": "형태소"}),
        ),
    ],
)
def test_specs(spec: str, expected: tuple[str, dict[str, object]]) -> None:
    assert read_spec(spec) == expected
    assert read_spec(write_spec(*expected)) == expected


def test_a_spec_is_written_in_one_way() -> None:
    assert write_spec("kiwi", {}) == "kiwi"
    assert write_spec("kiwi", {"b": 2, "a": "x"}) == write_spec("kiwi", {"a": "x", "b": 2}) == "kiwi(a='x', b=2)"


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("", "'' is not a component"),
        ("a b", "'a b' is not a component"),
        ("a.b()", "name can be called"),
        ("(lambda: 1)()", "name can be called"),
        ("kiwi\x00", "is not a component"),
        ("(" * 300, "is not a component"),
        ("-" * 4000 + "1", "is not a component"),
        ("a" * 6000, r"\.\.\.' is not a component"),
        ("kiwi(3)", r"kiwi\(name=value\)"),
        ("kiwi(**{'a': 1})", r"'\*\*' cannot be used"),
        ("kiwi(collection=1)", r"'collection' .*filled in"),
        ("kiwi(tags=all)", "tags=all is not a literal"),
        ("kiwi(tags=open('/etc/passwd').read())", "is not a literal"),
        ("kiwi(tags=f'{1}')", "is not a literal"),
        ("kiwi(a=1, a=2)", r"'a' .*given twice"),
    ],
)
def test_texts_that_are_no_spec(spec: str, fault: str) -> None:
    with pytest.raises(ComponentError, match=fault):
        read_spec(spec)


def test_parameters_reach_the_factory(install: Install) -> None:
    install("acme", ENTRIES, SOURCE)
    assert given("analyzer", "factory") == (None, "nouns", 1)
    assert given("analyzer", "factory(tags='all')", "C") == ("C", "all", 1)
    assert given("analyzer", "factory(size=2)", size=3) == (None, "nouns", 3)
    assert given("analyzer", "needy(path='x')") == ("x",)


def test_a_component_of_expressions_gets_a_collection_and_pipelines(install: Install) -> None:
    install("acme", {"fuser.fuse": "acme_module:fuse"}, SOURCE)
    assert given("fuser", "fuse(k=2)", "C", "one", "two") == ("C", ("one", "two"), 2)
    with pytest.raises(ComponentError, match="fuse: the collection"):
        plugins.make("fuser", "fuse(k=2)")


def test_pipelines_for_a_component_that_takes_none(install: Install) -> None:
    install("acme", ENTRIES, SOURCE)
    with pytest.raises(ComponentError, match=r"factory .*1 pipeline .*none"):
        plugins.make("analyzer", "factory", None, "pipeline")


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("factory(tgas='all')", r"factory .*'tgas'.*'tags'.* tags='nouns', si"),
        ("needy", r"needy: missing .*'path'.* path\.$"),
    ],
)
def test_parameters_that_do_not_fit(install: Install, spec: str, fault: str) -> None:
    install("acme", ENTRIES, SOURCE)
    with pytest.raises(ComponentError, match=fault):
        plugins.make("analyzer", spec)


def test_a_factory_that_fails_is_a_plugin_error(install: Install) -> None:
    install("acme", ENTRIES, SOURCE, version="5")
    with pytest.raises(PluginError, match=r"'broken' .*acme 5 .*TypeError"):
        plugins.make("analyzer", "broken")


def test_names_and_roles_that_there_are_not() -> None:
    with pytest.raises(PluginError, match=r"no analyzer 'wrd'.*'word'"):
        plugins.make("analyzer", "wrd")
    with pytest.raises(PluginError, match="no role 'analyser'"):
        plugins.make("analyser", "word")
