"""The names that judgements have: versions and keys outside of experiments."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pyterrier as pt
import pytest
from dated_folder import write_dated

import legalir
from legalir.measure import judged_names, parse_measures


def test_experiments_of_pyterrier_and_ir_measures(tmp_path: Path) -> None:
    laws = legalir.Collection(write_dated(tmp_path / "laws"), cache=tmp_path / "cache")
    topics, qrels, measures = laws.topics(), laws.qrels(), parse_measures(["R@5", "RR"])
    judged = pt.apply.generic(lambda run: judged_names(run, qrels))
    table = pt.Experiment([laws.pipeline("bm25"), laws.pipeline("tfidf") >> judged], topics, qrels, measures)
    # By docno only lead-2016 is found. By key lead-2012 and kites, too; the version of lead-2021 was not in force.
    assert table["R@5"].tolist() == [1 / 4, 3 / 4]
    run = judged_names(laws.pipeline("bm25").transform(topics), qrels)
    values = ir_measures.calc_aggregate(measures, *map(pt.model.to_ir_measures, (qrels, run)))
    assert values[measures[0]] == pytest.approx(3 / 4)
