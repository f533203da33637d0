"""Canada: sections, schedules, dates and links, in invented acts and in real ones."""

from pathlib import Path

import pytest
from of_format import check_conformance

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import NOT_YET
from legalir.statutes.sources.ca_justice import read

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


def test_conformance(tmp_path):
    (tmp_path / "L-1.5.xml").write_text(ACT, encoding="utf-8")
    check_conformance("ca_justice", tmp_path)
