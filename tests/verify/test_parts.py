"""The paragraph or item that a reference names, in two texts of a provision."""

from __future__ import annotations

from random import Random

import pytest

from legalir.verify.parts import Part, is_same

LABELS = {
    "ko": (("①", "②", "③"), ("1.", "2."), ("가.", "나.")),
    "ja": (("", "２\u3000", "３\u3000"), ("一\u3000", "二\u3000"), ("イ\u3000", "ロ\u3000")),
    "zh": (("", "", ""), ("（一）", "（二）"), ("1.", "2.")),
    "th": (("", "", ""), ("(1)", "(2)"), ("(ก)", "(ข)")),
    "en": (("(1)", "(2)", "(3)"), ("(a)", "(b)"), ("(i)", "(ii)")),
    "de": (("(1)", "(2)", "(3)"), ("1.", "2."), ("a)", "b)")),
    "fr": (("I. –", "II. –", "III. –"), ("1°", "2°"), ("a)", "b)")),
    "it": (("1.", "2.", "3."), ("a)", "b)"), ("1)", "2)")),
    "vi": (("1.", "2.", "3."), ("a)", "b)"), ("", "")),
}
NUMBERS = {
    "ko": (("1", "2", "3"), ("1", "2"), ("가", "나")),
    "ja": (("1", "2", "3"), ("1", "2"), ("イ", "ロ")),
    "th": (("1", "2", "3"), ("1", "2"), ("ก", "ข")),
    "en": (("1", "2", "3"), ("a", "b"), ("i", "ii")),
    "it": (("1", "2", "3"), ("a", "b"), ("1", "2")),
    "fr": (("I", "II", "III"), ("1", "2"), ("a", "b")),
    "vi": (("1", "2", "3"), ("a", "b"), ("", "")),
}


def provision(lang: str, random: Random) -> dict[Part, str]:
    """Return the lines of an invented provision by what they are."""
    labels = LABELS[lang]
    numbers = NUMBERS.get(lang, (("1", "2", "3"), ("1", "2"), ("a", "b") if lang == "de" else ("1", "2")))
    lines: dict[Part, str] = {}
    for first in range(random.randint(1, 3)):
        lines[numbers[0][first], "", ""] = f"{labels[0][first]} {{}}"
        for second in range(random.choice((0, 2))):
            lines[numbers[0][first], numbers[1][second], ""] = f"{labels[1][second]} {{}}"
            for third in range(random.choice((0, 2)) if labels[2][0] else 0):
                lines[numbers[0][first], numbers[1][second], numbers[2][third]] = f"{labels[2][third]} {{}}"
    return lines


def level(part: Part) -> int:
    return sum(map(bool, part))


@pytest.mark.parametrize("lang", LABELS)
def test_a_part_is_touched_if_its_words_or_those_above_or_below_it_changed(lang: str) -> None:
    word = {"ko": "문장", "ja": "文", "zh": "文字", "th": "ข้อความ"}.get(lang, "words")
    for seed in range(60):
        random = Random(seed)
        lines = provision(lang, random)
        texts = {part: line.format(f"{word} {place}") for place, part in enumerate(lines) for line in (lines[part],)}
        changed = random.choice([*lines])
        after = {**texts, changed: texts[changed] + f" {word}"}
        for part in lines:
            shared = part[: min(level(part), level(changed))] == changed[: min(level(part), level(changed))]
            found = is_same("\n".join(texts.values()), "\n".join(after.values()), part, lang)
            assert found is not shared and (found is not None or len(lines) == 1), (part, changed, after)


LIST = "(1) May not\n(a) sell;\n(b) lend\n{} told.\n(2) Two."


@pytest.mark.parametrize(
    ("before", "after", "part", "lang", "same"),
    [
        # The words that introduce all paragraphs, or all items.
        ("May not\n(a) sell;\n(b) lend.", "Must not\n(a) sell;\n(b) lend.", ("b", "", ""), "en", False),
        # A line behind a list may belong to the list.
        (LIST.format("if"), LIST.format("unless"), ("1", "a", ""), "en", None),
        (LIST.format("if"), LIST.format("unless"), ("2", "", ""), "en", True),
        # A new paragraph takes the number.
        ("① 하나\n② 둘", "① 하나\n② 새로\n③ 둘", ("2", "", ""), "ko", False),
        ("① 하나\n② 둘", "① 하나\n② 둘\n③ 셋", ("2", "", ""), "ko", True),
        ("제5조(개) ① 하나\n② 둘", "제5조(개) ① 하나\n② 셋", ("1", "", ""), "ko", True),
        # Paragraphs in one line, two with one number, a part that is not there.
        ("(1) One. (2) Two.", "(1) One. (2) Three.", ("2", "", ""), "en", None),
        ("(1) One.\n(1) Two.", "(1) One.\n(1) Three.", ("1", "", ""), "en", None),
        ("(1) One.\n(2) Two.", "(1) One.\n(2) Three.", ("7", "", ""), "en", None),
        # An only paragraph; an item without the paragraph named.
        ("다음 각 호\n1. 개\n2. 소", "다음 각 호\n1. 개\n2. 말", ("", "1", ""), "ko", True),
        ("다음 각 호\n1. 개\n2. 소", "다음 각 호\n1. 개\n2. 말", ("1", "", ""), "ko", False),
        ("① 각 호\n1. 개\n② 각 호\n1. 소", "① 각 호\n1. 개\n② 각 호\n1. 말", ("", "1", ""), "ko", None),
        # Some count the lines of a list as paragraphs, too.
        ("Un.\nDeux :\n1° trois ;\nQuatre.", "Un.\nDeux :\n1° trois ;\nCinq.", ("3", "", ""), "fr", None),
        ("Un.\nDeux :\n1° trois ;\nQuatre.", "Un.\nDeux :\n1° trois ;\nCinq.", ("1", "", ""), "fr", True),
    ],
)  # fmt: skip
def test_what_cannot_be_told(before: str, after: str, part: Part, lang: str, same: bool | None) -> None:
    assert is_same(before, after, part, lang) is same
