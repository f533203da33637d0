"""Any sentence encoder: ``dense("BAAI/bge-m3")``, ``dense("path/to/folder")``.

A sentence encoder's modules in memory, as sentence-transformers makes them of a folder.

Texts through a sentence encoder: tokenised once, batched by length, put back into their order.
"""

from __future__ import annotations

import logging
import threading
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.encode.contract import Vectors
from legalir.encode.sentence.settings import Asked, Settings, check_asked, chosen_preset, settle
from legalir.errors import ModelError
from legalir.extras import require
from legalir.frames.component import check_choice, check_number
from legalir.models.batching import by_length
from legalir.models.folders import find_model, is_folder, is_model_name, model_digest, module_paths
from legalir.models.loading import DTYPES, Placement, check_complete, check_tokenizer, placement, readable, shared
from legalir.models.query_cache import QueryCache
from legalir.plugins import write_spec

__all__ = [
    "Advance",
    "Loaded",
    "SentenceEncoder",
    "Task",
    "batch_tokens_of",
    "encode_texts",
    "load",
    "sentence_encoder",
    "tokenized",
]

_POOLING = {"cls": "cls", "mean": "mean", "last": "lasttoken"}
"""What sentence-transformers calls our poolings."""


@dataclass(eq=False)
class Loaded:
    """A model that is ready to compute.

    Args:
        modules: the ``SentenceTransformer``.
        device: where it computes.
        tokenizer: a fast one; None where the model reads texts in a way of its own.
        limit: tokens that are read of a text; 0 where there is no tokenizer.
        lock: to be held while the tokenizer is used, which keeps its padding and truncation as state.
    """

    modules: Any
    device: str
    tokenizer: Any
    limit: int
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.modules.get_embedding_dimension())


def load(folder: Path, settings: Settings, placed: Placement, *, trust_remote_code: bool = False) -> Loaded:
    """Return the model in `folder`.

    Raises:
        ModelError: its files are missing or cannot be read, it wants code of its own to be run, or it does not read
            texts as long as `settings` say.
        MissingExtra: sentence-transformers is not installed.
    """
    library = require("sentence_transformers", extra="dense")
    modules = require("sentence_transformers.sentence_transformer.modules", extra="dense")
    here = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    weights = {"dtype": placed.torch_dtype}
    with readable(folder, "The model"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What the files of a model say in an older way is no matter of the caller's.
        if (folder / "modules.json").is_file():
            model = library.SentenceTransformer(str(folder), device=placed.device, model_kwargs=weights, **here)
        else:
            check_tokenizer(folder)
            options = {"model_kwargs": {**weights, **here}, "config_kwargs": here, "processor_kwargs": here}
            first = modules.Transformer(str(folder), **options)
            head = [_pooling(modules, first, str(settings.pooling)), modules.Normalize()]
            model = library.SentenceTransformer(modules=[first, *head], device=placed.device)
    model.requires_grad_(False).eval()
    if not _is_plain(modules, model[0]):
        return Loaded(model, placed.device, None, 0)
    check_tokenizer(folder / next(iter(module_paths(folder)), "") if not (folder / "config.json").exists() else folder)
    check_complete(model[0].model, folder)
    if settings.pooling is not None:
        model[1] = _pooling(modules, model[0], settings.pooling)
    return Loaded(model, placed.device, model[0].tokenizer, _limit(folder, model[0], settings.max_length))


def _is_plain(modules: Any, first: Any) -> bool:
    """Return whether texts go to a transformer just as a fast tokenizer reads them."""
    if not isinstance(first, modules.Transformer) or list(first.modality_config) != ["text"]:
        return False
    return first.tokenizer is not None and bool(first.tokenizer.is_fast)


def _pooling(modules: Any, transformer: Any, mode: str) -> Any:
    return modules.Pooling(transformer.get_embedding_dimension(), pooling_mode=_POOLING[mode])


def _limit(folder: Path, transformer: Any, asked: int | None) -> int:
    """Return how many tokens are read of a text: what was asked for, or what the folder says, as far as it goes."""
    positions = _positions(transformer.model)
    if asked is not None and asked > positions:
        raise ModelError(f"{folder} reads at most {positions} tokens of a text: max_length={asked} is too much.")
    return min(positions, (transformer.max_seq_length or positions) if asked is None else asked)


def _positions(model: Any) -> int:
    """Return how many positions a transformer has; some leave the first ones to padding."""
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if table is not None and hasattr(table, "num_embeddings"):
        return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)
    stated = getattr(model.config, "max_position_embeddings", None)
    return stated if isinstance(stated, int) and stated > 0 else 1 << 30


Advance = Callable[[int], None]
"""Is told how many more texts are done."""

Task = Literal["query", "document"]

_TOKENS = {"cpu": 2048, "mps": 16_384, "cuda": 65_536}
_MOST = 512
"""Texts of a batch."""


class Tokenized(NamedTuple):
    """Texts as token ids, not padded.

    Attributes:
        columns: what the model takes, such as ``input_ids`` and ``attention_mask``: a list of numbers a text.
        lengths: tokens of each text, special ones included, int64 [n].
        truncated: texts that were longer than the model reads.
    """

    columns: Mapping[str, Sequence[Sequence[int]]]
    lengths: npt.NDArray[np.int64]
    truncated: int


def batch_tokens_of(device: str) -> int:
    """Return how many tokens, padding included, a batch has by default."""
    return _TOKENS.get(device.split(":")[0], _TOKENS["cpu"])


def tokenized(loaded: Loaded, texts: Sequence[str]) -> Tokenized:
    """Return the tokens of texts, cut off where the model reads no further."""
    with loaded.lock:
        found = loaded.tokenizer(list(texts), truncation=True, max_length=loaded.limit, padding=False)
    lengths = np.fromiter(map(len, found["input_ids"]), dtype=np.int64, count=len(texts))
    truncated = sum(1 for one in found.encodings if one.overflowing)
    return Tokenized(found.data, lengths, truncated)


def encode_texts(
    loaded: Loaded, texts: Sequence[str], prompt: str, task: Task, batch_tokens: int, advance: Advance
) -> tuple[Vectors, int]:
    """Return the vectors of texts, rows of length 1, float32 [n, d], and how many texts were cut off.

    A text of which the tokenizer makes nothing has a vector of zeros.

    Args:
        loaded: the model.
        texts: normalised texts.
        prompt: stands before each.
        task: what the texts are; a few models have a part for queries and another for documents.
        batch_tokens: tokens of a batch, padding included; a longer text goes alone.
        advance: is told how many more texts are done.

    Raises:
        ModelError: there is not enough memory, or the model gives numbers that are not finite.
    """
    torch = require("torch", extra="dense")
    if loaded.tokenizer is None:
        return _encoded_otherwise(loaded, texts, prompt, task, advance), 0
    read = tokenized(loaded, [prompt + text for text in texts])
    out = np.zeros((len(texts), loaded.dimensions), dtype=np.float32)
    extra = {"prompt_length": _prompt_length(loaded, prompt)} if prompt else {}
    with torch.inference_mode():
        for rows in by_length(read.lengths, batch_tokens, _MOST):
            if len(said := rows[read.lengths[rows] > 0]):
                features = {name: torch.from_numpy(array) for name, array in _padded(loaded.tokenizer, read, said)}
                out[said] = _vectors(torch, loaded, {**features, **extra}, batch_tokens)
            advance(len(rows))
    return out, read.truncated


def _encoded_otherwise(loaded: Loaded, texts: Sequence[str], prompt: str, task: Task, advance: Advance) -> Vectors:
    """Return what sentence-transformers makes of texts, for models that are no transformer with a tokenizer."""
    out = np.zeros((len(texts), loaded.dimensions), dtype=np.float32)
    for first in range(0, len(texts), _MOST):
        some = list(texts[first : first + _MOST])
        with loaded.lock:
            rows = loaded.modules.encode(some, prompt=prompt, task=task, normalize_embeddings=True)
        out[first : first + len(some)] = np.nan_to_num(rows.astype(np.float32))
        advance(len(some))
    return out


def _padded(tokenizer: Any, read: Tokenized, rows: npt.NDArray[np.int64]) -> Any:
    """Yield name and array [m, longest] of what the model takes."""
    fill = {"input_ids": tokenizer.pad_token_id or 0, "token_type_ids": tokenizer.pad_token_type_id}
    longest = int(read.lengths[rows].max())
    for name, column in read.columns.items():
        array = np.full((len(rows), longest), fill.get(name, 0), dtype=np.int64)
        for place, row in enumerate(rows.tolist()):
            one = column[row]
            if tokenizer.padding_side == "left":
                array[place, longest - len(one) :] = one
            else:
                array[place, : len(one)] = one
        yield name, array


def _vectors(torch: Any, loaded: Loaded, features: dict[str, Any], batch_tokens: int) -> Vectors:
    placed = {name: one.to(loaded.device) if hasattr(one, "to") else one for name, one in features.items()}
    try:
        found = loaded.modules(placed)["sentence_embedding"].float()
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"{loaded.device} has not enough memory for {features['input_ids'].numel()} tokens at a time: "
            f"say batch_tokens={max(batch_tokens // 2, 1)}, or a smaller max_length."
        ) from error
    rows: Vectors = torch.nn.functional.normalize(found, dim=1).cpu().numpy()
    if not np.isfinite(rows).all():
        raise ModelError("The model gives numbers that are not finite: say dtype='float32'.")
    return rows


def _prompt_length(loaded: Loaded, prompt: str) -> int:
    """Return the tokens of a prompt with what stands before it, for models that leave them out of the mean."""
    tokens = loaded.tokenizer(prompt)["input_ids"]
    return len(tokens) - (1 if tokens and tokens[-1] in loaded.tokenizer.all_special_ids else 0)


_LOG = logging.getLogger("legalir")
_VERSION = "sentence/1"


class SentenceEncoder:
    """Encodes with a transformer that pools its hidden states into one vector a text.

    The vector of a text is the model's, scaled to length 1. A text of white space has a vector of zeros, as it says
    nothing, whatever the model would say. Texts are put into NFC first, so that the same text has the same vector; what
    a model does not read of a long text is counted, and said to the logger ``legalir``. The model is loaded when the
    first text comes.

    Args:
        model: a folder, or the name of a model on the hub such as ``BAAI/bge-m3``.
        preset: name of the model whose prompts and limits apply, for a folder that does not say them itself.
        pooling: ``cls``, ``mean`` or ``last``; None for that of the folder's own modules, or of the preset.
        max_length: tokens that are read of a text, prompt and special tokens included; None for as many as the folder
            says, or the preset.
        query_prompt: stands before a query; None for the preset's, or the folder's own.
        document_prompt: stands before a document; None likewise.
        task: what the queries are for, in words, where the prompt has a place for it.
        batch_tokens: tokens that the model reads at a time, padding included; None for what suits the device.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda`` and ``float32`` elsewhere,
            which is taken for the same encoder: what one machine indexed, another can search.
        trust_remote_code: run Python code that comes with the model.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such folder or preset, or the model is no sentence encoder.
    """

    def __init__(
        self,
        model: str | PathLike[str],
        *,
        preset: str | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        task: str | None = None,
        batch_tokens: int | None = None,
        device: str | None = None,
        dtype: str | None = None,
        trust_remote_code: bool = False,
    ) -> None:
        for name, value in (("max_length", max_length), ("batch_tokens", batch_tokens)):
            if value is not None:
                check_number("sentence", name, value, low=8, integer=True)
        if dtype is not None:
            check_choice("sentence", "dtype", dtype, DTYPES, ModelError)
        self._asked = Asked(pooling, max_length, query_prompt, document_prompt, task)
        check_asked(model, self._asked)
        self._preset = chosen_preset(model, preset)
        self._decisive = {**vars(self._asked), "preset": preset, "dtype": dtype, "trust_remote_code": trust_remote_code}
        self._model, self._device, self._dtype, self._trusted = fspath(model), device, dtype, trust_remote_code
        self._batch_tokens = batch_tokens
        self._cached_queries: QueryCache[str, Vectors] = QueryCache()
        if is_folder(model):
            self.__dict__["folder"] = find_model(model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceEncoder) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"SentenceEncoder({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    @property
    def name(self) -> str:
        """The model's name or folder; with other parameters, the call of ``sentence`` that makes this encoder."""
        given = {name: value for name, value in self._decisive.items() if value is not None and value is not False}
        if not given and is_model_name(self._model):
            return self._model
        return write_spec("sentence", {"model": self._model, **given})

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever the same text could have another vector, but for rounding on another device.

        Raises:
            ModelError: the model is not there, or cannot be read.
        """
        settings = {**vars(self.settings), "dtype": self._dtype, "version": _VERSION}
        return model_digest(self.folder, settings)

    @cached_property
    def folder(self) -> Path:
        """Where the model's files are."""
        return find_model(self._model, trust_remote_code=self._trusted)

    @cached_property
    def settings(self) -> Settings:
        """What the model is run with."""
        return settle(self.folder, self._asked, self._preset)

    @cached_property
    def _loaded(self) -> Loaded:
        placed = placement(self._device, self._dtype)
        key = ("sentence", self.fingerprint, placed, self._trusted)
        return shared(key, lambda: load(self.folder, self.settings, placed, trust_remote_code=self._trusted))

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model."""
        return self._loaded.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text of white space.

        Raises:
            ModelError: the model cannot be loaded, or does not fit into memory.
        """
        return self.encode_counted(texts, lambda done: None)

    def encode_counted(self, texts: Sequence[str], advance: Advance) -> Vectors:
        """Return what :meth:`encode` returns, and tell `advance` of every batch how many more texts are done."""
        return self._encode(texts, "document", advance)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`; the vectors of recent queries are cached."""
        found = self._cached_queries.get(list(texts), lambda new: list(self._encode(new, "query")))
        return np.stack(found) if found else np.zeros((0, self.dimensions), dtype=np.float32)

    def _encode(self, texts: Sequence[str], task: Task, advance: Advance = lambda done: None) -> Vectors:
        loaded, settings = self._loaded, self.settings
        composed = [unicodedata.normalize("NFC", text) for text in texts]
        said = [number for number, text in enumerate(composed) if text.strip()]
        out = np.zeros((len(composed), loaded.dimensions), dtype=np.float32)
        advance(len(composed) - len(said))
        if not said:
            return out
        spoken = [composed[number] for number in said]
        prompt = settings.query_prompt if task == "query" else settings.document_prompt
        tokens = self._batch_tokens or batch_tokens_of(loaded.device)
        out[said], truncated = encode_texts(loaded, spoken, prompt, task, tokens, advance)
        if truncated:
            _LOG.info("%s read %d of %d texts only as far as %d tokens.", self.name, truncated, len(said), loaded.limit)
        return out


def sentence_encoder(
    collection: object,
    *,
    model: str,
    preset: str | None = None,
    pooling: str | None = None,
    max_length: int | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    task: str | None = None,
    batch_tokens: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> SentenceEncoder:
    """Any sentence encoder: ``dense("BAAI/bge-m3")``, in full ``dense(encoder='sentence(model="BAAI/bge-m3")')``.

    Args:
        model: a folder, or the name of a model on the hub.
        preset: name of the model whose prompts and limits apply, for a folder that does not say them itself.
        pooling: ``cls``, ``mean`` or ``last``; None for what the folder or the preset says.
        max_length: tokens that are read of a text; None for what the folder or the preset says.
        query_prompt: stands before a query; None for what the preset or the folder says.
        document_prompt: stands before a document; None likewise.
        task: what the queries are for, in words, where the prompt has a place for it.
        batch_tokens: tokens that the model reads at a time; None for what suits the device.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
        trust_remote_code: run Python code that comes with the model.
    """
    return SentenceEncoder(
        model,
        preset=preset,
        pooling=pooling,
        max_length=max_length,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        task=task,
        batch_tokens=batch_tokens,
        device=device,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
    )
