"""Devices and number types: what there is, what is chosen, and what is refused."""

from __future__ import annotations

import pytest

from legalir.errors import ComponentError, ModelError
from legalir.models.loading import Placement, placement

pytestmark = pytest.mark.neural


def pretend(monkeypatch: pytest.MonkeyPatch, *, cuda: int = 0, mps: bool = False) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"),
    [
        (0, False, Placement("cpu", "float32")),
        (0, True, Placement("mps", "float32")),
        (2, True, Placement("cuda", "float16")),
    ],
)
def test_the_best_there_is(monkeypatch: pytest.MonkeyPatch, cuda: int, mps: bool, chosen: Placement) -> None:
    pretend(monkeypatch, cuda=cuda, mps=mps)
    assert placement() == chosen


def test_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    pretend(monkeypatch, cuda=2)
    assert placement("cuda:1") == Placement("cuda:1", "float16")
    assert placement("cuda", "bfloat16") == Placement("cuda", "bfloat16")
    assert placement("cpu") == Placement("cpu", "float32")
    assert placement("cpu", "float16").torch_dtype is torch.float16


@pytest.mark.parametrize(
    ("device", "dtype", "said"),
    [
        ("cuda", None, r"device='cuda' is not on this machine, which has cpu: leave device out\."),
        ("cuda:7", None, "device='cuda:7' is not on this machine"),
        ("mps", None, "device='mps' is not on this machine"),
        ("cpu:1", None, "device='cpu:1' is not on this machine"),
        ("meta", None, "device='meta' is not on this machine"),
        ("gpu", None, "device='gpu' is not a device: give 'cpu', 'cuda', 'cuda:1' or 'mps'"),
        ("", None, "device='' is not a device"),
        ("cpu", "int8", "dtype='int8' is not one of float32, float16, bfloat16"),
        (None, "half", "dtype='half' is not one of"),
    ],
)
def test_what_is_not_there(monkeypatch: pytest.MonkeyPatch, device: str | None, dtype: str | None, said: str) -> None:
    pretend(monkeypatch)
    with pytest.raises(ModelError, match=said) as caught:
        placement(device, dtype)
    assert isinstance(caught.value, ComponentError)
