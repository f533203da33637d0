"""Sentence encoders [sbert]: transformers whose hidden states are pooled into one vector per text.

Read top to bottom: the settings of a model, which come from the caller, a preset, or the folder of the model; a folder
into memory, as sentence-transformers opens it; texts through the model, batched by length; and the encoder over them.
"""

from __future__ import annotations

import logging
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from legalir.contract import factory_of
from legalir.declared import Declared
from legalir.dense.contract import Vectors
from legalir.errors import ModelError
from legalir.extras import require
from legalir.models.folders import find_model, is_folder, is_model_name, json_value, model_digest, module_paths
from legalir.models.loading import Dtype, Placement, check_complete, check_tokenizer, placement, readable, shared
from legalir.models.presets import Pooling, Preset, by_length, find_preset, log_cut, read_length
from legalir.models.query_cache import QueryCache
from legalir.spec import write_spec

_log = logging.getLogger("legalir")
_VERSION = "sentence/1"

_PROMPTS, _TRANSFORMER = "config_sentence_transformers.json", "sentence_bert_config.json"
_QUERY, _DOCUMENT = ("query",), ("document", "passage")
"""Names of prompts in the files of a model."""

_POOLING = {"cls": "cls", "mean": "mean", "last": "lasttoken"}
"""Name of each pooling in sentence-transformers."""

_BATCH_TOKENS = {"cpu": 2048, "mps": 16_384, "cuda": 65_536}
"""Tokens of a batch by kind of device, padding included."""

_BATCH_TEXTS = 512


@dataclass(frozen=True)
class EncoderSettings:
    """Settings that a model runs with.

    Args:
        pooling: None if the modules in the folder do it.
        max_length: maximum number of tokens per text, including special tokens and prompt, at most the model's
            positions; None to use the value in the folder.
        query_prompt: text put before a query.
        document_prompt: text put before a document.
    """

    pooling: str | None
    max_length: int | None
    query_prompt: str
    document_prompt: str


def resolve_settings(folder: Path, options: SentenceEncoder, preset: Preset | None) -> EncoderSettings:
    """Return the settings that the model in `folder` runs with: the caller's, else the preset's, else the folder's.

    Raises:
        ModelError: a file of the folder cannot be read, nothing says how tokens make one vector, or there is no prompt
            that takes a task.
    """
    pooling = options.pooling
    if pooling is None and not (folder / "modules.json").is_file():
        pooling = None if preset is None else preset.pooling
        if pooling is None:
            raise ModelError(
                f"{folder} has no modules.json, so nothing says how its tokens make one vector: "
                f"give pooling='mean', 'cls' or 'last', as its authors do."
            )
    stated = json_value(folder / _TRANSFORMER, "max_seq_length")
    max_length = read_length(options.max_length, preset, stated)
    if options.max_length is None and max_length == stated:
        max_length = None
    prompts: Mapping[str, str] = json_value(folder / _PROMPTS, "prompts") or {}
    query = _prompt(options.query_prompt, None if preset is None else preset.query_prompt, prompts, _QUERY)
    document = _prompt(options.document_prompt, None if preset is None else preset.document_prompt, prompts, _DOCUMENT)
    task = options.task or (None if preset is None else preset.task)
    if options.task is not None and "{task}" not in query:
        raise ModelError(f"{folder} has no prompt that takes a task: give the whole prompt as query_prompt=….")
    if "{task}" in query and task is None:
        raise ModelError(f"The prompt {query!r} needs a task: give task='…', what the queries are for.")
    return EncoderSettings(pooling, max_length, query.replace("{task}", task or ""), document)


def _prompt(given: str | None, preset: str | None, prompts: Mapping[str, str], names: tuple[str, ...]) -> str:
    if given is not None:
        return given
    if preset is not None:
        return preset
    return next((prompts[name] for name in names if prompts.get(name)), "")


@dataclass(eq=False)
class Loaded:
    """A model that is ready to compute.

    Args:
        modules: the ``SentenceTransformer``.
        device: device of the computation.
        tokenizer: a fast tokenizer; None if the model reads texts in its own way.
        limit: maximum number of tokens per text; 0 if there is no tokenizer.
        lock: must be held while the tokenizer is used, because its padding and truncation are state.
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


def load(folder: Path, settings: EncoderSettings, placed: Placement, *, trust_remote_code: bool = False) -> Loaded:
    """Return the model in `folder`.

    Raises:
        ModelError: its files are missing or cannot be read, or it needs its own code.
        MissingExtra: sentence-transformers is not installed.
    """
    library = require("sentence_transformers", extra="dense")
    modules = require("sentence_transformers.sentence_transformer.modules", extra="dense")
    here = {"local_files_only": True, "trust_remote_code": trust_remote_code}
    weights = {"dtype": placed.torch_dtype}
    with readable(folder, "The model"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The caller cannot help how old the style of a model's files is.
        if (folder / "modules.json").is_file():
            model = library.SentenceTransformer(str(folder), device=placed.device, model_kwargs=weights, **here)
        else:
            check_tokenizer(folder)
            options = {"model_kwargs": {**weights, **here}, "config_kwargs": here, "processor_kwargs": here}
            first = modules.Transformer(str(folder), **options)
            head = [_pooling(modules, first, str(settings.pooling)), modules.Normalize()]
            model = library.SentenceTransformer(modules=[first, *head], device=placed.device)
    model.requires_grad_(False).eval()
    if not _has_fast_tokenizer(modules, model[0]):
        return Loaded(model, placed.device, None, 0)
    check_tokenizer(folder / next(iter(module_paths(folder)), "") if not (folder / "config.json").exists() else folder)
    check_complete(model[0].model, folder)
    if settings.pooling is not None:
        model[1] = _pooling(modules, model[0], settings.pooling)
    return Loaded(model, placed.device, model[0].tokenizer, _limit(model[0], settings.max_length))


def _has_fast_tokenizer(modules: Any, first: Any) -> bool:
    """Return True if the first module is a plain transformer over the tokens of a fast tokenizer."""
    if not isinstance(first, modules.Transformer) or list(first.modality_config) != ["text"]:
        return False
    return first.tokenizer is not None and bool(first.tokenizer.is_fast)


def _pooling(modules: Any, transformer: Any, mode: str) -> Any:
    return modules.Pooling(transformer.get_embedding_dimension(), pooling_mode=_POOLING[mode])


def _limit(transformer: Any, max_length: int | None) -> int:
    """Return the maximum number of tokens per text: `max_length`, or else the value in the folder."""
    positions = _positions(transformer.model)
    return min(positions, max_length or transformer.max_seq_length or positions)


def _positions(model: Any) -> int:
    """Return the number of positions of a transformer; some leave the first ones to padding."""
    table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if table is not None and hasattr(table, "num_embeddings"):
        return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)
    positions = getattr(model.config, "max_position_embeddings", None)
    return positions if isinstance(positions, int) and positions > 0 else 1 << 30


Advance = Callable[[int], None]
"""Callback that gets the number of further texts that are done."""

Task = Literal["query", "document"]


def encode_texts(
    loaded: Loaded, texts: Sequence[str], prompt: str, task: Task, batch_tokens: int, advance: Advance
) -> tuple[Vectors, int]:
    """Return the vectors of texts, rows of length 1, float32 [n, d], and the number of texts that were cut off.

    A text without tokens has a vector of zeros.

    Args:
        loaded: the model.
        texts: normalised texts.
        prompt: text put before each text.
        task: kind of the texts; a few models have a part for queries and another for documents.
        batch_tokens: tokens of a batch, padding included; a longer text goes alone.
        advance: called with the number of further texts that are done.

    Raises:
        ModelError: there is not enough memory, or the model gives numbers that are not finite.
    """
    torch = require("torch", extra="dense")
    if loaded.tokenizer is None:
        return _encode_whole(loaded, texts, prompt, task, advance), 0
    columns, lengths, truncated = _tokenize(loaded, [prompt + text for text in texts])
    out = np.zeros((len(texts), loaded.dimensions), dtype=np.float32)
    extra = {"prompt_length": _prompt_length(loaded, prompt)} if prompt else {}
    with torch.inference_mode():
        for batch in by_length(lengths, batch_tokens, _BATCH_TEXTS):
            if len(rows := batch[lengths[batch] > 0]):
                padded = _padded(loaded.tokenizer, columns, rows, int(lengths[rows].max()))
                features = {name: torch.from_numpy(array) for name, array in padded}
                out[rows] = _vectors(torch, loaded, {**features, **extra}, batch_tokens)
            advance(len(batch))
    return out, truncated


def _encode_whole(loaded: Loaded, texts: Sequence[str], prompt: str, task: Task, advance: Advance) -> Vectors:
    """Return the vectors that sentence-transformers makes, for a model that has no fast tokenizer."""
    out = np.zeros((len(texts), loaded.dimensions), dtype=np.float32)
    for first in range(0, len(texts), _BATCH_TEXTS):
        batch = list(texts[first : first + _BATCH_TEXTS])
        with loaded.lock:
            rows = loaded.modules.encode(batch, prompt=prompt, task=task, normalize_embeddings=True)
        out[first : first + len(batch)] = np.nan_to_num(rows.astype(np.float32))
        advance(len(batch))
    return out


_Columns = Mapping[str, Sequence[Sequence[int]]]
"""Input of a model, such as ``input_ids`` and ``attention_mask``: a list of numbers per text."""


def _tokenize(loaded: Loaded, texts: Sequence[str]) -> tuple[_Columns, npt.NDArray[np.int64], int]:
    """Return the tokens of texts without padding, their number for each text, and the number of texts cut off."""
    with loaded.lock:
        tokens = loaded.tokenizer(list(texts), truncation=True, max_length=loaded.limit, padding=False)
    lengths = np.fromiter(map(len, tokens["input_ids"]), dtype=np.int64, count=len(texts))
    return tokens.data, lengths, sum(1 for encoding in tokens.encodings if encoding.overflowing)


def _padded(
    tokenizer: Any, columns: _Columns, rows: npt.NDArray[np.int64], longest: int
) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    """Yield name and array [m, longest] of each column, for m texts."""
    fill = {"input_ids": tokenizer.pad_token_id or 0, "token_type_ids": tokenizer.pad_token_type_id}
    for name, column in columns.items():
        array = np.full((len(rows), longest), fill.get(name, 0), dtype=np.int64)
        for place, row in enumerate(rows.tolist()):
            numbers = column[row]
            if tokenizer.padding_side == "left":
                array[place, longest - len(numbers) :] = numbers
            else:
                array[place, : len(numbers)] = numbers
        yield name, array


def _vectors(torch: Any, loaded: Loaded, features: dict[str, Any], batch_tokens: int) -> Vectors:
    placed = {name: value.to(loaded.device) if hasattr(value, "to") else value for name, value in features.items()}
    try:
        pooled = loaded.modules(placed)["sentence_embedding"].float()
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"{loaded.device} has not enough memory for {features['input_ids'].numel()} tokens at a time: "
            f"give batch_tokens={max(batch_tokens // 2, 1)}, or a smaller max_length."
        ) from error
    rows: Vectors = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
    if not np.isfinite(rows).all():
        raise ModelError("The model gives numbers that are not finite: give dtype='float32'.")
    return rows


def _prompt_length(loaded: Loaded, prompt: str) -> int:
    """Return the number of tokens up to the end of a prompt, for models that leave them out of the mean."""
    tokens = loaded.tokenizer(prompt)["input_ids"]
    return len(tokens) - (1 if tokens and tokens[-1] in loaded.tokenizer.all_special_ids else 0)


class SentenceEncoder(Declared):
    """Encodes with a transformer that pools its hidden states into one vector per text [sbert].

    The vector of a text is the model's, scaled to length 1. A text of white space has a vector of zeros, whatever the
    model makes of it. Texts are put into NFC first, so that the same text has the same vector. The number of texts
    that the model does not read to the end goes to the logger ``legalir``. The model is loaded for the first text.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such folder or preset, or the model is not a sentence encoder.
    """

    component = "sentence"
    model: Annotated[str | PathLike[str], "a folder, or the name of a model on the hub such as ``BAAI/bge-m3``"]
    _: KW_ONLY
    preset: Annotated[
        str | None,
        "name of the model whose preset applies (``presets.yaml``), for a folder; None for the preset of `model`, if "
        "there is one",
    ] = None
    pooling: Annotated[
        Pooling | None,
        "``cls``, ``mean`` or ``last``; None for the pooling of the folder's own modules, or of the preset",
    ] = None
    max_length: Annotated[
        int | None,
        Ge(8),
        "maximum number of tokens per text, including prompt and special tokens; None for the preset's, within the "
        "model's limit, and without a preset for that limit",
    ] = None
    query_prompt: Annotated[str | None, "text put before a query; None for the preset's, or the folder's own"] = None
    document_prompt: Annotated[str | None, "text put before a document; None for the preset's, or the folder's own"] = (
        None
    )
    task: Annotated[str | None, "purpose of the queries, in words, if the prompt has a place for it"] = None
    batch_tokens: Annotated[
        int | None,
        Ge(8),
        "tokens that the model reads at a time, padding included; None for what suits the device",
    ] = None
    device: Annotated[str | None, "``cpu``, ``cuda``, ``cuda:1``, ``mps``; None for the best there is"] = None
    dtype: Annotated[
        Dtype | None,
        "``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda`` and ``float32`` elsewhere, which "
        "counts as the same encoder: what one machine indexed, another can search",
    ] = None
    trust_remote_code: Annotated[bool, "run Python code that comes with the model"] = False

    def __post_init__(self) -> None:
        self.model = fspath(self.model)
        self._preset = find_preset(self.model, self.preset)
        self._query_vectors: QueryCache[str, Vectors] = QueryCache()
        if is_folder(self.model):
            self.folder  # noqa: B018  (a missing folder is reported at once)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceEncoder) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"SentenceEncoder({self.name!r})"

    @property
    def name(self) -> str:
        """The model's name or folder; with other parameters, the call of ``sentence`` that makes this encoder."""
        given = {
            name: value
            for name, value in self._given().items()
            if name not in ("model", "batch_tokens", "device") and value is not None and value is not False
        }
        model = fspath(self.model)
        return model if not given and is_model_name(model) else write_spec("sentence", {"model": model, **given})

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the vector of a text could change, except for rounding on other devices.

        Raises:
            ModelError: the model is not there, or cannot be read.
        """
        settings = {**vars(self.settings), "dtype": self.dtype, "version": _VERSION}
        return model_digest(self.folder, settings)

    @cached_property
    def folder(self) -> Path:
        """Folder of the model's files."""
        return find_model(self.model, trust_remote_code=self.trust_remote_code)

    @cached_property
    def settings(self) -> EncoderSettings:
        """Settings that the model runs with."""
        settings = resolve_settings(self.folder, self, self._preset)
        if self._preset is None and self.query_prompt is None and settings.query_prompt:
            _log.info(
                "%s has no preset: its questions begin with %r, which its folder states; preset='NAME' names another.",
                self.name,
                settings.query_prompt,
            )
        return settings

    @cached_property
    def _loaded(self) -> Loaded:
        placed = placement(self.device, self.dtype)
        key = ("sentence", self.fingerprint, placed, self.trust_remote_code)
        loaded = shared(key, lambda: load(self.folder, self.settings, placed, trust_remote_code=self.trust_remote_code))
        if loaded.tokenizer is not None and (given := self.max_length or 0) > loaded.limit:
            raise ModelError(
                f"{self.folder} reads at most {loaded.limit} tokens of a text: max_length={given} is too much."
            )
        return loaded

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
        """Return what :meth:`encode` returns; call `advance` after each batch with the number of texts in it."""
        return self._encode(texts, "document", advance)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`; the latest ones are cached."""
        rows = self._query_vectors.get(list(texts), lambda new: list(self._encode(new, "query", lambda done: None)))
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    def _encode(self, texts: Sequence[str], task: Task, advance: Advance) -> Vectors:
        loaded, settings = self._loaded, self.settings
        composed = [unicodedata.normalize("NFC", text) for text in texts]
        filled = [number for number, text in enumerate(composed) if text.strip()]
        out = np.zeros((len(composed), loaded.dimensions), dtype=np.float32)
        advance(len(composed) - len(filled))
        if not filled:
            return out
        prompt = settings.query_prompt if task == "query" else settings.document_prompt
        tokens = self.batch_tokens or _BATCH_TOKENS.get(loaded.device.split(":")[0], _BATCH_TOKENS["cpu"])
        words = [composed[number] for number in filled]
        out[filled], truncated = encode_texts(loaded, words, prompt, task, tokens, advance)
        log_cut(self.name, task, truncated, len(filled), loaded.limit)
        return out


sentence_encoder = factory_of(
    SentenceEncoder,
    """Any sentence encoder: ``dense("BAAI/bge-m3")``, in full ``dense(encoder='sentence(model="BAAI/bge-m3")')``.""",
)
