"""Entry points read from real metadata, in packages made on the spot."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir import plugins
from legalir.errors import PluginError, PluginNotFound
from legalir.plugins.entry_points import refresh, skip_unreadable_packages
from legalir.plugins.status import problems, statuses

HOME = skip_unreadable_packages.__module__
FACTORY = "def factory(collection, *pipelines, **params):\n    return ('made', collection, params)\n"


def entry_of(name: str) -> plugins.PluginEntry:
    (found,) = [entry for entry in plugins.entries() if entry.name == name]
    return found


def test_an_installed_entry_is_listed(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="2.1")
    entry = entry_of("quick")
    assert entry == ("retriever", "quick", "acme", "2.1", "acme_module:factory", "legalir.v1")
    assert str(entry) == "retriever 'quick' of package acme 2.1"


def test_listing_imports_nothing(install: Install) -> None:
    install("acme", {"retriever.quick": "acme_module:factory"}, "raise RuntimeError('imported')\n")
    assert "quick" in {entry.name for entry in plugins.entries()}
    assert problems() == []
    assert [one.state for one in statuses("retriever") if one.entry.name == "quick"] == ["installed"]
    assert plugins.resolve("quick").package == "acme"
    assert "acme_module" not in sys.modules


def test_the_first_of_a_package_on_the_path_wins(install: Install, tmp_path: Path) -> None:
    old = install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="1")
    old.rename(tmp_path / "old")
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY, version="2")
    sys.path.append(str(tmp_path / "old"))  # The fixture's monkeypatch restores the path.
    refresh()
    assert entry_of("quick").version == "2"


def test_an_unreadable_file_of_another_package_spoils_nothing(install: Install) -> None:
    root = install("rotten", {})
    (root / "rotten-1.0.dist-info" / "entry_points.txt").write_bytes(b"[legalir.v1]\nretriever.x\xff = a:b\n")
    install("acme", {"retriever.quick": "acme_module:factory"}, FACTORY)
    assert callable(load("retriever", "quick"))
    assert plugins.resolve("bm25").package == "legalir"
    (problem,) = problems()
    assert problem.startswith("The entry points of package rotten 1.0 cannot be read (UnicodeDecodeError: ")


def test_a_program_skips_an_unreadable_file_for_all(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    root = install("rotten", {})
    (root / "rotten-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff")
    monkeypatch.setattr(sys, "meta_path", [finder for finder in sys.meta_path if type(finder).__module__ != HOME])
    with pytest.raises(UnicodeDecodeError):
        metadata.entry_points(group="pyterrier.modules")
    skip_unreadable_packages()
    skip_unreadable_packages()
    assert sum(type(finder).__module__ == HOME for finder in sys.meta_path) == 1
    assert "legalir" in {point.name for point in metadata.entry_points(group="pyterrier.modules")}
    assert "legalir.v1" in metadata.entry_points().groups
    assert metadata.version("rotten") == "1.0", "its other metadata stays readable"
    assert [problem[:46] for problem in problems()] == ["The entry points of package rotten 1.0 cannot "]


def test_a_package_without_a_name_is_known_by_its_module(install: Install) -> None:
    root = install("acme", {"retriever.quick": "acme_module:missing"}, FACTORY)
    (root / "acme-1.0.dist-info" / "METADATA").unlink()
    refresh()
    assert entry_of("quick").package == "acme_module"
    with pytest.raises(PluginError, match="of package acme_module of unknown version"):
        load("retriever", "quick")


def test_a_package_without_a_version_says_so(install: Install) -> None:
    root = install("acme", {"retriever.quick": "acme_module:missing"}, FACTORY)
    (root / "acme-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\n")
    refresh()
    with pytest.raises(PluginError, match="of package acme of unknown version"):
        load("retriever", "quick")


class Finder(metadata.DistributionFinder):
    """Counts how often all distributions are asked for; finds none, or those that it is given."""

    asked = 0

    def find_spec(self, *_: object) -> None: ...

    def find_distributions(self, context: metadata.DistributionFinder.Context) -> list[metadata.Distribution]:  # type: ignore[override]
        self.asked += 1
        return []


def test_metadata_is_read_once_until_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Finder()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    refresh()
    plugins.entries()
    plugins.entries("retriever")
    assert finder.asked == 1
    refresh()
    plugins.entries()
    assert finder.asked == 2


def test_a_source_folder_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [Finder()])
    refresh()
    try:
        with pytest.raises(PluginNotFound, match="legalir's own entry points are missing: install the package"):
            load("retriever", "bm25")
    finally:
        refresh()
