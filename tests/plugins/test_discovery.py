"""The entry that a name means; disabled, disputed, misnamed and unknown names; in packages made on the spot."""

from __future__ import annotations

import sys

import pytest
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.cli.plugins import problems, statuses
from legalir.errors import PluginError, PluginNotFound

FACTORY = "def factory(collection, *pipelines, **params):\n    return ('made', collection, params)\n"


def faults() -> list[str]:
    return problems(statuses())


def test_an_installed_entry_is_listed_and_not_imported(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, "raise RuntimeError('imported')\n", version="2.1")
    (entry,) = [entry for entry in plugins.entries("retriever") if entry.name == "quick"]
    assert entry == ("retriever", "quick", "acme", "2.1", "acme_module:factory")
    assert str(entry) == "retriever 'quick' of package acme 2.1"
    assert plugins.resolve("quick") == entry
    assert [one.state for one in statuses("retriever") if one.entry == entry] == ["installed"]
    assert faults() == []
    assert "acme_module" not in sys.modules


def test_unreadable_metadata_is_one_sentence(install: Install) -> None:
    root = install("rotten", {})
    (root / "rotten-1.0.dist-info" / "entry_points.txt").write_bytes(b"[legalir.v1]\nretriever.x\xff = a:b\n")
    with pytest.raises(PluginError, match=r"rotten-1\.0\.dist-info.*UnicodeDecodeError") as error:
        plugins.resolve("bm25")
    assert "\n" not in str(error.value)


def test_one_name_in_two_pipeline_roles_cannot_be_resolved(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    install("other", {"reranker.same": "other_module:factory", "encoder.same": "other_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"acme 1.0 \(retriever.*other 1.0 \(reranker|other 1.0 .*acme 1.0"):
        plugins.resolve("same")
    assert callable(load("reranker", "same"))
    assert callable(load("encoder", "same"))
    (problem,) = faults()
    assert "acme 1.0" in problem
    assert "other 1.0" in problem
    assert "encoder" not in problem, "an encoder is named elsewhere than a retriever"


def test_a_package_that_claims_a_name_twice(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory", "reranker.same": "acme_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"'same' .*acme .* acme .*: rename one"):
        plugins.resolve("same")


def test_a_conflict_says_what_settles_it(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("zeta", {"retriever.same": "zeta_module:factory"}, FACTORY)
    install("acme", {"reranker.same": "acme_module:factory"}, FACTORY)
    install("legalir", {"retriever.same": "legalir_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "other")
    with pytest.raises(PluginError) as caught:
        plugins.resolve("same")
    assert str(caught.value) == (
        "'same' is claimed by legalir 1.0 (retriever, legalir_module:factory) and acme 1.0 (reranker, "
        "acme_module:factory) and zeta 1.0 (retriever, zeta_module:factory): uninstall one, or set "
        "LEGALIR_DISABLE_PLUGINS=other,acme,zeta to keep that of legalir."
    )
    assert str(caught.value) in faults()
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme,zeta")
    assert plugins.resolve("same").package == "legalir"
    assert faults() == []


@pytest.mark.parametrize("name", ["acme-tools", "Acme_Tools", " x , acme.tools ,"])
def test_disabling_takes_the_name_of_a_package(install: Install, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    install("acme_tools", {"retriever.same": "acme_tools_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", name)
    assert "same" not in {entry.name for entry in plugins.entries()}
    with pytest.raises(PluginError, match=r"'same' is disabled: .*acme-tools .*LEGALIR_DISABLE_PLUGINS"):
        load("retriever", "same")
    assert len(faults()) == ("x" in name), "x is not installed"


@pytest.mark.parametrize("name", ["same", "retriever.same", "acme/same"])
def test_a_disabled_name_that_is_not_a_package_is_reported(
    install: Install, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", name)
    (problem,) = faults()
    assert repr(name) in problem
    assert callable(load("retriever", "same"))


def test_an_unknown_name_gets_a_suggestion(install: Install) -> None:
    install("acme", {"retriever.zebrafish": "acme_module:factory"}, FACTORY)
    with pytest.raises(PluginNotFound, match=r"retriever 'zebrafsh'.* mean 'zebrafish'"):
        load("retriever", "zebrafsh")
    with pytest.raises(PluginNotFound, match=r"Known: .*zebrafish"):
        load("retriever", "qqqqqqq")


@pytest.mark.parametrize("name", ["retriever", "nothing.x", "retriever.a-b", "retriever."])
def test_an_entry_with_a_bad_name_is_reported_and_left_out(install: Install, name: str) -> None:
    install("acme", {name: "acme_module:factory", "retriever.good": "acme_module:factory"}, FACTORY)
    (problem,) = faults()
    assert problem.startswith("Package acme 1.0 offers")
    assert callable(load("retriever", "good"))
    assert [entry.name for entry in plugins.entries() if entry.package == "acme"] == ["good"]
    role, _, wanted = name.partition(".")
    with pytest.raises(PluginError):
        load(role, wanted)


@pytest.mark.parametrize("name", ["merlin", "searcher.merlin"])
def test_a_name_with_a_broken_entry_says_so(install: Install, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    install("acme", {name: "acme_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=rf"acme 1\.0 .*'{name}', .*'role\.name'"):
        plugins.resolve("merlin")
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    with pytest.raises(PluginNotFound):
        plugins.resolve("merlin")


def test_another_version_of_the_contract_is_named_and_never_imported(install: Install) -> None:
    install("acme", {"retriever.fast": "acme_module:factory"}, "raise RuntimeError\n", "2.0", group="legalir.v2")
    with pytest.raises(PluginError, match=r"'fast' .*acme 2\.0 .*legalir\.v2, .*legalir\.v1"):
        plugins.resolve("fast")
    assert "acme_module" not in sys.modules
    install("other", {"retriever.fast": "other_module:factory"}, FACTORY)
    assert load("retriever", "fast").__module__ == "other_module"
