"""Cross-encoder [monobert]: logits of pairs of a question and a provision, and the best window of a long provision.

The tokenizer's template for two texts is read once; then each text is tokenised only once. A provision that is too
long is read in windows and gets the logit of its best one [max-p].
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError, ModelError
from legalir.extras import require
from legalir.models.folders import find_model, read_json
from legalir.models.loading import Placement, load_backbone, load_tokenizer, shared
from legalir.models.presets import Preset, by_length, log_cut
from legalir.rerank.pairs import Pair
from legalir.rerank.score_cache import Best
from legalir.storage.documents import title_and_text

_KIND = "AutoModelForSequenceClassification"


def find_cross_encoder(
    model: str | PathLike[str], preset: Preset | None = None, *, trust_remote_code: bool = False
) -> Path:
    """Return the folder of a cross-encoder without loading it.

    Args:
        model: a folder, or the name of a model on the hub.
        preset: the facts about the model, if there are any.
        trust_remote_code: whether Python code that comes with the model may be run.

    Raises:
        ModelError: there is no such model, it gives more than one score per pair, or it needs its own Python code.
        MissingExtra: the model is on the hub, and huggingface_hub is not installed.
    """
    if preset is not None and preset.remote_code and not trust_remote_code:
        raise _needs_code(model)
    folder = find_model(model, trust_remote_code=trust_remote_code)
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise ModelError(f"{folder / 'config.json'} is not a JSON object: get the whole model again.")
    if _KIND in (config.get("auto_map") or {}) and not trust_remote_code:
        # transformers would load its own model of this name, which may be another.
        raise _needs_code(model)
    check_labels(model, _labels(config))
    return folder


def check_labels(model: str | PathLike[str], labels: int | None) -> None:
    """Check that a model gives one score a pair; None means unknown.

    Raises:
        ModelError: it gives another number of scores.
    """
    if labels is not None and labels != 1:
        raise ModelError(
            f"rerank: {fspath(model)} gives {labels} numbers a pair, and it is unknown which of them is the relevance: "
            f"take a model with one label (num_labels 1), such as BAAI/bge-reranker-v2-m3."
        )


def _labels(config: Mapping[str, Any]) -> int | None:
    labels = config.get("id2label")
    number = len(labels) if isinstance(labels, Mapping) else config.get("num_labels")
    return number if isinstance(number, int) else None


def _needs_code(model: str | PathLike[str]) -> ModelError:
    name = fspath(model)
    return ModelError(
        f"rerank: {name} needs the Python code that comes with it: read that code, and if you trust it, write "
        f"rerank({name!r}, trust_remote_code=True)."
    )


Tokens = npt.NDArray[np.int32]

_PROBE = ("a", "b b")
_CHECK = ("b a b", "a")


@dataclass(frozen=True)
class PairTemplate:
    """Special tokens around the tokens of two texts, as in ``<s> query </s></s> passage </s>``.

    Attributes:
        around: token ids before the first text, between the two, and after the second.
        types: token types of the five parts of a pair, in order.
        pad: token id of padding.
        typed: whether the model reads token types.
    """

    around: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    types: tuple[int, int, int, int, int]
    pad: int
    typed: bool

    @property
    def special(self) -> int:
        """Number of special tokens of a pair."""
        return sum(map(len, self.around))

    def padded(self, pairs: Sequence[tuple[Tokens, Tokens]]) -> dict[str, npt.NDArray[np.int64]]:
        """Return the input of a model for `pairs` of token ids: arrays [pairs, tokens of the longest]."""
        length = max(len(first) + len(second) for first, second in pairs) + self.special
        shape = (len(pairs), length)
        arrays = {"input_ids": np.full(shape, self.pad), "attention_mask": np.zeros(shape, dtype=np.int64)}
        if self.typed:
            arrays["token_type_ids"] = np.zeros(shape, dtype=np.int64)
        before, between, after = self.around
        for row, (first, second) in enumerate(pairs):
            parts = (before, first, between, second, after)
            lengths = [len(part) for part in parts]
            size = sum(lengths)
            arrays["input_ids"][row, :size] = np.concatenate(parts)
            arrays["attention_mask"][row, :size] = 1
            if self.typed:
                arrays["token_type_ids"][row, :size] = np.repeat(self.types, lengths)
        return arrays


def template_of(tokenizer: Any) -> PairTemplate:
    """Return the template by which `tokenizer` puts two texts together.

    Raises:
        ModelError: it does not put the first text before the second, each between special tokens, or it has no token
            for padding.
    """
    first, second = (_alone(tokenizer, text) for text in _PROBE)
    whole, types = _together(tokenizer, *_PROBE)
    start = _position(whole, first, 0)
    middle = -1 if start < 0 else _position(whole, second, start + len(first))
    if tokenizer.pad_token_id is None or not first or not second or middle < 0:
        raise _misfit(tokenizer)
    bounds = (0, start, start + len(first), middle, middle + len(second), len(whole))
    parts = [whole[begin:end] for begin, end in pairwise(bounds)]
    of_part = [types[begin] if end > begin else 0 for begin, end in pairwise(bounds)]
    template = PairTemplate(
        (tuple(parts[0]), tuple(parts[2]), tuple(parts[4])),
        (of_part[0], of_part[1], of_part[2], of_part[3], of_part[4]),
        int(tokenizer.pad_token_id),
        "token_type_ids" in tokenizer.model_input_names,
    )
    _check(tokenizer, template)
    return template


def _check(tokenizer: Any, template: PairTemplate) -> None:
    ours = [np.array(_alone(tokenizer, text), dtype=np.int32) for text in _CHECK]
    whole, types = _together(tokenizer, *_CHECK)
    made = template.padded([(ours[0], ours[1])])
    if made["input_ids"][0].tolist() != whole or (template.typed and made["token_type_ids"][0].tolist() != types):
        raise _misfit(tokenizer)


def _alone(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def _together(tokenizer: Any, first: str, second: str) -> tuple[list[int], list[int]]:
    output = tokenizer(first, second, return_token_type_ids=True)
    return output["input_ids"], output["token_type_ids"]


def _position(whole: list[int], part: list[int], start: int) -> int:
    """Return the position of `part` in `whole` at `start` or after it, or −1."""
    places = range(start, len(whole) - len(part) + 1)
    return next((place for place in places if whole[place : place + len(part)] == part), -1)


def _misfit(tokenizer: Any) -> ModelError:
    return ModelError(
        f"The tokenizer of {tokenizer.name_or_path} does not put two texts together as that of a cross-encoder "
        f"does, with special tokens around them and one for padding: take a model that was trained for reranking."
    )


_TOKENIZED_TEXTS = 1_000


class CrossEncoder:
    """A cross-encoder in memory. Threads may share it.

    Args:
        folder: folder of the model.
        placed: device and type.
        trust_remote_code: whether Python code in the folder may be run.

    Raises:
        ModelError: the model cannot be loaded, gives more than one score a pair, or takes no pairs.
        MissingExtra: torch or transformers is not installed.
    """

    def __init__(self, folder: Path, placed: Placement, *, trust_remote_code: bool = False) -> None:
        self.placed = placed
        self.folder = folder
        self._tokenizer = load_tokenizer(folder, trust_remote_code=trust_remote_code)
        self._backbone = load_backbone(
            folder, "AutoModelForSequenceClassification", placed, trust_remote_code=trust_remote_code
        )
        check_labels(folder, self._backbone.config.num_labels)
        self.template = template_of(self._tokenizer)
        # Only one thread at a time may use a tokenizer.
        self._lock = threading.Lock()

    @property
    def positions(self) -> int | None:
        """Number of tokens of the longest pair that the model has positions for; None if there is no limit."""
        nn = require("torch.nn", extra="dense")
        for name, module in self._backbone.named_modules():
            if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
                # RoBERTa counts positions from the one after padding.
                return int(module.num_embeddings - (-1 if module.padding_idx is None else module.padding_idx) - 1)
        return None

    @property
    def limit(self) -> int:
        """Number of tokens of the longest pair by tokenizer, configuration and positions."""
        limits = (
            self._tokenizer.model_max_length,
            getattr(self._backbone.config, "max_position_embeddings", None),
            self.positions,
        )
        return min((limit for limit in limits if isinstance(limit, int) and 0 < limit < 1e9), default=512)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the token ids of each text, whole and without special tokens."""
        tokens: list[Tokens] = []
        for start in range(0, len(texts), _TOKENIZED_TEXTS):
            block = self._tokenize(list(texts[start : start + _TOKENIZED_TEXTS]))["input_ids"]
            tokens += [np.array(ids, dtype=np.int32) for ids in block]
        return tokens

    def ends(self, text: str) -> npt.NDArray[np.int64]:
        """Return the first character of each token of a text, and the character after its last; int64 [tokens, 2]."""
        offsets = self._tokenize([text], return_offsets_mapping=True)["offset_mapping"][0]
        return np.array(offsets, dtype=np.int64).reshape(-1, 2)

    def _tokenize(self, texts: list[str], **more: Any) -> Any:
        with self._lock:
            return self._tokenizer(
                texts,
                add_special_tokens=False,
                truncation=False,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
                **more,
            )

    def logits(self, pairs: Sequence[tuple[Tokens, Tokens]]) -> npt.NDArray[np.float32]:
        """Return the logit of each pair of token ids, computed as one batch; float32 [pairs].

        Raises:
            ComponentError: the device has too little memory for the batch.
            ModelError: a logit is not finite.
        """
        torch = require("torch", extra="dense")
        arrays = self.template.padded(pairs)
        try:
            with torch.inference_mode():
                inputs = {name: torch.from_numpy(array).to(self.placed.device) for name, array in arrays.items()}
                output = self._backbone(**inputs).logits
        except torch.OutOfMemoryError as error:
            size = arrays["input_ids"].size
            raise ComponentError(
                f"rerank: the memory of {self.placed.device} does not hold a batch of {size} tokens: "
                f"give a smaller one, such as batch_tokens={max(1, size // 4)}, or shorter windows by passage."
            ) from error
        logits: npt.NDArray[np.float32] = output.float().reshape(-1).cpu().numpy()
        if not np.isfinite(logits).all():
            raise ModelError(
                f"{self.folder} gives logits that are not finite in {self.placed.dtype}: give dtype='float32'."
            )
        return logits


def cross_encoder(folder: Path, digest: str, placed: Placement, *, trust_remote_code: bool = False) -> CrossEncoder:
    """Return the model in `folder`, in memory once for all its users; errors as :class:`CrossEncoder`.

    Args:
        folder: folder of the model.
        digest: digest of its files.
        placed: device and type.
        trust_remote_code: whether Python code in the folder may be run.
    """
    key = ("cross-encoder", digest, placed, trust_remote_code)
    return shared(key, lambda: CrossEncoder(folder, placed, trust_remote_code=trust_remote_code))


_SHORT = 4
"""A title is short if it takes at most 1/n of the tokens of a window, where n is this number."""


class Windows(NamedTuple):
    """Windows of a provision, one row each.

    Attributes:
        head: number of tokens of the title, which each window repeats at its beginning; 0 if none is repeated.
        spans: first token of each window after the title, and the one after its last, int64 [w, 2]; ascending.
    """

    head: int
    spans: npt.NDArray[np.int64]


def windows(length: int, title: int, room: int, stride: int | None = None) -> Windows:
    """Return the windows of a provision; if the provision fits, one window without a repeated title.

    All windows of a longer provision have `room` tokens; the last one ends with the provision.

    Args:
        length: number of tokens of the provision.
        title: number of tokens of the title, at its beginning.
        room: number of tokens of a window, at least 1.
        stride: number of tokens from the start of a window to the start of the next, at least 1; it is lowered where
            it would leave a gap. None for half of a window without its title [max-p].
    """
    if length <= room:
        return Windows(0, np.array([[0, length]]))
    head = title if title <= room // _SHORT else 0
    held = room - head
    step = min(max(held // 2, 1) if stride is None else stride, held)
    first = np.append(np.arange(head, length - held, step), length - held)
    return Windows(head, np.stack((first, first + held), axis=1))


_BATCH_WINDOWS = 512
"""Maximum number of windows in a batch."""


class PairLimits(NamedTuple):
    """Limits for reading pairs.

    Attributes:
        length: maximum number of tokens of a pair, special tokens included.
        passage: maximum number of tokens of a window; None for the room that the query leaves.
        stride: as for :func:`windows`.
        batch_tokens: cells of a padded batch.
    """

    length: int
    passage: int | None
    stride: int | None
    batch_tokens: int


class _Windows(NamedTuple):
    """All windows of all pairs, one row each, in order of the pairs and of the text."""

    pair: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    head: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]


def best_passages(model: CrossEncoder, pairs: Sequence[Pair], reading: PairLimits) -> Iterator[list[tuple[int, Best]]]:
    """Yield after each batch the numbers and best windows of the pairs that are complete.

    Of windows with equal logits, the first is the best. A query is cut after ¾ of the length.

    Raises:
        ComponentError: the device has too little memory for a batch.
        ModelError: a logit is not finite.
    """
    query_tokens = _of_each(model, [query for query, _, _ in pairs])
    most = max(1, reading.length * 3 // 4)
    cut = sum(len(tokens) > most for tokens in query_tokens.values())
    log_cut(str(model.folder), "query", cut, len(query_tokens), most)
    provision_tokens = _of_each(model, [title_and_text(title, text) for _, title, text in pairs])
    queries = [query_tokens[query][:most] for query, _, _ in pairs]
    provisions = [provision_tokens[title_and_text(title, text)] for _, title, text in pairs]
    rows = _split(model, pairs, queries, provisions, reading)
    lengths = np.array([len(tokens) for tokens in queries], dtype=np.int64)[rows.pair]
    lengths += model.template.special + rows.head + rows.last - rows.first
    left = np.bincount(rows.pair, minlength=len(pairs))
    windows_of = left.copy()
    best: dict[int, Best] = {}
    for batch in by_length(lengths, reading.batch_tokens, _BATCH_WINDOWS):
        logits = model.logits([_window(rows, row, queries, provisions) for row in batch.tolist()])
        finished = []
        for row, logit in zip(batch.tolist(), logits.tolist(), strict=True):
            pair, number = int(rows.pair[row]), int(rows.number[row])
            earlier = best.get(pair)
            # Windows of a pair are equally long, so batches keep their order.
            if earlier is None or logit > earlier.logit:
                span = int(rows.first[row]), int(rows.last[row])
                best[pair] = Best(logit, number, int(windows_of[pair]), *span)
            left[pair] -= 1
            if not left[pair]:
                finished.append((pair, best.pop(pair)))
        yield finished


def _of_each(model: CrossEncoder, texts: Sequence[str]) -> dict[str, Tokens]:
    """Return the tokens of each distinct text."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, model.tokens(distinct), strict=True))


def _split(
    model: CrossEncoder,
    pairs: Sequence[Pair],
    queries: Sequence[Tokens],
    provisions: Sequence[Tokens],
    reading: PairLimits,
) -> _Windows:
    titles: dict[tuple[str, str], int] = {}
    rows: list[npt.NDArray[np.int64]] = []
    for number, ((_, title, text), query, provision) in enumerate(zip(pairs, queries, provisions, strict=True)):
        room = max(1, reading.length - model.template.special - len(query))
        room = room if reading.passage is None else min(room, reading.passage)
        of_title = 0
        if len(provision) > room and title:
            if (title, text) not in titles:
                titles[title, text] = _title_tokens(model, title, text)
            of_title = titles[title, text]
        head, spans = windows(len(provision), of_title, room, reading.stride)
        row = np.empty((len(spans), 5), dtype=np.int64)
        row[:, 0], row[:, 1], row[:, 2], row[:, 3:] = number, np.arange(len(spans)), head, spans
        rows.append(row)
    return _Windows(*np.ascontiguousarray(np.concatenate(rows).T))


def _title_tokens(model: CrossEncoder, title: str, text: str) -> int:
    """Return the number of tokens of the title and the newline after it."""
    beyond = np.flatnonzero(model.ends(title_and_text(title, text))[:, 1] > len(title) + 1)
    return int(beyond[0]) if len(beyond) else 0


def _window(
    windows_of_pairs: _Windows, row: int, queries: Sequence[Tokens], provisions: Sequence[Tokens]
) -> tuple[Tokens, Tokens]:
    pair = windows_of_pairs.pair[row]
    tokens = provisions[pair]
    passage = tokens[windows_of_pairs.first[row] : windows_of_pairs.last[row]]
    if windows_of_pairs.head[row]:
        passage = np.concatenate((tokens[: windows_of_pairs.head[row]], passage))
    return queries[pair], passage
