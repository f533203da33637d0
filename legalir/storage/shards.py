"""Rows of texts from a slow encoder: resumed after a kill, and taken from earlier builds.

The rows of n texts are arrays by name. An array without a dot in its name, such as ``dense``, has one item for each
text, [n, ...]. Arrays of a group, such as ``sparse.tokens`` and ``sparse.weights``, hold the items of all texts in
order, [t, ...]; the bounds of the group, ``sparse.bounds``, int64 [n + 1], give the place of each text's items.

Rows are written in shards next to the directory of an artifact ``NAME``, so that a kill costs one shard at most::

    .NAME.shards/<16 hex>/     the sha256 of everything that decides a row, such as the encoder and the precision
        shard-<16 hex>/        rows; digests.npy, uint8 [m, 16], identifies their texts
            manifest.json      name, size and sha256 of each file, and a sha256 of the manifest itself

A shard appears by one rename when all of it is durable. A damaged or unfinished shard, and one of other settings, is
never read. An encoding process holds the lock of the shards of its artifact. When the build is done, its shards are
removed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError
from legalir.executors import Sent, mapped
from legalir.storage.arrays import ArrayFile, append_rows, create_array, save_array
from legalir.storage.artifact import open_build
from legalir.storage.digest import digest
from legalir.storage.documents import document_batches
from legalir.storage.files import atomic_directory
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import MANIFEST, Manifest, inventory, seal, unseal, verify
from legalir.storage.strings import write_docnos
from legalir.storage.validity import dated

DIGEST_BYTES = 16
_VERSION = 1
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
        return cls(digests.between(0, digests.length), files)


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
        shutil.rmtree(home, ignore_errors=True)


class Shards:
    """The shards of one artifact under one key; see :func:`shards_beside`.

    Attributes:
        key: sha256 of the settings, hex.
        sources: the rows that can be read; after :meth:`resume`, also rows of interrupted work.
    """

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self.key = digest({"shards": _VERSION, **settings})
        self.sources: list[RowSource] = []
        self._directory = home / self.key[:16]

    def resume(self) -> None:
        """Find the shards of interrupted work; remove everything that is not a whole shard of these settings."""
        self.sources = []
        if not self._directory.is_dir():
            return
        for child in sorted(self._directory.iterdir()):
            source = self._verified(child)
            if source is not None:
                self.sources.append(source)
            elif child.is_dir():
                shutil.rmtree(child, ignore_errors=True)

    def _verified(self, shard: Path) -> RowSource | None:
        try:
            content = unseal(json.loads((shard / MANIFEST).read_text(encoding="utf-8")))
            if content["key"] != self.key:
                return None
            verify(shard, Manifest("shard", _VERSION, "", {}, content["files"]))
            names = {name.removesuffix(".npy") for name in content["files"]}
            return RowSource.of(shard, sorted(names - {_DIGESTS}))
        except (OSError, ArtifactError, ValueError, KeyError, TypeError, AttributeError):
            return None

    @contextmanager
    def writing(self) -> Iterator[ShardWriter]:
        """Yield a writer for the next shard, which appears when the block ends without an error."""
        shard = self._directory / f"shard-{secrets.token_hex(8)}"
        with atomic_directory(shard) as temporary:
            with ShardWriter(temporary) as writer:
                yield writer
            content = seal({"key": self.key, "files": inventory(temporary.iterdir())})
            (temporary / MANIFEST).write_text(json.dumps(content, indent=1), encoding="utf-8")
        self.sources.append(RowSource.of(shard, writer.names))


class ShardWriter:
    """A writer of the rows of one shard, step by step; a context manager.

    Attributes:
        texts: number of texts so far.
    """

    def __init__(self, directory: Path) -> None:
        self.texts = 0
        self._directory = directory
        self._digests = bytearray()
        self._files = ExitStack()
        self._append: dict[str, Any] = {}
        self._layout: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._sizes: dict[str, list[npt.NDArray[np.int64]]] = {}

    @property
    def names(self) -> list[str]:
        """The names of all arrays of the rows."""
        return sorted(self._layout)

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        # Closing a file may fail on a full disk: raise that, unless there is an error already.
        with nullcontext() if kind is None else suppress(OSError):
            self._files.close()
        if kind is None:
            for name, sizes in self._sizes.items():
                bounds = np.concatenate([np.zeros(1, dtype=np.int64), *sizes]).cumsum()
                save_array(self._directory / f"{name}.npy", bounds)
            digests = np.frombuffer(self._digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES)
            save_array(self._directory / f"{_DIGESTS}.npy", digests)

    def add(self, digests: Sequence[bytes], rows: Rows) -> None:
        """Add the rows of texts.

        Args:
            digests: of the texts, [m].
            rows: their rows by name; the same names, types and shapes of items each time.

        Raises:
            ComponentError: the shapes do not fit, which is a fault of the encoder.
        """
        layout = {name: (array.dtype.str, array.shape[1:]) for name, array in rows.items()}
        self._layout = self._layout or layout
        if layout != self._layout:
            raise ComponentError(f"The encoder returned arrays {_shown(layout)} after {_shown(self._layout)}.")
        for name, array in rows.items():
            bounds = bounds_of(name)
            if bounds == name:
                _check_bounds(name, array, len(digests))
                self._sizes.setdefault(name, []).append(np.diff(array))
                continue
            needed = len(digests) if bounds is None else int(rows[bounds][-1])
            if len(array) != needed:
                raise ComponentError(
                    f"The encoder returned {name} of shape {list(array.shape)} for {len(digests)} texts, but "
                    f"{needed} items are needed."
                )
            self._appender(name, array)(array)
        self._digests += b"".join(digests)
        self.texts += len(digests)

    def _appender(self, name: str, array: npt.NDArray[Any]) -> Any:
        if name not in self._append:
            opened = append_rows(self._directory / f"{name}.npy", array.dtype, *array.shape[1:])
            self._append[name] = self._files.enter_context(opened)
        return self._append[name]


def _check_bounds(name: str, bounds: npt.NDArray[Any], texts: int) -> None:
    fits = bounds.shape == (texts + 1,) and bounds.dtype == np.int64
    if not fits or bounds[0] != 0 or (np.diff(bounds) < 0).any():
        raise ComponentError(
            f"The encoder returned {name} of shape {list(bounds.shape)} and type {bounds.dtype} for {texts} texts: "
            f"they must be int64 [{texts + 1}], ascending from 0."
        )


def _shown(layout: Mapping[str, tuple[str, tuple[int, ...]]]) -> str:
    return ", ".join(f"{name} {dtype}{list(item)}" for name, (dtype, item) in sorted(layout.items()))


_BLOCK = 16_000_000
"""Bytes of rows in memory at a time; the rows of one text are never divided."""


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
    files = sources[0].files
    _check_layouts(sources)
    wanted = np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES)
    save_array(data / "digests.npy", wanted)
    source, row = _located(wanted, sources)
    groups: dict[str | None, _Items] = {None: _Items(row, np.arange(len(row) + 1))}
    for name in files:
        if bounds_of(name) == name:
            groups[name] = _group(name, source, row, sources)
            save_array(data / f"{name}.npy", groups[name].bounds)
    columns = {name: groups[bounds_of(name)] for name in files if bounds_of(name) != name}
    with ExitStack() as stack:
        streams = {
            name: stack.enter_context(
                create_array(data / f"{name}.npy", files[name].dtype, (int(items.bounds[-1]), *files[name].item))
            )
            for name, items in columns.items()
        }
        for block in _blocks(files, columns):
            for name, items in columns.items():
                streams[name].write(_block(name, block, items, source, sources).data)
    return sorted(files)


def _check_layouts(sources: Sequence[RowSource]) -> None:
    expected = {name: file.layout for name, file in sources[0].files.items()}
    for source in sources[1:]:
        layout = {name: file.layout for name, file in source.files.items()}
        if layout != expected:
            raise ComponentError(
                f"The encoder returned {_shown(layout)}, and {_shown(expected)} before: its fingerprint must change "
                f"with them."
            )


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
    for number, here in _by_source(source):
        file = sources[number].files[name]
        old_bounds = file.between(0, file.length)
        starts[here] = old_bounds[row[here]]
        bounds[here + 1] = old_bounds[row[here] + 1] - starts[here]
    np.cumsum(bounds, out=bounds)
    return _Items(starts, bounds)


def _by_source(source: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield each number in `source` with its positions, ascending."""
    order = np.argsort(source, kind="stable")
    numbers, first = np.unique(source[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, first[1:]), strict=False)


def _blocks(files: Mapping[str, ArrayFile], columns: Mapping[str, _Items]) -> Iterator[slice]:
    """Yield ranges of documents with about ``_BLOCK`` bytes of rows each."""
    ends = sum((files[name].width * items.bounds for name, items in columns.items()), start=np.zeros(1, dtype=np.int64))
    first, documents = 0, len(ends) - 1
    while first < documents:
        last = int(np.searchsorted(ends, ends[first] + _BLOCK, side="right")) - 1
        last = min(max(last, first + 1), documents)
        yield slice(first, last)
        first = last


def _block(
    name: str, block: slice, items: _Items, source: Integers, sources: Sequence[RowSource]
) -> npt.NDArray[np.generic]:
    """Return the items of a range of documents."""
    bounds = items.bounds[block.start : block.stop + 1]
    file = sources[0].files[name]
    out = np.empty((int(bounds[-1] - bounds[0]), *file.item), dtype=file.dtype)
    for number, here in _by_source(source[block]):
        sizes = np.diff(bounds)[here]
        sources[number].files[name].read(out, bounds[here] - bounds[0], items.starts[block][here], sizes)
    return out


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
        with shards.writing() as shard:
            for digests, rows in itertools.chain([first], steps):
                shard.add(digests, rows())
                if shard.texts >= encoding.texts or monotonic() - began >= encoding.seconds:
                    break


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
