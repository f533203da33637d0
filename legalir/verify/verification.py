"""Each citation of a text, checked against the law of a collection as of a day."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher, get_close_matches
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from legalir.analysis.language import identify
from legalir.analysis.wording import decisive
from legalir.collections import Collection
from legalir.datasets.records import Provision
from legalir.errors import ComponentError, DataError, suggestion
from legalir.frames.as_of import named_day, today
from legalir.frames.component import check_deadline
from legalir.references.grammar import grammars
from legalir.references.law_names import compact, in_brackets
from legalir.references.lookup import NumberTable, as_article, is_of_other_units
from legalir.references.numbering import number_of, sort_key
from legalir.references.parts import has_part
from legalir.references.read import Reference, learn_names, place_of, read
from legalir.references.typed import Typed, as_typed, law_endings
from legalir.statutes.dates import NEVER, periods_in
from legalir.statutes.versions.difference import WordPart
from legalir.storage.validity import day_of, iso_date, provision_key
from legalir.verify.citations import EMPHASIS, Citation, citations_of, heading_at, is_quotation
from legalir.verify.days import numbered_days, state_beside, words_of
from legalir.verify.parts import Part, part_of, text_of
from legalir.verify.repeals import Repeals
from legalir.verify.wording import cut_off, differing, letters

State = Literal[
    "right",
    "wording differs",
    "title differs",
    "no such provision",
    "repealed",
    "not yet in force",
    "moved",
    "no such law",
    "name unclear",
    "outside this collection",
    "could not check",
]
"""What is known of a citation, exactly one of these.

``right``: the law has the provision, on the day, with the heading and the words that the text gives.
``wording differs``, ``title differs``: it has other words, or another heading. ``no such provision``: the law lacks the
number, or the provision the paragraph or item. ``repealed``, ``not yet in force``: not in force on the day.
``moved``: it has another number now. ``no such law``: the collection says that it is complete, and has none.
``name unclear``: no law has exactly this name, or several have it. ``outside this collection``: the collection does not
have the law. ``could not check``: the reason says why.
"""

WRONG = frozenset(
    ("wording differs", "title differs", "no such provision", "repealed", "not yet in force", "moved", "no such law")
)
"""States of citations that are wrong. The others but ``right`` are undecided."""

_OF_QUOTATION = re.compile(
    r"[\d.…]|emphas|translat|added|omitted|italic|hervorheb|übersetz|soulign|traduc|enfasi|traduzione|cursief|kursiver",
    re.IGNORECASE,
)
"""A note about a quotation: *(Emphasis added)*."""
_TERM = "in quotation marks is not in it: taken for a term."
_NUMBER = re.compile(r"\d+(?:[\s.,]\d{3}(?!\d))*")

_CODE = re.compile(r"\s?[(（][^()（）]{2,12}[)）]\s*\Z")
_OF = re.compile(
    r"[\s,]*(?:of|de[rsl]?|du|des|dem|della?|dello|dell'|de la|d[aoe]s?|van|von|แห่ง|của|the|\s)*\s*", re.IGNORECASE
)
_TO = re.compile(
    r"[\W_]{0,4}(?:의|的|の)?[\W_]{0,2}"
    r"(?:(?<=[\s,])(?!(?:and|or|et|ou|und|oder|y|e|o|en|of|och|og|ja|i|oraz|lub|ve|dan)\s)[a-zA-Zà-ÿ]{1,4}\.?\s)?"
)
"""What may be between a number and the name of its law behind it, and before it."""

_OVER = re.compile(r"[)\]”\"’»]{0,2}[.;]\s")
"""The end of a sentence behind a name: ``… of the Harbour Rules. Section 22``, ``… Rules). Section 22``."""

_CASED = re.compile(r"(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0e7f])[^\W\d_]){2}")
"""Two letters of one word, in scripts with blanks between words."""

_YEAR = re.compile(r"\s\(?(?:1[5-9]|20)\d\d(?!\w|[./-]\d)\)?")
_SENTENCE_CITED = re.compile(
    r"(?:Satz|Sätze|sentence|S\.|zin|frase|phrase|frasi|volzin|punktum|pkt\.)\s?\d+", re.IGNORECASE
)
"""A sentence that a citation names: what is numbered in no text."""
_RANGE = re.compile(r"(\d+)-(\d+)")
_LONGEST = 1000
"""Maximum number of characters of words that are looked up as one citation."""

_MOST_LAWS = 8
"""Maximum number of laws whose provisions are offered for a citation that does not decide between them."""

_MOST_READ = 300
"""Maximum number of provisions of a law in which the name of its state is looked for."""

_SAME_LAW = re.compile("現行|改正|同|当該|上記|前記|本|各")
"""Words before a Japanese name that do not make it that of another law."""

_THAI = re.compile(r"[\u0e00-\u0e7f]")
_RUNS_ON = re.compile(
    r"(?!(?:และ|หรือ|ที่|ว่า|ได้|ให้|จะ|มี|ซึ่ง|นี้|นั้น|ใน|กับ|โดย|ตาม|มา|คือ|ก็|ไว้|เป็น|ฯ|ๆ))[\u0e00-\u0e7f]{1,3}(?![\u0e00-\u0e7f])"
)
"""One to three Thai letters behind a name that are no word."""

_ALIKE_REST = 0.6
"""How like the rest of a name of a law the words behind its beginning are that misspell it (`SequenceMatcher`)."""

_OF_ANOTHER = 0.65
"""Share of the letters of words beside a citation that its provision must have for them to be a changed quotation."""

_STATE = 3
"""Most letters of a state before the name of its law: *UK Companies Act*."""

_SHORT = 5
"""Most letters of a short name of a law."""

_DAY = 40
"""Characters behind the name of a law in which its day may be."""

_ALIKE = 0.75
"""Share of pairs of letters that two names of laws must have in common for one to be a misspelling of the other."""


class Checked(NamedTuple):
    """A citation of a text and what is known of it.

    Attributes:
        start: place of its first character in the text.
        end: after its last one.
        words: ``text[start:end]`` without the marks of Markdown around words.
        state: see `State`.
        reason: one sentence, empty if it is right and nothing is to be said.
        day: the day as of which it was checked, ISO date; empty if the text names several for it.
        law: the name of the law in the collection, empty if it is not known.
        docnos: of the provisions that it cites.
        nearest: what comes nearest, or may be meant: docnos, or names of laws.
        parts: the words of the provision and of the quotation, where they differ.
        part: what it cites inside the provision: paragraph, item and subitem, each empty if it is not named.
    """

    start: int
    end: int
    words: str
    state: State
    reason: str = ""
    day: str = ""
    law: str = ""
    docnos: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    parts: tuple[WordPart, ...] = ()
    part: Part = ()

    @property
    def others(self) -> tuple[str, ...]:
        """`nearest`, unless it is the provision that is cited itself."""
        return () if self.state in ("repealed", "not yet in force") else self.nearest

    @property
    def shows(self) -> str:
        """Docno of the provision to show: the cited one, else its version that is not, or may not be, in force.

        Empty for none and for several.
        """
        near = self.nearest if self.state in ("repealed", "not yet in force", "moved", "could not check") else ()
        one = self.docnos or near
        return one[0] if len(one) == 1 else ""


@dataclass(frozen=True)
class Verification:
    """All citations of a text, each with its state; made by :class:`Verifier`.

    Attributes:
        text: the text, in NFC.
        collection: id of the collection.
        lang: language of the text, ISO 639-1.
        day: the day that was asked for, or today; citations for which the text names another day have their own.
        citations: in the order of the text.
        titles: title of each provision that is named, by docno.
    """

    text: str
    collection: str
    lang: str
    day: str
    citations: tuple[Checked, ...]
    titles: dict[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """Number of citations in each state that occurs."""
        return dict(Counter(one.state for one in self.citations))

    @property
    def wrong(self) -> int:
        """Number of citations that are wrong."""
        return sum(one.state in WRONG for one in self.citations)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the text as plain values for JSON; lines and columns count from 1."""
        lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        citations = []
        for one in self.citations:
            line = bisect_left(lines, one.start + 1)
            place = {"line": line, "column": one.start - lines[line - 1] + 1}
            known = {name: value for name, value in one._asdict().items() if value or name == "start"}
            citations.append({**place, **known})
        return {
            "collection": self.collection,
            "day": self.day,
            "counts": self.counts,
            "wrong": self.wrong,
            "citations": citations,
            "titles": self.titles,
        }


class Verifier:
    """Checks the citations of texts against a collection.

    Args:
        collection: the law.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._table = NumberTable.of(collection)
        self._lang = collection.language
        self._repeals = Repeals(collection)
        self._record = lru_cache(4096)(self._read)
        self._references = lru_cache(1024)(self._references_of)
        self._articles = lru_cache(256)(self._articles_of)
        self._names_state = lru_cache(256)(self._names_of_state)
        self._nearest_laws = lru_cache(4096)(self._laws_like)

    def verify(self, text: str, *, as_of: str | date | None = None, lang: str = "", law: str = "") -> Verification:
        """Return each citation of a text with its state.

        Args:
            text: any text, read in NFC; lines that are only wrapped are read as one.
            as_of: the day of the law; None for today. A day that the text names for a citation goes before.
            lang: language of the text, ISO 639-1; empty: it is recognised.
            law: name of the law that citations without one mean; empty: the law named last in the same paragraph.

        Raises:
            ComponentError: `as_of` is not a date, or the collection has no law `law`.
            DataError: there is no grammar of references in the language of the text, nor in that of the collection.
            TimeoutError: a server has set a time, which is up.
        """
        text = unicodedata.normalize("NFC", text)  # Files of a Mac may have letters in parts.
        day = iso_date(named_day("today" if as_of is None else as_of))
        if law and not self._table.law_names.named(law):
            raise ComponentError(
                f"verify: {self._collection.id} has no law {law!r}.{suggestion(law, self._table.laws)}"
            )
        named = (lang or identify([text]), *self._table.languages(text), self._lang)
        languages = [each for one in named if (each := one.partition("-")[0]) in grammars()]
        if not languages:
            raise DataError(
                f"verify: there is no grammar of references in {' or '.join(dict.fromkeys(named))}: give the language "
                f"of the text; there are {', '.join(grammars())}."
            )
        plain, places = _without_emphasis(text)
        names = self._table.law_names
        found = citations_of(plain, languages, self._docno, names.named, names.find, bool(law))

        def check(one: Citation) -> Checked:
            return self._checked(plain, one, day, as_of is not None, law)

        found = _shared(plain, found, check)
        checked: dict[int, Checked] = {}
        # A citation in a quotation comes after the one that quotes, which may stand behind it.
        for place in sorted(range(len(found)), key=lambda place: found[place].quoted_by >= 0):
            check_deadline()
            one = found[place]
            outer = checked.get(one.quoted_by)
            if outer is not None and _TERM not in outer.reason and outer.state in ("right", "wording differs"):
                checked[place] = _quoted(plain, one, outer)
            else:
                checked[place] = check(one)
        if not found and (alone := self.find(plain, as_of=as_of)):
            checked[0] = alone  # No sentence, of which a language could be recognised.
        for place, one in enumerate(found):
            if one.reference is not None:
                following = found[place + 1].reference if found[place + 1 :] else None
                checked[place] = checked[place]._replace(part=part_of(one.reference, following))
        docnos = {docno for one in checked.values() for docno in (*one.docnos, *one.nearest)}
        titles = {docno: record.title for docno in sorted(docnos) if (record := self._record(docno))}
        in_order = (checked[place] for place in sorted(checked))
        own = tuple(one._replace(start=places[one.start], end=places[one.end - 1] + 1) for one in in_order)
        return Verification(text, self._collection.id, named[0], day, own, titles)

    def parts_cited(self, docno: str, cited: str) -> list[Part] | None:
        """Return the parts of a provision that another one cites, ``()`` for all of it; None if no reference is read.

        Args:
            docno: of the provision that cites.
            cited: docno of the provision that it cites.
        """
        parts, day = [], iso_date(today())
        references = self._references(docno)
        for place, one in enumerate(references):
            laws = self._table.law_names.named(one.law) if one.law else ()
            if one.annex or one.supplement:
                named: Sequence[str] = self._apart(one, laws or None, Checked(0, 0, "", "right", day=day), False).docnos
            else:
                places = self._table.provisions(as_article(one), laws or None).tolist() if one.article else ()
                named = [str(self._table.docnos[each]) for each in places]
            if provision_key(cited) in map(provision_key, named):
                parts.append(part_of(one, references[place + 1] if references[place + 1 :] else None))
        return parts or None

    def _references_of(self, docno: str) -> list[Reference]:
        record, lang = self._record(docno), self._lang
        if record is None or lang.partition("-")[0] not in grammars():
            return []
        at = place_of(record.article, lang, record.law)
        at = at if at.article or at.annex or at.supplement else at._replace(article=record.article)
        return read(record.text, lang, at, learn_names(record.text, lang))

    def find(self, words: str, *, as_of: str | date | None = None) -> Checked | None:
        """Return the provision that a citation means, if the words are nothing else.

        Args:
            words: a law and a number in any spelling, a docno, or a citation as results print it.
            as_of: the day of the law; None for today. A docno of a version means that version on any day.

        Returns:
            What is known of it, ``right`` with its docnos if the law has it; None if the words are no citation alone.
            For a law that cannot be decided, `nearest` has the provisions with that number in each that may be meant.

        Raises:
            ComponentError: `as_of` is not a date.
        """
        day = iso_date(today() if as_of is None else named_day(as_of))
        if len(words) > _LONGEST:
            return None
        start = Checked(0, len(words), words, "right", day=day)
        text = as_typed(words)
        if (docno := self._docno_of(words.strip(), text)) is not None:
            if docno != provision_key(docno):
                return start._replace(docnos=(docno,))
            return self._in_force(self._table.versions(docno), start, as_of is not None)
        known: list[Checked] = []
        if self._table.law_names.in_full(text):
            return None
        for typed in self._table.divisions(text):
            found = self._typed(text, typed, start, as_of is not None)
            if found is not None and found.state == "right":
                old = words_of("old_after").search(text)
                return _of_old(found, old[1]) if old else found
            known += [found] if found is not None else []
        return max(known, key=lambda one: len(one.law), default=None)

    def _docno_of(self, words: str, text: str) -> str | None:
        """Return the docno of a provision or version that words are, with no regard to upper and lower case."""
        docnos = self._table.docno_table
        for form in dict.fromkeys((words, text, text.upper(), text.lower())):
            if self._table.versions(form) or (form != provision_key(form) and docnos.numbers([form])[0] >= 0):
                return form
        return None

    def _typed(self, text: str, typed: Typed, start: Checked, given: bool) -> Checked | None:
        """Return what is known of a citation, or None if these words are no such citation."""
        near: tuple[str, ...] = ()
        table = self._table
        laws: tuple[int, ...] = typed.laws or ((0,) if len(self._table.laws) == 1 and not typed.law else ())
        if typed.law and any(_is_misread(typed.law, "", table.laws[law]) for law in laws):
            near, laws = tuple(table.laws[law] for law in laws), ()
        if len(laws) == 1 and (told := _dated_otherwise(typed.law, table.laws[laws[0]])):
            found = self._provided(typed, laws, start, given)
            docnos = () if found is None else found.docnos
            return start._replace(state="name unclear", reason=told, nearest=docnos or (table.laws[laws[0]],))
        if len(laws) == 1:
            found = self._provided(typed, laws, start._replace(law=table.laws[laws[0]]), given)
            if found is None or not typed.heading:
                return found if found is None or table.law_names.is_listed(typed.law or found.law) else _taken(found)
            return self._with_heading(text, typed, laws, found)
        if not table.laws:
            found = self._provided(typed, None, start, given)
            return found if found is not None and self._is_own(typed.law, found) else None
        if typed.heading or not (laws or (typed.reference and (typed.marked or len(compact(typed.law)) > 2))):
            return None
        if typed.law and not laws and not near:
            near = self._nearest_laws(typed.law, True) or self._nearest_laws(typed.law)
        meant = laws or tuple(law for name in near for law in table.law_names.in_full(name))
        each = [self._provided(typed, (law,), start, given) for law in meant[:_MOST_LAWS]]
        docnos = tuple(docno for one in each if one is not None for docno in (one.docnos or (one.shows,)) if docno)
        if laws:
            names = "; ".join(table.laws[law] for law in laws[:_MOST_LAWS])
            reason = f"{len(laws)} laws may have this name: {names}."
            return start._replace(state="name unclear", reason=reason, nearest=docnos) if docnos else None
        if not typed.law:
            return start._replace(state="could not check", reason="It does not say of which law it is.")
        if near:
            reason = f"The collection has no law of exactly this name: {near[0]}?"
            return start._replace(state="name unclear", reason=reason, nearest=docnos or near)
        names_another = any(one.laws for one in table.law_names.find(typed.law)) or any(
            map(table.law_names.named, typed.law.split() if " " in typed.law else ())
        )
        if names_another or not (table.law_names.is_listed(typed.law) or _is_like_a_law(typed.law, self._lang)):
            return None
        if self._collection.source.about.complete:
            reason = "The collection, which says that it is complete, has no such law."
            return start._replace(state="no such law", reason=reason)
        return start._replace(state="outside this collection", reason="The collection does not have this law.")

    def _is_own(self, law: str, found: Checked) -> bool:
        """Return True if words name the law of a collection whose provisions do not say of which law they are."""
        own, prefix = compact(law), self._table.prefix
        shown = found.docnos or found.nearest
        titles = [re.split(r"\d", record.title)[0] for one in shown if (record := self._record(one))]
        names = [
            compact(" ".join(title.split()[:size])) for title in titles for size in range(1, len(title.split()) + 1)
        ]
        listed = self._table.law_names.listed(law)
        return own in ("", prefix) or own in names or any(one in names for one in listed)

    def _provided(self, typed: Typed, laws: Sequence[int] | None, start: Checked, given: bool) -> Checked | None:
        """Return a citation of the provision whose number is the typed one, or is read so; None if none is read."""
        exact = self._table.with_number(typed.number, laws or ())
        if typed.reference is not None and typed.reference.group and not exact:
            chapter = f"{number_of(typed.reference.group)}:{typed.reference.article}"  # 3 kap. 1 §
            if not (exact := self._table.with_number(chapter, laws or ())):
                return None
        if exact:
            return self._of_other_units(start.words, laws, exact, start) or self._in_force(exact, start, given)
        if (reference := typed.reference) is None or _is_range(typed.number):
            return None
        found = self._provision(reference, laws, start, given)
        if found.state == "right" and found.docnos:
            found = self._compared(Citation(0, len(start.words), reference), found, laws)
        return found

    def _with_heading(self, text: str, typed: Typed, laws: Sequence[int], found: Checked) -> Checked | None:
        """Return a citation with the words behind its number compared with the heading of the provision."""
        shown = found.docnos or ((found.shows,) if found.shows else ())
        records = [record for docno in shown if (record := self._record(docno))]
        words = compact(typed.heading)
        own = [compact(each) for record in records for each in (record.heading, in_brackets(record.title)) if each]
        if any(compact(record.title) == compact(text) for record in records) or words in own:
            return found
        if typed.heading[0] not in "(（[【" or not records:
            return None
        return self._headed(typed.heading[1:-1], records, laws, found)

    # -- what the collection has -------------------------------------------------------------------------------------

    def _read(self, docno: str) -> Provision | None:
        return self._collection.provisions([docno]).get(docno)

    @cached_property
    def _docno(self) -> re.Pattern[str] | None:
        """What docnos and keys of provisions look like: letters and digits where those of the collection have some."""
        docnos = self._table.docnos[:2000].tolist()
        shapes = {
            re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", "a", each)) for one in docnos for each in (one, provision_key(one))
        }
        forms = [
            re.escape(one).replace("a", r"[^\W\d_]+").replace("0", r"\d+")
            for one in shapes
            if re.search("a.*0|0-0", one)
        ]
        return re.compile("|".join(sorted(forms, key=len, reverse=True))) if forms else None

    def _articles_of(self, law: int) -> list[tuple[str, int]]:
        """Return sort key and place of the provisions of a law, by their numbers."""
        places = np.flatnonzero(np.asarray(self._table.arrays["law"]) == law).tolist()
        return sorted((sort_key(article), place) for place in places if (article := self._table.article(place)))

    def _lang_of(self, law: str) -> str:
        """Return the language of a law."""
        laws = self._table.law_names.named(law)
        return self._table.language(laws[0]) if laws else self._lang

    def _near(self, number: str, laws: Sequence[int]) -> tuple[str, ...]:
        """Return the provisions before and after a number that a law does not have."""
        found: list[int] = []
        for law in laws:
            articles = [each for each in self._articles(law) if self._table.article(each[1])[0].isdigit()]
            at = bisect_left(articles, (sort_key(number), -1))
            found += [place for _, place in articles[max(0, at - 1) : at + 1]]
        return tuple(str(self._table.docnos[place]) for place in found)

    def _laws_like(self, name: str, unread: bool = False) -> tuple[str, ...]:
        """Return the laws whose names are nearly a name, the most similar first.

        Args:
            name: the words.
            unread: whether no grammar takes them for a law; then a short name may also have one other letter.
        """
        if begun := self._table.law_names.beginning(name):
            return tuple(self._table.laws[law] for law in begun[:_MOST_LAWS])
        if unread and len(short := compact(name)) <= _SHORT:
            return tuple(law for law, key in self._short_laws if _one_letter_apart(short, key))[:3]
        pairs = _pairs(name)
        alike: Counter[int] = Counter()
        for pair in pairs:
            alike.update(self._by_pair.get(pair, ()))
        shares = ((2 * count / (len(pairs) + len(self._pairs[law])), law) for law, count in alike.most_common(200))
        best = sorted(((-share, law) for share, law in shares if share >= _ALIKE))[:3]
        return tuple(self._table.laws[law] for _, law in best)

    @cached_property
    def _short_laws(self) -> list[tuple[str, str]]:
        """The laws with a short name, and its letters."""
        keys = ((law, compact(law)) for law in self._table.laws)
        return [(law, key) for law, key in keys if len(key) <= _SHORT]

    @cached_property
    def _by_pair(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for law, pairs in enumerate(self._pairs):
            for pair in pairs:
                found.setdefault(pair, []).append(law)
        return found

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        return [_pairs(name) for name in self._table.laws]

    # -- one citation ------------------------------------------------------------------------------------------------

    def _checked(self, text: str, one: Citation, day: str, given: bool, own: str) -> Checked:
        start = Checked(one.start, one.end, text[one.start : one.end], "right", day=day)
        if "" in one.days:
            reason = "The text names a day for it that does not exist."
            return start._replace(state="could not check", day="", reason=reason)
        if len(one.days) > 1:
            return start._replace(
                state="could not check", day="", reason=f"The text names several days for it: {', '.join(one.days)}."
            )
        if one.days:
            given, start = True, start._replace(day=one.days[0])
        if one.reference is None:
            return self._docno_checked(one, start, given)
        named = self._named(one, own)
        if isinstance(named, _Found):
            return named.of(start)
        laws, unsure, name = named
        if laws is not None and len(laws) == 1:
            start = start._replace(law=self._table.laws[laws[0]])
        found = self._provision(one.reference, laws, start, given)
        if found.state == "right" and found.docnos:
            found = self._compared(one, found, laws)
        elif found.state == "right" and (words := max((*one.quotations, *one.beside), key=len, default="")):
            reason = f"It names no provision with which the words in quotation marks could be compared: {_cut(words)}."
            found = found._replace(state="could not check" if is_quotation(words, 1.5) else "right", reason=reason)
        if one.old and not one.days and found.state not in ("outside this collection", "could not check"):
            return _of_old(found, one.old)
        if found.state in ("right", *WRONG) and found.law and (other := self._other_state(one, found.law)):
            reason = f"The text names {other}, and {found.law} does not: it may be another law."
            near = found.docnos or found.nearest
            return found._replace(state="could not check", reason=reason, docnos=(), nearest=near, parts=())
        if not unsure:
            return found if not name or self._table.law_names.is_listed(name) else _taken(found)
        reason = f"The text does not say of which law it is; taken for {one.before or found.law or 'this one'}."
        state: State = "right" if found.state == "right" else "could not check"
        if found.state in ("repealed", "not yet in force"):
            found = found._replace(docnos=found.nearest, nearest=())
        return found._replace(state=state, reason=f"{reason} {found.reason}".rstrip(), parts=())

    def _other_state(self, one: Citation, law: str) -> str:
        """Return the state that the text names beside a citation, if nothing in the law and its collection does."""
        state, words = state_beside(one.near, one.at, one.until)
        return state if state and not self._names_state(law, state, words) else ""

    def _names_of_state(self, law: str, state: str, words: str) -> bool:
        about = self._collection.source.about
        said = [law, self._collection.id, *filter(None, (about.title, about.description, about.source))]
        place = self._table.laws.index(law)
        records = (self._record(str(self._table.docnos[each])) for _, each in self._articles(place)[:_MOST_READ])
        said += [f"{record.title} {record.text}" for record in records if record]
        return any(state in each or re.search(rf"\b(?:{words})", each, re.IGNORECASE) for each in said)

    def _docno_checked(self, one: Citation, start: Checked, given: bool) -> Checked:
        key = provision_key(one.docno)
        versions = self._table.versions(key)
        if not versions or (key != one.docno and self._record(one.docno) is None):
            near = get_close_matches(one.docno, self._table.docnos.tolist(), n=1)
            reason = "The collection has no such docno."
            return start._replace(state="no such provision", reason=reason, nearest=tuple(near))
        found = self._in_force(versions, start, given)
        if found.state != "right":
            return found
        if key != one.docno and one.docno not in found.docnos:
            reason = f"This version is not in force on {start.day}; another one is."
            return found._replace(state="wording differs", reason=reason)
        return self._compared(one, found, None)

    def _named(self, one: Citation, own: str) -> _Found | tuple[tuple[int, ...] | None, bool, str]:
        """Return the laws that a citation means, None for any; whether that is only likely; and the words for it."""
        reference, table = one.reference, self._table
        assert reference is not None
        if reference.law_kind == "relative" or (reference.counted and not reference.article):
            return _Found("could not check", "It is counted from its place in a law, which the text does not tell.")
        laws, name = self._meant(one)
        if not name:
            if reference.law_kind == "short":
                return _Found("could not check", "The text does not say which law its short name means.")
            if own:
                return table.law_names.named(own), False, ""
            if not table.laws or (len(table.laws) == 1 and not one.before):
                return ((0,) if table.laws else None), True, ""
            if not one.before or not (laws := table.law_names.named(one.before)):
                return _Found("could not check", "The text does not say of which law it is.")
        whole = [law for law in laws if compact(table.laws[law]) == compact(name or one.before)]
        laws = tuple(whole or laws)  # Another one may have words in brackets behind the same name.
        behind = one.near.partition(name or one.before)[2]
        if len(laws) == 1 and _is_misread(name or one.before, behind, table.laws[laws[0]]):
            law = table.laws[laws[0]]
            return _Found("name unclear", f"The collection has no law of exactly this name: {law}?", (law,))
        if len(laws) == 1 and (told := _dated_otherwise((name or one.before) + behind[:_DAY], table.laws[laws[0]])):
            return _Found("name unclear", told, (table.laws[laws[0]],))
        if len(laws) == 1:
            return laws, not name, name
        if laws:
            names = tuple(table.laws[law] for law in laws)
            return _Found("name unclear", f"{len(laws)} laws have this name.", names)
        if not table.laws:
            if compact(name) == table.prefix:
                return None, False, ""
            return _Found("could not check", "The provisions of the collection do not say of which law they are.")
        if near := self._nearest_laws(name, not reference.law) or self._of_day(name):
            return _Found("name unclear", f"The collection has no law of exactly this name: {near[0]}?", near)
        if self._collection.source.about.complete:
            return _Found("no such law", "The collection, which says that it is complete, has no such law.")
        return _Found("outside this collection", "The collection does not have this law.")

    def _meant(self, one: Citation) -> tuple[tuple[int, ...], str]:
        """Return the laws that a citation names, and the words; no words if it names none.

        Where the grammar reads no name, or one that no law has, the names of the collection's laws are looked for
        directly before and behind the citation, and then names that are nearly those.
        """
        reference, names = one.reference, self._table.law_names
        assert reference is not None
        words = reference.law
        if _CASED.fullmatch(one.near, one.until - 1, one.until + 1):
            words = ""  # The grammar has read a part of a word.
        laws = names.named(words)
        if laws and (bracket := _CODE.search(words)) and not names.in_full(words):
            # A code in brackets names a law, but not if the name before it is another one.
            return (() if self._nearest_laws(words[: bracket.start()]) else laws), words
        if names.in_full(words):
            return laws, words
        beside = [
            one.near[mention.start : _with_year(one.near, mention.end)]
            for mention in names.find(one.near)
            if mention.laws and _is_beside(one, mention.start, mention.end, overlapping=True)
            if not self._is_end_of(words, one.near[mention.start : mention.end])
        ]
        if beside and len(full := max(beside, key=len)) > len(words if laws else ""):
            return names.named(full), full  # Of a long name without quotes, the grammar may have read only the end.
        if laws:
            return laws, words
        if words or not (reference.article or reference.annex or reference.supplement):
            return (), words
        pieces = [(piece.start(), piece.end()) for piece in re.finditer(r"\S+", one.near)]
        first_behind = next((n for n, (start, _) in enumerate(pieces) if start > one.at), len(pieces))
        begins = [n >= first_behind and _is_beside(one, *piece) for n, piece in enumerate(pieces)]
        ends = [end <= one.at and _is_beside(one, end, end) for _, end in pieces]
        for size in self._lengths:
            for first in range(len(pieces) - size + 1):
                if not (begins[first] if first >= first_behind else ends[first + size - 1]):
                    continue
                start, end = pieces[first][0], pieces[first + size - 1][1]
                name = one.near[start:end].strip('.,;:()„“”"«»')
                if self._nearest_laws(name, True) and not names.find(name):
                    return (), name
        return (), ""

    def _of_day(self, name: str) -> tuple[str, ...]:
        """Return the laws that a kind and a day may mean, without a number: *loi du 8 avril 2016*."""
        days = [one for one in periods_in(name, only_days=True) if one.first]
        kind = re.match(r"[^\W\d_]+", name)
        if len(days) != 1 or not kind or re.search(r"\d", name[: days[0].start] + name[days[0].end :]):
            return ()
        laws = (self._table.laws[law] for law in self._by_day.get(days[0].first, ()))
        return tuple(law for law in laws if compact(kind[0]) in compact(law))[:_MOST_LAWS]

    @cached_property
    def _by_day(self) -> dict[str, list[int]]:
        """The laws whose names have one day, by that day."""
        found: dict[str, list[int]] = {}
        for law, name in enumerate(self._table.laws):
            days = {one.first for one in periods_in(name, only_days=True)}
            for day in days if len(days) == 1 else ():
                found.setdefault(day, []).append(law)
        return found

    def _is_end_of(self, words: str, name: str) -> bool:
        """Return True if a name is the end of a longer one, which may be another law: the *New* Harbours Act."""
        before = words.removesuffix(name)
        if before in ("", words) or _THAI.match(name):
            return False
        if _CASED.search(before):
            return any(word[0].isupper() and not (word.isupper() and len(word) <= _STATE) for word in before.split())
        return self._lang.startswith("ja") and not _SAME_LAW.fullmatch(before)

    @cached_property
    def _lengths(self) -> list[int]:
        """Numbers of words that the names of the laws have, where names have blanks between words."""
        return sorted({min(len(name.split()), 12) for name in self._table.laws})[::-1]

    def _provision(self, reference: Reference, laws: Sequence[int] | None, start: Checked, given: bool) -> Checked:
        table = self._table
        if reference.annex or reference.supplement:
            return self._apart(reference, laws, start, given)
        number = reference.article
        if not number:
            if reference.group or reference.paragraph or reference.item:
                return start._replace(state="could not check", reason="It names no article.")
            return self._of_other_units(start.words, laws, (), start) or start
        wanted = as_article(reference)
        places = table.provisions(wanted, laws).tolist() or self._gone(wanted.number, laws)
        words = f"rule {number}" if reference.word == "r" else start.words
        if places and (of_act := self._of_other_units(words, laws, places, start)):
            return of_act
        if not places:
            near = self._near(wanted.number, laws or (0,)) if table.laws else ()
            return start._replace(state="no such provision", reason=f"The law has no number {number}.", nearest=near)
        return self._in_force(places, start, given)

    def _of_other_units(
        self, words: str, laws: Sequence[int] | None, places: Sequence[int], start: Checked
    ) -> Checked | None:
        """Return a citation whose words name a rule or a clause of an act, which has sections; None for any other.

        A schedule of the act may have rules, and a contract under it clauses.
        """
        if not laws or not all(is_of_other_units(words, self._table.laws[law]) for law in laws):
            return None
        near = tuple(str(self._table.docnos[place]) for place in places)
        apart = any(self._table.article(place).startswith("annex") for law in laws for _, place in self._articles(law))
        return start._replace(
            state="could not check" if apart or not places else "no such provision",
            reason="The provisions of an act are sections.",
            nearest=near,
        )

    def _gone(self, number: str, laws: Sequence[int] | None) -> list[int]:
        """Return the provision without a text that is of several numbers, of which one is this: *§§ 3 bis 5*.

        Where a number such as 7-14 has a text, or another one begins alike, a dash means no range: 제7-14조.
        """
        places = (place for law in laws or () if number.isdecimal() for _, place in self._articles(law))
        dashed = [(place, ends) for place in places if (ends := _RANGE.fullmatch(self._table.article(place)))]
        ranges = [(place, ends) for place, ends in dashed if int(ends[1]) < int(ends[2])]
        records = (self._record(str(self._table.docnos[place])) for place, _ in ranges)
        if not all(record and (not record.text.strip() or self._repeals.notice(record)) for record in records):
            return []
        first = Counter(ends[1] for _, ends in dashed)
        within = (one for one in ranges if first[one[1][1]] == 1)
        return [place for place, ends in within if int(ends[1]) <= int(number) <= int(ends[2])]

    def _apart(self, reference: Reference, laws: Sequence[int] | None, start: Checked, given: bool) -> Checked:
        """Return a citation of an annex, or of a supplement and an article of it."""
        kind, head = ("supplement", "supp") if reference.supplement else ("annex", "annex")
        words = reference.supplement or reference.annex
        first = compact(re.split(r"[\s\d]", words, maxsplit=1)[0])
        articles = (place for law in laws or range(len(self._table.laws)) for _, place in self._articles(law))
        parts = ((self._table.article(place).partition("/"), place) for place in articles)
        named = [(compact(whole), compact(part), place) for (whole, _, part), place in parts]
        known = [one for one in named if one[0].startswith((head, first))]
        if not known:
            reason = f"The collection has no {kind} of this law: only its articles."
            return start._replace(state="could not check", reason=reason)
        number = compact(number_of(words.partition(" ")[2]) if reference.supplement else number_of(words))
        meant: list[int] = []
        apart: dict[str, list[int]] = {}  # Paragraphs, or articles of a supplement, that are provisions of their own.
        for whole, part, place in known:
            if not number or (number_of(whole.removeprefix(head).removeprefix(first)) or whole) == number:
                (apart.setdefault(part, []) if part else meant).append(place)
        wanted = number_of(reference.article or reference.item or reference.paragraph)
        undivided = kind == "supplement" and not reference.article  # The paragraph of one that has no articles.
        inside = [] if undivided or not wanted else apart.get(wanted, [])
        if apart and not wanted:
            meant = [*meant, *(place for places in apart.values() for place in places)]
        elif inside and kind == "annex":
            meant = inside
        elif apart:  # What the annex or the supplement itself has may still number it.
            records = {place: self._record(str(self._table.docnos[place])) for place in meant}
            numbered = {
                place
                for place, one in records.items()
                if one and one.text and has_part(reference, one, self._lang_of(one.law))[0]
            }
            meant = [*inside, *(place for place in meant if place in numbered)]
        keys = {self._table.article(place).partition("/")[0] for place in meant}
        if not meant:
            near = tuple(str(self._table.docnos[place]) for *_, place in known[:3])
            unit = "article " if reference.article else ""
            words = f"{words} {unit}{wanted}" if apart else words
            return start._replace(state="no such provision", reason=f"The law has no {words}.", nearest=near)
        if len(keys) > 1:
            return start._replace(
                state="could not check",
                reason=f"The law has {len(keys)} of this kind, and no number says which is meant.",
                nearest=tuple(sorted({provision_key(str(self._table.docnos[place])) for place in meant}))[:5],
            )
        return self._in_force(meant, start, given)

    def _in_force(self, places: Sequence[int], start: Checked, given: bool) -> Checked:
        """Return a citation of the provisions in force among the versions of some, or what became of them."""
        table, validity = self._table, self._table.validity
        names = tuple(str(table.docnos[place]) for place in places)
        if validity is not None:
            day = day_of(start.day, "as_of")
            valid = [place for place in places if validity.begin[place] <= day < validity.end[place]]
            if valid:
                names = tuple(str(table.docnos[place]) for place in valid)
                reasons = [self._repeals.reason(record, start.day) for name in names if (record := self._record(name))]
                if reasons and all(reasons):
                    return start._replace(state="repealed", reason=reasons[0], nearest=names[:1])
                return start._replace(docnos=names)
            if validity.first is not None and day < validity.first:
                return start._replace(
                    state="could not check",
                    reason=f"The collection begins on {iso_date(validity.first)}.",
                    nearest=names[:1],
                )
            begin = min(int(validity.begin[place]) for place in places)
            if day < begin:
                return start._replace(
                    state="not yet in force", reason=f"It applies from {iso_date(begin)}.", nearest=names[:1]
                )
            last = max(places, key=lambda place: int(validity.end[place]))
            since = iso_date(int(validity.end[last]))
            became = table.became(last, validity.on(day))
            if became:
                targets = tuple(str(table.docnos[place]) for place in became)
                return start._replace(
                    state="moved", reason=f"Since {since} it has another number.", docnos=targets, nearest=targets
                )
            reason = f"It is repealed since {since}." if since else "The collection marks it as repealed."
            return start._replace(state="repealed", reason=reason, nearest=(str(table.docnos[last]),))
        records = [record for name in names if (record := self._record(name))]
        found = [self._of_the_day(record, start) for record in records]
        if found and not any(one.docnos for one in found):
            return found[0]
        names = tuple(docno for one in found for docno in one.docnos) or names
        if given and start.day < iso_date(today()) and not all(record.effective_from for record in records):
            return start._replace(
                state="could not check",
                reason="The collection does not say since when its wording applies.",
                nearest=names,
            )
        return start._replace(docnos=names)

    def _of_the_day(self, record: Provision, start: Checked) -> Checked:
        """Return a citation of a provision without versions, or why it is not in force on its day."""
        moved = self._collection.source.replaced.get(record.doc_id, "")
        gone = start._replace(state="moved" if moved else "repealed", nearest=(moved or record.doc_id,))
        near, repealed = (record.doc_id,), self._repeals.reason(record, start.day)
        if record.effective_to and record.effective_to <= start.day:
            return gone._replace(reason=repealed)
        if record.effective_from >= NEVER:
            reason = "The publisher gives no day from which it applies."
            return start._replace(state="not yet in force", reason=reason, nearest=near)
        if start.day < record.effective_from:
            reason = f"The collection has only the wording that applies from {record.effective_from}."
            return start._replace(state="could not check", reason=reason, nearest=near)
        return gone._replace(reason=repealed) if repealed else start._replace(docnos=near)

    def _compared(self, one: Citation, found: Checked, laws: Sequence[int] | None) -> Checked:
        """Compare what stands beside a citation with the provision: its parts, its heading, its words."""
        records = [record for docno in found.docnos if (record := self._record(docno))]
        if not records:
            return found
        if one.reference is not None:
            states = [has_part(one.reference, record, self._lang_of(record.law)) for record in records]
            if not any(state is True for state, _ in states):
                reason = states[0][1]
                undecided = any(each is None for each, _ in states)
                return found._replace(
                    state="could not check" if undecided else "no such provision",
                    reason=reason,
                    docnos=() if not undecided else found.docnos,
                    nearest=found.docnos,
                )
        if one.reference is not None and (sentence := _SENTENCE_CITED.search(one.reference.part)):
            found = found._replace(
                reason=f"{_cut(sentence[0])} is not looked up: sentences have no numbers in the text."
            )
        heading = self._heading_of(one, found.law)
        if heading:
            found = self._headed(heading, records, laws, found)
        for words in (*one.quotations, *one.beside) if found.state == "right" else ():
            texts = [text for record in records for text in (record.text, record.title)]
            differences = [differing(words, text) for text in texts]
            if None in differences:
                part = part_of(one.reference) if one.reference is not None and len(records) == 1 else ()
                inside = text_of(records[0].text, part, self._lang_of(records[0].law)) if part else ""
                if inside and differing(words, f"{records[0].title}\n{inside}") is not None:
                    reason = "The words quoted are in the provision, but not in the paragraph or item that is cited."
                    return found._replace(state="wording differs", reason=reason)
                if words in one.quotations:
                    place = differences.index(None) // 2
                    before, after = cut_off(words, texts[2 * place], self._lang_of(records[place].law))
                    told = [f"The provision has {_cut(before)} before the words quoted." if before else ""]
                    told += [f"The provision goes on: {_cut(after)}." if after else ""]
                    found = found._replace(reason=" ".join(filter(None, (found.reason, *told))))
                continue
            parts = max((each for each in differences if each), key=_words_in_common, default=[])
            long, firm = is_quotation(words, 1.5), words in one.quotations
            if not firm and _words_in_common(parts) < _OF_ANOTHER * len(words):
                parts = []
            said = " ".join(texts)
            number = (bool(parts) or _is_amount(words, said)) and not _numbers(words) <= _numbers(said)
            number = number or (not long and _has_other_amount(words, said, firm))
            if number or (long and (parts or firm)) or (parts and firm):
                reason = "The words quoted are not those of the provision."
                return found._replace(state="wording differs", reason=reason, parts=tuple(parts))
            if long:
                reason = f"Words quoted beside it are not in it, and may be of something else: {_cut(words)}."
                found = found._replace(state="could not check", reason=reason)
            else:
                found = found._replace(reason=f"{found.reason} {_cut(words)} {_TERM}".lstrip())
        return found

    def _heading_of(self, one: Citation, law: str) -> str:
        """Return the heading beside a citation; behind the name of the law where brackets are a part of that."""
        if not one.heading or letters(one.heading)[0] not in letters(law)[0]:
            return one.heading
        end = one.near.find(law, one.at)
        return heading_at(one.near, end + len(law)) if end >= 0 else ""

    def _headed(
        self, heading: str, records: Sequence[Provision], laws: Sequence[int] | None, found: Checked
    ) -> Checked:
        """Return a citation compared with the headings of its provisions."""
        words = letters(heading)[0]
        own = [(record.heading or in_brackets(record.title)) for record in records]
        if any(words == letters(each)[0] for each in own):
            return found
        others: list[str] = []
        for law in laws or ():
            for _, place in self._articles(law):
                other = self._record(str(self._table.docnos[place]))
                if other and letters(other.heading or in_brackets(other.title))[0] == words:
                    others.append(other.doc_id)
        reason = "The collection has no heading of it to compare."
        if any(own):
            reason = f"Its heading is: {next(filter(None, own))}."
        inside = any(words in letters(each)[0] for each in own)
        around = any(letters(each)[0] in words for each in own if each)
        unspaced = any(sign.isalpha() and sign.lower() == sign.upper() for sign in heading)
        differs = (unspaced and not around) or _is_of_another(heading, records)
        if not others and (not any(own) or inside or not differs):
            told = (
                "The words in brackets are a part of it." if inside else "The words in brackets are taken for a note."
            )
            return found._replace(reason=f"{reason} {told}" if any(own) else reason)
        return found._replace(state="title differs", reason=reason, nearest=tuple(others[:3]))


def _without_emphasis(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without marks of Markdown around words, and the place of each of its characters in the text."""
    marks = [match.span() for match in EMPHASIS.finditer(text)]
    if not marks:
        return text, range(len(text))
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(text)]
    places = [place for start, end in zip(starts, ends, strict=True) for place in range(start, end)]
    return "".join(text[place] for place in places), places


def _shared(text: str, citations: Sequence[Citation], check: Callable[[Citation], Checked]) -> list[Citation]:
    """Give each quotation at a list of citations to the one whose provision has its words, if one has them."""

    def has(place: int, words: str) -> bool:
        found = check(citations[place]._replace(quotations=(words,), beside=(), heading=""))
        return found.state == "right" and _TERM not in found.reason

    shared = list(citations)
    for _, several in groupby(range(len(citations)), key=lambda place: citations[place].listed):
        listed = list(several)
        owned: dict[int, tuple[list[str], list[str]]] = {place: ([], []) for place in listed if len(listed) > 1}
        for place in owned:
            of = citations[place]
            for kind, words in [(0, each) for each in of.quotations] + [(1, each) for each in of.beside]:
                owner = next((each for each in (place, *listed) if has(each, words)), place)
                owned[owner][kind].append(words)
                for inner, one in enumerate(shared if owner != place else ()):
                    if one.quoted_by == place and text[one.start : one.end] in words:
                        shared[inner] = one._replace(quoted_by=owner)
        for place, (quotations, beside) in owned.items():
            shared[place] = shared[place]._replace(quotations=tuple(quotations), beside=tuple(beside))
    return shared


def _is_of_another(heading: str, records: Sequence[Provision]) -> bool:
    """Return True if words in brackets look as a heading, and half of them are not in a provision.

    A note begins with a small letter, is one word, has digits or full stops, or is about the quotation.
    """
    words = re.findall(r"[^\W\d_]{4,}", heading)
    if not heading[:1].isupper() or len(words) < 2 or _OF_QUOTATION.search(heading):
        return False
    said = " ".join(f"{one.title} {one.heading} {one.text}" for one in records).casefold()
    return sum(word[: max(4, len(word) - 3)].casefold() not in said for word in words) * 2 >= len(words)


def _dated_otherwise(words: str, law: str) -> str:
    """Return a sentence if words for a law have another day beside its number than its name; else an empty string."""
    own = numbered_days(law)
    for number, day in numbered_days(words).items():
        if (own_day := own.get(number, day)) != day:
            return f"The law of this number is dated {own_day}, not {day}."
    return ""


def _is_range(number: str) -> bool:
    """Return True for ``14-16``, which is several provisions where no provision has it as its number."""
    ends = re.fullmatch(r"(\d+)\s?[-‑–]\s?(\d+)", number)
    return ends is not None and int(ends[1]) < int(ends[2])


class _Found(NamedTuple):
    """A state that is known before the provision is looked for."""

    state: State
    reason: str
    nearest: tuple[str, ...] = ()

    def of(self, start: Checked) -> Checked:
        return start._replace(state=self.state, reason=self.reason, nearest=self.nearest)


def _is_misread(name: str, behind: str, law: str) -> bool:
    """Return True if a Thai name, which has no blanks, is a beginning of a law's name and goes on otherwise."""
    if not _THAI.match(name):
        return False
    written, full = compact(name + behind), compact(law)
    pairs = zip(written, full, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(written), len(full)))
    like = SequenceMatcher(None, written[at : len(full)], full[at:]).ratio()
    years, own = ({int(each) for each in re.findall(r"\d{4}", words)} for words in (written[: len(full) + 9], full))
    misspelled = 2 * at > len(full) > at and like >= _ALIKE_REST
    return misspelled or bool(own and not years <= own) or _RUNS_ON.match(behind) is not None


def _with_year(text: str, end: int) -> int:
    """Return the end of the name of a law with the year behind it: the Act of another year is another law."""
    year = _YEAR.match(text, end)
    return year.end() if year else end


def _is_beside(one: Citation, start: int, end: int, overlapping: bool = False) -> bool:
    """Return True if a name is in the words of a citation, or only signs and words such as *of the* are between."""
    if overlapping and start < one.at < end:
        return True
    if one.at < start:
        return start < one.until or _OF.fullmatch(one.near, one.until, start) is not None
    over = " " in one.near[start:end] and _OVER.match(one.near, end, one.at) and not one.near[one.at].islower()
    return end <= one.at and not over and _TO.fullmatch(one.near, end, one.at) is not None


def _quoted(text: str, one: Citation, outer: Checked) -> Checked:
    """Return a citation that is part of the words that another one quotes."""
    start = Checked(one.start, one.end, text[one.start : one.end], "right", day=outer.day, law=outer.law)
    if outer.state == "right":
        return start._replace(reason=f"Part of the words of {', '.join(outer.docnos)}, which were compared as a whole.")
    reason = f"Part of words that were not found as those of a provision: {outer.words}, {outer.state}."
    return start._replace(state="could not check", reason=reason)


def _pairs(name: str) -> frozenset[str]:
    key = compact(_CODE.sub("", name))
    return frozenset(key[at : at + 2] for at in range(len(key) - 1))


def _one_letter_apart(one: str, other: str) -> bool:
    """Return True if two names of Hangul differ in one syllable, of which they share most letters."""
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    if len(one) != len(other) or len(pairs) != 1 or not all("가" <= sign <= "힣" for sign in pairs[0]):
        return False
    first, second = (unicodedata.normalize("NFD", sign) for sign in pairs[0])
    return len(first) == len(second) and sum(a != b for a, b in zip(first, second, strict=True)) == 1


def _of_old(found: Checked, words: str) -> Checked:
    """Return a citation that words say to be of an older wording."""
    reason = f"It cites an older wording, “{words}”, not the one of {found.day}."
    return found._replace(
        state="could not check", reason=reason, docnos=(), nearest=found.docnos or found.nearest, parts=()
    )


def _taken(found: Checked) -> Checked:
    """Return a citation that says for which law its abbreviation was taken."""
    return found._replace(reason=f"Taken for {found.law}. {found.reason}".rstrip())


def _is_like_a_law(words: str, lang: str) -> bool:
    """Return True if words beside a number look like the name of a law: by their end, capitals, or a grammar."""
    grammar = grammars().get(lang.partition("-")[0])
    if words.endswith(law_endings(lang)) or re.search(r"[A-Z][\w&]*[A-Z]", words):
        return True
    return grammar is not None and any(re.fullmatch(one.pattern, words) for one in grammar.laws)


def _cut(words: str) -> str:
    short = " ".join(words.split())
    return f"“{short[:57]}…”" if len(short) > 60 else f"“{short}”"


def _numbers(words: str) -> set[str]:
    return {re.sub(r"\D", "", match[0]) for match in _NUMBER.finditer(words)}


def _is_amount(words: str, text: str) -> bool:
    """Return True if words are a number with a unit or currency that a text has with a number: *28 days*, *£500*."""
    unit = re.escape(_NUMBER.sub("", words, count=1).strip(" .,;\xa0"))
    before = rf"|{unit}\s?\d" if unit and not unit[-1].isalpha() else ""
    return bool(unit) and re.search(rf"\d\s?{unit}(?!\w){before}", text, re.IGNORECASE) is not None


def _has_other_amount(words: str, text: str, firm: bool) -> bool:
    """Return True if words have an amount, also in words, of a unit of which a text has others: *four years*.

    If they may be of something else, they must end with it: a *28 day notice* is a term.
    """
    pieces = words, text, "" if firm else " ".join(words.split()[:-1])
    said, has, inside = ({(one.value, one.unit) for one in decisive(each) if one.unit} for each in pieces)
    units = {unit for _, unit in has}
    return any(unit in units for _, unit in said - has - inside)


def _words_in_common(parts: Sequence[WordPart]) -> int:
    return sum(len(part.text) for part in parts if part.kind == "same")
