"""The names for authors of plugins: bases of components, helpers for frames, checks, protocols, an index on disk.

A plugin imports from :mod:`legalir`, this module, :mod:`legalir.errors`, :mod:`legalir.testing` and
:mod:`legalir.experiments`, and from no other module of legalir. Each name is imported when it is first used.
"""

import ast
from importlib import import_module
from pathlib import Path

# The names are in extend.pyi, each with the module that it comes from. lazy_loader would set them in legalir, too,
# where Collection is the class.
_MODULES = {
    alias.name: f"legalir.{node.module}"
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"legalir.extend has no name {name!r}.")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
