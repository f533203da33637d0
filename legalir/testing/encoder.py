"""Checks of an encoder: text in, vectors of length 1 out. One that has to learn is fitted on the kit's collection."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from legalir.encode.contract import Encoder, TrainableEncoder
from legalir.testing.checks import Failed, NotApplicable, checks_of, given
from legalir.testing.construction import construction
from legalir.testing.data import ODD_TEXTS, TEXTS, long_text
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.protocols import check_name, fingerprint, fitted, restored, variants
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]

_CLOSE = 1e-5
"""What a number of a vector may differ by: float32 adds up in another order in another batch."""

Encode = Callable[[Sequence[str]], Any]


def name(trial: Trial) -> None:
    """The name is a short text."""
    check_name(trial.component(trial.collection()).name)


def fingerprint_of_parameters(trial: Trial) -> None:
    """A parameter that changes the vectors changes the fingerprint."""
    collection = trial.collection()
    own = trial.component(collection)
    vectors, looked = fitted(own, collection).encode(TEXTS), False
    for text, other in variants(trial, collection):
        looked = True
        if own.fingerprint == other.fingerprint and not _same(vectors, fitted(other, collection).encode(TEXTS)):
            raise Failed(f"with {text} vectors change and the fingerprint does not: let every parameter be part of it.")
    if not looked:
        raise NotApplicable("no parameter of the factory has a default that the kit could change")


def shape(trial: Trial) -> None:
    """There is a row a text, and documents and questions have the same number of columns, some of them not 0."""
    encoder = _made(trial)
    widths = set()
    for what, encode in _both(encoder):
        found = encode(TEXTS)
        if not isinstance(found, np.ndarray) or found.ndim != 2 or len(found) != len(TEXTS):
            raise Failed(f"{what} made of {len(TEXTS)} texts {_shape(found)}: return an array, one row a text.")
        if not found.any():
            raise Failed(f"{what} gave nothing but zeros: look at what your encoder keeps.")
        widths.add(found.shape[1])
    if len(widths) > 1:
        raise Failed(f"documents and questions have {' and '.join(map(str, widths))} columns: give both the same.")


def float32(trial: Trial) -> None:
    """Vectors are of type float32."""
    for what, encode in _both(_made(trial)):
        if encode(TEXTS).dtype != np.float32:
            raise Failed(f"{what} gave {encode(TEXTS).dtype}: end with astype(np.float32).")


def finite_vectors(trial: Trial) -> None:
    """No number of a vector is infinite or none."""
    for what, encode in _both(_made(trial)):
        if not np.isfinite(encode(TEXTS)).all():
            raise Failed(f"{what} gave numbers that are not finite: beware of division by a length of 0.")


def unit_length(trial: Trial) -> None:
    """A vector has length 1, or 0 for a text that says nothing."""
    for what, encode in _both(_made(trial)):
        lengths = np.linalg.norm(np.nan_to_num(encode(TEXTS).astype(np.float64), posinf=0, neginf=0), axis=1)
        for text, length in zip(TEXTS, lengths, strict=True):
            if length > _CLOSE and abs(length - 1) > 1e-3 and np.isfinite(encode([text])).all():
                raise Failed(f"{what} gave {text[:30]!r} length {length:.4g}: divide a vector by its length.")


def no_texts(trial: Trial) -> None:
    """No texts give an array of no rows."""
    for what, encode in _both(_made(trial)):
        found = encode([])
        if not isinstance(found, np.ndarray) or found.ndim != 2 or len(found):
            raise Failed(f"{what} made of no texts {_shape(found)}: return np.zeros((0, d), dtype=np.float32).")


def odd_texts(trial: Trial) -> None:
    """Nothing, punctuation and control characters have vectors, too, and these are finite."""
    for what, encode in _both(_made(trial)):
        for text in ODD_TEXTS:
            with given(text):
                found = encode([text])
            if len(found) != 1 or not np.isfinite(found).all():
                raise Failed(f"{what} made of {text[:20]!r} no finite vector: return zeros for what says nothing.")


def long_texts(trial: Trial) -> None:
    """A text of 100 000 characters has a vector."""
    for what, encode in _both(_made(trial)):
        found = encode([long_text()])
        if len(found) != 1 or not np.isfinite(found).all():
            raise Failed(
                f"{what} made of 100 000 characters no finite vector: cut what is longer than the model reads."
            )


def composed_text(trial: Trial) -> None:
    """A text in NFD has the vector that it has in NFC."""
    for what, encode in _both(_made(trial)):
        if not _same(encode(TEXTS), encode([unicodedata.normalize("NFD", text) for text in TEXTS])):
            raise Failed(f"{what} gives other vectors in NFD: begin with unicodedata.normalize('NFC', text).")


def batch_invariance(trial: Trial) -> None:
    """A text alone has the vector that it has among others, but for rounding."""
    for what, encode in _both(_made(trial)):
        if not _same(encode(TEXTS), np.concatenate([encode([text]) for text in TEXTS])):
            raise Failed(f"{what} gives a text another vector when it comes alone: encode each text by itself.")


def order_invariance(trial: Trial) -> None:
    """The order of texts changes no vector, but for rounding."""
    for what, encode in _both(_made(trial)):
        if not _same(encode(TEXTS), encode(TEXTS[::-1])[::-1]):
            raise Failed(f"{what} gives other vectors in another order: put sorted texts back into their places.")


def determinism(trial: Trial) -> None:
    """The same texts have the same vectors when they come again."""
    for what, encode in _both(_made(trial)):
        if not _same(encode(TEXTS), encode(TEXTS)):
            raise Failed(f"{what} gave other vectors the second time: switch off dropout, keep no state between texts.")


def another_build(trial: Trial) -> None:
    """Two encoders that were made alike give the same vectors."""
    collection = trial.collection()
    first, second = (fitted(trial.component(collection), collection) for _ in range(2))
    for (what, one), (_, two) in zip(_both(first), _both(second), strict=True):
        if not _same(one(TEXTS), two(TEXTS)):
            raise Failed(f"{what} gives other vectors when it is made again: give random numbers a seed.")


def fitted_vectors(trial: Trial) -> None:
    """What learns from a collection returns the vectors that it gives the texts of its documents."""
    collection = trial.collection()
    made = _trainable(trial, collection)
    encoder, vectors = made.fit(collection.sparse(made.analyzer))
    wanted = encoder.encode([record.default_text() for record in collection.docs()])
    if vectors.dtype != np.float32 or vectors.shape != wanted.shape or not _same(wanted, vectors, 1e-3):
        raise Failed("the vectors that fit returned are not those that encode gives the documents: make them the same.")


def restored_encoder(trial: Trial) -> None:
    """What was learnt comes back from the files that it was saved to."""
    collection = trial.collection()
    learnt, again = restored(_trainable(trial, collection), collection)
    if not _same(learnt.encode_queries(TEXTS), again.encode_queries(TEXTS)):
        raise Failed("what restore gives has other vectors than what was saved: save all that was learnt.")


def _trainable(trial: Trial, collection: Any) -> TrainableEncoder:
    made = trial.component(collection)
    if not isinstance(made, TrainableEncoder):
        raise NotApplicable("it has nothing to learn from a collection")
    return made


def _made(trial: Trial) -> Encoder:
    collection = trial.collection()
    return fitted(trial.component(collection), collection)


def _both(encoder: Encoder) -> Iterator[tuple[str, Encode]]:
    yield "encode", encoder.encode
    yield "encode_queries", encoder.encode_queries


def _same(one: Any, two: Any, close: float = _CLOSE) -> bool:
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=0, atol=close, equal_nan=True))


def _shape(found: Any) -> str:
    return f"an array of shape {found.shape}" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    name,
    fingerprint,
    fingerprint_of_parameters,
    shape,
    float32,
    finite_vectors,
    unit_length,
    no_texts,
    odd_texts,
    long_texts,
    composed_text,
    batch_invariance,
    order_invariance,
    determinism,
    another_build,
    fitted_vectors,
    restored_encoder,
)
"""All of them, in the order in which they run."""
