"""A stored TREC run as a retriever: the lists of another system, in expressions and experiments."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge

from legalir.collections import Collection
from legalir.datasets.readers import Fault, numbered_lines, stop
from legalir.errors import ComponentError, warn_once
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import drop_results
from legalir.frames.ranking import RankedLists, falling, ranked_lists, singles
from legalir.frames.retriever import Retriever
from legalir.frames.where import wheres
from legalir.graph.laws import LawTable
from legalir.plugins import parameters_of
from legalir.storage.digest import cached_file_digest
from legalir.storage.validity import provision_key

_log = logging.getLogger("legalir")
_COLUMNS = "qid Q0 docno rank score tag"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class TrecList(NamedTuple):
    """The list of one question, in the order of trec_eval.

    Attributes:
        docno: object [n].
        score: float64 [n]; of equal scores of the file the later are the next lower numbers in single precision.
        reordered: whether the ranks in the file have another order.
    """

    docno: npt.NDArray[np.object_]
    score: npt.NDArray[np.float64]
    reordered: bool = False


def read_trec_run(path: Path) -> dict[str, TrecList]:
    """Return the list of each question in a TREC run: ``qid Q0 docno rank score tag``, also in a file ``.gz``.

    Columns are separated by white space; in a line with five tabs, by the tabs alone, so that an identifier may have a
    blank. Lines before the first result that begin with ``#``, such as ir_metadata, are comments. A list has the order
    of trec_eval: by score in single precision, and equal scores by docno, descending [pytrec-eval]. Ranks do not count;
    a warning is logged if they have another order.

    Raises:
        FormatError: file, line and fault: a wrong number of columns, a rank that is not an integer, a score that is not
            a finite number, a document twice in a list, or no lines at all.
        DataError: the file cannot be read.
    """
    rows: dict[str, dict[str, tuple[float, int]]] = {}
    for number, line in numbered_lines(path):
        fields = line.split("\t") if line.count("\t") == 5 else line.split()
        if line.startswith("#") and not rows and not (len(fields) == 6 and _INTEGER.fullmatch(fields[3])):
            continue
        if len(fields) != 6:
            stop(Fault(path, number, "fields", f"{len(fields)} columns, but a run has six ({_COLUMNS})"))
        qid, _, docno, rank, score, _ = map(str.strip, fields)
        documents = rows.setdefault(qid, {})
        if not qid or not docno:
            stop(Fault(path, number, "identifier", "the qid or the docno is empty"))
        if docno in documents:
            stop(Fault(path, number, "duplicate", f"{docno!r} is in the list of {qid!r} on an earlier line, too"))
        if not _is_finite(score):
            stop(Fault(path, number, "score", f"the score {score!r} is not a finite number"))
        if not _INTEGER.fullmatch(rank):
            stop(Fault(path, number, "rank", f"the rank {rank!r} is not an integer"))
        documents[docno] = float(score), int(rank)
    if not rows:
        stop(Fault(path, 0, "empty", f"no lines, but a run has one for each result ({_COLUMNS})"))
    lists = {}
    for qid, documents in rows.items():
        docnos = np.array([*documents], dtype=object)
        scores, ranks = (np.array(column, dtype=np.float64) for column in zip(*documents.values(), strict=True))
        order = np.lexsort((docnos.astype(str), singles(scores)))[::-1]
        falls = falling(np.zeros_like(order), scores[order])
        lists[qid] = TrecList(docnos[order], falls, bool((np.diff(ranks[order]) < 0).any()))
    if remark := _reordered(lists):
        _log.warning("%s: %s.", path, remark)
    return lists


def _reordered(lists: Mapping[str, TrecList]) -> str:
    """Say that the ranks of lists have another order than the lists; an empty string if they have not."""
    if not (reordered := [qid for qid, hits in lists.items() if hits.reordered]):
        return ""
    return (
        f"in {len(reordered)} of {len(lists)} lists, such as that of {reordered[0]!r}, the ranks have another order "
        f"than the scores: as in trec_eval, ranks do not count, and equal scores are ordered by docno, descending"
    )


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


@lru_cache(maxsize=4)
def _lists_of(path: Path, sha256: str) -> dict[str, TrecList]:
    """Return the lists of a file; it is read again only if its content changes."""
    return read_trec_run(path)


class StoredRun(Retriever):
    """Retriever that returns the lists of a TREC run, such as a baseline of another toolkit or group.

    A question gets the list of its qid; its text does not matter. Lists have the order of trec_eval, as
    :func:`read_trec_run` says. A question that the file does not have gets no results; such questions are counted in a
    message. A document that the collection does not have stays in the lists, as it does for TREC's tools; a warning
    counts them. Of versions of provisions those in force on the day of the question are returned; a key means its
    version in force. A filter leaves out documents of the collection alone.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. It cannot score given
    documents, because a file has no score for those that it lacks.

    Raises:
        ComponentError: there is no such file, or `num_results` is not an integer of at least 1.
        FormatError: as :func:`read_trec_run`.
    """

    name = "run"

    path: Annotated[
        str | PathLike[str],
        "the file, six columns ``qid Q0 docno rank score tag``; it may end in ``.gz``",
    ]
    num_results: Annotated[
        int | None,
        Ge(1),
        "maximum number of results per question; None for the whole list",
    ] = None
    laws: Annotated[
        LawTable | None,
        "the documents of the collection; None to return the lists as they are in the file",
    ] = None

    def __post_init__(self) -> None:
        self.lists()  # A faulty file must not come up after other systems have run.

    @property
    def file(self) -> Path:
        """The absolute path of the file."""
        return Path(self.path).expanduser().absolute()

    @property
    def fingerprint(self) -> str:
        """The sha256 of the file."""
        if not self.file.is_file():
            what = "is a folder" if self.file.is_dir() else "does not exist"
            raise ComponentError(f"run: path={str(self.path)!r} {what} (seen from {Path.cwd()}): give a TREC run.")
        return cached_file_digest(self.file)

    def lists(self) -> Mapping[str, TrecList]:
        """Return the list of each question of the file, by qid; errors as the class."""
        if remark := self._unknown():
            warn_once(f"run: {remark}.")
        return _lists_of(self.file, self.fingerprint)

    def _unknown(self) -> str:
        if self.laws is None:
            return ""
        return _unknown(self.file, self.fingerprint, self.laws, self.laws.manifest.data)

    @property
    def note(self) -> str:
        """Remarks on ranks of another order than the scores, and on documents that the collection lacks."""
        return "; ".join(filter(None, (_reordered(self.lists()), self._unknown())))

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the list of each question."""
        lists = self.lists()
        if missing := [qid for qid in queries["qid"] if qid not in lists]:
            _log.warning(
                "run: %d of %d questions are not in %s and have no results, such as %r.",
                len(missing),
                len(queries),
                self.file.name,
                missing[0],
            )
        nothing = TrecList(np.empty(0, dtype=object), np.empty(0))
        hits = [lists.get(qid, nothing) for qid in queries["qid"]]
        if self.laws is not None:
            of_day = zip(hits, self.laws.in_force(queries), strict=True)
            names = _names(self.laws, self.laws.manifest.data)
            hits = [hit if law is None else _in_force(hit, law, names) for hit, law in of_day]
        elif any(wheres(queries)):
            raise ComponentError("run: a filter needs the documents of the collection: give laws=LawTable.of(…).")
        hits = [TrecList(hit.docno[: self.num_results], hit.score[: self.num_results]) for hit in hits]
        query = np.repeat(np.arange(len(hits)), [len(hit.docno) for hit in hits])
        docno, score = np.concatenate([hit.docno for hit in hits]), np.concatenate([hit.score for hit in hits])
        return ranked_lists(queries, query, docno, score)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the score in the file of each of `docnos`."""
        lists, name = self.retrieve_lists(drop_results(inp).head(1)), self.file.name
        places = {docno: row for row, docno in enumerate(lists.docno.tolist())}
        explanations = {}
        for docno in docnos:
            if (row := places.get(docno)) is not None:
                score = float(lists.score[row])
                part = Part(f"score in {name}, place {row + 1} of {len(places)}", score)
                explanations[docno] = Explanation(docno, score, f"run({name})", (part,))
        return explanations


def _in_force(hit: TrecList, law: Mapping[str, str], names: Container[str]) -> TrecList:
    """Return the documents of a list that may be found, and those that the collection does not have.

    Args:
        hit: the list.
        law: docnos of the provisions that may be found, by key.
        names: docnos and keys of the collection.
    """
    rows: dict[str, float] = {}
    for docno, score in zip(hit.docno.tolist(), hit.score.tolist(), strict=True):
        key = provision_key(docno)
        version = law.get(key) if docno in names else docno
        if version is not None and docno in (version, key):
            rows.setdefault(version, score)  # The file may have a key and its version: the better score counts.
    return TrecList(np.array([*rows], dtype=object), np.array([*rows.values()], dtype=np.float64))


@lru_cache(maxsize=4)
def _names(laws: LawTable, build: str) -> frozenset[str]:
    """Return the docnos of a build of a table, and the keys of its provisions."""
    docnos = laws.docnos.tolist()
    return frozenset((*docnos, *map(provision_key, docnos)))


@lru_cache(maxsize=4)
def _unknown(path: Path, sha256: str, laws: LawTable, build: str) -> str:
    """Count the documents of a run that the collection does not have; an empty string if it has all."""
    documents = dict.fromkeys(docno for hit in _lists_of(path, sha256).values() for docno in hit.docno.tolist())
    names = _names(laws, build)
    unknown = [docno for docno in documents if docno not in names]
    about = f"{len(unknown)} of {len(documents)} documents of {path.name}, such as {next(iter(unknown), '')!r}"
    return f"{about}, are not in the collection; they stay in the lists" if unknown else ""


@parameters_of(StoredRun, without=["laws"])
def run(collection: Collection, **params: Any) -> StoredRun:
    """Return the lists of a stored TREC run: ``run(path="bm25.trec") % 100 >> sar(normalize="minmax")``."""
    return StoredRun(laws=LawTable.of(collection), **params)
