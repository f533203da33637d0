"""Provisions that a question names by number."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusals import refused

from legalir.collection.collection import Collection
from legalir.errors import ArtifactError, ComponentError
from legalir.explanation import explain
from legalir.references.lookup import Lookup, NumberTable, lookup

DOCUMENTS = [
    {"docno": "lamp-1", "law": "등대법", "article": "1"},
    {"docno": "lamp-12", "law": "등대법", "article": "12"},
    {"docno": "lamp-12.2", "law": "등대법", "article": "12.2"},
    {"docno": "lampd-12", "law": "등대법 시행령"},
    {"docno": "ferry-12", "law": "Ferry Rules (FRY)", "article": "12"},
    {"docno": "ferry-12A", "law": "Ferry Rules (FRY)", "article": "12A"},
    {"docno": "ferry-3.1.(1)", "law": "Ferry Rules (FRY)", "article": "3.1.(1)"},
    {"docno": "ferry-3.1.(2).(a)", "law": "Ferry Rules (FRY)", "article": "3.1.(2).(a)"},
    {"docno": "ferry-3.1.(2).Guidance", "law": "Ferry Rules (FRY)", "article": "3.1.(2).Guidance"},
    {"docno": "raft-50", "law": "ประมวลแพ พ.ศ. 2543", "article": "50"},
    {"docno": "raft-50_4", "law": "ประมวลแพ พ.ศ. 2543", "article": "50/4"},
    {"docno": "raft-65ตรี", "law": "ประมวลแพ พ.ศ. 2543", "article": "65 ตรี"},
    {"docno": "tower-120", "law": "灯塔法", "article": "120"},
    {"docno": "tower-120.1", "law": "灯塔法", "article": "120.1"},
    {"docno": "code-L1", "law": "Code des phares", "article": "L. 121-3"},
    {"docno": "note", "law": "등대법"},
    {"docno": "annex-1", "article": "별표"},
]


@pytest.fixture(name="table", scope="module")
def built_table(tmp_path_factory: pytest.TempPathFactory) -> NumberTable:
    return NumberTable(tmp_path_factory.mktemp("numbers") / "numbers").index(iter(DOCUMENTS), corpus="c0ffee")


def ask(table: NumberTable, query: str, **parameters: Any) -> dict[str, float]:
    out = Lookup(table, **parameters)(pd.DataFrame({"qid": ["1"], "query": [query]}))
    assert out["rank"].tolist() == list(range(len(out)))
    return dict(zip(out["docno"], out["score"], strict=True))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("등대법 제12조제3항은?", {"lamp-12": 1}),
        ("등대법 제１２조의2", {"lamp-12.2": 1}),
        ("등대법 시행령 제12조", {"lampd-12": 1}),
        ("등대법 제99조", {}),
        ("낚시법 제12조", {}),
        ("Does Rule 12A of the Ferry Rules say so?", {"ferry-12A": 1}),
        ("FRY Rules 12 and 12A", {"ferry-12": 1, "ferry-12A": 1}),
        # A word that no article has: 12 bis is not 12.
        ("article 12 bis of the Ferry Rules", {}),
        # With all parts, else with fewer, else what stands below.
        ("Ferry Rules, Rule 3.1(1)", {"ferry-3.1.(1)": 1}),
        ("Ferry Rules, Rule 3.1(1)(d)", {"ferry-3.1.(1)": 1}),
        ("Ferry Rules, Rule 12(1)", {"ferry-12": 1}),
        ("Ferry Rules, Rule 3.1(2)", {"ferry-3.1.(2).(a)": 1}),
        ("Ferry Rules, Rule 3.1", {"ferry-3.1.(1)": 0.5, "ferry-3.1.(2).(a)": 0.5}),
        # 50(4) is a part of 50; 50/4 is another article.
        ("มาตรา 50 (4) แห่งประมวลแพ", {"raft-50": 1}),
        ("มาตรา ๕๐/๔ แห่งประมวลแพ", {"raft-50_4": 1}),
        ("มาตรา 65 ตรี (19) แห่งประมวลแพ", {"raft-65ตรี": 1}),
        ("《灯塔法》第一百二十条第二款、第120条之一", {"tower-120": 1, "tower-120.1": 1}),
        ("l'article L. 121-3 du Code des phares", {"code-L1": 1}),
        ("What does Article 12 say?", {}),
        ("Is the fee 12 or 50 in 2020?", {}),
        ("별표", {}),
        ("", {}),
    ],
)
def test_named_provisions(table: NumberTable, query: str, expected: Mapping[str, float]) -> None:
    assert ask(table, query) == pytest.approx(expected)


def test_a_number_of_more_than_most_provisions_is_left_out(table: NumberTable) -> None:
    third = pytest.approx(1 / 3)
    three = {"ferry-12": third, "lamp-12": third, "lampd-12": third}
    assert ask(table, "제12조는?", most=3, without_law=True) == three
    assert ask(table, "제12조는?", most=2, without_law=True) == {}
    assert ask(table, "낚시법 제12조는?", without_law=True) == {}
    assert ask(table, "Rule 3.1 of the Ferry Rules", most=1) == {}
    # A provision that is named twice keeps its better score.
    assert ask(table, "제12조인가, 등대법 시행령 제12조인가?", without_law=True) == {"lampd-12": 1}
    assert ask(table, "Rule 3.1 or 3.1(1) of the Ferry Rules, and Rule 3.1(1)") == {
        "ferry-3.1.(1)": 1,
        "ferry-3.1.(2).(a)": 0.5,
    }


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("§ 2 BGB", {"a-2": 1.0}),
        ("§ 2 des Mietvertrags", {"a-2": 1.0}),
        ("§ 2 StGB", {}),
        ("art. 2 c.p.", {}),
        ("art. 2 D.Lgs. 165/2001", {}),
    ],
)
def test_a_short_name_of_another_law_is_not_the_one_law(
    tmp_path: Path, question: str, expected: dict[str, float]
) -> None:
    rows = [{"docno": f"a-{number}", "law": "Bürgerliches Gesetzbuch"} for number in (1, 2)]
    assert ask(NumberTable(tmp_path / "numbers").index(rows), question) == expected


@pytest.mark.parametrize(("laws", "one_law"), [(["뗏목법"] * 2, True), (["", ""], True), (["가법", "나법"], False)])
def test_a_collection_of_one_law_needs_no_name(tmp_path: Path, laws: list[str], one_law: bool) -> None:
    rows = [{"docno": f"a-{number}", "law": law, "article": str(number)} for number, law in enumerate(laws, start=1)]
    table = NumberTable(tmp_path / "numbers").index(rows)
    for question in ("Pasal 2 dan apa artinya?", "이 법 제2조"):
        assert ask(table, question) == ({"a-2": 1.0} if one_law else {})


@pytest.mark.parametrize(
    ("law", "own", "other"),
    [
        ("뗏목법", "뗏목법 제7조", "다른법 제7조"),
        ("소방시설 설치 및 관리에 관한 법률", "소방법 제7조", "민법 제7조"),
        ("Ferry Code", "Article 7 of the Ferry Code", "Article 7 of GDPR"),
        ("Ferry Safety Act 1974", "section 7 FSA", "section 7 of the Companies Act 2006"),
        ("Ferry Rules", "rule 7 of these Rules", "Under the Ferry Rules, see Article 7 GDPR"),
        ("Bürgerliches Gesetzbuch", "§ 7 II BGB", "§ 7 Abs. 1 Satz 2 StGB"),
        ("Bürgerliches Gesetzbuch", "§ 7 des BGB", "Artikel 7 der Datenschutz-Grundverordnung"),
        ("Kündigungsschutzgesetz", "§ 7 des Kündigungsschutzgesetzes", "§ 7 ZPO"),
        ("Code du travail", "article 7 du code", "article 7 du code civil"),
        ("Codice penale", "art. 7 c.p.", "articolo 7 del codice civile"),
        ("契約法", "契約法第7条", "民法第7条"),
    ],
)
def test_a_question_may_name_another_law_than_the_only_one(tmp_path: Path, law: str, own: str, other: str) -> None:
    table = NumberTable(tmp_path / "numbers").index([{"docno": "a-7", "law": law, "article": "7"}])
    assert (ask(table, own), ask(table, other)) == ({"a-7": 1.0}, {})


def test_a_law_that_is_not_there_is_not_the_law_that_was_named_before(tmp_path: Path) -> None:
    rows = [{"docno": f"{law[0]}-7", "law": law, "article": "7"} for law in ("Ferry Rules", "Lamp Rules")]
    table = NumberTable(tmp_path / "numbers").index(rows)
    assert ask(table, "Under the Ferry Rules, what is Article 7?") == {"F-7": 1.0}
    assert ask(table, "Under the Ferry Rules, what is Article 7 GDPR?", without_law=True) == {}


@pytest.mark.parametrize(
    ("article", "question"),
    [
        ("第171条の2", "第171条の2とは"),
        ("第百七十一条の二", "第171条の2第1項とは"),
        ("제12조의2(정의)", "제12조의2는?"),
        ("Art. 240", "cosa dice l'articolo 240?"),
        ("68-bis", "art. 68-bis"),
        ("Art. 68 bis", "articolo 68-bis, comma 2"),
        ("Section 12 - Fees", "What is section 12?"),
        ("Section 12(3)", "section 12(3)"),
        ("มาตรา 65 ทวิ", "มาตรา 65 ทวิ คืออะไร"),
        ("Điều 12", "Điều 12 quy định gì?"),
        ("Pasal 1365", "Pasal 1365 mengatur apa?"),
        ("Pasal 12 ayat (2)", "Pasal 12"),
        ("§ 4 a", "Was sagt § 4a?"),
        ("4 a §", "§ 4a"),
        ("Artículo 1º", "¿qué dice el artículo 1?"),
        ("Article 1er", "l'article 1er"),
        ("Article L. 121-3", "article L121-3"),
        ("第一百二十条之一", "第120条之一"),
        ("第 15-1 條", "第15-1條"),
        ("第3条第2項", "第3条"),
    ],
)
def test_a_field_may_keep_the_words_of_its_number(tmp_path: Path, article: str, question: str) -> None:
    other = [{"docno": f"a-{number}", "law": "A", "article": str(number)} for number in (1000, 1001)]
    for rows in ([], other):
        table = NumberTable(tmp_path / f"{len(rows)}").index([{"docno": "it", "law": "A", "article": article}, *rows])
        assert ask(table, question) == {"it": 1.0}


def test_numbers_of_other_units_are_not_numbers_of_articles(tmp_path: Path) -> None:
    units = [
        "제3조",
        "제4조",
        "부칙 제3조",
        "별표 3",
        "Schedule 3",
        "附則第三条",
        "Anlage 3",
        "Chapter 3",
        "3 kap. 5 §",
    ]
    rows = [{"docno": f"a{place}", "law": "A", "article": article} for place, article in enumerate(units)]
    table = NumberTable(tmp_path / "numbers").index(rows)
    for question in ("제3조", "section 3", "第三条", "§ 3"):
        assert ask(table, question) == {"a0": 1.0}


def of_laws(*laws: str, restart: bool = False, **fields: str) -> list[dict[str, str]]:
    """Return 40 rows a law; a field may have the places {n}, the number of the row, and {next}."""
    every = [
        (law, 1 + number + (0 if restart else 40 * place)) for place, law in enumerate(laws) for number in range(40)
    ]
    return [
        {"docno": f"x{place}", "law": law} | {name: form.format(n=n, next=n // 3 + 41) for name, form in fields.items()}
        for place, (law, n) in enumerate(every)
    ]


@pytest.mark.parametrize(
    ("rows", "serial"),
    [
        (of_laws("", docno="EU-{n:03}"), True),
        (of_laws("", docno="chunk-{n}"), True),
        (of_laws("Ferry Code", docno="chunk-{n:04}"), True),
        (of_laws("Ferry Code", "Lamp Code", article="{n}"), True),
        (of_laws("Ferry Code", "Lamp Code", docno="c-{n}"), True),
        (of_laws("Ferry Code", article="{n}", title="Ferry Code, Article {next}"), True),
        (of_laws("Ferry Code", article="{n}", text="Article {next} A ferry crosses."), True),
        (of_laws("뗏목법", docno="뗏목-{n}", title="제{next}조(목적)"), True),
        (of_laws("筏法", article="{n}", text="第{next}条 筏とは"), True),
        (of_laws("Fährgesetz", article="{n:03}", text="und so weiter"), True),
        (of_laws("Ferry Code", article="{n}"), False),
        (of_laws("Ferry Code", docno="code-{n}"), False),
        (of_laws("", article="{n}"), False),
        (of_laws("", docno="KUH-{n}", title="KUHPerdata Pasal {n}"), False),
        (of_laws("", docno="PL-{n:04}", text="Art. {n}. Kto przewozi"), False),
        (of_laws("Ferry Code", article="{n}", title="Amendment of section {next}"), False),
        (of_laws("Ferry Code", "Lamp Code", article="{n}", restart=True), False),
        (of_laws("Ferry Code", "Lamp Code", article="{n}", title="Article {n}"), False),
        (of_laws("뗏목법", article="{n}", text="제{next}조에 따라 뗏목을"), False),
    ],
)
def test_serial_numbers_are_not_articles(tmp_path: Path, rows: list[dict[str, str]], serial: bool) -> None:
    table = NumberTable(tmp_path / "numbers").index(rows)
    assert (table.manifest.facts["articles"] == 0) is serial
    assert bool(ask(table, f"Article 7 of the {rows[0]['law']}", without_law=True)) is not serial


def test_the_day_of_a_version_is_not_its_number(tmp_path: Path) -> None:
    rows = [{"docno": f"act-{n}@2024-05-07", "law": "A", "effective_from": "2024-05-07"} for n in (3, 4)]
    assert ask(NumberTable(tmp_path / "numbers").index(rows), "Article 3 or Article 7") == {"act-3@2024-05-07": 1.0}


def test_frames(table: NumberTable) -> None:
    queries = pd.DataFrame(
        {"qid": ["b", "a", "c"], "query": ["없음", "FRY Rules 12, 12A", "등대법 제1조"], "year": [1, 2, 3]},
        index=[4, 4, 4],
    )
    out = Lookup(table)(queries)
    assert out.to_dict("list") == {
        "qid": ["a", "a", "c"],
        "query": ["FRY Rules 12, 12A"] * 2 + ["등대법 제1조"],
        "year": [2, 2, 3],
        "docno": ["ferry-12", "ferry-12A", "lamp-1"],
        "score": [1.0, 1.0, 1.0],
        "rank": [0, 1, 0],
    }
    assert (Lookup(table) % 1).compile()(queries)["docno"].tolist() == ["ferry-12", "lamp-1"]
    assert Lookup(table)(out)["docno"].tolist() == out["docno"].tolist()
    empty = Lookup(table)(queries.iloc[:0])
    assert list(empty.columns) == list(out.columns)
    assert Lookup(table)(queries.iloc[:1]).dtypes.to_dict() == out.dtypes.to_dict()


def test_explanations(table: NumberTable) -> None:
    (one,) = explain(Lookup(table), "FSR는 아니고 「등대법」 제1조제2항")
    assert (one.docno, one.score, one.label) == ("lamp-1", 1.0, "lookup(most=5, without_law=False)")
    assert [part.label for part in one.parts] == ["“제1조” of “등대법” names it"]
    assert one.parts[0].detail == {"words": "제1조", "law": "등대법", "provisions": 1}
    shared = explain(Lookup(table, without_law=True), "Articles 4 and 12", ["lamp-12"])[0]
    assert shared.parts[0].label == "“12” names it, and 2 more"
    assert shared.is_whole()
    inp = pd.DataFrame({"qid": ["1"], "query": ["등대법 제1조"]})
    assert Lookup(table).explain(inp, ["lamp-12", "elsewhere"], lambda docnos: {}) == {}


def test_a_question_that_names_thousands_of_numbers(table: NumberTable) -> None:
    start = time.process_time()
    assert ask(table, "Articles 1" + ", 12" * 8_000, without_law=True)["ferry-12"] == pytest.approx(1 / 3)
    assert ask(table, "등대법 제12조, " * 2_000 + "(" * 8_000) == {"lamp-12": 1}
    # It takes some 4 s; a quadratic search would take minutes.
    assert time.process_time() - start < 20


def test_table(table: NumberTable, tmp_path: Path) -> None:
    assert table.manifest.facts == {
        "documents": 17,
        "laws": 6,
        "articles": 14,
        "corpus": "c0ffee",
        "lang": "und",
        "learnt": {},
        "languages": {},
    }
    assert len(table) == 17
    again = NumberTable(table.path)
    assert (again, hash(again), repr(again)) == (table, hash(table), f"NumberTable({str(table.path)!r})")
    assert again.fingerprint() == table.fingerprint()
    new = NumberTable(tmp_path / "numbers")
    with pytest.raises(ArtifactError, match="There is no index at"):
        ask(new, "제1조")
    with pytest.raises(ComponentError, match=r"article .*string, got 3"):
        new.index([{"docno": "a", "article": 3}])
    with pytest.raises(ComponentError, match="The docno 'a' occurs twice"):
        new.index([{"docno": "a"}, {"docno": "a"}])
    assert ask(new.index([]), "제1조") == {}
    assert ask(new.index(DOCUMENTS), "등대법 제1조") == {"lamp-1": 1}
    (file,) = new.directory.glob("data-*/article.npy")
    file.write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"article\.npy.*0"):
        ask(NumberTable(new.path), "제1조")


def test_parameters(table: NumberTable) -> None:
    for name, value in (("most", 0), ("without_law", 1), ("num_results", 1.5)):
        with refused("lookup", name, value):
            Lookup(table, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(ComponentError, match="numbers=3"):
        Lookup(3)  # type: ignore[arg-type]
    with pytest.raises(ComponentError, match=r"Lookup.*3.*'1'"):
        Lookup(table)(pd.DataFrame({"qid": ["1"], "query": [3]}))


def test_in_a_collection(tmp_path: Path) -> None:
    collection = Collection("legalir/firecode", cache=tmp_path)
    made = lookup(collection, most=2)
    assert made == Lookup(NumberTable.of(collection), most=2)
    assert collection.search("건축물 화재안전관리법 제2조제1호의 뜻은?", "lookup")["docno"].tolist() == ["act-2"]
    expression = 'linear(bm25, lookup, weights=[1, 1], normalize=["minmax", "none"])'
    assert collection.search("건축물 화재안전관리법 제2조가 말하는 것", expression)["docno"].iloc[0] == "act-2"
