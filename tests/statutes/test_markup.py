"""XML and HTML without trust: places of elements, entities, encodings, sizes."""

from __future__ import annotations

import random

import pytest
from lxml import etree

from legalir.errors import DataError
from legalir.statutes.reading import markup
from legalir.statutes.reading.markup import Markup, attribute, local

XML = b'<a xmlns:x="urn:x">one<b x:id="7">two<c/>three</b>four<!-- no --><?pi no?> five</a>'


def test_places_of_elements() -> None:
    file = Markup(XML, "a.xml")
    b = file.first(file.root, "b")
    assert b is not None and file.text == "onetwothreefour five"
    shown = {name: file.text[slice(*place)] for name, place in (("all", file.span(b)), ("own", file.own(b)))}
    assert shown == {"all": "twothree", "own": "two"}
    assert file.text[slice(*file.tail(b))] == "four five" and file.words(file.root) == "onetwothreefour five"
    assert [local(each) for each in file.root] == ["b"] and attribute(b, "id") == "7" and attribute(b, "no") == ""
    assert file.first(file.root, "z") is None


def test_places_of_any_tree() -> None:
    generator = random.Random(4)

    def grow(element: etree._Element, depth: int) -> None:
        element.text = generator.choice([None, "x", "yy "])
        for _ in range(generator.randint(0, 3) if depth else 0):
            child = etree.SubElement(element, generator.choice("ab"))
            child.tail = generator.choice([None, "z", "ww"])
            grow(child, depth - 1)

    for _ in range(50):
        root = etree.Element("r")
        grow(root, 4)
        file = Markup(etree.tostring(root), "r.xml")
        assert file.text == "".join(root.itertext())
        for element in file.root.iter():
            assert file.text[slice(*file.span(element))] == "".join(element.itertext())
            assert file.text[slice(*file.own(element))] == (element.text or "")
            if element is not file.root:
                assert file.text[slice(*file.tail(element))] == (element.tail or "")


def test_html_need_not_be_well_formed() -> None:
    file = Markup("<p>가<br>나<p>다".encode(), "a.html", html=True, encoding="utf-8")
    assert file.text == "가나다"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<a><b>", "a.xml, line 1: not well-formed XML"),
        (b"", "not well-formed XML"),
        (b'<?xml version="1.0" encoding="utf-8"?><a>\xff</a>', "not well-formed XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "a.xml"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares entities of its own"),
        (b'<!DOCTYPE a [<!entity % b SYSTEM "file:///etc/passwd"> %b;]><a/>', "declares entities of its own"),
        (b"<a>" * 400 + b"</a>" * 400, "not well-formed XML"),
    ],
)
def test_bad_files_are_one_sentence(data: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        Markup(data, "a.xml")
    assert "\n" not in str(caught.value)


def test_billion_laughs_in_utf_16_expand_nothing() -> None:
    bomb = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;">]><a>&m;</a>'
    with pytest.raises(DataError, match="declares entities"):
        Markup(bomb.encode("utf-16"), "a.xml")


def test_a_file_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "LARGEST", 10)
    with pytest.raises(DataError, match="limit is 0 MB"):
        Markup(XML, "a.xml")


def test_an_external_dtd_is_not_read() -> None:
    assert Markup(b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a>b</a>', "a.xml").text == "b"


def test_soft_hyphens_of_a_page() -> None:
    page = "<p>ki&shy;kö&#173;tő kikö\u00adtő &amp;shy; A-b"
    assert Markup(page.encode(), "a.html", html=True).text.strip() == "kikötő kikötő &shy; A-b"


@pytest.mark.parametrize("head", ["", '<!DOCTYPE a SYSTEM "b.dtd">', '<?xml version="1.0" encoding="iso-8859-1"?>'])
def test_characters_by_name_are_read(head: str) -> None:
    content = '<a t="&sect; 5">&uacute;<b>&lt;&amp;</b>&hellip;&none;<![CDATA[&sect;]]>é</a>'
    page = Markup((head + content).encode("latin-1" if "8859" in head else "utf-8"), "a.xml")
    assert (page.root.get("t"), page.text) == ("§ 5", "ú<&…&none;&sect;é")


def test_a_name_that_is_not_read_is_no_lost_character() -> None:
    with pytest.raises(DataError, match="&sect; is not read"):
        Markup('<!DOCTYPE a SYSTEM "b.dtd"><a>&sect; 5</a>'.encode("utf-16"), "a.xml")


def test_elements_that_stand_for_characters() -> None:
    page = Markup(b'<a><q/>x<b/><u c="20AC"/><u c="D800"/>y<q/></a>', "a.xml", signs={"q": "'", "u": "@c"})
    assert page.text == "'x€{D800}y'"
    assert [local(each) for each in page.root] == ["b"]
