import pytest

from legalir.datasets.records import Provision, fits_trec, provision


def test_default_text_is_title_newline_text_or_text_alone():
    assert Provision("1", "제목", "본문").default_text() == "제목\n본문"
    assert Provision("1", "", "본문").default_text() == "본문"


def test_aliases_and_missing_fields():
    record = provision({"docno": "x", "text": "t", "effective": "2024-01-01", "section": "77/1", "level": None})
    assert record == Provision("x", text="t", effective_from="2024-01-01", article="77/1")
    assert record.level == ""


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://law.example/1#2", True),
        ("http://law.example", True),
        ("javascript:alert(1)", False),
        ("/1", False),
        ("https://law.example/a b", False),
        ("https://[law", False),
        ("data:text/html,x", False),
    ],
)
def test_a_page_has_a_web_address(url, kept):
    assert provision({"docno": "x", "text": "t", "url": url}).url == (url if kept else "")


def test_an_integer_docno_or_article_becomes_text():
    record = provision({"docno": 12, "text": "t", "article": 3})
    assert (record.doc_id, record.article) == ("12", "3")


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"text": "t"}, "'docno' is missing"),
        ({"docno": None, "text": "t"}, "'docno' is missing"),
        ({"docno": "", "text": "t"}, "docno is empty"),
        ({"docno": True, "text": "t"}, "not a string"),
        ({"docno": 1.5, "text": "t"}, "not a string"),
        ({"docno": "a b", "text": "t"}, "white space"),
        ({"docno": "a\tb", "text": "t"}, "white space"),
        ({"docno": "a\u00a0b", "text": "t"}, "white space"),
        ({"docno": "a\u0000", "text": "t"}, "control"),
        ({"docno": "a"}, "no 'text'"),
        ({"docno": "a", "text": 5}, "'text' of 'a' is not a string"),
        ({"docno": "a", "text": "t", "title": ["x"]}, "'title' of 'a' is not a string"),
        ({"docno": "a", "text": "t", "law": {}}, "'law' of 'a' is not a string"),
    ],
)
def test_a_faulty_row_says_which_field(row, fault):
    with pytest.raises(ValueError, match=fault):
        provision(row)


@pytest.mark.parametrize("docno", ["001671-308.2", "법_1조", "T20-77/1", "มาตรา-1", "a#2"])
def test_real_docnos_fit(docno):
    assert fits_trec(docno)
