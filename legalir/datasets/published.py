"""Published collections: declared in ``published/*.yaml``, fetched and converted on first use."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from legalir.datasets.folder import About, Folder, FolderOutline
from legalir.errors import DataError, DownloadError
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_directory, atomic_file, cache_home, cache_lock, clear_away

_DECLARATIONS = Path(__file__).parent / "published"


class Published(NamedTuple):
    """One published collection.

    Attributes:
        name: its id without ``legalir/``.
        about: title, licence, language, source, citation.
        declaration: the content of its file in ``published/``.
        digest: sha256 of that file, so that a changed declaration converts again.
    """

    name: str
    about: About
    declaration: Mapping[str, Any]
    digest: str

    @property
    def outline(self) -> FolderOutline:
        """Splits and other facts that the declaration has."""
        queries = self.declaration["queries"]
        judged = {split for split, spec in queries.items() if "gold" in spec}
        judged |= set(self.declaration.get("judgements", {}))
        return FolderOutline(_splits(queries), _splits(judged), self.about, self.converted.is_dir)

    @property
    def home(self) -> Path:
        """Cache folder of the fetched files and the converted collection."""
        return cache_home() / "published" / self.name

    @property
    def converted(self) -> Path:
        """The folder in our format; it exists after the collection was fetched."""
        return self.home / f"folder-{self.digest[:12]}"

    def folder(self) -> Folder:
        """Return the collection in our folder format, fetching and converting it first where needed.

        Raises:
            DownloadError: a file could not be fetched or is not the one it should be.
            FormatError: a file is not as declared.
        """
        from legalir.datasets.convert import convert

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
            for event, count in counts.items():
                if "unknown" in event or "left out" in event or "repeated" in event:
                    logging.getLogger("legalir").warning("legalir/%s: %s: %d.", self.name, event, count)
        return Folder.open(target)

    def _fetch(self, source: Path) -> None:
        """Fetch the files that are missing, and compare every file with its sha256.

        If the declaration has no sha256, the sha256 of the first download counts.
        """
        from legalir.datasets.download import Download, download, unpack

        first_digests = source / "sha256.json"
        digests: dict[str, str] = {}
        if first_digests.is_file():
            digests = json.loads(first_digests.read_text(encoding="utf-8"))
        for name, spec in self.declaration["files"].items():
            path = source / name
            if not path.exists():
                download(Download(spec["url"], spec.get("sha256"), spec.get("size")), path)
            digest = file_digest(path)
            expected = spec.get("sha256") or digests.setdefault(path.name, digest)
            if digest != expected:
                raise DownloadError(
                    f"{path} has the sha256 {digest}, not {expected}: remove it to fetch {spec['url']} again."
                )
            if "unpack" in spec:
                try:
                    unpack(path, source, spec["unpack"])
                except DataError as error:
                    raise DownloadError(str(error)) from error
        with atomic_file(first_digests) as out:
            json.dump(digests, out, indent=1)


def _splits(names: Iterable[str]) -> frozenset[str]:
    return frozenset("" if name == "base" else name for name in names)


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
