"""Languages by code, and recognised in text; the scripts of text."""

from __future__ import annotations

import pytest
import Stemmer

from legalir.analysis.language import Language, _languages, identify, language, language_code, language_of, scripts
from legalir.analysis.words import Auto, Words
from legalir.errors import AnalyzerError

CODES = sorted(_languages())


@pytest.mark.parametrize("code", CODES)
def test_each_language_has_analyzers(code: str) -> None:
    known = language(code)
    assert known.code == code and len(code) == 2
    assert not known.stemmer or known.stemmer in Stemmer.algorithms()
    for analyzer in (Words(code), Auto(code)):
        assert analyzer.terms("12 법")


def test_no_stemmer_of_a_living_language_is_forgotten() -> None:
    used = {language(code).stemmer for code in CODES}
    # Two are other versions, and py3langid knows neither Sesotho nor Yiddish.
    assert set(Stemmer.algorithms()) - used == {"dutch_porter", "porter", "sesotho", "yiddish"}


@pytest.mark.parametrize("code", ["en", "EN", "en-GB", "en_US", "en-Latn-GB"])
def test_a_code_may_have_a_region(code: str) -> None:
    assert language(code).name == "English"


@pytest.mark.parametrize(
    ("named", "code"),
    [
        *(
            (name, "fr")
            for name in ("fr", "FRA", "fre", "fr-CH", "French", "http://x.eu/authority/language/FRA", "/fra/")
        ),
        *(("swe", "sv"), ("swa", "sw"), ("nb_NO", "no"), ("ger@2020-01-01", "de"), ("urn:lang:cze", "cs")),
        *((name, "") for name in ("", "http://x.eu", "zxx", "und", "frank", "swedes", "mul", "/")),
    ],
)
def test_a_language_as_a_file_names_it(named: str, code: str) -> None:
    assert language_code(named) == code


def test_no_two_languages_have_one_code() -> None:
    names = [name for one in _languages().values() for name in (one.code, *one.codes)]
    assert len(names) == len(set(names))


def test_a_language_that_is_not_known() -> None:
    assert language("und") == Language("und")
    assert language_of(None) == "und"
    assert language_of(type("Collection", (), {"language": "th"})()) == "th"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "English",
            r"lang='English' is not a language code such as 'en' \(ISO 639-1\)\. Did you mean 'en' \(English\)\?$",
        ),
        ("norwegian nynorks", r"Did you mean 'nn' \(Norwegian Nynorsk\)\?$"),
        ("kor", r"Did you mean 'ko' \(Korean\)\?$"),
        ("jp", r"Did you mean 'ja' \(Japanese\)\?$"),
        ("xx", r"is not a language code such as 'en' \(ISO 639-1\)\.$"),
        ("", r"lang='' is not a language code"),
    ],
)
def test_an_unknown_code(code: str, message: str) -> None:
    for make in (language, Words, Auto):
        with pytest.raises(AnalyzerError, match=message):
            make(code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The licence holder must notify the authority of each change without delay.", "en"),
        ("Der Betreiber hat der zuständigen Behörde jede Änderung unverzüglich anzuzeigen.", "de"),
        ("L'exploitant notifie sans délai toute modification à l'autorité compétente.", "fr"),
        ("El titular comunicará sin demora cualquier modificación a la autoridad.", "es"),
        ("Perikatan lahir karena suatu persetujuan. Perjanjian harus dilaksanakan dengan itikad baik.", "id"),
        ("Chủ giấy phép phải thông báo mọi thay đổi cho cơ quan có thẩm quyền.", "vi"),
        ("허가를 받은 자는 변경이 있으면 지체 없이 신고하여야 한다.", "ko"),
        ("许可证持有人应当及时将变更情况报告主管机关。", "zh"),
        ("許可を受けた者は、変更があったときは、遅滞なく届け出なければならない。", "ja"),
        ("ผู้รับใบอนุญาตต้องแจ้งการเปลี่ยนแปลงโดยไม่ชักช้า", "th"),
        ("Владелец лицензии обязан без промедления уведомить орган об изменениях.", "ru"),
        ("Hamiliki ya leseni lazima aijulishe mamlaka kuhusu kila mabadiliko.", "sw"),
    ],
)
def test_a_language_is_recognised(text: str, code: str) -> None:
    assert identify([text]) == code


@pytest.mark.parametrize("texts", [[], [""], ["12 (3)", "§ 4 …"]])
def test_texts_without_letters_have_no_language_and_no_script(texts: list[str]) -> None:
    assert identify(texts) == "und"
    assert scripts(texts) == {}


def test_most_of_the_texts_decide() -> None:
    english, german = "The holder must notify the authority. " * 20, "Der Inhaber unterrichtet die Behörde. " * 20
    assert identify([english] * 5 + [german]) == "en"
    assert identify([english] + [german] * 5) == "de"


def test_a_long_text_does_not_decide_alone() -> None:
    # Of each text, the first 1000 characters count; of all, about 200 000.
    english, german = "The holder must notify the authority. ", "Der Inhaber unterrichtet die Behörde. "
    assert identify([english * 10_000, *[german * 20] * 5]) == "de"
    assert identify([*[english * 30] * 200, *[german * 30] * 1000]) == "en"


def test_scripts_have_their_share_of_the_letters() -> None:
    assert scripts(["법령 ab", "안 12 ·"]) == {"Hangul": 3 / 5, "Latin": 2 / 5}
    assert list(scripts(["ab 法令集 ア"])) == ["Han", "Latin", "Katakana"]
    # Cherokee has no name of its own here; the mark of length is common to Hiragana and Katakana.
    assert scripts(["Ꭰ法ー"]) == {"Han": 1 / 2, "other scripts": 1 / 2}
