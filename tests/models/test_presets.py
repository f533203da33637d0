"""Presets: complete, consistent with themselves, and found only where it is certain which model is meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from legalir.models.presets import preset_of, presets

NAMES = (
    "BAAI/bge-m3",
    "Qwen/Qwen3-Embedding-0.6B",
    "intfloat/multilingual-e5-small",
    "intfloat/multilingual-e5-base",
    "intfloat/multilingual-e5-large",
    "intfloat/multilingual-e5-large-instruct",
    "sentence-transformers/all-MiniLM-L6-v2",
    "snunlp/KR-SBERT-V40K-klueNLI-augSTS",
    "BAAI/bge-reranker-v2-m3",
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
        assert preset.pooling in ("cls", "mean", "last")
        assert preset.dimensions in (384, 768, 1024)
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
