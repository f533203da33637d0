"""Fields of the provisions of a collection, for filters (:mod:`legalir.frames.where`), as a memory-mapped artifact.

Files of a build: the docnos, and for field i the codes ``<i>.npy``, int32 [n], -1 for a missing value, into the string
table ``<i>.values``. ``facts["fields"]`` has the names of the fields. The text is not in it: candidates for a phrase
come from the postings of the collection's sparse index, and are then compared with the text itself.
"""

from __future__ import annotations

import operator
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, reduce
from os import PathLike
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import regex

from legalir.analysis.analyzer import Analyzer
from legalir.analysis.language import UNKNOWN, language
from legalir.analysis.ngrams import NGrams
from legalir.analysis.text import normalize
from legalir.analysis.words import Auto
from legalir.collections import Collection
from legalir.datasets.records import ALIASES, provision
from legalir.errors import ComponentError, shown
from legalir.frames.component import check_deadline
from legalir.frames.where import Condition, conditions
from legalir.lexical.sparse import SparseIndex
from legalir.progress import progress
from legalir.storage.artifact import IndexArtifact, building
from legalir.storage.strings import Docnos, Strings, write_coded, write_docnos
from legalir.storage.validity import Mask, day_of, provision_key, version_date

Ints = npt.NDArray[np.int64]

_MASKS = 64
"""Maximum number of filters whose masks stay in memory, for each index."""

_SHOWN, _COMPARED = 12, 20_000
"""Number of values that a message lists, and of values that a wrong one is compared with."""

_UNSPACED = "".join(
    rf"\p{{{script}}}"
    for script in ("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
)
_WORD = rf"[[\p{{L}}\p{{M}}\p{{Nd}}_]--[{_UNSPACED}]]"
"""A character of a word in a script that has blanks between words, or whose words have no endings for particles."""

_JOINED, _POINTED = "['.ㆍ]", "[.,]"
"""Signs between two letters, or two digits, that do not end a word."""

_BEFORE = [
    "",
    *" (-/,:§가的のก",
    "§ ",
    ")(",
    *(f"{one}{sign}" for one in "x8" for sign in "(-/,:"),
    "A. ",
    "D. ",
    "L. ",
    "R. ",
]
_AFTER = ["", *" )-/,:;가的のก", "(1)", " bis", " 121", ". 121-3", *(f"{sign}{one}" for one in "x8" for sign in "-/:")]
_WITHIN = {
    "before": ["x", "8", "x.", "8.", "x'", "6(8)", "6(8)(", "L. "],
    "after": ["x", "8", "8)", "000", ".x", ".8", "'x", "a)(b)"],
}
"""Texts around a phrase that may change the terms at its ends: all but the last where a word ends there."""


def folded(text: str) -> str:
    """Return `text` as values and phrases are compared: NFC, lower case, single blanks, one apostrophe, one dot."""
    return " ".join(normalize(text).replace("’", "'").split())


def _ends(words: str, lang: str) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
    """Return for each end of a phrase the pattern of what must stand there, and texts around it that may."""
    known = language(lang)
    elided, owned = [f"{one}'" for one in sorted(known.elisions)], ["'s"] if known.code == "en" else []
    begins, ends = "|".join(elided) or "(?!)", "|".join(owned) or "(?!)"
    first, last = (regex.match(f"(?V1){_WORD}", end) for end in (words[0], words[-1]))
    if not first:
        before = "", [*_BEFORE, *_WITHIN["before"], words[0]]
    elif words[0].isdecimal():
        before = f"(?<!{_WORD})(?<!\\d{_POINTED})", [*_BEFORE, "x.", "x'"]
    else:
        before = (
            f"(?<!{_WORD})(?:(?<!\\p{{L}}{_JOINED})|(?<=(?<!{_WORD})(?:{begins})))",
            [*_BEFORE, "8.", "8'", *elided],
        )
    if not last:
        after = "", [*_AFTER, *_WITHIN["after"], words[-1]]
    elif words[-1].isdecimal():
        after = f"(?!{_WORD})(?!{_POINTED}\\d)", [*_AFTER, ".x", "'x", "(a)"]
    else:
        after = f"(?!{_WORD})(?:(?!{_JOINED}\\p{{L}})|(?=(?:{ends})(?!{_WORD})))", [*_AFTER, ".8", "'8", ",8", *owned]
    return before, after


def phrase_pattern(phrase: str, lang: str = UNKNOWN) -> regex.Pattern[str]:
    """Return the pattern of a phrase in :func:`folded` texts; in alphabets with blanks, whole words.

    Args:
        phrase: the words.
        lang: code of the language, whose elided articles are not part of a word.
    """
    words = folded(phrase)
    (before, _), (after, _) = _ends(words, lang)
    return regex.compile(f"(?V1){before}{regex.escape(words, special_only=True, literal_spaces=True)}{after}")


def sure_terms(analyzer: Analyzer, phrase: str) -> set[str]:
    """Return the terms that any text with a phrase has; none if the analyzer may read the words of a text together."""
    if not isinstance(analyzer, NGrams | Auto):
        return set()
    # Punctuation at an end may belong to a number of a provision, and with it the word or number beside it.
    words = " ".join(phrase.split())
    if not regex.match(r"[\w]", words):
        words = regex.sub(rf"(?V1)\A\W+(?:{_WORD}\S*)?", "", words).strip()
    if not regex.search(r"\w\Z", words):
        words = regex.sub(rf"(?V1)(?:\S*{_WORD})?\W+\Z", "", words).strip()
    if not words:
        return set()
    (_, before), (_, after) = _ends(folded(words), getattr(analyzer, "lang", UNKNOWN))
    texts = [*(f"{one}{words}" for one in before), *(f"{words}{one}" for one in after)]
    texts += [f"{one}{words}{other}" for one, other in zip(before, after, strict=False)]
    return reduce(set.intersection, (set(analyzer.terms(text)) for text in texts))


_PAIRS = ("“”", "„“", "„”", "””", "«»", "»«", "「」", "『』", "＂＂", "〝〟", "〝〞")
_QUOTED = "|".join(
    [
        r'(?<![\p{Latin}\p{Nd}])"([^"]+)"(?![\p{Latin}\p{Nd}])',
        *(f"{pair[0]}([^{pair[0]}{pair[1]}]+){pair[1]}" for pair in _PAIRS),
    ]
)
_MARKED = regex.compile(rf"(?P<out>(?<!\S)-)?(?:{_QUOTED})|(?<!\S)-(?P<word>\p{{L}}[^\s,;:!?。、，]*)")
_KOREAN = regex.compile(r"[「『].*\p{Hangul}", regex.DOTALL)


def marked(question: str) -> tuple[str, list[dict[str, str]]]:
    """Return a question without its excluded words, and the filters for its phrases and excluded words, in order.

    ``"just cause"`` is a phrase, ``-vehicles`` and ``-"motor vehicles"`` are excluded. Any pair of double quotation
    marks counts. Corner brackets around Korean words do not, because they name laws there; nor do single marks, the
    marks of titles (U+300A), and a straight mark after a letter or digit, which may mean inches.
    """
    filters: list[dict[str, str]] = []

    def read(found: regex.Match[str]) -> str:
        words = found["word"] or next(filter(None, found.groups()[1:]))
        is_out = bool(found["out"] or found["word"])
        if not words.strip() or (_KOREAN.match(found[0]) and not is_out):
            return found[0]
        filters.append({f"text{'!~' if is_out else '~'}": words.strip().rstrip(".")})
        return " " if is_out else found[0]

    words = _MARKED.sub(read, question)
    return (" ".join(words.split()) if words != question else question), filters


class FieldTable(IndexArtifact):
    """The fields of each provision of a collection; of a chunk collection, of the provisions that were cut.

    Args:
        path: directory of the artifact.
        collection: the collection.
    """

    kind, version = "field_table", 1

    def __init__(self, path: str | PathLike[str], collection: Collection | None = None) -> None:
        super().__init__(str(path))
        self.collection = collection
        self._lock = threading.Lock()

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return the table of a collection, built on first use."""

        def build(table: Self) -> None:
            source = collection.source
            store = source.cut_store or source.store
            table.index(store.rows(), corpus=collection.fingerprint())

        return collection.cached(cls(collection.cache / "fields", collection), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the table of another state of a collection."""
        return cls.of(collection)

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the table; an existing table at the path is replaced only when the new one is complete.

        Args:
            iter: rows of a corpus, with any fields. A number or truth value counts as its text, a list as each of its
                values, a mapping not at all.
            corpus: fingerprint of the collection, stored in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno occurs twice.
        """
        docnos: list[str] = []
        codes: dict[str, array[int]] = {}
        known: dict[str, dict[str, int]] = {}
        with building(self.directory, self.kind, self.version) as (data, facts):
            with progress("Reading fields", None) as advance:
                for place, row in enumerate(iter):
                    for name, value in _values_of(row):
                        column, numbers = codes.setdefault(name, array("i")), known.setdefault(name, {})
                        column.extend([-1] * (place - len(column)))
                        column.append(numbers.setdefault(value, len(numbers)))
                    docnos.append(provision(dict(row)).doc_id)
                    if place % 500 == 499:
                        advance(500)
            write_docnos(data, docnos)
            for number, name in enumerate(codes):
                codes[name].extend([-1] * (len(docnos) - len(codes[name])))
                strings = np.array([*known.pop(name), ""], dtype=object)
                write_coded(data, str(number), f"{number}.values", strings[np.frombuffer(codes[name], dtype=np.int32)])
            facts.update(documents=len(docnos), fields=[*codes], corpus=corpus)
        self.forget()
        return self

    # The fields.

    @property
    def names(self) -> list[str]:
        """Names of the fields that a provision has; ``text`` means title and text together."""
        return sorted({*self.manifest.facts["fields"], "docno"})

    def values(self, name: str) -> list[str]:
        """Return the different values of a field, ascending.

        Raises:
            ComponentError: no provision has it.
        """
        return self._column(name)[1]

    def _column(self, name: str) -> tuple[npt.NDArray[np.int32], list[str]]:
        """Return the codes of a field, int32 [n], and its values."""
        if name == "docno":
            return np.arange(len(self.docno_table), dtype=np.int32), self.docnos.tolist()
        fields = self.manifest.facts["fields"]
        if name not in fields:
            near = get_close_matches(name, self.names, n=1)
            hint, there = f" Did you mean {near[0]!r}?" if near else "", ", ".join((*self.names, "text"))
            raise ComponentError(f"where: no provision{self._of()} has a field {name!r}.{hint} The fields: {there}.")
        number = fields.index(name)
        if name not in self._columns:
            self._columns[name] = self.arrays[str(number)], list(Strings(self.arrays, f"{number}.values"))
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, tuple[npt.NDArray[np.int32], list[str]]]:
        return {}

    def _of(self) -> str:
        return "" if self.collection is None else f" of {self.collection.id}"

    def _field_mask(self, condition: Condition) -> Mask:
        """Return which provisions meet a condition on a field; [n]."""
        codes, values = self._column(condition.field)
        if condition.operator[0] in "<>":
            right = _in_order(condition, values)
        else:
            right = np.zeros(len(values) + 1, dtype=bool)  # The last place is for a missing value, numbered -1.
            for value in condition.values:
                found = _having(condition, value, values)
                if not found.any():
                    raise ComponentError(self._without(condition, value, values))
                right[:-1] |= found
            if condition.operator[0] == "!":
                right = ~right
        met: Mask = right[codes]
        return met

    def _without(self, condition: Condition, value: str, values: Sequence[str]) -> str:
        contains = "contains" if "~" in condition.operator else "is"
        names = values if len(values) <= _SHOWN else _near(value, values)
        listed = f" It may be {', '.join(map(repr, names))}." if len(values) <= _SHOWN else ""
        if len(values) > _SHOWN and names:
            listed = f" The nearest of {len(values)}: {', '.join(map(repr, names))}."
        return f"where: no {condition.field}{self._of()} {contains} {shown(value)}.{listed}"

    # The text.

    def _text_mask(self, condition: Condition, among: Mask) -> Mask:
        """Return which provisions meet a condition on the text, of some of them; [n]."""
        if condition.operator not in ("~", "!~"):
            raise ComponentError(
                f"where: {condition} is not possible: text takes ~ (has the phrase) and !~ (lacks it)."
            )
        if short := [one for one in condition.values if sum(map(str.isalnum, one)) < 2]:
            raise ComponentError(
                f"where: the phrase {short[0]!r} has fewer than two letters: nearly every text has it."
            )
        having = np.zeros(len(among), dtype=bool)
        for value in condition.values:
            pattern = phrase_pattern(value, self.collection.language if self.collection else UNKNOWN)
            places = self._candidates(value, among)
            found = (bool(pattern.search(text)) for text in self._texts(places))
            having[places] |= np.fromiter(found, dtype=bool, count=len(places))
        if condition.operator == "!~":
            return ~having
        if not having.any():
            some = " that the rest of the filter lets pass" if not among.all() else ""
            words = " or ".join(map(shown, condition.values))
            raise ComponentError(f"where: no provision{self._of()}{some} has the phrase {words}.")
        return having

    def _candidates(self, phrase: str, among: Mask) -> Ints:
        """Return the provisions that may have a phrase, of some of them; ascending."""
        if self.collection is None:
            raise ComponentError("where: a phrase needs a collection: take the table from Collection.fields().")
        pattern_terms: set[str] = set()
        if self._held is None:
            index = SparseIndex.of(self.collection)
            pattern_terms = sure_terms(index.analyzer, phrase)
        if not pattern_terms:
            return np.flatnonzero(among)
        numbers = [index.terms.find(term) for term in pattern_terms]
        if min(numbers) < 0:
            return np.empty(0, dtype=np.int64)
        postings = sorted((index.documents[index.indptr[one] : index.indptr[one + 1]] for one in numbers), key=len)
        documents: npt.NDArray[np.integer[Any]] = postings[0]
        for others in postings[1:]:
            if len(documents) > _SHOWN:
                documents = documents[np.isin(documents, others, assume_unique=True)]
        places = documents.astype(np.int64)
        if not self.docno_table.equals(index.docno_table):
            places = np.sort(self.docno_table.numbers(index.docno_table[places]))
        return places[among[places]]

    def _texts(self, places: Ints) -> Iterator[str]:
        """Yield the title and the text of provisions, a line each."""
        assert self.collection is not None
        source = self.collection.source
        for number, record in enumerate((source.cut_store or source.store).at(places.tolist())):
            if number % 500 == 0:
                check_deadline()
            yield f"{folded(record.title)}\n{folded(record.text)}"

    # Masks.

    @cached_property
    def _own_docnos(self) -> Docnos:
        """The docnos of the collection: of provisions, or of chunks."""
        chunks = None if self.collection is None else self.collection.chunks
        return self.docno_table if chunks is None or self.collection is None else self.collection.source.store.docnos

    @cached_property
    def _held(self) -> tuple[Ints, Ints] | None:
        """Chunk and provision of each part of a chunk; None if the documents are provisions."""
        chunks = None if self.collection is None else self.collection.chunks
        if chunks is None:
            return None
        pairs = [
            (place, part.provision)
            for place, chunk in enumerate(self._own_docnos.array.tolist())
            for part in chunks[chunk]
        ]
        provisions = self.docno_table.numbers([provision for _, provision in pairs])
        chunk = np.array([place for place, _ in pairs], dtype=np.int64)
        return chunk[provisions >= 0], provisions[provisions >= 0]

    def _mask(self, where: str) -> Mask:
        """Return which provisions pass a filter; [n]."""
        asked = sorted(conditions(where), key=lambda one: one.field == "text")  # Fewer texts are read after the others.
        passes = np.ones(len(self.docno_table), dtype=bool)
        for condition in asked:
            is_text = condition.field == "text"
            passes &= self._text_mask(condition, passes) if is_text else self._field_mask(condition)
        return passes

    @cached_property
    def _of_index(self) -> WeakKeyDictionary[Docnos, tuple[Ints | None, dict[tuple[str, int | None], Mask]]]:
        """Places among the provisions or chunks of the documents of an index, None for the same; masks by filter, day.

        The provisions of a chunk collection count as an index, too.
        """
        return WeakKeyDictionary({self.docno_table: (None, {})})

    def passing(self, where: str, documents: Docnos, day: int | None = None, in_force: Mask | None = None) -> Mask:
        """Return which documents of an index pass a filter; see :class:`~legalir.frames.where.Fields`."""
        with self._lock:
            if documents not in self._of_index:
                same = self._own_docnos.equals(documents)
                self._of_index[documents] = None if same else self._own_docnos.numbers(documents.array), {}
            places, masks = self._of_index[documents]
        mask = masks.get((where, day))
        if mask is not None:
            return mask
        if in_force is not None:
            mask = self.passing(where, documents) & in_force
        elif documents is self.docno_table:
            mask = self._mask(where)
        else:
            mask = self.passing(where, self.docno_table)
            if self._held is not None:  # A chunk passes if a provision of it does.
                chunk, provisions = self._held
                mask = np.bincount(chunk, weights=mask[provisions], minlength=len(self._own_docnos)) > 0
            if places is not None:
                mask = mask[places] & (places >= 0)
        with self._lock:
            if len(masks) >= _MASKS:
                masks.clear()
            return masks.setdefault((where, day), mask)

    def any_passes(self, where: str) -> bool:
        """Return True if a provision of the collection passes a filter."""
        return bool(self.passing(where, self.docno_table).any())

    def lets_pass(self, where: str, docnos: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which provisions or chunks pass a filter; [m]. A document that the collection lacks passes."""
        passes = np.ones(len(docnos), dtype=bool)
        for table in {self.docno_table: None, self._own_docnos: None}:
            places = table.numbers(docnos)
            passes &= (places < 0) | self.passing(where, table)[places]
        return passes


def _values_of(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each field of a row that has a value, other than docno and text."""
    record = provision(dict(row))
    for name, value in zip(record._fields[1:], record[1:], strict=True):
        if name == "effective_from" and not value:
            value = version_date(record.doc_id)
        if value and name != "text":
            yield name, value
    for name, given in row.items():
        if name not in ALIASES and name not in record._fields and name.isidentifier():
            parts = given if isinstance(given, list) else [given]
            texts = [str(part) for part in parts if isinstance(part, str | int | float) and part != ""]
            if texts:
                yield name, "\n".join(texts)


def _having(condition: Condition, value: str, values: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which values of a field equal, or contain, one value of a condition."""
    if "~" in condition.operator:
        pattern = phrase_pattern(value)
        return np.fromiter((bool(pattern.search(folded(one))) for one in values), dtype=bool, count=len(values))
    wanted, keys = folded(value), condition.field == "docno"
    found = (
        wanted == folded(one)
        or (keys and wanted == folded(provision_key(one)))
        or ("\n" in one and wanted in map(folded, one.split("\n")))
        for one in values
    )
    return np.fromiter(found, dtype=bool, count=len(values))


_DATE, _DAY = regex.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?"), regex.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = regex.compile(r"\d+(?:\.\d+)*")
_ORDERS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


def _in_order(condition: Condition, values: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which values of a field, and last a missing one, are in the order that a condition asks for.

    Dates are compared by as many of their parts as the condition has, so that ``<=2020`` includes all of that year; an
    open end is later than any date. Other fields are compared as numbers, part by part: ``12.10`` is after ``12.2``.

    Raises:
        ComponentError: the value, or every value of the field, is neither a date nor a number, or there is no such day.
    """
    asked, compared = condition.values[0], _ORDERS[condition.operator]
    dates = condition.field.startswith("effective") or any(map(_DAY.fullmatch, values[:_SHOWN]))
    pattern = _DATE if dates else _NUMBER
    if not pattern.fullmatch(asked) or not any(map(pattern.match, values)):
        kind = "a date, as 2020-01-01" if dates else "a number"
        what = "its value is not" if not pattern.fullmatch(asked) else f"no {condition.field} is"
        raise ComponentError(f"where: {condition} compares dates or numbers, and {what} {kind}.")
    if dates:
        day_of(f"{asked}-01-01"[:10], f"where: {condition}")

    wanted = _parts(asked)
    most = len(wanted) if dates else None
    found = map(pattern.match, values)
    right = [one is not None and compared(_parts(one[0])[:most], wanted) for one in found]
    open_end = condition.field == ("effective_to" if condition.operator[0] == ">" else "effective_from")
    return np.array([*right, open_end], dtype=bool)


def _parts(number: str) -> tuple[int, ...]:
    return tuple(map(int, regex.findall(r"\d+", number)))


def _near(value: str, values: Sequence[str]) -> list[str]:
    wanted = folded(value)
    inside = [one for one in values if wanted in folded(one) or folded(one) in wanted][:_COMPARED]
    if inside:
        return sorted(inside, key=lambda one: (abs(len(one) - len(value)), one))[:3]
    names = {folded(one): one for one in values[:_COMPARED]}
    return [names[one] for one in get_close_matches(wanted, names, n=3, cutoff=0.5)]
