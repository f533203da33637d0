"""Labels at the beginnings of lines."""

from __future__ import annotations

import random

import pytest

from legalir.references.outline import outline


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1) x\n(a) y\n(i) z\n(ii) z\n(b) y\n(2) x", ["1", "1.a", "1.a.i", "1.a.ii", "1.b", "2"]),
        ("(a) x\n(1) y\n(A) z\n(i) u\n(I) v\n(II) v\n(B) z\n(b) x", "a a.1 a.1.A a.1.A.i a.1.A.i.I a.1.A.i.II a.1.B b"),
        ("1. x\na) y\naa) z\nbb) z\nb) y\n2. x", "1 1.a 1.a.aa 1.a.bb 1.b 2"),
        ("I.-A\n1° B\n2° C\nII.-D", "I I.1 I.2 II"),
        ("(a)(1) x\n(2) y\n(b) z", "a a.1 a.2 b"),
        ("(1) x\n(1A) x\n(3) x\n(a) y\n(aa) y\n(b) y", "1 1A 3 3.a 3.aa 3.b"),
        # A letter or a Roman numeral.
        ("(h) x\n(i) y\n(ii) y\n(i) x\n(j) x", "h h.i h.ii i j"),
        ("(g) x\n(h) x\n(i) x\n(j) x", "g h i j"),
        ("(iv) x\n(v) x\n(vi) x", "iv v vi"),
        # Without marks.
        ("1 x\n2 x\na y\ni z\nii z\nb y\n3 x", "1 2 2.a 2.a.i 2.a.ii 2.b 3"),
        ("A person who\na person of\nI am", ""),
        ("12 ships\nand 40 boats", ""),
        ("(a) x\nOf (b) y", "a"),
        ("(1) x\n(2) x\n(1) z", "1 2 1"),  # Of another section
        ("(abc) x\n(xyzzy) y\n() z\n(", ""),
    ],
)
def test_labels_nest(text: str, expected: str | list[str]) -> None:
    labels = outline(text)
    expected = expected.split() if isinstance(expected, str) else expected
    assert [".".join(label.numbers) for label in labels] == expected
    assert all(text[label.start :].lstrip("(").startswith(label.numbers[-1]) for label in labels)


def test_labels_in_a_quotation_are_none_of_the_text() -> None:
    text = "(1) Insert—\n“(3) A\n(4) B”.\n(2) C"
    assert [label.numbers for label in outline(text, [(text.index("“"), text.index("”"))])] == [("1",), ("2",)]


def test_no_form_nests_in_itself() -> None:
    labels = ("(a)", "(i)", "(ii)", "(1)", "(A)", "2.", "b)", "aa)", "I.-", "3°", "(5A)")
    draw = random.Random(5)
    for _ in range(200):
        text = "".join(f"{draw.choice(labels)} x\n" for _ in range(60))
        found = outline(text)
        assert [label.start for label in found] == sorted(label.start for label in found)
        assert max(len(label.numbers) for label in found) <= len(labels)
