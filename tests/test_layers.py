"""A module imports only from what stands above it in the house (see the design)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import legalir

LAYERS = (
    *(
        "errors",
        "files",
        "arrays",
        "extras",
        "progress",
        "yaml_files",
        "yaml_values",
        "neural",
        "columns",
        "component",
        "explanation",
        "plugins",
        "datasets",
        "corpus",
        "analysis",
    ),
    *("index", "encode", "retrieve", "fuse", "feedback", "expand", "rerank", "llm", "generate", "measure"),
    *("pipeline", "search_result", "indexes", "vector_indexes", "collection", "train", "experiment", "testing", "cli"),
)
ROOT = Path(legalir.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def imported(node: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """Yield line and full name of every import, wherever it stands, but under ``if TYPE_CHECKING``."""
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        module = ".".join([*base, *([node.module] if node.module else [])])
        yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
    typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for child in node.orelse if isinstance(node, ast.If) and typing_only else ast.iter_child_nodes(node):
        yield from imported(child, package)


def layer_of(name: str) -> str | None:
    """Return the layer that a full name belongs to, None where it is none of ours, or of the package itself."""
    parts = name.split(".")
    if parts[0] != "legalir" or len(parts) == 1:
        return None
    home = legalir._HOME.get(parts[1])
    return home.split(".")[1] if home is not None else parts[1]


def faults(source: str, module: str) -> list[str]:
    """Return a line for every import in `source` that looks down."""
    parts = module.split(".")
    own = parts[1]
    found = []
    for line, name in imported(ast.parse(source), parts[:-1]):
        layer = layer_of(name)
        if layer is None or layer.startswith("__"):
            continue
        if layer not in LAYERS:
            found.append(f"{module}:{line} imports {name}, which is in no layer")
        elif LAYERS.index(layer) > LAYERS.index(own):
            found.append(f"{module}:{line} imports {name}, which stands below it")
    return found


def module_name(path: Path) -> str:
    parts = ["legalir", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_imports_only_from_above(path: Path) -> None:
    module = module_name(path)
    assert module.split(".")[1] in LAYERS, f"{module} is in no layer"
    assert faults(path.read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import legalir.errors\nfrom legalir import files\nfrom legalir.index.sparse import x", 0),
        ("from legalir.collection import Collection", 1),
        ("from legalir import collection, errors", 1),
        ("from legalir import Collection", 1),
        ("import legalir.cli.main as main", 1),
        ("def f():\n    class A:\n        def g(self):\n            from legalir.cli import main", 1),
        ("try:\n    import legalir.experiment\nexcept ImportError:\n    pass", 1),
        ("if TYPE_CHECKING:\n    from legalir.collection import Collection", 0),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    from legalir.collection import Collection", 1),
        ("from ..collection import Collection", 1),
        ("from .. import collection", 1),
        ("from . import bm25\nfrom .scoring import top_k\nfrom ..index import sparse", 0),
        ("from legalir import __version__\nimport legalir\nimport numpy as np", 0),
        ("from legalir.nowhere import x", 1),
    ],
)
def test_the_check_itself(source: str, count: int) -> None:
    assert len(faults(source, "legalir.retrieve.bm25")) == count


def test_the_modules_were_found() -> None:
    assert {"legalir.errors", "legalir.index.sparse", "legalir.collection"} <= set(map(module_name, MODULES))
