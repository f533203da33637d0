"""The words of an experiment: queries, gold provisions and titles, which a report shows besides figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from legalir.experiment.runs.files import has_answers

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

TOP = 5
"""Number of first results of each query whose titles are stored."""


@dataclass(frozen=True)
class Context:
    """The words of an experiment.

    Attributes:
        queries: text by qid, in the order of the topics.
        gold: relevant docnos by qid with their grade, best first.
        titles: title by docno, of gold provisions and of each system's first results.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)


def collect_context(
    collection: Collection, runs: Iterable[pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> Context:
    """Collect the queries, their gold provisions, and titles of those and of the first results in `runs`."""
    gold: dict[str, dict[str, int]] = {qid: {} for qid in topics["qid"]}
    relevant = qrels[qrels["label"] > 0].sort_values(["label", "docno"], ascending=[False, True])
    for qid, docno, label in zip(relevant["qid"], relevant["docno"], relevant["label"], strict=True):
        gold[qid][docno] = int(label)
    shown = dict.fromkeys(relevant["docno"])
    for run in runs:
        if not has_answers(run):
            shown |= dict.fromkeys(run.loc[run["rank"] < TOP, "docno"])
    titles = {}
    for docno, provision in collection.provisions(list(shown)).items():
        title = provision.title or " ".join(provision.text.split())[:80]
        titles[docno] = " ".join(title.split())
    return Context(dict(zip(topics["qid"], topics["query"].astype(str), strict=True)), gold, titles)
