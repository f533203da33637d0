"""Pages that show the law: anchors, terms, levels side by side, two days, a text that a reform touches, a survey."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import client_of, write
from starlette.testclient import TestClient

from legalir.errors import ComponentError
from legalir_serve import surveys
from legalir_serve.laws import days, levels, occurrences, provision
from legalir_serve.reading import paragraphs, unit_of
from legalir_serve.service import Service

KOREAN = [
    {"docno": "a-2", "title": "부두법 제2조(정의)", "law": "부두법", "level": "act",
     "text": "이 법에서 사용하는 용어의 뜻은 다음과 같다.\n1. “부두”란 배를 대는 곳을 말한다.\n"
             "2. “등”이란 불을 말한다."},
    {"docno": "a-3", "title": "부두법 제3조(점등)", "law": "부두법", "level": "act",
     "text": "① 부두에는 대통령령으로 정하는 등대를 둔다.\n1. 큰 것\n2. 삭제 <2020. 1. 1.>"},
    {"docno": "d-1", "title": "부두법 시행령 제1조(등대)", "law": "부두법 시행령", "level": "decree",
     "text": "법 제3조제1항에 따라 부두의 등대는 희다. 부두길은 따로 정한다."},
    {"docno": "r-1", "title": "부두법 시행규칙 제1조(색)", "law": "부두법 시행규칙", "level": "rule",
     "text": "영 제1조의 흰색을 칠한다."},
    {"docno": "x-1", "title": "등대지기 규칙 제1조", "law": "등대지기 규칙", "level": "rule",
     "text": "「부두법」 제3조를 따른다."},
    {"docno": "n-1", "title": "고시", "law": "고시", "text": "부두."},
]  # fmt: skip
LINKS = "d-1\ta-3\tdelegates\nr-1\td-1\tcites\nx-1\ta-3\tcites\n"
DATED = [
    {"docno": "s-1@2020-01-01", "title": "Quay Act, section 1", "text": "The lamp burns for 3 hours.",
     "effective_from": "2020-01-01", "effective_to": "2022-01-01"},
    {"docno": "s-1@2022-01-01", "title": "Quay Act, section 1", "text": "The lamp burns for 5 hours.",
     "effective_from": "2022-01-01"},
    {"docno": "s-2@2020-01-01", "title": "Quay Act, section 2", "text": "Section 1 holds for each quay.",
     "effective_from": "2020-01-01"},
]  # fmt: skip


@pytest.fixture(name="served", scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Service:
    folder = tmp_path_factory.mktemp("laws")
    korean = write(folder / "budu", [{"law": "", "level": "", **row} for row in KOREAN], LINKS)
    dated = [{**row, "law": "Quay Act", "law_id": "qa", "level": ""} for row in DATED]
    return Service({"budu": korean, "quay": write(folder / "quay", dated, "s-2\ts-1\tself\n")})


@pytest.fixture(name="client", scope="module")
def shared_client(served: Service) -> Iterator[TestClient]:
    with client_of(served) as client:
        yield client


@pytest.mark.parametrize(
    ("language", "text", "places"),
    [
        ("ko", "① 등\n1. 큰 등\n가. 흰 것\n② 삭제\n3의2. 배", ["0:1", "1:1.1", "2:1.1.가", "0:2!", "1:2.3의2"]),
        ("ko", "다음과 같다.\n1. 등\n  가. 삭제 <2020. 1. 1.>", ["0:", "1:1", "2:1.가!"]),
        ("de", "(1) Es\n1. wacht,\na) nachts\n(2) (weggefallen)", ["0:1", "1:1.1", "2:1.1.a", "0:2!"]),
        ("en", "A keeper—\n(a) lights;\n(i) white;\n(ii) red;\n(b) [repealed]",
         ["0:", "1:a", "2:a.i", "2:a.ii", "1:b!"]),
        ("en", "(1) A\n(h) b\n(i) c\n(2A) d", ["0:1", "1:1.h", "1:1.i", "0:2A"]),
        ("ja", "港長は点ける。\n一　灯\n二　削除\n２　船\n一　小船\nイ　赤",
         ["0:1", "1:1.1", "1:1.2!", "0:2", "1:2.1", "2:2.1.イ"]),
        ("zh", "港口应当：\n（一）点灯；\n（二）航行", ["0:", "1:1", "1:2"]),
        ("fr", "Il :\n1° Allume ;\na) la nuit ;\n2° (Abrogé)", ["0:", "1:1", "2:1.a", "1:2!"]),
        ("en", "1. a\n1. b", ["0:1", "0:"]),
        ("en", "deleted goods are sold", ["0:"]),
        ("en", "", []),
    ],
)  # fmt: skip
def test_lines_have_a_depth_and_an_anchor(language: str, text: str, places: list[str]) -> None:
    found = paragraphs(text, language)
    assert [f"{one.depth}:{one.anchor}{'!' * one.repealed}" for one in found] == places
    assert "\n".join("".join(words for words, _ in one.parts) for one in found) == text


@pytest.mark.parametrize(
    ("anchor", "lines"),
    [("1", [0, 1, 2]), ("1.2", [0, 2]), ("2", [3]), ("1.9", [0, 1, 2]), ("7", [0, 1, 2, 3]), ("", [0, 1, 2, 3])],
)
def test_the_unit_that_is_cited(anchor: str, lines: list[int]) -> None:
    """With the lines that it belongs to; of a number that the provision lacks, what is above it."""
    text = "(1) A keeper\na) lights,\nb) rests.\n(2) A pilot waits."
    text = text.replace("a)", "1.").replace("b)", "2.")
    assert unit_of(text, "de", anchor).split("\n") == [text.split("\n")[line] for line in lines]
    assert unit_of("A keeper—\n(a) lights;\n(b) rests.", "en", "b") == "A keeper—\n(b) rests."


def test_marks_do_not_overlap() -> None:
    marks = [{"start": 2, "end": 6, "docno": "x"}, {"start": 4, "end": 8, "term": "y"}, {"start": 7, "end": 12, "n": 1}]
    (one, two) = paragraphs("a bcde fg\nh", "en", marks)
    assert one.parts == [("a ", None), ("bcde", marks[0]), (" fg", None)] and two.parts == [("h", None)]


def test_terms_that_the_law_or_its_act_defines(served: Service) -> None:
    """Each term once, as a whole word: 부두길 is another word, and 등 within 등대 is, too."""
    for docno in ("a-3", "d-1"):
        shown = provision(served, docno, collection="budu")
        assert [(one["term"], one["docno"], one["start"]) for one in shown["terms"]] == [
            ("부두", "a-2", shown["text"].index("부두"))
        ]
        assert shown["terms"][0]["meaning"] == "배를 대는 곳을 말한다."
    for docno in ("a-2", "x-1", "n-1"):
        assert provision(served, docno, collection="budu")["terms"] == []


@pytest.mark.parametrize(
    ("language", "text", "marked"),
    [
        ("en", "Each vessel shows lamps.", True),
        ("en", "A vessel-keeper rests.", False),
        ("en", "Vessels rest.", True),
        ("fr", "Les vesselages.", False),
        ("de", "Ein Vessel fährt.", True),
        ("en", "The 「Old Vessel Act」 ends.", False),
        ("lo", "vessel", False),
    ],
)
def test_a_term_is_a_word(language: str, text: str, marked: bool) -> None:
    assert bool([*occurrences(text, ("vessel",), language)]) == marked
    assert [*occurrences("船舶法は船舶に", ("船舶",), "ja")] == [(4, 6, "船舶")]
    assert [*occurrences("the Harbour Act and a harbour", ("harbour",), "en", ["Harbour Act"])] == [(22, 29, "harbour")]
    assert [*occurrences("船舶所有人", ("船舶所有人", "船舶"), "zh")] == [(0, 5, "船舶所有人")]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("ให้คณะกรรมการกำหนดอัตรา", True),
        ("ของคณะกรรมการ ต้องทำ", True),
        ("(2) คณะกรรมการที่แต่งตั้ง", True),
        ("คณะกรรมการท่าเรือกำหนด", False),  # The committee of the port is another one.
        ("ให้คณะกรรมการ ก.ท. กำหนด", False),
        ("อนุคณะกรรมการกำหนด", False),
    ],
)
def test_a_term_in_thai_has_ends_that_are_seen(text: str, marked: bool) -> None:
    found = [*occurrences(text, ("คณะกรรมการ", "คณะ"), "th")]
    assert [text[start:end] for start, end, _ in found] == ["คณะกรรมการ"] * marked


def test_levels_side_by_side(served: Service) -> None:
    def columns(docno: str) -> dict[str, list[str]]:
        found = levels(served, docno, collection="budu")["levels"]
        return {one["level"]: [row["docno"] for row in one["provisions"]] for one in found}

    assert columns("a-3") == {"act": ["a-3"], "decree": ["d-1"], "rule": ["r-1", "x-1"]}
    assert columns("d-1") == {"act": ["a-3"], "decree": ["d-1"], "rule": ["r-1"]}
    assert columns("r-1") == {"act": ["a-3"], "decree": ["d-1"], "rule": ["r-1"]}
    assert columns("x-1") == {"act": ["a-3"], "rule": ["x-1"]} and columns("n-1") == {}
    rows = {
        row["docno"]: row for one in levels(served, "a-3", collection="budu")["levels"] for row in one["provisions"]
    }
    assert rows["r-1"]["via"] == ["d-1"] and not rows["x-1"]["family"]
    assert [(one["docno"], one["unit"]) for one in rows["d-1"]["references"]] == [("a-3", "1")]


def test_the_pages_of_a_provision_and_its_levels(client: TestClient) -> None:
    page = client.get("/provision?docno=a-3&collection=budu&lang=en").text
    assert '<p class="level-0" id="1">' in page and '<p class="level-1 gone" id="1.2">' in page
    assert 'href="#1.2" aria-label="Link to 1.2"' in page and 'lang="ko"' in page
    assert '<span class="term">부두</span>' in page and "배를 대는 곳을 말한다." in page and "/levels?" in page
    shown = client.get("/levels?docno=a-3&collection=budu&lang=en").text
    assert shown.index("등대는 희다") < shown.index("흰색을 칠한다") and "<details><summary" in shown
    assert all(f'<span lang="ko">{law}</span>' in shown for law in ("부두법", "부두법 시행령", "부두법 시행규칙"))
    assert 'id="d-1.' not in shown  # A line without a number has no anchor.
    unknown = client.get("/levels?docno=n-1&collection=budu&lang=en")
    assert unknown.status_code == 200 and "Nothing of another level" in unknown.text
    assert "/levels?" not in client.get("/provision?docno=n-1&collection=budu").text
    assert client.get("/levels?docno=nix&collection=budu").status_code == 404
    decree = client.get("/provision?docno=d-1&collection=budu&lang=en").text
    assert (
        'docno=a-3#1">법 제3조제1항</a>' in decree
        and 'popovertarget="ref-0"' in decree
        and "Preview of 부두법 제3조(점등)" in decree
    )
    assert "budu" in re.findall('<p class="printed">(.*?)</p>', decree)[0]
    law = client.get("/law?docno=a-3&collection=budu").text  # Its decree and its rule are a step away.
    assert all(f'lang="ko">{name}</a>' in law for name in ("부두법 시행령", "부두법 시행규칙"))
    assert client.get("/v1/levels", params={"docno": "a-3", "collection": "budu"}).json()["levels"][0]["total"] == 1


def test_days_without_versions_are_looked_at(tmp_path: Path) -> None:
    begins, ends = {"effective_from": "2999-01-01"}, {"effective_from": "2001-01-01", "effective_to": "2002-01-01"}
    rows = [{"docno": f"q-{n}", "title": "", "text": "A.", **days} for n, days in enumerate(({}, begins, ends))]
    served = Service({"q": write(tmp_path / "q", rows, "")})
    found = [(one["state"], one["since"]) for one in (provision(served, f"q-{n}") for n in range(3))]
    assert found == [("in force", ""), ("not yet in force", "2999-01-01"), ("no longer in force", "2002-01-01")]


def test_what_changed_is_above_the_text(client: TestClient) -> None:
    page = client.get("/provision?docno=s-1&collection=quay&lang=en").text
    assert page.index("<del>3</del>") < page.index('class="text"') and "<details><summary>What changed" in page
    opened = client.get("/provision?docno=s-1&collection=quay&lang=en&from=2020-02-01&to=2020-03-01").text
    assert "<details open>" in opened and "The wording is the same on both days." in opened
    assert "no wording" in client.get("/provision?docno=s-1&collection=quay&lang=en&from=2001-01-01&to=2002-01-01").text
    one = client.get("/provision?docno=s-2&collection=quay&lang=en&from=2020-02-01&to=2023-03-01").text
    assert "The wording is the same on both days." in one
    assert client.get("/provision?docno=a-3&collection=budu&from=2020-02-01&to=2020-03-01").status_code == 400


def test_a_law_between_two_days(client: TestClient, served: Service) -> None:
    assert days(served, "s-2", collection="quay") == [("2020-01-01", 2), ("2022-01-01", 1)]
    for address in ("/changes?docno=s-2&collection=quay", "/impact?collection=quay&from=2021-01-01&to=2023-01-01"):
        page = client.get(f"{address}&lang=en").text
        assert "<del>3</del>" in page and "1 provisions differ" in page and "Quay Act, section 2</a>" in page
    law = client.get("/law?docno=s-1&collection=quay&lang=en").text
    assert 'class="timeline"' in law and "2022-01-01" in law
    form = {"docno": "s-1", "collection": "quay", "from": "2021-01-01", "to": "2023-01-01"}
    text = "We rely on section 1 of the Quay Act and on section 2 of the Quay Act. <script>"
    touched = client.post("/changes?lang=en", data={**form, "text": text}).text
    assert "1 of 2 citations" in touched and "what it cites changed" in touched and "<script>" not in touched
    assert client.post("/changes", data={**form, "text": "x" * 60_000}).status_code == 400
    assert client.get("/changes?collection=quay&law=Nix&from=2021-01-01&to=2023-01-01").status_code == 400
    assert client.get("/changes?docno=s-1&collection=quay&from=2023-01-01&to=2021-01-01").status_code == 400
    assert client.get("/changes?docno=s-1&collection=quay&to=2021-01-01").status_code == 400
    assert "2022-01-01 →" in client.get("/changes?docno=s-1&collection=quay&from=2022-01-01").text
    assert client.get("/changes?collection=budu&from=2021-01-01&to=2023-01-01").status_code == 400
    assert "has no versions" in client.get("/changes?docno=a-3&collection=budu&lang=en").text
    assert client.get("/changes").status_code == 200


def test_a_survey_is_in_its_address(client: TestClient) -> None:
    page = client.get("/survey?q=등대&collection=budu&lang=en").text
    found = re.findall(r'name="d(\d)" value="([^"]*)"', page)
    assert len(found) == len(KOREAN) and "no promise" in page and "there is no estimate" in page
    asked = {"q": "등대", "collection": "budu", "lang": "en", "state": surveys.packed([], "")}
    asked |= {f"d{number}": docno for number, docno in found}
    asked |= {f"r{number}": "+" if docno == "d-1" else "?" if docno == "n-1" else "-" for number, docno in found[:-1]}
    page = client.get("/survey", params=asked).text
    assert "The search does not bring it" in client.get("/survey?q=zzz&collection=budu&lang=en").text
    assert "of 5 read" in page and "1 skipped" in page and "at least" in page and "1 on the matter" in page
    (state,) = {*re.findall(r'name="state" value="([^"]*)"', page)}
    decided, corpus = surveys.unpacked(state)
    assert len(decided) == 5 and ("d-1", "accepted") in decided
    again = {"q": "등대", "collection": "budu", "lang": "en", "state": state}
    assert [*re.findall(r'name="d\d" value="([^"]*)"', client.get("/survey", params=again).text)] == [found[-1][1]]
    table = client.get("/survey", params={**again, "format": "csv"})
    assert table.headers["content-type"].startswith("text/csv") and "d-1" in table.text and "accepted" in table.text
    assert "has changed" in client.get("/survey", params={**again, "state": surveys.packed(decided, "other")}).text
    body = {"q": "등대", "collection": "budu", "corpus": corpus}
    rows = [{"docno": docno, "verdict": verdict} for docno, verdict in decided]
    reply = client.post("/v1/survey", json={**body, "decisions": rows}).json()
    assert [one["docno"] for one in reply["pending"]] == [found[-1][1]] and not reply["changed"]
    assert reply["recall"]["accepted"] == 1 and "no promise" in reply["sentences"][-1]
    for decisions in ([rows[0], rows[0]], [{"docno": "nix", "verdict": "accepted"}]):
        assert client.post("/v1/survey", json={**body, "decisions": decisions}).status_code == 400
    for wrong in ("x", "AAAA", surveys.packed([("nix", "accepted")], "")):
        assert client.get("/survey", params={**again, "state": wrong}).status_code == 400


def test_a_state_is_read_or_refused() -> None:
    decided = [("a b", "accepted"), ("가", "open"), ("?", "refused")]
    assert surveys.unpacked(surveys.packed(decided, "c")) == (decided, "c") and surveys.unpacked("") == ([], "")
    for word in ("é", "=", "eJw", surveys.packed([], "x" * 500_000), surveys.packed([], "x")[:-3]):
        with pytest.raises(ComponentError):
            surveys.unpacked(word)
