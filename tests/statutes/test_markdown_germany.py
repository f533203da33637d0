"""German laws as Markdown. The sample law is invented."""

from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.statutes.documents import cut
from legalir.statutes.law import Law
from legalir.statutes.sources.markdown import FORMATS

FORMAT = next(each for each in FORMATS if each.name == "markdown-de")
SAMPLE = """---
Title: !!python/unicode 'Verordnung über Leuchttürme und
  Feuerschiffe'
jurabk: LTV
slug: ltv

---

# Verordnung über Leuchttürme (LTV)

Ausfertigungsdatum
:   1994-06-06

Zuletzt geändert durch
:   Art. 1 G v. 1.2.2003
    I 7

Änderung durch
:   Art. 9 G v. 1.2.2023 noch nicht berücksichtigt

Der Minister verordnet:

## Erster Abschnitt - Türme

### § 1 Zweck (der Türme)

(1) Türme leuchten
am 31\\. Dezember

1.  am Tag,

    a)  wenn es
        dunkel ist,

        aa) sehr,


2.  in der Nacht,



damit man sie sieht.

(2) (weggefallen)

### § 1a

(weggefallen)

### (XXXX) §§ 2 bis 4 (weggefallen)

## Anlage 1 Türme nach § 1 Absatz 1

*    *   Turm

    *   Höhe

*    *   Rot

    *   9 m
"""


def read(text: str = SAMPLE) -> Law:
    return law_of(FORMAT, text, "ltv/2018-11-08.md")


def test_the_law() -> None:
    law = read()
    assert (law.law_id, law.names, law.level) == ("ltv", ("LTV",), "decree")
    assert law.title == "Verordnung über Leuchttürme und Feuerschiffe"
    assert (law.promulgated, law.effective_from) == ("1994-06-06", ""), "the file does not say since when it applies"
    assert law.amended_by == "Art. 1 G v. 1.2.2003 I 7"
    assert law.notes == [f"{law.title}: Änderung durch: Art. 9 G v. 1.2.2023 noch nicht berücksichtigt"]


def test_documents() -> None:
    documents = documents_of(read())
    assert list(documents) == ["preamble", "1", "1a", "2", "annex-1"]
    assert documents["1"].text.splitlines() == [
        "(1) Türme leuchten am 31. Dezember",
        *("1. am Tag,", "a) wenn es dunkel ist,", "aa) sehr,", "2. in der Nacht,", "damit man sie sieht."),
        "(2) (weggefallen)",
    ]
    assert documents["1"].unit.heading == "Zweck (der Türme)"
    assert [unit.heading for unit in documents["1"].above[1:]] == ["Türme"]
    assert [documents[number].unit.repealed for number in ("1", "1a", "2")] == [False, True, True]
    annex = documents["annex-1"]
    assert (annex.text, annex.unit.related, len(annex.above)) == ("Turm | Höhe\nRot | 9 m", ("§ 1 Absatz 1",), 1)


def test_lists_by_their_indentation() -> None:
    addresses = [address.path for address in cut(read()).addresses if address.path[:1] == ("1",)]
    assert addresses == [
        *(("1",), ("1", "1"), ("1", "1", "1"), ("1", "1", "1", "a"), ("1", "1", "1", "a", "aa")),
        *(("1", "1", "2"), ("1", "2")),
    ]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (SAMPLE.encode("latin-1"), "a.md: not UTF-8 at byte"),
        (b"# Gesetz\n", "a.md: no front matter with Title"),
        (SAMPLE[:40].encode(), "a.md: no front matter with Title"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.md"), data))


def test_conformance(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(SAMPLE, encoding="utf-8")
    check_conformance('markdown(rules="de")', tmp_path)
