"""Published collections: declared in ``published/*.yaml``, fetched on first use, and converted to the folder format.

A declaration maps the fields of the published files to those of our format.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from legalir.datasets.folder import About, Folder, FolderOutline
from legalir.datasets.readers import RESERVED, json_rows, numbered_lines
from legalir.datasets.records import Provision, trec_identifier
from legalir.errors import DataError, DownloadError, FormatError
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


_Row = Mapping[str, object]

_Spec = str | Sequence[str] | Mapping[str, object]
"""A field name; a list of names, of which the first with a value is used; or ``{join: [specs], with: text}``."""

_FIELDS = Provision._fields[1:]


def convert(declaration: Mapping[str, Any], source: Path, target: Path) -> dict[str, int]:
    """Write a collection in the folder format.

    Args:
        declaration: ``corpus``, ``queries`` by split and, where they have files of their own, ``judgements``
            by split; ``docs/api.md`` has the keys of each.
        source: folder of the published files.
        target: an empty folder.

    Returns:
        Counts of the rows that were written, left out or pointed to nothing, each by its description.

    Raises:
        FormatError: a published file is not as declared.
    """
    import yaml

    converter = _Converter(declaration, source, target)
    converter.corpus()
    for split, spec in declaration["queries"].items():
        converter.queries(split, spec)
    for split, spec in declaration.get("judgements", {}).items():
        converter.judgements(split, spec)
    about = yaml.safe_dump(dict(declaration["about"]), allow_unicode=True, sort_keys=False)
    (target / "dataset.yaml").write_text(about, encoding="utf-8")
    counts = dict(converter.counts)
    (target / "conversion.json").write_text(json.dumps(counts, ensure_ascii=False, indent=1), encoding="utf-8")
    return counts


def _rows_of(path: Path) -> Iterator[tuple[int, _Row]]:
    """Yield number and fields of every row of a ``.jsonl``, ``.json`` (a list), ``.csv`` or ``.tsv`` file.

    A ``.tsv`` has no header: its fields are called ``1``, ``2`` and so on.

    Raises:
        FormatError: the content does not fit the file's suffix.
    """
    if path.suffix == ".jsonl":
        yield from json_rows(path)
    elif path.suffix == ".json":
        yield from _json_list(path)
    elif path.suffix == ".csv":
        yield from _csv(path)
    else:
        for number, line in numbered_lines(path):
            yield number, {str(place): value for place, value in enumerate(line.split("\t"), 1)}


def _json_list(path: Path) -> Iterator[tuple[int, _Row]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise FormatError(f"{path}: not readable as JSON ({error}).") from error
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise FormatError(f"{path}: not a JSON list of objects.")
    yield from enumerate(content, 1)


def _csv(path: Path) -> Iterator[tuple[int, _Row]]:
    csv.field_size_limit(1 << 28)  # a cell can contain a whole provision
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.DictReader(stream):
                yield 0, {key: value for key, value in row.items() if key is not None}
    except (csv.Error, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not readable as CSV ({error}).") from error


def _pick(row: _Row, spec: _Spec) -> object:
    """Return the value of a spec in a row, or None if no field has a value."""
    if isinstance(spec, str):
        value = row.get(spec)
        return None if value == "" else value
    if isinstance(spec, Mapping):
        parts = spec["join"]
        assert isinstance(parts, list)
        texts = [text for part in parts if (text := _text_of(row, part))]
        return str(spec.get("with", " ")).join(texts) or None
    return next((value for name in spec if (value := _pick(row, name)) is not None), None)


def _text_of(row: _Row, spec: _Spec) -> str:
    """Return the text of a spec in a row; empty if the row has no value."""
    value = _pick(row, spec)
    return "" if value is None else str(value)


def _identifier_of(row: _Row, spec: _Spec) -> str:
    return trec_identifier(_text_of(row, spec))


def _items_of(row: _Row, spec: _Spec) -> list[object]:
    """Return the list in a field: a JSON list, a list written as text, or items separated by commas."""
    value = _pick(row, spec)
    if value is None:
        return []
    if isinstance(value, list):
        return [item for item in value if item is not None]
    if not isinstance(value, str):
        return [value]
    if value.lstrip().startswith("["):
        return _written_list(value)
    return [part.strip() for part in value.split(",") if part.strip()]


def _written_list(text: str) -> list[object]:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{text[:40]!r}… is not a list") from error
    return [item for item in value if item is not None]


class _Converter:
    def __init__(self, declaration: Mapping[str, Any], source: Path, target: Path) -> None:
        self.declaration = declaration
        self.source = source
        self.target = target
        self.counts: Counter[str] = Counter()
        self.docnos: set[str] = set()

    def rows(self, names: str | list[str]) -> Iterator[tuple[str, _Row]]:
        """Yield the rows of one or several files, each with its file and line for error messages."""
        for name in [names] if isinstance(names, str) else names:
            for number, row in _rows_of(self.source / name):
                yield f"{self.source / name}{f', line {number}' if number else ''}", row

    def items(self, where: str, row: _Row, spec: Any) -> list[str]:
        """Return the provisions that a row refers to, each once, in their order."""
        try:
            items = _items_of(row, spec)
        except ValueError as error:
            raise FormatError(f"{where}: {error}.") from error
        id_spec = self.declaration["corpus"]["id"]
        ids = (_identifier_of(item, id_spec) if isinstance(item, Mapping) else str(item) for item in items)
        return [docno for docno in dict.fromkeys(ids) if docno]

    def corpus(self) -> None:
        """Write the provisions, and collect their links."""
        spec = self.declaration["corpus"]
        links: list[tuple[str, str]] = []
        with (self.target / "corpus.jsonl").open("w", encoding="utf-8", newline="\n") as out:
            for where, row in self.rows(spec["from"]):
                docno = _identifier_of(row, spec["id"])
                if not docno:
                    raise FormatError(f"{where}: no identifier in {spec['id']!r}.")
                docno = self.unique(where, docno)
                fields = {name: _text_of(row, spec[name]) for name in _FIELDS if name in spec}
                _write_row(out, {"docno": docno, **fields})
                links += [(docno, other) for other in self.items(where, row, spec.get("links", []))]
        self.counts["provisions"] = len(self.docnos)
        self.links(links, spec.get("link_kind", ""))

    def unique(self, where: str, docno: str) -> str:
        """Return the docno, with a number where an earlier provision has it and the declaration allows numbers."""
        if docno in self.docnos:
            if self.declaration["corpus"].get("duplicates") != "number":
                raise FormatError(f"{where}: docno {docno!r} is on an earlier line, too.")
            self.counts["repeated docnos, numbered"] += 1
            number = 2
            while f"{docno}#{number}" in self.docnos:
                number += 1
            docno = f"{docno}#{number}"
        self.docnos.add(docno)
        return docno

    def links(self, links: list[tuple[str, str]], kind: str) -> None:
        """Write the links; links of a provision to itself or to an unknown one are counted and left out."""
        if "links" not in self.declaration["corpus"]:
            return
        with (self.target / "links.tsv").open("w", encoding="utf-8", newline="\n") as out:
            for source, target in links:
                if source == target:
                    self.counts["links to themselves, left out"] += 1
                elif target not in self.docnos:
                    self.counts["links to unknown provisions, left out"] += 1
                else:
                    self.counts["links"] += 1
                    out.write(f"{source}\t{target}\t{kind}\n")

    def queries(self, split: str, spec: Mapping[str, Any]) -> None:
        """Write the questions of a split, and its judgements if the rows have any."""
        suffix = "" if split == "base" else f".{split}"
        gold = spec.get("gold")
        with ExitStack() as stack:
            out = stack.enter_context(_open(self.target / f"queries{suffix}.jsonl"))
            qrels = stack.enter_context(_open(self.target / f"qrels{suffix}.txt")) if gold else None
            for number, (where, row) in enumerate(self.rows(spec["from"])):
                qid = f"{spec.get('prefix', '')}{_identifier_of(row, spec['id']) or number}"
                question = _text_of(row, spec["query"])
                if not question.strip():
                    self.counts[f"{split}: rows without a question, left out"] += 1
                    continue
                if "keep" in spec and _pick(row, spec["keep"]) is False:
                    self.counts[f"{split}: rows marked as of no use, left out"] += 1
                    continue
                documents = self.items(where, row, gold) if gold else []
                item = {} if "options" not in spec else _item(row, spec, documents)
                if item is None:
                    self.counts[f"{split}: items without all options or a key, left out"] += 1
                    continue
                self.counts[f"{split}: questions"] += 1
                _write_row(out, {"qid": qid, "query": question, **_rest(row, spec), **item})
                for docno in documents:
                    self.counts[f"{split}: judgements"] += 1
                    if docno not in self.docnos:
                        self.counts[f"{split}: judgements of unknown provisions"] += 1
                    assert qrels is not None
                    qrels.write(f"{qid} 0 {docno} 1\n")

    def judgements(self, split: str, spec: Mapping[str, Any]) -> None:
        """Write the judgements of a split that have a file of their own."""
        with _open(self.target / f"qrels.{split}.txt") as out:
            for where, row in self.rows(spec["from"]):
                qid, docno = _identifier_of(row, spec["qid"]), _identifier_of(row, spec["docno"])
                if not qid or not docno:
                    raise FormatError(f"{where}: no query or no provision.")
                self.counts[f"{split}: judgements"] += 1
                out.write(f"{spec.get('prefix', '')}{qid} 0 {docno} 1\n")


def _item(row: _Row, spec: Mapping[str, Any], documents: Sequence[str]) -> dict[str, object] | None:
    """Return the fields of a question with options: texts, the number of the right one, and what decides it.

    ``options`` of the declaration is a list of fields, or ``{words: [...]}`` where the field ``key`` has one of these
    words; else ``key``, and ``abstain`` if there is one, have the number of an option.

    Returns:
        The fields; None if an option is missing, or a number does not match an option.
    """
    fields = spec["options"]
    if isinstance(fields, Mapping):
        options = [str(word) for word in fields["words"]]
        word = _text_of(row, spec["key"]).strip()
        numbers = [options.index(word) + 1] if word in options else [0]
    else:
        options = [_text_of(row, field).strip() for field in fields]
        numbers = [_number(_text_of(row, spec[name])) for name in ("key", "abstain") if name in spec]
    if not all(options) or not all(1 <= number <= len(options) for number in numbers):
        return None
    return {"options": options, **dict(zip(("key", "abstain"), numbers, strict=False)), "documents": list(documents)}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _rest(row: _Row, spec: Mapping[str, Any]) -> dict[str, object]:
    """Return the other fields of a question; fields named like a result column are renamed."""
    gold = spec.get("gold", [])
    used = {*([gold] if isinstance(gold, str) else gold), "qid", "query", "query_id"}
    return {
        f"source_{key}" if key in RESERVED else key: value
        for key, value in row.items()
        if key not in used and _pick(row, key) is not None
    }


def _open(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")


def _write_row(out: TextIO, row: dict[str, object]) -> None:
    out.write(json.dumps(row, ensure_ascii=False) + "\n")
