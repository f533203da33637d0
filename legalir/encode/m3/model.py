"""A BGE-M3 model in memory: the transformer with its tokenizer, and the two linear layers beside it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ModelError
from legalir.extras import require
from legalir.neural.loading import load_backbone, load_tensors, load_tokenizer
from legalir.neural.placement import Placement

__all__ = ["Batch", "M3Model"]

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
