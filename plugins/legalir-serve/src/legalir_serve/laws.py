"""What stands around a provision that is read: the levels of its law side by side, terms, references, days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from legalir.extend import NumberTable, definitions, iso_date, provision_key, statute_of
from legalir_serve.reading import unit_of
from legalir_serve.service import Service, family_of, in_force, laws_of, references_in

LEVELS = ("act", "decree", "rule", "standard")
"""Levels of laws, each of which carries out what the one before it delegates."""

_BESIDE = 20
"""Most provisions of a level whose texts stand beside a provision."""

_ALL = 100_000
"""More provisions than cite any other."""

_NAMES = re.compile("「[^」]*」|『[^』]*』|《[^》]*》")
"""Names of laws."""

_WITHOUT_ENDS = ("lo", "km", "my")
"""Languages that write without blanks, in whose texts a term could be a part of another word."""

_THAI_BEFORE = "ของ|ให้|โดย|ที่|จาก|ต่อ|และ|หรือ|ตาม|เป็น|ใน|แก่|กับ|ว่า|ถ้า|เมื่อ|ซึ่ง|เพื่อ|สำหรับ|มี|แต่|ก็|ทำ"
_THAI_AFTER = (
    "ที่|ซึ่ง|และ|หรือ|ตาม|ใน|ให้|มี|ได้|ต้อง|อาจ|จะ|ไม่|เป็น|นี้|นั้น|ดังกล่าว|อื่น|ทั้ง|ทุก|ใด|ราย|กำหนด|ประกาศ|แต่งตั้ง"
    "|โดย|เพื่อ|จาก|ต่อ|แก่|กับ|ก่อน|เมื่อ|สำหรับ|ถือ|เห็น|เว้น|ผู้|ครั้ง|ภายใน|พ้น|สั่ง|ยื่น|แจ้ง"
)
"""Words around a noun: with any other letter beside it, it may be a part of the name of something else."""

_LONGEST = 40
"""Most characters of a term that is marked; what is longer is a phrase."""

_PARTICLES = (
    "은|는|이|가|을|를|의|에|와|과|도|로|만|및|란|인|등|에서|에게|으로|이나|이란|이라|부터|까지|보다|마다|에는|에도|와의|과의|로서|으로서"
    "|에의|라|나|별로|이며|이고|이거나|이라도|에게는|에서는"
)
"""Endings of a Korean noun; with anything else behind it, it is a part of another word."""


def level_of(name: str) -> int:
    """Return the place of a level in :data:`LEVELS` (``decree_ind`` counts as ``decree``); -1 if it is not listed."""
    name = name.partition("_")[0]
    return LEVELS.index(name) if name in LEVELS else -1


def provision(service: Service, docno: str, *, collection: str | None = None, as_of: str | None = None) -> Any:
    """Return a provision as :meth:`Service.provision` does, with ``terms``: what its law, or the act, defines.

    A term is marked where it first occurs, if a single meaning holds there: ``start, end, term, meaning``, and
    ``docno`` and ``title`` of the provision that defines it. Errors as :meth:`Service.provision`.
    """
    shown = service.provision(docno, collection=collection, as_of=as_of)
    # A version that is not in force on the day is read with the law of its first day.
    dated, now = service.opened(shown["collection"]).collection.dated, shown["state"] == "in force"
    return {**shown, "terms": _terms(service, shown, as_of if now or not dated else shown["effective_from"] or as_of)}


def _terms(service: Service, shown: Mapping[str, Any], day: str | None) -> list[dict[str, Any]]:
    opened = service.opened(shown["collection"])
    language, act = opened.collection.language, statute_of(shown["law"])
    known = dict[str, list[dict[str, Any]]]()
    places = laws_of(opened.collection, shown["docno"])
    for law in {shown["law"], act} & {*places} - {""}:
        for record in in_force(opened.collection, places[law], opened.day(day)):
            for one in definitions({**record._asdict(), "docno": record.doc_id}, language):
                if one.holds_in(shown) if law == shown["law"] else one.scope == "law":
                    facts = {"term": one.term, "meaning": one.meaning, "docno": one.docno, "title": record.title}
                    known.setdefault(one.term, []).append(facts)
    found = list[dict[str, Any]]()
    taken = [(one["start"], one["end"]) for one in shown["references"]]
    text, laws = shown["text"], NumberTable.of(opened.collection).laws
    for start, end, term in occurrences(text, tuple(sorted(known)), language, laws):
        meanings = known[term]
        single = len({(one["docno"], one["meaning"]) for one in meanings}) == 1
        elsewhere = meanings[0]["docno"] != shown["docno"]
        free = all(end <= first or last <= start for first, last in taken)
        if single and elsewhere and free and term not in {one["term"] for one in found}:
            found.append({"start": start, "end": end, **meanings[0]})
    return found


def occurrences(
    text: str, terms: tuple[str, ...], language: str, laws: Iterable[str] = ()
) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and term of the places of terms as whole words; of two at one place, the longer.

    None in scripts whose words have no ends that can be seen (of Thai, only those beside a blank, a sign or a word such
    as *of*), and none in the name of a law: in its marks, or one of `laws`.
    """
    pattern, of = _pattern(terms, language)
    names = [match.span() for match in _NAMES.finditer(text)]
    for law in filter(None, laws):
        at = text.find(law)
        while at >= 0:
            names.append((at - 1, at + len(law)))
            at = text.find(law, at + len(law))
    for match in pattern.finditer(text):
        if not any(first < match.start("term") < end for first, end in names):
            yield match.start("term"), match.end("term"), of[match["term"].casefold()]


@lru_cache(maxsize=64)
def _pattern(terms: tuple[str, ...], language: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return the pattern of terms, and the term of each of its matches in small letters."""
    shortest = {"zh": 3, "th": 4}.get(language, 2)  # Without blanks a short word is a part of others.
    chosen = [term for term in terms if shortest <= len(term) <= _LONGEST and language not in _WITHOUT_ENDS]
    forms = {term.casefold(): term for term in chosen}
    if language in ("en", "fr"):
        forms = {f"{small}s": term for small, term in forms.items()} | forms
    either = "|".join(map(re.escape, sorted(forms, key=len, reverse=True))) or "(?!)"
    if language == "ko":
        ends = rf"(?:(?=[^\w])|\Z|(?=(?:{_PARTICLES})(?!\w)))"
        return re.compile(rf"(?<!\w)(?P<term>{either}){ends}", re.IGNORECASE), forms
    if language == "th":  # After a blank, an abbreviation may go on with a name: คณะกรรมการ ป.ป.ช.
        begin = "|".join(rf"(?<={word})" for word in _THAI_BEFORE.split("|"))
        ends = rf"(?:(?![ก-๎])|(?={_THAI_AFTER}))(?! ?[ก-ฮ]{{1,2}}\.)"
        return re.compile(rf"(?:(?<![ก-๎])|{begin})(?P<term>{either}){ends}"), {form: form for form in chosen}
    if language == "zh":
        return re.compile(rf"(?P<term>{either})", re.IGNORECASE), forms
    if language == "ja":
        # A word ends where the script changes.
        whole = "|".join(
            rf"(?<![{_script(term[0])}]){re.escape(term)}(?![{_script(term[-1])}])"
            for term in sorted(forms, key=len, reverse=True)
        )
        return re.compile(rf"(?P<term>{whole or '(?!)'})", re.IGNORECASE), forms
    return re.compile(rf"(?<![\w-])(?P<term>{either})(?![\w-])", re.IGNORECASE), forms


def _script(sign: str) -> str:
    """Return the signs of the script of a Japanese sign, for a class of a pattern."""
    scripts = ("\u30a0-\u30ff", "\u4e00-\u9fff\u3005", "a-zA-Z0-9")
    return next((script for script in scripts if re.match(f"[{script}]", sign)), "\u3041-\u3096")


def previews(service: Service, shown: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, str]]:
    """Return what the text of a provision refers to, by docno and unit: ``id, title``, and a short ``text``."""
    held = service.opened(shown["collection"]).collection
    cited = dict.fromkeys((one["docno"], one["unit"]) for one in shown["references"])
    named = held.provisions(dict.fromkeys(docno for docno, _ in cited))
    return {
        (docno, unit): {
            "id": f"ref-{number}",
            "title": named[docno].title or docno,
            "text": _first(unit_of(named[docno].text, held.language, unit)),
        }
        for number, (docno, unit) in enumerate(cited)
    }


def _first(text: str, length: int = 600) -> str:
    return text if len(text) <= length else f"{text[:length].rsplit(None, 1)[0]} …"


def levels(service: Service, docno: str, *, collection: str | None = None, as_of: str | None = None) -> dict[str, Any]:
    """Return a provision between those of other levels: what it carries out, and what carries it out.

    Beside an act are the provisions of decrees, rules and standards that cite it; beside a decree is also the act that
    it cites. A rule that cites a decree of the same family of laws, which cites the act, is beside the act, too.

    Args:
        service: what is served.
        docno: of the provision.
        collection: name of the collection.
        as_of: the day.

    Returns:
        ``collection, docno, title, law, before, after``; ``family``, the other laws of its family; ``levels``, from act
        to standard, each with its ``level``, the ``total`` of its provisions, and the first 20 of these, those of the
        family first: ``docno, title, law, level, text, family, via`` (the provisions between, if it does not cite it
        itself), and of the family ``references``, the places in the text that cite one of the provisions shown. No
        levels: the provision has none that is known.

    Raises:
        DatasetNotFound: there is no such provision.
    """
    shown = service.provision(docno, collection=collection, as_of=as_of)
    place = {"collection": shown["collection"], "as_of": as_of}
    family, own = statute_of(shown["law"]), level_of(shown["level"])
    kept = ("collection", "docno", "title", "law", "before", "after")
    opened = service.opened(shown["collection"])
    related = family_of(opened.collection, shown["docno"], shown["law"], opened.day(as_of))
    facts = {**{name: shown[name] for name in kept}, "family": related, "levels": list[dict[str, Any]]()}
    if own < 0:
        return facts

    def others(of: str, relation: str, above: bool) -> list[dict[str, str]]:
        rows = service.citing(of, relation, **place, k=_ALL)["rows"]
        return [row for row in rows if (level_of(row["level"]) < own) == above and 0 <= level_of(row["level"]) != own]

    rows = {row["docno"]: row for above in (True, False) for row in others(shown["docno"], _relation(above), above)}
    via = dict[str, list[str]]()
    for row in [row for row in rows.values() if statute_of(row["law"]) == family][:_BESIDE]:
        above = level_of(row["level"]) < own
        for other in others(row["docno"], _relation(above), above):
            further = abs(level_of(other["level"]) - own) > abs(level_of(row["level"]) - own)
            new = other["docno"] not in rows or other["docno"] in via
            if further and new and statute_of(other["law"]) == family:
                rows[other["docno"]] = other
                via.setdefault(other["docno"], []).append(row["docno"])
    rows[shown["docno"]] = {name: shown[name] for name in ("docno", "title", "law", "level")}
    listed = sorted(rows.values(), key=lambda row: (statute_of(row["law"]) != family, row["docno"] in via))
    beside = [[row for row in listed if level_of(row["level"]) == number] for number in range(len(LEVELS))]
    visible = {row["docno"] for of in beside for row in of[:_BESIDE]}
    held = opened.collection
    texts = held.provisions(visible)

    def whole(row: dict[str, str]) -> dict[str, Any]:
        near, references = statute_of(row["law"]) == family, list[dict[str, Any]]()
        if near:
            cited = service.citing(row["docno"], "cites", **place, k=_ALL)["rows"]
            named = [*held.provisions([one["docno"] for one in cited]).values()]
            found = references_in(held, texts[row["docno"]], named)
            references = [one for one in found if one["docno"] in visible]
        more = {"family": near, "via": via.get(row["docno"], []), "references": references}
        return {**row, "text": texts[row["docno"]].text, **more}

    facts["levels"] = [
        {"level": level, "total": len(of), "provisions": [whole(row) for row in of[:_BESIDE]]}
        for level, of in zip(LEVELS, beside, strict=True)
        if of
    ]
    return facts


def _relation(above: bool) -> str:
    return "cites" if above else "cited_by"


def days(service: Service, docno: str, *, collection: str | None = None) -> list[tuple[str, int]]:
    """Return the days on which the provisions of a law began, changed or ended, the oldest first, and how many did.

    Raises:
        DatasetNotFound: there is no such provision.
    """
    shown = service.citing(docno, "cites", collection=collection, k=0)
    store = service.opened(collection).collection.source.store
    if store.validity is None:
        return []
    changed = dict[str, set[str]]()
    for place in laws_of(service.opened(collection).collection, shown["docno"])[shown["law"]].tolist():
        for of in (store.validity.begin, store.validity.end):
            changed.setdefault(iso_date(int(of[place])), set()).add(provision_key(str(store.docnos.array[place])))
    return [(day, len(changed[day])) for day in sorted({*changed} - {""})]
