"""Reranking by a cross-encoder [monobert], its explanations, and ``rerank`` in expressions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.collections import Collection
from legalir.contract import parameters_of
from legalir.declared import check_number
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.component import Component
from legalir.frames.normalize import sigmoid
from legalir.frames.ranking import rank_results
from legalir.models.folders import model_digest
from legalir.models.loading import Placement, placement
from legalir.models.presets import Preset, find_preset, read_length
from legalir.models.query_cache import ignores_cached_queries
from legalir.progress import progress
from legalir.rerank.cross_encoder import CrossEncoder, PairLimits, best_passages, cross_encoder, find_cross_encoder
from legalir.rerank.hosted import HostedReranker
from legalir.rerank.pairs import Pair, earlier_ranks, list_pairs, replaced_parts
from legalir.rerank.score_cache import Best, ScoreCache, pair_keys
from legalir.storage.digest import digest
from legalir.storage.documents import title_and_text

Activation = Literal["sigmoid", "none"]

_VERSION = 1
"""Raise it with each change that gives a pair another score, so that older caches are not used."""
_SHOWN = 40
"""Number of characters of a window that a label shows."""
_BATCH_TOKENS = {"cpu": 2_048, "mps": 16_384, "cuda": 65_536}


class CrossEncoderReranker(Component):
    """Scores each provision of a list with a model that reads it together with the question [monobert].

    The model reads title, newline, text. A provision that is too long is read in overlapping windows of tokens, each
    beginning with the title if that is short, and gets the score of its best window (MaxP, [max-p]). With `cache`,
    scores are stored on disk by model, settings, question and text, and each is computed once.

    Columns in: ``qid, query, docno``, and ``title, text`` if `texts` is not given. Columns out: the same, ``score`` and
    ``rank``; an earlier score is replaced.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such model, it is not a cross-encoder with one score a pair, or it needs its own code.
        MissingExtra: a package is not installed.
    """

    name = "rerank"
    model: Annotated[str | PathLike[str], "a folder, or the name of a model on the hub"]
    texts: Annotated[
        Collection | Mapping[str, str] | None,
        "a collection, or the text of each docno, for frames without a column ``text``",
    ] = None
    passage: Annotated[
        int | None,
        Ge(8),
        "maximum number of tokens of a window; None for the room that the question leaves",
    ] = None
    stride: Annotated[
        int | None,
        Ge(1),
        "number of tokens from the start of a window to the start of the next, at most "
        "`passage`; None for half of a window",
    ] = None
    max_length: Annotated[
        int | None,
        Ge(16),
        "number of tokens of question and window together; None for the preset's, within the "
        "model's limit, and without a preset for that limit. A question is cut at three quarters of it",
    ] = None
    activation: Annotated[
        Activation,
        "``sigmoid`` for scores in [0, 1], as SAR needs them; ``none`` for the model's logits",
    ] = "sigmoid"
    batch_tokens: Annotated[
        int | None,
        Ge(1),
        "tokens of a batch, padding included; None for the default of the device",
    ] = None
    device: Annotated[
        str | None,
        "such as ``cpu`` or ``cuda:1``; None for an accelerator if the machine has one",
    ] = None
    dtype: Annotated[
        str | None,
        "``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda``, else ``float32``",
    ] = None
    trust_remote_code: Annotated[bool, "whether Python code that comes with the model may be run"] = False
    cache: Annotated[str | PathLike[str] | None, "folder of cached scores; None for no cache"] = None
    preset: Annotated[
        str | None,
        "name of the model whose preset applies (``presets.yaml``), for a folder; None for the preset of "
        "`model`, if there is one",
    ] = None

    def __post_init__(self) -> None:
        if self.stride is not None and self.passage is not None:
            check_number("rerank", "stride", self.stride, low=1, high=self.passage, integer=True)
        self._folder = find_cross_encoder(self.model, self._preset, trust_remote_code=self.trust_remote_code)
        self._digest = model_digest(self._folder)

    @property
    def _preset(self) -> Preset | None:
        return find_preset(self.model, self.preset, pairs=True)

    @property
    def label(self) -> str:
        """The component as in an expression, with the last part of the model's name."""
        return f"rerank({Path(fspath(self.model)).name})"

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever a pair could have another logit, apart from the default type."""
        limit = None if self._preset is None else self._preset.max_length
        settings = [_VERSION, self._digest, limit, self.max_length, self.passage, self.stride, self.dtype]
        return digest(settings)

    def scorer(self) -> Self:
        """Return a transformer that scores given documents like this one: itself."""
        return self

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        out = inp.iloc[:0].copy()
        return out.assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with new scores and ranks.

        Raises:
            ComponentError: a question is not a string, a document occurs twice in a list or has no text, or the device
                has too little memory for a batch.
            ModelError: the model cannot be loaded, or its logits are not finite.
        """
        self._validate(inp)
        out = inp.reset_index(drop=True)
        out["score"] = self.scores(self.best(self.pairs(out)))
        return rank_results(out)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return for each docno of the list the window that was read, and the earlier score, which is replaced."""
        rows = inp[inp["docno"].isin(list(docnos))].reset_index(drop=True)
        if rows.empty:
            return {}
        before = earlier_ranks(inp)
        pairs = self.pairs(rows)
        best = self.best(pairs)
        scores = self.scores(best).tolist()
        place = {docno: number for number, docno in enumerate(rows["docno"].tolist())}
        listed = [docno for docno in docnos if docno in place]
        origins = upstream(listed)
        explanations = {}
        for docno in listed:
            number = place[docno]
            part = self._window_part(pairs[number], best[number], scores[number])
            parts = (part, *replaced_parts(docno, before, origins))
            explanations[docno] = Explanation(docno, scores[number], self.label, parts)
        return explanations

    def _window_part(self, pair: Pair, best: Best, score: float) -> Part:
        detail: dict[str, object] = {"logit": best.logit, "window": best.window + 1, "windows": best.windows}
        logit = f" (logit {best.logit:.4g})" if self.activation == "sigmoid" else ""
        if best.windows == 1:
            return Part(f"question and provision read together{logit}", score, None, detail)
        text = title_and_text(*pair[1:])
        ends = self.loaded.ends(text)[best.first : best.last]
        first, last = int(ends[0, 0]), int(ends[-1, 1])
        detail |= {"from": first, "to": last}
        shown = " ".join(text[first:last].split())
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        return Part(f"best window, {best.window + 1} of {best.windows}{logit}: “{shown}”", score, None, detail)

    def pairs(self, inp: pd.DataFrame) -> list[Pair]:
        """Return query, title and text of each row, as the model reads them."""
        return list_pairs(inp, self.texts, "rerank")

    def best(self, pairs: Sequence[Pair]) -> list[Best]:
        """Return the best window of each pair; only pairs that are not in the cache are computed."""
        distinct = list(dict.fromkeys(pairs))
        keys = pair_keys(f"{self.fingerprint} {self._placed.dtype}", distinct)
        file = self._cache_file
        scores = None if file is None else ScoreCache(file)
        with nullcontext() if scores is None else closing(scores):
            cached = {} if scores is None or ignores_cached_queries() else scores.get(keys)
            missing = [number for number, key in enumerate(keys) if key not in cached]
            if missing:
                asked = [distinct[number] for number in missing]
                with progress(f"Reranking by {self._name}", len(missing)) as advance:
                    for finished in best_passages(self.loaded, asked, self.reading):
                        scored = [(keys[missing[number]], best) for number, best in finished]
                        if scores is not None:
                            scores.put(scored)
                        cached.update(scored)
                        advance(len(scored))
        by_pair = dict(zip(distinct, (cached[key] for key in keys), strict=True))
        return [by_pair[pair] for pair in pairs]

    def scores(self, best: Sequence[Best]) -> npt.NDArray[np.float64]:
        """Return the score of each window."""
        logits = np.array([one.logit for one in best], dtype=np.float64)
        return sigmoid(logits, logits, logits) if self.activation == "sigmoid" else logits

    @cached_property
    def loaded(self) -> CrossEncoder:
        """The model in memory."""
        return cross_encoder(self._folder, self._digest, self._placed, trust_remote_code=self.trust_remote_code)

    @property
    def reading(self) -> PairLimits:
        """Limits for reading pairs; loads the model.

        Raises:
            ComponentError: `max_length` is more than the model has positions for.
        """
        positions = self.loaded.positions
        if positions is not None and (self.max_length or 0) > positions:
            raise ComponentError(
                f"rerank: max_length={self.max_length} is more than the {positions} tokens that {self._name} can read."
            )
        length = read_length(self.max_length, self._preset, self.loaded.limit) or self.loaded.limit
        kind = self._placed.device.partition(":")[0]
        cells = self.batch_tokens or _BATCH_TOKENS.get(kind, _BATCH_TOKENS["cpu"])
        return PairLimits(length, self.passage, self.stride, cells)

    @cached_property
    def _placed(self) -> Placement:
        return placement(self.device, self.dtype)

    @property
    def _name(self) -> str:
        return Path(fspath(self.model)).name

    @property
    def _cache_file(self) -> Path | None:
        if self.cache is None:
            return None
        name = re.sub(r"[^\w.-]+", "-", self._name)[:40]
        return Path(self.cache).expanduser().absolute() / f"rerank-{name}-{self.fingerprint[:8]}.sqlite"

    def _validate(self, inp: pd.DataFrame) -> None:
        columns = ["qid", "query", "docno", *(["text"] if self.texts is None else [])]
        pt.validate.columns(inp, includes=columns)


_LOCAL, _HOSTED = (set(inspect.signature(one).parameters) for one in (CrossEncoderReranker, HostedReranker))


@parameters_of(CrossEncoderReranker, HostedReranker, without=["texts", "client"])
def rerank(
    collection: Collection, *, model: str, base_url: str | None = None, cache: bool = True, **params: Any
) -> CrossEncoderReranker | HostedReranker:
    """Rerank by a cross-encoder: ``bm25 % 100 >> rerank("BAAI/bge-reranker-v2-m3")``, or by a hosted one.

    Args:
        model: a folder, or the name of a model on the hub; with `base_url`, its name there.
        base_url: address of a hosted reranker, before ``/rerank``; None for a model on this machine. The parameters
            from `cache` to `preset` are for a model on this machine, those from `key` on for a hosted one.
        cache: whether scores are stored in the collection's cache.
    """
    if not isinstance(cache, bool):
        raise ComponentError(f"rerank: cache={cache!r} is neither True nor False.")
    foreign = _LOCAL - _HOSTED if base_url is not None else _HOSTED - _LOCAL
    if wrong := [name for name in params if name in foreign]:
        which, other = ("with", "on this machine") if base_url is not None else ("without", "that is hosted")
        raise ComponentError(f"rerank: {wrong[0]} is for a model {other}, and does nothing {which} base_url.")
    if base_url is not None:
        return HostedReranker(model, base_url, collection, client=collection.client, **params)
    return CrossEncoderReranker(model, texts=collection, cache=collection.cache if cache else None, **params)
