"""The contract of a source: provisions and links, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from legalir import plugins
from legalir.collections import Collection
from legalir.errors import ComponentError, PluginNotFound

FIELDS = (
    *("docno", "text", "title", "law", "law_id", "level", "article", "heading", "path"),
    *("effective_from", "effective_to", "url"),
)
"""The keys of a provision; ``docno`` and ``text`` are required."""


class Row(dict[str, str]):
    """A provision with the line of its file, for messages; a plain mapping is a provision, too.

    Args:
        fields: the keys and values of the provision.
        line: the line where it begins, from 1.
    """

    def __init__(self, fields: Mapping[str, str], line: int) -> None:
        super().__init__(fields)
        self.line = line


@runtime_checkable
class Source(Protocol):
    """An origin of provisions. A plugin provides only this."""

    @property
    def name(self) -> str:
        """Name in messages and in ``dataset.yaml``, such as the name of the file that it reads."""
        ...

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the provisions, one at a time.

        Each has ``docno``, unique and without white space, and ``text``; and any of ``title, law, law_id, level,
        article, heading, path``, the ISO dates ``effective_from`` and ``effective_to``, and ``url``, the http or https
        address of its page. A key that does not apply is left out.

        Raises:
            LegalIRError: the data are faulty; names file, line and fault.
        """
        ...

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links: docno of the citing provision, docno of the cited one, and kind, which may be empty.

        Called after all provisions were read. The reader counts and reports links to a docno that is not a provision
        here, such as one of another law: a source should not drop them.

        Raises:
            LegalIRError: the data are faulty; names file, line and fault.
        """
        ...


@runtime_checkable
class TracedSource(Source, Protocol):
    """A source that also reports the origin of its provisions, and the outcome for its files.

    Both are asked for after all provisions and links were read.
    """

    def origins(self) -> Iterator[Mapping[str, object]]:
        """Yield a line of ``origin.jsonl`` for each provision, in the same order: ``docno`` and any JSON values."""
        ...

    def report(self) -> Mapping[str, object]:
        """Return the content of ``import.json``.

        ``files`` is a list of mappings with ``file``, ``fault`` and the other values of
        :class:`legalir.statutes.importing.parsing.FileReport`; ``languages``, if it is there, has the number of laws by
        language, and if all are in one language, it is the language of the collection; ``countries``, likewise, of
        which some have no table. All other keys are the source's own.
        """
        ...


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def get_source(spec: str | Source, collection: Collection | None = None) -> Source:
    """Return the source that `spec` describes, or `spec` itself if it is a source.

    Args:
        spec: a name with parameters in brackets, ``table(path="provisions.csv")``; the path of a file or folder, which
            ``auto`` reads, of a table ``table``; or a source.
        collection: passed to the factory of the plugin; mostly None, because a source comes before any collection.

    Raises:
        ComponentError: it is not a source, nothing has this name, or a parameter is wrong.
        PluginError: the plugin is broken.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Source):
            return spec
        raise ComponentError(f"{spec!r} is not a source: it needs the attributes name, provisions and links.")
    if _exists(spec):
        table = Path(spec).suffix.lower() in (".csv", ".tsv", ".jsonl") and Path(spec).is_file()
        spec = f"{'table' if table else 'auto'}(path={spec!r})"
    elif "(" not in spec and not spec.isidentifier():
        raise ComponentError(f"There is no file or folder {spec!r}, and no source has such a name.")
    try:
        return cast(Source, plugins.make("source", spec, collection))
    except PluginNotFound as error:
        raise ComponentError(str(error)) from None
