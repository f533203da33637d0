"""The plugin whose code an error comes from, in tracebacks of real plugins."""

from __future__ import annotations

import pytest
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir import Collection, plugins
from legalir.errors import ComponentError

SOURCE = """
def factory(collection, call=None):
    return (call or crash)()
def crash():
    return sorted([1, "a"])
def wrapped():
    try:
        crash()
    except TypeError as error:
        raise RuntimeError("outer") from error
"""


def raised(call: object) -> BaseException:
    try:
        call()  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture(name="two")
def two_plugins(install: Install) -> tuple[plugins.Factory, plugins.Factory]:
    install("blame_a", {"retriever.blame_one": "blame_a_module:factory"}, SOURCE, version="1")
    install("blame_b", {"reranker.blame_two": "blame_b_module:factory"}, SOURCE, version="2")
    return load("retriever", "blame_one"), load("reranker", "blame_two")


def test_the_innermost_plugin_is_blamed(two: tuple[plugins.Factory, plugins.Factory]) -> None:
    one, other = two
    found = plugins.plugin_of(raised(lambda: one(None, call=lambda: other(None))))
    assert found is not None
    assert (found.name, found.package, found.version) == ("blame_two", "blame-b", "2")
    found = plugins.plugin_of(raised(lambda: one(None)))
    assert found is not None
    assert found.package == "blame-a"


def test_an_error_raised_from_another_is_followed(two: tuple[plugins.Factory, plugins.Factory]) -> None:
    def ours() -> None:
        try:
            two[0](None)
        except TypeError as error:
            raise RuntimeError("outer") from error

    def silent() -> None:
        try:
            two[0](None)
        except TypeError:
            raise RuntimeError("outer") from None

    def leaving() -> None:
        try:
            two[0](None)
        except TypeError:
            raise SystemExit(1)  # noqa: B904  (the context is what is tested)

    found = plugins.plugin_of(raised(ours))
    assert found is not None
    assert found.name == "blame_one"
    assert plugins.plugin_of(raised(silent)) is None
    assert plugins.plugin_of(raised(leaving)) is None, "a command that ends after an error that was dealt with"


def test_a_plugin_that_leaves_the_program_is_blamed(two: tuple[plugins.Factory, plugins.Factory]) -> None:
    def leave() -> None:
        raise SystemExit(1)

    found = plugins.plugin_of(raised(lambda: two[1](None, call=leave)))
    assert found is not None
    assert found.name == "blame_two"


def test_no_plugin_is_blamed_for_what_is_ours(two: tuple[plugins.Factory, plugins.Factory]) -> None:
    assert plugins.plugin_of(raised(lambda: sorted([1, "a"]))) is None  # type: ignore[type-var]
    assert plugins.plugin_of(RuntimeError("never raised")) is None


def test_of_several_entries_the_nearest_module_is_blamed(install: Install) -> None:
    entries = {"retriever.blame_far": "blame_c.other:factory", "retriever.blame_near": "blame_c.parts.near:factory"}
    root = install("blame_c", entries)
    (root / "blame_c" / "parts").mkdir(parents=True)
    for name in ("__init__", "other", "parts/__init__", "parts/near", "parts/helper"):
        (root / "blame_c" / f"{name}.py").write_text(SOURCE)
    near = load("retriever", "blame_near")
    load("retriever", "blame_far")
    import importlib

    helper = importlib.import_module("blame_c.parts.helper")
    found = plugins.plugin_of(raised(helper.crash))
    assert found is not None
    assert found.name == "blame_near"
    found = plugins.plugin_of(raised(lambda: near(None)))
    assert found is not None
    assert found.name == "blame_near"


def test_the_owner_of_a_component_is_the_plugin_of_its_class(install: Install) -> None:
    install(
        "blame_owner",
        {"retriever.blame_owned": "blame_owner_module:Factory"},
        "class Factory:\n    def __init__(self, collection): ...\n",
    )
    made = load("retriever", "blame_owned")(None)
    found = plugins.plugin_of(made)
    assert found is not None
    assert found.name == "blame_owned"
    assert plugins.plugin_of("text") is None


def test_a_plugin_that_gives_no_ranks_is_named(install: Install) -> None:
    source = (
        "from legalir.frames.component import Component\n"
        "class Unranked(Component):\n"
        "    def transform(self, inp): return inp.assign(docno='a', score=1.0)\n"
        "def unranked(collection): return Unranked()\n"
    )
    install("blame_unranked", {"retriever.unranked": "blame_unranked_module:unranked"}, source)
    load("retriever", "unranked")
    collection = Collection("legalir/firecode")
    wrong = r"^search: 'unranked' returns no rank, because the retriever 'unranked' of package blame-unranked 1\.0 that"
    with pytest.raises(ComponentError, match=wrong):
        collection.search("창문", "unranked")
