"""Small static models with random tables, and texts in several scripts; nothing is learnt, nothing is real."""

from __future__ import annotations

from typing import Any

import numpy as np

from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.static_model import StaticModel

TEXTS = [
    "등대 관리인은 해가 지면 등불을 켜고, 해가 뜨면 등불을 끈다.",
    "In fog a ferry rings its bell and waits at the CAFÉ on the pier.",
    "แพ ต้อง มี โคมไฟ เมื่อ มี หมอก",
    "설치·유지 및 안전관리",
    "",
    "… !",
    "등대",
]


def small_model(rows: int = 997, dimensions: int = 12, *, seed: int = 1, **options: Any) -> StaticModel:
    table = np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float16)
    tf, card = options.pop("tf", "log"), options.pop("card", {"seed": seed})
    return StaticModel(HashedNGrams(rows=rows, **options), table, tf=tf, card=card)
