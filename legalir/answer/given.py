"""Provisions without a search: the judged provisions, or all provisions of a collection or of some of its laws.

They are baselines of generators: an answer from the right provisions, and an answer from everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge

from legalir.answer.contexts import report_left_out
from legalir.contract import factory_of
from legalir.datasets.dataset import StatuteDataset
from legalir.errors import ComponentError, suggestion
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import drop_results, require_texts
from legalir.frames.ranking import Hits, RankedLists, hit_lists
from legalir.frames.retriever import Retriever
from legalir.frames.where import wheres
from legalir.graph.laws import LawTable
from legalir.llm.chat import estimated_tokens
from legalir.rewrite.rewriter import composed, original_questions
from legalir.storage.validity import versions_in_force

Slice = Literal["all", "first", "second"]
_SLICES: dict[Slice, slice] = {"all": slice(None), "first": slice(1), "second": slice(1, 2)}


def in_order(n: int) -> npt.NDArray[np.float64]:
    """Return scores for n provisions that are in their order already: ``1 − p/n`` for place p, from 0; [n]."""
    return 1 - np.arange(n) / max(n, 1)


class _Given(Retriever):
    """Retriever whose lists follow from the collection, not from the words of the question.

    A subclass defines in :meth:`_docnos` which provisions a question gets; this class makes the frames.
    """

    label = ""
    _: KW_ONLY
    versions: Annotated[
        LawTable | None,
        "the documents of the collection, for days and filters; None for a collection without versions",
    ] = None

    def _docnos(self, qid: str, question: str, law: Mapping[str, str] | None) -> Sequence[str]:
        """Return the provisions for a question, best first.

        Args:
            qid: id of the question.
            question: the original question, in NFC.
            law: the provisions that may be found, by key; None for all.
        """
        raise NotImplementedError

    def _laws(self, queries: pd.DataFrame) -> list[Mapping[str, str] | None]:
        """Return the provisions that each query may find, by key; None for all."""
        if self.versions is not None:
            return self.versions.in_force(queries)
        if any(wheres(queries)):
            raise ComponentError(f"{self.label}: a filter needs the provisions' laws: give versions=LawTable.of(…).")
        return [None] * len(queries)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the provisions of each question.

        Raises:
            ComponentError: a query is not a string.
        """
        require_texts(queries, self.label)
        asked = zip(queries["qid"], original_questions(queries), self._laws(queries), strict=True)
        lists = [self._docnos(*one) for one in asked]
        numbers = {docno: number for number, docno in enumerate(dict.fromkeys(one for each in lists for one in each))}
        hits: list[Hits] = [(np.array([numbers[one] for one in each], np.int64), in_order(len(each))) for each in lists]
        return hit_lists(queries, hits, np.array([*numbers], dtype=object))

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the place of each of `docnos` in the list."""
        queries = drop_results(inp).head(1)
        given = self._docnos(queries["qid"].iloc[0], original_questions(queries)[0], self._laws(queries)[0])
        score = dict(zip(given, in_order(len(given)).tolist(), strict=True))
        explanations = {}
        for place, docno in enumerate(given, start=1):
            if docno in set(docnos):
                part = Part(f"{self._says(docno)}, place {place} of {len(given)}", score[docno])
                explanations[docno] = Explanation(docno, score[docno], self.label, (part,), "1 − (place − 1)/n")
        return explanations

    def _says(self, docno: str) -> str:
        """Return the reason why a provision is in the list."""
        raise NotImplementedError


class Golden(_Given):
    """Retriever that returns the judged provisions of each question of a collection: an upper bound, not a search.

    A question belongs to the collection if a topic of its split has the same qid and original text; any other
    has no results. Provisions with a label of at least 1 are returned: first the provisions in the topic's
    column ``documents``, in that order; then by label, the highest first, then by docno.

    Columns in: ``qid, query``; results are refused. Columns out: the query columns, then ``docno, score, rank``. The
    score of place p of n, from 0, is ``1 − p/n``.

    Source: the golden context of [nitibench]; the contexts of [sar]: ``golden`` is full,
    ``golden(documents="first")`` is partial.

    Raises:
        ComponentError: `documents` is something else, or the dataset has no questions with judgements.
    """

    name = label = "golden"

    dataset: Annotated[StatuteDataset, "the questions, judgements and provisions"]
    documents: Annotated[Slice, "all provisions of a question, only the first, or only the second"] = "all"

    def __post_init__(self) -> None:
        if not (self.dataset.has_topics() and self.dataset.has_judgements()):
            splits = [f"{self.dataset.base_id}/{split}" for split in self.dataset.splits]
            there = f": use one of {', '.join(splits)}" if splits else ": add queries.jsonl and qrels.txt"
            raise ComponentError(f"golden: {self.dataset.id} has no questions with judgements of its own{there}.")

    @property
    def fingerprint(self) -> str:
        """Digest of the questions and judgements."""
        return self.dataset.topics_fingerprint()

    def _docnos(self, qid: str, question: str, law: Mapping[str, str] | None) -> Sequence[str]:
        text, docnos = self._judged.get(qid, ("", ()))
        if law is not None:
            docnos = tuple(versions_in_force(docnos, law))
        return docnos[_SLICES[self.documents]] if text == question else ()

    @cached_property
    def _judged(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Text and judged provisions of each topic, by qid."""
        labels: dict[str, dict[str, int]] = defaultdict(dict)
        for qid, docno, label in self.dataset.judgements():
            if label >= 1:
                labels[qid][docno] = label
        # A judgement of a provision that is not there was reported when the corpus was read.
        named = {docno: None for judged in labels.values() for docno in judged}
        there: Container[str] = named if self.dataset.dated else self.dataset.provisions(named)
        judged = {}
        for row in self.dataset.queries():
            qid = str(row["qid"])
            of = {docno: label for docno, label in labels[qid].items() if docno in there}
            judged[qid] = composed(row["query"]), tuple(_in_order_of_worth(of, row.get("documents")))
        return judged

    def _says(self, docno: str) -> str:
        return "judged relevant"


def _in_order_of_worth(labels: Mapping[str, int], documents: object) -> list[str]:
    """Return judged provisions: first `documents` in order, then by label descending, then by docno."""
    named = [one for one in documents if one in labels] if isinstance(documents, list | tuple) else []
    place = {docno: number for number, docno in reversed(list(enumerate(named)))}
    return sorted(labels, key=lambda docno: (place.get(docno, len(named)), -labels[docno], docno))


class FullContext(_Given):
    """Retriever that returns all provisions of a collection, or of some of its laws, in the order of the corpus.

    The provisions at the end that exceed `max_tokens` are left out whole; a message counts them. A question without a
    letter or digit has no results.

    Columns in: ``qid, query``; results are refused. Columns out: the query columns, then ``docno, score, rank``. The
    score of place p of n, from 0, is ``1 − p/n``.

    Source: the long context of [nitibench].
    """

    name = label = "full_context"

    dataset: Annotated[StatuteDataset, "the provisions"]
    laws: Annotated[
        Sequence[str] | None,
        "names of laws, as in the field ``law`` of the provisions; None for all provisions",
    ] = None
    max_tokens: Annotated[
        int,
        Ge(1),
        "tokens of title and text of all provisions, estimated as a third of their UTF-8 bytes "
        "(:func:`~legalir.llm.chat.estimated_tokens`)",
    ] = 100000

    def __post_init__(self) -> None:
        if self.laws is not None and not (
            isinstance(self.laws, list | tuple) and self.laws and all(isinstance(law, str) for law in self.laws)
        ):
            raise ComponentError(f"full_context: laws={self.laws!r} is not a list of names of laws.")

    def _docnos(self, qid: str, question: str, law: Mapping[str, str] | None) -> Sequence[str]:
        if not any(map(str.isalnum, question)):
            return ()
        return self._fitting if law is None else self._that_fit(set(law.values()))

    @cached_property
    def _fitting(self) -> tuple[str, ...]:
        """The provisions that fit."""
        return self._that_fit(None)

    def _that_fit(self, of: Container[str] | None) -> tuple[str, ...]:
        """Return the provisions that fit, of some of them; None for all."""
        fitting: list[str] = []
        chosen, left = 0, self.max_tokens
        for docno, tokens in self._tokens:
            if of is None or docno in of:
                chosen += 1
                left -= tokens
                if left >= 0:
                    fitting.append(docno)
        report_left_out("full_context", chosen, len(fitting))
        return tuple(fitting)

    @cached_property
    def _tokens(self) -> list[tuple[str, int]]:
        """Docno and estimated tokens of each provision of the laws.

        Raises:
            ComponentError: a law is unknown.
        """
        return list(self._chosen())

    def _chosen(self) -> Iterator[tuple[str, int]]:
        """Yield docno and estimated tokens of each provision of the laws."""
        wanted = None if self.laws is None else {_name(law) for law in self.laws}
        names: dict[str, str] = {}
        for provision in self.dataset.docs():
            names.setdefault(_name(provision.law), provision.law)
            if wanted is None or _name(provision.law) in wanted:
                yield provision.doc_id, estimated_tokens(composed(provision.default_text()))
        names.pop("", None)
        for law in self.laws or ():
            if _name(law) not in names:
                hint = suggestion(law, names.values()) or f" Its laws: {', '.join([*names.values()][:10]) or 'none'}."
                raise ComponentError(f"full_context: {self.dataset.id} has no law {law!r}.{hint}")

    def _says(self, docno: str) -> str:
        return "every provision is given"


def _name(law: str) -> str:
    """Return the name of a law in one form: NFC, single spaces."""
    return " ".join(composed(law).split())


golden = factory_of(
    Golden,
    "Return the judged provisions of each question, as a baseline: ``golden >> quote``.",
    dataset=lambda collection: collection.source,
    versions=LawTable.of,
)
full_context = factory_of(
    FullContext,
    'Return all provisions, as a baseline: ``full_context(laws=["…"], max_tokens=100000) >> quote``.',
    dataset=lambda collection: collection.source,
    versions=LawTable.of,
)
