"""What a model is run with: the caller's word, then the preset's, then the folder's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from legalir.dense.sentence import EncoderSettings, SentenceEncoder, resolve_settings
from legalir.errors import ModelError
from legalir.models.presets import presets

QWEN = presets()["Qwen/Qwen3-Embedding-0.6B"]
E5 = presets()["intfloat/multilingual-e5-base"]
M3 = presets()["BAAI/bge-m3"]


@pytest.fixture(name="folder")
def empty_folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    return tmp_path


def given(**options: Any) -> SentenceEncoder:
    return SentenceEncoder("acme/model", **options)


def state(folder: Path, name: str, content: Any) -> None:
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def test_a_preset_says_everything_for_a_bare_folder(folder: Path) -> None:
    assert resolve_settings(folder, given(), M3) == EncoderSettings("cls", 8192, "", "")
    assert resolve_settings(folder, given(), E5) == EncoderSettings("mean", 512, "query: ", "passage: ")
    task = "Given a question about the law, retrieve the provisions of statutes that answer it"
    assert resolve_settings(folder, given(), QWEN) == EncoderSettings("last", 8192, f"Instruct: {task}\nQuery:", "")


def test_the_caller_has_the_first_word(folder: Path) -> None:
    options = given(pooling="last", max_length=99, query_prompt="Q ", document_prompt="D ")
    assert resolve_settings(folder, options, E5) == EncoderSettings("last", 99, "Q ", "D ")
    assert resolve_settings(folder, given(query_prompt="", document_prompt=""), E5) == EncoderSettings(
        "mean", 512, "", ""
    )
    assert resolve_settings(folder, given(task="Find"), QWEN).query_prompt == "Instruct: Find\nQuery:"
    assert resolve_settings(folder, given(query_prompt="{task}: ", task="Find"), E5).query_prompt == "Find: "


def test_a_folders_modules_and_smaller_limit_go_before_the_preset_and_its_prompts_after(folder: Path) -> None:
    state(folder, "modules.json", [])
    state(folder, "sentence_bert_config.json", {"max_seq_length": 77})
    state(folder, "config_sentence_transformers.json", {"prompts": {"query": "own: ", "passage": "text: "}})
    assert resolve_settings(folder, given(), None) == EncoderSettings(None, None, "own: ", "text: ")
    assert resolve_settings(folder, given(), E5) == EncoderSettings(None, None, "query: ", "passage: ")
    assert resolve_settings(folder, given(pooling="cls", max_length=9), E5) == EncoderSettings(
        "cls", 9, "query: ", "passage: "
    )
    state(folder, "sentence_bert_config.json", {"max_seq_length": 32768})
    assert resolve_settings(folder, given(), QWEN).max_length == 8192
    assert resolve_settings(folder, given(max_length=9000), QWEN).max_length == 9000


@pytest.mark.parametrize("prompts", [None, {}, {"query": "", "document": ""}, {"query": None}, {"other": "x"}])
def test_a_folder_without_prompts(folder: Path, prompts: Any) -> None:
    state(folder, "config_sentence_transformers.json", {"prompts": prompts})
    assert resolve_settings(folder, given(pooling="mean"), None) == EncoderSettings("mean", None, "", "")


def test_without_a_pooling_there_is_no_vector(folder: Path) -> None:
    with pytest.raises(ModelError, match=r"modules\.json.*pooling='mean'.*'cls'"):
        resolve_settings(folder, given(), None)


def test_a_task_needs_a_place(folder: Path) -> None:
    with pytest.raises(ModelError, match="query_prompt="):
        resolve_settings(folder, given(task="Find"), E5)
    with pytest.raises(ModelError, match=r"'Do \{task\}: '.*task="):
        resolve_settings(folder, given(pooling="cls", query_prompt="Do {task}: "), None)
