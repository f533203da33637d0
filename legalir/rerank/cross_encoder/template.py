"""How a tokenizer puts two texts together, learnt from one pair, so that each text has to be tokenised only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ModelError

__all__ = ["PairTemplate", "template_of"]

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
