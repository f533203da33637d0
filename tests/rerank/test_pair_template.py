"""How tokenizers put two texts together: what is learnt from one pair holds for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cross_encoder_material import QUERIES, SHORT
from tiny_models import minilm_folder, write_cross_encoder, write_qwen

from legalir.errors import ModelError
from legalir.models.loading import load_tokenizer
from legalir.rerank.cross_encoder import template_of

pytestmark = pytest.mark.neural


@pytest.fixture(name="folders", scope="module")
def written_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("template")
    roberta, qwen = write_cross_encoder(folder / "roberta"), write_qwen(folder / "qwen")
    return {"roberta": roberta, "bert": minilm_folder(), "qwen": qwen}


@pytest.mark.parametrize("name", ["roberta", "bert", "qwen"])
def test_pairs_are_what_the_tokenizer_makes_of_them(folders: dict[str, Path], name: str) -> None:
    tokenizer = load_tokenizer(folders[name])
    template = template_of(tokenizer)
    pairs = [(query, text) for query in (*QUERIES, "") for text in (*SHORT, "café e\u0301", "  two  spaces\n\nlines ")]
    alone = [[tokenizer(text, add_special_tokens=False)["input_ids"] for text in pair] for pair in pairs]
    made = template.padded([(np.array(a, dtype=np.int32), np.array(b, dtype=np.int32)) for a, b in alone])
    assert template.typed == (name == "bert")
    assert made.keys() == {"input_ids", "attention_mask"} | ({"token_type_ids"} if template.typed else set())
    for row, pair in enumerate(pairs):
        wanted = tokenizer([pair])  # Alone, a pair whose second text is empty would count as a single text.
        size = len(wanted["input_ids"][0])
        for key, array in made.items():
            assert array[row, :size].tolist() == wanted[key][0]
            fill = template.pad if key == "input_ids" else 0
            assert (array[row, size:] == fill).all()
        assert size == sum(map(len, alone[row])) + template.special


def test_values(folders: dict[str, Path]) -> None:
    """``<s> 0 … </s></s> 2 2 … </s> 2`` of XLM-RoBERTa, and ``[CLS] … [SEP] … [SEP]`` with types 0 and 1 of BERT."""
    roberta = template_of(load_tokenizer(folders["roberta"]))
    assert roberta.around == ((0,), (2, 2), (2,))
    assert (roberta.special, roberta.pad) == (4, 1)
    bert = template_of(load_tokenizer(folders["bert"]))
    assert bert.around == ((101,), (102,), (102,))
    assert bert.types == (0, 0, 0, 1, 1)
    assert (bert.special, bert.pad) == (3, 0)


class Odd:
    """A tokenizer that does something else with two texts."""

    name_or_path = "somewhere/odd"
    pad_token_id: int | None = 0
    model_input_names = ("input_ids",)

    def __init__(self, kind: str) -> None:
        self.kind = kind
        if kind == "no padding":
            self.pad_token_id = None

    def __call__(self, first: str, second: str | None = None, **_: Any) -> dict[str, list[int]]:
        a, b = ([ord(c) for c in text] for text in (first, second or ""))
        if self.kind == "says nothing":
            return {"input_ids": [], "token_type_ids": []}
        ids = a if second is None else [1, *b, 2, *a]
        if second is not None and self.kind == "counts":
            ids = [len(a), *a, 2, *b, len(b)]
        if second is not None and self.kind == "no padding":
            ids = [*a, *b]
        return {"input_ids": ids, "token_type_ids": [0] * len(ids)}


@pytest.mark.parametrize("kind", ["turned around", "counts", "no padding", "says nothing"])
def test_a_tokenizer_that_does_something_else_is_refused(kind: str) -> None:
    with pytest.raises(ModelError, match="somewhere/odd"):
        template_of(Odd(kind))
