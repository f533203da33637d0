"""Checks of an encoder: text in, vectors of length 1 out. A trainable encoder is fitted on the kit's collection."""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from legalir.collection.collection import Collection
from legalir.dense.contract import Encoder, TrainableEncoder
from legalir.lexical.sparse import SparseIndex
from legalir.testing.checks import (
    Failed,
    NotApplicable,
    check_fingerprint_of_parameters,
    check_name,
    checks_of,
    construction,
    fingerprint,
    first_use,
    given,
)
from legalir.testing.data import ODD_TEXTS, TEXTS, long_text
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Sandbox, fitted

_CLOSE = 1e-5
"""Tolerance of the numbers of a vector: float32 sums depend on the order of addition, and so on the batch."""

Encode = Callable[[Sequence[str]], Any]


def _both(sandbox: Sandbox) -> Iterator[tuple[str, Encode]]:
    """Yield the two methods of the encoder, with their names."""
    collection = sandbox.collection()
    encoder = fitted(sandbox.make(collection), collection)
    yield "encode", encoder.encode
    yield "encode_queries", encoder.encode_queries


def _same(one: Any, two: Any, close: float = _CLOSE) -> bool:
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=0, atol=close, equal_nan=True))


def _shape(vectors: Any) -> str:
    return f"an array of shape {vectors.shape}" if isinstance(vectors, np.ndarray) else f"a {type(vectors).__name__}"


def name(sandbox: Sandbox) -> None:
    """The name is a short text."""
    check_name(sandbox.make(sandbox.collection()).name)


def fingerprint_of_parameters(sandbox: Sandbox) -> None:
    """A parameter that changes the vectors changes the fingerprint."""

    def differ(one: Any, two: Any, collection: Collection) -> bool:
        first, second = (fitted(encoder, collection).encode(TEXTS) for encoder in (one, two))
        return not _same(first, second)

    check_fingerprint_of_parameters(sandbox, "vectors", differ)


def shape(sandbox: Sandbox) -> None:
    """There is a row for each text, of the same width for documents and questions, and not all numbers are 0."""
    widths = set()
    for method, encode in _both(sandbox):
        vectors = encode(TEXTS)
        if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or len(vectors) != len(TEXTS):
            raise Failed(f"{method} returned {_shape(vectors)} for {len(TEXTS)} texts: return one row a text.")
        if not vectors.any():
            raise Failed(f"{method} returned only zeros: look at the tokens that your encoder reads.")
        widths.add(vectors.shape[1])
    if len(widths) > 1:
        raise Failed(f"documents and questions have {' and '.join(map(str, widths))} columns: give both the same.")


def float32(sandbox: Sandbox) -> None:
    """Vectors are of type float32."""
    for method, encode in _both(sandbox):
        if encode(TEXTS).dtype != np.float32:
            raise Failed(f"{method} returned {encode(TEXTS).dtype}: end with astype(np.float32).")


def finite_vectors(sandbox: Sandbox) -> None:
    """All numbers of a vector are finite."""
    for method, encode in _both(sandbox):
        if not np.isfinite(encode(TEXTS)).all():
            raise Failed(f"{method} returned numbers that are not finite: do not divide by a length of 0.")


def unit_length(sandbox: Sandbox) -> None:
    """A vector has length 1, or 0 for a text without content."""
    for method, encode in _both(sandbox):
        lengths = np.linalg.norm(np.nan_to_num(encode(TEXTS).astype(np.float64), posinf=0, neginf=0), axis=1)
        for text, length in zip(TEXTS, lengths, strict=True):
            if length > _CLOSE and abs(length - 1) > 1e-3 and np.isfinite(encode([text])).all():
                raise Failed(f"{method} gave {text[:30]!r} length {length:.4g}: divide a vector by its length.")


def no_texts(sandbox: Sandbox) -> None:
    """An empty list gives an array without rows."""
    for method, encode in _both(sandbox):
        vectors = encode([])
        if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or len(vectors):
            raise Failed(f"{method} returned {_shape(vectors)} for no texts: return np.zeros((0, d), np.float32).")


def odd_texts(sandbox: Sandbox) -> None:
    """Empty texts, punctuation and control characters have finite vectors."""
    for method, encode in _both(sandbox):
        for text in ODD_TEXTS:
            with given(text):
                vectors = encode([text])
            if len(vectors) != 1 or not np.isfinite(vectors).all():
                raise Failed(f"{method} gave {text[:20]!r} no finite vector: return zeros for a text without content.")


def long_texts(sandbox: Sandbox) -> None:
    """A text of 100 000 characters has a vector."""
    for method, encode in _both(sandbox):
        vectors = encode([long_text()])
        if len(vectors) != 1 or not np.isfinite(vectors).all():
            raise Failed(f"{method} gave 100 000 characters no finite vector: truncate to the length that it reads.")


def composed_text(sandbox: Sandbox) -> None:
    """A text in NFD has the vector of the text in NFC."""
    for method, encode in _both(sandbox):
        if not _same(encode(TEXTS), encode([unicodedata.normalize("NFD", text) for text in TEXTS])):
            raise Failed(f"{method} returns other vectors in NFD: first call unicodedata.normalize('NFC', text).")


def batch_invariance(sandbox: Sandbox) -> None:
    """A text has the same vector alone and in a batch, except for rounding."""
    for method, encode in _both(sandbox):
        if not _same(encode(TEXTS), np.concatenate([encode([text]) for text in TEXTS])):
            raise Failed(f"{method} returns another vector for a text alone: encode each text by itself.")


def order_invariance(sandbox: Sandbox) -> None:
    """The order of texts changes no vector, except for rounding."""
    for method, encode in _both(sandbox):
        if not _same(encode(TEXTS), encode(TEXTS[::-1])[::-1]):
            raise Failed(f"{method} returns other vectors in another order: put sorted texts back into their order.")


def determinism(sandbox: Sandbox) -> None:
    """The same texts have the same vectors again."""
    for method, encode in _both(sandbox):
        if not _same(encode(TEXTS), encode(TEXTS)):
            raise Failed(f"{method} returned other vectors the second time: switch off dropout, and keep no state.")


def another_build(sandbox: Sandbox) -> None:
    """Two encoders of the same parameters give the same vectors."""
    for (method, one), (_, two) in zip(_both(sandbox), _both(sandbox), strict=True):
        if not _same(one(TEXTS), two(TEXTS)):
            raise Failed(f"{method} returns other vectors when it is made again: give random numbers a seed.")


def fitted_vectors(sandbox: Sandbox) -> None:
    """A trainable encoder returns from `fit` the vectors of the documents."""
    collection = sandbox.collection()
    trainable = _trainable(sandbox, collection)
    encoder, vectors = trainable.fit(SparseIndex.of(collection, trainable.analyzer))
    expected = encoder.encode([record.default_text() for record in collection.docs()])
    if vectors.dtype != np.float32 or vectors.shape != expected.shape or not _same(expected, vectors, 1e-3):
        raise Failed("the vectors of fit are not those of encode for the documents: make them the same.")


def restored_encoder(sandbox: Sandbox) -> None:
    """A trainable encoder is restored from the files that it saved."""
    collection = sandbox.collection()
    learnt, again = _restored(_trainable(sandbox, collection), collection)
    if not _same(learnt.encode_queries(TEXTS), again.encode_queries(TEXTS)):
        raise Failed("the restored encoder returns other vectors than the saved one: save everything that was learnt.")


def _restored(trainable: TrainableEncoder, collection: Collection) -> tuple[Encoder, Encoder]:
    """Return the fitted encoder, and the same after a way through files."""
    learnt = trainable.fit(SparseIndex.of(collection, trainable.analyzer))[0]
    with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
        learnt.save(Path(folder))
        files = sorted(Path(folder).iterdir())
        if bad := [file.name for file in files if not (file.name.startswith("encoder.") and file.suffix == ".npy")]:
            raise Failed(f"save wrote {bad[0]!r}: write files named encoder.….npy only.")
        arrays = {file.name.removesuffix(".npy"): np.load(file, allow_pickle=False) for file in files}
    return learnt, trainable.restore(arrays)


def _trainable(sandbox: Sandbox, collection: Collection) -> TrainableEncoder:
    encoder = sandbox.make(collection)
    if not isinstance(encoder, TrainableEncoder):
        raise NotApplicable("it is not trainable")
    return encoder


ENCODER = checks_of(
    construction,
    first_use,
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
"""All checks of an encoder, in the order in which they run."""
