"""Published collections: declared in ``published/*.yaml``, fetched and converted on first use.

Files out of an archive: only plain ones that were asked for, and never outside the target folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from legalir.datasets.about import About, Known
from legalir.datasets.convert import convert
from legalir.datasets.download import Download, download
from legalir.datasets.folder import Folder
from legalir.errors import DataError, DownloadError
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_directory, atomic_file, cache_home, clear_away
from legalir.storage.locks import cache_lock

__all__ = ["Published", "extract", "published"]

Member = tuple[str, int, IO[bytes]]


def extract(archive: Path, patterns: Sequence[str], target: Path, *, max_bytes: int = 8 << 30) -> list[Path]:
    """Write the members that match one of `patterns` flat into `target`, under their own last names.

    Directories, links and devices are left out, so that no member can write or point elsewhere.

    Raises:
        DataError: not a zip or tar archive, a name that leads outside, two members of one name, nothing
            that matches, or more than `max_bytes` in all.
    """
    written: list[Path] = []
    room = max_bytes
    with _members(archive) as members:
        for name, size, stream in members:
            if not any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            path = target / _last_name(archive, name)
            if path in written:
                raise DataError(f"{archive} holds two files that are called {path.name}.")
            if size > room:
                raise DataError(f"{archive} unpacks to more than {max_bytes} bytes.")
            with path.open("wb") as out:
                shutil.copyfileobj(_Limited(stream, room, archive), out)
            room -= path.stat().st_size
            written.append(path)
    if not written:
        raise DataError(f"{archive} holds nothing that matches {' or '.join(patterns)}.")
    return written


class _Limited:
    """A stream that refuses to give more than it may: a declared size can lie."""

    def __init__(self, stream: IO[bytes], room: int, archive: Path) -> None:
        self._stream = stream
        self._room = room
        self._archive = archive

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        block = self._stream.read(size)
        self._room -= len(block)
        if self._room < 0:
            raise DataError(f"{self._archive} unpacks to more than it may.")
        return block


def _last_name(archive: Path, name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or not path.name:
        raise DataError(f"{archive} holds a file {name!r} that leads outside its folder.")
    return path.name


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[Member]]:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                yield _of_zip(bundle)
        else:
            with tarfile.open(archive) as bundle_of_tar:
                yield _of_tar(bundle_of_tar)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise DataError(f"{archive} is not a zip or tar archive that can be read.") from error


def _of_zip(bundle: zipfile.ZipFile) -> Iterator[Member]:
    for info in bundle.infolist():
        kind = info.external_attr >> 28
        if not info.is_dir() and kind in (0, 0o10):  # 0o10: a plain file, where the maker said what it is
            with bundle.open(info) as stream:
                yield info.filename, info.file_size, stream


def _of_tar(bundle: tarfile.TarFile) -> Iterator[Member]:
    for info in bundle:
        stream = bundle.extractfile(info) if info.isreg() else None
        if stream is not None:
            with stream:
                yield info.name, info.size, stream


_DECLARATIONS = Path(__file__).parent / "published"


class Published(NamedTuple):
    """One published collection.

    Attributes:
        name: part of its id.
        about: title, licence, language, source, citation.
        declaration: its whole declaration.
        digest: of the declaration, so that a changed one converts again.
    """

    name: str
    about: About
    declaration: Mapping[str, Any]
    digest: str

    @property
    def known(self) -> Known:
        """What is known without any file."""
        queries = self.declaration["queries"]
        judged = {split for split, spec in queries.items() if "gold" in spec}
        judged |= set(self.declaration.get("judgements", {}))
        return Known(_splits(queries), _splits(judged), self.about, self.converted.is_dir)

    @property
    def home(self) -> Path:
        """The folder in the cache that holds what was fetched and what it was converted to."""
        return cache_home() / "published" / self.name

    @property
    def converted(self) -> Path:
        """The folder in our format; it exists once the collection was fetched."""
        return self.home / f"folder-{self.digest[:12]}"

    def folder(self) -> Folder:
        """Return the collection in our folder format, fetching and converting it first where needed.

        Raises:
            DownloadError: a file could not be fetched or is not the one it should be.
            FormatError: a file is not as declared.
        """
        target = self.converted
        if not target.is_dir():
            source = self.home / "source"
            self._fetch(source)
            with cache_lock(target):
                if target.is_dir():
                    return Folder.open(target)
                clear_away(target)
                with atomic_directory(target) as temporary:
                    counts = convert(self.declaration, source, temporary)
            for what, count in counts.items():
                if "unknown" in what or "left out" in what or "repeated" in what:
                    logging.getLogger("legalir").warning("legalir/%s: %s: %d.", self.name, what, count)
        return Folder.open(target)

    def _fetch(self, source: Path) -> None:
        seen_file = source / "sha256.json"
        seen: dict[str, str] = json.loads(seen_file.read_text(encoding="utf-8")) if seen_file.is_file() else {}
        for name, spec in self.declaration["files"].items():
            path = source / name
            if not path.exists():
                what = Download(spec["url"], spec.get("sha256"), spec.get("size"))
                download(what, path)
            self._compare(path, spec, seen)
            if "unpack" in spec:
                _unpack(path, spec["unpack"], source)
        with atomic_file(seen_file) as out:
            json.dump(seen, out, indent=1)

    def _compare(self, path: Path, spec: Mapping[str, Any], seen: dict[str, str]) -> None:
        """Compare a file with its declared sha256, or else with the one it had when it was first seen."""
        digest = file_digest(path)
        expected = spec.get("sha256") or seen.setdefault(path.name, digest)
        if digest != expected:
            raise DownloadError(
                f"{path} has the sha256 {digest}, not {expected}: remove it to fetch {spec['url']} again."
            )


def _splits(names: Iterable[str]) -> frozenset[str]:
    return frozenset("" if name == "base" else name for name in names)


def _unpack(archive: Path, patterns: list[str], target: Path) -> None:
    """Unpack an archive; one that cannot be read was not what the address promised."""
    try:
        extract(archive, patterns, target)
    except DataError as error:
        raise DownloadError(str(error)) from error


@cache
def published() -> dict[str, Published]:
    """Return the published collections by name."""
    return {path.stem: _read(path) for path in sorted(_DECLARATIONS.glob("*.yaml"))}


def _read(path: Path) -> Published:
    import yaml

    content = path.read_bytes()
    declaration = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    about = declaration["about"]
    return Published(path.stem, About(**about), declaration, hashlib.sha256(content).hexdigest())
