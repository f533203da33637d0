"""The counts of an analyzer against the plain way: each text's terms, one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from legalir.analysis.analyzer import Analyzer, BulkAnalyzer, TermCounts, count_terms


class Plain:
    """An analyzer without a count of its own, so that the terms are counted one by one."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.name = analyzer.name
        self.fingerprint = analyzer.fingerprint
        self.terms = analyzer.terms


def assert_same(fast: TermCounts, plain: TermCounts) -> None:
    assert fast.terms == plain.terms
    for name in ("indptr", "documents", "frequencies", "lengths"):
        one, two = getattr(fast, name), getattr(plain, name)
        assert one.dtype == two.dtype, name
        np.testing.assert_array_equal(one, two, err_msg=name)


def assert_counts_as_terms(analyzer: BulkAnalyzer, texts: Sequence[str]) -> None:
    assert_same(analyzer.count(texts), count_terms(Plain(analyzer), texts))


PIECES = (
    *(
        "a",
        "b",
        "Act",
        "duty",
        "of",
        "the",
        "co",
        "I",
        "İ",
        "ß",
        "é",
        "e\u0301",
        "ﬁ",
        "Σ",
        "ς",
        "б",
        "ש",
        "ה",
        "ا",
        "\ufdfa",
    ),
    *(
        "법",
        "령",
        "제",
        "\u1107",
        "\u1165",
        "\u11b8",
        "ㄱ",
        "ㆍ",
        "·",
        "•",
        "・",
        "･",
        "消",
        "防",
        "カ",
        "タ",
        "ｶ",
        "ﾞ",
        "ー",
        "ｰ",
    ),
    *("ก", "ั", "ຂ", "ខ", "မ", "1", "12", "1,000", "٣", "๓", "３", "½", "²", "㎏", "㎡", "Ａ", "（", "）", "_"),
    *(".", ",", ":", ";", "-", "/", "(", ")", "'", "’", '"', "§", "「", "」", "、", "!", "l.", "L", "*"),
    *(
        " ",
        "\n",
        "\t",
        "\x00",
        "\x1c",
        "\x85",
        "\xa0",
        "\xad",
        "\u2003",
        "\u200b",
        "\u200d",
        "\u2028",
        "\u3000",
        "\ufeff",
    ),
    *("\u0301", "\ud800", "\udfff", "🔥", "\U0001f1e6", "\U00020000", "\U000e0001"),
)
"""Letters of many scripts, numbers, marks, white space and odd characters, of which texts are made."""

TEXTS = st.lists(
    st.one_of(st.lists(st.sampled_from(PIECES), max_size=24).map("".join), st.text(max_size=12)), max_size=5
)
