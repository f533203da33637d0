"""``legalir.extend``: its names, and that plugins import from the public modules alone."""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import legalir
from legalir import extend
from legalir.cli.plugins import write_package
from legalir.plugins import ROLES

ROOT = Path(__file__).parents[1]
MODULES = {f"legalir.{module.name}" for module in pkgutil.iter_modules(legalir.__path__)}
PUBLIC = {"legalir", "legalir.errors", "legalir.experiments", "legalir.extend", "legalir.testing"}
PAGES = ("plugins.md", "plugin-reference.md")
GUIDE = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES)


def private_imports(source: str) -> list[str]:
    """Return the imports in `source` of a module of legalir that is not public."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.partition(".")[0] == "legalir"]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "legalir":
            names += [
                f"legalir.{alias.name}" if f"{node.module}.{alias.name}" in MODULES else str(node.module)
                for alias in node.names
            ]
    return [name for name in names if name not in PUBLIC]


@pytest.mark.parametrize(
    "path",
    [*sorted(ROOT.glob("plugins/*/src/**/*.py")), *sorted(ROOT.glob("plugins/*/tests/*.py"))],
    ids=lambda path: path.name,
)
def test_first_party_plugins_import_from_public_modules(path: Path) -> None:
    assert private_imports(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("role", ROLES)
def test_packages_that_are_written_import_from_public_modules(tmp_path: Path, role: str) -> None:
    folder = write_package("sample", role, tmp_path)
    paths = list(folder.rglob("*.py"))
    assert len(paths) == 3
    assert [fault for path in paths for fault in private_imports(path.read_text(encoding="utf-8"))] == []


def test_the_guide_imports_from_public_modules() -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.S)
    assert len(blocks) > 8
    assert [fault for block in blocks for fault in private_imports(block)] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from legalir import Collection, testing\nfrom legalir.extend import words\nimport legalir.errors", []),
        ("from legalir.frames.component import Component", ["legalir.frames.component"]),
        ("def f():\n    import legalir.spec as spec", ["legalir.spec"]),
        ("from legalir import plugins", ["legalir.plugins"]),
        ("import legalir_trigram\nimport numpy", []),
    ],
)
def test_the_check_of_imports(source: str, expected: list[str]) -> None:
    assert private_imports(source) == expected


def test_each_name_is_in_the_guide() -> None:
    _, _, table = GUIDE.partition("**`legalir.extend`**")
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n## ")[0], flags=re.M)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(extend.__all__)
    assert all(getattr(extend, name) is not None for name in extend.__all__)


def test_importing_it_loads_nothing() -> None:
    code = "import legalir.extend, sys; print([m for m in ('pandas', 'pyterrier', 'torch') if m in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
