"""Version folders as a dated collection."""

import pytest
from dated_laws import three_acts, write_law

from legalir.datasets import check
from legalir.errors import ComponentError, DataError
from legalir.statutes.source import get_source
from legalir.statutes.sources.history import History
from legalir.statutes.writing import write_collection


def in_force(rows, key, day):
    """Texts in force: effective_from <= day < effective_to."""
    return [
        row["text"]
        for row in rows
        if row["docno"].rpartition("@")[0] == key
        and row["effective_from"] <= day < (row.get("effective_to") or "9999-12-31")
    ]


def test_articles_of_a_pending_act_in_a_later_file(tmp_path):
    source = History(three_acts(tmp_path / "가로등법"), workers=1)
    rows = [row for row in source.provisions() if "supp" not in row["docno"]]
    assert [(row["docno"], row.get("effective_to", "")) for row in rows] == [
        ("가로등법1-1@2019-01-01", "2022-01-06"),
        ("가로등법1-1@2022-01-06", ""),
        ("가로등법1-2@2019-01-01", "2021-03-02"),
        ("가로등법1-2@2021-03-02", "2022-01-06"),
        ("가로등법1-2@2022-01-06", ""),
        ("가로등법1-3@2019-01-01", "2022-01-06"),
        ("가로등법1-3@2022-01-06", ""),
        ("가로등법1-4@2021-01-05", ""),
    ]
    # The third act renamed the office at once; the period of the second act is not in force yet.
    assert in_force(rows, "가로등법1-2", "2021-06-01") == ["시장은 고장을 7일 안에 고친다."]
    assert in_force(rows, "가로등법1-2", "2022-01-06") == ["시장은 고장을 5일 안에 고친다. <개정 2021.1.5, 2021.3.2>"]
    assert in_force(rows, "가로등법1-3", "2023-01-01") == [""]
    assert in_force(rows, "가로등법1-2", "2018-12-31") == []
    made = source.report()["history"]["made_of_changes"]
    assert made == [
        "가로등법1-2@2021-03-02: 2021-03-02_00300.md shows changes that begin on 2022-01-06; the text is made without "
        "them."
    ]


def test_origin_of_a_version_is_its_newest_file_and_the_act_that_made_it(tmp_path):
    source = History(three_acts(tmp_path / "가로등법"), workers=1)
    docnos = [row["docno"] for row in source.provisions()]
    origins = list(source.origins())
    assert [each["docno"] for each in origins] == docnos
    lamp = next(each for each in origins if each["docno"] == "가로등법1-1@2022-01-06")
    assert (lamp["provision"], lamp["file"], lamp["promulgated"]) == (
        "가로등법1-1",
        "2021-03-02_00300.md",
        "2021-01-05",
    )


def test_a_link_names_the_provision_and_check_knows_it(tmp_path):
    annex = (
        "첨부파일:\n- 별표번호: '0001'\n  별표가지번호: '00'\n  별표구분: 별표\n  제목: 밝기의 기준(제1조 관련)\n---\n"
    )
    for path in three_acts(tmp_path / "가로등법").iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace("---\n\n#", f"{annex}\n#", 1), encoding="utf-8")
    write_collection(History(tmp_path / "가로등법", workers=1), tmp_path / "laws")
    links = (tmp_path / "laws" / "links.tsv").read_text(encoding="utf-8")
    # The addenda of the second act name an article, too: "제4조의 개정규정".
    assert links == (
        "가로등법1-annex-1@2019-01-01\t가로등법1-1\tcites\n가로등법1-supp-200@2022-01-06\t가로등법1-4\tcites\n"
    )
    assert check(tmp_path / "laws").ok


def test_references_of_a_version_name_the_key_of_what_they_cite(tmp_path):
    act, decree = tmp_path / "가로등법", tmp_path / "가로등법 시행령"
    lamp = "##### 제1조 (밝기)\n\n{}\n\n##### 제2조 (수리)\n\n고장은 3일 안에 고친다.{}\n"
    write_law(act, "2019-01-01", "2019-01-01", "1", lamp.format("밝기는 대통령령으로 정한다.", ""))
    second = "밝기는 대통령령으로 정한다. 제2조에 따른 수리를 한다."
    write_law(act, "2020-01-01", "2022-01-01", "2", lamp.format(second, ""))
    # In force before the second act, and shown with it: its own text has the change of words, and no reference.
    third = second.replace("정한다", "정하여 고시한다")
    write_law(act, "2021-01-01", "2021-01-01", "3", lamp.format(third, " 제3조에 따라 알린다."))
    text = "##### 제1조 (밝기)\n\n{} 밝기는 20룩스로 한다.\n"
    for day, words in ("2019-01-01", "「가로등법」 제1조에 따른"), ("2023-01-01", "가로등의"):
        write_law(decree, day, day, day[:4], text.format(words), "가로등법 시행령")
    source = History(tmp_path, workers=1)
    made = {row["docno"]: row["text"] for row in source.provisions()}
    assert made["가로등법1-1@2021-01-01"] == "밝기는 대통령령으로 정하여 고시한다."
    assert sorted(source.links()) == [
        ("가로등법-시행령1-1@2019-01-01", "가로등법1-1", "cites"),
        ("가로등법1-1@2019-01-01", "가로등법-시행령1-1", "delegates"),
        ("가로등법1-1@2021-01-01", "가로등법-시행령1-1", "delegates"),
        ("가로등법1-1@2022-01-01", "가로등법-시행령1-1", "delegates"),
        ("가로등법1-1@2022-01-01", "가로등법1-2", "cites"),
    ]
    states = source.report()["references"]["cites"]
    assert states == {"resolved": 2, "not in collection": 1}
    assert not list(History(tmp_path, workers=1, references=False).links())


def test_units_of_all_files_of_a_law_can_be_cited(tmp_path):
    write_law(
        tmp_path,
        "2019-01-01",
        "2019-01-01",
        "1",
        "##### 제1조 (갑)\n\n제3조에 따른다.\n\n##### 제3조 (을)\n\n정한다.\n",
    )
    write_law(
        tmp_path,
        "2021-01-01",
        "2021-01-01",
        "2",
        "##### 제1조 (갑)\n\n제2조에 따른다.\n\n##### 제2조 (을)\n\n정한다.\n",
    )
    source = History(tmp_path, workers=1)
    list(source.provisions())
    assert sorted(source.links()) == [
        ("가로등법1-1@2019-01-01", "가로등법1-3", "cites"),
        ("가로등법1-1@2021-01-01", "가로등법1-2", "cites"),
    ]


def test_consolidations_whose_addresses_end_in_a_day_are_one_law(tmp_path):
    for day, word in (("20230101", "Holz"), ("20240101", "Stein")):
        work = f'<FRBRuri value="https://x.ch/eli/cc/1990/1_1/{day}"/><FRBRdate date="1989-12-14" name="dateDocument"/>'
        work += f'<FRBRdate date="{day[:4]}-01-01" name="dateApplicability"/>'
        articles = "".join(
            f"<article><num>Art. {number}</num><content><p>{text}</p></content></article>"
            for number, text in ((1, "Häfen."), (2, f"Kaie aus {word}."))
        )
        text = f"<akomaNtoso><act><meta><identification><FRBRWork>{work}</FRBRWork></identification></meta>"
        (tmp_path / f"{day}.xml").write_text(f"{text}<body>{articles}</body></act></akomaNtoso>", encoding="utf-8")
    rows = list(History(str(tmp_path)).provisions())
    assert [(row["article"], row["effective_from"], row.get("effective_to", "")) for row in rows] == [
        ("1", "2023-01-01", ""),
        ("2", "2023-01-01", "2024-01-01"),
        ("2", "2024-01-01", ""),
    ]


def test_a_file_with_all_wordings_of_each_article(tmp_path):
    version = '<version fecha_vigencia="{}"><p class="articulo">Artículo {}.</p><p>{}</p></version>'
    block = '<bloque id="a{0}" tipo="precepto" titulo="Artículo {0}">{1}</bloque>'
    wordings = {
        1: {"20200101": "Puertos."},
        2: {"20200101": "Barcos.", "20210101": "Remos."},
        3: {"20210101": "Redes."},
    }
    blocks = (
        block.format(number, "".join(version.format(day, number, text) for day, text in days.items()))
        for number, days in wordings.items()
    )
    (tmp_path / "a.xml").write_text(
        "<response><metadatos><identificador>BOE-1</identificador><titulo>Ley de remos</titulo>"
        f"<fecha_vigencia>20200101</fecha_vigencia></metadatos>{''.join(blocks)}</response>",
        encoding="utf-8",
    )
    (tmp_path / "b.xml").write_text("<response><bloque>", encoding="utf-8")
    source = History(str(tmp_path))
    rows = [(row["docno"], row.get("effective_to", ""), row["text"]) for row in source.provisions()]
    assert rows == [
        ("BOE-1-1@2020-01-01", "", "Puertos."),
        ("BOE-1-2@2020-01-01", "2021-01-01", "Barcos."),
        ("BOE-1-2@2021-01-01", "", "Remos."),
        ("BOE-1-3@2021-01-01", "", "Redes."),
    ]
    assert [report.file for report in source.reports if not report.fault] == ["a.xml@2020-01-01", "a.xml@2021-01-01"]


def test_several_laws_in_one_folder(tmp_path):
    for title in ("가로등법", "나무법"):
        write_law(tmp_path / title, "2020-01-01", "2020-01-01", "1", "##### 제1조 (목적)\n\n정한다.\n", title)
    assert [row["docno"] for row in get_source(f'history(path="{tmp_path}", workers=1)').provisions()] == [
        "가로등법1-1@2020-01-01",
        "나무법1-1@2020-01-01",
    ]


def test_faults_are_said_in_one_sentence(tmp_path):
    with pytest.raises(ComponentError, match="'akn'"):
        History(tmp_path, format="akn")
    with pytest.raises(DataError, match="holds no file"):
        list(History(tmp_path).provisions())


def test_files_of_one_name_in_folders_of_their_days(tmp_path):
    for day, fee in (("2019-07-01", 5), ("2022-01-01", 9)):
        (tmp_path / day).mkdir()
        text = f"Quay Act\n\nSection 1 Aim\nIt is about quays.\n\nSection 2 Fee\nThe fee is {fee} crowns.\n"
        (tmp_path / day / "quay.txt").write_text(text, encoding="utf-8")
    docnos = [row["docno"] for row in get_source(f'history(path="{tmp_path}", workers=1)').provisions()]
    assert docnos == ["quay-1@2019-07-01", "quay-2@2019-07-01", "quay-2@2022-01-01"]
