"""legalir: a retrieval toolkit for statutes, provisions that cite and delegate to each other.

Corpora and judgements are ``ir_datasets``, every component is a PyTerrier transformer composed with ``>>``, measures
are ``ir_measures``, and anyone can add a component from a package of their own. Importing this package registers the
datasets (when ``ir_datasets`` is imported) and the measures; everything else loads on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import wrapt

from legalir.errors import LegalIRError

if TYPE_CHECKING:
    from legalir.collection import Collection
    from legalir.measure import MicroR, MultiHitRate, MultiMRR
    from legalir.retrieve.bm25 import BM25
    from legalir.retrieve.sparse import SparseIndex
    from legalir.retrieve.tfidf import TFIDF

__version__ = "0.1.0"

__all__ = [
    "BM25",
    "TFIDF",
    "Collection",
    "LegalIRError",
    "MicroR",
    "MultiHitRate",
    "MultiMRR",
    "SparseIndex",
    "__version__",
    "experiment",
]

_HOME = {
    "BM25": ("legalir.retrieve.bm25", "BM25"),
    "TFIDF": ("legalir.retrieve.tfidf", "TFIDF"),
    "Collection": ("legalir.collection", "Collection"),
    "MicroR": ("legalir.measure", "MicroR"),
    "MultiHitRate": ("legalir.measure", "MultiHitRate"),
    "MultiMRR": ("legalir.measure", "MultiMRR"),
    "SparseIndex": ("legalir.retrieve.sparse", "SparseIndex"),
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name == "experiment":
        # The package of that name can be called: legalir.experiment("file.yaml").
        return importlib.import_module("legalir.experiment")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOME[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _register_datasets(_: object) -> None:
    importlib.import_module("legalir.datasets.registry").register_all()


def _register_measures(_: object) -> None:
    importlib.import_module("legalir.measure")


# ir_datasets takes longer to import than all of legalir, so its registry is filled when someone imports it.
wrapt.register_post_import_hook(_register_datasets, "ir_datasets")
wrapt.register_post_import_hook(_register_measures, "ir_measures")
