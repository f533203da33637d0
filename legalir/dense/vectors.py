"""Vectors on their way into a dense index: from an encoder, or made elsewhere, as an array or in the format FLEX.

FLEX is the format of pyterrier-dr's ``FlexIndex``, read here without that package, which needs torch. Its files are
``pt_meta.json``, which has the counts; ``vecs.f4``, float32 [n, d], row by row; and ``docnos.npids``, the docno of each
row, which the package npids reads.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.declared import check_choice
from legalir.errors import ArtifactError, ComponentError
from legalir.extras import require
from legalir.storage.arrays import ArrayFile, append_rows, load_array, unit_rows
from legalir.storage.shards import Advance, Encoding, Rows, Shards, earlier_rows, write_encoded
from legalir.storage.strings import write_docnos

KIND, VERSION = "dense_index", 1
"""Kind of the artifact, and version of its layout."""

Precision = Literal["float32", "float16"]
"""Type of stored vectors."""

SimFn = Literal["dot", "cos"]
"""Similarity of a FlexIndex: inner product or cosine."""

_ROWS = 16_384
"""Rows per block."""

_EQUAL = 1e-3
"""Lengths count as equal if they differ by no more than this share."""


def write_vectors(
    directory: Path, batches: Iterable[tuple[Sequence[str], npt.NDArray[np.floating]]], precision: Precision
) -> dict[str, Any]:
    """Write docnos and vectors of an index, batch by batch; return the facts about them.

    Args:
        directory: directory of the build.
        batches: docnos, and their vectors with rows of length 1, [m, d]; at least one batch.
        precision: type of the stored vectors.

    Raises:
        ComponentError: `precision` is unknown, a docno occurs twice, or the shapes do not fit.
    """
    check_choice("", "precision", precision, get_args(Precision))
    rest = iter(batches)
    first = next(rest)
    dimensions = first[1].shape[-1]
    docnos: list[str] = []
    with append_rows(directory / "vectors.npy", np.dtype(precision), dimensions) as append:
        for names, vectors in itertools.chain([first], rest):
            if vectors.shape != (len(names), dimensions):
                raise ComponentError(
                    f"The encoder made vectors of shape {list(vectors.shape)} for {len(names)} documents where "
                    f"{[len(names), dimensions]} is needed: it must give each document the same number of dimensions."
                )
            docnos += names
            append(vectors)
    write_docnos(directory, docnos)
    return {"documents": len(docnos), "dimensions": dimensions, "precision": precision}


def vector_settings(fingerprint: str, precision: Precision) -> dict[str, Any]:
    """Return everything that a stored vector depends on, for :func:`~legalir.storage.shards.shards_beside`.

    Args:
        fingerprint: fingerprint of the encoder.
        precision: type of the stored vectors.

    Raises:
        ComponentError: `precision` is unknown.
    """
    check_choice("", "precision", precision, get_args(Precision))
    return {"kind": KIND, "version": VERSION, "encoder": fingerprint, "precision": precision}


def write_encoded_vectors(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encode: Callable[[Sequence[str], Advance], npt.NDArray[np.floating]],
    shards: Shards,
    *,
    precision: Precision,
    earlier: Iterable[Path] = (),
    shard: int = 4096,
    advance: Advance = lambda done: None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Write docnos, digests of texts and vectors of an index, from a slow encoder; return the facts about them.

    Only texts are encoded whose vectors neither an earlier index nor interrupted work has.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and, if there is one, ``title``.
        encode: returns the vectors of texts, [m, d], rows of length 1 or 0, also of no texts; calls its second argument
            with the number of further texts that are done.
        shards: shards of the same index, under :func:`vector_settings`.
        precision: type of the stored vectors.
        earlier: paths of dense indexes whose vectors may be used again, the path of the index itself among them.
        shard: number of texts that are made durable together; a shard is also closed after a minute.
        advance: called with the number of further documents that are done.
        executor: its workers encode; None: this process does.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is not a string, or the encoder makes no vectors.
        OSError: the files cannot be written.
    """

    def represent(texts: list[str], advance: Advance) -> Rows:
        vectors = np.asarray(encode(texts, advance))
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ComponentError(
                f"The encoder made vectors of shape {list(vectors.shape)} for {len(texts)} texts, or with a NaN or an "
                f"infinity in them: its files may be damaged, or float16 too narrow for it."
            )
        return {"vectors": vectors.astype(precision)}

    sources = earlier_rows(earlier, KIND, VERSION, shards.key)
    encoding = Encoding(represent, texts=shard, advance=advance, executor=executor)
    facts = write_encoded(data, documents, encoding, shards, sources)
    return {**facts, "dimensions": ArrayFile(data / "vectors.npy").item[0], "precision": precision}


def foreign_vectors(
    vectors: npt.NDArray[Any] | str | PathLike[str], docnos: Iterable[str]
) -> Iterator[tuple[list[str], npt.NDArray[np.float32]]]:
    """Check vectors that were made elsewhere; yield them in batches, scaled to length 1, with their docnos.

    Args:
        vectors: numbers [n, d], or the path of a ``.npy`` file of them, which is memory-mapped.
        docnos: n of them.

    Raises:
        ComponentError: the shapes do not fit, or a row has no direction.
    """
    array = vectors if isinstance(vectors, np.ndarray) else _mapped(Path(vectors))
    names = list(docnos)
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise ComponentError(
            f"The vectors have shape {list(array.shape)} and type {array.dtype}: give numbers [documents, dimensions]."
        )
    if len(array) != len(names):
        raise ComponentError(f"There are {len(array)} vectors and {len(names)} docnos: give each vector one docno.")
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ComponentError(f"The docno of a vector must be a string, got {wrong[0]!r}.")
    for first in range(0, max(1, len(array)), _ROWS):
        block = array[first : first + _ROWS]
        faulty = np.flatnonzero(~np.isfinite(block).all(axis=1) | ~block.any(axis=1))
        if len(faulty):
            row = first + int(faulty[0])
            kind = "is all zeros" if np.isfinite(array[row]).all() else "holds a NaN or an infinity"
            raise ComponentError(f"The vector of {names[row]!r} (row {row}) {kind}: a cosine needs a direction.")
        yield names[first : first + _ROWS], unit_rows(block)


def _mapped(path: Path) -> npt.NDArray[Any]:
    if not path.exists():
        raise ComponentError(f"There is no file {path}: give the path of a .npy file.")
    try:
        return load_array(path)
    except ArtifactError:
        raise ComponentError(f"{path} is not a .npy file of numbers: write one with numpy.save.") from None


def read_flex(path: Path, sim_fn: SimFn = "dot") -> tuple[npt.NDArray[np.float32], list[str]]:
    """Return the vectors of a FLEX index, [n, d], memory-mapped, and their docnos.

    Args:
        path: its directory.
        sim_fn: its similarity; with ``dot``, all vectors must have the same length, so that cosines order documents
            alike.

    Raises:
        ArtifactError: there is no such index, or its files do not belong together.
        ComponentError: `sim_fn` is unknown, or inner products would not order the documents as cosines do.
        MissingExtra: npids is not installed.
    """
    check_choice("", "sim_fn", sim_fn, get_args(SimFn))
    n, d = _counts(path)
    vectors = path / "vecs.f4"
    size = vectors.stat().st_size if vectors.exists() else 0
    if size != 4 * n * d:
        raise _broken(path, f"vecs.f4 has {size} bytes, and {n} vectors of {d} numbers have {4 * n * d}")
    mapped: npt.NDArray[np.float32] = np.memmap(vectors, dtype="<f4", mode="r", shape=(n, d))
    if sim_fn == "dot":
        _check_lengths(path, mapped)
    return mapped, _docnos(path, n)


def _counts(path: Path) -> tuple[int, int]:
    """Return n and d."""
    file = path / "pt_meta.json"
    if not file.exists():
        raise ArtifactError(f"{path} holds no pt_meta.json: give the directory of a FlexIndex.")
    try:
        meta: Any = json.loads(file.read_text(encoding="utf-8"))
        kind = meta["type"], meta["format"]
        n, d = meta["doc_count"], meta["vec_size"]
    except (ValueError, KeyError, TypeError):
        raise _broken(path, "pt_meta.json does not say what it holds") from None
    if kind != ("dense_index", "flex"):
        raise ArtifactError(f"{path} holds a {kind[0]} in the format {kind[1]}: give the directory of a FlexIndex.")
    if not (isinstance(n, int) and isinstance(d, int) and n > 0 and d > 0):
        raise _broken(path, f"it holds {n} vectors of {d} numbers")
    return n, d


def _docnos(path: Path, n: int) -> list[str]:
    npids = require("npids", extra="flex")
    try:
        with npids.Lookup(str(path / "docnos.npids")) as lookup:
            docnos = [str(docno) for docno in lookup]
    except Exception as error:  # npids raises errors of every kind for a foreign file
        raise _broken(path, f"docnos.npids cannot be read ({type(error).__name__})") from error
    if len(docnos) != n:
        raise _broken(path, f"docnos.npids has {len(docnos)} docnos for {n} vectors")
    return docnos


def _check_lengths(path: Path, vectors: npt.NDArray[np.float32]) -> None:
    low, high = np.inf, 0.0
    for first in range(0, len(vectors), _ROWS):
        lengths = np.linalg.norm(vectors[first : first + _ROWS].astype(np.float64), axis=1)
        lengths = lengths[(lengths > 0) & np.isfinite(lengths)]  # foreign_vectors reports all other rows by docno
        low, high = float(lengths.min(initial=low)), float(lengths.max(initial=high))
    if high > low * (1 + _EQUAL):
        raise ComponentError(
            f"The vectors of {path} are from {low:.4g} to {high:.4g} long, so inner products do not order documents "
            f"as the cosines of this index do: give sim_fn='cos' if their encoder is meant for cosines."
        )


def _broken(path: Path, fault: str) -> ArtifactError:
    return ArtifactError(f"{path} is not a whole FLEX index, because {fault}: build it again with pyterrier-dr.")
