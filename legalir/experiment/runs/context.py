"""The words of an experiment: questions, provisions and titles, which a report shows besides figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir.experiment.runs.files import has_answers
from legalir.storage.validity import provision_key

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

TOP = 5
"""Number of first results of each query whose titles are stored."""

LONGEST = 6_000
"""Number of characters that are stored of a cited provision."""

ITEM_COLUMNS = ("options", "key", "abstain", "documents", "answer", "explanation")
"""Columns of questions that a report shows or needs, where a dataset has them."""


@dataclass(frozen=True)
class Context:
    """The words of an experiment.

    Attributes:
        queries: text by qid, in the order of the topics.
        gold: relevant docnos by qid with their grade, best first.
        titles: title by docno, of gold provisions, of each system's first results, and of what answers cite.
        texts: text by docno, of provisions that answers cite; at most 6 000 characters of each.
        items: by qid the columns :data:`ITEM_COLUMNS` that are not empty, such as the options of a multiple-choice item
            and the reference answer of a question.
        lengths: characters by docno, of the provisions that answers were made from.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)


def collect_context(
    collection: Collection, runs: Iterable[pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> Context:
    """Collect the queries, their gold provisions, and titles of those, of the first results in `runs` and of citations.

    A citation of something that is not in the collection has no title.
    """
    gold: dict[str, dict[str, int]] = {qid: {} for qid in topics["qid"]}
    relevant = qrels[qrels["label"] > 0].sort_values(["label", "docno"], ascending=[False, True])
    for qid, docno, label in zip(relevant["qid"], relevant["docno"], relevant["label"], strict=True):
        gold[qid][docno] = int(label)
    shown = dict.fromkeys(relevant["docno"])
    if collection.dated:
        runs = list(runs)
        gold = _retrieved_versions(gold, runs)
        shown = dict.fromkeys(docno for labels in gold.values() for docno in labels)
    cited: dict[str, None] = {}
    given: dict[str, None] = {}
    for run in runs:
        if has_answers(run):
            cited |= dict.fromkeys(docno for docnos in run.get("citations", ()) for docno in docnos)
            given |= dict.fromkeys(docno for docnos in run.get("context_docnos", ()) for docno in docnos)
            shown |= dict.fromkeys(docno for docnos in run.get("context_docnos", ()) for docno in docnos[:TOP])
        else:
            shown |= dict.fromkeys(run.loc[run["rank"] < TOP, "docno"])
    titles, texts, lengths = {}, {}, {}
    for docno, provision in collection.provisions(list(shown | cited | given)).items():
        if docno in given:
            lengths[docno] = len(provision.title) + len(provision.text)
        if docno not in shown and docno not in cited:
            continue
        title = provision.title or " ".join(provision.text.split())[:80]
        titles[docno] = " ".join(title.split())
        if docno in cited:
            texts[docno] = provision.text[:LONGEST] + ("…" if len(provision.text) > LONGEST else "")
    queries = dict(zip(topics["qid"], topics["query"].astype(str), strict=True))
    return Context(queries, gold, titles, texts, _items(topics), lengths)


def _retrieved_versions(gold: dict[str, dict[str, int]], runs: Iterable[pd.DataFrame]) -> dict[str, dict[str, int]]:
    """Return judgements in which a key has become the versions of it that runs have for the question."""
    versions: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        if "docno" in run.columns:
            for qid, docno in zip(run["qid"], run["docno"], strict=True):
                versions.setdefault((qid, provision_key(docno)), {})[docno] = None
    return {
        qid: {docno: label for name, label in labels.items() for docno in versions.get((qid, name), (name,))}
        for qid, labels in gold.items()
    }


def _items(topics: pd.DataFrame) -> dict[str, dict[str, Any]]:
    there = ["qid", *(name for name in ITEM_COLUMNS if name in topics.columns)]
    rows = topics[there].to_dict(orient="records")
    items = {str(row.pop("qid")): {str(name): _plain(value) for name, value in row.items()} for row in rows}
    items = {qid: {name: value for name, value in item.items() if value is not None} for qid, item in items.items()}
    return {qid: item for qid, item in items.items() if item}


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it; None for an empty one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, float) and (math.isnan(value) or value.is_integer()):
        value = None if math.isnan(value) else int(value)
    return None if value in ("", []) else value
