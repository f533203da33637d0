"""The entry that a name means; disabled, disputed and unknown names."""

from __future__ import annotations

import sys

import pytest
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.errors import PluginError
from legalir.plugins.discovery import legalir_first
from legalir.plugins.entry_points import refresh
from legalir.plugins.status import problems, statuses

FACTORY = "def factory(collection, *pipelines, **params):\n    return ('made', collection, params)\n"


def test_entries_of_one_role(install: Install) -> None:
    install("acme", {"retriever.one": "m:f", "source.two": "m:f"})
    assert "one" in {entry.name for entry in plugins.entries("retriever")}
    assert {entry.role for entry in plugins.entries("retriever")} == {"retriever"}


def test_two_packages_with_one_name_hurt_that_name_only(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory", "retriever.own": "acme_module:factory"}, FACTORY)
    install("other", {"retriever.same": "other_module:factory"}, FACTORY, version="7")
    with pytest.raises(PluginError, match=r"'same' is claimed by acme 1.0 .* and other 7 "):
        load("retriever", "same")
    assert callable(load("retriever", "own"))
    assert len(problems()) == 1


def test_one_name_in_two_pipeline_roles_cannot_be_resolved(install: Install) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    install("other", {"reranker.same": "other_module:factory", "encoder.same": "other_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"acme 1.0 \(retriever.*other 1.0 \(reranker|other 1.0 .*acme 1.0"):
        plugins.resolve("same")
    assert callable(load("reranker", "same"))
    assert callable(load("encoder", "same"))
    (problem,) = problems()
    assert "acme 1.0" in problem
    assert "other 1.0" in problem
    assert "encoder" not in problem, "an encoder is named elsewhere than a retriever"


HANDLES = ["acme-tools", "Acme_Tools", "retriever.same", "same", " x , same ,", "acme-tools/same"]


@pytest.mark.parametrize("handle", [*HANDLES, "Acme_Tools/retriever.same"])
def test_disabling_takes_a_package_an_entry_or_a_name(
    install: Install, monkeypatch: pytest.MonkeyPatch, handle: str
) -> None:
    install("acme_tools", {"retriever.same": "acme_tools_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", handle)
    assert "same" not in {entry.name for entry in plugins.entries()}
    with pytest.raises(PluginError, match="'same' is disabled by LEGALIR_DISABLE_PLUGINS"):
        load("retriever", "same")
    assert problems() == (["LEGALIR_DISABLE_PLUGINS names 'x', which is not installed."] if "x" in handle else [])


@pytest.mark.parametrize("handle", ["acme/other", "acme/reranker.same", "other/same", "acme/", "/same"])
def test_a_handle_that_names_nothing_is_reported(
    install: Install, monkeypatch: pytest.MonkeyPatch, handle: str
) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", handle)
    assert problems() == [f"LEGALIR_DISABLE_PLUGINS names {handle!r}, which is not installed."]
    assert callable(load("retriever", "same"))


def test_a_conflict_says_what_settles_it(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("zeta", {"retriever.same": "zeta_module:factory", "encoder.same": "zeta_module:factory"}, FACTORY)
    install("acme", {"reranker.same": "acme_module:factory", "retriever.own": "acme_module:factory"}, FACTORY)
    install("legalir", {"retriever.same": "legalir_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "word")
    with pytest.raises(PluginError) as caught:
        plugins.resolve("same")
    assert str(caught.value) == (
        "'same' is claimed by legalir 1.0 (retriever, legalir_module:factory) and acme 1.0 (reranker, "
        "acme_module:factory) and zeta 1.0 (retriever, zeta_module:factory): uninstall one, or set "
        "LEGALIR_DISABLE_PLUGINS=word,acme/same,zeta/retriever.same to keep that of legalir."
    )
    assert str(caught.value) in problems()
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "word,acme/same,zeta/retriever.same")
    assert plugins.resolve("same").package == "legalir"
    assert plugins.resolve("same", ("encoder",)).package == "zeta"
    assert plugins.resolve("own").package == "acme"


def test_our_own_goes_before_others_where_that_is_asked(install: Install) -> None:
    for package in ("acme", "legalir"):
        install(package, {"retriever.same": f"{package}_module:factory"}, FACTORY)
    with legalir_first():
        assert plugins.resolve("same").package == "legalir"
    with pytest.raises(PluginError, match="is claimed by"):
        plugins.resolve("same")


def test_disabling_one_of_two_settles_a_conflict(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("acme", {"retriever.same": "acme_module:factory"}, FACTORY)
    install("other", {"retriever.same": "other_module:factory"}, FACTORY)
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    assert load("retriever", "same").__module__ == "other_module"
    assert problems() == []


def test_disabling_what_is_not_there_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "nowhere")
    assert problems() == ["LEGALIR_DISABLE_PLUGINS names 'nowhere', which is not installed."]


def test_an_unknown_name_gets_a_suggestion(install: Install) -> None:
    install("acme", {"retriever.zebrafish": "acme_module:factory"}, FACTORY)
    install("legalir", {"retriever.zzz_own": "legalir_module:factory"}, FACTORY)
    with pytest.raises(PluginError, match=r"no retriever 'zebrafsh'\. Did you mean 'zebrafish'\?"):
        load("retriever", "zebrafsh")
    with pytest.raises(PluginError, match=r"Known: .*zebrafish"):
        load("retriever", "q")


def test_an_unknown_role() -> None:
    with pytest.raises(PluginError, match=r"no role 'retriver'\. Did you mean 'retriever'\?"):
        plugins.entries("retriver")
    with pytest.raises(PluginError, match=r"no role 'retriver'\. Did you mean 'retriever'\?"):
        statuses("retriver")


@pytest.mark.parametrize("name", ["retriever", "nothing.x", "retriever.a-b", "retriever."])
def test_an_entry_with_a_bad_name_is_reported_and_left_out(install: Install, name: str) -> None:
    install("acme", {name: "acme_module:factory", "retriever.good": "acme_module:factory"}, FACTORY)
    (problem,) = problems()
    assert problem.startswith("Package acme 1.0 offers")
    assert callable(load("retriever", "good"))
    assert [entry.name for entry in plugins.entries() if entry.package == "acme"] == ["good"]
    role, _, wanted = name.partition(".")
    with pytest.raises(PluginError):
        load(role, wanted)


@pytest.mark.parametrize("name", ["merlin", "searcher.merlin"])
def test_a_name_with_a_broken_entry_says_so(install: Install, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    install("acme", {name: "acme_module:factory"}, FACTORY)
    install("other", {"retriever.berlin": "other_module:factory"}, FACTORY)
    for roles in (plugins.PIPELINE_ROLES, ("analyzer",)):
        with pytest.raises(PluginError, match=rf"^Package acme 1\.0 offers '{name}', which is not 'role\.name'"):
            plugins.resolve("merlin", roles)
    with pytest.raises(PluginError, match=r"no component 'merli'\. Did you mean 'berlin'"):
        plugins.resolve("merli")
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    with pytest.raises(PluginError, match="no component 'merlin'"):
        plugins.resolve("merlin")


V2 = r"The retriever 'fast' of package acme 2\.0 is written for legalir\.v2, and this legalir speaks legalir\.v1"


def test_another_contract_is_known_and_never_imported(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "raise RuntimeError('imported')\n"
    install("acme", {"retriever.fast": "acme_module:factory"}, source, version="2.0", group="legalir.v2")
    with pytest.raises(PluginError, match=V2 + ": install a release of acme for it"):
        plugins.resolve("fast")
    with pytest.raises(PluginError, match=V2):
        load("retriever", "fast")
    (one,) = [one for one in statuses(load=True) if one.entry.name == "fast"]
    assert one.state == "other contract"
    with pytest.raises(PluginError, match=V2):
        plugins.load(one.entry)
    assert problems() == [one.problem]
    assert "fast" not in {entry.name for entry in plugins.entries()}
    assert plugins.is_installed("fast")
    assert "acme_module" not in sys.modules
    monkeypatch.setenv("LEGALIR_DISABLE_PLUGINS", "acme")
    assert problems() == []


def test_a_package_for_several_contracts_is_used_under_ours(install: Install) -> None:
    root = install("acme", {"retriever.fast": "acme_module:factory"}, FACTORY)
    points = root / "acme-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"{points.read_text()}[legalir.v2]\nretriever.fast = acme_module:newer\n")
    refresh()
    assert callable(load("retriever", "fast"))
    assert problems() == []


def test_the_name_of_another_contract_is_free_for_others(install: Install) -> None:
    install("acme", {"retriever.fast": "acme_module:factory"}, FACTORY, version="2.0", group="legalir.v2")
    install("other", {"retriever.fast": "other_module:factory"}, FACTORY)
    assert load("retriever", "fast").__module__ == "other_module"
    assert len(problems()) == 1


def test_groups_that_only_look_like_ours_are_none(install: Install) -> None:
    install("acme", {"retriever.fast": "acme_module:factory"}, FACTORY, group="legalir.vx")
    install("other", {"retriever.fast": "other_module:factory"}, FACTORY, group="notlegalir.v2")
    assert not plugins.is_installed("fast")
    assert problems() == []
