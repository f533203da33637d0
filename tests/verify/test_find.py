"""Citations as people type them, and the provisions that they open: laws of our own, and laws by their short names."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from legalir import Collection
from legalir.datasets import check

KOREAN = [
    ("등대법", "5", "점등"),
    ("등대법", "6", "소등"),
    ("등대법", "7의2", "수당"),
    ("등대법 시행령", "5", "등급"),
    ("부두 구조 및 제방ㆍ경제구조 등의 기준에 관한 규칙", "3", ""),
    ("헌정 기념 부표 관리에 관한 법률", "11", "부표"),
    ("근로기준법", "60", "연차"),
]
GERMAN = [
    ("Bürgerliches Gesetzbuch", "823", "Haftung"),
    ("Bürgerliches Gesetzbuch", "823a", "Kai"),
    ("Hafengesetz", "5", ""),
    ("Obligationenrecht", "41", ""),
]
CHINESE = [
    ("灯塔法", "47", ""),
    ("中华人民共和国刑法", "133.1", ""),
    ("关于灯塔的解释（二）", "3", ""),
    ("关于灯塔的解释", "3", ""),
]
ENGLISH = [
    ("Lamp Rules (LMP)", "6.2.1", ""),
    ("Lamp Rules (LMP)", "6.2.1.Note", ""),
    ("Human Rights Act 1998", "7", ""),
    ("Title 42 Health and Welfare", "1983", ""),
    ("Regulation (EU) 2016/679 (General Data Protection Regulation)", "6", ""),
]


def collection(
    path: Path, lang: str, rows: list[tuple[str, str, str]], aliases: str = "", **about: object
) -> Collection:
    path.mkdir()
    records = []
    for law, number, heading in rows:
        docno, title = f"L{law}-{number}".replace(" ", ""), f"{law} {number}{f' ({heading})' if heading else ''}"
        records.append({"docno": docno, "law": law, "law_id": f"id{law}", "article": number, "heading": heading})
        records[-1] |= {"title": title, "text": heading or "text"}
    (path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    (path / "dataset.yaml").write_text(json.dumps({"lang": lang, **about}), encoding="utf-8")
    if aliases:
        (path / "aliases.tsv").write_text(aliases, encoding="utf-8")
    return Collection(path)


@pytest.fixture(scope="module")
def laws(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    root = tmp_path_factory.mktemp("laws")
    return {
        "ko": collection(root / "ko", "ko", KOREAN, "빛법\t등대법\n빛령\tid등대법 시행령\n빛령\t없는 법\n"),
        "de": collection(root / "de", "de", GERMAN),
        "zh": collection(root / "zh", "zh", CHINESE),
        "en": collection(root / "en", "en", ENGLISH, complete=True),
    }


TYPED = {
    ("ko", "L등대법-5"): (
        *("등대법 제5조", "등대법 5조", "등대법5조", "등대법 5", "등대법 §5", "「등대법」 제 5 조", "『등대법』5조"),
        *(
            "등대법 제５조",
            "등대법 제오조",
            "등대법 第五條",
            "등대법의 5조",
            "제5조 등대법",
            "[등대법 제5조]",
            "빛법 5조",
        ),
        *("등대법 5조 1항", "등대법 제5조(점등)", "등대법 5 (점등)", "등대법 5조?", "L등대법-5"),
        unicodedata.normalize("NFD", "등대법 5조"),
    ),
    ("ko", "L등대법-7의2"): (
        *(
            "등대법 제7조의2",
            "등대법 7조의2",
            "등대법 7의2",
            "등대법 7-2",
            "등대법 제7조의 2",
            "등대법 7조의2 ①",
            "등대법7조의2 1항",
            "등대법 7조의2제1항",
        ),
    ),
    ("ko", "L등대법시행령-5"): ("등대법 시행령 5조", "등대법시행령5", "빛령 5조"),
    ("ko", "L근로기준법-60"): ("근기법 60", "근로기준법 육십조"),
    ("ko", "L부두구조및제방ㆍ경제구조등의기준에관한규칙-3"): ("부두 구조 및 제방·경제구조 등의 기준에 관한 규칙 3조",),
    ("de", "LBürgerlichesGesetzbuch-823"): (
        *("§ 823 BGB", "§823 BGB", "BGB 823", "bgb § 823", "823 BGB", "BGB823", "BGB, § 823", "§ 823 I BGB"),
        *("§ 823 Abs. 1 S. 1 BGB", "§ 823 I 1 BGB", "Paragraph 823 des Bürgerlichen Gesetzbuchs"),
    ),
    ("de", "LBürgerlichesGesetzbuch-823a"): ("§ 823a BGB", "BGB 823a"),
    ("zh", "L灯塔法-47"): (
        *("灯塔法47条", "《灯塔法》第四十七条", "灯塔法的第47条", "第47条 灯塔法", "灯塔法第47条第一款"),
        "中华人民共和国灯塔法第47条",
    ),
    ("zh", "L中华人民共和国刑法-133.1"): ("刑法133条之一",),
    ("zh", "L关于灯塔的解释（二）-3"): ("关于灯塔的解释（二）第3条",),
    ("zh", "L关于灯塔的解释-3"): ("关于灯塔的解释第3条",),
    ("en", "LLampRules(LMP)-6.2.1"): ("LMP 6.2.1", "Rule 6.2.1 LMP", "rule 6.2.1 of the Lamp Rules"),
    ("en", "LLampRules(LMP)-6.2.1.Note"): ("lmp 6.2.1.note",),
    ("en", "LTitle42HealthandWelfare-1983"): ("42 U.S.C. § 1983", "42 USC 1983", "Title 42 Health and Welfare, § 1983"),
    ("en", "LRegulation(EU)2016/679(GeneralDataProtectionRegulation)-6"): (
        *("Art 6 GDPR", "gdpr 6", "Article 6 of Regulation (EU) 2016/679", "Art. 6 General Data Protection Regulation"),
    ),
    ("de", "LObligationenrecht-41"): ("Art. 41 OR", "OR 41", "Art. 41 des Obligationenrechts"),
    ("en", "LHumanRightsAct1998-7"): (
        *("s 7 HRA", "HRA 7", "HRA 1998 s.7", "Human Rights Act 1998, section 7", "art 7 hra"),
    ),
}


@pytest.mark.parametrize(("lang", "docno", "words"), [(*key, one) for key, words in TYPED.items() for one in words])
def test_every_spelling_opens_the_provision(laws: dict[str, Collection], lang: str, docno: str, words: str) -> None:
    found = laws[lang].find(words)
    assert found is not None
    assert (found.state, found.shows) == ("right", docno), found
    assert laws[lang].search(words, "lookup", k=1)["docno"].tolist() in (
        [docno],
        [] if "(" in words or "L" in words[0] else [docno],
    )


@pytest.mark.parametrize(
    ("lang", "words", "state", "nearest"),
    [
        ("ko", "등대법 99조", "no such provision", ["L등대법-7의2"]),
        ("ko", "5조", "could not check", []),
        ("ko", "헌법 제11조", "outside this collection", []),
        ("ko", "형법 5조", "outside this collection", []),
        ("ko", "등대볍 5조", "name unclear", ["L등대법-5"]),
        ("ko", "등대법 제5조(소등)", "title differs", ["L등대법-6"]),
        ("zh", "关于灯塔的解释（五）第3条", "name unclear", None),
        ("en", "s 7 PACE", "no such law", []),
        ("de", "StGB 5", "outside this collection", []),
    ],
)
def test_what_cannot_be_opened_is_said(
    laws: dict[str, Collection], lang: str, words: str, state: str, nearest: list[str] | None
) -> None:
    found = laws[lang].find(words)
    assert found is not None
    assert found.state == state
    assert state == "title differs" or not found.shows
    assert nearest is None or list(found.nearest) == nearest


def test_the_article_of_the_nearest_law_is_offered_also_where_it_is_not_in_force() -> None:
    found = Collection("legalir/firecode-dated").find("밀집영업장 화재안전 특별볍 21조")
    assert found is not None
    assert [key.partition("@")[0] for key in found.nearest] == ["FC04-21"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("ko", "등대법 5조의 등급은 누가 정하나"),
        ("ko", "등대 5기의 수당"),
        ("ko", "등대법"),
        ("ko", "등대법 5조와 6조"),
        *(
            ("ko", f"등대법 {words}")
            for words in ("제5조, 제6조", "제5조 및 제6조", "제5조ㆍ제6조", "제5조; 근로기준법 제60조")
        ),
        ("ko", "제5조, 등대법 제6조"),
        *(("de", words) for words in ("Hafengesetz § 5, § 6", "§ 4 und § 5 Hafengesetz", "§ 4–5 Hafengesetz")),
        ("zh", "灯塔法第47条、第48条"),
        ("en", "HRA s 7, s 8"),
        ("ko", "등대법 5조 3항 수당"),
        ("ko", "5"),
        ("de", "CO2"),
        ("de", "Kai 5 Haftung"),
        ("en", "Human Rights Act 1998"),
        ("en", "what does section 7 say"),
        ("en", "10 lamps"),
        ("en", ""),
    ],
)
def test_other_words_are_no_citation_alone(laws: dict[str, Collection], lang: str, words: str) -> None:
    assert laws[lang].find(words) is None


def test_a_version_by_its_docno_and_what_is_repealed() -> None:
    dated = Collection("legalir/firecode-dated")
    found = dated.find("FC04-21")
    assert found is not None
    assert (found.state, found.shows) == ("repealed", "FC04-21@2021-01-01")
    assert (one := dated.find("fc04-21@2021-01-01")) is not None
    assert one.shows == "FC04-21@2021-01-01"
    assert (earlier := dated.find("FC04-21", as_of="2022-01-01")) is not None
    assert earlier.state == "right"


def test_faulty_aliases_are_reported(laws: dict[str, Collection], tmp_path: Path) -> None:
    assert dict(check(laws["ko"].id).fault_counts) == {"dangling alias": 1}
    two = collection(
        tmp_path / "two", "ko", KOREAN, "빛법\t등대법\n빛법\t근로기준법\n등대법\t근로기준법\n빛\t등대법\n빛법 등대법\n"
    )
    assert dict(check(two.id).fault_counts) == {"ambiguous alias": 2, "alias": 1, "fields": 1}
    (tmp_path / "two" / "aliases.tsv").write_text("빛법\t등대법\n빛법\t근로기준법\n", encoding="utf-8")
    found = Collection(two.id).find("빛법 5조")
    assert (found and found.state) == "name unclear", "both laws are meant, not the last one"


def test_names_that_texts_define(tmp_path: Path) -> None:
    path = tmp_path / "defined"
    path.mkdir()
    texts = [
        ("부표의 설치 및 관리에 관한 법률", "1", "목적"),
        ("등대법", "2", "「부표의 설치 및 관리에 관한 법률」(이하 “부표관리법”이라 한다) 제1조에 따른다."),
        (
            "등대법",
            "3",
            "「등대법」(이하 “기본규칙”이라 한다)과 「부표의 설치 및 관리에 관한 법률」(이하 “법”이라 한다)",
        ),
    ]
    rows = [{"docno": f"d{n}", "law": law, "article": n, "text": text} for law, n, text in texts]
    (path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    defined = Collection(path)
    assert (found := defined.find("부표관리법 1조")) is not None
    assert found.shows == "d1"
    assert (rule := defined.find("기본규칙 3조")) is not None
    assert rule.state == "outside this collection"


def test_two_names_in_brackets_and_a_law_by_its_day(tmp_path: Path) -> None:
    kais = ("Gesetz über Kais (Kaigesetz – KaiG)", "6", "Schlepper")
    german = collection(tmp_path / "de", "de", [kais, ("Deichgesetz (Deichgesetz, DeiG)", "2", "")])
    for words in ("KaiG § 6", "§ 6 Kaigesetz", "Kaigesetz 6", "§ 6 KaiG"):
        found = german.find(words)
        assert found is not None and (found.state, found.law) == ("right", kais[0]), words
    assert german.find("Was sagt KaiG § 6?") is None  # A question, not a law that the collection lacks.
    assert [one.state for one in german.verify("Nach § 6 KaiG und § 6 Kaigesetz gilt das.").citations] == ["right"] * 2

    law = "Loi du 8 avril 2016 relative aux quais"
    french = collection(tmp_path / "fr", "fr", [(law, "2", ""), ("Loi du 9 avril 2016 relative aux digues", "2", "")])
    for words in ("art. 2 loi du 8 avril 2016", "article 2 de la loi du 8 avril 2016"):
        found = french.find(words)  # There may be several laws of one day.
        assert found is not None and found.state == "name unclear" and law in found.reason, words
    numbered = collection(tmp_path / "no", "fr", [("Loi n° 2012-10 du 1er mars 2012 relative aux étangs", "1", "")])
    for words in ("article 1er loi n° 2012-10", "art. 1er de la loi n° 2012-10", "art. 1 loi n° 2012-10"):
        found = numbered.find(words)
        assert found is not None and found.state == "right", words
    (one,) = french.verify("Voir l'article 2 de la loi du 8 avril 2016.").citations
    assert (one.state, one.nearest) == ("name unclear", (law,))
