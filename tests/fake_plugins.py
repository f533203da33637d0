"""Packages made on the spot: a module and its metadata in a folder that is put on the path."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from legalir import plugins
from legalir.contract import GROUP

Install = Callable[..., Path]


def load(role: str, name: str) -> plugins.Factory:
    """Import the factory called `name` in `role`."""
    return plugins.load(plugins.resolve(name, (role,))).factory


@pytest.fixture(name="install")
def install_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return ``install(package, entries, source, version="1.0", group=GROUP)``, which makes an importable distribution.

    `entries` maps entry-point names of `group` to values; `source` is the text of the module ``<package>_module``.
    Real plugins of the environment stay visible, so tests use names of their own.
    """
    before = set(sys.modules)
    plugins.installed.cache_clear()

    def make(package: str, entries: dict[str, str], source: str = "", version: str = "1.0", group: str = GROUP) -> Path:
        root = tmp_path / package
        info = root / f"{package}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
        (root / f"{package}_module.py").write_text(source)
        monkeypatch.syspath_prepend(str(root))
        plugins.installed.cache_clear()
        return root

    yield make
    plugins.installed.cache_clear()
    for name in set(sys.modules) - before:
        if name.endswith("_module"):
            del sys.modules[name]
