"""Chunk collections: the laws of a collection as plain text, cut into chunks, with the way back to their provisions.

A chunk collection is a folder in the folder format. Its documents are chunks; its questions and judgements come from
the source collection, so judgements name provisions. ``chunks.tsv`` lists the contents of each chunk, and
``provisions.jsonl`` has the provisions.
"""

from __future__ import annotations

import inspect
import json
import logging
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from legalir.chunks import chunking
from legalir.chunks.chunking import Chunk
from legalir.chunks.coverage import HeldPart, InformationLoss, information_loss, parts_of
from legalir.datasets.dataset import StatuteDataset
from legalir.datasets.folder import CHUNKS, PROVISIONS
from legalir.datasets.new_folder import new_folder
from legalir.datasets.readers import read_qrels
from legalir.datasets.records import Provision
from legalir.declared import check_number
from legalir.errors import ComponentError, DataError
from legalir.llm.client import Client
from legalir.llm.prompts import load_prompt
from legalir.progress import progress
from legalir.storage.validity import DateReader, day_of, provision_key

_log = logging.getLogger("legalir")

ARTICLE = "article"
"""The method whose chunks are the provisions."""

METHODS: Mapping[str, Callable[..., list[Chunk]]] = {
    name: getattr(chunking, name)
    for name in (ARTICLE, "character", "line", "recursive", "sentence", "semantic", "pattern", "judgment")
}
"""The methods by name: functions of :mod:`legalir.chunks.chunking`."""

Headers = Callable[[Sequence[tuple[str, str]]], Sequence[str]]
"""Function of the text of a law and its chunks; returns the header of each chunk; empty headers are omitted."""


class LawText(NamedTuple):
    """A law as plain text.

    Attributes:
        key: begins the docnos of its chunks.
        first: its first provision.
        text: its provisions, one after the other, each with its number and heading on a separate line.
        docnos: of its provisions, in reading order.
        places: start and end of each of them.
    """

    key: str
    first: Provision
    text: str
    docnos: Sequence[str]
    places: Sequence[tuple[int, int]]


@dataclass
class ChunkReport:
    """The result of :func:`write_chunks`.

    Attributes:
        folder: the folder that was written.
        by: the method with its parameters.
        as_of: the day whose law was cut, empty for a collection without versions.
        laws: number of laws.
        empty: number of provisions without text, which no chunk contains.
        links: number of links between chunks.
        characters: mean length of a chunk.
        loss: the information loss.
    """

    folder: Path
    by: str
    as_of: str = ""
    laws: int = 0
    empty: int = 0
    links: int = 0
    characters: float = 0.0
    loss: InformationLoss = field(default_factory=lambda: information_loss([]))

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**vars(self), "folder": str(self.folder), "loss": self.loss._asdict()}


def law_texts(provisions: Iterable[Provision]) -> list[LawText]:
    """Return the laws of a collection as plain texts, in the order in which they begin.

    A provision belongs to the law of its ``law_id``, else of its ``law``; provisions without either are one text. The
    line above a provision is its title without the name of the law; it is left out if the text begins with the title.
    """
    laws: dict[str, list[Provision]] = {}
    for provision in provisions:
        laws.setdefault(provision.law_id or provision.law, []).append(provision)
    texts = []
    for number, (name, of_law) in enumerate(laws.items(), 1):
        pieces: list[str] = []
        docnos, places = [], []
        place = 0
        for provision in of_law:
            if piece := plain_text(provision):
                docnos.append(provision.doc_id)
                places.append((place, place + len(piece)))
                pieces.append(piece)
                place += len(piece) + 1
        key = name if name.isascii() and name.isprintable() and " " not in name and name else f"law-{number}"
        texts.append(LawText(key, of_law[0], "\n".join(pieces), docnos, places))
    return texts


def plain_text(provision: Provision) -> str:
    """Return a provision as printed in its law: number, heading and text."""
    title, text = provision.title.strip(), provision.text.strip()
    if title and text.startswith(title):
        return text
    return "\n".join(filter(None, (title.removeprefix(provision.law).strip(), text)))


def method(by: str, **options: object) -> Callable[[LawText], list[Chunk]]:
    """Return a function that cuts a law.

    Args:
        by: name of the method.
        options: its parameters; None is left out.

    Raises:
        ComponentError: there is no such method, it has no such parameter, or a value is not accepted.
    """
    if by not in METHODS:
        raise ComponentError(f"There is no chunking {by!r}: take one of {', '.join(METHODS)}.")
    given = {name: value for name, value in options.items() if value is not None}
    accepted = [name for name in inspect.signature(METHODS[by]).parameters if name not in _OWN]
    for name in given:
        if name not in accepted:
            raise ComponentError(f"{by} has no {name}; it has {', '.join(accepted) or 'no parameters'}.")
    for name in given.keys() & {"size", "overlap", "buffer"}:
        check_number(by, name, given[name], low=0, integer=True)
    if "percentile" in given:
        check_number(by, "percentile", given["percentile"], low=0, high=100)
    try:
        re.compile(str(given.get("pattern", "")))
    except re.error as error:
        raise ComponentError(f"{by}: pattern={given['pattern']!r} is not a regular expression: {error}.") from None
    if by == ARTICLE:
        return lambda law: chunking.article(law.places)
    if by == "semantic" and "encode" not in given:
        raise ComponentError("semantic needs an encoder.")
    return lambda law: METHODS[by](law.text, **given)


_OWN = ("text", "provisions", "within", "separators")
"""Parameters that are not options."""


def write_chunks(
    dataset: StatuteDataset,
    folder: str | PathLike[str],
    cut: Callable[[LawText], list[Chunk]],
    by: str,
    *,
    replace: bool = False,
    headers: Headers | None = None,
    as_of: str | None = None,
) -> ChunkReport:
    """Write a chunk collection, whole or not at all; all provisions are in memory.

    A chunk has the docno ``<law>-chunk-<number>``, or the docno of its provision if `by` is ``article``. Its title is
    the name of its law, followed by its header. A provision belongs to the chunk that contains most of it; if a
    provision cites another one, their chunks are linked.

    Args:
        dataset: the collection to cut; its splits are preserved.
        folder: the folder to write.
        cut: function that cuts a law, such as :func:`method` returns.
        by: names the method with its parameters in the report and in ``dataset.yaml``.
        replace: whether a collection in `folder` is replaced.
        headers: writes the headers.
        as_of: day of the law to cut, as ``2021-03-01``, for a collection of versions. The new collection has no
            versions: provisions are named by their keys.

    Raises:
        ComponentError: `as_of` is not a date.
        DataError: the collection consists of chunks, has versions and no day is given, or has none and one is; no
            provision is in force on the day; or the folder exists or cannot be written.
    """
    if dataset.chunks is not None:
        raise DataError(f"{dataset.id} is a chunk collection: cut the collection that it was made from.")
    if dataset.dated != (as_of is not None):
        cure = "give the day whose law is cut, --as-of 2021-03-01" if dataset.dated else "leave the day out"
        raise DataError(f"{dataset.id} holds {'' if dataset.dated else 'no '}versions of provisions: {cure}.")
    target = Path(folder)
    report = ChunkReport(target, by, as_of or "")
    provisions = list(dataset.docs())
    law = None if as_of is None else _law_of(provisions, day_of(as_of, "as_of"))
    if law is not None:
        provisions = [one._replace(doc_id=law[one.doc_id]) for one in provisions if one.doc_id in law]
        if not provisions:
            raise DataError(f"No provision of {dataset.id} is in force on {as_of}: give another day.")
    laws = law_texts(provisions)
    report.laws = len(laws)
    report.empty = len(provisions) - sum(len(law.docnos) for law in laws)
    try:
        with new_folder(target, replace) as (new, _):
            for path in new.iterdir():
                path.unlink()
            home = _write(dataset, laws, cut, headers, new, report)
            _write_rest(dataset, home, new, report, provisions, law)
    except OSError as error:
        raise DataError(f"{target} cannot be written ({error.strerror or error}): free some space.") from error
    return report


def _law_of(provisions: Iterable[Provision], day: int) -> dict[str, str]:
    """Return the versions in force on a day, each with the key of its provision."""
    reader = DateReader()
    for one in provisions:
        reader.read({"docno": one.doc_id, **one._asdict()})
    validity = reader.validity()
    in_force = [] if validity is None else validity.on(day).tolist()
    return {docno: provision_key(docno) for docno, valid in zip(reader.docnos, in_force, strict=True) if valid}


def _write(
    dataset: StatuteDataset,
    laws: Sequence[LawText],
    cut: Callable[[LawText], list[Chunk]],
    headers: Headers | None,
    new: Path,
    report: ChunkReport,
) -> dict[str, str]:
    """Write the chunks, and return for each provision the chunk that contains most of it."""
    chunks = []
    with progress(f"Cutting {dataset.id}", len(laws)) as advance:
        for law in laws:
            chunks.append(cut(law))
            advance(1)
    report.loss = information_loss((of, law.places) for of, law in zip(chunks, laws, strict=True))
    lengths = [end - start for of in chunks for start, end in of]
    report.characters = sum(lengths) / len(lengths) if lengths else 0.0
    pairs = [
        (law.text, law.text[chunk.start : chunk.end]) for law, of in zip(laws, chunks, strict=True) for chunk in of
    ]
    lines = iter([""] * len(pairs) if headers is None else headers(pairs))
    most: dict[str, tuple[int, str]] = {}
    with (
        (new / "corpus.jsonl").open("w", encoding="utf-8", newline="\n") as corpus,
        (new / CHUNKS).open("w", encoding="utf-8", newline="\n") as held,
    ):
        for law, of in zip(laws, chunks, strict=True):
            parts = _by_chunk(parts_of(of, law.places))
            for number, chunk in enumerate(of):
                docno = law.docnos[number] if report.by == ARTICLE else f"{law.key}-chunk-{number}"
                row = _record(law, docno, chunk, next(lines))
                corpus.write(json.dumps(row, ensure_ascii=False) + "\n")
                for part in parts.get(number, []):
                    provision = law.docnos[part.provision]
                    share = "complete" if part.complete else "partly"
                    held.write(f"{docno}\t{provision}\t{share}\t{part.characters}\t{part.start}\n")
                    if part.characters > most.get(provision, (0, ""))[0]:
                        most[provision] = part.characters, docno
    return {provision: docno for provision, (_, docno) in most.items()}


def _by_chunk(parts: Iterable[HeldPart]) -> dict[int, list[HeldPart]]:
    out: dict[int, list[HeldPart]] = {}
    for part in parts:
        out.setdefault(part.chunk, []).append(part)
    return out


def _record(law: LawText, docno: str, chunk: Chunk, header: str) -> dict[str, str]:
    """Return the record of a chunk."""
    title = " ".join(f"{law.first.law} {header}".split())
    fields = {"docno": docno, "title": title, "text": law.text[chunk.start : chunk.end]}
    fields |= {name: getattr(law.first, name) for name in ("law", "law_id", "level")}
    return {name: value for name, value in fields.items() if value or name == "text"}


def _write_rest(
    dataset: StatuteDataset,
    home: Mapping[str, str],
    new: Path,
    report: ChunkReport,
    provisions: Iterable[Provision],
    law: Mapping[str, str] | None,
) -> None:
    """Write links between chunks, and the files that a chunk collection has from the collection that was cut.

    Args:
        dataset: the collection that was cut.
        home: the chunk that contains most of each provision.
        new: the folder.
        report: gets the number of links.
        provisions: the provisions that were cut.
        law: the key of each version that was cut; None if the collection has no versions.
    """
    links = dict.fromkeys(_linked(dataset, home, law or {}))
    if links:
        lines = "".join(f"{source}\t{target}\t{kind}".rstrip("\t") + "\n" for source, target, kind in links)
        (new / "links.tsv").write_text(lines, encoding="utf-8", newline="\n")
    report.links = len(links)
    files = dataset.folder
    copied = [*files.queries.values()]
    if law is None:
        shutil.copyfile(files.corpus, new / f"{PROVISIONS}{'.gz' if files.corpus.suffix == '.gz' else ''}")
        copied += files.qrels.values()
    else:
        rows = ({"docno": one.doc_id, **dict(zip(one._fields[1:], one[1:], strict=True))} for one in provisions)
        records = [json.dumps({k: v for k, v in row.items() if v}, ensure_ascii=False) + "\n" for row in rows]
        (new / PROVISIONS).write_text("".join(records), encoding="utf-8", newline="\n")
        for path in files.qrels.values():
            _write_judgements(path, law, new / path.name)
    for path in copied:
        shutil.copyfile(path, new / path.name)
    _write_about(dataset, new / "dataset.yaml", report)


def _write_judgements(path: Path, law: Mapping[str, str], new: Path) -> None:
    """Write judgements with the keys of the versions that were cut; judgements of other versions keep their docnos."""
    labels: dict[tuple[str, str], int] = {}
    for qid, docno, label in read_qrels(path):
        pair = qid, law.get(docno, docno)
        labels[pair] = max(label, labels.get(pair, 0))
    lines = [f"{qid} 0 {docno} {label}\n" for (qid, docno), label in labels.items()]
    new.write_text("".join(lines), encoding="utf-8", newline="\n")


def _linked(dataset: StatuteDataset, home: Mapping[str, str], law: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for source, target, kind in dataset.links():
        source, target = law.get(source, source), law.get(target, target)
        if source in home and target in home and home[source] != home[target]:
            yield home[source], home[target], kind


def _write_about(dataset: StatuteDataset, path: Path, report: ChunkReport) -> None:
    import yaml

    old = vars(dataset.about)
    facts = {name: old[name] for name in ("licence", "lang", "source", "citation", "query_field") if old[name]}
    facts |= {name: dict(old[name]) for name in ("query_lang", "labels") if old[name]}
    day = f", as of {report.as_of}" if report.as_of else ""
    title = f"{dataset.about.title or dataset.base_id}, cut by {report.by}{day}"
    path.write_text(yaml.safe_dump({"title": title, **facts}, allow_unicode=True, sort_keys=False), encoding="utf-8")


_BEGINNING = 1000
"""Characters of the beginning of a law that the model reads."""


def headers_by(client: Client, language: str) -> Headers:
    """Return a function that lets a chat model write a line for each chunk, as [nitibench] suggests.

    A chunk whose reply failed has no header, and a message counts them.

    The model reads the chunk and the beginning of its law. The header is in the title of the chunk, so that it is
    searched, and nobody takes it for the text of the law.

    Args:
        client: asks the model.
        language: of the prompt.
    """

    def headers(pairs: Sequence[tuple[str, str]]) -> list[str]:
        values = [{"law": law[:_BEGINNING], "part": part} for law, part in pairs]
        replies = client.ask(load_prompt("chunk_header", language), values, max_tokens=128, may_be_cut=True)
        if failed := sum(reply.state != "ok" for reply in replies):
            _log.warning("%d of %d chunks have no header, because the reply failed.", failed, len(replies))
        return [" ".join(str(reply.value).split()) if reply.state == "ok" else "" for reply in replies]

    return headers
