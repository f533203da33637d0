"""The ways in which components that work on frames are spoiled, one for each check that needs more than a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from right_components import Overlap
from spoiled import Factory, Spoiled, by, changed, with_signature

from legalir.frames.ranking import rank_results
from legalir.testing.data import QUERIES


class Duck:
    """Does all that a transformer does, and is none."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def transform(self, inp: pd.DataFrame) -> Any:
        return self.inner.transform(inp)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duck) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    def __repr__(self) -> str:
        return f"Duck({self.inner!r})"


def no_transformer(factory: Factory) -> Factory:
    return with_signature(lambda *args, **params: Duck(factory(*args, **params)), factory)


class Lying(Spoiled):
    """Declares a column that it does not give."""

    def transform_outputs(self, columns: list[str]) -> list[str]:
        return [*self.right(pd.DataFrame(columns=columns)).columns, "more"]


class Honest(Spoiled):
    """Declares the columns of the right component, whatever it gives for an empty frame."""

    def transform_outputs(self, columns: list[str]) -> list[str]:
        return list(self.right(pd.DataFrame(columns=columns)).columns)


class Cutting(Spoiled):
    """Cuts itself where PyTerrier compiles a cut, and too early."""

    def fuse_rank_cutoff(self, k: int) -> Any:
        return Spoiled(self.inner, lambda self, inp: pt.RankCutoff(k - 1)(self.right(inp)), self.collection)


def fewer_columns_when_empty(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    out = self.right(inp)
    return out if len(inp) else out.drop(columns=[out.columns[-1]])


def other_types_when_empty(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    out = self.right(inp)
    return out if len(inp) else out.astype({"score": object})


def writing(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    out = self.right(inp)
    inp["query"] = "written"
    return out


def labelling(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    out = self.right(inp)
    inp.index = inp.index + 1
    return out


def float_ids(out: pd.DataFrame) -> pd.DataFrame:
    numbers = len(out) > 0 and not out["qid"].str.startswith("q").any()
    return out.assign(qid=[float(qid) for qid in out["qid"]]) if numbers else out


def turned_ties(out: pd.DataFrame) -> pd.DataFrame:
    ordered = out.sort_values(["score", "docno"], ascending=False).sort_values("qid", kind="stable")
    return ordered.assign(rank=ordered.groupby("qid").cumcount())


def last_again(out: pd.DataFrame) -> pd.DataFrame:
    return _and_another(out, {})


def of_another_day(out: pd.DataFrame) -> pd.DataFrame:
    """Return, over versions, the one that is not in force of each provision."""
    if "as_of" not in out:
        return out
    keys = [docno.partition("@")[0] for docno in out["docno"]]
    wrong = ["2001-01-01" if day >= "2011-01-01" else "2011-01-01" for day in out["as_of"]]
    other = out.assign(docno=[f"{key}@{day}" for key, day in zip(keys, wrong, strict=True)])
    return rank_results(other.drop_duplicates(["qid", "docno"]))


def answers_of_another_day(out: pd.DataFrame) -> pd.DataFrame:
    """Return, over versions, answers from the version that is not in force of each provision."""
    if "as_of" not in out:
        return out
    wrong = ["2001-01-01" if day >= "2011-01-01" else "2011-01-01" for day in out["as_of"]]
    pairs = zip(out["context_docnos"], wrong, strict=True)
    given = [[f"{docno.partition('@')[0]}@{day}" for docno in docnos] for docnos, day in pairs]
    return out.assign(context_docnos=given)


def beyond_the_filter(out: pd.DataFrame) -> pd.DataFrame:
    """Return, for questions with a filter, only a provision that does not pass."""
    if "where" not in out:
        return out
    return rank_results(out.assign(docno="ferry-1").drop_duplicates(["qid", "docno"]))


def answers_beyond_the_filter(out: pd.DataFrame) -> pd.DataFrame:
    return out.assign(context_docnos=[["ferry-1"]] * len(out)) if "where" in out else out


def unknown_document(out: pd.DataFrame) -> pd.DataFrame:
    return _and_another(out, {"docno": "zzz-1"})


def _and_another(out: pd.DataFrame, other: dict[str, str]) -> pd.DataFrame:
    """Return `out` with the last row of longer lists again at the next rank."""
    last = out[out["rank"] == out.groupby("qid")["rank"].transform("max")]
    last = last[last["rank"] > 2]
    return rank_results(pd.concat([out, last.assign(**other)], ignore_index=True)) if len(last) else out


def infinite(out: pd.DataFrame) -> pd.DataFrame:
    return out.assign(score=out["score"].where(out["rank"] > 0, np.inf))


def seen_before(self: Spoiled, inp: pd.DataFrame) -> bool:
    key = (*inp["qid"], *inp["query"], *inp.index, *inp.get("docno", []))
    known = key in self.memory
    self.memory.add(key)
    return known


def second_of_a_collection(factory: Factory) -> Factory:

    def spoiled(collection: Any, *pipelines: Any, **params: Any) -> Spoiled:
        number = collection.made = getattr(collection, "made", 0) + 1
        inner = factory(collection, *pipelines, **params)
        return Spoiled(inner, lambda self, inp: changed(self.right(inp)) if number > 1 else self.right(inp), collection)

    return with_signature(spoiled, factory)


def reading_badly(factory: Factory) -> Factory:
    """Return a mutant that is right on the collection for which it writes its index, and wrong when it reads it."""

    def spoiled(collection: Any, *pipelines: Any, **params: Any) -> Spoiled:
        path = collection.cache / f"own-index-{collection.source.folder.root.name}"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            collection.writes = True
        inner = factory(collection, *pipelines, **params)
        wrong = not hasattr(collection, "writes")
        return Spoiled(inner, lambda self, inp: changed(self.right(inp)) if wrong else self.right(inp), collection)

    return with_signature(spoiled, factory)


class Unequal(Spoiled):
    """Is equal to itself alone."""

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


class Nameless(Spoiled):
    """Has an address in its representation."""

    __repr__ = object.__repr__


class Stuck(Spoiled):
    """Keeps what its first run made of `num_results`."""

    @property
    def num_results(self) -> Any:
        return vars(self).get("shown", self.inner.num_results)

    @num_results.setter
    def num_results(self, value: Any) -> None:
        self.set(value)

    def set(self, value: Any) -> None:
        self.inner._changed(num_results=value)
        vars(self)["shown"] = value


class Unchecked(Stuck):
    """Takes any value for `num_results`."""

    def set(self, value: Any) -> None:
        vars(self.inner)["num_results"] = value


class Halfway(Stuck):
    """Has a new value of `num_results` when it refuses it."""

    def set(self, value: Any) -> None:
        vars(self.inner)["num_results"] = value
        self.inner._changed(num_results=value)


class Unpickled(Spoiled):
    """Cannot be pickled after a run."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.memory.add("run")
        return super().transform(inp)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.memory:
            raise TypeError("cannot pickle an open file")
        return super().__reduce__()


class Copied(Spoiled):
    """Knows whether it was pickled."""

    copied = False

    def __reduce__(self) -> tuple[Any, ...]:
        return *super().__reduce__(), {"copied": True}


class Forgetful(Copied):
    """Is another component when it was pickled."""

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "copied": self.copied}


def other_if_copied(self: Any, inp: pd.DataFrame) -> pd.DataFrame:
    out = self.right(inp)
    return changed(out) if self.copied and len(inp) else out


def as_it_is(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    return self.right(inp)


def texts(self: Spoiled) -> list[str]:
    return [doc.default_text() for doc in self.collection.docs()]


class Untitled(Overlap):
    """Searches the texts without the titles."""

    def indexed(self, doc: Any) -> str:
        return str(doc.text)


def without_titles(factory: Factory) -> Factory:
    def spoiled(collection: Any, **params: Any) -> Any:
        return Untitled(collection, **params)

    return with_signature(spoiled, factory)


def composed(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)


def needs_left(factory: Factory) -> Factory:
    def spoiled(collection: Any, *, left: Any, **params: Any) -> Any:
        left.transform  # noqa: B018
        return factory(collection, **params)

    return spoiled


def keeps_all(factory: Factory) -> Factory:
    # Another default than that of the component, so that set-parameters does not take the two for one.
    def spoiled(collection: Any, *pipelines: Any, num_results: int = 999) -> Any:
        return factory(collection, *pipelines)

    return spoiled


def of_branches(condition: Callable[[list[pd.DataFrame]], bool]) -> Callable[[Factory], Factory]:
    """Return a fuser that raises where `condition` holds of what its pipelines found."""

    def how(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
        if len(inp) == len(QUERIES) and condition([one.transform(inp.copy()) for one in self.inner.pipelines]):
            raise ValueError("cannot cope")
        return self.right(inp)

    return by(how)


def of_the_first_document(self: Spoiled, inp: pd.DataFrame) -> pd.DataFrame:
    """Return the output with all columns of the first row of each question in the input."""
    out = self.right(inp)
    if "docno" not in inp or "heading" not in inp:
        return out
    first = inp.drop_duplicates("qid").set_index("qid")
    columns = [name for name in inp if name not in ("qid", "query", "docno", "score", "rank")]
    return out.assign(**{name: out["qid"].map(first[name]) for name in columns})


def document_of_nobody(out: pd.DataFrame) -> pd.DataFrame:
    """Return `out` with a document of the collection that no pipeline finds for a question in English."""
    rows = out[out["qid"] == "q3"]
    if len(rows) <= 2 or "heading" in out:  # document-columns reports a row with the heading of another.
        return out
    last = rows.iloc[:1].assign(docno="raft-2", score=0.5)
    return rank_results(pd.concat([out, last], ignore_index=True))
