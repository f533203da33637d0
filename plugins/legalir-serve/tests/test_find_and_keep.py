"""Finding and keeping: the start page, suggestions, files to take away, labels with numbers, what was left out."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator
from importlib import resources

import pytest
import yaml
from docx import Document
from served import client_of, service, write
from starlette.testclient import TestClient

from legalir.extend import Provision
from legalir_serve.exports import as_word, citation, days_of
from legalir_serve.labels import messages, plural, refused_in, said
from legalir_serve.pages import answered
from legalir_serve.service import Service, _counts

LAWS = [
    *[{"docno": f"p-{n}", "title": f"Pier Act, section {n}", "text": "A pier.", "law": "Pier Act",
       "heading": "Purpose" if n else "Fées of a quay"} for n in range(4)],
    {"docno": "d-1", "title": "Pier Decree, section 1", "text": "A quay.", "law": "Pier Decree", "heading": "Purpose"},
    {"docno": "k-1", "title": "부두법 제1조", "text": "부두.", "law": "부두법", "heading": "선박의 접안"},
    {"docno": "k-2", "title": "부두법 제2조", "text": "배.", "law": "부두법", "heading": "선박 수수료\n부과"},
]  # fmt: skip


@pytest.fixture(name="client", scope="module")
def shared_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("served")
    invented = write(folder / "laws", LAWS, "")
    (invented / "dataset.yaml").write_text(
        "title: Laws of a harbour\ntitles: {ko: 항만 법령}\nfictional: true\n", encoding="utf-8"
    )
    queries = ['{"qid": "1", "query": "What is the fee of a pier?"}', '{"qid": "2", "query": "' + "long " * 40 + '"}']
    (invented / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    places = {"laws": invented, **service(folder / "more")._places}
    with client_of(Service(places), tools=False) as client:
        yield client


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("pier", ["Pier Act", "Pier Decree"]),
        ("act", ["Pier Act"]),
        ("부두", ["부두법"]),
        ("부두버", ["부두법"]),  # A syllable that is not finished.
        (unicodedata.normalize("NFD", "접안"), ["선박의 접안"]),
        ("선박수수료", ["선박 수수료 부과"]),
        ("FEES", ["Fées of a quay"]),
        ("purp", ["Purpose"]),
        ("no such", []),
        (" .,\n", []),
    ],
)
def test_suggestions(client: TestClient, typed: str, found: list[str]) -> None:
    reply = client.get("/v1/suggest", params={"q": typed, "collection": "laws"}).json()
    assert [each["text"] for each in reply["suggestions"]] == found


def test_a_suggestion_leads_where_only_one_provision_is_meant(client: TestClient) -> None:
    rows = client.get("/v1/suggest?q=p&collection=laws").json()["suggestions"]
    assert [(row["kind"], row["docno"], row["provisions"]) for row in rows] == [
        ("law", "p-0", 4), ("law", "d-1", 1), ("heading", "", 4),
    ]  # fmt: skip
    every = client.get("/v1/suggest?q=pier&collection=all").json()["suggestions"]
    assert {row["collection"] for row in every} == {"laws", "pier"} and len(every) <= 8
    cited, *_ = client.get("/v1/suggest?q=부두법 2&collection=all").json()["suggestions"]
    assert (cited["kind"], cited["docno"], cited["collection"]) == ("provision", "k-2", "laws")
    # Repealed provisions of a collection with versions are not suggested; titles are where there is nothing else.
    titles = client.get("/v1/suggest?q=section&collection=pier").json()["suggestions"]
    assert {row["docno"] for row in titles} == {"d-1@2023-01-01", "d-2@2020-01-01"}
    assert client.get("/v1/suggest?q=pier&collection=nix").status_code == 404


def test_the_start_page_says_what_is_there(client: TestClient) -> None:
    page = client.get("/?lang=en").text
    assert "7 provisions" in page and "invented law" in page and "versions from 2020-01-01 to 2023-01-01" in page
    assert "q=What+is+the+fee+of+a+pier%3F" in page and "long long" not in page
    assert page.index('value="all" selected') < page.index('id="q"')  # The collection comes first.


def test_a_collection_has_the_title_of_the_readers_language(client: TestClient) -> None:
    for path in ("/?k=10", "/?q=pier&collection=laws", "/provision?docno=p-1", "/law?docno=p-1", "/export?docno=p-1"):
        korean, german = (client.get(path, params={"lang": lang} | _of(path)).text for lang in ("ko", "de"))
        assert "항만 법령" in korean and "Laws of a harbour" not in korean, path
        assert "Laws of a harbour" in german, path


def test_kinds_of_a_level_count_together() -> None:
    levels = ("act", "decree", "decree_ind", "decree", "")
    counts = _counts(Provision(str(place), law="A", level=level) for place, level in enumerate(levels))
    assert counts == {"law": [("A", 5)], "level": [("decree|decree_ind", 3), ("act", 1)]}


def test_invented_law_is_called_so_on_each_page(client: TestClient) -> None:
    for path in ("/?q=pier", "/?q=pier&collection=all", "/provision?docno=p-1", "/law?docno=p-1", "/answer?q=pier",
                 "/compare?q=pier", "/verify?collection=laws", "/explain?q=pier&docno=p-1"):  # fmt: skip
        assert "This is invented law" in client.get(path, params={"lang": "en"} | _of(path)).text, path
    assert "This is invented law" not in client.get("/?q=lamp&collection=pier&lang=en").text


def _of(path: str) -> dict[str, str]:
    return dict(each.split("=") for each in path.partition("?")[2].split("&"))


def test_an_answer_of_all_collections_asks_which(client: TestClient) -> None:
    page = client.get("/answer?q=pier&collection=all&lang=en").text
    assert "Which one?" in page and "/answer?q=pier&amp;collection=pier&amp;lang=en" in page


def test_files(client: TestClient) -> None:
    word = client.get("/export?docno=d-1&as_of=2021-06-01&collection=pier&format=docx&lang=en")
    assert word.status_code == 200 and "Pier-Act-section-1-" in word.headers["content-disposition"]
    document = Document(io.BytesIO(word.content))
    text = "\n".join(paragraph.text for paragraph in document.paragraphs)
    assert "lit for 3 hours" in text and "in force from 2020-01-01 to 2022-12-31, version d-1@2020-01-01" in text
    assert "http://127.0.0.1/provision?docno=d-1%402020-01-01&collection=pier" in text and "retrieved on" in text
    row = client.get("/export?docno=p-1&collection=laws").json()["results"][0]
    assert row["citation"].startswith("Pier Act, section 1. Laws of a harbour. http://127.0.0.1/provision?")
    every = client.get("/export?q=pier&collection=all&format=json").json()
    assert {each["collection"] for each in every["results"]} >= {"laws", "pier"}
    assert client.get("/export?q=pier&format=pdf").status_code == 400


def test_a_document_holds_hostile_and_long_texts() -> None:
    labels = messages()["en"]
    row = {"docno": "a", "title": "A \x00", "address": "http://x/", "citation": "A. http://x/ (now)"}
    rows = [{**row, "text": "1. <b>\x0b\ufffe & fee | 5\nboat | 6"}, {**row, "text": "x" * 600_000}]
    document = Document(io.BytesIO(as_word("A", "", rows, labels, "en")))
    assert labels["too_long_for_word"] in [each.text for each in document.paragraphs]
    assert len(document.tables) == 1 and document.tables[0].cell(1, 1).text == "6"


def test_days_and_citations() -> None:
    labels = messages()["en"]
    row = {
        "docno": "d@2020-01-01",
        "title": "§ 1",
        "law": "Pier Act",
        "effective_from": "2020-01-01",
        "effective_to": "",
    }
    assert days_of(row, labels) == "in force since 2020-01-01" and days_of({"docno": "d"}, labels) == ""
    assert days_of({**row, "effective_to": "2023-03-01"}, labels) == "in force from 2020-01-01 to 2023-02-28"
    cited = citation(row, labels, "Laws", "http://x/")
    assert cited.startswith("Pier Act, § 1 (in force since 2020-01-01, version d@2020-01-01). Laws. http://x/ (retr")


def test_labels_are_whole_in_each_language() -> None:
    own = yaml.safe_load(resources.files("legalir_serve").joinpath("messages.yaml").read_text(encoding="utf-8"))
    for name, label in own["en"].items():
        fields = {*re.findall(r"{\w+}", label)}
        for language, labels in own.items():
            assert {*re.findall(r"{\w+}", labels[name])} == fields, (language, name)
    # A space before these signs in French is not broken.
    assert not [label for label in own["fr"].values() if re.search(r" [:;?!»]|« ", label)]


def test_numbers_in_labels() -> None:
    label = "{n} result|{n} results"
    assert [plural(label, n, "en") for n in (0, 1, 2)] == ["0 results", "1 result", "2 results"]
    assert plural(label, 0, "fr") == "0 result" and plural("결과 {n}건", 1234, "ko") == "결과 1,234건"
    assert plural(label, 1234, "de") == "1.234 results"


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("As of 2021-12-31, from the question (2021); as_of today for today's law.", "Rechtsstand 2021-12-31"),
        ("amended from 2023-01-01", "wird zum 2023-01-01 geändert"),
        ("as_of: 'soon' is not a date: write year, month and day.", "„soon“ ist kein Datum"),
        ("where: no law of laws is 'Law 7'. It may be 'Law 0', 'Law 1'.", "Ähnlich: Law 0, Law 1"),
        ("asof? Did you mean 'as_of'?", "Parameter: asof"),
        ("The question has 4,001 characters, and 4,000 are allowed.", "hat 4,001 Zeichen"),
        ("from=2024-01-01 is later than to=2023-01-01: give the earlier day first.", "liegt nach 2023-01-01"),
        ("The component 'dense' is not offered here; there are: bm25.", "nicht angeboten"),
        ("No provision of laws has the phrase 'x y'. Searched without it.", "x y"),
    ],
)
def test_what_the_server_says_is_said_in_the_language_of_the_page(english: str, german: str) -> None:
    labels = messages()["de"]
    assert german in said(english, labels) and german in refused_in(labels, "invalid", english)
    assert said("Something else.", labels) == ""


def test_what_was_left_out_of_an_answer_is_said() -> None:
    sources = [{"docno": name, "title": name, "text": "", "read": name != "c"} for name in "abc"]
    citations = [{"docno": "b", "title": "b", "quotes": []}]
    reply = {"answer": "It is. [b]", "reason": "", "reason_kind": "", "citations": citations, "sources": sources}
    shown = answered(reply, messages()["en"])
    assert [[row["docno"] for row in shown[name]] for name in ("cited", "read", "left")] == [["b"], ["a"], ["c"]]
    assert shown["numbers"] == {"b": 1}


def test_the_kept_list_is_a_page(client: TestClient) -> None:
    page = client.get("/kept?lang=de").text
    assert "nur in diesem Browser" in page and "<noscript>" in page and "keep.js" in page


def test_a_day_is_not_lost_where_there_are_no_versions(client: TestClient) -> None:
    """The law of today is never shown as that of another day without a word."""
    of = {"q": "부두법 제1조", "collection": "all", "lang": "en"}
    assert client.get("/", params=of, follow_redirects=False).headers["location"].count("as_of") == 0
    page = client.get("/", params={**of, "as_of": "2021-01-01"}, follow_redirects=False)
    assert (
        page.status_code == 200 and "Without versions, and so not the law of that day: Laws of a harbour" in page.text
    )
    assert "Without versions" not in client.get("/", params={**of, "words": "1"}).text
