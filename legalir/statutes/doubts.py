"""Doubts about provisions: signs that a file was read wrongly, although nothing failed.

A doubt names the provision, what is strange about it, and what to do. It is worth a look, and not a fault: a law may
really be so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import groupby, pairwise
from sys import intern
from typing import Any, NamedTuple, cast

from legalir.analysis.language import UNKNOWN, identify, language
from legalir.config import read_yaml
from legalir.datasets.dataset import StatuteDataset
from legalir.datasets.readers import read_corpus, read_links
from legalir.errors import AnalyzerError
from legalir.references.grammar import grammars
from legalir.references.numbering import sort_key
from legalir.statutes.importing.tree import read_origins
from legalir.statutes.jurisdictions import Heading, jurisdictions, pattern_of_repeal
from legalir.statutes.reading.plain_text import CUT_OFF
from legalir.statutes.reading.title import names_law
from legalir.storage.validity import provision_key

_MOST = 0.6
"""Share of the text of a law above which one provision is suspicious, if it is `_LONG`, too."""

_LONG = 3000
_JUMP = 10
"""Missing numbers in a row that are suspicious, inside a part."""

_MANY = 0.2
"""Share of second units of a number, and of other strange provisions of a law, that is suspicious."""

_MISSING = 0.5
"""Missing numbers, as a share of those that are there, that are suspicious."""

_SEVERAL = 20
"""Provisions of a law from which on some are expected to cite others."""

_SAMPLE = 1000
"""Characters of a law by which its language is recognised."""

_END = 400
"""Characters at the end of a law in which signs that it is another kind of text are looked for, as at its head."""

_FEW_LETTERS = 40
_ALIKE = ("da nb nn no", "id ms jv", "bs hr sl sr", "cs sk", "es gl pt", "be ru uk", "af nl fy", "ja zh", "fr oc wa")
"""Languages that are mistaken for each other."""

_JUDGMENT = "judgment"
"""Level of a decision of a court, which the source ``judgments`` reads."""
_SIGNS_OF_OTHERS = (2, 4)
"""Signs by which a text is no law, and if its name is that of a law."""

_LARGEST_YEAR = 2100
_SMALLEST_YEAR = 1200
_NOT_YET = "9999"

_LONGEST_NOTICE = 60
_OTHER_WORDS = 3
"""Words beside the word of repeal, dates and numbers in a text that only says that its unit is repealed."""

_MARKUP = re.compile(
    r"\*\*\S[^*\n]*\*\*|</?[a-zA-Z][\w:]*(?:\s+[\w:-]+=[^<>]*)?\s*/?>|&(?:[a-z]{2,8}|#\d+);|\A\s*https?://"
)
_SIGNS = ("<", "&", "**", "://")
_CODE = re.compile(r"\s*(?=\S*\d)[\x21-\x7e]{10,}\s*")
_DAMAGED = re.compile("[\ufffd\x80-\x9f]|[ÃÅ][\u0080-\u00bf]")
_STRANGE = re.compile("[\ufffd\x80-\x9fÃÅ]")
_MAIN = re.compile(r"\d{1,6}")
_SECOND = re.compile(r"~\d+(?:@|\Z)")
_LONGEST_LINE = 200
_TITLE_LINE = re.compile(r"[A-ZÀ-ÖØ-Þ][^\n.:;,?!]{2,78}\n(?=\s*[^\sa-zß-ÿ])")


_FLAGS = (
    ("m", "markup", "markup, an address or a code in the text.", "Look at what the reader should have left out."),
    ("d", "encoding", "damaged letters.", 'Name the encoding of the file: encoding="…".'),
    ("y", "dates", "a date that is a placeholder.", "Leave the date out, if it is not known."),
)
"""What is strange about a provision alone: its flag, the kind of doubt, the end of the sentence, the cure."""


class Doubt(NamedTuple):
    """A reason to look at a provision.

    Attributes:
        kind: short name of the reason.
        docno: the first provision that it is about; empty for the whole collection.
        sentence: what is strange.
        cure: what to do.
    """

    kind: str
    docno: str
    sentence: str
    cure: str

    def __str__(self) -> str:
        return f"{self.docno + ': ' if self.docno else ''}{self.sentence} {self.cure}"


class _Seen(NamedTuple):
    """What is remembered of a provision."""

    docno: str
    article: str
    path: str
    size: int
    inside: tuple[tuple[str, str], ...]
    flags: str


class Doubts:
    """The doubts about the provisions of a collection, which are shown to it one at a time, in reading order."""

    def __init__(self) -> None:
        self._laws: dict[str, list[_Seen]] = {}
        self._names: dict[str, str] = {}
        self._samples: dict[str, str] = {}
        self._edges: dict[str, tuple[str, str]] = {}  # words at the head of a law and at its end, without headings
        self._law_of: dict[str, str] = {}
        self._citing: set[str] = set()
        self._links = 0
        self._repealed: set[str] = set()
        self._traced = False
        self._kinds: dict[str, str] = {}  # of those that are not articles
        self._files: dict[str, str] = {}
        self._in_files: set[str] = set()  # laws of several files, whose names have another order than the articles

    def add(self, fields: Mapping[str, str]) -> None:
        """Look at a provision: its fields by name, ``docno`` and those of :data:`legalir.statutes.source.FIELDS`."""
        docno, text = fields["docno"], fields["text"]
        law = intern(fields.get("law_id") or fields.get("law") or "")
        self._law_of[provision_key(docno)] = law
        self._names.setdefault(law, fields.get("law", ""))
        sample = self._samples.get(law, "")
        if len(sample) < _SAMPLE:
            self._samples[law] = f"{sample}\n{fields.get('heading', '')}\n{text[: _SAMPLE - len(sample)]}"
        if fields.get("level") != _JUDGMENT:
            head = self._edges.get(law, ("", ""))[0]
            self._edges[law] = (f"{head}\n{text[: _SAMPLE - len(head)]}" if len(head) < _SAMPLE else head, text[-_END:])
        years = {fields.get(name, "")[:4] for name in ("effective_from", "effective_to")} - {"", _NOT_YET}
        words = any(map(str.isalpha, text))
        flags = {
            "m": _CODE.fullmatch(text) or (any(each in text for each in _SIGNS) and _MARKUP.search(text)),
            "d": _STRANGE.search(text) and _DAMAGED.search(text),
            "e": not words and (text or not fields.get("heading")),
            "h": not words,
            "r": _is_notice(text),
            "t": not fields.get("heading") and (top := _TITLE_LINE.match(text)) and not CUT_OFF.search(top[0].rstrip()),
            "y": any(not _SMALLEST_YEAR <= int(year) <= _LARGEST_YEAR for year in years),
        }
        seen = _Seen(
            docno,
            intern(fields.get("article", "")),
            intern(fields.get("path", "")),
            len(text),
            tuple(_headings_inside(text)),
            intern("".join(name for name, value in flags.items() if value)),
        )
        self._laws.setdefault(law, []).append(seen)

    def trace(self, origin: Mapping[str, object]) -> None:
        """Take what a line of ``origin.jsonl`` says of a provision that was added."""
        docno = str(origin["docno"])
        if origin.get("repealed"):
            self._repealed.add(docno)
        self._traced = True
        if (kind := str(origin.get("kind", ""))) != "article":
            self._kinds[docno] = intern(kind)
        law, file = self._law_of.get(provision_key(docno), ""), str(origin.get("file", ""))
        if self._files.setdefault(law, file) != file:
            self._in_files.add(law)

    def link(self, source: str) -> None:
        """Take the citing provision of a link."""
        self._links += 1
        self._citing.add(self._law_of.get(provision_key(source), ""))

    def found(self, languages: Sequence[str] = (), countries: Iterable[str] = ()) -> list[Doubt]:
        """Return the doubts, those about the whole collection first.

        Args:
            languages: of the laws, as declared; empty if they are not known.
            countries: of the laws, as the files say.
        """
        doubts = list(self._of_collection(languages, countries))
        for law, provisions in self._laws.items():
            doubts += self._of_law(law, provisions, languages)
        return doubts

    def _of_collection(self, languages: Sequence[str], countries: Iterable[str]) -> Iterator[Doubt]:
        if len(set(languages)) > 1:
            yield Doubt(
                "languages",
                "",
                f"The laws are in {', '.join(dict.fromkeys(languages))}; a collection is searched as of one.",
                "Import each language into a folder of its own, and search the folders together.",
            )
        for code in dict.fromkeys(languages):
            try:
                name = language(code).name
            except AnalyzerError as error:
                yield Doubt("language", "", str(error), "Name the language: --lang.")
                continue
            if code not in grammars():
                sentence = f"References in {name} ({code}) are not read, because legalir has no grammar of them."
                yield Doubt("language", "", sentence, "If this is not the language of the texts, name it: --lang.")
        for code in countries:
            if code not in jurisdictions():
                yield Doubt(
                    "country",
                    "",
                    f"The country {code!r} has no table, so headings and words of repeal are those of the table any.",
                    "Look at the numbers and at what is repealed.",
                )
        silent = [law for law, each in self._laws.items() if law and law not in self._citing and len(each) > _SEVERAL]
        if silent:
            law = max(silent, key=lambda each: len(self._laws[each]))
            others = f", nor do those of {len(silent) - 1} other laws" if len(silent) > 1 else ""
            yield Doubt(
                "no references",
                self._laws[law][0].docno,
                f"None of the {len(self._laws[law])} provisions of {self._name(law)} cites another{others}.",
                "Look at the language of the collection and at the parameter references of the source.",
            )
        names: dict[str, list[str]] = {}
        for law, name in self._names.items():
            names.setdefault(name or law, []).append(law)
        for name, laws in names.items():
            shapes = {re.sub(r"\d{4}-?\d\d-?\d\d", "", law) for law in laws}
            if len(laws) > 1 and len(shapes) < len(laws):
                yield Doubt(
                    "one name, several laws",
                    self._laws[laws[0]][0].docno,
                    f"{len(laws)} laws have the name {name!r}: {', '.join(laws[:3])}.",
                    "If they are versions of one law, import them with history(path=…).",
                )

    def _of_law(self, law: str, provisions: list[_Seen], languages: Sequence[str]) -> Iterator[Doubt]:
        name = self._name(law)
        first = provisions[0].docno
        articles = self._articles(provisions)
        if file := self._files.get(law, ""):
            stem = file.rpartition("/")[2].rpartition(".")[0]
            if stem and self._names[law] == stem:
                yield Doubt("name", first, f"The law is named after its file, {stem!r}.", 'Name it: title="…".')
        words, named = "\n".join((self._names[law], *self._edges.get(law, ()))), names_law(self._names[law])
        for kind, (signs, but) in _others().items():
            signed = sum(sign.search(words) is not None for sign in signs)
            if signed >= _SIGNS_OF_OTHERS[named] and not but.search(words):
                yield Doubt("no law", first, f"{name} looks like {kind}, not like a law.", "If it is, leave it out.")
        yield from self._of_language(law, first, languages)
        yield from _of_size(name, provisions)
        in_order = sorted(articles, key=lambda each: sort_key(each.article)) if law in self._in_files else articles
        yield from _of_numbers(name, in_order, self._repealed)
        yield from _swallowed(name, provisions, articles)
        yield from self._of_texts(name, provisions, articles)

    def _name(self, law: str) -> str:
        return self._names[law] or law or "the collection"

    def _articles(self, provisions: list[_Seen]) -> list[_Seen]:
        """Return the articles of the main text, one of each key."""
        kept: dict[str, _Seen] = {}
        for each in provisions:
            kind = self._kinds.get(each.docno, "article")
            if kind == "article" and "/" not in each.article and _MAIN.match(each.article):
                kept[provision_key(each.docno)] = each
        return list(kept.values())

    def _of_language(self, law: str, first: str, languages: Sequence[str]) -> Iterator[Doubt]:
        sample = self._samples[law]
        if not languages or sum(map(str.isalpha, sample)) < _FEW_LETTERS:
            return
        code = identify([sample])
        alike = {code, *(other for group in _ALIKE if code in group.split() for other in group.split())}
        if "zh" in languages and code == "ja":
            alike = {code}
        if code != UNKNOWN and alike.isdisjoint(languages):
            yield Doubt(
                "language",
                first,
                f"{self._name(law)} reads as {language(code).name} ({code}), and not as {', '.join(languages)}.",
                f"If it is, import it with --lang {code}.",
            )

    def _of_texts(self, name: str, provisions: list[_Seen], articles: list[_Seen]) -> Iterator[Doubt]:
        for flag, kind, sentence, cure in _FLAGS:
            if flagged := [each for each in provisions if flag in each.flags]:
                yield Doubt(kind, flagged[0].docno, f"{_of(len(flagged), provisions, name)} {sentence}", cure)
        live = [each for each in articles if each.docno not in self._repealed]
        notices = [each for each in live if "r" in each.flags] if self._traced else []
        if notices:
            yield Doubt(
                "repealed",
                notices[0].docno,
                f"{_of(len(notices), provisions, name)} the words of a repeal and no mark that they are repealed.",
                "They are found as if they were in force: look at their text.",
            )
        empty = [each for each in live if "h" in each.flags] if self._traced else []
        if empty and len(empty) >= _MANY * len(articles):
            runs = (list(run) for bare, run in groupby(articles, lambda each: each in empty) if bare)
            contents = len(max(runs, key=len)) > 1
            yield Doubt(
                "empty",
                empty[0].docno,
                f"{_of(len(empty), articles, name)} no words and no mark that they are repealed.",
                "They may be a table of contents that was taken for the law."
                if contents
                else "They may be repealed: look at the file.",
            )
        titled = [each for each in live if "t" in each.flags]
        if titled and len(titled) > len(articles) / 2:
            yield Doubt(
                "heading in text",
                titled[0].docno,
                f"{_of(len(titled), articles, name)} a first line that looks as a heading.",
                "If it is one, read the files by rules: html(rules=…).",
            )
        seconds = [each for each in provisions if _SECOND.search(each.docno)]
        if len(seconds) >= _MANY * len(provisions) or len(seconds) > _SEVERAL:
            yield Doubt(
                "second units",
                seconds[0].docno,
                f"{_of(len(seconds), provisions, name)} the number of another one (~2).",
                "Their numbers may have lost a letter, or begin anew in each part: look at the labels.",
            )


@cache
def _others() -> dict[str, tuple[list[re.Pattern[str]], re.Pattern[str]]]:
    """Return the signs of what is no law, and what is against them, by its name in ``kinds.yaml``."""
    # The file is part of the package.
    with resources.as_file(resources.files("legalir.statutes") / "kinds.yaml") as path:
        others = cast(dict[str, dict[str, dict[str, Any]]], read_yaml(path, "kinds of laws"))["others"]
    flags = re.IGNORECASE | re.MULTILINE
    return {
        kind: ([re.compile("|".join(sign), flags) for sign in each["signs"]], re.compile(each["but"], flags))
        for kind, each in others.items()
    }


def _of(count: int, among: Sequence[object], name: str) -> str:
    verb = "has" if count == 1 else "have"
    return f"{count} of {len(among)} provisions of {name} {verb}"


def _of_size(name: str, provisions: list[_Seen]) -> Iterator[Doubt]:
    largest = max(
        (each for each in provisions if each.article != "preamble"), key=lambda each: each.size, default=provisions[0]
    )
    total = sum(each.size for each in provisions)
    if largest.size > _LONG and largest.size > _MOST * total:
        yield Doubt(
            "most of the text",
            largest.docno,
            f"It holds {largest.size / total:.0%} of the text of {name}, {largest.size} characters.",
            "The articles inside may not have been recognised: look at its text.",
        )


def _of_numbers(name: str, articles: list[_Seen], repealed: set[str]) -> Iterator[Doubt]:
    """Doubt numbers that jump or fall inside a part, and many that are missing."""
    missing, kinds = 0, set[str]()
    for path, run in groupby(articles, lambda each: each.path):
        before = -1 if path else 0
        for each in run:
            main = int(_MAIN.match(each.article)[0])  # type: ignore[index]
            gap = main - before - 1 if before >= 0 else 0
            missing += gap if 0 < gap < _JUMP else 0
            if gap >= _JUMP and main % 100 > 1 and "jump" not in kinds:  # 101 and 200 begin a part.
                kinds.add("jump")
                yield Doubt(
                    "jump",
                    each.docno,
                    f"The numbers of {name} go from {before} to {main}." if before else f"{name} begins with {main}.",
                    "The articles between may be in the text of the one before, or a number be misread.",
                )
            if gap < -1 and "@" not in each.docno and "fall" not in kinds:  # Versions are in the order of time.
                kinds.add("fall")
                yield Doubt(
                    "fall",
                    each.docno,
                    f"The numbers of {name} fall from {before} to {main}.",
                    "A number may be misread, or a quoted article be taken for one of the law.",
                )
            before = -1 if each.docno in repealed or "r" in each.flags else main
    if not kinds and len(articles) > 2 and missing > _MISSING * len(articles):
        yield Doubt(
            "missing numbers",
            articles[0].docno,
            f"{missing} numbers are missing among the {len(articles)} articles of {name}.",
            "They may be in the text of others: look at the file.",
        )


def _swallowed(name: str, provisions: list[_Seen], articles: list[_Seen]) -> Iterator[Doubt]:
    """Doubt lines of a text that begin as an article that the law does not have."""
    numbers = {each.article.rpartition("/")[2].partition("~")[0] for each in provisions}
    parts = "\n".join({each.path for each in provisions}).casefold()
    last = max((int(match[0]) for each in articles if (match := _MAIN.match(each.article))), default=0)
    for kind in ("article", "group", "annex"):
        for each in provisions:
            inside = [
                words
                for of, words in each.inside
                if of == kind and (words.casefold() not in parts if kind == "group" else words not in numbers)
            ]
            mains = [int(match[0]) for number in inside if (match := _MAIN.match(number))]
            own = _MAIN.match(each.article)
            if kind != "article":
                fits = bool(inside) and "/" not in each.article and own is not None
            else:
                fits = any(main <= last or (own and main == int(own[0]) + 1) for main in mains) or any(
                    one + 1 == two for one, two in pairwise(mains)
                )
            if fits and numbers:
                word = {"article": "articles", "group": "parts", "annex": "annexes"}[kind]
                yield Doubt(
                    f"{word} in text",
                    each.docno,
                    f"Lines of its text begin as {word} that {name} does not have: {', '.join(inside[:3])}.",
                    'Look at the text; if a file is read line by line, name its country (country="…").',
                )
                break


_OTHER_ARTICLES = (
    *("artigo", "articolul", "artykuł", "статья", "стаття", "член", "члан", "madde", "điều", "pasal", "člen", "članak"),
    *("straipsnis", "artikkel", "artikel", "artikla", "άρθρο", "المادة"),
)
"""Words for an article in languages of countries without a table."""

_OTHER_NUMBER = re.compile(r"\s+(\d+)[.º°ª]?[\w-]*\s*(?:\Z|[.:–—(-]|[^\W\d_a-zà-ÿа-я])")


@cache
def _openers() -> tuple[re.Pattern[str], dict[str, list[str]]]:
    """Return a pattern of how headings of all countries begin, and the countries by the first word of a heading."""
    words: dict[str, list[str]] = {}
    for country, table in jurisdictions().items():
        forms = [
            form for level in table.levels if level.kind in ("article", "group") for form in level.forms if " N" in form
        ]
        for form in (*forms, *table.annex):
            words.setdefault(form.split()[0].casefold(), []).append(country)
    names = "|".join(re.escape(word) for word in sorted({*words, *_OTHER_ARTICLES}, key=len, reverse=True))
    return re.compile(rf"(?mi)^[ \t]*(?P<word>{names})(?=[\s\d第〇一二三四五六七八九十百]).*"), words


def _headings_inside(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and number of what the lines of a text open; words in quotation marks do not count."""
    pattern, words = _openers()
    for match in pattern.finditer(text):
        line = match[0].strip()
        if _in_quotes(text[: match.start()]):
            continue
        word = match["word"].casefold()
        if word in _OTHER_ARTICLES and (number := _OTHER_NUMBER.match(line, len(word))) and len(line) < _LONGEST_LINE:
            yield "article", number[1]
            continue
        for country in dict.fromkeys(words.get(word, ())):
            table = jurisdictions()[country]
            heading = table.heading(line)
            if heading is not None and heading.level.kind in ("article", "group"):
                if _is_heading(line, heading):
                    yield heading.level.kind, heading.number if heading.level.kind == "article" else heading.label
                break
            if match["word"].casefold() in {word.casefold() for word in table.annex} and _ANNEX.fullmatch(
                line[len(match["word"]) :]
            ):
                yield "annex", line
                break


_ANNEX = re.compile(r"\s*第?[\dIVX一二三四五六七八九十]+(?:의\d+)?\s*(?:[(（\[][^()（）]*[)）\]]\s*)?")
_AFTER = re.compile(r"\s*\Z|\s*[.:]?\s*[–—-]?\s*[(（【\[]?[A-ZÀ-ÖØ-Þ0-9]|\s*[(（【\[]|[\s　]+[\u3040-\u9fff]")


def _is_heading(line: str, heading: Heading) -> bool:
    rest = line[len(heading.label) :]
    return (
        len(line) < _LONGEST_LINE
        and bool(_AFTER.match(rest))
        and (heading.level.kind == "article" or rest[-1:] not in ".;,")
    )


_QUOTES = (("„", "“"), ("“", "”"), ("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』"))


def _in_quotes(before: str) -> bool:
    if "„" in before:
        return before.count("„") > before.count("“") + before.count("”")
    return any(before.count(opens) > before.count(closes) for opens, closes in _QUOTES[1:])


def _is_notice(text: str) -> bool:
    """Return True if a text says little more than that something is repealed."""
    if len(text) > _LONGEST_NOTICE or not pattern_of_repeal().search(text):
        return False
    rest = pattern_of_repeal().sub(" ", re.sub(r"[<(（\[〔＜][^<>()（）\[\]〔〕]*[>)）\]〕＞]", " ", text))
    return len(re.findall(r"[^\W\d_]{2,}", rest)) <= _OTHER_WORDS and sum(map(str.isalpha, rest)) <= 4 * _OTHER_WORDS


def doubts_of(dataset: StatuteDataset) -> list[Doubt]:
    """Return the doubts about the provisions of a collection, without those of a faulty line.

    Raises:
        DataError: ``origin.jsonl`` is damaged.
    """
    doubts, folder = Doubts(), dataset.folder
    for record in read_corpus(folder.corpus, lambda fault: None):
        doubts.add({"docno": record.doc_id, **record._asdict()})
    for origin in read_origins(folder.root):
        doubts.trace(origin)
    for source, *_ in read_links(folder.links, lambda fault: None) if folder.links else ():
        doubts.link(source)
    return doubts.found([folder.about.lang] if folder.about.lang else [])


def examples(doubts: Sequence[Doubt], each: int = 3) -> list[str]:
    """Return a sentence for the first doubts of each kind, and one that counts the others."""
    lines, counts = [], Counter[str]()
    for doubt in doubts:
        counts[doubt.kind] += 1
        if counts[doubt.kind] <= each:
            lines.append(str(doubt))
    more = {kind: count - each for kind, count in counts.items() if count > each}
    others = ", ".join(f"{count} of {kind}" for kind, count in more.items())
    return [*lines, f"{sum(more.values())} more doubts: {others}."] if more else lines
