"""Models that cannot be used say so in a sentence; limits of models are kept; threads share a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cross_encoder_material import QUERIES, SHORT, Statutes, listed, long_text
from tiny_models import minilm_folder, write_cross_encoder, write_m3

from legalir.errors import ComponentError, ModelError
from legalir.models.loading import Placement
from legalir.rerank import cross_encoder, reranker
from legalir.rerank.cross_encoder import CrossEncoder
from legalir.rerank.reranker import CrossEncoderReranker, rerank

pytestmark = pytest.mark.neural

FIRST = listed("q", QUERIES[0], ["a", "b"])
TEXTS = {"a": SHORT[0], "b": SHORT[1]}
MODELING = """
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput


class CountingConfig(PretrainedConfig):
    model_type = "counting"


class Counting(PreTrainedModel):
    config_class = CountingConfig

    def __init__(self, config):
        super().__init__(config)
        self.scale = torch.nn.Parameter(torch.ones(1))
        self.post_init()

    def forward(self, input_ids, attention_mask=None, **_):
        return SequenceClassifierOutput(logits=self.scale * attention_mask.sum(1, keepdim=True))
"""


@pytest.fixture(name="folder", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("faults") / "model")


def fault(call: Callable[[], object], kind: type[ComponentError] = ModelError) -> str:
    with pytest.raises(kind) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(folder: Path, copy: Path, **config: Any) -> Path:
    """Return a copy of a model's folder, with another configuration."""
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    known = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**known, **config}))
    return copy


@pytest.mark.parametrize("labels", [2, 3])
def test_a_model_with_several_labels_is_refused(labels: int, tmp_path: Path) -> None:
    model = write_cross_encoder(tmp_path / "model", labels=labels)

    def use() -> None:
        CrossEncoderReranker(model, texts=TEXTS, device="cpu")(FIRST)

    assert fault(use) == (
        f"rerank: {model} gives {labels} numbers a pair, and it is unknown which of them is the relevance: "
        f"take a model with one label (num_labels 1), such as BAAI/bge-reranker-v2-m3."
    )


def test_an_encoder_is_no_cross_encoder(tmp_path: Path) -> None:
    for model in (write_m3(tmp_path / "m3"), minilm_folder()):
        one = CrossEncoderReranker(model, texts=TEXTS, device="cpu")
        assert "lacks the weights classifier" in fault(lambda one=one: one(FIRST))  # type: ignore[misc]


def test_a_missing_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(tmp_path / "nowhere") in fault(lambda: CrossEncoderReranker(tmp_path / "nowhere"))
    import huggingface_hub

    def offline(*_: Any, **__: Any) -> None:
        raise OSError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    said = fault(lambda: rerank(Statutes({}), model="BAAI/bge-reranker-v2-m3", cache=False))
    assert "BAAI/bge-reranker-v2-m3" in said
    assert "hf download BAAI/bge-reranker-v2-m3 --local-dir FOLDER" in said


def test_a_folder_with_code_wants_to_be_trusted(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where transformers has a class of the same name, which is what jina's configuration looks like."""
    names = {"AutoConfig": "own.CountingConfig", "AutoModelForSequenceClassification": "own.Counting"}
    known = changed(folder, tmp_path / "known", auto_map=names)
    assert f"rerank({str(known)!r}, trust_remote_code=True)" in fault(lambda: CrossEncoderReranker(known))
    own = changed(folder, tmp_path / "own", auto_map=names, model_type="counting", id2label={"0": "LABEL_0"})
    (own / "own.py").write_text(MODELING)
    import torch
    from safetensors.torch import save_file

    save_file({"scale": torch.tensor([0.5])}, own / "model.safetensors", metadata={"format": "pt"})
    assert "trust_remote_code=True" in fault(lambda: CrossEncoderReranker(own))
    from transformers import dynamic_module_utils

    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    one = CrossEncoderReranker(
        own, texts={"a": "가", "b": "가 나"}, device="cpu", activation="none", trust_remote_code=True
    )
    found = one(listed("q", "", ["a", "b"]))
    # The code counts tokens, 4 special ones among them, and halves them.
    assert dict(zip(found["docno"], found["score"], strict=True)) == {
        docno: (4 + len(one.loaded.tokens([text])[0])) / 2
        for docno, text in one.texts.items()  # type: ignore[union-attr]
    }


def test_logits_that_are_no_numbers_are_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    broken = changed(folder, tmp_path / "broken")
    tensors = load_file(broken / "model.safetensors")
    tensors["classifier.out_proj.bias"][0] = float("nan")
    save_file(tensors, broken / "model.safetensors", metadata={"format": "pt"})
    one = CrossEncoderReranker(broken, texts=TEXTS, device="cpu", cache=tmp_path / "cache")
    assert fault(lambda: one(FIRST)) == (f"{broken} gives logits that are not finite in float32: give dtype='float32'.")


def test_too_little_memory_names_the_cure(folder: Path) -> None:
    import torch

    one = CrossEncoderReranker(folder, texts=TEXTS, device="cpu", batch_tokens=1_000)

    class Full:
        config = one.loaded._backbone.config

        def __call__(self, **_: Any) -> None:
            raise torch.OutOfMemoryError("CUDA out of memory")

        def named_modules(self) -> list[Any]:
            return []

    model = CrossEncoder(folder, Placement("cpu", "float32"))
    model._backbone = Full()
    one.__dict__["loaded"] = model
    said = fault(lambda: one(FIRST), ComponentError)
    assert said.startswith("rerank: the memory of cpu does not hold a batch of ")
    assert "such as batch_tokens=" in said


def test_a_device_that_is_not_there_is_named(folder: Path) -> None:
    one = CrossEncoderReranker(folder, texts=TEXTS, device="cuda:7")
    assert "cuda:7" in fault(lambda: one(FIRST))


def test_a_model_reads_what_it_has_positions_for(folder: Path, tmp_path: Path) -> None:
    """XLM-RoBERTa leaves out the positions up to that of padding, BERT none; a tokenizer may say less."""
    placed = Placement("cpu", "float32")
    assert CrossEncoder(folder, placed).positions == CrossEncoder(folder, placed).limit == 512
    less = changed(folder, tmp_path / "less")
    said = json.loads((less / "tokenizer_config.json").read_text())
    (less / "tokenizer_config.json").write_text(json.dumps({**said, "model_max_length": 100}))
    model = CrossEncoder(less, placed)
    assert (model.positions, model.limit) == (512, 100)
    assert CrossEncoderReranker(less, device="cpu").reading.length == 100
    assert CrossEncoderReranker(less, device="cpu", max_length=300).reading.length == 300


def test_a_folder_takes_the_preset_that_is_named(folder: Path, tmp_path: Path) -> None:
    """Given, else the preset's within the model's limit, else that limit; and another length is another fingerprint."""
    long, name = write_cross_encoder(tmp_path / "long", max_length=2_000), "BAAI/bge-reranker-v2-m3"
    for model, options, length in (
        (long, {}, 2_000),
        (long, {"preset": name}, 1_024),
        (long, {"preset": "BAAI/bge-reranker-large"}, 512),
        (long, {"preset": name, "max_length": 1_500}, 1_500),
        (long, {"max_length": 1_500}, 1_500),
        (folder, {"preset": name}, 512),
    ):
        assert CrossEncoderReranker(model, device="cpu", **options).reading.length == length  # type: ignore[arg-type]
    prints = [CrossEncoderReranker(long, preset=preset).fingerprint for preset in (None, name)]
    assert len(set(prints)) == 2
    assert "BAAI/bge-m3 makes vectors" in fault(lambda: CrossEncoderReranker(long, preset="BAAI/bge-m3"))
    assert "There is no preset" in fault(lambda: CrossEncoderReranker(long, preset="bge"))


def test_questions_that_are_cut_are_counted(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    texts = {"a": SHORT[0], "b": SHORT[1]}
    frame = pd.concat([listed("q1", long_text(9), list(texts)), listed("q2", "소방", list(texts))])
    one = CrossEncoderReranker(folder, texts=texts, device="cpu", max_length=32)
    one(frame)
    # The folder may be another one with the same model, which is in memory once.
    assert [one.partition(" ")[2] for one in caplog.messages] == ["cut 1 of 2 questions at 24 tokens."]


def test_progress_counts_pairs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    @contextmanager
    def shown(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
        said.append((label, total))
        yield said.append

    monkeypatch.setattr(reranker, "progress", shown)
    monkeypatch.setattr(cross_encoder, "_BATCH_WINDOWS", 2)
    texts = {**TEXTS, "long": long_text(9)}
    CrossEncoderReranker(folder, texts=texts, device="cpu", passage=48)(listed("q", "질문", list(texts)))
    assert said[0] == ("Reranking by model", 3)
    assert sum(said[1:]) == 3
    assert len(said) > 4, "told after each batch"
