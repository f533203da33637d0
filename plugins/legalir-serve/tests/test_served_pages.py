"""Pages: what a person reads, texts that are hostile, two languages, tables for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
import yaml
from served import SCRIPT, client_of, service
from starlette.testclient import TestClient

from legalir.errors import ComponentError
from legalir_serve.neighbourhood import picture
from legalir_serve.pages import answered, blocks, extract, marked, messages, refused_in


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
    assert "Harbour Act › Part 1" in page and "<mark>lamp</mark>" in page and "Why is it here?" in page
    assert 'href="/provision?q=fee+for+a+lamp&amp;lang=en&amp;docno=act-1"' in page
    assert "no legal advice" in page


def test_each_text_is_shown_as_text(client: TestClient) -> None:
    for path in ("/?q=fee", "/provision?docno=act-2", "/answer?q=fee+for+a+lamp", "/compare?q=lamp", f"/?q={SCRIPT}"):
        page = text_of(client, path)
        assert "<script>" not in page and "&lt;script&gt;" in page
    assert "<script>" not in text_of(client, f"/provision?docno={SCRIPT}", 404)


def test_the_page_of_the_publisher_is_linked(client: TestClient) -> None:
    for path in ("/?q=fee", "/provision?docno=act-2", "/answer?q=fee+for+a+lamp"):
        assert '<a href="https://law.example/2&#34;&lt;script&gt;' in text_of(client, f"{path}&lang=en")
        assert 'rel="noopener noreferrer">Publisher’s page</a>' in text_of(client, f"{path}&lang=en")
    for path in ("/?q=shade", "/provision?docno==rule-1", "/v1/provision?docno==rule-1"):
        assert "javascript:" not in text_of(client, path)


def test_a_provision_with_versions(client: TestClient) -> None:
    page = text_of(client, "/provision?docno=d-1&collection=pier&as_of=2021-01-01&from=2021-01-01&to=2024-01-01")
    assert "is lit for 3 hours" in page and "<del>3</del>" in page and "<ins>5</ins>" in page
    assert "d-1%402023-01-01" in page and "<svg" in page


def test_an_answer_cites(client: TestClient) -> None:
    page = text_of(client, "/answer?q=What+is+the+fee+for+a+lamp%3F")
    assert 'href="#source-act-2"' in page
    assert "원문과 일치" in text_of(client, "/answer?q=What+is+the+fee+for+a+lamp%3F&lang=ko")
    answer = page[: page.index("</article>")]
    quoted = answer.count("is 5 crowns.")
    assert (quoted, answer.count("<q>"), answer.count("wording checked against the text")) == (1, 3, 3)


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
    assert refused_in(labels, "not_found", "no 'x'") == f"{labels['error_not_found']} no 'x'"


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
    assert "Search" in text_of(client, "/", **{"accept-language": "fr"})
    own = yaml.safe_load(resources.files("legalir_serve").joinpath("messages.yaml").read_text(encoding="utf-8"))
    assert all(set(labels) == set(own["en"]) for labels in own.values())


def test_labels_of_another_language(tmp_path: Path) -> None:
    path = tmp_path / "labels.yaml"
    path.write_text("fr: {search: Chercher}\nko: {search: 찾기}\n", encoding="utf-8")
    with client_of(service(tmp_path / "served"), labels=path) as client:
        page = text_of(client, "/", **{"accept-language": "fr-FR"})
        assert "Chercher" in page and "Settings" in page and '<html lang="fr">' in page
        assert "찾기" in text_of(client, "/?lang=ko")
    for text in ("fr: [1]", "x", "fr: {serch: Chercher}", "fr: {search: 1}", "French: {}", "{", "1: {}"):
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


def test_an_extract_holds_the_words() -> None:
    text = "nothing here. " * 80 + "The lamp is lit. " + "nothing more. " * 80
    assert "lamp" in extract(text, "lamp") and len(extract(text, "lamp")) < 300
    assert extract("short", "lamp") == "short"


def test_a_picture_of_a_neighbourhood() -> None:
    nodes = [{"docno": name, "title": f"Act {name}", "law": "Act", "level": ""} for name in "abcx"]
    links = [{"source": "b", "target": "a"}, {"source": "a", "target": "c"}]
    drawn = picture(nodes, links)
    column = {box.docno: box.x for box in drawn.boxes}
    # b cites a, and a cites c; nothing leads to x.
    assert column["b"] < column["a"] < column["c"] and "x" not in column and len(drawn.arrows) == 2
    assert picture([], []).boxes == [] and drawn.heads == []


def test_levels_are_columns_from_act_to_standard() -> None:
    levels = {"a": "rule", "b": "act", "c": "standard", "d": "rule_ind"}
    nodes = [{"docno": name, "title": name, "law": "", "level": level} for name, level in levels.items()]
    links = [{"source": "a", "target": "b"}, {"source": "c", "target": "a"}, {"source": "a", "target": "d"}]
    drawn = picture(nodes, links)
    column = {box.docno: box.x for box in drawn.boxes}
    assert column["b"] < column["a"] == column["d"] < column["c"]
    assert [level for _, level in drawn.heads] == ["act", "rule", "standard"]
    # An unknown level: by who cites whom.
    nodes[0]["level"] = "bylaw"
    drawn = picture(nodes, links)
    column = {box.docno: box.x for box in drawn.boxes}
    assert column["c"] < column["a"] < column["b"] and drawn.heads == []
