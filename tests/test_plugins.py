"""Discovery of real entry points, in packages made on the spot."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.errors import PluginError

FACTORY = "def factory(collection, *pipelines, **params):\n    return ('made', collection, params)\n"


def entry_of(name: str) -> plugins.PluginEntry:
    (found,) = [entry for entry in plugins.entries() if entry.name == name]
    return found


def test_an_installed_entry_is_listed_and_loaded(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="2.1")
    assert entry_of("quick") == ("retriever", "quick", "acme", "2.1", "acme_module:factory")
    assert plugins.load("retriever", "quick")("C", k=3) == ("made", "C", {"k": 3})


def test_listing_imports_nothing(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, "raise RuntimeError('imported')\n")
    assert "quick" in {entry.name for entry in plugins.entries()}
    assert plugins.problems() == []
    assert plugins.resolve("quick").package == "acme"
    assert "acme_module" not in sys.modules


def test_entries_of_one_role(install: Install) -> None:
    install("acme", {"retriever.one": "m:f", "source.two": "m:f"})
    assert "one" in {entry.name for entry in plugins.entries("retriever")}
    assert {entry.role for entry in plugins.entries("retriever")} == {"retriever"}


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise RuntimeError('no licence.\\nsecond line')\n", "RuntimeError: no licence;"),
        (
            "import does_not_exist_anywhere\n",
            "ModuleNotFoundError: No module named 'does_not_exist_anywhere';",
        ),
        ("def factory(:\n", "SyntaxError: "),
        ("raise SystemExit(3)\n", "SystemExit: 3;"),
        ("", "AttributeError: "),
    ],
)
def test_a_failing_import_names_package_version_and_cause(install: Install, source: str, cause: str) -> None:
    install("broken", {"retriever.sick": "broken_module:factory"}, source, version="0.3")
    install("acme", {"retriever.well": "acme_module:factory"}, FACTORY)
    with pytest.raises(PluginError) as caught:
        plugins.load("retriever", "sick")
    message = str(caught.value)
    assert "'sick' of package broken 0.3" in message
    assert cause in message
    assert "\n" not in message
    assert caught.value.__cause__ is not None
    assert callable(plugins.load("retriever", "well"))


def test_an_interrupt_is_not_contained(install: Install) -> None:
    install("slow", {"retriever.slow": "slow_module:factory"}, "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        plugins.load("retriever", "slow")


def test_a_value_that_is_not_callable(install: Install) -> None:
    install("acme", {"retriever.number": "acme_module:factory"}, "factory = 3\n")
    with pytest.raises(PluginError, match=r"'number' of package acme 1.0 .* is not callable"):
        plugins.load("retriever", "number")


def test_two_packages_with_one_name_hurt_that_name_only(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory", "retriever.own": "acme_module:factory"}, FACTORY)
    install("other", {"retriever.same": "other_module:factory"}, FACTORY, version="7")
    with pytest.raises(PluginError, match=r"'same' is claimed by acme 1.0 .* and other 7 "):
        plugins.load("retriever", "same")
    assert callable(plugins.load("retriever", "own"))
    assert len(plugins.problems()) == 1


def test_one_name_in_two_pipeline_roles_cannot_be_resolved(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    install("other", {"reranker.same": "other_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"acme 1.0 \(retriever.*other 1.0 \(reranker"):
        plugins.resolve("same")
    assert callable(plugins.load("reranker", "same"))


@pytest.mark.parametrize("handle", ["acme-tools", "Acme_Tools", "retriever.same", "same", " x , same ,"])
def test_disabling_takes_a_package_an_entry_or_a_name(
    install: Install, monkeypatch: pytest.MonkeyPatch, handle: str
) -> None:
    install("acme_tools", {"retriever.same": "acme_tools_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", handle)
    assert "same" not in {entry.name for entry in plugins.entries()}
    with pytest.raises(PluginError, match="'same' is disabled by LEGALIR_DISABLE_PLUGINS"):
        plugins.load("retriever", "same")


def test_disabling_one_of_two_settles_a_conflict(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    install("other", {"retriever.same": "other_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    assert plugins.load("retriever", "same").__module__ == "other_module"


def test_disabling_what_is_not_there_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "nowhere")
    assert plugins.problems() == ["LEGALIR_DISABLE_PLUGINS names 'nowhere', which is not installed."]


def test_an_unknown_name_gets_a_suggestion(install: Install) -> None:
    install("acme", {"retriever.zebrafish": "acme_module:factory"}, FACTORY)
    install("legalir", {"retriever.zzz_own": "legalir_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"no retriever 'zebrafsh'\. Did you mean 'zebrafish'\?"):
        plugins.load("retriever", "zebrafsh")
    with pytest.raises(PluginError, match=r"Known: .*zebrafish"):
        plugins.load("retriever", "q")


def test_an_unknown_role() -> None:
    with pytest.raises(PluginError, match=r"no role 'retriver'\. Did you mean 'retriever'\?"):
        plugins.entries("retriver")


@pytest.mark.parametrize("name", ["retriever", "nothing.x", "retriever.a-b", "retriever."])
def test_an_entry_with_a_bad_name_is_reported_and_left_out(install: Install, name: str) -> None:
    install("acme", {name: "acme_module:factory", "retriever.good": "acme_module:factory"}, FACTORY)
    (problem,) = plugins.problems()
    assert problem.startswith("Package acme 1.0 offers")
    assert callable(plugins.load("retriever", "good"))
    assert [entry.name for entry in plugins.entries() if entry.package == "acme"] == ["good"]


def test_the_first_of_a_package_on_the_path_wins(install: Install, tmp_path: Path) -> None:
    old = install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="1")
    old.rename(tmp_path / "old")
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="2")
    sys.path.append(str(tmp_path / "old"))  # The fixture's monkeypatch restores the path.
    plugins.refresh()
    assert entry_of("quick").version == "2"


def test_an_unreadable_file_of_another_package_spoils_nothing(install: Install) -> None:
    root = install("rotten", {})
    (root / "rotten-1.0.dist-info" / "entry_points.txt").write_bytes(b"[legalir.v1]\nretriever.x\xff = a:b\n")
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY)
    with pytest.raises(UnicodeDecodeError):
        metadata.entry_points(group=plugins.GROUP)
    assert callable(plugins.load("retriever", "quick"))


def test_a_package_without_a_version_is_known_by_its_module(install: Install) -> None:
    root = install("acme", {"retriever.quick": "acme_module:missing"}, FACTORY)
    (root / "acme-1.0.dist-info" / "METADATA").unlink()
    plugins.refresh()
    assert entry_of("quick").package == "acme_module"
    with pytest.raises(PluginError, match="of package acme_module of unknown version"):
        plugins.load("retriever", "quick")


def test_metadata_is_read_once_until_refresh(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    read = metadata.entry_points
    monkeypatch.setattr(metadata, "entry_points", lambda **kinds: calls.append(kinds) or read(**kinds))
    plugins.refresh()
    plugins.entries()
    plugins.entries("retriever")
    assert len(calls) == 1
    plugins.refresh()
    plugins.entries()
    assert len(calls) == 2


def test_a_source_folder_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda **_: [])
    plugins.refresh()
    try:
        with pytest.raises(PluginError, match="legalir's own entry points are missing: install the package"):
            plugins.load("retriever", "bm25")
    finally:
        plugins.refresh()
