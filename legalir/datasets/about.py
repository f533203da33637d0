"""What is known of a collection without its files.

What a collection says of itself in ``dataset.yaml``: title, licence, language, source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import NamedTuple

from legalir.errors import FormatError, suggestion

__all__ = ["About", "Known", "read_about"]


@dataclass(frozen=True)
class About:
    """Facts about a collection; every one is optional.

    Attributes:
        title: its name in full.
        licence: terms of use.
        lang: ISO 639-1 code of the corpus, and of the queries unless `query_lang` says otherwise.
        source: where it comes from.
        description: a few sentences.
        citation: how to cite it.
        query_field: the column of a query file that holds the question.
        query_lang: language of the queries, one code for all or one a split.
        labels: what each relevance label means.
        qrels: name of a folder of the judgements that ship with legalir.
        static: folder of the static encoder trained for it, relative to this file's.
    """

    title: str | None = None
    licence: str | None = None
    lang: str | None = None
    source: str | None = None
    description: str | None = None
    citation: str | None = None
    query_field: str = "query"
    query_lang: dict[str, str] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=lambda: {0: "not relevant", 1: "relevant"})
    qrels: str | None = None
    static: str | None = None

    def queries_lang(self, split: str | None) -> str | None:
        """Return the language of the queries of a split (None: of the base)."""
        return self.query_lang.get(split or "", self.query_lang.get("*", self.lang))


def read_about(path: Path) -> About:
    """Read a ``dataset.yaml``.

    Raises:
        FormatError: it is not YAML, not a mapping, or has a key or value that means nothing.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise FormatError(
            f"{where}: not readable as YAML ({getattr(error, 'problem', None) or 'not UTF-8'})."
        ) from error
    if not isinstance(content, dict):
        raise FormatError(f"{path}: not a mapping of names to values.")
    known = {item.name for item in fields(About)}
    for key, value in content.items():
        if key not in known:
            raise FormatError(f"{path}: unknown key {key!r}.{suggestion(str(key), known)}")
        if key not in ("query_lang", "labels") and not isinstance(value, str | None):
            raise FormatError(f"{path}: the value of {key!r} is not a string.")
    values = {key: value for key, value in content.items() if value is not None}
    if "labels" in values:
        values["labels"] = _labels(path, values["labels"])
    values["query_lang"] = _query_lang(path, values.get("query_lang"))
    return About(**values)


def _query_lang(path: Path, value: object) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, str):
        return {"*": value}
    if isinstance(value, dict) and all(isinstance(part, str) for item in value.items() for part in item):
        return value
    raise FormatError(f"{path}: 'query_lang' is neither a language code nor a mapping of splits to codes.")


def _labels(path: Path, value: object) -> dict[int, str]:
    if isinstance(value, dict) and all(isinstance(k, int) and isinstance(v, str) for k, v in value.items()):
        return value
    raise FormatError(f"{path}: 'labels' is not a mapping of whole numbers to their meaning.")


class Known(NamedTuple):
    """Facts that a catalogue has before anything is read or fetched.

    Attributes:
        queries: the splits with queries of their own; the empty string is the base.
        qrels: the splits with judgements of their own, likewise.
        about: title, licence and the like; None where ``dataset.yaml`` says it.
        fetched: tells whether the files are on this machine.
    """

    queries: frozenset[str]
    qrels: frozenset[str]
    about: About | None = None
    fetched: Callable[[], bool] = lambda: True

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return tuple(sorted((self.queries | self.qrels) - {""}))
