"""Results of one question: a search's data frame, which can explain its scores; an answer, and the record of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir import __version__
from legalir.answer.generator import REASON_KINDS, Answer, ask
from legalir.answer.statements import quoting_statements, statements_of
from legalir.errors import ArtifactError, ComponentError
from legalir.explanation import Explanation, explain
from legalir.frames.as_of import asked_once
from legalir.frames.chain import RanksLists, RetrievesLists
from legalir.frames.columns import RESULT_COLUMNS, fed_with_questions
from legalir.frames.where import Fields
from legalir.storage.digest import digest
from legalir.storage.files import atomic_file
from legalir.storage.validity import names_version

if TYPE_CHECKING:
    from legalir.collections import Collection
    from legalir.datasets import Provision


Lookup = Callable[[Iterable[str]], Mapping[str, "Provision"]]
"""A function that returns provisions by docno."""

Repealed = Callable[[Iterable[str], str | None, str], Mapping[str, str]]
"""A function that returns why provisions are repealed on a day, but for those that a question names."""


def gives_answers(pipeline: pt.Transformer) -> bool:
    """Return True if a pipeline gives answers, that is, if its output has a column ``qanswer``.

    The questions have a reference answer, which judges read.
    """
    if ends_ranked(pipeline):
        return False
    return "qanswer" in (pt.inspect.transformer_outputs(pipeline, ["qid", "query", "answer"], strict=False) or ())


def ends_ranked(pipeline: pt.Transformer) -> bool:
    """Return True if the last step of a pipeline is known to return ranked lists."""
    last = pipeline[-1] if isinstance(pipeline, pt.Compose) else pipeline
    return isinstance(last, RetrievesLists | RanksLists | pt.RankCutoff)


def search_with(
    pipeline: pt.Transformer,
    query: str,
    expr: str,
    k: int,
    lookup: Lookup,
    as_of: str | None = None,
    run: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    *,
    where: str = "",
    fields: Callable[[], Fields] | None = None,
) -> SearchResult:
    """Return the best `k` provisions that a pipeline finds for one question.

    Args:
        pipeline: gives ranked lists, not answers.
        query: the question.
        expr: name of the pipeline in messages.
        k: number of provisions.
        lookup: returns the provisions of the results.
        as_of: the day of the question; None for a collection without versions.
        run: runs the pipeline; None: its ``transform``.
        where: the filter of the question, as ``Collection.filter`` returns it; empty for none.
        fields: returns the fields of the provisions, by which results are checked against the filter.

    Raises:
        ComponentError: the pipeline gives no scores and ranks, or provisions that do not pass the filter, or a
            component lacks columns.
    """
    with fed_with_questions(f"search: {expr!r}"):
        asked = asked_once(query, as_of, where)
        results = (run or pipeline.transform)(asked)
    if missing := [column for column in RESULT_COLUMNS if column not in results.columns]:
        raise ComponentError(
            f"search: {expr!r} returns no {missing[-1]}: "
            f"let a component that scores end it, or fuse with rrf(…) what '|' or '&' put together."
        )
    first = results.sort_values("rank", kind="stable").head(k)
    hits = SearchResult(_with_texts(first, lookup, _SHOWN if as_of is None else _DATED))
    hits._search = (pipeline, asked)
    _check_passing(hits["docno"].tolist(), where, fields, f"search: {expr!r}")
    return hits


def _check_passing(docnos: Sequence[str], where: str, fields: Callable[[], Fields] | None, what: str) -> None:
    """Check that provisions pass a filter.

    Raises:
        ComponentError: one does not.
    """
    if where and fields is not None and not (passes := fields().lets_pass(where, docnos)).all():
        raise ComponentError(
            f"{what} returns {docnos[int(np.argmin(passes))]!r}, which does not pass where={where!r}: a component does "
            f"not read the filter of a question. Open the collection with the filter, Collection(…, where=…)."
        )


def answer_with(
    pipeline: pt.Transformer,
    query: str,
    expr: str,
    lookup: Lookup,
    told: Callable[[str], None] = lambda words: None,
    as_of: str | None = None,
    *,
    where: str = "",
    fields: Callable[[], Fields] | None = None,
    repealed: Repealed = lambda docnos, as_of, query: {},
) -> Answer:
    """Return the answer of a pipeline to one question; arguments as in :func:`search_with`.

    `told` is called with a short message after each step; the provisions that `repealed` returns, as
    ``Collection.repealed`` does, are left out of the list from which the generator makes the answer.

    Raises:
        ComponentError: the pipeline does not end in a generator, a component lacks columns, or the answer was made from
            provisions that do not pass the filter.
    """
    answer = ask(pipeline, asked_once(query, as_of, where), expr, told, lambda docnos: repealed(docnos, as_of, query))
    _check_passing([*answer.sources["docno"], *answer.context_docnos], where, fields, f"answer: {expr!r}")
    return replace(answer, sources=_with_texts(answer.sources, lookup), as_of=as_of or "", where=where)


def rows(results: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of results as JSON values, with ranks from 1."""
    # One conversion of the whole frame: each column that is taken from a frame costs as much.
    found = [dict(zip(map(str, results.columns), row, strict=True)) for row in results.to_numpy(dtype=object).tolist()]
    return [{**row, "rank": row["rank"] + 1} for row in found]


_SHOWN = ("title", "text", "url")
_DATED = ("title", "text", "effective_from", "effective_to", "url")


def _with_texts(results: pd.DataFrame, lookup: Lookup, fields: Iterable[str] = _SHOWN) -> pd.DataFrame:
    """Return ``rank, score, docno`` and `fields` of the provisions of results, in their order.

    A document that the collection does not have, such as one of a stored run, has empty fields. Without any `url` there
    is no such column.
    """
    provisions = lookup(docnos := results["docno"].tolist())
    texts = {column: [getattr(provisions.get(docno), column, "") for docno in docnos] for column in fields}
    columns = {
        **{column: results[column].reset_index(drop=True) for column in reversed(RESULT_COLUMNS)},
        **{name: pd.Series(of, dtype=str) for name, of in texts.items() if name != "url" or any(of)},
    }
    return pd.DataFrame(columns, copy=False)


class SearchResult(pd.DataFrame):
    """The data frame of a search, which can explain the scores of its provisions.

    Rows taken from it (``result.head(3)``, ``result[result["score"] > 5]``) can be explained, too. A frame made from
    several frames, or read from a file, cannot.
    """

    _metadata = ["_search"]  # noqa: RUF012  (pandas reads it, and passes the attribute on to frames made from this one)
    _search: tuple[pt.Transformer, pd.DataFrame] | None = None
    """Pipeline and question."""

    @property
    def _constructor(self) -> Callable[..., SearchResult]:
        return SearchResult

    def __reduce__(self) -> tuple[Any, ...]:
        # A pipeline contains indexes, which do not belong in a stored or sent result.
        return pd.DataFrame, (pd.DataFrame(self),)

    def explain(self, docno: str | Iterable[str] | None = None) -> list[Explanation]:
        """Explain the scores of provisions; see :mod:`legalir.explanation`.

        Args:
            docno: one docno or several, of any provision that the pipeline returns; None for all in this frame.

        Raises:
            ComponentError: the pipeline does not return this provision, or the frame does not come from one search.
        """
        if self._search is None or "docno" not in self.columns:
            raise ComponentError("explain: this frame does not know its question: explain what search returned.")
        if docno is not None and not isinstance(docno, str | Iterable):
            raise ComponentError(f"explain: docno must be a text or several, got {docno!r} ({type(docno).__name__}).")
        wanted = self["docno"].tolist() if docno is None else [docno] if isinstance(docno, str) else list(docno)
        return [_with_date(one) for one in explain(*self._search, wanted)]


def _with_date(explanation: Explanation) -> Explanation:
    """Return an explanation that adds the day on which the text of a version came into force."""
    if not names_version(explanation.docno):
        return explanation
    since = f"in force since {explanation.docno.rpartition('@')[2]}"
    return replace(explanation, note="; ".join(filter(None, (explanation.note, since))))


NOTICE = "This is a research aid and no legal advice."
"""Notice that every answer carries once."""

_FORMAT = 1


def answer_facts(answer: Answer, collection: Collection) -> dict[str, Any]:
    """Return an answer as JSON values.

    Returns:
        ``query, answer, abstained, reason, reply_state``; ``reason_kind``, a key of
        :data:`~legalir.answer.generator.REASON_KINDS`, or empty for a reason of a model; ``uncited``, the statements of
        the answer that cite no provision; ``contradicted``, those that contradict their own quotations (``statement,
        reason``, such as ``number: 60 day, quoted: 30 day``); ``citations``, each with ``docno, title, state``
        (``given``,
        ``not given`` or ``not in the collection``) and ``quotes`` (``words, state``); ``sources``, the provisions that
        the pipeline returned or the answer was made from: ``rank`` (from 1), ``docno, title, text, score`` (None for a
        linked one) and ``read``, whether the answer was made from it; both with ``url``, the publisher's page, if it is
        known, and what :meth:`~legalir.Collection.beside` has, such as ``repealed``; ``not_yet``, the
        provisions that match and are not in force yet, if there are any: ``docno, title, effective_from``;
        ``prompt_tokens, completion_tokens, notice``; ``as_of``, the day of the question, for a collection of versions;
        ``where``, its filter, if it has one.
    """
    listed = dict.fromkeys([*answer.context_docnos, *answer.sources["docno"]])
    provisions = collection.provisions([*listed, *answer.citations])
    day = answer.as_of or collection.day()
    beside = collection.beside([*listed, *answer.citations], day)
    not_yet = collection.upcoming(answer.query, as_of=day, where=answer.where or None)
    scores = dict(zip(answer.sources["docno"], answer.sources["score"].tolist(), strict=True))

    def page(docno: str) -> dict[str, Any]:
        return {**({"url": url} if docno in provisions and (url := provisions[docno].url) else {}), **beside[docno]}

    text = "" if answer.choice else answer.text
    given = answer.context_docnos if collection.chunks is None else collection.chunks.held(answer.context_docnos)
    return {
        "query": answer.query,
        "answer": answer.text,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "reason_kind": next((kind for kind, words in REASON_KINDS.items() if answer.reason.split(";")[0] == words), ""),
        "reply_state": answer.reply_state,
        "uncited": [one.text for one in statements_of(text, answer.citations) if not one.citations],
        "contradicted": [
            {"statement": statement, "reason": reason}
            for statement, reason in quoting_statements(text, answer.citations, answer.quotes, answer.query)
            if reason
        ],
        "citations": [
            {
                "docno": docno,
                "title": provisions[docno].title if docno in provisions else "",
                "state": (
                    "given" if docno in given else "not given" if docno in provisions else "not in the collection"
                ),
                "quotes": [{"words": words, "state": state} for of, words, state in answer.quotes if of == docno],
                **page(docno),
            }
            for docno in answer.citations
        ],
        "sources": [
            {
                "rank": rank,
                "docno": docno,
                "title": provisions[docno].title,
                "text": provisions[docno].text,
                "score": scores.get(docno),
                "read": docno in answer.context_docnos,
                **page(docno),
            }
            for rank, docno in enumerate(listed, start=1)
        ],
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        **({"as_of": day} if day else {}),
        **({"not_yet": [_begins(each) for each in not_yet]} if not_yet else {}),
        **({"where": answer.where} if answer.where else {}),
        "notice": NOTICE,
    }


def _begins(record: Provision) -> dict[str, str]:
    return {"docno": record.doc_id, "title": record.title, "effective_from": record.effective_from}


def record_of(facts: dict[str, Any], collection: Collection, expression: str) -> dict[str, Any]:
    """Return the record of an answer: its facts, and with what it was made.

    Args:
        facts: of :func:`answer_facts`.
        collection: the collection whose client asked the models.
        expression: the pipeline, in its canonical form.

    Returns:
        ``answer`` (the facts), ``recorded`` (UTC), ``as_of`` (the day for which provisions in force were meant),
        ``legalir``, ``collection`` and ``corpus`` (its id and sha256), ``pipeline``, ``replies`` (each request with its
        prompt's sha256, the model, and the reply), ``format`` and ``sha256`` of all the rest.
    """
    now = datetime.now(UTC)
    replies = [json.loads(stored.line()) for stored in collection.client.used_replies()]
    record = {
        "format": _FORMAT,
        "recorded": now.isoformat(timespec="seconds"),
        "as_of": facts.get("as_of") or now.date().isoformat(),
        "legalir": __version__,
        # The path of a folder reveals something about its owner's machine.
        "collection": collection.id if collection.id.startswith("legalir/") else Path(collection.id).name,
        "corpus": collection.fingerprint(),
        "pipeline": expression,
        "answer": facts,
        "replies": replies,
    }
    return {**record, "sha256": digest(record)}


def write_record(path: Path, record: dict[str, Any]) -> None:
    """Write a record to a new file.

    Raises:
        ArtifactError: the file exists, or cannot be written.
    """
    if path.exists():
        raise ArtifactError(f"{path} exists: records are never replaced; give another name.")
    try:
        with atomic_file(path) as stream:
            json.dump(record, stream, ensure_ascii=False, indent=1)
            stream.write("\n")
    except OSError as error:
        raise ArtifactError(f"{path} cannot be written ({error.strerror or error}): give another place.") from error


def read_record(path: Path) -> dict[str, Any]:
    """Return a record that :func:`write_record` wrote.

    Raises:
        ArtifactError: the file cannot be read, is not a record, or was altered.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        content = {name: value for name, value in record.items() if name != "sha256"}
        genuine = record["format"] == _FORMAT and digest(content) == record["sha256"]
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read ({error.strerror or error}): check the name.") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ArtifactError(f"{path} is not the record of an answer: give a file that --record wrote.") from None
    if not genuine:
        raise ArtifactError(f"{path} was altered, or written by another version: use a copy that was not.")
    return dict(record)
