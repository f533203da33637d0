"""Runs: made once, reused exactly as long as nothing they depend on has changed, checked, cut."""

from __future__ import annotations

import json
import re
import resource
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, DOCNOS, QRELS, RANKINGS, TOPICS, FakeCollection, Lists

from legalir import Collection
from legalir.errors import ExperimentError
from legalir.experiments import Definition, ExperimentResult, run
from legalir.experiments.execution import make_runs
from legalir.experiments.runs import Run
from legalir.experiments.scores import scorable


def made(collection: FakeCollection, out: Path | None = None, latency: int = 0, **changes: object) -> dict[str, Run]:
    definition = Definition.parse({**DEFINITION, "baseline": None, **changes})
    return make_runs(definition, collection, TOPICS, out, latency)[0]  # type: ignore[arg-type]


def reused(runs: dict[str, Run]) -> list[str]:
    return [name for name, run in runs.items() if run.reused]


def test_runs_are_the_lists_in_order_of_the_definition() -> None:
    runs = made(FakeCollection())
    assert list(runs) == ["약함", "Strong", "Strong, first only"]
    frame = runs["약함"].frame
    assert list(frame.columns) == ["qid", "docno", "score", "rank"]
    first = frame[frame["qid"] == "q1"]
    assert first["docno"].tolist() == [DOCNOS[number - 1] for number in RANKINGS["weak"]["q1"]]
    assert first["rank"].tolist() == [0, 1, 2]


def test_a_shared_prefix_and_a_repeated_system_run_once() -> None:
    collection = FakeCollection()
    made(collection, systems={"a": "strong", "b": "strong % 1", "c": "strong", "d": "strong % 1"})
    assert collection.asked == {("strong", 4): 1}


def test_depth_cuts_and_ties_go_by_docno(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(FakeCollection(), depth=1, measures=["P@1"], references=[])["약함"].frame["rank"].max() == 0
    whole = Lists.transform
    monkeypatch.setattr(Lists, "transform", lambda self, inp: whole(self, inp).assign(score=0.5))
    first = made(FakeCollection(), systems={"s": "weak"})["s"].frame.query("qid == 'q1'")
    assert first["docno"].tolist() == ["제1조", "제7조", "제8조"]


def test_a_run_is_not_reused_after_a_provision_was_renumbered(tmp_path: Path) -> None:
    made(FakeCollection(), tmp_path)
    moved = FakeCollection(source=SimpleNamespace(aliases=[], replaced={"제1조": "제9조"}))  # as origin.jsonl says
    assert reused(made(moved, tmp_path)) == []
    assert reused(made(moved, tmp_path)) != []


def lamp(folder: Path, relevant: str) -> str:
    """Write a folder of two provisions and a question, and return its path."""
    folder.mkdir(exist_ok=True)
    (folder / "corpus.jsonl").write_text('{"docno": "a", "text": "lamp"}\n{"docno": "b", "text": "fog"}\n')
    (folder / "queries.jsonl").write_text('{"qid": "q", "query": "lamp"}\n')
    (folder / "qrels.txt").write_text(f"q 0 {relevant} 1\n")
    return str(folder)


UPPER = {"measures": ["R@1"], "systems": {"upper bound": "golden % 10", "bm25": "bm25(analyzer='word')"}}


def test_golden_runs_again_after_a_change_of_judgements_and_others_do_not(tmp_path: Path) -> None:
    for relevant in "ab":
        found = run({"dataset": lamp(tmp_path / "mg", relevant), **UPPER}, tmp_path / "out", latency_queries=0)
        assert found.table["R@1"].iloc[0] == 1
    assert found.reused == ["bm25"]


def test_golden_refuses_other_judgements_than_its_own(tmp_path: Path) -> None:
    collection = Collection(lamp(tmp_path / "mg", "a"), cache=tmp_path / "cache")
    definition = {"dataset": collection.id, **UPPER}
    own = pd.DataFrame({"qid": ["q"], "docno": ["b"], "label": [1]})
    with pytest.raises(ExperimentError, match=r"upper bound.*golden returns the judgements of the dataset"):
        run(definition, collection=collection, qrels=own, latency_queries=0)
    assert run(definition, collection=collection, qrels=own.assign(docno="a"), latency_queries=0).runs


def harbour(folder: Path) -> None:
    """Write a folder of two laws of three articles each, with two questions."""
    folder.mkdir()
    laws = [("h", "Hamnlagen", "Fyren lyser. Se lagen om dimma."), ("f", "Lag om dimma", "Fartyg ska ge ljud.")]
    rows = [
        {"docno": f"{key}-{number}", "law": law, "article": str(number), "title": f"{law} {number} §", "text": text}
        for key, law, text in laws
        for number in (1, 2, 3)
    ]
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    questions = [("1", "HL 1 §, fyren", "ljud i dimma"), ("2", "Hamnlagens 2 §", "fyren")]
    lines = [json.dumps({"qid": qid, "query": query, "short": short}) for qid, query, short in questions]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    (folder / "qrels.txt").write_text("1 0 h-1 1\n2 0 h-2 1\n")
    (folder / "dataset.yaml").write_text("lang: en\n")


READERS = {
    "lookup": "lookup",
    "default": "default",
    "golden": "golden",
    "sar": 'bm25 >> sar(normalize="minmax")',
    "quote": "bm25 >> quote",
    "chunked": 'chunked(bm25, by="line")',
}


@pytest.mark.parametrize(
    ("file", "text", "again"),
    [
        ("aliases.tsv", "HL\tHamnlagen\n", {"lookup", "default"}),
        ("aliases.tsv", "HL\tLag om dimma\n", {"lookup", "default"}),
        ("links.tsv", "h-2\tf-2\tcites\nh-1\tf-3\tcites\n", {"default", "sar"}),
        ("qrels.txt", "1 0 h-3 1\n2 0 h-2 1\n", {"golden"}),
        ("dataset.yaml", "lang: sv\n", {"lookup", "default", "quote"}),
        ("dataset.yaml", "lang: en\nquery_field: short\n", set(READERS)),
        ("origin.jsonl", '{"docno": "h-1", "replaced_by": "f-1"}\n', {"lookup"}),
        ("definitions.jsonl", '{"docno": "h-1", "term": "fyr", "text": "Fyren lyser."}\n', set()),
        ("out_of_scope.jsonl", '{"qid": "9", "query": "fyren"}\n', set()),
    ],
)
def test_a_change_of_any_file_of_the_folder_gives_the_results_of_a_new_run(
    tmp_path: Path, file: str, text: str, again: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    harbour(tmp_path / "laws")
    definition = {"dataset": str(tmp_path / "laws"), "measures": ["R@2"], "systems": READERS}
    before = (tmp_path / "laws" / file).read_text() if (tmp_path / "laws" / file).exists() else None

    def results(out: Path | None, cache: str) -> ExperimentResult:
        collection = Collection(tmp_path / "laws", cache=tmp_path / cache)
        found = run(definition, out, collection=collection, latency_queries=0)
        assert isinstance(found, ExperimentResult)
        return found

    results(tmp_path / "out", "cache")
    for content, number in ((text, 1), (before, 2)):
        path = tmp_path / "laws" / file
        path.unlink() if content is None else path.write_text(content)
        changed, new = results(tmp_path / "out", "cache"), results(None, f"new{number}")
        assert again.isdisjoint(changed.reused)
        for name, frame in new.runs.items():
            pd.testing.assert_frame_equal(changed.runs[name], frame)


@pytest.mark.parametrize("file", ["chunks.tsv", "provisions.jsonl"])
def test_what_chunks_contain_counts(tmp_path: Path, file: str) -> None:
    harbour(tmp_path / "laws")
    (tmp_path / "laws" / "dataset.yaml").unlink()
    made = Collection(tmp_path / "laws", cache=tmp_path / "cache").chunked("line").id
    chunks = Path(shutil.copytree(made, tmp_path / "chunks"))
    definition = {"dataset": str(chunks), "measures": ["CitationR"], "systems": {"quote": "bm25 >> quote"}}
    for changed, expected in ((False, []), (False, ["quote"]), (True, [])):
        if changed:
            lines = (chunks / file).read_text().splitlines(keepends=True)
            (chunks / file).write_text("".join(lines[:-1]))
        assert run(definition, tmp_path / "out", latency_queries=0).reused == expected


def test_unchanged_runs_are_reused_and_equal(tmp_path: Path) -> None:
    first = made(FakeCollection(), tmp_path)
    collection = FakeCollection()
    second = made(collection, tmp_path)
    assert reused(first) == [] and reused(second) == list(second)
    assert not collection.asked
    for name, made_first in first.items():
        pd.testing.assert_frame_equal(made_first.frame, second[name].frame)
        assert made_first.record == second[name].record


@pytest.mark.parametrize("change", [{"corpus": "corpus-2"}, {"analyzer": "analyzer-2"}])
def test_another_corpus_or_analyzer_reuses_nothing(tmp_path: Path, change: dict[str, str]) -> None:
    made(FakeCollection(), tmp_path)
    assert reused(made(FakeCollection(**change), tmp_path)) == []  # type: ignore[arg-type]


def test_another_depth_version_or_question_reuses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(FakeCollection(), tmp_path)
    assert reused(made(FakeCollection(), tmp_path, depth=99)) == []
    made(FakeCollection(), tmp_path)
    monkeypatch.setattr("legalir.experiments.fingerprints.source_fingerprint", lambda: "another")
    assert reused(made(FakeCollection(), tmp_path)) == []
    definition = Definition.parse({**DEFINITION, "baseline": None})
    topics = TOPICS.assign(query=TOPICS["query"] + "?")
    again, _ = make_runs(definition, FakeCollection(), topics, tmp_path, 0)  # type: ignore[arg-type]
    assert reused(again) == []


def test_only_the_changed_expression_runs_and_spelling_is_no_change(tmp_path: Path) -> None:
    made(FakeCollection(), tmp_path, systems={"a": "strong % 2", "b": "weak"})
    collection = FakeCollection()
    runs = made(collection, tmp_path, systems={"a": "strong % 1", "b": "weak", "c": "weak % 1"})
    assert reused(runs) == ["b"]
    assert collection.asked == {("strong", 4): 1, ("weak", 4): 1}


@pytest.mark.parametrize("suffix", [".trec", ".json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove", "empty"])
def test_a_damaged_file_is_made_again(tmp_path: Path, suffix: str, damage: str) -> None:
    made(FakeCollection(), tmp_path)
    path = next((tmp_path / "runs").glob(f"약함{suffix}"))
    content = bytearray(path.read_bytes())
    if damage == "flip":
        # Any byte of the run; of the record, one of its key.
        content[10 if suffix == ".trec" else content.index(b'"key"') + 10] ^= 1
    if damage == "cut":
        content = content[: len(content) // 2]
    path.write_bytes(b"" if damage == "empty" else content)
    if damage == "remove":
        path.unlink()
    runs = made(FakeCollection(), tmp_path)
    assert reused(runs) == ["Strong", "Strong, first only"]
    assert reused(made(FakeCollection(), tmp_path)) == list(runs)


def test_an_interrupted_experiment_goes_on(tmp_path: Path) -> None:
    class Interrupted(Counter[tuple[str, int]]):
        def __setitem__(self, asked: tuple[str, int], count: int) -> None:
            if asked[0] == "weak":
                raise KeyboardInterrupt
            super().__setitem__(asked, count)

    systems = {"a": "strong", "b": "weak"}
    with pytest.raises(KeyboardInterrupt):
        made(FakeCollection(asked=Interrupted()), tmp_path, systems=systems)
    assert reused(made(FakeCollection(), tmp_path, systems=systems)) == ["a"]


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("broken_twice", "제1조 twice for the query q1"),
        ("broken_infinite", "not a finite number"),
        ("broken_columns", "no column 'docno'"),
    ],
)
def test_what_is_no_run_is_refused(system: str, words: str) -> None:
    with pytest.raises(ExperimentError, match=rf"'bad'.*{words}"):
        made(FakeCollection(), systems={"bad": system})


def test_a_system_that_finds_nothing_is_an_empty_run(tmp_path: Path) -> None:
    run = made(FakeCollection(), tmp_path, systems={"nothing": "none"})["nothing"].frame
    assert run.empty and list(run.columns) == ["qid", "docno", "score", "rank"]
    again = made(FakeCollection(), tmp_path, systems={"nothing": "none"})["nothing"]
    assert again.reused and again.frame.empty
    assert len(scorable(run, TOPICS)) == 1


def test_latency_is_kept_with_the_run_and_measured_where_it_is_missing(tmp_path: Path) -> None:
    assert made(FakeCollection(), tmp_path)["Strong"].record.latency is None
    timed = made(FakeCollection(), tmp_path, latency=200)["Strong"]
    assert timed.reused and timed.record.latency is not None
    assert set(timed.record.latency.milliseconds) == {"q1", "q2", "q3", "q4"}
    collection = FakeCollection()
    assert made(collection, tmp_path, latency=200)["Strong"].record == timed.record
    assert not collection.asked


def test_a_full_disk_is_one_sentence_and_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # A module that is compiled now would stay cut off.
    made(FakeCollection(), tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        with pytest.raises(ExperimentError, match=re.escape(str(tmp_path / "runs")) + " cannot be written"):
            made(FakeCollection(corpus="another"), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()} == before


def test_the_record_says_how_the_run_was_made(tmp_path: Path) -> None:
    made(FakeCollection(), tmp_path)
    record = json.loads((tmp_path / "runs" / "Strong-first-only.json").read_text(encoding="utf-8"))
    assert record["system"] == "Strong, first only"
    assert record["expression"] == "strong % 1"
    assert record["queries"] == 4
    assert record["seconds"] > 0


@pytest.mark.parametrize(
    "scores", [[1.0] * 5, [1 + 1e-9, 1.0, 1.0, 0.5, 0.5], [0.0, -0.0, -1e-50, -1.0, -1.0], [3e38, 3e38, 3.0, 2.0, 1.0]]
)
def test_stored_scores_give_trec_eval_the_order_of_the_table(
    scores: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(qid, docno, score) for qid in TOPICS["qid"] for docno, score in zip(DOCNOS, scores, strict=False)]
    results = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    monkeypatch.setattr(Lists, "transform", lambda self, inp: results)
    measures = ["RR@10", "nDCG@3", "MicroR@1", "R@1", "MultiMRR@2"]
    definition = {**DEFINITION, "systems": {"s": "weak"}, "baseline": None, "measures": measures, "references": []}
    found = run(definition, tmp_path, collection=FakeCollection())  # type: ignore[arg-type]
    plain = found.runs["s"]["score"].to_numpy()[:5]
    assert (np.diff(plain) < 0).all() and plain[:5] == pytest.approx(scores, rel=1e-6, abs=1e-40)
    stored = list(ir_measures.read_trec_run(str(tmp_path / "runs" / "s.trec")))
    judged = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    table = ir_measures.calc_aggregate(found.definition.measure_objects(), judged, stored)
    there = pt.Experiment([pt.Transformer.from_df(found.runs["s"])], TOPICS, QRELS, found.definition.measure_objects())
    for measure, value in table.items():
        assert found.table[str(measure)].tolist() == [pytest.approx(value)] == there[str(measure)].tolist()


def test_lists_that_a_system_itself_keeps_short_are_named() -> None:
    systems = {"cut": "weak % 2", "short": "weak"}
    for changes, limit in (
        ({"measures": ["R@3"]}, 2),
        ({"measures": ["RR"]}, 2),
        ({"measures": ["R@2"]}, None),
        ({"measures": ["R@1"], "depth": 50}, 2),
    ):
        runs = made(FakeCollection(), systems=systems, references=[], **changes)
        assert (runs["cut"].limit, runs["short"].limit) == (limit, None)
    assert any("at most 2" in remark for remark in runs["cut"].remarks())
