"""Measures of other packages."""

from __future__ import annotations

import json
from pathlib import Path

import ir_measures
import pytest
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)
from typer.testing import CliRunner

import legalir
from legalir.cli.main import app
from legalir.errors import MeasureError, PluginError
from legalir.measure import parse_measures

SOURCE = """
import ir_measures
Length = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="Length")
def make(): return Length
def _named(qrels, run):
    assert {*run["query_id"]} <= {*qrels["query_id"]}
    return float(run["doc_id"].iloc[0].startswith("act")) + (run["score"].iloc[0] > 0) * 2
Named = ir_measures.define_byquery(_named, name="Named", support_cutoff=False)
def wrong(): return 3
"""


@pytest.fixture(autouse=True)
def acme(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ir_measures.measures, "registry", {**ir_measures.measures.registry})
    entries = {
        "measure.Length": "acme_module:Length",
        "measure.Named": "acme_module:Named",
        "measure.Made": "acme_module:make",
    }
    install("acme", {**entries, "measure.Three": "acme_module:wrong"}, SOURCE)


def test_a_measure_has_its_name_and_parameters() -> None:
    (measure,) = parse_measures("Length@2")
    assert str(measure) == "Length@2"
    assert ir_measures.parse_measure("Length") == measure.__class__(), "ir_measures knows it from now on"
    assert parse_measures("Made@3")[0].params == {"cutoff": 3}


def test_faults() -> None:
    with pytest.raises(MeasureError, match=r"'Lenght'.* mean 'Length'"):
        parse_measures("Lenght@2")
    with pytest.raises(PluginError, match=r"'Three' .*acme 1\.0 .*type int"):
        parse_measures("Three")


def test_the_command_and_an_experiment_know_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "run.trec").write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\nq1 Q0 c 3 0.5 x\nq2 Q0 b 1 1.0 x\n")
    ended = CliRunner().invoke(
        app, ["measure", str(tmp_path / "qrels.txt"), str(tmp_path / "run.trec"), "Length@2", "--json"]
    )
    # q1 has two of its three results in the first two, q2 has one.
    assert json.loads(ended.output)["means"] == {"Length@2": 1.5}
    definition = {"dataset": "legalir/firecode/test", "measures": ["Length@3"], "systems": {"one": "bm25 % 5"}}
    assert legalir.experiment(definition).table["Length@3"].tolist() == [3.0]
    named = legalir.experiment({**definition, "measures": ["Named", "P@1"]}, tmp_path / "out")
    first = named.runs["one"].groupby("qid").first()
    expected = first["docno"].str.startswith("act") + (first["score"] > 0) * 2.0
    assert named.table["Named"].tolist() == [pytest.approx(expected.mean())]
    run = str(tmp_path / "out" / "runs" / "one.trec")
    ended = CliRunner().invoke(app, ["measure", "legalir/firecode/test", run, "Named", "--json"])
    assert json.loads(ended.output)["means"] == {"Named": pytest.approx(expected.mean())}
