"""The network that is trained: read safely, with FlagEmbedding's loss, which is InfoNCE as computed here by hand."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import write_m3, write_sentence

from legalir.errors import ModelError
from legalir.extend import Gold
from legalir_finetune import FineTuning
from legalir_finetune.anchors import Anchor
from legalir_finetune.finetuning import Collator
from legalir_finetune.model import Network, load_network, read_base_model, write_model

torch = pytest.importorskip("torch")

QUERIES = ["관계인 owner", "the exit door shall"]
PASSAGES = ["소방시설 설치 of the", "storage 용어", "무창층 exit", "설비 징역 door owner the the"]


@pytest.fixture(name="m3", scope="module")
def m3_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("models") / "m3", max_length=64)


def loaded(folder: Path, **changes: Any) -> Network:
    values = {"dataset": "d", "out": "o", "model": str(folder), "query_length": 16, "passage_length": 16, **changes}
    recipe = FineTuning(**values)
    return load_network(recipe, read_base_model(recipe))


def tokens(network: Network) -> dict[str, Any]:
    anchors = Anchor(0, 0, (1,)), Anchor(1, 2, (3,))
    return Collator(network.tokenizer, 16, 16)(
        [(anchors[0], QUERIES[0], PASSAGES[:2]), (anchors[1], QUERIES[1], PASSAGES[2:])]
    )


def hidden(network: Network, read: dict[str, Any]) -> np.ndarray:
    with torch.no_grad():
        return network.backbone(**read).last_hidden_state.double().numpy()


def info_nce(scores: np.ndarray) -> float:
    """Return −mean log softmax of each query's own passage: every second one."""
    own = scores[np.arange(2), [0, 2]]
    return float(np.mean(np.log(np.exp(scores - own[:, None]).sum(axis=1))))


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_dense_loss(tmp_path: Path, pooling: str) -> None:
    network = loaded(write_sentence(tmp_path / "bert", pooling), temperature=0.5)
    network.module.train()
    network.backbone.eval()  # No dropout, so that the loss can be computed again.
    read = tokens(network)
    vectors = []
    for name in ("queries", "passages"):
        states, mask = hidden(network, read[name]), read[name]["attention_mask"].numpy()
        mean = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        vectors.append(unit(mean if pooling == "mean" else states[:, 0]))
    expected = info_nce(vectors[0] @ vectors[1].T / 0.5)
    assert float(network.module(**read).loss.detach()) == pytest.approx(expected, rel=1e-5)


def test_what_is_right_is_not_a_negative(tmp_path: Path) -> None:
    network = loaded(write_sentence(tmp_path / "bert", "mean"), temperature=0.5)
    network.module.train()
    network.backbone.eval()
    texts = [(Anchor(0, 5, ()), QUERIES[0], PASSAGES[:1]), (Anchor(1, 7, ()), QUERIES[1], PASSAGES[1:2])]
    right = Gold.joined([np.array([5, 7]), np.array([7])])
    read = Collator(network.tokenizer, 16, 16, right)(texts)
    assert read["spared"].tolist() == [[True, True], [False, True]]
    with torch.no_grad():
        one, two = network.module.encode(read["queries"]), network.module.encode(read["passages"])
        scores = (one @ two.T / 0.5).double().numpy()
        # The first query has no negative, and so a loss of 0.
        expected = (np.log(np.exp(scores[1]).sum()) - scores[1, 1]) / 2
        assert float(network.module(**read).loss) == pytest.approx(expected, rel=1e-5)


def test_the_unified_loss(m3: Path) -> None:
    """(dense + ensemble + .1 sparse + multi) / 4, the ensemble being dense + .3 sparse + multi (Chen et al. 2024)."""
    network = loaded(m3, objective="unified", temperature=0.5)
    network.module.train()
    network.backbone.eval()
    read = tokens(network)
    heads = {name: getattr(network.module, name) for name in ("sparse_linear", "colbert_linear")}
    weight = {name: layer.weight.detach().double().numpy() for name, layer in heads.items()}
    bias = {name: layer.bias.detach().double().numpy() for name, layer in heads.items()}
    texts: dict[str, list[tuple[np.ndarray, dict[int, float], np.ndarray]]] = {}
    for side in ("queries", "passages"):
        states, ids = hidden(network, read[side]), read[side]["input_ids"].numpy()
        mask = read[side]["attention_mask"].numpy().astype(bool)
        texts[side] = []
        for row in range(len(ids)):
            own: dict[int, float] = {}
            for token, state in zip(ids[row][mask[row]], states[row][mask[row]], strict=True):
                value = max(0.0, float(state @ weight["sparse_linear"][0] + bias["sparse_linear"][0]))
                if token > 3:
                    own[int(token)] = max(own.get(int(token), 0.0), value)
            many = unit(states[row][1:] @ weight["colbert_linear"].T + bias["colbert_linear"])
            # In training, padding of a passage has a vector of zeros.
            texts[side].append((unit(states[row][0]), own, many * mask[row][1:, None]))
    scores = np.zeros((3, 2, 4))
    for q, (dense, sparse, multi) in enumerate(texts["queries"]):
        length = read["queries"]["attention_mask"][q, 1:].sum()
        for p, (dense_p, sparse_p, multi_p) in enumerate(texts["passages"]):
            scores[0, q, p] = dense @ dense_p / 0.5
            scores[1, q, p] = sum(value * sparse_p.get(token, 0.0) for token, value in sparse.items()) / 0.5
            scores[2, q, p] = (multi @ multi_p.T).max(axis=1).sum() / float(length) / 0.5
    dense, sparse, multi = (info_nce(part) for part in scores)
    expected = (dense + info_nce(scores[0] + 0.3 * scores[1] + scores[2]) + 0.1 * sparse + multi) / 4
    assert float(network.module(**read).loss.detach()) == pytest.approx(expected, rel=1e-5)


def test_token_weights_and_gradients_are_those_of_flagembedding(m3: Path) -> None:
    network = loaded(m3, objective="unified")
    network.module.train()
    network.backbone.eval()
    read = tokens(network)["passages"]
    states = network.backbone(**read).last_hidden_state.detach()
    ours = network.module._sparse_embedding
    theirs = type(network.module).__mro__[1]._sparse_embedding
    found = []
    for compute in (ours, lambda *given: theirs(network.module, *given)):
        network.module.zero_grad()
        inputs = states.clone().requires_grad_(True)
        made = compute(inputs, read["input_ids"])
        (made * torch.linspace(0.5, 1.5, made.shape[1])).sum().backward()
        head = network.module.sparse_linear
        found.append([made.detach(), inputs.grad, head.weight.grad.clone(), head.bias.grad.clone()])
    assert found[0][0].count_nonzero() >= 3
    for mine, other in zip(*found, strict=True):
        torch.testing.assert_close(mine, other)
    assert ours(states, read["input_ids"], False).shape == (*read["input_ids"].shape, 1)


def test_pieces_of_a_step_give_the_same_loss(m3: Path) -> None:
    losses = []
    # An addition of low rank is 0 at the beginning.
    for changes in ({}, {"sub_batch": 1}, {"sub_batch": 3, "gradient_checkpointing": True}, {"method": "lora"}):
        network = loaded(m3, objective="unified", **changes)
        network.module.train()
        network.backbone.eval()
        losses.append(float(network.module(**tokens(network)).loss.detach()))
    assert losses == pytest.approx([losses[0]] * 4, rel=1e-5)


def test_texts_of_like_length_together_give_the_same_loss(tmp_path: Path) -> None:
    folder, losses = write_sentence(tmp_path / "bert", "mean"), []
    for changes in ({}, {"sub_batch": 1}, {"sub_batch": 3}):
        network = loaded(folder, **changes)
        network.module.train()
        network.backbone.eval()
        losses.append(float(network.module(**tokens(network)).loss.detach()))
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-5)


def test_an_addition_of_low_rank(tmp_path: Path) -> None:
    folder = write_sentence(tmp_path / "bert", "mean")
    network = loaded(folder, method="lora", rank=2, alpha=4)
    trained = {name: weight for name, weight in network.module.named_parameters() if weight.requires_grad}
    assert trained and all("lora_" in name and "pooler" not in name for name in trained)
    before = hidden(network, tokens(network)["queries"])
    with torch.no_grad():
        for weight in trained.values():
            weight.normal_(0, 0.1, generator=torch.Generator().manual_seed(1))
    network.backbone.eval()
    wanted = hidden(network, tokens(network)["queries"])
    assert np.abs(wanted - before).max() > 0.1
    recipe = FineTuning(dataset="d", out="o", model=str(folder), method="lora", rank=2, alpha=4)
    base = read_base_model(recipe)
    write_model(tmp_path / "merged", recipe, base, network)
    merged = loaded(tmp_path / "merged")
    assert hidden(merged, tokens(merged)["queries"]) == pytest.approx(wanted, abs=1e-5)
    # Writing it changed nothing.
    assert np.array_equal(hidden(network, tokens(network)["queries"]), wanted)
    # The addition alone, as the encoder e5 reads it.
    write_model(tmp_path / "alone", recipe.model_copy(update={"model": "e5"}), base, network)
    assert {file.name for file in (tmp_path / "alone").iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }


def test_heads_begin_anew_where_there_are_none(m3: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(m3, tmp_path / "bare")
    (bare / "sparse_linear.pt").unlink()
    with pytest.raises(ModelError, match=r"sparse_linear.*colbert_linear"):
        loaded(bare, objective="unified")
    (bare / "colbert_linear.pt").unlink()
    made = [loaded(bare, objective="unified", seed=seed) for seed in (1, 1, 2)]
    assert made[0].new_heads
    weights = [network.module.colbert_linear.weight for network in made]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    # The new sparse head counts common tokens to begin with, and every token can learn.
    with torch.no_grad():
        found = made[0].module._sparse_embedding(torch.randn(1, 3, 32), torch.tensor([[7, 9, 7]]))
    assert {place: round(value, 6) for place, value in enumerate(found[0].tolist()) if value} == {7: 0.1, 9: 0.1}
    kept = loaded(m3, objective="unified")
    assert not kept.new_heads
    stored = torch.load(m3 / "sparse_linear.pt", weights_only=True)
    assert torch.equal(kept.module.sparse_linear.weight, stored["weight"])


def test_a_head_that_could_run_code_is_not_read(m3: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    poisoned = shutil.copytree(m3, tmp_path / "poisoned")
    (poisoned / "sparse_linear.pt").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match=r"sparse_linear\.pt"):
        loaded(poisoned, objective="unified")
    assert not (tmp_path / "ran").exists()


def test_heads_of_another_model(m3: Path, tmp_path: Path) -> None:
    other = shutil.copytree(m3, tmp_path / "other")
    torch.save(torch.nn.Linear(16, 16).state_dict(), other / "colbert_linear.pt")
    with pytest.raises(ModelError, match="colbert_linear"):
        loaded(other, objective="unified")


def test_longer_than_the_model_can_read(m3: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'passage_length'.*65.*m3.*64"):
        loaded(m3, passage_length=65)
    bert = write_sentence(tmp_path / "bert", max_length=64)
    loaded(bert, passage_length=64)
    with pytest.raises(ModelError, match=r"'query_length'.*65.*64"):
        loaded(bert, query_length=65)
