"""Shards: rows of texts that were encoded for a build, kept beside it so that a kill costs one shard at most.

Layout beside the directory of an artifact ``NAME``::

    .NAME.shards/<16 hex>/     by the sha256 of all that decides a row, such as the encoder and the precision
        shard-<16 hex>/        rows as in legalir.index.row_files; digests.npy, uint8 [m, 16], tells their texts
            manifest.json      name, size and sha256 of each file, and a sha256 of the manifest itself

A shard appears by one rename when all of it is durable. What is damaged, unfinished or of other settings is never
read. Whoever encodes for an artifact holds the lock of its shards, so that a second process waits. When the build is
done, its shards are removed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.arrays import save_array
from legalir.errors import ArtifactError, ComponentError
from legalir.files import atomic_directory, locked, sha256_of
from legalir.index.artifact import Manifest, open_build, verify
from legalir.index.row_files import ArrayFile, Rows, appending, bounds_of

__all__ = ["DIGEST_BYTES", "RowSource", "ShardWriter", "Shards", "earlier_rows", "shards_beside", "text_digest"]

DIGEST_BYTES = 16
_VERSION = 1
_DIGESTS = "digests"
_MANIFEST = "manifest.json"


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
        paths: directories of artifacts whose facts hold ``rows``, as :func:`~legalir.index.encoded.write_encoded` says.
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
    with locked(artifact.with_name(f"{artifact.name}.shards")):
        yield Shards(home, settings)
        shutil.rmtree(home, ignore_errors=True)


class Shards:
    """The shards of one artifact under one key; see :func:`shards_beside`.

    Attributes:
        key: sha256 of the settings, hex.
        sources: the rows that can be read, those of earlier work once :meth:`resume` has been called.
    """

    def __init__(self, home: Path, settings: Mapping[str, Any]) -> None:
        self.key = _sha256({"shards": _VERSION, **settings})
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
            content = json.loads((shard / _MANIFEST).read_text(encoding="utf-8"))
            if content.pop("sha256") != _sha256(content) or content["key"] != self.key:
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
            files = {
                file.name: {"size": file.stat().st_size, "sha256": sha256_of(file)}
                for file in sorted(temporary.iterdir())
            }
            content: dict[str, Any] = {"key": self.key, "files": files}
            content["sha256"] = _sha256(content)
            (temporary / _MANIFEST).write_text(json.dumps(content, indent=1), encoding="utf-8")
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


def _sha256(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
