"""N-grams of characters and jamo: golden terms, and the fast count against the plain definition."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_counts import Plain, assert_same

from legalir.analysis.analyzer import count_terms
from legalir.analysis.ngrams import MAX_N, NGrams, char_analyzer, decompose, jamo_analyzer
from legalir.errors import AnalyzerError

# 무창층: ㅁㅜ ㅊㅏㅇ ㅊㅡㅇ, eight jamo. The lead ㅊ is U+110E, the tail ㅇ U+11BC, which is not the lead ㅇ U+110B.
MU, CHANG, CHEUNG = "\u1106\u116e", "\u110e\u1161\u11bc", "\u110e\u1173\u11bc"
JAMO = MU + CHANG + CHEUNG


def test_syllables_become_their_jamo() -> None:
    assert decompose("무창층") == JAMO
    assert decompose("가힣") == "\u1100\u1161\u1112\u1175\u11c2"
    assert decompose("制ก9a_ㆍㄱ") == "制ก9a_ㆍㄱ"


@given(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3))
def test_the_decomposition_of_a_syllable_is_that_of_unicode(syllable: str) -> None:
    assert decompose(syllable) == unicodedata.normalize("NFD", syllable)


@pytest.mark.parametrize(
    ("analyzer", "text", "expected"),
    [
        ("jamo3", "무창층", [JAMO[i : i + 3] for i in range(6)]),
        ("jamo5", "무창층", [JAMO[i : i + 5] for i in range(4)]),
        ("char2", "무창층", ["무창", "창층"]),
        ("jamo3", "법", ["\u1107\u1165\u11b8"]),
        ("jamo5", "법", ["\u1107\u1165\u11b8"]),
        ("char2", "법", ["법"]),
        # N-grams end with their word.
        ("char2", "제2조 「법」", ["제2", "2조", "법"]),
        ("jamo3", "가 나", ["\u1100\u1161", "\u1102\u1161"]),
        ("jamo3", "消防法", ["消防法"]),
        ("char2", "消防法", ["消防", "防法"]),
        ("jamo3", "ACT12", ["act", "ct1", "t12"]),
        ("char2", "๒๘๘", ["๒๘", "๘๘"]),
        ("char2", "ผู้ใด", ["ผู", "ู้", "้ใ", "ใด"]),
        # Seven symbols: ㅂㅓㅂ, the dot, ㄹㅕㅇ.
        (
            "jamo3",
            "법·령",
            [
                "\u1107\u1165\u11b8",
                "\u1165\u11b8\u318d",
                "\u11b8\u318d\u1105",
                "\u318d\u1105\u1167",
                "\u1105\u1167\u11bc",
            ],
        ),
        ("char2", "설치ㆍ유지", ["설치", "치ㆍ", "ㆍ유", "유지"]),
        ("char2", "설치•유지", ["설치", "치ㆍ", "ㆍ유", "유지"]),
        ("jamo3", "ㄱ", ["ㄱ"]),
        ("jamo3", "🔥불🔥", ["\u1107\u116e\u11af"]),
        ("char2", "a\x00bc\ud800d", ["a", "bc", "d"]),
        ("char2", "aaaa", ["aa", "aa", "aa"]),
        ("jamo3", "", []),
        ("jamo3", "「」…  \n", []),
    ],
)
def test_terms(analyzer: str, text: str, expected: list[str]) -> None:
    ngrams = NGrams(analyzer[:4], int(analyzer[4:]))  # type: ignore[arg-type]
    assert ngrams.name == analyzer
    for form in (text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)):
        assert ngrams.terms(form) == expected
        counts = ngrams.count([form])
        assert counts.terms == sorted(set(expected))
        assert counts.frequencies.tolist() == [expected.count(term) for term in counts.terms]
        assert counts.lengths.tolist() == [len(expected)]


# Characters that fall into different classes, and any other: surrogates and unassigned ones, too.
CHARACTERS = st.one_of(
    st.sampled_from("가각힣ㄱㆍ·각消法ABzßİΣς0٣๒ผู้ \n\t\x00_'「」🔥\u0301\u200d\ud800\udfff\U0010ffff"),
    st.characters(),
)
TEXTS = st.lists(st.text(CHARACTERS, max_size=40), max_size=6)


@given(TEXTS, st.sampled_from(["jamo", "char"]), st.integers(1, MAX_N))
def test_counting_at_once_equals_counting_one_by_one(texts: list[str], unit: str, n: int) -> None:
    analyzer = NGrams(unit, n)  # type: ignore[arg-type]
    assert_same(count_terms(analyzer, texts), count_terms(Plain(analyzer), texts))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12])
@pytest.mark.parametrize("unit", ["jamo", "char"])
def test_counting_many_symbols_that_outgrow_a_key(unit: str, n: int) -> None:
    """With 20 000 letters a symbol takes 15 bits, so that keys of more than 4 symbols are ranked on the way."""
    random = np.random.default_rng(n)
    letters = [chr(code) for code in (*range(0x4E00, 0x4E00 + 9000), *range(0xAC00, 0xD7A4))]

    def text(size: int) -> str:
        return "".join(" " if random.random() < 0.1 else letters[random.integers(len(letters))] for _ in range(size))

    common = text(30)
    texts: Sequence[str] = ["".join(letters), *(text(200) + common for _ in range(40)), "", common]
    analyzer = NGrams(unit, n)  # type: ignore[arg-type]
    assert_same(count_terms(analyzer, texts), count_terms(Plain(analyzer), texts))


def test_counting_nothing() -> None:
    for texts in ([], [""], ["", " 「」 "]):
        counts = NGrams("jamo", 3).count(texts)
        assert (counts.terms, counts.indptr.tolist(), len(counts.documents)) == ([], [0], 0)
        assert counts.lengths.tolist() == [0] * len(texts)


@pytest.mark.parametrize("n", [0, -1, MAX_N + 1, 2.0, True, "3", None])
def test_a_wrong_n_is_named(n: object) -> None:
    with pytest.raises(AnalyzerError, match=rf"^char{n}: n .*1 to {MAX_N}"):
        NGrams("char", n)  # type: ignore[arg-type]


def test_factories_have_the_defaults_of_the_papers() -> None:
    assert jamo_analyzer(None) == NGrams("jamo", 3)
    assert char_analyzer(None) == NGrams("char", 2)
    assert jamo_analyzer(None, n=5) == NGrams("jamo", 5)


def test_fingerprints_differ_where_terms_may(monkeypatch: pytest.MonkeyPatch) -> None:
    analyzers = [NGrams(unit, n) for unit in ("jamo", "char") for n in (1, 2, 3)]  # type: ignore[arg-type]
    assert len({analyzer.fingerprint for analyzer in analyzers}) == len(analyzers)
    assert NGrams("jamo", 3).fingerprint == NGrams("jamo", 3).fingerprint
    before = NGrams("jamo", 3).fingerprint
    monkeypatch.setattr(unicodedata, "unidata_version", "99.0.0")
    assert NGrams("jamo", 3).fingerprint != before
