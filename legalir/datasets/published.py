"""Published collections: declared in ``published/*.yaml``, fetched and converted on first use."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from legalir.datasets.about import About
from legalir.datasets.archive import extract
from legalir.datasets.convert import convert
from legalir.datasets.download import Download, download
from legalir.datasets.folder import Folder
from legalir.datasets.known import Known
from legalir.datasets.leftovers import clear_away
from legalir.errors import DataError, DownloadError
from legalir.files import atomic_directory, atomic_text, cache_home, locked, sha256_of

__all__ = ["Published", "published"]

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
            with locked(target):
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
        with atomic_text(seen_file) as out:
            json.dump(seen, out, indent=1)

    def _compare(self, path: Path, spec: Mapping[str, Any], seen: dict[str, str]) -> None:
        """Compare a file with its declared sha256, or else with the one it had when it was first seen."""
        digest = sha256_of(path)
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
