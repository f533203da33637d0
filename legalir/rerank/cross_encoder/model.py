"""The model itself: tokens of texts, and logits of pairs of them.

What the configuration of a model says before anything of it is loaded: whether it can be a cross-encoder of ours.

How a tokenizer puts two texts together, learnt from one pair, so that each text has to be tokenised only once.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError, ModelError
from legalir.extras import require
from legalir.models.folders import find_model, read_json
from legalir.models.loading import Placement, load_backbone, load_tokenizer, shared
from legalir.models.presets import preset_of

__all__ = ["CrossEncoder", "PairTemplate", "cross_encoder", "find_cross_encoder", "template_of"]

_KIND = "AutoModelForSequenceClassification"


def find_cross_encoder(model: str | PathLike[str], *, trust_remote_code: bool = False) -> Path:
    """Return the folder of a cross-encoder; nothing of it is loaded.

    Args:
        model: a folder, or the name of a model on the hub.
        trust_remote_code: whether Python code that comes with the model may be run.

    Raises:
        ModelError: there is no such model, it gives more than one score a pair, or it wants code of its own to be run.
        MissingExtra: the model is on the hub, and huggingface_hub is not installed.
    """
    preset = preset_of(model)
    if preset is not None and preset.remote_code and not trust_remote_code:
        raise _wants_code(model)
    folder = find_model(model, trust_remote_code=trust_remote_code)
    config = read_json(folder / "config.json")
    if not isinstance(config, dict):
        raise ModelError(f"{folder / 'config.json'} is no object of JSON: get the whole model again.")
    if _KIND in (config.get("auto_map") or {}) and not trust_remote_code:
        # transformers would load what it has under this name, which need not be the same.
        raise _wants_code(model)
    check_labels(model, _labels(config))
    return folder


def check_labels(model: str | PathLike[str], labels: int | None) -> None:
    """Check that a model gives one score a pair; None is unknown.

    Raises:
        ModelError: it gives another number of them.
    """
    if labels is not None and labels != 1:
        raise ModelError(
            f"rerank: {fspath(model)} gives {labels} numbers a pair, and which of them says how relevant a provision "
            f"is cannot be known: take a model with one label (num_labels 1), such as BAAI/bge-reranker-v2-m3."
        )


def _labels(config: Mapping[str, Any]) -> int | None:
    labels = config.get("id2label")
    number = len(labels) if isinstance(labels, Mapping) else config.get("num_labels")
    return number if isinstance(number, int) else None


def _wants_code(model: str | PathLike[str]) -> ModelError:
    name = fspath(model)
    return ModelError(
        f"rerank: {name} runs only with Python code that comes with it: read that code, and if you trust it, write "
        f"rerank({name!r}, trust_remote_code=True)."
    )


Tokens = npt.NDArray[np.int32]

_PROBE = ("a", "b b")
_CHECK = ("b a b", "a")


@dataclass(frozen=True)
class PairTemplate:
    """What stands around the tokens of two texts, as in ``<s> query </s></s> passage </s>``.

    Attributes:
        around: token ids before the first text, between both, and behind the second.
        types: token types of these three and of the two texts, in order of the tokens: the five parts of a pair.
        pad: token id that fills up shorter pairs.
        typed: whether the model reads token types.
    """

    around: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    types: tuple[int, int, int, int, int]
    pad: int
    typed: bool

    @property
    def special(self) -> int:
        """Number of tokens that a pair has beside those of its texts."""
        return sum(map(len, self.around))

    def padded(self, pairs: Sequence[tuple[Tokens, Tokens]]) -> dict[str, npt.NDArray[np.int64]]:
        """Return what a model is given for `pairs` of token ids: arrays [pairs, tokens of the longest]."""
        length = max(len(first) + len(second) for first, second in pairs) + self.special
        shape = (len(pairs), length)
        found = {"input_ids": np.full(shape, self.pad), "attention_mask": np.zeros(shape, dtype=np.int64)}
        if self.typed:
            found["token_type_ids"] = np.zeros(shape, dtype=np.int64)
        before, between, behind = self.around
        for row, (first, second) in enumerate(pairs):
            parts = (before, first, between, second, behind)
            lengths = [len(part) for part in parts]
            size = sum(lengths)
            found["input_ids"][row, :size] = np.concatenate(parts)
            found["attention_mask"][row, :size] = 1
            if self.typed:
                found["token_type_ids"][row, :size] = np.repeat(self.types, lengths)
        return found


def template_of(tokenizer: Any) -> PairTemplate:
    """Return how `tokenizer` puts two texts together.

    Raises:
        ModelError: it does something else with two texts than to put them between special tokens, the first one
            first, or it has no token for padding.
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
    found = tokenizer(first, second, return_token_type_ids=True)
    return found["input_ids"], found["token_type_ids"]


def _position(whole: list[int], part: list[int], start: int) -> int:
    """Return where `part` stands in `whole`, at `start` or behind it, or −1."""
    places = range(start, len(whole) - len(part) + 1)
    return next((place for place in places if whole[place : place + len(part)] == part), -1)


def _misfit(tokenizer: Any) -> ModelError:
    return ModelError(
        f"The tokenizer of {tokenizer.name_or_path} does not put two texts together as a cross-encoder's does, with "
        f"special tokens around them and one for padding: take a model that was made for reranking."
    )


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
