"""Loading a factory and calling it: each fault of a plugin becomes one sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.errors import ComponentError, PluginError

FACTORY = "def factory(collection, *pipelines, **params):\n    return ('made', collection, params)\n"

ODD_ERRORS = """
class Panic(BaseException): pass
class Mute(Exception):
    def __str__(self): raise RuntimeError
"""


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise RuntimeError('no licence.\\nsecond line')\n", "RuntimeError: no licence;"),
        ("import does_not_exist_anywhere\n", "ModuleNotFoundError: No module named 'does_not_exist_anywhere';"),
        ("def factory(:\n", "SyntaxError: "),
        ("raise SystemExit(3)\n", "SystemExit: 3;"),
        ("import sys\nsys.exit('no')\n", "SystemExit: no;"),
        (ODD_ERRORS + "raise Panic('no driver')\n", "Panic: no driver;"),
        (ODD_ERRORS + "raise Mute\n", "Mute;"),
        ("", "AttributeError: "),
    ],
)
def test_a_failing_import_names_package_version_and_cause(install: Install, source: str, cause: str) -> None:
    install("broken", {"retriever.sick": "broken_module:factory"}, source, version="0.3")
    install("acme", {"retriever.well": "acme_module:factory"}, FACTORY)
    with pytest.raises(PluginError) as caught:
        load("retriever", "sick")
    message = str(caught.value)
    assert "'sick' of package broken 0.3" in message
    assert cause in message
    assert "\n" not in message
    assert callable(load("retriever", "well"))


def test_an_interrupt_is_no_fault_of_a_plugin(install: Install) -> None:
    install("acme", {"retriever.slow": "acme_module:factory"}, "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load("retriever", "slow")


@pytest.mark.parametrize("value", ["a b c", ":x", "acme_module", "acme_module:"])
def test_a_value_that_names_nothing_callable(install: Install, value: str) -> None:
    install("acme", {"retriever.odd": value}, FACTORY)
    with pytest.raises(PluginError, match=r"'odd' .*acme 1\.0 .*(cannot be loaded|is not callable)"):
        load("retriever", "odd")


@pytest.mark.parametrize(
    "source",
    [
        "def factory(): pass\n",
        "def factory(*, collection): pass\n",
        "def factory(**params): pass\n",
        "class factory:\n    def __init__(self): pass\n",
    ],
)
def test_a_wrong_signature(install: Install, source: str) -> None:
    install("acme", {"retriever.odd": "acme_module:factory"}, source, version="3")
    with pytest.raises(PluginError, match=r"'odd' .*acme 3 .*called as factory"):
        load("retriever", "odd")


def test_an_object_of_another_type_than_its_role(install: Install) -> None:
    install("acme", {"command.odd": "acme_module:odd", "measure.odd": "acme_module:odd"}, "odd = 3\n", version="3")
    for role in ("command", "measure"):
        with pytest.raises(PluginError, match=f"{role} 'odd' .*acme 3 .*type int"):
            load(role, "odd")


@pytest.mark.parametrize(
    "source",
    [
        "def factory(collection, left, right, *, k=3): pass\n",
        "def factory(c): pass\n",
        "def factory(*args): pass\n",
        "def factory(collection, /): pass\n",
        "class factory:\n    def __init__(self, collection): pass\n",
        "class Maker:\n    def __call__(self, collection): pass\nfactory = Maker()\n",
        "import functools\nfactory = functools.partial(print, sep='')\n",
        "class Maker:\n    __signature__ = 'unknown'\n    def __call__(self, collection): pass\nfactory = Maker()\n",
    ],
)
def test_signatures_that_are_legal(install: Install, source: str) -> None:
    install("acme", {"retriever.even": "acme_module:factory"}, source)
    assert callable(load("retriever", "even"))


RAISING = ODD_ERRORS + (
    "def divide(collection): return 1 / 0\n"
    "def leave(collection): raise SystemExit(0)\n"
    "def panic(collection): raise Panic('no driver')\n"
    "def decline(collection):\n"
    "    from legalir.errors import ComponentError\n"
    "    raise ComponentError('k is odd.')\n"
    "def stop(collection): raise KeyboardInterrupt\n"
)


@pytest.mark.parametrize(
    ("name", "cause"),
    [("divide", "ZeroDivisionError: division by zero"), ("leave", "SystemExit: 0"), ("panic", "Panic: no driver")],
)
def test_a_factory_that_fails_names_package_version_and_cause(install: Install, name: str, cause: str) -> None:
    install("acme", {f"retriever.{name}": f"acme_module:{name}"}, RAISING, version="4")
    entry = plugins.resolve(name)
    with pytest.raises(PluginError, match=f"'{name}' .*acme 4 failed: {cause}"):
        plugins.load(entry).make(None)


def test_what_gives_another_collection_is_contained_too(install: Install) -> None:
    source = RAISING + "def part(collection, *pipelines, k=1): return collection\npart.over = lambda c, k=1: (c, k)\n"
    install("acme", {"retriever.part": "acme_module:part"}, source)
    install("other", {"retriever.decline": "other_module:decline"}, RAISING + "decline.over = divide\n", version="4")
    assert plugins.load(plugins.resolve("part")).over("C", {"k": 2}) == ("C", 2)
    with pytest.raises(PluginError, match=r"'decline' .*other 4 failed: ZeroDivisionError"):
        plugins.load(plugins.resolve("decline")).over("C", {})


@pytest.mark.parametrize(("name", "error"), [("decline", ComponentError), ("stop", KeyboardInterrupt)])
def test_what_a_factory_raises_on_purpose_stays(install: Install, name: str, error: type[BaseException]) -> None:
    install("acme", {f"retriever.{name}": f"acme_module:{name}"}, RAISING)
    entry = plugins.resolve(name)
    with pytest.raises(error):
        plugins.load(entry).make(None)


def test_a_bug_of_ours_keeps_its_traceback(install: Install) -> None:
    install("legalir", {"retriever.divide": "legalir_module:divide"}, RAISING)
    entry = plugins.resolve("divide")
    with pytest.raises(ZeroDivisionError):
        plugins.load(entry).make(None)


def test_the_package_whose_code_failed(install: Install) -> None:
    source = "def factory(collection, call=None):\n    return call() if call else 1 / 0\n"
    install("blame_a", {"retriever.one": "blame_a_module:factory"}, source, version="1")
    install("blame_b", {"retriever.two": "blame_b_module:factory"}, source, version="2")
    one, two = load("retriever", "one"), load("retriever", "two")

    def failed(call: Callable[[], object]) -> str | None:
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        return plugins.package_of(caught.value)

    assert failed(lambda: one(None)) == "blame-a 1"
    assert failed(lambda: one(None, call=lambda: two(None))) == "blame-b 2", "the innermost one"
    assert failed(lambda: 1 / 0) is None
