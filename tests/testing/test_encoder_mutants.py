"""One mutant a check of encoders: that check fails, and no other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np
import pytest
import right_components as right

from legalir import testing
from legalir.testing.data import TEXTS

Encode = Callable[["Mutant", Sequence[str]], Any]


class Mutant(right.Hashed):
    """The right encoder with one attribute replaced."""

    def __init__(
        self, dimensions: int = 32, *, encode: Encode | None = None, queries: Encode | None = None, **attributes: Any
    ) -> None:
        super().__init__(dimensions)
        self.spoiled, self.spoiled_queries = encode, queries
        self.memory: set[tuple[str, ...]] = set()
        for name, value in attributes.items():
            setattr(self, name, value)

    def right(self, texts: Sequence[str]) -> Any:
        return super().encode(texts)

    def encode(self, texts: Sequence[str]) -> Any:
        return self.right(texts) if self.spoiled is None else self.spoiled(self, texts)

    def encode_queries(self, texts: Sequence[str]) -> Any:
        return self.right(texts) if self.spoiled_queries is None else self.spoiled_queries(self, texts)


def encoding(encode: Encode) -> Callable[..., Any]:
    return lambda collection: Mutant(encode=encode)


def asking(queries: Encode) -> Callable[..., Any]:
    return lambda collection: Mutant(queries=queries)


def turned(vectors: Any) -> Any:
    """Return other vectors of the same lengths."""
    return np.roll(vectors, 1, axis=1)


def if_(condition: Callable[[Mutant, Sequence[str]], bool]) -> Encode:
    return lambda self, texts: turned(self.right(texts)) if condition(self, texts) else self.right(texts)


def refusing(condition: Callable[[Sequence[str]], bool]) -> Encode:
    def encode(self: Mutant, texts: Sequence[str]) -> Any:
        if condition(texts):
            raise ValueError("cannot cope")
        return self.right(texts)

    return encode


def seen(self: Mutant, texts: Sequence[str]) -> bool:
    known = tuple(texts) in self.memory
    # One check encodes each text alone twice; only the whole batch is remembered.
    if len(texts) > 1:
        self.memory.add(tuple(texts))
    return known


def infinite(self: Mutant, texts: Sequence[str]) -> Any:
    out = self.right(texts)
    out[[row for row, text in enumerate(texts) if normalize("NFC", text) == TEXTS[0]], 0] = np.inf
    return out


def decomposed(texts: Sequence[str]) -> Any:
    return [not is_normalized("NFC", text) and len(text) > 60 for text in texts]


class Learning:
    """A right trainable encoder: learns how many documents there are, which it turns its vectors by."""

    name = "learning"
    analyzer = "whitespace"
    fingerprint = "00112233445566778899"

    def __init__(self, made: type[Learnt] | None = None) -> None:
        self.made = made or Learnt

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def fit(self, postings: Any) -> tuple[Any, Any]:
        learnt = self.made(self, len(postings))
        return learnt, learnt.of_documents(postings)

    def restore(self, arrays: Mapping[str, Any]) -> Any:
        return self.made(self, int(arrays["encoder.count"][0]))


class Learnt(right.Hashed):
    """A fitted encoder; a document is encoded by the words of its postings."""

    def __init__(self, learning: Learning, count: int) -> None:
        super().__init__()
        self.name, self.fingerprint, self.count = learning.name, learning.fingerprint, count

    def save(self, directory: Path) -> None:
        np.save(directory / "encoder.count.npy", np.array([self.count]))

    def encode(self, texts: Sequence[str]) -> Any:
        return np.roll(super().encode(texts), self.count, axis=1)

    def of_documents(self, postings: Any) -> Any:
        from legalir.testing.data import PROVISIONS

        return self.encode([f"{one['title']}\n{one['text']}" for one in PROVISIONS][: len(postings)])


class Careless(Learnt):
    """Gives the documents other vectors than their texts."""

    def of_documents(self, postings: Any) -> Any:
        return turned(super().of_documents(postings))


class Forgetful(Learnt):
    """Saves something else than what it learnt."""

    def save(self, directory: Path) -> None:
        np.save(directory / "encoder.count.npy", np.array([self.count + 1]))


class Sprawling(Learnt):
    """Writes a file that is not its own to write."""

    def save(self, directory: Path) -> None:
        super().save(directory)
        (directory / "notes.txt").write_text("x")


numbers, builds = itertools.count(), itertools.count()

MUTANTS: dict[str, Callable[..., Any]] = {
    "construction": lambda collection: right.pairs(collection),
    "first-use": asking(refusing(lambda texts: True)),
    "name": lambda collection: Mutant(name=" "),
    "fingerprint": lambda collection: Mutant(fingerprint="model v2"),
    "fingerprint 2": lambda collection: Mutant(fingerprint=f"{next(numbers):08x}"),
    "fingerprint-of-parameters": lambda collection, dimensions=32: Mutant(dimensions, fingerprint="0123456789abcdef"),
    "shape": asking(lambda self, texts: np.concatenate([self.right(texts)] * 2, axis=1) / np.float32(np.sqrt(2))),
    "shape 2": encoding(lambda self, texts: self.right(texts) * 0),
    "float32": encoding(lambda self, texts: self.right(texts).astype(np.float64)),
    "finite-vectors": asking(infinite),
    "unit-length": encoding(lambda self, texts: self.right(texts) * 2),
    "no-texts": asking(lambda self, texts: self.right(texts) if len(texts) else np.zeros(0, dtype=np.float32)),
    "odd-texts": encoding(refusing(lambda texts: "" in texts)),
    "long-texts": encoding(refusing(lambda texts: any(len(text) > 50_000 for text in texts))),
    "composed-text": asking(if_(lambda self, texts: any(decomposed(texts)))),
    "batch-invariance": encoding(if_(lambda self, texts: len(texts) == 1)),
    "order-invariance": encoding(if_(lambda self, texts: len(texts) > 1 and texts[0] == TEXTS[-1])),
    "determinism": asking(if_(seen)),
    "another-build": lambda collection: Mutant(number=next(builds), encode=if_(lambda self, texts: self.number % 2)),
    "fitted-vectors": lambda collection: Learning(Careless),
    "restored-encoder": lambda collection: Learning(Forgetful),
    "restored-encoder 2": lambda collection: Learning(Sprawling),
}


@pytest.mark.parametrize("check", MUTANTS)
def test_a_mutant_is_caught_by_its_check_and_no_other(check: str) -> None:
    outcomes = testing.check("encoder", MUTANTS[check])
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check.partition(" ")[0]}, outcomes


def learning(collection: object) -> Learning:
    return Learning()


def test_right_encoders_pass() -> None:
    outcomes = testing.check("encoder", right.hashed)
    assert {one.check for one in outcomes if one.status != "passed"} == {"fitted-vectors", "restored-encoder"}
    assert all(one.ok for one in outcomes)
    outcomes = testing.check("encoder", learning)
    assert {one.check for one in outcomes if one.status != "passed"} == {"fingerprint-of-parameters"}
    assert all(one.ok for one in outcomes)
