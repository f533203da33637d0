"""What an import doubts, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_source import Small

from legalir.datasets import load
from legalir.statutes.doubts import Doubt, Doubts, doubts_of, examples
from legalir.statutes.writing import write_collection

ENGLISH = "Boats are moored at the quay, and the keeper counts them in the morning."


def doubts(
    *rows: tuple[str, str], languages: tuple[str, ...] = (), kinds: str = "", repealed: str = "", **fields: str
) -> list[Doubt]:
    """Return the doubts about a law with these articles: number and text."""
    looked = Doubts()
    for number, text in rows:
        looked.add({"docno": f"law-{number}", "article": number, "law": "Law", "law_id": "law", "text": text, **fields})
        if kinds:
            looked.trace({"docno": f"law-{number}", "kind": kinds, "repealed": number == repealed, "file": "a/law.xml"})
    return looked.found(languages)


def articles(*numbers: object, text: str = ENGLISH) -> list[tuple[str, str]]:
    return [(str(number), text) for number in numbers]


@pytest.mark.parametrize(
    ("kind", "docno", "found"),
    [
        ("most of the text", "law-2", doubts(*articles(1, 3), ("2", "Long. " * 600))),
        ("jump", "law-218", doubts(*articles(1, 2, 218))),
        ("jump", "law-32", doubts(*articles(32, 33))),
        ("fall", "law-3", doubts(*articles(1, 2, 9, 3, 10), path="Part 1")),
        ("missing numbers", "law-1", doubts(*articles(1, 4, 8))),
        ("second units", "law-4~2", doubts(*articles(4, "4~2", "4~3", 5))),
        ("repealed", "law-2", doubts(*articles(1), ("2", "2 § on kumottu L:lla 9.11.2018/873."), kinds="article")),
        ("repealed", "law-2", doubts(*articles(1), ("2", "Hatályát vesztette / zrušeno"), kinds="article")),
        ("empty", "law-1", doubts(*articles(1, 2, text=""), *articles(3), kinds="article", heading="Berths")),
        ("empty", "law-1", doubts(("1", "1"), *articles(2), kinds="article")),
        ("language", "law-1", doubts(*articles(1, 2), languages=("de",))),
        ("language", "", doubts(("1", "A kikötő egy hely."), languages=("hu",))),
        ("language", "", doubts(*articles(1), languages=("xx",))),
        ("no references", "law-1", doubts(*articles(*range(1, 40)))),
        ("markup", "law-1", doubts(("1", "**Quays** are wet."))),
        ("markup", "law-1", doubts(("1", "http://data.law/1Quays are wet."))),
        ("markup", "law-1", doubts(("1", "340CO0000000010"))),
        ("encoding", "law-1", doubts(("1", "Ustawa okreÅ\x9bla porty."))),
        ("dates", "law-1", doubts(*articles(1), effective_from="0001-01-01")),
        ("articles in text", "law-1", doubts(("1", "Boats.\nArt. 2\nQuays.\nArt. 3\nEnd."), *articles(4))),
        ("articles in text", "law-2", doubts(*articles(1), ("2", "港は場所である。\n第三条 岸は石である。"))),
        (
            "articles in text",
            "law-1",
            doubts(("1", "Os portos são livres.\nArtigo 2.º\nOs cais são de pedra."), *articles(3)),
        ),
        ("articles in text", "law-1", doubts(("1", "Порт свободен.\nСтатья 2. Причалы"), *articles(3))),
        ("articles in text", "law-1", doubts(("1", "Cảng là nơi tàu đậu.\nĐiều 2. Bến"), *articles(3))),
        ("parts in text", "law-1", doubts(("1", "Boats.\nCHAPTER II QUAYS"), *articles(2))),
        (
            "annexes in text",
            "law-2",
            doubts(*articles(1), ("2", "港は場所である。\n別表第一（第二条関係）\n大 | 百円")),
        ),
        ("heading in text", "law-1", doubts(*articles(1, 2, text=f"Scope of the act\n{ENGLISH}"))),
        ("name", "a", doubts()),
    ],
)
def test_what_is_strange(kind: str, docno: str, found: list[Doubt]) -> None:
    if kind == "name":  # The name of the law is the name of its file.
        looked = Doubts()
        looked.add({"docno": "a", "text": ENGLISH, "law": "law", "law_id": "x"})
        looked.trace({"docno": "a", "kind": "article", "file": "a/law.xml"})
        found = looked.found()
    assert (kind, docno) in [(each.kind, each.docno) for each in found], found
    assert all(each.sentence.endswith(".") and each.cure.endswith((".", ")")) for each in found)


@pytest.mark.parametrize(
    "found",
    [
        doubts(*articles(1, 2, 3, "3a", "3bis", 5, 6), languages=("en",)),
        doubts(*articles(101, 102, 201, 202)),  # the first figure is the part
        doubts(*articles(1, 2), ("3", ""), *articles(60), kinds="article", repealed="3"),  # 3 to 59 are repealed
        doubts(("1", ""), *articles(2, 3, 4, 5, 6, 7), kinds="article", heading="Berths"),
        doubts(*articles(1, 2), ("3", f"“Article 4\n{ENGLISH}\nArticle 5\n{ENGLISH}” is added.")),  # quoted
        doubts(*articles(1), ("2", "Article 1 is about boats.\nArticle 3 is about quays."), *articles(3)),
        doubts(*articles(1), ("2", "The Harbour Tolls Act of 1890, with its schedules, is repealed."), kinds="article"),
        doubts(*articles(1), effective_to="9999-12-31"),
        doubts(("1", "x < y && a > b * 2 ** 3 R&D"), *articles(2)),
        doubts(("1", "ÅÄÖ är bokstäver, Ã också."), *articles(2)),
    ],
)
def test_what_is_not(found: list[Doubt]) -> None:
    assert found == []


def law_of_lines(lines: str) -> list[str]:
    """Return what a text is taken for that is no law: its name, its preamble, and what its articles say."""
    name, preamble, *texts = lines.split(" | ")
    looked = Doubts()
    for number, text in [("preamble", preamble), *enumerate(texts, 1)]:
        words = text.replace(" / ", "\n")
        looked.add({"docno": f"a-{number}", "article": str(number), "law": name, "law_id": "a", "text": words})
    return [each.sentence for each in looked.found() if each.kind == "no law"]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("judgment", "Landgericht Au | Im Namen des Volkes / Urteil / In dem Rechtsstreit | Der Kahn sank."),
        ("judgment", "Lee v Pier Ltd | Case No: 7 / IN THE HIGH COURT / ANN LEE Claimant / JUDGMENT | A boat sank."),
        (
            "judgment",
            "COUR DE CASSATION | Pourvoi n° 7 / ARRÊT | La barque coula. | Elle rejette le pourvoi",
        ),
        ("judgment", "大阪地方裁判所 | 判決 / 原告 山田 / 被告 川田 / 主文 | 請求を棄却する。"),
        ("judgment", "서울중앙지방법원 | 판 결 / 원 고  이선장 / 주 문 | 청구를 기각한다."),
        ("contract", "Bootsmietvertrag zwischen | Frau Au – nachfolgend „Vermieterin“ – | Sie vermietet den Kahn."),
        ("contract", "BOAT LEASE | made between Ann Lee (the “Lessor”) and Bob Ray | The Lessor lets the boat."),
        ("contract", "CONTRAT DE LOCATION | Mme Lee, ci-après dénommée « le Loueur » | La barque est louée."),
        ("contract", "船舶賃貸借契約書 | 山田（以下「甲」という。）と川田は契約する。 | 甲は船を貸す。"),
        ("contract", "선박임대차계약서 | 이선장(이하 “갑”이라 한다) | 갑은 배를 빌려준다."),
    ],
)
def test_a_text_that_is_no_law(kind: str, lines: str) -> None:
    assert law_of_lines(lines) == [f"{lines.split(' | ')[0]} looks like a {kind}, not like a law."]


@pytest.mark.parametrize(
    "lines",
    [
        "Gesetz über den Mietvertrag | vom 3. Mai | Der Vermieter, nachfolgend „Vermieter“, vermietet. | Mietvertrag",
        "Courts Act 2003 | JUDGMENT / IN THE HIGH COURT | A judgment is signed. | The plaintiff and the defendant",
        "AGREEMENT | between the Government of Utopia (the “Lessor”) and the Republic of Au | The harbour is let.",
        "Staatsvertrag | zwischen Au und Ufer, nachfolgend „Länder“, über den Hafen | Sie betreiben ihn.",
        "民事訴訟規則 | 第一章 | 原告及び被告の手続を定める。 | 判決書には、主文を記載する。",
        "Port rules | In the High Court / The following rules are made: | A claim is heard. | JUDGMENT",
        "계약서 | 계약의 원칙 | 계약은 서면으로 한다. | 갑과 을은 계약을 지킨다.",
    ],
)
def test_a_law_about_contracts_or_judgments(lines: str) -> None:
    assert law_of_lines(lines) == []


def test_a_decision_that_is_imported_as_one() -> None:
    looked = Doubts()
    looked.add({"docno": "a", "text": "판 결\n원 고  이선장\n주 문", "law": "2020가단7", "level": "judgment"})
    assert [each.kind for each in looked.found()] == []


def test_versions_that_became_laws() -> None:
    looked = Doubts()
    for day in ("20230101", "20240101"):
        looked.add({"docno": f"cc-{day}-1", "text": ENGLISH, "law": "Hafengesetz", "law_id": f"cc-{day}"})
    (doubt,) = looked.found()
    assert (doubt.kind, doubt.docno) == ("one name, several laws", "cc-20230101-1")


def test_a_country_without_a_table() -> None:
    looked = Doubts()
    looked.add({"docno": "a-1", "text": ENGLISH})
    assert [each.kind for each in looked.found(countries=["de", "xx"])] == ["country"]


def test_an_import_and_a_folder_have_the_same_doubts(tmp_path: Path) -> None:
    rows = [{"docno": f"a-{number}", "article": str(number), "text": ENGLISH} for number in (1, 2, 218)]
    report = write_collection(Small(rows, []), tmp_path / "a", about={"lang": "en"})
    assert [each.kind for each in report.doubts] == ["jump"]
    assert doubts_of(load(tmp_path / "a")) == report.doubts
    assert report.to_dict()["doubts"] == [report.doubts[0]._asdict()]
    assert str(report.doubts[0]).startswith("a-218: ")


def test_few_examples_of_many() -> None:
    many = [Doubt("jump", f"a-{number}", "It jumps.", "Look.") for number in range(5)]
    assert examples([*many, Doubt("fall", "b", "It falls.", "Look.")], 2) == [
        *("a-0: It jumps. Look.", "a-1: It jumps. Look.", "b: It falls. Look."),
        "3 more doubts: 3 of jump.",
    ]
