"""Repeal and coming changes of a provision, and the supplements that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir.collections import Collection
from legalir.errors import DataError
from legalir.frames.as_of import asked_once, today
from legalir.graph.citation_graph import CitationGraph
from legalir.lexical.sparse import SparseIndex
from legalir.references.grammar import article_number
from legalir.references.lookup import Lookup, NumberTable
from legalir.references.read import place_of, read
from legalir.statutes.dates import NEVER
from legalir.storage.validity import day_of, iso_date, provision_key
from legalir.verify.days import asked_day, words_of
from legalir.verify.repeals import Repeals

if TYPE_CHECKING:
    from legalir.datasets import Provision

_SUPPLEMENT = "supp"
"""Beginning of the article numbers of supplements."""

_RANGE = 50
"""Most articles of a range that a supplement names."""


class Beside:
    """Reads what stands beside the provisions of a collection.

    Args:
        collection: the collection.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._repeals = Repeals(collection)
        self._by_law = lru_cache(256)(self._names_in)

    @cached_property
    def _table(self) -> NumberTable:
        return NumberTable.of(self._collection)

    @cached_property
    def _has_supplements(self) -> bool:
        return self._collection.source.store.has_article(_SUPPLEMENT)  # It reads all numbers.

    @cached_property
    def _supplements(self) -> npt.NDArray[np.int64]:
        """Places of the supplements in the table."""
        table = self._table
        return np.flatnonzero([table.article(place).startswith(_SUPPLEMENT) for place in range(len(table))])

    def of(self, docnos: Iterable[str], day: str | None) -> dict[str, dict[str, Any]]:
        """Return what stands beside provisions, by docno; a provision that has nothing has an empty record.

        Args:
            docnos: of provisions.
            day: ISO date; None for a collection without versions.

        Returns:
            ``repealed``, the reason (see :meth:`repealed`); ``upcoming``, such as ``amended from 2027-01-01``;
            ``transitional``, the supplements in force that name the provision, newest first: ``docno, title``. What
            a provision lacks is left out.
        """
        found: dict[str, dict[str, Any]] = {docno: {} for docno in docnos}
        for docno, reason in self.repealed(found, day).items():
            found[docno]["repealed"] = reason
        if day is None and not self._has_supplements:
            return found  # Without building an index.
        for docno, record in found.items():
            place = int(self._table.docno_table.numbers([docno])[0])
            if place >= 0 and day is not None and (upcoming := self._upcoming(place, day_of(day, "as_of"))):
                record["upcoming"] = upcoming
            if place >= 0 and (names := self._transitional(place, docno, day)):
                record["transitional"] = names
        return found

    def repealed(self, docnos: Iterable[str], day: str | None, query: str = "") -> dict[str, str]:
        """Return why provisions are repealed, by docno, such as ``It ended on 2020-05-01.``; others are left out.

        Args:
            docnos: of provisions.
            day: ISO date; None for the day that the question asks for, or today.
            query: a question: provisions that it names by number are left out, too, unless all of `docnos` only say
                that they are repealed.
        """
        records = self._collection.provisions(docnos)
        day = day or asked_day(query).day or iso_date(today())
        reasons = {docno: self._repeals.reason(one, day) for docno, one in records.items()}
        named = set[str]()
        if query and any(reasons.values()):
            places = Lookup(self._table, without_law=True).named(query)
            named = {provision_key(str(self._table.docnos[place])) for place in places}
        if all(self._repeals.notice(one) for one in records.values()):
            named = set()  # None of them has words that could be quoted.
        return {docno: reason for docno, reason in reasons.items() if reason and provision_key(docno) not in named}

    def _upcoming(self, place: int, day: int) -> str:
        table, validity = self._table, self._table.validity
        assert validity is not None
        docno = str(table.docnos[place])
        begin, end = validity.begin, validity.end
        ends = int(end[place])
        if not iso_date(ends) or ends <= day:
            return ""
        since = "a day that is not known yet" if iso_date(ends) >= NEVER else iso_date(ends)
        following = [each for each in table.versions(provision_key(docno)) if begin[each] == ends and each != place]
        if any(begin[each] < end[each] for each in following):
            return f"amended from {since}"
        if target := self._collection.source.replaced.get(docno):
            return f"moves to {target} from {since}"
        return f"{'repealed' if following else 'not in force'} from {since}"

    def not_yet(self, query: str, k: int, day: str, where: str = "") -> list[Provision]:
        """Return the provisions that begin after a day and match a question, by ``bm25`` as of when the last begins.

        Args:
            query: the question.
            k: of the first `k` provisions of that list, those are returned.
            day: ISO date.
            where: the filter that they pass; empty for none.
        """
        table, validity, after = self._table, self._table.validity, day_of(day, "as_of")
        if validity is None or not validity.on(after).any():
            return []  # The collection begins later.
        later = np.flatnonzero((validity.begin > after) & (validity.begin < validity.end))
        new: dict[str, int] = {}
        for key in {provision_key(str(docno)) for docno in table.docnos[later]}:
            first = min(table.versions(key), key=lambda place: int(validity.begin[place]))
            if validity.begin[first] > after:
                new[key] = first
        if not new:
            return []
        asked = asked_once(query, iso_date(max(int(validity.begin[place]) for place in new.values())), where)
        hits = SparseIndex.of(self._collection).bm25(num_results=k).transform(asked).sort_values("rank")["docno"]
        found = [str(table.docnos[new[key]]) for key in map(provision_key, hits) if key in new]
        return list(self._collection.provisions(found).values())

    def _transitional(self, place: int, docno: str, day: str | None) -> list[dict[str, str]]:
        article = self._table.article(place)
        if article.startswith(_SUPPLEMENT):
            return []
        by_text = self._by_law(int(self._table.arrays["law"][place]), day).get(article, ())
        names = [*self._linked(docno, day), *by_text]
        records = self._collection.provisions(dict.fromkeys(names)).values()
        newest = sorted(records, key=lambda each: each.effective_from, reverse=True)
        return [{"docno": each.doc_id, "title": each.title} for each in newest]

    def _linked(self, docno: str, day: str | None) -> Iterator[str]:
        """Yield the supplements of its law that link to a provision: by their number, or by a heading that says so."""
        if self._collection.source.folder.links is None:
            return
        table, graph = self._table, CitationGraph.of(self._collection)
        graph = graph if day is None else graph.at(day_of(day, "as_of"))
        citing = [each for each, kind in graph.citing(docno) if kind != "amends"]
        law = table.arrays["law"][table.docno_table.numbers([docno, *citing])]
        kept = [each for each, of in zip(citing, law[1:], strict=True) if of == law[0]]
        for each in self._collection.provisions(kept).values():
            if words_of("transitional").search(f"{each.heading}\n{each.path}"):
                yield each.doc_id
            elif not each.article.startswith(_SUPPLEMENT) or words_of("not_transitional").search(each.heading):
                continue
            elif each.heading or self._named_by(each):
                yield each.doc_id

    def _names_in(self, law: int, day: str | None) -> dict[str, list[str]]:
        """Return the docnos of the supplements of a law that link to nothing, by the articles that their texts name."""
        collection, table = self._collection, self._table
        places = self._supplements[np.asarray(table.arrays["law"])[self._supplements] == law]
        if day is not None and table.validity is not None:
            places = places[table.validity.on(day_of(day, "as_of"))[places]]
        docnos = [str(each) for each in table.docnos[places]]
        if collection.source.folder.links is not None and docnos:
            graph = CitationGraph.of(collection)
            degrees = graph.adjacency("out").degrees()[graph.numbers(docnos)]
            docnos = [docno for docno, degree in zip(docnos, degrees.tolist(), strict=True) if not degree]
        found: dict[str, list[str]] = {}
        for record in collection.provisions(docnos).values():
            for number in () if words_of("not_transitional").search(record.heading) else self._named_by(record):
                found.setdefault(number, []).append(record.doc_id)
        return found

    def _named_by(self, supplement: Provision) -> list[str]:
        """Return the articles that a supplement names. Sentences on the day when articles begin are not read."""
        pieces = re.split(r"(?<=[^\s\d][.。])(?![)）])|(?<=\n)", supplement.text)
        text = "".join(piece for piece in pieces if not words_of("not_transitional").search(piece))
        try:
            references = read(text, self._collection.language, place_of(supplement.article, self._collection.language))
        except DataError:  # There is no grammar of the language.
            return []
        named, last = dict[str, None](), ""
        for one in references:
            label = not text[: one.start].rpartition("\n")[2].strip()
            if label or one.law_kind != "self" or one.supplement or not one.article:
                continue  # The label of an article of the supplement, or a reference to something else.
            number = article_number(one.article) or one.article
            named[number] = None
            if one.range_end and number.isdecimal() and last.isdecimal():
                named |= dict.fromkeys(str(each) for each in range(int(last) + 1, int(number))[:_RANGE])
            last = number
        return list(named)
