"""An encoder of three heads that needs no model, an index made with it, and its scores in plain numpy."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from pair_scores import pair_scores

from legalir.m3.heads import Representations, combine, token_maxima
from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.m3_index import M3Index

VOCABULARY = 64
DIMENSIONS = 8

DOCUMENTS = [
    {"docno": "법-1", "title": "제1조(목적)", "text": "이 법은 화재를 예방하고 경계함을 목적으로 한다."},
    {"docno": "법-2", "title": "제2조(정의)", "text": "무창층이란 개구부가 좁은 층을 말한다."},
    {"docno": "법-3", "title": "", "text": "관계인은 소방시설을 설치하고 관리하여야 한다."},
    {"docno": "법-9-2", "title": "제9조", "text": "시설을 폐쇄한 자는 처벌한다."},
    {"docno": "법-9", "title": "제9조", "text": "시설을 폐쇄한 자는 처벌한다."},
    {"docno": "act-1", "text": "The owner keeps every exit door free at all times."},
    {"docno": "act-2", "text": "zzz"},
    {"docno": "empty", "text": ""},
]
QUERIES = ["무창층의 기준은?", "시설을 폐쇄한 자는", "who keeps the exit door free", "", "qqq 층"]


class LetterM3:
    """Tokens are characters; what is said of one depends on it and on its neighbour alone."""

    name, model, fingerprint = "m3", "letters", hashlib.sha256(b"letters").hexdigest()
    vocabulary, dimensions, max_length = VOCABULARY, DIMENSIONS, 40

    def __init__(self) -> None:
        self.asked: list[bool] = []

    def represent(self, texts: Sequence[str], *, multi: bool) -> Representations:
        ids = [[ord(c) % VOCABULARY for c in text[: self.max_length]] for text in texts]
        rows = [np.stack([_vector(text, i) for i in range(-1, len(one))]) for text, one in zip(texts, ids, strict=True)]
        weights = [np.array([_weight(text, i) for i in range(len(one))]) for text, one in zip(texts, ids, strict=True)]
        bounds = _bounds(ids)
        flat = np.array([token for one in ids for token in one], dtype=np.int32)
        sparse = token_maxima(bounds, flat, _joined(weights, (0,)), np.array([0], dtype=np.int32))
        dense = np.array([_unit(row.sum(axis=0)) for row in rows], dtype=np.float32).reshape(len(texts), DIMENSIONS)
        vectors = _joined([row[:, :5] / np.linalg.norm(row[:, :5], axis=1, keepdims=True) for row in rows], (0, 5))
        truncated = np.array([len(text) > self.max_length for text in texts], dtype=bool)
        later = _bounds(rows) if multi else np.zeros_like(bounds)
        return Representations(dense, *sparse, later, vectors if multi else None, truncated)

    def represent_queries(self, texts: Sequence[str], *, multi: bool) -> Representations:
        self.asked.append(multi)
        return self.represent(texts, multi=multi)


def letters() -> M3Encoder:
    """Return the encoder, as what an index takes."""
    return cast(M3Encoder, LetterM3())


def letter_index(folder: Path, **options: Any) -> M3Index:
    """Return an index of :data:`DOCUMENTS`, with multi-vectors of float32 unless `options` say otherwise."""
    options = {"multi": "float32", "precision": "float32", **options}
    return M3Index(folder / "index", encoder=letters()).index(DOCUMENTS, **options)


def expected(query: str, weights: dict[str, float]) -> dict[str, float]:
    """Return the combined score of every document, computed pair by pair; in the order of results."""
    texts = [f"{one['title']}\n{one['text']}" if one.get("title") else one["text"] for one in DOCUMENTS]
    queries, documents = (LetterM3().represent(given, multi=True) for given in ([query], texts))
    scores = {
        one["docno"]: float(combine(pair_scores(queries, 0, documents, number), weights))
        for number, one in enumerate(DOCUMENTS)
    }
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def _vector(text: str, position: int) -> np.ndarray:
    near = text[max(0, position) : position + 2]
    seed = hashlib.sha256(f"{near}|{position < 0}".encode()).digest()
    return np.random.default_rng(int.from_bytes(seed[:8], "big")).standard_normal(DIMENSIONS)


def _weight(text: str, position: int) -> float:
    return (ord(text[position]) * 7919 + position) % 100 / 50 - 0.2


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _joined(parts: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return np.concatenate([np.zeros(shape), *parts]).astype(np.float32)


def _bounds(parts: Sequence[Sequence[Any] | np.ndarray]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)
