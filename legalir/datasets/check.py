"""A report on a folder: all its faults at once, and counts of its content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from legalir.datasets.catalog import load
from legalir.datasets.folder import ALIASES, Folder, verify_judgements
from legalir.datasets.foreign import Source, convert, source_of
from legalir.datasets.readers import Fault, read_aliases, read_chunks, read_corpus, read_links, read_qrels, read_queries
from legalir.errors import DataError, FormatError
from legalir.progress import progress
from legalir.storage.validity import provision_key

_SCRIPTS = {
    "Hangul": re.compile("[\uac00-\ud7a3\u1100-\u11ff]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
    "Kana": re.compile("[\u3040-\u30ff]"),
    "Han": re.compile("[\u4e00-\u9fff]"),
    "Latin": re.compile("[A-Za-z\u00c0-\u024f]"),
}


@dataclass
class SplitCounts:
    """Counts of one split or of the base.

    Attributes:
        queries: topics.
        judgements: lines of its judgement file.
        judged: queries with at least one relevant provision.
        multi_label: queries with at least two relevant provisions.
        labels: judgements by label.
        unjudged: queries of its file without a judgement, which are not topics.
    """

    queries: int = 0
    judgements: int = 0
    judged: int = 0
    multi_label: int = 0
    labels: dict[int, int] = field(default_factory=dict)
    unjudged: int = 0


@dataclass
class CheckReport:
    """The result of :func:`check`.

    Attributes:
        path: the folder.
        cap: largest number of faults of one kind in one file that are listed.
        faults: the faults, in the order of the files, at most `cap` of each kind in each file.
        fault_counts: number of all faults by kind.
        provisions: provisions that can be used.
        untitled: provisions without a title.
        empty: provisions with neither title nor text.
        unnumbered: provisions whose field ``article`` has no number that can be read, by the value of the field.
        scripts: provisions by the script of most of their letters.
        splits: counts of each split; the empty string is the base.
        negative: judgements below 0 in TREC files, which are read as 0.
        links: links by kind.
        chunks: of a chunk collection, provisions contained in chunks ``complete``, and ``partly`` only.
        ignored: files that the format does not know.
        converted: what reading another format changed or left out; None for a folder of the folder format.
    """

    path: Path
    cap: int = 20
    faults: list[Fault] = field(default_factory=list)
    fault_counts: Counter[str] = field(default_factory=Counter)
    provisions: int = 0
    untitled: int = 0
    empty: int = 0
    unnumbered: Counter[str] = field(default_factory=Counter)
    scripts: Counter[str] = field(default_factory=Counter)
    splits: dict[str, SplitCounts] = field(default_factory=dict)
    negative: int = 0
    links: Counter[str] = field(default_factory=Counter)
    chunks: Counter[str] = field(default_factory=Counter)
    ignored: list[str] = field(default_factory=list)
    converted: dict[str, int] | None = None
    _seen: Counter[tuple[Path, str]] = field(default_factory=Counter, repr=False)

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.fault_counts

    def add(self, fault: Fault) -> None:
        """Count a fault, and list it unless `cap` of its kind and file are listed."""
        self.fault_counts[fault.kind] += 1
        self._seen[fault.file, fault.kind] += 1
        if self._seen[fault.file, fault.kind] <= self.cap:
            self.faults.append(fault)

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {
            "path": str(self.path),
            "ok": self.ok,
            "faults": [fault._asdict() | {"file": str(fault.file)} for fault in self.faults],
            "fault_counts": dict(self.fault_counts),
            "provisions": self.provisions,
            "untitled": self.untitled,
            "empty": self.empty,
            "unnumbered": self.unnumbered.total(),
            "unnumbered_values": dict(self.unnumbered.most_common(self.cap)),
            "scripts": dict(self.scripts),
            "splits": {split: asdict(counts) for split, counts in self.splits.items()},
            "negative": self.negative,
            "links": dict(self.links),
            "chunks": dict(self.chunks),
            "ignored": self.ignored,
            "converted": self.converted,
        }


def check(
    path: str | PathLike[str], *, cap: int = 20, article_number: Callable[[str], str] | None = None
) -> CheckReport:
    """Read every file of a folder to its end and report all faults.

    Args:
        path: path of a folder, also of BEIR or MTEB, or id of a collection.
        cap: largest number of faults of one kind in one file that are listed; all are counted.
        article_number: returns the number in a field ``article``, empty if it has none
            (:func:`legalir.references.grammar.article_number`); without it, `unnumbered` is not counted.

    Raises:
        DatasetNotFound: there is no such folder.
    """
    root = Path(path).expanduser()
    report = CheckReport(root, cap)
    try:
        source = source_of(path)
    except FormatError as error:
        report.add(Fault(root, 0, "folder", str(error).removeprefix(f"{root} ").rstrip(".")))
        return report
    if source is not None:
        return _check_foreign(source, report, article_number)
    try:
        folder = Folder.open(root) if root.is_dir() else load(path).folder
        about = folder.about
    except DataError as error:
        if not root.is_dir():
            raise
        message = str(error).removeprefix(f"{root} ").rstrip(".")
        report.add(Fault(root, 0, "folder", message))
        return report
    report.path = folder.root
    report.ignored = [file.name for file in folder.ignored if not file.name.startswith((".", "README"))]
    laws: dict[str, str] = {}
    lengths = _corpus(folder, report, article_number, laws)
    ends = {*lengths, *map(provision_key, lengths)}
    judgeable = ends if folder.chunks is None else _chunks(folder, lengths, report)
    qids = {
        path: {str(row["qid"]) for row in read_queries(path, about.query_field, report.add)}
        for path in folder.queries.values()
    }
    for split in ("", *folder.splits):
        if split or "" in folder.queries or "" in folder.qrels:
            report.splits[split] = _split(folder, split, judgeable, qids, report)
    _links(folder, ends, report)
    _aliases(folder.root / ALIASES, laws, report)
    return report


def _check_foreign(source: Source, report: CheckReport, article_number: Callable[[str], str] | None) -> CheckReport:
    """Check a foreign collection and then its conversion, whose faults are of the source's files, too."""
    with TemporaryDirectory(prefix="legalir-") as name:
        converted = convert(source, Path(name), report.add)
        of_conversion = check(name, cap=report.cap, article_number=article_number)
    faults = [
        fault._replace(file=source.files.get(fault.file.name, Path(source.name))) for fault in of_conversion.faults
    ]
    return replace(
        of_conversion,
        path=report.path,
        faults=report.faults + faults,
        fault_counts=report.fault_counts + of_conversion.fault_counts,
        converted=converted,
    )


def _corpus(
    folder: Folder, report: CheckReport, article_number: Callable[[str], str] | None, laws: dict[str, str]
) -> dict[str, int]:
    """Check the corpus, and return the number of characters of each text, by docno.

    Args:
        folder: the files.
        report: for the faults and counts.
        article_number: returns the number in a field ``article``.
        laws: filled with the name of each law, by its name and by its ``law_id``.
    """
    lengths = {}
    articles = Counter[str]()
    with progress("Checking provisions", None) as advance:
        for record in read_corpus(folder.corpus, report.add):
            lengths[record.doc_id] = len(record.text)
            report.untitled += not record.title.strip()
            report.empty += not record.default_text().strip()
            report.scripts[_script(record.text or record.title)] += 1
            articles[record.article] += 1
            laws[record.law_id or record.law] = laws[record.law] = record.law
            advance(1)
    report.provisions = len(lengths)
    if article_number is not None:
        unread = (value for value in articles if value and not article_number(value))
        report.unnumbered = Counter({value: articles[value] for value in unread})
    if not lengths:
        report.add(Fault(folder.corpus, 0, "provision", "not a single provision"))
    return lengths


def _chunks(folder: Folder, lengths: Mapping[str, int], report: CheckReport) -> set[str]:
    """Check ``chunks.tsv``, and return the provisions that chunks contain."""
    assert folder.chunks is not None
    whole: set[str] = set()
    held: set[str] = set()
    chunks: set[str] = set()
    for chunk, provision, complete, characters, start in read_chunks(folder.chunks, report.add):
        chunks.add(chunk)
        held.add(provision)
        if complete:
            whole.add(provision)
        if chunk not in lengths:
            message = f"{chunk!r}, which holds {provision!r}, is not in the corpus"
            report.add(Fault(folder.chunks, 0, "dangling chunk", message))
        elif start + characters > lengths[chunk]:
            message = f"{chunk!r} has {lengths[chunk]} characters, and {provision!r} would end at {start + characters}"
            report.add(Fault(folder.chunks, 0, "chunk", message))
    for chunk in sorted(lengths.keys() - chunks):
        report.add(Fault(folder.chunks, 0, "chunk", f"{chunk!r} is in the corpus, and holds no provision"))
    if folder.provisions is not None:
        known = {record.doc_id for record in read_corpus(folder.provisions, report.add)}
        for provision in sorted(held - known):
            message = f"{provision!r} is held by a chunk, and not in {folder.provisions.name}"
            report.add(Fault(folder.chunks, 0, "dangling provision", message))
        held |= known
    report.chunks = Counter({"complete": len(whole), "partly": len(held - whole)})
    return held


def _script(text: str) -> str:
    """Return the most frequent script among the first letters of a text."""
    counts = {name: len(pattern.findall(text[:300])) for name, pattern in _SCRIPTS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else "other"


def _split(
    folder: Folder, split: str, docnos: set[str], qids_of: dict[Path, set[str]], report: CheckReport
) -> SplitCounts:
    queries, qrels = folder.queries_of(split), folder.qrels_of(split)
    qids = qids_of[queries] if queries else set()
    if qrels is None:
        return SplitCounts(queries=len(qids))
    own = split in folder.qrels
    labels: Counter[int] = Counter()
    relevant: Counter[str] = Counter()
    judged = set()
    # The base's file is read again for a split that has only queries; its faults are in the report already.
    for row in read_qrels(qrels, report.add if own else lambda fault: None, negative=True):
        labels[max(row.label, 0)] += 1
        report.negative += own and row.label < 0
        judged.add(row.qid)
        relevant[row.qid] += row.label > 0
        if own and row.docno not in docnos:
            message = f"{row.docno!r}, judged for {row.qid!r}, is not in the corpus"
            report.add(Fault(qrels, 0, "dangling judgement", message))
    for qid in sorted(judged - qids):
        report.add(Fault(qrels, 0, "dangling query", f"{qid!r} is judged but in no query file"))
    if own and not qrels.is_relative_to(folder.root):
        _verify(qrels, report)
    many = sum(count > 1 for count in relevant.values())
    any_ = sum(count > 0 for count in relevant.values())
    topics = len(qids & judged)
    return SplitCounts(topics, labels.total(), any_, many, dict(sorted(labels.items())), len(qids) - topics)


def _verify(qrels: Path, report: CheckReport) -> None:
    try:
        verify_judgements(qrels)
    except DataError as error:
        report.add(Fault(qrels, 0, "sha256", str(error).rstrip(".")))


def _links(folder: Folder, docnos: set[str], report: CheckReport) -> None:
    if folder.links is None:
        return
    for source, target, kind in read_links(folder.links, report.add):
        report.links[kind or "(none)"] += 1
        for end in (source, target):
            if end not in docnos:
                message = f"{source!r} to {target!r}: {end!r} is not in the corpus"
                report.add(Fault(folder.links, 0, "dangling link", message))


def _aliases(path: Path, laws: Mapping[str, str], report: CheckReport) -> None:
    """Check that each alias has one law of the corpus, and is not the name of another."""
    meant: dict[str, str] = {}
    for number, alias, law in read_aliases(path, report.add) if path.is_file() else ():
        name = laws.get(law, "")
        if not name:
            report.add(
                Fault(path, number, "dangling alias", f"{alias!r} is a name of {law!r}, which is not in the corpus")
            )
        elif (other := meant.setdefault(alias, name)) != name or laws.get(alias, name) != name:
            other = other if other != name else laws[alias]
            report.add(Fault(path, number, "ambiguous alias", f"{alias!r} is a name of {name!r} and of {other!r}"))
