"""Continued pre-training: blocks, loss and steps beside plain ones, LoRA merged and apart, killed and resumed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import write_causal
from tunable import contents, write_splits

from legalir import Client
from legalir.errors import (
    ArtifactError,
    ComponentError,
    DataError,
    DefinitionError,
    LegalIRError,
    MissingExtra,
    ModelError,
)
from legalir.extend import ChatRequest
from legalir_finetune import FineTuned, FineTuning, Pretraining, load_recipe, pretrain, pretraining
from legalir_finetune.pretraining import collate, pack, rate_factor, split_provisions
from legalir_finetune.trainer import _Steps

SHIPPED = Path(__file__).parents[3] / "experiments" / "neural" / "finetune"
TINY: dict[str, Any] = {
    "kind": "pretrain",
    "max_length": 16,
    "hold_out": 0.3,
    "rate": 3e-3,
    "rank": 4,
    "alpha": 8,
    "epochs": 2,
    "batch": 4,
    "accumulation": 2,
    "seed": 5,
    "device": "cpu",
}


def write_statutes(folder: Path, provisions: int = 24) -> Path:
    corpus = [
        {"docno": f"d{number}", "title": f"§ {number}", "text": f"the owner of lamp {number % 3} is there."}
        for number in range(provisions)
    ]
    queries = [{"qid": "q1", "query": "who?"}]
    return write_splits(folder, corpus, queries, {"dev": ["q1 0 d1 1"]}, lang="en")


@pytest.fixture(name="root", scope="module")
def models_and_statutes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    import torch

    root = tmp_path_factory.mktemp("pretrain")
    write_statutes(root / "statutes")
    write_causal(root / "tied", hidden=16, layers=1, max_length=64)
    write_causal(root / "apart", hidden=16, layers=1, max_length=64, tied=False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # Threads that wait for each other take longer than such models need.
    yield root
    torch.set_num_threads(threads)


def recipe(root: Path, out: Path, model: str = "tied", **changes: Any) -> Pretraining:
    values = {**TINY, "dataset": str(root / "statutes"), "model": str(root / model), "out": str(out), **changes}
    if values.get("method") == "full":
        values = {key: value for key, value in values.items() if key not in Pretraining.LORA_ONLY}
    return Pretraining.parse(values, "r")


def trained(root: Path, out: Path, model: str = "tied", **changes: Any) -> FineTuned:
    options = {name: changes.pop(name) for name in ("resume", "replace") if name in changes}
    return pretrain(recipe(root, out, model, **changes), progress=False, **options)


# Blocks, provisions, rates


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(1, 9), max_size=12), min_size=1, max_size=8), st.integers(1, 7))
def test_packing_loses_no_token(documents: list[list[int]], length: int) -> None:
    blocks = pack(documents, 0, length)
    assert [token for block in blocks for token in block] == [token for one in documents for token in (*one, 0)]
    assert all(len(block) == length for block in blocks[:-1])
    assert 1 <= len(blocks[-1]) <= length


def test_batches_are_as_long_as_their_longest_block() -> None:
    blocks = pack([[1, 2, 3, 4], [5, 6]], 9, 3)
    assert [block.tolist() for block in blocks] == [[1, 2, 3], [4, 9, 5], [6, 9]]
    batch = {name: tensor.tolist() for name, tensor in collate([blocks[2], blocks[0]]).items()}
    assert batch == {
        "input_ids": [[6, 9, 0], [1, 2, 3]],
        "attention_mask": [[1, 1, 0], [1, 1, 1]],
        "labels": [[-100, 9, -100], [-100, 2, 3]],
    }
    assert collate([blocks[2]])["input_ids"].tolist() == [[6, 9]]


def test_provisions_are_held_out_by_their_docno() -> None:
    texts = [(f"d{number}@{date}", str(number)) for number in range(300) for date in ("2020-01-01", "2024-01-01")]
    train, held_out = split_provisions(texts, 0.2)
    assert sorted([*train, *held_out]) == sorted(texts)
    for docno, _ in texts:
        share = int(hashlib.sha256(docno.split("@")[0].encode()).hexdigest(), 16) / 2**256
        assert (docno in dict(held_out)) == (share < 0.2), docno
    assert abs(len(held_out) / len(texts) - 0.2) < 4 * math.sqrt(0.2 * 0.8 / 300)
    assert split_provisions(texts[:100], 0.2)[1] == held_out[: len(split_provisions(texts[:100], 0.2)[1])]


def test_the_rate_rises_and_falls() -> None:
    # Ten steps, three of them in the warm-up: to the whole rate at the third, and seven equal steps towards 0.
    factors = [rate_factor(step, 10, 0.3) for step in range(10)]
    assert factors == pytest.approx([1 / 3, 2 / 3, 1, 1, 6 / 7, 5 / 7, 4 / 7, 3 / 7, 2 / 7, 1 / 7])
    assert [rate_factor(step, 2, 0.0) for step in range(2)] == [1, 0.5]


# Recipes


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"epoch": 3}, r"r\.yaml: the key 'epoch' is unknown\. Did you mean 'epochs'\?"),
        ({"kind": "pretran"}, r"r\.yaml: 'kind' must be one of pretrain, got 'pretran'\. Did you mean 'pretrain'\?"),
        ({"rate": -1e-5}, r"r\.yaml: 'rate' must be above 0, got -1e-05\."),
        ({"rate": "1e-5"}, r"'rate' must be a number \(write 0\.003 or 3\.0e-3\)"),
        ({"embedding_rate": 0}, r"'embedding_rate' must be above 0, got 0\."),
        ({"weight_decay": -1}, r"'weight_decay' must be at least 0, got -1\."),
        ({"warmup": 1}, r"'warmup' must be below 1, got 1\."),
        ({"hold_out": 0}, r"'hold_out' must be above 0, got 0\."),
        ({"hold_out": 0.6}, r"'hold_out' must be at most 0\.5, got 0\.6\."),
        ({"max_length": 4}, r"'max_length' must be at least 8, got 4\."),
        ({"rank": 0}, r"'rank' must be at least 1, got 0\."),
        ({"targets": []}, r"'targets' is empty; give it a value\."),
        ({"targets": ["q_proj", "q_proj"]}, r"'targets' names q_proj twice; keep one\."),
        ({"method": "qlora"}, r"'method' must be one of lora, full, got 'qlora'\. Did you mean 'lora'\?"),
        (
            {"method": "full", "rank": 8},
            r"'rank' needs 'method: lora': without it all weights are trained; leave it out",
        ),
        ({"precision": "float16"}, r"'precision' must be one of float32, bfloat16, got 'float16'"),
        ({"frozen": "bfloat16"}, r"'frozen: bfloat16' needs 'precision: bfloat16'"),
    ],
)
def test_what_is_wrong_is_said(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(DefinitionError, match=sentence):
        Pretraining.parse({"kind": "pretrain", "dataset": "a", "model": "b", "out": "c", **values}, "r.yaml")


def test_the_kind_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text("dataset: ./a\nmodel: b\nout: c\nkind: pretrain\n", encoding="utf-8")
    found = load_recipe(path, epochs=3)
    assert isinstance(found, Pretraining)
    assert (found.dataset, found.epochs) == (str(tmp_path / "a"), 3)
    path.write_text("dataset: a\nmodel: b\nout: c\n", encoding="utf-8")
    assert isinstance(load_recipe(path), FineTuning)
    path.write_text("- 1\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match="a recipe must be a mapping"):
        load_recipe(path)


def test_the_recipes_that_ship() -> None:
    paths = [path for path in SHIPPED.glob("*.yaml") if "kind" in yaml.safe_load(path.read_text(encoding="utf-8"))]
    recipes = {path.stem: Pretraining.load(path) for path in paths}
    assert set(recipes) == {"smollm2", "qwen3-8b", "qwen3-32b"}
    for name, rank, alpha, targets in (("qwen3-8b", 256, 32, None), ("qwen3-32b", 16, 16, ("q_proj", "v_proj"))):
        found = recipes[name]
        assert (found.rank, found.alpha, found.targets) == (rank, alpha, targets)
        assert (found.rate, found.embedding_rate, found.warmup, found.weight_decay) == (1e-5, 5e-6, 0.03, 10.0)
        # Two GPUs with batches of two and four of them a step: 16 blocks.
        assert found.batch * found.accumulation == 16
        assert found.most_blocks is None
        assert (found.precision, found.gradient_checkpointing) == ("bfloat16", True)
        assert "not been run" in (SHIPPED / f"{name}.yaml").read_text(encoding="utf-8")


def test_a_fingerprint_is_of_what_weights_depend_on(tmp_path: Path) -> None:
    plain = recipe(tmp_path, tmp_path / "a")
    same = recipe(tmp_path, tmp_path / "b", adapter=True, device=None, checkpoint_steps=3)
    assert plain.fingerprint("x") == same.fingerprint("x")
    others = [recipe(tmp_path, tmp_path / "a", **change) for change in ({"seed": 6}, {"rate": 1e-3}, {"hold_out": 0.2})]
    assert len({one.fingerprint("x") for one in (plain, *others)} | {plain.fingerprint("y")}) == 5


# The training


def test_the_loss_is_that_of_transformers(root: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(root / "tied").eval()
    ids = torch.arange(36).reshape(3, 12)
    labels = ids.clone()
    labels[2, 5:] = -100
    with torch.no_grad():
        theirs = model(input_ids=ids, attention_mask=(labels != -100).long(), labels=labels).loss
        ours = pretraining.negative_log_likelihood(model, collate([*ids[:2].numpy(), ids[2, :5].numpy()]))
    assert float(ours) == pytest.approx(float(theirs) * (11 + 11 + 4), rel=1e-6)


def test_steps_beside_plain_ones(root: Path, tmp_path: Path) -> None:
    """The weights are those of AdamW, written out, over the gradients of transformers' loss."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    more = {"method": "full", "epochs": 1, "batch": 2, "accumulation": 2, "weight_decay": 10.0, "embedding_rate": 1e-3}
    found = trained(root, tmp_path / "model", "apart", **more)
    values = recipe(root, tmp_path / "x", "apart", **more)
    model = AutoModelForCausalLM.from_pretrained(root / "apart")
    tokenizer = AutoTokenizer.from_pretrained(root / "apart")
    texts = [(f"d{number}", f"§ {number}\nthe owner of lamp {number % 3} is there.") for number in range(24)]
    train, _ = split_provisions(texts, 0.3)
    stream: list[int] = []
    for _, text in train:
        stream += [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    rows = [stream[start : start + 16] for start in range(0, len(stream), 16)]
    order = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0, 0))).permutation(len(rows))
    groups = [order[start : start + 4] for start in range(0, len(rows), 4)]
    moments = {name: (torch.zeros_like(p), torch.zeros_like(p)) for name, p in model.named_parameters()}
    losses = []
    for step, group in enumerate(groups):
        counts = [len(rows[number]) - 1 for number in group]
        total = sum(
            model(input_ids=torch.tensor([rows[number]]), labels=torch.tensor([rows[number]])).loss * count
            for number, count in zip(group, counts, strict=True)
            if count
        )
        losses.append(float(total.detach()))
        model.zero_grad()
        (total / sum(counts)).backward()
        length = math.sqrt(sum(float((p.grad**2).sum()) for p in model.parameters()))
        for name, weight in model.named_parameters():
            gradient = weight.grad * min(1.0, 1 / (length + 1e-6))
            rate = 1e-3 if "embed_tokens" in name or "lm_head" in name else values.rate
            rate *= rate_factor(step, len(groups), values.warmup)
            first, second = moments[name]
            first.mul_(0.9).add_(0.1 * gradient)
            second.mul_(0.999).add_(0.001 * gradient**2)
            if weight.ndim == 2:
                weight.data *= 1 - rate * 10.0
            change = (first / (1 - 0.9 ** (step + 1))) / ((second / (1 - 0.999 ** (step + 1))).sqrt() + 1e-8)
            weight.data -= rate * change
    assert len(groups) >= 3
    assert found.history["steps"].tolist() == [0, len(groups)]
    assert found.history["loss"][1] == pytest.approx(sum(losses) / sum(len(row) - 1 for row in rows), rel=1e-5)
    after = AutoModelForCausalLM.from_pretrained(found.path).state_dict()
    for name, weight in model.state_dict().items():
        assert torch.allclose(after[name], weight, atol=2e-5), name


def test_perplexity_is_that_of_the_model_that_is_written(root: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    found = trained(root, tmp_path / "model", rate=1e-2, batch=2, accumulation=1)
    texts = [(f"d{number}", f"§ {number}\nthe owner of lamp {number % 3} is there.") for number in range(24)]
    _, held_out = split_provisions(texts, 0.3)
    assert len(held_out) >= 2
    for row, folder in ((0, root / "tied"), (2, found.path)):
        model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
        stream: list[int] = []
        for _, text in held_out:
            stream += [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        total = count = 0.0
        for start in range(0, len(stream), 16):
            block = stream[start : start + 16]
            with torch.no_grad():
                logprobs = model(torch.tensor([block])).logits[0].log_softmax(-1)
            total -= sum(float(logprobs[place, token]) for place, token in enumerate(block[1:]))
            count += len(block) - 1
        assert found.history["perplexity"][row] == pytest.approx(math.exp(total / count), rel=1e-4)
    perplexities = found.history["perplexity"].tolist()
    assert perplexities[2] < perplexities[1] < perplexities[0] / 2
    assert found.history["kept"].tolist() == [False, False, True]


def test_batches_do_not_change_a_step(root: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    one = trained(root, tmp_path / "a", batch=4, accumulation=1)
    for name, changes in {"b": {"batch": 1, "accumulation": 4}, "c": {"gradient_checkpointing": True}}.items():
        other = trained(root, tmp_path / name, **{"batch": 4, "accumulation": 1, **changes})
        weights, others = (load_file(found.path / "model.safetensors") for found in (one, other))
        assert all(torch.allclose(weights[key], others[key], atol=1e-4) for key in weights), name


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
@pytest.mark.parametrize(("model", "embedding_rate"), [("tied", None), ("tied", 1e-3), ("apart", 1e-3)])
def test_merged_is_the_same_as_the_adapter(
    root: Path, tmp_path: Path, model: str, embedding_rate: float | None
) -> None:
    import peft
    import torch
    from transformers import AutoModelForCausalLM

    found = trained(root, tmp_path / "model", model, adapter=True, embedding_rate=embedding_rate, rate=1e-2)
    merged = AutoModelForCausalLM.from_pretrained(found.path)
    base = AutoModelForCausalLM.from_pretrained(root / model)
    tokens = torch.arange(30).reshape(2, 15)
    before = base(tokens).logits
    apart = peft.PeftModel.from_pretrained(base, str(found.path / "adapter"))
    assert torch.allclose(merged(tokens).logits, apart(tokens).logits, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(merged(tokens).logits, before, atol=1e-2)
    embeddings = [
        network.get_input_embeddings().weight
        for network in (merged, AutoModelForCausalLM.from_pretrained(root / model))
    ]
    assert torch.equal(*embeddings) == (embedding_rate is None)
    assert merged.config.tie_word_embeddings == (model == "tied")
    config = json.loads((found.path / "adapter" / "adapter_config.json").read_text(encoding="utf-8"))
    assert (config["base_model_name_or_path"], config["r"], config["lora_alpha"]) == (model, 4, 8.0)
    assert config["target_modules"] == sorted(config["target_modules"])
    assert set(config["target_modules"]) == {
        "q_proj",
        "k_proj",
        "v_proj",
        "o_proj",
        "gate_proj",
        "up_proj",
        "down_proj",
    }


def test_targets_and_number_types(root: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    found = trained(
        root, tmp_path / "a", targets=["q_proj", "v_proj"], precision="bfloat16", frozen="bfloat16", epochs=1
    )
    before, after = load_file(root / "tied" / "model.safetensors"), load_file(found.path / "model.safetensors")
    changed = {name for name, weight in after.items() if not weight.float().equal(before[name].bfloat16().float())}
    assert changed == {f"model.layers.0.self_attn.{name}_proj.weight" for name in "qv"}
    assert {str(weight.dtype) for weight in after.values()} == {"torch.bfloat16"}
    assert found.history["perplexity"].notna().all()


PROGRAM = """
import json, os, signal, sys
import torch
from legalir.extend import Checkpoints
from legalir_finetune import Pretraining, pretrain
torch.set_num_threads(int(sys.argv[2]))
save = Checkpoints.save
def killed(self, step, *given):
    folders = save(self, step, *given)
    if step >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return folders
Checkpoints.save = killed
pretrain(Pretraining.parse(json.loads(sys.argv[1]), "r"), progress=False)
"""


def test_killed_and_resumed(root: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    settings = {"checkpoint_steps": 2, "adapter": True, "embedding_rate": 1e-3}
    whole = trained(root, tmp_path / "whole", **settings)
    steps = int(whole.history["steps"][1])
    out = tmp_path / "model"
    given = [json.dumps(recipe(root, out, **settings).as_dict()), str(torch.get_num_threads())]
    ended = subprocess.run([sys.executable, "-c", PROGRAM, *given, str(steps + 2)], env=dict(os.environ), check=False)
    assert ended.returncode == -signal.SIGKILL
    (state,) = out.with_name("model.partial").glob("checkpoint-*")
    # In the middle of the second epoch; of the weights, only those in training are saved.
    assert steps < int(state.name.partition("-")[2]) < 2 * steps
    assert not any("base_layer" in name for name in load_file(state / "model.safetensors"))
    assert not out.exists()
    found = trained(root, out, **settings, resume=True)
    for name in (
        "model.safetensors",
        "adapter/adapter_model.safetensors",
        "adapter/adapter_config.json",
        "config.json",
    ):
        assert contents(found.path)[name] == contents(whole.path)[name], name
    columns = ["epoch", "loss", "perplexity", "steps", "kept"]
    assert found.history[columns].equals(whole.history[columns])
    assert not out.with_name("model.partial").exists()


def test_ctrl_c_ends_with_a_state(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(root, tmp_path / "whole", method="full", epochs=1)
    loss, pressed = _Steps.compute_loss, []

    def press(self: Any, *given: Any, **named: Any) -> Any:
        if self.state.global_step == 1 and not pressed:
            pressed.append(signal.raise_signal(signal.SIGINT))
        return loss(self, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(_Steps, "compute_loss", press)
        with pytest.raises(KeyboardInterrupt):
            trained(root, tmp_path / "model", method="full", epochs=1)
    assert (tmp_path / "model.partial" / "state-2.safetensors").is_file()
    with pytest.raises(ArtifactError, match="holds an interrupted training with another recipe or other data"):
        trained(root, tmp_path / "model", method="full", epochs=1, seed=8)
    found = trained(root, tmp_path / "model", method="full", epochs=1)
    assert contents(found.path)["model.safetensors"] == contents(whole.path)["model.safetensors"]


def test_the_folder_and_its_card(root: Path, tmp_path: Path) -> None:
    found = trained(root, tmp_path / "model", epochs=1)
    files = set(contents(found.path))
    assert {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "README.md",
        "finetuning.json",
        "history.tsv",
    } <= files
    assert not [name for name in files if name.endswith((".bin", ".pt", ".pkl")) or name.startswith("adapter")]
    card = json.loads((found.path / "finetuning.json").read_text(encoding="utf-8"))
    assert card["base"]["model"] == "tied"
    assert card["corpus"]["learnt"]["provisions"] + card["corpus"]["held_out"]["provisions"] == 24
    assert [row["epoch"] for row in card["history"]] == [0, 1]
    assert not ({"dataset", "model", "out", "device"} & set(card["recipe"]))
    text = (found.path / "README.md").read_text(encoding="utf-8")
    assert card["corpus"]["learnt"]["sha256"] in text
    assert str(root) not in text + json.dumps(card) + (found.path / "config.json").read_text(encoding="utf-8")
    # It can be asked as it is.
    model = Client().model(f"transformers(model={str(found.path)!r}, device='cpu')")
    reply = model.chat(ChatRequest((("user", "x"),), max_tokens=4))
    assert reply.completion_tokens <= 4
    with pytest.raises(DefinitionError, match=r"exists.*replace=True \(--replace"):
        trained(root, found.path)
    trained(root, found.path, epochs=1, seed=9, replace=True)
    with pytest.raises(ComponentError, match="exists and is not a fine-tuned model"):
        trained(root, root / "tied", replace=True)


def test_mistakes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "model"
    with pytest.raises(ModelError, match=r"'max_length'.*65.*64"):
        trained(root, out, max_length=65)
    with pytest.raises(ModelError, match=r"'targets'.*'lm_head'.*q_proj, k_proj"):
        trained(root, out, targets=["lm_head"])
    with pytest.raises(DataError, match="of which 1"):
        trained(root, out, dataset=str(write_statutes(tmp_path / "one", 1)))
    with pytest.raises(DefinitionError, match="resume=True"):
        trained(root, out, resume=True)
    with monkeypatch.context() as patch:
        patch.setattr(pretraining, "negative_log_likelihood", spoilt(pretraining.negative_log_likelihood))
        with pytest.raises(LegalIRError, match=r"nan at step 1.*0\.003"):
            trained(root, out)
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingExtra, match=r"'peft'.*/plugins"):
        trained(root, out)
    assert not out.exists()


def spoilt(original: Any) -> Any:
    """Return a loss that is no number in training."""
    return lambda model, inputs: original(model, inputs) * (math.nan if model.training else 1.0)
