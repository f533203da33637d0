"""Rows of texts from a slow encoder: resumed after a kill, and taken from earlier builds.

The rows of n texts are arrays by name. An array without a dot in its name, such as ``dense``, has one item for each
text, [n, ...]. Arrays of a group, such as ``sparse.tokens`` and ``sparse.weights``, hold the items of all texts in
order, [t, ...]; the bounds of the group, ``sparse.bounds``, int64 [n + 1], give the place of each text's items.

Rows are written in shards next to the directory of an artifact ``NAME``, so that a kill costs one shard at most::

    .NAME.shards/<16 hex>/     the sha256 of everything that decides a row, such as the encoder and the precision
        shard-<16 hex>/        rows; digests.npy, uint8 [m, 16], identifies their texts
            manifest.json      as of an artifact, see :mod:`legalir.storage.artifact`

A shard appears by one rename when all of it is durable. A damaged or unfinished shard, and one of other settings, is
never read. An encoding process holds the lock of the shards of its artifact. When the build is done, its shards are
removed.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError
from legalir.executors import Sent, mapped
from legalir.storage.arrays import ArrayFile, create_array, save_array
from legalir.storage.artifact import Manifest, inventory, open_build, write_manifest
from legalir.storage.digest import digest
from legalir.storage.documents import document_batches
from legalir.storage.files import atomic_directory, cache_lock, remove
from legalir.storage.strings import write_docnos
from legalir.storage.validity import dated

DIGEST_BYTES = 16
_KIND, _VERSION = "shard", 2
_DIGESTS = "digests"

Rows = Mapping[str, npt.NDArray[Any]]
Integers = npt.NDArray[np.int64]
Advance = Callable[[int], None]
"""A callback with the number of items that were finished since the last call."""


def text_digest(text: str) -> bytes:
    """Return the identity of a text: the first 16 bytes of the sha256 of its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


def bounds_of(name: str) -> str | None:
    """Return the name of the bounds of an array's group, or None if the array has no group."""
    group, dot, _ = name.rpartition(".")
    return f"{group}.bounds" if dot else None


@dataclass(frozen=True, slots=True)
class RowSource:
    """Rows of m texts on disk, verified.

    Attributes:
        digests: digest of each text, uint8 [m, 16].
        files: the arrays of the rows by name, including the bounds.
    """

    digests: npt.NDArray[np.uint8]
    files: Mapping[str, ArrayFile]

    @classmethod
    def of(cls, directory: Path, names: Sequence[str]) -> RowSource:
        """Return the rows in the files of `directory` with these names, without ``.npy``."""
        digests = ArrayFile(directory / f"{_DIGESTS}.npy")
        files = {name: ArrayFile(directory / f"{name}.npy") for name in sorted(names)}
        return cls(digests.between(0, len(digests)), files)


def earlier_rows(paths: Iterable[Path], kind: str, version: int, key: str) -> list[RowSource]:
    """Return the rows of earlier builds; a build that is missing, damaged or of other settings is left out.

    Args:
        paths: directories of artifacts with ``rows`` in their facts, see :func:`write_encoded`.
        kind: of the artifacts.
        version: of their layout.
        key: of the shards, see :class:`Shards`.
    """
    sources = []
    for path in paths:
        with suppress(ArtifactError):
            manifest, _ = open_build(path, kind, version)
            rows = manifest.facts.get("rows", {})
            if rows.get("key") == key:
                sources.append(RowSource.of(path / manifest.data, rows["arrays"]))
    return sources


@contextmanager
def shards_beside(artifact: Path, settings: Mapping[str, Any]) -> Iterator[Shards]:
    """Hold the lock of the shards of an artifact and yield them; they are removed if the block ends without an error.

    Args:
        artifact: its directory, which may not exist yet.
        settings: everything that decides a row: the encoder's fingerprint, precisions, kind and version of the
            artifact; JSON values.

    Raises:
        ArtifactError: the directory cannot be written.
    """
    home = artifact.with_name(f".{artifact.name}.shards")
    with cache_lock(artifact.with_name(f"{artifact.name}.shards")):
        yield Shards(home, settings)
        remove(home)


class Shards:
    """The shards of one artifact under one key; see :func:`shards_beside`.

    Attributes:
        key: sha256 of the settings, hex.
        sources: the rows that can be read; after :meth:`resume`, also rows of interrupted work.
    """

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self.key = digest({"shards": 1, **settings})
        self.sources: list[RowSource] = []
        self._directory = home / self.key[:16]

    def resume(self) -> None:
        """Find the shards of interrupted work; remove everything that is not a whole shard of these settings."""
        self.sources = []
        if not self._directory.is_dir():
            return
        for child in sorted(self._directory.iterdir()):
            whole = earlier_rows([child], _KIND, _VERSION, self.key)
            self.sources += whole
            if not whole:
                remove(child)

    def add(self, digests: Sequence[bytes], steps: Sequence[Rows]) -> None:
        """Write a shard.

        Args:
            digests: of its texts, [m].
            steps: the rows of consecutive texts; at least one.

        Raises:
            ComponentError: the names, types or shapes of the rows of two steps differ, which is a fault of the encoder.
            OSError: the files cannot be written.
        """
        first = steps[0]
        for rows in steps:
            if _layout(rows) != _layout(first):
                raise ComponentError(f"The encoder returned arrays {_shown(rows)} after {_shown(first)}.")
        shard = self._directory / f"shard-{secrets.token_hex(8)}"
        with atomic_directory(shard) as new:
            save_array(new / f"{_DIGESTS}.npy", _digest_rows(b"".join(digests)))
            for name in first:
                arrays = [rows[name] for rows in steps]
                if bounds_of(name) == name:
                    arrays = [np.cumsum(np.concatenate([[0], *map(np.diff, arrays)]), dtype=np.int64)]
                save_array(new / f"{name}.npy", np.concatenate(arrays))
            facts = {"rows": {"key": self.key, "arrays": sorted(first)}}
            write_manifest(new, Manifest(_KIND, _VERSION, "", facts, inventory(new)))
        self.sources.append(RowSource.of(shard, [*first]))


def _digest_rows(digests: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def _layout(rows: Mapping[str, npt.NDArray[Any] | ArrayFile]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return type and shape of an item of each array."""
    return {name: (array.dtype.str, array.shape[1:]) for name, array in rows.items()}


def _shown(rows: Mapping[str, npt.NDArray[Any] | ArrayFile]) -> str:
    return ", ".join(f"{name} {dtype}{list(item)}" for name, (dtype, item) in sorted(_layout(rows).items()))


def _checked(rows: Rows, texts: int) -> Rows:
    """Return the rows of a number of texts.

    Raises:
        ComponentError: their lengths do not fit, which is a fault of the encoder.
    """
    for name, array in rows.items():
        bounds = bounds_of(name)
        if bounds == name:
            fits = array.shape == (texts + 1,) and array.dtype == np.int64
            if not fits or array[0] != 0 or (np.diff(array) < 0).any():
                raise ComponentError(
                    f"The encoder returned {name} of shape {list(array.shape)} and type {array.dtype} for {texts} "
                    f"texts: they must be int64 [{texts + 1}], ascending from 0."
                )
        elif len(array) != (needed := texts if bounds is None else int(rows[bounds][-1])):
            raise ComponentError(
                f"The encoder returned {name} of shape {list(array.shape)} for {texts} texts, but {needed} items are "
                f"needed."
            )
    return rows


_SHARD = 64_000_000
"""Bytes of rows at which a shard is closed."""

_BLOCK = 16_000_000
"""Bytes of an array in memory at a time; the rows of one text are never divided."""


class _Items(NamedTuple):
    """Positions of the items of n documents: `starts` in their sources, [n]; `bounds` in the new array, [n + 1]."""

    starts: Integers
    bounds: Integers


def gather(data: Path, digests: bytes, sources: Sequence[RowSource]) -> list[str]:
    """Write ``digests.npy`` and the rows of documents into `data`; return the names of the arrays of the rows.

    Args:
        data: directory of the build.
        digests: of the texts of the documents, 16 bytes each.
        sources: at least one; together they have rows for each digest. The first source with a text is used.

    Raises:
        ArtifactError: a source was truncated after it was verified.
        ComponentError: the sources have rows of different types or shapes.
        OSError: the files cannot be written.
    """
    first, *others = sources
    for other in others:
        if _layout(other.files) != _layout(first.files):
            raise ComponentError(
                f"The encoder returned {_shown(other.files)}, and {_shown(first.files)} before: its fingerprint must "
                f"change with them."
            )
    wanted = _digest_rows(digests)
    save_array(data / f"{_DIGESTS}.npy", wanted)
    source, row = _located(wanted, sources)
    groups: dict[str | None, _Items] = {None: _Items(row, np.arange(len(row) + 1))}
    for name in first.files:
        if bounds_of(name) == name:
            groups[name] = _group(name, source, row, sources)
            save_array(data / f"{name}.npy", groups[name].bounds)
    for name, file in first.files.items():
        starts, bounds = groups[bounds_of(name)]
        if bounds_of(name) == name:
            continue
        with create_array(data / f"{name}.npy", file.dtype, (int(bounds[-1]), *file.item)) as stream:
            for block in _blocks(bounds * file.width):
                ends = bounds[block.start : block.stop + 1] - bounds[block.start]
                out = np.empty((int(ends[-1]), *file.item), dtype=file.dtype)
                for number in np.unique(source[block]):
                    here = np.flatnonzero(source[block] == number)
                    sources[number].files[name].read(out, ends[here], starts[block][here], np.diff(ends)[here])
                stream.write(out.data)
    return sorted(first.files)


def _located(wanted: npt.NDArray[np.uint8], sources: Sequence[RowSource]) -> tuple[Integers, Integers]:
    """Return the number of the first source with each digest, and the row in it; both [n]."""
    # Bytes of one length are compared as a whole.
    all_digests = np.concatenate([source.digests for source in sources]).view(f"S{DIGEST_BYTES}").reshape(-1)
    order = np.argsort(all_digests, kind="stable")
    positions = order[np.searchsorted(all_digests, wanted.view(f"S{DIGEST_BYTES}").reshape(-1), sorter=order)]
    first = np.cumsum([0, *(len(source.digests) for source in sources)])
    source = np.searchsorted(first, positions, side="right") - 1
    return source, positions - first[source]


def _group(name: str, source: Integers, row: Integers, sources: Sequence[RowSource]) -> _Items:
    starts, bounds = np.empty(len(row), dtype=np.int64), np.zeros(len(row) + 1, dtype=np.int64)
    for number in np.unique(source):
        here = np.flatnonzero(source == number)
        file = sources[number].files[name]
        old_bounds = file.between(0, len(file))
        starts[here] = old_bounds[row[here]]
        bounds[here + 1] = old_bounds[row[here] + 1] - starts[here]
    np.cumsum(bounds, out=bounds)
    return _Items(starts, bounds)


def _blocks(ends: Integers) -> Iterator[slice]:
    """Yield ranges of documents with about ``_BLOCK`` bytes each; document i has those from `ends`[i], [n + 1]."""
    firsts = np.flatnonzero(np.diff(ends[:-1] // _BLOCK, prepend=-1)).tolist()
    yield from map(slice, firsts, [*firsts[1:], len(ends) - 1])


@dataclass(frozen=True, slots=True)
class Encoding:
    """The way from texts to rows.

    Attributes:
        represent: returns the rows of texts (an empty list, too), with the same names, types and shapes of items each
            time. It calls its second argument with numbers of finished texts that add up to all of them.
        texts: number of texts at which a shard is closed.
        seconds: time after which a shard is closed, which is the most that a kill can cost.
        step: characters that are encoded at a time; a longer text goes alone.
        advance: called with the number of documents that were finished since the last call.
        executor: its workers represent the texts, a step each; None: this process does. The rows are the same.
    """

    represent: Callable[[list[str], Advance], Rows]
    texts: int = 4096
    seconds: float = 60.0
    step: int = 32_768
    advance: Advance = lambda done: None
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if self.texts < 1:
            raise ComponentError(f"shard must be 1 text or more, got {self.texts}.")


def write_encoded(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encoding: Encoding,
    shards: Shards,
    earlier: Iterable[RowSource] = (),
) -> dict[str, Any]:
    """Write docnos, digests of the texts and rows of documents; return the facts about them.

    Each text is encoded once, or not at all if `earlier` or a shard has its rows. Memory holds the texts of one
    shard, one block of rows, and docno, digest and bounds of all documents.

    Files: the docnos (see :mod:`legalir.storage.strings`); ``digests.npy``, uint8 [n, 16]; each array of the rows.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and optionally ``title``.
        encoding: the way from texts to rows.
        shards: of the same artifact and settings.
        earlier: rows of other builds with the same key, see :func:`earlier_rows`.

    Returns:
        ``documents``, their number, and ``rows`` with ``key`` and ``arrays``, which a later build reads.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is not a string, or the encoder returns rows that do
            not fit together.
        OSError: the files cannot be written.
    """
    shards.resume()
    earlier = list(earlier)
    encoded = {row.tobytes() for source in (*earlier, *shards.sources) for row in source.digests}
    docnos: list[str] = []
    digests = bytearray()
    missing: dict[bytes, str] = {}
    for names, texts in document_batches(dated(documents, data)):
        docnos += names
        before = len(missing)
        for text in texts:
            digest = text_digest(text)
            digests += digest
            if digest not in encoded:
                encoded.add(digest)
                missing[digest] = text
        encoding.advance(len(texts) - (len(missing) - before))
        if len(missing) >= encoding.texts:
            _encode(missing, encoding, shards)
            missing = {}
    if missing or not (earlier or shards.sources):
        _encode(missing, encoding, shards)
    write_docnos(data, docnos)
    arrays = gather(data, bytes(digests), [*earlier, *shards.sources])
    return {"documents": len(docnos), "rows": {"key": shards.key, "arrays": arrays}}


def _encode(missing: Mapping[bytes, str], encoding: Encoding, shards: Shards) -> None:
    """Write shards with the rows of texts; without texts, one empty shard with their types and shapes."""
    # Texts of one length fill a batch best. The longest come first, so that a lack of memory shows early.
    texts_by_length = sorted(missing.items(), key=lambda item: len(item[1]), reverse=True)
    steps = _represented(_steps(texts_by_length, encoding), encoding)
    for first in steps:
        began = monotonic()
        digests: list[bytes] = []
        rows: list[Rows] = []
        size = 0
        for names, encoded in itertools.chain([first], steps):
            digests += names
            rows.append(_checked(encoded(), len(names)))
            size += sum(array.nbytes for array in rows[-1].values())
            if len(digests) >= encoding.texts or size >= _SHARD or monotonic() - began >= encoding.seconds:
                break
        shards.add(digests, rows)


def _represented(
    steps: Iterator[Sequence[tuple[bytes, str]]], encoding: Encoding
) -> Iterator[tuple[list[bytes], Callable[[], Rows]]]:
    """Yield the digests of the texts of each step, and the function that returns their rows; call each, in order."""
    pairs = (([digest for digest, _ in step], [text for _, text in step]) for step in steps)
    represent, advance = encoding.represent, encoding.advance
    if encoding.executor is None:
        yield from ((digests, partial(represent, texts, advance)) for digests, texts in pairs)
        return

    def task(texts: list[str]) -> Rows:
        return represent(texts, lambda done: None)

    mine, theirs = itertools.tee(pairs)
    results = mapped(Sent(task), (texts for _, texts in theirs), executor=encoding.executor)
    for digests, _ in mine:
        yield digests, partial(next, results)
        advance(len(digests))


def _steps(texts: Sequence[tuple[bytes, str]], encoding: Encoding) -> Iterator[Sequence[tuple[bytes, str]]]:
    """Yield the texts to encode at a time; at least one list, which may be empty."""
    first = characters = 0
    for number, (_, text) in enumerate(texts):
        characters += len(text)
        # A step never crosses the end of a shard, which would then have too many texts.
        if number > first and (characters > encoding.step or number % encoding.texts == 0):
            yield texts[first:number]
            first, characters = number, len(text)
    yield texts[first:]
