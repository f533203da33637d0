"""What a report shows besides figures: queries, gold provisions and titles, kept with the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from legalir.collection import Collection

__all__ = ["TOP", "Context", "collect_context"]

TOP = 5
"""Results a system whose titles are kept."""


@dataclass(frozen=True)
class Context:
    """The words of an experiment.

    Attributes:
        queries: text by qid, in the order of the topics.
        gold: relevant docnos by qid with their grade, best first.
        titles: title by docno, of what is gold or among the first results of a system.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Mapping[str, object]]) -> Context:
        """Return the context that :meth:`as_dict` gave."""
        return cls(**value)  # type: ignore[arg-type]


def collect_context(
    collection: Collection, runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> Context:
    """Gather the queries, their gold provisions, and titles for those and for each system's first results."""
    gold: dict[str, dict[str, int]] = {qid: {} for qid in topics["qid"]}
    relevant = qrels[qrels["label"] > 0].sort_values(["label", "docno"], ascending=[False, True])
    for qid, docno, label in zip(relevant["qid"], relevant["docno"], relevant["label"], strict=True):
        gold[qid][docno] = int(label)
    shown = dict.fromkeys(relevant["docno"])
    for run in runs.values():
        shown |= dict.fromkeys(run.loc[run["rank"] < TOP, "docno"])
    return Context(
        queries=dict(zip(topics["qid"], topics["query"].astype(str), strict=True)),
        gold=gold,
        titles=_titles(collection, shown),
    )


def _titles(collection: Collection, docnos: Iterable[str]) -> dict[str, str]:
    titles = {}
    for docno, provision in collection.provisions(list(docnos)).items():
        title = provision.title or " ".join(provision.text.split())[:80]
        titles[docno] = " ".join(title.split())
    return titles
