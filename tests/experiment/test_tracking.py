"""What systems used while they ran: recorded by tirex-tracker where it is installed, else by a stand-in for it."""

from __future__ import annotations

import enum
import importlib.machinery
import importlib.metadata
import sys
import threading
import types
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from fake_collection import DEFINITION, FakeCollection

from legalir.experiments import ExperimentResult, run
from legalir.experiments.tracking import _MEASURES, tracked


class Entry(NamedTuple):
    value: bytes


class Tracker:
    def __init__(self, measures: Iterable[enum.Enum]) -> None:
        self.measures = list(measures)

    def stop(self) -> dict[enum.Enum, Entry]:
        texts = {"PERCENT": b'{"max": 95, "min": 1, "avg": 40, "timeseries": {}}', "JOULES": b"null"}
        return {one: Entry(texts.get(one.name.rsplit("_", 1)[1], b"12")) for one in self.measures}


@pytest.fixture(autouse=True)
def recording(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import tirex_tracker  # noqa: F401
    except ModuleNotFoundError:
        module = types.ModuleType("tirex_tracker")
        module.__spec__ = importlib.machinery.ModuleSpec("tirex_tracker", None)
        vars(module).update(Measure=enum.Enum("Measure", [*_MEASURES]), tracking=Tracker)
        monkeypatch.setitem(sys.modules, "tirex_tracker", module)
        version = importlib.metadata.version
        monkeypatch.setattr(
            importlib.metadata, "version", lambda name: "0" if name == "tirex-tracker" else version(name)
        )


def test_each_run_says_what_it_and_the_systems_beside_it_used(tmp_path: Path) -> None:
    first = run(DEFINITION, tmp_path, collection=FakeCollection())
    assert isinstance(first, ExperimentResult)
    names = list(first.system_runs)
    resources = first.metadata(names[0])["resources"]
    assert isinstance(resources, dict)
    assert next(iter(resources)) == "runtime" and {"cpu", "ram", "recorded"} <= set(resources)
    assert resources["recorded"]["systems"] == names
    assert resources["recorded"]["by"].startswith("tirex-tracker==")
    assert resources["recorded"]["wallclock"].endswith(" ms")
    assert set(resources["cpu"]["used process"]) == {"max", "avg"}
    assert "null" not in str(resources) and "None" not in str(resources)
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "runs").glob("*.yml")}
    assert yaml.safe_load(files[f"{names[0]}.ir-metadata.yml"])["resources"] == resources
    again = run(DEFINITION, tmp_path, collection=FakeCollection())
    assert isinstance(again, ExperimentResult)
    assert all(one.reused for one in again.system_runs.values())
    assert again.metadata(names[0])["resources"] == resources, "of the execution that made the run"


def test_nothing_is_recorded_outside_the_main_thread_or_where_it_cannot(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorded = []

    def elsewhere() -> None:
        with tracked() as resources:
            pass
        recorded.append(resources)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert recorded == [{}] and not caplog.records

    def refuse(measures: object) -> None:
        raise RuntimeError("signals are in use")

    monkeypatch.setattr(sys.modules["tirex_tracker"], "tracking", refuse)
    elsewhere()
    assert recorded == [{}, {}] and "signals are in use" in caplog.text
