"""Reasons of `verify` and `impact` in the languages of the pages: each that the core can give, with all its facts."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import get_args

import pytest

from legalir_serve.labels import messages, said

# Their source is read, which is no part of what plugins may import.
verification, impact, repeals, parts = (
    import_module(f"legalir.{name}")
    for name in ("verify.verification", "verify.impact", "verify.repeals", "references.parts")
)
LABELS = messages()
ENGLISH_PAGE = {"asides", "told", "impact_page", "_item", "_near"}
"""Functions of the page in English that `legalir impact --html` writes."""

STATES = get_args(verification.State)
WORDS = {"level": ("paragraph", "item", "subitem"), "kind": ("annex", "supplement"), "outer.state": STATES}
"""Values of fields that are words of the language, not facts."""

ANOTHER = {"reason", "told", "notice", "found.reason", "_REASONS[concern]"}
"""Fields that are another reason."""


def strings(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the strings of a module, but docstrings, errors and what they name, types and regular expressions."""
    if isinstance(node, ast.Raise) or getattr(node, "name", "") in ENGLISH_PAGE:
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("re.", "day_of")):
        return
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node  # type: ignore[misc]
        return
    for child in ast.iter_child_nodes(node):
        yield from strings(child)


def is_sentence(text: str) -> bool:
    return re.search(r"[A-Za-z]{2} [a-z]", text) is not None and text not in (*STATES, *get_args(impact.Concern))


def fields(node: ast.FormattedValue, number: int) -> tuple[tuple[str, bool], ...]:
    """Return examples of a field, each with whether it is a fact."""
    name = ast.unparse(node.value)
    if isinstance(node.value, ast.IfExp):  # 'paragraph' if bare == 1 else 'paragraphs'
        return tuple((ast.literal_eval(one), False) for one in (node.value.body, node.value.orelse))
    if name == "_TERM":
        return ((verification._TERM, False),)
    if name.startswith("_cut("):
        return ((verification._cut("the words. It names no article. And more"), False),)
    if name in WORDS:
        return tuple((word, False) for word in WORDS[name])
    if name in ANOTHER:
        return ("", False), ("It names no article.", False)
    if isinstance(node.value, ast.BoolOp):  # one.before or found.law or 'this one'
        return ("4", True), *((one.value, False) for one in node.value.values if isinstance(one, ast.Constant))
    days = ("day", "since", "iso_date", "effective")
    return ((f"19{80 + number}-01-02" if any(day in name for day in days) else f"{number + 3}", True),)


def reasons(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    """Yield each reason of a module with examples in its fields, and the facts in it."""
    for node in strings(ast.parse(inspect.getsource(module))):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        choices = [
            fields(one, number) if isinstance(one, ast.FormattedValue) else ((str(getattr(one, "value", "")), False),)
            for number, one in enumerate(parts)
        ]
        for chosen in itertools.product(*choices):
            text = re.sub(" +", " ", "".join(text for text, _ in chosen)).strip()
            if is_sentence(text):
                yield text, [text for text, fact in chosen if fact]


REASONS = [*{one[0]: one for module in (verification, impact, repeals, parts) for one in reasons(module)}.values()]


@pytest.mark.parametrize("language", sorted(LABELS))
def test_each_reason_of_the_core_is_said_in_each_language(language: str) -> None:
    for text, facts in REASONS:
        if text == verification._TERM:
            continue  # The end of a sentence.
        own = said(text, LABELS[language])
        assert own, (language, text)
        assert (own == text) is (language == "en"), (language, own)
        assert [fact for fact in facts if fact not in own] == [], (language, own)


def test_each_label_of_a_reason_is_used() -> None:
    marked = {name: f"{name}." for name in LABELS["en"] if name.startswith("because_")} | {
        name: label for name, label in LABELS["en"].items() if not name.startswith("because_")
    }
    used = {word for text, _ in REASONS for word in re.findall(r"because_\w+", said(text, marked))}
    assert used == {name for name in marked if name.startswith("because_")}


def test_each_state_and_concern_has_a_label() -> None:
    names = {f"state_{one}" for one in STATES} | {f"concern_{one}" for one in get_args(impact.Concern)}
    assert {name.replace(" ", "_") for name in names} <= {*LABELS["en"]}


@pytest.mark.parametrize(
    ("english", "language", "own"),
    [
        ("It has no paragraph 9, but 1, 2.", "de", "Absatz 9 gibt es dort nicht, nur 1, 2."),
        (
            "The law of this number is dated 2018-06-12, not 1999-03-03.",
            "fr",
            "La loi qui porte ce numéro est datée du 2018-06-12, et non du 1999-03-03.",
        ),
        ("It has 1 paragraph.", "fr", "La disposition n’a que 1 alinéa."),
        # A sign that ends a sentence may be in a name, and a sentence in words that are quoted.
        (
            "The text does not say of which law it is; taken for Act No. 5. of 1990. The law has no number 12-2.",
            "zh",
            "文中未说明是哪部法律，视为：Act No. 5. of 1990。该法没有编号为12-2的条文。",
        ),
        (
            "“It names no article. So” in quotation marks is not in it: taken for a term.",
            "ko",
            "따옴표 안의 “It names no article. So”: 이 조문에 없어 용어로 보았습니다.",
        ),
        ("Its text is: Repealed. It names no article. {x}", "ja", "条文の内容：Repealed. It names no article. {x}"),
        ("It names no article. Something else.", "de", ""),
        ("It names no article. " * 9_000, "de", ""),
    ],
)
def test_reasons_in_a_row_and_with_hostile_words(english: str, language: str, own: str) -> None:
    assert said(english, LABELS[language]) == own
