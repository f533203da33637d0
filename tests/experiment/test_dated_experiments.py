"""Experiments over versions of provisions: the day of each question, and judgements by key or by version."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from dated_folder import write_dated

import legalir
from legalir.errors import ExperimentError, LegalIRError
from legalir.experiments.definition import Definition
from legalir.measure.measures import judged_names


@pytest.fixture(name="collection", scope="module")
def dated_collection(tmp_path_factory: pytest.TempPathFactory) -> legalir.Collection:
    base = tmp_path_factory.mktemp("dated")
    return legalir.Collection(write_dated(base / "laws"), cache=base / "cache")


def definition(collection: legalir.Collection, **more: object) -> dict[str, object]:
    return {"dataset": collection.id, "systems": {"bm25": "bm25 % 3"}, "measures": ["R@1", "R@3"], **more}


def test_each_question_is_asked_on_its_day(collection: legalir.Collection) -> None:
    result = legalir.experiment(definition(collection), collection=collection)
    values = result.per_query.set_index(["qid", "measure"])["value"]
    # A key is judged: the version of 2012 counts. A version is judged: that of 2016 counts, and in 2021 another one is
    # in force. Kites are repealed one day after the question.
    assert [values[qid, "R@3"] for qid in ("lead-2012", "lead-2016", "lead-2021", "kites")] == [1, 1, 0, 1]
    assert values["kites", "R@1"] == 1
    # A report marks the version that counts.
    assert result.context.gold["lead-2012"] == {"parks-1@2010-01-01": 1}
    assert result.context.gold["lead-2021"] == {"parks-1@2015-07-01": 1}
    assert result.context.titles["parks-1@2010-01-01"] == "Parks Act Article 1"


def test_a_day_for_questions_without_one(tmp_path: Path) -> None:
    folder = write_dated(tmp_path / "laws")
    (folder / "queries.jsonl").write_text('{"qid": "kites", "query": "May kites fly in a park on Sundays?"}\n')
    (folder / "qrels.txt").write_text("kites 0 parks-3@2010-01-01 1\n")
    collection = legalir.Collection(folder, cache=tmp_path / "cache")
    for day, value in (("2017-12-31", 1.0), ("2018-01-01", 0.0)):
        result = legalir.experiment(definition(collection, as_of=day), collection=collection)
        assert result.table["R@1"].tolist() == [value]


def test_tables_name_day_and_filter_and_count_what_is_outside(tmp_path: Path) -> None:
    folder = write_dated(tmp_path / "laws")
    qids = ("a", "b", "c", "d")
    write = (folder / "queries.jsonl").write_text
    write("".join(f'{{"qid": "{qid}", "query": "dog kites permit"}}\n' for qid in qids), encoding="utf-8")
    # By key, in force; another version is in force; repealed; another law; unknown, which is said elsewhere.
    judged = ["a 0 parks-1 1", "a 0 parks-1@2010-01-01 0", "b 0 parks-1@2010-01-01 1", "c 0 parks-3 1"]
    judged += ["d 0 fees-7 1", "d 0 fees-1 1", "d 0 parks-9 1"]
    (folder / "qrels.txt").write_text("\n".join(judged) + "\n", encoding="utf-8")
    laws, where = legalir.Collection(folder, cache=tmp_path / "cache"), "law=Parks Act"
    more = {"as_of": "2022-01-01"}
    only = legalir.Collection(folder, cache=tmp_path / "cache", where=where, **more)
    day = (
        "(as of 2022-01-01; 2 of 6 relevant provisions, for 2 of the questions, are not in force on the day and count "
    )
    both = f"(as of 2022-01-01; where {where}; 4 of 6 relevant provisions, for 3 of the questions, are outside of the "
    for given, collection, expected in (
        (more, laws, f"{day}as not found)"),
        ({**more, "where": where}, laws, f"{both}filter or not in force on the day and count as not found)"),
        ({}, only, f"{both}filter or not in force on the day and count as not found)"),
    ):
        result = legalir.experiment(definition(laws, **given), collection=collection)
        assert result.scope == f" {expected}"
        assert expected in result.to_markdown()


def test_a_day_in_yaml(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("dataset: x\nmeasures: [R@1]\nsystems: {bm25: bm25}\nas_of: 2021-03-01\n", encoding="utf-8")
    assert Definition.load(path).as_of == "2021-03-01"
    path.write_text("dataset: x\nmeasures: [R@1]\nsystems: {bm25: bm25}\nas_of: '2021-02-31'\n", encoding="utf-8")
    with pytest.raises(ExperimentError, match="'as_of': '2021-02-31' is not a date"):
        Definition.load(path)


def test_a_day_needs_versions() -> None:
    with pytest.raises(LegalIRError, match="needs versions"):
        legalir.experiment(
            {"dataset": "legalir/firecode", "systems": {"b": "bm25"}, "measures": ["R@1"], "as_of": "2021-03-01"}
        )


QRELS = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b@2020-01-01"], "label": [1, 1]})


def test_names_of_judgements() -> None:
    docnos = ["a@2021-01-01", "b@2021-01-01", "a@2020-01-01", "b@2020-01-01", "c@2020-01-01"]
    run = pd.DataFrame({"qid": ["1"] * 5, "docno": docnos, "score": [5.0, 4.0, 3.0, 2.0, 1.0], "rank": range(5)})
    named = judged_names(run, QRELS)
    # The second version of a is a second hit of one judgement, and is left out.
    assert named["docno"].tolist() == ["a", "b@2021-01-01", "b@2020-01-01", "c@2020-01-01"]
    assert named["rank"].tolist() == [0, 1, 2, 3]
    assert run["docno"].tolist() == docnos


def test_names_in_answers() -> None:
    run = pd.DataFrame(
        {"qid": ["1"], "qanswer": [""], "citations": [("a@2021-01-01", "a", "b@2021-01-01")], "context_docnos": [()]}
    )
    assert judged_names(run, QRELS)["citations"].tolist() == [("a", "b@2021-01-01")]


def test_a_run_without_versions_stays_as_it_is() -> None:
    run = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "rank": [0]})
    assert judged_names(run, QRELS) is run
