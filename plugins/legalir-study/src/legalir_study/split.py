"""A synthetic split on disk: questions, judgements, what was dropped, and how all of it was made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from legalir import Collection, __version__
from legalir.errors import ComponentError, DataError
from legalir.extend import Prompt, atomic_file, link_or_copy, read_queries
from legalir_study.items import Row

PROMPTS = Path(__file__).parent / "prompts"
"""The prompts: a folder each, with a file a language."""

_SPLIT = re.compile(r"[A-Za-z0-9_-]+")
_LETTERS = 20
"""Letters and digits that a provision must have, so that a question can be asked about it."""


class SplitFiles(NamedTuple):
    """The files of a synthetic split.

    Attributes:
        queries: the items.
        qrels: their judgements.
        dropped: items that were dropped, with the columns ``reason`` and ``detail``.
        about: how they were made.
    """

    queries: Path
    qrels: Path
    dropped: Path
    about: Path

    @classmethod
    def of(cls, folder: Path, split: str) -> SplitFiles:
        """Return the files of a split.

        Raises:
            ComponentError: the name of the split has other characters than letters, digits, ``-`` and ``_``.
        """
        if not _SPLIT.fullmatch(split):
            raise ComponentError(f"The name of the split is {split!r}: use letters, digits, - and _.")
        names = (f"queries.{split}.jsonl", f"qrels.{split}.txt", f"dropped.{split}.jsonl", f"synthesis.{split}.yaml")
        return cls(*(folder / name for name in names))


@dataclass(frozen=True)
class Synthesis:
    """Items that were made, before they are written.

    Attributes:
        kept: items that passed all filters, as rows of a query file.
        dropped: the others, with the columns ``reason`` and ``detail``.
        about: how they were made: ``kind, model, judge, prompts`` (the prompts themselves), ``settings, dropped``
            (number of items by filter), ``report``.
        labels: the judged provisions of each kept item; None for its ``documents``.
    """

    kept: Sequence[Row]
    dropped: Sequence[Row]
    about: Mapping[str, Any]
    labels: Mapping[str, Sequence[str]] | None = None

    def judged(self, row: Row) -> Sequence[str]:
        """Return the provisions that are right for an item."""
        return row.get("documents", ()) if self.labels is None else self.labels.get(row["qid"], ())


def provisions_with_text(collection: Collection) -> set[str]:
    """Return the docnos of the provisions whose text has at least 20 letters and digits."""
    return {one.doc_id for one in collection.docs() if sum(map(str.isalnum, one.text)) >= _LETTERS}


def check_target(collection: Collection, folder: Path, split: str, replace: bool = False) -> SplitFiles:
    """Return the files of a new split after checking that they can be written; nothing is written.

    Args:
        collection: the collection whose provisions the items are about.
        folder: a folder that is new or empty, or one with the same corpus.
        split: name of the split.
        replace: whether a split that is there is replaced.

    Raises:
        ComponentError: the name of the split cannot be used.
        DataError: the split is there already and `replace` is False, or the folder holds another corpus, other files,
            or a ``dataset.yaml`` whose judgements ship with legalir.
    """
    files = SplitFiles.of(folder, split)
    if not replace and (there := [file.name for file in files if file.exists()]):
        raise DataError(f"{folder} has {', '.join(there)}: give another --split, or --replace.")
    if _has_corpus(folder):
        there_already = Collection(folder).source
        if there_already.fingerprint() != collection.fingerprint():
            raise DataError(
                f"{there_already.folder.corpus} is not the corpus of {collection.source.base_id}: give another folder "
                f"with --out."
            )
        if there_already.about.qrels is not None:
            raise DataError(
                f"{folder / 'dataset.yaml'} takes its judgements from legalir, so that no split can be added: give "
                f"another folder with --out."
            )
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not empty and holds no corpus: give a new folder, or one of this collection.")
    return files


def _has_corpus(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("corpus.jsonl", "corpus.jsonl.gz"))


def _prepare(collection: Collection, folder: Path) -> None:
    """Make a folder that is a collection of its own: the corpus, the links and the facts about them."""
    if _has_corpus(folder):
        return
    folder.mkdir(parents=True, exist_ok=True)
    files = collection.source.folder
    # What is left out belongs to files that are not here.
    changed = files.about.model_dump(exclude_defaults=True, exclude={"qrels", "static", "query_field"})
    with atomic_file(folder / "dataset.yaml") as stream:
        yaml.safe_dump(changed, stream, allow_unicode=True, sort_keys=False)
    for file in filter(None, (files.links, files.corpus)):  # The corpus last: it makes the folder a collection.
        link_or_copy(file, folder / file.name)


def write_split(
    synthesis: Synthesis, collection: Collection, folder: Path, split: str, replace: bool = False
) -> SplitFiles:
    """Write a split: each file is replaced as a whole, and the one that says how it was made comes last.

    A folder that does not exist becomes a collection of its own with the corpus and the links of `collection`.

    Raises:
        ComponentError, DataError: as :func:`check_target`.
    """
    files = check_target(collection, folder, split, replace)
    _prepare(collection, folder)
    column = Collection(folder).source.about.query_field
    files.about.unlink(missing_ok=True)
    write_rows(files.queries, [{"qid": row["qid"], column: row["query"], **row} for row in synthesis.kept])
    write_judgements(files.qrels, ((row["qid"], synthesis.judged(row)) for row in synthesis.kept))
    write_rows(files.dropped, synthesis.dropped)
    write_about(files.about, _facts(synthesis, collection))
    return files


def _facts(synthesis: Synthesis, collection: Collection) -> dict[str, Any]:
    """Return what the YAML file says."""
    about = dict(synthesis.about)
    prompts: Sequence[Prompt] = about.pop("prompts", ())
    counts = {"kept": len(synthesis.kept), "dropped": about.pop("dropped")}
    report = about.pop("report", {})
    model = about.get("model")
    licence = collection.source.about.licence or "terms not stated"
    return {
        "legalir": __version__,
        **{name: value for name, value in about.items() if value is not None},
        "dataset": {"id": collection.id, "corpus": collection.fingerprint()},
        "prompts": {one.name: {"language": one.language, "sha256": one.fingerprint} for one in prompts},
        "counts": counts,
        **({"report": report} if report else {}),
        "licence": f"Provisions: {licence}. "
        + (f"Items: written by {model}; its terms of use apply." if model else "Items: those of the questions."),
    }


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines."""
    with atomic_file(path) as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_judgements(path: Path, judged: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Write a TREC judgement file: label 1 for each provision of an item."""
    with atomic_file(path) as stream:
        for qid, docnos in judged:
            stream.writelines(f"{qid} 0 {docno} 1\n" for docno in dict.fromkeys(docnos))


def write_about(path: Path, facts: Mapping[str, Any]) -> None:
    """Write facts as YAML."""
    with atomic_file(path) as stream:
        yaml.safe_dump(dict(facts), stream, allow_unicode=True, sort_keys=False, width=100)


def read_rows(path: Path, column: str = "query") -> list[Row]:
    """Return the rows of a query file.

    Raises:
        DataError: the file cannot be read, or a line is faulty.
    """
    return [dict(row) for row in read_queries(path, column)]
