"""A tiny ColBERT model on disk, as PyLate 1.6 writes one: BERT, a linear layer, lengths and prefixes.

Its weights come from numpy's ``RandomState``, whose numbers never change, so that scores can be compared with those
that PyLate gave; ``python tiny_colbert.py`` prints them where PyLate is installed.
"""

from __future__ import annotations

import json
import string
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

HIDDEN, LAYERS, POSITIONS, DIMENSIONS = 16, 2, 48, 8
QUERIES = ("창문 없는 층의 기준은?", "Who shall keep the exit doors free?", '제12조제3항에서 "관계인"이란?', "...", "a")
DOCUMENTS = (
    "관계인은 무창층에 배연설비를 설치하여야 한다.",
    "The owner shall keep every exit door free of obstacles at all times. " * 3,
    "Section 12(3) applies to storage of liquids; 제12조제3항을 준용한다.",
    "!?",
    "door",
)
"""What PyLate scored: with punctuation, which provisions lose, and beyond the greatest length."""

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_PREFIXES = ("[Q] ", "[D] ")


def write_colbert(folder: Path, *, seed: int = 0) -> Path:
    """Write the model into `folder` and return it."""
    (folder / "1_Dense").mkdir(parents=True)
    texts = "".join((*QUERIES, *DOCUMENTS, string.ascii_letters, string.digits, string.punctuation))
    letters = sorted(set(texts.lower()) - {" "})
    vocabulary = [*_SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    _write_tokenizer(folder, vocabulary)
    save_file(_weights(seed, len(vocabulary) + len(_PREFIXES)), folder / "model.safetensors", {"format": "pt"})
    dense = np.random.RandomState(seed + 1).normal(size=(DIMENSIONS, HIDDEN)).astype(np.float32)
    save_file({"linear.weight": dense}, folder / "1_Dense" / "model.safetensors", {"format": "pt"})
    for name, content in _configuration(len(vocabulary) + len(_PREFIXES)).items():
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    return folder


def _write_tokenizer(folder: Path, vocabulary: list[str]) -> None:
    numbers = {token: number for number, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False, lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(_SPECIAL))
    tokenizer.add_tokens(list(_PREFIXES))
    ends = [(token, numbers[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def _weights(seed: int, words: int) -> dict[str, np.ndarray]:
    random = np.random.RandomState(seed)
    weights: dict[str, np.ndarray] = {}

    def add(name: str, *shape: int) -> None:
        weights[name] = (0.5 * random.normal(size=shape)).astype(np.float32)

    def linear(name: str, outputs: int, inputs: int) -> None:
        add(f"{name}.weight", outputs, inputs)
        add(f"{name}.bias", outputs)

    def norm(name: str) -> None:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(HIDDEN, "f4"), np.zeros(HIDDEN, "f4")

    for name, rows in (("word", words), ("position", POSITIONS), ("token_type", 2)):
        add(f"embeddings.{name}_embeddings.weight", rows, HIDDEN)
    norm("embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        for part in ("query", "key", "value"):
            linear(f"{layer}.attention.self.{part}", HIDDEN, HIDDEN)
        linear(f"{layer}.attention.output.dense", HIDDEN, HIDDEN)
        norm(f"{layer}.attention.output.LayerNorm")
        linear(f"{layer}.intermediate.dense", 2 * HIDDEN, HIDDEN)
        linear(f"{layer}.output.dense", HIDDEN, 2 * HIDDEN)
        norm(f"{layer}.output.LayerNorm")
    linear("pooler.dense", HIDDEN, HIDDEN)
    return weights


def _configuration(words: int) -> dict[str, object]:
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "vocab_size": words,
            "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": 2,
            "intermediate_size": 2 * HIDDEN,
            "max_position_embeddings": POSITIONS,
            "pad_token_id": 0,
            "dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": True,
            "strip_accents": False,
            "model_max_length": POSITIONS,
            "pad_token": "[MASK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
            "unk_token": "[UNK]",
        },
        "sentence_bert_config.json": {"max_seq_length": POSITIONS, "do_lower_case": False},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Dense", "type": "pylate.models.Dense.Dense"},
        ],
        "1_Dense/config.json": {
            "in_features": HIDDEN,
            "out_features": DIMENSIONS,
            "bias": False,
            "activation_function": "torch.nn.modules.linear.Identity",
            "use_residual": False,
        },
        "config_sentence_transformers.json": {
            "model_type": "ColBERT",
            "prompts": {"query": "", "document": ""},
            "default_prompt_name": None,
            "similarity_fn_name": "MaxSim",
            "query_prefix": _PREFIXES[0],
            "document_prefix": _PREFIXES[1],
            "query_length": 16,
            "document_length": 40,
            "attend_to_expansion_tokens": False,
            "skiplist_words": list(string.punctuation),
            "do_query_expansion": True,
        },
    }


def _pylate_scores(folder: Path) -> list[list[float]]:
    """Return PyLate's score of each document for each query."""
    import torch
    from pylate import models as pylate_models
    from pylate import scores

    model = pylate_models.ColBERT(model_name_or_path=str(folder), device="cpu")
    queries = model.encode(list(QUERIES), is_query=True, show_progress_bar=False)
    documents = model.encode(list(DOCUMENTS), is_query=False, show_progress_bar=False)
    return [
        [float(scores.colbert_scores([torch.tensor(query)], [torch.tensor(one)])[0, 0]) for one in documents]
        for query in queries
    ]


if __name__ == "__main__":
    print(json.dumps(_pylate_scores(write_colbert(Path(sys.argv[1]))), indent=1))  # noqa: T201
