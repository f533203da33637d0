"""BGE-M3 as an encoder [bge-m3]: representations of the three heads from one pass through the transformer."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from legalir.declared import check_choice, check_number
from legalir.errors import ModelError
from legalir.extras import require
from legalir.m3.heads import Representations, token_maxima
from legalir.models.folders import find_model, is_folder, model_digest, read_json
from legalir.models.loading import DTYPES, Placement, load_backbone, load_tensors, load_tokenizer, placement, shared
from legalir.models.presets import by_length, log_cut
from legalir.models.query_cache import QueryCache
from legalir.storage.csr import positions

Ids = npt.NDArray[np.int32]
_LAYERS = ("sparse_linear", "colbert_linear")
"""Files of the linear layers of the sparse and the multi-vector head, without suffix."""
_TOKENIZED_TEXTS = 256
"""Number of texts tokenized at a time: the output of a tokenizer is much larger than the ids in it."""


@dataclass(frozen=True)
class Batch:
    """Output of the heads for b texts with m tokens in all, without padding.

    Attributes:
        dense: vector of each text, float32 [b, d], rows of length 1.
        weights: weight of each token, at least 0, special tokens included; float32 [m].
        vectors: vector of each token but the first of a text; [m − b, d2], rows of length 1; or None.
    """

    dense: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    vectors: npt.NDArray[np.floating] | None


class M3Model:
    """A BGE-M3 model in memory: tokenizer, transformer and the two linear layers. Threads may share it.

    Args:
        folder: folder of the model.
        placed: device and type.

    Raises:
        ModelError: a file is missing or cannot be read, or the parts do not belong together.
        MissingExtra: torch or transformers is not installed.
    """

    def __init__(self, folder: Path, placed: Placement) -> None:
        self._torch = require("torch", extra="dense")
        self._folder, self._placed = folder, placed
        self._tokenizer = load_tokenizer(folder)
        self._lock = threading.Lock()
        self._backbone = load_backbone(folder, "AutoModel", placed)
        size = self._backbone.config.vocab_size
        if len(self._tokenizer) > size:
            raise ModelError(
                f"{folder} has a tokenizer of {len(self._tokenizer)} tokens and a transformer of {size} tokens: they "
                f"are not of one model, so get the whole model again."
            )
        special = ("cls_token_id", "eos_token_id", "pad_token_id", "unk_token_id")
        numbers = [getattr(self._tokenizer, name) for name in special]
        self.special = np.array([number for number in numbers if number is not None], dtype=np.int32)
        self._padding = self._tokenizer.pad_token_id or 0
        self._sparse = self._linear_layer("sparse_linear", rows=1)
        self._multi = self._linear_layer("colbert_linear")
        self.multi_dimensions = len(self._multi[0])
        self.multi_dtype: np.dtype[np.floating[Any]] = np.dtype("f4" if placed.dtype == "float32" else "f2")

    def _linear_layer(self, name: str, rows: int | None = None) -> tuple[Any, Any]:
        """Return weight [rows, d] and bias [rows] of a linear layer."""
        tensors = load_tensors(self._folder, name)
        columns = self._backbone.config.hidden_size
        shapes = {key: tuple(tensor.shape) for key, tensor in tensors.items()}
        rows = rows or shapes.get("bias", (0,))[0]
        if not rows or shapes != {"weight": (rows, columns), "bias": (rows,)}:
            raise ModelError(
                f"{name} in {self._folder} is not a linear layer for a transformer of {columns} dimensions: they are "
                f"not of one model, so get the whole model again."
            )
        weight, bias = (tensors[key].to(self._placed.device, self._placed.torch_dtype) for key in ("weight", "bias"))
        return weight, bias

    def tokenize(self, texts: Sequence[str], limit: int) -> tuple[list[Ids], npt.NDArray[np.bool_]]:
        """Return the token ids of each text, special tokens included, and whether it was longer than the limit.

        Args:
            texts: n texts; half of a surrogate pair is read as a question mark.
            limit: number of tokens read of a text, special tokens included.

        Returns:
            n arrays of ids, and bool [n].
        """
        ids: list[Ids] = []
        truncated: list[bool] = []
        for first in range(0, len(texts), _TOKENIZED_TEXTS):
            block = [
                text.encode("utf-8", "replace").decode("utf-8") for text in texts[first : first + _TOKENIZED_TEXTS]
            ]
            with self._lock:  # A tokenizer's limit is part of its state.
                output = self._tokenizer(block, truncation=True, max_length=limit)
            ids += [np.array(one, dtype=np.int32) for one in output["input_ids"]]
            truncated += [bool(encoding.overflowing) for encoding in output.encodings]
        return ids, np.array(truncated, dtype=bool)

    def compute(self, ids: Sequence[Ids], *, multi: bool) -> Batch:
        """Return the output of the heads for the token ids of one batch of texts.

        Layers compute in the type of the weights, normalisation in float32.

        Raises:
            ModelError: a number is not finite, or the device has too little memory.
        """
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        inside = np.arange(lengths.max()) < lengths[:, None]
        padded = np.full(inside.shape, self._padding, dtype=np.int64)
        padded[inside] = np.concatenate(ids)
        try:
            batch = self._pass(padded, inside, multi)
        except self._torch.OutOfMemoryError as error:
            raise ModelError(
                f"{self._placed.device} has too little memory for a batch of {padded.size} tokens: give a smaller "
                f"batch_tokens or max_length."
            ) from error
        if not (np.isfinite(batch.dense).all() and np.isfinite(batch.weights).all()):
            raise ModelError(
                f"{self._folder} computes a NaN or an infinity in {self._placed.dtype}: give dtype='float32', and if "
                f"that does not help, get the whole model again."
            )
        return batch

    def _pass(self, padded: npt.NDArray[np.int64], inside: npt.NDArray[np.bool_], multi: bool) -> Batch:
        torch, linear, device = self._torch, self._torch.nn.functional.linear, self._placed.device
        with torch.inference_mode():
            tokens, mask = torch.from_numpy(padded).to(device), torch.from_numpy(inside).to(device)
            hidden = self._backbone(input_ids=tokens, attention_mask=mask.long()).last_hidden_state
            dense = self._unit(hidden[:, 0])
            weights = torch.relu(linear(hidden[mask], *self._sparse)).squeeze(-1).float()
            vectors = None
            if multi:
                vectors = self._unit(linear(hidden[:, 1:][mask[:, 1:]], *self._multi))
                vectors = (vectors if self.multi_dtype == np.float32 else vectors.half()).cpu().numpy()
        return Batch(dense.cpu().numpy(), weights.cpu().numpy(), vectors)

    def _unit(self, vectors: Any) -> Any:
        return self._torch.nn.functional.normalize(vectors.float(), dim=-1)


_VERSION = 1
"""Raise it with each change that gives a text other representations."""
_BATCH_TEXTS = 1024
"""Maximum number of texts in a batch."""
_BATCH_TOKENS = {"cpu": 1024, "mps": 16_384, "cuda": 65_536}
"""Default size of a batch by device; a CPU is fastest if a batch stays in its caches."""
_CACHED_TOKENS = 2**19
"""Maximum number of query tokens with cached multi-vectors: 2 GB for 1024 dimensions of float32."""
_OFFSET_POSITIONS = ("xlm-roberta", "roberta", "camembert", "xlm-roberta-xl", "data2vec-text")
"""Transformers whose first position follows the position of padding."""


class M3Encoder:
    """Encoder of the three heads of a model of BGE-M3's layout [bge-m3]; the model is loaded with the first text.

    Texts are put into NFC first. The weight of a token id is its greatest ``ReLU(linear(hidden))``; the special tokens
    of beginning, end, padding and the unknown have no weight. The vector of a token is ``linear(hidden)`` of length 1;
    each token but the first has one. An empty text has a dense vector, no weights, and the vector of its end mark. The
    number of texts that are longer than the limit goes to the logger ``legalir``.

    Args:
        model: a folder, or the name of a model on the hub.
        max_length: number of tokens read of a document, with the marks of beginning and end; at most the number of
            positions of the model.
        query_max_length: the same for a query. NitiBench [nitibench] reads 8192, the default is FlagEmbedding's.
        batch_tokens: cells of a batch, padding included; None for the default of the device.
        device: name of a device in torch; None for an accelerator if the machine has one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda``, else ``float32``. With None,
            an index that one machine built can be searched on another.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: there is no such folder, or it lacks a linear layer.
    """

    name = "m3"

    def __init__(
        self,
        model: str | PathLike[str],
        *,
        max_length: int = 8192,
        query_max_length: int = 512,
        batch_tokens: int | None = None,
        device: str | None = None,
        dtype: str | None = None,
    ) -> None:
        check_number(self.name, "max_length", max_length, low=3, integer=True)
        check_number(self.name, "query_max_length", query_max_length, low=3, integer=True)
        if batch_tokens is not None:
            check_number(self.name, "batch_tokens", batch_tokens, low=1, integer=True)
        if dtype is not None:
            check_choice(self.name, "dtype", dtype, DTYPES, ModelError)
        self.model = fspath(model)
        self._limits = max_length, query_max_length
        self._batch_tokens, self._device, self._dtype = batch_tokens, device, dtype
        self._cached_queries: dict[bool, QueryCache[str, Representations]] = {
            False: QueryCache(),
            True: QueryCache(max(1, _CACHED_TOKENS // query_max_length)),
        }
        if is_folder(model):
            self.__dict__["folder"] = self._find_folder()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, M3Encoder) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        lengths = f"max_length={self._limits[0]}, query_max_length={self._limits[1]}"
        return f"M3Encoder({self.model!r}, {lengths})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    @property
    def _identity(self) -> tuple[str, int]:
        return self.fingerprint, self.query_max_length

    @cached_property
    def folder(self) -> Path:
        """Folder of the model.

        Raises:
            ModelError: there is no such model, or it lacks a linear layer.
        """
        return self._find_folder()

    def _find_folder(self) -> Path:
        folder = find_model(self.model)
        if _missing_layer(folder) and not is_folder(self.model):  # Another program may have fetched only a part.
            folder = find_model(self.model, needs=[f"{name}.pt" for name in _LAYERS])
        if missing := _missing_layer(folder):
            raise ModelError(
                f"{folder} holds no {missing}.pt, so it does not have the layout of BGE-M3: give the whole folder of "
                f'such a model; dense("{self.model}") takes any sentence encoder.'
            )
        return folder

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever a document could have other representations, apart from rounding.

        The limit of queries is not part of it, because nothing of a query is stored.
        """
        return model_digest(self.folder, {"m3": _VERSION, "max_length": self.max_length, "dtype": self._dtype})

    @cached_property
    def _config(self) -> dict[str, Any]:
        content = read_json(self.folder / "config.json")
        if not isinstance(content, dict) or not {"vocab_size", "hidden_size"} <= set(content):
            raise ModelError(f"{self.folder / 'config.json'} does not give the size of the model: get the whole model.")
        return content

    @property
    def vocabulary(self) -> int:
        """Number of token ids."""
        return int(self._config["vocab_size"])

    @property
    def dimensions(self) -> int:
        """Length of a text's vector."""
        return int(self._config["hidden_size"])

    @property
    def max_length(self) -> int:
        """Number of tokens read of a document."""
        return min(self._limits[0], self._positions)

    @property
    def query_max_length(self) -> int:
        """Number of tokens read of a query."""
        return min(self._limits[1], self._positions)

    @property
    def _positions(self) -> int:
        padding = self._config.get("pad_token_id")
        offset = (1 if padding is None else int(padding)) + 1
        offset = offset if self._config.get("model_type") in _OFFSET_POSITIONS else 0
        return int(self._config.get("max_position_embeddings", max(self._limits) + offset)) - offset

    @cached_property
    def _placed(self) -> Placement:
        return placement(self._device, self._dtype)

    @cached_property
    def _loaded(self) -> M3Model:
        key = ("m3", str(self.folder), model_digest(self.folder), self._placed)
        return shared(key, lambda: M3Model(self.folder, self._placed))

    def represent(self, texts: Sequence[str], *, multi: bool) -> Representations:
        """Return the representations of documents.

        Beside the result, memory holds one batch and the token ids of all texts.

        Args:
            texts: n texts.
            multi: compute multi-vectors, which take 1.2 MB for 300 tokens of 1024 dimensions in float32.

        Raises:
            ModelError: the model cannot be found, read, or computed with.
            MissingExtra: torch or transformers is not installed.
        """
        return self._represent(texts, "document", multi)

    def represent_queries(self, texts: Sequence[str], *, multi: bool) -> Representations:
        """Return the representations of queries; recent queries are cached. Errors as :meth:`represent`."""

        def encode(missing: Sequence[str]) -> list[Representations]:
            rows = self._represent(missing, "query", multi)
            return [rows.row(number) for number in range(len(rows))]

        rows = self._cached_queries[multi].get(texts, encode)
        return Representations.concatenate(rows) if rows else self._represent([], "query", multi)

    def _represent(self, texts: Sequence[str], task: Literal["query", "document"], multi: bool) -> Representations:
        model, limit = self._loaded, self.query_max_length if task == "query" else self.max_length
        ids, truncated = model.tokenize([unicodedata.normalize("NFC", text) for text in texts], limit)
        log_cut(self.model, task, int(truncated.sum()), len(texts), limit)
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        bounds = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        vector_bounds = bounds - np.arange(len(bounds)) if multi else np.zeros_like(bounds)
        dense = np.empty((len(ids), self.dimensions), dtype=np.float32)
        weights = np.empty(bounds[-1], dtype=np.float32)
        vectors = np.empty((vector_bounds[-1], model.multi_dimensions), dtype=model.multi_dtype) if multi else None
        for chosen in by_length(lengths, self._batch_size, _BATCH_TEXTS):
            batch = model.compute([ids[number] for number in chosen], multi=multi)
            dense[chosen] = batch.dense
            weights[positions(bounds, chosen)[1]] = batch.weights
            if vectors is not None:
                vectors[positions(vector_bounds, chosen)[1]] = batch.vectors
        tokens = np.concatenate([np.zeros(0, dtype=np.int32), *ids])
        sparse = token_maxima(bounds, tokens, weights, model.special)
        return Representations(dense, *sparse, vector_bounds, vectors, truncated)

    @property
    def _batch_size(self) -> int:
        return self._batch_tokens or _BATCH_TOKENS[self._placed.device.split(":")[0]]


def _missing_layer(folder: Path) -> str | None:
    """Return the name of the first linear layer that a folder lacks."""
    suffixes = (".safetensors", ".pt")
    return next((name for name in _LAYERS if not any((folder / f"{name}{end}").is_file() for end in suffixes)), None)
