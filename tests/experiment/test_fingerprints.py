"""Keys of runs: everything that may move a run moves its key."""

from __future__ import annotations

import copy
import importlib
import os
import random
import re
import subprocess
import sys
from collections import Counter, deque
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, TOPICS, FakeCollection, Lists

from legalir.experiments import Definition
from legalir.experiments import fingerprints as code
from legalir.experiments.execution import make_runs
from legalir.experiments.fingerprints import (
    NoFingerprint,
    frame_fingerprint,
    pipeline_fingerprint,
    run_key,
    source_fingerprint,
)

COMPONENT = "import pyterrier as pt\nclass Mine(pt.Transformer):\n    def transform(self, inp):\n        return inp{}\n"


def lists(name: str = "weak", fingerprint: str = "f") -> Lists:
    return Lists(name, Counter(), fingerprint)


def test_keys_are_stable_and_each_part_counts() -> None:
    parts: list[object] = ["corpus", "topics", "weak", lists(), 100]
    key = run_key(*parts)  # type: ignore[arg-type]
    assert key == run_key(*parts)  # type: ignore[arg-type]
    others = ["corpus2", "topics2", "weak % 1", lists(fingerprint="g"), 99]
    for place, other in enumerate(others):
        assert run_key(*parts[:place], other, *parts[place + 1 :]) != key  # type: ignore[arg-type]


def test_what_a_component_holds_counts_however_deep() -> None:
    for build in (
        lambda one: one,
        lambda one: one >> lists("strong"),
        lambda one: lists("strong") + one,
        lambda one: (one % 10) | lists("strong"),
    ):
        assert pipeline_fingerprint(build(lists())) == pipeline_fingerprint(build(lists()))
        assert pipeline_fingerprint(build(lists())) != pipeline_fingerprint(build(lists(fingerprint="g")))


def test_the_code_of_a_component_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    found = []
    for change in ("", "  # changed"):
        (tmp_path / "my_component.py").write_text(COMPONENT.format(change))
        sys.modules.pop("my_component", None)
        importlib.invalidate_caches()
        found.append(pipeline_fingerprint(importlib.import_module("my_component").Mine()))
    assert found[0] != found[1]


ACME = """
import functools
import pyterrier as pt
from legalir.extend import Component, rank_results
from acme_case import constants
from acme_case.arithmetic import value

class Part(Component):
    def __init__(self, sign=1):
        self.sign = sign
    def empty(self, inp):
        return inp
    def apply(self, inp):
        return rank_results(inp.assign(score=self.sign * value(inp["score"])))

def part(collection):
    return Part(constants.SIGN)
def applied(collection):
    return pt.apply.doc_score(functools.partial(constants.scored, 2))
"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("acme_case/arithmetic.py", "def value(score): return -score\n"),
        ("acme_case/constants.py", "SIGN = -1\ndef scored(times, row): return times * row.score\n"),
        ("acme_case/constants.py", "SIGN = 1\ndef scored(times, row): return -times * row.score\n"),
        ("acme_case/data/words.json", "[1]"),
        ("acme_case/late.py", ""),
        ("acme_helper-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: acme-helper\nVersion: 2\n"),
    ],
)
def test_all_that_a_plugin_depends_on_counts(
    file: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "acme_case/__init__.py": "",
        "acme_case/arithmetic.py": "def value(score): return score\n",
        "acme_case/constants.py": "SIGN = 1\ndef scored(times, row): return times * row.score\n",
        "acme_case/parts.py": ACME,
        "acme_case/data/words.json": "[]",
        "acme_case-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-case\nVersion: 1\n"
        "Requires-Dist: acme.Helper>=1\nRequires-Dist: not-there; extra == 'more'\n",
        "acme_helper-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-helper\nVersion: 1\n",
    }
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keys: list[tuple[str, str]] = []
    for changed in ({}, {}, {file: text}):
        for name, content in (files | changed).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        for name in [name for name in sys.modules if name.partition(".")[0] == "acme_case"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        code._requirements.cache_clear()
        parts = importlib.import_module("acme_case.parts")
        keys.append((pipeline_fingerprint(parts.part(None)), pipeline_fingerprint(parts.applied(None))))
    assert keys[0] == keys[1]
    assert keys[0][0] != keys[2][0] and keys[0][1] != keys[2][1]


def applied(number: float, *, names: frozenset[str] = frozenset("abc")) -> pt.Transformer:
    return pt.apply.doc_score(lambda row: number + (row.qid in {"x", "y", "z"}) + len(names))


def chosen(function: object) -> pt.Transformer:
    held = pt.apply.doc_score(max)
    held.fn = function  # type: ignore[attr-defined]
    return held


def same(value: object) -> object:
    return value


PAIRS: list[tuple[object, object]] = [
    (applied(1), applied(2)),
    (applied(1), applied(1, names=frozenset("ab"))),
    (pt.apply.doc_score(lambda row: row.score), pt.apply.doc_score(lambda row: -row.score)),
    (chosen(partial(same, 1)), chosen(partial(same, 2))),
    (chosen({"a": [lists()], "b": (1,)}), chosen({"a": [lists(fingerprint="g")], "b": (1,)})),
    (chosen({1, 2, "three"}), chosen({1, 2, "four"})),
    (chosen(np.arange(3)), chosen(np.arange(3.0))),
    (chosen(np.zeros(2_000)), chosen(np.eye(1, 2_000, 1_000)[0])),
    (chosen(TOPICS), chosen(TOPICS.iloc[:2])),
    (chosen(random.Random(1)), chosen(random.Random(2))),
    (chosen(np.random.default_rng(1)), chosen(np.random.default_rng(2))),
    (chosen(re.compile("a")), chosen(re.compile("a", re.IGNORECASE))),
    (chosen(deque([1], 2)), chosen(deque([1], 3))),
    (chosen(SimpleNamespace(a=1).__class__), chosen(SimpleNamespace(a=1))),
    (chosen("1"), chosen(1)),
    (chosen(Decimal("1.0")), chosen(Decimal("1.00"))),
    (
        pt.Transformer.from_df(TOPICS.assign(docno="d", score=1.0)),
        pt.Transformer.from_df(TOPICS.assign(docno="e", score=1.0)),
    ),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_state_of_whatever_is_held_counts(one: pt.Transformer, other: pt.Transformer) -> None:
    assert pipeline_fingerprint(one) == pipeline_fingerprint(copy.deepcopy(one))
    assert pipeline_fingerprint(one) != pipeline_fingerprint(other)
    assert pipeline_fingerprint(lists() >> one) != pipeline_fingerprint(lists() >> other)


def test_a_file_that_an_argument_names_counts(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    keys = []
    for text in ("one", "others"):
        path.write_text(text)
        keys.append((pipeline_fingerprint(chosen(str(path))), pipeline_fingerprint(chosen(path))))
    assert keys[0][0] != keys[1][0] and keys[0][1] != keys[1][1]


SEEDED = """
import sys
sys.path.insert(0, sys.argv[1])
import test_fingerprints as tests
for one, other in tests.PAIRS:
    print(tests.pipeline_fingerprint(one), tests.pipeline_fingerprint(other))
"""


def test_keys_are_the_same_in_each_process() -> None:
    command = [sys.executable, "-c", SEEDED, str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    there = subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout
    assert there.split() == [pipeline_fingerprint(one) for pair in PAIRS for one in pair]


def test_what_has_no_state_is_not_reused_and_named_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Path(os.devnull).open() as stream:
        for held in (stream, (one for one in "ab")):
            with pytest.raises(NoFingerprint):
                pipeline_fingerprint(chosen([held]))
    odd = chosen(one for one in "ab")
    odd.transform = lambda inp: lists().transform(inp)  # type: ignore[method-assign]
    collection = FakeCollection()
    collection.pipeline = lambda expression: odd  # type: ignore[method-assign]
    definition = Definition.parse({**DEFINITION, "baseline": None, "systems": {"odd": "odd"}})
    for _ in range(2):
        caplog.clear()
        runs, _ = make_runs(definition, collection, TOPICS, tmp_path, 0)  # type: ignore[arg-type]
        assert not runs["odd"].reused
        assert [record.args[0] for record in caplog.records if record.args] == ["odd"]


def test_an_artifact_of_another_package_counts_with_its_metadata(tmp_path: Path) -> None:
    class Foreign(pt.Artifact):
        pass

    class Holder(pt.Transformer):
        def __init__(self, index: pt.Artifact) -> None:
            self.index = index

        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return inp

    found = []
    for text in ("one", "two"):
        (tmp_path / "pt_meta.json").write_text(text)
        found.append(pipeline_fingerprint(Holder(Foreign(tmp_path))))
    assert found[0] != found[1]


def test_frames_count_by_content_and_order() -> None:
    assert frame_fingerprint(TOPICS) == frame_fingerprint(TOPICS.copy())
    assert frame_fingerprint(TOPICS) != frame_fingerprint(TOPICS.iloc[::-1])
    assert frame_fingerprint(TOPICS) != frame_fingerprint(TOPICS.rename(columns={"query": "text"}))

    assert len(source_fingerprint()) == 64
