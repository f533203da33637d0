"""The model itself: tokens of texts, and logits of pairs of them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError, ModelError
from legalir.extras import require
from legalir.neural.loading import load_backbone, load_tokenizer, shared
from legalir.neural.placement import Placement
from legalir.rerank.cross_encoder.config import check_labels
from legalir.rerank.cross_encoder.template import Tokens, template_of

__all__ = ["CrossEncoder", "cross_encoder"]

_AT_ONCE = 1_000


class CrossEncoder:
    """A loaded cross-encoder. Threads may share it.

    Args:
        folder: of the model.
        placed: where it computes.
        trust_remote_code: whether Python code in the folder may be run.

    Raises:
        ModelError: the model cannot be loaded, gives more than one number a pair, or takes no pairs.
        MissingExtra: torch or transformers is not installed.
    """

    def __init__(self, folder: Path, placed: Placement, *, trust_remote_code: bool = False) -> None:
        self.placed = placed
        self._folder = folder
        self._tokenizer = load_tokenizer(folder, trust_remote_code=trust_remote_code)
        self._backbone = load_backbone(
            folder, "AutoModelForSequenceClassification", placed, trust_remote_code=trust_remote_code
        )
        check_labels(folder, self._backbone.config.num_labels)
        self.template = template_of(self._tokenizer)
        # A tokenizer may be used by one thread at a time.
        self._lock = threading.Lock()

    @property
    def positions(self) -> int | None:
        """Tokens of the longest pair for which the model has positions; None where they have no end."""
        nn = require("torch.nn", extra="dense")
        for name, module in self._backbone.named_modules():
            if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
                # RoBERTa counts positions from behind that of padding.
                return int(module.num_embeddings - (-1 if module.padding_idx is None else module.padding_idx) - 1)
        return None

    @property
    def limit(self) -> int:
        """Tokens of the longest pair that the model is meant to read, as its tokenizer or its configuration says."""
        said = [self._tokenizer.model_max_length, getattr(self._backbone.config, "max_position_embeddings", None)]
        known = [number for number in (*said, self.positions) if isinstance(number, int) and 0 < number < 1e9]
        return min(known, default=512)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the token ids of each text, whole and without special tokens."""
        found: list[Tokens] = []
        for start in range(0, len(texts), _AT_ONCE):
            said = self._tokenized(list(texts[start : start + _AT_ONCE]))["input_ids"]
            found += [np.array(ids, dtype=np.int32) for ids in said]
        return found

    def ends(self, text: str) -> npt.NDArray[np.int64]:
        """Return where each token of a text begins and ends, as positions of characters; int64 [tokens, 2]."""
        said = self._tokenized([text], return_offsets_mapping=True)["offset_mapping"][0]
        return np.array(said, dtype=np.int64).reshape(-1, 2)

    def _tokenized(self, texts: list[str], **more: Any) -> Any:
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
        """Return the logit of each pair of token ids, which go through the model as one batch; float32 [pairs].

        Raises:
            ComponentError: the device's memory does not hold the batch.
            ModelError: a logit is no finite number.
        """
        torch = require("torch", extra="dense")
        arrays = self.template.padded(pairs)
        try:
            with torch.inference_mode():
                given = {name: torch.from_numpy(array).to(self.placed.device) for name, array in arrays.items()}
                said = self._backbone(**given).logits
        except torch.OutOfMemoryError as error:
            size = arrays["input_ids"].size
            raise ComponentError(
                f"rerank: the memory of {self.placed.device} does not hold a batch of {size} tokens: "
                f"give a smaller one, such as batch_tokens={max(1, size // 4)}, or shorter windows by passage."
            ) from error
        logits: npt.NDArray[np.float32] = said.float().reshape(-1).cpu().numpy()
        if not np.isfinite(logits).all():
            raise ModelError(
                f"{self._folder} gives logits that are no finite numbers in {self.placed.dtype}: give dtype='float32'."
            )
        return logits


def cross_encoder(folder: Path, digest: str, placed: Placement, *, trust_remote_code: bool = False) -> CrossEncoder:
    """Return the loaded model in `folder`, one in memory for all who hold it; errors as :class:`CrossEncoder`.

    Args:
        folder: of the model.
        digest: of its files.
        placed: where it computes.
        trust_remote_code: whether Python code in the folder may be run.
    """
    key = ("cross-encoder", digest, placed, trust_remote_code)
    return shared(key, lambda: CrossEncoder(folder, placed, trust_remote_code=trust_remote_code))
