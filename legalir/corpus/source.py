"""The contract of a source: provisions and links, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from legalir import plugins
from legalir.errors import ComponentError, PluginError

__all__ = ["FIELDS", "Row", "Source", "get_source"]

FIELDS = (
    *("docno", "text", "title", "law", "law_id", "level", "article", "heading", "path"),
    *("effective_from", "effective_to"),
)
"""The keys of a provision; ``docno`` and ``text`` must be there."""


class Row(dict[str, str]):
    """A provision that knows the line of the file it came from, for messages; a plain mapping will do, too.

    Args:
        fields: the keys and values of the provision.
        line: the line on which it begins, from 1.
    """

    def __init__(self, fields: Mapping[str, str], line: int) -> None:
        super().__init__(fields)
        self.line = line


@runtime_checkable
class Source(Protocol):
    """Where provisions come from. This is all that a plugin has to provide."""

    @property
    def name(self) -> str:
        """What messages and ``dataset.yaml`` call it, such as the name of the file that it reads."""
        ...

    def provisions(self) -> Iterator[Mapping[str, str]]:
        """Yield the provisions, one at a time.

        Each has ``docno``, unique and without white space, and ``text``; and any of ``title, law, law_id, level,
        article, heading, path``, and the ISO dates ``effective_from`` and ``effective_to``. A key that does not apply
        is left out.

        Raises:
            LegalIRError: what it reads is faulty; names file, line and fault.
        """
        ...

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links: docno of the provision that cites, docno of the one that is cited, and kind, perhaps empty.

        Called after all provisions were read. Links to what is no provision here, such as another law, are counted and
        reported by whoever reads them: a source need not, and should not, drop them.

        Raises:
            LegalIRError: what it reads is faulty; names file, line and fault.
        """
        ...


def get_source(spec: str | Source, collection: object = None) -> Source:
    """Return the source that `spec` describes, or `spec` itself where it is one.

    Args:
        spec: a name with parameters in brackets, ``table(path="provisions.csv")``, or a source.
        collection: handed to the plugin's factory; mostly None, as a source comes before any collection.

    Raises:
        ComponentError: it is no source, nothing has this name, or a parameter is wrong.
        PluginError: the plugin is broken.
    """
    if not isinstance(spec, str):
        if isinstance(spec, Source):
            return spec
        raise ComponentError(f"{spec!r} is no source: it needs the attributes name, provisions and links.")
    name, _ = plugins.read_spec(spec)
    if not plugins.is_installed(name, ("source",)):
        try:
            plugins.resolve(name, ("source",))
        except PluginError as error:
            raise ComponentError(str(error)) from None
    made = plugins.make("source", spec, collection)
    if isinstance(made, Source):
        return made
    raise plugins.misfit(plugins.resolve(name, ("source",)), made, "a source, with name, provisions and links")
