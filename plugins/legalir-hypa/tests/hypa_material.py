"""Tiny transformers with random weights that depend on a seed alone, a small classifier, and a scripted chat model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from legalir.extend import ChatReply, ChatRequest


class Scripted:
    """Answers a request by a function of it; counts the requests that it got."""

    name, host, concurrency = "scripted", "", 1

    def __init__(self, reply: Callable[[ChatRequest], str | ChatReply]) -> None:
        self._reply = reply
        self.requests: list[ChatRequest] = []

    def chat(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        reply = self._reply(request)
        return reply if isinstance(reply, ChatReply) else ChatReply(reply, prompt_tokens=7, completion_tokens=5)


SPREAD = 0.5


SENTENCES = (
    "관계인은 무창층에 배연설비를 설치하여야 한다.",
    "소방시설을 폐쇄하거나 차단한 자는 5년 이하의 징역에 처한다.",
    "The owner shall keep every exit door free of obstacles at all times.",
    '이 법에서 사용하는 용어의 뜻은 다음과 같다. 1. "관계인"이란 소유자·관리자 또는 점유자를 말한다.',
    "Section 12(3) applies to storage of liquids; 제12조제3항을 준용한다.",
)


WORDS = (
    *(
        "관계인",
        "소방",
        "소방시설",
        "설치",
        "하여야",
        "한다",
        "무창층",
        "배연",
        "설비",
        "이하",
        "징역",
        "처한다",
        "용어",
    ),
    *("the", "owner", "shall", "door", "exit", "section", "storage", "of", "applies", "ing", "er", "s"),
)


def write_sentence(
    folder: Path,
    pooling: str = "mean",
    *,
    seed: int = 0,
    hidden: int = 32,
    layers: int = 2,
    max_length: int = 64,
    modules: bool = True,
) -> Path:
    """Write a BERT-like sentence encoder; `pooling` is ``mean``, ``cls`` or ``max``, without `modules` nobody knows."""
    from transformers import BertConfig, BertModel, BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *_characters(), *(f"##{c}" for c in _characters()), *WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * hidden,
        max_position_embeddings=max_length,
        initializer_range=SPREAD,
    )
    _seeded(seed, lambda: BertModel(config)).save_pretrained(folder)
    BertTokenizer(vocab=vocabulary, strip_accents=False, model_max_length=max_length).save_pretrained(folder)
    if modules:
        modes = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens"}
        _modules(folder, {modes[pooling]: True}, hidden, max_length)
    return folder


def write_cross_encoder(
    folder: Path, *, seed: int = 0, hidden: int = 32, layers: int = 2, max_length: int = 512, labels: int = 1
) -> Path:
    """Write what BAAI/bge-reranker-v2-m3 has: XLM-RoBERTa with a head that gives a pair of texts one number."""
    from transformers import XLMRobertaForSequenceClassification

    config = _roberta(hidden, layers, 4, max_length)
    config.num_labels = labels
    _seeded(seed, lambda: XLMRobertaForSequenceClassification(config)).save_pretrained(folder)
    _sentencepiece(max_length).save_pretrained(folder)
    return folder


def write_complexity(folder: Path) -> Path:
    """Write a linear classifier of three classes: a window counts for class 1, a number of metres or a fine for 2."""
    import numpy as np

    from legalir_hypa.complexity import LinearClassifier

    terms = ["350", "과태료가", "매장이", "창문", "층의"]
    weights = np.array([[0, 0, 0, -3, -2], [-3, -3, -1, 0, 0], [-1, -1, 0.5, 1, 1]], dtype=np.float64)
    intercept = np.array([0.5, 1, 0.25])
    LinearClassifier("svm", 3, terms, np.ones(len(terms)), weights, intercept).save(folder, {})
    return folder


def _seeded(seed: int, build: Callable[[], Any]) -> Any:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def _roberta(hidden: int, layers: int, heads: int, max_length: int) -> Any:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=len(_pieces()),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=2 * hidden,
        max_position_embeddings=max_length + 2,  # The first two stand for padding.
        type_vocab_size=1,
        initializer_range=SPREAD,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )


def _characters() -> list[str]:
    """Return ASCII, and the 2350 syllables of KS X 1001 with what else the sentences hold."""
    rows = (bytes((high, low)).decode("euc-kr") for high in range(0xB0, 0xC9) for low in range(0xA1, 0xFF))
    ascii_ = map(chr, range(0x21, 0x7F))
    return list(dict.fromkeys([*ascii_, *rows, *(c for text in SENTENCES for c in text if not c.isspace())]))


def _pieces() -> list[tuple[str, float]]:
    """Return pieces and their log probabilities: longer ones are likelier than what they consist of.

    A piece at the start of a word and the same inside one decode to the same text, as with XLM-RoBERTa.
    """
    pieces = dict.fromkeys(["▁", *_characters(), *(f"▁{c}" for c in SENTENCES[0]), *WORDS, *(f"▁{w}" for w in WORDS)])
    pieces.pop("▁ ", None)
    scored = [(piece, -8.0 - 0.001 * number + 3.0 * min(len(piece) - 1, 1)) for number, piece in enumerate(pieces)]
    return [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *scored, ("<mask>", 0.0)]


def _sentencepiece(max_length: int) -> Any:
    from transformers import XLMRobertaTokenizer

    return XLMRobertaTokenizer(vocab=_pieces(), model_max_length=max_length)


def _modules(folder: Path, pooling: dict[str, bool], hidden: int, max_length: int) -> None:
    names = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    listed = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{name}"}
        for number, (path, name) in enumerate(names)
    ]
    _json(folder / "modules.json", listed)
    modes = dict.fromkeys(
        ("pooling_mode_cls_token", "pooling_mode_mean_tokens", "pooling_mode_max_tokens", "pooling_mode_lasttoken"),
        False,
    )
    _json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": hidden, **modes, **pooling})
    _json(folder / "sentence_bert_config.json", {"max_seq_length": max_length, "do_lower_case": False})
    _json(folder / "config_sentence_transformers.json", {"__version__": {"sentence_transformers": "2.2.2"}})


def _json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
