"""The one list of layers: a module imports only from what stands above it, and no two modules import each other.

An import under ``if TYPE_CHECKING`` or inside a function counts as any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import legalir

LAYERS = (
    *("errors", "declared", "config", "extras", "progress", "executors", "storage", "contract", "spec", "plugins"),
    "frames",
    *("explanation", "models", "datasets", "llm", "collections"),
    *("analysis", "references", "graph", "lexical", "dense", "m3", "fuse", "rewrite", "rerank"),
    *("answer", "generate", "measure", "pipeline", "chunks", "statutes", "verify", "collection"),
    *("survey", "train", "experiments"),
    *("engine", "extend", "testing", "cli", "__main__"),
)
ROOT = Path(legalir.__file__).parent
PUBLIC = {
    alias.name: node.module.split(".")[0]
    for node in ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom) and node.module is not None
    for alias in node.names
}
"""The layer of each name that the package itself has."""
MODULES = {
    ".".join(["legalir", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py"
}


def imports(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each import of `source`, the file of `module`."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def layer_of(name: str) -> str | None:
    """Return the layer of a full name; None for names of other packages and of the package itself."""
    parts = name.split(".")
    if parts[0] != "legalir" or len(parts) == 1:
        return None
    return PUBLIC.get(parts[1], parts[1])


def faults(source: str, module: str) -> list[str]:
    """Return a line for each import in `source` of a layer below that of `module`."""
    own = module.split(".")[1]
    lines = []
    for line, name in imports(source, module):
        layer = layer_of(name)
        if layer is None or layer.startswith("__"):
            continue
        if layer not in LAYERS:
            lines.append(f"{module}:{line} imports {name}, which is in no layer")
        elif LAYERS.index(layer) > LAYERS.index(own):
            lines.append(f"{module}:{line} imports {name}, which stands below it")
    return lines


def untyped_collections(source: str, module: str) -> list[str]:
    """Return a line for each parameter `collection` of a function that says nothing of its type.

    Rooms above `collections` pass a collection on, as an `object`, of which a type checker lets nobody ask anything.
    """
    allowed = {"object"} if LAYERS.index(module.split(".")[1]) < LAYERS.index("collections") else set()
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                kind = "" if one.annotation is None else ast.unparse(one.annotation)
                if one.arg == "collection" and kind not in allowed and kind in ("", "Any", "object"):
                    lines.append(f"{module}:{one.lineno} has a collection of the type {kind or 'unknown'}")
    return lines


def imported_modules(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> dict[str, set[str]]:
    """Return the modules among `sources` that each of them imports."""
    found = {}
    for module, source in sources.items():
        names = [name for _, name in imports(source, module, module in packages)]
        owners = (name if name in sources else name.rpartition(".")[0] for name in names)
        found[module] = {owner for owner in owners if owner in sources and owner != module}
    return found


def circle(modules: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of one circle of imports in order, none where there is no circle."""
    state: dict[str, int] = {}

    def visit(module: str, path: list[str]) -> list[str]:
        state[module] = 1
        for other in sorted(modules[module]):
            if state.get(other) == 1:
                return [*path[path.index(other) :], other]
            if other not in state and (ring := visit(other, [*path, other])):
                return ring
        state[module] = 2
        return []

    return next((ring for module in modules if module not in state and (ring := visit(module, [module]))), [])


def test_a_module_imports_only_from_above() -> None:
    assert [module for module in MODULES if module.split(".")[1] not in LAYERS] == [], "in no layer"
    sources = ((path.read_text(encoding="utf-8"), module) for module, path in MODULES.items())
    assert [fault for source, module in sources for fault in faults(source, module)] == []


def test_each_collection_has_a_type() -> None:
    sources = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}
    assert [fault for module, source in sources.items() for fault in untyped_collections(source, module)] == []


@pytest.mark.parametrize(
    ("source", "module", "count"),
    [
        ("def f(collection: Any): ...", "legalir.lexical.sparse", 1),
        ("def f(*, collection: object): ...", "legalir.lexical.sparse", 1),
        ("def f(collection): ...", "legalir.lexical.sparse", 1),
        ("def f(collection: Collection | None): ...", "legalir.lexical.sparse", 0),
        ("def f(collection: object): ...", "legalir.llm.client", 0),
        ("def f(collection: Any): ...", "legalir.llm.client", 1),
    ],
)
def test_the_check_of_types(source: str, module: str, count: int) -> None:
    assert len(untyped_collections(source, module)) == count


def test_no_circle() -> None:
    packages = frozenset(module for module, path in MODULES.items() if path.name == "__init__.py")
    sources = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}
    assert circle(imported_modules(sources, packages)) == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import legalir.errors\nfrom legalir import storage\nfrom legalir.lexical.sparse import x", 0),
        ("from legalir.collection import Collection", 1),
        ("from legalir import collection, errors", 1),
        ("from legalir import Collection", 1),
        ("import legalir.cli.main as main", 1),
        ("def f():\n    class A:\n        def g(self):\n            from legalir.cli import main", 1),
        ("try:\n    import legalir.experiments\nexcept ImportError:\n    pass", 1),
        ("if TYPE_CHECKING:\n    from legalir.collection import Collection", 1),
        ("from ..collection import Collection", 1),
        ("from .. import collection", 1),
        ("from . import bm25\nfrom .scoring import top_k\nfrom ..analysis import ngrams", 0),
        ("from legalir import __version__\nimport legalir\nimport numpy as np", 0),
        ("from legalir.nowhere import x", 1),
    ],
)
def test_the_check_of_layers(source: str, count: int) -> None:
    assert len(faults(source, "legalir.lexical.sparse")) == count


@pytest.mark.parametrize(
    ("sources", "ring"),
    [
        ({"p.a": "from p.b import x", "p.b": "import os"}, []),
        ({"p.a": "from p.b import x", "p.b": "def f():\n    from p import a"}, ["p.a", "p.b", "p.a"]),
        ({"p.a": "if TYPE_CHECKING:\n    from p.b import x", "p.b": "from .a import y"}, ["p.a", "p.b", "p.a"]),
        ({"p.a": "import p.b", "p.b": "import p.c", "p.c": "import p.a"}, ["p.a", "p.b", "p.c", "p.a"]),
        ({"p": "from p.a import x", "p.a": "import p.b", "p.b": "from p import y"}, ["p", "p.a", "p.b", "p"]),
    ],
)
def test_the_check_of_circles(sources: dict[str, str], ring: list[str]) -> None:
    assert circle(imported_modules(sources, frozenset({"p"}))) == ring


def test_the_page_lists_the_same_rooms() -> None:
    page = (ROOT.parent / "docs" / "design.md").read_text(encoding="utf-8")
    rooms = [name for row in re.findall(r"^\|([^|]*)\|", page, re.M) for name in re.findall(r"`(\w+)`", row)]
    assert rooms == [layer for layer in LAYERS if layer in {name.split(".")[1] for name in MODULES}]
