"""Filters of questions that need no model. Each returns the items that it drops, with a clause about each."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from legalir.errors import DefinitionError
from legalir_study.items import Faults, Row

MALFORMED = "malformed"
ABOUT_TEXT = "about the text"
STATEMENT = "statement"
DUPLICATE = "duplicate"
"""Names of the filters, which are the reasons of what they drop."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MARKS = "?？"
_CLOSING = " \t\"'”’」』)）.。!！*`"


class Language(BaseModel):
    """Words and patterns of one language, as ``languages.yaml`` has them.

    Attributes:
        abstain: the option that says that the question cannot be answered.
        about_text: patterns of a question about the text itself.
        question: patterns of the end of a question without a question mark.
        statement: patterns of the end of a statement.
        addenda: patterns of the words for the rules at the end of an amending act, whose articles are numbered again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    abstain: str
    about_text: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    statement: tuple[str, ...] = ()
    addenda: tuple[str, ...] = ()


@cache
def languages() -> dict[str, Language]:
    """Return the words and patterns of each language by its code."""
    text = Path(__file__).with_name("languages.yaml").read_text(encoding="utf-8")
    return {code: Language.model_validate(values) for code, values in yaml.safe_load(text).items()}


def abstention(language: str) -> str:
    """Return the option of a language that says that the question cannot be answered.

    Raises:
        DefinitionError: the language has none.
    """
    if language not in languages():
        known = ", ".join(languages())
        raise DefinitionError(
            f"There is no option to abstain in the language {language!r}: write one with --abstain, or choose one of "
            f"{known} with --language."
        )
    return languages()[language].abstain


def pattern_of(language: str, kind: str) -> re.Pattern[str]:
    """Return a pattern of any of the patterns of one kind; the pattern of none matches nowhere."""
    patterns = getattr(languages()[language], kind) if language in languages() else ()
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a text as it is compared: NFKC, small letters, single spaces, no sign at its ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(".。,;:!?？！*`\"' ")


def _words(text: str) -> list[str]:
    """Return the words of a text without punctuation."""
    return "".join(" " if unicodedata.category(sign)[0] in "PS" else sign for sign in plain(text)).split()


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def malformed_questions(items: Sequence[Row]) -> Faults:
    """Return the items whose question has no word."""
    return {row["qid"]: "the question is empty" for row in items if not _has_words(row["query"])}


def malformed_options(items: Sequence[Row], options: int = 4) -> Faults:
    """Return the multiple-choice items without a usable set of options.

    An item has a question, exactly `options` different options with a word each beside the option to abstain, and a
    key that is one of them.

    Args:
        items: ``query, options, key``; ``abstain`` where the option to abstain is among the options.
        options: number of options without the one to abstain.
    """
    faults = {}
    for row in items:
        abstain = row.get("abstain", 0)
        own = [text for number, text in enumerate(row["options"], start=1) if number != abstain]
        same = [text for text, count in Counter(map(plain, own)).items() if count > 1]
        refusals = {plain(one.abstain) for one in languages().values()}
        if not _has_words(row["query"]):
            fault = "the question is empty"
        elif len(own) != options:
            fault = f"{len(own)} options instead of {options}"
        elif not all(map(_has_words, own)):
            fault = f"option {[_has_words(text) for text in own].index(False) + 1} has no word"
        elif same:
            fault = f"two options are the same: {same[0]}"
        elif any(plain(text) in refusals for text in own):
            fault = "an option says that the question cannot be answered"
        elif row["key"] == abstain or not 1 <= row["key"] <= len(row["options"]):
            fault = "the answer names no option"
        else:
            continue
        faults[row["qid"]] = fault
    return faults


def about_the_text(items: Sequence[Row], language: str) -> Faults:
    """Return the items whose question is about a text, a document or its amendments, not about the law.

    Args:
        items: ``query``.
        language: code of the language of the items.
    """
    pattern = pattern_of(language, "about_text")
    found = ((row["qid"], pattern.search(unicodedata.normalize("NFC", row["query"]))) for row in items)
    return {qid: f"“{match[0]}”" for qid, match in found if match}


def statements(items: Sequence[Row], language: str) -> Faults:
    """Return the items whose question is a statement: it has no question mark and no ending of a question.

    Args:
        items: ``query``.
        language: code of the language of the items.
    """
    asks, states = (
        re.compile(rf"(?:{pattern_of(language, kind).pattern})$", re.I) for kind in ("question", "statement")
    )
    faults = {}
    for row in items:
        text = unicodedata.normalize("NFC", row["query"]).rstrip(_CLOSING)
        bare = text.rstrip(_MARKS + _CLOSING)
        if states.search(bare) or not (text.endswith(tuple(_MARKS)) or asks.search(bare)):
            faults[row["qid"]] = "not a question"
    return faults


def duplicates(items: Sequence[Row], alike: float = 90) -> Faults:
    """Return the items whose question was asked by an earlier item.

    Two questions are the same if they have the same words, whatever their order, or are at least `alike` percent
    similar (indel distance of the sorted words). Questions with different numbers are different.

    Args:
        items: ``query``.
        alike: lowest similarity of a duplicate, percent.
    """
    from rapidfuzz import fuzz, process

    faults: dict[str, str] = {}
    earlier: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
    for row in items:
        words = " ".join(sorted(_words(row["query"])))
        numbers = tuple(sorted(_NUMBER.findall(plain(row["query"]))))
        texts, qids = earlier.setdefault(numbers, ([], []))
        closest = process.extractOne(words, texts, scorer=fuzz.ratio, score_cutoff=alike) if words else None
        if closest is None:
            texts.append(words)
            qids.append(row["qid"])
        else:
            faults[row["qid"]] = f"as {qids[closest[2]]}, {closest[1]:.0f} % similar"
    return faults
