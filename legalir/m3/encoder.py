"""BGE-M3 as an encoder: what its three heads say about documents and queries, by one pass through the transformer.

A BGE-M3 model in memory: the transformer with its tokenizer, and the two linear layers beside it.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ModelError
from legalir.extras import require
from legalir.frames.component import check_choice, check_number
from legalir.m3.arithmetic import Representations, token_maxima
from legalir.models.batching import by_length
from legalir.models.folders import find_model, is_folder, model_digest, read_json
from legalir.models.loading import DTYPES, Placement, load_backbone, load_tensors, load_tokenizer, placement, shared
from legalir.models.query_cache import QueryCache
from legalir.storage.csr import positions

__all__ = ["Batch", "M3Encoder", "M3Model"]

Ids = npt.NDArray[np.int32]
_TEXTS = 256
"""Texts that are tokenized at a time: what a tokenizer returns is much larger than the ids in it."""


@dataclass(frozen=True)
class Batch:
    """What the heads say about b texts of which the tokens follow one another, without padding.

    Attributes:
        dense: float32 [b, d], rows of length 1.
        weights: at least 0, of each token, special ones included; float32 [m].
        vectors: of each token but the first of a text; [m − b, d2], rows of length 1, or None.
    """

    dense: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    vectors: npt.NDArray[np.floating] | None


class M3Model:
    """The transformer and its heads; threads may share it.

    Args:
        folder: of the model.
        placed: where it computes.

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
                f"{folder} has a tokenizer of {len(self._tokenizer)} tokens and a transformer that knows {size}: they "
                f"are not of one model, so get the whole model again."
            )
        special = ("cls_token_id", "eos_token_id", "pad_token_id", "unk_token_id")
        numbers = [getattr(self._tokenizer, name) for name in special]
        self.special = np.array([number for number in numbers if number is not None], dtype=np.int32)
        self._padding = self._tokenizer.pad_token_id or 0
        self._sparse = self._head("sparse_linear", rows=1)
        self._multi = self._head("colbert_linear")
        self.multi_dimensions = len(self._multi[0])
        self.multi_dtype: np.dtype[np.floating[Any]] = np.dtype("f4" if placed.dtype == "float32" else "f2")

    def _head(self, name: str, rows: int | None = None) -> tuple[Any, Any]:
        """Return weight [rows, d] and bias [rows] of a linear layer."""
        tensors = load_tensors(self._folder, name)
        wide = self._backbone.config.hidden_size
        shapes = {key: tuple(tensor.shape) for key, tensor in tensors.items()}
        high = rows or shapes.get("bias", (0,))[0]
        if not high or shapes != {"weight": (high, wide), "bias": (high,)}:
            raise ModelError(
                f"{name} in {self._folder} is no linear layer for a transformer of {wide} dimensions: they are not of "
                f"one model, so get the whole model again."
            )
        weight, bias = (tensors[key].to(self._placed.device, self._placed.torch_dtype) for key in ("weight", "bias"))
        return weight, bias

    def read(self, texts: Sequence[str], limit: int) -> tuple[list[Ids], npt.NDArray[np.bool_]]:
        """Return the token ids of each text, with the special ones at its ends, and which were longer than the limit.

        Args:
            texts: n of them; half of a surrogate pair is read as a question mark.
            limit: tokens that are read of a text, special ones included.

        Returns:
            n arrays of ids, and bool [n].
        """
        ids: list[Ids] = []
        cut: list[bool] = []
        for first in range(0, len(texts), _TEXTS):
            chunk = [text.encode("utf-8", "replace").decode("utf-8") for text in texts[first : first + _TEXTS]]
            with self._lock:  # A tokenizer's limit is part of its state.
                read = self._tokenizer(chunk, truncation=True, max_length=limit)
            ids += [np.array(one, dtype=np.int32) for one in read["input_ids"]]
            cut += [bool(encoding.overflowing) for encoding in read.encodings]
        return ids, np.array(cut, dtype=bool)

    def compute(self, ids: Sequence[Ids], *, multi: bool) -> Batch:
        """Return what the heads say about texts that go through the transformer together, given their token ids.

        The layers compute in the numbers of the weights, lengths in float32.

        Raises:
            ModelError: the model returns what is no number.
        """
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        inside = np.arange(lengths.max()) < lengths[:, None]
        padded = np.full(inside.shape, self._padding, dtype=np.int64)
        padded[inside] = np.concatenate(ids)
        try:
            made = self._pass(padded, inside, multi)
        except self._torch.OutOfMemoryError as error:
            raise ModelError(
                f"{self._placed.device} has no memory left for a batch of {padded.size} tokens: give fewer as "
                f"batch_tokens, or a lower max_length."
            ) from error
        if not (np.isfinite(made.dense).all() and np.isfinite(made.weights).all()):
            raise ModelError(
                f"{self._folder} computes what is no number in {self._placed.dtype}: give dtype='float32', and if that "
                f"does not help, get the whole model again."
            )
        return made

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


_HEADS = ("sparse_linear", "colbert_linear")
_VERSION = 1
"""Of what is computed here; a change that gives a text other representations raises it."""
_TEXTS_encoder = 1024
"""Texts of a batch, at most."""
_BATCH_TOKENS = {"cpu": 1024, "mps": 16_384, "cuda": 65_536}
"""By device; a CPU is fastest where a batch stays in its caches."""
_CACHED_TOKENS = 2**19
"""Tokens of queries whose multi-vectors are remembered, at most; 2 GB if they are 1024 dimensions of float32."""
_OFFSET_POSITIONS = ("xlm-roberta", "roberta", "camembert", "xlm-roberta-xl", "data2vec-text")
"""Transformers that number positions from that of padding on, so that some numbers stand for no token."""


class M3Encoder:
    """Represents texts with a model of BGE-M3's layout; nothing is loaded before the first text.

    Texts are put into NFC first, so that the same text is represented alike however it was typed. A token's weight is
    ``ReLU(linear(hidden))``, the greatest of each token id; the ids of the marks of beginning, end, padding and the
    unknown have none. A token's vector is ``linear(hidden)`` of length 1; there is one for each token but the first. A
    text of which nothing is read has a vector, no weights, and one token's vector, that of its end.

    Args:
        model: a folder, or the name of a model on the hub.
        max_length: tokens that are read of a document, with the marks of beginning and end; at most as many as the
            model has positions for.
        query_max_length: the same for a query.
        batch_tokens: cells of a batch, padding included; None for what suits the device.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for ``float16`` on ``cuda`` and ``float32`` elsewhere,
            which is taken for the same encoder: what one machine indexed, another can search.

    Raises:
        ComponentError: a parameter is none of these.
        ModelError: there is no such folder, or the model has not the two layers beside the transformer.
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
        self._asked = max_length, query_max_length
        self._batch_tokens, self._device, self._dtype = batch_tokens, device, dtype
        self._queries: dict[bool, QueryCache[str, Representations]] = {
            False: QueryCache(),
            True: QueryCache(max(1, _CACHED_TOKENS // query_max_length)),
        }
        if is_folder(model):
            self.__dict__["folder"] = self._found()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, M3Encoder) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        lengths = f"max_length={self._asked[0]}, query_max_length={self._asked[1]}"
        return f"M3Encoder({self.model!r}, {lengths})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}

    @property
    def _identity(self) -> tuple[str, int]:
        return self.fingerprint, self.query_max_length

    @cached_property
    def folder(self) -> Path:
        """Where the model is.

        Raises:
            ModelError: there is no such model, or it has not the two layers beside the transformer.
        """
        return self._found()

    def _found(self) -> Path:
        found = find_model(self.model)
        if _lacking(found) and not is_folder(self.model):  # Another program may have fetched the transformer alone.
            found = find_model(self.model, needs=[f"{name}.pt" for name in _HEADS])
        if lacking := _lacking(found):
            raise ModelError(
                f"{found} holds no {lacking}.pt, so it has not the layout of BGE-M3: give the whole folder of such a "
                f'model; dense("{self.model}") takes any sentence encoder.'
            )
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever a document could be represented otherwise, but for rounding, which a device has its own way.

        How much of a query is read does not belong to it: nothing of a query is stored.
        """
        return model_digest(self.folder, {"m3": _VERSION, "max_length": self.max_length, "dtype": self._dtype})

    @cached_property
    def _config(self) -> dict[str, Any]:
        content = read_json(self.folder / "config.json")
        if not isinstance(content, dict) or not {"vocab_size", "hidden_size"} <= set(content):
            raise ModelError(f"{self.folder / 'config.json'} does not say how large the model is: get the whole model.")
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
        """Tokens that are read of a document."""
        return min(self._asked[0], self._positions)

    @property
    def query_max_length(self) -> int:
        """Tokens that are read of a query."""
        return min(self._asked[1], self._positions)

    @property
    def _positions(self) -> int:
        padding = self._config.get("pad_token_id")
        offset = (1 if padding is None else int(padding)) + 1
        offset = offset if self._config.get("model_type") in _OFFSET_POSITIONS else 0
        return int(self._config.get("max_position_embeddings", max(self._asked) + offset)) - offset

    @cached_property
    def _placed(self) -> Placement:
        return placement(self._device, self._dtype)

    @cached_property
    def _loaded(self) -> M3Model:
        key = ("m3", str(self.folder), model_digest(self.folder), self._placed)
        return shared(key, lambda: M3Model(self.folder, self._placed))

    def represent(self, texts: Sequence[str], *, multi: bool) -> Representations:
        """Return what the heads say about documents.

        Beside the result, memory holds one batch and the token ids of all texts.

        Args:
            texts: n of them.
            multi: whether multi-vectors are wanted: 1.2 MB (float32) for 300 tokens of 1024 dimensions.

        Raises:
            ModelError: the model cannot be found, read, or computed with.
            MissingExtra: torch or transformers is not installed.
        """
        return self._represent(texts, self.max_length, multi)

    def represent_queries(self, texts: Sequence[str], *, multi: bool) -> Representations:
        """Return what the heads say about queries; those of the last texts are remembered.

        Raises:
            ModelError: the model cannot be found, read, or computed with.
            MissingExtra: torch or transformers is not installed.
        """

        def rows(missing: Sequence[str]) -> list[Representations]:
            made = self._represent(missing, self.query_max_length, multi)
            return [made.row(number) for number in range(len(made))]

        found = self._queries[multi].get(texts, rows)
        return Representations.joined(found) if found else self._represent([], self.query_max_length, multi)

    def _represent(self, texts: Sequence[str], limit: int, multi: bool) -> Representations:
        model = self._loaded
        ids, cut = model.read([unicodedata.normalize("NFC", text) for text in texts], limit)
        lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
        bounds = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        later = bounds - np.arange(len(bounds)) if multi else np.zeros_like(bounds)
        dense = np.empty((len(ids), self.dimensions), dtype=np.float32)
        weights = np.empty(bounds[-1], dtype=np.float32)
        vectors = np.empty((later[-1], model.multi_dimensions), dtype=model.multi_dtype) if multi else None
        for chosen in by_length(lengths, self._tokens_of_a_batch, _TEXTS_encoder):
            batch = model.compute([ids[number] for number in chosen], multi=multi)
            dense[chosen] = batch.dense
            weights[positions(bounds, chosen)[1]] = batch.weights
            if vectors is not None:
                vectors[positions(later, chosen)[1]] = batch.vectors
        tokens = np.concatenate([np.zeros(0, dtype=np.int32), *ids])
        sparse = token_maxima(bounds, tokens, weights, model.special)
        return Representations(dense, *sparse, later, vectors, cut)

    @property
    def _tokens_of_a_batch(self) -> int:
        return self._batch_tokens or _BATCH_TOKENS[self._placed.device.split(":")[0]]


def _lacking(folder: Path) -> str | None:
    """Return the name of the first head that a folder lacks."""
    files = {name: [folder / f"{name}{suffix}" for suffix in (".safetensors", ".pt")] for name in _HEADS}
    return next((name for name, paths in files.items() if not any(path.is_file() for path in paths)), None)
