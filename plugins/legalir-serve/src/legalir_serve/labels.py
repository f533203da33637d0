"""Labels of pages in the reader's language, numbers and plurals in them, and what the server says in English."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import yaml
from fastapi import Request

from legalir.errors import ComponentError, suggestion

_SENTENCES = tuple(
    (re.compile(pattern), f"says_{name}")
    for pattern, name in (
        (r"As of (?P<day>\S+), from the question \((?P<words>.*)\);", "day"),
        (r"The question names (?P<words>.*), which is not a day", "no_day"),
        (r"The question is written in (?P<words>\w+) letters", "other_letters"),
        (r"The question names several days \((?P<words>.*)\)", "several_days"),
        (r"The question names (?P<words>.*), which is to come", "day_to_come"),
        (r"The question names (?P<words>.*), not clearly as a day", "unclear_day"),
        (r"The question names (?P<words>.*), without a date", "without_date"),
        (r"amended from (?P<day>\d\S+)", "amended"),
        (r"(?:repealed|not in force) from (?P<day>\d\S+)", "repealed"),
        (r"moves to (?P<words>\S+) from (?P<day>\d\S+)", "moves"),
        (r"No provision.* has the phrase (?P<words>.*)\. Searched without it\.", "no_phrase"),
        (r".*: '(?P<words>.*)' is not a date", "not_a_date"),
        (r"There is no parameter '(?P<words>.*)'|(?P<more>\w+)\?", "no_parameter"),
        (r"The question is empty", "empty"),
        (r"The (?:question|text) has (?P<words>[\d,]+) characters, and (?P<more>[\d,]+)", "too_long"),
        (r"The provision '.*' is not among the results", "no_result"),
        (r"from=(?P<words>\S+) is later than to=(?P<more>\S+):", "wrong_order"),
        (r"where: no \w+(?: of \S+)? (?:is|contains) '(?P<words>[^']*)'\.(?P<names>.*)", "no_filter"),
        (r"where: ", "filter"),
        (r".*(?:component|expression|pipeline|gives an answer|gives no answer|may not stand in a request)", "pipeline"),
    )
)
"""What the server says in English, and the name of the label that says it; a label has ``{words}, {more}, {day}``."""

_REASON = "because_"
"""How the names of labels begin that are reasons of `verify` and `impact`; the English one is what the core says."""

_WORDS = ("unit", "state")
"""Fields of reasons whose values are words: ``{unit}`` is ``paragraph`` and so on, each with a label ``unit_…``."""

_VALUES = {"day": r"\d{4}-\d\d-\d\d", "n": r"\d+"}
"""Values of other fields, where they are not any text."""

_LONGEST = 4000
"""Maximum number of characters of reasons that are read."""


def messages(more: Path | None = None) -> dict[str, dict[str, str]]:
    """Return the labels of pages by language and name; what a language lacks is in English.

    Args:
        more: a YAML file with labels by language and name, which override legalir's labels.

    Raises:
        ComponentError: it cannot be read, or holds something else.
    """
    own = _own()
    given = {} if more is None else _labels(more, own["en"])
    return {
        language: {**own["en"], **own.get(language, {}), **given.get(language, {})}
        for language in sorted({**own, **given})
    }


@cache
def _own() -> dict[str, dict[str, str]]:
    labels: dict[str, dict[str, str]] = yaml.safe_load(
        resources.files(__package__).joinpath("messages.yaml").read_text("utf-8")
    )
    return labels


def _labels(path: Path, names: Collection[str]) -> dict[str, dict[str, str]]:
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ComponentError(f"The labels in {path} cannot be read: {type(error).__name__}.") from None
    for language, labels in given.items() if isinstance(given, dict) else [("", None)]:
        if not isinstance(language, str) or not re.fullmatch("[a-z]{2}", language) or not isinstance(labels, dict):
            raise ComponentError(f"{path} holds no labels: write codes of languages, and below each name: label.")
        for name, label in labels.items():
            if name not in names or not isinstance(label, str):
                raise ComponentError(f"{path}: {name!r} of {language} is no label.{suggestion(str(name), set(names))}")
    return given  # type: ignore[no-any-return]


def language_of(request: Request, languages: Collection[str]) -> str:
    """Return the language of a request: from its URL, else the browser's first available language."""
    accepted = request.headers.get("accept-language", "").split(",")
    for wanted in (request.query_params.get("lang", ""), *accepted):
        code = wanted.strip()[:2].lower()
        if code in languages:
            return code
    return "en"


def plural(label: str, n: int, language: str) -> str:
    """Return a label with a number: its first form for one (in French also for none), else its last.

    Args:
        label: forms with ``{n}``, divided by ``|``; a language without plurals has one.
        n: the number.
        language: its code.
    """
    forms = label.split("|")
    return forms[0 if n == 1 or (n == 0 and language == "fr") else -1].format(n=grouped(n, language))


def grouped(n: int, language: str) -> str:
    """Return a number with its thousands as they are written in a language."""
    return f"{n:,}".replace(",", {"de": ".", "fr": "\u202f"}.get(language, ","))


def said(text: str, labels: Mapping[str, str]) -> str:
    """Return what the server says in English in the words of `labels`; empty if they do not have it."""
    if sentences := _sentences(text):
        translated = (labels[name].format_map(_translated(fields, labels)) for name, fields in sentences)
        return "".join(one if one.endswith("。") else f"{one} " for one in translated).rstrip()
    for pattern, name in _SENTENCES:
        if match := pattern.match(text):
            groups = {group: value or "" for group, value in match.groupdict().items()}
            words, more, day = (groups.get(group, "") for group in ("words", "more", "day"))
            names = ", ".join(re.findall("'([^']*)'", groups.get("names", "")))
            return f"{labels[name].format(words=words or more, more=more, day=day)} {names}".strip()
    return ""


def _translated(fields: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    return {field: labels[_names(field)[value]] if field in _WORDS else value for field, value in fields.items()}


@cache
def _names(field: str) -> dict[str, str]:
    """Return the names of the labels of the words that a field has, by the English word."""
    return {label: name for name, label in _own()["en"].items() if name.startswith(f"{field}_")}


@cache
def _reasons() -> list[tuple[str, re.Pattern[str], str, int]]:
    """Return how each reason begins, its pattern, the name of its label, and the number of its fixed characters."""
    found = []
    for name, label in _own()["en"].items():
        if name.startswith(_REASON):
            pieces = re.split(r"{(\w+)}", label)
            for at, field in enumerate(pieces):
                words = "|".join(map(re.escape, _names(field))) if field in _WORDS else _VALUES.get(field, ".+?")
                pieces[at] = f"(?P<{field}>{words})" if at % 2 else re.escape(field)
            fixed = len(re.sub(r"{\w+}", "", label))
            found.append((label.partition("{")[0], re.compile("".join(pieces), re.DOTALL), name, fixed))
    return found


def _sentences(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return the labels and fields of the reasons that a text consists of; of several readings, the most fixed one."""
    if len(text) > _LONGEST:
        return []
    ends = [*(match.start() for match in re.finditer(r"(?<=[.?]) ", text)), len(text)]
    best: dict[int, tuple[int, list[tuple[str, dict[str, str]]]]] = {len(text) + 1: (0, [])}
    for start in reversed([0, *(end + 1 for end in ends[:-1])]):
        readings = [
            (fixed + best[end + 1][0], [(name, match.groupdict()), *best[end + 1][1]])
            for begins, pattern, name, fixed in _reasons()
            if text.startswith(begins, start)
            for end in ends
            if end > start and end + 1 in best and (match := pattern.fullmatch(text, start, end))
        ]
        if readings:
            best[start] = max(readings, key=lambda reading: reading[0])
    return best.get(0, (0, []))[1]


def refused_in(labels: Mapping[str, str], code: str, reason: str, wanted: str = "") -> str:
    """Return the reason of an error in the words of `labels`.

    Args:
        labels: of the reader's language.
        code: kind of the error.
        reason: the reason in English.
        wanted: what was asked for, and is not there.
    """
    label = labels[f"error_{code}"]
    if code == "not_found":
        return f"{label} {wanted}".strip()
    return f"{label} {said(reason, labels)}".strip() if code == "invalid" else label
