"""Results: complete, read back equal, whole or absent, and silent about the machine's owner."""

from __future__ import annotations

import getpass
import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from fake_collection import DEFINITION, FakeCollection

import legalir
from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, run
from legalir.experiments.experiment import public_dataset_name


def result(out: Path | None = None, **changes: object) -> ExperimentResult:
    collection = FakeCollection(id=str(changes.get("dataset", "legalir/fake")))
    return run({**DEFINITION, **changes}, out, collection=collection)  # type: ignore[arg-type]


def test_everything_is_saved_and_reads_back_equal(tmp_path: Path) -> None:
    first = result(tmp_path / "r")
    again = ExperimentResult.load(tmp_path / "r")
    pd.testing.assert_frame_equal(first.table, again.table)
    pd.testing.assert_frame_equal(first.per_query, again.per_query)
    assert first.definition == again.definition
    assert first.context == again.context
    assert first.latencies == again.latencies
    assert first.environment == again.environment
    for name, frame in first.runs.items():
        pd.testing.assert_frame_equal(frame, again.runs[name])


def test_each_run_has_metadata_of_its_own(tmp_path: Path) -> None:
    result(tmp_path, actor={"team": "Port"})
    texts = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "runs").glob("*.ir-metadata.yml")}
    assert {name.removesuffix(".ir-metadata.yml") for name in texts} == {
        path.stem for path in (tmp_path / "runs").glob("*.trec")
    }
    facts = yaml.safe_load(texts["Strong.ir-metadata.yml"])
    assert list(facts) == [
        *("schema-version", "run-version", "tag", "platform", "research goal", "implementation", "method"),
        *("actor", "data", "resources"),
    ]
    assert facts["tag"] == "Strong"
    assert facts["method"]["retrieval"] == [{"name": "Strong", "method": "strong"}]
    assert facts["method"]["automatic"] is True
    assert facts["actor"] == {"team": "Port"}
    assert facts["data"]["test collection"]["ir_datasets"] == "legalir/fake"


def test_a_result_in_memory_writes_nothing_and_can_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = result()
    assert list(tmp_path.iterdir()) == []
    first.save("r")
    pd.testing.assert_frame_equal(ExperimentResult.load("r").table, first.table)


def test_the_environment_is_complete_and_says_nothing_of_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "my-data"
    folder.mkdir()
    result(tmp_path / "r", dataset=str(folder))
    text = (tmp_path / "r" / "environment.json").read_text(encoding="utf-8")
    facts = json.loads(text)
    assert facts["dataset"]["id"] == "my-data"
    assert facts["dataset"]["corpus"] == "corpus-1"
    assert facts["systems"]["Strong, first only"]["expression"] == "strong % 1"
    assert {"legalir", "python", "packages", "machine", "seconds", "finished"} <= set(facts)
    assert str(tmp_path) not in text and sys.prefix not in text and str(Path.home()) + "/" not in text
    if len(getpass.getuser()) > 4:
        assert getpass.getuser() not in text


def test_a_dataset_is_named_without_its_place(tmp_path: Path) -> None:
    (tmp_path / "fire").mkdir()
    assert public_dataset_name(str(tmp_path / "fire")) == "fire"
    assert public_dataset_name(str(tmp_path / "fire" / "test")) == "fire/test"
    assert public_dataset_name("legalir/firecode/test") == "legalir/firecode/test"


@pytest.mark.parametrize("name", ["definition.yaml", "table.tsv", "context.json", "runs"])
def test_an_incomplete_or_altered_result_says_so(tmp_path: Path, name: str) -> None:
    result(tmp_path)
    path = tmp_path / name
    if name == "runs":
        path = path / "Strong.trec"
        path.write_text(path.read_text(encoding="utf-8") + "q9\tQ0\td\t0\t1.0\tx\n", encoding="utf-8")
    else:
        path.unlink()
    with pytest.raises(ExperimentError, match=re.escape(path.stem)):
        ExperimentResult.load(tmp_path)


def test_a_damaged_table_says_so(tmp_path: Path) -> None:
    result(tmp_path)
    (tmp_path / "table.tsv").write_text("name\tR@2\nA\tx\n")
    with pytest.raises(ExperimentError, match="damaged"):
        ExperimentResult.load(tmp_path)


def test_no_judged_queries_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCollection, "qrels", lambda self: pd.DataFrame(columns=["qid", "docno", "label"]))
    with pytest.raises(ExperimentError, match="no judged queries"):
        result()


def test_queries_without_judgements_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = FakeCollection.qrels
    monkeypatch.setattr(FakeCollection, "qrels", lambda self: whole(self).query("qid != 'q4'"))
    assert set(result().per_query["qid"]) == {"q1", "q2", "q3"}


def test_a_collection_must_be_the_dataset_of_the_definition(tmp_path: Path) -> None:
    asked = {"measures": ["R@2"], "systems": {"a": "bm25"}}
    with pytest.raises(ExperimentError, match="legalir/firecode/test"):
        run({"dataset": "legalir/firecode/dev", **asked}, collection=legalir.Collection("legalir/firecode/test"))
    copy = tmp_path / "firecode"
    shutil.copytree(legalir.Collection("legalir/firecode/dev").source.folder.root, copy)
    for given in ("legalir/firecode/dev", copy / "dev"):
        same = legalir.Collection(given, cache=tmp_path / "cache")
        assert len(run({"dataset": "legalir/firecode/dev", **asked}, collection=same, latency_queries=0).table) == 1


def test_the_function_stays_one_after_the_room_is_imported() -> None:
    importlib.import_module("legalir.experiments")
    with pytest.raises(ExperimentError, match="does not exist"):
        legalir.experiment("no-such-file.yaml")


def test_importing_experiments_loads_nothing_heavy() -> None:
    code = (
        "import sys, legalir.experiments, legalir.cli.experiment;"
        "print([m for m in ('scipy', 'matplotlib', 'jinja2', 'rich', 'sklearn', 'statsmodels') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
