"""Search, provisions and answers as JSON values, for pages, the HTTP API and tools; ``--json`` has the same.

A service holds open collections. Its methods check what a request asks for, and raise errors of :mod:`legalir.errors`
that can be shown as they are.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import date
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from legalir import CitationGraph, Client, Collection, SearchResult
from legalir.errors import ComponentError, DataError, DatasetNotFound, ExpressionError, LegalIRError, suggestion
from legalir.extend import (
    LawTable,
    NumberTable,
    Place,
    Provision,
    answer_facts,
    answer_with,
    asked_once,
    day_of,
    differences,
    ends_ranked,
    filter_of,
    gives_answers,
    in_turn,
    iso_date,
    names_version,
    provision_key,
    read,
    rows,
    search_with,
    word_parts,
)
from legalir_serve.policy import RESULTS, Policy
from legalir_serve.suggest import SUGGESTIONS, Suggestions
from legalir_serve.work import NoVersions, Together

if TYPE_CHECKING:
    import pyterrier as pt

Lookup = Callable[[Iterable[str]], Mapping[str, Provision]]
"""Function from docnos to their provisions."""


class Filters(TypedDict, total=False):
    """Which provisions are searched.

    Attributes:
        where: a filter, ``level=act|decree``.
        law: laws, any of which may be searched.
        level: levels, likewise.
        path: words, any of which may be in the path.
    """

    where: str
    law: Sequence[str]
    level: Sequence[str]
    path: Sequence[str]


_NEIGHBOURS = 200
"""Provisions that are listed as citing, or cited by, one provision."""

_COUNTED = 8
"""Most laws and levels that are counted."""

_BESIDE = 64
"""Rows of the corpus before and after a provision among which the next ones of its law are; a row is a version."""

_CITATION = 400
"""Most characters of a question that may be a citation."""

_PARTS = 12
"""Most parts of an explanation; the smallest are joined."""

_TOPICS, _SHORT, _EXAMPLES = 400, 90, 3
"""Questions of a collection that are looked at, most letters of an example, and most examples."""

_WRITTEN = 2
"""Pipelines written by requests that a collection holds ready; the one that was used longest ago makes room."""

_WARMING = 64
"""Number of warm-up questions (titles of provisions) before the first request."""

_OPENED = frozenset(("bm25", "lsa", "static"))
"""Components with an index of their own, which is opened before requests need it."""

_log = logging.getLogger("legalir_serve")


def files_of(collection: Collection) -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of the files of a collection that its indexes depend on."""
    folder = collection.source.folder.scan(collection.source.folder.root)  # A file of links may have come.
    stats = [(path.name, path.stat()) for path in (folder.corpus, folder.links) if path is not None and path.exists()]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


class _Pipeline(NamedTuple):
    """A pipeline, the same for the questions of several threads at once, and whether it gives answers."""

    pipeline: pt.Transformer
    together: Together
    answers: bool


class Opened:
    """A collection that is served.

    Args:
        name: what requests call it.
        collection: the collection.
        lasting: expressions whose pipelines stay open.
    """

    def __init__(self, name: str, collection: Collection, lasting: Iterable[str]) -> None:
        self.name = name
        self.collection = collection
        self.lasting = frozenset(lasting)
        self.files = files_of(collection)
        self._pipelines: dict[str, _Pipeline] = {}
        self._lock = threading.Lock()

    @cached_property
    def suggestions(self) -> Suggestions:
        """Names of laws and headings, for a question that is being typed."""
        return Suggestions(self.collection)

    def pipeline(self, expression: str) -> _Pipeline:
        """Return the pipeline of an expression, made once while it stays open."""
        with self._lock:
            made = self._pipelines.pop(expression, None)
            if made is None:
                pipeline = self.collection.pipeline(expression)
                # No request gets more than the first RESULTS.
                shared = Together(pipeline % RESULTS if ends_ranked(pipeline) else pipeline)
                made = _Pipeline(pipeline, shared, gives_answers(pipeline))
                written = [each for each in self._pipelines if each not in self.lasting]
                if expression not in self.lasting and len(written) >= _WRITTEN:
                    del self._pipelines[written[0]]
            self._pipelines[expression] = made
            return made

    @cached_property
    def days(self) -> list[str] | None:
        """The first and the last day on which a version begins; None for a collection without versions."""
        if not self.collection.dated:
            return None
        begins = [each for each in self.collection.source.store.column("effective_from").tolist() if each]
        return [min(begins), max(begins)] if begins else None

    def day(self, as_of: str | None) -> str | None:
        """Return the day of a request; None for a collection without versions.

        Raises:
            ComponentError: `as_of` is not a date.
            NoVersions: the collection has no versions.
        """
        if as_of and not self.collection.dated:
            raise NoVersions(f"{self.name} has no versions of provisions: leave as_of out.")
        return self.collection.day(as_of or None)

    def asked_day(self, query: str, as_of: str | None) -> tuple[str | None, str]:
        """Return the day of a question, which its words may name, and a sentence on that; errors as :meth:`day`."""
        day, note = (as_of, "") if as_of else self.collection.asked_day(query)
        return self.day(day or None), note

    def versions(self, docno: str) -> list[str]:
        """Return the docnos of all versions of a provision, the oldest first; of one without versions, its docno."""
        return self._versions.get(provision_key(docno), []) if self.collection.dated else [docno]

    @cached_property
    def _versions(self) -> dict[str, list[str]]:
        versions = dict[str, list[str]]()
        for each in sorted(self.collection.source.docnos()):
            versions.setdefault(provision_key(each), []).append(each)
        return versions


class Service:
    """Collections, and what may be asked of them.

    Args:
        collections: ids or paths, each by the name that requests call it.
        policy: limits of a request.
        client: asks language models for components.
    """

    def __init__(
        self, collections: Mapping[str, str | Path], policy: Policy | None = None, client: Client | None = None
    ) -> None:
        self.policy = policy or Policy()
        self._places, self._client = dict(collections), client
        self._opened = {name: self._open(name) for name in collections}

    def _open(self, name: str) -> Opened:
        lasting = (*(self.policy.components & _OPENED), *self.policy.pipelines.values())
        return Opened(name, Collection(self._places[name], client=self._client), lasting)

    def hidden(self, text: str) -> str:
        """Return a text in which the names of collections stand for their folders."""
        for name, place in self._places.items():
            for folder in {str(Path(place).resolve()), str(place)} - {name}:
                text = text.replace(folder, name)
        return text

    @property
    def names(self) -> list[str]:
        """Names of the collections."""
        return list(self._opened)

    def warm(self) -> None:
        """Open the indexes that requests need, built where they are not there, so that no request waits for them."""
        for opened in self._opened.values():
            self._warm(opened)

    def _warm(self, opened: Opened) -> None:
        """Do once what requests ask for, so that several processes that are forked from this one share its memory."""
        visit = copy(self)
        visit._opened = {opened.name: opened}
        store = opened.collection.source.store
        shown = [*store.at(range(0, len(store), max(1, len(store) // _WARMING)))]
        titles, day = [each.title for each in shown], opened.collection.day(None)
        opened.collection.find(next(iter(titles), ""))
        with suppress(DataError):  # There is no grammar of references in its language.
            visit.verify("\n".join(titles))
        for each in shown[:1]:
            with suppress(DatasetNotFound):  # No version of it has begun.
                visit.provision(each.doc_id)
        opened.suggestions.of("a")
        for expression in sorted(opened.lasting):
            made = opened.pipeline(expression)
            if not made.answers:
                # Not by its thread, which a forked process would not have.
                for title in titles:  # As many as bring all tables to memory that requests will.
                    made.pipeline.transform(asked_once(title or "1", day))
                with suppress(ComponentError):  # A title may be no question, such as -pier.
                    opened.collection.search(next(iter(titles), "") or "1", expression).explain()

    def renew(self) -> list[str]:
        """Open each collection again whose files have changed, and return the names of these.

        The new state takes the place of the old one when all its indexes are open; requests under way go on with the
        old one. A state that cannot be opened is logged, and not tried again until the files change once more.
        """
        renewed = []
        for name, opened in list(self._opened.items()):
            if (files := files_of(opened.collection)) == opened.files:
                continue
            opened.files = files
            try:
                new = self._open(name)
                self._warm(new)
            except LegalIRError as error:
                _log.warning("%s stays as it was: %s", name, error)
            else:
                self._opened[name] = new
                renewed.append(name)
        return renewed

    def opened(self, name: str | None) -> Opened:
        """Return a collection by its name; without a name, the first.

        Raises:
            DatasetNotFound: it is not served.
        """
        chosen = name or next(iter(self._opened))
        if chosen not in self._opened:
            raise DatasetNotFound(
                f"The collection {chosen!r} is not served here.{suggestion(chosen, set(self._opened))} There are: "
                f"{', '.join(self._opened)}."
            )
        return self._opened[chosen]

    def has(self, docno: str, collection: str) -> bool:
        """Return whether a collection has a provision, by its docno or key."""
        opened = self.opened(collection)
        return bool(opened.versions(docno) and opened.collection.provisions(opened.versions(docno)))

    def collections(self) -> list[dict[str, Any]]:
        """Return each collection.

        Each has ``name, title, language, provisions, dated, pipelines, fictional``; ``updated``, the day on which its
        files changed last; and ``days``, the first and the last day on which a version begins, None without versions.
        """
        return [
            {
                "name": name,
                "title": opened.collection.source.about.title or name,
                "language": opened.collection.language,
                "provisions": opened.collection.source.docs_count(),
                "dated": opened.collection.dated,
                "pipelines": list(self.policy.pipelines),
                "fictional": opened.collection.source.about.fictional,
                "updated": date.fromtimestamp(max(changed for _, changed, _ in opened.files) / 1e9).isoformat(),
                "days": opened.days,
            }
            for name, opened in self._opened.items()
        ]

    def examples(self, name: str) -> list[dict[str, str]]:
        """Return at most 3 questions of a collection, each with ``query`` and, if it has one, ``as_of``.

        A collection without questions has titles of provisions, which lead to them.
        """
        source, short = self.opened(name).collection.source, list[dict[str, str]]()
        with suppress(LegalIRError):  # It has no questions.
            for row in islice(source.queries(), _TOPICS):
                fields = {field: str(row[field]) for field in ("query", "as_of") if row.get(field)}
                if len(fields["query"]) <= _SHORT:
                    short.append(fields)
        if not short:
            some = source.store.at(range(0, len(source.store), max(1, len(source.store) // _TOPICS)))
            short = [{"query": one.title} for one in some if one.title and one.law and len(one.title) <= _SHORT]
        return [short[len(short) * place // _EXAMPLES] for place in range(min(_EXAMPLES, len(short)))]

    def suggest(self, q: str, *, collection: str | None = None) -> dict[str, Any]:
        """Return ``q`` and ``suggestions``, at most 8: what it cites, laws and headings that begin with it or have it.

        Args:
            q: what is typed.
            collection: name of the collection; ``all`` for all of them in turn.

        Raises:
            DatasetNotFound: there is no such collection.
        """
        lists = [
            [{**each, "collection": opened.name} for each in (*self._named(opened, q), *opened.suggestions.of(q))]
            for opened in map(self.opened, self.names if collection == "all" else [collection])
        ]
        turns = [each for turn in zip_longest(*lists) for each in turn if each]
        return {"q": q, "suggestions": turns[:SUGGESTIONS]}

    def _named(self, opened: Opened, q: str) -> Iterator[dict[str, Any]]:
        """Yield the provision that is cited by what is typed, if it is no more than a citation."""
        for row in self.cited(q, collection=opened.name)["found"] if q.strip() else []:
            if row["state"] == "right" and row["shows"]:
                title = next((one["title"] for one in row["provisions"] if one["docno"] == row["shows"]), "")
                yield {"text": title or q, "kind": "provision", "provisions": 1, "docno": row["shows"], "title": title}

    def found(
        self,
        opened: Opened,
        query: str,
        k: int,
        pipeline: str,
        as_of: str | None,
        lookup: Lookup | None = None,
        where: str = "",
    ) -> SearchResult:
        """Return the first `k` results of a question; `lookup` returns their provisions, all of which pass `where`.

        Raises:
            ComponentError: the question, `k` or the day is not one.
            ExpressionError: the pipeline may not be asked for, or gives answers.
        """
        expression = self.policy.expression(pipeline)
        made = opened.pipeline(expression)
        if made.answers:
            raise ExpressionError(f"{pipeline!r} gives an answer: ask for it there.")
        day, lookup = opened.day(as_of), lookup or opened.collection.provisions
        filtered: dict[str, Any] = {"where": where, "fields": opened.collection.fields}
        return search_with(made.pipeline, query, expression, k, lookup, day, made.together.search, **filtered)

    def cited(self, citation: str, *, collection: str | None = None, as_of: str | None = None) -> dict[str, Any]:
        """Return what a citation means, in any spelling: the provision, or a state and what comes nearest.

        Args:
            citation: a law and a number, or a docno.
            collection: name of the collection; None for all.
            as_of: the day; without a `collection`, for those with versions.

        Returns:
            ``citation``, and ``found`` with a row for each collection that knows it, only those that have it if one
            does: ``collection, state, reason, day, law, shows`` (the docno of the provision to show, or empty), and
            ``provisions``, cited or nearest, with ``docno`` (empty for a law) and ``title``. No row: it is no citation.

        Raises:
            ComponentError: the day is not one, or the citation is too long.
            DatasetNotFound: there is no such collection.
        """
        citation, found = self.policy.question(citation), []
        for name in [collection] if collection else self.names:
            opened = self.opened(name)
            day = opened.day(as_of) if collection or opened.collection.dated else None
            if (one := opened.collection.find(citation, as_of=day)) is None:
                continue
            titles = opened.collection.provisions(one.docnos or one.nearest)
            named = [
                {"docno": each if each in titles else "", "title": titles[each].title if each in titles else each}
                for each in one.docnos or one.nearest
            ]
            facts = {"collection": opened.name, "state": one.state, "reason": one.reason, "day": one.day}
            found.append({**facts, "law": one.law, "shows": one.shows, "provisions": named})
        return {"citation": citation, "found": [row for row in found if row["shows"]] or found}

    def several(self, query: str, collections: Sequence[str], **options: Any) -> dict[str, Any]:
        """Return the results of several collections as :meth:`search`, in the order and with the scores of
        :func:`legalir.search`; each has its ``collection``.

        A collection without versions does not look at ``as_of``; ``not_searched`` has the reason of each collection
        that lacks what a filter names.

        Args:
            query: the question.
            collections: names; ``all`` for all.
            options: those of :meth:`search`.
        """
        names = list(dict.fromkeys(self.names if "all" in collections else collections))
        if len(names) < 2:
            return self.search(query, collection=names[0] if names else None, **options)
        k, offset, as_of = options.pop("k", 10), options.pop("offset", 0), options.pop("as_of", None)
        dated = {name for name in names if self.opened(name).collection.dated}
        if as_of and not dated:
            self.opened(names[0]).day(as_of)  # It says what is missing.
        wanted = min(k + offset, RESULTS)
        lists, refused = list[dict[str, Any]](), dict[str, str]()
        for name in names:
            day = as_of if name in dated else None
            try:
                lists.append(self.search(query, collection=name, k=wanted, as_of=day, **options))
            except ComponentError as error:
                # Another collection may have what the filter names.
                if len(refused) + 1 == len(names) or not any(map(options.get, Filters.__annotations__)):
                    raise
                refused[name] = self.hidden(str(error))
        known = self.cited(query)["found"] if len(query) < _CITATION else []
        cited = {(row["collection"], row["shows"]) for row in known if row["state"] == "right"}
        searched = [one["collection"] for one in lists]
        writings = [self.opened(name).collection.writing for name in searched]
        behind = {at for at, each in enumerate(writings) if each.foreign(query)}
        of_others = {writings[at].objection(query) for at in behind} if len(behind) < len(lists) else set[str]()
        order = in_turn([[(one["collection"], row["docno"]) for row in one["results"]] for one in lists], cited, behind)
        results = [
            {**lists[number]["results"][place], "rank": rank, "score": score, "collection": searched[number]}
            for rank, (score, number, place) in enumerate(order[:wanted], start=1)
        ]
        kept = ("as_of_note", "not_yet")
        return {
            **lists[0],
            **{name: one[name] for one in lists[::-1] for name in kept if name in one},
            # Each has counts of its own, which say little together.
            **({"counts": {}} if "counts" in lists[0] else {}),
            **({"not_searched": refused} if refused else {}),
            "notes": list(dict.fromkeys(note for one in lists for note in one["notes"] if note not in of_others)),
            "collection": searched if len(searched) > 1 else searched[0],
            "as_of": next((one["as_of"] for one in lists if one["as_of"]), None),
            "results": results[offset:],
            "next": wanted if len(order) > wanted and wanted < RESULTS else None,
        }

    def search(
        self,
        query: str,
        *,
        collection: str | None = None,
        k: int = 10,
        offset: int = 0,
        pipeline: str = "default",
        as_of: str | None = None,
        explained: bool = False,
        counted: bool = False,
        **filters: Unpack[Filters],
    ) -> dict[str, Any]:
        """Return ``query, collection, pipeline, as_of, where, notes, results, next``.

        A result has the row of ``search --json``; ``where`` is the filter, with what the question quotes and excludes;
        ``notes`` are sentences about phrases that no provision has.

        Without `as_of`, a day of the law in the question counts; ``as_of_note`` says so, or why another day does not.
        ``not_yet`` has the provisions that match and are not in force yet, if there are any.

        Args:
            query: the question.
            collection: name of the collection.
            k: number of results.
            offset: number of results that are left out before them; no request gets more than the first 100.
            pipeline: name of a pipeline, or an expression.
            as_of: the day, ``2021-03-01``; only for a collection of versions.
            explained: whether each result has its ``explanation``, as :meth:`explain` returns it.
            counted: whether ``counts`` says how many of the first 100 results each law and each level has.
            filters: see :class:`Filters`.

        Raises:
            ComponentError: a value is out of range, or a filter names what no provision has.
            DatasetNotFound: there is no such collection.
            ExpressionError: the pipeline may not be asked for.
        """
        opened, wanted = self.opened(collection), min(max(1, k) + max(0, offset), RESULTS)
        day, note = opened.asked_day(query, as_of)
        provisions = dict[str, Provision]()

        def lookup(docnos: Iterable[str]) -> Mapping[str, Provision]:
            provisions.update(opened.collection.provisions(docnos))
            return provisions

        question = self.policy.question(query)
        words, filtered, notes = opened.collection.asked(question, _filter(filters))
        if opened.collection.writing.foreign(words):
            notes = [*notes, opened.collection.writing.objection(words)]
        hits = self.found(opened, words, RESULTS if counted else wanted, pipeline, day, lookup, filtered)
        shown = hits.iloc[offset:wanted]
        beside, new = (
            opened.collection.beside(shown["docno"], day),
            opened.collection.upcoming(words, wanted, as_of=day, where=filtered or None),
        )
        results = [{**row, **_place(provisions[str(row["docno"])]), **beside[str(row["docno"])]} for row in rows(shown)]
        if explained and results:
            for row, explanation in zip(results, shown.explain(), strict=True):
                row["explanation"] = explanation.shortened(_PARTS).to_dict()
        return {
            "query": question,
            "collection": opened.name,
            "pipeline": pipeline,
            "as_of": day,
            **({"as_of_note": note} if note else {}),
            **({"not_yet": [*map(_begins, new)]} if new else {}),
            "where": filtered or None,
            "notes": [self.hidden(note) for note in notes],
            "results": results,
            "next": wanted if len(hits) >= wanted and wanted < (len(hits) if counted else RESULTS) else None,
            **({"counts": _counts(provisions[docno] for docno in hits["docno"])} if counted else {}),
        }

    def explain(
        self,
        query: str,
        docno: str,
        *,
        collection: str | None = None,
        pipeline: str = "default",
        as_of: str | None = None,
        **filters: Unpack[Filters],
    ) -> dict[str, Any]:
        """Return why a provision has its score: a tree of ``docno, score, label, note, parts``.

        Raises:
            ComponentError: the pipeline does not return the provision, or a value is out of range.
        """
        opened = self.opened(collection)
        words, filtered, _ = opened.collection.asked(self.policy.question(query), _filter(filters))
        hits = self.found(opened, words, RESULTS, pipeline, opened.asked_day(query, as_of)[0], where=filtered)
        if docno not in set(hits["docno"]):
            raise ComponentError(f"The provision {docno!r} is not among the results of this question.")
        (explanation,) = hits.explain(docno)
        return explanation.shortened(_PARTS).to_dict()

    def provision(self, docno: str, *, collection: str | None = None, as_of: str | None = None) -> dict[str, Any]:
        """Return a provision: its record, and what stands around it.

        Args:
            docno: of a version, or the key of a provision: its version in force on the day, else the last one before,
                else the first one after.
            collection: name of the collection.
            as_of: the day.

        Returns:
            The fields of the record; ``references``, places in the text (``start, end``) that name a cited provision
            (``docno``); ``state`` (``in force``, ``no longer in force`` of a version that another one
            has followed, ``repealed``, ``not yet in force``), ``since`` (the day from which it is so), and
            ``in_force``, the docno in force on the day, or None; ``before`` and ``after`` in its law; ``cites`` and
            ``cited_by``, at most 200 each, with ``cites_total`` and ``cited_by_total``; ``versions``; ``repealed``,
            ``upcoming`` and ``transitional``, as :meth:`legalir.Collection.beside` has them.

        Raises:
            DatasetNotFound: there is no such provision.
        """
        opened = self.opened(collection)
        record = self._record(opened, docno, as_of)
        graph = _graph_of(opened.collection, record, opened.day(as_of))
        around = {
            "cites": [each for each in graph.cites(record.doc_id) if each != record.doc_id],
            "cited_by": [each for each in graph.cited_by(record.doc_id) if each != record.doc_id],
        }
        versions = opened.collection.provisions(opened.versions(record.doc_id))
        cited = opened.collection.provisions(around["cites"]).values()
        return {
            "collection": opened.name,
            **_fields(record),
            "references": references_in(opened.collection, record, [*cited]),
            **_state(record, versions, opened.day(as_of)),
            **opened.collection.beside([record.doc_id], opened.day(as_of))[record.doc_id],
            **self._beside(opened, record, as_of),
            **{name: self._listed(opened, docnos[:_NEIGHBOURS]) for name, docnos in around.items()},
            **{f"{name}_total": len(docnos) for name, docnos in around.items()},
            "versions": [
                {"docno": each, "effective_from": version.effective_from, "effective_to": version.effective_to}
                for each, version in versions.items()
            ],
        }

    def _record(self, opened: Opened, docno: str, as_of: str | None) -> Provision:
        collection, day = opened.collection, opened.day(as_of) or ""
        if collection.dated and not names_version(docno):
            versions = collection.provisions(opened.versions(docno))
            begun = [each for each, one in versions.items() if one.text.strip() and one.effective_from <= day]
            docno = _in_force(versions, day) or next(iter([*begun[-1:], *versions]), docno)
        record = collection.provisions([docno]).get(docno)
        if record is None:
            raise DatasetNotFound(f"There is no provision {docno!r} in {opened.name}.")
        return record

    def _beside(self, opened: Opened, record: Provision, as_of: str | None) -> dict[str, dict[str, str] | None]:
        """Return the provisions before and after one in its law, None at its ends."""
        store, key = opened.collection.source.store, provision_key(record.doc_id)
        place = int(store.docnos.numbers([record.doc_id])[0])
        near = [*store.at(range(max(0, place - _BESIDE), min(len(store), place + _BESIDE + 1)))]
        here = min(place, _BESIDE)
        beside = dict[str, dict[str, str] | None]()
        for name, others in (("before", near[here::-1]), ("after", near[here:])):
            other = next((each for each in others if provision_key(each.doc_id) != key), None)
            same = other is not None and (other.law_id, other.law) == (record.law_id, record.law)
            of = self._record(opened, provision_key(other.doc_id), as_of) if same and other is not None else None
            beside[name] = None if of is None else self._listed(opened, [of.doc_id])[0]
        return beside

    def citing(
        self,
        docno: str,
        relation: str,
        *,
        collection: str | None = None,
        as_of: str | None = None,
        k: int = 30,
        offset: int = 0,
    ) -> dict[str, Any]:
        """Return a part of the provisions that one cites (``cites``), or that cite it (``cited_by``), and their number.

        Raises:
            DatasetNotFound: there is no such provision.
        """
        opened = self.opened(collection)
        record = self._record(opened, docno, as_of)
        graph = _graph_of(opened.collection, record, opened.day(as_of))
        found = [each for each in getattr(graph, relation)(record.doc_id) if each != record.doc_id]
        rows = self._listed(opened, found[offset : offset + k])
        return {"collection": opened.name, **_fields(record), "rows": rows, "total": len(found)}

    def _listed(self, opened: Opened, docnos: Iterable[str]) -> list[dict[str, str]]:
        provisions = opened.collection.provisions(docnos)
        return [
            {"docno": docno, "title": each.title, "law": each.law, "level": each.level}
            for docno, each in provisions.items()
        ]

    def law(self, docno: str, *, collection: str | None = None, as_of: str | None = None) -> dict[str, Any]:
        """Return the law of a provision as a whole: ``law`` and its ``provisions`` in force on the day, in order.

        ``family`` has the other laws of its family, such as its decree: ``title``, the name, and the first ``docno``.

        Raises:
            DatasetNotFound: there is no such provision.
        """
        opened = self.opened(collection)
        record, day = self._record(opened, docno, as_of), opened.day(as_of)
        places = laws_of(opened.collection, record.doc_id)[record.law]
        whole = [each for each in in_force(opened.collection, places, day) if each.law_id == record.law_id]
        return {
            "collection": opened.name,
            "law": record.law,
            "as_of": day,
            "family": family_of(opened.collection, record.doc_id, record.law, day),
            "provisions": [_fields(one) for one in whole],
        }

    def related(
        self, docno: str, *, collection: str | None = None, depth: int = 2, most: int = 40, as_of: str | None = None
    ) -> dict[str, Any]:
        """Return the neighbourhood of a provision in the citation graph: ``nodes``, nearest first, and ``links``.

        Raises:
            ComponentError: `depth` is not from 1 to 4.
            DatasetNotFound: there is no such provision.
        """
        if not 1 <= depth <= 4:
            raise ComponentError(f"depth={depth} is not from 1 to 4.")
        opened = self.opened(collection)
        record = self._record(opened, docno, as_of)
        graph = _graph_of(opened.collection, record, opened.day(as_of))
        distance, border = {record.doc_id: 0}, [record.doc_id]
        for step in range(1, depth + 1):
            following = []
            for each in border:
                for other in (*graph.cites(each), *graph.cited_by(each)):
                    if other not in distance and len(distance) < most:
                        distance[other] = step
                        following.append(other)
            border = following
        links = [
            {"source": source, "target": target}
            for source in distance
            for target in graph.cites(source)
            if target in distance and target != source
        ]
        nodes = self._listed(opened, distance)
        return {
            "collection": opened.name,
            "nodes": [{**n, "distance": distance[n["docno"]]} for n in nodes],
            "links": links,
        }

    def changes(
        self, start: str, end: str, *, collection: str | None = None, law: str = "", docno: str = ""
    ) -> dict[str, Any]:
        """Return what changed between two days, word by word, as ``datasets diff --json``: of a law, or of a provision.

        Raises:
            ComponentError: a day is not one, the collection holds no versions, or it has no such law.
            DatasetNotFound: there is no such provision.
        """
        opened = self.opened(collection)
        if not opened.collection.dated:
            raise NoVersions(f"{opened.name} has no versions of provisions that could be compared.")
        first, last = (iso_date(day_of(day, name)) for day, name in ((start, "from"), (end, "to")))
        if last < first:
            raise ComponentError(f"from={first} is later than to={last}: give the earlier day first.")
        if not docno:
            try:
                found = [each.to_dict() for each in differences(opened.collection.source, first, last, law)]
            except DataError as error:  # There is no such law.
                raise ComponentError(str(error)) from None
            return {"collection": opened.name, "from": first, "to": last, "changes": found}
        versions = opened.collection.provisions(opened.versions(docno))
        if not versions:
            raise DatasetNotFound(f"There is no provision {docno!r} in {opened.name}.")
        before, after = (versions.get(_in_force(versions, day) or "") for day in (first, last))
        parts = word_parts(before.text if before else "", after.text if after else "")
        return {
            "collection": opened.name,
            "from": first,
            "to": last,
            "docno": docno,
            "before": before.doc_id if before else None,
            "after": after.doc_id if after else None,
            "parts": [part._asdict() for part in parts],
        }

    def impact(
        self,
        start: str,
        end: str = "today",
        *,
        collection: str | None = None,
        law: str = "",
        documents: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Return what changed between two days, who cites it, and which passages of documents do, as ``impact --json``.

        Raises:
            ComponentError: a day is not one, the second is before the first, or there is no such law.
            DataError: there is no grammar of references in the language of a document, nor in that of the collection.
            NoVersions: the collection has no versions.
        """
        opened = self.opened(collection)
        opened.day(start)
        found = opened.collection.impact(start, end, documents, law=law).to_dict()
        return {**found, "collection": opened.name}

    def answer(
        self,
        query: str,
        *,
        collection: str | None = None,
        pipeline: str = "answer",
        as_of: str | None = None,
        told: Callable[[str], None] = lambda words: None,
        **filters: Unpack[Filters],
    ) -> dict[str, Any]:
        """Return the answer to a question, with citations, quotations and sources, as ``answer --json``.

        Args:
            query: the question.
            collection: name of the collection.
            pipeline: name of a pipeline, or an expression, that ends in a generator.
            as_of: the day.
            told: called with a short message at each step.
            filters: see :class:`Filters`.

        Raises:
            ComponentError: a value is out of range, a filter names what no provision has, or the pipeline gives no
                answer.
            ExpressionError: the pipeline may not be asked for.
        """
        opened = self.opened(collection)
        expression = self.policy.expression(pipeline)
        made = opened.pipeline(expression)
        if not made.answers:
            raise ExpressionError(f"{pipeline!r} gives no answer: end it in a generator such as quote.")
        question = self.policy.question(query)
        day, note = opened.asked_day(question, as_of)
        filtered = opened.collection.filter(_filter(filters))
        of = opened.collection
        options: dict[str, Any] = {"where": filtered, "fields": of.fields, "repealed": of.repealed}
        reply = answer_with(made.pipeline, question, expression, opened.collection.provisions, told, day, **options)
        facts = answer_facts(reply, opened.collection)
        return {"collection": opened.name, **facts, **({"as_of_note": note} if note else {})}

    def verify(
        self, text: str, *, collection: str | None = None, as_of: str | None = None, law: str = ""
    ) -> dict[str, Any]:
        """Return each citation of a text with its state, as ``verify --json``.

        Args:
            text: any text.
            collection: name of the collection.
            as_of: the day.
            law: name of the law that citations without one mean.

        Raises:
            ComponentError: `as_of` is no date, or there is no law `law`.
            DataError: there is no grammar of references in the language of the text, nor in that of the collection.
        """
        opened = self.opened(collection)
        opened.day(as_of)
        found = opened.collection.verify(text, as_of=as_of or None, law=law).to_dict()
        return {**found, "collection": opened.name}


def _filter(given: Filters) -> str:
    return filter_of([given.get("where", "")], given.get("law"), given.get("level"), given.get("path"))


def laws_of(collection: Collection, docno: str) -> dict[str, npt.NDArray[np.int64]]:
    """Return the places of all versions of the provisions of a law, and of the laws of its family, by name of the law.

    Args:
        collection: the collection.
        docno: of a provision of the law.
    """
    table = LawTable.of(collection)
    every, number = np.arange(len(table)), table.numbers([docno])[0]
    law, family = table.groups(every, "law"), table.groups(every, "family")
    places = np.flatnonzero(family == family[number] if family[number] >= 0 else law < 0)
    return {table.group_name(int(one), "law"): places[law[places] == one] for one in np.unique(law[places])}


def family_of(collection: Collection, docno: str, law: str, day: str | None) -> list[dict[str, str]]:
    """Return the other laws of the family of a law, such as its decree: ``title``, and the first ``docno`` of each."""
    first = {one: in_force(collection, places, day, 1) for one, places in laws_of(collection, docno).items()}
    return [{"docno": one.doc_id, "title": name} for name, of in first.items() for one in of if name != law]


def in_force(
    collection: Collection, places: npt.NDArray[np.int64], day: str | None, most: int | None = None
) -> list[Provision]:
    """Return the provisions at places of the corpus that are in force on a day, in order, at most `most`."""
    store = collection.source.store
    if store.validity is not None:
        places = places[store.validity.on(day_of(day, "as_of"))[places]]
    return [*store.at(places[:most].tolist())]


def _graph_of(collection: Collection, record: Provision, day: str | None) -> CitationGraph:
    """Return the citation graph of a day on which a provision is in force: the day that is asked, else its first."""
    graph = collection.graph
    if day is None or graph.validity is None:
        return graph
    asked = _in_force({record.doc_id: record}, day)
    return graph.at(day_of(day if asked else record.effective_from or day, "as_of"))


def _state(record: Provision, versions: Mapping[str, Provision], day: str | None) -> dict[str, str | None]:
    """Return whether a provision is in force on a day, since when, and which of its versions is."""
    if day is None:  # There are no versions; but a provision may have days.
        state, today = "in force", date.today().isoformat()
        if record.effective_from > today:
            state = "not yet in force"
        elif record.effective_to and record.effective_to <= today:
            state = "no longer in force"
        since = record.effective_to if state == "no longer in force" else record.effective_from
        return {"state": state, "since": since, "in_force": record.doc_id if state == "in force" else None}
    now = _in_force(versions, day)
    if now == record.doc_id:
        return {"state": "in force", "since": record.effective_from, "in_force": now}
    if record.effective_from > day:
        return {"state": "not yet in force", "since": record.effective_from, "in_force": now}
    # A version without text is the repeal; without one, the provision ends with its last version.
    state = "no longer in force" if now else "repealed"
    since = record.effective_to if record.text.strip() else record.effective_from
    return {"state": state, "since": since, "in_force": now}


def _counts(provisions: Iterable[Provision]) -> dict[str, list[tuple[str, int]]]:
    """Return how many provisions each law and each level has, the most frequent first.

    Kinds of a level count together: ``decree|decree_ind``.
    """
    laws, kinds = Counter[str](), Counter[str]()
    for one in provisions:
        laws[one.law] += 1
        kinds[one.level] += 1
    levels = Counter[str]()
    for kind in sorted(kinds):
        base = kind.partition("_")[0]
        same = "|".join(sorted(each for each in kinds if each.partition("_")[0] == base))
        levels[same] += kinds[kind]
    both = {"law": laws, "level": levels}
    return {name: [(value, n) for value, n in of.most_common(_COUNTED) if value] for name, of in both.items()}


def references_in(collection: Collection, record: Provision, cited: list[Provision]) -> list[dict[str, Any]]:
    """Return the places of a text that name a provision that it cites, where only one of these can be meant."""
    table = NumberTable.of(collection)
    own, *numbers = map(table.article, table.docno_table.numbers([record.doc_id, *(one.doc_id for one in cited)]))
    try:
        found = read(record.text, collection.language, Place(record.law, own))
    except DataError:  # There is no grammar of this language.
        return []
    places = list[dict[str, Any]]()
    for one in found:
        numbered = [each for each, number in zip(cited, numbers, strict=True) if number and number == one.article]
        if one.law_kind == "named":
            numbered = [each for each in numbered if one.law in each.law or each.law in one.law] or numbered
        if len(numbered) == 1 and (not places or one.start >= places[-1]["end"]):
            unit = ".".join(filter(None, (one.paragraph, one.item, one.subitem)))
            places.append({"start": one.start, "end": one.end, "docno": numbered[0].doc_id, "unit": unit})
    return places


def _in_force(versions: Mapping[str, Provision], day: str) -> str | None:
    """Return the docno of the version in force on a day."""
    for docno, each in versions.items():
        if each.effective_from <= day and (not each.effective_to or day < each.effective_to) and each.text.strip():
            return docno
    return None


def _begins(record: Provision) -> dict[str, str]:
    return {"docno": record.doc_id, "title": record.title, "effective_from": record.effective_from}


def _fields(record: Provision) -> dict[str, str]:
    return {"docno": record.doc_id, **{name: value for name, value in record._asdict().items() if name != "doc_id"}}


def _place(record: Provision) -> dict[str, str]:
    fields = {"law": record.law, "path": record.path, "heading": record.heading, "level": record.level}
    return {**fields, "url": record.url} if record.url else fields
