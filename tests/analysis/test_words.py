"""Words: golden terms of many languages, and the fast count against the plain one."""

from __future__ import annotations

import time
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_counts import TEXTS, assert_counts_as_terms

from legalir.analysis.analyzer import get_analyzer
from legalir.analysis.language import _languages
from legalir.analysis.words import Words, word_analyzer
from legalir.errors import AnalyzerError

ANALYZERS = st.builds(
    Words,
    st.sampled_from(("und", "ar", "de", "en", "fr", "id", "it", "ko", "th", "tr", "zh")),
    *(st.booleans(), st.just(False), st.booleans(), st.booleans()),
    st.sampled_from((None, None, r"\w\w+", r"\w\w+|[가-힣]", r"\S+", r"[a-z]*", r"[^,]+", r"(법)|(령)", r"\n")),
)


def terms(text: str, lang: str = "und", **options: Any) -> list[str]:
    """Return the terms, which are the same for decomposed text."""
    analyzer = Words(lang, **options)
    found = analyzer.terms(text)
    assert analyzer.terms(unicodedata.normalize("NFD", text)) == found
    assert_counts_as_terms(analyzer, [text, "", text])
    return found


@pytest.mark.parametrize(
    ("lang", "words", "stems"),
    [
        # Pairs from the sample vocabularies that Snowball publishes with each algorithm.
        ("en", "consigned consignment knightly", ["consign", "consign", "knight"]),
        ("de", "aufeinander kategorien", ["aufeinand", "kategori"]),
        ("fr", "continuellement majestueusement", ["continuel", "majestu"]),
        ("es", "chicas torneos", ["chic", "torne"]),
        ("it", "abbandonata", ["abbandon"]),
        ("nl", "lichamelijkheden opheffingen", ["lichamelijk", "ophef"]),
        ("sv", "jakthundarnes", ["jakthundarn"]),
        ("fi", "edeltäjien", ["edeltäj"]),
        ("ru", "важная важнее", ["важн", "важн"]),
        # The prefixes me- and di- and the suffix -i leave the root lindung (to protect).
        ("id", "melindungi dilindungi", ["lindung", "lindung"]),
        ("ms", "melindungi", ["lindung"]),
        # -lar (plural), -ımız (our) leave kitap (book).
        ("tr", "kitaplarımız", ["kitap"]),
        # No stemmer: words as they are.
        ("und", "consigned", ["consigned"]),
        ("vi", "bồi thường", ["bồi", "thường"]),
        ("sw", "sheria", ["sheria"]),
    ],
)
def test_stems(lang: str, words: str, stems: list[str]) -> None:
    assert terms(words, lang) == stems
    assert terms(words.upper() if lang != "tr" else words, lang) == stems
    assert terms(words, lang, stem=False) == words.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # UAX #29: WB5 letters; WB6, WB7 an apostrophe, a full stop or a middle dot between letters; WB9, WB10 letters
        # with digits; WB13 Katakana together; WB13a the underscore; WB999 Han, Hiragana and all else by themselves.
        ("can't stop", ["can't", "stop"]),
        ("'quoted' words'", ["quoted", "words"]),
        ("e.g. this", ["e.g", "this"]),
        ("paraŀlel col·legi", ["paral·lel", "col·legi"]),
        ("snake_case v2b", ["snake_case", "v2b"]),
        ("カタカナ ひら 漢字", ["カタカナ", "ひ", "ら", "漢", "字"]),
        ("소방시설을 설치하여야", ["소방시설을", "설치하여야"]),
        ("שלום ע״ם", ["שלום", "ע״ם"]),
        ("a b\u200bc", ["a", "b", "c"]),
        ("x—y z–w q/r", ["x", "y", "z", "w", "q", "r"]),
        # Not as UAX #29, but as its section 4.1 allows: a colon ends a word.
        ("note:this", ["note", "this"]),
        # Apostrophes are one; soft hyphens and marks of direction are nothing.
        ("don’t donʼt don＇t", ["don't"] * 3),
        ("arti\xadcle \u200earticle\u200f \ufeffarticle", ["article"] * 3),
        # Compatibility characters are the usual ones; what is no word is no term.
        ("ﬁre Ａｃｔ ªb", ["fire", "act", "ab"]),
        ("\ufdfa", ["صلىاللهعليهوسلم"]),
        ("ｶﾞｽ", ["ガス"]),
        ("½ m² ㎏ 🔥 § … \u0301 _", ["m"]),
        ("a\ud800b", ["a", "b"]),
        ("", []),
        (" \n\t\u3000", []),
    ],
)
def test_words_of_unicode(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6(1)(a)", ["6", "6(1)", "6(1)(a)"]),
        ("1.3.1", ["1", "1.3", "1.3.1"]),
        ("1.2.(3)", ["1", "1.2", "1.2(3)"]),
        ("12a, 12bis", ["12a", "12", "bis"]),
        ("4.12.3R", ["4", "4.12", "4.12.3r"]),
        ("121-3 2016/679", ["121", "121-3", "2016", "2016/679"]),
        ("§ 823", ["823"]),
        ("section 5.", ["section", "5"]),
        ("Art.5(2)", ["art", "5", "5(2)"]),
        ("14-day", ["14", "day"]),
        # An amount is one term, with commas or without; a list of numbers is not an amount.
        ("1,000,000 1000000 2,500.50", ["1000000", "1000000", "2500.50"]),
        ("1,2 10,20 1,0000", ["1", "2", "10", "20", "1", "0000"]),
        # Digits of any script are the usual ones.
        ("٣(١) ๒๘๘ ６（１）", ["3", "3(1)", "288", "6", "6(1)"]),
        # The brackets of a number hold at most five letters; a number inside a word is a part of the word.
        ("30(thirty) abc12", ["30", "thirty", "abc12"]),
        # Ten levels suffice.
        ("1" + ".1" * 11, [*("1" + ".1" * n for n in range(10)), "1", "1.1"]),
    ],
)
def test_numbers_with_their_beginnings(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        # Elided articles are taken off, in whatever apostrophe; other words with one are not.
        ("fr", "l'article qu’il aujourd'hui D'", ["articl", "il", "aujourd'hui", "d"]),
        ("it", "dell'articolo un’altra", ["articol", "altra"]),
        ("en", "l'article", ["l'articl"]),
        # Accents go where readers leave them out, after stemming; elsewhere they tell words apart.
        ("fr", "énumérés", ["enumer"]),
        ("en", "naïve café", ["naiv", "cafe"]),
        ("es", "también", ["tambien"]),
        ("sv", "får", ["får"]),
        ("de", "größe", ["gross"]),
        # Turkish has an i with a dot and one without.
        ("tr", "IŞIK İSTANBUL", ["ışık", "istanbul"]),
        ("de", "INSTITUT", ["institut"]),
        # French codes: a letter and its number are one, however they are written.
        ("fr", "L. 121-3 L.121-3 L121-3 L 121-3", ["l121", "l121-3"] * 4),
        ("fr", "R.* 4-1", ["r4", "r4-1"]),
        ("fr", "L. L 12", ["l", "l", "12"]),
        ("en", "L. 121-3", ["l", "121", "121-3"]),
    ],
)
def test_rules_of_languages(lang: str, text: str, expected: list[str]) -> None:
    assert terms(text, lang) == expected


def test_stop_words() -> None:
    assert terms("The duty of care", "en") == ["the", "duti", "of", "care"]
    assert terms("The duty of care", "en", stop=True) == ["duti", "care"]
    # A stop word is one before it is stemmed: "being" is, and stands for what "be" stands for.
    assert terms("being", "en", stop=True) == []
    with pytest.raises(AnalyzerError, match=r"^word: .*stop words for Lao"):
        Words("lo", stop=True)


def test_pairs() -> None:
    # Each word is followed by its pair with the word before it. Stop words are no part of pairs in English.
    assert terms("duty of care", "en", pairs=True) == ["duti", "of", "care", "duti care"]
    assert terms("duty of care", "en", pairs=True, stop=True) == ["duti", "care", "duti care"]
    # In Indonesian, they are.
    assert terms("wali dan anak", "id", pairs=True) == ["wali", "dan", "wali dan", "anak", "dan anak"]
    # Punctuation parts words, inside a chunk and beside it; a hyphen, a dash and a slash do not.
    assert terms("a, b", pairs=True) == terms("a (b", pairs=True) == terms("a「b", pairs=True) == ["a", "b"]
    assert terms("a-b/c – d", pairs=True) == ["a", "b", "a b", "c", "b c", "d", "c d"]
    # The whole number takes part, its beginnings do not.
    assert terms("rule 6(1) applies", pairs=True) == ["rule", "6", "6(1)", "rule 6(1)", "applies", "6(1) applies"]
    assert terms("section 5. The", pairs=True) == ["section", "5", "section 5", "the"]


def test_pairs_end_with_their_text() -> None:
    assert Words(pairs=True).count(["a", "b"]).terms == ["a", "b"]


def test_compounds() -> None:
    # 10 letters, 6 5-grams. They take part in no pair.
    grams = ["versi", "ersic", "rsich", "siche", "icher", "chere"]
    text = "versichere haus"
    assert terms(text, "de", compounds=True) == ["versich", *grams, "haus"]
    assert terms(text, "de", compounds=True, pairs=True) == ["versich", *grams, "haus", "versich haus"]
    assert terms("haften", "de", compounds=True) == ["haft", "hafte", "aften"]
    assert terms("staat", "de", compounds=True) == ["staat"]
    assert terms("insurances", "en", compounds=True) == ["insur"]
    # Without accents where the language has none.
    assert terms("beëdigingen", "nl", compounds=True)[1:3] == ["beedi", "eedig"]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\w\w+", "Act 6(1)(a), l'article co-op x", ["act", "article", "co", "op"]),
        # Vowels and tone marks above a Thai consonant are no \\w of Python: the word is cut at each.
        (r"\w\w+", "มาตรา ประกันภัย", ["มาตรา", "ประก", "นภ"]),
        # A middle dot is not the letter U+318D of Korean enumerations, which stays inside a word.
        (r"\w\w+|[가-힣]", "「법」 제1호·제2호 a", ["법", "제1호", "제2호"]),
        (r"\S+", "The (Act) — № 5. ...", ["the", "(act)", "5."]),
        # The match counts, not its groups.
        (r"(제)\d+(조)", "제3조의2", ["제3조"]),
        (r"\d*", "a1b23", ["1", "23"]),
        (r"a b", "a b", []),
        (r"ﬁ", "ﬁre", ["ﬁ"]),
    ],
)
def test_a_pattern_takes_the_place_of_words_and_numbers(pattern: str, text: str, expected: list[str]) -> None:
    assert terms(text, pattern=pattern) == expected


def test_stems_stop_words_and_pairs_of_a_pattern() -> None:
    options = {"pattern": r"\w\w+", "pairs": True}
    assert terms("Duties, of cafés", "en", **options) == ["duti", "of", "duti of", "café", "of café"]
    assert terms("Duties, of cafés", "en", **options, stop=True) == ["duti", "café", "duti café"]


@given(TEXTS)
def test_parity_of_a_pattern_with_scikit_learn(texts: list[str]) -> None:
    """But for NFC, and for terms of underscores alone."""
    from sklearn.feature_extraction.text import CountVectorizer

    analyze = CountVectorizer(ngram_range=(1, 2)).build_analyzer()
    for text in texts:
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()).replace("_", " ")
        assert sorted(terms(plain, pattern=r"\w\w+", pairs=True)) == sorted(analyze(plain))


def test_parity_of_a_pattern_with_bm25s() -> None:
    """The English defaults of bm25s, which NitiBench uses for Thai."""
    import bm25s
    import Stemmer

    texts = ["The Revenue Codes apply to companies: มาตรา 65 ตรี แห่งประมวลรัษฎากร", "ภาษีมูลค่าเพิ่ม ๗% VAT notifications"]
    theirs = bm25s.tokenize(
        texts, stopwords=[], stemmer=Stemmer.Stemmer("english"), return_ids=False, show_progress=False
    )
    assert [terms(text, "en", pattern=r"\w\w+") for text in texts] == theirs


@pytest.mark.parametrize("pattern", ["[", "(?P<a>", "*", 3, b"a", ["a"], True])
def test_a_pattern_is_checked(pattern: object) -> None:
    with pytest.raises(AnalyzerError, match=r"pattern=.*"):
        Words(pattern=pattern)  # type: ignore[arg-type]


@given(ANALYZERS, TEXTS)
def test_the_fast_count_is_the_plain_one(analyzer: Words, texts: list[str]) -> None:
    assert_counts_as_terms(analyzer, texts)
    assert_counts_as_terms(analyzer, [unicodedata.normalize("NFD", text) for text in texts])


@pytest.mark.parametrize(
    "unit", ["a", "1", "1.", "1(a)", "1,000,", "a'", "a-", "\u0301", "\u200d", "L.", 'א"', "٣", "ﬁ", ";"]
)
def test_time_grows_with_the_length(unit: str) -> None:
    analyzer = Words("fr", pairs=True, compounds=True)
    analyzer.terms("a")
    start = time.process_time()
    assert analyzer.terms(f"a{unit * 60_000}")
    # Quadratic work on 60 000 characters takes minutes.
    assert time.process_time() - start < 5


def test_identity() -> None:
    assert word_analyzer(None) == Words()
    assert word_analyzer(type("Collection", (), {"language": "de"})()) == Words("de")
    assert word_analyzer(type("Collection", (), {"language": "de"})(), lang="en", stop=True) == Words("en", stop=True)
    assert Words().name == "word(lang='und')"
    assert Words("en-GB", stem=False, pairs=True).name == "word(lang='en', pairs=True, stem=False)"


def test_what_changes_terms_changes_the_fingerprint() -> None:
    analyzers = [Words(code) for code in _languages()]
    options: tuple[dict[str, Any], ...] = (
        *({"stem": False}, {"stop": True}, {"pairs": True}, {"compounds": True}),
        *({"pattern": r"\w+"}, {"pattern": r"\w\w+"}, {"pattern": "a'\"\n"}),
    )
    analyzers += [Words("en"), *(Words("en", **option) for option in options)]
    assert len({analyzer.fingerprint for analyzer in analyzers}) == len(set(analyzers)) == len(_languages()) + 7
    for analyzer in analyzers:
        assert get_analyzer(analyzer.name) == analyzer
        assert get_analyzer(analyzer.name).fingerprint == analyzer.fingerprint


@pytest.mark.parametrize("option", ["stem", "stop", "pairs", "compounds"])
def test_options_are_checked(option: str) -> None:
    with pytest.raises(AnalyzerError, match=f"{option}=1"):
        Words("en", **{option: 1})  # type: ignore[arg-type]
