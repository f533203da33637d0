"""What ``import legalir`` brings, and what it leaves for later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import legalir
from legalir.errors import MissingExtra


def fresh(code: str, *options: str, **environment: str) -> object:
    """Run code in a new interpreter; return what it printed, as JSON."""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LOADED = """
import json, sys
import pyterrier
before = set(sys.modules)
import legalir
after = set(sys.modules)
heavy = "torch sklearn matplotlib ir_datasets scipy networkx bm25s jinja2 rich typer yaml platformdirs numba"
print(json.dumps([
    sorted(name for name in after if name.split(".")[0] in "torch sklearn matplotlib ir_datasets".split()
           or name.startswith("scipy.stats")),
    sorted({name.split(".")[0] for name in after - before} & set(heavy.split())),
    sorted(name for name in after - before if name.startswith("legalir.")),
]))
"""


def test_nothing_heavy_is_loaded() -> None:
    never, added, ours = fresh(LOADED, "-W", "error")  # type: ignore[misc]
    assert never == []
    assert added == []
    measures = {name for name in ours if name.startswith("legalir.measure.")}
    assert set(ours) <= {"legalir.errors", "legalir.measure", *measures, "legalir.measure.answers"}


def test_every_public_name_is_there() -> None:
    for name in legalir.__all__:
        assert getattr(legalir, name) is not None
    assert {*dir(legalir), "__version__"} == set(legalir.__all__)
    assert len(set(legalir.__all__)) == len(legalir.__all__)
    assert callable(legalir.experiment)


def test_the_public_names_are_these() -> None:
    """Other code relies on each of them."""
    assert set(legalir.__all__) == {
        *(
            "Answer",
            "BM25",
            "BM25F",
            "CitationGraph",
            "Client",
            "Collection",
            "CrossEncoderReranker",
            "DenseIndex",
            "Explanation",
        ),
        *("FamilySmoothing", "FineTuned", "FineTuning", "Focus", "Generator", "LegalIRError", "LinearFusion"),
        *("Lookup", "Pretraining", "RRF"),
        *("LinkExpansion", "M3Encoder", "M3Index", "MicroR", "MultiHitRate", "MultiMRR", "NitiLink", "Rocchio", "SAR"),
        *("SearchResult", "SentenceEncoder", "SparseIndex", "TFIDF", "TrainedModel", "WeightedRRF", "__version__"),
        *("Tuning", "experiment", "explain", "finetune", "pretrain", "search", "train_static", "tune"),
    }


@pytest.mark.parametrize("name", ["FineTuned", "FineTuning", "Pretraining", "finetune", "pretrain"])
def test_a_name_of_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "legalir_finetune", None)
    with pytest.raises(MissingExtra) as caught:
        getattr(legalir, name)
    assert f"legalir.{name} is in the package legalir-finetune" in str(caught.value)


def test_datasets_are_found_with_pyterrier_alone(tmp_path: Path) -> None:
    found = fresh(
        "import json, pyterrier as pt\n"
        "d = pt.get_dataset('irds:legalir/firecode')\n"
        "t = d.get_topics()\n"
        "assert len(pt.get_dataset('legalir:firecode').get_qrels())  # our own provider\n"
        "print(json.dumps([len(t), list(t.columns)[:2], next(iter(d.get_corpus_iter(verbose=False)))['docno']]))",
        IR_DATASETS_HOME=str(tmp_path),
    )
    count, columns, docno = found  # type: ignore[misc]
    assert count > 0
    assert columns == ["qid", "query"]
    assert docno


def test_measures_are_found_with_ir_measures_alone(tmp_path: Path) -> None:
    code = (
        "import json, legalir, ir_measures\nmeasure = str(ir_measures.parse_measure('MultiMRR@10'))\n"
        "assert legalir.Collection('legalir/firecode').dataset.docs_count()  # not imported before, either\n"
        "print(json.dumps(measure))"
    )
    assert fresh(code, IR_DATASETS_HOME=str(tmp_path)) == "MultiMRR@10"
