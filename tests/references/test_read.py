"""References in the text of statutes: surface, target, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from endless import ends

from legalir.errors import DataError
from legalir.references.numbering import counted_number
from legalir.references.read import Place, Reference, learn_names, place_of, read

KO = Place("등대법 시행령", "5", "2", "3")
JA = Place("灯台法施行規則", "5の2", "4", "3")


def target(one: Reference) -> str:
    """Return what a reference cites, short: ``등대법 3/1/2``, ``jordabalk 4/1 (3 kap.)``."""
    group = f" ({one.group})" if one.group and one.article else one.group
    numbers = "/".join([one.article or one.annex, one.paragraph, one.item, one.subitem]).rstrip("/")
    return " ".join(filter(None, (one.law, one.supplement, f"{numbers}{one.row}{group}")))


def targets(text: str, lang: str, at: Place = Place()) -> list[str]:  # noqa: B008
    found = read(text, lang, at)
    assert all(text[one.start : one.end] == one.surface for one in found)
    return [target(one) for one in found if one.kind != "delegates"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Named laws.
        ("「선박법」 제4조에 따른 배", ["선박법 4"]),
        ("「선박의 안전에 관한 법률」 제12조의3제2항제1호가목", ["선박의 안전에 관한 법률 12의3/2/1/가"]),
        ("「부두법」시행규칙 제2조", ["부두법 시행규칙 2"]),
        ("「부두법」(법률 제123호) 제2조", ["부두법 2"]),
        ("부두법 제2조와 부두법 시행령 제3조", ["부두법 2", "부두법 시행령 3"]),
        ("부두의 관리에 관한 법률 제2조", ["부두의 관리에 관한 법률 2"]),
        # The family.
        ("법 제3조제2항", ["등대법 3/2"]),
        ("영 제3조", ["등대법 시행령 3"]),
        ("규칙 제3조", ["등대법 시행규칙 3"]),
        ("이 영 제3조", ["등대법 시행령 3"]),
        ("배가 이 법 제3조", ["등대법 시행령 3"]),
        ("대장이 법 제3조", ["등대법 3"]),
        # Short names, in the text itself.
        ('「선박법」(이하 "법"이라 한다) 제4조, 영 제5조', ["선박법 4", "선박법 시행령 5"]),
        (
            "「선박법」 제4조 및 「부두법」(이하 “부두법”이라 한다) 제1조. 부두법 제7조",
            ["선박법 4", "부두법 1", "부두법 7"],
        ),
        # Lists and ranges.
        ("「선박법」 제4조 및 제5조제2항", ["선박법 4", "선박법 5/2"]),
        ("제1항부터 제3항까지", ["등대법 시행령 5/1", "등대법 시행령 5/3"]),
        ("제4조제1호 또는 제3호의2", ["등대법 시행령 4//1", "등대법 시행령 4//3의2"]),
        ("제4조 및 제3항", ["등대법 시행령 4", "등대법 시행령 5/3"]),
        (
            "제1호ㆍ제2호, 가목 및 나목",
            ["등대법 시행령 5/2/1", "등대법 시행령 5/2/2", "등대법 시행령 5/2/3/가", "등대법 시행령 5/2/3/나"],
        ),
        ("제2호가목 및 나목", ["등대법 시행령 5/2/2/가", "등대법 시행령 5/2/2/나"]),
        # Relations.
        ("전항의 배", ["등대법 시행령 5/1"]),
        ("전조제2항", ["등대법 시행령 4/2"]),
        (
            "「선박법」 제4조제1항에 따라 정하고 같은 조 제2항, 같은 항 제3호",
            ["선박법 4/1", "선박법 4/2", "선박법 4/2/3"],
        ),
        (
            "「선박법」 제4조의 배와 같은 법 제5조, 같은 법 시행령 제6조, 동법 제7조",
            ["선박법 4", "선박법 5", "선박법 시행령 6", "선박법 7"],
        ),
        ("「선박법 시행령」 별표 2의 배는 같은 법 제5조", ["선박법 시행령 별표 2", "선박법 5"]),
        # The last law of the kind, also one that was named without a number.
        ("「선박법」에 따른 배라면, 동법 제11조", ["선박법", "선박법 11"]),
        ("「선박법」 제4조, 「배의 처리규정」 제2조, 같은 법 제5조", ["선박법 4", "배의 처리규정 2", "선박법 5"]),
        (
            "「등의 기준(NFTC 901)」 2.1은 「등의 성능기준」을 따르며, 같은 기준 2.2",
            ["등의 기준(NFTC 901) 2.1", "등의 성능기준", "등의 기준(NFTC 901) 2.2"],
        ),
        # Annexes and codes.
        ("별표 4 제1호나목", ["등대법 시행령 별표 4//1/나"]),
        ("「선박법 시행령」[별표2의3]", ["선박법 시행령 별표 2의3"]),
        ("「등탑의 안전기준(NFTC 901)」 2.18.1.1", ["등탑의 안전기준(NFTC 901) 2.18.1.1"]),
        ("NFTC 901A 2.1.1", ["NFTC 901A 2.1.1"]),
        ("NFPC 901 제5조(배의 등)", ["NFPC 901 5"]),
        ("「등탑의 안전기준」(NFTC 901) 2.1", ["등탑의 안전기준 2.1"]),
        # Whole laws, chapters.
        ("「선박법」에 따른 배와 「부두법」 시행령", ["선박법", "부두법 시행령"]),
        ("제3장의 규정", ["등대법 시행령 제3장"]),
        # Parts belong to the words.
        ("제3조제1항 각 호 외의 부분 단서", ["등대법 시행령 3/1"]),
        # No references.
        ("제1차 시험 과목, 다음 각 호의 배, 별지 제3호서식, 법률 제1234호, 3조 원", []),
        ("이 조에서 같다. 이 법은 배에 적용한다.", []),
        ("", []),
    ],
)
def test_korean(text: str, expected: list[str]) -> None:
    assert targets(text, "ko", KO) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("灯台法第三条第二項第一号イ", ["灯台法 3/2/1/イ"]),
        ("法第三条、令第八条の二の五及び規則第九条", ["灯台法 3", "灯台法施行令 8の2の5", "灯台法施行規則 9"]),
        ("船舶法（明治三十二年法律第四十六号）第四条第一項", ["船舶法 4/1"]),
        ("船舶の登録に関する法律（平成十年法律第七号）第二条", ["船舶の登録に関する法律 2"]),
        ("船舶法施行令第四条", ["船舶法施行令 4"]),
        (
            "船舶法第四条第一項及び第三項、第五条並びに第七条第二号",
            ["船舶法 4/1", "船舶法 4/3", "船舶法 5", "船舶法 7//2"],
        ),
        ("第一項から第三項まで又は第五項", ["灯台法施行規則 5の2/1", "灯台法施行規則 5の2/3", "灯台法施行規則 5の2/5"]),
        (
            "前項第二号の灯は、次項及び前二項",
            ["灯台法施行規則 5の2/3/2", "灯台法施行規則 5の2/5", "灯台法施行規則 5の2/2"],
        ),
        ("前条第一項", ["灯台法施行規則 5/1"]),
        (
            "船舶法第四条第一項の船、同条第二項、同項第三号、同法第九条",
            ["船舶法 4/1", "船舶法 4/2", "船舶法 4/2/3", "船舶法 9"],
        ),
        ("前号イ又はロ", ["灯台法施行規則 5の2/4/2/イ", "灯台法施行規則 5の2/4/2/ロ"]),
        ("令別表第一（六）項ロ", ["灯台法施行令 別表第1(6)項ロ"]),
        ("灯台法（昭和二十年法律第一号。以下「法」という。）第三条、法第五条", ["灯台法 3", "灯台法 5"]),
        ("次の各号に掲げる方法、平成五年省令第三号、第一種", []),
    ],
)
def test_japanese(text: str, expected: list[str]) -> None:
    assert targets(text, "ja", JA) == expected


def test_all_units_before_are_a_first_and_a_last_one() -> None:
    (items,) = read("前各号の灯", "ja", JA)
    assert (items.surface, items.item, items.to) == ("前各号", "1", "2")
    (paragraphs,) = read("前各項の灯", "ja", JA)
    assert (paragraphs.paragraph, paragraphs.to) == ("1", "3")


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("ko", '(이하 "법"이라 한다)'),
        ("ko", "시행령 "),
        ("ko", "제1조, "),
        ("ja", "（以下「法」という。）"),
        ("ja", "前各号"),
        ("ja", "施行令"),
        ("en", "section 1, "),
        ("de", "§ 1 "),
        ("fr", "article 1, "),
        ("it", "comma 2, "),
        ("zh", "第一条"),
        ("th", "มาตรา 1 "),
        ("vi", "Điều 1 "),
        ("id", "Pasal 1 "),
        ("es", "artículo 1 "),
        ("pt", "artigo 1.º, "),
        ("pl", "art. 1 ust. 1, "),
        ("nl", "artikel 1, eerste lid, "),
        ("ru", "пункт 1 статьи 1 "),
        ("el", "παρ. 1 του άρθρου 1 "),
        ("tr", "1 inci maddenin birinci fıkrası "),
        ("ar", "الفقرة (1) من المادة 1 "),
    ],
)
def test_words_repeated_without_end(lang: str, words: str) -> None:
    """A chain of notes or of words for a decree is not followed to its beginning."""
    text = words * 600 + {"ko": "제1조", "ja": "第一条"}.get(lang, "")
    found = read(text, lang, Place("X", "5", "4", "3"))
    assert found[-1].end >= len(text.rstrip(" ,")) - 1
    assert "법" not in learn_names(text, lang)


def test_fields() -> None:
    text = "「선박법」 제4조제1항 단서부터 제3항까지의 배는 대통령령으로 정하는 바에 따른다."
    first, last, delegated = read(text, "ko", Place("등대법", "9"))
    assert (first.surface, first.part, first.law_kind, first.range_end) == (
        "「선박법」 제4조제1항 단서",
        "단서",
        "named",
        False,
    )
    assert (last.surface, last.article, last.range_end) == ("제3항", "4", True)
    assert (delegated.kind, delegated.law, delegated.state) == ("delegates", "등대법 시행령", "whole law")


@pytest.mark.parametrize(
    ("lang", "text", "kinds"),
    [
        ("ko", "제3조 및 제4조제2항을 각각 삭제한다.", "amends amends"),
        ("ko", "제3조부터 제5조까지를 다음과 같이 개정한다.", "amends amends"),
        ("ko", '제3조제2항 중 "등"을 "등대"로 한다.', "amends"),
        ("ko", "「부두법」을 폐지한다. 제3조에 따라 삭제한다.", "amends cites"),
        ("ko", '"등대"란 「등대법」 제2조제1호에 따른 등대를 말한다.', "defines"),
        ("ko", "제5조에 따른 허가를 받은 사람을 말한다.", "cites"),
        ("ja", "第三条を次のように改める。第四条第二項を削る。", "amends amends"),
        ("ja", "第五条第三項中「三月」を「六月」に改める。", "amends"),
        ("ja", "灯台（灯台法第二条第一項に規定する灯台をいう。）", "defines"),
        ("ja", "第五条に規定する許可を受けた者をいう。", "cites"),
        ("en", "Sections 3 and 4 of the Harbour Act 1981 are repealed.", "amends amends"),
        ("en", "Section 3 of the Pier Act (1 Stat. 2) is amended", "amends cites"),
        ("en", "In section 5(2), for “boat” substitute “ship”.", "amends"),
        ("en", "section 6, as amended by section 9, is in force", "cites cites"),
        ("en", "a buoy (as defined in section 3 of the Buoy Act)", "defines"),
        ("en", "“lamp” has the meaning given that term in section 4.", "defines"),
        ("en", "an order under section 4 may define it", "cites"),
        ("fr", "Au premier alinéa de l'article 5, les mots : « le bac » sont remplacés par", "amends"),
        ("fr", "Les articles 3 et 4 sont abrogés. Un phare au sens de l'article 9", "amends amends defines"),
        ("fr", "la référence à l'article 3 est supprimée", "cites"),
        ("it", "All'articolo 5, comma 2, sono apportate le seguenti modificazioni", "amends"),
        ("it", "i fari come definiti dall'articolo 2; l'articolo 3 e' abrogato", "defines amends"),
        ("it", "comma modificato dall'articolo 3", "cites"),
        ("th", "ให้ยกเลิกมาตรา 12 แห่งพระราชบัญญัตินี้ ตามบทนิยามในมาตรา 4", "amends defines"),
        ("de", "§ 5 wird aufgehoben. In § 7 Absatz 2 werden die Wörter „drei“ gestrichen.", "amends amends"),
        ("de", "Der Bescheid nach § 48 wird aufgehoben. Ein Boot im Sinne des § 2", "cites defines"),
        ("es", "Queda derogado el artículo 5. Se modifica el artículo 8.", "amends amends"),
        ("es", "La tasa prevista en el artículo 5 se suprime. Buque definido en el artículo 2.", "cites defines"),
        ("nl", "Artikel 5 vervalt. Het recht op grond van artikel 6 vervalt.", "amends cites"),
        ("nl", "Artikel 7 komt te luiden: schip in de zin van artikel 2.", "amends defines"),
        ("pl", "Uchyla się art. 5. Decyzję na podstawie art. 6 uchyla się.", "amends cites"),
        ("pl", "Art. 7 otrzymuje brzmienie: statek w rozumieniu art. 2", "amends defines"),
        ("pt", "É revogado o artigo 5.º. A licença prevista no artigo 6.º é revogada.", "amends cites"),
        ("pt", "O artigo 7.º passa a ter a seguinte redação: navio definido no artigo 2.º.", "amends defines"),
        ("zh", "第五条修改为：“船”。删去第七条。依照第八条修改为三倍。", "amends amends cites"),
    ],
)
def test_words_around_a_reference_tell_its_kind(lang: str, text: str, kinds: str) -> None:
    assert [one.kind for one in read(text, lang, Place("L", "9", "1"))] == kinds.split()


def test_a_quoted_delegation_is_the_words_of_the_act() -> None:
    assert [one.kind for one in read('법 제5조에서 "대통령령으로 정하는 배"란', "ko", Place("등대법 시행령"))] == [
        "cites"
    ]


def test_labels_of_lines_move_the_place() -> None:
    text = "① 배를 띄운다.\n② 전항의 배\n3. 제2호의 배\n가. 전호"
    assert targets(text, "ko", Place("등대법", "7")) == ["등대법 7/1", "등대법 7/2/2", "등대법 7/2/2"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("제3조", "read"),
        ("「선박법」", "whole law"),
        ("영 제3조", "unparsed"),
        ("같은 법 시행령 제3조", "unparsed"),
        ("다음 조", "ambiguous"),
        ("제3장", "unparsed"),
    ],
)
def test_states_without_a_collection(text: str, state: str) -> None:
    (one,) = read(text, "ko", Place("등대의 구조에 관한 규칙", "4의2"))
    assert one.state == state


def test_names_that_a_text_defines() -> None:
    text = (
        '이 영은 「선박법」(이하 "법"이라 한다)과 「부두의 관리에 관한 법률」(이하 “부두법”이라 한다)의 배(이하 “배”)'
    )
    names = {"법": "선박법", "부두법": "부두의 관리에 관한 법률"}
    assert learn_names(text, "ko") == names
    assert [target(one) for one in read("법 제3조, 부두법 제4조", "ko", KO, names)] == [
        "선박법 3",
        "부두의 관리에 관한 법률 4",
    ]
    assert learn_names("船舶法（明治三十二年法律第四十六号。以下「法」という。）", "ja") == {"法": "船舶法"}


@pytest.mark.parametrize(
    ("number", "step", "expected"),
    [
        ("5", -1, "4"),
        ("1", -1, ""),
        ("5の2", -1, "5"),
        ("5の3", -1, "5の2"),
        ("5의2", 1, "5의3"),
        ("15b", -1, "15a"),
        ("15a", -1, "15"),
        ("", 1, ""),
        ("17の2の2", -1, "17の2"),
        ("15-1", -1, "15"),
        ("15-2", -1, "15-1"),
        ("126/1", -1, "126"),
        ("L1234-1", -1, ""),
        ("L1234-2", -1, "L1234-1"),
        ("5.2", -1, "5.1"),
        ("5.1", -1, ""),
    ],
)
def test_counted_number(number: str, step: int, expected: str) -> None:
    assert counted_number(number, step) == expected


def test_place_of() -> None:
    assert place_of("제13조의2제1항제3호", "ko", "등대법") == Place("등대법", "13의2", "1", "3")
    assert place_of("第28の2条第4項", "ja") == Place("", "28の2", "4")
    assert place_of("/us/usc/t99/s10a/b/2", "en") == Place("/us/usc/t99", "10a", "b", "2")
    assert place_of("art_2-bis__para_3.__point_a", "it", "L") == Place("L", "2-bis", "3", "a")
    assert place_of("supp-2/5", "ja", "L") == Place("L", "5", supplement="supp 2")
    assert place_of("supp", "ko") == Place("", "", supplement="supp")
    assert place_of("annex-1/3", "de") == Place("", item="3", annex="1")
    assert place_of("L121-3", "fr") == Place("", "L121-3")
    assert place_of("제목", "ko", "등대법") == Place("등대법")


def test_a_language_without_a_grammar() -> None:
    with pytest.raises(DataError, match="'xx'"):
        read("", "xx")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("under section 12(3)(a)(ii) of the Harbour Act 1998", ["Harbour Act 1998 12/3/a/ii"]),
        ("sections 3, 5 and 7 to 9", ["Ferry Act 3", "Ferry Act 5", "Ferry Act 7", "Ferry Act 9"]),
        ("paragraph (b) of subsection (2) of section 5 of the Harbour Act 1998", ["Harbour Act 1998 5/2/b"]),
        ("subsections (1) and (3) of section 5", ["Ferry Act 5/1", "Ferry Act 5/3"]),
        ("subsection (b)", ["Ferry Act 4/b"]),
        ("the preceding section applies", ["Ferry Act 3"]),
        ("for purposes of this section and this Part", []),
        ("(42 U.S.C. 1396a(a)(25) et seq.)", ["/us/usc/t42 1396a/a/25"]),
        ("section 5 of this Act or section 7 of the Harbour Act 1998", ["Ferry Act 5", "Harbour Act 1998 7"]),
        ("Pub. L. 99–7, title I, § 2(a) and section 9 of this title", ["/us/pl/99/7 2/a", "Ferry Act 9"]),
        ("the Harbour Act 1998, section 7(1)", ["Harbour Act 1998 7/1"]),
        ("the Harbour Act 1998, section 7 of the Pier Act", ["Pier Act 7"]),
        ("paragraph 5(1)(a)", ["Ferry Act 5/1/a"]),
        ("Schedule 2 and Annex III", ["Ferry Act Schedule 2", "Ferry Act Annex III"]),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert targets(text, "en", Place("Ferry Act", "4", "a")) == expected


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("ตามมาตรา 65 ตรี (3) และมาตรา ๗/๑", "th", ["L 65ตรี//3", "L 7/1"]),
        ("มาตรา 3 มาตรา 5 หรือมาตรา 6 แห่งประมวลรัษฎากร", "th", [f"ประมวลรัษฎากร {one}" for one in "356"]),
        ("มาตรา 5 วรรคสอง แห่งพระราชบัญญัติแพ พ.ศ. 2543", "th", ["พระราชบัญญัติแพ พ.ศ. 2543 5/2"]),
        ("มาตรา 5 แห่งพระราชบัญญัตินี้", "th", ["L 5"]),
        ("本法第十二条之一第二款第（三）项", "zh", ["L 12之1/2/3"]),
        ("《灯塔法》第三条、第四条和前款", "zh", ["灯塔法 3", "灯塔法 4", "L 4/1"]),
        ("第九條第二項、前條", "zh", ["L 9/2", "L 3"]),
        ("§§ 3 bis 5 Absatz 1 Satz 2 Nr. 3 BGB", "de", ["BGB 3", "BGB 5/1/3"]),
        ("§ 12 des Leuchtturmgesetzes, § 3 dieses Gesetzes, Absatz 3", "de", ["Leuchtturmgesetz 12", "L 3", "L 4/3"]),
        ("comma 2 dell'articolo 14", "it", ["L 14/2"]),
        (
            "articoli 3-bis, 5 e 7, primo comma, lettera r), del decreto legislativo 3 marzo 2001, n. 65",
            "it",
            [f"decreto legislativo 3 marzo 2001, n. 65 {one}" for one in ("3-bis", "5", "7/1/r")],
        ),
        ("articles L. 311-5 et R. * 12 du code civil", "fr", ["code civil L311-5", "code civil R*12"]),
        ("2° de l'article 5 et l'article précédent", "fr", ["L 5//2", "L 3"]),
        ("điểm a khoản 2 Điều 12a Luật Đèn biển", "vi", ["Luật Đèn biển 12a/2/a"]),
        ("Điều 5, 6 và 7 của Luật này", "vi", ["L 5", "L 6", "L 7"]),
        ("Pasal 12A ayat (2) huruf b", "id", ["L 12A/2/b"]),
        ("Pasal 5 Undang-Undang Nomor 8 Tahun 1999", "id", ["Undang-Undang Nomor 8 Tahun 1999 5"]),
    ],
)
def test_other_languages(text: str, lang: str, expected: list[str]) -> None:
    assert targets(text, lang, Place("L", "4", "2")) == expected


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Pub. L. 99–7, title I, § 2(a); 42 USC 1395aaa(d) note", "en", ["/us/pl/99/7 2/a", "/us/usc/t42 1395aaa/d"]),
        ("Schedule 2, paragraph 3 and paragraph 4(2) of Schedule 5", "en", ["L Schedule 2//3", "L Schedule 5//4/2"]),
        ("That section 12 of the Pier Act applies", "en", ["Pier Act 12"]),
        ("S.S.I. 2008/205, reg. 2(1)", "en", ["ssi/2008/205 2/1"]),
        ("articles L. 311-5 et R. * 311-6-1", "fr", ["L L311-5", "L R*311-6-1"]),
        ("au premier alinéa du II de l'article 6", "fr", ["L 6/2"]),
        ("aux 1° et 3° de l'article 4 de la loi n° 84-16", "fr", [f"loi n° 84-16 4//{one}" for one in "13"]),
        ("1° Les phares\n2° Les bacs de l'article 1er", "fr", ["L 1"]),
        ("commi 2 e 3-bis dell'articolo 5", "it", ["L 5/2", "L 5/3-bis"]),
        ("articolo 5, comma 1, lettere a-bis), e) ed f)", "it", ["L 5/1/a-bis", "L 5/1/e", "L 5/1/f"]),
        ("articoli 2, comma 1, 6, commi 1 e 2; 10 e 11", "it", ["L 2/1", "L 6/1", "L 6/2", "L 10", "L 11"]),
        ("§§ 3 bis 5 Absatz 1 Satz 2 Nr. 3 FäG", "de", ["FäG 3", "FäG 5/1/3"]),
        ("Anlage 1 Nummer 2", "de", ["L Anlage 1//2"]),
        ("§ 12 Absatz 3 Satz 1 und 2", "de", ["L 12/3"]),
        ("§ 5 Absatz 1 oder 2, §§ 3, 26 Abs. 1 und 31", "de", ["L 5/1", "L 5/2", "L 3", "L 26/1", "L 31"]),
        ("§ 3 des Gesetzes über die Leuchttürme hinaus", "de", ["Gesetz über die Leuchttürme 3"]),
        ("Artikel 6 der Verordnung (EU) 2099/7", "de", ["Verordnung (EU) 2099/7 6"]),
        ("article R. 4-1, au I de l'article 3", "fr", ["L R4-1", "L 3/1"]),
        ("articoli da 3 a 7 del codice civile", "it", [f"codice civile {one}" for one in "37"]),
    ],
)
def test_european_languages(text: str, lang: str, expected: list[str]) -> None:
    assert targets(text, lang, Place("L", "4", "2")) == expected


@pytest.mark.parametrize(
    ("lang", "law", "text", "expected"),
    [
        # Short names of other laws.
        (
            "en",
            "Ferry Act 2001",
            "section 3 of FA 1997, regulation 5 of the 2018 Regulations, section 4",
            ["FA 1997 3", "2018 Regulations 5", "Ferry Act 2001 4"],
        ),
        ("en", "Ferry Act 2001", "Article 6 GDPR or Article 8 of the ECHR", ["GDPR 6", "ECHR 8"]),
        ("en", "Ferry Act 2001", "Article 2 GDPR and Articles 12 and 13 thereof", ["GDPR 2", "GDPR 12", "GDPR 13"]),
        ("en", "Ferry Act 2001", "section 9\nOSCR has an office", ["Ferry Act 2001 9"]),
        # Without an own law, as in a letter, a bare article is of the law before it in the paragraph.
        (
            "en",
            "",
            "the car under section 1 of PACE and the house under section 18(1). Section 3",
            ["PACE 1", "PACE 18/1", "PACE 3"],
        ),
        ("fr", "", "l'article 6:1 du CSA, tandis que l'agrément est régi par l'article 8:4", ["CSA 6:1", "CSA 8:4"]),
        ("zh", "", "有行政程序法第一百零三條情形外，應依第一百零二條", ["行政程序法 103", "行政程序法 102"]),
        ("ko", "", "민법 406조 1항은 요건, 효력은 407조, 대위권(404조)", ["민법 406/1", "민법 407", "민법 404"]),
        ("ko", "", "2.3.1.2에 따라", []),  # A number without the word for an article is one only behind a law.
        ("en", "", "IRC § 409A. An election under § 83(b) of the Code", ["IRC 409A", "IRC 83/b"]),
        # Annexes of a contract, which is no law.
        ("zh", "", "本合同第三条约定的价款，付款方式见附件一；按民法典第577条", ["民法典 577"]),
        ("de", "", "Nach § 7 des Mietvertrags und Anlage 2. § 535 BGB", ["BGB 535"]),
        ("de", "", "die Hafenverordnung. § 4 dieser Verordnung", ["Hafenverordnung", "Hafenverordnung 4"]),
        # Unless a name that is not read may be before it.
        ("ja", "", "港湾法35条1項を守っており、細目第43条にも反しません。", ["港湾法 35/1", "43"]),
        # The code that a decree carries out is not the decree.
        (
            "fr",
            "Décret portant application du Code de l'Eau",
            "article 5 du code, article 6 du décret",
            ["5", "Décret portant application du Code de l'Eau 6"],
        ),
        ("it", "Legge di ratifica della Convenzione", "dall'articolo 28 della Convenzione stessa", ["28"]),
        ("en", "Ferry Act 2001", "section 2 of the Act, regulation 4 of the Regulations", ["Ferry Act 2001 2", "4"]),
        ("en", "Ferry Order 2001", "section 2 of the Act, section 7 of the old Act", ["2", "7"]),
        (
            "en",
            "Ferry Act 2001",
            "rule 5 of the Pier Manual, section 5 of the boat",
            ["Pier Manual 5", "5"],
        ),
        ("de", "Fährverordnung", "§ 3 des Gesetzes, § 4 der Verordnung", ["3", "Fährverordnung 4"]),
        (
            "de",
            "L",
            "Artikel 139 der Bundesverfassung, § 5 der Hafensatzung",
            ["Bundesverfassung 139", "Hafensatzung 5"],
        ),
        ("de", "L", "die Rechtsordnung, die Zuordnung und die Anlage von Wegen, Anlage zu § 3", ["L Anlage", "L 3"]),
        ("fr", "Code des bacs", "l'article 12 de la loi modifiée du 2 mai 1998", ["loi du 2 mai 1998 12"]),
        (
            "fr",
            "Code des bacs",
            "art. 8 Cst., art. 41 ss CO, article 5 du code",
            ["Cst. 8", "CO 41", "Code des bacs 5"],
        ),
        (
            "fr",
            "L",
            "article 5 de la loi sur les bacs ; article 7 de la loi ; budget annexe",
            ["loi sur les bacs 5", "7"],
        ),
        ("it", "L", "art. 8 Cost. e articolo 3 della legge sui traghetti", ["Cost. 8", "legge sui traghetti 3"]),
        ("es", "L", "art. 24 CE y artículo 5 de la Ley 30/1992", ["CE 24", "Ley 30/1992 5"]),
        ("ru", "L", "статья 6 GDPR", ["GDPR 6"]),
        # What stands between a number and its law.
        ("en", "L", "Article 5(1), point (a), of Regulation (EU) 2099/7", ["Regulation (EU) 2099/7 5/1/a"]),
        ("en", "L", "Article 6(2), second sentence, of Directive 2099/7/EC", ["Directive 2099/7/EC 6/2"]),
        ("en", "L", "section 5 (fees) and section 6 (tolls) of the Pier Act", ["Pier Act 5", "Pier Act 6"]),
        ("en", "L", "section 5 (except subsection (2)) of the Pier Act", ["Pier Act 5", "Pier Act 5/2", "Pier Act"]),
        ("en", "L", "section 5 applies to section 6 of the Pier Act", ["L 5", "Pier Act 6"]),
        ("en", "L", "section 5, stanza 3, of the Pier Act", ["Pier Act 5"]),
        (
            "en",
            "L",
            "sections 2 and 4(1) of, and paragraph 3 of Schedule 3 to, the Pier Act",
            ["Pier Act 2", "Pier Act 4/1", "Pier Act Schedule 3//3"],
        ),
        (
            "de",
            "L",
            "Art. 8 Ziff. 2 Bst. c des Bundesgesetzes vom 3. Mai 2002",
            ["Bundesgesetz vom 3. Mai 2002 8//2/c"],
        ),
        ("de", "L", "§ 10 Abs. 1 Z 3 ABGB, § 4 (Gebühren) der Hafenordnung", ["ABGB 10/1/3", "Hafenordnung 4"]),
        (
            "fr",
            "L",
            "articles 9, paragraphe 2, et 11, point b), du règlement (UE) 2099/7",
            ["règlement (UE) 2099/7 9/2", "règlement (UE) 2099/7 11//b"],
        ),
        ("fr", "L", "l'article 5, § 1er, de la loi du 3 mai 2010", ["loi du 3 mai 2010 5/1"]),
        (
            "it",
            "L",
            "art. 5 cpv. 2 lett. b della legge federale del 2 maggio 1968",
            ["legge federale del 2 maggio 1968 5/2/b"],
        ),
        ("el", "L", "άρθρο 5 (3) και (5) του ν. 4412/2016", ["ν. 4412/2016 5"]),
        # Lists.
        (
            "en",
            "L",
            "sections 3(1)(a) to (c), 4 and 5A(2) of the Pier Act",
            ["Pier Act 3/1/a", "Pier Act 3/1/c", "Pier Act 4", "Pier Act 5A/2"],
        ),
        (
            "en",
            "L",
            "section 80C or 80CCC of the Pier Act, section 5 or 6 boats",
            ["Pier Act 80C", "Pier Act 80CCC", "L 5"],
        ),
        (
            "en",
            "L",
            "section 4(1) and (2A) of the Pier Act, section 4(1) and (b) boats",
            ["Pier Act 4/1", "Pier Act 4/2A", "L 4/1"],
        ),
        ("en", "L", "section 3 and regulation 5 of the Pier Regulations", ["L 3", "Pier Regulations 5"]),
        (
            "de",
            "L",
            "§§ 3, 4 Absatz 1 sowie Artikel 6 der Verordnung (EU) 2099/7",
            ["L 3", "L 4/1", "Verordnung (EU) 2099/7 6"],
        ),
        (
            "de",
            "L",
            "§ 3 oder 4 HafG, Artikel 67 in Verbindung mit Artikel 4 GG",
            ["HafG 3", "HafG 4", "GG 67", "GG 4"],
        ),
        ("pt", "L", "artigo 3.º ou 4.º do Código Civil", ["Código Civil 3", "Código Civil 4"]),
        # Words of another law.
        ("en", "L", "for “section 5” read “section 6”; section 7", ["5", "6", "L 7"]),
        ("de", "L", "die Wörter „§ 5 Absatz 1“ in § 7", ["5/1", "L 7"]),
        (
            "en",
            "L",
            "The Pier Act 1997 is amended as follows.\n(2) In section 3—\n(a) in subsection (1), omit “§ 8”;"
            "\n(3) section 9 of this Act",
            ["Pier Act 1997", "Pier Act 1997 3", "Pier Act 1997 3/1", "Pier Act 1997 8", "L 9"],
        ),
        (
            "en",
            "L",
            "under section 2 the following provisions of the Pier Act 1997 apply—\n(a) section 3,\n(b) section 4."
            "\nSection 5",
            ["L 2", "Pier Act 1997", "Pier Act 1997 3", "Pier Act 1997 4", "L 5"],
        ),
        ("en", "L", "In section 7 of the Pier Act, after subsection (2) insert—", ["Pier Act 7", "Pier Act 7/2"]),
        (
            "de",
            "L",
            "Das Hafengesetz wird wie folgt geändert:\n1. In § 5 entfällt „§ 7“.\n2. § 8",
            ["Hafengesetz", "Hafengesetz 5", "Hafengesetz 7", "Hafengesetz 8"],
        ),
        ("en", "L", "the words ‘Article 3’ and the boat’s Article 4", ["3", "L 4"]),
        ("en", "L", "After section 5 insert—\n“5A”", ["5"]),
        # Numbers without a word for articles, and what is none of a law, in texts that are no statute.
        (
            "es",
            "",
            "El despido está en el art. 52 ET, no en el 54, que es otro. La forma, en el 53.",
            ["ET 52", "ET 54", "ET 53"],
        ),
        (
            "es",
            "",
            "Según el art. 40 de la Ley de Puertos, está en el 52 bis. El día, el 12, que es lunes; el 1999, el barco.",
            ["Ley de Puertos 40", "Ley de Puertos 52bis"],
        ),
        (
            "es",
            "",
            "Mira el 239 y el 240 del CST, y el art. 5 del Código Civil",
            ["CST 239", "CST 240", "Código Civil 5"],
        ),
        (
            "es",
            "",
            "con apoyo en los numerales 77, fracción I, y 217 de la Ley de Puertos",
            ["Ley de Puertos 77//1", "Ley de Puertos 217"],
        ),
        ("es", "", "(arts. 68, 1er. párr., y 163, inc. 8, CPCCN)", ["CPCCN 68/1", "CPCCN 163//8"]),
        (
            "es",
            "",
            "artículo 103 de la Constitución; 34 y 170, fracción I, de la Ley de Amparo, y 35 de la Ley de Puertos",
            [
                "Constitución 103",
                "Ley de Amparo 34",
                "Ley de Amparo 170//1",
                "Ley de Puertos 35",
            ],
        ),
        ("pt", "", "Furto é o art. 155 do CP; roubo, o 157; e a extorsão, o 159.", ["CP 155", "CP 157", "CP 159"]),
        (
            "pt",
            "Decreto n.º 5",
            "o disposto no art. 78, § 1º, e nos arts. 82 a 86 da Lei nº 14.133",
            ["Lei nº 14.133 78/1", "Lei nº 14.133 82", "Lei nº 14.133 86"],
        ),
        ("pt", "", "o artigo 53.º da CRP, processo n.º 745/2019, §§ 20 a 22", ["CRP 53"]),
        ("it", "", "Punterei sull'art. 1453 c.c., lasciando perdere il 1467, entro il 15.", ["c.c. 1453", "c.c. 1467"]),
        (
            "it",
            "",
            "degli artt. 2-ter e 2-sexies del Codice Privacy",
            ["Codice Privacy 2-ter", "Codice Privacy 2-sexies"],
        ),
        ("it", "", "art. 96, ult. co., cod. proc. civ., e 1176, 2° co., c.c.", ["cod. proc. civ. 96", "c.c. 1176/2"]),
        (
            "it",
            "",
            "art. 10-bis, l. n. 241/1990, art. 31, d.P.R. n. 380/2001, l'art. 21-octies della citata legge n. 241",
            ["l. n. 241/1990 10-bis", "d.P.R. n. 380/2001 31", "l. n. 241/1990 21-octies"],
        ),
        ("it", "", "L'Ufficio non ha allegato il verbale; sono allegati i documenti.", []),
        ("fr", "", "L'article 23 CO s'applique, pas le 28, ni le 197.", ["CO 23", "CO 197"]),
        ("fr", "", "l'art. 12 al. 2, 2e phr. CP, avant 1382 anc. C. civ.", ["CP 12/2", "anc. C. civ. 1382"]),
        ("de", "", "Art. 66abis StGB, Miete von 640 EUR, Art. 5 gilt", ["StGB 66abis", "StGB 5"]),
        (
            "pl",
            "Regulamin portu",
            "określoną w § 9, z zastrzeżeniem art. 6 ust. 1 ustawy o portach",
            ["Regulamin portu 9", "ustawa o portach 6/1"],
        ),
        (
            "pl",
            "Ustawa o zmianie",
            "1) w art. 22 skreśla się § 3; 2) uchyla się art. 104a; 3) w art. 281",
            ["Ustawa o zmianie 22/3", "Ustawa o zmianie 104a", "Ustawa o zmianie 281"],
        ),
        (
            "pl",
            "",
            "art. 4 ustawy o porcie i przystani Rada Miejska uchwala, co następuje",
            ["ustawa o porcie i przystani 4"],
        ),
        (
            "sv",
            "",
            "paragraf 1 i lagen om förbud beträffande bryggor och andra farliga föremål är tillämplig",
            ["lag om förbud beträffande bryggor och andra farliga föremål 1"],
        ),
        (
            "nl",
            "",
            "alleen via UWV (art. 7:671 en 7:671a BW), artikel 780, eerste lid, Gerechtelijk Wetboek",
            ["BW 7:671", "BW 7:671a", "Gerechtelijk Wetboek 780/1"],
        ),
        (
            "nl",
            "Verzamelwet",
            "Artikel 5 van de Havenwet vervalt. De Kadewet wordt als volgt gewijzigd: A. In artikel 2a vervalt lid 1.",
            ["Havenwet 5", "Kadewet", "Kadewet 2a/1"],
        ),
        (
            "en",
            "",
            "Section 409A of the Harbour Code of 1986, as amended (the “Code”), and Section 4999 of the Code",
            ["Harbour Code of 1986 409A", "Harbour Code of 1986 4999"],
        ),
        (
            "en",
            "Regulations Amending the Pier Regulations",
            "Section 4 of the Pier Regulations, 2016 is repealed. Section 20 of the Regulations is replaced.",
            ["Pier Regulations, 2016 4", "Pier Regulations, 2016 20"],
        ),
        (
            "en",
            "Pier Act",
            "It does not contravene section 46 or 47 merely because it is moored for 3 or 4 days.",
            ["Pier Act 46", "Pier Act 47"],
        ),
        ("en", "", "NB UCTA 1977 s 2, and a fee of 300 USD, section 4", ["UCTA 1977 2", "UCTA 1977 4"]),
        ("en", "", "Under clause 14 of the lease and paragraph 2 of Schedule 3 to it, and under Annex II.", []),
        (
            "ja",
            "",
            "本件契約は港湾取引に関する法律（以下「港取法」という。）2条に当たり、港取法5条",
            ["港湾取引に関する法律 2", "港湾取引に関する法律 5"],
        ),
        ("ja", "", "港湾法は枚数を定めるが（同法144条の2）、144条の4も参照", ["港湾法 144の2", "港湾法 144の4"]),
        (
            "ja",
            "",
            "民109・110・112条、労基則第5条、覚書第2条、甲3号証の別表2",
            ["民 109", "民 110", "民 112", "労基則 5"],
        ),
        (
            "ko",
            "",
            "헌법 제10조로부터 나오는 인격권과 제17조의 자유, 형법 130~132조",
            ["헌법 10", "헌법 17", "형법 130", "형법 132"],
        ),
        (
            "zh",
            "",
            "无权代理看《民法典》第147条；表见代理是172条，（171条）不同。买了3条裤子，3条反对意见。",
            ["民法典 147", "民法典 172", "民法典 171"],
        ),
        (
            "zh",
            "关于修改《港口法》的决定",
            "一、将《港口法》第二十四条修改为“十五日”。二、删去第八十六条。",
            ["港口法 24", "港口法 86"],
        ),
        (
            "fr",
            "Ordonnance du port",
            "aux art. 3, let. d, et 3a LTr, l'art. 51, al. 2, LTr, les art. 73 ss LPA-VD et l'art. 12, CP",
            ["LTr 3///d", "LTr 3a", "LTr 51/2", "LPA-VD 73", "CP 12"],
        ),
        ("fr", "", "les art. 20 à 23 de la directive NIS 2", ["directive NIS 2 20", "directive NIS 2 23"]),
        ("it", "", "L'art. 480 c.c. vale, e non quello del 519. E basta.", ["c.c. 480", "c.c. 519"]),
        (
            "es",
            "",
            "los artículos 2,814 y 2,823 del Código Civil, y el artículo 24 de nuestra Carta Magna",
            ["Código Civil 2814", "Código Civil 2823", "Carta Magna 24"],
        ),
        ("pt", "", "pelo artigo 477 da CLT e ao abrigo do 70.º, n.º 2, do CCP", ["CLT 477", "CCP 70/2"]),
        ("ja", "", "借地借家法28条の正当事由の問題と32条の賃料増額請求", ["借地借家法 28", "借地借家法 32"]),
        ("ko", "", "하역법 10조의4에서 말하고 3기 이상 연체하면 10조의8이 문제된다.", ["하역법 10의4", "하역법 10의8"]),
        (
            "de",
            "",
            "nach §§ 242 Abs. 1 u. 2, 243 Abs. 1 Satz 2, 22 und 53 StGB, 142 I BGB",
            ["StGB 242/1", "StGB 242/2", "StGB 243/1", "StGB 22", "StGB 53", "BGB 142/1"],
        ),
        (
            "de",
            "",
            "ob Art. 5 Abs. 1 und die Art. 15 bis 17 der Verordnung (EU) 2016/679 gelten",
            ["Verordnung (EU) 2016/679 5/1", "Verordnung (EU) 2016/679 15", "Verordnung (EU) 2016/679 17"],
        ),
        ("de", "Baugesetz", "dieses Gesetzes über die Grenzabstände (§§ 269–274)", ["Baugesetz 269", "Baugesetz 274"]),
        (
            "de",
            "",
            "Art. 12 des schweizerischen Hafengesetzes und § 3 des österreichischen Kaigesetzes",
            ["Hafengesetz 12", "Kaigesetz 3"],
        ),
        (
            "nl",
            "",
            "6:248 lid 2 jo. 6:258 BW, 6:74 en 6:162 BW, 6:81 t/m 6:83 BW",
            ["BW 6:248/2", "BW 6:258", "BW 6:74", "BW 6:162", "BW 6:81", "BW 6:83"],
        ),
        (
            "pl",
            "",
            "§ 12 rozporządzenia w sprawie portów, lecz pominął § 13 i § 60 tego aktu",
            [
                "rozporządzenie w sprawie portów 12",
                "rozporządzenie w sprawie portów 13",
                "rozporządzenie w sprawie portów 60",
            ],
        ),
        ("pl", "", "wzbogacenie 405–414 kc; § 5 ust. 2 Umowy z dnia 14 lutego 2023 r.", ["kc 405", "kc 414"]),
        ("sv", "", "enligt MBL §§ 11–14, och av LAS § 22", ["MBL 11", "LAS 22"]),
        ("sv", "Föreskrifter", "i bilaga 1 och 2 till dessa föreskrifter", ["Föreskrifter bilaga 1", "Föreskrifter 2"]),
        ("ko", "", "산안법 38조 위반, 하역법은 4조 1항, 그 방법은 5조", ["산안법 38", "하역법 4/1", "하역법 5"]),
        ("fr", "Code du port", "les comités relevant du L. 2315-65, le rapport", ["Code du port L2315-65"]),
        ("de", "", "gestützt auf OR 259d und (vgl. OR 262 Abs. 2)", ["OR 259d", "OR 262/2"]),
        ("de", "", "In Kapitel 3 5 Tage", ["Kapitel 3"]),
        ("de", "Hafenverordnung", "gestützt auf Artikel 83 des Vertrags", ["83"]),
        ("de", "", "Das StGB 1937 gilt, ZPO 2011; OR 2 Abs. 1", ["StGB 1937", "ZPO 2011", "OR 2/1"]),
        ("it", "", "Il CAD, art. 5, costa 300 EUR, art. 6", ["CAD 5", "CAD 6"]),
        ("en", "", "Companies Act 2006, section 172, page 45", ["Companies Act 2006 172"]),
        (
            "pl",
            "Umowa między Polską a Francją",
            "Postanowienia art. 5 niniejszej umowy",
            ["Umowa między Polską a Francją 5"],
        ),
        (
            "fr",
            "Loi X",
            "L'article 36 de la loi du 25 novembre 1991, modifié en dernier lieu par la loi du 30 décembre 20"
            "14, est abrogé. L'article 63, § 2, de la même loi est abrogé.",
            ["loi du 25 novembre 1991 36", "loi du 30 décembre 2014", "loi du 25 novembre 1991 63/2"],
        ),
        (
            "fr",
            "",
            "L'article 36 de la loi du 25 novembre 1991, tel qu'il a été modifié par la loi du 30 décembre 20"
            "14, vise ce cas. L'article 63 de cette loi aussi.",
            ["loi du 25 novembre 1991 36", "loi du 30 décembre 2014", "loi du 25 novembre 1991 63"],
        ),
        (
            "fr",
            "",
            "La loi du 5 mai 1990 est modifiée par la loi du 6 juin 1995. L'article 7 de cette loi l'a changée.",
            ["loi du 5 mai 1990", "loi du 6 juin 1995", "loi du 6 juin 1995 7"],
        ),
        (
            "it",
            "Legge X",
            "All'articolo 119 del decreto-legge 19 maggio 2020, n. 34, convertito, con modificazioni, dalla l"
            "egge 17 luglio 2020, n. 77, il comma 8-ter è abrogato. Restano fermi gli articoli 121 e 122 del "
            "medesimo decreto-legge.",
            [
                "decreto-legge 19 maggio 2020, n. 34 119",
                "legge 17 luglio 2020, n. 77",
                "decreto-legge 19 maggio 2020, n. 34 119/8-ter",
                "decreto-legge 19 maggio 2020, n. 34 121",
                "decreto-legge 19 maggio 2020, n. 34 122",
            ],
        ),
        (
            "nl",
            "Wet X",
            "In artikel 20bis van de wet van 16 maart 1971, gewijzigd bij de wet van 4 december 1998 en bij d"
            "e wet van 5 mei 2001, vervalt het tweede lid. Artikel 38 van dezelfde wet wordt opgeheven.",
            [
                "wet van 16 maart 1971 20bis",
                "wet van 4 december 1998",
                "wet van 5 mei 2001",
                "wet van 16 maart 1971 20bis/2",
                "wet van 16 maart 1971 38",
            ],
        ),
        (
            "de",
            "Gesetz X",
            "In § 5 des Hafengesetzes vom 3. Mai 2001 (BGBl. I S. 3), das zuletzt durch Artikel 3 des Lotseng"
            "esetzes vom 5. Mai 2014 (BGBl. I S. 4) geändert worden ist, wird Absatz 2 aufgehoben. § 7 dessel"
            "ben Gesetzes bleibt.",
            ["Hafengesetz 5", "Lotsengesetz 3", "Hafengesetz 5/2", "Hafengesetz 7"],
        ),
        (
            "en",
            "",
            "Section 5 of the Pier Act 1970 (as last amended by section 3 of the Quay Act 1990) applies. Sect"
            "ion 7 of the same Act does not.",
            ["Pier Act 1970 5", "Quay Act 1990 3", "Pier Act 1970 7"],
        ),
        (
            "en",
            "",
            "Section 5 of the Pier Act 1970 was amended by the Quay Act 1990. Section 7 of that Act made othe"
            "r changes.",
            ["Pier Act 1970 5", "Quay Act 1990", "Quay Act 1990 7"],
        ),
        (
            "en",
            "",
            "The Pier Act 1970 applies, as amended by section 3 of the Quay Act 1990 and section 4 of that Act.",
            ["Pier Act 1970", "Quay Act 1990 3", "Quay Act 1990 4"],
        ),
        (
            "es",
            "",
            "El artículo 5 de la Ley 30/1992, en la redacción dada por la Ley 4/1999, lo dice. El artículo 7 "
            "de la misma ley también.",
            ["Ley 30/1992 5", "Ley 4/1999", "Ley 30/1992 7"],
        ),
        (
            "pt",
            "",
            "O art. 5º da Lei nº 8.666/1993, com a redação dada pela Lei nº 9.648/1998, o diz. O art. 7º da m"
            "esma lei também.",
            ["Lei nº 8.666/1993 5", "Lei nº 9.648/1998", "Lei nº 8.666/1993 7"],
        ),
        (
            "sv",
            "",
            "Det följer av 5 § lagen (1990:52) om vård, senast ändrad genom lagen (2003:406) om skydd. 7 § sa"
            "mma lag gäller.",
            ["lag (1990:52) 5", "lag (2003:406)", "lag (1990:52) 7"],
        ),
        (
            "pl",
            "Ustawa X",
            "W art. 5 ustawy z dnia 8 marca 1990 r. o portach, zmienionej ustawą z dnia 5 maja 2001 r. o stat"
            "kach, uchyla się ust. 2. Art. 7 tej ustawy zostaje.",
            [
                "ustawa z dnia 8 marca 1990 r. o portach 5",
                "ustawa z dnia 5 maja 2001 r. o statkach",
                "ustawa z dnia 8 marca 1990 r. o portach 5/2",
                "ustawa z dnia 8 marca 1990 r. o portach 7",
            ],
        ),
        (
            "da",
            "",
            "Det følger af § 5 i lov nr. 52 af 3. maj 1990 om havne, som ændret ved lov nr. 406 af 5. juni 20"
            "03. § 7 i samme lov gælder.",
            ["lov nr. 52 af 3. maj 1990 5", "lov nr. 406 af 5. juni 2003", "lov nr. 52 af 3. maj 1990 7"],
        ),
        (
            "fi",
            "",
            "Satamalain (5/1990) 5 §:ää, sellaisena kuin se on laissa 6/2001, sovelletaan. Saman lain 7 § ei.",
            ["Satamalaki (5/1990) 5", "Satamalaki (5/1990) 7"],
        ),
        (
            "ru",
            "",
            "Статья 5 Федерального закона от 8 марта 1990 г. № 5-ФЗ в редакции Федерального закона от 5 мая 2"
            "001 г. № 6-ФЗ применяется. Статья 7 того же закона тоже.",
            [
                "Федеральный закон от 8 марта 1990 г. № 5-ФЗ 5",
                "Федеральный закон от 5 мая 2001 г. № 6-ФЗ",
                "Федеральный закон от 8 марта 1990 г. № 5-ФЗ 7",
            ],
        ),
        (
            "el",
            "",
            "Το άρθρο 5 του ν. 1234/1990, όπως τροποποιήθηκε με τον ν. 2345/2001, ισχύει. Το άρθρο 7 του ίδιο"
            "υ νόμου επίσης.",
            ["ν. 1234/1990 5", "ν. 2345/2001", "ν. 1234/1990 7"],
        ),
        (
            "it",
            "Legge X",
            "Al codice penale sono apportate le seguenti modificazioni: l'articolo 323 è abrogato. All'artico"
            "lo 266 del codice di procedura penale, dopo il comma 2-bis è inserito il comma 2-ter. Resta l'ar"
            "ticolo 267 di quest'ultimo codice.",
            [
                "codice penale",
                "codice penale 323",
                "codice di procedura penale 266",
                "codice di procedura penale 266/2-bis",
                "codice di procedura penale 266/2-ter",
                "codice di procedura penale 267",
            ],
        ),
        (
            "fr",
            "Loi X",
            "À l'article 5 de la loi du 3 mai 1990, l'alinéa 2 est abrogé.",
            ["loi du 3 mai 1990 5", "loi du 3 mai 1990 5/2"],
        ),
        (
            "fr",
            "Décret X",
            "À l'article R. 121-4 du code de la consommation, les mots : « trente jours » sont remplacés et l"
            "es articles R. 121-9 et R. 121-10 sont abrogés.",
            ["code de la consommation R121-4", "code de la consommation R121-9", "code de la consommation R121-10"],
        ),
        (
            "en",
            "Act X",
            "In section 5 of the Pier Act 1990, subsection (2) is repealed.",
            ["Pier Act 1990 5", "Pier Act 1990 5/2"],
        ),
        (
            "en",
            "Act X",
            "In section 5 of the Pier Act 1990 omit subsection (2), and section 7 is repealed.",
            ["Pier Act 1990 5", "Pier Act 1990 5/2", "Pier Act 1990 7"],
        ),
        (
            "en",
            "Act X",
            "As in section 5 of the Pier Act 1990, subsection (2) applies.",
            ["Pier Act 1990 5", "Act X 1/2"],
        ),
        (
            "es",
            "Ley X",
            "En el artículo 5 de la Ley 30/1992, se suprime el apartado 2.",
            ["Ley 30/1992 5", "Ley 30/1992 5/2"],
        ),
        (
            "pt",
            "Lei X",
            "No artigo 5.º da Lei n.º 7/2009, alterada pela Lei n.º 8/2010, é revogado o n.º 2.",
            ["Lei n.º 7/2009 5", "Lei n.º 8/2010", "Lei n.º 7/2009 5/2"],
        ),
        (
            "pt",
            "Decreto X",
            "A Lei nº 9.503 passa a vigorar com nova redação dos arts. 148-A e 165-B.",
            ["Lei nº 9.503", "Lei nº 9.503 148-A", "Lei nº 9.503 165-B"],
        ),
        (
            "sv",
            "Lag X",
            "upphävs i utsökningsbalken (705/2007) 3 kap. 108 §, ändras 4 kap. 9 och 11 §, och fogas till 8 k"
            "ap. en ny 12 a § som följer.",
            [
                "utsökningsbalk 108 (3 kap.)",
                "utsökningsbalk 9 (4 kap.)",
                "utsökningsbalk 11 (4 kap.)",
                "utsökningsbalk 8 kap.",
                "utsökningsbalk 12a",
            ],
        ),
        (
            "sv",
            "Lag X",
            "gäller 11–14 §§ lagen (1976:580) om medbestämmande, och den som åsidosätter 13 § i den lagen är "
            "skyldig enligt dess 54 §.",
            ["lag (1976:580) 11", "lag (1976:580) 14", "lag (1976:580) 13", "lag (1976:580) 54"],
        ),
        (
            "de",
            "",
            "Die Nebenentscheidungen beruhen auf §§ 91 Abs. 1, 709 S. 1 und 2 ZPO.",
            ["ZPO 91/1", "ZPO 709"],
        ),
        ("de", "", "Die Haftung folgt aus §§ 1 S. 1 und 3 HPflG.", ["HPflG 1", "HPflG 3"]),
        (
            "de",
            "BGB",
            "§ 548 Abs. 1 Satz 2 und 3, Abs. 2 ist entsprechend anzuwenden.",
            ["BGB 548/1", "BGB 548/2"],
        ),
        (
            "zh",
            "",
            "主要看第46条（《企业所得税法》）以及第12条（民法典）、第13条（罚则）。",
            ["企业所得税法 46", "民法典 12", "民法典 13"],
        ),
        ("ko", "", "강제집행면탈죄는 제327조(형법)로 따로 보고, 제5조(목적)도 본다.", ["형법 327", "형법 5"]),
        (
            "ja",
            "",
            "即時取得＝192条（民法）、横領物は252条（刑法）。第5条（目的）。",
            ["民法 192", "刑法 252", "刑法 5"],
        ),
        ("ja", "", "建築基準法（抄）第五条と港湾法（改正されたもの）第六条。", ["建築基準法 5", "港湾法 6"]),
        (
            "zh",
            "",
            "先寫民§184Ⅰ前段，再寫§191-2。商品有瑕疵的話改走消保法§7，刑法部分檢討刑§284。",
            ["民 184", "民 191-2", "消保法 7", "刑 284"],
        ),
        (
            "zh",
            "",
            "依憲法訴訟法第59條聲請。查性侵害犯罪防治法第37條具關聯；其餘聲請不合憲法訴訟法所定要件，應依同法第15條不受理。",
            ["憲法訴訟法 59", "性侵害犯罪防治法 37", "憲法訴訟法 15"],
        ),
        (
            "zh",
            "",
            "新修订的《反不正当竞争法》施行，其中第十四条明确禁止，违者依该法第三十条处罚。",
            ["反不正当竞争法", "反不正当竞争法 14", "反不正当竞争法 30"],
        ),
        ("ja", "", "風営法違反の疑いで逮捕した。同法49条は罰則を定める。", ["風営法 49"]),
        (
            "fr",
            "",
            "au titre de l'article 700 CPC et de l'article L. 145-41 du Code de commerce, puis de l'article 7"
            "00 CPC. L'article 699 du même Code.",
            ["CPC 700", "Code de commerce L145-41", "CPC 700", "CPC 699"],
        ),
        (
            "fr",
            "",
            "Il a censuré l'article 7 de la loi « plein emploi », contraire à l'article 2 de la Déclaration d"
            "e 1789. Les articles 10 et 14 de la loi ont été validés.",
            [
                "loi « plein emploi » 7",
                "Déclaration de 1789 2",
                "loi « plein emploi » 10",
                "loi « plein emploi » 14",
            ],
        ),
        (
            "it",
            "",
            "La società rischia l'interdizione del decreto legislativo 231 del 2001, che all'articolo 25 la p"
            "unisce. Si punta sull'articolo 6 del decreto.",
            [
                "decreto legislativo 231 del 2001",
                "decreto legislativo 231 del 2001 25",
                "decreto legislativo 231 del 2001 6",
            ],
        ),
        (
            "de",
            "",
            "Art. 82 DSGVO setzt das voraus, § 42 BDSG hilft nicht. Art. 15 Abs. 3 der Verordnung begründet nichts.",
            ["DSGVO 82", "BDSG 42", "DSGVO 15/3"],
        ),
        (
            "es",
            "",
            "por el artículo 68 de la Ley 39/2015 y por el 24.1 de dicha ley; el 30 de ese mes; artículo 31 b"
            "is del Código Penal, con la atenuante del 31 quater.",
            ["Ley 39/2015 68", "Ley 39/2015 24/1", "Código Penal 31bis", "Código Penal 31quater"],
        ),
        (
            "fr",
            "",
            "pris de la violation des articles 10 et 11 de la Constitution, 774 et 1138, 3°, du Code judiciai"
            "re et 39, § 2, de la loi du 3 juillet 1978.",
            [
                "Constitution 10",
                "Constitution 11",
                "Code judiciaire 774",
                "Code judiciaire 1138//3",
                "loi du 3 juillet 1978 39/2",
            ],
        ),
        (
            "pt",
            "",
            "um crime p. e p. pelo artigo 152.º, n.ºs 1, al. b), 2, 4 e 5, do Código Penal, e de outro.",
            ["Código Penal 152/1//b", "Código Penal 152/2", "Código Penal 152/4", "Código Penal 152/5"],
        ),
        (
            "nl",
            "Wet X",
            "De bepalingen van de artikelen VI.97 tot VI.100, artikel VI.103, 1° tot 8°, of artikel VI.104/1.",
            ["Wet X VI.97", "Wet X VI.100", "Wet X VI.103//1", "Wet X VI.103//8", "Wet X VI.104/1"],
        ),
        (
            "ko",
            "",
            "상가임대차법 제2조는 같은 법 제10조 제1항, 제10조의2부터 제10조의9까지의 규정 및 제19조가 적용된다.",
            ["상가임대차법 2", "상가임대차법 10/1", "상가임대차법 10의2", "상가임대차법 10의9", "상가임대차법 19"],
        ),
        ("it", "", "condannarla ex art. 96, III comma, c.p.c., oltre interessi.", ["c.p.c. 96/3"]),
        ("de", "", "Kaufrecht (BGB): Mangel, § 434; Rechte, § 437.", ["BGB", "BGB 434", "BGB 437"]),
        (
            "fr",
            "",
            "l'annexe 3 au contrat; l'article 14.1 des présentes; article 15 des statuts de la SCI Les Tilleu"
            "ls; l'article 84 des lois sur le Conseil d'État, coordonnées le 12 janvier 1973.",
            ["lois sur le Conseil d'État, coordonnées le 12 janvier 1973 84"],
        ),
        (
            "it",
            "",
            "art. 6 dello statuto sociale; della direttiva 2004/38/CE (in prosieguo: la «direttiva»). L'artic"
            "olo 5 della direttiva.",
            ["direttiva 2004/38/CE", "direttiva 2004/38/CE 5"],
        ),
        (
            "es",
            "",
            "conforme al artículo 12 de los estatutos de la comunidad y el artículo 5 del Reglamento Roma I.",
            ["Reglamento Roma I 5"],
        ),
        ("zh", "", "《财产综合保险条款（2020版）》第六条、附件三《技术规格书》第4.1条、微信聊天记录第14至22条。", []),
        ("en", "By-law 5", "contravenes section 7 or 8 of this By-law.", ["By-law 5 7", "By-law 5 8"]),
        ("sv", "", "generalklausulen = § 36 AvtL; § 4 i fastighetsägarens ordningsregler.", ["AvtL 36"]),
        (
            "fr",
            "Règlement X",
            "visée à l'article 25 de la loi du 10 juin 1999. Les agents désignés à l'article 22 de cette même loi.",
            ["loi du 10 juin 1999 25", "loi du 10 juin 1999 22"],
        ),
        (
            "es",
            "Decreto X",
            "los artículos 21 y 24 de la Ley 1448 de 2011, y que el artículo 27 de esta última ley ordena.",
            ["Ley 1448 de 2011 21", "Ley 1448 de 2011 24", "Ley 1448 de 2011 27"],
        ),
        (
            "en",
            "Regs X",
            "powers conferred by sections 15(1) and (2), 47(2) and 82(3)(a) of, and paragraphs 1(1) and 15 of"
            " Schedule 3 to, the Piers at Work etc. Act 1974.",
            [
                "Piers at Work etc. Act 1974 15/1",
                "Piers at Work etc. Act 1974 15/2",
                "Piers at Work etc. Act 1974 47/2",
                "Piers at Work etc. Act 1974 82/3/a",
                "Piers at Work etc. Act 1974 Schedule 3//1/1",
                "Piers at Work etc. Act 1974 Schedule 3//15",
            ],
        ),
        (
            "en",
            "",
            "section 149 of the Pier Act 2010. Her case, put on article 8 of the Convention, adds nothing to "
            "section 149.",
            ["Pier Act 2010 149", "8", "Pier Act 2010 149"],
        ),
        (
            "de",
            "",
            "Verletzung von Art. 257d Abs. 1 OR und von Art. 29 Abs. 2 BV. Sie ist unwirksam, wenn die Frist "
            "von Art. 257d nicht abgelaufen war.",
            ["OR 257d/1", "BV 29/2", "OR 257d"],
        ),
        (
            "es",
            "Decreto X",
            "Se reforman los artículos 17, fracción II, y 42-A; y se deroga el artículo 43 de la Ley General de Salud.",
            ["Ley General de Salud 17//2", "Ley General de Salud 42-A", "Ley General de Salud 43"],
        ),
        (
            "it",
            "",
            "di cui agli artt. 416-bis, commi primo, secondo e terzo, 629, secondo comma, cod. pen.",
            ["cod. pen. 416-bis/1", "cod. pen. 416-bis/2", "cod. pen. 416-bis/3", "cod. pen. 629/2"],
        ),
        (
            "it",
            "Regolamento X",
            "visto il trattato sul funzionamento dell’Unione europea, in particolare l’articolo 290; 2652 n. 4 c.c.",
            ["trattato sul funzionamento dell’Unione europea 290", "c.c. 2652///4"],
        ),
        (
            "pt",
            "Decreto-Lei X",
            "Os artigos 5.º e 12.º-A do Decreto-Lei n.º 555/99 passam a ter a seguinte redação. O modelo cons"
            "ta do anexo II ao presente decreto-lei.",
            ["Decreto-Lei n.º 555/99 5", "Decreto-Lei n.º 555/99 12-A", "Decreto-Lei X anexo II"],
        ),
        (
            "pt",
            "",
            "pressuposto do art. 500.º do CC. Não é nulo (art. 615.º, n.º 1, al. d), ex vi art. 666.º, n.º 1, do CPC).",
            ["CC 500", "CPC 615/1//d", "CPC 666/1"],
        ),
        (
            "zh",
            "国务院关于修改部分行政法规的决定",
            "将《公司登记管理条例》第九条第二项修改为：“住所”。删去第二十条第三款，并将第三十一条中的“公告”修改为“公示”。",
            ["公司登记管理条例 9//2", "公司登记管理条例 20/3", "公司登记管理条例 31"],
        ),
        (
            "ko",
            "",
            "자본시장법 제178조 제1항 제1호 위반 여부 및 제179조에 기한 청구.",
            ["자본시장법 178/1/1", "자본시장법 179"],
        ),
        (
            "ja",
            "",
            "本契約第12条第2項に基づく解除がなされた場合でも、第8条（秘密保持）及び第15条（準拠法）は有効に存続する。",
            [],
        ),
        (
            "nl",
            "KB X",
            "Gelet op de codex over het welzijn op het werk, de artikelen I.4-1 en I.4-36; Gelet op artikel 8"
            "4 van de wetten op de Raad van State, gecoördineerd op 12 januari 1973;",
            [
                "codex over het welzijn op het werk",
                "codex over het welzijn op het werk I.4-1",
                "codex over het welzijn op het werk I.4-36",
                "wetten op de Raad van State, gecoördineerd op 12 januari 1973 84",
            ],
        ),
        ("pl", "", "art. 14na Ordynacji podatkowej; art. 148 k.k.", ["Ordynacja podatkowa 14na", "k.k. 148"]),
        ("zh", "", "新修订的港口管理法对高空抛物作出专门规定，该法第四十三条将其列为妨害行为。", ["港口管理法 43"]),
        (
            "en",
            "",
            "Section 5 of the Pier Act 1970, as amended by the Quay Act 1990 and by the Dock Act 1995, applie"
            "s. Section 7 of that Act too.",
            ["Pier Act 1970 5", "Quay Act 1990", "Dock Act 1995", "Pier Act 1970 7"],
        ),
        (
            "en",
            "",
            "Section 5 of the Pier Act 1970 applies. Amended by the Quay Act 1990, it fails. Section 7 of that Act.",
            ["Pier Act 1970 5", "Quay Act 1990", "Quay Act 1990 7"],
        ),
        (
            "ja",
            "",
            "所得税法第5条及び所得税法施行令第3条。所得税法の規定により、同令第4条を適用する。",
            ["所得税法 5", "所得税法施行令 3", "所得税法施行令 4"],
        ),
        ("ja", "", "民法第5条。刑法第6条。民法施行規則の規定、同法第7条。", ["民法 5", "刑法 6", "刑法 7"]),
        (
            "fr",
            "Loi X",
            "L'article 5 de la loi du 3 mai 1990 est remplacé par : « Le bac part. ». L'article 7 est abrogé.",
            ["loi du 3 mai 1990 5", "Loi X 7"],
        ),
        ("it", "Legge X", "L'art. 5 c.c. e l'art. 7 sono abrogati.", ["c.c. 5", "Legge X 7"]),
        (
            "en",
            "",
            "Section 149 of the Pier Act 2010 and section 3 of the Quay Act 1990. The Dock Act 1995 applies. "
            "By section 149 it must.",
            ["Pier Act 2010 149", "Quay Act 1990 3", "Dock Act 1995", "Dock Act 1995 149"],
        ),
        (
            "en",
            "",
            "Section 149 of the Pier Act 2010, and section 149.",
            ["Pier Act 2010 149", "Pier Act 2010 149"],
        ),
        ("ja", "船舶法", "第16条（民法）の規定。", ["船舶法 16"]),
        ("de", "", "§ 5 BGB, § 5 StGB, § 6 ZPO. Die Frist des § 5 läuft.", ["BGB 5", "StGB 5", "ZPO 6", "ZPO 5"]),
        (
            "en",
            "Act X",
            "A notice under section 5 of the Pier Act 1990 is void, and subsection (2) is repealed.",
            ["Pier Act 1990 5", "Act X 1/2"],
        ),
        (
            "ja",
            "灯台法施行令",
            "別表第一（一）項から（四）項まで、（五）項イ、（六）項イ、ハ及びニ並びに（十六の二）項に掲げる灯台",
            [
                "灯台法施行令 別表第1(1)項",
                "灯台法施行令 別表第1(4)項",
                "灯台法施行令 別表第1(5)項イ",
                "灯台法施行令 別表第1(6)項イ",
                "灯台法施行令 別表第1(6)項ハ",
                "灯台法施行令 別表第1(6)項ニ",
                "灯台法施行令 別表第1(16の2)項",
            ],
        ),
        (
            "ja",
            "灯台法施行令",
            "別表第一（六）項イ（１）から（３）まで、同表（九）項ロ",
            ["灯台法施行令 別表第1(6)項イ(1)", "灯台法施行令 別表第1(6)項イ(3)", "灯台法施行令 別表第1(9)項ロ"],
        ),
        (
            "ja",
            "桟橋における事故の防止に関する法律施行令",
            "第三項中桟橋における事故の防止に関する法律施行令（昭和五年政令第二号）第十四条",
            ["桟橋における事故の防止に関する法律施行令 1/3", "桟橋における事故の防止に関する法律施行令 14"],
        ),
        (
            "ja",
            "灯台法",
            "② 次に掲げる。\n一 前項の規定\n二 前号の規定\n３ 前二項の規定",
            ["灯台法 1/1", "灯台法 1/2/1", "灯台法 1/1"],
        ),
        (
            "ko",
            "등대법",
            "별표 2 제1호13)ㆍ46) 및 71)의 물질",
            ["등대법 별표 2//1/(13)", "등대법 별표 2//1/(46)", "등대법 별표 2//1/(71)"],
        ),
        (
            "ko",
            "",
            "「등대법 시행령」 [별표 2] 비고 제2호다목 및 마목에 따라",
            ["등대법 시행령 별표 2//2/다", "등대법 시행령 별표 2//2/마"],
        ),
        (
            "ko",
            "",
            "「등대법 시행규칙」 별표 2의 제3호 가목, 별표3 2. 가. 3) 나)에 따라",
            ["등대법 시행규칙 별표 2//3/가", "등대법 시행규칙 별표 3//2/가(3)(나)"],
        ),
        (
            "de",
            "Hafengesetz",
            "Artikel 1 Abs. a Ziffer ii und Abs. b des Turiner Übereinkommens gilt.",
            ["Turiner Übereinkommen 1/a/ii", "Turiner Übereinkommen 1/b"],
        ),
        (
            "de",
            "Hafengesetz",
            "nach Artikel 24 oder 25 als Landesrecht, § 5 oder 6 Wochen später",
            ["Hafengesetz 24", "Hafengesetz 25", "Hafengesetz 5"],
        ),
        ("de", "", "Es gibt im Mietvertrag § 17 und § 30; nach dem Kaufvertrag § 433 BGB", ["BGB 433"]),
        ("de", "Hafenverordnung", "nach Nummer 5.4.2 Absatz 5 und 6", ["Hafenverordnung 1//5.4.2"]),
        (
            "en",
            "Lighthouse Safety Act",
            "in paragraph 5(c.1) as it relates to paragraphs 5(a) and (g) and paragraph (1)(d)",
            [
                "Lighthouse Safety Act 5//c.1",
                "Lighthouse Safety Act 5//a",
                "Lighthouse Safety Act 5//g",
                "Lighthouse Safety Act 1/1/d",
            ],
        ),
        ("en", "Lighthouse Act 1990", "in paragraph 5(a)", ["Lighthouse Act 1990 1/5/a"]),
        (
            "en",
            "Pier Act 1990",
            "in section 39(1)(a) or 40(1)(a) to a condition, in section 3 or 4 days later, in section 89 or 89A",
            [
                "Pier Act 1990 39/1/a",
                "Pier Act 1990 40/1/a",
                "Pier Act 1990 3",
                "Pier Act 1990 89",
                "Pier Act 1990 89A",
            ],
        ),
        (
            "en",
            "Public Law 9",
            "(a) Paragraph (6) (as redesignated by section 101(d) of the Ferry Act of 2013) of section 25A of the "
            "Pier Act of 1985 is amended by striking subsection (b).\n(b) The amendment in subsection (a) applies.",
            ["Pier Act of 1985 25A/6", "Ferry Act of 2013 101/d", "Pier Act of 1985 25A/b", "Public Law 9 1/a"],
        ),
        ("en", "Pier Order", "6) Regulations 2024 and come into force", []),
        (
            "fr",
            "Loi X",
            "l'article 30 du règlement eIDAS, l'article L. 3 du code des postes et communications électroniques",
            ["règlement eIDAS 30", "code des postes et communications électroniques L3"],
        ),
        (
            "it",
            "Legge X",
            "l'articolo 30 del regolamento UE 2016/679 e l'Allegato II del Regolamento eIDAS",
            ["regolamento UE 2016/679 30", "Regolamento eIDAS Allegato II"],
        ),
        (
            "es",
            "Ley X",
            "el artículo 3 del Convenio de La Haya y el artículo 5 del Reglamento eIDAS",
            ["Convenio de La Haya 3", "Reglamento eIDAS 5"],
        ),
        ("pt", "Lei X", "o artigo 30.º do Regulamento eIDAS", ["Regulamento eIDAS 30"]),
        ("nl", "Wet X", "artikel 30 van de eIDAS-verordening", ["eIDAS-verordening 30"]),
        ("sv", "Lag X", "artikel 30 i NIS2-direktivet", ["NIS2-direktiv 30"]),
        ("da", "Lov X", "artikel 30 i eIDAS-forordningen", ["eIDAS-forordning 30"]),
        ("no", "Lov X", "artikkel 30 i eIDAS-forordningen", ["eIDAS-forordning 30"]),
        ("fi", "Laki X", "eIDAS-asetuksen 30 artiklan", ["eIDAS-asetus 30"]),
        (
            "pl",
            "Ustawa X",
            "art. 2 konwencji wiedeńskiej z 1969 r. i art. 7 konwencji o prawach dziecka",
            ["Konwencja wiedeńska z 1969 r. 2", "Konwencja o prawach dziecka 7"],
        ),
        (
            "en",
            "Public Law 1",
            "subsections (a)(1)(A), (a)(1)(B), (c)(2), and (c)(4) of section 34 of the Pier Act of 1974",
            [
                "Pier Act of 1974 34/a/1/A",
                "Pier Act of 1974 34/a/1/B",
                "Pier Act of 1974 34/c/2",
                "Pier Act of 1974 34/c/4",
            ],
        ),
        (
            "en",
            "Lighthouse Safety Act",
            "any of paragraphs 73(2)(a) to (l)",
            ["Lighthouse Safety Act 73/2/a", "Lighthouse Safety Act 73/2/l"],
        ),
        ("en", "Pier Act 1990", "section 5(4) and (4A)", ["Pier Act 1990 5/4", "Pier Act 1990 5/4A"]),
        (
            "fr",
            "Code des phares",
            "du II de l'article L. 243-1 du code de la mer. Les dispositions des articles D. 12-5 et L. 243-1 précité",
            ["code de la mer L243-1/2", "Code des phares D12-5", "code de la mer L243-1"],
        ),
        (
            "it",
            "Legge X",
            "l'articolo 5 del codice civile. Il citato articolo 5, il predetto articolo 7 e l'articolo 5",
            ["codice civile 5", "codice civile 5", "Legge X 7", "Legge X 5"],
        ),
        (
            "en",
            "Pier Act",
            "section 5 of the Harbour Act 1990. The said section 5 applies. Section 5 applies.",
            ["Harbour Act 1990 5", "Harbour Act 1990 5", "Pier Act 5"],
        ),
        (
            "ko",
            "등대법",
            "「선박법」 제5조에 따라. 위 제5조에 따른다. 제5조에 따른다.",
            ["선박법 5", "선박법 5", "등대법 5"],
        ),
        (
            "it",
            "Legge X",
            "se al documento deve essere allegato altro documento; di cui all'allegato",
            ["Legge X allegato"],
        ),
        (
            "ko",
            "등대법 시행규칙",
            "영 제49조제1항 관련 별표 2 및 이 규칙 별표 6에 따른",
            ["등대법 시행령 49/1", "등대법 시행령 별표 2", "등대법 시행규칙 별표 6"],
        ),
        ("id", "UU X", "ditentukan dalam nomor 10 pasal 7", ["UU X 7//10"]),
        (
            "th",
            "พระราชบัญญัติประภาคาร",
            "ให้บุคคลดังกล่าวใน (1) ตามมาตรา 3 อัฎฐ",
            ["พระราชบัญญัติประภาคาร 1//1", "พระราชบัญญัติประภาคาร 3อัฏฐ"],
        ),
        (
            "vi",
            "Luật X",
            "1. Quy định như sau:\na) Bộ cấp;\nb) trừ trường hợp quy định tại điểm a khoản này.",
            ["Luật X 1/1/a"],
        ),
        ("ja", "灯台法", "次項に定める場合をいう。\n２ 前項の規定", ["灯台法 1/2", "灯台法 1/1"]),
        (
            "de",
            "Hafenverordnung",
            "§ 3 Absatz 1 in Verbindung mit Nummer 4.4 Absatz 1 Satz 3 des Anhangs",
            ["Hafenverordnung 3/1", "Hafenverordnung Anhangs//4.4"],
        ),
        (
            "fr",
            "Code des phares",
            "mentionnées au 1°, au 3° et au 5° de l'article L. 12-5, "
            "aux c et g du 3° de l'article L. 6, au 1° et au décret",
            [
                "Code des phares L12-5//1",
                "Code des phares L12-5//3",
                "Code des phares L12-5//5",
                "Code des phares L6//3",
                "Code des phares L6//1",
            ],
        ),
        (
            "fr",
            "Code des phares",
            "au deuxième alinéa des articles L. 232-7 ou L. 245-12 du code de la mer",
            ["code de la mer L232-7/2", "code de la mer L245-12/2"],
        ),
        ("es", "Ley X", "el apartado 1 de los artículos 5 y 6", ["Ley X 5/1", "Ley X 6/1"]),
        (
            "it",
            "Codice X",
            "Il D.Lgs. 4 aprile 2006, n. 9 ha disposto (con l'art. 31, comma 1) che nel "
            "presente decreto la numerazione degli articoli da 72 a 76 è sostituita.",
            ["D.Lgs. 4 aprile 2006, n. 9 31/1", "Codice X 72", "Codice X 76"],
        ),
        ("it", "Codice X", "La L. 6 luglio 2012, n. 94, ha disposto (con l'art. 3) che", ["L. 6 luglio 2012, n. 94 3"]),
        (
            "en",
            "Public Law 9",
            "(a) Section 1923(f) of the Pier Act is amended—\n(1) in clause (ii), by striking subclauses (I) "
            "and (II); and\n(2) by striking subsection (b).\n(b) The amendments made by subsection (a) apply.",
            [
                "Pier Act 1923/f",
                "Pier Act 1923/f//(ii)",
                "Pier Act 1923/f//(ii)(I)",
                "Pier Act 1923/f//(ii)(II)",
                "Pier Act 1923/b",
                "Public Law 9 1/a",
            ],
        ),
        (
            "en",
            "Public Law 9",
            "the Flood Act of 2012 (Public Law 112–141, 126 Stat. 916)",
            ["Flood Act of 2012", "/us/pl/112/141", "/us/stat/126/916"],
        ),
        (
            "zh",
            "灯塔法",
            "设置灯塔的，处罚：\n（一）违反前款规定的；\n（二）前项情形。\n情节严重的，依照前款规定处罚。\n犯第一款罪，有第一项规定情形的，从轻。",
            ["灯塔法 1", "灯塔法 1/1/1", "灯塔法 1/1", "灯塔法 1/1", "灯塔法 1//1"],
        ),
        ("zh", "灯塔法", "高度如下：\nH=h1+h2\n前款规定不适用。", ["灯塔法 1"]),
        ("ja", "灯台法", "新港法第二条に規定する第一号法定受託事務", ["新港法 2"]),
        (
            "en",
            "Harbour Code",
            "Pub. L. 9–7, § 1, 13 Stat. 92, provided that: “This Act [amending section 41 of this title and enacting "
            "provisions under section 41 of this title] may be cited as the ‘Pier Act’, and section 3 of this Act "
            "applies.”",
            ["/us/pl/9/7 1", "/us/stat/13/92", "Harbour Code 41", "Harbour Code 41", "Pier Act", "Pier Act 3"],
        ),
        (
            "en",
            "Harbour Code",
            "The Pier Act 1990 says: “section 3 of this Act [the Pier Act] applies, and [section 5] too.”",
            ["Pier Act 1990", "Pier Act 1990 3", "Pier Act", "5"],
        ),
        ("fr", "Code X", "L. 110-1", ["Code X L110-1"]),
        ("fr", "Code X", "L. 110-1 | Résultant du décret", ["Code X L110-1"]),
        (
            "en",
            "Harbour Code",
            "amending sections 13 and 17 of Title 2, section 62 of Title 26, Internal "
            "Revenue Code, and section 60 of Title 39, Postal Service",
            ["/us/usc/t2 13", "/us/usc/t2 17", "/us/usc/t26 62", "Internal Revenue Code", "/us/usc/t39 60"],
        ),
        ("en", "Pier Act", "Despite subsection (3)(aa) and (b), it is", ["Pier Act 1/3/aa", "Pier Act 1/3/b"]),
        ("de", "Hafengesetz", "eine Anlage zu halten, seine bauliche Anlage zu erhalten", []),
        (
            "de",
            "Hafengesetz",
            "in der Anlage zu diesem Gesetz, Anlage zu § 3",
            ["Hafengesetz Anlage", "Hafengesetz Anlage", "Hafengesetz 3"],
        ),
        ("de", "Begleitgesetz", "nach Artikel II § 2, Art. I Abs. 3", ["Begleitgesetz 2/2", "Begleitgesetz 1/3"]),
        ("id", "KUHX", "dalam nomor 3, 4 dan 6° pasal ini", ["KUHX 1//3", "KUHX 1//4", "KUHX 1//6"]),
        ("id", "KUHX", "Pasal 12 berlaku. pada nomor 1° dan 3° pasal itu", ["KUHX 12", "KUHX 12//1", "KUHX 12//3"]),
        ("it", "Codice X", "art. 16, comma 1, del decreto n. 29. Poi", ["decreto n. 29 16/1"]),
        ("it", "Codice X", "art. 3 del decreto n. 5 del 2001", ["decreto n. 5 del 2001 3"]),
        ("th", "พ.ร.บ. เรือ", "ในบัญชีท้ายพระราชบัญญัตินี้", ["พ.ร.บ. เรือ บัญชีท้าย"]),
        ("zh", "解释", "应当视为刑法第二百一十七条规定的行为", ["刑法 217"]),
        ("zh", "船舶標準", "第十二條第二款第一目所列場所及第三目之集會堂", ["船舶標準 12//2/1", "船舶標準 12//2/3"]),
        ("ja", "灯台法", "第四十七条中港湾組織令第二条の改正規定", ["灯台法 47", "港湾組織令 2"]),
        (
            "en",
            "Quay Act",
            "Sections 12 (except subsection (3)) to 15 and 18 of the Pier Act 1990",
            ["Pier Act 1990 12", "Pier Act 1990 12/3", "Pier Act 1990 15", "Pier Act 1990 18"],
        ),
        (
            "de",
            "Kaigesetz",
            "Die §§ 12 (mit Ausnahme von Absatz 3) und 14 Abs. 2 der Hafenordnung",
            ["Hafenordnung 12", "Hafenordnung 12/3", "Hafenordnung 14/2"],
        ),
        ("de", "Kaigesetz", "auf Vordruck Nr. 4 oder Formblatt 3; die Unordnung an Deck nach § 6", ["Kaigesetz 6"]),
        ("en", "Quay Act", "The schedule of sailings and any annex to the building", []),
        ("en", "Quay Act", "the Schedule of this Act and the schedule", ["Quay Act Schedule", "Quay Act schedule"]),
        ("fr", "Loi X", "L'annexe du bâtiment et le code d'entrée", []),
        ("fr", "Loi X", "l'annexe du présent décret et l'annexe II", ["Loi X annexe", "Loi X annexe II"]),
        ("ja", "灯台法", "第三条乃至第五条ノ規定ハ商港法第十条ニ之ヲ準用ス", ["灯台法 3", "灯台法 5", "商港法 10"]),
        (
            "it",
            "Decreto X",
            "allegato n. 14, allegati n. 1 e n. 4/2",
            [f"Decreto X {one}" for one in ("allegato n. 14", "allegati n. 1", "n. 4/2")],
        ),
        (
            "fr",
            "Loi X",
            "l'annexe n° 3, les annexes I et II; annexe 3-1",
            [f"Loi X {one}" for one in ("annexe n° 3", "annexes I", "II", "annexe 3-1")],
        ),
        (
            "fr",
            "Loi X",
            "L'annexe a été modifiée. Les sommes dues au titre d'une année, en tout ou partie d'un contrat",
            ["Loi X annexe"],
        ),
        (
            "de",
            "Hafengesetz",
            "Anlage Nr. 5, Anlagen A und B, Anhang IIa; Anlagen K1 und K2",
            [f"Hafengesetz {one}" for one in ("Anlage Nr. 5", "Anlagen A", "B", "Anhang IIa")],
        ),
        (
            "en",
            "Quay Act",
            "Schedule A1, Schedule 4ZA, Annex VIIIB, Annex No. 4; Annexes 1-3",
            [
                f"Quay Act {one}"
                for one in ("Schedule A1", "Schedule 4ZA", "Annex VIIIB", "Annex No. 4", "Annexes 1", "3")
            ],
        ),
        ("pl", "", "załącznik nr 1 i nr 2", ["załącznik nr 1", "nr 2"]),
        ("id", "KUHX", "dalam Pasal 3l9g dan pasal 382d", ["KUHX 382d"]),
        ("id", "KUHX", "Pasal 9 Reglemen Acara Perdata", ["Reglemen Acara Perdata 9"]),
        ("en", "Quay Rules", "Rule 10.1.3B2 and rule 10.1.3B", ["Quay Rules 10.1.3B"]),
        (
            "en",
            "Quay Act",
            "the Pier Act, chapter B-9 of the Revised Statutes of Canada, 1985, section 3",
            ["Pier Act", "Quay Act 3"],
        ),
        (
            "it",
            "Codice X",
            "articolo 2, comma 2, del decreto n. 5 del 2001, lettere D, F e F-bis del medesimo comma 2",
            ["decreto n. 5 del 2001 2/2", *(f"decreto n. 5 del 2001 2/2/{one}" for one in ("D", "F", "F-bis"))],
        ),
        (
            "it",
            "Codice X",
            "comma 3 dell'articolo 2 del decreto n. 5 del 2001, di cui al citato comma 3 e al comma 4",
            ["decreto n. 5 del 2001 2/3", "decreto n. 5 del 2001 2/3", "Codice X 1/4"],
        ),
        (
            "fr",
            "Loi X",
            "l'article L. 123-4 du code rural, le même article L. 123-4, le même article L. 5-1",
            ["code rural L123-4", "code rural L123-4", "Loi X L5-1"],
        ),
        (
            "fr",
            "Loi X",
            "les articles 3 à 9 (à l'exception de l'article 5) du code rural",
            [f"code rural {one}" for one in (3, 9, 5)] + ["code rural"],
        ),
        (
            "en",
            "Quay Act",
            "sections 3 to 9 (other than section 5(2)) of the Pier Act 1990",
            [f"Pier Act 1990 {one}" for one in ("3", "9", "5/2")] + ["Pier Act 1990"],
        ),
        (
            "en",
            "Quay Act",
            "section 3 (except section 5 of this Act) of the Pier Act 1990",
            ["Pier Act 1990 3", "Quay Act 5", "Pier Act 1990"],
        ),
        (
            "ja",
            "消火令",
            "別表第一（四）項に掲げる物又は同項に掲げる物、第二条第一項及び同項",
            ["消火令 別表第1(4)項", "消火令 別表第1(4)項", "消火令 2/1", "消火令 2/1"],
        ),
        ("en", "Quay Act", "section 5 of the Pier Act 1990 (by section 7)", ["Pier Act 1990 5", "Quay Act 7"]),
        ("nl", "Kadewet", "artikel 3 van de Havenwet (zie artikel 7)", ["Havenwet 3", "Kadewet 7"]),
        (
            "en",
            "Public Law 9",
            "Section 12(b)(1) of the Pier Act of 1974 (33 U.S.C. 912(b)(1)) is amended by—\n(1) striking the period at "
            "the end of subparagraph (A);\n(2) in subparagraph (D), by striking clause (i).",
            [
                "Pier Act of 1974 12/b/1",
                "/us/usc/t33 912/b/1",
                "Pier Act of 1974 12/b/1/A",
                "Pier Act of 1974 12/b/1/D",
                "Pier Act of 1974 12/b/1/D(i)",
            ],
        ),
        (
            "en",
            "Pier Order",
            "The following provisions of the Pier Act 2011 come into force—\na sections 14 to 19;\nb section 109, to "
            "bring into force what is set out in paragraph (c);\nc section 110, so far as relating to subsection (2).",
            [
                "Pier Act 2011",
                "Pier Act 2011 14",
                "Pier Act 2011 19",
                "Pier Act 2011 109",
                "Pier Order 1//c",
                "Pier Act 2011 110",
                "Pier Act 2011 110/2",
            ],
        ),
        (
            "en",
            "Pier Act 2023",
            "The 2005 Act is modified as follows.\n2 After section 48, insert—\n“Annual returns\n48A 1 A boat must."
            "\n2 A return under subsection (1) is free.”.\n3 In section 2, after subsection (2), insert—\n“2A It is so "
            "in subsection (1).”.",
            ["2005 Act", "2005 Act 48", "2005 Act 48A/1", "2005 Act 2/2", "2005 Act 2/1"],
        ),
        ("th", "พรบ. ก", "ตามมาตรา 65 (5)\n(6) ภาษี", ["พรบ. ก 65//5"]),
        (
            "de",
            "Änderungsgesetz",
            "Das Hafengesetz wird wie folgt geändert:\n1. Nach § 48 wird folgender § 48a eingefügt:\n„§ 48a Boote\n(1) "
            "Wer fährt, meldet sich.\n(2) Die Meldung nach Absatz 1 ist frei.“\n2. § 50 Absatz 2 wird aufgehoben.",
            [
                "Hafengesetz",
                "Hafengesetz 48",
                "Hafengesetz 48a",
                "Hafengesetz 48a",
                "Hafengesetz 48a/1",
                "Hafengesetz 50/2",
            ],
        ),
        (
            "en",
            "Quay Act",
            "(1) In the Pier Act 1990, section 5 is repealed.\n(2) An order under section 7 is free.",
            ["Pier Act 1990 5", "Quay Act 7"],
        ),
        (
            "fr",
            "Loi X",
            "Le code des ports est ainsi modifié :\n1° Après l'article L. 2, il est inséré un article L. 3 ainsi "
            "rédigé :\n« Art. L. 3. – I. – Il est libre.\n« II. – Le I du présent article et l'article L. 4 valent."
            "\n« L'article L. 5 reste. » ;\n2° L'article L. 6 est abrogé.",
            [f"code des ports{one}" for one in ("", " L2", " L3", " L3", " L3/1", " L4", " L5", " L6")],
        ),
        (
            "en",
            "Quay Act",
            "(1) A berth is free.\n"
            "(2) A person may—\n"
            "(a) moor;\n"
            "(b) load, where paragraph (a) applies—\n"
            "(i) by day; or\n"
            "(ii) where sub-paragraph (i) does not apply, by night.",
            ["Quay Act 1/2/a", "Quay Act 1/2/b/i"],
        ),
        (
            "en",
            "Public Law 7",
            "(a) Berths.— Except as subsection (b) says, the Secretary shall—\n"
            "(1) list berths;\n"
            "(2) publish what paragraph (1)—\n"
            "(A) names; or\n"
            "(B) adds to subparagraph (A).\n"
            "(b) Piers.— Paragraph (2) applies.",
            ["Public Law 7 1/b", "Public Law 7 1/a/1", "Public Law 7 1/a/2/A", "Public Law 7 1/b/2"],
        ),
        (
            "en",
            "Quay Act, 2013",
            "(5) No credit is given for—\n"
            "(a) stores;\n"
            "(b) ropes referred to in the Explanation to clause (c);\n"
            "(c) lamps as in sub-clause (i).",
            ["Quay Act, 2013 1/5/c", "Quay Act, 2013 1/5/c/i"],
        ),
        (
            "en",
            "Quay Act",
            "A master shall—\n(a) report; or\n(b) if paragraph (a) does not apply, wait.",
            ["Quay Act 1//a"],
        ),
        (
            "en",
            "Quay Act",
            "1 The 2005 Act is modified as follows.\n"
            "2 In section 11 (names)—\n"
            "a in subsection (3)—\n"
            "i for “x” substitute “y”,\n"
            "ii after paragraph (a) insert\n"
            ", or\n"
            "b a name of section 10,\n"
            "b after subsection (4), insert—\n"
            "“5 A ship of section 12.”.\n"
            "3 In section 71, omit paragraph (c).",
            [
                "2005 Act",
                "2005 Act 11",
                "2005 Act 11/3",
                "2005 Act 11/3/a",
                "2005 Act 10",
                "2005 Act 11/4",
                "2005 Act 12",
                "2005 Act 71//c",
            ],
        ),
        (
            "en",
            "Quay Act",
            "90 The Pier Act 2000 is amended as follows.\n"
            "91 (1) Section 6 (fees) is amended as follows.\n"
            "(2) In subsection (3)(b), omit “x”.\n"
            "(3) In subsection (4), omit “y”.\n"
            "92 In section 7, omit subsection (2).\n"
            "93 The amendments made by paragraph 91 do not affect section 30.",
            [
                "Pier Act 2000",
                "Pier Act 2000 6",
                "Pier Act 2000 6/3/b",
                "Pier Act 2000 6/4",
                "Pier Act 2000 7/2",
                "Quay Act 1/91",
                "Quay Act 30",
            ],
        ),
        (
            "en",
            "Public Law 7",
            "(b) AMENDMENT.—Section 1923(f) of the Pier Act is amended—\n"
            "(1) in paragraph (7)(A)—\n"
            "(A) in clause (i), by striking “x”; and\n"
            "(B) in clause (ii)—\n"
            "(i) by striking subclauses (I) and (II); and\n"
            "(ii) in subclause (III) (as redesignated by clause (i)), by striking “y”; and\n"
            "(2) in paragraph (8), by striking “z”.\n"
            "(c) EFFECT.—Subsection (a) applies.",
            [
                "Pier Act 1923/f",
                "Pier Act 1923/f/7/A",
                "Pier Act 1923/f/7/A(i)",
                "Pier Act 1923/f/7/A(ii)",
                "Pier Act 1923/f/7/A(ii)(I)",
                "Pier Act 1923/f/7/A(ii)(II)",
                "Pier Act 1923/f/7/A(ii)(III)",
                "Public Law 7 1/b/1/B(i)",
                "Pier Act 1923/f/8",
                "Public Law 7 1/a",
            ],
        ),
        (
            "en",
            "Quay Act",
            "(1) The Principal Act is amended—\n"
            "(a) in section 472A(1), by deleting “x”, and\n"
            "(b) in Schedule 3, by deleting paragraphs 6 and 8(b).\n"
            "(2) Paragraph (a) of subsection (1) applies.",
            [
                "Principal Act",
                "Principal Act 472A/1",
                "Principal Act Schedule 3",
                "Principal Act Schedule 3//6",
                "Principal Act Schedule 3//8/b",
                "Quay Act 1/1/a",
            ],
        ),
        (
            "en",
            "Quay Act, 2020",
            "In section 115BAA of the Pier Act, with effect from the 1st day of April, 2021,—\n"
            "(a) in sub-section (1), after the words “this Chapter”, the words “section 5” shall be inserted;\n"
            "(b) in sub-section (2), clause (i) shall be omitted.",
            ["Pier Act 115BAA", "Pier Act 115BAA/1", "Pier Act 5", "Pier Act 115BAA/2/i"],
        ),
        (
            "en",
            "Directive 2",
            "Directive 2011/92/EU is hereby amended as follows:\n"
            "(1) Article 2 is amended as follows:\n"
            "(a) paragraph 1 is replaced by the following:\n"
            "‘1. Projects of Article 4.’;\n"
            "(b) in paragraph 4, point (a) is deleted;\n"
            "(2) in Article 5, paragraph 3 is deleted.",
            [
                "Directive 2011/92/EU",
                "Directive 2011/92/EU 2",
                "Directive 2011/92/EU 2/1",
                "Directive 2011/92/EU 4",
                "Directive 2011/92/EU 2/4/a",
                "Directive 2011/92/EU 5/3",
            ],
        ),
        (
            "en",
            "Quay Act",
            "any of the following provisions of the Pier Act 1988, that is—\n"
            "(a) section 4(1),\n"
            "(b) section 7(6),\n"
            "has been convicted, subsection (1) above shall apply.\n"
            "(4) Subsection (3) applies.",
            ["Pier Act 1988", "Pier Act 1988 4/1", "Pier Act 1988 7/6", "Quay Act 1/1", "Quay Act 1/3"],
        ),
        (
            "en",
            "Quay Act",
            "Approvals—\nHeritage Act 1977\ns 58\napproval in respect of s 57(1)\nMining Act 1992\nss 63, 64\ngrant",
            [
                "Heritage Act 1977",
                "Heritage Act 1977 58",
                "Heritage Act 1977 57/1",
                "Mining Act 1992",
                "Mining Act 1992 63",
                "Mining Act 1992 64",
            ],
        ),
        (
            "en",
            "Quay Act",
            "4 The Pier Act 1980 is modified in accordance with subsection (5).\n"
            "5 In section 122(4), after paragraph (b) insert “x”.",
            ["Pier Act 1980", "Quay Act 1/5", "Pier Act 1980 122/4/b"],
        ),
        (
            "pt",
            "Lei X",
            "Revogam-se os seguintes dispositivos da Consolidação dos Portos, aprovada pelo Decreto-Lei nº 5.452:\n"
            "a) § 3º do art. 58;\n"
            "b) art. 84.",
            ["Decreto-Lei nº 5.452", "Consolidação dos Portos 58/3", "Consolidação dos Portos 84"],
        ),
        (
            "es",
            "Ley X",
            "Introdúcense las siguientes modificaciones en el Código Portuario:\n"
            "1. Reemplázase el inciso segundo del artículo 2 por el siguiente:\n"
            "“El capitán avisa.”.\n"
            "2. En el artículo 153:\n"
            "a) Reemplázase en el inciso segundo la frase “x” por “y”.",
            ["Código Portuario", "Código Portuario 2/2", "Código Portuario 153", "Código Portuario 153/2"],
        ),
        (
            "fr",
            "Loi X",
            "Sont abrogées les dispositions suivantes du code des ports :\n1° L’article 5 ;\n2° L’article 7.",
            ["code des ports", "code des ports 5", "code des ports 7"],
        ),
        (
            "it",
            "Legge X",
            "Sono abrogate le seguenti disposizioni del codice dei porti:\na) l’articolo 5;\nb) l’articolo 7, comma 2.",
            ["codice dei porti 5", "codice dei porti 7/2"],
        ),
        (
            "nl",
            "Wet X",
            "In artikel 16 van de Havenwet van 20 juli 1990, worden de volgende wijzigingen aangebracht:\n"
            "1° in § 2 wordt x vervangen;\n"
            "2° artikel 17 wordt opgeheven.",
            ["Havenwet van 20 juli 1990 16", "Havenwet van 20 juli 1990 16/2", "Havenwet van 20 juli 1990 17"],
        ),
        (
            "el",
            "ν. 1/2020",
            "1. Στο άρθρο 2 του ν. 4014/2011 επέρχονται οι ακόλουθες τροποποιήσεις:\n"
            "α) η παρ. 8 αντικαθίσταται,\n"
            "β) οι παρ. 9 και 12 καταργούνται.",
            ["ν. 4014/2011 2", "ν. 4014/2011 2/8", "ν. 4014/2011 2/9", "ν. 4014/2011 2/12"],
        ),
        (
            "ru",
            "Закон X",
            "Внести в Федеральный закон от 10 января 2002 года N 7-ФЗ следующие изменения:\n"
            "1) в статье 4.2:\n"
            "а) пункт 3 исключить;\n"
            "2) статью 5 признать утратившей силу.",
            [
                "Федеральный закон от 10 января 2002 года N 7-ФЗ",
                "Федеральный закон от 10 января 2002 года N 7-ФЗ 4.2",
                "Федеральный закон от 10 января 2002 года N 7-ФЗ 4.2//3",
                "Федеральный закон от 10 января 2002 года N 7-ФЗ 5",
            ],
        ),
        (
            "de",
            "Hafengesetz",
            "1. die Erlaubnis nach § 9a Absatz 3,\n2. die Erteilung nach § 6 Absatz 1 Satz 2 Nummer 4,\n3. den Rest.",
            ["Hafengesetz 9a/3", "Hafengesetz 6/1/4"],
        ),
        (
            "no",
            "havneloven",
            "jf. § 8-7 annet ledd bokstav a,\nb. andre, jf. bokstav c, og\nc. ellers",
            ["havneloven 8-7/2//a", "havneloven 1///c"],
        ),
        (
            "en",
            "Quay Act",
            "(1) Section 8 of the Pier Act 1974 is amended in accordance with subsections (2) and (3).\n"
            "(2) In subsection (3), omit “x”.\n"
            "(3) In subsection (5), omit “y”.\n"
            "(4) Nothing in section 1 or 14 affects a claim.",
            [
                "Pier Act 1974 8",
                "Quay Act 1/2",
                "Quay Act 1/3",
                "Pier Act 1974 8/3",
                "Pier Act 1974 8/5",
                "Quay Act 1",
                "Quay Act 14",
            ],
        ),
        (
            "en",
            "Quay Act",
            "(2) For section 10(5) of the Pier Act 1977 substitute—\n"
            '"(5) Subject to section 13A, a master may refuse.".',
            ["Pier Act 1977 10/5", "13A"],
        ),
        (
            "en",
            "Quay Act",
            "(1) In this section—\n“x” means—\n(a) y;\n(b) z;\n“w” means—\n(a) y;\n(b) z within paragraph (a);",
            ["Quay Act 1/1/a"],
        ),
        (
            "en",
            "Quay Act",
            "(1) The Pier Act 1990 is amended as follows.\n"
            "(2) In section 5(1) omit “x”.\n"
            "(3) In subsection (2) omit “y”.",
            ["Pier Act 1990", "Pier Act 1990 5/1", "Pier Act 1990 5/2"],
        ),
        (
            "de",
            "Hafengesetz",
            "Das Bürgerliche Gesetzbuch wird wie folgt geändert:\n"
            "1. § 5 Absatz 1 wird aufgehoben.\n"
            "2. Absatz 2 wird gestrichen.",
            ["Bürgerliches Gesetzbuch", "Bürgerliches Gesetzbuch 5/1", "Bürgerliches Gesetzbuch 5/2"],
        ),
        (
            "en",
            "Quay Act",
            "1 (1) Schedule 2 to the Pier Act 1990 is amended as follows.\n"
            "(2) In paragraph 5—\n"
            "(a) in sub-paragraph (1), omit “x”;\n"
            "(b) omit sub-paragraph (2).",
            [
                "Pier Act 1990 Schedule 2",
                "Pier Act 1990 Schedule 2//5",
                "Pier Act 1990 Schedule 2//5/1",
                "Pier Act 1990 Schedule 2//5/2",
            ],
        ),
        (
            "en",
            "Quay Act",
            "1 (1) Paragraph 5 of Schedule 2 to the Pier Act 1990 is amended as follows.\n"
            "(2) In sub-paragraph (1) omit “x”.\n"
            "(3) Omit sub-paragraph (2).",
            ["Pier Act 1990 Schedule 2//5", "Pier Act 1990 Schedule 2//5/1", "Pier Act 1990 Schedule 2//5/2"],
        ),
        (
            "en",
            "Quay Act",
            "The Pier Act 1990 is amended as follows. The amendments made by section 4 have effect. "
            "In section 5, omit subsection (2). Section 7 is repealed.",
            ["Pier Act 1990", "Quay Act 4", "Pier Act 1990 5/2", "Pier Act 1990 7"],
        ),
        (
            "en",
            "Quay Act",
            "The Pier Act 1990 is amended as follows.\n"
            "(2) Omit the amendment made by section 4 of the Ship Act 1980 in section 5 and section 6.",
            ["Pier Act 1990", "Ship Act 1980 4", "Pier Act 1990 5", "Pier Act 1990 6"],
        ),
        (
            "en",
            "Quay Act",
            "(1) The following provisions of the Pier Act 1990 apply:\n"
            "(a) section 5 (other than subsection (2)),\n"
            "with or without modification;\n"
            "(b) section 6.",
            ["Pier Act 1990", "Pier Act 1990 5", "Pier Act 1990 5/2", "Pier Act 1990 6"],
        ),
        (
            "de",
            "Hafengesetz",
            "(1) Folgende Vorschriften des Bürgerlichen Gesetzbuchs gelten:\n§ 5;\n§ 6.\n(2) § 7 gilt.",
            ["Bürgerliches Gesetzbuch", "Bürgerliches Gesetzbuch 5", "Bürgerliches Gesetzbuch 6", "Hafengesetz 7"],
        ),
        (
            "en",
            "Quay Act",
            "(1) In section 9 of the Pier Act 1990 a reference to a vessel includes—\n"
            "(a) a vessel licensed under section 12, and\n"
            "(b) a vessel mentioned in subsection (3).",
            ["Pier Act 1990 9", "Quay Act 12", "Quay Act 1/3"],
        ),
        (
            "en",
            "Quay Act",
            "(1) In paragraph 5 of Schedule 2 to the Pier Act 1990—\n"
            "(a) in sub-paragraph (1), omit “x”;\n"
            "(b) omit sub-paragraph (2).",
            [
                "Pier Act 1990 Schedule 2//5",
                "Pier Act 1990 Schedule 2//5/1",
                "Pier Act 1990 Schedule 2//5/2",
            ],
        ),
        (
            "en",
            "Quay Act",
            "Subdivision 3 of Division 2 of Part 4 applies; subdivision three or four of section 7",
            ["Quay Act Division 2", "Quay Act Part 4", "Quay Act 7/3", "Quay Act 7/4"],
        ),
        (
            "en",
            "Quay Act",
            "Paragraph 2 of Schedule 3 applies. That paragraph does not apply.",
            ["Quay Act Schedule 3//2", "Quay Act Schedule 3//2"],
        ),
        (
            "en",
            "Quay Act",
            "paragraph 3, 5 or 10 days after; Section 1 through 31 December; paragraph 70(a), 84(1)(a) or 169(1)(b)",
            ["Quay Act 1/3", "Quay Act 1", "Quay Act 70//a", "Quay Act 84/1/a", "Quay Act 169/1/b"],
        ),
        (
            "en",
            "Quay Act",
            "RULE OF 3 members; ARTICLE IN 5 parts; section CB 6",
            ["Quay Act CB6"],
        ),
        (
            "en",
            "Quay Act",
            "(a) One.—x\n(h) x.\n(i) Nine.—\n(1) x\n(A) y under clause (ii), or",
            ["Quay Act 1/i/1/A(ii)"],
        ),
        ("zh", "", "新修订的《港口法》首次规定处罚（第四十三条），我在读的第三条建议", ["港口法", "港口法 43"]),
        ("en", "", "Section 5 of the Fire Act 1990 and regulation 3 apply.", ["Fire Act 1990 5", "3"]),
        (
            "en",
            "Pier Act",
            "Section 5 of the Fire Act 1990 applies. This boat, in its section 6, has oars.",
            ["Fire Act 1990 5", "Fire Act 1990 6"],
        ),
        ("fr", "", "l'art. 5, hyp. 2) CO", ["CO 5"]),
        (
            "ko",
            "갑법",
            "민법 §391~393, 채무자회생법 §391~§393의 부인권",
            ["민법 391", "채무자회생법 391", "채무자회생법 393"],
        ),
        ("ko", "갑법", "「도로법 시행령」 제5조 [별표 2] 제1호", ["도로법 시행령 5", "도로법 시행령 별표 2//1"]),
        (
            "ko",
            "",
            "근로기준법 제23조를 든다. 구제신청 역시 제28조 제2항에 따랐다.",
            ["근로기준법 23", "근로기준법 28/2"],
        ),
        (
            "de",
            "Bahngesetz",
            "Auf das Verfahren ist das AVG mit Ausnahme seiner §§ 2, 3 und 64 Abs. 2 anzuwenden. § 19 dieses "
            "Gesetzes bleibt.",
            ["AVG", "AVG 2", "AVG 3", "AVG 64/2", "Bahngesetz 19"],
        ),
        (
            "es",
            "",
            "los arts. 1708, 1716 y cctes. del CCyCN; va por el art. 47 ET y no por el 51 (no hay extinciones).",
            ["CCyCN 1708", "CCyCN 1716", "ET 47", "ET 51"],
        ),
        (
            "fr",
            "Règlement numéro 1204",
            "L'article 12 et l'annexe B du Règlement numéro 987 sur les ordures, l'article 5 du présent règlement",
            ["Règlement numéro 987 12", "Règlement numéro 987 annexe B", "Règlement numéro 1204 5"],
        ),
        ("fr", "", "la preuve (2803 et 2804 C.c.Q.), et 1457 C.c.Q.", ["C.c.Q. 2803", "C.c.Q. 2804", "C.c.Q. 1457"]),
        (
            "it",
            "",
            "dell'art. 10-bis l. n. 241/1990, e dell'art. 97 Cost., l'art. 21-octies della stessa legge, (art. "
            "29 cpv. 2 Cst.) (770, co. 2, c.c.)",
            ["l. n. 241/1990 10-bis", "Cost. 97", "l. n. 241/1990 21-octies", "Cst. 29/2", "c.c. 770/2"],
        ),
        (
            "pt",
            "",
            "com base no 75, II, da Lei 14.133/21; 810.º a 812.º CC (redução)",
            ["Lei 14.133/21 75//2", "CC 810", "CC 812"],
        ),
        ("zh", "", "《僱傭條例》第VIA部，須先看第32A至32C條是否適用", ["僱傭條例", "僱傭條例 32A", "僱傭條例 32C"]),
        ("ja", "甲法", "（著作権法第27条および第28条に定める権利を含む。）", ["著作権法 27", "著作権法 28"]),
        (
            "ko",
            "갑법",
            "난민의 지위에 관한 협약 제1조, 난민의 지위에 관한 의정서 제2조, 한미상호방위조약 제4조",
            ["난민의 지위에 관한 협약 1", "난민의 지위에 관한 의정서 2", "한미상호방위조약 4"],
        ),
        (
            "ko",
            "갑법",
            "경찰공무원 임용령 제3조, 공무원 여비 규정 제5조, 기상청과 그 소속기관 직제 제6조, "
            "노동조합 및 노동관계조정법 제7조",
            [
                "경찰공무원 임용령 3",
                "공무원 여비 규정 5",
                "기상청과 그 소속기관 직제 6",
                "노동조합 및 노동관계조정법 7",
            ],
        ),
        (
            "ko",
            "갑법",
            "구 상속세 및 증여세법(2010. 1. 1. 개정되기 전의 것) 제4조, 결핵예방법 제5조",
            ["상속세 및 증여세법 4", "결핵예방법 5"],
        ),
        (
            "ko",
            "갑법",
            "이 규칙 제3조, 벌칙 규정 제4조, 명령 제5조, 법 및 규칙 제6조",
            ["갑법 3", "갑법 4", "갑법 5", "갑법 시행규칙 6"],
        ),
        (
            "zh",
            "甲法",
            "根据最高人民法院关于审理行政许可案件若干问题的规定第三条，适用最高人民法院关于适用《民法典》的解释（二）第五条",
            ["最高人民法院关于审理行政许可案件若干问题的规定 3", "最高人民法院关于适用《民法典》的解释（二） 5"],
        ),
        (
            "zh",
            "甲法",
            "违反交通管理规定第三条，根据法官法第四条，违反国有企业监事会暂行条例第五条，依照现役军官法第六条",
            ["交通管理规定 3", "法官法 4", "国有企业监事会暂行条例 5", "现役军官法 6"],
        ),
        ("zh", "甲法", "按照国务院规定第三条，依照法律规定第五条，违反本规定第六条", ["甲法 3", "甲法 5", "甲法 6"]),
        ("sv", "", "RF 2:15 och art. 1 i första tilläggsprotokollet", ["RF 15 (2 kap.)"]),
        (
            "sv",
            "lag om ändring i lagen (1982:80) om hamnar",
            "7 § lagen (1982:80) om hamnar och att det i lagen ska införas en ny paragraf, 7 a §",
            ["lag (1982:80) 7", "lagen (1982:80) om hamnar 7a"],
        ),
        (
            "fr",
            "",
            "CO 55 (employeur) ≠ CO 101 ; cf. aussi CC 333. Le CP 75, CC 2023, la CO 12 %",
            ["CO 55", "CO 101", "CC 333"],
        ),
        (
            "fr",
            "Loi X",
            "L'article 81 de la Loi sur les normes est modifié. La présente loi entre en vigueur, à l'exception "
            "de ses articles 12 et 14.",
            ["Loi sur les normes 81", "Loi X 12", "Loi X 14"],
        ),
        (
            "fr",
            "Loi X",
            "La présente loi applique le Code civil, en particulier ses articles 12 et 14.",
            ["Code civil", "Code civil 12", "Code civil 14"],
        ),
        (
            "es",
            "Ley X",
            "El artículo 5 de la Ley 3/1999 se deroga. Esta ley entrará en vigor, salvo su artículo 12, mañana.",
            ["Ley 3/1999 5", "Ley X 12"],
        ),
        (
            "it",
            "",
            "Le dimissioni (art. 54 T.U. maternità); 782 c.c. + art. 48 l. not.; art. da 394 a 406 del Codice "
            "delle obbligazioni",
            [
                "T.U. maternità 54",
                "c.c. 782",
                "l. not. 48",
                "Codice delle obbligazioni 394",
                "Codice delle obbligazioni 406",
            ],
        ),
        ("pl", "", "w rozumieniu art. 1 ust. 1 w zw. z art. 6 udip", ["udip 1/1", "udip 6"]),
        (
            "es",
            "",
            "el artículo 5 del Código Civil, concordante con los numerales 1984° y 1985° del mismo cuerpo normativo",
            ["Código Civil 5", "Código Civil 1984", "Código Civil 1985"],
        ),
        (
            "de",
            "",
            "Alle §§ ohne Gesetzesangabe sind solche des BGB. Herausgabe gem. § 985 und nach §§ 929 S. 1, 932 I "
            "1. Siehe § 308 I ZPO.",
            ["BGB", "BGB 985", "BGB 929", "BGB 932/1", "ZPO 308/1"],
        ),
        ("de", "HafenG", "Paragraphen ohne Angabe sind solche des BGB. § 5 gilt.", ["BGB", "HafenG 5"]),
        (
            "en",
            "",
            "All section references are to the Companies Act 2006. By s 172 a duty is owed.",
            ["Companies Act 2006", "Companies Act 2006 172"],
        ),
        ("pl", "", "o których mowa w art. 7781, art. 787 oraz art. 789", ["787", "789"]),
        (
            "de",
            "",
            "Wir informieren nach den Artt. 13, 14 und 21 Abs. 4 DSGVO.",
            ["DSGVO 13", "DSGVO 14", "DSGVO 21/4"],
        ),
        (
            "de",
            "",
            "Es gilt § 614 BGB. § 9 Abs. 3 des Liefervertrages sowie dessen Anlage 3 und § 7 der Vereinsstatuten "
            "gelten.",
            ["BGB 614"],
        ),
        ("de", "", "Angewendet: §§ 223 Abs. 1, 52 StGB; 465 Abs. 1 StPO", ["StGB 223/1", "StGB 52", "StPO 465/1"]),
        (
            "de",
            "HafenG",
            "nach dem § 4, dem § 63 und dem § 70 der Kaiverordnung",
            ["Kaiverordnung 4", "Kaiverordnung 63", "Kaiverordnung 70"],
        ),
        (
            "de",
            "HafenG",
            "Für die Aufgaben nach § 4, die § 63 Abs. 1 und § 70 der Kaiverordnung regeln, gilt das.",
            ["HafenG 4", "Kaiverordnung 63/1", "Kaiverordnung 70"],
        ),
        ("en", "", "The claim engages Article 8 ECHR but not Article 3.", ["ECHR 8", "ECHR 3"]),
        ("en", "Pier Act", "Article 8 ECHR but not section 3 applies.", ["ECHR 8", "Pier Act 3"]),
        (
            "en",
            "Pier Act",
            "section 17 of the Fire Act 1990 is amended in accordance with Schedule 4 to this Act",
            ["Fire Act 1990 17", "Pier Act Schedule 4"],
        ),
        (
            "en",
            "",
            "section 304, Part II, of the old Harbour Penal Code; section 7 of the Disclosure Letter; sections 3 "
            "to 5 of the user guide",
            ["Harbour Penal Code 304", "Harbour Penal Code Part II"],
        ),
        ("en", "", "The noise survey (report 7, section 5.3 and table 9) followed BS EN ISO 9612.", []),
        (
            "en",
            "Pier Regulations",
            "a person described in paragraph 34(1)(f) or subsection 36(1) of the Harbour Act",
            ["Harbour Act 34/1/f", "Harbour Act 36/1"],
        ),
        (
            "en",
            "Pier Regulations",
            "described in paragraph (1)(a) or subsection 36(1) of the Harbour Act",
            ["Pier Regulations 1/1/a", "Harbour Act 36/1"],
        ),
        ("en", "Pier By-law", 'the fines in Schedule "B" to this by-law', ['Pier By-law Schedule "B"']),
        (
            "en",
            "",
            "under Article 34 of the Constitution and Art. 6(3) of the Pier Directive (Constitution, art. 40)",
            ["Constitution 34", "Pier Directive 6/3", "Constitution 40"],
        ),
        (
            "en",
            "",
            "I.R.C. § 162(a) allows it, but Treas. Reg. § 1.162-5(b)(3) bars it; look at § 127 of the Code",
            ["I.R.C. 162/a", "Treas. Reg. 1.162-5/b/3", "I.R.C. 127"],
        ),
        (
            "es",
            "Ley X",
            "Se derogan la letra a) del artículo 4, el artículo 63 y el artículo 70 de la Ley 5/1999.",
            ["Ley 5/1999 4//a", "Ley 5/1999 63", "Ley 5/1999 70"],
        ),
        (
            "es",
            "Ley X",
            "Sin perjuicio de lo dispuesto en el artículo 4, el artículo 63 y el artículo 70 de la Ley 5/1999 "
            "son aplicables.",
            ["Ley X 4", "Ley 5/1999 63", "Ley 5/1999 70"],
        ),
        (
            "es",
            "Ley X",
            "Según el artículo 4, los artículos 63 y 64 de la Ley 5/1999 son aplicables.",
            ["Ley X 4", "Ley 5/1999 63", "Ley 5/1999 64"],
        ),
        (
            "es",
            "",
            "por el cauce del 849.1.º LECrim, la jornada del 34.8 del Estatuto de los Trabajadores y del 37.6 ET",
            ["LECrim 849/1", "Estatuto de los Trabajadores 34/8", "ET 37/6"],
        ),
        (
            "es",
            "",
            "Va con el artículo 23 superior; el Decreto 5 de 1991 (Constitución, art. 76, núm. 7).",
            ["Constitución 23", "Decreto 5 de 1991", "Constitución 76//7"],
        ),
        (
            "es",
            "",
            "con apoyo en los numerales 70 y 70-A de la Ley Federal de Puertos; 34 y 171 de la Ley de Amparo; y "
            "38, fracción I, de la Ley de Muelles",
            [
                "Ley Federal de Puertos 70",
                "Ley Federal de Puertos 70-A",
                "Ley de Amparo 34",
                "Ley de Amparo 171",
                "Ley de Muelles 38//1",
            ],
        ),
        (
            "fr",
            "Ordonnance du port",
            "les cas énumérés à l'art. 30, al. 1, let. a à d, LACI, et à l'art. 31, ONU",
            ["LACI 30/1//a", "LACI 30/1//d", "Ordonnance du port 31"],
        ),
        (
            "fr",
            "",
            "Voir CO suisse, art. 23 à 31, et l'article 3 de la loi « littoral ».",
            ["CO 23", "CO 31", "loi « littoral » 3"],
        ),
        (
            "fr",
            "Loi X",
            "Outre l'article 4, les articles 6 et 7 de la loi n° 99-5 et l'article 9 du code civil s'appliquent.",
            ["Loi X 4", "loi n° 99-5 6", "loi n° 99-5 7", "code civil 9"],
        ),
        (
            "fr",
            "Loi X",
            "Sont abrogés l'article 4, l'article 63 et l'article 70 de la loi n° 99-5.",
            ["loi n° 99-5 4", "loi n° 99-5 63", "loi n° 99-5 70"],
        ),
        (
            "it",
            "",
            "Il ricorso (art. 100 cpv. 1 in unione con l'art. 46 cpv. 1 LTF) è ammissibile ai sensi del CO, art. "
            "257d cpv. 2.",
            ["LTF 100/1", "LTF 46/1", "CO 257d/2"],
        ),
        (
            "it",
            "",
            "Ai sensi degli artt. 1341 e 1342 c.c. approva gli artt. 5 (Penali), 8 (Recesso) e 11 (Foro) del "
            "presente contratto.",
            ["c.c. 1341", "c.c. 1342"],
        ),
        (
            "it",
            "Legge X",
            "Nei casi dell'articolo 4, il comma 3 dell'articolo 63 e l'articolo 70 del codice civile non si applicano.",
            ["Legge X 4", "codice civile 63/3", "codice civile 70"],
        ),
        ("it", "", "Il 41-bis dell'ordinamento penitenziario", ["ordinamento penitenziario 41-bis"]),
        (
            "nl",
            "KB",
            "gelet op de codex over het welzijn op het werk, artikel I.4-27",
            ["codex over het welzijn op het werk I.4-27"],
        ),
        (
            "nl",
            "",
            "op grond van artikel 7 van de Vreemdelingenwet; artikel 74/13 telt. Artikel 12 van het arbeidsreglement",
            ["Vreemdelingenwet 7", "Vreemdelingenwet 74/13"],
        ),
        (
            "pl",
            "Ustawa o portach",
            "podmiot z załącznika nr 1 do ustawy, o którym mowa w art. 5",
            ["Ustawa o portach załącznika nr 1", "Ustawa o portach 5"],
        ),
        (
            "pl",
            "",
            "art. 17 ust. 1 ustawy o opłatach w portach zwalnia armatora od opłaty, § 14 Regulaminu sklepu i "
            "załącznik nr 1 do Regulaminu",
            ["ustawa o opłatach w portach 17/1"],
        ),
        (
            "pl",
            "",
            "zgodnie z § 3 i § 4 ust. 2 rozporządzenia Ministra Cyfryzacji z dnia 12 maja 2021 r.",
            [
                "rozporządzenie Ministra Cyfryzacji z dnia 12 maja 2021 r. 3",
                "rozporządzenie Ministra Cyfryzacji z dnia 12 maja 2021 r. 4/2",
            ],
        ),
        (
            "pt",
            "Lei X",
            "O Decreto-Lei n.º 555/99. São revogados a alínea d) do n.º 1 do artigo 4.º, o artigo 63.º e o "
            "artigo 65.º do mesmo decreto-lei.",
            [
                "Decreto-Lei n.º 555/99",
                "Decreto-Lei n.º 555/99 4/1//d",
                "Decreto-Lei n.º 555/99 63",
                "Decreto-Lei n.º 555/99 65",
            ],
        ),
        (
            "pt",
            "Lei X",
            "nos termos do artigo 4.º, do artigo 63.º e do artigo 70.º desta lei",
            ["Lei X 4", "Lei X 63", "Lei X 70"],
        ),
        (
            "pt",
            "",
            "O 391-A da CLT esclarece (CP brasileiro, art. 20); art. 15 do estatuto social; Anexo III do edital.",
            ["CLT 391-A", "CP 20"],
        ),
        (
            "zh",
            "",
            "民法§821（本文）配§767，強制執行法§15，別跟§14混在一起。善意要記 §801 連 §948。",
            ["民法 821", "民法 767", "強制執行法 15", "強制執行法 14", "強制執行法 801", "強制執行法 948"],
        ),
        (
            "zh",
            "",
            "依租賃協議第9條，此約定未逾土地法第99條第1項之限制，除第20條外（見报告附表2）。",
            ["土地法 99/1", "土地法 20"],
        ),
        ("ja", "", "利用規約第7条に違反する投稿。同規約第9条に定める窓口。", []),
        (
            "ko",
            "",
            "항만법 제10조의4 제1항을 든다. 위 제10조의4는 방해를 금지한다.",
            ["항만법 10의4/1", "항만법 10의4"],
        ),
        ("ko", "", "미수는 항만법 §25, 예비는 제28조이다.", ["항만법 25", "항만법 28"]),
    ],
)
def test_a_reference_is_of_the_own_law_only_where_no_other_is_meant(
    lang: str, law: str, text: str, expected: list[str]
) -> None:
    assert targets(text, lang, Place(law, "1")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sections 12 (except subsection (3)) to 15 of the Pier Act", ["named 12", "named 12/3", "named 15"]),
        ("Sections 12 (except section 12A) to 15 of the Pier Act", ["named 12", "named 12A", "named 15"]),
        ("Sections 12 (see section 3) and 15 of the Pier Act", ["named 12", "self 3", "named 15"]),
        ("Sections 12 (but not subsection (3)) and 15 apply", ["self 12", "self 12/3", "self 15"]),
    ],
)
def test_references_in_brackets_inside_a_list(text: str, expected: list[str]) -> None:
    found = read(text, "en", Place("Quay Act", "30"))
    numbers = [f"{one.law_kind} {one.article}/{one.paragraph}".rstrip("/") for one in found]
    assert numbers == expected  # Only those of the kind `self` are looked for in the own law.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第二条、第六条（第二項を除く。）及び第九条の規定 公布の日", [" 2", " 6", " 6/2", " 9"]),
        ("第八条の規定（同条第二項を除く。）は、平成二十年四月一日から施行する。", [" 8", " 8/2"]),
        ("この法律（第二条及び第三条を除く。）は、令和元年五月一日から施行する。", [" 2", " 3"]),
        ("第五条の改正規定及び第六条の規定は、公布の日から", ["灯台法 5", " 6"]),
        ("第五条及び第六条の改正規定は、公布の日から", ["灯台法 5", "灯台法 6"]),
        ("第四条の規定並びに附則第二条の規定 公布の日", [" 4", "灯台法 supp 3 2"]),
        ("改正後の第十条及び第十一条の規定は、平成十年四月一日から", ["灯台法 10", "灯台法 11"]),
        ("新法第十条及び第十一条の規定は、公布の日から", ["新法 10", "新法 11"]),
    ],
)
def test_articles_of_the_act_that_made_a_later_supplement(text: str, expected: list[str]) -> None:
    found = targets(text, "ja", Place("灯台法", "1", supplement="supp 3"))
    assert found == [one.removeprefix(" ") for one in expected]
    first = targets(text, "ja", Place("灯台法", "1", supplement="supp 1"))
    assert all(one.startswith(("灯台法", "新法")) for one in first)


def test_sections_in_an_order_that_brings_an_act_into_force_are_not_its_own() -> None:
    (one,) = read("Section 3 comes into force on 1st May.", "en", Place("Pier Act 2019 (Commencement) Order 2021"))
    assert (one.law, one.state) == ("", "unparsed")


def test_short_names_after_or_in_brackets() -> None:
    text = "“the 1997 Act” means the Pier Act 1997; the Ferry Regulations 2001 (“the Principal Regulations”)"
    names = {"1997 Act": "Pier Act 1997", "Principal Regulations": "Ferry Regulations 2001"}
    assert learn_names(text, "en") == names
    (one,) = read("section 3 of the 1997 Act", "en", Place("L"), names)
    assert (one.law, one.article) == ("Pier Act 1997", "3")


@pytest.mark.parametrize(
    ("lang", "text", "names"),
    [
        ("sv", "lagen (2001:5) om hamnar (nedan kallad hamnlagen)", {"hamnlagen": "lag (2001:5)"}),
        ("fi", "satamalain (9/1990) (jäljempänä satamalaki)", {"satamalaki": "satamalaki (9/1990)"}),
        ("da", "lov nr. 5 af 1. maj 2001 om havne (herefter »loven«)", {"loven": "lov nr. 5 af 1. maj 2001"}),
        ("nb", "lov 1. januar 2001 nr. 1 om havner (heretter “havneloven”)", {"havneloven": "lov/2001-01-01-1"}),
        ("et", "sadamaseadus (edaspidi SadS)", {"SadS": "sadamaseadus"}),
        ("nl", "Wet open havens (hierna: Woh)", {"Woh": "Wet open havens"}),
        ("it", "legge 5 maggio 2001, n. 7 (in prosieguo “Legge”)", {"Legge": "legge 5 maggio 2001, n. 7"}),
        ("pl", "ustawa z dnia 2 maja 1997 r. (dalej: o.l.), ", {"o.l.": "ustawa z dnia 2 maja 1997 r."}),
    ],
)
def test_short_names_that_a_text_gives(lang: str, text: str, names: dict[str, str]) -> None:
    assert learn_names(text, lang) == names


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("ja", "附　則　（令和三年法律第三号）　抄\n第一条　第三条の規定は、公布の日から施行する。", ["L 3"]),
        ("ko", "부칙 <제15호, 2014.1.7.>\n제1조(시행일) 제3조의 날.\n제2조(적용) 전조의 날", ["L 3", "L 부칙 15 1"]),
        ("ko", "제3조(등대) 및 제4조", ["L 3", "L 4"]),
    ],
)
def test_headings_are_no_references(lang: str, text: str, expected: list[str]) -> None:
    assert targets(text, lang, Place("L", "4", "2")) == expected


SENTENCES = (Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines()
"""Language, sentence, and what it cites; some sentences cite nothing. The law of the text is L, its place 4/2."""


@pytest.mark.parametrize("row", SENTENCES)
def test_sentences(row: str) -> None:
    lang, text, expected = row.split("\t")
    assert targets(text, lang, Place("L", "4", "2")) == [one for one in expected.split(" | ") if one]


UNITS = (
    *("제1조", "「", "「가」", "(", '(이하 "', "第一条", "（", "1.", "별표 ", "の二", "法", "§ 1, ", " "),
    *("가목 및 ", "관한 ", "A", "Aa", "0", "X", "가", "อ", "1, ", "Aa ", "1 ve "),
)


@pytest.mark.parametrize("lang", ["en", "ko", "tr"])
def test_time_is_linear_in_the_text(lang: str) -> None:
    """A million characters would take hours if the time were quadratic; 8 000 take well under a second."""
    for unit in UNITS:
        with ends(20):
            read(unit * (8_000 // len(unit)), lang)


@pytest.mark.parametrize(
    ("lang", "text", "own", "articles"),
    [
        ("ja", "本契約第5条に違反し", "港湾労働契約法", []),
        ("ja", "約款第5条", "標準運送約款", ["5"]),
        ("ko", "이 계약 제5조", "부두 임대차계약에 관한 법률", []),
        ("de", "§ 7 der Hausordnung", "Hausordnung der Hafenverwaltung", ["7"]),
        ("de", "§ 7 der Hausordnung", "Hafengesetz", []),
    ],
)
def test_a_document_is_read_where_it_is_the_own_law(lang: str, text: str, own: str, articles: list[str]) -> None:
    assert [one.article for one in read(text, lang, Place(own, "2"))] == articles
