from pathlib import Path

import pytest
from of_format import check_conformance, documents_of, law_of

from legalir.errors import DataError
from legalir.references.law_names import LawNames
from legalir.statutes.sources.akoma_ntoso import FORMATS, name_of, target_of

(FORMAT,) = FORMATS
NS = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"


def document(body: str, *, country: str = "it", rest: str = "", space: str = NS) -> str:
    meta = f"""<meta><identification source="#x"><FRBRWork>
<FRBRuri value="/akn/{country}/act/decreto_legislativo/stato/2020-02-03/7"/><FRBRalias name="title" value="Zattere"/>
<FRBRdate date="2020-02-03" name=""/><FRBRcountry value="{country}"/></FRBRWork><FRBRExpression>
<FRBRuri value="/akn/{country}/act/decreto_legislativo/stato/2020-02-03/7/ita@2024-05-06"/>
<FRBRdate date="2024-05-06" name=""/><FRBRlanguage language="ita"/></FRBRExpression></identification>
<lifecycle source="#x"><eventRef date="2020-02-03" eId="e0" source="#o"/>
<eventRef date="2024-05-06" eId="e1" source="#p"/>
<eventRef date="2026-01-01" eId="e2" source="#q"/></lifecycle><references source="#x">
<passiveRef eId="p" href="/akn/it/act/legge/stato/2024-04-01/9" showAs="Legge 9"/></references>
<temporalData source="#x">
<temporalGroup eId="t1"><timeInterval start="#e1" end="#e2" refersTo="#x"/></temporalGroup></temporalData>
</meta>"""
    return f'<akomaNtoso xmlns="{space}"><act name="a">{meta}{body}</act>{rest}</akomaNtoso>'


def article(key: str, number: str, *paragraphs: str, heading: str = "", more: str = "") -> str:
    inside = "".join(
        f'<paragraph eId="{key}__para_{n}"><num>{n}.</num><content><p>{text}</p></content></paragraph>'
        for n, text in enumerate(paragraphs, 1)
    )
    return f'<article eId="{key}"{more}><num>Art. {number}.</num><heading>{heading}</heading>{inside}</article>'


OTHER = "/akn/it/act/decretoLegislativo/stato/2001-01-01/3/!main#art_4-com2-leta"
SELF = "/akn/it/act/decretoLegislativo/stato/2020-02-03/7/!main#art_2"
REPEALED = "COMMA ABROGATO DAL D.LGS. 4 MAGGIO 2021, N. 9."
BODY = f"""<preface><p><docTitle>Decreto</docTitle></p></preface>
<preamble><formula name="f"><p>IL PORTO</p></formula>
<citations><citation><p>Vista la <ref href="{OTHER}">legge</ref>;</p>
</citation></citations></preamble><body>
<chapter eId="c1"><num>-</num><heading>Capo I ZATTERE Sezione I ((Lampade))</heading>
{article("art_1", "1", f'Una ((lampada)), lettera a)), come <ref href="{SELF}">articolo 2</ref>.', heading="(Scopo)")}
</chapter>
<chapter eId="c2"><num>-</num><heading>Sezione II Remi</heading>
{article("art_2", "2", "((ARTICOLO ABROGATO DAL D.LGS. 4 MAGGIO 2021, N. 9))")}
{article("art_2-bis", "2-bis", REPEALED, "Un remo.", more=' period="#t1"')}</chapter>
<chapter eId="c3"><num>-</num><heading>((Capo II)) FINE</heading>
<article eId="art_3"><num>Art. 3.</num><paragraph eId="art_3__para_1"><num>1.</num><list><intro><p>Servono:</p></intro>
<point eId="art_3__para_1__point_a"><num>a)</num><content><p>lampade;</p></content></point>
<point><num>b)</num><content><p>remi.</p></content></point></list></paragraph>
<paragraph><num>2.</num><content><p><mod>Al <ref href="{OTHER}">decreto</ref> si aggiunge:
<quotedStructure startQuote="«" endQuote="»"><article eId="q"><num>Art. 9</num><paragraph><num>1.</num>
<content><p>Altro.</p></content></paragraph></article></quotedStructure></mod></p></content></paragraph>
<paragraph><num>3.</num><content><table><tr><th colspan="2">Lampade<authorialNote marker="1"><p>nota
<rref from="#art_1" upTo="#art_3">1-3</rref></p></authorialNote></th><th>N.</th></tr><tr><td rowspan="2">grandi</td>
<td>rosse</td><td>1</td></tr><tr><td>verdi</td><td>2</td></tr></table></content></paragraph></article></chapter></body>
<conclusions><p>Dato al porto.</p></conclusions>
<attachments><attachment eId="att_1"><heading>Allegato B</heading><doc name="annex"><mainBody>
<p>Testo.</p><paragraph eId="att_1__para_1"><num>1.</num><content><p>Misure.</p></content></paragraph></mainBody></doc>
</attachment></attachments>"""


def test_facts_of_the_law() -> None:
    law = law_of(FORMAT, document(BODY))
    assert (law.law_id, law.title) == ("it-act-decreto_legislativo-stato-2020-02-03-7", "Zattere")
    assert (law.country, law.lang, law.level, law.kind) == ("it", "it", "act", "decreto_legislativo")
    assert (law.promulgated, law.effective_from, law.amended_by) == ("2020-02-03", "2024-05-06", "Legge 9")
    assert set(law.counts()[2]) == {"preface", "conclusions", "markup", "editor's mark", "footnote"}


def test_provisions() -> None:
    documents = documents_of(law_of(FORMAT, document(BODY)))
    assert {number: one.text for number, one in documents.items()} == {
        "preamble": "IL PORTO\nVista la legge;",
        "1": "1. Una lampada, lettera a)), come articolo 2.",
        "2": "",
        "2-bis": "1. COMMA ABROGATO DAL D.LGS. 4 MAGGIO 2021, N. 9.\n2. Un remo.",
        "3": "1. Servono:\na) lampade;\nb) remi.\n2. Al decreto si aggiunge:\n«Art. 9 1. Altro.»\n"
        "3. Lampade | N.\ngrandi | rosse | 1\ngrandi | verdi | 2",
        "annex-B": "Testo.",
        "annex-B/1": "Misure.",
    }
    assert [number for number, one in documents.items() if one.unit.repealed] == ["2"]
    assert documents["1"].unit.heading == "Scopo"
    assert documents["annex-B"].unit.label == "Allegato B"
    dates = documents["2-bis"].unit.effective_from, documents["2-bis"].unit.effective_to
    assert dates == ("2024-05-06", "2026-01-01")


def test_headings_that_run_together_are_parts_of_their_own() -> None:
    documents = documents_of(law_of(FORMAT, document(BODY)))
    paths = {number: [f"{unit.label}|{unit.heading}" for unit in one.above[1:]] for number, one in documents.items()}
    assert paths["1"] == ["Capo I|ZATTERE", "Sezione I|Lampade"]
    assert paths["2-bis"] == ["Capo I|ZATTERE", "Sezione II|Remi"]
    assert paths["3"] == ["Capo II|FINE"]


def test_links_belong_to_the_unit_that_holds_them() -> None:
    law = law_of(FORMAT, document(BODY))
    links = [(unit.key, link.law, link.key, link.kind) for unit in law.root.walk() for link in unit.links]
    assert links == [
        ("", "/akn/it/act/decretolegislativo/stato/2001-01-01/3", "art_4", "cites"),
        ("art_1__para_1", "", "art_2", "cites"),
        ("", "/akn/it/act/decretolegislativo/stato/2001-01-01/3", "art_4", "amends"),
        ("", "", "art_1", "cites"),
        ("", "", "art_3", "cites"),
    ]
    assert {"/akn/it/act/decretolegislativo/stato/2020-02-03/7", "decreto legislativo 7/2020"} <= set(law.names)
    written = "decreto legislativo 3 febbraio 2020, n. 7"
    assert all(LawNames(law.names).named(one) for one in ("d.lgs. n. 7/2020", "D.Lgs. 7 del 2020", written))
    constitution = document(BODY).replace(
        "decreto_legislativo/stato/2020-02-03/7", "costituzione/stato/1947-12-27/const"
    )
    named = LawNames(law_of(FORMAT, constitution).names).named
    assert named("Costituzione") and named("Cost.") and not named("Costituzione federale")


@pytest.mark.parametrize(
    ("address", "law", "key"),
    [
        ("/akn/it/act/decretoLegge/stato/1993-02-12/39/!main", "/akn/it/act/decretolegge/stato/1993-02-12/39", ""),
        ("https://example.com/akn/za/act/1962/58/eng@1999-08-01#sec_3", "/akn/za/act/1962/58", "sec_3"),
        ("https://example.com/akn/za/act/1962/58/~chp_IV__sec_27", "/akn/za/act/1962/58", "chp_IV__sec_27"),
        ("akn/uk/act/2000-07-28/chapter23/main#sec_11", "/akn/uk/act/2000-07-28/chapter23", "sec_11"),
        ("#sec_6", "", "sec_6"),
        ("urn:nir:stato:legge:1990-08-07;241#art_1", "urn:nir:stato:legge:1990-08-07;241", "art_1"),
    ],
)  # fmt: skip
def test_addresses(address: str, law: str, key: str) -> None:
    assert target_of(address) == (law, key)


def test_an_expression_names_its_work() -> None:
    work = "/akn/it/act/decreto_legislativo/stato/2005-03-07/82"
    assert name_of(f"{work}/ita@2025-01-30/!main") == name_of(work) == name_of(work.replace("_l", "L"))
    assert target_of("mailto:a@b") is None


def test_a_section_above_articles_is_a_part_and_one_without_is_an_article() -> None:
    body = """<body><part eId="p"><num>Part 1</num><section eId="s1"><num>Section 1</num><heading>Rafts</heading>
<article eId="a1"><num>1</num><content><p>A raft.</p></content></article></section></part>
<section eId="s2"><num>2.</num><subsection eId="s2a"><num>(1)</num><content><p>A lamp.</p></content></subsection>
</section>
<hcontainer eId="h"><content><p>Loose text.</p></content></hcontainer></body>"""
    law = law_of(FORMAT, document(body, country="zz", space=f"{NS}/WD17"))
    documents = documents_of(law)
    assert law.country == "zz"
    assert {number: one.text for number, one in documents.items()} == {
        "text": "Loose text.",
        "1": "A raft.",
        "2": "(1) A lamp.",
    }
    assert [unit.label for unit in documents["1"].above[1:]] == ["Part 1", "Section 1"]


def test_components_of_a_collection_are_annexes_of_its_act() -> None:
    text = f"""<akomaNtoso xmlns="{NS}"><documentCollection name="c"><meta/><collectionBody><component eId="r1">
<documentRef href="#d1"/></component></collectionBody></documentCollection><components>
<component eId="d1"><doc name="memo"><mainBody><p>Why.</p></mainBody></doc></component>
<component eId="d2"><bill name="b"><body><article eId="a1"><num>1</num><content><p>A raft.</p></content></article>
</body></bill></component></components></akomaNtoso>"""
    law = law_of(FORMAT, text, "raft.xml")
    assert (law.law_id, law.kind, law.country) == ("raft", "bill", "any")
    assert {number: one.text for number, one in documents_of(law).items()} == {"annex-1": "Why.", "1": "A raft."}


def test_paragraphs_of_a_judgment_are_provisions() -> None:
    text = f"""<akomaNtoso xmlns="{NS}"><judgment name="j"><header><p>Raft v Lamp</p></header><judgmentBody>
<background><blockList eId="l"><item eId="i1"><num>[1]</num><p>A raft sank.</p></item></blockList></background>
<decision><blockList eId="m"><item eId="i2"><num>[2]</num><p>Pay.</p></item></blockList></decision></judgmentBody>
</judgment></akomaNtoso>"""
    law = law_of(FORMAT, text)
    assert [(number, one.text, one.unit.kind) for number, one in documents_of(law).items()] == [
        ("1", "A raft sank.", "article"),
        ("2", "Pay.", "article"),
    ]
    assert "a <judgment>, not a law" in law.notes[0]
    assert not law_of(FORMAT, document(BODY)).notes


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (document(BODY).encode()[:900], "a.xml, line .*: not well-formed XML"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><akomaNtoso/>', "a.xml declares entities of its own"),
        (b'<?xml version="1.0" encoding="utf-8"?><akomaNtoso>\xe8</akomaNtoso>', "a.xml, line .*: not well-formed XML"),
        (b"<akomaNtoso/>", "a.xml: <akomaNtoso> holds no document"),
        (b"<act/>", "a.xml: its root is <act>, not <akomaNtoso>"),
    ],
)
def test_a_broken_file_is_one_sentence(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        list(FORMAT.read(Path("a.xml"), data))


def test_conformance(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(document(BODY), encoding="utf-8")
    check_conformance("akoma_ntoso", tmp_path)


def numbers_and_paths(body: str, **meta: str) -> dict[str, str]:
    """Return the path of each provision of a body, by its number."""
    documents = documents_of(law_of(FORMAT, act(body, **meta)))
    groups = {
        number: [unit for unit in one.above if unit.kind == "group" and one.unit.kind != "law"]
        for number, one in documents.items()
    }
    return {
        number: " › ".join(f"{unit.label} {unit.heading}".strip() for unit in all_) for number, all_ in groups.items()
    }


def act(body: str, work: str = "", expression: str = "", preface: str = "") -> str:
    return (
        f'<akomaNtoso xmlns="{NS}"><act name="a"><meta><identification source="#x"><FRBRWork>{work}</FRBRWork>'
        f"<FRBRExpression>{expression}</FRBRExpression></identification></meta>{preface}<body>{body}</body></act>"
        "</akomaNtoso>"
    )


def one(number: str, text: str = "Oars.", name: str = "article") -> str:
    return f"<{name}><num>{number}</num><content><p>{text}</p></content></{name}>"


@pytest.mark.parametrize(
    ("body", "provisions"),
    [
        (  # What holds articles is a part, whatever its name.
            f"<level><num>A.</num><heading>Oars</heading><subsection><num>I.</num>{one('Art. 1')}</subsection></level>"
            f"<level><num>C.</num>{one('Art. 2')}</level>",
            {"1": "A. Oars › I.", "2": "C."},
        ),
        (  # A heading between provisions holds until the next one.
            f"<chapter><num>1</num><crossHeading>Oars</crossHeading>{one('1.', name='section')}"
            f"<crossHeading>Rafts</crossHeading>{one('2.', name='section')}</chapter>{one('3.', name='section')}",
            {"1": "1 › Oars", "2": "1 › Rafts", "3": ""},
        ),
        (  # A container may be the article of a law, and a schedule.
            '<hcontainer name="part"><num>Part 1</num><hcontainer name="regulation"><num>1.</num>'
            f"{one('(1)', name='paragraph')}</hcontainer></hcontainer>"
            '<hcontainer name="schedule"><num>SCHEDULE 2</num>'
            f"<part><num>Part 1</num>{one('1', name='paragraph')}</part>"
            f"<part><num>Part 2</num>{one('1', name='paragraph')}</part></hcontainer>",
            {"1": "Part 1", "annex-2/part-1/1": "Part 1", "annex-2/part-2/1": "Part 2"},
        ),
        (  # A chapter that is repealed has no number among the sections; one of headings alone is only a part.
            f"<chapter><num>1 luku</num>{one('1 §', name='section')}{one('1 a §', name='section')}</chapter>"
            f"{one('1 luku', name='chapter')}<chapter><num>2 luku</num><heading>…</heading></chapter>",
            {"1": "1 luku", "1a": "1 luku", "chapter-1": ""},
        ),
        ("".join(one(f"{sign}.") for sign in "ABCDEFGHI"), dict.fromkeys("ABCDEFGHI", "")),
        (  # Letters of final provisions are no numbers of articles; other levels might be.
            one("Art. 1") + "".join(one(f"{sign}.", name="level") for sign in ("A", "B", "C", "Cbis", "1")),
            dict.fromkeys(("1", "A", "B", "C", "Cbis", "level-1"), ""),
        ),
        (
            f"<article><num>Art. 1</num>{one('§ 1')}{one('§ 2')}</article>"
            f"<article><num>Art. 2</num>{one('§ 1')}</article>",
            {"1/1": "", "1/2": "", "2/1": ""},
        ),
        (  # Transitional provisions that begin anew do not rename the articles before them.
            f"<book><num>Book I</num>{one('Art. 1')}{one('Art. 2')}</book>"
            f"<transitional><heading>Old</heading>{one('Art. 1')}</transitional>",
            {"1": "Book I", "2": "Book I", "transitional-2/1": "Old"},
        ),
    ],
)
def test_parts_and_articles(body: str, provisions: dict[str, str]) -> None:
    assert numbers_and_paths(body) == provisions


@pytest.mark.parametrize(
    ("work", "expression", "days"),
    [
        ("dateApplicability 2024-01-01 dateDocument 1989-12-14", "", "1989-12-14 2024-01-01"),
        ("dateIssued 1999-02-05", "dateEntryIntoForce 1999-03-01 dateConsolidated 2022-01-15", "1999-02-05 2022-01-15"),
        ("ausfertigung-datum 2023-01-02 verkuendung 2023-01-05", "inkrafttreten 2023-02-01", "2023-01-02 2023-02-01"),
        ("Generation 2009-05-01", "Generation 2015-03-01", "2009-05-01 2015-03-01"),
        (
            "transformed 2024-02-02 publication 2001-02-04 enactment 2001-02-03",
            "validFrom 2022-07-01",
            "2001-02-03 2022-07-01",
        ),
        ("Generation 2024-02-02 x 2001-02-03", "markup 2024-02-02", "2001-02-03"),
        ("XMLConversion 2024-02-02", "Generation 2024-02-02 dateConsolidated 2022-01-15", "2022-01-15"),
        ("dateIssued 0001-01-01 publication 2001-02-03", "x 2999-01-01", ""),
        ("x 2001-02-03", "x 1001-01-01 dateEndApplicability 9999-12-31", "2001-02-03"),
    ],
)
def test_dates_by_their_names(work: str, expression: str, days: str) -> None:
    def dates(words: str) -> str:
        names = zip(words.split()[::2], words.split()[1::2], strict=True)
        return "".join(f'<FRBRdate date="{day}" name="jolux:{name}"/>' for name, day in names)

    law = law_of(FORMAT, act(one("Art. 1"), dates(work), dates(expression)))
    made, since = law.promulgated, law.effective_from if law.effective_from != law.promulgated else ""
    assert f"{made} {since}".strip() == days
    assert law.effective_to == ""


def test_an_address_of_a_consolidation_and_of_a_language() -> None:
    place = "http://data.legilux.public.lu/eli/etat/leg/loi/2020/01/01/n1"
    authority = "http://publications.europa.eu/resource/authority"
    work = f'<FRBRthis value="{place}/consolide/20240301"/><FRBRuri value=""/>'
    work += f'<FRBRcountry value="{authority}/country/LUX"/><FRBRname value="Loi des rames" shortForm="LR"/>'
    metadata = '<m:work xmlns:m="urn:m"><m:date>2020</m:date> by</m:work>'
    words = '<content><p>La <m:b xmlns:m="urn:m">rame</m:b>.</p></content>'
    article = f"<article><num>Art. 1<sup>er</sup>.</num>{metadata}{words}</article>"
    language = f'<FRBRlanguage language="{authority}/language/FRA"/>'
    note = "<authorialNote><p>Nota.</p></authorialNote>"
    preface = f"<preface><longTitle><p>Loi sur</p><p>les{note}<br/>rames</p></longTitle></preface>"
    law = law_of(FORMAT, act(article, work, language, preface))
    assert (law.country, law.lang, law.title) == ("lu", "fr", "Loi sur les rames")
    assert law.law_id == "eli-etat-leg-loi-2020-01-01-n1"
    assert {"LR", "Loi des rames", name_of(f"{place}/jo")} <= set(law.names)
    assert {number: each.text for number, each in documents_of(law).items()} == {"1": "La rame."}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("<p>An oar.</p><m:n><m:act>No. 5</m:act></m:n>", "An oar."),
        ("<m:n>BOATS</m:n><p>An oar.<m:n>See below</m:n></p>", "An oar."),
        ("<p>An <m:n>oar</m:n> is wood.</p>", "An oar is wood."),
        ("<p>This is <m:n>an oar.</m:n></p>", "This is an oar."),
        ("<p>Wood. <m:n>Oar</m:n>: a bar.</p>", "Wood. Oar: a bar."),
        ("<m:n>An oar.</m:n>", "An oar."),
        ("<m:n><p>An oar.</p></m:n>", "An oar."),
        ("<p>Oars:</p><m:table><m:tr><m:td>5</m:td></m:tr></m:table>", "Oars:\n5"),
    ],
)
def test_elements_of_other_vocabularies(words: str, text: str) -> None:
    body = f'<article xmlns:m="urn:m"><num>Art. 1</num><content>{words}</content></article>'
    assert documents_of(law_of(FORMAT, act(body)))["1"].text == text


@pytest.mark.parametrize(
    ("num", "heading", "read"),
    [
        ("Art. 1<m:id>guid-7</m:id>", "Oars<m:s>current</m:s><m:mark>oars_1</m:mark>", "1 Oars"),
        ("<m:id>9001</m:id>Art. 1.<m:id>9001</m:id>", "<m:mark>oars_1</m:mark>Oars", "1 Oars"),
        ("Art. <m:n>1</m:n>", "Oars and <m:t>masts</m:t>", "1 Oars and masts"),
        ("Art. 1<m:n>bis</m:n>", "<m:t>Oars</m:t>", "1bis Oars"),
        ("Art. 1<m:n>a</m:n>", "<m:big>O</m:big>ars and CO<m:low>2</m:low>", "1a Oars and CO2"),
    ],
)
def test_elements_of_other_vocabularies_in_headings(num: str, heading: str, read: str) -> None:
    inside = f"<num>{num}</num><heading>{heading}</heading><content><p>An oar.</p></content>"
    title = "<preface><p><docTitle>Oars Act<m:id xmlns:m='urn:m'>guid-1</m:id></docTitle></p></preface>"
    law = law_of(FORMAT, act(f'<article xmlns:m="urn:m">{inside}</article>', "", "", title))
    (document,) = documents_of(law).values()
    assert f"{document.unit.number} {document.unit.heading}" == read
    assert law.title == "Oars Act"


@pytest.mark.parametrize(
    ("language", "text", "repealed"),
    [
        ("fin", "1 § on kumottu L:lla 1.2.2003/4.", True),
        ("swe", "Har upphävts genom lag (2001:2).", True),
        ("spa", "(Derogado)", True),
        ("pol", "(uchylony)", True),
        ("por", "1. (Revogado.)", True),
        ("nld", "[Vervallen per 01-01-2012]", True),
        ("est", "[Kehtetu - RT I 2004, 5, 6 - jõust. 01.02.2004]", True),
        ("fra", "(abrogé par la loi du 3 mars 2021)", True),
        ("deu", "Aufgehoben werden die Regeln über Ruder.", False),
        ("fra", "Sont abrogés les articles 1 et 2.", False),
        ("eng", "", True),
        ("gle", "(Aisghairthe)", True),
        ("mlt", "(Imħassar)", True),
        ("ukr", "Виключена.", True),
        ("cym", "[Diddymwyd]", True),
        ("heb", "(בוטל)", True),
        ("hin", "निरसित", True),
        ("sqi", "Shfuqizohet ligji për portet.", False),
        ("mkd", "Се брише веслото.", False),
        ("isl", "Felld brott ára.", False),
        ("isl", "[Fellt úr gildi með l. 5/2010, 3. gr.]", True),
        ("isl", "Fellt úr gildi ákvæði um árar.", False),
    ],
)
def test_words_of_repeal_by_language(language: str, text: str, repealed: bool) -> None:
    body = one("1 §", text, "section") + one("2 §", "Oars.", "section")
    law = law_of(FORMAT, act(body, expression=f'<FRBRlanguage language="{language}"/>'))
    assert [each.unit.repealed for each in documents_of(law).values()] == [repealed, False]


def test_what_is_inside_a_part_ends_with_it() -> None:
    ended = (
        '<lifecycle source="#x"><eventRef date="2001-02-03" eId="e1" source="#o"/><eventRef date="2002-03-04" eId="e2" '
        'source="#o"/></lifecycle><temporalData source="#x"><temporalGroup eId="t"><timeInterval start="#e1" end="#e2" '
        'refersTo="#x"/></temporalGroup></temporalData></meta>'
    )
    body = f'<chapter period="#t"><num>1</num>{one("Art. 1")}</chapter>{one("Art. 2")}'
    units = [each.unit for each in documents_of(law_of(FORMAT, act(body).replace("</meta>", ended))).values()]
    assert [(unit.effective_from, unit.effective_to) for unit in units] == [("2001-02-03", "2002-03-04"), ("", "")]
