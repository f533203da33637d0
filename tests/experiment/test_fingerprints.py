"""Keys of runs: everything that may move a run moves its key."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import TOPICS, Lists

from legalir.experiment.runs.fingerprints import (
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


def test_a_component_that_holds_itself_ends() -> None:
    component = lists()
    component.again = component  # type: ignore[attr-defined]
    assert pipeline_fingerprint(component)


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
