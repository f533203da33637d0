"""Canada: sections, schedules, dates and links, in invented acts and in real ones."""

import os
from pathlib import Path

import pytest

from legalir import datasets, testing
from legalir.errors import DataError
from legalir.statutes import write_collection
from legalir.statutes.documents import cut
from legalir.statutes.law import NOT_YET
from legalir.statutes.sources.ca_justice import FORMATS, read

DATA = Path(os.environ.get("LEGALIR_DATA", ""), "sources")

ACT = Path(__file__).with_name("samples").joinpath("ca_justice.xml").read_text(encoding="utf-8")


def law_of(text: str, name: str = "L-1.5.xml"):
    return next(read(Path(name), text.encode()))


def test_provisions():
    law = law_of(ACT)
    documents = {each.docno: each for each in cut(law).documents}
    assert list(documents) == [
        *("L-1.5-preamble", "L-1.5-1", "L-1.5-1.1", "L-1.5-2", "L-1.5-3"),
        *("L-1.5-annex-1", "L-1.5-annex-1/1", "L-1.5-supp-1/1"),
    ]
    assert documents["L-1.5-1"].text == "(1) A raft has one lamp:\n(a) lit at night; and\n(b) green.\nThat is all."
    assert [unit.heading or unit.label for unit in documents["L-1.5-1"].above[1:]] == ["Light", "Rafts"]
    assert [unit.label for unit in documents["L-1.5-2"].above[1:]] == ["PART 2"]
    assert documents["L-1.5-1"].unit.heading == "Lamp Rafts Act"
    assert documents["L-1.5-1.1"].unit.repealed and not documents["L-1.5-1.1"].text
    assert documents["L-1.5-2"].text == "Under paragraph 1(1)(b), a fine.\n99 Words of another act."
    assert documents["L-1.5-preamble"].text == "Whereas it is dark;\nNow, therefore:"
    assert law.unread() == []


def test_table_and_schedule():
    law = law_of(ACT)
    annex = next(each for each in cut(law).documents if each.docno == "L-1.5-annex-1")
    assert annex.unit.related == ("1(1)", "2")
    assert annex.unit.heading == "Colours"
    # The merged cell is repeated, and its row is complete; two paragraphs of a cell stay in its line.
    assert annex.text.splitlines()[-2:] == ["Lamp | red dark | 5", "Lamp | green"]


def test_marginal_note_of_a_subsection_has_a_line():
    law = law_of(ACT.replace("<Label>(1)</Label>", "<MarginalNote>One lamp</MarginalNote><Label>(1)</Label>"))
    document = next(each for each in cut(law).documents if each.docno == "L-1.5-1")
    assert document.text.startswith("One lamp\n(1) A raft has one lamp:\n(a)")


def test_dates():
    law = law_of(ACT)
    dates = {each.docno: each.unit.effective_from for each in cut(law).documents}
    assert (law.promulgated, law.effective_from, law.published) == ("2019-06-01", "2024-01-01", "2024-03-01")
    # Paragraph (a) was amended later than its section; the historical note is not text.
    assert dates["L-1.5-1"] == "2022-01-01"
    assert dates["L-1.5-3"] == NOT_YET


def test_links():
    law = law_of(ACT)
    found = [(docno, law.text[link.start : link.end], link.law, link.key) for docno, link in cut(law).links]
    assert sorted(found) == [
        ("L-1.5-1", "Rafts Act", "R-2", ""),
        ("L-1.5-2", "1", "", "13"),
        ("L-1.5-annex-1", "1(1)", "", "11"),
        ("L-1.5-annex-1", "2", "", "30"),
    ]
    assert law.notes == ["Lamps Act: a reference to 77 has no such section."]


def test_french_file():
    law = law_of(ACT.replace('xml:lang="en"', 'xml:lang="fr"').replace("[Repealed, 2022, c. 1", "[Abrogé, 2022, ch. 1"))
    assert (law.law_id, law.lang) == ("L-1.5-fr", "fr")
    assert [unit.number for unit in law.root.walk() if unit.repealed] == ["1.1"]
    assert cut(law).links[0][1].law == "R-2-fr"


def test_repeated_number():
    again = ACT.replace("<Label>2</Label>", "<Label>1</Label>")
    assert cut(law_of(again)).repeated == ["L-1.5-1~2"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ACT[:900], "not well-formed"),
        (ACT.replace("<Statute ", '<!DOCTYPE Statute [<!ENTITY a "b">]><Statute '), "entities"),
        ("<Bill/>", "its root is Bill"),
        (ACT.replace("ConsolidatedNumber", "Code"), "no chapter code"),
    ],
)
def test_faults(text, fault):
    with pytest.raises(DataError, match=fault):
        law_of(text)


def test_wrong_encoding():
    data = ACT.replace("one</Emphasis>", "une fenêtre</Emphasis>").encode("latin-1")
    with pytest.raises(DataError, match=r"L\.xml"):
        list(read(Path("L.xml"), data))


def test_source(tmp_path):
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "L-1.5.xml").write_text(ACT, encoding="utf-8")
    path = str(tmp_path / "laws")
    assert [each for each in testing.check("source", "ca_justice", params={"path": path}) if not each.ok] == []
    write_collection(f"ca_justice(path={path!r})", tmp_path / "out", about={"licence": "CC0", "lang": "en"})
    assert datasets.check(tmp_path / "out").ok


def real_files():
    return sorted([*DATA.glob("ca-xml/*.xml"), *DATA.glob("ca-xml-versions/*/*.xml")])


@pytest.mark.parametrize(
    "path", real_files() or [None], ids=lambda path: f"{path.parent.name}-{path.name}" if path else ""
)
def test_real_files(path):
    if path is None:
        pytest.skip("not run: $LEGALIR_DATA has no sources/ca-xml")
    data = path.read_bytes()
    assert FORMATS[0].recognises(path, data[:8192])
    law = next(read(path, data))
    assert law.unread() == []
    assert len(cut(law).documents) >= 10
    assert all(law.text[link.start : link.end].strip() for _, link in cut(law).links)


@pytest.mark.parametrize(
    ("file", "date"),
    [
        ("B-6.3/2021-05-27.xml", "2021-05-06"),
        ("B-6.3/2024-09-10.xml", "2024-06-20"),
        ("A-11.31/2022-10-20.xml", "2022-10-01"),
        ("F-11.75/2023-08-04.xml", "2023-07-01"),
        ("I-20.7/2024-11-01.xml", "2011-12-08"),
    ],
)
def test_real_dates(file, date):
    path = DATA / "ca-xml-versions" / file
    if not path.is_file():
        pytest.skip(f"not run: $LEGALIR_DATA has no sources/ca-xml-versions/{file}")
    assert next(read(path, path.read_bytes())).effective_from == date


def test_real_references():
    """The references that the README of the sample names."""
    path = DATA / "ca-xml" / "A-0.6.xml"
    if not path.is_file():
        pytest.skip("not run: $LEGALIR_DATA has no sources/ca-xml/A-0.6.xml")
    law = next(read(path, path.read_bytes()))
    documents = cut(law)
    keys = {address.key: address.docno for address in documents.addresses}
    links = {(docno, link.law or keys[link.key]) for docno, link in documents.links}
    assert ("A-0.6-2", "B-9.01") in links
    assert ("A-0.6-7", "F-11") in links
    assert ("A-0.6-2", "A-0.6-4") in links
    assert len(documents.links) == 484
