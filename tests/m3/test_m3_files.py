"""The folder of a model of BGE-M3's layout: what it must hold, what identifies it, and when it is read."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from m3_material import EDGES, assert_same, tiny_encoder
from refusals import refused
from tiny_models import write_cross_encoder, write_m3

from legalir.errors import ModelError
from legalir.m3 import m3_encoder
from legalir.m3.m3_encoder import M3Encoder
from legalir.models.loading import placement

pytestmark = pytest.mark.neural


@pytest.fixture(name="folder", scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_m3(tmp_path_factory.mktemp("m3"))


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in float32 unless a test says otherwise, whatever the machine has."""
    monkeypatch.setattr(m3_encoder, "placement", lambda device, dtype: placement("cpu", dtype))


def test_nothing_is_loaded_to_look_at_it(folder: Path) -> None:
    program = (
        "import sys; from legalir.m3.m3_encoder import M3Encoder; "
        f"e = M3Encoder({str(folder)!r}); e.fingerprint, e.max_length, e.vocabulary, e.dimensions, repr(e), hash(e); "
        "print(*sorted({'torch', 'safetensors', 'tokenizers', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_identity(folder: Path, tmp_path: Path) -> None:
    encoder = M3Encoder(folder)
    assert encoder == M3Encoder(str(folder), batch_tokens=7, device="cpu")
    assert len({encoder, M3Encoder(folder)}) == 1
    assert encoder.fingerprint != M3Encoder(folder, max_length=100).fingerprint
    assert encoder.fingerprint != M3Encoder(folder, dtype="float16").fingerprint
    # Of a query, nothing is stored: an index stays good, and the encoders are two.
    other = M3Encoder(folder, query_max_length=100)
    assert encoder.fingerprint == other.fingerprint and encoder != other
    write_m3(tmp_path / "same")
    assert M3Encoder(tmp_path / "same") == encoder
    write_m3(tmp_path / "other", seed=1)
    assert M3Encoder(tmp_path / "other") != encoder
    assert "M3Encoder" in repr(encoder) and encoder.name == "m3"


def test_a_head_belongs_to_the_fingerprint(tmp_path: Path) -> None:
    import torch

    before = M3Encoder(write_m3(tmp_path)).fingerprint
    torch.save(dict(torch.nn.Linear(32, 1).state_dict()), tmp_path / "sparse_linear.pt")
    assert M3Encoder(tmp_path).fingerprint != before


def test_one_model_in_memory(folder: Path) -> None:
    first, second = M3Encoder(folder, device="cpu"), M3Encoder(folder, max_length=9, device="cpu")
    assert first._loaded is second._loaded
    copy = pickle.loads(pickle.dumps(first))
    assert copy == first and "_loaded" not in vars(copy)
    assert_same(copy.represent(EDGES, multi=True), first.represent(EDGES, multi=True))


def test_safetensors_are_preferred(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    wanted = tiny_encoder(tmp_path).represent(EDGES, multi=True)
    for name in ("sparse_linear", "colbert_linear"):
        tensors = torch.load(tmp_path / f"{name}.pt", weights_only=True)
        save_file(tensors, tmp_path / f"{name}.safetensors")
        (tmp_path / f"{name}.pt").write_bytes(b"not to be opened")
    assert_same(tiny_encoder(tmp_path).represent(EDGES, multi=True), wanted, atol=1e-6)
    for name in ("sparse_linear", "colbert_linear"):
        (tmp_path / f"{name}.pt").unlink()
    assert_same(tiny_encoder(tmp_path).represent(EDGES, multi=True), wanted, atol=1e-6)


@pytest.mark.parametrize("head", ["sparse_linear", "colbert_linear"])
def test_a_folder_without_a_head(tmp_path: Path, head: str) -> None:
    write_m3(tmp_path)
    (tmp_path / f"{head}.pt").unlink()
    with pytest.raises(ModelError, match=rf'no {head}\.pt.*BGE-M3.*dense\(".*"\)'):
        M3Encoder(tmp_path)


def test_another_kind_of_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="layout of BGE-M3"):
        M3Encoder(write_cross_encoder(tmp_path))
    with pytest.raises(ModelError, match="There is no folder"):
        M3Encoder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("head", "shapes"),
    [
        ("sparse_linear", {"weight": (2, 32), "bias": (2,)}),
        ("sparse_linear", {"weight": (1, 32)}),
        ("colbert_linear", {"weight": (16, 31), "bias": (16,)}),
        ("colbert_linear", {"weight": (16, 32), "bias": (15,)}),
        ("colbert_linear", {}),
    ],
)
def test_a_head_that_does_not_fit(tmp_path: Path, head: str, shapes: dict[str, tuple[int, ...]]) -> None:
    import torch

    write_m3(tmp_path)
    torch.save({name: torch.zeros(shape) for name, shape in shapes.items()}, tmp_path / f"{head}.pt")
    with pytest.raises(ModelError, match=f"{head}.*32"):
        M3Encoder(tmp_path).represent(["a"], multi=False)


def test_a_tokenizer_of_another_model(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(write_m3(tmp_path))
    tokenizer.add_tokens(["제12조제3항"])
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"2521 tokens .*2520 tokens"):
        M3Encoder(tmp_path).represent(["a"], multi=False)


def test_what_is_no_number(tmp_path: Path) -> None:
    import torch

    write_m3(tmp_path)
    torch.save({"weight": torch.full((1, 32), torch.nan), "bias": torch.zeros(1)}, tmp_path / "sparse_linear.pt")
    with pytest.raises(ModelError, match=r"NaN.*float32.*dtype='float32'"):
        M3Encoder(tmp_path, device="cpu").represent(["a"], multi=False)


def test_a_device_without_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder = tiny_encoder(tmp_path)

    def full(**_: object) -> None:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(encoder._loaded, "_backbone", full)
    with pytest.raises(ModelError, match=r"6.*batch_tokens"):
        encoder.represent(["관계인", "door"], multi=False)


@pytest.mark.parametrize(
    ("name", "value"), [("max_length", 2), ("query_max_length", 8.5), ("batch_tokens", 0), ("dtype", "int8")]
)
def test_parameters_out_of_range(folder: Path, name: str, value: Any) -> None:
    with refused("m3", name, value):
        M3Encoder(folder, **{name: value})


def test_a_name_is_looked_up_late_and_its_heads_are_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, list[str]]] = []

    def find(model: str, *, needs: list[str] | None = None) -> Path:
        asked.append((model, needs or []))
        return folder if needs else folder / "1_Pooling"  # Another program fetched a part of it.

    monkeypatch.setattr(m3_encoder, "find_model", find)
    encoder = M3Encoder("some/model")
    assert asked == []
    assert encoder.fingerprint == M3Encoder("some/model").fingerprint
    assert asked[:2] == [("some/model", []), ("some/model", ["sparse_linear.pt", "colbert_linear.pt"])]
