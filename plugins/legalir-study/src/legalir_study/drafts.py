"""Multiple-choice questions as a model writes them: a JSON object whose parts may still be marked up and numbered."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from legalir.extend import read_number

_LABELS = ("123456789", "abcdefghi", "①②③④⑤⑥⑦⑧⑨", "가나다라마바사아자", "ㄱㄴㄷㄹㅁㅂㅅㅇㅈ", "กขคงจฉ")
"""Signs that number options, in their order."""

_MARKUP = re.compile(r"[*`]+|^[^\S\n]*[-•]\s+|^#+\s*", re.MULTILINE)
_OPTION_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 4, "maxItems": 4}


def without_markup(text: str) -> str:
    """Return a text in one line, without the signs of bold type, code, headings and lists."""
    return " ".join(_MARKUP.sub("", unicodedata.normalize("NFC", text)).split())


def _label(place: int) -> str:
    """Return a pattern of the label of an option, from 0: ``2.``, ``(2)``, ``b)``, ``②``; not the 1 of ``1.2 ㎫``."""
    signs = [family[place] for family in _LABELS if place < len(family)]
    lettered = "|".join(sign for sign in signs if not unicodedata.name(sign).startswith("CIRCLED"))
    circled = "|".join(sign for sign in signs if unicodedata.name(sign).startswith("CIRCLED"))
    return rf"(?:[(\[]?(?:{lettered})\s?[.)\]:、．](?!\d)|(?:{circled or '(?!)'})[.)]?)"


def numbered_options(text: str) -> list[str]:
    """Return the options of a text that numbers them, without their labels; the lines of any other text.

    What stands before the first label, such as a heading, is left out. A decimal such as ``1.2 ㎫`` is no label.
    """
    plain = _MARKUP.sub("", text)
    starts: list[re.Match[str]] = []
    for place in range(9):
        label = re.compile(rf"(?:(?<=\s)|^){_label(place)}", re.IGNORECASE)
        found = label.search(plain, starts[-1].end() if starts else 0)
        if found is None:
            break
        starts.append(found)
    if len(starts) < 2:
        return [line.strip() for line in plain.splitlines() if line.strip()]
    ends = [*(start.start() for start in starts[1:]), len(plain)]
    return [plain[start.end() : end].strip() for start, end in zip(starts, ends, strict=True)]


def without_labels(options: Sequence[str]) -> list[str]:
    """Return options without markup, and without their labels if each has the label of its place."""
    plain = [without_markup(option) for option in options]
    labels = [re.match(_label(place), option, re.IGNORECASE) for place, option in enumerate(plain[:9])]
    if not labels or len(plain) > len(labels) or not all(labels):
        return plain
    return [option[label.end() :].strip() for option, label in zip(plain, labels, strict=True) if label]


def _texts(value: Any) -> Any:
    """Return options as a list: models also write one text, or an object with a key for each."""
    if isinstance(value, str):
        return numbered_options(value)
    return list(value.values()) if isinstance(value, Mapping) else value


def key_of(answer: int | str, options: Sequence[str]) -> int:
    """Return the number of the option that an answer names, from 1; 0 for none.

    Args:
        answer: a number, its label (``b``, ``②``), or what :func:`legalir.extend.read_number` reads, such as
            ``정답: 2`` or the text of the option.
        options: the texts of the options.
    """
    if isinstance(answer, int):
        return answer if 1 <= answer <= len(options) else 0
    text = without_markup(answer)
    for place in range(min(9, len(options))):
        signs = [family[place] for family in _LABELS if place < len(family)]
        if re.fullmatch(rf"(?:{'|'.join(signs)}|{_label(place)})", text, re.IGNORECASE):
            return place + 1
    return read_number(text, options)


class MCQDraft(BaseModel):
    """A multiple-choice question as a model returns it."""

    question: str
    options: Annotated[list[str], BeforeValidator(_texts), WithJsonSchema(_OPTION_TEXTS)]
    answer: Annotated[int | str, Field(union_mode="left_to_right"), WithJsonSchema({"type": "integer"})]
    explanation: str = ""

    def row(self) -> dict[str, Any]:
        """Return ``query, options, key, explanation`` without markup and labels; key 0 if no option is named.

        No option is left out here, not even an empty one: the key would name another.
        """
        options = without_labels(self.options)
        return {
            "query": without_markup(self.question),
            "options": options,
            "key": key_of(self.answer, options),
            "explanation": without_markup(self.explanation),
        }
