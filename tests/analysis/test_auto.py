"""Each run of a script has the terms of its script, and no side of mixed text is lost."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_counts import TEXTS, assert_counts_as_terms

from legalir.analysis.analyzer import get_analyzer
from legalir.analysis.language import _languages
from legalir.analysis.words import Auto, analyzer_of, auto_analyzer, recognized
from legalir.errors import AnalyzerError


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        # Hangul: 2-grams inside runs; a shorter run is one term. The middle dot belongs to runs of Hangul.
        ("ko", "무창층의 기준", ["무창", "창층", "층의", "기준"]),
        ("ko", "법", ["법"]),
        ("ko", "설치ㆍ유지 설치·유지", ["설치", "치ㆍ", "ㆍ유", "유지"] * 2),
        # Han and Kana: characters, then 2-grams; they are one run, with the mark of long vowels.
        ("zh", "合同法", ["合", "同", "法", "合同", "同法"]),
        ("ja", "サービスの料金", [*"サービスの料金", "サー", "ービ", "ビス", "スの", "の料", "料金"]),
        ("ja", "ｻｰﾋﾞｽ", [*"サービス", "サー", "ービ", "ビス"]),
        ("ja", "メール・住所", [*"メール", *"住所", "メー", "ール", "住所"]),
        # Thai, Lao, Khmer, Burmese: 2-grams and 3-grams, with vowels and tone marks.
        ("th", "ผู้ใด", ["ผู", "ู้", "้ใ", "ใด", "ผู้", "ู้ใ", "้ใด"]),
        ("km", "ច្បាប់", ["ច្", "្ប", "បា", "ាប", "ប់", "ច្ប", "្បា", "បាប", "ាប់"]),
        # A run of one character counts for each length: once as the character, once as what is too short.
        ("zh", "法", ["法", "法"]),
        # All else: words, with pairs.
        ("en", "Data protection", ["data", "protect", "data protect"]),
        ("vi", "hợp đồng", ["hợp", "đồng", "hợp đồng"]),
        (
            "de",
            "Versicherung",
            ["versicher", *["versi", "ersic", "rsich", "siche", "icher", "cheru", "herun", "erung"]],
        ),
        # Mixed text: words first, then n-grams. What is taken out parts pairs.
        ("ko", "NFTC 103에 따른 ABC", ["nftc", "103", "nftc 103", "abc", "에", "따른"]),
        ("ko", "제12조의2", ["12", "2", "제", "조의"]),
        ("en", "the 법 act", ["the", "act", "법"]),
        ("th", "มาตรา ๒๘๘", ["288", "มา", "าต", "ตร", "รา", "มาต", "าตร", "ตรา"]),
        ("ko", "법a法ก", ["a", "법", "法", "法", "ก", "ก"]),
        ("ko", "A·B", ["a·b"]),
        ("ko", "", []),
        ("ko", "… 「」 \U0001f525", []),
    ],
)
def test_terms(lang: str, text: str, expected: list[str]) -> None:
    for form in (text, unicodedata.normalize("NFD", text)):
        assert Auto(lang).terms(form) == expected
    assert_counts_as_terms(Auto(lang), [text, "", text])


@given(st.sampled_from(("und", "de", "en", "fr", "ko", "th", "tr", "zh")).map(Auto), TEXTS)
def test_the_fast_count_is_the_plain_one(analyzer: Auto, texts: list[str]) -> None:
    assert_counts_as_terms(analyzer, texts)
    assert_counts_as_terms(analyzer, [unicodedata.normalize("NFD", text) for text in texts])


@pytest.mark.parametrize("unit", ["법", "법ㆍ", "ㆍ", "法a", "กั", "ー", "\u3099", "법1,", "\ud800"])
def test_time_grows_with_the_length(unit: str) -> None:
    analyzer = Auto("ko")
    analyzer.terms("법")
    start = time.process_time()
    assert analyzer.terms(f"a{unit * 60_000}")
    # Quadratic work on 60 000 characters takes minutes.
    assert time.process_time() - start < 5


def test_the_language_is_that_of_the_texts() -> None:
    assert recognized(["Der Betreiber hat der Behörde jede Änderung anzuzeigen."]) == Auto("de")
    assert recognized(["12", ""]) == recognized([]) == Auto("und")


def test_identity() -> None:
    assert auto_analyzer(None) == get_analyzer("auto") == Auto("und")
    assert auto_analyzer(type("Collection", (), {"language": "th"})()) == Auto("th")
    assert auto_analyzer(type("Collection", (), {"language": "th"})(), lang="en_GB") == Auto("en")
    assert Auto("en").name == "auto(lang='en')"
    with pytest.raises(AnalyzerError, match="is not a language code"):
        Auto("engl1sh")


def test_each_language_has_a_fingerprint_and_a_name_that_makes_it_again() -> None:
    analyzers = [Auto("und"), *map(analyzer_of, _languages())]
    assert analyzer_of("ko").name == "char2"
    assert len({analyzer.fingerprint for analyzer in analyzers}) == len(analyzers)
    assert all(get_analyzer(analyzer.name).fingerprint == analyzer.fingerprint for analyzer in analyzers)
