"""Loading: what is in the files and nothing else, no code, no pickles, and a sentence where something is wrong."""

from __future__ import annotations

import gc
import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bombs import Bomb
from tiny_models import SENTENCES, write_cross_encoder, write_m3, write_sentence

from legalir.errors import ModelError
from legalir.models.loading import Placement, check_complete, load_backbone, load_tensors, load_tokenizer, shared

pytestmark = pytest.mark.neural
CPU = Placement("cpu", "float32")


@pytest.fixture(name="model", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("m3"))


@pytest.fixture(name="copy")
def copied_model(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model, tmp_path / "copy"))


def raw(content: object, path: Path) -> None:
    path.write_bytes(pickle.dumps(content))


def saved(content: object, path: Path) -> None:
    import torch

    torch.save(content, path)


def saved_long_ago(content: object, path: Path) -> None:
    import torch

    torch.save(content, path, _use_new_zipfile_serialization=False)


def hidden_states(backbone: Any, tokenizer: Any) -> np.ndarray[Any, Any]:
    import torch

    with torch.inference_mode():
        out = backbone(**tokenizer(SENTENCES[0], return_tensors="pt")).last_hidden_state
    return np.asarray(out.float().numpy())


def test_a_backbone_is_ready_to_compute(model: Path) -> None:
    import torch
    from transformers import AutoModel

    backbone = load_backbone(model, "AutoModel", CPU)
    assert not backbone.training
    assert not any(one.requires_grad for one in backbone.parameters())
    assert {one.dtype for one in backbone.parameters()} == {torch.float32}
    tokenizer = load_tokenizer(model)
    theirs = AutoModel.from_pretrained(str(model)).eval()
    np.testing.assert_array_equal(hidden_states(backbone, tokenizer), hidden_states(theirs, tokenizer))
    half = load_backbone(model, "AutoModel", Placement("cpu", "bfloat16"))
    assert {one.dtype for one in half.parameters()} == {torch.bfloat16}


def test_a_cross_encoder(tmp_path: Path, model: Path) -> None:
    folder = write_cross_encoder(tmp_path / "cross")
    kind = "AutoModelForSequenceClassification"
    assert load_backbone(folder, kind, CPU).num_labels == 1
    with pytest.raises(ModelError, match=r"classifier\.\S+ and 3 more"):
        load_backbone(model, kind, CPU)  # It has no head, and a random one would give random scores.


def without(copy: Path, part: str) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    kept = {name: value for name, value in tensors.items() if part not in name}
    assert len(kept) < len(tensors)
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})


def test_missing_weights_are_no_random_ones(copy: Path) -> None:
    from transformers import AutoModel

    without(copy, "pooler")
    load_backbone(copy, "AutoModel", CPU)  # Hidden states need no pooler.
    check_complete(AutoModel.from_pretrained(str(copy)), copy)
    without(copy, "layer.1.output.dense.weight")
    for load in (
        lambda: load_backbone(copy, "AutoModel", CPU),
        lambda: check_complete(AutoModel.from_pretrained(str(copy)), copy),
    ):
        with pytest.raises(ModelError, match=r"encoder\.layer\.1\.output\.dense\.weight"):
            load()
    without(copy, "attention")
    with pytest.raises(ModelError, match="and 20 more"):  # 2 layers with 10 parameters in their attention, and that one
        load_backbone(copy, "AutoModel", CPU)


@pytest.mark.parametrize("size", [0, 4, 100, -4])
def test_truncated_weights(copy: Path, size: int) -> None:
    whole = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(whole[:size])
    with pytest.raises(ModelError, match=r"^[^\n]*weights of \S+ cannot be read \([^\n]+$"):
        load_backbone(copy, "AutoModel", CPU)


def test_weights_of_another_shape(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    (copy / "config.json").write_text(json.dumps({**config, "hidden_size": 64}), encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        load_backbone(copy, "AutoModel", CPU)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model_type": "nothing-that-there-is"}'])
def test_a_config_that_is_none(copy: Path, content: str) -> None:
    (copy / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"weights of \S+ cannot be read \("):
        load_backbone(copy, "AutoModel", CPU)


def test_a_tokenizer_that_is_missing_or_cut_off(copy: Path) -> None:
    whole = (copy / "tokenizer.json").read_bytes()
    (copy / "tokenizer.json").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match=r"tokenizer of \S+ cannot be read \("):
        load_tokenizer(copy)
    (copy / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"lacks tokenizer\.json"):  # And none is made up that knows no word.
        load_tokenizer(copy)


@pytest.mark.parametrize("save", [raw, saved, saved_long_ago])
@pytest.mark.parametrize("nested", [False, True])
def test_a_pickle_that_would_run_code_is_refused_and_never_run(
    copy: Path, tmp_path: Path, save: Callable[[object, Path], None], nested: bool
) -> None:
    import torch

    mark = tmp_path / "it-ran"
    bomb = {"weight": torch.zeros(1, 32), "bias": Bomb(mark)} if nested else Bomb(mark)
    save(bomb, copy / "sparse_linear.pt")
    with pytest.raises(ModelError, match=r"sparse_linear\.pt .*could run code"):
        load_tensors(copy, "sparse_linear")
    (copy / "model.safetensors").unlink()
    save(bomb, copy / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"weights of .*could run code"):
        load_backbone(copy, "AutoModel", CPU)
    assert not mark.exists()
    if save is raw:  # And the bomb is a real one.
        pickle.loads((copy / "sparse_linear.pt").read_bytes())
        assert mark.exists()


def test_safe_weights_go_before_a_pickle_beside_them(copy: Path, tmp_path: Path) -> None:
    saved(Bomb(tmp_path / "it-ran"), copy / "pytorch_model.bin")
    load_backbone(copy, "AutoModel", CPU)
    assert not (tmp_path / "it-ran").exists()


def test_weights_in_torchs_format_are_read_where_they_are_tensors(copy: Path, model: Path) -> None:
    from safetensors.torch import load_file

    saved(load_file(copy / "model.safetensors"), copy / "pytorch_model.bin")
    (copy / "model.safetensors").unlink()
    tokenizer = load_tokenizer(copy)
    one, other = load_backbone(copy, "AutoModel", CPU), load_backbone(model, "AutoModel", CPU)
    np.testing.assert_array_equal(hidden_states(one, tokenizer), hidden_states(other, tokenizer))


@pytest.mark.parametrize("auto_map", [{"AutoConfig": "own.Config"}, {"AutoModel": "own.Model"}])
@pytest.mark.parametrize("model_type", ["xlm-roberta", "own"])
def test_code_that_comes_with_a_model_is_not_run_unless_it_is_trusted(
    copy: Path, tmp_path: Path, auto_map: dict[str, str], model_type: str
) -> None:
    mark = tmp_path / "it-ran"
    (copy / "own.py").write_text(f"import os\nos.mkdir({str(mark)!r})\n", encoding="utf-8")
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    config |= {"model_type": model_type, "auto_map": auto_map}
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if model_type == "xlm-roberta":
        load_backbone(copy, "AutoModel", CPU)  # Known without its code.
    else:
        with pytest.raises(ModelError):
            load_backbone(copy, "AutoModel", CPU)
    assert not mark.exists()
    if auto_map == {"AutoConfig": "own.Config"}:
        with pytest.raises(ModelError):  # The code holds no such class, and has run by then.
            load_backbone(copy, "AutoModel", CPU, trust_remote_code=True)
        assert mark.exists()


def test_tensors_are_safe_ones_first(copy: Path) -> None:
    import torch
    from safetensors.torch import save_file

    weights = torch.load(copy / "sparse_linear.pt", weights_only=True)
    found = load_tensors(copy, "sparse_linear")
    assert sorted(found) == ["bias", "weight"]
    assert torch.equal(found["weight"], weights["weight"])
    save_file({"weight": torch.ones(1, 32)}, copy / "sparse_linear.safetensors")
    assert sorted(load_tensors(copy, "sparse_linear")) == ["weight"]
    (copy / "sparse_linear.safetensors").write_bytes(b"{")
    with pytest.raises(ModelError, match=r"sparse_linear\.safetensors"):
        load_tensors(copy, "sparse_linear")


@pytest.mark.parametrize("content", [[1, 2], {"a": [1]}, {"a": "text"}, 7])
def test_tensors_that_are_none(copy: Path, content: object) -> None:
    saved(content, copy / "sparse_linear.pt")
    with pytest.raises(ModelError, match=r"sparse_linear\.pt does not hold"):
        load_tensors(copy, "sparse_linear")


def test_tensors_that_are_missing_or_cut_off(copy: Path) -> None:
    whole = (copy / "sparse_linear.pt").read_bytes()
    (copy / "sparse_linear.pt").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match=r"sparse_linear\.pt"):
        load_tensors(copy, "sparse_linear")
    with pytest.raises(ModelError, match=r"dense_linear\.pt"):
        load_tensors(copy, "dense_linear")


class Thing:
    pass


def test_a_model_is_shared_as_long_as_somebody_holds_it() -> None:
    first = shared(("a", 1), Thing)
    assert shared(("a", 1), Thing) is first
    assert shared(("a", 2), Thing) is not first
    made: list[int] = []

    def make() -> Thing:
        made.append(1)
        return Thing()

    assert shared(("a", 1), make) is first
    assert made == []
    del first
    gc.collect()
    second = shared(("a", 1), make)
    assert made == [1]
    assert isinstance(second, Thing)


def test_tiny_models_depend_on_their_seed_alone(tmp_path: Path) -> None:
    for write in (write_m3, write_sentence, write_cross_encoder):
        one, same = write(tmp_path / "one"), write(tmp_path / "same")
        other = write(tmp_path / "other", seed=1)
        weights = [(folder / "model.safetensors").read_bytes() for folder in (one, same, other)]
        assert weights[0] == weights[1] != weights[2]
        assert (one / "tokenizer.json").read_bytes() == (same / "tokenizer.json").read_bytes()
