"""Judgements and links that point to nothing: counted and reported, never dropped in silence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from legalir.datasets.readers import read_links, read_qrels, read_queries
from legalir.errors import DataError

if TYPE_CHECKING:
    from legalir.datasets.dataset import StatuteDataset

__all__ = ["Dangling", "count_dangling", "report_once"]

_reported: set[tuple[Path, str | None]] = set()


class Dangling(NamedTuple):
    """Counts of what points to nothing, each with the first identifiers that are unknown."""

    judged_provisions: int
    judged_queries: int
    links: int
    examples: dict[str, list[str]]

    def sentences(self) -> Iterator[str]:
        """Yield one clause for each count that is not zero."""
        texts = {
            "judged_provisions": "judgement(s) name a provision that the corpus does not have",
            "judged_queries": "judged quer(y/ies) are in no query file",
            "links": "link(s) have an end that the corpus does not have",
        }
        for name, text in texts.items():
            count = getattr(self, name)
            if count:
                yield f"{count} {text} ({', '.join(self.examples[name])}{', …' if count > 3 else ''})"


def count_dangling(dataset: StatuteDataset) -> Dangling:
    """Count what points to nothing in a collection or split; reads the whole corpus if nobody has yet."""
    docnos, folder = dataset.docnos(), dataset.folder
    qrels, queries = folder.qrels_of(dataset.split), folder.queries_of(dataset.split)
    judgements = [] if qrels is None else list(read_qrels(qrels))
    asked = set() if queries is None else {str(row["qid"]) for row in read_queries(queries, dataset.about.query_field)}
    unknown = [row.docno for row in judgements if row.docno not in docnos]
    unasked = [qid for qid in dict.fromkeys(row.qid for row in judgements) if qid not in asked]
    links: list[str] = []
    if folder.links is not None:
        for source, target, _ in read_links(folder.links):
            if source not in docnos or target not in docnos:
                links.append(target if source in docnos else source)
    examples = {"judged_provisions": unknown[:3], "judged_queries": unasked[:3], "links": links[:3]}
    return Dangling(len(unknown), len(unasked), len(links), examples)


def report_once(dataset: StatuteDataset) -> None:
    """Log what points to nothing, once a process for each collection or split."""
    key = (dataset.folder.root, dataset.split)
    if key in _reported:
        return
    _reported.add(key)
    try:
        counts = count_dangling(dataset)
    except DataError:
        return  # the faulty file raises the same error where it is asked for
    for sentence in counts.sentences():
        logging.getLogger("legalir").warning("%s: %s.", dataset.id, sentence)
