"""Foreign collections, converted to the folder format: folders of BEIR and MTEB, and the datasets of PyTerrier.

A source yields rows under the names of its own format; :func:`convert` writes them. What a user opens by path or id is
converted once, in the cache, so that everything else knows one format.
"""

from __future__ import annotations

import csv
import json
import logging
import math
import re
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points, version
from itertools import chain
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from legalir.datasets.folder import (
    ALIASES,
    DEFINITIONS,
    ORIGIN,
    OUT_OF_SCOPE,
    About,
    Folder,
    FolderOutline,
    read_about,
)
from legalir.datasets.readers import RESERVED, Fault, Judgement, OnFault, json_rows, numbered_lines, stop
from legalir.datasets.records import ALIASES as OTHER_NAMES
from legalir.datasets.records import Provision, other_fields, trec_identifier
from legalir.errors import DataError, DatasetNotFound, FormatError, suggestion
from legalir.extras import require
from legalir.progress import progress
from legalir.storage.digest import cached_file_digest, digest, file_digest
from legalir.storage.files import (
    atomic_directory,
    cache_home,
    cache_lock,
    clear_away,
    link_or_copy,
    publish_directory,
    temporary_sibling,
)

if TYPE_CHECKING:
    from legalir.datasets.dataset import StatuteDataset

_VERSION = 2
"""A higher number converts again what is in the cache."""

_IDS = ("_id", "id", "docno", "doc_id", "docid")
_TEXTS = ("text", "contents", "content", "body")
_QUERY_IDS = ("_id", "id", "qid", "query_id", "query-id")
_QUESTIONS = ("text", "query", "question")
_GRADES = {
    "qid": ("query-id", "query_id", "qid", "query", "topic"),
    "docno": ("corpus-id", "corpus_id", "docno", "doc_id", "docid", "doc-id"),
    "label": ("score", "relevance", "label", "rel", "grade"),
}
"""Names of the columns of judgements, by ours."""

_NAME = re.compile(r"(?P<name>.+?)(?:-\d{5}-of-\d{5})?\.(?P<form>jsonl|tsv|txt|parquet)(?:\.gz)?")
_LONGEST = 1000
"""Most characters of another field of a document: longer ones are texts, not values for filters."""

_KEPT = ("links.tsv", "links.tsv.gz", ALIASES, OUT_OF_SCOPE, DEFINITIONS, ORIGIN)
"""Files of the folder format that a foreign folder may have, too."""

_log = logging.getLogger("legalir")


class Row(NamedTuple):
    """Fields of one row, with the file and the line for messages; line 0 where the file has no lines."""

    file: Path
    line: int
    fields: Mapping[str, Any]


class Source(NamedTuple):
    """A foreign collection.

    Attributes:
        name: as the user wrote it.
        outline: its splits.
        about: content of its ``dataset.yaml``.
        state: returns a text that changes with the content; None if only reading all of it could tell.
        rows: yields the rows of ``corpus``, ``queries`` or ``qrels`` of a split that has its own; an empty string is
            the base.
        question: fields that may have the text of a question; the first with a value counts.
        files: the source of each file that :func:`convert` writes, for messages.
        kept: files that are in the folder format already.
    """

    name: str
    outline: FolderOutline
    about: Mapping[str, object]
    state: Callable[[], str | None]
    rows: Callable[[str, str, OnFault], Iterator[Row]]
    question: Sequence[str] = ("query", "title", "text")
    files: Mapping[str, Path] = MappingProxyType({})
    kept: Sequence[Path] = ()


def source_of(id_or_path: str | PathLike[str]) -> Source | None:
    """Return the foreign collection of an id or folder; None for everything else.

    Raises:
        DatasetNotFound: PyTerrier or ir_datasets do not know the id.
        FormatError: a folder of which cannot be decided what it is.
    """
    if isinstance(id_or_path, str) and is_foreign_id(id_or_path):
        return _of_irds(id_or_path) if id_or_path.startswith("irds:") else _of_pyterrier(id_or_path)
    path = Path(id_or_path).expanduser()
    return _of_folder(path) if path.is_dir() else None


def is_foreign_id(text: str) -> bool:
    """Return True for ``irds:…``, and for ``PROVIDER:…`` with a provider of datasets that PyTerrier knows."""
    provider, colon, _ = text.partition(":")
    return bool(colon) and (
        provider == "irds"
        or (provider != "legalir" and provider in entry_points(group="pyterrier.dataset_provider").names)
    )


def corpus_name(id: str) -> str:
    """Return the name of the documents of a foreign id; several datasets of ir_datasets may share them."""
    if not id.startswith("irds:"):
        return id
    import ir_datasets

    return f"irds:{ir_datasets.docs_parent_id(id.removeprefix('irds:'))}"


def open_folder(id_or_path: str | PathLike[str]) -> Folder:
    """Return the files of a folder, or those of a foreign collection after converting it in the cache.

    Raises:
        DataError: as :meth:`Folder.open`, :func:`source_of` and :func:`convert`.
    """
    source = source_of(id_or_path)
    if source is None:
        return Folder.open(Path(id_or_path).expanduser())
    original = Path(source.name).resolve()
    return replace(Folder.open(_cached(source)), original=original if original.is_dir() else None)


_lock = threading.Lock()
_converted: dict[tuple[Path, str], Path] = {}
"""Folder, by cache and name, of each collection of this process whose content is known only by reading it."""


def _cached(source: Source) -> Path:
    """Return the folder of a collection in the cache; one is made for each content."""
    home = cache_home() / "foreign"
    name = str(Path(source.name).resolve()) if Path(source.name).is_dir() else source.name
    slug = re.sub(r"[^\w.-]+", "-", name).strip("-.")[-60:] or "folder"  # However the path is written.
    state = source.state()
    if state is None:
        with _lock:
            known = _converted.get((home, source.name))
            if known is None or not known.is_dir():
                known = _converted[home, source.name] = _by_content(source, home, slug)
            return known
    target = home / f"{slug}-{state[:16]}"
    if not target.is_dir():
        with cache_lock(target):
            if not target.is_dir():
                clear_away(target)
                with atomic_directory(target) as new:
                    _log_counts(source, convert(source, new))
    return target


def _by_content(source: Source, home: Path, slug: str) -> Path:
    """Convert a collection, and return its folder, which is named by the content."""
    new = temporary_sibling(home / slug)
    try:
        _log_counts(source, convert(source, new))
        content = [(path.name, file_digest(path)) for path in sorted(new.iterdir())]
        target = home / f"{slug}-{digest(content)[:16]}"
        with cache_lock(target):
            if not target.is_dir():
                publish_directory(new, target)
        return target
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _log_counts(source: Source, counts: Mapping[str, int]) -> None:
    for event, count in counts.items():
        _log.warning("%s: %s: %d.", source.name, event, count)


def convert(source: Source, target: Path, on_fault: OnFault = stop) -> dict[str, int]:
    """Write a foreign collection in the folder format.

    A title, a text and an identifier are found under the usual names. ``metadata`` and all other fields become fields
    of the provision or question. White space in an identifier becomes ``_``.

    Args:
        source: the collection.
        target: an empty folder.
        on_fault: called for a row that cannot be used; returning leaves it out.

    Returns:
        Counts of what was changed or left out, each by its description.

    Raises:
        FormatError: a row cannot be used, or an identifier has two contents (if `on_fault` is `stop`).
    """
    import yaml

    counts: Counter[str] = Counter()
    about = yaml.safe_dump(dict(source.about), allow_unicode=True, sort_keys=False)
    (target / "dataset.yaml").write_text(about, encoding="utf-8")
    with progress("Converting documents", None) as advance:
        rows = _objects(
            source.rows("corpus", "", on_fault), partial(_document, counts=counts), "docno", counts, on_fault
        )
        _write(target / "corpus.jsonl", rows, advance)
    for split in sorted(source.outline.queries):
        form = partial(_question, names=source.question, counts=counts)
        rows = _objects(source.rows("queries", split, on_fault), form, "qid", counts, on_fault)
        _write(target / f"queries{split and '.'}{split}.jsonl", rows)
    for split in sorted(source.outline.qrels):
        with (target / f"qrels{split and '.'}{split}.txt").open("w", encoding="utf-8", newline="\n") as out:
            for qid, docno, label in _judged(source.rows("qrels", split, on_fault), counts, on_fault):
                out.write(f"{qid} 0 {docno} {label}\n")
    for path in source.kept:
        link_or_copy(path, target / path.name)
    return dict(+counts)


def to_beir(splits: Sequence[StatuteDataset], target: Path) -> dict[str, int]:
    """Write a collection as a folder of BEIR: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/SPLIT.tsv``.

    The title is law and title, empty without a title; a title without the law is in ``metadata``, too, as all other
    fields are. Links, ``dataset.yaml`` and other files of the folder format are copied; :func:`convert` reads them all.

    Args:
        splits: the collection and each of its splits; or one split alone.
        target: an empty folder.

    Returns:
        Counts of what was left out, each by its description.

    Raises:
        DataError: the documents are chunks, or two questions of different splits have one qid.
    """
    import yaml

    base = splits[0]
    if base.chunks is not None:
        raise DataError(f"{base.id} is cut into chunks, which BEIR cannot have: convert the collection that was cut.")
    left_out: Counter[str] = Counter()

    def documents() -> Iterator[str]:
        for one, row in zip(base.docs(), base.store.rows(), strict=True):
            fields = {name: value for name, value in one._asdict().items() if value}
            docno, text, title = fields.pop("doc_id"), fields.pop("text", ""), fields.pop("title", "")
            whole = title if not title or one.law in title else _with_law(one.law, title)
            fields |= {"title": title} if title != whole else {}
            others = other_fields(row)
            read = {name: value for name, value in _others({"metadata": others}, _IDS) if _is_short(value)}
            left_out.update(name for name, value in others.items() if value is not None and name not in read)
            yield _json({"_id": docno, "title": whole, "text": text, "metadata": fields | read})

    with progress("Writing documents", None) as advance:
        _write(target / "corpus.jsonl", documents(), advance)
    questions: dict[str, str] = {}
    for one in splits:
        if one.folder.queries_of(one.split) is not None:
            for row in map(dict, one.queries()):
                qid = str(row.pop("qid"))
                line = _json({"_id": qid, "text": row.pop("query"), "metadata": row})
                if questions.setdefault(qid, line) != line:
                    raise DataError(f"{base.id} has two questions with the qid {qid!r}, which BEIR cannot have.")
        if one.folder.qrels_of(one.split) is not None:
            rows = (f"{qid}\t{docno}\t{label}" for qid, docno, label in one.judgements(negative=True))
            (target / "qrels").mkdir(exist_ok=True)
            _write(target / "qrels" / f"{one.split or 'test'}.tsv", chain(["query-id\tcorpus-id\tscore"], rows))
    if questions:
        _write(target / "queries.jsonl", questions.values())
    for name in _KEPT:
        if (path := base.folder.root / name).is_file():
            link_or_copy(path, target / name)
    unset = {"query_field", "qrels", "static"}
    about = base.about.model_dump(exclude_unset=True, exclude_none=True, exclude=unset)
    if about:
        text = yaml.safe_dump(about, allow_unicode=True, sort_keys=False)
        (target / "dataset.yaml").write_text(text, encoding="utf-8")
    names = ", ".join(sorted(left_out))
    counts = {f"fields that metadata of BEIR cannot have, left out ({names})": left_out.total()} if left_out else {}
    return counts | ({"static models, left out: default ranks without them": 1} if base.about.static else {})


def _with_law(law: str, title: str) -> str:
    return f"{law} {title}".strip()


def _json(row: Mapping[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write(path: Path, rows: Iterable[str], advance: Callable[[int], None] = lambda done: None) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            out.write(row + "\n")
            advance(1)


def _objects(
    rows: Iterator[Row],
    form: Callable[[Mapping[str, Any]], dict[str, object] | None],
    name: str,
    counts: Counter[str],
    on_fault: OnFault,
) -> Iterator[str]:
    """Yield the JSON line of each row; an equal row is left out, another one with the same identifier is a fault."""
    seen: dict[str, int] = {}
    for file, line, fields in rows:
        try:
            made = form(fields)
            text = json.dumps(made, ensure_ascii=False)
            text.encode("utf-8")
        except UnicodeEncodeError:
            on_fault(Fault(file, line, "encoding", r"half of a surrogate pair (\ud800 to \udfff)"))
            continue
        except ValueError as error:
            on_fault(Fault(file, line, name, str(error)))
            continue
        if made is None:
            continue
        identifier = str(made[name])
        if identifier not in seen:
            seen[identifier] = hash(text)
            yield text
        elif seen[identifier] == hash(text):
            counts["rows that repeat an earlier one, left out"] += 1
        else:
            on_fault(Fault(file, line, "duplicate", f"{name} {identifier!r} has other content on an earlier line"))


def _document(row: Mapping[str, Any], counts: Counter[str]) -> dict[str, object]:
    docno = _identifier(row, _IDS, "document", counts)
    there = [name for name in ("title", *_TEXTS) if name in row]
    if not there:
        raise ValueError(f"document {docno!r} has no 'text'")
    name = next((name for name in _TEXTS if row.get(name) is not None), "text")
    title, metadata = _text(row, "title", docno), row.get("metadata")
    if isinstance(metadata, Mapping):  # to_beir writes the law before a title without it.
        own = metadata.get("title")
        title = own if isinstance(own, str) and title == _with_law(str(metadata.get("law")), own) else title
    fields: dict[str, object] = {"title": title, "text": _text(row, name, docno)}
    for key, value in _others(row, (*_IDS, name, "title", "text")):
        ours = OTHER_NAMES.get(key, key) in Provision._fields
        if _is_short(value) and (not ours or (isinstance(value, str | int) and not isinstance(value, bool))):
            fields.setdefault(key, value)
    return {"docno": docno, **fields}


def _question(row: Mapping[str, Any], names: Sequence[str], counts: Counter[str]) -> dict[str, object] | None:
    qid = _identifier(row, _QUERY_IDS, "question", counts)
    name = next((name for name in names if row.get(name) is not None), names[0])
    text = _text(row, name, qid)
    if not text.strip():
        counts["questions without text, left out"] += 1
        return None
    others = _others(row, (*_QUERY_IDS, name, "query"))
    fields = {f"source_{key}" if key in RESERVED else key: value for key, value in others}
    return {"qid": qid, "query": text, **fields}


def _others(row: Mapping[str, Any], used: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the other fields that JSON can hold and that are not mappings; those of ``metadata`` last."""
    metadata = row.get("metadata")
    for fields in (row, metadata if isinstance(metadata, Mapping) else {}):
        for key, value in fields.items():
            if isinstance(value, tuple):
                value = list(value)
            plain = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
            flat = isinstance(value, list) and all(isinstance(one, str | int) for one in value)
            if key not in used and (plain or flat):
                yield str(key), value


def _is_short(value: object) -> bool:
    """Return False for a text that is too long for a value of filters."""
    return not isinstance(value, str) or len(value) <= _LONGEST


def _text(row: Mapping[str, Any], name: str, identifier: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise ValueError(f"{name!r} of {identifier!r} is not a text")
    return value


def _identifier(row: Mapping[str, Any], names: Sequence[str], what: str, counts: Counter[str]) -> str:
    value = next((row[name] for name in names if row.get(name) is not None), None)
    if value is None:
        raise ValueError(f"a {what} without an identifier ({', '.join(map(repr, names))})")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"the identifier {value!r} of a {what} is not a text")
    identifier = trec_identifier(str(value))
    if not identifier:
        raise ValueError(f"the identifier {value!r} of a {what} is empty")
    if identifier != str(value) and what != "judgement":
        counts[f"identifiers of a {what} with white space or invisible characters, written with _"] += 1
    return identifier


def read_judgements(path: Path, negative: bool = False) -> Iterator[Judgement]:
    """Yield the judgements of a table with tabs, JSON lines or Parquet, as BEIR and MTEB have them.

    With `negative`, a relevance below 0 is yielded as it is; by default it counts as 0.

    Raises:
        FormatError: a row is not a judgement, or gives a pair another grade.
    """
    for qid, docno, label in _judged(_rows([path], stop), Counter(), stop):
        yield Judgement(qid, docno, label if negative else max(label, 0))


def read_questions(path: Path) -> Iterator[dict[str, Any]]:
    """Yield ``qid, query`` and other fields of JSON lines, also of BEIR and MTEB, of Parquet, or of ``qid TAB query``.

    Raises:
        FormatError: a row is not a question, or a qid has two.
    """

    def pairs() -> Iterator[Row]:
        for number, line in numbered_lines(path):
            qid, tab, query = line.partition("\t")
            if not tab:
                stop(Fault(path, number, "fields", "no tab, but a line is a qid, a tab and a question"))
            yield Row(path, number, {"qid": qid, "query": query})

    named = _form(path) in ("jsonl", "parquet")
    form = partial(_question, names=_QUESTIONS, counts=Counter())
    yield from map(json.loads, _objects(_rows([path], stop) if named else pairs(), form, "qid", Counter(), stop))


def _judged(rows: Iterator[Row], counts: Counter[str], on_fault: OnFault) -> Iterator[tuple[str, str, int]]:
    labels: dict[tuple[str, str], int] = {}
    for file, line, row in rows:
        try:
            pair = (
                _identifier(row, _GRADES["qid"], "judgement", counts),
                _identifier(row, _GRADES["docno"], "judgement", counts),
            )
            label = _label(row)
        except ValueError as error:
            on_fault(Fault(file, line, "judgement", str(error)))
            continue
        known = labels.get(pair)
        if known is not None and known != label:
            message = f"{pair[1]!r} is judged {known} for {pair[0]!r} on an earlier line, and {label} here"
            on_fault(Fault(file, line, "duplicate", message))
        elif known is not None:
            counts["judgements that repeat an earlier one, left out"] += 1
        else:
            labels[pair] = label
            yield *pair, label


def _label(row: Mapping[str, Any]) -> int:
    """Return the relevance of a row; 1 if the row has no column of it."""
    name = next((name for name in _GRADES["label"] if name in row), None)
    value = 1 if name is None else row[name]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not number.is_integer():
        raise ValueError(f"relevance {value!r} is not an integer")
    return int(number)


def _of_folder(root: Path) -> Source | None:
    """Return the collection in a folder of BEIR or MTEB; None for any other folder, as one of the folder format.

    The names of the files decide, and the first line of the corpus.

    Raises:
        DatasetNotFound: there is no corpus, but folders with one.
        FormatError: there are judgements of both formats, or several collections.
    """
    files = _files(root)
    corpus = _objects_of(root, "corpus").get("", [])
    if not corpus:
        _refuse_collections_below(root)
        return None
    named = _by_split(files, "qrels")
    below = _files(root / "qrels") or _files(root / "default")
    if not below and "corpus" not in files:  # Hubs put a table without a name into this folder.
        below = _files(root / "data")
    if all(path.parent == root and _form(path) == "jsonl" for path in corpus):
        first = _first_fields(corpus[0])
        ours = bool({"docno", "doc_id"} & first) or not (below or {"_id", "id"} & first)
        if ours and not below:
            return None
    if named and below:
        both = next(iter(named.values()))[0].name, next(iter(below.values()))[0].parent.name
        raise FormatError(f"{root} has judgements both as {both[0]} and in {both[1]}/: keep one of them.")
    queries = _objects_of(root, "queries")
    qrels = {re.sub(r"[^A-Za-z0-9_-]+", "-", split): paths for split, paths in (named or below).items()}
    parts = {"corpus": {"": corpus}, "queries": queries, "qrels": qrels}
    kept = [root / name for name in _KEPT if (root / name).is_file()]
    path = root / "dataset.yaml"
    about: dict[str, object] = {"title": root.resolve().name}
    question: tuple[str, ...] = _QUESTIONS
    if path.is_file():
        facts = read_about(path)
        question = (facts.query_field, *_QUESTIONS)
        about |= facts.model_dump(exclude_unset=True, exclude_none=True, exclude={"query_field", "static"})

    def state() -> str:
        all_files = [*(one for by in parts.values() for paths in by.values() for one in paths), *kept]
        lines = [f"{one.relative_to(root).as_posix()} {cached_file_digest(one)}" for one in all_files]
        return digest([_VERSION, about, question, lines])

    def rows(part: str, split: str, on_fault: OnFault) -> Iterator[Row]:
        return _rows(parts[part][split], on_fault)

    written = {"corpus": "jsonl", "queries": "jsonl", "qrels": "txt"}
    sources = {
        f"{part}{split and '.'}{split}.{written[part]}": paths[0]
        for part, by in parts.items()
        for split, paths in by.items()
    }
    outline = FolderOutline(frozenset(queries), frozenset(qrels), About.model_validate(about))
    return Source(str(root), outline, about, state, rows, question, sources, kept)


def _files(folder: Path) -> dict[str, list[Path]]:
    """Return the files of a folder that can be read, by their names without shard and suffix."""
    out: dict[str, list[Path]] = {}
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if (match := _NAME.fullmatch(path.name)) and path.is_file() and not path.name.startswith((".", "README")):
                out.setdefault(match["name"], []).append(path)
    return out


def _by_split(files: Mapping[str, list[Path]], start: str) -> dict[str, list[Path]]:
    """Return the files ``START`` and ``START.SPLIT`` by split."""
    named = {name.partition(".")[2]: paths for name, paths in files.items() if name.partition(".")[0] == start}
    return {split: paths for split, paths in named.items() if paths}


def _objects_of(root: Path, part: str) -> dict[str, list[Path]]:
    """Return the files of a part that have rows with names, in `root` and in a folder for them, by split."""
    out = _by_split(_files(root), part)
    for paths in _files(root / part).values():
        out.setdefault("", []).extend(paths)
    out = {split: [path for path in paths if _form(path) in ("jsonl", "parquet")] for split, paths in out.items()}
    return {split: paths for split, paths in out.items() if paths}


def _form(path: Path) -> str:
    return path.name.removesuffix(".gz").rpartition(".")[2]


def _refuse_collections_below(root: Path) -> None:
    """Raise a sentence for a folder whose folders are collections."""
    below = sorted(path.name for path in root.glob("*/") if path.is_dir())
    if names := [name.removesuffix("-corpus") for name in below if name.endswith("-corpus")]:
        raise FormatError(
            f"{root} has several collections ({', '.join(names)}): put each into a folder of its own, with the folders "
            f"corpus, queries and qrels."
        )
    if names := [name for name in below if "corpus" in _files(root / name)]:
        raise DatasetNotFound(
            f"{root} holds no corpus.jsonl or corpus.jsonl.gz; these folders in it do: {', '.join(names[:20])}."
        )


def _first_fields(path: Path) -> set[str]:
    """Return the names of the fields in the first row of a file; nothing if it cannot be read."""
    try:
        return set(next(iter(_rows([path], stop))).fields)
    except (DataError, StopIteration):
        return set()


def _rows(paths: Sequence[Path], on_fault: OnFault) -> Iterator[Row]:
    for path in paths:
        form = _form(path)
        if form == "jsonl":
            yield from (Row(path, number, row) for number, row in json_rows(path, on_fault))
        elif form == "parquet":
            yield from _parquet(path, on_fault)
        else:
            yield from _table(path, on_fault)


def _parquet(path: Path, on_fault: OnFault) -> Iterator[Row]:
    require("pyarrow", extra="parquet")
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1024):
                for row in batch.to_pylist():
                    number += 1
                    yield Row(path, number, row)
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else "damaged"
        on_fault(Fault(path, number, "parquet", f"not readable as Parquet ({reason})"))


def _table(path: Path, on_fault: OnFault) -> Iterator[Row]:
    """Yield the judgements of a table with tabs, with or without a header, or of a TREC file."""
    names: list[str] | None = None
    known = {name: ours for ours, others in _GRADES.items() for name in others}
    for number, line in numbered_lines(path, on_fault):
        fields = line.split("\t") if "\t" in line else line.split()
        if '"' in line and "\t" in line:
            fields = next(csv.reader([line], delimiter="\t"))
        fields = [one.strip() for one in fields]
        if names is None:
            names = [known.get(one.lower(), one.lower()) for one in fields]
            if {"qid", "docno"} <= set(names):
                continue
            names = ["qid", "docno", "label"] if len(fields) == 3 else ["qid", "iteration", "docno", "label"]
        if len(fields) != len(names):
            fault = f"{len(fields)} fields between tabs or blanks, but here they are {len(names)} ({', '.join(names)})"
            on_fault(Fault(path, number, "fields", fault))
            continue
        yield Row(path, number, dict(zip(names, fields, strict=True)))


def _of_irds(name: str) -> Source:
    """Return a dataset of ``ir_datasets``, ``irds:ID``."""
    import ir_datasets

    id = name.partition(":")[2]
    try:
        dataset = ir_datasets.load(id)
    except KeyError as error:
        known = list(ir_datasets.registry)
        raise DatasetNotFound(f"ir_datasets has no dataset {id!r}.{suggestion(id, known)}") from error
    if not dataset.has_docs():
        raise DatasetNotFound(f"{name} has no documents: name a dataset of ir_datasets that has some.")
    names = {"corpus": "docs", "queries": "queries", "qrels": "qrels"}

    def state() -> str | None:
        facts: list[object] = [_VERSION, name, version("ir_datasets")]
        for part in names.values():
            if getattr(dataset, f"has_{part}")():
                try:
                    stat = Path(getattr(dataset, f"{part}_path")()).stat()
                except Exception:  # Each dataset answers in its own way, or not at all.
                    return None
                facts += [stat.st_size, stat.st_mtime_ns]
        return digest(facts)

    def rows(part: str, split: str, on_fault: OnFault) -> Iterator[Row]:
        with _said(name):
            for number, record in enumerate(getattr(dataset, f"{names[part]}_iter")(), 1):
                row = record._asdict()
                if part == "corpus" and "text" not in row:
                    row |= {"title": "", "text": record.default_text()}
                if part == "queries":
                    row |= {"query": record.default_text(), "text": None}
                yield Row(Path(f"{name} {part}"), number, row)

    with _said(name):
        about = {"title": name, "lang": dataset.docs_lang()}
        about |= {"query_lang": dataset.queries_lang()} if dataset.has_queries() else {}
    outline = _base_outline(dataset.has_queries(), dataset.has_qrels())
    return Source(name, outline, {key: value for key, value in about.items() if value}, state, rows)


def _of_pyterrier(name: str) -> Source:
    """Return a dataset of another provider of PyTerrier, ``PROVIDER:NAME``."""
    import pyterrier as pt

    with _said(name):
        try:
            dataset = pt.get_dataset(name)
        except KeyError as error:
            raise DatasetNotFound(f"PyTerrier has no dataset {name!r}: {error.args[0]}") from error
        frames = {}
        for part, get in (("queries", dataset.get_topics), ("qrels", dataset.get_qrels)):
            with suppress(NotImplementedError):
                frames[part] = get().to_dict(orient="records")
        language = dataset.get_corpus_lang()

    def rows(part: str, split: str, on_fault: OnFault) -> Iterator[Row]:
        with _said(name):
            of: Iterable[Any] = frames[part] if part in frames else dataset.get_corpus_iter(verbose=False)
            for number, row in enumerate(of, 1):
                yield Row(Path(f"{name} {part}"), number, row)

    outline = _base_outline("queries" in frames, "qrels" in frames)
    about = {"title": name} | ({"lang": language} if language else {})
    return Source(name, outline, about, lambda: None, rows)


def _base_outline(queries: bool, qrels: bool) -> FolderOutline:
    return FolderOutline(frozenset({""} if queries else ()), frozenset({""} if qrels else ()))


@contextmanager
def _said(name: str) -> Iterator[None]:
    """Turn a failure of a foreign package into one sentence, which it does not log beside, too."""
    log = logging.getLogger("ir_datasets")
    log.addFilter(_is_news)
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        if host := _unreachable(error):
            home = "ir_datasets ($IR_DATASETS_HOME, else ~/.ir_datasets)"
            home = home if name.startswith("irds:") else "PyTerrier ($PYTERRIER_HOME, else ~/.pyterrier)"
            raise DataError(
                f"{name} is not on this machine, and {host} cannot be reached: connect once, or copy the folder of "
                f"{home} from a machine that has read it."
            ) from error
        reason = str(error).strip().partition("\n")[0]
        raise DataError(f"{name} cannot be read: {type(error).__name__}{reason and f' ({reason})'}.") from error
    finally:
        log.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Return False for the steps and failed tries that ir_datasets logs; what a user has to do stays."""
    return not record.getMessage().startswith(("[", "download error", "Download failed"))


def _unreachable(error: BaseException) -> str | None:
    """Return the host that could not be reached, if that is what failed; of several sources, the last one."""
    from requests.exceptions import ConnectionError, Timeout

    if error.args and isinstance(error.args[-1], list):  # ir_datasets lists the failures of several sources.
        error = error.args[-1][-1][1] if error.args[-1] else error
    if isinstance(error, (ConnectionError, Timeout)) and error.request is not None and error.request.url:
        return urlsplit(str(error.request.url)).hostname
    return None
