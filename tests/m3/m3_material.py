"""A tiny model of BGE-M3's layout, and texts at random: Korean, English, mixed, and hard to read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tiny_models import SENTENCES, WORDS, write_m3

from legalir.m3.heads import Representations
from legalir.m3.m3_encoder import M3Encoder

KOREAN = tuple(word for word in WORDS if ord(word[0]) > 0x1000)
ENGLISH = tuple(word for word in WORDS if ord(word[0]) < 0x1000)
STRANGE = ("☃", "法令", "<pad>", "</s>", "<unk>", "<mask>", "제12조제3항", "12(3)", "\u00a0", "…")

EDGES = (
    "",
    " \t\n",
    "☃☃ 法令",
    "소방시설 소방시설 소방시설 소방시설",
    "door door door shall shall",
    "소방시설설치배연설비" * 20,
    "the door of the owner " * 30,
    "<s> 관계인 </s> <pad> <mask>",
    "다",
    "관계인 " * 15,
    *SENTENCES,
)
"""Nothing, white space, unknowns, repetitions, long words, more than 40 tokens, and marks that are written out."""


def tiny_encoder(folder: Path, **options: object) -> M3Encoder:
    """Return an encoder of a tiny model in `folder`, which is written unless it is there."""
    if not (folder / "config.json").exists():
        write_m3(folder)
    return M3Encoder(folder, **{"device": "cpu", **options})  # type: ignore[arg-type]


def random_text(random: np.random.Generator) -> str:
    """Return up to 30 words of one language or both, some of them strange, some of them glued together."""
    words = (KOREAN, ENGLISH, KOREAN + ENGLISH, KOREAN + ENGLISH + STRANGE)[random.integers(4)]
    chosen = random.choice(words, size=random.integers(31)).tolist()
    gaps = random.choice(["", " ", " ", ", "], size=len(chosen)).tolist()
    return "".join(word + gap for word, gap in zip(chosen, gaps, strict=True))


def assert_same(one: Representations, other: Representations, atol: float = 1e-5) -> None:
    """Compare all that the heads say."""
    np.testing.assert_allclose(one.dense, other.dense, atol=atol)
    np.testing.assert_array_equal(one.bounds, other.bounds)
    np.testing.assert_array_equal(one.tokens, other.tokens)
    np.testing.assert_allclose(one.weights, other.weights, atol=atol)
    np.testing.assert_array_equal(one.vector_bounds, other.vector_bounds)
    assert (one.vectors is None) == (other.vectors is None)
    if one.vectors is not None and other.vectors is not None:
        np.testing.assert_allclose(one.vectors.astype(np.float32), other.vectors.astype(np.float32), atol=atol)
    np.testing.assert_array_equal(one.truncated, other.truncated)
