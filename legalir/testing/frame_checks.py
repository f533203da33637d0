"""Checks of each component that works on frames: columns, results, invariance, and unusual input."""

from __future__ import annotations

import pickle
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.collection.collection import Collection
from legalir.declared import Declared, fields
from legalir.errors import LegalIRError, describe
from legalir.frames.component import Component
from legalir.graph.laws import LawTable
from legalir.pipeline.builder import made_in_force
from legalir.storage.validity import day_of, iso_date
from legalir.testing.checks import Failed, Function, NotApplicable, difference, given
from legalir.testing.data import ODD_PROVISIONS, ODD_TEXTS, PROVISIONS, dated_provisions, long_text
from legalir.testing.sandbox import RunOutput, Sandbox

_COPY = "copy a frame before writing into it."
_EXTRA: dict[str, Any] = {"asked_on": ["2031-05-02", "", "2030-01-01", "2031-05-02"], "weight": [0.5, 1.5, 2.5, 3.5]}
_RESULT_COLUMNS = ("qid", "docno", "score", "rank")


def without_left(sandbox: Sandbox) -> None:
    """A factory with the parameter `left` works at the start of a pipeline, where it is None, or refuses it."""
    if not sandbox.under_test.takes_left:
        raise NotApplicable("the factory has no keyword-only parameter 'left'")
    try:
        sandbox.under_test.make(sandbox.collection(), None)
    except LegalIRError:  # The message says what it needs.
        return


# Columns and types.


def declared_columns(sandbox: Sandbox) -> None:
    """PyTerrier's inspection predicts the columns of the output."""
    run = sandbox.usual
    declared = pt.inspect.transformer_outputs(run.component, list(run.inp.columns))
    _same_columns(list(run.out.columns), list(declared or []), "inspection predicts")


def empty_frame(sandbox: Sandbox) -> None:
    """A frame without rows gives no rows, and the columns and types of a full one."""
    run = sandbox.run()
    out = run.component.transform(run.inp.iloc[:0].copy())
    if len(out):
        raise Failed(f"no rows gave {len(out)}: return an empty frame for an empty frame.")
    _same_columns(list(run.out.columns), list(out.columns), "an empty frame gives")
    for column in ("score", "rank"):
        if column in out and out[column].dtype != run.out[column].dtype:
            raise Failed(
                f"{column} is {out[column].dtype} in an empty frame and {run.out[column].dtype} in a full one: "
                f"give the column its type, as legalir.extend.empty_like does."
            )


def _same_columns(expected: list[str], actual: list[str], what: str) -> None:
    if expected != actual:
        raise Failed(
            f"{what} the columns {', '.join(map(str, actual)) or 'none'}, but the output has {', '.join(expected)}: "
            f"let both have the same columns in the same order."
        )


def input_unchanged(sandbox: Sandbox) -> None:
    """The input frame keeps its values, index, columns and types."""
    collection = sandbox.collection()
    component = sandbox.make(collection)
    inp = sandbox.input(collection, component)
    before = inp.copy(deep=True)
    component.transform(inp)
    if list(inp.columns) != list(before.columns):
        raise Failed(f"the input's columns became {', '.join(map(str, inp.columns))}: {_COPY}")
    if inp.index.tolist() != before.index.tolist():
        raise Failed(f"the input's index was changed: {_COPY}")
    for column in before:
        if inp[column].dtype != before[column].dtype or inp[column].tolist() != before[column].tolist():
            raise Failed(f"the input's column {column!r} was changed: {_COPY}")


def index_labels(sandbox: Sandbox) -> None:
    """The labels of the input's index mean nothing: they may repeat and be in any order."""
    run = sandbox.run()
    labels = [(7 * row + 3) % 3 for row in range(len(run.inp))]
    out = run.component.transform(run.inp.set_axis(labels, axis=0))
    _no_difference(run.out, out, "with another index", "work on values, or call reset_index(drop=True) first.")


def _no_difference(expected: pd.DataFrame, actual: pd.DataFrame, when: str, cure: str, *, exact: bool = False) -> None:
    if (fault := difference(expected, actual, exact=exact)) is not None:
        raise Failed(f"{when}, {fault}: {cure}")


def extra_columns(sandbox: Sandbox) -> None:
    """Other columns of a question are on all its rows, under any name."""
    queries = sandbox.queries.assign(**{name: values[: len(sandbox.queries)] for name, values in _EXTRA.items()})
    out = sandbox.run(queries).out
    for column in _EXTRA:
        if column not in out:
            raise Failed(f"the column {column!r} of the questions is lost: keep the columns that you do not make.")
        check_column(out, column, queries["qid"], queries[column])
    query = next((column for column in ("query_0", "query") if column in out), None)
    if query is None:
        raise Failed("the column 'query' is lost: keep it, or its old value in 'query_0'.")
    check_column(out, query, queries["qid"], queries["query"])


def check_column(out: pd.DataFrame, column: str, qids: pd.Series[str], values: pd.Series[Any]) -> None:
    """Check that `column` has the value of its question on each row."""
    expected = dict(zip(qids, values, strict=True))
    for qid, value in zip(out["qid"], out[column], strict=True):
        if qid in expected and value != expected[qid]:
            raise Failed(f"{column!r} of query {qid!r} became {value!r} from {expected[qid]!r}: join columns by qid.")


def string_ids(sandbox: Sandbox) -> None:
    """A qid stays the same string, even if it looks like a number."""
    qids = ["007", "8", "1e3", "-0"][: len(sandbox.queries)]
    for qid in sandbox.run(sandbox.queries.assign(qid=qids)).out["qid"]:
        if not isinstance(qid, str) or qid not in qids:
            raise Failed(f"the output has qid {qid!r} ({type(qid).__name__}), which no question has: never convert it.")


FRAME_CHECKS: tuple[Function, ...] = (
    declared_columns,
    empty_frame,
    input_unchanged,
    index_labels,
    extra_columns,
    string_ids,
)


# Results: scores, ranks and docnos.


def _results(sandbox: Sandbox) -> RunOutput:
    """Return the usual run of what gives results; without a column, which result-columns reports, it does not apply."""
    run = sandbox.usual
    _check_kind(run.out)
    if missing := [column for column in _RESULT_COLUMNS if column not in run.out]:
        raise NotApplicable(f"the results have no {' and no '.join(missing)}")
    return run


def _check_kind(out: pd.DataFrame) -> None:
    if "docno" not in out and "score" not in out and "rank" not in out:
        raise NotApplicable("it gives questions, not results")


def _by_query(out: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for qid, rows in out.groupby("qid", sort=False):
        yield str(qid), rows.sort_values("rank", kind="stable")


def _neighbours(out: pd.DataFrame) -> Iterator[tuple[str, dict[Any, Any], dict[Any, Any]]]:
    """Yield the qid and each two results of adjacent ranks."""
    for qid, rows in _by_query(out):
        for first, second in pairwise(rows.to_dict("records")):
            yield qid, first, second


def result_columns(sandbox: Sandbox) -> None:
    """Results have docno, score and rank, and each question of the kit has results."""
    out = sandbox.usual.out
    _check_kind(out)
    if missing := [column for column in _RESULT_COLUMNS if column not in out]:
        raise Failed(f"the results have no {' and no '.join(missing)}: return qid, docno, score and rank.")
    if out.empty:
        raise Failed("no question has results, so that nothing is checked: look at what your component searches.")


def finite_scores(sandbox: Sandbox) -> None:
    """A score is a finite number of type float64."""
    out = _results(sandbox).out
    if out["score"].dtype != np.float64:
        raise Failed(f"score is {out['score'].dtype}: give it the type float64.")
    for row in out[~np.isfinite(out["score"])].to_dict("records"):
        raise Failed(f"the score of {row['docno']!r} is {row['score']}: leave such a document out, or repair the sum.")


def ranks(sandbox: Sandbox) -> None:
    """Ranks are the integers from 0 in each question."""
    for qid, rows in _by_query(_results(sandbox).out):
        numbers = rows["rank"].tolist()
        if not pd.api.types.is_integer_dtype(rows["rank"]) or numbers != list(range(len(numbers))):
            shown = ", ".join(map(str, numbers[:5]))
            raise Failed(f"the ranks of {qid!r} are {shown}, …: end with legalir.extend.rank_results.")


def score_order(sandbox: Sandbox) -> None:
    """A better score has a better rank."""
    for qid, first, second in _neighbours(_results(sandbox).out):
        if first["score"] < second["score"]:
            raise Failed(
                f"for {qid!r}, {first['docno']!r} with {first['score']:.6g} comes before {second['docno']!r} "
                f"with {second['score']:.6g}: end with legalir.extend.rank_results."
            )


def ties(sandbox: Sandbox) -> None:
    """Equal scores are ordered by docno, ascending."""
    for qid, first, second in _neighbours(_results(sandbox).out):
        if first["score"] == second["score"] and first["docno"] > second["docno"]:
            raise Failed(
                f"for {qid!r}, {first['docno']!r} comes before {second['docno']!r} with an equal score: "
                f"end with legalir.extend.rank_results, and cut lists only after it."
            )


def no_duplicates(sandbox: Sandbox) -> None:
    """No document occurs twice in the results of a question."""
    out = _results(sandbox).out
    for row in out[out.duplicated(["qid", "docno"])].to_dict("records"):
        raise Failed(f"{row['docno']!r} occurs twice in the results of {row['qid']!r}: keep the better of the two.")


def known_documents(sandbox: Sandbox) -> None:
    """Each docno is a string that the collection has."""
    known = sandbox.docnos
    for docno in _results(sandbox).out["docno"]:
        if not isinstance(docno, str) or docno not in known:
            raise Failed(f"docno {docno!r} ({type(docno).__name__}) is not in the collection: return its docnos.")


def rank_cutoff(sandbox: Sandbox) -> None:
    """`component % 3` gives the first 3, also when PyTerrier compiles it."""
    run = _results(sandbox)
    other = sandbox.make(sandbox.collection())
    out = (other % 3).compile().transform(run.inp.copy())
    cure = "let fuse_rank_cutoff(k) give the first k results, or None."
    _no_difference(run.out[run.out["rank"] < 3], out, "compiled with '% 3'", cure)


def num_results(sandbox: Sandbox) -> None:
    """A parameter `num_results` is the maximum number of results per question."""
    if "num_results" not in sandbox.under_test.defaults():
        raise NotApplicable("the factory has no parameter 'num_results'")
    collection = sandbox.collection()
    component = sandbox.make(collection, num_results=2)
    out = component.transform(sandbox.input(collection, component))
    if "rank" not in out:
        raise NotApplicable("the results have no rank")
    for qid, rows in _by_query(out):
        if len(rows) > 2:
            raise Failed(f"with num_results=2, {qid!r} has {len(rows)} results: cut the list.")


RESULT_CHECKS: tuple[Function, ...] = (
    result_columns,
    finite_scores,
    ranks,
    score_order,
    ties,
    no_duplicates,
    known_documents,
    rank_cutoff,
    num_results,
)


# Invariance: the same output in another batch, order, time and place.


def batch_invariance(sandbox: Sandbox) -> None:
    """A question has the same output alone and in a batch."""
    run = sandbox.run()
    for qid in sandbox.queries["qid"]:
        alone = run.component.transform(run.inp[run.inp["qid"] == qid].reset_index(drop=True))
        _no_difference(run.out[run.out["qid"] == qid], alone, "asked alone", "compute each question by itself.")


def order_invariance(sandbox: Sandbox) -> None:
    """The order of the input's rows means nothing; the order of results is their rank."""
    run = sandbox.run()
    reverse = run.component.transform(run.inp.iloc[::-1].reset_index(drop=True))
    _no_difference(run.out, reverse, "with the rows reversed", "use qid, score and rank, never positions.")


def determinism(sandbox: Sandbox) -> None:
    """The same question has the same output again, to the last bit."""
    run = sandbox.run()
    again = run.component.transform(run.inp.copy())
    cure = "keep no state between questions, and give random numbers a seed."
    _no_difference(run.out, again, "asked twice", cure, exact=True)


def another_build(sandbox: Sandbox) -> None:
    """Two components of the same parameters give the same output, to the last bit."""
    run = sandbox.usual
    again = sandbox.make(run.collection).transform(run.inp.copy())
    cure = "let the parameters and the collection decide everything."
    _no_difference(run.out, again, "made twice", cure, exact=True)


def identity(sandbox: Sandbox) -> None:
    """Two components of the same parameters are equal, with equal hash and repr."""
    collection = sandbox.collection()
    first, second = sandbox.make(collection), sandbox.make(collection)
    if first != second or hash(first) != hash(second):
        raise Failed(f"{first!r}, made twice, is not equal to itself: define __eq__ and __hash__, as Component does.")
    if repr(first) != repr(second) or re.search(r" at 0x[0-9a-fA-F]+>", repr(first)):
        raise Failed(f"its repr {repr(first)[:80]!r} differs for equal components: define __repr__, as Component does.")


def set_parameters(sandbox: Sandbox) -> None:
    """A parameter that is set after a run acts as in a new component, and is refused as there."""
    run = sandbox.run()
    component, settable = run.component, 0
    for name, value in sandbox.under_test.given_defaults().items():
        own = getattr(component, name, run)
        if type(own) is not type(value) or own != value or not isinstance(value, bool | int | float | str | None):
            continue  # The component has no such attribute, or something else in it.
        tried = 0
        for other in (*other_values(component, name, value), -1, "?"):
            try:
                new = sandbox.make(run.collection, **{name: other})
            except Exception:
                settable += 1
                _check_refused(run, name, other)
                continue
            if tried == _VALUES or other in (-1, "?"):
                continue
            try:
                expected = new.transform(run.inp.copy())
            except Exception:  # The value is refused where it is used.
                continue
            tried, settable = tried + 1, settable + 1
            component.set_parameter(name, other)
            when = f"with {name}={other!r} set after a run"
            _no_difference(expected, component.transform(run.inp.copy()), when, _SET_CURE, exact=True)
            if isinstance(component, Component) and (component != new or repr(component) != repr(new)):
                raise Failed(f"{when}, it is not equal to a new component, or not in its repr: {_SET_CURE}")
            component.set_parameter(name, value)
            when = f"with {name} set to {other!r} and back to {value!r}"
            _no_difference(run.out, component.transform(run.inp.copy()), when, _SET_CURE, exact=True)
    if not settable:
        raise NotApplicable("it has no attribute that is a number, a truth value or a choice of its factory")


_VALUES = 2
"""Number of values that each parameter is set to."""

_SET_CURE = (
    "make the component a legalir.extend.Component that stores its arguments under their names, or compute from a "
    "parameter when it is used."
)


def other_values(component: object, name: str, value: object) -> list[object]:
    """Return other values for a parameter: choices, numbers, and numbers just outside its declared bounds."""
    if not isinstance(value, bool | int | float | str | None):
        return []
    declared = fields(type(component)).get(name) if isinstance(component, Declared) else None
    beyond: list[object] = [] if declared is None else declared.beyond()
    try:
        hint = get_type_hints(type(component).__init__).get(name)
    except Exception:  # A name that only a type checker imports.
        hint = None
    kinds = (hint, *get_args(hint)) if declared is None else declared.kinds
    choices = [one for part in kinds if get_origin(part) is Literal for one in get_args(part)]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        numbers: list[object] = [1, 2, value + 1]
    elif isinstance(value, float):
        numbers = [value / 2, 1.0, value + 1]
    else:
        numbers = [1, 0.5] if value is None else []
    return [one for one in (*choices, *numbers, *beyond) if one != value]


def _check_refused(run: RunOutput, name: str, value: object) -> None:
    """Check that a value is refused which the factory refuses, and that the component is then as it was."""
    try:
        run.component.set_parameter(name, value)
    except Exception:
        when = f"after {name}={value!r} was refused"
        _no_difference(run.out, run.component.transform(run.inp.copy()), when, _SET_CURE, exact=True)
        return
    raise Failed(f"{name}={value!r}, which the factory refuses, can be set: {_SET_CURE}")


def pickling(sandbox: Sandbox) -> None:
    """A pickled copy, made before a run or after it, is equal and gives the same output, to the last bit."""
    collection = sandbox.collection()
    component, another = sandbox.make(collection), sandbox.make(collection)
    inp = sandbox.input(collection, component)
    before = _pickled(component, "before a run")
    out = component.transform(inp.copy())
    for when, packed in (("before a run", before), ("after a run", _pickled(component, "after a run"))):
        copy = pickle.loads(packed)
        _no_difference(out, copy.transform(inp.copy()), f"as a copy pickled {when}", _PICKLE_CURE, exact=True)
        # identity reports those that are not even equal to one made of the same parameters.
        if component == another and (copy != component or hash(copy) != hash(component)):
            raise Failed(f"a copy pickled {when} is not equal to the component: {_PICKLE_CURE}")


_PICKLE_CURE = (
    "make the component a legalir.extend.Component, whose pickle is its arguments, and let these be numbers, texts, "
    "paths, and what travels as such."
)


def _pickled(component: object, when: str) -> bytes:
    try:
        return pickle.dumps(component)
    except Exception as error:
        raise Failed(f"it cannot be pickled {when} ({describe(error)}): {_PICKLE_CURE}") from error


def index_reload(sandbox: Sandbox) -> None:
    """A collection that is opened again over the same cache reads the indexes back, with the same output."""
    with sandbox.emptied() as empty:
        run = empty.run()
        again = empty.make(empty.collection()).transform(run.inp.copy())
    _no_difference(run.out, again, "with the index read back", "store everything, under a name with its parameters.")


def composed_queries(sandbox: Sandbox) -> None:
    """A question in NFD, as some keyboards and file systems write it, is the same question."""
    run = sandbox.run()
    inp = run.inp.assign(query=[unicodedata.normalize("NFD", text) for text in run.inp["query"]])
    out = run.component.transform(inp)
    if "query" in out and "query_0" in out:  # A rewritten question must be the same, too.
        out, expected = (_composed(frame) for frame in (out, run.out))
    else:
        out, expected = (frame.drop(columns=["query", "query_0"], errors="ignore") for frame in (out, run.out))
    _no_difference(expected, out, "asked in NFD", "first call unicodedata.normalize('NFC', text).")


def _composed(frame: pd.DataFrame) -> pd.DataFrame:
    texts = {c: [unicodedata.normalize("NFC", str(text)) for text in frame[c]] for c in ("query", "query_0")}
    return frame.assign(**texts)


_DAYS = ("2005-01-01", "2015-01-01", "2010-12-31", "2011-01-01")


def as_of(sandbox: Sandbox) -> None:
    """Over versions of provisions, a question gets only what is in force on its day."""
    collection = sandbox.collection(dated_provisions(), name="dated")
    component, law = _in_pipeline(sandbox, collection), LawTable.of(collection)
    queries = sandbox.queries.assign(as_of=_DAYS[: len(sandbox.queries)])
    given = _provisions_given(sandbox, collection, component, queries, f"in force on its day: {_DAY_CURE}")
    day = {qid: day_of(value, "as_of") for qid, value in zip(queries["qid"], queries["as_of"], strict=True)}
    assert law.validity is not None
    for qid, docnos in given:
        # string-ids and known-documents report others.
        for docno, number in zip(docnos, law.numbers(docnos).tolist(), strict=True):
            if qid in day and number >= 0 and not law.validity.on(day[qid])[number]:
                raise Failed(f"{docno!r} is not in force on {iso_date(day[qid])}, the day of {qid!r}: {_DAY_CURE}")


_DAY_CURE = "choose among what legalir.extend.masks gives for the questions, before the best are chosen."


def where(sandbox: Sandbox) -> None:
    """A question with a filter gets only provisions that pass it."""
    collection = sandbox.collection()
    _, *laws = sorted({law for law in collection.source.store.column("law").tolist() if law} or {""})
    if not laws:
        raise NotApplicable("the collection has one law")
    former, collection.where = collection.where, collection.filter({"law": laws})
    try:  # So pipelines of other packages' retrievers pass it, too.
        _check_filtered(sandbox, collection)
    finally:
        collection.where = former  # Other checks have this collection as well.


def _check_filtered(sandbox: Sandbox, collection: Collection) -> None:
    """Check that each result passes the filter of the collection, which is that of each question, too."""
    component, chosen = _in_pipeline(sandbox, collection), collection.where
    queries = sandbox.queries.assign(where=chosen)
    for qid, docnos in _provisions_given(sandbox, collection, component, queries, f"that pass its filter: {_DAY_CURE}"):
        for docno, passes in zip(docnos, collection.fields().lets_pass(chosen, docnos).tolist(), strict=True):
            if not passes:
                raise Failed(f"{docno!r} does not pass {chosen}, the filter of {qid!r}: {_DAY_CURE}")


def _in_pipeline(sandbox: Sandbox, collection: Collection) -> Any:
    """Return the component as a pipeline has it."""
    if not (sandbox.under_test.foreign and sandbox.under_test.role in ("retriever", "expander")):
        return sandbox.make(collection)
    defaults = sandbox.under_test.given_defaults()
    return made_in_force(lambda own: sandbox.make(collection, **own), {}, defaults, LawTable.of(collection))


def _provisions_given(
    sandbox: Sandbox, collection: Collection, component: Any, queries: pd.DataFrame, wanted: str
) -> list[tuple[str, list[str]]]:
    """Return the provisions of each row of a component's output, with its qid.

    Raises:
        Failed: there are none, although there are some for the same questions otherwise; `wanted` are missing.
        NotApplicable: it gives no provisions, or none for the kit's questions.
    """
    out = component.transform(sandbox.input(collection, component, queries))
    column = next((name for name in ("docno", "context_docnos") if name in out), None)
    if column is None:
        raise NotApplicable("it gives no provisions")
    if out.empty:
        if sandbox.usual.out.empty:
            raise NotApplicable("no question has results")
        raise Failed(f"no question has results {wanted}")
    values = zip(out["qid"], out[column], strict=True)
    return [(qid, [value] if isinstance(value, str) else list(value)) for qid, value in values]


INVARIANCE_CHECKS: tuple[Function, ...] = (
    batch_invariance,
    order_invariance,
    determinism,
    another_build,
    identity,
    set_parameters,
    pickling,
    index_reload,
    composed_queries,
)


# Unusual questions and documents.


def odd_queries(sandbox: Sandbox) -> None:
    """Empty texts, punctuation, operators and control characters are questions, with the full columns out."""
    usual, collection = sandbox.usual.out, sandbox.collection()
    component = sandbox.make(collection)
    for text in ODD_TEXTS:
        with given(text):
            out = component.transform(sandbox.input_of_texts(collection, component, text))
        _check_usual(out, usual, f"asked {text[:20]!r}")


def long_query(sandbox: Sandbox) -> None:
    """A question of 100 000 characters has an output."""
    collection = sandbox.collection()
    component = sandbox.make(collection)
    out = component.transform(sandbox.input_of_texts(collection, component, long_text()))
    _check_usual(out, sandbox.usual.out, "asked a question of 100 000 characters")


def odd_documents(sandbox: Sandbox) -> None:
    """Documents without text or title, of punctuation, or in NFD do no harm."""
    usual = sandbox.usual
    collection = sandbox.collection((*PROVISIONS, *ODD_PROVISIONS), name="odd")
    component = sandbox.make(collection)
    _check_usual(component.transform(sandbox.input(collection, component)), usual.out, "over odd documents")


def _check_usual(out: pd.DataFrame, usual: pd.DataFrame, when: str) -> None:
    if list(out.columns) != list(usual.columns):
        raise Failed(
            f"{when}, the columns are {', '.join(map(str, out.columns)) or 'none'} instead of "
            f"{', '.join(usual.columns)}: return all columns also without results."
        )
    # finite-scores reports a score that is not finite for ordinary questions.
    if has_finite_scores(usual) and not has_finite_scores(out):
        raise Failed(f"{when}, a score is not finite: do not divide by a length or a sum of 0.")


def has_finite_scores(out: pd.DataFrame) -> bool:
    """Return True if all scores are finite, or if there are no scores."""
    return "score" not in out or bool(np.isfinite(out["score"].astype(float)).all())


UNUSUAL_CHECKS: tuple[Function, ...] = (odd_queries, long_query, odd_documents)
