"""What one check works with: an invented collection in a folder of its own, and components made over it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir.testing.data import DOCNOS, LINKS, PROVISIONS, QUERIES
from legalir.testing.subject import FIRST_STAGE, Subject, pipeline_of

if TYPE_CHECKING:
    import pyterrier as pt

    from legalir.collection.collection import Collection

__all__ = ["Ran", "Trial", "asked"]


def asked(*texts: str) -> pd.DataFrame:
    """Return a query frame with these questions."""
    return pd.DataFrame({"qid": [f"q{number}" for number in range(len(texts))], "query": list(texts)})


@dataclass(frozen=True)
class Ran:
    """A component, what it was given, and what it made of it."""

    collection: Collection
    component: Any
    inp: pd.DataFrame
    out: pd.DataFrame


@dataclass(frozen=True)
class Trial:
    """The workplace of one check.

    Attributes:
        subject: what is checked.
        folder: an empty folder that is removed afterwards.
    """

    subject: Subject
    folder: Path

    @property
    def queries(self) -> pd.DataFrame:
        """The questions: ``qid, query``, each of which finds something."""
        return QUERIES

    @property
    def docnos(self) -> frozenset[str]:
        """The docnos of the collection."""
        return DOCNOS

    def collection(
        self,
        provisions: Sequence[Mapping[str, str]] = PROVISIONS,
        links: Sequence[tuple[str, str, str]] = LINKS,
        name: str = "statutes",
    ) -> Collection:
        """Return a collection of these provisions; another object, over the same cache, each time."""
        from legalir.collection.collection import Collection

        folder = self.folder / name
        if not folder.exists():
            folder.mkdir(parents=True)
            lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in provisions)
            (folder / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
            (folder / "links.tsv").write_text("".join("\t".join(one) + "\n" for one in links), encoding="utf-8")
        return Collection(folder, cache=self.folder / "cache")

    @property
    def upstream(self) -> str:
        """The expression whose output the component is given; empty where it is given questions."""
        if self.subject.upstream is not None:
            return self.subject.upstream
        return FIRST_STAGE if self.subject.role in ("expander", "reranker", "generator") else ""

    def left(self, collection: Collection) -> pt.Transformer | None:
        """Return the pipeline on the component's left."""
        return pipeline_of(collection, self.upstream) if self.upstream else None

    def component(self, collection: Collection, **changed: object) -> Any:
        """Return a new component over `collection`, with some parameters `changed`."""
        return self.subject.make(collection, self.left(collection), None, **changed)

    def takes_results(self, component: Any) -> bool:
        """Say whether the component is to be given results: not so a retriever, or what rewrites questions."""
        if not self.upstream:
            return False
        if self.subject.role != "expander" or self.subject.upstream is not None:
            return True
        try:
            out = component.transform(self.queries.iloc[:0].copy())
        # Whatever it raises: it wants more than questions.
        except Exception:
            return True
        return "docno" in out.columns

    def input(self, collection: Collection, component: Any, queries: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return what the component is given for `queries`, or the trial's: those, or their results upstream."""
        queries = self.queries if queries is None else queries
        if not self.takes_results(component):
            return queries.copy()
        left = self.left(collection)
        assert left is not None
        results: pd.DataFrame = left.transform(queries.copy())
        return results

    def input_saying(self, collection: Collection, component: Any, *texts: str) -> pd.DataFrame:
        """Return what the component is given for `texts`; of results, those of a usual question."""
        queries = asked(*texts)
        if not self.takes_results(component):
            return queries
        usual = self.input(collection, component, self.queries.iloc[:1])
        lists = [usual.assign(qid=qid, query=text) for qid, text in zip(queries["qid"], texts, strict=True)]
        return pd.concat(lists, ignore_index=True)

    def ran(self, queries: pd.DataFrame | None = None) -> Ran:
        """Make a component over a new collection and give it `queries`, or the trial's."""
        collection = self.collection()
        component = self.component(collection)
        inp = self.input(collection, component, queries)
        return Ran(collection, component, inp, component.transform(inp.copy()))
