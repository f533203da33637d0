"""An error while systems run together names the one it comes from."""

from __future__ import annotations

import threading

import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, TOPICS, FakeCollection, Lists
from fake_plugins import Install, install_plugin, load  # noqa: F401  (a fixture)

from legalir.errors import ComponentError, ExperimentError, LegalIRError, PluginError
from legalir.experiments import Definition
from legalir.experiments.execution import make_runs, naming, run_together

SYSTEMS = {"good": "strong", "bad": "weak % 1"}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception, rows: int) -> pytest.ExceptionInfo[Exception]:
    """Run two systems, of which the second raises `error` where it is given `rows` questions."""
    whole = Lists.transform

    def transform(self: Lists, inp: pd.DataFrame) -> pd.DataFrame:
        if self.name == "weak" and len(inp) == rows:
            raise error
        return whole(self, inp)

    monkeypatch.setattr(Lists, "transform", transform)
    definition = Definition.parse({**DEFINITION, "baseline": None, "systems": SYSTEMS})
    with pytest.raises(type(error)) as caught:
        make_runs(definition, FakeCollection(), TOPICS, None, 4)  # type: ignore[arg-type]
    return caught


@pytest.mark.parametrize("rows", [len(TOPICS), 1], ids=["running", "timing"])
def test_an_error_on_purpose_begins_with_the_system(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    error = ComponentError("weak: it has had enough.")
    caught = failing(monkeypatch, error, rows)
    assert str(caught.value) == "The system 'bad': weak: it has had enough."
    assert caught.value.__cause__ is error


class Failing(pt.Transformer):
    """A system that fails in any process."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        raise ComponentError("weak: it has had enough.")


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (Failing(), ComponentError, "The system 'bad': weak: it has had enough."),
        (pt.apply.generic(threading.Lock()), ExperimentError, "The system 'bad' cannot be sent to another process"),
    ],
)
def test_errors_in_processes(bad: pt.Transformer, error: type[Exception], message: str) -> None:
    class Bad(FakeCollection):
        def pipeline(self, expression: str) -> pt.Transformer:
            return bad if expression == "weak" else super().pipeline(expression)

    definition = Definition.parse({**DEFINITION, "baseline": None, "systems": {"good": "strong", "bad": "weak"}})
    with pytest.raises(error, match=message):
        make_runs(definition, Bad(), TOPICS, None, 0, 2)  # type: ignore[arg-type]


def test_the_number_of_processes_is_checked() -> None:
    with pytest.raises(ComponentError, match="jobs=0"):
        make_runs(Definition.parse(DEFINITION), FakeCollection(), TOPICS, jobs=0)  # type: ignore[arg-type]


def test_a_bug_of_ours_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    error = ValueError("a bug")
    assert failing(monkeypatch, error, len(TOPICS)).value is error


SICK = """
import pyterrier as pt
class Sick(pt.Transformer):
    def transform(self, inp): return 1 / 0
def sick(collection): return Sick()
"""


def test_a_plugin_that_fails_is_named_with_its_system(install: Install) -> None:
    install("feeble", {"retriever.sick": "feeble_module:sick"}, SICK)
    sick = load("retriever", "sick")(None)
    assert isinstance(sick, pt.Transformer)
    first = pt.Transformer.identity()
    with pytest.raises(PluginError) as caught:
        list(run_together({"well": [first], "ill": [first, sick]}, TOPICS, {}))
    assert str(caught.value) == (
        "The system 'ill': Package feeble 1.0 failed while it ran: ZeroDivisionError: division by zero."
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_failing_part_of_a_component_is_named_with_its_system() -> None:
    class Failing(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            raise LegalIRError("no.")

    class Whole(pt.Transformer):
        def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
            return Failing().transform(inp)

    with pytest.raises(LegalIRError, match=r"^The system 'two': no\.$"):
        list(run_together({"one": [pt.Transformer.identity()], "two": [Whole()]}, TOPICS, {}))
    with pytest.raises(LegalIRError, match=r"^The system 'three': no\.$"), naming("three"):
        Failing().transform(TOPICS)
