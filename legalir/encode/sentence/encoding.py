"""Texts through a sentence encoder: tokenised once, batched by length, put back into their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.encode.encoder import Vectors
from legalir.encode.sentence.transformer import Loaded
from legalir.errors import ModelError
from legalir.extras import require
from legalir.neural.batches import by_length

__all__ = ["Advance", "Task", "batch_tokens_of", "encode_texts", "tokenized"]

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
