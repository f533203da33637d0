"""A component in a new interpreter: which heavy modules it loads when, and whether it says the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from legalir.testing.checks import Failed, Function, NotApplicable
from legalir.testing.facts import facts, plain
from legalir.testing.frames import difference
from legalir.testing.subject import Subject
from legalir.testing.trial import Trial

__all__ = ["PROCESS_CHECKS", "Report", "report_on"]

STAGES = ("import", "construction", "no rows", "run")
"""What the new interpreter does, in order."""


class Report(NamedTuple):
    """What happened in the new interpreter.

    Attributes:
        here: what the component made of the kit's data in this interpreter.
        there: the same in the new one, over the same cache; empty where it did not get so far.
        loaded: the heavy modules that each stage loaded.
        failed: the stage that failed, or nothing.
        message: of what it raised.
    """

    here: dict[str, list[Any]]
    there: dict[str, list[Any]]
    loaded: dict[str, list[str]]
    failed: str
    message: str


def report_on(subject: Subject) -> Report:
    """Build the component here, so that all indexes are there, then run it in a new interpreter.

    Raises:
        NotApplicable: another interpreter cannot import it, or the new interpreter cannot be started.
        Failed: the new interpreter died.
    """
    job = subject.job()
    if job is None:
        raise NotApplicable(
            "no other interpreter can make it: give the name of an installed component, or a "
            "factory at the top of a module, and parameters that are literals"
        )
    with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
        trial = Trial(subject, Path(folder))
        collection = trial.collection()
        here = plain(facts(trial, collection, trial.component(collection)))
        return Report(here, **_ask(job, Path(folder)))


def _ask(job: str, folder: Path) -> dict[str, Any]:
    request, answer = folder / "job.txt", folder / "answer.json"
    request.write_text(job, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "PYTHONUTF8": "1",
    }
    command = [sys.executable, "-m", "legalir.testing.child", str(request), str(folder), str(answer)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if not answer.exists():
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Failed(f"a new interpreter died with code {done.returncode} ({last}): make it run there.")
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def _loaded(trial: Trial, stage: str, cure: str) -> None:
    report = trial.subject.report
    if report.failed == stage:
        raise Failed(f"in a new interpreter: {report.message}")
    if stage not in report.loaded:
        raise NotApplicable(f"in a new interpreter, it failed before: {report.message}")
    if heavy := report.loaded[stage]:
        raise Failed(f"{stage} loads {', '.join(heavy)}: {cure}")


def light_import(trial: Trial) -> None:
    """Importing the module loads no heavy library, so that listing and help stay fast."""
    _loaded(trial, "import", "import it inside the function that needs it.")


def light_construction(trial: Trial) -> None:
    """Making the component over what was built before loads no heavy library."""
    _loaded(trial, "construction", "load the model when the first text comes, as functools.cached_property does.")


def light_empty_frame(trial: Trial) -> None:
    """A frame of no rows, as PyTerrier's inspection gives, loads no model; nor does the question who it is."""
    _loaded(trial, "no rows", "return before the model is needed where there is nothing to do.")


def another_process(trial: Trial) -> None:
    """A new interpreter, in which sets and hashes have other orders, gives the same over the same cache."""
    import pandas as pd

    report = trial.subject.report
    if report.failed == "run":
        raise Failed(f"in a new interpreter: {report.message}")
    if report.failed:
        raise NotApplicable(f"in a new interpreter, it failed before: {report.message}")
    if (fault := difference(pd.DataFrame(report.here), pd.DataFrame(report.there))) is not None:
        raise Failed(f"in a new interpreter, {fault}: sort what comes from a set, and use hashlib instead of hash().")


PROCESS_CHECKS: tuple[Function, ...] = (light_import, light_construction, light_empty_frame, another_process)
