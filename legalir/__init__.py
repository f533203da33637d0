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
    from legalir.encode.m3.encoder import M3Encoder
    from legalir.encode.sentence import SentenceEncoder
    from legalir.expand.focus import Focus
    from legalir.expand.links import LinkExpansion
    from legalir.expand.nitilink import NitiLink
    from legalir.explanation import Explanation, explain
    from legalir.feedback.rocchio import Rocchio
    from legalir.fuse.linear import LinearFusion
    from legalir.fuse.rrf import RRF, WeightedRRF
    from legalir.generate.answer import Answer
    from legalir.generate.generator import Generator
    from legalir.index.graph import CitationGraph
    from legalir.measure import MicroR, MultiHitRate, MultiMRR
    from legalir.rerank.cross_encoder.reranker import CrossEncoderReranker
    from legalir.rerank.family import FamilySmoothing
    from legalir.rerank.sar import SAR
    from legalir.retrieve.bm25 import BM25
    from legalir.retrieve.bm25f import BM25F
    from legalir.retrieve.dense_index import DenseIndex
    from legalir.retrieve.m3.index import M3Index
    from legalir.retrieve.sparse import SparseIndex
    from legalir.retrieve.tfidf import TFIDF
    from legalir.search_result import SearchResult
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
    "Answer": "legalir.generate.answer",
    "Generator": "legalir.generate.generator",
    "Focus": "legalir.expand.focus",
    "FamilySmoothing": "legalir.rerank.family",
    "BM25F": "legalir.retrieve.bm25f",
    "BM25": "legalir.retrieve.bm25",
    "CitationGraph": "legalir.index.graph",
    "CrossEncoderReranker": "legalir.rerank.cross_encoder.reranker",
    "FineTuned": "legalir.train.finetune",
    "FineTuning": "legalir.train.finetune",
    "M3Encoder": "legalir.encode.m3.encoder",
    "M3Index": "legalir.retrieve.m3.index",
    "SentenceEncoder": "legalir.encode.sentence",
    "finetune": "legalir.train.finetune",
    "Collection": "legalir.collection",
    "DenseIndex": "legalir.retrieve.dense_index",
    "Explanation": "legalir.explanation",
    "LinearFusion": "legalir.fuse.linear",
    "LinkExpansion": "legalir.expand.links",
    "MicroR": "legalir.measure",
    "MultiHitRate": "legalir.measure",
    "MultiMRR": "legalir.measure",
    "NitiLink": "legalir.expand.nitilink",
    "RRF": "legalir.fuse.rrf",
    "Rocchio": "legalir.feedback.rocchio",
    "SAR": "legalir.rerank.sar",
    "SearchResult": "legalir.search_result",
    "SparseIndex": "legalir.retrieve.sparse",
    "TFIDF": "legalir.retrieve.tfidf",
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
