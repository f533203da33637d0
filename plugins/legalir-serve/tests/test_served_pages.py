"""Pages: what a person reads, texts that are hostile, two languages, tables for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from served import SCRIPT, client_of, service, write
from starlette.testclient import TestClient

from legalir.errors import ComponentError
from legalir_serve.exports import as_csv
from legalir_serve.labels import messages, refused_in
from legalir_serve.pages import answered, pieces
from legalir_serve.passages import blocks, extract, marked, reasons, telling
from legalir_serve.policy import Policy
from legalir_serve.service import Service


@pytest.fixture(name="client", scope="module")
def shared_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(service(tmp_path_factory.mktemp("served"))) as client:
        yield client


def text_of(client: TestClient, path: str, status: int = 200, **headers: str) -> str:
    reply = client.get(path, headers=headers)
    assert reply.status_code == status
    return reply.text


def test_results_show_place_words_and_reason(client: TestClient) -> None:
    page = text_of(client, "/?q=fee+for+a+lamp&lang=en")
    assert "Part 1" in page and "<mark>lamp</mark>" in page and "Why is it here?" in page
    assert 'href="/provision?q=fee+for+a+lamp&amp;lang=en&amp;docno=act-1&amp;collection=harbour"' in page
    assert "no legal advice" in page


def test_each_text_is_shown_as_text(client: TestClient) -> None:
    pages = ("/?q=fee", "/answer?q=fee+for+a+lamp", "/compare?q=lamp", f"/?q={SCRIPT}", "/survey?q=fee")
    for path in (*pages, *(f"/{name}?docno=act-2" for name in ("provision", "law", "levels"))):
        page = text_of(client, path)
        assert "<script>" not in page and "&lt;script&gt;" in page
    assert "<script>" not in text_of(client, f"/provision?docno={SCRIPT}", 404)


def test_the_page_of_the_publisher_is_linked(client: TestClient) -> None:
    for path in ("/?q=fee", "/provision?docno=act-2", "/answer?q=fee+for+a+lamp"):
        assert '<a href="https://law.example/2&#34;&lt;script&gt;' in text_of(client, f"{path}&lang=en")
        assert 'rel="noopener noreferrer">Publisher’s page</a>' in text_of(client, f"{path}&lang=en")
    for path in ("/?q=shade", "/provision?docno==rule-1", "/v1/provision?docno==rule-1"):
        assert "javascript:" not in text_of(client, path)


def test_filters_counts_and_pages(tmp_path: Path) -> None:
    rows = [
        {
            "docno": f"a-{n}",
            "title": f"Act {n}",
            "text": "A lamp.",
            "law": f"Law {n % 2}",
            "level": "act",
            "path": f"Part {n}",
        }
        for n in range(12)
    ]
    places = {"many": write(tmp_path / "many", rows, ""), "few": write(tmp_path / "few", rows[:1], "")}
    with client_of(Service(places)) as client:
        page = text_of(client, "/?q=lamp&collection=many&lang=en")
        assert 'law=Law+0">Law 0</a> 6' in page and "offset=10" in page
        assert text_of(client, "/?q=lamp&collection=many&offset=10").count("<li id=") == 2
        one = text_of(client, "/?q=lamp&collection=many&law=Law+1&lang=en")
        assert one.count("<li id=") == 6 and "<code>law=" in one
        assert text_of(client, "/?q=lamp&collection=all").count("<li id=") == 11 - 1
        noted = text_of(client, '/?q=lamp+"no+such+words"&collection=many&lang=en')
        assert "searched without it" in noted
        assert "Law 0" in text_of(client, "/?q=lamp&collection=many&law=Law+7", 400)


def test_what_is_not_in_force_says_so(client: TestClient) -> None:
    old = text_of(client, "/provision?docno=d-1@2020-01-01&collection=pier&lang=en").partition('class="text"')[0]
    assert "This wording was replaced on 2023-01-01." in old and "docno=d-1%402023-01-01" in old
    assert "Repealed on 2022-01-01." in text_of(client, "/provision?docno=d-3&collection=pier&lang=en")
    assert "Not in force before 2020-01-01." in text_of(
        client, "/provision?docno=d-1&collection=pier&as_of=1999-01-01&lang=en"
    )
    assert 'class="banner"' not in text_of(client, "/provision?docno=d-1&collection=pier")
    refused = text_of(client, "/?q=lamp&as_of=2020-01-01&lang=ko", 400)
    assert messages()["ko"]["error_no_versions"] in refused and "as_of" not in refused


def test_the_law_as_a_whole_and_its_references(client: TestClient) -> None:
    whole = text_of(client, "/law?docno=d-2&collection=pier")
    assert whole.index('id="d-1@2023-01-01"') < whole.index('id="d-2@2020-01-01"') and "d-3" not in whole
    shown = text_of(client, "/provision?docno=d-2&collection=pier")
    assert re.search(r'docno=d-1%402023-01-01[^"]*">Section 1</a><button [^>]*></button> holds', shown)
    assert 'rel="prev"' in shown and 'rel="next"' in shown


def test_citations_of_a_text_are_checked(client: TestClient) -> None:
    text = f"Section 1 of the Harbour Act, {SCRIPT} section 9 of the Harbour Act."
    page = client.post("/verify?lang=en", data={"text": text, "collection": "harbour"}).text
    assert 'class="right">Section 1 of the Harbour Act</a>' in page and 'class="wrong"' in page
    assert "right: 1" in page and "no such provision: 1" in page and "<script>alert" not in page
    assert "".join(piece for piece, _, _ in pieces("a §1 b", [{"start": 2, "end": 4, "state": "right"}])) == "a §1 b"
    assert client.post("/verify", data={"text": "x" * 60_000}).status_code == 400
    assert "<textarea" in text_of(client, "/verify") and client.post("/verify", content=b"\xff").status_code == 200


def test_an_unknown_parameter_is_an_error(client: TestClient) -> None:
    assert "as_of" in text_of(client, "/?q=lamp&asof=2020-01-01", 400)
    text_of(client, "/?q=lamp&utm_source=letter")
    assert "<html" in text_of(client, "/nix", 404) and "<html" not in text_of(client, "/v1/nix", 404)


@pytest.mark.parametrize(
    ("text", "question", "marks"),
    [
        ("창문은 크다", "창문이 어때요?", ["창문"]),
        ("창문은 크다", unicodedata.normalize("NFD", "창문이 큰가"), ["창문"]),
        ("그렇게 하나 한다", "하나요", []),
        ("The doors of a dock", "door", ["door"]),
        ("应当向船主支付经济补偿。", "需要支付经济补偿吗", ["支付经济补偿"]),
        ("船舶は港に入る", "港に船舶が", ["船舶"]),
        ("ผู้เช่าต้องชำระค่าเช่า", "ค่าเช่าเท่าไร", ["เช่า", "ค่าเช่า"]),
        ("Aa", "", []),
    ],
)
def test_words_of_the_question_are_marked(text: str, question: str, marks: list[str]) -> None:
    assert [part for part, hit in marked(text, question) if hit] == marks
    assert "".join(part for part, _ in marked(text, question)) == text


@given(st.text(max_size=80), st.text(max_size=40))
def test_marking_keeps_the_text(text: str, question: str) -> None:
    assert "".join(part for part, _ in marked(text, question)) == text


@pytest.mark.parametrize(
    ("terms", "question", "words"),
    [
        (["시원", "원에", "고시"], "고시원에 창문이 있나요?", ["고시원에"]),
        (["manag disclos", "busi"], "Is management disclosure a business?", ["management", "disclosure", "business"]),
        (["经济", "济补", "补偿"], "需要支付经济补偿吗", ["经济补偿"]),
        (["있는안"], "창이 있는 안전한 방", ["있는", "안전한"]),
        (["nix"], "a lamp", []),
    ],
)
def test_reasons_are_words_of_the_question(terms: list[str], question: str, words: list[str]) -> None:
    parts = [{"label": term, "value": 1.0, "detail": {"term": term}, "source": None} for term in terms]
    found = reasons({"parts": parts}, question)
    assert {text for kind, text in found if kind == "word"} == {*words}


def test_what_is_exported(client: TestClient) -> None:
    reply = client.get("/export?q=shade+of+a+pier&format=csv")
    assert "shade-of-a-pier" in reply.headers["content-disposition"]
    row, *_ = csv.DictReader(io.StringIO(reply.text.lstrip("\ufeff")))
    assert row["docno"] == "'=rule-1" and row["title"].startswith("'=") and row["question"] == "shade of a pier"
    assert row["address"] == "http://127.0.0.1/provision?docno=%3Drule-1&collection=harbour"
    long = as_csv([{"a": "＝1+1"}, {"a": "+" * 40_000}, {"a": -0.5}], {"b": "c"}).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(long)))
    assert rows[1] == ["'＝1+1", "c"] and rows[3] == ["-0.5", "c"]
    assert (
        len(rows[2][0]) < 32_767 and rows[2][0].startswith("'+") and "40,000" in rows[2][0]
    )  # It says that it is cut.


def test_a_provision_with_versions(client: TestClient) -> None:
    page = text_of(client, "/provision?docno=d-1&collection=pier&as_of=2021-01-01&from=2021-01-01&to=2024-01-01")
    assert "is lit for 3 hours" in page and "<del>3</del>" in page and "<ins>5</ins>" in page
    assert "d-1%402023-01-01" in page
    # The wording of another day says so, and leads to today's.
    past = text_of(client, "/provision?docno=d-1&collection=pier&as_of=2021-01-01")
    assert "<strong>in force on 2021-01-01</strong>" in past and '/provision?collection=pier&amp;docno=d-1"' in past
    assert '<p class="printed">lamp</p>' in text_of(client, "/?q=lamp")  # Paper has no box of the question.
    assert "<strong>in force on" not in text_of(client, "/provision?docno=d-1&collection=pier&as_of=2024-01-01")


def test_an_answer_cites(client: TestClient) -> None:
    page = text_of(client, "/answer?q=What+is+the+fee+for+a+lamp%3F")
    assert 'href="#source-act-2"' in page
    assert "원문과 일치" in text_of(client, "/answer?q=What+is+the+fee+for+a+lamp%3F&lang=ko")
    answer = page[: page.index("</article>")]
    quoted = answer.count("is 5 crowns.")
    assert (quoted, answer.count("<q>"), answer.count("wording checked against the text")) == (
        1,
        3,
        4,
    )  # The mark means it.


def test_a_repealed_provision_is_marked_on_each_page(tmp_path: Path) -> None:
    row = {"docno": "a-1", "law": "Pier Act", "article": "1", "title": "Pier Act, section 1", "text": "The fee: 5."}
    rows = [{**row, "effective_to": "2020-05-01"}, {**row, "docno": "a-2", "article": "2", "text": "(Repealed)"}]
    folder = write(tmp_path / "laws", rows, "")
    policy = Policy(pipelines={"default": "bm25", "answer": "bm25 >> quote"})
    with client_of(Service({"laws": folder}, policy)) as client:
        for path in ("/?q=fee&words=1", "/answer?q=fee+in+section+1+of+the+Pier+Act"):
            page = text_of(client, f"{path}&lang=de")
            assert "aufgehoben</span> <span>Die Vorschrift galt nur bis 2020-05-01.</span>" in page, path
        assert "<span>Der Text lautet: (Repealed)</span>" in text_of(client, "/provision?docno=a-2&lang=de")
        chip = '<span class="chip">aufgehoben</span></p>'
        assert chip in text_of(client, "/answer?q=fee+in+section+1+of+the+Pier+Act&lang=de")
        gone = text_of(client, "/answer?q=The+fee&lang=de")
        assert "alle gefundenen Vorschriften sind aufgehoben" in gone


def test_what_is_wrong_with_an_answer_is_said_in_the_language_of_the_page() -> None:
    quotes = [{"words": words, "state": state} for words, state in (("5 crowns", "verified"), ("6", "not found"))]
    reply = {
        "answer": "It is 5 crowns. [a]",
        "reason": "nothing found",
        "reason_kind": "nothing_found",
        "citations": [{"docno": "a", "title": "A", "quotes": quotes}],
    }
    labels = messages()["ja"]
    shown = answered(reply, labels)
    assert shown["parts"] == [("It is ", "", ""), ("5 crowns", "a", "verified"), (". ", "", ""), ("[a]", "a", "cited")]
    assert shown["quotes"] == [("a", "A", "6", "not found")]
    assert shown["reason"] == labels["reason_nothing_found"]
    assert answered({**reply, "reason": "no fee", "reason_kind": ""}, labels)["reason"] == "no fee"
    assert refused_in(labels, "busy", "Too many …") == labels["error_busy"]
    assert refused_in(labels, "not_found", "There is no 'x'", "x") == f"{labels['error_not_found']} x"


def test_the_steps_of_an_answer_come_before_it(client: TestClient) -> None:
    page = text_of(client, "/answer?q=fee+for+a+lamp&live=1")
    assert 'data-steps="/answer/steps?q=fee+for+a+lamp&amp;live=1"' in page and "#source-" not in page
    stream = text_of(client, "/answer/steps?q=What+is+the+fee+for+a+lamp%3F&lang=en")
    kinds = [line.removeprefix("event: ") for line in stream.splitlines() if line.startswith("event: ")]
    assert kinds[0] == "step" and kinds[-1] == "answer" and set(kinds) == {"step", "answer"}
    html = json.loads(stream.rpartition("data: ")[2])["html"]
    assert 'href="#source-act-2"' in html and "<script>" not in html and "&lt;script&gt;" in html
    fault = text_of(client, "/answer/steps?q=lamp&pipeline=bm25&lang=ko")
    assert fault.startswith("event: error") and messages()["ko"]["error_invalid"] in fault


def test_lines_of_cells_are_a_table() -> None:
    text = "Fees\nlamp | 5\n\nboat | 7\nIn words: a | b\n1 | 2 | 3"
    assert blocks(text) == ["Fees", [["lamp", "5"], ["boat", "7"], ["In words: a", "b"]], "1 | 2 | 3"]
    assert blocks(" \n") == [] and blocks("a | b") == ["a | b"]


def test_languages(client: TestClient) -> None:
    assert "검색" in text_of(client, "/", **{"accept-language": "ko-KR,ko;q=0.9"})
    assert "Search" in text_of(client, "/", **{"accept-language": "it"})
    own = yaml.safe_load(resources.files("legalir_serve").joinpath("messages.yaml").read_text(encoding="utf-8"))
    assert all(set(labels) == set(own["en"]) for labels in own.values())


def test_labels_of_another_language(tmp_path: Path) -> None:
    path = tmp_path / "labels.yaml"
    path.write_text("it: {search: Cerca}\nko: {search: 찾기}\n", encoding="utf-8")
    with client_of(service(tmp_path / "served"), labels=path) as client:
        page = text_of(client, "/", **{"accept-language": "it-IT"})
        assert "Cerca" in page and "Settings" in page and '<html lang="it">' in page
        assert "찾기" in text_of(client, "/?lang=ko")
    for text in ("it: [1]", "x", "it: {serch: Cerca}", "it: {search: 1}", "French: {}", "{", "1: {}"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ComponentError, match="label"):
            messages(path)
    with pytest.raises(ComponentError, match="cannot be read"):
        messages(tmp_path / "nothing")


def test_tables_hold_no_formulas(client: TestClient) -> None:
    text = client.get("/export?q=shade&format=csv").text
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows[0]["docno"] == "'=rule-1" and rows[0]["title"].startswith("'=")
    assert client.get("/export?q=shade").json()["results"][0]["docno"] == "=rule-1"


def test_words_are_marked_by_their_beginning() -> None:
    assert marked("The doors of a door", "door") == [
        ("The ", False),
        ("door", True),
        ("s of a ", False),
        ("door", True),
    ]
    assert marked("방에 두는 창문은", "창문이 있나요?") == [("방에 두는 ", False), ("창문", True), ("은", False)]
    # A long text, and a long question of words that begin alike, take no time.
    assert marked("가나다라 " * 20_000, " ".join(f"가나다{number}" for number in range(500)))
    assert marked("text", "") == [("text", False)]
    assert telling("When is the lamp of a pier lit?", "en") == "lamp pier lit?"
    assert telling("to be", "en") == "to be" and telling("창문은 어디에", "und") == "창문은 어디에"


def test_an_extract_holds_the_words() -> None:
    text = "nothing here. " * 80 + "The lamp is lit. " + "nothing more. " * 80
    assert "lamp" in extract(text, "lamp") and len(extract(text, "lamp")) < 300
    assert extract("short", "lamp") == "short"
    assert extract("nothing here. " * 18 + "The lamp is lit.", "lamp").index("lamp") < 90  # A small screen shows it.
