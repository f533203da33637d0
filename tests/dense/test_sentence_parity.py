"""Vectors are those of sentence-transformers, and, for pooling, those that are computed by hand from hidden states."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sentence_material import TEXTS
from tiny_models import SENTENCES, write_m3, write_qwen, write_sentence

from legalir.dense.contract import Vectors
from legalir.dense.sentence import SentenceEncoder

pytestmark = pytest.mark.neural
CLOSE = 1e-5

MODELS: dict[str, Callable[[Path], Path]] = {
    "m3": lambda folder: write_m3(folder, max_length=200),
    "mean": lambda folder: write_sentence(folder, "mean"),
    "cls": lambda folder: write_sentence(folder, "cls", seed=1),
    "max": lambda folder: write_sentence(folder, "max", seed=2),
    "qwen": write_qwen,
}


@pytest.fixture(name="folder", scope="module", params=MODELS)
def model_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param](tmp_path_factory.mktemp("model"))


@cache
def theirs(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def encoded(model: Any, texts: list[str], **options: Any) -> Vectors:
    return np.asarray(model.encode(texts, normalize_embeddings=True, show_progress_bar=False, **options))


def close(found: Vectors, wanted: Vectors) -> None:
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE)


def test_vectors_are_theirs_in_whatever_batches(folder: Path) -> None:
    wanted = encoded(theirs(folder), list(TEXTS), prompt="")
    assert np.ptp(wanted @ wanted.T) > 0.05  # The model tells texts apart, so that a mistake shows.
    for batch_tokens in (None, 8, 300, 1_000_000):
        close(SentenceEncoder(folder, device="cpu", batch_tokens=batch_tokens).encode(TEXTS), wanted)
    alone = SentenceEncoder(folder, device="cpu")
    close(np.concatenate([alone.encode([text]) for text in TEXTS]), wanted)
    close(alone.encode(TEXTS[::-1])[::-1], wanted)


def test_queries_are_theirs_with_the_folders_prompt(folder: Path) -> None:
    model = theirs(folder)
    wanted = np.asarray(model.encode_query(list(TEXTS), normalize_embeddings=True, show_progress_bar=False))
    close(SentenceEncoder(folder, device="cpu").encode_queries(TEXTS), wanted)


def test_a_text_in_nfd_has_the_vector_that_they_give_it_in_nfc(folder: Path) -> None:
    encoder = SentenceEncoder(folder, device="cpu")
    decomposed = [unicodedata.normalize("NFD", text) for text in TEXTS]
    assert decomposed != list(TEXTS)
    close(encoder.encode(decomposed), encoded(theirs(folder), list(TEXTS), prompt=""))


def test_what_says_nothing_is_zero_and_moves_nothing_else(folder: Path) -> None:
    encoder = SentenceEncoder(folder, device="cpu")
    found = encoder.encode(["", SENTENCES[0], " \n\t\u3000", SENTENCES[1]])
    assert not found[[0, 2]].any()
    close(found[[1, 3]], encoded(theirs(folder), list(SENTENCES[:2]), prompt=""))
    assert not encoder.encode_queries([""]).any()
    for nothing in (encoder.encode([]), encoder.encode_queries([])):
        assert nothing.shape == (0, found.shape[1])
        assert nothing.dtype == np.float32


def test_a_text_without_a_token_is_zero(tmp_path: Path) -> None:
    folder = write_sentence(tmp_path)
    tokenizer = theirs(folder).tokenizer
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.save_pretrained(folder)
    from tokenizers import Tokenizer, processors

    backend = Tokenizer.from_file(str(folder / "tokenizer.json"))
    backend.post_processor = processors.TemplateProcessing(single="$A", pair="$A $B", special_tokens=[])
    assert backend.encode("\x07\ufeff").ids == []  # Control characters, which BERT's normalizer takes away.
    encoder = SentenceEncoder(folder, device="cpu")
    loaded = encoder._loaded
    loaded.tokenizer.backend_tokenizer.post_processor = backend.post_processor
    found = encoder.encode(["\x07\ufeff", SENTENCES[0]])
    assert not found[0].any()
    assert np.linalg.norm(found[1]) == pytest.approx(1)


def pooled(folder: Path, texts: list[str], pooling: str, limit: int) -> Vectors:
    """Return vectors computed one text at a time, without padding, from hidden states."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(str(folder)).eval(), AutoTokenizer.from_pretrained(str(folder))
    rows = []
    for text in texts:
        with torch.inference_mode():
            tokens = tokenizer(text, truncation=True, max_length=limit, return_tensors="pt")
            states = model(**tokens).last_hidden_state[0].numpy().astype(np.float64)
        row = {"cls": states[0], "mean": states.mean(axis=0), "last": states[-1]}[pooling]
        rows.append(row / np.linalg.norm(row))
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize("pooling", ["cls", "mean", "last"])
@pytest.mark.parametrize("write", [write_sentence, write_qwen])
def test_a_bare_transformer_is_pooled_as_it_is_told(tmp_path: Path, write: Callable[..., Path], pooling: str) -> None:
    folder = write(tmp_path, modules=False)
    limit = 64 if write is write_sentence else 512
    encoder = SentenceEncoder(folder, device="cpu", pooling=pooling)
    close(encoder.encode(TEXTS), pooled(folder, list(TEXTS), pooling, limit))
    prompt = SentenceEncoder(folder, device="cpu", pooling=pooling, query_prompt="Q: ", max_length=20)
    close(prompt.encode_queries(TEXTS), pooled(folder, [f"Q: {text}" for text in TEXTS], pooling, 20))


def test_prefixes_of_e5_are_really_there(tmp_path: Path) -> None:
    folder = write_sentence(tmp_path)
    encoder = SentenceEncoder(folder, device="cpu", preset="intfloat/multilingual-e5-small")
    model = theirs(folder)
    close(encoder.encode(TEXTS), encoded(model, [f"passage: {text}" for text in TEXTS]))
    close(encoder.encode_queries(TEXTS), encoded(model, [f"query: {text}" for text in TEXTS]))
    plain = SentenceEncoder(folder, device="cpu")
    assert np.abs(plain.encode(TEXTS) - encoder.encode(TEXTS)).max() > 0.01
    assert np.abs(encoder.encode(TEXTS) - encoder.encode_queries(TEXTS)).max() > 0.01


def test_the_instruction_of_qwen_has_our_task_or_the_callers(tmp_path: Path) -> None:
    folder = write_qwen(tmp_path)
    model, name = theirs(folder), "Qwen/Qwen3-Embedding-0.6B"
    own = "Instruct: Given a question about the law, retrieve the provisions of statutes that answer it\nQuery:"
    close(SentenceEncoder(folder, preset=name).encode_queries(TEXTS), encoded(model, list(TEXTS), prompt=own))
    asked = SentenceEncoder(folder, preset=name, task="Find the rule")
    close(asked.encode_queries(TEXTS), encoded(model, list(TEXTS), prompt="Instruct: Find the rule\nQuery:"))
    close(asked.encode(TEXTS), encoded(model, list(TEXTS), prompt=""))


@pytest.mark.parametrize("include", [True, False])
def test_prompts_that_are_left_out_of_the_mean(tmp_path: Path, include: bool) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

    first = Transformer(str(write_sentence(tmp_path / "bare", modules=False)))
    parts = [first, Pooling(32, pooling_mode="mean", include_prompt=include), Dense(32, 12), Normalize()]
    made = SentenceTransformer(modules=parts, device="cpu", prompts={"query": "the owner shall ", "document": ""})
    made.save(str(tmp_path / "whole"))
    model = theirs(tmp_path / "whole")
    encoder = SentenceEncoder(tmp_path / "whole", device="cpu")
    assert encoder.dimensions == 12
    close(encoder.encode_queries(TEXTS), encoded(model, list(TEXTS), prompt="the owner shall "))
    close(encoder.encode(TEXTS), encoded(model, list(TEXTS), prompt=""))


def test_a_model_without_a_transformer(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    write_sentence(tmp_path / "bert")
    tokenizer = Tokenizer.from_file(str(tmp_path / "bert" / "tokenizer.json"))
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)], device="cpu").save(str(tmp_path / "it"))
    encoder = SentenceEncoder(tmp_path / "it", device="cpu", query_prompt="the ")
    close(encoder.encode(TEXTS), encoded(theirs(tmp_path / "it"), list(TEXTS)))
    close(encoder.encode_queries(TEXTS), encoded(theirs(tmp_path / "it"), [f"the {text}" for text in TEXTS]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_near(tmp_path: Path, dtype: str) -> None:
    folder = write_sentence(tmp_path)
    half = SentenceEncoder(folder, device="cpu", dtype=dtype).encode(TEXTS)
    assert half.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, atol=1e-6)
    whole = SentenceEncoder(folder, device="cpu").encode(TEXTS)
    assert 0 < np.abs(half - whole).max() < 0.03
