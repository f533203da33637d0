"""The public names, for type checkers and for the lazy loader: each is imported when it is first used."""

import legalir_finetune

from .answer.generator import Answer as Answer
from .answer.generator import Generator as Generator
from .collection.collection import Collection as Collection
from .collection.results import SearchResult as SearchResult
from .collection.several import search as search
from .dense.index import DenseIndex as DenseIndex
from .dense.rocchio import Rocchio as Rocchio
from .dense.sentence import SentenceEncoder as SentenceEncoder
from .errors import LegalIRError as LegalIRError
from .experiments.experiment import experiment as experiment
from .explanation import Explanation as Explanation
from .explanation import explain as explain
from .fuse.linear import LinearFusion as LinearFusion
from .fuse.rrf import RRF as RRF
from .fuse.rrf import WeightedRRF as WeightedRRF
from .graph.citation_graph import CitationGraph as CitationGraph
from .graph.family import FamilySmoothing as FamilySmoothing
from .graph.link_expansion import LinkExpansion as LinkExpansion
from .graph.nitilink import NitiLink as NitiLink
from .graph.sar import SAR as SAR
from .lexical.bm25f import BM25F as BM25F
from .lexical.sparse import BM25 as BM25
from .lexical.sparse import TFIDF as TFIDF
from .lexical.sparse import SparseIndex as SparseIndex
from .llm.client import Client as Client
from .m3.m3_encoder import M3Encoder as M3Encoder
from .m3.m3_index import M3Index as M3Index
from .measure import MicroR as MicroR
from .measure import MultiHitRate as MultiHitRate
from .measure import MultiMRR as MultiMRR
from .references.lookup import Lookup as Lookup
from .rerank.reranker import CrossEncoderReranker as CrossEncoderReranker
from .rewrite.focus import Focus as Focus
from .train import TrainedModel as TrainedModel
from .train import train_static as train_static
from .train.tune import Tuning as Tuning
from .train.tune import tune as tune

FineTuned = legalir_finetune.FineTuned
FineTuning = legalir_finetune.FineTuning
Pretraining = legalir_finetune.Pretraining
finetune = legalir_finetune.finetune
pretrain = legalir_finetune.pretrain

__version__: str
