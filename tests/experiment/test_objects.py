"""Experiments from Python: transformers as systems, topics and judgements as frames, stored runs."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, DOCNOS, QRELS, TOPICS, FakeCollection, page_of

from legalir.errors import ExperimentError
from legalir.experiments import Definition, ExperimentResult, run
from legalir.experiments.fingerprints import pipeline_fingerprint

FRAME = pd.DataFrame({"qid": ["q1", "q2"], "docno": DOCNOS[:2], "score": [1.0, 2.0]}).assign(rank=0, query="?")


class Mine(pt.Transformer):
    """Returns one document."""

    def __init__(self, number: int, more: object = None) -> None:
        self.number, self.more = number, more

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.assign(docno=DOCNOS[self.number], score=1.0, rank=0)


def result(systems: dict[str, object], out: Path | None = None, **changes: object) -> ExperimentResult:
    definition = {**DEFINITION, "systems": systems, "baseline": None}
    found = run(definition, out, collection=FakeCollection(), latency_queries=0, **changes)  # type: ignore[arg-type]
    assert isinstance(found, ExperimentResult)
    return found


def test_objects_have_the_figures_of_expressions(tmp_path: Path) -> None:
    collection = FakeCollection()
    objects = {"A": collection.pipeline("strong"), "B": collection.pipeline("weak % 1"), "C": Mine(0)}
    found = result({"A": "strong", "B": "weak % 1", "C": Mine(0)}, tmp_path)
    with_objects = result(objects)
    pd.testing.assert_frame_equal(found.table, with_objects.table)
    again = ExperimentResult.load(tmp_path)
    pd.testing.assert_frame_equal(found.table, again.table)
    assert "Mine" in again.definition.systems["C"] and " at 0x" not in again.definition.systems["C"]
    assert page_of(again) == page_of(found)
    assert found.compare(again)["difference"].tolist() == [0.0] * 9


def test_a_run_of_an_object_is_reused_while_its_state_is_the_same(tmp_path: Path) -> None:
    assert result({"A": Mine(1)}, tmp_path).reused == []
    assert result({"A": Mine(1)}, tmp_path).reused == ["A"]
    assert result({"A": Mine(2)}, tmp_path).reused == []
    with (tmp_path / "open").open("wb") as stream:  # A state that cannot be written.
        for _ in range(2):
            assert result({"A": Mine(2, stream)}, tmp_path).reused == []


PLACE = 1


def class_of(place: int) -> type[pt.Transformer]:
    """Return a class with a closure, an attribute and slots, whose method reads a global name."""

    class Local(pt.Transformer):
        __slots__ = ("number",)
        more = 0

        def __init__(self) -> None:
            self.number = 0

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return inp.assign(docno=DOCNOS[PLACE + place + self.more + self.number], score=1.0, rank=0)

    return Local


@pytest.mark.parametrize("change", ["nothing", "global", "closure", "attribute", "base", "slot", "method", "unknown"])
def test_all_that_the_methods_of_an_object_read_counts(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kind = class_of(0)
    assert result({"A": type("Sub", (kind,), {})()}, tmp_path).reused == []
    assert result({"A": type("Sub", (kind,), {})()}, tmp_path).reused == ["A"]
    if change == "closure":
        kind = class_of(1)
    mine = type("Sub", (kind,), {"more": 1} if change == "attribute" else {})()
    if change == "global":
        monkeypatch.setitem(globals(), "PLACE", 2)
    elif change == "base":
        kind.more = 1  # type: ignore[attr-defined]
    elif change == "slot":
        mine.number = 1  # type: ignore[attr-defined]
    elif change == "method":
        kind.transform = lambda self, inp: inp.assign(docno=DOCNOS[2], score=1.0, rank=0)  # type: ignore[method-assign]
    elif change == "unknown":
        kind.more = (one for one in "ab")  # type: ignore[attr-defined]
        kind.transform = Mine(2).transform  # type: ignore[method-assign]
    assert result({"A": mine}, tmp_path).reused == (["A"] if change == "nothing" else [])
    assert ("cannot be reused" in caplog.text) == (change == "unknown")


@pytest.mark.parametrize("read", ["settings.PLACE", "int(sys.argv[1])", "place()"])
def test_modules_beside_a_script_count_as_they_are_in_the_process(
    read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_settings.py").write_text("PLACE = 1\ndef place(): return PLACE\n")
    (tmp_path / "my_systems.py").write_text(
        "import sys\nimport pyterrier as pt\nimport my_settings as settings\nfrom my_settings import place\n"
        f"class Read(pt.Transformer):\n    def transform(self, inp):\n        return inp.head({read})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    keys = []
    for number in (1, 1, 2):
        systems = importlib.import_module("my_systems")
        monkeypatch.setattr(sys, "argv", ["script.py", str(number)])
        monkeypatch.setattr(systems.settings, "PLACE", number)
        keys.append(pipeline_fingerprint(systems.Read()))
    for name in ("my_systems", "my_settings"):
        del sys.modules[name]
    assert keys[0] == keys[1] != keys[2]


def test_a_repr_with_a_dollar_and_a_folder(tmp_path: Path) -> None:
    class Odd(Mine):
        def __repr__(self) -> str:
            return f"<Odd ${{x}} $$\n'{tmp_path}/deep'>"

    found = result({"A": Odd(1)}, tmp_path / "r")
    again = ExperimentResult.load(tmp_path / "r")
    assert again.definition.expressions()["A"] == "<Odd ${x} $$ 'deep'>"
    assert page_of(again) == page_of(found)


def test_frames_instead_of_the_topics_and_judgements_of_the_dataset(tmp_path: Path) -> None:
    topics, qrels = TOPICS.iloc[[2, 0]], QRELS[QRELS["qid"] != "q2"].assign(label=1.0, iteration="0")
    found = result({"A": "strong"}, tmp_path, topics=topics, qrels=qrels)
    assert list(found.context.queries) == ["q3", "q1"]
    same = run({**DEFINITION, "topics": topics, "qrels": qrels}, collection=FakeCollection())  # type: ignore[arg-type]
    assert list(same.context.queries) == ["q3", "q1"]
    stored = ExperimentResult.load(tmp_path)
    assert page_of(stored)
    with pytest.raises(ExperimentError, match="'topics'"):
        run(tmp_path / "definition.yaml", collection=FakeCollection())  # type: ignore[arg-type]
    again = run(stored.definition, topics=topics, qrels=qrels, collection=FakeCollection())  # type: ignore[arg-type]
    pd.testing.assert_series_equal(again.table["R@2"], stored.table["R@2"])


def test_labels_below_0_of_a_frame_are_0() -> None:
    frame = Definition.parse({**DEFINITION, "qrels": QRELS.assign(label=-2)}).frame("qrels")
    assert frame is not None
    assert set(frame["label"]) == {0}


def test_judgements_of_what_the_collection_lacks_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    result({"A": "strong"}, qrels=QRELS.assign(docno=["nowhere", *QRELS["docno"][1:]]))
    assert any("'nowhere'" in record.getMessage() for record in caplog.records)


def test_judged_questions_without_a_text_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    more = pd.concat([QRELS, QRELS.head(1).assign(qid="q99")], ignore_index=True)
    asked = QRELS["qid"].nunique()
    assert set(result({"A": "strong"}, qrels=more).per_query["qid"]) == set(QRELS["qid"])
    assert [f"1 of {asked + 1} judged" in text and "'q99'" in text for text in caplog.messages] == [True]


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("topics", 5, "int"),
        ("topics", [TOPICS], "list"),
        ("topics", TOPICS.rename(columns={"qid": "query_id"}), "query_id"),
        ("topics", TOPICS.assign(qid=[1, 2, 3, 4]), "1"),
        ("topics", TOPICS.assign(query=None), "query"),
        ("topics", TOPICS.iloc[:0], "row"),
        ("topics", FRAME, "docno"),
        ("qrels", TOPICS, "docno"),
        ("qrels", QRELS.assign(label=0.5), "0.5"),
        ("qrels", QRELS.assign(label="x"), "'x'"),
        ("qrels", QRELS.assign(label=None), "label"),
        ("qrels", pd.concat([QRELS, QRELS]), "twice"),
        ("systems", {"A": 5}, "5"),
        ("systems", {"A": Mine}, "type"),
        ("systems", {"A": FRAME}, "DataFrame"),
        ("systems", {"A": lambda frame: frame}, "function"),
    ],
)
def test_a_wrong_object_is_one_sentence(name: str, value: object, word: str) -> None:
    calls = [lambda: Definition.parse({**DEFINITION, "baseline": None, name: value})]
    if name != "systems":
        calls.append(lambda: run(DEFINITION, collection=FakeCollection(), **{name: value}))  # type: ignore[arg-type]
    if name == "qrels":  # The questions beside them are right.
        calls.append(lambda: run(DEFINITION, collection=FakeCollection(), topics=TOPICS, qrels=value))  # type: ignore[arg-type]
    for call in calls:
        with pytest.raises(ExperimentError) as caught:
            call()
        assert name in str(caught.value) and word in str(caught.value) and "\n" not in str(caught.value)


def test_a_stored_run_is_run_again_when_its_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "data" / "other.trec"
    path.parent.mkdir()
    definition = tmp_path / "data" / "one.yaml"
    definition.write_text(
        "dataset: legalir/firecode/dev\nmeasures: [R@5]\nbaseline: BM25\n"
        "systems: {BM25: bm25, Other: 'run(\"./other.trec\") % 5'}\n",
        encoding="utf-8",
    )
    path.write_text("fc001 Q0 none 1 3 x\n", encoding="utf-8")
    first = run(definition, tmp_path / "r", latency_queries=0)
    assert isinstance(first, ExperimentResult)
    assert first.table["R@5 p-value"].notna().tolist() == [False, True], "tested like any other"
    assert run(definition, tmp_path / "r", latency_queries=0).reused == ["BM25", "Other"]  # type: ignore[union-attr]
    path.write_text("fc001 Q0 none 1 2 x\n", encoding="utf-8")
    assert run(definition, tmp_path / "r", latency_queries=0).reused == ["BM25"]  # type: ignore[union-attr]
    page = first.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "other.trec" in page and str(tmp_path) not in page
