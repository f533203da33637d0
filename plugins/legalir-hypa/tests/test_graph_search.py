"""`triples`: from the words of a question, over facts, to provisions and text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scripted import Scripted

import legalir
from legalir import Client
from legalir.errors import ComponentError, LegalIRError
from legalir.extend import ChatReply, ChatRequest

PROVISIONS = {
    "act-1": "The keeper of a lighthouse lights the lamp at sunset.",
    "act-2": "A lamp burns oil.",
    "act-3": "Oil is stored in a cellar.",
    "decree-1": "In fog the keeper rings the bell.",
    "decree-2": "The bell is examined by an inspector, who is paid a fee.",
    "decree-3": "A ferry carries goods.",
}
FACTS = (
    ("act-1", "keeper", "lights at sunset", "lamp"),
    ("act-2", "lamp", "burns", "oil"),
    ("act-3", "oil", "is stored in", "cellar"),
    ("decree-1", "keeper", "rings in fog", "bell"),
    ("decree-2", "inspector", "examines", "bell"),
    ("decree-3", "ferry", "carries", "goods"),
)
QUESTION = "When is the lamp of the keeper lit?"


def opened(
    tmp_path: Path, reply: Callable[[ChatRequest], str | ChatReply] | None = None
) -> tuple[legalir.Collection, Scripted]:
    folder = tmp_path / "lamps"
    folder.mkdir()
    rows = [json.dumps({"docno": docno, "text": text}) for docno, text in PROVISIONS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), encoding="utf-8")
    names = ("docno", "subject", "predicate", "object")
    facts = [json.dumps(dict(zip(names, fact, strict=True))) for fact in FACTS]
    (tmp_path / "facts.jsonl").write_text("\n".join(facts), encoding="utf-8")
    model = Scripted(reply or (lambda request: json.dumps({"keywords": ["lamp"]})))
    client = Client(model, cache=tmp_path / "llm.sqlite")
    return legalir.Collection(folder, cache=tmp_path / "cache", client=client), model


def expression(tmp_path: Path, **params: Any) -> str:
    given = {"graph": str(tmp_path / "facts.jsonl"), "encoder": None, **params}
    return f"triples({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def asked(*texts: str, **columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"qid": [f"q{n}" for n in range(1, len(texts) + 1)], "query": list(texts), **columns})


def test_key_words_lead_to_walks_and_these_to_provisions(tmp_path: Path) -> None:
    collection, model = opened(tmp_path)
    out = collection.pipeline(expression(tmp_path, max_paths=2))(asked(QUESTION))
    assert [one.prompt for one in model.requests] == ["keywords"]
    assert model.requests[0].question == QUESTION
    assert "Maximum number of key words: 4" in model.requests[0].messages[1][1]
    # From the lamp: to oil and cellar, to the keeper and the bell. The longest texts first.
    walks = ["lamp ← lights at sunset ← keeper → rings in fog → bell", "lamp → burns → oil → is stored in → cellar"]
    assert out["context"].unique().tolist() == ["\n".join(walks)]
    assert out["docno"].tolist() == ["act-1", "decree-1", "act-2", "act-3"]
    assert out["score"].tolist() == [1, 1 / 2, 1 / 3, 1 / 4]
    assert out.columns.tolist() == ["qid", "query", "context", "docno", "score", "rank"]
    one = collection.pipeline(expression(tmp_path, max_paths=1, depth=1))(asked(QUESTION))
    assert one["context"].unique().tolist() == ["lamp ← lights at sunset ← keeper"]


def test_provisions_are_added_below_the_list(tmp_path: Path) -> None:
    collection, _ = opened(tmp_path)
    before = collection.pipeline("bm25 % 1")(asked(QUESTION))
    assert before["docno"].tolist() == ["act-1"]
    frame = before.assign(context="What stood there.")
    out = collection.pipeline(expression(tmp_path, max_paths=1))(frame)
    assert out["docno"].tolist() == ["act-1", "decree-1"]
    text = "What stood there.\nlamp ← lights at sunset ← keeper → rings in fog → bell"
    assert out["context"].unique().tolist() == [text]
    # Before a retriever, it gives the text alone.
    found = collection.pipeline(f"{expression(tmp_path, max_paths=1)} >> bm25 % 1")(asked(QUESTION))
    assert found["docno"].tolist() == ["act-1"]
    assert found["context"].unique().tolist() == [text.splitlines()[1]]


def test_the_question_leads_where_no_model_is_asked_or_its_reply_failed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collection, model = opened(tmp_path, lambda request: ChatReply("", finish_reason="content_filter"))
    plain = collection.pipeline(expression(tmp_path, by="question"))(asked(QUESTION))
    assert model.requests == []
    # The lamp and the keeper are begun at.
    walks = [
        "lamp ← lights at sunset ← keeper → rings in fog → bell",
        "keeper → rings in fog → bell ← examines ← inspector",
    ]
    assert plain["context"][0].splitlines() == walks
    failed = collection.pipeline(expression(tmp_path))(asked(QUESTION))
    pd.testing.assert_frame_equal(failed, plain)
    assert collection.client.usage.failed == {"filtered": 1}
    assert "Failed replies: 1 filtered" in caplog.text


def test_facts_are_found_by_their_vectors(tmp_path: Path) -> None:
    collection, _ = opened(tmp_path)
    text = expression(tmp_path, by="question", keywords=0, similar=1, encoder="lsa")
    out = collection.pipeline(text)(asked("What does a ferry carry?", "Who examines the bell?"))
    assert out["context"].tolist() == ["ferry → carries → goods", "inspector → examines → bell"]
    assert out["docno"].tolist() == ["decree-3", "decree-2"]
    near = expression(tmp_path, by="question", max_paths=1, encoder="lsa", keep="similar", depth=1)
    out = collection.pipeline(near)(asked("In fog, does the keeper ring the bell?"))
    assert out["context"].unique().tolist() == ["keeper → rings in fog → bell"]
    with pytest.raises(LegalIRError, match="keep='similar'"):
        collection.pipeline(expression(tmp_path, keep="similar"))


def test_columns_replace_the_numbers(tmp_path: Path) -> None:
    collection, model = opened(tmp_path)
    frame = asked(*[QUESTION] * 4, paths=[0, 1, 2, 3], keywords=[4, 4, 4, 0])
    out = collection.pipeline(expression(tmp_path))(frame)
    assert out.groupby("qid")["context"].first().map(lambda text: len(text.splitlines())).to_dict() == {
        "q2": 1,
        "q3": 2,
    }
    assert len(model.requests) == 1  # Questions without walks are not asked about.
    deep = collection.pipeline(expression(tmp_path, adapts="depth", max_paths=1))(frame)
    walk = "lamp ← lights at sunset ← keeper"
    assert deep.groupby("qid")["context"].first().to_dict() == {"q2": walk, "q3": f"{walk} → rings in fog → bell"}
    for paths, fault in (([-1] * 4, "paths=-1 is not an integer of at least 0"), ([0.5] * 4, "paths=0.5")):
        with pytest.raises(ComponentError, match=fault):
            collection.pipeline(expression(tmp_path))(frame.assign(paths=paths))


def test_a_fact_of_many_provisions_adds_few(tmp_path: Path) -> None:
    collection, _ = opened(tmp_path)
    rows = [{"docno": docno, "subject": "lamp", "predicate": "is", "object": "lit"} for docno in PROVISIONS]
    (tmp_path / "facts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert len(collection.pipeline(expression(tmp_path))(asked(QUESTION))) == 3
    assert len(collection.pipeline(expression(tmp_path, provisions=5))(asked(QUESTION))) == 5


def test_an_empty_graph_adds_nothing(tmp_path: Path) -> None:
    collection, model = opened(tmp_path)
    (tmp_path / "facts.jsonl").write_text("", encoding="utf-8")
    out = collection.pipeline(f"bm25 % 2 >> {expression(tmp_path, encoder='lsa')}")(asked(QUESTION))
    assert out["docno"].tolist() == ["act-1", "decree-1"]
    assert out["context"].tolist() == ["", ""]
    assert model.requests == []


def test_a_graph_that_was_not_built_names_the_command(tmp_path: Path) -> None:
    collection, _ = opened(tmp_path)
    with pytest.raises(LegalIRError, match=r"triples: .* has no knowledge graph: build it with `legalir graph triples"):
        collection.pipeline("bm25 >> triples")


def test_the_explanation_shows_the_walk(tmp_path: Path) -> None:
    collection, _ = opened(tmp_path)
    found = collection.search(QUESTION, f"bm25 % 1 >> {expression(tmp_path, max_paths=1)}")
    first, last = found.explain()
    assert first.parts[0].label == "place 1, of the list"
    assert first.parts[0].source is not None
    assert first.is_whole()
    walk = "lamp ← lights at sunset ← keeper → rings in fog → bell"
    assert str(last).splitlines()[1] == f"  +0.5000  place 2, by the walk {walk}"
    assert last.parts[0].detail == {"place": 2, "walk": walk, "fact": ["keeper", "rings in fog", "bell"]}


@pytest.mark.parametrize(
    "params",
    [
        *({"depth": 0}, {"depth": 7}, {"max_paths": -1}, {"keywords": 51}, {"similar": 0.5}, {"provisions": 0}),
        *({"keep": "best"}, {"adapts": "k"}, {"by": "chance"}),
    ],
)
def test_parameters_are_checked(tmp_path: Path, params: dict[str, Any]) -> None:
    collection, _ = opened(tmp_path)
    ((name, value),) = params.items()
    with pytest.raises(LegalIRError, match=f"triples: {name}={value!r} is not"):
        collection.pipeline(expression(tmp_path, **params))


def test_the_run_knows_the_graph_the_model_and_the_prompt(tmp_path: Path) -> None:
    collection, model = opened(tmp_path)
    text = expression(tmp_path)
    first = collection.pipeline(text).fingerprint
    assert collection.pipeline(text).fingerprint == first
    model.name = "another"
    second = collection.pipeline(text).fingerprint
    (tmp_path / "facts.jsonl").write_text("", encoding="utf-8")
    third = collection.pipeline(text).fingerprint
    assert len({first, second, third}) == 3


def test_without_a_model_the_cure_is_named(tmp_path: Path) -> None:
    opened(tmp_path)
    collection = legalir.Collection(tmp_path / "lamps", cache=tmp_path / "cache", client=Client())
    with pytest.raises(LegalIRError, match="No language model is named"):
        collection.pipeline(expression(tmp_path))
