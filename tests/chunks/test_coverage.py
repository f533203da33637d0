"""Information loss: the worked examples, the published figures, and a plain second implementation."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.chunks import chunking
from legalir.chunks.coverage import HeldPart, information_loss, parts_of

DATA = os.environ.get("LEGALIR_DATA", "")

PROVISIONS = [(0, 40), (40, 100), (100, 220), (220, 260)]
"""The worked example."""

WIDTHS = st.lists(st.integers(1, 12), min_size=1, max_size=12)


def laid_out(widths: list[int]) -> list[tuple[int, int]]:
    """Return provisions of these widths, one character apart."""
    starts = [sum(widths[:place]) + place for place in range(len(widths))]
    return [(start, start + width) for start, width in zip(starts, widths, strict=True)]


@pytest.mark.parametrize(
    ("overlap", "figures"),
    [(0, (4, 1, 4, 1, 2.0, 1.0, 0.75, 0.75, 0.5)), (20, (4, 2, 4, 2, 2.0, 1.0, 0.5, 0.5, 0.0))],
)
def test_the_worked_examples(overlap, figures) -> None:
    # 80, overlap 20: [0,80) holds the first and touches the second, [180,260) holds the fourth and touches the third.
    chunks = chunking.character("가" * 260, 80, overlap)
    assert information_loss([(chunks, PROVISIONS)]) == figures


def test_what_chunks_hold() -> None:
    assert parts_of([(0, 80), (180, 260)], PROVISIONS) == [
        HeldPart(0, 0, True, 0, 40),
        HeldPart(0, 1, False, 40, 40),
        HeldPart(1, 2, False, 0, 40),
        HeldPart(1, 3, True, 40, 40),
    ]


def plain_loss(chunks, provisions) -> tuple[float, ...]:
    """Compute the five figures with sets of characters."""
    held = [set(range(*chunk)) for chunk in chunks]
    own = [set(range(*provision)) for provision in provisions]
    kept = [chunk for chunk in held if any(provision <= chunk for provision in own)]
    touched = [sum(bool(provision & chunk) for provision in own) for chunk in kept]
    touching = [sum(bool(provision & chunk) for chunk in kept) for provision in own]
    reached = [count for count in touching if count]
    return (
        sum(touched) / len(kept) if kept else 0.0,
        sum(reached) / len(reached) if reached else 0.0,
        1 - len(kept) / len(held),
        sum(not any(provision <= chunk for chunk in held) for provision in own) / len(own),
        touching.count(0) / len(own),
    )


@given(widths=WIDTHS, size=st.integers(1, 30), overlap=st.integers(0, 29))
def test_the_figures_are_those_of_a_plain_count(widths, size, overlap) -> None:
    provisions = laid_out(widths)
    chunks = chunking.character("가" * provisions[-1][1], size, min(overlap, size - 1))
    assert information_loss([(chunks, provisions)])[4:] == pytest.approx(plain_loss(chunks, provisions))


@given(widths=WIDTHS, size=st.integers(1, 30))
def test_the_characters_add_up(widths, size) -> None:
    provisions = laid_out(widths)
    chunks = chunking.character("가" * provisions[-1][1], size)
    parts = parts_of(chunks, provisions)
    assert sum(part.characters for part in parts) == sum(widths)
    for part in parts:
        begin = chunks[part.chunk][0] + part.start
        start, end = provisions[part.provision]
        assert start <= begin < begin + part.characters <= end
        assert part.complete == (part.characters == end - start)


def test_the_released_chunks_of_nitibench() -> None:
    """Kept chunks and whole sections of the released mapping; the other figures are Table 16's but one (.521)."""
    folder = Path(DATA) / "sources" / "th-json"
    if not DATA or not folder.is_dir():
        pytest.skip("not run: $LEGALIR_DATA has no sources/th-json")
    texts = []
    for path in sorted(folder.glob("*.json")):
        sections = [row["section_content"].strip() for row in json.loads(path.read_text(encoding="utf-8"))]
        text = "\n".join(sections)
        texts.append((chunking.line(text, 553, 50), laid_out([len(section) for section in sections])))
    loss = information_loss(texts)
    assert (loss.kept, loss.whole, loss.provisions) == (2610, 3471, 5127)
    assert [round(figure, 3) for figure in loss[4:]] == [1.956, 1.180, 0.520, 0.323, 0.156]
