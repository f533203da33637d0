"""Checks of components that work on frames, from retrievers to judges: common checks, and checks of each role."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pyterrier.validate import InputValidationError

from legalir.errors import LegalIRError, shown
from legalir.frames.columns import empty_like
from legalir.frames.component import Component
from legalir.testing import data
from legalir.testing.checks import Failed, NotApplicable, checks_of, construction, difference, equal, first_use
from legalir.testing.frame_checks import (
    FRAME_CHECKS,
    INVARIANCE_CHECKS,
    RESULT_CHECKS,
    UNUSUAL_CHECKS,
    as_of,
    check_column,
    has_finite_scores,
    where,
    without_left,
)
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Pipeline, Sandbox, pipeline_of


def composed_documents(sandbox: Sandbox) -> None:
    """A search over documents in NFD gives the same results as over documents in NFC."""
    run = sandbox.usual
    decomposed = [
        {key: unicodedata.normalize("NFD", text) if key in ("title", "text") else text for key, text in row.items()}
        for row in data.PROVISIONS
    ]
    out = sandbox.make(sandbox.collection(decomposed, name="decomposed")).transform(run.inp.copy())
    if (fault := difference(run.out, out)) is not None:
        raise Failed(f"over documents in NFD, {fault}: first call unicodedata.normalize('NFC', text).")


_WORD = "windlass"
"""A word that no other provision of the kit has."""


def titles(sandbox: Sandbox) -> None:
    """A provision is found by a word of its title, like by a word of its text."""
    if not _tells_apart(sandbox, "words", title="", text=f"A rope is wound by hand on a {_WORD}"):
        raise NotApplicable("a word of its text does not distinguish a provision from another")
    if not _tells_apart(sandbox, "titles", title=_WORD, text="A rope is wound by hand"):
        raise Failed(
            "a provision is found by a word of its text, and not by the same word in its title: index title, newline, "
            "text, which is document['indexed_text'] for an EngineIndex and provision.default_text() elsewhere."
        )


def _tells_apart(sandbox: Sandbox, name: str, **fields: str) -> bool:
    """Return True if a search for the word finds the provision with the word, scored differently from its twin."""
    twin = {key: value.replace(_WORD, "").strip() for key, value in fields.items()}
    rows = ({"docno": "rope-1", "law": "Rope Act", **fields}, {"docno": "rope-2", "law": "Winch Act", **twin})
    collection = sandbox.collection((*data.PROVISIONS, *rows), name=name)
    component = sandbox.make(collection)
    out = component.transform(sandbox.input_of_texts(collection, component, _WORD))
    scores = dict(zip(out["docno"], out["score"], strict=True))
    return "rope-1" in scores and scores["rope-1"] != scores.get("rope-2")


class _Nothing(Component):
    """A retriever without results."""

    def __init__(self) -> None:
        pass

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        return empty_like(inp)

    apply = empty


def one_pipeline(sandbox: Sandbox) -> None:
    """One pipeline can be fused, or is refused in a sentence."""
    _fuse(sandbox, data.BRANCHES[:1])


def three_pipelines(sandbox: Sandbox) -> None:
    """Three pipelines can be fused, or are refused in a sentence."""
    _fuse(sandbox, data.BRANCHES)


def _fuse(sandbox: Sandbox, branches: tuple[Pipeline, ...]) -> None:
    try:
        fuser = sandbox.under_test.make(sandbox.collection(), None, branches)
    except LegalIRError as error:
        raise NotApplicable(f"the factory refuses this number of pipelines: {error}") from None
    if fuser.transform(data.QUERIES.copy()).empty:
        raise Failed(f"{len(branches)} pipelines with results give none: take any number of pipelines.")


def empty_branch(sandbox: Sandbox) -> None:
    """A pipeline without results does not affect the rest; if no pipeline has results, the output is empty."""
    collection = sandbox.collection()
    count = len(sandbox.under_test.branches)

    def fuse(*branches: Any) -> pd.DataFrame:
        out: pd.DataFrame = sandbox.under_test.make(collection, None, branches).transform(data.QUERIES.copy())
        return out

    full = data.BRANCHES[0]
    usual = fuse(*[full] * count)
    for place in range(count if count > 1 else 0):
        out = fuse(*(_Nothing() if number == place else full for number in range(count)))
        if out.empty or (has_finite_scores(usual) and not has_finite_scores(out)):
            raise Failed(
                f"if pipeline {place + 1} has no results, those of the others are lost or have no finite score: "
                f"leave a pipeline without results out of the sum."
            )
    out = fuse(*(_Nothing() for _ in range(count)))
    if len(out) or list(out.columns) != list(usual.columns):
        raise Failed("if no pipeline has results, the output is not an empty result: return all columns and no rows.")


def documents_of_pipelines(sandbox: Sandbox) -> None:
    """Each document of the output is in the results of a pipeline for the same question."""
    run = sandbox.usual
    candidates: set[tuple[str, str]] = set()
    for one in sandbox.under_test.branches:
        results = pipeline_of(run.collection, one).transform(run.inp.copy())
        candidates |= set(zip(results["qid"], results["docno"], strict=True))
    known = sandbox.docnos
    for qid, docno in zip(run.out["qid"], run.out["docno"], strict=True):
        # known-documents reports a document that the collection lacks.
        if docno in known and (qid, docno) not in candidates:
            raise Failed(f"{docno!r} is in the output for {qid!r} and in no pipeline's: add no documents.")


def rewritten_queries(sandbox: Sandbox) -> None:
    """A component that rewrites questions gives each of them once, as a string."""
    run = sandbox.usual
    if "docno" in run.out:
        raise NotApplicable("it gives results, not questions")
    qids = run.inp["qid"].drop_duplicates().tolist()
    if run.out["qid"].tolist() != qids:
        raise Failed(f"{len(qids)} questions gave {len(run.out)} rows: return one row a question, in their order.")
    for qid, query in zip(run.out["qid"], run.out["query"], strict=True):
        if not isinstance(query, str):
            raise Failed(f"the rewritten question {qid!r} is {query!r}: make it a string.")


def same_documents(sandbox: Sandbox) -> None:
    """The output of a question has the documents of its input; a component that adds or drops announces a failure."""
    run = sandbox.usual
    for qid in run.inp["qid"].unique():
        before, after = (set(frame.loc[frame["qid"] == qid, "docno"]) for frame in (run.inp, run.out))
        # known-documents reports a document that the collection lacks.
        for docno in sorted((before ^ after) & sandbox.docnos):
            what = "lost" if docno in before else "added"
            raise Failed(
                f"{docno!r} was {what} for {qid!r}: return the documents of the input, or, if it is on purpose, give "
                f"the factory expected_failures = {{'same-documents': 'why'}}."
            )


def one_row(sandbox: Sandbox) -> None:
    """Each question has one row, in the order of first appearance."""
    run = sandbox.usual
    qids = run.inp["qid"].drop_duplicates().tolist()
    if run.out["qid"].tolist() != qids:
        raise Failed(
            f"the questions {', '.join(qids)} gave rows for {', '.join(map(str, run.out['qid'])) or 'none'}: "
            f"return one row a question, in the order of first appearance."
        )


def answers(sandbox: Sandbox) -> None:
    """The answer is a string in the column `qanswer`."""
    out = sandbox.usual.out
    if "qanswer" not in out:
        raise Failed(f"there is no column 'qanswer' among {', '.join(map(str, out.columns))}: put the answers there.")
    for qid, answer in zip(out["qid"], out["qanswer"], strict=True):
        if not isinstance(answer, str):
            raise Failed(f"the answer to {qid!r} is {answer!r}: give a string, an empty one for no answer.")


def no_result_columns(sandbox: Sandbox) -> None:
    """An answer has no columns of a single document."""
    out = sandbox.usual.out
    if left := [column for column in ("docno", "score", "rank") if column in out]:
        raise Failed(f"the output still has {', '.join(left)}: drop the columns of a single document.")


def same_answers(sandbox: Sandbox) -> None:
    """A judge does not change the columns of the answers."""
    run = sandbox.usual
    if missing := [column for column in run.inp if column not in run.out]:
        raise Failed(f"the column {missing[0]!r} is lost: add columns to those of the answers.")
    # one-row reports a question that is missing.
    inp = run.inp[run.inp["qid"].isin(run.out["qid"])]
    if (fault := difference(inp, run.out[list(run.inp)], exact=True)) is not None:
        raise Failed(f"{fault}: leave the answers as they are, and put verdicts into columns of their own.")


def verdicts(sandbox: Sandbox) -> None:
    """A verdict is a finite number, or NaN for none; further new columns are texts."""
    run = sandbox.usual
    new = [column for column in run.out if column not in run.inp]
    numbers = [column for column in new if run.out[column].dtype == np.float64]
    if not numbers:
        raise Failed("there is no new column of type float64: put the verdicts there.")
    for column in numbers:
        if np.isinf(run.out[column]).any():
            raise Failed(f"a verdict in {column!r} is infinite: give NaN for no verdict.")
    for column in new:
        if column not in numbers and not all(isinstance(value, str) for value in run.out[column]):
            raise Failed(f"{column!r} is neither float64 nor text: give numbers for verdicts, and texts for reasons.")


def document_columns(sandbox: Sandbox) -> None:
    """Given results, no row has a column of another document, and the columns of questions stay."""
    collection = sandbox.collection()
    component = sandbox.make(collection)
    limits: list[Any] = [{"k": [1]}] * len(sandbox.queries)
    asked = {"asked by": [f"user {qid}" for qid in sandbox.queries["qid"]], "limits": limits}
    inp = sandbox.input(collection, component, sandbox.queries.assign(**asked))
    if not sandbox.upstream:
        inp = pipeline_of(collection, data.FIRST_STAGE).transform(inp)
    if "docno" not in inp:
        raise NotApplicable("it gets questions, not results")
    number = pd.factorize(inp["docno"])[0].tolist()
    notes = {name: [note(*one) for one in zip(inp["docno"], number, strict=True)] for name, note in _NOTES.items()}
    try:
        out = component.transform(inp.assign(**notes))
    except (LegalIRError, InputValidationError) as error:
        if sandbox.upstream:
            raise
        raise NotApplicable(f"it refuses results: {error}") from None
    for name, values in asked.items():
        if name not in out:
            raise Failed(f"the column {name!r} of the questions is lost: {_COLUMNS_CURE}")
        check_column(out, name, sandbox.queries["qid"], pd.Series(values))
    for name in [name for name in notes if name in out]:
        if "docno" not in out:
            raise Failed(f"the column {name!r} of the documents is left without a document: {_COLUMNS_CURE}")
        own = dict(zip(inp["docno"], notes[name], strict=True))
        for docno, value in zip(out["docno"], out[name], strict=True):
            missing = pd.api.types.is_scalar(value) and pd.isna(value)
            # known-documents reports a document that the collection lacks.
            if not missing and docno in sandbox.docnos and not (docno in own and equal(value, own[docno])):
                raise Failed(f"{name!r} of {docno!r} became {shown(value)}: {_COLUMNS_CURE}")


_NOTES: dict[str, Callable[[str, int], Any]] = {
    "heading": lambda docno, number: f"heading of {docno}",
    "1. note": lambda docno, number: f"note on {docno}",
    "seen/on": lambda docno, number: pd.Timestamp("2030-01-01") + pd.Timedelta(days=number),
    "벡터": lambda docno, number: np.arange(3) + number,
    "tags": lambda docno, number: [docno, {"number": number}],
}
"""Value of a docno and its number, by the name of a column that belongs to documents."""

_COLUMNS_CURE = "take the columns of the questions from legalir.extend.drop_results, or keep whole rows."


_FIRST = (construction, first_use, *PROCESS_CHECKS, *FRAME_CHECKS)
_LAST = (*INVARIANCE_CHECKS, *UNUSUAL_CHECKS)

RETRIEVER = checks_of(*_FIRST, *RESULT_CHECKS, *_LAST, as_of, where, document_columns, composed_documents, titles)
"""Checks of a retriever: questions in, ranked documents out."""

FUSER = checks_of(
    *(*_FIRST, *RESULT_CHECKS, *_LAST, as_of, where, document_columns),
    *(one_pipeline, three_pipelines, empty_branch, documents_of_pipelines),
)
"""Checks of a fuser: the results of several pipelines become one."""

EXPANDER = checks_of(*_FIRST, without_left, *RESULT_CHECKS, *_LAST, as_of, where, document_columns, rewritten_queries)
"""Checks of an expander: it adds documents, or rewrites questions.

An expander that returns no ``docno`` for a frame of questions rewrites them, as does one that returns none for results.
The checks of results do not apply to it.
"""

RERANKER = checks_of(*_FIRST, without_left, *RESULT_CHECKS, *_LAST, as_of, where, document_columns, same_documents)
"""Checks of a reranker: ranked documents in, the same documents in another order out."""

GENERATOR = checks_of(
    *_FIRST, without_left, *_LAST, as_of, where, document_columns, one_row, answers, no_result_columns
)
"""Checks of a generator: ranked documents in, one answer a question out."""

JUDGE = checks_of(*_FIRST, without_left, *_LAST, one_row, same_answers, verdicts)
"""Checks of a judge: answers in, the same answers with verdicts out."""
