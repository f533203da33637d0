"""Citations of a text: the references to provisions, each with the day, the heading and the quotation beside it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from legalir.references.grammar import grammars
from legalir.references.law_names import LawMention
from legalir.references.read import Reference, learn_names, read
from legalir.references.typed import law_endings
from legalir.verify.days import law_days, words_of

_AROUND = 120
"""Number of characters on each side of a citation in which the name of its law is looked for."""

_NEAR = 60
"""Maximum number of characters between a citation and the day that is named for it, without quotations."""

_FAR = 300
"""The same with quotations."""

_APART, _BEHIND = 100, 8
"""Maximum number of characters between a citation and a quotation behind it; and before it, in brackets."""

_LONGEST = 4000
"""Maximum number of characters of a quotation."""

_SHORTEST, _SHORTEST_CASELESS = 16, 8
"""Fewest letters of words in quotation marks that are no term but a quotation; the latter in scripts without cases."""

_PAIRS = tuple(zip('“„„«»「『"‚‚›‹', '”“”»«」』"‘’‹›', strict=True))
_SINGLE = tuple(
    rf"(?<![\w'’]){first}(?P<s{n}>(?:[^{first}{last}\n]|(?<=[a-zà-ÿ]){last}(?=[a-zà-ÿ])){{2,{_LONGEST}}}){last}(?![a-zà-ÿ\d])"
    for n, (first, last) in enumerate((("‘", "’"), ("'", "'")))
)
"""Single quotation marks; one between letters is an apostrophe."""

_QUOTED = re.compile(
    "|".join(
        (
            *(rf"{first}(?P<q{n}>[^{first}{last}]{{2,{_LONGEST}}}){last}" for n, (first, last) in enumerate(_PAIRS)),
            *_SINGLE,
        )
    ),
    re.IGNORECASE,
)
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_BLOCK_MARK = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_MAIL = re.compile(
    r"^[ \t>]*(?:Subject|Betreff|Objet|Oggetto|Asunto|Assunto|Onderwerp|Re|AW|WG|Fwd?|From|Von|De|Da|Van)\s?:"
    r"|^[^\n]{1,200}\s(?:wrote|schrieb|a écrit|ha scritto|escribió|escreveu|schreef)\b[^\n]{0,60}:[ \t]*$",
    re.MULTILINE,
)
"""Lines of a mail, in which `>` marks what is replied to."""

_HEADING = re.compile(r"[ \xa0]?[(（【\[]([^()（）【】\[\]\n]{2,200})[)）】\]]")
_HEADING_INSIDE = re.compile(rf"(\d[A-Za-z]{{0,2}}+(?:\(\w{{1,4}}\)){{0,4}}+){_HEADING.pattern}")
_LINE_GOES_ON = re.compile(
    r"(?<=[^\s.:;!?。！？])\n(?=[^\s#>|*+•·\-–—○◦①-⑳\d(（]|\([A-Z][a-z]{2}|(?:1[5-9]|20)\d\d(?![\w/-]|[.:]\d))"
)
_MARKED_GOES_ON = re.compile(_LINE_GOES_ON.pattern.replace(r"\n", r"\n[ \t]*>[ \t>]*", 1))
"""The same in lines that begin with marks of a quotation."""

EMPHASIS = re.compile(
    r"(?m:(?<=^>)(?:[ \t]?>)+)"
    r"|\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}|(?<![^\W_])_{1,2}(?=[^\W_])|(?<=[^\W_])_{1,2}(?![^\W_])"
)
"""Marks of Markdown around words, and of a quotation in a quotation, without which a text is read."""
_SENTENCE = re.compile(r"[^\s.]{2}[.!?]\s|[\s”\"»’][.!?]\s+(?=[A-ZÀ-Þ])|[。！？]")
_PARAGRAPH = re.compile(r"\n\s*\n")
_FOLLOWS = re.compile(r"[\s.,;…]{0,3}[(（\[—–-][^\w]{0,2}(?:\w{1,4}\.? ?){0,2}")
"""What may be between a quotation and the citation behind it."""

_ENDS = re.compile(r"(?:[^\W\d_]{4}|[가-힣])[\"”“»’]?[.!?][\"”“»’]?\s+(?![a-zà-ÿ(])|[。！？](?![\"”」』])|\n")
"""The end of a sentence, but not of an abbreviation."""

_LEADS = re.compile(r"[^,;，；、]*[,，、]?\s*|.*[:：]\s*", re.DOTALL)
"""What may be between a citation and its quotation: *says*, *is*, but no clause of its own without a colon."""

_CLOSED = re.compile(r"[)）\]\n]|.{60}")
"""What ends the brackets in which a law and its provision stand."""

_MARKS_OF = {
    r"§§?\s?\d": "de",
    r"(?:\bU\.\s?S\.\s?C\.|\b[Ss]ections?\s\d|\b(?:ss?|reg|r)\.?\s\d|\b(?:Rule|Regulation)s?\s\d)": "en",
    r"\b[Aa]rt(?:icle)?s?\.?\s(?:[LRD]\.?\s?)?\d": "en fr de it",
    r"\b[Aa]rt(?:icol[oi]|t\.)\s?\d": "it",
    r"\b[Aa]rtikeln?\s\d": "de nl",
    r"\b[Aa]rt[íi]culos?\s\d": "es",
    r"제\s?\d{1,4}\s?조": "ko",
    r"第[〇一二三四五六七八九十百千\d]{1,8}[条條]": "ja zh",
    r"มาตรา\s?[\d๐-๙]": "th",
    r"\b[Đđ]iều\s\d": "vi",
    r"\b[Pp]asal\s\d": "id",
}
_MARKS = {str(place): of for place, of in enumerate(_MARKS_OF.values())}
_MARKED = re.compile("|".join(f"(?P<m{place}>{form})" for place, form in enumerate(_MARKS_OF)))
"""Words and signs of numbers of provisions, with the languages whose grammars read them."""

_UNSPACED = ("ja", "ko", "th", "zh")
_ENDINGS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Letters of these languages, which may follow a name of a law in Latin letters without a blank: BGB와."""

_NO_LAW = re.compile(
    r"(?:이|그|동|본|구|신|현행|개정|종전|같은|방|불|위|적|합|입|사|문|용)법|(?:시행|대통령|총리|부|법|명|훈)령|시행규[칙정]"
)
"""Korean words that end as the name of a law and are not names."""

_DOCUMENT = re.compile(
    r"(?i:(?!\w*(?:staats|einigungs|unions|verfassungs|grundlagen|kirchen|friedens|grenz|sperr|tarif)vertrag))"
    r"(?:[A-ZÄÖÜ][\w’'-]* ){0,5}"
    r"(?:[A-ZÄÖÜ][a-zäöüß]*(?:vertrag(?:e?s)?|contract|kontrakt(?:en|et)?)|Contract|Charterparty)"
    r"|(?:(?:General|Special|Standard|Particular) (?:Terms|Conditions)|Terms and Conditions"
    r"|Allgemeinen? \w*[Bb]edingungen|[Aa]lgemene [Vv]oorwaarden"
    r"|[Cc]on(?:ditions|dizioni|diciones) (?:[Gg]énérales|[Gg]enerali|[Gg]enerales)"
    r"|[Cc]ondições [Gg]erais|[Cc]ontrat(?:to|o)?)(?!\w).*"
)
"""A name of a document that is not a law, such as a contract; treaties are laws."""

_OF_CONTRACT = re.compile(
    r"(?<![^\W\d_])(?:\w{0,20}verträge?|\w{0,20}vertrag(?:e?s)?|contra[ck]?ts?|contratt[oi]|contratos?|agreement|lease|bail|"
    r"\w{0,20}overeenkomst|umow[ay]|avtal|aftale)(?![^\W\d_])",
    re.IGNORECASE,
)
_HEADING_LINE = re.compile(r"[ \t]*(?:[.:–—-][ \t]*)?([(]?[A-ZÀ-Þ][^.;:!?\n]{1,70})?(?:\n|\Z)")
"""Words that say that a text is a contract; and what is behind the number in a line that is a heading of it."""

_WRAPPED = 45
"""Fewest characters of a line above a heading that may be one of wrapped text."""

_BRACKET = re.compile(r"\[([^\[\]\s]{2,80})\]")


class Citation(NamedTuple):
    """A citation in a text.

    Attributes:
        start: of its first character.
        end: after its last one.
        reference: what the words cite; None for a docno in brackets, as answers have it.
        days: the days that the text names for it, ISO dates; empty for one that does not exist.
        old: words that say that it cites an older wording, without a day: *as originally enacted*.
        heading: words in brackets behind it that may be the heading of the provision.
        quotations: the quoted words that belong to it, each as the text has it.
        beside: quoted words of the same sentence that may belong to it, and terms.
        before: the law that was named last before it in the same paragraph, where it names none.
        docno: the docno in brackets.
        near: the text around it in its line; `at` and `until` are its ends there.
        quoted_by: place, among all citations, of the one whose quotation has this one; -1 for none.
        listed: number of the list of citations in which it stands: *sections 7 and 8*.
    """

    start: int
    end: int
    reference: Reference | None
    days: tuple[str, ...] = ()
    old: str = ""
    heading: str = ""
    quotations: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    before: str = ""
    docno: str = ""
    near: str = ""
    at: int = 0
    until: int = 0
    quoted_by: int = -1
    listed: int = 0


def citations_of(
    text: str,
    languages: Sequence[str],
    docno: re.Pattern[str] | None = None,
    is_law: Callable[[str], object] = bool,
    laws_in: Callable[[str], Sequence[LawMention]] = lambda text: (),
    given: bool = False,
) -> list[Citation]:
    """Return the citations of a text, in order. Of two that overlap, the first counts, then the longer.

    Where the readings of several languages overlap, the one counts that reads more: laws, articles, paragraphs, items.

    Lines that are only wrapped are read as one. A law without a number is a citation if it is known, in quotation
    marks, or of several words: not each abbreviation in capitals is a law. A matter left to another law is none.

    Args:
        text: the text.
        languages: those of the text and of the law that it cites, with a grammar each.
        docno: what docnos in square brackets look like; None for none.
        is_law: whether a name is that of a known law.
        laws_in: returns the known laws that a text names.
        given: whether the law of citations without one is given; else those to a contract's own provisions are none.
    """
    whole = _MARKED_GOES_ON.sub(lambda end: " " * len(end[0]) if _begins(text, end.start(), ">") else end[0], text)
    if _MAIL.search(text):
        text, whole = (_BLOCK_MARK.sub(lambda mark: " " * len(mark[0]), each) for each in (text, whole))
    whole = _LINE_GOES_ON.sub(lambda end: "\n" if _begins(text, end.start(), "#") else " ", whole)
    readings, known = [], {whole[law.start : law.end] for law in laws_in(whole)}
    for lang in dict.fromkeys(languages):
        # Without blanks or capitals, nothing but the collection tells where a name begins.
        names = {} if grammars()[lang].has_words else {name: name for name in known}
        references = read(whole, lang, names=names | learn_names(whole, lang), labels=False)
        readings.append([Citation(one.start, one.end, one) for one in references if _cites(one, is_law)])
    found = _of_best_readings(readings, laws_in(whole)) if len(readings) > 1 else readings[0]
    found += _of_other_languages(whole, found, languages)
    if docno is not None:
        named = (match for match in _BRACKET.finditer(whole) if docno.fullmatch(match[1]))
        found += [Citation(*match.span(), None, docno=match[1]) for match in named]
    kept: list[Citation] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    kept = _without_own(text, _with_laws(whole, text, kept), given)
    kept = _with_old(whole, _with_days(whole, kept))
    kept = _with_quotations(whole, text, _with_headings(whole, kept))
    documents = [one.reference is not None and _is_document(one.reference.law, is_law) for one in kept]
    places = {place: new for new, place in enumerate(place for place, gone in enumerate(documents) if not gone)}
    return [kept[place]._replace(quoted_by=places.get(kept[place].quoted_by, -1)) for place in places]


def _of_best_readings(readings: Sequence[Sequence[Citation]], laws: Sequence[LawMention]) -> list[Citation]:
    """Return the citations that several languages read; where they overlap, those of the language that reads most.

    Of two languages that read as much, the one counts whose citations are longer, then the first. A citation reaches
    to the end of the name of a known law in which it ends: no other language reads the rest of that name.
    """
    starts = [law.start for law in laws]

    def reach(one: Citation) -> int:
        place = bisect_left(starts, one.end) - 1
        return max(one.end, laws[place].end if place >= 0 else 0)

    rows = sorted(((one, of) for of, each in enumerate(readings) for one in each), key=lambda row: row[0].start)
    found, first, end = list[Citation](), 0, 0
    for place, (one, _) in enumerate([*rows, (Citation(-1, -1, None), 0)]):
        if place > first and not 0 <= one.start < end:
            of_each = [[each for each, of in rows[first:place] if of == number] for number in range(len(readings))]
            best = max(range(len(readings)), key=lambda number: (*_read_in(of_each[number]), -number))
            kept = of_each.pop(best)
            for each in (each for others in of_each for each in others):
                if all(each.end <= other.start or reach(other) <= each.start for other in kept):
                    kept = [*kept, each]
            found, first = [*found, *kept], place
        end = max(end, reach(one))
    return found


def _read_in(citations: Sequence[Citation]) -> tuple[int, int]:
    """Return how many laws and units citations name that name several, and the number of their characters."""
    parts = ("law", "article", "paragraph", "item", "subitem", "annex", "supplement", "group", "part")
    names = [sum(bool(getattr(one.reference, part)) for part in parts) for one in citations]
    return sum(count for count in names if count > 1), sum(one.end - one.start for one in citations)


def _of_other_languages(whole: str, found: Sequence[Citation], languages: Sequence[str]) -> Iterator[Citation]:
    """Yield the citations in the forms of other languages, such as § 823 BGB in a Korean text, in lines with a sign.

    They may have the name of a law in them that was found without a number.
    """
    read_there = sorted((one.start, one.end) for one in found if _has_number(one))
    starts = [start for start, _ in read_there]
    pieces: dict[str, dict[tuple[int, int], None]] = {}
    for match in _MARKED.finditer(whole):
        place = bisect_right(starts, match.end() - 1) - 1
        if place < 0 or read_there[place][1] <= match.start():
            start = max(whole.rfind("\n", 0, match.start()) + 1, match.start() - _AROUND)
            line = whole.find("\n", match.end(), match.end() + _AROUND)
            piece = start, min(len(whole), match.end() + _AROUND) if line < 0 else line
            of_mark = _MARKS[(match.lastgroup or "m0")[1:]].split()
            # A language of the text that has the mark has read it, and found it to be of a contract, say.
            for lang in () if {*of_mark} & {*languages} else of_mark:
                pieces.setdefault(lang, {})[piece] = None
    for lang in pieces:
        for start, end in pieces[lang]:
            words = whole[start:end] if lang in _UNSPACED else _ENDINGS.sub(" ", whole[start:end])
            for one in read(words, lang):
                first, last = start + one.start, start + one.end
                place = bisect_right(starts, last - 1) - 1
                if (place < 0 or read_there[place][1] <= first) and _has_number(Citation(first, last, one)):
                    yield Citation(first, last, one._replace(surface=whole[first:last]))


def _begins(text: str, end: int, mark: str) -> bool:
    """Return True if the line that ends at a place begins with a mark of Markdown."""
    return text.startswith(mark, text.rfind("\n", 0, end) + 1)


def _cites(one: Reference, is_law: Callable[[str], object]) -> bool:
    if one.article or one.annex or one.paragraph or one.item or one.supplement or one.group:
        return True
    known = one.law and one.law_kind == "named" and (not one.surface[0].isalnum() or " " in one.law or is_law(one.law))
    return one.kind != "delegates" and bool(known)


def _is_document(name: str, is_law: Callable[[str], object]) -> bool:
    return _DOCUMENT.fullmatch(name) is not None and not is_law(name)


@cache
def _joins() -> re.Pattern[str]:
    """Return the pattern of what joins the citations of a list, in all languages."""
    words = {word for grammar in grammars().values() for word in grammar.list}
    join = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.compile(rf"(?:{_HEADING.pattern})?[\s,;(（]*(?:(?:(?i:{join}))[\s,;]*)?")


@cache
def _unread() -> re.Pattern[str]:
    """Return the pattern of a Korean word that ends as the name of a law, directly before a number."""
    endings = "|".join(law_endings("ko"))
    return re.compile(rf"(?<![가-힣])(?P<law>[가-힣·ㆍ]{{1,40}}(?:{endings}))(?:의|상)?[\s(（「」『』]{{0,3}}\Z")


def _with_laws(whole: str, text: str, citations: Sequence[Citation]) -> list[Citation]:
    """Give citations without a law the one that was named last before them in the same paragraph.

    Of a section it is one whose sections were cited, and not one of which a rule was.
    """
    with_laws, end, last = [], 0, dict[str, str]()  # by the word for its articles
    for one in citations:
        if _PARAGRAPH.search(text, end, one.start):
            last = {}
        last_end, end = end, one.end
        if (reference := one.reference) is not None:
            if reference.law_kind == "likely":
                reference = reference._replace(law="", law_kind="self")
                one = one._replace(reference=reference)
            low = max(0, whole.rfind("\n", 0, one.start) + 1, one.start - _AROUND)
            line = whole.find("\n", one.end)
            high = min(len(whole) if line < 0 else line, one.end + _AROUND)
            one = one._replace(near=whole[low:high], at=one.start - low, until=one.end - low)
            unread = None if reference.law else _unread().search(whole, max(low, last_end), one.start)
            if unread and not _NO_LAW.fullmatch(unread["law"]):
                reference = reference._replace(law=unread["law"], law_kind="named")
                one = one._replace(start=unread.start("law"), reference=reference, at=unread.start("law") - low)
            if reference.law and reference.law_kind in ("named", "short"):
                last[reference.word] = reference.law
            elif not reference.law:
                one = one._replace(before=last.get(reference.word, ""))
        with_laws.append(one)
    return with_laws


def _without_own(text: str, citations: Sequence[Citation], given: bool) -> list[Citation]:
    """Return citations without the headings of a contract, which begin lines, and citations of its own provisions."""
    headings: dict[Citation, str] = {}
    for one in citations if _OF_CONTRACT.search(text) else ():
        *_, above, begin = ("\n\n" + text[: one.start]).rsplit("\n", 2)
        words = _HEADING_LINE.match(text, one.end)
        ends = len(above) < _WRAPPED or above.rstrip()[-1:] in ".:;!?)"
        alone = words and ((words[1] and ends) or not above.strip()) and not begin.strip(" \t#*")
        if alone and one.reference and one.reference.article and not one.reference.law:
            headings[one] = one.reference.article
    numbers = [int(number) for number in headings.values() if number.isdecimal()]
    if len(numbers) < 2 or numbers != sorted({*numbers}):
        return list(citations)
    own = {*headings.values()} if not given else ()
    return [
        one
        for one in citations
        if one not in headings
        and not (one.reference and not (one.reference.law or one.before) and one.reference.article in own)
    ]


def _with_days(text: str, citations: Sequence[Citation]) -> list[Citation]:
    """Give citations the days that are named for them: nearest in the same line, within `_NEAR` characters."""
    near: list[tuple[int, int]] = []  # Pieces of the text, each with the citations that are less than its ends apart.
    for one in citations:
        first, last = max(0, one.start - 2 * _FAR), one.end + 2 * _FAR
        near[-1:] = [(near[-1][0], last)] if near and first <= near[-1][1] else [*near[-1:], (first, last)]
    days = [(at + start, at + end, day) for at, last in near for start, end, day in law_days(text[at:last])]
    if not days:
        return list(citations)
    named: list[list[str]] = [[] for _ in citations]
    ends = [one.end for one in citations]
    for start, end, day in days:
        for place in range(bisect_left(ends, start - _FAR), len(citations)):
            one = citations[place]
            if one.start > end + _FAR:
                break
            first, last = (one.end, start) if one.end <= start else (end, one.start)
            # The full stop of a sentence may be in its quotation: “… 200 crowns.” Today …
            between = _QUOTED.sub(
                lambda words: " . " if words[0][-2:-1] in (".", "!", "?") else "", text[max(0, first - 2) : last]
            )
            apart = len(between) > _NEAR + 2 or "\n" in between or _SENTENCE.search(between)
            if not apart or (one.start <= start and end <= one.end):
                named[place].append(day)
    return [one._replace(days=tuple(dict.fromkeys(of))) for one, of in zip(citations, named, strict=True)]


def _with_old(whole: str, citations: Sequence[Citation]) -> list[Citation]:
    """Give citations of provisions the words that say that they cite an older wording.

    They stand directly before or behind the number or the law: *former section 4*, *§ 4 HfG a.F.*, *§ 4 des alten HfG*;
    or in a list at its first number, or behind the law of its last one: *§§ 4 und 5 HfG a.F.*
    """
    before, behind = words_of("old_before"), words_of("old_after")
    marked = list(citations)
    for place in reversed(range(len(citations))):
        one, following = citations[place], marked[place + 1] if place + 1 < len(citations) else None
        if one.reference is None or not _has_number(one):
            continue
        law = whole.find(one.reference.law, one.start, one.end) if one.reference.law else -1
        gap = whole[one.end : following.start] if following else ""
        found = before.search(whole, max(0, one.start - 40), one.start) or behind.match(whole, one.end)
        if found and following and _has_number(following) and one.end < found.end() >= following.start - 2:
            found = None  # article 5 (ancien article 4)
        if found is None and law >= 0:
            found = before.search(whole, one.start, law) or behind.search(whole, one.start, law)
        if found is None and following and not _has_number(following) and len(gap) < 20:
            found = before.search(gap)  # A law whose name ends before the number is a citation of its own.
        old = found[1] if found else ""
        if not old and law < 0 and following and following.old and _joins().fullmatch(gap):
            old = following.old
        marked[place] = one._replace(old=old)
    for place, one in enumerate(marked[1:], 1):
        last = marked[place - 1]
        if last.old and whole[one.start].isdigit() and _joins().fullmatch(whole, last.end, one.start):
            marked[place] = one._replace(old=one.old or last.old)
    return marked


def _with_headings(text: str, citations: Sequence[Citation]) -> list[Citation]:
    """Give citations the words in brackets behind them, unless they are a note, a date or a citation."""
    headed = []
    for place, one in enumerate(citations):
        following = citations[place + 1].start if place + 1 < len(citations) else len(text)
        if one.reference is not None:
            inside = _HEADING_INSIDE.search(text, one.start, one.end)
            one = one._replace(heading=heading_at(text, inside.end(1) if inside else one.end, following))
        headed.append(one)
    return headed


def heading_at(text: str, place: int, end: int | None = None) -> str:
    """Return the words in brackets at a place of a text, unless they are a note, a date or reach beyond an end."""
    words = _HEADING.match(text, place)
    if not words or (end is not None and words.end() > end) or words_of("no_heading").match(words[1].strip()):
        return ""
    return " ".join(words[1].split())


def is_quotation(words: str, times: float = 1) -> bool:
    """Return True if words in quotation marks are long enough to be no term, or some times as long."""
    caseless = any(sign.isalpha() and sign.lower() == sign.upper() for sign in words)
    return sum(map(str.isalnum, words)) >= times * (_SHORTEST_CASELESS if caseless else _SHORTEST)


def _has_number(one: Citation) -> bool:
    return one.reference is None or bool(one.reference.article or one.reference.annex or one.reference.supplement)


def _is_title(words: str) -> bool:
    """Return True if all long words begin with a capital, as in the title of a book."""
    long = [word for word in words.split() if len(word) > 3]
    return sum(map(len, long)) > 15 and all(word[0].isupper() for word in long)


def _with_quotations(whole: str, text: str, citations: Sequence[Citation]) -> list[Citation]:
    """Give each quotation to the citation before it, or to one in brackets directly behind it.

    Quoted words that are farther from a citation, but in its sentence, are beside it, and so are terms.
    """
    marked = [(*match.span(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(whole)]
    for match in _BLOCK.finditer(text):
        marked.append((*match.span(), _BLOCK_MARK.sub("", match[0])))
    quoting: dict[tuple[int, bool], list[str]] = {}
    quoted: dict[int, int] = {}
    preceded: set[int] = set()  # Citations behind words that they quote.
    starts, ends = [one.start for one in citations], [one.end for one in citations]
    for start, end, words in sorted(marked):
        begin, behind = bisect_right(ends, start), bisect_left(starts, end)
        before = begin - 1
        while before in quoted:  # It is in the quotation before this one.
            before -= 1
        long, inside = is_quotation(words), citations[begin:behind]
        if inside and (
            not (long and start < inside[0].start <= inside[-1].end < end)
            or (not any(map(_has_number, inside)) and sum(one.end - one.start for one in inside) > 0.8 * len(words))
        ):
            continue  # A name in quotation marks, which is part of a citation.
        block = text[start:end].lstrip().startswith(">")
        near = long and before >= 0 and start - ends[before] <= _APART and _has_number(citations[before])
        if near and not block:
            near = not _PARAGRAPH.search(text, ends[before], start)
        gap = whole[end : starts[behind]] if behind < len(citations) else "\n" * (_BEHIND + 1)
        sentence = [
            (not _has_number(citations[place]), last - first, place)
            for place, first, last in (
                *(((before, ends[before], start),) if before >= 0 else ()),
                *(((behind, end, starts[behind]),) if behind < len(citations) else ()),
            )
            if last - first <= _FAR and not _ENDS.search(whole, first - 6 * (place == behind), last)
        ]
        in_sentence = {place for _, _, place in sentence}
        firm = True
        if long and len(gap) <= _BEHIND and (_FOLLOWS.fullmatch(gap) or not (near or gap.strip(" .,;…"))):
            # A law whose name ends before the number is a citation of its own, and the next one has the number.
            named = not _has_number(citations[behind]) and behind + 1 < len(citations)
            by = behind + (named and not _CLOSED.search(whole, ends[behind], starts[behind + 1]))
        elif near and (block or not {before, behind} & in_sentence):
            by, firm = before, block
        elif near and before in in_sentence and not (before in preceded and behind in in_sentence):
            by, firm = before, bool(_LEADS.fullmatch(whole, ends[before], start)) and not _is_title(words)
        elif block and not gap.strip():
            by, firm = behind, False
        elif sentence and not block:
            by, firm = behind if near and behind in in_sentence else min(sentence)[2], False
        else:
            continue
        if by >= behind:
            preceded.add(by)
        quoting.setdefault((by, firm), []).append(words)
        quoted.update(dict.fromkeys(range(begin, behind), by))
    listed = 0
    found = []
    for place, one in enumerate(citations):
        listed += not _joins().fullmatch(whole, ends[place - 1] if place else 0, one.start)
        found.append(
            one._replace(
                quotations=tuple(quoting.get((place, True), ())),
                beside=tuple(quoting.get((place, False), ())),
                quoted_by=quoted.get(place, -1),
                listed=listed,
            )
        )
    return found
