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
    from legalir.collection.collection import Collection
    from legalir.collection.results import SearchResult
    from legalir.dense.index import DenseIndex
    from legalir.dense.rocchio import Rocchio
    from legalir.encode.sentence.encoder import SentenceEncoder
    from legalir.explanation import Explanation, explain
    from legalir.fuse.linear import LinearFusion
    from legalir.fuse.rrf import RRF, WeightedRRF
    from legalir.generate.generator import Answer, Generator
    from legalir.graph.citation_graph import CitationGraph
    from legalir.graph.family import FamilySmoothing
    from legalir.graph.link_expansion import LinkExpansion
    from legalir.graph.nitilink import NitiLink
    from legalir.graph.sar import SAR
    from legalir.lexical.bm25f import BM25F
    from legalir.lexical.sparse import BM25, TFIDF, SparseIndex
    from legalir.m3.encoder import M3Encoder
    from legalir.m3.index import M3Index
    from legalir.measure import MicroR, MultiHitRate, MultiMRR
    from legalir.rerank.cross_encoder.reranker import CrossEncoderReranker
    from legalir.rewrite.focus import Focus
    from legalir.train import TrainedModel, train_static
    from legalir.train.finetune import FineTuned, FineTuning, finetune

__version__ = "0.1.0"

__all__ = [
    "BM25",
    "BM25F",
    "RRF",
    "SAR",
    "TFIDF",
    "Answer",
    "CitationGraph",
    "Collection",
    "CrossEncoderReranker",
    "DenseIndex",
    "Explanation",
    "FamilySmoothing",
    "FineTuned",
    "FineTuning",
    "Focus",
    "Generator",
    "LegalIRError",
    "LinearFusion",
    "LinkExpansion",
    "M3Encoder",
    "M3Index",
    "MicroR",
    "MultiHitRate",
    "MultiMRR",
    "NitiLink",
    "Rocchio",
    "SearchResult",
    "SentenceEncoder",
    "SparseIndex",
    "TrainedModel",
    "WeightedRRF",
    "__version__",
    "experiment",
    "explain",
    "finetune",
    "train_static",
]

_HOME = {
    "Answer": "legalir.generate.generator",
    "Generator": "legalir.generate.generator",
    "Focus": "legalir.rewrite.focus",
    "FamilySmoothing": "legalir.graph.family",
    "BM25F": "legalir.lexical.bm25f",
    "BM25": "legalir.lexical.sparse",
    "CitationGraph": "legalir.graph.citation_graph",
    "CrossEncoderReranker": "legalir.rerank.cross_encoder.reranker",
    "FineTuned": "legalir.train.finetune",
    "FineTuning": "legalir.train.finetune",
    "M3Encoder": "legalir.m3.encoder",
    "M3Index": "legalir.m3.index",
    "SentenceEncoder": "legalir.encode.sentence.encoder",
    "finetune": "legalir.train.finetune",
    "Collection": "legalir.collection.collection",
    "DenseIndex": "legalir.dense.index",
    "Explanation": "legalir.explanation",
    "LinearFusion": "legalir.fuse.linear",
    "LinkExpansion": "legalir.graph.link_expansion",
    "MicroR": "legalir.measure",
    "MultiHitRate": "legalir.measure",
    "MultiMRR": "legalir.measure",
    "NitiLink": "legalir.graph.nitilink",
    "RRF": "legalir.fuse.rrf",
    "Rocchio": "legalir.dense.rocchio",
    "SAR": "legalir.graph.sar",
    "SearchResult": "legalir.collection.results",
    "SparseIndex": "legalir.lexical.sparse",
    "TFIDF": "legalir.lexical.sparse",
    "TrainedModel": "legalir.train",
    "WeightedRRF": "legalir.fuse.rrf",
    "explain": "legalir.explanation",
    "train_static": "legalir.train",
}


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name == "experiment":
        # The package of that name can be called: legalir.experiment("file.yaml").
        return importlib.import_module("legalir.experiment")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
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
