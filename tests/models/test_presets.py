"""Presets: complete, consistent with themselves, and found only where it is certain which model is meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from legalir.dense.sentence import SentenceEncoder
from legalir.errors import ModelError
from legalir.models.presets import find_preset, preset_of, presets, read_length

NAMES = (
    "BAAI/bge-m3",
    "Qwen/Qwen3-Embedding-0.6B",
    "intfloat/multilingual-e5-small",
    "intfloat/multilingual-e5-base",
    "intfloat/multilingual-e5-large",
    "intfloat/multilingual-e5-large-instruct",
    "sentence-transformers/all-MiniLM-L6-v2",
    "snunlp/KR-SBERT-V40K-klueNLI-augSTS",
    "BAAI/bge-large-en-v1.5",
    "jinaai/jina-embeddings-v3",
    "jinaai/jina-embeddings-v3-hf",
    "nvidia/NV-Embed-v1",
    "BAAI/bge-reranker-v2-m3",
    "BAAI/bge-reranker-large",
    "jinaai/jina-reranker-v2-base-multilingual",
)


def test_all_models_are_there() -> None:
    assert tuple(presets()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_says_all_that_is_needed(name: str) -> None:
    preset = presets()[name]
    assert preset.model == name
    assert preset.source.startswith(f"https://huggingface.co/{name},")
    assert preset.licence
    assert preset.max_length >= 128
    if preset.kind == "cross-encoder":
        assert (preset.pooling, preset.dimensions, preset.query_prompt, preset.document_prompt) == (None, None, "", "")
    else:
        assert preset.pooling in ("cls", "mean", "last") or preset.refused
        assert preset.dimensions in (384, 768, 1024, 4096)
    assert (preset.padding == "left") == (preset.pooling == "last")
    assert ("{task}" in preset.query_prompt) == (preset.task is not None)
    assert "{" not in preset.document_prompt


def test_what_the_model_cards_say() -> None:
    e5 = presets()["intfloat/multilingual-e5-base"]
    assert (e5.query_prompt, e5.document_prompt, e5.pooling, e5.max_length) == ("query: ", "passage: ", "mean", 512)
    qwen = presets()["Qwen/Qwen3-Embedding-0.6B"]
    assert (qwen.query_prompt, qwen.document_prompt, qwen.pooling) == ("Instruct: {task}\nQuery:", "", "last")
    m3 = presets()["BAAI/bge-m3"]
    assert (m3.kind, m3.pooling, m3.max_length, m3.query_prompt) == ("m3", "cls", 8192, "")
    jina = presets()["jinaai/jina-reranker-v2-base-multilingual"]
    assert (jina.licence, jina.remote_code) == ("CC-BY-NC-4.0", True)
    bge = presets()["BAAI/bge-large-en-v1.5"]
    assert (bge.pooling, bge.max_length, bge.document_prompt) == ("cls", 512, "")
    assert bge.query_prompt == "Represent this sentence for searching relevant passages: "
    lengths = [presets()[f"BAAI/bge-reranker-{name}"].max_length for name in ("v2-m3", "large")]
    assert lengths == [1024, 512]


def test_a_preset_is_found_by_name_or_by_what_a_folder_says_of_itself(tmp_path: Path) -> None:
    assert preset_of("BAAI/bge-m3") is presets()["BAAI/bge-m3"]
    assert preset_of("baai/BGE-m3") is None
    assert preset_of("nobody/nothing") is None
    folder = tmp_path / "bge-m3"  # A name that somebody gave, which proves nothing.
    folder.mkdir()
    assert preset_of(folder) is None
    for content in ("{", "[]", "{}", json.dumps({"_name_or_path": "nobody/nothing"}), json.dumps({"_name_or_path": 3})):
        (folder / "config.json").write_text(content, encoding="utf-8")
        assert preset_of(str(folder)) is None
    (folder / "config.json").write_text(json.dumps({"_name_or_path": "BAAI/bge-m3"}), encoding="utf-8")
    assert preset_of(folder) is presets()["BAAI/bge-m3"]


def test_the_named_preset_else_that_of_the_model() -> None:
    e5, m3, reranker = "intfloat/multilingual-e5-base", "BAAI/bge-m3", "BAAI/bge-reranker-v2-m3"
    assert find_preset(e5) is presets()[e5]
    assert find_preset("./somewhere") is None
    assert find_preset("./somewhere", m3) is find_preset(e5, m3) is presets()[m3]
    assert find_preset("./somewhere", reranker, pairs=True) is presets()[reranker]
    with pytest.raises(ModelError, match=r"'bge-m3'.*'BAAI/bge-m3'"):
        find_preset("./somewhere", "bge-m3")
    for pairs, name, cure in ((False, reranker, "rerank"), (True, m3, "dense")):
        for arguments in ((name,), ("./somewhere", name)):
            with pytest.raises(ModelError, match=rf"write {cure}\('{name}'\)"):
                find_preset(*arguments, pairs=pairs)


@pytest.mark.parametrize("name", [name for name in NAMES if presets()[name].refused])
def test_a_refused_model_says_why_before_anything_is_fetched(name: str) -> None:
    with pytest.raises(ModelError, match=f"{name}"):
        SentenceEncoder(name, trust_remote_code=True)


@pytest.mark.parametrize(
    ("given", "named", "limit", "read"),
    [
        (None, False, None, None),
        (None, False, 400, 400),
        (None, True, None, 512),
        (None, True, 400, 400),
        (None, True, 8192, 512),
        (600, True, 400, 600),
        (600, False, 8192, 600),
    ],
)
def test_the_length_is_the_callers_else_the_presets_within_the_limit(
    given: int | None, named: bool, limit: int | None, read: int | None
) -> None:
    preset = presets()["BAAI/bge-large-en-v1.5"] if named else None
    assert read_length(given, preset, limit) == read
