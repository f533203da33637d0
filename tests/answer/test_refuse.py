"""Refusing: which questions, why, and what a generator makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from legalir import Collection
from legalir.answer.refuse import EVERYDAY, Refuse, areas, everyday
from legalir.datasets.catalog import FIRECODE
from legalir.errors import ComponentError

INSIDE = [
    "공사현장에 임시소화장치를 두지 않으면 과태료가 얼마인가요?",
    "밀집영업장의 비상탈출구는 폭이 몇 cm 이상이어야 하나요?",
]
OUTSIDE = ["Who won the 1998 World Cup?", "오늘 점심으로 뭐 먹을까?", "비트코인 시세 알려줘", "zzzxqy", "안녕"]


@pytest.fixture(name="collection", scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEGALIR_SEMANTIC", "off")
        yield Collection(FIRECODE, cache=tmp_path_factory.mktemp("cache"))


def asked(*queries: str) -> pd.DataFrame:
    return pd.DataFrame({"qid": list(map(str, range(len(queries)))), "query": list(queries)})


def test_a_question_outside_is_refused_and_its_nearest_provisions_are_shown(collection: Collection) -> None:
    for query in OUTSIDE:
        answer = collection.answer(query)
        assert (answer.text, answer.abstained, answer.citations) == ("", True, ())
        assert answer.confidence < 0.5 or answer.sources.empty
    for query in INSIDE:
        assert not collection.answer(query).abstained


def test_questions_of_one_frame_are_answered_or_refused_in_their_order(collection: Collection) -> None:
    queries = [INSIDE[0], OUTSIDE[1], INSIDE[1]]
    answers = collection.pipeline("default % 5 >> refuse >> quote")(asked(*queries))
    assert answers["qid"].tolist() == ["0", "1", "2"]
    assert answers["abstained"].tolist() == [False, True, False]
    assert not {"query_evidence", "query_refusal"} & set(answers.columns)
    alone = collection.pipeline("default % 5 >> quote")(asked(*queries))
    assert answers["qanswer"].tolist() == [alone["qanswer"][0], "", alone["qanswer"][2]]


@pytest.mark.parametrize(("threshold", "refused"), [(0, 0), (1, 3)])
def test_the_threshold_turns_it_off_or_refuses_all(collection: Collection, threshold: float, refused: int) -> None:
    pipeline = collection.pipeline(f"default % 5 >> refuse(threshold={threshold}) >> quote")
    assert pipeline(asked(INSIDE[0], *OUTSIDE[1:3]))["abstained"].sum() == refused


def test_the_evidence_is_the_same_after_the_statistics_are_read_again(collection: Collection) -> None:
    query = asked(INSIDE[0], OUTSIDE[1])
    first, again = Refuse(collection), Refuse(collection)
    evidence = first.evidence(first.features(query))
    (file,) = Path(collection.links_cache).glob("chance-*.json")
    assert again.evidence(again.features(query)) == evidence
    file.write_text("[1, 2", encoding="utf-8")
    damaged = Refuse(collection)
    assert damaged.evidence(damaged.features(query)) == evidence
    assert 0 <= evidence[1] < evidence[0] <= 1


def test_most_of_the_bundled_questions_go_where_they_belong(collection: Collection) -> None:
    refuse = Refuse(collection)
    outside = pd.read_json(FIRECODE / "out_of_scope.jsonl", lines=True)
    evidence = pd.Series(refuse.evidence(refuse.features(outside)), index=outside["kind"])
    refused = (evidence < 0.5).groupby(level=0).mean()
    assert refused["everyday"] >= 0.8
    assert refused["other law"] >= 0.9
    inside = collection.topics()
    assert (pd.Series(refuse.evidence(refuse.features(inside))) < 0.5).mean() <= 0.08


def test_what_one_provision_has_all_words_of_is_not_refused(collection: Collection) -> None:
    refuse = Refuse(collection)
    headings = sorted({provision.heading for provision in collection.docs() if provision.heading})
    features = refuse.features(asked(*headings))
    assert [one.whole for one in features].count(1) >= 0.9 * len(headings)
    assert min(pd.Series(refuse.evidence(features))[[one.whole == 1 for one in features]]) >= 0.5
    # Each word is in the collection, but no provision has both; a question of everyday words alone has none.
    assert [one.whole for one in refuse.features(asked("수직풍도", "수직풍도 포상금", "날씨", "?"))] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("주택 임대차가 끝나면 보증금을 언제 돌려받나요?", "it has little about tenancy"),
        ("상속과 이혼은 어느 법에 따르나요?", "it has little about marriage and inheritance"),
        ("항공사업법 제12조는 어떤 내용인가요?", "it has no 항공사업법, 제12조"),
        ("축구 경기는 몇 시에 시작하나요?", "answer the question; its provisions share"),
    ],
)
def test_the_reason_names_what_the_collection_lacks(collection: Collection, query: str, reason: str) -> None:
    answer = collection.answer(query)
    assert answer.abstained
    assert reason in answer.reason


def test_a_law_that_is_lacking_counts_unless_a_provision_of_the_collection_is_named(collection: Collection) -> None:
    refuse = Refuse(collection)
    lacking, both = "항공사업법 제12조", "항공사업법 제12조와 건축물 화재안전관리법 제3조"
    beside, by_name = f"{INSIDE[1]} {lacking} 참조", "항공사업법에 따르면 면허 기준은 무엇인가요?"
    features = refuse.features(asked(lacking, both, beside, by_name, INSIDE[1]))
    assert [one.length > 0 for one in features] == [False, True, True, True, True]
    assert [one.outside for one in features] == [1, 0, 1, 1, 0]
    evidence = refuse.evidence(features)
    assert [one >= 0.5 for one in evidence] == [False, True, False, False, True]
    assert "it has no 항공사업법" in refuse.reason(by_name, 0)


LAW = [
    ("3", "(1) Boats moor at berths.\n(2) At a berth are banned:\n(a) fires;\n(b) oil.\n(3) A berth may be changed."),
    ("4", "A fee of 20 crowns is due."),
    ("5", "Section 4 says who pays."),
    ("6", "(Repealed)"),
]


def law(root: Path, lang: str, rows: list[tuple[str, str]], laws: tuple[str, ...] = ("Quay Act",)) -> Collection:
    lines = [
        {"docno": f"{place}-{one}", "law": name, "article": one, "title": f"{name} {one}", "text": text}
        for place, name in enumerate(laws)
        for one, text in rows
    ]
    root.mkdir()
    (root / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (root / "dataset.yaml").write_text(f"lang: {lang}\n", encoding="utf-8")
    return Collection(root, cache=root / "cache")


@pytest.fixture(name="quay")
def new_quay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    return law(tmp_path / "quay", "en", LAW)


def test_what_a_provision_says_is_answered_by_it_alone(quay: Collection) -> None:
    for question in ("What does section 4 say?", "Quay Act, s 4", "Please explain section 4 of the Quay Act to me."):
        answer = quay.answer(question)
        assert (answer.citations, answer.quotes[0][1]) == (("0-4",), LAW[1][1]), question
    (whole,), (part,) = (quay.answer(f"What does section 3{one} say?").quotes for one in ("", "(2)"))
    assert whole[1] == " ".join(LAW[0][1].split())
    assert part[1] == "(2) At a berth are banned: (a) fires; (b) oil."


@pytest.mark.parametrize(
    ("lang", "question"),
    [
        ("de", "Was steht in § 4?"),
        ("fr", "Que prévoit l’article 4 ?"),
        ("ko", "제4조의 내용은?"),
        ("ja", "第4条には何が書いてありますか。"),
        ("zh", "第四条规定了什么？"),
    ],
)
def test_it_is_asked_in_any_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str, question: str) -> None:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    assert law(tmp_path / lang, lang, LAW).answer(question).citations == ("0-4",)


def test_the_number_of_an_article_above_its_text_is_no_paragraph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    ports = law(tmp_path / "fr", "fr", [("4", "Article 4\nLes bateaux paient.\nLes chalands paient.")], ("Loi Port",))
    (second,) = ports.answer("Que dit l'article 4, alinéa 2, de la Loi Port ?").quotes
    assert second[1] == "Les chalands paient."
    third = ports.answer("Que dit l'article 4, alinéa 3, de la Loi Port ?")
    assert third.reason.endswith("it has 2 paragraphs")


def test_what_is_repealed_or_not_there_is_said(quay: Collection) -> None:
    repealed, absent = (quay.answer(f"What does section {one} say?") for one in (6, 412))
    assert (repealed.abstained, repealed.reason) == (True, "all provisions that were found are repealed")
    assert repealed.sources["docno"].tolist() == ["0-6"]
    assert absent.reason == "this collection does not have what the question names, or not as law in force; " + (
        "it has no section 412"
    )
    part = quay.answer("What does section 3(9) say?")
    assert part.abstained
    assert part.reason.endswith("; section 3(9): it has no paragraph 9, but 1, 2, 3")
    assert not quay.answer("What does section 3(2)(b) say?").abstained
    dated = Collection("legalir/firecode-dated", cache=quay.cache / "dated")
    missing = dated.answer("밀집영업장 화재안전 특별법 제24조 제9항의 내용은?", as_of="2022-01-01").reason
    assert missing.endswith("it has no paragraph 9, but 1, 2, 3")
    harbour = Collection("legalir/harbour", cache=quay.cache / "harbour")
    gone = harbour.answer("What does section 19 of the Harbour Act say?", as_of="2024-01-01")
    assert gone.reason.endswith("; what it names is repealed, not yet in force, or left out by the filter")
    before = harbour.answer("What does section 19 of the Harbour Act say?", as_of="2021-01-01")
    assert before.citations == ("act-19@2020-01-01",)


def test_a_question_that_asks_more_than_what_a_provision_says_is_no_exception(tmp_path: Path, quay: Collection) -> None:
    more = [
        "What does section 4 say about dogs?",
        "What penalty does section 4 set?",
        "Does section 4 apply to yachts, and what is the speed of light?",
        "Who wrote section 4?",
        "What do sections 3 to 6 say?",
    ]
    plain, refuse = asked(*more), Refuse(quay)
    assert refuse._named(plain) == [None] * len(more)
    assert [one.whole + one.outside for one in refuse.features(plain)] == [0] * len(more)
    # A number of several laws names none of them.
    several = Refuse(law(tmp_path / "two", "en", LAW, ("Quay Act", "Pier Act")))
    assert several._named(asked("What does section 4 say?", "What does section 4 of the Pier Act say?")) == [
        None,
        {"1-4"},
    ]


def test_the_law_of_another_state_is_refused_and_what_comes_from_there_is_not(collection: Collection) -> None:
    refuse = Refuse(collection)
    other = ["일본 소방법에서 비상탈출구의 폭은?", "미국에서는 밀집영업장 비상탈출구의 폭이 얼마인가요?"]
    own = [
        "일본에서 수입한 임시소화장치도 되나요?",
        "미국인이 운영하는 밀집영업장의 비상탈출구 폭은?",
        INSIDE[1] + " 한국과 일본의 차이는?",
    ]
    assert [one.outside for one in refuse.features(asked(*other, *own))] == [1, 1, 0, 0, 0]
    assert "it asks for the law of Japan" in collection.answer(other[0]).reason


def test_states_that_the_nearest_provisions_name_are_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    texts = [
        "Drivers from New York may park.",
        "New York levies a toll.",
        "A licence of California is valid for a year.",
    ]
    lines = [json.dumps({"docno": f"d-{n}", "title": "", "text": text}) for n, text in enumerate(texts)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    refuse = Refuse(Collection(tmp_path, cache=tmp_path / "cache"))
    queries = ["What toll do I pay in Texas?", "Is a licence valid in California?", "What toll is there in New York?"]
    assert [one.outside for one in refuse.features(asked(*queries))] == [1, 0, 0]


def test_an_area_of_law_counts_by_the_provisions_that_have_its_words(collection: Collection) -> None:
    refuse = Refuse(collection)
    fire, tenancy, both, neither = refuse.features(asked("화재", "임대차", "화재와 임대차", "수직풍도"))
    assert [one.named for one in (fire, tenancy, both, neither)] == [1, 1, 1, 0]
    assert fire.area > both.area > tenancy.area >= neither.area == 0
    assert both.area == pytest.approx((fire.area + tenancy.area) / 2)


def test_each_language_has_as_many_everyday_questions_and_the_same_areas() -> None:
    names = {
        tuple(areas(code))
        for code in ("ar", "de", "en", "es", "fr", "id", "it", "ja", "ko", "pl", "pt", "th", "vi", "zh")
    }
    assert len(names) == 1
    assert areas("xx") == areas("en")
    assert all(len(set(words)) == len(words) for words in areas("en").values())
    assert len({len(everyday(code)) for code in ("ar", "de", "en", "es", "fr", "id", "it", "ja", "ko", "zh")}) == 1
    assert everyday("xx") == everyday("en")
    assert EVERYDAY.is_file()


def test_a_threshold_is_a_share(collection: Collection) -> None:
    with pytest.raises(ComponentError, match="threshold"):
        Refuse(collection, threshold=2)
