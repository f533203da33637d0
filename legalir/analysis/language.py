"""Languages: what the analysis of words knows of each (``languages.yaml``), and in which one texts are written.

The language and the scripts of a collection are recognised once and stored next to its indexes.
"""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import regex

from legalir.collections import Collection
from legalir.config import read_yaml
from legalir.errors import AnalyzerError
from legalir.storage.documents import title_and_text
from legalir.storage.files import atomic_file

if TYPE_CHECKING:
    from legalir.datasets import StatuteDataset

UNKNOWN = "und"
"""Code of a language that is not known (BCP 47, *undetermined*)."""

_COUNTRIES = {
    "cn": "zh",
    "cz": "cs",
    "dk": "da",
    "gb": "en",
    "gr": "el",
    "il": "he",
    "ir": "fa",
    "jp": "ja",
    "kr": "ko",
    "tw": "zh",
    "us": "en",
    "vn": "vi",
}
"""Country codes that are often written instead of a language code, and are not language codes."""

_SAMPLE = 200_000
"""Characters by which a language is recognised; library and scripts read no more."""

_SCRIPTS = (
    *("Hangul", "Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Latin", "Cyrillic", "Greek"),
    *("Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Telugu", "Georgian", "Armenian", "Ethiopic"),
)
WITHOUT_SPACES = frozenset(("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
"""Scripts that do not put spaces between words."""


@dataclass(frozen=True, slots=True)
class Language:
    """Rules of a language for the analysis of words; see the keys of ``languages.yaml``."""

    code: str
    name: str = "unknown"
    codes: tuple[str, ...] = ()
    stemmer: str = ""
    bridge: bool = False
    elisions: frozenset[str] = frozenset()
    fold: bool = False
    lower: dict[str, str] = field(default_factory=dict, hash=False)
    signs: tuple[str, ...] = ()
    compounds: bool = False


@cache
def _languages() -> dict[str, Language]:
    # The file is part of the package.
    rows = cast(dict[str, dict[str, Any]], read_yaml(Path(__file__).with_name("languages.yaml"), "languages"))
    return {
        code: Language(
            code,
            **{
                **row,
                "codes": tuple(row.get("codes", ())),
                "elisions": frozenset(row.get("elisions", ())),
                "signs": tuple(row.get("signs", ())),
            },
        )
        for code, row in rows.items()
    }


@cache
def language(code: str) -> Language:
    """Return the language of a code: ISO 639-1, also with a region or a script (``en-GB``), or ``und``.

    Raises:
        AnalyzerError: the code is not known.
    """
    known = _languages()
    base = code.replace("_", "-").split("-")[0].lower()
    if base == UNKNOWN:
        return Language(UNKNOWN)
    if base not in known:
        meant = _COUNTRIES.get(base) or _code_of_name(code)
        hint = f" Did you mean {meant!r} ({known[meant].name})?" if meant else ""
        raise AnalyzerError(f"lang={code!r} is not a language code such as 'en' (ISO 639-1).{hint}")
    return known[base]


def language_code(named: str) -> str:
    """Return the ISO 639-1 code of a language as a file names it, or an empty string if the language is not known.

    A code of ISO 639-1 or 639-2 (``fr``, ``fra``, ``fre``), with a region or a script (``fr-CH``), at the end of an
    address (``…/authority/language/FRA``), or the English name. Nothing else is one: ``http`` is not Haitian.
    """
    last = re.split(r"[/#:]", named.strip().rstrip("/"))[-1]
    return _named_languages().get(re.split("[-_@.]", last)[0].lower(), "")


@cache
def _named_languages() -> dict[str, str]:
    known = _languages().values()
    return {name: one.code for one in known for name in (one.code, *one.codes, one.name.lower())}


def _code_of_name(name: str) -> str | None:
    """Return the code of the language with the name nearest to `name`, or with a name that begins so."""
    codes = {one.name.lower(): one.code for one in _languages().values()}
    wanted = name.lower()
    near = [other for other in codes if len(wanted) > 2 and other.startswith(wanted)] or get_close_matches(
        wanted, codes
    )
    return codes[near[0]] if near else None


def language_of(collection: Collection | None) -> str:
    """Return the code of a collection's language, ``und`` for what has none."""
    return UNKNOWN if collection is None else collection.language


def identify(texts: Iterable[str]) -> str:
    """Return the code of the language that most of `texts` are written in, or ``und``; about 200 000 characters count.

    py3langid decides among the languages of ``languages.yaml``.
    """
    sample = _sample(texts)
    if not any(map(str.isalpha, sample)):
        return UNKNOWN
    return cast(str, _identifier().classify(sample)[0])


def _sample(texts: Iterable[str]) -> str:
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text[:1000])
        size += len(parts[-1])
        if size >= _SAMPLE:
            break
    return "\n".join(parts)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    # An object of our own: the module's functions share one, whose languages any caller may change.
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(_languages()))
    return identifier


def scripts(texts: Iterable[str]) -> dict[str, float]:
    """Return the share of each script in the letters of `texts`, the greatest first; 200 000 characters count."""
    counts = Counter[str]()
    for character, count in Counter(_sample(texts)).items():
        counts[_script_of(character)] += count
    del counts[""]
    return {script: count / counts.total() for script, count in counts.most_common()}


_FEW_LETTERS = 20
"""Minimum number of letters to recognise the script of a text."""
_SHARE = 0.1
"""A script has a part in a text if it has this share of its letters."""


def foreign_script(text: str, other: str) -> str | None:
    """Return the main script of `text` if none of its scripts is in `other`; None also for a short text."""
    if sum(map(str.isalpha, text)) < _FEW_LETTERS:
        return None
    own, asked = scripts([text]), scripts([other])
    if asked and not any(asked.get(script, 0) >= _SHARE for script, share in own.items() if share >= _SHARE):
        return max(own, key=lambda one: own[one])
    return None


@cache
def _script_of(character: str) -> str:
    """Return the script of a letter; an empty string for other characters, and for letters of several scripts."""
    if unicodedata.category(character)[0] != "L":
        return ""
    match = _SCRIPT.match(character)
    return "other scripts" if match is None else (match.lastgroup or "")


_SCRIPT = regex.compile("|".join(rf"(?P<{name}>\p{{{name}}})" for name in _SCRIPTS) + r"|\p{Common}|\p{Inherited}")


_FIRST, _TEXTS = 20_000, 500
"""Provisions among which about this many, evenly spaced, are looked at."""

_FILE = "writing.json"

_SEEN = 0.01
"""Share of the letters from which on a script counts."""

_LETTERS = 8
"""Minimum number of letters in a question; a shorter text is a code (``NFTC 103``)."""


class Writing(NamedTuple):
    """How the provisions of a collection are written.

    Attributes:
        language: code of the language, from ``dataset.yaml``, else recognised; ``und`` if unknown.
        recognised: whether the language was recognised, instead of declared.
        scripts: share of each script in the letters, the greatest first.
    """

    language: str
    recognised: bool
    scripts: dict[str, float]

    def __str__(self) -> str:
        """Return one line: ``en (recognised)``, and the scripts if there are several."""
        source = "recognised" if self.recognised else "given"
        line = "cannot be told" if self.language == UNKNOWN else f"{self.language} ({source})"
        shares = [f"{script} {share:.0%}" for script, share in self.scripts.items() if share >= _SEEN]
        if len(shares) < 2:
            return line
        return f"{line}; letters: {', '.join(shares)}: each run of a script is analysed by its own rule"

    def objection(self, question: str) -> str:
        """Return a sentence on why little or nothing can be found for a question, or an empty string."""
        if not any(map(str.isalnum, question)):
            return "The question has no letter and no digit, so that it has no terms: ask in words."
        if not (script := self.foreign(question)):
            return ""
        own, share = next(iter(self.scripts.items()))
        return (
            f"The question is written in {script} letters, and {share:.0%} of the letters of the provisions are {own}."
        )

    def foreign(self, question: str) -> str:
        """Return the main script of a question if the provisions have none of its letters, else an empty string.

        A question of a few letters may be a code, so that it is never foreign.
        """
        script = next(iter(scripts([question])), "")
        few = sum(map(str.isalpha, question)) < _LETTERS
        return "" if few or not self.scripts or self.scripts.get(script, 0) >= _SEEN else script


def writing_of(source: StatuteDataset, cache: Path) -> Writing:
    """Return how the provisions of `source` are written; what is recognised is stored in the folder `cache`.

    Where ``dataset.yaml`` names the language, none is recognised: to load the recogniser takes a second.

    Raises:
        AnalyzerError: ``dataset.yaml`` names a language that is not known.
    """
    given = source.about.lang
    try:
        declared = None if given is None else language(given).code
    except AnalyzerError as error:
        raise AnalyzerError(f"{source.id}: {error} Correct it in dataset.yaml, or leave it out.") from None
    stored = _stored(cache / _FILE)
    recognised, shares = stored or ("", {})
    if stored is None or not (recognised or declared):
        first = min(source.docs_count(), _FIRST)
        looked_at = range(0, first, max(1, first // _TEXTS))
        texts = [title_and_text(record.title, record.text) for record in source.store.at(looked_at)]
        recognised, shares = "" if declared else identify(texts), scripts(texts)
        # If the cache cannot be written, the index that needs it reports that.
        with contextlib.suppress(OSError), atomic_file(cache / _FILE) as file:
            json.dump({"language": recognised, "scripts": shares}, file)
    return Writing(declared or recognised, declared is None, shares)


def _stored(path: Path) -> tuple[str, dict[str, float]] | None:
    """Return language and scripts as stored, or None where they cannot be read: they are recognised again then.

    The language is empty if it was given when they were stored.
    """
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        code = facts["language"] and language(facts["language"]).code
        return code, {str(script): float(share) for script, share in facts["scripts"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AnalyzerError):
        return None
