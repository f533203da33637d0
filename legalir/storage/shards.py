"""Encoding documents for an artifact: only texts that no earlier work encoded, and the rows of all in their order.

Shards: rows of texts that were encoded for a build, kept beside it so that a kill costs one shard at most.

Layout beside the directory of an artifact ``NAME``::

    .NAME.shards/<16 hex>/     by the sha256 of all that decides a row, such as the encoder and the precision
        shard-<16 hex>/        rows as in legalir.storage.rows; digests.npy, uint8 [m, 16], tells their texts
            manifest.json      name, size and sha256 of each file, and a sha256 of the manifest itself

A shard appears by one rename when all of it is durable. What is damaged, unfinished or of other settings is never
read. Whoever encodes for an artifact holds the lock of its shards, so that a second process waits. When the build is
done, its shards are removed.

Rows of documents, gathered from wherever they were written before into the arrays of one build.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, ComponentError
from legalir.storage.arrays import create_array, save_array
from legalir.storage.artifact import open_build
from legalir.storage.digest import digest
from legalir.storage.documents import document_batches
from legalir.storage.files import atomic_directory
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import MANIFEST, Manifest, inventory, seal, unseal, verify
from legalir.storage.rows import ArrayFile, Rows, appending, bounds_of
from legalir.storage.strings import write_docnos

__all__ = [
    "DIGEST_BYTES",
    "Advance",
    "Encoding",
    "RowSource",
    "ShardWriter",
    "Shards",
    "earlier_rows",
    "gather",
    "shards_beside",
    "text_digest",
    "write_encoded",
]

DIGEST_BYTES = 16
_VERSION = 1
_DIGESTS = "digests"


def text_digest(text: str) -> bytes:
    """Return what a text is known by: the first 16 bytes of the sha256 of its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


@dataclass(frozen=True, slots=True)
class RowSource:
    """Rows of m texts on disk, verified.

    Attributes:
        digests: digest of each text, uint8 [m, 16].
        files: the arrays of the rows by name, those of bounds among them.
    """

    digests: npt.NDArray[np.uint8]
    files: Mapping[str, ArrayFile]

    @classmethod
    def of(cls, directory: Path, names: Sequence[str]) -> RowSource:
        """Return the rows in the files of `directory` that have these names without ``.npy``."""
        digests = ArrayFile(directory / f"{_DIGESTS}.npy")
        files = {name: ArrayFile(directory / f"{name}.npy") for name in sorted(names)}
        return cls(digests.between(0, digests.length), files)


def earlier_rows(paths: Iterable[Path], kind: str, version: int, key: str) -> list[RowSource]:
    """Return the rows of builds; one that is not there, damaged, or of other settings has none to give.

    Args:
        paths: directories of artifacts whose facts hold ``rows``, as :func:`write_encoded` says.
        kind: of the artifacts.
        version: of their layout.
        key: of the shards whose rows are wanted.
    """
    found = []
    for path in paths:
        with suppress(ArtifactError):
            manifest, _ = open_build(path, kind, version)
            rows = manifest.facts.get("rows", {})
            if rows.get("key") == key:
                found.append(RowSource.of(path / manifest.data, rows["arrays"]))
    return found


@contextmanager
def shards_beside(artifact: Path, settings: Mapping[str, Any]) -> Iterator[Shards]:
    """Hold the lock of the shards of an artifact and yield them; they are removed if the block ends without an error.

    Args:
        artifact: its directory, which may not exist yet.
        settings: all that decides a row: the encoder's fingerprint, precisions, kind and version of the artifact;
            JSON values.

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
        sources: the rows that can be read, those of earlier work once :meth:`resume` has been called.
    """

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self.key = digest({"shards": _VERSION, **settings})
        self.sources: list[RowSource] = []
        self._directory = home / self.key[:16]

    def resume(self) -> None:
        """Find the shards that interrupted work left, and remove what is no whole shard of these settings."""
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
    """Writes the rows of a shard as they come; use it as a context manager.

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
        """Names of all arrays of the rows."""
        return sorted(self._layout)

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        # The last bytes of a file may not fit on a full disk either: that is an error, but not a second one.
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
            ComponentError: the shapes do not fit: the encoder's fault.
        """
        layout = {name: (array.dtype.str, array.shape[1:]) for name, array in rows.items()}
        self._layout = self._layout or layout
        if layout != self._layout:
            raise ComponentError(f"The encoder made arrays {_shown(layout)} after {_shown(self._layout)}.")
        for name, array in rows.items():
            bounds = bounds_of(name)
            if bounds == name:
                _check_bounds(name, array, len(digests))
                self._sizes.setdefault(name, []).append(np.diff(array))
                continue
            needed = len(digests) if bounds is None else int(rows[bounds][-1])
            if len(array) != needed:
                raise ComponentError(
                    f"The encoder made {name} of shape {list(array.shape)} for {len(digests)} texts, where "
                    f"{needed} items are needed."
                )
            self._appender(name, array)(array)
        self._digests += b"".join(digests)
        self.texts += len(digests)

    def _appender(self, name: str, array: npt.NDArray[Any]) -> Any:
        if name not in self._append:
            opened = appending(self._directory / f"{name}.npy", array.dtype, array.shape[1:])
            self._append[name] = self._files.enter_context(opened)
        return self._append[name]


def _check_bounds(name: str, bounds: npt.NDArray[Any], texts: int) -> None:
    fits = bounds.shape == (texts + 1,) and bounds.dtype == np.int64
    if not fits or bounds[0] != 0 or (np.diff(bounds) < 0).any():
        raise ComponentError(
            f"The encoder made {name} of shape {list(bounds.shape)} and type {bounds.dtype} for {texts} texts: "
            f"they must be int64 [{texts + 1}], ascending from 0."
        )


def _shown(layout: Mapping[str, tuple[str, tuple[int, ...]]]) -> str:
    return ", ".join(f"{name} {dtype}{list(item)}" for name, (dtype, item) in sorted(layout.items()))


_BLOCK = 16_000_000
"""Bytes of rows that are held at a time; the rows of one text are held whole."""

Numbers = npt.NDArray[np.int64]


class _Items(NamedTuple):
    """Where the items of n documents stand: `starts` in their sources, [n]; `bounds` in the new array, [n + 1]."""

    starts: Numbers
    bounds: Numbers


def gather(data: Path, digests: bytes, sources: Sequence[RowSource]) -> list[str]:
    """Write ``digests.npy`` and the rows of documents into `data`; return the names of the arrays of the rows.

    Args:
        data: directory of the build.
        digests: of the texts of the documents, 16 bytes each, one after the other.
        sources: rows, at least one source; among them those of every digest. The first one that has a text counts.

    Raises:
        ArtifactError: a source was cut off since it was verified.
        ComponentError: the sources hold rows of different types or shapes.
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
        found = {name: file.layout for name, file in source.files.items()}
        if found != expected:
            raise ComponentError(
                f"The encoder made {found} where it made {expected} before: its fingerprint must change with them."
            )


def _located(wanted: npt.NDArray[np.uint8], sources: Sequence[RowSource]) -> tuple[Numbers, Numbers]:
    """Return the number of the source that has each digest, and the row in it; both [n]."""
    # Bytes of one length, compared as a whole.
    held = np.concatenate([source.digests for source in sources]).view(f"S{DIGEST_BYTES}").reshape(-1)
    order = np.argsort(held, kind="stable")
    found = order[np.searchsorted(held, wanted.view(f"S{DIGEST_BYTES}").reshape(-1), sorter=order)]
    first = np.cumsum([0, *(len(source.digests) for source in sources)])
    source = np.searchsorted(first, found, side="right") - 1
    return source, found - first[source]


def _group(name: str, source: Numbers, row: Numbers, sources: Sequence[RowSource]) -> _Items:
    starts, bounds = np.empty(len(row), dtype=np.int64), np.zeros(len(row) + 1, dtype=np.int64)
    for number, here in _by_source(source):
        file = sources[number].files[name]
        known = file.between(0, file.length)
        starts[here] = known[row[here]]
        bounds[here + 1] = known[row[here] + 1] - starts[here]
    np.cumsum(bounds, out=bounds)
    return _Items(starts, bounds)


def _by_source(source: Numbers) -> Iterator[tuple[int, Numbers]]:
    """Yield each number in `source` with the ascending positions where it stands."""
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
    name: str, block: slice, items: _Items, source: Numbers, sources: Sequence[RowSource]
) -> npt.NDArray[np.generic]:
    """Return the items of a range of documents."""
    bounds = items.bounds[block.start : block.stop + 1]
    file = sources[0].files[name]
    out = np.empty((int(bounds[-1] - bounds[0]), *file.item), dtype=file.dtype)
    for number, here in _by_source(source[block]):
        sizes = np.diff(bounds)[here]
        sources[number].files[name].read(out, bounds[here] - bounds[0], items.starts[block][here], sizes)
    return out


Advance = Callable[[int], None]
"""Is told how many more are done."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How texts become rows.

    Attributes:
        represent: returns the rows of texts (see :mod:`legalir.storage.rows`), also of none; the same names, types
            and shapes of items each time. It tells its second argument of texts that are done, all in all once of each.
        texts: number at which a shard is closed.
        seconds: time after which a shard is closed, which bounds what a kill costs where encoding is slow.
        step: characters that are encoded at a time; a longer text goes alone.
        advance: is told how many more documents are done.
    """

    represent: Callable[[list[str], Advance], Rows]
    texts: int = 4096
    seconds: float = 60.0
    step: int = 32_768
    advance: Advance = lambda done: None

    def __post_init__(self) -> None:
        if self.texts < 1:
            raise ComponentError(f"shard={self.texts} texts are too few: give 1 or more.")


def write_encoded(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encoding: Encoding,
    shards: Shards,
    earlier: Iterable[RowSource] = (),
) -> dict[str, Any]:
    """Write docnos, digests of the texts and rows of documents; return the facts about them.

    Every text is encoded once, and not at all where `earlier` or a shard holds its rows. Memory holds one shard's
    texts, one block of rows, and of all documents no more than docno, digest and bounds.

    Files: the docnos (see :mod:`legalir.storage.strings`); ``digests.npy``, uint8 [n, 16]; each array of the rows.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and, if there is one, ``title``.
        encoding: how texts become rows.
        shards: of the same artifact and settings.
        earlier: rows of other builds with the same key, see :func:`~legalir.storage.shards.earlier_rows`.

    Returns:
        ``documents``, their number, and ``rows`` with ``key`` and ``arrays``, which is what a later build goes by.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is no string, or the encoder makes rows that do not
            fit together.
        OSError: the files cannot be written.
    """
    shards.resume()
    earlier = list(earlier)
    known = {row.tobytes() for source in (*earlier, *shards.sources) for row in source.digests}
    docnos: list[str] = []
    digests = bytearray()
    missing: dict[bytes, str] = {}
    for names, texts in document_batches(documents):
        docnos += names
        before = len(missing)
        for text in texts:
            digest = text_digest(text)
            digests += digest
            if digest not in known:
                known.add(digest)
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
    """Write shards with the rows of texts; of none, a shard that tells the types and shapes."""
    # Texts of one length fill a batch of an encoder best; the longest first, so that too little memory shows early.
    found = sorted(missing.items(), key=lambda item: len(item[1]), reverse=True)
    steps = _steps(found, encoding)
    for first in steps:
        began = monotonic()
        with shards.writing() as shard:
            for step in itertools.chain([first], steps):
                texts = [text for _, text in step]
                shard.add([digest for digest, _ in step], encoding.represent(texts, encoding.advance))
                if shard.texts >= encoding.texts or monotonic() - began >= encoding.seconds:
                    break


def _steps(found: Sequence[tuple[bytes, str]], encoding: Encoding) -> Iterator[Sequence[tuple[bytes, str]]]:
    """Yield what is encoded at a time; at least once."""
    first = characters = 0
    for number, (_, text) in enumerate(found):
        characters += len(text)
        # A step never crosses the end of a shard, so that none has more texts than it may.
        if number > first and (characters > encoding.step or number % encoding.texts == 0):
            yield found[first:number]
            first, characters = number, len(text)
    yield found[first:]
