"""Lookup: the provisions that a question names by number, as in "Article 12 of the Data Protection Rules".

References are read by the grammars of all languages (:mod:`legalir.references.grammar`), laws by their names
(:mod:`legalir.references.law_names`). The table of numbers is an artifact, memory-mapped. Its files: the
docnos (see :mod:`legalir.storage.strings`); ``law.npy`` and ``article.npy``, int32 [n], and the string tables ``laws``
and ``articles`` that they point into, -1 for none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate
from os import PathLike
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge

from legalir.analysis.language import identify
from legalir.analysis.wording import words_for
from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.as_of import day_masks
from legalir.frames.columns import drop_results, require_texts
from legalir.frames.ranking import RankedLists, ranked_lists
from legalir.frames.retriever import Retriever
from legalir.frames.scorer import PairScorer
from legalir.frames.where import passing
from legalir.references.grammar import (
    ArticleNumber,
    WrittenReference,
    article_number,
    grammars,
    law_name_after,
    read_references,
)
from legalir.references.law_names import LawMention, LawNames, compact, in_brackets, without_state
from legalir.references.numbers import Numbers, clean, tail_of
from legalir.references.read import Reference, learn_names, read
from legalir.references.typed import ARTICLE, Typed, as_typed, divisions, law_endings
from legalir.storage.artifact import IndexArtifact, building
from legalir.storage.documents import field_text
from legalir.storage.strings import Docnos, Strings, write_coded, write_docnos
from legalir.storage.validity import DateReader, Mask, Validity, provision_key

_BRACKET = re.compile(r"\.?\s?[(（]")
_SIGN = re.compile("[,;:|–—]")
_PART_OF, _BELOW = "=", ">"
"""Signs before a key: of articles whose own number has parts in brackets, and of all articles below a number.

``50(4)`` and ``50/4`` have the same key but are different articles.
"""

Ints = npt.NDArray[np.int64]
Texts = Callable[[], Iterable[tuple[str, str]]]
"""Returns title and text of each provision."""

_JOINED = re.compile(r"(?<=\d)(?:의|之|の|ノ)(?=\d)")
_YEAR_OR_NUMBER = re.compile(r"[12]\d{3}|\d+[/:]\d+")
"""What may end the name of a law: its year, or its number with the year."""

_US_CODE = re.compile(r"(\d{1,2}) (?:U\.? ?S\.? ?C\.?(?: ?A\.?)?|US Code)", re.IGNORECASE)
"""A title of the Code of the United States: ``42 U.S.C.``"""

_UNIT = r"(?<![^\W_])(?:{})\.?\s?(?=\d)"
_OTHER_UNIT = re.compile(_UNIT.format("rules?|rr?|regulations?|regs?|clauses?|cll?"), re.IGNORECASE)
_OWN_UNIT = re.compile(_UNIT.format("sections?|secs?|ss?|§§?|articles?|arts?"), re.IGNORECASE)
_ACT = re.compile(r"\bAct\b,?(?:\s\d{4})?(?:\s?[(\[][^()\[\]]*[)\]])?\Z")
"""Words for provisions of English rules, regulations and bills, and of acts; and the name of an act."""

_INFLECTED = {"de": ("s", "es"), "sv": ("en", "s", "ens"), "da": ("en", "ens"), "no": ("en", "a", "ens")}
"""Endings of names of laws in a sentence, by language."""

_COUNTS = re.compile(r"\d+|[一二三四五六七八九十]+|[ivx]+")
_LEAST, _MUCH_SHORTER = 2, 0.75
"""Letters of which a short name of a law needs more, and the share of the letters of the law of which it has less."""

_BEGINNING = 8
"""Number of letters by which the beginning of a name is recognised in another form of it."""

_HEAD = 80
"""Number of characters of a text in which its own number may be."""

_SAMPLE = 500
"""Number of provisions whose titles are read to tell articles from serial numbers."""

_TELLING = re.compile(r"\S{3,}[법法]|\S*[A-Z]\S*[A-Z]\S*")
"""Short names that a text gives to a law and that may count everywhere; each office has rules of its own."""

_OWN_TEXT, _LEAST_TEXT = 1000, 200
"""Characters by which the language of a law is recognised, and the fewest that show it."""

_DENSE, _WEIGHT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"), 5
"""Characters that show a language by themselves, and for how many they count."""

_INSIDE = re.compile(r"(?:annex|supp)(?![a-z])")
"""The field of an annex or a supplement, or of a provision in one, whose number is not one of the law."""

_SCANDINAVIAN = frozenset(("da", "no", "nb", "nn"))
"""Languages that are taken for each other."""

_QUESTION = 1000
"""Maximum number of characters of a question whose references are read by grammars, too."""

_FEWEST = 10
"""Fewest numbers that may be serial numbers by their order alone."""


class Naming(NamedTuple):
    """A number in a question, and the provisions that it may mean.

    Attributes:
        words: the words of the question around the number.
        law: the words that name the law, empty where none do.
        provisions: numbers of the provisions, ascending.
        law_named: whether words name a law; it may be one that is not in the collection.
        start: place of the words in the cleaned text.
    """

    words: str
    law: str
    provisions: tuple[int, ...]
    law_named: bool = False
    start: int = 0

    @property
    def score(self) -> float:
        """1/n for each of n provisions."""
        return 1 / len(self.provisions)


class NumberTable(IndexArtifact):
    """The law and the number of each provision of a collection.

    Args:
        path: directory of the artifact.
        replaced: returns where provisions went that were renumbered or moved to another law: docno of a version to the
            key of a provision. Only called if none of the versions with a number is in force.
        aliases: returns other names of laws, each with the name of its law, which go before those of the texts.
    """

    kind, version = "number_table", 5

    def __init__(
        self,
        path: str | PathLike[str],
        replaced: Callable[[], Mapping[str, str]] = dict,
        aliases: Callable[[], Iterable[tuple[str, str]]] = tuple,
    ) -> None:
        super().__init__(str(path))
        self._replaced, self._aliases = replaced, aliases

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return the table of a collection, built on first use."""
        lang = collection.language

        def build(table: Self) -> None:
            store = collection.source.store
            docnos, corpus = store.docnos.array.tolist(), collection.fingerprint()
            laws, articles = store.column("law"), store.column("article")

            def texts() -> Iterator[tuple[str, str]]:
                return ((record.title, record.text) for record in collection.docs())

            learnt = names_in((text for _, text in texts()), lang, sorted({*laws.tolist()} - {""}))
            other = languages_of(zip(laws.tolist(), (text for _, text in texts()), strict=True), lang)
            known: dict[str, Any] = {"corpus": corpus, "lang": lang, "learnt": learnt, "languages": other}
            table.index_columns(docnos, laws, articles, texts, store.validity, **known)

        replaced, aliases = (partial(getattr, collection.source, name) for name in ("replaced", "aliases"))
        return collection.cached(cls(collection.cache / f"numbers-{lang}", replaced, aliases), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the table of another state of a collection."""
        return cls.of(collection)

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the table; an existing table at the path is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and, if there are any, ``law``, ``article``, ``title`` and
                ``text``; without an article, the number is the end of the docno. Serial numbers are left out
                (:func:`_are_serial`).
            corpus: fingerprint of the collection, stored in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a law or article is not a string.
        """
        dates, laws, articles, heads = DateReader(), list[str](), list[str](), list[tuple[str, str]]()
        for row in iter:
            dates.read(row)
            laws.append(field_text(row, "law"))
            articles.append(field_text(row, "article"))
            heads.append((field_text(row, "title"), field_text(row, "text")[:_HEAD]))
        law, article = np.array(laws, dtype=object), np.array(articles, dtype=object)
        return self.index_columns(dates.docnos, law, article, lambda: heads, dates.validity(), corpus=corpus)

    def index_columns(
        self,
        docnos: Sequence[str],
        laws: npt.NDArray[np.object_],
        articles: npt.NDArray[np.object_],
        texts: Texts,
        validity: Validity | None = None,
        *,
        corpus: str,
        lang: str = "und",
        learnt: Mapping[str, str] = {},
        languages: Mapping[str, str] = {},
    ) -> Self:
        """Build the table as :meth:`index` does.

        Args:
            docnos: of n provisions.
            laws: their laws, empty strings where they have none; object [n].
            articles: their articles, likewise.
            texts: returns their titles and texts; only called if their numbers may be serial numbers.
            validity: their days, if they are versions.
            corpus: fingerprint of the collection, stored in the manifest.
            lang: language of the collection, ISO 639-1, stored there.
            learnt: short names that texts give to laws, as :func:`names_in` returns them; stored there, too.
            languages: of the laws in another language, as :func:`languages_of` returns them; likewise.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno occurs twice.
        """
        number_of = {article: article_number(article) or article for article in {*articles.tolist()}}
        numbers = np.array([number_of[article] for article in articles.tolist()], dtype=object)
        without = articles == ""
        numbers[without] = [tail_of(docnos[place]) for place in np.flatnonzero(without).tolist()]
        count = len({*laws.tolist()} - {""})
        for group in (~without, without):
            places = np.flatnonzero(group & (numbers != "")).tolist()
            if _are_serial({place: numbers[place] for place in places}, count, group is without, texts):
                numbers[group] = ""
        with building(self.directory, self.kind, self.version) as (data, facts):
            write_docnos(data, docnos)
            if validity is not None:
                validity.write(data)
            for array, table, values in (("law", "laws", laws), ("article", "articles", numbers)):
                facts[table] = write_coded(data, array, table, values)
            facts.update(documents=len(docnos), corpus=corpus, lang=lang)
            facts.update(learnt=dict(learnt), languages=dict(languages))
        self.forget()
        return self

    @cached_property
    def laws(self) -> list[str]:
        """The name of each law, by its number."""
        return list(Strings(self.arrays, "laws"))

    def language(self, law: int) -> str:
        """Return the language of a law, ISO 639-1: that of the collection unless its text clearly is in another one."""
        facts = self.manifest.facts
        return str(facts["languages"].get(self.laws[law], facts["lang"]))

    def languages(self, text: str) -> list[str]:
        """Return the languages of the laws whose names are in a text, then that of the collection."""
        own = str(self.manifest.facts["lang"])
        named = [lang for lang, names in self._names_by_language.items() if any(name in text for name in names)]
        if self._names_by_language:
            named += [self.language(law) for one in self.law_names.find(text) for law in one.laws]  # In any capitals.
        return [*dict.fromkeys(lang for lang in named if lang != own), own]

    @cached_property
    def _names_by_language(self) -> dict[str, list[str]]:
        """The names and short names of the laws in other languages than that of the collection."""
        names: dict[str, list[str]] = {}
        for law, lang in self.manifest.facts["languages"].items():
            forms = (law, law.removesuffix(f"({in_brackets(law)})").strip(), in_brackets(law))
            names.setdefault(lang, []).extend(form for form in forms if len(form) >= _LEAST)
        for alias, law in self._aliases():
            if lang := self.manifest.facts["languages"].get(law):
                names[lang].append(alias)
        return names

    def article(self, place: int) -> str:
        """Return the number of a provision, empty if it has none."""
        number = int(self.arrays["article"][place])
        return "" if number < 0 else self._numbers_written[number]

    @cached_property
    def _numbers_written(self) -> list[str]:
        return list(Strings(self.arrays, "articles"))

    def versions(self, key: str) -> list[int]:
        """Return the places of the versions of a provision, by its key."""
        return self._versions.get(key, [])

    def became(self, version: int, in_force: Mask) -> list[int]:
        """Return the places of the provisions in force that a version became, if it was renumbered or moved."""
        return [int(place) for place in self._moved(np.array([version]), in_force)]

    @cached_property
    def law_names(self) -> LawNames:
        """The laws by name."""
        number = {name: place for place, name in enumerate(self.laws)}
        learnt, given = dict(self.manifest.facts["learnt"]), list(self._aliases())
        for alias, _ in given:
            learnt.pop(alias, None)
        return LawNames(self.laws, aliases=((alias, number[law]) for alias, law in (*given, *learnt.items())))

    @cached_property
    def _articles(self) -> tuple[Numbers, dict[str, list[int]]]:
        """The reader of numbers; and the articles with a number, and those below a number, by a name of each."""
        articles = self._numbers_written
        numbers = Numbers(articles)
        named: dict[str, list[int]] = {}
        for place, article in enumerate(articles):
            if (key := numbers.key(article)) and not _INSIDE.match(article):
                brackets = list(_BRACKET.finditer(article)) if article.endswith((")", "）")) else []
                named.setdefault(_PART_OF + key if brackets else key, []).append(place)
                for bracket in brackets:
                    named.setdefault(_BELOW + numbers.key(article[: bracket.start()]), []).append(place)
        return numbers, named

    @cached_property
    def _by_article(self) -> tuple[Ints, Ints]:
        """Provisions ordered by article, [n], and the position of the first provision of each article, [a + 1]."""
        article = np.asarray(self.arrays["article"], dtype=np.int64)
        order = np.argsort(article, kind="stable")
        return order, np.searchsorted(article[order], np.arange(len(Strings(self.arrays, "articles")) + 1))

    def namings(self, question: str, most: int, without_law: bool, in_force: Mask | None = None) -> Iterator[Naming]:
        """Yield the article numbers in a question, in order, that exist in the collection.

        Args:
            question: the question.
            most: a number that more provisions may have is left out.
            without_law: whether a number counts if the collection has several laws and the question names none.
            in_force: which provisions may be meant, [n]; None for all.
        """
        several = self.manifest.facts["laws"] >= 2 and not without_law
        for naming in self.references(question, in_force):
            if (naming.law_named or not several) and 1 <= len(naming.provisions) <= most:
                yield naming

    def divisions(self, text: str) -> Iterator[Typed]:
        """Yield the ways to divide a citation into a law and a number; see :func:`legalir.references.typed.divisions`.

        Where the collection has laws in several languages, it is read in that of the law that it names.

        Args:
            text: the citation, as :func:`legalir.references.typed.as_typed` returns it.
        """
        own, others = self.manifest.facts["lang"], dict.fromkeys(self.manifest.facts["languages"].values())
        ways = ((lang, one) for lang in (own, *others) for one in divisions(text, lang, partial(self._typed_law, lang)))
        of_others, is_read = list[Typed](), False
        for lang, one in ways:
            if lang in map(self.language, one.laws) or (lang == own and not one.laws):
                is_read = is_read or bool(one.laws)
                yield one
            elif lang == own:
                of_others.append(one)
        yield from () if is_read else of_others

    def _typed_law(self, lang: str, name: str, marked: bool) -> tuple[int, ...] | None:
        """Return the laws of a name, None for words that are no name; beside a mere number they need be one exactly."""
        names, last = self.law_names, name.split()[-1]
        if (last[0].isdigit() or ARTICLE.search(name)) and not (
            _YEAR_OR_NUMBER.fullmatch(last) or names.in_full(name) or names.numbered(name)
        ):
            return None  # It is a number of an article: a name without the numbers at its end would be found.
        if title := _US_CODE.fullmatch(name):
            return tuple(law for law, of in enumerate(self.laws) if re.match(rf"title {title[1]}(?!\d)", of, re.I))
        endings = _INFLECTED.get(lang, ())
        for form in (name, name.upper(), *(name.removesuffix(one) for one in endings if name.endswith(one))):
            if names.is_listed(form):
                return self._exactly(form, names.named(form))
        is_law = name.endswith(law_endings(lang))
        if not (marked or is_law):
            return None
        size = len(compact(name))
        laws = [law for law in names.named(name) if _LEAST < size < _MUCH_SHORTER * len(compact(self.laws[law]))]
        return self._exactly(name, laws) or (() if is_law else None)

    def _exactly(self, name: str, laws: Sequence[int]) -> tuple[int, ...]:
        """Return of some laws the one that has the whole name; else those without other words in brackets at the end.

        The second interpretation of a court is another law than the first one.
        """
        whole = (compact(name), compact(without_state(name)))
        own = [law for law in laws if compact(self.laws[law]) in whole]
        bracket, *inside = (compact(in_brackets(each)) for each in (name, *(self.laws[law] for law in laws)))
        allowed = (bracket,) if _COUNTS.fullmatch(bracket) else ("", bracket)
        pairs = zip(laws, inside, strict=True)
        return tuple(own or (law for law, words in pairs if not bracket or words in allowed))

    def with_number(self, number: str, laws: Sequence[int]) -> list[int]:
        """Return the places of the provisions of some laws whose number is written so."""
        wanted = _written(number)
        order, first = self._by_article
        articles = self._by_writing.get(wanted, ())
        places = [int(place) for article in articles for place in order[first[article] : first[article + 1]]]
        return sorted(place for place in places if int(self.arrays["law"][place]) in laws)

    @cached_property
    def _by_writing(self) -> dict[str, list[int]]:
        written: dict[str, list[int]] = {}
        for place, article in enumerate(self._numbers_written):
            written.setdefault(_written(article), []).append(place)
        return written

    def typed(self, question: str, in_force: Mask | None = None) -> Naming | None:
        """Return the provisions that a question names if it is nothing but a citation, in any spelling, else None."""
        for one in self.divisions(as_typed(question)):
            laws = (0,) if not one.law and self.manifest.facts["laws"] == 1 else one.laws
            if len(laws) != 1 or one.heading or is_of_other_units(question, self.laws[laws[0]]):
                continue
            places = self.with_number(one.number, laws)
            if in_force is not None:
                places = [place for place in places if in_force[place]]
            if not places and one.reference is not None and one.reference.article:
                places = self.provisions(as_article(one.reference), laws, in_force).tolist()
            if places:
                return Naming(question, one.law, tuple(places), bool(one.law))
        return None

    def references(self, text: str, in_force: Mask | None = None) -> Iterator[Naming]:
        """Yield all article numbers in a text, in order, including numbers that are not in the collection.

        Args:
            text: the text.
            in_force: which provisions may be meant, [n]; None for all.
        """
        text = clean(text)
        references = read_references(text)
        laws = self.law_names.of(text, references) if references else []
        laws = [self._law_of(text, *each) for each in zip(references, laws, strict=True)]
        one_law = self.manifest.facts["laws"] < 2
        cached: dict[tuple[str, tuple[str, ...], tuple[int, ...] | None], tuple[int, ...]] = {}
        for reference, law in zip(references, laws, strict=True):
            of = None if law is None or (one_law and law.laws) else law.laws
            named = law.laws if law else (0,) if len(self.laws) == 1 else ()
            if named and all(
                is_of_other_units(text[reference.start : reference.end], self.laws[each]) for each in named
            ):
                of = ()
            for place, number in enumerate(reference.numbers):
                key = (number.number, number.parts, of)
                if key not in cached:
                    cached[key] = tuple(self.provisions(number, of, in_force).tolist())
                start = number.start if place else reference.start
                name = text[law.start : law.end].strip() if law else ""
                yield Naming(text[start : number.end], name, cached[key], law is not None, start)

    def asks_for_text(self, question: str) -> bool:
        """Return True if a question asks only what the provisions say that it names one by one, or only names them."""
        text = rest = clean(question)
        references = read_references(text)
        if not references or any(len(one.numbers) > 1 for one in references):
            return False  # Several numbers may be a range.
        for reference, mention in zip(references, self.law_names.of(text, references), strict=True):
            law = self._law_of(text, reference, mention)
            for start, end in ((reference.start, reference.after), (law.start, law.end) if law else (0, 0)):
                rest = rest[:start] + " " * (end - start) + rest[end:]
        return re.search(r"\w", re.sub(words_for("asking"), " ", rest, flags=re.IGNORECASE)) is None

    def _law_of(self, text: str, reference: WrittenReference, law: LawMention | None) -> LawMention | None:
        """Return the law of a reference; a name directly after it that the collection does not have is another law.

        In a collection of one law, words for a law that may be this law name nothing else.
        """
        name = law_name_after(text, reference)
        if law is not None and law.laws and (name is None or (law.start < name[1] and name[0] < law.end)):
            return law
        if name is not None and self.is_other(text[slice(*name)]):
            return LawMention(*name, ())
        if self.manifest.facts["laws"] >= 2 and law is None:
            return self._law_read(text, reference)
        if self.manifest.facts["laws"] >= 2 or law is None or law.laws:
            return law
        is_named = name is None and law.end != reference.law
        return law if is_named and self.is_other(text[law.start : law.end]) else None

    def _law_read(self, text: str, reference: WrittenReference) -> LawMention | None:
        """Return the law that a grammar reads behind more numbers: ``§ 6 Abs. 3 und Abs. 5 HfSichG``."""
        for lang in self.languages(text) if len(text) < _QUESTION else ():
            for one in read(text, lang) if lang.partition("-")[0] in grammars() else ():
                place = text.find(one.law, reference.after) if one.start == reference.start and one.law else -1
                if place >= 0 and (laws := self.law_names.named(one.law)):
                    return LawMention(place, place + len(one.law), laws)
        return None

    def is_other(self, name: str) -> bool:
        """Return True if words cannot be a short form of the name of a law of the collection, or of its docnos.

        A short form begins with a part of the name, or has some of its letters in order from the beginning of a word.
        """
        short, prefix = compact(name), self.prefix
        if not self._laws or (len(prefix) > 1 and (short.startswith(prefix) or prefix.startswith(short))):
            return False
        for words in self._laws:
            law = "".join(words)
            starts = accumulate(map(len, words), initial=0)
            if short[:_BEGINNING] in law or any(_are_in_order(short, law[start:]) for start in starts):
                return False
        return True

    @cached_property
    def _laws(self) -> list[list[str]]:
        """The words of the name of each law."""
        return [[compact(word) for word in name.split()] for name in self.laws]

    @cached_property
    def prefix(self) -> str:
        """The letters before the number of the first docno."""
        return compact(re.split(r"[\W\d_]", str(self.docnos[0]), maxsplit=1)[0]) if len(self) else ""

    def without_unknown(self, text: str) -> str:
        """Return a text without the references whose numbers no provision of the collection has.

        A reference to a law of the collection must be to one of its provisions; another one, to any.
        """
        text = clean(text)
        references = read_references(text)
        laws = self.law_names.of(text, references) if references else []
        kept, end = [], 0
        for reference, law in zip(references, laws, strict=True):
            of = None if law is None else law.laws
            if not any(len(self.provisions(number, of)) for number in reference.numbers):
                kept.append(text[end : reference.start])
                end = reference.end
        return " ".join("".join([*kept, text[end:]]).split()) if end else text

    def provisions(self, number: ArticleNumber, laws: Sequence[int] | None, in_force: Mask | None = None) -> Ints:
        """Return the provisions with a number and all its parts, else those below, else the same with fewer parts.

        Args:
            number: of an article, as :func:`~legalir.references.grammar.read_references` reads it.
            laws: numbers of the laws that may be meant; None for all.
            in_force: which provisions may be meant, [n]; None for all. A number that none of these has means those
                that its provisions became.
        """
        numbers, named = self._articles
        order, first = self._by_article
        for name in _names_of(number, numbers):
            ranges = [order[first[place] : first[place + 1]] for place in named.get(name, ())]
            provisions = np.sort(np.concatenate([order[:0], *ranges]))
            if laws is not None:
                provisions = provisions[np.isin(self.arrays["law"][provisions], laws)]
            if in_force is not None:
                valid = provisions[in_force[provisions]]
                provisions = valid if len(valid) else self._moved(provisions, in_force)
            if len(provisions):
                return provisions
        return order[:0]

    def _moved(self, versions: Ints, in_force: Mask) -> Ints:
        """Return the provisions in force that versions became, which were renumbered or moved to another law."""
        replaced, validity = self._replaced(), self.validity
        if not replaced or validity is None:
            return versions[:0]
        begin, end = validity.begin, validity.end
        targets = set()
        for version in versions.tolist():
            following = [version]
            while following and not in_force[following[0]]:
                docno, day = str(self.docnos[following[0]]), end[following[0]]
                # The successor of a version has another key, or else the same key.
                next_ones = self._versions.get(replaced.get(docno, provision_key(docno)), ())
                following = [one for one in next_ones if begin[one] <= day < end[one]]
            targets.update(following)
        return np.array(sorted(targets), dtype=np.int64)

    @cached_property
    def _versions(self) -> dict[str, list[int]]:
        """The versions of each provision, by its key."""
        versions: dict[str, list[int]] = {}
        for place, docno in enumerate(self.docnos.tolist()):
            versions.setdefault(provision_key(docno), []).append(place)
        return versions


def _are_serial(numbers: Mapping[int, str], laws: int, of_docnos: bool, texts: Texts) -> bool:
    """Return True if numbers count chunks or rows and are not numbers of articles.

    Ends of docnos may be; so may numbers without a repetition that fill their range. Then titles, or else the first
    words of the texts, decide if they name articles: these numbers or others. If they do not, numbers are serial that
    continue from law to law; that begin with 0; and ends of docnos in a collection without laws.

    Args:
        numbers: the number of each provision by its place; provisions without a number are left out.
        laws: number of laws in the collection.
        of_docnos: whether the numbers are ends of docnos.
        texts: returns the titles and texts of all provisions, in the order of their places.
    """
    values = {int(number[:18]) for number in numbers.values() if number.isdecimal()}
    count = len(numbers)
    run = len(values) == count >= _FEWEST and max(values) - min(values) < 2 * count
    if not (run or of_docnos) or not numbers:
        return False
    step, right, wrong = -(-count // _SAMPLE), 0, 0
    sample = {place: numbers[place] for place in list(numbers)[::step]}
    keys = Numbers(sample.values())
    for place, (title, text) in enumerate(texts()):
        if place in sample:
            title = clean(title)
            parts = map(str.strip, (*_SIGN.split(title), clean(text[:_HEAD])))
            # "Amendment of section 5" and 제5조에 따라 are not the labels of 5.
            first = ((part, one) for part in parts for one in read_references(part)[:1])
            labels = [one for part, one in first if one.start == 0 and not part[one.after : one.after + 1].isalpha()]
            named = {keys.key(each.number) for of in (*labels, *read_references(title)) for each in of.numbers}
            own = keys.key(sample[place]) in named
            right, wrong = right + own, wrong + (bool(labels) and not own)
    if right > wrong or 2 * wrong > len(sample):
        return wrong >= right
    return (run and laws > 1) or (of_docnos and not laws) or any(number.startswith("0") for number in numbers.values())


def _names_of(number: ArticleNumber, numbers: Numbers) -> Iterator[str]:
    """Yield the possible keys of a number in the table, the most exact first."""
    key = numbers.key(number.number)
    # A word that no article of the collection has is not in the key: 12 bis is not 12.
    if _words(key) != _words(number.number):
        return
    for parts in range(len(number.parts), 0, -1):
        brackets = "".join(f"({part})" for part in number.parts[:parts])
        whole = numbers.key(f"{number.number}{brackets}")
        yield _PART_OF + whole
        yield _BELOW + whole
    yield key
    yield _BELOW + key


def _are_in_order(letters: str, text: str) -> bool:
    """Return True if a text begins with the first of `letters`, and the others follow in order."""
    rest = iter(text)
    return text[:1] == letters[:1] and all(letter in rest for letter in letters)


def _words(number: str) -> str:
    return "".join(sign for sign in number.lower() if sign.isalpha() and not sign.isnumeric())


def as_article(reference: Reference) -> ArticleNumber:
    """Return the number of a reference, with its units as parts, as a provision is looked up by it."""
    parts = tuple(filter(None, (reference.paragraph, reference.item, reference.subitem)))
    return ArticleNumber(0, 0, _JOINED.sub(".", reference.article), parts)


def is_of_other_units(words: str, law: str) -> bool:
    """Return True if words cite a rule, a regulation or a clause of an English act, which has sections."""
    return bool(_ACT.search(law) and _OTHER_UNIT.search(words) and not _OWN_UNIT.search(words))


def _written(number: str) -> str:
    """Return a number of an article without the signs around it: ``15.2.(1)`` is ``15.2(1)``, ``65)`` is ``65``."""
    plain = "".join(number.split()).replace(".(", "(").strip(".").casefold()
    return plain if "(" in plain else plain.strip(").")


def names_in(texts: Iterable[str], lang: str, laws: Sequence[str]) -> dict[str, str]:
    """Return the short names that texts give to laws of a collection, each with the name of its law.

    Only names count that look like one (`_TELLING`), that all texts give to one law, and that are letters of its name
    in their order: within its own text, a law may call another one *the Act*.

    Args:
        texts: of the provisions.
        lang: their language, ISO 639-1; a language without a grammar gives none.
        laws: names of the laws.
    """
    code = lang.partition("-")[0]
    beginnings = {form.split()[0] for form in (grammars()[code].define if code in grammars() else ())}
    if not (signs := sorted(beginnings - {"Q", "U", "…", "("})):
        return {}
    defines, names, meant = re.compile("|".join(map(re.escape, signs))), LawNames(laws), dict[str, set[int]]()
    for text in texts:
        for short, law in learn_names(text, code).items() if defines.search(text) else ():
            if _TELLING.fullmatch(short) and not names.in_full(short):
                meant.setdefault(short, set()).update(names.named(law) or (-1,))
    learnt = {short: laws[next(iter(of))] for short, of in meant.items() if len(of) == 1 and -1 not in of}
    words = {law: [compact(word) for word in law.split()] for law in learnt.values()}
    return {
        short: law
        for short, law in learnt.items()
        if any(_are_in_order(compact(short), "".join(words[law][place:])) for place in range(len(words[law])))
    }


def languages_of(texts: Iterable[tuple[str, str]], lang: str) -> dict[str, str]:
    """Return the languages of the laws whose texts clearly are in another language than that of the collection.

    Args:
        texts: the law and the text of each provision.
        lang: language of the collection, ISO 639-1.

    Returns:
        Language by name of the law, only such as have a grammar.
    """
    samples: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    for law, text in texts:
        if law and sizes.get(law, 0) < _OWN_TEXT:
            samples.setdefault(law, []).append(text[:_OWN_TEXT])
            dense = len(_DENSE.findall(samples[law][-1]))
            sizes[law] = sizes.get(law, 0) + len(samples[law][-1]) + (_WEIGHT - 1) * dense
    found = {law: identify(samples[law]) for law, size in sizes.items() if size >= _LEAST_TEXT}
    own = lang.partition("-")[0]
    return {
        law: each
        for law, each in found.items()
        if each != own and each in grammars() and not {each, own} <= _SCANDINAVIAN
    }


class Lookup(Retriever):
    """Returns the provisions that a question names: score 1 for an unambiguous provision, ``1/n`` for each of n.

    A provision is named by its law and its number: ``Data Protection Rules, Article 12``. In a collection of one law,
    the number is enough. A question that names no provision has no results. As of a day, a number that no provision in
    force has means the provision in force that has its matter now, as ``replaced_by`` in ``origin.jsonl`` says.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Given results, it scores
    their provisions; one that the question does not name has 0.
    """

    name = "lookup"

    numbers: Annotated[NumberTable, "the numbers of the provisions"]
    most: Annotated[int, Ge(1), "a number that more provisions have is left out"] = 5
    without_law: Annotated[
        bool,
        "whether a number without a law counts in a collection of several laws: then each provision with the "
        "number may be meant",
    ] = False
    num_results: Annotated[int, Ge(1), "results per query"] = 1000

    @property
    def label(self) -> str:
        """The component as in an expression, with the parameters of its scores."""
        return f"lookup(most={self.most}, without_law={self.without_law})"

    def named(self, question: str, in_force: Mask | None = None) -> dict[int, Naming]:
        """Return the provisions that a question names, each with the naming that gives it the highest score.

        Args:
            question: the question.
            in_force: which provisions may be meant, [n]; None for all.
        """
        best: dict[int, Naming] = {}
        if (alone := self.numbers.typed(question, in_force)) and len(alone.provisions) <= self.most:
            return dict.fromkeys(alone.provisions, alone)
        for naming in self.numbers.namings(question, self.most, self.without_law, in_force):
            for provision in naming.provisions:
                if provision not in best or naming.score > best[provision].score:
                    best[provision] = naming
        return best

    def named_by(self, queries: pd.DataFrame) -> list[dict[int, Naming]]:
        """Return :meth:`named` of each query, on its day and of the provisions that pass its filter."""
        asked = zip(queries["query"], day_masks(queries, self.numbers.validity), strict=True)
        named = [self.named(query, in_force) for query, (_, in_force) in asked]
        return [
            one if mask is None else {place: naming for place, naming in one.items() if mask[place]}
            for one, mask in zip(named, passing(queries, self.numbers), strict=True)
        ]

    def scorer(self) -> LookupScorer:
        """Return a transformer that scores given provisions like this retriever."""
        return LookupScorer(self)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the provisions that each query names.

        Raises:
            ComponentError: a query is not a string.
        """
        require_texts(queries, "Lookup")
        found = self.named_by(queries)
        query = np.repeat(np.arange(len(queries)), [len(one) for one in found])
        documents = np.array([provision for one in found for provision in one], dtype=np.int64)
        score = np.array([naming.score for one in found for naming in one.values()], dtype=np.float64)
        lists = ranked_lists(queries, query, self.numbers.docno_table[documents], score)
        return lists.head(self.num_results)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the words of the question that name each of `docnos`."""
        queries = drop_results(inp)
        (named,) = self.named_by(queries)
        numbers = self.numbers.docno_table.numbers(docnos)
        given = set(self.apply(inp)["docno"]) if "docno" in inp.columns else set()
        found = {docno: Explanation(docno, 0.0, self.label, (), "not named") for docno in docnos if docno in given}
        for docno, number in zip(docnos, numbers.tolist(), strict=True):
            if (naming := named.get(number)) is not None:
                others = len(naming.provisions) - 1
                law = f" of “{naming.law}”" if naming.law else ""
                shared = f", and {others} more" if others else ""
                detail = {"words": naming.words, "law": naming.law, "provisions": others + 1}
                part = Part(f"“{naming.words}”{law} names it{shared}", naming.score, detail=detail)
                found[docno] = Explanation(docno, naming.score, self.label, (part,))
        return found


class LookupScorer(PairScorer):
    """Scores given provisions like :class:`Lookup`; provisions that the question does not name get 0.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``.
    """

    retriever: Annotated[Lookup, "the retriever; its number of results does not matter"]

    def docno_table(self) -> Docnos:
        """Return the docnos of the collection."""
        return self.retriever.numbers.docno_table

    def pair_scores(self, queries: pd.DataFrame, query: Ints, documents: Ints) -> npt.NDArray[np.floating]:
        """Return the retriever's score of each pair."""
        require_texts(queries, type(self).__name__)
        named = self.retriever.named_by(queries)
        pairs = zip(query.tolist(), documents.tolist(), strict=True)
        return np.array([named[q][d].score if d in named[q] else 0.0 for q, d in pairs], dtype=np.float64)


lookup = factory_of(
    Lookup,
    'Provisions that a question names by number: ``linear(bm25, lookup, weights=[0.8, 0.2], normalize="none")``.',
)
