"""Write a small model in the layout of BGE-M3: for a CPU, to be fine-tuned, and to try every neural experiment with.

    python experiments/neural/small_model.py legalir/kr-precedent-core --out results/neural/small

Its tokenizer (Unigram, as XLM-RoBERTa's) is trained on the provisions. The transformer is random but for two things
that let it learn in minutes what a language model brings along: a piece's embedding is its direction in a latent
semantic analysis of the provisions, and the first layer adds the mean over the text to every position, so that the
vector of [CLS] is about the text's LSA vector before any training. The same seed and provisions make the same model.
"""

from __future__ import annotations

import argparse
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

MEAN = 4.0
"""How much the mean over a text counts beside each position, after the first layer."""

WEIGHT = 0.1
"""Of every token, for the sparse head."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", help="an id or the path of a folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pieces", type=int, default=16_000)
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--texts", type=int, default=20_000, help="provisions that the tokenizer is trained on")
    parser.add_argument("--tokens", type=int, default=512, help="that the model can read of a text")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.out.exists():
        parser.error(f"{given.out} exists")
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    write(given, read_texts(given.dataset))


def read_texts(dataset: str) -> list[str]:
    from legalir import Collection

    return [row.default_text() for row in Collection(dataset).docs()]


def write(given: argparse.Namespace, texts: Sequence[str]) -> None:
    import torch

    rng = np.random.default_rng(given.seed)
    chosen = [texts[number] for number in np.sort(rng.permutation(len(texts))[: given.texts])]
    tokenizer = trained_tokenizer(chosen, given.pieces, given.tokens)
    torch.manual_seed(given.seed)
    model = transformer(len(tokenizer), given.dim, given.layers, given.tokens)
    begin_with(model, piece_vectors(tokenizer, texts, given.dim))
    model.save_pretrained(given.out)
    tokenizer.save_pretrained(given.out)
    # Every token weighs alike: a random layer's ReLU gives many nothing, and what gives nothing learns nothing.
    sparse = {"weight": torch.zeros(1, given.dim), "bias": torch.full((1,), WEIGHT)}
    torch.save(sparse, given.out / "sparse_linear.pt")
    torch.save(torch.nn.Linear(given.dim, given.dim).state_dict(), given.out / "colbert_linear.pt")
    write_modules(given.out, given.dim, given.tokens)
    print(f"{given.out}: {sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters, {len(tokenizer)} pieces")


def trained_tokenizer(texts: Sequence[str], pieces: int, length: int) -> Any:
    """Return an XLM-RoBERTa tokenizer whose pieces are those of these texts.

    SentencePiece learns them, in one thread: the trainer of the package tokenizers finds others each time.
    """
    import sentencepiece
    from transformers import XLMRobertaTokenizer

    lines = (text[first : first + 500] for text in texts for first in range(0, len(text), 500))
    learnt = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(line.split()) for line in lines),
        model_writer=learnt,
        model_type="unigram",
        vocab_size=pieces - 2,  # Three of them are marks; here there are five.
        max_sentencepiece_length=12,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    found = sentencepiece.SentencePieceProcessor(model_proto=learnt.getvalue())
    own = [(found.id_to_piece(n), found.get_score(n)) for n in range(len(found)) if not control(found, n)]
    marks = [(mark, 0.0) for mark in ("<s>", "<pad>", "</s>", "<unk>")]
    return XLMRobertaTokenizer(vocab=[*marks, *own, ("<mask>", 0.0)], model_max_length=length)


def control(found: Any, number: int) -> bool:
    return bool(found.is_control(number) or found.is_unknown(number))


def transformer(pieces: int, dim: int, layers: int, length: int) -> Any:
    from transformers import XLMRobertaConfig, XLMRobertaModel

    config = XLMRobertaConfig(
        vocab_size=pieces,
        hidden_size=dim,
        num_hidden_layers=layers,
        num_attention_heads=dim // 64,
        intermediate_size=4 * dim,
        max_position_embeddings=length + 2,  # The first two stand for padding.
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.0,
    )
    return XLMRobertaModel(config)


def piece_vectors(tokenizer: Any, texts: Sequence[str], dim: int) -> np.ndarray:
    """Return a direction of each piece, [V, dim]: singular vectors 2 to dim + 1 of log tf-idf of pieces in provisions.

    The first says how common a piece is, and would make all texts alike.
    """
    from scipy.sparse import csc_array, csr_array

    from legalir.dense.lsa import right_singular_vectors

    rows, columns = [], []
    for first in range(0, len(texts), 1024):
        read = tokenizer(texts[first : first + 1024], add_special_tokens=False, truncation=True, max_length=256)
        for number, ids in enumerate(read["input_ids"], first):
            columns.append(np.asarray(ids, dtype=np.int64))
            rows.append(np.full(len(ids), number))
    places = (np.concatenate(rows), np.concatenate(columns))
    counts = csr_array((np.ones(len(places[0]), np.float32), places), shape=(len(texts), len(tokenizer)))
    counts.sum_duplicates()
    counts.data = 1 + np.log(counts.data)
    known = np.bincount(counts.indices, minlength=len(tokenizer))
    idf = np.log(len(texts) / np.maximum(known, 1)).astype(np.float32)
    weighted = csc_array(counts.multiply(idf[None, :]))
    vectors = right_singular_vectors(weighted, dim + 1)[:, 1:]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def begin_with(model: Any, vectors: np.ndarray) -> None:
    """Give pieces these embeddings, and let the first layer add the mean over the text to every position."""
    import torch

    dim = vectors.shape[1]
    with torch.no_grad():
        model.embeddings.word_embeddings.weight.copy_(torch.from_numpy(vectors.astype(np.float32)))
        model.embeddings.token_type_embeddings.weight.zero_()
        first = model.encoder.layer[0].attention
        first.self.value.weight.copy_(torch.eye(dim))
        first.output.dense.weight.copy_(MEAN * torch.eye(dim))


def write_modules(folder: Path, dim: int, length: int) -> None:
    names = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(names)
    ]
    modes = {f"pooling_mode_{mode}": mode == "cls_token" for mode in ("cls_token", "mean_tokens", "max_tokens")}
    for path, content in {
        "modules.json": modules,
        "1_Pooling/config.json": {"word_embedding_dimension": dim, **modes},
        "sentence_bert_config.json": {"max_seq_length": length, "do_lower_case": False},
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    (folder / "2_Normalize").mkdir(exist_ok=True)


if __name__ == "__main__":
    main()
