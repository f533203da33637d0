"""BGE-M3 as an encoder: what its three heads say about documents and queries, by one pass through the transformer."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from legalir.component import check_number
from legalir.encode.m3.arithmetic import token_maxima
from legalir.encode.m3.model import M3Model
from legalir.encode.m3.representations import Representations
from legalir.errors import ModelError
from legalir.index.csr import positions
from legalir.neural.batches import by_length
from legalir.neural.contents import read_json
from legalir.neural.loading import shared
from legalir.neural.placement import DTYPES, Placement, placement
from legalir.neural.remembered import Remembered
from legalir.neural.weights import find_model, is_folder, model_digest

__all__ = ["M3Encoder"]

_HEADS = ("sparse_linear", "colbert_linear")
_VERSION = 1
"""Of what is computed here; a change that gives a text other representations raises it."""
_TEXTS = 1024
"""Texts of a batch, at most."""
_BATCH_TOKENS = {"cpu": 1024, "mps": 16_384, "cuda": 65_536}
"""By device; a CPU is fastest where a batch stays in its caches."""
_REMEMBERED_TOKENS = 2**19
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
        if dtype is not None and dtype not in DTYPES:
            raise ModelError(f"{self.name}: dtype={dtype!r} is not one of {', '.join(DTYPES)}.")
        self.model = fspath(model)
        self._asked = max_length, query_max_length
        self._batch_tokens, self._device, self._dtype = batch_tokens, device, dtype
        self._queries: dict[bool, Remembered[str, Representations]] = {
            False: Remembered(),
            True: Remembered(max(1, _REMEMBERED_TOKENS // query_max_length)),
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

        found = self._queries[multi].of(texts, rows)
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
        for chosen in by_length(lengths, self._tokens_of_a_batch, _TEXTS):
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
