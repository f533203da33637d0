"""The chat models that ship keep the promises of their role."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from chat_server import ChatServer, chat_server  # noqa: F401  (a fixture)
from tiny_models import write_causal

from legalir import testing
from legalir.llm.local import GGUF, gguf, smollm2
from legalir.models.folders import PRESETS
from legalir.testing.data import CHAT_REQUEST

PROCESS = {"light-import", "light-construction", "light-empty-frame", "another-process"}


def test_recorded(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    line = {"prompt": CHAT_REQUEST.prompt, "question": CHAT_REQUEST.question, "text": "At dusk."}
    path.write_text(json.dumps(line), encoding="utf-8")
    assert {one.status for one in testing.check("llm", "recorded", params={"path": str(path)})} == {"passed"}


def test_openai(chat_server: ChatServer) -> None:  # noqa: F811
    params = {"model": "m", "base_url": chat_server.url}
    assert {one.status for one in testing.check("llm", "openai", params=params)} == {"passed"}


@lru_cache
def one_model() -> GGUF:
    return smollm2(None, context=512)


@pytest.mark.neural
@pytest.mark.skipif(find_spec(PRESETS["smollm2"].module) is None, reason=PRESETS["smollm2"].install)
def test_smollm2_and_gguf() -> None:
    # The weights are loaded once, so that a new interpreter cannot make the same model.
    outcomes = testing.check("llm", lambda collection: one_model())
    assert {one.check for one in outcomes if one.status != "passed"} == PROCESS
    assert all(one.ok for one in outcomes)
    assert gguf(None, model="smollm2").name == smollm2(None).name == one_model().name


@pytest.mark.neural
def test_transformers(tmp_path: Path) -> None:
    params = {"model": str(write_causal(tmp_path / "tiny")), "device": "cpu"}
    assert {one.status for one in testing.check("llm", "transformers", params=params)} == {"passed"}
